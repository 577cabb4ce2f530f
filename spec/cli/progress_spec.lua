--- Progress: on a terminal, after a second, and nothing else ever.

local command = require "support.command"
local tmpdir = require "support.tmpdir"

describe("progress", function()
  local dir
  local LINE = "\r\27%[Kabridge: "
  local ERASED = "\r\27%[K"

  setup(function()
    dir = tmpdir.new()
    -- lines of four million bytes, each without result: a log that takes its time, but no memory
    local line = '{"type":"tool_call","seq":%d,"call_id":"call-%d","tool":"t","input":{"x":"' .. ("x"):rep(4e6) .. '"}}'
    local lines = {}
    for i = 1, 12 do
      lines[i] = line:format(i, i)
    end
    dir:sh "mkdir -p -m 700 run"
    dir:write("run/events.jsonl", table.concat(lines, "\n") .. "\n")
    -- clock and timers run a hundred times too fast, so that work of 20 ms takes two seconds
    dir:write("fast.lua", [[
      local host = require "abridge.base.host"
      local uv, now = host.uv(), host.now
      local start = uv.timer_start
      host.now = function() return now() * 100 end
      uv.timer_start = function(timer, after, every, callback)
        return start(timer, math.ceil(after / 100), math.ceil(every / 100), callback)
      end
      os.exit(require("abridge.cli").main(arg))
    ]])
  end)

  teardown(function()
    dir:remove()
  end)

  --- What a terminal gets as stdout and stderr of a script.
  local function on_terminal(script, env)
    dir:write("script.sh", script .. "\n")
    dir:sh(("%s script -qec 'sh script.sh' typescript </dev/null"):format(env or "TERM=xterm NO_COLOR=1"))
    local shown = dir:read("typescript"):gsub("^Script started[^\n]*\n", ""):gsub("\n?Script done[^\n]*\n$", "")
    return shown
  end

  --- The same of the command alone.
  local function shown(...)
    return on_terminal(command.line(...))
  end

  local function fast(...)
    return dir:lua_command("fast.lua", ...)
  end

  before_each(function()
    if not command.has "script" then pending "no script(1) here" end
  end)

  it("shows what runs and for how long, and how much it printed, and is erased", function()
    local out = shown("run", "--", "printf 'line\\n'; sleep 1.6; echo done")
    local drawn = select(2, out:gsub(LINE .. "running [^\r]*, %d+%.%ds", ""))
    assert.is_true(drawn >= 2, out)
    assert.matches("^" .. LINE .. "running printf 'line\\n'; sleep 1%.6; echo done, 5B, 1%.%ds\r", out)
    assert.matches("%ds" .. ERASED .. "line\r\ndone\r\n$", out) -- erased before the result
  end)

  it("shows how far the log of a run is read", function()
    local out = on_terminal(fast("log", "run"))
    assert.matches(LINE .. "reading /[^\r]*, %d+%% of 45%.8MB, %d+%.%ds\r", out)
    assert.matches("s" .. ERASED .. "CALL ", out)
    out = on_terminal(fast("log", "run", "call-12"))
    assert.matches("s" .. ERASED .. "abridge: Call call%-12 has no result yet\r\n$", out) -- before an error too
  end)

  it("shows that a file is read", function()
    dir:write("lines", ("a line of some words\n"):rep(3e6))
    local out = on_terminal(fast("read", "lines", "--offset", "2999999"))
    os.remove(dir:at "lines")
    assert.matches("^" .. LINE .. "reading lines, ", out)
    assert.matches("s" .. ERASED .. "a line of some words\r\na line of some words\r\n$", out)
  end)

  it("keeps within the terminal's line", function()
    local out = on_terminal("stty columns 40; " .. command.line("run", "--", "sleep 1.3; : " .. ("x"):rep(200)))
    assert.matches(LINE .. "running sleep 1%.3; :[ x]*%.%.%., 1%.%ds\r", out)
    for drawn in out:gmatch(ERASED .. "(abridge: [^\r]*)") do
      assert.equal(39, #drawn)
    end
  end)

  it("shows no control bytes of a name", function()
    local out = shown("run", "--", ": '\27[2J\1'; sleep 1.3")
    assert.matches(LINE .. "running : '%?%[2J%?'; sleep 1%.3, ", out)
  end)

  it("shows nothing for what takes less than a second", function()
    assert.equal("done\r\n", shown("run", "--", "sleep 0.3; echo done"))
  end)

  it("shows nothing where stderr is no terminal, or a dumb one", function()
    local slow = command.line("run", "--", "sleep 1.3; echo done")
    assert.equal("done\r\n", on_terminal(slow .. " 2>err"))
    assert.equal("", dir:read "err")
    assert.equal("done\r\n", on_terminal(slow, "TERM=dumb"))
    assert.equal("done\r\n", on_terminal("unset TERM; " .. slow))
    assert.same({ "done\n", "", 0 }, { dir:sh("TERM=xterm " .. slow) })
  end)

  it("leaves stdout alone where that is piped, and stderr a terminal", function()
    local out = on_terminal(command.line("run", "--", "sleep 1.3; echo done") .. " | cat > out")
    assert.matches("^" .. LINE .. "running .*" .. ERASED .. "$", out)
    assert.equal("done\n", dir:read "out")
  end)
end)
