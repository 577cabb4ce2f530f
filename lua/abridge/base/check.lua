--- Checks of arguments. Misuse raises at the level of whoever called the public function; the message
--- names the function, the argument and the value.

local crude = require "abridge.base.crude"

local M = {}

local SHOWN = 40 -- bytes of a string in a message, give or take the end of a char

--- A value as a message shows it.
---@param value any
---@return string
function M.show(value)
  if type(value) == "string" then
    if #value <= SHOWN then return '"' .. value .. '"' end
    return '"' .. value:sub(1, SHOWN) .. value:match("^[\128-\191]?[\128-\191]?[\128-\191]?", SHOWN + 1) .. '..."'
  elseif value ~= value then
    return "nan" -- some hosts print its sign
  elseif type(value) == "number" then
    return ("%.14g"):format(value)
  elseif type(value) == "boolean" then
    return tostring(value)
  end
  return type(value)
end

--- A key or a name as a message shows it: a string as it is.
---@param value any
---@return string
function M.name(value)
  return type(value) == "string" and value or M.show(value)
end

--- The text of an error, or of any value; the name of its type if it has none, or only its address.
M.text = crude.text

--- Raise at the level of the caller of the function that calls this one (plus `deeper`).
---@param message string
---@param deeper? integer
function M.fail(message, deeper)
  error(message, 3 + (deeper or 0))
end

--- The text of an error, without the place in the code.
---@param why any what pcall gave
---@return string
function M.message(why)
  return (M.text(why):gsub("^[^\n]-%.lua:%d+: ", ""))
end

--- The first line of that text.
---@param why any
---@return string
function M.reason(why)
  return M.message(why):match "^[^\n]*"
end

--- Is the value a count: an integer from 0 to 2^53?
---@param value any
---@return boolean
function M.is_count(value)
  return type(value) == "number" and value >= 0 and value <= 2 ^ 53 and value == math.floor(value)
end

--- Are the fields of a table counts?
---@param t table
---@param ... string names of fields
---@return boolean
function M.are_counts(t, ...)
  for _, key in ipairs { ... } do
    if not M.is_count(t[key]) then return false end
  end
  return true
end

--- A kind for `options`: a count.
---@param value any
---@return string|nil expected
function M.count(value)
  if not M.is_count(value) then return "an integer from 0 to 2^53" end
end

--- A kind for `options`: a count of at least 1.
---@param value any
---@return string|nil expected
function M.positive(value)
  if not M.is_count(value) or value == 0 then return "an integer from 1 to 2^53" end
end

--- A kind for `options`: a list of names of tools.
---@param value any
---@return string|nil expected
function M.tool_names(value)
  local expected = "a list of tool names"
  if type(value) ~= "table" then return expected end
  for key, name in next, value do
    if type(key) ~= "number" or type(name) ~= "string" then return expected end
  end
end

--- A kind for `options`: a session.
---@param value any
---@return string|nil expected
function M.session(value)
  if type(value) ~= "table" or type(value.cap) ~= "function" then return "a session" end
end

--- Is this a decoded JSON null, or nil?
---@param value any
---@return boolean
function M.is_null(value)
  return value == nil or type(value) == "userdata"
end

--- A copy of a caller's list, up to its first nil. No metatable is asked: one that answers to every key would never
--- end.
---@param t table
---@return any[]
function M.list(t)
  local list = {}
  for i = 1, math.huge do
    local value = rawget(t, i)
    if value == nil then break end
    list[i] = value
  end
  return list
end

--- A copy of the raw fields of a caller's table, without its metatable.
---@param t table
---@return table
function M.copied(t)
  local copy = {}
  for key, value in next, t do
    copy[key] = value
  end
  return copy
end

--- Check how long to wait: nil, or a number of at least 0. Raises at the level of the caller's caller.
---@param who string
---@param seconds any
function M.seconds(who, seconds)
  if seconds ~= nil and not (type(seconds) == "number" and seconds >= 0) then
    M.fail(("%s: seconds must be a number of at least 0, got %s"):format(who, M.show(seconds)), 1)
  end
end

--- Check a table of options: each key known, each value of its kind. A kind is a Lua type name, several joined by "|",
--- or a function that describes a right value, or returns nil when this one is right. Only the raw fields of the table
--- are options: metatables are not asked.
---@param who string the public function, for messages
---@param opts any
---@param kinds table<string, string|fun(value: any): string|nil>
---@param deeper? integer levels between the caller of this function and the public one
---@return table opts a copy: no metatable of the caller's is asked, now or later
function M.options(who, opts, kinds, deeper)
  deeper = deeper or 0
  local checked = {}
  if opts == nil then return checked end
  if type(opts) ~= "table" then M.fail(("%s: opts must be a table, got %s"):format(who, M.show(opts)), deeper) end
  for key, value in next, opts do
    local kind = kinds[key]
    if kind == nil then
      M.fail(("%s: unknown option '%s' (value %s)"):format(who, M.name(key), M.show(value)), deeper)
    end
    local expected
    if type(kind) == "function" then
      expected = kind(value)
    elseif not ("|" .. kind .. "|"):find("|" .. type(value) .. "|", 1, true) then
      expected = "a " .. kind:gsub("|", " or a ")
    end
    if expected then M.fail(("%s: %s must be %s, got %s"):format(who, key, expected, M.show(value)), deeper) end
    checked[key] = value
  end
  return checked
end

--- Check the fields of a table that are there: each of its kind, a Lua type name.
---@param who string the public function, for messages
---@param name string the argument
---@param t any
---@param kinds table<string, string>
---@param deeper? integer levels between the caller of this function and the public one
function M.fields(who, name, t, kinds, deeper)
  deeper = deeper or 0
  if type(t) ~= "table" then M.fail(("%s: %s must be a table, got %s"):format(who, name, M.show(t)), deeper) end
  for key, kind in next, kinds do
    local value = t[key]
    if value ~= nil and type(value) ~= kind then
      M.fail(("%s: %s.%s must be a %s, got %s"):format(who, name, key, kind, M.show(value)), deeper)
    end
  end
end

return M
