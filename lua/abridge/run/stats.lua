--- The costs of a run's calls and the savings of their cuts: sums over its events, in memory that depends on the number
--- of tools and of calls without a result. A log may be anyone's: other values than numbers count as 0.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local strings = require "abridge.base.strings"

local M = {}

local MOST_TOOLS = 1000 -- rows; a model may make up names: calls by later ones share a row
local MOST_NAME = 256 -- bytes of a name, likewise
local OTHERS = "*"
local MOST_SUM = 2 ^ 53 -- no size is larger
local BYTES_A_TOKEN = 4 -- if no text shows that could tell

--- Every reason a block can have, so that each has a sum.
local REASONS = { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" }

---@class (exact) abridge.StatsRow Sums over the calls of a tool, or over all.
---@field calls integer calls, and how many of them have no result so far
---@field unfinished integer
---@field errors integer results that are errors
---@field cut integer results that were cut, and how many for each reason of a block (a table that has all five)
---@field reasons table<abridge.Reason, integer>
--- those fields of the [blocks](#the-truncation-block); for a block without `bytes_total`, the bytes seen until then
---@field bytes_total integer
---@field bytes_returned integer
--- bytes that would have shown without budgets; of a page the page alone, not the rest of the file
---@field bytes_printed integer
---@field bytes_shown integer bytes the model saw, exit lines and notices included
--- estimates: of the text the model saw by [`estimate_tokens`](#counting-and-sizes), of the printed text at the rate of
--- the text that shows of each call
---@field tokens_shown integer
---@field tokens_printed integer
--- how many of those a plain cut to the same budgets would have shown, as any host does that cuts at all
---@field tokens_plain integer
--- `tokens_printed` less `tokens_shown`; and less the tokens of later calls that read these calls' full outputs, by
--- path or in a command
---@field saved integer
---@field net integer
---@field duration_ms integer how long the calls took

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
  "tokens_plain",
  "tokens_shown",
  "saved",
  "net",
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

--- Bytes that a page shows of its source, gaps included. Nil for other events.
local function page_bytes(event)
  local cut = as_table(event.cut)
  local kept = as_table(cut.kept)
  local first, last = as_table(kept[1]).first_byte, as_table(kept[#kept]).last_byte
  if not (check.is_count(first) and check.is_count(last)) then return nil end
  local starts_later = cut.strategy == "head" and first > 1
  local is_page = starts_later
    or check.is_count(cut.first_line)
    or check.is_count(as_table(event.truncation).next_offset)
  return is_page and math.max(last - first + 1, 0) or nil
end

--- How much a call printed, of a page the page alone, and how much of it the model saw.
---@param event table the call's `tool_result`
---@return integer|nil printed bytes
---@return integer|nil shown bytes
function M.sizes(event)
  local block, shown = as_table(event.truncation), event.bytes_shown
  local printed = page_bytes(event) or event.bytes_in or event.bytes_total or block.bytes_total or shown
  return check.is_count(printed) and printed or nil, check.is_count(shown) and shown or nil
end

-- one call ---------------------------------------------------------------------

local MOST_ASKED = 64 * 1024 -- bytes of an argument that are looked at

--- The tool whose full output a call reads, as the output's file names it: in a path, or in a command.
---@param input any a table, or JSON
---@return string|nil name
local function reads_output(input)
  local texts = type(input) == "string" and { (input:sub(1, MOST_ASKED):gsub("\\/", "/")) } or as_table(input)
  for _, text in next, texts do
    local name = type(text) == "string" and text:sub(1, MOST_ASKED):match "artifacts/%d+%-([%w_-]+)%."
    if name then return name end
  end
end

--- The share of a text that a plain cut to the budgets of its cut would keep.
local function plain_share(event, printed, tokens)
  local cut, least = as_table(event.cut), 1
  if as_table(event.truncation).truncated ~= true or page_bytes(event) then return 1 end
  for _, pair in ipairs {
    { cut.max_bytes, printed },
    { cut.max_lines, cut.total_lines },
    { cut.max_chars, cut.total_chars },
    { cut.max_tokens, tokens },
  } do
    if check.is_count(pair[1]) and check.is_count(pair[2]) and pair[2] > 0 then
      least = math.min(least, pair[1] / pair[2])
    end
  end
  return least
end

---@class (exact) abridge.CallCost What a call adds to the sums.
---@field bytes_total integer
---@field bytes_returned integer
---@field bytes_printed integer
---@field bytes_shown integer
---@field tokens_printed integer
---@field tokens_plain integer
---@field tokens_shown integer
---@field saved integer
---@field net integer
---@field duration_ms integer

local function count_or(value, other)
  return check.is_count(value) and value or other
end

local function cost_of(event)
  local content = type(event.content) == "string" and event.content or ""
  local block, printed, shown = as_table(event.truncation), M.sizes(event)
  shown = shown or #content
  local returned = count_or(block.bytes_returned, shown)
  local total = count_or(block.bytes_total, math.max(printed or 0, returned))
  printed = printed or total
  local tokens = core.estimate_tokens(content)
  local rate = content ~= "" and tokens / #content or 1 / BYTES_A_TOKEN
  local tokens_printed = math.floor(printed * rate + 0.5)
  return {
    bytes_total = total,
    bytes_returned = returned,
    bytes_printed = printed,
    bytes_shown = shown,
    tokens_printed = tokens_printed,
    tokens_plain = math.floor(tokens_printed * plain_share(event, printed, tokens_printed) + 0.5),
    tokens_shown = tokens,
    saved = tokens_printed - tokens,
    net = tokens_printed - tokens,
    duration_ms = count_or(event.duration_ms, 0),
  }
end

-- the sums ----------------------------------------------------------------------

---@class abridge.Stats
---@field private all table
---@field private tools table<string, table>
---@field private count integer of tools
---@field private asked table<string, string|false> by the ids of calls without a result: whose output they read
---@field private kept table<string, table> rows of tools by their names in the files of full outputs
---@field private kept_count integer of these
local Stats = {}
Stats.__index = Stats

--- Sums of nothing so far.
---@return abridge.Stats
function M.new()
  return setmetatable({ all = new_row(), tools = {}, count = 0, asked = {}, kept = {}, kept_count = 0 }, Stats)
end

local function row_of(self, name)
  name = strings.valid((type(name) == "string" and name or OTHERS):sub(1, MOST_NAME))
  if not self.tools[name] then
    if self.count >= MOST_TOOLS then name = OTHERS end
    self.tools[name], self.count = self.tools[name] or new_row(), self.count + 1
  end
  return self.tools[name]
end

--- Add to the sums of a row, if it has them.
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

--- The sums that a result adds to beside its cost. Its start may be lost.
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

--- Count the part of a full output that a call shows, as the cut of that output then saved less, and note the tool of
--- the call's own.
local function count_output(self, event, row, reads, tokens)
  local read = reads and self.kept[reads]
  if read then
    add(read, { net = -tokens })
    add(self.all, { net = -tokens })
  end
  local path = as_table(event.full_output).path
  local name = type(path) == "string" and path:sub(1, MOST_ASKED):match "artifacts/%d+%-([%w_-]+)%."
  if not name then return end
  if not self.kept[name] then self.kept_count = self.kept_count + 1 end
  if self.kept[name] or self.kept_count <= MOST_TOOLS then self.kept[name] = row end
end

--- Take in an event, in the order of the log.
---@param event table
---@return abridge.CallCost|nil cost what a result added; nil for other events
function Stats:add(event)
  if event.type ~= "tool_call" and event.type ~= "tool_result" then return nil end
  local own, id = row_of(self, event.tool), tostring(event.call_id)
  if event.type == "tool_call" then
    self.asked[id] = reads_output(event.input) or false
    add(own, { calls = 1, unfinished = 1 })
    add(self.all, { calls = 1, unfinished = 1 })
    return nil
  end
  local reads = self.asked[id]
  local cost, outcome = cost_of(event), outcome_of(event, reads ~= nil and own.unfinished > 0)
  self.asked[id] = nil
  for _, row in ipairs { own, self.all } do
    add(row, cost)
    add(row, outcome)
  end
  count_output(self, event, own, reads, cost.tokens_shown)
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
