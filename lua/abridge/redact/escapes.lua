--- A text as its escapes read: those of JSON and of C, and of the names in our listings.

local char, find, gmatch, gsub = string.char, string.find, string.gmatch, string.gsub
local concat, floor = table.concat, math.floor

local M = {}

--- A char in UTF-8.
local function char_of(code)
  if code < 0x80 then return char(code) end
  local bytes, most = "", 0x40
  repeat
    bytes, code, most = char(0x80 + code % 0x40) .. bytes, floor(code / 0x40), most / 2
  until code < most
  return char(0x100 - 2 * most + code) .. bytes
end

local HELD = "\1" -- stands for an escaped backslash while the other escapes are read

local function pair(high, low)
  return char_of(0x10000 + (tonumber(high, 16) - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00)
end

--- A char by its number; nil for a line end.
local function numbered(code, as_char)
  if code ~= 10 and code ~= 13 then return as_char(code) end
end

local function unicode(digits)
  return numbered(tonumber(digits, 16), char_of)
end

local function hexadecimal(digits)
  return numbered(tonumber(digits, 16), char)
end

local function octal(digits)
  return numbered(tonumber(digits, 8), char)
end

--- Does a text have escapes? Those of line ends do not count.
---@param text string
---@return boolean
function M.any(text)
  local at = find(text, "\\", 1, true)
  while at and not find(text, "^[%p%dtux]", at + 1) do
    at = find(text, "\\", at + 1, true)
  end
  return at ~= nil
end

--- The lines of a text that have a backslash, a newline before the first and after each; nil if none has escapes. The
--- text itself starts and ends with a newline.
---@param text string
---@return string|nil
function M.lines(text)
  if not M.any(text) then return nil end
  local found = {}
  for line in gmatch(text, "\n([^\n\\]*\\[^\n]*)") do
    found[#found + 1] = line
  end
  return "\n" .. concat(found, "\n") .. "\n"
end

--- The text with its escapes read once: the result may have escapes of its own. Those of line ends stay.
---@param text string
---@return string
function M.read(text)
  local doubled = find(text, "\\\\", 1, true)
  if doubled then text = gsub(text, "\\\\", HELD) end
  if find(text, "\\u", 1, true) then
    text = gsub(text, "\\u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", pair)
    text = gsub(text, "\\u(%x%x%x%x)", unicode)
  end
  if find(text, "\\x", 1, true) then text = gsub(text, "\\x(%x%x)", hexadecimal) end
  if find(text, "\\%d") then text = gsub(text, "\\([0-3][0-7][0-7])", octal) end
  if find(text, "\\t", 1, true) then text = gsub(text, "\\t", "\t") end
  text = gsub(text, "\\(%p)", "%1")
  return doubled and gsub(text, HELD, "\\") or text
end

--- The start of a text without the escape it may end in, and the end of one without the escape it may begin in.
---@param head string
---@param tail string
---@return string head
---@return string tail
function M.apart(head, tail)
  return (gsub(head, "\\+[ux]?%x*$", "")), (gsub(tail, "^[%ptux]?%x?%x?%x?%x?", ""))
end

return M
