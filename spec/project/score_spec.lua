-- What `make score` measures with: the share of needed lines that a cut keeps, and logs labelled with what we know of
-- the fault that we made.

package.path = "bench/?.lua;" .. package.path

local ci = require "score.ci"
local host = require "abridge.base.host"
local make = require "score.make"
local measure = require "score.measure"
local merge = require "support.merge"
local rivals = require "score.rivals"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local function entry(position, log, ...)
  local needles = {}
  for i, text in ipairs { ... } do
    needles[i] = { text = text, why = i == 1 and "root cause" or "summary" }
  end
  return { name = position, position = position, log = log, needles = needles }
end

local function as_is(log)
  return function()
    return log
  end
end

describe("the score #once", function()
  it("counts needles by column, whole logs, and lists what is missed", function()
    local missed = {}
    local entries = { entry("head", "", "cause one", "sum one"), entry("tail", "", "cause two", "sum two") }
    local result = measure.score(as_is "cause one\nsum one\nsum two\n", 100, entries, missed)
    assert.equal(3 / 4, result.all)
    assert.equal(1 / 2, result["root cause"])
    assert.equal(1, result.head)
    assert.equal(1 / 2, result.tail)
    assert.is_nil(result.middle)
    assert.equal(1 / 2, result.logs)
    assert.equal(0, result.over)
    assert.same({ { name = "tail", needle = entries[2].needles[1] } }, missed)
  end)

  it("wants the whole text, without its outer blanks", function()
    local entries = { entry("middle", "", "   error: no such thing  ") }
    assert.equal(1, measure.score(as_is "x error: no such thing", 100, entries).all)
    assert.equal(0, measure.score(as_is "x error: no such thin", 100, entries).all)
  end)

  it("removes ANSI sequences first", function()
    local entries = { entry("middle", "", "a.c:1: error: gone") }
    local output = "\27[1ma.c:1:\27[0m \27[01;31m\27[Kerror:\27[m\27[K \27]8;;http://x\7go\27]8;;\27\\ne\27(B"
    assert.equal(1, measure.score(as_is(output), 100, entries).all)
  end)

  it("counts outputs over the budget, of logs without needles too", function()
    local entries = { entry("none", ""), entry("head", "", "x") }
    local result = measure.score(as_is(("x"):rep(11)), 10, entries)
    assert.equal(2, result.over)
    assert.equal(1, result.logs)
    assert.equal(0, measure.score(as_is(("x"):rep(10)), 10, entries).over)
  end)

  it("prints a row a strategy", function()
    local text = measure.table("10 bytes", {
      { name = "cat", result = { all = 0.5, ["root cause"] = 1, tail = 0, logs = 0.25, over = 3 } },
    })
    assert.truthy(text:find("**10 bytes**\n\n| strategy | needles %", 1, true))
    assert.truthy(text:find("\n| cat | 50.0 | 100.0 | - | - | 0.0 | - | 25.0 | 3 |\n", 1, true))
  end)
end)

describe("whole failures #once", function()
  local function log(language, tool, ...)
    return { name = tool, language = language, tool = tool, blocks = { ... } }
  end

  it("are counted by language and tool, and together", function()
    local missed = {}
    local groups = measure.blocks(function(_, budget)
      return budget == 2048 and { { first_line = 1, last_line = 4 }, { first_line = 8, last_line = 8 } }
        or budget == 8192 and { { first_line = 2, last_line = 20 } }
        or {}
    end, { log("C", "ld", { 3, 6 }, { 8, 8 }), log("Ada", "gnat", { 8, 8 }), { name = "has needles alone" } }, missed)
    assert.same({ "Ada", "C", "all" }, { groups[1].language, groups[2].language, groups[3].language })
    assert.same({ touched = 1, whole = 1, share = 1 }, groups[1][2048])
    assert.same({ touched = 1, whole = 0, share = 3 / 5 }, groups[2][2048])
    assert.same({ touched = 1, whole = 1, share = 1 }, groups[2][8192])
    assert.same({ touched = 1, whole = 1 / 2, share = 4 / 5 }, groups[3][2048])
    assert.same({ touched = 0, whole = 0, share = 0 }, groups[3][30720])
    assert.equal(2, groups[3].logs)
    assert.equal(6, groups[3].lines)
    assert.same({ name = "ld", budget = 2048, lines = 5, kept = 3 }, missed[1])
    local text = measure.block_table("x", groups)
    assert.truthy(text:find("\n| C | ld | 1 | 5 | 0 | 100 | 0 | 60 | 100 | 0 |\n", 1, true))
    assert.truthy(text:find("\nAt least one marked line is kept in 100, 100, 0 % of the logs.\n", 1, true))
  end)
end)

