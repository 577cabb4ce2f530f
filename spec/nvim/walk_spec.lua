-- Somebody new: from an empty home to the line of the error that a build failed of, by the keys that are typed. A
-- plugin manager has copied the plugin; its core comes with the first command.
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"
local version = require "abridge.base.version"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, the first steps", function()
    pending "are not there: this host is not Neovim"
  end)
  return
end

local nvim_ui = require "support.nvim_ui"
local quote, root = tmpdir.quote, tmpdir.root()

local START = "home/.local/share/nvim/site/pack/any/start/abridge"
local STEM = ("abridge-%s-nvim-linux-%s"):format(version, vim.loop.os_uname().machine)

local MAKEFILE = "all: a.o b.o\n%.o: %.c\n\t@echo cc $<\n\t@$(CC) -c $< -o $@\n"
local SOURCES = {
  ["a.c"] = "int a(void)\n{\n    return 1;\n}\n",
  ["b.c"] = "int b(void)\n{\n    int many = 1;\n    return mny + 1;\n}\n",
}

describe("somebody new", function()
  local dir, ui

  before_each(function()
    dir = tmpdir.new()
    dir:run(("mkdir -p %s work release/%s/lua/abridge"):format(START, STEM))
    dir:run(("cp -R %s %s %s"):format(quote(root .. "/lua"), quote(root .. "/plugin"), START))
    dir:run(("rm -f %s/lua/abridge/core.so"):format(START))
    dir:run(("cp %s release/%s/lua/abridge/"):format(quote(root .. "/build/5.1/abridge/core.so"), STEM))
    dir:run(("cd release && tar -czf %s.tar.gz %s && sha256sum -- %s.tar.gz > SHA256SUMS"):format(STEM, STEM, STEM))
    dir:write("work/Makefile", MAKEFILE)
    for name, text in pairs(SOURCES) do
      dir:write("work/" .. name, text)
    end
    ui = nvim_ui.start {
      columns = 80,
      rows = 24,
      args = { "-n" },
      cwd = dir:at "work",
      env = {
        HOME = dir:at "home",
        XDG_CONFIG_HOME = dir:at "home/.config",
        XDG_DATA_HOME = dir:at "home/.local/share",
        XDG_STATE_HOME = dir:at "home/.local/state",
        XDG_CACHE_HOME = dir:at "home/.cache",
        LUA_PATH = ";;",
        LUA_CPATH = ";;",
        LC_ALL = "C",
      },
    }
  end)

  after_each(function()
    ui:stop()
    dir:remove()
  end)

  --- Type keys, and wait until something shows.
  local function type_keys(keys, shows)
    ui:input(keys)
    if shows then ui:wait_for(shows) end
  end

  --- Where the editor's cursor is: file, line, column.
  local function place()
    return ui:lua "return { vim.fn.expand '%:t', vim.fn.line '.', vim.fn.col '.', vim.bo.buftype }"
  end

  local function eventually_at(...)
    local want = { ... }
    local at
    vim.wait(20000, function()
      at = place()
      return vim.deep_equal(at, want)
    end, 20)
    assert.same(want, at)
  end

  it("comes from an empty home to the error of a failing build", function()
    type_keys(":Abridge run make<CR>", ":Abridge install") -- no core is there: a sentence names what fetches one
    type_keys("<CR>:Abridge install " .. dir:at("release/" .. STEM .. ".tar.gz") .. "<CR>", "abridge: installed")
    type_keys(":e a.c<CR>:Abridge run make<CR>", "exit 2")
    ui:wait_for "b.c:4:12: error:"
    assert.same("abridge-run", ui:lua "return vim.bo.filetype")
    type_keys "[e"
    vim.wait(20000, function() -- it looks for the failure in turns with the editor
      return ui:lua("return vim.fn.getline '.'"):find "^b%.c:4:12: error:" ~= nil
    end, 20)
    type_keys "<CR>"
    eventually_at("b.c", 4, 12, "")
    assert.equal(2, ui:lua "return vim.fn.winnr '$'") -- the file is where a.c was, the run's window stays
    type_keys(":Abridge quickfix<CR>", "b.c|4 col 12 error|")
    type_keys "<CR>"
    eventually_at("b.c", 4, 12, "")
    type_keys("cwmany<Esc>:w<CR>", "written")
    type_keys(":Abridge run make<CR>", "exit 0")
    local core = paths.read(dir:at(START .. "/lua/abridge/core.so"))
    assert.equal(paths.read(root .. "/build/5.1/abridge/core.so"), core)
  end)
end)
