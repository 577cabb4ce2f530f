-- The document "Tool Result Truncation Metadata", point by point: what was cut is told in one convention for every
-- tool, and "cut by the tool" and "cut for display" are two facts.
local abridge = require "abridge"
local called = require "support.called"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

describe("seed metadata:", function()
  local dir, session, events

  local function open(limits)
    events = {}
    session = abridge.session {
      cwd = dir.path,
      run_dir = dir:at "run",
      limits = limits,
      on_event = function(event)
        events[#events + 1] = event
      end,
    }
  end

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function call(tool, input)
    return called(session, tool, input)
  end

  local function protocol(result)
    return abridge.protocol(result.details.cut)
  end

  describe("Findings:", function()
    it("shell output: truncated, its limit and its total", function()
      open { run_command = { strategy = "tail", max_bytes = 1000, max_lines = false } }
      local result = call("run_command", { command = "seq 1000" })
      local shown = result.truncation.bytes_returned
      assert.same(
        { truncated = true, limit = 1000, total = 3893, offset = 3893 - shown, units = "bytes" },
        protocol(result)
      )
      assert.is_false(protocol(call("run_command", { command = "seq 10" })).truncated)
    end)

    it("file reads: truncated, total_chars, offset, chars read", function()
      open { read_file = { max_chars = 200, max_bytes = false, max_lines = false } }
      local line = ("\195\169"):rep(19) .. "\n"
      dir:write("f", line:rep(100)) -- 2000 chars, 3900 bytes
      local result = call("read_file", { path = "f", offset = 11 })
      assert.same({ truncated = true, limit = 200, total = 2000, offset = 200, units = "chars" }, protocol(result))
      local read = result.details.cut.output_chars
      assert.is_true(read > 0 and read < 200)
      assert.equal(2 * read - (read - 19) / 20, result.truncation.bytes_returned) -- é is 2 bytes, a newline 1
    end)

    it("events carry the content as it is, and its truncation beside it", function()
      open { run_command = { strategy = "tail", max_lines = 3 } }
      local result = call("run_command", { command = "seq 10" })
      local event = events[#events]
      assert.equal("tool_result", event.type)
      assert.equal(result.content, event.content)
      assert.same(result.truncation, event.truncation)
      assert.same(result.truncation, session:events({ type = "tool_result" })[1].truncation)
    end)

    it("tool outputs are unconstrained (string/dict/model): each gets the same field", function()
      open { any = { max_lines = 2 } }
      for _, value in ipairs {
        "a\nb\nc\n",
        { content = { { type = "text", text = "a\nb\nc\n" } } },
        { content = "a\nb\nc\n", is_error = false },
        { a = 1 },
        5,
      } do
        local result = session:cap("any", value)
        abridge.assert_conforms("any", result)
        assert.equal("boolean", type(protocol(result).truncated))
        local is_long = type(value) == "string" or type(value) == "table" and value.content ~= nil
        assert.equal(is_long, result.truncation.truncated)
      end
    end)
  end)

  describe("Standardization options:", function()
    local result

    before_each(function()
      open { run_command = { strategy = "tail", max_lines = 3 } }
      result = call("run_command", { command = "seq 10" })
    end)

    it("event-level metadata: in the event, and in the log", function()
      assert.is_true(events[#events].truncation.truncated)
      assert.equal("line_cap", session:events({ type = "tool_result" })[1].truncation.reason)
    end)

    it("tool-output envelope: content and truncation in one table that JSON encodes", function()
      local envelope = json.decode(json.encode { content = result.content, truncation = result.truncation })
      assert.same({ content = result.content, truncation = result.truncation }, envelope)
    end)

    it("protocol: truncated, limit, total, offset, units, and nothing else", function()
      assert.same({ truncated = true, limit = 3, total = 10, offset = 7, units = "lines" }, protocol(result))
    end)
  end)

  describe("Protocol, by unit:", function()
    local function of(limits, command)
      open { run_command = limits }
      return protocol(call("run_command", { command = command }))
    end

    it("lines", function()
      assert.same(
        { truncated = true, limit = 4, total = 10, offset = 0, units = "lines" },
        of({ strategy = "head", max_lines = 4 }, "seq 10")
      )
    end)

    it("bytes", function()
      assert.same(
        { truncated = true, limit = 200, total = 3893, offset = 0, units = "bytes" },
        of({ strategy = "head", max_bytes = 200, max_lines = false }, "seq 1000")
      )
    end)

    it("chars", function()
      assert.same(
        { truncated = true, limit = 200, total = 3893, offset = 0, units = "chars" },
        of({ strategy = "head", max_chars = 200, max_lines = false, max_bytes = false }, "seq 1000")
      )
    end)

    it("tokens: their total is not counted", function()
      assert.same(
        { truncated = true, limit = 100, offset = 0, units = "tokens" },
        of({ strategy = "head", max_tokens = 100, max_lines = false, max_bytes = false }, "seq 1000")
      )
    end)

    it("not truncated", function()
      local whole = of({ strategy = "head", max_lines = 20, max_bytes = 2000 }, "seq 10")
      assert.same({ truncated = false, limit = 2000, total = 21, offset = 0, units = "bytes" }, whole)
    end)
  end)

  describe('"tool truncated" and "display truncated" are two facts:', function()
    before_each(function()
      open { run_command = { strategy = "tail", max_lines = 20 } }
    end)

    --- Was it cut by the tool, and for the screen?
    local function both(result, opts)
      local content, block = result.content, json.encode(result.truncation)
      local screen = session:display(result, opts)
      assert.equal(content, result.content) -- display touches neither
      assert.equal(block, json.encode(result.truncation))
      return { tool = result.truncation.truncated, screen = result.display.truncated }, screen
    end

    it("nothing is cut", function()
      assert.same({ tool = false, screen = false }, (both(call("run_command", { command = "seq 5" }), {})))
    end)

    it("cut by the tool alone", function()
      local facts, screen = both(call("run_command", { command = "seq 50" }), { max_lines = 20 })
      assert.same({ tool = true, screen = false }, facts)
      assert.truthy(screen:find("[Showing lines 31-50 of 50.", 1, true))
    end)

    it("cut for display alone", function()
      local result = call("run_command", { command = "seq 10" })
      local facts, screen = both(result, { max_lines = 3 })
      assert.same({ tool = false, screen = true }, facts)
      assert.equal("... (7 earlier lines)\n8\n9\n10", screen)
      assert.equal("line_cap", result.display.reason)
      assert.equal(result.truncation.bytes_returned, result.display.bytes_total)
    end)

    it("cut by both, and a UI can signal both", function()
      local result = call("run_command", { command = "seq 50" })
      local facts, screen = both(result, { max_lines = 3 })
      assert.same({ tool = true, screen = true }, facts)
      assert.equal("... (17 earlier lines)\n48\n49\n50\n\n" .. result.details.notice, screen)
    end)

    it("the tool's cue is never hidden by the display, however small the screen", function()
      local result = call("run_command", { command = "seq 50; exit 0" })
      local screen = session:display(result, { max_lines = 0, width = 30 })
      local words = screen:gsub("%s+", "")
      assert.truthy(words:find((result.details.notice:gsub("%s+", "")), 1, true))
    end)

    it("the log keeps the two apart", function()
      local result = call("run_command", { command = "seq 50" })
      session:display(result, { max_lines = 3 })
      local shown = session:events({ type = "display" })[1]
      local told = session:events({ type = "tool_result" })[1]
      assert.equal(told.call_id, shown.call_id)
      assert.same(result.truncation, told.truncation)
      assert.same(result.display, shown.display)
      assert.are_not.same(told.truncation, shown.display)
    end)
  end)

  describe("Open questions, as they are answered here:", function()
    it("the model sees the metadata: the notice is part of the content", function()
      open { run_command = { strategy = "tail", max_lines = 3 } }
      local result = call("run_command", { command = "seq 10" })
      assert.equal(result.details.notice, result.content:sub(-#result.details.notice))
    end)

    it("beyond a boolean: why, how much of how much, and where to go on", function()
      open { read_file = { max_lines = 3 } }
      dir:write("f", "1\n2\n3\n4\n5\n")
      assert.same({
        truncated = true,
        bytes_returned = 5,
        bytes_total = 10,
        next_offset = 4,
        resume_hint = "call read_file with offset=4",
        reason = "line_cap",
      }, call("read_file", { path = "f" }).truncation)
    end)
  end)
end)
