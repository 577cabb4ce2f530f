--- avante.nvim, in your init.lua: results of its tools and yours are capped, errors included, and kept in full
--- in a file; the model is told which. The session is opened by the first call.
require("avante").setup {}
require("abridge.avante").tools(require "avante.llm_tools", {
  session = { limits = { ["*"] = { max_lines = 2000, max_bytes = "20KB", clean = true } } },
})
