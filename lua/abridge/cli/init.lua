--- The `abridge` command: what a model would see of a command, of a file, or of text on stdin.

local core = require "abridge.base.core_loader"
local explain = require "abridge.cli.explain"
local flags = require "abridge.cli.flags"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local profiles = require "abridge.output.profiles"
local log = require "abridge.cli.log"
local results = require "abridge.output.results"
local shell = require "abridge.base.shell"
local terminal = require "abridge.cli.terminal"

local M = {}

local USAGE = [[
abridge %s: what a language model sees of a tool's output, within a hard budget

  abridge run [flags] -- CMD...        run a command; exits with its code
  abridge read FILE [flags]            read a page of a file
  abridge cut [flags]                  cut stdin; at least one limit, or a profile
  abridge kind [FILE]                  what a file or stdin is: log, text, json, json_lines, table, diff or binary
  abridge tokens [FILE]                tokens of a file or of stdin, by the estimate
  abridge clean [--json]               turn stdin into the text that a terminal would finally show
  abridge log RUN_DIR [flags]          list the calls of a run
  abridge log RUN_DIR CALL_ID [flags]  read a page of what a call would show in full
  abridge report RUN_DIR [-o FILE]     write a run as an HTML page that needs nothing else

limits
  --max-lines N      --max-bytes SIZE      --max-chars N      --max-tokens N
  --strategy S       auto, head, tail, head_tail, priority or pipeline (cut and run: auto unless set)
  --kind K           cut it as that kind, whatever it looks like; the names are those of abridge kind (auto)
  --head-ratio R     share of the budget for the head, 0 to 1
  --snap HOW         line or char          --marker HOW       inside, outside or none
  --marker-text T    with {lines}, {bytes}, {chars}
  --long-line HOW    omit or split: a line that alone is over budget
  --utf8 HOW         keep or replace: bytes that are not UTF-8 (cut)
  --indicators       headings around a pipeline cut
  --explain          print each line that a log's cut keeps with its number, its score and why it is kept (cut)
  --clean            first what a terminal would show (cut, run)      --no-clean  as it came (run)
  --profile P        default, pi, pipeline, contract or dispatcher
other
  --offset N  --limit N  --column N        where a page starts, how many lines (read, log)
  --pointer P        elements of a JSON file, from there on (read)
  --timeout SECONDS  --cwd DIR             (run)
  --run-dir DIR      keep the log and the full output there (run; see abridge log)
  --no-save          keep no full output (run)
  --follow           go on listing as calls end (log)
  -o, --output FILE  where the page goes; stdout unless set (report)
  --stats            what each tool's calls cost, and what cuts saved, in place of the list (log)
  --json             content, block and details as JSON; the events of a run
  --help  --version

A SIZE is bytes or text such as 30KB. Exit codes: the command's for run, 124 when it timed out, 130 when it was
interrupted, 128 + N when signal N ended it; 1 when something cannot be read or stdout not be written; 2 for bad
flags.
]]

local function print_result(content, block, details, as_json)
  if not as_json then return terminal.print_content(content) end
  terminal.print_json { content = content, block = block, details = details }
end

--- A session with the limits of the flags; an error in them is a bad flag.
local function open_session(tool, args, opts)
  opts.profile = args.other.profile
  opts.tools = { tool }
  args.limits.utf8 = nil -- a session always replaces
  opts.limits = { [tool] = args.limits }
  local ok, session, message = pcall(require("abridge.session").new, opts)
  if ok and not session then terminal.fail(message) end
  if not ok then
    flags.bad("%s", (tostring(session):gsub("^.-abridge%.session: ", ""):gsub("^limits%.[%w_]+: ", "")))
  end
  return session
end

-- commands ----------------------------------------------------------------------------

--- Words as one shell command: a single word is a command already, several are quoted.
local function shell_command(words)
  if #words == 1 then return words[1] end
  local quoted = {}
  for i, word in ipairs(words) do
    quoted[i] = shell.quote(word)
  end
  return table.concat(quoted, " ")
end

local function exit_code(details)
  if details.timed_out then return 124 end
  if details.cancelled then return 130 end
  if details.signal_number then return 128 + details.signal_number end
  return details.exit_code or 1
end

function M.run(args)
  if #args.words == 0 then flags.bad "run needs a command: abridge run [flags] -- CMD..." end
  local opts = { timeout = args.other.timeout, cwd = args.other.cwd, run_dir = args.other.run_dir }
  if args.switches.no_save then opts.run_dir = false end
  local session = open_session("run_command", args, opts)
  local job = session:call("run_command", { command = shell_command(args.words) }, {})
  local done = terminal.on_signals(function()
    job:cancel() -- the command has a process group of its own, which the terminal does not reach
  end)
  local result = job:wait()
  done()
  session:close()
  print_result(result.content, result.truncation, result.details, args.switches.json)
  terminal.flush()
  if core.has_unread(0) then
    io.stderr:write(
      "abridge: stdin was not read: a command gets none here; put the pipe inside, as in ",
      "abridge run -- 'PROGRAM | COMMAND'\n"
    )
  end
  return exit_code(result.details)
end

