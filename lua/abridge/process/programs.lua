--- Where a program is that tools start.

local host = require "abridge.base.host"

local M = {}

--- The whole path of a program. Folders of PATH that are relative are passed over: programs run inside folders that a
--- model may have written to, and what lies there must not be run.
---@param name string
---@return string|nil path nil too without luv
function M.find(name)
  local uv = host.uv()
  for dir in (uv and os.getenv "PATH" or ""):gmatch "[^:]+" do
    local path = dir:sub(1, 1) == "/" and dir .. "/" .. name
    local stat = path and uv.fs_stat(path)
    if stat and stat.type == "file" and uv.fs_access(path, "X") then return path end
  end
  return nil
end

return M
