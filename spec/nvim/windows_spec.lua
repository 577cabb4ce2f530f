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
local nvim = require "abridge.nvim"
local nvim_ui = require "support.nvim_ui"
local status = require "abridge.nvim.status"
local api = vim.api

local function type_keys(typed)
  api.nvim_feedkeys(api.nvim_replace_termcodes(typed, true, false, true), "mx", false)
end

local function close_all()
  vim.cmd "silent! tabonly! | silent! only!"
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if vim.bo[buf].filetype:find "^abridge%-" then api.nvim_buf_delete(buf, { force = true }) end
  end
end

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
  local dir

  setup(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "own" } }
  end)

  teardown(function()
    nvim.session():close()
    dir:remove()
  end)

  after_each(close_all)

  --- The windows that have keys, by the words under which the help lists them, and how to open them.
  local function open_log() nvim.log(logged_run(dir)) end
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
    ["in a command's window"] = function() vim.cmd "Abridge run true" end,
  }

  it("are those of the help, each with a few words, and g? lists them", function()
    local help = paths.read "doc/abridge.txt"
    for where, open in pairs(WINDOWS) do
      local listed = help:match("\nkey +" .. where:gsub("%p", "%%%0") .. " ~\n(.-)\n\n")
      assert(listed, "the help lists no keys " .. where)
      open()
      local found, count = keys_of(0), 0
      for lhs, what in pairs(found) do
        assert(#what > 0 and #what < 50, lhs)
        local escaped = lhs:gsub("%p", "%%%0")
        assert((" " .. listed:gsub("[,\n]", " ") .. " "):gsub("{count}", ""):find("%s" .. escaped .. "%s"),
          ("%s is not in the help %s:\n%s"):format(lhs, where, listed))
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
    local buf = buffer.scratch("result", "x", "abridge-result")
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
      assert.is_true(vim.wait(5000, function() return not api.nvim_win_is_valid(win) end, 5), leave)
      assert.equal("", api.nvim_win_get_config(0).relative)
      api.nvim_set_current_win(vim.fn.bufwinid(buf))
    end
  end)
end)

describe("a buffer of ours", function()
  after_each(close_all)

  it("is named after what it shows, whatever folder one goes to", function()
    local cwd = vim.fn.getcwd()
    local function shown() return api.nvim_eval_statusline("%f", {}).str end
    for what, name in pairs {
      ["make test"] = "abridge: make test",
      ["cat ../a/b | wc"] = "abridge: cat ../a/b _ wc",
      ["./configure --x=/y"] = "abridge: ./configure --x=/y",
    } do
      buffer.show(buffer.scratch("run", what, "abridge-run"))
      assert.equal(name, shown())
      vim.cmd "cd /"
      assert.equal(name, shown())
      vim.cmd("cd " .. vim.fn.fnameescape(cwd))
    end
    buffer.show(buffer.scratch("log", "a", "abridge-log"))
    assert.equal("abridge log: a", shown())
    buffer.show(buffer.scratch("log", "a", "abridge-x"))
    assert.equal("abridge log 2: a", shown())
  end)

  it("goes to the window of its kind, but :tab opens one, and so does a window tied to its buffer", function()
    local first = api.nvim_get_current_win()
    for _ = 1, 3 do
      buffer.show(buffer.scratch("run", "x", "abridge-run"), "vertical")
      api.nvim_set_current_win(first)
    end
    assert.equal(2, #api.nvim_tabpage_list_wins(0))
    buffer.show(buffer.scratch("log", "x", "abridge-log"))
    assert.equal(3, #api.nvim_tabpage_list_wins(0))
    buffer.show(buffer.scratch("log", "x", "abridge-log"), "tab")
    assert.equal(2, #api.nvim_list_tabpages())
    if vim.fn.exists "&winfixbuf" == 1 then
      vim.wo.winfixbuf = true
      buffer.show(buffer.scratch("log", "x", "abridge-log"))
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
    _G.buf = buffer.scratch("run", "make", "abridge-run")
    buffer.show(_G.buf)
    vim.cmd "highlight AbridgeError guifg=#ff0044 | highlight AbridgeRunning guifg=#00ff44"
    status.set(_G.buf, { { "running 3s", "AbridgeRunning" }, { "100% of %f\\" } }, { { "g? keys" } })
  ]]

  it("is in its winbar, or its status line, in the colours of its groups, with nothing expanded", function()
    ui:lua(SHOW)
    local row, column = ui:wait_for "running 3s  100% of %f\\"
    assert.equal(HAS_WINBAR and 1 or 6, row)
    assert.equal(0x00ff44, ui:look(row, column).foreground)
    assert.equal(row, (ui:wait_for "g? keys"))
    ui:wait_for "abridge: make"
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
  end)
end)

describe("a status", function()
  after_each(close_all)

  it("is a plain text in b:abridge_status, and nothing is said of a buffer that is gone", function()
    local buf = buffer.scratch("run", "x", "abridge-run")
    status.set(buf, { { "a" }, { "b", "Title" } }, { { "c" } })
    assert.equal("a  b", vim.b[buf].abridge_status)
    api.nvim_buf_delete(buf, { force = true })
    status.set(buf, { { "a" } })
  end)
end)
