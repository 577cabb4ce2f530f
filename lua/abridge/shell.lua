--- Words of a shell command.

local M = {}

--- A word as `sh` reads it back: bare when that is safe, else in single quotes.
---@param word string without NUL
---@return string
function M.quote(word)
  if word:find "^[%w_./+@%%=:,-]+$" then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

return M
