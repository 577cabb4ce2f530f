--- The fallback of an adapter when something fails inside abridge, or its core is missing: a cut in plain Lua that
--- keeps both ends and says so. Neither exact totals nor a full output; never everything, and never an error.

local M = {}

--- Bytes if no budget is known.
M.default = 10 * 1024

local HEAD = 0.3 -- the share of the start
local SHORT = "[truncated]" -- if there is no room for the sizes
local TOKEN_BYTES = 16 -- of a token that cannot be counted
local TOKEN_SAFETY = 1.35

--- In place of an output that could not be redacted.
M.withheld = "[Output left out: it could not be redacted]"

local PLAIN = { string = true, number = true, boolean = true, ["nil"] = true }

--- The text of a value; the name of its type if it has none, or only its address, which differs from run to run.
---@param value any
---@return string text
---@return boolean told the value has a text of its own
function M.text(value)
  local ok, text = pcall(tostring, value)
  if PLAIN[type(value)] then return text, true end
  local told = ok and type(text) == "string" and not text:find("^" .. type(value) .. ": ")
  if told and text:find "^[^\n]*: 0x%x+$" then told = false end -- a `__name` and an address
  return told and text or type(value), told
end

local function continues(text, at)
  local byte = text:byte(at)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

--- The start of a text, at most `n` bytes, that ends between chars.
local function start_of(text, n)
  local past = n + 1
  while past > 1 and past > n - 2 and continues(text, past) do
    past = past - 1
  end
  return text:sub(1, past - 1)
end

--- The end of a text, at most `n` bytes, that starts between chars.
local function end_of(text, n)
  local first = math.max(#text - n + 1, 1)
  while first <= #text and first < #text - n + 4 and continues(text, first) do
    first = first + 1
  end
  return text:sub(first)
end

--- How many lines a text has: as everywhere in abridge, a newline at the end starts none.
---@param text string
---@return integer
function M.count_lines(text)
  return select(2, text:gsub("\n", "")) + (text:find "[^\n]$" and 1 or 0)
end

--- The first `n` lines, without the newline after them.
local function first_lines(text, n)
  if n <= 0 then return "" end
  local last = 0
  for _ = 1, n do
    last = text:find("\n", last + 1, true)
    if not last then return text end
  end
  return text:sub(1, last - 1)
end

--- The last `n` lines.
local function last_lines(text, n)
  local last = 0
  for _ = 1, M.count_lines(text) - n do
    last = text:find("\n", last + 1, true)
  end
  return n > 0 and text:sub(last + 1) or ""
end

--- Both ends of a text, and between them a line that says so.
---@return string
---@return boolean by_lines more lines than were kept would have been within the bytes
local function ends_of(text, marker, max_bytes, max_lines)
  max_bytes, max_lines = math.min(max_bytes, 4 * #text), math.min(max_lines, 4 * #text) -- may be endless
  local room = math.max(max_bytes - #marker - 2, 0)
  local head_bytes, head_lines = math.floor(room * HEAD), math.floor(max_lines * HEAD + 0.5)
  local first, last = start_of(text, head_bytes), end_of(text, room - head_bytes)
  local head, tail = first_lines(first, head_lines), last_lines(last, max_lines - head_lines)
  local by_lines = #head + 1 < #first or #tail < #last
  if head ~= "" and head:sub(-1) ~= "\n" then head = head .. "\n" end
  return head .. marker .. (tail ~= "" and "\n" or "") .. tail, by_lines
end

local MARKER = "... [%d %s, cut to %d] ..."

--- Cut a text to these bytes and lines.
local function cut_to(text, max_bytes, max_lines)
  local lines = max_lines < math.huge and M.count_lines(text) or 0
  if #text <= max_bytes and lines <= max_lines then return text end
  for _, by in ipairs { "bytes", "lines" } do
    local total, most = #text, max_bytes
    if by == "lines" then
      total, most = lines, max_lines
    end
    if total > most then
      local marker = MARKER:format(total, by, most)
      if #marker * 2 > max_bytes then marker = SHORT end
      if #marker > max_bytes then return first_lines(start_of(text, max_bytes), math.min(max_lines, 1)), by end
      local content, by_lines = ends_of(text, marker, max_bytes, max_lines)
      if not by_lines or by == "lines" or lines <= max_lines then return content, by end
    end
  end
end

local function is_number(value)
  return type(value) == "number" and value == value
end

--- Bytes that no budget forbids, as far as plain Lua can tell: no char and no token takes less than one. 10240 without
--- a bound.
---@param budgets table<string, any>
---@return number
function M.bytes_of(budgets)
  local bytes = is_number(budgets.max_bytes) and budgets.max_bytes or nil
  if is_number(budgets.max_chars) then bytes = math.min(bytes or math.huge, budgets.max_chars) end
  if is_number(budgets.max_tokens) then
    local safety = is_number(budgets.token_safety) and budgets.token_safety or TOKEN_SAFETY
    local each = budgets.count_tokens and TOKEN_BYTES or 1 / math.max(safety, 1)
    bytes = math.min(bytes or math.huge, budgets.max_tokens * each)
  end
  return math.max(bytes or M.default, 0)
end

local function whole(number)
  return number < math.huge and math.floor(number) or number
end

--- Cut a text to budgets, marker included but in lines; one that fits comes back as it is. Other values than strings
--- show as `tostring` would show them, or as the name of their type.
---@param text any
---@param budgets? integer|{ max_bytes: integer|nil, max_lines: integer|nil, max_chars: integer|nil, max_tokens:
---  integer|nil, count_tokens: function|nil, token_safety: number|nil } bytes alone, or limits; 10240 bytes without a
---  bound; other values than numbers count as not given
---@return string
---@return "bytes"|"lines"|nil by nil if the text fits
function M.cut(text, budgets)
  text = M.text(text)
  if type(budgets) ~= "table" then budgets = { max_bytes = budgets } end
  local max_bytes = whole(M.bytes_of(budgets))
  local max_lines = is_number(budgets.max_lines) and whole(math.max(budgets.max_lines, 0)) or math.huge
  local content, by = cut_to(text, max_bytes, max_lines)
  while is_number(budgets.max_tokens) and content ~= "" do
    local ok, tokens = pcall(budgets.count_tokens, content)
    if not ok or not is_number(tokens) or tokens <= budgets.max_tokens then break end
    max_bytes = math.floor(math.min(max_bytes, #content) * math.max(budgets.max_tokens, 0) / tokens)
    content, by = cut_to(text, max_bytes, max_lines)
  end
  return content, by
end

return M
