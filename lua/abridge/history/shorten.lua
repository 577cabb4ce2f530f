--- Arguments of calls made short: each long string becomes its first line, or the start of that, and a line that says
--- how much more there was. JSON keeps its shape, and everything but those strings as it is spelled.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"

local M = {}

local LONG = 64 -- tokens: a string of so many stays, and the rest of a longer one is within it
local START = 32 -- tokens of its first line that stay
local MOST_NESTED = 100

--- A string made short; nil if it stays.
local function short(text, weigher)
  if weigher:text(text) <= LONG or sentences.is_shortened(text) then return nil end
  local line = text:match "^[^\r\n]*"
  local limits = weigher.limits
  local start = core.head(line, {
    max_tokens = START,
    long_line = "split",
    count_tokens = limits.count_tokens,
    token_safety = limits.token_safety,
  })
  local left = (core.count_chars(text)) - (core.count_chars(start))
  local made = start .. "\n" .. sentences.shortened(left)
  return weigher:text(made) <= LONG and made or nil
end

--- A table with its long strings made short; nil if it has none.
local function short_table(t, weigher, depth)
  if depth > MOST_NESTED then return nil end
  local copy
  for key, value in next, t do
    local made
    if type(value) == "string" then
      made = short(value, weigher)
    elseif type(value) == "table" then
      made = short_table(value, weigher, depth + 1)
    end
    if made ~= nil then
      copy = copy or setmetatable(check.copied(t), getmetatable(t))
      copy[key] = made
    end
  end
  return copy
end

--- JSON of an object with its long strings made short, keys aside; nil if it has none.
local function short_json(json, weigher, decode)
  local parts, copied, at = nil, 0, 1
  while true do
    local first = json:find('"', at, true)
    if not first then break end
    local last = host.string_end(json, first)
    local is_key = json:find("^%s*:", last + 1)
    local text = not is_key and last - first > START and decode(json:sub(first, last))
    local made = text and short(text, weigher)
    if made then
      parts = parts or {}
      parts[#parts + 1] = json:sub(copied + 1, first - 1)
      parts[#parts + 1] = encode.string(made)
      copied = last
    end
    at = last + 1
  end
  return parts and table.concat(parts) .. json:sub(copied + 1)
end

--- The input of a call made short, of the kind it is: JSON of an object, or a table. Nil if it stays.
---@param given any as the message has it
---@param decoded any the same as a value
---@param weigher abridge.history.Weigher
---@return string|table|nil
function M.input(given, decoded, weigher)
  if type(given) == "table" then return rawget(given, 1) == nil and short_table(given, weigher, 1) or nil end
  if type(given) ~= "string" or type(decoded) ~= "table" or not given:find "^%s*{" then return nil end
  local json = host.json()
  return short_json(given, weigher, function(literal)
    local ok, list = pcall(json.decode, "[" .. literal .. "]")
    return ok and type(list) == "table" and type(list[1]) == "string" and list[1] or nil
  end)
end

return M
