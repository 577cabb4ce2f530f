local abridge = require "unsaved"
local host = require "abridge.host"
local limits_of = require "abridge.limits"
local plain = require "plain"
local random = require "random"
local sql_of = require "abridge.sql"
local tmpdir = require "tmpdir"

local json = host.json()
local has_driver, driver = pcall(require, "luasql.sqlite3")
local exact_integers = rawget(math, "type") ~= nil

--- A test that wants the real engine.
local function with_sqlite(name, body)
  it(name, function()
    if not has_driver then return pending("LuaSQL for sqlite3 cannot be loaded: " .. tostring(driver)) end
    body()
  end)
end

local env, conn

local function run(statement, on)
  local result, message = (on or conn):execute(statement)
  if not result then error(message, 2) end
  return result
end

--- All rows of a query, past the tool.
local function fetched(statement, on)
  local cursor, rows = run(statement, on), {}
  local row = cursor:fetch({}, "n")
  while row do
    rows[#rows + 1] = row
    row = cursor:fetch({}, "n")
  end
  return rows
end

local function session_with(opts)
  opts = opts or {}
  opts.databases = opts.databases or { main = conn }
  return abridge.session(opts)
end

--- The result of sql_query, which always conforms; `limits` are those of the tool.
local function query(input, limits, opts)
  opts = opts or {}
  opts.limits = opts.limits or (limits and { sql_query = limits })
  if type(input) == "string" then input = { sql = input } end
  local result = session_with(opts):call("sql_query", input)
  abridge.assert_conforms("sql_query", result)
  assert.is_true(plain.is_valid_utf8(result.content))
  return result
end

local function query_writing(input, limits)
  return query(input, limits, { databases = { main = { connection = conn, read_only = false } } })
end

--- The content before the notice.
local function body_of(result)
  return result.content:sub(1, result.truncation.bytes_returned)
end

local function refused(result, code, message)
  assert.is_true(result.is_error)
  assert.equal(code, result.details.error_code)
  assert.equal(message, result.content)
end

-- stand-ins: what a driver is, without an engine ----------------------------------------

--- A connection that answers with what `answer(statement, ...)` returns and notes what it was asked.
local function stand_in(kind, answer)
  local self = { asked = {}, open = 0, fetches = 0 }
  function self.execute(_, statement, ...)
    self.asked[#self.asked + 1] = statement
    self.values = { n = select("#", ...), ... }
    local rows = answer(statement, ...)
    if type(rows) ~= "table" then return rows, rows == nil and "no such thing" or nil end
    self.open = self.open + 1
    local at = 0
    return {
      getcolnames = function()
        return rows.names or { "v" }
      end,
      getcoltypes = function()
        return rows.types or {}
      end,
      fetch = function(_, into)
        at, self.fetches = at + 1, self.fetches + 1
        local row = rows.make and rows.make(at) or rows[at]
        if not row then return nil, rows.failure end
        for i = 1, #(rows.names or { "v" }) do
          into[i] = row[i]
        end
        return into
      end,
      close = function()
        self.open = self.open - 1
        return true
      end,
    }
  end
  return setmetatable(self, {
    __tostring = function()
      return kind .. " connection (0x1)"
    end,
  })
end

--- A stand-in for sqlite3 with these rows; `binds` as later versions of its driver.
local function lite(rows, binds)
  local query_only = 0
  return stand_in("SQLite3", function(statement, ...)
    if statement == "PRAGMA query_only" then return { { query_only } } end
    if statement:find "^PRAGMA query_only=" then
      query_only = statement:find "ON" and 1 or 0
      return 0
    end
    if statement == "SELECT ?" then return { { binds and (...) or nil } } end
    return rows
  end)
end

describe("sql_query", function()
  before_each(function()
    if not has_driver then return end
    env = driver.sqlite3()
    conn = assert(env:connect ":memory:")
  end)

  after_each(function()
    if not has_driver then return end
    assert.is_true(conn:close() or true) -- raises while a cursor is open
    env:close()
  end)

  describe("gives rows", function()
    with_sqlite("as one JSON array, a row a line, keys in the order of the columns", function()
      run "CREATE TABLE t(zeta INTEGER, alpha TEXT, mid REAL)"
      run "INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, 2)"
      local result = query "SELECT * FROM t"
      assert.equal('[{"zeta":1,"alpha":"one","mid":1.5},\n{"zeta":2,"alpha":null,"mid":2}]', result.content)
      assert.is_false(result.is_error)
      local size = #result.content
      local block = { truncated = false, bytes_returned = size, bytes_total = size, reason = "size_cap" }
      assert.same(block, result.truncation)
      assert.same({ "zeta", "alpha", "mid" }, result.details.columns)
      assert.equal(2, result.details.rows)
      assert.is_nil(result.details.row_limit_reached)
      local whole = { { first_byte = 1, last_byte = size, first_line = 1, last_line = 2 } }
      assert.same(whole, result.details.cut.kept)
    end)

    with_sqlite("none as an empty array", function()
      local result = query "SELECT 1 AS a WHERE 0"
      assert.equal("[]", result.content)
      assert.equal(0, result.details.rows)
      assert.is_false(result.truncation.truncated)
    end)

    with_sqlite("with every column, also where names come again", function()
      local result = query "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a, 5 AS b"
      assert.equal('[{"a":1,"a_3":2,"a_2":3,"a_4":4,"b":5}]', result.content)
    end)

    with_sqlite("with strings that JSON reads back, on one line", function()
      local text = 'quote " backslash \\ slash / tab \t newline \n return \r bell \7 del \127 \195\169 \240\159\152\128'
      run "CREATE TABLE t(s TEXT)"
      run(("INSERT INTO t VALUES ('%s')"):format(text))
      local result = query "SELECT s FROM t"
      assert.is_nil(result.content:find("\n", 1, true))
      assert.equal(text, json.decode(result.content)[1].s)
      assert.is_truthy(result.content:find("slash / tab", 1, true))
    end)

    with_sqlite("with binary values described", function()
      run "CREATE TABLE t(declared BLOB, free)"
      run "INSERT INTO t VALUES (x'6162', x'ff00'), (NULL, x'00'), (x'', 'text')"
      assert.equal(
        '[{"declared":"<blob 2 bytes>","free":"<blob 2 bytes>"},\n'
          .. '{"declared":null,"free":"<blob 1 bytes>"},\n'
          .. '{"declared":"<blob 0 bytes>","free":"text"}]',
        query("SELECT * FROM t").content
      )
      assert.equal('[{"s":"ab"}]', query("SELECT CAST(declared AS TEXT) AS s FROM t LIMIT 1").content)
    end)

    with_sqlite("with numbers of every digit that counts", function()
      local function shown(expression)
        return query("SELECT " .. expression .. " AS n").content:match '^%[{"n":(.*)}%]$'
      end
      assert.equal("0", shown "0")
      assert.equal("-7", shown "-7")
      assert.equal("9007199254740991", shown "9007199254740991")
      assert.equal("-9007199254740991", shown "-9007199254740991")
      assert.equal("0.1", shown "0.1")
      assert.equal("0.30000000000000004", shown "0.1+0.2")
      assert.equal("1e+300", shown "1e300")
      assert.equal("2.5e-07", shown "0.00000025")
      assert.equal("2", shown "2.0")
      assert.equal('"Infinity"', shown "9e999")
      assert.equal('"-Infinity"', shown "-9e999")
      assert.equal("null", shown "NULL")
    end)

    with_sqlite("with integers over 2^53 whole, or says that the host rounds them", function()
      run "CREATE TABLE t(id INTEGER, x REAL)"
      run "INSERT INTO t VALUES (9007199254740993, 1e17)"
      local result = query "SELECT * FROM t"
      if exact_integers then
        assert.equal('[{"id":9007199254740993,"x":1e+17}]', result.content)
        assert.is_nil(result.details.rounded)
      else
        local said = "[Integers from 2^53 on are rounded here. CAST them AS TEXT to see every digit]"
        assert.equal('[{"id":9007199254740992,"x":1e+17}]\n\n' .. said, result.content)
        assert.is_true(result.details.rounded)
        assert.is_false(result.truncation.truncated)
        run "UPDATE t SET id = 9007199254740991"
        assert.equal('[{"id":9007199254740991}]', query("SELECT id FROM t").content)
      end
      assert.equal('[{"x":1e+17}]', query("SELECT x FROM t").content)
      run "UPDATE t SET id = 9223372036854775807"
      assert.equal('[{"id":"9223372036854775807"}]', query("SELECT CAST(id AS TEXT) AS id FROM t").content)
    end)

    with_sqlite("of pragmas that tell and of EXPLAIN", function()
      run "CREATE TABLE t(a)"
      assert.matches('"name":"a"', query("PRAGMA table_info(t)").content)
      assert.matches('"name":"a"', query("pragma main . table_info ( 't' ) ;").content)
      assert.equal('[{"user_version":0}]', query("PRAGMA user_version").content)
      assert.is_false(query("EXPLAIN QUERY PLAN SELECT * FROM t").is_error)
    end)
  end)

  describe("limits rows", function()
    local function numbers(n)
      return ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT n FROM c"):format(n)
    end

    with_sqlite("by limit, and says so", function()
      local result = query { sql = numbers(5), limit = 2 }
      assert.equal(
        '[{"n":1},\n{"n":2}]\n\n[2 rows limit reached. Narrow the query with WHERE or LIMIT]',
        result.content
      )
      assert.same({ truncated = true, bytes_returned = 18, reason = "row_cap" }, result.truncation)
      assert.equal(2, result.details.row_limit_reached)
      assert.equal(2, result.details.rows)
      assert.is_nil(result.metadata)
    end)

    with_sqlite("only when there are more", function()
      for _, limit in ipairs { 5, 6 } do
        local result = query { sql = numbers(5), limit = limit }
        assert.is_false(result.truncation.truncated)
        assert.equal(5, result.details.rows)
        assert.is_nil(result.details.row_limit_reached)
      end
    end)

    with_sqlite("by max_rows, which limit only lowers", function()
      for given, shown in pairs { [2] = 2, [3] = 3, [1000] = 3 } do
        local result = query({ sql = numbers(9), limit = given }, { max_rows = 3 })
        assert.equal(shown, result.details.row_limit_reached)
        assert.equal(shown, #json.decode(body_of(result)))
      end
      assert.matches("^%[%]\n\n%[0 rows limit reached", query(numbers(2), { max_rows = 0 }).content)
      assert.equal("[]", query("SELECT 1 WHERE 0", { max_rows = 0 }).content)
    end)

    with_sqlite("without taking in the rest of an endless query", function()
      local result = query "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"
      assert.equal(1000, result.details.rows)
      result = query("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", {
        max_rows = false,
        max_bytes = 100,
      })
      assert.equal("size_cap", result.truncation.reason)
      assert.is_nil(result.truncation.bytes_total)
      assert.is_true(result.details.cut.more)
    end)

    it("fetching one row more and no other", function()
      local stub = lite {
        make = function(n)
          return { n }
        end,
      }
      query({ sql = "SELECT v", limit = 4 }, nil, { databases = { main = stub } })
      assert.equal(5 + 2, stub.fetches) -- two for query_only
      assert.equal(0, stub.open)
    end)

    with_sqlite("also where a profile limits nothing", function()
      local result = query(numbers(1200), nil, { profile = "pi" })
      assert.equal(1000, result.details.rows)
      assert.equal("row_cap", result.truncation.reason)
    end)
  end)

  describe("drops whole rows", function()
    local rows = {}
    for i = 1, 6 do
      rows[i] = { i, ("x"):rep(20) }
    end
    rows.names = { "id", "text" }
    local function shown(limits, opts)
      opts = opts or {}
      opts.databases = { main = lite(rows) }
      return query("SELECT id, text", limits, opts)
    end
    local line = ('{"id":%%d,"text":"%s"}'):format(("x"):rep(20))

    it("over the byte budget, notice included", function()
      local result = shown { max_bytes = 105 }
      local two = "[" .. line:format(1) .. ",\n" .. line:format(2) .. "]"
      assert.equal(two .. "\n\n[105B limit reached]", result.content)
      assert.same({ truncated = true, bytes_returned = 80, bytes_total = 240, reason = "size_cap" }, result.truncation)
      assert.equal(2, result.details.rows)
      assert.equal(6, result.metadata.truncated_total)
      local cut = result.details.cut
      assert.equal("bytes", cut.truncated_by)
      assert.equal(6, cut.total_lines)
      assert.equal(2, cut.output_lines)
      assert.same({ { first_byte = 1, last_byte = 79, first_line = 1, last_line = 2 } }, cut.kept)
      assert.is_nil(plain.ledger_error(cut))
    end)

    it("over other budgets, each with its name", function()
      assert.matches("%[100 char limit reached%]$", shown({ max_chars = 100 }).content)
      assert.matches("%[60 token limit reached%]$", shown({ max_tokens = 60 }).content)
      local result = shown { max_lines = 3 }
      assert.matches("%]\n\n%[3 line limit reached%]$", result.content)
      assert.equal("line_cap", result.truncation.reason)
      assert.equal(3, result.details.rows)
      result = shown { output = "silent" }
      assert.equal("exec_budget", result.truncation.reason)
    end)

    it("from the end, whatever the strategy", function()
      for _, strategy in ipairs { "head", "tail", "head_tail" } do
        local result = shown { max_bytes = 105, strategy = strategy }
        assert.equal(1, json.decode(body_of(result))[1].id)
        assert.equal(2, result.details.rows)
      end
    end)

    it("under a pipeline, whose sizes are plain budgets here, and under its ceiling", function()
      local result = shown({ max_chars = 106 }, { profile = "pipeline" })
      assert.equal(2, #json.decode(body_of(result)))
      assert.is_true(#result.content <= 106)
      result = shown(nil, { profile = "pipeline", ceiling = { max_bytes = 105 } })
      assert.equal(2, #json.decode(body_of(result)))
      assert.is_nil(result.metadata.truncated_bytes)
      for budget = 0, 250 do
        result = shown({ max_chars = budget }, { profile = "pipeline" })
        assert.is_true(#result.content <= budget)
        assert.is_true(body_of(result) == "" or json.decode(body_of(result)) ~= nil)
      end
    end)

    it("to an empty array, with the notice, when no row fits", function()
      local result = shown { max_bytes = 45 }
      assert.equal("[]\n\n[45B limit reached]", result.content)
      assert.equal(0, result.details.rows)
      assert.is_true(result.details.cut.first_line_exceeds_limit)
    end)

    it("to what is JSON or nothing under the smallest budgets", function()
      for budget = 0, 30 do
        for _, key in ipairs { "max_bytes", "max_chars" } do
          local result = shown { [key] = budget }
          assert.is_true(#result.content <= budget)
          assert.equal(budget < 2 and "" or "[]", body_of(result))
          assert.is_true(result.truncation.truncated)
        end
      end
      assert.equal("", shown({ max_tokens = 0 }).content)
      assert.equal("", query("SELECT 1", { max_bytes = 1 }, { databases = { main = lite {} } }).content)
    end)

    it("and says both when rows were limited too", function()
      local result = query({ sql = "SELECT 1", limit = 5 }, { max_bytes = 180 }, { databases = { main = lite(rows) } })
      local said = "[5 rows limit reached. Narrow the query with WHERE or LIMIT. 180B limit reached]"
      assert.equal(said, result.details.notice)
      assert.equal("size_cap", result.truncation.reason)
      assert.is_nil(result.truncation.bytes_total)
    end)

    it("without reading on behind a row too large to count", function()
      local stub = lite {
        make = function(n)
          return { n == 3 and ("x"):rep(3 * 1024 * 1024) or "small" }
        end,
      }
      local result = query("SELECT 1", { max_bytes = 1000 }, { databases = { main = stub } })
      assert.equal('[{"v":"small"},\n{"v":"small"}]\n\n[1000B limit reached]', result.content)
      assert.equal(3 + 2, stub.fetches)
      assert.is_nil(result.truncation.bytes_total)
      assert.is_true(result.details.cut.more)
    end)

    it("and counts what follows up to a megabyte, no further", function()
      local stub = lite {
        make = function(n)
          return n <= 900 and { ("x"):rep(100) } or nil
        end,
      }
      local result = query("SELECT 1", { max_bytes = 1000 }, { databases = { main = stub } })
      assert.equal(900 * (#'{"v":""},\n' + 100), result.truncation.bytes_total)
      assert.equal(900, result.metadata.truncated_total)
      stub = lite {
        make = function()
          return { ("x"):rep(10000) }
        end,
      }
      result = query("SELECT 1", { max_bytes = 1000 }, { databases = { main = stub } })
      assert.is_nil(result.truncation.bytes_total)
      assert.is_true(stub.fetches < 120)
    end)

    it("when the host's counter of tokens raises, too", function()
      local result = shown {
        max_tokens = 50,
        count_tokens = function()
          error "no counter"
        end,
      }
      assert.matches("no counter", result.details.inner_error)
      assert.is_true(result.truncation.truncated)
      assert.is_table(json.decode(body_of(result)))
    end)

    it("for any rows and budgets, within them, and no row less than fits", function()
      random.each(300, function()
        local source = { names = { "a", "b" } }
        for i = 1, random.below(12) do
          source[i] = { random.chance(5) and random.below(1000) or random.text(8), random.chance(3) and i or nil }
        end
        local limits = { max_bytes = random.chance(3) and random.below(60) or random.below(600) }
        if random.chance(3) then limits.max_chars = random.below(400) end
        if random.chance(3) then limits.max_lines = random.below(12) end
        if random.chance(3) then limits.max_tokens = random.below(200) end
        if random.chance(3) then limits.max_rows = random.below(12) end
        local result = query("SELECT a, b", limits, { databases = { main = lite(source) } })
        local body, must = body_of(result), random.must
        must(#result.content <= limits.max_bytes, "%s bytes of %s", #result.content, limits.max_bytes)
        local chars = abridge.count_chars(result.content)
        must(chars <= (limits.max_chars or 1e9), "%s chars of %s", chars, limits.max_chars)
        local whole = query("SELECT a, b", { max_bytes = 1e6 }, { databases = { main = lite(source) } })
        local all = json.decode(whole.content)
        local kept = body == "" and {} or json.decode(body)
        must(#kept <= (limits.max_rows or 99), "%s rows of %s", #kept, limits.max_rows)
        must(#kept <= (limits.max_lines or 99), "%s lines of %s", #kept, limits.max_lines)
        for i, row in ipairs(kept) do
          must(row.a == all[i].a, "row %s has %s, not %s", i, row.a, all[i].a)
        end
        must(result.details.rows == #kept, "details.rows %s, not %s", result.details.rows, #kept)
        must(result.truncation.truncated == (#kept < #all or body == ""), "truncated %s", result.truncation.truncated)
        local broken = plain.ledger_error(result.details.cut)
        must(not broken, "%s", broken)
        local alone = not (limits.max_chars or limits.max_tokens or limits.max_lines) -- others need longer notices
        if result.details.cut.truncated_by == "bytes" and alone then
          local databases = { main = lite(source) }
          local more = query("SELECT a, b", { max_rows = #kept + 1, max_bytes = 1e6 }, { databases = databases })
          local behind = #result.content - #body
          must(more.truncation.bytes_returned + behind > limits.max_bytes, "%s fits too", body_of(more))
        end
      end)
    end)
  end)

  describe("under every profile", function()
    for profile in pairs(limits_of.profiles) do
      with_sqlite(profile, function()
        run "CREATE TABLE t(id INTEGER, s TEXT)"
        run(
          "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500) "
            .. "INSERT INTO t SELECT n, hex(zeroblob(100)) FROM c"
        )
        local result = query("SELECT * FROM t", nil, { profile = profile })
        assert.is_true(result.truncation.truncated)
        local kept = json.decode(body_of(result))
        assert.equal(#kept, result.details.rows)
        assert.is_true(#kept > 50 and #kept <= 1000)
      end)
    end
  end)

  describe("is read only", function()
    local dir, path, on_disk

    before_each(function()
      if not has_driver then return end
      dir = tmpdir.new()
      path = dir:at "data.db"
      on_disk = assert(env:connect(path))
      run("CREATE TABLE t(a)", on_disk)
      run("CREATE INDEX i ON t(a)", on_disk)
      run("INSERT INTO t VALUES (1), (2)", on_disk)
    end)

    after_each(function()
      if not has_driver then return end
      on_disk:close()
      dir:remove()
    end)

    local function ask(input)
      return query(input, nil, { databases = { main = on_disk } })
    end

    with_sqlite("by the engine", function()
      local before = dir:read "data.db"
      for _, statement in ipairs {
        "DELETE FROM t",
        "INSERT INTO t VALUES (3)",
        "insert into t values (3) returning a",
        "UPDATE t SET a = 0",
        "REPLACE INTO t VALUES (1)",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x RETURNING a",
        "DROP TABLE t",
        "CREATE TABLE u(a)",
        "CREATE TEMP TABLE u(a)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; SELECT 1; END",
        "ALTER TABLE t ADD COLUMN b",
        "REINDEX",
        "ANALYZE",
        " -- a remark\n/* and another */ DELETE FROM t",
      } do
        refused(ask(statement), "ESQL", "LuaSQL: attempt to write a readonly database")
      end
      assert.equal(before, dir:read "data.db")
      assert.same({ { 2 } }, fetched("SELECT count(*) FROM t", on_disk))
    end)

    with_sqlite("also for what the engine's own means lets through", function()
      local before = dir:read "data.db"
      for statement, what in pairs {
        ["ATTACH '" .. dir:at "new.db" .. "' AS n"] = "ATTACH",
        ["attach database ':memory:' as n"] = "ATTACH",
        ["DETACH n"] = "DETACH",
        ["VACUUM INTO '" .. dir:at "copy.db" .. "'"] = "VACUUM",
        ["PRAGMA query_only=OFF"] = "PRAGMA QUERY_ONLY",
        ["/* x */ pragma main.query_only(0)"] = "PRAGMA MAIN",
        ["PRAGMA journal_mode=WAL"] = "PRAGMA JOURNAL_MODE",
        ["PRAGMA writable_schema=1"] = "PRAGMA WRITABLE_SCHEMA",
        ["PRAGMA wal_checkpoint"] = "PRAGMA WAL_CHECKPOINT",
        ["PRAGMA 'journal_mode'='wal'"] = "PRAGMA ''",
        ["EXPLAIN PRAGMA foreign_keys=ON"] = "PRAGMA FOREIGN_KEYS",
        ["EXPLAIN QUERY PLAN PRAGMA foreign_keys=ON"] = "PRAGMA FOREIGN_KEYS",
      } do
        refused(ask(statement), "EREADONLY", what .. " is not available: the database is read only")
      end
      assert.equal(before, dir:read "data.db")
      assert.is_nil(dir:read "new.db")
      assert.is_nil(dir:read "copy.db")
      assert.same({ { 0 } }, fetched("PRAGMA query_only", on_disk))
    end)

    with_sqlite("for the model alone: the host writes as before", function()
      ask "SELECT * FROM t"
      ask "DELETE FROM t"
      ask "SELECT no such column FROM t"
      run("INSERT INTO t VALUES (3)", on_disk)
      run("PRAGMA query_only=ON", on_disk)
      ask "SELECT * FROM t"
      assert.same({ { 1 } }, fetched("PRAGMA query_only", on_disk))
    end)

    with_sqlite("and leaves a transaction of the host's as it is", function()
      on_disk:setautocommit(false)
      run("INSERT INTO t VALUES (3)", on_disk)
      assert.equal('[{"n":3}]', ask("SELECT count(*) AS n FROM t").content)
      assert.is_true(ask("COMMIT").is_error)
      assert.is_true(ask("DELETE FROM t").is_error)
      on_disk:rollback()
      on_disk:setautocommit(true)
      assert.equal('[{"n":2}]', ask("SELECT count(*) AS n FROM t").content)
    end)

    it("or no statement is sent, where the engine does not obey", function()
      local stub = stand_in("SQLite3", function()
        return { { 0 } } -- query_only stays off
      end)
      local result = query("SELECT 1", nil, { databases = { main = stub } })
      refused(result, "ESQL", "The database could not be made read only: 0")
      for _, statement in ipairs(stub.asked) do
        assert.matches("^PRAGMA query_only", statement)
      end
    end)
  end)

  describe("takes one statement", function()
    with_sqlite("and refuses several", function()
      run "CREATE TABLE t(a)"
      for _, statement in ipairs {
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM t",
        "PRAGMA user_version; DELETE FROM t",
        "SELECT ';' ; -- ;\n x",
      } do
        refused(query(statement), "ESTATEMENT", "One statement a call")
        refused(query_writing(statement), "ESTATEMENT", "One statement a call")
      end
      for _, statement in ipairs {
        "SELECT ';' AS a;",
        "SELECT 1 AS [a;b] ; ;",
        "SELECT 1 -- ; x\n",
        "SELECT 1 /* ; */",
      } do
        assert.is_false(query(statement).is_error, statement)
      end
    end)

    with_sqlite("and refuses none, and NUL", function()
      for _, statement in ipairs { "", " \n", "-- only a remark", ";", "/* not closed" } do
        refused(query(statement), "ESTATEMENT", "The statement is empty")
      end
      refused(query "SELECT 1\0; DELETE", "ESTATEMENT", "The statement has a NUL byte in it")
    end)

    with_sqlite("and refuses to begin or end a transaction", function()
      for _, statement in ipairs {
        "BEGIN",
        "begin immediate",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT a",
        "RELEASE a",
        "/**/START TRANSACTION",
      } do
        local word = statement:upper():match "%a+"
        local message = word .. " is not available: each statement is a transaction of its own"
        refused(query(statement), "ESTATEMENT", message)
        refused(query_writing(statement), "ESTATEMENT", message)
      end
    end)

    it("told apart as each engine does", function()
      local function count(text, dialect)
        local most = 0
        for _, found in ipairs(sql_of.readings(text, sql_of.dialects[dialect])) do
          most = math.max(most, found.count)
        end
        return most
      end
      for _, case in ipairs { --                         SQLite3, PostgreSQL, MySQL
        { "SELECT 'it''s ;' ;", 1, 1, 1 },
        { 'SELECT "a;""b"', 1, 1, 1 },
        { "SELECT [a;b]", 1, 2, 2 },
        { "SELECT $$ ; $$", 2, 1, 2 },
        { "SELECT $a$ $$ ; $a$", 2, 1, 2 },
        { "SELECT x$$;$$", 2, 2, 2 },
        { "SELECT $1;x", 2, 2, 2 },
        { "SELECT E'\\'; DELETE --'", 2, 2, 2 },
        { "SELECT 5--1; DELETE", 1, 1, 2 },
        { "SELECT 1 # ;\n- 1", 2, 2, 1 },
        { "SELECT /* /* */ ; */ 1", 2, 1, 2 },
        { "SELECT 1 /*! ; x */", 1, 1, 2 },
        { "CREATE TRIGGER t BEGIN a; b; END;", 1, 3, 3 },
        { "CREATE TEMP TRIGGER t BEGIN a; END; DELETE", 2, 3, 3 },
      } do
        for i, dialect in ipairs { "SQLite3", "PostgreSQL", "MySQL" } do
          assert.equal(case[i + 1], count(case[1], dialect), dialect .. ": " .. case[1])
        end
      end
    end)

    it("in linear time, whatever is not closed", function()
      for _, piece in ipairs { "'", "/*", "$", "$$", "[", "((", "?", "--", "a;" } do
        local started = os.clock()
        sql_of.readings(piece:rep(50000), sql_of.dialects.PostgreSQL)
        assert.is_true(os.clock() - started < 60, piece)
      end
    end)
  end)

  describe("with read_only = false", function()
    with_sqlite("tells the rows that were changed", function()
      run "CREATE TABLE t(a)"
      local result = query_writing "INSERT INTO t VALUES (1), (2), (3)"
      assert.equal('{"rows_affected":3}', result.content)
      assert.equal(3, result.details.rows_affected)
      assert.equal('{"rows_affected":2}', query_writing("WITH x AS (SELECT 1) DELETE FROM t WHERE a > 1").content)
      assert.equal('{"rows_affected":0}', query_writing("CREATE TABLE u(a)").content) -- not those of the delete
      assert.equal("", query_writing("DELETE FROM t", { max_bytes = 10 }).content)
      assert.same({ { 0 } }, fetched "SELECT count(*) FROM t")
    end)

    with_sqlite("writes once what returns rows", function()
      run "CREATE TABLE t(a INTEGER PRIMARY KEY, b)"
      assert.equal('[{"a":1},\n{"a":2}]', query_writing("INSERT INTO t(b) VALUES (5), (6) RETURNING a").content)
      assert.equal('[{"b":6}]', query_writing("UPDATE t SET b = b + 1 WHERE a = 1 RETURNING b").content)
      local result = query_writing { sql = "INSERT INTO t(b) VALUES (7), (8) RETURNING a", limit = 1 }
      assert.equal('[{"a":3}]', body_of(result))
      assert.same({ { 4, 27 } }, fetched "SELECT count(*), sum(b) FROM t")
      assert.is_true(query_writing("INSERT INTO t(a) VALUES (1) RETURNING a").is_error)
      assert.same({ { 4 } }, fetched "SELECT count(*) FROM t")
      run "BEGIN" -- none was left open
      run "ROLLBACK"
    end)

    with_sqlite("creates triggers", function()
      run "CREATE TABLE t(a)"
      query_writing "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 1; DELETE FROM t WHERE a = 2; END"
      run "INSERT INTO t VALUES (1), (2), (3)"
      assert.same({ { 3 } }, fetched "SELECT a FROM t")
    end)
  end)

  describe("binds params", function()
    with_sqlite("where the driver can, and never pastes them", function()
      run "CREATE TABLE t(id INTEGER, s TEXT)"
      run "INSERT INTO t VALUES (1, 'a'), (2, '?')"
      local probe = conn:execute("SELECT ?", "x")
      local binds = probe:fetch() == "x"
      probe:close()
      local result = query { sql = "SELECT s FROM t WHERE id = ?", params = { 2 } }
      if binds then
        assert.equal('[{"s":"?"}]', result.content)
      else
        local message = "The SQLite3 driver of this session cannot bind params. Write the values into the statement"
        refused(result, "EPARAMS", message)
        refused(query "SELECT s FROM t WHERE id = ?", "EPARAMS", message) -- it would be NULL
      end
      assert.equal('[{"s":"?"}]', query("SELECT s FROM t WHERE s = '?'").content)
    end)

    it("as they are, nulls too", function()
      local stub = lite({ { "seen" } }, true)
      local input = '{"sql":"SELECT ?, ?, ?, ?, ?","params":["it\'s",5,null,true,1.5]}'
      local session = session_with { databases = { main = stub } }
      assert.equal('[{"v":"seen"}]', session:call("sql_query", input).content)
      -- the last statement puts query_only back
      assert.equal("SELECT ?, ?, ?, ?, ?", stub.asked[#stub.asked - 1])
    end)

    it("each in its place", function()
      local given
      local odbc = stand_in("ODBC", function(_, ...)
        given = { n = select("#", ...), ... }
        return 1
      end)
      local session = session_with { databases = { main = { connection = odbc, read_only = false } } }
      local input = '{"sql":"UPDATE t SET a=?,b=?,c=?,d=?","params":["it\'s",null,true,1.5]}'
      assert.equal('{"rows_affected":1}', session:call("sql_query", input).content)
      assert.same({ n = 4, "it's", nil, true, 1.5 }, given)
    end)

    it("only as many as there are placeholders, and only plain values", function()
      local function ask(sql, params)
        return query({ sql = sql, params = params }, nil, { databases = { main = lite({}, true) } })
      end
      refused(ask("SELECT ?, ?", { 1 }), "EPARAMS", "The statement has 2 placeholders (?), params has 1 values")
      refused(ask("SELECT '?'", { 1 }), "EPARAMS", "The statement has 0 placeholders (?), params has 1 values")
      refused(ask("SELECT ?"), "EPARAMS", "The statement has 1 placeholders (?), params has 0 values")
      local wrong = "params[2] must be a string, a number, true, false or null"
      refused(ask("SELECT ?, ?", { 1, { 2 } }), "EPARAMS", wrong)
      assert.equal("[]", ask("SELECT ?, '?' -- ?", { 1 }).content)
      assert.equal("[]", ask("SELECT ?1, ?1", { 1 }).content)
    end)

    it("or refuses them", function()
      for _, kind in ipairs { "PostgreSQL", "MySQL" } do
        local stub = stand_in(kind, function(statement)
          return statement:find "SHOW" and { { "on" } } or 0
        end)
        local result = query({ sql = "SELECT $1", params = { "x" } }, nil, { databases = { main = stub } })
        assert.equal("EPARAMS", result.details.error_code)
        for _, statement in ipairs(stub.asked) do
          assert.is_nil(statement:find("x", 1, true))
        end
      end
    end)
  end)

  describe("tells", function()
    with_sqlite("what the engine says", function()
      refused(query "SELEC 1", "ESQL", 'LuaSQL: near "SELEC": syntax error')
      refused(query "SELECT * FROM nowhere", "ESQL", "LuaSQL: no such table: nowhere")
      assert.equal('[{"1":1}]', query("SELECT 1").content) -- and goes on
    end)

    with_sqlite("what goes wrong behind the first row", function()
      local result = query "SELECT abs(n) FROM (SELECT 1 AS n UNION ALL SELECT -9223372036854775808)"
      refused(result, "ESQL", "LuaSQL: integer overflow")
    end)

    it("the driver's message when a fetch fails, and closes the cursor", function()
      local stub = lite { { 1 }, failure = "LuaSQL: lost" }
      local result = query("SELECT 1", nil, { databases = { main = stub } })
      refused(result, "ESQL", "LuaSQL: lost")
      assert.equal(0, stub.open)
    end)

    with_sqlite("that a connection was closed", function()
      local closed = assert(env:connect ":memory:")
      closed:close()
      for _, database in ipairs { closed, { connection = closed, read_only = false } } do
        local result = query("SELECT 1", nil, { databases = { main = database } })
        refused(result, "ESQL", "The connection to the database is closed")
      end
    end)

    it("that there is no database", function()
      local message = "No database: give one to abridge.session{ databases = ... }"
      refused(query("SELECT 1", nil, { databases = {} }), "EDATABASE", message)
      refused(abridge.session():call("sql_query", { sql = "SELECT 1" }), "EDATABASE", message)
    end)

    it("which databases there are", function()
      local function ask(databases, name)
        return query({ sql = "SELECT 1", database = name }, nil, { databases = databases })
      end
      local one, two = lite { { 1 } }, lite { { 2 } }
      assert.equal('[{"v":1}]', ask({ only = one }).content)
      assert.equal('[{"v":2}]', ask({ other = one, main = two }).content)
      assert.equal('[{"v":1}]', ask({ other = one, main = two }, "other").content)
      refused(ask { b = one, a = two }, "EDATABASE", "Which database? Name one of: a, b")
      refused(ask({ b = one, a = two }, "c"), "EDATABASE", "Unknown database: c. There is: a, b")
    end)

    it("which input is wrong", function()
      local stub = lite {}
      for message, input in pairs {
        ["sql is required"] = {},
        ["limit must be at least 1, got 0"] = { sql = "x", limit = 0 },
        ['params must be an array, got "x"'] = { sql = "x", params = "x" },
      } do
        assert.equal("Invalid input: " .. message, query(input, nil, { databases = { main = stub } }).content)
      end
      assert.equal(0, #stub.asked)
    end)
  end)

  describe("hides what redact says", function()
    local function shown(row, patterns, limits)
      return query("SELECT 1", limits, {
        redact = patterns,
        databases = { main = lite { row, names = { "name", "secret" } } },
      })
    end

    it("in strings, in numbers and in names, and stays JSON", function()
      local result = shown({ "key=abc123", 4111 }, { "abc%d+", "4111" })
      local row = json.decode(result.content)[1]
      assert.matches("^key=", row.name)
      assert.is_nil(result.content:find("abc123", 1, true))
      assert.is_nil(result.content:find("4111", 1, true))
      result = shown({ "a", "b" }, { "secret" })
      assert.is_nil(result.content:find("secret", 1, true))
      for _, name in ipairs(result.details.columns) do
        assert.is_nil(name:find("secret", 1, true))
      end
      assert.is_table(json.decode(result.content))
    end)

    it("across values too", function()
      local result = shown({ "a", "hidden" }, { '"secret":"[^"]*' })
      assert.is_nil(result.content:find("hidden", 1, true))
      assert.equal("string", type(json.decode(result.content)[1]))
    end)

    with_sqlite("in what the engine says", function()
      local result = query("SELECT * FROM hunter2", nil, { redact = { "hunter%d" } })
      assert.is_nil(result.content:find("hunter2", 1, true))
    end)
  end)

  describe("on PostgreSQL", function()
    --- Where the statements in front of and behind the model's are noted alone.
    local function postgres(answer, in_transaction)
      return stand_in("PostgreSQL", function(statement)
        if statement:find "^SAVEPOINT" then return in_transaction and 0 or nil end
        if statement == "SHOW transaction_read_only" then return { { "on" } } end
        return answer(statement)
      end)
    end

    it("asks a cursor of the server's inside a read-only transaction, and rolls back", function()
      local batch = { names = { "id", "ok", "raw" }, types = { "int8", "bool", "bytea" } }
      batch[1], batch[2] = { "9007199254740993", "t", "\\x0001ff" }, { "2", "f" }
      local stub = postgres(function(statement)
        return statement:find "^FETCH" and batch or 0
      end)
      local result = query("SELECT id, ok, raw FROM t", nil, { databases = { main = stub } })
      assert.equal(
        '[{"id":9007199254740993,"ok":true,"raw":"<blob 3 bytes>"},\n{"id":2,"ok":false,"raw":null}]',
        result.content
      )
      assert.same({
        "SAVEPOINT abridge_read_only",
        "START TRANSACTION READ ONLY",
        "SHOW transaction_read_only",
        "DECLARE abridge_rows NO SCROLL CURSOR FOR\nSELECT id, ok, raw FROM t",
        "FETCH FORWARD 50 FROM abridge_rows",
        "ROLLBACK",
      }, stub.asked)
      assert.equal(0, stub.open)
    end)

    it("takes no more batches than it needs", function()
      local stub = postgres(function(statement)
        if not statement:find "^FETCH" then return 0 end
        return {
          make = function(n)
            return n <= 50 and { n } or nil
          end,
        }
      end)
      local result = query({ sql = "SELECT 1", limit = 60 }, nil, { databases = { main = stub } })
      assert.equal(60, result.details.rows)
      local batches = 0
      for _, statement in ipairs(stub.asked) do
        batches = batches + (statement:find "^FETCH" and 1 or 0)
      end
      assert.equal(2, batches)
      assert.equal(0, stub.open)
    end)

    it("keeps a transaction of the host's", function()
      local stub = postgres(function()
        return nil
      end, true)
      refused(query("SELECT 1", nil, { databases = { main = stub } }), "ESQL", "no such thing")
      assert.same({
        "SAVEPOINT abridge_read_only",
        "SET TRANSACTION READ ONLY",
        "SHOW transaction_read_only",
        "DECLARE abridge_rows NO SCROLL CURSOR FOR\nSELECT 1",
        "ROLLBACK TO SAVEPOINT abridge_read_only",
        "RELEASE SAVEPOINT abridge_read_only",
      }, stub.asked)
    end)

    it("sends nothing that could leave that transaction", function()
      local stub = postgres(function()
        return 0
      end)
      for statement, code in pairs {
        ["COMMIT"] = "ESTATEMENT",
        ["SELECT 1; COMMIT; DELETE FROM t"] = "ESTATEMENT",
        ["SELECT E'\\'; COMMIT; DELETE FROM t; --'"] = "ESTATEMENT",
        ["SET TRANSACTION READ WRITE"] = "EREADONLY",
        ["DELETE FROM t"] = "EREADONLY",
        ["PREPARE TRANSACTION 'x'"] = "ESTATEMENT",
        ["COPY t TO PROGRAM 'sh'"] = "ESTATEMENT",
        ["DO $$ BEGIN COMMIT; END $$"] = "EREADONLY",
        ["(DELETE FROM t)"] = "EREADONLY",
      } do
        assert.equal(code, query(statement, nil, { databases = { main = stub } }).details.error_code, statement)
      end
      assert.same({}, stub.asked)
    end)
  end)

  it("asks MySQL inside a read-only transaction, and refuses files and live comments", function()
    local stub = stand_in("MySQL", function(statement)
      return statement == "SHOW TABLES" and { { "5" }, types = { "number(11)" } } or 0
    end)
    assert.equal('[{"v":5}]', query("SHOW TABLES", nil, { databases = { main = stub } }).content)
    assert.same({ "START TRANSACTION READ ONLY", "SHOW TABLES", "ROLLBACK" }, stub.asked)
    for _, statement in ipairs {
      "SELECT 1 INTO OUTFILE '/tmp/x'",
      "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
      "SELECT 1 /*!50000 + sleep(60) */",
      "SELECT '\\' INTO OUTFILE ' FROM t",
      "LOCK TABLES t WRITE",
      "SET autocommit = 1",
    } do
      assert.equal("EREADONLY", query(statement, nil, { databases = { main = stub } }).details.error_code, statement)
    end
  end)

  describe("the option databases", function()
    local function raised(databases)
      return plain.misuse(function()
        local session = require("abridge").session { databases = databases }
        return session
      end)
    end

    it("raises on what is no database, naming key and value", function()
      assert.equal("abridge.session: databases must be a table, got 5", raised(5))
      local wanted = "abridge.session: databases.main must be a LuaSQL connection or "
        .. '{ connection = ..., read_only = ... }, got "shop.db"'
      assert.equal(wanted, raised { main = "shop.db" })
      assert.equal("abridge.session: databases.main: connection is missing", raised { main = {} })
      assert.equal(
        "abridge.session: databases.main: connection must be a LuaSQL connection, got true",
        raised { main = { connection = true } }
      )
      assert.equal(
        "abridge.session: databases.main: unknown option 'readonly' (value true)",
        raised { main = { connection = lite {}, readonly = true } }
      )
      assert.equal(
        'abridge.session: databases.main: read_only must be a boolean, got "no"',
        raised { main = { connection = lite {}, read_only = "no" } }
      )
      assert.equal("abridge.session: databases: a name must be a string that is not empty, got 1", raised { lite {} })
    end)

    it("refuses a driver that cannot be made read only, unless told so", function()
      local oracle = stand_in("Oracle", function()
        return { { "x" } }
      end)
      local message = raised { main = oracle }
      assert.matches("databases%.main: no means is known to make a Oracle database read only", message)
      assert.matches("read_only = false", message)
      local open = { main = { connection = oracle, read_only = false } }
      assert.equal('[{"v":"x"}]', query("SELECT 1", nil, { databases = open }).content)
    end)

    it("offers the tool, and says what is asked", function()
      local function defined(databases)
        for _, definition in ipairs(abridge.session({ databases = databases }):definitions "mcp") do
          if definition.name == "sql_query" then return definition end
        end
      end
      assert.is_nil(defined(nil))
      assert.is_nil(defined {})
      local one = defined { main = lite({}, true) }
      assert.equal(
        "Run one SQL statement and return its rows as a JSON array of objects. The database is SQLite3, read only. "
          .. "Output is limited to the first 1000 rows or 30KB; a notice says what was left out.",
        one.description
      )
      assert.is_nil(one.inputSchema.properties.database)
      assert.same({ "sql" }, one.inputSchema.required)
      local two = defined { b = lite {}, a = { connection = lite({}, true), read_only = false } }
      assert.matches("Database a: SQLite3%. Database b: SQLite3, read only; params cannot be bound%. ", two.description)
      assert.same({ "a", "b" }, two.inputSchema.properties.database.enum)
    end)
  end)

  with_sqlite("leaves the host's connection open when the session closes", function()
    local session = session_with()
    session:call("sql_query", { sql = "SELECT 1" })
    session:close()
    assert.same({ { 1 } }, fetched "SELECT 1")
  end)
end)
