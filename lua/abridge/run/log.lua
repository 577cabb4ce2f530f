--- The folder of a run: its log (`events.jsonl`) and full outputs (`artifacts/`), its writer and its readers.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local plain_data = require "abridge.base.plain_data"
local strings = require "abridge.base.strings"
local fit = require "abridge.output.fit"
local sentences = require "abridge.output.sentences"
local artifact = require "abridge.run.artifact"
local retention = require "abridge.run.retention"

local M = {}

local LOG, LOCK, ARTIFACTS = retention.LOG, retention.LOCK, retention.ARTIFACTS

local MOST_NAME = 1024 -- bytes of a name in an event that replaces one the log cannot hold

M.check_retention = retention.check
M.prune = retention.prune

--- libuv and JSON, or nil, message, code.
local function libraries()
  local uv, message, code = host.uv()
  if not uv then return nil, message, code end
  local json
  json, message, code = host.json()
  if not json then return nil, message, code end
  return uv, json
end

--- The event on a line; nil if it is none.
local function decoded(json, line)
  local ok, event = pcall(json.decode, line)
  return ok and type(event) == "table" and type(event.type) == "string" and event or nil
end

-- full outputs -----------------------------------------------------------------------

--- The file that holds a call's full output.
local function kept_path(self, event)
  local name = tostring(event.full_output.path):match("^" .. ARTIFACTS .. "/(.*)$")
  if not (name and name:find(retention.ARTIFACT)) then return nil, "The log names no file of this run", "EINVAL" end
  local folder = self.dir .. "/" .. ARTIFACTS
  local path = folder .. "/" .. name
  for place, kind in pairs { [folder] = "directory", [path] = "file" } do -- what we wrote there was no link
    local stat = host.uv().fs_lstat(place)
    if stat and stat.type ~= kind then return nil, "Not of this run: " .. sentences.path(place), "EPERM" end
  end
  return path
end

--- What a call shows of its output: the content without exit line and notice, which are never part of a full output.
---@param event table the call's `tool_result`
---@return string
function M.shown_text(event)
  local content = type(event.content) == "string" and event.content or ""
  local block, cut = event.truncation, event.cut
  if type(cut) == "table" and cut.total_bytes == 0 then return "" end -- words in place of nothing
  local bytes = type(block) == "table" and check.is_count(block.bytes_returned) and block.bytes_returned or #content
  local body, exit, said = content:sub(1, bytes), event.exit_line, event.notice
  local trailer = fit.trailer(body, type(exit) == "string" and exit or nil, type(said) == "string" and said or nil)
  return content:sub(#body + 1) == trailer and body or content
end

--- What to say of a full output that was pruned.
local function pruned(event, path)
  return ("The full output of %s is gone: %s"):format(event.call_id, sentences.path(path))
end

--- Why a full output is not whole.
local function problem_of(kept)
  return type(kept.error) == "string" and kept.error or nil
end

--- A page of the file that holds a call's full output.
local function kept_page(self, event, opts)
  local path, message, problem = kept_path(self, event)
  if not path then return nil, message, problem end
  local content, info, code = artifact.file_page(path, opts, self.index)
  if content then
    info.full_output_error = problem_of(event.full_output)
  elseif code == "ENOENT" then
    info = pruned(event, path)
  end
  return content, info, code
end

-- writing ------------------------------------------------------------------------

---@class abridge.RunWriter
---@field dir? string the run's folder; nil while there is none
---@field keeps boolean false when nothing is ever written
---@field error? string the first failure to write the log
---@field private log? userdata
---@field private lock? userdata
---@field private wants_log? boolean keep a log, in a fresh folder that is made with the first event
---@field private unlogged? string why the wanted log is not kept
---@field private seq integer
---@field private calls integer
---@field private kept table<string, table> full outputs by call id, for a run without a log
local Writer = {}
Writer.__index = Writer
Writer.__name = "abridge.RunWriter"

--- What a run_dir should have been, or nil when it is right.
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
    local event = line:find('"type":"tool_call"', 1, true) and decoded(json, line)
    if event and event.type == "tool_call" then
      calls = calls + 1
      note(tostring(event.call_id):match "^call%-(%d+)$")
    end
  end, pass_over)
  if not position then return nil, message, code end
  for _, name in ipairs(files.names_in(dir .. "/" .. ARTIFACTS)) do
    note(name:match "^(%d+)%-")
  end
  local event = last and decoded(json, last)
  local seq = event and check.is_count(event.seq) and event.seq or 0
  return math.max(lines, seq), math.max(calls, most)
end

local function prune_beside(self)
  local real = self.retention and host.uv().fs_realpath(self.dir)
  if real then M.prune(real:match "^(.*/)", self.retention, real:match "[^/]*$") end
end

local TRIES = 5
local BUSY_MS, BUSY_TRIES = 5, 20 -- a process killed while it forks leaves its lock to the child for a moment

