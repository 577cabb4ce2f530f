--- The options of a session. A wrong one raises at the level of the caller who opens it, with its name and value.

local check = require "abridge.base.check"
local notice = require "abridge.output.notice"
local writer = require "abridge.run.writer"
local registry = require "abridge.session.registry"

local M = {}

local WHO = "abridge.session"

---@class (exact) abridge.SessionOptions
---@field profile? abridge.ProfileName limits to start from
---@field limits? table<string, abridge.Limits> overrides by tool and key; false takes a budget away
---@field ceiling? { max_bytes: integer|string, head_ratio: number|nil }|false over every result; false: none
---@field aliases? table<string, string> other names for tools
---@field cwd? string folder that relative paths start from; the host's own unless set
---@field root? string folder that every path a tool is given stays inside; also `cwd`, unless that is set
---@field run_dir? string|false a folder for the log and the full outputs; nil: full outputs alone, in a fresh folder of
---  the user's state directory; false: nothing is written
---@field redact? (fun(line: string): string)|string[] whole lines or Lua patterns: what no model, log or file may see
---@field retention? { max_bytes: integer|string|nil, max_age: number|string|nil } of runs beside this one
---@field keep_outputs? "all"|"cut" which full outputs a `run_dir` keeps: those of all results that a conversation may
---  drop later, pages of files aside, or of results that were cut; "all" unless set
---@field on_event? fun(event: table) called with each tool_call and tool_result
---@field approve? fun(tool: string, input: table, alias: string|nil): boolean, string|nil asked before a tool runs,
---  with its own name, and with the alias where one was called
---@field env? table<string, string|false> changes to the environment of commands; false removes a name
---@field tools? string[] which tools of this package to offer; all unless set
---@field databases? table<string, any> by name: the path of an SQLite file, opened here, read only; a LuaSQL
---  connection, which stays the host's to close; or { connection = ..., read_only = false } for one that may be
---  written to
---@field tool_names? abridge.ToolNames the session's own tools unless set
---@field allow_private? boolean|string[] private addresses that web_fetch may reach: all, or those of these hosts,
---  addresses and blocks such as "10.0.0.0/8"; none unless set
---@field timeout? number seconds for a command, a search or a fetch; 120 unless set, 30 for a search
---@field timeout_max? number most seconds that a model may ask for; 3600 unless set; `timeout` where that is more

local function seconds(value)
  if type(value) ~= "number" or not (value > 0 and value < math.huge) then return "a number of seconds over 0" end
end

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
  tool_names = notice.check_tool_names,
  allow_private = function(value)
    if type(value) ~= "boolean" and type(value) ~= "table" then
      return "true, false or a list of host names, addresses and blocks of addresses"
    end
  end,
  timeout = seconds,
  timeout_max = seconds,
  run_dir = writer.check_run_dir,
  retention = function(value)
    return require("abridge.run.retention").check(value)
  end,
  keep_outputs = function(value)
    if value ~= "all" and value ~= "cut" then return '"all" or "cut"' end
  end,
  redact = function(value)
    if value and type(value) ~= "function" and type(value) ~= "table" then return "a function, patterns or false" end
  end,
  root = "string",
  databases = "table",
}

local TABLES = {
  "aliases",
  "allow_private",
  "ceiling",
  "databases",
  "env",
  "limits",
  "retention",
  "tool_names",
  "tools",
}

--- Raise at the level of the caller of `abridge.session`, from two calls below it.
local function fail(message, ...)
  check.fail(WHO .. ": " .. message:format(...), 3)
end

local function check_strings(name, t)
  for key, value in pairs(t) do
    if type(key) ~= "string" or type(value) ~= "string" then
      fail("%s must map names to names, got %s", name, check.show(value))
    end
  end
end

local function check_aliases(aliases)
  for _, name in ipairs(registry.built_in) do
    if aliases[name] then fail("alias %s is the name of a tool", check.show(name)) end
  end
end

local function check_env(env)
  for name, value in pairs(env) do
    if type(name) ~= "string" or name == "" or name:find "[=%z]" then
      fail("env has the bad name %s (value %s)", check.show(name), check.show(value))
    elseif value ~= false and (type(value) ~= "string" or value:find("\0", 1, true)) then
      fail("env.%s must be a string without NUL or false, got %s", name, check.show(value))
    end
  end
end

--- The options, checked as far as each can be by itself, and copied with their tables: no metatable is used then or
--- later. To be called by `abridge.session` itself.
---@param opts any
---@return abridge.SessionOptions
function M.checked(opts)
  local own = check.options(WHO, opts, OPTIONS, 2)
  for _, name in ipairs(TABLES) do
    if type(own[name]) == "table" then own[name] = check.copied(own[name]) end
  end
  check_strings("aliases", own.aliases or {})
  check_aliases(own.aliases or {})
  check_env(own.env or {})
  return own
end

--- The private addresses that the option `allow_private` allows. To be called by `abridge.session` itself.
---@param spec boolean|string[]|nil
---@return abridge.AllowedHosts
function M.allowed_hosts(spec)
  local allowed, wrong, key = require("abridge.web.address").allowed(spec)
  if allowed then return allowed end
  local where = type(key) == "string" and "." .. key or ("[%s]"):format(check.show(key))
  local wanted = "a host name, an address or a block of addresses"
  check.fail(("%s: allow_private%s must be %s, got %s"):format(WHO, where, wanted, check.show(wrong)), 1)
end

return M
