--- `abridge explain`: the reasons of a cut, for people; `abridge kind --why`: the reason for the kind.

local core = require "abridge.base.core_loader"
local explanation = require "abridge.output.explain"
local host = require "abridge.base.host"
local strings = require "abridge.base.strings"
local terminal = require "abridge.cli.terminal"

local M = {}

--- A piece of any text on a terminal: nothing in it does anything there.
local function shown(text)
  return terminal.visible(strings.valid(text))
end

-- words ---------------------------------------------------------------------------------

local KINDS = {
  option = "as the flag says",
  document = "one JSON value from the first byte to the last",
  documents = "JSON values, each on lines of its own",
  hunks = "headers of files, and hunks with as many lines as they say",
  columns = "columns aligned under a header",
  bytes = "too many bytes that no text has",
}

local DENIALS = {
  nothing = "with nothing as its value",
  setting = "in a setting",
  name = "in a name",
  negated = "negated",
  zero = "with a count of 0",
  dealt = "in the name of what deals with trouble",
  written = "in source, help, a heading, a commit or a file list",
  spoken = "spoken of, not reported",
  argument = "in the argument of a call",
  pattern = "of a pattern with weight 0",
}

local FORMS = {
  pass = "it reports success",
  step = "it says what is being done",
  excerpt = "source that a diagnostic quotes",
  frame = "a frame of a stack",
  trace = "the head of a traceback",
}

local LESS = {
  remark = "a compiler's warning or note",
  step = FORMS.step,
  low_level = "its level is low",
  echo = "a command as the shell prints it",
  passed = "a passing test printed it",
}

local WHYS = {
  start = "start",
  ["end"] = "end",
  hit = "hit",
  odd = "odd, unlike the rest of the text",
  says = "says something, though no hit",
  before = "before a hit",
  after = "after a hit",
  command = "what a command printed before it failed",
  filling = "room was left",
  part = "by the rules of its kind",
  whole = "all of it fits",
}

local function counted(n, noun)
  return ("%.0f %s%s"):format(n, noun, n == 1 and "" or "s")
end

local function side(of, words)
  local numbers = {}
  for i, n in ipairs(of.lines) do
    numbers[i] = ("%.0f"):format(n)
  end
  local such = numbers[1] and (" (such as line %s)"):format(table.concat(numbers, ", ")) or ""
  return ("%.0f look %s%s"):format(of.count, words, such)
end

--- The reason for a kind, in words.
local function why_kind(kind)
  if kind.by == "signature" then return "its first bytes are those of " .. kind.media_type end
  if kind.by == "delimiter" then return ("as many fields in each row, with %q between them"):format(kind.delimiter) end
  if kind.by == "failure" then return ("a failure at line %.0f, amid what looks written"):format(kind.failure) end
  if kind.by == "log" then return ("lines printed from line %.0f on, amid what looks written"):format(kind.log) end
  if kind.by ~= "lines" and kind.by ~= "parts" then return KINDS[kind.by] end
  if kind.by == "parts" then return "it has several parts" end
  if not kind.lines then return "no line tells, and what could be either is a log" end
  local sides = { side(kind.printed, "printed by a command at work"), side(kind.written, "written") }
  local said = ("of %s, %s, %s"):format(counted(kind.lines, "line"), sides[1], sides[2])
  local close = kind.name == "log" and kind.written.count >= kind.printed.count
  return close and said .. "; what could be either is a log" or said
end

--- `"error" (words: error)`: the text in a line, and its rule.
local function ruled(rule, text)
  local word = text:sub(rule.first_byte, rule.last_byte)
  local row = ("%s: %s"):format(rule.table, rule.row)
  return shown(word == "" and row or ('"%s" (%s)'):format(word, row))
end

