-- What a session tells its host: events as they happen; and its cap and its end.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local one_tool = require "support.one_tool"
local plain = require "support.plain"

local raises = plain.misuse

describe("session:cap", function()
  it("caps output made elsewhere under the limits of its tool", function()
    local session = abridge.session { limits = { github__search = { max_lines = 2 } } }
    local result = session:cap("github__search", "a\nb\nc\nd\ne\n")
    assert.equal("github__search", result.tool)
    assert.equal(2, result.details.cut.output_lines)
    assert.is_true(result.truncation.truncated)
    assert.equal("line_cap", result.truncation.reason)
    abridge.assert_conforms("github__search", result)
    assert_plain_data(result)
    assert.equal("a\nb\nc\nd\ne\n", session:cap("another", "a\nb\nc\nd\ne\n").content)
  end)

  it("takes the limits that a tool was registered with", function()
    local session = one_tool(function() end, { limits = { max_lines = 1 } })
    assert.equal(1, session:cap("tool", "a\nb\n").details.cut.output_lines)
  end)

  it("takes an alias for its tool", function()
    local session = abridge.session { profile = "pi", limits = { bash = { max_lines = 1 } }, run_dir = false }
    assert.matches("^b\n\n%[Showing lines 2%-2 of 2%]$", session:cap("bash", "a\nb\n").content)
  end)

  it("takes less than the session allows for one value, and never more", function()
    local session = abridge.session { limits = { tool = { max_lines = 4 } }, ceiling = { max_bytes = 300 } }
    local text = ("line\n"):rep(100)
    assert.equal(2, session:cap("tool", text, { limits = { max_lines = 2 } }).details.cut.output_lines)
    assert.equal(4, session:cap("tool", text, { limits = { max_lines = 50 } }).details.cut.output_lines)
    assert.equal(4, session:cap("tool", text).details.cut.output_lines)
    for _, tool in ipairs { "tool", "read_file", "run_command" } do
      for _, bytes in ipairs { 0, 50, 100, 1000 } do
        assert.is_true(#session:cap(tool, text, { limits = { max_bytes = bytes } }).content <= math.min(bytes, 300))
      end
    end
    assert.is_true(#session:cap("tool", ("x"):rep(900), { limits = { max_chars = 40 } }).content <= 40)
    local content = session:cap("tool", ("x "):rep(900), { limits = { max_tokens = 20 } }).content
    assert.is_true(abridge.estimate_tokens(content) <= 20)
    session = abridge.session { profile = "pipeline", ceiling = { max_bytes = 2000 } }
    content = session:cap("tool", (("x"):rep(99) .. "\n"):rep(50), { limits = { max_bytes = 500 } }).content
    assert.is_true(#content <= 500)
    raises(function()
      session:cap("tool", text, { limit = {} })
    end, "session:cap", "'limit'")
    raises(function()
      session:cap("tool", text, { limits = { max_line = 2 } })
    end, "session:cap", "'max_line'")
    raises(function()
      session:cap("tool", text, { limits = { max_lines = "2" } })
    end, "session:cap", "max_lines", '"2"')
  end)

  it("shows a part of a single line that is over the budget", function()
    local session = abridge.session { limits = { read_file = { max_bytes = 200 } } }
    local result = session:cap("read_file", ("x"):rep(1000))
    assert.matches("^xxx", result.content)
    assert.is_true(#result.content <= 200)
  end)

  it("takes any value", function()
    local session = abridge.session()
    assert.equal("", session:cap("t", nil).content)
    assert.equal("5", session:cap("t", 5).content)
    assert.equal("false", session:cap("t", false).content)
    assert.equal('{"a":1}', session:cap("t", { a = 1 }).content)
    local image = { type = "image", data = "x", mimeType = "image/png" }
    local result = session:cap("t", { content = { { type = "text", text = "x" }, image }, isError = true })
    assert.equal("x", result.content)
    assert.equal(image, result.blocks[1])
    assert.is_true(result.is_error)
    for _, value in ipairs { print, coroutine.create(function() end), { print }, "\255" } do
      assert_plain_data(session:cap("t", value))
    end
  end)

  it("numbers its calls with those of the session", function()
    local session = abridge.session()
    local first, second = session:cap("t", "a"), session:cap("t", "b")
    assert.is_true(first.call_id ~= second.call_id)
  end)
end)

describe("on_event", function()
  local function recorded(opts)
    local events = {}
    opts = opts or {}
    opts.on_event = function(event)
      events[#events + 1] = event
    end
    return events, opts
  end

  it("hears of the call and of the result", function()
    local events, opts = recorded()
    local session = one_tool(function()
      return ("x\n"):rep(5000)
    end, nil, opts)
    local result = session:call("tool", { q = "z" })
    assert.equal(2, #events)
    local call, answer = events[1], events[2]
    assert.equal("tool_call", call.type)
    assert.same({ q = "z" }, call.input)
    assert.equal("tool_result", answer.type)
    assert.equal(result.content, answer.content) -- as the model saw it
    assert.same(result.truncation, answer.truncation)
    assert.equal(result.duration_ms, answer.duration_ms)
    for _, event in ipairs(events) do
      assert.equal("tool", event.tool)
      assert.equal(result.call_id, event.call_id)
      assert.is_number(event.time)
    end
    assert_plain_data(events)
  end)

  it("has ascending numbers", function()
    local events, opts = recorded()
    local session = one_tool(function()
      return "a"
    end, nil, opts)
    for _ = 1, 3 do
      session:call("tool", {})
    end
    session:cap("other", "b")
    session:call("nope", {})
    for i, event in ipairs(events) do
      assert.equal(i, event.seq)
    end
    assert.equal(10, #events)
  end)

  it("hears of calls that fail too", function()
    local events, opts = recorded()
    local session = abridge.session(opts)
    session:call("nope", {})
    session:call("read_file", "{")
    session:call("read_file", {})
    local types = {}
    for i, event in ipairs(events) do
      types[i] = event.type
    end
    assert.same({ "tool_call", "tool_result", "tool_call", "tool_result", "tool_call", "tool_result" }, types)
    assert.is_true(events[2].is_error)
    assert.equal("Unknown tool: nope", events[2].content)
  end)

  it("gives numbers at the start of a call, whichever ends first", function()
    local events, opts = recorded()
    local finish = {}
    local session = one_tool(function(input, _, done)
      finish[input.n] = done
    end, nil, opts)
    local first = session:call("tool", { n = 1 }, {})
    local second = session:call("tool", { n = 2 }, {})
    finish[2] "two"
    finish[1] "one"
    assert.equal(first.call_id, events[1].call_id)
    assert.equal(second.call_id, events[2].call_id)
    assert.equal(second.call_id, events[3].call_id)
    assert.equal(first.call_id, events[4].call_id)
    assert.equal("two", second:wait().content)
    assert.equal("one", first:wait().content)
  end)

  it("that raises is the host's to hear, after the call is done", function()
    local ran = false
    local session = one_tool(
      function()
        ran = true
        return "a"
      end,
      nil,
      {
        on_event = function(event)
          if event.type == "tool_result" then error("log is full", 0) end
        end,
      }
    )
    local ok, message = pcall(session.call, session, "tool", {})
    assert.is_false(ok)
    assert.equal("log is full", message)
    assert.is_true(ran)
    ok, message = pcall(session.cap, session, "tool", "text")
    assert.is_false(ok)
    assert.equal("log is full", message)
  end)

  it("that raises in the loop is heard by the wait for that job", function()
    local session = abridge.session {
      on_event = function(event)
        if event.type == "tool_result" then error("log is full", 0) end
      end,
    }
    local job = session:call("run_command", { command = "true" }, {})
    local ok, message = pcall(job.wait, job)
    assert.is_false(ok)
    assert.equal("log is full", message)
    assert.equal("(no output)", job:wait().content) -- once
  end)
end)

describe("session:close", function()
  it("ends running jobs and answers later calls with an error", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "echo started; exec sleep 60" }, {})
    session:close()
    assert.is_true(job:is_done())
    assert.is_true(job.result.is_error)
    assert.matches("Command aborted$", job.result.content)

    local result = session:call("run_command", { command = "echo hi" })
    assert.is_true(result.is_error)
    assert.matches("closed", result.content)
    assert_plain_data(result)
  end)

  it("may be called again", function()
    local session = abridge.session()
    session:close()
    session:close()
  end)
end)
