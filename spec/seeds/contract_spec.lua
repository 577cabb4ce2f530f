-- The reading-tool contract: its own tests by their names, then what its comments promise of each tool, end to end in
-- the profile "contract".
local abridge = require "support.unsaved"
local host = require "abridge.base.host"
local merge = require "support.merge"
local plain = require "support.plain"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"
local web_server = require "support.web_server"

local KB = 1024
local info = abridge.info
local json = host.json()
local has_sqlite, sqlite = pcall(require, "luasql.sqlite3")

describe("seed contract, its own tests:", function()
  it("not_truncated_shape", function()
    local v = json.decode(info.not_truncated(128):to_json())
    assert.same({ truncated = false, bytes_returned = 128, bytes_total = 128, reason = "size_cap" }, v)
  end)

  it("with_resume_shape", function()
    local block = info.with_resume(49512, 184221, 49512, "call read_file with offset=49512", "size_cap")
    local v = json.decode(block:to_json())
    assert.is_true(v.truncated)
    assert.equal(49512, v.bytes_returned)
    assert.equal(184221, v.bytes_total)
    assert.equal(49512, v.next_offset)
    assert.truthy(v.resume_hint:find("offset=49512", 1, true))
    assert.equal("size_cap", v.reason)
  end)

  it("without_resume_shape", function()
    local v = json.decode(info.without_resume(1000, nil, "row_cap"):to_json())
    assert.same({ truncated = true, bytes_returned = 1000, reason = "row_cap" }, v)
  end)

  it("attach_inserts_under_truncation_key", function()
    local target = { content = "abc", total_lines = 3 }
    info.not_truncated(3):attach(target)
    assert.is_false(target.truncation.truncated)
    assert.equal("abc", target.content)
    assert.equal(3, target.total_lines)
    info.not_truncated(3):attach "no object" -- does nothing
  end)

  it("reason_wire_values_are_stable", function()
    for _, reason in ipairs { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" } do
      local wire = info.without_resume(1, nil, reason):to_json()
      assert.equal(('{"truncated":true,"bytes_returned":1,"reason":"%s"}'):format(reason), wire)
    end
    assert.has_error(function()
      info.without_resume(1, nil, "other_cap")
    end)
  end)

  it("assert_conforms_accepts_valid", function()
    local response = {}
    info.with_resume(100, 500, 100, "resume", "line_cap"):attach(response)
    abridge.assert_conforms("fake_tool", response)
  end)

  it("assert_conforms_rejects_missing", function()
    assert.equal(
      "fake_tool: response missing required `truncation` block",
      plain.raised(abridge.assert_conforms, "fake_tool", { content = "hi" })
    )
  end)

  it("assert_conforms_rejects_offset_without_truncation", function()
    local response = {
      truncation = {
        truncated = false,
        bytes_returned = 10,
        bytes_total = 10,
        next_offset = 10,
        reason = "size_cap",
      },
    }
    assert.equal(
      "fake_tool: `next_offset` set on a non-truncated response",
      plain.raised(abridge.assert_conforms, "fake_tool", response)
    )
  end)
end)

describe("seed contract, TruncationReason:", function()
  local dir, session

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    if session then session:close() end
    session = nil
    dir:remove()
  end)

  local function open(more)
    session = abridge.session(merge({ profile = "contract", cwd = dir.path }, more))
  end

  --- The block of a call, as JSON carries it.
  local function block_of(tool, input)
    if not session then open() end
    local result = session:call(tool, input)
    abridge.assert_conforms(tool, result)
    assert.is_false(result.is_error, result.content)
    return json.decode(json.encode(result.truncation)), result
  end

  it("SizeCap: read_file 50 KB hard cap", function()
    local text = seq(1, 1500, "line %d " .. ("x"):rep(60))
    dir:write("f", text)
    local block, result = block_of("read_file", { path = "f" })
    assert.equal("size_cap", block.reason)
    assert.is_true(#result.content <= 50 * KB and #result.content > 50 * KB - 200)
    assert.equal(#text, block.bytes_total)
    assert.equal(("call read_file with offset=%d"):format(block.next_offset), block.resume_hint)
  end)

  it("SizeCap: web_fetch (browserless_content) 100 KB cap, or the ceiling that a caller gives", function()
    local text = seq(1, 2000, "line %d " .. ("x"):rep(60))
    local server = web_server.new(function(connection)
      connection:respond("200 OK", { "Content-Type: text/plain" }, text)
    end)
    local function first_page(cap)
      local block, result = block_of("web_fetch", { url = server:url "/" })
      assert.equal("size_cap", block.reason)
      assert.is_true(#result.content <= cap and #result.content > cap - 200)
      assert.equal(#text, block.bytes_total)
      return block, result
    end
    local ok, message = pcall(function()
      open { allow_private = { "127.0.0.1" } }
      first_page(100 * KB) -- the profile's own ceiling of 64KB over all others leaves it alone
      session:close()
      open { allow_private = { "127.0.0.1" }, ceiling = { max_bytes = 64 * KB } }
      first_page(64 * KB)
      session:close()
      open { allow_private = { "127.0.0.1" }, ceiling = false }
      local block, result = first_page(100 * KB)
      -- ?range: in-place resume is there
      assert.equal(block.bytes_returned + 1, block.next_offset)
      local next_block, next_page = block_of("web_fetch", { url = server:url "/", offset = block.next_offset })
      assert.is_false(next_block.truncated)
      assert.equal(text, result.content:sub(1, block.bytes_returned) .. next_page.content)
    end)
    server:close()
    if not ok then error(message, 0) end
  end)

  it("LineCap: read_file default 2000 lines", function()
    dir:write("f", seq(1, 2500))
    local block = block_of("read_file", { path = "f" })
    assert.equal("line_cap", block.reason)
    assert.equal(2001, block.next_offset)
  end)

  it("LineCap: search_files (grep_files) match-count limit", function()
    dir:write("f", seq(1, 2500, "m %d"))
    local block = block_of("search_files", { pattern = "m", path = "f" })
    assert.equal("line_cap", block.reason)
    assert.equal(2001, block.next_offset)
    block = block_of("search_files", { pattern = "m", path = "f", limit = 10 })
    assert.equal("line_cap", block.reason)
    assert.equal(11, block.next_offset)
  end)

  it("RowCap: sql_query 1000-row cap", function()
    if not has_sqlite then return pending("LuaSQL for sqlite3 cannot be loaded: " .. tostring(sqlite)) end
    local env = sqlite.sqlite3()
    local connection = env:connect ":memory:"
    connection:execute "CREATE TABLE t (n INTEGER)"
    connection:execute [[
      INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 1500) SELECT n FROM c]]
    open { databases = { main = connection } }
    local block, result = block_of("sql_query", { sql = "SELECT n FROM t ORDER BY n" })
    session:close()
    connection:close()
    env:close()
    assert.equal("row_cap", block.reason)
    assert.equal(1000, #json.decode(result.content:sub(1, block.bytes_returned)))
    -- the fallback is a narrower WHERE: there is no resume in place, and no total
    assert.is_nil(block.next_offset)
    assert.is_nil(block.resume_hint)
    assert.is_nil(block.bytes_total)
    assert.truthy(result.content:find("Narrow the query with WHERE or LIMIT", 1, true))
  end)

  for _, budget in ipairs { { "silent", 200 }, { "concise", 2 * KB }, { "normal", 8 * KB }, { "verbose", 16 * KB } } do
    it("ExecBudget: run_command, " .. budget[1], function()
      open { limits = { run_command = { output = budget[1] } } }
      local block, result = block_of("run_command", { command = "seq 20000" })
      assert.equal("exec_budget", block.reason)
      assert.is_true(#result.content <= budget[2] and #result.content > budget[2] / 2)
      -- exec output does not resume: its full output is elsewhere
      assert.is_nil(block.next_offset)
      assert.is_nil(block.resume_hint)
      assert.equal(108894, block.bytes_total)
    end)
  end

  it("ExecBudget: the one in force is normal", function()
    assert.equal("exec_budget", block_of("run_command", { command = "seq 20000" }).reason)
    assert.equal("normal", session:limits("run_command").output)
  end)

  it("ItemCap: list_directory", function()
    dir:sh "mkdir d && cd d && seq -f 'f%04g' 600 | xargs touch"
    local block, result = block_of("list_directory", { path = "d" })
    assert.equal("item_cap", block.reason)
    assert.equal(501, block.next_offset)
    assert.equal(600, result.metadata.truncated_total)
    assert.equal(600 * 6 - 1, block.bytes_total)
  end)

  it("ItemCap: find_files", function()
    dir:sh "mkdir d && cd d && seq -f 'f%04g' 1100 | xargs touch"
    local block = block_of("find_files", { pattern = "*", path = "d" })
    assert.equal("item_cap", block.reason)
    assert.equal(1001, block.next_offset)
  end)

  describe("TruncationInfo:", function()
    it("bytes_returned is the size of the primary content, not of what is wrapped around it", function()
      dir:write("f", seq(1, 2500))
      for tool, input in pairs { read_file = { path = "f" }, run_command = { command = "cat f; exit 0" } } do
        local block, result = block_of(tool, input)
        assert.is_true(block.bytes_returned < #result.content) -- a notice follows
        local primary = result.content:sub(1, block.bytes_returned)
        assert.is_nil(primary:find("[Showing", 1, true), tool)
        local gap = primary:sub(-1) == "\n" and "\n" or "\n\n"
        assert.equal(gap .. result.details.notice, result.content:sub(block.bytes_returned + 1))
      end
    end)

    it("bytes_total is left out when it is unknown (search results)", function()
      dir:write("f", seq(1, 2500, "m %d"))
      assert.is_nil(block_of("search_files", { pattern = "m", path = "f", limit = 10 }).bytes_total)
    end)

    it("next_offset passed back to the same tool goes on, to the end", function()
      local text = seq(1, 4500, "line %d " .. ("x"):rep(20))
      dir:write("f", text)
      local parts, offset = {}, nil
      repeat
        local block, result = block_of("read_file", { path = "f", offset = offset })
        parts[#parts + 1] = result.content:sub(1, block.bytes_returned)
        assert.equal(block.next_offset == nil, block.resume_hint == nil) -- always a pair
        offset = block.next_offset
      until not offset
      assert.is_true(#parts > 2)
      assert.equal(text, table.concat(parts, "\n"))
    end)

    it("reason is present also when nothing was cut", function()
      dir:write("f", "a\n")
      local expected = { truncated = false, bytes_returned = 2, bytes_total = 2, reason = "size_cap" }
      assert.same(expected, (block_of("read_file", { path = "f" })))
      assert.same(expected, (block_of("run_command", { command = "cat f" })))
    end)

    it("is attached to every response: errors, unknown tools, foreign tools", function()
      open()
      session:register {
        name = "foreign",
        execute = function(input)
          if input.fail then error "it failed" end
          return { content = { { type = "text", text = "hello" } } }
        end,
      }
      for tool, input in pairs { read_file = { path = "none" }, no_such_tool = {}, foreign = { fail = true } } do
        local result = session:call(tool, input)
        abridge.assert_conforms(tool, result)
        assert.is_true(result.is_error)
        assert.equal(#result.content, result.truncation.bytes_returned)
      end
      assert.equal(5, block_of("foreign", {}).bytes_returned)
    end)

    it("is additive: fields that were there stay in place", function()
      dir:write("f", "a\n")
      local _, result = block_of("read_file", { path = "f" })
      assert.equal("a\n", result.content)
      assert.is_false(result.details.cut.truncated)
      assert.equal(1, result.details.cut.total_lines)
    end)
  end)
end)
