-- What `make score` measures with: the share of needed lines that a cut keeps, and logs labelled with what we know of
-- the fault that we made.

package.path = "bench/?.lua;" .. package.path

local ci = require "score.ci"
local compose = require "score.compose"
local make = require "score.make"
local measure = require "score.measure"
local merge = require "support.merge"
local reports = require "score.reports"
local rivals = require "score.rivals"
local runs = require "score.runs"
local tables = require "score.tables"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local function entry(name, ...)
  return { name = name, log = "", wanted = { ... } }
end

local function as_is(log)
  return function()
    return log
  end
end

describe("the score #once", function()
  it("is the share of wanted texts, and lists what is missed", function()
    local missed = {}
    local entries = { entry("one", "cause one", "sum one"), entry("two", "cause two", "sum two") }
    assert.equal(3 / 4, measure.share(as_is "cause one\nsum one\nsum two\n", 100, entries, missed))
    assert.same({ { name = "two", text = "cause two" } }, missed)
  end)

  it("wants the whole text, without its outer blanks", function()
    local entries = { entry("one", "   error: no such thing  ") }
    assert.equal(1, (measure.share(as_is "x error: no such thing", 100, entries)))
    assert.equal(0, (measure.share(as_is "x error: no such thin", 100, entries)))
  end)

  it("removes ANSI sequences first", function()
    local entries = { entry("one", "a.c:1: error: gone") }
    local output = "\27[1ma.c:1:\27[0m \27[01;31m\27[Kerror:\27[m\27[K \27]8;;http://x\7go\27]8;;\27\\ne\27(B"
    assert.equal(1, (measure.share(as_is(output), 100, entries)))
  end)

  it("reads what is shown of JSON, also where it is cut off", function()
    local wrapped = compose.wrapped({ { name = "one", log = 'a "b"\n\\c\n', wanted = { '"b"', "\\c" } } }, function()
      return '"a \\"b\\"\\n\\\\c\\n"'
    end, measure.unescaped)
    assert.equal(1, (measure.share(function(made)
      return made.log
    end, 100, wrapped)))
    assert.equal(1 / 2, (measure.share(as_is '{"stdout":"a \\"b\\"\\n\\\\', 100, wrapped)))
  end)

  it("counts outputs over the budget, and refuses a table with one", function()
    local entries = { entry("one", "x") }
    assert.same({ 1, 1 }, { measure.share(as_is(("x"):rep(11)), 10, entries) })
    assert.same({ 1, 0 }, { measure.share(as_is(("x"):rep(10)), 10, entries) })
    assert.error_matches(function()
      measure.rows({ { name = "all", run = as_is(("x"):rep(600)) } }, entries)
    end, "all: 1 outputs are over 512 bytes")
  end)

  it("prints a row a strategy, and the best of those that know no words", function()
    local entries = { entry("one", "x", "y", "z", "w") }
    local strategies = {
      { name = "head", run = as_is "x", plain = true },
      { name = "tail", run = as_is "y z", plain = true },
      { name = "ours", run = as_is "w" },
    }
    local text = measure.table(measure.rows(strategies, entries))
    assert.truthy(text:find("| strategy | 512 B | 1 KiB | 2 KiB | 8 KiB | 30 KiB |\n", 1, true))
    local names = {}
    for name, first in text:gmatch "\n| ([^|]+) | ([%d.]+) |" do
      names[#names + 1] = name .. " " .. first
    end
    assert.same({ "head 25.0", "tail 50.0", "the best of these 50.0", "ours 25.0" }, names)
  end)
end)

describe("outputs of the score #once", function()
  it("have a log behind, before and between parts, with each of them, and want nothing that these have", function()
    local log = { name = "l", log = "x\nerror: one\nboth", wanted = { "error: one", "both" } }
    local composed = compose.composed({ log }, { "part a both\n", "part b\n", "part c\n" })
    local texts, wanted = {}, {}
    for i, made in ipairs(composed) do
      texts[i], wanted[i] = made.log, made.wanted
      assert.equal(log.log, made.alone)
    end
    assert.same({
      "x\nerror: one\nboth\npart c\n",
      "part b\nx\nerror: one\nboth\n",
      "part a both\nx\nerror: one\nboth\npart b\n",
    }, texts)
    assert.same({ { "error: one", "both" }, { "error: one", "both" }, { "error: one" } }, wanted)
  end)

  it("are reports in JSON, whose findings count with their place and message after their name", function()
    local quoted = function(text)
      return '"' .. text:gsub("\n", "\\n") .. '"'
    end
    for _, report in ipairs(reports.made(quoted)) do
      assert.equal(1, (measure.share(as_is(report.log), 1e6, { report })), report.name)
      assert.is_true(#report.log > 30000 and #report.wanted > 10, report.name)
      local name, last = report.wanted[1]:match "^(%S+).- (%S+)$"
      for _, text in ipairs { name, last } do
        local without = report.log:gsub(text:gsub("%p", "%%%0"), "-")
        assert.is_true(measure.share(as_is(without), 1e6, { report }) < 1, report.name .. " " .. text)
      end
    end
  end)

  it("are recorded in a session, each with the value that a later call takes", function()
    local dir = tmpdir.new()
    local run = {
      name = "made",
      setup = "echo 'id 7 is broken' > list",
      steps = {
        { command = "cat list", takes = { id = "(id (%d+) is broken)" } },
        { command = "echo next {id}", takes = { again = "next (%d)" } },
        { command = "echo {again}" },
      },
    }
    local entries = runs.record(run, dir:at "run")
    assert.same({ "id 7 is broken\n", "next 7\n" }, { entries[1].log, entries[2].log })
    assert.same({ { "id 7 is broken" }, { "7" } }, { entries[1].wanted, entries[2].wanted })
    run.steps[1].takes = { id = "no such (%d+)" }
    assert.error_matches(function()
      runs.record(run, dir:at "run")
    end, "made: step 1 printed nothing like no such")
    dir:remove()
  end)

  it("take of each session only what a later call uses", function()
    for _, run in ipairs(runs.runs) do
      for i, step in ipairs(run.steps) do
        for name in pairs(step.takes or {}) do
          local used = false
          for k = i + 1, #run.steps do
            used = used or run.steps[k].command:find("{" .. name .. "}", 1, true) ~= nil
          end
          assert.is_true(used, run.name .. ": " .. name)
        end
      end
    end
  end)

  it("want of a marked failure the lines that tell something", function()
    local log = "ok\nE  assert 3 == 4\n}\n\27[31mcart.py:12: AssertionError\27[0m\n"
    local sets = tables.sets({ { name = "l", log = log, needles = {}, blocks = { { 2, 4 } } } }, {}, compose, tostring)
    assert.equal("Whole failures: 2 lines that explain one, in 1 logs", sets[1].title)
    assert.same({ "E  assert 3 == 4", "cart.py:12: AssertionError" }, sets[1].entries[1].wanted)
  end)
end)

describe("doc/scores.md #once", function()
  it("has a table of each set, which the command puts in place", function()
    local page = paths.read "doc/scores.md"
    for _, title in ipairs {
      "Root causes",
      "Needles",
      "Whole failures",
      "Amid other output",
      "Inside JSON",
      "As JSON lines",
      "Values used next",
    } do
      assert.matches("\n%*%*" .. title .. ": [^\n]+%*%*\n\n| strategy | 512 B |", page)
    end
    local changed = tables.in_page(page, "**new**\n")
    assert.truthy(changed:find("\n**new**\n\n<!--", 1, true))
    assert.is_nil(changed:find("**Needles", 1, true))
    assert.equal(page:match "<!%-%- to here.*$", changed:match "<!%-%- to here.*$")
  end)

  it("gives the README its figures", function()
    local set = { title = "", entries = { {}, {} }, rows = { { name = "head", 1, 0.2, 0.125, 0.4, 0.5 } } }
    local readme = tables.in_readme("On 9 logs of real\n| the first bytes | 6.8 % | the end |\n", set)
    assert.equal("On 2 logs of real\n| the first bytes | 12.5 % | the end |\n", readme)
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
    assert.is_false(keeps("head/tail 30/70", lines[200]))
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
