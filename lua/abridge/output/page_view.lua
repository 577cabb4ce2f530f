--- Pages that do not show a file as it is: redacted, with line numbers, or with long lines cut short. They go through a
--- stream, in bounded memory, and the cut of the shown text is described by places in the source. The source is the
--- redacted file; numbers and "[truncated]" are not part of it.

local core = require "abridge.base.core_loader"
local ledger = require "abridge.base.ledger"
local strings = require "abridge.base.strings"
local time_slices = require "abridge.base.time_slices"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"

local M = {}

local BLOCK = 64 * 1024

--- More bytes than the budget of a stream allows.
local function more_than_fits(opts)
  local chars = opts.max_chars and opts.max_chars * limit.bytes_per_char
  local tokens = opts.max_tokens and opts.max_tokens * limit.bytes_per_token
  local lines = opts.strategy == "pipeline" and limit.bytes_of_lines * limit.bytes_per_char or limit.bytes_of_lines
  return (opts.max_bytes or chars or tokens or lines) + 8
end

-- chars of a text in parts ------------------------------------------------------------------

--- Bytes at the end of a text that may start a sequence.
local function open_bytes(text)
  local open = text:sub(-3):match "[\194-\244][\128-\191]?[\128-\191]?$"
  return open and #open or 0
end

---@class abridge.CharCounter
---@field chars integer
---@field held string bytes that may continue in the next part
local Counter = {}
Counter.__index = Counter

local function new_counter()
  return setmetatable({ chars = 0, held = "" }, Counter)
end

--- Count the next part.
function Counter:add(text)
  if self.held ~= "" then text = self.held .. text end
  local open = open_bytes(text)
  self.held = open > 0 and text:sub(-open) or ""
  self.chars = self.chars + core.count_chars(open > 0 and text:sub(1, -open - 1) or text)
end

--- The chars of all parts, as if the text ended here.
function Counter:total()
  return self.chars + core.count_chars(self.held)
end

-- lines as they are shown ------------------------------------------------------------------

--- Writes lines as they are shown, and remembers the end of each, as shown and in the source.
---@class abridge.LineFeed
---@field count integer lines that have ended
---@field shown integer bytes shown
---@field source integer bytes of the source they stand for
---@field first_cut? integer the first line that max_line_chars cut short
local Feed = {}
Feed.__index = Feed

local function new_feed(stream, first_line, how, opts)
  local self = { stream = stream, first_line = first_line, most = more_than_fits(opts) }
  self.count, self.shown, self.source = 0, 0, 0
  self.numbered, self.max_line_chars = how.line_numbers, how.max_line_chars
  self.shown_ends, self.source_ends, self.bodies = { [0] = 0 }, { [0] = 0 }, {}
  if opts.max_chars then
    self.counter, self.char_ends = new_counter(), { [0] = 0 }
  end
  return setmetatable(self, Feed)
end

--- Write a text to the stream.
function Feed:show(text)
  self.stream:write(text)
  self.shown = self.shown + #text
end

--- The text before line i of the page.
function Feed:prefix(i)
  return self.numbered and sentences.line_number(self.first_line + i - 1) or ""
end

--- Take a part of a line.
function Feed:part(text)
  if not self.open then
    self.open, self.held = true, ""
    self:show(self:prefix(self.count + 1))
  end
  self.source = self.source + #text
  if self.counter then self.counter:add(text) end
  if not self.max_line_chars then return self:show(text) end
  -- this many bytes tell whether the line is too long, and have the part that shows
  local enough = (self.max_line_chars + 1) * limit.bytes_per_char
  if #self.held < enough then self.held = self.held .. text:sub(1, enough - #self.held) end
end

--- End a line, with a newline or at the end of the file.
function Feed:end_line(newline)
  self:part ""
  local line = self.count + 1
  if self.max_line_chars then
    local shown, was_cut = core.line(self.held, self.max_line_chars)
    if was_cut then
      self.bodies[line] = core.find_char(self.held, self.max_line_chars + 1) - 1
      self.first_cut = self.first_cut or line
    end
    self:show(shown)
  end
  self:show(newline)
  self.source = self.source + #newline
  self.count, self.open = line, false
  self.shown_ends[line], self.source_ends[line] = self.shown, self.source
  if self.counter then
    self.counter:add(newline)
    self.char_ends[line] = self.counter:total()
  end
  self.unended = newline == ""
