--- The commands of `abridge` and their flags: one table, from which the command line is read, and help, completion and
--- man page are made.

local kinds = require "abridge.base.kinds"
local profiles = require "abridge.output.profiles"
local values = require "abridge.cli.values"

local M = {}

---@class (exact) abridge.cli.Flag
---@field name string "max-lines"
---@field short? string a letter that stands for it
---@field says string its effect, in a few words
---@field value? abridge.cli.Value nil for a switch
---@field shown? string how help shows the value: "N"
---@field optional? boolean the value stands behind = alone, and need not; it is "" then
---@field limit? boolean it is a limit: its name is that of the option
---@field sets? table<string, boolean> limits that a switch sets

---@class (exact) abridge.cli.Form
---@field words string words after the command's name
---@field says string

---@class (exact) abridge.cli.Command
---@field name string
---@field forms abridge.cli.Form[] ways to call it, with the effect of each
---@field about? string[] paragraphs
---@field flags abridge.cli.Flag[][] groups, each with a `title`
---@field words? abridge.cli.Value[] values of its words
---@field own_words? boolean the words after the first one are all words, as those of another command
---@field examples string[][] each a command line and its effect
---@field run fun(args: abridge.cli.Args): integer returns the exit code

--- The shells that completion is for.
M.shells = { "bash", "zsh", "fish" }

local function flag(name, shown, value, says, more)
  local made = { name = name, shown = shown, value = value, says = says }
  for key, extra in pairs(more or {}) do
    made[key] = extra
  end
  return made
end

local function switch(name, says, sets)
  return { name = name, says = says, sets = sets }
end

--- A function that runs a command, of a module that is loaded then.
local function by(load, name)
  return function(args)
    return load()[name](args, M)
  end
end

local function completion()
  return require "abridge.cli.completion"
end

local function log()
  return require "abridge.cli.log"
end

local function report()
  return require "abridge.cli.report"
end

local function serve()
  return require "abridge.cli.serve"
end

local function texts()
  return require "abridge.cli.texts"
end

local function tools()
  return require "abridge.cli.tools"
end

local function sorted_keys(map)
  local names = {}
  for name in pairs(map) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- "log, text or json"
