--- Progress: on a terminal, after a second, and nothing else ever.

local command = require "support.command"
local tmpdir = require "support.tmpdir"

describe("progress #once", function()
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
    -- clock and timers of the command run at a pace of their own, so that work of 20 ms takes two seconds
    dir:write(
      "paced.lua",
      [[
      local pace = tonumber(table.remove(arg, 1))
      local host = require "abridge.base.host"
      local uv, now = host.uv(), host.now
      local start = uv.timer_start
      host.now = function() return now() * pace end
      uv.timer_start = function(timer, after, every, callback)
        return start(timer, math.ceil(after / pace), math.ceil(every / pace), callback)
      end
      os.exit(require("abridge.cli").main(arg))
    ]]
    )
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

  local function fast(...)
    return dir:lua_command("paced.lua", "100", ...)
  end

  local function slow(...)
    return dir:lua_command("paced.lua", "0.01", ...)
  end

  --- A test that needs a terminal.
  local function it_shows(what, body)
    it(what, function()
      if not command.has "script" then return pending "no script(1) here" end
      body()
    end)
  end

  it_shows("shows what runs and for how long, and how much it printed, and is erased", function()
    local out = on_terminal(fast("run", "--", "printf 'line\\n'; sleep 0.2; echo done"))
    local drawn = select(2, out:gsub(LINE .. "running [^\r]*, %d+%.%ds", ""))
    assert.is_true(drawn >= 2, out)
    assert.matches(LINE .. "running printf 'line\\n'; sleep 0%.2; echo done, 5B, %d+%.%ds\r", out)
    assert.matches("%ds" .. ERASED .. "line\r\ndone\r\n$", out) -- erased before the result
  end)

  it_shows("shows how far the log of a run is read", function()
    local out = on_terminal(fast("log", "run"))
    assert.matches(LINE .. "reading /[^\r]*, %d+%% of 45%.8MB, %d+%.%ds\r", out)
    assert.matches("s" .. ERASED .. "CALL ", out)
    out = on_terminal(fast("log", "run", "call-12"))
    assert.matches("s" .. ERASED .. "abridge: Call call%-12 has no result yet\r\n$", out) -- before an error too
  end)

  it_shows("shows that a file is read", function()
    dir:write("lines", ("a line of some words\n"):rep(3e6))
    local out = on_terminal(dir:lua_command("paced.lua", "10000", "read", "lines", "--offset", "2999999"))
    os.remove(dir:at "lines")
    assert.matches("^" .. LINE .. "reading lines, ", out)
    assert.matches("s" .. ERASED .. "a line of some words\r\na line of some words\r\n$", out)
  end)

  it_shows("keeps within the terminal's line", function()
    local out = on_terminal("stty columns 40; " .. fast("run", "--", "sleep 0.1; : " .. ("x"):rep(200)))
    assert.matches(LINE .. "running sleep 0%.1; :[ x]*%.%.%., %d+%.%ds\r", out)
    for drawn in out:gmatch(ERASED .. "(abridge: [^\r]*)") do
      assert.equal(39, #drawn)
    end
  end)

  it_shows("shows no control bytes of a name", function()
    local out = on_terminal(fast("run", "--", ": '\27[2J\1'; sleep 0.1"))
    assert.matches(LINE .. "running : '%?%[2J%?'; sleep 0%.1, ", out)
  end)

  it_shows("shows nothing for what takes less than a second", function()
    assert.equal("done\r\n", on_terminal(slow("run", "--", "sleep 0.2; echo done")))
  end)

  it_shows("shows nothing where stderr is no terminal, or a dumb one", function()
    local long = fast("run", "--", "sleep 0.1; echo done")
    assert.equal("done\r\n", on_terminal(long .. " 2>err"))
    assert.equal("", dir:read "err")
    assert.equal("done\r\n", on_terminal(long, "TERM=dumb"))
    assert.equal("done\r\n", on_terminal("unset TERM; " .. long))
    assert.same({ "done\n", "", 0 }, { dir:sh("TERM=xterm " .. long) })
  end)

  it_shows("leaves stdout alone where that is piped, and stderr a terminal", function()
    local out = on_terminal(fast("run", "--", "sleep 0.1; echo done") .. " | cat > out")
    assert.matches("^" .. LINE .. "running .*" .. ERASED .. "$", out)
    assert.equal("done\n", dir:read "out")
  end)
end)
