-- The full output of a stream, saved texts and logs, as a host sees them; spec/c/test_private_file.c has the rest.
local abridge = require "abridge"
local core = require "abridge.core"
local host = require "abridge.base.host"
local merge = require "support.merge"
local process = require "abridge.process"
local random = require "support.random"
local resources = require "support.resources"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local quote = tmpdir.quote
local is_root = uv.getuid() == 0
local on_linux = resources.has_proc
local dir

before_each(function()
  dir = tmpdir.new()
end)
after_each(function()
  dir:remove()
end)

local function mode_of(path)
  local stat = uv.fs_lstat(path)
  return stat and ("%o"):format(stat.mode % 4096)
end

local function exists(path)
  return uv.fs_lstat(path) ~= nil
end

--- n lines of ten bytes.
local function lines(n)
  return seq(1, n, "%09d")
end

--- A stream of at most two lines that keeps its full output as full/NAME.
local function stream(name, opts)
  return abridge.stream(
    merge({ strategy = "tail", max_lines = 2, full_output = { dir = dir:at "full", name = name or "f" } }, opts)
  )
end

--- The shell line that runs a Lua file on this host; it inherits LUA_PATH and LUA_CPATH.
local function host_line(file)
  local lua = tmpdir.interpreter()
  if lua then return quote(lua) .. " " .. quote(file) end
  return tmpdir.headless(uv.exepath(), file)
end

--- Environment variables by which a child finds the modules from any folder.
local function module_paths()
  local root = tmpdir.root()
  local function absolute(path)
    return (path:gsub("[^;]+", function(p)
      return p:find "^/" and p or root .. "/" .. p
    end))
  end
  return "LUA_PATH=" .. quote(absolute(package.path)) .. " LUA_CPATH=" .. quote(absolute(package.cpath))
end

--- Write a program of this host and give the shell line that runs it; what Neovim leaves when it is killed, it leaves
--- in the test's own folder.
local function program(name, code)
  local file = dir:write(name, code)
  return ("%s TMPDIR=%s %s"):format(module_paths(), quote(dir.path), host_line(file))
end

