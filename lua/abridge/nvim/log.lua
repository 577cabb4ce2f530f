--- The calls of a run in a buffer, a row each, as they come, and the windows that open from there.

local bisect = require "abridge.base.bisect"
local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local calls = require "abridge.nvim.calls"
local highlight = require "abridge.nvim.highlight"
local keys = require "abridge.nvim.keys"
local rows = require "abridge.nvim.log_rows"
local status = require "abridge.nvim.status"
local folder = require "abridge.run.folder"
local reader = require "abridge.run.reader"
local stats = require "abridge.run.stats"
local words = require "abridge.run.call_words"

local M = {}

local LOOK_MS = 250 -- between two looks at the log
local CHUNK = 24 -- rows that are written in one go
local REMOVED = 500 -- rows that are taken out in one go
local HEADINGS = 1 -- lines above the calls
local HINTS = { { "s", "sort" }, { "o", "result" }, { "<CR>", "full output" }, { "g?", "keys" } }
local LEAST_ABOUT = 12 -- cells of the remark on a call

---@class abridge.nvim.Log
---@field buf integer
---@field run abridge.Run
---@field calls abridge.nvim.Calls
---@field rows abridge.nvim.Call[] the call of each row of the buffer, below the headings
---@field layout abridge.nvim.LogLayout
---@field by_left_out boolean sorted by the size left out, largest first; else by number
---@field tool? string of the calls that are listed; all unless set
---@field errors_only boolean
---@field private dirty table<integer, true> rows to be written
---@field private dirty_count integer
---@field private stale boolean all rows have to be chosen anew
---@field private is_written boolean a session still writes the log
---@field private loaded boolean all was read once
---@field private seen? integer bytes of the log when it was last read
---@field private idle integer looks since then that found nothing new
---@field private here? abridge.nvim.Call under the cursor
---@field private last_here? abridge.nvim.Call to go back to, since `:edit` has emptied the buffer
---@field private to_first? boolean the cursor goes to the first call once all rows are chosen anew
---@field private closed? boolean
---@field private failed? boolean
---@field private cancel? fun() ends the work under way
local Log = {}
Log.__index = Log

local lists = setmetatable({}, { __mode = "v" }) ---@type table<integer, abridge.nvim.Log> by buffer

-- rows -----------------------------------------------------------------------------------------

--- The key of a listed call, nil for others: rows are in the order of these keys.
---@return string|nil key
local function key_of(self, call)
  if self.tool and call.tool ~= self.tool or self.errors_only and not call.is_error then return nil end
  local first = self.by_left_out and 2 ^ 53 - calls.left_out(call) or 0
  return ("%016.0f %09d"):format(first, call.index)
end

