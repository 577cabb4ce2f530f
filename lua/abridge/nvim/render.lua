--- A result in a buffer: as a screen shows it, highlighted, and replaced in place when it is shown again.

local check = require "abridge.base.check"
local buffer = require "abridge.nvim.buffer"
local highlight = require "abridge.nvim.highlight"
local display = require "abridge.output.display"

local M = {}

local WHO = "abridge.nvim.render"
local CHUNK = 4000 -- rows that are written in one go
local PRIORITY = 110 -- over syntax (100), under the user's selection

---@class (exact) abridge.nvim.RenderOptions
--- 0-based; the lines are inserted before it, and other lines move down. Unless set, they go to the end of the buffer
---@field row? integer
---@field max_lines? integer those of `abridge.display`; no limit unless set
---@field width? integer
---@field key? string results with the same key replace each other; the result's `call_id` unless set

--- The place of a result's lines, now or later.
---@class (exact) abridge.nvim.Place
---@field id integer of the extmark that spans the lines; it has no end while there are none yet
---@field number integer of the call, for places without lines yet: if two are in one spot, the earlier call's is above
---@field waiting? boolean no lines yet
---@field at_end? boolean its row is not given

---@type table<integer, table<string, abridge.nvim.Place>> by buffer and key
local places = {}
local reserved = 0

local function place_namespace()
  return vim.api.nvim_create_namespace "abridge.places"
end

local function places_of(buf)
  for known in pairs(places) do
    if not vim.api.nvim_buf_is_valid(known) then places[known] = nil end
  end
  places[buf] = places[buf] or {}
  return places[buf]
end

local OPTIONS = { row = check.count, key = "string", max_lines = "number", width = "number" }

--- The position of a place's mark; nil if the buffer was reloaded, and has lost it.
local function mark_of(buf, place)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, place_namespace(), place.id, { details = true })
  return at[1], at[2], at[3]
end

--- Mark a row for lines to come. The mark moves with the line at that row; at the end of the buffer it stays after the
--- last line.
local function put_mark(buf, row, id)
  local follows = row < vim.api.nvim_buf_line_count(buf)
  if id then vim.api.nvim_buf_del_extmark(buf, place_namespace(), id) end -- one that stays keeps its gravity
  return vim.api.nvim_buf_set_extmark(buf, place_namespace(), row, 0, { id = id, right_gravity = follows })
end

local function is_empty(buf)
  return vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
end

--- The place of a result's lines, now or later: start row and column, end row and column; the end is exclusive.
local function found(buf, place)
  local first, first_col, details
  if place then
    first, first_col, details = mark_of(buf, place)
  end
  if not first then return nil end
  if place.waiting then
    if place.at_end and is_empty(buf) then return { 0, 0, 1, 0 } end
    return { first, 0, first, 0 } -- text typed before the mark is not ours to split
  end
  local last, last_col = details.end_row or first, details.end_col or first_col
  if last < first or last == first and last_col < first_col then -- an undo took the lines, and left the mark inside out
    return { last, 0, last, 0 }
  end
  return { first, first_col, last, last_col }
end

--- The place of a result's lines if it has none yet.
local function fresh(buf, row)
  local count = vim.api.nvim_buf_line_count(buf)
  if row and row > count then
    local lines = count == 1 and "1 line" or ("%d lines"):format(count)
    return nil, ("Row %.0f is past the end of the buffer (%s)"):format(row, lines)
  end
  if not row and is_empty(buf) then return { 0, 0, 1, 0 } end -- the line that an empty buffer has
  row = row or count
  return { row, 0, row, 0 }
end

