--- The places of the programs that tools start.

local host = require "abridge.base.host"

local M = {}

--- The full path of a program. Relative folders in PATH are skipped: programs run inside folders that a model may have
--- written to, and nothing in those may be run.
---@param name string
---@return string|nil path also nil without luv
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
