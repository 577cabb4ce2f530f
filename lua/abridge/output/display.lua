--- The text of a result for a screen, and the screen's own block. Cut by the tool and cut for display are two facts:
--- nothing here touches the model's result.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local kinds = require "abridge.base.kinds"
local slices = require "abridge.base.time_slices"
local info = require "abridge.output.info"
local sentences = require "abridge.output.sentences"

local M = {}

local WHO = "abridge.display"
local TAB = 8 -- columns between tab stops
local MAX = 2 ^ 53
local YELLOW, RED, RESET = "\27[33m", "\27[31m", "\27[0m"

-- chars ------------------------------------------------------------------------------

--- The next char at or after `from` that a screen must not get as it is: its place, its bytes, and the text that shows.
--- Controls show in caret form, those of C1 as escape sequences; line separators and chars that turn
--- the direction of text show by their number. The line must be valid UTF-8.
local function next_control(line, from)
  local at = line:find("[%z\1-\31\127\194\226]", from)
  while at do
    local byte, second, third = line:byte(at, at + 2)
    if byte < 128 then return at, 1, "^" .. string.char((byte + 64) % 128) end
    if byte == 194 then
      if second < 160 then return at, 2, "^[" .. string.char(second - 64) end
    elseif second == 128 and third >= 168 and third <= 174 or second == 129 and third >= 166 and third <= 169 then
      return at, 3, ("<U+20%02X>"):format((second - 128) * 64 + third - 128)
    end
    at = line:find("[%z\1-\31\127\194\226]", at + 1)
  end
end

