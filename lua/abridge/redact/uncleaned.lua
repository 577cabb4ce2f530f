--- Redaction of a text whose movements have yet to act, as `core.strip` leaves it: an overwritten line is hidden before
--- parts of it show, and a secret with a dropped byte inside before its parts are joined.
---
--- A line is read in four ways, and anything hidden in one of them is hidden:
--- - each stretch between two marks (movements, gaps where bytes were dropped) as a line of its own,
--- - each stretch between two movements that move the cursor, without the marks in it,
--- - the whole line, moves in it: `\r` and `\b` as they are, a sequence to the left as `\b`, any other as `\r`,
--- - as it shows in the end: what the others hide in part can no longer be seen there.
--- No pattern or function sees the bytes of a sequence, so none is left in part.

local core = require "abridge.base.core_loader"
local functions = require "abridge.redact.functions"
local rules = require "abridge.redact.rules"
local split = require "abridge.redact.split"
local strings = require "abridge.base.strings"

local byte, find, gmatch, gsub, sub = string.byte, string.find, string.gmatch, string.gsub, string.sub
local concat = table.concat

local M = {}

local HIDDEN = rules.hidden
local MARK = "[%z\b\r\27]" -- starts a mark
local SEQUENCE = "^\27%[[%d;]*([@-~])"
local ALONE = "^\27[78DEMc]"
local ERASING = "\27%[[%d;]*[JK@PX]" -- writing goes on at the same place
local LEFT = "\27%[[%d;]*D"
local MOVING = "\27%[[%d;]*[A-H`adefsu]"
local MOVING_ALONE = "\27[78DEMc]"
local CANCELED = "\27\24" -- marks dropped bytes, if NULs are kept

-- marks ------------------------------------------------------------------------------------

--- How a sequence with this end is read.
local READS = { D = "\b" }
for final in ("JK@PX"):gmatch "." do
  READS[final] = ""
end
for final in ("ABCEFGH`adefsu"):gmatch "." do
  READS[final] = "\r"
end

--- The next mark of a line: its first and last byte, and how it is read ("" for one that moves nothing).
local function next_mark(line, at)
  local first = find(line, MARK, at)
  while first do
    local code = byte(line, first)
    if code == 0 then return first, first, "" end
    if code ~= 27 then return first, first, code == 13 and "\r" or "\b" end
    local _, last, final = find(line, SEQUENCE, first)
    if last and READS[final] then return first, last, READS[final] end
    if find(line, ALONE, first) then return first, first + 1, "\r" end
    if sub(line, first, first + 1) == CANCELED then return first, first + 1, "" end
    first = find(line, MARK, first + 1) -- a sequence that the caller keeps
  end
end

--- The parts of a line between its marks, the marks, and how these are read.
local function parted(line)
  local parts, marks, reads, n = {}, {}, {}, 0
  local at = 1
  while true do
    local first, last, read = next_mark(line, at)
    if not first then break end
    n = n + 1
    parts[n], marks[n], reads[n] = sub(line, at, first - 1), sub(line, first, last), read
    at = last + 1
  end
  parts[n + 1] = sub(line, at)
  return parts, marks, reads
end

--- Parts `from` to `to`, joined by the entries of `between`.
local function woven(parts, between, from, to)
  local out, n = {}, 0
  for i = from, to do
    out[n + 1], out[n + 2] = parts[i], i < to and between[i] or ""
    n = n + 2
  end
  return concat(out)
end

