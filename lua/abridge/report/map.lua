--- The kept and omitted parts of a text, by its ledger: as a list of segments, and drawn.

local check = require "abridge.base.check"

local M = {}

local WIDTH = 1000 -- units of a drawing
local LEAST = 4 -- units that the smallest part which is kept takes up
local LEAST_SMALL = 10 -- likewise in a small drawing

---@class (exact) abridge.report.Segment
---@field kept boolean
---@field from integer bytes before it
---@field to integer bytes up to its end
---@field first_line? integer
---@field last_line? integer

local function line_or_nil(value)
  return check.is_count(value) and value > 0 and value or nil
end

local function gap(before, after, total_lines)
  local first = before and before.last_line and before.last_line + 1 or not before and 1 or nil
  local last = after and after.first_line and after.first_line - 1 or not after and line_or_nil(total_lines) or nil
  if not (first and last and first <= last) then return nil end
  return first, last
end

--- The parts of a text that tile it, in order; nil if a ledger is not one that a cut made of so many bytes.
---@param cut abridge.Cut one of `ledger.of`
---@return abridge.report.Segment[]|nil
function M.segments(cut)
  local total, segments, at, before = cut.total_bytes, {}, 0, nil
  if not check.is_count(total) then return nil end
  local function add_gap(to, after)
    if to <= at then return end
    local first, last = gap(before, after, cut.total_lines)
    segments[#segments + 1] = { kept = false, from = at, to = to, first_line = first, last_line = last }
  end
  for _, range in ipairs(cut.kept or {}) do
    if range.first_byte <= at or range.last_byte < range.first_byte or range.last_byte > total then return nil end
    local first, last = line_or_nil(range.first_line), line_or_nil(range.last_line)
    local from, to = range.first_byte - 1, range.last_byte
    local segment = { kept = true, from = from, to = to, first_line = first, last_line = last }
    add_gap(segment.from, segment)
    segments[#segments + 1], at, before = segment, segment.to, segment
  end
  add_gap(total, nil)
  return segments
end

--- The start and width of a segment, in units.
local function place(segment, total, least)
  local x = math.floor(segment.from / total * WIDTH)
  local width = math.max(math.ceil(segment.to / total * WIDTH) - x, segment.kept and least or 0)
  return math.min(x, WIDTH - math.min(width, WIDTH)), width
end

--- The kept parts as one shape, for a row of a list.
---@param segments abridge.report.Segment[]
---@return string svg
function M.small(segments)
  local path, drawn = {}, 0
  local total = #segments > 0 and segments[#segments].to or 0
  for _, segment in ipairs(segments) do
    local x, width = place(segment, total, LEAST_SMALL)
    if segment.kept and x + width > drawn then
      path[#path + 1] = ("M%d 0h%dv1h-%dz"):format(x, width, width)
      drawn = x + width
    end
  end
  local svg = '<svg class="m" viewBox="0 0 %d 1" preserveAspectRatio="none"><path d="%s"/></svg>'
  return svg:format(WIDTH, table.concat(path))
end

--- All parts, each a link.
---@param segments abridge.report.Segment[]
---@param target fun(i: integer): string|nil the place of the i-th segment on the page
---@param title fun(segment: abridge.report.Segment): string
---@return string svg
function M.large(segments, target, title)
  local total = #segments > 0 and segments[#segments].to or 0
  local parts, drawn = {}, { [true] = 0, [false] = 0 }
  for _, kept in ipairs { false, true } do -- kept parts lie on top
    for i, segment in ipairs(segments) do
      local x, width = place(segment, total, LEAST)
      if segment.kept == kept and width > 0 and x + width > drawn[kept] then
        drawn[kept] = x + width
        local at = target(i)
        local shape = '<rect class="%s" x="%d" width="%d" height="1"><title>%s</title></rect>'
        shape = shape:format(kept and "seen" or "gap", x, width, title(segment))
        parts[#parts + 1] = at and ('<a href="#%s">%s</a>'):format(at, shape) or shape
      end
    end
  end
  return (
    '<svg class="map" viewBox="0 0 %d 1" preserveAspectRatio="none" role="img" '
    .. 'aria-label="What was kept and left out">%s</svg>'
  ):format(WIDTH, table.concat(parts))
end

return M
