--- Child processes, for every tool that needs one.
---
--- A process runs in a group of its own with stdin from /dev/null, hands on its output as it comes and
--- ends exactly once, with every handle closed. Nothing here blocks: `host.wait` turns the loop.
---
--- A process ends when its leader (the program that was started) has exited and the output is at its
--- end. A background child may keep the output open; it gets `linger` seconds and is then left alone.

local files = require "abridge.files"
local host = require "abridge.host"
local inbox = require "abridge.inbox"
local pipes_of = require "abridge.pipe"

local M = {}

local READ_SIZE = 65536
local MOST_WAITING = 1024 * 1024 -- bytes that were read and not yet handed on; then no more is read
local MOST_READ = 1024 * 1024 -- bytes that a reader takes in a turn of the loop
local DRAIN_READS = 32 -- 2 MiB, twice what an unprivileged process may make of a pipe
local POLL_MS = 25 -- how often a group is looked at that outlives its leader; the kernel sends no event
local GIVE_UP_MS = 5000 -- after KILL; a process in uninterruptible sleep, or another user's, may stay
local LATE_MS = 50 -- a timeout that fires later than this says that the loop stood still

---Codes that `spawn` returns itself; all others are libuv's (`ENOENT`, `EACCES`, `EMFILE`, ...).
---@enum abridge.process.Code
M.codes = {
  EINVAL = "EINVAL", -- an argument or the folder holds a NUL byte
  ENOLUV = host.codes.ENOLUV, -- no libuv binding, or one too old
}

---@class (exact) abridge.process.Options
---@field cwd? string Folder to run in; the host's own when nil.
---@field env? table<string, string|false> Changes to the host's environment; false removes a name.
---@field merge_stderr? boolean stdout and stderr in one pipe, in the order written. Default true.
---@field timeout? number Seconds until the process is stopped; no limit when nil.
---@field grace? number Seconds between TERM and KILL. Default 2.
---@field linger? number Seconds for a background child to close the output. Default 0.25.

---What a handler raises is kept in `outcome.handler_error`. Inside Neovim handlers run in its main loop.
---@class (exact) abridge.process.Handlers
---@field on_output? fun(chunk: string) What was written to stdout, and to stderr where merged.
---@field read_output? abridge.PipeReader Reads that from the pipe itself, in place of `on_output`.
---@field on_stderr? fun(chunk: string) What was written to stderr, with `merge_stderr = false`.
---@field on_exit? fun(outcome: abridge.process.Outcome) Called once, after all else, handles closed.

---@class (exact) abridge.process.Outcome
---@field code? integer Exit code; nil when a signal ended the leader, or nothing did.
---@field signal? string Name of that signal without SIG (`"KILL"`), or its number as a string.
---@field signal_number? integer
---@field timed_out boolean
---@field cancelled boolean
---@field background boolean A child still held the output when the process was done with.
---@field error? string Reading failed, or the process could not be killed.
---@field handler_error? any The first thing that a handler raised.
---@field duration_ms integer From spawn to the exit of the leader.

---@class abridge.process.Process
---@field pid integer Of the leader, and the number of the group.
---@field outcome? abridge.process.Outcome Nil until the process is done.
local Process = {}
Process.__index = Process

-- Arguments ------------------------------------------------------------------

local OPTIONS = {
  cwd = "string",
  env = "table",
  merge_stderr = "boolean",
  timeout = "number",
  grace = "number",
  linger = "number",
}

local HANDLERS = {
  on_output = "function",
  read_output = "function",
  on_stderr = "function",
  on_exit = "function",
}

---@param value any
---@return string
local function show(value)
  return type(value) == "string" and ("%q"):format(value) or tostring(value)
end

---@param s string
---@return boolean
local function has_nul(s)
  return s:find("\0", 1, true) ~= nil
end

---@param given any
---@param kinds table<string, string>
---@param what string
---@return table
local function check_table(given, kinds, what)
  if given == nil then
    return {}
  elseif type(given) ~= "table" then
    error(("spawn: %s must be a table, got %s"):format(what, show(given)), 4)
  end
  for key, value in pairs(given) do
    if not kinds[key] then
      error(("spawn: unknown key %s in %s"):format(show(key), what), 4)
    elseif type(value) ~= kinds[key] then
      error(("spawn: %s.%s must be a %s, got %s"):format(what, key, kinds[key], show(value)), 4)
    end
  end
  return given
end

