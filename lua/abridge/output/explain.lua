--- The reasons of a cut: `abridge.explain`. The core chooses as for any cut, and tells the worth of each line; the
--- lines of each range are then read again, for the rules that made hits of them.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local strings = require "abridge.base.strings"

local M = {}

local KEPT_MOST, LEFT_MOST = 1000, 20 -- lines told of a range that is kept, and of one that is left out

--- The rule that a word stands for.
---@class (exact) abridge.ExplainedRule
---@field table "words"|"endings"|"phrases"|"stems"|"forms"|"hits" its table in `csrc/line/`, or `opts.hits`
---@field row string
---@field first_byte integer of the line
---@field last_byte integer
---@field denied? abridge.Denial why it tells of no trouble here

---@alias abridge.Denial "nothing"|"setting"|"name"|"negated"|"zero"|"dealt"|"written"|"spoken"|"argument"|"pattern"
---@alias abridge.Why "start"|"end"|"hit"|"odd"|"says"|"before"|"after"|"command"|"filling"

---@class (exact) abridge.ExplainedLine
---@field line integer its number
---@field hit boolean does it say that something is wrong?
---@field score number its score, read alone: 4 and more is a hit
--- the source of its score: `table` and `row` of the rule, `first_byte` and `last_byte` of it in the line. Tables:
--- `words`, `endings`, `phrases`, `stems`, `forms`, and `hits` for patterns of `opts.hits`
---@field rule? abridge.ExplainedRule
--- of a line that is not a hit: the same of a word of trouble, with the reason in `denied.denied`
---@field denied? abridge.ExplainedRule
--- `pass`, `step`, `excerpt`, `frame`, `trace` (the head of a traceback) or `blank`
---@field form? "blank"|"pass"|"step"|"excerpt"|"frame"|"trace"
---@field command? "starts"|"failed" `starts`: a command's output starts; `failed`: it says that one failed
--- why its words count for less: `remark` (a compiler's warning or note), `step`, `low_level`, `echo` (a shell prints
--- the command), `passed` (a passing test printed it)
---@field less? "remark"|"step"|"low_level"|"echo"|"passed"
---@field why? abridge.Why why it is kept, or has its value though there was no room
---@field value? number decides, with its size, whether it is kept
---@field failure? integer the failure it belongs to, from 1
---@field alike? integer how many lines of the text have its form

---@class (exact) abridge.ExplainedRange
---@field kept boolean
---@field ends_line? boolean of a range kept by its kind or its place: it goes to a line's end
---@field first_line integer
---@field last_line integer
---@field first_byte integer
---@field last_byte integer
---@field why? abridge.Why|"failure"|"part"|"whole" of a kept range
---@field failure? integer of a kept range: the failure it belongs to
---@field hits? integer of a gap: hits in it
---@field alike? integer lines of the form of the line before
---@field denied? table<abridge.Denial, integer> lines whose word of trouble tells of none
---@field no_room? integer lines with a value that were left for want of room
---@field lines abridge.ExplainedLine[] hits, lines that say something, and words of trouble that don't count

---@class (exact) abridge.SideLines
---@field count integer
---@field lines integer[] the surest three

---@alias abridge.KindEvidence "option"|"signature"|"bytes"|"document"|"documents"|"hunks"|"parts"|"delimiter"|"columns"
---| "lines"|"failure"|"log"

---@class (exact) abridge.KindReason
---@field name abridge.Kind
---@field by abridge.KindEvidence
---@field bytes? integer of the start that were looked at
---@field media_type? string
---@field delimiter? string
---@field header_lines? integer
---@field failure? integer line of a failure in a text that looks written
---@field log? integer line that starts a log in a text that looks written
---@field lines? integer that are not blank
---@field printed? abridge.SideLines that look printed by a command at work
---@field written? abridge.SideLines that look written
---@field parts? abridge.Part[] of an output of several commands

---@class (exact) abridge.Explanation
---@field content string what `abridge.cut` returns
---@field cut abridge.Cut
---@field source string the text that lines and bytes count in: cleaned and redacted if the options say so
--- of `auto`: `name`; `by`, the reason (below); `bytes`, how much of the start was looked at
---@field kind? abridge.KindReason
--- the first and the last line of each stretch of output of passing tests: errors there are no failures
---@field passed integer[]
---@field ranges abridge.ExplainedRange[] in order, kept parts and gaps; together they are the source, to the byte

--- The kind of a text, and the reason for it.
---@param text string
---@return abridge.KindReason
function M.kind(text)
  local reason = core.kind_reason(text)
  reason.parts = select(2, core.kind(text))
  return reason
end

--- The reason for the kind of a text.
local function kind_of(source, opts, cut)
  if not cut.kind then return nil end
  if opts.kind then return { name = cut.kind, by = "option" } end
  return M.kind(source)
end

--- The lines of a range read alone, by number, and counts by what they say.
local function judge(source, opts, range, most, before, passed)
  local well = before and before.went_well
  local judged = core.judge(source, opts, range.first_byte, range.last_byte, most, well, range.first_line, passed)
  judged.by_number = {}
  for _, line in ipairs(judged.told) do
    line.line = line.line + range.first_line - 1
    judged.by_number[line.line] = line
  end
  return judged
end

--- Add to a line read alone its worth to the choice.
local function add_worth(line, told)
  line.why, line.value, line.failure, line.alike = told.why, told.value, told.failure, told.alike
end

