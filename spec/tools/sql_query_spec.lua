-- sql_query: rows, which of them a budget drops, and what it says.
local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local sql_engine = require "support.sql_engine"

local json = host.json()
local exact_integers = rawget(math, "type") ~= nil

local run = sql_engine.run
local fetched = sql_engine.fetched
local session_with = sql_engine.session_with
local query = sql_engine.query
local stand_in = sql_engine.stand_in
local lite = sql_engine.lite
local body_of = sql_engine.body_of
local refused = sql_engine.refused
local with_sqlite = sql_engine.test(it, pending)

describe("sql_query", function()
  before_each(sql_engine.open)
  after_each(sql_engine.close)

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

    with_sqlite("of nulls alone, which are not none", function()
      assert.equal('[{"a":null}]', query("SELECT NULL AS a").content)
      assert.equal('[{"a":null,"b":null}]', query("SELECT NULL AS a, NULL AS b ;").content)
      assert.equal('[{"a":null},\n{"a":1}]', query("SELECT NULL AS a UNION ALL SELECT 1").content)
      assert.equal("[]", query("SELECT NULL AS a WHERE 0").content)
      assert.equal("[]", query("PRAGMA foreign_key_check").content)
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
          .. '{"declared":null,"free":"<blob 1 byte>"},\n'
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
      assert.same({ truncated_total = 3 }, result.metadata) -- one more was seen
    end)

    with_sqlite("only when there are more", function()
      for _, max_rows in ipairs { 5, 6 } do
        local result = query { sql = numbers(5), limit = max_rows }
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

    it("without reading on after a row too large to count", function()
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
    for profile in pairs(abridge.profiles) do
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

  describe("tells", function()
    with_sqlite("what the engine says", function()
      refused(query "SELECT 1 FORM t", "ESQL", 'LuaSQL: near "t": syntax error')
      refused(query "SELECT * FROM nowhere", "ESQL", "LuaSQL: no such table: nowhere")
      assert.equal('[{"1":1}]', query("SELECT 1").content) -- and goes on
    end)

    with_sqlite("what goes wrong after the first row", function()
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
      local closed = assert(sql_engine.connect ":memory:")
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

  describe("the option databases", function()
    local function raised(databases)
      return plain.misuse(function()
        local session = require("abridge").session { databases = databases }
        return session
      end)
    end

    it("raises on what is no database, naming key and value", function()
      assert.equal("abridge.session: databases must be a table, got 5", raised(5))
      local wanted = "abridge.session: databases.main must be the path of an SQLite file, a LuaSQL connection or "
        .. "{ connection = ..., read_only = ... }, got 5"
      assert.equal(wanted, raised { main = 5 })
      assert.equal('abridge.session: databases.main must be the path of a file, got ""', raised { main = "" })
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
