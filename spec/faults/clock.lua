--- A wall clock that jumps: nothing waits by it, and nothing is numbered by it.

local abridge = require "abridge"
local assert = require "luassert"
local environment = require "support.environment"
local host = require "abridge.base.host"
local prune = require("abridge.run.retention").prune

local DAY = 86400

local function run(t, command, timeout)
  local session = abridge.session { run_dir = false, cwd = t.dir.path }
  local result = session:call("run_command", { command = command, timeout = timeout })
  session:close()
  return result
end

--- A run that was written an hour ago, and is nobody's now.
local function old_run(t, name)
  local session = assert(abridge.session { run_dir = t.dir:at("runs/" .. name) })
  session:cap("tool", ("x"):rep(50000))
  session:close()
  t.dir:sh(("touch -d '1 hour ago' runs/%s/events.jsonl runs/%s/artifacts/*"):format(name, name))
end

--- What is due while a command runs: the time, told from outside.
local function seconds(fn)
  local started = host.now()
  local value = fn()
  return (host.now() - started) / 1000, value
end

return {
  {
    "the clock jumps forward while a command runs",
    function(t)
      local took, result = seconds(function()
        return t.with(("clock=add:%d"):format(DAY), function()
          return run(t, "sleep 0.3; date +%s", 60)
        end)
      end)
      assert.is_false(result.is_error)
      assert.is_true(took < 10 and result.duration_ms >= 290 and result.duration_ms < 10000)
    end,
  },
  {
    "the clock jumps back while a command runs",
    function(t)
      local took, result = seconds(function()
        return t.with(("clock=add:%d"):format(-DAY), function()
          os.time()
          return run(t, "sleep 30", 0.3)
        end)
      end)
      assert.is_true(result.details.timed_out)
      assert.equal("(no output)\n\nCommand timed out after 0.3 seconds", result.content)
      assert.is_true(took < 10 and result.duration_ms < 10000)
    end,
  },
  {
    "the clock jumps while somebody waits for a job",
    function(t)
      for _, gained in ipairs { DAY, -DAY } do
        local session = abridge.session { run_dir = false }
        local job = session:call("run_command", { command = "sleep 30" }, {})
        local took, result = seconds(function()
          return t.with(("clock=add:%d"):format(gained), function()
            os.time()
            return job:wait(0.2)
          end)
        end)
        assert.is_nil(result)
        assert.is_true(took >= 0.19 and took < 10)
        job:cancel()
        session:close()
      end
    end,
  },
  {
    "the clock jumps back between two events",
    function(t)
      local session = assert(abridge.session { run_dir = t.dir:at "run" })
      session:cap("tool", "first")
      t.with(("clock=add:%d"):format(-DAY), function()
        session:cap("tool", "second")
      end)
      local events = assert(session:events())
      for i, event in ipairs(events) do
        assert.equal(i, event.seq)
      end
      assert.equal(4, #events)
      local gone = events[2].time - events[3].time
      assert.is_true(gone > DAY - 60 and gone < DAY + 60)
      local since = session:events { since = 2 }
      assert.same({ 3, 4 }, { since[1].seq, since[2].seq })
      session:close()
    end,
  },
  {
    "the clock jumps forward over the age of runs",
    function(t)
      old_run(t, "a")
      old_run(t, "b")
      local held = assert(abridge.session { run_dir = t.dir:at "runs/b" })
      local removed = t.with(("clock=add:%d"):format(10 * DAY), function()
        return prune(t.dir:at "runs", { max_age = "7d" })
      end)
      assert.equal(1, removed)
      assert.equal("b\n", (t.dir:sh "ls runs"))
      held:cap("tool", "goes on")
      assert.equal(4, #held:events())
      held:close()
    end,
  },
  {
    "the clock jumps back to before the runs",
    function(t)
      old_run(t, "a")
      old_run(t, "b")
      t.dir:sh "touch -d '2 hours ago' runs/b/events.jsonl runs/b/artifacts/*"
      t.with(("clock=add:%d"):format(-10 * DAY), function()
        assert.equal(0, prune(t.dir:at "runs", { max_age = "1s" }))
        assert.equal(1, prune(t.dir:at "runs", { max_bytes = 120000 }))
      end)
      assert.equal("a\n", (t.dir:sh "ls runs"))
    end,
  },
  {
    "the clock jumps back between two runs of the state directory",
    function(t)
      environment.with({ ABRIDGE_STATE_DIR = t.dir:at "state" }, function()
        for _, gained in ipairs { 0, -DAY, -DAY } do
          t.with(("clock=add:%d"):format(gained), function()
            local session = abridge.session()
            session:cap("tool", ("x"):rep(200000))
            session:close()
          end)
        end
      end)
      assert.equal("3\n", (t.dir:sh "ls state | wc -l"))
      assert.equal("600000\n", (t.dir:sh "cat state/*/artifacts/* | wc -c"))
    end,
  },
  {
    "a file is younger than the clock says",
    function(t)
      local index = abridge.index()
      local first = ("a line\n"):rep(20000)
      for i, text in ipairs { first, (first:gsub("a line\n", "al\nine\n")) } do
        local path = t.dir:write("f.txt", text)
        t.dir:sh "touch -d '2040-01-01' f.txt" -- both look the same, and may have been written in one tick
        local _, cut = abridge.page(path, { index = index, max_lines = 1, offset = 3 })
        assert.equal(i == 1 and 20000 or 40000, cut.total_lines)
      end
    end,
  },
}
