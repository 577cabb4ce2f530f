--- avante.nvim, in your init.lua: what its tools and yours give the model is capped, errors included, and kept in full
--- in a file; the model is told which.
require("avante").setup {}
require("abridge.avante").tools(require "avante.llm_tools", {
  session = require("abridge").session {
    limits = { ["*"] = { max_lines = 2000, max_bytes = "20KB", clean = true } },
  },
})
