--- The source of a tool's output when it is cut: a stream that is cleaned and redacted, under a call's limits.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local limit = require "abridge.output.limit"

local M = {}

local CAREFUL = 16 * 1024 -- bytes read at once if their cost depends on their content
local REDACTED_TWICE = 8 * 1024 -- the same if they are redacted before and after they are cleaned

---@class abridge.Source A stream whose chunks are cleaned and redacted before any of them is kept; one that is binary
---  passes as it came.
---@field private stream userdata
---@field private opts table of the stream
---@field private start? string the first bytes, until it is known whether they are binary
---@field private clean? true|table how text is cleaned once that is known
---@field private cleaner? userdata|abridge.redact.Cleaner
---@field private raw_bytes? integer bytes before cleaning, if they are cleaned
---@field private redactor? abridge.Redactor
---@field private redaction? table
---@field private most? integer bytes read at once
---@field private room integer bytes until a file may be needed
---@field private preview_text? string shown in snapshots after the start
---@field closed? boolean
---@field lost? string why the last of it could not be kept
---@field private spare? string a full output that is needed only if a later cut leaves out more than blanks
local Source = {}
Source.__index = Source
Source.__name = "abridge.Source"

--- Bytes that always fit in memory: nothing goes to disk until there are more.
local function at_hand(opts)
  local least = limit.bytes_of_lines
  for _, key in ipairs { "max_bytes", "max_chars", "max_tokens" } do
    local budget = opts[key]
    if type(budget) == "string" then budget = core.parse_size(budget) end
    least = math.min(least, budget or least)
  end
  return least
end

local function new_cleaner(self)
  local clean = self.clean ~= true and self.clean or nil
  if self.redactor then return self.redactor:cleaner(clean) end
  return core.cleaner(clean)
end

--- Open a stream.
---@param opts table as abridge.stream takes; `clean` is taken out
---@param redactor? abridge.Redactor
---@param before_file? fun() called once, before the full output may be opened
---@param ceiling? table options of a second stream of the same text, for a cut by the ceiling
---@return abridge.Source
function M.open(opts, redactor, before_file, ceiling)
  local clean, by_kind = opts.clean, (opts.strategy or "auto") == "auto"
  opts.clean = nil -- cleaned here, between two redactions
  local self = { stream = core.stream(opts), opts = opts, room = at_hand(opts), clean = clean or nil }
  self.redactor = redactor
  self.redaction = redactor and redactor:stream()
  self.under_ceiling = ceiling and core.stream(ceiling)
  if clean then self.raw_bytes = 0 end
  self.before_file = opts.full_output and before_file or nil
  if clean and redactor then
    self.most = REDACTED_TWICE
  elseif clean or redactor or by_kind or opts.strategy == "priority" then
    self.most = CAREFUL
  end
  setmetatable(self, Source)
  if by_kind and (opts.kind or "binary") == "binary" and (clean or redactor) then
    self.start = ""
    self:judge(false)
  elseif clean then
    self.cleaner = new_cleaner(self)
  end
  return self
end

local function prepare_file(self)
  local before_file = self.before_file
  self.before_file = nil
  if before_file then before_file() end
end

--- Are the bytes so far binary? A kind that the caller fixed decides; else nil if more must come first.
local function is_binary(self, whole)
  if self.opts.kind then return true end
  return core.is_binary(self.start, whole, self.clean ~= nil)
end

--- Of binary text only a line about it shows, so it passes as it came; no file gets bytes that could not be redacted.
local function pass_binary(self)
  if self.redaction and self.opts.full_output then
    self.stream:close()
    self.opts.full_output, self.before_file = nil, nil
    self.stream = core.stream(self.opts)
  end
  self.redaction, self.preview_text = nil, nil
end

--- Tell the bytes so far as text or as binary, if that is possible by now.
---@private
---@param whole boolean nothing follows
---@return string|nil start the bytes to keep next; nil: it is still open
function Source:judge(whole)
  local binary, start = is_binary(self, whole), self.start
  if binary == nil then return nil end
  if binary then
    pass_binary(self)
  elseif self.clean then
    self.cleaner = new_cleaner(self)
  end
  self.start = nil
  return start
