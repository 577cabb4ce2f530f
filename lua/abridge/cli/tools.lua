--- The commands that do a session's tools' work: run, read and cap.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local shell = require "abridge.base.shell"
local terminal = require "abridge.cli.terminal"
local under = require "abridge.session.under"

local M = {}

--- A session; a wrong option is a bad flag, told without `prefix`. Nil if its run folder is another's who is at
--- work, and `or_busy` is true.
local function opened(opts, prefix, or_busy)
  local ok, session, message, code = pcall(require("abridge.session").new, opts)
  if ok and not session and or_busy and code == "EBUSY" then return nil end
  if ok and not session then terminal.fail(message) end
  if not ok then
    local why = tostring(session):gsub("^.-abridge%.session: ", "")
    terminal.bad("%s", why:sub(1, #prefix) == prefix and why:sub(#prefix + 1) or why)
  end
  return session
end

--- A session with the limits of the flags for a tool.
local function open_session(tool, args, opts)
  opts.profile = args.other.profile
  opts.limits = { [tool] = under.over(args.limits) }
  return opened(opts, "limits." .. tool .. ": ")
end

--- The place of full outputs, as an option of a session.
local function run_dir(args)
  if not args.switches.no_save then return args.other.run_dir end
  if args.other.run_dir then terminal.bad "--no-save keeps nothing, and takes no --run-dir" end
  return false
end

local SIGINT = 2

--- Words as one shell command: a single word is a command already, several are quoted.
local function shell_command(words)
  if #words == 1 then return words[1] end
  local quoted = {}
  for i, word in ipairs(words) do
    quoted[i] = shell.quote(word)
  end
  return table.concat(quoted, " ")
end

--- The exit code of `abridge run`; `caught` is the signal that stopped it.
local function exit_code(details, caught)
  if details.timed_out then return 124 end
  if details.cancelled then return 128 + (caught or SIGINT) end
  if details.signal_number then return 128 + details.signal_number end
  return details.exit_code or 1
end

local UNREAD = "abridge: stdin was not read: a command gets none here; put the pipe inside, as in "
  .. "abridge run -- 'PROGRAM | COMMAND'\n"

--- Run `abridge run`.
---@param args abridge.cli.Args
---@return integer exit code
function M.run(args)
  if #args.words == 0 then terminal.bad "run needs a command: abridge run [flags] -- CMD..." end
  local opts = { timeout = args.other.timeout, cwd = args.other.cwd, run_dir = run_dir(args) }
  opts.tools = { "run_command" }
  local session = open_session("run_command", args, opts)
  local command, caught = shell_command(args.words), nil
  local result = require("abridge.cli.progress").during("running " .. command, function(told)
    local call_opts = {}
    if told then
      function call_opts.on_update(_, cut)
        told(cut.total_bytes)
      end
    end
    local job = session:call("run_command", { command = command }, call_opts)
    local done = terminal.on_signals(function(number)
      caught = caught or number
      job:cancel() -- the command has a process group of its own, which the terminal does not reach
    end)
    local result = job:wait()
    done()
    return result
  end)
  session:close()
  terminal.print_result(result, args.switches.json)
  terminal.flush()
  if core.has_unread(0) then io.stderr:write(UNREAD) end
  return exit_code(result.details, caught)
end

--- A page of a file.
local function read_path(session, path, at)
  at.path = path
  return require("abridge.cli.progress").during("reading " .. path, function()
    return session:call("read_file", at, {}):wait() -- a job: the loop turns while it reads
  end)
end

--- Run `abridge read`.
---@param args abridge.cli.Args
---@return integer exit code
function M.read(args)
  if #args.words ~= 1 then terminal.bad("read needs one FILE, got %d", #args.words) end
  local session = open_session("read_file", args, { tools = { "read_file" } })
  local other = args.other
  local at = { offset = other.offset, limit = other.limit, column = other.column, pointer = other.pointer }
  local result
  if args.words[1] == "-" then
    result = require("abridge.session.piped").cap(session, "read_file", terminal.feed, { at = at })
  else
    result = read_path(session, args.words[1], at)
  end
  session:close()
  terminal.print_result(result, args.switches.json)
  return result.is_error and 1 or 0
end

--- The session of `abridge serve`: options as JSON, and over them those that have flags.
---@param args abridge.cli.Args
---@return abridge.Session
function M.serving_session(args)
  local opts = {}
  for key, value in pairs(args.other.session or {}) do
    if not check.is_null(value) then opts[key] = value end
  end
  for _, key in ipairs { "profile", "cwd", "root", "timeout" } do
    if args.other[key] ~= nil then opts[key] = args.other[key] end
  end
  local dir = run_dir(args)
  if dir ~= nil then opts.run_dir = dir end
  return opened(opts, "")
end

local MOST_BESIDE = 100 -- proxies that were given one folder: a client may start a server in each of its windows

--- The session of `abridge mcp`, which offers no tools of its own. Its run folder is DIR-2 and so on while others are
--- at work in DIR.
---@param args abridge.cli.Args
---@param limits table<string, table> rows by tool
---@return abridge.Session
function M.proxy_session(args, limits)
  local opts = { profile = args.other.profile, limits = limits, tools = {}, run_dir = run_dir(args), tool_names = {} }
  local dir = opts.run_dir
  for number = 2, MOST_BESIDE do
    local session = opened(opts, "", type(dir) == "string")
    if session then return session end
    opts.run_dir = ("%s-%d"):format(dir, number)
  end
  return opened(opts, "")
end

--- Run `abridge cap`.
---@param args abridge.cli.Args
---@return integer exit code
function M.cap(args)
  if #args.words ~= 1 then terminal.bad("cap needs one TOOL, got %d", #args.words) end
  local tool, other = args.words[1], args.other
  local session = open_session(tool, args, { tools = {}, run_dir = run_dir(args) })
  local ok, result = pcall(require("abridge.session.piped").cap, session, tool, terminal.feed, {
    id = other.call_id,
    input = other.input,
    path = other.path,
    exit_code = other.exit_code,
    signal = other.signal and other.signal.name,
    signal_number = other.signal and other.signal.number,
    timed_out = args.switches.timed_out,
  })
  session:close()
  if not ok then error(result, 0) end
  terminal.print_result(result, args.switches.json)
  return 0
end

return M
