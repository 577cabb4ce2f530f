--- What is read: pages of files, searches, listings, databases.

local abridge = require "abridge"
local assert = require "luassert"
local core = require "abridge.core"
local seq = require "support.seq"

local FILE = "@*/f.txt"

--- All pages of a file joined, each found with an index and without.
local function paged(path, offset, index)
  local parts = {}
  repeat
    local content, cut, code = abridge.page(path, { offset = offset, max_bytes = 50000, index = index })
    if not content then return nil, cut, code end
    parts[#parts + 1] = content
    parts[#parts + 1] = (cut.next_offset or cut.final_newline) and "\n" or ""
    offset = cut.next_offset
  until not offset
  return table.concat(parts)
end

--- The file is the same under a fault that is overcome.
local function overcome(t, rules)
  local text = seq(1, 20000, "some line %d")
  local path = t.dir:write("f.txt", text)
  t.dir:sh "touch -d '1 hour ago' f.txt" -- old enough for an index
  for _, index in ipairs { false, abridge.index() } do
    local got = t.with(rules, function()
      return paged(path, 1, index or nil)
    end)
    assert.is_true(got == text)
  end
end

--- A page, and a read of the same file by the tool, under a fault that ends it.
local function told(t, rules, what, code)
  local path = t.dir:write("f.txt", seq(1, 20000, "some line %d"))
  local content, message, given = t.with(rules, function()
    return abridge.page(path, { offset = 15000 })
  end)
  assert.is_nil(content)
  assert.same({ "Cannot read " .. path .. ": " .. what, code }, { message, given })
  local session = abridge.session { run_dir = false, cwd = t.dir.path }
  local result = t.with(rules, function()
    return session:call("read_file", { path = "f.txt", offset = 15000 })
  end)
  assert.is_true(result.is_error)
  assert.same({ "Cannot read f.txt: " .. what, code }, { result.content, result.details.error_code })
  abridge.assert_conforms("read_file", result)
  assert.equal("some line 15000", session:call("read_file", { path = "f.txt", offset = 15000 }).content:match "[^\n]*")
  session:close()
end

--- A page at line 9000 of a file that changes at the n-th reading of it.
local function changing(t, action, index)
  local reads = 0
  repeat
    local path = t.dir:write("f.txt", seq(1, 20000, "old line %d"))
    t.dir:sh "touch -d '1 hour ago' f.txt"
    local version = select(2, abridge.page(path, { index = index })).version
    reads = reads + 1
    local opts = { offset = 9000, max_lines = 3, index = index, version = version }
    -- beyond the last reading the rule comes to nothing
    local ok, content, cut, code = pcall(t.with, ("pread%s#%d=%s"):format(FILE, reads, action), function()
      return abridge.page(path, opts)
    end)
    if ok then
      t.check { content = content, cut = cut, code = code }
    else
      assert.matches("never came to pass", content)
    end
  until not ok
  return reads - 1
end

return {
  {
    "a page is read a few bytes at a time",
    function(t)
      overcome(t, "pread" .. FILE .. "=short:997")
    end,
  },
  {
    "reading a page is interrupted",
    function(t)
      overcome(t, "open" .. FILE .. "#1=EINTR;pread" .. FILE .. "#1-4=EINTR")
    end,
  },
  {
    "closing a page is interrupted",
    function(t)
      overcome(t, "close" .. FILE .. "=EINTR")
    end,
  },
  {
    "a page cannot be read at its start",
    function(t)
      told(t, "pread" .. FILE .. "=EIO", "input/output error", "EIO")
    end,
  },
  {
    "a page cannot be read at its place",
    function(t)
      told(t, "pread" .. FILE .. "#3-=EIO", "input/output error", "EIO")
    end,
  },
  {
    "a file on a server is stale",
    function(t)
      told(t, "pread" .. FILE .. "#2-=ESTALE", "stale file handle", "EIO")
    end,
  },
  {
    "too many files are open for a page",
    function(t)
      told(t, "open" .. FILE .. "=EMFILE", "too many open files", "EIO")
    end,
  },
  {
    "a file is truncated while it is paged",
    function(t)
      local text = seq(1, 20000, "old line %d")
      local size = #seq(1, 9500, "old line %d")
      function t.check(got)
        assert.is_string(got.content, got.cut)
        assert.equal("old line 9000\nold line 9001\nold line 9002", got.content)
        assert.is_true(got.cut.changed)
        assert.equal(size, got.cut.total_bytes)
        assert.equal(9500, got.cut.total_lines)
      end
      assert.is_true(#text > size)
      assert.is_true(changing(t, "truncate:" .. size) >= 2)
      assert.is_true(changing(t, "truncate:" .. size, abridge.index()) >= 2)
    end,
  },
  {
    "a file is truncated before the page while it is paged",
    function(t)
      function t.check(got)
        assert.is_nil(got.content)
        assert.same({ "Offset 9000 is beyond end of file (1 line total)", "EOFFSET" }, { got.cut, got.code })
      end
      assert.is_true(changing(t, "truncate:5") >= 2)
      function t.check(got)
        assert.is_nil(got.content)
        assert.same({ "Offset 9000 is beyond end of file (0 lines total)", "EOFFSET" }, { got.cut, got.code })
      end
      assert.is_true(changing(t, "truncate:0", abridge.index()) >= 2)
    end,
  },
  {
    "a file is removed while it is paged",
    function(t)
      function t.check(got)
        assert.equal("old line 9000\nold line 9001\nold line 9002", got.content)
        assert.equal(20000, got.cut.total_lines)
      end
      assert.is_true(changing(t, "remove") >= 2)
    end,
  },
  {
    "reading fails once, at any place of read_file",
    function(t)
      t.dir:write("f.txt", seq(1, 20000, "some line %d"))
      local session = abridge.session { run_dir = false, cwd = t.dir.path, redact = { "hunter%d" } }
      for n = 1, 3 do
        local result = t.with(("pread%s#%d=EIO"):format(FILE, n), function()
          return session:call("read_file", { path = "f.txt" })
        end)
        if result.is_error then
          assert.equal("Cannot read f.txt: input/output error", result.content)
        else
          assert.equal(2000, result.details.cut.output_lines)
        end
      end
      session:close()
    end,
  },
  {
    "a folder cannot be listed",
    function(t)
      t.dir:sh "mkdir list && touch list/a"
      local session = abridge.session { run_dir = false, cwd = t.dir.path }
      local function list()
        return session:call("list_directory", { path = "list" })
      end
      local result = t.with("opendir@*/list=EMFILE", list)
      assert.is_true(result.is_error)
      assert.same({ "Cannot read list: too many open files", "EMFILE" }, { result.content, result.details.error_code })
      result = t.with("readdir@*/list=EIO", list)
      assert.same({ "Cannot read list: i/o error", "EIO" }, { result.content, result.details.error_code })
      assert.equal("a", list().content)
      session:close()
    end,
  },
  {
    "a file of a search cannot be read",
    function(t)
      if not require("abridge.process.programs").find "rg" then t.skip "ripgrep is not here" end
      t.dir:sh "mkdir s; echo needle 1 > s/a; echo needle 2 > s/b; echo needle 3 > s/c"
      local session = abridge.session { run_dir = false, cwd = t.dir.path }
      local result = t.in_children("read@*/s/b=EIO", function()
        return session:call("search_files", { pattern = "needle", path = "s" })
      end)
      local why = "s/b: Input/output error (os error 5)"
      assert.equal("s/a:1: needle 1\ns/c:1: needle 3\n\n[Not all could be searched: " .. why .. "]", result.content)
      assert.equal(why, result.details.error)
      session:close()
    end,
  },
  {
    "a database cannot be read",
    function(t)
      local has_driver, driver = pcall(require, "luasql.sqlite3")
      if not has_driver then t.skip "LuaSQL for sqlite3 is not here" end
      local env = driver.sqlite3()
      local conn = env:connect(t.dir:at "f.db")
      conn:execute "CREATE TABLE t (x TEXT)"
      for _ = 1, 50 do
        conn:execute(("INSERT INTO t VALUES ('%s')"):format(("x"):rep(2000)))
      end
      conn:close()
      conn = env:connect(t.dir:at "f.db")
      local main = { connection = conn, read_only = false }
      local session = abridge.session { run_dir = false, databases = { main = main } }
      local function query(sql)
        return session:call("sql_query", { sql = sql })
      end
      local result = t.with("pread@*/f.db#5-=EIO", function()
        return query "SELECT x FROM t"
      end)
      assert.is_true(result.is_error)
      assert.same({ "ESQL", "LuaSQL: database disk image is malformed" }, { result.details.error_code, result.content })
      result = t.with("pwrite@*/f.db*=ENOSPC", function()
        return query "INSERT INTO t VALUES ('y')"
      end)
      assert.is_true(result.is_error)
      assert.matches("database or disk is full", result.content)
      assert.equal('[{"n":50}]', (query("SELECT count(*) AS n FROM t").content:gsub("%s", "")))
      session:close()
      conn:close()
      env:close()
    end,
  },
  {
    "an image cannot be read to where its size stands",
    function(t)
      local png = "\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\0\2\0\0\0\3\8\6\0\0\0"
      t.dir:write("f.txt", png .. ("\0"):rep(20000))
      local bytes = t.with("pread" .. FILE .. "=short:3", function()
        return core.read_file(t.dir:at "f.txt", 0, 8)
      end)
      assert.equal(png:sub(1, 8), bytes)
      local session = abridge.session { run_dir = false, cwd = t.dir.path }
      local result = t.with("pread" .. FILE .. "=EIO", function()
        return session:call("read_file", { path = "f.txt" })
      end)
      assert.same({ true, "Cannot read f.txt: input/output error" }, { result.is_error, result.content })
      session:close()
    end,
  },
}
