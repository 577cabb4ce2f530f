--- Rows of a database as one JSON array, a row a line, cut between rows: under any budget the rest is valid JSON.
---
--- A set of rows takes the place of a stream: the dispatcher asks it for snapshots under narrower budgets.

local bisect = require "abridge.base.bisect"
local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"

local M = {}

--- Bytes of rows that are counted but not kept, so that the totals of a result of modest size are known.
local LOOK_AHEAD = 1024 * 1024
--- Kept if the host's token counter raised: no more than the dispatcher shows then.
local SAFE_BYTES = 4096
local MAX_EXACT = 2 ^ 53
local MAX_INTEGER = 2 ^ 63

-- values -------------------------------------------------------------------------

local math_type = rawget(math, "type")

--- A number as JSON; one that JSON cannot write is a string.
local function number(value)
  if value ~= value then return '"NaN"' end
  if value == math.huge or value == -math.huge then return value > 0 and '"Infinity"' or '"-Infinity"' end
  return encode.number(value)
end

--- On hosts whose numbers are all floats the driver has rounded integers from 2^53 on.
local function is_rounded(value, column)
  if math_type or column.real or value ~= math.floor(value) then return false end
  return math.abs(value) >= MAX_EXACT and math.abs(value) <= MAX_INTEGER
end

local function is_json_number(text)
  local whole, rest = text:match "^%-?(%d+)(.*)$"
  if not whole or whole:find "^0%d" then return false end
  rest = rest:gsub("^%.%d+", "")
  return rest == "" or rest:find "^[eE][+-]?%d+$" ~= nil
end

local function is_binary(text)
  return text:find("\0", 1, true) ~= nil or select(2, core.count_chars(text)) > 0
end

