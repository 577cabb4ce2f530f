-- What CodeCompanion sends: within the budget, while the chat itself keeps all. Against the host or a stand-in of it.
local chat_history = require "codecompanion._extensions.abridge.history"
local host = require "abridge.base.host"
local numbered = require "support.numbered"
local paths = require "support.paths"
local plain = require "support.plain"
local plugins = require "support.plugins"
local tmpdir = require "support.tmpdir"

local standin = plugins.driver "codecompanion"
local codecompanion

local function chat_with(opts, window)
  opts.run_dir = opts.run_dir or false
  codecompanion = standin.install "current"
  codecompanion.module.setup { extensions = { abridge = { opts = opts } } }
  return codecompanion:chat(window)
end

--- The n-th file: about 600 tokens, with the margin.
local function file(n)
  return ("file %d\n"):format(n) .. numbered(100)
end

--- The model reads the n-th file.
local function read_file(chat, n)
  local function prints()
    return file(n)
  end
  local args = { filepath = ("f%d.lua"):format(n) }
  chat:reply("", { { id = "c" .. n, name = "read_file", args = args, prints = { prints } } })
end

--- The tokens of what was sent, with the margin; and its contents in one list.
local function sent_by(chat)
  local total, contents = 0, {}
  for i, message in ipairs(chat.sent) do
    contents[i] = message.content or ""
    total = total + plain.tokens(contents[i])
  end
  return total, contents
end

local function stubs_in(contents)
  local count = 0
  for _, content in ipairs(contents) do
    if content:find("[Removed to save room", 1, true) == 1 then count = count + 1 end
  end
  return count
end