--- Make a folder private and open a log in it. Another session may be pruning an old run of that name right now: what
--- vanishes is made again.
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
  local stat, self = uv.fs_lstat(dir), uv.fs_stat "/proc/self"
  local uid = uv.getuid and uv.getuid() or self and self.uid
  if not (stat and stat.type == "directory" and stat.uid == uid) then return "" end
  return ("; chmod 700 %s makes it so"):format(sentences.quoted(dir))
end

--- Open the folder of a run that keeps a log.
local function open_folder(self, run_dir)
  local uv, json, code = libraries()
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
  opts = check.options(who, opts, { retention = M.check_retention }, 2)
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
  if ok then ok, message = open_folder(self, self.dir) end
  if not ok then self.unlogged, self.error = message, message end
end

local function now()
  local uv = host.uv()
  if not uv then return os.time() end
  local seconds, microseconds = uv.gettimeofday()
  return seconds + math.floor(microseconds / 1000) / 1000
end

--- An event as a line of the log, always valid UTF-8; and what was wrong, if JSON cannot hold it as it is.
local function line_of(json, event)
  local ok, text = pcall(json.encode, event)
  if not ok then ok, text = pcall(json.encode, plain_data.copy(event, true)) end
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
    if ok and problem then ok, message = nil, problem end
  else
    message = "the log is closed"
  end
  if ok then return true end
  self.error = self.error or message
  return nil, message
end

--- The number of the last event, those of an earlier session in this folder included.
---@return integer
function Writer:last_seq()
  return self.seq
end

--- The number of the last call, those of an earlier session in this folder included.
---@return integer
function Writer:last_call()
  return self.calls
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

--- Where runs without a folder of their own go. Needs luv.
---@return string path
function M.state_dir()
  local function set(name)
    local value = os.getenv(name)
    return value ~= "" and value or nil
  end
  local own, state = set "ABRIDGE_STATE_DIR", set "XDG_STATE_HOME"
  if own then return files.absolute(own) end
  if not (state and state:sub(1, 1) == "/") then state = (set "HOME" or host.uv().os_homedir()) .. "/.local/state" end
  return files.absolute(state) .. "/abridge/runs"
end

local folders_named = 0

--- A path in the state directory where nothing exists yet, named so that retention knows it for ours. Needs libuv.
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

--- The folder that `artifact_dir` makes, without making it; nil when nothing is ever written.
---@return string|nil path
---@return string|nil message
---@return string|nil code
function Writer:planned_dir()
  if not self.keeps then return nil end
  if not self.dir then
    local uv, message, code = host.uv()
    if not uv then return nil, message, code end
    self.dir = M.fresh_path()
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
  opts = artifact.check("session:full_output", call_id, opts)
  if self.json then
    if not self.reader then
      local run, message, code = M.open_run(self.dir)
      if not run then return nil, message, code end
      self.reader = run
    end
    return self.reader:full_output(call_id, opts)
  end
  local kept = self.kept[call_id]
  if not kept or not kept.path then return nil, "No full output is kept of call " .. call_id, "ENOENT" end
  return kept_page(self, { call_id = call_id, full_output = kept }, opts)
end

--- Let go of the folder. Idempotent.
function Writer:close()
  self.closed = true
  for _, name in ipairs { "log", "lock" } do
    if self[name] then self[name]:close() end
    self[name] = nil
  end
end

-- reading ------------------------------------------------------------------------

---@class abridge.Run A run's folder, open to read; another process may be writing it.
---@field dir string
---@field broken integer lines that were no events, in the last read
---@field too_long integer lines that were skipped, in the last read
local Run = {}
Run.__index = Run
Run.__name = "abridge.Run"

--- The newest run with a log in the user's state directory, of this process if it has one; nil when there is none.
--- Needs libuv.
---@return string|nil dir
function M.newest()
  local parent, own, newest = M.state_dir(), ("%%-%d%%-%%d+$"):format(host.uv().os_getpid()), nil
  local names = files.names_in(parent)
  for i = #names, 1, -1 do -- names begin with the time
    local dir = parent .. "/" .. names[i]
    if names[i]:find(retention.FRESH) and host.uv().fs_stat(dir .. "/" .. LOG) then
      if names[i]:find(own) then return dir end
      newest = newest or dir
    end
  end
  return newest
end

--- Open the folder of a run to read it. A writer may be at work in it, or may have been killed.
---@param dir string
---@return abridge.Run|nil run
---@return string|nil message
---@return string|nil code ENOENT when there is no log in that folder
function M.open_run(dir)
  if type(dir) ~= "string" then
    check.fail("abridge.open_run: dir must be a string, got " .. check.show(dir))
  end
  local uv, json, code = libraries()
  if not uv then return nil, json, code end
  if dir == "" or dir:find("\0", 1, true) then return nil, "No such run: " .. sentences.path(dir), "ENOENT" end
  local self = setmetatable({ dir = files.absolute(dir), json = json, broken = 0, too_long = 0 }, Run)
  self.index = core.index()
  local readable, message
  readable, message, code = files.with_open(self.dir .. "/" .. LOG, function() return true end)
  if readable then return self end
  if code ~= "ENOENT" and code ~= "ENOTDIR" then return nil, message, code end
  return nil, ("No run in %s: it has no %s"):format(sentences.path(dir), LOG), "ENOENT"