--- The longest part of a line, or of the rest of one, from its start, that a screen shows up to the column `width`.
---@param line string
---@param width integer
---@param column? integer of its start, 0-based; 0 unless set
---@return string shown
---@return integer bytes of the line
---@return integer column at the end of that
local function prefix(line, width, column)
  local shown, at = {}, 1
  column = column or 0
  while at <= #line do
    local control, size, form = next_control(line, at)
    local plain = line:sub(at, (control or #line + 1) - 1)
    local fits = core.fit_cells(plain, width - column)
    shown[#shown + 1] = plain:sub(1, fits)
    at = at + fits
    if at <= #line and at ~= control then break end
    column = column + core.cells(plain)
    if control then
      if form == "^I" then form = (" "):rep(TAB - column % TAB) end
      if column + #form > width then break end
      shown[#shown + 1] = form
      column, at = column + #form, at + size
    end
  end
  return table.concat(shown), at - 1, column
end

--- Bytes of a text as a screen may get them, on one line: controls as `prefix` shows them, loose bytes as U+FFFD. Tabs
--- stay. The start of a text, up to between two chars, shows as the start of the whole.
---@param text string any bytes
---@return string
function M.visible(text)
  if not text:find "[%z\1-\8\10-\31\127-\255]" then return text end
  text = core.head(text, { max_lines = MAX, utf8 = "replace" })
  local parts, at = {}, 1
  while true do
    local control, size, form = next_control(text, at)
    parts[#parts + 1] = text:sub(at, (control or #text + 1) - 1)
    if not control then return table.concat(parts) end
    parts[#parts + 1] = form == "^I" and "\t" or form
    at = control + size
  end
end

--- How long something took, as a list shows it.
---@param ms any
---@return string|nil nil if `ms` is not a length of time
function M.duration(ms)
  if type(ms) ~= "number" or not (ms >= 0 and ms <= MAX) then return nil end
  if ms < 1000 then return ("%.0fms"):format(ms) end
  if ms < 60000 then return ("%.1fs"):format(math.floor(ms / 100) / 10) end -- never "60.0s"
  return ("%.0fm%02ds"):format(math.floor(ms / 60000), math.floor(ms / 1000) % 60)
end

-- lines ------------------------------------------------------------------------------

local function lines_of(text)
  if text == "" then return string.gmatch("", "x") end
  return (text:sub(-1) == "\n" and text or text .. "\n"):gmatch "([^\n]*)\n"
end

--- A line of a tool's text, cut short if it is wider than the screen.
---@return string shown
---@return integer lost bytes of the line that do not show
---@return integer own bytes of `shown` that are the line's, before the mark of a cut
local function fitted(line, width)
  line = line:gsub("\r$", "")
  local shown, bytes = prefix(line, width)
  if bytes == #line then return shown, 0, #shown end
  local mark = sentences.line_cut:sub(1, width)
  shown, bytes = prefix(line, width - #mark)
  return shown .. mark, #line - bytes, #shown
end

--- The first break of a text wider than the screen: the bytes of its first line, and the start of the next.
local function break_of(text, width)
  local fits = core.fit_cells(text, width)
  local space = text:sub(1, fits + 1):match "^.+() "
  if space then return space - 1, space + 1 end
  return fits, fits + 1
end

--- A sentence of ours, broken into lines and never cut. A char wider than the screen shows as a point.
local function wrapped(text, width, add)
  for line in lines_of(text) do
    local rest = prefix(line, MAX)
    while core.cells(rest) > width do
      local last, next_first = break_of(rest, width)
      if last == 0 then
        rest = rest:gsub("^[^\128-\191][\128-\191]*", ".", 1)
      else
        add(rest:sub(1, last))
        rest = rest:sub(next_first)
      end
    end
    if rest ~= "" or line == "" then add(rest) end
  end
end

-- parts of a result ------------------------------------------------------------------

local function as_table(value)
  return type(value) == "table" and value or {}
end

local function is_command(result, details)
  return result.tool == "run_command" or details.exit_code ~= nil or details.exit_line ~= nil
end

--- Should a screen show the end of this result? As the tool's cut says; if that kept both ends, for a command, unless
--- it printed something other than a log.
local function from_end(result, details)
  local cut = as_table(details.cut)
  if cut.strategy == "head" or cut.strategy == "tail" then return cut.strategy == "tail" end
  return is_command(result, details) and kinds.shows_end[cut.kind] ~= false
end

local LOOKS = { auto = true, priority = true } -- strategies that look for failures
local BY_LINES = { log = true, text = true } -- kinds that they cut between lines

--- The part of a tool's text that a screen of so many lines shows. Of a failed command, whose failures the tool looked
--- for, that is the failures too.
---@return string kept
---@return abridge.Cut cut
---@return "head"|"tail"|"parts" the place of its lines
local function cut_for_screen(body, result, details, max_lines)
  local own = as_table(details.cut)
  local looks = LOOKS[own.strategy] and BY_LINES[own.kind or "log"]
  if max_lines and looks and result.is_error == true and is_command(result, details) then
    local kept, cut = core.priority(body, { max_lines = max_lines, marker = "none" })
    if cut.truncated and cut.hits.found > 0 then return kept, cut, "parts" end
  end
  local where = from_end(result, details) and "tail" or "head"
  local kept, cut = core[where](body, { max_lines = max_lines or MAX })
  return kept, cut, where
end

local function valid(text)
  return (core.head(text, { max_lines = MAX, utf8 = "replace" }))
end

--- The markers of a body that are as a cut makes them: in order, none within another.
local function markers_in_order(markers)
  local right, at = {}, 0
  for _, marker in ipairs(check.list(markers)) do
    local first, last = as_table(marker).first_byte, as_table(marker).last_byte
    if check.is_count(first) and check.is_count(last) and first > at and last >= first then
      right[#right + 1], at = { first_byte = first, last_byte = last }, last
    end
  end
  return right
end

--- The tool's text, the exit line and the notice of a result. The block tells the end of the text: nothing is parsed
--- from the content.
---@return string body
---@return string exit "" when there is none
---@return string said
---@return { first_byte: integer, last_byte: integer }[] markers in the body
local function parts_of(result, details)
  local content = result.content
  local size = as_table(result.truncation).bytes_returned
  if not check.is_count(size) or size > #content then size = #content end
  local body = valid(content:sub(1, size))
  local markers = #body == size and markers_in_order(as_table(as_table(details.cut).markers)) or {}
  local said = content:sub(size + 1):gsub("^\n+", "")
  local exit = type(details.exit_line) == "string" and details.exit_line or ""
  if said:sub(1, #exit) ~= exit then exit = "" end
  return body, valid(exit), valid((said:sub(#exit + 1):gsub("^\n+", ""))), markers
end

-- display ----------------------------------------------------------------------------

---@class (exact) abridge.DisplayOptions
---@field max_lines? integer how many lines of the tool's text to show, 0 to 2^53; no limit unless set
---@field width? integer how many cells a line of the screen has, 1 to 2^53; no limit unless set
--- `true`: remarks, notice and exit line in yellow (SGR 33); in red (SGR 31), the exit line of a failed command and the
--- text of any other result with `is_error`. Colours are set and reset on each line
---@field ansi? boolean

local OPTIONS = {
  max_lines = check.count,
  width = check.positive,
  ansi = "boolean",
}

---@alias abridge.RowKind "marker"|"notice"|"error"

--- A line of a screen, and which parts of it are ours: known from the ledger and the block, not parsed from the text.
---@class (exact) abridge.Row
---@field text string
--- of the whole line: a remark on lines that do not show, a notice (or the exit line of a command that
--- succeeded), an error
---@field kind? abridge.RowKind
---@field spans? { first_byte: integer, last_byte: integer }[] parts of a line of the tool's text that are markers

local COLOURS = { marker = YELLOW, notice = YELLOW, error = RED }

local function block_of(body, kept, lost, by_lines)
  if not by_lines and lost == 0 then return info.not_truncated(#body) end
  return info.without_resume(#kept - lost, #body, by_lines and "line_cap" or "size_cap")
end

--- A walk along a line, from its bytes to their places on the screen.
---@param line string
---@return fun(byte: integer): integer the end of the shown bytes up to this one; bytes must not fall
local function shown_at(line)
  local at, shown, column = 0, 0, 0
  return function(byte)
    byte = math.min(byte, #line)
    if byte > at then
      local part, _, after = prefix(line:sub(at + 1, byte), MAX, column)
      shown, at, column = shown + #part, byte, after
    end
    return shown
  end
end

--- The parts of a line that are markers, in bytes of its shown text.
---@param line string
---@param at integer bytes of the body before the line
---@param markers { first_byte: integer, last_byte: integer }[] in order
---@param i integer the first one that does not end before the line
---@param shown string
---@param own integer bytes of `shown` before the mark of a cut
---@return { first_byte: integer, last_byte: integer }[]|nil
---@return integer i for the next line
local function spans_of(line, at, markers, i, shown, own)
  while markers[i] and markers[i].last_byte <= at do
    i = i + 1
  end
  local spans, where, j = {}, shown_at(line), i
  while markers[j] and markers[j].first_byte <= at + #line do
    local first = where(math.max(markers[j].first_byte - at - 1, 0)) + 1
    if first > own then break end
    local last = math.min(where(markers[j].last_byte - at), own)
    if first <= last then spans[#spans + 1] = { first_byte = first, last_byte = last } end
    j = j + 1
  end
  if own < #shown then spans[#spans + 1] = { first_byte = own + 1, last_byte = #shown } end
  return #spans > 0 and spans or nil, i
end

--- Add the lines of the tool's text as rows; returns how many of its bytes do not show.
local function add_text(rows, text, at, markers, width, kind, work)
  local lost, i = 0, 1
  for line in lines_of(text) do
    local shown, missing, own = fitted(line, width)
    local row = { text = shown, kind = kind }
    row.spans, i = spans_of(line, at, markers, i, shown, own)
    rows[#rows + 1] = row
    lost, at = lost + missing, at + #line + 1
    if #rows % 64 == 0 then work:pause() end
  end
  return lost
end

--- The lines of the tool's text that a screen shows, in parts as `rows` has them: `before` lines that do not show, then
--- the bytes from..to of the text.
---@return { before: integer, from: integer, text: string }[]
---@return integer lines after the last part
local function parts_shown(body, kept, cut, where)
  if where == "tail" then return { { before = cut.omitted_lines, from = #body - #kept, text = kept } }, 0 end
  if where == "head" then
    local ended = cut.truncated and cut.output_lines > 0 and "\n" or "" -- the newline a cut head lacks
    return { { before = 0, from = 0, text = kept .. ended } }, cut.omitted_lines
  end
  local parts, line = {}, 0
  for i, range in ipairs(cut.kept) do
    local text = body:sub(range.first_byte, range.last_byte)
    if body:byte(range.last_byte + 1) == 10 then text = text .. "\n" end
    parts[i] = { before = math.max(range.first_line - line - 1, 0), from = range.first_byte - 1, text = text }
    line = range.last_line
  end
  return parts, cut.total_lines - line
end

--- `abridge.display` as rows; checks its arguments and sets `result.display` like it. Raises at the level of the caller
--- of `who`, or `deeper` levels further out.
---@param who string the public function, for messages
---@param result abridge.Result
---@param opts? abridge.DisplayOptions
---@param deeper? integer
---@param work? abridge.Work to pause in
---@return abridge.Row[]
function M.rows(who, result, opts, deeper, work)
  deeper = deeper or 0
  if type(result) ~= "table" or type(result.content) ~= "string" then
    check.fail(who .. ": result must be a result with content, got " .. check.show(result), 1 + deeper)
  end
  opts = check.options(who, opts, OPTIONS, 2 + deeper)
  local width, details = opts.width or MAX, as_table(result.details)
  local body, exit, said, markers = parts_of(result, details)
  local kept, cut, where = cut_for_screen(body, result, details, opts.max_lines)
  local parts, after = parts_shown(body, kept, cut, where)

  local rows = {}
  local function say(text, kind)
    wrapped(text, width, function(line)
      rows[#rows + 1] = { text = line, kind = kind }
    end)
  end
  local failed, lost = result.is_error == true, 0
  local kind = failed and not is_command(result, details) and "error" or nil
  for i, part in ipairs(parts) do
    local missing = i == 1 and sentences.earlier_lines or sentences.more_lines
    if part.before > 0 then say(missing(part.before), "marker") end
    lost = lost + add_text(rows, part.text, part.from, markers, width, kind, work or slices.at_once)
  end
  if after > 0 then say(sentences.more_lines(after), "marker") end

  for _, part in ipairs { { exit, failed and "error" or "notice" }, { said, "notice" } } do
    if part[1] ~= "" then
      if #rows > 0 then rows[#rows + 1] = { text = "" } end
      say(part[1], part[2])
    end
  end
  result.display = block_of(body, kept, lost, cut.truncated):to_table()
  return rows
end

--- `abridge.display` by another name.
---@param who string the public function, for messages
---@param result abridge.Result
---@param opts? abridge.DisplayOptions
---@return string text
function M.text(who, result, opts)
  local rows = M.rows(who, result, opts, 1)
  local ansi, lines = opts and rawget(opts, "ansi"), {}
  for i, row in ipairs(rows) do
    local colour = ansi and row.text ~= "" and COLOURS[row.kind]
    lines[i] = colour and colour .. row.text .. RESET or row.text
  end
  return table.concat(lines, "\n")
end

--- A result on a screen: lines without a newline after the last one.
---
--- The first `max_lines` lines of the tool's text show, or the last ones if the tool kept the end or if it is the
--- output of a command that kept both ends; of a command that failed, cut by `auto` or `priority`, the failures with
--- them. A line says how many more there are. Lines wider than `width` cells end in
--- "...", tabs go to every eighth column, controls and escape sequences show as `^[`. Exit line and notice are always
--- there, whole, wrapped to the width and not counted in `max_lines`.
---
--- Sets `result.display` to the screen's own block: how many bytes of the tool's text show, and of how many; its reason
--- is "line_cap" when lines are missing, else "size_cap". Changes nothing else in the result. Raises on misuse, naming
--- the argument. Cost: in proportion to the content.
---@param result abridge.Result
---@param opts? abridge.DisplayOptions
---@return string text valid UTF-8
function M.display(result, opts)
  local text = M.text(WHO, result, opts)
  return text -- no tail call: the level of an error counts this function
end

return M
