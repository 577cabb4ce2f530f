--- The name of a file as a line of a listing: one name, one line.

local M = {}

local NAMED = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\" }

local function escaped(byte)
  return NAMED[byte] or ("\\%03o"):format(byte:byte())
end

local function escaped_char(char)
  return (char:gsub(".", escaped))
end

--- Is there nothing to escape in a text of names? NUL is not looked for.
---@param text string
---@return boolean
function M.is_plain(text)
  return not (text:find "[\1-\31\127\\]" or text:find "\194[\128-\159]")
end

--- A name or path as `ls -b` shows it: control bytes, C1 controls and backslashes escaped.
---@param name string
---@return string
function M.escape(name)
  return (name:gsub("[%z\1-\31\127\\]", escaped):gsub("\194[\128-\159]", escaped_char))
end

return M