end

--- Take a part of the source; it is ignored once more is shown than fits.
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

--- Is more shown than fits?
function Feed:full()
  return self.shown > self.most
end

--- The end of the source.
function Feed:finish()
  if self.open then self:end_line "" end
end

--- Bytes of the source after which the next page starts, and whether that is inside a line; if not, also its chars, if
--- they are counted. A line that shows up to its "[truncated]" counts as shown.
function Feed:source_end(cut)
  local range, n = cut.kept[1], cut.kept[1].last_line
  local behind = self.shown_ends[n] - range.last_byte
  if cut.last_line_partial then
    local body = range.last_byte - self.shown_ends[n - 1] - #self:prefix(n)
    if body <= 0 then return self.source_ends[n - 1], true end
    if not self.bodies[n] or body < self.bodies[n] then return self.source_ends[n - 1] + body, true end
    behind = self.unended and n == self.count and 0 or 1
  end
  return self.source_ends[n] - behind, false, self.counter and self.char_ends[n] - behind
end

--- Did max_line_chars cut one of the first n lines short?
function Feed:has_cut(n)
  return self.first_cut ~= nil and self.first_cut <= n or nil
end

-- the start of a page of a redacted file -------------------------------------------------------

--- Drops the text before the page.
---@class abridge.Skip
---@field bytes integer dropped so far
---@field lines integer still to drop
---@field chars integer still to drop of the line
---@field short? true the line has fewer
local Skip = {}
Skip.__index = Skip

--- Drop the first n bytes of a text; returns the rest.
function Skip:drop(text, n)
  self.bytes = self.bytes + n
  if self.counter then self.counter:add(text:sub(1, n)) end
  return text:sub(n + 1)
end

