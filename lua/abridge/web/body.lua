--- The part of a body kept as it streams by: the bytes from an offset on, as many as a page may need. Earlier bytes are
--- only counted.

local core = require "abridge.base.core_loader"
local magic = require "abridge.base.magic"
local strings = require "abridge.base.strings"
local limit = require "abridge.output.limit"

local M = {}

local KB = 1024
local MARGIN = 16 * KB -- beyond the budget, so that the size of a body a little over it is known
local ANY = 1024 * KB -- the budget if limits name none in bytes, chars or tokens
local BOTH_ENDS = 8 * 1024 * KB -- kept if the end of a body is shown as well as its start
local MOST = 64 * 1024 * KB -- kept whatever the limits
local TELLING = 256 * KB + 1 -- tell the kind of a text, and a byte that says that it goes on

--- How many bytes a page may have.
local function bytes_for(limits)
  local bound = limit.most_bytes(limits)
  return math.min(bound == math.huge and ANY or bound, MOST)
end

--- These limits with the default size of a page if nothing limits it. A pipeline knows no bytes.
---@param limits abridge.Limits
---@return abridge.Limits a new table
function M.bounded(limits)
  local own, bytes = limit.copy(limits), bytes_for(limits)
  if limits.strategy ~= "pipeline" and bytes ~= limit.most_bytes(limits) then own.max_bytes = bytes end
  return own
end

--- Limits for a page of a body, and how many of its bytes they may need.
---@param limits abridge.Limits
---@return abridge.Limits own
---@return integer capacity
---@return boolean from_start the page is the start of the rest, so that the next page can follow
function M.plan(limits)
  local own, bytes = M.bounded(limits), bytes_for(limits)
  if limits.strategy == "pipeline" then return own, math.max(bytes, BOTH_ENDS), false end
  if (limits.strategy or "head") ~= "head" then return own, math.max(bytes + MARGIN, BOTH_ENDS), false end
  -- a page ends between any two chars, since lines of web pages may be longer than a budget
  own.strategy, own.head_ratio, own.snap, own.marker = "head_tail", 1, "char", "none"
  own.long_line, own.marker_text = nil, nil
  return own, bytes + MARGIN, true
end

---@class abridge.Body
---@field before integer bytes before the offset so far
---@field lines integer newlines in them
---@field start string the first bytes of the body
---@field over boolean there was more than is kept
---@field private whole? boolean it may be JSON, which is wanted whole
---@field private told? boolean its start is that of JSON
---@field private parts string[]
---@field private size integer
local Body = {}
Body.__index = Body

--- A body that is wanted from `offset` on.
---@param offset integer
---@param capacity integer
---@param redaction? abridge.redact.Stream offsets are then those of the redacted body
---@return abridge.Body
function M.new(offset, capacity, redaction)
  return setmetatable({
    offset = offset,
    capacity = capacity,
    redaction = redaction,
    before = 0,
    lines = 0,
    start = "",
    over = false,
    parts = {},
    size = 0,
  }, Body)
end

local function keep(self, text)
  local skip = math.min(self.offset - 1 - self.before, #text)
  if skip > 0 then
    self.before = self.before + skip
    self.lines = self.lines + strings.newlines(text:sub(1, skip))
    text = text:sub(skip + 1)
  end
  if text == "" or self.over then return end
  self.parts[#self.parts + 1] = text
  self.size = self.size + #text
  self.over = self.size > self.capacity and not self:is_wanted_whole()
end

--- Keep all of the body while it may be JSON, up to 64 MiB.
function Body:want_json()
  self.whole = true
end

--- The start of a body, as one text.
local function joined(self)
  self.parts = { table.concat(self.parts) }
  return self.parts[1]
end

--- Is the part so far JSON?
---@private
---@return boolean
function Body:is_wanted_whole()
  if not self.whole or self.told then return self.whole and self.size <= MOST or false end
  local text = self.parts[1]
  if self.size >= TELLING then
    text = joined(self)
    self.told = core.kind_name(text:sub(1, TELLING)) == "json"
    self.whole = self.told
  else
    self.whole = text:find '^[\239\187\191 \t\r\n]*["%[{]' ~= nil or not text:find "[^\239\187\191 \t\r\n]"
  end
  return self.whole
end

--- The whole body if it is JSON; nil if it is something else, or was not all fetched.
---@return string|nil
function Body:json()
  if not self.whole or self.over then return nil end
  local text = self:text()
  local _, cut = core.auto(text, { max_bytes = KB })
  if cut.kind == "json" then return text end
  self.whole, self.over = nil, self.size > self.capacity
end

--- Add a chunk.
---@param chunk string
---@return boolean enough nothing more is needed
function Body:write(chunk)
  if #self.start < magic.probe then self.start = self.start .. chunk:sub(1, magic.probe - #self.start) end
  keep(self, self.redaction and self.redaction:feed(chunk) or chunk)
  return self.over
end

--- A text without an incomplete char at its end.
local function without_torn_char(text)
  local tail = text:sub(-3)
  local at = tail:find "[\194-\244][\128-\191]*$"
  if not at then return text end
  local lead = tail:byte(at)
  local size = lead >= 240 and 4 or lead >= 224 and 3 or 2
  local there = #tail - at + 1
  return there < size and text:sub(1, -there - 1) or text
end

--- The bytes kept, which do not depend on the chunks.
---@return string
function Body:text()
  if self.redaction and not self.over then keep(self, self.redaction:finish()) end
  self.redaction = nil
  local text = joined(self)
  return self.over and without_torn_char(text:sub(1, self.capacity)) or text
end

--- Does a NUL near its start make it binary?
---@return boolean
function Body:has_nul()
  return self.start:find("\0", 1, true) ~= nil
end

return M