describe("the full output of a stream", function()
  it("is a private file of all that came, named in the cut", function()
    local s = stream "0007-run_command.log"
    local text = lines(10)
    for i = 1, #text, 7 do
      s:write(text:sub(i, i + 6))
    end
    local content, cut = s:finish()
    assert.equal(lines(10):sub(-20), content)
    assert.equal(dir:at "full/0007-run_command.log", cut.full_output_path)
    assert.equal(100, cut.full_output_bytes)
    assert.is_nil(cut.full_output_error)
    assert.is_nil(cut.full_output_code)
    assert.equal(text, dir:read "full/0007-run_command.log")
    assert.equal("600", mode_of(cut.full_output_path))
    assert.equal("700", mode_of(dir:at "full"))
    s:close()
    assert.equal(text, dir:read "full/0007-run_command.log")
  end)

  it("is not made while nothing is lost", function()
    for _, opts in ipairs { { max_lines = 10 }, { max_lines = 9, strategy = "head", max_bytes = 10 } } do
      local s = stream("f", opts)
      s:write(opts.max_bytes and lines(1) or lines(10))
      local _, cut = s:finish()
      assert.is_false(cut.truncated)
      assert.is_nil(cut.full_output_path)
      assert.is_nil(cut.full_output_bytes)
      s:close()
    end
    assert.is_false(exists(dir:at "full")) -- not even its folder
  end)

  it("is made by any budget, lines as much as bytes", function()
    for i, opts in ipairs {
      { max_lines = 9 },
      { max_lines = 2 ^ 53, max_bytes = 98 },
      { max_lines = 2 ^ 53, max_chars = 98 },
      { max_lines = 2 ^ 53, max_tokens = 3 },
      {
        max_lines = 2 ^ 53,
        max_tokens = 90,
        count_tokens = function(text)
          return #text
        end,
      },
      { max_lines = 0 },
      { max_bytes = 0 },
    } do
      for _, strategy in ipairs { "head", "tail", "head_tail" } do
        opts.strategy = strategy
        local s = stream(("f%d-%s"):format(i, strategy), opts)
        s:write(lines(10))
        local _, cut = s:finish()
        assert.is_true(cut.truncated)
        assert.equal(100, cut.full_output_bytes)
        assert.equal(lines(10), dir:read(("full/f%d-%s"):format(i, strategy)))
        s:close()
      end
    end
  end)

  it("is made when finish lowers a budget", function()
    local s = stream("f", { max_lines = 100 })
    s:write(lines(10))
    local _, cut = s:snapshot { max_lines = 3 }
    assert.is_true(cut.truncated)
    assert.is_false(exists(dir:at "full"))
    _, cut = s:finish { max_lines = 3 }
    assert.equal(100, cut.full_output_bytes)
    assert.equal(lines(10), dir:read "full/f")
    s:close()
  end)

  it("is what came, whatever the bytes, chunks and budgets", function()
    random.each(150, function(case)
      local text = random.bytes(random.below(3000))
      local budget = random.below(200)
      local s = stream("f" .. case, { strategy = random.choose { "head", "tail", "head_tail" }, max_bytes = budget })
      local at = 1
      while at <= #text do
        local n = random.choose { 1, 1 + random.below(50), 1 + random.below(3000) }
        s:write(text:sub(at, at + n - 1))
        at = at + n
        if random.chance(20) then
          local _, cut = s:snapshot()
          local held = dir:read("full/f" .. case) or ""
          random.must(#held == (cut.full_output_bytes or 0), "bytes told %s", cut.full_output_bytes)
          random.must(text:sub(1, #held) == held, "what is in the file so far")
        end
      end
      local _, cut = s:finish()
      local held = dir:read("full/f" .. case)
      random.must(held == (cut.truncated and text or nil), "%d bytes in the file", held and #held)
      s:close()
    end)
  end)

  it("is not made at all with false", function()
    local s = abridge.stream { strategy = "tail", max_lines = 2, full_output = false }
    s:write(lines(10))
    local _, cut = s:finish()
    assert.is_true(cut.truncated)
    assert.is_nil(cut.full_output_path)
    assert.is_nil(cut.full_output_error)
  end)

  it("makes the folders on the way, private ones", function()
    local s = stream("f", { full_output = { dir = dir:at "a/b/c", name = "f" } })
    s:write(lines(3))
    local _, cut = s:finish()
    assert.equal(dir:at "a/b/c/f", cut.full_output_path)
    for _, made in ipairs { "a", "a/b", "a/b/c" } do
      assert.equal("700", mode_of(dir:at(made)))
    end
    s:close()
  end)

  it("is private under any umask", function()
    for _, umask in ipairs { "000", "022", "077", "277", "777" } do
      local line = program(
        "umask.lua",
        ([[
        local abridge = require "abridge"
        local s = abridge.stream { strategy = "tail", max_lines = 1, full_output = { dir = %q, name = "f" } }
        s:write "one\ntwo\n"
        local _, cut = s:finish()
        print(cut.full_output_path or cut.full_output_error)
      ]]):format(dir:at("u" .. umask))
      )
      -- the shell's own files come first, and a umask of 777 hides what it makes later
      dir:sh("umask " .. umask .. "; " .. line .. " > /dev/null 2>&1")
      assert.equal("700", mode_of(dir:at("u" .. umask)))
      assert.equal("600", mode_of(dir:at("u" .. umask .. "/f")))
    end
  end)

  it("leaves no descriptor open, closed, collected or finished", function()
    if not on_linux then return pending "counts /proc/self/fd" end
    collectgarbage()
    local before = resources.descriptors()
    for i = 1, 1000 do
      local s = stream("f" .. i)
      s:write(lines(5))
      if i % 3 > 0 then s:finish() end
      if i % 2 == 0 then s:close() end
      if i % 100 == 0 then collectgarbage() end
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, resources.descriptors())
    local kept = {}
    for i = 1, 20 do
      kept[i] = stream("kept" .. i)
      kept[i]:write(lines(5))
      kept[i]:finish()
    end
    assert.equal(before, resources.descriptors()) -- finish closes the file
    for i = 1, 20 do
      assert.equal(50, select(2, kept[i]:snapshot()).full_output_bytes)
    end
  end)

  it("is not inherited by a child", function()
    if not on_linux then return pending "counts /proc/self/fd" end
    local function in_child()
      local pipe = io.popen "ls /proc/self/fd | wc -l"
      local n = tonumber(pipe:read "*a")
      pipe:close()
      return n
    end
    local before = in_child()
    local s = stream("f", { max_bytes = 10 })
    s:write(lines(5000))
    assert.is_true(exists(dir:at "full/f"))
    assert.equal(before, in_child())
    s:close()
  end)
end)

describe("trouble with the full output", function()
  --- The preview is there, and the cut says what happened.
  local function told(code, s)
    s = s or stream()
    assert.is_true(s:write(lines(5)))
    for _ = 1, 20 do
      assert.is_true(s:write(lines(1000)))
    end
    local content, cut = s:finish()
    assert.equal(lines(1000):sub(-20), content)
    assert.equal(20005, cut.total_lines)
    assert.is_true(cut.truncated)
    assert.equal(code, cut.full_output_code)
    assert.is_string(cut.full_output_error)
    assert.is_nil(cut.full_output_error:find "/") -- a sentence that is the same everywhere
    s:close()
    return cut
  end

  it("is told for a folder that others may enter", function()
    for _, mode in ipairs { "0755", "0710", "0701", "0777", "0770" } do
      assert(os.execute(("mkdir -p %s && chmod %s %s"):format(quote(dir:at "full"), mode, quote(dir:at "full"))))
      local cut = told "EPERM"
      assert.is_nil(cut.full_output_path)
      assert.is_false(exists(dir:at "full/f"))
    end
  end)

  it("is told for a folder of another owner", function()
    if not is_root then return pending "needs root" end
    assert(uv.fs_mkdir(dir:at "full", 448))
    assert(uv.fs_chown(dir:at "full", 65534, 65534))
    told "EPERM"
    assert.is_false(exists(dir:at "full/f"))
  end)

  it("is told for a link in the folder's place", function()
    assert(uv.fs_mkdir(dir:at "real", 448))
    assert(uv.fs_symlink(dir:at "real", dir:at "full"))
    told "EPERM"
    told("EPERM", stream("f", { full_output = { dir = dir:at "full/", name = "f" } }))
    assert.is_false(exists(dir:at "real/f"))
  end)

  it("is told for a file in the folder's place", function()
    dir:write("full", "mine")
    told "ENOTDIR"
    told("ENOTDIR", stream("f", { full_output = { dir = dir:at "full/below", name = "f" } }))
    assert.equal("mine", dir:read "full")
  end)

  it("is told for a folder that may not be written", function()
    assert(uv.fs_mkdir(dir:at "full", 320)) -- 0500
    local said = dir:unprivileged [[
      local full_output = { dir = arg[1] .. "/full", name = "f" }
      local stream = require("abridge").stream { strategy = "tail", max_lines = 2, full_output = full_output }
      stream:write("a\nb\nc\n")
      local content, cut = stream:finish()
      io.write(cut.full_output_code, " ", tostring(cut.full_output_path), "\n", content)
    ]]
    if not said then return pending "root cannot give up its privileges here" end
    assert.equal("EACCES nil\nb\nc\n", said)
  end)

  it("is told for a file or link of that name, which stays as it is", function()
    assert(uv.fs_mkdir(dir:at "full", 448))
    dir:write("full/f", "mine")
    told "EEXIST"
    assert.equal("mine", dir:read "full/f")
    assert(uv.fs_symlink(dir:at "target", dir:at "full/link"))
    told("EEXIST", stream "link")
    assert.is_false(exists(dir:at "target"))
  end)

  it("is told for what is no file name", function()
    for _, name in ipairs { "a/b", "../f", "..", ".", "/f" } do
      told("EINVAL", stream(name))
    end
    told("ENAMETOOLONG", stream(("n"):rep(256)))
    told("ENAMETOOLONG", stream("f", { full_output = { dir = "/" .. ("a/"):rep(3000), name = "f" } }))
    assert.is_false(exists(dir:at "f"))
  end)

  it("is told at a look on the way, and told once the disk is full", function()
    assert(uv.fs_mkdir(dir:at "full", 448))
    dir:write("full/f", "mine")
    local s = stream("f", { max_bytes = 20 })
    s:write(lines(100))
    local content, cut = s:snapshot()
    assert.equal(lines(100):sub(-20), content)
    assert.equal("EEXIST", cut.full_output_code)
    s:close()
  end)

  it("of a size limit is an error, not a signal; the bytes told are those on disk", function()
    local line = program(
      "limit.lua",
      ([[
      local abridge = require "abridge"
      local full = { dir = %q, name = "f" }
      local s = abridge.stream { strategy = "tail", max_lines = 2, max_bytes = 100, full_output = full }
      for i = 1, 20000 do assert(s:write(("%%09d\n"):format(i))) end
      local content, cut = s:finish()
      local facts = { #content, cut.total_lines, cut.full_output_code, cut.full_output_bytes, cut.full_output_path }
      io.stdout:write(content, table.concat(facts, " "), "\n")
    ]]):format(dir:at "full")
    )
    local out, err, code = dir:sh("ulimit -f 1; " .. line)
    assert.equal("", err)
    assert.equal(0, code)
    local size = uv.fs_stat(dir:at "full/f").size
    assert.is_true(size == 512 or size == 1024) -- a block of ulimit's
    local want = "000019999\n000020000\n20 20000 EFBIG %d %s\n"
    assert.equal(want:format(size, dir:at "full/f"), out)
    assert.equal(lines(20000):sub(1, size), dir:read "full/f")
  end)
end)

describe("a saved text", function()
  it("is a private file", function()
    local path, bytes, message, code = core.save(dir:at "a/b", "f", "some\0text\n")
    assert.same({ dir:at "a/b/f", 10 }, { path, bytes })
    assert.is_nil(message)
    assert.is_nil(code)
    assert.equal("some\0text\n", dir:read "a/b/f")
    assert.equal("600", mode_of(path))
    assert.equal("700", mode_of(dir:at "a/b"))
    local big = lines(50000)
    path, bytes = core.save(dir:at "a/b", "big", big)
    assert.same({ dir:at "a/b/big", #big }, { path, bytes })
    assert.equal(big, dir:read "a/b/big")
    assert.equal(0, select(2, core.save(dir:at "a/b", "empty", "")))
  end)

  it("is not written over another", function()
    core.save(dir:at "a", "f", "first")
    local path, bytes, message, code = core.save(dir:at "a", "f", "second")
    assert.same({ 0, "file exists", "EEXIST" }, { bytes, message, code })
    assert.is_nil(path)
    assert.equal("first", dir:read "a/f")
    assert.equal("EINVAL", select(4, core.save(dir:at "a", "b/c", "x")))
  end)

  it("that does not fit says how much is there", function()
    local line = program(
      "save.lua",
      ([[
      local core = require "abridge.core"
      local path, bytes, message, code = core.save(%q, "f", ("x"):rep(100000))
      io.stdout:write(table.concat({ path, bytes, message, code }, "|"), "\n")
    ]]):format(dir:at "full")
    )
    local out, err = dir:sh("ulimit -f 1; " .. line)
    assert.equal("", err)
    local size = uv.fs_stat(dir:at "full/f").size
    assert.equal(("%s|%d|file too large|EFBIG\n"):format(dir:at "full/f", size), out)
  end)
end)

describe("a private folder", function()
  it("is made, and told where it is not private", function()
    assert.is_true(core.private_folder(dir:at "a/b"))
    assert.is_true(core.private_folder(dir:at "a/b"))
    assert.equal("700", mode_of(dir:at "a/b"))
    assert(uv.fs_chmod(dir:at "a/b", 493)) -- 0755
    local ok, message, code = core.private_folder(dir:at "a/b")
    assert.is_nil(ok)
    assert.equal("EPERM", code)
    assert.equal(dir:at "a/b" .. ": not private: another owner, a wider mode or a link", message)
  end)
end)

describe("a log", function()
  local function open(name)
    return core.log(dir:at "run", name or "log")
  end

  it("grows by whole records, there at once", function()
    local log = assert(open())
    assert.equal("600", mode_of(dir:at "run/log"))
    assert.is_true(log:append "one\n")
    assert.equal("one\n", dir:read "run/log")
    assert.is_true(log:append(lines(10000)))
    assert.equal("one\n" .. lines(10000), dir:read "run/log")
    assert.equal(100004, log:size())
    log:close()
    log:close()
    assert.matches("log:append: the log is closed", select(2, pcall(log.append, log, "x\n")))
    log = assert(open())
    assert.equal(100004, log:size())
    assert.is_true(log:append "more\n")
    log:close()
    assert.equal("one\n" .. lines(10000) .. "more\n", dir:read "run/log")
  end)

  it("loses a torn last line when it is opened again", function()
    local text = "one\n\ntwo, longer\nthree\n"
    assert.is_true(core.private_folder(dir:at "run"))
    for torn = 0, #text do
      dir:write("run/log", text:sub(1, torn))
      uv.fs_chmod(dir:at "run/log", 384) -- 0600
      local log = assert(open())
      local whole = text:sub(1, torn):match "^(.*\n)" or ""
      assert.equal(#whole, log:size())
      log:append "next\n"
      log:close()
      assert.equal(whole .. "next\n", dir:read "run/log")
    end
  end)

  it("that may not be read by us alone is refused", function()
    assert.is_true(core.private_folder(dir:at "run"))
    dir:write("run/log", "x\n")
    uv.fs_chmod(dir:at "run/log", 420) -- 0644
    assert.equal("EPERM", select(3, open()))
    assert(uv.fs_symlink(dir:at "elsewhere", dir:at "run/link"))
    assert.equal("ELOOP", select(3, open "link"))
    assert.equal("EINVAL", select(3, open "a/b"))
  end)

  it("is freed by the collector", function()
    for _ = 1, 10 do -- the lock of one not freed would keep the next one out
      assert(open())
      collectgarbage()
      collectgarbage()
    end
  end)

  it("is held by one at a time", function()
    local log = assert(open())
    log:append "mine\n"
    local other, message, code = open()
    assert.is_nil(other)
    assert.equal("EBUSY", code)
    assert.matches("another process is writing it$", message)
    local line = program(
      "other.lua",
      ([[
      local log, _, code = require("abridge.core").log(%q, "log")
      io.stdout:write(tostring(log), " ", tostring(code), "\n")
    ]]):format(dir:at "run")
    )
    assert.equal("nil EBUSY\n", (dir:sh(line)))
    assert.equal("mine\n", dir:read "run/log")
    log:close()
    log = assert(open())
    log:close()
  end)

  it("is free again when its holder was killed, and mended", function()
    local line = program(
      "holder.lua",
      ([[
      local log = assert(require("abridge.core").log(%q, "log"))
      log:append "whole\n"
      log:append "to"
      io.stdout:write "ready\n"
      io.stdout:flush()
      io.popen("exec sleep 60"):read "*a"
    ]]):format(dir:at "run")
    )
    for round = 1, 3 do
      local said = ""
      local child = assert(process.spawn({ "sh", "-c", "exec env " .. line }, {}, {
        on_output = function(chunk)
          said = said .. chunk
        end,
      }))
      assert.is_true(host.wait(function()
        return said:find "ready" ~= nil or child:is_done()
      end, 30))
      assert.equal("ready\n", said)
      assert.equal("EBUSY", select(3, open()))
      uv.kill(-child.pid, "sigkill")
      assert.is_true(host.wait(function()
        return child:is_done()
      end, 30))
      local log = assert(open())
      assert.equal(("whole\n"):rep(round), dir:read "run/log")
      log:close()
    end
  end)

  it("takes a record whole or not at all, and goes on afterwards", function()
    local line = program(
      "full.lua",
      ([[
      local log = assert(require("abridge.core").log(%q, "log"))
      local codes = {}
      for i = 1, 8 do
        local ok, _, code = log:append(("x"):rep(i %% 2 == 0 and 399 or 19) .. "\n")
        codes[i] = tostring(ok and log:size() or code)
      end
      io.stdout:write(table.concat(codes, " "), "\n")
    ]]):format(dir:at "run")
    )
    local out, err = dir:sh("ulimit -f 1; " .. line)
    assert.equal("", err)
    local text = dir:read "run/log"
    assert.equal("\n", text:sub(-1))
    for record in text:gmatch "[^\n]*" do
      assert.is_true(#record == 399 or #record == 19 or #record == 0)
    end
    if #text == 480 then -- blocks of 512 bytes
      assert.equal("20 420 440 EFBIG 460 EFBIG 480 EFBIG\n", out)
    end
    local log = assert(open())
    local before = log:size()
    assert.equal(#text, before)
    assert.is_true(log:append(lines(100)))
    assert.equal(before + 1000, log:size())
    log:close()
    assert.equal(text .. lines(100), dir:read "run/log")
  end)
end)
