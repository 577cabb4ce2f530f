-- `abridge.explain`: why a cut keeps what it keeps.

local abridge = require "abridge"
local line_of = require("abridge.output.explain").line
local random = require "support.random"

--- A log of a build, with these lines at their numbers.
local function build_log(count, given)
  local lines = {}
  for i = 1, count do
    lines[i] = given[i] or ("[%02d:%02d:01] compiled module %d"):format(math.floor(i / 60), i % 60, i)
  end
  return table.concat(lines, "\n") .. "\n"
end

local CHECKED = "checked 12 files, 0 errors"
local LOG = build_log(400, {
  [210] = CHECKED,
  [220] = CHECKED,
  [230] = CHECKED,
  [240] = CHECKED,
  [250] = CHECKED,
  [260] = CHECKED,
  [270] = CHECKED,
  [280] = CHECKED,
  [290] = CHECKED,
  [100] = "main.c:3:1: error: expected ';' before '}' token",
  [101] = "    3 |   int x",
  [102] = "      |   ^",
  [300] = "DEBUG retry failed, trying again",
})
local OPTS = { max_bytes = 700 }

local function range_of(explained, line)
  for _, range in ipairs(explained.ranges) do
    if range.first_line <= line and line <= range.last_line then return range end
  end
end

local function told(explained, number)
  for _, line in ipairs(range_of(explained, number).lines) do
    if line.line == number then return line end
  end
end

