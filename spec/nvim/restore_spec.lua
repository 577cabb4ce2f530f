-- Buffers of ours under the names that Neovim brings back: by a session, by :edit.
local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, buffers that it brings back", function()
    pending "are not there: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local tmpdir = require "support.tmpdir"
local window = require "abridge.nvim.command_window"
local windows = require "support.windows"
local api = vim.api
local eventually, lines_of, type_keys = windows.eventually, windows.lines_of, windows.type_keys

describe("a buffer that Neovim brings back", function()
  local dir, quoted

  before_each(function()
    dir = tmpdir.new()
    quoted = tmpdir.quote(dir.path)
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    require("abridge.nvim.command").create()
    nvim.setup { session = {} }
  end)

  after_each(function()
    windows.close_all()
    nvim.session():close()
    vim.env.ABRIDGE_STATE_DIR = nil
    dir:remove()
  end)

  --- The only window showing a buffer of this kind.
  local function shown(kind)
    for _, win in ipairs(api.nvim_list_wins()) do
      local buf = api.nvim_win_get_buf(win)
      if api.nvim_buf_get_name(buf):find("^abridge://" .. kind .. "/") then return buf end
    end
  end

  --- All our windows of a command, saved as a session and brought back.
  local function brought_back()
    local run = window.command "echo out; echo err >&2; exit 3"
    windows.says(run, "^exit 3")
    local log = assert(nvim.log())
    eventually(function()
      return #lines_of(log) == 2
    end)
    type_keys "2Go"
    vim.cmd("mksession! " .. vim.fn.fnameescape(dir:at "session.vim"))
    nvim.session():close()
    vim.cmd "silent! %bwipeout!"
    vim.cmd("silent! source " .. vim.fn.fnameescape(dir:at "session.vim"))
  end

  it("is filled from the log, is no file, and can be run again", function()
    brought_back()
    eventually(function()
      return shown "run" and (vim.b[shown "run"].abridge_status or ""):find "^exit 3"
    end)
    local run = shown "run"
    assert.same({ "$ echo out; echo err >&2; exit 3", "out", "err" }, vim.list_slice(lines_of(run), 1, 3))
    assert.same({ "nofile", "abridge-run", false }, { vim.bo[run].buftype, vim.bo[run].filetype, vim.bo[run].modified })
    eventually(function()
      return #lines_of(shown "log") == 2 and lines_of(shown "result")[1] == "out"
    end)
    assert.same({}, vim.fn.glob(dir.path .. "/abridge*", true, true))
    api.nvim_set_current_win(vim.fn.bufwinid(run))
    assert.is_false(pcall(vim.cmd, "silent write"))
    type_keys "r"
    local again = api.nvim_get_current_buf()
    windows.says(again, "^exit 3")
    assert.is_true(again ~= run)
  end)

  it("pages through the full output again", function()
    local run = window.command "seq 30000"
    windows.says(run, "^exit 0")
    type_keys "<CR>"
    eventually(function()
      return shown "output"
    end)
    local name = api.nvim_buf_get_name(0)
    assert.matches("^abridge://output/[^/]*/1$", name)
    nvim.session():close()
    vim.cmd "silent! %bwipeout!"
    vim.cmd("edit " .. vim.fn.fnameescape(name))
    eventually(function()
      return lines_of(0)[1] == "1" and #lines_of(0) > 100
    end)
    assert.matches("^line 1 of 30000", vim.b.abridge_status)
  end)

  it("says so where its run is gone, or the name is nobody's", function()
    brought_back()
    local run = api.nvim_buf_get_name((assert(shown "run")))
    vim.cmd "silent! %bwipeout!"
    dir:run("rm -r " .. quoted .. "/state")
    for _, name in ipairs {
      run,
      "abridge://log/20260101T000000.000000Z-1-1",
      "abridge://output/20260101T000000.000000Z-1-1/7",
      "abridge://run/..",
      "abridge://run/-/1/x",
      "abridge://else/x",
    } do
      vim.cmd("edit " .. vim.fn.fnameescape(name))
      assert.same({ "This run is gone" }, lines_of(0))
      assert.same({ "nofile", false }, { vim.bo.buftype, vim.bo.modified })
    end
  end)
end)

describe("a command that runs", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "run" } }
  end)

  after_each(function()
    windows.close_all()
    nvim.session():close()
    dir:remove()
  end)

  it("is opened and stopped from the list of calls, and run again there", function()
    local buf, job = window.command "echo started; sleep 60"
    windows.says(buf, "1 line")
    local other = window.command "echo 2"
    windows.says(other, "^exit 0")
    assert.equal(-1, vim.fn.bufwinid(buf))
    local names = vim.fn.getcompletion("abridge", "buffer")
    assert.is_true(vim.tbl_contains(names, "abridge://run/run/1/echo started_ sleep 60"), vim.inspect(names))
    local log = assert(nvim.log())
    eventually(function()
      return #lines_of(log) == 3
    end)
    type_keys "2G<CR>"
    assert.equal(buf, api.nvim_get_current_buf())
    api.nvim_set_current_win(vim.fn.bufwinid(log))
    type_keys "2G<C-c>"
    assert(job:wait(10))
    windows.says(buf, "^stopped")
    eventually(function()
      return lines_of(log)[2]:find "^x"
    end)
    api.nvim_set_current_win(vim.fn.bufwinid(log))
    type_keys "3Gr"
    local again = api.nvim_get_current_buf()
    assert.equal("abridge://run/run/3/echo 2", vim.fn.bufname())
    windows.says(again, "^exit 0")
    local said
    local notify = vim.notify
    vim.notify = function(message)
      said = message
    end
    api.nvim_set_current_win(vim.fn.bufwinid(log))
    type_keys "3G<C-c>"
    vim.notify = notify
    assert.equal("abridge: Nothing runs here that this editor could stop", said)
  end)
end)
