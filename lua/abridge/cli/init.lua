--- The `abridge` command: what a model would see of a command, of a file, or of text on stdin.

local commands = require "abridge.cli.commands"
local version = require "abridge.base.version"
local flags = require "abridge.cli.flags"
local terminal = require "abridge.cli.terminal"

local M = {}

--- The output of `--help` and `--version`; nil without them.
local function about(switches, command)
  if switches.help then
    return command and require("abridge.cli.help").of(command, commands.everywhere)
      or require("abridge.cli.help").all(commands)
  end
  if switches.version then return ("abridge %s\n"):format(version) end
end

--- The command of that name, or raise.
local function found(name)
  local command = commands.find(name)
  if not command then
    local names = {}
    for i, one in ipairs(commands.all()) do
      names[i] = one.name
    end
    local meant = require "abridge.cli.nearest"(name, names)
    terminal.bad("unknown command %q%s", name, meant and ("; did you mean %s?"):format(meant) or "")
  end
  return command
end

--- Carry out the arguments; `state.command` is then the command. Returns the exit code.
local function done(argv, state)
  local args, at = flags.before_name(argv, commands.everywhere)
  if args.other.color then terminal.color(args.other.color) end
  if argv[at] == "help" then -- as in `abridge help run`
    args.switches.help, at = true, at + 1
  end
  local command = argv[at] and found(argv[at])
  state.command = command
  if command then
    flags.read(argv, at, command, commands.everywhere, args)
    if args.other.color then terminal.color(args.other.color) end
  end
  local said = about(args.switches, command)
  if said then
    terminal.out(said)
    return 0
  end
  if not command then terminal.bad "which command?" end
  return command.run(args)
end

--- Report an error. Returns the exit code.
local function failed(raised, command)
  local usage = type(raised) == "table" and raised.usage
  local message = usage or (type(raised) == "table" and raised.failure) or tostring(raised)
  message = terminal.visible(message:gsub("[\r\n]+", " "))
  local hint = usage and (" (see abridge %s--help)"):format(command and command.name .. " " or "") or ""
  io.stderr:write(terminal.styled("error", "abridge:", 2), " ", message, hint, "\n")
  return usage and 2 or 1
end

--- Run the command line. Returns the exit code.
---@param argv string[] without the program's name
---@return integer
function M.main(argv)
  if argv[1] == nil then
    io.stderr:write(require("abridge.cli.help").all(commands))
    return 2
  end
  local state = {}
  local ok, code = pcall(function()
    local exit = done(argv, state)
    terminal.flush()
    return exit
  end)
  return ok and code or failed(code, state.command)
end

return M
