--- A part of a text that may be gigabytes, as rows of a screen. It is read in blocks around the rows looked at, and the
--- whole text is neither read nor counted: numbers of lines come from places whose line is known.
---
--- A row is a line without its newline, or a piece of a long line. Offsets are 0-based here.

local strings = require "abridge.base.strings"
local ranges = require "abridge.nvim.ranges"
local visible = require("abridge.output.display").visible

local M = {}

M.BLOCK = 32 * 1024 -- bytes of one read unless its caller says; more than a piece
M.PIECE = 1024 -- bytes of a line on one row
M.MOST_ROWS = 256 -- rows that one read may give
M.MOST_BYTES = 256 * 1024 -- bytes that an excerpt holds at most, and
M.MOST_HELD = 2000 -- rows

---@class abridge.nvim.Source
---@field size integer bytes
---@field read fun(at: integer, bytes: integer): string|nil, string|nil bytes from an offset on; fewer only at the end

---@class (exact) abridge.nvim.ExcerptRow
---@field first integer offset of its first byte
---@field bytes integer without the newline
---@field begins boolean a line starts here
---@field ends boolean the line ends here, or the text does
---@field text string as it shows
---@field raw? string its bytes, if they show otherwise

---@class abridge.nvim.Excerpt
---@field rows abridge.nvim.ExcerptRow[]
---@field from integer offset of the first byte
---@field to integer offset past the last byte
---@field first_line? integer number of the line of the first row, if it is known
---@field blocks integer reads so far
---@field private next_begins boolean a line starts after the last row
---@field private known { byte: integer, line: integer }[] in order
local Excerpt = {}
Excerpt.__index = Excerpt

---@param source abridge.nvim.Source
---@param known? { byte: integer, line: integer }[] bytes whose line is known
---@return abridge.nvim.Excerpt
function M.new(source, known)
  local self = setmetatable({ source = source, rows = {}, from = 0, to = 0, blocks = 0, known = {} }, Excerpt)
  self.next_begins = true
  self:learn(0, 1)
  for _, place in ipairs(known or {}) do
    self:learn(place.byte, place.line)
  end
  return self
end

-- places whose line is known -----------------------------------------------------------

local MOST_KNOWN = 4096

--- Remember that a byte is on a line.
---@param byte integer
---@param line integer
function Excerpt:learn(byte, line)
  if byte >= self.source.size and byte > 0 then return end
  local at = ranges.last(self.known, "byte", byte)
  if at > 0 and self.known[at].byte == byte or #self.known >= MOST_KNOWN then return end
  table.insert(self.known, at + 1, { byte = byte, line = line })
end

-- rows ------------------------------------------------------------------------------------

local function read(self, at, bytes)
  bytes = math.min(bytes, self.source.size - at)
  if bytes <= 0 then return "" end
  self.blocks = self.blocks + 1
  local text, message = self.source.read(at, bytes)
  if not text then error(message, 0) end
  return text
end