--- Write consecutive rows, those after the last one of the buffer too.
local function write(self, first, last)
  local ns, lines, marks = highlight.namespace(), {}, {}
  for i = first, last do
    lines[#lines + 1], marks[i] = rows.row(self.rows[i], self.layout, self.is_written)
  end
  local from = first - 1 + HEADINGS
  assert(buffer.change(self.buf, function()
    vim.api.nvim_buf_clear_namespace(self.buf, ns, from, from + #lines)
    vim.api.nvim_buf_set_lines(self.buf, from, from + #lines, false, lines)
    for i = first, last do
      for _, mark in ipairs(marks[i]) do
        local opts = { end_col = mark.to, hl_group = mark.group }
        vim.api.nvim_buf_set_extmark(self.buf, ns, i - 1 + HEADINGS, mark.from, opts)
      end
    end
  end))
end

--- Put rows in or take them out, without filling the new ones.
local function splice(self, from, removed, added)
  assert(buffer.change(self.buf, function()
    local blank = {}
    for i = 1, added do
      blank[i] = ""
    end
    local at = from - 1 + HEADINGS
    vim.api.nvim_buf_clear_namespace(self.buf, highlight.namespace(), at, at + removed)
    vim.api.nvim_buf_set_lines(self.buf, at, at + removed, false, blank)
  end))
end

--- The windows that show the list.
local function windows(self)
  return vim.api.nvim_buf_is_valid(self.buf) and vim.fn.win_findbuf(self.buf) or {}
end

--- How to move cursors when rows have come: from the headings to the first call, and on the last one with the newest.
local function at_end(self)
  local last, wins = vim.api.nvim_buf_line_count(self.buf), {}
  for _, win in ipairs(windows(self)) do
    local row = vim.api.nvim_win_get_cursor(win)[1]
    if last == HEADINGS then
      wins[win] = HEADINGS + 1
    elseif row == last and self.loaded and not self.by_left_out then
      wins[win] = "last"
    end
  end
  return function()
    local count = vim.api.nvim_buf_line_count(self.buf)
    for win, row in pairs(wins) do
      vim.api.nvim_win_set_cursor(win, { row == "last" and count or math.min(row, count), 0 })
    end
  end
end

--- Write changed rows.
local function flush(self)
  local list = {}
  for row in pairs(self.dirty) do
    list[#list + 1] = row
  end
  self.dirty, self.dirty_count = {}, 0
  table.sort(list)
  local first, follow = 1, at_end(self)
  for i, row in ipairs(list) do
    if list[i + 1] ~= row + 1 then
      write(self, list[first], row)
      first = i + 1
    end
  end
  if #list > 0 then follow() end
end

local function mark_dirty(self, row)
  if not self.dirty[row] then self.dirty_count = self.dirty_count + 1 end
  self.dirty[row] = true
end

--- The first row whose key is not below this one.
local function row_at(self, key)
  return 1 + bisect.last(#self.rows, function(i)
    return self.rows[i].key < key
  end)
end

--- Put a new or changed call in its row, or take it out.
local function place(self, call)
  local key = key_of(self, call)
  local row = call.key and row_at(self, call.key)
  if row and key == call.key then return mark_dirty(self, row) end
  if row then
    flush(self)
    table.remove(self.rows, row)
    splice(self, row, 1, 0)
  end
  call.key = key
  if not key then return end
  row = row_at(self, key)
  if row <= #self.rows then
    flush(self)
    splice(self, row, 0, 1)
  end
  table.insert(self.rows, row, call)
  mark_dirty(self, row)
end

-- all rows anew --------------------------------------------------------------------------------

--- The calls that are listed, in order.
local function chosen(self, work)
  local sorted, by_key = {}, {}
  for i, call in ipairs(self.calls.all) do
    local key = key_of(self, call)
    call.key = key
    if key then
      sorted[#sorted + 1], by_key[key] = key, call
    end
    if i % 256 == 0 then work:pause() end
  end
  local list = {}
  for i, key in ipairs(slices.sorted(work, sorted)) do
    list[i] = by_key[key]
    if i % 256 == 0 then work:pause() end
  end
  return list
end

--- Cells for text in the widest window that shows the list.
local function width_of(self)
  local width
  for _, win in ipairs(windows(self)) do
    local info = vim.fn.getwininfo(win)[1]
    width = math.max(width or 0, info.width - (info.textoff or 0))
  end
  return width or self.layout and self.layout.width or vim.o.columns
end

--- The call on the cursor's row of each window, and a way back to it if the cursor was not moved since.
local function cursors(self)
  local calls_of, row_of = {}, {}
  for _, win in ipairs(windows(self)) do
    row_of[win] = vim.api.nvim_win_get_cursor(win)[1]
    calls_of[win] = self.rows[row_of[win] - HEADINGS] or self.last_here
  end
  self.last_here = nil
  local function was_moved(win)
    local stays = math.min(row_of[win], vim.api.nvim_buf_line_count(self.buf))
    return vim.api.nvim_win_get_cursor(win)[1] ~= stays
  end
  return function()
    for _, win in ipairs(windows(self)) do
      if not calls_of[win] or was_moved(win) then calls_of[win] = nil end
    end
    for i, call in ipairs(self.rows) do
      for win, wanted in pairs(calls_of) do
        if call == wanted and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == self.buf then
          vim.api.nvim_win_set_cursor(win, { i + HEADINGS, 0 })
        end
      end
    end
  end
end

local function show_headings(self)
  local text = rows.headings(self.layout)
  assert(buffer.change(self.buf, function()
    vim.api.nvim_buf_set_lines(self.buf, 0, HEADINGS, false, { text })
    vim.api.nvim_buf_set_extmark(self.buf, highlight.namespace(), 0, 0, { end_col = #text, hl_group = "Title" })
  end))
end

--- Begin anew in a buffer that `:edit` has emptied.
local function restore(self)
  self.rows, self.dirty, self.dirty_count = {}, {}, 0
  self.stale, self.last_here = true, self.here
  show_headings(self)
  self:refresh()
end

--- Choose and write all rows.
local function rebuild(self, work)
  self.stale = false
  self.layout = rows.layout(width_of(self))
  local go_back = cursors(self)
  show_headings(self)
  local list = chosen(self, work)
  self.dirty, self.dirty_count = {}, 0
  for first = 1, #list, CHUNK do
    if self.stale then return end
    local last = math.min(first + CHUNK - 1, #list)
    for i = first, last do
      self.rows[i] = list[i]
    end
    write(self, first, last)
    if last < #list then work:pause() end
  end
  while #self.rows > #list do
    if self.stale then return end
    local first = math.max(#self.rows - REMOVED + 1, #list + 1)
    splice(self, first, #self.rows - first + 1, 0)
    for i = #self.rows, first, -1 do
      self.rows[i] = nil
    end
    work:pause()
  end
  if not self.to_first then return go_back() end
  self.to_first = nil
  for _, win in ipairs(windows(self)) do
    vim.api.nvim_win_set_cursor(win, { math.min(HEADINGS + 1, vim.api.nvim_buf_line_count(self.buf)), 0 })
  end
end

-- its status -----------------------------------------------------------------------

--- How many calls are listed, which and in what order; the outcome of the one under the cursor, if its row has no room
--- for that.
local function tell(self)
  local all, is_part = self.calls, self.tool or self.errors_only
  local total = ("%d %s"):format(#all.all, #all.all == 1 and "call" or "calls")
  local left = { { is_part and ("%d of %s"):format(#self.rows, total) or total } }
  if self.tool then left[#left + 1] = { "only " .. self.tool, "AbridgeNotice" } end
  if self.errors_only then
    left[#left + 1] = { "only errors", "AbridgeError" }
  elseif all.errors > 0 then
    left[#left + 1] = { ("%d failed"):format(all.errors), "AbridgeError" }
  end
  if all.running > 0 and self.is_written then
    left[#left + 1] = { ("%d running"):format(all.running), "AbridgeRunning" }
  end
  if self.by_left_out then left[#left + 1] = { "most left out first", "AbridgeNotice" } end
  local lost = all.lines.broken + all.lines.skipped
  if lost > 0 then
    left[#left + 1] = { ("%d broken %s left out"):format(lost, lost == 1 and "line" or "lines"), "AbridgeError" }
  end
  local win = windows(self)[1]
  local call = win and self.rows[vim.api.nvim_win_get_cursor(win)[1] - HEADINGS]
  self.here = call
  local sizes = ("%s of %s shown"):format(core.format_size(all.shown), core.format_size(all.printed))
  local about = call and not self.layout.has_notes and call.note or sizes
  left[#left + 1] = { about, least = LEAST_ABOUT }
  status.set(self.buf, left, HINTS)
end

-- as calls come ----------------------------------------------------------------------------------

--- Read new lines and show them, and all stale rows, in turns with the editor.
function Log:refresh()
  if self.cancel or self.closed then return end
  local ended
  local cancel = slices.start(function(work)
    local ok, message
    repeat
      if self.stale then rebuild(self, work) end
      ok, message = self.calls:read(work, function(call)
        if self.stale then return false end -- it is placed with all others
        place(self, call)
        if self.dirty_count >= CHUNK then flush(self) end
      end)
      flush(self)
    until not self.stale
    self.loaded = true
    return { text = not ok and message or nil }
  end, function(value)
    ended, self.cancel = true, nil
    if self.closed then return end
    if value.text then
      self.failed = true
      buffer.complain(value.text)
    end
    tell(self)
  end)
  if not ended then self.cancel = cancel end
end

--- Rows that change with time: those of running calls that are on the screen.
local function tick(self)
  if self.calls.running == 0 then return end
  for _, win in ipairs(windows(self)) do
    local info = vim.fn.getwininfo(win)[1]
    for row = math.max(info.topline - HEADINGS, 1), math.min(info.botline - HEADINGS, #self.rows) do
      if not self.rows[row].at then mark_dirty(self, row) end
    end
  end
  flush(self)
end

--- Has the session ended that calls are running in? Looked at now and then.
local function has_ended(self)
  self.idle = self.idle + 1
  return self.is_written and self.calls.running > 0 and self.idle % 4 == 0 and not reader.is_written(self.run.dir)
end

--- Look for news: calls, another width, a session that has ended.
local function look(self)
  if self.closed or self.failed or self.cancel or not vim.api.nvim_buf_is_loaded(self.buf) then return end
  local stat = host.uv().fs_stat(self.run.dir .. "/" .. folder.LOG)
  local grown = stat and stat.size ~= self.seen
  if grown and self.seen and not self.is_written then
    self.is_written, self.stale = true, true
  elseif not grown and has_ended(self) then
    self.is_written, self.stale = false, true
  end
  if width_of(self) ~= self.layout.width then self.stale = true end
  if grown or self.stale then
    self.seen, self.idle = stat and stat.size, 0
    self:refresh()
  elseif self.is_written then
    tick(self)
  end
end

--- Look now and then, until the buffer is gone.
local function watch(self)
  local stop = host.after(LOOK_MS, function()
    local ok, message = pcall(look, self)
    if not ok and not self.failed then
      self.failed = true
      buffer.complain(buffer.reason(message))
    end
  end, LOOK_MS)
  buffer.on_wipe(self.buf, function()
    self.closed = true
    stop()
    if self.cancel then self.cancel() end
    self.run:close()
  end)
end

-- windows opened from there ----------------------------------------------------------------------------

--- The call under the cursor, or nil and why not.
local function call_here(self)
  local call = self.rows[vim.api.nvim_win_get_cursor(0)[1] - HEADINGS]
  if not call then return nil, "No call here" end
  return call
end

--- The event of the result under the cursor, or nil and why not.
local function result_here(self)
  local call, message = call_here(self)
  if not call then return nil, message end
  if not call.at then return nil, "The call has not ended" end
  local event, ok
  ok, message = self.run:each(function(found)
    event = found
    return false
  end, call.at)
  if not ok then return nil, message end
  if not event then return nil, "The log has changed" end
  return event
end

--- Open the model's text, with its notice, in an existing buffer or in a new one.
local function show_result(run, event, number, buf)
  local restored = buf ~= nil
  buf = buffer.scratch("abridge-result", buf)
  buffer.show(buf, nil, true, restored)
  buffer.name(buf, "result", run.dir, number)
  keys.map(buf, "What the model saw", { keys.closing() })
  local printed, shown = stats.sizes(event)
  local sizes = shown and core.format_size(shown) or ""
  if shown and printed and shown < printed then sizes = sizes .. " of " .. core.format_size(printed) end
  status.set(buf, { { "what the model saw" }, { sizes } }, { { "g?", "keys" } })
  local function fill()
    require("abridge.nvim.render").render(buf, {
      tool = event.tool,
      content = type(event.content) == "string" and event.content or "",
      is_error = event.is_error,
      truncation = event.truncation,
      details = { cut = event.cut, exit_line = event.exit_line },
    })
  end
  fill()
  buffer.on_edit(buf, fill)
end

--- The command of the call under the cursor, if it runs in this editor.
local function command_here(self)
  local call = call_here(self)
  return call and not call.at and require("abridge.nvim.command_window").running(self.run.dir, call.call_id) or nil
end

--- The input of the call under the cursor, or nil and the reason that it cannot be run again.
local function asked_here(self)
  local call, message = call_here(self)
  if not call then return nil, message end
  if call.tool ~= "run_command" then return nil, "Only a command can be run again" end
  if self.run.dir ~= require("abridge.nvim.run").current_dir() then return nil, "That is not a run of this editor" end
  if not call.from then return nil, "The log does not say what the command was" end
  local asked, ok
  ok, message = self.run:each(function(event)
    asked = words.command(event.input)
    return false
  end, call.from)
  return asked, ok and "The log does not say what the command was" or message
end

local function command_keys(self)
  local function stop()
    local command = command_here(self)
    if not command then return buffer.complain "Nothing runs here that this editor could stop" end
    command:stop()
  end
  local function again()
    local command, message = asked_here(self)
    if not command then return buffer.complain(message) end
    local ok, why = pcall(require("abridge.nvim.command_window").command, command)
    if not ok then buffer.complain(buffer.reason(why)) end
  end
  local function failed(step)
    return function()
      local row = vim.api.nvim_win_get_cursor(0)[1] - HEADINGS + step
      while self.rows[row] and not self.rows[row].is_error do
        row = row + step
      end
      if not self.rows[row] then return buffer.complain "No call that failed is listed there" end
      vim.api.nvim_win_set_cursor(0, { row + HEADINGS, 0 })
    end
  end
  return {
    { "<C-c>", stop, "Stop a command, and keep its output" },
    { "r", again, "Run a command again" },
    { "]e", failed(1), "Next call that failed" },
    { "[e", failed(-1), "Call before that failed" },
  }
end

--- Choose the rows anew.
local function choose(self)
  self.stale = true
  tell(self)
  self:refresh()
end

local function choosing_keys(self)
  return {
    {
      "s",
      function()
        self.by_left_out = not self.by_left_out
        self.to_first = true -- the user asked for it
        choose(self)
      end,
      "Sort by what was left out, or by number",
    },
    {
      "t",
      function()
        local call = call_here(self)
        if not (self.tool or call) then return end
        self.tool = not self.tool and call.tool or nil
        choose(self)
      end,
      "List only this tool's calls, or all",
    },
    {
      "e",
      function()
        self.errors_only = not self.errors_only
        choose(self)
      end,
      "List only errors, or all",
    },
  }
end

local function keys_of(self)
  local function with_result(act)
    return function()
      local event, message = result_here(self)
      if not event then return buffer.complain(message) end
      local ok, why = pcall(act, self.run, event, assert(call_here(self)).number)
      if not ok then buffer.complain(buffer.reason(why)) end
    end
  end
  local open_ended = with_result(function(run, event, number)
    local ok, message = require("abridge.nvim.full_output").open(run, event, number)
    if not ok then buffer.complain(message) end
  end)
  local function open()
    local command = command_here(self)
    if not command then return open_ended() end
    local ok, why = pcall(command.show, command)
    if not ok then buffer.complain(buffer.reason(why)) end
  end
  local opening = {
    { "<CR>", open, "Page through the output, or show what runs" },
    { "<2-LeftMouse>", open, "The same of the call clicked on" },
    { "o", with_result(show_result), "Show what the model saw" },
  }
  local all = vim.list_extend(opening, command_keys(self))
  vim.list_extend(all, choosing_keys(self))
  all[#all + 1] = keys.closing()
  return all
end

--- List the calls of a run, in a buffer that is there or in a new one.
---@return integer buf
local function list(run, mods, buf)
  highlight.define()
  local self = setmetatable({
    run = run,
    calls = calls.new(run),
    rows = {},
    dirty = {},
    dirty_count = 0,
    idle = 0,
    by_left_out = false,
    errors_only = false,
    is_written = true,
  }, Log)
  self.buf = buffer.scratch("abridge-log", buf)
  lists[self.buf] = self
  buffer.show(self.buf, mods, false, buf ~= nil)
  buffer.name(self.buf, "log", run.dir)
  watch(self)
  self.layout = rows.layout(width_of(self))
  show_headings(self)
  keys.map(self.buf, "Calls of a run", keys_of(self))
  vim.api.nvim_create_autocmd("CursorMoved", {
    buffer = self.buf,
    callback = function()
      tell(self)
    end,
  })
  buffer.on_edit(self.buf, function()
    restore(self)
  end)
  tell(self)
  self:refresh()
  return self.buf
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
  run_dir = run_dir or require("abridge.nvim.run").current_dir() or folder.newest()
  if not run_dir then return nil, "No run has a log yet" end
  local run, message = reader.open(run_dir)
  if not run then return nil, message end
  return list(run, mods)
end

--- The number of the call under the cursor, in a list of calls.
---@return integer|nil
function M.number_here()
  local list_here = lists[vim.api.nvim_get_current_buf()]
  local call = list_here and call_here(list_here)
  return call and call.number
end

--- List the calls of a run in a buffer that is there.
---@param run abridge.Run
---@param buf integer
function M.restore(run, buf)
  list(run, nil, buf)
end

--- Show the model's text of a call in an existing buffer.
---@param run abridge.Run
---@param event table its `tool_result`
---@param number integer
---@param buf integer
function M.restore_result(run, event, number, buf)
  show_result(run, event, number, buf)
end

return M
