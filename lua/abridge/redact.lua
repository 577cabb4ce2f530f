--- Redaction: what must never be cut, shown, logged or written. A redactor is a function of whole lines or a list of
--- Lua patterns; it works on texts, on streams in bounded memory, and on plain data.
---
--- What holds for both kinds:
--- - A line is handed over without its newline; a `\r` before it belongs to the line. Nothing matches across lines.
--- - Every chunking of the same bytes gives the same text, which is that of `text`.
--- - A line of at most 64 KiB is seen whole.
--- - A longer line goes in pieces, at places that depend on the line alone. A secret of at most 256 bytes, counted
---   with all that the pattern or function must see to know it, is hidden wherever it lies; a line without secrets
---   comes through byte for byte.
---
--- Patterns are applied in order, each to what those before it left, as by string.gsub. In a longer line a pattern
--- decides a place once the 256 bytes from there and the one behind them are seen, and goes on behind a match that
--- crosses a border: what gsub does with the whole line, unless a match has more than 256 bytes. One that has, and
--- runs into the end of what is seen, is hidden, whether a `$` of the pattern is reached or not, and hiding goes on
--- as far as its first 256 bytes together with what follows match. Not hidden is a match of more than 256 bytes that
--- only its end tells (`BEGIN.-END`) when a border lies between.
--- Cost: for every 32 to 64 KiB a plain search for the longest literal of each pattern; where that is found a
--- string.find, and where that matches a string.gsub. A text in which nothing matches is not copied.
---
--- A function is given the line and returns what stands in its place. It must not yield and should depend on nothing
--- but its argument. A longer line is cut after each 64 KiB at the first of 257 places where the cut does not matter:
--- where the piece and the next 256 bytes give, one by one, what they give together (tried with the 256 bytes in
--- front of the place first). A secret across the place would have made a difference. Where there is no such place
--- (the function adds to every line, a secret has more than 256 bytes), "[redacted]" stands for everything from the
--- last one in the 1,024 bytes in front, or from the start of the piece, to the next one. Not hidden is what is left
--- in another piece of a secret of more than 256 bytes, if the function does not know it by itself.
--- Cost: a protected call a line; for each piece of a longer line three, and three with 512 bytes.

local check = require "abridge.check"
local core = require "abridge.core_loader"
local data = require "abridge.data"

local byte, char, find, gsub, match, sub = string.byte, string.char, string.find, string.gsub, string.match, string.sub
local concat = table.concat

local M = {}

local HIDDEN = "[redacted]" -- what stands for a match, and for a line that could not be redacted
local PIECE = 64 * 1024 -- bytes of a line that are surely seen at once
local OVERLAP = 256 -- bytes of a secret that is hidden wherever it lies
local FEW_PARTS = 128 -- chunks held as they came, before they are joined
local EDGE = 1024 -- bytes in front of a border in which the end of what may be shown is looked for
local WHOLE_TRIES = 16 -- trials of a cut with the whole piece, a border

-- patterns, so that none matches across lines -------------------------------------------

local LINE_START = "%f[^\n]" -- behind a newline, with something to match in the line
local LINE_END = "%f[\n]" -- in front of a newline

local MAX_CAPTURES = 32 -- Lua's
local MAX_NESTING = 150 -- captures and repetitions; Lua's matchers raise at 200, in the midst of a text

local GRAPHIC = "\33-\126" -- %g, which Lua 5.1 does not know
local NOT_GRAPHIC = "%z\1-\32\127-\255"
local knows_graphic = find("!", "%g") ~= nil

--- A class or set that means the same on every host.
local function portable(set)
  if knows_graphic or not find(set, "%%[gG]") then return set end
  if set == "%g" then return "[" .. GRAPHIC .. "]" end
  if set == "%G" then return "[" .. NOT_GRAPHIC .. "]" end
  return (gsub(set, "%%(.)", { g = GRAPHIC, G = NOT_GRAPHIC }))
end

--- A byte, literally.
local function quoted(c)
  if c == "\0" then return "%z" end
  return find(c, "[%w%c\128-\255]") and c or "%" .. c
end

--- The bytes that a class or set matches.
local function members(set)
  local has = {}
  for code = 0, 255 do
    has[code] = find(char(code), "^" .. set) ~= nil
  end
  return has
end

local AWKWARD = { ["\0"] = true, ["%"] = true, ["-"] = true, ["]"] = true, ["^"] = true } -- not an end of a range

