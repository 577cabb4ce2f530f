--- What the command says of itself: everything comes from one table, so nothing that works is left out.

local abridge = require "abridge"
local command = require "support.command"
local commands = require "abridge.cli.commands"
local contains = require "support.contains"
local tmpdir = require "support.tmpdir"

describe("help", function()
  local dir

  local function run(...)
    return dir:sh(command.line(...))
  end

  local function said(...)
    return dir:run(command.line(...))
  end

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("lists the commands by task", function()
    local out = said "--help"
    assert.matches("^abridge " .. abridge.version:gsub("%p", "%%%0") .. ": ", out)
    local at = 0
    for _, task in ipairs(commands.tasks) do
      at = assert(out:find("\n" .. task.title .. "\n", at, true), task.title)
      for _, one in ipairs(task) do
        at = assert(out:find("\n  abridge " .. one.name .. " ", at, true), one.name)
      end
    end
    assert.equal(out, said "-h")
    assert.equal(out, said "help")
  end)

  it("lists the flags of a command, also after others, with their values", function()
    local out = said("cut", "--help")
    assert.matches("^abridge cut %[flags%] < TEXT\n", out)
    local strategies = "auto, head, tail, head_tail, priority, pipeline"
    assert.matches("\n  %-%-strategy NAME +which part to keep %(" .. strategies .. "%)\n", out)
    assert.matches("\n  %-h, %-%-help ", out)
    assert.is_nil(out:find("--timeout", 1, true))
    assert.equal(out, said("cut", "--max-lines", "3", "-h"))
    assert.equal(out, said("help", "cut"))
    assert.equal(out, said("--help", "cut"))
  end)

  it("names the command or flag that was meant", function()
    for words, meant in pairs {
      reprot = "report",
      lgo = "log",
      rn = "run",
      ["run --timeoot 3 -- true"] = "--timeout",
      ["cut --max-line=3"] = "--max-lines",
      ["cut --strat head"] = false, -- too far
      xyzzy = false,
      r = false,
      [("x"):rep(100000)] = false,
    } do
      local _, err, code = dir:sh(require("support.command").program() .. " " .. words)
      assert.equal(2, code)
      assert.equal(meant and "; did you mean " .. meant .. "? (" or nil, err:match "; did you mean .*%? %(")
    end
  end)

  it("names every flag that a command takes, in lines of at most 120 columns", function()
    for _, one in ipairs(commands.all()) do
      local out = said(one.name, "--help")
      for line in out:gmatch "[^\n]+" do
        assert.is_true(#line <= 120, line)
      end
      for _, group in ipairs(one.flags) do
        for _, flag in ipairs(group) do
          assert.is_truthy(out:find("--" .. flag.name, 1, true), one.name .. " --" .. flag.name)
        end
      end
      for _, example in ipairs(one.examples) do
        assert.is_truthy(out:find(example[1], 1, true))
      end
    end
  end)

  it("tells the version wherever it is asked", function()
    for _, words in ipairs { { "--version" }, { "cut", "--version" }, { "--color", "never", "--version" } } do
      assert.equal("abridge " .. abridge.version .. "\n", said((table.unpack or unpack)(words)))
    end
  end)

  it("says which command's help lists its flags where one is wrong", function()
    local _, err, code = run("cut", "--most", "3")
    assert.same({ "abridge: unknown flag --most for cut (see abridge cut --help)\n", 2 }, { err, code })
    _, err = run "sum"
    assert.equal('abridge: unknown command "sum" (see abridge --help)\n', err)
    _, err, code = run("--color", "never")
    assert.same({ "abridge: which command? (see abridge --help)\n", 2 }, { err, code })
  end)

  describe("the table", function()
    it("has each command once, and each flag of a command once", function()
      local names = {}
      for _, one in ipairs(commands.all()) do
        assert.is_nil(names[one.name], one.name)
        names[one.name] = true
        local flags = {}
        for _, group in ipairs { commands.everywhere, (table.unpack or unpack)(one.flags) } do
          assert.is_string(group.title)
          for _, flag in ipairs(group) do
            for _, name in ipairs { flag.name, flag.short } do
              assert.is_nil(flags[name], one.name .. " " .. name)
              flags[name] = true
            end
            assert.equal(flag.value ~= nil, flag.shown ~= nil, flag.name)
          end
        end
      end
    end)

    it("gives a flag the same values wherever it is taken, as completion needs it", function()
      local values = {}
      for _, one in ipairs(commands.all()) do
        for _, group in ipairs(one.flags) do
          for _, flag in ipairs(group) do
            assert.is_true(values[flag.name] == nil or values[flag.name] == (flag.value or false), flag.name)
            values[flag.name] = flag.value or false
          end
        end
      end
    end)
  end)
end)

describe("colours", function()
  local dir

  local function sh(line)
    local out, err = dir:sh(line)
    return out, err
  end

  setup(function()
    dir = tmpdir.new()
    dir:write("lines", ("line\n"):rep(10))
  end)

  teardown(function()
    dir:remove()
  end)

  local CUT = { "run", "--no-save", "--strategy", "tail", "--max-lines", "1", "--", "seq 9; exit 3" }
  local PLAIN = "9\n\nCommand exited with code 3\n\n[Showing lines 9-9 of 9]"
  local COLOURED = "9\n\n\27[31mCommand exited with code 3\27[0m\n\n\27[33m[Showing lines 9-9 of 9]\27[0m"

  local function line(...)
    local words = { ... }
    for _, word in ipairs(CUT) do
      words[#words + 1] = word
    end
    return command.line((table.unpack or unpack)(words))
  end

  it("are for terminals, unless asked for", function()
    assert.equal(PLAIN, (sh(line())))
    assert.equal(PLAIN, (sh(line("--color", "auto"))))
    assert.equal(PLAIN, (sh(line "--color=never")))
    assert.equal(COLOURED, (sh(line("--color", "always"))))
    assert.equal(COLOURED, (sh("NO_COLOR=1 TERM=dumb " .. line("--color", "always"))))
  end)

  it("go after the command's name too, and into help, the list of a run and errors", function()
    assert.matches("\n\27%[1mLimits\27%[0m\n", (sh(command.line("cut", "--help", "--color", "always"))))
    sh(command.line("run", "--run-dir", dir:at "run", "--", "exit 3"))
    local list = sh(command.line("log", dir:at "run", "--color", "always"))
    assert.matches("^\27%[1mCALL\27%[0m     \27%[1mTOOL\27%[0m ", list)
    assert.matches("\n\27%[31mcall%-1\27%[0m   run_command ", list)
    local _, err = sh(command.line("--color", "always", "cutt"))
    assert.matches("^\27%[31mabridge:\27%[0m unknown command", err)
  end)

  it("never get into JSON", function()
    local out = sh(command.line("cut", "--color", "always", "--max-lines", "1", "--json") .. " <lines")
    assert.is_nil(out:find("\27", 1, true))
  end)

  it("are shown on a terminal but for NO_COLOR, TERM=dumb and --color never", function()
    if not command.has "script" then return pending "no script(1) here" end
    local function on_terminal(before, ...)
      dir:write("line.sh", before .. " " .. line(...) .. "\n")
      sh "script -qec 'sh line.sh' typescript </dev/null"
      return (dir:read("typescript"):gsub("\r\n", "\n"))
    end
    contains(on_terminal "TERM=xterm NO_COLOR=", COLOURED)
    contains(on_terminal "TERM=xterm NO_COLOR=1", PLAIN)
    contains(on_terminal "TERM=dumb", PLAIN)
    contains(on_terminal("TERM=xterm", "--color", "never"), PLAIN)
  end)
end)

describe("content on a terminal", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("ends with a newline, and what is piped is as it was", function()
    if not command.has "script" then return pending "no script(1) here" end
    local run = command.line("run", "--run-dir", dir:at "run", "--", "printf 'a b'")
    local lines = {
      run,
      command.line("log", dir:at "run", "call-1"),
      "printf abc | " .. command.line "clean",
      "printf abc | " .. command.line("cut", "--max-lines", "3"),
    }
    for i, line in ipairs(lines) do
      dir:write("line.sh", line .. "; echo NEXT\n")
      dir:sh "TERM=dumb script -qec 'sh line.sh' typescript </dev/null"
      local expected = i < 3 and "a b" or "abc"
      local shown = dir:read "typescript"
      assert.truthy(shown:find(expected .. "\r\nNEXT\r\n", 1, true), shown)
      assert.equal(expected .. "NEXT\n", (dir:sh "sh line.sh"))
    end
  end)
end)
