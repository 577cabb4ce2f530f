--- Lines from stdin and lines to stdout, neither waited for: lines are kept until the caller, or the reader of stdout,
--- takes them. Reading stops while enough lines wait.

local host = require "abridge.base.host"
local lines = require "abridge.base.lines"
local queue = require "abridge.base.queue"

local M = {}

local CHUNK = 256 * 1024 -- bytes of a file at a time
local MOST_WAITING = 1024 * 1024 -- bytes of lines that wait; reading goes on below
local EPIPE = "EPIPE"

---@class abridge.cli.Wire
---@field ended boolean stdin is at its end
---@field unsent integer bytes that stdout has not taken
---@field failed? string why stdout or stdin is of no use
---@field closed? boolean stdout's reader has gone
---@field private look fun() called when there is something new
---@field private lines abridge.Lines made of its chunks
---@field private queue abridge.Queue of lines that wait, false for one that was too long
---@field private waiting integer bytes in them
local Wire = {}
Wire.__index = Wire

--- A stream of libuv for a descriptor; nil for a file.
local function stream_of(uv, fd)
  local kind = uv.guess_handle(fd)
  local handle
  if kind == "pipe" then
    handle = uv.new_pipe(false)
    uv.pipe_open(handle, fd)
  elseif kind == "tcp" then
    handle = uv.new_tcp()
    uv.tcp_open(handle, fd)
  end
  return handle
end

--- Lines of stdin and stdout. `look` is called in the event loop when lines have arrived, stdin has ended, stdout has
--- taken something or one of them has failed.
---@param most integer bytes of a line; a longer one is passed over, and told as false
---@param look fun()
---@return abridge.cli.Wire
function M.open(most, look)
  local uv = host.uv()
  local self = { ended = false, unsent = 0, look = look, lines = lines.new(most), queue = queue.new(), waiting = 0 }
  self.stdin, self.stdout = stream_of(uv, 0), stream_of(uv, 1)
  self.on_sigpipe = uv.new_signal()
  uv.signal_start(self.on_sigpipe, "sigpipe", function() end) -- a write fails then, and calls can be stopped
  uv.unref(self.on_sigpipe)
  setmetatable(self, Wire)
  self:read()
  return self
end

-- reading -------------------------------------------------------------------------------

--- A line is whole, or was too long.
function Wire:has_come(line)
  self.queue:push(line)
  self.waiting = self.waiting + (line and #line or 0)
end

--- Take the result of a read.
function Wire:took(message, chunk)
  if message then self.failed = self.failed or "stdin: " .. message end
  if chunk and chunk ~= "" then
    self.lines:feed(chunk, function(line)
      self:has_come(line)
    end)
    if self.waiting > MOST_WAITING then self:pause() end
  else
    local rest = self.lines:rest()
    if rest ~= "" then self:has_come(rest) end
    self.ended = true
    self:pause()
  end
  self.look()
end

--- Read on, unless it is read already, there is enough, or there is no more.
function Wire:read()
  if self.reading or self.ended or self.waiting > MOST_WAITING then return end
  local uv = host.uv()
  self.reading = true
  if self.stdin then
    uv.read_start(self.stdin, function(message, chunk)
      self:took(message, chunk)
    end)
    return
  end
  uv.fs_read(0, CHUNK, -1, function(message, chunk)
    self.reading = false
    self:took(message, chunk)
    self:read()
  end)
end

--- Stop reading; read() goes on.
function Wire:pause()
  if self.stdin and self.reading then
    host.uv().read_stop(self.stdin)
    self.reading = false
  end
end

--- Read no more at all; lines that wait are dropped.
function Wire:stop()
  self:pause()
  self.ended, self.queue, self.waiting = true, queue.new(), 0
end

--- The next line with its newline, false for one that was too long, or nil.
---@return string|false|nil
function Wire:next()
  local line = self.queue:pop()
  if line == nil then return nil end
  self.waiting = self.waiting - (line and #line or 0)
  self:read()
  return line
end

--- Is there a line?
function Wire:has_line()
  return self.queue:size() > 0
end

-- writing -------------------------------------------------------------------------------

--- Write a line whole, after those before it.
---@param line string
function Wire:write(line)
  if self.failed then return end
  local function taken(message, code)
    if not message then return end
    self.failed, self.closed = "stdout: " .. message, code == EPIPE or tostring(message):find(EPIPE, 1, true) ~= nil
  end
  if not self.stdout then
    local ok, message = io.stdout:write(line, "\n")
    if ok then
      ok, message = io.stdout:flush()
    end
    return taken(not ok and message or nil)
  end
  self.unsent = self.unsent + #line + 1
  local ok, message, code = host.uv().write(self.stdout, { line, "\n" }, function(problem)
    self.unsent = self.unsent - #line - 1
    taken(problem)
    self.look()
  end)
  if not ok then taken(message, code) end
end

--- Leave both as they were: others may hold them too, and expect writes to wait.
function Wire:close()
  self:stop()
  local uv = host.uv()
  for _, handle in pairs { self.stdin, self.stdout } do
    pcall(uv.stream_set_blocking, handle, true)
    uv.close(handle)
  end
  uv.close(self.on_sigpipe)
  host.pump()
end

return M
