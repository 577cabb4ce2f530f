--- Words of a shell command.

local M = {}

--- A word in single quotes, which `sh` reads back as nothing but a word.
---@param word string without NUL
---@return string
function M.quoted(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- A word as `sh` reads it back: bare when that is safe, else in single quotes.
---@param word string without NUL
---@return string
function M.quote(word)
  if word:find "^[%w_./+@%%=:,-]+$" then return word end
  return M.quoted(word)
end

return M
