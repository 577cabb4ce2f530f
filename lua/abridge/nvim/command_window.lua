--- The window of `:Abridge run`: a command while it runs and when it has ended. A run goes on when its window is closed
--- or shows something else; wiping its buffer out ends it. Its output is in the session's log however it ends.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local slices = require "abridge.base.time_slices"
local strings = require "abridge.base.strings"
local buffer = require "abridge.nvim.buffer"
local events = require "abridge.nvim.events"
local highlight = require "abridge.nvim.highlight"
local keys = require "abridge.nvim.keys"
local render = require "abridge.nvim.render"
local status = require "abridge.nvim.status"
local display = require "abridge.output.display"
local folder = require "abridge.run.folder"

local M = {}

local FILETYPE = "abridge-run"
local TICK_MS = 250 -- between two looks at the clock
local MESSAGE_MARGIN = 21 -- cells that a message leaves to `abridge: ` and to Neovim, so that it asks for no Enter
local LEAST_COMMAND = 8 -- cells of a command in a message
local RUNNING = { { "<C-c>", "stop" }, { "g?", "keys" } }
local ENDED = { { "r", "again" }, { "<CR>", "full output" }, { "g?", "keys" } }

---@class abridge.nvim.CommandRun
---@field command string for `sh`
---@field buf integer
---@field dir? string the folder of the log that has it
---@field call_id? string
---@field number? integer of the call
---@field job? abridge.Job nil before the call, and of a restored one
---@field cwd string folder that it runs in
---@field started number of the clock of `host.now`
---@field shown abridge.Result|table the output so far, then the result
---@field result? abridge.Result
---@field keys abridge.nvim.Key[]
---@field painting? fun() ends the painting that is under way
---@field stale? boolean there is more to paint since that began
---@field replaced? boolean it was run again: its buffer is not kept
local Run = {}
Run.__index = Run

---@type abridge.nvim.CommandRun[] those that have a buffer, the newest last
local runs = {}

-- its status -------------------------------------------------------------------------

--- How much there is, and how much of that was kept: "8 of 129 lines", "800B of 4.1KB". Either shows whole or not at
--- all.
---@return abridge.nvim.StatusPart[]
local function amounts(cut, has_ended)
  if type(cut) ~= "table" or not check.are_counts(cut, "total_lines", "total_bytes") then return {} end
  if cut.total_bytes == 0 then return { { has_ended and "no output" or "" } } end
  local lines = ("%.0f %s"):format(cut.total_lines, cut.total_lines == 1 and "line" or "lines")
  local size = core.format_size(cut.total_bytes)
  if has_ended and cut.truncated then
    if cut.output_lines < cut.total_lines then lines = ("%.0f of %s"):format(cut.output_lines, lines) end
    size = ("%s of %s"):format(core.format_size(cut.output_bytes), size)
  end
  return { { lines, least = math.huge }, { size, least = math.huge } }
end

--- How a command ended, and the group for that.
local function ending(result)
  local details = result.details or {}
  if details.cancelled then return "stopped", "AbridgeNotice" end
  if details.timed_out then return "timed out", "AbridgeError" end
  if details.signal then return "killed by signal " .. tostring(details.signal), "AbridgeError" end
  if not details.exit_code then return "failed", "AbridgeError" end
  return ("exit %d"):format(details.exit_code), result.is_error and "AbridgeError" or "AbridgeSuccess"
end

function Run:elapsed()
  return display.duration(self.result and self.result.duration_ms or host.now() - self.started)
end

--- The command on one line, in so many cells.
function Run:words(cells)
  local text = display.visible((self.command:gsub("%s+", " ")))
  local fits = core.fit_cells(text, cells)
  return fits < #text and text:sub(1, core.fit_cells(text, cells - 3)) .. "..." or text
end

function Run:tell()
  local result, details = self.result, self.shown.details or {}
  local left = { { "running " .. self:elapsed(), "AbridgeRunning" } }
  if result then left = { { ending(result) }, { self:elapsed() } } end
  vim.list_extend(left, amounts(details.cut, result ~= nil))
  status.set(self.buf, left, result and ENDED or RUNNING)
end

-- its buffer ----------------------------------------------------------------------------