--- The meaning of a line read alone, and why it isn't a hit.
local function said_by(line, text)
  local said = {}
  if line.hit then
    said[1] = ("hit: %s, score %.1f"):format(ruled(line.rule, text), line.score)
  elseif line.denied then
    said[1] = ("no hit: %s %s"):format(ruled(line.denied, text), DENIALS[line.denied.denied])
  elseif line.rule then
    said[1] = ("no hit, but says something: %s, score %.1f"):format(ruled(line.rule, text), line.score)
  end
  if not line.hit then said[#said + 1] = line.less and LESS[line.less] or FORMS[line.form] end
  return said
end

--- Why a kept range is kept.
local function why_kept(range)
  return range.failure and ("failure %.0f"):format(range.failure) or WHYS[range.why]
end

--- Why a gap is left out: lines that would have been worth keeping, or that there are none.
local function why_left(range, cut)
  local lines = counted(range.last_line - range.first_line + 1, "line")
  if cut.kind == "binary" then return "left out: nothing of it is shown" end
  if not range.hits then
    return ("left out: %s, by %s"):format(lines, (cut.items or cut.kind == "mixed") and "its kind" or "the ends kept")
  end
  local denied = {}
  for name, n in pairs(range.denied or {}) do
    denied[#denied + 1] = ("%.0f with a word of trouble %s"):format(n, DENIALS[name])
  end
  table.sort(denied)
  local said = { range.hits > 0 and counted(range.hits, "hit") .. " without room" or "no hit" }
  if range.alike > 0 then said[2] = ("%.0f like the line before"):format(range.alike) end
  said[#said + 1] = denied[1] and table.concat(denied, ", ")
  return ("left out: %s, %s"):format(lines, table.concat(said, ", "))
end

-- the terminal --------------------------------------------------------------------------

local WIDTH = 160 -- cells, if stdout isn't a terminal
local FEW = 3 -- lines told of a gap that are hits, and that are none

local function width_of()
  if not terminal.is_terminal(1) then return WIDTH end
  local uv = host.uv()
  local tty = uv.new_tty(1, false)
  local columns = tty and uv.tty_get_winsize(tty)
  if tty then uv.close(tty) end
  return type(columns) == "number" and columns > 0 and columns or WIDTH
end

local function print_row(width, numbers, text, style)
  local row = ("%-13s  %s"):format(numbers, text)
  if core.cells(row) > width then row = row:sub(1, core.fit_cells(row, math.max(width - 3, 0))) .. "..." end
  terminal.out(style and terminal.styled(style, row) or row, "\n")
end

local function span(range)
  if range.ends_line == false then return ("byte %.0f-%.0f"):format(range.first_byte, range.last_byte) end
  local first, last = ("%.0f"):format(range.first_line), ("%.0f"):format(range.last_line)
  return first == last and first or first .. "-" .. last
end

--- The text of line n, called with growing numbers; line 1 again starts anew.
local function lines_of(text)
  local number, first = 1, 1
  return function(n)
    while number < n do
      number, first = number + 1, text:find("\n", first, true) + 1
    end
    return (text:sub(first, (text:find("\n", first, true) or #text + 1) - 1))
  end
end

--- A piece of a line with the deciding words in sight.
local function excerpt(line, text)
  local rule = line.rule or line.denied
  local at = rule and math.min(rule.first_byte, #text) or 1
  local from = at > 80 and core.fit_cells(text, at - 40) + 1 or 1
  return (from > 1 and "..." or "") .. shown(text:sub(from, from + 400))
end

--- The lines of a range that are worth telling: of a gap the first few hits, and the first few others.
local function told_lines(range)
  local told, more, counts = {}, 0, { [true] = 0, [false] = 0 }
  for _, line in ipairs(range.lines) do
    if line.hit or line.denied or line.less or line.why == "says" or line.why == "odd" then
      counts[line.hit] = counts[line.hit] + 1
      if range.kept or counts[line.hit] <= FEW then
        told[#told + 1] = line
      else
        more = more + 1
      end
    end
  end
  return told, more
end

local function print_range(range, explained, line_at, width)
  local why = range.kept and why_kept(range) or why_left(range, explained.cut)
  print_row(width, span(range), why, not range.kept and "notice" or nil)
  if range.kept and range.first_line == range.last_line and not range.lines[1] then
    local text = explained.source:sub(range.first_byte, math.min(range.last_byte, range.first_byte + WIDTH))
    print_row(width, "", "  " .. shown((text:gsub("\r?\n$", ""))))
  end
  local told, more = told_lines(range)
  for _, line in ipairs(told) do
    local text = line_at(line.line)
    print_row(width, ("  %.0f"):format(line.line), table.concat(said_by(line, text), "; "), line.hit and "error" or nil)
    print_row(width, "", "  " .. excerpt(line, text))
  end
  if more > 0 then print_row(width, "", ("and %.0f more; --json has them"):format(more)) end
end

local function share(of, unit)
  return ("%.0f of %.0f %s"):format(of.kept, of.found, unit)
end

local function print_sums(explained, width)
  local cut, kind = explained.cut, explained.kind
  if kind then print_row(width, "kind", ("%s: %s"):format(kind.name, why_kind(kind)), "heading") end
  for _, part in ipairs(kind and kind.parts or {}) do
    print_row(width, ("%.0f-%.0f"):format(part.first_line, part.last_line), "part: " .. part.kind)
  end
  local sums = { share({ kept = cut.output_lines, found = cut.total_lines }, "lines") }
  if cut.failures then sums[#sums + 1] = share(cut.failures, "failures") end
  if cut.hits then sums[#sums + 1] = share(cut.hits, "hits") end
  for _, items in ipairs(cut.items or {}) do
    local of = items.of and items.of ~= "" and " of " .. shown(items.of) or ""
    sums[#sums + 1] = ("%.0f of %.0f %s%s"):format(items.kept, items.total, items.unit, of)
  end
  print_row(width, "kept", table.concat(sums, ", "), "heading")
end

--- All that is known of one line.
local function print_line(explained, limits, number, width)
  local line, range, text = explanation.line(explained, limits, number)
  if not line then terminal.fail(("there is no line %.0f: it has %.0f"):format(number, explained.cut.total_lines)) end
  print_row(width, ("line %.0f"):format(number), shown(text))
  local said = said_by(line, text)
  if not said[1] then said[1] = "it says nothing of trouble" end
  for _, words in ipairs(said) do
    print_row(width, "", words, line.hit and "error" or nil)
  end
  if line.alike then print_row(width, "", ("one of %.0f lines of this form"):format(line.alike)) end
  if range.kept then
    print_row(width, "", "kept: " .. why_kept(range))
  elseif line.value then
    local of = line.failure and (", of failure %.0f"):format(line.failure) or ""
    local words = "left out for want of room: worth %.1f (%s%s)"
    print_row(width, "", words:format(line.value, WHYS[line.why], of), "notice")
  else
    print_row(width, "", "left out: others are worth more", "notice")
  end
end

-- commands ------------------------------------------------------------------------------

--- Lists without an element are objects to JSON libraries.
local function without_empty_lists(value)
  for key, field in pairs(value) do
    if type(field) == "table" then
      if next(field) == nil then
        value[key] = nil
      else
        without_empty_lists(field)
      end
    end
  end
  return value
end

--- Print the reasons of a cut; with `number` all that is known of that line. Returns the exit code.
---@param text string
---@param opts abridge.CutOptions
---@param as_json boolean|nil
---@param number integer|nil
---@return integer
function M.run(text, opts, as_json, number)
  local explained = explanation.explain(text, opts)
  local width = width_of()
  if as_json then
    local data = { cut = explained.cut, kind = explained.kind, ranges = explained.ranges }
    if number then
      data = { line = explanation.line(explained, opts, number) }
      if not data.line then terminal.fail(("there is no line %.0f"):format(number)) end
    end
    terminal.print_json(without_empty_lists(data))
  elseif number then
    print_line(explained, opts, number, width)
  else
    print_sums(explained, width)
    local line_at = lines_of(explained.source)
    for _, range in ipairs(explained.ranges) do
      print_range(range, explained, line_at, width)
    end
  end
  return 0
end

--- The kind of a text, and the reason, as data.
---@param text string
---@return table
function M.kind_of(text)
  local kind = explanation.kind(text)
  return without_empty_lists { kind = kind.name, why = kind }
end

--- The same in a line.
---@param text string
function M.print_kind(text)
  local kind = explanation.kind(text)
  terminal.out(kind.name, ": ", terminal.visible(why_kind(kind)), "\n")
end

return M
