--- The flags of the `abridge` command: which there are, and how they are read. (`USAGE` in `init` lists them.)

local core = require "abridge.base.core_loader"
local profiles = require "abridge.output.profiles"

local M = {}

local function count(text)
  local n = text:find "^%d+$" and tonumber(text)
  return n and n <= 2 ^ 53 and n or nil, "an integer from 0 to 2^53"
end

local function positive(text)
  local n = count(text)
  return n and n > 0 and n or nil, "an integer from 1 to 2^53"
end

local function seconds(text)
  local n = tonumber(text)
  return n and n > 0 and n < math.huge and n or nil, "a number of seconds over 0"
end

local function ratio(text)
  local n = tonumber(text)
  return n and n >= 0 and n <= 1 and n or nil, "a number from 0 to 1"
end

local function size(text)
  return core.parse_size(text), "a size such as 30720 or 30KB"
end

local function text(value)
  return value
end

local function one_of(allowed)
  return function(value)
    for _, word in ipairs(allowed) do
      if word == value then return value end
    end
    return nil, "one of " .. table.concat(allowed, ", ")
  end
end

--- Flags that are limits: their key is the flag's name.
local LIMITS = {
  ["--max-lines"] = count,
  ["--max-bytes"] = size,
  ["--max-chars"] = count,
  ["--max-tokens"] = count,
  ["--strategy"] = one_of { "auto", "head", "tail", "head_tail", "priority", "pipeline" },
  ["--kind"] = one_of { "log", "text", "json", "json_lines", "table", "diff", "binary" },
  ["--head-ratio"] = ratio,
  ["--snap"] = one_of { "line", "char" },
  ["--marker"] = one_of { "inside", "outside", "none" },
  ["--marker-text"] = text,
  ["--long-line"] = one_of { "omit", "split" },
  ["--utf8"] = one_of { "keep", "replace" },
}

local profile_names = {}
for name in pairs(profiles.all) do
  profile_names[#profile_names + 1] = name
end
table.sort(profile_names)

local PROFILE = { ["--profile"] = one_of(profile_names) }
local SWITCH = true
local SWITCHES = { ["--json"] = SWITCH, ["--help"] = SWITCH, ["--version"] = SWITCH }
local SHORT = { ["-h"] = "--help", ["-o"] = "--output" }

--- Flags of each command besides the limits.
local COMMANDS = {
  run = {
    ["--timeout"] = seconds,
    ["--cwd"] = text,
    ["--run-dir"] = text,
    ["--no-save"] = SWITCH,
    ["--clean"] = SWITCH,
    ["--no-clean"] = SWITCH,
  },
  read = { ["--offset"] = positive, ["--limit"] = positive, ["--column"] = positive, ["--pointer"] = text },
  cut = { ["--clean"] = SWITCH, ["--explain"] = SWITCH },
  kind = {},
  tokens = {},
  clean = {},
  log = {
    ["--offset"] = positive,
    ["--limit"] = positive,
    ["--column"] = positive,
    ["--follow"] = SWITCH,
    ["--stats"] = SWITCH,
  },
  report = { ["--output"] = text },
}
local WITHOUT_LIMITS = { kind = true, log = true, report = true, tokens = true, clean = true }

--- What a flag is for a command: a function that reads its value, SWITCH, or nil.
local function kind_of(flag, command)
  local kind = SWITCHES[flag] or COMMANDS[command][flag]
  if kind or WITHOUT_LIMITS[command] then return kind end
  return LIMITS[flag] or PROFILE[flag] or flag == "--indicators" and SWITCH or nil
end

local function key_of(flag)
  return (flag:gsub("^%-%-", ""):gsub("%-", "_"))
end

--- Raise for bad flags; `main` reports it.
---@param message string a format
---@param ... any
function M.bad(message, ...)
  error({ usage = message:format(...) }, 0)
end

--- Read the value of a flag into `out`; returns how many arguments it took.
local function read_flag(args, i, command, out)
  local flag, value = args[i]:match "^(%-%-[%w-]+)=(.*)$"
  flag = flag or SHORT[args[i]] or args[i]
  local parse = kind_of(flag, command)
  if parse == SWITCH and not value then
    out.switches[key_of(flag)] = true
    return 1
  end
  if not parse then M.bad("unknown flag %s for %s", args[i], command) end
  if parse == SWITCH then M.bad("%s takes no value, got %q", flag, value) end
  local taken = 1
  if not value then
    value, taken = args[i + 1], 2
    if value == nil then M.bad("%s needs a value", flag) end
  end
  local parsed, expected = parse(value)
  if parsed == nil then M.bad("%s must be %s, got %q", flag, expected, value) end
  local into = LIMITS[flag] and out.limits or out.other
  into[key_of(flag)] = parsed
  return taken
end

--- Is there such a command?
---@param name string
---@return boolean
function M.is_command(name)
  return COMMANDS[name] ~= nil
end

--- Arguments after the command's name: limits, other flags, switches, words.
---@param args string[]
---@param command string
---@return { limits: table<string, any>, other: table<string, any>, switches: table<string, boolean>, words: string[] }
function M.read(args, command)
  local out = { limits = {}, other = {}, switches = {}, words = {} }
  local i = 2
  while args[i] do
    local arg = args[i]
    local words_only = command == "run" and #out.words > 0
    if arg == "--" then
      for rest = i + 1, #args do
        out.words[#out.words + 1] = args[rest]
      end
      break
    elseif arg:sub(1, 1) == "-" and arg ~= "-" and not words_only then
      i = i + read_flag(args, i, command, out)
    else
      out.words[#out.words + 1] = arg
      i = i + 1
    end
  end
  if out.switches.indicators then out.limits.indicators = true end
  if out.switches.clean then out.limits.clean = true end
  if out.switches.no_clean then out.limits.clean = false end
  return out
end

return M
