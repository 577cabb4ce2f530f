--- The `abridge` command: what a model would see of a command, of a file, or of text on stdin.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local shell = require "abridge.base.shell"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local profiles = require "abridge.output.profiles"
local results = require "abridge.output.results"

local M = {}

local USAGE = [[
abridge %s: what a language model sees of a tool's output, within a hard budget

  abridge run [flags] -- CMD...        run a command; exits with its code
  abridge read FILE [flags]            read a page of a file
  abridge cut [flags]                  cut stdin; at least one limit, or a profile
  abridge tokens [FILE]                tokens of a file or of stdin, by the estimate
  abridge clean [--json]               turn stdin into the text that a terminal would finally show
  abridge log RUN_DIR [flags]          list the calls of a run
  abridge log RUN_DIR CALL_ID [flags]  read a page of what a call would show in full

limits
  --max-lines N      --max-bytes SIZE      --max-chars N      --max-tokens N
  --strategy S       head, tail, head_tail, priority or pipeline (cut: head_tail unless set)
  --head-ratio R     share of the budget for the head, 0 to 1
  --snap HOW         line or char          --marker HOW       inside, outside or none
  --marker-text T    with {lines}, {bytes}, {chars}
  --long-line HOW    omit or split: a line that alone is over budget
  --utf8 HOW         keep or replace: bytes that are not UTF-8 (cut)
  --indicators       headings around a pipeline cut
  --clean            first what a terminal would show (cut, run)      --no-clean  as it came (run)
  --profile P        default, pi, pipeline, contract or dispatcher
other
  --offset N  --limit N  --column N        where a page starts, how many lines (read, log)
  --timeout SECONDS  --cwd DIR             (run)
  --run-dir DIR      keep the log and the full output there (run; see abridge log)
  --no-save          keep no full output (run)
  --follow           go on listing as calls end (log)
  --json             content, block and details as JSON; the events of a run
  --help  --version

A SIZE is bytes or text such as 30KB. Exit codes: the command's for run, 124 when it timed out, 130 when it was
interrupted, 128 + N when signal N ended it; 1 when something cannot be read or stdout not be written; 2 for bad
flags.
]]

-- flags -----------------------------------------------------------------------

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

local function one_of(...)
  local allowed = { ... }
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
  ["--strategy"] = one_of("head", "tail", "head_tail", "priority", "pipeline"),
  ["--head-ratio"] = ratio,
  ["--snap"] = one_of("line", "char"),
  ["--marker"] = one_of("inside", "outside", "none"),
  ["--marker-text"] = text,
  ["--long-line"] = one_of("omit", "split"),
  ["--utf8"] = one_of("keep", "replace"),
}

local PROFILE = { ["--profile"] = one_of("default", "pi", "pipeline", "contract", "dispatcher") }
local SWITCH = true
local SWITCHES = { ["--json"] = SWITCH, ["--help"] = SWITCH, ["--version"] = SWITCH }
local SHORT = { ["-h"] = "--help" }

--- Flags of each command beside the limits.
local COMMANDS = {
  run = {
    ["--timeout"] = seconds,
    ["--cwd"] = text,
    ["--run-dir"] = text,
    ["--no-save"] = SWITCH,
    ["--clean"] = SWITCH,
    ["--no-clean"] = SWITCH,
  },
  read = { ["--offset"] = positive, ["--limit"] = positive, ["--column"] = positive },
  cut = { ["--clean"] = SWITCH },
  tokens = {},
  clean = {},
  log = { ["--offset"] = positive, ["--limit"] = positive, ["--column"] = positive, ["--follow"] = SWITCH },
}
local WITHOUT_LIMITS = { log = true, tokens = true, clean = true }

--- What a flag is for a command: a function that reads its value, SWITCH, or nil.
local function kind_of(flag, command)
  local kind = SWITCHES[flag] or COMMANDS[command][flag]
  if kind or WITHOUT_LIMITS[command] then return kind end
  return LIMITS[flag] or PROFILE[flag] or flag == "--indicators" and SWITCH or nil
end

local function key_of(flag)
  return (flag:gsub("^%-%-", ""):gsub("%-", "_"))
end

--- Raised for bad flags, caught by main.
local function bad(message, ...)
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
  if not parse then bad("unknown flag %s for %s", args[i], command) end
  if parse == SWITCH then bad("%s takes no value, got %q", flag, value) end
  local taken = 1
  if not value then
    value, taken = args[i + 1], 2
    if value == nil then bad("%s needs a value", flag) end
  end
  local parsed, expected = parse(value)
  if parsed == nil then bad("%s must be %s, got %q", flag, expected, value) end
  local into = LIMITS[flag] and out.limits or out.other
  into[key_of(flag)] = parsed
  return taken
