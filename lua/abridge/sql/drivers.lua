--- The abilities of LuaSQL's drivers and their engines, and how each engine is made to refuse writes. sqlite3 and
--- PostgreSQL were tried against real engines; MySQL and ODBC follow their drivers' sources.

local check = require "abridge.base.check"
local luasql = require "abridge.sql.luasql"
local sentences = require "abridge.output.sentences"
local statements = require "abridge.sql.statement"
local words = require "abridge.sql.words"

local M = {}

local close, execute, is_cursor, scalar = luasql.close, luasql.execute, luasql.is_cursor, luasql.scalar

-- read only, by each engine --------------------------------------------------------

--- The savepoint that a model's statement runs in: its effects are undone, a transaction of the host's stays.
local SAVEPOINT = "SAVEPOINT abridge_read_only"
local ROLLBACK = { "ROLLBACK TO SAVEPOINT abridge_read_only", "RELEASE SAVEPOINT abridge_read_only" }

local function execute_all(conn, list)
  for _, statement in ipairs(list) do
    close(execute(conn, statement))
  end
end

--- Inside a savepoint SQLite also refuses VACUUM INTO, DETACH and another journal mode, which query_only lets through.
local function sqlite_read_only(conn)
  local was, message = scalar(conn, "PRAGMA query_only")
  if was == nil then return nil, message end
  local back = tonumber(was) == 1 and "PRAGMA query_only=ON" or "PRAGMA query_only=OFF"
  execute(conn, "PRAGMA query_only=ON")
  local now, why = scalar(conn, "PRAGMA query_only")
  if tonumber(now) ~= 1 then return nil, sentences.message("sql_not_read_only", { what = (check.text(why or now)) }) end
  local saved
  saved, why = execute(conn, SAVEPOINT)
  close(saved)
  if not saved then
    execute(conn, back)
    return nil, sentences.message("sql_not_read_only", { what = why })
  end
  return function()
    execute_all(conn, ROLLBACK)
    execute(conn, back)
  end
end

--- Inside a transaction of the host's, a savepoint preserves it; outside there is none to preserve.
local function postgres_read_only(conn)
  local leave
  if execute(conn, SAVEPOINT) then
    execute(conn, "SET TRANSACTION READ ONLY")
    leave = ROLLBACK
  else
    local started, message = execute(conn, "START TRANSACTION READ ONLY")
    if not started then return nil, message end
    leave = { "ROLLBACK" }
  end
  local state, why = scalar(conn, "SHOW transaction_read_only")
  if state == "on" then
    return function()
      execute_all(conn, leave)
    end
  end
  execute_all(conn, leave)
  return nil, sentences.message("sql_not_read_only", { what = (check.text(why or state)) })
end

--- START would commit a transaction of the host's. MySQL keeps a savepoint only inside a transaction, which can no
--- longer be made read only: there a statement's effects are undone.
local function mysql_read_only(conn)
  if execute(conn, SAVEPOINT) and execute(conn, ROLLBACK[1]) then
    return function()
      execute_all(conn, ROLLBACK)
    end
  end
  local started, message = execute(conn, "START TRANSACTION READ ONLY")
  if not started then return nil, message end
  return function()
    execute(conn, "ROLLBACK")
  end
end

-- drivers -----------------------------------------------------------------------------

--- LuaSQL 2.6.0 accepts values after the statement but binds none of them; later versions do.
local function sqlite_binds(conn)
  return scalar(conn, "SELECT ?", "abridge") == "abridge"
end

--- LuaSQL 2.6.0 runs a statement to look for a first row, and again to fetch it; later versions keep the row.
local function sqlite_runs_twice(conn)
  execute(conn, "SAVEPOINT abridge_trial")
  execute(conn, "CREATE TEMP TABLE abridge_trial(x)")
  local cursor = execute(conn, "INSERT INTO temp.abridge_trial VALUES (1) RETURNING x")
  if is_cursor(cursor) then pcall(cursor.fetch, cursor, {}, "n") end
  close(cursor)
  local count = scalar(conn, "SELECT count(*) FROM temp.abridge_trial")
  execute(conn, "ROLLBACK TO abridge_trial")
  execute(conn, "RELEASE abridge_trial")
  return count ~= 1
end

--- LuaSQL 2.8 returns a row of nulls when there is no row.
local function sqlite_invents_row(conn)
  local cursor = execute(conn, "SELECT 1 WHERE 0")
  local ok, row = pcall(cursor.fetch, cursor, {}, "n")
  close(cursor)
  return ok and row ~= nil
end

---@class (exact) abridge.SqlDriver
---@field dialect abridge.SqlDialect
---@field read_only? fun(conn: any): fun()|nil, string|nil makes the engine refuse writes; returns a function to undo it
---@field refuses? fun(found: abridge.SqlReading): string|nil words that `read_only` does not cover
---@field binds? fun(conn: any): boolean can values be bound to `?`
---@field booleans? boolean true and false can be bound
---@field batches? boolean rows come in batches from a cursor on the server; else the driver reads all of them at once
---@field addresses? string pattern of values of EXPLAIN that show addresses in memory
---@field runs_twice? fun(conn: any): boolean is a statement run to look for a first row, and again to fetch it?
---@field invents_row? fun(conn: any): boolean does it return a row of nulls when there is no row?
---@field blob? string pattern of the types that say a value is binary
---@field number? string pattern of the types whose values come as text and are numbers
---@field boolean? string pattern of the types whose values come as "t" and "f"
---@field hex? boolean binary values come as \x and hexadecimal digits

---@type table<string, abridge.SqlDriver> by the name that a connection shows
local DRIVERS = {
  SQLite3 = {
    dialect = statements.dialects.SQLite3,
    read_only = sqlite_read_only,
    refuses = words.sqlite,
    binds = sqlite_binds,
    runs_twice = sqlite_runs_twice,
    invents_row = sqlite_invents_row,
    addresses = "^(vtab):%x+$",
    blob = "BLOB",
  },
  PostgreSQL = {
    dialect = statements.dialects.PostgreSQL,
    read_only = postgres_read_only,
    refuses = words.server,
    batches = true,
    blob = "^BYTEA$",
    hex = true,
    number = "^INT[248]$|^FLOAT[48]$|^NUMERIC$|^OID$",
    boolean = "^BOOL$",
  },
  MySQL = {
    dialect = statements.dialects.MySQL,
    read_only = mysql_read_only,
    refuses = words.mysql,
    number = "^NUMBER",
  },
  ODBC = {
    dialect = {},
    binds = function()
      return true
    end,
    booleans = true,
    blob = "BINARY",
  },
}
local OTHER = { dialect = {}, blob = "BLOB" }

--- The driver of a kind of connection; if it is not in the table, one of which nothing is assumed.
---@param kind string
---@return abridge.SqlDriver
function M.of(kind)
  return DRIVERS[kind] or OTHER
end

return M
