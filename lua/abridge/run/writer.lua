--- The writer of a run: its folder, its log and the place of its full outputs.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local plain_data = require "abridge.base.plain_data"
local strings = require "abridge.base.strings"
local slices = require "abridge.base.time_slices"
local sentences = require "abridge.output.sentences"
local folder = require "abridge.run.folder"

local M = {}

local LOG, LOCK, ARTIFACTS = folder.LOG, folder.LOCK, folder.ARTIFACTS

local CREATE = {
  retention = function(value)
    return require("abridge.run.retention").check(value)
  end,
}

local MOST_NAME = 1024 -- bytes of a name in an event that replaces one the log cannot hold

---@class abridge.RunWriter
---@field dir? string the run's folder; nil while there is none
---@field keeps boolean false when nothing is ever written
---@field error? string the first failure to write the log
---@field private log? userdata
---@field private lock? userdata
---@field private wants_log? boolean keep a log, in a fresh folder that is made with the first event
---@field private unlogged? string why the wanted log is not kept
---@field private users? table<table, true> of a shared writer
---@field seq integer number of the last event, those of earlier sessions in this folder included
---@field calls integer number of the last call, likewise
---@field private kept table<string, table> full outputs by call id, for a run without a log
local Writer = {}
Writer.__index = Writer
Writer.__name = "abridge.RunWriter"

--- The form a run_dir should have, or nil when this one is right.
---@param value any
---@return string|nil expected
function M.check_run_dir(value)
  if value == nil or value == false then return nil end
  if type(value) == "string" and value ~= "" and not value:find("\0", 1, true) then return nil end
  return "a path or false"
end

--- The number of the last event and of the last call in a folder. A call's number is at least the one in its id, if we
--- made that, and in the names of full outputs: numbers of lost events are not used again.
local function numbers_of(json, dir)
  local lines, calls, most, last = 0, 0, 0, nil
  local function note(digits)
    if digits and #digits <= 15 then most = math.max(most, tonumber(digits)) end
  end
  local function pass_over(_, first)
    lines = lines + (first and 1 or 0)
  end
  local position, message, code = files.each_line(dir .. "/" .. LOG, 0, function(line)
    lines, last = lines + 1, line
    -- inside a string the quotes would be escaped: few lines but calls are decoded
    local event = line:find('"type":"tool_call"', 1, true) and folder.decoded(json, line)
    if event and event.type == "tool_call" then
      calls = calls + 1
      note(tostring(event.call_id):match "^call%-(%d+)$")
    end
  end, pass_over)
  if not position then return nil, message, code end
  for _, name in ipairs(files.names_in(dir .. "/" .. ARTIFACTS)) do
    note(name:match "^(%d+)%-")
  end
  local event = last and folder.decoded(json, last)
  local seq = event and check.is_count(event.seq) and event.seq or 0
  return math.max(lines, seq), math.max(calls, most)
end

--- Delete old runs beside this one. Of thousands that takes a while: an editor, whose first command made this folder,
--- does it in slices, soon.
local function prune_beside(self)
  local real = self.retention and host.uv().fs_realpath(self.dir)
  if not real then return end
  local function prune(work)
    return require("abridge.run.retention").prune(real:match "^(.*/)", self.retention, real:match "[^/]*$", work)
  end
  if not (self.users and host.in_nvim) then return prune() end
  host.next_turn(function()
    slices.start(prune, function() end)
  end)
end

local TRIES = 5
local BUSY_MS, BUSY_TRIES = 5, 20 -- a process killed while it forks leaves its lock to the child for a moment

--- Make a folder private and open a log in it. Another session may be pruning an old run of that name right now:
--- vanished parts are made again.
local function open_log(uv, dir, name)
  local log, ok, message, code
  local busy, gone = 0, 0
  while gone < TRIES and busy < BUSY_TRIES do
    ok, message, code = core.private_folder(dir)
    if not ok then return nil, message, code end
    log, message, code = core.log(dir, name)
    if log and uv.fs_lstat(dir .. "/" .. name) then return log end
    if log then log:close() end
    if code and code ~= "ENOENT" and code ~= "EBUSY" then break end
    if code == "EBUSY" then
      busy = busy + 1
      uv.sleep(BUSY_MS)
    else
      gone = gone + 1
    end
  end
  if code == "EBUSY" then message = "Another session writes the run " .. sentences.path(dir) end
  return nil, message or "The run is being deleted: " .. sentences.path(dir), code or "ENOENT"
