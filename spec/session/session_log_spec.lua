-- The log of a session: each call and each result as the model saw it, and the events of a run.
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local run_folders = require "support.run_folders"
local seq = require "support.seq"

local run = run_folders.run

local dir

describe("a session", function()
  setup(function()
    dir = run_folders.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  describe("has in its log", function()
    it("each call and each result, as the model saw it", function()
      local told = {}
      local session = dir:open {
        run_dir = dir:new_path(),
        on_event = function(event)
          told[#told + 1] = event
        end,
      }
      dir:write("five.txt", seq(1, 5))
      local results = {
        run(session, "seq 5000"),
        run(session, "echo hi; exit 3"),
        session:call("read_file", { path = "five.txt", limit = 2 }),
        session:call("nope", { a = { b = 1 } }),
        session:call("run_command", "not JSON"),
        session:cap("elsewhere", seq(1, 5000)),
        session:call("run_command", { command = "echo mine" }, { id = "my id" }):wait(20),
      }
      local events = assert(session:events())
      assert.equal(14, #events)
      assert.same(told, events)
      for i, event in ipairs(events) do
        assert.equal(i, event.seq)
        assert.is_true(event.time > 1.5e9)
        if i > 1 then assert.is_true(event.time >= events[i - 1].time) end
        local result = results[math.ceil(i / 2)]
        assert.equal(i % 2 == 1 and "tool_call" or "tool_result", event.type)
        assert.equal(result.call_id, event.call_id)
        assert.equal(result.tool, event.tool)
        if event.type == "tool_result" then
          local cut = (result.details or {}).cut or {}
          assert.equal(result.content, event.content)
          assert.equal(result.is_error, event.is_error)
          assert.same(result.truncation, event.truncation)
          assert.same(result.metadata, event.metadata)
          assert.equal(result.duration_ms, event.duration_ms)
          assert.equal(#result.content, event.bytes_shown)
          assert.equal(cut.total_bytes, event.bytes_in)
        end
      end
      assert.same({ command = "seq 5000" }, events[1].input)
      assert.same({ path = "five.txt", limit = 2 }, events[5].input)
      assert.same({ a = { b = 1 } }, events[7].input)
      assert.equal("not JSON", events[9].input)
      assert.is_nil(events[11].input)
      assert.equal("my id", events[13].call_id)
      assert.equal("call-1", events[1].call_id)
      assert.same({ path = "artifacts/0001-run_command.log", bytes = 23893 }, events[2].full_output)
      assert.is_nil(events[4].full_output)
      assert.is_nil(events[6].full_output)
      assert.same({ path = "artifacts/0006-elsewhere.log", bytes = 23893 }, events[12].full_output)
      assert.equal(23893, events[2].bytes_in)
    end)

    it("what a ceiling cut: what came in, what was shown", function()
      local session = dir:open { run_dir = dir:new_path(), ceiling = { max_bytes = 600 } }
      local result = session:cap("tool", ("x"):rep(1500))
      local event = session:events({ type = "tool_result" })[1]
      assert.equal(1500, event.bytes_in)
      assert.equal(#result.content, event.bytes_shown)
      assert.equal(1500, event.metadata.truncated_bytes)
      assert.same({ path = "artifacts/0001-tool.log", bytes = 1500 }, event.full_output)
    end)

    it("calls that overlap, numbered at the start", function()
      local session = dir:open { run_dir = dir:new_path() }
      local slow = session:call("run_command", { command = "until test -e go; do sleep 0.01; done; seq 5000" }, {})
      local fast = session:call("run_command", { command = "seq 6000" }, {})
      fast:wait(20)
      dir:write("go", "")
      slow:wait(20)
      assert.equal("call-1", slow.call_id)
      assert.equal("call-2", fast.call_id)
      local said = {}
      for i, event in ipairs(session:events()) do
        assert.equal(i, event.seq)
        said[i] = event.type .. " " .. event.call_id
      end
      local expected = { "tool_call call-1", "tool_call call-2", "tool_result call-2", "tool_result call-1" }
      assert.same(expected, said)
      assert.matches("/0001%-run_command%.log$", slow.result.details.full_output_path)
      assert.matches("/0002%-run_command%.log$", fast.result.details.full_output_path)
      assert.is_true(paths.read(slow.result.details.full_output_path) == seq(1, 5000))
      assert.is_true(paths.read(fast.result.details.full_output_path) == seq(1, 6000))
    end)

    it("calls made inside a callback, each with a number of its own", function()
      local session
      local inner
      session = dir:open {
        run_dir = dir:new_path(),
        on_event = function(event)
          if event.type == "tool_call" and not inner then
            inner = true
            inner = session:call("inner", {}, {})
          end
        end,
      }
      session:call("outer", {})
      assert.equal("call-2", inner.call_id)
      local seqs = {}
      for _, event in ipairs(session:events()) do
        seqs[#seqs + 1] = event.seq
      end
      assert.same({ 1, 2, 3, 4 }, seqs)
    end)

    it("equal names of full outputs for equal runs", function()
      local names = {}
      for i = 1, 2 do
        local session = dir:open { run_dir = dir:new_path() }
        for _, tool in ipairs { "a b/../c", "ü", "-", "", ("long"):rep(40) } do
          session:cap(tool, seq(1, 3000))
        end
        names[i] = paths.names(session.run.dir .. "/artifacts")
        for _, name in ipairs(names[i]) do
          assert.matches("^%d%d%d%d%-[A-Za-z0-9_-]+%.log$", name)
          assert.is_true(#name <= 64)
        end
      end
      assert.same(names[1], names[2])
    end)
  end)

  describe("gives events", function()
    local session

    before_each(function()
      session = dir:open { run_dir = dir:new_path() }
      run(session, "echo one")
      session:cap("other", "two")
      run(session, "echo three")
    end)

    it("by tool, number, type and call", function()
      local function seqs(filter)
        return run_folders.seqs(session:events(filter))
      end
      assert.same({ 1, 2, 3, 4, 5, 6 }, seqs())
      assert.same({ 1, 2, 5, 6 }, seqs { tool = "run_command" })
      assert.same({ 5, 6 }, seqs { since = 4 })
      assert.same({}, seqs { since = 6 })
      assert.same({ 5, 6 }, seqs { since = 2, tool = "run_command" })
      assert.same({ 2, 4, 6 }, seqs { type = "tool_result" })
      assert.same({ 3, 4 }, seqs { call_id = "call-2" })
      assert.same({}, seqs { tool = "nope" })
    end)

    it("after it is closed too", function()
      session:close()
      assert.equal(6, #assert(session:events()))
      assert.equal("three\n", session:full_output "call-3")
    end)

    it("and refuses a filter that is none, at the caller's line", function()
      for _, filter in ipairs { { tols = "x" }, { since = -1 }, { tool = 5 } } do
        local message = plain.misuse(function()
          session:events(filter)
        end)
        assert.matches("events", message)
      end
    end)
  end)
end)
