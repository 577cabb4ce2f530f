-- What a user of Neovim sees: cells of a real screen and their colours, typed at and read back.
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("Neovim's screen", function()
    pending "is not there: this host is not Neovim"
  end)
  return
end

local nvim_ui = require "support.nvim_ui"

local COLOURS = {
  AbridgeNotice = 0xff8800,
  AbridgeMarker = 0x0088ff,
  AbridgeError = 0xff0044,
  AbridgeOmitted = 0x777777,
  AbridgeSuccess = 0x00cc66,
}
local PLAIN = 0xeeeeee

describe("on the screen", function()
  local dir, ui

  setup(function()
    dir = tmpdir.new()
    ui = nvim_ui.start { columns = 120, rows = 24, env = { HOME = dir.path } }
    ui:lua("vim.cmd(('highlight Normal guifg=#%06x guibg=#111111'):format(...))", PLAIN)
    for group, colour in pairs(COLOURS) do
      ui:lua("vim.cmd(('highlight %s guifg=#%06x'):format(...))", group, colour)
    end
    ui:lua(
      [[
      vim.cmd "runtime plugin/abridge.lua"
      local limits = { run_command = { strategy = "priority", max_lines = 8 } }
      require("abridge.nvim").setup { session = { run_dir = ..., limits = limits } }
    ]],
      dir:at "run"
    )
  end)

  teardown(function()
    ui:stop()
    dir:remove()
  end)

  --- A text stands on the screen, all of it in a colour, soon: it may be drawn in one tick and coloured in the next.
  local function assert_colour(colour, text)
    ui:wait_for(text, function(row, column)
      for at = column, column + #text - 1 do
        if ui:look(row, at).foreground ~= colour then return false end
      end
      return true
    end)
  end

  it(":Abridge run shows notice, marker and exit line in the colours of their groups, imitations plain", function()
    ui:input ":Abridge run echo '[Showing nothing]'; seq 500; exit 7<CR>:only<CR>"
    assert_colour(PLAIN, "[Showing nothing]")
    assert_colour(COLOURS.AbridgeMarker, "... [493 lines like the one below omitted] ...")
    assert_colour(COLOURS.AbridgeError, "Command exited with code 7")
    assert_colour(COLOURS.AbridgeNotice, "[Showing 8 of 501 lines (8 line limit). Full output: ")
  end)

  it("a page of a full output shows what the model saw plain and the rest dimmed", function()
    ui:input ":Abridge log<CR>:only<CR>"
    assert_colour(COLOURS.AbridgeError, "1 failed")
    assert_colour(COLOURS.AbridgeError, "run_command")
    assert_colour(COLOURS.AbridgeSuccess, "█")
    ui:input "<CR>:only<CR>"
    ui:wait_for "line 1 of 501"
    assert_colour(PLAIN, "[Showing nothing]")
    local second = ui:wait_for "[Showing nothing]" + 2
    assert.same({ "2", COLOURS.AbridgeOmitted }, { ui:look(second, 1).text, ui:look(second, 1).foreground })
    ui:input "G"
    ui:wait_for "line 501 of 501"
    local row = ui:wait_for "496" -- the number of the line that reads 495
    assert.equal("4", ui:look(row, 1).text)
    assert.equal(PLAIN, ui:look(row, 1).foreground)
    assert.equal(COLOURS.AbridgeOmitted, ui:look(row - 1, 1).foreground)
    ui:input "<C-u>"
    ui:wait_for "not shown to the model"
  end)

  it("what the model did not see is dimmed in terminals too, also where comments have no colour there", function()
    local function dimmed()
      return ui:lua [[
        vim.cmd "highlight clear AbridgeOmitted"
        require("abridge.nvim.highlight").define()
        local id = vim.fn.hlID "AbridgeOmitted"
        return { vim.fn.synIDattr(vim.fn.synIDtrans(id), "name"), vim.fn.synIDattr(id, "fg", "cterm"),
          vim.fn.synIDattr(vim.fn.synIDtrans(id), "fg#", "gui") }
      ]]
    end
    ui:lua "vim.o.termguicolors = false; vim.cmd 'highlight Comment ctermfg=NONE guifg=#112233'"
    assert.same({ "AbridgeOmitted", "8", "#112233" }, dimmed())
    ui:lua "vim.cmd 'highlight Comment ctermfg=4'"
    assert.equal("Comment", dimmed()[1])
    ui:lua("vim.cmd(('highlight AbridgeOmitted guifg=#%06x'):format(...))", COLOURS.AbridgeOmitted)
  end)

  it("a search for a text that is given up, or finds nothing, leaves the page as it is", function()
    ui:input "g/nowhere"
    ui:wait_for "Find: nowhere"
    ui:input "<C-c>"
    ui:wait_without "Find: nowhere" -- keys that come before <C-c> has been read are dropped with it
    ui:input "g/nowhere<CR>"
    local row, column = ui:wait_for "abridge: Not found: nowhere"
    assert.same({ 24, 1 }, { row, column })
    assert.equal("abridge: Not found: nowhere", ui:lua "return vim.v.errmsg") -- and nothing else
  end)

  it("q ends a recording, and closes the window the next time", function()
    ui:lua "vim.cmd 'silent! %bwipeout!'"
    ui:input ":Abridge run echo recorded<CR>:wincmd p<CR>qa:wincmd p<CR>jq"
    ui:wait_for "recorded"
    assert.same({ "", "abridge-run" }, ui:lua "return { vim.fn.reg_recording(), vim.bo.filetype }")
    assert.equal(":wincmd p\rj", ui:lua "return vim.fn.getreg 'a'")
    ui:input "q"
    assert.equal("", ui:lua "return vim.bo.filetype")
  end)

  it("keep their winbar when a plugin's timer sets that of each window", function()
    if vim.fn.exists "&winbar" == 0 then return end
    ui:input ":Abridge run echo mine<CR>"
    ui:wait_for "exit 0"
    ui:lua "for _, win in ipairs(vim.api.nvim_list_wins()) do vim.wo[win].winbar = 'theirs' end"
    ui:wait_for "exit 0"
    ui:wait_for "theirs"
    ui:lua "vim.cmd 'wincmd p | set winbar= | setlocal winbar='"
  end)

  it("lines show to their end, none is folded away, and no numbers stand beside ours", function()
    ui:lua "vim.cmd 'set foldmethod=indent shiftwidth=2 number relativenumber spell'"
    ui:input ":Abridge run printf '\\ta\\n\\tb\\n'; printf '\\%0150d end of line\\n' 7<CR>:only<CR>"
    local top = vim.fn.exists "&winbar" -- a row
    assert.same({ top + 2, 1 }, { ui:wait_for "        a" })
    assert.same({ top + 5, 28 }, { ui:wait_for "007 end of line" })
    ui:lua "vim.cmd 'set foldmethod& shiftwidth& nonumber norelativenumber nospell'"
  end)
end)

