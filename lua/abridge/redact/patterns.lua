--- Redaction by a list of Lua patterns.
---
--- Patterns are applied in order, each to the result of the one before, as by string.gsub. In a longer line a pattern
--- decides a place once the 256 bytes from there and the next one are seen, and continues after a match that crosses a
--- border. That is gsub on the whole line, unless a match has more than 256 bytes. A longer one that runs into the end
--- of the bytes seen is hidden, whether or not a `$` of the pattern is reached; so are the bytes after it, as far as
--- the pattern matches its first 256 bytes followed by them. Not hidden is a match of more than 256 bytes that only its
--- end gives away (`BEGIN.-END`) if it crosses a border. Cost: for every 32 to 64 KiB a plain search for the longest
--- literal of each pattern; if that is found, a string.find, and if that matches, a string.gsub. A text in which
--- nothing matches is not copied.

local rules = require "abridge.redact.rules"

local find, gsub, sub = string.find, string.gsub, string.sub
local concat = table.concat

local M = {}

local PIECE, OVERLAP = rules.piece, rules.overlap

-- long lines -----------------------------------------------------------------------------

--- The replacement of one match; `found` has the results of string.find.
local function expanded(rule, text, found)
  if rule.constant then return rule.constant end
  return (
    gsub(rule.replacement, "%%(.)", function(escaped)
      if escaped == "%" then return "%" end
      local index = tonumber(escaped)
      return index > 0 and found[index + 2] or sub(text, found[1], found[2])
    end)
  )
end

--- Apply a pattern with %b, which does not stop at a newline.
local function each_line(rule, text)
  return "\n"
    .. gsub(sub(text, 2), "[^\n]*\n", function(line)
      line = "\n" .. line
      if find(line, rule.pattern) then return sub(gsub(line, rule.pattern, rule.replacement), 2) end
    end)
end

--- A long line under one pattern: the bytes seen and not decided yet.
local function long_rule(rule, least)
  return {
    rule = rule,
    least = least, -- bytes of a match that is hidden
    before = "\n", -- the byte before `rest`
    rest = "", -- a match may start here whose end is not seen yet
    open = nil, -- the byte before and the first bytes of a match that may continue
  }
end

--- How many bytes of the next block belong to the match that ran to the end of the last one; and whether it continues.
local function continued(long, block, last)
  local text = long.open .. block .. "\n"
  local _, stop = find(text, long.rule.anchored, 2)
  local more = stop and math.max(stop - #long.open, 0) or 0
  return more, more == #block and not last
end

--- Take the next block of a long line; returns the decided part, redacted.
local function pass(long, block, last)
  local rule = long.rule
  local from = 2
  if long.open then
    local more, goes_on = continued(long, block, last)
    if goes_on then return "" end
    from, long.open = from + more, nil
  end
  local text = long.before .. long.rest .. block .. "\n"
  local size = #text - 1
  local decided = last and size or size - OVERLAP -- the last place where a match may start
  local out = {}
  if not rule.literal or find(text, rule.literal, from, true) then
    while true do
      local found = { find(text, rule.pattern, from) }
      local start, stop = found[1], found[2]
      if not start or start > decided then break end
      out[#out + 1] = sub(text, from, start - 1)
      out[#out + 1] = stop - start < long.least and sub(text, start, stop) or expanded(rule, text, found)
      from = stop + 1
      if stop == size and not last then long.open = sub(text, start - 1, start + OVERLAP - 1) end
    end
  end
  local keep = math.max(from, decided + 1)
  out[#out + 1] = sub(text, from, keep - 1)
  long.before, long.rest = sub(text, keep - 1, keep - 1), sub(text, keep, size)
  return concat(out)
end

-- texts ----------------------------------------------------------------------------------

local Patterns = {}
Patterns.__index = Patterns
Patterns.room = PIECE -- bytes of a line that may have to be held

--- Redact whole lines, a newline before the first and after each.
function Patterns:lines(text)
  for _, rule in ipairs(self.rules) do
    if not rule.literal or find(text, rule.literal, 1, true) then
      if rule.balanced then
        text = each_line(rule, text)
      elseif find(text, rule.pattern) then
        text = gsub(text, rule.pattern, rule.replacement)
      end
    end
  end
  return text
end

local PatternLine = {}
PatternLine.__index = PatternLine

local function long_line(self, least)
  local line = setmetatable({}, PatternLine)
  for i, rule in ipairs(self.rules) do
    line[i] = long_rule(rule, least)
  end
  return line
end

--- Start a line over 64 KiB.
function Patterns:long_line()
  return long_line(self, 0)
end

--- The same, but only matches that may be too long to be seen in pieces are hidden.
function Patterns:long_matches()
  return long_line(self, OVERLAP)
end

--- Put a block through every pattern in turn.
function PatternLine:block(block, last, out)
  for _, long in ipairs(self) do
    if block ~= "" or last then block = pass(long, block, last) end
  end
  out[#out + 1] = block
end

--- Take as much of a long line as can be redacted; text[from .. to] is its next part. Returns the start of the rest.
function PatternLine:take(text, from, to, out)
  while to - from + 1 > PIECE do
    self:block(sub(text, from, from + PIECE - 1), false, out)
    from = from + PIECE
  end
  return from
end

--- The end of the line.
function PatternLine:close(text, from, to, out)
  self:block(sub(text, from, to), true, out)
end

--- Bytes that are held back.
function PatternLine:held()
  local bytes = 0
  for _, long in ipairs(self) do
    bytes = bytes + #long.rest + #(long.open or "")
  end
  return bytes
end

--- A redactor's kind that applies these rules in order.
---@param list abridge.redact.Rule[]
---@return table kind
function M.new(list)
  return setmetatable({ rules = list }, Patterns)
end

return M
