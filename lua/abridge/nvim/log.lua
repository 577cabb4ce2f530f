--- The calls of a run in a buffer, a line each, and what opens from there.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local buffer = require "abridge.nvim.buffer"
local highlight = require "abridge.nvim.highlight"
local keys = require "abridge.nvim.keys"
local display = require "abridge.output.display"
local kept = require "abridge.output.kept"

local M = {}

local TURN_MS = 15 -- of reading a log before the editor has its turn

-- rows -----------------------------------------------------------------------------------------

local INPUT_CELLS = 30
--- Fields of an input that say what a call is about; the first one found is shown.
local TELLING = { "command", "path", "pattern", "sql", "url", "query" }

--- An input on one line.
local function input_text(input)
  local text = input
  if type(input) == "table" then
    for _, name in ipairs(TELLING) do
      if type(input[name]) == "string" then
        text = input[name]
        break
      end
    end
    if text == input then text = next(input) and host.json().encode(input) or "" end
  end
  text = type(text) == "string" and display.visible((text:gsub("%s+", " "))) or ""
  if core.cells(text) <= INPUT_CELLS then return text end
  return text:sub(1, core.fit_cells(text, INPUT_CELLS - 3)) .. "..."
end

local MOST_CELLS = 200 -- of a name in a log, which may be anyone's

--- Any value as a text for one line of the screen.
local function one_line(value)
  local text = display.visible((tostring(value):gsub("%s", " ")))
  return text:sub(1, core.fit_cells(text, MOST_CELLS))
end

--- The ledger of an event; nil if it is not one that a cut made. A log has no empty list: where nothing was kept, there
--- is none.
local function ledger_of(event)
  local cut = event.cut
  if type(cut) ~= "table" or not check.are_counts(cut, "total_lines") then return nil end
  if type(cut.kept) ~= "table" and (cut.kept ~= nil or cut.output_bytes ~= 0) then return nil end
  for _, range in ipairs(cut.kept or {}) do
    local whole = type(range) == "table" and check.are_counts(range, "first_byte", "last_byte", "first_line")
    if not whole then return nil end
  end
  return cut
end

local function size(bytes)
  return check.is_count(bytes) and core.format_size(bytes) or "?"
end

local function lines_shown(event)
  local cut = event.cut
  if type(cut) ~= "table" or not check.are_counts(cut, "output_lines", "total_lines") then return "" end
  if cut.output_lines == cut.total_lines then return ("%.0f"):format(cut.total_lines) end
  return ("%.0f/%.0f"):format(cut.output_lines, cut.total_lines)
end

local function bytes_shown(event)
  if not event.bytes_shown then return "" end
  local block = type(event.truncation) == "table" and event.truncation or {}
  if not block.truncated then return size(event.bytes_shown) end
  return size(event.bytes_shown) .. "/" .. size(event.bytes_in)
end

---@class (exact) abridge.nvim.LogEntry A call: the contents of its line, and where its result is in the log
---@field call_id string
---@field cells string[]
---@field is_error? boolean
---@field reason? string of a cut
---@field kept? string what it left, in the unit of its kind
---@field done? boolean
---@field at? integer position of the event of its result

local COLUMNS = {
  { "", 4, right = true },
  { "TIME", 8 },
  { "TOOL", 14 },
  { "INPUT", INPUT_CELLS },
  { "LINES", 11, right = true },
  { "BYTES", 14, right = true },
  { "TOOK", 6, right = true },
}

--- The time of an event; "" if it is no valid time.
local function clock(seconds)
  if type(seconds) ~= "number" then return "" end
  local ok, text = pcall(os.date, "%H:%M:%S", math.floor(seconds))
  return ok and text or ""
end

local function new_entry(event)
  local tool = one_line(event.tool)
  local number = check.is_count(event.seq) and ("%.0f"):format(event.seq) or ""
  return { call_id = event.call_id, cells = { number, clock(event.time), tool, input_text(event.input), "", "", "" } }
end

local function finish_entry(entry, event, at)
  local block = type(event.truncation) == "table" and event.truncation or {}
  entry.at, entry.done = at, true
  entry.is_error = event.is_error == true
  entry.reason = block.truncated and tostring(block.reason) or nil
  entry.kept = type(event.cut) == "table" and event.cut.kind and kept.words(event.cut) or nil
  entry.cells[5], entry.cells[6] = lines_shown(event), bytes_shown(event)
  entry.cells[7] = display.duration(event.duration_ms) or ""