describe("doc/screenshots.sh", function()
  it("makes the pictures, of cells in colours, without a trace", function()
    local dir = tmpdir.new()
    local folder = tmpdir.quote(dir.path)
    local status = os.execute(("TMPDIR=%s timeout 300 doc/screenshots.sh %s"):format(folder, folder))
    assert.is_true(status == 0 or status == true)
    local result, log = dir:read "nvim-result.svg", dir:read "nvim-log.svg"
    assert.matches('fill="#e5c07b">%[Showing %d+ of 129 lines %(1%.1KB limit%)%. Full output:', result)
    assert.matches('fill="#f07178">Command exited with code 2</text>', result)
    assert.matches('fill="#5c9ded" font%-style="italic">%.%.%. %[%d+ lines [%l ]-omitted%] %.%.%.</text>', result)
    assert.matches(">src/unit_063.c:3:13: error: ", result, 1, true)
    assert.matches('fill="#636d83">gcc %-O2 %-Wall %-Wextra %-c src/unit_06%d.c', log)
    assert.matches('fill="#d7dae0">src/unit_063.c:3:13: error: ', log, 1, true)
    assert.matches('fill="#f07178">1 failed</text>', log)
    assert.matches(">█[^<]+ %d+%%</text>", log)
    local running, run = dir:read "nvim-running.svg", dir:read "nvim-run.svg"
    assert.matches(">running [%d.]+m?s</text>", running)
    assert.matches("Stop the command, and keep its output", running, 1, true)
    assert.matches('fill="#f07178">exit 2</text>', run)
    assert.matches("%d+ of 129 lines  %d+B of 7%.4KB", run)
    assert.matches('fill="#f07178">Command exited with code 2</text>', run)
    local both = dir:read "before-after.svg"
    local before, after = both:match "%| tail %-c 800</text>(.*)%$ abridge run %-%-max%-bytes 800 (.*)"
    assert.is_nil(before:find "error: ")
    assert.matches(">src/unit_063.c:3:13: error: ", after, 1, true)
    assert.matches("B limit%)%. Full output:", after)
    local names = {}
    for name in host.uv().fs_scandir_next, assert(host.uv().fs_scandir(dir.path)) do
      names[#names + 1] = name
    end
    table.sort(names)
    assert.same({ "before-after.svg", "nvim-log.svg", "nvim-result.svg", "nvim-run.svg", "nvim-running.svg" }, names)
    dir:remove()
  end)
end)
