--- Processes as Linux shows them in /proc. Elsewhere there is none, or one of another form; a core built without
--- Linux-only code keeps us from asking, too. Works without a core.

local files = require "abridge.base.files"

local M = {}

--- The text of a file there; nil if there is none.
---@param pid string|integer
---@param name "stat"|"io"
---@return string|nil
function M.read(pid, name)
  local core = package.loaded["abridge.core"]
  local file = not (core and rawget(core, "portable")) and io.open(("/proc/%s/%s"):format(pid, name))
  local text = file and file:read "*a"
  if file then file:close() end
  return text or nil
end

--- The processes there are; nil if Linux does not tell.
---@return string[]|nil
function M.pids()
  if not M.read("self", "stat") then return nil end -- FreeBSD's has other files, if any
  local pids = {}
  for _, name in ipairs(files.names_in "/proc") do
    if name:find "^%d" then pids[#pids + 1] = name end
  end
  return pids
end

return M
