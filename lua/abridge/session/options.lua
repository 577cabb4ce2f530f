--- The options of a session. A wrong one raises at the level of the caller who opens it, with its name and value.

local check = require "abridge.base.check"
local notice = require "abridge.output.notice"
local writer = require "abridge.run.writer"
local registry = require "abridge.session.registry"

local M = {}

local WHO = "abridge.session"

---@class (exact) abridge.SessionOptions
--- `"default"`, `"pi"`, `"pipeline"`, `"contract"` or `"dispatcher"` (default: `"default"`)
---@field profile? abridge.ProfileName
--- overrides, `{ TOOL = { KEY = value } }`; `TOOL` may be an alias, and names of unknown tools are accepted; `false`
--- takes a budget away (default: `{}`)
---@field limits? table<string, abridge.Limits>
--- `{ max_bytes =, head_ratio = }` in place of the profile's, or `false` for none; `head_ratio` is 0.5 unless set
--- (default: the profile's)
---@field ceiling? { max_bytes: integer|string, head_ratio: number|nil }|false
--- `{ NAME = "tool" }`: other names for tools, added to the profile's (default: `{}`)
---@field aliases? table<string, string>
---@field cwd? string the folder that commands run in and relative paths start from (default: the host's own)
--- a folder that no path given to a tool may leave: [below](#root); also `cwd`, unless that is set (default: none)
---@field root? string
--- list of the tools of this package to offer (default: all of [these](#the-tools); in the profile `pi` those that have
--- an alias)
---@field tools? string[]
--- `{ NAME = "file.sqlite" }` for [sql_query](#sql_query): SQLite files, opened read only and closed with the session;
--- or LuaSQL connections, which you close yourself; or `{ connection =, read_only = false }` for one that a model may
--- write to (default: none)
---@field databases? table<string, any>
--- `{ NAME = "value" }`: changes to the environment of commands and of curl; `false` removes a name (default: none)
---@field env? table<string, string|false>
---@field timeout? number seconds for a command, a search or a fetch, over 0 (default: 120; 30 for a search)
---@field timeout_max? number the most seconds a model may ask for; `timeout` if that is more (default: 3600)
--- private addresses that [`web_fetch`](#web_fetch) may reach: `true` for all, or a list of host names, addresses and
--- blocks (`{ "intranet.example", "127.0.0.1", "10.0.0.0/8" }`) (default: none)
---@field allow_private? boolean|string[]
--- `{ shell =, read =, search = }`: names of the host's own tools, for notices; `false`: it has none (default: those of
--- the session that are ready)
---@field tool_names? abridge.ToolNames
--- `function(tool, input, alias)` asked before a tool runs, with the tool's own name, and the alias if it was called by
--- one; returns `true`, or `false` and a reason (default: all run)
---@field approve? fun(tool: string, input: table, alias: string|nil): boolean, string|nil
---@field on_event? fun(event: abridge.Event) `function(event)`, called for each call and each result (default: none)
--- a folder for the [log](#run-folders-events-and-retention) and [full outputs](#full-outputs); `false`: nothing is
--- written; `nil`: only full outputs are kept, in a fresh folder in the user's state directory, created for the first
--- one (default: `nil`)
---@field run_dir? string|false
--- which full outputs a `run_dir` keeps: `"all"` over 160 tokens, shown whole or not, pages of files aside, so that
--- anything a [conversation](#history) drops can still be read; `"cut"`: only those of results that were cut (default:
--- `"all"`)
---@field keep_outputs? "all"|"cut"
--- `{ max_bytes =, max_age = }`: [room for old runs](#retention) (default: `{ max_bytes = "1GB", max_age = "7d" }`; no
--- limit with `keep_outputs = "cut"` and a `run_dir`)
---@field retention? { max_bytes: integer|string|nil, max_age: number|string|nil }
--- a function of lines or a list of Lua patterns: [what nobody may see](#redaction) (default: nothing)
---@field redact? (fun(line: string): string)|string[]
--- the most chars that a foreign result may ask for, by `anthropic/maxResultSizeChars` in its `_meta`: it gets them in
--- place of its tool's budgets (default: none, so that these hold)
---@field max_result_chars? integer
--- tokens of the model's window, of which `max_tokens` may then be a share, such as `"5%"`: in `limits`, in the budget
--- of a [reply](#one-budget-for-a-reply) and of a [conversation](#history) (default: none)
---@field window? integer

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
  window = check.positive,
  max_result_chars = check.positive,
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
