-- history.fit: its options, what goes and in which order, what is left in its place.

local abridge = require "abridge"
local history = require "abridge.history"
local lines = require "support.numbered"
local merge = require "support.merge"
local openai = require "abridge.openai"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local function bytes(text)
  return #text
end

--- Chat messages: a task, then a turn for each call, as { name, arguments, content }.
local function chat(...)
  local messages = { { role = "user", content = "Go." } }
  for i, made in ipairs { ... } do
    local part = { name = made[1], arguments = made[2] }
    local calls = { { id = "c" .. i, type = "function", ["function"] = part } }
    messages[#messages + 1] = { role = "assistant", content = "", tool_calls = calls }
    messages[#messages + 1] = { role = "tool", tool_call_id = "c" .. i, content = made[3] }
  end
  return messages
end

--- Messages of the Messages API: likewise, as { name, input, content, is_error }.
local function anthropic(...)
  local messages = { { role = "user", content = "Go." } }
  for i, made in ipairs { ... } do
    local use = { type = "tool_use", id = "u" .. i, name = made[1], input = made[2] }
    local result = { type = "tool_result", tool_use_id = "u" .. i, content = made[3], is_error = made[4] }
    messages[#messages + 1] = { role = "assistant", content = { use } }
    messages[#messages + 1] = { role = "user", content = { result } }
  end
  return messages
end

local function options(over)
  local results_alone = { inputs = false, exchanges = false, keep = 0, clear_at_least = 0 }
  return merge(merge(results_alone, { format = "openai", max_tokens = 1000, count_tokens = bytes }), over)
end

-- All that may go, goes.
local ALL = { trigger = 0, target = 0, max_tokens = 1e6 }

local PAGE = ("x"):rep(60) .. "\n"

describe("history.fit", function()
  it("changes nothing up to the trigger", function()
    local messages = chat({ "look", "{}", PAGE:rep(8) }, { "look", '{"a":1}', PAGE:rep(6) })
    local size = 0
    for _, text in ipairs { "Go.", "look", "{}", "look", '{"a":1}' } do
      size = size + #text
    end
    size = size + #PAGE * 14
    local sent, report = history.fit(messages, options { max_tokens = size, trigger = 1 })
    assert.same(messages, sent)
    assert.same({ tokens_before = size, tokens_after = size, changed = {}, freed = 0, fits = true }, report)
    local _, over = history.fit(messages, options { max_tokens = size - 1, trigger = 1 })
    assert.same({ 3 }, over.changed)
    assert.equal(3, over.first_changed)
  end)

  it("leaves the last turn and some results before it", function()
    local made = {}
    for i = 1, 6 do
      made[i] = { "look", '{"a":' .. i .. "}", PAGE:rep(4) }
    end
    local messages = chat((table.unpack or unpack)(made))
    for keep = 0, 4 do
      local sent, report = history.fit(messages, options { max_tokens = 1600, target = 0, keep = keep })
      local whole = 0
      for _, message in ipairs(sent) do
        whole = whole + (message.content == PAGE:rep(4) and 1 or 0)
      end
      assert.equal(keep + 1, whole)
      assert.equal(5 - keep, #report.changed)
    end
  end)

  it("does nothing that frees too little", function()
    local messages = chat({ "look", "{}", PAGE:rep(4) }, { "look", '{"a":1}', PAGE:rep(12) })
    local _, report = history.fit(messages, options { clear_at_least = 0.3 })
    assert.same({}, report.changed)
    _, report = history.fit(messages, options { clear_at_least = 0.1 })
    assert.same({ 3 }, report.changed)
    _, report = history.fit(messages, options { clear_at_least = 0.3, max_tokens = 990 }) -- over: it must
    assert.same({ 3 }, report.changed)
  end)

  it("replaces images and base64 first, then what was asked for again, then the oldest", function()
    local messages = anthropic(
      { "read", { path = "a", from = 1 }, PAGE:rep(5) },
      { "read", { path = "b" }, PAGE:rep(5) },
      { "read", { from = 1, path = "a" }, PAGE:rep(5) },
      { "read", { path = "b" }, PAGE:rep(5), true }, -- failed: it supersedes nothing
      {
        "shot",
        {},
        { { type = "text", text = PAGE }, { type = "image", source = { type = "url", url = "http://x" } } },
      },
      { "cat", {}, ("QUJD"):rep(80) .. " in base64" },
      { "look", {}, ("x"):rep(150) } -- before it nothing has to go
    )
    local opts = options { format = "anthropic", max_tokens = 1e6, image_tokens = 500, trigger = 0.99 }
    opts.max_tokens = select(2, history.fit(messages, opts)).tokens_before
    local order = {}
    for percent = 98, 10, -1 do
      opts.target = percent / 100
      local changed = table.concat(select(2, history.fit(messages, opts)).changed, " ")
      if changed ~= order[#order] then order[#order + 1] = changed end
    end
    assert.same({ "11", "11 13", "3 11 13", "3 5 11 13", "3 5 7 11 13", "3 5 7 9 11 13" }, order)
  end)

  it("says what was called, how it ended, how much it printed, and how to see it again", function()
    local function stub_of(name, input, content, is_error)
      local messages = anthropic({ name, input, content, is_error }, { "look", {}, PAGE:rep(20) })
      local opts = options { format = "anthropic", max_tokens = 1e6, trigger = 0, target = 0 }
      opts.count_tokens = nil
      local sent = history.fit(messages, opts)
      return sent[3].content[1].content
    end
    local source = lines(400, "local x =")
    assert.equal(
      "[Removed to save room: lines 1-400, 5.4KB. Call read_file again]",
      stub_of("read_file", { path = "lib/cart.lua" }, source)
    )
    assert.equal(
      "[Removed to save room: lines 101-500, 5.4KB. Call read_file again]",
      stub_of("read_file", { path = "a.lua", offset = 101 }, source)
    )
    assert.equal(
      "[Removed to save room: lines 7-406, 5.4KB. Call read_file again]",
      stub_of(
        "read_file",
        { path = "a.lua", offset = 7 },
        source .. "\n\n[90 more lines in file. Use offset=407 to continue]"
      )
    )
    local prose = source .. "\nsee [Showing lines 5-9 of the log]"
    assert.equal(
      "[Removed to save room: lines 1-401, 5.4KB. Call read_file again]",
      stub_of("read_file", { path = "a.md" }, prose)
    )
    assert.equal(
      "[Removed to save room: lines 3-403, 5.4KB. Call read_file again]",
      stub_of("read_file", { path = "a.md" }, prose .. "\n\n[Showing lines 3-403 of 900 (30KB limit)]")
    )
    assert.equal(
      "[Removed to save room: 400 lines, 5.4KB]",
      stub_of("run_command", { command = "make -j2\n  test" }, source)
    )
    assert.equal(
      "[Removed to save room: 400 lines, 5.4KB]",
      stub_of("edit_file", { path = "a.c", old = "a", new = "b" }, source)
    )
    assert.equal("[Removed to save room: 400 lines, 5.4KB]", stub_of("getWeather", { city = "Ulm" }, source))
    local failed = stub_of(
      "run_command",
      { command = "make" },
      lines(200, "CC") .. "\nmain.c:3: error: no x\nmake: *** [all] Error 1",
      true
    )
    assert.equal("[Removed to save room: failed, 202 lines, 1.3KB]", failed:match "^[^\n]*")
    assert.matches("\nmain.c:3: error: no x\n", failed)
    assert.matches("\nmake: %*%*%* %[all%] Error 1$", failed)
  end)

  it("has stubs of one line of at most 160 tokens, whatever was called", function()
    local long = ("word\27[31m\1 \226\128\174"):rep(2000)
    for _, count in ipairs {
      bytes,
      function(text)
        return math.ceil(#text / 4)
      end,
    } do
      local inputs = { { path = long }, { command = long }, { query = long, path = long }, { deep = { long } } }
      for _, input in ipairs(inputs) do
        local messages = anthropic({ long, input, lines(300) }, { "look", {}, PAGE:rep(20) })
        local opts = options(ALL)
        opts.format, opts.count_tokens = "anthropic", count
        local stub = history.fit(messages, opts)[3].content[1].content
        assert.matches("^%[Removed to save room[^%c\226]*%]$", stub)
        assert.is_true(count(stub) <= 160)
      end
    end
  end)

  it("has words of at most 24 tokens, and tells to call again only what may be", function()
    local function stub_of(name, tools)
      local messages = chat({ name, "{}", lines(300) }, { "look", "{}", "x" })
      return history.fit(messages, options(merge({}, ALL, { tools = tools })))[3].content
    end
    assert.equal(
      "[Removed to save room: 300 lines, 2.5KB. Call a\239\191\189b again]",
      stub_of("a\255b", {
        ["a\255b"] = { repeatable = true },
      })
    )
    local long = ("one_two_"):rep(20)
    assert.equal("[Removed to save room: 300 lines, 2.5KB]", stub_of(long, { [long] = { reads = "path" } }))
    for _, name in ipairs {
      "read_file",
      "search_files",
      "find_files",
      "list_directory",
      "web_fetch",
      "Read",
      "ls",
      "grep",
    } do
      assert.equal(
        ("[Removed to save room: 300 lines, 2.5KB. Call %s again]"):format(name),
        stub_of(name):gsub("lines 1%-300", "300 lines"),
        nil
      )
    end
    for _, name in ipairs {
      "kill_list",
      "read_and_clear_queue",
      "get_next_job",
      "run_command",
      "bash",
      "edit",
      "sql_query",
    } do
      assert.equal("[Removed to save room: 300 lines, 2.5KB]", stub_of(name))
    end
    assert.equal("[Removed to save room: 300 lines, 2.5KB]", stub_of("Read", { Read = false }))
    assert.equal(
      "[Removed to save room: 300 lines, 2.5KB]",
      stub_of("peek", { peek = { reads = "x", repeatable = false } })
    )
    assert.equal(
      "[Removed to save room: 300 lines, 2.5KB. Call peek again]",
      stub_of("peek", { peek = { reads = "x" } })
    )
  end)

  it("never takes a small result, one of an excluded tool, or a stub of other options", function()
    local messages = chat(
      { "look", "{}", ("x"):rep(160) },
      { "keep_me", "{}", PAGE:rep(9) },
      { "cat", "{}", PAGE:rep(9) },
      { "look", "{}", "end" }
    )
    local opts = options(ALL)
    opts.exclude_tools = { "keep_me" }
    local sent, report = history.fit(messages, opts)
    assert.same({ 7 }, report.changed)
    opts.count_tokens = function(text) -- the stub is over 160 tokens now
      return 3 * #text
    end
    local again = history.fit(sent, opts)
    assert.equal(sent[7].content, again[7].content)
  end)

  it("cuts the last turn, each result to the same, where nothing else is left", function()
    local message = { role = "assistant", content = "", tool_calls = {} }
    local messages = { { role = "user", content = "Go." }, message }
    for i, size in ipairs { 300, 20, 90 } do
      local part = { name = "cat", arguments = '{"n":' .. i .. "}" }
      message.tool_calls[i] = { id = "c" .. i, type = "function", ["function"] = part }
      messages[#messages + 1] = { role = "tool", tool_call_id = "c" .. i, content = lines(size, "some line") }
    end
    local sent, report = history.fit(messages, { format = "openai", max_tokens = 800 })
    assert.same({ 3, 5 }, report.changed)
    assert.is_true(report.fits)
    assert.matches("\n\n%[Showing %d+ of 300 lines %(%d+ token limit%)%]$", sent[3].content)
    assert.matches("^some line 1\n", sent[5].content)
    local _, none = history.fit(sent, { format = "openai", max_tokens = 800 })
    assert.same({}, none.changed)
    local whole, over = history.fit(messages, { format = "openai", max_tokens = 200 }) -- no cut would help
    assert.is_false(over.fits)
    assert.equal(over.tokens_before, over.tokens_after)
    assert.same(messages, whole)
  end)

  it("counts images by their size, and what no model reads not at all", function()
    local png = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA"
    local message = {
      role = "user",
      content = {
        { type = "text", text = "See." },
        { type = "image", source = { type = "base64", media_type = "image/png", data = png } },
      },
    }
    local hidden = {
      role = "assistant",
      content = {
        { type = "thinking", thinking = "Hm.", signature = ("s"):rep(900) },
        { type = "redacted_thinking", data = ("r"):rep(900) },
      },
    }
    local function tokens(image_tokens)
      local opts = options { format = "anthropic", image_tokens = image_tokens }
      return select(2, history.fit({ message, hidden }, opts)).tokens_before
    end
    assert.equal(1600 + 4 + 3, tokens(nil))
    assert.equal(85 + 4 + 3, tokens(85))
    assert.equal(
      640 + 480 + 4 + 3,
      tokens(function(width, height)
        return width + height
      end)
    )
    local url =
      { role = "user", content = { { type = "image_url", image_url = { url = "https://example.org/a.png" } } } }
    local _, report = history.fit(
      { url },
      options {
        image_tokens = function()
          error "no size is known"
        end,
      }
    )
    assert.equal(1600, report.tokens_before)
    assert.equal(
      410 + 4 + 3,
      tokens(function(width, height)
        return width * height / 750
      end)
    )
    local ok, problem = pcall(tokens, function()
      return "many"
    end)
    assert.is_false(ok)
    assert.matches('image_tokens must return a number from 0 to 2^53, got "many"', problem, 1, true)
  end)

  it("counts an image that was made as an image, and nothing that is encrypted", function()
    local data = ("QUJD"):rep(5000)
    local function tokens(format, message)
      return select(2, history.fit({ message }, options { format = format })).tokens_before
    end
    assert.equal(1600, tokens("responses", { type = "image_generation_call", id = "ig_1", result = data }))
    local citation = { type = "web_search_result_location", cited_text = "word", encrypted_index = data }
    local text = { type = "text", text = "text", citations = { citation } }
    assert.equal(8, tokens("anthropic", { role = "assistant", content = { text } }))
    local run = { type = "encrypted_code_execution_result", encrypted_stdout = data, stderr = "oops" }
    assert.equal(4, tokens("anthropic", { role = "assistant", content = { run } }))
    local details = { { type = "reasoning.encrypted", data = data }, { type = "reasoning.text", text = "Hm." } }
    assert.equal(5, tokens("openai", { role = "assistant", content = "hi", reasoning_details = details }))
  end)

  it("knows the text of search results and documents: stubs tell its size, and the last turn's is cut", function()
    local text = lines(400)
    local block = { type = "text", text = text }
    for _, part in ipairs {
      { type = "search_result", source = "https://example.org", title = "T", content = { block } },
      { type = "document", title = "T", source = { type = "text", media_type = "text/plain", data = text } },
    } do
      local messages = anthropic({ "search_docs", { query = "q" }, { part } }, { "look", {}, PAGE:rep(20) })
      local opts = options { format = "anthropic", trigger = 0, target = 0, max_tokens = 1e6 }
      local sent = history.fit(messages, opts)
      local stub = "[Removed to save room: 400 lines, 3.4KB]"
      assert.equal(stub, sent[3].content[1].content)
      local headings = part.type == "document" and "T" or "Thttps://example.org"
      local of_rest = select(2, history.fit(anthropic { "search_docs", { query = "q" }, "" }, opts)).tokens_before
      local last = anthropic { "search_docs", { query = "q" }, { part } }
      local report
      sent, report = history.fit(last, options { format = "anthropic", max_tokens = 1000 })
      assert.equal(of_rest + #text + #headings, report.tokens_before)
      assert.is_true(report.fits)
      assert.matches("^line 1\n.*line 400\n\n%[Showing %d+ of 400 lines", sent[3].content[1].content[1].text)
    end
  end)

  it("pairs results by order where they have no ids, and where ids come twice", function()
    local function call(id, path, offset)
      local part = { name = "read_file", arguments = ('{"path":"%s","offset":%d}'):format(path, offset) }
      return { id = id, type = "function", ["function"] = part }
    end
    local messages = { { role = "user", content = "Go." } }
    for _, ids in ipairs { { "a", "a" }, { "a", "b" }, {} } do
      messages[#messages + 1] =
        { role = "assistant", tool_calls = { call(ids[1], #messages .. "x", 1), call(ids[2], #messages .. "y", 101) } }
      for k = 1, 2 do
        messages[#messages + 1] = { role = "tool", tool_call_id = ids[k], content = PAGE:rep(9) }
      end
    end
    messages[#messages + 1] = { role = "assistant", content = "Done." }
    local sent, report = history.fit(messages, options(ALL))
    assert.same({ 3, 4, 6, 7, 9, 10 }, report.changed)
    for i, line in pairs { [3] = 1, [4] = 101, [6] = 1, [7] = 101, [9] = 1, [10] = 101 } do
      assert.matches(("lines %d%%-%d,"):format(line, line + 8), sent[i].content)
    end
  end)

  it("refuses what it cannot read, and names it", function()
    local ok = { format = "openai", max_tokens = 10 }
    local function refused(messages, opts)
      return (
        plain
          .misuse(function()
            local sent = history.fit(messages, opts)
            return sent
          end)
          :gsub("^abridge.history.fit: ", "")
      )
    end
    local function with(key, value)
      return refused({}, { format = "openai", max_tokens = 10, [key] = value })
    end
    assert.equal("opts must be a table, got nil", refused({}, nil))
    assert.equal("max_tokens must be an integer from 1 to 2^53, got nil", refused({}, { format = "openai" }))
    assert.equal("max_tokens must be an integer from 1 to 2^53, got 0", with("max_tokens", 0))
    assert.equal(
      'format must be "openai", "responses", "anthropic" or { read =, write = }, got "gemini"',
      with("format", "gemini")
    )
    assert.equal("format.write must be a function, got nil", with("format", { read = type }))
    assert.equal("unknown option 'budget' (value 5)", with("budget", 5))
    assert.equal("trigger must be a number from 0 to 1, got 1.5", with("trigger", 1.5))
    assert.equal("target must be at most trigger (0.9), got 0.95", with("target", 0.95))
    assert.equal("keep must be an integer from 0 to 2^53, got -1", with("keep", -1))
    assert.equal("exclude_tools must be a list of tool names, got table", with("exclude_tools", { look = true }))
    assert.equal("session must be a session, got table", with("session", {}))
    assert.equal("image_tokens must be an integer from 0 to 2^53 or a function, got -1", with("image_tokens", -1))
    assert.matches("^token_safety ", with("token_safety", 0))
    assert.matches("^count_tokens ", with("count_tokens", 5))
    assert.equal("messages must be a list of messages, got string", refused("x", ok):gsub('got ".*', "got string"))
    assert.equal('messages must be a list of messages, got one with the key "role"', refused({ role = "user" }, ok))
    assert.equal("messages[2] must be a message of Chat Completions, got 5", refused({ { role = "user" }, 5 }, ok))
    assert.equal(
      'messages[1] must be a message of Chat Completions, got one with the role "bot"',
      refused({ { role = "bot" } }, ok)
    )
    local deep = { role = "user" }
    deep.content = deep
    assert.equal("messages[1] is nested too deep", refused({ deep }, ok))
  end)
end)

describe("history.fit with a session", function()
  local dir, session

  before_each(function()
    dir = tmpdir.new()
    local function redact(line)
      return (line:gsub("hunter2", "[redacted]"))
    end
    session = assert(abridge.session { run_dir = dir:at "run", redact = redact })
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function after_calls(...)
    local messages = { { role = "user", content = "Go." } }
    for i, command in ipairs { ... } do
      local part = { name = "run_command", arguments = ('{"command":"%s"}'):format(command) }
      local reply = { role = "assistant", tool_calls = { { id = "c" .. i, type = "function", ["function"] = part } } }
      messages[#messages + 1] = reply
      messages[#messages + 1] = openai.results(session, reply)[1]
    end
    messages[#messages + 1] = { role = "assistant", content = "Done." }
    return messages
  end

  it("tells how commands ended and where their full outputs are, and redacts", function()
    local messages =
      after_calls("seq 1 30000; exit 3", "seq 1 90; echo hunter2", "seq 1 400; kill -9 $$", "sleep 9 & seq 1 400")
    local opts = options(ALL)
    opts.count_tokens, opts.session = nil, session
    local sent = history.fit(messages, opts)
    local path = dir:at "run/artifacts/0001-run_command.log"
    local line = sent[3].content:match "^[^\n]*"
    local start = "[Removed to save room: exit 3, "
    assert.equal(start, line:sub(1, #start))
    assert.matches("^%d+ lines, [%d.]+KB%. Full output: ", line:sub(#start + 1))
    assert.equal(path .. "]", line:sub(-#path - 1))
    assert.matches("\n30000$", sent[3].content)
    assert.matches(
      "^%[Removed to save room: 91 lines, %d+B%. Full output: .*0002%-run_command%.log%]$",
      sent[5].content
    )
    assert.matches("^%[Removed to save room: killed by signal KILL, ", sent[7].content)
    os.remove(path)
    assert.same(sent, (history.fit(messages, opts))) -- the path is the event's
  end)

  it("knows the calls of an earlier session in the same folder", function()
    local messages = after_calls "seq 1 30000; exit 3"
    local opts = options(ALL)
    opts.count_tokens, opts.session = nil, session
    local sent = history.fit(messages, opts)
    session:close()
    session = assert(abridge.session { run_dir = dir:at "run" })
    opts.session = session
    assert.equal(sent[3].content, history.fit(messages, opts)[3].content)
  end)
end)
