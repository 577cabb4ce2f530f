--- `abridge cap`: what `session:cap` gives, for hosts in any language.

local abridge = require "abridge"
local command = require "support.command"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

describe("abridge cap", function()
  local dir
  local log = ("step\n"):rep(3000) .. "a.c:3: error: no\n" .. ("step\n"):rep(3000)

  local function fed(text, ...)
    return command.fed(dir, text, "cap", ...)
  end

  local function refused(expected, ...)
    local out, err, code = fed("text", ...)
    assert.same({ "", 2 }, { out, code })
    assert.matches("^abridge: [^\n]*" .. expected, err)
  end

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("gives content and notice under the limits of the tool", function()
    for _, tool in ipairs { "run_command", "github__search", "search_files", "web_fetch" } do
      local out, err, code = fed(log, tool, "--no-save")
      assert.same({ "", 0 }, { err, code })
      assert.equal((abridge.cap(log, tool)), out, tool)
    end
    assert.same({ "short\n", "", 0 }, { fed("short\n", "run_command", "--no-save") })
    assert.same({ "", "", 0 }, { fed("", "run_command", "--no-save") })
  end)

  it("gives content, notice, truncation, call_id, is_error and details with --json", function()
    local out, err, code = fed(log, "run_command", "--no-save", "--max-lines", "3", "--json")
    assert.same({ "", 0 }, { err, code })
    local said = json.decode(out)
    local content, cut, block = abridge.cap(log, "run_command", { limits = { max_lines = 3 } })
    assert.same({ content, block }, { said.content, said.truncation })
    assert.same({ "call-1", false }, { said.call_id, said.is_error })
    assert.equal(cut.total_lines, said.details.cut.total_lines)
    assert.equal(content:match "%[[^\n]*%]$", said.notice)
    assert.matches("^%[Showing 3 of 6001 lines %(3 line limit%)", said.notice)
    said = json.decode((fed("short\n", "run_command", "--json")))
    assert.same({ "short\n", false }, { said.content, said.truncation.truncated })
    assert.is_nil(said.notice)
    local run = json.decode((dir:sh(command.line("run", "--no-save", "--json", "--", "echo short"))))
    local keys = {}
    for key in pairs(run) do
      keys[key] = said[key] ~= nil
    end
    assert.same({ content = true, truncation = true, call_id = true, is_error = true, details = true }, keys)
  end)

  it("is told how the command ended, and what was asked, as a session's own call is", function()
    local function capped(...)
      return json.decode((fed("out\n", "run_command", "--json", ...)))
    end
    local run = dir:at "told"
    for _, case in ipairs {
      { { "--exit-code", "3" }, "exit", "Command exited with code 3", { exit_code = 3 } },
      { { "--signal", "SIGKILL" }, "signal", "Command killed by signal KILL", { signal = "KILL", signal_number = 9 } },
      { { "--signal", "term" }, "signal", "Command killed by signal TERM", { signal = "TERM", signal_number = 15 } },
      { { "--timed-out" }, "timeout", "Command timed out", { timed_out = true } },
    } do
      local flags, failure, line, details = case[1], case[2], case[3], case[4]
      local said = capped("--run-dir", run, "--input", '{"command":"make"}', (table.unpack or unpack)(flags))
      assert.same({ "out\n\n" .. line, true, failure }, { said.content, said.is_error, said.details.failure })
      for key, value in pairs(details) do
        assert.equal(value, said.details[key])
      end
    end
    local said = capped("--timed-out", "--call-id", "c-7", "--run-dir", run, "--input", '{"timeout":5}')
    assert.same({ "c-7", "Command timed out after 5 seconds" }, { said.call_id, said.details.exit_line })
    assert.same({ false, "out\n" }, { capped("--no-save", "--exit-code", "0").is_error, capped("--no-save").content })
    assert.equal("(no output)", (fed("", "run_command", "--no-save", "--exit-code", "0")))
    local events = abridge.open_run(run):events()
    assert.same({ "tool_call", "make", "tool_result", "exit" }, {
      events[1].type,
      events[1].input.command,
      events[2].type,
      events[2].failure,
    })
    local stats = json.decode((dir:sh(command.line("log", run, "--stats", "--json"))))
    assert.same({ 5, 5 }, { stats.tools.run_command.calls, stats.tools.run_command.errors })
    assert.matches(">make<", (dir:sh(command.line("report", run))))
  end)

  it("reads a stream in bounded memory, as cut does", function()
    local function within(...)
      local line = "seq 100000000 | head -c 150000000 | (ulimit -v 50000; exec " .. command.line(...) .. ")"
      local out, err, code = dir:sh(line)
      assert.same({ "", 0 }, { err, code })
      return out
    end
    assert.matches("%[Showing %d+ of 179%d+ lines", within("cap", "run_command", "--no-save"))
    assert.matches("^17901230\n.*\n17901233\n179012$", within("cut", "--strategy", "tail", "--max-lines", "5"))
    assert.matches("%[Showing lines 1%-2000 of 179%d+%. ", within("cap", "read_file", "--no-save"))
    assert.equal(30000, #within("cut", "--max-bytes", "30000", "--strategy", "head_tail", "--snap", "char"))
    assert.equal(150000000, #within "clean")
  end)

  it("keeps the full output where it is told, and a log that abridge log reads", function()
    local out = fed(log, "my-tool", "--run-dir", dir:at "run", "--max-lines", "3")
    local path = out:match "Full output: ([^%]]*)%]$"
    assert.equal(log, dir:read(path:sub(#dir:at "" + 1)))
    assert.matches("\ncall%-1   my%-tool ", (dir:sh(command.line("log", dir:at "run"))))
  end)

  it("takes flags over the limits of a profile, and the file that a text is from", function()
    local session = abridge.session { profile = "pi", run_dir = false, tools = {} }
    local expected = session:cap("bash", log).content
    session:close()
    assert.equal(expected, (fed(log, "bash", "--profile", "pi", "--no-save")))
    local long = ("x"):rep(40000) .. "\n"
    assert.equal((abridge.cap(long, "read_file", { path = "a b.txt" })), (fed(long, "read_file", "--path", "a b.txt")))
  end)

  it("shows a long text for read_file as the page of a file that it is", function()
    local text, args = ("a line of a file\n"):rep(100000), { "read_file", "--no-save", "--json", "--path", "a.txt" }
    local said = json.decode((fed(text, (table.unpack or unpack)(args))))
    local content, cut = abridge.cap(text, "read_file", { path = "a.txt" })
    assert.equal(content, said.content)
    for _, key in ipairs { "total_lines", "total_bytes", "last_line", "next_offset", "version" } do
      assert.equal(cut[key], said.details.cut[key], key)
    end
  end)

  it("reads pages of stdin as of a file, for abridge read -", function()
    local line = "a line of a file\n"
    for _, text in ipairs { line:rep(3000), line:rep(200000), '{"a":[1,2,3]}', "" } do
      dir:write("file", text)
      for _, flags in ipairs {
        { "--offset", "2500", "--limit", "3" },
        { "--max-bytes", "100", "--json" },
        { "--pointer", "/a/1" },
        { "--offset", "900000" },
      } do
        local out, err, code = command.fed(dir, text, "read", "-", (table.unpack or unpack)(flags))
        local page, _, page_code = dir:sh(command.line("read", "file", (table.unpack or unpack)(flags)))
        if flags[3] == "--json" then
          out, page = json.decode(out), json.decode(page)
          page.details.path, page.details.cut.version = nil, nil
          page.truncation.next_offset, page.truncation.resume_hint = nil, nil -- nothing can be called again
        end
        assert.same({ "", page_code }, { err, code })
        if type(page) == "string" then page = page:gsub("^Not JSON: file", "Not JSON: -") end
        assert.same(page, out)
      end
    end
  end)

  it("gives valid UTF-8 of any bytes", function()
    assert.equal("an odd byte: \239\191\189\n", (fed("an odd byte: \255\n", "any_tool", "--no-save")))
  end)

  it("refuses what is no tool or limit, in one line", function()
    refused "cap needs one TOOL, got 0"
    refused("%-%-exit%-code must be an integer", "a", "--exit-code", "-1")
    refused("%-%-signal must be the name of a signal", "a", "--signal", "9")
    refused("%-%-input must be JSON", "a", "--input", "{")
    refused("%-%-call%-id must be", "a", "--call-id", "")
    refused("cap needs one TOOL, got 2", "a", "b")
    refused("marker", "my-tool", "--strategy", "tail", "--marker", "none")
    refused("unknown flag %-%-explain for cap", "a", "--explain")
  end)
end)
