--- Checks of a model's input against a tool's schema: the part of JSON Schema that tools use (`type`, `required`,
--- `enum`, `properties`, `items`, `minimum`, `maximum`).

local check = require "abridge.base.check"

local M = {}

local ARTICLES = {
  string = "a string",
  integer = "an integer",
  number = "a number",
  boolean = "true or false",
  array = "an array",
  object = "an object",
  null = "null",
}

--- Inputs are read raw: no metatable is used.
local function is_array(value)
  local n, most = 0, 0
  for key in next, value do
    if type(key) ~= "number" or key < 1 or key ~= math.floor(key) then return false end
    n, most = n + 1, math.max(most, key)
  end
  return n == most
end

--- A value as a message shows it, in the words of JSON.
local function shown(value)
  if check.is_null(value) then return "null" end
  if type(value) ~= "table" then return check.show(value) end
  if next(value) == nil then return "an empty array or object" end
  return is_array(value) and "an array" or "an object"
end

local MOST_DIGITS = 400 -- of a number written as a string; matching takes the square of their count

--- Models write 5.0 and "5" for 5.
local function to_number(value)
  if type(value) == "string" and #value <= MOST_DIGITS and value:find "^%-?%d+%.?%d*$" then value = tonumber(value) end
  if type(value) ~= "number" or value ~= value or value == math.huge or value == -math.huge then return nil end
  local to_integer = rawget(math, "tointeger")
  return to_integer and value == math.floor(value) and to_integer(value) or value
end

local CONVERT = {
  string = function(value)
    return type(value) == "string" and value or nil
  end,
  integer = function(value)
    local number = to_number(value)
    return number and number == math.floor(number) and math.abs(number) <= 2 ^ 53 and number or nil
  end,
  number = to_number,
  boolean = function(value)
    if type(value) == "boolean" then return value end
  end,
  array = function(value)
    return type(value) == "table" and is_array(value) and value or nil
  end,
  object = function(value)
    return type(value) == "table" and (next(value) == nil or not is_array(value)) and value or nil
  end,
}

local function named_types(schema)
  return type(schema.type) == "table" and check.list(schema.type) or { schema.type }
end

local function convert(schema, value)
  local types = named_types(schema)
  if #types == 0 then return value end
  for _, name in ipairs(types) do -- a value of one of the types stays as it is
    if name == "string" and type(value) == "string" or name == "null" and check.is_null(value) then return value end
  end
  for _, name in ipairs(types) do
    local converted
    if CONVERT[name] then converted = CONVERT[name](value) end
    if converted ~= nil then return converted end
  end
  local wanted = {}
  for i, name in ipairs(types) do
    wanted[i] = ARTICLES[name] or name
  end
  return nil, ("must be %s, got %s"):format(table.concat(wanted, " or "), shown(value))
end

local function check_enum(schema, value)
  if type(schema.enum) ~= "table" then return nil end
  local words = {}
  for i, allowed in ipairs(check.list(schema.enum)) do
    if allowed == value then return nil end
    words[i] = shown(allowed)
  end
  return ("must be one of %s, got %s"):format(table.concat(words, ", "), shown(value))
end

local function check_range(schema, value)
  if type(value) ~= "number" then return nil end
  if type(schema.minimum) == "number" and value < schema.minimum then
    return ("must be at least %s, got %s"):format(check.show(schema.minimum), check.show(value))
  end
  if type(schema.maximum) == "number" and value > schema.maximum then
    return ("must be at most %s, got %s"):format(check.show(schema.maximum), check.show(value))
  end
end

local checked

local function checked_object(schema, value, path)
  local out = {}
  for key, inner in next, value do
    local inner_schema = type(schema.properties) == "table" and schema.properties[key]
    if not check.is_null(inner) then
      if inner_schema then
        local where = path == "" and check.name(key) or path .. "." .. check.name(key)
        local converted, message = checked(inner_schema, inner, where)
        if message then return nil, message end
        out[key] = converted
      else
        out[key] = inner
      end
    end
  end
  for _, key in ipairs(type(schema.required) == "table" and check.list(schema.required) or {}) do
    if out[key] == nil then return nil, (path == "" and "" or path .. ".") .. check.name(key) .. " is required" end
  end
  return out
end

local function checked_array(schema, value, path)
  local out = {}
  local i = 1
  local inner = rawget(value, i)
  while inner ~= nil do
    local converted, message = inner, nil
    if type(schema.items) == "table" then
      converted, message = checked(schema.items, inner, ("%s[%d]"):format(path, i))
    end
    if message then return nil, message end
    out[i], i = converted, i + 1
    inner = rawget(value, i)
  end
  return out
end

function checked(schema, value, path)
  local converted, message = convert(schema, value)
  message = message or check_enum(schema, converted) or check_range(schema, converted)
  if message then return nil, (path == "" and "input" or path) .. " " .. message end
  if type(converted) ~= "table" then return converted end
  if is_array(converted) and next(converted) ~= nil then return checked_array(schema, converted, path) end
  return checked_object(schema, converted, path)
end

--- Check and convert an input. Nulls are dropped; fields that the schema does not name are kept as they are.
---@param schema table
---@param input any
---@return table|nil input a new table
---@return string|nil message the problem, naming the field
function M.checked(schema, input)
  if type(input) ~= "table" or (next(input) ~= nil and is_array(input)) then
    return nil, "input must be an object, got " .. shown(input)
  end
  return checked_object(schema, input, "")
end

return M
