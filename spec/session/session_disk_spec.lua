-- The run folder of a session on a disk that is full, limited or meddled with; and who may read it.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local host = require "abridge.base.host"
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local run_folders = require "support.run_folders"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local run = run_folders.run
local q = tmpdir.quote

local dir

describe("a session's run folder", function()
  setup(function()
    dir = run_folders.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  describe("is private", function()
    it("whatever the umask", function()
      for _, umask in ipairs { "0", "022", "0777" } do
        local path = dir:new_path()
        local said = dir:in_child("umask " .. umask .. "; ", { run_dir = path }, "seq 5000")
        assert.is_nil(said.message)
        assert.equal("directory 700", paths.mode(path))
        assert.equal("directory 700", paths.mode(path .. "/artifacts"))
        assert.equal("file 600", paths.mode(path .. "/artifacts/0001-run_command.log"))
        if umask ~= "0777" then assert.equal("file 600", paths.mode(path .. "/events.jsonl")) end
      end
    end)

    it("or refused, with a message and no error", function()
      local wide, link, file = dir:new_path(), dir:new_path(), dir:new_path()
      uv.fs_mkdir(wide, 493)
      uv.fs_chmod(wide, 493) -- 0755
      uv.fs_symlink(dir.path, link)
      dir:write(file:match "[^/]*$", "x")
      for _, path in ipairs { wide, link, file } do
        local session, message, code = dir:open { run_dir = path }
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
      local path = dir:new_path()
      local said = dir:in_child("ulimit -f 16; ", { run_dir = path }, "seq 300000", "echo after", "seq 5000")
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
      -- the log does not end in a torn line: what did not fit was taken back
      local log = assert(abridge.open_run(path))
      for i, event in ipairs(assert(log:events())) do
        if i > 1 then assert.is_true(event.seq > 1) end
      end
      assert.equal(0, log.broken)
    end)

    it("at all still gives each result", function()
      local path = dir:new_path()
      local said = dir:in_child("ulimit -f 0; ", { run_dir = path }, "seq 300000", "echo after")
      local cut = said.results[1].details.cut
      assert.equal("file too large", cut.full_output_error)
      assert.equal(0, cut.full_output_bytes or 0)
      assert.is_nil(said.results[1].content:find("Full output: ", 1, true))
      assert.equal(300000, cut.total_lines)
      assert.equal("after\n", said.results[2].content)
    end)

    --- A session whose full outputs cannot be opened, after `break_it(path)`.
    local function broken(break_it)
      local session = dir:open { run_dir = dir:new_path() }
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
        .. "Full output not kept: "
        .. why
        .. "]"
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
      local elsewhere = dir:new_path()
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
      local session = dir:open { run_dir = dir:new_path() }
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
end)
