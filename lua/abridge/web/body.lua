--- What is kept of a body that goes by: the bytes from an offset on, as many as a page may need. What lies before is
--- counted and forgotten.

local magic = require "abridge.base.magic"
local strings = require "abridge.base.strings"
local limit = require "abridge.output.limit"

local M = {}

local KB = 1024
local MARGIN = 16 * KB -- beyond the budget, so that the size of a body a little over it is known
local ANY = 1024 * KB -- the budget where limits name none in bytes, chars or tokens
local BOTH_ENDS = 8 * 1024 * KB -- kept where the end of a body is shown as well as its start
local MOST = 64 * 1024 * KB -- kept whatever the limits

--- Limits for a page of a body, and how many bytes of it they may need.
---@param limits abridge.Limits
---@return abridge.Limits own
---@return integer capacity
---@return boolean from_start the page is the start of what is left, so that the next one can follow
function M.plan(limits)
  local own = {}
  for key, value in pairs(limits) do
    own[key] = value
  end
  local bound = limit.most_bytes(limits)
  local bytes = math.min(bound == math.huge and ANY or bound, MOST)
  if limits.strategy == "pipeline" then return own, math.max(bytes, BOTH_ENDS), false end
  if bytes ~= bound then own.max_bytes = bytes end
  if (limits.strategy or "head") ~= "head" then return own, math.max(bytes + MARGIN, BOTH_ENDS), false end
  -- a page ends between chars wherever the budget does: lines of web pages may be longer than it
  own.strategy, own.head_ratio, own.snap, own.marker = "head_tail", 1, "char", "none"
  own.long_line, own.marker_text = nil, nil
  return own, bytes + MARGIN, true
end

---@class abridge.Body
---@field before integer bytes in front of the offset that have come
---@field lines integer newlines in them
---@field start string the first bytes of all, as they came
---@field over boolean more came than is kept
---@field private parts string[]
---@field private size integer
local Body = {}
Body.__index = Body

--- A body of which the bytes from `offset` on are wanted.
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
  self.over = self.size > self.capacity
end

--- Add a chunk.
---@param chunk string
---@return boolean enough nothing more is needed
function Body:write(chunk)
  if #self.start < magic.probe then self.start = self.start .. chunk:sub(1, magic.probe - #self.start) end
  keep(self, self.redaction and self.redaction:feed(chunk) or chunk)
  return self.over
end

--- A text without the start of a char that its end cut off.
local function without_torn_char(text)
  local tail = text:sub(-3)
  local at = tail:find "[\194-\244][\128-\191]*$"
  if not at then return text end
  local lead = tail:byte(at)
  local size = lead >= 240 and 4 or lead >= 224 and 3 or 2
  local there = #tail - at + 1
  return there < size and text:sub(1, -there - 1) or text
end

--- What is kept: the same bytes whatever the chunks were.
---@return string
function Body:text()
  if self.redaction and not self.over then keep(self, self.redaction:finish()) end
  self.redaction = nil
  local text = table.concat(self.parts)
  return self.over and without_torn_char(text:sub(1, self.capacity)) or text
end

--- Does a NUL near its start make it binary?
---@return boolean
function Body:has_nul()
  return self.start:find("\0", 1, true) ~= nil
end

return M
