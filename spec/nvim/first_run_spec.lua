-- How much `:Abridge run` does at a time in an editor that has just been started: instructions of Lua between two ticks
-- of a timer, while a command prints 20 MB. Times are those of the machine: `make bench-pause`.
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, the first run", function()
    pending "is not there: this host is not Neovim"
  end)
  return
end

local nvim_ui = require "support.nvim_ui"

local COMMAND = "Abridge run yes 'x.c:7: error: boom' | head -c 20000000"
local MOST = 500 -- thousand instructions, which nothing else on the machine changes; a run takes some 1,500

local WATCH = [[
  jit.off()
  jit.flush() -- compiled code calls no hook
  local uv = vim.uv or vim.loop
  local done, last = 0, 0
  debug.sethook(function() done = done + 1 end, "", 1000)
  uv.new_timer():start(0, 5, function()
    longest = math.max(longest, done - last)
    last, total = done, done
  end)
]]

describe("the first run of a command", function()
  local dir, ui

  before_each(function()
    dir = tmpdir.new()
    ui = nvim_ui.start { columns = 80, rows = 24, env = { XDG_STATE_HOME = dir:at "state" } }
    ui:lua "vim.cmd 'runtime plugin/abridge.lua'"
  end)

  after_each(function()
    ui:stop()
    dir:remove()
  end)

  --- Run the command to its end; returns the most thousands of instructions between two ticks, and all so far.
  local function longest()
    ui:lua "longest = 0; vim.cmd 'enew'"
    ui:request("nvim_command", COMMAND)
    assert(vim.wait(60000, function()
      return ui:lua("return vim.b.abridge_status or ''"):find "^exit 0" ~= nil
    end, 20))
    return ui:lua "return longest", ui:lua "return total"
  end

  it("holds the editor for a moment, as later ones do #few", function()
    ui:lua("longest, total = 0, 0\n" .. WATCH)
    local first, total = longest()
    local later = longest()
    print(("  thousand instructions between two ticks: first run %d of %d, a later one %d"):format(first, total, later))
    assert.is_true(total > MOST, total)
    assert.is_true(first <= MOST, first)
    assert.is_true(later <= MOST, later)
  end)

  it("loads no tool but the one it calls, nor what redacts, reads logs or lists them", function()
    ui:request("nvim_command", "Abridge run true")
    local loaded = ui:lua [[
      local names = {}
      for name in pairs(package.loaded) do names[#names + 1] = name:match "^abridge%.(.+)" end
      return names
    ]]
    local unwanted = {}
    for _, name in ipairs(loaded) do
      local tool = name:match "^tools%.(.+)"
      if tool and tool ~= "run_command" or name:find "^redact" or name:find "^sql" or name:find "^nvim%.log" then
        unwanted[#unwanted + 1] = name
      end
    end
    assert.same({}, unwanted)
  end)
end)
