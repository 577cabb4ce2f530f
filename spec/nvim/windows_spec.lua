-- Our windows in Neovim: the keys they have and list, what they say of themselves, and that they are used again.
local abridge = require "abridge"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, windows", function()
    pending "are not there: this host is not Neovim"
  end)
  return
end

local buffer = require "abridge.nvim.buffer"
local keys = require "abridge.nvim.keys"
local main_loop = require "support.main_loop"
local nvim = require "abridge.nvim"
local nvim_ui = require "support.nvim_ui"
local status = require "abridge.nvim.status"
local windows = require "support.windows"
local api = vim.api
local type_keys, close_all, eventually = windows.type_keys, windows.close_all, windows.eventually

--- The keys that a buffer has, and what they do.
local function keys_of(buf)
  local found = {}
  for _, key in ipairs(api.nvim_buf_get_keymap(buf, "n")) do
    found[key.lhs:gsub("^<[Cc]%-([Cc])>$", "<C-c>")] = key.desc
  end
  return found
end

--- A folder with the log of one command, whose output was cut.
local function logged_run(dir)
  local session = abridge.session { run_dir = dir:at "run", limits = { run_command = { max_lines = 10 } } }
  session:call("run_command", { command = "seq 3000" })
  session:close()
  return dir:at "run"
end

