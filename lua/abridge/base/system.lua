--- Which system this is, where that matters to more than the core.

local M = {}

--- What does not work on Windows says this; the core says the same.
M.UNSUPPORTED, M.ENOTSUP = "not supported on Windows", "ENOTSUP"

--- Is this Windows? Asked anew each time, so that a test may say so.
---@return boolean
function M.is_windows()
  local jit = rawget(_G, "jit")
  if jit then return jit.os == "Windows" end
  return package.config:sub(1, 1) == "\\"
end

--- The name of the file that is the core.
---@return string
function M.core_name()
  return M.is_windows() and "core.dll" or "core.so"
end

return M
