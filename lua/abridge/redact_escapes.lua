--- A text as its escapes read: those of JSON, of C, of URLs, and of names in listings of ours.

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

local HELD = "\1" -- in place of a backslash that was escaped, while the other escapes are read

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

--- Does a mark stand in a text with that behind it?
local function has(text, mark, behind)
  local at = find(text, mark, 1, true)
  while at do
    if find(text, behind, at + 1) then return true end
    at = find(text, mark, at + 1, true)
  end
  return false
end

--- One family of escapes. What an escape spells may have escapes of its own; those of line ends are none.
---@class (exact) abridge.redact.Escapes: abridge.redact.Reading
---@field any fun(text: string): boolean has a text such escapes?
---@field lines string pattern of a line that may have them, behind a newline
---@field of fun(text: string): string the text without its escapes
---@field apart fun(head: string, tail: string): string, string the start of a text that ends in no escape, and the end
---  of one that does not begin in one

---@type abridge.redact.Escapes
M.backslashes = {
  lines = "\n([^\n\\]*\\[^\n]*)",
  any = function(text)
    return has(text, "\\", "^[%p%dtux]")
  end,
  of = function(text)
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
  end,
  apart = function(head, tail)
    return (gsub(head, "\\+[ux]?%x*$", "")), (gsub(tail, "^[%ptux]?%x?%x?%x?%x?", ""))
  end,
}

---@type abridge.redact.Escapes
M.percents = {
  lines = "\n([^\n%%]*%%[^\n]*)",
  any = function(text)
    return has(text, "%", "^%x%x")
  end,
  of = function(text)
    return (gsub(text, "%%(%x%x)", hexadecimal))
  end,
  apart = function(head, tail)
    return (gsub(head, "%%%x?$", "")), (gsub(tail, "^%x?%x?", ""))
  end,
}

--- The lines of a text that may have escapes of a family, with a newline in front of the first and behind each; nil
--- where none has. A newline stands in front of the text and behind it.
---@param text string
---@param family abridge.redact.Escapes
---@return string|nil
function M.lines(text, family)
  if not family.any(text) then return nil end
  local found = {}
  for line in gmatch(text, family.lines) do
    found[#found + 1] = line
  end
  return "\n" .. concat(found, "\n") .. "\n"
end

return M
