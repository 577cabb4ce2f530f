--- sql_query: one SQL statement on a database that the host gave the session; its rows as a JSON array, a row a line.
--- LuaSQL is synchronous: the call blocks the host while the engine works.

local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local results = require "abridge.output.results"
local sentences = require "abridge.output.sentences"
local database = require "abridge.sql.database"
local rows = require "abridge.sql.rows"

local M = {
  name = "sql_query",
  description = "Run one SQL statement and return its rows as a JSON array of objects.",
  input_schema = {
    type = "object",
    properties = {
      sql = { type = "string", description = "The statement" },
      params = { type = "array", description = "Values for its ? placeholders, in order" },
      limit = { type = "integer", minimum = 1, description = "Most rows to return" },
      database = { type = "string", description = "Name of the database" },
    },
    required = { "sql" },
  },
}

--- In force if a profile limits nothing.
local MAX_ROWS = 1000
local MAX_BYTES = 64 * 1024 * 1024

--- Is there a database to query?
---@param needs? { databases: table|nil } what the session has
---@return true|nil ready
---@return string|nil message what is missing
function M.ready(needs)
  if needs and needs.databases then return database.ready(needs.databases) end
  return nil, sentences.message("no_database", {})
end

--- The definition for a session, with the names of its databases if there are several.
---@param needs { databases: table<string, abridge.Database> }
---@return string description
---@return table input_schema
function M.define(needs)
  local names = database.names(needs.databases)
  local properties = {}
  for name, property in pairs(M.input_schema.properties) do
    properties[name] = property
  end
  properties.database = #names > 1 and { type = "string", enum = names, description = "Name of the database" } or nil
  local kinds = {}
  for i, name in ipairs(names) do
    kinds[i] = sentences.database(#names > 1 and name, needs.databases[name])
  end
  local description = M.description .. " " .. table.concat(kinds, " ")
  return description, { type = "object", properties = properties, required = M.input_schema.required }
end

local function failure(code, message)
  return { text = message, is_error = true, details = { error_code = code } }
end

--- The database that an input asks for, or nil and the value to end the call with.
local function chosen(input, databases)
  if not databases then return nil, failure("EDATABASE", sentences.message("no_database", {})) end
  local names = database.names(databases)
  if input.database then
    if databases[input.database] then return databases[input.database] end
    local values = { name = input.database, names = table.concat(names, ", ") }
    return nil, failure("EDATABASE", sentences.message("unknown_database", values))
  end
  local one = databases.main or (#names == 1 and databases[names[1]])
  if one then return one end
  return nil, failure("EDATABASE", sentences.message("which_database", { names = table.concat(names, ", ") }))
end

--- These limits with a bound on memory.
local function with_bound(limits)
  local own = limit.copy(limits)
  if not limit.has_budget(own) then
    own.max_bytes = MAX_BYTES
    own.max_rows = own.max_rows or MAX_ROWS
  end
  return own
end

--- These limits, or where it stops if there are none.
---@param limits abridge.Limits
---@return abridge.Limits
function M.bounded(limits)
  return next(limits) == nil and with_bound(limits) or limits
end

--- The budgets of the rows: those in force, under any strategy, since rows are kept from the start.
local function budgets(ctx)
  local limits = limit.copy(ctx.limits)
  if ctx.ceiling then limits.max_bytes = math.min(limits.max_bytes or math.huge, ctx.ceiling) end
  limits = with_bound(limits)
  limits.strategy, limits.long_line = "head", "omit"
  return limits
end

--- The data the dispatcher needs to cut rows and report it.
local function value_of(found, limits, max_rows)
  local data = { reached = found.reached and "rows" or nil, count = max_rows, rounded = found.rounded }
  local details = {
    columns = found.columns,
    row_limit_reached = found.reached and max_rows or nil,
    rounded = found.rounded,
  }
  return {
    stream = found,
    redacted = true,
    limits = limits,
    notice = data,
    details = details,
    total = found.seen,
    adjust = function(cut)
      details.rows = cut.truncated and cut.output_lines or found.count
    end,
    block = function(cut, body)
      if not cut.truncated and found.complete then return info.not_truncated(#body) end
      local reason = cut.truncated_by and results.reason(cut, limits) or "row_cap"
      return info.without_resume(#body, found.complete and cut.total_bytes or nil, reason)
    end,
  }
end

function M.execute(input, ctx)
  local one, nothing = chosen(input, ctx.databases)
  if not one then return nothing end
  local limits = budgets(ctx)
  local max_rows = math.min(input.limit or math.huge, limits.max_rows or math.huge)
  local result, problem = one:query(input.sql, input.params or {}, function(reader)
    return rows.read(reader, { limit = max_rows, limits = limits, redacted = ctx.redacted })
  end)
  if not result then return failure(problem.code, problem.message) end
  if not result.rows then
    local text = ('{"rows_affected":%.0f}'):format(result.changed)
    return { text = text, limits = limits, details = { rows_affected = result.changed } }
  end
  return value_of(result.rows, limits, max_rows)
end

return M
