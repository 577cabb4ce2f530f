--- Child processes, for every tool that needs one.
---
--- A process runs in a group of its own with stdin from /dev/null, hands on its output as it arrives and
--- ends exactly once, with every handle closed. Nothing here blocks: `host.wait` turns the loop.
---
--- A process ends when its leader (the program that was started) has exited and its output has ended. A background
--- child may keep the output open; it gets `linger` seconds and is then left alone.

local host = require "abridge.base.host"
local system = require "abridge.base.system"
local slices = require "abridge.base.time_slices"
local args = require "abridge.process.args"
local group = require "abridge.process.group"
local outputs = require "abridge.process.output"
local programs = require "abridge.process.programs"

local M = {}

local POLL_MS = 25 -- how often to look at a group that outlives its leader; the kernel sends no event
local GIVE_UP_MS = 5000 -- after KILL; a process in uninterruptible sleep, or another user's, may stay
local LOOK_MS = 250 -- how often to look at a process that must not stall
local LATE_MS = 50 -- a timeout that fires later than this means that the loop stood still

--- Codes that `spawn` returns itself; all others are libuv's (`ENOENT`, `EACCES`, `EMFILE`, ...).
---@enum abridge.process.Code
M.codes = {
  EINVAL = "EINVAL", -- an argument or the folder holds a NUL byte
  ENOLUV = host.codes.ENOLUV, -- no libuv binding, or one too old
}

---@class (exact) abridge.process.Options
---@field cwd? string folder to run in; the host's own when nil
---@field env? table<string, string|false> changes to the host's environment; false removes a name
---@field merge_stderr? boolean stdout and stderr in one pipe, in the order written; true unless set
---@field timeout? number seconds until the process is stopped; no limit when nil
---@field stall? number seconds after which a process that neither works nor waits for us is stopped; needs /proc
---@field grace? number seconds between TERM and KILL; 2 unless set
---@field linger? number seconds for a background child to close the output; 0.25 unless set

--- The error of a handler is kept in `outcome.handler_error`. Inside Neovim handlers run in its main loop.
---@class (exact) abridge.process.Handlers
---@field on_output? fun(chunk: string) output on stdout, and on stderr if merged
---@field read_output? abridge.PipeReader reads it from the pipe itself, in place of `on_output`
---@field on_stderr? fun(chunk: string) output on stderr, with `merge_stderr = false`
---@field on_exit? fun(outcome: abridge.process.Outcome) called once, after all else, handles closed

---@class (exact) abridge.process.Outcome
---@field code? integer exit code; nil when a signal ended the leader, or nothing did
---@field signal? string name of that signal without SIG (`"KILL"`), or its number as a string
---@field signal_number? integer
---@field timed_out boolean
---@field cancelled boolean
---@field stalled? boolean stopped because it stalled
---@field background boolean a child still held the output when the process was done
---@field error? string reading failed, or the process could not be killed
---@field handler_error? any the first thing that a handler raised
---@field duration_ms integer from spawn to the exit of the leader

---@class abridge.process.Process
---@field pid integer of the leader, and the number of the group
---@field outcome? abridge.process.Outcome nil until the process is done
local Process = {}
Process.__index = Process

-- Life ---------------------------------------------------------------------------

--- Note the first thing that a handler raised.
---@param raised any
function Process:_raised(raised)
  if self._handler_error == nil then
    self._handler_error = raised == nil and "nil" or raised
    if self.outcome then self.outcome.handler_error = self._handler_error end
  end
end

--- One timer serves all phases, one after the other.
---@param ms number
---@param fire fun()
function Process:_arm(ms, fire)
  local uv = self._uv
  self._phase = fire
  uv.update_time() -- the loop's clock stands still between turns
  uv.timer_stop(self._timer)
  uv.timer_start(self._timer, math.ceil(math.min(ms, 2 ^ 52)), 0, function()
    self._inbox:put(function()
      if self._phase == fire and not self._finishing then fire() end
    end)
  end)
end

--- The phase after an event: wait for more, linger, or finish. Once the leader is gone no timeout counts:
--- each of the three takes the timer over.
function Process:_settle()
  if self._finishing or not self._exited then return end
  if self._stopping and not self._killed then
    -- The group has its grace also when the leader went first.
    self:_await_group()
  elseif self._output:is_open() then
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

--- After TERM, the leader gone: give the rest of the group its time.
function Process:_await_group()
  local left = self._kill_at - host.now()
  if left <= 0 or not self._group:lives() then
    self:_kill()
  else
    self:_arm(math.min(left, POLL_MS), function()
      self:_await_group()
    end)
  end