--- Replace a range with lines; returns the row of the first one. If the user has joined ours with a line of theirs,
--- their part gets a line of its own.
local function replace(buf, range, lines)
  local first, first_col, last, last_col = range[1], range[2], range[3], range[4]
  if first_col == 0 and last_col == 0 then
    vim.api.nvim_buf_set_lines(buf, first, last, true, lines)
    return first
  end
  local given = vim.list_extend({}, lines)
  if first_col > 0 then table.insert(given, 1, "") end
  if last == vim.api.nvim_buf_line_count(buf) then
    last = last - 1
    last_col = #vim.api.nvim_buf_get_lines(buf, last, last + 1, true)[1]
  else
    given[#given + 1] = ""
  end
  vim.api.nvim_buf_set_text(buf, first, first_col, last, last_col, given)
  return first + (first_col > 0 and 1 or 0)
end

local function paint(buf, first, rows)
  local ns = highlight.namespace()
  local function mark(row, from, to, group)
    vim.api.nvim_buf_set_extmark(buf, ns, row, from, { end_col = to, hl_group = group, priority = PRIORITY })
  end
  for i, row in ipairs(rows) do
    local at = first + i - 1
    if row.kind and row.text ~= "" then mark(at, 0, #row.text, highlight.groups[row.kind]) end
    for _, span in ipairs(row.spans or {}) do
      mark(at, span.first_byte - 1, span.last_byte, highlight.groups.marker)
    end
  end
end

--- The places that wait in the spot for new lines: those of earlier calls, which stay above, and the others.
local function waiting_at(buf, own, row, number)
  local above, below = {}, {}
  for _, place in pairs(own) do
    if place.waiting and place.number ~= number and mark_of(buf, place) == row then
      local list = number and place.number > number and below or above
      list[#list + 1] = place
    end
  end
  return above, below
end

local function write(buf, range, rows, own, key)
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = row.text
  end
  if #lines == 0 then lines[1] = "" end -- a place without a line could not be found again
  local place = key and own[key]
  local waits = place and place.waiting
  local above, below = {}, {}
  if place then
    above, below = waiting_at(buf, own, range[1], waits and place.number)
  end
  vim.api.nvim_buf_clear_namespace(buf, highlight.namespace(), range[1], range[3] + (range[4] > 0 and 1 or 0))
  local first = replace(buf, range, lines)
  if key then
    local id = vim.api.nvim_buf_set_extmark(
      buf,
      place_namespace(),
      first,
      0,
      { id = place and place.id, end_row = first + #lines, end_col = 0 }
    )
    own[key] = { id = id }
  end
  for _, other in ipairs(above) do
    put_mark(buf, first, other.id)
  end
  for _, other in ipairs(below) do
    put_mark(buf, first + #lines, other.id)
  end
  paint(buf, first, rows)
  return first, #lines
end

--- Show a result in a buffer of ours, in place of all lines from a row on, in turns with the editor.
---@param buf integer
---@param first integer 0-based
---@param result abridge.Result|table as of `render`
---@param work abridge.Work
function M.fill(buf, first, result, work)
  local rows = display.rows(WHO, result, {}, 0, work)
  local lines, from = {}, 1
  for i, row in ipairs(rows) do
    lines[#lines + 1] = row.text
    if i % CHUNK == 0 or i == #rows then
      if not vim.api.nvim_buf_is_loaded(buf) then return end
      local at, stop = first + from - 1, i < #rows and first + i or -1
      assert(buffer.change(buf, function()
        vim.api.nvim_buf_clear_namespace(buf, highlight.namespace(), at, stop)
        vim.api.nvim_buf_set_lines(buf, at, stop, false, lines)
        paint(buf, at, vim.list_slice(rows, from, i))
      end))
      lines, from = {}, i + 1
      work:pause()
    end
  end
end

--- Keep a place for a result to come, which moves with the lines around it. Does nothing if there can be no mark;
--- `render` then chooses the place.
---@param buf integer
---@param key string
---@param row? integer 0-based, as of `render`; one past the end of the buffer is the end
function M.reserve(buf, key, row)
  if vim.in_fast_event() or not vim.api.nvim_buf_is_loaded(buf) then return end
  reserved = reserved + 1
  local at_end = row == nil
  if at_end and is_empty(buf) then row = 0 end
  row = math.min(row or math.huge, vim.api.nvim_buf_line_count(buf))
  places_of(buf)[key] = { id = put_mark(buf, row), number = reserved, waiting = true, at_end = at_end }
end

--- Show a result in a buffer, as `abridge.display` shows it. Notices, the exit line, omission markers and errors are
--- highlighted by the ledger and the block; a tool's own text that looks like one is not.
---
--- A result shown again (with the same `call_id`, or the same `key`) replaces its former lines, even if they have
--- moved. The output so far of a running call may be shown as a result with `tool`, `call_id`, `content` and
--- `details = { cut = cut }`. Buffers that are hidden or not modifiable are written too. Raises on misuse. Cost: in
--- proportion to the content.
---@param buf integer 0: the current one
---@param result abridge.Result sets `result.display`
---@param opts? abridge.nvim.RenderOptions
---@return integer|nil row 0-based, of the first line
---@return integer|string count of lines, or why nothing was written: the buffer is gone, or cannot be changed now
function M.render(buf, result, opts)
  if not check.is_count(buf) then check.fail(WHO .. ": buf must be the number of a buffer, got " .. check.show(buf)) end
  opts = check.options(WHO, opts, OPTIONS, 1)
  local rows = display.rows(WHO, result, { max_lines = opts.max_lines, width = opts.width })
  if vim.in_fast_event() then return nil, "Buffers cannot be changed in a fast event: use vim.schedule" end
  if buf == 0 then buf = vim.api.nvim_get_current_buf() end
  if not vim.api.nvim_buf_is_loaded(buf) then return nil, ("Buffer %.0f is not there"):format(buf) end
  highlight.define()
  local own, key = places_of(buf), opts.key or result.call_id
  local place = key and own[key]
  local range, message = found(buf, place), nil
  if not range then
    range, message = fresh(buf, not place and opts.row or nil)
  end
  if not range then return nil, message end
  local first, count
  local ok, why = buffer.change(buf, function()
    first, count = write(buf, range, rows, own, key)
  end)
  if not ok then return nil, why end
  return first, count
end

return M
