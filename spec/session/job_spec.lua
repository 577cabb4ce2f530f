local abridge = require "abridge"
local host = require "abridge.base.host"
local one_tool = require "support.one_tool"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

describe("a job", function()
  it("comes at once and is done later", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "sleep 0.05; echo end" }, {})
    assert.is_false(job:is_done())
    assert.is_nil(job.result)
    local result = job:wait()
    assert.equal("end\n", result.content)
    assert.is_true(job:is_done())
    assert.equal(result, job.result)
    assert.equal(result, job:wait()) -- again
  end)

  it("calls on_done once, with the result", function()
    local results = {}
    local job = abridge.session():call("run_command", { command = "echo hi" }, {
      on_done = function(result)
        results[#results + 1] = result
      end,
    })
    assert.equal(0, #results)
    local result = job:wait()
    assert.equal(1, #results)
    assert.equal(result, results[1])
  end)

  it("calls on_done also for what cannot be called", function()
    local seen
    local job = abridge.session():call("nope", {}, {
      on_done = function(result)
        seen = result
      end,
    })
    assert.equal("Unknown tool: nope", seen.content)
    assert.is_true(job:is_done())
  end)

  it("waits no longer than told, and goes on", function()
    local session = abridge.session()
    local dir = tmpdir.new()
    local command = ("until test -e %s; do sleep 0.01; done; echo end"):format(tmpdir.quote(dir:at "go"))
    local job = session:call("run_command", { command = command }, {})
    assert.is_nil(job:wait(0))
    assert.is_nil(job:wait(0.03)) -- and not until the command ends, which is for us to say
    assert.is_false(job:is_done())
    dir:write("go", "")
    assert.equal("end\n", job:wait(20).content)
    dir:remove()
  end)

  it("refuses seconds that are none, at the caller's line", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "true" }, {})
    for _, bad in ipairs { "x", -1, {} } do
      local ok, message = pcall(function()
        job:wait(bad)
      end)
      assert.is_false(ok)
      assert.matches("^[^:]*job_spec%.lua:%d+: .*seconds", message)
      ok, message = pcall(function()
        session:wait(bad)
      end)
      assert.is_false(ok)
      assert.matches("^[^:]*job_spec%.lua:%d+: .*seconds", message)
    end
    job:wait()
  end)

  it("raises what on_done raised where the host waits, once", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "echo hi" }, {
      on_done = function()
        error("in on_done", 0)
      end,
    })
    local ok, message = pcall(job.wait, job)
    assert.is_false(ok)
    assert.equal("in on_done", message)
    assert.equal("hi\n", job:wait().content)
  end)

  it("raises in session:wait what on_done raised", function()
    local session = abridge.session()
    session:call("run_command", { command = "true" }, {
      on_done = function()
        error("in on_done", 0)
      end,
    })
    local ok, message = pcall(session.wait, session)
    assert.is_false(ok)
    assert.equal("in on_done", message)
    assert.is_true(session:wait())
  end)

  it("raises in session:wait what on_done raised before the wait", function()
    local session = one_tool(function()
      return "at once"
    end)
    session:call("tool", {}, {
      on_done = function()
        error("in on_done", 0)
      end,
    })
    local ok, message = pcall(session.wait, session)
    assert.is_false(ok)
    assert.equal("in on_done", message)
  end)

  it("may start another from on_done", function()
    local session = abridge.session()
    local second
    session:call("run_command", { command = "echo one" }, {
      on_done = function()
        second = session:call("run_command", { command = "echo two" }, {})
      end,
    })
    session:wait()
    assert.equal("two\n", second:wait().content)
  end)
end)

describe("call ids", function()
  it("are given at the start, each its own", function()
    local session = one_tool(function(_, ctx)
      return ctx.call_id
    end)
    local ids = {}
    for i = 1, 3 do
      local result = session:call("tool", {})
      assert.equal(result.call_id, result.content)
      assert.is_nil(ids[result.call_id])
      ids[result.call_id] = i
    end
  end)

  it("are those that the host gave", function()
    local session = one_tool(function(_, ctx)
      return ctx.call_id
    end)
    local job = session:call("tool", {}, { id = "toolu_01" })
    assert.equal("toolu_01", job.call_id)
    assert.equal("toolu_01", job:wait().call_id)
    assert.equal("toolu_01", job:wait().content)
  end)

  it("are the same in equal runs", function()
    local function run()
      local session = one_tool(function()
        return "x"
      end)
      return session:call("tool", {}).call_id .. session:cap("other", "y").call_id .. session:call("tool", {}).call_id
    end
    assert.equal(run(), run())
  end)
end)

