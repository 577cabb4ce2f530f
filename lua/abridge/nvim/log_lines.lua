--- The events of a log, for a list of its calls: read a block at a time, so that no line keeps the editor waiting. Of a
--- long string only the start is decoded: a list shows no more, and contents are most of a log.

local files = require "abridge.base.files"
local folder = require "abridge.run.folder"

local M = {}

local LONG = 64 * 1024 -- bytes of a line from which on its strings are cut
local MOST_KEPT = 1024 -- bytes of a string that is cut, about
local MOST_DECODED = 256 * 1024 -- bytes of a line without its long strings
local ESCAPE = 12 -- bytes of the longest escape, a pair of surrogates

-- long strings ---------------------------------------------------------------------------

---@class abridge.nvim.Pruner A line of JSON that arrives in pieces and loses the rest of its long strings.
---@field parts string[]
---@field bytes integer of the parts
---@field private inside boolean a string is open
---@field private kept integer bytes of it
---@field private carry string the start of an escape whose end has not come
local Pruner = {}
Pruner.__index = Pruner

local function emit(self, text)
  self.parts[#self.parts + 1] = text
  self.bytes = self.bytes + #text
end

--- Take bytes of a string, if there is room for them.
local function keep(self, text)
  local room = MOST_KEPT - self.kept
  if room > 0 then emit(self, text:sub(1, room)) end
  self.kept = self.kept + #text
end

--- Take an escape, whole or not at all; returns the offset after it.
local function take_escape(self, text, at)
  local escape = text:match("^\\u[dD][89abAB]%x%x\\u[dD][c-fC-F]%x%x", at)
    or text:match("^\\u%x%x%x%x", at)
    or text:sub(at, at + 1)
  if self.kept < MOST_KEPT then emit(self, escape) end
  self.kept = self.kept + #escape
  return at + #escape
end

--- Take bytes of a string from `at` on; returns the offset after them, or nil if more must come first.
local function take_string(self, text, at, final)
  local stop = text:find('["\\]', at) or #text + 1
  if stop > at then keep(self, text:sub(at, stop - 1)) end
  local char = text:sub(stop, stop)
  if char == '"' then
    emit(self, char)
    self.inside = false
    return stop + 1
  elseif char == "\\" then
    if #text - stop + 1 < ESCAPE and not final then
      self.carry = text:sub(stop)
      return nil
    end
    return take_escape(self, text, stop)
  end
  return stop
end

--- Take the next piece of the line.
---@param piece string
---@param final boolean the line ends there
function Pruner:add(piece, final)
  local text, at = self.carry .. piece, 1
  self.carry = ""
  while at and at <= #text do
    if self.inside then
      at = take_string(self, text, at, final)
    else
      local quote = text:find('"', at, true)
      emit(self, text:sub(at, quote or #text))
      at = (quote or #text) + 1
      self.inside, self.kept = quote ~= nil, 0
    end
  end
end

local function new_pruner()
  return setmetatable({ parts = {}, bytes = 0, inside = false, kept = 0, carry = "" }, Pruner)
end

-- reading --------------------------------------------------------------------------------

---@class abridge.nvim.LogLines
---@field position integer of the line that comes next
---@field skipped integer lines with too much in them to be decoded
---@field broken integer lines that aren't events
---@field private path string
---@field private json abridge.host.Json
local Lines = {}
Lines.__index = Lines

---@param run abridge.Run
---@return abridge.nvim.LogLines
function M.new(run)
  local path = run.dir .. "/" .. folder.LOG
  return setmetatable({ path = path, json = run.json, position = 0, skipped = 0, broken = 0 }, Lines)
end

--- The event on a line; nil if there is none, or too much of one.
local function event_of(self, line)
  local text = line.text
  if line.pruner then
    line.pruner:add("", true)
    text = line.pruner.bytes <= MOST_DECODED and table.concat(line.pruner.parts) or nil
    if not text then self.skipped = self.skipped + 1 end
  end
  local event = text and folder.decoded(self.json, text)
  if text and not event then self.broken = self.broken + 1 end
  return event
end

--- Take a piece of a line.
local function add(line, piece)
  line.bytes = line.bytes + #piece
  if line.pruner then
    if line.pruner.bytes <= MOST_DECODED then line.pruner:add(piece, false) end
  elseif line.bytes > LONG then
    line.pruner = new_pruner()
    line.pruner:add(line.text .. piece, false)
    line.text = nil
  else
    line.text = line.text .. piece
  end
end

--- Read the lines added since the last time. Gives way between lines, and between blocks of a long one.
---@param work abridge.Work
---@param visit fun(event: table, start: integer): boolean|nil gets an event and the start of its line; false to stop
---@return boolean|nil ok nil if the log cannot be read
---@return string|nil message
function Lines:read(work, visit)
  local fd, why = files.open(self.path)
  if not fd then return nil, why end
  local message
  local log = {
    close = function()
      if fd then files.close(fd) end
      fd = nil
    end,
  }
  work:hold(log)
  local at, going, line = self.position, true, { text = "", bytes = 0 }
  while going do
    local chunk
    chunk, message = files.read(fd, LONG, at)
    if not chunk or chunk == "" then break end
    local start = 1
    while going do
      local newline = chunk:find("\n", start, true)
      add(line, chunk:sub(start, (newline or 0) - 1))
      work:pause()
      if not newline then break end
      local event, from = event_of(self, line), self.position
      self.position, line = from + line.bytes + 1, { text = "", bytes = 0 }
      if event then going = visit(event, from) ~= false end
      start = newline + 1
    end
    at = at + #chunk
  end
  log.close()
  return message == nil or nil, message
end

return M
