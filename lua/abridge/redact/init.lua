--- Redaction of secrets that must never be cut, shown, logged or written. A redactor is a function of whole lines or a
--- list of Lua patterns; it works on texts, on streams in bounded memory, and on plain data.
---
--- Both kinds keep these rules:
--- - A line is handed over without its newline; a `\r` before it belongs to the line. Nothing matches across lines.
--- - Every chunking of the same bytes gives the same text, which is that of `text`.
--- - A line of at most 64 KiB is seen whole.
--- - A longer line is taken in pieces, split at places that depend on the line alone. A secret of at most 256 bytes,
---   counted with everything the pattern or function must see to recognise it, is hidden wherever it is; a line without
---   secrets passes byte for byte.
---
--- patterns.lua and functions.lua tell how longer lines are split, which parts of longer secrets are not hidden, and
--- the cost.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local data = require "abridge.redact.data"
local functions = require "abridge.redact.functions"
local patterns = require "abridge.redact.patterns"
local rules = require "abridge.redact.rules"
local split = require "abridge.redact.split"
local uncleaned = require "abridge.redact.uncleaned"

local byte, find, sub = string.byte, string.find, string.sub
local concat = table.concat

local M = {}

local PIECE = rules.piece
local FEW_PARTS = 128 -- chunks held before they are joined

-- streams ----------------------------------------------------------------------------------

---@class abridge.redact.Stream One text on its way through a redactor.
local Stream = {}
Stream.__index = Stream

--- The last byte of the whole lines from `at` on that are taken at once, none over 64 KiB.
local function lines_end(text, at)
  local half = PIECE / 2
  local newline = find(text, "\n", at + half, true)
  if newline and newline - at <= PIECE then return newline end
  local near = sub(text, at, at + half - 1)
  local back = find(near:reverse(), "\n", 1, true)
  return back and at + #near - back
end

--- The text of whole lines from `at` to `stop`, with a newline before the first and after the last.
local function framed(text, at, stop)
  local lines = at > 1 and sub(text, at - 1, stop) or "\n" .. sub(text, 1, stop)
  return byte(text, stop) == 10 and lines or lines .. "\n"
end