--- A function that scrolls the windows whose cursor is at the end of a buffer, once there is more.
local function followed(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  local at_end = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] == last then at_end[#at_end + 1] = win end
  end
  return function()
    for _, win in ipairs(at_end) do
      if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
        vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
      end
    end
  end
end

--- Show the output so far, in turns with the editor.
function Run:paint()
  self.stale = true
  if self.painting then return end
  local ended
  local cancel = slices.start(function(work)
    while self.stale and vim.api.nvim_buf_is_loaded(self.buf) do
      self.stale = false
      if self.shown.content then
        local follow = followed(self.buf)
        render.fill(self.buf, 1, self.shown, work)
        follow()
      end
    end
    return {}
  end, function(value)
    ended, self.painting = true, nil
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    self:tell()
  end)
  if not ended then self.painting = cancel end
end

--- Put the buffer right, also after `:edit` or `:bdelete` have emptied it.
function Run:fill()
  buffer.prepare(self.buf, FILETYPE, "hide")
  keys.map(self.buf, "A command", self.keys)
  buffer.change(self.buf, function()
    vim.api.nvim_buf_set_lines(self.buf, 0, -1, true, { display.visible("$ " .. self.command:gsub("\n", " ")) })
  end)
  self:paint()
end

-- keys -----------------------------------------------------------------------------------------------

--- Close the window; the last one shows something else.
local function leave()
  if not pcall(vim.cmd, "close") and not pcall(vim.cmd, "buffer #") then vim.cmd "enew" end
end

--- The event of the log for a result.
local function event_of(result)
  local details = result.details or {}
  local cut = details.cut or {}
  return {
    call_id = result.call_id,
    tool = result.tool,
    content = result.content,
    truncation = result.truncation,
    cut = details.cut,
    exit_line = details.exit_line,
    notice = details.notice,
    full_output = { path = folder.kept_as(cut), error = cut.full_output_error },
  }
end

local COMMAND_ROWS = 1 -- above its output

--- The output that shows, as a source, and the start of the line of the cursor's row in it.
---@return abridge.nvim.Source
---@return integer|nil byte nil on the command itself
function Run:shown_source()
  local text, row = self.shown.content or "", vim.api.nvim_win_get_cursor(0)[1] - COMMAND_ROWS
  local source = {
    size = #text,
    read = function(at, bytes)
      return text:sub(at + 1, at + bytes)
    end,
  }
  local byte = row > 0 and 0 or nil
  for _ = 2, row do
    byte = text:find("\n", byte + 1, true)
    if not byte then return source, nil end
  end
  return source, byte
end

--- Go to the next failure that names a place, or the one before, in turns with the editor.
function Run:go_to_failure(step)
  local failures = require "abridge.nvim.failures"
  local source, byte = self:shown_source()
  local win = vim.api.nvim_get_current_win()
  slices.start(function(work)
    if step > 0 then return { byte = failures.next(work, source, byte and byte + 1 or 0) } end
    return { byte = failures.previous(work, source, byte or 0) }
  end, function(value)
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    if not value.byte then
      return buffer.complain(("No failure with a place comes %s this"):format(step > 0 and "after" or "before"))
    end
    if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= self.buf then return end
    local row = strings.newlines(source.read(0, value.byte)) + 1 + COMMAND_ROWS
    vim.api.nvim_win_set_cursor(win, { math.min(row, vim.api.nvim_buf_line_count(self.buf)), 0 })
  end)
end

--- Open the place that the line under the cursor names.
---@param otherwise fun() called if it names none
function Run:open_place(otherwise)
  local source, byte = self:shown_source()
  require("abridge.nvim.jump").from(byte and source, byte, self.cwd, otherwise)
end

--- Go to the next gap, or the one before: a row with a marker.
local function go_to_gap(step)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local from, to = { row + 1, 0 }, -1
  if step < 0 then
    from, to = { math.max(row - 1, 0), -1 }, 0
  end
  if step < 0 and row == 0 then return end
  local ns = highlight.namespace()
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, from, to, { details = true })) do
    if mark[4].hl_group == highlight.groups.marker then return vim.api.nvim_win_set_cursor(0, { mark[2] + 1, 0 }) end
  end
end

