--- What the calls of a run cost and what their cuts saved: sums over its events, in memory that depends on the number
--- of tools and of calls without a result. A log may be anyone's: what is no number counts nothing.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local strings = require "abridge.base.strings"

local M = {}

local MOST_TOOLS = 1000 -- rows; a model may make up names, and what is called by later ones has a row together
local MOST_NAME = 256 -- bytes of a name, likewise
local OTHERS = "*"
local MOST_SUM = 2 ^ 53 -- no size is larger
local BYTES_A_TOKEN = 4 -- where nothing shows that could tell

--- Every reason a block can have, so that each has a sum.
local REASONS = { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" }

---@class (exact) abridge.StatsRow Sums over the calls of a tool, or over all.
---@field calls integer
---@field unfinished integer of these, without a result so far
---@field errors integer results that are errors
---@field cut integer results that were cut
---@field reasons table<abridge.Reason, integer> how many were cut for each reason; every reason is there
---@field bytes_total integer the blocks' `bytes_total`; where one does not know it, what was seen until then
---@field bytes_returned integer the blocks' `bytes_returned`
---@field bytes_printed integer what would have shown without budgets; pages read one after another count once
---@field bytes_shown integer what the model saw, exit lines and notices included
---@field tokens_printed integer `bytes_printed` at the rate of what shows of each call
---@field tokens_shown integer by `abridge.estimate_tokens`
---@field duration_ms integer

---@class (exact) abridge.RunStats
---@field all abridge.StatsRow
---@field tools table<string, abridge.StatsRow> by the name that was called, as valid UTF-8

local SUMS = {
  "calls",
  "unfinished",
  "errors",
  "cut",
  "bytes_total",
  "bytes_returned",
  "bytes_printed",
  "bytes_shown",
  "tokens_printed",
  "tokens_shown",
  "duration_ms",
}

local function new_row()
  local row = { reasons = {} }
  for _, key in ipairs(SUMS) do
    row[key] = 0
  end
  for _, reason in ipairs(REASONS) do
    row.reasons[reason] = 0
  end
  return row
end

local function as_table(value)
  return type(value) == "table" and value or {}
end

--- How much a call printed, and how much of it the model saw.
---@param event table the call's `tool_result`
---@return integer|nil printed bytes
---@return integer|nil shown bytes
function M.sizes(event)
  local block, shown = as_table(event.truncation), event.bytes_shown
  local printed = event.bytes_in or event.bytes_total or block.bytes_total or shown
  return check.is_count(printed) and printed or nil, check.is_count(shown) and shown or nil
end

-- one call ---------------------------------------------------------------------

--- How many lines a call asks for, and of which file; nil if it does not say. An input may be JSON.
local function asked_by(input)
  if type(input) == "string" then
    local json = (input:find('"limit"', 1, true) or input:find('"path"', 1, true)) and host.json()
    local ok, value = pcall(json and json.decode or error, input)
    input = ok and value
  end
  input = as_table(input)
  return { limit = tonumber(rawget(input, "limit")), path = rawget(input, "path") }
end

local NEWLINE = 2 -- bytes that may lie between pages

--- What a page prints: from its start to where it would have ended without a budget, except what the page before it
--- printed already if it goes on there. Nil if the event is of no page.
---@param row table of its tool, where the last page is noted
---@param event table
---@param asked { limit?: number, path?: any }
local function page_bytes(row, event, asked)
  local cut = as_table(event.cut)
  local kept = as_table(as_table(cut.kept)[1])
  local is_page = cut.strategy == "head" and check.are_counts(cut, "first_line", "total_bytes")
  if not (is_page and check.are_counts(kept, "first_byte", "last_byte") and kept.first_byte > 0) then return nil end
  local before, from, last = row.page, kept.first_byte - 1, kept.last_byte
  local as_asked = cut.truncated_by == "lines" and cut.max_lines == asked.limit
  local to = cut.truncated == true and not as_asked and cut.total_bytes or last
  local goes_on = before and before.path == asked.path and from > 0
  goes_on = goes_on and from >= before.last and from - before.last <= NEWLINE
  local told = goes_on and math.max(before.to, from) or from
  row.page = { path = asked.path, last = last, to = math.max(to, goes_on and before.to or 0) }
  return math.max(to - told, 0)
end

---@class (exact) abridge.CallCost What a call adds to the sums.
---@field bytes_total integer
---@field bytes_returned integer
---@field bytes_printed integer
---@field bytes_shown integer
---@field tokens_printed integer
---@field tokens_shown integer
---@field duration_ms integer

local function count_or(value, other)
  return check.is_count(value) and value or other
end

local function cost_of(row, event, asked)
  local content = type(event.content) == "string" and event.content or ""
  local block, printed, shown = as_table(event.truncation), M.sizes(event)
  shown = shown or #content
  local returned = count_or(block.bytes_returned, shown)
  local total = count_or(block.bytes_total, math.max(printed or 0, returned))
  printed = page_bytes(row, event, asked) or printed or total
  local tokens = core.estimate_tokens(content)
  local rate = content ~= "" and tokens / #content or 1 / BYTES_A_TOKEN
  return {
    bytes_total = total,
    bytes_returned = returned,
    bytes_printed = printed,
    bytes_shown = shown,
    tokens_printed = math.floor(printed * rate + 0.5),
    tokens_shown = tokens,
    duration_ms = count_or(event.duration_ms, 0),
  }
end

-- the sums ----------------------------------------------------------------------

---@class abridge.Stats
---@field private all table
---@field private tools table<string, table>
---@field private count integer of tools
---@field private asked table<string, { limit?: number, path?: any }> by the ids of calls without a result
local Stats = {}
Stats.__index = Stats

--- Sums of nothing so far.
---@return abridge.Stats
function M.new()
  return setmetatable({ all = new_row(), tools = {}, count = 0, asked = {} }, Stats)
end

local function row_of(self, name)
  name = strings.valid((type(name) == "string" and name or OTHERS):sub(1, MOST_NAME))
  if not self.tools[name] then
    if self.count >= MOST_TOOLS then name = OTHERS end
    self.tools[name], self.count = self.tools[name] or new_row(), self.count + 1
  end
  return self.tools[name]
end

--- Add to the sums of a row, where it has them.
local function add(row, numbers)
  for key, value in pairs(numbers) do
    if key == "reason" then
      local count = row.reasons[value]
      if count then row.reasons[value] = count + 1 end
    else
      row[key] = math.min(row[key] + value, MOST_SUM)
    end
  end
end

--- What a result adds beside its cost. Its start may be lost.
local function outcome_of(event, begun)
  local block = as_table(event.truncation)
  local is_cut = block.truncated == true
  return {
    calls = begun and 0 or 1,
    unfinished = begun and -1 or 0,
    errors = event.is_error == true and 1 or 0,
    cut = is_cut and 1 or 0,
    reason = is_cut and type(block.reason) == "string" and block.reason or nil,
  }
end

--- Take in an event, in the order of the log.
---@param event table
---@return abridge.CallCost|nil cost what a result added; nil for other events
function Stats:add(event)
  if event.type ~= "tool_call" and event.type ~= "tool_result" then return nil end
  local own, id = row_of(self, event.tool), tostring(event.call_id)
  if event.type == "tool_call" then
    self.asked[id] = asked_by(event.input)
    add(own, { calls = 1, unfinished = 1 })
    add(self.all, { calls = 1, unfinished = 1 })
    return nil
  end
  local asked = self.asked[id]
  local cost, outcome = cost_of(own, event, asked or {}), outcome_of(event, asked and own.unfinished > 0)
  self.asked[id] = nil
  for _, row in ipairs { own, self.all } do
    add(row, cost)
    add(row, outcome)
  end
  return cost
end

local function copy_of(row)
  local copy = { reasons = check.copied(row.reasons) }
  for _, key in ipairs(SUMS) do
    copy[key] = row[key]
  end
  return copy
end

--- The sums so far: a copy, plain data.
---@return abridge.RunStats
function Stats:sums()
  local tools = {}
  for name, row in pairs(self.tools) do
    tools[name] = copy_of(row)
  end
  return { all = copy_of(self.all), tools = tools }
end

--- The names of the tools, those that printed most first.
---@param sums abridge.RunStats
---@return string[]
function M.order(sums)
  local names = {}
  for name in pairs(sums.tools) do
    names[#names + 1] = name
  end
  table.sort(names, function(a, b)
    local left, right = sums.tools[a].tokens_printed, sums.tools[b].tokens_printed
    if left ~= right then return left > right end
    return a < b
  end)
  return names
end

return M
