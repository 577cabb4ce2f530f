-- Tool calls of the Messages API, and the message that answers them.
local abridge = require "abridge"
local anthropic = require "abridge.anthropic"
local host = require "abridge.base.host"
local plain = require "support.plain"

local function use(id, name, input)
  return { type = "tool_use", id = id, name = name, input = input }
end

local function reply(...)
  return { role = "assistant", stop_reason = "tool_use", content = { { type = "text", text = "Let me look." }, ... } }
end

describe("anthropic.results", function()
  local session, parts, is_error

  before_each(function()
    session = abridge.session { tools = {}, run_dir = false }
    session:register {
      name = "echo",
      input_schema = { type = "object", properties = { text = { type = "string" } } },
      execute = function(input)
        return input.text or "nothing to say"
      end,
    }
    session:register {
      name = "shot",
      execute = function()
        return { content = parts, isError = is_error }
      end,
    }
    parts, is_error = "", false
  end)

  after_each(function()
    session:close()
  end)

  --- The one tool_result that answers a call of `shot`.
  local function shot()
    return anthropic.results(session, reply(use("a", "shot", {})))[1].content[1]
  end

  it("answers all calls in one user message, a tool_result each, in order", function()
    assert.same(
      {
        {
          role = "user",
          content = {
            { type = "tool_result", tool_use_id = "toolu_1", content = "one" },
            { type = "tool_result", tool_use_id = "toolu_2", content = "Unknown tool: nope", is_error = true },
            { type = "tool_result", tool_use_id = "toolu_3", content = "nothing to say" },
          },
        },
      },
      anthropic.results(
        session,
        reply(use("toolu_1", "echo", { text = "one" }), use("toolu_2", "nope", {}), use("toolu_3", "echo", {}))
      )
    )
  end)

  it("answers nothing where no tool is called", function()
    for _, given in ipairs {
      reply(),
      { role = "assistant", content = "done" },
      { role = "assistant", content = {} },
      { role = "assistant", content = host.json().null },
      { content = { host.json().null, "text", 4 } },
      { content = { { type = "server_tool_use", id = "srvtoolu_1", name = "web_search", input = {} } } },
    } do
      assert.same({}, anthropic.results(session, given))
    end
  end)

  it("takes a whole response", function()
    local response = host.json().decode [[{"id":"msg_1","type":"message","role":"assistant","model":"m",
      "content":[{"type":"text","text":"Let me look."},
                 {"type":"tool_use","id":"toolu_1","name":"echo","input":{"text":"one"}}],
      "stop_reason":"tool_use","stop_sequence":null,"usage":{"output_tokens":9}}]]
    local result = anthropic.results(session, response)[1].content[1]
    assert.same({ type = "tool_result", tool_use_id = "toolu_1", content = "one" }, result)
  end)

  it("raises on what is no reply, and says what it wanted", function()
    local function message(...)
      local ok, said = pcall(function(...)
        anthropic.results(session, ...)
      end, ...)
      assert.is_false(ok)
      assert.matches(
        "anthropic_spec.lua:%d+: anthropic.results: reply must be a response of the Messages API, or the "
          .. "assistant's message: what has content, got ",
        said
      )
      return said:match "got (.*)$"
    end
    assert.equal("nil", message(nil))
    assert.equal('a table with "error", "type"', message { type = "error", error = { type = "overloaded_error" } })
    local calls = { { id = "a", type = "function", ["function"] = { name = "echo", arguments = "{}" } } }
    for _, given in ipairs {
      "an error page",
      false,
      {},
      { reply() },
      { choices = { { message = { role = "assistant", content = "hi", tool_calls = calls } } } },
      { role = "assistant", content = "hi", tool_calls = calls },
      { output = { { type = "function_call", call_id = "a", name = "echo", arguments = "{}" } } },
      { role = "user", content = { { type = "tool_result", tool_use_id = "a", content = "x" } } },
    } do
      message(given)
    end
  end)

  it("runs no metamethod of a reply, whatever it does", function()
    local function hostile(t)
      local mt = {}
      for _, name in ipairs { "__index", "__newindex", "__len", "__pairs", "__ipairs", "__eq", "__tostring" } do
        mt[name] = function()
          error "a metamethod ran"
        end
      end
      return setmetatable(t, mt)
    end
    local unnamed = hostile { type = "tool_use", name = "echo", input = hostile { text = "two" } }
    local given = hostile {
      content = hostile { hostile { type = "text" }, hostile(use("a", "echo", hostile { text = "one" })), unnamed },
    }
    local content = anthropic.results(session, given)[1].content
    assert.same({ "one", "two" }, { content[1].content, content[2].content })
    assert.equal(content[2].tool_use_id, rawget(unnamed, "id"))
  end)

  it("takes an empty input however a JSON library decodes it, and the joined fragments of a stream", function()
    local json = host.json()
    local inputs = { {}, json.decode "{}", json.decode "[]", json.null, "", "{}", '{"text":' .. '"in parts"}' }
    local calls = {}
    for i, input in ipairs(inputs) do
      calls[i] = use("c" .. i, "echo", input)
    end
    calls[#calls + 1] = use("c8", "echo", nil)
    calls[#calls + 1] = use("c9", "echo", '{"text":"cut of')
    local content = anthropic.results(session, reply((table.unpack or unpack)(calls)))[1].content
    for i = 1, 8 do
      assert.equal(i == 7 and "in parts" or "nothing to say", content[i].content)
      assert.is_nil(content[i].is_error)
    end
    assert.matches("^Invalid input: not JSON: ", content[9].content)
    assert.is_true(content[9].is_error)
  end)

  it("names a field that is wrong, and a list in place of an object", function()
    local said = reply(use("a", "echo", { text = 7 }), use("b", "echo", { "text" }), use("c", "echo", 3))
    local content = anthropic.results(session, said)[1].content
    assert.equal("Invalid input: text must be a string, got 7", content[1].content)
    assert.matches("^Invalid input: input must be an object", content[2].content)
    assert.matches("^Invalid input: input must be an object", content[3].content)
  end)

  it("gives a call without an id one, in the reply too", function()
    local said = reply(use(nil, "echo", {}), use("x", "echo", {}), use("x", "echo", {}))
    local content, seen = anthropic.results(session, said)[1].content, {}
    assert.equal(3, #content)
    for i, block in ipairs(content) do
      assert.matches("^[%w_-]+$", block.tool_use_id)
      assert.is_nil(seen[block.tool_use_id])
      seen[block.tool_use_id] = true
      assert.equal(block.tool_use_id, said.content[i + 1].id)
    end
  end)

  it("passes images on, after the text, and counts what this API does not take", function()
    parts = {
      { type = "text", text = "a screen" },
      { type = "image", data = "aGk=", mimeType = "image/webp" },
      { type = "image", data = "aGk=", mimeType = "image/tiff" },
      { type = "image", mimeType = "image/png" },
      { type = "resource", resource = { uri = "file:///x", text = "x" } },
    }
    assert.same({
      { type = "text", text = "a screen\n\n[3 parts that are not text left out]" },
      { type = "image", source = { type = "base64", media_type = "image/webp", data = "aGk=" } },
    }, shot().content)
    parts = { { type = "image", data = "aGk=", mimeType = "image/png" } }
    local source = { type = "base64", media_type = "image/png", data = "aGk=" }
    assert.same({ { type = "image", source = source } }, shot().content)
  end)

  it("sends an error as text that is not empty", function()
    is_error = true
    assert.same({ type = "tool_result", tool_use_id = "a", content = "(no output)", is_error = true }, shot())
    parts = { { type = "text", text = "broke" }, { type = "image", data = "aGk=", mimeType = "image/png" } }
    assert.equal("broke\n\n[1 part that is not text left out]", shot().content)
    is_error, parts = false, ""
    assert.equal("(no output)", shot().content)
  end)

  it("gives plain data without an empty table, valid UTF-8", function()
    parts = "one odd byte: \255é"
    local messages = anthropic.results(session, reply(use("a", "shot", {}), use("b", "echo", {})))
    assert.equal(plain.replaced "one odd byte: \255é", messages[1].content[1].content)
    assert.same(messages, host.json().decode(host.json().encode(messages)))
    local function check(t)
      assert.is_not_nil(next(t))
      for _, value in pairs(t) do
        if type(value) == "table" then check(value) end
      end
    end
    check(messages)
  end)
end)
