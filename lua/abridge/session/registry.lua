--- The tools of a session: which it has, their names and limits, and their definitions for a model. The functions that
--- take a session are methods of it.

local check = require "abridge.base.check"
local plain_data = require "abridge.base.plain_data"
local system = require "abridge.base.system"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"
local window = require "abridge.output.window"

local M = {}

--- Tools of this package, in the order of their definitions.
M.built_in = {
  "read_file",
  "run_command",
  "search_files",
  "find_files",
  "list_directory",
  "sql_query",
  "web_fetch",
}

--- The entry of one of them. Its tool is loaded when it is first looked at: a session has seven, and most call few.
local function entry_of(self, name)
  return setmetatable({ name = name, built_in = true }, {
    __index = function(entry, key)
      if key ~= "tool" and key ~= "schema" then return nil end
      local tool = require("abridge.tools." .. name)
      entry.tool, entry.schema = tool, tool.schema and tool.schema(self) or tool.input_schema
      return rawget(entry, key)
    end,
  })
end

--- Add one of them, by its own name or an alias.
local function add(self, who, given)
  local name = self.table_of_limits.aliases[given] or given
  local known = false
  for _, built_in in ipairs(M.built_in) do
    known = known or built_in == name
  end
  if not known then check.fail(("%s: unknown tool %s in tools"):format(who, check.show(name)), 2) end
  if self.tools[name] then check.fail(("%s: tool %s is in tools twice"):format(who, check.show(name)), 2) end
  self.tools[name] = entry_of(self, name)
  self.order[#self.order + 1] = name
end

--- Give a session the tools of this package that it wants. Raises at the level of the caller who opens it.
---@param self abridge.Session
---@param who string the public function, for messages
---@param names? string[] those of the profile unless set
function M.add_built_in(self, who, names)
  local only = not names and self.table_of_limits.only
  for _, given in ipairs(names or M.built_in) do
    if not only or only[given] then add(self, who, given) end
  end
end

--- Does a tool want what Windows lacks: processes, or paths by libuv? Of ours one does not.
---@param entry table
---@return boolean
function M.is_unsupported(entry)
  return entry.built_in and entry.name ~= "read_file" and system.is_windows() or false
end

--- Is a tool ready to be used?
local function is_ready(self, entry)
  return not M.is_unsupported(entry) and (not entry.tool.ready or entry.tool.ready(self))
end

local REGISTER = {
  name = "string",
  description = "string",
  input_schema = "table",
  limits = "table",
  reason = info.check_reason,
  execute = "function",
}

---@class (exact) abridge.ToolDefinition
---@field name string a name that is taken raises
---@field description? string for the model
--- a JSON Schema; its `type`, `required`, `enum`, `properties`, `items`, `minimum` and `maximum` are checked
---@field input_schema? table
---@field limits? abridge.Limits in place of the profile's row `*`
---@field reason? abridge.Reason the `reason` in the blocks of its cuts
--- `function(input, ctx, done)`: returns [a value](#what-a-tool-returns), or calls `done(value)` later and may return a
--- function that cancels
---@field execute fun(input: table, ctx: abridge.ToolContext, done: fun(value: any)): any

--- Add a tool of the host. Raises on a bad definition or a name that is taken.
---@param self abridge.Session
---@param definition abridge.ToolDefinition
function M.register(self, definition)
  local who = "session:register"
  if type(definition) ~= "table" then
    check.fail(("%s: definition must be a table, got %s"):format(who, check.show(definition)))
  end
  definition = check.options(who, definition, REGISTER, 1)
  local name = definition.name
  if not name or name == "" then
    check.fail(who .. ": name must be a string that is not empty, got " .. check.show(name))
  end
  if not definition.execute then check.fail(("%s: execute is missing for tool %s"):format(who, check.show(name))) end
  if self.tools[name] or self.table_of_limits.aliases[name] then
    check.fail(("%s: name %s is taken"):format(who, check.show(name)))
  end
  local limits = definition.limits and limit.with_strategy(nil, definition.limits)
  if limits then window.take_share(("%s: limits of %s"):format(who, name), limits, self.window) end
  self.tools[name] = {
    name = name,
    tool = definition,
    schema = definition.input_schema,
    limits = limits and limit.checked(("%s: limits of %s"):format(who, name), limits, 1),
  }
  self.order[#self.order + 1] = name
end

--- The entry of a tool by its own name or an alias.
---@param self abridge.Session
---@param name string
---@return table|nil
function M.find(self, name)
  return self.tools[self.table_of_limits.aliases[name] or name]
end

--- The name under which the model knows a tool: its alias if it has one.
---@param self abridge.Session
---@param own_name string
---@return string
function M.shown_name(self, own_name)
  local shown
  for alias, name in pairs(self.table_of_limits.aliases) do
    if name == own_name and (not shown or alias < shown) then shown = alias end
  end
  return shown or own_name
end

local NAMED = { shell = "run_command", read = "read_file", search = "search_files" }

--- The name that notices use for a tool: that of the host's, else of the session's if it is ready to be used.
---@param self abridge.Session
---@param key "shell"|"read"|"search"
---@param only? abridge.ToolNames of all tools that whoever reads the notice has
---@return string|nil
function M.name_of(self, key, only)
  local name = (only or self.opts.tool_names or {})[key]
  if name ~= nil or only then return name or nil end
  local entry = self.tools[NAMED[key]]
  if not (entry and is_ready(self, entry)) then return nil end
  return self:shown_name(NAMED[key])
end

--- All names that notices use.
---@param self abridge.Session
---@param only? abridge.ToolNames as in `name_of`
---@return abridge.NoticeData
function M.names(self, only)
  local names = { no_hint = not self.hints or nil }
  for key in pairs(NAMED) do
    names[key] = M.name_of(self, key, only)
  end
  return names
end

--- The limits by which a tool's output is cut; those of a tool of this package have the ceiling in them.
---@param self abridge.Session
---@param own_name string
---@return abridge.Limits
function M.own_limits(self, own_name)
  local entry = self.tools[own_name]
  if entry and entry.built_in then return self.table_of_limits:under_ceiling(own_name) end
  return self.table_of_limits:of(own_name, entry and entry.limits)
end

--- The same with its other bounds: the ceiling, or the size at which a tool stops by itself.
local function limits_in_force(self, own_name)
  local limits, entry = M.own_limits(self, own_name), self.tools[own_name]
  if not (entry and entry.built_in) then return self.table_of_limits:with_ceiling(own_name, limits) end
  return entry.tool.bounded and entry.tool.bounded(limits) or limits
end

--- The limits in force for a tool, as a new table.
---@param self abridge.Session
---@param tool string
---@return abridge.Limits
function M.limits(self, tool)
  if type(tool) ~= "string" then check.fail("session:limits: tool must be a string, got " .. check.show(tool)) end
  return limits_in_force(self, self.table_of_limits.aliases[tool] or tool)
end

local FORMATS = {
  anthropic = function(name, description, input_schema)
    return { name = name, description = description, input_schema = input_schema }
  end,
  openai = function(name, description, input_schema)
    local described = { name = name, description = description }
    if input_schema.properties then described.parameters = input_schema end -- it refuses an object without
    return { type = "function", ["function"] = described }
  end,
  responses = function(name, description, input_schema)
    local described = { type = "function", name = name, description = description }
    if input_schema.properties then described.parameters = input_schema end
    described.strict = false -- strict schemas have no optional field
    return described
  end,
  mcp = function(name, description, input_schema)
    return { name = name, description = description, inputSchema = input_schema }
  end,
}

--- A schema for a definition. JSON libraries disagree on an empty table, so empty lists and objects are left out.
local function shown_schema(given)
  local copy = plain_data.copy(given, true)
  for _, key in ipairs { "properties", "required" } do
    if type(copy[key]) == "table" and next(copy[key]) == nil then copy[key] = nil end
  end
  return copy
end

--- Definitions of the tools that are ready to be used, each description with the limits in force.
---@param self abridge.Session
---@param format "anthropic"|"openai"|"responses"|"mcp"
---@return table[]
function M.definitions(self, format)
  local make = FORMATS[format]
  if not make then
    local wanted = '"anthropic", "openai", "responses" or "mcp"'
    check.fail(("session:definitions: format must be %s, got %s"):format(wanted, check.show(format)))
  end
  local list = {}
  for _, own_name in ipairs(self.order) do
    local tool, schema = self.tools[own_name].tool, self.tools[own_name].schema
    if is_ready(self, self.tools[own_name]) then
      local description, input_schema = tool.description or "", schema or { type = "object" }
      if tool.define then
        description, input_schema = tool.define(self)
      end
      description = sentences.description(description, limits_in_force(self, own_name))
      list[#list + 1] = make(self:shown_name(own_name), description, shown_schema(input_schema))
    end
  end
  return list
end

return M
