--- Pages that do not show a file as it is: redacted, or line by line with numbers, or with long lines cut short. They
--- go through a stream, in bounded memory, and the cut of what is shown is told in places of the source. The source is
--- the redacted file; numbers and "[truncated]" are no part of it.

local core = require "abridge.core"
local data_of = require "abridge.data"
local notice = require "abridge.notice"

local M = {}

local BLOCK = 256 * 1024
local BYTES_PER_CHAR, BYTES_PER_TOKEN = 4, 16
local LINES_ONLY = 1024 * 1024 -- bytes that a stream keeps which is limited in lines alone

--- Bytes that are surely over the budget of a stream.
local function more_than_fits(opts)
  local chars = opts.max_chars and opts.max_chars * BYTES_PER_CHAR
  local tokens = opts.max_tokens and opts.max_tokens * BYTES_PER_TOKEN
  return (opts.max_bytes or chars or tokens or LINES_ONLY) + 8
end

-- lines as they are shown ------------------------------------------------------------------

--- Writes lines as they are shown, and keeps in mind where each one ends, as shown and in the source.
---@class abridge.LineFeed
---@field count integer lines that are at their end
---@field shown integer bytes shown
---@field source integer bytes of the source they stand for
---@field lines_truncated? true
local Feed = {}
Feed.__index = Feed

local function new_feed(stream, first_line, how, most)
  local self = { stream = stream, first_line = first_line, most = most, count = 0, shown = 0, source = 0 }
  self.numbered, self.max_line_chars = how.line_numbers, how.max_line_chars
  self.shown_ends, self.source_ends, self.bodies = { [0] = 0 }, { [0] = 0 }, {}
  return setmetatable(self, Feed)
end

function Feed:show(text)
  self.stream:write(text)
  self.shown = self.shown + #text
end

--- What stands in front of line i of the page.
function Feed:prefix(i)
  return self.numbered and notice.line_number(self.first_line + i - 1) or ""
end

--- Take a part of a line.
function Feed:part(text)
  if not self.open then
    self.open, self.held = true, ""
    self:show(self:prefix(self.count + 1))
  end
  self.source = self.source + #text
  if not self.max_line_chars then return self:show(text) end
  -- so many bytes tell whether the line is too long, and what of it shows
  local enough = (self.max_line_chars + 1) * BYTES_PER_CHAR
  if #self.held < enough then self.held = self.held .. text:sub(1, enough - #self.held) end
end

function Feed:end_line(newline)
  self:part ""
  if self.max_line_chars then
    local shown, was_cut = core.line(self.held, self.max_line_chars)
    if was_cut then
      self.bodies[self.count + 1] = core.find_char(self.held, self.max_line_chars + 1) - 1
      self.lines_truncated = true
    end
    self:show(shown)
  end
  self:show(newline)
  self.source = self.source + #newline
  self.count, self.open = self.count + 1, false
  self.shown_ends[self.count], self.source_ends[self.count] = self.shown, self.source
end

--- Take a part of the source; nothing any more once more is shown than fits.
function Feed:write(text)
  local at = 1
  while self.shown <= self.most do
    local newline = text:find("\n", at, true)
    if not newline then
      if at <= #text then self:part(text:sub(at)) end
      return
    end
    self:part(text:sub(at, newline - 1))
    self:end_line "\n"
    at = newline + 1
  end
end

function Feed:full()
  return self.shown > self.most
end

function Feed:finish()
  if self.open then self:end_line "" end
end

