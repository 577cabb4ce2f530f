--- The reading end of a pipe that child processes write to. Output is handed on in chunks, or read from the descriptor
--- by a reader.

local time_slices = require "abridge.base.time_slices"

local M = {}

local KB = 1024

--- Read a descriptor that never blocks: bytes read, 0 at its end, or nil, a message and a code (`"EAGAIN"`: there is
--- nothing now). `stream:read_fd` is one.
---@alias abridge.PipeReader fun(fd: integer, most: integer): integer|nil, string|nil, string|nil

---@class abridge.Pipe
---@field read_fd integer
---@field write_fd integer|nil until the child has it
---@field open boolean neither at its end nor given up
---@field closed boolean|nil before its time, as it could not be read
---@field stopped boolean not read until all chunks were handed on
---@field on_chunk fun(chunk: string)|nil
---@field read abridge.PipeReader|nil reads in place of chunks
---@field pace abridge.Pace how much is handed on, or read, in a step
---@field private uv table
---@field private handle table
---@field private polls boolean
local Pipe = {}
Pipe.__index = Pipe

---@param uv table
---@param fd integer
---@param polls boolean
---@return table|nil handle
---@return string|nil message
---@return string|nil code
local function handle_of(uv, fd, polls)
  if polls then
    local core = require "abridge.base.core_loader" -- here, since processes run without the core too
    core.widen_pipe(fd) -- for fewer turns; a narrow one works too
    return uv.new_poll(fd)
  end
  local handle = uv.new_pipe(false)
  local ok, message, code = uv.pipe_open(handle, fd)
  if not ok then
    uv.close(handle)
    return nil, message, code
  end
  return handle
end

--- A real pipe(2): the child can reopen /dev/stderr, which a socket pair would refuse.
---@param uv table
---@param on_chunk fun(chunk: string)|nil
---@param read abridge.PipeReader|nil
---@return abridge.Pipe|nil
---@return string|nil message
---@return string|nil code
function M.open(uv, on_chunk, read)
  local fds, message, code = uv.pipe()
  if not fds then return nil, message, code end
  local polls = read ~= nil
  local handle
  handle, message, code = handle_of(uv, fds.read, polls)
  if not handle then
    uv.fs_close(fds.read)
    uv.fs_close(fds.write)
    return nil, message, code
  end
  return setmetatable({
    uv = uv,
    handle = handle,
    polls = polls,
    read_fd = fds.read,
    write_fd = fds.write,
    open = true,
    on_chunk = on_chunk,
    read = read,
    -- a handler of chunks may cost the most by being called
    pace = read and time_slices.pace(KB, 4 * KB, 256 * KB) or time_slices.pace(16 * KB, 32 * KB, 64 * KB),
  }, Pipe)
end

--- Close our copy of the end that the child writes to.
function Pipe:close_write_end()
  if self.write_fd then
    self.uv.fs_close(self.write_fd)
    self.write_fd = nil
  end
end

--- Call back with each chunk, at the end with nil; with a reader, with true whenever there is something to
--- read or the end.
---@param callback fun(err: string|nil, chunk: string|true|nil)
---@return integer|nil ok
---@return string|nil message
function Pipe:start(callback)
  if not self.polls then return self.uv.read_start(self.handle, callback) end
  return self.uv.poll_start(self.handle, "r", function(err)
    callback(err, not err or nil)
  end)
end

--- Read no more until `start`.
function Pipe:stop()
  if self.polls then
    self.uv.poll_stop(self.handle)
  else
    self.uv.read_stop(self.handle)
  end
end

--- Close the reading end.
---@param on_closed? fun()
function Pipe:close(on_closed)
  self.uv.close(self.handle, on_closed)
  if self.polls then self.uv.fs_close(self.read_fd) end
end

--- Read the pipe once.
---@param most integer bytes
---@return "empty"|"end"|"failed"|nil state nil: there may be more
---@return string|integer|nil what the chunk, or how many bytes its reader took; the message when it failed
---@return string|nil code
function Pipe:take(most)
  if self.read then
    local n, message, code = self.read(self.read_fd, most)
    if n then return n == 0 and "end" or nil, n end
    return code == "EAGAIN" and "empty" or "failed", message, code
  end
  local chunk, message, code = self.uv.fs_read(self.read_fd, most, -1)
  if code == "EINTR" then
    return nil
  elseif not chunk then
    return code == "EAGAIN" and "empty" or "failed", message, code
  end
  return chunk == "" and "end" or nil, chunk
end

return M