describe("cancel", function()
  it("of a command keeps what it printed so far", function()
    local session = abridge.session()
    local dir = tmpdir.new()
    local command = "echo so far; touch " .. tmpdir.quote(dir:at "started") .. "; exec sleep 60"
    local job = session:call("run_command", { command = command }, {})
    assert.is_true(waiting.eventually(function()
      return dir:read "started" ~= nil
    end))
    job:cancel()
    local result = job:wait(20)
    dir:remove()
    assert.equal("so far\n\nCommand aborted", result.content)
    assert.is_true(result.is_error)
    assert.is_true(result.details.cancelled)
    assert.is_false(result.truncation.truncated)
  end)

  it("of a command ends its whole group", function()
    local session = abridge.session()
    local dir = tmpdir.new()
    local command = ("sleep 60 & echo $! > %s; wait"):format(tmpdir.quote(dir:at "pid"))
    local job = session:call("run_command", { command = command }, {})
    assert.is_true(waiting.eventually(function()
      return (dir:read "pid" or ""):find "\n" ~= nil
    end))
    local pid = tonumber((dir:read "pid"))
    dir:remove()
    job:cancel()
    assert.is_true(job:wait(20).is_error)
    assert.is_true(waiting.eventually(function()
      return not resources.alive(pid)
    end))
  end)

  it("of a command that printed nothing", function()
    local job = abridge.session():call("run_command", { command = "exec sleep 60" }, {})
    job:cancel()
    local result = job:wait(20)
    assert.matches("Command aborted$", result.content)
    assert.is_true(result.is_error)
  end)

  it("of a foreign tool without a cancel function ends it at once", function()
    local finish, cancelled
    local session = one_tool(function(_, ctx, done)
      finish = function()
        cancelled = ctx.cancelled()
        done "too late"
      end
    end)
    local calls = 0
    local job = session:call("tool", {}, {
      on_done = function()
        calls = calls + 1
      end,
    })
    job:cancel()
    assert.is_true(job:is_done())
    assert.is_true(job.result.is_error)
    assert.matches("aborted", job.result.content)
    finish()
    assert.is_true(cancelled)
    assert.matches("aborted", job.result.content)
    assert.equal(1, calls)
  end)

  it("calls a foreign tool's cancel function once", function()
    local calls = 0
    local session = one_tool(function()
      return function()
        calls = calls + 1
      end
    end)
    local job = session:call("tool", {}, {})
    assert.equal(0, calls)
    job:cancel()
    job:cancel()
    assert.equal(1, calls)
    assert.is_true(job:is_done())
    assert.is_true(job.result.is_error)
  end)

  it("lets a cancel function that returns true say the last word", function()
    local session = one_tool(function(_, _, done)
      return function()
        waiting.later(5, function()
          done { content = "half of it", is_error = true }
        end)
        return true
      end
    end)
    local job = session:call("tool", {}, {})
    job:cancel()
    assert.is_false(job:is_done())
    assert.equal("half of it", job:wait(20).content)
    assert.is_true(job.result.is_error)
  end)

  it("survives a cancel function that raises", function()
    local session = one_tool(function()
      return function()
        error "no"
      end
    end)
    local job = session:call("tool", {}, {})
    job:cancel()
    assert.is_true(job:is_done())
    assert.is_true(job.result.is_error)
  end)

  it("of a job that is done does nothing", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "echo hi" }, {})
    job:wait()
    job:cancel()
    assert.equal("hi\n", job.result.content)
    assert.is_false(job.result.is_error)
  end)

  it("is seen by ctx.cancelled", function()
    local seen = {}
    local session = one_tool(function(_, ctx)
      seen[1] = ctx.cancelled()
      return function()
        seen[2] = ctx.cancelled()
      end
    end)
    session:call("tool", {}, {}):cancel()
    assert.same({ false, true }, seen)
  end)
