--- Databases that a host hands to a session: paths of SQLite files, which we open read only, and LuaSQL connections,
--- read only unless the host says otherwise.
---
--- A read-only database is kept unchanged by its engine (`drivers`); `words` refuses statements that the engine would
--- let through. LuaSQL is synchronous: the host blocks while an engine works.

local check = require "abridge.base.check"
local drivers = require "abridge.sql.drivers"
local files = require "abridge.base.files"
local luasql = require "abridge.sql.luasql"
local sentences = require "abridge.output.sentences"
local readers = require "abridge.sql.reader"
local statements = require "abridge.sql.statement"
local sqlite_file = require "abridge.sql.sqlite_file"

local M = {}

-- the host's option ---------------------------------------------------------------------

---@class abridge.Database
---@field name string
---@field kind string the driver: "SQLite3", "PostgreSQL", "MySQL", "ODBC", ...
---@field read_only boolean
---@field private conn any nil until a file is opened
---@field private path? string the file
---@field private close_file? fun()
---@field private known table<string, boolean> what was found out about its driver
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

--- An SQLite file, opened for its first query.
local function file_at(who, name, path, deeper)
  if path == "" or path:find("\0", 1, true) then
    check.fail(("%s.%s must be the path of a file, got %s"):format(who, name, check.show(path)), deeper)
  end
  path = files.absolute(path)
  local driver = drivers.of "SQLite3"
  local self = { name = name, kind = "SQLite3", read_only = true, path = path, driver = driver, known = {} }
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
  local driver = drivers.of(kind)
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

--- Databases of a session by name, from its option. Raises with the key and value of a wrong one.
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

--- Can one of them be queried, as far as is known without trying?
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

--- Close the connection opened here; the connections of the host stay open.
---@param databases table<string, abridge.Database>
function M.close(databases)
  for _, one in pairs(databases) do
    if one.close_file then one.close_file() end
    if one.path then
      one.conn, one.close_file = nil, nil
    end
  end
end

--- Make sure of a connection: a file is opened for its first query, and if it was missing, at the next.
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

--- Does its driver do this: "binds", "runs_twice" or "invents_row"? Found out by trying, once.
local function does(self, what)
  if self.known[what] == nil then self.known[what] = self.driver[what] ~= nil and self.driver[what](self.conn) end
  return self.known[what]
end

--- Can its driver bind values to placeholders?
---@return boolean
function Database:binds()
  if not self:connect() then return true end -- the query will tell the problem
  return does(self, "binds")
end

-- statements -------------------------------------------------------------------------------

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

local function refusal(code, name, values)
  return { code = code, message = sentences.message(name, values or {}) }
end

--- A value as the driver takes it, or nil and true if it takes no such value.
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

--- Why a statement must not be sent, or nil and how it was read.
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

-- asking ---------------------------------------------------------------------------------------

local unpack = table.unpack or unpack

--- Is there really a row when a driver that invents rows gives nothing but nulls? If a statement that writes changed
--- something, yes; one that reads is asked with EXISTS; a PRAGMA cannot be, and never has a row of nulls.
local function has_row(self, found, statement, values)
  if statements.has(found, "RETURNING") then return luasql.scalar(self.conn, "SELECT changes()") ~= 0 end
  local asked = ("SELECT EXISTS (SELECT 1 FROM (%s\n))"):format((statement:gsub("[;%s]+$", "")))
  return luasql.scalar(self.conn, asked, unpack(values, 1, values.n)) == 1
end

local SERVED = { SELECT = true, WITH = true, VALUES = true, TABLE = true }

--- Send a statement: a reader, or the rows it changed, or nil and a message.
local function sent(self, found, statement, values)
  if self.read_only and self.driver.batches and SERVED[statements.first_word(found)] then
    return readers.batched(self.conn, statement, self.driver)
  end
  local result, message = luasql.execute(self.conn, statement, unpack(values, 1, values.n))
  if not luasql.is_cursor(result) then return result, message end
  local reader = readers.new(result, self.driver)
  if self.driver.addresses and statements.first_word(found) == "EXPLAIN" then
    reader = readers.without_addresses(reader, self.driver.addresses)
  end
  return readers.without_invented_row(reader, function()
    return not does(self, "invents_row") or has_row(self, found, statement, values)
  end)
end

local CHANGES = { INSERT = true, UPDATE = true, DELETE = true, REPLACE = true, WITH = true, MERGE = true }

--- Changed rows as an integer; for a statement that changes none the engine may give those of the one before.
local function changed(found, count)
  count = CHANGES[statements.first_word(found)] and tonumber(count) or 0
  return tonumber(("%.0f"):format(count))
end

--- Send a statement and have its rows read; the cursor is closed in any case.
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

--- The same for a statement that writes and returns rows if the driver would write twice: its changes in the search for
--- a first row are undone before the first fetch does it again.
local function answered_once(self, found, statement, values, read)
  local started, why = luasql.execute(self.conn, "SAVEPOINT abridge_returning")
  if not started then return nil, { code = "ESQL", message = why } end
  local ok, result, problem = pcall(answered, self, found, statement, values, function(reader)
    luasql.execute(self.conn, "ROLLBACK TO abridge_returning")
    return read(reader)
  end)
  if not ok or not result then luasql.execute(self.conn, "ROLLBACK TO abridge_returning") end
  luasql.execute(self.conn, "RELEASE abridge_returning")
  if not ok then error(result, 0) end
  return result, problem
end

--- Run one statement. Blocks while the engine works.
---@param statement string
---@param params any[] values for its placeholders, nulls as JSON has them
---@param read fun(reader: abridge.SqlReader): any, string|nil takes the rows it wants; nil and a message when
---  fetching failed
---@return { rows: any, changed: integer|nil }|nil result the result of `read`, or how many rows were changed
---@return { code: string, message: string }|nil problem
function Database:query(statement, params, read)
  local refused, found = obstacle(self, statement)
  if refused then return nil, refused end
  local connected, message = self:connect()
  if not connected then return nil, { code = "EDATABASE", message = message } end
  local leave
  if self.read_only then
    statement = statement:sub(found.start) -- from the word we checked, whatever the engine takes for comments
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