describe("doc/scores.md #once", function()
  it("has a row for each language and tool whose failures are scored whole, and no other", function()
    if not host.uv() then return pending "luv is missing" end
    local wanted, rows = {}, {}
    for _, name in ipairs(paths.names "bench/score/cases/") do
      for _, case in ipairs(require("score.cases." .. name:match "^(.*)%.lua$")) do
        local key = case.block and case.language .. " | " .. (case.tool or case.tools[1])
        if key then wanted[key] = (wanted[key] or 0) + 1 end
      end
    end
    local page = paths.read("doc/scores.md"):match "\n| language | tool | logs |[^\n]*\n[^\n]*\n(.-)\n| all |"
    for key, logs in (page .. "\n"):gmatch "| ([^|]+ | [^|]+) | (%d+) |[^\n]*\n" do
      rows[key] = tonumber(logs)
    end
    assert.same(wanted, rows)
  end)
end)

describe("the rivals #once", function()
  local lines = {}
  for i = 1, 400 do
    lines[i] = ("line %d of a long build"):format(i)
  end
  lines[200] = "main.c:3: fatal: the disk is full"
  local log = table.concat(lines, "\n") .. "\n"

  it("stay within the budget, and give back what fits", function()
    for _, rival in ipairs(rivals.all) do
      for _, budget in ipairs { 400, 1000, 5000 } do
        local output = rival.run({ log = log }, budget)
        assert.truthy(#output <= budget, rival.name .. ": " .. #output)
        assert.truthy(#output > budget * 0.5, rival.name .. ": " .. #output)
      end
      assert.equal(log, rival.run({ log = log }, #log))
    end
  end)

  it("keep what their names say", function()
    local function keeps(name, text)
      for _, rival in ipairs(rivals.all) do
        if rival.name == name then return rival.run({ log = log }, 1000):find(text, 1, true) ~= nil end
      end
    end
    assert.is_true(keeps("head", "line 1 of"))
    assert.is_false(keeps("head", "line 400 of"))
    assert.is_true(keeps("tail", "line 400 of"))
    assert.is_true(keeps("head/tail 30/70", "line 1 of") and keeps("head/tail 30/70", "line 400 of"))
    assert.is_false(keeps("head/tail 50/50", lines[200]))
    assert.is_true(keeps("keywords", lines[198] .. "\n" .. lines[199] .. "\n" .. lines[200] .. "\n" .. lines[201]))
  end)
end)

describe("a log #once", function()
  local dir
  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    dir:remove()
  end)

  local function case(command, needles, more)
    local made = { name = "made", tools = { "sh" }, family = "test", command = command, needles = needles }
    made.write = function(folder)
      folder:write(
        "in/loop.sh",
        "i=0\nwhile [ $i -lt 1500 ]; do\n"
          .. 'i=$((i + 1)); echo "step $i of 1500 is done, all well"\n[ $i -ne "$1" ] || echo "step $i: no ink" >&2\n'
          .. "done\nexit 4\n"
      )
    end
    return merge(made, more)
  end

  it("is what the tool printed on both streams, labelled", function()
    local made, log = make.make(case("sh in/loop.sh 700", { { "root cause", "no ink" } }), dir.path)
    assert.truthy(#log > make.MIN_BYTES)
    assert.equal(#log, made.bytes)
    assert.equal(4, made.exit_code)
    assert.equal(1501, made.lines)
    assert.equal("middle", made.position)
    assert.same({ { line = 701, text = "step 700: no ink", why = "root cause", occurrences = 1 } }, made.needles)
  end)

  it("raises when a needle is not there, is there twice, or the log is short", function()
    local function fails(message, ...)
      local ok, reason = pcall(make.make, case(...), dir.path)
      assert.is_false(ok)
      assert.equal(message, reason)
    end
    fails('made: no line holds "no paper"', "sh in/loop.sh 7", { { "root cause", "no paper" } })
    fails('made: 1500 lines hold "is done"', "sh in/loop.sh 0", { { "root cause", "is done" } })
    fails("made: only 3 bytes", "echo hi; exit 1", {})
    fails(("made: exit code 4; see %s/made.log"):format(dir.path), "sh in/loop.sh 0", {}, { succeeds = true })
  end)

  it("has the text that a terminal shows: after the last carriage return, without colours", function()
    local log = ("ok\n"):rep(9) .. "\27[32m10 %\r 20 %\r\27[31mfull disk\27[0m\r\nend\n"
    local shown = make.label(case("", { { "root cause", "disk" } }), log, 1)
    assert.equal("full disk", shown.needles[1].text)
    assert.equal(10, shown.needles[1].line)
    assert.is_true(shown.ansi)
    assert.equal(3, shown.carriage_returns)
  end)

  it("has the blocks of its failure where the case says, in their order", function()
    local text = "head\nFAIL a\n  got 1\n----\nok\nFAIL b\n  got 2\n----\nexit 1\n"
    local function blocks(...)
      local ok, made = pcall(make.label, case("", {}, { block = { ... }, language = "C", tool = "cc" }), text, 1)
      return ok and made.blocks or made
    end
    assert.same(
      { { 2, 4 }, { 6, 6 }, { 9, 9 } },
      blocks({ from = "FAIL a", to = "----" }, { from = "FAIL" }, { from = "^exit %d$", like = true })
    )
    assert.same({ { 2, 3 } }, blocks { from = "FAIL", to = "got", pick = "first" })
    assert.equal('made: lines 2 and 6 hold "FAIL"', blocks { from = "FAIL" })
    assert.equal('made: no line past line 8 holds "FAIL"', blocks({ from = "FAIL b", to = "--" }, { from = "FAIL" }))
    assert.equal('made: no line past line 6 holds "FAIL"', blocks { from = "FAIL b", to = "FAIL" })
  end)

  it("stands in what a CI prints around it, always the same", function()
    local seen = {}
    for _, family in ipairs { "github", "gitlab", "travis", "jenkins" } do
      for _, language in ipairs { "C", "Python", "JavaScript", "Java", "Rust", "Go", "Ruby", "PHP", ".NET" } do
        local made = { name = "made", command = "make check\ntrue", ci = family, language = language }
        local text = ci.wrap(made, "one\n\ntwo\n", 7)
        assert.equal(text, ci.wrap(made, "one\n\ntwo\n", 7))
        assert.truthy(text:find "[^\n]*make check[^\n]*\n.-one\n[^\n]*\n[^\n]*two\n", family)
        assert.truthy(text:find "\n[^\n]*%f[%d]7%f[%D][^\n]*\n" or family == "jenkins", family)
        assert.is_nil(seen[text])
        seen[text] = true
      end
    end
    assert.is_false((pcall(ci.wrap, { name = "made", command = "x", ci = "none" }, "one\n", 1)))
  end)

  it("of a case of the benchmark is long and has all its needles", function()
    for _, real in ipairs(require "score.cases.shell") do
      if real.name == "bash-trace" and not make.missing(real) then
        local made, log = make.make(real, dir.path)
        assert.truthy(#log > make.MIN_BYTES)
        assert.equal(#real.needles, #made.needles)
        for _, needle in ipairs(made.needles) do
          assert.truthy(log:find(needle.text, 1, true))
        end
        return
      end
    end
    pending "no bash here"
  end)

  it("is left out where its tool is missing", function()
    assert.equal("no-such-tool-here", make.missing { tools = { "sh", "no-such-tool-here" } })
    assert.equal("/no/such/header.h", make.missing { tools = { "sh", "/no/such/header.h" } })
    assert.is_nil(make.missing { tools = { "sh", "/bin/sh" } })
  end)
end)

describe("the score of kinds #once", function()
  local dir
  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    dir:remove()
  end)

  local function run(folder)
    local quote, root = tmpdir.quote, tmpdir.root()
    local line = "cd %s && KINDS_CORPUS=%s ABRIDGE_SEED=1 LUA_PATH='lua/?.lua;lua/?/init.lua;spec/?.lua;;'"
      .. " LUA_CPATH='build/%s/?.so;;' %s bench/score/kinds.lua --made=2"
    local version, lua = _VERSION:match "%d%.%d", tmpdir.interpreter()
    local out, err, code = dir:sh(line:format(quote(root), quote(folder), version, quote(lua)))
    assert.equal(0, code, err)
    return out
  end

  it("counts kinds and needles of a folder's outputs, and of documents made here", function()
    local rows = {}
    for i = 1, 2000 do
      rows[i] = ("%d,name %d,%s"):format(i, i, i == 1000 and "FAILED: no paper" or "ok")
    end
    dir:write("orders.csv", "id,name,state\n" .. table.concat(rows, "\n"))
    dir:write("notes.md", ("# Notes\n\nThe work went on.\n"):rep(900))
    dir:write(
      "manifest.jsonl",
      '{"file":"orders.csv","kind":"table","needles":["no paper"],"header":["id,name,state"],'
        .. '"header_lines":[1]}\n{"file":"notes.md","kind":"text","needles":["# Notes"]}\n'
    )
    local out = run(dir.path)
    assert.truthy(out:find("**2 outputs of " .. dir.path .. "**", 1, true))
    assert.truthy(out:find "\n| table | 1 of 1 | %d of 6 | %d of 1 | 0 | 0 | 0 | 1 |\n")
    assert.truthy(out:find("\n| text | 1 of 1 | 0 of 6 | 1 of 1 | 1 | 1 | 1 | 1 |\n", 1, true))
    assert.truthy(out:find "Cuts of text with one gap: %d of %d")
    assert.truthy(out:find "%*%*11 documents that the suite makes")
  end)

  it("says where there are no outputs", function()
    assert.truthy(run(dir:at "absent"):find("no outputs in " .. dir:at "absent", 1, true))
  end)
end)
