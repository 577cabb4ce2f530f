--- Judges cuts by kind from the contract alone, slowly and without the core's help: `faults(source, opts, content,
--- cut)`
--- is a list of broken rules, each `RULE: what is wrong`; an empty list is a right cut.
local abridge = require "abridge"
local diff = require "support.judge.diff"
local json = require "support.judge.json"
local mixed = require "support.judge.mixed"
local plain = require "support.plain"
local records = require "support.judge.records"
local view_of = require "support.judge.view"

local M = {}

local has_cjson, cjson = pcall(require, "cjson")

--- A source to be cut: `expected` has its `kind`, for tables `delimiter` and `header_lines`, and `also`, other kinds
--- that
--- are as right. What is worked out for the judge is kept here, for one source many cuts.
function M.source(text, expected)
  local source = { text = text, expected = expected or {}, form = {} }
  function source.as(kind)
    if source.form[kind] == nil then
      local form
      if kind == "json" then
        form = json.document(text)
      elseif kind == "diff" then
        form = diff.source(text)
      else
        form = records.source(text, kind, source.expected)
      end
      source.form[kind] = form or false
    end
    return source.form[kind]
  end
  return source
end

--- A function that counts the line of ever higher bytes.
local KEPT_BY_LINES = 256 * 1024 -- bytes that a cut by lines alone keeps of what it reads part by part

local function line_counter(source)
  local at, line = 1, 1
  return function(byte)
    local _, newlines = source:sub(at, byte - 1):gsub("\n", "")
    at, line = math.max(at, byte), line + newlines
    return line
  end
end

local function check_totals(view)
  local cut, source = view.cut, view.source
  if cut.total_bytes ~= #source then
    view:fault("total", "total_bytes is %s, the source has %d", tostring(cut.total_bytes), #source)
  end
  local lines = plain.count_lines(source)
  if cut.total_lines ~= lines then
    view:fault("total", "total_lines is %s, the source has %d", tostring(cut.total_lines), lines)
  end
  local wrong = plain.ledger_error(cut)
  if wrong then view:fault("ledger", "%s", wrong) end
  local seen, last_line = 0, 0
  local line_of = line_counter(source)
  for _, range in ipairs(cut.kept) do
    local first, last = line_of(range.first_byte), line_of(range.last_byte)
    -- an empty line may be chosen without its newline: then no byte of the range is in it
    local may_end = source:sub(range.last_byte, range.last_byte + 1) == "\n\n" and last + 1 or last
    if range.first_line ~= first or (range.last_line ~= last and range.last_line ~= may_end) then
      view:fault(
        "ledger",
        "bytes %d to %d are lines %d to %d, not %s to %s",
        range.first_byte,
        range.last_byte,
        first,
        last,
        tostring(range.first_line),
        tostring(range.last_line)
      )
    end
    seen = seen + last - first + (first > last_line and 1 or 0)
    last_line = last
  end
  if cut.output_lines < seen or cut.output_lines > seen + #cut.kept + 1 then
    view:fault("total", "output_lines is %s, ranges hold %d", tostring(cut.output_lines), seen)
  end
end

local function count_tokens(opts)
  return opts.count_tokens
    or function(text)
      return math.ceil(abridge.estimate_tokens(text) * (opts.token_safety or 1.35) - 1e-9)
    end
end

local function check_budgets(view)
  local opts, content = view.opts, view.content
  local reserve = view.cut.truncated and opts.reserve or "" -- a text that fits needs no notice
  local shown = content == "" and "" or content .. reserve
  if opts.max_bytes and #shown > opts.max_bytes then
    view:fault("budget", "%d bytes in a budget of %d", #shown, opts.max_bytes)
  end
  if opts.max_chars and #plain.chars(shown) > opts.max_chars then
    view:fault("budget", "%d chars in a budget of %d", #plain.chars(shown), opts.max_chars)
  end
  if opts.max_tokens and count_tokens(opts)(shown) > opts.max_tokens then
    view:fault("budget", "%d tokens in a budget of %d", count_tokens(opts)(shown), opts.max_tokens)
  end
  local by_content = view.cut.kind == "json" or view.cut.kind == "mixed"
  local lines = by_content and plain.count_lines(content) or view.cut.output_lines
  if opts.max_lines and lines > opts.max_lines then
    view:fault("budget", "%d lines in a budget of %d", lines, opts.max_lines)
  end
end

--- Does the whole text fit?
local function fits(text, opts)
  return #text <= (opts.max_bytes or math.huge)
    and (not opts.max_lines or plain.count_lines(text) <= opts.max_lines)
    and (not opts.max_chars or #plain.chars(text) <= opts.max_chars)
    and (not opts.max_tokens or count_tokens(opts)(text) <= opts.max_tokens)
end

local function check_binary(view)
  local cut, content = view.cut, view.content
  local line = "^Binary output %((.-), ([%d.]+[KMG]?B)%)$"
  local name, size = content:match(line)
  local opts = view.opts
  local room =
    math.min(opts.max_bytes or 64, opts.max_chars or 64, opts.max_tokens or 64, opts.max_lines == 0 and 0 or 64)
  if not name and not (content == "" and (room < 64 or opts.reserve)) then
    view:fault("binary", "%q is not the line of a binary", content:sub(1, 80))
  elseif name and (size ~= abridge.format_size(#view.source) or name:find "\n") then
    view:fault("binary", "%s, the source has %s", size, abridge.format_size(#view.source))
  end
  if #cut.kept > 0 then view:fault("binary", "bytes are kept") end
  if not cut.truncated then view:fault("binary", "it is not said to be truncated") end
  if view.source ~= "" and cut.truncated_by and view:is_bound_by_bytes() and #view.source <= opts.max_bytes then
    view:fault("binary", "truncated by %s, which forbids nothing", cut.truncated_by)
  end
end

local SAME_AS = {
  text = function(text, opts)
    return abridge.head_tail(text, opts)
  end,
  log = function(text, opts)
    return abridge.priority(text, opts)
  end,
}
local OF_AUTO = { strategy = true, kind = true, items = true }
local TEXT_KEYS, LOG_KEYS = { hits = true }, { head_ratio = true }

M.same = plain.same

--- Does a cut leave a tenth of each budget unused?
local function leaves_a_tenth(content, cut, opts)
  local reserve = opts.reserve or ""
  local function has_room(used, set_aside, most)
    return not most or used <= most - set_aside - math.floor((most - set_aside) / 10)
  end
  return has_room(#content, #reserve, opts.max_bytes)
    and has_room(#plain.chars(content), #plain.chars(reserve), opts.max_chars)
    and (not opts.max_tokens or has_room(count_tokens(opts)(content .. reserve), 0, opts.max_tokens))
    and cut.output_lines < (opts.max_lines or math.huge)
    and not cut.last_line_partial
end

--- Is a text kept as in `whole`, a cut in whole lines, and of the line at its gap a part?
local function adds_part_of_line(cut, whole)
  local kept, before = cut.kept, whole.kept
  if #kept > 2 or not cut.last_line_partial then return false end
  local head, tail = kept[1].first_byte == 1 and kept[1].last_byte or 0, kept[#kept]
  local first = tail.last_byte == cut.total_bytes and tail.first_byte or cut.total_bytes + 1
  for _, range in ipairs(before) do
    local inside = range.last_byte <= head or range.first_byte >= first
    if not inside then return false end
  end
  return cut.output_lines <= whole.output_lines + 1
end

--- A text is cut as `head_tail` does with 70 % at the head, but that a line is split if a tenth of the budgets would be
--- left; a log as `priority` does.
local function check_same(view, kind)
  local opts, ignored = {}, kind == "text" and TEXT_KEYS or LOG_KEYS
  for key, value in pairs(view.opts) do
    if key ~= "kind" and key ~= "strategy" and not ignored[key] then opts[key] = value end
  end
  if kind == "text" then opts.head_ratio = opts.head_ratio or 0.7 end
  local content, cut = SAME_AS[kind](view.source, opts)
  local splits = kind == "text" and cut.truncated and opts.snap ~= "char" and leaves_a_tenth(content, cut, opts)
  if splits and adds_part_of_line(view.cut, cut) then return end
  if content ~= view.content then view:fault(kind, "the content is not what its strategy gives") end
  for _, pair in ipairs { { cut, view.cut }, { view.cut, cut } } do
    for key, value in pairs(pair[1]) do
      if not OF_AUTO[key] and not plain.same(value, pair[2][key]) then
        return view:fault(kind, "%s of the cut is not what its strategy gives", key)
      end
    end
  end
end

local function check_parses(view)
  if not has_cjson or view.content == "" then return end
  if pcall(cjson.decode, view.source) and not pcall(cjson.decode, view.content) then
    view:fault("parse", "lua-cjson reads the source, not the cut")
  end
end

local function check_cut(view, source)
  local kind = view.cut.kind
  if kind == "json" then
    local doc = source.as "json"
    if not doc then return view:fault("kind", "the source is no JSON") end
    check_parses(view)
    json.judge(view, doc)
  elseif kind == "json_lines" or kind == "table" then
    records.judge(view, source.as(kind))
  elseif kind == "diff" then
    diff.judge(view, source.as "diff")
  elseif kind == "mixed" and source.expected.parts then
    mixed.judge(view, source.expected.parts)
  end
end

--- A document without its blanks; its own line ends stay unless these are too many lines.
local function compact_of(document, max_lines)
  local text = document and json.compact(document)
  if text and max_lines and select(2, text:gsub("\n", "")) >= max_lines then return json.compact(document, true) end
  return text
end

--- What is wrong with a cut of a source (a string, or of `source`) under these options.
function M.faults(source, opts, content, cut)
  if type(source) == "string" then source = M.source(source, { kind = cut.kind }) end
  local view, expected = view_of.new(source.text, opts, content, cut), source.expected
  if expected.kind and cut.kind ~= expected.kind and not (expected.also or {})[cut.kind] then
    view:fault("kind", "%s, not %s", tostring(cut.kind), expected.kind)
  end
  check_budgets(view)
  if cut.kind == "binary" then
    check_binary(view)
    return view.faults
  end
  if not view:read_ledger() then return view.faults end
  check_totals(view)
  local bare = cut.final_newline and content .. "\n" == source.text
  if not cut.truncated then
    if cut.compact then
      if cut.omitted_bytes > 3 then view:fault("compact", "%d bytes are left out", cut.omitted_bytes) end
      json.judge_compact(view, source.as "json")
    elseif content ~= source.text and not bare then
      view:fault("truncated", "it is cut, and not said to be")
    end
    if cut.items then view:fault("items", "there are items of a text that is not cut") end
    return view.faults
  end
  if content == source.text then view:fault("truncated", "it is whole, and said to be cut") end
  local compact = cut.kind == "json" and compact_of(source.as "json", opts.max_lines)
  local lines_alone = not (opts.max_bytes or opts.max_chars or opts.max_tokens)
  if compact and lines_alone and #compact > KEPT_BY_LINES then compact = nil end
  if not opts.reserve and (fits(source.text, opts) or (compact and fits(compact, opts))) then
    view:fault("truncated", "it would fit")
  end
  if SAME_AS[cut.kind] then
    check_same(view, cut.kind)
  else
    check_cut(view, source)
  end
  return view.faults
end

--- Raise what is wrong with a cut.
function M.check(source, opts, content, cut)
  local faults = M.faults(source, opts, content, cut)
  if #faults > 0 then
    error(
      ("%s\n  in: %s"):format(table.concat(faults, "\n", 1, math.min(#faults, 5)), ("%q"):format(content:sub(1, 300))),
      2
    )
  end
end

return M
