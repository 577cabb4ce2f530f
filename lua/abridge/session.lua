--- Sessions: a registry of tools under one set of limits, and the dispatcher that calls them.

local address = require "abridge.address"
local artifact = require "abridge.artifact"
local calls = require "abridge.call"
local cap = require "abridge.cap"
local check = require "abridge.check"
local core = require "abridge.core_loader"
local database = require "abridge.database"
local data = require "abridge.data"
local display = require "abridge.display"
local host = require "abridge.host"
local jobs = require "abridge.job"
local limits_of = require "abridge.limits"
local notice = require "abridge.notice"
local page = require "abridge.page"
local redact = require "abridge.redact"
local results = require "abridge.result"
local root_of = require "abridge.root"
local runlog = require "abridge.runlog"
local schema = require "abridge.schema"

local M = {}

local WHO = "abridge.session"

local MOST_NESTED = 10 -- calls that tools and callbacks make inside each other

--- Tools of this package, in the order of their definitions.
local BUILT_IN = {
  "read_file",
  "run_command",
  "search_files",
  "find_files",
  "list_directory",
  "sql_query",
  "web_fetch",
}
--- What the state directory keeps of runs that nobody named.
M.RETENTION = { max_bytes = "1GB", max_age = "7d" }

---@class (exact) abridge.SessionOptions
---@field profile? "default"|"pi"|"pipeline"|"contract"|"dispatcher" limits to start from
---@field limits? table<string, abridge.Limits> overrides by tool and key; false takes a budget away
---@field ceiling? { max_bytes: integer|string, head_ratio: number|nil }|false over every result; false: none
---@field aliases? table<string, string> other names for tools
---@field cwd? string folder that relative paths start from; the host's own unless set
---@field root? string folder that every path a tool is given stays inside; also `cwd`, unless that is set
---@field run_dir? string|false a folder for the log and the full outputs; nil: full outputs alone, in a fresh folder of
---  the user's state directory; false: nothing is written
---@field redact? fun(line: string): string|string[] whole lines or Lua patterns: what no model, log or file may see
---@field retention? { max_bytes: integer|string|nil, max_age: number|string|nil } of runs beside this one
---@field on_event? fun(event: table) called with each tool_call and tool_result
---@field approve? fun(tool: string, input: table): boolean, string|nil asked before a tool runs
---@field env? table<string, string|false> changes to the environment of commands; false removes a name
---@field tools? string[] which tools of this package to offer; all unless set
---@field databases? table<string, any> LuaSQL connections by name, or { connection = ..., read_only = false }; read
---  only unless told otherwise; they stay the host's to close
---@field tool_names? { shell: string|nil, read: string|nil } what notices call the host's own tools
---@field allow_private? boolean|string[] private addresses that web_fetch may reach: all, or those of these hosts,
---  addresses and blocks such as "10.0.0.0/8"; none unless set
---@field timeout? number seconds for a command, a search or a fetch; 120 unless set

local OPTIONS = {
  profile = "string",
  limits = "table",
  ceiling = function(value)
    if value ~= false and type(value) ~= "table" then return "a table or false" end
  end,
  aliases = "table",
  cwd = function(value)
    if type(value) ~= "string" or value:find("\0", 1, true) then return "a path without NUL" end
  end,
  on_event = "function",
  approve = "function",
  env = "table",
  tools = "table",
  tool_names = "table",
  allow_private = function(value)
    if type(value) ~= "boolean" and type(value) ~= "table" then
      return "true, false or a list of host names, addresses and blocks of addresses"
    end
  end,
  timeout = function(value)
    if type(value) ~= "number" or not (value > 0 and value < math.huge) then return "a number of seconds over 0" end
  end,
  run_dir = runlog.check_run_dir,
  retention = runlog.check_retention,
  redact = function(value)
    if value and type(value) ~= "function" and type(value) ~= "table" then return "a function, patterns or false" end
  end,
  root = "string",
  databases = "table",
}

---@class abridge.Session
---@field private table_of_limits abridge.LimitTable
---@field private tools table<string, table> by own name
---@field private order string[] own names
---@field private opts abridge.SessionOptions
local Session = {}
Session.__index = Session
Session.__name = "abridge.Session"

-- creation -------------------------------------------------------------------

