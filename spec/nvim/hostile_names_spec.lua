-- Names of files, folders and buffers that would run something if a shell or Vim's own expansion saw them unquoted.
local abridge = require "abridge"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, names of files", function()
    pending "are on no command line: this host is not Neovim"
  end)
  return
end

local command_line = require "abridge.nvim.command_line"
local nvim = require "abridge.nvim"
local windows = require "support.windows"
local api = vim.api

local HOSTILE = {
  "a b;touch pwned",
  "`touch pwned`",
  "$(touch pwned)",
  "'; touch pwned; '",
  '"; touch pwned; "',
  "-rf",
  "--help",
  "a|touch pwned",
  "x\ntouch pwned",
  "a'\\''; touch pwned #",
  "<cfile>",
  "$HOME",
  "~",
  "~root",
  "*",
  "[ab]",
  "{a,b}",
  "%",
  "#",
  "%:p",
  "a\\",
  "!touch pwned",
  "=system('touch pwned')",
  "&touch pwned",
  "PATH=x",
  "2",
  "if",
  "é `touch pwned`",
}

describe("on a command line", function()
  local dir, cwd, home, path

  setup(function()
    dir = tmpdir.new()
    cwd, home, path = host.uv().cwd(), vim.env.HOME, package.path
    package.path = ("%s/lua/?.lua;%s/lua/?/init.lua;"):format(cwd, cwd) .. path -- from here on the folder is another
    vim.cmd("cd " .. dir.path)
    nvim.setup { session = { run_dir = false } }
  end)

  teardown(function()
    nvim.session():close()
    vim.cmd "silent! %bwipeout!"
    vim.cmd("cd " .. cwd)
    vim.cmd("let $HOME = '" .. home .. "'")
    package.path = path
    dir:remove()
  end)

  after_each(function()
    vim.cmd "silent! only!"
    assert.is_nil(dir:read "pwned")
  end)

  --- A buffer of that name in the current window.
  local function edit(name)
    local buf = vim.fn.bufnr("^" .. vim.fn.escape(name, "*?[]{},\\^$~") .. "$")
    if buf < 1 or vim.fn.bufname(buf) ~= name then
      buf = api.nvim_create_buf(true, false)
      api.nvim_buf_set_name(buf, name)
    end
    api.nvim_set_current_buf(buf)
    return buf
  end

  local function fresh(name)
    vim.cmd "silent! %bwipeout!"
    return edit(name)
  end

  --- What a shell prints for a command of printf.
  local function printed(command)
    return dir:sh(command_line.expanded(command))
  end

  it("% is the name, whatever is in it and whatever quotes it stands in; nothing runs", function()
    for _, name in ipairs(HOSTILE) do
      fresh(name)
      local shown = name:find "^%-" and "./" .. name or name
      for _, command in ipairs {
        "printf \\%s %",
        'printf \\%s "%"',
        "printf '\\%s' '%'",
        "(printf \\%s %)",
        "printf \\%s \"$(printf '\\%sx' '%')\"",
        'printf \\%s "$(echo a >&2; printf \\%sx "%")"',
        "echo `date` >&2; printf \\%s %",
        'x=%; printf \\%s "$x"',
        'printf \\%s "${HOME:+}"%',
        ": it\\'s; printf \\%s %",
        "true \\# it's\nprintf \\%s %",
      } do
        local ok, text = pcall(command_line.expanded, command)
        assert.is_true(ok, command .. " " .. tostring(text))
        assert.equal(shown .. (command:find("sx", 1, true) and "x" or ""), dir:sh(text), text)
        assert.is_nil(dir:read "pwned", text)
      end
    end
  end)

  it("where nothing can be quoted, a name is one word or is refused", function()
    local names = { "a'b;touch pwned", "$(touch pwned)", "`touch pwned`", "x\ntouch pwned\n", '"$(touch pwned)' }
    for _, command in ipairs {
      "cat <<E\n%\nE",
      "cat <<'E'\n%\nE",
      "echo `echo %`",
      "echo \"`echo '%'`\"",
      "echo $%",
      'echo "$%"',
      "sh -c 'cat %'",
      "sh -c \"cat '%'\"",
      "echo $((%))",
      "echo ${x:-%}",
      'echo ${x:-"%"}',
      "echo $'%'",
      "echo $(case a in a) echo '%';; esac)",
      "true \\# %",
      'echo "$(cat <<E\n%\nE\n)"',
    } do
      for _, name in ipairs(names) do
        fresh(name)
        local ok, message = pcall(command_line.expanded, command)
        if ok then dir:sh(message) end
        assert.is_nil(dir:read "pwned", command)
        assert.is_false(ok, command)
        assert.equal(1, (message:find "%S+ cannot be quoted safely there: "))
      end
      fresh "lib/a.c"
      local ok, text = pcall(command_line.expanded, command)
      assert.equal(not command:find("$%", 1, true), ok)
      if ok then assert.matches("lib/a.c", text, 1, true) end
    end
  end)

  it("random names stay names between random quotes", function()
    local pieces = {
      "'",
      '"',
      "`",
      "$(",
      ")",
      ";touch pwned;",
      " ",
      "\\",
      "\n",
      "a",
      "#",
      "%",
      "<<",
      "${",
      "}",
      "|",
      "&",
      "-",
    }
    local around = {
      "'",
      '"',
      "`",
      "$(",
      ")",
      " ",
      "\\\\",
      "a",
      "\\#",
      "${x}",
      "(",
      "$",
      "%",
      "echo ",
      "\n",
      "<<E",
      "case ",
    }
    random.each(400, function()
      local name, command = {}, { "echo " }
      for i = 1, random.below(6) + 1 do
        name[i] = pieces[random.below(#pieces) + 1]
      end
      for i = 2, random.below(9) + 2 do
        command[i] = around[random.below(#around) + 1]
      end
      name, command = table.concat(name), table.concat(command)
      fresh(name)
      local ok, text = pcall(command_line.expanded, command)
      if ok and command:find("%", 1, true) then dir:sh("sh 2>/dev/null -c " .. tmpdir.quote(text)) end
      random.must(dir:read "pwned" == nil, "%s", command .. " with " .. name)
    end)
  end)

  it("modifiers mean what they mean to Vim", function()
    for _, name in ipairs {
      "a.c",
      "sub/b.tar.gz",
      "../c d.txt",
      "/usr/include/x.h",
      "noext",
      ".hidden",
      "sub/.x.y",
      "é.lua",
    } do
      fresh(name)
      for _, mods in ipairs {
        "",
        ":p",
        ":h",
        ":t",
        ":r",
        ":e",
        ":p:h",
        ":p:h:h",
        ":h:t",
        ":t:r",
        ":r:r",
        ":e:e",
        ":r:e",
        ":p:t",
        ":p:.",
        ":.",
        ":8",
        ":s?a?b?",
        ":s?a?b?:p",
        ":gs?[a-c]?<&>?",
        ":s/c/x/:t:s?x?yy?",
        ":p:gs?/?\\\\?",
        ":s+t+\\U&+",
        ":t:h",
        ":q",
        ":s?a?",
        "<",
        ":p:~",
        ":~",
      } do
        vim.cmd "let $HOME = '/usr'" -- Neovim 0.7 itself does not hear of vim.env
        local wanted = vim.fn.expand("%" .. mods)
        local rest = mods == ":t:h" and ":h" or (mods == ":q" or mods == ":s?a?") and mods or ""
        if mods == "<" then wanted = vim.fn.fnamemodify(name, ":r") end
        local ok, text = pcall(command_line.expanded, "%" .. mods)
        if wanted == "" then
          assert.equal(1, (text:find("no file name for %", 1, true)))
        else
          assert.is_true(ok, text)
          if rest ~= "" then wanted = (mods == ":t:h" and vim.fn.fnamemodify(name, ":t") or name) end
          local home_part = wanted:match "^~/"
          wanted = home_part and "~/'" .. wanted:sub(3) .. "'" or "'" .. wanted .. "'"
          assert.equal(wanted .. rest, text, name .. mods)
        end
      end
    end
  end)

  it("a name under the user's folder is found by what :~ makes of it", function()
    vim.env.HOME = dir.path
    dir:write("at home; touch pwned", "here")
    fresh(dir:at "at home; touch pwned")
    assert.equal("here", printed "cat %:~")
    assert.equal("here", printed "cat %:p:~:s?x?y?")
  end)

  it("# is the alternate file, one of a number, an old one, the arguments", function()
    local first = fresh "one;touch pwned"
    edit "two two"
    assert.equal("cat 'one;touch pwned' /'one'", command_line.expanded "cat # /#:s?;.*??")
    assert.equal("'one;touch pwned' 'one;touch pwned'", command_line.expanded(("#%d #0"):format(first)))
    vim.v.oldfiles = { "/a/1", "/a/`touch pwned`", "/b/3.c" }
    assert.equal("'/a/`touch pwned`' '3' '/b/3.c'", command_line.expanded "#<2 #<3:t:r #<3")
    vim.cmd "args x\\ y z\\;touch\\ pwned"
    assert.equal("ls 'x y' 'z;touch pwned'", command_line.expanded "ls ##")
    vim.cmd "%argdelete"
    for _, text in ipairs { "##", "#999", "#<9" } do
      assert.equal(
        ("no file name for %s (write \\# for a plain one)"):format(text),
        select(2, pcall(command_line.expanded, text))
      )
    end
  end)

  it("a buffer without a name has none; a backslash makes a plain % or #", function()
    vim.cmd "silent! %bwipeout!"
    assert.equal("no file name for % (write \\% for a plain one)", select(2, pcall(command_line.expanded, "date +%")))
    assert.equal("'" .. dir.path .. "'", command_line.expanded "%:p:h")
    assert.equal("date +%s # \\%", command_line.expanded "date +\\%s \\# \\\\%")
    assert.equal("echo `date` $HOME ~ <cfile> *.c", command_line.expanded "echo `date` $HOME ~ <cfile> *.c")
  end)

  it("a replacement that is an expression is refused", function()
    fresh "a"
    assert.equal(
      "an expression cannot be evaluated here: :s?a?\\=system('touch pwned')?",
      select(2, pcall(command_line.expanded, "%:s?a?\\=system('touch pwned')?"))
    )
  end)

  it("names are whole where the session works in another folder", function()
    fresh "sub/a.c"
    assert.equal(
      ("cat '%s/sub/a.c' 'a.c' '%s/sub/a.c'"):format(dir.path, dir.path),
      command_line.expanded("cat % %:t %:.", "/usr")
    )
  end)

  it(":Abridge run runs what it shows, and tells what it cannot run", function()
    local name = "a b;touch pwned"
    dir:write(name, "the text")
    fresh(name)
    vim.cmd "Abridge run cat %; echo `echo once` >>count"
    local buf = api.nvim_get_current_buf()
    assert.equal("$ cat 'a b;touch pwned'; echo `echo once` >>count", api.nvim_buf_get_lines(buf, 0, 1, true)[1])
    assert.is_true(vim.wait(10000, function()
      return dir:read "count" ~= nil
    end, 5))
    nvim.session():wait()
    assert.equal("the text", api.nvim_buf_get_lines(buf, 1, 2, true)[1])
    assert.equal("once\n", dir:read "count")
    local notify, said = vim.notify, nil
    vim.notify = function(message)
      said = message
    end
    vim.cmd "enew"
    vim.cmd "Abridge run cat %"
    vim.notify = notify
    assert.equal("abridge: no file name for % (write \\% for a plain one)", said)
  end)

  it("buffers of a tool's output have names that nothing reads as more, and no line in them sets options", function()
    local name = "$(touch pwned) `touch pwned`;'\"|\n%#\\<cfile>" .. ("é"):rep(90)
    local run_dir = dir:at "log"
    local session = abridge.session { run_dir = run_dir }
    session:register {
      name = name,
      description = "",
      input_schema = { type = "object" },
      execute = function()
        return "one\nvim: set tabstop=3 :\n"
      end,
    }
    session:call(name, {}, { id = name }):wait()
    session:close()
    vim.cmd("Abridge run : " .. vim.fn.escape((name:gsub("\n", " ")), "%#"))
    vim.cmd("Abridge log " .. vim.fn.fnameescape(run_dir))
    windows.eventually(function()
      return api.nvim_buf_line_count(0) == 2
    end)
    for _, key in ipairs { "o", "\r" } do
      vim.cmd "normal 2G"
      api.nvim_feedkeys(key, "mx", false)
      local buf = api.nvim_get_current_buf()
      windows.eventually(function()
        return api.nvim_buf_get_lines(buf, 0, 1, true)[1] == "one"
      end)
      vim.cmd "doautocmd User nobody"
      assert.same({ 8, false }, { vim.bo[buf].tabstop, vim.bo[buf].modeline })
      local status = api.nvim_eval_statusline(vim.wo.statusline, {}).str
      assert.is_nil(status:find "%c")
      vim.cmd "redraw! | wincmd p"
    end
    local seen = 0
    for _, buf in ipairs(api.nvim_list_bufs()) do
      local own = api.nvim_buf_get_name(buf)
      if own:find "^abridge://" then
        seen = seen + 1
        assert.is_nil(own:find "[^%w_./+@:,= \128-\255-]", own)
        assert.is_true(plain.is_valid_utf8(own))
      end
    end
    assert.equal(4, seen)
    vim.cmd "silent! %bwipeout!"
  end)

  it("modifiers of a command are nothing else", function()
    for _, mods in ipairs { "!touch pwned |", "call system('touch pwned') |", "vert", "vertical|", "edit" } do
      local ok, message = pcall(nvim.log, dir.path, mods)
      assert.equal(mods == "vert", ok)
      if not ok then
        assert.matches('mods must be modifiers of a command such as "vertical", got "', message, 1, true)
      end
    end
  end)

  describe("completion", function()
    it("runs nothing of what is typed, nor of what it finds", function()
      for _, name in ipairs(HOSTILE) do
        host.uv().fs_mkdir(dir:at(name), 448)
        dir:write(name:gsub("/", "_") .. ".txt", name)
      end
      for _, lead in ipairs {
        "",
        "`touch pwned`",
        "$(touch pwned)",
        "`",
        "x;touch",
        "{`touch pwned`,",
        "~root",
        "$HOME",
        "<",
        "'",
      } do
        for _, command in ipairs { "log ", "run ", "run cat ", "run cat a", "run ./" } do
          for _, found in ipairs(windows.completed(command .. lead)) do
            assert.is_nil(found:find "%c", found)
          end
          assert.is_nil(dir:read "pwned", command .. lead)
        end
      end
    end)

    it("gives words that name what was found", function()
      local seen = 0
      for _, word in ipairs(windows.completed "run cat ") do
        if word:find "%.txt$" then
          seen = seen + 1
          fresh "other"
          local text = dir:sh(command_line.expanded("cat " .. word))
          assert.is_true(vim.tbl_contains(HOSTILE, text), word)
          assert.same({ word }, windows.completed("run cat " .. word))
        end
      end
      assert.equal(#HOSTILE - 1, seen) -- but the one with a newline
    end)

    it("of variables, users and redirections is that of :!", function()
      vim.env.ABRIDGE_COMPLETED = "x"
      dir:write("redirected file", "")
      assert.same({ "$ABRIDGE_COMPLETED" }, windows.completed "run echo $ABRIDGE_COMPL")
      assert.same({ '"a$ABRIDGE_COMPLETED' }, windows.completed 'run echo "a$ABRIDGE_COMPL')
      assert.same({ "2>redirected\\ file" }, windows.completed "run cat 2>redir")
      assert.truthy(vim.tbl_contains(windows.completed "run ls ~roo", "~root/"))
      vim.env.ABRIDGE_COMPLETED = nil
    end)

    it("of a log gives folders that it opens", function()
      local session = abridge.session { run_dir = dir:at "`touch pwned`/run 1" }
      session:call("run_command", { command = "echo found" })
      session:close()
      local function lists_it()
        return table.concat(windows.lines_of(), "\n"):find("echo found", 1, true)
      end
      assert.same({ "\\`touch\\ pwned\\`/" }, windows.completed "log `")
      assert.same({ "\\`touch\\ pwned\\`/run\\ 1/" }, windows.completed "log \\`touch\\ pwned\\`/r")
      for _, typed in ipairs { "\\`touch\\ pwned\\`/run\\ 1/", "`touch pwned`/run 1", dir:at "`touch pwned`/run 1" } do
        vim.cmd("Abridge log " .. typed)
        windows.eventually(lists_it)
        vim.cmd "bwipeout!"
      end
      vim.env.HOME = dir.path
      vim.cmd "Abridge log ~/`touch pwned`/run 1"
      windows.eventually(lists_it)
      assert.same({ "~/\\`touch\\ pwned\\`/" }, windows.completed "log ~/`")
    end)
  end)
end)
