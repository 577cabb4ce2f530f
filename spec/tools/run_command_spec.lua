local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local random = require "support.random"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local dir

---The result of a command, run in the spec's folder.
local function run(command, opts, input)
  opts = opts or {}
  opts.cwd = opts.cwd or dir.path
  input = input or {}
  input.command = command
  return abridge.session(opts):call("run_command", input)
end

local function limited(command, limits, input)
  return run(command, { limits = { run_command = limits } }, input)
end

---A command whose time is over once it has printed what fits a pattern; and that time, in seconds.
local function in_time(command, pattern)
  local time
  local result = waiting.with_time(0.2, function(seconds)
    time = seconds
    local result = run(command, nil, { timeout = seconds })
    return result, result.content:find("^" .. pattern) ~= nil
  end)
  return result, time
end

local function assert_ends(result, line)
  assert.equal(line, result.content:sub(-#line))
end

describe("run_command", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("shows the last 2000 of 100000 lines in the profile 'pi', and says so", function()
    local result = abridge.session({ profile = "pi" }):call("bash", { command = "seq 100000" })
    local lines = {}
    for i = 98001, 100000 do
      lines[#lines + 1] = tostring(i)
    end
    local shown = table.concat(lines, "\n") .. "\n"
    assert.equal(shown .. "\n[Showing lines 98001-100000 of 100000]", result.content)
    assert.is_false(result.is_error)
    assert.same({
      truncated = true,
      bytes_returned = #shown,
      bytes_total = 588895,
      reason = "line_cap",
    }, result.truncation)
    local cut = result.details.cut
    assert.equal(100000, cut.total_lines)
    assert.equal(2000, cut.output_lines)
    assert.equal("lines", cut.truncated_by)
    assert.same({
      { first_byte = 588895 - #shown + 1, last_byte = 588895, first_line = 98001, last_line = 100000 },
    }, cut.kept)
    assert.equal(0, result.details.exit_code)
  end)

  it("gives stdout and stderr in the order written", function()
    local result = run "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
    assert.equal("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", result.content)
    assert.is_false(result.is_error)
    assert.is_false(result.truncation.truncated)
  end)

  it("says (no output) when there is none", function()
    local result = run "true"
    assert.equal("(no output)", result.content)
    assert.is_false(result.is_error)
    assert.equal(0, result.details.exit_code)
    assert.equal(0, result.details.cut.total_bytes)
    assert.is_false(result.truncation.truncated)
    assert.equal("(no output)\n\nCommand exited with code 1", run("false").content)
    assert.equal("\n", run("echo").content)
  end)

  describe("says how the command ended:", function()
    it("an exit code", function()
      local result = run "echo out; exit 3"
      assert.equal("out\n\nCommand exited with code 3", result.content)
      assert.is_true(result.is_error)
      assert.equal(3, result.details.exit_code)
      assert.equal("out\n\nCommand exited with code 1", run("printf 'out\\n'; exit 1").content)
      assert.equal("out\n\nCommand exited with code 1", run("printf out; exit 1").content)
      assert.matches("not found\n\nCommand exited with code 127$", run("no-such-command-here").content)
    end)

    it("a signal", function()
      local result = run "echo out; kill -9 $$"
      assert.equal("out\n\nCommand killed by signal KILL", result.content)
      assert.is_true(result.is_error)
      assert.equal("KILL", result.details.signal)
      assert.is_nil(result.details.exit_code)
      assert_ends(run "kill -TERM $$", "Command killed by signal TERM")
      assert_ends(run "kill -SEGV $$", "Command killed by signal SEGV")
    end)

    it("a timeout, with the output so far", function()
      local result, time = in_time("echo so far; exec sleep 60", "so far\n")
      assert.equal(("so far\n\nCommand timed out after %s seconds"):format(time), result.content)
      assert.is_true(result.is_error)
      assert.is_true(result.details.timed_out)
      assert.is_true(result.duration_ms >= time * 1000 and result.duration_ms < 50000)
      result = run("exec sleep 60", { timeout = 0.1 })
      assert_ends(result, "Command timed out after 0.1 seconds")
      result = run("exec sleep 60", { timeout = 60 }, { timeout = "0.1" })
      assert_ends(result, "Command timed out after 0.1 seconds")
    end)

    it("after a whole second, without a fraction", function()
      assert_ends(run("exec sleep 60", nil, { timeout = 1 }), "Command timed out after 1 seconds")
    end)

    it("cancelled, with the output so far", function()
      local job = abridge.session({ cwd = dir.path }):call("run_command", {
        command = "echo so far; touch cancel-me; exec sleep 60",
      }, {})
      assert.is_true(waiting.eventually(function()
        return dir:read "cancel-me" ~= nil
      end))
      job:cancel()
      local result = job:wait(20)
      assert.equal("so far\n\nCommand aborted", result.content)
      assert.is_true(result.is_error)
    end)
  end)

  describe("keeps within the budget", function()
    it("content, exit line and notice together", function()
      local result = limited("seq 1000; exit 3", { strategy = "tail", max_bytes = 200 })
      assert.is_true(#result.content <= 200)
      local said = "\n\nCommand exited with code 3\n\n%[Showing lines %d+%-1000 of 1000 %(200B limit%)%]$"
      assert.matches("^%d+\n.*\n1000" .. said, result.content)
      assert.is_true(result.is_error)
    end)

    it("at any size, saying less where there is less room", function()
      for budget in random.sweep(0, 220) do
        local result = limited("seq 100; exit 3", { max_bytes = budget })
        assert.is_true(#result.content <= budget)
        assert.is_true(result.truncation.truncated)
        assert.is_true(result.is_error)
        assert.equal(3, result.details.exit_code)
        abridge.assert_conforms("run_command", result)
      end
    end)

    it("in 100 bytes: the exit line, and what is said of the cut", function()
      local result = limited("seq 1000; exit 3", { max_bytes = 100 })
      assert.is_true(#result.content <= 100)
      assert.matches("\n1000\n\nCommand exited with code 3\n\n%[truncated%]$", result.content)
    end)

    it("also where the output alone would fit, but not with its exit line", function()
      local result = limited("printf '%0100d' 0; exit 3", { max_bytes = 100 })
      assert.is_true(#result.content <= 100)
      assert.matches("Command exited with code 3", result.content)
      assert.is_true(result.truncation.truncated)
      result = limited("printf '%0100d' 0", { max_bytes = 100 })
      assert.equal(("0"):rep(100), result.content)
      assert.is_false(result.truncation.truncated)
    end)

    it("of lines: exit line and notice are no lines of the source", function()
      local result = limited("seq 5; exit 3", { strategy = "tail", max_lines = 2 })
      assert.equal("4\n5\n\nCommand exited with code 3\n\n[Showing lines 4-5 of 5]", result.content)
    end)

    it("of chars and tokens", function()
      local result = limited("seq 1000", { strategy = "tail", max_chars = 200 })
      assert.matches("1000\n\n%[Showing lines %d+%-1000 of 1000 %(200 char limit%)%]$", result.content)
      assert.is_true(#result.content <= 200)
      result = limited("seq 1000", { strategy = "tail", max_tokens = 100 })
      assert.matches("1000\n\n%[Showing lines %d+%-1000 of 1000 %(100 token limit%)%]$", result.content)
    end)
  end)

  it("says the byte budget where that was hit", function()
    local result = limited("seq 100000", { strategy = "tail", max_lines = 100000, max_bytes = "1KB" })
    assert.matches("\n100000\n\n%[Showing lines %d+%-100000 of 100000 %(1KB limit%)%]$", result.content)
    assert.equal("size_cap", result.truncation.reason)
    assert.is_nil(result.truncation.next_offset)
  end)

  it("keeps the end of a 60,000-byte line", function()
    dir:write("long", ("0123456789"):rep(6000) .. "\n")
    local result = limited("cat long", { strategy = "tail" })
    assert.is_true(#result.content <= 30720 and #result.content >= 30720 - 100)
    local kept, size = result.content:match "^([0-9]+\n?)\n%[Showing last ([0-9.]+KB) of line 1 %(line is 58%.6KB%)%]$"
    assert(kept, result.content:sub(-100))
    local whole = ("0123456789"):rep(6000)
    assert.equal(whole:sub(-#kept + 1), (kept:gsub("\n$", "")))
    assert.equal(abridge.format_size(result.details.cut.output_bytes), size)
    assert.is_true(result.details.cut.last_line_partial)
  end)

  it("keeps several ranges with head_tail, and says how many lines", function()
    local result = limited("seq 1000", { strategy = "head_tail", max_lines = 10 })
    assert.matches("^1\n2\n3\n.*\n1000\n\n%[Showing 10 of 1000 lines %(10 line limit%)%]$", result.content)
    assert.matches("\n%.%.%. %[990 lines, %d+ bytes omitted%] %.%.%.\n", result.content)
  end)

  it("shows invalid bytes as U+FFFD", function()
    assert.equal("not UTF-8: a\239\191\189b\n", run("printf 'not UTF-8: a\\377b\\n'").content)
  end)

  describe("gives the command", function()
    it("nothing to read", function()
      assert.equal("(no output)", run("cat").content)
      assert.equal("1\n\nCommand exited with code 1", run("read line; code=$?; echo $code; exit $code").content)
    end)

    it("an environment without pagers, prompts and colors", function()
      local result = run 'echo "$PAGER $GIT_TERMINAL_PROMPT $NO_COLOR $TERM"'
      assert.equal("cat 0 1 dumb\n", result.content)
    end)

    it("the environment of the session over it; false removes", function()
      local env = { PAGER = "less", NEW = "a b", TERM = false, HOME = false }
      local result = run('echo "$PAGER|$NEW|${TERM-none}|${HOME-none}|$NO_COLOR"', { env = env })
      assert.equal("less|a b|none|none|1\n", result.content)
    end)

    it("the host's other variables", function()
      assert.equal(os.getenv "PATH" .. "\n", run('echo "$PATH"').content)
    end)

    it("the session's folder, or the one asked for", function()
      uv.fs_mkdir(dir:at "sub dir", 448)
      local real = uv.fs_realpath(dir.path)
      assert.equal(real .. "\n", run("pwd -P").content)
      assert.equal(real .. "/sub dir\n", run("pwd -P", nil, { cwd = "sub dir" }).content)
      assert.equal("/\n", run("pwd -P", nil, { cwd = "/" }).content)
      assert.equal(uv.fs_realpath(uv.cwd()) .. "\n", run("pwd -P", { cwd = "." }).content)
    end)

    it("a process group of its own", function()
      local result = run "ps -o pgid= -p $$ 2>/dev/null || awk '{print $5}' /proc/$$/stat; echo $$"
      local group, pid = result.content:match "(%d+)%s+(%d+)"
      assert.equal(pid, group)
    end)

    it("exactly the text that was given", function()
      assert.equal('it\'s "a" $b `c` \\\n', run([[printf '%s\n' "it's \"a\" \$b \`c\` \\"]]).content)
      assert.equal("1\n2\n", run("echo 1\necho 2").content)
    end)
  end)

  it("refuses a folder that is not there, in the result", function()
    local result = run("true", nil, { cwd = "nowhere" })
    assert.is_true(result.is_error)
    assert.matches("nowhere", result.content)
    assert.matches("ENOENT", result.content)
    result = run("true", { cwd = "/nowhere/at/all" })
    assert.is_true(result.is_error)
    assert.matches("/nowhere/at/all", result.content)
  end)

  it("refuses a bad input, naming the field", function()
    for field, value in pairs { command = 5, timeout = 0, cwd = {} } do
      local input = { command = "true" }
      input[field] = value
      local result = abridge.session():call("run_command", input)
      assert.is_true(result.is_error)
      assert.matches("^Invalid input: " .. field, result.content)
    end
    assert.matches("^Invalid input: command is required", abridge.session():call("run_command", {}).content)
    local result = run "echo a\0b"
    assert.is_true(result.is_error)
    assert.matches("NUL", result.content)
  end)

  it("does not hang on a background child, says so and leaves it running", function()
    local before = host.now()
    local result = run "sleep 60 & echo $!"
    assert.is_true(host.now() - before < 50000)
    local pid = tonumber((result.content:match "^%d+"))
    local lives = resources.alive(pid)
    uv.kill(pid, "sigkill")
    assert.is_true(lives)
    assert.equal(pid .. "\n\n[A background process still holds the output]", result.content)
    assert.is_false(result.is_error)
    assert.is_true(result.details.background)
    assert.equal(0, result.details.exit_code)
  end)

  it("says it in one bracket with the cut", function()
    local result = limited("sleep 60 & echo $! > child; seq 10", { strategy = "tail", max_lines = 2 })
    uv.kill(tonumber((dir:read "child")), "sigkill")
    assert.equal("9\n10\n\n[Showing lines 9-10 of 10. A background process still holds the output]", result.content)
  end)

  it("has no such notice for a child that lets go of the output", function()
    local result = run "sleep 60 >/dev/null 2>&1 & echo $!"
    local pid = tonumber((result.content:match "^%d+"))
    uv.kill(pid, "sigkill")
    assert.equal(pid .. "\n", result.content)
  end)

  it("ends the whole group on a timeout", function()
    local result = in_time("sleep 60 & echo $!; wait", "%d+\n")
    assert.is_true(result.details.timed_out)
    local pid = tonumber((result.content:match "^%d+"))
    assert.is_true(waiting.eventually(function()
      return not resources.alive(pid)
    end))
  end)

  it("kills what does not heed TERM, after two seconds", function()
    local result, time = in_time("trap '' TERM; echo $$; while :; do sleep 0.1; done", "%d+\n")
    assert.is_true(result.duration_ms >= 2000 + time * 1000)
    assert.is_true(result.details.timed_out)
    assert_ends(result, ("Command timed out after %s seconds"):format(time))
    assert.is_false(resources.alive(tonumber((result.content:match "^%d+"))))
  end)

  it("gives a command that ends on TERM the time to say so", function()
    local script = "trap 'echo cleaned up; exit 0' TERM; echo started; while :; do sleep 0.05; done"
    local result, time = in_time(script, "started\n")
    assert.matches("^started\n", result.content)
    assert_ends(result, ("cleaned up\n\nCommand timed out after %s seconds"):format(time))
    assert.is_true(result.is_error)
  end)

  describe("in the profile 'contract'", function()
    it("has the budget of its output word, and the reason exec_budget", function()
      local session = abridge.session { profile = "contract" }
      local result = session:call("run_command", { command = "seq 100000" })
      assert.is_true(#result.content <= 8192 and #result.content > 8000)
      assert.equal("exec_budget", result.truncation.reason)
      assert.equal(588895, result.truncation.bytes_total)
      assert.matches("\n100000\n\n%[Showing %d+ of 100000 lines %(8KB limit%)%]$", result.content)
    end)

    it("has each word's budget", function()
      for word, bytes in pairs { silent = 200, concise = 2048, normal = 8192, verbose = 16384 } do
        local session = abridge.session { profile = "contract", limits = { run_command = { output = word } } }
        local result = session:call("run_command", { command = "seq 100000" })
        assert.is_true(#result.content <= bytes and #result.content > bytes - 100, word)
        assert.equal("exec_budget", result.truncation.reason)
      end
      local session = abridge.session { profile = "contract", limits = { run_command = { output = "full" } } }
      local result = session:call("run_command", { command = "seq 10000" })
      assert.is_false(result.truncation.truncated)
    end)

    it("has the reason size_cap where the ceiling is the smaller", function()
      local session = abridge.session { profile = "contract", ceiling = { max_bytes = 1000 } }
      local result = session:call("run_command", { command = "seq 100000" })
      assert.is_true(#result.content <= 1000)
      assert.equal("size_cap", result.truncation.reason)
    end)
  end)

  describe("with an output word of the model's", function()
    it("shows less than the session allows, never more", function()
      for word, bytes in pairs { silent = 200, concise = 2048, normal = 8192, verbose = 16384 } do
        local command = "seq 100000000 100100000"
        local result = abridge.session():call("run_command", { command = command, output = word })
        assert.is_true(#result.content <= bytes and #result.content > bytes - 200, word)
        assert.equal("exec_budget", result.truncation.reason)
        result = abridge.session({ profile = "contract" }):call("run_command", { command = command, output = word })
        assert.is_true(#result.content <= math.min(bytes, 8192), word)
        assert.equal("exec_budget", result.truncation.reason)
      end
      local limits = { run_command = { max_bytes = 1000, max_lines = false } }
      local session = abridge.session { limits = limits }
      local result = session:call("run_command", { command = "seq 10000", output = "normal" })
      assert.is_true(#result.content <= 1000)
      assert.equal("size_cap", result.truncation.reason)
    end)

    it("takes no word that is the host's to set", function()
      for _, word in ipairs { "full", "auto", "loud" } do
        local result = abridge.session():call("run_command", { command = "true", output = word })
        assert.is_true(result.is_error)
        assert.matches("^Invalid input: output must be one of", result.content)
      end
    end)

    it("stands beside budgets of any other kind", function()
      local kinds = { { max_chars = 100 }, { max_tokens = 50 }, { max_lines = 3 }, {}, { strategy = "head" } }
      for _, limits in ipairs(kinds) do
        limits.max_lines = limits.max_lines or false
        limits.max_bytes = false
        local session = abridge.session { ceiling = false, limits = { run_command = limits } }
        local result = session:call("run_command", { command = "seq 10000", output = "concise" })
        assert.is_nil(result.details.inner_error)
        assert.is_true(#result.content <= 2048)
      end
      local session = abridge.session { profile = "pipeline" }
      assert.is_nil(session:call("run_command", { command = "seq 10", output = "silent" }).details.inner_error)
    end)
  end)

  it("shows a short failure wherever it stands in a long output, at each level", function()
    local loop = 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "unit $i of 3000"; '
      .. "[ $i -eq %d ] && echo 'x.c:7: error: no y' >&2; done; exit 1"
    for _, at in ipairs { 1, 1500, 2999 } do
      for word, bytes in pairs { silent = 200, concise = 2048, normal = 8192, verbose = 16384 } do
        local result = abridge.session():call("run_command", { command = loop:format(at), output = word })
        assert.is_true(#result.content <= bytes)
        local what = ("line %d, %s"):format(at, word)
        assert.truthy(result.content:find("x.c:7: error: no y", 1, true), what)
        assert.truthy(result.content:find("unit 3000 of 3000", 1, true), what)
        assert.truthy(result.content:find("Command exited with code 1", 1, true), what)
      end
    end
  end)

  describe("with output 'auto'", function()
    local function auto(opts, command)
      opts.limits = { run_command = { output = "auto" } }
      return abridge.session(opts):call("run_command", { command = command })
    end

    it("shows 512 bytes of a success whose full output is kept", function()
      local folder = tmpdir.new()
      local result = auto({ run_dir = folder:at "run" }, "seq 10000")
      assert.is_true(#result.content <= 512 and #result.content > 300)
      assert.equal("exec_budget", result.truncation.reason)
      assert.equal(48894, result.details.cut.full_output_bytes)
      assert.is_true(result.content:find(result.details.full_output_path, 1, true) ~= nil)
      folder:remove()
    end)

    it("shows 8KB of a failure, and of a success whose output is not kept", function()
      local folder = tmpdir.new()
      for _, result in ipairs {
        auto({ run_dir = folder:at "run" }, "seq 10000; exit 3"),
        auto({ run_dir = false }, "seq 10000"),
      } do
        assert.is_true(#result.content <= 8192 and #result.content > 8000)
        assert.equal("exec_budget", result.truncation.reason)
      end
      folder:remove()
    end)

    it("shows a short success whole", function()
      assert.equal("1\n2\n", auto({ run_dir = false }, "seq 2").content)
    end)
  end)

  describe("of 70 MiB of output", function()
    local total = 70 * 1024 * 1024 + 70
    local result

    setup(function()
      local line = ("x"):rep(1023)
      result = run(("yes %s | head -n 71680; seq 100001 100010"):format(line), nil, { timeout = 300 })
    end)

    it("shows the right end, within the budget", function()
      local lines = {}
      for number in result.content:gmatch "\n(100%d%d%d)%f[\n%z]" do
        lines[#lines + 1] = number
      end
      assert.equal("100001 100002 100003 100004 100005 100006 100007 100008 100009 100010", table.concat(lines, " "))
      assert.is_false(result.is_error)
      assert.is_true(#result.content <= 30720)
      assert.is_true(result.truncation.truncated)
    end)

    it("drops nothing", function()
      assert.is_nil(result.details.dropped_bytes)
    end)

    it("says the true totals all the same", function()
      assert.equal(total, result.truncation.bytes_total)
      assert.matches("%[Showing %d+ of 71690 lines %(30KB limit%)", result.content)
    end)
  end)
end)
