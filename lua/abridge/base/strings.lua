--- Functions that Lua's strings lack: newlines counted, bytes that two texts have in common, valid UTF-8.

local bisect = require "abridge.base.bisect"
local core = require "abridge.base.core_loader"

local M = {}

local WHOLE = { max_lines = 2 ^ 53, utf8 = "replace" }

--- A text as valid UTF-8: U+FFFD in place of invalid bytes.
---@param text string
---@return string
function M.valid(text)
  return (core.head(text, WHOLE))
end

--- How many newlines a text has.
---@param text string
---@return integer
function M.newlines(text)
  return core.count_lines(text) - (text ~= "" and text:sub(-1) ~= "\n" and 1 or 0)
end

--- How many bytes two texts share at the start, and how many of the rest at the end.
---@param a string
---@param b string
---@return integer head
---@return integer tail
function M.common(a, b)
  local shorter = math.min(#a, #b)
  local head = bisect.last(shorter, function(n)
    return a:sub(1, n) == b:sub(1, n)
  end)
  local tail = bisect.last(shorter - head, function(n)
    return a:sub(#a - n + 1) == b:sub(#b - n + 1)
  end)
  return head, tail
end

return M
