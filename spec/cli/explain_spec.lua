--- `abridge explain` and `abridge kind --why`: three questions that a stranger asks, answered by what is printed.

local abridge = require "abridge"
local command = require "support.command"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

describe("abridge explain", function()
  local dir
  local lines = {}
  for i = 1, 2000 do
    lines[i] = ("step %d"):format(i)
  end
  for i = 1500, 1600, 5 do
    lines[i] = "checked 12 files, 0 errors"
  end
  lines[1000] = "lib/a.c:12: error: no disk\27[31m"
  lines[1001] = "   12 | x"
  local log = table.concat(lines, "\n") .. "\n"

  local function fed(text, ...)
    return command.fed(dir, text, "explain", ...)
  end

  local function explained(text, ...)
    local out, err, code = fed(text, ...)
    assert.same({ "", 0 }, { err, code })
    return out
  end

  local function refused(expected, ...)
    local out, err, code = fed("text", ...)
    assert.same({ "", 2 }, { out, code })
    assert.matches("^abridge: [^\n]*" .. expected, err)
  end

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("says that a failure makes a log of what looks written", function()
    local written = {}
    for i = 1, 200 do
      written[i] = ("static int total_%d(int n) { return n + %d; }"):format(i, i)
    end
    written[201] = "cc -Wall -c -o cart.o cart.c"
    written[202] = "cart.c: In function 'total':"
    written[203] = "cart.c:12:5: error: expected ';' before 'return'"
    written[204] = "make: *** [Makefile:4: cart.o] Error 1"
    local out = explained(table.concat(written, "\n") .. "\n", "--max-bytes", "500")
    assert.matches("^kind +log: a failure at line 203, amid what looks written\n", out)
  end)

  it("lists the parts of the output of several commands", function()
    local records, work = {}, {}
    for i = 1, 60 do
      records[i] = ('  {"id": %d, "status": "ok"}'):format(i)
      work[i] = ("[%d/60] compiling module_%d.c"):format(i, i)
    end
    local text = "[\n"
      .. table.concat(records, ",\n")
      .. "\n]\n"
      .. table.concat(work, "\n")
      .. "\nx.c:1:2: error: no\n"
    local out = explained(text, "--max-bytes", "1500")
    assert.matches("^kind +mixed: it has several parts\n1%-62 +part: json\n63%-123 +part: log\n", out)
  end)

  it("says that printed lines make a log of what looks written", function()
    local mixed = {}
    for i = 1, 1500 do
      mixed[i] = ("static int total_%d(int n) { return n + %d; }"):format(i, i)
    end
    for i = 1501, 1750 do
      mixed[i] = ("2026-11-26T10:00:%02dZ INFO [worker-%d] request %d done"):format(i % 60, i % 4, i)
    end
    local out = explained(table.concat(mixed, "\n") .. "\n", "--max-bytes", "500")
    local line = tonumber(out:match "^kind +log: lines printed from line (%d+) on, amid what looks written\n")
    assert.is_true(line and line > 1300 and line < 1700, out)
  end)

  it("says why a text is a log", function()
    local out = explained(log, "--max-bytes", "500")
    assert.matches(
      "^kind +log: of 2000 lines, 2 look printed by a command at work %(such as line 1000, 1001%), 0 look written\n",
      out
    )
    local said = command.fed(dir, log, "kind", "--why")
    assert.matches("^log: of 2000 lines, %d+ look printed", said)
    assert.equal("log\n", (command.fed(dir, log, "kind")))
    local data = json.decode((command.fed(dir, log, "kind", "--why", "--json")))
    assert.same({ "log", "lines", 2000 }, { data.kind, data.why.by, data.why.lines })
  end)

  it("says why a line is kept", function()
    local out = explained(log, "--max-bytes", "500")
    assert.matches("\n%d+%-%d+ +failure 1\n", out)
    assert.matches(
      '\n  1000 +hit: "error" %(words: error%), score %d+%.%d\n +lib/a%.c:12: error: no disk%?%[31m\n',
      out
    )
    assert.matches("\n1%-%d+ +start\n", out)
    assert.matches("\n[%d-]+2000 +end\n", out)
    local said = explained(log, "--max-bytes", "500", "--line", "1001")
    assert.matches("^line 1001 +12 | x\n", said)
    assert.matches("\n +source that a diagnostic quotes\n", said)
    assert.matches("\n +kept: failure 1\n", said)
  end)

  it("says why a line is not kept", function()
    local out = explained(log, "--max-bytes", "500")
    local counts = "no hit, %d+ like the line before, %d+ with a word of trouble with a count of 0"
    assert.matches("\n%d+%-%d+ +left out: %d+ lines, " .. counts .. "\n", out)
    local said = explained(log, "--max-bytes", "500", "--line", "1505")
    assert.matches('\n +no hit: "errors" %(words: errors%) with a count of 0\n', said)
    assert.matches("\n +left out", said)
    said = explained(log, "--max-bytes", "500", "--line", "700")
    assert.matches("^line 700 +step 700\n +it says nothing of trouble\n", said)
  end)

  it("cuts as cap does if no limit is given", function()
    local long = log:rep(40)
    local _, cut = abridge.cap(long, "anything")
    local out = json.decode((explained(long, "--json")))
    assert.equal("auto", out.cut.strategy)
    assert.equal(cut.max_bytes, out.cut.max_bytes)
    assert.is_true(out.cut.truncated)
  end)

  it("gives the same as JSON, and a line alone", function()
    local out = json.decode((explained(log, "--max-bytes", "500", "--json")))
    local own = abridge.explain(log, { max_bytes = 500 })
    assert.equal(#own.ranges, #out.ranges)
    assert.equal(own.cut.output_lines, out.cut.output_lines)
    assert.equal("log", out.kind.name)
    local line = json.decode((explained(log, "--max-bytes", "500", "--json", "--line", "1000"))).line
    assert.same({ true, 1000, "error", 1 }, { line.hit, line.line, line.rule.row, line.failure })
  end)

  it("explains what was cleaned", function()
    local text = ("step\n"):rep(500) .. "x\rerror: no disk\n" .. ("step\n"):rep(500)
    local out = explained(text, "--clean", "--max-bytes", "200", "--kind", "log")
    assert.matches('\n  501 +hit: "error" %(words: error%), score %d+%.%d\n +error: no disk\n', out)
    assert.matches("^kind +log: as the flag says\n", out)
  end)

  it("says so where no line was chosen by itself", function()
    assert.matches("\n1%-2 +all of it fits\n", explained("one\ntwo\n", "--max-bytes", "1MB"))
    assert.matches(
      "\n1%-1995 +left out: 1995 lines, by the ends kept\n1996%-2000 +end\n$",
      explained(log, "--max-lines", "5", "--strategy", "tail")
    )
    local out = explained('{"a":[' .. ("1,"):rep(300) .. "1]}", "--max-bytes", "80")
    assert.matches(
      "^kind +json: one JSON value from the first byte to the last\nkept +1 of 1 lines, %d+ of 301 elements of /a\n",
      out
    )
    assert.matches("\nbyte 1%-%d+ +by the rules of its kind\n", out)
    assert.matches("\nkept +0 of 0 lines[^\n]*\n$", explained("", "--max-bytes", "9"))
  end)

  it("takes a file, and refuses what makes no sense", function()
    dir:write("build.log", log)
    local out, err, code = dir:sh(command.line("explain", "build.log", "--max-bytes", "500"))
    assert.same({ "", 0 }, { err, code })
    assert.equal(explained(log, "--max-bytes", "500"), out)
    refused("explain takes one FILE at most", "a", "b")
    refused("%-%-line", "--line", "0")
    local _, message, failed = fed("a\nb\n", "--line", "3")
    assert.equal(1, failed)
    assert.matches("there is no line 3", message)
  end)

  it("prints no byte that does something on a terminal, and no line that is too long", function()
    local bytes = {}
    for i = 0, 255 do
      bytes[#bytes + 1] = string.char(i)
    end
    local all = table.concat(bytes)
    local hostile = ("step\n"):rep(300)
      .. "error: \27]0;owned\7"
      .. all
      .. ("\226\128\174y"):rep(5000)
      .. "\n"
      .. ("step\n"):rep(300)
    for _, words in ipairs { { "--max-bytes", "900" }, { "--max-bytes", "900", "--line", "301" } } do
      local out = explained(hostile, "--kind", "log", (table.unpack or unpack)(words))
      assert.is_nil(out:find "[%z\1-\9\11-\31\127]")
      assert.is_nil(out:find("\226\128\174", 1, true))
      assert.is_nil(out:gsub("[\194-\244][\128-\191]+", ""):find "[\128-\255]")
      for line in out:gmatch "[^\n]+" do
        assert.is_true(#line <= 400)
      end
    end
  end)

  it("has colours where they are asked for, and none for a pipe", function()
    assert.is_nil(explained(log, "--max-bytes", "500"):find("\27", 1, true))
    assert.matches("\27%[31m  1000 ", explained(log, "--max-bytes", "500", "--color", "always"))
  end)
end)