describe("abridge.explain", function()
  it("is about the cut that abridge.cut makes", function()
    for _, opts in ipairs { OPTS, { max_lines = 9, strategy = "tail" }, { max_tokens = 90, clean = true } } do
      local content, cut = abridge.cut(LOG, opts)
      local explained = abridge.explain(LOG, opts)
      assert.equal(content, explained.content)
      assert.same(cut, explained.cut)
    end
  end)

  it("tells which row made a line a hit, and which failure it belongs to", function()
    local line = told(abridge.explain(LOG, OPTS), 100)
    assert.is_true(line.hit)
    assert.equal("hit", line.why)
    assert.equal(1, line.failure)
    assert.same({ table = "words", row = "error", first_byte = 13, last_byte = 17 }, line.rule)
    assert.is_true(line.score >= 4 and line.value > 0)
  end)

  it("keeps a failure together, and names it", function()
    local range = range_of(abridge.explain(LOG, OPTS), 101)
    assert.is_true(range.kept)
    assert.equal("failure", range.why)
    assert.equal(1, range.failure)
    assert.is_true(range.first_line <= 100 and range.last_line >= 102)
  end)

  it("tells why a line with a word of trouble is no hit", function()
    local explained = abridge.explain(LOG, OPTS)
    local line = told(explained, 250)
    assert.is_false(line.hit)
    assert.equal("zero", line.denied.denied)
    assert.equal("errors", line.denied.row)
    assert.is_true(range_of(explained, 250).denied.zero > 1)
    local quiet = told(explained, 300)
    assert.is_false(quiet.hit)
    assert.equal("low_level", quiet.less)
  end)

  it("tells of both ends, and that a gap has no hit", function()
    local explained = abridge.explain(LOG, OPTS)
    assert.equal("start", range_of(explained, 1).why)
    assert.equal("end", range_of(explained, 400).why)
    local gap = range_of(explained, 50)
    assert.is_false(gap.kept)
    assert.equal(0, gap.hits)
    assert.is_true(gap.alike >= 80)
  end)

  it("tells of hits for which there was no room", function()
    local given = {}
    for i = 20, 380, 20 do
      given[i] = ("src/a%d.c:3:1: error: expected ';' before '}' token in the module of number %d"):format(i, i)
    end
    local explained = abridge.explain(build_log(400, given), { max_bytes = 600 })
    local left, kept = 0, 0
    for _, range in ipairs(explained.ranges) do
      if range.kept then
        for _, line in ipairs(range.lines) do
          kept = kept + (line.hit and 1 or 0)
        end
      else
        left = left + range.hits
      end
    end
    assert.equal(explained.cut.hits.found, left + kept)
    assert.equal(explained.cut.hits.kept, kept)
    assert.is_true(left > 0)
  end)

  it("tells of the odd line", function()
    local explained = abridge.explain(build_log(400, { [222] = "the moon is made of green cheese" }), OPTS)
    local range = range_of(explained, 222)
    assert.is_true(range.kept)
    assert.equal("odd", range.why)
  end)

  it("names a pattern of the caller, and group that is off", function()
    local line = told(abridge.explain(LOG, { max_bytes = 700, hits = { "module 77" } }), 77)
    assert.equal("hits", line.rule.table)
    local without = abridge.explain(LOG, { max_bytes = 700, hits = { groups = { errors = false } } })
    assert.equal(0, without.cut.hits.found)
  end)

  it("says what decided the kind", function()
    local kind = abridge.explain(LOG, OPTS).kind
    assert.equal("log", kind.name)
    assert.equal("lines", kind.by)
    assert.equal(400, kind.lines)
    assert.is_true(kind.printed.count > 300 and kind.written.count < 50)
    assert.equal("option", abridge.explain(LOG, { max_bytes = 700, kind = "text" }).kind.by)
    local reasons = {
      document = '{"a": [1, 2]}',
      documents = ('{"a": 1, "b": "x"}\n'):rep(30),
      delimiter = "id,name,size\n" .. ("1,one,3\n"):rep(30),
      hunks = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
      signature = "\127ELF\2\1\1" .. ("\0"):rep(99),
      bytes = ("\0\1\2\3"):rep(99),
    }
    for by, text in pairs(reasons) do
      assert.equal(by, abridge.explain(text, { max_bytes = 10 }).kind.by)
    end
    assert.is_nil(abridge.explain(LOG, { max_bytes = 700, strategy = "head" }).kind)
  end)

  it("finds no hit in what tests logged that passed", function()
    local rule, log = ("="):rep(20), {}
    for i = 1, 300 do
      log[i] = ("_____ test_%d _____\nERROR    shop:test_shop.py:14 retrying %d\n"):format(i, i)
    end
    local passes = ("%s PASSES %s\n%s"):format(rule, rule, table.concat(log))
    local text = "E       ValueError: no price\n" .. passes .. "1 failed, 300 passed in 0.26s\n"
    local explained = abridge.explain(text, { max_bytes = 900, strategy = "priority" })
    assert.same({ found = 2, kept = 2 }, explained.cut.hits)
    for _, range in ipairs(explained.ranges) do
      assert.is_true(range.kept or range.hits == 0)
    end
  end)

  it("counts no hit in what a test printed that passed, and says so", function()
    local lines = {}
    for i = 1, 50 do
      lines[#lines + 1] = ("=== RUN   Test%d"):format(i)
      lines[#lines + 1] = ("    cart_test.go:%d: cannot price item %d"):format(i, i * 7)
      lines[#lines + 1] = ("--- %s: Test%d (0.01s)"):format(i == 30 and "FAIL" or "PASS", i)
    end
    local explained = abridge.explain(table.concat(lines, "\n") .. "\n", { max_bytes = 300, strategy = "priority" })
    assert.same({ 1, 86, 91, 149 }, explained.passed)
    assert.same({ found = 2, kept = 2 }, explained.cut.hits)
    for _, range in ipairs(explained.ranges) do
      assert.is_true(range.kept or range.hits == 0)
    end
    assert.equal("passed", (line_of(explained, { max_bytes = 300 }, 2)).less)
  end)

  it("says that all of it fits, and tells of ends where no line was chosen", function()
    local ranges = abridge.explain("one\ntwo\n", { max_bytes = 100 }).ranges
    assert.equal(1, #ranges)
    assert.equal("whole", ranges[1].why)
    ranges = abridge.explain(LOG, { max_lines = 10, strategy = "head_tail" }).ranges
    assert.equal("start", ranges[1].why)
    assert.is_nil(ranges[2].hits)
    assert.equal("end", ranges[3].why)
    assert.same({}, abridge.explain("", { max_bytes = 100 }).ranges)
  end)

  it("raises for what abridge.cut raises for", function()
    assert.error_matches(function()
      abridge.explain(LOG, { max_bites = 3 })
    end, "abridge.explain: unknown option 'max_bites'")
    assert.error_matches(function()
      abridge.explain(nil, OPTS)
    end, "text must be a string")
  end)

  it("blames misuse on its caller, and hands on what a counter raises", function()
    local ok, message = pcall(function()
      abridge.explain("x", { max_bytes = -1 })
    end)
    assert.is_false(ok)
    assert.matches("explain_spec%.lua:%d+: abridge%.explain: max_bytes must be ", message)
    local why = { code = 7 }
    local opts = {
      max_tokens = 1,
      count_tokens = function()
        error(why)
      end,
    }
    assert.same({ false, why }, { pcall(abridge.explain, ("some words "):rep(99), opts) })
  end)

  it("tiles the lines of any bytes, with every budget", function()
    local pieces = {
      "error: ",
      "0 errors",
      "failed",
      "\n",
      "\n",
      "\r\n",
      "\255\254",
      "\27[31m",
      "{",
      '"a":1',
      ",",
      "}",
      "\0",
      "Traceback (most recent call last):\n",
      "  at x.y(Z.java:3)\n",
      "échec",
      "--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
      "\t",
      ("x"):rep(5000),
      "id,name\n1,2\n",
      "PASS\n",
    }
    local strategies = { "auto", "priority", "tail", "head_tail" }
    random.each(1500, function()
      local text = random.join(pieces, random.below(60))
      local opts = { max_bytes = random.below(900), strategy = random.choose(strategies) }
      local content, cut = abridge.cut(text, opts)
      local explained = abridge.explain(text, opts)
      assert.equal(content, explained.content)
      assert.same(cut, explained.cut)
      local last_byte, last_line = 0, 0
      for _, range in ipairs(explained.ranges) do
        assert.equal(last_byte + 1, range.first_byte)
        assert.is_true(range.first_line >= math.max(last_line, 1) and range.first_line <= last_line + 1)
        assert.is_true(range.last_line >= range.first_line and range.last_byte >= range.first_byte)
        last_byte, last_line = range.last_byte, range.last_line
        for _, line in ipairs(range.lines) do
          assert.is_true(line.line >= range.first_line and line.line <= range.last_line)
        end
      end
      assert.equal(#text, last_byte)
      assert.equal(cut.total_lines, last_line)
    end)
  end)
end)
