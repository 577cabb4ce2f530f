--- Messages of adapters to the user: why something failed, in one line, once. Needs nothing but Lua.

local check = require "abridge.base.check"

local M = {}

--- Tell the user something: a notification inside Neovim, else a line on stderr. Never raises.
---@param message string
function M.notify(message)
  message = "abridge: " .. message
  local editor = rawget(_G, "vim")
  local ok = editor and pcall(editor.schedule, function()
    editor.notify(message, editor.log.levels.WARN)
  end)
  if not ok then pcall(io.stderr.write, io.stderr, message .. "\n") end
end

--- The message about a crude cut.
---@param tool string
---@param reason string
---@return string
function M.crude_cut(tool, reason)
  return ("the output of %s was cut crudely: %s"):format(tool, reason)
end

--- Why something failed, in one line, the same each time; for a missing core with the command to run.
---@param why any the error of pcall
---@return string
function M.reason(why)
  local first, second = check.message(why):gsub("^abridge: ", ""):match "^([^\n]*)\n?([^\n]*)"
  return first:find ":$" and first .. " " .. second or first
end

local told = {} -- reasons that were told already

--- Tell the user why an output was cut crudely, each reason once.
---@param tool string
---@param why any
function M.crude(tool, why)
  local reason = M.reason(why)
  if told[reason] then return end
  told[reason] = true
  M.notify(M.crude_cut(tool, reason))
end

return M