--- The first byte from `at` on that a char may start with; `at` itself if the next three are continuation bytes too.
local function char_start(text, at)
  for next_at = at, math.min(at + 3, #text) do
    local byte = text:byte(next_at)
    if byte < 128 or byte >= 192 then return next_at end
  end
  return at
end

--- The end of a piece of a long line that starts at `from`, so that no char is split.
local function piece_end(text, from)
  local last = from + M.PIECE - 1
  for back = 0, 3 do
    local byte = text:byte(last + 1 - back)
    if byte < 128 or byte >= 192 then return last - back end
  end
  return last
end

local function row_of(raw, first, begins, ends)
  local text = visible(raw)
  local row = { first = first, bytes = #raw, begins = begins, ends = ends, text = text }
  if text ~= raw then row.raw = raw end
  return row
end

--- The rows of a text from an offset on: whole ones, and with `final` the rest too.
---@return abridge.nvim.ExcerptRow[]
---@return integer bytes of the text that they take
local function rows_in(text, offset, begins, final, most)
  local rows, at = {}, 1
  while at <= #text and #rows < most do
    local newline = text:find("\n", at, true)
    local last, ends, after
    if newline and newline - at <= M.PIECE then
      last, ends, after = newline - 1, true, newline + 1
    elseif #text - at + 1 > M.PIECE then
      last, ends = piece_end(text, at), false
      after = last + 1
    elseif final then
      last, ends, after = #text, final == "end", #text + 1
    else
      break
    end
    rows[#rows + 1] = row_of(text:sub(at, last), offset + at - 1, begins, ends)
    begins, at = ends, after
  end
  return rows, at - 1
end

local function count_begins(rows, from, to)
  local count = 0
  for i = from, to do
    if rows[i].begins then count = count + 1 end
  end
  return count
end

--- The row that has a byte.
---@param byte integer
---@return integer row 1-based; that of the nearest byte if the excerpt does not have it
function Excerpt:row_at(byte)
  local row = ranges.last(self.rows, "first", byte)
  return math.max(row, 1)
end

--- The number of the line that a row is of.
---@param row integer
---@return integer|nil
function Excerpt:line_of(row)
  if not self.first_line or not self.rows[row] then return nil end
  return self.first_line + count_begins(self.rows, 2, row)
end

--- Number the rows from a place in the excerpt whose line is known, and remember the lines of both its ends.
---@param place? { byte: integer, line: integer } the last one that is known unless set
local function number_rows(self, place)
  local rows = self.rows
  if #rows == 0 then return end
  if not self.first_line then
    place = place or self.known[ranges.last(self.known, "byte", self.to - 1)]
    if not place or place.byte < self.from or place.byte >= self.to then return end
    self.first_line = place.line - count_begins(rows, 2, self:row_at(place.byte))
  end
  self:learn(self.from, self.first_line)
  self:learn(rows[#rows].first, self:line_of(#rows))
end

--- The offset in a text past its nth newline.
local function after_newline(text, n)
  local low, high = 0, #text -- the newlines of the first `low` bytes are fewer than n
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    local count = strings.newlines(text:sub(low + 1, middle))
    if count < n then
      low, n = middle, n - count
    else
      high = middle
    end
  end
  return high
end

-- loading -----------------------------------------------------------------------------------

--- The start of the line of a byte, or of a piece of it if that is far.
---@return integer offset
---@return boolean begins
local function row_start(self, byte)
  local before = math.max(byte - M.PIECE, 0)
  local text = read(self, before, byte - before + 1)
  local newline = text:sub(1, -2):match "^.*()\n"
  if newline then return before + newline, true end
  if before == 0 then return 0, true end
  local at = text:sub(-1) == "\n" and #text - 1 or #text -- a newline has no row of its own
  for back = 0, 3 do -- to the start of a char
    local lead = text:byte(at - back)
    if lead < 128 or lead >= 192 then return before + at - back - 1, false end
  end
  return before + at - 1, false
end

--- Show the text around a byte: from its row on.
---@param byte integer
---@param bytes? integer to read
function Excerpt:load(byte, bytes)
  byte = math.max(math.min(byte, self.source.size - 1), 0)
  local first, begins = row_start(self, byte)
  self.rows, self.from, self.to, self.first_line = {}, first, first, nil
  self.next_begins = begins
  self:read_after(bytes)
end

--- Drop rows from one end so that the excerpt stays small; returns how many.
local function drop(self, at_end)
  local rows, count = self.rows, 0
  local function too_much()
    local bytes = self.to - self.from
    return #rows - count > 1 and (bytes > M.MOST_BYTES or #rows - count > M.MOST_HELD)
  end
  while too_much() do
    local row = at_end and rows[#rows - count] or rows[count + 1]
    count = count + 1
    if at_end then
      self.to = row.first
      self.next_begins = row.begins
    else
      self.from = rows[count + 1].first
    end
  end
  if count == 0 then return 0 end
  local left = {}
  if not at_end then self.first_line = self:line_of(count + 1) end
  for i = at_end and 1 or count + 1, at_end and #rows - count or #rows do
    left[#left + 1] = rows[i]
  end
  self.rows = left
  return count
end

--- Is there text after the excerpt?
function Excerpt:has_after()
  return self.to < self.source.size
end

--- Is there text before the excerpt?
function Excerpt:has_before()
  return self.from > 0
end

--- Read the block after the excerpt.
---@param bytes? integer
---@return integer added rows at the end
---@return integer dropped rows at the start
function Excerpt:read_after(bytes)
  if not self:has_after() then return 0, 0 end
  local text = read(self, self.to, bytes or M.BLOCK)
  local final = self.to + #text >= self.source.size and "end" or nil
  local rows, taken = rows_in(text, self.to, self.next_begins, final, M.MOST_ROWS)
  for _, row in ipairs(rows) do
    self.rows[#self.rows + 1] = row
  end
  self.to = self.to + taken
  if rows[1] then self.next_begins = rows[#rows].ends end
  number_rows(self)
  return #rows, drop(self, false)
end

--- Read the block before the excerpt.
---@param bytes? integer
---@return integer added rows at the start
---@return integer dropped rows at the end
function Excerpt:read_before(bytes)
  if not self:has_before() then return 0, 0 end
  local start = math.max(self.from - (bytes or M.BLOCK) - 1, 0) -- a byte more, which may end a line
  local text = read(self, start, self.from - start)
  local first, begins = 1, start == 0
  if not begins then
    local newline = text:find("\n", 1, true)
    begins = newline ~= nil and newline < #text
    first = begins and newline + 1 or char_start(text, 2)
  end
  local lines = strings.newlines(text)
  if lines > M.MOST_ROWS then -- the rest would be read in vain
    first, begins = after_newline(text, lines - M.MOST_ROWS) + 1, true
  end
  local rows = rows_in(text:sub(first), start + first - 1, begins, "inside", math.huge)
  local spare = math.max(#rows - M.MOST_ROWS, 0)
  local all = {}
  for i = spare + 1, #rows do
    all[#all + 1] = rows[i]
  end
  local added = #all
  for _, row in ipairs(self.rows) do
    all[#all + 1] = row
  end
  self.rows, self.from = all, all[1].first
  if self.first_line then self.first_line = self.first_line - count_begins(all, 2, added + 1) end
  number_rows(self)
  return added, drop(self, true)
end

-- finding a line or a text -----------------------------------------------------------------------

local LEARN_EVERY = 64 * 1024 * 1024 -- bytes between two places that are remembered

--- A search for the start of a line, from the known place nearest to it in lines.
---@param line integer
---@return fun(bytes: integer): boolean, integer step reads so much: whether the search is over, and the offset, that of
---  the end of the text if it has no such line; else the place it has reached
function Excerpt:seek(line)
  local i = ranges.last(self.known, "line", line)
  local low, high = self.known[i], self.known[i + 1]
  if low.line == line then high = low end -- a byte of that line: its start is before it
  if not high or high ~= low and line - low.line <= high.line - line then
    local at, left, learned = low.byte, line - low.line, low.byte
    return function(bytes)
      local text = read(self, at, bytes)
      if text == "" then return true, self.source.size end
      local count = strings.newlines(text)
      if count >= left then return true, at + (left > 0 and after_newline(text, left) or 0) end
      at, left = at + #text, left - count
      if at - learned >= LEARN_EVERY then
        self:learn(at, line - left)
        learned = at
      end
      return false, at
    end
  end
  local at, left = high.byte, high.line - line + 1 -- newlines before it, the one that ends the line before included
  return function(bytes)
    local start = math.max(at - bytes, 0)
    local text = read(self, start, at - start)
    local count = strings.newlines(text)
    if count >= left then return true, start + after_newline(text, count - left + 1) end
    at, left = start, left - count
    if at == 0 then return true, 0 end
    return false, at
  end
end

--- The last place of bytes in a text; nil when they are not in it.
local function last_find(text, needle)
  local _, last = text:reverse():find(needle:reverse(), 1, true)
  return last and #text - last + 1
end

--- A count of the lines before the excerpt, from the known place nearest to it, so that its rows get their numbers.
---@param most integer bytes that may be read
---@return (fun(bytes: integer): boolean)|nil step reads so much: whether the count is over; nil if there is none. The
---  excerpt may be elsewhere by then, and its lines unknown
function Excerpt:count(most)
  local target = self.from
  local i = ranges.last(self.known, "byte", target)
  local low, high = self.known[i], self.known[i + 1]
  local is_after = high and high.byte - target < target - low.byte
  local place = is_after and high or low
  if self.first_line or #self.rows == 0 or math.abs(target - place.byte) > most then return nil end
  local at, last = math.min(place.byte, target), math.max(place.byte, target)
  local newlines = 0
  return function(bytes)
    local text = read(self, at, math.min(bytes, last - at))
    newlines, at = newlines + strings.newlines(text), at + #text
    if at < last and text ~= "" then return false end
    local found = { byte = target, line = place.line + (is_after and -newlines or newlines) }
    self:learn(found.byte, found.line)
    number_rows(self, found)
    return true
  end
end

--- A search for bytes, block by block.
---@param needle string not empty
---@param from integer offset of the first byte at which they may start; of a search backwards, the offset past it
---@param backwards? boolean
---@return fun(bytes: integer): boolean, integer|nil step reads so much: whether the search is over, and the offset of
---  the match; else the place it has reached
function Excerpt:search(needle, from, backwards)
  local at = from
  if backwards then
    return function(bytes)
      local start = math.max(at - bytes, 0)
      local found = last_find(read(self, start, at - start + #needle - 1), needle)
      at = start
      if found then return true, start + found - 1 end
      return start == 0, start > 0 and start or nil
    end
  end
  return function(bytes)
    local found = read(self, at, bytes + #needle - 1):find(needle, 1, true)
    if found then return true, at + found - 1 end
    at = at + bytes
    local over = at >= self.source.size
    return over, not over and at or nil
  end
end

-- columns ------------------------------------------------------------------------------------------

--- The last byte up to `at` that a char may start after in any case: up to there a text shows on its own.
local function boundary(raw, at)
  for back = 0, 3 do
    local following = raw:byte(at - back + 1)
    if not following or following < 128 or following >= 192 then return at - back end
  end
  return at -- the byte after four that continue a char continues none
end

--- The bytes that a piece of a row shows as.
local function shown_bytes(piece)
  return piece:find "[^\32-\126]" and #visible(piece) or #piece
end

--- The places of a row's bytes on the screen: a function from offsets, each not below the one before, to columns in
--- bytes of the text.
---@param row abridge.nvim.ExcerptRow
---@return fun(byte: integer): integer column 0-based
function M.columns(row)
  local done, column = 0, 0
  return function(byte)
    local bytes = math.max(math.min(byte - row.first, row.bytes), 0)
    if not row.raw then return bytes end
    local safe = math.max(boundary(row.raw, bytes), done)
    if safe > done then
      column = column + shown_bytes(row.raw:sub(done + 1, safe))
      done = safe
    end
    return column + shown_bytes(row.raw:sub(safe + 1, bytes))
  end
end

return M
