--- Judges a cut of json_lines or of a table: whole records in their order, a header first, every gap told on a line of
--- its own, a record over its share cut as JSON or like a long line.
local delimited = require "support.judge.delimited"
local json = require "support.judge.json"

local M = {}

local SILENT_BELOW = 128 -- in a budget of this many bytes a marker has room, whatever else is there

--- The lines of a drawn table but for rulings, and a count of rows, below its header.
local function drawn_rows(text, header_lines)
  local rows = {}
  for i, line in ipairs(delimited.lines(text)) do
    local shown = text:sub(line.from, line.to)
    if i <= header_lines or (shown:find "%w" and not shown:find "^%(%d+ rows?%)") then rows[#rows + 1] = line end
  end
  return rows
end

--- The lines of a source of JSON, but one record for those from a bracket alone to the next line that is not indented.
local function json_records(text)
  local list, opened = {}, nil
  for _, line in ipairs(delimited.lines(text)) do
    local shown = text:sub(line.from, line.to):gsub("\r+$", "")
    if opened then
      opened.to = line.to
      if shown:find "^[^ \t\r]" then opened = nil end
    else
      list[#list + 1] = line
      opened = (shown == "{" or shown == "[") and line or nil
    end
  end
  return list
end

--- The records of a source as the judge needs them. `table_form` has `delimiter` (nil for aligned columns), `drawn` if
--- it has rulings and bars, and `header_lines`, lines in front of the first row.
function M.source(text, kind, table_form)
  local source = { text = text, unit = kind == "table" and "rows" or "records", header = 0 }
  local start = text:sub(1, 3) == "\239\187\191" and 4 or 1
  if kind == "table" and table_form.delimiter then
    source.records = delimited.records(text, table_form.delimiter)
  elseif kind == "table" and table_form.drawn then
    source.records = drawn_rows(text, table_form.header_lines)
  else
    source.records = kind == "table" and delimited.lines(text) or json_records(text)
  end
  if source.records[1] then source.records[1].from = math.max(source.records[1].from, start) end
  if kind == "table" then source.header = table_form.header_lines or 1 end
  source.record_of = {}
  for i, record in ipairs(source.records) do
    for at = record.from, record.to do
      source.record_of[at] = i
    end
  end
  return source
end

local function count_told(view, source, line)
  local n = line.text:match("^%.%.%. %[(%d+) " .. source.unit .. " omitted%] %.%.%.$")
  if not n then return view:fault("marker", "%q is no marker of %s", line.text, source.unit) end
  return tonumber(n)
end

--- What stands in the content, in order: `{ record =, from =, to = }` with the bytes of the content, or `{ told = }`.
local function read(view, source)
  local list = {}
  for _, line in ipairs(view:lines()) do
    if line.marker then
      list[#list + 1] = { told = count_told(view, source, line) or 0 }
    else
      local record
      for at = line.from, line.to do
        local origin = view.origin[at]
        local of = origin and source.record_of[origin]
        if of and record and of ~= record then view:fault("line", "records %d and %d stand on one line", record, of) end
        record = record or of
      end
      local last = list[#list]
      if record and last and last.record == record then
        last.to = line.to
      elseif record then
        list[#list + 1] = { record = record, from = line.from, to = line.to }
      elseif line.sourced and line.broken then
        view:fault("line", "a marker stands on a line with blanks of the source")
      end
    end
  end
  return list
end

local function is_over_share(view, bytes)
  local budget = view.opts.max_bytes
  return not budget or not view:is_bound_by_bytes() or (bytes + 40) * 50 > budget
end

--- A record that shows in part.
local function check_part(view, source, shown)
  local record = source.records[shown.record]
  local bytes = record.to - record.from + 1
  if not is_over_share(view, bytes) then
    view:fault(
      "part",
      "record %d of %d bytes shows in part, in a budget of %d",
      shown.record,
      bytes,
      view.opts.max_bytes
    )
  end
  if source.unit == "rows" then return end
  local doc = json.document(source.text:sub(record.from, record.to))
  if not doc then return end
  local piece = json.piece(view, doc, shown.from, shown.to, record.from)
  piece.share = false
  json.check(piece, shown.from)
end

local function is_whole(view, source, shown)
  local record = source.records[shown.record]
  local first = view.origin[shown.from]
  return (first == record.from or first == 1 and shown.record == 1)
    and view.origin[shown.to] == record.to
    and view:is_whole(shown.from, shown.to)
end

--- Is there really no room for one marker more? A header that is alone may take nearly all of a budget.
local function has_no_room(view, source, gap)
  local budget = view.opts.max_bytes
  if not budget or view.opts.marker == "none" or not view:is_bound_by_bytes() then return true end
  local marker = ("... [%d %s omitted] ...\n"):format(#source.records, source.unit)
  local is_full = #view.content + #marker + 1 > budget
  return budget < SILENT_BELOW or (is_full and (budget < 2 * SILENT_BELOW or gap.after == source.header))
end

local function check_gap(view, source, gap)
  if #gap.told > 1 then view:fault("gap", "%d markers in one gap", #gap.told) end
  local told = gap.told[1]
  if gap.n > 0 and not told then
    if not has_no_room(view, source, gap) then
      view:fault("gap", "%d %s after record %d are not told", gap.n, source.unit, gap.after)
    end
  elseif told and told ~= gap.n then
    view:fault("gap", "%d %s told after record %d, %d left out", told, source.unit, gap.after, gap.n)
  end
end

local function check_gaps(view, source, list)
  local gap, kept = { after = 0, told = {} }, 0
  local function close(next_record)
    local from = math.max(gap.after, source.header)
    gap.n = math.max(0, next_record - from - 1)
    check_gap(view, source, gap)
    gap = { after = next_record, told = {} }
  end
  for _, shown in ipairs(list) do
    if shown.told then
      gap.told[#gap.told + 1] = shown.told
    else
      close(shown.record)
      if shown.record > source.header then kept = kept + 1 end
    end
  end
  close(#source.records + 1)
  return kept
end

--- The header is whole and first, wherever a row is shown or it would fit.
local function check_header(view, source, list)
  if source.header == 0 then return end
  local last = source.records[source.header]
  local bytes = last and last.to - source.records[1].from + 1 or 0
  for i = 1, source.header do
    local shown = list[i]
    if not shown or shown.record ~= i or not is_whole(view, source, shown) then
      local budget = view.opts.max_bytes
      if view:is_bound_by_bytes() and bytes + 40 <= budget then
        view:fault("header", "line %d of the header is not there", i)
      end
      for _, row in ipairs(list) do
        if row.record and row.record > source.header then
          return view:fault("header", "row %d stands without the header", row.record)
        end
      end
      return
    end
  end
end

local function check_items(view, source, kept)
  local items, total = view.cut.items or {}, #source.records - source.header
  local item = items[1]
  if #items ~= 1 then
    view:fault("items", "%d items", #items)
  elseif item.unit ~= source.unit or item.total ~= total or item.kept ~= kept or item.of ~= nil then
    view:fault(
      "items",
      "%s of %s %s, it is %d of %d %s",
      tostring(item.kept),
      tostring(item.total),
      tostring(item.unit),
      kept,
      total,
      source.unit
    )
  end
end

local function check_use(view, source, kept)
  if not view:is_bound_by_bytes() or kept == #source.records - source.header then return end
  local largest, header = 0, 0
  for i, record in ipairs(source.records) do
    local bytes = record.to - record.from + 2
    if i <= source.header then
      header = header + bytes
    else
      largest = math.max(largest, bytes)
    end
  end
  if (largest + header + 40) * 50 <= view.opts.max_bytes and #view.content < 0.9 * view.opts.max_bytes then
    view:fault("use", "%d of %d bytes used, the largest record has %d", #view.content, view.opts.max_bytes, largest)
  end
end

function M.judge(view, source)
  if view.opts.marker == "none" and #(view.cut.markers or {}) > 0 then view:fault("marker", "there are markers") end
  local list = read(view, source)
  for _, shown in ipairs(list) do
    if shown.record and not is_whole(view, source, shown) then check_part(view, source, shown) end
  end
  check_header(view, source, list)
  local kept = check_gaps(view, source, list)
  check_items(view, source, kept)
  check_use(view, source, kept)
end

return M
