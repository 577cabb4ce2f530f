--- Databases that a host hands to a session: paths of SQLite files, which we open read only, and LuaSQL connections,
--- read only unless the host says otherwise.
---
--- What keeps a read-only database unchanged is its engine; `sql_words` stands behind it. LuaSQL is synchronous: the
--- host stands still while an engine works. Of the drivers sqlite3 and PostgreSQL have been run for real; MySQL and
--- ODBC follow their drivers' sources.

local check = require "abridge.base.check"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"
local sqlite_file = require "abridge.sql.sqlite_file"
local statements = require "abridge.sql.statement"
local words = require "abridge.sql.words"

local M = {}

-- talking to LuaSQL ------------------------------------------------------------

--- Execute a statement; what LuaSQL raises (a closed connection) comes back like any other error.
---@return any result a cursor or a number, nil on failure
---@return string|nil message
local function execute(conn, statement, ...)
  local ok, result, message = pcall(conn.execute, conn, statement, ...)
  if not ok then
    local said = check.text(result)
    return nil, said:find("is closed", 1, true) and sentences.message("sql_closed", {}) or said
  end
  if result == nil or result == false then return nil, (check.text(message):gsub("%s+$", "")) end
  return result
end

local function is_cursor(value)
  return type(value) == "userdata" or type(value) == "table"
end

local function close(cursor)
  if is_cursor(cursor) then pcall(cursor.close, cursor) end
end

--- The first value of the first row.
local function scalar(conn, statement, ...)
  local cursor, message = execute(conn, statement, ...)
  if not is_cursor(cursor) then return nil, message end
  local ok, row, why = pcall(cursor.fetch, cursor, {}, "n")
  close(cursor)
  if not ok then return nil, (check.text(row)) end
  if not row then return nil, why end
  return row[1]
end

-- read only, by each engine --------------------------------------------------------

local TRANSACTION = {
  BEGIN = true,
  START = true,
  COMMIT = true,
  END = true,
  ROLLBACK = true,
  ABORT = true,
  SAVEPOINT = true,
  RELEASE = true,
  XA = true,
}

--- The savepoint that a statement of the model's runs in; what it did is undone, a transaction of the host's stays.
local SAVEPOINT = "SAVEPOINT abridge_read_only"
local ROLLBACK = { "ROLLBACK TO SAVEPOINT abridge_read_only", "RELEASE SAVEPOINT abridge_read_only" }

local function execute_all(conn, list)
  for _, statement in ipairs(list) do
    close(execute(conn, statement))
  end
end

--- Within a savepoint SQLite also refuses VACUUM INTO, DETACH and another journal mode, which query_only lets through.
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

--- Inside a transaction of the host's a savepoint keeps that transaction; outside there is none to keep.
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
  if state == "on" then return function() execute_all(conn, leave) end end
  execute_all(conn, leave)
  return nil, sentences.message("sql_not_read_only", { what = (check.text(why or state)) })
end

--- START would commit a transaction of the host's. MySQL keeps a savepoint only inside one, which cannot be made read
--- only any more: what a statement did there is undone.
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

--- LuaSQL 2.6.0 takes values behind the statement without a word and binds none of them; later ones bind.
local function sqlite_binds(conn)
  return scalar(conn, "SELECT ?", "abridge") == "abridge"
end

--- LuaSQL 2.6.0 runs a statement to look for a first row, and again when that is fetched; later ones keep the row.
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

--- LuaSQL 2.8 hands out a row of nulls where there is no row.
local function sqlite_invents_row(conn)
  local cursor = execute(conn, "SELECT 1 WHERE 0")
  local ok, row = pcall(cursor.fetch, cursor, {}, "n")
  close(cursor)
  return ok and row ~= nil
end

