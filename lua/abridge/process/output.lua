--- The output of a process: its pipes, read as it arrives; chunks are handed on in order, no faster than the handlers
--- take them.

local host = require "abridge.base.host"
local inbox = require "abridge.base.inbox"
local pipes = require "abridge.process.pipes"

local M = {}

local MOST_WAITING = 1024 * 1024 -- bytes read and not yet handed on; at this many no more is read
local FEW = 4 * 1024 -- bytes; a reader that takes fewer has emptied the pipe
local MOST_DRAINED = 2 * 1024 * 1024 -- bytes, twice the limit on an unprivileged process's pipe

--- The events of an output.
---@class (exact) abridge.process.OutputEvents
---@field on_end fun() a pipe is at its end, or cannot be read
---@field on_problem fun(message: string) reading failed
---@field on_raised fun(raised: any) a handler raised

---@class abridge.process.Output
---@field inbox abridge.Inbox events of the loop about this process, those of the pipes among them
---@field private pipes abridge.Pipe[] one, or stdout and stderr
---@field private events abridge.process.OutputEvents
---@field private waiting integer bytes on their way to the handlers
---@field private held boolean|nil
---@field private finishing boolean|nil events no longer count
local Output = {}
Output.__index = Output

--- Open the pipes for a process that is about to start.
---@param uv table
---@param merge boolean stderr goes into stdout's pipe
---@param handlers abridge.process.Handlers
---@param events abridge.process.OutputEvents
---@return abridge.process.Output|nil
---@return string|nil message
---@return string|nil code
function M.open(uv, merge, handlers, events)
  local self = setmetatable({ pipes = {}, events = events, waiting = 0 }, Output)
  for i = 1, merge and 1 or 2 do
    local read = i == 1 and handlers.read_output or nil
    local on_chunk = i == 2 and handlers.on_stderr or i == 1 and not read and handlers.on_output or nil
    local pipe, message, code = pipes.open(uv, on_chunk, read)
    if not pipe then
      self:close_write_ends()
      self:close()
      return nil, message, code
    end
    self.pipes[i] = pipe
  end
  self.inbox = inbox.new(function()
    self:read_on()
  end)
  return self
end

