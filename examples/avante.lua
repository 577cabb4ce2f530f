--- avante.nvim, in your init.lua: what its tools and yours give to the model is capped, errors too,
--- and kept whole in a file that the model is told of.
require("avante").setup {}
require("abridge.avante").tools(require "avante.llm_tools", {
  session = require("abridge").session {
    limits = { ["*"] = { strategy = "priority", max_lines = 2000, max_bytes = "20KB", clean = true } },
  },
})
