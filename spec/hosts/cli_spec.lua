local abridge = require "abridge"
local command = require "support.command"
local contains = require "support.contains"
local host = require "abridge.base.host"
local merge = require "support.merge"
local process = require "abridge.process"
local create = require("abridge.run.writer").create
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local json = host.json()
local q = tmpdir.quote
local dir
local root = tmpdir.root()

local COMMAND = q(root .. "/build/bin/abridge")
local CLEAN = "env -u LUA_PATH -u LUA_CPATH -u LUA_INIT "

describe("the command #once", function()
  local program

  ---Runs the program with these words, in the spec's folder: stdout, stderr, exit code.
  local function run(...)
    return dir:sh(command.line(...))
  end

  ---The same with a text on stdin.
  local function fed(text, ...)
    return command.fed(dir, text, ...)
  end

  local function as_json_of(text, ...)
    return json.decode((fed(text, ...)))
  end

  local function as_json(...)
    local out, err, code = run(...)
    assert.equal("", err)
    return json.decode(out), code
  end

  ---Checks that the words are refused in one line that has these parts, with exit code 2.
  local function refused(all, ...)
    local out, err, code = fed("text\n", (table.unpack or unpack)(all))
    assert.equal(2, code, table.concat(all, " "))
    assert.equal("", out)
    assert.matches("^abridge: [^\n]+\n$", err)
    contains(err, ...)
  end

  setup(function()
    dir = tmpdir.new()
    program = command.program()
  end)

  teardown(function()
    dir:remove()
  end)

  before_each(function()
    dir:write("abc", "a\nb\nc\nd\ne\n")
    dir:write("digits", ("0123456789"):rep(1000) .. "\n")
  end)

  describe("by itself", function()
    it("tells its version", function()
      local out, err, code = run "--version"
      assert.equal("abridge " .. abridge.version .. "\n", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("without a command tells how it is used, as an error", function()
      local out, err, code = dir:sh(program)
      assert.equal("", out)
      assert.matches("abridge run", err)
      assert.equal(2, code)
    end)

    it("refuses another command", function()
      refused({ "runn" }, "runn")
      refused({ "--verbose" }, "--verbose")
      refused({ "" }, "unknown command")
    end)

    it("says in a line that moves no cursor what is wrong", function()
      local hostile = "a\27[2Jb\nc\155d"
      for _, all in ipairs {
        { hostile },
        { "cut", "--" .. hostile },
        { "cut", "--max-lines", hostile },
        { "cut", "--strategy", "head", "--max-lines", "1", hostile },
        { "tokens", hostile },
        { "log", hostile },
        { "run", "--run-dir", "abc/" .. hostile, "--", "true" },
      } do
        local _, err, code = run((table.unpack or unpack)(all))
        assert.is_true(code == 1 or code == 2)
        assert.matches("^abridge: [^%c]+\n$", err)
      end
    end)

    it("refuses a value for a flag that takes none", function()
      refused({ "run", "--json=yes", "--", "true" }, "--json", "takes no value", "yes")
    end)

    it("finds its modules from any folder, through a symlink too", function()
      dir:sh("ln -sf " .. COMMAND .. " link")
      assert.equal("abridge " .. abridge.version .. "\n", (dir:sh("cd / && " .. CLEAN .. COMMAND .. " --version")))
      local out, err, code = dir:sh(CLEAN .. "./link read abc --limit 1")
      assert.equal("", err)
      assert.equal("a\n\n[4 more lines in file. Use offset=2 to continue]", out)
      assert.equal(0, code)
    end)
  end)

  describe("tokens", function()
    it("prints the estimate of a file or of stdin", function()
      local text = "int main(void) { return 0; }\n"
      local said = ("%d\n"):format(abridge.estimate_tokens(text))
      dir:write("main.c", text)
      for _, words_of in ipairs { { "main.c" }, { "--", "main.c" }, { "-" }, {} } do
        local out, err, code = fed(text, "tokens", (table.unpack or unpack)(words_of))
        assert.equal("", err)
        assert.equal(said, out)
        assert.equal(0, code)
      end
      assert.equal("0\n", (fed("", "tokens")))
    end)

    it("tells tokens and bytes with --json", function()
      dir:write("three", "abc")
      assert.same({ tokens = 1, bytes = 3 }, (as_json("tokens", "three", "--json")))
    end)

    it("fails where a file cannot be read", function()
      for _, path in ipairs { "not-there", "." } do
        local out, err, code = run("tokens", path)
        assert.equal("", out)
        assert.matches("^abridge: [^\n]+\n$", err)
        assert.equal(1, code)
      end
    end)

    it("refuses two files and the flags of limits", function()
      refused({ "tokens", "a", "b" }, "one FILE", "2")
      refused({ "tokens", "--max-bytes", "3" }, "--max-bytes")
      refused({ "tokens", "--profile", "pi" }, "--profile")
    end)
  end)

  describe("kind", function()
    local KINDS = {
      text = "A sentence of prose, and then another one.\nThey go on for a while, as sentences do.\n",
      json = '{"items": [1, 2, 3]}\n',
      json_lines = ('{"level": "info", "n": 1}\n'):rep(20),
      table = "name,age\n" .. ("ann,3\n"):rep(20),
      binary = "\127ELF\2\1\1\0\0\0\0",
      diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
      log = ("[12:00:01] step done\n[12:00:02] ERROR: no\n"):rep(20),
    }

    it("tells what stdin or a file is", function()
      for kind, text in pairs(KINDS) do
        assert.equal(kind, abridge.kind(text))
        assert.same({ kind .. "\n", "", 0 }, { fed(text, "kind") })
        dir:write("a file", text)
        assert.equal(kind .. "\n", (run("kind", "a file")))
      end
      assert.equal("json\n", (fed(KINDS.json, "kind", "-")))
      assert.same({ kind = "json" }, as_json_of(KINDS.json, "kind", "--json"))
      assert.equal(abridge.kind "" .. "\n", (fed("", "kind")))
      dir:write("empty", "")
      assert.equal(abridge.kind "" .. "\n", (run("kind", "empty")))
    end)

    it("looks at the start alone, and knows that more follows", function()
      local long = "[" .. ("1,\n"):rep(200000) .. "1]"
      assert.equal("json\n", (fed(long, "kind")))
      assert.equal("json\n", (fed(long .. "}", "kind"))) -- that far it does not look
      assert.equal("json\n", (dir:sh("{ printf '['; yes 1, 2>&-; } | " .. program .. " kind")))
    end)

    it("refuses two files, the flags of limits, and what cannot be read", function()
      refused({ "kind", "a", "b" }, "one FILE", "2")
      refused({ "kind", "--max-bytes", "3" }, "--max-bytes")
      refused({ "kind", "--kind", "log" }, "--kind")
      local out, err, code = run("kind", "no/such")
      assert.same({ "", 1 }, { out, code })
      assert.matches("^abridge: no/such: No such file or directory\n$", err)
      assert.equal(1, (select(3, run("kind", "."))))
    end)
  end)

  describe("cut", function()
    it("cuts stdin with each strategy", function()
      local text = "1\n2\n3\n4\n5\n6\n"
      assert.equal("1\n2", (fed(text, "cut", "--strategy", "head", "--max-lines", "2")))
      assert.equal("5\n6\n", (fed(text, "cut", "--strategy", "tail", "--max-lines", "2")))
      assert.equal(
        "1\n2\n... [2 lines, 5 bytes omitted] ...\n5\n6\n",
        (fed(text, "cut", "--strategy", "head_tail", "--max-lines", "4", "--head-ratio", "0.5"))
      )
      local content = abridge.pipeline(text, { max_lines = 4 })
      assert.equal(content, (fed(text, "cut", "--strategy", "pipeline", "--max-lines", "4")))
    end)

    it("gives what fits as it is, with exit code 0", function()
      local bytes = {}
      for i = 0, 255 do
        bytes[#bytes + 1] = string.char(i)
      end
      local text = table.concat(bytes):rep(5)
      local out, err, code = fed(text, "cut", "--strategy", "tail", "--max-bytes", "1MB")
      assert.equal(text, out)
      assert.equal("", err)
      assert.equal(0, code)
      assert.equal("", (fed("", "cut", "--strategy", "head", "--max-lines", "1")))
    end)

    it("passes each flag on", function()
      local text = ("word \195\169\255 line\n"):rep(300)
      local cases = {
        { { "--max-bytes", "1KB" }, { max_bytes = 1024 } },
        { { "--max-bytes=100" }, { max_bytes = 100 } },
        { { "--max-bytes", "1.5kb" }, { max_bytes = 1536 } },
        { { "--max-chars", "100" }, { max_chars = 100 } },
        { { "--max-tokens", "50" }, { max_tokens = 50 } },
        { { "--max-lines", "7", "--max-chars", "9999" }, { max_lines = 7, max_chars = 9999 } },
        { { "--max-bytes", "300", "--head-ratio", "0.8" }, { max_bytes = 300, head_ratio = 0.8 } },
        { { "--max-bytes", "300", "--snap", "char" }, { max_bytes = 300, snap = "char" } },
        { { "--max-bytes", "300", "--marker", "none" }, { max_bytes = 300, marker = "none" } },
        { { "--max-bytes", "300", "--marker", "outside" }, { max_bytes = 300, marker = "outside" } },
        { { "--max-bytes", "300", "--marker-text", "<{lines}>" }, { max_bytes = 300, marker_text = "<{lines}>" } },
        { { "--max-bytes", "300", "--utf8", "replace" }, { max_bytes = 300, utf8 = "replace" } },
      }
      for _, case in ipairs(cases) do
        local out, err = fed(text, "cut", "--strategy", "head_tail", (table.unpack or unpack)(case[1]))
        assert.equal("", err)
        assert.equal((abridge.head_tail(text, case[2])), out)
      end
      local long = ("x"):rep(500)
      local out = fed(long, "cut", "--strategy", "head", "--max-bytes", "100", "--long-line", "split")
      assert.equal(("x"):rep(100), out)
      assert.equal("", (fed(long, "cut", "--strategy", "head", "--max-bytes", "100", "--long-line", "omit")))
      out = fed(text, "cut", "--strategy", "pipeline", "--max-lines", "10", "--indicators")
      assert.equal((abridge.pipeline(text, { max_lines = 10, indicators = true })), out)
    end)

    it("takes pipeline in place of a profile's strategy, without the budgets that it does not know", function()
      local text = ("a line\n"):rep(5000)
      local expected = abridge.pipeline(text, { max_lines = 10 })
      assert.equal(expected, (fed(text, "cut", "--strategy", "pipeline", "--max-lines", "10", "--profile", "default")))
      local shown = fed(text, "cap", "tool", "--no-save", "--strategy", "pipeline", "--max-lines", "10")
      assert.equal(expected, shown:sub(1, #expected))
    end)

    it("never gives more than --max-bytes", function()
      local text = ("some words \195\169 on a line\n"):rep(100) .. ("y"):rep(5000)
      for _, strategy in ipairs { "head", "tail", "head_tail" } do
        for _, budget in ipairs { 0, 1, 7, 50, 100, 333, 1000 } do
          local out, err, code = fed(text, "cut", "--strategy", strategy, "--max-bytes", tostring(budget))
          assert.is_true(#out <= budget)
          assert.equal("", err)
          assert.equal(0, code)
        end
      end
    end)

    it("takes the limits of a profile, flags over them", function()
      local text = ("line\n"):rep(3000)
      local row = abridge.profiles.default["*"]
      assert.equal((abridge.cut(text, row)), (fed(text, "cut", "--profile", "default")))
      local out = fed(text, "cut", "--profile", "default", "--strategy", "tail", "--max-lines", "2")
      assert.equal("line\nline\n", out)
      for _, profile in ipairs { "pi", "pipeline", "contract", "dispatcher" } do
        local _, err, code = fed(text, "cut", "--profile", profile)
        assert.equal("", err, profile)
        assert.equal(0, code, profile)
      end
    end)

    it("says that a command does not get stdin, where something came", function()
      local out, err, code = fed("text\n", "run", "--no-save", "--", "cat; echo done")
      assert.equal("done\n", out)
      assert.equal(0, code)
      assert.matches("^abridge: stdin was not read: [^\n]+\n$", err)
      dir:write("stdin", "text\n")
      local piped = "cat stdin | " .. program .. " run --no-save -- 'sleep 0.2; echo done'"
      assert.matches("^abridge: stdin was not read: [^\n]+\n$", (select(2, dir:sh(piped))))
      local left = dir:sh("{ " .. program .. " run --no-save -- true 2>/dev/null; cat; } <stdin")
      assert.equal("text\n", (left:gsub("^%(no output%)", ""))) -- it is left to others
      for _, nothing in ipairs { "</dev/null", "<&-", "</dev/zero" } do
        assert.equal("", (select(2, dir:sh(program .. " run --no-save -- echo done " .. nothing))))
      end
      assert.equal("", (select(2, dir:sh(": | " .. program .. " run --no-save -- echo done"))))
    end)

    it("cuts a text as what it is where no strategy is given", function()
      local source = ("local function f(x) return x + 1 end\n"):rep(300)
      assert.equal((abridge.auto(source, { max_lines = 7 })), (fed(source, "cut", "--max-lines", "7")))
      assert.equal((abridge.auto(source, { max_bytes = 199 })), (fed(source, "cut", "--max-bytes", "199")))
      assert.equal("Binary output (PNG, 13B)", (fed("\137PNG\r\n\26\n\0\0\0\rI", "cut", "--max-bytes", "199")))
      local out = fed(source, "cut", "--strategy", "auto", "--head-ratio", "1", "--max-lines", "2")
      assert.equal((abridge.auto(source, { head_ratio = 1, max_lines = 2 })), out)
    end)

    it("makes JSON of JSON, and tells of its items", function()
      local records = {}
      for i = 1, 300 do
        records[i] = ('{"id": %d, "name": "record", "status": "%s"}'):format(i, i == 170 and "failed" or "ok")
      end
      local text = '{"records": [\n' .. table.concat(records, ",\n") .. "\n]}\n"
      for _, budget in ipairs { "500", "1KB", "4KB" } do
        local out, err, code = fed(text, "cut", "--max-bytes", budget)
        assert.same({ "", 0 }, { err, code })
        assert.is_table(json.decode(out).records)
        assert.truthy(out:find("failed", 1, true))
      end
      local result = as_json_of(text, "cut", "--max-bytes", "1KB", "--json")
      assert.is_table(json.decode(result.content))
      local item = result.details.cut.items[1]
      assert.same({ "elements", "/records", 300 }, { item.unit, item.of, item.total })
    end)

    it("cuts it as the kind that is named", function()
      local text = ("compiling a.c\n"):rep(100) .. "a.c:3: error: no\n" .. ("compiling b.c\n"):rep(100)
      for _, kind in ipairs { "log", "text", "json", "binary" } do
        local opts = { kind = kind, max_bytes = 300 }
        assert.equal((abridge.auto(text, opts)), (fed(text, "cut", "--kind", kind, "--max-bytes", "300")), kind)
      end
      dir:write("stdin", text)
      local cut = as_json_of(text, "cut", "--kind", "text", "--json", "--max-bytes", "300").details.cut
      assert.same({ "auto", "text" }, { cut.strategy, cut.kind })
      refused({ "cut", "--kind", "yaml", "--max-lines", "5" }, "--kind", "json_lines", "yaml")
      refused({ "cut", "--kind", "log", "--strategy", "tail", "--max-lines", "5" }, "kind", "tail")
    end)

    it("has the ceiling of a profile that has no other row for it", function()
      local lines = {}
      for i = 1, 50000 do
        lines[i] = i
      end
      local text = table.concat(lines, "\n") .. "\n"
      local session = abridge.session { profile = "dispatcher", run_dir = false, tools = {} }
      local shown = session:cap("t", text).content
      session:close()
      local out = fed(text, "cut", "--profile", "dispatcher")
      assert.equal(shown, out)
      assert.matches("\n%.%.%. %[157874 bytes truncated; head %+ tail kept%] %.%.%.\n", out)
      assert.equal(128 * 1024, #out)
      out = fed(text, "cut", "--profile", "dispatcher", "--strategy", "tail", "--max-bytes", "12")
      assert.equal("49999\n50000\n", out)
    end)

    it("keeps its full output where it is told, or not at all", function()
      local path = dir:at "cli-run"
      local out = run("run", "--run-dir", path, "--strategy", "tail", "--max-lines", "1", "--", "seq", "3")
      assert.equal("3\n\n[Showing lines 3-3 of 3. Full output: " .. path .. "/artifacts/0001-run_command.log]", out)
      out = run("log", path, "call-1")
      assert.equal("1\n2\n3\n", out)
      out = run("run", "--no-save", "--strategy", "tail", "--max-lines", "1", "--", "seq", "3")
      assert.equal("3\n\n[Showing lines 3-3 of 3]", out)
    end)

    it("gives content, block and details with --json", function()
      local out, err, code = fed("1\n2\n3\n", "cut", "--strategy", "tail", "--max-lines", "1", "--json")
      assert.equal("", err)
      assert.equal(0, code)
      assert.matches("^{[^\n]*}\n$", out)
      local said = json.decode(out)
      assert.equal("3\n", said.content)
      assert.same({ truncated = true, bytes_returned = 2, bytes_total = 6, reason = "line_cap" }, said.truncation)
      assert.equal(3, said.details.cut.total_lines)
      assert.equal(1, said.details.cut.output_lines)
      abridge.assert_conforms("cut", { truncation = said.truncation })

      said = json.decode((fed("x", "cut", "--strategy", "head", "--max-bytes", "0", "--json")))
      assert.equal("", said.content)
      assert.is_true(said.truncation.truncated)
    end)

    it("refuses bad flags in one line that names flag and value, with exit code 2", function()
      refused({ "cut" }, "limit", "--max-lines")
      refused({ "cut", "--strategy", "tail" }, "--max-lines")
      refused({ "cut", "--strategy", "middle", "--max-lines", "5" }, "--strategy", "middle")
      refused({ "cut", "--strategy" }, "--strategy", "value")
      refused({ "cut", "--strategy", "tail", "--max-lines" }, "--max-lines", "value")
      refused({ "cut", "--strategy", "tail", "--max-lines", "many" }, "--max-lines", "many")
      refused({ "cut", "--strategy", "tail", "--max-lines", "-1" }, "--max-lines", "-1")
      refused({ "cut", "--strategy", "tail", "--max-lines", "1.5" }, "--max-lines", "1.5")
      local huge = "99999999999999999999"
      refused({ "cut", "--strategy", "tail", "--max-lines", huge }, "--max-lines", huge)
      refused({ "cut", "--strategy", "tail", "--max-bytes", "30XB" }, "--max-bytes", "30XB")
      refused({ "cut", "--strategy", "tail", "--max-bytes=" }, "--max-bytes")
      refused({ "cut", "--strategy", "tail", "--max-chars", "1e3" }, "--max-chars", "1e3")
      refused({ "cut", "--strategy", "head_tail", "--max-lines", "5", "--head-ratio", "2" }, "--head-ratio", "2")
      refused({ "cut", "--strategy", "head_tail", "--max-lines", "5", "--head-ratio", "nan" }, "--head-ratio", "nan")
      refused({ "cut", "--strategy", "head_tail", "--max-lines", "5", "--snap", "word" }, "--snap", "word")
      refused({ "cut", "--strategy", "head_tail", "--max-lines", "5", "--marker", "no" }, "--marker", "no")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--long-line", "x" }, "--long-line", "x")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--utf8", "x" }, "--utf8", "x")
      refused({ "cut", "--profile", "nope" }, "--profile", "nope")
      refused({ "cut", "--max-line", "5" }, "--max-line")
      refused({ "cut", "--json=yes", "--strategy", "tail", "--max-lines", "5" }, "--json")
      refused({ "cut", "-n", "5" }, "-n")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--offset", "3" }, "--offset")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "file" }, "file")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--bad\nflag" }, "--bad flag")
    end)

    it("refuses flags that do not go with the strategy, naming the flag", function()
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--marker", "none" }, "marker")
      refused({ "cut", "--strategy", "tail", "--max-lines", "5", "--indicators" }, 'indicators is for "pipeline" alone')
      refused({ "run", "--indicators", "--", "true" }, 'indicators is for "pipeline" alone')
      refused({ "cap", "tool", "--no-save", "--run-dir", "run" }, "--no-save keeps nothing, and takes no --run-dir")
      refused({ "cut", "--strategy", "pipeline", "--max-lines", "5", "--max-bytes", "5" }, "max")
    end)
  end)

  describe("clean", function()
    it("turns stdin into what a terminal would show", function()
      local noise = "10%\r20%\27[1m!\27[m\r\n\0done\255"
      assert.same({ "20%!\ndone\239\191\189", "", 0 }, { fed(noise, "clean") })
      assert.equal(("a line\n"):rep(100000), (fed(("a line\r\n"):rep(100000), "clean")))
    end)

    it("gives content and stats with --json", function()
      local said = json.decode((fed("a\rb", "clean", "--json")))
      assert.equal("b", said.content)
      assert.equal(1, said.stats.carriage_return)
      assert.equal(3, said.stats.raw_bytes)
    end)

    it("goes before a cut, and before or not before what run shows", function()
      local noise = "1%\r2%\n\27[mx\n"
      assert.equal("x\n", (fed(noise, "cut", "--clean", "--strategy", "tail", "--max-lines", "1")))
      dir:write("noise", noise)
      assert.equal("2%\nx\n", (run("run", "--no-save", "--", "cat", "noise")))
      assert.equal(noise, (run("run", "--no-save", "--no-clean", "--", "cat", "noise")))
      assert.equal("2%\nx\n", (run("run", "--no-save", "--profile", "pi", "--clean", "--", "cat", "noise")))
    end)

    it("refuses words and limits", function()
      refused({ "clean", "noise" }, 'takes no words, got "noise"')
      refused({ "clean", "--max-lines", "1" }, "unknown flag --max-lines for clean")
      refused({ "read", "--clean", "abc" }, "unknown flag --clean for read")
    end)
  end)

  describe("read", function()
    it("shows a file", function()
      local out, err, code = run("read", "abc")
      assert.equal("a\nb\nc\nd\ne\n", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("shows the page asked for", function()
      local page = "b\nc\n\n[2 more lines in file. Use offset=4 to continue]"
      assert.equal(page, (run("read", "abc", "--offset", "2", "--limit", "2")))
      assert.equal("d\ne\n", (run("read", "--offset=4", "abc")))
      assert.equal("9\n", (run("read", "digits", "--column", "10000")))
      local out = run("read", "abc", "--max-lines", "2")
      assert.equal("a\nb\n\n[Showing lines 1-2 of 5. Use offset=3 to continue]", out)
      out = run("read", "digits", "--max-bytes", "1KB")
      -- the session has no shell tool to point to
      local said = "%[Showing chars 1%-%d+ of line 1 %(1KB limit%)%. Use offset=1 column=%d+ to continue%]$"
      assert.matches("^[0-9]+\n\n" .. said, out)
      assert.is_true(#out <= 1024)
    end)

    it("takes the limits of a profile, flags over them", function()
      dir:write("many", ("x\n"):rep(3000))
      assert.matches("Showing lines 1%-2000 of 3000", (run("read", "many", "--profile", "pi")))
      assert.matches("%[2500 lines truncated%]", (run("read", "many", "--profile", "pipeline")))
      assert.matches("Showing lines 1%-7 of 3000", (run("read", "many", "--profile", "pi", "--max-lines", "7")))
    end)

    it("takes a file whose name starts with a dash after --", function()
      dir:write("-x", "dash\n")
      assert.equal("dash\n", (run("read", "--", "-x")))
      refused({ "read", "-x" }, "-x")
    end)

    it("gives content, block and details with --json", function()
      local said, code = as_json("read", "abc", "--limit", "2", "--json")
      assert.equal(0, code)
      assert.equal("a\nb\n\n[3 more lines in file. Use offset=3 to continue]", said.content)
      assert.equal(3, said.truncation.next_offset)
      assert.equal("call read_file with offset=3", said.truncation.resume_hint)
      assert.equal("line_cap", said.truncation.reason)
      assert.equal(5, said.details.cut.total_lines)
    end)

    it("ends with 1 where the file cannot be read", function()
      local out, _, code = run("read", "missing")
      assert.matches("No such file or directory: missing", out)
      assert.equal(1, code)
      out, _, code = run("read", "abc", "--offset", "100")
      assert.matches("Offset 100 is beyond end of file %(5 lines total%)", out)
      assert.equal(1, code)
      _, _, code = run("read", ".")
      assert.equal(1, code)
      local said
      said, code = as_json("read", "missing", "--json")
      assert.equal(1, code)
      assert.is_false(said.truncation.truncated)
    end)

    it("refuses bad flags in one line, with exit code 2", function()
      refused({ "read" }, "FILE")
      refused({ "read", "a", "b" }, "FILE", "2")
      refused({ "read", "abc", "--offset", "0" }, "--offset", "0")
      refused({ "read", "abc", "--offset", "x" }, "--offset", "x")
      refused({ "read", "abc", "--limit", "-1" }, "--limit", "-1")
      refused({ "read", "abc", "--limit" }, "--limit", "value")
      refused({ "read", "abc", "--column", "1.5" }, "--column", "1.5")
      refused({ "read", "abc", "--timeout", "5" }, "--timeout")
      refused({ "read", "abc", "--marker", "none" }, "marker")
      refused({ "read", "abc", "--strategy", "priority" }, "abridge: strategy must be head, tail", "priority")
    end)
  end)

  describe("run", function()
    --- The output with PATH for a full output in the user's state directory, which has to be there.
    local function with_path(text)
      return (
        text:gsub("Full output: (/[^%]]*/abridge/runs/[^/]+/artifacts/0001%-run_command%.log)", function(path)
          assert(io.open(path)):close()
          return "Full output: PATH"
        end)
      )
    end

    it("shows what a model would see", function()
      local out, err, code = run("run", "--", "seq", "3")
      assert.equal("1\n2\n3\n", out)
      assert.equal("", err)
      assert.equal(0, code)
      out = run("run", "--strategy", "tail", "--max-lines", "2", "--", "seq", "10")
      assert.equal("9\n10\n\n[Showing lines 9-10 of 10. Full output: PATH]", with_path(out))
      out = run("run", "--strategy", "head", "--max-lines", "2", "--", "seq", "10")
      assert.equal("1\n2\n\n[Showing lines 1-2 of 10. Full output: PATH]", with_path(out))
      out = with_path((run("run", "--profile", "pi", "--", "seq", "100000")))
      assert.matches("^98001\n.*\n100000\n\n%[Showing lines 98001%-100000 of 100000%. Full output: PATH%]$", out)
    end)

    it("keeps words apart", function()
      assert.equal("a b\nit's\n$x\n*\n\n;\n", (run("run", "--", "printf", "%s\\n", "a b", "it's", "$x", "*", "", ";")))
      assert.equal("-n --json\n", (run("run", "--", "printf", "%s %s\\n", "-n", "--json")))
    end)

    it("takes one word for a shell command", function()
      assert.equal("a\nb\n", (run("run", "--", "echo a; echo b")))
    end)

    it("leaves the command's own flags alone, without -- too", function()
      assert.equal("1,2,3", (run("run", "seq", "-s", ",", "3"):gsub("%s+$", "")))
      assert.equal("--json\n", (run("run", "--max-lines", "5", "printf", "%s\\n", "--json")))
      assert.equal("<a><--><b>", (run("run", "printf", "<%s>", "a", "--", "b")))
      assert.equal("<a><--><b>", (run("run", "--", "printf", "<%s>", "a", "--", "b")))
    end)

    it("ends as the command did", function()
      local out, err, code = run("run", "--", "echo out; exit 3")
      assert.equal("out\n\nCommand exited with code 3", out)
      assert.equal("", err)
      assert.equal(3, code)
      assert.equal(127, select(3, run("run", "--", "no-such-command-here", "x")))
      assert.equal(255, select(3, run("run", "--", "exit 255")))
      out, err, code = run("run", "--", "kill -9 $$")
      assert.equal("", err)
      assert.matches("Command killed by signal KILL$", out)
      assert.equal(137, code)
      assert.equal(143, select(3, run("run", "--", "kill -TERM $$")))
    end)

    it("ends with 124 after the timeout", function()
      local out, _, code = run("run", "--timeout", "0.2", "--", "echo so far; exec sleep 60")
      assert.equal("so far\n\nCommand timed out after 0.2 seconds", out)
      assert.equal(124, code)
    end)

    it("runs in the folder asked for", function()
      assert.equal("/\n", (run("run", "--cwd", "/", "--", "pwd")))
      local out, _, code = run("run", "--cwd", "/nowhere", "--", "pwd")
      assert.matches("/nowhere", out)
      assert.equal(1, code)
    end)

    it("gives content, block and details with --json", function()
      local said, code = as_json("run", "--json", "--strategy", "tail", "--max-lines", "1", "--", "seq 5; exit 4")
      assert.equal(4, code)
      assert.equal(
        "5\n\nCommand exited with code 4\n\n[Showing lines 5-5 of 5. Full output: PATH]",
        with_path(said.content)
      )
      assert.same({ truncated = true, bytes_returned = 2, bytes_total = 10, reason = "line_cap" }, said.truncation)
      assert.equal(4, said.details.exit_code)
      assert.equal(5, said.details.cut.total_lines)
      said = as_json("run", "--json", "--", "printf 'odd bytes: \\377'")
      assert.equal("odd bytes: \239\191\189", said.content)
    end)

    it("never gives more than --max-bytes", function()
      for _, budget in ipairs { 0, 10, 100, 300 } do
        local out = run("run", "--max-bytes", tostring(budget), "--", "seq 10000; exit 1")
        assert.is_true(#out <= budget)
      end
    end)

    it("refuses bad flags in one line, with exit code 2", function()
      refused({ "run" }, "CMD")
      refused({ "run", "--" }, "CMD")
      refused({ "run", "--timeout", "0", "--", "true" }, "--timeout", "0")
      refused({ "run", "--timeout", "soon", "--", "true" }, "--timeout", "soon")
      refused({ "run", "--timeout", "inf", "--", "true" }, "--timeout", "inf")
      refused({ "run", "--timeout" }, "--timeout", "value")
      refused({ "run", "--max-byte", "5", "--", "true" }, "--max-byte")
      refused({ "run", "--offset", "5", "--", "true" }, "--offset")
    end)
  end)

  describe("log", function()
    local writer

    local function ended(number, tool, more)
      local event = { type = "tool_result", call_id = "call-" .. number, tool = tool, content = "shown" }
      event.truncation = { truncated = false, bytes_returned = 5, reason = "size_cap" }
      event.bytes_in, event.bytes_shown, event.duration_ms = 5, 5, 12
      merge(event, more)
      assert(writer:event(event))
    end

    local function began(number, tool)
      assert(writer:event { type = "tool_call", call_id = "call-" .. number, tool = tool, input = {} })
    end

    before_each(function()
      writer = assert(create("spec", dir:at "run"))
      began(1, "run_command")
      began(2, "read_file")
      ended(2, "read_file")
      local path = writer:artifact_dir() .. "/0001-run_command.log"
      local file = assert(io.open(path, "w"))
      file:write(seq(1, 3000, "line %d"))
      file:close()
      ended(1, "run_command", {
        truncation = { truncated = true, bytes_returned = 5, bytes_total = 28893, reason = "line_cap" },
        full_output = { path = "artifacts/0001-run_command.log", bytes = 28893 },
        bytes_in = 28893,
        duration_ms = 1540,
      })
      began(3, "github__search")
    end)

    after_each(function()
      writer:close()
      dir:sh "rm -rf run"
    end)

    --- Start the program on the run; `on_text(text so far, started)` is called as it prints.
    local function start(rest, on_text)
      local started = { text = "" }
      local line = "exec " .. program .. " log " .. q(dir:at "run") .. " " .. rest
      started.process = assert(process.spawn({ "sh", "-c", line }, { timeout = 30 }, {
        on_output = function(chunk)
          started.text = started.text .. chunk
          on_text(started.text, started)
        end,
        on_exit = function(outcome)
          started.outcome = outcome
        end,
      }))
      host.wait(function()
        return started.outcome ~= nil
      end)
      assert.is_nil(started.outcome.handler_error) -- what a check in on_text raised
      assert.is_nil(started.outcome.error)
      assert.is_false(started.outcome.timed_out)
      return started
    end

    it("lists the calls in the order they were made, aligned", function()
      local out, err, code = run("log", "run")
      assert.equal(
        table.concat({
          "CALL     TOOL                  IN     SHOWN  REASON          TIME  KEPT",
          "call-1   run_command       28.2KB        5B  line_cap        1.5s",
          "call-2   read_file             5B        5B  -               12ms",
          "call-3   github__search         -         -  -                  -",
          "",
        }, "\n"),
        out
      )
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("lists names that a model made up, aligned and harmless", function()
      began(4, "\27[2J\n\194\155A\0")
      ended(5, "\228\184\173\230\150\135")
      ended(6, ("long"):rep(6))
      local lines = {}
      for line in run("log", "run"):gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
      end
      assert.equal(7, #lines)
      assert.equal("call-4   ?[2J??A?" .. (" "):rep(25) .. "-         -  -                  -", lines[5])
      local wide = "\228\184\173\230\150\135" -- two chars, four cells
      assert.equal("call-5   " .. wide .. (" "):rep(28) .. "5B        5B  -               12ms", lines[6])
      assert.equal("call-6   longlonglonglonglonglong        5B        5B  -               12ms", lines[7])
    end)

    it("says what is left of an output that was cut, in its own unit", function()
      local cut = { kind = "json", truncated = true, total_lines = 1, output_lines = 1 }
      cut.total_bytes, cut.output_bytes = 90, 20
      cut.items = { { unit = "elements", of = "/items\27[2J", total = 276, kept = 164 } }
      cut.kept = {}
      for i = 1, 4 do
        cut.kept[i] = { first_byte = 10 * i, last_byte = 10 * i + 4, first_line = 1, last_line = 1 }
      end
      ended(4, "run_command", { cut = cut })
      cut = select(2, abridge.auto("\127ELF\2\1\1\0\0\0\0", { max_bytes = 100 }))
      cut.kept = nil -- JSON has no empty list
      ended(5, "run_command", { cut = cut })
      local out = run("log", "run")
      assert.matches("\ncall%-4 .*12ms  json: 164 of 276 elements of /items%?%[2J, 5 gaps\n", out)
      assert.matches("\ncall%-5 .*12ms  binary: 0B of 11B\n", out)
    end)

    it("gives the events as they are with --json", function()
      local out, err, code = run("log", "run", "--json")
      assert.equal(dir:read "run/events.jsonl", out)
      assert.equal("", err)
      assert.equal(0, code)
    end)

    it("says how many lines are no events", function()
      writer:close()
      dir:sh "echo broken >> run/events.jsonl; printf torn >> run/events.jsonl"
      local out, err, code = run("log", "run")
      assert.matches("\ncall%-3 ", out)
      assert.equal("abridge: 1 broken line left out\n", err)
      assert.equal(0, code)
      dir:sh "echo broken too >> run/events.jsonl"
      for _, view in ipairs { "--json", "--stats" } do
        assert.equal("abridge: 2 broken lines left out\n", (select(2, run("log", "run", view))))
      end
    end)

    it("pages a full output; the pages in a row are the text", function()
      local out, err, code = run("log", "run", "call-1")
      assert.matches("^line 1\n.*\nline 2000\n$", out)
      assert.equal("abridge: lines 1-2000 of 3000, go on with --offset 2001\n", err)
      assert.equal(0, code)
      local rest
      rest, err = run("log", "run", "call-1", "--offset", "2001")
      assert.equal("", err)
      assert.equal(dir:read "run/artifacts/0001-run_command.log", out .. rest)
      assert.equal("line 7\nline 8\n", (run("log", "run", "call-1", "--offset=7", "--limit", "2")))
      assert.equal("ne 7\n", (run("log", "run", "call-1", "--offset=7", "--limit=1", "--column", "3")))
      assert.equal("shown", (run("log", "run", "call-2")))
    end)

    it("pages lines over the budget by chars", function()
      local text = ("\226\130\172"):rep(15000) .. "\nend\n"
      ended(4, "t", { content = text })
      local out, err = run("log", "run", "call-4")
      assert.equal("abridge: lines 1-1 of 2, go on with --offset 1 --column 10241\n", err)
      local rest
      rest, err = run("log", "run", "call-4", "--offset", "1", "--column", "10241")
      assert.equal("", err)
      assert.equal(text, out .. rest)
    end)

    it("says what is missing of a full output", function()
      ended(4, "t", { truncation = { truncated = true, bytes_returned = 5, reason = "size_cap" } })
      local out, err, code = run("log", "run", "call-4")
      assert.equal("shown", out)
      assert.equal("abridge: not the whole output: the full output was not kept\n", err)
      assert.equal(0, code)
    end)

    it("gives a page and where it lies with --json", function()
      local said, code = as_json("log", "run", "call-1", "--json", "--limit", "1")
      assert.equal(0, code)
      assert.equal("line 1", said.content)
      assert.same(
        { first_line = 1, last_line = 1, next_offset = 2, total_lines = 3000, total_bytes = 28893 },
        said.page
      )
    end)

    it("follows calls as they end, until it is interrupted", function()
      for _, signal in ipairs { "sigint", "sigterm" } do
        local wrote, signalled
        local all = start("--follow", function(text, started)
          if not wrote and text:find "call%-1 .*\n" then
            wrote = true
            ended(3, "github__search")
          elseif not signalled and text:find "call%-3 .*\n" then
            signalled = true
            host.uv().kill(started.process.pid, signal)
          end
        end)
        assert.equal(0, all.outcome.code)
        assert.matches("^CALL [^\n]*\ncall%-2 [^\n]*\ncall%-1 [^\n]*\n", all.text)
        assert.matches("\ncall%-3   github__search        5B        5B  %-               12ms\n$", all.text)
      end
    end)

    it("follows events with --json", function()
      local all = start("--follow --json", function(text, started)
        if text == dir:read "run/events.jsonl" then host.uv().kill(started.process.pid, "sigterm") end
      end)
      assert.equal(0, all.outcome.code)
      assert.equal(dir:read "run/events.jsonl", all.text)
    end)

    it("stops following when nobody reads", function()
      local all = start("--follow 2>&1 | head -n 3", function() end) -- nothing more will come
      assert.matches("^CALL [^\n]*\ncall%-2 [^\n]*\ncall%-1 [^\n]*\n$", all.text)
      all = start("--follow --json | head -n 1 | wc -l", function() end)
      assert.matches("^%s*1\n$", all.text)
      assert.equal("", (dir:sh("{ " .. program .. " log run --follow | head -n 3 >&2; } 2>err; tail -n +4 err")))
    end)

    it("stops following when the run is deleted", function()
      local all = start("--follow", function()
        dir:sh "rm -rf run"
      end)
      assert.equal(0, all.outcome.code)
    end)

    it("ends with 1 and one line where there is no such run, call or page", function()
      local wrong = {
        ["no events.jsonl"] = { "nowhere" },
        ["it has no"] = { "abc" },
        ["No such call: call%-9"] = { "run", "call-9" },
        ["Call call%-3 has no result yet"] = { "run", "call-3" },
        ["Offset 3001 is beyond end of file %(3000 lines total%)"] = { "run", "call-1", "--offset", "3001" },
        ["Column 9 is beyond"] = { "run", "call-1", "--column", "9" },
        ["No run in"] = { "nowhere", "--follow" },
      }
      for expected, all in pairs(wrong) do
        local out, err, code = run("log", (table.unpack or unpack)(all))
        assert.equal("", out)
        assert.matches("^abridge: [^\n]*" .. expected .. "[^\n]*\n$", err)
        assert.equal(1, code)
      end
    end)

    it("refuses bad flags in one line, with exit code 2", function()
      refused({ "log" }, "RUN_DIR")
      refused({ "log", "run", "a", "b" }, "CALL_ID", "3")
      refused({ "log", "run", "--offset", "2" }, "--offset", "CALL_ID")
      refused({ "log", "run", "call-1", "--follow" }, "--follow")
      refused({ "log", "run", "call-1", "--offset", "0" }, "--offset", "0")
      refused({ "log", "run", "--follow=1" }, "--follow")
      refused({ "log", "run", "--max-lines", "2" }, "--max-lines", "log")
      refused({ "log", "run", "--indicators" }, "--indicators")
      refused({ "read", "abc", "--follow" }, "--follow")
    end)
  end)

  it("ends with 1 and one line whatever it was to print on a stdout that is full", function()
    if not host.uv().fs_stat "/dev/full" then return pending "no /dev/full here" end
    local writer = assert(create("spec", dir:at "full"))
    for i = 1, 100 do -- more than stdio holds back, so that not the last write is the one that fails
      assert(writer:event { type = "tool_call", call_id = "call-" .. i, tool = ("t"):rep(60) })
    end
    writer:close()
    for _, line in ipairs {
      "--help",
      "-h",
      "--version",
      "run --help",
      "log --version",
      "run --no-save echo text",
      "run --no-save --json echo text",
      "read abc",
      "cut --strategy head --max-lines 1",
      "tokens abc",
      "clean",
      "clean --json",
      "log full",
      "log full --json",
      "log full --follow",
      "log full --follow --json",
    } do
      local out, err, code = dir:sh(("timeout 30 %s %s <digits >/dev/full"):format(program, line))
      assert.equal("", out)
      assert.equal("abridge: stdout: No space left on device\n", err, line)
      assert.equal(1, code, line)
    end
  end)

  it("says what to install where luv or JSON is missing, in one line", function()
    dir:write("hide.lua", [[
      for _, name in ipairs { "luv", "cjson" } do
        package.preload[name] = function() error("module '" .. name .. "' not found:", 0) end
      end
      arg[0] = ]] .. ("%q"):format(root .. "/lua/abridge/bin/abridge") .. "\ndofile(arg[0])\n")
    local interpreter = CLEAN .. q(tmpdir.interpreter()) .. " hide.lua "
    local out, err, code = dir:sh(interpreter .. "run -- true")
    assert.matches("luarocks install luv", out .. err)
    assert.equal(1, code)
    out, err, code = dir:sh(interpreter .. "cut --strategy tail --max-lines 1 --json < abc")
    assert.equal("", out)
    assert.matches("^abridge: [^\n]*luarocks install lua%-cjson[^\n]*\n$", err)
    assert.equal(1, code)
    out, err, code = dir:sh(interpreter .. "cut --strategy tail --max-lines 1 < abc")
    assert.equal("e\n", out)
    assert.equal("", err)
    assert.equal(0, code)
  end)
end)
