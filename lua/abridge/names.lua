--- Names of files as lines of a listing: one name, one line.

local M = {}

local NAMED = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\" }

local function escaped(byte)
  return NAMED[byte] or ("\\%03o"):format(byte:byte())
end

--- A name or path as `ls -b` shows it: control bytes and backslashes escaped.
---@param name string
---@return string
function M.name(name)
  return (name:gsub("[%z\1-\31\127\\]", escaped))
end

return M
