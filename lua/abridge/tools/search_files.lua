--- search_files: lines that match a pattern, as ripgrep finds them. However long a line is, its match is shown.

local bisect = require "abridge.base.bisect"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local listed_name = require "abridge.base.listed_name"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"
local notice = require "abridge.output.notice"
local sentences = require "abridge.output.sentences"
local match_line = require "abridge.search.match_line"
local pages = require "abridge.search.page"
local places = require "abridge.search.place"
local rg_json = require "abridge.search.rg_json"
local ripgrep = require "abridge.search.ripgrep"

local M = {
  name = "search_files",
  description = "Search files for a regular expression (ripgrep's). Shows matching lines as path:line: text, context "
    .. "lines as path-line- text; hidden files are searched, ignored ones (.gitignore) are not. Use offset to go on "
    .. "after a limit.",
  input_schema = {
    type = "object",
    properties = {
      pattern = { type = "string", description = "Regular expression, or plain text with literal" },
      path = { type = "string", description = "File or folder to search (default: the current folder)" },
      glob = { type = "string", description = "Search only files that match this glob, such as *.lua" },
      ignore_case = { type = "boolean", description = "Ignore case" },
      literal = { type = "boolean", description = "Treat the pattern as plain text" },
      context = { type = "integer", minimum = 0, maximum = 1000, description = "Lines to show around each match" },
      limit = { type = "integer", minimum = 1, description = "Number of matching lines to show" },
      offset = { type = "integer", minimum = 1, description = "Number of the first match to show (from 1)" },
    },
    required = { "pattern" },
  },
}

local LINE_CHARS = 2000 -- of a line, where the limits do not say
local MOST_LINE_CHARS = 256 * 1024 -- whatever they say
local SCAN_STEP = 1024 * 1024 -- bytes of a file looked at in one go for a NUL
local MOST_SCANNED = 64 * SCAN_STEP -- a file whose first bytes have no NUL is text

M.ready = ripgrep.ready

-- which files are binary -----------------------------------------------------------------------

local BYTE_ORDER_MARKS = { ["\255\254"] = true, ["\254\255"] = true } -- UTF-16: rg makes it UTF-8

--- Does a file have a NUL before some offset? rg itself says so only when it is done with a file, too late for
--- numbering its matches.
local function nul_finder(path)
  local scanned, nul = 0, nil
  return function(before, work)
    before = math.min(before, MOST_SCANNED)
    while not nul and scanned < before do
      local bytes = match_line.read(path, scanned, SCAN_STEP)
      if bytes == "" or scanned == 0 and BYTE_ORDER_MARKS[bytes:sub(1, 2)] then
        scanned = MOST_SCANNED
      else
        local at = bytes:find("\0", 1, true)
        nul = at and scanned + at - 1
        scanned = scanned + #bytes
      end
      work:pause()
    end
    return nul ~= nil and nul < before
  end
end

-- the search -----------------------------------------------------------------------------------

---@class abridge.Search
---@field page abridge.SearchPage
---@field width integer chars of a line
---@field context integer
---@field item? table the match under way: its parts, and the number of its line
---@field file? table the file being searched
local Search = {}
Search.__index = Search

local function new_search(ctx, input, place)
  local page = pages.new(ctx, input, "max_matches")
  return setmetatable({
    ctx = ctx,
    place = place,
    page = page,
    context = input.context or 0,
    width = math.min(page.limits.max_line_chars or LINE_CHARS, MOST_LINE_CHARS),
    cut = {}, -- by item: chars of the widest line that was cut
  }, Search)
end

function Search:begin(path)
  local whole = self.place.dir:gsub("/+$", "") .. "/" .. path:gsub("^%./", "")
  self.file = {
    path = whole,
    name = listed_name.escape(places.shown(self.place, path)),
    has_nul = nul_finder(whole),
    shown = 0, -- number of the last line that is on the page
    recent = {}, -- lines that may be context of the next match
  }
end

--- A line as the page shows it.
function Search:format(event, mark)
  local prefix = ("%s%s%.0f%s "):format(self.file.name, mark, event.number, mark)
  local line = match_line.line(event, self.file.path, self.width, self.ctx.redactor)
  local shown, was_cut = match_line.window(line, self.width)
  local part = { text = prefix .. shown, cut = was_cut and self.width or nil }
  if event.kind == "match" then
    part.prefix, part.line = prefix, line
  end
  return part
end

