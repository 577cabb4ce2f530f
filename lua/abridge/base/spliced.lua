--- A value that was read from JSON and then changed, as the JSON it came from: bytes change where the value did.
--- Numbers, escapes, blanks, the order of keys, `[]` and `{}` stay as they were spelled.

local encode = require "abridge.base.encode"
local json_text = require "abridge.base.json_text"

local M = {}

local OPEN_LIST = 91

local function encoded(value)
  local text, problem = encode.json(value)
  return text or error(problem, 0)
end

--- Are two values of JSON the same?
local function is_same(a, b)
  if rawequal(a, b) then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in next, a do
    if not is_same(value, rawget(b, key)) then return false end
  end
  for key in next, b do
    if rawget(a, key) == nil then return false end
  end
  return true
end

--- For each part the key of its value in the new one; nil where it went. Of a list that got shorter, elements stay as
--- far as they are found again, in order.
local function keys_in_new(parts, is_list, old, new)
  local keys, at = {}, 1
  for i, part in ipairs(parts) do
    if not is_list then
      keys[i] = part.key
    elseif #parts == #new then
      keys[i] = i
    elseif is_same(old[i], new[at]) then
      keys[i], at = at, at + 1
    end
  end
  return keys
end

local splice

--- An array or object of which parts changed or went; nil where it cannot be told from what is there now.
local function container(text, first, last, old, new)
  local parts, is_list = json_text.parts(text, first), text:byte(first) == OPEN_LIST
  local keys, seen = keys_in_new(parts, is_list, old, new), {}
  local out, before = { text:sub(first, first) }, first
  for i, part in ipairs(parts) do
    local value = keys[i] and rawget(new, keys[i])
    if value ~= nil then
      local lead = text:sub(before + 1, part.first - 1)
      if next(seen) == nil then lead = lead:gsub("^(%s*),", "%1") end
      out[#out + 1] = lead
      out[#out + 1] = splice(text, part.first, part.last, old[is_list and i or part.key], value)
      seen[keys[i]] = true
    end
    before = part.last
  end
  for key in next, new do
    if not seen[key] then return nil end
  end
  out[#out + 1] = text:sub(before + 1, last)
  return table.concat(out)
end

--- JSON of `new`, from that of `old`.
function splice(text, first, last, old, new)
  if is_same(old, new) then return text:sub(first, last) end
  local both = type(old) == "table" and type(new) == "table" and text:find("^[%[{]", first)
  return both and container(text, first, last, old, new) or encoded(new)
end

--- JSON of `new`, which was made of the value that stands in a text from `first` to `last`.
---@param text string JSON that a library has read
---@param first integer
---@param last integer
---@param old any what it is there
---@param new any
---@return string
function M.json(text, first, last, old, new)
  return splice(text, first, last, old, new)
end

return M