--- A string from the database as JSON; nil when it alone is over `room` bytes.
local function text_value(value, column, room, redacted)
  if column.blob then
    return encode.string(sentences.blob(column.hex and value:find "^\\x" and (#value - 2) / 2 or #value))
  end
  if is_binary(value) then return encode.string(sentences.blob(#value)) end
  if column.boolean and (value == "t" or value == "f") then return value == "t" and "true" or "false" end
  if #value > room then return nil end
  local shown = redacted(value)
  if column.number and shown == value and is_json_number(value) then return value end
  return encode.string(shown)
end

local function value_of(self, value, column, room)
  if value == nil then return "null" end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) ~= "number" then return text_value((check.text(value)), column, room, self.redacted) end
  if is_rounded(value, column) then self.rounded = true end
  local text = number(value)
  local shown = self.redacted(text)
  return shown == text and text or encode.string(shown)
end

-- rows ------------------------------------------------------------------------------

--- Names that tell the columns apart: a repeated name gets a number.
local function keys_of(columns, redacted)
  local given, names = {}, {}
  for i, column in ipairs(columns) do
    names[i] = core.head(redacted(column.name), { max_lines = MAX_EXACT, utf8 = "replace" })
    given[names[i]] = true
  end
  local seen = {}
  for i, name in ipairs(names) do
    local n = 2
    while seen[name] and given[name .. "_" .. n] do
      n = n + 1
    end
    if seen[name] then name = name .. "_" .. n end
    names[i], given[name], seen[name] = name, true, true
  end
  return names
end

--- A whole row after redaction, still one line of JSON.
local function redacted_row(self, text)
  local shown = self.redacted(text)
  if shown == text then return text end
  local json = host.json()
  if json and not shown:find("\n", 1, true) and pcall(json.decode, shown) then return shown end
  return encode.string(shown)
end

--- A row as a JSON object, its keys in the order of the columns; nil when it is over `room` bytes.
local function encoded(self, row, room)
  local parts, size = {}, 0
  for i, column in ipairs(self.reader_columns) do
    local value = value_of(self, row[i], column, room)
    if not value then return nil end
    parts[i] = self.keys[i] .. value
    size = size + #parts[i]
    if size > room then return nil end
  end
  return redacted_row(self, "{" .. table.concat(parts, ",") .. "}")
end

---@class abridge.Rows
---@field columns string[] the keys
---@field count integer rows that were read
---@field seen integer rows that are known to exist
---@field complete? boolean all rows of the query were read
---@field reached? boolean as many rows as the limit were read, and more follow
---@field rounded? boolean an integer was too large for this host's numbers
---@field failed? boolean the host's token counter raised; the estimate was used
---@field private held string[] the first rows, as many as the budgets may keep
---@field private bytes table<integer, integer> size of the array of so many of them, and of one more
---@field private chars table<integer, integer>
local Rows = {}
Rows.__index = Rows
Rows.__name = "abridge.Rows"

--- Add a row to the totals, and keep it when it may be shown.
local function add(self, text)
  local joint = self.count == 0 and 0 or 2
  self.count = self.count + 1
  self.total_bytes = self.total_bytes + joint + #text
  if self.limits.max_chars then self.total_chars = self.total_chars + joint + (core.count_chars(text)) end
  if self.full then return end
  self.bytes[self.count], self.chars[self.count] = self.total_bytes, self.total_chars
  local limits = self.limits
  if
    self.total_bytes > limit.most_bytes(limits)
    or self.total_chars > (limits.max_chars or math.huge)
    or self.count > (limits.max_lines or math.huge)
  then
    self.full = true
  else
    self.held[self.count] = text
  end
end

--- Read rows up to a limit, and one more to know if there is one; nil and a message if fetching fails. Stops when the
--- rest can neither be shown nor is worth counting.
local function gather(self, reader, max_rows)
  local most = limit.most_bytes(self.limits)
  while true do
    local row, why = reader.fetch()
    if why then return nil, why end
    if not row then
      self.complete = true
      return true
    end
    self.reached = self.count >= max_rows
    self.seen = self.count + 1
    if self.reached then return true end
    local text = encoded(self, row, most + LOOK_AHEAD)
    if text then
      add(self, text)
    elseif not self.full then
      self.full = true
      self.bytes[self.count + 1], self.chars[self.count + 1] = math.huge, math.huge
    end
    if not text or (self.full and self.total_bytes > most + LOOK_AHEAD) then return true end
  end
end

---@class (exact) abridge.RowsOptions
---@field limit integer|number most rows to read
---@field limits abridge.Limits budgets
---@field redacted fun(text: string): string

--- Read rows and keep those that may be shown.
---@param reader abridge.SqlReader
---@param opts abridge.RowsOptions
---@return abridge.Rows|nil rows
---@return string|nil message why a row could not be fetched
function M.read(reader, opts)
  local self = setmetatable({
    columns = keys_of(reader.columns, opts.redacted),
    reader_columns = reader.columns,
    keys = {},
    redacted = opts.redacted,
    limits = opts.limits,
    count = 0,
    seen = 0,
    held = {},
    bytes = { [0] = 2 },
    chars = { [0] = 2 },
    total_bytes = 2,
    total_chars = 2,
  }, Rows)
  for i, name in ipairs(self.columns) do
    self.keys[i] = encode.string(name) .. ":"
  end
  local ok, message = gather(self, reader, opts.limit)
  if not ok then return nil, message end
  return self
end

-- cuts --------------------------------------------------------------------------------

--- The array of the first rows.
local function array(self, n)
  return "[" .. table.concat(self.held, ",\n", 1, n) .. "]"
end

local function tokens_of(self, text)
  local limits = self.limits
  if not limits.count_tokens then return core.weigh_tokens(text, limits.token_safety) end
  local ok, tokens = pcall(limits.count_tokens, text)
  if ok and type(tokens) == "number" then return tokens end
  self.failed = true -- the dispatcher asks the counter too, and tells
  return core.weigh_tokens(text, limits.token_safety)
end

--- The budget that an array of so many rows and a reserve would exceed, or nil.
local function forbidden(self, n, limits, reserve)
  if limits.max_lines and math.max(n, 1) > limits.max_lines then return "lines" end -- no rows are a line, []
  if limits.max_bytes and self.bytes[n] + #reserve > limits.max_bytes then return "bytes" end
  if limits.max_chars and self.chars[n] + core.count_chars(reserve) > limits.max_chars then return "chars" end
  if not limits.max_tokens then return nil end
  if self.bytes[n] > limits.max_tokens * limit.bytes_per_token then return "tokens" end
  local tokens = tokens_of(self, array(self, n)) + (reserve == "" and 0 or tokens_of(self, reserve))
  return tokens > limits.max_tokens and "tokens" or nil
end

--- Most rows that fit.
local function most_rows(self, limits, reserve)
  return bisect.last(#self.held, function(n)
    return not forbidden(self, n, limits, reserve)
  end)
end

--- The ledger of the rows that a budget leaves. The closing bracket counts as a marker.
local function ledger(self, limits, shown, by)
  local total_lines = math.max(self.count, 1)
  local bytes = shown and (shown > 0 and self.bytes[shown] - 1 or 0) or self.total_bytes
  local lines = shown or total_lines
  local cut = {
    strategy = "head",
    truncated = shown ~= nil,
    truncated_by = by,
    total_lines = total_lines,
    total_bytes = self.total_bytes,
    output_lines = lines,
    output_bytes = bytes,
    omitted_lines = total_lines - lines,
    omitted_bytes = self.total_bytes - bytes,
    last_line_partial = false,
    first_line_exceeds_limit = shown == 0 and by ~= "lines",
    kept = bytes > 0 and { { first_byte = 1, last_byte = bytes, first_line = 1, last_line = lines } } or {},
    more = not self.complete or nil,
  }
  if limits.max_chars then
    cut.total_chars = self.total_chars
    cut.output_chars = shown and (shown > 0 and self.chars[shown] - 1 or 0) or self.total_chars
  end
  for _, name in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
    cut[name] = limits[name]
  end
  return cut
end

--- As many whole rows as fit, as a JSON array; `[]` if none fits; "" if not even that does.
---@param narrower? table budgets under the rows' own, and `reserve`
---@return string content
---@return abridge.Cut cut
function Rows:snapshot(narrower)
  narrower = narrower or {}
  local limits = {}
  for _, name in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
    limits[name] = narrower[name] or self.limits[name]
  end
  if self.failed then limits.max_bytes = math.min(limits.max_bytes or math.huge, SAFE_BYTES) end
  if not self.full and not forbidden(self, self.count, limits, "") then
    return array(self, self.count), ledger(self, limits)
  end
  local reserve = narrower.reserve or ""
  local shown = most_rows(self, limits, reserve)
  local by = self.bytes[shown + 1] and forbidden(self, shown + 1, limits, reserve)
  if shown == 0 and forbidden(self, 0, limits, reserve) then
    by = by or forbidden(self, 0, limits, "")
    return "", ledger(self, limits, 0, by or "bytes")
  end
  return array(self, shown), ledger(self, limits, shown, by or "bytes")
end

Rows.finish = Rows.snapshot

--- Nothing needs to be released.
function Rows.close() end

return M
