--- CopilotChat.nvim, in your init.lua: its functions' results are capped for the model, and kept in full in a file; the
--- model is told which. Its `bash` tells stderr and the exit code, too. The session is opened by the first call.
local whole_start = { strategy = "head" } -- the chat numbers their lines
require("CopilotChat").setup {}
require("abridge.copilotchat").attach(require "CopilotChat", {
  session = { limits = { ["*"] = { max_bytes = "20KB" }, file = whole_start, buffer = whole_start } },
})