--- The descriptors that a child writes to.
---@return integer stdout
---@return integer stderr
function Output:write_fds()
  return self.pipes[1].write_fd, self.pipes[#self.pipes].write_fd
end

--- Close our copies of the child's ends of the pipes.
function Output:close_write_ends()
  for _, pipe in ipairs(self.pipes) do
    pipe:close_write_end()
  end
end

--- Close the pipes that are not closed yet.
---@param on_closed? fun() called for each of them, later
---@return integer count of them
function Output:close(on_closed)
  local count = 0
  for _, pipe in ipairs(self.pipes) do
    if not pipe.closed then
      count = count + 1
      pipe:close(on_closed)
    end
  end
  return count
end

--- Whether more may come.
---@return boolean
function Output:is_open()
  for _, pipe in ipairs(self.pipes) do
    if pipe.open then return true end
  end
  return false
end

-- Handing on ---------------------------------------------------------------------

--- The error of a handler must not reach the loop: luv would end the host.
---@param pipe abridge.Pipe
---@param chunk string
function Output:deliver(pipe, chunk)
  if pipe.on_chunk then
    local ok, raised = pcall(pipe.on_chunk, chunk)
    if not ok then self.events.on_raised(raised) end
  end
end

--- Hand on as much of a chunk as a step may take, and puts the rest back.
---@param pipe abridge.Pipe
---@param chunk string
---@param at integer
function Output:hand_on(pipe, chunk, at)
  local piece = at == 1 and #chunk <= pipe.pace.size and chunk or chunk:sub(at, at + pipe.pace.size - 1)
  local next_at = at + #piece
  self.waiting = self.waiting - #piece
  if next_at <= #chunk then self.inbox:put_back(function()
    self:hand_on(pipe, chunk, next_at)
  end) end
  local from = host.now()
  self:deliver(pipe, piece)
  pipe.pace:took(#piece, host.now() - from)
end

--- Take a chunk that was read; stop reading when too much waits.
---@param pipe abridge.Pipe
---@param chunk string
function Output:receive(pipe, chunk)
  self.waiting = self.waiting + #chunk
  self.inbox:put(function()
    self:hand_on(pipe, chunk, 1)
  end)
  if self.waiting >= MOST_WAITING then self:stop_reading(pipe) end
end

--- Read a pipe once, a step at most, and hand that on. Bytes that a reader has no memory for are lost, and reported; a
--- reader that raises is not called again, and later output is dropped.
---@param pipe abridge.Pipe
---@return "empty"|"end"|"failed"|nil
---@return string|integer|nil problem; or, if there may be more, how many bytes were taken
function Output:take(pipe)
  local from = host.now()
  local ok, state, what, code = pcall(pipe.take, pipe, pipe.pace.size)
  if not ok then
    self.events.on_raised(state)
    pipe.read = nil
    return nil, 0
  elseif state == "failed" and code == "ENOMEM" then
    self.events.on_problem(tostring(what))
    return nil, pipe.pace.size
  elseif state then
    return state, state == "failed" and (code or tostring(what)) or nil -- the code, as the loop tells it
  end
  local bytes = what or 0 -- interrupted
  if type(what) == "string" then
    self:deliver(pipe, what)
    bytes = #what
  end
  pipe.pace:took(bytes, host.now() - from)
  return nil, bytes
end

-- Reading ------------------------------------------------------------------------

--- Stop reading a pipe until it is resumed.
---@param pipe abridge.Pipe
function Output:stop_reading(pipe)
  if pipe.open and not self.finishing then
    pipe:stop()
    pipe.stopped = true
  end
end

--- Have the reader of a pipe take its bytes, a step at a time; while reading is stopped, they stay in the pipe.
---@param pipe abridge.Pipe
function Output:let_read(pipe)
  self:stop_reading(pipe) -- until everything was read
  local function step()
    if not pipe.open or self.finishing or self.held then return end
    local asked = math.min(pipe.pace.size, FEW)
    local state, what = self:take(pipe)
    if not state and what >= asked then
      self.inbox:put(step)
    elseif state == "end" or state == "failed" then
      self:end_of(pipe, what)
    end -- else it is empty now
  end
  self.inbox:put(step)
end

--- Read a pipe as output arrives.
---@param pipe abridge.Pipe
function Output:read_pipe(pipe)
  pipe.stopped = false
  local ok, message = pipe:start(function(err, chunk)
    if chunk == true then
      return self:let_read(pipe)
    elseif chunk then
      return self:receive(pipe, chunk)
    end
    self.inbox:put(function()
      self:end_of(pipe, err)
    end)
  end)
  if not ok then self:end_of(pipe, message) end
end

--- Close the reading end of a pipe that cannot be read: its writers would wait for ever.
---@param pipe abridge.Pipe
---@param problem string|nil
function Output:end_of(pipe, problem)
  if pipe.open and not self.finishing then
    if problem then self.events.on_problem(problem) end
    pipe.open, pipe.closed = false, problem ~= nil
    pipe:stop()
    if pipe.closed then pipe:close() end
    self.events.on_end()
  end
end

--- Reads, from now on.
function Output:start()
  for _, pipe in ipairs(self.pipes) do
    self:read_pipe(pipe)
  end
end

--- Resume the pipes that were stopped, once everything was handed on.
function Output:read_on()
  for _, pipe in ipairs(self.pipes) do
    if pipe.open and pipe.stopped and not (self.finishing or self.held) then self:read_pipe(pipe) end
  end
end

--- Read no more until `release`. A little that was read may still come.
function Output:hold()
  self.held = true
  for _, pipe in ipairs(self.pipes) do
    self:stop_reading(pipe)
  end
end

--- Is a pipe not being read now? Its writer may be waiting for us.
---@return boolean
function Output:is_behind()
  for _, pipe in ipairs(self.pipes) do
    if pipe.open and pipe.stopped then return true end
  end
  return self.held == true or self.waiting > 0
end

--- Read on.
function Output:release()
  self.held = false
  if self.waiting == 0 then self:read_on() end
end

-- The end ------------------------------------------------------------------------

--- Empty the pipes now, a step at a time, without the loop, which may have stood still meanwhile.
---@param i integer the pipe
---@param left integer bytes to read of it at most
---@param done fun()
function Output:drain(i, left, done)
  local pipe = self.pipes[i]
  if not pipe then return done() end
  local more = false
  if pipe.open then
    local state, what = self:take(pipe)
    if state == "end" then
      pipe.open = false
    elseif state == "failed" then
      self.events.on_problem(what)
    elseif not state then
      left = left - what
      more = left > 0
    end -- else it is empty, and held by someone
  end
  self.inbox:put(function()
    self:drain(more and i or i + 1, more and left or MOST_DRAINED, done)
  end)
end

--- Hand on all that waits and all that is in the pipes. After that nothing is read and no end reported.
---@param done fun()
function Output:finish(done)
  for _, pipe in ipairs(self.pipes) do
    self:stop_reading(pipe)
  end
  self.finishing = true
  self.inbox:put(function()
    self:drain(1, MOST_DRAINED, done)
  end)
end

return M