--- The page's share of a part; `last` says that nothing follows.
function Skip:rest(text, last)
  if self.lines > 0 then
    local newlines = strings.newlines(text)
    if newlines < self.lines then
      self.lines = self.lines - newlines
      return self:drop(text, #text)
    end
    local start = core.find_line(text, self.lines + 1) or #text + 1
    self.lines = 0
    text = self:drop(text, start - 1)
  end
  if self.chars == 0 then return text end
  if self.short then return "" end
  text = self.held .. text
  local line = text:match "^[^\n]*"
  local usable = #line - ((#line < #text or last) and 0 or open_bytes(line))
  local chars = core.count_chars(line:sub(1, usable))
  if chars < self.chars and #line == #text then
    self.chars, self.held = self.chars - chars, line:sub(usable + 1)
    self:drop(line, usable)
    return ""
  end
  if chars < self.chars then
    self.short, self.chars, self.held = true, self.chars - chars, ""
    return ""
  end
  local start = core.find_char(line, self.chars + 1)
  self.chars, self.held = 0, ""
  return self:drop(text, start - 1)
end

-- views -------------------------------------------------------------------------------------

---@class abridge.PageView A source for the dispatcher to cut.
local View = {}
View.__index = View

--- Remember the start of the page, as far as a cut may reach into a line.
function View:remember(text)
  local room = self.most - self.front_bytes
  if room <= 0 then return end
  self.front_parts[#self.front_parts + 1] = text:sub(1, room)
  self.front_bytes = self.front_bytes + math.min(#text, room)
end

--- The page's start up to a byte: the part of its last line.
function View:line_part(last)
  local back = self.front:sub(1, last):reverse():find("\n", 1, true)
  return self.front:sub(back and last - back + 2 or 1, last), back == nil
end

--- Does a range that starts with the page end inside a line? The core would look at the same bytes.
function View:ends_inside(last)
  return last < #self.front and self.front:byte(last) ~= 10 and self.front:byte(last + 1) ~= 10
end

--- The start of the next page, as the core has it for a file shown as it is. The ranges are still those of the page.
local function next_place(self, cut, inside)
  if not cut.truncated then return nil end
  if cut.first_line_exceeds_limit then return self.offset, 1 end
  local range = cut.kept[1]
  if not range then return cut.output_lines > 0 and self.offset + cut.output_lines or nil end
  if range.first_byte > 1 then return nil end
  local line = self.offset - 1 + range.last_line
  if not inside then return line < self.totals.lines and line + 1 or nil end
  local part, first = self:line_part(range.last_byte)
  return line, (first and self.column or 1) + core.count_chars(part)
end

--- Turn the cut of lines as they are shown into bytes of the page; returns the shown text, and whether that ends inside
--- a line.
function View:tell_lines(content, cut)
  local range, inside, chars = cut.kept[1], false, 0
  if range then
    range.last_byte, inside, chars = self.feed:source_end(cut)
    cut.last_line_partial = inside
    if inside then chars = core.count_chars(self.front:sub(1, range.last_byte)) end
    if inside and range.last_byte == 0 then
      content, cut.output_lines = "", 0
    end -- a number with no char after it
    if range.last_byte == 0 then cut.kept = {} end
    cut.output_bytes = range.last_byte
  end
  if cut.output_chars then cut.output_chars = chars end
  cut.lines_truncated = self.feed:has_cut(inside and cut.output_lines - 1 or cut.output_lines)
  return content, inside
end

--- End a page whose lines all fit as a head does: without the newline before the next line.
local function end_at_limit(max_lines, content, cut)
  cut.truncated, cut.truncated_by, cut.max_lines = true, "lines", max_lines
  if cut.final_newline then
    cut.final_newline = nil
    return content
  end
  local range = cut.kept[1]
  range.last_byte = range.last_byte - 1
  if range.last_byte < range.first_byte then cut.kept = {} end
  cut.output_bytes = cut.output_bytes - 1
  if cut.output_chars then cut.output_chars = cut.output_chars - 1 end
  return content:sub(1, -2)
end

--- Turn the cut of the shown text into places of the source.
function View:tell(content, cut)
  local totals, inside = self.totals, false
  if self.limit and not cut.truncated then content = end_at_limit(self.limit, content, cut) end
  if self.feed then
    content, inside = self:tell_lines(content, cut)
  elseif cut.kept[1] then
    inside = self:ends_inside(cut.kept[1].last_byte)
  end
  cut.next_offset, cut.next_column = next_place(self, cut, inside)
  ledger.shift(cut, totals.bytes_before, self.offset - 1)
  local first, last = cut.kept[1], cut.kept[#cut.kept]
  cut.first_line, cut.last_line = self.offset, self.offset + math.max(cut.output_lines, 1) - 1
  cut.column = self.column > 1 and self.column or nil
  if first then
    cut.last_line = math.max(cut.last_line, last.last_line)
    if first.first_byte > totals.bytes_before + 1 then
      cut.first_line, cut.column = first.first_line, nil
    end
  end
  cut.total_lines, cut.total_bytes = totals.lines, totals.bytes
  cut.omitted_lines, cut.omitted_bytes = cut.total_lines - cut.output_lines, cut.total_bytes - cut.output_bytes
  if cut.max_chars then
    cut.total_chars, cut.first_char = totals.chars, totals.chars_before + 1
    local before = totals.chars_before + (cut.chars_before or 0)
    cut.chars_before = first and before > 0 and before or nil
  end
  if self.feed and cut.line_bytes then cut.line_bytes = totals.first_line end -- without its number
  cut.version, cut.changed = totals.version, totals.changed or nil
  return content, cut
end

--- The cut of the page, described by places in the source.
---@param narrower? table budgets under those of the page, and `reserve`
---@return string content
---@return abridge.PageCut cut
function View:snapshot(narrower)
  return self:tell(self.stream:snapshot(narrower))
end

View.finish = View.snapshot

--- The start of the page.
---@return { first_byte: integer }
function View:about()
  return { first_byte = self.totals.bytes_before + 1 }
end

--- Release the stream.
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
  local lower = opts.limit and opts.limit <= (opts.max_lines or math.huge)
  if lower and of_stream.strategy == "head" then of_stream.max_lines = opts.limit end
  if opts.column and of_stream.strategy ~= "pipeline" then of_stream.long_line = "split" end
  return of_stream, of_reader
end

--- Read a page to its end, or until `visit` returns false.
local function each_block(page, work, visit)
  local at = 0
  while true do
    local block, code, detail = page:read(at, BLOCK)
    if not block then return nil, code, detail end
    if block == "" or visit(block) == false then return true end
    at = at + #block
    work:pause()
  end
end

--- Feed the file as it is, from the page's start on.
local function feed_plain(self, page, work)
  local _, cut = page:snapshot()
  local about = page:about()
  self.totals = {
    bytes_before = about.first_byte - 1,
    lines = about.total_lines,
    bytes = about.total_bytes,
    chars_before = (cut.first_char or 1) - 1,
    chars = cut.total_chars,
    first_line = cut.line_bytes,
  }
  local ok, code, detail = each_block(page, work, function(block)
    self:remember(block)
    self.feed:write(block)
    return not self.feed:full()
  end)
  return ok, code, detail
end

--- Totals of a text that arrives in parts.
---@class abridge.TextTotals
local Totals = {}
Totals.__index = Totals

local function new_totals(with_chars)
  local self = { bytes = 0, lines = 0, first_line = 0 }
  self.counter = with_chars and new_counter() or nil
  return setmetatable(self, Totals)
end

--- Count the next part.
function Totals:add(text)
  if text == "" then return end
  self.bytes, self.lines = self.bytes + #text, self.lines + strings.newlines(text)
  self.inside_line = text:sub(-1) ~= "\n"
  if self.counter then self.counter:add(text) end
end

--- Take a part of the page itself: how long its first line is.
function Totals:add_to_page(text)
  if self.has_first_line then return end
  local newline = text:find("\n", 1, true)
  self.first_line = self.first_line + (newline and newline - 1 or #text)
  self.has_first_line = newline ~= nil
end

--- The end of the text, and its skipped part.
function Totals:finish(skip)
  self.lines = self.lines + (self.inside_line and 1 or 0)
  self.bytes_before = skip.bytes
  self.chars = self.counter and self.counter:total()
  self.chars_before = skip.counter and skip.counter:total()
end

--- Let only the wanted lines through to a stream that keeps the end too; a head stops there by itself.
local function limited(self, stream, max_lines)
  local left = max_lines
  return {
    write = function(_, text)
      if left == 0 then
        self.limit = max_lines -- more follows
        return
      end
      local newlines = strings.newlines(text)
      if newlines >= left then
        local stop = (core.find_line(text, left + 1) or #text + 1) - 1
        if stop < #text then self.limit = max_lines end
        text, left = text:sub(1, stop), 0
      else
        left = left - newlines
      end
      stream:write(text)
    end,
  }
end

--- Feed the redacted file, read from its start: lines and chars are counted in the redacted text.
local function feed_redacted(self, page, work, redaction, opts)
  local with_chars = opts.max_chars ~= nil or opts.strategy == "pipeline"
  local max_lines = opts.strategy ~= "head" and opts.limit
  local skip = setmetatable({ bytes = 0, lines = self.offset - 1, chars = self.column - 1, held = "" }, Skip)
  skip.counter = with_chars and new_counter() or nil
  local totals = new_totals(with_chars)
  local to = self.feed or (max_lines and limited(self, self.stream, max_lines)) or self.stream
  local function take(text, last)
    totals:add(text)
    local rest = skip:rest(text, last)
    if rest == "" then return end
    totals:add_to_page(rest)
    self:remember(rest)
    to:write(rest)
  end
  local ok, code, detail = each_block(page, work, function(block)
    take(redaction:feed(block))
  end)
  if not ok then return nil, code, detail end
  take(redaction:finish(), true)
  totals:finish(skip)
  self.totals = totals
  if self.offset > math.max(totals.lines, 1) then return nil, "EOFFSET", totals.lines end
  if skip.chars > 0 then return nil, "ECOLUMN", self.column - 1 - skip.chars end
  return true
end

--- Open a view of a file or text.
---@param open fun(source: string, opts: table): userdata|nil, string|nil, any core.page or core.page_text
---@param source string
---@param opts table as for `open`
---@param how { line_numbers: boolean|nil, max_line_chars: integer|nil, redactor: abridge.Redactor|nil }
---@param work? abridge.Work gives way between blocks
---@return abridge.PageView|nil
---@return string|nil code
---@return any detail as from the core
function M.open(open, source, opts, how, work)
  work = work or time_slices.at_once
  local of_stream, of_reader = split_options(opts)
  local self = setmetatable({ offset = opts.offset or 1, column = opts.column or 1 }, View)
  local most = more_than_fits(of_stream)
  self.most = most <= 2 ^ 53 and most or 0 -- if nothing is limited, nothing is cut
  self.front_parts, self.front_bytes = {}, 0
  if how.redactor then
    of_reader.offset, of_reader.column, of_reader.max_chars = nil, nil, nil
  end
  local page, code, detail = open(source, of_reader)
  if not page then return nil, code, detail end
  self.stream = core.stream(of_stream)
  work:hold(self)
  if how.line_numbers or how.max_line_chars then self.feed = new_feed(self.stream, self.offset, how, of_stream) end
  local ok
  if how.redactor then
    ok, code, detail = feed_redacted(self, page, work, how.redactor:stream(), opts)
  else
    ok, code, detail = feed_plain(self, page, work)
  end
  if ok then
    if self.feed then self.feed:finish() end
    self.front, self.front_parts = table.concat(self.front_parts), nil
    local about = page:about()
    self.totals.version, self.totals.changed = about.version ~= "" and about.version or nil, about.changed
  end
  page:close()
  if ok then return self end
  self:close()
  return nil, code, detail
end

-- pages of JSON that is redacted ------------------------------------------------------------

---@class abridge.JsonView A page of a redacted file's JSON, for the dispatcher to cut.
local JsonView = {}
JsonView.__index = JsonView

--- The cut of the page.
---@param narrower? table budgets under those of the page, and `reserve`
---@return string content
---@return abridge.PageCut cut
function JsonView:snapshot(narrower)
  local content, cut = self.page:snapshot(narrower)
  cut.version, cut.changed = self.version, self.changed or nil
  return content, cut
end

JsonView.finish = JsonView.snapshot

function JsonView:about()
  return self.page:about()
end

function JsonView:close()
  self.page:close()
end

--- Write a redacted file to a page; returns the problem, if there was one.
local function write_redacted(page, file, work, redaction)
  local written, code, detail = true, nil, nil
  local ok, read_code, read_detail = each_block(file, work, function(block)
    written, code, detail = page:write(redaction:feed(block))
    return written or false
  end)
  if not ok then return read_code, read_detail end
  if written then
    written, code, detail = page:write(redaction:finish())
  end
  if written then
    written, code, detail = page:step(1)
  end
  return code, detail
end

--- Open a page of the JSON that a file is once it is redacted.
---@param open fun(source: string, opts: table): userdata|nil, string|nil, any core.page
---@param source string
---@param opts table as for `open`, with `pointer`
---@param redactor abridge.Redactor
---@param work abridge.Work gives way between blocks
---@return abridge.JsonView|nil
---@return string|nil code
---@return any detail as from the core
function M.open_json(open, source, opts, redactor, work)
  local file, code, detail = open(source, { max_bytes = 0, binary = true, index = opts.index, version = opts.version })
  if not file then return nil, code, detail end
  opts.index, opts.version = nil, nil
  local self = setmetatable({}, JsonView)
  self.page, code, detail = core.json_in_parts("", opts)
  if self.page then
    work:hold(self)
    code, detail = write_redacted(self.page, file, work, redactor:stream())
    local about = file:about()
    self.version, self.changed = about.version, about.changed
  end
  file:close()
  if not code then return self end
  return nil, code, detail
end

return M
