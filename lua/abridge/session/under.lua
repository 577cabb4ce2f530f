--- A session under other limits of a tool, for a call with its own limits.

local check = require "abridge.base.check"
local limit = require "abridge.output.limit"

local M = {}

local BYTES_A_CHAR = 4
local MOST_BYTES = 2 ^ 53 -- that a budget may have

--- Limits that somebody gave, to go over those of a session.
---@param limits table<string, any>
---@return table<string, any> a copy
function M.over(limits)
  local own = check.copied(limits)
  own.utf8 = nil -- a session always replaces
  for _, key in ipairs(limits.strategy == "pipeline" and limit.not_for_pipeline or {}) do
    if own[key] == nil then own[key] = false end -- takes that of the profile away
  end
  return own
end

--- The same session with these limits of a tool over its own: calls are numbered, logged and counted as the session's.
--- Raises if they are wrong.
---@param who string
---@param session abridge.Session
---@param tool string
---@param limits table<string, any>
---@return abridge.Session
function M.of(who, session, tool, limits)
  local limit_table = session.table_of_limits:with(who, tool, M.over(limits))
  return setmetatable({ table_of_limits = limit_table }, { __index = session, __newindex = session })
end

--- The same session for a result of a tool that may have so many chars, in place of the tool's budgets.
---@param who string
---@param session abridge.Session
---@param tool string
---@param chars integer
---@return abridge.Session
function M.with_chars(who, session, tool, chars)
  local row = { max_chars = chars, max_bytes = false, max_lines = false, max_tokens = false, output = false }
  local wide = M.of(who, session, tool, row)
  wide.table_of_limits:raise_ceiling(math.min(chars * BYTES_A_CHAR, MOST_BYTES))
  return wide
end

return M
