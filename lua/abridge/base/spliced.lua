--- A value that was read from JSON and then changed, as the JSON it came from: only bytes of changed values change.
--- Numbers, escapes, blanks, the order of keys, `[]` and `{}` stay as they were spelled.

local encode = require "abridge.base.encode"
local splice = require "abridge.base.splice"

local M = {}

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

local function below(pointer, key)
  return pointer .. "/" .. tostring(key):gsub("~", "~0"):gsub("/", "~1")
end

local add

--- The edits of a list: the changed elements, or if some went, those that are not found again, in order; false if that
--- is not the whole difference.
local function add_of_list(edits, pointer, old, new)
  local at = 1
  for i, value in ipairs(old) do
    local place = ("%s/%d"):format(pointer, i - 1)
    if #old == #new then
      add(edits, place, value, new[i])
    elseif is_same(value, new[at]) then
      at = at + 1
    else
      edits[#edits + 1] = { pointer = place, remove = true }
    end
  end
  return #old == #new or at == #new + 1
end

local function add_of_object(edits, pointer, old, new)
  for key, value in next, old do
    if rawget(new, key) == nil then
      edits[#edits + 1] = { pointer = below(pointer, key), remove = true }
    else
      add(edits, below(pointer, key), value, rawget(new, key))
    end
  end
  for key, value in next, new do
    if rawget(old, key) == nil then edits[#edits + 1] = { pointer = below(pointer, key), insert = encoded(value) } end
  end
  return true
end

--- Is a table a list or an object, as far as its keys tell? An empty one may be either.
local function kind_of(value)
  if type(value) ~= "table" then return nil end
  return next(value) == nil and "empty" or rawget(value, 1) ~= nil and "list" or "object"
end

local ADD = { list = add_of_list, object = add_of_object }

--- Add the edits that make `new` of `old`.
function add(edits, pointer, old, new)
  if is_same(old, new) then return end
  local kind, own = kind_of(old), {}
  if ADD[kind] and kind == kind_of(new) and ADD[kind](own, pointer, old, new) then
    for _, edit in ipairs(own) do
      edits[#edits + 1] = edit
    end
  else
    edits[#edits + 1] = { pointer = pointer, replace = encoded(new) }
  end
end

--- JSON of `new`, which was made of the value that stands in a text from `first` to `last`. Raises if a name stands
--- twice there.
---@param text string JSON that a library has read
---@param first integer
---@param last integer
---@param old any what it is there
---@param new any
---@return string
function M.json(text, first, last, old, new)
  local edits = {}
  add(edits, "", old, new)
  if #edits == 0 then return text:sub(first, last) end
  local json, message = splice.edit(text, edits, first, last)
  return json or error(message, 0)
end

return M