end)

describe("several jobs", function()
  it("overlap", function()
    local session = abridge.session()
    local dir = tmpdir.new()
    local go = tmpdir.quote(dir:at "go")
    -- the first can end only when the second is done
    local waits = ("until test -e %s; do sleep 0.01; done; echo first"):format(go)
    local order = {}
    local function note(name)
      return {
        on_done = function()
          order[#order + 1] = name
          if name == "second" then dir:write("go", "") end
        end,
      }
    end
    local first = session:call("run_command", { command = waits, timeout = 30 }, note "first")
    local second = session:call("run_command", { command = "echo second" }, note "second")
    assert.is_true(session:wait(30))
    dir:remove()
    assert.equal("first\n", first:wait().content)
    assert.equal("second\n", second:wait().content)
    assert.same({ "second", "first" }, order)
  end)

  it("do not mix their output", function()
    local session = abridge.session()
    local jobs = {}
    for i = 1, 8 do
      jobs[i] = session:call("run_command", { command = ("for j in 1 2 3; do echo %d; done"):format(i) }, {})
    end
    session:wait()
    for i, job in ipairs(jobs) do
      assert.equal(("%d\n"):format(i):rep(3), job.result.content)
    end
  end)

  it("are waited for together, no longer than told", function()
    local session = abridge.session()
    assert.is_true(session:wait())
    local job = session:call("run_command", { command = "exec sleep 60" }, {})
    assert.is_false(session:wait(0.03))
    job:cancel()
    assert.is_true(session:wait(20))
  end)

  it("run on while a call blocks", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "echo background" }, {})
    assert.equal("front\n", session:call("run_command", { command = "sleep 0.2; echo front" }).content)
    assert.is_true(job:is_done())
  end)
end)

describe("a blocking call inside a callback of the loop", function()
  it("raises clearly and leaves nothing running", function()
    local session = abridge.session()
    local dir = tmpdir.new()
    local command = ("echo $$ > %s; exec sleep 60"):format(tmpdir.quote(dir:at "pid"))
    local ok, message
    waiting.later(1, function()
      ok, message = pcall(session.call, session, "run_command", { command = command })
    end)
    assert.is_true(waiting.eventually(function()
      return ok ~= nil
    end))
    assert.is_false(ok)
    assert.matches("callback", message)
    assert.matches("on_done", message)
    assert.is_true(session:wait(20))
    local pid = tonumber(dir:read "pid" or "")
    dir:remove()
    assert.is_true(pid == nil or not resources.alive(pid))
  end)

  it("works when there is nothing to wait for, but in a fast event of Neovim", function()
    local session = one_tool(function()
      return "at once"
    end)
    local result, file
    waiting.later(1, function()
      if host.in_nvim then -- callbacks of the host could not be called here
        file, result = pcall(session.call, session, "tool", {})
        return
      end
      result = session:call("tool", {})
      file = session:call("read_file", { path = "LICENSE", limit = 1 })
    end)
    assert.is_true(waiting.eventually(function()
      return file ~= nil
    end))
    if host.in_nvim then
      assert.is_false(file)
      return assert.matches("inside a callback of the event loop; use on_done", result)
    end
    assert.equal("at once", result.content)
    assert.is_false(file.is_error)
  end)

  it("is not needed: on_done works there", function()
    local session = abridge.session()
    local content
    waiting.later(1, function()
      session:call("run_command", { command = "echo hi" }, {
        on_done = function(result)
          content = result.content
        end,
      })
    end)
    assert.is_true(waiting.eventually(function()
      return content ~= nil
    end))
    assert.equal("hi\n", content)
  end)
end)

