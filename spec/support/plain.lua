--- Slow and obvious versions of what the core counts, for tests to compare with.
local abridge = require "abridge"
local contains = require "support.contains"

local M = {}

--- The well-formed UTF-8 sequences: ranges of their bytes (Unicode, table 3-7).
M.SEQUENCES = {
  "^[\1-\127]", -- NUL is told apart: patterns of Lua 5.1 end at it
  "^[\194-\223][\128-\191]",
  "^\224[\160-\191][\128-\191]",
  "^[\225-\236\238\239][\128-\191][\128-\191]",
  "^\237[\128-\159][\128-\191]",
  "^\240[\144-\191][\128-\191][\128-\191]",
  "^[\241-\243][\128-\191][\128-\191][\128-\191]",
  "^\244[\128-\143][\128-\191][\128-\191]",
}

--- The chars of a text, each a code point or a byte outside a well-formed sequence; and which of them are such bytes.
function M.chars(text)
  local chars, invalid, at = {}, {}, 1
  while at <= #text do
    local char = text:byte(at) == 0 and "\0" or nil
    for _, pattern in ipairs(M.SEQUENCES) do
      -- the first four bytes alone: a pattern anchored in a long text is not slow, a long text copied is
      char = char or text:sub(at, at + 3):match(pattern)
    end
    chars[#chars + 1] = char or text:sub(at, at)
    invalid[#chars] = char == nil
    at = at + #chars[#chars]
  end
  return chars, invalid
end

--- The text with each byte outside a well-formed sequence shown as U+FFFD.
function M.replaced(text)
  local chars, invalid = M.chars(text)
  for i = 1, #chars do
    if invalid[i] then chars[i] = "\239\191\189" end
  end
  return table.concat(chars)
end

function M.is_valid_utf8(text)
  local _, invalid = M.chars(text)
  for _, wrong in ipairs(invalid) do
    if wrong then return false end
  end
  return true
end

--- The lines of a text, without the newlines that end them.
function M.lines(text)
  local lines = {}
  for line, newline in text:gmatch "([^\n]*)(\n?)" do
    if line .. newline ~= "" then lines[#lines + 1] = line end
  end
  return lines
end

function M.count_lines(text)
  local _, newlines = text:gsub("\n", "")
  return newlines + ((text == "" or text:sub(-1) == "\n") and 0 or 1)
end

--- The tokens of a text, as a budget with these options counts them.
function M.tokens(text, opts)
  opts = opts or {}
  if opts.count_tokens then return opts.count_tokens(text) end
  return math.ceil(abridge.estimate_tokens(text) * (opts.token_safety or 1.35))
end

--- Why ranges and gaps do not tile a text of this size, or nil when they do and their sum is right.
function M.ledger_error(cut)
  local last, kept = 0, 0
  for i, range in ipairs(cut.kept or {}) do
    if range.first_byte <= last then return ("range %d starts before the one in front of it ends"):format(i) end
    if range.last_byte < range.first_byte then return ("range %d is empty"):format(i) end
    if range.last_line < range.first_line then return ("range %d has no line"):format(i) end
    last, kept = range.last_byte, kept + range.last_byte - range.first_byte + 1
  end
  if last > cut.total_bytes then return "the last range ends past the text" end
  if kept ~= cut.output_bytes then
    return ("ranges hold %d bytes, output_bytes is %d"):format(kept, cut.output_bytes)
  end
  if cut.omitted_bytes ~= cut.total_bytes - kept then return "omitted_bytes is not the sum of the gaps" end
  if cut.omitted_lines ~= cut.total_lines - cut.output_lines then return "omitted_lines is not total - output" end
end

--- What a call raises, as it is.
function M.raised(call, ...)
  local ok, message = pcall(call, ...)
  if ok then error("nothing was raised", 2) end
  return message
end

--- A call raises a message that has all these words in it.
---@param words string[]
function M.raises(words, call, ...)
  contains(tostring(M.raised(call, ...)), (table.unpack or unpack)(words))
end

--- What a call raises, without its position, which must be one inside `call`: the line that misuses a function is
--- blamed, neither the function nor a caller further out. `call` must not end in a tail call. All further words must be
--- in it.
function M.misuse(call, ...)
  local ok, message = pcall(call)
  if ok then error("nothing was raised", 2) end
  local where = debug.getinfo(call, "S")
  local file, line, rest = tostring(message):match "^(.-):(%d+): (.*)$"
  line = tonumber(line)
  if file ~= where.short_src or line < where.linedefined or line > where.lastlinedefined then
    error("raised elsewhere: " .. tostring(message), 2)
  end
  contains(rest, ...)
  return rest
end

--- Are two values equal, tables by what they hold?
local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end
M.same = same

--- A copy of a value, and of the tables in it.
function M.copy(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, inner in pairs(value) do
    copy[key] = M.copy(inner)
  end
  return copy
end

return M
