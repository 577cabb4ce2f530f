--- Every sentence about a cut: the notice after the shown text, and the replacement of parts left out. All our other
--- sentences are in sentences.lua.
---
--- A notice is a pure function of its data (SPEC 9). Its sentences are templates with {names}; the same templates
--- filled with the widest values tell how much room a notice may need before the cut is known.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local ledger = require "abridge.base.ledger"
local sentences = require "abridge.output.sentences"

local M = {}

M.truncated = "[truncated]"
--- Between the halves of a result that only the ceiling cut.
M.ceiling_marker = "\n... [{bytes} bytes truncated; head + tail kept] ...\n"

-- the budget that was hit ------------------------------------------------------

--- How a limit reads: "30KB", "500 token", "20000 char", "2000 line".
---@param unit "lines"|"bytes"|"chars"|"tokens"
---@param budget integer
---@return string
function M.limit(unit, budget)
  if unit == "bytes" then return core.format_size(budget) end
  return ("%.0f %s"):format(budget, unit:sub(1, -2))
end

-- templates --------------------------------------------------------------------

local READ = {
  first_line = "Line 1 is {size}, exceeds {limit} limit. Use {shell} to read: head -c {bytes} {path}",
  line = "Line {a} is {size}, exceeds {limit} limit. Use {shell}: sed -n '{a}p' {path} | head -c {bytes}",
  chars = "Showing chars {first_char}-{last_char} of line {a} ({limit} limit). "
    .. "Use offset={a} column={column} to continue",
  by_lines = "Showing lines {a}-{b} of {total}. Use offset={next} to continue",
  by_size = "Showing lines {a}-{b} of {total} ({limit} limit). Use offset={next} to continue",
  several = "Showing {shown} of {total|line} ({limit} limit). Use offset={next} to continue",
  several_chars = "Showing {shown} of {total|line} ({limit} limit). Use offset={next} column={column} to continue",
  sizes_chars = "Showing {shown_size} of {total_size} ({limit} limit). Use offset={next} column={column} to continue",
  nothing = "Showing 0 of {total|line} ({limit} limit)",
  part = "Showing first {shown_size} of line {a} (line is {size}). Use offset={next} to continue",
  rest = "{rest|more line} in file. Use offset={next} to continue",
}

local JSON = {
  some = "Showing {unit} {a}-{b} of {total}{of_parent}. Use pointer={next_pointer} to continue",
  last = "Showing {unit} {a}-{b} of {total}{of_parent} ({limit} limit)",
  nothing = "Showing 0 of {total} {unit}{of_parent} ({limit} limit)",
}

local RUN = {
  by_lines = "Showing lines {a}-{b} of {total}",
  by_size = "Showing lines {a}-{b} of {total} ({limit} limit)",
  last_line = "Showing last {shown_size} of line {b} (line is {size})",
  first_line = "Showing first {shown_size} of line {a} (line is {size})",
  several = "Showing {shown} of {total|line} ({limit} limit)",
  sizes = "Showing {shown_size} of {total_size} ({limit} limit)",
  items = "Showing {items}, {shown_size} of {total_size} ({limit} limit)",
}

local LISTS = {
  matches = "{count} matches limit reached. Use limit={double} for more, or refine pattern",
  results = "{count} results limit reached. Use limit={double} for more, or refine pattern",
  entries = "{count} entries limit reached. Use limit={double} for more",
  rows = "{count|row} limit reached. Narrow the query with WHERE or LIMIT",
  size = "{limit} limit reached",
  matches_size = "{limit} limit reached ({shown} of {seen}+ matches shown)",
  fetch = "{limit} limit reached ({shown_size} of {total_size} shown). Use offset={next} to continue",
  fetch_unknown = "{limit} limit reached ({shown_size} shown). Use offset={next} to continue",
  fetch_end = "{limit} limit reached ({shown_size} of {total_size} shown)",
  fetch_end_unknown = "{limit} limit reached ({shown_size} shown)",
}

