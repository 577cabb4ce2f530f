-- SPEC 14: text is cut by `head_tail`, a log by `priority`, a binary is one line; any kind may be asked for.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local documents = require "support.documents"
local judge = require "support.kind_judge"
local random = require "support.random"

local PROSE = {
  "The old man went down to the sea.\n",
  "\n",
  "## A heading of some words\n",
  'local x = require "y"\n',
  "  - an item\n",
  "Nobody said a word, and the rain went on.\n",
  "\195\169t\195\169 ",
  "a line without an end ",
}
local LOG = {
  "[12:00:01] INFO  worker 7: job 12 done in 31 ms\n",
  "[12:00:02] WARN  worker 3: slow disk\n",
  "[12:00:03] ERROR worker 3: cannot write part 17\n",
  "cc -c a.c -o a.o\n",
  "make: *** [all] Error 1\n",
  "step 4 of 9\n",
  '  {"id": 12, "state": "done"}\n',
}
local BINARY = { "\0", "\0\0\0\1", "\127ELF", "\200\201", "\27[0m", "text ", "\n" }

local function prose()
  return random.join(PROSE, random.between(1, 400)), { kind = "text", also = { log = true } }
end
local function log()
  return LOG[1] .. random.join(LOG, random.between(20, 400)), { kind = "log", also = { text = true } }
end
local function binary()
  return "\127ELF\2\1\1" .. ("\0"):rep(400) .. random.join(BINARY, random.between(1, 400)), { kind = "binary" }
end

