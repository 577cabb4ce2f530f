-- sql_query tried as an attacker would: a real engine whose files, attached databases, settings and uncommitted rows
-- stay as they are, whatever is in front of a word, in it and between it and the next.
local random = require "support.random"
local sql_engine = require "support.sql_engine"
local tmpdir = require "support.tmpdir"
local host = require "abridge.base.host"

local refused = sql_engine.refused

local BLANKS = { " ", "\n", "\t", "\r\n", "\f" }
local MARK = "\239\187\191" -- the byte order mark: a blank before a word, a letter after it
local COMMENTS = {
  "-- a remark\n",
  "--\n",
  "/**/",
  "/* ; */",
  "/*/ ' */",
  "/* -- */",
  "--/*\n",
  "/* SELECT 1; */",
  "-- '\n",
  "/***/",
}

--- What engines skip in front of a statement, and between its words.
local function gap(least, empty_statements)
  local parts = { empty_statements and random.chance(3) and MARK or nil }
  for _ = 1, least + random.below(4) do
    local list = random.chance(2) and BLANKS or COMMENTS
    parts[#parts + 1] = empty_statements and random.chance(3) and ";" or random.choose(list)
  end
  return table.concat(parts)
end

local function cased(word)
  return (word:gsub("%a", function(letter)
    return random.chance(2) and letter:lower() or letter:upper()
  end))
end

--- Statements that must not be taken; %s is a path of their own.
local FORBIDDEN = {
  "ATTACH '%s' AS o",
  "ATTACH DATABASE ':memory:' AS o",
  "DETACH DATABASE main",
  "VACUUM INTO '%s'",
  "VACUUM",
  "PRAGMA journal_mode = WAL",
  "PRAGMA main . journal_mode = delete",
  "PRAGMA locking_mode = EXCLUSIVE",
  "PRAGMA writable_schema = ON",
  "PRAGMA query_only ( 0 )",
  'PRAGMA "query_only" = OFF',
  "PRAGMA [user_version] = 7",
  "PRAGMA temp_store_directory = '/'",
  "PRAGMA case_sensitive_like = 1",
  "PRAGMA foreign_keys = 1",
  "PRAGMA wal_checkpoint ( TRUNCATE )",
  "PRAGMA optimize",
  "PRAGMA incremental_vacuum",
  "PRAGMA shrink_memory",
  "PRAGMA busy_timeout = 1",
  "PRAGMA hard_heap_limit = 1",
  "EXPLAIN PRAGMA foreign_keys = 1",
  "ROLLBACK",
  "ROLLBACK TRANSACTION",
  "COMMIT",
  "END",
  "BEGIN IMMEDIATE",
  "SAVEPOINT s",
  "RELEASE s",
  "ROLLBACK TO mine",
  "RELEASE mine",
  "REINDEX",
  "ANALYZE",
  "DELETE FROM t",
  "INSERT INTO t VALUES ( 9 )",
  "REPLACE INTO t VALUES ( 9 )",
  "UPDATE t SET a = 9",
  "INSERT OR ROLLBACK INTO t VALUES ( 1 )",
  "WITH x AS ( SELECT 1 ) DELETE FROM t",
  "WITH x AS ( SELECT 1 ) INSERT INTO t SELECT * FROM x RETURNING a",
  "WITH x AS ( SELECT 1 ) REPLACE INTO t VALUES ( 9 )",
  "DROP TABLE t",
  "CREATE TEMP TABLE u ( a )",
  "CREATE VIRTUAL TABLE v USING fts5 ( a )",
  "ALTER TABLE t RENAME TO u",
  "SELECT load_extension ( 'x' )",
  "SELECT hex ( fts3_tokenizer ( 'simple' ) )",
  "SELECT hex ( \"fts3_tokenizer\" ( 'simple' ) )",
  "SELECT hex ( [FTS3_tokenizer] ( 'simple' ) )",
  "SELECT hex ( `fts3_tokenizer` ( 'simple' ) )",
  "SELECT 1 WHERE $a(') > hex ( fts3_tokenizer ( 'simple' ) ) --')",
  "VALUES ( writefile ( '%s' , 'x' ) )",
  "SELECT edit ( 'x' , 'touch %s' )",
  "SELECT readfile ( '/etc/passwd' )",
}

--- A statement with its words in any case, and gaps between them.
local function disguised(statement)
  local parts = { gap(0, true) }
  for word in statement:gmatch "%S+" do
    parts[#parts + 1] = word:find "['/]" and word or cased(word)
    parts[#parts + 1] = gap(1)
  end
  if random.chance(3) then parts[#parts + 1] = ";" .. gap(0, true) end
  return table.concat(parts)
end

--- One that only reads, and what it shows.
local READING = {
  { "SELECT count ( * ) AS v FROM t", '[{"v":3}]' },
  { "WITH x AS ( SELECT 5 AS v ) SELECT v FROM x", '[{"v":5}]' },
  { "VALUES ( ';ATTACH' )", '[{"column1":";ATTACH"}]' },
  { "SELECT replace ( 'abc' , 'b' , 'x' ) AS v", '[{"v":"axc"}]' },
  { "PRAGMA user_version", '[{"user_version":3}]' },
  { 'SELECT "a" AS [v;w] FROM t WHERE a = 1', '[{"v;w":1}]' },
}

describe("sql_query under attack", function()
  if not sql_engine.has_driver or not host.uv() then
    pending("LuaSQL for sqlite3 or luv cannot be loaded", function() end)
    return
  end

  local dir, conn

  before_each(function()
    sql_engine.open()
    dir = tmpdir.new()
    conn = assert(sql_engine.connect(dir:at "data.db"))
    for _, statement in ipairs {
      "CREATE TABLE t(a)",
      "INSERT INTO t VALUES (1), (2)",
      "PRAGMA user_version = 3",
      "BEGIN",
      "SAVEPOINT mine",
      "INSERT INTO t VALUES (3)",
    } do
      sql_engine.run(statement, conn)
    end
  end)

  after_each(function()
    if conn then conn:close() end
    conn = nil
    sql_engine.close()
    dir:remove()
  end)

  local function ask(statement, main)
    return sql_engine.query(statement, nil, { databases = { main = main or conn } })
  end

  --- All that a statement might change.
  local function state()
    local found = {}
    for _, name in ipairs(require("abridge.base.files").names_in(dir.path)) do
      found[#found + 1] = name
    end
    found[#found + 1] = dir:read "data.db"
    for _, question in ipairs {
      "SELECT group_concat(a) FROM t",
      "SELECT group_concat(name) FROM pragma_database_list WHERE name <> 'temp'",
      "SELECT group_concat(name || ifnull(sql, '')) FROM sqlite_master",
      "PRAGMA query_only",
      "PRAGMA journal_mode",
      "PRAGMA locking_mode",
      "PRAGMA foreign_keys",
      "PRAGMA writable_schema",
      "PRAGMA user_version",
      "SELECT 'a' LIKE 'A'",
      "PRAGMA busy_timeout",
      "PRAGMA hard_heap_limit",
      "PRAGMA temp_store_directory",
      "SELECT total_changes()",
    } do
      local rows = sql_engine.fetched(question, conn)
      found[#found + 1] = question .. "=" .. tostring(rows[1] and rows[1][1])
    end
    return found
  end

  it("takes nothing but what reads, however it is disguised, and changes nothing", function()
    local before = state()
    random.each(600, function(case)
      local statement = disguised((FORBIDDEN[(case - 1) % #FORBIDDEN + 1]:gsub("%%s", dir:at "new")))
      local result = ask(statement)
      random.must(result.is_error, "was taken: %s", statement)
      random.must(result.details.error_code ~= "ESQL", "reached the engine: %s (%s)", statement, result.content)
      if case % 25 == 0 then assert.same(before, state(), statement) end
    end)
    assert.same(before, state())
    sql_engine.run("ROLLBACK TO mine", conn) -- the savepoint of the host is there
    sql_engine.run("COMMIT", conn)
    assert.same({ { 2 } }, sql_engine.fetched("SELECT count(*) FROM t", conn))
  end)

  it("answers what only reads, however it is written", function()
    random.each(300, function()
      local reading = random.choose(READING)
      local statement = disguised(reading[1])
      local result = ask(statement)
      random.must(result.content:lower() == reading[2]:lower(), "%s gave %s", statement, result.content)
    end)
  end)

  it("ends no transaction of the host's where a model may write either", function()
    for _, statement in ipairs { ";ROLLBACK", "/**/;; COMMIT", "--\n;RELEASE mine", "\239\187\191;END" } do
      local writable = { connection = conn, read_only = false }
      local result = sql_engine.query(statement, nil, { databases = { main = writable } })
      assert.equal("ESTATEMENT", result.details.error_code, statement)
    end
    assert.same({ { 3 } }, sql_engine.fetched("SELECT count(*) FROM t", conn))
  end)

  it("runs it read only, in a savepoint, and leaves the connection as it was", function()
    assert.equal('[{"query_only":1}]', ask("PRAGMA query_only").content)
    assert.same({ { 0 } }, sql_engine.fetched("PRAGMA query_only", conn))
    local open = assert(conn:execute "SELECT a FROM t") -- a query of the host's goes on
    open:fetch()
    ask "SELECT * FROM t"
    assert.equal(2, tonumber((open:fetch())))
    open:close()
  end)

  it("shows no address of memory in what it explains", function()
    for _, statement in ipairs {
      "EXPLAIN SELECT * FROM pragma_table_info('t')",
      ";explain/**/select * from json_each('[1]'), t",
      "EXPLAIN WITH x AS (SELECT 1) SELECT * FROM x, pragma_function_list",
    } do
      for _, main in ipairs { conn, { connection = conn, read_only = false } } do
        local result = ask(statement, main)
        assert.is_false(result.is_error)
        assert.matches('"opcode":"VOpen".-"p4":"vtab"', result.content)
        assert.is_nil(result.content:find "vtab:")
      end
    end
    assert.equal('[{"v":"vtab:7F"}]', ask("SELECT 'vtab:7F' AS v").content)
    assert.equal("EREADONLY", ask("SELECT * FROM bytecode('SELECT 1')").details.error_code)
  end)

  it("changes nothing by pragmas as tables, whatever they are given", function()
    local before = state()
    for _, row in ipairs(sql_engine.fetched("SELECT name FROM pragma_pragma_list", conn)) do
      for _, given in ipairs { "", "(0)", "(1)", "('wal')", "('main', 1)", "('exclusive', 'main')" } do
        ask("SELECT * FROM pragma_" .. row[1] .. given)
      end
    end
    assert.same(before, state())
  end)

  describe("with the path of a file", function()
    local path

    before_each(function()
      path = dir:at "a ?#%:memory:&mode=rw'\195\169.db"
      local made = assert(sql_engine.connect "file::memory:x?mode=memory")
      made:close()
      sql_engine.run("COMMIT", conn)
      assert(os.rename(dir:at "data.db", path))
      conn:close()
      conn = nil
    end)

    local function session_of(value)
      local session = require("support.unsaved").session { databases = { main = value } }
      return session
    end

    it("opens that file, whatever its name, in a way that cannot write", function()
      local session = session_of(path)
      assert.equal('[{"n":3}]', session:call("sql_query", { sql = "SELECT count(*) AS n FROM t" }).content)
      local own = session.databases.main.conn
      local done, message = own:execute "INSERT INTO t VALUES (4)" -- past all words, query_only and savepoints
      assert.is_nil(done)
      assert.equal("LuaSQL: attempt to write a readonly database", message)
      local definition = session:definitions "anthropic"
      local described
      for _, one in ipairs(definition) do
        if one.name == "sql_query" then described = one.description end
      end
      assert.truthy(described:find("The database is SQLite3, read only", 1, true))
      session:close()
      assert.is_nil(session.databases.main.conn)
      assert.has_error(function()
        own:execute "SELECT 1"
      end)
    end)

    it("makes none that is missing, and finds it when it is there", function()
      local missing = dir:at "later.db"
      local session = session_of(missing)
      refused(
        session:call("sql_query", { sql = "SELECT 1" }),
        "EDATABASE",
        ("Cannot open the database %s: unable to open database file"):format(missing)
      )
      assert.is_nil(dir:read "later.db")
      assert.is_true(#session:definitions "anthropic" > 0)
      assert(os.rename(path, missing))
      assert.equal('[{"1":1}]', session:call("sql_query", { sql = "SELECT 1" }).content)
      session:close()
    end)

    it("says what to install where there is no driver", function()
      local driver = package.loaded["luasql.sqlite3"]
      package.loaded["luasql.sqlite3"] = nil
      package.preload["luasql.sqlite3"] = function()
        error "none"
      end
      local session = session_of(path)
      local result = session:call("sql_query", { sql = "SELECT 1" })
      local definitions = session:definitions "mcp"
      package.preload["luasql.sqlite3"], package.loaded["luasql.sqlite3"] = nil, driver
      local message = "^Cannot open the database .*LuaSQL for SQLite is missing: `luarocks install luasql%-sqlite3`"
      assert.matches(message, result.content)
      for _, one in ipairs(definitions) do
        assert.not_equal("sql_query", one.name)
      end
      session:close()
    end)
  end)
end)