end

--- A row and its marks: their groups and byte ranges.
local function row_of(cells, entry)
  local parts = {}
  for i, column in ipairs(COLUMNS) do
    local padding = (" "):rep(column[2] - core.cells(cells[i]))
    parts[i] = column.right and padding .. cells[i] or cells[i] .. padding
  end
  local text, marks = table.concat(parts, " "):gsub(" +$", ""), {}
  local function say(word, group)
    marks[#marks + 1] = { from = #text + 2, to = #text + 2 + #word, group = group }
    text = text .. "  " .. word
  end
  if entry and not entry.done then say("running", highlight.groups.marker) end
  if entry and entry.is_error then say("error", highlight.groups.error) end
  if entry and entry.reason then say(one_line(entry.reason), highlight.groups.notice) end
  if entry and entry.kept then say(one_line(entry.kept), highlight.groups.marker) end
  return text, marks
end

-- the buffer ---------------------------------------------------------------------------------------

---@class abridge.nvim.Log
---@field buf integer
---@field run abridge.Run
---@field entries abridge.nvim.LogEntry[]
local Log = {}
Log.__index = Log

local function show_headings(self)
  local headings = {}
  for i, column in ipairs(COLUMNS) do
    headings[i] = column[1]
  end
  local text = row_of(headings)
  assert(buffer.change(self.buf, function()
    vim.api.nvim_buf_set_lines(self.buf, 0, -1, false, { text })
    vim.api.nvim_buf_set_extmark(self.buf, highlight.namespace(), 0, 0, { end_col = #text, hl_group = "Title" })
  end))
end

--- Write the rows of entries.
local function show(self, first, last)
  local lines, all = {}, {}
  for i = first, last do
    lines[#lines + 1], all[i] = row_of(self.entries[i].cells, self.entries[i])
  end
  assert(buffer.change(self.buf, function()
    vim.api.nvim_buf_clear_namespace(self.buf, highlight.namespace(), first, last + 1)
    vim.api.nvim_buf_set_lines(self.buf, first, last + 1, false, lines) -- below the headings
    for i = first, last do
      for _, mark in ipairs(all[i]) do
        local opts = { end_col = mark.to, hl_group = mark.group }
        vim.api.nvim_buf_set_extmark(self.buf, highlight.namespace(), i, mark.from, opts)
      end
    end
  end))
end

--- Take in an event; returns the entry that it changed.
local function take(self, event, at)
  if event.type == "tool_call" then
    local entry = new_entry(event)
    self.entries[#self.entries + 1] = entry
    self.open[event.call_id or ""] = #self.entries
    return #self.entries
  elseif event.type == "tool_result" then
    local i = self.open[event.call_id or ""]
    if not i then -- its start is lost
      self.entries[#self.entries + 1] = new_entry(event)
      i = #self.entries
    end
    self.open[event.call_id or ""] = nil
    finish_entry(self.entries[i], event, at)
    return i
  end
end

--- Read what was added since the last time, in turns with the editor.
function Log:refresh()
  if self.reading then return end
  self.reading = true
  local function turn()
    if self.closed then return end
    local stop, first = host.uv().hrtime() + TURN_MS * 1e6, nil
    local over = true
    local function in_time()
      over = host.uv().hrtime() < stop
      return over
    end
    local position, message = self.run:each(function(event, _, at)
      local changed = take(self, event, at)
      first = changed and math.min(first or changed, changed) or first
      return in_time()
    end, self.position, in_time)
    if first then show(self, first, #self.entries) end
    if not position then
      self.reading = false
      return buffer.complain(message)
    end
    self.position = position
    if not over then return vim.defer_fn(turn, 1) end
    self.reading = false
  end
  turn()
end

--- The event of the result under the cursor, or nil and why not.
local function result_here(self)
  local entry = self.entries[vim.api.nvim_win_get_cursor(0)[1] - 1]
  if not entry then return nil, "No call here" end
  if not entry.at then return nil, "The call has not ended" end
  local event
  local ok, message = self.run:each(function(found)
    event = found
    return false
  end, entry.at)
  if not ok then return nil, message end
  if not event then return nil, "The log has changed" end
  return event
end

--- A text in memory, for the pager.
local function text_source(text)
  return {
    size = #text,
    read = function(at, bytes)
      return text:sub(at + 1, at + bytes)
    end,
  }
end

--- Open the full output of a call in a pager, or what is there of it. Raises if there is no room for a window.
---@param run abridge.Run|nil the run of the call; not needed without a full output
---@param event table the call's `tool_result`
function M.page(run, event)
  local title = one_line(("%s %s"):format(tostring(event.call_id), tostring(event.tool)))
  local pager = require "abridge.nvim.pager"
  local full = type(event.full_output) == "table" and event.full_output or {}
  if not full.path then
    local cut = type(event.truncation) == "table" and event.truncation.truncated
    local note = cut and ("the full output was not kept" .. (full.error and ": " .. one_line(full.error) or "")) or nil
    local text = require("abridge.run.reader").shown_text(event)
    return pager.open(text_source(text), { title = title, note = note, lines = core.count_lines(text) })
  end
  local fd, stat = run:open_output(event)
  if not fd then return buffer.complain(stat) end
  local uv = host.uv()
  pager.open({
    size = stat.size,
    read = function(at, bytes)
      return uv.fs_read(fd, bytes, at)
    end,
  }, {
    title = title,
    cut = ledger_of(event),
    note = full.error and "incomplete: " .. one_line(full.error) or nil,
    close = function()
      uv.fs_close(fd)
    end,
  })
end

--- Open what the model saw, with its notice.
local function show_result(event)
  local buf = buffer.scratch("result", tostring(event.call_id), "abridge-result")
  buffer.show(buf, nil, true)
  keys.map(buf, "What the model saw", { { "q", "<Cmd>bwipeout<CR>", "Close" } })
  require("abridge.nvim.render").render(buf, {
    tool = event.tool,
    content = type(event.content) == "string" and event.content or "",
    is_error = event.is_error,
    truncation = event.truncation,
    details = { cut = event.cut, exit_line = event.exit_line },
  })
end

local function keys_of(self)
  local function with_result(act)
    return function()
      local event, message = result_here(self)
      if not event then return buffer.complain(message) end
      local ok, why = pcall(act, event)
      if not ok then buffer.complain(check.reason(why)) end
    end
  end
  return {
    { "q", "<Cmd>bwipeout<CR>", "Close" },
    {
      "R",
      function()
        self:refresh()
      end,
      "Read what has come since",
    },
    { "<CR>", with_result(function(event)
      M.page(self.run, event)
    end), "Page through the full output" },
    { "o", with_result(show_result), "Show what the model saw" },
  }
end

--- List the calls of a run in a scratch buffer. Its keys are in doc/lua.md.
---@param run_dir? string the editor session's unless set, else the newest in the user's state directory
---@param mods? string command modifiers such as "vertical"
---@return integer|nil buf
---@return string|nil message
function M.open(run_dir, mods)
  if run_dir ~= nil and type(run_dir) ~= "string" then
    check.fail("abridge.nvim.log: run_dir must be a string, got " .. check.show(run_dir))
  end
  local expected = mods ~= nil and buffer.check_mods(mods)
  if expected then check.fail(("abridge.nvim.log: mods must be %s, got %s"):format(expected, check.show(mods))) end
  run_dir = run_dir or require("abridge.nvim.run").current_dir() or require("abridge.run.folder").newest()
  if not run_dir then return nil, "No run has a log yet" end
  local run, message = require("abridge.run.reader").open(run_dir)
  if not run then return nil, message end
  highlight.define()
  local self = setmetatable({ run = run, entries = {}, open = {}, position = 0 }, Log)
  self.buf = buffer.scratch("log", run.dir, "abridge-log")
  buffer.on_wipe(self.buf, function()
    self.closed = true
    run:close()
  end)
  buffer.show(self.buf, mods)
  show_headings(self)
  keys.map(self.buf, "Calls of a run", keys_of(self))
  self:refresh()
  if #self.entries > 0 then vim.api.nvim_win_set_cursor(0, { 2, 0 }) end
  return self.buf
end

return M
