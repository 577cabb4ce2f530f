--- Cuts written by hand: `<<` and `>>` stand around each marker, all else is the source's; `<<>>` is a gap without one.
local merge = require "support.merge"
local plain = require "support.plain"

local M = {}

--- The stretches of a written cut: `{ text =, marker = }`.
local function stretches(written)
  local list, at = {}, 1
  while at <= #written do
    local open = written:find("<<", at, true)
    if open ~= at then list[#list + 1] = { text = written:sub(at, (open or #written + 1) - 1) } end
    if not open then break end
    local close = assert(written:find(">>", open, true), "a marker has no end")
    list[#list + 1] = { text = written:sub(open + 2, close - 1), marker = true }
    at = close + 2
  end
  return list
end

local function line_of(source, at)
  local _, newlines = source:sub(1, at - 1):gsub("\n", "")
  return newlines + 1
end

--- Where a stretch stands: the first place from `from` on, or the end of the source for the last one.
local function find(source, text, from, is_last)
  if is_last and #source - #text + 1 >= from and source:sub(-#text) == text then return #source - #text + 1 end
  return assert(source:find(text, from, true), "not in the source: " .. text)
end

--- The content and the cut of pieces, each `{ from =, to = }` of the source or `{ marker = }`; `fields` go into the
--- cut as
--- they are.
function M.build(source, pieces, fields)
  local cut = { kept = {}, markers = {}, truncated = true, truncated_by = "bytes", strategy = "auto" }
  local parts, size, lines, last_line, last = {}, 0, 0, 0, nil
  for i, piece in ipairs(pieces) do
    parts[i] = piece.marker or source:sub(piece.from, piece.to)
    local range = { first_byte = size + 1, last_byte = size + #parts[i] }
    size = range.last_byte
    if piece.marker and #parts[i] > 0 then
      cut.markers[#cut.markers + 1], last = range, nil
    elseif #parts[i] > 0 and last and last.last_byte + 1 == piece.from then
      last.last_byte = piece.to
    elseif #parts[i] > 0 then
      last = { first_byte = piece.from, last_byte = piece.to }
      cut.kept[#cut.kept + 1] = last
    end
  end
  cut.output_bytes, cut.total_bytes = 0, #source
  for _, kept in ipairs(cut.kept) do
    kept.first_line, kept.last_line = line_of(source, kept.first_byte), line_of(source, kept.last_byte)
    lines = lines + kept.last_line - kept.first_line + (kept.first_line > last_line and 1 or 0)
    last_line = kept.last_line
    cut.output_bytes = cut.output_bytes + kept.last_byte - kept.first_byte + 1
  end
  cut.output_lines, cut.total_lines = lines, plain.count_lines(source)
  cut.omitted_bytes, cut.omitted_lines = #source - cut.output_bytes, cut.total_lines - lines
  merge(cut, fields)
  return table.concat(parts), cut
end

--- The content and the cut as written.
function M.cut(source, written, fields)
  local pieces, from, list = {}, 1, stretches(written)
  for i, stretch in ipairs(list) do
    if stretch.marker then
      pieces[i] = { marker = stretch.text }
    else
      local at = find(source, stretch.text, from, i == #list)
      from = at + #stretch.text
      pieces[i] = { from = at, to = from - 1 }
    end
  end
  return M.build(source, pieces, fields)
end

return M