---@class (exact) abridge.SqlDriver
---@field dialect abridge.SqlDialect
---@field read_only? fun(conn: any): fun()|nil, string|nil makes the engine refuse writes; returns what ends that
---@field refuses? fun(found: abridge.SqlReading): string|nil words that `read_only` does not cover
---@field binds? fun(conn: any): boolean can values be bound to `?`
---@field booleans? boolean true and false can be bound
---@field batches? boolean rows come in batches from a cursor of the server's; else the driver takes in all at once
---@field addresses? string pattern of values that tell where something lies in memory, in what EXPLAIN shows
---@field runs_twice? fun(conn: any): boolean is a statement run to look for a first row, and again to fetch it?
---@field invents_row? fun(conn: any): boolean is there a row of nulls where there is none?
---@field blob? string pattern of the types that say a value is binary
---@field number? string pattern of the types whose values come as text and are numbers
---@field boolean? string pattern of the types whose values come as "t" and "f"
---@field hex? boolean binary values come as \x and hexadecimal digits

---@type table<string, abridge.SqlDriver>
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

-- the host's option ---------------------------------------------------------------------

---@class abridge.Database
---@field name string
---@field kind string the driver: "SQLite3", "PostgreSQL", "MySQL", "ODBC", ...
---@field read_only boolean
---@field private conn any nil until a file was opened
---@field private path? string the file
---@field private close_file? fun()
---@field private known table<string, boolean> what was found out of its driver
---@field private driver abridge.SqlDriver
local Database = {}
Database.__index = Database
Database.__name = "abridge.Database"

local function is_connection(value)
  if type(value) ~= "userdata" and type(value) ~= "table" then return false end
  local ok, method = pcall(function()
    return value.execute
  end)
  return ok and type(method) == "function"
end

local OPTIONS = {
  connection = function(value)
    if not is_connection(value) then return "a LuaSQL connection" end
  end,
  read_only = "boolean",
}

local function kind_of(conn)
  local ok, shown = pcall(tostring, conn)
  return ok and shown:match "^([%w_]+) connection" or "unknown"
end

--- A file of SQLite's, opened when it is first asked.
local function file_at(who, name, path, deeper)
  if path == "" or path:find("\0", 1, true) then
    check.fail(("%s.%s must be the path of a file, got %s"):format(who, name, check.show(path)), deeper)
  end
  if host.uv() then path = files.absolute(path) end
  local self = { name = name, kind = "SQLite3", read_only = true, path = path, driver = DRIVERS.SQLite3, known = {} }
  return setmetatable(self, Database)
end

local function open(who, name, value, deeper)
  if type(value) == "string" then
    local file = file_at(who, name, value, deeper + 1)
    return file -- no tail call: the level of an error counts this function
  end
  local given = { connection = value }
  if not is_connection(value) then
    if type(value) ~= "table" then
      local wanted = "%s.%s must be the path of an SQLite file, a LuaSQL connection or "
        .. "{ connection = ..., read_only = ... }, got %s"
      check.fail(wanted:format(who, name, check.show(value)), deeper)
    end
    given = check.options(("%s.%s"):format(who, name), value, OPTIONS, deeper + 1)
    if given.connection == nil then check.fail(("%s.%s: connection is missing"):format(who, name), deeper) end
  end
  local kind = kind_of(given.connection)
  local driver = DRIVERS[kind] or OTHER
  local read_only = given.read_only ~= false
  if read_only and not driver.read_only then
    local why = "%s.%s: no means is known to make %s database read only; "
      .. "give { connection = ..., read_only = false } to let a model write, got read_only %s"
    check.fail(why:format(who, name, kind == "unknown" and "this" or "a " .. kind, check.show(given.read_only)), deeper)
  end
  return setmetatable({
    name = name,
    kind = kind,
    read_only = read_only,
    conn = given.connection,
    driver = driver,
    known = {},
  }, Database)
end

