-- From an error to its line: the places in what was shown and in the full output, in windows that are not ours, and in
-- the quickfix list.
local abridge = require "abridge"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, failures", function()
    pending "are not there: this host is not Neovim"
  end)
  return
end

local failures = require "abridge.nvim.failures"
local main_loop = require "support.main_loop"
local nvim = require "abridge.nvim"
local slices = require "abridge.base.time_slices"
local window = require "abridge.nvim.command_window"
local windows = require "support.windows"
local api = vim.api
local type_keys, eventually, says = windows.type_keys, windows.eventually, windows.says

local LINES = {
  "gcc -c a.c",
  "src/a.c:3:9: error: one",
  "src/a.c:4:1: warning: two",
  '  File "till.py", line 7, in ring',
  "KeyError: 'paper'",
  "",
  ("x"):rep(70),
  "b.c:12: error: three",
}

describe("places in a text read by pieces", function()
  local piece, context = failures.PIECE, failures.CONTEXT

  after_each(function()
    failures.PIECE, failures.CONTEXT = piece, context
  end)

  it("are those of the whole text, whatever the pieces", function()
    random.each(300, function()
      local text = {}
      for i = 1, random.below(40) do
        text[i] = LINES[random.below(#LINES) + 1]
      end
      text = table.concat(text, "\n") .. (random.chance(2) and "\n" or "")
      failures.CONTEXT = 150
      failures.PIECE = 3 * failures.CONTEXT + random.below(200)
      local want, found, starts = {}, {}, { 0 }
      for newline in text:gmatch "()\n" do
        starts[#starts + 1] = newline
      end
      for _, place in ipairs((abridge.locations(text))) do
        want[#want + 1] = { byte = starts[place.line], file = place.file, lnum = place.lnum, severity = place.severity }
      end
      local source = windows.source_of(text)
      failures.each(slices.at_once, source, 0, math.huge, function(place, byte)
        found[#found + 1] = { byte = byte, file = place.file, lnum = place.lnum, severity = place.severity }
      end)
      assert.same(want, found)
      local from = random.below(#text + 1)
      local after, before
      for _, one in ipairs(want) do
        if one.severity == "error" and one.byte >= from then after = after or one.byte end
        if one.severity == "error" and one.byte < from then before = one.byte end
      end
      assert.equal(after, failures.next(slices.at_once, source, from))
      assert.equal(before, failures.previous(slices.at_once, source, from))
    end)
  end)

  it("are at the start of lines alone, however long these are", function()
    failures.PIECE, failures.CONTEXT = 300, 100
    local text = ("y"):rep(1000) .. "\nb.c:12: error: three\n" .. (" a.c:1: error: no"):rep(100) .. "\n"
    local found = {}
    failures.each(slices.at_once, windows.source_of(text), 0, math.huge, function(place, byte)
      found[#found + 1] = { place.file, byte }
    end)
    assert.same({ "b.c", 1001 }, found[1])
    for i = 2, #found do
      assert.equal(1001 + #"b.c:12: error: three\n", found[i][2])
    end
  end)
end)

describe("from an error to its line", function()
  local dir, session, said
  local notify = vim.notify

  before_each(function()
    dir = tmpdir.new()
    dir:sh "mkdir src"
    dir:write("src/a.c", "1\n2\n  three\n4\n")
    dir:write("notes", "mine\n")
    nvim.setup { session = { run_dir = dir:at "run", cwd = dir.path } }
    session = nvim.session()
    said = {}
    function vim.notify(message) -- luacheck: ignore 122
      said[#said + 1] = message
    end
    vim.cmd("edit " .. vim.fn.fnameescape(dir:at "notes"))
  end)

  after_each(function()
    vim.notify = notify -- luacheck: ignore 122
    windows.close_all()
    vim.cmd "silent! cclose | silent! %bwipeout!"
    session:close()
    dir:remove()
  end)

  local FAILING = [[
    seq -f 'step %.0f' 400; echo 'src/a.c:3:4: error: boom'; seq -f 'step %.0f' 400 900
    echo 'gone.c:1: error: lost'; exit 1]]

  local function run(command)
    local buf = window.command(command or FAILING)
    says(buf, "^exit")
    return buf
  end

  --- Type keys that go to a line, in turns with the editor, and wait until it is there. The first row, the command, has
  --- its words too, but does not end with them.
  local function go(keys, line)
    type_keys(keys)
    eventually(function()
      return vim.fn.getline("."):sub(-#line) == line
    end, line)
  end

  local function at_the_error()
    local opened = pcall(eventually, function()
      return vim.bo.buftype == ""
    end)
    assert.is_true(opened, ("at %q in mode %s, said: %s"):format(vim.fn.getline ".", vim.fn.mode(1), tostring(said[1])))
    assert.equal(vim.loop.fs_realpath(dir:at "src/a.c"), vim.loop.fs_realpath(api.nvim_buf_get_name(0)))
    assert.same({ 3, 3 }, api.nvim_win_get_cursor(0))
  end

  it("goes by ]e and <CR> in the window the user came from, which has its own options", function()
    vim.cmd "set number"
    run()
    go("gg]e", "src/a.c:3:4: error: boom")
    go("]e", "gone.c:1: error: lost")
    type_keys "]e"
    eventually(function()
      return said[1]
    end)
    assert.same({ "abridge: No failure with a place comes after this" }, said)
    go("[e", "src/a.c:3:4: error: boom")
    type_keys "<CR>"
    at_the_error()
    assert.equal(2, vim.fn.winnr "$")
    assert.is_true(vim.wo.number)
    vim.cmd "set nonumber"
  end)

  it("says in a sentence that a file is not there, and opens nothing", function()
    local buf = run()
    go("G[e", "gone.c:1: error: lost")
    type_keys "<CR>"
    eventually(function()
      return said[1]
    end)
    assert.same({ "abridge: There is no file gone.c" }, said)
    assert.equal(buf, api.nvim_get_current_buf())
  end)

  it("says so in a line, whatever the name is", function()
    run("echo '" .. ("d/"):rep(900) .. "gone.c:1: error: lost'; exit 1")
    go("gg]e", "gone.c:1: error: lost")
    type_keys "<CR>"
    eventually(function()
      return said[1]
    end)
    assert.matches("^abridge: There is no file d/d/.*gone%.c$", said[1])
    assert.is_true(#said[1] < 80, said[1])
  end)

  it("takes no other run's log where this one keeps none", function()
    session:close()
    nvim.setup { session = { run_dir = false, cwd = dir.path } }
    session = nvim.session()
    run()
    type_keys "gg<CR>"
    eventually(function()
      return vim.bo.filetype == "abridge-output"
    end)
    vim.cmd "Abridge quickfix"
    assert.same({ "abridge: This run keeps no log" }, said)
    vim.cmd "close"
    vim.cmd "Abridge quickfix"
    eventually(function()
      return #vim.fn.getqflist() == 2 and vim.bo.filetype == "qf"
    end)
  end)

  it("never opens a file over a window of ours", function()
    run()
    vim.cmd "only"
    go("gg]e", "src/a.c:3:4: error: boom")
    type_keys "gF"
    at_the_error()
    assert.equal(2, vim.fn.winnr "$")
    assert.equal("abridge-run", vim.bo[api.nvim_win_get_buf(vim.fn.win_getid(2))].filetype)
  end)

  it("pages through the full output from lines that name no place", function()
    run()
    type_keys "gg<CR>"
    eventually(function()
      return vim.bo.filetype == "abridge-output"
    end)
  end)

  it("goes on in the full output, and back", function()
    run()
    type_keys "gg<CR>"
    eventually(function()
      return vim.bo.filetype == "abridge-output"
    end)
    type_keys "]e"
    eventually(function()
      return vim.fn.getline "." == "src/a.c:3:4: error: boom"
    end)
    says(0, "^line 401 of 903 ")
    type_keys "]e"
    eventually(function()
      return vim.fn.getline "." == "gone.c:1: error: lost"
    end)
    type_keys "G[e"
    eventually(function()
      return vim.fn.getline "." == "src/a.c:3:4: error: boom"
    end)
    type_keys "gF"
    at_the_error()
  end)

  it("fills the quickfix list from a window, a call of the list, a number, or the newest command", function()
    run()
    local function filled(act)
      vim.fn.setqflist({}, "r", { title = "none", items = {} })
      act()
      eventually(function()
        return #vim.fn.getqflist() == 2 and vim.bo.filetype == "qf"
      end)
      local first = vim.fn.getqflist()[1]
      assert.same({ 3, 4, "E", "boom" }, { first.lnum, first.col, first.type, first.text })
      assert.matches("src/a%.c$", api.nvim_buf_get_name(first.bufnr))
      assert.matches("^abridge: seq", vim.fn.getqflist({ title = 0 }).title)
      vim.cmd "cclose"
    end
    local function command(text)
      return function()
        vim.cmd(text)
      end
    end
    filled(command "Abridge quickfix")
    api.nvim_set_current_win(vim.fn.win_getid(vim.fn.winnr "$"))
    filled(command "Abridge quickfix")
    run "echo nothing"
    vim.cmd "Abridge quickfix"
    eventually(function()
      return said[1] == "abridge: No line of the output names a place in a file"
    end)
    filled(command "Abridge quickfix 1")
    local list = nvim.log()
    eventually(function()
      return api.nvim_buf_line_count(list) == 3
    end)
    type_keys "gg]e"
    filled(command "Abridge quickfix")
    said = {}
    vim.cmd "Abridge quickfix 9"
    eventually(function()
      return said[1] == "abridge: There is no call 9"
    end)
    vim.cmd "Abridge quickfix nine"
    assert.matches("^abridge: usage: ", said[2])
  end)

  it("jumps from gap to gap, and yanks what the model saw", function()
    run "seq -f 'step %.0f' 90000; echo 'src/a.c:3:4: error: boom'; seq -f 'step %.0f' 90000; exit 1"
    type_keys "gg]o"
    assert.matches("omitted", vim.fn.getline ".")
    local first = vim.fn.line "."
    type_keys "]o"
    assert.matches("omitted", vim.fn.getline ".")
    assert.is_true(vim.fn.line "." > first)
    type_keys "[o"
    assert.equal(first, vim.fn.line ".")
    type_keys '"agm'
    local seen = vim.fn.getreg "a"
    assert.matches("^step 1\n", seen)
    assert.matches("Command exited with code 1", seen, 1, true)
    assert.is_nil(seen:find("$ seq", 1, true))
  end)

  it("holds nothing, however many errors there are #few", function()
    local big = dir:at "big"
    dir:sh "yes 'src/a.c:3:4: error: boom' | head -c 50000000 > big"
    local buf = run("cat " .. tmpdir.quote(big))
    local told = main_loop.time_callbacks(main_loop.processor_time)
    vim.cmd "Abridge quickfix"
    eventually(function()
      return #vim.fn.getqflist() == 10000
    end)
    local times = told()
    print(("  the longest callback of a quickfix list of 10,000 places: %.1f ms"):format(times.max))
    assert.is_true(times.max < 100, times.max) -- what is promised is 8, and machines that test are busy
    assert.is_true(api.nvim_buf_is_valid(buf))
  end)
end)
