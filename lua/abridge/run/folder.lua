--- The places of runs, the files in their folders, and the lines of their logs.

local files = require "abridge.base.files"
local host = require "abridge.base.host"
local system = require "abridge.base.system"

local M = {}

--- The names that a run's folder may have; no other name is ever deleted.
M.LOG = "events.jsonl"
M.LOCK = "lock" -- held in place of the log by a run without one
M.ARTIFACTS = "artifacts"
M.ARTIFACT = "^%d%d%d%d+%-[A-Za-z0-9_-]+%.log$"
--- Names of folders that we make in the state directory.
M.FRESH = "^%d+T%d+%.%d+Z%-%d+%-%d+$"

--- libuv and JSON, or nil, message, code. Windows has no runs.
---@return table|nil uv
---@return abridge.host.Json|string json the message when there is no uv
---@return string|nil code
function M.libraries()
  if system.is_windows() then return nil, system.UNSUPPORTED, system.ENOTSUP end
  local uv, message, code = host.uv()
  if not uv then return nil, message, code end
  local json
  json, message, code = host.json()
  if not json then return nil, message, code end
  return uv, json
end

--- The event on a line of a log; nil if it isn't one. An event is found and counted by its type, `call_id` and `tool`:
--- other values than strings are left out there. Any other field may be anything.
---@param json abridge.host.Json
---@param line string
---@return table|nil
function M.decoded(json, line)
  local ok, event = pcall(json.decode, line)
  if not (ok and type(event) == "table" and type(event.type) == "string") then return nil end
  for _, key in ipairs { "call_id", "tool" } do
    if type(event[key]) ~= "string" then event[key] = nil end
  end
  return event
end

--- The folder for runs without one of their own. Needs luv.
---@return string path
function M.state_dir()
  local function set(name)
    local value = os.getenv(name)
    return value ~= "" and value or nil
  end
  local own, state = set "ABRIDGE_STATE_DIR", set "XDG_STATE_HOME"
  if own then return files.absolute(own) end
  if not (state and state:sub(1, 1) == "/") then
    state = (set "HOME" or host.uv().os_homedir() or "") .. "/.local/state" -- an empty container may have no homes
  end
  return files.absolute(state) .. "/abridge/runs"
end

local folders_named = 0

--- A new path in the state directory, named so that retention knows it as ours. Needs libuv.
---@return string
function M.fresh_path()
  local uv = host.uv()
  local parent = M.state_dir()
  local path
  repeat
    local seconds, microseconds = uv.gettimeofday()
    folders_named = folders_named + 1
    local time = os.date("!%Y%m%dT%H%M%S", seconds)
    local name = ("%s.%06dZ-%d-%d"):format(time, microseconds, uv.os_getpid(), folders_named)
    path = parent .. "/" .. name
  until not uv.fs_lstat(path)
  return path
end

--- The newest run with a log in the user's state directory, of this process if it has one; nil when there is none.
--- Needs libuv.
---@return string|nil dir
function M.newest()
  local parent, own, newest = M.state_dir(), ("%%-%d%%-%%d+$"):format(host.uv().os_getpid()), nil
  local names = files.names_in(parent)
  for i = #names, 1, -1 do -- names begin with the time
    local dir = parent .. "/" .. names[i]
    if names[i]:find(M.FRESH) and host.uv().fs_stat(dir .. "/" .. M.LOG) then
      if names[i]:find(own) then return dir end
      newest = newest or dir
    end
  end
  return newest
end

--- The path that a log gives the full output of a cut: relative to its folder. Nil if none was kept.
---@param cut table
---@return string|nil
function M.kept_as(cut)
  local name = (cut.full_output_path or ""):match "[^/]+$"
  return name and M.ARTIFACTS .. "/" .. name
end

return M