end

--- Is this value a source?
---@param value any
---@return boolean
function M.is_source(value)
  return type(value) == "table" and rawequal(getmetatable(value), Source)
end

--- Keep text that is redacted.
local function keep(self, text)
  self.room = self.room - #text
  if self.room < 0 and self.before_file then prepare_file(self) end
  if self.under_ceiling then
    local ok, message, code = self.under_ceiling:write(text)
    if not ok then return nil, message, code end
  end
  return self.stream:write(text)
end

--- May chunks go to the stream without a look at them here?
local function goes_straight(self)
  return not (self.start or self.redaction or self.before_file or self.under_ceiling)
end

--- Keep the last text; raise any error that a result could not tell.
local function keep_last(self, text)
  local ok, message = keep(self, text)
  if not ok then error(message, 0) end
end

--- Add a chunk.
---@param chunk string
---@return true|nil ok
---@return string|nil message
---@return string|nil code
function Source:write(chunk)
  if self.raw_bytes then self.raw_bytes = self.raw_bytes + #chunk end
  if self.start then
    self.start, self.preview_text = self.start .. chunk, nil
    chunk = self:judge(false)
    if not chunk then return true end
  end
  if self.cleaner and not self.closed then
    if goes_straight(self) then return self.stream:write(chunk, self.cleaner) end
    chunk = self.cleaner:write(chunk)
  end
  return keep(self, self.redaction and self.redaction:feed(chunk) or chunk)
end

--- Add the bytes that a descriptor has ready: as chunks if it is redacted or a file may be needed first, else without
--- passing Lua.
---@param fd integer
---@param most? integer bytes
---@return integer|nil n bytes read, 0 at its end
---@return string|nil message
---@return string|nil code EAGAIN: there is nothing now
function Source:read_fd(fd, most)
  if self.most and (most == nil or check.is_count(most) and most > self.most) then most = self.most end
  if not goes_straight(self) then
    local chunk, message, code = core.read_fd(fd, most)
    if not chunk then return nil, message, code end
    if chunk == "" then return 0 end
    local ok
    ok, message, code = self:write(chunk)
    return ok and #chunk, message, code
  end
  local n, message, code = self.stream:read_fd(fd, most, self.cleaner)
  if n and self.raw_bytes then self.raw_bytes = self.raw_bytes + n end
  return n, message, code
end

--- Have snapshots show `text` after everything so far, until more is written. If text is cleaned, the text on its
--- screen replaces it.
---@param text string
function Source:preview(text)
  self.preview_text = self.start and text
  self.stream:preview(self.redaction and self.redaction:preview(text) or text)
end

--- Put lower budgets than the stream's own in force, for the next cuts.
---@param budgets table<string, integer>
function Source:lower(budgets)
  self.lowered = budgets
end

--- The options that narrow a cut: the budgets given for it, and those the source was lowered to.
local function narrowed(self, narrower)
  if not self.lowered then return narrower end
  local all = {}
  for key, value in pairs(narrower or {}) do
    all[key] = value
  end
  for key, budget in pairs(self.lowered) do
    all[key] = math.min(all[key] or budget, budget)
  end
  return all
end

---@class abridge.LoweredSource A stream or a page for a dispatcher to cut, under lower budgets than its own.
---@field private stream table
---@field private lowered table<string, integer>
local Lowered = {}
Lowered.__index = Lowered

--- The cut under the lower budgets.
---@param narrower? table budgets under these, and `reserve`
---@return string content
---@return abridge.Cut cut
function Lowered:snapshot(narrower)
  return self.stream:snapshot(narrowed(self, narrower))
end

--- A finished stream or a page under lower budgets, for as long as it is open itself.
---@param stream table with snapshot
---@param budgets table<string, integer> none over its own
---@return abridge.LoweredSource
function M.lowered(stream, budgets)
  return setmetatable({ stream = stream, lowered = budgets }, Lowered)
