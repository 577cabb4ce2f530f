-- The quickfix list of a failing build beside what the editor's own 'errorformat' makes of the same output: of gcc
-- (make -k), pytest, tsc and busted, as they printed it (spec/data/builds).
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, 'errorformat'", function()
    pending "is not there: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local window = require "abridge.nvim.command_window"
local windows = require "support.windows"

--- By tool: the items of our list, and of that of 'errorformat' as it is unless the user sets it.
local LISTS = {
  gcc = {
    ours = {
      "src/main.c:2:0 In file included from src/main.c:2:",
      "src/till.h:3:48 E 'tow' undeclared (first use in this function)",
      "src/till.h:3:48 N each undeclared identifier is reported only once for each function it appears in",
      "src/main.c:7:15 W initialization of 'int' from 'char *' makes integer from pointer without a cast",
      "src/main.c:8:14 W format '%s' expects argument of type 'char *', but argument 2 has type 'int'",
      "src/main.c:9:12 E 'totl' undeclared (first use in this function)",
      "src/main.c:6:9 W unused variable 'unused'",
      "src/ring.c:4:8 E expected ';' before '}' token",
    },
    errorformat = { -- levels are text to it
      "src/till.h:3:48 error: 'tow' undeclared (first use in this function)",
      "src/till.h:3:48 note: each undeclared identifier is reported only once for each function it appears in",
      "src/main.c:7:15 warning: initialization of 'int' from 'char *' makes integer from pointer without a cast"
        .. " [-Wint-conversion]",
      "src/main.c:8:14 warning: format '%s' expects argument of type 'char *', but argument 2 has type 'int'"
        .. " [-Wformat=]",
      "src/main.c:9:12 error: 'totl' undeclared (first use in this function)",
      "src/main.c:6:9 warning: unused variable 'unused' [-Wunused-variable]",
      "src/ring.c:4:8 error: expected ';' before '}' token",
    },
  },
  pytest = {
    ours = {
      "tests/test_till.py:16:0 E RuntimeError: the drawer is stuck",
      "tests/test_till.py:7:0 E assert 3 == 4",
      "tests/test_till.py:11:0 tests/test_till.py:11:",
      "till.py:2:0 E KeyError: 'paper'",
    },
    errorformat = { -- what is wrong stands above the place
      "tests/test_till.py:16:0 RuntimeError",
      "tests/test_till.py:7:0 AssertionError",
      "tests/test_till.py:11:0",
      "till.py:2:0 KeyError",
    },
  },
  tsc = {
    ours = {
      [[ts/main.ts:1:10 E '"./till"' has no exported member named 'totl'. Did you mean 'total'?]],
      "ts/till.ts:7:3 E Type 'number' is not assignable to type 'string'.",
      "ts/till.ts:10:23 E Object literal may only specify known properties, and 'cost' does not exist in type 'Item'.",
      "ts/till.ts:11:15 E Cannot find name 'Drawer'.",
    },
    errorformat = {}, -- nothing, without `:compiler tsc`
  },
  busted = {
    ours = {
      "spec/till_spec.lua:4:0 E Failure -> spec/till_spec.lua @ 4",
      "spec/till_spec.lua:5:0 Expected objects to be equal.",
      "spec/broken_spec.lua:2:0 E ')' expected near 'function'",
      "spec/till_spec.lua:8:0 E Error -> spec/till_spec.lua @ 8",
      "till.lua:4:0 attempt to perform arithmetic on field '?' (a nil value)",
    },
    errorformat = { -- a file that is not there, and not the test that rang
      "spec/till_spec.lua:5:0 Expected objects to be equal.",
      "Error -> spec/broken_spec.lua:2:0 ')' expected near 'function'",
      "till.lua:4:0 attempt to perform arithmetic on field '?' (a nil value)",
    },
  },
}

describe("the quickfix list of a failing build", function()
  local dir, session

  before_each(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "run", cwd = dir.path } }
    session = nvim.session()
  end)

  after_each(function()
    windows.close_all()
    vim.cmd "silent! cclose | silent! %bwipeout!"
    session:close()
    dir:remove()
  end)

  --- The items of the list that name a place, a line each.
  local function items()
    local list = {}
    for _, item in ipairs(vim.fn.getqflist()) do
      local name =
        vim.api.nvim_buf_get_name(item.bufnr):gsub("^" .. vim.pesc(vim.loop.fs_realpath(dir.path)) .. "/", "")
      name = name:gsub("^" .. vim.pesc(vim.loop.cwd()) .. "/", ""):gsub("^" .. vim.pesc(dir.path) .. "/", "")
      local text = vim.trim(("%s %s"):format(item.type, vim.trim(item.text)))
      local line = ("%s:%d:%d %s"):format(name:gsub("^%./", ""), item.lnum, item.col, text)
      if item.valid == 1 then list[#list + 1] = vim.trim(line) end
    end
    return list
  end

  for tool, want in pairs(LISTS) do
    it("of " .. tool .. " has each place with its level and message", function()
      local file = tmpdir.root() .. "/spec/data/builds/" .. tool .. ".txt"
      windows.says(window.command(("cat %s; exit 1"):format(tmpdir.quote(file))), "^exit 1")
      vim.fn.setqflist({}, "r", { items = {} })
      vim.cmd "Abridge quickfix"
      windows.eventually(function()
        return #vim.fn.getqflist() == #want.ours and vim.bo.filetype == "qf"
      end)
      assert.same(want.ours, items())
      vim.cmd "cclose"
      vim.fn.setqflist({}, " ", { lines = vim.fn.readfile(file), efm = vim.o.errorformat })
      assert.same(want.errorformat, items())
    end)
  end
end)
