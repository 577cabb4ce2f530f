--- The plugins that adapters are for: themselves, from the folder of checkouts that ABRIDGE_PLUGINS names, in a Neovim
--- that they run in; stand-ins elsewhere. Both are driven in the same way.

local host = require "abridge.base.host"

local M = {}

local vim = rawget(_G, "vim")

--- What each needs beside itself, by the names of their repositories.
local CHECKOUTS = {
  codecompanion = { "codecompanion.nvim", "plenary.nvim" },
  avante = { "avante.nvim", "plenary.nvim", "nui.nvim" },
  mcphub = { "mcphub.nvim", "plenary.nvim", "avante.nvim", "nui.nvim", "codecompanion.nvim" },
  flemma = { "flemma.nvim", "plenary.nvim" },
  copilotchat = { "CopilotChat.nvim", "plenary.nvim" },
}

--- The folder of checkouts, where it counts.
---@return string|nil
function M.folder()
  local folder = os.getenv "ABRIDGE_PLUGINS"
  local counts = folder and folder ~= "" and host.in_nvim and vim.fn.has "nvim-0.11" == 1
  return counts and vim.fn.fnamemodify(folder, ":p"):gsub("/$", "") or nil
end

--- The checkout of a repository; nil where stand-ins are to be used. Raises where it is missing.
---@param repository string
---@return string|nil
function M.checkout(repository)
  local folder = M.folder()
  if not folder then return nil end
  local path = folder .. "/" .. repository
  if vim.fn.isdirectory(path .. "/lua") == 0 then
    error(("ABRIDGE_PLUGINS=%s: there is no checkout %s"):format(folder, repository), 0)
  end
  return path
end

--- The driver of the plugin itself; nil where its stand-in is to be used. Raises where a checkout is missing.
---@param name string
---@return table|nil
function M.real(name)
  if not M.folder() then return nil end
  for _, repository in ipairs(CHECKOUTS[name]) do
    vim.opt.runtimepath:append(M.checkout(repository))
  end
  return require("support.plugins." .. name)
end

--- The driver of the plugin, or of its stand-in.
---@param name string
---@return table
function M.driver(name)
  return M.real(name) or require("support.standins." .. name)
end

--- Both drivers, the stand-in first, the plugin's where it is there: what a stand-in is held against.
---@param name string
---@return table<string, table>
function M.both(name)
  return { ["the stand-in of " .. name] = require("support.standins." .. name), [name] = M.real(name) }
end

--- All that the user was told, in one text.
---@param plugin table what a driver of CodeCompanion installed
---@return string
function M.problems(plugin)
  local all = {}
  for _, entry in ipairs(plugin.notified) do
    all[#all + 1] = entry.message
  end
  return table.concat(all, "\n")
end

return M
