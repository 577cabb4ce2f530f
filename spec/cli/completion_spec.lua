--- `abridge completion SHELL`: what is typed in real shells, on a terminal, up to the Tabs.

local command = require "support.command"
local commands = require "abridge.cli.commands"
local tmpdir = require "support.tmpdir"

describe("completion", function()
  local dir

  setup(function()
    dir = tmpdir.new()
    dir:sh "mkdir -p bin work/folder; : > 'work/a file.txt'; : > work/other"
    dir:write("bin/abridge", '#!/bin/sh\nprintf "<%s>" "$@" >> "$TYPED"; echo >> "$TYPED"\n')
    dir:write("bin/abridge-probe", "#!/bin/sh\n")
    dir:sh "chmod +x bin/*"
    for _, shell in ipairs(commands.shells) do
      dir:write("abridge." .. shell, (dir:sh(command.line("completion", shell))))
    end
    dir:sh "mkdir zsh fish; cp abridge.zsh zsh/_abridge"
  end)

  teardown(function()
    dir:remove()
  end)

  --- Type lines into a shell on a terminal of its own, with `abridge` a program that writes down its words: a string
  --- for each line.
  local function typed(shell, lines)
    os.remove(dir:at "typed")
    dir:write("keys", table.concat(lines, "\n") .. "\nexit\n")
    local line = "cd work && TERM=dumb TYPED=%s PATH=%s:$PATH script -qec %s /dev/null < ../keys"
    local out = dir:sh(line:format(tmpdir.quote(dir:at "typed"), tmpdir.quote(dir:at "bin"), tmpdir.quote(shell)))
    local words = {}
    for got in (dir:read "typed" or ""):gmatch "[^\n]+" do
      words[#words + 1] = got
    end
    return words, out
  end

  --- Check what the lines become, in pairs: typed, words.
  local function completes(shell, pairs_of)
    local lines, expected = {}, {}
    for i, pair in ipairs(pairs_of) do
      lines[i], expected[i] = pair[1], pair[2]
    end
    local words, screen = typed(shell, lines)
    assert.same(expected, words, screen)
  end

  local SHARED = {
    { "abridge comp\tba\t", "<completion><bash>" },
    { "abridge cap run\t", "<cap><run_command>" },
    { "abridge read oth\t", "<read><other>" },
    { "abridge read a\t", "<read><a file.txt>" },
    { "abridge log f\tx", "<log><folder/x>" },
    { "abridge run --cwd f\tx -- true", "<run><--cwd><folder/x><--><true>" },
    { "abridge cut --profile pip\t", "<cut><--profile><pipeline>" },
    { "abridge cut --strategy=pri\t", "<cut><--strategy=priority>" },
    { "abridge --color nev\tki\tot\t", "<--color><never><kind><other>" },
    { "abridge run -- abridge-pr\tx", "<run><--><abridge-probe><x>" },
    { "abridge run -- abridge-probe oth\t", "<run><--><abridge-probe><other>" },
    { "abridge cut --no-such\t", "<cut><--no-such>" },
    { "abridge cut --timeo\t", "<cut><--timeo>" }, -- a flag of run
  }

  local function with(more)
    local all = {}
    for _, list in ipairs { SHARED, more } do
      for _, pair in ipairs(list) do
        all[#all + 1] = pair
      end
    end
    return all
  end

  it("completes in bash #once", function()
    if not (command.has "bash" and command.has "script") then return pending "bash or script(1) is missing" end
    dir:write("rc", "PS1= HISTFILE=; bind 'set bell-style none'; . ../abridge.bash\n")
    completes(
      "bash --noprofile --rcfile ../rc -i",
      with {
        { "abridge cut --max-l\t5", "<cut><--max-lines><5>" },
        { "abridge cut --strategy = pri\t", "<cut><--strategy><=><priority>" },
        { "abridge cut --exp\t--cl\t", "<cut><--explain><--clean>" },
      }
    )
  end)

  it("completes in zsh #check", function()
    if not (command.has "zsh" and command.has "script") then return pending "zsh or script(1) is missing" end
    dir:write("zsh/.zshrc", "PS1=; fpath=(../zsh $fpath); setopt no_beep; autoload -Uz compinit; compinit -u -D\n")
    completes(
      "env ZDOTDIR=../zsh zsh -i",
      with {
        { "abridge cut --max-l\t5", "<cut><--max-lines=5>" },
        { "abridge cut --exp\t--cl\t", "<cut><--explain><--clean>" },
      }
    )
    dir:write("zsh/.zshrc", "PS1=; setopt no_beep; autoload -Uz compinit; compinit -u -D; . ../abridge.zsh\n")
    completes("env ZDOTDIR=../zsh zsh -i", SHARED) -- as by eval "$(abridge completion zsh)"
  end)

  it("completes in fish #check", function()
    if not command.has "fish" then return pending "fish is missing" end
    local function offers(line)
      dir:write("try.fish", "source ../abridge.fish\ncomplete -C " .. tmpdir.quote(line) .. "\n")
      local out, err = dir:sh "cd work && HOME=$PWD/../fish PATH=$PWD/../bin:$PATH fish --no-config ../try.fish"
      assert.equal("", err)
      local words = {}
      for word in out:gmatch "([^\t\n]*)[^\n]*\n" do
        words[#words + 1] = word
      end
      table.sort(words)
      return words
    end
    local names = {}
    for _, one in ipairs(commands.all()) do
      names[#names + 1] = one.name
    end
    table.sort(names)
    assert.same(names, offers "abridge ")
    assert.same({ "completion" }, offers "abridge comp")
    assert.same({ "bash", "fish", "zsh" }, offers "abridge completion ")
    assert.same({ "read_file", "run_command" }, offers "abridge cap r")
    assert.same({ "a file.txt" }, offers "abridge read a")
    assert.same({ "folder/" }, offers "abridge log f")
    assert.same({ "folder/" }, offers "abridge run --cwd f")
    assert.same({ "pi", "pipeline" }, offers "abridge cut --profile pi")
    assert.same({ "--strategy=priority" }, offers "abridge cut --strategy=pri")
    assert.same({ "kind" }, offers "abridge --color never ki")
    assert.same({ "--max-lines" }, offers "abridge cut --max-l")
    assert.same({}, offers "abridge cut --timeo")
    assert.same({ "abridge-probe" }, offers "abridge run -- abridge-pr")
    assert.same({ "other" }, offers "abridge run -- abridge-probe oth")
    assert.same({ "abridge-probe" }, offers "abridge run --timeout 3 -- abridge-pr")
    assert.same({ "other" }, offers "abridge --color never run --cwd / --no-save abridge-probe oth")
    assert.same({ "other" }, offers "abridge run --timeout=3 -- abridge-probe oth")
  end)

  it("gives scripts that their shells take", function()
    for _, shell in ipairs(commands.shells) do
      local script = dir:read("abridge." .. shell)
      for _, one in ipairs(commands.all()) do
        assert.is_truthy(script:find(one.name, 1, true))
      end
      assert.is_nil(script:find "@%u+@", shell)
      if command.has(shell) then assert.same({ "", "", 0 }, { dir:sh(("%s -n abridge.%s"):format(shell, shell)) }) end
    end
  end)

  it("refuses other shells", function()
    for _, words in ipairs { { "tcsh" }, {}, { "bash", "zsh" } } do
      local out, err, code = dir:sh(command.line("completion", (table.unpack or unpack)(words)))
      assert.same({ "", 2 }, { out, code })
      assert.matches("^abridge: completion needs one SHELL: bash, zsh, fish ", err)
    end
  end)
end)
