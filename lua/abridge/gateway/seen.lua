--- Messages by their bytes: one that was read for an earlier request is the same table again, so its
--- counts and its capped form are known. Bounded; no answer depends on it.

local host = require "abridge.base.host"
local spelled = require "abridge.history.spelled"

local M = {}

local GENERATION_BYTES = 8 * 1024 * 1024 -- two generations are kept: the last 8 to 16 MB of messages
local ENTRY_BYTES = 1024 -- of a short message besides its text, about

---@class abridge.gateway.Seen A message.
---@field text string its bytes
---@field message any
---@field view? table calls and results in it, by the shape it was read as
---@field shape? table
---@field capped? { seen: abridge.gateway.Seen, key: string, limits: table, count: integer, freed: table } its results
---@field again? abridge.gateway.Seen of the next message of the same bytes in one conversation

local young, old, size = {}, {}, 0

--- Read a message.
---@param text string
---@return abridge.gateway.Seen
function M.read(text)
  local message = assert(host.json()).decode(text)
  spelled.mark(message, text, 1, #text)
  return { text = text, message = message }
end

local function remember(text, seen)
  if size > GENERATION_BYTES then
    young, old, size = {}, young, 0
  end
  if not young[text] then size = size + #text + ENTRY_BYTES end
  young[text] = seen
end

--- The messages in a body, each a table of its own.
---@param body string
---@param places abridge.Spliced[]
---@return abridge.gateway.Seen[]
function M.all(body, places)
  local all, last = {}, {}
  for i, place in ipairs(places) do
    local text = body:sub(place.first, place.last)
    local before = last[text]
    local seen = before and before.again
    if not before then seen = young[text] or old[text] end
    if not seen then
      seen = M.read(text)
      if before then
        before.again, size = seen, size + ENTRY_BYTES
      end
    end
    if not before and young[text] ~= seen then remember(text, seen) end
    all[i], last[text] = seen, seen
  end
  return all
end

return M