--- What stands between brackets for all bytes that are, or are not, members.
local function ranges(has, wanted)
  local list, code = {}, 0
  while code <= 255 do
    local last = code
    if has[code] == wanted and not AWKWARD[char(code)] then
      while last < 255 and has[last + 1] == wanted and not AWKWARD[char(last + 1)] do
        last = last + 1
      end
    end
    if has[code] == wanted then
      list[#list + 1] = last == code and quoted(char(code)) or char(code) .. "-" .. char(last)
    end
    code = last + 1
  end
  return concat(list)
end

--- A set with the newline in or out of it; nil for an empty one.
local function with_newline(set, in_it)
  local has = members(set)
  if has[10] == in_it then return set end
  has[10] = in_it
  local those, others = ranges(has, true), ranges(has, false)
  if those == "" then return nil end
  if others == "" or #those <= #others then return "[" .. those .. "]" end
  return "[^" .. others .. "]"
end

--- Where the set that starts at `at` ends, by Lua's own rule.
local function set_end(pattern, at)
  at = at + 1
  if sub(pattern, at, at) == "^" then at = at + 1 end
  repeat
    local c = sub(pattern, at, at)
    if c == "" then return nil end
    at = at + (c == "%" and 2 or 1)
  until sub(pattern, at, at) == "]"
  return at
end

--- The item of a pattern at a place: its kind, its text, where the next one starts. Or nil and what is wrong.
local function item_at(pattern, at)
  local c, after = sub(pattern, at, at), sub(pattern, at + 1, at + 1)
  if c == "(" then
    if after == ")" then return nil, "it has a position capture" end
    return "open", c, at + 1
  elseif c == ")" then
    return "close", c, at + 1
  elseif c == "$" and at == #pattern then
    return "anchor", LINE_END, at + 1
  elseif c == "." then
    return "set", c, at + 1
  elseif c == "[" then
    local stop = set_end(pattern, at)
    if not stop then return nil, "malformed pattern (missing ']')" end
    return "set", portable(sub(pattern, at, stop)), stop + 1
  elseif c ~= "%" then
    return "literal", c, at + 1
  elseif after == "" then
    return nil, "malformed pattern (ends with '%')"
  elseif after == "b" then
    if at + 3 > #pattern then return nil, "malformed pattern (missing arguments to '%b')" end
    return "balance", sub(pattern, at, at + 3), at + 4
  elseif after == "f" then
    local stop = sub(pattern, at + 2, at + 2) == "[" and set_end(pattern, at + 2)
    if not stop then return nil, "malformed pattern (missing '[' after '%f')" end
    return "frontier", portable(sub(pattern, at + 2, stop)), stop + 1
  elseif find(after, "%d") then
    return "back", c .. after, at + 2
  elseif find(after, "[acdglpsuwxzACDGLPSUWXZ]") then
    return "set", portable(c .. after), at + 2
  end
  return "literal", after, at + 2
end

--- Follow the captures of a pattern: what is wrong with the next parenthesis or back reference, if anything.
local function capture_problem(captures, kind, item)
  if kind == "open" then
    captures.count = captures.count + 1
    captures.open[#captures.open + 1] = captures.count
    if captures.count > MAX_CAPTURES then return "too many captures" end
  elseif kind == "close" then
    local closed = table.remove(captures.open)
    if not closed then return "invalid pattern capture" end
    captures.closed[closed] = true
  elseif kind == "back" and not captures.closed[tonumber(sub(item, 2))] then
    return "invalid capture index " .. item
  end
end

local NO_NEWLINE = "it wants a newline, which no line has"

--- Translate a pattern into one that treats each line of a text, with a newline in front of the first and behind the
--- last, as the given one treats that line alone.
---@param pattern string
---@return table|nil rule pattern, literal, balanced, captures
---@return string|nil problem
local function translated(pattern)
  if find(pattern, "%z") then return nil, "it has a NUL, which ends patterns in some Lua versions: write %z" end
  local parts, captures = {}, { count = 0, open = {}, closed = {} }
  local run, literal, nesting, consumes, balanced = "", "", 0, false, false
  local at = 1
  if sub(pattern, 1, 1) == "^" then
    parts[1], at = LINE_START, 2
  end
  while at <= #pattern do
    local kind, item, after = item_at(pattern, at)
    if not kind then return nil, item end
    local problem = capture_problem(captures, kind, item)
    if problem then return nil, problem end
    local again = kind ~= "literal" and kind ~= "set" and "" or match(pattern, "^[*+?-]?", after)
    local must = again == "" or again == "+"
    if kind == "literal" then
      local c = item
      item = c ~= "\n" and quoted(c) or nil
      run = must and run .. c or ""
    elseif kind == "set" then
      item = with_newline(item, false)
    elseif kind == "frontier" then
      -- at the ends of a line the frontier sees a NUL, in a text of many lines a newline
      local set = with_newline(item, members(item)[0])
      item = set and "%f" .. set
    elseif kind == "balance" then
      if find(item, "\n", 1, true) then return nil, NO_NEWLINE end
      balanced = true
    end
    if #run > #literal then literal = run end
    if again ~= "" or kind == "set" or kind == "balance" or kind == "back" then run = "" end
    if again ~= "" or kind == "open" or kind == "close" then nesting = nesting + 1 end
    if kind == "literal" or kind == "set" or kind == "balance" then consumes = consumes or must end
    if item then
      parts[#parts + 1] = item .. again
    elseif must then
      return nil, NO_NEWLINE
    end
    at = after + #again
  end
  if #captures.open > 0 then return nil, "unfinished capture" end
  if nesting > MAX_NESTING then return nil, "pattern too complex" end
  if not consumes then return nil, "it matches the empty string, and so everywhere" end
  local rule = { pattern = concat(parts), balanced = balanced, captures = captures.count }
  if literal ~= "" then rule.literal = literal end
  return rule
end

--- What is wrong with a replacement, if anything.
local function replacement_problem(replacement, captures)
  for escaped in replacement:gmatch "%%(.?)" do
    local index = tonumber(escaped)
    if not index and escaped ~= "%" then return "invalid use of '%' (write %% for a percent sign)" end
    if index and index > math.max(captures, 1) then return "invalid capture index %" .. escaped end
  end
end

--- One rule of a list. Or nil, what it should have been, and the value.
local function rule_of(entry)
  local pattern, replacement = entry, HIDDEN
  if type(entry) == "table" then
    for key, value in pairs(entry) do
      if key ~= 1 and key ~= 2 then return nil, ("without a field '%s'"):format(tostring(key)), value end
    end
    pattern, replacement = entry[1], entry[2] == nil and HIDDEN or entry[2]
  end
  if type(pattern) ~= "string" then return nil, "a Lua pattern or {pattern, replacement}", pattern end
  local rule, problem = translated(pattern)
  if rule then
    local ok, message = pcall(find, "", pattern)
    if ok then
      ok, message = pcall(find, "", rule.pattern)
    end
    if not ok then problem = tostring(message) end
  end
  if problem then return nil, ("a pattern for lines: %s"):format(problem), pattern end
  if type(replacement) ~= "string" then return nil, "with a string as replacement", replacement end
  problem = replacement_problem(replacement, rule.captures)
  if problem then return nil, ("with a gsub replacement: %s"):format(problem), replacement end
  rule.anchored = "^" .. rule.pattern
  rule.replacement = replacement
  if not find(replacement, "%", 1, true) then rule.constant = replacement end
  return rule
end

-- a list of patterns ---------------------------------------------------------------------

--- What stands for one match; `found` is what string.find gave.
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

--- A long line under one pattern: what was seen of it and is not decided.
local function long_rule(rule)
  return {
    rule = rule,
    before = "\n", -- the byte in front of `rest`
    rest = "", -- where a match may start that is not seen to its end
    open = nil, -- the byte before and the first bytes of a match that may go on
  }
end

--- How many bytes of the next block belong to the match that ran to the end of the last one; and whether it goes on.
local function continued(long, block, last)
  local text = long.open .. block .. "\n"
  local _, stop = find(text, long.rule.anchored, 2)
  local more = stop and math.max(stop - #long.open, 0) or 0
  return more, more == #block and not last
end

--- The next block of a long line: what is decided, redacted.
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
      out[#out + 1] = expanded(rule, text, found)
      from = stop + 1
      if stop == size and not last then long.open = sub(text, start - 1, start + OVERLAP - 1) end
    end
  end
  local keep = math.max(from, decided + 1)
  out[#out + 1] = sub(text, from, keep - 1)
  long.before, long.rest = sub(text, keep - 1, keep - 1), sub(text, keep, size)
  return concat(out)
end

local Patterns = {}
Patterns.__index = Patterns
Patterns.room = PIECE -- bytes of a line that may have to be held

--- Redact whole lines, a newline in front of the first and behind each.
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

function Patterns:long_line()
  local line = setmetatable({}, PatternLine)
  for i, rule in ipairs(self.rules) do
    line[i] = long_rule(rule)
  end
  return line
end

function PatternLine:block(block, last, out)
  for _, long in ipairs(self) do
    if block ~= "" or last then block = pass(long, block, last) end
  end
  out[#out + 1] = block
end

--- Take what can be taken of a long line, which text[from .. to] is the next part of; returns where the rest starts.
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

-- a function of lines --------------------------------------------------------------------

local Function = {}
Function.__index = Function
Function.room = PIECE + 2 * OVERLAP - 1

--- What the function makes of a line, or nil when it fails, as it does where it calls what would call it again.
function Function:call(line)
  local ok, shown = false, "the redact function was called from itself"
  if not self.busy then
    self.busy = true
    ok, shown = core.pcall(self.fn, line)
    self.busy = false
  end
  if ok and type(shown) == "string" then return shown end
  if not self.redactor.error then
    local told, message = pcall(tostring, shown)
    if ok then message = ("the redact function returned %s in place of a string"):format(check.show(shown)) end
    self.redactor.error = (ok or told) and message or "the redact function raised"
  end
  return nil
end

function Function:lines(text)
  return "\n"
    .. gsub(sub(text, 2), "([^\n]*)\n", function(line)
      local shown = self:call(line) or HIDDEN
      if shown ~= line then return shown .. "\n" end
    end)
end

local FunctionLine = {}
FunctionLine.__index = FunctionLine

function Function:long_line()
  return setmetatable({
    kind = self,
    size = PIECE, -- bytes from the start of a piece to the first place where it may end
    hiding = false, -- nothing is shown until a place is found
  }, FunctionLine)
end

--- Does it not matter for what is shown that `left` and `right` are given one by one? What `left` gives, then.
function FunctionLine:apart(left, right)
  local together = self.kind:call(left .. right)
  local first = together and self.kind:call(left)
  local second = first and self.kind:call(right)
  return second and together == first .. second and first or nil
end

--- The first place of a row where a piece may end, as the first byte behind it; and what the piece gives (not while
--- hiding).
function FunctionLine:place(text, from, first, last, step)
  local tries = WHOLE_TRIES
  for at = first, last, step do
    local in_char = find(sub(text, at - 3, at), "[\192-\255][\128-\191]+$")
    if not in_char then
      local left, right = sub(text, math.max(from, at - OVERLAP), at - 1), sub(text, at, at + OVERLAP - 1)
      local shown = self:apart(left, right)
      if shown and not self.hiding then
        if tries == 0 then return nil end
        tries = tries - 1
        shown = self:apart(sub(text, from, at - 1), right)
      end
      if shown then return at, shown end
    end
  end
end

function FunctionLine:take(text, from, to, out)
  while to - from + 1 >= self.size + 2 * OVERLAP do
    local border = from + self.size
    local at, shown = self:place(text, from, border, border + OVERLAP, 1)
    if at then
      if not self.hiding then out[#out + 1] = shown end
      self.size, self.hiding = PIECE, false
    elseif self.hiding then
      self.size = math.min(2 * self.size, PIECE) -- a function that allows no cut at all is not asked at every byte
    else
      local _, before = self:place(text, from, border - 1, border - EDGE, -1)
      out[#out + 1] = before or ""
      out[#out + 1] = HIDDEN
      self.size, self.hiding = OVERLAP, true
    end
    from = at or border + OVERLAP
  end
  return from
end

function FunctionLine:close(text, from, to, out)
  if not self.hiding then out[#out + 1] = self.kind:call(sub(text, from, to)) or HIDDEN end
end

function FunctionLine.held()
  return 0
end

-- streams ----------------------------------------------------------------------------------

---@class abridge.redact.Stream One text on its way through a redactor.
local Stream = {}
Stream.__index = Stream

--- The last byte of the whole lines from `at` on, none over 64 KiB, as far as they are taken at once.
local function lines_end(text, at)
  local half = PIECE / 2
  local newline = find(text, "\n", at + half, true)
  if newline and newline - at <= PIECE then return newline end
  local near = sub(text, at, at + half - 1)
  local back = find(near:reverse(), "\n", 1, true)
  return back and at + #near - back
end

--- The text of whole lines from `at` to `stop`, with a newline in front of the first and behind the last.
local function framed(text, at, stop)
  local lines = at > 1 and sub(text, at - 1, stop) or "\n" .. sub(text, 1, stop)
  return byte(text, stop) == 10 and lines or lines .. "\n"
end

--- Redact what can be decided of a text; the rest is held.
---@param text string
---@param last boolean the text ends here
---@return string
function Stream:run(text, last)
  local kind, out = self.kind, {}
  local at, same = 1, 1 -- what comes next; from `same` to it the text is shown as it is
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
        local shown = kind:lines(lines)
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

--- Keep a chunk for later, without joining all that is held each time.
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

--- All that is held, taken out.
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

--- The next bytes of the text. The concatenation of all that `feed` and `finish` return does not depend on where the
--- text was split. A line is searched once, whatever the size of the chunks; a short chunk costs a table entry.
---@param chunk string
---@return string redacted what is ready; it may be empty
function Stream:feed(chunk)
  if self.bytes + #chunk <= self.kind.room and not find(chunk, "\n", 1, true) then
    self:hold(chunk)
    return ""
  end
  return self:run(self:release(chunk), false)
end

--- What `feed` would return for these bytes; the stream stays as it is. Of a line over 64 KiB nothing is told.
---@param chunk string
---@return string redacted
function Stream:preview(chunk)
  if self.long then return "" end
  local copy = setmetatable({ kind = self.kind, parts = {}, bytes = 0, loose = 0, long = nil }, Stream)
  return copy:feed(concat(self.parts) .. chunk)
end

--- The end of the text. What is fed afterwards is a new one.
---@return string redacted the rest
function Stream:finish()
  return self:run(self:release "", true) -- of a long line a byte is always left
end

-- redactors --------------------------------------------------------------------------------

---@class abridge.Redactor
---@field error? string what went wrong first in the function: it raised, or returned no string. The line in question
---  was shown as "[redacted]". The message may quote the line: it is for the host, not for a log or a model.
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

local function redacted(self, value, copies, depth)
  if type(value) == "string" then return self:text(value) end
  if type(value) ~= "table" then return value end
  if copies[value] then return copies[value] end
  if depth == data.most_depth then return HIDDEN end
  local copy, renamed = {}, {}
  copies[value] = copy
  for key, inner in next, value do
    if type(key) == "string" and self:text(key) ~= key then
      renamed[#renamed + 1] = key
    elseif type(key) ~= "table" then
      copy[key] = redacted(self, inner, copies, depth + 1)
    end
  end
  table.sort(renamed)
  for _, key in ipairs(renamed) do
    local name, count = self:text(key), 1
    local free = name
    while copy[free] ~= nil do
      count = count + 1
      free = name .. " " .. count
    end
    copy[free] = redacted(self, rawget(value, key), copies, depth + 1)
  end
  return copy
end

--- A deep copy of plain data in which every string is redacted, keys too; keys that become equal are numbered.
--- Other values stay as they are, numbers too. Metatables, and keys that are tables, are left out; a table more than
--- 200 tables deep shows as "[redacted]".
---@param value any
---@return any
function Redactor:data(value)
  return redacted(self, value, {}, 0)
end

--- Make a redactor. Raises at the caller's level, or `deeper` levels further out, with what is wrong in `spec`.
---@param who string the public function, for messages
---@param spec (fun(line: string): string)|(string|{ [1]: string, [2]: string|nil })[] a function of lines, or Lua
---  patterns, each alone or with a replacement as string.gsub takes it ("[redacted]" unless given)
---@param deeper? integer
---@return abridge.Redactor
function M.compile(who, spec, deeper)
  local self = setmetatable({}, Redactor)
  if type(spec) == "function" then
    self.kind = setmetatable({ fn = spec, redactor = self }, Function)
    return self
  end
  if type(spec) ~= "table" then
    local got = check.show(spec)
    check.fail(("%s: redact must be a function or a list of Lua patterns, got %s"):format(who, got), deeper)
  end
  local rules = {}
  -- what stands in the list: the __index of one that answers to any number would never end
  for i = 1, math.huge do
    local entry = rawget(spec, i)
    if entry == nil then break end
    local rule, expected, value = rule_of(entry)
    if not rule then
      check.fail(("%s: redact[%d] must be %s, got %s"):format(who, i, expected, check.show(value)), deeper)
    end
    rules[i] = rule
  end
  for key, value in next, spec do
    if not rules[key] then
      local where = ("%s: redact must be a list of Lua patterns"):format(who)
      check.fail(("%s, got a field '%s' (value %s)"):format(where, tostring(key), check.show(value)), deeper)
    end
  end
  self.kind = setmetatable({ rules = rules }, Patterns)
  return self
end

return M
