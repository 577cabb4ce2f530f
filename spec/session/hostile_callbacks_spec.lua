-- Callbacks that raise, yield or come back, and objects used where they should not be.
local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()

local YIELDS = "attempt to yield"

local function boom()
  error("boom", 0)
end

--- A session with a tool "later", which ends when `last.done` is called.
local function with_later(opts)
  local session, last = assert(abridge.session(opts)), {}
  session:register {
    name = "later",
    execute = function(_, ctx, done)
      last.ctx, last.done = ctx, done
    end,
  }
  return session, last
end

--- Run `fn` in a coroutine until it ends; what it yields on the way is an error.
local function in_coroutine(fn)
  local thread = coroutine.create(fn)
  local ok, value = coroutine.resume(thread)
  if not ok then error(value, 0) end
  assert.equal("dead", coroutine.status(thread), "it yielded")
  return value
end

describe("a callback that yields", function()
  local function session_with(key)
    local session = assert(abridge.session(key and { [key] = coroutine.yield } or {}))
    session:register {
      name = "t",
      execute = function()
        return "ran"
      end,
    }
    session:register {
      name = "yields",
      execute = function()
        return coroutine.yield "out"
      end,
    }
    return session
  end

  it("as execute or approve is an error result on every host, inside a coroutine and out of it", function()
    for _, call in ipairs {
      in_coroutine,
      function(fn)
        return fn()
      end,
    } do
      local result = call(function()
        return session_with():call("yields", {})
      end)
      assert.is_true(result.is_error)
      assert.equal(YIELDS, result.content:sub(1, #YIELDS))
      result = call(function()
        return session_with("approve"):call("t", {})
      end)
      assert.is_true(result.is_error)
      assert.equal("Not approved: " .. YIELDS, result.content:sub(1, #YIELDS + 14))
    end
  end)

  it("as on_event, on_done or on_update is told where the host waits", function()
    in_coroutine(function()
      local session = session_with "on_event"
      local ok, message = pcall(session.call, session, "t", {})
      assert.is_false(ok)
      assert.equal(YIELDS, message:sub(1, #YIELDS))
      session = session_with()
      local job = session:call("t", {}, { on_done = coroutine.yield })
      assert.equal("ran", job.result.content)
      ok, message = pcall(job.wait, job)
      assert.is_false(ok)
      assert.equal(YIELDS, message:sub(1, #YIELDS))
      session:register {
        name = "shows",
        execute = function(_, ctx)
          ctx.update "so far"
          return "all"
        end,
      }
      job = session:call("shows", {}, { on_update = coroutine.yield })
      assert.equal("all", job.result.content)
      assert.is_false(pcall(session.wait, session))
      session:close()
    end)
  end)

  it("as redact, count_tokens or a cancel function shows and counts nothing", function()
    in_coroutine(function()
      assert.equal("[redacted]", session_with("redact"):call("t", {}).content)
      local session = abridge.session { limits = { t = { max_tokens = 9, count_tokens = coroutine.yield } } }
      local result = session:cap("t", "text")
      assert.equal("text", result.content)
      assert.truthy(result.details.inner_error:find(YIELDS, 1, true))
      session:register {
        name = "stops",
        execute = function()
          return coroutine.yield
        end,
      }
      local job = session:call("stops", {}, {})
      job:cancel()
      assert.equal("Tool stops was aborted", job.result.content)
    end)
  end)
end)

describe("a session in a coroutine", function()
  it("calls, waits, updates and closes there, and goes on when the coroutine is gone", function()
    local session = assert(abridge.session())
    local job
    local updates = 0
    in_coroutine(function()
      assert.equal("hi\n", session:call("run_command", { command = "echo hi" }).content)
      local opts = {
        on_update = function()
          updates = updates + 1
        end,
      }
      local other = session:call("run_command", { command = "echo hi; sleep 0.05; echo ho" }, opts)
      assert.equal("hi\nho\n", other:wait().content)
      job = session:call("run_command", { command = "sleep 0.05; echo later" }, {})
    end)
    collectgarbage()
    collectgarbage()
    assert.is_true(updates > 0)
    assert.equal("later\n", job:wait().content)
    in_coroutine(function()
      session:close()
    end)
    assert.equal("The session is closed", session:call("run_command", { command = "true" }).content)
  end)
end)

describe("a job", function()
  it("ends once, whoever ends it again while it ends", function()
    local events, ended = {}, 0
    local job, session, last
    session, last = with_later {
      on_event = function(event)
        events[#events + 1] = event.type
        if event.type == "tool_result" then
          last.done "again"
          job:cancel()
        end
      end,
    }
    job = session:call("later", {}, {
      on_done = function()
        ended = ended + 1
        last.done "and again"
      end,
    })
    last.done "first"
    assert.equal("first", job:wait().content)
    assert.same({ "tool_call", "tool_result" }, events)
    assert.equal(1, ended)
    session:close()
  end)

  it("ends once when its counter, its redaction or its cancel function ends it", function()
    local last, session
    local function ends()
      last.done "again"
      return 1
    end
    session, last = with_later {
      limits = { later = { max_tokens = 5, count_tokens = ends } },
      redact = function(line)
        last.done "again"
        return line
      end,
    }
    local job = session:call("later", {}, {})
    last.done "first"
    assert.equal("first", job.result.content)
    session:register {
      name = "stops",
      execute = function(_, _, done)
        return function()
          done "stopped"
        end
      end,
    }
    job = session:call("stops", {}, {})
    job:cancel()
    assert.equal("stopped", job.result.content)
  end)

  it("that is over takes no update, and starts streams that harm nothing", function()
    local updates = 0
    local session, last = with_later()
    local job = session:call("later", {}, {
      on_update = function()
        updates = updates + 1
      end,
    })
    last.done "over"
    local stream = last.ctx.stream()
    session:close()
    assert.is_true(stream:write "text")
    last.ctx.update(stream)
    last.ctx.update "text"
    stream:close()
    last.ctx.update(stream)
    assert.equal(0, updates)
    assert.is_false(last.ctx.cancelled())
    last.done "again"
    job:cancel()
    assert.equal("over", job:wait(0).content)
  end)
end)

describe("a call inside a call", function()
  it("works from execute, approve, on_event, on_update and on_done", function()
    local session
    local events = 0
    session = assert(abridge.session {
      approve = function(tool)
        return tool == "inner" or session:call("inner", {}).content == "in"
      end,
      on_event = function(event)
        events = events + 1
        if event.tool == "outer" then assert.equal("in", session:call("inner", {}).content) end
      end,
    })
    local seen = {}
    session:register {
      name = "inner",
      execute = function()
        return "in"
      end,
    }
    session:register {
      name = "outer",
      execute = function(_, ctx)
        ctx.update "so far"
        return "out and " .. session:call("inner", {}).content
      end,
    }
    local job = session:call("outer", {}, {
      on_update = function(content)
        seen[1] = content .. session:call("inner", {}).content
      end,
      on_done = function()
        seen[2] = session:call("inner", {}).content
      end,
    })
    assert.equal("out and in", job:wait().content)
    assert.same({ "so farin", "in" }, seen)
    assert.equal(2 + 2 * 6, events)
    session:close()
  end)

  it("stops at ten, in words, however often each calls", function()
    local session = assert(abridge.session())
    local calls = 0
    session:register {
      name = "t",
      execute = function()
        calls = calls + 1
        session:call("t", {})
        return session:call("t", {}).content
      end,
    }
    assert.equal("Not called: calls are nested more than 10 deep", session:call("t", {}).content)
    assert.equal(2 ^ 11 - 1, calls)
    session:register {
      name = "caps",
      execute = function()
        return "cap"
      end,
    }
    assert.equal("cap", session:call("caps", {}).content)
  end)

  it("stops at ten for what on_event or approve calls", function()
    local session
    local heard = 0
    session = assert(abridge.session {
      on_event = function()
        heard = heard + 1
        session:cap("t", "text")
      end,
    })
    assert.equal("text", session:cap("t", "text").content)
    assert.equal(2 ^ 11 - 2, heard)
    local asked = 0
    session = assert(abridge.session {
      approve = function()
        asked = asked + 1
        local result = session:call("list_directory", {})
        return not result.is_error, result.content
      end,
    })
    local content = session:call("list_directory", {}).content
    assert.equal("Not called: calls are nested more than 10 deep", content:sub(-46))
    assert.equal(11, asked)
  end)

  it("of what redacts, from the function that redacts, hides the line", function()
    local session, inner
    session = assert(abridge.session {
      redact = function(line)
        inner = session:cap("t", "one\ntwo\nthree\nfour")
        return line
      end,
    })
    local result = session:cap("t", "one\ntwo\nthree\nfour")
    assert.equal("one\ntwo\nthree\nfour", result.content)
    assert.equal("[redacted]\n[redacted]\n[redacted]\n[redacted]", inner.content)
    assert.is_true(inner.details.redact_error)
  end)
end)

describe("an update", function()
  it("that writes to its own stream, looks at it and closes it", function()
    local session = assert(abridge.session())
    local stream
    session:register {
      name = "t",
      execute = function(_, ctx)
        stream = ctx.stream()
        stream:write "first\n"
        ctx.update(stream)
        stream:write "last\n"
        return stream
      end,
    }
    local seen = {}
    local job = session:call("t", {}, {
      on_update = function(content)
        seen[#seen + 1] = content
        assert.is_true(stream:write "from on_update\n")
        seen[#seen + 1] = (stream:snapshot())
      end,
    })
    assert.equal("first\nfrom on_update\nlast\n", job:wait().content)
    assert.same({ "first\n", "first\nfrom on_update\n" }, seen)
    job = session:call("t", {}, {
      on_update = function()
        stream:close()
      end,
    })
    assert.is_true(job.result.is_error)
    assert.equal("stream:write: the stream is closed", job.result.content:match "[^ ]*: the stream is closed$")
    session:close()
  end)

  it("that takes long and asks for another does not pile up", function()
    local session = assert(abridge.session())
    local deep, deepest, told = 0, 0, 0
    session:register {
      name = "t",
      execute = function(_, ctx, done)
        local timer = uv.new_timer()
        uv.timer_start(timer, 0, 5, function()
          ctx.update "text"
          if told < 3 then return end
          uv.close(timer)
          done "done"
        end)
        session.again = ctx.update
      end,
    }
    local job = session:call("t", {}, {
      on_update = function()
        deep, told = deep + 1, told + 1
        deepest = math.max(deepest, deep)
        local until_then = uv.hrtime() + 1.1e8
        while uv.hrtime() < until_then do
        end
        if told < 20 then session.again "more" end
        deep = deep - 1
      end,
    })
    assert.equal("done", job:wait(20).content)
    assert.equal(1, deepest)
    session:close()
  end)
end)

describe("session:close", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    dir:remove()
  end)

  --- The run's folder is free for another session.
  local function is_let_go()
    local again, message = abridge.session { run_dir = dir:at "run" }
    assert(again, message)
    again:close()
  end

  it("lets go of the run though a callback raised, and tells what it raised", function()
    local session, last = with_later { run_dir = dir:at "run" }
    session:call("later", {}, { on_done = boom })
    local ok, message = pcall(session.close, session)
    assert.is_false(ok)
    assert.equal("boom", message)
    is_let_go()
    session:close()
    last.done "too late"
  end)

  it("inside a callback of the loop lets go of the run once the last job has ended", function()
    local session = assert(abridge.session { run_dir = dir:at "run" })
    local job = session:call("run_command", { command = "echo said; sleep 9" }, {
      on_update = function()
        session:close()
      end,
    })
    assert.equal("said\n\nCommand aborted", job:wait(5).content)
    is_let_go()
    session:close()
  end)

  it("inside every callback ends the call and nothing else", function()
    for _, place in ipairs { "execute", "approve", "on_event", "on_update", "on_done", "redact", "cancel" } do
      local session
      local done = false
      local function close(value)
        if not done and session then
          done = true
          session:close()
        end
        return value
      end
      local opts = { run_dir = dir:at "run" }
      if place == "approve" then opts.approve = function()
        return close(true)
      end end
      if place == "on_event" then opts.on_event = function()
        close()
      end end
      if place == "redact" then opts.redact = close end
      session = assert(abridge.session(opts))
      session:register {
        name = "t",
        execute = function(_, ctx)
          if place == "execute" then close() end
          if place == "on_update" then ctx.update "so far" end
          if place == "cancel" then
            return function()
              close()
            end
          end
          return "ran"
        end,
      }
      local call_opts = { on_done = place == "on_done" and close or nil }
      if place == "on_update" then call_opts.on_update = function()
        close()
      end end
      local job = session:call("t", {}, call_opts)
      if place == "cancel" then job:cancel() end
      local content = job:wait(5).content
      local expected = { on_done = "ran", redact = "ran", on_event = "The session is closed" }
      assert.equal(expected[place] or "Tool t was aborted", content, place)
      assert.is_true(done, place)
      is_let_go()
    end
  end)

  it("while callbacks start one call after the other still ends", function()
    local session, last = with_later { run_dir = dir:at "run" }
    local closed = 0
    for _ = 1, 20 do
      session:call("later", {}, {
        on_done = function()
          for _ = 1, 5 do
            local job = session:call("later", {}, {})
            if job.result.content == "The session is closed" then closed = closed + 1 end
          end
        end,
      })
    end
    session:close()
    assert.equal(100, closed)
    assert.is_function(last.done)
    is_let_go()
  end)

  it("is followed by answers, not errors", function()
    local session = assert(abridge.session { run_dir = dir:at "run" })
    session:cap("t", ("line\n"):rep(5000))
    session:close()
    session:close()
    assert.equal("The session is closed", session:call("read_file", { path = "x" }).content)
    assert.equal("The session is closed", session:cap("t", "text").content)
    assert.equal("The session is closed", session:call("t", {}, {}):wait().content)
    assert.is_true(session:wait())
    assert.is_true(#session:definitions "mcp" > 0)
    assert.is_table(session:limits "t")
    assert.equal(2, #session:events())
    assert.equal("line\nline\n", session:full_output("call-1", { limit = 2 }) .. "\n")
    session:register { name = "late", execute = boom }
    assert.equal("The session is closed", session:call("late", {}).content)
  end)
end)

describe("session:wait inside a tool", function()
  it("does not wait for that tool, and lets it end", function()
    local session, last = with_later()
    local job
    session:register {
      name = "waits",
      execute = function()
        local timer = uv.new_timer()
        uv.timer_start(timer, 1, 0, function()
          uv.close(timer)
          last.done "later"
        end)
        return tostring(session:wait(5)) .. tostring(job:is_done())
      end,
    }
    job = session:call("later", {}, {})
    assert.equal("falsetrue", session:call("waits", {}).content)
    session:close()
  end)

  it("in a callback of the loop raises, and all goes on", function()
    local session, last = with_later()
    local raised
    local job = session:call("later", {}, {})
    local timer = uv.new_timer()
    uv.timer_start(timer, 1, 0, function()
      uv.close(timer)
      raised = { pcall(session.wait, session) }
    end)
    assert.is_true(waiting.eventually(function()
      return raised
    end))
    assert.is_false(raised[1])
    assert.truthy(raised[2]:find("cannot wait inside a callback of the event loop; use on_done", 1, true))
    last.done "fine"
    assert.equal("fine", job:wait().content)
    session:close()
  end)
end)

describe("an object after its close", function()
  it("refuses in words, or answers, and closes again", function()
    local stream = abridge.stream { strategy = "tail", max_lines = 1 }
    stream:close()
    stream:close()
    for method, argument in pairs { write = "text", snapshot = {}, finish = {}, preview = "text" } do
      local ok, message = pcall(stream[method], stream, argument)
      assert.is_false(ok)
      assert.equal(("stream:%s: the stream is closed"):format(method), message:match "stream:.*$")
    end
    assert.equal("abridge.stream (closed)", tostring(stream))

    local core = require "abridge.core"
    local cleaner = core.cleaner()
    cleaner:close()
    cleaner:close()
    for method, argument in pairs { write = "text", pending = false, finish = false } do
      local ok, message = pcall(cleaner[method], cleaner, argument or nil)
      assert.is_false(ok)
      assert.truthy(message:find("the cleaner is closed", 1, true))
    end

    local dir = tmpdir.new()
    local log = assert(core.log(dir:at "folder", "log"))
    log:close()
    log:close()
    assert.truthy(select(2, pcall(log.append, log, "x")):find("the log is closed", 1, true))
    assert.is_false(pcall(log.size, log))

    local page = assert(core.page_text("text", { max_lines = 1 }))
    page:close()
    page:close()
    for _, method in ipairs { "snapshot", "finish", "read", "about" } do
      assert.truthy(select(2, pcall(page[method], page, 1, 1)):find("the page is closed", 1, true), method)
    end

    local session = abridge.session { run_dir = dir:at "run" }
    session:cap("t", "text")
    session:close()
    local run = assert(abridge.open_run(dir:at "run"))
    run:close()
    run:close()
    for _, method in ipairs { "events", "each" } do
      local events, message, code = run[method](run, method == "each" and function() end or nil)
      assert.is_nil(events)
      assert.equal("The run is closed", message)
      assert.equal("EBADF", code)
    end
    dir:remove()
  end)

  it("is none of another kind", function()
    local stream = abridge.stream { strategy = "tail", max_lines = 1 }
    local index = abridge.index()
    assert.is_false(pcall(stream.write, index, "text"))
    assert.is_false(pcall(stream.close, io.stdout))
    assert.is_false(pcall(stream.close, {}))
    assert.is_false(pcall(stream.close))
    stream:close()
  end)
end)

describe("a counter of tokens", function()
  it("that writes, cuts, finishes or closes its own stream is refused, and the stream goes on", function()
    local stream, raised
    local calls = { write = "text", snapshot = {}, finish = {}, close = false }
    stream = abridge.stream {
      strategy = "tail",
      max_tokens = 3,
      count_tokens = function(text)
        raised = {}
        for method, argument in pairs(calls) do
          local ok, message = pcall(stream[method], stream, argument or nil)
          raised[method] = not ok and message:match "stream:.*$"
        end
        return #text
      end,
    }
    stream:write "abcdef"
    assert.equal("def", (stream:snapshot()))
    for method in pairs(calls) do
      assert.equal(("stream:%s: the stream is being cut"):format(method), raised[method])
    end
    stream:write "gh"
    assert.equal("fgh", (stream:finish()))
    stream:close()
  end)
end)
