--- Environment variables, changed for the duration of a call.

local host = require "abridge.base.host"

local M = {}

--- Set some, and unset those that are false.
local function set(changes)
  local uv = host.uv()
  for name, value in pairs(changes) do
    if value then
      uv.os_setenv(name, value)
    else
      uv.os_unsetenv(name)
    end
  end
end

--- Call `fn` with variables set, or unset where the value is false, and put them back; returns what `fn` returns.
---@param changes table<string, string|false>
function M.with(changes, fn)
  local saved = {}
  for name in pairs(changes) do
    saved[name] = host.uv().os_getenv(name) or false
  end
  set(changes)
  local got = { pcall(fn) }
  set(saved)
  if not got[1] then error(got[2], 0) end
  return (table.unpack or unpack)(got, 2, 5)
end

return M
