--- Children, and what they print: how they are started, read and ended.

local abridge = require "abridge"
local assert = require "luassert"
local host = require "abridge.base.host"
local inject = require "faults.inject"
local process = require "abridge.process"
local resources = require "support.resources"
local waiting = require "support.waiting"

local PIPE = inject.READ_PIPE
local MB = 1024 * 1024

--- The result of a command in a session that writes nothing.
local function run(t, command, opts, input)
  opts = opts or {}
  opts.run_dir, opts.cwd = false, t.dir.path
  input = input or {}
  input.command = command
  local session = abridge.session(opts)
  local result = session:call("run_command", input)
  session:close()
  abridge.assert_conforms("run_command", result)
  return result
end

local WAIT = "; until [ -e go ]; do sleep 0.01; done; "

--- The result of a command that WAITs until so many lines of it have come.
local function run_when_read(t, count, command)
  os.remove(t.dir:at "go")
  local session = abridge.session { run_dir = false, cwd = t.dir.path, profile = "pi" }
  local job = session:call("run_command", { command = command }, {
    on_update = function(_, cut)
      if cut.total_lines >= count then t.dir:write("go", "") end
    end,
  })
  local result = job:wait(30)
  session:close()
  return result
end

--- A child that was waited for.
local function child(argv, opts)
  local chunks, outcome = {}, nil
  local started, message, code = process.spawn(argv, opts, {
    on_output = function(chunk)
      chunks[#chunks + 1] = chunk
    end,
    on_exit = function(ended)
      outcome = ended
    end,
  })
  if not started then return nil, message, code end
  assert.is_true(host.wait(function()
    return outcome ~= nil
  end, 30))
  return outcome, table.concat(chunks)
end

local function cannot_start(t, rules, what)
  local result = t.with(rules, function()
    return run(t, "echo x")
  end)
  assert.is_true(result.is_error)
  assert.equal("Cannot run the command: cannot run sh: " .. what, result.content)
  assert.equal("x\n", run(t, "echo x").content)
end

return {
  {
    "no process can be forked",
    function(t)
      cannot_start(t, "fork=EAGAIN", "EAGAIN: resource temporarily unavailable")
      cannot_start(t, "fork=ENOMEM", "ENOMEM: not enough memory")
    end,
  },
  {
    "too many files are open for a command",
    function(t)
      cannot_start(t, "pipe=EMFILE", "EMFILE: too many open files")
      local result = t.forked("pipe#2=EMFILE", function() -- a libuv that spawns opens one alone
        return run(t, "echo x")
      end)
      if result.is_error then
        assert.equal("Cannot run the command: cannot run sh: EMFILE: too many open files", result.content)
      else
        assert.equal("x\n", result.content)
      end
    end,
  },
  {
    "the shell cannot be executed",
    function(t)
      -- the child counts for itself: it is forked with the rules
      local result = t.forked("exec=EACCES", function()
        return run(t, "echo x")
      end)
      assert.equal("Cannot run the command: cannot run sh: EACCES: permission denied", result.content)
    end,
  },
  {
    "output is read a few bytes at a time",
    function(t)
      -- of a pipe that nobody writes any more the loop takes less than it asked for as its end, and rightly so
      local result = t.with(PIPE .. "#1-100=short:7", function()
        return run_when_read(t, 2000, "seq 2000" .. WAIT .. "true")
      end)
      assert.equal(2000, result.details.cut.total_lines)
      assert.is_false(result.is_error)
      assert.equal("1\n2\n3\n", result.content:sub(1, 6))
      assert.equal("\n1999\n2000\n", result.content:sub(-11))
    end,
  },
  {
    "reading output is interrupted, or would block",
    function(t)
      local rules = ("%s#1-3=EINTR;%s#5-7=EAGAIN"):format(PIPE, PIPE)
      local result = t.with(rules, function()
        return run(t, "for i in 1 2 3 4 5; do seq 100000; sleep 0.02; done")
      end)
      assert.equal(500000, result.details.cut.total_lines)
      assert.is_false(result.is_error)
      assert.equal("\n99999\n100000", result.content:match "\n99999\n100000")
    end,
  },
  {
    "waiting for events is interrupted",
    function(t)
      local result = t.with("epoll#1-3=EINTR", function()
        return run(t, "seq 1000; sleep 0.1; echo end")
      end)
      assert.equal(1001, result.details.cut.total_lines)
      assert.is_false(result.is_error)
    end,
  },
  {
    "output cannot be read to its end",
    function(t)
      local result = t.with(PIPE .. "#2-=EIO", function()
        return run_when_read(t, 1, "echo first" .. WAIT .. "echo second")
      end)
      assert.is_true(result.is_error)
      assert.equal("first\n\nOutput incomplete: EIO", result.content)
      assert.equal("EIO", result.details.read_error)
      result = t.with(PIPE .. "#2-=EIO", function()
        return run_when_read(t, 1, "echo first" .. WAIT .. "echo second; exit 3")
      end)
      assert.equal("first\n\nCommand exited with code 3. Output incomplete: EIO", result.content)
      local started = host.now()
      result = t.with(PIPE .. "#2-=EIO", function()
        return run(t, "exec yes")
      end)
      assert.is_true(host.now() - started < 30000) -- who writes on is not left to wait for a reader
      assert.matches("\n\nCommand killed by signal PIPE%. Output incomplete: EIO", result.content)
    end,
  },
  {
    "a part of the output cannot be kept",
    function()
      local tool = require "abridge.tools.run_command"
      local function ended(write, finish)
        local value
        local stream = {
          write = function(self, chunk)
            self.count = (self.count or 0) + 1
            if self.count == 2 then return write(chunk) end
            return true
          end,
          read_fd = function(self, fd, most)
            local chunk, problem, code = require("abridge.core").read_fd(fd, most)
            if not chunk then return nil, problem, code end
            if chunk == "" then return 0 end
            local kept
            kept, problem, code = self:write(chunk)
            return kept and #chunk, problem, code
          end,
        }
        stream.finish, stream.lower = finish, function() end
        local ctx = { limits = { output = finish and "auto" }, timeout = 20, update = function() end }
        function ctx.stream()
          return stream
        end
        tool.execute({ command = "echo a; sleep 0.1; echo b; sleep 0.1; echo c" }, ctx, function(given)
          value = given
        end)
        assert.is_true(host.wait(function()
          return value ~= nil
        end, 20))
        assert.is_true(stream.count >= 2) -- one that raised is not asked again
        assert.is_true(value.is_error)
        return value.exit
      end
      local full = ended(function()
        return nil, "out of memory", "ENOMEM"
      end)
      assert.equal("Output incomplete: out of memory", full)
      assert.equal("Output incomplete: a part could not be kept", ended(error))
      local function kept()
        return true
      end
      local function no_memory()
        error("stream:finish: out of memory", 0)
      end
      assert.equal("Output incomplete: out of memory", ended(kept, no_memory))
    end,
  },
  {
    "a command is killed",
    function(t)
      local result = run(t, "echo before; kill -KILL $$")
      assert.is_true(result.is_error)
      assert.equal("before\n\nCommand killed by signal KILL", result.content)
    end,
  },
  {
    "a part of a pipeline is killed",
    function(t)
      local result = run(t, "{ echo before; kill -KILL $(sh -c 'echo $PPID'); } | cat; echo after")
      assert.matches("before\n", result.content) -- and, before or after it, what the shell has to say
      assert.equal("\nafter\n", result.content:sub(-7))
      assert.is_false(result.is_error)
    end,
  },
  {
    "a command writes into a pipe that nobody reads",
    function(t)
      local result = run(t, "yes | head -n 1")
      assert.equal("y\n", result.content)
      assert.is_false(result.is_error)
      result = run(t, "echo before; kill -PIPE $$")
      assert.equal("before\n\nCommand killed by signal PIPE", result.content)
    end,
  },
  {
    "a command writes for ever",
    function(t)
      run(t, "yes | head -c 64M")
      collectgarbage()
      local before, started = resources.resident(), host.now()
      local result = run(t, "yes 'a line that comes again and again'", nil, { timeout = 0.5 })
      assert.is_true(host.now() - started < 30000)
      assert.is_true(resources.resident() - before < 8 * MB)
      assert.is_true(result.is_error and result.details.timed_out)
      assert.is_true(#result.content <= 30720)
      local ending = "\n\nCommand timed out after 0.5 seconds\n\n%[Showing %d+ of %d+ lines %(30KB limit%)%]$"
      assert.matches(ending, result.content)
      assert.is_true(result.details.cut.total_lines > 10000)
    end,
  },
  {
    "a command prints one line without end",
    function(t)
      local bytes = 256 * MB
      run(t, "head -c 64M /dev/zero | tr '\\0' x")
      collectgarbage()
      local before = resources.resident()
      local result = run(t, ("head -c %d /dev/zero | tr '\\0' x; printf END"):format(bytes), { profile = "pi" })
      assert.is_true(resources.resident() - before < 8 * MB)
      assert.same({ 1, bytes + 3 }, { result.details.cut.total_lines, result.details.cut.total_bytes })
      assert.matches("^x+END\n\n%[Showing last 29.%dKB of line 1 %(line is 256MB%)%]$", result.content)
      assert.is_true(#result.content <= 30720)
    end,
  },
  {
    "a command forks, and its children write on",
    function(t)
      local started = host.now()
      local command = "for i in $(seq 50); do (while :; do echo $i; done) & echo $! >> pids; done; wait"
      local result = waiting.with_time(0.3, function(timeout)
        return run(t, command, nil, { timeout = timeout }), t.dir:read "pids" ~= nil
      end)
      assert.is_true(host.now() - started < 30000)
      assert.is_true(result.details.timed_out)
      local count = 0
      for pid in t.dir:read("pids"):gmatch "%d+" do
        count = count + 1
        assert.is_true(t.eventually(function()
          return not resources.alive(pid)
        end))
      end
      assert.is_true(count > 0)
    end,
  },
  {
    "a command leaves a daemon behind that holds its output",
    function(t)
      local started = host.now()
      local result = run(t, "setsid sh -c 'echo $$ > pid; exec sleep 60' & while [ ! -s pid ]; do :; done; echo done")
      local pid = assert(t.dir:read("pid"):match "%d+")
      local lives = resources.alive(pid)
      assert.equal(0, host.uv().kill(tonumber(pid), "sigkill"))
      assert.is_true(lives)
      assert.is_true(host.now() - started < 30000)
      assert.equal("done\n\n[A background process still holds the output]", result.content)
      assert.is_false(result.is_error)
    end,
  },
  {
    "a command closes its output early",
    function(t)
      local result = run(t, "echo before; exec >&- 2>&-; sleep 0.2; exit 4")
      assert.equal("before\n\nCommand exited with code 4", result.content)
      assert.is_true(result.duration_ms >= 190)
    end,
  },
  {
    "a command is stopped, and heeds no signal but one",
    function()
      local argv = { "sh", "-c", "echo before; kill -STOP $$; echo never" }
      local outcome, text = child(argv, { timeout = 0.2, grace = 0.2 })
      assert.equal("before\n", text)
      assert.same({ true, "KILL" }, { outcome.timed_out, outcome.signal })
    end,
  },
  {
    "a command's folder is removed before it starts",
    function(t)
      local result = run(t, "echo x", nil, { cwd = t.dir:at "gone" })
      assert.is_true(result.is_error)
      local what = ("cannot run in %s: ENOENT: no such file or directory"):format(t.dir:at "gone")
      assert.equal("Cannot run the command: " .. what, result.content)
    end,
  },
}