end

--- Kill the group; give up waiting if that does not end it.
function Process:_kill()
  self._killed = true
  local sent, message = self._group:signal "sigkill"
  if self._exited then return self:_settle() end
  self:_arm(GIVE_UP_MS, function()
    self._error = self._error
      or ("process %d could not be killed%s"):format(self.pid, sent and "" or (": " .. tostring(message)))
    self:_finish()
  end)
end

--- Send TERM to the group, and KILL after the grace.
---@param why "timed_out"|"cancelled"|"stalled"
function Process:_stop(why)
  self._stopping = why
  self._lingering = false
  self._group:signal "sigterm"
  self._kill_at = host.now() + self._grace_ms
  self:_arm(self._grace_ms, function()
    self:_kill()
  end)
  self:_settle()
end

--- Look at the process every now and then until its timeout. One that made progress, or was looked at late, gets its
--- full time again.
---@param due number when its timeout is, by `host.now()`
function Process:_look(due, seen, since)
  local left = due - host.now()
  if left <= LOOK_MS then return self:_start_timeout(math.max(left, 1) / 1000) end
  local next_look = host.now() + LOOK_MS
  self:_arm(LOOK_MS, function()
    local now, progress = host.now(), self._group:progress()
    local works = progress ~= seen or not progress or self._output:is_behind() or now - next_look > LATE_MS
    if not works and now - since >= self._stall_ms then return self:_stop "stalled" end
    self:_look(due, progress, works and now or since)
  end)
end

--- Stop the process after some seconds.
---@param seconds number
function Process:_start_timeout(seconds)
  local due = host.now() + seconds * 1000
  self:_arm(seconds * 1000, function()
    if host.now() - due <= LATE_MS then return self:_stop "timed_out" end
    -- The loop stood still: the process may have ended long ago. Let the loop hear of it first.
    self:_arm(POLL_MS, function()
      self:_stop "timed_out"
    end)
  end)
end

--- Note how and when the leader ended.
---@param code integer
---@param signal integer
---@param at number when, by `host.now()`
function Process:_on_leader_exit(code, signal, at)
  self._exited, self._group.leader_gone = true, true
  self._exit_at = at
  if signal ~= 0 then
    self._signal_number = signal
  else
    self._code = code
  end
  self:_settle()
end

--- The outcome, as far as it is known now.
---@return abridge.process.Outcome
function Process:_make_outcome()
  local number = self._signal_number
  return {
    code = self._code,
    signal = number and group.signal_name(number),
    signal_number = number,
    timed_out = self._stopping == "timed_out",
    cancelled = self._stopping == "cancelled",
    stalled = self._stopping == "stalled" or nil,
    background = self._exited and self._output:is_open(),
    error = self._error,
    handler_error = self._handler_error,
    duration_ms = math.floor((self._exit_at or host.now()) - self._started_at + 0.5),
  }
end

--- Report the outcome.
---@param outcome abridge.process.Outcome
function Process:_end(outcome)
  self.outcome = outcome
  if self._on_exit then
    local ok, raised = pcall(self._on_exit, outcome)
    if not ok then
      self:_raised(raised) -- must not reach the loop: luv would end the host
    end
  end
end

--- Hand on the last of the output, closes everything, then reports.
function Process:_finish()
  self._finishing = true
  self._output:finish(function()
    self:_close(self:_make_outcome())
  end)
end

--- Close every handle, then report.
---@param outcome abridge.process.Outcome
function Process:_close(outcome)
  local left = 2
  local function on_closed()
    left = left - 1
    if left > 0 then return end
    host.on_main(function()
      slices.within(function() -- the next step is long already: a result is made
        self:_end(outcome)
      end)
    end)
  end
  left = left + self._output:close(on_closed)
  self._uv.close(self._timer, on_closed)
  self._uv.close(self._handle, on_closed)
end

--- Stop the process: TERM to the group, KILL after the grace. The outcome comes through `on_exit`.
--- No effect on a process that is done, or being stopped.
---@return boolean stopping whether there was something to stop
function Process:cancel()
  if self._finishing or self._stopping or self._cancelled then return false end
  self._cancelled = true
  host.on_main(function()
    if not (self._finishing or self._stopping) then self:_stop "cancelled" end
  end)
  return true
end

--- Read no more until `release`, for a handler that cannot keep up. A little that was read may still come.
function Process:hold()
  self._output:hold()
end

--- Read on.
function Process:release()
  self._output:release()
end

