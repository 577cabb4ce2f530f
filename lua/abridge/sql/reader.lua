--- Rows of a cursor, one at a time, as `abridge.sql.rows` reads them.

local luasql = require "abridge.sql.luasql"

local M = {}

local close, execute = luasql.close, luasql.execute

local function matches(value, patterns)
  for pattern in (patterns or ""):gmatch "[^|]+" do
    if value:find(pattern) then return true end
  end
  return false
end

--- The columns of the rows, from the cursor's names and types.
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

--- A driver's cursor as a reader. Every row is returned in the same table.
---@param cursor any
---@param driver abridge.SqlDriver
---@return abridge.SqlReader
function M.new(cursor, driver)
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
---@param conn any
---@param statement string
---@param driver abridge.SqlDriver
---@return abridge.SqlReader|nil
---@return string|nil message
function M.batched(conn, statement, driver)
  local declared, message = execute(conn, "DECLARE abridge_rows NO SCROLL CURSOR FOR\n" .. statement)
  if not declared then return nil, message end
  local next_batch = ("FETCH FORWARD %d FROM abridge_rows"):format(BATCH)
  local cursor
  cursor, message = execute(conn, next_batch)
  if not cursor then return nil, message end
  local batch, left = M.new(cursor, driver), BATCH
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
    batch, left = M.new(cursor, driver), BATCH
    return self.fetch()
  end
  function self.close()
    batch.close()
  end
  return self
end

--- A reader that returns a first row of nothing but nulls only if it exists.
---@param reader abridge.SqlReader changed in place
---@param exists fun(): boolean
---@return abridge.SqlReader
function M.without_invented_row(reader, exists)
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

--- A reader that leaves addresses out of values.
---@param reader abridge.SqlReader changed in place
---@param pattern string
---@return abridge.SqlReader
function M.without_addresses(reader, pattern)
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

return M