for name, make in pairs { ["a text"] = prose, ["a log"] = log, ["a binary"] = binary } do
  describe("a cut of " .. name, function()
    it("is that of its strategy", function()
      cases.each(200, make, 3)
    end)

    it("is right in every small budget", function()
      cases.sweep(5, make, 200)
    end)

    it("is right under chars, lines, tokens and a reserve", function()
      random.each(150, function()
        cases.judge(judge.source(make()), cases.any_opts())
      end)
    end)

    it("comes from a stream as from one call", function()
      random.each(150, function()
        cases.stream((make()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
      end)
    end)
  end)
end

describe("a text whose line at the gap is long", function()
  local LINE = ("0.14,0.28,"):rep(500)

  it("shows a part of it, where a tenth of the budget would be left", function()
    local text = "Series A:\n" .. LINE .. "\n" .. LINE .. "\n\nSeries B:\n" .. LINE .. "\nend\n"
    local content, cut = abridge.auto(text, { max_bytes = 2048 })
    assert.equal("text", cut.kind)
    assert.equal(1, #cut.markers)
    assert.is_true(#content > 2000, #content)
    assert.equal("Series A:\n0.14,0.28,", content:sub(1, 20))
    assert.matches("%.%.%. %[4 lines, %d+ bytes omitted%] %.%.%.\nend\n$", content)
    assert.is_true(cut.last_line_partial)
  end)

  it("is split at its end, where the head gets nothing", function()
    local content = abridge.auto(LINE .. "\n" .. LINE .. "\nend\n", { max_bytes = 300, head_ratio = 0 })
    assert.is_true(#content > 290, #content)
    assert.matches(" omitted%] %.%.%.\n[0-9.,]+\nend\n$", content)
  end)

  it("is left out whole, where less would be left", function()
    local lines = ("The old man went down to the sea.\n"):rep(100)
    local _, cut = abridge.auto(lines, { max_bytes = 1000 })
    assert.is_falsy(cut.last_line_partial)
  end)
end)

describe("a kind that is asked for", function()
  local KINDS = { "json", "json_lines", "table", "diff", "text", "log" }
  local function any()
    return ({
      prose,
      log,
      documents.json_lines,
      documents.delimited,
      function()
        return documents.json(20)
      end,
    })[random.between(1, 5)]()
  end

  it("keeps ledger and budget, whatever the text is, from a stream too", function()
    random.each(300, function()
      local text, opts = any(), { kind = random.choose(KINDS), max_bytes = cases.budget() }
      local content, cut = abridge.auto(text, opts)
      random.must(#content <= opts.max_bytes, "%s bytes under %s", #content, opts)
      random.must(cut.total_bytes == #text, "total_bytes is %s of %s", cut.total_bytes, #text)
      cases.stream(text, opts)
    end)
  end)

  it("a run of tests that fails is a log, though it tells of failures as YAML", function()
    local test = "# Subtest: adds\n%s %d - adds\n  ---\n  duration_ms: 0.05\n%s  ...\n"
    local failure = "  location: '/t.js:2:1'\n  error: 'oops is not a function'\n  code: 'ERR_TEST_FAILURE'\n"
    local tests = { "TAP version 13\n" }
    for i = 1, 60 do
      tests[i + 1] = test:format(i == 30 and "not ok" or "ok", i, i == 30 and failure or "")
    end
    local text = table.concat(tests) .. "1..60\n# pass 59\n# fail 1\n"
    local content, cut = abridge.auto(text, { max_bytes = 1000 })
    assert.equal("log", cut.kind)
    assert.truthy(content:find(test:format("not ok", 30, failure), 1, true))
  end)

  it("errors that stand amid their excerpts, and failures of tests amid their names and places, are logs", function()
    local outputs = {
      tsc = {
        "src/a%d.ts:10:5 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n"
          .. "10     total: 'x',\n       ~~~~~\n\n  src/types.ts:3:3\n    3   total: number;\n        ~~~~~\n"
          .. "    The expected type comes from property 'total' which is declared here on type 'Cart'\n\n",
        "",
      },
      phpunit = {
        "%d) CartTest::testTotal\nFailed asserting that 2 matches expected 3.\n\n/app/CartTest.php:10\n\n",
        "FAILURES!\nTests: 7, Assertions: 7, Failures: 5.\n",
      },
      pyright = {
        '  /app/src/a.py:%d:12 - error: Expression of type "str" is no int\n    "str" is incompatible\n',
        "",
      },
      hspec = {
        "  src/CartSpec.hs:10:5: \n  %d) Cart totals\n       expected: 1\n        but got: 2\n\n"
          .. '  To rerun use: --match "/Cart/totals/"\n\n',
        "42 examples, 40 failures\n",
      },
      rspec = {
        "  %d) Cart totals\n     Failure/Error: expect(cart.total).to eq(1)\n\n       expected: 1\n"
          .. "            got: 2\n\n     # ./spec/cart_spec.rb:9:in `block'\n\n",
        "42 examples, 40 failures\n",
      },
      rake = {
        "/srv/gems/rake-13.0.6/lib/rake/task.rb:%d:in `block in execute'\n",
        "Tasks: TOP => default => db\n",
      },
      flutter = {
        "00:01 +2 -%d: totals [E]\n  Expected: <1>\n    Actual: <2>\n\n"
          .. "  package:matcher                expect\n  test/cart_test.dart 10:5  main.<fn>\n\n",
        "",
      },
      prove = {
        "#   Failed test 'totals %d'\n#   at t/cart.t line 10.\n#          got: '2'\n#     expected: '3'\n",
        "# Looks like you failed 5 tests of 7.\n",
      },
    }
    for name, output in pairs(outputs) do
      local parts = {}
      for i = 1, 20 do
        parts[i] = output[1]:format(i)
      end
      assert.equal("log", (abridge.kind(table.concat(parts) .. output[2])), name)
    end
  end)

  it("tests told by places, bullets, counts after dots and steps of features, and rows of fields, are logs", function()
    local runs = {
      ginkgo = {
        "Cart\n  adds line %d\n  /src/shop/cart_test.go:%d\n•\n------------------------------\n",
        "• Failure [0.004 seconds]\nCart\n  adds the tax [It]\n\n    Expected\n        <int>: 0\n    to equal\n"
          .. "        <int>: 19\n------------------------------\n",
        "• Failure [0.004 seconds]\n",
      },
      tap = {
        "test/cart-%d.js .............................. %d/120\n",
        "test/tax.js ................ 3/4 50ms\n  not ok the tax is added\n    +++ found\n    --- wanted\n",
        "  not ok the tax is added\n",
      },
      behat = {
        "  Scenario: adds line %d   # features/cart.feature:%d\n    When I pay   # CartContext::pay()\n\n",
        '    Then I see "19"   # CartContext::see()\n      The text "19" was not found (ExpectationException)\n',
        '      The text "19" was not found (ExpectationException)\n',
      },
      ert = {
        "   passed  %3d/240  cart-total-%d\n",
        "Test cart-tax condition:\n    (ert-test-failed\n     (= 19 0))\n   FAILED   61/240  cart-tax\n",
        "   FAILED   61/240  cart-tax\n",
      },
      simulator = {
        "t=%d a=%02x y=1c match\n",
        "MISMATCH at t=91: a=5a y=0e expected=11\n",
        "MISMATCH at t=91: a=5a y=0e expected=11\n",
      },
      hadolint = {
        "./services/s%d/Dockerfile:%d DL3008 warning: Pin versions in apt get install.\n",
        "./services/auth/Dockerfile:9 DL3020 error: Use COPY instead of ADD for files and folders\n",
        "./services/auth/Dockerfile:9 DL3020 error: Use COPY",
      },
      dart = {
        "   info - Use a constant constructor - lib\\shop\\cart_%d.dart:%d:7 - prefer_const_constructors\n",
        "warning - The value of the field '_tax' isn't used - lib\\cart.dart:9:7 - unused_field\n",
        "warning - The value of the field '_tax' isn't used",
      },
      flutter = {
        "   info • Use a constant constructor • lib/shop/cart_%d.dart:%d:7 • prefer_const_constructors\n",
        "warning • The value of the field '_tax' isn't used • lib/cart.dart:9:7 • unused_field\n",
        "warning • The value of the field '_tax' isn't used",
      },
      terraform = {
        '  # aws_rule.in[%d] will be created\n  + resource "aws_rule" "in" {\n      + from_port = %d\n'
          .. "      + id        = (known after apply)\n    }\n\n",
        '  # aws_db_instance.main must be replaced\n-/+ resource "aws_db_instance" "main" {\n'
          .. "      ~ storage_encrypted = false -> true # forces replacement\n    }\n\n",
        "aws_db_instance.main must be replaced",
      },
      router = {
        "at=info method=GET path=/cart/%d status=200 bytes=%d\n",
        'at=error code=H12 desc="Request timeout" method=POST path=/pay status=503 bytes=0\n',
        'at=error code=H12 desc="Request timeout"',
      },
    }
    for name, run in pairs(runs) do
      local lines = {}
      for i = 1, 120 do
        lines[i] = run[1]:format(i, i)
      end
      table.insert(lines, 61, run[2])
      local content, cut = abridge.auto(table.concat(lines), { max_bytes = 2000 })
      assert.equal("log", cut.kind, name)
      assert.is_truthy(content:find(run[3], 1, true), name .. ":\n" .. content)
    end
  end)

  it("an error of a logger above the calls that led there, as Go places them, is a log", function()
    local calls = { "shop.example/cart/internal/store.(*Store).Load", "shop.example/cart/internal/web.(*Server).total" }
    local lines = {}
    for i = 1, 60 do
      lines[#lines + 1] = ("2026-11-27T10:%02d:00.870Z\tERROR\tweb/server.go:31\tno such cart: %d"):format(i % 60, i)
      for k = 1, 12 do
        lines[#lines + 1] = calls[k % 2 + 1]
        lines[#lines + 1] = ("\t%s/cart/internal/file_%d.go:%d"):format(k % 3 == 0 and "C:/src" or "/srv", k, k * 7)
      end
    end
    local content, cut = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find("no such cart: 4\n", 1, true), content)
  end)

  it("lines with the label of the machine that printed them are a log, not settings", function()
    local lines = {}
    for i = 1, 200 do
      lines[i] = ("    web-1: %s part %d of the shop"):format(i % 3 == 0 and "unpacked" or "copied", i)
    end
    lines[90] = "    web-1: Error executing action `run` on resource 'make shop'"
    local content, cut = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = 1000 })
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find(lines[90], 1, true), content)
    for i = 1, 200 do
      lines[i] = ("  part_%d: %d of the shop"):format(i, i)
    end
    assert.equal("text", (abridge.kind(table.concat(lines, "\n") .. "\n")))
  end)

  it("steps of a build of an image, and what newer versions of npm print in it, are a log", function()
    local lines = { "[+] Building 15.4s (15/20)" }
    for i = 1, 12 do
      lines[#lines + 1] = (" => [build %d/12] COPY part%d ./"):format(i, i)
    end
    lines[#lines + 1] = "9.313 npm error code EUSAGE"
    for i = 1, 80 do
      lines[#lines + 1] = ("9.313 npm error Missing: @cart/part%d@29.7.%d from lock file"):format(i, i)
    end
    for i = 1, 40 do
      lines[#lines + 1] = ("9.975 npm error [--part%d] [--include-part%d]"):format(i, i)
    end
    local content, cut = abridge.auto(table.concat(lines, "\n") .. "\nfailed to solve\n", { max_bytes = 2048 })
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find("npm error code EUSAGE", 1, true), content)
  end)

  it("what only looks like errors after a dash, or like a failed test, is text", function()
    local lines = {
      "%02d:15 - error budgets of team three, explained by Anna.",
      "docs/guide%d.md:9 - error handling in the client is described here",
      "key%d: value\n#   Failed to parse when the value is empty",
    }
    for _, line in ipairs(lines) do
      local parts = {}
      for i = 1, 30 do
        parts[i] = line:format(i) .. "\n"
      end
      assert.equal("text", (abridge.kind(table.concat(parts))), line)
    end
  end)

  it("titles of tests are a log where a count of failures ends them, and show the first failure", function()
    local titles = {}
    for i = 1, 60 do
      titles[i] = ("Orchard %d\n  #prune cuts branch %d\n  .grow adds ring %d\n\n"):format(i, i, i)
    end
    local failure = [[
  1) Orchard 4 #prune cuts branch 4
     Failure/Error: expect(tree.rings).to eq(12)

       expected: 12
            got: 11

       (compared using ==)
     # ./spec/orchard_spec.rb:33:in `block (3 levels) in <top (required)>'
]]
    local ending = "\nFinished in 8.31 seconds (files took 4.02 seconds to load)\n120 examples, 1 failure\n"
    local text = table.concat(titles) .. "Failures:\n\n" .. failure .. ending
    local content, cut = abridge.cap(text, { max_bytes = 1024 })
    assert.equal("log", cut.kind)
    assert.truthy(content:find(failure, 1, true), content)
    local _, passed =
      abridge.cap(table.concat(titles) .. ending:gsub("1 failure\n", "0 failures\n"), { max_bytes = 1024 })
    assert.equal("text", passed.kind)
  end)

  it("pytest's failures amid long source are a log's, each with its message", function()
    local source, parts = {}, {}
    for i = 1, 120 do
      source[i] = ("        if self.rings[%d] is None and not self.pruned(%d):\n            return tree"):format(i, i)
    end
    for i, name in ipairs { "alder", "birch", "cedar" } do
      parts[i] = ("    def test_%s(self):\n"):format(name)
        .. table.concat(source, "\n")
        .. ("\n>       raise TreeError('%s')\nE       orchard.TreeError: %s\n\n"):format(name, name)
        .. "/usr/lib/python3/orchard.py:1101: TreeError\n"
    end
    local text = "=== FAILURES ===\n" .. table.concat(parts) .. "3 failed in 0.1s\n"
    local content, cut = abridge.cap(text, { max_bytes = 4096 })
    assert.is_true(cut.kind == "log" or cut.kind == "mixed")
    for _, name in ipairs { "alder", "birch", "cedar" } do
      assert.truthy(content:find("E       orchard.TreeError: " .. name, 1, true), content)
    end
  end)

  it("a report of tests in JUnit's XML is a log, whose failures show whole", function()
    local passed = '  <testcase classname="cart.Total" name="test_%d" time="0.0%d2"/>\n'
    local failed = '  <testcase classname="cart.Total" name="test_%d" time="0.01%d">\n'
      .. '   <failure message="expected 3 but was 4" type="AssertionError">AssertionError: expected 3 but was 4\n'
      .. "    at cart.Total.test(Total.java:77)\n   </failure>\n  </testcase>\n"
    local tests = {}
    for i = 1, 300 do
      tests[i] = (i == 150 and failed or passed):format(i, i % 9)
    end
    local text = '<?xml version="1.0"?>\n<testsuites tests="300" failures="1">\n <testsuite name="cart">\n'
      .. table.concat(tests)
      .. " </testsuite>\n</testsuites>\n"
    for _, budget in ipairs { 1000, 2048, 8192 } do
      local content, cut = abridge.auto(text, { max_bytes = budget })
      assert.equal("log", cut.kind)
      assert.truthy(content:find(tests[150], 1, true))
    end
  end)

  it("a report of tests whose first line is longer than the budget is a log, and shows that line's start", function()
    local tests, source = {}, {}
    for i = 1, 400 do
      tests[i] = ('<testcase classname="tests.test_cart" name="test_cart_%d" time="0.001" />'):format(i)
    end
    for i = 1, 30 do
      source[i] = ('    @pytest.mark.parametrize("a", [1, 2])\n    def test_fn%d(a):\n'):format(i)
        .. ('        f = getattr(cart, "fn%d", None)\n        return f(a)\n'):format(i)
    end
    local totals = '<testsuite name="pytest" errors="1" failures="2" tests="400">'
    local failed = "&gt;       assert f(a) == a + 4\nE       assert 4 == (1 + 4)\n\n"
      .. "tests/test_cart.py:34: AssertionError</failure></testcase>\n"
    local rest = table.concat(source) .. failed
    local text = totals .. table.concat(tests) .. "<testcase><failure>a = 1\n" .. rest .. rest .. "</testsuite>\n"
    for bytes = 1100, 8100, 1000 do
      local content, cut = abridge.auto(text, { max_bytes = bytes })
      assert.equal("log", cut.kind)
      assert.equal(1, (content:find(totals, 1, true)), content)
      assert.truthy(content:find("\nE       assert 4 == (1 + 4)\n", 1, true), content)
      local stream = abridge.stream { strategy = "auto", max_bytes = bytes + 4096 }
      for at = 1, #text, 1000 do
        stream:write(text:sub(at, at + 999))
      end
      assert.equal(content, (stream:finish { max_bytes = bytes }))
    end
  end)

  it("a report in JUnit's XML after other output is a log too, whose tests in error show with their names", function()
    local tests = {}
    for i = 1, 80 do
      tests[i] = ('<testcase classname="tests.cart" name="test_%d" time="0.01" />\n'):format(i)
    end
    tests[40] = '<testcase classname="tests.cart" name="test_40" time="0.01">\n'
      .. "<error message=\"fixture 'db' not found\" /></testcase>\n"
    local listed = ("-rw-r--r-- 1 root root 12 Nov 22 10:00 cart.py\n"):rep(12)
    local report = '<?xml version="1.0"?>\n<testsuites>\n' .. table.concat(tests) .. "</testsuites>\n"
    for _, before in ipairs { "", listed } do
      local content, cut = abridge.auto(before .. report, { max_bytes = 2048 })
      assert.equal("log", cut.kind)
      assert.truthy(content:find(tests[40], 1, true), content)
    end
  end)

  it("a table of calls in source that quote what programs print is text", function()
    local quoted = {
      "cat: notes.txt: No such file or directory",
      "sh: 1: frob: not found",
      "Target process: 77 doesn't exist.",
      "hidden symbol x isn't defined",
      "E906: Not an open channel",
      "npm ERR! code E404",
      "make: *** [Makefile:9: all] Error 2",
      "1 did not equal 2",
      "Build step 3 failed",
      "Passwords didn't match.",
    }
    local rows = { "/*\n * Lines that programs print.\n */\n" }
    for i = 1, 300 do
      rows[i + 1] = ('LINE(WORD_%d, "%s")\n'):format(i, quoted[i % #quoted + 1])
    end
    assert.equal("text", (abridge.kind(table.concat(rows))))
  end)

  it("packages and what a machine is made of, listed by name, are text", function()
    local packages, facts = { "\nWARNING: apt does not have a stable CLI interface.\n\nListing...\n" }, {}
    for i = 1, 200 do
      packages[i + 1] = ("lib%d++/oldstable,now %d.1-2 amd64 [installed,automatic]\n"):format(i, i)
      facts[i] = ("Vulnerability N%d:%sNot affected\n"):format(i, (" "):rep(8))
    end
    assert.equal("text", (abridge.kind(table.concat(packages))))
    assert.equal("text", (abridge.kind("Stepping:    1\nModel name:    A\n" .. table.concat(facts))))
  end)

  it("lines that were searched for, below the name of each file, are text, indented source too", function()
    local found = {}
    for i = 1, 60 do
      found[#found + 1] = ("lua/part_%d.lua\n"):format(i)
      found[#found + 1] = ('%d:    return nil, ("invalid value: %%s, expected a number"):format(v)\n'):format(i + 7)
      found[#found + 1] = ("%d:      return nil, message end\n\n"):format(i + 90)
    end
    assert.equal("text", (abridge.kind(table.concat(found))))
  end)

  it("lines that were searched for are text in comments too, though these look like messages after a place", function()
    local lines = {}
    for i = 1, 40 do
      lines[i] = ("./lib/cart_%d.js:%d: * Sets timeout %d, after which the test fails.\n"):format(i % 5, i * 9, i)
        .. ("./lib/cart_%d.js:%d: // timeout errors are thrown here\n"):format(i % 5, i * 9 + 2)
        .. ("./lib/cart_%d.rb:%d:  # the error of the last retry\n"):format(i % 5, i * 9 + 4)
    end
    assert.equal("text", (abridge.kind(table.concat(lines))))
  end)

  it("a linter's rows below the name of each file are a log, whose error shows", function()
    local rows = {}
    for i = 1, 40 do
      rows[#rows + 1] = ("/shop/src/part_%d.js\n  %d:5  warning  'x' is assigned a value but never used"):format(i, i)
      rows[#rows + 1] = i == 23 and "  44:11  error    'cart' is not defined\n" or ""
    end
    local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 1000 })
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find("44:11  error", 1, true), content)
  end)

  it("a linter's places with the columns from one to another are a log, whose error shows", function()
    local rows = {}
    for i = 1, 40 do
      rows[#rows + 1] = ("Checking part_%d.lua\n\n    part_%d.lua:%d:9-14: (W211) unused variable x"):format(i, i, i)
      rows[#rows + 1] = i == 23 and "    part_23.lua:44:1-5: (E011) expected <eof> near 'local'\n" or ""
    end
    local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 1000 })
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find("44:1-5: (E011)", 1, true), content)
  end)

  it(
    "source around a failure of a compiler or a logger, or around a log with a lesser one, is part of a log",
    function()
      local source = ("local function total(cart, i)\n  return cart.items[i].price\nend\n\n"):rep(60)
      local served = ("GET /carts/12 200 31.123 ms - 99\n"):rep(20)
      for _, failure in ipairs {
        "/src/shop/Cart.cs(12,9): error CS0103: The name 'tax' does not exist in the current context",
        "src/cart.cpp(12): error C2065: 'tax': undeclared identifier",
        "/src/shop/cart.c:12:9: error: 'tax'",
        "2026-11-22 10:03:11,123 ERROR shop.cart: the tax is negative",
        served .. "POST /carts/12 500 31.123 ms - 99\n" .. served,
        "! Undefined control sequence.\nl.12 \\carts",
        "\tlibcart.so.1 => not found",
        "** Error: rtl/cart.sv(88): (vlog-2730) Undefined variable: 'tax'.",
        "  Warning  Unhealthy  11m (x22 over 59m)  kubelet  Liveness probe failed: connection refused",
      } do
        assert.equal("log", abridge.kind(source .. failure .. "\n" .. source), failure)
      end
      for _, line in ipairs {
        "src/cart.c:12: error: the tax is negative",
        "! Missing values are replaced", -- Fortran's comment
        "find(carts, 'x') // => not found",
        "  Warning  Invalid input is not supported",
      } do
        assert.equal("text", abridge.kind(source .. line .. "\n" .. source), line)
      end
    end
  )

  it("lines after a time, a process or a layer are a log, though the time looks like a place", function()
    for _, line in ipairs {
      "%02d0c3d%06d: Pull complete",
      'shop.log.2026-11-22_13:53:08 10.0.0.%d "GET /carts/%d HTTP/1" %d bytes',
      '100%02d 1697048351.%06d openat(AT_FDCWD, "/etc/cart%d.conf", O_RDONLY) = 3 <0.000012>',
    } do
      local lines = {}
      for i = 1, 200 do
        lines[i] = line:format(i % 90, 7919 * i % 1000000, i)
      end
      assert.equal("log", abridge.kind(table.concat(lines, "\n")))
    end
  end)

  it("json of what is none is text", function()
    random.each(100, function()
      local text = prose()
      local source = judge.source(text, { kind = "text" })
      cases.judge(source, { kind = "json", max_bytes = cases.budget() })
    end)
  end)

  it("is text where a page has a bar beside it and shows a session, as pydoc does", function()
    local page = { "Help on class Cart in module cart:", "", "class Cart(builtins.object)" }
    for i = 1, 60 do
      for _, line in ipairs {
        " |  add_%d(self, thing, count=1)",
        " |      Add some of a thing to the cart, and count what is in it.",
        " |      ",
        " |      >>> cart.add_%d('paper')",
        " |      ",
        " |  ----------------------------------------------------------------------",
        " |  Methods inherited from Shop:",
        " |  ",
      } do
        page[#page + 1] = line:format(i)
      end
    end
    assert.equal("text", abridge.kind(table.concat(page, "\n")))
    local bases = (" |  class Cart%d\n |      Cart%d\n |      Shop\n |      object\n |  \n"):rep(60)
    assert.equal("text", abridge.kind("Help on module cart:\n\n" .. bases))
    local exception = {
      "class IncompleteCartError(builtins.EOFError)",
      " |  IncompleteCartError(cart, things)",
      " |  ",
      " |  Incomplete cart error. Attributes:",
      " |  ",
      " |  - cart: read things before the end of the cart was reached",
      " |  - expected: total number of expected things (or None if unknown)",
      " |  ",
      " |  Method resolution order:",
      " |      IncompleteCartError",
      " |      builtins.EOFError",
      " |      builtins.Exception",
      " |      builtins.BaseException",
    }
    assert.equal("text", abridge.kind(table.concat(page, "\n") .. "\n" .. table.concat(exception, "\n") .. "\n"))
    local session = "        >>> def total(cart):\n        ...     count = len(cart)\n        ...     return count\n"
    assert.equal("text", abridge.kind(("A cart may be counted like this, as often as one likes.\n" .. session):rep(20)))
    local excerpt = "      |                 ^~~~~\n   12 |     return sum\n      |           int\n"
    assert.equal("log", abridge.kind(excerpt:rep(20)))
  end)
end)
