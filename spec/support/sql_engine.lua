--- Databases for specs: a real one in memory, and stand-ins for drivers, without an engine.

local abridge = require "support.unsaved"
local assert = require "luassert"
local info = require "abridge.output.info"
local plain = require "support.plain"

local M = {}

--- LuaSQL for sqlite3, or why it cannot be loaded.
M.has_driver, M.driver = pcall(require, "luasql.sqlite3")

local env, conn

--- Open a database in memory; nil without a driver.
function M.open()
  if not M.has_driver then return nil end
  env = M.driver.sqlite3()
  conn = assert(env:connect ":memory:")
  return conn
end

--- `it` of a spec, for tests that want the real engine.
function M.test(it, pending)
  return function(name, body)
    it(name, function()
      if not M.has_driver then return pending("LuaSQL for sqlite3 cannot be loaded: " .. tostring(M.driver)) end
      body()
    end)
  end
end

function M.close()
  if not M.has_driver then return end
  conn:close() -- raises while a cursor is open
  env:close()
end

--- Another connection, to a file or to ":memory:"; the caller's to close.
function M.connect(path)
  return env:connect(path)
end

--- Run a statement, past the tool.
function M.run(statement, on)
  local result, message = (on or conn):execute(statement)
  if not result then error(message, 2) end
  return result
end

--- All rows of a query, past the tool.
function M.fetched(statement, on)
  local cursor, rows = M.run(statement, on), {}
  local row = cursor:fetch({}, "n")
  while row do
    rows[#rows + 1] = row
    row = cursor:fetch({}, "n")
  end
  return rows
end

function M.session_with(opts)
  opts = opts or {}
  opts.databases = opts.databases or { main = conn }
  opts.tools = opts.tools or { "sql_query" }
  return abridge.session(opts)
end

--- The result of sql_query, which always conforms; `limits` are those of the tool.
function M.query(input, limits, opts)
  opts = opts or {}
  opts.limits = opts.limits or (limits and { sql_query = limits })
  if type(input) == "string" then input = { sql = input } end
  local result = M.session_with(opts):call("sql_query", input)
  info.assert_conforms("sql_query", result)
  assert(plain.is_valid_utf8(result.content))
  return result
end

--- The same where the tool may write.
function M.query_writing(input, limits)
  return M.query(input, limits, { databases = { main = { connection = conn, read_only = false } } })
end

-- what specs ask -------------------------------------------------------------------------

--- The content before the notice.
function M.body_of(result)
  return result.content:sub(1, result.truncation.bytes_returned)
end

function M.refused(result, code, message)
  assert.is_true(result.is_error)
  assert.equal(code, result.details.error_code)
  assert.equal(message, result.content)
end

-- stand-ins for drivers, without an engine ----------------------------------------------

--- A connection that answers with what `answer(statement, ...)` returns and notes what it was asked.
function M.stand_in(kind, answer)
  local self = { asked = {}, open = 0, fetches = 0 }
  function self.execute(_, statement, ...)
    self.asked[#self.asked + 1] = statement
    self.values = { n = select("#", ...), ... }
    local rows = answer(statement, ...)
    if type(rows) ~= "table" then return rows, rows == nil and "no such thing" or nil end
    self.open = self.open + 1
    local at = 0
    return {
      getcolnames = function()
        return rows.names or { "v" }
      end,
      getcoltypes = function()
        return rows.types or {}
      end,
      fetch = function(_, into)
        at, self.fetches = at + 1, self.fetches + 1
        local row = rows.make and rows.make(at) or rows[at]
        if not row then return nil, rows.failure end
        for i = 1, #(rows.names or { "v" }) do
          into[i] = row[i]
        end
        return into
      end,
      close = function()
        self.open = self.open - 1
        return true
      end,
    }
  end
  return setmetatable(self, {
    __tostring = function()
      return kind .. " connection (0x1)"
    end,
  })
end

--- A stand-in for sqlite3 with these rows; `binds` as later versions of its driver.
function M.lite(rows, binds)
  local query_only = 0
  return M.stand_in("SQLite3", function(statement, ...)
    if statement == "PRAGMA query_only" then return { { query_only } } end
    if statement:find "^PRAGMA query_only=" then
      query_only = statement:find "ON" and 1 or 0
      return 0
    end
    if statement == "SELECT ?" then return { { binds and (...) or nil } } end
    return rows
  end)
end

return M
