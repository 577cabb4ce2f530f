--- Output made elsewhere that is capped as it arrives, in the memory of a stream, with the facts of its call.

local spool = require "abridge.base.spool"
local cap = require "abridge.output.cap"
local sentences = require "abridge.output.sentences"
local calls = require "abridge.session.call"
local context = require "abridge.session.context"
local dispatch = require "abridge.session.dispatch"

local M = {}

---@class (exact) abridge.PipedCall The facts of a call whose output was made elsewhere.
---@field id? string numbered unless set
---@field input? any its input
---@field path? string the file that the text is from, for the notice of "read_file"
---@field at? abridge.PageAt of "read_file": the page to show of it
---@field exit_code? integer
---@field signal? string the name of the one that ended it, without SIG
---@field signal_number? integer
---@field timed_out? boolean

--- The most time that a command had, if its input says so.
local function seconds_of(input)
  local seconds = type(input) == "table" and rawget(input, "timeout")
  return type(seconds) == "number" and seconds or nil
end

--- How a command ended, in a result's value.
local function tell_end(value, known)
  local failed = known.timed_out or known.signal or (known.exit_code or 0) ~= 0
  if not failed and known.exit_code == nil then return end
  local outcome = { code = known.exit_code, signal = known.signal, timed_out = known.timed_out }
  value.exit, value.empty = sentences.exit_line(outcome, seconds_of(known.input)), sentences.no_output
  value.is_error = failed and true or false
  value.details = {
    exit_code = known.exit_code,
    signal = known.signal,
    signal_number = known.signal_number,
    timed_out = known.timed_out or nil,
  }
end

--- Cap the text that `feed` writes, as `session:cap` does with a text.
---@param self abridge.Session
---@param name string the tool it came from
---@param feed fun(stream: { write: fun(self: any, chunk: string): true|nil, string|nil }) writes all of it
---@param known abridge.PipedCall
---@return abridge.Result
function M.cap(self, name, feed, known)
  local call, value, kept = calls.new(self, name, nil, self.run:begin_call(), known.id), {}, nil
  local input = known.input ~= nil and dispatch.shown_input(self, known.input) or nil
  dispatch.emit(self, { type = "tool_call", call_id = call.call_id, tool = call.tool, input = input })
  call.failed = true -- the value is in our form
  tell_end(value, known)
  if call.own_name == "read_file" then
    kept = spool.new() -- a text for it is the first page of a file
    feed(kept)
    value.text, value.file = kept:text(), kept:path()
    cap.prepare(call, value, { path = known.path, at = known.at }, self.redactor)
  else
    cap.prepare(call, value, { path = known.path }, self.redactor)
    value.stream = context.stream(self, call)
    feed(value.stream)
  end
  local result = dispatch.result(self, call, value)
  if kept then kept:close() end
  return result
end

return M
