--- The promises of every redactor, in numbers, and the rules of a list of Lua patterns: each becomes a
--- pattern that treats every line of a text as the given one treats that line alone, on every host alike.

local check = require "abridge.base.check"

local char, find, gsub, match, sub = string.char, string.find, string.gsub, string.match, string.sub
local concat = table.concat

local M = {}

--- Shown in place of a match, and of a line that could not be redacted.
M.hidden = "[redacted]"
--- Bytes of a line that are always seen at once.
M.piece = 64 * 1024
--- Bytes of a secret that is hidden wherever it is.
M.overlap = 256

local LINE_START = "%f[^\n]" -- after a newline, with something to match in the line
local LINE_END = "%f[\n]" -- before a newline

local MAX_CAPTURES = 32 -- Lua's
local MAX_NESTING = 150 -- captures and repetitions; Lua's matchers raise at 200, in the middle of a text

local GRAPHIC = "\33-\126" -- %g, which Lua 5.1 lacks
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

local AWKWARD = { ["\0"] = true, ["%"] = true, ["-"] = true, ["]"] = true, ["^"] = true } -- not at an end of a range

--- The inside of a bracketed set for all bytes that are, or are not, members.
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

--- The end of the set that starts at `at`, by Lua's own rule.
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

--- The item of a pattern at a place: its kind, its text, the start of the next one. Or nil and the problem.
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

--- Follow the captures of a pattern: the problem with the next parenthesis or back reference, if any.
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

local NO_NEWLINE = "it needs a newline, which no line has"

--- Translate a pattern into one that treats each line of a text, with a newline before the first and after the last,
--- as the given one treats that line alone.
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

--- The problem with a replacement, if any.
local function replacement_problem(replacement, captures)
  for escaped in replacement:gmatch "%%(.?)" do
    local index = tonumber(escaped)
    if not index and escaped ~= "%" then return "invalid use of '%' (write %% for a percent sign)" end
    if index and index > math.max(captures, 1) then return "invalid capture index %" .. escaped end
  end
end

---@class abridge.redact.Rule
---@field pattern string for a text of whole lines, a newline before the first and after the last
---@field anchored string the same, at one place
---@field literal? string part of every match: a text without it need not be searched
---@field balanced boolean it has %b, which does not stop at a newline
---@field captures integer
---@field replacement string as string.gsub takes it
---@field constant? string the replacement, if it is the same for every match

--- One rule of a list.
---@param entry any a pattern, or a pattern and its replacement
---@return abridge.redact.Rule|nil rule
---@return string|nil expected the sort of entry that would be right
---@return any value the wrong value
function M.of(entry)
  local pattern, replacement = entry, M.hidden
  if type(entry) == "table" then
    for key, value in next, entry do
      if key ~= 1 and key ~= 2 then return nil, ("without a field '%s'"):format(check.name(key)), value end
    end
    pattern, replacement = rawget(entry, 1), rawget(entry, 2)
    if replacement == nil then replacement = M.hidden end
  end
  if type(pattern) ~= "string" then return nil, "a Lua pattern or {pattern, replacement}", pattern end
  local rule, problem = translated(pattern)
  if rule then
    local ok, message = pcall(find, "", pattern)
    if ok then
      ok, message = pcall(find, "", rule.pattern)
    end
    if not ok then problem = check.text(message) end
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

return M