---@param env table
local function check_env(env)
  for name, value in pairs(env) do
    if type(name) ~= "string" or name == "" or name:find("=", 1, true) or has_nul(name) then
      error(("spawn: opts.env has the bad name %s"):format(show(name)), 4)
    elseif value ~= false and (type(value) ~= "string" or has_nul(value)) then
      error(("spawn: opts.env.%s must be a string without NUL, or false, got %s"):format(name, show(value)), 4)
    end
  end
end

---@param opts abridge.process.Options
local function check_seconds(opts)
  for _, key in ipairs { "timeout", "grace", "linger" } do
    local value = opts[key]
    local least = key == "timeout" and "> 0" or ">= 0"
    if value and not (value < math.huge and (value > 0 or (value == 0 and key ~= "timeout"))) then
      error(("spawn: opts.%s must be a finite number %s, got %s"):format(key, least, show(value)), 4)
    end
  end
end

---Raises on misuse, at the level of the caller of `spawn`.
local function check(argv, opts, handlers)
  if type(argv) ~= "table" or #argv == 0 then
    error(("spawn: argv must be an array of at least one string, got %s"):format(show(argv)), 3)
  end
  for i = 1, #argv do
    if type(argv[i]) ~= "string" then
      error(("spawn: argv[%d] must be a string, got %s"):format(i, show(argv[i])), 3)
    end
  end
  opts = check_table(opts, OPTIONS, "opts")
  check_env(opts.env or {})
  check_seconds(opts)
  return opts, check_table(handlers, HANDLERS, "handlers")
end

---NUL bytes are the world's fault, not the caller's: arguments and folders may come from a model.
---@param argv string[]
---@param cwd string|nil
---@return string|nil message
local function find_nul(argv, cwd)
  for i, argument in ipairs(argv) do
    if has_nul(argument) then
      return ("argument %d contains a NUL byte"):format(i - 1)
    end
  end
  return cwd and has_nul(cwd) and "the working directory contains a NUL byte" or nil
end