--- Databases of a session, by name, from its option. Raises naming key and value.
---@param who string
---@param databases table<string, any>
---@param deeper integer
---@return table<string, abridge.Database>|nil databases nil when there are none
function M.open(who, databases, deeper)
  local all
  for name, value in pairs(databases) do
    if type(name) ~= "string" or name == "" then
      check.fail(("%s: a name must be a string that is not empty, got %s"):format(who, check.show(name)), deeper)
    end
    all = all or {}
    all[name] = open(who, name, value, deeper + 1)
  end
  return all
end

--- The names, sorted.
---@param databases table<string, abridge.Database>
---@return string[]
function M.names(databases)
  local names = {}
  for name in pairs(databases) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- Is there one among them that can be asked, as far as is known before it is?
---@param databases table<string, abridge.Database>
---@return true|nil ready
---@return string|nil message what is missing
function M.ready(databases)
  for _, one in pairs(databases) do
    if not one.path then return true end
  end
  local driver, message = sqlite_file.driver()
  return driver and true, message
end

--- Close what was opened here; the connections of the host stay open.
---@param databases table<string, abridge.Database>
function M.close(databases)
  for _, one in pairs(databases) do
    if one.close_file then one.close_file() end
    if one.path then one.conn, one.close_file = nil, nil end
  end
end

--- Have a connection: a file is opened when it is first asked, and looked for again where it was not there.
---@return true|nil connected
---@return string|nil message
function Database:connect()
  if self.conn then return true end
  local conn, closing = sqlite_file.open(self.path)
  if not conn then
    return nil, sentences.message("sql_not_open", { path = sentences.path(self.path), what = closing })
  end
  self.conn, self.close_file = conn, closing
  return true
end

--- Whether its driver does something, of "binds", "runs_twice" and "invents_row". Found out by trying, once.
local function does(self, what)
  if self.known[what] == nil then self.known[what] = self.driver[what] ~= nil and self.driver[what](self.conn) end
  return self.known[what]
end

--- Can its driver bind values to placeholders?
---@return boolean
function Database:binds()
  if not self:connect() then return true end -- what is wrong is told when it is asked
  return does(self, "binds")
end

-- statements -------------------------------------------------------------------------------

local function refusal(code, name, values)
  return { code = code, message = sentences.message(name, values or {}) }
end

--- A value as the driver takes it, or nil and true when there is no such.
local function bindable(value, driver)
  if value == nil or type(value) == "userdata" then return nil end -- JSON null
  if type(value) == "boolean" and not driver.booleans then return value and 1 or 0 end
  if type(value) == "table" or type(value) == "function" then return nil, true end
  return value
end

--- Values to bind, or nil and a refusal.
local function bound(self, found, params)
  local n = #params
  local asked = n > 0 or (self.driver.binds and (found.holes > 0 or found.named))
  if asked and not self:binds() then return nil, refusal("EPARAMS", "sql_params", { kind = self.kind }) end
  if asked and not found.named and n ~= found.holes then
    return nil, refusal("EPARAMS", "sql_count", { holes = found.holes, count = n })
  end
  local values = {}
  for i = 1, n do
    local value, wrong = bindable(params[i], self.driver)
    if wrong then return nil, refusal("EPARAMS", "sql_param", { index = i }) end
    values[i] = value
  end
  values.n = n
  return values
end

--- What keeps a statement from being sent, or nil and how it was read.
local function obstacle(self, statement)
  if statement:find("\0", 1, true) then return refusal("ESTATEMENT", "sql_nul") end
  local readings = statements.readings(statement, self.driver.dialect)
  for _, found in ipairs(readings) do
    if found.count == 0 then return refusal("ESTATEMENT", "sql_empty") end
    if found.count > 1 then return refusal("ESTATEMENT", "sql_several") end
    local word, at = statements.first_word(found)
    if TRANSACTION[word] or (word == "PREPARE" and found.tokens[at + 1] == "TRANSACTION") then
      return refusal("ESTATEMENT", "sql_transaction", { word = word })
    end
    if word == "COPY" and self.driver.batches then return refusal("ESTATEMENT", "sql_copy") end
    local what = self.read_only and self.driver.refuses(found)
    if what then return refusal("EREADONLY", "sql_read_only", { what = what }) end
  end
  return nil, readings[1]
