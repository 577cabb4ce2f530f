--- mcphub.nvim, in your init.lua: its servers' tools and resources are capped in any chat, and kept in full in
--- a file; the model is told which.
local session = { limits = { ["*"] = { max_lines = 4000, max_bytes = "20KB" } } } -- opened by the first call
require("mcphub").setup {
  on_ready = function(hub)
    require("abridge.mcphub").attach(hub, { session = session })
  end,
}
