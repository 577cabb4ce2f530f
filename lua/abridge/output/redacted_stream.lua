--- The stream of `abridge.stream { redact = }`: its text is cleaned, then redacted, then kept.
--- Methods and errors are those of a stream of the core.

local check = require "abridge.base.check"
local source = require "abridge.output.source"

local M = {}

---@class abridge.RedactedStream: abridge.Stream
---@field private source abridge.Source
---@field private state "open"|"finished"|"closed"
---@field private busy? boolean a redactor or counter of the caller's is running and may not touch the stream
local Stream = {}
Stream.__index = Stream
Stream.__name = "abridge.stream"

--- Open a stream that redacts.
---@param opts table of abridge.stream, checked, without `redact`
---@param redactor abridge.Redactor
---@return abridge.RedactedStream
function M.stream(opts, redactor)
  return setmetatable({ source = source.open(opts, redactor), state = "open" }, Stream)
end

--- Raise at a method's caller if it cannot be called now.
local function ready(self, who, unfinished)
  if self.state == "closed" then check.fail(who .. ": the stream is closed", 1) end
  if self.busy then check.fail(who .. ": the stream is being cut", 1) end
  if unfinished and self.state == "finished" then check.fail(who .. ": the stream is finished", 1) end
end

local function text_of(who, name, value)
  if type(value) ~= "string" then
    check.fail(("%s: %s must be a string, got %s"):format(who, name, check.show(value)), 1)
  end
  return value
end

--- Call the source; meanwhile the stream is busy for the caller's own functions.
local function call(self, method, ...)
  self.busy = true
  local ok, first, second, third = pcall(method, self.source, ...)
  self.busy = nil
  if not ok then error(first, 0) end
  return first, second, third
end

--- Add a chunk.
function Stream:write(chunk)
  ready(self, "stream:write", true)
  return call(self, self.source.write, text_of("stream:write", "chunk", chunk))
end

--- Raise at the caller of read_fd unless the value is a whole number of that range.
local function want_integer(name, what, value, from, to)
  if not (check.is_count(value) and value >= from and value <= to) then
    check.fail(("stream:read_fd: %s must be %s, got %s"):format(name, what, check.show(value)), 1)
  end
end

--- Add the bytes that a descriptor has ready.
function Stream:read_fd(fd, most)
  ready(self, "stream:read_fd", true)
  want_integer("fd", "a file descriptor, an integer from 0 to 2^31-1", fd, 0, 2 ^ 31 - 1)
  if most ~= nil then want_integer("most", "an integer from 1 to 2^53", most, 1, 2 ^ 53) end
  return call(self, self.source.read_fd, fd, most)
end

--- The cut of everything so far.
function Stream:snapshot(narrower)
  ready(self, "stream:snapshot")
  return call(self, self.source.snapshot, narrower)
end

--- The cut of everything.
function Stream:finish(narrower)
  ready(self, "stream:finish", true)
  local content, cut = call(self, self.source.finish, narrower)
  self.state = "finished"
  return content, cut
end

--- Have snapshots show a text after everything so far.
function Stream:preview(text)
  ready(self, "stream:preview", true)
  call(self, self.source.preview, text_of("stream:preview", "text", text))
end

--- Release the stream. Idempotent.
function Stream:close()
  if self.state == "closed" then return end
  ready(self, "stream:close")
  self.state = "closed"
  self.source:close()
end

Stream.__close = Stream.close

function Stream:__tostring()
  return ("abridge.stream (%s)"):format(self.state)
end

return M