local COMPACT = "Blanks between values removed, {total_size} before"
local LEFT_OUT = "Output of {total_size} left out: this call is at its limit"
local FULL_OUTPUT = "Full output: {full_path}"
local FULL_OUTPUT_PART = "Full output incomplete: first {full_size} in {full_path}, {full_error}"
local FULL_OUTPUT_NONE = "Full output not kept: {full_error}"
local MORE_FAILURES = "{more_failures|more failure} not shown"
local LOOK_INTO = "Use {tools} on it" -- the full output
local LINES_CUT = "Some lines truncated to {line_chars} chars"
local SEE_LINES = "Use {read} tool to see full lines"
local FETCHED = "Only the first {fetched} were fetched"
local UNREAD = "Not all could be searched: {unread}"
local CHANGED = "File changed since the last page"
local ROUNDED = "Integers from 2^53 on are rounded here. CAST them AS TEXT to see every digit"
local BACKGROUND = "A background process still holds the output"

-- the items of a cut -----------------------------------------------------------

--- How many parts of something show: "164 of 276 elements of /items".
local function counted(item, kept)
  local template = ("{kept} of {total|%s}"):format(item.unit:sub(1, -2))
  return sentences.fill(template, { kept = kept, total = item.total }) .. sentences.of_pointer(item.of)
end

--- Of a diff its files and its hunks, which a diff of no hunks lacks; a diff of several commits has these before.
local function of_diff(items)
  local at = rawget(items, 1).unit == "commits" and 2 or 1
  local files = rawget(items, at)
  if files and files.unit == "files" then return files, rawget(items, at + 1) end
end

--- The items that a notice tells of, as words: the largest, or the hunks and files of a diff.
local function items_shown(items)
  local files, hunks = of_diff(items)
  if hunks then return counted(hunks, hunks.kept) .. " in " .. counted(files, files.kept) end
  local first = files or rawget(items, 1)
  return counted(first, first.kept)
end

--- The widest words for any cut of the same text: of JSON, another of its items may be the largest.
local function widest_items(items)
  local files, hunks = of_diff(items)
  if files then return (hunks and counted(hunks, hunks.total) .. " in " or "") .. counted(files, files.total) end
  local widest = ""
  for _, item in ipairs(check.list(items)) do
    local words = counted(item, item.total)
    if #words > #widest then widest = words end
  end
  return widest
end

--- Is a cut told by its items?
local function has_items(cut)
  return cut.items ~= nil and rawget(cut.items, 1) ~= nil
end

-- sentences ----------------------------------------------------------------------

---@class (exact) abridge.ToolNames Names of a host's own tools in notices; false: it has none.
---@field shell? string|false
---@field read? string|false
---@field search? string|false

---@class (exact) abridge.NoticeData Data of a notice besides the cut.
--- the names by which the model knows a shell tool, one that reads files and one that searches them; nil: it has none
---@field shell? string
---@field read? string
---@field search? string
---@field no_hint? boolean do not say how to look into the full output
---@field path? string the file that was read; it is quoted for the shell
---@field offset? integer first line asked for, that of a page unless set; first char shown of it
---@field column? integer
---@field limit? integer the caller's own limit, in lines
---@field total_lines? integer total lines of the file; the cut's unless set
---@field next? integer place to continue; as the page says unless set
---@field next_column? integer
--- `"matches"`, `"results"`, `"entries"` or `"rows"`: the limit of items that was reached, and its value
---@field reached? "matches"|"results"|"entries"|"rows"
---@field count? integer
---@field shown? integer matches shown and seen (`search_files`)
---@field seen? integer
---@field unknown_total? boolean the size of the source is unknown: leaves out the total
---@field no_resume? boolean there is no way to go on (`web_fetch`)
---@field fetched? integer adds `Only the first 8MB were fetched` (`web_fetch`)
--- adds `Some lines truncated to 500 chars`, and by `read` `. Use read_file tool to see full lines`
---@field lines_truncated? boolean
---@field max_line_chars? integer
---@field more_failures? integer adds `3 more failures not shown`, in place of those by `cut.failures`
---@field unread? string adds `Not all could be searched: {unread}`: files that ripgrep could not read, on one line
---@field changed? boolean adds `File changed since the last page`
---@field background? boolean adds `A background process still holds the output`
---@field rounded? boolean an integer of a row was too large for the numbers of this Lua (`sql_query`)
---@field told? boolean a marker in the text tells of the cut, so no sentence does
---@field resume? string a sentence with `{next}` or `{next0}` in place of `Use offset=...`
---@field next_most? integer bytes that `next_pointer` may have in another cut of the same page of JSON
---@field no_path? boolean leave out the path of the full output

