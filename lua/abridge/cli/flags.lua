--- Reads a command line by the table of commands.

local terminal = require "abridge.cli.terminal"

local M = {}

---@class (exact) abridge.cli.Args
---@field limits table<string, any>
---@field other table<string, any> the values of other flags
---@field switches table<string, boolean>
---@field words string[]

--- The key of a flag.
local function key_of(flag)
  return (flag.name:gsub("%-", "_"))
end

--- The flags of groups by their spelling: `--json`, `-h`.
local function by_name(groups)
  local flags = {}
  for _, group in ipairs(groups) do
    for _, flag in ipairs(group) do
      flags["--" .. flag.name] = flag
      if flag.short then flags["-" .. flag.short] = flag end
    end
  end
  return flags
end

--- Read a flag, and its value, into `out`; returns how many arguments it took.
local function read_flag(args, i, flags, name, out)
  local written, value = args[i]:match "^(%-%-?[%w-]+)=(.*)$"
  written = written or args[i]
  local flag = flags[written]
  if not flag then
    local known = {}
    for own_name in pairs(flags) do
      known[#known + 1] = own_name
    end
    local meant = require "abridge.cli.nearest"(written, known)
    local hint = meant and ("; did you mean %s?"):format(meant) or ""
    terminal.bad("unknown flag %s%s%s", args[i], name and " for " .. name or "", hint)
  end
  if not flag.value then
    if value then terminal.bad("%s takes no value, got %q", written, value) end
    out.switches[key_of(flag)] = true
    for key, set in pairs(flag.sets or {}) do
      out.limits[key] = set
    end
    return 1
  end
  local taken = 1
  if not value and flag.optional then
    value = ""
  elseif not value then
    value, taken = args[i + 1], 2
    if value == nil then terminal.bad("%s needs a value", written) end
  end
  local read = flag.value.read(value)
  if read == nil then terminal.bad("%s must be %s, got %q", written, flag.value.expected, value) end
  local into = flag.limit and out.limits or out.other
  into[key_of(flag)] = read
  return taken
end

local function empty()
  return { limits = {}, other = {}, switches = {}, words = {} }
end

--- The flags before the command's name.
---@param args string[]
---@param everywhere abridge.cli.Flag[]
---@return abridge.cli.Args
---@return integer at place of the name
function M.before_name(args, everywhere)
  local out, flags, i = empty(), by_name { everywhere }, 1
  while args[i] and args[i]:sub(1, 1) == "-" do
    i = i + read_flag(args, i, flags, nil, out)
  end
  return out, i
end

--- Read the words after a command's name, on top of the flags before it.
---@param args string[]
---@param at integer where the name is
---@param command abridge.cli.Command
---@param everywhere abridge.cli.Flag[]
---@param out abridge.cli.Args
---@return abridge.cli.Args out
function M.read(args, at, command, everywhere, out)
  local groups = { everywhere }
  for _, group in ipairs(command.flags) do
    groups[#groups + 1] = group
  end
  local flags, i, words_only = by_name(groups), at + 1, false
  while args[i] do
    local arg = args[i]
    if words_only or arg == "-" or arg:sub(1, 1) ~= "-" then
      out.words[#out.words + 1] = arg
      words_only = words_only or command.own_words or false
      i = i + 1
    elseif arg == "--" then
      words_only = true
      i = i + 1
    else
      i = i + read_flag(args, i, flags, command.name, out)
    end
  end
  return out
end

return M
