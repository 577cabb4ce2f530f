--- One call on the page: a row that opens to its input, its ending, the text the model saw and the rest.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local files = require "abridge.base.files"
local ledger = require "abridge.base.ledger"
local kept = require "abridge.output.kept"
local call_words = require "abridge.run.call_words"
local reader = require "abridge.run.reader"
local escape = require "abridge.report.escape"
local full_output = require "abridge.report.full_output"
local map = require "abridge.report.map"
local words = require "abridge.report.words"

local M = {}

local MOST_INPUT, MOST_NAME = 16 * 1024, 256 -- bytes of a field that the call asked with, and of its name

---@class (exact) abridge.report.Call The facts of a call that the page has before its events are read again.
---@field index integer from 1
---@field tool string on one line
---@field time? number seconds since 1970
---@field ended boolean
---@field failed boolean
---@field cut boolean
---@field how? string it failed, on one line
---@field exit? string its exit line, on one line
---@field why? string the line of its output that says why it failed
---@field cost? abridge.CallCost
---@field content integer bytes
---@field full integer bytes of its full output
---@field content_room integer bytes of its content that the page has room for
---@field full_room integer bytes of a full output that is copied

local function text_or_nil(value)
  return type(value) == "string" and value ~= "" and value or nil
end

local function clipped(text, most)
  if #text <= most then return text end
  return (core.head_tail(text, { max_bytes = most, utf8 = "replace" }))
end

-- the row -------------------------------------------------------------------------

