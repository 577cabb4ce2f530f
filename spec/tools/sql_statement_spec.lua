-- What sql_query lets a statement do: read only, one at a time, with its values apart.
local database = require "abridge.sql.database"
local sql_engine = require "support.sql_engine"
local statements = require "abridge.sql.statement"
local tmpdir = require "support.tmpdir"

local run = sql_engine.run
local fetched = sql_engine.fetched
local session_with = sql_engine.session_with
local query = sql_engine.query
local query_writing = sql_engine.query_writing
local stand_in = sql_engine.stand_in
local lite = sql_engine.lite
local body_of = sql_engine.body_of
local refused = sql_engine.refused
local with_sqlite = sql_engine.test(it, pending)
local unpack = table.unpack or unpack
local conn

describe("sql_query", function()
  before_each(function()
    conn = sql_engine.open()
  end)

  after_each(sql_engine.close)

  describe("is read only", function()
    local dir, path, on_disk

    before_each(function()
      if not sql_engine.has_driver then return end
      dir = tmpdir.new()
      path = dir:at "data.db"
      on_disk = assert(sql_engine.connect(path))
      run("CREATE TABLE t(a)", on_disk)
      run("CREATE INDEX i ON t(a)", on_disk)
      run("INSERT INTO t VALUES (1), (2)", on_disk)
    end)

    after_each(function()
      if not sql_engine.has_driver then return end
      on_disk:close()
      dir:remove()
    end)

    local function ask(input)
      return query(input, nil, { databases = { main = on_disk } })
    end

    with_sqlite("by the engine, also where the words stand open", function()
      local before = dir:read "data.db"
      local open = database.open("spec", { main = on_disk }, 1).main
      open.driver = setmetatable({ refuses = function() end }, { __index = open.driver })
      for statement, why in pairs {
        ["DELETE FROM t"] = "attempt to write a readonly database",
        ["WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x RETURNING a"] = "attempt to write a readonly database",
        ["CREATE TEMP TABLE u(a)"] = "attempt to write a readonly database",
        ["ALTER TABLE t ADD COLUMN b"] = "attempt to write a readonly database",
        ["ANALYZE"] = "attempt to write a readonly database",
        ["VACUUM INTO '" .. dir:at "copy.db" .. "'"] = "cannot VACUUM from within a transaction",
        ["PRAGMA journal_mode=WAL"] = "cannot change into wal mode from within a transaction",
      } do
        local _, problem = open:query(statement, {}, function() end)
        assert.equal("LuaSQL: " .. why, problem.message)
      end
      assert.equal(before, dir:read "data.db")
      assert.is_nil(dir:read "copy.db")
    end)

    with_sqlite("whatever its words are", function()
      local before = dir:read "data.db"
      for _, statement in ipairs {
        "DELETE FROM t",
        "INSERT INTO t VALUES (3)",
        "insert into t values (3) returning a",
        "UPDATE t SET a = 0",
        "REPLACE INTO t VALUES (1)",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x RETURNING a",
        "EXPLAIN DELETE FROM t",
        "DROP TABLE t",
        "CREATE TABLE u(a)",
        "CREATE TEMP TABLE u(a)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; SELECT 1; END",
        "ALTER TABLE t ADD COLUMN b",
        "REINDEX",
        "ANALYZE",
        " -- a remark\n/* and another */ DELETE FROM t",
        ";;/**/;DELETE FROM t",
      } do
        local found = statements.readings(statement, statements.dialects.SQLite3)[1]
        local word = statements.first_word(found)
        if word == "WITH" then word = found.tokens[8] end
        if word == "EXPLAIN" then word = found.tokens[2] end
        refused(ask(statement), "EREADONLY", word .. " is not available: the database is read only")
      end
      assert.equal(before, dir:read "data.db")
      assert.same({ { 2 } }, fetched("SELECT count(*) FROM t", on_disk))
      for _, statement in ipairs {
        "SELECT replace('abc', 'b', 'x') AS v",
        "WITH x(v) AS (SELECT 'a') SELECT replace(v, 'a', 'axc') AS v FROM x",
        "VALUES ('axc')",
        "SELECT 'DELETE FROM t' AS \"INSERT INTO t\"",
      } do
        assert.is_false(ask(statement).is_error, statement)
      end
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
        for _, found in ipairs(statements.readings(text, statements.dialects[dialect])) do
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
        { "SELECT 1 -- \r; DELETE", 1, 2, 1 },
        { "SELECT E'\\'', '\\'; DELETE --'", 1, 2, 1 }, -- the second string has no E: its backslash is plain
        { "SELECT E'a'\n'\\'; '", 2, 2, 2 },
        { "SELECT \"\\\", '\\'', 1; x; --\"", 1, 2, 3 }, -- where \" quotes a name, without escapes
        { "SELECT $a(';) ; x --')", 2, 1, 1 },
        { "SELECT @a::b(') ; x --')", 2, 1, 1 },
        { ";/**/; ;CREATE TRIGGER t BEGIN a; END", 1, 2, 2 },
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
        statements.readings(piece:rep(50000), statements.dialects.PostgreSQL)
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
      assert.equal("[]", query_writing("UPDATE t SET b = 0 WHERE a = 99 RETURNING b").content)
      assert.is_true(query_writing("INSERT INTO t(a) VALUES (1) RETURNING a").is_error)
      assert.same({ { 4 } }, fetched "SELECT count(*) FROM t")
      assert.equal('[{"b":null}]', query_writing("UPDATE t SET b = NULL WHERE a = 1 RETURNING b").content)
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
      local n = #stub.asked
      assert.same({
        "SAVEPOINT abridge_read_only",
        "SELECT ?",
        "SELECT ?, ?, ?, ?, ?",
        "ROLLBACK TO SAVEPOINT abridge_read_only",
        "RELEASE SAVEPOINT abridge_read_only",
        "PRAGMA query_only=OFF",
      }, { unpack(stub.asked, n - 5, n) })
      assert.equal(0, stub.open)
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
      refused(ask("SELECT ?, ?", { 1 }), "EPARAMS", "The statement has 2 placeholders (?), params has 1 value")
      refused(ask("SELECT '?'", { 1 }), "EPARAMS", "The statement has 0 placeholders (?), params has 1 value")
      refused(ask "SELECT ?", "EPARAMS", "The statement has 1 placeholder (?), params has 0 values")
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

  describe("on PostgreSQL", function()
    --- Notes the statements before and after the model's, and those alone.
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
        ["SELECT E'\\'', '\\'; COMMIT; DELETE FROM t; --'"] = "ESTATEMENT",
        ["SELECT 1 -- \r; COMMIT; DELETE FROM t"] = "ESTATEMENT",
        ["WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x"] = "EREADONLY",
        ["EXPLAIN (ANALYZE) UPDATE t SET a = 1"] = "EREADONLY",
        ["SELECT 1 INTO t"] = "EREADONLY",
      } do
        assert.equal(code, query(statement, nil, { databases = { main = stub } }).details.error_code, statement)
      end
      assert.same({}, stub.asked)
    end)
  end)

  it("asks MySQL inside a read-only transaction, and refuses files and live comments", function()
    local in_transaction = false
    local stub = stand_in("MySQL", function(statement)
      if statement:find "SAVEPOINT" and statement:find "^R" and not in_transaction then return nil end
      return statement == "SHOW TABLES" and { { "5" }, types = { "number(11)" } } or 0
    end)
    assert.equal('[{"v":5}]', query("SHOW TABLES", nil, { databases = { main = stub } }).content)
    local mark, back = "SAVEPOINT abridge_read_only", "ROLLBACK TO SAVEPOINT abridge_read_only"
    assert.same({ mark, back, "START TRANSACTION READ ONLY", "SHOW TABLES", "ROLLBACK" }, stub.asked)
    stub.asked, in_transaction = {}, true -- START would commit what the host has not
    assert.equal('[{"v":5}]', query("-- x\nSHOW TABLES", nil, { databases = { main = stub } }).content)
    assert.same({ mark, back, "SHOW TABLES", back, "RELEASE " .. mark }, stub.asked)
    for _, statement in ipairs {
      "SELECT 1 INTO OUTFILE '/tmp/x'",
      "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
      "SELECT 1 /*!50000 + sleep(60) */",
      "SELECT '\\' INTO OUTFILE ' FROM t",
      "SELECT 1 INTO @a",
      "SELECT @a := 1",
      "SELECT `load_file` /**/ ('/etc/passwd')",
      "WITH x AS (SELECT 1) DELETE FROM t",
      "EXPLAIN ANALYZE DELETE FROM t",
      "LOCK TABLES t WRITE",
      "SET autocommit = 1",
    } do
      assert.equal("EREADONLY", query(statement, nil, { databases = { main = stub } }).details.error_code, statement)
    end
  end)
end)
