--- How a call reads on one row of a list, in columns that fit the width of its window.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local calls = require "abridge.nvim.calls"
local fitting = require "abridge.nvim.cells"
local display = require "abridge.output.display"

local M = {}

local GAP_FROM, TIME_FROM, PERCENT_FROM, NOTE_FROM = 100, 100, 70, 120 -- columns of the window
local MOST_NOTE = 50

-- cells ------------------------------------------------------------------------------------

--- A size or a duration in so many cells: without decimals or seconds if it is longer.
local function short(text, most)
  if #text > most then text = text:gsub("%.%d+", "", 1):gsub("m%d+s$", "m") end
  return fitting.start_of(text, most)
end

local function size(bytes)
  return check.is_count(bytes) and core.format_size(bytes) or ""
end

--- The time of an event; "" if it isn't a valid time.
local function clock(seconds)
  if type(seconds) ~= "number" then return "" end
  local ok, text = pcall(os.date, "%H:%M:%S", math.floor(seconds))
  return ok and text or ""
end

--- How long a call has been running.
local function elapsed(time)
  if not time then return nil end
  local seconds, microseconds = host.uv().gettimeofday()
  return math.max((seconds + microseconds / 1e6 - time) * 1000, 0)
end

--- The share of a call's bytes that was left out, as a bar.
local function bar(call, layout)
  local left_out = calls.left_out(call)
  if left_out == 0 then return "" end
  local share = left_out / call.printed
  local full, empty = "█", "░"
  if vim.o.ambiwidth == "double" then
    full, empty = "#", "-"
  end
  local filled = math.floor(share * layout.bar + 0.5)
  local text = full:rep(filled) .. empty:rep(layout.bar - filled)
  if layout.percent then text = text .. (" %3d%%"):format(math.floor(share * 100)) end
  return text
end

local SPINNER, SPIN_MS = { "|", "/", "-", "\\" }, 250

--- Marks that tell how a call is doing: its sign, and the group of that and of its tool.
local function sign(call, is_written)
  if call.is_error then return "x", "AbridgeError" end
  if call.at then return "", nil end
  if not is_written then return "?", "AbridgeNotice" end
  return SPINNER[math.floor(host.now() / SPIN_MS) % #SPINNER + 1], "AbridgeRunning"
end

-- columns ----------------------------------------------------------------------------------

---@class abridge.nvim.LogLayout
---@field width integer of the window
---@field bar integer cells of the bar
---@field percent boolean
---@field has_notes boolean how calls ended is told in a column
---@field columns { name: string, heading: string, cells: integer, right: boolean|nil }[]
---@field gap string

--- The columns for a window.
---@param width integer cells
---@return abridge.nvim.LogLayout
function M.layout(width)
  local narrow, percent = width < PERCENT_FROM, width >= PERCENT_FROM
  local layout = { width = width, bar = narrow and 5 or 6, percent = percent, columns = {} }
  layout.has_notes = width >= NOTE_FROM
  layout.gap = (" "):rep(width < GAP_FROM and 1 or 2)
  local function column(name, heading, cells, right)
    layout.columns[#layout.columns + 1] = { name = name, heading = heading, cells = cells, right = right }
    return layout.columns[#layout.columns]
  end
  column("sign", "", 1)
  column("number", "#", narrow and 4 or 5, true)
  if width >= TIME_FROM then column("time", "TIME", 8) end
  column("tool", "TOOL", narrow and 11 or width < GAP_FROM and 14 or width < NOTE_FROM and 16 or 20)
  local input = column("input", "INPUT", 0)
  column("printed", "PRINTED", 7, true)
  column("shown", "SHOWN", 7, true)
  column("bar", "SAVED", layout.bar + (percent and 5 or 0))
  column("took", "TOOK", 6, true)
  local note = layout.has_notes and column("note", "RESULT", 0) or nil
  local left = width - 1
  for i, one in ipairs(layout.columns) do
    left = left - one.cells - (i > 1 and #layout.gap or 0)
  end
  if note then note.cells = math.min(MOST_NOTE, math.floor(left * 0.45)) end
  input.cells = math.max(left - (note and note.cells or 0), 5)
  return layout
end

local NO_RESULT = "no result: its session has ended"

--- The cells of a call, by column.
local function texts_of(call, layout, mark, is_written)
  local running = not call.at
  local took = display.duration(running and is_written and elapsed(call.time) or call.took)
  return {
    sign = mark,
    number = ("%.0f"):format(call.number),
    time = clock(call.time),
    tool = call.tool,
    input = call.input,
    printed = short(size(call.printed), 7),
    shown = short(size(call.shown), 7),
    bar = bar(call, layout),
    took = took and short(took, 6) or "",
    note = running and (is_written and "running" or NO_RESULT) or call.note or "",
  }
end

--- The groups of cells; the tool's is that of the sign.
local GROUPS = { number = "LineNr", time = "LineNr", bar = "AbridgeSuccess" }

---@class (exact) abridge.nvim.Mark
---@field from integer 0-based byte
---@field to integer exclusive
---@field group string

--- The row of a call, and its highlights.
---@param call abridge.nvim.Call
---@param layout abridge.nvim.LogLayout
---@param is_written boolean a session still writes the log
---@return string text
---@return abridge.nvim.Mark[]
function M.row(call, layout, is_written)
  local mark, group = sign(call, is_written)
  local texts, parts, marks, at = texts_of(call, layout, mark, is_written), {}, {}, 0
  for i, column in ipairs(layout.columns) do
    local name, text = column.name, texts[column.name]
    if name == "input" then
      text = fitting.middle(text, column.cells)
    elseif name == "tool" or name == "note" then
      text = fitting.start_of(text, column.cells)
    end
    text = text:gsub(" +$", "")
    local padding = (" "):rep(column.cells - core.cells(text))
    local shown = column.right and padding .. text or text .. padding
    local from = at + (column.right and #padding or 0)
    local own = (name == "sign" or name == "tool") and group or GROUPS[name]
    if own and text ~= "" then marks[#marks + 1] = { from = from, to = from + #text, group = own } end
    parts[i], at = shown, at + #shown + #layout.gap
  end
  return (table.concat(parts, layout.gap):gsub(" +$", "")), marks
end

--- The headings of the columns.
---@param layout abridge.nvim.LogLayout
---@return string
function M.headings(layout)
  local parts = {}
  for i, column in ipairs(layout.columns) do
    local padding = (" "):rep(column.cells - #column.heading)
    parts[i] = column.right and padding .. column.heading or column.heading .. padding
  end
  return (table.concat(parts, layout.gap):gsub(" +$", ""))
end

return M
