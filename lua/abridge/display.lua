--- What a screen shows of a result, and the screen's own block. Cut by the tool and cut for display are two facts:
--- nothing here touches what the model got.

local check = require "abridge.check"
local core = require "abridge.core_loader"
local info = require "abridge.info"
local notice = require "abridge.notice"

local M = {}

local WHO = "abridge.display"
local TAB = 8 -- columns between tab stops
local MAX = 2 ^ 53
local YELLOW, RED, RESET = "\27[33m", "\27[31m", "\27[0m"

-- chars ------------------------------------------------------------------------------

--- The next char at or after `from` that a screen must not get as it is: where it stands, its bytes, and how it
--- shows. Controls show in caret form, those of C1 as the escape sequence they stand for; line separators and what
--- turns the direction of text show by their number. The line must be valid UTF-8.
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

--- The longest part of a line, from its start, that a screen shows in `width` cells.
---@return string shown
---@return integer bytes of the line
local function prefix(line, width)
  local shown, column, at = {}, 0, 1
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
  return table.concat(shown), at - 1
end

-- lines ------------------------------------------------------------------------------

local function lines_of(text)
  if text == "" then return string.gmatch("", "x") end
  return (text:sub(-1) == "\n" and text or text .. "\n"):gmatch "([^\n]*)\n"
end

--- A line of a tool's text, cut short where it is wider than the screen.
---@return string shown
---@return integer lost bytes of the line that are not shown
local function fitted(line, width)
  line = line:gsub("\r$", "")
  local shown, bytes = prefix(line, width)
  if bytes == #line then return shown, 0 end
  local mark = notice.line_cut:sub(1, width)
  shown, bytes = prefix(line, width - #mark)
  return shown .. mark, #line - bytes
end

--- Where a text wider than the screen is broken: the bytes of its first line, and where the next one starts.
local function break_of(text, width)
  local fits = core.fit_cells(text, width)
  local space = text:sub(1, fits + 1):match "^.+() "
  if space then return space - 1, space + 1 end
  return fits, fits + 1
end

--- A sentence of ours, broken into lines and never cut. Of a char that is wider than the screen a point shows.
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

--- Is the end of this result what to look at? As the tool's cut says; where that kept both ends, a command's.
local function from_end(result, details)
  local strategy = as_table(details.cut).strategy
  if strategy == "head" or strategy == "tail" then return strategy == "tail" end
  return is_command(result, details)
end

local function valid(text)
  return (core.head(text, { max_lines = MAX, utf8 = "replace" }))
end

--- The tool's text, the exit line and the notice of a result. The block says where the text ends: nothing is read
--- out of the content.
---@return string body
---@return string exit "" when there is none
---@return string said
local function parts_of(result, details)
  local content = result.content
  local size = as_table(result.truncation).bytes_returned
  if not check.is_count(size) or size > #content then size = #content end
  local said = content:sub(size + 1):gsub("^\n+", "")
  local exit = type(details.exit_line) == "string" and details.exit_line or ""
  if said:sub(1, #exit) ~= exit then exit = "" end
  return valid(content:sub(1, size)), valid(exit), valid((said:sub(#exit + 1):gsub("^\n+", "")))
end

-- display ----------------------------------------------------------------------------

---@class (exact) abridge.DisplayOptions
---@field max_lines? integer lines of the tool's text to show; no limit unless set
---@field width? integer cells of a line of the screen, at least 1; no limit unless set
---@field ansi? boolean colour warnings yellow and errors red

local OPTIONS = {
  max_lines = function(value)
    if not check.is_count(value) then return "an integer from 0 to 2^53" end
  end,
  width = function(value)
    if not check.is_count(value) or value < 1 then return "an integer from 1 to 2^53" end
  end,
  ansi = "boolean",
}

--- Collects the lines of a screen, coloured where that is wanted.
local function collector(ansi)
  local lines = {}
  local function adder(colour)
    return function(line)
      lines[#lines + 1] = ansi and colour and line ~= "" and colour .. line .. RESET or line
    end
  end
  return lines, adder
end

local function block_of(body, kept, lost, by_lines)
  if not by_lines and lost == 0 then return info.not_truncated(#body) end
  return info.without_resume(#kept - lost, #body, by_lines and "line_cap" or "size_cap")
end

--- What a screen shows of a result: lines without a newline after the last one.
---
--- Of the tool's text the first `max_lines` lines show, or the last ones where the tool kept the end or where it is the
--- output of a command cut at both ends; a line says how many more there are. Lines wider than `width` cells
--- end in "...", tabs go to every eighth column, controls and escape sequences show as `^[`. Exit line and notice
--- are always there, whole, wrapped to the width and not counted in `max_lines`.
---
--- Sets `result.display` to the screen's own block: bytes of the tool's text that show, and all of them; its reason is
--- "line_cap" when lines are missing, else "size_cap". Changes nothing else in the result. Raises on misuse, naming
--- the argument. Cost: in proportion to the content.
---@param result abridge.Result
---@param opts? abridge.DisplayOptions
---@return string text valid UTF-8
function M.display(result, opts)
  if type(result) ~= "table" or type(result.content) ~= "string" then
    check.fail(WHO .. ": result must be a result with content, got " .. check.show(result))
  end
  opts = check.options(WHO, opts, OPTIONS, 1)
  local width, details = opts.width or MAX, as_table(result.details)
  local body, exit, said = parts_of(result, details)
  local at_end = from_end(result, details)
  local kept, cut = core[at_end and "tail" or "head"](body, { max_lines = opts.max_lines or MAX })
  local ended = cut.truncated and not at_end and cut.output_lines > 0 and "\n" or "" -- the newline a cut head lacks

  local lines, adder = collector(opts.ansi)
  local warn = adder(YELLOW)
  if cut.truncated and at_end then wrapped(notice.earlier_lines(cut.omitted_lines), width, warn) end
  local failed = result.is_error == true
  local show, lost = adder(failed and not is_command(result, details) and RED or nil), 0
  for line in lines_of(kept .. ended) do
    local shown, missing = fitted(line, width)
    show(shown)
    lost = lost + missing
  end
  if cut.truncated and not at_end then wrapped(notice.more_lines(cut.omitted_lines), width, warn) end

  for _, part in ipairs { { exit, failed and adder(RED) or warn }, { said, warn } } do
    if part[1] ~= "" then
      if #lines > 0 then lines[#lines + 1] = "" end
      wrapped(part[1], width, part[2])
    end
  end
  result.display = block_of(body, kept, lost, cut.truncated):to_table()
  return table.concat(lines, "\n")
end

return M
