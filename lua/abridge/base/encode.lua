--- Values as JSON, the same bytes for equal values in every run and on every host: keys are sorted, and values that
--- JSON cannot express are reported, not guessed at. Only the raw fields of tables count; no metatable is asked. Needs
--- nothing but Lua.

local check = require "abridge.base.check"
local host = require "abridge.base.host"

local M = {}

local MOST_VALUES = 1e6 -- in one text; shared tables can stand for many more values than there are
local MOST_NESTED = 1000 -- nested tables, as in JSON libraries
local SHORT_LIST, SPARSE = 10, 2 -- a list may have holes while it is this short, or no longer than twice its values
local PATH_BYTES = 100 -- of a place in a message

-- strings and numbers ------------------------------------------------------------

local ESCAPED =
  { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

for byte = 0, 127 do
  local char = string.char(byte)
  if byte < 32 or byte == 127 then ESCAPED[char] = ESCAPED[char] or ("\\u%04x"):format(byte) end
end

--- A string as JSON; bytes outside UTF-8 as they are.
---@param text string
---@return string
function M.string(text)
  return '"' .. text:gsub('[%z\1-\31"\\\127]', ESCAPED) .. '"'
end

local type_of_number = rawget(math, "type") -- 5.3 and later know integers

--- A finite number as JSON, as short as it can be read back.
---@param number number
---@return string
function M.number(number)
  if type_of_number and type_of_number(number) == "integer" then return ("%d"):format(number) end
  if number == math.floor(number) and math.abs(number) <= 2 ^ 53 then return ("%.0f"):format(number) end
  for precision = 14, 16 do
    local text = ("%%.%dg"):format(precision):format(number)
    if tonumber(text) == number then return (text:gsub(",", ".")) end -- some locales write a comma
  end
  return (("%.17g"):format(number):gsub(",", "."))
end

--- The name of a number that JSON lacks; nil for others.
local function odd_number(value)
  if type(value) ~= "number" then return nil end
  return value ~= value and "nan" or value == math.huge and "inf" or value == -math.huge and "-inf" or nil
end

-- tables --------------------------------------------------------------------------

---@class abridge.Encoder
---@field parts string[] what is written
---@field path any[] keys that lead to the current value
---@field open table<table, boolean> the tables it is in
---@field room integer values still allowed
local Encoder = {}
Encoder.__index = Encoder

--- Write a text.
function Encoder:put(text)
  self.parts[#self.parts + 1] = text
end

--- Stop here: JSON cannot express the current value.
function Encoder:refuse(what)
  local at = ""
  for _, key in ipairs(self.path) do
    if #at > PATH_BYTES then break end
    at = at .. (type(key) == "number" and "[" .. M.number(key) .. "]" or (at == "" and "" or ".") .. key)
  end
  if #at > PATH_BYTES then at = at:sub(1, PATH_BYTES) .. at:match("^[\128-\191]*", PATH_BYTES + 1) .. "..." end
  self.problem = (at == "" and "it" or at) .. " " .. what
  error(self, 0)
end

--- The names of a table's keys in order, and the keys by name; of a list its length alone.
function Encoder:keys_of(t)
  local names, keys, count, length = {}, {}, 0, 0
  for key in next, t do
    local is_number = type(key) == "number"
    local odd = odd_number(key) or not is_number and type(key) ~= "string" and "a " .. type(key)
    if odd then self:refuse("has a key that is " .. odd) end
    local name = is_number and M.number(key) or key
    if keys[name] ~= nil then self:refuse(("has the key %s twice, as a number and as text"):format(name)) end
    count = count + 1
    names[count], keys[name] = name, key
    length = length and is_number and key >= 1 and key == math.floor(key) and math.max(length, key) or nil
  end
  if length and count > 0 then
    if length > SHORT_LIST and length > count * SPARSE then self:refuse "is a list with too many holes" end
    return nil, nil, length
  end
  table.sort(names)
  return names, keys
end

--- Write a table as an array or an object.
function Encoder:table(t)
  if self.open[t] then self:refuse "holds itself" end
  if #self.path >= MOST_NESTED then
    self.path = {}
    self:refuse(("is over %d tables deep"):format(MOST_NESTED))
  end
  self.open[t] = true
  local names, keys, length = self:keys_of(t)
  local depth = #self.path + 1
  self:put(length and "[" or "{")
  for i = 1, length or #names do
    local key = length and i or keys[names[i]]
    self.path[depth] = key
    if i > 1 then self:put "," end
    if not length then self:put(M.string(names[i]) .. ":") end
    self:value(rawget(t, key))
  end
  self.path[depth] = nil
  self:put(length and "]" or "}")
  self.open[t] = nil
end

--- Write any value.
function Encoder:value(value)
  self.room = self.room - 1
  if self.room < 0 then
    self.path = {}
    self:refuse(("has more than %.0f values"):format(MOST_VALUES))
  end
  local kind, json = type(value), type(value) == "userdata" and host.json()
  if kind == "string" then
    self:put(M.string(value))
  elseif kind == "table" then
    self:table(value)
  elseif kind == "number" and not odd_number(value) then
    self:put(M.number(value))
  elseif kind == "boolean" then
    self:put(value and "true" or "false")
  elseif value == nil or json and rawequal(value, json.null) then
    self:put "null"
  else
    self:refuse("is " .. (odd_number(value) or "a " .. kind))
  end
end

--- A value as compact JSON: keys in the order of their bytes, bytes outside UTF-8 as they are. The empty table is `{}`.
--- Cost: a pass in Lua, and a sort of the keys of each table.
---@param value any
---@return string|nil text
---@return string|nil problem which part JSON cannot express, and where it is
function M.json(value)
  local self = setmetatable({ parts = {}, path = {}, open = {}, room = MOST_VALUES }, Encoder)
  local ok, raised = pcall(self.value, self, value)
  if ok then return table.concat(self.parts) end
  return nil, rawequal(raised, self) and self.problem or check.text(raised)
end

return M