--- Whether the outcome is there; `on_exit` is called right then.
---@return boolean
function Process:is_done()
  return self.outcome ~= nil
end

-- Spawning -----------------------------------------------------------------------

--- Start the timeout, and the look-out for a stall.
---@param opts abridge.process.Options
function Process:_watch(opts)
  if opts.stall then
    self._stall_ms = opts.stall * 1000
    self:_look(host.now() + (opts.timeout or math.huge) * 1000, nil, host.now())
  elseif opts.timeout then
    self:_start_timeout(opts.timeout)
  end
end

---@param argv string[]
---@param cwd string|nil
---@param message string
---@param code string|nil
---@return string
local function explain(uv, argv, cwd, message, code)
  -- libuv says ENOENT for the folder as for the program, and for /dev/null.
  local stat = cwd and uv.fs_stat(cwd)
  if cwd and not (stat and stat.type == "directory") then return ("cannot run in %s: %s"):format(cwd, message) end
  if code == "ENOENT" and not argv[1]:find("/", 1, true) and not programs.find(argv[1]) then
    message = "there is no such program on the PATH"
  elseif code == "ENOENT" and not uv.fs_stat "/dev/null" then
    message = "there is no /dev/null here"
  end
  return ("cannot run %s: %s"):format(argv[1], message)
end

--- Handlers of the output's events.
---@return abridge.process.OutputEvents
function Process:_output_events()
  return {
    on_end = function()
      self:_settle()
    end,
    on_problem = function(message)
      self._error = self._error or message
    end,
    on_raised = function(raised)
      self:_raised(raised)
    end,
  }
end

--- Have libuv start the program.
---@param argv string[]
---@param opts abridge.process.Options
---@return table|nil handle
---@return integer|string pid the message when there is no handle
---@return string|nil code
function Process:_run(argv, opts)
  local arguments = {} -- by hand: unpack has a limit of some thousands on some hosts
  for i = 2, #argv do
    arguments[i - 1] = argv[i]
  end
  local stdout, stderr = self._output:write_fds()
  return self._uv.spawn(argv[1], {
    args = arguments,
    cwd = opts.cwd,
    env = args.environment(self._uv, opts.env),
    stdio = { nil, stdout, stderr }, -- no stdin entry: libuv opens /dev/null there
    detached = true, -- setsid: a group and session of its own
  }, function(exit_code, signal)
    local at = host.now()
    self._inbox:put(function()
      self:_on_leader_exit(exit_code, signal, at)
    end)
  end)
end

--- Start a program.
---
--- `argv[1]` is looked up on the PATH; no shell is involved. The outcome comes through `on_exit`, or
--- stands in `process.outcome` once `process:is_done()`. The loop has to run: `host.wait(fn, seconds)`.
---
--- A program or folder that is not there, a NUL byte in an argument, too many open files, Windows:
--- `nil, message, code`. Misuse raises.
---@param argv string[]
---@param opts? abridge.process.Options
---@param handlers? abridge.process.Handlers
---@return abridge.process.Process|nil process
---@return string|nil message
---@return string|nil code
function M.spawn(argv, opts, handlers)
  argv, opts, handlers = args.checked(argv, opts, handlers)
  if system.is_windows() then return nil, system.UNSUPPORTED, system.ENOTSUP end
  local nul = args.find_nul(argv, opts.cwd)
  if nul then return nil, nul, M.codes.EINVAL end
  local uv, message, code = host.uv()
  if not uv then
    return nil, message, code
  elseif not uv.pipe then
    return nil, "luv is too old: version 1.41 or newer is needed", M.codes.ENOLUV
  end

  local self = setmetatable({
    _uv = uv,
    _on_exit = handlers.on_exit,
    _grace_ms = (opts.grace or 2) * 1000,
    _linger_ms = (opts.linger or 0.25) * 1000,
    _started_at = host.now(),
    _exited = false,
  }, Process)
  local output
  output, message, code = outputs.open(uv, opts.merge_stderr ~= false, handlers, self:_output_events())
  if not output then
    host.pump()
    return nil, ("cannot run %s: %s"):format(argv[1], tostring(message)), code
  end
  self._output, self._inbox = output, output.inbox

  local handle, pid
  handle, pid, code = self:_run(argv, opts)
  output:close_write_ends()
  if not handle then
    output:close()
    message = explain(uv, argv, opts.cwd, tostring(pid), code)
    host.pump()
    return nil, message, code
  end

  self._handle, self.pid, self._group = handle, pid, group.new(uv, pid)
  self._timer = uv.new_timer()
  self:_watch(opts)
  output:start()
  return self
end

return M