end

local FULL_OUTPUT = { "full_output_path", "full_output_bytes", "full_output_error", "full_output_code" }

--- A cut, with the bytes before cleaning. One that leaves out nothing but blanks has no full output.
local function told(self, content, cut)
  cut.raw_bytes = self.raw_bytes
  self.spare = not cut.truncated and cut.compact and cut.full_output_path or nil
  if not cut.truncated then
    for _, key in ipairs(FULL_OUTPUT) do
      cut[key] = nil
    end
  end
  return content, cut
end

--- The text so far, while it is open whether that is binary, as it would be kept if it ended here.
local function shown_start(self)
  local text = self.start .. (not self.clean and self.preview_text or "")
  if core.is_binary(text, true, self.clean ~= nil) then return text end
  local clean = self.clean ~= true and self.clean or nil
  if self.clean and self.redactor then
    text = self.redactor:cleaned(text, clean, true)
  elseif self.clean then
    text = core.clean(text, clean)
  end
  return self.redaction and self.redaction:preview(text) or text
end

--- The cut of everything so far, without the bytes that redaction still holds back, but with lines that cleaning may
--- still change.
---@param narrower? table budgets under the stream's own, and `reserve`
---@return string content
---@return abridge.Cut cut
function Source:snapshot(narrower)
  if self.start then
    self.stream:preview(shown_start(self))
  elseif self.cleaner then
    local text = self.cleaner:pending()
    if self.redaction then text = self.redaction:preview(text) end
    self.stream:preview(text)
  end
  return told(self, self.stream:snapshot(narrowed(self, narrower)))
end

--- Keep the text that cleaning and redaction held back.
local function keep_held_back(self)
  if self.start then
    local start = self:judge(true)
    if self.cleaner then start = self.cleaner:write(start) end
    keep_last(self, self.redaction and self.redaction:feed(start) or start)
  end
  local cleaner, redaction = self.cleaner, self.redaction
  self.cleaner, self.redaction = nil, nil
  if cleaner then
    local text = cleaner:finish()
    cleaner:close()
    keep_last(self, redaction and redaction:feed(text) or text)
  end
  if redaction then keep_last(self, redaction:finish()) end
end

--- The cut of everything; the full output is complete then. Snapshots may follow. If there is no memory for the bytes
--- held back, it raises, `lost` says why, and snapshots show the rest.
---@param narrower? table
---@return string content
---@return abridge.Cut cut
function Source:finish(narrower)
  if self.finished then return self:snapshot(narrower) end
  if narrower ~= nil and type(narrower) ~= "table" then
    check.fail("stream:finish: opts must be a table, got " .. check.show(narrower))
  end
  narrower = narrowed(self, narrower)
  self.finished = true
  local kept, problem = pcall(keep_held_back, self)
  if not kept then
    self.lost = check.text(problem)
    error(problem, 0)
  end
  if self.before_file then
    local _, cut = self.stream:snapshot(narrower)
    if cut.truncated or cut.compact then prepare_file(self) end
  end
  local last = check.copied(narrower or {})
  last.keep_output = true -- snapshots may follow
  return told(self, self.stream:finish(last))
end

--- The same text under a ceiling, once it is finished and for as long as it is open; only if `open` was given
--- `ceiling`.
---@param limits abridge.Limits at or under those of `ceiling`
---@return abridge.Source
function Source:for_ceiling(limits)
  local budgets = {}
  for _, key in ipairs(limit.budgets) do
    budgets[key] = limits[key]
  end
  local source = setmetatable({ stream = self.under_ceiling, raw_bytes = self.raw_bytes, finished = true }, Source)
  source:lower(budgets)
  return source
end

--- Release the stream. Idempotent.
function Source:close()
  self.closed = true
  if self.under_ceiling then self.under_ceiling:close() end
  if self.cleaner then self.cleaner:close() end
  self.stream:close()
  if self.finished and self.spare then os.remove(self.spare) end
  self.spare = nil
end

return M
