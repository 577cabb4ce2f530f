--- Plain data: values that any JSON library encodes. A copy can be changed without changing ours.

local strings = require "abridge.base.strings"

local M = {}

local MOST_VALUES = 1e6 -- in one copy; shared tables can stand for many more values than there are
--- Nested tables; JSON libraries refuse more than 1000.
M.most_depth = 200

local PLAIN = { number = true, boolean = true }

--- A deep copy of the plain parts of a value; strings become valid UTF-8. Functions, threads, userdata and anything
--- more than 200 tables deep are left out.
---@param value any
---@param keep_empty? boolean keep empty tables, which JSON may take for [] or {}
---@return any
function M.copy(value, keep_empty)
  local open = {} -- tables that the current value is in: one that turns up again is a cycle, and is left out
  local room, depth = MOST_VALUES, 0
  local function copied(inner)
    room = room - 1
    if room < 0 then return nil end
    if PLAIN[type(inner)] then return inner end
    if type(inner) == "string" then return strings.valid(inner) end
    if type(inner) ~= "table" or open[inner] or depth == M.most_depth then return nil end
    open[inner], depth = true, depth + 1
    local copy = {}
    for key, part in next, inner do
      if type(key) == "string" or type(key) == "number" then copy[key] = copied(part) end
    end
    open[inner], depth = nil, depth - 1
    if next(copy) == nil and not keep_empty then return nil end
    return copy
  end
  return copied(value)
end

return M
