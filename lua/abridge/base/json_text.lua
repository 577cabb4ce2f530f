--- Where the values of a JSON text are, so that what did not change keeps its very bytes. The texts are well-formed: a
--- library has read them.

local host = require "abridge.base.host"

local M = {}

local OPEN, CLOSE, QUOTE = { [91] = true, [123] = true }, { [93] = true, [125] = true }, 34

--- The last byte of the value that begins at `at`.
---@param text string
---@param at integer
---@return integer
function M.value_end(text, at)
  local byte = text:byte(at)
  if byte == QUOTE then return host.string_end(text, at) end
  if not OPEN[byte] then return (text:find("[%s,%]}]", at) or #text + 1) - 1 end
  local depth = 0
  while true do
    if byte == QUOTE then
      at = host.string_end(text, at)
    else
      depth = depth + (OPEN[byte] and 1 or -1)
      if depth == 0 then return at end
    end
    at = text:find('["%[%]{}]', at + 1) or #text
    byte = text:byte(at)
  end
end

---@class (exact) abridge.JsonPart A member of an object, or an element of an array.
---@field from integer the first byte of its key, or of its value
---@field first integer of its value
---@field last integer
---@field key? string

--- The key that is spelled so.
local function key_of(literal)
  if not literal:find("\\", 1, true) then return literal:sub(2, -2) end
  return host.json().decode("[" .. literal .. "]")[1]
end

--- The parts of an array or object that begins at `at`, in order.
---@param text string
---@param at integer
---@return abridge.JsonPart[]
function M.parts(text, at)
  local all, is_object = {}, text:byte(at) == 123
  at = text:find("%S", at + 1)
  while not CLOSE[text:byte(at)] do
    local from, key = at, nil
    if is_object then
      local key_end = host.string_end(text, at)
      key = key_of(text:sub(at, key_end))
      at = text:find("[^%s:]", key_end + 1)
    end
    local last = M.value_end(text, at)
    all[#all + 1] = { from = from, first = at, last = last, key = key }
    at = text:find("[^%s,]", last + 1)
  end
  return all
end

--- The members of an object by key; of a key that is there twice the last one, which counts.
---@param text string
---@param at integer
---@return table<string, abridge.JsonPart>
function M.members(text, at)
  local by_key = {}
  for _, part in ipairs(M.parts(text, at)) do
    by_key[part.key] = part
  end
  return by_key
end

return M
