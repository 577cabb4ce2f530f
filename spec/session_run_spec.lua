-- Sessions and their run folders: the log, the full outputs, who may write, what a crash or a full disk leaves.
local abridge = require "abridge"
local assert_plain_data = require "plain_data"
local environment = require "environment"
local host = require "abridge.host"
local killed_host = require "killed_host"
local opened = require "opened"
local paths = require "paths"
local plain = require "plain"
local random = require "random"
local seq = require "seq"
local tmpdir = require "tmpdir"
local waiting = require "waiting"

local uv = host.uv()
local json = host.json()
local q = tmpdir.quote

local dir
local folders = 0

local function new_path()
  folders = folders + 1
  return dir:at("run" .. folders)
end

--- A session in the spec's folder.
local function open(opts)
  local own = { cwd = dir.path }
  for key, value in pairs(opts or {}) do
    own[key] = value
  end
  return opened.session(own)
end

local function run(session, command, more)
  local input = { command = command }
  for key, value in pairs(more or {}) do
    input[key] = value
  end
  return session:call("run_command", input)
end

-- Calls a command that is cut, and prints what came of it as JSON; the second argument names the run folder.
local CALLER = [[
local abridge = require "abridge"
local host = require "abridge.host"
local opts = host.json().decode(arg[1])
local session, message, code = abridge.session(opts)
if not session then
  print(host.json().encode { message = message, code = code })
  os.exit(0)
end
local results = {}
for i = 2, #arg do
  results[#results + 1] = session:call("run_command", { command = arg[i] })
end
session:close()
io.stdout:write(host.json().encode { results = results, run_dir = session.run.dir }, "\n")
]]

--- What CALLER says, run by a shell behind `before` (say, "ulimit -f 8; ").
local function in_child(before, opts, ...)
  -- through a pipe: a limit on file sizes is not for what it says
  local command = before .. dir:lua_command("caller.lua", json.encode(opts), ...)
  local out, err = dir:sh("{ " .. command .. "; echo status $?; } | cat")
  assert.equal("", err)
  local said, status = out:match "^(.*)status (%d+)\n$"
  assert.equal("0", status)
  return json.decode(said)
end

describe("a session's run folder", function()
  setup(function()
    dir = tmpdir.new()
    dir:write("caller.lua", CALLER)
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  describe("has in its log", function()
    it("each call and each result, as the model saw it", function()
      local told = {}
      local session = open {
        run_dir = new_path(),
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
      local session = open { run_dir = new_path(), ceiling = { max_bytes = 600 } }
      local result = session:cap("tool", ("x"):rep(1500))
      local event = session:events({ type = "tool_result" })[1]
      assert.equal(1500, event.bytes_in)
      assert.equal(#result.content, event.bytes_shown)
      assert.equal(1500, event.metadata.truncated_bytes)
      assert.same({ path = "artifacts/0001-tool.log", bytes = 1500 }, event.full_output)
    end)

    it("calls that overlap, numbered at the start", function()
      local session = open { run_dir = new_path() }
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
      session = open {
        run_dir = new_path(),
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
        local session = open { run_dir = new_path() }
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
      session = open { run_dir = new_path() }
      run(session, "echo one")
      session:cap("other", "two")
      run(session, "echo three")
    end)

    it("by tool, number, type and call", function()
      local function seqs(filter)
        local list = {}
        for i, event in ipairs(assert(session:events(filter))) do
          list[i] = event.seq
        end
        return list
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

  it("without a log says why there are no events", function()
    for _, run_dir in ipairs { false, "nil" } do
      local session = open { run_dir = run_dir ~= "nil" and run_dir or nil }
      local events, message, code = session:events()
      assert.is_nil(events)
      assert.is_string(message)
      assert.equal("ENOENT", code)
    end
  end)

  describe("gives a full output", function()
    it("in pages, by offset and limit, that rebuild it", function()
      local session = open { run_dir = new_path() }
      run(session, "seq 5000")
      local text = seq(1, 5000)
      local pages, offset = {}, 1
      repeat
        local content, info = assert(session:full_output("call-1", { offset = offset }))
        assert.equal(5000, info.total_lines)
        assert.equal(#text, info.total_bytes)
        assert.equal(offset, info.first_line)
        pages[#pages + 1] = content
        offset = info.next_offset
      until not offset
      assert.equal(3, #pages)
      assert.is_true(table.concat(pages, "\n") == text)
      local content, info = session:full_output("call-1", { offset = 4321, limit = 3 })
      assert.equal("4321\n4322\n4323", content)
      assert.equal(4324, info.next_offset)
      local nothing, message, code = session:full_output("call-1", { offset = 5001 })
      assert.is_nil(nothing)
      assert.equal("Offset 5001 is beyond end of file (5000 lines total)", message)
      assert.equal("EOFFSET", code)
    end)

    it("of a result that was not cut, from its event", function()
      local session = open { run_dir = new_path() }
      run(session, "seq 5")
      local content, info = session:full_output "call-1"
      assert.equal(seq(1, 5), content)
      assert.equal(5, info.total_lines)
      assert.is_nil(info.full_output_error)
      assert.equal("2\n3", (session:full_output("call-1", { offset = 2, limit = 2 })))
    end)

    it("that a ceiling alone cut", function()
      local session = open { run_dir = new_path(), ceiling = { max_bytes = 600 } }
      session:cap("tool", seq(1, 1000))
      local content, info = session:full_output("call-1", { offset = 998 })
      assert.equal("998\n999\n1000\n", content)
      assert.equal(1000, info.total_lines)
    end)

    it("of a job that runs: not yet; of no call: not at all", function()
      local session = open { run_dir = new_path() }
      local job = session:call("run_command", { command = "exec sleep 60" }, {})
      local content, message, code = session:full_output(job.call_id)
      assert.is_nil(content)
      assert.equal("Call call-1 has no result yet", message)
      assert.equal("EAGAIN", code)
      content, message, code = session:full_output "call-7"
      assert.is_nil(content)
      assert.equal("No such call: call-7", message)
      assert.equal("ENOENT", code)
      job:cancel()
      job:wait(20)
      assert.equal("(no output)\n\nCommand aborted", (session:full_output(job.call_id)))
    end)

    it("of a session without a run folder of its own, where it was kept", function()
      environment.with({ ABRIDGE_STATE_DIR = dir:at "state-pages" }, function()
        local session = open()
        run(session, "echo short")
        run(session, "seq 5000")
        local content, info = session:full_output("call-2", { offset = 4999 })
        assert.equal("4999\n5000\n", content)
        assert.equal(5000, info.total_lines)
        local _, message, code = session:full_output "call-1"
        assert.is_string(message)
        assert.equal("ENOENT", code)
      end)
      local session = open { run_dir = false }
      run(session, "seq 5000")
      local content, message, code = session:full_output "call-1"
      assert.is_nil(content)
      assert.is_string(message)
      assert.equal("ENOENT", code)
    end)

    it("and refuses what is no page, at the caller's line", function()
      local session = open { run_dir = new_path() }
      run(session, "true")
      for _, opts in ipairs { { offset = 0 }, { limit = "all" }, { page = 1 } } do
        plain.misuse(function()
          session:full_output("call-1", opts)
        end)
      end
      plain.misuse(function()
        session:full_output(5)
      end)
    end)
  end)

  describe("reopened", function()
    it("goes on with its numbers and overwrites nothing", function()
      local path = new_path()
      for turn = 1, 3 do
        local session = open { run_dir = path }
        for i = 1, 2 do
          local result = run(session, ("seq %d"):format(5000 + turn * 10 + i))
          local number = turn * 2 - 2 + i
          assert.equal("call-" .. number, result.call_id)
          assert.matches(("/%04d%%-run_command%%.log$"):format(number), result.details.full_output_path)
        end
        session:close()
      end
      local log = assert(abridge.open_run(path))
      local events = log:events()
      assert.equal(12, #events)
      for i, event in ipairs(events) do
        assert.equal(i, event.seq)
      end
      for turn = 1, 3 do
        for i = 1, 2 do
          local id = "call-" .. turn * 2 - 2 + i
          local _, info = assert(log:full_output(id))
          assert.equal(5000 + turn * 10 + i, info.total_lines)
        end
      end
    end)

    it("after a crash between call and result", function()
      local path = new_path()
      local session = open { run_dir = path }
      run(session, "seq 5000")
      local log = paths.read(path .. "/events.jsonl")
      session:close()
      -- the result is gone, and part of another call's line has come
      local file = assert(io.open(path .. "/events.jsonl", "wb"))
      file:write(log:match "^[^\n]*\n", '{"type":"tool_call","ca')
      file:close()
      session = open { run_dir = path }
      local result = run(session, "seq 6000")
      assert.equal("call-2", result.call_id)
      assert.is_true(paths.read(path .. "/artifacts/0001-run_command.log") == seq(1, 5000))
      assert.is_true(paths.read(path .. "/artifacts/0002-run_command.log") == seq(1, 6000))
      local seqs = {}
      for i, event in ipairs(session:events()) do
        seqs[i] = event.seq
      end
      assert.same({ 1, 2, 3 }, seqs)
    end)
  end)

  describe("has one session at a time", function()
    it("in this process", function()
      local path = new_path()
      local first = open { run_dir = path }
      local second, message, code = open { run_dir = path }
      assert.is_nil(second)
      assert.matches("Another session writes the run", message)
      assert.equal("EBUSY", code)
      assert.is_false(run(first, "true").is_error)
      first:close()
      second = assert(open { run_dir = path .. "/" })
      assert.equal("call-2", run(second, "true").call_id)
    end)

    it("and no other process", function()
      local path = new_path()
      local first = open { run_dir = path }
      assert.equal("EBUSY", in_child("", { run_dir = path }, "true").code)
      first:close()
      assert.equal("call-1", in_child("", { run_dir = path }, "true").results[1].call_id)
    end)

    it("but a parent folder has many", function()
      local parent = new_path()
      local one, two = open { run_dir = parent .. "/one" }, open { run_dir = parent .. "/two" }
      run(one, "seq 5000")
      run(two, "seq 6000")
      assert.is_true(paths.read(parent .. "/one/artifacts/0001-run_command.log") == seq(1, 5000))
      assert.is_true(paths.read(parent .. "/two/artifacts/0001-run_command.log") == seq(1, 6000))
      assert.same({ "one", "two" }, paths.names(parent))
    end)
  end)

  it("is read while it is written", function()
    local session = open { run_dir = new_path() }
    local log = assert(abridge.open_run(session.run.dir))
    assert.same({}, log:events())
    local job = session:call("run_command", { command = "until test -e now; do sleep 0.01; done; seq 5000" }, {})
    local events = log:events()
    assert.equal(1, #events)
    assert.equal("tool_call", events[1].type)
    local _, _, code = log:full_output "call-1"
    assert.equal("EAGAIN", code)
    dir:write("now", "")
    job:wait(20)
    assert.equal("tool_result", log:events({ since = 1 })[1].type)
    local _, info = log:full_output "call-1"
    assert.equal(5000, info.total_lines)
  end)

  it("has every acknowledged event, and none broken, when its host is killed (" .. random.seed .. ")", function()
    dir:write("talker.lua", killed_host.script)
    local path = new_path()
    local before = 0
    random.each(20, function()
      local argv = { "sh", "-c", "exec " .. dir:lua_command("talker.lua", path) }
      local said, last = killed_host.run(argv, random.between(1, 40), 0)
      random.must(said, "it ended by itself: %s", last)

      local log = assert(abridge.open_run(path))
      local events = assert(log:events())
      random.must(log.broken == 0, "%d broken lines", log.broken)
      local results = {}
      for i, event in ipairs(events) do
        random.must(event.seq == i, "event %d has the number %s", i, event.seq)
        if event.type == "tool_result" then results[event.call_id] = event end
      end
      for i, line in ipairs(said) do
        local event = events[before + i]
        random.must(event ~= nil, "acknowledged and lost: %s", line)
        random.must(line == killed_host.line_of(event), "%s is not there", line)
      end
      for id, event in pairs(results) do
        local kept = event.full_output
        if kept then
          local text = paths.read(path .. "/" .. kept.path)
          random.must(text ~= nil and #text == kept.bytes, "%s: not %d bytes", id, kept.bytes)
        end
      end
      before = #events
    end)
    for _, name in ipairs(paths.names(path .. "/artifacts")) do
      assert.equal("file 600", paths.mode(path .. "/artifacts/" .. name))
    end
    local session
    assert.is_true(waiting.eventually(function()
      session = session or open { run_dir = path } -- a killed holder blocks nobody, once its child has left fork()
      return session ~= nil
    end))
    run(session, "seq 5000")
    assert.equal(before + 2, #session:events())
  end)

  describe("is private", function()
    it("whatever the umask", function()
      for _, umask in ipairs { "0", "022", "0777" } do
        local path = new_path()
        local said = in_child("umask " .. umask .. "; ", { run_dir = path }, "seq 5000")
        assert.is_nil(said.message)
        assert.equal("directory 700", paths.mode(path))
        assert.equal("directory 700", paths.mode(path .. "/artifacts"))
        assert.equal("file 600", paths.mode(path .. "/artifacts/0001-run_command.log"))
        if umask ~= "0777" then assert.equal("file 600", paths.mode(path .. "/events.jsonl")) end
      end
    end)

    it("or refused, with a message and no error", function()
      local wide, link, file = new_path(), new_path(), new_path()
      uv.fs_mkdir(wide, 493)
      uv.fs_chmod(wide, 493) -- 0755
      uv.fs_symlink(dir.path, link)
      dir:write(file:match "[^/]*$", "x")
      for _, path in ipairs { wide, link, file } do
        local session, message, code = open { run_dir = path }
        assert.is_nil(session)
        assert.is_string(message)
        assert.equal(path == file and "ENOTDIR" or "EPERM", code)
        assert.same({}, path == wide and paths.names(path) or {})
      end
    end)

    it("and a run_dir that is none raises at the caller's line", function()
      for _, value in ipairs { 5, true, "", {}, "a\0b" } do
        local message = plain.misuse(function()
          local _ = abridge.session { run_dir = value }
        end)
        assert.matches("^abridge%.session: run_dir must be a path or false", message)
      end
    end)
  end)

  describe("that cannot be written", function()
    --- What the notice says of a full output cut short, exactly.
    local function incomplete(cut)
      local size = abridge.format_size(cut.full_output_bytes)
      local said = "Full output incomplete: first %s in %s, %s]"
      return said:format(size, cut.full_output_path, cut.full_output_error)
    end

    it("beyond a file size limit says how much is there", function()
      -- 16 blocks of 512 bytes or of 1024, by the shell
      local path = new_path()
      local said = in_child("ulimit -f 16; ", { run_dir = path }, "seq 300000", "echo after", "seq 5000")
      assert.equal(3, #said.results)
      local result = said.results[1]
      local cut = result.details.cut
      local bytes = cut.full_output_bytes
      assert.is_true(bytes == 8192 or bytes == 16384)
      assert.equal("file too large", cut.full_output_error)
      assert.equal(path .. "/artifacts/0001-run_command.log", cut.full_output_path)
      assert.equal(cut.full_output_path, result.details.full_output_path)
      assert.is_true(paths.read(cut.full_output_path) == seq(1, 300000):sub(1, bytes))
      assert.equal("Full output", (result.content:match "Full output"))
      assert.is_nil(result.content:find("Full output: ", 1, true))
      local notice = "[Showing 2000 of 300000 lines (2000 line limit). " .. incomplete(cut)
      assert.equal(notice, result.details.notice)
      assert.equal(result.details.notice, result.content:sub(-#result.details.notice))
      assert.is_false(result.is_error)
      assert.equal(300000, cut.total_lines)
      assert.equal("after\n", said.results[2].content)
      assert.is_true(said.results[3].truncation.truncated)
      abridge.assert_conforms("run_command", result)
      -- the log's end is torn nowhere: what did not fit was taken back
      local log = assert(abridge.open_run(path))
      for i, event in ipairs(assert(log:events())) do
        if i > 1 then assert.is_true(event.seq > 1) end
      end
      assert.equal(0, log.broken)
    end)

    it("at all still gives each result", function()
      local path = new_path()
      local said = in_child("ulimit -f 0; ", { run_dir = path }, "seq 300000", "echo after")
      local cut = said.results[1].details.cut
      assert.equal("file too large", cut.full_output_error)
      assert.equal(0, cut.full_output_bytes or 0)
      assert.is_nil(said.results[1].content:find("Full output: ", 1, true))
      assert.equal(300000, cut.total_lines)
      assert.equal("after\n", said.results[2].content)
    end)

    --- A session whose full outputs cannot be opened, after `break_it(path)`.
    local function broken(break_it)
      local session = open { run_dir = new_path() }
      break_it(session.run.dir)
      local results = { run(session, "seq 300000; exit 3"), session:cap("tool", seq(1, 5000)), run(session, "echo x") }
      assert.equal("x\n", results[3].content)
      for i = 1, 2 do
        local result = results[i]
        local cut = result.details.cut
        assert.is_true(result.truncation.truncated)
        assert.is_nil(cut.full_output_path)
        assert.is_nil(result.details.full_output_path)
        assert.is_string(cut.full_output_error)
        assert.is_nil(result.content:find("Full output: ", 1, true))
        abridge.assert_conforms(result.tool, result)
        assert_plain_data(result)
      end
      local why = results[1].details.cut.full_output_error
      local before = "299999\n300000\n\nCommand exited with code 3\n\n[Showing 2000 of 300000 lines (2000 line limit). "
        .. "Full output not kept: " .. why .. "]"
      assert.equal(before, results[1].content:sub(-#before))
      return why, session
    end

    it("where a file has the folder's name", function()
      local why, session = broken(function(path)
        dir:write(path:match "[^/]*$" .. "/artifacts", "mine")
      end)
      assert.is_string(why)
      assert.equal("mine", paths.read(session.run.dir .. "/artifacts"))
      local event = session:events({ type = "tool_result" })[1]
      assert.is_nil(event.full_output.path)
      assert.equal(why, event.full_output.error)
      local content, info = session:full_output "call-1"
      assert.equal(event.content:sub(1, #content), content)
      assert.equal(why, info.full_output_error)
    end)

    it("where a link has the folder's name, or its mode is wider", function()
      local elsewhere = new_path()
      uv.fs_mkdir(elsewhere, 448)
      broken(function(path)
        uv.fs_symlink(elsewhere, path .. "/artifacts")
      end)
      assert.same({}, paths.names(elsewhere))
      broken(function(path)
        uv.fs_mkdir(path .. "/artifacts", 511)
        uv.fs_chmod(path .. "/artifacts", 511) -- 0777
      end)
    end)

    it("where something has the file's name", function()
      local target = dir:write("target", "mine")
      broken(function(path)
        uv.fs_mkdir(path .. "/artifacts", 448)
        uv.fs_symlink(target, path .. "/artifacts/0001-run_command.log")
        uv.fs_mkdir(path .. "/artifacts/0002-tool.log", 448)
      end)
      assert.equal("mine", paths.read(target))
    end)

    it("any more, its folder gone", function()
      local session = open { run_dir = new_path() }
      assert.is_string(run(session, "seq 5000").details.full_output_path)
      dir:sh("rm -rf " .. q(session.run.dir))
      local result = run(session, "seq 5000")
      assert.is_true(result.truncation.truncated)
      assert.is_true(result.details.cut.full_output_path ~= nil or result.details.cut.full_output_error ~= nil)
      local path = result.details.full_output_path
      if path then assert.is_true(paths.read(path) == seq(1, 5000)) end
      assert.equal("x\n", run(session, "echo x").content)
    end)
  end)

  it("is not made when it is false: nothing is written anywhere", function()
    local home = new_path()
    uv.fs_mkdir(home, 448)
    uv.fs_mkdir(home .. "/cwd", 448)
    local env = { ABRIDGE_STATE_DIR = home .. "/state", XDG_STATE_HOME = home .. "/xdg", HOME = home }
    environment.with(env, function()
      local session = open { run_dir = false, cwd = home .. "/cwd", retention = { max_age = "1s" } }
      local result = run(session, "seq 300000")
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.details.full_output_path)
      assert.is_nil(result.details.cut.full_output_error)
      session:cap("tool", ("x"):rep(500000))
      session:call("nope", {})
      session:close()
    end)
    assert.same({ "cwd" }, paths.names(home))
    assert.same({}, paths.names(home .. "/cwd"))
  end)

  describe("by default", function()
    it("is made in the state directory when the first full output has to be kept, without a log", function()
      local state = new_path()
      environment.with({ ABRIDGE_STATE_DIR = state, XDG_STATE_HOME = dir:at "unused" }, function()
        local session = open()
        run(session, "echo short")
        assert.is_nil(uv.fs_stat(state))
        local result = run(session, "seq 5000")
        local path = result.details.full_output_path
        assert.matches("^" .. state:gsub("%p", "%%%0") .. "/[^/]+/artifacts/0002%-run_command%.log$", path)
        assert.is_true(paths.read(path) == seq(1, 5000))
        local folder = path:match "^(.*)/artifacts/"
        assert.equal("directory 700", paths.mode(folder))
        assert.equal("file 600", paths.mode(path))
        assert.is_nil(uv.fs_stat(folder .. "/events.jsonl"))
        run(session, "seq 6000")
        assert.same({ "0002-run_command.log", "0003-run_command.log" }, paths.names(folder .. "/artifacts"))
        local other = open()
        local second = run(other, "seq 5000").details.full_output_path
        assert.are_not.equal(folder, (second:match "^(.*)/artifacts/"))
      end)
      assert.is_nil(uv.fs_stat(dir:at "unused"))
    end)

    it("lies under XDG_STATE_HOME, or under the home", function()
      local home = new_path()
      for _, case in ipairs {
        { { ABRIDGE_STATE_DIR = false, XDG_STATE_HOME = home .. "/xdg", HOME = home }, "/xdg/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = "", XDG_STATE_HOME = "", HOME = home }, "/.local/state/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = false, XDG_STATE_HOME = "relative", HOME = home }, "/.local/state/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = home .. "/own", XDG_STATE_HOME = home .. "/xdg", HOME = home }, "/own/" },
      } do
        environment.with(case[1], function()
          local path = run(open(), "seq 5000").details.full_output_path
          assert.equal(home .. case[2], path:sub(1, #home + #case[2]))
        end)
      end
      assert.is_nil(uv.fs_stat(dir:at "relative"))
    end)

    it("gives each result where it cannot be made", function()
      local file = dir:write("occupied", "x")
      environment.with({ ABRIDGE_STATE_DIR = file .. "/below" }, function()
        local session = open()
        local result = run(session, "seq 5000")
        assert.is_nil(result.details.full_output_path)
        assert.is_string(result.details.cut.full_output_error)
        local said = "\n5000\n\n[Showing 2000 of 5000 lines (2000 line limit). Full output not kept: %s]"
        said = said:format(result.details.cut.full_output_error)
        assert.equal(said, result.content:sub(-#said))
        result = session:cap("tool", seq(1, 5000))
        assert.is_string(result.details.cut.full_output_error)
      end)
    end)
  end)

  describe("retention", function()
    --- A run that is closed, its files so many seconds old; returns its path.
    local function old_run(parent, name, command, age)
      local path = parent .. "/" .. name
      local session = open { run_dir = path }
      run(session, command)
      session:close()
      local time = os.time() - age
      for _, file in ipairs { "/events.jsonl", "/artifacts/0001-run_command.log" } do
        if uv.fs_stat(path .. file) then assert(uv.fs_utime(path .. file, time, time)) end
      end
      return path
    end

    it("deletes runs over age beside the session's, and nothing else", function()
      local parent = new_path()
      old_run(parent, "old", "seq 5000", 8 * 86400)
      old_run(parent, "young", "seq 5000", 6 * 86400)
      local held = old_run(parent, "held", "seq 5000", 0)
      local holder = open { run_dir = held }
      local time = os.time() - 9 * 86400
      for _, file in ipairs { "/events.jsonl", "/artifacts/0001-run_command.log" } do
        assert(uv.fs_utime(held .. file, time, time))
      end
      uv.fs_mkdir(parent .. "/mine", 448)
      local session = open { run_dir = parent .. "/new", retention = { max_age = "7d" } }
      assert.same({ "held", "mine", "new", "young" }, paths.names(parent))
      assert.is_false(run(session, "true").is_error)
      assert.is_false(run(holder, "true").is_error)
    end)

    it("deletes the oldest runs over budget", function()
      local parent = new_path()
      old_run(parent, "a", "seq 10000", 300)
      old_run(parent, "b", "seq 10000", 200)
      old_run(parent, "c", "seq 10000", 100)
      -- a run has some 48,894 bytes of full output and 10,000 of log
      open { run_dir = parent .. "/new", retention = { max_bytes = "130KB" } }
      assert.same({ "b", "c", "new" }, paths.names(parent))
    end)

    it("works in the state directory", function()
      local state = new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local first = open()
        local path = run(first, "seq 5000").details.full_output_path
        local folder = path:match "^(.*)/artifacts/"
        local time = os.time() - 100
        assert(uv.fs_utime(path, time, time))
        assert(uv.fs_utime(folder .. "/lock", time, time))
        run(open { retention = { max_age = 50 } }, "seq 5000")
        assert.is_string(paths.read(path)) -- its session lives
        first:close()
        run(open { retention = { max_age = 50 } }, "seq 5000")
        assert.is_nil(uv.fs_stat(folder))
      end)
    end)

    it("leaves a full output alone that a running command is writing", function()
      local state = new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local first = open()
        local command = "seq 100000; touch begun; until test -e end; do sleep 0.01; done"
        local job = first:call("run_command", { command = command }, {})
        assert.is_true(waiting.eventually(function()
          return dir:read "begun" ~= nil and #paths.names(state) > 0
        end))
        run(open { retention = { max_bytes = 0 } }, "seq 5000")
        dir:write("end", "")
        local result = job:wait(20)
        local path = result.details.full_output_path
        assert(paths.read(path) == seq(1, 100000), "the result names a file that retention has deleted")
      end)
    end)

    it("leaves the full output alone that a result is about to name", function()
      local state = new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local session = open { retention = { max_bytes = "1KB" } }
        for _ = 1, 2 do
          local result = run(session, "seq 5000")
          assert(paths.read(result.details.full_output_path) == seq(1, 5000), "the result names a file that is gone")
        end
      end)
    end)

    it("is checked when the session is made", function()
      local cases = {
        { { max_age = "soon" }, "max_age" },
        { { max_age = -1 }, "max_age" },
        { { max_bytes = "much" }, "max_bytes" },
        { { max_runs = 5 }, "max_runs" },
        { 5, "5" },
      }
      for _, case in ipairs(cases) do
        local message = plain.misuse(function()
          local _ = abridge.session { run_dir = false, retention = case[1] }
        end)
        assert.matches("abridge%.session: retention must be ", message)
        assert(message:find(case[2], 1, true), message)
      end
      open { run_dir = false, retention = {} }
      open { run_dir = false, retention = { max_bytes = "1GB", max_age = "7d" } }
    end)
  end)

  it("of any kind leaves results plain data, and nothing raises", function()
    local odd = {
      "text", "", 5, true, 0 / 0, { 1, 2 }, {}, "a\255b\0c", ("x\n"):rep(5000), ("\255"):rep(40000),
      { content = {} }, { content = ("y"):rep(200000), isError = true },
      { content = { { type = "image", data = "x" } } },
      { content = "x", details = { f = print, n = 1, deep = { e = {} } }, total = 7, next_offset = 3 },
      { content = "x", details = { cut = 5 } }, { content = "x", details = { full_output_path = {} } },
      { content = "x", details = { notice = 5, exit_line = {}, cut = { kept = "no" } } },
      setmetatable({}, { __index = function() error "read" end }),
      setmetatable({}, { __tostring = function() error "told" end }),
    }
    local occupied = new_path()
    for _, run_dir in ipairs { false, new_path(), occupied } do
      local session = open { run_dir = run_dir }
      if run_dir == occupied then dir:write(occupied:match "[^/]*$" .. "/artifacts", "x") end
      for i = 1, #odd do
        session:register {
          name = "tool" .. i,
          execute = function()
            return odd[i]
          end,
        }
        session:register {
          name = "raises" .. i,
          execute = function()
            error(odd[i], 0)
          end,
        }
        for _, name in ipairs { "tool", "raises" } do
          local result
          assert.has_no.errors(function()
            result = session:call(name .. i, { input = odd[i] })
          end)
          if result.blocks == nil then assert_plain_data(result) end
          assert.is_true(plain.is_valid_utf8(result.content))
          abridge.assert_conforms(name, result)
          assert.has_no.errors(function()
            abridge.display(result, { max_lines = 3, width = 20 })
          end)
        end
      end
      if run_dir then assert.equal(#odd * 4, #assert(session:events())) end
    end
  end)

  it("does not hang on details that refer to themselves", function()
    local script = [[
local abridge = require "abridge"
local session = abridge.session { run_dir = arg[1] }
local details = {}
details.one, details.two = details, details
session:register {
  name = "tool",
  execute = function()
    return { content = "text", details = details }
  end,
}
print(session:call("tool", details).content)
]]
    dir:write("cyclic.lua", script)
    local out, _, code = dir:sh("ulimit -v 4000000; timeout 10 " .. dir:lua_command("cyclic.lua", new_path()))
    assert.equal(0, code)
    assert.equal("text\n", out)
  end)
end)
