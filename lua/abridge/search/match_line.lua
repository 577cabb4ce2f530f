--- One line of a search as it is shown: redacted, then cut to a window around the match. If the line was too long to
--- keep, the bytes around the match are read from its file.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local strings = require "abridge.base.strings"

local HIDDEN = require("abridge.redact.rules").hidden

local M = {}

local WHOLE = 64 * 1024 -- bytes of a line that is redacted as a whole
local EDGE = 256 -- bytes at the end of a piece that may hold a part of a secret
local MARGIN = 1024 -- bytes on either side of a window that are redacted with it
local CHAR = 4 -- bytes of a char, at most

---@class (exact) abridge.MatchLine A line or a piece of one, redacted.
---@field text string
---@field first integer|nil first byte of the match
---@field last integer|nil
---@field before boolean the line starts before this piece
---@field after boolean

-- bytes of a file ---------------------------------------------------------------------------

--- Bytes of a regular file; "" if they cannot be read.
---@param path string
---@param offset integer from 0
---@param size integer
---@return string
function M.read(path, offset, size)
  return files.with_open(path, function(fd)
    return files.read(fd, size, offset)
  end) or ""
end

-- the piece around a match --------------------------------------------------------------------

local function strip_end(line)
  return (line:gsub("\r?\n$", ""))
end

--- Bytes from..to of a line whose start alone is known, and whether they reach its end. Nil if the file is not the one
--- rg read: changed since, or in another encoding.
local function from_file(event, path, from, to)
  local start = event.line:sub(1, WHOLE)
  if M.read(path, event.offset, #start) ~= start then return nil end
  local bytes = M.read(path, event.offset + from - 1, to - from + 1)
  local at = event.first - from + 1
  local match = event.match or ""
  local seen = bytes:sub(at, at + #match - 1)
  if seen == "" and match ~= "" or seen ~= match:sub(1, #seen) then return nil end
  local stop = bytes:find("\n", at, true)
  if stop then return (bytes:sub(1, stop - 1):gsub("\r$", "")), true end
  return bytes, #bytes < to - from + 1
end

--- The piece of a line that contains the window; a short line whole.
local function piece_of(event, path, width, redacts)
  local line = event.whole and strip_end(event.line) or event.line
  local first, last = event.first, event.last
  if event.whole and #line <= WHOLE then
    return { text = line, first = first, last = math.min(last, #line), before = false, after = false }
  end
  local side = width * CHAR + MARGIN
  local from = math.max(first - side, 1)
  local to = math.min(last, first + side) + side
  local piece = { before = from > 1, first = first - from + 1, last = last - from + 1 }
  if event.whole or to <= #line then
    piece.text, piece.after = line:sub(from, to), to < #line or not event.whole
  else
    local text, ends = from_file(event, path, from, to)
    if text then
      piece.text, piece.after = text, not ends
    else -- the match is all that is known, which may be half a secret
      piece.text, piece.first, piece.last = redacts and HIDDEN or event.match or "", 1, math.huge
      piece.after = true
    end
  end
  piece.last = math.min(piece.last, #piece.text)
  return piece
end

-- place of a match after redaction ------------------------------------------------------------

--- The place of the match in the redacted text; if it was redacted itself, that of the first change.
local function located(text, safe, first, last)
  if text == safe then return first, last end
  local before, after = strings.common(text, safe)
  if last <= before then return first, last end
  local shift = #safe - #text
  if first > #text - after then return first + shift, last + shift end
  local match = text:sub(first, last)
  local at = match ~= "" and safe:find(match, math.max(before - #match, 1), true)
  if at then return at, at + #match - 1 end
  return before + 1, before + 1
end

--- The part of a line that may be shown, redacted.
---@param event abridge.RgEvent
---@param path string its file
---@param width integer chars of the window, at most
---@param redactor? abridge.Redactor
---@return abridge.MatchLine
function M.line(event, path, width, redactor)
  local piece = piece_of(event, path, width, redactor ~= nil)
  local safe = redactor and piece.text ~= HIDDEN and redactor:text(piece.text) or piece.text
  local first, last = located(piece.text, safe, piece.first, piece.last)
  local from, to = 1, #safe
  if piece.before and safe ~= piece.text then from = math.max(math.min(EDGE + 1, first), 1) end
  if piece.after and safe ~= piece.text then to = math.max(to - EDGE, first) end
  piece.text = safe:sub(from, to)
  piece.first, piece.last = first - from + 1, math.min(last, to) - from + 1
  return piece
end

-- the window --------------------------------------------------------------------------------

--- A line within this many chars. Cut lines have a mark in place of the missing text.
---@param line abridge.MatchLine
---@param width integer chars
---@return string shown
---@return boolean was_cut
function M.window(line, width)
  -- newlines mark the missing parts: a line has none of its own
  local beyond = (line.before or line.after) and ("\n"):rep(width + 1) or ""
  local front = line.before and beyond or ""
  local text = front .. line.text .. (line.after and beyond or "")
  local first = math.min(line.first + #front, #text)
  local last = math.max(math.min(line.last + #front, #text), first)
  local match = first > 0 and { first, last } or nil
  local shown, was_cut = core.line(text, width, match)
  if not was_cut then return shown, false end
  return (shown:gsub("\n", "")), true
end

return M
