-- Outputs of chained commands: one lists files or prints one, the next one fails. SPEC 14: a failure counts at any
-- length.
local abridge = require "abridge"
local paths = require "support.paths"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

--- What commands print that did not fail, each whole lines. They run in a folder whose files never change: those of
--- spec/data/written, in a tree.
local AROUND = {
  "cat src/stream.c",
  "cat src/memory.c src/phrases.def",
  "cat lua/session.lua",
  "cat suite.sh mk/check.mk",
  "cat changes.md",
  "ls -lR src lua tree",
  "find src lua tree -name '*.*' | sort",
  "grep -n error src/*.c lua/*.lua tree/*/*.c",
  "env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 SHELL=/bin/bash TERM=xterm-256color USER=builder "
    .. "$(seq -f 'BUILD_SETTING_%02g=/opt/build/set' 20) EDITOR=vi PAGER=less GIT_AUTHOR_NAME='A Builder' env",
}

local PLACES = {
  ["stream.c"] = "src",
  ["memory.c"] = "src",
  ["phrases.def"] = "src",
  ["session.lua"] = "lua",
  ["check.mk"] = "mk",
}

--- The folder in which these commands run, as it is on every machine and every day.
local function tree()
  local dir = tmpdir.new()
  dir:run "mkdir -p src lua mk"
  for _, name in ipairs(paths.names "spec/data/written") do
    local own = name:gsub("%.txt$", "")
    dir:write((PLACES[own] and PLACES[own] .. "/" or "") .. own, assert(paths.read("spec/data/written/" .. name)))
  end
  dir:run [[
    for n in $(seq 24); do
      mkdir -p tree/room_$n
      for name in choice error_text failed_paths joint word; do
        head -n $((n * 3)) src/memory.c > tree/room_$n/$name.c
        head -n $n lua/session.lua > tree/room_$n/$name.lua
      done
    done
    find src lua tree -exec touch -t 202601020304 {} +
  ]]
  return dir
end

--- What failed, and the line that a reader needs.
local FAILURES = {
  pytest = {
    needle = "E       assert 6 == 7",
    [[
=================================== FAILURES ===================================
__________________________________ test_total __________________________________

    def test_total():
>       assert total([1, 2, 3]) == 7
E       assert 6 == 7
E        +  where 6 = total([1, 2, 3])

test_cart.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_cart.py::test_total - assert 6 == 7
============================== 1 failed in 0.03s ===============================
]],
  },
  gcc = {
    needle = "cart.c:12:5: error: expected ';' before 'return'",
    [[
cc -Wall -c -o cart.o cart.c
cart.c: In function 'total':
cart.c:12:5: error: expected ';' before 'return'
   12 |     return sum;
      |     ^~~~~~
make: *** [Makefile:4: cart.o] Error 1
]],
  },
  go = {
    needle = "cart_test.go:9: total is 6, want 7",
    [[
=== RUN   TestTotal
    cart_test.go:9: total is 6, want 7
--- FAIL: TestTotal (0.00s)
FAIL
FAIL	example.com/cart	0.002s
FAIL
]],
  },
  python = {
    needle = "KeyError: 'paper'",
    [[
Traceback (most recent call last):
  File "/src/till.py", line 12, in <module>
    main()
  File "/src/till.py", line 7, in main
    print(prices["paper"])
          ~~~~~~^^^^^^^^^
KeyError: 'paper'
]],
  },
  node = {
    needle = "TypeError: Cannot read properties of undefined (reading 'price')",
    [[
/src/cart.js:3
  return item.price * item.count;
              ^

TypeError: Cannot read properties of undefined (reading 'price')
    at cost (/src/cart.js:3:15)
    at Object.<anonymous> (/src/cart.js:6:1)
    at Module._compile (node:internal/modules/cjs/loader:1356:14)
    at node:internal/main/run_main_module:23:47

Node.js v20.20.2
]],
  },
}

