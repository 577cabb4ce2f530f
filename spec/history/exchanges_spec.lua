-- history.fit: long arguments made short, exchanges that go, and what then stands in their place.

local abridge = require "abridge"
local history = require "abridge.history"
local lines = require "support.numbered"
local merge = require "support.merge"
local plain = require "support.plain"
local valid = require "support.valid_messages"

--- Options under which all may go that is before the last turn.
local function options(over)
  return merge({ format = "openai", max_tokens = 1e6, trigger = 0, target = 0, keep = 0, clear_at_least = 0 }, over)
end

--- Chat messages: a task, then a turn for each call, as { name, arguments, content, text }.
local function chat(...)
  local messages = { { role = "user", content = "Go." } }
  for i, made in ipairs { ... } do
    local part = { name = made[1], arguments = made[2] }
    local calls = { { id = "c" .. i, type = "function", ["function"] = part } }
    messages[#messages + 1] = { role = "assistant", content = made[4] or "", tool_calls = calls }
    messages[#messages + 1] = { role = "tool", tool_call_id = "c" .. i, content = made[3] }
  end
  return messages
end

local LAST = { "look", "{}", "end" }
local SOURCE = "local function total(cart)\n" .. ("  local sum = 0 -- of all\n"):rep(60)
local SPELLED = SOURCE:gsub("\n", "\\n") -- in JSON

--- Fit some messages, once all are there.
local function fit_once(messages, over)
  local opts = options(over)
  opts.max_tokens, opts.trigger =
    select(2, history.fit(messages, merge({}, opts, { trigger = 1 }))).tokens_before, 0.9999
  return history.fit(messages, opts)
end

local function arguments(message)
  return message.tool_calls[1]["function"].arguments
end

describe("arguments of old calls", function()
  local opts = options { exchanges = false }

  it("become their first line and a line that says how much there was; all else is as it was spelled", function()
    local json = '{ "path":"a\\u002elua", "n":1.50, "big":12345678901234567890, "x":[1e2, {"old":"'
      .. SPELLED
      .. '"}],\n "z":null}'
    local messages = chat({ "edit_file", json, "ok" }, LAST)
    local sent, report = history.fit(messages, opts)
    local left = #SOURCE - #"local function total(cart)"
    local marker = "[%d more chars were here; removed from this conversation to save room]"
    local short = "local function total(cart)\\n" .. marker:format(left)
    local wanted = json:gsub("local.*all\\n", function()
      return short
    end)
    assert.equal(wanted, arguments(sent[2]))
    assert.same({ 2 }, report.changed)
    assert.equal(messages[3], sent[3])
    assert.is_true(plain.tokens(short) <= 64)
    assert.same({}, select(2, history.fit(sent, opts)).changed)
    local raised = merge({}, opts, { token_safety = 3.5 }) -- it is over 64 tokens now, and stays
    assert.same({}, select(2, history.fit(sent, raised)).changed)
  end)

  it("keep 32 tokens of a long first line, between chars", function()
    local line = ("größer als "):rep(60)
    local sent = history.fit(chat({ "write", '{"text":"' .. line .. '"}', "ok" }, LAST), opts)
    local start, left = arguments(sent[2]):match '^{"text":"(.*)\\n%[(%d+) more chars'
    assert.equal(line:sub(1, #start), start)
    assert.is_true(plain.tokens(start) <= 32 and plain.tokens(start) >= 28)
    assert.equal(abridge.count_chars(line) - abridge.count_chars(start), tonumber(left))
  end)

  it("stay where they are short, no object, of a custom tool, in the last turn or of an excluded tool", function()
    local long = ("word "):rep(200)
    local function unchanged(messages, over)
      local sent, report = history.fit(messages, merge({}, opts, over))
      assert.same({}, report.changed)
      assert.same(messages, sent)
    end
    unchanged(chat({ "write", '{"text":"' .. ("word "):rep(20) .. '"}', "ok" }, LAST))
    unchanged(chat({ "write", '["' .. long .. '"]', "ok" }, LAST))
    unchanged(chat({ "write", '{"text":"' .. long, "ok" }, LAST))
    unchanged(chat({ "write", '{"' .. long .. '":1}', "ok" }, LAST))
    unchanged(chat { "write", '{"text":"' .. long .. '"}', "ok" })
    local one = chat({ "write", '{"text":"' .. long .. '"}', "ok" }, LAST)
    unchanged(one, { exclude_tools = { "write" } })
    unchanged(one, { inputs = false })
    unchanged(one, { keep = 1 })
    unchanged({
      { role = "user", content = "Go." },
      { type = "custom_tool_call", call_id = "a", name = "apply", input = '{"text":"' .. long .. '"}' },
      { type = "custom_tool_call_output", call_id = "a", output = "ok" },
      { role = "assistant", content = "Done." },
    }, { format = "responses" })
  end)

  it("of the Messages API are tables, and stay of their kind", function()
    local kind = setmetatable({}, { __name = "array" })
    local input = { path = "a.lua", text = SOURCE, list = { SOURCE, kind } }
    local thinking = { type = "thinking", thinking = "Hm.", signature = "s" }
    local use = { type = "tool_use", id = "a", name = "write", input = input, cache_control = { type = "ephemeral" } }
    local messages = {
      { role = "user", content = "Go." },
      { role = "assistant", content = { thinking, use } },
      { role = "user", content = { { type = "tool_result", tool_use_id = "a", content = "ok" } } },
      { role = "assistant", content = "Done." },
    }
    local sent = history.fit(messages, options { format = "anthropic", exchanges = false })
    local made = sent[2].content[2]
    assert.equal(thinking, sent[2].content[1])
    assert.equal(use.cache_control, made.cache_control)
    assert.matches("^local function[^\n]*\n%[%d+ more chars were here;", made.input.text)
    assert.equal(made.input.text, made.input.list[1])
    assert.equal(getmetatable(kind), getmetatable(made.input.list[2]))
    assert.equal(SOURCE, input.text)
    assert.equal(messages[3], sent[3])
  end)
end)

describe("old exchanges", function()
  local function edits(n)
    local made = {}
    for i = 1, n do
      made[i] = { "edit_file", '{"path":"lib/cart.lua"}', "ok" }
    end
    return made
  end

  it("become a line of the user's that names the calls, the most frequent first", function()
    local made = edits(6)
    for _ = 1, 5 do
      made[#made + 1] = { "run_command", '{"command":"make"}', "ok" }
    end
    for i = 1, 3 do
      made[#made + 1] = { "read_file", '{"path":"' .. i .. '.lua"}', "ok" }
    end
    made[#made + 1] = LAST
    local messages = chat((table.unpack or unpack)(made))
    local sent, report = fit_once(messages)
    assert.equal(4, #sent)
    assert.same({
      role = "user",
      content = "[14 calls removed to save room: edit_file lib/cart.lua (6), run_command (5), read_file (3)]",
    }, sent[2])
    assert.equal(messages[1], sent[1])
    assert.equal(messages[30], sent[3])
    assert.equal(28, #report.changed)
    assert.equal(2, report.first_changed)
    assert.equal(report.tokens_before - report.tokens_after, report.freed)
    assert.same({}, select(2, history.fit(sent, options())).changed)
  end)

  it("are named within 160 tokens, however many there are", function()
    local made = {}
    for i = 1, 300 do
      made[i] = { ("a_tool_by_some_long_name_%d"):format(i), "{}", "ok" }
    end
    made[301] = LAST
    local sent = fit_once(chat((table.unpack or unpack)(made)))
    local others =
      sent[2].content:match "^%[300 calls removed to save room: a_tool_by_some_long_name_1 %(1%), .* (%d+) others%]$"
    local _, named = sent[2].content:gsub("%(1%)", "")
    assert.equal(300, named + tonumber(others))
    assert.is_true(plain.tokens(sent[2].content) <= 160)
  end)

  it("end at a person's message and at one that stays, and texts stay before the line", function()
    local messages = chat(
      { "a", "{}", lines(50), "First a." },
      { "b", "{}", lines(50) },
      { "keep_me", "{}", "kept" },
      { "c", "{}", lines(50), "Then c." },
      LAST
    )
    table.insert(messages, 4, { role = "user", content = "Hurry." })
    local sent = history.fit(messages, options { exclude_tools = { "keep_me" } })
    local said = {}
    for i, message in ipairs(sent) do
      said[i] = message.role .. ": " .. (message.content ~= "" and message.content or "calls")
    end
    assert.same({
      "user: Go.",
      "assistant: First a.",
      "user: [1 call removed to save room: a (1)]",
      "user: Hurry.",
      "user: [1 call removed to save room: b (1)]",
      "assistant: calls",
      "tool: kept",
      "assistant: Then c.",
      "user: [1 call removed to save room: c (1)]",
      "assistant: calls",
      "tool: end",
    }, said)
  end)

  it("go only if results and arguments are not enough, the oldest first, and a line never changes", function()
    local made = {}
    for i = 1, 30 do
      made[i] = { "look", ('{"at":%d,"why":"%s"}'):format(i, ("w "):rep(20)), lines(60) }
    end
    local messages = chat((table.unpack or unpack)(made))
    local opts = { format = "openai", max_tokens = 2500, keep = 2 }
    local sent, notes, given = {}, {}, 0
    for i, message in ipairs(messages) do
      if message.role == "assistant" then
        local fitted, report = history.fit(sent, opts)
        assert.is_true(report.fits)
        valid.openai(fitted)
        local now = {}
        for _, one in ipairs(fitted) do
          if one.role == "user" then now[#now + 1] = one.content end
        end
        for k, note in ipairs(notes) do
          assert.equal(note, now[k])
        end
        notes, sent = now, {}
        for k, one in ipairs(fitted) do
          sent[k] = one
        end
        given = given + 1
      end
      sent[#sent + 1] = messages[i]
    end
    assert.is_true(#notes >= 3, #notes)
    assert.is_true(given == 30)
  end)

  it("lose their thinking, and a Responses message what names it; text and its other fields stay", function()
    local function item(kind, fields)
      return merge({ type = kind }, fields)
    end
    local text = { { type = "output_text", text = "See.", annotations = {} } }
    local items = {
      { role = "user", content = "Go." },
      item("reasoning", { id = "rs_1", summary = {} }),
      item("message", { id = "msg_1", role = "assistant", status = "completed", content = text, phase = "p" }),
      item("function_call", { id = "fc_1", call_id = "a", name = "look", arguments = "{}" }),
      item("function_call_output", { call_id = "a", output = lines(90) }),
      item("reasoning", { id = "rs_2", summary = {} }),
      item("message", { id = "msg_2", role = "assistant", status = "completed", content = text }),
    }
    local sent = history.fit(items, options { format = "responses" })
    assert.same({
      items[1],
      { type = "message", role = "assistant", content = text, phase = "p" },
      { type = "message", role = "user", content = "[1 call removed to save room: look (1)]" },
      items[6],
      items[7],
    }, sent)
    valid.responses(sent, items)
  end)

  it("stay where a call waits, where a part is not known, and where the line costs as much", function()
    local use = { type = "tool_use", id = "a", name = "look", input = { at = lines(20) } }
    local result = { type = "tool_result", tool_use_id = "a", content = "ok" }
    local function sent_of(...)
      local messages = { { role = "user", content = "Go." }, ... }
      messages[#messages + 1] = { role = "assistant", content = "Done." }
      return #history.fit(messages, options { format = "anthropic", inputs = false }) - #messages
    end
    local other = { type = "tool_use", id = "b", name = "look", input = {} }
    assert.equal(-1, sent_of({ role = "assistant", content = { use } }, { role = "user", content = { result } }))
    assert.equal(0, sent_of({ role = "assistant", content = { use, other } }, { role = "user", content = { result } }))
    local server = { type = "server_tool_use", id = "s", name = "web_search", input = {} }
    assert.equal(0, sent_of({ role = "assistant", content = { server, use } }, { role = "user", content = { result } }))
    assert.equal(
      0,
      sent_of({ role = "assistant", content = { other } }, {
        role = "user",
        content = { { type = "tool_result", tool_use_id = "b", content = "ok" } },
      })
    )
  end)

  it("keep what a person wrote beside their results", function()
    local use = { type = "tool_use", id = "a", name = "look", input = { at = lines(20) } }
    local block = { type = "text", text = "And be quick.", cache_control = { type = "ephemeral" } }
    local sent = history.fit({
      { role = "user", content = "Go." },
      { role = "assistant", content = { { type = "text", text = " \n" }, use } },
      { role = "user", content = { { type = "tool_result", tool_use_id = "a", content = "ok" }, block } },
      { role = "assistant", content = "Done." },
    }, options { format = "anthropic" })
    assert.same({ role = "user", content = "[1 call removed to save room: look (1)]" }, sent[2])
    assert.same({ role = "user", content = { block } }, sent[3])
    assert.equal(4, #sent)
  end)
end)

describe("a host's own format", function()
  local function read(message)
    if message.out then return { results = { { id = message.id, content = message.out } } } end
    return { reply = message.from == "model", text = message.says, calls = message.calls }
  end
  local format = {
    read = read,
    write = function(message, contents)
      return { id = message.id, out = contents[1] }
    end,
  }
  local messages = { { from = "me", says = "Go." } }
  for i = 1, 3 do
    messages[2 * i] =
      { from = "model", says = "Step " .. i, calls = { { id = i, name = "write", input = { text = SOURCE } } } }
    messages[2 * i + 1] = { id = i, out = lines(90) }
  end

  it("has its calls left alone unless it can shorten and merge", function()
    local sent = history.fit(messages, options { format = format })
    assert.equal(7, #sent)
    assert.equal(messages[2], sent[2])
    assert.matches("^%[Removed", sent[3].out)
  end)

  it("gets inputs of the kind it gave, and all messages of a run", function()
    local function shorten(message, inputs)
      return { from = "model", says = message.says, calls = { merge({}, message.calls[1], { input = inputs[1] }) } }
    end
    local last
    local function merged(run, text)
      last = run
      return { { from = "model", says = run[1].says }, { from = "me", says = text } }
    end
    local own = merge({}, format, { shorten = shorten })
    local sent = history.fit(messages, options { format = own })
    assert.matches("^local function[^\n]*\n%[%d+ more chars", sent[2].calls[1].input.text)
    assert.equal(7, #sent)
    own.merge = merged
    sent = fit_once(messages, { format = own })
    assert.same({ from = "me", says = "[2 calls removed to save room: write (2)]" }, sent[3])
    assert.equal("Step 1", sent[2].says)
    assert.equal(5, #sent)
    assert.equal(4, #last)
    assert.matches("^%[Removed", last[2].out)
  end)
end)
