--- A text of any size in a buffer that holds the part around the cursor. Text that the model did not see is dimmed.

local bisect = require "abridge.base.bisect"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local ledger = require "abridge.base.ledger"
local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local cells = require "abridge.nvim.cells"
local excerpts = require "abridge.nvim.excerpt"
local failures = require "abridge.nvim.failures"
local highlight = require "abridge.nvim.highlight"
local jump = require "abridge.nvim.jump"
local keys = require "abridge.nvim.keys"
local ranges = require "abridge.nvim.ranges"
local status = require "abridge.nvim.status"
local display = require "abridge.output.display"
local kept_of = require "abridge.output.kept"
local sentences = require "abridge.output.sentences"
local call_words = require "abridge.run.call_words"

local M = {}

-- Rows between the cursor and an end of the buffer with more text behind it. An excerpt may hold over twice as many,
-- even of the longest rows.
local MARGIN = 100
local LEAST_BLOCK, FIRST_BLOCK, MOST_BLOCK = 1280, 4 * 1024, 32 * 1024 -- bytes of a step of loading; over a piece
local LEAST_READ, FIRST_READ, MOST_READ = 32 * 1024, 128 * 1024, 512 * 1024 -- bytes of a step of a search
local MOST_COUNTED = 256 * 1024 * 1024 -- bytes that are read to know the line of a place
local LEAST_WORDS = 12 -- cells of the words on the kept part
local TELL_MS = 100 -- between two words on how far a search is

---@class abridge.nvim.Pager
---@field buf integer
---@field excerpt abridge.nvim.Excerpt
---@field source abridge.nvim.Source
---@field ranges abridge.nvim.Range[]
---@field cut? abridge.Cut
---@field parts? abridge.Part[] of the output of several commands
---@field lines? integer of the text, if they are known
---@field private words? string on the kept part
---@field private cwd string that places are seen from
---@field private pace abridge.Pace of loading
---@field private filling? fun() ends the loading that is under way
---@field private moved boolean the cursor was, since the last step of loading
---@field private byte integer that the cursor was last seen on
---@field private arrived? integer the byte that the cursor was sent to, until it is moved
---@field private seeking? fun() ends the search that is under way
---@field private counting? fun() ends the counting that is under way
local Pager = {}
Pager.__index = Pager

-- highlights --------------------------------------------------------------------------

local function mark(self, row, column, opts)
  vim.api.nvim_buf_set_extmark(self.buf, highlight.namespace(), row - 1, column, opts)
end

--- Dim the parts of a row that the model did not see; `i` is the first range that may have bytes of it. Each row has
--- its own marks, since Neovim 0.7 does not draw one that begins above the window.
---@return integer i for the next row
local function dim(self, row, i)
  local at = self.excerpt.rows[row]
  local stop = at.first + at.bytes
  while self.ranges[i + 1] and self.ranges[i].to <= at.first do
    i = i + 1
  end
  local j, column = i, excerpts.columns(at)
  while self.ranges[j] and self.ranges[j].from < stop do
    local range = self.ranges[j]
    if not range.kept then
      local from = column(range.from)
      local to = column(range.to)
      if from < to then mark(self, row, from, { end_col = to, hl_group = "AbridgeOmitted" }) end
    end
    j = j + 1
  end
  return i
end

--- Number the lines at the right, and mark rows that continue the line of the row before.
local function decorate(self, first, last)
  if first > last then return end
  local line = self.excerpt:line_of(first)
  local range = math.max(ranges.at(self.ranges, self.excerpt.rows[first].first), 1)
  for i = first, last do
    local row = self.excerpt.rows[i]
    if line and row.begins and i > first then line = line + 1 end
    local side = not row.begins and { sentences.line_cut .. " ", highlight.groups.marker }
      or line and { ("%d "):format(line), "LineNr" }
    if side then mark(self, i, 0, { virt_text = { side }, virt_text_pos = "right_align", hl_mode = "combine" }) end
    range = dim(self, i, range)
  end
end

--- Decorate new rows; all rows if these made the numbers of lines known.
local function decorate_new(self, first, last)
  local known = self.excerpt.first_line ~= nil
  if known and not self.numbered then
    first, last = 1, #self.excerpt.rows
    vim.api.nvim_buf_clear_namespace(self.buf, highlight.namespace(), 0, -1)
  end
  self.numbered = known
  decorate(self, first, last)
end

-- rows of the buffer -------------------------------------------------------------------------------