end

-- rows -----------------------------------------------------------------------------------------

local function matches(value, patterns)
  for pattern in (patterns or ""):gmatch "[^|]+" do
    if value:find(pattern) then return true end
  end
  return false
end

--- What the rows are made of, by the cursor's names and types.
local function columns_of(cursor, driver)
  local ok, types = pcall(cursor.getcoltypes, cursor)
  local columns = {}
  for i, name in ipairs(cursor:getcolnames()) do
    local kind = (ok and type(types) == "table" and tostring(types[i] or "") or ""):upper()
    columns[i] = {
      name = name,
      blob = matches(kind, driver.blob),
      hex = driver.hex,
      number = matches(kind, driver.number),
      boolean = matches(kind, driver.boolean),
      real = matches(kind, "REAL|FLOA|DOUB"),
    }
  end
  return columns
end

---@class abridge.SqlReader
---@field columns { name: string, blob: boolean, hex: boolean|nil, number: boolean, boolean: boolean, real: boolean }[]
---@field fetch fun(): table|nil, string|nil the next row, nil at the end, nil and a message on failure

--- A driver's cursor as a reader. The row handed out is one table, filled anew.
local function reader_of(cursor, driver)
  local row, ended = {}, false
  local known, columns = pcall(columns_of, cursor, driver)
  if not known then
    close(cursor)
    error(columns, 0)
  end
  local self = { columns = columns }
  function self.fetch()
    if ended then return nil end
    local ok, got, message = pcall(cursor.fetch, cursor, row, "n")
    if ok and got then return got end
    ended = true
    return nil, not ok and tostring(got) or message and tostring(message) or nil
  end
  function self.close()
    close(cursor)
  end
  return self
end

local BATCH = 50 -- rows asked of a server at a time

--- Rows of a query, a batch at a time, from a cursor that the server holds.
local function batched(conn, statement, driver)
  local declared, message = execute(conn, "DECLARE abridge_rows NO SCROLL CURSOR FOR\n" .. statement)
  if not declared then return nil, message end
  local next_batch = ("FETCH FORWARD %d FROM abridge_rows"):format(BATCH)
  local cursor
  cursor, message = execute(conn, next_batch)
  if not cursor then return nil, message end
  local batch, left = reader_of(cursor, driver), BATCH
  local self = { columns = batch.columns }
  function self.fetch()
    local row, why = batch.fetch()
    if row then
      left = left - 1
      return row
    end
    if why or left > 0 then return nil, why end
    batch.close()
    cursor, why = execute(conn, next_batch)
    if not cursor then return nil, why end
    batch, left = reader_of(cursor, driver), BATCH
    return self.fetch()
  end
  function self.close()
    batch.close()
  end
  return self
end

local unpack = table.unpack or unpack

--- Is there a row where a driver that invents one gives nulls alone? A statement that writes has one where it changed
--- something; one that reads is asked; what cannot be asked, a PRAGMA, has no row without a value.
local function has_row(self, found, statement, values)
  if statements.has(found, "RETURNING") then return scalar(self.conn, "SELECT changes()") ~= 0 end
  local asked = ("SELECT EXISTS (SELECT 1 FROM (%s\n))"):format((statement:gsub("[;%s]+$", "")))
  return scalar(self.conn, asked, unpack(values, 1, values.n)) == 1
end

--- A reader whose first row, where it is nulls alone, is given only if it is there.
local function without_invented_row(reader, exists)
  local fetch, first, ended = reader.fetch, true, false
  function reader.fetch()
    if ended then return nil end
    local row, why = fetch()
    ended = first and row ~= nil and next(row) == nil and not exists()
    first = false
    if not ended then return row, why end
  end
  return reader
end