end

--- Call `visit(event, line, start)` with each event from a position on, its line and where that starts; it may return
--- false to stop.
---@param visit fun(event: table, line: string, start: integer): boolean|nil
---@param position? integer 0, or what this function returned before
---@param pause? fun(): boolean called with each block of a line that is skipped; false to stop there
---@return integer|nil position where the next event will start
---@return string|nil message
---@return string|nil code
function Run:each(visit, position, pause)
  if self.closed then return nil, "The run is closed", "EBADF" end
  self.broken, self.too_long = 0, 0
  return files.each_line(self.dir .. "/" .. LOG, position or 0, function(line, start)
    local event = decoded(self.json, line)
    if event then return visit(event, line, start) end
    self.broken = self.broken + 1
  end, function(_, first)
    self.too_long = self.too_long + (first and 1 or 0)
    return not pause or pause()
  end)
end

local FILTER = { tool = "string", type = "string", call_id = "string", since = check.count }

--- Check a filter of events; raises at the level of the caller of `who`.
---@param who string
---@param filter any
---@return abridge.EventFilter
function M.check_filter(who, filter)
  local checked = check.options(who, filter, FILTER, 2)
  return checked -- no tail call: the level of an error counts this function
end

---@class (exact) abridge.EventFilter
---@field tool? string
---@field type? "tool_call"|"tool_result"
---@field call_id? string
---@field since? integer events after the one with this seq

--- The events of the run, in order. A line that is being written is left out; `run.broken` counts lines that are no
--- events, `run.too_long` those of over 32 MB, which are skipped.
---@param filter? abridge.EventFilter
---@return table[]|nil events
---@return string|nil message
---@return string|nil code
function Run:events(filter)
  filter = M.check_filter("run:events", filter)
  local events = {}
  local position, message, code = self:each(function(event)
    for _, key in ipairs { "tool", "type", "call_id" } do
      if filter[key] and event[key] ~= filter[key] then return end
    end
    if filter.since and not (type(event.seq) == "number" and event.seq > filter.since) then return end
    events[#events + 1] = event
  end)
  if not position then return nil, message, code end
  return events
end

--- The last result of a call; nil, message, code when there is none.
local function result_event(self, call_id)
  local plain = call_id:find "^[%w_-]+$" and call_id -- as it is in JSON: other lines need not be decoded
  local known, result, long = false, nil, false
  local position, message, code = files.each_line(self.dir .. "/" .. LOG, 0, function(line)
    local event = not (plain and not line:find(plain, 1, true)) and decoded(self.json, line)
    if not event or event.call_id ~= call_id then return end
    known = true
    if event.type == "tool_result" then result = event end
  end, function()
    long = true
  end)
  if not position then return nil, message, code end
  if result then return result end
  if long then
    local values = { id = call_id, size = core.format_size(files.LINE) }
    return nil, sentences.message("log_long", values), known and "EAGAIN" or "ENOENT"
  end
  if known then return nil, ("Call %s has no result yet"):format(call_id), "EAGAIN" end
  return nil, "No such call: " .. call_id, "ENOENT"
end

--- A page of what a call would have shown without a budget, by default as much as read_file shows. Follow `next_offset`
--- and `next_column`: pages joined by a newline, or by nothing after a page with a `next_column`, rebuild it.
---@param call_id string
---@param opts? abridge.PageOptions
---@return string|nil content
---@return abridge.PageInfo|string|nil info the message when there is no content
---@return string|nil code ENOENT (no such call, or its file was pruned), EAGAIN (not done yet), EOFFSET, ECOLUMN
function Run:full_output(call_id, opts)
  opts = artifact.check("run:full_output", call_id, opts)
  if self.closed then return nil, "The run is closed", "EBADF" end
  local event, message, code = result_event(self, call_id)
  if not event then return nil, message, code end
  local kept = type(event.full_output) == "table" and event.full_output or {}
  if kept.path then return kept_page(self, event, opts) end
  local content, info
  content, info, code = artifact.text_page(M.shown_text(event), opts)
  local block = event.truncation
  if content and type(block) == "table" and block.truncated then
    info.full_output_error = problem_of(kept) or "the full output was not kept"
  end
  return content, info, code
end

--- Open the file that holds the full output of a call, to read it by blocks.
---@param event table the call's `tool_result`, with a `full_output`
---@return integer|nil fd the caller's to close
---@return table|string stat the message when there is no fd
---@return string|nil code ENOENT when the file was pruned, EINVAL when the log names no file of this run, EPERM when
---  it is a link
function Run:open_output(event)
  local path, message, problem = kept_path(self, event)
  if not path then return nil, message, problem end
  local fd, stat, code = files.open(path)
  if not fd and code == "ENOENT" then stat = pruned(event, path) end
  return fd, stat, code
end

--- Let go of the run. Idempotent.
function Run:close()
  self.closed = true
end

return M
