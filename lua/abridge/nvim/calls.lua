--- The calls of a run as a list of them needs them: a little of each, taken from the events of its log.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local display = require "abridge.output.display"
local kept = require "abridge.output.kept"
local stats = require "abridge.run.stats"
local log_lines = require "abridge.nvim.log_lines"

local M = {}

local MOST_CELLS = 200 -- of a name in a log, which may be anyone's
local INPUT_END = 512 -- bytes at each end of an input that may show

---@class (exact) abridge.nvim.Call
---@field index integer in the order in which the calls were made
---@field number integer as the names of full outputs and the ids that sessions give have it
---@field call_id any
---@field tool string
---@field input string on one line
---@field time? number seconds since 1970 when it was made
---@field at? integer where the event of its result is; nil while there is none
---@field is_error? boolean
---@field printed? integer bytes
---@field shown? integer bytes
---@field took? number ms
---@field note? string how it ended, what was kept
---@field key? string by which a list that shows it is sorted

-- what a call says of itself ---------------------------------------------------------------

--- Any value as a text for one line of the screen.
---@param value any
---@return string
function M.one_line(value)
  local text = display.visible((tostring(value):sub(1, 4 * MOST_CELLS):gsub("%s", " ")))
  return text:sub(1, core.fit_cells(text, MOST_CELLS))
end

--- Fields of an input that say what a call is about; the first one found is shown, and where it looks.
local TELLING = { "command", "pattern", "sql", "url", "query", "path" }

--- An input on one line; of a long one only both ends.
local function input_text(input)
  local text = input
  if type(input) == "table" then
    for _, name in ipairs(TELLING) do
      if type(input[name]) == "string" then
        text = input[name]
        if name == "pattern" and type(input.path) == "string" then text = text .. " in " .. input.path end
        break
      end
    end
    if text == input then text = next(input) and host.json().encode(input) or "" end
  end
  if type(text) ~= "string" then return "" end
  if #text > 2 * INPUT_END then text = text:sub(1, INPUT_END) .. "..." .. text:sub(-INPUT_END) end
  return display.visible((text:gsub("%s+", " ")))
end

--- How a call ended and what was kept of it, in words.
local function note_of(event)
  local exit = event.is_error == true and type(event.exit_line) == "string" and event.exit_line or nil
  local words = kept.words(event.cut)
  if not words and type(event.truncation) == "table" and event.truncation.truncated then
    words = tostring(event.truncation.reason)
  end
  local note = exit and words and exit .. "; " .. words or exit or words
  return note and M.one_line(note)
end

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
    tool = M.one_line(event.tool),
    input = input_text(event.input),
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
  call.at, call.is_error, call.note = at, event.is_error == true, note_of(event)
  call.printed, call.shown = stats.sizes(event)
  call.took = event.duration_ms
  if call.is_error then self.errors = self.errors + 1 end
  self.printed, self.shown = self.printed + (call.printed or 0), self.shown + (call.shown or 0)
end

--- Take in an event; returns the call that is new or has changed.
local function take(self, event, at)
  if event.type == "tool_call" then return begin(self, event) end
  if event.type ~= "tool_result" then return nil end
  local call = self.open[event.call_id or ""] or begin(self, event) -- its start may be lost
  finish(self, call, event, at)
  return call
end

--- Read what was added to the log, and hand on each call that is new or has changed.
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

--- The bytes of a call that the model did not see.
---@param call abridge.nvim.Call
---@return integer
function M.left_out(call)
  if not (check.is_count(call.printed) and check.is_count(call.shown)) then return 0 end
  return math.max(call.printed - call.shown, 0)
end

return M
