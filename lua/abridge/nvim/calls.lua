--- The calls of a run as a list of them needs them: a little of each, taken from the events of its log.

local check = require "abridge.base.check"
local stats = require "abridge.run.stats"
local words = require "abridge.run.call_words"
local log_lines = require "abridge.nvim.log_lines"

local M = {}

---@class (exact) abridge.nvim.Call
---@field index integer in the order of the calls
---@field number integer as the names of full outputs and the ids that sessions give have it
---@field call_id any
---@field tool string
---@field input string on one line
---@field time? number seconds since 1970 when it was made
---@field from? integer place of the event that it began with, if there is one
---@field at? integer place of the event of its result; nil while there is none
---@field is_error? boolean
---@field printed? integer bytes
---@field shown? integer bytes
---@field took? number ms
---@field note? string its end, and the part kept
---@field key? string by which a list that shows it is sorted

-- all of them --------------------------------------------------------------------------------

---@class abridge.nvim.Calls
---@field all abridge.nvim.Call[]
---@field errors integer
---@field running integer calls without a result
---@field printed integer bytes
---@field shown integer bytes
---@field lines abridge.nvim.LogLines
---@field private open table<any, abridge.nvim.Call> by id, without a result
local Calls = {}
Calls.__index = Calls

---@param run abridge.Run
---@return abridge.nvim.Calls
function M.new(run)
  local self = { all = {}, open = {}, errors = 0, running = 0, printed = 0, shown = 0, number = 0 }
  self.lines = log_lines.new(run)
  return setmetatable(self, Calls)
end

--- The number of a call: the one in its id if a session gave that, else that of the call before, and one.
local function number_of(self, id)
  local digits = type(id) == "string" and id:match "^call%-(%d+)$"
  local number = digits and #digits <= 15 and tonumber(digits) or self.number + 1
  self.number = math.max(self.number, number)
  return number
end

local function begin(self, event)
  local call = {
    index = #self.all + 1,
    number = number_of(self, event.call_id),
    call_id = event.call_id,
    tool = words.one_line(event.tool),
    input = words.input(event.input),
    time = type(event.time) == "number" and event.time or nil,
  }
  self.all[call.index] = call
  self.open[event.call_id or ""] = call
  self.running = self.running + 1
  return call
end

local function finish(self, call, event, at)
  self.open[event.call_id or ""] = nil
  self.running = self.running - 1
  call.at, call.is_error, call.note = at, event.is_error == true, words.note(event)
  call.printed, call.shown = stats.sizes(event)
  call.took = event.duration_ms
  if call.is_error then self.errors = self.errors + 1 end
  self.printed, self.shown = self.printed + (call.printed or 0), self.shown + (call.shown or 0)
end

--- Take in an event; returns the call that is new or has changed.
local function take(self, event, at)
  if event.type == "tool_call" then
    local call = begin(self, event)
    call.from = at
    return call
  end
  if event.type ~= "tool_result" then return nil end
  local call = self.open[event.call_id or ""] or begin(self, event) -- its start may be lost
  finish(self, call, event, at)
  return call
end

--- Read new lines of the log, and hand on each call that is new or has changed.
---@param work abridge.Work
---@param changed fun(call: abridge.nvim.Call): boolean|nil false to stop
---@return boolean|nil ok
---@return string|nil message
function Calls:read(work, changed)
  return self.lines:read(work, function(event, at)
    local call = take(self, event, at)
    return not call or changed(call)
  end)
end

--- An event of a log, by its place there.
---@param run table
---@param at? integer
---@return table|nil event
function M.event_at(run, at)
  local event
  if at then run:each(function(found)
    event = found
    return false
  end, at) end
  return event
end

--- The bytes of a call that the model did not see.
---@param call abridge.nvim.Call
---@return integer
function M.left_out(call)
  if not (check.is_count(call.printed) and check.is_count(call.shown)) then return 0 end
  return math.max(call.printed - call.shown, 0)
end

return M