function M.read(args)
  if #args.words ~= 1 then flags.bad("read needs one FILE, got %d", #args.words) end
  local session = open_session("read_file", args, {})
  local input = {
    path = args.words[1],
    offset = args.other.offset,
    limit = args.other.limit,
    column = args.other.column,
    pointer = args.other.pointer,
  }
  local result = session:call("read_file", input)
  session:close()
  print_result(result.content, result.truncation, result.details, args.switches.json)
  return result.is_error and 1 or 0
end

--- The limits of a profile for text of no particular tool: its row "*", else that of commands, else its ceiling.
local function profile_limits(name)
  local profile, rows = profiles.all[name], limit_table.new("abridge cut", name, {}, 0)
  if profile["*"] then return rows:of "*" end
  return profile.run_command and rows:of "run_command" or rows:ceiling_limits()
end

--- The limits of `abridge cut`: the flags over those of the profile. What belongs to another strategy is dropped.
local function cut_limits(args)
  local limits = args.other.profile and profile_limits(args.other.profile) or {}
  local strategy = args.limits.strategy
  if strategy and strategy ~= limits.strategy then
    for _, key in ipairs { "head_ratio", "snap", "marker", "marker_text", "hits", "kind" } do
      limits[key] = nil
    end
  end
  for key, value in pairs(args.limits) do
    limits[key] = value
  end
  if not limit.has_budget(limits) then
    flags.bad "cut needs a limit: --max-lines, --max-bytes, --max-chars, --max-tokens or --profile"
  end
  limits.strategy = limits.strategy or "auto"
  return limits
end

function M.cut(args)
  if #args.words > 0 then flags.bad("cut reads stdin and takes no words, got %q", args.words[1]) end
  local ok, limits = pcall(limit.checked, "limits", cut_limits(args), 0)
  if not ok then
    if type(limits) == "table" then error(limits, 0) end
    flags.bad("%s", (limits:gsub("^.-limits: ", "")))
  end
  if args.switches.explain then return explain.run(terminal.read "*a", limits, args.switches.json) end
  local content, cut = limit.cut(terminal.read "*a", limits)
  local block = info.not_truncated(#content)
  if cut.truncated then block = info.without_resume(#content, cut.total_bytes, results.reason(cut, limits)) end
  if #cut.kept == 0 then cut.kept = nil end
  print_result(content, block:to_table(), { cut = cut }, args.switches.json)
  return 0
end

--- All of a file, or that many bytes of its start; of stdin for "-" or none.
local function read_file(path, how)
  if path == nil or path == "-" then return terminal.read(how) or "" end
  local file, message = io.open(path, "rb")
  if not file then terminal.fail(message) end
  local content, failure = file:read(how)
  file:close()
  return content or failure and terminal.fail(("%s: %s"):format(path, failure)) or ""
end

local TELLING = 256 * 1024 + 1 -- bytes that tell a kind, and one more where the text goes on

function M.kind(args)
  if #args.words > 1 then flags.bad("kind takes one FILE at most, got %d", #args.words) end
  local kind = core.kind(read_file(args.words[1], TELLING))
  if args.switches.json then
    terminal.print_json { kind = kind }
  else
    terminal.out(kind, "\n")
  end
  return 0
end

function M.tokens(args)
  if #args.words > 1 then flags.bad("tokens takes one FILE at most, got %d", #args.words) end
  local content = read_file(args.words[1], "*a")
  local tokens = core.estimate_tokens(content)
  if args.switches.json then
    terminal.print_json { tokens = tokens, bytes = #content }
  else
    terminal.out(("%.0f\n"):format(tokens))
  end
  return 0
end

local CHUNK = 64 * 1024 -- bytes of stdin at a time

function M.clean(args)
  if #args.words > 0 then flags.bad("clean reads stdin and takes no words, got %q", args.words[1]) end
  if args.switches.json then
    local content, stats = core.clean(terminal.read "*a")
    terminal.print_json { content = content, stats = stats }
    return 0
  end
  local cleaner = core.cleaner()
  local chunk = terminal.read(CHUNK)
  while chunk do
    terminal.out(cleaner:write(chunk))
    chunk = terminal.read(CHUNK)
  end
  terminal.out((cleaner:finish()))
  cleaner:close()
  return 0
end

M.log = log.run

function M.report(args)
  return require("abridge.cli.report").run(args)
end

--- The output of `--help` and `--version`; nil for any other word.
local function about(word)
  if word == "--version" then return ("abridge %s\n"):format(core.version) end
  if word == "--help" or word == "-h" or word == "help" then return (USAGE:gsub("%%s", core.version, 1)) end
end

--- Do what the arguments say.
local function done(argv)
  local command = argv[1]
  local said = about(command)
  if not said then
    if not flags.is_command(command) then flags.bad("unknown command %q", command) end
    local args = flags.read(argv, command)
    said = args.switches.help and about "--help" or args.switches.version and about "--version"
    if not said then return M[command](args) end
  end
  terminal.out(said)
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
    terminal.flush()
    return exit
  end)
  if ok then return code end
  local usage = type(code) == "table" and code.usage
  local message = usage or (type(code) == "table" and code.failure) or tostring(code)
  message = log.visible(message:gsub("[\r\n]+", " "))
  io.stderr:write("abridge: ", message, usage and " (see abridge --help)\n" or "\n")
  return usage and 2 or 1
end

return M