---@param uv table
---@param changes table<string, string|false>|nil
---@return string[]|nil list nil inherits
local function merged_env(uv, changes)
  if not changes then
    return nil
  end
  local env = uv.os_environ()
  for name, value in pairs(changes) do
    env[name] = value or nil
  end
  local list = {}
  for name, value in pairs(env) do
    list[#list + 1] = name .. "=" .. value
  end
  table.sort(list) -- the child sees the same order on every host
  return list
end

-- Signals --------------------------------------------------------------------

local ALIASES = { SIGIOT = true, SIGPOLL = true, SIGCLD = true, SIGLOST = true }
local UNLISTED = { [7] = "EMT", [29] = "INFO" } -- macOS has these where Linux has BUS and IO

---@param uv table
---@param number integer
---@return string
local function signal_name(uv, number)
  for name, value in pairs(uv.constants) do
    if value == number and name:find("^SIG%u") and not ALIASES[name] then
      return name:sub(4)
    end
  end
  return UNLISTED[number] or tostring(number)
end

---Signals the whole group. Safe after the leader was reaped as long as the group has members: its
---number is not given away before; without members the call fails and nothing happens.
---@param signal string|integer
---@return boolean sent
---@return string|nil message
function Process:_signal(signal)
  local ok, message = self._uv.kill(-self.pid, signal)
  if not ok and not self._exited then
    -- macOS refuses a group in which a zombie is left.
    ok, message = self._uv.kill(self.pid, signal)
  end
  return ok == 0, message
end

-- Pipes ------------------------------------------------------------------------

---Closes our copies of what the child writes to, or, with `all`, everything.
---@param pipes abridge.Pipe[]
---@param all? boolean
local function close_ends(pipes, all)
  for _, pipe in ipairs(pipes) do
    pipe:close_write_end()
    if all then
      pipe:close()
    end
  end
end

---@param pipe abridge.Pipe
---@param chunk string
function Process:_deliver(pipe, chunk)
  if pipe.on_chunk then
    self:_guard(pipe.on_chunk, chunk)
  end
end

---@param pipe abridge.Pipe
---@param chunk string
function Process:_receive(pipe, chunk)
  self._waiting = self._waiting + #chunk
  self._inbox:put(function()
    self._waiting = self._waiting - #chunk
    self:_deliver(pipe, chunk)
  end)
  if self._waiting >= MOST_WAITING then
    self:_stop_reading(pipe)
  end
end

---@param pipe abridge.Pipe
function Process:_stop_reading(pipe)
  if pipe.open and not self._finishing then
    pipe:stop()
    pipe.stopped = true
  end
end

---Has the reader of a pipe take what there is, unless it is not to be read now: then it stays in the pipe.
---@param pipe abridge.Pipe
function Process:_let_read(pipe)
  if host.in_fast_event() then
    self:_stop_reading(pipe) -- until the main loop has read
  end
  self._inbox:put(function()
    if not pipe.open or self._finishing or self._held then
      return
    end
    local state, problem = self:_take(pipe, MOST_READ)
    if state == "end" or state == "failed" then
      self:_end_of(pipe, problem)
    end
  end)
end

---@param pipe abridge.Pipe
function Process:_read(pipe)
  pipe.stopped = false
  local ok, message = pipe:start(function(err, chunk)
    if chunk == true then
      return self:_let_read(pipe)
    elseif chunk then
      return self:_receive(pipe, chunk)
    end
    self._inbox:put(function()
      self:_end_of(pipe, err)
    end)
  end)
  if not ok then
    self:_end_of(pipe, message)
  end
end

---Goes on reading what was stopped, when all was handed on.
function Process:_read_on()
  for _, pipe in ipairs(self._pipes) do
    if pipe.open and pipe.stopped and not (self._finishing or self._held) then
      self:_read(pipe)
    end
  end
end

---Reads no more until `release`, for a handler that cannot keep up. A little that was read may still come.
function Process:hold()
  self._held = true
  for _, pipe in ipairs(self._pipes) do
    self:_stop_reading(pipe)
  end
end

---Reads on.
function Process:release()
  self._held = false
  if self._waiting == 0 then
    self:_read_on()
  end
end

---Of a pipe that cannot be read the reading end is closed: who writes there would wait for ever.
---@param pipe abridge.Pipe
---@param problem string|nil
function Process:_end_of(pipe, problem)
  if pipe.open and not self._finishing then
    self._error = self._error or problem
    pipe.open, pipe.closed = false, problem ~= nil
    pipe:stop()
    if pipe.closed then
      pipe:close()
    end
    self:_settle()
  end
end

---Takes out of a pipe once, and hands it on. What a reader could not keep for want of memory is lost, and told; one
---that raises is not asked again: what comes after that is dropped.
---@param pipe abridge.Pipe
---@param most integer bytes
---@return "empty"|"end"|"failed"|nil
---@return string|nil problem
function Process:_take(pipe, most)
  local ok, state, what, code = pcall(pipe.take, pipe, most)
  if not ok then
    self:_raised(state)
    pipe.read = nil
  elseif state == "failed" then
    if code ~= "ENOMEM" then
      return "failed", code or tostring(what) -- the code, as the loop tells it
    end
    self._error = self._error or tostring(what)
    return nil
  elseif not state and what then
    self:_deliver(pipe, what)
  end
  return ok and state or nil
end

---Reads what lies in the pipe now, past the loop, which may have stood still while it was written.
---@param pipe abridge.Pipe
function Process:_drain(pipe)
  pipe:stop()
  for _ = 1, DRAIN_READS do
    local state, problem = self:_take(pipe, READ_SIZE)
    if state == "end" then
      pipe.open = false
      return
    elseif state then
      self._error = self._error or problem -- or it is empty, and held by someone
      return
    end
  end
end

---@return boolean
function Process:_output_open()
  for _, pipe in ipairs(self._pipes) do
    if pipe.open then
      return true
    end
  end
  return false
end

-- Life ---------------------------------------------------------------------------

---@param raised any
function Process:_raised(raised)
  if self._handler_error == nil then
    self._handler_error = raised == nil and "nil" or raised
    if self.outcome then
      self.outcome.handler_error = self._handler_error
    end
  end
end

---Calls a handler; what it raises must not reach the loop, where luv would end the host.
---@param handler fun(...)
function Process:_guard(handler, ...)
  local ok, raised = pcall(handler, ...)
  if not ok then
    self:_raised(raised)
  end
end

---One timer serves all phases, one after the other.
---@param ms number
---@param fire fun()
function Process:_arm(ms, fire)
  local uv = self._uv
  self._phase = fire
  uv.update_time() -- the loop's clock stands still between turns
  uv.timer_stop(self._timer)
  uv.timer_start(self._timer, math.ceil(math.min(ms, 2 ^ 52)), 0, function()
    self._inbox:put(function()
      if self._phase == fire and not self._finishing then
        fire()
      end
    end)
  end)
end

---The phase after an event: wait for more, linger, or finish. Once the leader is gone no timeout counts:
---each of the three takes the timer over.
function Process:_settle()
  if self._finishing or not self._exited then
    return
  end
  if self._stopping and not self._killed then
    -- The group has its grace also when the leader went first.
    self:_await_group()
  elseif self:_output_open() then
    if not self._lingering then
      self._lingering = true
      self:_arm(self._linger_ms, function()
        self:_finish()
      end)
    end
  else
    self:_finish()
  end
end

---Whether a process is a member of a group that lives, by its entry in /proc.
---@param pid string
---@param group integer
---@return boolean
local function lives_in(pid, group)
  local file = io.open("/proc/" .. pid .. "/stat")
  if not file then
    return false
  end
  local state, its_group = (file:read "*a" or ""):match "^.*%) (%a) %d+ (%d+)"
  file:close()
  return tonumber(its_group) == group and state ~= "Z"
end

---Whether a member of the group lives. A zombie does not: where the first process of a container reaps
---nothing it would stay for good, and every cancelled command would take the whole grace.
---@return boolean
function Process:_group_lives()
  if not self:_signal(0) then
    return false
  elseif self._member and lives_in(self._member, self.pid) then
    return true -- the one that was found before
  end
  local names = files.names_in "/proc"
  for _, name in ipairs(names) do
    if name:find "^%d" and lives_in(name, self.pid) then
      self._member = name
      return true
    end
  end
  return #names == 0 -- macOS has no /proc, and the signal fails for zombies
end

---After TERM, the leader gone: give the rest of the group its time.
function Process:_await_group()
  local left = self._kill_at - host.now()
  if left <= 0 or not self:_group_lives() then
    self:_kill()
  else
    self:_arm(math.min(left, POLL_MS), function()
      self:_await_group()
    end)
  end
end

function Process:_kill()
  self._killed = true
  local sent, message = self:_signal("sigkill")
  if self._exited then
    return self:_settle()
  end
  self:_arm(GIVE_UP_MS, function()
    self._error = self._error
      or ("process %d could not be killed%s"):format(self.pid, sent and "" or (": " .. tostring(message)))
    self:_finish()
  end)
end

---@param why "timed_out"|"cancelled"
function Process:_stop(why)
  self._stopping = why
  self._lingering = false
  self:_signal("sigterm")
  self._kill_at = host.now() + self._grace_ms
  self:_arm(self._grace_ms, function()
    self:_kill()
  end)
  self:_settle()
end

---@param seconds number
function Process:_start_timeout(seconds)
  local due = host.now() + seconds * 1000
  self:_arm(seconds * 1000, function()
    if host.now() - due <= LATE_MS then
      return self:_stop("timed_out")
    end
    -- The loop stood still: the process may have ended long ago. Let the loop hear of it first.
    self:_arm(POLL_MS, function()
      self:_stop("timed_out")
    end)
  end)
end

---@param code integer
---@param signal integer
---@param at number when, by `host.now()`
function Process:_on_leader_exit(code, signal, at)
  self._exited = true
  self._exit_at = at
  if signal ~= 0 then
    self._signal_number = signal
  else
    self._code = code
  end
  self:_settle()
end

---@return abridge.process.Outcome
function Process:_make_outcome()
  local number = self._signal_number
  return {
    code = self._code,
    signal = number and signal_name(self._uv, number),
    signal_number = number,
    timed_out = self._stopping == "timed_out",
    cancelled = self._stopping == "cancelled",
    background = self._exited and self:_output_open(),
    error = self._error,
    handler_error = self._handler_error,
    duration_ms = math.floor((self._exit_at or host.now()) - self._started_at + 0.5),
  }
end

---@param outcome abridge.process.Outcome
function Process:_end(outcome)
  self.outcome = outcome
  if self._on_exit then
    self:_guard(self._on_exit, outcome)
  end
end

---Closes everything, then reports.
function Process:_finish()
  self._finishing = true
  self._inbox:flush()
  for _, pipe in ipairs(self._pipes) do
    if pipe.open then
      self:_drain(pipe)
    end
  end
  local outcome = self:_make_outcome()

  local left = 2
  local function on_closed()
    left = left - 1
    if left == 0 then
      host.on_main(function()
        self:_end(outcome)
      end)
    end
  end
  for _, pipe in ipairs(self._pipes) do
    if not pipe.closed then
      left = left + 1
      pipe:close(on_closed)
    end
  end
  self._uv.close(self._timer, on_closed)
  self._uv.close(self._handle, on_closed)
end

---Stops the process: TERM to the group, KILL after the grace. The outcome comes through `on_exit`.
---No effect on a process that is done, or being stopped.
---@return boolean stopping whether there was something to stop
function Process:cancel()
  if self._finishing or self._stopping or self._cancelled then
    return false
  end
  self._cancelled = true
  host.on_main(function()
    if not (self._finishing or self._stopping) then
      self:_stop("cancelled")
    end
  end)
  return true
end

---Whether the outcome is there; `on_exit` is called right then.
---@return boolean
function Process:is_done()
  return self.outcome ~= nil
end

-- Spawning -----------------------------------------------------------------------

---@param uv table
---@param argv string[]
---@param cwd string|nil
---@param message string
---@return string
local function explain(uv, argv, cwd, message)
  -- libuv says ENOENT for the folder as for the program.
  local stat = cwd and uv.fs_stat(cwd)
  if cwd and not (stat and stat.type == "directory") then
    return ("cannot run in %s: %s"):format(cwd, message)
  end
  return ("cannot run %s: %s"):format(argv[1], message)
end

---@param uv table
---@param merge boolean
---@param handlers abridge.process.Handlers
---@return abridge.Pipe[]|nil
---@return string|nil message
---@return string|nil code
local function open_pipes(uv, merge, handlers)
  local pipes = {}
  for i = 1, merge and 1 or 2 do
    local read = i == 1 and handlers.read_output or nil
    local on_chunk = i == 2 and handlers.on_stderr or i == 1 and not read and handlers.on_output or nil
    local pipe, message, code = pipes_of.open(uv, on_chunk, read)
    if not pipe then
      close_ends(pipes, true)
      return nil, message, code
    end
    pipes[i] = pipe
  end
  return pipes
end

---Starts a program.
---
---`argv[1]` is looked up on the PATH; no shell is involved. The outcome comes through `on_exit`, or
---stands in `process.outcome` once `process:is_done()`. The loop has to run: `host.wait(fn, seconds)`.
---
---A program or folder that is not there, a NUL byte in an argument, too many open files: `nil,
---message, code`. Misuse raises.
---@param argv string[]
---@param opts? abridge.process.Options
---@param handlers? abridge.process.Handlers
---@return abridge.process.Process|nil process
---@return string|nil message
---@return string|nil code
function M.spawn(argv, opts, handlers)
  opts, handlers = check(argv, opts, handlers)
  local nul = find_nul(argv, opts.cwd)
  if nul then
    return nil, nul, M.codes.EINVAL
  end
  local uv, message, code = host.uv()
  if not uv then
    return nil, message, code
  elseif not uv.pipe then
    return nil, "luv is too old: version 1.41 or newer is needed", M.codes.ENOLUV
  end

  local pipes
  pipes, message, code = open_pipes(uv, opts.merge_stderr ~= false, handlers)
  if not pipes then
    host.pump()
    return nil, ("cannot run %s: %s"):format(argv[1], tostring(message)), code
  end

  local self = setmetatable({
    _uv = uv,
    _pipes = pipes,
    _on_exit = handlers.on_exit,
    _grace_ms = (opts.grace or 2) * 1000,
    _linger_ms = (opts.linger or 0.25) * 1000,
    _started_at = host.now(),
    _exited = false,
    _waiting = 0, -- bytes on their way to the handlers
  }, Process)
  self._inbox = inbox.new(function()
    self:_read_on()
  end)

  local arguments = {} -- by hand: unpack has a limit of some thousands on some hosts
  for i = 2, #argv do
    arguments[i - 1] = argv[i]
  end
  local handle, pid
  handle, pid, code = uv.spawn(argv[1], {
    args = arguments,
    cwd = opts.cwd,
    env = merged_env(uv, opts.env),
    -- No stdin entry: libuv opens /dev/null there.
    stdio = { nil, pipes[1].write_fd, pipes[#pipes].write_fd },
    detached = true, -- setsid: a group and session of its own
  }, function(exit_code, signal)
    local at = host.now()
    self._inbox:put(function()
      self:_on_leader_exit(exit_code, signal, at)
    end)
  end)
  close_ends(pipes, not handle)
  if not handle then
    message = explain(uv, argv, opts.cwd, tostring(pid))
    host.pump()
    return nil, message, code
  end

  self._handle, self.pid = handle, pid
  self._timer = uv.new_timer()
  if opts.timeout then
    self:_start_timeout(opts.timeout)
  end
  for _, pipe in ipairs(pipes) do
    self:_read(pipe)
  end
  return self
end

return M
