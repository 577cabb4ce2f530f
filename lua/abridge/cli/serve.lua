--- `abridge serve`: requests as lines of JSON on stdin, an answer to each on stdout, many at a time in one process.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local queue = require "abridge.base.queue"
local splice = require "abridge.base.splice"
local strings = require "abridge.base.strings"
local methods = require "abridge.cli.methods"
local terminal = require "abridge.cli.terminal"
local tools = require "abridge.cli.tools"
local wire = require "abridge.cli.wire"

local M = {}

local MOST_LINE = 64 * 1024 * 1024 -- bytes of a request; longer texts are for `abridge cap`, which streams
local MOST_CALLS = 32 -- processes and pages at a time
local MOST_HELD = 1000 -- calls that wait for their turn; then nothing else is read
local MOST_UNSENT = 1024 * 1024 -- bytes of answers that are not taken; then nothing else is answered
local SLICE_MS = 10 -- of answers, until the loop turns
local PARTING_SECONDS = 2 -- after a signal, for the answers of stopped calls

---@class abridge.cli.Server
---@field private session abridge.Session
---@field private wire abridge.cli.Wire
---@field private running integer calls
---@field private held abridge.Queue calls that wait: id and answer
---@field private scheduled? boolean
local Server = {}
Server.__index = Server

-- answers ---------------------------------------------------------------------------------

---@param id string JSON
function Server:failed(id, code, message)
  local encode = host.json().encode
  message = strings.valid(message)
  self.wire:write(('{"id":%s,"error":{"code":%s,"message":%s}}'):format(id, encode(code), encode(message)))
end

--- An error's message, in a line.
local function reason(raised)
  local said = type(raised) == "table" and (raised.usage or raised.failure) or check.reason(raised)
  return (tostring(said):gsub("^abridge%.session: ", ""))
end

local PARTS = { "/id", "/method", "/params" }

--- A request read from a line: its id as it is spelled, and the request; or the id, a code and a message.
local function read(line)
  local found, message = splice.find(line, PARTS)
  local ok, value = pcall(host.json().decode, line)
  if not (found and ok) then return "null", "EJSON", message or reason(value) end
  if not line:find "^%s*{" then return "null", "EJSON", "a request is an object" end
  local id = found["/id"] and line:sub(found["/id"].first, found["/id"].last) or "null"
  for key in next, value do
    if key ~= "id" and key ~= "method" and key ~= "params" then
      return id, "EINVAL", ("a request has id, method and params, got %s"):format(check.show(key))
    end
  end
  local params = found["/params"] and found["/params"].type or "null"
  if type(value.method) ~= "string" then
    return id, "EINVAL", "method must be a string"
  elseif params ~= "object" and params ~= "null" then
    return id, "EINVAL", "params must be an object"
  end
  return id, nil, value.method, { text = line, params = params == "object" and value.params or {} }
end

--- Do a request, and write the answer.
function Server:begin(id, answer)
  self.running = self.running + 1
  local ok, message = pcall(answer, function(result)
    self.running = self.running - 1
    self.wire:write(('{"id":%s,"result":%s}'):format(id, result))
    self:look()
  end)
  if not ok then
    self.running = self.running - 1
    self:failed(id, "EFAILED", reason(message))
  end
end

--- Answer a line: at once, or later if it is a call and enough of them run.
function Server:answer(line)
  if not line then return self:failed("null", "E2BIG", ("a line is over %s"):format(core.format_size(MOST_LINE))) end
  local id, code, what, request = read(line)
  if code then return self:failed(id, code, what) end
  local ok, answer, later = pcall(methods.answer, self.session, what, request)
  if not ok then
    self:failed(id, "EINVAL", reason(answer))
  elseif not answer then
    local known = table.concat(methods.names(), ", ")
    self:failed(id, "EMETHOD", ("no method %s, only %s"):format(check.show(what), known))
  elseif later and self.running >= MOST_CALLS then
    self.held:push { id, answer }
  else
    self:begin(id, answer)
  end
end

-- turns -----------------------------------------------------------------------------------

--- May another line be answered?
function Server:is_free()
  return self.wire:has_line() and self.wire.unsent <= MOST_UNSENT and self.held:size() < MOST_HELD
end

--- Answer waiting lines, for a slice.
function Server:turn()
  local from = host.now()
  while self.held:size() > 0 and self.running < MOST_CALLS do
    local call = self.held:pop()
    self:begin(call[1], call[2])
  end
  while self:is_free() do
    if host.now() - from > SLICE_MS then return self:look() end
    local line = self.wire:next()
    if not line or line:find "%S" then self:answer(line) end
  end
end

--- Look for waiting lines in a turn of its own.
function Server:look()
  if self.scheduled then return end
  self.scheduled = true
  host.next_turn(function()
    self.scheduled = false
    self:turn()
  end)
end

function Server:is_over()
  if self.wire.failed then return true end
  local idle = self.running == 0 and self.held:size() == 0 and not self.scheduled
  return idle and self.wire.ended and not self.wire:has_line() and self.wire.unsent == 0
end

-- the command -----------------------------------------------------------------------------

--- Serve until stdin ends or a signal comes; returns the signal's number.
local function serve(self)
  local caught
  local off = terminal.on_signals(function(number)
    caught = caught or number
    self.wire:stop()
    self.held = queue.new()
  end)
  host.wait(function()
    return caught ~= nil or self:is_over()
  end)
  off()
  return caught
end

--- Run `abridge serve`.
---@param args abridge.cli.Args
---@return integer exit code
function M.run(args)
  if #args.words > 0 then terminal.bad("serve takes no words, got %q", args.words[1]) end
  local _, message = host.json()
  if message then terminal.fail(message) end
  _, message = host.uv()
  if message then terminal.fail(message) end
  local session = tools.serving_session(args)
  local self = setmetatable({ session = session, running = 0, held = queue.new() }, Server)
  self.wire = wire.open(MOST_LINE, function()
    self:look()
  end)
  local caught = serve(self)
  session:close() -- calls that still run are cancelled
  if caught then host.wait(function()
    return self:is_over()
  end, PARTING_SECONDS) end
  local failure, closed = self.wire.failed, self.wire.closed
  self.wire:close()
  if caught then return 128 + caught end
  if failure then error({ failure = failure, closed = closed }, 0) end
  return 0
end

return M
