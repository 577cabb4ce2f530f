-- Tool calls of Chat Completions and of Responses, and the messages that answer them.
local abridge = require "abridge"
local host = require "abridge.base.host"
local openai = require "abridge.openai"
local plain = require "support.plain"

local function new_session(opts)
  opts = opts or {}
  opts.tools, opts.run_dir = opts.tools or {}, opts.run_dir or false
  local session = abridge.session(opts)
  session:register {
    name = "echo",
    input_schema = { type = "object", properties = { text = { type = "string" } } },
    execute = function(input)
      return input.text or "nothing to say"
    end,
  }
  return session
end

local function reply(...)
  return { role = "assistant", content = "looking", tool_calls = { ... } }
end

local function call(id, name, arguments)
  return { id = id, type = "function", ["function"] = { name = name, arguments = arguments } }
end

--- The contents of the messages that answer arguments, each given to the tool `echo`.
local function answers(session, ...)
  local calls = {}
  for i = 1, select("#", ...) do
    calls[i] = call("c" .. i, "echo", (select(i, ...)))
  end
  local contents = {}
  for i, message in ipairs(openai.results(session, reply((table.unpack or unpack)(calls)))) do
    contents[i] = message.content
  end
  return contents
end

describe("openai.results of Chat Completions", function()
  local session

  before_each(function()
    session = new_session()
  end)

  after_each(function()
    session:close()
  end)

  it("answers each call with one tool message, in order", function()
    assert.same(
      {
        { role = "tool", tool_call_id = "call_a", content = "one" },
        { role = "tool", tool_call_id = "call_b", content = "two" },
      },
      openai.results(session, reply(call("call_a", "echo", '{"text":"one"}'), call("call_b", "echo", '{"text":"two"}')))
    )
  end)

  it("answers nothing where no tool is called", function()
    local json = host.json()
    for _, given in ipairs {
      { role = "assistant", content = "done" },
      { role = "assistant", content = { { type = "text", text = "done" } } },
      { role = "assistant", content = "done", tool_calls = {} },
      { role = "assistant", content = "done", tool_calls = json.null },
      { role = json.null, tool_calls = { json.null, 3, "x" } },
      { content = "done" },
      { output = {} },
      { object = "response", output = { { type = "message", role = "assistant", content = {} } } },
      { choices = { { message = { role = "assistant", content = "done" } } } },
    } do
      assert.same({}, openai.results(session, given))
    end
  end)

  it("takes a whole response, whose first choice counts", function()
    local response = host.json().decode [[{"id":"chatcmpl-1","object":"chat.completion","choices":[
      {"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[
        {"id":"a","type":"function","function":{"name":"echo","arguments":"{\"text\":\"one\"}"}},
        {"type":"function","function":{"name":"echo","arguments":"{}"}}]}},
      {"index":1,"message":{"role":"assistant","content":"another way"}}],"usage":{"total_tokens":9}}]]
    local messages = openai.results(session, response)
    assert.same({ "one", "nothing to say" }, { messages[1].content, messages[2].content })
    assert.equal(messages[2].tool_call_id, response.choices[1].message.tool_calls[2].id)
  end)

  it("raises on what is no reply, says what it wanted and what it got", function()
    local json = host.json()
    local tool_use = { type = "tool_use", id = "a", name = "echo", input = {} }
    local function message(...)
      local ok, said = pcall(function(...)
        openai.results(session, ...)
      end, ...)
      assert.is_false(ok)
      assert.matches(
        "openai_spec.lua:%d+: openai.results: reply must be a response of Chat Completions or of "
          .. "Responses, or the assistant's message %(choices%[1%].message%), got ",
        said
      )
      return said:match "got (.*)$"
    end
    assert.equal("nil", message(nil))
    assert.equal("false", message(false))
    assert.equal('"an error page"', message "an error page")
    assert.equal("an empty table", message {})
    assert.equal("a list", message { reply() })
    assert.equal('a table with "error", "status"', message { status = 429, error = { message = "slow down" } })
    for _, given in ipairs {
      json.null,
      7,
      print,
      { tool_calls = "none" },
      { choices = {} },
      { choices = { {} } },
      { choices = { { delta = { tool_calls = {} } } } },
      { choices = { { message = json.null } } },
      { output = json.null },
      { role = "user", content = "hello" },
      { role = "tool", content = "hello", tool_call_id = "a" },
      { role = "assistant", content = { tool_use } },
      { type = "message", role = "assistant", content = { { type = "text", text = "done" } } },
      { type = "message", role = "assistant", content = { { type = "output_text", text = "done" } } },
    } do
      message(given)
    end
  end)

  it("runs no metamethod of a reply, whatever it does", function()
    local function hostile(t)
      local function raise()
        error "a metamethod ran"
      end
      local names = { "__index", "__newindex", "__len", "__pairs", "__ipairs", "__eq", "__call", "__concat" }
      local mt = {}
      for _, name in ipairs(names) do
        mt[name] = raise
      end
      return setmetatable(t, mt)
    end
    local function said(id)
      local named = hostile { name = "echo", arguments = hostile { text = "one" } }
      return hostile { id = id, type = "function", ["function"] = named }
    end
    local given = hostile { role = "assistant", tool_calls = hostile { said "a", said(nil) } }
    assert.equal("one", openai.results(session, given)[1].content)
    assert.is_string(given.tool_calls[2].id)
    local whole = hostile { choices = hostile { hostile { message = given } } }
    assert.equal("one", openai.results(session, whole)[2].content)
    local item = hostile { type = "function_call", name = "echo", arguments = '{"text":"two"}' }
    local response = hostile { output = hostile { hostile { type = "message" }, item } }
    assert.equal("two", openai.results(session, response)[1].output)
    assert.is_string(rawget(item, "call_id"))
    assert.is_false((pcall(openai.results, session, hostile {})))
    local endless = setmetatable({}, {
      __index = function(t)
        return t
      end,
    })
    assert.is_false((pcall(openai.results, session, endless)))
  end)

  it("takes arguments as JSON, left out, empty, null, or decoded already", function()
    local nothing = "nothing to say"
    assert.same(
      { nothing, nothing, nothing, nothing, nothing, nothing, "decoded" },
      answers(session, "", "  \n", "null", "{}", {}, host.json().null, { text = "decoded" })
    )
    assert.equal(nothing, openai.results(session, reply(call("a", "echo", nil)))[1].content)
    local blanks = ("\n"):rep(1e6) -- a pattern that tried again at each would not end
    assert.same({ nothing, nothing }, answers(session, blanks, blanks .. "null" .. blanks))
  end)

  it("tells the model what is wrong with broken arguments", function()
    local contents = answers(session, '{"text":"cut off at the tok', "[1,2]", "3", '"text"', '{"text":7}', "{text:'x'}")
    for _, content in ipairs(contents) do
      assert.matches("^Invalid input: ", content)
    end
    assert.equal(6, #contents)
    assert.equal("Invalid input: text must be a string, got 7", contents[5])
    assert.matches("^Invalid input: not JSON: ", contents[1])
  end)

  it("says which tool is not there, however it is named", function()
    local names = { "no_such_tool", "functions.echo", "echo ", "", "ec\nho", "écho", ("x"):rep(100) }
    for _, name in ipairs(names) do
      assert.equal("Unknown tool: " .. name, openai.results(session, reply(call("a", name, "{}")))[1].content)
    end
    local unnamed = openai.results(session, reply(call("a", nil, "{}"), call("b", 7, "{}"), { id = "c" }))
    assert.same({ "Unknown tool: ", "Unknown tool: ", "Unknown tool: " }, {
      unnamed[1].content,
      unnamed[2].content,
      unnamed[3].content,
    })
    assert.equal("c", unnamed[3].tool_call_id)
  end)

  it("keeps the answer to a name of a megabyte within the limits", function()
    local small = new_session { limits = { ["*"] = { max_bytes = "1KB" } } }
    local message = openai.results(small, reply(call("a", ("x"):rep(1e6), "{}")))[1]
    assert.is_true(#message.content <= 1024)
    small:close()
  end)

  it("gives a call without an id one, in the reply too, and one of its own to each that shares one", function()
    local said = reply()
    for i, id in ipairs { false, "", "x", "x", host.json().null } do
      said.tool_calls[i] = call(id or nil, "echo", "{}")
    end
    local messages, seen = openai.results(session, said), {}
    assert.equal(5, #messages)
    for i, message in ipairs(messages) do
      assert.is_string(message.tool_call_id)
      assert.is_true(message.tool_call_id ~= "" and not seen[message.tool_call_id])
      seen[message.tool_call_id] = true
      assert.equal(message.tool_call_id, said.tool_calls[i].id)
    end
    assert.equal("x", messages[3].tool_call_id)
    local more = openai.results(session, reply(call(nil, "echo", "{}")))
    assert.is_nil(seen[more[1].tool_call_id])
  end)

  it("hands a custom tool its text as the field input", function()
    session:register {
      name = "patch",
      input_schema = { type = "object", properties = { input = { type = "string" } }, required = { "input" } },
      execute = function(input)
        return "patched " .. input.input
      end,
    }
    local messages = openai.results(
      session,
      reply(
        { id = "a", type = "custom", custom = { name = "patch", input = "*** {not json" } },
        { id = "b", type = "custom", custom = { name = "patch" } },
        { id = "c", type = "custom" }
      )
    )
    assert.same({
      { role = "tool", tool_call_id = "a", content = "patched *** {not json" },
      { role = "tool", tool_call_id = "b", content = "Invalid input: input is required" },
      { role = "tool", tool_call_id = "c", content = "Unknown tool: " },
    }, messages)
  end)

  it("counts parts that are no text, within the budget, and never answers with nothing", function()
    local image = { type = "image", data = "aGk=", mimeType = "image/png" }
    local parts
    session:close()
    session = new_session { limits = { shot = { max_bytes = 60 }, shout = { max_bytes = 60 } }, ceiling = false }
    session:register {
      name = "shot",
      execute = function()
        return { content = parts }
      end,
    }
    local function content()
      return openai.results(session, reply(call("a", "shot", "{}")))[1].content
    end
    parts = { image }
    assert.equal("[1 part that is not text left out]", content())
    parts = { { type = "text", text = "seen" }, image, { type = "audio" } }
    assert.equal("seen\n\n[2 parts that are not text left out]", content())
    parts = { { type = "text", text = ("x"):rep(59) .. "y" }, image }
    assert.equal(60, #content())
    assert.matches("left out%]$", content())
    parts = ""
    assert.equal("(no output)", content())
    session:close()
    session = new_session { limits = { shot = { kind = "log", hits = { "boom" } } } }
    session:register {
      name = "shot",
      execute = function()
        return { content = { image } }
      end,
    }
    assert.equal("[1 part that is not text left out]", content())
  end)

  it("gives plain data that every JSON library encodes, valid UTF-8 whatever a tool prints", function()
    session:register {
      name = "bytes",
      execute = function()
        return "\0\255\192é\r"
      end,
    }
    local messages = openai.results(session, reply(call("a", "bytes", "{}"), call("b", "echo", '{"text":"\\u0000"}')))
    for _, message in ipairs(messages) do
      assert.equal(plain.replaced(message.content), message.content)
    end
    assert.same(messages, host.json().decode(host.json().encode(messages)))
  end)

  it("raises on misuse, at the caller's line", function()
    local function message(...)
      local ok, said = pcall(function(...)
        openai.results(...)
      end, ...)
      assert.is_false(ok)
      assert.matches("openai_spec.lua:%d+: ", said)
      return (said:gsub("^.-: ", ""))
    end
    assert.equal("openai.results: session must be a session, got nil", message(nil, reply()))
    assert.equal("openai.results: unknown option 'done' (value true)", message(session, reply(), { done = true }))
    assert.equal("openai.results: parallel must be a boolean, got 1", message(session, reply(), { parallel = 1 }))
  end)
end)

describe("openai.results of Responses", function()
  local session

  before_each(function()
    session = new_session()
  end)

  after_each(function()
    session:close()
  end)

  it("answers function calls and custom tool calls, by call_id, and passes over the other items", function()
    local response = {
      id = "resp_1",
      output = {
        { type = "reasoning", id = "rs_1", summary = {} },
        { type = "function_call", id = "fc_1", call_id = "call_1", name = "echo", arguments = '{"text":"one"}' },
        { type = "message", role = "assistant", content = {} },
        { type = "custom_tool_call", id = "ct_1", call_id = "call_2", name = "echo", input = "two" },
        { type = "function_call", name = "echo", arguments = '{"te' },
      },
    }
    local items = openai.results(session, response)
    assert.equal(3, #items)
    assert.same({ type = "function_call_output", call_id = "call_1", output = "one" }, items[1])
    assert.same({ type = "custom_tool_call_output", call_id = "call_2", output = "nothing to say" }, items[2])
    assert.matches("^Invalid input: not JSON", items[3].output)
    assert.equal(response.output[5].call_id, items[3].call_id)
  end)

  it("passes images on, with their text in front", function()
    session:register {
      name = "shot",
      execute = function()
        return {
          content = {
            { type = "text", text = "a screen" },
            { type = "image", data = "aGk=", mimeType = "image/png" },
            { type = "image", data = "aGk=", mimeType = "image/tiff" },
          },
        }
      end,
    }
    local call_item = { type = "function_call", call_id = "a", name = "shot", arguments = "" }
    assert.same({
      { type = "input_text", text = "a screen\n\n[1 part that is not text left out]" },
      { type = "input_image", detail = "auto", image_url = "data:image/png;base64,aGk=" },
    }, openai.results(session, { output = { call_item } })[1].output)
  end)

  it("has the session's tools in the form that API takes", function()
    local tools = session:definitions "responses"
    assert.equal(1, #tools)
    assert.same({ "function", "echo", false }, { tools[1].type, tools[1].name, tools[1].strict })
    assert.equal("object", tools[1].parameters.type)
    assert.same(session:definitions("openai")[1]["function"].parameters, tools[1].parameters)
  end)
end)
