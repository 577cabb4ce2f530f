--- mcphub.nvim, in your init.lua: what its servers' tools and resources give to any chat is capped.
require("mcphub").setup {
  on_ready = function(hub)
    require("abridge.mcphub").attach(hub, { limits = { strategy = "head_tail", max_bytes = "20KB" } })
  end,
}
