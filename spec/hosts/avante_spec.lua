local abridge = require "abridge"
local adapter = require "abridge.avante"
local avante = require("support.plugins").driver "avante"
local coreless = require "support.standins.coreless"
local host = require "abridge.base.host"
local paths = require "support.paths"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"
local warned = require "support.warned"

local function lines(n)
  return seq(1, n, "line %d of the output"):sub(1, -2)
end

local LIMITS = { strategy = "head_tail", max_bytes = 500 }

--- A tool of each way to give a result.
local function tools()
  return {
    {
      name = "returns",
      description = "kept",
      param = { type = "table", fields = {} },
      func = function(input)
        return input.result, input.error
      end,
    },
    {
      name = "completes",
      func = function(input, first, second)
        local on_complete = type(first) == "table" and first.on_complete or second
        for _ = 1, input.times or 1 do
          on_complete(input.result, input.error)
        end
      end,
    },
  }
end

for _, positional in ipairs { false, true } do
  describe("abridge.avante" .. (positional and " with tools of positional arguments" or ""), function()
    local chat

    before_each(function()
      chat = avante.new { positional = positional }
    end)

    local function wrapped(opts)
      local all = {}
      for i, tool in ipairs(tools()) do
        all[i] = adapter.wrap(tool, opts)
      end
      return all
    end

    it("caps what a custom tool returns and what it completes with, result or error", function()
      local custom = wrapped { limits = LIMITS }
      for _, name in ipairs { "returns", "completes" } do
        for _, field in ipairs { "result", "error" } do
          local message = chat.use(name, { [field] = lines(1000) }, custom)
          assert.is_true(#message.content <= 500)
          assert.matches("^line 1 of", message.content)
          assert.matches("line 1000 of the output", message.content)
          assert.matches("%[Showing %d+ of 1000 lines %(500B limit%)%]$", message.content)
          assert.equal(field == "error", message.is_error)
        end
      end
    end)

    it("gives what fits as it is, whatever its type", function()
      local custom = wrapped { limits = LIMITS }
      for _, name in ipairs { "returns", "completes" } do
        assert.equal("short\n", chat.use(name, { result = "short\n" }, custom).content)
        assert.equal("false", chat.use(name, { result = false }, custom).content)
        assert.equal("12", chat.use(name, { result = 12 }, custom).content)
        assert.equal('["a","b"]', chat.use(name, { result = { "a", "b" } }, custom).content)
        assert.equal("broken", chat.use(name, { result = false, error = "broken" }, custom).content)
      end
      assert.is_nil(chat.use("returns", {}, custom)) -- neither result nor error: it goes on by itself
    end)

    it("cuts the JSON of a table that is over the limits", function()
      local many = {}
      for i = 1, 1000 do
        many[i] = "file" .. i
      end
      local content = chat.use("returns", { result = many }, wrapped { limits = LIMITS }).content
      assert.is_true(#content <= 500)
      assert.matches('^%["file1"', content)
      assert.equal("file1", many[1])
    end)

    it("passes every completion on", function()
      local got = {}
      local own = adapter.wrap(tools()[2], { limits = LIMITS })
      local function on_complete(result)
        got[#got + 1] = #result
      end
      local input = { result = lines(1000), times = 3 }
      if positional then
        own.func(input, nil, on_complete, {})
      else
        own.func(input, { on_complete = on_complete })
      end
      assert.equal(3, #got)
      assert.is_true(got[3] <= 500)
    end)

    it("leaves a tool's other fields, its metatable, its arguments and the tool itself alone", function()
      local seen
      local tool = setmetatable({ name = "t", description = "d", enabled = print }, { __index = { inherited = 1 } })
      function tool.func(...)
        seen = { n = select("#", ...), ... }
        return "x"
      end
      local func = tool.func
      local own = adapter.wrap(tool, { limits = LIMITS })
      assert.equal("d", own.description)
      assert.equal(print, own.enabled)
      assert.equal(1, own.inherited)
      assert.equal(func, tool.func)
      local ctx, input = { on_complete = print, session_ctx = {}, streaming = true }, {}
      own.func(input, ctx)
      assert.equal(input, seen[1])
      assert.is_true(seen[2].streaming)
      assert.equal(ctx.session_ctx, seen[2].session_ctx)
      assert.equal(print, ctx.on_complete)
      own.func(input, print, print, ctx.session_ctx)
      assert.equal(4, seen.n)
      assert.equal(print, seen[2])
      assert.equal(ctx.session_ctx, seen[4])
      assert.equal(tools, adapter.wrap({ name = "x", func = nil, tools = tools }).tools)
    end)

    it("makes an error of what a tool raises", function()
      local own = adapter.wrap({
        name = "raises",
        func = function()
          error(lines(1000), 0)
        end,
      }, { limits = LIMITS })
      local message = chat.use("raises", {}, { own })
      assert.is_true(message.is_error)
      assert.matches("^line 1 of", message.content)
      assert.is_true(#message.content <= 500)
      own = adapter.wrap({ name = "raises", func = error }, {})
      local nothing = tostring(select(2, pcall(error))) -- Lua 5.5 says <no error object>
      assert.equal(nothing, select(2, own.func()))
    end)

    it("caps what avante's own tools give, errors that hold whole outputs too", function()
      adapter.tools(chat.llm_tools, { limits = LIMITS })
      local failed = chat.use("bash", { output = lines(1000), code = 2 })
      assert.is_true(failed.is_error)
      assert.is_true(#failed.content <= 500)
      assert.matches("^Error: line 1 of", failed.content)
      assert.matches("; Error code: 2\n\n%[Showing", failed.content)
      assert.is_true(#chat.use("bash", { output = lines(1000), code = 0 }).content <= 500)
      assert.is_true(#chat.use("read_global_file", { content = lines(1000) }).content <= 500)
      assert.equal("fits", chat.use("bash", { output = "fits", code = 0 }).content)
      assert.equal('["a"]', chat.use("ls", { entries = { "a" } }).content)
      assert.equal('This tool is not provided: "x"', chat.use("x", {}).content)
    end)

    it("keeps the words by which avante knows a refusal and a cancel", function()
      local limits = { strategy = "tail", max_bytes = 300 }
      adapter.tools(chat.llm_tools, { limits = limits })
      local message = chat.use("bash", { declined = lines(1000) })
      assert.is_true(message.is_user_declined)
      assert.is_true(#message.content <= 300)
      chat.helpers.is_cancelled = true
      assert.same({ cancelled = true }, chat.use("bash", { output = "", code = 0 }))
    end)

    it("wraps a module once, and gives it back", function()
      local original = chat.llm_tools.process_tool_use
      local undo = adapter.tools(chat.llm_tools, { limits = LIMITS })
      local ours = chat.llm_tools.process_tool_use
      assert.equal(undo, adapter.tools(chat.llm_tools, { limits = { max_bytes = 1 } }))
      assert.equal(ours, chat.llm_tools.process_tool_use)
      undo()
      undo()
      assert.equal(original, chat.llm_tools.process_tool_use)
      undo = adapter.tools(chat.llm_tools, { limits = LIMITS })
      assert.is_true(#chat.use("bash", { output = lines(1000), code = 0 }).content <= 500)
      local function theirs() end
      chat.llm_tools.process_tool_use = theirs -- somebody else's, on top of ours
      undo()
      assert.equal(theirs, chat.llm_tools.process_tool_use)
    end)

    it("caps a wrapped tool of a wrapped module once, in the session's log too", function()
      if not host.uv() then return pending "luv is missing" end
      local dir = tmpdir.new()
      local session = abridge.session {
        run_dir = dir:at "run",
        limits = { completes = { strategy = "head_tail", max_lines = 10, max_bytes = 5000 } },
      }
      adapter.tools(chat.llm_tools, { session = session })
      local content = chat.use("completes", { result = lines(1000) }, wrapped { session = session }).content
      assert.matches("%[Showing 10 of 1000 lines %(10 line limit%)%. Full output: [^%]]+%]$", content)
      local _, notices = content:gsub("%[Showing", "")
      assert.equal(1, notices)
      local results = session:events { type = "tool_result" }
      assert.equal(1, #results)
      assert.equal("completes", results[1].tool)
      assert.equal(lines(1000), (session:full_output(results[1].call_id)))
      for _ = 1, 2 do
        chat.use("completes", { result = "short" }, wrapped { session = session })
      end
      assert.equal(3, #session:events { type = "tool_result" })
      chat.use("bash", { output = "short", code = 0 })
      assert.equal(4, #session:events { type = "tool_result" })
      session:close()
      local own, message = wrapped { session = session }, nil
      warned(function()
        message = chat.use("completes", { result = lines(3000) }, own)
      end)
      assert.matches("%[Showing 10 of 3000 lines %(10 line limit%)%]$", message.content) -- limits outlive a session
      dir:remove()
    end)
  end)
end

describe("abridge.avante", function()
  it("raises on misuse, naming it", function()
    for _, case in ipairs {
      { "tool must be a table, got 3", adapter.wrap, 3 },
      { "unknown option 'limit' %(value 3%)", adapter.wrap, {}, { limit = 3 } },
      { "max_bytes", adapter.wrap, {}, { limits = { max_bytes = -1 } } },
      { "cannot be used with session", adapter.wrap, {}, { session = { cap = print }, save = "x" } },
      { "session must be a session, options of one or a function .*, got 3", adapter.wrap, {}, { session = 3 } },
      { "session: unknown option 'limit' %(value 3%)", adapter.wrap, {}, { session = { limit = 3 } } },
      {
        "session: .*max_bytes",
        adapter.tools,
        { process_tool_use = print },
        { session = { limits = { x = { max_bytes = -1 } } } },
      },
      { "resume cannot be used with limits", adapter.wrap, {}, { limits = {}, resume = "{next}" } },
      { "process_tool_use", adapter.tools, {} },
      { "unknown option", adapter.tools, { process_tool_use = print }, { x = 1 } },
    } do
      local ok, message = pcall(case[2], case[3], case[4])
      assert.is_false(ok)
      assert.matches(case[1], message)
      assert.matches("abridge%.avante%.%a+", message)
      assert.matches("^spec/hosts/avante_spec", (select(
        2,
        pcall(function()
          case[2](case[3], case[4])
        end)
      )))
    end
  end)

  it("cuts crudely when something inside fails", function()
    local limits = {
      max_tokens = 100,
      count_tokens = function()
        error "no"
      end,
    }
    local own = adapter.wrap(tools()[1], { limits = limits })
    local result, failure = own.func({ result = lines(10000), error = lines(10000) }, {})
    assert.is_true(#result <= 1600 and #failure <= 1600)
    assert.matches("^line 1 of", result)
    assert.matches("cut to", failure)

    local session = abridge.session { profile = "dispatcher", ceiling = false, run_dir = false, on_event = error }
    own = adapter.wrap(tools()[1], { session = session }) -- no limit at all
    result = own.func({ result = lines(10000) }, {})
    assert.equal(10240, #result)
    assert.equal("short", (own.func({ result = "short" }, {})))
    session = abridge.session { redact = { "SECRET" }, run_dir = false, on_event = error }
    own = adapter.wrap(tools()[1], { session = session })
    assert.equal("a [redacted]", (own.func({ result = "a SECRET" }, {})))
    session.redactor.data = error -- what cannot be redacted is not shown
    assert.equal("[Output left out: it could not be redacted]", (own.func({ result = "a SECRET" }, {})))
  end)
end)

describe("abridge.avante without the core", function()
  it("cuts crudely", function()
    coreless("abridge.avante", function(crude)
      local chat = avante.new()
      crude.tools(chat.llm_tools, { limits = { max_bytes = 500 } })
      local message = chat.use("bash", { output = lines(1000), code = 1 })
      assert.is_true(#message.content <= 500)
      assert.matches("^Error: line 1 of.*; Error code: 1$", message.content)
      local many = {}
      for i = 1, 1000 do
        many[i] = "file" .. i
      end
      local own = crude.wrap({
        name = "t",
        func = function()
          return many, lines(30000)
        end,
      }, {})
      local result, failure = own.func({}, {})
      assert.equal(many, result)
      assert.is_true(#failure <= 10240)
      local func = own.func
      own = crude.wrap({ name = "t", func = func }, { limits = { max_bytes = 500 } })
      result = own.func({}, {})
      assert.matches('^%["file1",.*"file1000"%]$', result)
      assert.is_true(#result <= 500)
    end)
  end)
end)

describe("examples/avante.lua", function()
  it("caps what the model gets of tools, and keeps it whole", function()
    if not host.uv() then return pending "luv is missing" end
    local chat = avante.new()
    local modules, before =
      {
        ["avante"] = { setup = function() end },
        ["avante.llm_tools"] = chat.llm_tools,
      }, {}
    for name, module in pairs(modules) do
      before[name], package.loaded[name] = package.loaded[name], module
    end
    assert(loadfile "examples/avante.lua")()
    for name in pairs(modules) do
      package.loaded[name] = before[name]
    end
    local printed = lines(5000) .. "\nFAILED: 1 test\n" .. lines(5000)
    local failed = chat.use("bash", { output = printed, code = 1 })
    assert.is_true(#failed.content <= 20480)
    assert.matches("\nFAILED: 1 test\n", failed.content)
    assert.matches("^Error: line 1 of", failed.content)
    local kept = paths.read(failed.content:match "Full output: (/[^%]]+)%]$")
    assert.equal("Error: " .. printed .. "; Error code: 1", kept)
  end)
end)
