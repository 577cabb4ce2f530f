-- The loops that README.md shows: examples/loop_*.lua, with a scripted model that checks each request as the APIs do.
local history = require "abridge.history"
local host = require "abridge.base.host"
local model_server = require "support.model_server"

local LOOPS = {
  openai = {
    path = "/v1/chat/completions",
    reply = function(response)
      return response.choices[1].message
    end,
    said = function(text)
      return { role = "assistant", content = text }
    end,
    called = function(name, input)
      local part = { name = name, arguments = host.json().encode(input) }
      local call = { id = "c" .. input.limit, type = "function", ["function"] = part }
      return { role = "assistant", tool_calls = { call } }
    end,
  },
  anthropic = {
    path = "/v1/messages",
    reply = function(response)
      return { role = response.role, content = response.content }
    end,
    said = function(text)
      return { role = "assistant", content = { { type = "text", text = text } } }
    end,
    called = function(name, input)
      return {
        role = "assistant",
        content = { { type = "tool_use", id = "c" .. input.limit, name = name, input = input } },
      }
    end,
  },
}

local function script()
  local whole, broken, unknown = coroutine.yield {
    { name = "read_file", input = { path = "LICENSE", limit = 1 } },
    { name = "read_file", json = '{"path": "LIC' },
    { name = "no_such_tool", nameless = true, input = {} },
  }
  assert(whole.content:find("MIT License\n\n[20 more lines in file. Use offset=2 to continue]", 1, true))
  assert(broken.content:find "^Invalid input: not JSON")
  assert(unknown.content == "Unknown tool: no_such_tool")
  local page = coroutine.yield {
    { name = "read_file", input = { path = "LICENSE", offset = whole.content:match "offset=(%d+)", limit = 2 } },
  }
  assert(page.content:find "Copyright")
  return "read"
end

for name, api in pairs(LOOPS) do
  describe("examples/loop_" .. name .. ".lua", function()
    local loop = assert(loadfile("examples/loop_" .. name .. ".lua"))

    local function run(said)
      local model = model_server.model(said)
      local messages = loop("read the licence", function(messages, tools)
        local request = { messages = messages, tools = tools, max_tokens = 1 }
        return api.reply(model_server.ask(model, api.path, request))
      end)
      return messages, model
    end

    it("goes on until the model calls no more tools, and answers every call", function()
      local messages, model = run(script)
      assert.equal(3, #model.requests)
      assert.same({ role = "user", content = "read the licence" }, messages[1])
      assert.equal("assistant", messages[#messages].role)
      assert.equal("dead", coroutine.status(model.script))
      assert.is_string(host.json().encode(messages))
    end)

    it("passes on what the API counted, and begins anew with a summary where nothing more may go", function()
      local fit, opts, unfit = history.fit, {}, 3
      local requests, sums = {}, 0
      function history.fit(messages, given)
        opts[#opts + 1] = given.usage
        local sent, report = fit(messages, given)
        unfit = unfit - 1
        report.fits = unfit ~= 0
        return sent, report
      end
      local left = 4
      local ok, messages = pcall(loop, "read the licence", function(messages, tools)
        requests[#requests + 1] = messages
        local last = messages[#messages]
        assert(tools[1])
        if type(last.content) == "string" and last.content:find "^Sum up" then
          sums = sums + 1
          return api.said "It is the MIT licence."
        end
        left = left - 1
        local counted = 1000 + 500 * #messages
        return left > 0 and api.called("read_file", { path = "LICENSE", limit = left }) or api.said "Done.",
          {
            prompt_tokens = counted,
            input_tokens = counted - 100,
            cache_read_input_tokens = 100,
          }
      end)
      history.fit = fit
      assert(ok, messages)
      assert.equal(1, sums)
      assert.equal("read the licence\n\nIt is the MIT licence.", messages[1].content)
      assert.equal("read the licence", requests[1][1].content)
      assert.same({ tokens = 2500, messages = 3 }, { tokens = opts[1].tokens, messages = opts[1].messages })
      assert.is_true(opts[1].other > 1400 and opts[1].other < 1500)
      assert.equal(requests[#requests][1], messages[1])
    end)

    it("ends after one reply without calls", function()
      local messages, model = run(function()
        return "nothing to do"
      end)
      assert.equal(2, #messages)
      assert.equal(1, #model.requests)
    end)
  end)
end

describe("the scripted model", function()
  local function refusal(path, messages)
    local model = model_server.model(script)
    local request = { messages = messages, max_tokens = 1 }
    request.tools = { { type = "function", ["function"] = { parameters = {} }, input_schema = {} } }
    local ok, said = pcall(model_server.ask, model, path, request)
    return not ok and said.refused or nil
  end

  it("refuses what Chat Completions refuses", function()
    local function with(...)
      local call = { id = "a", type = "function", ["function"] = { name = "x", arguments = "{}" } }
      return refusal(LOOPS.openai.path, { { role = "user" }, { role = "assistant", tool_calls = { call } }, ... })
    end
    assert.matches("without a result", with())
    assert.matches("without a result", with { role = "user", content = "?" })
    assert.matches("answers no preceding call", with { role = "tool", tool_call_id = "b", content = "x" })
    assert.matches("must be a string", with { role = "tool", tool_call_id = "a" })
    assert.matches("must not be empty", with { role = "tool", tool_call_id = "a", content = "" })
    assert.matches("not UTF%-8", with { role = "tool", tool_call_id = "a", content = "\255" })
    local answer = { role = "tool", tool_call_id = "a", content = "x" }
    assert.matches("answers no preceding call", with(answer, answer))
    assert.is_nil(with(answer))
  end)

  it("refuses what the Messages API refuses", function()
    local function with(...)
      local use = { type = "tool_use", id = "a", name = "x", input = {} }
      local messages = { { role = "user", content = "?" }, { role = "assistant", content = { use } } }
      messages[3] = select("#", ...) > 0 and { role = "user", content = { ... } } or nil
      return refusal(LOOPS.anthropic.path, messages)
    end
    local answer = { type = "tool_result", tool_use_id = "a", content = "x" }
    assert.matches("without a result", with())
    assert.matches("unexpected block", with { type = "tool_result", tool_use_id = "b", content = "x" })
    assert.matches("unexpected block", with(answer, answer))
    assert.matches("unexpected block", with { type = "text", text = "x" })
    assert.matches("must not be empty", with { type = "tool_result", tool_use_id = "a", content = "" })
    assert.is_nil(with(answer))
    assert.is_nil(with(answer, { type = "text", text = "go on" }))
  end)
end)