--- End the item under way.
function Search:finish_item()
  local item = self.item
  if not item then return end
  self.item = nil
  local texts, cut = {}, nil
  for i, part in ipairs(item.parts) do
    texts[i] = part.text
    cut = part.cut or cut -- all of them are cut to one width
  end
  self.page:add(table.concat(texts, "\n"))
  self.cut[#self.page.items] = cut
  if #self.page.items == 1 then self.first = item end
end

local function add_part(item, part)
  item.parts[#item.parts + 1] = part
  item.bytes, item.lines = item.bytes + #part.text + 1, item.lines + 1
end

--- Would more context for this item be more than the page can hold?
function Search:is_full()
  return self.page:exceeds(self.item.bytes, self.item.lines)
end

--- Begin the item of a match: a separator from the one before, the context before it, the line itself.
function Search:start_item(event, line)
  local file, item = self.file, { parts = {}, bytes = 0, lines = 0, number = event.number }
  self.item = item
  local before = {}
  for _, recent in ipairs(file.recent) do
    if recent.number >= event.number - self.context then before[#before + 1] = recent end
  end
  local from = before[1] and before[1].number or event.number
  local apart = file.shown == 0 or from > file.shown + 1
  if self.context > 0 and apart and #self.page.items > 0 then add_part(item, { text = sentences.group_separator }) end
  for _, recent in ipairs(before) do
    add_part(item, recent)
  end
  if #self.page.items == 0 then -- at most half of what is shown will be context before it
    item.bytes = math.min(item.bytes, self.page.room.bytes / 2)
    item.lines = math.min(item.lines, math.max(self.page.room.lines - 1, 0))
  end
  item.match_at = #item.parts + 1
  add_part(item, line)
  file.recent, file.shown = {}, event.number
end

--- Keep a line that may be context of the next match.
function Search:remember(event)
  if self.context == 0 then return end
  local part, recent = self:format(event, "-"), self.file.recent
  recent[#recent + 1] = { text = part.text, cut = part.cut, number = event.number }
  if #recent > self.context then table.remove(recent, 1) end
end

--- Takes one event of rg; true when no more is wanted.
function Search:take(event, work)
  if event.kind == "begin" then self:begin(event.path) end
  if event.kind == "end" then self:finish_item() end
  if event.kind ~= "match" and event.kind ~= "context" then return false end
  local file, item = self.file, self.item
  if file.binary then return false end
  local is_binary = file.has_nul(event.offset + math.max(event.whole and #event.line or 0, event.last), work)
  if event.kind == "context" then
    if is_binary then return false end
    if not (item and event.number <= item.number + self.context) then
      self:remember(event)
    elseif not self:is_full() then
      add_part(item, self:format(event, "-"))
      file.shown = event.number
    end
    return false
  end
  self:finish_item()
  file.binary = is_binary
  local wanted = self.page:next()
  if wanted == "take" then
    local note = is_binary and sentences.message("binary_match", { path = file.name })
    self:start_item(event, note and { text = note } or self:format(event, ":"))
  elseif wanted == "skip" and not is_binary then
    self:remember(event)
  end
  return wanted == "stop"
end

-- the first match of a page always shows -----------------------------------------------------------

--- A share of the byte, char and token budgets.
local function share_of(limits, share)
  local function of(budget)
    return budget and budget * share or math.huge
  end
  local room = { bytes = of(limits.max_bytes), chars = of(limits.max_chars), tokens = of(limits.max_tokens) }
  room.lines = limits.max_lines or math.huge
  if room.bytes < #("\n\n" .. notice.truncated) then room.bytes = limits.max_bytes end -- no notice has room there
  return room
end

--- Does a text stay within it?
local function fits(text, room, limits)
  local chars, invalid = core.count_chars(text)
  if #text + 2 * invalid > room.bytes or chars > room.chars then return false end -- an invalid byte shows as three
  if room.tokens == math.huge then return true end
  local ok, tokens = pcall(fit.tokens_of, text, limits) -- if the counter raises, the cut of the whole will report it
  return not ok or type(tokens) ~= "number" or tokens <= room.tokens
end

--- The match line again, as wide as fits; without room even for the marks of a cut, the match alone.
local function narrowed(part, widest, room, limits)
  local width = bisect.last(widest, function(n)
    return fits(part.prefix .. match_line.window(part.line, n), room, limits)
  end)
  local match = part.line.text:sub(part.line.first, part.line.last)
  local chars = core.count_chars(match)
  if width < chars then return { text = part.prefix .. match, cut = chars } end
  return { text = part.prefix .. match_line.window(part.line, width), cut = width }
end

--- Make sure that the first match of a page that is cut shows, at the expense of everything else. A notice takes at
--- most half of a budget, so whatever fits into the other half shows.
function Search:make_match_show()
  local item, limits = self.first, self.page.limits
  if not item or (limits.strategy or "head") ~= "head" then return end
  local parts, at, room = item.parts, item.match_at, share_of(limits, 0.5)
  if parts[at].line and not fits(parts[at].text, room, limits) then
    parts[at] = narrowed(parts[at], self.width, room, limits)
  end
  local before = parts[at].text -- and as much of the context before it as fits
  local from = at
  while from > 1 and at - from + 2 <= room.lines do
    local longer = parts[from - 1].text .. "\n" .. before
    if not fits(longer, room, limits) then break end
    before, from = longer, from - 1
  end
  local texts, cut = { before }, nil
  for i = from, #parts do
    if i > at then texts[#texts + 1] = parts[i].text end
    cut = parts[i].cut and math.max(cut or 0, parts[i].cut) or cut
  end
  self.page.items[1], self.cut[1] = table.concat(texts, "\n"), cut
end

--- Does the page fit as it is, with nothing to say about it?
function Search:fits_whole()
  local page = self.page
  if page.full or page.reached or next(self.cut) ~= nil then return false end
  local text, room = table.concat(page.items, "\n"), share_of(page.limits, 1)
  return core.count_lines(text) <= room.lines and fits(text, room, page.limits)
end

-- the result ---------------------------------------------------------------------------------------

--- Report lines that were cut, if they show; the block then says that the listing is incomplete.
function Search:tell_cut_lines(value)
  local cut, adjust, block = self.cut, value.adjust, value.block
  local data, any = value.notice, false
  value.details = value.details or {}
  function value.adjust(ledger)
    adjust(ledger)
    local widest
    local from_start = (self.page.limits.strategy or "head") == "head"
    for i = 1, math.min(#self.page.items, from_start and data.shown + 1 or math.huge) do
      widest = cut[i] and math.max(widest or 0, cut[i]) or widest
    end
    any = widest ~= nil
    data.lines_truncated, data.max_line_chars = any or nil, widest
    value.details.lines_truncated = any or nil
  end
  function value.block(ledger, body)
    local made = block(ledger, body)
    if not any then return made end
    if not made.truncated then return info.without_resume(#body, nil, "size_cap") end
    made.bytes_total = nil -- that of the whole lines is not known
    return made
  end
end

function Search:value(finish, path, work)
  self:finish_item()
  if not self:fits_whole() then self:make_match_show() end
  local page = self.page
  local value = page:value({
    unit = "matches",
    reason = "line_cap",
    details = {
      path = self.ctx.redacted(path),
      match_limit_reached = page.reached and page.limit or nil,
    },
  }, finish, work)
  if value.adjust and next(self.cut) ~= nil then self:tell_cut_lines(value) end
  return value
end

local function arguments_of(input, place)
  local arguments = { "--json", "--line-number", "--binary", "--glob=!.git" }
  local function add(argument)
    table.insert(arguments, #arguments, argument) -- the last glob wins
  end
  if input.glob and input.glob ~= "" then add(places.glob(input.glob)) end
  add(input.ignore_case and "--ignore-case" or "--case-sensitive")
  if input.literal then add "--fixed-strings" end
  -- so that $ also matches before \r\n, unless the pattern itself has a \r
  if not input.literal and not input.pattern:find "\r" and not input.pattern:find("\\r", 1, true) then add "--crlf" end
  if (input.context or 0) > 0 then add(("--context=%d"):format(input.context)) end
  for _, argument in ipairs { "--", input.pattern, place.target } do
    arguments[#arguments + 1] = argument
  end
  return arguments
end

function M.execute(input, ctx, done)
  local ready, message = M.ready()
  if not ready then return { text = message, is_error = true } end
  for _, name in ipairs { "pattern", "glob" } do
    if input[name] and input[name]:find("\0", 1, true) then
      return places.failure("invalid_input", { what = name .. " has a NUL byte" }, {}, "EINVAL")
    end
  end
  local place, failure = places.find(input.path, ctx)
  if not place then return failure end

  local search = new_search(ctx, input, place)
  return ripgrep.run({
    place = place,
    arguments = arguments_of(input, place),
    on_chunk = rg_json.reader(host.json(), function(event, work)
      return search:take(event, work)
    end),
    on_end = function(finish, work)
      return search:value(finish, input.path or ".", work)
    end,
  }, ctx, done)
end

return M
