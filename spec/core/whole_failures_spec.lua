--- Failures are kept from their head to where the tool goes on.
local abridge = require "abridge"

local function passed(first, last)
  local all = {}
  for i = first, last do
    all[#all + 1] = ("test orders::case_%d ... ok\n"):format(i)
  end
  return table.concat(all)
end

local function traceback(name, depth)
  local all = { "ERROR: " .. name .. " (shop.OrderTest)", ("-"):rep(60), "Traceback (most recent call last):" }
  for i = 1, depth do
    all[#all + 1] = ('  File "shop/%s_%d.py", line %d, in call_%d'):format(name, i, i * 3, i)
    all[#all + 1] = ("    return self.next_%d(%s)"):format(i, name)
  end
  all[#all + 1] = "KeyError: '" .. name .. "'"
  return table.concat(all, "\n") .. "\n"
end

local function whole(content, failure)
  return content:find(failure, 1, true) ~= nil
end

describe("failures", function()
  it("are whole, the first and the last one before a third", function()
    local names, parts = { "alder", "birch", "cedar", "elm", "fir" }, { passed(1, 300) }
    for i, name in ipairs(names) do
      parts[#parts + 1] = traceback(name, 9) .. "\n" .. passed(i * 300 + 1, i * 300 + 300)
    end
    local content, cut = abridge.priority(table.concat(parts), { max_bytes = 3600 })
    assert.is_true(whole(content, traceback("alder", 9)))
    assert.is_true(whole(content, traceback("fir", 9)))
    assert.equal(5, cut.failures.found)
  end)

  it("are kept only as far as they were found: a level without a message belongs to none", function()
    local text = ("KeyError: 'x'\n" .. passed(1, 60) .. "npm ERR!\n" .. passed(1, 60)):rep(3)
    local _, cut = abridge.priority(text, { max_bytes = 1500 })
    assert.same({ found = 3, kept = 3 }, cut.failures)
  end)

  it("show where two compared values differ, before what both have", function()
    local both = { "- Expected", "+ Received", "", "  Array [" }
    for i = 1, 60 do
      both[#both + 1] = ('    Object {\n      "id": %d,\n      "name": "item",\n    },'):format(i)
    end
    both[#both - 9] = '    Object {\n-     "id": 7,\n+     "id": 77,\n      "name": "item",\n    },'
    both[#both + 1] = "  ]\n"
    local failure = " FAIL  shop.test.js > orders\nAssertionError: expected [ …(60) ] to deeply equal [ …(60) ]\n\n"
      .. table.concat(both, "\n")
    local content = abridge.priority(passed(1, 40) .. failure .. passed(41, 80), { max_bytes = 1500 })
    assert.is_true(whole(content, '-     "id": 7,\n+     "id": 77,\n'))
  end)

  it("of pytest are as many as the tests that failed, and no blank line stands alone between two gaps", function()
    local parts = { "collected 40 items\n" }
    for i = 1, 28 do
      parts[#parts + 1] = ([[
____________________________ test_price[%d] ____________________________

i = %d

    def test_price(i):
        got = calc(i)
>       assert got == i * 4
E       AssertionError: assert %d == %d

test_cart.py:9: AssertionError
]]):format(i, i, i * 3, i * 4)
    end
    parts[#parts + 1] = "28 failed, 12 passed in 0.07s\n"
    local text = table.concat(parts)
    for _, bytes in ipairs { 512, 700, 1024, 2048, 4096 } do
      local content, cut = abridge.priority(text, { max_bytes = bytes })
      assert.equal(28, cut.failures.found)
      assert.equal(28, select(2, abridge.priority(text:gsub("\n", "\r\n"), { max_bytes = bytes })).failures.found)
      assert.is_nil(content:find("omitted] ...\n\n... [", 1, true))
    end
  end)

  it("are none that tests logged which passed, up to the next section or the count of all tests", function()
    local function logged(i)
      return ("___ test_%d ___\n--- Captured log call ---\nERROR    shop:a_test.py:%d gateway timed out\n"):format(i, i)
    end
    local well, heads = {}, { "=== short test summary info ===\n", "90 passed in 0.26s\n", "$ make check\n" }
    for i = 1, 90 do
      well[i] = logged(i)
    end
    local first = "=== FAILURES ===\n" .. logged(0) .. "E       KeyError: 'x'\n\na_test.py:9: KeyError\n"
    local passes = "=== PASSES ===\n" .. table.concat(well)
    for _, head in ipairs(heads) do
      local last = head .. "ERROR a_test.py::test_store - ConnectionError\n"
      local content, cut = abridge.priority(first .. passes .. last, { max_bytes = 1024 })
      assert.equal(2, cut.failures.found)
      assert.is_true(whole(content, first) and whole(content, last))
    end
    local hits = { { text = "gateway", weight = 1 } }
    assert.equal(91, select(2, abridge.priority(first .. passes, { max_bytes = 1024, hits = hits })).failures.found)
  end)

  it("of many like them show the first and the last whole, though few of their lines are retained", function()
    local function jest(i)
      return ([[
FAIL src/cart%d.test.js
  Cart
    ✓ adds an item (3 ms)
    ✕ totals %d (5 ms)

  ● Cart › totals %d

    expect(received).toBe(expected) // Object.is equality

    Expected: %d
    Received: %d

    > 14 |     expect(cart.total()).toBe(%d);
         |                          ^

      at Object.<anonymous> (src/cart%d.test.js:14:26)
]]):format(i, i, i, i * 3, i * 4, i * 3, i)
    end
    local parts = {}
    for i = 1, 90 do
      parts[i] = jest(i)
    end
    local text = table.concat(parts, "\n") .. "\nTests:       90 failed, 90 passed, 180 total\n"
    for _, opts in ipairs { { max_bytes = 2048 }, { max_bytes = 4096 } } do
      local content, cut = abridge.priority(text, opts)
      assert.is_true(whole(content, jest(1)), content)
      assert.is_true(whole(content, jest(90)), content)
      assert.equal(90, cut.failures.found)
      local stream = abridge.stream { strategy = "priority", max_bytes = opts.max_bytes }
      for at = 1, #text, 997 do
        stream:write(text:sub(at, at + 996))
      end
      assert.equal(content, (stream:finish()))
    end
  end)

  it("of many alike show the last one, though the lines around the first ones weigh more", function()
    local function failure(i)
      return ("src/f%d.c:%d:5: error: 'x%d' undeclared\n   %d |   x%d = 1;\n      |   ^~\n"):format(i, i, i, i, i)
    end
    local parts = {}
    for i = 1, 60 do
      parts[#parts + 1] = passed(i * 50, i * 50 + 49) .. failure(i)
    end
    local text = table.concat(parts) .. passed(3050, 3099)
    for _, budget in ipairs { 700, 1500, 4000 } do
      local opts = { max_bytes = budget }
      local content, cut = abridge.priority(text, opts)
      assert.is_true(whole(content, failure(1)) and whole(content, failure(60)))
      assert.equal(60, cut.failures.found)
      local stream = abridge.stream { strategy = "priority", max_bytes = 4000 }
      for from = 1, #text, 777 do
        stream:write(text:sub(from, from + 776))
      end
      assert.equal(content, (stream:finish(opts)))
      stream:close()
    end
  end)

  it("below a title drawn with rules are the first of their output, however many tests were named before", function()
    local names, failures = {}, {}
    for i = 1, 40 do
      names[i] = (" ❯ test/cart%d.test.ts  (2 tests | 1 failed) 5ms\n"):format(i)
      failures[i] = (" FAIL  test/cart%d.test.ts > totals\nAssertionError: expected %d to be %d\n\n"):format(
        i,
        i,
        i + 1
      ) .. "- Expected\n+ Received\n\n" .. (" ❯ test/cart%d.test.ts:10:22\n\n"):format(i)
    end
    local text = table.concat(names)
      .. "\n⎯⎯⎯⎯⎯⎯⎯ Failed Tests 40 ⎯⎯⎯⎯⎯⎯⎯\n\n"
      .. table.concat(failures)
    for _, bytes in ipairs { 1400, 2048, 4096 } do
      local content, cut = abridge.priority(text .. " Test Files  40 failed (40)\n", { max_bytes = bytes })
      assert.truthy(content:find("AssertionError: expected 1 to be 2\n", 1, true), content)
      assert.truthy(content:find("AssertionError: expected 40 to be 41\n", 1, true), content)
      assert.equal(40, cut.failures.found)
    end
  end)

  it("that all start with one text show the lines that differ before that text again", function()
    local parts = {}
    for i = 1, 40 do
      parts[i] = ("ASSERT total\nFAIL total\n\n   Expected: `%d'\n   Received: `%d'\n\n"):format(i + 1, i)
    end
    local content =
      abridge.priority(table.concat(parts) .. "40 failures! in 0.005s. 42 tests run.\n", { max_bytes = 1000 })
    local again, values = select(2, content:gsub("FAIL total", "")), select(2, content:gsub("Received", ""))
    assert.is_true(values > again, content)
  end)

  it("show their head, their message and their end where they are too long", function()
    local text = passed(1, 300) .. traceback("oak", 200) .. "\n" .. passed(301, 600)
    local content = abridge.priority(text, { max_bytes = 2048 })
    assert.is_true(whole(content, "ERROR: oak (shop.OrderTest)\n"))
    assert.is_true(whole(content, "Traceback (most recent call last):\n"))
    assert.is_true(whole(content, "KeyError: 'oak'\n"))
  end)

  it("of nextest end at the next result, which is deeper than their output", function()
    local crates, rows = { "lexer", "cache", "router", "session", "token", "index", "order", "invoice", "ledger" }, {}
    for i = 1, 200 do
      rows[i] = ("        PASS [   0.%02ds] shop::%s tests::case_%d\n"):format(i % 9, crates[i % 9 + 1], i)
    end
    for _, i in ipairs { 60, 150 } do
      rows[i] = ([[
        FAIL [   0.07s] shop::page tests::case_%d

--- STDOUT:              shop::page tests::case_%d ---

running 1 test
test tests::case_%d ... FAILED

--- STDERR:              shop::page tests::case_%d ---
thread 'tests::case_%d' panicked at tests/page.rs:%d:9:
%s is %d
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

]]):format(i, i, i, i, i, i, ("so"):rep(i / 30), i)
    end
    local text = table.concat(rows) .. "     Summary [   2.110s] 200 tests run: 198 passed, 2 failed, 0 skipped\n"
    for _, max_bytes in ipairs { 1500, 2048, 3000 } do
      local content = abridge.priority(text, { max_bytes = max_bytes })
      assert.truthy(content:find("page.rs:60:9:\nsoso is 60", 1, true), content)
      assert.truthy(content:find("page.rs:150:9:\nsososososo is 150", 1, true), content)
      assert.is_nil(content:find "case_7%d", content)
    end
  end)

  it("end where the tool goes on, at whatever time its lines are written", function()
    local failure = {
      "--- FAIL: TestTotals (0.02s)",
      "    totals_test.go:31: sum of order 7",
      "        got:  1058",
      "        want: 1060",
    }
    local all = {}
    for i = 1, 900 do
      all[i] = ("2026-03-04T05:%02d:%02d.1234567Z ok  \tshop/part%d\t0.0%ds"):format(i % 60, i % 59, i, i % 10)
    end
    for i, line in ipairs(failure) do
      table.insert(all, 450 + i, "2026-03-04T05:30:30.7654321Z " .. line)
    end
    local content, cut = abridge.priority(table.concat(all, "\n"), { max_bytes = 1200 })
    for _, line in ipairs(failure) do
      assert.is_true(whole(content, line), line)
    end
    assert.same({ found = 1, kept = 1 }, cut.failures)
  end)

  it("have what their command printed last, though no word of it tells of trouble", function()
    local text = passed(1, 900)
      .. "orders.csv: row 17 has 5 columns, the header 4\n"
      .. 'The command "make check" exited with 1.\n'
      .. ("uploading report part\n"):rep(400)
    local content = abridge.priority(text, { max_bytes = 1000 })
    assert.is_true(whole(content, "orders.csv: row 17 has 5 columns, the header 4\n"))
  end)

  it("are not counted by their headings, counts and exit lines", function()
    local text = passed(1, 500)
      .. "Failures:\n\n"
      .. "  1) Order adds up\n     KeyError: 'total'\n\n"
      .. "1 failed, 500 passed\nmake: *** [Makefile:3: check] Error 1\n"
    local _, cut = abridge.priority(text, { max_bytes = 900 })
    assert.same({ found = 1, kept = 1 }, cut.failures)
    assert.is_true(cut.hits.found > 2)
  end)

  it("are not counted by a compiler's notes, whatever these tell of, and leave room for each error", function()
    local lines = {}
    for error = 1, 4 do
      local place = ("include/heap.h:%d:22: "):format(100 * error)
      lines[#lines + 1] = "main.cc:6:80:   required from here"
      lines[#lines + 1] = place .. "error: no match for 'operator<' (operand types are 'Key' and 'Key')"
      for candidate = 1, 4 do
        local pair = ("include/pair.h:%d:5: "):format(candidate)
        lines[#lines + 1] = pair .. "note: candidate: 'bool operator<(const pair<A, B>&)'"
        lines[#lines + 1] = ("  %d |     operator<(const pair<A, B>& one, const pair<A, B>& other)"):format(candidate)
        lines[#lines + 1] = pair .. "note:   template argument substitution failed:"
        lines[#lines + 1] = place .. "note:   'Key' is not derived from 'const pair<A, B>'"
      end
    end
    local content, cut = abridge.priority(table.concat(lines, "\n"), { max_bytes = 2048 })
    assert.same({ found = 4, kept = 4 }, cut.failures)
    assert.equal(4, select(2, content:gsub(" error: no match", "")))
  end)

  it("show their messages before the headers of their tracebacks", function()
    local lines = {}
    for i, name in ipairs { "price", "address", "order", "invoice", "stock", "tax", "voucher", "parcel" } do
      lines[#lines + 1] = ("FAIL: test_%s (test_cart.Cart.test_%s)"):format(name, name)
      lines[#lines + 1] = ("-"):rep(70)
      lines[#lines + 1] = "Traceback (most recent call last):"
      lines[#lines + 1] = ('  File "/home/ci/shop/test_cart.py", line %d, in test_%s'):format(10 * i, name)
      lines[#lines + 1] = ("    self.assertEqual(cart.%s(), %s_of(cart))"):format(name, name)
      lines[#lines + 1] = ("AssertionError: %s: %d != %d\n"):format(name, i, 7 * i)
      lines[#lines + 1] = ("="):rep(70)
    end
    for bytes = 768, 1024, 128 do
      local content = abridge.priority(table.concat(lines, "\n"), { max_bytes = bytes })
      local messages = select(2, content:gsub("AssertionError", ""))
      assert.is_true(messages >= 4 and select(2, content:gsub("Traceback", "")) <= messages / 2, content)
    end
  end)

  it("show headings with their messages, and messages with their headings", function()
    local lines = { "  30 failing\n" }
    for i = 1, 30 do
      lines[#lines + 1] = ("  %d) res\n       .format(obj)\n         case %d\n           answers %d:\n"):format(i, i, i)
      lines[#lines + 1] = ("     Error: expected %d answers, got %d"):format(i, 2 * i)
      for frame = 1, 10 do
        lines[#lines + 1] = ("      at Test.call%d (node_modules/supertest/test.js:%d:23)"):format(frame, i + frame)
      end
      lines[#lines + 1] = ""
    end
    local content = abridge.priority(table.concat(lines, "\n"), { max_bytes = 2048 })
    local headings = select(2, content:gsub("%d%) res\n", ""))
    local told = select(2, content:gsub("%d%) res\n       .format%(obj%)\n[^\n]*\n[^\n]*\n\n     Error: ", ""))
    assert.is_true(told >= 6 and told >= headings - 2, content)
    assert.equal(told, (select(2, content:gsub("     Error: ", ""))))
  end)

  it("show the source that a caret points at below its message only", function()
    local lines = {}
    for i = 1, 40 do
      lines[#lines + 1] = ("/shop/src/cart.c:%d:5: warning: call to 'copy_%d' is unsafe, "):format(10 * i, i)
        .. ("as it has no bounds; "):rep(2 + i % 7)
      lines[#lines + 1] = ("    copy_%d(cart, line, %d);"):format(i, i)
      lines[#lines + 1] = "    ^~~~~~"
    end
    for bytes = 1024, 4096, 512 do
      local content = abridge.priority(table.concat(lines, "\n") .. "\n40 warnings generated.\n", { max_bytes = bytes })
      local shown = 0
      for before, name in ("\n" .. content):gmatch "([^\n]*)\n    copy_(%d+)%(" do
        shown = shown + 1
        assert.truthy(before:find("'copy_" .. name .. "'", 1, true), content)
      end
      assert.is_true(shown > 0, content)
    end
  end)

  it("show what a caret says of the source that shows", function()
    local parts = {}
    for i = 1, 12 do
      parts[i] = ([[
error[E0308]: mismatched types
  --> src/part_%d.rs:%d:79
   |
%3d | pub fn lookup_%d(m: &HashMap<String, u32>) -> u32 { m.get("a").copied().unwrap_or("none") }
    |                                                                         --------- ^^^^^^ expected u32 of %d
    |                                                                         |
    |                                                                         arguments of this are incorrect
help: the return type of this call is due to the type of the argument passed
note: method defined here
  --> /rustc/library/core/src/option.rs:1038:17
]]):format(i, i, i, i, i)
    end
    for _, bytes in ipairs { 1500, 3000, 4000 } do
      local content = abridge.auto(table.concat(parts, "\n"), { max_bytes = bytes })
      local _, sources = content:gsub("lookup_%d+%(m", "")
      local _, labels = content:gsub("expected u32 of", "")
      assert.is_true(sources > 1)
      assert.equal(sources, labels, content)
    end
  end)

  it("show once what they all say, though a list at the end names each in short", function()
    local error = 'psycopg2.OperationalError: connection to server at "db" (172.18.0.2), port 5432 failed'
    local lines, list = { ("="):rep(35) .. " ERRORS " .. ("="):rep(35) }, {}
    for i = 1, 40 do
      lines[#lines + 1] = ([[
________________ ERROR at setup of test_cart_%d _________________

self = <Connection object at 0x7fd40cca85%d>

    def connect(self):
>       self.dbapi = self.dialect.connect(*cargs, **cparams)

/usr/lib/python3/engine/base.py:146:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
    def connect(dsn=None, **kwargs):
>       conn = _connect(dsn, connection_factory=connection_factory, **kwasync)
E       %s: FATAL:  password authentication failed for user "shop_test"

/usr/lib/python3/psycopg2/__init__.py:122: OperationalError]]):format(i, i, error)
      list[i] = ("ERROR tests/test_cart.py::test_cart_%d - %s..."):format(i, error:sub(1, 80))
    end
    lines[#lines + 1] = ("="):rep(35) .. " FAILURES " .. ("="):rep(35)
    lines[#lines + 1] = "____________________________ test_slug ____________________________\n"
    lines[#lines + 1] =
      "    def test_slug():\n>       assert slug('x') == 'y'\nE       AssertionError: assert 'x' == 'y'"
    lines[#lines + 1] = "\ntests/test_slug.py:88: AssertionError"
    lines[#lines + 1] = ("="):rep(27) .. " short test summary info " .. ("="):rep(27)
    lines[#lines + 1] = "FAILED tests/test_slug.py::test_slug - AssertionError: assert 'x' == 'y'"
    lines[#lines + 1] = table.concat(list, "\n")
    lines[#lines + 1] = ("="):rep(19) .. " 1 failed, 59 passed, 40 errors in 9.81s " .. ("="):rep(19)
    local content = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = 1500 })
    assert.matches('password authentication failed for user "shop_test"', content, 1, true)
    assert.matches("test_cart_2 - ", content, 1, true)
  end)

  it("of Minitest show with their messages, not their names alone, and with their number", function()
    local lines = { "# Running:\n" }
    for i = 1, 30 do
      lines[#lines + 1] = ("%3d) Failure:"):format(i)
      lines[#lines + 1] = ("CartTest#test_%d_rejects a bad voucher [/shop/cart_test.rb:%d]:"):format(i, i)
      lines[#lines + 1] = ("Expected: %d\n  Actual: %d\n"):format(i, i + 1)
    end
    lines[#lines + 1] = "300 runs, 900 assertions, 30 failures, 0 errors, 0 skips\n"
    lines[#lines + 1] = "rake aborted!\nCommand failed with status (1): [ruby " .. ("test/cart_test.rb "):rep(60) .. "]"
    lines[#lines + 1] = "\nTasks: TOP => test\n(See full trace by running task with --trace)\n"
    local content = abridge.priority(table.concat(lines, "\n"), { max_bytes = 2048 })
    local named = select(2, content:gsub("rejects a bad voucher", ""))
    local told = select(2, content:gsub("rejects a bad voucher [^\n]*\nExpected: ", ""))
    assert.is_true(told >= 8 and told >= named - 2, content)
    assert.truthy(content:find("30 failures", 1, true), content)
  end)

  it("show what a test said before its result was printed, not the result twice", function()
    local lines = {}
    for i = 1, 40 do
      local name = ("TestOrder/case_%d"):format(i)
      lines[#lines + 1] = "=== RUN   " .. name
      lines[#lines + 1] = "=== CONT  " .. name
      lines[#lines + 1] = ("    order_test.go:%d: failed for want of cart %d"):format(10 * i, i)
      lines[#lines + 1] = ("    --- FAIL: %s (0.00s)"):format(name)
      lines[#lines + 1] = ("FAIL shop/orders.%s (0.00s)"):format(name)
    end
    local content = abridge.priority(table.concat(lines, "\n"), { max_bytes = 2048 })
    local results = select(2, content:gsub("%-%-%- FAIL", ""))
    local messages = select(2, content:gsub("failed for want", ""))
    assert.is_true(messages >= 8 and results <= 2 * messages, content)
  end)

  it("of a package that doesn't compile are not those of the test behind it", function()
    local _, cut = abridge.priority(
      "# shop/cart\ncart/cart.go:12:3: undefined: total\nFAIL\tshop/cart [build failed]\n"
        .. "--- FAIL: TestOrder (0.00s)\n    order_test.go:5: got 3, want 4\nFAIL\nFAIL\tshop/order\t0.012s\n"
        .. passed(1, 60),
      { max_bytes = 900 }
    )
    assert.equal(2, cut.failures.found)
  end)

  it("show the head of the section that they are in", function()
    local lines, stars = {}, " " .. ("*"):rep(40)
    for i = 1, 150 do
      lines[i] = ("TASK [shop : Place file %d]%s\nok: [web3]\nchanged: [web6]\n"):format(i, stars)
    end
    local failed = "TASK [shop : Reload the gateway]"
      .. stars
      .. '\nfatal: [web3]: FAILED! => {"changed": false, "msg": '
    local why = ("Unable to reload the gateway: its control process exited with error code. "):rep(3)
    lines[#lines + 1] = failed .. '"' .. why .. '"}\n'
    lines[#lines + 1] = "PLAY RECAP" .. stars
    for i = 1, 9 do
      lines[#lines + 1] = ("web%d  : ok=5%d  changed=9  unreachable=0  failed=%d  skipped=4"):format(
        i,
        i,
        i == 3 and 1 or 0
      )
    end
    local text = table.concat(lines, "\n")
    assert.equal("log", abridge.kind(text))
    for bytes = 800, 1400, 200 do
      local content = abridge.priority(text, { max_bytes = bytes })
      assert.is_true(whole(content, failed), content)
    end
  end)

  it("of CTest end where the next test passes", function()
    local lines, told = {}, 0
    for i = 10, 99 do
      local failed = i % 12 == 2
      lines[#lines + 1] = ("      Start %d: cart_%d"):format(i, i)
      local result = failed and "***Failed" or "   Passed"
      lines[#lines + 1] = ("%d/99 Test #%d: cart_%d ....................%s    0.%d sec"):format(i, i, i, result, i)
      if failed then
        local body = "test/cart_%d.cpp:31: FAILED:\n  REQUIRE( total(%d) == 60 )\nwith expansion:\n  %d == 60\n"
        lines[#lines + 1] = body:format(i, i, i * 3)
      end
    end
    local content = abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    for i = 14, 98, 12 do
      if content:find(("\n  %d == 60\n"):format(i * 3), 1, true) then told = told + 1 end
    end
    assert.equal(8, told, content)
  end)

  it("show the head of the section though other hosts passed in it first", function()
    local lines, stars = {}, " " .. ("*"):rep(40)
    for i = 1, 90 do
      local failed = i == 31 or i == 62
      lines[#lines + 1] = ("TASK [shop : Place file %d]%s\nok: [web1]\nok: [web2]"):format(i, stars)
      lines[#lines + 1] = failed and ('fatal: [web3]: FAILED! => {"msg": "No space left for file %d"}'):format(i)
        or "ok: [web3]"
      lines[#lines + 1] = "ok: [web4]\n"
    end
    local content = abridge.auto(table.concat(lines, "\n"), { max_bytes = 700 })
    for _, i in ipairs { 31, 62 } do
      assert.matches(("TASK [shop : Place file %d]"):format(i), content, 1, true)
      assert.matches(("No space left for file %d"):format(i), content, 1, true)
    end
  end)

  it("are shown though none is clear", function()
    local lines = {}
    for i = 1, 1500 do
      lines[i] = ("0811%02d 20%04d INFO dfs.DataNode: Received block blk_%d of size %d"):format(
        i % 30,
        i,
        7919 * i,
        64 * i
      )
      if i % 40 == 0 then
        lines[i] = ("0811%02d 20%04d WARN dfs.DataNode: 10.0.0.%d:Got exception while serving blk_%d"):format(
          i % 30,
          i,
          i % 250,
          104729 * i
        )
      end
    end
    local _, cut = abridge.auto(table.concat(lines, "\n"), { max_bytes = 1024 })
    assert.equal(37, cut.failures.found)
    assert.is_true(cut.failures.kept > 0)
  end)

  it("of TAP have all that is said of their test, though the same is said of each", function()
    local lines = { "1..30" }
    for i = 1, 30 do
      lines[#lines + 1] = ("not ok %d case %d of the cart"):format(i, i)
      lines[#lines + 1] = "# (from function `setup' in test file cart.bats, line 1)"
      lines[#lines + 1] = '#   `mkdir "$folder"\' failed'
      lines[#lines + 1] = "# mkdir: cannot create directory '/tmp/cart': File exists"
    end
    local _, cut = abridge.priority(table.concat(lines, "\n"), { max_bytes = 1024 })
    assert.equal(30, cut.failures.found)
  end)

  describe("of suites in TAP", function()
    local function result(suite, i, ok)
      local name = ("%s handles case %d"):format(suite, i)
      local lines = {
        "    # Subtest: " .. name,
        ("    %s %d - %s"):format(ok and "ok" or "not ok", i, name),
        "      ---",
        ("      duration_ms: 0.%d"):format(i * 1707),
      }
      if not ok then
        for _, line in ipairs {
          ("      location: '/home/runner/work/shop/tests/%s.test.js:%d:11'"):format(suite, i + 1),
          "      failureType: 'testCodeFailure'",
          "      error: |-",
          "        Expected values to be strictly deep-equal:",
          "        + actual - expected",
          "        ",
          "          {",
          ("            id: %d,"):format(i),
          "        +   ok: true,",
          "        -   ok: false,",
          "            tags: [",
          ("        +     '%s'"):format(suite),
          "        -     'b'",
          "            ]",
          "          }",
          "      code: 'ERR_ASSERTION'",
          "      name: 'AssertionError'",
          "      expected:",
          ("        id: %d"):format(i),
          "        tags:",
          "          0: 'b'",
          "        ok: false",
          "      actual:",
          ("        id: %d"):format(i),
          "        tags:",
          ("          0: '%s'"):format(suite),
          "        ok: true",
          "      operator: 'deepStrictEqual'",
          "      stack: |-",
          ("        TestContext.<anonymous> (/src/%s.test.js:%d:54)"):format(suite, i),
          "        Test.runInAsyncScope (node:async_hooks:206:9)",
          "        Test.run (node:internal/test_runner/test:796:25)",
          "        Test.start (node:internal/test_runner/test:702:17)",
          "        async Test.processPendingSubtests (node:internal/test_runner/test:526:7)",
        } do
          lines[#lines + 1] = line
        end
      end
      lines[#lines + 1] = "      ..."
      return table.concat(lines, "\n") .. "\n"
    end

    local suite_passed = "    1..12\nok %d - %s suite\n  ---\n  duration_ms: 15.%d\n  ...\n"
    local suite_failed = "    1..12\nnot ok %d - %s suite\n  ---\n  duration_ms: 15.%d\n"
      .. "  location: '/src/%s.test.js:2:1'\n  failureType: 'subtestsFailed'\n  error: '1 subtest failed'\n"
      .. "  code: 'ERR_TEST_FAILURE'\n  ...\n"

    -- Suites whose case 2 fails; `only`: that of one.
    local function run(names, only)
      local all = { "TAP version 13\n" }
      for n, suite in ipairs(names) do
        all[#all + 1] = ("# Subtest: %s suite\n"):format(suite)
        for i = 1, 12 do
          all[#all + 1] = result(suite, i, i ~= 2 or (only or suite) ~= suite)
        end
        all[#all + 1] = ((only or suite) == suite and suite_failed or suite_passed):format(n, suite, n * 231, suite)
      end
      all[#all + 1] = ("1..%d\n# tests %d\n# fail %d\n"):format(#names, #names * 13, #names * 2)
      return table.concat(all)
    end

    it("are those of their tests, with the text below the key of an error", function()
      local names = { "buffer", "cache", "queue", "router", "session", "socket", "lock", "index", "token", "page" }
      local content, cut = abridge.priority(run(names), { max_bytes = 2048 })
      assert.is_true(select(2, content:gsub("strictly deep%-equal:\n", "")) >= 3, content)
      assert.is_nil(content:find("error: |-\n... [", 1, true), content)
      for i = 1, #names - 1 do -- the last one stands at the end
        assert.is_nil(content:find(names[i] .. " suite\n  ---", 1, true), content)
      end
      assert.equal(#names, cut.failures.found)
    end)

    it("end where the next test starts, be it in another suite, and no line says so", function()
      local text = run { "buffer", "cache", "queue" }
      local content = abridge.priority(text, { max_bytes = 3000 })
      assert.is_nil(content:find "case 2\n[^#]*# Subtest: buffer handles case 3", content)
      local bare = text:gsub(" *# Subtest[^\n]*\n", "")
      for _, first in ipairs { bare, (bare:gsub("    ok 1 .-%.%.%.\n", "")) } do
        local _, cut = abridge.priority(first, { max_bytes = 2048 })
        assert.equal(3, cut.failures.found)
      end
      bare = run({ "buffer", "cache", "queue" }, "buffer"):gsub(" *# Subtest[^\n]*\n", "")
      content = abridge.priority(bare, { max_bytes = 2400 })
      assert.is_nil(content:find("cache handles case 5", 1, true), content)
    end)

    it("are found after text, though their lines are indented", function()
      local text = {}
      for i = 1, 40 do
        text[i] = ("## Section %d\n\nThis handles errors and failures of step %d. When an error occurs, it is "):format(
          i,
          i
        ) .. ("retried.\n\n- fails fast on timeouts\n- error codes E%03d\n\n"):format(i)
      end
      text[#text + 1] = "\n> shop@1.4.2 test\n> node --test\n\n"
      text[#text + 1] = run({ "buffer", "cache", "queue", "lock" }, "queue")
      local content = abridge.auto(table.concat(text), { max_bytes = 2048 })
      assert.truthy(content:find("    not ok 2 - queue handles case 2", 1, true), content)
      assert.truthy(content:find("strictly deep-equal:", 1, true), content)
    end)
  end)

  it("are counted once where a runner lists the results before it tells of the failures", function()
    local listed, told, summary = {}, {}, {}
    for i = 1, 90 do
      listed[i] = ("test_cart.py::test_%d %s [ %d%%]\n"):format(i, i % 30 == 7 and "FAILED" or "PASSED", i)
    end
    for i = 7, 90, 30 do
      local name = ("_"):rep(20) .. " test_" .. i .. " " .. ("_"):rep(20)
      local said = "%s\n\n>   assert total == 3\nE   assert %d == 3\n\ntest_cart.py:%d: AssertionError\n"
      told[#told + 1] = said:format(name, i, i)
      summary[#summary + 1] = ("FAILED test_cart.py::test_%d - assert %d == 3\n"):format(i, i)
    end
    local text = table.concat(listed) .. "\n" .. table.concat(told) .. table.concat(summary)
    local content, cut = abridge.priority(text, { max_bytes = 600 })
    assert.equal(3, cut.failures.found, content)
    cut = select(2, abridge.priority(text, { max_bytes = #text - 1000 }))
    assert.same({ found = 3, kept = 3 }, cut.failures)
    cut = select(2, abridge.priority(table.concat(listed), { max_bytes = 600 }))
    assert.equal(3, cut.failures.found)
  end)

  it("are counted once where a runner lists them again at the end", function()
    local runners = {
      mocha = {
        run = "    %d) counts the cart %d\n",
        heading = "\n  9 passing (1s)\n  %d failing\n\n",
        list = "  %d) Cart\n       counts the cart %d:\n     AssertionError: expected 400 to equal 422\n\n",
      },
      rspec = {
        run = "  counts %d (FAILED - %d)\n",
        heading = "\nFailures:\n\n",
        list = "  %d) Cart counts %d\n     Failure/Error: expect(total).to eq(9)\n\n",
        ending = "rspec ./spec/cart_spec.rb:%d # Cart counts %d\n",
        before_ending = "\n90 examples, 30 failures\n\nFailed examples:\n\n",
      },
      node = {
        run = "  ✖ counts cart %d of %d (6.2ms)\n    AssertionError: Expected values to be equal:\n\n    3 !== 4\n\n",
        heading = "✖ cart suite (9.1ms)\nℹ tests 90\nℹ fail 31\n\n✖ failing tests:\n\n",
        list = "test at cart.test.js:4:11\n✖ counts cart %d of %d (6.2ms)\n  AssertionError: not equal\n\n",
      },
      gtest = {
        run = "cart_test.cc:34: Failure\nExpected: %d\n  total\n[  FAILED  ] Cart.Counts%d (3 ms)\n",
        heading = "[  PASSED  ] 60 tests.\n[  FAILED  ] 30 tests, listed below:\n",
        list = "[  FAILED  ] Cart%d.Counts%d\n",
      },
      nextest = {
        run = "        FAIL [   0.07s] shop::cart tests::case_%d\ntest tests::case_%d ... FAILED\n\n",
        heading = "     Summary [   2.110s] 90 tests run: 60 passed, 30 failed, 0 skipped\n",
        list = "        FAIL [   0.07s] shop::cart%d tests::case_%d\n",
      },
      surefire = {
        run = "[ERROR] shop.CartTest.counts%d  Time elapsed: 0.1 s  <<< ERROR!\njava.lang.Exception: no cart %d\n\n",
        heading = "[ERROR] Errors: \n",
        list = "[ERROR]   CartTest.counts%d:%d » IllegalState the cart is empty\n",
      },
      dotnet = {
        run = "/src/Cart%d.cs(%d,21): error CS1061: 'ICart' has no such member [/src/Shop.csproj]\n",
        heading = "\nBuild FAILED.\n\n",
        list = "/src/Cart%d.cs(%d,21): error CS1061: 'ICart' has no such member [/src/Shop.csproj]\n",
      },
    }
    for name, runner in pairs(runners) do
      local run, list, ending = {}, {}, {}
      for i = 1, 30 do
        run[i] = runner.run:format(i, i)
        list[i] = runner.list:format(i, i)
        ending[i] = (runner.ending or ""):format(i, i)
      end
      local text = table.concat(run)
        .. runner.heading:format(30)
        .. table.concat(list)
        .. (runner.before_ending or "")
        .. table.concat(ending)
      local cut = select(2, abridge.priority(text, { max_bytes = 1000 }))
      assert.equal(30, cut.failures.found, name)
      assert.is_true(cut.failures.kept > 0 and cut.failures.kept < 30, name)
      -- of two runs, the second goes on after tests that passed
      cut = select(2, abridge.priority((passed(1, 9) .. text):rep(2), { max_bytes = 1000 }))
      assert.equal(60, cut.failures.found, name)
    end
  end)

  it("are as many as the diagnostics, in a list of them too", function()
    local listed, rows = {}, {}
    for i = 1, 60 do
      listed[i] = ('src/part_%d.py:%d: error: Name "total" is not defined  [name-defined]\n'):format(i % 9, i * 7)
      rows[i] = ("%s  %2d:9  error    'total' is not defined  no-undef\n"):format(
        i % 20 == 1 and "\n/shop/src/part_" .. i .. ".ts\n" or "",
        i
      )
    end
    for _, text in ipairs { table.concat(listed), table.concat(rows) } do
      local content, cut = abridge.priority(text, { max_bytes = 1000 })
      assert.equal(60, cut.failures.found)
      assert.equal(select(2, content:gsub("not defined", "")), cut.failures.kept)
      cut = select(2, abridge.priority(text, { max_bytes = #text }))
      assert.same({ found = 60, kept = 60 }, cut.failures)
    end
  end)

  it("are added up where results and other errors are not of one number", function()
    local lines = {}
    for i = 1, 9 do
      lines[#lines + 1] = passed(i * 10, i * 10 + 5) .. ("check_%d ... FAILED\n"):format(i)
    end
    for i = 1, 4 do
      lines[#lines + 1] = passed(i * 100, i * 100 + 5) .. ("ERROR: no cart at shelf %d\n"):format(i)
    end
    local _, cut = abridge.priority(table.concat(lines), { max_bytes = 600 })
    assert.equal(13, cut.failures.found)
    assert.is_true(cut.failures.kept < 13)
  end)

  it("of which there are many are named, a fifth of the room, before all is told of a few", function()
    local parts = {}
    for i = 1, 40 do
      local lines = { ("12:00:01  WARNING -  PROCESS-CRASH | crashed [@ Undo::Run] | editor/test_%d.js"):format(i) }
      for frame = 1, 25 do
        lines[#lines + 1] = ("12:00:01     INFO -  %2d  libeditor.so!Frame_%d_%d [Undo.cpp : %d + 0x5]"):format(
          frame,
          frame,
          i * 7919 % 1000,
          frame * i
        )
      end
      for step = 1, 4 do
        local name = ("abcdefgh"):sub(step, step + i % 5)
        local said = "12:00:02     INFO -  PID %d | ERROR: step %d of %s failed: code %d"
        lines[#lines + 1] = said:format(i * 31, step, name, i * step)
      end
      lines[#lines + 1] = ("12:00:02     INFO -  TEST-START | editor/test_%d.js\n"):format(i + 1)
      parts[i] = table.concat(lines, "\n")
    end
    local content = abridge.priority(table.concat(parts), { max_bytes = 8192 })
    local named = select(2, content:gsub("PROCESS%-CRASH", ""))
    assert.is_true(named >= 12, content)
  end)

  it("that a line with a colon announces show it with their message, be it no clear report", function()
    local parts = {}
    for i = 1, 60 do
      parts[#parts + 1] = ("> Task :part_%d:assemble\n"):format(i)
      if i % 4 == 0 then
        local name = ("abcdefgh"):sub(i % 7 + 1)
        parts[#parts + 1] = ("* Something is wrong with the part %s of the %s:\n"):format(name, name:rep(i % 3 + 1))
        parts[#parts + 1] = ("Its lock %s is held by till %d of the shop in the %s street\n\n"):format(name, i, name)
      end
    end
    local content = abridge.priority(table.concat(parts), { max_bytes = 1024 })
    local told = select(2, content:gsub("%* Something is wrong[^\n]*\nIts lock", ""))
    assert.is_true(told >= 3, content)
  end)

  it("show the first one though long lines stand above it, of which others there are many", function()
    local lines = { "MSBuild version 18.0.5", "" }
    for i = 1, 3 do
      local path = ("C:\\shop\\packages\\part%d\\"):format(i):rep(9)
      lines[#lines + 1] = path .. "part.targets(21,5): warning MSB9008: the project part does not exist."
    end
    for i = 1, 70 do
      local at = "C:\\shop\\cart.hpp(%d,42): error C%d: 'total_%d': is not a member of 'shop' [C:\\shop\\shop.vcxproj]"
      lines[#lines + 1] = at:format(i * 7, i < 30 and 2143 or 2000 + i, i)
      lines[#lines + 1] = "  (compiling source file 'main.cpp')"
      lines[#lines + 1] = "  "
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    assert.is_truthy(content:find("'total_1': is not a member", 1, true), content)
  end)

  it("that are common show once, however much rarer ones say", function()
    local verbs = { "rejected", "lost", "cannot read", "refused", "dropped", "did not find", "could not open" }
    local things = { "the total", "its lock", "a price", "the till", "one slip", "the drawer", "a coupon", "the tax" }
    local parts = { "FATAL: the broker is gone\n" }
    for i = 1, 56 do
      local verb, thing = verbs[i % #verbs + 1], things[i % #things + 1]
      parts[#parts + 1] = ("FATAL: shop %s %s of %s\n"):format(verb, thing, ("abcdefgh"):sub(i % 8 + 1):rep(i % 5 + 1))
      parts[#parts + 1] = ("  while it %s %s\n"):format(verb, thing)
      for k = 1, i > 20 and i < 40 and 20 or 0 do
        parts[#parts + 1] = ("INFO took cart %d\nERROR no route to worker %d\nINFO left cart %d\n"):format(k, k, k)
      end
    end
    local content = abridge.priority(table.concat(parts), { max_bytes = 2048 })
    assert.is_truthy(content:find("no route to worker", 1, true), content)
  end)

  it("show the message of each that is named, before the frames of a few", function()
    local text = { "> Task :test", "" }
    for i = 1, 12 do
      text[#text + 1] = ("LedgerTest > shouldBook%d() FAILED"):format(i)
      text[#text + 1] = ("    java.lang.IllegalStateException: account %d is closed"):format(i * 37)
      for depth = 1, 25 do
        text[#text + 1] = ("        at org.example.engine.Node%d.execute(Node%d.java:%d)"):format(
          depth,
          depth,
          90 + depth
        )
      end
      text[#text + 1] = ""
    end
    text[#text + 1] = "40 tests completed, 12 failed"
    local content = abridge.auto(table.concat(text, "\n") .. "\n", { max_bytes = 8192 })
    for i = 1, 12 do
      assert.matches(
        ("shouldBook%d() FAILED\n    java.lang.IllegalStateException: account %d is closed\n"):format(i, i * 37),
        content,
        1,
        true
      )
    end
  end)

  it("of a linter show below the name of the file that they are about", function()
    local lines, file_of = {}, {}
    for i = 1, 25 do
      local file = ("/shop/src/part_%d.tsx"):format(i)
      lines[#lines + 1] = ""
      lines[#lines + 1] = file
      for k = 1, 2 + i * 7 % 9 do
        local level, said = "warning", ("Unexpected any in field_%d_%d"):format(i, k)
        if (i * 5 + k) % 4 == 0 then
          level, said = "error", ("'item_%d_%d' is not defined"):format(i, k)
        end
        lines[#lines + 1] = ("  %3d:%-3d %-8s %-50s no-undef"):format(i * k, k, level, said)
        file_of[lines[#lines]] = file
      end
    end
    lines[#lines + 1] = "\n✖ 150 problems (37 errors, 113 warnings)\n"
    for _, bytes in ipairs { 1024, 2048, 4096 } do
      local content, named, rows = abridge.auto(table.concat(lines, "\n"), { max_bytes = bytes }), nil, 0
      for line in content:gmatch "[^\n]+" do
        if line:find "^/shop" then named = line end
        if file_of[line] then
          rows = rows + 1
          assert.equal(file_of[line], named, content)
        end
      end
      assert.is_true(rows > 5, content)
    end
  end)

  it("that a list at the end names one by one are all named, as far as their list fits", function()
    local names = { "alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "kapok" }
    local parts, list = { "collected 60 items\n" }, {}
    for i, name in ipairs(names) do
      parts[#parts + 1] = ([[
________________________________ test_%s ________________________________

tree = %s(%d)

    def test_%s(tree):
        tree.grow(%d)
>       tree.%s_rings()
E       AttributeError: '%s' object has no attribute '%s_rings'

tests/test_%s.py:%d: AttributeError
]]):format(name, name, i, name, i, name, name, name, name, i)
      list[i] = ("FAILED tests/test_%s.py::test_%s - AttributeError: '%s' obj..."):format(name, name, name)
    end
    parts[#parts + 1] = "=========================== short test summary info ============================\n"
    local ending = "======================== 11 failed, 49 passed in 0.20s =========================\n"
    local text = table.concat(parts) .. table.concat(list, "\n") .. "\n" .. ending
    local content = abridge.priority(text, { max_bytes = 1600 })
    for _, line in ipairs(list) do
      assert.is_true(whole(content, line), content)
    end
    content = abridge.priority(text, { max_bytes = 700 })
    assert.is_true(whole(content, "E       AttributeError"), content)
  end)

  it("that the run tells of again show their messages, not the rows of their results", function()
    local rows, told, names = {}, {}, {}
    for i = 1, 90 do
      local fails = i % 15 == 4 or i % 15 == 5
      rows[i] = ("  %s  %d [chromium] > e2e/till.spec.ts:%d:7 > till > rings %d (%d.1s)"):format(
        fails and "\226\156\152" or "\226\156\147",
        i,
        i,
        i,
        i % 9
      )
      if fails then
        names[#names + 1] = ("    [chromium] > e2e/till.spec.ts:%d:7 > till > rings %d"):format(i, i)
        told[#told + 1] = ("  %d) %s\n\n    Error: the drawer of till %d is shut\n\n%s"):format(
          #names,
          names[#names],
          i,
          ("        at ring (e2e/till.spec.ts:7:9)\n"):rep(20)
        )
      end
    end
    local text = ("Running 90 tests\n\n%s\n\n\n%s\n  %d failed\n%s\n"):format(
      table.concat(rows, "\n"),
      table.concat(told, "\n\n"),
      #names,
      table.concat(names, "\n")
    )
    local content = abridge.priority(text, { max_bytes = 3000 })
    assert.is_nil(content:find("\226\156\152", 1, true), content)
    local _, messages = content:gsub("Error: the drawer of till %d+ is shut", "")
    assert.equal(#names, messages, content)
  end)

  it("that end their first line with a colon show the message below it", function()
    local parts = {}
    for i = 1, 14 do
      local frames = {}
      for k = 1, 16 do
        frames[k] = ("  %d: core::tree%d::ring%d\n             at ./src/tree.rs:%d:7"):format(k, i, k, k)
      end
      parts[i] = ("---- tree::case_%d stdout ----\nthread 'tree::case_%d' panicked at src/tree.rs:%d:9:\n"):format(
        i,
        i,
        i
      ) .. ("ring %d of the tree is %s\nstack backtrace:\n"):format(i, ("rot"):rep(i)) .. table.concat(
        frames,
        "\n"
      ) .. "\n\n"
    end
    local text = "failures:\n\n" .. table.concat(parts) .. "test result: FAILED. 3 passed; 14 failed\n"
    for _, budget in ipairs { 1024, 2048, 4096 } do
      local content = abridge.priority(text, { max_bytes = budget })
      local panics = select(2, content:gsub("panicked at [^\n]+:\n", ""))
      assert.equal(panics, select(2, content:gsub("panicked at [^\n]+:\nring ", "")), content)
      assert.is_true(panics > 1, content)
    end
  end)

  it("show the program's own frames rather than those of the language and of packages", function()
    local frames = {}
    local function frame(name, place)
      frames[#frames + 1] = ("  %2d:     0x5633e43785db - %s\n"):format(#frames, name)
        .. ("                               at %s\n"):format(place)
    end
    local own = { "shop::cart::charge::h9a87470353c55c53", "shop::cart::settle::ha06b11e2b79068a6" }
    for i = 1, 20 do
      frame(
        ("<core[c1f1a4ba]::panic::unwind_safe::Step%d<alloc[a4ba]::vec::Vec<u8>>>::run"):format(i),
        ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panic/unwind_safe.rs:%d:9"):format(i)
      )
    end
    frame(own[1], "/home/ann/shop/src/cart.rs:2:71")
    frame(own[2], "/home/ann/shop/src/cart.rs:3:55")
    for i = 1, 20 do
      frame(("tokio::park::poll%d"):format(i), ("/root/.cargo/registry/src/tokio-1/a.rs:%d:5"):format(i))
    end
    local text = passed(1, 300)
      .. "thread 'main' panicked at src/cart.rs:2:71:\nindex out of bounds: the len is 3\nstack backtrace:\n"
      .. table.concat(frames)
      .. "note: that was all\n"
    for _, budget in ipairs { 1024, 2048 } do
      local content = abridge.priority(text, { max_bytes = budget })
      assert.is_true(whole(content, own[1] .. "\n"), content)
      assert.is_true(whole(content, own[2] .. "\n"), content)
    end
  end)

  it("that go on as a log does show the newest clear message, below many older ones", function()
    local lines = {}
    local function at(seconds, text)
      lines[#lines + 1] = ("[%12.6f] %s\n"):format(seconds, text)
    end
    local function noise(from, count)
      local says = { "docker0: port 1(veth%06x) entered forwarding state", "device veth%06x left promiscuous mode" }
      for i = 1, count do
        at(from + i, says[i % 2 + 1]:format((from + i) * 7919 % 2 ^ 24))
      end
    end
    for i = 1, 60 do
      at(i * 30, ("chrome[%d]: segfault at %x ip 00007f%010x error 4 in libGL.so.1.7.0"):format(i, i * 77, i * 2654435))
      noise(i * 30, 6)
    end
    local newest = "chrome[9999]: segfault at 18 ip 000055d0c0de error 6 in libcart.so.2"
    at(2000, newest)
    noise(2001, 300)
    for _, budget in ipairs { 1024, 2048 } do
      local content = abridge.priority(table.concat(lines), { max_bytes = budget })
      assert.is_true(whole(content, newest), content)
    end
  end)

  it("are none that a test printed which passed", function()
    local lines = {}
    for i = 1, 120 do
      local class = ("shop.Case%dTest"):format(i)
      lines[#lines + 1] = "[INFO] Running " .. class
      lines[#lines + 1] = ("12:07:57.%03d ERROR [main] shop.Cart%d - cannot price item %d"):format(i, i, i * 7)
      lines[#lines + 1] = "java.lang.IllegalStateException: no price"
      lines[#lines + 1] = ("\tat %s.sums(Case%dTest.java:21)"):format(class, i)
      local counts = "Tests run: 3, Failures: %d, Errors: 0, Skipped: 0, Time elapsed: 0.4 s%s - in " .. class
      lines[#lines + 1] = i == 70 and "[ERROR] " .. counts:format(1, " <<< FAILURE!")
        or "[INFO] " .. counts:format(0, "")
    end
    local text = table.concat(lines, "\n") .. "\n"
    local content, cut = abridge.priority(text, { max_bytes = 900 })
    assert.equal(1, cut.failures.found)
    assert.is_true(whole(content, "cannot price item 490\n"), content)
    assert.is_true(whole(content, "<<< FAILURE! - in shop.Case70Test\n"), content)
    local stream = abridge.stream { max_bytes = 900, strategy = "priority" }
    for at = 1, #text, 777 do
      stream:write(text:sub(at, at + 776))
    end
    assert.equal(content, (stream:finish()))
  end)

  it("of nothing but an exit line are one", function()
    local _, cut = abridge.priority(passed(1, 500) .. "make: *** [Makefile:3: check] Error 1\n", { max_bytes = 900 })
    assert.same({ found = 1, kept = 1 }, cut.failures)
  end)

  it("keep a sanitizer's report before its dump", function()
    local report = {
      "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x603000001010 at pc 0x55d2c0 bp 0x7ffe sp 0x7ffe",
      "READ of size 8 at 0x603000001010 thread T0",
      "    #0 0x55d2c0de in take /src/queue.c:31",
      "    #1 0x55d2c1aa in main /src/main.c:12",
      "",
      "SUMMARY: AddressSanitizer: heap-use-after-free /src/queue.c:31 in take",
    }
    local dump = {}
    for i = 1, 40 do
      dump[i] = ("  0x0c067fff%04x: fa fa 00 00 00 00 fa fa fd fd fd fd fa fa 00 00"):format(i * 16)
    end
    local text = passed(1, 300) .. table.concat(report, "\n") .. "\n" .. table.concat(dump, "\n") .. "\n==77==ABORT\n"
    local content = abridge.priority(text, { max_bytes = 1300 })
    for _, line in ipairs(report) do
      assert.is_true(whole(content, line .. "\n"), line)
    end
  end)
end)
