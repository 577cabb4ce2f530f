--- Calls of LuaSQL: the errors it raises come back like any others.

local check = require "abridge.base.check"
local sentences = require "abridge.output.sentences"

local M = {}

--- Execute a statement.
---@param conn any
---@param statement string
---@param ... any values to bind
---@return any result a cursor or a number, nil on failure
---@return string|nil message
function M.execute(conn, statement, ...)
  local ok, result, message = pcall(conn.execute, conn, statement, ...)
  if not ok then
    local said = check.text(result)
    return nil, said:find("is closed", 1, true) and sentences.message("sql_closed", {}) or said
  end
  if result == nil or result == false then return nil, (check.text(message):gsub("%s+$", "")) end
  return result
end

--- Is what `execute` returned a cursor?
---@param value any
---@return boolean
function M.is_cursor(value)
  return type(value) == "userdata" or type(value) == "table"
end

--- Close a cursor; anything else is left alone.
---@param cursor any
function M.close(cursor)
  if M.is_cursor(cursor) then pcall(cursor.close, cursor) end
end

--- The first value of the first row.
---@param conn any
---@param statement string
---@param ... any values to bind
---@return any value
---@return string|nil message
function M.scalar(conn, statement, ...)
  local cursor, message = M.execute(conn, statement, ...)
  if not M.is_cursor(cursor) then return nil, message end
  local ok, row, why = pcall(cursor.fetch, cursor, {}, "n")
  M.close(cursor)
  if not ok then return nil, (check.text(row)) end
  if not row then return nil, why end
  return row[1]
end

return M
