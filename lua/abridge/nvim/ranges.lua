--- Which parts of a text the model saw, as ranges of bytes: those of a ledger and the gaps between them. Offsets are
--- 0-based, the end of a range is exclusive.

local bisect = require "abridge.base.bisect"

local M = {}

---@class (exact) abridge.nvim.Range
---@field from integer
---@field to integer
---@field kept boolean
---@field gap? integer number of the gap that it is

--- The ranges of a ledger in order, kept ones and gaps; they tile a text of that size.
---@param cut? abridge.Cut nil: all of it is kept
---@param size integer
---@return abridge.nvim.Range[] with `gaps`, the number of those that are not kept
function M.of(cut, size)
  local ranges, at = { gaps = 0 }, 0
  local function add(to, kept)
    to = math.min(to, size)
    if to > at then
      if not kept then ranges.gaps = ranges.gaps + 1 end
      ranges[#ranges + 1] = { from = at, to = to, kept = kept, gap = not kept and ranges.gaps or nil }
    end
    at = math.max(at, to)
  end
  for _, range in ipairs(cut and cut.kept or {}) do
    add(range.first_byte - 1, false)
    add(range.last_byte, true)
  end
  add(size, cut == nil)
  return ranges
end

--- The index of the last item at or below a value, in a list sorted by `key`; 0 if there is none.
---@param list table[]
---@param key string
---@param value number
---@return integer
function M.last(list, key, value)
  return bisect.last(#list, function(i)
    return list[i][key] <= value
  end)
end

--- The index of the range that has a byte; 0 if there is none.
---@param ranges abridge.nvim.Range[]
---@param byte integer
---@return integer
function M.at(ranges, byte)
  return M.last(ranges, "from", byte)
end

--- The next range of a kind from a byte on, or the one before; not the one that the byte is in.
---@param ranges abridge.nvim.Range[]
---@param byte integer
---@param kept boolean
---@param step 1|-1
---@return abridge.nvim.Range|nil
function M.next(ranges, byte, kept, step)
  local i = M.at(ranges, byte) + step
  while ranges[i] and ranges[i].kept ~= kept do
    i = i + step
  end
  return ranges[i]
end

--- Places whose line is known from a ledger, for a text of that size.
---@param cut? abridge.Cut
---@param size integer
---@return { byte: integer, line: integer }[]
function M.known_lines(cut, size)
  local known = {}
  for _, range in ipairs(cut and cut.kept or {}) do
    known[#known + 1] = { byte = range.first_byte - 1, line = range.first_line }
  end
  if cut and cut.total_bytes == size and size > 0 then
    known[#known + 1] = { byte = size - 1, line = cut.total_lines }
  end
  return known
end

return M
