--- Checks of what a caller hands in. A misuse raises at the level of whoever called the public function, and the
--- message names the function, the argument and the value.

local M = {}

local SHOWN = 40 -- chars of a string in a message

--- A value as a message shows it.
---@param value any
---@return string
function M.show(value)
  if type(value) == "string" then
    return #value > SHOWN and '"' .. value:sub(1, SHOWN) .. '..."' or '"' .. value .. '"'
  elseif value ~= value then
    return "nan" -- some hosts print its sign
  elseif type(value) == "number" then
    return ("%.14g"):format(value)
  elseif type(value) == "boolean" then
    return tostring(value)
  end
  return type(value)
end

--- Raise at the level of the caller of the function that calls this one (plus `deeper`).
---@param message string
---@param deeper? integer
function M.fail(message, deeper)
  error(message, 3 + (deeper or 0))
end

--- What an error says, without the place in the code.
---@param why any what pcall gave
---@return string
function M.message(why)
  return (tostring(why):gsub("^[^\n]-%.lua:%d+: ", ""))
end

--- The first line of what an error says.
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

--- Check how long to wait: nil, or a number of at least 0. Raises at the level of the caller's caller.
---@param who string
---@param seconds any
function M.seconds(who, seconds)
  if seconds ~= nil and not (type(seconds) == "number" and seconds >= 0) then
    M.fail(("%s: seconds must be a number of at least 0, got %s"):format(who, M.show(seconds)), 1)
  end
end

--- Check a table of options: each key known, each value of its kind. A kind is a Lua type name, several joined by
--- "|", or a function that returns what the value should have been, or nil when it is right. Options are what the table
--- itself holds: metatables are not asked.
---@param who string the public function, for messages
---@param opts any
---@param kinds table<string, string|fun(value: any): string|nil>
---@param deeper? integer levels between the caller of this function and the public one
---@return table opts a copy; an empty table for nil
function M.options(who, opts, kinds, deeper)
  deeper = deeper or 0
  if opts == nil then return {} end
  if type(opts) ~= "table" then M.fail(("%s: opts must be a table, got %s"):format(who, M.show(opts)), deeper) end
  local own = {}
  for key, value in next, opts do
    local kind = kinds[key]
    if kind == nil then
      local name = type(key) == "string" and key or M.show(key)
      M.fail(("%s: unknown option '%s' (value %s)"):format(who, name, M.show(value)), deeper)
    end
    own[key] = value
    local expected
    if type(kind) == "function" then
      expected = kind(value)
    elseif not ("|" .. kind .. "|"):find("|" .. type(value) .. "|", 1, true) then
      expected = "a " .. kind:gsub("|", " or a ")
    end
    if expected then
      M.fail(("%s: %s must be %s, got %s"):format(who, key, expected, M.show(value)), deeper)
    end
  end
  return own
end

return M