local function check_strings(name, t, deeper)
  for key, value in pairs(t or {}) do
    if type(key) ~= "string" or type(value) ~= "string" then
      check.fail(("%s: %s must map names to names, got %s"):format(WHO, name, check.show(value)), deeper)
    end
  end
end

local function check_env(env)
  for name, value in pairs(env or {}) do
    if type(name) ~= "string" or name == "" or name:find("[=%z]") then
      check.fail(("%s: env has the bad name %s (value %s)"):format(WHO, check.show(name), check.show(value)), 1)
    elseif value ~= false and (type(value) ~= "string" or value:find("\0", 1, true)) then
      check.fail(("%s: env.%s must be a string without NUL or false, got %s"):format(WHO, name, check.show(value)), 1)
    end
  end
end

local function allowed_hosts(spec)
  local allowed, wrong, key = address.allowed(spec)
  if allowed then return allowed end
  local where = type(key) == "string" and "." .. key or ("[%s]"):format(check.show(key))
  local wanted = "a host name, an address or a block of addresses"
  check.fail(("%s: allow_private%s must be %s, got %s"):format(WHO, where, wanted, check.show(wrong)), 1)
end

local function add_built_in(self, names, deeper)
  for _, given in ipairs(names) do
    local name = self.table_of_limits.aliases[given] or given
    local known = false
    for _, built_in in ipairs(BUILT_IN) do
      known = known or built_in == name
    end
    if not known then check.fail(("%s: unknown tool %s in tools"):format(WHO, check.show(name)), deeper) end
    if self.tools[name] then check.fail(("%s: tool %s stands twice in tools"):format(WHO, check.show(name)), deeper) end
    local tool = require("abridge.tools." .. name)
    self.tools[name] = { name = name, tool = tool, built_in = true }
    self.order[#self.order + 1] = name
  end
end

local TABLES = {
  "aliases", "allow_private", "ceiling", "databases", "env", "limits", "retention", "tool_names", "tools",
}

--- The options, checked: what stands in them and in their tables, of which no metatable is asked, then or later.
local function checked_options(opts, deeper)
  opts = check.options(WHO, opts, OPTIONS, deeper + 1)
  for _, name in ipairs(TABLES) do
    if type(opts[name]) == "table" then opts[name] = check.copied(opts[name]) end
  end
  return opts
end

--- Open a session. Raises on an unknown option, tool, profile or limit, with its name and value.
---@param opts? abridge.SessionOptions
---@return abridge.Session|nil session
---@return string|nil message why the run folder cannot be had, or what `root` is missing
---@return string|nil code EBUSY when another session writes it, EPERM when it is not private, ENOLUV
function M.new(opts)
  opts = checked_options(opts, 1)
  check_strings("aliases", opts.aliases, 1)
  for _, name in ipairs(BUILT_IN) do
    if opts.aliases and opts.aliases[name] then
      check.fail(("%s: alias %s is the name of a tool"):format(WHO, check.show(name)))
    end
  end
  check_strings("tool_names", opts.tool_names, 1)
  for key, name in pairs(opts.tool_names or {}) do
    if key ~= "shell" and key ~= "read" then
      check.fail(("%s: unknown key '%s' in tool_names (value %s)"):format(WHO, key, check.show(name)))
    end
  end
  check_env(opts.env)
  local self = setmetatable({ opts = opts, tools = {}, order = {}, running = {}, errors = {}, nested = 0 }, Session)
  self.pages = page.memory()
  self.redactor = opts.redact and redact.compile(WHO, opts.redact, 1) or nil
  self.allowed = allowed_hosts(opts.allow_private)
  local profile = opts.profile or "default"
  self.table_of_limits = limits_of.table(WHO, profile, opts.limits or {}, opts.ceiling, opts.aliases, 1)
  self.databases = opts.databases and database.open(WHO .. ": databases", opts.databases, 1)
  add_built_in(self, opts.tools or BUILT_IN, 1)
  local message, code
  if opts.root then
    self.root, message, code = root_of.new(WHO, opts.root)
    if not self.root then return nil, message, code end
  end
  self.cwd = opts.cwd or (self.root and self.root.dir)
  local retention = opts.retention or (opts.run_dir == nil and M.RETENTION or nil)
  self.run, message, code = runlog.create(WHO, opts.run_dir, { retention = retention })
  if not self.run then return nil, message, code end
  return self
end

-- the registry -----------------------------------------------------------------

local REGISTER = {
  name = "string",
  description = "string",
  input_schema = "table",
  limits = "table",
  reason = function(value)
    for _, reason in ipairs { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" } do
      if value == reason then return nil end
    end
    return '"size_cap", "line_cap", "row_cap", "exec_budget" or "item_cap"'
  end,
  execute = "function",
}

---@class (exact) abridge.ToolDefinition
---@field name string
---@field description? string
---@field input_schema? table JSON Schema; `type`, `required`, `enum`, `properties`, `items`, `minimum`, `maximum`
---  are checked
---@field limits? abridge.Limits in place of the profile's row "*"
---@field reason? abridge.Reason why its cuts are made, for the block
---@field execute fun(input: table, ctx: table, done: fun(value: any)): any returns a value, or calls done(value)
---  later and may return a function that cancels

--- Add a tool of the host's. Raises on a bad definition or a name that is taken.
---@param definition abridge.ToolDefinition
function Session:register(definition)
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
  self.tools[name] = {
    name = name,
    tool = definition,
    limits = definition.limits and limits_of.checked(("%s: limits of %s"):format(who, name), definition.limits, 1),
  }
  self.order[#self.order + 1] = name
end

--- The entry of a tool by its own name or an alias.
function Session:find(name)
  return self.tools[self.table_of_limits.aliases[name] or name]
end

--- The name under which the model knows a tool: its alias where there is one.
function Session:shown_name(own_name)
  local shown
  for alias, name in pairs(self.table_of_limits.aliases) do
    if name == own_name and (not shown or alias < shown) then shown = alias end
  end
  return shown or own_name
end

--- The names notices use; nil for a tool the session has not.
function Session:names()
  local given = self.opts.tool_names or {}
  return {
    shell = given.shell or (self.tools.run_command and self:shown_name "run_command") or nil,
    read = given.read or (self.tools.read_file and self:shown_name "read_file") or nil,
  }
end

local function limits_in_force(self, own_name)
  local entry = self.tools[own_name]
  if entry and entry.built_in then return self.table_of_limits:under_ceiling(own_name) end
  return self.table_of_limits:of(own_name, entry and entry.limits)
end

--- The limits in force for a tool, as a new table. A tool of this package is bound by the ceiling too.
---@param tool string
---@return abridge.Limits
function Session:limits(tool)
  if type(tool) ~= "string" then
    check.fail("session:limits: tool must be a string, got " .. check.show(tool))
  end
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
  mcp = function(name, description, input_schema)
    return { name = name, description = description, inputSchema = input_schema }
  end,
}

--- A schema as a definition has it: JSON libraries differ on an empty table, so none stands for a list or an object.
local function shown_schema(given)
  local copy = data.copy(given, true)
  for _, key in ipairs { "properties", "required" } do
    if type(copy[key]) == "table" and next(copy[key]) == nil then copy[key] = nil end
  end
  return copy
end

--- Definitions of the tools whose needs are present, each description with the limits in force.
---@param format "anthropic"|"openai"|"mcp"
---@return table[]
function Session:definitions(format)
  local make = FORMATS[format]
  if not make then
    check.fail('session:definitions: format must be "anthropic", "openai" or "mcp", got ' .. check.show(format))
  end
  local list = {}
  for _, own_name in ipairs(self.order) do
    local tool = self.tools[own_name].tool
    if not tool.ready or tool.ready(self) then
      local description, input_schema = tool.description or "", tool.input_schema or { type = "object" }
      if tool.define then
        description, input_schema = tool.define(self)
      end
      description = notice.description(description, limits_in_force(self, own_name))
      list[#list + 1] = make(self:shown_name(own_name), description, shown_schema(input_schema))
    end
  end
  return list
end

-- dispatch ----------------------------------------------------------------------

--- Number an event, log it and hand it to the host.
---@return string|nil message why it was not logged
local function emit(self, event)
  local _, message = self.run:event(event)
  if self.opts.on_event then
    host.on_main(function()
      if self.nested >= MOST_NESTED then return end
      self.nested = self.nested + 1
      jobs.guarded(self.errors, self.opts.on_event, event)
      self.nested = self.nested - 1
    end)
  end
  return message
end

--- An error in place of content.
local function failed(name, values)
  return { text = notice.message(name, values), is_error = true }
end

--- What a foreign tool gave, in our form; a table may be built so that reading it raises.
local function normalized(value)
  local ok, inner = pcall(results.normalized, value)
  return ok and inner or { text = results.encoded(inner), is_error = true }
end

--- Clean the text that a tool gave, where its limits say so; a stream was cleaned while it was written, and a page is
--- shown as it is.
local function clean_value(call, value)
  if type(value.text) ~= "string" or value.stream then return end
  local _
  value.text, _, value.raw_bytes = limits_of.cleaned(value.text, call.limits)
end

--- Redact what a tool gave: text, other parts, details, hints. A page of a file was redacted before it was cut, and a
--- stream while it was written.
local function redact_value(redactor, call, value)
  if value.text and not value.redacted then value.text = redactor:text(value.text) end
  if value.resume_hint then value.resume_hint = redactor:data(value.resume_hint) end
  value.blocks = value.blocks and redactor:data(value.blocks)
  if not call.built_in then value.details = value.details and redactor:data(value.details) end
  if redactor.error then
    value.details = value.details or {}
    value.details.redact_error = true -- the message itself may hold what it was to hide
  end
end

--- The result of what a tool gave: any value, or one of the marks of a job.
local function result_of(self, call, value)
  if rawequal(value, jobs.abandoned) then
    value = failed("no_result", { name = call.tool })
  elseif rawequal(value, jobs.aborted) then
    value = failed("aborted", { name = call.tool })
  elseif not (call.built_in or call.failed) then
    value = value == nil and failed("no_result", { name = call.tool }) or normalized(value)
  end
  clean_value(call, value)
  if self.redactor then redact_value(self.redactor, call, value) end
  local ok, result = pcall(results.make, call, value)
  if not ok then result = results.crude(call, value, result) end
  result.duration_ms = math.floor(host.now() - call.started + 0.5)
  local cut = result.details and result.details.cut or {}
  local name = cut.full_output_path and cut.full_output_path:match "[^/]*$"
  local unlogged = emit(self, {
    type = "tool_result",
    call_id = call.call_id,
    tool = call.tool,
    content = result.content,
    is_error = result.is_error,
    truncation = result.truncation,
    metadata = result.metadata,
    cut = result.details and result.details.cut,
    exit_line = result.details and result.details.exit_line,
    full_output = (name or cut.full_output_error) and {
      path = name and "artifacts/" .. name,
      bytes = cut.full_output_bytes,
      error = cut.full_output_error,
    } or nil,
    bytes_in = cut.total_bytes or #result.content,
    bytes_shown = #result.content,
    duration_ms = result.duration_ms,
  })
  if unlogged then
    result.details = result.details or {}
    result.details.log_error = unlogged
  end
  return result
end

--- The input as a table that fits the schema, or nil and what is wrong.
local function checked_input(entry, input)
  if type(input) == "string" then
    local json, message = host.json()
    if not json then return nil, message end
    local ok, value = pcall(json.decode, input)
    if not ok then return nil, "not JSON: " .. tostring(value) end
    input = value
  end
  return schema.checked(entry.tool.input_schema or {}, input == nil and {} or input)
end

local function approved(self, name, input)
  if not self.opts.approve then return true end
  self.nested = self.nested + 1
  local ok, answer, why = core.pcall(self.opts.approve, name, input)
  self.nested = self.nested - 1
  if not ok then return false, results.encoded(answer) end
  return answer == true, why
end

--- Run a tool under a job; whatever it raises becomes the result.
local function execute(self, call, entry, input, job)
  local function done(value)
    job:finish(value)
  end
  self.nested, job.entered = self.nested + 1, true
  local ok, value = core.pcall(entry.tool.execute, input, calls.context(self, call, job), done)
  self.nested, job.entered = self.nested - 1, nil
  if not ok then
    calls.fail(call, job, value)
  elseif type(value) == "function" then
    job.cancel_tool = value
  elseif value ~= nil then
    job:finish(value)
  end
end

--- An input as events show it.
local function shown_input(self, input)
  if not self.redactor then return input end
  local json = type(input) == "string" and host.json()
  local ok, value = pcall(json and json.decode or error, input)
  return self.redactor:data(ok and value or input)
end

--- The checked input, or nil and what is wrong: nothing of half a secret, where a message cuts a value short.
local function fitting_input(self, entry, input)
  local checked, message = checked_input(entry, input)
  if not checked and self.redactor then
    local fits
    fits, message = checked_input(entry, shown_input(self, input))
    if fits then message = "it does not fit the tool's schema" end
  end
  return checked, message
end

--- What keeps a call from being made: the value to end it with, or nil and the checked input.
local function obstacle(self, name, entry, input)
  if self.closed then return failed "closed" end
  if self.nested > MOST_NESTED then return failed("nested", { count = MOST_NESTED }) end
  if not entry then return failed("unknown_tool", { name = name }) end
  local ok, checked, message = pcall(fitting_input, self, entry, input)
  if not ok then -- a schema may be built so that reading it raises
    checked, message = nil, results.encoded(checked)
  end
  if not checked then return failed("invalid_input", { what = message }) end
  local allowed, why = approved(self, name, checked)
  if not allowed then
    local reason = type(why) == "string" and why ~= "" and why
    return reason and failed("denied", { what = reason }) or failed "denied_plain"
  end
  return nil, checked
end

---@class (exact) abridge.CallOptions
---@field id? string the call's id; numbered unless set
---@field on_update? fun(content: string, cut: abridge.Cut) what the model would see so far
---@field on_done? fun(result: abridge.Result)

local CALL_OPTIONS = { id = "string", on_update = "function", on_done = "function" }

--- Begin a job whose call was told of.
local function begin(self, job, call, entry, name, input)
  self.running[job], job.begun = true, true
  if job.cancelled then return job:finish(jobs.aborted) end
  local value, checked = obstacle(self, name, entry, input)
  if value then
    call.failed = true
    job:finish(value)
  else
    execute(self, call, entry, checked, job)
  end
end

local function start(self, name, input, opts, at_once)
  local number, call = self.run:begin_call(), nil
  local job = jobs.new(opts.id or calls.id_of(number), function(job, value)
    self.running[job] = nil
    call = call or calls.new(self, name, nil, number, opts.id) -- it ends before it began
    if call.updates then call.updates:stop() end
    local result = result_of(self, call, value)
    if self.closed and next(self.running) == nil then self.run:close() end
    return result
  end, self.errors, opts.on_done)
  if host.in_fast_event() then self.running[job] = true end
  host.on_main(function() -- from here on callbacks of the host are called
    local entry = self:find(name)
    call = calls.new(self, name, entry, number, opts.id)
    call.at_once = at_once
    emit(self, { type = "tool_call", call_id = call.call_id, tool = call.tool, input = shown_input(self, input) })
    if opts.on_update then calls.follow(self, call, opts.on_update) end
    begin(self, job, call, entry, name, input)
  end)
  return job
end

--- Wait for a blocking call. Ctrl-C inside Neovim ends the wait: the call is cancelled then, and a second one gives up
--- on what it still has to say.
local function waited(job)
  if not job:wait() then
    job:cancel()
    if not job:wait() then job:finish(jobs.aborted) end
  end
  return job.result
end

--- Call a tool. Without `opts` the call blocks and returns the result; with `opts` it returns a job at once.
--- Whatever goes wrong with the tool or its input is told in the result. Raises on misuse of this function, and
--- with what a callback of the host raised.
---@param name string
---@param input table|string a table or JSON
---@param opts? abridge.CallOptions
---@return abridge.Result|abridge.Job
function Session:call(name, input, opts)
  if type(name) ~= "string" then check.fail("session:call: name must be a string, got " .. check.show(name)) end
  local checked = check.options("session:call", opts, CALL_OPTIONS, 1)
  if opts == nil and host.in_fast_event() then error(host.nested, 2) end
  local job = start(self, name, input, checked, opts == nil and not host.can_wait())
  if opts ~= nil then return job end
  local ok, result = pcall(waited, job)
  if not ok then
    job:cancel() -- waiting is not possible here: nothing is left running unseen
    error(result, 0)
  end
  jobs.raise(self.errors)
  return result
end

---@class (exact) abridge.SessionCapOptions
---@field left_out? boolean show nothing of the value, only that it was left out because its call is at its limit
---@field path? string as in abridge.CapOptions, these too:
---@field first_line? integer
---@field limits? table<string, integer|string> budgets for this value alone, each where it is less than the session's
---@field resume? string
---@field wrapper? boolean|"beside"

local CAP_OPTIONS = { left_out = "boolean" }
for key, kind in pairs(cap.options) do
  CAP_OPTIONS[key] = kind
end

--- Cap output that was made elsewhere, under this session's limits. Raises on misuse of the arguments but `value`,
--- naming them.
---@param name string the tool it came from
---@param value any a string, MCP content, or any value
---@param opts? abridge.SessionCapOptions
---@return abridge.Result
function Session:cap(name, value, opts)
  if type(name) ~= "string" then check.fail("session:cap: name must be a string, got " .. check.show(name)) end
  opts = check.options("session:cap", opts, CAP_OPTIONS, 1)
  local budgets = opts.limits and limits_of.checked_budgets("session:cap: limits", opts.limits, 1)
  local call = calls.new(self, name, nil, self.run:begin_call())
  if budgets then
    call.limits = limits_of.narrowed(call.limits, budgets)
    call.ceiling = call.ceiling and limits_of.narrowed(call.ceiling, { max_bytes = budgets.max_bytes })
  end
  emit(self, { type = "tool_call", call_id = call.call_id, tool = call.tool })
  call.failed = true -- the value is brought to our form here
  local unable = self.closed and failed "closed"
    or self.nested > MOST_NESTED and failed("nested", { count = MOST_NESTED })
  value = unable or normalized(value == nil and "" or value)
  if not unable and value.text then
    cap.prepare(call, value, opts, self.redactor)
    value.notice.read = self:names().read
  end
  local result = result_of(self, call, value)
  jobs.raise(self.errors)
  return result
end

--- Jobs under way, as a list: one that ends may start another.
local function running(self)
  local all = {}
  for job in pairs(self.running) do
    all[#all + 1] = job
  end
  return all
end

--- Is there a job to wait for? One whose tool is waiting here itself cannot end.
local function has_to_wait(self)
  for job in pairs(self.running) do
    if not job.entered then return true end
  end
  return false
end

local function wait_all(self, seconds)
  local all = running(self)
  local _, why = host.wait(function()
    return not has_to_wait(self)
  end, seconds)
  if why ~= "idle" then return end
  for _, job in ipairs(all) do
    if not job.entered then job:finish(jobs.abandoned) end
  end
end

--- Wait until every job is done; a tool that waits does not wait for its own. Raises what callbacks of the host
--- raised.
---@param seconds? number no limit when nil
---@return boolean done false when the seconds are over
function Session:wait(seconds)
  check.seconds("session:wait", seconds)
  wait_all(self, seconds)
  jobs.raise(self.errors)
  return next(self.running) == nil
end

--- The events of this run so far, from its log. Nil and a message where the session keeps none.
---@param filter? { tool: string|nil, since: integer|nil, type: string|nil, call_id: string|nil }
---@return table[]|nil events
---@return string|nil message
---@return string|nil code
function Session:events(filter)
  filter = runlog.check_filter("session:events", filter)
  if type(self.opts.run_dir) ~= "string" then return nil, "This session keeps no log: it has no run_dir", "ENOENT" end
  local run, message, code = runlog.open_run(self.run.dir)
  if not run then return nil, message, code end
  local events
  events, message, code = run:events(filter)
  return events, message, code
end

--- A page of the full output of a call.
---@param call_id string
---@param opts? { offset: integer|nil, limit: integer|nil }
---@return string|nil content
---@return table|string info of the page, or the message
---@return string|nil code
function Session:full_output(call_id, opts)
  opts = artifact.check("session:full_output", call_id, opts)
  local content, page_info, code = self.run:full_output(call_id, opts)
  return content, page_info, code
end

--- What a screen shows of a result (see abridge.display), told in the run's log beside the tool's own block.
---@param result abridge.Result
---@param opts? { max_lines: integer|nil, width: integer|nil, ansi: boolean|nil }
---@return string
function Session:display(result, opts)
  local text = display.display(result, opts)
  emit(self, { type = "display", call_id = result.call_id, tool = result.tool, display = result.display })
  return text
end

--- Close the session: running jobs are cancelled and waited for; later calls get an error result. Idempotent. Inside
--- a callback of the event loop, where nothing can be waited for, the run is let go when the last job has ended. Raises
--- what callbacks of the host raised, after all is closed.
function Session:close()
  if not self.closed then
    self.closed = true
    for _, job in ipairs(running(self)) do
      job:cancel()
    end
    if host.can_wait() then wait_all(self) end
  end
  if next(self.running) == nil then self.run:close() end
  jobs.raise(self.errors)
end

return M
