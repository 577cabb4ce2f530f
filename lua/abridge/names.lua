--- Names of files as a listing shows them: one name, one line.

local M = {}

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ["\\"] = "\\\\" }

--- A file name as `ls -b` shows it: control bytes and backslashes escaped, so that no name breaks a line.
---@param name string
---@return string
function M.name(name)
  return (name:gsub("[%z\1-\31\127\\]", function(c)
    return ESCAPES[c] or ("\\%03o"):format(c:byte())
  end))
end

return M
