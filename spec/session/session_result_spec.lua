-- Whatever a tool of the host yields, raises or hands over later becomes one result, plain data in every case.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local host = require "abridge.base.host"
local opened = require "support.opened"
local one_tool = require "support.one_tool"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

---What a foreign tool's value becomes.
local function result_of(value, opts)
  local session = one_tool(function()
    return value
  end, nil, opts)
  return session:call("tool", {})
end

describe("a tool that raises #few", function()
  local function raised(value)
    return one_tool(function()
      error(value, 0)
    end):call("tool", {})
  end

  it("gives its message as an error", function()
    local result = raised "disk on fire"
    assert.equal("disk on fire", result.content)
    assert.is_true(result.is_error)
    assert_plain_data(result)
  end)

  it("may raise anything", function()
    assert.equal('{"code":5}', raised({ code = 5 }).content)
    assert.equal("5", raised(5).content)
    assert.equal("true", raised(true).content)
    local with_message = setmetatable({}, {
      __tostring = function()
        return "told by __tostring"
      end,
    })
    assert.equal("told by __tostring", raised(with_message).content)
    for _, value in ipairs { print, coroutine.create(function() end), {}, { print } } do
      local result = raised(value)
      assert.is_true(result.is_error)
      assert_plain_data(result)
    end
    local result = raised(nil)
    assert.is_true(result.is_error)
    assert.is_true(#result.content > 0)
  end)

  it("is capped like any content, valid UTF-8", function()
    local result = raised(("\195\169\255\n"):rep(100000))
    assert.is_true(#result.content <= 30720)
    assert.is_true(result.is_error)
    local _, invalid = abridge.count_chars(result.content)
    assert.equal(0, invalid)
  end)

  it("does not disturb the session", function()
    local n = 0
    local session = one_tool(function()
      n = n + 1
      if n == 1 then error "first" end
      return "second"
    end)
    assert.is_true(session:call("tool", {}).is_error)
    assert.equal("second", session:call("tool", {}).content)
  end)
end)

describe("what a tool returns #few", function()
  it("may be a string", function()
    local result = result_of "text\n"
    assert.equal("text\n", result.content)
    assert.is_false(result.is_error)
    assert.equal("tool", result.tool)
    assert.is_nil(result.blocks)
    assert.is_true(result.duration_ms >= 0)
    assert_plain_data(result)
  end)

  it("may be any other value", function()
    assert.equal("5", result_of(5).content)
    assert.equal("0.5", result_of(0.5).content)
    assert.equal("true", result_of(true).content)
    assert.equal("false", result_of(false).content)
    assert.equal('{"a":[1,2]}', result_of({ a = { 1, 2 } }).content)
    assert.equal("[1,2,3]", result_of({ 1, 2, 3 }).content)
    assert.equal("{}", result_of({}).content) -- on every host
    local cycle = {}
    cycle.cycle = cycle
    assert_plain_data(result_of(cycle))
  end)

  it("may be nothing only as an error", function()
    if host.in_nvim then return pending "the loop of Neovim never ends" end
    local result = result_of(nil)
    assert.is_true(result.is_error)
    assert.matches("tool", result.content)
    assert_plain_data(result)
  end)

  it("may be MCP content", function()
    local image = { type = "image", data = "aGk=", mimeType = "image/png" }
    local audio = { type = "audio", data = "aGk=", mimeType = "audio/wav" }
    local result = result_of {
      content = { { type = "text", text = "one" }, image, { type = "text", text = "two" }, audio },
    }
    assert.equal("one\ntwo", result.content)
    assert.equal(2, #result.blocks)
    assert.equal(image, result.blocks[1]) -- untouched: the same table
    assert.equal(audio, result.blocks[2])
    assert.same({ type = "image", data = "aGk=", mimeType = "image/png" }, image)
    assert.is_false(result.is_error)
    assert_plain_data(result)
  end)

  it("keeps images of any size whole while text is cut", function()
    local image = { type = "image", data = ("A"):rep(1000000), mimeType = "image/png" }
    local result = result_of { content = { image, { type = "text", text = ("x\n"):rep(50000) } } }
    assert.is_true(#result.content <= 30720)
    assert.equal(1000000, #result.blocks[1].data)
    assert.is_true(result.truncation.truncated)
  end)

  it("may be MCP content without text, or empty", function()
    local result = result_of { content = { { type = "image", data = "", mimeType = "image/png" } } }
    assert.equal("", result.content)
    assert.equal(1, #result.blocks)
    result = result_of { content = {} }
    assert.equal("", result.content)
    assert.is_nil(result.blocks)
    assert_plain_data(result)
  end)

  it("may be an MCP error", function()
    local result = result_of { content = { { type = "text", text = "boom" } }, isError = true }
    assert.equal("boom", result.content)
    assert.is_true(result.is_error)
    assert.is_true(result_of({ content = "boom", is_error = true }).is_error)
    assert.is_false(result_of({ content = "fine", isError = false }).is_error)
  end)

  it("may say where it goes on", function()
    local result = result_of { content = "a\n", total = 90, next_offset = 2, resume_hint = "ask for page 2" }
    local block = { truncated = true, bytes_returned = 2, next_offset = 2, resume_hint = "ask for page 2" }
    block.reason = "item_cap"
    assert.same(block, result.truncation)
    assert.same({ truncated_total = 90 }, result.metadata)
    assert_plain_data(result)
  end)

  it("has a hint of ours where the tool gave an offset alone", function()
    local result = result_of { content = "a\n", next_offset = 2 }
    assert.equal("call tool with offset=2", result.truncation.resume_hint)
    abridge.assert_conforms("tool", result)
  end)

  it("has the reason that the tool was registered with", function()
    local session = one_tool(function()
      return { content = "a\nb\nc\n", next_offset = 3 }
    end, { reason = "row_cap" })
    assert.equal("row_cap", session:call("tool", {}).truncation.reason)
  end)

  it("may be wrong about itself without harm", function()
    local result = result_of { content = 5, total = "many", next_offset = -1, resume_hint = {}, details = "none" }
    assert.equal("5", result.content)
    assert.is_false(result.truncation.truncated)
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
    result = result_of { content = "a", next_offset = 1.5, total = 0 / 0 }
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
    result = result_of { content = "a", next_offset = 3, resume_hint = "\255\0" }
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
  end)

  it("may carry details of its own beside the cut", function()
    local result = result_of { content = "a", details = { rows = 7, list = { 1 } } }
    assert.equal(7, result.details.rows)
    assert.same({ 1 }, result.details.list)
    assert.equal(1, result.details.cut.total_bytes)
  end)

  it("keeps a details table of the tool's as it was", function()
    local details, text = { rows = 7 }, "a"
    local session = one_tool(function()
      return { content = text, details = details }
    end)
    session:call("tool", {})
    text = "four"
    assert.equal(4, session:call("tool", {}).details.cut.total_bytes)
    assert.same({ rows = 7 }, details)
  end)

  it("is plain data whatever stands in the details", function()
    assert_plain_data(result_of { content = "a", details = { f = print, empty = {}, nested = { f = print } } })
    assert_plain_data(result_of { content = "a", details = {} })
  end)

  it("is valid UTF-8 whatever it was", function()
    local plain = ("a"):rep(30)
    local result = result_of(plain .. "\255b\226\130\n")
    assert.equal(plain .. "\239\191\189b\239\191\189\239\191\189\n", result.content)
    for _, profile in ipairs { "default", "pi", "pipeline", "contract", "dispatcher" } do
      for _, text in ipairs { ("\195\169\255\n"):rep(100000), ("\255"):rep(300000), "\255" } do
        local capped = result_of(text, { profile = profile })
        local _, invalid = abridge.count_chars(capped.content)
        assert.equal(0, invalid)
        assert_plain_data(capped)
      end
    end
  end)

  it("is cut by the limits of its tool", function()
    local text = ("line\n"):rep(10000)
    local result = result_of(text)
    assert.is_true(#result.content <= 30720)
    assert.equal("line_cap", result.truncation.reason)
    assert.is_true(result.details.cut.output_lines <= 2000)
    assert.equal(50000, result.truncation.bytes_total)

    result = result_of(text, { limits = { tool = { max_lines = 5 } } })
    assert.equal(5, result.details.cut.output_lines)

    local function tool()
      return text
    end
    local definition = { limits = { strategy = "tail", max_bytes = "1KB" } }
    result = one_tool(tool, definition):call("tool", {})
    assert.is_true(#result.content <= 1024)
    assert.matches("^line\n.*%[Showing lines %d+%-10000 of 10000 %(1KB limit%)%]$", result.content)
    assert.equal("size_cap", result.truncation.reason)
    -- what the session says comes before what the tool says
    local session = one_tool(tool, { limits = { strategy = "tail", max_bytes = "1KB" } }, {
      limits = { tool = { max_bytes = 200 } },
    })
    assert.equal(200, session:limits("tool").max_bytes)
    assert.equal("tail", session:limits("tool").strategy)
    assert.is_true(#session:call("tool", {}).content <= 200)
  end)

  it("is cut in every profile when it is huge", function()
    local text = ("0123456789abcde\n"):rep(1000000) -- 16 MB
    local most = { default = 30720, contract = 65536, dispatcher = 131072, pipeline = 20000 + 200 }
    for profile, bytes in pairs(most) do
      local result = result_of(text, { profile = profile })
      assert.is_true(#result.content <= bytes, profile)
      assert.is_true(result.truncation.truncated, profile)
      assert.equal(#text, result.truncation.bytes_total, profile)
    end
  end)
end)

describe("done #few", function()
  it("may be called later", function()
    local result = one_tool(function(input, _, done)
      waiting.later(5, function()
        done("later " .. input.n)
      end)
    end):call("tool", { n = 3 })
    assert.equal("later 3", result.content)
  end)

  it("may be called before execute returns", function()
    local result = one_tool(function(_, _, done)
      done "at once"
    end):call("tool", {})
    assert.equal("at once", result.content)
  end)

  it("counts the first time only", function()
    local finish
    local calls = 0
    local session = one_tool(function(_, _, done)
      finish = done
      done "first"
      done "second"
      return "third"
    end)
    local job = session:call("tool", {}, {
      on_done = function()
        calls = calls + 1
      end,
    })
    assert.equal("first", job:wait().content)
    finish "fourth"
    assert.equal("first", job:wait().content)
    assert.equal(1, calls)
  end)

  it("counts before what the tool raises after it", function()
    local result = one_tool(function(_, _, done)
      done "good"
      error "too late"
    end):call("tool", {})
    assert.equal("good", result.content)
    assert.is_false(result.is_error)
  end)

  it("with nothing is an error", function()
    local result = one_tool(function(_, _, done)
      done(nil)
    end):call("tool", {})
    assert.is_true(result.is_error)
    assert_plain_data(result)
  end)

  it("with the same value again and again gives the same result each time", function()
    local value = { content = ("x\n"):rep(5000), details = { n = 1 } }
    local session = one_tool(function(_, _, done)
      done(value)
    end)
    local first, second = session:call("tool", {}), session:call("tool", {})
    assert.equal(first.content, second.content)
    assert.same(first.truncation, second.truncation)
    assert.same(first.details, second.details)
  end)
end)

describe("results #few", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("are plain data in every case", function()
    dir:write("small.txt", "a\nb\n")
    dir:write("empty.txt", "")
    dir:write("big.txt", ("line\n"):rep(20000))
    dir:write("long.txt", ("x"):rep(200000))
    dir:write("bad.txt", "\255\254\n")
    dir:write("binary", "\0\1\2")
    local calls = {
      { "read_file", { path = "small.txt" } },
      { "read_file", { path = "empty.txt" } },
      { "read_file", { path = "big.txt" } },
      { "read_file", { path = "big.txt", offset = 7, limit = 2 } },
      { "read_file", { path = "long.txt" } },
      { "read_file", { path = "long.txt", column = 5 } },
      { "read_file", { path = "bad.txt" } },
      { "read_file", { path = "binary" } },
      { "read_file", { path = "missing" } },
      { "read_file", { path = "." } },
      { "read_file", { path = "small.txt", offset = 100 } },
      { "read_file", {} },
      { "read_file", "{" },
      { "run_command", { command = "true" } },
      { "run_command", { command = "cat big.txt" } },
      { "run_command", { command = "cat long.txt" } },
      { "run_command", { command = "exit 3" } },
      { "run_command", { command = "kill -9 $$" } },
      { "run_command", { command = "true", cwd = "nowhere" } },
      { "run_command", { command = "sleep 60", timeout = 0.05 } },
      { "nope", {} },
    }
    for _, profile in ipairs { "default", "pi", "pipeline", "contract", "dispatcher" } do
      local session = abridge.session { profile = profile, cwd = dir.path }
      for _, call in ipairs(calls) do
        local result = session:call(call[1], call[2])
        assert_plain_data(result)
        abridge.assert_conforms(call[1], result)
        assert.equal("string", type(result.content))
        assert.equal("boolean", type(result.is_error))
        assert.is_true(result.truncation.bytes_returned <= #result.content)
        local _, invalid = abridge.count_chars(result.content)
        assert.equal(0, invalid)
      end
    end
  end)

  it("are plain data when nothing of the content is kept", function()
    local session = abridge.session { limits = { tool = { max_bytes = 0 } } }
    assert_plain_data(session:cap("tool", "text"))
    assert.equal("", session:cap("tool", "text").content)
  end)
end)

describe("a text for read_file made elsewhere #few", function()
  after_each(opened.close)

  it("tells where its next page starts, as read_file itself does", function()
    local dir = tmpdir.new()
    local session = opened.session { cwd = dir.path, run_dir = false }
    for name, text in pairs {
      lines = ("a line\n"):rep(5000),
      short = "a line\n",
      empty = "",
    } do
      dir:write(name, text)
      local own = session:call("read_file", { path = name })
      local block = session:cap("read_file", text, { path = name }).truncation
      assert.same(own.truncation, block, name)
      assert.equal(#text > 1000, block.next_offset ~= nil, name)
    end
    local lines = ("a line\n"):rep(5000)
    local told = session:cap("read_file", lines, { resume = "Call view with from={next}." }).truncation
    assert.same({ 2001, "Call view with from=2001." }, { told.next_offset, told.resume_hint })
    local inside = session:cap("read_file", ("x"):rep(70000)).truncation -- no shell can show the rest: it's split
    assert.equal(1, inside.next_offset)
    assert.matches("^call read_file with offset=1 column=%d+$", inside.resume_hint)
    assert.is_nil(session:cap("read_file", lines, { first_line = 7 }).truncation.next_offset)
    dir:remove()
  end)
end)

describe("a cut content #few", function()
  after_each(opened.close)

  --- Does something between what is kept, or behind it, say that more was there?
  local function tells(result)
    for _, marker in ipairs(result.details.cut.markers or {}) do
      if result.content:sub(marker.first_byte, marker.last_byte):find "%S" then return true end
    end
    return result.details.notice ~= nil
  end

  it("says so beside an exit line too, under any budget that holds a marker", function()
    for _, strategy in ipairs { "auto", "priority", "head_tail", "head", "tail" } do
      for tokens = 18, 60, 2 do -- the marker takes 18, the exit line 7
        local limits = { max_bytes = false, max_lines = false, max_tokens = tokens, strategy = strategy }
        local session = opened.session { run_dir = false, limits = { run_command = limits } }
        local result = session:call("run_command", { command = "seq 3000; exit 4" })
        assert.is_true(tells(result), result.content)
        assert.matches("Command exited with code 4", result.content)
        assert.is_true(abridge.estimate_tokens(result.content) * 1.35 <= tokens)
      end
    end
  end)

  it("says so under any ceiling that holds a marker", function()
    for ceiling = 60, 120, 4 do -- the marker takes 56, the exit line with its blank line 28
      local session = opened.session { run_dir = false, ceiling = { max_bytes = ceiling }, profile = "dispatcher" }
      session:register {
        name = "tool",
        execute = function()
          return { content = ("word "):rep(1000), is_error = true }
        end,
      }
      assert.is_true(tells(session:call("tool", {})))
      local result = session:call("run_command", { command = "seq 3000; exit 4" })
      assert.is_true(tells(result), result.content)
      assert.is_true(#result.content <= ceiling)
    end
  end)
end)

describe("options with a metatable #few", function()
  it("are what stands in them, checked; the metatable is not asked", function()
    local function answer()
      return 7
    end
    local opts = setmetatable({ run_dir = false, tools = {} }, { __index = answer, __pairs = answer })
    local session = abridge.session(opts)
    local tool = setmetatable({
      name = "t",
      execute = function()
        return "x"
      end,
    }, { __index = answer })
    session:register(tool)
    assert.equal("x", session:call("t", {}).content)
    session:close()
  end)
end)

describe("a value whose fields change from look to look #few", function()
  it("is a result all the same", function()
    local looks = 0
    local value = setmetatable({ content = "text" }, {
      __index = function(_, key)
        looks = looks + 1
        if key == "details" then return looks % 2 == 1 and {} or 7 end
      end,
    })
    local session = abridge.session { run_dir = false, tools = {} }
    for _ = 1, 4 do
      local result = session:cap("other", value)
      assert.equal("text", result.content)
      assert.is_table(result.details)
      looks = looks + 1
    end
    session:close()
  end)
end)