--- The parts of a kept range, each with one reason; `told` has the facts of its lines.
local function parts_of(source, range, told, judged)
  local parts, open, at = {}, nil, range.first_byte
  for number = range.first_line, range.last_line do
    local line = told[number]
    local why = line.failure and "failure" or line.why
    if not open or why ~= open.why or line.failure ~= open.failure then
      open = { kept = true, first_line = number, first_byte = at, why = why, failure = line.failure, lines = {} }
      parts[#parts + 1] = open
    end
    at = (source:find("\n", at, true) or #source) + 1
    open.last_line, open.last_byte = number, math.min(at - 1, range.last_byte)
    local alone = judged.by_number[number]
    if alone then
      add_worth(alone, line)
      open.lines[#open.lines + 1] = alone
    end
  end
  return parts
end

--- A range of the ledger with the newline of its last line, which is dropped before a gap.
local function with_newline(source, kept)
  local range = { first_byte = kept.first_byte, first_line = kept.first_line, last_line = kept.last_line }
  local lines = kept.last_line - kept.first_line + 1
  range.ends_line = strings.newlines(source:sub(kept.first_byte, kept.last_byte)) == lines
  local dropped = not range.ends_line and source:byte(kept.last_byte + 1) == 10
  range.ends_line, range.last_byte = range.ends_line or dropped, kept.last_byte + (dropped and 1 or 0)
  return range
end

--- The gap between two kept ranges, either of which may be missing; nil if there is none.
local function gap_between(source, cut, before, after)
  local gap = { kept = false, first_byte = before and before.last_byte + 1 or 1, first_line = 1, lines = {} }
  gap.last_byte, gap.last_line = after and after.first_byte - 1 or #source, cut.total_lines
  if gap.last_byte < gap.first_byte then return nil end
  if before then gap.first_line = before.last_line + (before.ends_line and 1 or 0) end
  if after then gap.last_line = after.first_line - (source:byte(gap.last_byte) == 10 and 1 or 0) end
  return gap
end

--- Add to a gap counts of what its lines say, and of those with a value.
local function explain_gap(gap, judged, told)
  gap.hits, gap.alike, gap.no_room, gap.lines = judged.hits, judged.alike, #told, judged.told
  gap.denied = next(judged.denied) and judged.denied or nil
  for _, line in ipairs(told) do
    local alone = judged.by_number[line.line]
    if alone then add_worth(alone, line) end
  end
end

--- The facts of lines that show, by number, and a function that takes the others, in order, before line `stop`.
local function sorted_out(told)
  local kept, left, i = {}, {}, 1
  for _, line in ipairs(told) do
    if line.kept then
      kept[line.line] = line
    else
      left[#left + 1] = line
    end
  end
  return kept,
    function(stop)
      local taken = {}
      while left[i] and left[i].line < stop do
        taken[#taken + 1], i = left[i], i + 1
      end
      return taken
    end
end

--- The reason for a range without a line that was chosen by itself.
local function why_of(range, source, cut)
  if not cut.truncated then return "whole" end
  if cut.items or cut.kind == "mixed" then return "part" end
  if range.first_byte == 1 then return "start" end
  return range.last_byte == #source and "end" or "part"
end

local function ranges_of(source, opts, cut, told)
  local kept, take = sorted_out(told)
  local ranges = {}
  local by_line = cut.truncated and (cut.strategy == "priority" or cut.kind == "log")
  local before, judged
  for i = 1, #cut.kept + 1 do
    local range = cut.kept[i] and with_newline(source, cut.kept[i])
    local gap = gap_between(source, cut, before, range)
    before = range
    if gap then
      ranges[#ranges + 1] = gap
      local left = take(range and range.first_line or math.huge)
      if by_line then
        judged = judge(source, opts, gap, LEFT_MOST, judged, told.passed)
        explain_gap(gap, judged, left)
      end
    end
    if range and told[1] then
      judged = judge(source, opts, range, KEPT_MOST, judged, told.passed)
      for _, part in ipairs(parts_of(source, range, kept, judged)) do
        ranges[#ranges + 1] = part
      end
    elseif range then
      range.kept, range.why, range.lines = true, why_of(range, source, cut), {}
      ranges[#ranges + 1] = range
    end
  end
  return ranges
end

--- Explain a cut: the reasons for the kind of the text, and for each part kept or left out.
---@param text string
---@param opts abridge.CutOptions
---@return abridge.Explanation told
function M.explain(text, opts)
  local ok, content, cut, source = pcall(core.explain, text, opts)
  if not ok then
    if type(content) == "string" and content:find "^abridge%.explain: " then check.fail(content) end
    error(content, 0) -- of the caller's counter
  end
  local told = cut.told_lines
  cut.told_lines = nil
  return {
    content = content,
    cut = cut,
    source = source,
    kind = kind_of(source, opts, cut),
    passed = told.passed or {},
    ranges = ranges_of(source, opts, cut, told),
  }
end

--- The facts of a single line, kept or not, as of the lines of a range.
---@param explained abridge.Explanation
---@param opts abridge.CutOptions
---@param number integer
---@return abridge.ExplainedLine|nil line nil if there is no such line
---@return abridge.ExplainedRange|nil range that it stands in
---@return string|nil text
function M.line(explained, opts, number)
  local source, at = explained.source, 1
  if number > explained.cut.total_lines then return nil end
  for _ = 2, number do
    at = source:find("\n", at, true) + 1
  end
  local stop = source:find("\n", at, true) or #source
  local line = core.judge(source, opts, at, stop, nil, false, number, explained.passed).told[1]
  line.line = number
  local found
  for _, range in ipairs(explained.ranges) do
    if range.first_line <= number and number <= range.last_line then
      found = found and found.kept and found or range
      for _, known in ipairs(range.lines) do
        if known.line == number then add_worth(line, known) end
      end
    end
  end
  return line, found, (source:sub(at, stop):gsub("\r?\n$", ""))
end

return M