--- A reader that leaves the addresses out of values.
local function without_addresses(reader, pattern)
  local fetch = reader.fetch
  function reader.fetch()
    local row, why = fetch()
    for i, value in pairs(row or {}) do
      row[i] = type(value) == "string" and value:match(pattern) or value
    end
    return row, why
  end
  return reader
end

local SERVED = { SELECT = true, WITH = true, VALUES = true, TABLE = true }

--- Send a statement: a reader, or the rows it changed, or nil and a message.
local function sent(self, found, statement, values)
  if self.read_only and self.driver.batches and SERVED[statements.first_word(found)] then
    return batched(self.conn, statement, self.driver)
  end
  local result, message = execute(self.conn, statement, unpack(values, 1, values.n))
  if not is_cursor(result) then return result, message end
  local reader = reader_of(result, self.driver)
  if self.driver.addresses and statements.first_word(found) == "EXPLAIN" then
    reader = without_addresses(reader, self.driver.addresses)
  end
  return without_invented_row(reader, function()
    return not does(self, "invents_row") or has_row(self, found, statement, values)
  end)
end

local CHANGES = { INSERT = true, UPDATE = true, DELETE = true, REPLACE = true, WITH = true, MERGE = true }

--- Changed rows as an integer; of a statement that changes none the engine may tell those of the one before.
local function changed(found, count)
  count = CHANGES[statements.first_word(found)] and tonumber(count) or 0
  return tonumber(("%.0f"):format(count))
end

--- Send a statement and have its rows read; the cursor is closed whatever happens.
local function answered(self, found, statement, values, read)
  local result, message = sent(self, found, statement, values)
  if result == nil then return nil, { code = "ESQL", message = message } end
  if type(result) ~= "table" then return { changed = changed(found, result) } end
  local ok, rows, why = pcall(read, result)
  result.close()
  if not ok then error(rows, 0) end
  if rows == nil then return nil, { code = "ESQL", message = why } end
  return { rows = rows }
end

--- The same for a statement that writes and returns rows, where the driver would write twice: what it did to look for
--- a first row is undone before the first fetch does it again.
local function answered_once(self, found, statement, values, read)
  local started, why = execute(self.conn, "SAVEPOINT abridge_returning")
  if not started then return nil, { code = "ESQL", message = why } end
  local ok, result, problem = pcall(answered, self, found, statement, values, function(reader)
    execute(self.conn, "ROLLBACK TO abridge_returning")
    return read(reader)
  end)
  if not ok or not result then execute(self.conn, "ROLLBACK TO abridge_returning") end
  execute(self.conn, "RELEASE abridge_returning")
  if not ok then error(result, 0) end
  return result, problem
end

--- Run one statement. Blocks while the engine works.
---@param statement string
---@param params any[] values for its placeholders, nulls as JSON has them
---@param read fun(reader: abridge.SqlReader): any, string|nil takes what it wants of the rows; nil and a message when
---  fetching failed
---@return { rows: any, changed: integer|nil }|nil result what `read` returned, or how many rows were changed
---@return { code: string, message: string }|nil problem
function Database:query(statement, params, read)
  local refused, found = obstacle(self, statement)
  if refused then return nil, refused end
  local connected, message = self:connect()
  if not connected then return nil, { code = "EDATABASE", message = message } end
  local leave
  if self.read_only then
    statement = statement:sub(found.start) -- its first word is what was looked at, whatever comments the engine knows
    leave, message = self.driver.read_only(self.conn)
    if not leave then return nil, { code = "ESQL", message = message } end
  end
  local run = answered
  if not self.read_only and statements.has(found, "RETURNING") and does(self, "runs_twice") then run = answered_once end
  local ok, result, problem = pcall(function()
    local values, refused_values = bound(self, found, params)
    if not values then return nil, refused_values end
    return run(self, found, statement, values, read)
  end)
  if leave then leave() end
  if not ok then error(result, 0) end
  return result, problem
end

return M