end

--- What to do about a folder that is not private: our own, made by `mkdir`, is just too open.
local function how_to_make_private(uv, dir)
  local stat = uv.fs_lstat(dir)
  if not (stat and stat.type == "directory" and stat.uid == uv.getuid()) then return "" end
  return ("; chmod 700 %s makes it so"):format(sentences.quoted(dir))
end

--- Open the folder of a run that keeps a log.
local function open_folder(self, run_dir)
  local uv, json, code = folder.libraries()
  if not uv then return nil, json, code end
  local dir = files.absolute(run_dir)
  local log, message
  log, message, code = open_log(uv, dir, LOG)
  if not log and code == "EPERM" then message = message .. how_to_make_private(uv, dir) end
  if not log then return nil, message, code end
  local seq, calls
  seq, calls, code = numbers_of(json, dir)
  if not seq then
    log:close()
    return nil, calls, code
  end
  self.dir, self.log, self.json, self.seq, self.calls = dir, log, json, seq, calls
  prune_beside(self)
  return self
end

--- Make the writer of a run. Raises on misuse, at the level of the caller's caller.
---@param who string the public function, for messages
---@param run_dir string|false|nil a folder, made at once, with a log; nil: a fresh one in the user's state directory
---  when the first full output has to be kept, no log; false: nothing is ever written
---@param opts? { retention: abridge.Retention|nil }
---@return abridge.RunWriter|nil writer
---@return string|nil message
---@return string|nil code EBUSY when another writer has the folder, EPERM when it is not private
function M.create(who, run_dir, opts)
  opts = check.options(who, opts, CREATE, 2)
  local expected = M.check_run_dir(run_dir)
  if expected then check.fail(("%s: run_dir must be %s, got %s"):format(who, expected, check.show(run_dir)), 1) end
  local self = setmetatable({ seq = 0, calls = 0, begun = 0, kept = {} }, Writer)
  self.index, self.keeps = core.index(), run_dir ~= false
  self.retention = opts.retention
  if not run_dir then return self end
  return open_folder(self, run_dir)
end

--- Keep a log too, in the fresh folder of a run that was given no folder.
function Writer:keep_log()
  self.wants_log = true
end

local of_process ---@type abridge.RunWriter|nil

--- The writer that all users in this process share, with a log, in a fresh folder of the state directory that is made
--- with the first event. It closes when the last of them has closed it, and the next one gets a new folder.
---@param user table
---@param keep abridge.Retention
---@return abridge.RunWriter
function M.shared(user, keep)
  if not of_process or of_process.closed then
    of_process = M.create("abridge.session", nil, { retention = keep })
    of_process:keep_log()
    of_process.users = setmetatable({}, { __mode = "k" })
  end
  of_process.users[user] = true
  return of_process
end

--- The folder with the log; nil if there is none, or none yet.
---@return string|nil
function Writer:log_dir()
  return self.json and self.dir
end

--- Open the wanted log. If that fails, the run goes on without.
local function open_wanted(self)
  if not self.wants_log or self.closed then return end
  self.wants_log = nil
  local ok, message = self:planned_dir()
  if ok then
    ok, message = open_folder(self, self.dir)
  end
  if not ok then
    self.unlogged, self.error = message, message
  end
end

local function now()
  local uv = host.uv()
  if not uv then return os.time() end
  local seconds, microseconds = uv.gettimeofday()
  return seconds + math.floor(microseconds / 1000) / 1000
end

