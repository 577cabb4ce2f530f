-- The CodeCompanion extension, against its host or a stand-in of it.
local abridge = require "abridge"
local host = require "abridge.base.host"
local merge = require "support.merge"
local numbered = require "support.numbered"
local paths = require "support.paths"
local plugins = require "support.plugins"
local tmpdir = require "support.tmpdir"

local standin = plugins.driver "codecompanion"
local KB = 1024
local prints = standin.prints
local RELEASES = { "first", "19", "current" }

local codecompanion, dir

--- Install a release with these options of the extension, and open a chat.
local function start(release, opts)
  codecompanion = standin.install(release)
  codecompanion.module.setup { extensions = { abridge = { opts = opts } } }
  return codecompanion:chat()
end

--- The options of most tests: full outputs go to a folder that is removed.
local function with(opts)
  opts = opts or {}
  if opts.run_dir == nil then opts.run_dir = dir:at "run" end
  return opts
end

--- Neither the host nor the user was told of an error.
local function assert_quiet()
  assert.same({}, codecompanion.errors)
  assert.equal("", plugins.problems(codecompanion))
end

describe("the CodeCompanion extension", function()
  if not host.uv() then return pending "luv is missing" end

  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    local session = codecompanion and codecompanion.module.extensions.abridge
    session = session and session.session
    if session then session:close() end
    if codecompanion then codecompanion:remove() end
    codecompanion = nil
    dir:remove()
  end)

  for _, release in ipairs(RELEASES) do
    describe("under the release " .. release, function()
      it("bounds what a model and a user see, and keeps it whole in a file", function()
        local chat = start(release, with())
        local given = prints.run_command({ cmd = "seq 100000" }, numbered(100000))
        local content, shown = chat:call("run_command", { cmd = "seq 100000" }, given)
        assert.is_true(#content <= 30 * KB)
        assert.equal("`seq 100000`\n````\nline 1\n", content:sub(1, 25))
        local path = content:match "\nline 100000\n````\n\n%[Showing %d+ of 100000 lines %(.-%)%. Full output: (/.-)%]$"
        assert.truthy(path, content:sub(-300))
        local file = assert(io.open(path, "rb"))
        assert.equal(given, file:read "*a")
        file:close()
        assert.is_true(#shown <= 10 * KB)
        assert.equal("`seq 100000`\n````\nline 1\n", shown:sub(1, 25))
        local of_user =
          shown:match "\nline 100000\n````\n\n%[Showing %d+ of 100000 lines %(.-%)%. Full output: (/.-)%]$"
        assert.equal(path, of_user, shown:sub(-300))
        assert_quiet()
      end)

      it("leaves what is within the limits as it is", function()
        local chat = start(release, with())
        local given = prints.run_command({ cmd = "ls" }, "a\nb")
        local content, shown = chat:call("run_command", { cmd = "ls" }, given)
        assert.equal(given, content)
        assert.equal(given, shown)
        assert_quiet()
      end)

      it("tells how to go on in the words of its read_file, until the file was seen", function()
        local chat = start(release, with { limits = { read_file = { max_lines = 100 } } })
        local parameter = release == "current" and "start_line" or "start_line_number_base_zero"
        local last = parameter:gsub("start", "end")
        local total, from, seen, calls = 1000, 0, {}, 0
        repeat
          local args = { filepath = "a.lua", [parameter] = from, [last] = total - 1 }
          local text = prints.read_file(args, numbered(total - from, "line", from + 1))
          local content = chat:call("read_file", args, text, "Read file `a.lua`")
          for number in content:gmatch "\nline (%d+)%f[\n]" do
            seen[#seen + 1] = tonumber(number)
          end
          local notice = "\n````\n\n%[Showing lines (%d+)%-(%d+)%. Use " .. parameter .. "=(%d+) to continue%]$"
          local a, b, next_line = content:match(notice)
          if a then
            assert.equal(from + 1, tonumber(a))
            assert.equal(seen[#seen], tonumber(b))
            assert.equal(tonumber(b), tonumber(next_line))
          else
            assert.equal(text, content)
          end
          from, calls = tonumber(next_line), calls + 1
        until not from or calls > 20
        assert.equal(total, #seen)
        for i = 1, total do
          assert.equal(i, seen[i])
        end
        assert.equal("Read file `a.lua`", chat.buffer[1])
        assert_quiet()
      end)

      it("gives several outputs of one call one budget, and each call its own", function()
        local chat = start(release, with { limits = { run_command = { max_bytes = 4000 } } })
        local args = { cmd = "make" }
        local function big()
          return prints.run_command(args, numbered(200))
        end
        local function fails()
          return prints.run_command_error(args, "exit code 2")
        end
        chat:execute {
          { id = "a", name = "run_command", args = args, prints = { big, big, big, big, fails } },
          { id = "b", name = "run_command", args = args, prints = { big } },
        }
        assert.equal(2, #chat.messages)
        local a, b = chat.messages[1].content, chat.messages[2].content
        local parts = { a:match "^(.-)\n\n(%[Output of .-)$" }
        assert.is_true(#parts[1] <= 4000, #parts[1])
        local notice = "%[Output of 1%.7KB left out: this call is at its limit%. Full output: (/[^%]]*)%]"
        local lines = 0
        for path in parts[2]:gmatch(notice) do
          lines = lines + 1
          assert.equal(big(), paths.read(path))
        end
        assert.is_true(lines >= 1)
        local failure = fails()
        assert.equal(failure, a:sub(-#failure))
        assert.is_true(#a < 4000 + 5 * 256)
        assert.equal(big(), b)
        assert_quiet()
      end)

      it("passes the refusal of a call that follows a used up one", function()
        local chat = start(release, with { limits = { run_command = { max_bytes = 1000 } } })
        local function big()
          return prints.run_command({ cmd = "x" }, numbered(2000))
        end
        local refusal = "The user rejected the execution of the `x` command"
        chat:execute {
          { id = "a", name = "run_command", prints = { big } },
          { id = "b", name = "run_command", rejected = refusal },
        }
        assert.equal(refusal, chat.messages[2].content)
        assert.equal(refusal, chat.buffer[2])
        assert_quiet()
      end)

      it("passes what excluded tools print, and knows limits by tool", function()
        local chat = start(release, with { exclude_tools = { "memory" }, limits = { mcp_search = { max_lines = 5 } } })
        local big = numbered(50000)
        assert.equal(big, (chat:call("memory", {}, big, "")))
        assert.matches("%[Showing 5 of 50000 lines", (chat:call("mcp_search", {}, big, "")))
        assert_quiet()
      end)
    end)
  end

  it("keeps the fences and tags of each tool", function()
    local chat = start("current", with { user = false })
    local big = numbered(20000)
    local function check(name, args, open, close, printed)
      local for_llm, for_user = prints[printed or name](args, big)
      local content, shown = chat:call(name, args, for_llm, for_user)
      assert.is_true(#content <= 30 * KB)
      assert.equal(open, content:sub(1, #open))
      local at, last = content:find(close .. "\n\n[Showing ", 1, true)
      assert.truthy(at, name .. ": " .. content:sub(-400))
      assert.is_nil(content:find("\n", last, true))
      assert.equal(for_user or content, shown)
    end
    check("run_command", { cmd = "make" }, "`make`\n````\nline 1\n", "line 20000\n````")
    check(
      "run_command",
      { cmd = "make" },
      "There was an error running the `make` command:\n```txt\nline 1\n",
      "\n```",
      "run_command_error"
    )
    check(
      "read_file",
      { filepath = "a.md", start_line = 0, end_line = 19999 },
      "Read file `a.md` from lines 0 - 19999:\n````md\nline 1\n",
      "\n````"
    )
    check(
      "grep_search",
      { query = "x", results = 100 },
      "<grepSearchTool>Searched text for `x`, 100 results\n```\nline 1\n",
      "line 20000\n```" .. prints.grep_search({ query = "x", results = 1 }, ""):match "```\n\n```(.*)$"
    )
    check(
      "file_search",
      { query = "*", results = 500 },
      "<fileSearchTool>Searched files for `*`, 500 results\n```\nline 1\n",
      "line 20000\n```</fileSearchTool>"
    )
    check(
      "fetch_webpage",
      { url = "https://example.org/" },
      '<attachment url="https://example.org/">line 1\n',
      "line 20000</attachment>"
    )
    check(
      "get_changed_files",
      { state = "staged" },
      '<getChangedFiles type="staged">\n```diff\nline 1\n',
      "line 20000\n```\n</getChangedFiles>"
    )
    assert_quiet()
  end)

  it("shows the start of a line that alone is over budget, and how to pass it", function()
    local chat = start("current", with())
    local args = { filepath = "a.json", start_line = 4, end_line = 9 }
    local text = prints.read_file(args, ("x"):rep(100000) .. "\n" .. numbered(5))
    local content = chat:call("read_file", args, text, "")
    local said = "xxx\n````\n\n%[Showing first 29.%dKB of line 5 %(line is 97%.7KB%)%. Use start_line=5 to continue%]$"
    assert.matches(said, content)
    args = { filepath = "a.json", start_line = 0, end_line = -1 }
    content = chat:call("read_file", args, prints.read_file(args, ("x"):rep(100000)), "")
    assert.matches("xxx\n````\n\n%[Showing first 29%.%d+KB of line 1 %(line is 97%.7KB%)%]$", content)
    assert_quiet()
  end)

  it("tells a file's total where the whole file was read", function()
    local chat = start("19", with())
    local args = { filepath = "a.lua", start_line_number_base_zero = 0, end_line_number_base_zero = -1 }
    local content = chat:call("read_file", args, prints.read_file(args, numbered(5000)), "")
    assert.matches("%[Showing lines 1%-1995 of 5000. Use start_line_number_base_zero=1995 to continue%]$", content)
  end)

  it("shows the user what the host means to show, within limits", function()
    local chat = start("current", with())
    local big = numbered(50000)
    local content, shown = chat:call("fetch_webpage", {}, big, "Fetched")
    assert.is_true(#content <= 30 * KB)
    assert.equal("Fetched", shown)
    content, shown = chat:call("mcp_x_y", {}, prints.mcp({ name = "x" }, big))
    assert.is_true(#content <= 30 * KB and #shown <= 10 * KB)
    assert.matches("^MCP: x executed successfully:\n````\nline 1\n.*\nline 50000\n````\n\n%[Showing ", shown)
    local count = #chat.buffer
    chat:call("fetch_webpage", {}, big, "")
    assert.equal(count, #chat.buffer)
    content, shown = chat:call("mcp_x_y", {}, numbered(150))
    assert.equal(content, shown)
    assert_quiet()
  end)

  it("shows the user what the model gets where the host makes no difference", function()
    local chat = start("current", with { limits = { mcp_x_y = { max_lines = 5 } } })
    local content, shown = chat:call("mcp_x_y", {}, numbered(50))
    assert.matches("%[Showing 5 of 50 lines", content)
    assert.equal(content, shown)
  end)

  it("knows the tool's name of before", function()
    local chat = start("first", with { aliases = { mcp_shell_run = "run_command" } })
    local session = codecompanion.module.extensions.abridge.session
    assert.equal("auto", session:limits("cmd_runner").strategy)
    assert.same(session:limits "run_command", session:limits "mcp_shell_run")
    local text = prints.run_command({ cmd = "x" }, numbered(2500) .. "\nerror: here\n" .. numbered(2500))
    assert.truthy(chat:call("cmd_runner", {}, text):find("\nerror: here\n", 1, true))
  end)

  it("takes an output of a tool that does not run for one of its own", function()
    for _, release in ipairs { "19", "current" } do
      local chat = start(release, with { limits = { mcp = { max_bytes = 1000 }, other = { max_bytes = 1000 } } })
      local tool = { name = "other", function_call = { id = "z", ["function"] = { name = "other" } } }
      local function big()
        return numbered(500)
      end
      local function unknown()
        chat:add_tool_output(tool, big())
        return "short"
      end
      chat:execute { { id = "a", name = "mcp", prints = { big, unknown } } }
      assert.matches("^line 1\n.*%[Showing ", chat.messages[2].content)
      codecompanion.module.extensions.abridge.session:close()
      codecompanion:remove()
    end
    codecompanion = nil
  end)

  it("tells a call that was not run from the one before it, where the chat does", function()
    local chat = start("current", with { limits = { run_command = { max_bytes = 1000 } } })
    local function big()
      return prints.run_command({ cmd = "x" }, numbered(2000))
    end
    local refusal = "The user rejected the command: " .. ("because "):rep(60)
    chat:execute {
      { id = "a", name = "run_command", prints = { big } },
      { id = "b", name = "run_command", rejected = refusal },
    }
    assert.equal(refusal, chat.messages[2].content)
  end)

  it("shows the user as much as the options say", function()
    local chat = start("current", with { user = { max_lines = 4 } })
    local _, shown = chat:call("mcp_x_y", {}, numbered(50))
    assert.matches("^line 1\n.*\nline 50\n\n%[Showing 4 of 50 lines %(4 line limit%)%. Full output: /[^\n]+%]$", shown)
    codecompanion:remove()
    local big = numbered(20000)
    chat = start("current", { user = false, run_dir = false })
    _, shown = chat:call("mcp_x_y", {}, "short", big)
    assert.equal(big, shown)
  end)

  it("hides what is to be redacted from model, user and files", function()
    local chat = start("current", with { redact = { "secret%d+" } })
    local text = numbered(5000) .. "\nsecret42\n" .. numbered(5000)
    local given = prints.run_command({ cmd = "env" }, "secret42\n" .. text)
    local content, shown = chat:call("run_command", {}, given)
    assert.is_nil(content:find("secret42", 1, true))
    assert.is_nil(shown:find("secret42", 1, true))
    local file = assert(io.open(content:match "Full output: (/[^%]]*)%]$", "rb"))
    assert.is_nil(file:read("*a"):find("secret42", 1, true))
    file:close()
    content, shown = chat:call("run_command", {}, "secret42")
    assert.equal("[redacted]", content)
    assert.equal("[redacted]", shown)
    assert_quiet()
  end)

  it("keeps a log where it is given a folder, and hands out its session", function()
    local chat = start("current", with())
    chat:call("run_command", {}, prints.run_command({ cmd = "x" }, numbered(5000)))
    local session = codecompanion.module.extensions.abridge.session
    local events = assert(session:events { type = "tool_result" })
    assert.equal(1, #events)
    assert.equal(chat.messages[1].content, events[1].content)
  end)

  it("forgets the calls of a turn and of a closed chat", function()
    local chat = start("current", with { limits = { run_command = { max_bytes = 1000 } } })
    local function big()
      return numbered(500)
    end
    local call = { { id = "same", name = "run_command", prints = { big } } }
    chat:execute(call)
    chat:submit()
    chat:execute(call)
    local _, count = chat.messages[1].content:gsub("%[Showing ", "")
    assert.equal(2, count)
    local adapter = require "abridge.hosts.adapter"
    local cutter = adapter.new("test", { run_dir = false }, error)
    require("codecompanion._extensions.abridge").attach(cutter, chat)
    chat:execute { { id = "x", name = "run_command", prints = { big } } }
    local owner = chat.real or chat
    assert.truthy(cutter.calls[owner].x)
    chat:close()
    assert.is_nil(cutter.calls[owner])
    cutter.session:close()
  end)

  it("does nothing where it is not enabled", function()
    codecompanion = standin.install "current"
    codecompanion.module.setup { extensions = { abridge = { enabled = false } } }
    local big = numbered(50000)
    assert.equal(big, (codecompanion:chat():call("x", {}, big)))
  end)

  it("is set up again without cutting twice in new chats", function()
    start("current", with { run_dir = false })
    codecompanion.module.setup { extensions = { abridge = { opts = { run_dir = false } } } }
    assert.equal(1, #codecompanion:chat().callbacks.on_tool_output)
  end)

  it("is what examples/codecompanion.lua sets up", function()
    codecompanion = standin.install "current"
    dofile "examples/codecompanion.lua"
    local chat = codecompanion:chat()
    local big = numbered(1000)
    local content = chat:call("run_command", {}, prints.run_command({ cmd = "x" }, big))
    assert.matches("%[Showing 396 of 1000 lines %(400 line limit%)%. Full output: ", content)
    assert.equal(big, (chat:call("memory", {}, big)))
    assert_quiet()
    os.execute("rm -rf " .. tmpdir.quote(content:match "Full output: (/.*/)artifacts/"))
  end)
end)

describe("the CodeCompanion extension fails safe", function()
  if not host.uv() then return pending "luv is missing" end
  after_each(function()
    if codecompanion then codecompanion:remove() end
    codecompanion = nil
  end)

  it("on wrong options: each is told, the rest holds", function()
    local big = numbered(50000)
    for _, case in ipairs {
      { { exclude_tools = "memory" }, 'codecompanion: exclude_tools must be a list of tool names, got "memory"' },
      { { exclude_tools = { memory = true } }, "codecompanion: exclude_tools must be a list of tool names, got table" },
      { { exmpt = {} }, "codecompanion: unknown option 'exmpt' (value table)" },
      {
        { exempt = { "memory" } },
        "codecompanion: unknown option 'exempt' (value table): it is called exclude_tools now",
      },
      { { user = 5 }, "codecompanion: user must be limits or false, got 5" },
      { { user = { max_lins = 5 } }, "user: abridge.cap: unknown limit 'max_lins' (value 5)" },
      {
        { limits = { read_file = { max_lines = -1 } } },
        "abridge.session: limits.read_file: max_lines must be an integer from 0 to 2^53, got -1",
      },
      { { limits = 5 }, "abridge.session: limits must be a table, got 5" },
      { { run_dir = 5 }, "abridge.session: run_dir must be a path or false, got 5" },
      { { profile = "mine" }, 'abridge.session: unknown profile "mine"' },
      { "all", 'codecompanion: opts must be a table, got "all"' },
    } do
      local opts, said = case[1], case[2]
      if type(opts) == "table" then opts.run_dir = opts.run_dir or false end
      local chat = start("current", opts)
      assert.equal("abridge: " .. said, plugins.problems(codecompanion))
      assert.equal(1, #codecompanion.notified)
      assert.equal(3, codecompanion.notified[1].level)
      local content = chat:call("mcp", {}, big)
      assert.is_true(#content <= 30 * KB)
      assert.matches("%[Showing %d+ of 50000 lines", content)
      assert.same({}, codecompanion.errors)
      codecompanion:remove()
    end
    codecompanion = nil
  end)

  it("where a run folder cannot be had", function()
    local own = tmpdir.new()
    local other = abridge.session { run_dir = own:at "run" }
    local chat = start("current", { run_dir = own:at "run", limits = { read_file = { max_lines = 7 } } })
    assert.truthy(plugins.problems(codecompanion):find("Another session writes the run", 1, true))
    assert.matches("%[Showing lines 1%-7 of 5000", (chat:call("read_file", {}, numbered(5000))))
    other:close()
    own:remove()
  end)

  it("when the session raises: a crude cut, told once", function()
    local chat = start("current", { run_dir = false })
    local session = codecompanion.module.extensions.abridge.session
    session.cap = function()
      error "broken"
    end
    local big = numbered(50000):gsub("line", ("line"):rep(5))
    local content, shown = chat:call("mcp", {}, big, big, "same")
    assert.is_true(#content <= 30 * KB and #content > 29 * KB)
    assert.truthy(content:find(("... [%d bytes, cut to 30720] ..."):format(#big), 1, true))
    assert.is_true(#shown <= 10 * KB)
    assert.truthy(shown:find("lines, cut to 200] ...", 1, true))
    assert.is_true(#chat:call("mcp", {}, big, "", "same") <= 30 * KB + 256 + 2)
    assert.equal("short", (chat:call("mcp", {}, "short")))
    chat:call("other", {}, big)
    assert.equal("abridge: the output of mcp was cut crudely: broken", plugins.problems(codecompanion))
    content = chat:call("mcp", {}, numbered(3000))
    assert.matches("^line 1\n.*\n%.%.%. %[3000 lines, cut to 2000%] %.%.%.\n.*\nline 3000$", content)
    codecompanion:remove()
    chat = start("current", { run_dir = false, limits = { mcp = { max_bytes = 2000 }, tiny = { max_bytes = 100 } } })
    codecompanion.module.extensions.abridge.session.cap = function()
      error "broken"
    end
    content = chat:call("mcp", {}, big)
    assert.is_true(#content <= 2000 and #content > 1900)
    assert.is_true(#chat:call("tiny", {}, big) <= 100)
    assert.same({}, codecompanion.errors)
  end)

  it("when its session was closed: cut by its limits, redacted, told once", function()
    local chat = start("current", { run_dir = false, redact = { "secret" }, limits = { mcp = { max_lines = 5 } } })
    codecompanion.module.extensions.abridge.session:close()
    assert.equal("a [redacted]", (chat:call("mcp", {}, "a secret")))
    local around = prints.run_command({ cmd = "ls" }, "a\nb")
    assert.equal(around, (chat:call("run_command", {}, around)))
    local content, shown = chat:call("mcp", {}, "secret\n" .. numbered(500))
    assert.matches("^%[redacted%]\n.*\nline 500\n\n%[Showing 5 of 501 lines %(5 line limit%)%]$", content)
    assert.matches("^%[redacted%]\nline 1\n", shown)
    assert.equal("abridge: the output of mcp was cut crudely: the session is closed", plugins.problems(codecompanion))
  end)

  it("when tokens cannot be counted: told once, within the lines", function()
    local chat = start("current", {
      run_dir = false,
      limits = {
        mcp = {
          max_tokens = 1000,
          max_lines = 5,
          count_tokens = function()
            error "no count"
          end,
        },
      },
    })
    for _ = 1, 2 do
      local content = chat:call("mcp", {}, numbered(500))
      assert.matches("^line 1\nline 2\n%.%.%. %[500 lines, cut to 5%] %.%.%.\n.*\nline 500$", content)
    end
    assert.equal("abridge: the output of mcp was cut crudely: no count", plugins.problems(codecompanion))
  end)

  it("where a chat has no callbacks", function()
    start("current", { run_dir = false })
    codecompanion.module.buf_get_chat = function()
      return {}
    end
    codecompanion:chat()
    assert.truthy(plugins.problems(codecompanion):find("abridge: this chat's tools are not bounded: ", 1, true))
  end)

  it("without the core", function()
    local loaded = {}
    for name, value in pairs(package.loaded) do
      if name:find "^abridge" then loaded[name] = value end
    end
    codecompanion = standin.install "current"
    for name in pairs(loaded) do
      package.loaded[name] = nil
    end
    package.preload["abridge.core"] = function()
      error("there is no core here\nat all", 0)
    end
    local ok, why = pcall(function()
      local limits = { run_command = { max_bytes = "2KB" }, ["*"] = { max_lines = 100 } }
      codecompanion.module.setup {
        extensions = { abridge = { opts = { exclude_tools = { "memory" }, limits = limits, profile = "pi" } } },
      }
      local chat = codecompanion:chat(8000)
      local big = numbered(50000)
      assert.is_true(#chat:call("mcp", {}, big) <= 30 * KB)
      assert.is_true(#chat.buffer[1] <= 30 * KB)
      assert.equal(big, (chat:call("memory", {}, big)))
      assert.equal("short", (chat:call("mcp", {}, "short")))
      assert.is_true(#chat:call("run_command", {}, big) <= 2 * KB and #chat:call("cmd_runner", {}, big) <= 2 * KB)
      local few = chat:call("mcp", {}, big)
      assert.matches("^line 1\n.*\n%.%.%. %[50000 lines, cut to 100%] %.%.%.\n.*line 50000$", few)
      chat:submit()
      assert.equal(#chat.messages[1].content, #chat.sent[#chat.sent - #chat.messages + 1].content)
      assert.matches(
        "^abridge: all outputs are cut crudely: [^\n]*there is no core here[^\n]*$",
        plugins.problems(codecompanion)
      )
      assert.same({}, codecompanion.errors)
    end)
    package.preload["abridge.core"] = nil
    for name in pairs(package.loaded) do
      if name:find "^abridge" then package.loaded[name] = nil end
    end
    merge(package.loaded, loaded)
    assert.is_true(ok, why)
  end)

  it("by giving nothing that could not be redacted", function()
    local chat = start("current", { run_dir = false, redact = { "secret" } })
    local session = codecompanion.module.extensions.abridge.session
    session.cap = function()
      error "broken"
    end
    assert.equal("a [redacted]", (chat:call("mcp", {}, "a secret")))
    session.redactor = {
      text = function()
        error "broken"
      end,
    }
    local content, shown = chat:call("mcp", {}, "a secret", "the secret")
    assert.equal("[Output left out: it could not be redacted]", content)
    assert.equal("[Output left out: it could not be redacted]", shown)
    codecompanion:remove()
    chat = start("current", { run_dir = false, redact = { "%" } })
    assert.equal("[Output left out: it could not be redacted]", (chat:call("mcp", {}, "a secret")))
    assert.truthy(plugins.problems(codecompanion):find("redact", 1, true))
  end)

  it("on tables and values of any shape", function()
    local chat = start("current", { run_dir = false })
    local big = numbered(50000)
    local function dispatched(args)
      chat:dispatch("on_tool_output", args)
      assert.same({}, codecompanion.errors)
      return args
    end
    assert.same({ tool = "x" }, dispatched { tool = "x" })
    assert.same({}, dispatched {})
    assert.is_true(#dispatched({ for_llm = big }).for_llm <= 30 * KB)
    assert.is_true(#dispatched({ tool = {}, for_llm = big }).for_llm <= 30 * KB)
    assert.is_true(#dispatched({ tool = 0 / 0, for_llm = big }).for_llm <= 30 * KB)
    assert.equal("42", dispatched({ tool = "x", for_llm = 42 }).for_llm)
    assert.equal("true", dispatched({ tool = "x", for_llm = true }).for_llm)
    local list = {}
    for i = 1, 20000 do
      list[i] = i
    end
    assert.is_true(#dispatched({ tool = "x", for_llm = list }).for_llm <= 30 * KB)
    local deep = {}
    deep.deep = deep
    assert.is_true(#dispatched({ tool = "x", for_llm = deep }).for_llm <= 30 * KB)
    local odd = { tool = "x", for_llm = "a", for_user = {} }
    assert.equal(odd.for_user, dispatched(odd).for_user)
    assert.is_true(#dispatched({ tool = "x", for_user = big }).for_user <= 10 * KB)
    for _, tools in ipairs { 5, {}, { tool = 5 }, { tool = {} }, { tool = { name = "read_file", args = 5 } } } do
      chat.tools, chat.tool_orchestrator = tools, nil
      assert.is_true(#dispatched({ tool = "read_file", for_llm = big }).for_llm <= 30 * KB)
    end
    local function refuse()
      error "read only"
    end
    dispatched(setmetatable({}, { __index = { tool = "x", for_llm = big }, __newindex = refuse }))
    chat:dispatch("on_tool_output", 5)
    chat:dispatch "on_tool_output"
    assert.same({}, codecompanion.errors)
    assert.equal("", plugins.problems(codecompanion))
  end)
end)

describe("the CodeCompanion extension's notices", function()
  if not host.uv() then return pending "luv is missing" end

  it("name read_file only where the chat has it", function()
    dir = tmpdir.new()
    for _, reads in ipairs { false, true } do
      local chat = start("current", with())
      chat.tool_registry.in_use.read_file = reads or nil
      local content = chat:call("run_command", { cmd = "x" }, prints.run_command({ cmd = "x" }, numbered(5000)))
      local hint = content:match "Full output: [^%]]-%.log(.-)%]"
      assert.equal(reads and ". Use read_file on it" or "", hint)
      codecompanion.module.extensions.abridge.session:close()
      codecompanion:remove()
    end
    dir:remove()
  end)
end)

describe("the CodeCompanion extension's files", function()
  it("are one of under 100 lines, another for histories, and five lines for a user", function()
    assert.is_true(abridge.count_lines(paths.read "lua/codecompanion/_extensions/abridge/init.lua") < 100)
    assert.equal(5, abridge.count_lines(paths.read "examples/codecompanion.lua"))
  end)
end)
