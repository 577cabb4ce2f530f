local host = require "abridge.base.host"
local process = require "abridge.process"
local random = require "support.random"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local on_linux = resources.has_proc

---Starts a process and collects all it says; `run.process` is nil when it did not start.
local function start(argv, opts, handlers)
  local run = { out = {}, err = {}, exits = 0 }
  handlers = handlers or {}
  local process_or_nil, message, code = process.spawn(argv, opts, {
    on_output = function(chunk)
      run.out[#run.out + 1] = chunk
      if handlers.on_output then handlers.on_output(run, chunk) end
    end,
    on_stderr = function(chunk)
      run.err[#run.err + 1] = chunk
    end,
    on_exit = function(outcome)
      run.exits = run.exits + 1
      run.outcome = outcome
    end,
  })
  run.process, run.message, run.code = process_or_nil, message, code
  return run
end

---Waits until the process is done.
local function finish(run)
  assert(run.process, run.message)
  assert.is_true(host.wait(function()
    return run.process:is_done()
  end, 30))
  run.text, run.err_text = table.concat(run.out), table.concat(run.err)
  return run
end

local function run_to_end(argv, opts)
  return finish(start(argv, opts))
end

local function sh(script, opts)
  return run_to_end({ "sh", "-c", script }, opts)
end

local function dies(pid)
  return waiting.eventually(function()
    return not resources.alive(pid)
  end)
end

---Runs `fn` and checks that it left no handle and no file descriptor.
local function leaves_nothing(fn)
  collectgarbage()
  local handles, fds = resources.handles(), on_linux and resources.descriptors()
  fn()
  waiting.eventually(function() -- inside Neovim the loop closes things in its own time
    local tick = 1 -- what `eventually` has open itself
    return resources.handles() <= handles + tick and not (on_linux and resources.descriptors() > fds)
  end)
  assert.equal(handles, resources.handles())
  if on_linux then assert.equal(fds, resources.descriptors()) end
end

describe("process output", function()
  it("has stdout and stderr in the order written", function()
    local run = sh "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
    assert.equal("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", run.text)
    assert.equal("", run.err_text)
  end)

  it("lets the child open /dev/stdout and /dev/stderr anew", function()
    assert.equal("a\nb\nc\n", sh("echo a; echo b >/dev/stderr; echo c >/dev/stdout").text)
  end)

  it("keeps stderr apart when asked to", function()
    local run = sh("echo a; echo b >&2; echo c; echo d >/dev/stderr", { merge_stderr = false })
    assert.equal("a\nc\n", run.text)
    assert.equal("b\nd\n", run.err_text)
  end)

  it("comes whole, five million bytes of it", function()
    local run = sh "seq 1 800000 | head -c 5000000; echo; echo the end"
    assert.equal(5000009, #run.text)
    assert.equal("1\n2\n3\n", run.text:sub(1, 6))
    assert.equal("\nthe end\n", run.text:sub(-9))
  end)

  it("carries every byte value", function()
    assert.equal("a\0b\255\r\n", sh([[printf 'a\000b\377\r\n']]).text)
  end)

  it("has an end: stdin is /dev/null", function()
    assert.equal("<>\n", sh([[printf '<%s>\n' "$(cat)"]]).text)
  end)

  if on_linux then
    it("is the only thing the child inherits from us", function()
      local count = "ls /proc/self/fd | wc -l"
      local before = sh(count).text
      local extra = assert(uv.pipe()) -- a pipe between its making and the spawn of its child
      local other = start({ "sleep", "30" }, { merge_stderr = false })
      local run = sh(count)
      other.process:cancel()
      finish(other)
      uv.fs_close(extra.read)
      uv.fs_close(extra.write)
      assert.equal(before, run.text)
    end)
  end
end)

describe("process hold", function()
  local BYTES = 5000000
  local FLOOD = { "sh", "-c", ("yes | head -c %d"):format(BYTES) }

  local function bytes_of(run)
    return #table.concat(run.out)
  end

  it("keeps a program waiting until release, and loses nothing", function()
    local run = start(FLOOD, {}, {
      on_output = function(run)
        if #run.out == 1 then run.process:hold() end
      end,
    })
    assert.is_true(waiting.eventually(function()
      return #run.out > 0
    end))
    local from = host.now()
    waiting.eventually(function()
      return host.now() - from > 100
    end)
    assert.is_false(run.process:is_done())
    assert.is_true(bytes_of(run) <= 2 * 1024 * 1024)
    run.process:release()
    finish(run)
    assert.equal(BYTES, bytes_of(run))
    assert.same({ 0, false }, { run.outcome.code, run.outcome.background })
  end)

  it("loses nothing of a program that ends meanwhile", function()
    local run = start({ "sh", "-c", "echo one; sleep 0.05; echo two" }, {}, {
      on_output = function(run)
        run.process:hold()
      end,
    })
    finish(run)
    assert.equal("one\ntwo\n", run.text)
    assert.same({ 0, false }, { run.outcome.code, run.outcome.background })
  end)

  it("may be taken back and forth by each chunk", function()
    local run = start(FLOOD, {}, {
      on_output = function(run)
        run.process:hold()
        run.process:release()
      end,
    })
    finish(run)
    assert.equal(BYTES, bytes_of(run))
  end)
end)

describe("process outcome", function()
  it("has the exit code", function()
    for _, code in ipairs { 0, 1, 3, 127, 255 } do
      local run = sh("exit " .. code)
      assert.equal(code, run.outcome.code)
      assert.is_nil(run.outcome.signal)
      assert.equal(1, run.exits)
    end
  end)

  it("has all its fields", function()
    local outcome = sh("true").outcome
    assert.equal("number", type(outcome.duration_ms))
    assert.equal(outcome.duration_ms, math.floor(outcome.duration_ms))
    outcome.duration_ms = nil
    assert.same({ code = 0, timed_out = false, cancelled = false, background = false }, outcome)
  end)

  it("names the signal", function()
    for _, name in ipairs { "KILL", "TERM", "SEGV", "ABRT", "HUP", "USR1", "PIPE" } do
      local outcome = sh("kill -" .. name .. " $$").outcome
      assert.equal(name, outcome.signal)
      assert.is_nil(outcome.code)
      assert.equal("number", type(outcome.signal_number))
    end
  end)

  it("waits for the exit when the output is closed before", function()
    local run = sh "echo bye; exec >/dev/null 2>&1; sleep 0.05; exit 4"
    assert.equal(4, run.outcome.code)
    assert.equal("bye\n", run.text)
    assert.equal(false, run.outcome.background)
  end)

  it("is there when is_done says so, and not before", function()
    local run = start { "sh", "-c", "exit 2" }
    assert.equal(false, run.process:is_done())
    assert.is_nil(run.process.outcome)
    finish(run)
    assert.equal(run.outcome, run.process.outcome)
    assert.equal("number", type(run.process.pid))
  end)
end)

describe("process that stands still", function()
  it("is stopped, one that works is not, nor one that waits for us", function()
    if not resources.asks_proc then return pending "nobody asks /proc" end
    local run = sh("echo before; exec sleep 60", { stall = 0.5, timeout = 50 })
    assert.is_true(run.outcome.stalled)
    assert.is_false(run.outcome.timed_out)
    assert.equal("before\n", run.text)
    run = sh("i=0; while [ $i -lt 300 ]; do i=$((i + 1)); read x < /proc/self/stat; sleep 0.005; done", { stall = 1 })
    assert.is_nil(run.outcome.stalled)
    assert.equal(0, run.outcome.code)

    local outcome
    local child = process.spawn({ "sh", "-c", "yes | head -c 1000000" }, { stall = 0.3 }, {
      on_output = function() end,
      on_exit = function(ended)
        outcome = ended
      end,
    })
    child:hold()
    local until_then = host.now() + 1500
    host.wait(function()
      return host.now() > until_then
    end, 30)
    assert.is_nil(outcome)
    child:release()
    host.wait(function()
      return outcome
    end, 30)
    assert.is_nil(outcome.stalled)
    assert.equal(0, outcome.code)
  end)

  it("is stopped when its timeout comes first", function()
    assert.is_true(sh("sleep 60", { stall = 50, timeout = 0.3 }).outcome.timed_out)
  end)
end)

describe("process timeout", function()
  --- A script whose time runs out once it has printed something.
  local function sh_in_time(script, opts)
    opts = opts or {}
    return waiting.with_time(0.1, function(seconds)
      opts.timeout = seconds
      local run = sh(script, opts)
      return run, run.text ~= ""
    end)
  end

  it("ends a child by TERM, and keeps what was printed", function()
    local run = sh_in_time "echo before; exec sleep 30"
    assert.equal(true, run.outcome.timed_out)
    assert.equal(false, run.outcome.cancelled)
    assert.equal("TERM", run.outcome.signal)
    assert.equal("before\n", run.text)
  end)

  it("gives the child time to end by itself", function()
    local run = sh_in_time("trap 'echo bye; exit 7' TERM; echo hello; while :; do sleep 0.02; done", { grace = 20 })
    assert.equal(true, run.outcome.timed_out)
    assert.equal(7, run.outcome.code)
    assert.matches("^hello\n.*bye\n$", run.text) -- and what the shell says of its own sleep
  end)

  it("ends by KILL what ignores TERM", function()
    local run = sh_in_time("trap '' TERM; echo x; while :; do sleep 0.02; done", { grace = 0.1 })
    assert.equal(true, run.outcome.timed_out)
    assert.equal("KILL", run.outcome.signal)
    assert.equal("x\n", run.text)
  end)

  it("reaches the whole group", function()
    local run = sh_in_time "sleep 30 & echo $!; wait"
    assert.equal(true, run.outcome.timed_out)
    assert.is_true(dies(tonumber(run.text)))
  end)

  it("kills a grandchild that ignores TERM and holds the output", function()
    local run = sh_in_time("(trap '' TERM; sleep 30; sleep 30) & echo $!; wait", { grace = 0.1 })
    assert.equal("TERM", run.outcome.signal)
    assert.equal(false, run.outcome.background)
    assert.is_true(dies(tonumber(run.text)))
  end)

  it("kills a grandchild that ignores TERM and is silent", function()
    local script = "(trap '' TERM; sleep 30; sleep 30) >/dev/null 2>&1 & echo $!; wait"
    local run = sh_in_time(script, { grace = 0.1 })
    assert.equal(true, run.outcome.timed_out)
    assert.is_true(dies(tonumber(run.text)))
  end)

  it("does not wait for a zombie that nobody reaps", function()
    if not resources.asks_proc then return pending "nobody asks /proc" end
    if os.execute "command -v perl >/dev/null" == nil then return pending "no perl here" end
    -- a child in our group whose parent left it, lives on, and never waits
    local zombie = "$c = fork; close STDERR; if (!$c) { close STDOUT; sleep 60; exit } setpgrp(0, 0);"
    zombie = zombie .. '$| = 1; print "$$ $c\\n"; close STDOUT; sleep 60'
    local started = host.now()
    local run = sh("perl -e '" .. zombie .. "' & wait", { timeout = 0.5, grace = 20 })
    local parent, child = run.text:match "^(%d+) (%d+)\n$"
    local seen = uv.kill(tonumber(child), 0) == 0 and not resources.alive(tonumber(child))
    assert.equal(0, uv.kill(tonumber(parent), "sigkill"))
    assert.is_true(seen, "there was no zombie")
    assert.is_true(run.outcome.timed_out)
    assert.is_true(host.now() - started < 10000)
  end)

  it("is over when the leader is", function()
    local run = waiting.with_time(0.2, function(seconds)
      local run = sh("sleep 30 & echo $!", { timeout = seconds, linger = 1.5 * seconds })
      uv.kill(tonumber(run.text) or 0, run.text ~= "" and "sigkill" or 0)
      return run, not run.outcome.timed_out
    end)
    assert.equal(false, run.outcome.timed_out)
    assert.equal(true, run.outcome.background)
  end)

  it("does not blame a child that ended while the loop stood still", function()
    local run = start({ "sh", "-c", "exit 0" }, { timeout = 0.05 })
    local tries = 0
    repeat -- a zombie is no longer alive, where there is a /proc
      os.execute "sleep 0.1"
      tries = tries + 1
    until not resources.alive(run.process.pid) or tries == (on_linux and 200 or 5)
    finish(run)
    assert.equal(false, run.outcome.timed_out)
    assert.equal(0, run.outcome.code)
  end)

  it("counts from the spawn, however long the loop stood still before", function()
    local timed_out = waiting.with_time(0.2, function(seconds)
      host.wait(function()
        return false
      end, 0)
      os.execute("sleep " .. seconds)
      local outcome = sh("sleep 0.02", { timeout = 0.9 * seconds }).outcome
      return outcome.timed_out, not outcome.timed_out
    end)
    assert.equal(false, timed_out)
  end)
end)

describe("process cancel", function()
  it("stops the group", function()
    local run = start { "sh", "-c", "sleep 30 & echo $!; wait" }
    assert.is_true(host.wait(function()
      return #run.out > 0
    end, 30))
    assert.equal(true, run.process:cancel())
    assert.equal(false, run.process:cancel())
    finish(run)
    assert.equal(true, run.outcome.cancelled)
    assert.equal(false, run.outcome.timed_out)
    assert.equal("TERM", run.outcome.signal)
    assert.is_true(dies(tonumber(run.text)))
    assert.equal(false, run.process:cancel())
    assert.equal(1, run.exits)
  end)

  it("keeps nothing of the looks at a group that outlives its leader #few", function()
    local function kept()
      collectgarbage()
      collectgarbage()
      local count = 0
      for _ in pairs(debug.getregistry()) do
        count = count + 1
      end
      return count
    end
    local function cancelled()
      local run = start({ "sh", "-c", "(trap '' TERM; echo; sleep 30; sleep 30) & wait" }, { grace = 0.2 })
      assert.is_true(host.wait(function()
        return #run.out > 0
      end, 10))
      run.process:cancel()
      assert.equal("TERM", finish(run).outcome.signal)
    end
    cancelled()
    local before = kept()
    for _ = 1, 5 do
      cancelled()
    end
    assert.is_true(kept() <= before + 10, ("%d values are kept, before it were %d"):format(kept(), before))
  end)

  it("works from a handler", function()
    local run = start({ "sh", "-c", "while :; do echo y; done" }, nil, {
      on_output = function(run)
        run.process:cancel()
      end,
    })
    finish(run)
    assert.equal(true, run.outcome.cancelled)
  end)

  it("ends a background child that the process is waiting for", function()
    local run = start({ "sh", "-c", "(trap '' TERM; sleep 30; sleep 30) & echo $!" }, { linger = 20, grace = 0.1 })
    assert.is_true(host.wait(function()
      return run.process._exited
    end, 30))
    run.process:cancel()
    finish(run)
    assert.equal(true, run.outcome.cancelled)
    assert.equal(0, run.outcome.code)
    assert.equal(false, run.outcome.background)
    assert.is_true(dies(tonumber(run.text)))
  end)
end)

describe("background child", function()
  it("does not hold up the process, and is left running", function()
    local from = host.now()
    local run = sh "sleep 30 & echo $!; echo done"
    assert.is_true(host.now() - from < 25000)
    assert.equal(0, run.outcome.code)
    assert.equal(true, run.outcome.background)
    local pid, rest = run.text:match "^(%d+)\n(.*)$"
    assert.equal("done\n", rest)
    assert.is_true(resources.alive(tonumber(pid)))
    uv.kill(tonumber(pid), "sigkill")
    assert.is_true(dies(tonumber(pid)))
  end)

  it("is waited for when it ends soon", function()
    local run = sh("(sleep 0.05; echo late) & echo early", { linger = 20 })
    assert.equal("early\nlate\n", run.text)
    assert.equal(false, run.outcome.background)
  end)

  it("does not cost output that was printed before the exit", function()
    -- As much as a pipe holds, none of it read when the leader exits, and no time to linger.
    local run = start({ "sh", "-c", "sleep 30 2>/dev/null & head -c 65530 /dev/zero; echo $!" }, { linger = 0 })
    os.execute "sleep 0.2"
    finish(run)
    assert.equal(true, run.outcome.background)
    assert.equal(string.rep("\0", 65530), run.text:sub(1, 65530))
    uv.kill(tonumber(run.text:sub(65531)), "sigkill")
  end)

  it("is heard for as long as it lingers, also when the loop stands still", function()
    local dir = tmpdir.new()
    local script = "(sleep 0.1; echo late; echo >there; exec sleep 30) & echo $!"
    local run = start({ "sh", "-c", script }, { linger = 0.3, cwd = dir.path })
    assert.is_true(host.wait(function()
      return run.process._exited
    end, 30))
    os.execute(("sleep 0.4; until test -e %s; do sleep 0.01; done"):format(tmpdir.quote(dir:at "there")))
    finish(run)
    dir:remove()
    assert.matches("late\n$", run.text)
    assert.equal(true, run.outcome.background)
    uv.kill(-run.process.pid, "sigkill")
  end)

  it("does not keep the process when it never stops printing", function()
    local run = sh("yes & echo $!", { linger = 0.05 })
    assert.equal(true, run.outcome.background)
    uv.kill(tonumber(run.text:match "%d+"), "sigkill") -- SIGPIPE may have been faster
  end)
end)

describe("a background child that left the group", function()
  local has_setsid = #sh("command -v setsid").text > 0
  if not has_setsid then return end

  it("cannot make a timeout hang", function()
    local script = "setsid sh -c 'echo $$; exec sleep 30' & sleep 30"
    local run = sh(script, { timeout = 0.3, grace = 0.1, linger = 0.05 })
    assert.equal(true, run.outcome.timed_out)
    assert.equal(true, run.outcome.background)
    uv.kill(tonumber(run.text), "sigkill")
  end)

  it("cannot make a cancel hang", function()
    local run = start({ "sh", "-c", "setsid sh -c 'echo $$; exec sleep 30' &" }, { linger = 0.5 })
    assert.is_true(host.wait(function()
      return run.process._exited and #run.out > 0
    end, 30))
    run.process:cancel()
    finish(run)
    assert.equal(true, run.outcome.cancelled)
    assert.equal(true, run.outcome.background)
    uv.kill(tonumber(run.text), "sigkill")
  end)
end)

describe("process environment and folder", function()
  it("is the host's, with changes", function()
    local run = run_to_end({ "/bin/sh", "-c", [[echo "$A|${HOME-none}|${PATH:+path}"]] }, {
      env = { A = "a b=c", HOME = false },
    })
    assert.equal("a b=c|none|path\n", run.text)
  end)

  it("is inherited when nothing is said", function()
    assert.equal((os.getenv "PATH" or "") .. "\n", sh([[echo "$PATH"]]).text)
  end)

  it("starts in cwd", function()
    assert.equal("/\n", sh("pwd", { cwd = "/" }).text)
  end)
end)

describe("process arguments", function()
  it("reach the program as they are", function()
    local odd = { "", " ", "a b", "'\"$(id)`", "*", "-n", "é\n" }
    local argv = { "sh", "-c", [[printf '<%s>' "$@"]], "sh" }
    for _, argument in ipairs(odd) do
      argv[#argv + 1] = argument
    end
    local run = run_to_end(argv)
    assert.equal("<" .. table.concat(odd, "><") .. ">", run.text)
  end)

  it("may be many", function()
    local argv = { "sh", "-c", [[echo $#]], "sh" }
    for _ = 1, 20000 do
      argv[#argv + 1] = "x"
    end
    assert.equal("20000\n", run_to_end(argv).text)
  end)

  it("with a NUL byte come back as an error", function()
    local run = start { "echo", "a\0b" }
    assert.is_nil(run.process)
    assert.equal("argument 1 contains a NUL byte", run.message)
    assert.equal("EINVAL", run.code)
    run = start({ "pwd" }, { cwd = "/\0x" })
    assert.equal("the working directory contains a NUL byte", run.message)
    assert.equal("EINVAL", run.code)
  end)

  it("are what their tables hold themselves", function()
    local function always(value, fields)
      return setmetatable(fields, {
        __index = function()
          return value
        end,
        __pairs = error,
      })
    end
    local argv = always("x", { "sh", "-c", 'echo "$#$A"; echo err >&2' })
    local run = run_to_end(argv, always(1, { env = always("x", { A = "a" }), merge_stderr = false }))
    assert.equal("0a\n", run.text)
    assert.equal("err\n", run.err_text)
    local ok, message = pcall(process.spawn, always("x", {}))
    assert.is_false(ok)
    assert.matches("spawn: argv must be an array of at least one string", message)
  end)

  it("name what is misused, at the caller's line", function()
    local function check(want, ...)
      local ok, message = pcall(function(...)
        process.spawn(...)
      end, ...)
      assert.equal(false, ok)
      assert.matches("process_spec%.lua:%d+: spawn: ", message)
      assert.equal(want, message:match "spawn: (.*)$")
    end
    check "argv must be an array of at least one string, got nil"
    check('argv must be an array of at least one string, got "ls"', "ls")
    check("argv[2] must be a string, got 5", { "a", 5 })
    check("opts must be a table, got 3", { "a" }, 3)
    check('unknown key "tiemout" in opts', { "a" }, { tiemout = 1 })
    check('opts.timeout must be a number, got "5"', { "a" }, { timeout = "5" })
    check("opts.timeout must be a finite number > 0, got 0", { "a" }, { timeout = 0 })
    check("opts.stall must be a finite number > 0, got 0", { "a" }, { stall = 0 })
    check("opts.grace must be a finite number >= 0, got -1", { "a" }, { grace = -1 })
    check("opts.merge_stderr must be a boolean, got 1", { "a" }, { merge_stderr = 1 })
    check('opts.env has the bad name "A=B"', { "a" }, { env = { ["A=B"] = "x" } })
    check('opts.env has the bad name ""', { "a" }, { env = { [""] = "x" } })
    check("opts.env has the bad name 1", { "a" }, { env = { "A=B" } })
    check("opts.env.A must be a string without NUL, or false, got 5", { "a" }, { env = { A = 5 } })
    check('unknown key "on_done" in handlers', { "a" }, nil, { on_done = print })
    check("handlers.on_exit must be a function, got true", { "a" }, nil, { on_exit = true })
  end)
end)

describe("a process that cannot start", function()
  local function fails(argv, opts, message, code)
    local run = start(argv, opts)
    assert.is_nil(run.process)
    assert.equal(message, run.message)
    assert.equal(code, run.code)
    assert.equal(0, run.exits)
  end

  it("says what is missing", function()
    leaves_nothing(function()
      fails({ "no-such-program" }, nil, "cannot run no-such-program: there is no such program on the PATH", "ENOENT")
      fails({ "sh" }, { cwd = "/no/such" }, "cannot run in /no/such: ENOENT: no such file or directory", "ENOENT")
      fails({ "sh" }, { cwd = "/bin/sh" }, "cannot run in /bin/sh: ENOTDIR: not a directory", "ENOTDIR")
      fails({ "/" }, { merge_stderr = false }, "cannot run /: EACCES: permission denied", "EACCES")
    end)
  end)

  if not host.in_nvim then
    it("leaves nothing to pump, so that the host may exit", function()
      local before = resources.handles()
      start { "no-such-program" }
      assert.equal(before, resources.handles())
    end)
  end

  it("leaves nothing when it failed inside a callback", function()
    leaves_nothing(function()
      local code
      local p = process.spawn({ "true" }, nil, {
        on_exit = function()
          code = select(3, process.spawn { "no-such-program" })
        end,
      })
      host.wait(function()
        return p:is_done() and code ~= nil
      end, 30)
      assert.equal("ENOENT", code)
    end)
  end)

  if on_linux then
    it("because too many files are open says so, and leaves nothing", function()
      leaves_nothing(function()
        -- Take all that are left, then give back one at a time: each step of the start fails once.
        local taken = {}
        while #taken < 70000 do
          local fd = uv.fs_open("/dev/null", "r", 0)
          if not fd then break end
          taken[#taken + 1] = fd
        end
        local codes, run = {}, nil
        for _ = 1, 12 do
          run = start({ "true" }, { merge_stderr = false })
          if run.process or #taken == 0 then break end
          codes[#codes + 1] = run.code
          uv.fs_close(table.remove(taken))
        end
        for _, fd in ipairs(taken) do
          uv.fs_close(fd)
        end
        finish(run)
        assert.is_true(#codes > 3)
        for _, code in ipairs(codes) do
          assert.equal("EMFILE", code)
        end
      end)
    end)
  end
end)

describe("a handler that raises", function()
  it("does not end the host, and is reported", function()
    local chunks, done = 0, 0
    leaves_nothing(function()
      local p = process.spawn({ "sh", "-c", "echo a; sleep 0.05; echo b" }, nil, {
        on_output = function()
          chunks = chunks + 1
          error("output " .. chunks, 0)
        end,
        on_exit = function(outcome)
          done = done + 1
          assert.equal("output 1", outcome.handler_error)
          error("exit", 0)
        end,
      })
      host.wait(function()
        return p:is_done()
      end, 30)
      assert.equal("output 1", p.outcome.handler_error)
      assert.equal(0, p.outcome.code)
    end)
    assert.equal(2, chunks)
    assert.equal(1, done)
  end)

  it("is reported when it is on_exit itself", function()
    local p = process.spawn({ "true" }, nil, {
      on_exit = function()
        error("exit", 0)
      end,
    })
    host.wait(function()
      return p:is_done()
    end, 30)
    assert.equal("exit", p.outcome.handler_error)
  end)
end)

describe("many processes", function()
  it("leave neither handles nor descriptors", function()
    finish(start { "true" }) -- what the loop opens once
    leaves_nothing(function()
      for i = 1, random.some(100) do
        local run = run_to_end({ "sh", "-c", "echo x; exit 1" }, { timeout = 20, merge_stderr = i % 2 == 0 })
        assert.equal(1, run.outcome.code)
        assert.equal("x\n", run.text)
      end
    end)
  end)

  it("run side by side", function()
    leaves_nothing(function()
      local runs = {}
      for i = 1, 30 do
        runs[i] = start({ "sh", "-c", "echo " .. i .. "; seq 1 20000" }, { timeout = 20 })
      end
      for i = 1, 30 do
        finish(runs[i])
        assert.equal(i .. "\n1\n2\n", runs[i].text:sub(1, #tostring(i) + 5))
        assert.equal("\n20000\n", runs[i].text:sub(-7))
        assert.equal(1, runs[i].exits)
      end
    end)
  end)

  it("leave nothing after a timeout, a cancel or a background child", function()
    leaves_nothing(function()
      sh("exec sleep 30", { timeout = 0.02 })
      sh("trap '' TERM; while :; do sleep 0.02; done", { timeout = 0.02, grace = 0.02 })
      local run = sh("sleep 30 & echo $!", { linger = 0.02 })
      uv.kill(tonumber(run.text), "sigkill")
      run = start { "sleep", "30" }
      run.process:cancel()
      finish(run)
    end)
  end)
end)