--- How many bytes of a line are its first `n` as it reads; marks behind them that move nothing come with them.
local function place(line, n)
  local at = 1
  while true do
    local first, last, read = next_mark(line, at)
    local text = (first or #line + 1) - at
    if not first or text > n or text == n and read ~= "" then return at - 1 + n end
    n = n - text - #read
    at = last + 1
  end
end

-- readings ---------------------------------------------------------------------------------

--- Lines with `by` in place of the marks that move nothing.
local function without_gaps(lines, by)
  if find(lines, "%z") then lines = gsub(lines, "%z", by) end
  if find(lines, "\27", 1, true) then lines = gsub(gsub(lines, ERASING, by), CANCELED, by) end
  return lines
end

--- Lines with their movements read as `\r` and `\b`.
local function as_read(lines)
  if not find(lines, "\27", 1, true) then return lines end
  return (gsub(gsub(gsub(lines, LEFT, "\b"), MOVING, "\r"), MOVING_ALONE, "\r"))
end

--- Lines, so read, with an end in place of every move.
local function ended(read)
  return (gsub(read, "[\b\r]", "\n"))
end

--- Lines as they show in the end, with the control bytes that the caller keeps.
local function as_seen(lines)
  return (core.clean(gsub(gsub(lines, "%z", ""), CANCELED, ""), { control = false }))
end

--- Are lines free of secrets, however they are read?
local function hides_nothing(base, lines)
  local read = as_read(lines)
  local whole = without_gaps(read, "")
  local stretches = ended(whole)
  local apart = whole == read and stretches or ended(without_gaps(read, "\n"))
  local function shows(text)
    return split.lines(base, text) == text
  end
  return shows(apart)
    and (stretches == apart or shows(stretches))
    and (whole == stretches or shows(whole) and shows("\n" .. as_seen(lines) .. "\n"))
end

-- lines ------------------------------------------------------------------------------------

local Kind = {}
Kind.__index = Kind
Kind.room = functions.room
Kind.step, Kind.step_back = 8, 64 -- from a place where a long line may be split to the next: readings cost more

--- Redact a text that is one line and has no marks.
function Kind:plain(text)
  if text == "" then return "" end
  return sub(split.lines(self.base, "\n" .. text .. "\n"), 2, -2)
end

--- Redact texts without marks, each as a line; empty ones don't count.
function Kind:each(texts)
  local lines, shown, n = {}, {}, 0
  for _, text in ipairs(texts) do
    if text ~= "" then lines[#lines + 1] = text end
  end
  if #lines == 0 then return texts end
  for line in gmatch(split.lines(self.base, "\n" .. concat(lines, "\n") .. "\n"), "([^\n]*)\n") do
    shown[n], n = line, n + 1 -- the first is before the first newline
  end
  local at, out = 0, {}
  for i, text in ipairs(texts) do
    if text ~= "" then at = at + 1 end
    -- a replacement may have a newline
    out[i] = text == "" and "" or n == #lines + 1 and shown[at] or self:plain(text)
  end
  return out
end

--- What to show of a line that reads as `read`: `apart`, if its parts were redacted each alone, and `together`, if it
--- was as a whole. `shown` is `apart` with its marks.
local function united(line, read, apart, together, shown)
  if together == read or together == apart then return shown end
  local head, tail = strings.common(read, together)
  local middle = sub(together, head + 1, #together - tail)
  if apart ~= read then -- each hides something that the other shows
    local first, last = strings.common(read, apart)
    head, tail, middle = math.min(head, first), math.min(tail, last), HIDDEN
  end
  return sub(line, 1, place(line, head)) .. middle .. sub(line, place(line, #read - tail) + 1)
end

--- Redact a line with marks.
function Kind:marked(line)
  local parts, marks, reads = parted(line)
  local shown = self:each(parts)
  local firsts, stretches, moves = {}, {}, {} -- of the stretches between moves
  local from = 1
  for i = 1, #parts do
    local read = reads[i]
    if read ~= "" then
      local n = #firsts + 1
      firsts[n], stretches[n], moves[n] = from, concat(parts, "", from, i), read
      from = i + 1
    end
  end
  local joined = self:each(stretches)
  local apart, out = {}, {}
  for i, stretch in ipairs(stretches) do
    local first, last = firsts[i], (firsts[i + 1] or #parts + 1) - 1
    local told = concat(shown, "", first, last)
    out[i] = woven(shown, marks, first, last)
    if joined[i] ~= told and joined[i] ~= stretch then
      out[i] = united(woven(parts, marks, first, last), stretch, told, joined[i], out[i])
      told = without_gaps(out[i], "")
    end
    apart[i] = told
    firsts[i] = marks[last]
  end
  local all = woven(out, firsts, 1, #out)
  if #out == 1 then return all end
  local read = woven(stretches, moves, 1, #out)
  return united(line, read, woven(apart, moves, 1, #out), self:plain(read), all)
end

--- Redact a line.
function Kind:call(line)
  if not find(line, MARK) then return self:plain(line) end
  if hides_nothing(self.base, "\n" .. line .. "\n") then return line end
  local shown = self:marked(line)
  local seen = as_seen(line)
  local told = self:plain(seen)
  local left = as_seen(shown)
  if told == seen or told == left then return shown end
  local head, tail = strings.common(seen, told)
  local first, last = strings.common(seen, left)
  return sub(seen, 1, math.min(head, first)) .. HIDDEN .. sub(seen, #seen - math.min(tail, last) + 1)
end

-- texts ------------------------------------------------------------------------------------

local function has_no_marks(line)
  return not find(line, MARK)
end

--- Redact whole lines, a newline before the first and after each.
---@param lines string
---@return string
function Kind:whole(lines)
  if has_no_marks(lines) then return split.lines(self.base, lines) end
  if hides_nothing(self.base, lines) then return lines end
  return split.each(lines, has_no_marks, function(some)
    return split.lines(self.base, some)
  end, function(line)
    return self:call(line)
  end)
end

-- long lines -------------------------------------------------------------------------------

--- A line over 64 KiB, split at places that make no difference; longer matches of patterns are hidden before.
local Long = {}
Long.__index = Long

--- Start a line over 64 KiB.
function Kind:long_line()
  local first = self.base.long_matches and self.base:long_matches()
  local pieces = functions.long_line(self)
  if not first then return pieces end
  return setmetatable({ first = first, pieces = pieces, text = "" }, Long)
end

--- Take as much of it as can be redacted.
function Long:take(text, from, to, out)
  local ready = { self.text }
  from = self.first:take(text, from, to, ready)
  self.text = concat(ready)
  self.text = sub(self.text, self.pieces:take(self.text, 1, #self.text, out))
  return from
end

--- The end of the line.
function Long:close(text, from, to, out)
  local ready = { self.text }
  self.first:close(text, from, to, ready)
  local rest = concat(ready)
  self.pieces:close(rest, self.pieces:take(rest, 1, #rest, out), #rest, out)
end

--- Bytes that are held back.
function Long:held()
  return #self.text + self.first:held()
end

--- A redactor's kind for texts as `core.strip` leaves them.
---@param base table the kind for a text as it is
---@return table kind
function M.new(base)
  return setmetatable({ base = base }, Kind)
end

-- cleaning ---------------------------------------------------------------------------------

--- A cleaner whose text was redacted before its movements acted; its owner redacts the result once more.
---@class abridge.redact.Cleaner
---@field private stripper userdata
---@field private redaction abridge.redact.Stream
---@field private cleaner userdata
local Cleaner = {}
Cleaner.__index = Cleaner

--- The next chunk; returns text that is final.
---@param chunk string
---@return string
function Cleaner:write(chunk)
  return self.cleaner:write(self.redaction:feed(self.stripper:write(chunk)))
end

--- Text that may still change. Text that redaction holds back is not in it.
---@return string
function Cleaner:pending()
  return self.cleaner:pending()
end

--- The rest of the text.
---@return string
function Cleaner:finish()
  local rest = self.redaction:feed((self.stripper:finish())) .. self.redaction:finish()
  return self.cleaner:write(rest) .. self.cleaner:finish()
end

--- Release the memory. Idempotent.
function Cleaner:close()
  self.stripper:close()
  self.cleaner:close()
end

--- A cleaner for a text that is redacted.
---@param redaction abridge.redact.Stream of the kind above
---@param opts table|nil as of abridge.clean
---@return abridge.redact.Cleaner
function M.cleaner(redaction, opts)
  return setmetatable({ stripper = core.stripper(opts), redaction = redaction, cleaner = core.cleaner(opts) }, Cleaner)
end

return M
