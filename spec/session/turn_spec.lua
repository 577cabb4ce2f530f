-- What the message builders share: in which order calls are made, waiting, cancelling, and that a failure inside
-- becomes a message.
local abridge = require "abridge"
local host = require "abridge.base.host"
local openai = require "abridge.openai"
local reply = require("support.conversation").reply
local tmpdir = require "support.tmpdir"
local turn = require "abridge.session.turn"

local function contents(messages)
  local list = {}
  for i, message in ipairs(messages) do
    list[i] = message.tool_call_id .. " " .. message.content
  end
  return list
end

describe("a turn", function()
  local session, log, finish

  before_each(function()
    log, finish = {}, {}
    session = abridge.session { tools = { "run_command" }, run_dir = false }
    session:register {
      name = "now",
      execute = function()
        log[#log + 1] = "now"
        return "at once"
      end,
    }
    session:register {
      name = "later",
      execute = function(_, ctx, done)
        log[#log + 1] = "start " .. ctx.call_id
        finish[ctx.call_id] = function(value)
          log[#log + 1] = "end " .. ctx.call_id
          done(value)
        end
      end,
    }
  end)

  after_each(function()
    for _, end_it in pairs(finish) do
      end_it "over"
    end
    pcall(session.close, session)
  end)

  it("makes one call after the other, and tells when all are done", function()
    local told = {}
    local going = openai.results(session, reply({ "later" }, { "now" }, { "later" }), {
      on_done = function(messages)
        told[#told + 1] = messages
      end,
    })
    assert.same({ "start id1" }, log)
    finish.id1 "first"
    assert.same({ "start id1", "end id1", "now", "start id3" }, log)
    assert.same({}, told)
    assert.is_nil(going.messages)
    finish.id3 "third"
    assert.equal(1, #told)
    assert.same({ "id1 first", "id2 at once", "id3 third" }, contents(told[1]))
    assert.equal(told[1], going.messages)
  end)

  it("makes all calls at once where told to, and keeps their order in the messages", function()
    local told
    openai.results(session, reply({ "later" }, { "later" }, { "now" }), {
      parallel = true,
      on_done = function(messages)
        told = messages
      end,
    })
    assert.same({ "start id1", "start id2", "now" }, log)
    finish.id2 "second"
    assert.is_nil(told)
    finish.id1 "first"
    assert.same({ "id1 first", "id2 second", "id3 at once" }, contents(told))
  end)

  it("makes hundreds of calls that end at once, none inside another", function()
    local calls = {}
    for i = 1, 500 do
      calls[i] = { "now" }
    end
    local messages = openai.results(session, reply((table.unpack or unpack)(calls)))
    assert.equal(500, #messages)
    for i, message in ipairs(messages) do
      assert.equal("at once", message.content, i)
    end
    assert.equal(500, #log)
  end)

  it("tells of a reply without calls too, once", function()
    local told = 0
    openai.results(session, reply(), {
      on_done = function(messages)
        told = told + 1
        assert.same({}, messages)
      end,
    })
    assert.equal(1, told)
  end)

  it("blocks until commands are done, side by side where told to", function()
    if not host.uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    local meet = [[{"command":"cd %s; touch %s; until [ -e %s ]; do sleep 0.01; done; echo met","timeout":20}]]
    local function call(mine, other)
      return { "run_command", meet:format(dir.path, mine, other) }
    end
    local messages = openai.results(session, reply(call("a", "b"), call("b", "a")), { parallel = true })
    dir:remove()
    assert.same({ "id1 met\n", "id2 met\n" }, contents(messages))
    messages = openai.results(
      session,
      reply({ "run_command", '{"command":"sleep 0.1; echo $$"}' }, { "run_command", '{"command":"exit 3"}' })
    )
    assert.matches("^id1 %d+\n$", contents(messages)[1])
    assert.equal("id2 (no output)\n\nCommand exited with code 3", contents(messages)[2])
  end)

  it("takes hundreds of calls without growing the stack", function()
    local calls = {}
    for i = 1, 500 do
      calls[i] = { "now" }
    end
    assert.equal(500, #openai.results(session, reply((table.unpack or unpack)(calls))))
    assert.equal(500, #openai.results(session, reply((table.unpack or unpack)(calls)), { parallel = true }))
  end)

  it("answers every call when it is cancelled, and starts no more", function()
    local told
    local going = openai.results(session, reply({ "now" }, { "later" }, { "now" }), {
      on_done = function(messages)
        told = messages
      end,
    })
    going:cancel()
    assert.same({ "now", "start id2" }, log)
    assert.same({ "id1 at once", "id2 Tool later was aborted", "id3 Tool now was aborted" }, contents(told))
    going:cancel()
    assert.equal(told, going:wait())
  end)

  it("waits as long as it is told to", function()
    if not host.uv() then return pending "luv is missing" end
    local going = openai.results(session, reply { "run_command", '{"command":"echo a; sleep 60"}' }, {
      on_done = function() end,
    })
    assert.is_nil(going:wait(0.05))
    assert.is_nil(going.messages)
    going:cancel()
    assert.matches("^id1 .*\nCommand aborted$", contents(going:wait())[1])
    assert.has_error(function()
      going:wait "long"
    end)
  end)

  it("refuses to wait inside a callback of the loop, and leaves nothing running", function()
    local uv = host.uv()
    if not uv then return pending "luv is missing" end
    local ok, said, fired
    local timer = uv.new_timer()
    uv.timer_start(timer, 1, 0, function()
      ok, said = pcall(openai.results, session, reply { "run_command", '{"command":"sleep 60"}' })
      uv.close(timer)
      fired = true
    end)
    host.wait(function()
      return fired
    end, 5)
    assert.is_false(ok)
    assert.matches("cannot wait inside a callback of the event loop; use on_done", said)
    assert.is_true(session:wait(5))
  end)

  it("ends a call that nothing can end any more", function()
    if host.in_nvim or not host.uv() then return pending "the loop of this host never runs dry" end
    assert.same({ "id1 Tool later ended without a result" }, contents(openai.results(session, reply { "later" })))
  end)

  it("keeps what a callback of the host raises for the next wait, and still answers", function()
    session:close()
    session = abridge.session {
      run_dir = false,
      on_event = function()
        error("the host's own", 0)
      end,
    }
    local messages = openai.results(session, reply({ "run_command", '{"command":"echo a"}' }, { "nope" }), {})
    assert.same({ "id1 a\n", "id2 Unknown tool: nope" }, contents(messages))
    assert.has_error(function()
      session:wait()
    end, "the host's own")
    local told
    openai.results(session, reply { "nope" }, {
      on_done = function(got)
        told = got
        error("on_done's own", 0)
      end,
    })
    assert.equal(1, #told)
  end)

  it("answers with what went wrong when a session fails itself, cut, without bytes that are no UTF-8", function()
    local broken = {
      errors = {},
      call = function(_, name)
        if name == "silent" then error() end
        error("out of \255 luck " .. ("x"):rep(1e6), 0)
      end,
    }
    local messages = openai.results(broken, reply({ "now" }, { "silent" }, { ("n"):rep(1e5) }))
    assert.equal(3, #messages)
    assert.matches("^Tool now failed: out of %? luck xxx", messages[1].content)
    assert.matches("^Tool silent failed", messages[2].content)
    for _, message in ipairs(messages) do
      assert.is_true(#message.content <= 4096)
    end
  end)

  it("cancels when its wait is interrupted, and gives up on a tool that does not stop when it is once more", function()
    local cancelled = 0
    local stubborn = {
      errors = {},
      call = function()
        return {
          call_id = "call-1",
          wait = function() end, -- as a job's inside Neovim, after Ctrl-C
          cancel = function()
            cancelled = cancelled + 1
          end,
        }
      end,
    }
    assert.same(
      { "id1 Tool now was aborted", "id2 Tool later was aborted" },
      contents(openai.results(stubborn, reply({ "now" }, { "later" })))
    )
    assert.equal(1, cancelled)
  end)

  it("takes results that come late, after their wait, as they come", function()
    local late = {
      errors = {},
      call = function(_, name, _, opts)
        local job = { call_id = name }
        function job:wait()
          self.result = { tool = name, content = "of " .. name, is_error = false }
          if name == "a" then opts.on_done(self.result) end -- else a loop calls it later
          return self.result
        end
        return job
      end,
    }
    local messages = openai.results(late, reply({ "a" }, { "b" }, { "a" }))
    assert.same({ "id1 of a", "id2 of b", "id3 of a" }, contents(messages))
  end)

  it("answers with what went wrong when a message cannot be built", function()
    local shape = {
      parts = function()
        return {}, 0
      end,
      message = function(call, result, text)
        if not result.is_error then error("no " .. text, 0) end
        return { id = call.id, text = text }
      end,
    }
    local messages = turn.run("test", session, { { entry = {}, key = "id", name = "now" } }, nil, shape)
    assert.equal("Tool now failed: no at once", messages[1].text)
  end)

  it("answers every call of a session that is closed, raises, denies or has a counter that fails", function()
    local function answer(opts, tool)
      opts.tools, opts.run_dir = {}, false
      local own = abridge.session(opts)
      own:register {
        name = "tool",
        execute = function()
          if tool == "raises" then error("it broke", 0) end
          return "text"
        end,
      }
      if tool == "closed" then own:close() end
      local messages = openai.results(own, reply { "tool" })
      own:close()
      return messages[1].content
    end
    assert.equal("it broke", answer({}, "raises"))
    assert.equal("The session is closed", answer({}, "closed"))
    local function no()
      return false, "ask first"
    end
    assert.equal("Not approved: ask first", answer { approve = no })
    local function counter()
      error "cannot count"
    end
    assert.equal("text", answer { limits = { tool = { max_tokens = 9, count_tokens = counter } } })
  end)
end)