--- Put the model's text into a register.
function Run:yank()
  local text = self.shown.content or ""
  vim.fn.setreg(vim.v.register, text)
  local lines = core.count_lines(text)
  local said = ("yanked what the model saw: %d %s"):format(lines, lines == 1 and "line" or "lines")
  vim.api.nvim_echo({ { said } }, false, {})
end

function Run:page()
  if not self.result then return buffer.complain "The command has not ended" end
  local event, run, message = event_of(self.result), nil, nil
  if self.dir then -- else nothing is kept
    run, message = require("abridge.run.reader").open(self.dir)
  end
  if message and event.full_output.path then return buffer.complain(message) end
  local ok, pager, why = pcall(require("abridge.nvim.full_output").open, run, event, self.number, nil, self.cwd)
  if run then run:close() end
  if not (ok and pager) then buffer.complain(ok and why or buffer.reason(pager)) end
end

function Run:again()
  self.replaced = true
  if self.job then self.job:cancel() end
  local ok, why = pcall(M.command, self.command)
  if not ok then buffer.complain(buffer.reason(why)) end
end

local function keys_of(self)
  local function method(name)
    return function()
      self[name](self)
    end
  end
  local function with(name, step)
    return function()
      self[name](self, step)
    end
  end
  local function gap(step)
    return function()
      go_to_gap(step)
    end
  end
  local function enter()
    self:open_place(method "page")
  end
  local function open()
    self:open_place(function()
      pcall(vim.cmd, "normal! gF")
    end)
  end
  return {
    { "<C-c>", method "stop", "Stop the command, and keep its output" },
    { "r", method "again", "Run it again, from the start if it runs" },
    { "<CR>", enter, "Go to the line's place, else full output" },
    { "gF", open, "Go to the place that the line names" },
    { "]e", with("go_to_failure", 1), "Next failure that names a place" },
    { "[e", with("go_to_failure", -1), "Failure before that names a place" },
    { "]o", gap(1), "Next gap" },
    { "[o", gap(-1), "Gap before" },
    { "gm", method "yank", "Yank what the model saw" },
    { "q", leave, "Close the window: the command goes on" },
  }
end

-- running ------------------------------------------------------------------------------------------------

--- Let go of the buffers of runs that have ended, show nowhere, and are not the newest.
local function sweep()
  for i = #runs, 1, -1 do
    local run = runs[i]
    local over = run.replaced or run.result and i < #runs
    if over and #vim.fn.win_findbuf(run.buf) == 0 then
      pcall(vim.api.nvim_buf_delete, run.buf, { force = true }) -- its end removes it from the list
    end
  end
end

function Run:stop()
  if self.result then return buffer.complain "The command has ended" end
  self.job:cancel()
end