describe("ctx", function()
  it("hands updates to the host, cut by the tool's limits, at most every 100 ms", function()
    local updates = {}
    local session = one_tool(function(_, ctx, done)
      ctx.update(("long\n"):rep(1000))
      ctx.update "skipped"
      ctx.update "\255" -- the newest of those that came too soon is not lost
      waiting.later(250, function()
        ctx.update "later"
        done "end"
        ctx.update "after the end"
      end)
    end, nil, { limits = { tool = { strategy = "tail", max_lines = 3 } } })
    local job = session:call("tool", {}, {
      on_update = function(content, cut)
        updates[#updates + 1] = { content = content, cut = cut }
      end,
    })
    assert.equal("end", job:wait(20).content)
    assert.equal(3, #updates)
    assert.equal("long\nlong\nlong\n", updates[1].content)
    assert.is_true(updates[1].cut.truncated)
    assert.equal(1000, updates[1].cut.total_lines)
    assert.equal("\239\191\189", updates[2].content)
    assert.is_false(updates[2].cut.truncated)
    assert.equal("later", updates[3].content)
  end)

  it("takes updates that no one hears", function()
    local session = one_tool(function(_, ctx)
      ctx.update "x"
      return "end"
    end)
    assert.equal("end", session:call("tool", {}).content)
  end)

  it("keeps what on_update raises for the wait", function()
    local session = one_tool(function(_, ctx)
      ctx.update "x"
      return "end"
    end)
    local job = session:call("tool", {}, {
      on_update = function()
        error("in on_update", 0)
      end,
    })
    local ok, message = pcall(job.wait, job)
    assert.is_false(ok)
    assert.equal("in on_update", message)
    assert.equal("end", job:wait().content)
  end)

  it("spawns programs", function()
    local session = one_tool(function(_, ctx, done)
      ctx.spawn({ "printf", "%s|", "a b", "it's" }, {}, function(text, outcome)
        done(text .. outcome.code)
      end)
    end)
    assert.equal("a b|it's|0", session:call("tool", {}).content)
  end)

  it("starts programs in the session's folder, from which a relative cwd is seen", function()
    local function folder(cwd, opts)
      local session = one_tool(function(_, ctx, done)
        local child, why = ctx.spawn({ "pwd", "-P" }, opts, done)
        if not child then return why end
      end, nil, { cwd = cwd })
      return (session:call("tool", {}).content:gsub("\n$", ""))
    end
    local dir = tmpdir.new()
    local own = dir:sh("pwd -P"):gsub("\n$", "")
    dir:sh "mkdir -p a/b"
    assert.equal(own, folder(dir.path))
    assert.equal(own .. "/a", folder(dir.path, { cwd = "a" }))
    assert.equal(own .. "/a/b", folder(dir:at "a", { cwd = "./b" }))
    assert.equal("/", folder(dir.path, { cwd = "/" }))
    local root = folder "."
    assert.equal(root, folder "")
    assert.equal(root .. "/spec", folder "spec") -- seen from the host's folder
    assert.equal("cannot run in " .. dir:at "missing", folder(dir.path, { cwd = "missing" }):match "^[^:]+")
    dir:remove()
  end)

  it("says when a program cannot be started", function()
    local session = one_tool(function(_, ctx)
      local child, message, code = ctx.spawn({ "no-such-program" }, {}, function() end)
      return tostring(child) .. " " .. tostring(message) .. " " .. tostring(code)
    end)
    local content = session:call("tool", {}).content
    assert.matches("^nil ", content)
    assert.matches("no%-such%-program", content)
    assert.matches("ENOENT$", content)
  end)

  it("makes a result of what the end of a program raises", function()
    local session = one_tool(function(_, ctx)
      ctx.spawn({ "true" }, {}, function()
        error("cannot read its output", 0)
      end)
    end)
    local job = session:call("tool", {}, {})
    local result = job:wait(5)
    assert.is_truthy(result)
    assert.is_true(result.is_error)
    assert.equal("cannot read its output", result.content)
  end)

  it("has the folder, the limits and the paths of the session", function()
    local seen
    local session = one_tool(function(_, ctx)
      seen = { cwd = ctx.cwd, relative = ctx.path "a/b", absolute = ctx.path "/a/b", limits = ctx.limits }
      ctx.limits.max_lines = 0
      return "a\nb\n"
    end, nil, { cwd = "/usr", limits = { tool = { max_lines = 1 } } })
    local result = session:call("tool", {})
    assert.equal("/usr", seen.cwd)
    assert.equal("/usr/a/b", seen.relative)
    assert.equal("/a/b", seen.absolute)
    assert.equal(1, result.details.cut.output_lines) -- a tool cannot change its limits
    assert.equal(1, session:limits("tool").max_lines)
  end)
end)
