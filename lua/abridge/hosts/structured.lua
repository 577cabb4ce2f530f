--- Structured content of MCP results as data: whether the texts say the same, and the rest of it after a cut. Needs
--- nothing but Lua, and the host's JSON to compare or decode.

local check = require "abridge.base.check"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"

local M = {}

-- repeated in the texts ----------------------------------------------------------------

--- Does a text say the same as a value: the same JSON, or the same string?
local function says(text, value, json)
  if type(value) == "string" then return text == value end
  local start = text:match "^%s*(.)"
  if start ~= json:sub(1, 1) then return false end
  local library = host.json()
  local ok, decoded = pcall(library and library.decode, text)
  return ok and encode.json(decoded) == json
end

--- Do the texts say the same as a value: one of them all of it, or each an element?
local function repeats(texts, value, json)
  for _, text in ipairs(texts) do
    if says(text, value, json) then return true end
  end
  local list = check.list(type(value) == "table" and value or {})
  if #texts < 2 or #list ~= #texts then return false end
  for i, element in ipairs(list) do
    local inner = encode.json(element)
    if not (inner and says(texts[i], element, inner)) then return false end
  end
  return true
end

--- Is structured content told by the texts already, as the specification asks of servers? FastMCP puts anything but an
--- object into one with the single member `result`, the reference servers into one with `content`.
---@param texts string[]
---@param value any
---@param json string the value as JSON
---@return boolean
function M.is_repeated(texts, value, json)
  if repeats(texts, value, json) then return true end
  if type(value) ~= "table" then return false end
  local key = next(value)
  if (key ~= "result" and key ~= "content") or next(value, key) ~= nil then return false end
  local inner = value[key]
  local inner_json = inner and encode.json(inner)
  return inner_json ~= nil and inner_json ~= false and repeats(texts, inner, inner_json)
end

-- after a cut --------------------------------------------------------------------------

local EMPTY = "\0abridge: an empty list"
local EMPTY_JSON = '["\\u0000abridge: an empty list"]'

--- The end of a string of JSON.
local function string_end(text, at)
  repeat
    at = text:find('[\\"]', at + 1)
    local byte = text:byte(at)
    if byte == 92 then at = at + 1 end
  until byte == 34
  return at
end

--- JSON whose empty lists have a string in them that tells them from empty objects.
local function with_lists_marked(json)
  local parts, from, at = {}, 1, json:find '["%[]'
  while at do
    if json:byte(at) == 34 then
      at = string_end(json, at)
    elseif json:byte(at + 1) == 93 then
      parts[#parts + 1] = json:sub(from, at - 1) .. EMPTY_JSON
      from, at = at + 2, at + 1
    end
    at = json:find('["%[]', at + 1)
  end
  return table.concat(parts) .. json:sub(from)
end

--- A value with its empty lists as this host's JSON writes them; if it has no way to, they are left out.
local function with_lists(value, list_mt)
  if type(value) ~= "table" then return value end
  local copy, count = {}, 0
  if value[1] == nil then
    for key, inner in next, value do
      copy[key] = with_lists(inner, list_mt)
    end
    return copy
  end
  for _, inner in ipairs(value) do
    local own = inner ~= EMPTY and with_lists(inner, list_mt) or nil
    if inner == false then own = false end
    if own ~= nil then
      count = count + 1
      copy[count] = own
    end
  end
  if count > 0 then return copy end
  return list_mt and setmetatable({}, list_mt) or nil
end

--- Decode a cut of JSON that `encode` made, which writes no `[]`: one in it is a list cut to nothing, and
--- must not become an object, as lua-cjson takes every empty table for one.
---@param json string
---@return any|nil value nil if nothing is left, or it cannot be decoded
function M.decoded(json)
  local library = host.json()
  if not library then return nil end
  local ok, value = pcall(library.decode, host.in_nvim and json or with_lists_marked(json))
  if not ok then return nil end
  if not host.in_nvim then value = with_lists(value, require("cjson").empty_array_mt) end
  local is_left = type(value) == "table" and next(value) ~= nil or type(value) == "string" and value ~= ""
  return is_left and value or nil
end

return M
