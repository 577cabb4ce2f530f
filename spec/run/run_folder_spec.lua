-- The folder of a run: numbers, names and modes; one writer at a time; a log that survives its writer.
local abridge = require "abridge"
local core = require "abridge.core"
local host = require "abridge.base.host"
local merge = require "support.merge"
local paths = require "support.paths"
local plain = require "support.plain"
local process = require "abridge.process"
local retention = require "abridge.run.retention"
local random = require "support.random"
local run_folders = require "support.run_folders"
local seq = require "support.seq"
local writers = require "abridge.run.writer"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local json = host.json()

local dir
local root = tmpdir.root()
local open = {} -- writers of the test that runs

local function create(run_dir, opts)
  local writer, message, code = writers.create("spec", run_dir, opts)
  open[#open + 1] = writer
  return writer, message, code
end

local function call(number, tool)
  return { type = "tool_call", call_id = "call-" .. number, tool = tool or "run_command", input = { command = "true" } }
end

local function result(number, content, more)
  local event = { type = "tool_result", call_id = "call-" .. number, tool = "run_command", content = content }
  event.truncation = { truncated = false, bytes_returned = #content, reason = "size_cap" }
  event.bytes_in, event.bytes_shown, event.is_error, event.duration_ms = #content, #content, false, 1
  return merge(event, more)
end

--- A folder as runs have them, with this log; returns its path.
local function folder_with_log(name, text)
  local path = dir:at(name)
  uv.fs_mkdir(path, 448) -- 0700
  uv.fs_chmod(path, 448)
  dir:write(name .. "/events.jsonl", text)
  uv.fs_chmod(path .. "/events.jsonl", 384) -- 0600
  return path
end

--- Start a script; `on_line(line, child)` is called with each line it prints.
local function start(script, args, on_line)
  local child = { rest = "" }
  local line = "exec " .. dir:lua_command(script, (table.unpack or unpack)(args))
  child.process = assert(process.spawn({ "sh", "-c", line }, { timeout = 300 }, {
    on_output = function(chunk)
      child.rest = child.rest .. chunk
      while child.rest:find "\n" do
        local said
        said, child.rest = child.rest:match "^([^\n]*)\n(.*)$"
        on_line(said, child)
      end
    end,
    on_exit = function(outcome)
      child.outcome = outcome
    end,
  }))
  function child.kill()
    uv.kill(child.process.pid, "sigkill")
  end
  function child.wait()
    host.wait(function()
      return child.outcome ~= nil
    end)
    assert.is_nil(child.outcome.handler_error) -- what a check in on_line raised
    assert.is_nil(child.outcome.error)
    assert.is_false(child.outcome.timed_out)
    return child.outcome
  end
  return child
end

-- Opens a run, says so, and stays until it is killed.
local HOLDER = [[
local writer, message, code = require("abridge.run.writer").create("holder", arg[1])
io.stdout:write(writer and "open" or code, "\n")
io.stdout:flush()
if not writer then os.exit(1) end
local uv = require "luv"
uv.timer_start(uv.new_timer(), 1000, 1000, function() end)
uv.run()
]]

-- Appends events of many sizes and says the number of each that was acknowledged.
local APPENDER = [[
local writer = assert(require("abridge.run.writer").create("appender", arg[1]))
local count = tonumber(arg[2])
for i = 1, count do
  local content = ("x"):rep(i % 7 == 0 and 300000 or i * 37 % 5000)
  assert(writer:event { type = "tool_result", call_id = "call-" .. i, tool = "t", content = content, n = #content })
  io.stdout:write(i, "\n")
  io.stdout:flush()
end
]]

describe("the log of a run", function()
  setup(function()
    dir = tmpdir.new()
    dir:write("holder.lua", HOLDER)
    dir:write("appender.lua", APPENDER)
  end)

  teardown(function()
    dir:remove()
  end)

  after_each(function()
    for i = #open, 1, -1 do
      open[i]:close()
      open[i] = nil
    end
  end)

  describe("has numbers", function()
    it("from 1, and times in seconds with a fraction", function()
      local writer = assert(create(dir:at "numbers"))
      assert.equal(0, writer.seq)
      assert.equal(0, writer.calls)
      local before = os.time()
      local first, second = call(1), result(1, "out")
      assert.is_true(writer:event(first))
      assert.is_true(writer:event(second))
      assert.equal(1, first.seq)
      assert.equal(2, second.seq)
      assert.is_true(first.time >= before and second.time >= first.time)
      assert.is_true(second.time <= os.time() + 2) -- os.time() lags behind
      assert.equal(2, writer.seq)
      assert.equal(1, writer.calls)
      local read = assert(abridge.open_run(dir:at "numbers")):events()
      assert.equal(2, #read)
      for i, event in ipairs { first, second } do
        assert.is_true(math.abs(event.time - read[i].time) < 0.001)
        read[i].time = event.time
        assert.same(event, read[i])
      end
    end)

    it("that go on when the run is reopened", function()
      local path = dir:at "again"
      local writer = assert(create(path))
      writer:event(call(1))
      writer:event(call(2))
      writer:event(result(2, "two"))
      writer:close()
      writer = assert(create(path))
      assert.equal(3, writer.seq)
      assert.equal(2, writer.calls)
      local event = call(3)
      writer:event(event)
      assert.equal(4, event.seq)
      writer:close()
      writer = assert(create(path .. "/"))
      assert.equal(4, writer.seq)
      assert.equal(3, writer.calls)
    end)

    it("that are not given twice, whatever was lost of the log", function()
      local path = folder_with_log("lost", '{"type":"tool_result","seq":9,"call_id":"a"}\n')
      local writer = assert(create(path))
      assert.equal(9, writer.seq)
      assert.equal(0, writer.calls)
    end)

    it("counted by calls, by their ids and by the names of full outputs", function()
      local path = folder_with_log("counted", '{"type":"tool_call","seq":1,"call_id":"mine"}\n')
      local writer = assert(create(path))
      assert.equal(1, writer.calls)
      writer:event { type = "tool_call", call_id = "call-5", tool = "t", input = { text = '"type":"tool_call"' } }
      writer:event { type = "tool_result", call_id = "call-8", tool = "t", metadata = { type = "tool_call" } }
      writer:close()
      writer = assert(create(path))
      assert.equal(5, writer.calls)
      local artifacts = assert(writer:artifact_dir())
      assert(io.open(artifacts .. "/0012-t.log", "w")):close()
      writer:close()
      writer = assert(create(path))
      assert.equal(12, writer.calls)
      assert.equal(3, writer.seq)
    end)
  end)

  it("names full outputs by number and tool, in 64 bytes", function()
    local writer = create(false)
    assert.equal("0007-run_command.log", writer:artifact_name(7, "run_command"))
    assert.equal("12345-a-b_C9.log", writer:artifact_name(12345, "a-b_C9"))
    assert.equal("0001-____etc_p.log", writer:artifact_name(1, "/../etc p"))
    assert.equal("0001-_.log", writer:artifact_name(1, ""))
    assert.equal("0001-_____.log", writer:artifact_name(1, "\0\n\195\169\255"))
    local long = writer:artifact_name(3, ("tool"):rep(100))
    assert.equal(64, #long)
    assert.matches("^0003%-[tol]+%.log$", long)
    assert.equal(64, #writer:artifact_name(2 ^ 53, ("\195\169"):rep(100)))
    assert.equal(long, create(false):artifact_name(3, ("tool"):rep(100)))
  end)

  describe("is private", function()
    it("whatever the umask", function()
      dir:write(
        "umask.lua",
        [[
        local writer = assert(require("abridge.run.writer").create("spec", arg[1]))
        local core = require "abridge.core"
        assert(writer:event { type = "tool_call", call_id = "a", tool = "t" })
        print(assert(writer:artifact_dir()))
      ]]
      )
      for _, umask in ipairs { "0", "077", "027" } do
        local path = dir:at("umask" .. umask .. "/deeper/run")
        local out, err, code = dir:sh("umask " .. umask .. " && " .. dir:lua_command("umask.lua", path))
        assert.equal("", err)
        assert.equal(0, code)
        assert.equal(path .. "/artifacts\n", out)
        for _, folder in ipairs { "/../..", "/..", "", "/artifacts" } do
          assert.equal("directory 700", paths.mode(path .. folder))
        end
        assert.equal("file 600", paths.mode(path .. "/events.jsonl"))
      end
    end)

    it("or refused: a wider mode, a link, a file", function()
      uv.fs_mkdir(dir:at "wide", 448)
      uv.fs_chmod(dir:at "wide", 488) -- 0750
      uv.fs_mkdir(dir:at "real", 448)
      uv.fs_symlink(dir:at "real", dir:at "link")
      dir:write("file", "")
      for _, name in ipairs { "wide", "link", "link/", "file" } do
        local writer, message, code = create(dir:at(name))
        assert.is_nil(writer)
        assert.is_string(message)
        assert.is_string(code)
        if name ~= "file" then assert.equal("EPERM", code) end
        local hint = "; chmod 700 " .. dir:at(name) .. " makes it so"
        assert.equal(name == "wide", message:sub(-#hint) == hint, message)
        assert.is_nil(uv.fs_stat(dir:at(name) .. "/events.jsonl"))
      end
    end)

    it("with a folder of full outputs that nobody has widened", function()
      local writer = assert(create(dir:at "widened"))
      assert(writer:artifact_dir())
      uv.fs_chmod(dir:at "widened/artifacts", 493) -- 0755
      local path, message, code = writer:artifact_dir()
      assert.is_nil(path)
      assert.is_string(message)
      assert.equal("EPERM", code)
    end)

    it("and never goes through a link", function()
      local path = dir:at "linked"
      uv.fs_mkdir(path, 448)
      dir:write("target", "precious")
      uv.fs_symlink(dir:at "target", path .. "/events.jsonl")
      assert.is_nil((create(path)))
      assert.equal("precious", dir:read "target")
    end)
  end)

  describe("has one writer", function()
    it("in this process", function()
      assert(create(dir:at "one"))
      local writer, message, code = create(dir:at "one")
      assert.is_nil(writer)
      assert.equal("EBUSY", code)
      assert.matches("Another session writes the run .*one$", message)
    end)

    it("and no other process gets in, until it is killed", function()
      local path = dir:at "held"
      local first, second
      local holder = start("holder.lua", { path }, function(line, holder)
        first = line
        assert.equal("open", line)
        holder.second = start("holder.lua", { path }, function(said)
          second = said
          holder.kill()
        end)
      end)
      holder.wait()
      assert.equal(1, holder.second.wait().code)
      assert.equal("open", first)
      assert.equal("EBUSY", second)
      assert.equal("KILL", holder.outcome.signal)
      assert.is_table((create(path)))
    end)

    it("and is read while it is written", function()
      local path = dir:at "busy"
      local reads, most = 0, 0
      local appender = start("appender.lua", { path, "60" }, function(line)
        local run = assert(abridge.open_run(path))
        local events = assert(run:events())
        assert.equal(0, run.broken)
        assert.is_true(#events >= tonumber(line) and #events >= most)
        for i, event in ipairs(events) do
          assert.equal(i, event.seq)
          assert.equal(event.n, #event.content)
        end
        reads, most = reads + 1, #events
      end)
      local outcome = appender.wait()
      assert.equal(0, outcome.code)
      assert.equal(60, reads)
      assert.equal(60, most)
    end)
  end)

  it("has every acknowledged event and no broken one when its writer is killed (" .. random.seed .. ")", function()
    random.each(20, function(case)
      local path = dir:at("killed" .. case)
      local last, until_line = 0, random.between(1, 40)
      local appender = start("appender.lua", { path, "1000000" }, function(line, appender)
        last = tonumber(line)
        if last == until_line then appender.kill() end
      end)
      random.must(appender.wait().signal == "KILL", "the appender ended by itself after %s lines", last)
      local run = assert(abridge.open_run(path))
      local events = assert(run:events())
      random.must(#events >= last, "%s events are there, %s were acknowledged", #events, last)
      random.must(run.broken == 0, "%s broken lines", run.broken)
      for i, event in ipairs(events) do
        random.must(event.seq == i and #event.content == event.n, "event %s is not whole", i)
      end
      local writer = assert(create(path))
      random.must(writer.seq == #events, "goes on after %s of %s events", writer.seq, #events)
      assert(writer:event(call(1)))
      writer:close()
      random.must(#run:events() == #events + 1 and run.broken == 0, "the torn line is still there")
      os.remove(path .. "/events.jsonl")
    end)
  end)

  describe("torn at any byte", function()
    local text, ends

    setup(function()
      local writer = assert(create(dir:at "whole"))
      writer:event(call(1))
      writer:event(result(1, "line 1\nline \195\169\n"))
      writer:event(call(2, "read_file"))
      writer:close()
      text = dir:read "whole/events.jsonl"
      ends = {}
      for at in text:gmatch "()\n" do
        ends[#ends + 1] = at
      end
      assert.equal(3, #ends)
    end)

    it("is read up to the last whole line, and goes on from there", function()
      for n = 0, #text do
        local whole = 0
        for _, at in ipairs(ends) do
          if at <= n then whole = whole + 1 end
        end
        local path = folder_with_log("torn", text:sub(1, n))
        local run = assert(abridge.open_run(path))
        assert.equal(whole, #run:events())
        assert.equal(0, run.broken)
        local writer = assert(create(path))
        assert.equal(whole, writer.seq)
        assert(writer:event(call(7)))
        writer:close()
        local events = run:events()
        assert.equal(whole + 1, #events)
        assert.equal(whole + 1, events[#events].seq)
        assert.equal(0, run.broken)
      end
    end)

    it("loses no more than lines that are no events, and counts them", function()
      local broken = { "", "null", "{}", "[1]", '"text"', "{", '{"type":1}', text:sub(1, 20), "\0\255" }
      local lines = {}
      for line in text:gmatch "[^\n]+" do
        lines[#lines + 1] = line
        for _, other in ipairs(broken) do
          lines[#lines + 1] = other
        end
      end
      local run = assert(abridge.open_run(folder_with_log("broken", table.concat(lines, "\n") .. "\n")))
      assert.equal(3, #run:events())
      assert.equal(3 * #broken, run.broken)
      assert.equal("line 1\nline \195\169\n", (run:full_output "call-1"))
      local writer = assert(create(dir:at "broken"))
      assert.is_true(writer.seq >= 3)
      assert.equal(2, writer.calls)
    end)
  end)

  describe("holds any event", function()
    local function written(event)
      local path = dir:at("any" .. #open .. tostring(event):gsub("%W", ""))
      local writer = assert(create(path))
      local ok, message = writer:event(event)
      local text = assert(io.open(path .. "/events.jsonl", "rb")):read "*a"
      assert.is_true(plain.is_valid_utf8(text))
      assert.equal(1, plain.count_lines(text))
      return json.decode(text), ok, message, writer
    end

    it("as one line of valid UTF-8", function()
      local event = written { type = "x", call_id = "a", content = "\255\n\r\0\226\128\168\195\169", ["\254"] = "key" }
      assert.equal("\239\191\189\n\r\0\226\128\168\195\169", event.content)
      assert.equal("key", event["\239\191\189"])
    end)

    it("without what JSON cannot hold", function()
      local cycle = {}
      cycle.cycle = cycle
      local event, ok = written { type = "x", call_id = "a", input = { f = print, [true] = 1, kept = 1 } }
      assert.is_true(ok)
      assert.same({ kept = 1 }, event.input)
      event, ok = written { type = "x", call_id = "b", input = cycle }
      assert.is_true(ok)
      assert.equal("b", event.call_id)
    end)

    it("or says that it could not", function()
      local event, ok, message, writer = written { type = "tool_call", call_id = "a", tool = "t", input = { 0 / 0 } }
      assert.is_nil(ok)
      assert.is_string(message)
      assert.equal(message, writer.error)
      assert.equal("a", event.call_id)
      assert.equal(1, event.seq)
      assert.equal(message, event.log_error)
    end)
  end)

  it("remembers a failure and raises none", function()
    local writer = assert(create(dir:at "failing"))
    writer:close()
    local ok, message = writer:event(call(1))
    assert.is_nil(ok)
    assert.is_string(message)
    assert.equal(message, writer.error)
    assert.equal(1, writer.seq)
    writer:close()
    local path, why, code = writer:artifact_dir()
    assert.is_nil(path)
    assert.is_string(why)
    assert.equal("EBADF", code)
  end)

  it("goes on when there is room again", function()
    dir:write(
      "limit.lua",
      [[
      local writer = assert(require("abridge.run.writer").create("spec", arg[1]))
      local event = { type = "tool_result", call_id = "a", tool = "t" }
      print(writer:event(event))
      event.content = ("x"):rep(100000)
      local ok, message = writer:event(event)
      print(ok, message ~= nil, writer.error == message)
      event.content = "small"
      print(writer:event(event))
    ]]
    )
    local out, err, code = dir:sh("ulimit -f 16; " .. dir:lua_command("limit.lua", dir:at "limited"))
    assert.equal("true\nnil\ttrue\ttrue\ntrue\n", out)
    assert.equal("", err)
    assert.equal(0, code)
    local run = assert(abridge.open_run(dir:at "limited"))
    local events = run:events()
    assert.equal(2, #events)
    assert.equal(1, events[1].seq)
    assert.equal(3, events[2].seq) -- the gap tells
    assert.equal(0, run.broken)
  end)

  describe("of a session without a folder", function()
    local saved = {}

    before_each(function()
      for _, name in ipairs { "ABRIDGE_STATE_DIR", "XDG_STATE_HOME", "HOME" } do
        saved[name] = os.getenv(name)
      end
      uv.os_setenv("ABRIDGE_STATE_DIR", dir:at "state")
    end)

    after_each(function()
      for _, name in ipairs { "ABRIDGE_STATE_DIR", "XDG_STATE_HOME", "HOME" } do
        if saved[name] then
          uv.os_setenv(name, saved[name])
        else
          uv.os_unsetenv(name)
        end
      end
      dir:sh "rm -rf state"
    end)

    it("is numbered but not written", function()
      local writer = assert(create(nil))
      local event = call(1)
      assert.is_true(writer:event(event))
      assert.equal(1, event.seq)
      assert.is_number(event.time)
      assert.equal(1, writer.calls)
      assert.is_string(writer:planned_dir())
      assert.is_nil(uv.fs_stat(dir:at "state"))
    end)

    it("has a fresh folder once a full output has to be kept", function()
      local one, two = assert(create(nil)), assert(create(nil))
      local planned = one:planned_dir()
      local path = assert(one:artifact_dir())
      assert.equal(planned, path)
      assert.equal(path, one:artifact_dir())
      assert.equal(one.dir .. "/artifacts", path)
      assert.equal(dir:at "state", one.dir:match "^(.*)/")
      assert.are_not.equal(path, assert(two:artifact_dir()))
      assert.equal("directory 700", paths.mode(one.dir))
      assert.equal("directory 700", paths.mode(path))
      assert.is_nil(uv.fs_stat(one.dir .. "/events.jsonl"))
      one:event(call(1))
      assert.is_nil(uv.fs_stat(one.dir .. "/events.jsonl"))
      local run, _, code = abridge.open_run(one.dir)
      assert.is_nil(run)
      assert.equal("ENOENT", code)
    end)

    it("lies where the user's state lies", function()
      local function planned(names)
        for _, name in ipairs { "ABRIDGE_STATE_DIR", "XDG_STATE_HOME", "HOME" } do
          uv.os_setenv(name, names[name] or "")
        end
        return assert(create(nil)):planned_dir():match "^(.*)/[^/]*/artifacts$"
      end
      assert.equal("/own/place", planned { ABRIDGE_STATE_DIR = "/own/place/", XDG_STATE_HOME = "/x", HOME = "/h" })
      assert.equal(root .. "/own", planned { ABRIDGE_STATE_DIR = "own" })
      assert.equal("/x/abridge/runs", planned { XDG_STATE_HOME = "/x", HOME = "/h" })
      assert.equal("/h/.local/state/abridge/runs", planned { XDG_STATE_HOME = "relative", HOME = "/h" })
      assert.equal("/h/.local/state/abridge/runs", planned { HOME = "/h" })
    end)

    it("pages the full outputs that it kept", function()
      local writer = assert(create(nil))
      local path = assert(writer:artifact_dir())
      local file = assert(io.open(path .. "/" .. writer:artifact_name(1, "t"), "w"))
      file:write "a\nb\nc\n"
      file:close()
      writer:event(result(1, "shown", { full_output = { path = "artifacts/0001-t.log", bytes = 6 } }))
      writer:event(result(2, "shown"))
      assert.equal("b", (writer:full_output("call-1", { offset = 2, limit = 1 })))
      local content, message, code = writer:full_output "call-2"
      assert.is_nil(content)
      assert.equal("No full output is kept of call call-2", message)
      assert.equal("ENOENT", code)
    end)

    it("writes nothing at all when told so", function()
      local writer = assert(create(false))
      local event = call(1)
      assert.is_true(writer:event(event))
      assert.equal(1, event.seq)
      assert.is_false(writer.keeps)
      assert.same({}, { writer:artifact_dir() })
      assert.same({}, { writer:planned_dir() })
      assert.is_nil(uv.fs_stat(dir:at "state"))
      assert.is_nil((writer:full_output "call-1"))
    end)
  end)

  describe("events", function()
    local run

    setup(function()
      local writer = assert(create(dir:at "filtered"))
      writer:event(call(1))
      writer:event(call(2, "read_file"))
      writer:event(result(2, "two", { tool = "read_file" }))
      writer:event(result(1, "one"))
      writer:close()
    end)

    before_each(function()
      run = assert(abridge.open_run(dir:at "filtered"))
    end)

    local function seqs(filter)
      return run_folders.seqs(run:events(filter))
    end

    it("come in order, by tool, type, call and number", function()
      assert.same({ 1, 2, 3, 4 }, seqs())
      assert.same({ 1, 2, 3, 4 }, seqs {})
      assert.same({ 1, 4 }, seqs { tool = "run_command" })
      assert.same({ 3, 4 }, seqs { type = "tool_result" })
      assert.same({ 2, 3 }, seqs { call_id = "call-2" })
      assert.same({ 3, 4 }, seqs { since = 2 })
      assert.same({ 4 }, seqs { since = 2, tool = "run_command" })
      assert.same({}, seqs { tool = "sql_query" })
      assert.same({}, seqs { since = 4 })
      assert.same({ "tool_call", { command = "true" } }, { run:events()[1].type, run:events()[1].input })
    end)

    it("are refused with a filter that is none", function()
      local wrong = { { tools = "x" }, { tool = 1 }, { since = "yesterday" }, { since = -1 }, { since = 1.5 } }
      for _, filter in ipairs(wrong) do
        local message = plain.misuse(function()
          local events = run:events(filter)
          return events
        end)
        assert.matches("^run:events: .*" .. next(filter), message)
      end
    end)

    it("are gone once the run is closed or deleted", function()
      run:close()
      run:close()
      assert.same({ nil, "The run is closed", "EBADF" }, { run:events() })
      assert.equal("EBADF", (select(3, run:full_output "call-1")))
      local other = assert(abridge.open_run(folder_with_log("deleted", "")))
      assert.same({}, other:events())
      os.remove(dir:at "deleted/events.jsonl")
      assert.equal("ENOENT", (select(3, other:events())))
    end)
  end)

  describe("open_run", function()
    it("says in one line why there is no run", function()
      uv.fs_mkdir(dir:at "empty", 448)
      dir:sh "mkdir fifo; mkfifo fifo/events.jsonl; mkdir -p folder/events.jsonl; echo > file"
      local codes = { empty = "ENOENT", nowhere = "ENOENT", file = "ENOENT", fifo = "ENOTREG", folder = "ENOTREG" }
      for name, expected in pairs(codes) do
        local run, message, code = abridge.open_run(dir:at(name))
        assert.is_nil(run)
        assert.matches("^[^\n]+$", message)
        assert.equal(expected, code)
      end
      assert.equal("ENOENT", (select(3, abridge.open_run "")))
      assert.equal("ENOENT", (select(3, abridge.open_run "a\0b")))
    end)

    it("refuses what is no path", function()
      for _, value in ipairs { 1, true, {} } do
        assert.matches(
          "abridge.open_run: dir must be a string",
          plain.misuse(function()
            local run = abridge.open_run(value)
            return run
          end)
        )
      end
    end)

    it("needs neither a private folder nor the right to write", function()
      local path = folder_with_log("shown", '{"type":"tool_call","seq":1,"call_id":"a"}\n')
      uv.fs_chmod(path, 365) -- 0555
      uv.fs_chmod(path .. "/events.jsonl", 292) -- 0444
      assert.equal(1, #assert(abridge.open_run(path)):events())
    end)
  end)

  describe("full_output", function()
    local writer, run

    before_each(function()
      local path = dir:at "outputs"
      dir:sh "rm -rf outputs"
      writer = assert(create(path))
      local artifacts = assert(writer:artifact_dir())
      local file = assert(io.open(artifacts .. "/0001-run_command.log", "w"))
      file:write(seq(1, 5000, "line %d"))
      file:close()
      writer:event(call(1))
      writer:event(result(1, "cut", {
        truncation = { truncated = true, bytes_returned = 3, reason = "line_cap" },
        full_output = { path = "artifacts/0001-run_command.log", bytes = 48893 },
      }))
      run = assert(abridge.open_run(path))
    end)

    it("pages the file of a call as read_file would", function()
      local content, page = run:full_output "call-1"
      assert.matches("^line 1\n.*\nline 2000$", content)
      assert.same(
        { first_line = 1, last_line = 2000, total_lines = 5000, total_bytes = 48893, next_offset = 2001 },
        page
      )
      content, page = run:full_output("call-1", { offset = 4999, limit = 5 })
      assert.equal("line 4999\nline 5000\n", content)
      assert.same({ first_line = 4999, last_line = 5000, total_lines = 5000, total_bytes = 48893 }, page)
      content, page = run:full_output("call-1", { offset = 3, limit = 1 })
      assert.equal("line 3", content)
      assert.equal(4, page.next_offset)
      assert.equal("line 3", (writer:full_output("call-1", { offset = 3, limit = 1 })))
    end)

    it("serves a result that was not cut from its event", function()
      writer:event(result(2, "a\nb\n\nCommand exited with code 1"))
      local content, page = run:full_output "call-2"
      assert.equal("a\nb\n\nCommand exited with code 1", content)
      assert.same({ first_line = 1, last_line = 4, total_lines = 4, total_bytes = 31 }, page)
      assert.equal("b", (run:full_output("call-2", { offset = 2, limit = 1 })))
      writer:event(result(3, ""))
      content, page = run:full_output "call-3"
      assert.equal("", content)
      assert.same({ first_line = 1, last_line = 1, total_lines = 0, total_bytes = 0 }, page)
    end)

    it("says what it is when it is not the whole output", function()
      writer:event(result(2, "some", { truncation = { truncated = true, bytes_returned = 4, reason = "size_cap" } }))
      local content, page = run:full_output "call-2"
      assert.equal("some", content)
      assert.equal("the full output was not kept", page.full_output_error)
      writer:event(result(3, "some", {
        truncation = { truncated = true, bytes_returned = 4, reason = "size_cap" },
        full_output = { error = "no space left on device" },
      }))
      assert.equal("no space left on device", (select(2, run:full_output "call-3")).full_output_error)
      local short = { path = "artifacts/0001-run_command.log", bytes = 10, error = "file too large" }
      writer:event(result(4, "some", { full_output = short }))
      content, page = run:full_output("call-4", { limit = 1 })
      assert.equal("line 1", content)
      assert.equal("file too large", page.full_output_error)
    end)

    it("says why there is none", function()
      local function refused(...)
        local content, message, code = run:full_output(...)
        assert.is_nil(content)
        return message, code
      end
      assert.same({ "No such call: call-9", "ENOENT" }, { refused "call-9" })
      assert.same({ "No such call: ", "ENOENT" }, { refused "" })
      writer:event(call(2))
      assert.same({ "Call call-2 has no result yet", "EAGAIN" }, { refused "call-2" })
      assert.same(
        { "Offset 5001 is beyond end of file (5000 lines total)", "EOFFSET" },
        { refused("call-1", { offset = 5001 }) }
      )
      assert.same({ "Column 8 is beyond end of line 1 (6 chars)", "ECOLUMN" }, { refused("call-1", { column = 8 }) })
      os.remove(dir:at "outputs/artifacts/0001-run_command.log")
      local message, code = refused "call-1"
      assert.matches("^The full output of call%-1 is gone: ", message)
      assert.equal("ENOENT", code)
    end)

    it("never leaves the run's folder", function()
      dir:write("secret.log", "secret")
      local names = {
        "../secret.log",
        "artifacts/../../secret.log",
        "artifacts/../events.jsonl",
        dir:at "secret.log",
        "artifacts/",
        "artifacts/0001-a.log/../../../secret.log",
        "",
        "artifacts/0001-a\n.log",
      }
      for i, name in ipairs(names) do
        writer:event(result(i + 10, "shown", { full_output = { path = name } }))
        local content, _, code = run:full_output("call-" .. i + 10)
        assert.is_nil(content)
        assert.equal("EINVAL", code)
      end
    end)

    it("finds a call by any id", function()
      for _, id in ipairs { "a/b", 'quote"', "\195\169", "call-1-2", "tool use", "%d+", "a\\b" } do
        writer:event { type = "tool_result", call_id = id, tool = "t", content = "of " .. id }
        assert.equal("of " .. id, (run:full_output(id)))
      end
    end)

    it("refuses what is no page", function()
      for _, args in ipairs {
        { 1 },
        { "a", { offset = 0 } },
        { "a", { limit = 0 } },
        { "a", { column = 1.5 } },
        { "a", { max_bytes = 1 } },
        { "a", 5 },
      } do
        local message = plain.misuse(function()
          local content = run:full_output(args[1], args[2])
          return content
        end)
        assert.matches("^run:full_output: ", message)
      end
    end)
  end)

  it("is not made again by pruning while somebody else deletes it", function()
    local writer = create(dir:at "runs/old")
    assert(writer:event(call(1)))
    writer:close()
    local log = core.log
    core.log = function(...)
      dir:sh "rm -rf runs"
      return log(...)
    end
    local ok, removed = pcall(retention.prune, dir:at "runs", { max_age = 0 })
    core.log = log
    assert.is_true(ok, removed)
    assert.equal(0, removed)
    assert.is_nil(uv.fs_stat(dir:at "runs"))
  end)

  it("is made again when its old folder is deleted under its hands", function()
    dir:write(
      "pruner.lua",
      [[
      local retention, uv = require "abridge.run.retention", require "luv"
      io.stdout:write("ready\n")
      io.stdout:flush()
      while uv.fs_stat(arg[1]) do retention.prune(arg[1], { max_age = 0 }) end
    ]]
    )
    local parent = dir:at "contended"
    uv.fs_mkdir(parent, 448)
    local pruner = start("pruner.lua", { parent }, function()
      for _ = 1, 60 do -- each may wait for the pruner's lock
        local writer, message, code = create(parent .. "/run")
        if writer then
          assert(writer:event(call(1)))
          assert.is_true(uv.fs_stat(parent .. "/run/events.jsonl").size > 0)
          writer:close()
          open[#open] = nil
        else
          assert(code == "EBUSY" or code == "ENOENT", message)
        end
      end
      dir:sh "while ! rm -rf contended 2>/dev/null; do :; done"
    end)
    assert.equal(0, pruner.wait().code)
  end)

  it("refuses what is no folder and no retention, and blames the caller", function()
    local function session(...) -- the public function that hands on what it is given
      local writer = writers.create("abridge.session", ...)
      return writer
    end
    local bad_retention = { retention = { max_age = "x" } }
    for _, args in pairs { { 1 }, { true }, { "" }, { "a\0b" }, { nil, bad_retention }, { nil, { a = 1 } } } do
      assert.matches(
        "^abridge.session: ",
        plain.misuse(function()
          local writer = session(args[1], args[2])
          return writer
        end)
      )
    end
  end)
end)