function Run:finish(result)
  self.shown, self.result = result, result
  if self.timer then vim.fn.timer_stop(self.timer) end
  self:paint()
  if self.call_id then events.done(self) end -- else it has ended before `start` knows it
  local unseen = vim.api.nvim_buf_is_valid(self.buf) and #vim.fn.win_findbuf(self.buf) == 0
  if unseen and not (self.job and self.job.cancelled) then
    local level = result.is_error and vim.log.levels.ERROR or vim.log.levels.INFO
    local ended = (": %s, %s"):format(ending(result), self:elapsed())
    local room = math.max(vim.o.columns - MESSAGE_MARGIN - #ended, LEAST_COMMAND)
    vim.notify("abridge: " .. self:words(room) .. ended, level)
  end
  sweep()
end

--- Call the tool, which may end at once.
function Run:start(session)
  self.job = session:call("run_command", { command = self.command }, {
    on_update = function(content, cut)
      self.shown = { tool = "run_command", content = content, details = { cut = cut } }
      self:paint()
    end,
    on_done = function(result)
      self:finish(result)
    end,
  })
  self.dir, self.call_id = session.run:log_dir(), self.job.call_id
  self.number = tonumber(self.call_id:match "%d+$")
  events.started(self, session)
  if self.result then return events.done(self) end
  self.timer = vim.fn.timer_start(TICK_MS, function()
    if self.result then return vim.fn.timer_stop(self.timer) end
    self:tell()
  end, { ["repeat"] = -1 })
end

--- Show the buffer, which is there, and keep it among those that have one.
function Run:keep()
  runs[#runs + 1] = self
  sweep()
  vim.bo[self.buf].buflisted = true -- so that `:b abridge<Tab>` finds it
  self:fill()
  buffer.on_edit(self.buf, function()
    self:fill()
  end)
  buffer.on_wipe(self.buf, function()
    for i = #runs, 1, -1 do
      if runs[i] == self then table.remove(runs, i) end
    end
    if self.painting then self.painting() end
    if self.job then self.job:cancel() end
  end)
end

--- Run a command in the editor's session and show it in the window for commands. A run that is there goes on.
---@param command string for `sh`
---@param mods? string command modifiers
---@return integer buf
---@return abridge.Job
function M.command(command, mods)
  local session = require("abridge.nvim.run").session()
  local cwd = session.cwd or host.uv().cwd()
  local self = setmetatable({ command = command, cwd = cwd, started = host.now(), shown = {} }, Run)
  self.keys = keys_of(self)
  self.buf = vim.api.nvim_create_buf(false, true)
  buffer.prepare(self.buf, FILETYPE, "wipe")
  buffer.show(self.buf, mods, true)
  self:keep()
  self:start(session)
  if vim.api.nvim_buf_is_valid(self.buf) then buffer.name(self.buf, "run", self.dir, self.number, command) end
  return self.buf, self.job
end

--- Run a command as it was typed: `%` and `#` become names of files.
---@param text string
---@param mods? string
---@return integer buf
---@return abridge.Job
function M.typed(text, mods)
  local cwd = require("abridge.nvim.run").session().cwd
  return M.command(require("abridge.nvim.command_line").expanded(text, cwd), mods)
end

--- Show a run, even if its window is gone.
---@param mods? string
function Run:show(mods)
  buffer.show(self.buf, mods, true)
  if not self.result then vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(self.buf), 0 }) end
  self:tell()
end

--- Show the newest run again. Raises if there is none.
---@param mods? string
function M.show_latest(mods)
  local newest = runs[#runs]
  if not newest then error("No command has been run yet", 0) end
  newest:show(mods)
end

--- The commands that run, for a status line.
---@return string
function M.status()
  local count, newest = 0, nil
  for _, run in ipairs(runs) do
    if not run.result then
      count, newest = count + 1, run
    end
  end
  if count > 1 then return ("%d running"):format(count) end
  return newest and "running " .. newest:elapsed() or ""
end

--- The run that a buffer shows, or the newest, as an event of the log.
---@param buf integer
---@return table|nil event
---@return abridge.nvim.CommandRun|nil run
function M.event(buf)
  local meant = runs[#runs]
  for _, run in ipairs(runs) do
    if run.buf == buf then meant = run end
  end
  if meant then return event_of(meant.shown), meant end
end

--- The run of a call that has not ended, if it is this editor's.
---@param dir string the folder of its log
---@param call_id any
---@return abridge.nvim.CommandRun|nil
function M.running(dir, call_id)
  for _, run in ipairs(runs) do
    if run.dir == dir and run.call_id == call_id and not run.result then return run end
  end
end

--- Show a command that ended in a buffer that is there, in its windows.
---@param buf integer
---@param dir string the folder of the log that has it
---@param number integer
---@param command string
---@param event table its `tool_result`
function M.restore(buf, dir, number, command, event)
  local result = {
    tool = "run_command",
    call_id = event.call_id,
    content = type(event.content) == "string" and event.content or "",
    is_error = event.is_error,
    truncation = event.truncation,
    duration_ms = event.duration_ms,
    details = {
      cut = event.cut,
      exit_line = event.exit_line,
      notice = event.notice,
      exit_code = event.exit_code,
      signal = event.signal,
      cancelled = event.failure == "cancelled",
      timed_out = event.failure == "timeout",
    },
  }
  local cwd = require("abridge.nvim.run").session().cwd or host.uv().cwd()
  local self =
    setmetatable({ command = command, cwd = cwd, started = host.now(), shown = result, result = result }, Run)
  self.buf, self.dir, self.number, self.call_id = buf, dir, number, event.call_id
  self.keys = keys_of(self)
  self:keep()
  buffer.show(buf, nil, true, true)
  buffer.name(buf, "run", dir, number, command)
end

return M