--- Failures that a cut by priority left out.
local function failures_left_out(cut)
  return cut.failures and cut.failures.found - cut.failures.kept or 0
end

--- The elements that a page of JSON shows, counted from 0; nil for other cuts.
local function elements_of(cut)
  local item = cut.items and cut.items[1]
  return item and item.first and item
end

--- Values for the templates of a page of JSON.
local function add_elements(values, cut)
  local item = elements_of(cut)
  if not item then return values end
  values.unit, values.of_parent = item.unit, item.of ~= "" and " of " .. item.of or ""
  values.total, values.a, values.b = item.total, item.first, item.first + item.kept - 1
  values.next_pointer = cut.next_pointer
  return values
end

--- Values for the templates, from a cut and its data.
local function values_of(cut, data)
  local unit = cut.truncated_by or "bytes"
  local budget = cut["max_" .. unit] or 0
  local first = data.offset or 1
  local total = data.total_lines or cut.total_lines
  local ranges, first_range = ledger.ranges(cut)
  local single = ranges == 1 and first_range
  local from_end = not data.next and (cut.strategy == "tail" or (single and single.first_byte > 1 and not data.offset))
  local a = from_end and total - cut.output_lines + 1 or first
  local last = a + cut.output_lines - 1
  local column = data.column or 1
  local values = {
    a = a,
    b = from_end and total or last,
    total = total,
    next = data.next or (ranges > 1 and first - 1 + first_range.last_line or last) + 1,
    rest = total - last,
    shown = data.shown or cut.output_lines,
    seen = data.seen,
    count = data.count,
    double = data.count and math.max(data.count * 2, 1),
    limit = M.limit(unit, budget),
    bytes = budget,
    size = core.format_size(cut.line_bytes or 0),
    shown_size = core.format_size(cut.shown_bytes or cut.output_bytes),
    total_size = core.format_size(cut.total_bytes),
    first_char = column,
    last_char = data.next_column and data.next_column - 1 or column,
    column = data.next_column or column,
    shell = data.shell,
    read = data.read,
    tools = data.read and data.search and data.read .. " or " .. data.search or data.read or data.search,
    path = data.path and sentences.quoted(data.path),
    line_chars = data.max_line_chars,
    fetched = data.fetched and core.format_size(data.fetched),
    unread = data.unread and sentences.path(data.unread),
    more_failures = data.more_failures or failures_left_out(cut),
    full_path = cut.full_output_path and sentences.path(cut.full_output_path),
    full_size = cut.full_output_bytes and core.format_size(cut.full_output_bytes),
    full_error = cut.full_output_error,
    items = has_items(cut) and items_shown(cut.items) or nil,
  }
  return add_elements(values, cut)
end