--- Redact as much of a text as can be decided; the rest is held.
---@param text string
---@param last boolean the text ends here
---@return string
function Stream:run(text, last)
  local kind, out = self.kind, {}
  local at, same = 1, 1 -- the next byte; from `same` up to it the text is shown as it is
  local function show()
    if same < at then out[#out + 1] = sub(text, same, at - 1) end
  end
  while at <= #text do
    if self.long then
      local newline = find(text, "\n", at, true)
      local stop = newline and newline - 1 or #text
      show()
      at = self.long:take(text, at, stop, out)
      same = at
      if not newline and not last then break end
      self.long:close(text, at, stop, out)
      self.long = nil
      at, same = stop + (newline and 2 or 1), stop + 1
    else
      local stop = lines_end(text, at)
      if not stop then
        local size = (find(text, "\n", at, true) or #text + 1) - at
        if size > PIECE then
          self.long = kind:long_line()
        elseif last then
          stop = #text
        else
          break
        end
      end
      if stop then
        local lines = framed(text, at, stop)
        local shown = (kind.whole or split.lines)(kind, lines)
        if shown ~= lines then
          show()
          same = stop + 1
          out[#out + 1] = sub(shown, 2, byte(text, stop) == 10 and -1 or -2)
        end
        at = stop + 1
      end
    end
  end
  self:hold(sub(text, at))
  if same == 1 and at > #text then return text end
  show()
  return concat(out)
end

--- Keep a chunk for later, without joining everything held each time.
function Stream:hold(chunk)
  if chunk == "" then return end
  local parts = self.parts
  parts[#parts + 1] = chunk
  self.bytes, self.loose = self.bytes + #chunk, self.loose + 1
  if self.loose == FEW_PARTS then
    local first = #parts - FEW_PARTS + 1
    local joined = concat(parts, "", first)
    for i = #parts, first + 1, -1 do
      parts[i] = nil
    end
    parts[first], self.loose = joined, 0
  end
end

--- Take out everything held.
function Stream:release(chunk)
  if self.bytes == 0 then return chunk end
  local parts = self.parts
  parts[#parts + 1] = chunk
  self.parts, self.bytes, self.loose = {}, 0, 0
  return concat(parts)
end

--- Bytes held back: at most 64 KiB + 511, and of a line over 64 KiB another 256 to 257 a pattern.
---@return integer
function Stream:held()
  return self.bytes + (self.long and self.long:held() or 0)
end

--- The next bytes of the text. The concatenation of all that `feed` and `finish` return is the same however the text
--- was split. A line is searched once, for chunks of any size; a short chunk costs a table entry.
---@param chunk string
---@return string redacted what is ready; it may be empty
function Stream:feed(chunk)
  if self.bytes + #chunk <= self.kind.room and not find(chunk, "\n", 1, true) then
    self:hold(chunk)
    return ""
  end
  return self:run(self:release(chunk), false)
end

--- The result that `feed` would have for these bytes; the stream stays as it is. Empty within a line over 64 KiB.
---@param chunk string
---@return string redacted
function Stream:preview(chunk)
  if self.long then return "" end
  local copy = setmetatable({ kind = self.kind, parts = {}, bytes = 0, loose = 0, long = nil }, Stream)
  return copy:feed(concat(self.parts) .. chunk)
end

--- The end of the text. Anything fed after it is a new text.
---@return string redacted the rest
function Stream:finish()
  return self:run(self:release "", true) -- of a long line at least a byte is left
end

-- redactors --------------------------------------------------------------------------------

---@class abridge.Redactor
--- the first failure of the function: it raised, or returned no string. The line in question was shown as
--- "[redacted]". The message may quote the line: it is for the host, not for a log or a model.
---@field error? string
local Redactor = {}
Redactor.__index = Redactor

--- Start a stream. Streams of one redactor do not touch each other.
---@return abridge.redact.Stream
function Redactor:stream()
  return setmetatable({ kind = self.kind, parts = {}, bytes = 0, loose = 0, long = nil }, Stream)
end

--- A text redacted; the very string that came in when there is nothing to hide in lines of at most 64 KiB.
---@param text string
---@return string
function Redactor:text(text)
  return self:stream():run(text, true)
end

--- A stream of a text as `core.strip` leaves it.
local function stripped_stream(self)
  local kind = uncleaned.new(self.kind)
  return setmetatable({ kind = kind, parts = {}, bytes = 0, loose = 0, long = nil }, Stream)
end

--- A text that is being cleaned, redacted between the two steps: `core.strip` is done, movements have yet to act. The
--- result has to be redacted once more.
---@param text string
---@return string
function Redactor:stripped(text)
  return stripped_stream(self):run(text, true)
end

--- A text cleaned, redacted before its movements act. The result has to be redacted once more.
---@param text string
---@param opts? table as of abridge.clean
---@param goes_on? boolean more may follow: of the last line nothing is taken
---@return string
function Redactor:cleaned(text, opts, goes_on)
  local stream = stripped_stream(self)
  text = core.strip(text, opts)
  return (core.clean(goes_on and stream:feed(text) or stream:run(text, true), opts))
end

--- The same for a text that comes in chunks: a cleaner as the core's.
---@param opts? table as of abridge.clean
---@return abridge.redact.Cleaner
function Redactor:cleaner(opts)
  return uncleaned.cleaner(stripped_stream(self), opts)
end

--- A deep copy of plain data in which every string is redacted, keys too; keys that become equal are numbered. A
--- number whose digits are hidden becomes a string of the rest, and a value is hidden if it is hidden together with
--- its key, as `"key":"value"`. Other values stay as they are. Metatables, and keys that are tables, are left out; a
--- table more than 200 tables deep shows as "[redacted]".
---@param value any
---@return any copy
---@return boolean changed
function Redactor:data(value)
  return data.of(self, value)
end

--- A text redacted as by `text`; if it is a JSON document, as data, so that secrets spelled with escapes are seen.
---@param text string
---@return string
function Redactor:document(text)
  return data.text(self, text)
end

--- A text that was meant as JSON but is not, redacted as it stands and as its escapes read.
---@param text string
---@return string
function Redactor:broken_json(text)
  return data.broken(self, text)
end

--- Make a redactor. Raises at the caller's level, or `deeper` levels further out, naming the fault in `spec`.
---@param who string the public function, for messages
---@param spec (fun(line: string): string)|(string|{ [1]: string, [2]: string|nil })[] a function of lines, or Lua
---  patterns, each alone or with a replacement as string.gsub takes it ("[redacted]" unless given)
---@param deeper? integer
---@return abridge.Redactor
function M.compile(who, spec, deeper)
  local self = setmetatable({}, Redactor)
  if type(spec) == "function" then
    self.kind = functions.new(spec, self)
    return self
  end
  if type(spec) ~= "table" then
    local got = check.show(spec)
    check.fail(("%s: redact must be a function or a list of Lua patterns, got %s"):format(who, got), deeper)
  end
  local list = {}
  -- rawget: an __index that answers to any number would never end
  for i = 1, math.huge do
    local entry = rawget(spec, i)
    if entry == nil then break end
    local rule, expected, value = rules.of(entry)
    if not rule then
      check.fail(("%s: redact[%d] must be %s, got %s"):format(who, i, expected, check.show(value)), deeper)
    end
    list[i] = rule
  end
  for key, value in next, spec do
    if not list[key] then
      local where = ("%s: redact must be a list of Lua patterns"):format(who)
      check.fail(("%s, got a field '%s' (value %s)"):format(where, check.name(key), check.show(value)), deeper)
    end
  end
  self.kind = patterns.new(list)
  return self
end

return M
