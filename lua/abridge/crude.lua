--- What an adapter falls back on when something fails inside abridge, its core missing too: a cut in plain Lua that
--- keeps both ends. Neither exact totals nor a full output; never everything, and never an error.

local M = {}

--- Bytes unless told otherwise: what the default profile allows a tool.
M.default = 30 * 1024

local HEAD = 0.3 -- the share of the start

--- In place of an output that could not be redacted.
M.withheld = "[Output left out: it could not be redacted]"

local PLAIN = { string = true, number = true, boolean = true, ["nil"] = true }

--- What a value says itself; the name of its type where it says nothing, or only where it lies in memory, which is
--- another place in each run.
---@param value any
---@return string text
---@return boolean told it says something itself
function M.text(value)
  local ok, text = pcall(tostring, value)
  if PLAIN[type(value)] then return text, true end
  local told = ok and type(text) == "string" and not text:find("^" .. type(value) .. ": ")
  if told and text:find "^[^\n]*: 0x%x+$" then told = false end -- a `__name` and the place
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
  local first = #text - n + 1
  while first <= #text and first < #text - n + 4 and continues(text, first) do
    first = first + 1
  end
  return text:sub(first)
end

--- Cut a text to `max_bytes`, marker included; one that fits comes back as it is. What is not a string shows what it
--- says itself, or the name of its type.
---@param text any
---@param max_bytes? integer default 30720; what is not a number counts as not given
---@return string
function M.cut(text, max_bytes)
  text = M.text(text)
  if type(max_bytes) ~= "number" or max_bytes ~= max_bytes then max_bytes = M.default end
  if #text <= max_bytes then return text end
  max_bytes = math.floor(math.max(max_bytes, 0))
  local marker = ("\n... [%d bytes, cut to %d] ...\n"):format(#text, max_bytes)
  local room = max_bytes - #marker
  if room <= 0 then return start_of(text, max_bytes) end
  local head = math.floor(room * HEAD)
  return start_of(text, head) .. marker .. end_of(text, room - head)
end

return M