end

--- Arguments after the command's name: limits, other flags, switches, words.
local function read_args(args, command)
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

-- output ------------------------------------------------------------------------

local function is_terminal()
  local uv = host.uv()
  return uv ~= nil and uv.guess_handle(1) == "tty"
end

--- Raised for what the world does wrong, caught by main.
local function fail(message)
  error({ failure = message }, 0)
end

local EPIPE = 32 -- on Linux, macOS and the BSDs

--- Fail unless stdout took it; `closed` where nobody reads it any more.
local function taken(ok, message, code)
  if not ok then error({ failure = "stdout: " .. message, closed = code == EPIPE }, 0) end
end

--- Write to stdout; what cannot be written is not passed over. A failure is told once: the next write may do well.
local function out(...)
  taken(io.stdout:write(...))
end

--- Have written what waits.
local function flush()
  taken(io.stdout:flush())
end

--- All of stdin, or so many bytes of it; nil at its end.
local function read_stdin(how)
  local content, message = io.stdin:read(how)
  return content or (message and fail("stdin: " .. message)) or nil
end

--- Print the content as it is, byte for byte; on a terminal with a newline at its end.
local function print_content(content)
  out(content)
  if content ~= "" and content:sub(-1) ~= "\n" and is_terminal() then out "\n" end
end

local function print_json(value)
  local json, message = host.json()
  if not json then fail(message) end
  out(json.encode(value), "\n")
end

local function print_result(content, block, details, as_json)
  if not as_json then return print_content(content) end
  print_json { content = content, block = block, details = details }
end

--- A session under the flags; what it raises is a bad flag.
local function open_session(tool, args, opts)
  opts.profile = args.other.profile
  opts.tools = { tool }
  args.limits.utf8 = nil -- a session always replaces
  opts.limits = { [tool] = args.limits }
  local ok, session, message = pcall(require("abridge.session").new, opts)
  if ok and not session then error({ failure = message }, 0) end
  if not ok then bad("%s", (tostring(session):gsub("^.-abridge%.session: ", ""):gsub("^limits%.[%w_]+: ", ""))) end
  return session
end

-- commands ----------------------------------------------------------------------------

--- Words as one shell command: one word is a command already, several are quoted each.
local function shell_command(words)
  if #words == 1 then return words[1] end
  local quoted = {}
  for i, word in ipairs(words) do
    quoted[i] = shell.quote(word)
  end
  return table.concat(quoted, " ")
end

--- Call `stop` on the signals that end a program; returns a function that stops listening.
local function on_signals(stop)
  local uv = host.uv()
  local handles = {}
  for i, name in ipairs(uv and { "sigint", "sigterm", "sighup" } or {}) do
    handles[i] = uv.new_signal()
    uv.signal_start(handles[i], name, stop)
    uv.unref(handles[i])
  end
  return function()
    for _, handle in ipairs(handles) do
      uv.close(handle)
    end
    host.pump()
  end
end

local function exit_code(details)
  if details.timed_out then return 124 end
  if details.cancelled then return 130 end
  if details.signal_number then return 128 + details.signal_number end
  return details.exit_code or 1
end

function M.run(args)
  if #args.words == 0 then bad "run needs a command: abridge run [flags] -- CMD..." end
  local opts = { timeout = args.other.timeout, cwd = args.other.cwd, run_dir = args.other.run_dir }
  if args.switches.no_save then opts.run_dir = false end
  local session = open_session("run_command", args, opts)
  local job = session:call("run_command", { command = shell_command(args.words) }, {})
  local done = on_signals(function()
    job:cancel() -- the command has a process group of its own, which the terminal does not reach
  end)
  local result = job:wait()
  done()
  session:close()
  print_result(result.content, result.truncation, result.details, args.switches.json)
  flush()
  if core.has_unread(0) then
    io.stderr:write("abridge: stdin was not read: a command gets none here; put the pipe inside, as in ",
      "abridge run -- 'PROGRAM | COMMAND'\n")
  end
  return exit_code(result.details)
end

function M.read(args)
  if #args.words ~= 1 then bad("read needs one FILE, got %d", #args.words) end
  local session = open_session("read_file", args, {})
  local input = {
    path = args.words[1],
    offset = args.other.offset,
    limit = args.other.limit,
    column = args.other.column,
  }
  local result = session:call("read_file", input)
  session:close()
  print_result(result.content, result.truncation, result.details, args.switches.json)
  return result.is_error and 1 or 0
end

