--- Plain data: what any JSON library encodes, and what a caller may change without changing ours.

local core = require "abridge.core"

local M = {}

local MAX_DEPTH = 100 -- deeper than any JSON worth keeping; also where a cycle ends

local PLAIN = { number = true, boolean = true }

local WHOLE = { max_lines = 2 ^ 53, utf8 = "replace" }

--- A deep copy of what is plain in a value; strings become valid UTF-8. Functions, threads and userdata are left
--- out.
---@param value any
---@param keep_empty? boolean keep tables without content, which JSON may take for [] or {}
---@return any
function M.copy(value, keep_empty, depth)
  depth = depth or 0
  if PLAIN[type(value)] then return value end
  if type(value) == "string" then return (core.head(value, WHOLE)) end
  if type(value) ~= "table" or depth > MAX_DEPTH then return nil end
  local copy = {}
  for key, inner in next, value do
    if type(key) == "string" or type(key) == "number" then copy[key] = M.copy(inner, keep_empty, depth + 1) end
  end
  if next(copy) == nil and not keep_empty then return nil end
  return copy
end

--- Move a ledger's ranges by bytes and lines that lie before its text.
---@param cut abridge.Cut
---@param bytes integer
---@param lines integer
function M.shift(cut, bytes, lines)
  for _, range in ipairs(cut.kept) do
    range.first_byte = range.first_byte + bytes
    range.last_byte = range.last_byte + bytes
    range.first_line = range.first_line + lines
    range.last_line = range.last_line + lines
  end
end

return M
