--- The events of `rg --json`, one by one, in bounded memory however long a line is.
---
--- rg prints a matching line whole. So an event of more than RAW_EVENT bytes is read in sections and only the start of
--- each is kept: the first bytes of the line, and the place of the rest in the file. The marks that end a section have
--- a quote after a comma, which no JSON string can contain.

local M = {}

local RAW_EVENT = 256 * 1024 -- bytes of an event that is decoded whole
local RAW_MATCH = 8 * 1024 -- bytes kept of the match of a longer one
local RAW_NUMBERS = 64
local MOST_ESCAPE = 6 -- bytes of an escape such as \u0001

local AFTER_PATH = '},"lines":{"'
local AFTER_LINE = '},"line_number":'
local AFTER_MATCH = '},"start":'

---@class abridge.RgEvent
---@field kind "match"|"context"|"begin"|"end"|"summary"
---@field path string as it is on disk
---@field number integer of the line
---@field offset integer bytes of the file before the line
---@field line string the line with its end, or its first bytes
---@field whole boolean is `line` all of it?
---@field first integer first byte of the match in the line
---@field last integer last one; `first - 1` for an empty match
---@field match string the match or its first bytes

-- base64, for bytes outside UTF-8 -----------------------------------------------------------

local DIGITS = {}
for i = 0, 63 do
  DIGITS[("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):sub(i + 1, i + 1)] = i
end
DIGITS["="] = 0

local floor, char = math.floor, string.char

local function decode_group(a, b, c, d)
  local n = ((DIGITS[a] * 64 + DIGITS[b]) * 64 + DIGITS[c]) * 64 + DIGITS[d]
  return char(floor(n / 65536), floor(n / 256) % 256, n % 256)
end

--- The bytes that base64 encodes; an incomplete group at the end is left out.
---@param text string
---@return string
function M.base64(text)
  local padding = #text:match "=*$"
  text = text:sub(1, #text - #text % 4)
  local bytes = text:gsub("(.)(.)(.)(.)", decode_group)
  return padding > 0 and bytes:sub(1, -padding - 1) or bytes
end

--- A text as rg writes it: { text = } or { bytes = }.
local function decoded(field)
  if type(field) ~= "table" then return "" end
  if type(field.bytes) == "string" then return M.base64(field.bytes) end
  return type(field.text) == "string" and field.text or ""
end

-- whole events ------------------------------------------------------------------------------

local function event_of(value)
  local data = value.data
  local event = { kind = value.type, path = decoded(data.path) }
  if event.kind ~= "match" and event.kind ~= "context" then return event end
  event.line, event.whole = decoded(data.lines), true
  event.number, event.offset = data.line_number, data.absolute_offset
  local first = type(data.submatches) == "table" and data.submatches[1]
  event.first, event.last = 1, 0
  if first then
    event.first, event.last, event.match = first.start + 1, first["end"], decoded(first.match)
  end
  return event
end

-- long events -------------------------------------------------------------------------------

local Section = {}
Section.__index = Section

--- Reads up to a mark and keeps the first `most` bytes.
local function section(mark, most)
  return setmetatable({ mark = mark, most = most, parts = {}, size = 0, held = "", whole = false }, Section)
end

local function keep(self, bytes)
  local room = self.most - self.size
  self.size = self.size + #bytes
  if room > 0 then self.parts[#self.parts + 1] = bytes:sub(1, room) end
end

--- Take bytes; returns the bytes after the mark once it has been seen.
function Section:feed(bytes)
  bytes = self.held .. bytes
  local at = bytes:find(self.mark, 1, true)
  local sure = at and at - 1 or math.max(#bytes - #self.mark + 1, 0)
  keep(self, bytes:sub(1, sure))
  if at then
    self.held, self.whole = "", self.size <= self.most
    return bytes:sub(at + #self.mark)
  end
  self.held = bytes:sub(sure + 1)
end

function Section:text()
  return table.concat(self.parts)
end

--- The text that the start of a JSON string, without its first quote, encodes.
local function decode_start(json, raw, whole)
  if whole then raw = raw:gsub('"$', "") end
  for dropped = 0, MOST_ESCAPE do -- an escape may be cut
    local ok, value = pcall(json.decode, '["' .. raw:sub(1, #raw - dropped) .. '"]')
    if ok then return value[1] end
  end
  error("rg printed a line that is not JSON", 0)
end

--- A text, possibly cut short: `text":"...` or `bytes":"...`.
local function decode_field(json, raw, whole)
  local kind, start = raw:match '^(%a+)":"()'
  raw = raw:sub(start)
  if kind == "bytes" then return M.base64((raw:gsub('"$', ""))) end
  return decode_start(json, raw, whole)
end

local Long = {}
Long.__index = Long

local function long_event()
  return setmetatable({
    sections = { section(AFTER_LINE, RAW_EVENT), section(AFTER_MATCH, RAW_MATCH), section("\n", RAW_NUMBERS) },
    at = 1,
  }, Long)
end

function Long:feed(bytes)
  while bytes and self.at <= #self.sections do
    bytes = self.sections[self.at]:feed(bytes)
    if bytes then self.at = self.at + 1 end
  end
end

function Long:event(json)
  for _, part in ipairs(self.sections) do
    keep(part, part.held) -- of a section whose mark never came
  end
  local head, middle, numbers = self.sections[1], self.sections[2], self.sections[3]
  local raw, after = head:text(), middle:text()
  local start, stop = raw:find(AFTER_PATH, 1, true)
  local number, offset, match = after:match '^(%d+),"absolute_offset":(%d+),"submatches":%[(.*)$'
  if not (start and number) then error("rg printed an unknown event", 0) end
  local named = json.decode(raw:sub(1, start) .. "}}")
  local event = {
    kind = named.type,
    path = decoded(named.data.path),
    line = decode_field(json, raw:sub(stop + 1), head.whole),
    whole = head.whole,
    number = tonumber(number),
    offset = tonumber(offset),
    first = 1,
    last = 0,
  }
  local from, to = numbers:text():match '^(%d+),"end":(%d+)'
  if from then
    event.first, event.last = tonumber(from) + 1, tonumber(to)
    event.match = decode_field(json, match:match '^{"match":{"(.*)$', middle.whole)
  end
  return event
end

-- the stream --------------------------------------------------------------------------------

--- A function that takes rg's output in chunks and passes on each event. Raises if the output is not rg's.
---@param json abridge.host.Json
---@param on_event fun(event: abridge.RgEvent, ...): boolean|nil true: no more
---@return fun(chunk: string, ...): boolean stopped arguments after the chunk are passed on
function M.reader(json, on_event)
  local parts, size, long = {}, 0, nil
  local function add(bytes)
    if long then return long:feed(bytes) end
    parts[#parts + 1], size = bytes, size + #bytes
    if size > RAW_EVENT then
      long = long_event()
      long:feed(table.concat(parts))
      parts = {}
    end
  end
  local function take(...)
    local event = long and long:event(json)
    if not event and size > 0 then event = event_of(json.decode(table.concat(parts))) end
    parts, size, long = {}, 0, nil
    return event and on_event(event, ...)
  end
  return function(chunk, ...)
    local at = 1
    while at <= #chunk do
      local stop = chunk:find("\n", at, true)
      add(chunk:sub(at, (stop or 0) - 1))
      if not stop then return false end
      if take(...) then return true end
      at = stop + 1
    end
    return false
  end
end

return M
