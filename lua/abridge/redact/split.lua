--- Secrets split by invisible bytes (escape sequences, C1 controls, chars without width), or spelled with escapes,
--- like those of JSON and of names in our listings. A model, or anyone reading along, puts the parts together and reads
--- the escapes, so a line is also checked without them.

local core = require "abridge.base.core_loader"
local strings = require "abridge.base.strings"
local escapes = require "abridge.redact.escapes"
local rules = require "abridge.redact.rules"

local find, sub = string.find, string.sub

local M = {}

local HIDDEN = rules.hidden

--- A way to read a line besides byte for byte.
---@class (exact) abridge.redact.Reading
---@field of fun(text: string): string
---@field apart? fun(head: string, tail: string): string, string

local SEQUENCES = {
  of = function(text)
    return core.seen(text, true)
  end,
}
local ESCAPES_ALONE = { -- for a sequence that would take a byte of the secret
  of = function(text)
    return core.seen(text, false)
  end,
}
local SPELLED = { of = escapes.read, apart = escapes.apart }

--- What to show of a line: `shown`, the redacted line; or the redacted reading, if only that hides something. If they
--- hide different parts, everything between is hidden.
local function unsplit(redacted, line, shown, reading)
  local plain = reading.of(line)
  if plain == line then return shown end
  local hidden = redacted(plain)
  if hidden == plain or hidden == reading.of(shown) then return shown end
  if shown == line then return hidden end
  local head, tail = strings.common(line, shown)
  local before, behind = sub(line, 1, head), sub(line, #line - tail + 1)
  if reading.apart then
    before, behind = reading.apart(before, behind)
  end
  local first, last = #reading.of(before), #reading.of(behind)
  local kept_first, kept_last = strings.common(plain, hidden)
  -- even if the reading hides around all that the line hides: between, it may show some of that
  return sub(plain, 1, math.min(first, kept_first)) .. HIDDEN .. sub(plain, #plain - math.min(last, kept_last) + 1)
end

local MOST_SPELLED = 3 -- spellings inside each other: JSON in a string of JSON

local function redacted_line(kind, line, depth)
  local function redacted(text)
    return sub(kind:lines("\n" .. text .. "\n"), 2, -2)
  end
  local shown = redacted(line)
  if core.has_unseen(line) then
    local first = shown
    shown = unsplit(redacted, line, first, SEQUENCES)
    if shown == first and find(line, "\27", 1, true) then shown = unsplit(redacted, line, first, ESCAPES_ALONE) end
  end
  if depth == MOST_SPELLED or not escapes.any(line) then return shown end
  return unsplit(function(text)
    return redacted_line(kind, text, depth + 1)
  end, line, shown, SPELLED)
end

--- Does `shown` hide all that is to be hidden in the lines, read that way?
local function hides_all(kind, lines, shown, reading)
  local plain = reading.of(lines)
  return kind:lines(plain) == (shown == lines and plain or reading.of(shown))
end

--- Does `shown` hide all that is to be hidden in the lines without their invisible bytes?
local function splits_nothing(kind, lines, shown)
  if not core.has_unseen(lines) then return true end
  if not hides_all(kind, lines, shown, SEQUENCES) then return false end
  return not find(lines, "\27", 1, true) or hides_all(kind, lines, shown, ESCAPES_ALONE)
end

--- Are the lines' escapes free of secrets?
local function spells_nothing(kind, lines)
  local spelled = escapes.lines(lines)
  for _ = 1, spelled and MOST_SPELLED or 0 do
    local plain = escapes.read(spelled)
    if plain == spelled then return true end
    if kind:lines(plain) ~= plain or not splits_nothing(kind, plain, plain) then return false end
    spelled = plain
  end
  return true
end

local function is_plain(text)
  return not (core.has_unseen(text) or escapes.any(text))
end

--- Whole lines, a newline before the first and after each, special ones taken one by one, the others as many as stand
--- together.
---@param lines string
---@param are_plain fun(line: string): boolean
---@param some fun(lines: string): string of plain lines, a newline before the first and after each
---@param single fun(line: string): string of a special line
---@return string
function M.each(lines, are_plain, some, single)
  local out, from, at = { "\n" }, 2, 2 -- from..at: plain lines
  local function take_plain()
    if from < at then out[#out + 1] = sub(some("\n" .. sub(lines, from, at - 1)), 2) end
  end
  while at <= #lines do
    local stop = find(lines, "\n", at, true)
    local line = sub(lines, at, stop - 1)
    if not are_plain(line) then
      take_plain()
      out[#out + 1] = single(line) .. "\n"
      from = stop + 1
    end
    at = stop + 1
  end
  take_plain()
  return table.concat(out)
end

--- Redact whole lines, a newline before the first and after each, as `kind` does, and split secrets too.
---@param kind table of patterns.lua or functions.lua
---@param lines string
---@return string
function M.lines(kind, lines)
  if is_plain(lines) then return kind:lines(lines) end
  if not kind.calls then -- all at once, as this calls no function of the caller's
    local shown = kind:lines(lines)
    if splits_nothing(kind, lines, shown) and spells_nothing(kind, lines) then return shown end
  end
  return M.each(lines, is_plain, function(some)
    return kind:lines(some)
  end, function(line)
    return redacted_line(kind, line, 0)
  end)
end

return M
