-- SPEC 6: what a priority cut keeps, as a host and a model see it. What counts as a hit is in spec/c/test_priority.c.
local abridge = require "support.unsaved"
local contains = require "support.contains"
local plain = require "support.plain"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local quiet = seq(1, 10000, "test foo_error_handling_%d ... ok")
local failure = "src/cart.rs:40: assertion failed: total == 7\n"
local log = quiet .. failure .. quiet .. "test run over\n"

describe("priority", function()
  it("keeps one failure amid twenty thousand tests that passed, and the last line", function()
    local content, cut = abridge.priority(log, { max_bytes = 2048 })
    assert.is_true(#content <= 2048 and #content >= 2048 * 0.95)
    contains(content, failure)
    assert.equal("test run over\n", content:sub(-14))
    contains(content, "test foo_error_handling_1 ... ok\n")
    assert.equal("priority", cut.strategy)
    assert.equal("bytes", cut.truncated_by)
    assert.same({ found = 1, kept = 1 }, cut.hits)
    assert.same({ found = 1, kept = 1 }, cut.failures)
  end)

  it("keeps what sums up a run without trouble, though cleaning up comes after it", function()
    local total = "507 passed, 9 skipped in 61.20s\n"
    local text = seq(1, 400, "collected item_%d from the store")
      .. total
      .. seq(1, 60, "removed /srv/cache/item_%d/pack")
    local content, cut = abridge.priority(text, { max_bytes = 900 })
    contains(content, total)
    contains(content, "collected item_1 from the store\n")
    contains(content, "removed /srv/cache/item_60/pack\n")
    assert.equal(0, cut.hits.found)
    assert.equal(2, select(2, content:gsub("omitted%]", "")))
  end)

  it("counts no failure in pytest's summary of warnings", function()
    local line = "ValueError: I/O operation on closed file\n"
    local warnings = "=== warnings summary ===\n" .. ("Exception ignored in: <cart>\n" .. line):rep(40)
    local _, cut = abridge.priority(warnings .. "=== 1 failed, 300 passed in 0.26s ===\n", { max_bytes = 900 })
    assert.equal(1, cut.hits.found)
  end)

  it("gives the lines after a failed command little room, and fills the gaps before it first", function()
    local before, after = {}, {}
    for i = 1, 40 do
      before[i] = ("  compared %s%d of the cart with its copy\n"):format(("price"):rep(i % 3 + 1), i)
      after[i] = ("/home/runner/.cache/%s%d/pack\n"):format(("blob"):rep(i % 3 + 1), i)
    end
    local told = "error: the totals differ\n" .. table.concat(before) .. 'The command "make check" exited with 1.\n'
    local text = quiet .. told .. table.concat(after) .. "Done.\n"
    local content = abridge.priority(text, { max_bytes = 2048 })
    contains(content, "Done.\n")
    local _, cleaning = content:gsub("/home/runner/", "")
    local _, said = content:gsub("compared price", "")
    assert.is_true(cleaning <= 3 and said >= 25, content)
  end)

  it("keeps the first line with a text, and the blank ones above it, however many failures come", function()
    local failures = {}
    for i = 1, 90 do
      failures[i] = ("step %d is done\ncart%d: cannot open /srv/carts/%d: No such file or directory\n"):format(i, i, i)
    end
    local steps = ("\nreading the carts\n"):rep(20)
    local content = abridge.priority("\n\n[ Audit 3.0.8 ]\n" .. steps .. table.concat(failures), { max_bytes = 1024 })
    assert.equal("\n\n[ Audit 3.0.8 ]\n", content:sub(1, 18))
  end)

  it("keeps one failure amid hundreds of '0 failed'", function()
    local zeros = seq(1, 400, "suite %d: 12 passed, 0 failed")
    local content, cut = abridge.cut(zeros .. "suite cart: 11 passed, 1 failed\n" .. zeros, {
      strategy = "priority",
      max_bytes = "2KB",
    })
    contains(content, "suite cart: 11 passed, 1 failed\n")
    contains(content, "suite 400: 12 passed, 0 failed\n")
    assert.equal(1, cut.hits.found)
  end)

  it("tells errors apart by words beyond ASCII, as by others", function()
    local function of(message)
      return seq(1, 200, "10:00:00 [ ERROR ] " .. message .. ", 12")
    end
    local text = of "库存已经同步" .. "10:00:01 [ ERROR ] 支付失败, 12\n" .. of "库存已经同步"
    contains(abridge.priority(text, { max_bytes = 600 }), "支付失败")
  end)

  it("keeps a compiler's first error, though many like it follow from it", function()
    local at = "C:\\shop\\cart.hpp(%d,4): error C%d: %s [C:\\shop\\cart.vcxproj]\n  (compiling 'cart.cpp')"
    local lines = { "MSBuild version 17", "C:\\build\\a.targets(9,5): warning M9: unbuilt" .. (" shop\\part"):rep(30) }
    lines[#lines + 1] = at:format(16, 2143, "syntax error: missing '}' before 'constant'")
    for i = 1, 150 do
      local message = i % 2 == 0 and "syntax error: missing ';' before '}'" or "the name is unknown here"
      lines[#lines + 1] = at:format(20 + i, i % 2 == 0 and 2143 or 2200 + i, message)
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 1024 })
    contains(content, "missing '}' before 'constant'")
  end)

  it("shows what a long last line says, wherever it says it, and how it ends", function()
    for _, before in ipairs { 20, 100, 150, 180, 250, 400, 1100 } do
      local last = ("p"):rep(before) .. "(54,5): error M806: no cart for" .. (" q.cpp"):rep(200) .. " done with code 1."
      local content = abridge.priority(seq(1, 90, "part %d of the cart is built") .. last .. "\n", { max_bytes = 2048 })
      contains(content, "error M806: no cart")
      assert.equal("done with code 1.\n", content:sub(-18))
    end
  end)

  it("marks each gap with its lines, and tells each range", function()
    local content, cut = abridge.priority(log, { max_bytes = 2048 })
    local told = 0
    for count in content:gmatch "%f[^\n%z]%.%.%. %[(%d+) lines [ %l]-omitted%] %.%.%.\n" do
      told = told + tonumber(count)
    end
    assert.equal(cut.omitted_lines, told)
    local at, kept = 0, 0
    for _, range in ipairs(cut.kept) do
      assert.is_true(range.first_byte > at)
      contains(content, log:sub(range.first_byte, range.last_byte))
      local _, newlines = log:sub(1, range.first_byte - 1):gsub("\n", "")
      assert.equal(newlines + 1, range.first_line)
      at, kept = range.last_byte, kept + range.last_byte - range.first_byte + 1
    end
    assert.is_true(#cut.kept > 1)
    assert.equal(cut.output_bytes, kept)
  end)

  it("is head_tail where nothing is said, with its own marker", function()
    local opts = { max_bytes = 500 }
    local content, cut = abridge.priority(quiet, opts)
    local ends =
      abridge.head_tail(quiet, { max_bytes = 500, marker_text = "... [{bytes} bytes like the one below omitted] ..." })
    local function ends_of(s)
      return { s:match "^(.-)%.%.%. %[.*omitted%] %.%.%.\n(.*)$" }
    end
    assert.same(ends_of(ends), ends_of(content))
    contains(content, ("\n... [%d lines like the one below omitted] ...\n"):format(cut.omitted_lines))
    assert.same({ found = 0, kept = 0 }, cut.hits)
    assert.same({ found = 0, kept = 0 }, cut.failures)
  end)

  it("hands back a text that fits, its hits counted", function()
    local content, cut = abridge.priority(failure, { max_bytes = 100 })
    assert.equal(failure, content)
    assert.is_false(cut.truncated)
    assert.same({ found = 1, kept = 1 }, cut.hits)
  end)

  it("takes for a hit the status of a response that refuses, but not of one in a log of requests", function()
    local headers = {}
    for i = 1, 80 do
      headers[i] = ("< x-part-%d: %d"):format(i, i * 7)
    end
    headers[30] = "< HTTP/2 422"
    local content, cut = abridge.priority(table.concat(headers, "\n") .. "\n", { max_bytes = 512 })
    assert.equal(1, cut.hits.found)
    assert.is_truthy(content:find("HTTP/2 422", 1, true), content)
    cut = select(2, abridge.priority('127.0.0.1 - - "GET /favicon.ico HTTP/1.1" 404 153\n', { max_bytes = 512 }))
    assert.equal(0, cut.hits.found)
  end)

  it("takes for a hit a failure at a time in seconds, and not a commit on a day", function()
    local function hits(line)
      local _, cut = abridge.priority(("step done\n"):rep(9) .. line .. "\n", { max_bytes = 4096 })
      return cut.hits.found
    end
    assert.equal(1, hits "1772446320 ERROR cannot connect to the queue")
    assert.equal(1, hits "1772446320123 failed to connect to the queue")
    assert.equal(0, hits "1234567 fix failed requests")
    assert.equal(0, hits "9c5e45f7 2026-11-30 failing: a build that fails shows")
    assert.equal(0, hits "9c5e45f7 2026-11-30T10:00:00+00:00 failing builds show")
    assert.equal(0, hits "9c5e45f7 - failing builds show (3 days ago)")
  end)

  it("counts the lines of one failure as one", function()
    local line = "error: the total of the cart is 7\n"
    local failed = line:rep(3) .. seq(1, 11, "step %d") .. line .. seq(1, 12, "step %d") .. line
    local _, cut = abridge.priority(failed, { max_bytes = #failed })
    assert.same({ found = 5, kept = 5 }, cut.hits)
    assert.same({ found = 3, kept = 3 }, cut.failures)
    local long = (failed .. seq(1, 100, "step %d")):rep(50)
    local _, short = abridge.priority(long, { max_bytes = 1000 })
    assert.same({ 250, 150 }, { short.hits.found, short.failures.found })
    assert.is_true(short.failures.kept > 1 and short.failures.kept < short.hits.kept)
  end)

  it("does not take lines of a shape seen often for part of a failure, deep as they are", function()
    local names = { "cart", "user", "order", "store", "queue" }
    local function build(count)
      local built = {}
      for i = 1, count do
        local room, file, hidden = names[i % 5 + 1], names[i % 3 + 1], i % 7 > 3 and " [hidden]" or ""
        built[i] = ("    [%d] ./src/%s/%s.js %d KiB [built]%s\n"):format(i, room, file, i % 89, hidden)
      end
      return table.concat(built)
    end
    local text = build(2000) .. "ERROR: could not write the order\n  cause: refused\n" .. build(2000)
    local content = abridge.priority(text, { max_bytes = 8192 })
    local _, after = content:match("refused\n(.-)\n%.%.%. %["):gsub("\n", "")
    assert.is_true(after < 20, content)
  end)

  it("names the file of each row in which a linter reports an error, however many files it warns of", function()
    local rows = { "> eslint src" }
    for i = 1, 60 do
      rows[#rows + 1] = ("/ci/shop/src/part_%d.ts"):format(i)
      for k = 1, 5 do
        rows[#rows + 1] = ("  %d:5   warning  Unexpected console statement  no-console"):format(i * 3 + k)
      end
      rows[#rows + 1] = i % 20 == 3 and ("  %d:9   error    'totl%d' is not defined  no-undef"):format(i, i) or ""
    end
    local text = table.concat(rows, "\n") .. "\n✖ 303 problems (3 errors, 300 warnings)\n"
    local content, cut = abridge.auto(text, { max_bytes = 900 })
    for _, i in ipairs { 3, 23, 43 } do
      contains(content, ("/ci/shop/src/part_%d.ts\n"):format(i))
      contains(content, ("'totl%d' is not defined"):format(i))
    end
    assert.equal(4, cut.hits.found)
    assert.equal(cut.failures.found, cut.failures.kept)
  end)

  it("keeps an excerpt and its caret with the error that they belong to", function()
    local parts = {}
    for i = 1, 60 do
      local place = ("src/part_%d.c:%d:5"):format(i, i * 7)
      parts[#parts + 1] = ("%s: error: 'name_%d' undeclared (first use in this function)\n"):format(place, i)
        .. ("  %3d |     call_%d(name_%d);\n"):format(i * 7, i, i)
        .. "      |     ^~~~~\n"
        .. ("%s: note: each undeclared identifier is reported only once\n"):format(place)
    end
    for _, budget in ipairs { 700, 1024, 1500, 2048, 3000, 4096 } do
      local content = abridge.priority(table.concat(parts), { max_bytes = budget })
      local above, carets = "", 0
      for line in content:gmatch "[^\n]+" do
        if line:find "^ +| +%^" then
          carets = carets + 1
          assert.truthy(above:find "^ +%d+ |", content)
        elseif line:find "^ +%d+ |" then
          assert.truthy(above:find(": error: ", 1, true), content)
        end
        above = line
      end
      assert.is_true(carets > 0)
    end
  end)

  it("counts a line that is still open in a snapshot, and once", function()
    for _, opts in ipairs { { max_bytes = 200 }, { max_bytes = 5000 } } do
      opts.strategy = "priority"
      local stream = abridge.stream(opts)
      stream:write(failure .. seq(1, 50, "step %d") .. failure:sub(1, -2))
      for _ = 1, 2 do
        assert.same({ found = 2, kept = 2 }, select(2, stream:snapshot()).failures)
      end
      stream:write "\n"
      assert.same({ found = 2, kept = 2 }, select(2, stream:finish()).failures)
    end
  end)

  it("holds every budget", function()
    for _, budget in ipairs { 0, 1, 10, 50, 96, 100, 300, 2048 } do
      local content = abridge.priority(log, { max_bytes = budget })
      assert.is_true(#content <= budget)
      content = abridge.priority(log, { max_chars = budget })
      assert.is_true(abridge.count_chars(content) <= budget)
      local _, cut = abridge.priority(log, { max_lines = budget })
      assert.is_true(cut.output_lines <= budget)
      content = abridge.priority(log, {
        max_tokens = budget,
        count_tokens = function(text)
          return #text
        end,
      })
      assert.is_true(#content <= budget)
      content = abridge.priority(log, { max_bytes = budget, reserve = "[cut]" })
      assert.is_true(#content + 5 <= math.max(budget, 5))
    end
  end)

  it("asks a counter of tokens a few times only, and raises what it raises", function()
    local calls = 0
    abridge.priority(log, {
      max_tokens = 600,
      count_tokens = function(text)
        calls = calls + 1
        return #text
      end,
    })
    assert.is_true(calls > 0 and calls < 40, calls .. " calls")
    local function broken()
      error "no counter"
    end
    plain.raises({ "no counter" }, abridge.priority, log, { max_tokens = 600, count_tokens = broken })
  end)

  it("tells bytes where no whole line is left out", function()
    local content = abridge.priority("error: it failed " .. ("word "):rep(300), { max_bytes = 60 })
    assert.matches("^%.%.%. %[1%d%d%d bytes omitted%] %.%.%.\n", content)
    assert.is_true(#content <= 60)
  end)

  it("takes the markers of head_tail", function()
    contains((abridge.priority(log, { max_bytes = 999, marker_text = "~{lines}~" })), "\n~9")
    assert.is_nil((abridge.priority(log, { max_bytes = 999, marker = "none" })):find("omitted", 1, true))
    local content, cut = abridge.priority(log, { max_bytes = 999, marker = "outside" })
    assert.is_true(cut.output_bytes <= 999 and #content > cut.output_bytes)
  end)
end)

describe("hits", function()
  local text = seq(1, 500, "step %d") .. "Queue depth 9000 is high\n" .. seq(1, 500, "step %d")

  local function found(hits)
    return select(2, abridge.priority(text, { max_bytes = 300, hits = hits })).hits.found
  end

  it("add patterns", function()
    local content, cut = abridge.priority(text, { max_bytes = 300, hits = { "queue depth *000" } })
    contains(content, "Queue depth 9000 is high\n")
    assert.same({ found = 1, kept = 1 }, cut.hits)
    assert.same({ found = 1, kept = 1 }, cut.failures)
    assert.equal(0, found {})
    assert.equal(0, found { { text = "queue depth", case = true } })
    assert.equal(1, found { { text = "depth", word = true } })
    assert.equal(0, found { { text = "dept", word = true } })
    assert.equal(1, found { "nothing", { text = "HIGH", weight = 50 } })
  end)

  it("switch groups of words off, and lines with a pattern", function()
    local opts = { max_bytes = 300 }
    local failed = quiet .. "a: error: b\n" .. quiet
    assert.equal(1, select(2, abridge.priority(failed, opts)).hits.found)
    opts.hits = { groups = { errors = false, warnings = true } }
    assert.equal(0, select(2, abridge.priority(failed, opts)).hits.found)
    opts.hits = { { text = "a: error:", weight = 0 } }
    assert.equal(0, select(2, abridge.priority(failed, opts)).hits.found)
  end)

  it("find a match of up to 1024 bytes anywhere in a line of any length", function()
    local long = "<" .. ("match"):rep(204) .. ">" -- of 1022 bytes
    local starred = "begin" .. ("."):rep(1014) .. "end" -- and 1022
    for place = 2900, 4200, 37 do
      local line = ("- "):rep(place):sub(1, place)
      for pattern, match in pairs { [long] = long, ["begin*end"] = starred } do
        local whole = "first\n" .. line .. match .. line .. "\n" .. ("rest\n"):rep(100)
        local _, cut = abridge.priority(whole, { max_bytes = 300, hits = { { text = pattern, word = true } } })
        assert.same({ place, 1 }, { place, cut.hits.found })
      end
    end
  end)

  it("raise with key and value", function()
    local function wrong(wanted, hits)
      plain.raises(wanted, abridge.priority, "x", { max_bytes = 1, hits = hits })
    end
    wrong({ "hits", "got 5" }, 5)
    wrong({ "hits[1]", "got 5" }, { 5 })
    wrong({ "hits[2]" }, { "a", "" })
    wrong({ "hits[1]" }, { {} })
    wrong({ "hits[1]" }, { ("x"):rep(1025) })
    wrong({ "hits[1].weight", "-1" }, { { text = "a", weight = -1 } })
    wrong({ "hits[1].weight", "101" }, { { text = "a", weight = 101 } })
    wrong({ "hits[1].word", "yes" }, { { text = "a", word = "yes" } })
    wrong({ "'wieght' in hits[1] (value 1)" }, { { text = "a", wieght = 1 } })
    wrong({ "hits.groups.errors", "no" }, { groups = { errors = "no" } })
    wrong({ "hits.groups", "eror" }, { groups = { eror = false } })
    wrong({ "hits.groups", "got 1" }, { groups = 1 })
    wrong({ "'pattern' in hits (value \"a\")" }, { pattern = "a" })
    local many = {}
    for i = 1, 257 do
      many[i] = "a"
    end
    wrong({ "hits", "257" }, many)
    plain.raises({ "hits", "head" }, abridge.head, "x", { max_bytes = 1, hits = { "a" } })
  end)

  it("are copied: a stream goes by what they were", function()
    local hits = { "queue depth" }
    local stream = abridge.stream { strategy = "priority", max_bytes = 300, hits = hits }
    hits[1] = "nothing"
    hits = nil -- luacheck: ignore
    collectgarbage()
    stream:write(text)
    assert.equal(1, select(2, stream:finish()).hits.found)
    stream:close()
  end)
end)

describe("a message of pytest", function()
  it("shows before where its values are from, and how to see more of them", function()
    local one = [[
____ test_total_%d ____

    def test_total_%d(cart):
>       assert cart.total() == %d
E       AssertionError: assert 7%d == %d
E        +  where 7%d = <bound method Cart.total of <Cart at 0x7fd9fbe6d0>>()
E        +    where <bound method Cart.total of <Cart at 0x7fd9fbe6d0>> = <Cart at 0x7fd9fbe6d0>.total
E         Omitting 2 identical items, use -vv to show
E         ...Full output truncated (9 lines hidden), use '-vv' to show
E         Use -v to get more diff

tests/test_cart.py:%d: AssertionError
]]
    local failures = {}
    for i = 1, 9 do
      failures[i] = one:gsub("%%d", tostring(i))
    end
    local text = "==== FAILURES ====\n" .. table.concat(failures) .. "9 failed in 0.02s\n"
    local content = abridge.priority(text, { max_bytes = 2300 })
    for i = 1, 9 do
      assert.is_truthy(content:find(("assert 7%d == %d\n"):format(i, i), 1, true), content)
    end
  end)
end)

describe("notes of a compiler", function()
  local SORTS = {
    { "unused parameter 'x' [-Wunused-parameter]" },
    { "variable 'v' may be uninitialized here [-Wmaybe-uninitialized]", "initialize 'v' to silence this warning" },
    { "'D::f' hides overloaded virtual function [-Woverloaded]", "hidden 'B::f' is here: type mismatch at argument 1" },
    { "comparison of integers of different signs [-Wsign-compare]" },
    { "'make' is deprecated: use 'build' instead [-Wdeprecated]", "'make' was explicitly marked deprecated here" },
    { "declaration shadows a local variable [-Wshadow]", "previous declaration is here" },
  }

  it("are worth less than the warnings they belong to, whatever words they have", function()
    local lines = {}
    for i = 1, 90 do
      local sort = SORTS[i % #SORTS + 1]
      lines[#lines + 1] = ("src/m%d.cpp:%d:9: warning: %s"):format(i, i, sort[1])
      lines[#lines + 1] = "    int of_the_source(line);"
      if sort[2] then lines[#lines + 1] = ("src/m%d.h:%d:5: note: %s"):format(i, i, sort[2]) end
      if i == 45 then lines[#lines + 1] = "src/cart.cpp:7:1: error: expected ';' after struct" end
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 1500 })
    contains(content, "src/cart.cpp:7:1: error")
    contains(content, "src/m2.cpp:2:9: warning: 'D::f' hides")
    assert.is_nil(content:find("src/m2.h:2:5: note", 1, true), content)
  end)

  it("keep their worth if they say which line of the user's asked for it", function()
    local lines = {}
    for i = 1, 30 do
      lines[#lines + 1] = ("/usr/include/x.h:%d:9: error: no member named 'show' in 'T%d'"):format(i, i)
      lines[#lines + 1] = "    return t.show();"
      lines[#lines + 1] = "           ~ ^"
      lines[#lines + 1] = ("cart.cpp:%d:5: note: in instantiation of 'print<T%d>' requested here"):format(i, i)
      lines[#lines + 1] = ("/usr/include/x.h:%d:2: note: candidate function, no known conversion"):format(i)
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    local asked, others = select(2, content:gsub("requested here", "")), select(2, content:gsub("candidate", ""))
    assert.is_true(asked > 5 and others < asked, content)
  end)
end)

describe("a message below the source that it is about", function()
  it("shows with its heading, each for itself, as shellcheck prints them", function()
    local lines = {}
    for i = 1, 8 do
      for k = 1, 12 do
        local message = k == 6 and "SC2045 (error): Iterating over ls is fragile." or "SC2086 (info): Double quote."
        lines[#lines + 1] = ("In run-%d.sh line %d:"):format(i, k)
        lines[#lines + 1] = ("for f in $(ls *.%d); do"):format(k)
        lines[#lines + 1] = "         ^---------^ " .. message
        lines[#lines + 1] = '\nDid you mean:\nrm "$f"\n\n'
      end
    end
    local content, cut = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    assert.equal(8, cut.failures.found)
    for i = 1, 8 do
      contains(content, ("In run-%d.sh line 6:\nfor f in $(ls *.6); do\n         ^---------^ SC2045"):format(i))
    end
  end)
end)

describe("a message below the line that announces it", function()
  it("shows with the name of its error, as Selenium's does", function()
    local lines = {}
    for i = 1, 8 do
      lines[#lines + 1] = ("[ERROR] orders(shop.tests.Order%dTest)  Time elapsed: %d.1 s  <<< FAILURE!"):format(i, i)
      lines[#lines + 1] = "shop.browser.ElementHiddenException: "
      lines[#lines + 1] = ("the element %d is below the banner of the shop"):format(i) .. (" and its parts"):rep(9)
      lines[#lines + 1] = "Build info: version: '4.3.0', revision: 'a49'\nDriver info: driver.version: Driver"
      lines[#lines + 1] = "Capabilities {" .. ("browser: shop, "):rep(10) .. "}\n"
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 800 })
    contains(content, "Exception: \nthe element")
  end)

  it("shows with its key, as Ansible prints it in YAML", function()
    local lines = {}
    for i = 1, 30 do
      lines[#lines + 1] = ("fatal: [web%02d]: FAILED! => changed=false"):format(i)
      lines[#lines + 1] = "  msg: |-"
      lines[#lines + 1] = ("    The service of shop %d did not come up within the 90 seconds that "):format(i)
        .. "its unit allows for it, so that nothing can be deployed to this host now."
      lines[#lines + 1] = "  unreachable: true\n  rc: 0"
    end
    local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = 2048 })
    assert.is_true(select(2, content:gsub("msg: |%-\n    The", "")) >= 8, content)
    assert.is_true(select(2, content:gsub("msg: |%-\n%.%.%. %[", "")) <= 1, content)
  end)
end)

describe("a long traceback", function()
  local function calls(name)
    return seq(1, 60, '  File "/srv/' .. name .. '/part_%d.py", line 7, in step\n    return self.inner.step(batch)')
  end
  local before = seq(1, 400, "10:00:01 INFO batch %d is done")

  it("of Python keeps its innermost call, just above the message", function()
    local text = before
      .. "Traceback (most recent call last):\n"
      .. calls "app"
      .. '  File "/srv/dags/ledger.py", line 77, in load\n    check(rows)\nValueError: row count 12 below 5000\n'
    local content = abridge.priority(text .. before, { max_bytes = 2048 })
    contains(content, '"/srv/dags/ledger.py", line 77, in load\n    check(rows)\nValueError: row count')
    contains(content, '"/srv/app/part_1.py"')
  end)

  it("of Java keeps the innermost call of its cause", function()
    local frames = seq(1, 80, "\tat org.example.web.Filter%d.doFilter(Filter.java:141)")
    local text = before
      .. "10:00:02 ERROR request failed\norg.example.ServletException: cannot post the batch\n"
      .. frames
      .. "Caused by: org.example.RollbackException: Error while committing\n"
      .. frames
      .. "Caused by: org.example.StaleStateException: Row was updated by another transaction\n"
      .. "\tat com.acme.ledger.Poster.settle(Poster.java:141)\n"
      .. frames
    contains(abridge.priority(text .. before, { max_bytes = 1024 }), "Poster.settle(Poster.java:141)")
  end)

  it("of Python keeps that of each exception in a chain", function()
    local text = before
      .. "Traceback (most recent call last):\n"
      .. calls "app"
      .. '  File "/srv/money.py", line 9, in cents\n    Decimal(s)\ndecimal.InvalidOperation: bad amount\n'
      .. "\nDuring handling of the above exception, another exception occurred:\n\n"
      .. "Traceback (most recent call last):\n"
      .. calls "web"
      .. '  File "/srv/run.py", line 4, in main\n    job.run()\nBatchError: batch 77 failed\n'
    local content = abridge.priority(text .. before, { max_bytes = 2048 })
    contains(content, '"/srv/money.py", line 9, in cents\n')
    contains(content, '"/srv/run.py", line 4, in main\n')
  end)
end)

describe("gaps", function()
  local function count(content)
    return select(2, content:gsub("omitted%]", ""))
  end

  it("are not made for the later ones of many warnings of one shape", function()
    local lines = {}
    for i = 1, 60 do
      lines[#lines + 1] = "warning: unused variable: `unused`"
      lines[#lines + 1] = ("  --> src/part%d.rs:%d:9"):format(i, 10 + i)
      lines[#lines + 1] = "   |"
      lines[#lines + 1] = ("%d |     let unused = %d;"):format(10 + i, i)
      lines[#lines + 1] = "   |         ^^^^^^ help: if this is intentional, prefix it with an underscore"
      lines[#lines + 1] = ""
    end
    lines[#lines + 1] = "error: could not compile `shop`"
    for _, budget in ipairs { 1000, 2000, 4000, 8000 } do
      local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
      contains(content, lines[#lines])
      assert.is_true(count(content) <= 2, content)
    end
  end)

  it("of a few lines are closed while there is room", function()
    local lines = {}
    for i = 1, 700 do
      lines[i] = ("step %d of 700 is done"):format(i)
    end
    lines[300] = "kettle whistles on the stove"
    lines[302] = "walrus counts seven oysters"
    for _, budget in ipairs { 1000, 2000, 4000 } do
      local content = abridge.priority(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
      contains(content, table.concat(lines, "\n", 300, 302))
      assert.equal(2, count(content), content)
    end
  end)
end)

describe("a priority stream", function()
  it("gives what one call gives, its budget lowered at the end", function()
    for _, size in ipairs { 7, 1000, 65536 } do
      local stream = abridge.stream { strategy = "priority", max_bytes = "30KB" }
      for at = 1, #log, size do
        stream:write(log:sub(at, at + size - 1))
      end
      local want, want_cut = abridge.priority(log, { max_bytes = 2048 })
      local content, cut = stream:finish { max_bytes = 2048 }
      assert.equal(want, content)
      assert.same(want_cut, cut)
      stream:close()
    end
  end)

  it("keeps the full output", function()
    local dir = tmpdir.new()
    local stream = abridge.stream {
      strategy = "priority",
      max_bytes = 1000,
      full_output = { dir = dir:at "outputs", name = "log" },
    }
    stream:write(log)
    local _, cut = stream:finish()
    assert.equal(#log, cut.full_output_bytes)
    assert.is_true(dir:read "outputs/log" == log)
    stream:close()
    dir:remove()
  end)
end)

describe("a command", function()
  it("is cut by priority, and told how many failures are not shown", function()
    local session = abridge.session { limits = { run_command = { max_bytes = 1000 } } }
    local steps = seq(1, 30, "step %d"):gsub("\n", "\\n")
    local command = ("i=0; while [ $i -lt 200 ]; do i=$((i+1)); printf '%s'; "):format(steps)
      .. 'echo "job $i: error: no disk"; done; echo over'
    local result = session:call("run_command", { command = command })
    local cut = result.details.cut
    assert.is_true(#result.content <= 1000)
    assert.equal(200, cut.hits.found)
    assert.equal(200, cut.failures.found)
    assert.is_true(cut.failures.kept > 1 and cut.failures.kept < 200)
    contains(result.content, "over\n\n[Showing ")
    contains(result.content, ("%d more failures not shown]"):format(200 - cut.failures.kept))
    abridge.assert_conforms("run_command", result)
  end)

  it("may look for what its host asks for", function()
    local hits = { { text = "needle *", weight = 2 } }
    local session = abridge.session { limits = { run_command = { max_bytes = 500, hits = hits } } }
    local parts = "seq -f 'part %g' 1000; "
    local result = session:call("run_command", { command = parts .. "echo a needle here; " .. parts })
    contains(result.content, "a needle here\n")
    plain.raises({ "limits.run_command", "hits[1].weight" }, abridge.session, {
      limits = { run_command = { hits = { { text = "x", weight = "heavy" } } } },
    })
  end)
end)
