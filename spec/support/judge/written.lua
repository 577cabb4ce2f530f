--- Cuts written by hand: `<<` and `>>` stand around each marker, all else is the source's; `<<>>` is a gap without one.
local plain = require "support.plain"

local M = {}

--- The stretches of a written cut: `{ text =, marker = }`.
local function stretches(written)
  local list, at = {}, 1
  while at <= #written do
    local open = written:find("<<", at, true)
    if open ~= at then
      list[#list + 1] = { text = written:sub(at, (open or #written + 1) - 1) }
    end
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

--- The content and the cut as written; `fields` go into the cut as they are.
function M.cut(source, written, fields)
  local cut = { kept = {}, markers = {}, truncated = true, truncated_by = "bytes", strategy = "auto" }
  local parts, size, from, lines, last_line = {}, 0, 1, 0, 0
  local list = stretches(written)
  for i, stretch in ipairs(list) do
    parts[i] = stretch.text
    local range = { first_byte = size + 1, last_byte = size + #stretch.text }
    size = range.last_byte
    if stretch.text == "" then
      size = range.first_byte - 1
    elseif stretch.marker then
      cut.markers[#cut.markers + 1] = range
    else
      local at = find(source, stretch.text, from, i == #list)
      local past = at + #stretch.text
      local kept = { first_byte = at, last_byte = past - 1 }
      kept.first_line, kept.last_line = line_of(source, at), line_of(source, past - 1)
      lines = lines + kept.last_line - kept.first_line + (kept.first_line > last_line and 1 or 0)
      last_line, from = kept.last_line, past
      cut.kept[#cut.kept + 1] = kept
    end
  end
  cut.output_bytes, cut.total_bytes, cut.output_lines = 0, #source, lines
  for _, range in ipairs(cut.kept) do
    cut.output_bytes = cut.output_bytes + range.last_byte - range.first_byte + 1
  end
  cut.total_lines = plain.count_lines(source)
  cut.omitted_bytes, cut.omitted_lines = #source - cut.output_bytes, cut.total_lines - lines
  for key, value in pairs(fields or {}) do cut[key] = value end
  return table.concat(parts), cut
end

return M
