--- A page of a text: the part from a line (and a char in it) on, cut by limits, with the ledger in the coordinates
--- of the whole text and with the place where the next page starts.

local core = require "abridge.core"
local data_of = require "abridge.data"
local info = require "abridge.info"
local limits_of = require "abridge.limits"

local M = {}

local NEWLINE = 10

---@class (exact) abridge.Page
---@field text string what is left of the text from the offset on
---@field limits abridge.Limits those given, narrowed by the caller's own limit
---@field data abridge.NoticeData filled by `adjust`
---@field adjust fun(cut: abridge.Cut) bring a cut of `text` to the coordinates of the whole

--- Cut short each line that is over `max_chars`, of as many lines as a page can show.
local function shorten_lines(text, max_chars, max_lines)
  local beyond = max_lines and core.find_line(text, max_lines + 2)
  if beyond then text = text:sub(1, beyond - 1) end
  local any = false
  local short = text:gsub("[^\n]+", function(line)
    if #line <= max_chars then return nil end
    local shown, was_cut = core.line(line, max_chars)
    any = any or was_cut
    return shown
  end)
  return short, any
end

--- Bring the ledger of shortened lines to the source: whole lines are whole there, and of a line that was split no
--- more is kept than was not shortened away.
local function to_source(cut, rest, max_line_chars)
  local after = core.find_line(rest, cut.output_lines + 1)
  local kept = cut.truncated and after and after - 2 or #rest
  if cut.output_lines == 0 then
    kept = 0
  elseif cut.last_line_partial then
    local line = rest:match "^[^\n]*"
    kept = math.min(cut.output_bytes, (core.find_char(line, max_line_chars + 1) or #line + 1) - 1)
  end
  cut.output_bytes = kept
  cut.kept = kept > 0
      and { { first_byte = 1, last_byte = kept, first_line = 1, last_line = cut.output_lines } }
    or {}
end

--- Where the page after this one starts: a line, and a char in it when what is shown ends inside that line. Nothing
--- where what was left out lies before what is shown.
local function next_place(cut, at, text, start)
  if cut.first_line_exceeds_limit then return at.offset, at.column or 1 end
  local shown = cut.kept[1]
  if not shown then return at.offset + cut.output_lines end
  if shown.first_byte > start then return nil end
  local last = text:byte(shown.last_byte)
  local behind = text:byte(shown.last_byte + 1)
  if last ~= NEWLINE and behind and behind ~= NEWLINE then
    local line = core.find_line(text, shown.last_line)
    return shown.last_line, core.count_chars(text:sub(line, shown.last_byte)) + 1
  end
  return #cut.kept > 1 and shown.last_line + 1 or at.offset + cut.output_lines
end

--- Byte of the text where a page starts, or nil and the code and data of the message that says why not.
local function start_of(text, at, total_lines)
  if at.offset == 1 and text == "" and (at.column or 1) == 1 then return 1 end
  local start = core.find_line(text, at.offset)
  if not start then return nil, "EOFFSET", { offset = at.offset, total = total_lines } end
  if not at.column then return start end
  local line = text:match("^[^\n]*", start)
  local char = core.find_char(line, at.column)
  if not char then
    return nil, "ECOLUMN", { column = at.column, offset = at.offset, total = (core.count_chars(line)) }
  end
  return start + char - 1
end

--- Plan a page.
---@param text string
---@param at { offset: integer, column: integer|nil, limit: integer|nil }
---@param limits abridge.Limits
---@param data abridge.NoticeData what the notice needs beside the page: names, path
---@return abridge.Page|nil page
---@return string|nil code EOFFSET or ECOLUMN
---@return table|nil values for the message of that code
function M.plan(text, at, limits, data)
  local total_lines = core.count_lines(text)
  local start, code, values = start_of(text, at, total_lines)
  if not start then return nil, code, values end

  local rest = start == 1 and text or text:sub(start)
  local own = limits_of.copy(limits)
  if at.limit and at.limit <= (limits.max_lines or math.huge) then own.max_lines = at.limit end
  if at.column or not data.shell then own.long_line = "split" end
  if own.strategy == "pipeline" then own.long_line = nil end

  local shown, lines_truncated = rest, nil
  if limits.max_line_chars then
    shown, lines_truncated = shorten_lines(rest, limits.max_line_chars, own.max_lines)
  end
  data.offset, data.column, data.limit = at.offset, at.column, at.limit
  data.total_lines = total_lines
  data.lines_truncated, data.max_line_chars = lines_truncated or nil, limits.max_line_chars

  local function adjust(cut)
    if shown ~= rest then to_source(cut, rest, limits.max_line_chars) end
    data_of.shift(cut, start - 1, at.offset - 1)
    cut.total_lines, cut.total_bytes = total_lines, #text
    cut.omitted_lines, cut.omitted_bytes = total_lines - cut.output_lines, #text - cut.output_bytes
    if cut.total_chars then
      cut.total_chars = core.count_chars(text)
      cut.first_char = core.count_chars(text:sub(1, start - 1)) + 1
    end
    cut.first_line = at.offset
    cut.last_line = at.offset + math.max(cut.output_lines, 1) - 1
    if cut.truncated then
      cut.next_offset, cut.next_column = next_place(cut, at, text, start)
    end
    data.next, data.next_column = cut.next_offset, cut.next_column
  end

  return { text = shown, limits = own, data = data, adjust = adjust }
end

--- The first page of a text that is no file at hand: a line over budget is split, as no command can show the rest.
---@param text string
---@param limits abridge.Limits
---@param data abridge.NoticeData
---@return abridge.Page
function M.first(text, limits, data)
  data.shell = nil
  return assert(M.plan(text, { offset = 1 }, limits, data))
end

--- The block of a page that can be gone on from, or nil.
---@param cut abridge.Cut
---@param body string
---@param hint string
---@return abridge.Info|nil
function M.block(cut, body, hint)
  if not cut.truncated or not cut.next_offset then return nil end
  local reason = cut.truncated_by == "lines" and "line_cap" or "size_cap"
  return info.with_resume(#body, cut.total_bytes, cut.next_offset, hint, reason)
end

return M