describe("keys", function()
  local dir, run_dir

  setup(function()
    dir = tmpdir.new()
    run_dir = logged_run(dir)
    nvim.setup { session = { run_dir = dir:at "own" } }
  end)

  teardown(function()
    nvim.session():close()
    dir:remove()
  end)

  after_each(close_all)

  --- The windows that have keys, by the words under which the help lists them, and how to open them.
  local function open_log()
    local buf = nvim.log(run_dir)
    assert(vim.wait(10000, function()
      return (api.nvim_buf_get_lines(buf, 1, 2, false)[1] or ""):find "13.6KB" ~= nil
    end, 5))
  end
  local WINDOWS = {
    ["in a list of calls"] = open_log,
    ["in a full output"] = function()
      open_log()
      type_keys "<CR>"
    end,
    ["in a result"] = function()
      open_log()
      type_keys "o"
    end,
    ["in a command's window"] = function()
      vim.cmd "Abridge run true"
    end,
  }

  it("are those of the help, each with a few words, and g? lists them", function()
    local help = paths.read "doc/abridge.txt"
    for where, open in pairs(WINDOWS) do
      local listed = help:match("\nkeys +" .. where:gsub("%p", "%%%0") .. " ~\n(.-)\n\n")
      assert(listed, "the help lists no keys " .. where)
      open()
      local found, count = keys_of(0), 0
      for lhs, what in pairs(found) do
        assert(#what > 0 and #what < 50, lhs)
        local escaped = lhs:gsub("%p", "%%%0")
        assert(
          (" " .. listed:gsub("[,\n]", " ") .. " "):gsub("{count}", ""):find("%s" .. escaped .. "%s"),
          ("%s is not in the help %s:\n%s"):format(lhs, where, listed)
        )
        count = count + 1
      end
      type_keys "g?"
      assert.equal("abridge-keys", vim.bo.filetype)
      local lines = api.nvim_buf_get_lines(0, 0, -1, true)
      assert.equal(count, #lines)
      for _, line in ipairs(lines) do
        local lhs, what = line:match "^ (%S+) +(.-) $"
        assert.equal(found[lhs], what, lhs)
      end
      type_keys "<Esc>"
      close_all()
    end
  end)

  it("show in a float that fits the screen, and closes when it is left", function()
    local buf = buffer.scratch "abridge-result"
    buffer.show(buf)
    local list = { { "q", "<Cmd>bwipeout<CR>", "Close" } }
    for i = 1, 60 do
      list[#list + 1] = { ("]%d"):format(i), function() end, ("x"):rep(vim.o.columns) }
    end
    keys.map(buf, "Many", list)
    for _, leave in ipairs { "q", "<Esc>", "g?", "<C-w>w" } do
      type_keys "g?"
      local win = api.nvim_get_current_win()
      assert.equal("abridge-keys", vim.bo.filetype)
      assert.is_true(api.nvim_win_get_width(win) <= vim.o.columns - 2)
      assert.is_true(api.nvim_win_get_height(win) <= vim.o.lines - 2)
      type_keys(leave)
      assert.is_true(
        vim.wait(5000, function()
          return not api.nvim_win_is_valid(win)
        end, 5),
        leave
      )
      assert.equal("", api.nvim_win_get_config(0).relative)
      api.nvim_set_current_win(vim.fn.bufwinid(buf))
    end
  end)
end)

describe("a buffer of ours", function()
  after_each(close_all)

  it("is named after what it shows, whatever folder one goes to", function()
    local cwd = vim.fn.getcwd()
    local function shown()
      return api.nvim_eval_statusline("%f", {}).str
    end
    for what, name in pairs {
      ["make test"] = "abridge://run/20260101T0-1/3/make test",
      ["cat ../a/b | wc"] = "abridge://run/20260101T0-1/3/cat ../a/b _ wc",
      ["./configure --x=/y"] = "abridge://run/20260101T0-1/3/./configure --x=/y",
    } do
      local buf = buffer.scratch "abridge-run"
      buffer.show(buf)
      buffer.name(buf, "run", "/state/runs/20260101T0-1", 3, what)
      assert.equal(name, shown())
      vim.cmd "cd /"
      assert.equal(name, shown())
      vim.cmd("cd " .. vim.fn.fnameescape(cwd))
    end
    for i, name in ipairs { "abridge://log/a", "abridge://log/a (2)", "abridge://log/-" } do
      local buf = buffer.scratch("abridge-" .. i)
      buffer.show(buf)
      buffer.name(buf, "log", i < 3 and "/x/a/" or nil)
      assert.equal(name, shown())
    end
  end)

  it("goes to the window of its kind, but :tab opens one, and so does a window tied to its buffer", function()
    local first = api.nvim_get_current_win()
    for _ = 1, 3 do
      buffer.show(buffer.scratch "abridge-run", "vertical")
      api.nvim_set_current_win(first)
    end
    assert.equal(2, #api.nvim_tabpage_list_wins(0))
    buffer.show(buffer.scratch "abridge-log")
    assert.equal(3, #api.nvim_tabpage_list_wins(0))
    buffer.show(buffer.scratch "abridge-log", "tab")
    assert.equal(2, #api.nvim_list_tabpages())
    if vim.fn.exists "&winfixbuf" == 1 then
      vim.wo.winfixbuf = true
      buffer.show(buffer.scratch "abridge-log")
      assert.equal(2, #api.nvim_tabpage_list_wins(0))
    end
  end)
end)

describe("on the screen, a window's status", function()
  local HAS_WINBAR = vim.fn.exists "&winbar" == 1
  local ui

  before_each(function()
    ui = nvim_ui.start { columns = 60, rows = 12 }
  end)

  after_each(function()
    ui:stop()
  end)

  local SHOW = [[
    local buffer, status = require "abridge.nvim.buffer", require "abridge.nvim.status"
    _G.buf = buffer.scratch "abridge-run"
    buffer.name(_G.buf, "run", nil, 1, "make")
    buffer.show(_G.buf)
    vim.cmd "highlight AbridgeError guifg=#ff0044 | highlight AbridgeRunning guifg=#00ff44"
    status.set(_G.buf, { { "running 3s", "AbridgeRunning" }, { "100% of %f\\" } }, { { "g?", "keys" } })
  ]]

  it("is in its winbar, or its status line, in the colours of its groups, with nothing expanded", function()
    ui:lua(SHOW)
    local row, column = ui:wait_for "running 3s  100% of %f\\"
    assert.equal(HAS_WINBAR and 1 or 6, row)
    assert.equal(0x00ff44, ui:look(row, column).foreground)
    assert.equal(row, (ui:wait_for "g? keys"))
    ui:wait_for "abridge://run/-/1/make"
    ui:lua [[require("abridge.nvim.status").set(_G.buf, { { "exit 2", "AbridgeError" } })]]
    row, column = ui:wait_for "exit 2"
    assert.equal(0xff0044, ui:look(row, column).foreground)
  end)

  it("goes with the buffer, not with the window", function()
    ui:lua(SHOW)
    ui:wait_for "running 3s"
    ui:lua "vim.bo[_G.buf].bufhidden = 'hide'; vim.cmd 'only | enew'"
    ui:wait_without "running"
    ui:lua "vim.cmd('vertical sbuffer ' .. _G.buf)"
    ui:wait_for "running 3s"
  end)

  it("on 0.7 with one status line for all is a line above the first", function()
    if HAS_WINBAR then return end
    ui:lua "vim.o.laststatus = 3"
    ui:lua(SHOW)
    assert.same({ 1, 2 }, { ui:wait_for "running 3s  100% of %f\\" })
    ui:lua [[require("abridge.nvim.status").set(_G.buf, { { "exit 2", "AbridgeError" } })]]
    local row, column = ui:wait_for "exit 2"
    assert.same({ 1, 0xff0044 }, { row, ui:look(row, column).foreground })
    ui:lua [[require("abridge.nvim.buffer").change(_G.buf, function()
      vim.api.nvim_buf_set_lines(_G.buf, 0, -1, true, vim.fn.map(vim.fn.range(1, 40), '"line " .. v:val'))
    end)]]
    for _, move in ipairs { { "G", "line 40" }, { "10k", "line 30" }, { "gg", "line 1" }, { "zt3j", "line 4" } } do
      ui:input(move[1])
      ui:wait_for(move[2])
      assert.equal(1, (ui:wait_for "exit 2"))
    end
  end)
end)

describe("a status", function()
  after_each(close_all)

  it("is a plain text in b:abridge_status, and nothing is said of a buffer that is gone", function()
    local buf = buffer.scratch "abridge-run"
    status.set(buf, { { "a" }, { "b", "Title" } }, { { "c", "do" } })
    assert.equal("a  b", vim.b[buf].abridge_status)
    api.nvim_buf_delete(buf, { force = true })
    status.set(buf, { { "a" } })
  end)

  it("leaves out what has no room, and last of all the key that lists the keys", function()
    local columns = vim.o.columns
    local buf = buffer.scratch "abridge-run"
    buffer.show(buf)
    status.set(
      buf,
      { { "exit 2" }, { "10 of 20 lines", least = math.huge }, { ("word "):rep(8), least = 6 } },
      { { "r", "again" }, { "<CR>", "full output" }, { "g?", "keys" } }
    )
    local before = {}
    for width = 15, 140 do
      vim.o.columns = width
      local text = api.nvim_eval_statusline(status.line(), { maxwidth = width, fillchar = " " }).str
      assert.equal(width, api.nvim_strwidth(text))
      assert.equal(1, (text:find " exit 2 "), text)
      local has = {
        keys = text:find "  g%? keys $" ~= nil,
        lines = text:find("  10 of 20 lines ", 1, true) ~= nil,
        words = text:find "word" ~= nil,
        output = text:find("  <CR> full output  g? ", 1, true) ~= nil,
      }
      assert.equal(width >= 17, has.keys, text)
      assert.equal(has.lines, text:find("10", 1, true) ~= nil, text)
      for what, shows in pairs(before) do
        assert(has[what] or not shows or what == "output", ("%s: %s"):format(what, text)) -- words come before it
      end
      before = has
    end
    assert.same({ keys = true, lines = true, words = true, output = true }, before)
    vim.o.columns = columns
  end)
end)

describe("the window of :Abridge run", function()
  local window = require "abridge.nvim.command_window"
  local dir, session

  before_each(function()
    dir = tmpdir.new()
    local limits = { run_command = { strategy = "tail", max_lines = 10 } }
    nvim.setup { session = { run_dir = dir:at "run", limits = limits } }
    session = nvim.session()
  end)

  after_each(function()
    close_all()
    session:close()
    dir:remove()
  end)

  local function text_of(buf)
    return table.concat(windows.lines_of(buf), "\n")
  end

  --- What `act` notifies of.
  local function notified(act)
    local notify, message = vim.notify, nil
    vim.notify = function(text)
      message = text
    end -- luacheck: ignore 122
    act()
    vim.wait(10000, function()
      return message ~= nil
    end, 5)
    vim.notify = notify -- luacheck: ignore 122
    return message
  end

  --- A command that prints a line and goes on until `release` is called.
  local function waiting(rest)
    local command = "echo started; while ! test -e %s; do sleep 0.02; done; %s"
    return command:format(tmpdir.quote(dir:at "gate"), rest or "true")
  end

  local function release()
    dir:write("gate", "")
  end

  it("says that it runs, for how long, and how much there is; then how it ended and what was kept", function()
    local buf = window.command(waiting "seq 3000; exit 3")
    windows.says(buf, "^running %d+ms  1 line  8B$")
    local before = vim.b[buf].abridge_status
    local changed = vim.wait(10000, function()
      return vim.b[buf].abridge_status ~= before
    end, 5)
    assert.is_true(changed) -- with no more output
    windows.says(buf, "^running [%d.]+m?s  1 line  8B$")
    release()
    windows.says(buf, "^exit 3  [%d.]+m?s  10 of 3001 lines  %d+B of 13.6KB$")
  end)

  it("paints any output a part at a time, whatever the budget #few", function()
    local MOST = 4000 -- lines that are written in one go
    session:close()
    local limits = { strategy = "tail", max_lines = 20000, max_bytes = "120KB" }
    nvim.setup { session = { run_dir = false, limits = { run_command = limits } } }
    session = nvim.session()
    local told, most = main_loop.time_callbacks(main_loop.processor_time), 0
    local buf = window.command [[yes "$(printf '\033[0m\200')" | head -n 15000; sleep 0.2]]
    api.nvim_buf_attach(buf, false, {
      on_lines = function(_, _, _, first, _, last)
        most = math.max(most, last - first)
      end,
    })
    windows.says(buf, "^exit 0")
    print(("  the longest callback of a run that shows 15,000 lines: %.1f ms"):format(told().max))
    assert.is_true(most > 0 and most <= MOST, most)
    assert.equal(15001, api.nvim_buf_line_count(buf))
    assert.equal("\239\191\189", api.nvim_buf_get_lines(buf, -2, -1, true)[1])
  end)

  it("keeps its winbar from plugins that set every window's, also once it has ended", function()
    if vim.fn.exists "&winbar" == 0 then return end
    local group = api.nvim_create_augroup("other plugin", { clear = true })
    local set = 0
    local function other()
      vim.wo.winbar, set = "theirs", set + 1
    end
    api.nvim_create_autocmd({ "BufWinEnter", "CursorMoved", "WinEnter" }, { group = group, callback = other })
    local buf = window.command "echo done"
    windows.says(buf, "^exit 0")
    local function ours()
      return vim.wo.winbar:find "abridge.nvim.status" ~= nil
    end
    for _, act in ipairs {
      function()
        vim.cmd "doautocmd <nomodeline> CursorMoved"
      end,
      function()
        vim.cmd "new | close"
      end,
    } do
      act()
      assert.is_true(set > 0)
      eventually(ours)
    end
    vim.cmd "new"
    vim.wo.winbar = "theirs"
    vim.wait(50)
    assert.equal("theirs", vim.wo.winbar) -- windows of others are theirs
    vim.cmd "close"
    api.nvim_del_augroup_by_id(group)
  end)

  it("tells every way to end", function()
    for command, words in pairs {
      ["echo a"] = "^exit 0  [%d.]+m?s  1 line  2B$",
      ["exit 7"] = "^exit 7  [%d.]+m?s  no output$",
      ["kill -9 $$"] = "^killed by signal KILL  [%d.]+m?s  no output$",
    } do
      windows.says(window.command(command), words)
    end
    session:close()
    nvim.setup { session = { run_dir = false, timeout = 0.2 } }
    windows.says(window.command "sleep 60", "^timed out  [%d.]+m?s  no output$")
    nvim.session():close()
  end)

  it("stops with one key, and keeps what was printed; nothing is left to stop then", function()
    local buf = window.command "echo started; sleep 60"
    windows.says(buf, "1 line")
    type_keys "<C-c>"
    windows.says(buf, "^stopped  ")
    assert.matches("started\n\nCommand aborted$", text_of(buf))
    assert.equal(
      "abridge: The command has ended",
      notified(function()
        type_keys "<C-c>"
      end)
    )
  end)

  it("runs again with one key, in the same window and under the same name", function()
    local first = window.command "echo once"
    windows.says(first, "^exit 0")
    type_keys "r"
    local second = api.nvim_get_current_buf()
    windows.says(second, "^exit 0")
    assert.is_false(api.nvim_buf_is_valid(first))
    assert.same({ "abridge://run/run/2/echo once", 2 }, { vim.fn.bufname(second), #api.nvim_tabpage_list_wins(0) })
    assert.equal("$ echo once\nonce", text_of(second))
    local third, job = window.command "echo started; sleep 60"
    windows.says(third, "1 line")
    type_keys "r"
    assert.matches("Command aborted", job:wait(10).content)
    windows.says(api.nvim_get_current_buf(), "^running .* 1 line")
    assert.is_false(api.nvim_buf_is_valid(third))
    type_keys "<C-c>"
  end)

  it("opens the full output with Enter, dimmed where it was not kept", function()
    local buf = window.command "seq 3000"
    windows.says(buf, "^exit 0")
    type_keys "<CR>"
    eventually(function()
      return vim.bo.filetype == "abridge-output"
    end)
    assert.equal("1", vim.fn.getline(1))
    type_keys "G"
    assert.equal("3000", vim.fn.getline ".")
    type_keys "q"
    window.command "echo whole"
    windows.says(api.nvim_get_current_buf(), "^exit 0")
    type_keys "<CR>"
    eventually(function()
      return vim.bo.filetype == "abridge-output"
    end)
    assert.same({ "whole" }, api.nvim_buf_get_lines(0, 0, -1, true))
  end)

  it("is one window for three runs, and keeps no buffers of runs that ended", function()
    local first = window.command(waiting())
    windows.says(first, "1 line")
    local second = window.command "echo 2"
    windows.says(second, "^exit 0")
    local third = window.command "echo 3"
    windows.says(third, "^exit 0")
    assert.equal(2, #api.nvim_tabpage_list_wins(0))
    assert.same({ true, false, true }, vim.tbl_map(api.nvim_buf_is_valid, { first, second, third }))
    assert.matches("^abridge: echo started; .*: exit 0", notified(release))
    assert.is_true(vim.wait(10000, function()
      return not api.nvim_buf_is_valid(first)
    end, 5))
  end)

  it("may be closed or show another buffer: nothing is asked, the run goes on, and can be shown again", function()
    for _, leave in ipairs { "q", "close", "edit " .. vim.fn.fnameescape(dir:at "other") } do
      local buf, job = window.command(waiting "echo done")
      windows.says(buf, "1 line")
      if leave == "q" then
        type_keys "q"
      else
        vim.cmd(leave)
      end
      assert.same({ -1, false }, { vim.fn.bufwinid(buf), job:is_done() })
      assert.matches("^abridge: echo started; .*: exit 0, [%d.]+m?s$", notified(release))
      vim.cmd "Abridge run"
      assert.equal(buf, api.nvim_get_current_buf())
      assert.matches("started\ndone$", text_of(buf))
      close_all()
      os.remove(dir:at "gate")
    end
    local contents = {}
    for _, event in ipairs(session:events { type = "tool_result" }) do
      contents[#contents + 1] = event.content
    end
    assert.same({ "started\ndone\n", "started\ndone\n", "started\ndone\n" }, contents)
  end)

  it("is shown again at the end of what has been printed while it runs", function()
    local buf = window.command(waiting "seq 20")
    windows.says(buf, "1 line")
    type_keys "q"
    vim.cmd "Abridge run"
    assert.same({ buf, 2 }, { api.nvim_get_current_buf(), vim.fn.line "." })
    release()
    windows.says(buf, "^exit 0")
    assert.equal(vim.fn.line "$", vim.fn.line ".")
  end)

  it(":edit and :bdelete draw it anew, while it runs and later", function()
    local buf = window.command(waiting "echo done")
    local function reads(words)
      eventually(function()
        return text_of(buf):find(words)
      end, words)
    end
    windows.says(buf, "1 line")
    vim.cmd "edit"
    reads "^%$ echo started; .*\nstarted$"
    vim.cmd("bdelete | sbuffer " .. buf)
    reads "^%$ echo started; .*\nstarted$"
    assert.same({ "nofile", false }, { vim.bo.buftype, vim.bo.modifiable })
    release()
    windows.says(buf, "^exit 0")
    vim.cmd "edit"
    reads "\nstarted\ndone$"
    type_keys "q"
    assert.equal(-1, vim.fn.bufwinid(buf))
  end)

  it("closes with q, and shows another buffer where it is the only window", function()
    local buf = window.command "echo a"
    windows.says(buf, "^exit 0")
    vim.cmd "only"
    type_keys "q"
    assert.is_true(api.nvim_get_current_buf() ~= buf)
    vim.cmd "Abridge run"
    vim.cmd "bwipeout"
    assert.equal(
      "abridge: No command has been run yet",
      notified(function()
        vim.cmd "Abridge run"
      end)
    )
  end)

  it("follows the output where the cursor is at the end, and not elsewhere", function()
    local buf = window.command(waiting "seq 20")
    windows.says(buf, "1 line")
    vim.cmd "normal! G"
    vim.cmd "split | normal! gg"
    local here = api.nvim_get_current_win()
    release()
    windows.says(buf, "^exit 0")
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      local last = api.nvim_buf_line_count(buf)
      assert.equal(win == here and 1 or last, api.nvim_win_get_cursor(win)[1])
    end
  end)

  it("is not touched by a session that is closed, and says so", function()
    local buf = window.command "echo started; sleep 60"
    windows.says(buf, "1 line")
    session:close()
    windows.says(buf, "^stopped")
  end)

  it("is not opened where there is no room, and the run of one that is hidden goes on", function()
    local buf, job = window.command(waiting())
    windows.says(buf, "1 line")
    type_keys "q"
    vim.cmd "split"
    vim.o.equalalways, vim.o.winminheight = false, 1
    vim.cmd "resize 1"
    local ok, message = pcall(window.show_latest)
    local other, why = pcall(window.command, "echo other")
    vim.o.equalalways = true
    assert.same({ false, false }, { ok, other })
    assert.matches("There is no room for a window$", message)
    assert.matches("There is no room for a window$", why)
    assert.same({ true, false }, { api.nvim_buf_is_valid(buf), job:is_done() })
    release()
  end)
end)

describe("a screen with no room for a window", function()
  local dir, lines, columns, notify, told

  before_each(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "own" } }
    lines, columns, notify, told = vim.o.lines, vim.o.columns, vim.notify, {}
    vim.notify = function(message)
      told[#told + 1] = message
    end
  end)

  after_each(function()
    vim.notify = notify
    close_all()
    vim.o.lines, vim.o.columns = lines, columns
    nvim.session():close()
    dir:remove()
  end)

  it("is told in one sentence, once for a window", function()
    vim.o.lines, vim.o.columns = 5, 20
    vim.cmd "Abridge run echo one; sleep 0.6"
    local buf = api.nvim_get_current_buf()
    eventually(function()
      return vim.b[buf].abridge_status:find "exit 0"
    end)
    vim.cmd "Abridge log"
    vim.cmd "Abridge log"
    for _, message in ipairs(told) do
      assert.equal("abridge: There is no room for a window", message)
    end
    assert.is_true(#told >= 1 and #told <= 3, #told)
  end)

  it("is told of an error of Vim's without its place, its command and its traceback", function()
    local ok, why = pcall(vim.cmd, "split | resize 1 | sbuffer 999999")
    assert.is_false(ok)
    assert.matches("^E%d+: [^\n]*999999[^\n]*$", buffer.reason(why))
    assert.equal("one", buffer.reason "abridge: one")
    assert.equal("one\ntwo", buffer.reason "lua/x.lua:3: one\ntwo\nstack traceback:\n\tfar")
  end)
end)

describe("while a command runs", function()
  local dir, ui

  before_each(function()
    dir = tmpdir.new()
    ui = nvim_ui.start { columns = 80, rows = 16, env = { HOME = dir.path } }
    ui:lua(
      [[
      vim.o.mouse = "a"
      vim.cmd "runtime plugin/abridge.lua"
      require("abridge.nvim").setup { session = { run_dir = ... } }
    ]],
      dir:at "run"
    )
    ui:lua "vim.bo.buftype = 'nofile'"
    ui:input "ione two three<Esc>0"
    ui:input ":Abridge run echo started; sleep 60<CR><C-w>p"
    ui:wait_for "1 line  8B"
  end)

  after_each(function()
    ui:stop()
    dir:remove()
  end)

  --- Wait until the time on the screen is another.
  local function tick()
    local function time()
      return table.concat(ui:lines(), "\n"):match "running (%S+)"
    end
    local before = time()
    assert(vim.wait(10000, function()
      return time() ~= before
    end, 10))
  end

  it("what is typed elsewhere goes on: selections, operators, insertions", function()
    ui:input "vl"
    tick()
    assert.equal("v", ui:lua "return vim.fn.mode()")
    ui:input "d"
    ui:wait_for "e two three"
    ui:input "d"
    tick()
    ui:input "w"
    ui:wait_without "e two"
    ui:input "ione"
    tick()
    ui:input " more "
    ui:wait_for "one more two three"
    ui:input "<Esc>"
    assert.same({ "one more two three" }, ui:lua "return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
  end)

  it("leaving Neovim asks nothing, and what was printed is in the log", function()
    ui:input ":qa<CR>"
    assert.is_true(vim.wait(20000, function()
      return ui.ended
    end, 5))
    local run = abridge.open_run(dir:at "run")
    local events = run:events { type = "tool_result" }
    run:close()
    assert.equal(1, #events)
    assert.equal("started\n\nCommand aborted", events[1].content)
  end)

  it("a click on what the winbar names types it", function()
    if vim.fn.exists "&winbar" == 0 then return end
    local row, column = ui:wait_for "<C-c> stop"
    ui:request("nvim_input_mouse", "left", "press", "", 0, row - 1, column + 7)
    ui:wait_for "stopped"
    row, column = ui:wait_for "g? keys"
    ui:request("nvim_input_mouse", "left", "press", "", 0, row - 1, column)
    ui:wait_for "else full output"
  end)

  it("the wheel over its window scrolls it", function()
    ui:input ":Abridge run seq 1000 | sed s/^/n/; sleep 60<CR>"
    ui:wait_for "n1000"
    ui:input "<C-w>p"
    ui:request("nvim_input_mouse", "wheel", "up", "", 0, 2, 1)
    ui:wait_without "n1000"
    tick() -- it stays where it is
    assert.is_nil(table.concat(ui:lines()):find("n1000", 1, true))
  end)
end)
