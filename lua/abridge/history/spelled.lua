--- Messages that were read from JSON, and what `history.fit` makes of them as JSON, in the bytes they came in: what is
--- made of a message keeps its metatable, so it is known where it came from.

local encode = require "abridge.base.encode"
local spliced = require "abridge.base.spliced"

local M = {}

---@class (exact) abridge.history.Origin Held by what is made of a message, so it holds no table itself.
---@field message table|nil as it was read
---@field text string
---@field first integer where it stands there
---@field last integer
---@field made table|nil what was made of it last
---@field json string|nil that as JSON

local WEAK = { __mode = "v" }

--- Note where a message was read.
---@param message any
---@param text string
---@param first integer
---@param last integer
function M.mark(message, text, first, last)
  if type(message) ~= "table" then return end
  setmetatable(message, setmetatable({ message = message, text = text, first = first, last = last }, WEAK))
end

--- A message as JSON. Raises where a name stands twice in what changed.
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

--- What was made of some messages, as JSON. Raises where a name stands twice in one that changed.
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
