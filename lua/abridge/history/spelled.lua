--- Messages that were read from JSON, and as JSON again after `history.fit`, in the bytes they came in: a message made
--- of another has its metatable, and that leads back to the source.

local encode = require "abridge.base.encode"
local spliced = require "abridge.base.spliced"

local M = {}

---@class (exact) abridge.history.Origin Held by the messages made of another, so it holds no table itself.
---@field message table|nil as it was read
---@field text string
---@field first integer its place there
---@field last integer
---@field made table|nil the last message made of it
---@field json string|nil that as JSON

local WEAK = { __mode = "v" }

--- Note the source of a message.
---@param message any
---@param text string
---@param first integer
---@param last integer
function M.mark(message, text, first, last)
  if type(message) ~= "table" then return end
  setmetatable(message, setmetatable({ message = message, text = text, first = first, last = last }, WEAK))
end

--- A message as JSON. Raises if it changed and a name stands twice there.
local function json_of(message, origin)
  if not origin then
    local json, problem = encode.json(message)
    return json or error(problem, 0)
  end
  if not rawequal(origin.made, message) then
    origin.json = spliced.json(origin.text, origin.first, origin.last, origin.message, message)
    origin.made = message
  end
  return origin.json
end

--- Messages after a fit, as JSON. Raises if a name stands twice in one that changed.
---@param sent table[]
---@param messages table[] that were marked
---@return string[] parts
---@return table<integer, integer> places of those in `sent` that are, or were made of, one of `messages`: which
function M.all(sent, messages)
  local parts, places, place_of = {}, {}, {}
  for i, message in ipairs(messages) do
    place_of[message] = i
  end
  for k, message in ipairs(sent) do
    local origin = getmetatable(message)
    parts[k] = json_of(message, origin)
    places[k] = origin and place_of[origin.message] or nil
  end
  return parts, places
end

return M
