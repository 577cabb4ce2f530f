--- The places that diagnostics in an output point at, found a piece at a time: an output may be gigabytes. Offsets are
--- 0-based here.

local core = require "abridge.base.core_loader"

local M = {}

M.PIECE = 256 * 1024 -- bytes that are looked at together
M.CONTEXT = 8 * 1024 -- of them, those before the first that counts and after the last: a message may be there
local LINES = 128 -- that are looked at in one go

--- Visit the places in a text whose lines start at from..to - 1.
---@return boolean goes_on false if the visitor has stopped
local function visit_text(work, text, offset, from, to, visit)
  local state
  local line, at = 1, 1 -- the line that starts at `at`
  repeat
    local list
    list, state = core.locations(text, { max_lines = LINES, from = state })
    for _, place in ipairs(list) do
      while line < place.line do
        line, at = line + 1, text:find("\n", at, true) + 1
      end
      local byte = offset + at - 1
      if byte >= to then return true end
      if byte >= from and visit(place, byte, text, at) == false then return false end
    end
    work:pause()
  until not state
  return true
end

--- Visit each place in a source whose line starts at from..to - 1, in order.
---@param work abridge.Work
---@param source abridge.nvim.Source
---@param from integer
---@param to integer
---@param visit fun(place: abridge.Location, byte: integer, text: string, at: integer): boolean|nil false to stop; its
---  line starts at `byte` of the source, which is `at` in this piece of it
function M.each(work, source, from, to, visit)
  to = math.min(to, source.size)
  while from < to do
    local start = math.max(from - M.CONTEXT, 0)
    local text = assert(source.read(start, math.min(M.PIECE, source.size - start)))
    local stop = start + #text
    if stop < source.size then -- up to the end of a line, if one ends here
      local last = text:find "\n[^\n]*$"
      if last and start + last > from then
        text, stop = text:sub(1, last), start + last
      end
    end
    if stop <= from then return end -- the file has become shorter
    local dropped = start > 0 and (text:find("\n", 1, true) or #text) or 0 -- the rest of a line
    if stop < source.size and stop - M.CONTEXT > from then stop = stop - M.CONTEXT end
    if not visit_text(work, text:sub(dropped + 1), start + dropped, from, math.min(stop, to), visit) then return end
    from = stop
  end
end

--- The next failure whose line starts at `from` or after it.
---@return integer|nil byte of its line's start
function M.next(work, source, from)
  local found
  M.each(work, source, from, math.huge, function(place, byte)
    if place.severity == "error" then found = byte end
    return not found
  end)
  return found
end

--- The last failure whose line starts before `to`.
---@return integer|nil byte of its line's start
function M.previous(work, source, to)
  local found
  while to > 0 and not found do
    local from = math.max(to - M.PIECE + 2 * M.CONTEXT, 0)
    M.each(work, source, from, to, function(place, byte)
      if place.severity == "error" then found = byte end
    end)
    to = from
  end
  return found
end

--- The place that the line at a byte points at.
---@param byte integer of its start
---@return abridge.Location|nil
function M.at(work, source, byte)
  local found
  local near = { size = math.min(source.size, byte + M.CONTEXT), read = source.read } -- the rest does not matter
  M.each(work, near, byte, byte + 1, function(place)
    found = place
  end)
  return found
end

return M