--- An event as a line of the log, always valid UTF-8; and the problem, if JSON cannot hold it as it is.
local function line_of(json, event)
  local ok, text = pcall(json.encode, event)
  if not ok then
    ok, text = pcall(json.encode, plain_data.copy(event, true))
  end
  local problem = not ok and tostring(text) or nil
  text = ok and strings.valid(text) or ""
  if #text > files.LINE then problem = sentences.message("log_line", { size = core.format_size(files.LINE) }) end
  if problem then
    local little = { type = event.type, seq = event.seq, time = event.time, log_error = problem }
    little.call_id, little.tool = tostring(event.call_id):sub(1, MOST_NAME), tostring(event.tool):sub(1, MOST_NAME)
    text = strings.valid(json.encode(little))
  end
  return text .. "\n", problem
end

--- Number and date an event, which is changed in place, and append it to the log, if there is one. Never raises.
---@param event table plain data
---@return true|nil ok
---@return string|nil message
function Writer:event(event)
  open_wanted(self)
  self.seq = self.seq + 1
  event.seq, event.time = self.seq, now()
  if event.type == "tool_call" then
    self.calls, self.begun = self.calls + 1, math.max(self.begun - 1, 0)
  end
  if not self.json then
    if self.keeps and event.call_id and event.full_output then self.kept[event.call_id] = event.full_output end
    if self.unlogged then return nil, self.unlogged end
    return true
  end
  local ok, message
  if self.log then
    local line, problem = line_of(self.json, event)
    ok, message = self.log:append(line)
    if ok and problem then
      ok, message = nil, problem
    end
  else
    message = "the log is closed"
  end
  if ok then return true end
  self.error = self.error or message
  return nil, message
end

--- A number for a call whose event will follow.
---@return integer
function Writer:begin_call()
  self.begun = self.begun + 1
  return self.calls + self.begun
end

--- The name of a call's full output.
---@param number integer of the call
---@param tool string
---@return string
function Writer.artifact_name(_, number, tool)
  return files.output_name(number, tool)
end

--- The folder that `artifact_dir` makes, without making it; nil when nothing is ever written.
---@return string|nil path
---@return string|nil message
---@return string|nil code
function Writer:planned_dir()
  if not self.keeps then return nil end
  if not self.dir then
    local uv, message, code = host.uv()
    if not uv then return nil, message, code end
    self.dir = folder.fresh_path()
  end
  return self.dir .. "/" .. ARTIFACTS
end

--- The folder of the full outputs, made private; nil without a message when nothing is ever written.
---@return string|nil path
---@return string|nil message
---@return string|nil code
function Writer:artifact_dir()
  if self.closed then return nil, "The run is closed", "EBADF" end
  open_wanted(self)
  local path, message, code = self:planned_dir()
  if not path then return nil, message, code end
  local fresh = not self.log and not self.lock
  if fresh then -- before the folder looks like a run: one that is not locked may be pruned
    self.lock, message, code = open_log(host.uv(), self.dir, LOCK)
    if not self.lock then return nil, message, code end
  end
  local ok
  ok, message, code = core.private_folder(path)
  if not ok then return nil, message, code end
  if fresh then prune_beside(self) end
  return path
end

--- A page of the full output of a call of this run; see `Run:full_output`. A run without a log has only those that were
--- kept.
function Writer:full_output(call_id, opts)
  opts = require("abridge.run.artifact").check("session:full_output", call_id, opts)
  if self.json then
    if not self.reader then
      local run, message, code = require("abridge.run.reader").open(self.dir)
      if not run then return nil, message, code end
      self.reader = run
    end
    return self.reader:full_output(call_id, opts)
  end
  local kept = self.kept[call_id]
  if not kept or not kept.path then return nil, "No full output is kept of call " .. call_id, "ENOENT" end
  return require("abridge.run.reader").kept_page(self, { call_id = call_id, full_output = kept }, opts)
end

--- Let go of the folder. Idempotent.
---@param user? table of a shared writer, which the others go on using
function Writer:close(user)
  if self.users and user then self.users[user] = nil end
  if self.users and next(self.users) ~= nil then return end
  self.closed = true
  for _, name in ipairs { "log", "lock" } do
    if self[name] then self[name]:close() end
    self[name] = nil
  end
end

return M