local function texts(rows, first, last)
  local lines = {}
  for i = first, last do
    lines[#lines + 1] = rows[i].text
  end
  return lines
end

--- Replace rows (0-based, end exclusive) and their marks with lines.
local function set_rows(self, first, last, lines)
  vim.api.nvim_buf_clear_namespace(self.buf, highlight.namespace(), first, last)
  vim.api.nvim_buf_set_lines(self.buf, first, last, false, lines)
end

--- Read more at one end, as much as a moment allows.
local function extend(self, at_end)
  local excerpt, count, from = self.excerpt, #self.excerpt.rows, host.now()
  local bytes = self.pace.size
  local added, dropped = excerpt[at_end and "read_after" or "read_before"](excerpt, bytes)
  local rows = excerpt.rows
  if at_end then
    set_rows(self, count, count, texts(rows, #rows - added + 1, #rows))
    set_rows(self, 0, dropped, {})
    decorate_new(self, #rows - added + 1, #rows)
  else
    set_rows(self, 0, 0, texts(rows, 1, added))
    set_rows(self, added + count - dropped, added + count, {})
    decorate_new(self, 1, added)
  end
  self.pace:took(bytes, host.now() - from)
  return added > 0
end

--- A window that shows the buffer, the current one if it does.
local function window_of(self)
  if vim.api.nvim_get_current_buf() == self.buf then return vim.api.nvim_get_current_win() end
  return vim.fn.win_findbuf(self.buf)[1]
end

--- Load some of the missing rows around the cursor; are more missing?
local function load_some(self)
  local win = window_of(self)
  if not win then return false end
  local row = vim.api.nvim_win_get_cursor(win)[1]
  if self.excerpt:has_after() and #self.excerpt.rows - row < MARGIN then
    return extend(self, true)
  elseif self.excerpt:has_before() and row <= MARGIN then
    return extend(self, false)
  end
  return false
end

--- The byte that the cursor is on.
local function here(self, win)
  local row, column = unpack(vim.api.nvim_win_get_cursor(win or window_of(self)))
  local at = self.excerpt.rows[row]
  if not at then return 0 end
  return at.first
    + bisect.last(at.bytes, function(byte) -- that shows at or before the column
      return excerpts.columns(at)(at.first + byte) <= column
    end)
end

--- Words on whether the model saw a byte, with the gap's number if it did not.
local function seen(self, byte)
  local range = self.ranges[ranges.at(self.ranges, byte)]
  if not range then return nil end
  if range.kept then return { "shown to the model", "AbridgeSuccess" } end
  local gaps = self.ranges.gaps
  local which = gaps > 1 and (" (gap %d of %d)"):format(range.gap, gaps) or ""
  return { "not shown to the model" .. which, "AbridgeNotice" }
end

--- Words on the part of a line, in an output of several commands.
local function part_of(self, line)
  for i, part in ipairs(line and self.parts or {}) do
    if line >= part.first_line and line <= part.last_line then
      return { ("part %d of %d: %s"):format(i, #self.parts, call_words.one_line(part.kind)) }
    end
  end
end

local HINTS_OF_ALL = { { "gy", "yank" }, { "g/", "find" }, { "g?", "keys" } }
local HINTS = { { "gy", "yank" }, { "]o", "gap" }, { "g/", "find" }, { "g?", "keys" } }

local function tell(self, win)
  local line, byte = self.excerpt:line_of(vim.api.nvim_win_get_cursor(win)[1]), here(self, win)
  self.byte = byte
  local parts = {
    { ("line %s of %s"):format(line or "?", self.lines and ("%.0f"):format(self.lines) or "?") },
    { ("%.0f%%"):format(self.source.size > 0 and byte / self.source.size * 100 or 100) },
  }
  parts[#parts + 1] = part_of(self, line)
  parts[#parts + 1] = self.cut and seen(self, byte)
  parts[#parts + 1] = self.note and { self.note, "AbridgeError" }
  parts[#parts + 1] = self.words and { self.words, least = LEAST_WORDS }
  status.set(self.buf, parts, self.ranges.gaps > 0 and HINTS or HINTS_OF_ALL)
end

--- Change the buffer; an error of the file is reported.
local function guarded(self, act)
  if not vim.api.nvim_buf_is_loaded(self.buf) then return false end
  local ok, message = buffer.change(self.buf, act)
  if not ok then buffer.complain(message) end
  return ok
end

--- Put the cursor on a byte that the excerpt has, in the middle of its window.
local function put_cursor(self, win, byte)
  local row = self.excerpt:row_at(byte)
  local at = self.excerpt.rows[row]
  vim.api.nvim_win_set_cursor(win, { row, at and excerpts.columns(at)(byte) or 0 })
  vim.api.nvim_win_call(win, function()
    local height = vim.api.nvim_win_get_height(win)
    local top = math.min(row - math.floor(height / 2), #self.excerpt.rows - height + 1)
    vim.fn.winrestview { topline = math.max(top, 1) }
  end)
end

--- Count lines up to the excerpt, if its lines are not known, in turns with the editor; then show them.
local function show_lines(self)
  local step = not self.counting and self.excerpt:count(MOST_COUNTED)
  if not step then return end
  local ended
  local cancel = slices.start(function(work)
    local pace = slices.pace(LEAST_READ, FIRST_READ, MOST_READ)
    while step do
      local bytes, from = pace.size, host.now()
      local over = step(bytes)
      pace:took(bytes, host.now() - from)
      work:pause()
      if over then step = self.excerpt:count(MOST_COUNTED) end -- if the excerpt has moved on meanwhile
    end
    return {}
  end, function(value)
    ended, self.counting = true, nil
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    guarded(self, function()
      decorate_new(self, 1, 0)
    end)
    local win = window_of(self)
    if win and not (self.closed or self.seeking) then tell(self, win) end
  end)
  if not ended then self.counting = cancel end
end

local function stop_counting(self)
  local cancel = self.counting
  self.counting = nil
  if cancel then cancel() end
end

--- Load the missing rows around the cursor, in turns with the editor. If `byte` is given, the cursor has just gone
--- there, and stays in the middle until it is moved.
local function fill(self, byte)
  self.moved = true
  if self.filling then
    if not byte then return end -- the work under way sees to it
    self.filling()
  end
  self.arrived = byte
  local ended
  local cancel = slices.start(function(work)
    local more
    repeat
      self.moved, more = false, false
      guarded(self, function()
        more = load_some(self)
        local win = window_of(self)
        if win and self.arrived then put_cursor(self, win, self.arrived) end
      end)
      work:pause()
    until not (more or self.moved)
    return {}
  end, function(value)
    ended, self.filling, self.arrived = true, nil, nil
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    local win = window_of(self)
    if win and not (self.closed or self.seeking) then tell(self, win) end
    if not self.closed then show_lines(self) end
  end)
  if not ended then self.filling = cancel end
end

-- going somewhere --------------------------------------------------------------------------------------

--- End the search that is under way; is there one?
local function stop_search(self)
  local cancel = self.seeking
  self.seeking = nil
  if cancel then cancel() end
  return cancel ~= nil
end

--- Show the text around a byte; the cursor goes there.
local function arrive(self, byte)
  stop_counting(self)
  local ok = guarded(self, function()
    local win = window_of(self)
    self.excerpt:load(byte, self.pace.size)
    self.numbered = false
    set_rows(self, 0, -1, texts(self.excerpt.rows, 1, #self.excerpt.rows))
    decorate_new(self, 1, #self.excerpt.rows)
    put_cursor(self, win, byte)
  end)
  if not ok then return end
  fill(self, byte)
  local win = window_of(self)
  if win and not self.closed then tell(self, win) end
end

--- Go to a byte of the text: the cursor moves to its row.
---@param byte integer 0-based
function Pager:go(byte)
  stop_search(self)
  slices.within(function()
    arrive(self, byte)
  end)
end

local STOP = { { "<C-c>", "stop" } }

--- Say how far a search is, now and then.
local function tell_search(self, what, at)
  local now = host.now()
  if now - (self.told or 0) < TELL_MS then return end
  self.told = now
  local share = ("%.0f%% of %s"):format(at / self.source.size * 100, core.format_size(self.source.size))
  status.set(self.buf, { { "looking for " .. what, "AbridgeRunning" }, { share } }, STOP)
end

--- Have `find(work)` look for a byte in turns with the editor, and call `found` with it, or nil. Going anywhere else
--- ends the search.
local function seek(self, find, found)
  stop_search(self)
  local ended
  self.told = host.now()
  local cancel = slices.start(function(work)
    local byte = find(work)
    work:pause() -- a match is shown in a slice of its own
    return { byte = byte }
  end, function(value)
    ended, self.seeking = true, nil
    if self.closed then return end
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    found(value.byte)
  end)
  if not ended then self.seeking = cancel end
end

--- The same by steps, which read so many bytes each.
local function look_for(self, what, step, found)
  what = cells.start_of(display.visible(what), 30)
  seek(self, function(work)
    local pace = slices.pace(LEAST_READ, FIRST_READ, MOST_READ)
    while true do
      local bytes, from = pace.size, host.now()
      local over, byte = step(bytes)
      if over then return byte end
      pace:took(bytes, host.now() - from)
      tell_search(self, what, byte)
      work:pause()
    end
  end, found)
end

--- Go to a line. The text is read from the nearest place whose line is known.
---@param line integer
function Pager:go_to_line(line)
  if self.lines then line = math.min(line, math.max(self.lines, 1)) end
  look_for(self, ("line %.0f"):format(line), self.excerpt:seek(line), function(byte)
    if byte < self.source.size then self.excerpt:learn(byte, line) end
    self:go(byte)
  end)
end

--- Highlight every match of a text in a window, in place of the one before.
local function show_hits(self, win, text)
  if self.hits then pcall(vim.fn.matchdelete, self.hits, win) end
  local pattern = "\\V\\C" .. display.visible(text):gsub("\\", "\\\\")
  self.hits = vim.fn.matchadd("Search", pattern, 0, -1, { window = win })
end

--- Go to the next occurrence of a text, or the one before. The text is plain, not a pattern.
---@param text string
---@param backwards? boolean
function Pager:find(text, backwards)
  if text == "" then return end
  self.text = text
  local win = window_of(self)
  show_hits(self, win, text)
  local from = here(self) + (backwards and 0 or 1)
  look_for(self, text, self.excerpt:search(text, from, backwards), function(byte)
    if byte then return self:go(byte) end
    tell(self, win)
    buffer.complain("Not found: " .. text)
  end)
end

--- The rows that are selected, which ends the selection; those of the screen if none are.
local function rows_meant()
  if not vim.fn.mode():find "^[vV\22]" then return vim.fn.line "w0", vim.fn.line "w$" end
  local first, last = vim.fn.line "v", vim.fn.line "."
  vim.cmd "normal! \27"
  return math.min(first, last), math.max(first, last)
end

--- Put a command into a register that shows rows in a shell.
local function yank_command(self)
  local rows = self.excerpt.rows
  local first, last = rows_meant()
  last = math.min(last, #rows)
  if not self.command or not rows[first] then return buffer.complain "There is nothing here to show in a shell" end
  local from, to = self.excerpt:line_of(first), self.excerpt:line_of(last)
  local command, message
  if from and to then
    command, message = self.command.of_lines(from, to)
  else
    local stop = rows[last].first + rows[last].bytes
    command, message = self.command.of_bytes(rows[first].first, math.min(stop + 1, self.source.size))
  end
  if not command then return buffer.complain(message) end
  vim.fn.setreg(vim.v.register, command)
  vim.api.nvim_echo({ { cells.middle("yanked: " .. command, vim.v.echospace) } }, false, {})
end

--- Go to the next range that the model saw, or did not see, or the one before.
local function go_to_range(self, kept, step)
  for _ = 1, vim.v.count1 do
    local range = ranges.next(self.ranges, here(self), kept, step)
    if not range then return end
    local first = range.from
    if range.to - first > 1 and self.source.read(first, 1) == "\n" then first = first + 1 end -- of the line before
    self:go(first)
  end
end

--- Go to the next failure that names a place, or the one before.
local function go_to_failure(self, step)
  local row = self.excerpt.rows[vim.api.nvim_win_get_cursor(0)[1]]
  if not row then return end
  local source = {
    size = self.source.size,
    read = function(at, bytes)
      tell_search(self, "a failure", at)
      return self.source.read(at, bytes)
    end,
  }
  seek(self, function(work)
    if step > 0 then return failures.next(work, source, row.first + 1) end
    return failures.previous(work, source, row.first)
  end, function(byte)
    if byte then return self:go(byte) end
    tell(self, window_of(self))
    buffer.complain(
      step > 0 and "No failure with a place comes after this" or "No failure with a place comes before this"
    )
  end)
end

--- Open the place that the line under the cursor names; else leave the key its usual effect.
local function open_place(self, key)
  local rows, row = self.excerpt.rows, vim.api.nvim_win_get_cursor(0)[1]
  while rows[row] and not rows[row].begins do
    row = row - 1
  end
  jump.from(rows[row] and self.source, rows[row] and rows[row].first, self.cwd, function()
    pcall(vim.cmd, "normal! " .. key)
  end)
end

local function search_keys(self)
  local function again(backwards)
    return function()
      self:find(self.text or "", backwards)
    end
  end
  local function ask()
    local ok, text = pcall(vim.fn.input, "Find: ") -- Ctrl-C raises
    vim.cmd "redraw" -- so that the next message has a line of its own
    if ok then self:find(text) end
  end
  local function stop()
    if stop_search(self) then tell(self, window_of(self)) end
  end
  return {
    { "g/", ask, "Find a text in the whole output" },
    { "gn", again(false), "Next place of that text" },
    { "gN", again(true), "Place before of that text" },
    { "<C-c>", stop, "Stop looking" },
  }
end

local function jump_keys(self)
  local function line_key(otherwise)
    return function()
      if vim.v.count > 0 then return self:go_to_line(vim.v.count) end
      self:go(otherwise())
    end
  end
  local function to_start()
    return 0
  end
  local function to_end()
    return math.max(self.source.size - 1, 0)
  end
  local function to_percentage()
    if vim.v.count > 0 then self:go(math.floor(self.source.size * math.min(vim.v.count, 100) / 100)) end
  end
  return {
    { "gg", line_key(to_start), "Go to the start, or to a line" },
    { "G", line_key(to_end), "Go to the end, or to a line" },
    { "%", to_percentage, "Go to a percentage" },
  }
end

local function keys_of(self)
  local function range_key(kept, step)
    return function()
      go_to_range(self, kept, step)
    end
  end
  local function yank()
    yank_command(self)
  end
  local function failure_key(step)
    return function()
      go_to_failure(self, step)
    end
  end
  local function place_key(key)
    return function()
      open_place(self, key)
    end
  end
  local all = vim.list_extend(jump_keys(self), search_keys(self))
  return vim.list_extend(all, {
    { "]e", failure_key(1), "Next failure that names a place" },
    { "[e", failure_key(-1), "Failure before that names a place" },
    { "<CR>", place_key "\r", "Go to the place that the line names" },
    { "gF", place_key "gF", "The same" },
    { "]o", range_key(false, 1), "Next part that the model did not see" },
    { "[o", range_key(false, -1), "Part before that the model did not see" },
    { "]k", range_key(true, 1), "Next part that the model saw" },
    { "[k", range_key(true, -1), "Part before that the model saw" },
    { "gy", yank, "Yank a shell command that shows these lines", modes = { "n", "x" } },
    keys.closing(),
  })
end

---@class (exact) abridge.nvim.PagerCommand
---@field of_lines fun(first: integer, last: integer): string|nil, string|nil
---@field of_bytes fun(from: integer, to: integer): string|nil, string|nil 0-based, the end exclusive

-- opening -------------------------------------------------------------------------------------------------

---@class (exact) abridge.nvim.PagerOptions
---@field name? fun(buf: integer) names its buffer
---@field buf? integer one that is there, in its windows, in place of a new one
---@field cut? abridge.Cut the ledger of the model's text; nil: it saw everything
---@field lines? integer of the text; those of the ledger unless set
---@field note? string a remark to show
---@field cwd? string folder that the places in it are seen from; the editor's unless set
---@field close? fun() called when the buffer is wiped out
---@field command? abridge.nvim.PagerCommand how to show parts of it in a shell

--- Open a text in a buffer of its own.
---@param source abridge.nvim.Source
---@param opts abridge.nvim.PagerOptions
---@return abridge.nvim.Pager
function M.open(source, opts)
  highlight.define()
  local self = setmetatable({ source = source, cut = opts.cut, note = opts.note, command = opts.command }, Pager)
  self.parts = opts.cut and ledger.parts(opts.cut)
  self.words, self.cwd = kept_of.words(opts.cut), opts.cwd or host.uv().cwd()
  self.lines = opts.lines or opts.cut and opts.cut.total_lines
  self.ranges = ranges.of(opts.cut, source.size)
  self.pace = slices.pace(LEAST_BLOCK, FIRST_BLOCK, MOST_BLOCK)
  self.excerpt = excerpts.new(source, ranges.known_lines(opts.cut, source.size))
  self.buf = buffer.scratch("abridge-output", opts.buf)
  buffer.on_wipe(self.buf, function()
    self.closed = true
    stop_search(self)
    stop_counting(self)
    if self.filling then self.filling() end
    if opts.close then opts.close() end
  end)
  buffer.show(self.buf, nil, false, opts.buf ~= nil)
  if opts.name then opts.name(self.buf) end
  keys.map(self.buf, "A full output", keys_of(self))
  self:go(0)
  vim.api.nvim_create_autocmd("CursorMoved", {
    buffer = self.buf,
    callback = function()
      local win = window_of(self)
      if self.arrived and here(self, win) ~= self.arrived then self.arrived = nil end
      fill(self)
      if not self.seeking then tell(self, win) end
    end,
  })
  buffer.on_edit(self.buf, function()
    local byte = self.byte
    vim.schedule(function() -- the editor moves the cursor first
      if not self.closed and window_of(self) then self:go(byte) end
    end)
  end)
  return self
end

return M