--- Bytes of the source behind which a cut goes on, and whether that is inside a line. A line that shows to its
--- "[truncated]" counts as shown.
function Feed:source_end(cut)
  local range, n = cut.kept[1], cut.kept[1].last_line
  if not cut.last_line_partial then return self.source_ends[n] - (self.shown_ends[n] - range.last_byte), false end
  local body = math.max(range.last_byte - self.shown_ends[n - 1] - #self:prefix(n), 0)
  if self.bodies[n] and body >= self.bodies[n] then return self.source_ends[n] - 1, false end
  return self.source_ends[n - 1] + body, true
end

-- where a page of a redacted file starts -------------------------------------------------------

--- Bytes at the end of a text that may be the start of a sequence.
local function open_bytes(text)
  local open = text:match "[\194-\244][\128-\191]?[\128-\191]?$"
  return open and #open or 0
end

--- Drops what comes before the page.
---@class abridge.Skip
---@field bytes integer dropped so far
---@field lines integer still to drop
---@field chars integer still to drop of the line
local Skip = {}
Skip.__index = Skip

function Skip:drop(text, n)
  self.bytes = self.bytes + n
  return text:sub(n + 1)
end

local function newlines_in(text)
  return core.count_lines(text) - (text ~= "" and text:sub(-1) ~= "\n" and 1 or 0)
end

--- What of a part belongs to the page; `last` says that nothing follows.
function Skip:rest(text, last)
  if self.lines > 0 then
    local newlines = newlines_in(text)
    if newlines < self.lines then
      self.lines = self.lines - newlines
      return self:drop(text, #text)
    end
    local start = core.find_line(text, self.lines + 1) or #text + 1
    self.lines = 0
    text = self:drop(text, start - 1)
  end
  if self.chars == 0 then return text end
  text = self.held .. text
  local line = text:match "^[^\n]*"
  local usable = #line - ((#line < #text or last) and 0 or open_bytes(line))
  local chars = core.count_chars(line:sub(1, usable))
  if chars < self.chars and #line == #text then
    self.chars, self.held = self.chars - chars, line:sub(usable + 1)
    self.bytes = self.bytes + usable
    return ""
  end
  if chars < self.chars then -- the line has fewer
    self.short, self.chars = chars, 0
    return ""
  end
  local start = core.find_char(line, self.chars + 1)
  self.chars, self.held = 0, ""
  return self:drop(text, start - 1)
end

-- views -------------------------------------------------------------------------------------

---@class abridge.PageView A source that a dispatcher cuts.
local View = {}
View.__index = View

--- Where the next page starts, told as the core tells it of a file shown as it is.
local function next_place(self, cut, inside, content)
  if not cut.truncated then return nil end
  if cut.first_line_exceeds_limit then return self.offset, 1 end
  local range = cut.kept[1]
  if not range then return cut.output_lines > 0 and self.offset + cut.output_lines or nil end
  if range.first_byte > 1 then return nil end
  local line = self.offset - 1 + range.last_line
  if not inside then return line + 1 end
  if #cut.kept > 1 then return nil end
  local shown = content:match "[^\n]*$"
  local chars = core.count_chars(shown) - #(self.feed and self.feed:prefix(range.last_line) or "")
  if chars <= 0 then return range.last_line > 1 and line or nil end
  return line, (range.last_line == 1 and self.column or 1) + chars
end

--- Bring the cut of what is shown to places of the source.
function View:tell(content, cut)
  local totals, feed = self.totals, self.feed
  local inside = cut.last_line_partial
  if feed and cut.kept[1] then
    cut.kept[1].last_byte, inside = feed:source_end(cut)
    if cut.kept[1].last_byte == 0 then cut.kept = {} end
    cut.output_bytes = cut.kept[1] and cut.kept[1].last_byte or 0
  end
  cut.next_offset, cut.next_column = next_place(self, cut, inside, content)
  cut.first_line, cut.last_line = self.offset, self.offset + math.max(cut.output_lines, 1) - 1
  data_of.shift(cut, totals.bytes_before, self.offset - 1)
  cut.total_lines, cut.total_bytes = totals.lines, totals.bytes
  cut.omitted_lines, cut.omitted_bytes = cut.total_lines - cut.output_lines, cut.total_bytes - cut.output_bytes
  if cut.max_chars then cut.total_chars, cut.first_char = totals.chars, totals.chars_before + 1 end
  if cut.line_bytes and cut.output_lines <= 1 then cut.line_bytes = totals.first_line or cut.line_bytes end
  cut.lines_truncated = feed and feed.lines_truncated
  cut.version, cut.changed = totals.version, totals.changed or nil
end

---@param narrower? table budgets under those of the page, and `reserve`
---@return string content
---@return abridge.PageCut cut
function View:snapshot(narrower)
  local content, cut = self.stream:snapshot(narrower)
  self:tell(content, cut)
  return content, cut
end

View.finish = View.snapshot

function View:close()
  self.stream:close()
end

-- opening -------------------------------------------------------------------------------------

local KEPT_BACK = { "offset", "column", "limit", "binary", "index", "version" }

--- Options of the stream, and of the page that reads for it.
local function split_options(opts)
  local of_stream, of_reader = { full_output = false }, { max_bytes = 0, max_chars = opts.max_chars and 0 }
  for key, value in pairs(opts) do
    of_stream[key] = value
  end
  for _, key in ipairs(KEPT_BACK) do
    of_stream[key], of_reader[key] = nil, opts[key]
  end
  of_reader.limit = nil
  if opts.limit and opts.limit <= (opts.max_lines or math.huge) then of_stream.max_lines = opts.limit end
  if opts.column and of_stream.strategy ~= "pipeline" then of_stream.long_line = "split" end
  return of_stream, of_reader
end

--- Read a page to its end, or until `visit` returns false.
local function each_block(page, visit)
  local at = 0
  while true do
    local block, code, detail = page:read(at, BLOCK)
    if not block then return nil, code, detail end
    if block == "" or visit(block) == false then return true end
    at = at + #block
  end
end

--- The file as it is, from the page's start on.
local function feed_plain(self, page)
  local _, cut = page:snapshot()
  local about = page:about()
  local chars_before = (cut.first_char or 1) - 1
  self.totals = {
    bytes_before = about.first_byte - 1,
    lines = about.total_lines,
    bytes = about.total_bytes,
    chars_before = chars_before,
    chars = cut.total_chars,
    first_line = cut.line_bytes,
  }
  local ok, code, detail = each_block(page, function(block)
    self.feed:write(block)
    return not self.feed:full()
  end)
  if ok then self.feed:finish() end
  return ok, code, detail
end

--- The redacted file: read from its start, as its lines and chars are those of the redacted text.
local function feed_redacted(self, page, redaction)
  local skip = setmetatable({ bytes = 0, lines = self.offset - 1, chars = self.column - 1, held = "" }, Skip)
  local totals = { bytes = 0, lines = 0, chars = 0, chars_before = 0 }
  local to = self.feed or self.stream
  local ends_line = true
  local function take(text, last)
    totals.bytes, totals.lines = totals.bytes + #text, totals.lines + newlines_in(text)
    if text ~= "" then ends_line = text:sub(-1) == "\n" end
    local rest = skip:rest(text, last)
    if rest ~= "" then to:write(rest) end
  end
  local ok, code, detail = each_block(page, function(block)
    take(redaction:feed(block))
  end)
  if not ok then return nil, code, detail end
  take(redaction:finish(), true)
  totals.lines = totals.lines + (ends_line and 0 or 1)
  totals.bytes_before = skip.bytes
  self.totals = totals
  if self.offset > math.max(totals.lines, 1) then return nil, "EOFFSET", totals.lines end
  if skip.short or skip.chars > 0 then return nil, "ECOLUMN", skip.short or self.column - 1 - skip.chars end
  if self.feed then self.feed:finish() end
  return true
end

--- Open a view of a file or text.
---@param open fun(source: string, opts: table): userdata|nil, string|nil, any core.page or core.page_text
---@param source string
---@param opts table as for `open`
---@param how { line_numbers: boolean|nil, max_line_chars: integer|nil, redactor: abridge.Redactor|nil }
---@return abridge.PageView|nil
---@return string|nil code
---@return any detail as the core's
function M.open(open, source, opts, how)
  local of_stream, of_reader = split_options(opts)
  local self = setmetatable({ offset = opts.offset or 1, column = opts.column or 1 }, View)
  if how.redactor then of_reader.offset, of_reader.column, of_reader.max_chars = nil, nil, nil end
  local page, code, detail = open(source, of_reader)
  if not page then return nil, code, detail end
  self.stream = core.stream(of_stream)
  if how.line_numbers or how.max_line_chars then
    self.feed = new_feed(self.stream, self.offset, how, more_than_fits(of_stream))
  end
  local ok
  if how.redactor then
    ok, code, detail = feed_redacted(self, page, how.redactor:stream())
  else
    ok, code, detail = feed_plain(self, page)
  end
  if ok then
    local about = page:about()
    self.totals.version, self.totals.changed = about.version ~= "" and about.version or nil, about.changed
  end
  page:close()
  if ok then return self end
  self:close()
  return nil, code, detail
end

return M
