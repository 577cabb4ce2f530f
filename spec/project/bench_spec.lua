-- What `make bench` and `make bench-check` say: that all that is to be measured is, that the tables
-- of doc/speed.md are made of its rows, and that a growth of instructions is found.

local tmpdir = require "support.tmpdir"

local dir
local root = tmpdir.root()
setup(function()
  dir = tmpdir.new()
end)
teardown(function()
  dir:remove()
end)

--- What a command in the checkout prints, and its exit code.
local function run(command)
  local out, err, code = dir:sh(("cd %s && %s"):format(tmpdir.quote(root), command))
  return err .. out, code -- what had to be built is said before
end

--- A row as it is on any machine: its name and how many cells follow, numbers and sizes as `#`. Nil where it is no row.
local function shape(line)
  local name, cells = line:match "^(%S.-)  +(%S.*)$"
  if not name then return nil end
  local count = select(2, (cells .. "  "):gsub("%S.-  +", ""))
  return ("%s, %d"):format(name:gsub("%d[%d.]*[KMG]?B?", "#"), count)
end

describe("make bench #once", function()
  local said, shapes = nil, {}

  setup(function()
    local code
    said, code = run "make -s bench BENCH_SCALE=0.0002 NPM=no-npm-here"
    assert.equal(0, code, said)
    said = "\n" .. said
    for line in said:gmatch "[^\n]+" do
      shapes[shape(line) or ""] = true
    end
  end)

  it("says what machine it is, and how it was scaled", function()
    assert.matches("\nmachine +%S.*, %d+ cores, [%d.]+%u?B of memory\n", said)
    for _, what in ipairs { "system", "load before", "compiler", "Lua", "rivals", "kernels", "only reads" } do
      assert.matches("\n" .. what .. " +%S", said)
    end
    assert.matches("\nscale +0.0002 of every size and time\n", said)
  end)

  it("measures ours, the limits and the rivals, and goes on without those that are not here", function()
    for _, name in ipairs {
      "a pass that only reads",
      "abridge.tail",
      "the same from C",
      "its results, made by Lua",
      "abridge.priority",
      "Python: split",
      "Lua 5.4: find loop",
      "Lua 5.4: split",
      "LuaJIT: find loop",
      "wc -lc",
      "head -n 2000",
      "sed -n: the last 2000 lines",
      "pread(2) in a loop, 256KB each",
      "abridge.page, first page",
      "the last 2000 lines, index warm",
      "read(2) in a loop, 64KB each",
      "the same and a stream, in C",
      "a priority stream",
      "block:to_json()",
      "json: cjson.decode of 16MB",
      "text: auto",
      "open brackets",
      "binary",
      "history.fit, all of it new",
    } do
      assert.truthy(said:find("\n" .. name .. "  ", 1, true), name)
    end
    assert.matches("\npi: truncateTail: no [%w-]+ here: install nodejs and npm", said)
  end)

  it("tells how the cost grows with each thing that may grow", function()
    for _, by in ipairs {
      "size",
      "budget",
      "length of its lines",
      "size of its chunks",
      "ranges kept",
      "depth",
      "members of an object",
      "gaps",
    } do
      local title = ", by " .. by
      assert.truthy(said:find(title, 1, true), title)
    end
    local tables = select(2, said:gsub("\nfrom first to last n^%-?[%d.]+ beside linear: %l", ""))
    assert.equal(16, tables)
  end)

  it("tells what each host loads, and the core's bytes by room, which are all of it", function()
    assert.matches("\nlua5.4 +%d+ +[%d.]+ %l+ +%d+ +8 +[%d.]+ ms +%d+ +%d+\n", said)
    local rooms = said:match "\nBytes of the core by room\n[^\n]*\n(.-)\n\n"
    local sum, count = 0, 0
    for room, now in rooms:gmatch "(%l+) +(%d+) +%d+ +[+-]%d+" do
      if room == "all" then
        assert.equal(sum, tonumber(now))
      else
        sum, count = sum + now, count + 1
        assert.is_true(tonumber(now) > 1000, room)
      end
    end
    assert.equal(tonumber((run "ls -d csrc/*/ | wc -l")), count)
  end)

  it("starts the command beside programs that are called as often", function()
    local start = said:match "\nStart of the command\n[^\n]*\n(.-)\n\n"
    for _, name in ipairs {
      "lua5.4 that does nothing",
      "abridge --version",
      "abridge cap, 1KB",
      "cap of 1KB by abridge serve",
    } do
      assert.matches("\n" .. name:gsub("%p", "%%%0") .. " +[%d.]+ [mu]s", "\n" .. start)
    end
  end)

  it("ends with a line for each figure to reach", function()
    local figures = said:match "\nFigures to reach\n[^\n]*wanted +measured %(limit%) +met\n(.*)$"
    local lines = 0
    for line in figures:gmatch "[^\n]+" do
      lines = lines + 1
      assert.matches("  [<>]=? %d.*  (%S+)$", line)
      local measured = line:match "  %-?%d[%d.]* ?[%a/]*  +(%l+)$"
        or line:match "  %d[%d.]* %l+ %(%d[%d.]* %l+%)  +(%l+)$"
      local absent = line:find "  not measured +%-$"
      if line:find "quicker than pi" then
        assert.truthy(absent, line)
      elseif not (absent and line:find "^a priority stream of logs") then -- `make score` makes them
        assert.truthy(measured == "yes" or measured == "no", line)
      end
    end
    assert.equal(35, lines)
  end)

  it("prints every row of the tables in doc/speed.md", function()
    local file = assert(io.open "doc/speed.md")
    local section = file:read("*a"):match "\n## Throughput\n(.-)\n## Inside Neovim\n"
    file:close()
    local rows = 0
    for fence in section:gmatch "\n```\n(.-)```" do
      for line in fence:gmatch "[^\n]+" do
        if shape(line) then
          rows = rows + 1
          assert.truthy(shapes[shape(line)], line)
        end
      end
    end
    assert.is_true(rows >= 60, rows)
  end)

  it("knows the names of its sections", function()
    local message, code = run "make -s bench BENCH=speed NPM=no-npm-here"
    assert.is_true(code ~= 0)
    local sections = "cuts, calls, pages, streams, priority, kinds, history, growth, weight, start\n"
    assert.matches("bench: no section speed: " .. sections, message)
  end)
end)