describe("the history that CodeCompanion sends", function()
  if not host.uv() then return pending "luv is missing" end

  after_each(function()
    local session = codecompanion and codecompanion.module.extensions.abridge
    session = session and session.session
    if session then session:close() end
    if codecompanion then codecompanion:remove() end
    codecompanion = nil
  end)

  it("is within the budget at every request, and the chat keeps all", function()
    local chat = chat_with { history = { max_tokens = 8000 } }
    chat:ask "read them all"
    local before, rewrites = {}, 0
    for n = 1, 30 do
      read_file(chat, n)
      chat:submit()
      local total, contents = sent_by(chat)
      assert.is_true(total <= 8000, total)
      assert.equal(1 + 2 * n, #chat.sent)
      for i, message in ipairs(chat.sent) do
        assert.equal(i == 1 and "user" or i % 2 == 0 and "assistant" or "tool", message.role)
        if message.role == "tool" then assert.equal(("c%d"):format((i - 1) / 2), message.id) end
      end
      assert.equal(file(n), contents[#contents])
      local same = true
      for i, content in ipairs(before) do
        same = same and content == contents[i]
      end
      if not same then rewrites = rewrites + 1 end
      before = contents
    end
    assert.is_true(stubs_in(before) >= 15)
    local stub = "[Removed to save room: 101 lines, %dB. Call read_file again]"
    assert.equal(stub:format(#file(1)), before[3])
    assert.is_true(rewrites >= 4 and rewrites <= 10, rewrites)
    local kept = 0
    for _, message in ipairs(chat.messages) do
      if message.role == "tool" then
        kept = kept + 1
        assert.equal(file(kept), message.content)
      end
    end
    assert.equal(30, kept)
    assert.equal("", plugins.problems(codecompanion))
    assert.same({}, codecompanion.errors)
  end)

  it("goes by the model's window where the host knows it", function()
    for _, case in ipairs {
      { {}, 8000, true },
      { {}, nil, false },
      { { history = false }, 8000, false },
      { { history = { max_tokens = 100000 } }, 8000, false },
    } do
      local chat = chat_with(case[1], case[2])
      chat:ask "read them all"
      for n = 1, 12 do
        read_file(chat, n)
      end
      chat:submit()
      local total, contents = sent_by(chat)
      assert.equal(case[3], stubs_in(contents) > 0)
      assert.equal(case[3], total <= 0.8 * 8000)
      assert.equal("", plugins.problems(codecompanion))
      codecompanion:remove()
    end
    codecompanion = nil
  end)

  it("needs a budget where options are given and the window is not known", function()
    local chat = chat_with { history = { keep = 1 } }
    chat:ask "go"
    chat:submit()
    chat:submit()
    assert.equal(
      "abridge: history: max_tokens is needed, as the model's window is not known",
      plugins.problems(codecompanion)
    )
    assert.equal(1, #codecompanion.notified)
  end)

  it("leaves alone what excluded tools printed", function()
    local chat = chat_with { exclude_tools = { "memory" }, history = { max_tokens = 4000, keep = 0 } }
    chat:ask "go"
    local function prints()
      return numbered(100)
    end
    chat:reply("", { { id = "m", name = "memory", args = {}, prints = { prints } } })
    for n = 1, 10 do
      read_file(chat, n)
    end
    chat:submit()
    local _, contents = sent_by(chat)
    assert.equal(numbered(100), contents[3])
    assert.is_true(stubs_in(contents) >= 5)
  end)

  it("names the full output of the call itself, whatever ids the model gives", function()
    local dir = tmpdir.new()
    local chat = chat_with {
      run_dir = dir:at "run",
      limits = { run_command = { max_bytes = 4000 } },
      history = { max_tokens = 2000, keep = 0, target = 0 },
    }
    chat:ask "go"
    local ids = { "call-2", "call-1", "call-4" }
    for n, id in ipairs(ids) do
      local function prints()
        return ("`job%d`\n````\njob %d\n%s\n````"):format(n, n, numbered(2000))
      end
      local call = { id = id, name = "run_command", args = { cmd = "job" .. n }, prints = { prints } }
      if n == 2 then call.prints = { prints, prints } end
      chat:reply("", { call })
    end
    chat:reply("", {
      {
        id = "last",
        name = "other",
        args = {},
        prints = {
          function()
            return "ok"
          end,
        },
      },
    })
    chat:submit()
    local _, contents = sent_by(chat)
    for n = 1, 3 do
      local stub = contents[1 + 2 * n]
      assert.matches("^%[Removed to save room: %d+ lines, [%d.]+KB", stub)
      local path = stub:match "Full output: (/[^%]]*)%]$"
      if n == 2 then
        assert.is_nil(path) -- its two outputs have a file each
      else
        assert.truthy(paths.read(path):find(("\njob %d\n"):format(n), 1, true))
      end
    end
    dir:remove()
  end)

  it("says once that a chat does not fit, and sends it", function()
    local chat = chat_with { history = { max_tokens = 500 } }
    chat:ask(numbered(500))
    read_file(chat, 1)
    chat:submit()
    chat:submit()
    assert.equal(numbered(500), chat.sent[1].content)
    assert.equal(
      "abridge: a chat is over its budget of tokens, with nothing left to remove",
      plugins.problems(codecompanion)
    )
    assert.equal(1, #codecompanion.notified)
  end)

  it("is fitted when the session was closed", function()
    local chat = chat_with { redact = { "secret" }, history = { max_tokens = 4000 } }
    chat:ask "go"
    for n = 1, 8 do
      read_file(chat, n)
    end
    codecompanion.module.extensions.abridge.session:close()
    read_file(chat, 9)
    chat:submit()
    local _, contents = sent_by(chat)
    assert.is_true(stubs_in(contents) > 0)
    assert.is_nil(plugins.problems(codecompanion):find("fitted", 1, true))
  end)

  it("is sent as it is where fitting fails, which is told once", function()
    local chat = chat_with {
      history = {
        max_tokens = 1000,
        count_tokens = function()
          error "no count"
        end,
      },
    }
    chat:ask "go"
    for n = 1, 5 do
      read_file(chat, n)
    end
    chat:submit()
    chat:submit()
    local _, contents = sent_by(chat)
    assert.equal(0, stubs_in(contents))
    assert.equal("abridge: a chat was not fitted to its budget: no count", plugins.problems(codecompanion))
    assert.same({}, codecompanion.errors)
  end)

  it("is sent as it is where the options are wrong, which is told", function()
    for _, case in ipairs {
      { 5, "codecompanion: history must be options or false, got 5" },
      { { target = 2 }, "history: abridge.history.fit: target must be a number from 0 to 1, got 2" },
      { { maxtokens = 2 }, "history: abridge.history.fit: unknown option 'maxtokens' (value 2)" },
      { { format = "openai" }, "history: format and session are the extension's" },
    } do
      local chat = chat_with { history = case[1] }
      assert.equal("abridge: " .. case[2], plugins.problems(codecompanion))
      chat:ask "go"
      for n = 1, 5 do
        read_file(chat, n)
      end
      chat:submit()
      local _, contents = sent_by(chat)
      assert.equal(0, stubs_in(contents))
      codecompanion:remove()
    end
    codecompanion = nil
  end)
end)

describe("messages of CodeCompanion in a history", function()
  local function fitted(messages, opts, adapter)
    local said = {}
    local cutter = { options = { history = opts }, ids = {}, exclude_tools = {} }
    function cutter.tell(message)
      said[#said + 1] = message
    end
    local payload = { messages = messages }
    chat_history.fit(cutter, { adapter = adapter }, payload)
    assert.same({}, said)
    return payload.messages
  end

  local function call(id, name, args, call_id)
    local asked = { name = name, arguments = args or "{}" }
    return { id = id, call_id = call_id, type = "function", ["function"] = asked }
  end

  local function conversation(extra)
    local messages = { { role = "user", content = "go" }, extra }
    for n = 1, 6 do
      messages[#messages + 1] = { role = "assistant", tools = { calls = { call("c" .. n, "look") } } }
      messages[#messages + 1] = { role = "tool", tools = { call_id = "c" .. n }, content = numbered(100) }
    end
    return messages
  end

  local function count_stubs(messages)
    local contents = {}
    for i, message in ipairs(messages) do
      contents[i] = message.content or ""
    end
    return stubs_in(contents)
  end

  it("keep their fields, and those that came are not changed", function()
    local messages = conversation()
    messages[3]._meta, messages[3].opts = { cycle = 1 }, { visible = true }
    local out = fitted(messages, { max_tokens = 3000 })
    assert.matches("^%[Removed", out[3].content)
    assert.equal(messages[3]._meta, out[3]._meta)
    assert.equal(messages[3].opts, out[3].opts)
    assert.same({ call_id = "c1" }, out[3].tools)
    assert.equal(numbered(100), messages[3].content)
    assert.equal(messages[1], out[1])
  end)

  it("are paired by the id that the result has, or in order where it has none", function()
    local messages = { { role = "user", content = "go" } }
    for n = 1, 5 do
      local made = call("fc_" .. n, "list", "{}", "c" .. n)
      messages[#messages + 1] = { role = "model", tools = { calls = { made } } }
      messages[#messages + 1] = { role = "tool", tools = { call_id = "c" .. n, id = made.id }, content = numbered(90) }
    end
    for n = 6, 8 do
      messages[#messages + 1] = { role = "model", tools = { calls = { call("x" .. n, "list") } } }
      messages[#messages + 1] = { role = "tool", tool_name = "list", content = numbered(90) }
    end
    local out = fitted(messages, { max_tokens = 4500, keep = 0, target = 0 })
    for i = 3, 15, 2 do
      assert.equal("[Removed to save room: 90 lines, 710B]", out[i].content)
    end
    assert.equal(numbered(90), out[17].content)
  end)

  it("cost what the model reads of them: not the base64 of an image or a file, but what it thought", function()
    local base64 = ("iVBORw0KGgo"):rep(20000)
    for _, tag in ipairs { "image", "document" } do
      local attached = { role = "user", content = base64, _meta = { tag = tag } }
      assert.equal(0, count_stubs(fitted(conversation(attached), { max_tokens = 6000 })))
      assert.is_true(count_stubs(fitted(conversation(attached), { max_tokens = 6000, image_tokens = 3000 })) > 0)
    end
    local thought = numbered(600)
    for _, reasoning in ipairs { thought, { content = thought, _data = { signature = thought } } } do
      local message = { role = "assistant", content = "", reasoning = reasoning }
      assert.equal(0, count_stubs(fitted(conversation(message), { max_tokens = 8000 })))
      assert.is_true(count_stubs(fitted(conversation(message), { max_tokens = 7000 })) > 0)
    end
  end)

  it("are left alone where the provider keeps its context within bounds itself, unless a budget is given", function()
    local own = { model = { meta = { context_window = 4000 }, opts = { can_manage_context = true } }, opts = {} }
    assert.equal(0, count_stubs(fitted(conversation(), nil, own)))
    assert.is_true(count_stubs(fitted(conversation(), { max_tokens = 3500 }, own)) > 0)
    own.opts.compaction = false
    assert.is_true(count_stubs(fitted(conversation(), nil, own)) > 0)
    own.type = "acp"
    assert.equal(0, count_stubs(fitted(conversation(), { max_tokens = 3500 }, own)))
  end)
end)
