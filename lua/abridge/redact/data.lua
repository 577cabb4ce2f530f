--- Redaction of plain data: strings, keys and numbers as they are, before an encoding can spell them differently.

local host = require "abridge.base.host"
local plain_data = require "abridge.base.plain_data"
local escapes = require "abridge.redact.escapes"
local rules = require "abridge.redact.rules"

local find, format, sub = string.find, string.format, string.sub

local M = {}

local HIDDEN = rules.hidden
local MOST_JSON = 16 * 1024 * 1024 -- bytes of a text that is read as JSON
local FORMATS = { "%.14g", "%.16g", "%.17g", "%.0f" } -- how JSON libraries and we print a number

--- A number as it may be shown: itself, or the text left of it.
local function number(redactor, value)
  local seen = tostring(value)
  local shown = redactor:text(seen)
  if shown ~= seen then return shown end
  for _, pattern in ipairs(FORMATS) do
    local text = format(pattern, value)
    if text ~= seen then
      shown, seen = redactor:text(text), text
      if shown ~= text then return shown end
    end
  end
  return value
end

--- The metatable of a JSON library that only tells arrays from objects; others do not stay.
local function mark_of(value)
  local mt = getmetatable(value)
  if type(mt) ~= "table" then return nil, mt ~= nil end
  local vim = rawget(_G, "vim")
  local empty_dict = type(vim) == "table" and rawget(vim, "_empty_dict_mt")
  if next(mt) == nil or rawequal(mt, empty_dict) then return mt, false end
  return nil, true
end

local Copy = {}
Copy.__index = Copy

--- Does the redactor hide a value when it sees key and value together, as on a line of JSON?
function Copy:hides_member(key, value)
  local text = type(value) == "string" and '"' .. value .. '"' or tostring(value)
  local member = format('"%s":%s', key, text)
  local shown = self.redactor:text(member)
  return shown ~= member and sub(shown, -#text) ~= text
end

--- A member of a table as it may be shown.
function Copy:member(key, value, depth)
  local shown = self:value(value, depth)
  local is_leaf = type(value) == "string" or type(value) == "number"
  if not is_leaf or shown ~= value or type(key) ~= "string" or not self:hides_member(key, value) then return shown end
  self.changed = true
  return HIDDEN
end

--- How many values a table's list has: JSON does not show their numbers.
local function list_length(value)
  local n = 0
  while rawget(value, n + 1) ~= nil do
    n = n + 1
  end
  return n
end

--- The name that a key shows under; nil for one that stays as it is.
function Copy:renamed(key, length)
  local text = key
  if type(key) == "number" then
    if key >= 1 and key <= length and key == math.floor(key) then return nil end
    local shown = number(self.redactor, key)
    return shown ~= key and shown or nil
  elseif type(key) ~= "string" then
    return nil
  end
  local shown = self.redactor:text(text)
  return shown ~= text and shown or nil
end

--- A table as it may be shown.
function Copy:table(value, depth)
  local mark, spoke = mark_of(value)
  local copy, renamed, names = setmetatable({}, mark), {}, {}
  self.changed = self.changed or spoke
  self.copies[value] = copy
  local length = list_length(value)
  for key, inner in next, value do
    local name = self:renamed(key, length)
    if name then
      renamed[#renamed + 1], names[key] = key, name
    elseif type(key) == "table" then
      self.changed = true
    else
      copy[key] = self:member(key, inner, depth + 1)
    end
  end
  table.sort(renamed, function(a, b)
    return tostring(a) < tostring(b)
  end)
  for _, key in ipairs(renamed) do
    local free, count = names[key], 1
    while rawget(copy, free) ~= nil do
      count = count + 1
      free = names[key] .. " " .. count
    end
    self.changed = true
    copy[free] = self:member(key, rawget(value, key), depth + 1)
  end
  return copy
end

--- Any value as it may be shown.
function Copy:value(value, depth)
  local shown = value
  if type(value) == "string" then
    shown = M.text(self.redactor, value)
  elseif type(value) == "number" then
    shown = number(self.redactor, value)
  elseif type(value) == "table" then
    if self.copies[value] then return self.copies[value] end
    if depth < plain_data.most_depth then return self:table(value, depth) end
    shown = HIDDEN
  end
  self.changed = self.changed or not rawequal(shown, value)
  return shown
end

--- A deep copy of plain data in which nothing shows that the redactor hides: see Redactor:data.
---@param redactor abridge.Redactor
---@param value any
---@return any copy
---@return boolean changed whether it differs from the value
function M.of(redactor, value)
  local self = setmetatable({ redactor = redactor, copies = {}, changed = false }, Copy)
  local copy = self:value(value, 0)
  return copy, self.changed
end

-- text that is JSON, or was meant as JSON ---------------------------------------------------

--- A text redacted; as data if it is a JSON document whose escapes hide something.
---@param redactor abridge.Redactor
---@param text string
---@return string
function M.text(redactor, text)
  local may_be = #text <= MOST_JSON and find(text, '^%s*[%[{"]') and find(text, "\\", 1, true)
  local json = may_be and host.json()
  if json then
    local ok, value = pcall(json.decode, text)
    local copied, copy, changed = pcall(M.of, redactor, ok and value or nil)
    local encoded, shown = pcall(json.encode, copy)
    if copied and changed and encoded then return redactor:text(shown) end
  end
  return redactor:text(text)
end

--- A text that was meant as JSON but is not, redacted; if its escapes hide something, it shows without them.
---@param redactor abridge.Redactor
---@param text string
---@return string
function M.broken(redactor, text)
  local read = escapes.read(text)
  local shown = redactor:text(read)
  return redactor:text(shown ~= read and shown or text)
end

return M
