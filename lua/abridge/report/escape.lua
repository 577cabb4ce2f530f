--- Any bytes as text of an HTML page: they can't become markup, and chars that are invisible or change the direction of
--- text show by their names.

local strings = require "abridge.base.strings"

local M = {}

local MARKUP = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

--- Chars of several bytes that do not show: C1 controls, marks that turn text, chars without width (but the joiners
--- that some scripts and emoji need), line separators, tags.
local HIDDEN = {
  "\194[\128-\159\173]",
  "\216\156",
  "\225\160\142",
  "\226\128[\139\142\143\168-\174]",
  "\226\129[\160-\175]",
  "\239\187\191",
  "\239\191[\185-\187]",
  "\243\160[\128\129][\128-\191]",
}

--- The number of a char of two to four bytes.
local function number_of(char)
  local first, rest = char:byte(1), { char:byte(2, -1) }
  local number = first % 2 ^ (6 - #rest)
  for _, byte in ipairs(rest) do
    number = number * 64 + byte % 64
  end
  return number
end

local function escaper(before, after)
  local function control(byte)
    return before .. "^" .. string.char((byte:byte() + 64) % 128) .. after
  end
  local function hidden(char)
    return ("%sU+%04X%s"):format(before, number_of(char), after)
  end
  return function(text)
    if not text:find "[^\t\n !#-%(-;=?-~]" then return text end
    text = strings.valid(text):gsub("[&<>\"']", MARKUP):gsub("[%z\1-\8\11-\31\127]", control)
    if not text:find "[\194\216\225\226\239\243]" then return text end
    for _, chars in ipairs(HIDDEN) do
      text = text:gsub(chars, hidden)
    end
    return text
  end
end

--- Text for an element's content; names of invisible chars stand out.
---@type fun(text: string): string
M.text = escaper("<i>", "</i>")

--- Text where no element may be: a title, an attribute in quotes.
---@type fun(text: string): string
M.plain = escaper("", "")

--- A path as an address has it.
---@param path string any bytes
---@return string
function M.path(path)
  return (path:gsub("[^A-Za-z0-9/_.~-]", function(byte)
    return ("%%%02X"):format(byte:byte())
  end))
end

--- The address of a file.
---@param path string an absolute path of any bytes
---@return string
function M.file_url(path)
  return "file://" .. M.path(path)
end

return M