--- The widest values that the numbers of a cut of this text can take.
local function widest_values(cut, data)
  local values = values_of(cut, data)
  local lines = math.max(values.total + 1, values.next or 0)
  for _, name in ipairs { "a", "b", "next", "rest", "shown" } do
    values[name] = math.max(lines, values[name] or 0)
  end
  if elements_of(cut) then
    values.a, values.b = values.total, values.total
    values.next_pointer = ("x"):rep(data.next_most or #(cut.next_pointer or ""))
  end
  for _, name in ipairs { "first_char", "last_char", "column" } do
    values[name] = (data.column or 1) + cut.total_bytes
  end
  local failures = math.max(values.more_failures, cut.failures and cut.failures.found or 0)
  values.more_failures = failures == 1 and 2 or failures -- the plural is the wider one
  for _, name in ipairs { "size", "shown_size", "full_size" } do
    values[name] = "1023.9KB"
  end
  if has_items(cut) then values.items = widest_items(cut.items) end
  return values
end

--- Is everything left out inside lines that show in part? Then numbers of lines would not tell.
local function is_inside_lines(cut, data)
  local line = data.total_lines and 0 or (data.offset or 1) - 1 -- the last one shown
  local ranges = check.list(cut.kept or {})
  for _, range in ipairs(ranges) do
    if range.first_line > line + 1 then return false end
    line = range.last_line
  end
  return ranges[1] ~= nil and line == cut.total_lines
end

--- Did a budget cut, and does nothing in the text say so? Limits of items have sentences of their own.
local function is_untold(cut, data)
  return cut.truncated and cut.truncated_by and cut.kind ~= "binary" and not data.told
end

--- Is nothing left out but blanks, which no other sentence tells?
local function is_compact(cut, data)
  return cut.compact and not cut.truncated and not data.told
end

local function run_templates(cut, data)
  if is_compact(cut, data) then return { COMPACT } end
  if not is_untold(cut, data) then return {} end
  if has_items(cut) then return { RUN.items } end
  local ranges, single = ledger.ranges(cut)
  if ranges == 1 and cut.last_line_partial and cut.output_lines == 1 and cut.line_bytes then
    return { single.first_byte > 1 and RUN.last_line or RUN.first_line }
  end
  if is_inside_lines(cut, data) then return { RUN.sizes } end
  if ranges ~= 1 then return { RUN.several } end
  return { cut.truncated_by == "lines" and RUN.by_lines or RUN.by_size }
end

local function read_templates(cut, data)
  local by_lines = cut.truncated_by == "lines"
  if is_compact(cut, data) then return { COMPACT } end
  if not is_untold(cut, data) then return {} end
  local elements = elements_of(cut)
  if elements then return { cut.next_pointer and JSON.some or elements.kept > 0 and JSON.last or JSON.nothing } end
  local ranges = ledger.ranges(cut)
  local one = ranges <= 1
  local from_start = one and (cut.strategy == "head" or data.next)
  if by_lines and from_start and data.limit and data.limit == cut.max_lines then return { READ.rest } end
  if cut.strategy == "tail" then return run_templates(cut, data) end -- nowhere to continue
  if data.next_column and data.next_column > 1 then
    if ranges == 1 and cut.output_lines == 1 then return { READ.chars } end
    return { is_inside_lines(cut, data) and READ.sizes_chars or READ.several_chars }
  end
  if cut.first_line_exceeds_limit then
    if not data.shell then return { READ.nothing } end
    return { (data.offset or 1) == 1 and READ.first_line or READ.line }
  end
  if cut.output_lines == 0 then return { READ.nothing } end
  if one and cut.last_line_partial and cut.output_lines == 1 and cut.line_bytes then
    return { cut.total_lines > 1 and READ.part or RUN.first_line }
  end
  if is_inside_lines(cut, data) then return { RUN.sizes } end
  if not one then return { READ.several } end
  return { by_lines and READ.by_lines or READ.by_size }
end

local function list_templates(cut, data, by_size)
  local all = {}
  if data.reached then all[1] = LISTS[data.reached] end
  if is_compact(cut, data) then all[#all + 1] = COMPACT end
  if is_untold(cut, data) then all[#all + 1] = by_size end
  return all
end

--- The templates that fit a cut of each tool's output.
local TOOLS = {
  read_file = { choose = read_templates },
  run_command = { choose = run_templates, full_output = true },
  search_files = {
    choose = function(cut, data)
      return list_templates(cut, data, data.seen and LISTS.matches_size or LISTS.size)
    end,
  },
  find_files = {
    choose = function(cut, data)
      return list_templates(cut, data, LISTS.size)
    end,
  },
  list_directory = {
    choose = function(cut, data)
      return list_templates(cut, data, LISTS.size)
    end,
  },
  sql_query = {
    choose = function(cut, data)
      return list_templates(cut, data, LISTS.size)
    end,
  },
  web_fetch = {
    by_bytes = true,
    choose = function(cut, data)
      local kind = data.no_resume and "fetch_end" or "fetch"
      return list_templates(cut, data, LISTS[data.unknown_total and kind .. "_unknown" or kind])
    end,
  },
}

--- The place of the full output, and how to look into it.
local function add_full_output(parts, cut, data, values)
  parts[#parts + 1] = sentences.fill(cut.full_output_error and FULL_OUTPUT_PART or FULL_OUTPUT, values)
  if data.no_hint or not values.tools or cut.full_output_error or cut.kind == "binary" then return end
  if values.full_path == cut.full_output_path then parts[#parts + 1] = sentences.fill(LOOK_INTO, values) end
end

--- Add the sentences in the bracket after the one on the cut itself.
local function add_remarks(parts, tool, cut, data, values)
  if tool.full_output and cut.truncated and cut.full_output_path and not data.no_path then
    add_full_output(parts, cut, data, values)
  end
  if tool.full_output and cut.truncated and cut.full_output_error and not cut.full_output_path then
    parts[#parts + 1] = sentences.fill(FULL_OUTPUT_NONE, values)
  end
  if cut.truncated and values.more_failures > 0 then parts[#parts + 1] = sentences.fill(MORE_FAILURES, values) end
  if data.lines_truncated then
    parts[#parts + 1] = sentences.fill(LINES_CUT, values)
    if data.read then parts[#parts + 1] = sentences.fill(SEE_LINES, values) end
  end
  if data.fetched then parts[#parts + 1] = sentences.fill(FETCHED, values) end
  if data.unread then parts[#parts + 1] = sentences.fill(UNREAD, values) end
  if data.changed then parts[#parts + 1] = CHANGED end
  if data.rounded then parts[#parts + 1] = ROUNDED end
  if data.background then parts[#parts + 1] = BACKGROUND end
end

local function bracket(parts)
  return #parts > 0 and "[" .. table.concat(parts, ". ") .. "]" or nil
end

--- Is this a sentence that can replace "Use offset=... to continue"?
---@param value any
---@return string|nil expected
function M.check_resume(value)
  local known = type(value) == "string" and (value:find("{next}", 1, true) or value:find("{next0}", 1, true))
  if not known then return "a sentence with {next} or {next0} in it" end
end

local NAMES = { shell = true, read = true, search = true }

--- Are these names of a host's tools? false: it has no such tool.
---@param value any
---@return string|nil expected
function M.check_tool_names(value)
  if type(value) ~= "table" then return "a table" end
  for key, name in next, value do
    local is_name = type(name) == "string" and name ~= "" or name == false
    if not (NAMES[key] and is_name) then
      return ("names (or false) for shell, read and search, not %s = %s"):format(check.name(key), check.show(name))
    end
  end
end

--- A host's own sentence on how to continue: {next} counts lines from 1, {next0} from 0.
---@param sentence string
---@param next_line integer
---@return string
function M.resume(sentence, next_line)
  return sentences.fill(sentence, { next = next_line, next0 = next_line - 1 })
end

--- A template without the size of the source, which is unknown.
local function unknown_total(template)
  template = template:gsub(" of {total}", ""):gsub("} of {total|", "|"):gsub("of {total|line}", "lines")
  return (template:gsub(" of {total_size}", ""))
end

local function said(template, data, values)
  local ours = template:find("Use offset=", 1, true)
  local resumed = ours and data.resume and M.resume(data.resume, values.next)
  if resumed then template = template:sub(1, ours - 1) end
  if data.unknown_total then template = unknown_total(template) end
  return sentences.fill(template, values) .. (resumed or "")
end

--- If offsets count bytes, the place to continue is the byte after the part shown from the start; there may be none.
local function with_next_byte(cut, data)
  if data.next or data.no_resume then return data end
  local _, first = ledger.ranges(cut)
  local next_byte = first and first.first_byte == (data.offset or 1) and first.last_byte + 1 or nil
  return setmetatable({ next = next_byte, no_resume = not next_byte or nil }, { __index = data })
end

--- The ledger of a page has its start, and the place to go on.
local function with_page(cut, data)
  if not cut.first_line then return data end
  local page = { changed = data.changed }
  if data.changed == nil then page.changed = cut.changed end
  page.next, page.next_column = data.next or cut.next_offset, data.next_column or cut.next_column
  page.column = data.column or cut.column
  if cut.strategy ~= "tail" or page.next then page.offset = data.offset or cut.first_line end
  return setmetatable(page, { __index = data })
end

local function composed(tool, cut, data, numbers)
  local kind = TOOLS[tool]
  local is_page = kind and kind.by_bytes and not cut.kind -- a body cut by its kind has no next byte
  if not kind or kind.by_bytes and not is_page then kind = TOOLS.run_command end
  if kind.by_bytes then data = with_next_byte(cut, data) end
  data = with_page(cut, data)
  local values = numbers(cut, data)
  local parts = {}
  for _, template in ipairs(kind.choose(cut, data)) do
    parts[#parts + 1] = said(template, data, values)
  end
  add_remarks(parts, kind, cut, data, values)
  return bracket(parts)
end

local DATA = {
  shell = "string",
  read = "string",
  search = "string",
  path = "string",
  resume = "string",
  reached = "string",
  offset = "number",
  column = "number",
  limit = "number",
  total_lines = "number",
  next = "number",
  next_column = "number",
  next_most = "number",
  count = "number",
  shown = "number",
  seen = "number",
  fetched = "number",
  more_failures = "number",
  max_line_chars = "number",
}
local REACHED = { matches = true, results = true, entries = true, rows = true }

--- The notice after a tool's content, or nil when there is nothing to say. Pure: same data, same bytes.
---@param tool string the tool's own name; those without a row of their own read as "run_command"
---@param cut abridge.Cut
---@param data? abridge.NoticeData
---@return string|nil notice
function M.notice(tool, cut, data)
  ledger.check("abridge.notice", cut)
  check.fields("abridge.notice", "data", data or {}, DATA, 1)
  if data and data.reached ~= nil and not REACHED[data.reached] then
    local wanted = '"matches", "results", "entries" or "rows"'
    check.fail(("abridge.notice: data.reached must be %s, got %s"):format(wanted, check.show(data.reached)))
  end
  return composed(tool, cut, data or {}, values_of)
end

--- The same notice with every number at full width: as long as that of any cut of this text that needs the same
--- sentences, or longer.
---@param tool string
---@param cut abridge.Cut
---@param data? abridge.NoticeData
---@return string|nil
function M.widest(tool, cut, data)
  return composed(tool, cut, data or {}, widest_values)
end

local LINES_TRUNCATED = " lines truncated%] %.%.%."
local IN_ARTIFACTS = " lines truncated \226\128\148 full output available in artifacts] ..."

--- The text of a pipeline with indicators: if its full output is kept, its marker says so too. The markers' places in
--- the ledger move along.
---@param body string
---@param cut abridge.Cut
---@return string
function M.indicated(body, cut)
  if not cut.full_output_path or cut.full_output_error then return body end
  local moved = 0
  for _, marker in ipairs(check.list(cut.markers or {})) do
    marker.first_byte, marker.last_byte = marker.first_byte + moved, marker.last_byte + moved
    local text, found = body:sub(marker.first_byte, marker.last_byte):gsub(LINES_TRUNCATED, IN_ARTIFACTS)
    if found > 0 then
      body = body:sub(1, marker.first_byte - 1) .. text .. body:sub(marker.last_byte + 1)
      moved = moved + #text - (marker.last_byte - marker.first_byte + 1)
      marker.last_byte = marker.first_byte + #text - 1
    end
  end
  return body
end

--- The replacement of a whole output.
---@param cut abridge.Cut
---@param names abridge.NoticeData
---@return string
function M.left_out(cut, names)
  local values = values_of(cut, names)
  local parts = { sentences.fill(LEFT_OUT, values) }
  add_remarks(parts, TOOLS.run_command, cut, names, values)
  return bracket(parts)
end

--- The replacement of a result's structured content.
---@param bytes integer|nil as JSON; nil: it has no JSON
---@param cut abridge.Cut|nil that kept none of it, with the facts of its full output
---@param names abridge.NoticeData
---@return string
function M.structured(bytes, cut, names)
  local size = bytes and (" (%s)"):format(core.format_size(bytes)) or ""
  local parts = { sentences.fill("Structured content{size} left out", { size = size }) }
  if cut then add_remarks(parts, TOOLS.run_command, cut, names, values_of(cut, names)) end
  return bracket(parts)
end

return M