--- The limits of a profile for text of no particular tool: its row "*", or that of commands, or its ceiling.
local function profile_limits(name)
  local profile, rows = profiles.all[name], limit_table.new("abridge cut", name, {}, 0)
  if profile["*"] then return rows:of "*" end
  return profile.run_command and rows:of "run_command" or rows:ceiling_limits()
end

--- The limits of `abridge cut`: the flags over those of the profile. Of these what belongs to another strategy falls.
local function cut_limits(args)
  local limits = args.other.profile and profile_limits(args.other.profile) or {}
  local strategy = args.limits.strategy
  if strategy and strategy ~= limits.strategy then
    for _, key in ipairs { "head_ratio", "snap", "marker", "marker_text", "hits" } do
      limits[key] = nil
    end
  end
  for key, value in pairs(args.limits) do
    limits[key] = value
  end
  if not limit.has_budget(limits) then
    bad "cut needs a limit: --max-lines, --max-bytes, --max-chars, --max-tokens or --profile"
  end
  limits.strategy = limits.strategy or "head_tail"
  return limits
end

function M.cut(args)
  if #args.words > 0 then bad("cut reads stdin and takes no words, got %q", args.words[1]) end
  local ok, limits = pcall(limit.checked, "limits", cut_limits(args), 0)
  if not ok then
    if type(limits) == "table" then error(limits, 0) end
    bad("%s", (limits:gsub("^.-limits: ", "")))
  end
  local content, cut = limit.cut(read_stdin "*a", limits)
  local block = info.not_truncated(#content)
  if cut.truncated then block = info.without_resume(#content, cut.total_bytes, results.reason(cut, limits)) end
  if #cut.kept == 0 then cut.kept = nil end
  print_result(content, block:to_table(), { cut = cut }, args.switches.json)
  return 0
end

--- All of a file, "-" or nothing being stdin.
local function read_all(path)
  if path == nil or path == "-" then return read_stdin "*a" end
  local file, message = io.open(path, "rb")
  if not file then fail(message) end
  local content, failure = file:read "*a"
  file:close()
  return content or fail(("%s: %s"):format(path, failure or "cannot be read"))
end

function M.tokens(args)
  if #args.words > 1 then bad("tokens takes one FILE at most, got %d", #args.words) end
  local content = read_all(args.words[1])
  local tokens = core.estimate_tokens(content)
  if args.switches.json then
    print_json { tokens = tokens, bytes = #content }
  else
    out(("%.0f\n"):format(tokens))
  end
  return 0
end

local CHUNK = 64 * 1024 -- bytes of stdin at a time

function M.clean(args)
  if #args.words > 0 then bad("clean reads stdin and takes no words, got %q", args.words[1]) end
  if args.switches.json then
    local content, stats = core.clean(read_stdin "*a")
    print_json { content = content, stats = stats }
    return 0
  end
  local cleaner = core.cleaner()
  local chunk = read_stdin(CHUNK)
  while chunk do
    out(cleaner:write(chunk))
    chunk = read_stdin(CHUNK)
  end
  out((cleaner:finish()))
  cleaner:close()
  return 0
end

function M.log(args)
  return require("abridge.cli.log").run(args, {
    bad = bad,
    fail = fail,
    out = out,
    flush = flush,
    json = print_json,
    on_signals = on_signals,
  })
end

--- What a switch that is a command of its own prints; nil for any other word.
local function about(word)
  if word == "--version" then return ("abridge %s\n"):format(core.version) end
  if word == "--help" or word == "-h" or word == "help" then return (USAGE:gsub("%%s", core.version, 1)) end
end

--- Do what the arguments say.
local function done(argv)
  local command = argv[1]
  local said = about(command)
  if not said then
    if not COMMANDS[command] then bad("unknown command %q", command) end
    local args = read_args(argv, command)
    said = args.switches.help and about "--help" or args.switches.version and about "--version"
    if not said then return M[command](args) end
  end
  out(said)
  return 0
end

--- Run the command line. Returns the exit code.
---@param argv string[] without the program's name
---@return integer
function M.main(argv)
  if argv[1] == nil then
    io.stderr:write(about "--help")
    return 2
  end
  local ok, code = pcall(function()
    local exit = done(argv)
    flush()
    return exit
  end)
  if ok then return code end
  local usage = type(code) == "table" and code.usage
  local message = usage or (type(code) == "table" and code.failure) or tostring(code)
  message = require("abridge.cli.log").visible(message:gsub("[\r\n]+", " "))
  io.stderr:write("abridge: ", message, usage and " (see abridge --help)\n" or "\n")
  return usage and 2 or 1
end

return M
