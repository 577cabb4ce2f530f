local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local uv = host.uv()

describe("list_directory under the ceiling alone #few", function()
  it("lists whole names, and says where to go on", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    dir:sh "mkdir d && cd d && seq -f a_rather_long_name_%04g 1316 | xargs touch"
    local opts = { profile = "dispatcher", ceiling = { max_bytes = 4000 }, cwd = dir.path, run_dir = false }
    local session, offset, found = abridge.session(opts), 1, {}
    repeat
      local result = session:call("list_directory", { path = "d", offset = offset })
      assert.is_true(#result.content <= 4000)
      for name in result.content:sub(1, result.truncation.bytes_returned):gmatch "[^\n]+" do
        assert.equal(("a_rather_long_name_%04d"):format(#found + 1), name)
        found[#found + 1] = name
      end
      offset = result.truncation.next_offset
      assert.equal(offset and "[3.9KB limit reached]", result.details.notice)
    until not offset
    assert.equal(1316, #found)
    session:close()
    dir:remove()
  end)
end)

describe("list_directory #few", function()
  local dir

  local function open(limits, opts)
    opts = opts or {}
    opts.cwd = opts.cwd or dir.path
    opts.limits = opts.limits or { list_directory = limits }
    return abridge.session(opts)
  end

  ---The result of list_directory in a session that starts from the spec's folder.
  local function list(input, limits, opts)
    local result = open(limits, opts):call("list_directory", input or {})
    abridge.assert_conforms("list_directory", result)
    return result
  end

  local function touch(...)
    for _, name in ipairs { ... } do
      dir:write(name, "")
    end
  end

  ---Files with these names and no others.
  local function with(names)
    dir:remove()
    dir = tmpdir.new()
    for _, name in ipairs(names) do
      dir:write(name, "")
    end
  end

  local function numbered(n)
    local names = {}
    for i = 1, n do
      names[i] = ("f%03d"):format(i)
    end
    return names
  end

  local function whole_block(size)
    return { truncated = false, bytes_returned = size, bytes_total = size, reason = "size_cap" }
  end

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  describe("gives", function()
    it("the entries in order, whatever the case of ASCII letters, dotfiles too", function()
      touch("b", "B", "a", "C", ".hidden", "_x", "Zebra", "apple", "Apple", "\195\132", "10", "9", "a b", "a.b", "ab")
      local want = ".hidden\n10\n9\n_x\na\na b\na.b\nab\nApple\napple\nB\nb\nC\nZebra\n\195\132"
      local result = list()
      assert.equal(want, result.content)
      assert.is_false(result.is_error)
      assert.same(whole_block(#want), result.truncation)
      assert.is_nil(result.metadata)
      assert.is_nil(result.details.notice)
      assert.is_nil(result.details.entry_limit_reached)
    end)

    it("a mark to directories and to links, whatever these lead to", function()
      touch "file"
      assert(uv.fs_mkdir(dir:at "folder", 448))
      assert(uv.fs_symlink("file", dir:at "link-to-file"))
      assert(uv.fs_symlink("folder", dir:at "link-to-folder"))
      assert(uv.fs_symlink("nothing", dir:at "link-to-nothing"))
      assert(uv.fs_symlink("/", dir:at "out"))
      os.execute("mkfifo " .. tmpdir.quote(dir:at "pipe"))
      assert.equal("file\nfolder/\nlink-to-file@\nlink-to-folder@\nlink-to-nothing@\nout@\npipe", list().content)
    end)

    it("a directory by its path, and the one a link leads to", function()
      assert(uv.fs_mkdir(dir:at "sub", 448))
      dir:write("sub/x", "")
      assert(uv.fs_symlink("sub", dir:at "link"))
      for _, path in ipairs { "sub", "./sub/", "sub/.", dir:at "sub", "link", "link/" } do
        local result = list { path = path }
        assert.equal("x", result.content)
        assert.equal(path, result.details.path)
      end
      assert.equal("x", list({}, nil, { cwd = dir:at "sub" }).content)
      assert.equal("link@\nsub/", list({ path = "" }).content)
      assert.equal(".", list({}).details.path)
    end)

    it("one line to each name, control bytes and backslashes as ls -b shows them", function()
      touch("a\nb", "tab\there", "cr\rhere", "back\\slash", "bell\7", "del\127", "\1\0319", "spaced name ", "-rf")
      local want = "\\001\\0379\n-rf\na\\nb\nback\\\\slash\nbell\\007\ncr\\rhere\ndel\\177\nspaced name \ntab\\there"
      assert.equal(want, list().content)
    end)

    it("names that are no UTF-8 as U+FFFD", function()
      with { "a\255b" }
      if not uv.fs_lstat(dir:at "a\255b") then return pending "this file system wants UTF-8" end
      assert.equal("a\239\191\189b", list().content)
    end)

    it("of an empty directory that it is empty", function()
      local result = list()
      assert.equal("(empty directory)", result.content)
      assert.is_false(result.is_error)
      assert.same(whole_block(17), result.truncation)
      assert.equal("(empty directory)", list({ offset = 1, limit = 3 }).content)
      assert.equal("", list({}, { max_bytes = 5 }).content)
    end)
  end)

  describe("cuts", function()
    it("at the entry limit, and goes on at an offset", function()
      with(numbered(5))
      local result = list({}, { max_entries = 2 })
      assert.equal("f001\nf002\n\n[2 entries limit reached. Use limit=4 for more]", result.content)
      assert.same({
        truncated = true,
        bytes_returned = 9,
        bytes_total = 24,
        next_offset = 3,
        resume_hint = "call list_directory with offset=3",
        reason = "item_cap",
      }, result.truncation)
      assert.equal(5, result.metadata.truncated_total)
      assert.equal(2, result.details.entry_limit_reached)
      assert.is_false(result.is_error)

      result = list({ offset = 3 }, { max_entries = 2 })
      assert.equal("f003\nf004\n\n[2 entries limit reached. Use limit=4 for more]", result.content)
      assert.equal(5, result.truncation.next_offset)
      assert.equal(24, result.truncation.bytes_total)

      result = list({ offset = 5 }, { max_entries = 2 })
      assert.equal("f005", result.content)
      assert.same({ truncated = false, bytes_returned = 4, bytes_total = 24, reason = "size_cap" }, result.truncation)
      assert.is_nil(result.metadata)
      assert.is_nil(result.details.entry_limit_reached)
    end)

    it("not at a limit that there are just enough entries for", function()
      with(numbered(5))
      local result = list({}, { max_entries = 5 })
      assert.same(whole_block(24), result.truncation)
      assert.is_nil(result.details.entry_limit_reached)
      assert.is_false(list({ offset = 3, limit = 3 }).truncation.truncated)
      assert.is_true(list({ offset = 3, limit = 2 }).truncation.truncated)
    end)

    it("at the model's own limit in place of the profile's, above it and below", function()
      with(numbered(9))
      local result = list({ limit = 1 }, { max_entries = 2 })
      assert.equal("f001\n\n[1 entries limit reached. Use limit=2 for more]", result.content)
      result = list({ limit = 8 }, { max_entries = 2 })
      assert.equal(8, result.details.entry_limit_reached)
      assert.equal(9, result.truncation.next_offset)
      assert.is_false(list({ limit = 100 }, { max_entries = 2 }).truncation.truncated)
      assert.is_false(list({ limit = 2 ^ 53, offset = "1" }, { max_entries = 2 }).truncation.truncated)
    end)

    it("at a size, whole entries, and goes on", function()
      with(numbered(30))
      local result = list({}, { max_bytes = 80 })
      assert.matches("^f001\nf002\n.*f%d+\n\n%[80B limit reached%]$", result.content)
      assert.is_true(#result.content <= 80)
      local shown = (result.truncation.bytes_returned + 1) / 5
      assert.equal(shown + 1, result.truncation.next_offset)
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(149, result.truncation.bytes_total)
      assert.equal(30, result.metadata.truncated_total)
      assert.is_nil(result.details.entry_limit_reached)
    end)

    it("at both, and says both", function()
      with(numbered(70))
      local result = list({}, { max_entries = 60, max_bytes = 240 })
      assert.matches("\n%[60 entries limit reached%. Use limit=120 for more%. 240B limit reached%]$", result.content)
      assert.is_true(#result.content <= 240)
      assert.equal("size_cap", result.truncation.reason)
    end)

    it("at lines, and names that hold newlines are one each", function()
      with { "a\nb", "c\nd\ne", "f", "g" }
      local result = list({}, { max_lines = 2 })
      assert.matches("^a\\nb\nc\\nd\\ne\n\n%[", result.content)
      assert.equal(3, result.truncation.next_offset)
      assert.equal("line_cap", result.truncation.reason)
      assert.equal("f\ng", list({ offset = 3 }, { max_lines = 2 }).content)
    end)

    it("to nothing where nothing may be shown, without saying that it is empty", function()
      with(numbered(3))
      local result = list({}, { max_entries = 0 })
      assert.equal("[0 entries limit reached. Use limit=1 for more]", result.content)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
      assert.equal(3, result.metadata.truncated_total)
      result = list({}, { max_bytes = 0 })
      assert.equal("", result.content)
      assert.is_true(result.truncation.truncated)
    end)

    it("from both ends under a pipeline, without a place to go on", function()
      with(numbered(300))
      local result = list({}, nil, { profile = "pipeline" })
      assert.matches("^f001\n.*%[200 lines truncated%].*f300\n\n%[", result.content)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
      result = list({ limit = 3 }, nil, { profile = "pipeline" })
      assert.equal("f001\nf002\nf003\n\n[3 entries limit reached. Use limit=6 for more]", result.content)
      assert.equal(4, result.truncation.next_offset)
    end)

    it("by each profile's limits", function()
      with(numbered(700))
      for profile, shown in pairs { default = 500, pi = 500, contract = 500, dispatcher = 700 } do
        local result = list({}, nil, { profile = profile })
        assert.equal(shown, select(2, result.content:gsub("f%d%d%d", "")))
        assert.equal(shown < 700 and shown or nil, result.details.entry_limit_reached)
        assert.equal(shown < 700 and shown + 1 or nil, result.truncation.next_offset)
      end
      local result = open(nil, { profile = "pi" }):call("ls", { offset = 699 })
      assert.equal("f699\nf700", result.content)
      result = open(nil, { profile = "pi" }):call("ls", {})
      assert.equal("call ls with offset=501", result.truncation.resume_hint)
    end)
  end)

  describe("fails with", function()
    local function fails(input, message, code)
      local result = list(input)
      assert.equal(message, result.content)
      assert.is_true(result.is_error)
      assert.equal(code, result.details.error_code)
      assert.equal(input.path or ".", result.details.path)
      assert.is_false(result.truncation.truncated)
    end

    it("a path where nothing is", function()
      touch "file"
      fails({ path = "nope" }, "No such file or directory: nope", "ENOENT")
      fails({ path = "nope/deeper" }, "No such file or directory: nope/deeper", "ENOENT")
      fails({ path = "a\0b" }, "No such file or directory: path in details", "ENOENT")
      assert(uv.fs_symlink("nothing", dir:at "dangling"))
      fails({ path = "dangling" }, "No such file or directory: dangling", "ENOENT")
      local cwd = open(nil, { cwd = dir:at "gone" }):call("list_directory", {})
      assert.equal("No such file or directory: .", cwd.content)
    end)

    it("a file", function()
      touch "file"
      fails({ path = "file" }, "Not a directory: file", "ENOTDIR")
      fails({ path = "file/under" }, "Not a directory: file/under", "ENOTDIR")
    end)

    it("a directory that may not be read", function()
      assert(uv.fs_mkdir(dir:at "locked", 0))
      local said = dir:unprivileged [[
        local session = require("abridge").session { cwd = arg[1], run_dir = false }
        local result = session:call("list_directory", { path = "locked" })
        io.write(result.details.error_code, " ", result.content)
      ]]
      if not said then return pending "root cannot give up its privileges here" end
      assert.equal("EACCES Permission denied: locked", said)
    end)

    it("whatever else the system says, without the path it looked at", function()
      assert(uv.fs_symlink("loop", dir:at "loop"))
      local result = list { path = "loop" }
      assert.matches("^Cannot read loop: too many symbolic links", result.content)
      assert.equal("ELOOP", result.details.error_code)
      assert.is_nil(result.content:find(dir.path, 1, true))
      result = list { path = ("x"):rep(5000) }
      assert.matches("^Cannot read x+: name too long", result.content)
      assert.equal("ENAMETOOLONG", result.details.error_code)

      local open_dir, read_dir = uv.fs_opendir, uv.fs_readdir
      finally(function()
        uv.fs_opendir, uv.fs_readdir = open_dir, read_dir
      end)
      uv.fs_opendir = function(path) -- luacheck: ignore 122
        return nil, "EACCES: permission denied: " .. path, "EACCES"
      end
      fails({ path = "locked" }, "Permission denied: locked", "EACCES")
      uv.fs_opendir = open_dir -- luacheck: ignore 122
      uv.fs_readdir = function(opened, back) -- luacheck: ignore 122
        return read_dir(opened, function()
          back("EIO: i/o error: " .. dir.path)
        end)
      end
      fails({}, "Cannot read .: i/o error", "EIO")
    end)

    it("an offset past the end", function()
      with(numbered(3))
      for _, offset in ipairs { 4, 5, 2 ^ 53 } do
        local message = ("Offset %.0f is beyond end of directory (3 entries total)"):format(offset)
        fails({ offset = offset }, message, "EOFFSET")
        fails({ offset = offset, limit = 1 }, message, "EOFFSET")
      end
      with {}
      fails({ offset = 2 }, "Offset 2 is beyond end of directory (0 entries total)", "EOFFSET")
    end)

    it("input of the wrong kind", function()
      for name, value in pairs { path = 5, limit = 0, offset = 0 } do
        local result = list { [name] = value }
        assert.is_true(result.is_error)
        assert.matches("^Invalid input: " .. name, result.content)
      end
      assert.matches("^Invalid input: limit", list({ limit = 1.5 }).content)
    end)
  end)

  it("hides what redaction hides, in names, sizes and errors", function()
    with { "key-secret1", "other", "x\nsecret2" }
    local opts = { redact = { "secret%d" } }
    local result = list({}, nil, opts)
    local want = "key-[redacted]\nother\nx\\n[redacted]"
    assert.equal(want, result.content)
    assert.same(whole_block(#want), result.truncation)
    result = list({ limit = 1 }, nil, opts)
    assert.equal(#want, result.truncation.bytes_total)
    assert.equal(2, result.truncation.next_offset)
    result = list({ path = "secret9" }, nil, opts)
    assert.equal("No such file or directory: [redacted]", result.content)
    assert.equal("[redacted]", result.details.path)
  end)

  describe("where the file system does not tell types", function()
    local read_dir

    before_each(function()
      read_dir = uv.fs_readdir
      uv.fs_readdir = function(opened, back) -- luacheck: ignore 122
        return read_dir(opened, function(problem, entries)
          for _, entry in ipairs(entries or {}) do
            entry.type = "unknown"
          end
          back(problem, entries)
        end)
      end
      for _, name in ipairs { "a", "b", "c" } do
        assert(uv.fs_mkdir(dir:at(name), 448))
        assert(uv.fs_symlink(name, dir:at(name .. "-link")))
      end
    end)

    after_each(function()
      uv.fs_readdir = read_dir -- luacheck: ignore 122
    end)

    it("looks them up", function()
      local result = list()
      assert.equal("a/\na-link@\nb/\nb-link@\nc/\nc-link@", result.content)
      assert.same(whole_block(#result.content), result.truncation)
    end)

    it("of the page alone, so that the size of the whole is not known", function()
      local looked_at = 0
      local lstat = uv.fs_lstat
      finally(function()
        uv.fs_lstat = lstat
      end)
      uv.fs_lstat = function(...) -- luacheck: ignore 122
        looked_at = looked_at + 1
        return lstat(...)
      end
      local result = list { offset = 2, limit = 2 }
      assert.matches("^a%-link@\nb/\n\n", result.content)
      assert.equal(2, looked_at)
      assert.is_nil(result.truncation.bytes_total)
      assert.equal(4, result.truncation.next_offset)
      assert.equal(6, result.metadata.truncated_total)
    end)
  end)

  it("looks at no entry where the directory tells its type", function()
    local lstat, stat = uv.fs_lstat, uv.fs_stat
    finally(function()
      uv.fs_lstat, uv.fs_stat = lstat, stat
    end)
    with(numbered(3))
    uv.fs_lstat = function()
      error "looked at"
    end -- luacheck: ignore 122
    uv.fs_stat = uv.fs_lstat -- luacheck: ignore 122
    assert.equal("f001\nf002\nf003", list().content)
  end)

  it("does not keep the loop waiting, and ends at once when it is cancelled", function()
    with(numbered(3))
    local session, order = open(), {}
    local job = session:call("list_directory", {}, {
      on_done = function()
        order[#order + 1] = "done"
      end,
    })
    order[#order + 1] = "called"
    assert.equal("f001\nf002\nf003", job:wait().content)
    assert.same({ "called", "done" }, order)
    job = session:call("list_directory", {}, {})
    job:cancel()
    assert.equal("Tool list_directory was aborted", job.result.content)
    assert.is_true(session:wait())
    session:close()
  end)

  it("reads no further and closes the folder when it is cancelled while it reads", function()
    with(numbered(600))
    local session, job = open(), nil
    local read, close = uv.fs_readdir, uv.fs_closedir
    local ours, reads, closed = nil, 0, 0
    finally(function()
      uv.fs_readdir, uv.fs_closedir = read, close
    end)
    uv.fs_closedir = function(folder) -- luacheck: ignore 122
      if folder == ours then closed = closed + 1 end
      return close(folder)
    end
    uv.fs_readdir = function(folder, back) -- luacheck: ignore 122
      ours, reads = folder, reads + 1
      return read(folder, function(...)
        job:cancel()
        back(...)
      end)
    end
    job = session:call("list_directory", {}, {})
    assert.equal("Tool list_directory was aborted", job:wait().content)
    assert.is_true(host.wait(function()
      return closed > 0
    end, 30))
    assert.same({ 1, 1 }, { reads, closed })
    session:close()
  end)

  it("gives 100,000 entries in pages, within the budget, none lost and none twice #once", function()
    assert(uv.fs_mkdir(dir:at "many", 511)) -- 0777, less the umask
    local first
    for i = 1, 100000 do -- few files under many names: quicker made, and quicker gone
      local path = dir:at(("many/Entry %06d"):format(i))
      if i % 20000 == 1 then
        first = dir:write(path:sub(#dir.path + 2), "")
      else
        assert(uv.fs_link(first, path))
      end
    end
    local started = os.clock()
    local result = list({}, nil, { cwd = dir:at "many" })
    assert.is_true(os.clock() - started < 30, "slow: " .. os.clock() - started)
    assert.is_true(#result.content <= 30720)
    assert.equal(500, result.details.entry_limit_reached)
    assert.equal(100000, result.metadata.truncated_total)
    assert.equal(1299999, result.truncation.bytes_total)
    assert.is_true(#list({ limit = 100000 }, nil, { cwd = dir:at "many" }).content <= 30720)

    local limits = { list_directory = { max_bytes = "700KB" } } -- two pages, not forty
    local offset, pages, number = 1, 0, 0
    repeat
      local input = { offset = offset, limit = 100000 }
      result = list(input, nil, { cwd = dir:at "many", limits = limits, ceiling = false })
      assert.is_true(#result.content <= 700 * 1024)
      for line in (result.content:sub(1, result.truncation.bytes_returned) .. "\n"):gmatch "(.-)\n" do
        number = number + 1
        if line ~= ("Entry %06d"):format(number) then error(("%s at %d"):format(line, number)) end
      end
      offset, pages = result.truncation.next_offset, pages + 1
    until not offset
    assert.equal(100000, number)
    assert.equal(2, pages)
  end)

  describe("whatever the limits", function()
    local NAMES = {
      "a",
      "b",
      "c",
      ".d",
      "E",
      "f f",
      "\195\169t\195\169",
      "\240\159\152\128",
      "line\nbreak",
      "back\\slash",
      "tab\t",
      ("long"):rep(20),
      ("\226\130\172"):rep(30),
      "x.lua",
      "y.lua",
      "z.lua",
      "\255",
      "README.md",
      "Makefile",
      "0",
    }
    local PROFILES = { "default", "pi", "pipeline", "contract", "dispatcher" }

    ---Limits that some host could set.
    local function any_limits(profile)
      local limits = {}
      if random.chance(2) then limits.max_lines = random.choose { 0, 1, 2, 7, 100 } end
      if random.chance(3) then limits.max_chars = random.choose { 0, 1, 20, 100, 1000 } end
      if random.chance(2) then limits.max_entries = random.choose { 0, 1, 3, 10, 100 } end
      if profile == "pipeline" then return limits end
      if random.chance(2) then limits.max_bytes = random.choose { 0, 1, 2, 20, 60, 100, 200, 1000 } end
      if random.chance(4) then limits.max_tokens = random.choose { 0, 1, 10, 50, 500 } end
      if random.chance(4) then limits.strategy = random.choose { "head", "tail", "head_tail" } end
      return limits
    end

    local function check(result, limits)
      abridge.assert_conforms("list_directory", result)
      random.must(not result.is_error, "error: %s", result.content)
      random.must(select(2, abridge.count_chars(result.content)) == 0, "no UTF-8: %s", result.content)
      random.must(#result.content <= (limits.max_bytes or 131072), "%s bytes", #result.content)
      local most = limits.strategy ~= "pipeline" and limits.max_chars or math.huge
      random.must(abridge.count_chars(result.content) <= most, "too many chars: %s", result.content)
      random.must(result.truncation.bytes_returned <= #result.content, "%s returned", result.truncation.bytes_returned)
    end

    it("stays within them, ends, and its pages are the whole", function()
      with(NAMES)
      local all = list({}, { max_entries = 100 }).content
      random.each(400, function()
        local profile = random.choose(PROFILES)
        local session = open(any_limits(profile), { profile = profile })
        local limits = session:limits "list_directory"
        local wanted = random.chance(2) and random.choose { 1, 2, 5, 50 } or nil
        local offset, pages, exact = 1, {}, true
        repeat
          local result = session:call("list_directory", { offset = offset, limit = wanted })
          check(result, limits)
          local block = result.truncation
          random.must(not block.next_offset or block.next_offset > offset, "stays at %s", offset)
          pages[#pages + 1] = result.content:sub(1, block.bytes_returned)
          exact = exact and not result.details.cut.last_line_partial and (block.next_offset or not block.truncated)
          offset = block.next_offset
        until not offset
        random.must(not exact or table.concat(pages, "\n") == all, "%s", table.concat(pages, "\n"))
        session:close()
      end)
    end)

    it("and whatever the names", function()
      random.each(25, function()
        local names, seen = {}, {}
        for i = 1, random.between(1, 40) do
          local name = random.join({ "a", "B", ".", "\n", "\\", "\t", "\195\169", "\1", " " }, random.between(1, 6))
          if name:find "^%.%.?$" or seen[name] then name = "n" .. i end
          names[#names + 1], seen[name] = name, true
        end
        with(names)
        local max_bytes = random.between(40, 300)
        local session, offset, lines = open { max_bytes = max_bytes }, 1, {}
        repeat
          local result = session:call("list_directory", { offset = offset })
          check(result, { max_bytes = max_bytes })
          for line in (result.content:sub(1, result.truncation.bytes_returned) .. "\n"):gmatch "(.-)\n" do
            lines[#lines + 1] = line
          end
          offset = result.truncation.next_offset
        until not offset
        random.must(#lines == #names, "%s lines of %s names", #lines, #names)
        local again = {}
        for _, line in ipairs(lines) do
          local name = line:gsub("\\(%d?%d?.)", function(code)
            return ({ n = "\n", t = "\t", r = "\r", ["\\"] = "\\" })[code] or string.char(tonumber(code, 8))
          end)
          random.must(seen[name] and not again[name], "%s", line)
          again[name] = true
        end
        session:close()
      end)
    end)
  end)
end)