describe("make bench-check #once", function()
  local HEADER = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\nvoid spin(int turns);\n"
  local LIBRARY = '#include "abridge.h"\nvoid spin(int turns)\n{\n    volatile int i;\n'
    .. "    for (i = 0; i < turns * %d; i++)\n        ;\n}\n"
  local PROGRAM = '#include "workload.h"\nstatic void turns(void)\n{\n    %s(10);\n}\n'
    .. 'static const workload_entry entries[] = {{"%s", NULL, turns}};\nWORKLOADS(entries)\n'
  local MAKEFILE = "build/libabridge.a: csrc/spin.c\n\tmkdir -p build\n"
    .. "\tcc -c -o build/spin.o csrc/spin.c && ar rcs $@ build/spin.o\n"

  local function write(name, text)
    dir:write("tree/" .. name, text)
  end

  local function sh(command)
    local out, err, code = dir:sh("cd tree && " .. command)
    return err .. out, code -- what had to be built is said before
  end

  local function check(environment)
    return sh("make -s build/libabridge.a && " .. (environment or "") .. " bench/check/compare.sh")
  end

  --- A tree with a library of one function, and a program that counts it.
  local function new_tree()
    dir:sh(("rm -rf tree; mkdir -p tree/csrc tree/bench && cp -r %s/bench/check tree/bench"):format(tmpdir.quote(root)))
    dir:sh "rm tree/bench/check/*.c"
    write("csrc/abridge.h", HEADER)
    write("csrc/spin.c", LIBRARY:format(1000))
    write("bench/check/spin.c", PROGRAM:format("spin", "ten turns"))
    write("bench/check/allowed", "# none\n")
    write("Makefile", MAKEFILE)
    write(".gitignore", "/build/\n")
  end

  local function commit()
    local git = "git -c user.name=spec -c user.email=spec@example.org"
    local said, code = sh(("git init -q . && git add -A && %s commit -qm step"):format(git))
    assert.equal(0, code, said)
  end

  local function missing()
    local _, _, code = dir:sh "command -v git && command -v valgrind && command -v cc"
    return code ~= 0
  end

  before_each(new_tree)

  it("fails on a growth of over 5 %, and on that alone", function()
    if missing() then return pending "no git or no valgrind here" end
    commit()
    write("csrc/spin.c", LIBRARY:format(1030))
    local said, code = check "BASE=HEAD"
    assert.equal(0, code, said)
    assert.matches("\nten turns +%d+ +%d+ +%+[23]%.%d%d\nbench%-check: no growth over 5 %% that is not allowed\n", said)
    dir:sh "rm -r tree/build/libabridge.a"
    write("csrc/spin.c", LIBRARY:format(1080))
    said, code = check "BASE=HEAD"
    assert.equal(1, code, said)
    assert.matches("\nten turns +%d+ +%d+ +%+[78]%.%d%d  OVER 5 %%\nbench%-check: FAILED\n", said)
  end)

  it("allows a growth that is meant, once", function()
    if missing() then return pending "no git or no valgrind here" end
    commit()
    write("csrc/spin.c", LIBRARY:format(1080))
    write("bench/check/allowed", "ten turns\t12\tit does more\n")
    local said, code = check "BASE=HEAD"
    assert.equal(0, code, said)
    assert.matches("%+[78]%.%d%d  allowed\n", said)
    commit()
    write("csrc/spin.c", LIBRARY:format(1170))
    dir:sh "rm tree/build/libabridge.a"
    said, code = check "BASE=HEAD"
    assert.equal(1, code, said)
  end)

  it("compares with the commit before, and says which programs the base does not know", function()
    if missing() then return pending "no git or no valgrind here" end
    commit()
    write("csrc/abridge.h", HEADER .. "void twice(int turns);\n")
    write("csrc/spin.c", LIBRARY:format(1000) .. "void twice(int turns)\n{\n    spin(2 * turns);\n}\n")
    write("bench/check/twice.c", PROGRAM:format("twice", "twenty turns"))
    commit()
    local said, code = check()
    assert.equal(0, code, said)
    assert.matches("bench/check/twice.c does not compile against the base: its workloads are new\n", said)
    assert.matches("\nten turns +%d+ +%d+ +%+0%.00\n", said)
    assert.matches("\ntwenty turns +%- +%d+ +%-  new\n", said)
  end)

  it("says so and passes where there is nothing to compare with", function()
    if missing() then return pending "no git or no valgrind here" end
    local said, code = check()
    assert.equal(0, code, said)
    assert.matches("bench%-check: this is no git checkout: nothing was compared\n", said)
    commit()
    said, code = check()
    assert.equal(0, code, said)
    assert.matches("bench%-check: the clone does not go back to the commit before: nothing was compared\n", said)
    said, code = check "BASE=nosuchcommit"
    assert.equal(1, code, said)
    assert.matches("bench%-check: no commit nosuchcommit here\n", said)
  end)
end)
