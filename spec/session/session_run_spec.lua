-- Sessions and their run folders: the log, the full outputs, who may write, what a crash or a full disk leaves.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local environment = require "support.environment"
local host = require "abridge.base.host"
local killed_host = require "support.killed_host"
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local random = require "support.random"
local run_folders = require "support.run_folders"
local seq = require "support.seq"
local waiting = require "support.waiting"

local uv = host.uv()
local run = run_folders.run

local dir

describe("a session's run folder", function()
  setup(function()
    dir = run_folders.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  it("without a log says why there are no events", function()
    for _, run_dir in ipairs { false, "nil" } do
      local session = dir:open { run_dir = run_dir ~= "nil" and run_dir or nil }
      local events, message, code = session:events()
      assert.is_nil(events)
      assert.is_string(message)
      assert.equal("ENOENT", code)
    end
  end)

  describe("gives a full output", function()
    it("in pages, by offset and limit, that rebuild it", function()
      local session = dir:open { run_dir = dir:new_path() }
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
      local session = dir:open { run_dir = dir:new_path() }
      run(session, "seq 5")
      local content, info = session:full_output "call-1"
      assert.equal(seq(1, 5), content)
      assert.equal(5, info.total_lines)
      assert.is_nil(info.full_output_error)
      assert.equal("2\n3", (session:full_output("call-1", { offset = 2, limit = 2 })))
    end)

    it("not of items that a limit left out: the same tool goes on at an offset", function()
      dir:sh "mkdir -p many && cd many && for i in 1 2 3 4 5; do echo needle >f$i; done"
      local limits = {
        list_directory = { max_entries = 2 },
        find_files = { max_results = 2 },
        search_files = { max_matches = 2 },
      }
      local session = dir:open { run_dir = dir:new_path(), cwd = dir.path, limits = limits }
      for _, call in ipairs {
        { "list_directory", { path = "many" } },
        { "find_files", { pattern = "*", path = "many" } },
        { "search_files", { pattern = "needle", path = "many" } },
      } do
        local result = session:call(call[1], call[2])
        assert.is_nil(result.details.full_output_path)
        assert.is_nil(result.content:find("Full output", 1, true))
        assert.equal(3, result.truncation.next_offset)
        local _, info = session:full_output(result.call_id)
        assert.equal("the full output was not kept", info.full_output_error)
      end
    end)

    it("without how a command ended and what was said about it, cut or not", function()
      local session = dir:open { run_dir = dir:new_path() }
      local function full(command, input)
        input = input or {}
        local result = session:call("run_command", { command = command, timeout = input.timeout })
        local content, info = session:full_output(result.call_id, { offset = input.offset })
        assert.is_nil(info.full_output_error)
        return content, result.content
      end
      for _, ending in ipairs { "exit 3", "kill -9 $$" } do
        for _, case in ipairs {
          { "", "" },
          { "printf a", "a" },
          { "echo a", "a\n" },
          { "printf 'some bytes \\377\\n\\n'", "some bytes \239\191\189\n\n" },
          { "echo 'Command exited with code 3'", "Command exited with code 3\n" },
        } do
          local command = case[1] .. "\n" .. ending
          local content, shown = full(command)
          assert.equal(case[2], content)
          assert.matches("Command %l+ .*[^\n]$", shown)
        end
        assert.equal("8999\n9000\n", (full("seq 9000\n" .. ending, { offset = 8999 })))
      end
      assert.equal("", (full "true"))
      assert.equal("x", (full("printf x; sleep 60", { timeout = 0.2 })))
      local content, shown = full "echo a; sleep 1 &"
      assert.equal("a\n\n[A background process still holds the output]", shown)
      assert.equal("a\n", content)
    end)

    it("that a ceiling alone cut", function()
      local session = dir:open { run_dir = dir:new_path(), ceiling = { max_bytes = 600 } }
      session:cap("tool", seq(1, 1000))
      local content, info = session:full_output("call-1", { offset = 998 })
      assert.equal("998\n999\n1000\n", content)
      assert.equal(1000, info.total_lines)
    end)

    it("of a job that runs: not yet; of no call: not at all", function()
      local session = dir:open { run_dir = dir:new_path() }
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
      assert.equal("", (session:full_output(job.call_id)))
    end)

    it("of a session without a run folder of its own, where it was kept", function()
      environment.with({ ABRIDGE_STATE_DIR = dir:at "state-pages" }, function()
        local session = dir:open()
        run(session, "echo short")
        run(session, "seq 5000")
        local content, info = session:full_output("call-2", { offset = 4999 })
        assert.equal("4999\n5000\n", content)
        assert.equal(5000, info.total_lines)
        local _, message, code = session:full_output "call-1"
        assert.is_string(message)
        assert.equal("ENOENT", code)
      end)
      local session = dir:open { run_dir = false }
      run(session, "seq 5000")
      local content, message, code = session:full_output "call-1"
      assert.is_nil(content)
      assert.is_string(message)
      assert.equal("ENOENT", code)
    end)

    it("and refuses what is no page, at the caller's line", function()
      local session = dir:open { run_dir = dir:new_path() }
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
      local path = dir:new_path()
      for turn = 1, 3 do
        local session = dir:open { run_dir = path }
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
      local path = dir:new_path()
      local session = dir:open { run_dir = path }
      run(session, "seq 5000")
      local log = paths.read(path .. "/events.jsonl")
      session:close()
      -- the result is gone, and part of another call's line has come
      local file = assert(io.open(path .. "/events.jsonl", "wb"))
      file:write(log:match "^[^\n]*\n", '{"type":"tool_call","ca')
      file:close()
      session = dir:open { run_dir = path }
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
      local path = dir:new_path()
      local first = dir:open { run_dir = path }
      local second, message, code = dir:open { run_dir = path }
      assert.is_nil(second)
      assert.matches("Another session writes the run", message)
      assert.equal("EBUSY", code)
      assert.is_false(run(first, "true").is_error)
      first:close()
      second = assert(dir:open { run_dir = path .. "/" })
      assert.equal("call-2", run(second, "true").call_id)
    end)

    it("and no other process", function()
      local path = dir:new_path()
      local first = dir:open { run_dir = path }
      assert.equal("EBUSY", dir:in_child("", { run_dir = path }, "true").code)
      first:close()
      assert.equal("call-1", dir:in_child("", { run_dir = path }, "true").results[1].call_id)
    end)

    it("but a parent folder has many", function()
      local parent = dir:new_path()
      local one, two = dir:open { run_dir = parent .. "/one" }, dir:open { run_dir = parent .. "/two" }
      run(one, "seq 5000")
      run(two, "seq 6000")
      assert.is_true(paths.read(parent .. "/one/artifacts/0001-run_command.log") == seq(1, 5000))
      assert.is_true(paths.read(parent .. "/two/artifacts/0001-run_command.log") == seq(1, 6000))
      assert.same({ "one", "two" }, paths.names(parent))
    end)
  end)

  it("is read while it is written", function()
    local session = dir:open { run_dir = dir:new_path() }
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
    local path = dir:new_path()
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
      session = session or dir:open { run_dir = path } -- a killed holder blocks nobody, once its child has left fork()
      return session ~= nil
    end))
    run(session, "seq 5000")
    assert.equal(before + 2, #session:events())
  end)

  it("is not made when it is false: nothing is written anywhere", function()
    local home = dir:new_path()
    uv.fs_mkdir(home, 448)
    uv.fs_mkdir(home .. "/cwd", 448)
    local env = { ABRIDGE_STATE_DIR = home .. "/state", XDG_STATE_HOME = home .. "/xdg", HOME = home }
    environment.with(env, function()
      local session = dir:open { run_dir = false, cwd = home .. "/cwd", retention = { max_age = "1s" } }
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
      local state = dir:new_path()
      environment.with({ ABRIDGE_STATE_DIR = state, XDG_STATE_HOME = dir:at "unused" }, function()
        local session = dir:open()
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
        local other = dir:open()
        local second = run(other, "seq 5000").details.full_output_path
        assert.are_not.equal(folder, (second:match "^(.*)/artifacts/"))
      end)
      assert.is_nil(uv.fs_stat(dir:at "unused"))
    end)

    it("lies under XDG_STATE_HOME, or under the home", function()
      local home = dir:new_path()
      for _, case in ipairs {
        { { ABRIDGE_STATE_DIR = false, XDG_STATE_HOME = home .. "/xdg", HOME = home }, "/xdg/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = "", XDG_STATE_HOME = "", HOME = home }, "/.local/state/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = false, XDG_STATE_HOME = "relative", HOME = home }, "/.local/state/abridge/runs/" },
        { { ABRIDGE_STATE_DIR = home .. "/own", XDG_STATE_HOME = home .. "/xdg", HOME = home }, "/own/" },
      } do
        environment.with(case[1], function()
          local path = run(dir:open(), "seq 5000").details.full_output_path
          assert.equal(home .. case[2], path:sub(1, #home + #case[2]))
        end)
      end
      assert.is_nil(uv.fs_stat(dir:at "relative"))
    end)

    it("gives each result where it cannot be made", function()
      local file = dir:write("occupied", "x")
      environment.with({ ABRIDGE_STATE_DIR = file .. "/below" }, function()
        local session = dir:open()
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
      local session = dir:open { run_dir = path }
      run(session, command)
      session:close()
      local time = os.time() - age
      for _, file in ipairs { "/events.jsonl", "/artifacts/0001-run_command.log" } do
        if uv.fs_stat(path .. file) then assert(uv.fs_utime(path .. file, time, time)) end
      end
      return path
    end

    it("deletes runs over age beside the session's, and nothing else", function()
      local parent = dir:new_path()
      old_run(parent, "old", "seq 5000", 8 * 86400)
      old_run(parent, "young", "seq 5000", 6 * 86400)
      local held = old_run(parent, "held", "seq 5000", 0)
      local holder = dir:open { run_dir = held }
      local time = os.time() - 9 * 86400
      for _, file in ipairs { "/events.jsonl", "/artifacts/0001-run_command.log" } do
        assert(uv.fs_utime(held .. file, time, time))
      end
      uv.fs_mkdir(parent .. "/mine", 448)
      local session = dir:open { run_dir = parent .. "/new", retention = { max_age = "7d" } }
      assert.same({ "held", "mine", "new", "young" }, paths.names(parent))
      assert.is_false(run(session, "true").is_error)
      assert.is_false(run(holder, "true").is_error)
    end)

    it("deletes the oldest runs over budget", function()
      local parent = dir:new_path()
      old_run(parent, "a", "seq 10000", 300)
      old_run(parent, "b", "seq 10000", 200)
      old_run(parent, "c", "seq 10000", 100)
      -- a run has some 48,894 bytes of full output and 10,000 of log
      dir:open { run_dir = parent .. "/new", retention = { max_bytes = "130KB" } }
      assert.same({ "b", "c", "new" }, paths.names(parent))
    end)

    it("works in the state directory", function()
      local state = dir:new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local first = dir:open()
        local path = run(first, "seq 5000").details.full_output_path
        local folder = path:match "^(.*)/artifacts/"
        local time = os.time() - 100
        assert(uv.fs_utime(path, time, time))
        assert(uv.fs_utime(folder .. "/lock", time, time))
        run(dir:open { retention = { max_age = 50 } }, "seq 5000")
        assert.is_string(paths.read(path)) -- its session lives
        first:close()
        run(dir:open { retention = { max_age = 50 } }, "seq 5000")
        assert.is_nil(uv.fs_stat(folder))
      end)
    end)

    it("keeps 1GB and seven days unless told, and all beside a folder it was given for what is cut alone", function()
      local state = dir:new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local function kept_since(days)
          local session = dir:open { retention = {} } -- in place of both
          local path = run(session, "seq 5000").details.full_output_path
          session:close()
          local time = os.time() - days * 86400
          assert(uv.fs_utime(path, time, time))
          assert(uv.fs_utime(path:match "^(.*)/artifacts/" .. "/lock", time, time))
          return path
        end
        local old, young = kept_since(8), kept_since(6)
        assert.is_string(paths.read(old))
        run(dir:open(), "seq 5000")
        assert.is_nil(uv.fs_stat(old))
        assert.is_string(paths.read(young))
        local fd = assert(uv.fs_open(young, "r+", 0))
        assert(uv.fs_ftruncate(fd, 1025 * 1024 ^ 2)) -- of holes
        uv.fs_close(fd)
        run(dir:open(), "seq 5000")
        assert.is_nil(uv.fs_stat(young))
      end)
      local parent = dir:new_path()
      old_run(parent, "old", "seq 5000", 800 * 86400)
      dir:open { run_dir = parent .. "/new", keep_outputs = "cut" }
      assert.same({ "new", "old" }, paths.names(parent))
      dir:open { run_dir = parent .. "/newer" }
      assert.same({ "new", "newer" }, paths.names(parent))
    end)

    it("leaves a full output alone that a running command is writing", function()
      local state = dir:new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local first = dir:open()
        local command = "seq 100000; touch begun; until test -e end; do sleep 0.01; done"
        local job = first:call("run_command", { command = command }, {})
        assert.is_true(waiting.eventually(function()
          return dir:read "begun" ~= nil and #paths.names(state) > 0
        end))
        run(dir:open { retention = { max_bytes = 0 } }, "seq 5000")
        dir:write("end", "")
        local result = job:wait(20)
        local path = result.details.full_output_path
        assert(paths.read(path) == seq(1, 100000), "the result names a file that retention has deleted")
      end)
    end)

    it("leaves the full output alone that a result is about to name", function()
      local state = dir:new_path()
      environment.with({ ABRIDGE_STATE_DIR = state }, function()
        local session = dir:open { retention = { max_bytes = "1KB" } }
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
      dir:open { run_dir = false, retention = {} }
      dir:open { run_dir = false, retention = { max_bytes = "1GB", max_age = "7d" } }
    end)
  end)

  it("of any kind leaves results plain data, and nothing raises", function()
    local odd = {
      "text",
      "",
      5,
      true,
      0 / 0,
      { 1, 2 },
      {},
      "a\255b\0c",
      ("x\n"):rep(5000),
      ("\255"):rep(40000),
      { content = {} },
      { content = ("y"):rep(200000), isError = true },
      { content = { { type = "image", data = "x" } } },
      { content = "x", details = { f = print, n = 1, deep = { e = {} } }, total = 7, next_offset = 3 },
      { content = "x", details = { cut = 5 } },
      { content = "x", details = { full_output_path = {} } },
      { content = "x", details = { notice = 5, exit_line = {}, cut = { kept = "no" } } },
      setmetatable({}, {
        __index = function()
          error "read"
        end,
      }),
      setmetatable({}, {
        __tostring = function()
          error "told"
        end,
      }),
    }
    local occupied = dir:new_path()
    for _, run_dir in ipairs { false, dir:new_path(), occupied } do
      local session = dir:open { run_dir = run_dir }
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
    local out, _, code = dir:sh("ulimit -v 4000000; timeout 10 " .. dir:lua_command("cyclic.lua", dir:new_path()))
    assert.equal(0, code)
    assert.equal("text\n", out)
  end)
end)