local function classes(call)
  local names = {}
  if call.failed or not call.ended then names[#names + 1] = "e" end
  if call.cut then names[#names + 1] = "c" end
  return #names > 0 and (' class="%s"'):format(table.concat(names, " ")) or ""
end

--- The kept parts, in a row: all of it, parts, or unknown. A listing that stopped at its limit has more at its end,
--- nobody knows how much.
local function bar(segments, has_more)
  if not segments or #segments == 0 then return "<span></span>" end
  if has_more then
    segments = check.copied(segments)
    local last = segments[#segments].to
    segments[#segments + 1] = { kept = false, from = last, to = last + math.ceil(last / 4) }
  end
  local is_whole = #segments == 1 and segments[1].kept
  return is_whole and '<span class="m w"></span>' or map.small(segments)
end

--- The row: numbers that CSS shows are attributes, since a browser is quicker with those than with elements.
local function row(call, asked, segments, has_more)
  local cost = call.cost
  local wrong = not call.ended and "no result" or call.failed and "failed"
  local form = '<summary><span class="t" data-n="%s">%s</span>%s%s%s'
  local start = form:format(
    words.count(call.index),
    escape.text(call.tool),
    words.span("q", asked),
    wrong and words.span("o", wrong) or "",
    bar(segments, has_more)
  )
  if not cost then return start .. "</summary>" end
  return ('%s<span class="s" data-p="%s" data-d="%s">%s</span></summary>'):format(
    start,
    words.count(cost.tokens_printed),
    words.duration(cost.duration_ms),
    words.count(cost.tokens_shown)
  )
end

-- its input -----------------------------------------------------------------------

local function field(name, value)
  local text = type(value) == "string" and value or encode.json(value) or tostring(value)
  text = clipped(text, MOST_INPUT)
  return ("%s:%s%s"):format(escape.text(name), text:find "\n" and "\n" or " ", escape.text(text))
end

local function asked_html(input)
  input = call_words.decoded(input)
  if type(input) ~= "table" then return type(input) == "string" and field("asked", input) or "asked nothing" end
  local names, parts = {}, {}
  for name in pairs(input) do
    names[#names + 1] = tostring(name)
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = input[name]
    if value == nil then value = input[tonumber(name)] end
    parts[i] = field(clipped(name, MOST_NAME), value)
  end
  return #parts > 0 and table.concat(parts, "\n") or "asked nothing"
end

-- facts ------------------------------------------------------------------------------------

local function amount(bytes, tokens)
  return ("%s, %s"):format(bytes, words.counted(tokens, "token"))
end

local function facts(call, event)
  local cost, block = call.cost, type(event.truncation) == "table" and event.truncation or {}
  local saved = words.saved(cost)
  local printed = amount(words.size(cost.bytes_printed), cost.tokens_printed)
  saved = saved ~= "" and "saved " .. amount(saved, cost.saved) or nil
  local all = {
    "took " .. words.duration(cost.duration_ms),
    "printed " .. printed,
    "seen " .. amount(words.size(cost.bytes_shown), cost.tokens_shown),
    saved or "",
    kept.words(event.cut) or "",
    block.truncated == true and text_or_nil(block.reason) or "",
    text_or_nil(block.resume_hint) or "",
    words.time(call.time, "%H:%M:%S UTC"),
    call_words.one_line(event.call_id),
  }
  local shown = {}
  for _, fact in ipairs(all) do
    if fact ~= "" then shown[#shown + 1] = escape.text(fact) end
  end
  local exit = text_or_nil(event.exit_line)
  return ('<p id="c%d">%s%s</p>'):format(
    call.index,
    (exit and words.span("exit", exit) .. " · " or "") .. (call.why and words.span("exit", call.why) .. " · " or ""),
    table.concat(shown, " · ")
  )
end

local NOT_KEPT = "The full output was not kept"

local function note(text)
  return words.span("dim", text, "p")
end

-- the model's text ---------------------------------------------------------------------------

--- A text with its marks standing out, each a link if it stands for a part on the page.
local function marked(text, marks, targets)
  local parts, at = {}, 0
  for i, mark in ipairs(marks) do
    local known = type(mark) == "table" and check.are_counts(mark, "first_byte", "last_byte")
    if not known or mark.first_byte <= at or mark.last_byte < mark.first_byte or mark.last_byte > #text then break end
    parts[#parts + 1] = escape.text(text:sub(at + 1, mark.first_byte - 1))
    local at_part = #targets == #marks and targets[i]
    local shown_mark = words.span("mark", text:sub(mark.first_byte, mark.last_byte))
    parts[#parts + 1] = at_part and ('<a href="#%s">%s</a>'):format(at_part, shown_mark) or shown_mark
    at = mark.last_byte
  end
  return table.concat(parts) .. escape.text(text:sub(at + 1))
end

--- Our own words on the output, at the end of the content.
local function trailer(rest, event)
  local parts = {}
  for _, name in ipairs { "exit_line", "notice" } do
    local said = text_or_nil(event[name])
    local from = said and rest:find(said, 1, true)
    if from then
      parts[#parts + 1] = escape.text(rest:sub(1, from - 1))
      parts[#parts + 1] = words.span(name == "notice" and "say" or "exit", said)
      rest = rest:sub(from + #said)
    end
  end
  return table.concat(parts) .. escape.text(rest)
end

local function content_html(call, event, targets)
  local content = type(event.content) == "string" and event.content or ""
  local shown
  if #content > call.content_room then
    shown = escape.text(clipped(content, call.content_room))
  else
    local body = reader.shown_text(event) -- a start of the content
    local marks = type(event.cut) == "table" and type(event.cut.markers) == "table" and event.cut.markers or {}
    shown = marked(body, check.list(marks), targets) .. trailer(content:sub(#body + 1), event)
  end
  local is_cut = #content > call.content_room
  local pre = ('<pre class="saw" id="c%dm">\n%s</pre>'):format(call.index, shown)
  return is_cut and pre .. note "Cut for this page; abridge log has it whole." or pre
end

-- left out --------------------------------------------------------------------------------

--- The full output, or why there is none; and where the parts of the map are on the page.
local function full_html(call, event, run, segments, link_of)
  local kept_file = type(event.full_output) == "table" and event.full_output or {}
  local what = text_or_nil(kept_file.error)
  if not kept_file.path then
    local is_page = type(event.cut) == "table" and event.cut.first_line ~= nil
    local why = what and ": " .. what or "."
    return note(is_page and not what and "A page: the rest is where it was read from." or NOT_KEPT .. why), nil
  end
  local fd, stat = run:open_output(event)
  if not fd then return note(stat), nil end
  segments = segments or { { kept = true, from = 0, to = stat.size } }
  local is_copy = stat.size <= call.full_room
  local ok, html = pcall(full_output.html, fd, stat.size, segments, call.index, is_copy)
  files.close(fd)
  if not ok then error(html, 0) end
  local link = ('<a href="%s">%s</a>'):format(escape.plain(link_of(reader.kept_path(run, event))), "the file")
  local about = words.size(stat.size) .. (is_copy and "" or ", too large for this page: both ends of each part")
  local head = ('<h3 id="c%df">Full output <span>%s; what was left out is shaded; %s</span></h3>'):format(
    call.index,
    about,
    link
  )
  if what then head = head .. note("It is not whole: " .. what) end
  local function target(i)
    return full_output.has(i, is_copy) and full_output.id(call.index, i) or ("c%df"):format(call.index)
  end
  return head .. html, target
end

--- The map, the full output, and the place on the page of each part that was left out.
local function left_out_html(call, event, run, segments, link_of)
  if not call.cut then return "", "", {} end
  local full, target = full_html(call, event, run, segments, link_of)
  if not segments then return "", full, {} end
  local gaps = {}
  for i, segment in ipairs(target and segments or {}) do
    if not segment.kept then gaps[#gaps + 1] = target(i) end
  end
  target = target or function(i)
    return segments[i].kept and ("c%dm"):format(call.index) or nil
  end
  local drawn = map.large(segments, target, function(segment)
    return ("%s %s"):format(words.place(segment), segment.kept and "shown" or "left out")
  end)
  local total = type(event.cut.total_lines) == "number" and words.counted(event.cut.total_lines, "line") .. ", " or ""
  local about = total .. words.size(event.cut.total_bytes)
  for i, part in ipairs(ledger.parts(event.cut) or {}) do
    local place = ("%s-%s"):format(words.count(part.first_line), words.count(part.last_line))
    about = about .. (i == 1 and ": " or ", ") .. escape.text(call_words.one_line(part.kind)) .. " " .. place
  end
  return ("<h3>Kept and left out <span>of %s</span></h3>%s"):format(about, drawn), full, gaps
end

-- all of it -----------------------------------------------------------------------------------------

--- A call without a result.
---@param call abridge.report.Call
---@param input any
---@return string html
function M.without_result(call, input)
  return ('<details%s>%s<pre class="ask" id="c%d">\n%s</pre>%s</details>\n'):format(
    classes(call),
    row(call, call_words.input(input), nil),
    call.index,
    asked_html(input),
    note "The log has no result of this call."
  )
end

--- A call with its result.
---@param call abridge.report.Call
---@param input any
---@param event table its `tool_result`
---@param run abridge.Run
---@param link_of fun(path: string): string the address of a file of the run
---@return string html
function M.html(call, input, event, run, link_of)
  local cut = ledger.of(event)
  local segments = cut and map.segments(cut)
  local drawn, full, gaps = left_out_html(call, event, run, segments, link_of)
  return ('<details%s>%s%s<pre class="ask">\n%s</pre>%s%s%s</details>\n'):format(
    classes(call),
    row(call, call_words.input(input), segments, cut ~= nil and type(event.cut) == "table" and event.cut.more == true),
    facts(call, event),
    asked_html(input),
    drawn,
    content_html(call, event, gaps),
    full
  )
end

return M
