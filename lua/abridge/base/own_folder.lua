--- The folder that these Lua files came in.

local system = require "abridge.base.system"

local M = {}

local function is_there(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

--- The folder of the checkout, or of the plugin without its sources; nil among the files of an installed rock.
---@return string|nil folder
---@return boolean has_sources `make` works there
function M.find()
  local source = debug.getinfo(1, "S").source
  if system.is_windows() then source = source:gsub("\\", "/") end
  local dir = source:match "^@(.*)lua/abridge/base/own_folder%.lua$"
  local has_sources = dir ~= nil and is_there(dir .. "Makefile")
  if not has_sources and not (dir and is_there(dir .. "plugin/abridge.lua")) then return nil, false end
  return dir == "" and "." or dir:match "^(.*)/$", has_sources
end

return M