describe("an output of several commands #once", function()
  local around = {}
  local written = {} -- without phrases.def, which has what programs print that fail, a line each
  local dir
  setup(function()
    dir = tree()
    for i, command in ipairs(AROUND) do
      around[i] = dir:run("export LC_ALL=C; " .. command)
      assert(#around[i] > 500, command)
      if not command:find "phrases" then written[#written + 1] = around[i] end
    end
  end)
  teardown(function()
    dir:remove()
  end)

  it("is text where none of them failed, with one gap", function()
    random.each(200, function()
      local text = random.choose(around) .. random.choose(around)
      local _, cut = abridge.auto(text, { max_bytes = 2048 })
      assert.equal("text", cut.kind)
      assert.is_true(#cut.kept <= 2)
    end)
  end)

  it("shows a failure behind, before and between them", function()
    for tool, failure in pairs(FAILURES) do
      for i, before in ipairs(around) do
        local after = around[i % #around + 1]
        for place, text in pairs {
          behind = before .. failure[1],
          before = failure[1] .. after,
          between = before .. failure[1] .. after,
        } do
          local content, cut = abridge.auto(text, { max_bytes = 8192 })
          local where = ("%s %s %s"):format(tool, place, AROUND[i])
          assert.equal("log", cut.kind, where)
          assert.equal("log", abridge.kind(text), where)
          assert.truthy(content:find(failure.needle, 1, true), where)
        end
      end
    end
  end)

  it("is told so however it came", function()
    random.each(100, function()
      local failure = FAILURES[random.choose { "pytest", "gcc", "go", "python", "node" }]
      local text = random.choose(around) .. failure[1] .. random.choose(around)
      local stream = abridge.stream { max_bytes = 4096 }
      local at = 1
      while at <= #text do
        local n = random.between(1, 9000)
        assert(stream:write(text:sub(at, at + n - 1)))
        at = at + n
      end
      local content, cut = stream:finish()
      local whole, cut_whole = abridge.auto(text, { max_bytes = 4096 })
      assert.equal(whole, content)
      assert.equal(cut_whole.kind, cut.kind)
    end)
  end)

  it("is a log where one line tells of a failure", function()
    local listing, source = around[6], around[1]
    for _, message in ipairs {
      "tar: Error is not recoverable: exiting now\n",
      "error: pathspec 'no-such' did not match any file(s) known to git\n",
      "Runtime error near line 7: FOREIGN KEY constraint failed (19)\n",
      "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3]\n",
      "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server\n",
      "dpkg-deb (subprocess): cannot copy archive member from 'a.deb' to decompressor pipe: unexpected end of file\n",
      "E: Unable to correct problems, you have held broken packages.\n",
      "make: *** No rule to make target 'gen/columns.txt', needed by 'table.h'.  Stop.\n",
      "not ok 340 - report 340 keeps its lines\n",
      "rate.c:6:18: runtime error: signed integer overflow: 2147483647 * 3 cannot be represented in type 'int'\n",
    } do
      for _, text in ipairs { source .. message, listing .. message .. source } do
        local content, cut = abridge.auto(text, { max_bytes = 4096 })
        assert.equal("log", cut.kind, message)
        assert.truthy(content:find(message, 1, true), message)
      end
    end
  end)

  it("is text where a makefile or a list of words says so", function()
    local source = around[1]
    for _, lines in ipairs {
      "score-kinds: build ## kinds, rules broken, needles lost\n\t@lua bench/score.lua\n",
      "autodie::exception - Exceptions from autodying functions.\n",
      "invalid_targets: list of supplied targets that were not found.\n",
    } do
      assert.equal("text", abridge.kind(source .. lines .. source), lines)
    end
  end)

  it("is a log from where one starts, however late", function()
    local source = around[1]:rep(math.ceil(700000 / #around[1]))
    local lines = {}
    for i = 1, 3000 do
      lines[i] = ("2026-11-26T10:00:%02dZ INFO [worker-%d] request %d done in %d ms\n"):format(
        i % 60,
        i % 4,
        i,
        i * 7 % 90
      )
    end
    local work = table.concat(lines)
    for place, text in pairs {
      ["a failure at the end"] = source .. FAILURES.gcc[1],
      ["a failure near the end"] = source .. FAILURES.gcc[1] .. around[5],
      ["work, then a failure"] = source .. work .. FAILURES.gcc[1] .. work,
      ["work that fails, then a page"] = source .. work .. FAILURES.gcc[1] .. work .. source,
    } do
      local content, cut = abridge.auto(text, { max_bytes = 8192 })
      assert.equal("log", cut.kind, place)
      assert.equal("log", abridge.kind(text), place)
      assert.truthy(content:find(FAILURES.gcc.needle, 1, true), place)
    end
    assert.equal("text", abridge.kind(source .. around[5]))
  end)

  it("is the same log however it came and whenever it was looked at", function()
    local source = around[1]:rep(math.ceil(300000 / #around[1]))
    local text = source .. FAILURES.gcc[1] .. around[2] .. FAILURES.go[1]
    random.each(20, function()
      local opts = { max_bytes = random.choose { 700, 4096, 30000 }, max_chars = random.choose { 3000, 1e6 } }
      local stream = abridge.stream(opts)
      local at = 1
      while at <= #text do
        local n = random.choose { random.between(1, 300000), random.between(1, 9000) }
        assert(stream:write(text:sub(at, at + n - 1)))
        at = math.min(at + n, #text + 1)
        local seen, cut_seen = stream:snapshot()
        local whole, cut_whole = abridge.auto(text:sub(1, at - 1), opts)
        assert.equal(whole, seen)
        assert.equal(cut_whole.kind, cut_seen.kind)
        assert.same(cut_whole.kept, cut_seen.kept)
      end
      assert.equal((abridge.auto(text, opts)), (stream:finish()))
    end)
  end)

  --- A log at work that fails, of so many lines.
  local function failing_log(failure, n)
    local lines = {}
    for i = 1, n do
      lines[i] = ("[%d/%d] compiling module_%d.c -> build/module_%d.o\n"):format(i, n, i % 40, i % 40)
    end
    local half = n / 2
    return table.concat(lines, "", 1, half) .. failure[1] .. table.concat(lines, "", half + 1) .. "Build stopped.\n"
  end

  local function markers_of(content)
    return select(2, content:gsub("lines[%l ]* omitted%] %.%.%.", ""))
  end

  --- How many lines of a failure show.
  local function shown_of(failure, content)
    local n = 0
    for line in failure[1]:gmatch "[^\n]+" do
      n = n + (content:find(line, 1, true) and 1 or 0)
    end
    return n
  end

  it("keeps of a failure what the log alone keeps at half the budget", function()
    local kept, kept_alone, lines = 0, 0, 0
    for _, failure in pairs(FAILURES) do
      local log = failing_log(failure, 400)
      local _, of_failure = failure[1]:gsub("[^\n]+", "")
      for i, before in ipairs(written) do
        local after = written[i % #written + 1]
        for _, budget in ipairs { 2048, 8192 } do
          local alone = shown_of(failure, (abridge.auto(log, { max_bytes = budget / 2, kind = "log" })))
          for _, text in ipairs { before .. log, log .. after, before .. log .. after } do
            local content, cut = abridge.auto(text, { max_bytes = budget })
            assert.equal("log", cut.kind)
            assert.truthy(content:find(failure.needle, 1, true))
            kept = kept + shown_of(failure, content)
            kept_alone = kept_alone + alone
            lines = lines + of_failure
          end
        end
      end
    end
    assert.is_true(kept >= kept_alone - 0.03 * lines, ("%d, alone %d of %d"):format(kept, kept_alone, lines))
  end)

  --- Runs most of whose lines could be written by somebody, and what fails in their midst or at their end.
  local function runs_that_look_written()
    local configure, slots, objects, jobs = {}, {}, {}, {}
    for i = 1, 900 do
      configure[i] = ("-- Looking for the header of part %d - found\n"):format(i)
      slots[i] = ("slot %d filled and checked, no errors so far\n"):format(i)
      objects[i] = ("Checking %08x%032x\n"):format(i * 265443 % 2 ^ 32, i * 40503)
      jobs[i] = ("%d: job %d step %d of 6\n"):format(math.ceil(i / 6), math.ceil(i / 6), (i - 1) % 6 + 1)
      if i % 6 == 0 then
        jobs[i] = jobs[i]
          .. (" %3.0f/150 Test #%.0f: job_%.0f ............   Passed    0.00 sec\n"):format(i / 6, i / 6, i / 6)
      end
    end
    table.insert(configure, 400, "CMake Error at CMakeLists.txt:6 (message):\n  FastSum 3.1 is wanted\n\n\n")
    table.insert(slots, 400, "==177== Invalid write of size 4\n==177==    at 0x1091B7: fill_slot (slots.c:11)\n")
    table.insert(jobs, 400, "  3/150 Test   #3: job_3 ............***Timeout   2.00 sec\n")
    objects[#objects + 1] = "missing blob 80095651a62660ac88c625fe808dcd50d2e82eeb\n"
    return {
      ["CMake Error at CMakeLists.txt:6 (message):"] = table.concat(configure),
      ["==177== Invalid write of size 4"] = table.concat(slots),
      ["missing blob 80095651a62660ac88c625fe808dcd50d2e82eeb"] = table.concat(objects),
      ["***Timeout   2.00 sec"] = table.concat(jobs),
    }
  end

  it("shows what failed in a run whose lines look written", function()
    for needle, log in pairs(runs_that_look_written()) do
      for i, before in ipairs(around) do
        local after = around[i % #around + 1]
        for place, text in pairs { behind = before .. log, before = log .. after, between = before .. log .. after } do
          local content = abridge.auto(text, { max_bytes = 8192 })
          assert.truthy(content:find(needle, 1, true), ("%s %s %s"):format(needle, place, AROUND[i]))
        end
      end
    end
  end)

  it("has no failures in what is written, and few gaps", function()
    local source, found, listing = around[1], around[7], around[6]
    for tool, failure in pairs(FAILURES) do
      local log = failing_log(failure, 400)
      local alone, cut_alone = abridge.auto(log, { max_bytes = 4096, kind = "log" })
      for name, text in pairs { between = source .. log .. found, before = log .. source, behind = listing .. log } do
        local content, cut = abridge.auto(text, { max_bytes = 8192 })
        assert.equal(cut_alone.failures.found, cut.failures.found, tool .. name)
        assert.equal(cut_alone.failures.found, cut.failures.kept, tool .. name)
        assert.is_true(
          markers_of(content) <= markers_of(alone) + 3,
          ("%s %s %d %d"):format(tool, name, markers_of(content), markers_of(alone))
        )
      end
    end
  end)

  it("shows the first line of each part, and where its logs end", function()
    local log = failing_log(FAILURES.gcc, 200)
    local text = around[3] .. log .. around[1] .. log .. around[7]
    local content = abridge.auto(text, { max_bytes = 4096 })
    for _, part in ipairs { around[3], log, around[1], around[7] } do
      local line = part:match "^[^\n]*\n"
      assert.truthy(content:find(line, 1, true), line)
    end
    assert.equal(2, select(2, content:gsub("\nBuild stopped.\n", "")))
  end)

  it("tells its parts where it is cut", function()
    local log = failing_log(FAILURES.gcc, 200)
    local text = around[1] .. log .. around[7]
    local _, cut = abridge.auto(text, { max_bytes = 4096 })
    local _, before = around[1]:gsub("\n", "")
    local _, of_log = log:gsub("\n", "")
    assert.equal(3, #cut.parts)
    assert.same({ "text", "log", "text" }, { cut.parts[1].kind, cut.parts[2].kind, cut.parts[3].kind })
    assert.is_true(math.abs(cut.parts[2].first_line - before - 1) <= 4)
    assert.is_true(math.abs(cut.parts[3].first_line - before - of_log - 1) <= 4)
    assert.is_true(cut.parts[2].output_lines > 10)
    local _, whole = abridge.auto(text, { max_bytes = #text })
    assert.is_nil(whole.parts)
    local _, alone = abridge.auto(log, { max_bytes = 2048 })
    assert.is_nil(alone.parts)
    local _, asked = abridge.auto(text, { max_bytes = 4096, kind = "log" })
    assert.is_nil(asked.parts)
  end)

  it("is cut alike however it came, with many parts", function()
    random.each(60, function()
      local texts = {}
      for i = 1, random.between(2, 30) do
        local whole = random.choose { around[random.between(1, #around)], failing_log(FAILURES.go, 300) }
        local from = random.between(1, #whole)
        texts[i] = whole:sub(from, from + random.between(10, 20000))
      end
      local text = table.concat(texts)
      local opts = { max_bytes = random.choose { 600, 4096, 30000 }, max_chars = random.choose { 3000, 1e6 } }
      local stream = abridge.stream(opts)
      local at = 1
      while at <= #text do
        local n = random.choose { 1, random.between(1, 300), random.between(1, 9000), random.between(1, 90000) }
        assert(stream:write(text:sub(at, at + n - 1)))
        at = math.min(at + n, #text + 1)
        if random.between(1, 8) == 1 then
          local seen, cut_seen = stream:snapshot()
          local whole, cut_whole = abridge.auto(text:sub(1, at - 1), opts)
          assert.equal(whole, seen)
          assert.same(cut_whole.kept, cut_seen.kept)
        end
      end
      local content, cut = stream:finish()
      local whole, cut_whole = abridge.auto(text, opts)
      assert.equal(whole, content)
      assert.same(cut_whole.kept, cut.kept)
      assert.same(cut_whole.failures, cut.failures)
      assert.same(cut_whole.parts, cut.parts)
      local lines, shown = 0, 0
      for i, part in ipairs(cut.parts or {}) do
        assert.equal(lines + 1, part.first_line)
        assert.is_true(part.kind ~= (i > 1 and cut.parts[i - 1].kind or nil))
        lines, shown = part.last_line, shown + part.output_lines
      end
      assert.is_true(not cut.parts or (#cut.parts <= 16 and #cut.parts > 1))
      if cut.parts then assert.same({ cut.total_lines, cut.output_lines }, { lines, shown }) end
    end)
  end)

  it("has at most 16 parts, logs and texts in turn", function()
    local log = failing_log(FAILURES.go, 200)
    for n = 7, 12 do
      local turns = (log .. around[1]):rep(n)
      for _, text in ipairs { turns, (around[1] .. log):rep(n), turns .. log } do
        local _, cut = abridge.auto(text, { max_bytes = 8192 })
        assert.is_true(#cut.parts <= 16 and #cut.parts > 12)
        for i = 2, #cut.parts do
          assert.not_equal(cut.parts[i - 1].kind, cut.parts[i].kind)
        end
      end
    end
  end)

  it("is cut as a log where it is a log alone", function()
    for tool, failure in pairs(FAILURES) do
      local log = failing_log(failure, 3000)
      for _, budget in ipairs { 512, 2048, 8192 } do
        local content = abridge.auto(log, { max_bytes = budget })
        assert.equal((abridge.auto(log, { max_bytes = budget, kind = "log" })), content, tool)
      end
    end
  end)

  it("stays text where a page quotes a failure", function()
    local prose = dir:run "head -n 60 changes.md"
    for _, quoted in ipairs {
      "    KeyError: 'paper'\n",
      'lines[4] = "cart.c:12: error: total is 6, want 7"\n',
      "Then the runner says `FAILED test_cart.py::test_total` and stops.\n",
      "  raise ValueError(f'error: cannot read {path}')\n",
      "    HTTPError, ConnectTimeoutError,\n",
    } do
      assert.equal("text", abridge.kind(prose .. quoted .. prose), quoted)
    end
  end)
end)