local function any_of(words)
  return table.concat(words, ", ", 1, #words - 1) .. " or " .. words[#words]
end

local function tool_names()
  local names = {}
  for _, name in ipairs(sorted_keys(profiles.all.default)) do
    if name ~= "*" and name ~= "ceiling" then names[#names + 1] = name end
  end
  return names
end

-- flags ---------------------------------------------------------------------------------

local WHEN = values.one_of { "auto", "always", "never" }
local STRATEGIES = { "auto", "head", "tail", "head_tail", "priority", "pipeline" }

local function limit(name, shown, value, says)
  return flag(name, shown, value, says, { limit = true })
end

local PROFILE = flag("profile", "NAME", values.one_of(sorted_keys(profiles.all)), "the limits to start from")

local LIMITS = {
  title = "Limits",
  limit("max-lines", "N", values.count, "at most N lines"),
  limit("max-bytes", "SIZE", values.size, "at most so many bytes, as 30720 or 30KB"),
  limit("max-chars", "N", values.count, "at most N chars"),
  limit("max-tokens", "N", values.count, "at most N tokens, by the estimate"),
  PROFILE,
  limit("strategy", "NAME", values.one_of(STRATEGIES), "which part to keep"),
  limit("kind", "KIND", values.one_of(kinds.options), "the kind of the text, for auto"),
  limit("head-ratio", "R", values.ratio, "share of the budget for the start, 0 to 1"),
  limit("snap", "HOW", values.one_of { "line", "char" }, "cut at line ends, or between any chars"),
  limit("marker", "HOW", values.one_of { "inside", "outside", "none" }, "whether the marker counts in the budget"),
  limit("marker-text", "TEXT", values.text, "the marker, with {lines}, {bytes}, {chars}"),
  limit("long-line", "HOW", values.one_of { "omit", "split" }, "leave out or split a line that alone is over budget"),
  limit("utf8", "HOW", values.one_of { "keep", "replace" }, "bytes that are not UTF-8 (cut; others replace them)"),
  switch("indicators", "headings around a pipeline cut", { indicators = true }),
}

local PAGE = {
  title = "Page",
  flag("offset", "N", values.positive, "the first line, from 1"),
  flag("limit", "N", values.positive, "how many lines"),
  flag("column", "N", values.positive, "the first char in that line, from 1"),
}

local KEEP = {
  title = "Full output",
  flag("run-dir", "DIR", values.folder, "keep log and full output there; else it goes to the state directory"),
  switch("no-save", "keep neither log nor full output"),
}

--- Flags of every command, and of none.
M.everywhere = {
  title = "Other",
  flag("color", "WHEN", WHEN, "whether to colour; auto: on a terminal without NO_COLOR"),
  { name = "help", short = "h", says = "about a command, and its flags" },
  switch("version", "the version"),
}

local function json(says)
  return { title = "Output", switch("json", "as JSON: " .. says) }
end

local RESULT = "content, notice, truncation, call_id, is_error and details"

-- commands ------------------------------------------------------------------------------

--- What people want to do, in the order of the help, and the commands for it.
---@type { title: string, [integer]: abridge.cli.Command }[]
M.tasks = {
  {
    title = "See what a model would see",
    {
      name = "run",
      forms = { { words = "[flags] -- CMD...", says = "run a command, and exit with its code" } },
      about = {
        "A single word is a shell command; several are each quoted. The command gets no stdin. "
          .. "Flags after the first word are the command's own.",
      },
      words = { values.command },
      own_words = true,
      flags = {
        {
          title = "The command",
          flag("timeout", "SECONDS", values.seconds, "stop it after that time; 120 unless set"),
          flag("cwd", "DIR", values.folder, "the folder to run it in"),
          switch("clean", "first clean it as a terminal would, in any profile", { clean = true }),
          switch("no-clean", "leave its output as it comes", { clean = false }),
        },
        KEEP,
        json(RESULT),
        LIMITS,
      },
      examples = {
        { "abridge run -- make test", "what a model would see of a build" },
        { "abridge run --max-tokens 2000 -- 'cargo test 2>&1 | tee log'", "a pipe, within 2000 tokens" },
      },
      run = by(tools, "run"),
    },
    {
      name = "read",
      forms = { { words = "FILE [flags]", says = "show a page of a file, or of stdin for -" } },
      about = {
        "With - it is stdin. "
          .. "A page starts where it is told to, so the strategies auto and priority are not for pages, and neither is "
          .. "--kind.",
      },
      words = { values.file },
      flags = {
        {
          title = "Page",
          PAGE[1],
          PAGE[2],
          PAGE[3],
          flag("pointer", "P", values.text, "elements of a JSON file, from that JSON pointer on"),
        },
        json(RESULT),
        LIMITS,
      },
      examples = { { "abridge read server.log --offset 2001", "the page that starts at line 2001" } },
      run = by(tools, "read"),
    },
    {
      name = "cap",
      forms = { { words = "TOOL [flags] < OUTPUT", says = "cap a tool's output: cut it, and say so in a notice" } },
      about = {
        "For hosts in any language that run their tools themselves. TOOL is the tool's own name: its limits are those "
          .. "of the profile, or of its row for tools that it does not name.",
      },
      words = { values.such_as(tool_names()) },
      flags = {
        {
          title = "The output",
          flag("path", "FILE", values.file, "the file that the text is from (read_file)"),
        },
        {
          title = "The call",
          flag("input", "JSON", values.json, "the call's input, for the log and the report"),
          flag("call-id", "ID", values.id, "the call's id; numbered unless set"),
          flag("exit-code", "N", values.count, "the command's exit code; not 0 is an error"),
          flag("signal", "NAME", values.signal, "the signal that ended it, such as TERM"),
          switch("timed-out", "it was stopped at its timeout"),
        },
        KEEP,
        json(RESULT),
        LIMITS,
      },
      examples = {
        { "make test 2>&1 | abridge cap run_command", "under the limits of commands" },
        { "abridge cap github__search --max-bytes 8KB --json < out", "under its own budget, for a program to read" },
      },
      run = by(tools, "cap"),
    },
    {
      name = "cut",
      forms = { { words = "[flags] < TEXT", says = "cut a text; needs a limit or a profile" } },
      about = { "There is no notice: only the text that fits, with a marker in place of the rest." },
      flags = {
        {
          title = "The text",
          switch("clean", "first clean it as a terminal would", { clean = true }),
          switch("explain", "print why, as explain does, in place of the content"),
        },
        json "content, truncation, is_error and details",
        LIMITS,
      },
      examples = {
        { "abridge cut --max-bytes 2KB < build.log", "the 2 KB that matter most" },
      },
      run = by(texts, "cut"),
    },
    {
      name = "serve",
      forms = { { words = "[flags] < REQUESTS", says = "answer requests in lines of JSON: many calls, one process" } },
      about = {
        'A request is {"id":1,"method":"cap","params":{...}}, its answer {"id":1,"result":{...}} or '
          .. '{"id":1,"error":{"code":"EINVAL","message":"..."}}, in any order, each in a line. Methods are cap, cut, '
          .. "kind, fit, call and page. At the end of stdin, work under way is finished.",
      },
      flags = {
        {
          title = "The session",
          PROFILE,
          flag("cwd", "DIR", values.folder, "the folder that commands run in, and that paths start from"),
          flag("root", "DIR", values.folder, "the folder that every path stays in"),
          flag("timeout", "SECONDS", values.seconds, "stop a command after that time; 120 unless set"),
          flag("session", "JSON", values.object, "other options of abridge.session"),
        },
        KEEP,
      },
      examples = { { "abridge serve --run-dir runs/42", "for a program that keeps it running" } },
      run = by(serve, "run"),
    },
    {
      name = "mcp",
      forms = {
        { words = "[flags] -- SERVER ARGS...", says = "stand between an MCP client and a server, and cut results" },
      },
      about = {
        "Every byte passes as it came, both ways, but results of tools over their limits. It ends as the server does.",
      },
      words = { values.command },
      own_words = true,
      flags = {
        {
          title = "Results",
          PROFILE,
          flag("limits", "JSON", values.object, 'limits by tool, as {"search":{"max_bytes":"8KB"}}; "*" is any other'),
          flag("max-result-chars", "N", values.positive, "the most a tool may ask for as anthropic/maxResultSizeChars"),
          flag("structured", "HOW", values.one_of { "cut", "keep" }, "whether structured content is made shorter"),
          flag(
            "tools",
            "PREFIX",
            values.tool_prefix,
            "add PREFIX_read and PREFIX_search for full outputs; abridge unless set",
            {
              optional = true,
            }
          ),
        },
        KEEP,
      },
      examples = {
        { "abridge mcp -- npx -y @modelcontextprotocol/server-filesystem .", "in place of the server's own command" },
      },
      run = function(args)
        return require("abridge.cli.mcp").run(args)
      end,
    },
  },
  {
    title = "Look back at a run",
    {
      name = "log",
      forms = {
        { words = "RUN_DIR [flags]", says = "list the calls of a run" },
        { words = "RUN_DIR CALL_ID [flags]", says = "print a page of a call's full output" },
      },
      about = {
        "Which part of a full output it is, and how to go on, goes to stderr: pages printed one after the other are "
          .. "the full output.",
      },
      words = { values.folder, values.text },
      flags = {
        {
          title = "The list",
          switch("follow", "go on listing as calls end, until interrupted"),
          switch("stats", "costs of each tool's calls and savings of cuts, in place of the list"),
        },
        PAGE,
        json "the events, one a line; of a call content and page; the sums of --stats",
      },
      examples = {
        { "abridge log runs/42", "its calls, with the sizes of their output and of the part the model saw" },
        { "abridge log runs/42 call-7 --offset 2001", "from line 2001 on" },
      },
      run = by(log, "run"),
    },
    {
      name = "report",
      forms = { { words = "RUN_DIR [-o FILE]", says = "write a run as an HTML page that needs nothing else" } },
      words = { values.folder },
      flags = {
        {
          title = "Output",
          flag("output", "FILE", values.file, "the file to write; stdout unless set", { short = "o" }),
        },
      },
      examples = { { "abridge report runs/42 -o run.html", "a page to open, or to send" } },
      run = by(report, "run"),
    },
  },
  {
    title = "Look into a text",
    {
      name = "explain",
      forms = { { words = "[FILE] [flags]", says = "tell why a cut keeps some lines and leaves out the rest" } },
      about = {
        "Without FILE, or with -, it is stdin. Without a limit it is cut as cap would cut it: by the profile default. "
          .. "For people: the reason for the kind, then in order each range that is kept or left out with its reason, "
          .. "below it the lines that decided, each with the row of the table that made it a hit, or why a word of "
          .. "trouble in it is none.",
      },
      words = { values.file },
      flags = {
        {
          title = "The text",
          flag("line", "N", values.positive, "all that is known of line N alone"),
          switch("clean", "first clean it as a terminal would", { clean = true }),
        },
        json "cut, kind and ranges; with --line that line",
        LIMITS,
      },
      examples = {
        { "abridge explain build.log", "why a model sees these lines of it" },
        { "abridge explain build.log --max-bytes 2KB --line 120", "why line 120 is kept, or is not" },
      },
      run = by(texts, "explain"),
    },
    {
      name = "kind",
      forms = { { words = "[FILE]", says = "print its kind: " .. any_of(kinds.names) } },
      about = { "Without FILE, or with -, it is stdin. The first 256 KB tell." },
      words = { values.file },
      flags = {
        { title = "The kind", switch("why", "give the reason") },
        json "kind; with --why the reason",
      },
      examples = { { "abridge kind --why build.log", "log, and which lines say so" } },
      run = by(texts, "kind"),
    },
    {
      name = "tokens",
      forms = { { words = "[FILE]", says = "print how many tokens it has, by the estimate" } },
      about = { "Without FILE, or with -, it is stdin." },
      words = { values.file },
      flags = { json "tokens and bytes" },
      examples = {},
      run = by(texts, "tokens"),
    },
    {
      name = "clean",
      forms = { { words = "< TEXT", says = "turn it into the text a terminal would finally show" } },
      flags = { json "content and stats" },
      examples = {},
      run = by(texts, "clean"),
    },
  },
  {
    title = "Set up",
    {
      name = "completion",
      forms = { { words = "SHELL", says = "print the completion script of bash, zsh or fish" } },
      words = { values.one_of(M.shells) },
      flags = {},
      examples = {
        { 'eval "$(abridge completion bash)"', "for bash, in ~/.bashrc" },
        { "abridge completion zsh > ~/.zfunc/_abridge", "for zsh, in a folder of $fpath" },
        { "abridge completion fish > ~/.config/fish/completions/abridge.fish", "for fish" },
      },
      run = by(completion, "run"),
    },
  },
}

--- Exit codes, and when a command ends with them.
M.exit_codes = {
  { "0", "all went well" },
  { "1", "a file, a run or stdin cannot be read, or stdout cannot be written" },
  { "2", "bad flags or words" },
  { "124", "run: the command timed out" },
  { "130", "run: it was interrupted" },
  { "128+N", "run: signal N ended the command" },
  { "N", "run: the command's own code" },
}

--- Variables of the environment that count.
M.environment = {
  { "NO_COLOR", "if set and not empty, nothing is coloured unless --color says so" },
  { "TERM", "dumb: neither colours nor progress" },
  { "ABRIDGE_STATE_DIR", "the folder for full outputs unless --run-dir is given" },
  { "XDG_STATE_HOME", "the same, below its abridge/runs; ~/.local/state unless set" },
}

--- All commands, in the order of the help.
---@return abridge.cli.Command[]
function M.all()
  local all = {}
  for _, task in ipairs(M.tasks) do
    for _, command in ipairs(task) do
      all[#all + 1] = command
    end
  end
  return all
end

--- The command of that name.
---@param name string
---@return abridge.cli.Command|nil
function M.find(name)
  for _, command in ipairs(M.all()) do
    if command.name == name then return command end
  end
end

return M
