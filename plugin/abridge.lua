-- The command :Abridge. Nothing else is loaded before it is used.
if vim.g.loaded_abridge then return end
vim.g.loaded_abridge = true
require("abridge.nvim.command").create()
