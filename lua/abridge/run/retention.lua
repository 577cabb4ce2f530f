--- Deleting old runs: which folders are our runs, and which of those are too old or over budget.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local slices = require "abridge.base.time_slices"
local folder = require "abridge.run.folder"

local M = {}

---@class (exact) abridge.Retention
---@field max_bytes? integer|string of all runs in one folder
---@field max_age? number|string seconds, or an age such as "30m", "12h", "7d"

local SECONDS = { s = 1, m = 60, h = 3600, d = 86400, w = 604800 }

--- An age as a number of seconds, or nil.
local function parse_age(value)
  if type(value) == "number" then return value >= 0 and value < math.huge and value or nil end
  if type(value) ~= "string" then return nil end
  local digits, unit = value:match "^(%d+%.?%d*)([smhdw])$"
  return digits and tonumber(digits) * SECONDS[unit]
end

local KINDS = {
  { "max_bytes", core.parse_size, 'a size such as "1GB"' },
  { "max_age", parse_age, 'a number of seconds or an age such as "30m", "12h" or "7d"' },
}
local KNOWN = { max_bytes = true, max_age = true }

--- The form a retention should have, or nil when this one is right.
---@param value any
---@return string|nil expected
function M.check(value)
  if type(value) ~= "table" then return "a table" end
  for _, kind in ipairs(KINDS) do
    local key, is_right, expected = kind[1], kind[2], kind[3]
    local inner = rawget(value, key)
    if inner ~= nil and not is_right(inner) then
      return ("a table whose %s is %s (not %s)"):format(key, expected, check.show(inner))
    end
  end
  for key, inner in next, value do
    if not KNOWN[key] then
      return ("a table without the key %s (value %s)"):format(check.name(key), check.show(inner))
    end
  end
end

-- runs -------------------------------------------------------------------------------

--- A regular file of a run.
---@return { name: string, bytes: integer, time: number }|nil
local function file_in(run_path, name)
  local stat = host.uv().fs_lstat(run_path .. "/" .. name)
  if not stat or stat.type ~= "file" then return nil end
  return { name = name, bytes = stat.size, time = stat.mtime.sec + stat.mtime.nsec / 1e9 }
end

local function is_private_folder(path)
  local uv = host.uv()
  local stat = uv.fs_lstat(path)
  return stat ~= nil and stat.type == "directory" and stat.uid == uv.getuid() and stat.mode % 64 == 0
end

--- Is a log ours? Its first line tells; an empty one has nothing to lose.
local function is_log(path, file)
  local json = host.json()
  local ours = file.bytes == 0
  files.each_line(path, 0, function(line)
    local ok, event = pcall(json.decode, line)
    ours = ok and type(event) == "table" and event.type and event.seq and event.time and event.call_id and true or false
    return false
  end, function()
    return false
  end)
  return ours
end

--- The run in a folder, with the files that we put there; nil if it is not ours.
local function run_in(parent, name)
  local path = parent .. name
  if not is_private_folder(path) then return nil end
  local log, lock = file_in(path, folder.LOG), file_in(path, folder.LOCK)
  local has_artifacts = is_private_folder(path .. "/" .. folder.ARTIFACTS)
  if log then
    if not is_log(path .. "/" .. folder.LOG, log) then return nil end
  elseif host.uv().fs_lstat(path .. "/" .. folder.LOG) or not (name:find(folder.FRESH) and (lock or has_artifacts)) then
    return nil
  end

  local run = { path = path, name = name, log = log, lock = lock, outputs = {}, bytes = 0, time = 0 }
  local function count(file)
    run.bytes, run.time = run.bytes + file.bytes, math.max(run.time, file.time)
  end
  for _, output in ipairs(has_artifacts and files.names_in(path .. "/" .. folder.ARTIFACTS) or {}) do
    local file = output:find(folder.ARTIFACT) and file_in(path, folder.ARTIFACTS .. "/" .. output)
    if file then
      run.outputs[#run.outputs + 1] = file
      count(file)
    end
  end
  if lock then count(lock) end
  if log then count(log) end
  return run
end

local function older(a, b)
  if a.time ~= b.time then return a.time < b.time end
  return a.name < b.name
end

--- Delete a file. One of 200 MB takes 20 ms: work that pauses has it done by a thread.
---@return boolean|nil deleted
local function unlink(path, work)
  local uv = host.uv()
  if work == slices.at_once then return uv.fs_unlink(path) end
  local err = work:await(function(done)
    uv.fs_unlink(path, done)
  end)
  return not err
end

--- Delete a run unless a session has it. Files of others stay, and so does their folder.
---@return boolean removed everything that we put there is gone
local function remove(run, work)
  local uv = host.uv()
  local held = {}
  local free = true
  for _, file in ipairs { run.log or false, run.lock or false } do
    local log = file and free and core.log(run.path, file.name, true)
    held[#held + 1] = log or nil
    free = free and (not file or log ~= nil)
  end
  if free then
    for _, file in ipairs(run.outputs) do
      free = unlink(run.path .. "/" .. file.name, work) and free
    end
    uv.fs_rmdir(run.path .. "/" .. folder.ARTIFACTS)
    -- last: a half-deleted run is still a run
    for _, file in ipairs { run.lock or false, run.log or false } do
      free = free and (not file or unlink(run.path .. "/" .. file.name, work))
    end
    uv.fs_rmdir(run.path)
  end
  for _, log in ipairs(held) do
    log:close()
  end
  return free and true or false
end

--- Delete the oldest runs in a folder until they fit; a run is as old as its newest file. Runs that a
--- session has, and folders that are not ours, are left alone; symbolic links are not followed. When nothing else is
--- left to delete, the oldest full outputs of the caller's own run go.
---@param parent string
---@param retention abridge.Retention
---@param own? string name of the run that the caller has locked
---@param work? abridge.Work pauses between runs; in one go unless given
---@return integer removed runs and full outputs
function M.prune(parent, retention, own, work)
  local uv = host.uv()
  work = work or slices.at_once
  if not (uv and host.json()) then return 0 end
  parent = parent:gsub("/*$", "/", 1)
  local max_bytes = retention.max_bytes and core.parse_size(retention.max_bytes) or math.huge
  local seconds, microseconds = uv.gettimeofday()
  local oldest = retention.max_age and seconds + microseconds / 1e6 - parse_age(retention.max_age) or -math.huge
  local total, removed = 0, 0
  local runs, own_outputs = {}, {}
  for _, name in ipairs(files.names_in(parent)) do
    local run = run_in(parent, name)
    if run then
      total = total + run.bytes
      if name == own then
        own_outputs = run.outputs
      else
        runs[#runs + 1] = run
      end
    end
    work:pause()
  end

  table.sort(runs, older)
  for _, run in ipairs(runs) do
    local too_much = total > max_bytes and run.bytes > 0
    if (too_much or run.time < oldest) and remove(run, work) then
      total, removed = total - run.bytes, removed + 1
    end
    work:pause()
  end
  table.sort(own_outputs, older)
  for _, file in ipairs(own_outputs) do
    local too_much = total > max_bytes
    if (too_much or file.time < oldest) and unlink(parent .. own .. "/" .. file.name, work) then
      total, removed = total - file.bytes, removed + 1
    end
  end
  return removed
end

return M
