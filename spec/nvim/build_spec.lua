-- `make nvim` and doc/install.md, as on a machine that has a C compiler and make, and no Lua but that of Neovim: the
-- commands of the page are run with these tools alone, and any lua.h that a compiler could come across is a trap.
local abridge = require "abridge"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local quote = tmpdir.quote
local root = tmpdir.root()
local page = assert(io.open "doc/install.md"):read "*a"
local compile = loadstring or load

local URL = "https://github.com/abridge-tools/abridge"
local TOOLS = { "sh", "make", "cc", "as", "ld", "ar", "uname", "mkdir", "mv", "rm" }
local HEADERS = { "lua.h", "luaconf.h", "lualib.h", "lauxlib.h", "luajit.h", "lua.hpp" }

--- The fenced blocks of a section of the page.
local function blocks(section, language)
  local text = (page .. "\n#"):match("\n#+ " .. section:gsub("%p", "%%%0") .. "\n(.-)\n#")
  local list = {}
  for block in assert(text, section):gmatch("\n```" .. language .. "\n(.-)```") do
    list[#list + 1] = block
  end
  assert(#list > 0, section)
  return list
end

--- Run a snippet with these globals.
local function run_snippet(code, env)
  setmetatable(env, { __index = _G })
  local chunk = assert(setfenv and setfenv(compile(code), env) or load(code, "snippet", "t", env))
  return chunk()
end

describe("doc/install.md #once", function()
  it("has snippets that are Lua, with one command to build", function()
    local commands = {}
    for block in page:gmatch "\n```lua\n(.-)```" do
      assert(compile(block) or compile("return " .. block), block)
    end
    for _, line in ipairs { "packer.nvim", "paq-nvim" } do
      local code = page:match("| " .. line:gsub("%p", "%%%0") .. " | `([^`]+)` |")
      local spec = run_snippet("return " .. code, {
        use = function(spec)
          return spec
        end,
      })
      assert.equal("abridge-tools/abridge", spec[1])
      commands[#commands + 1] = spec.run or spec.build
    end
    local lazy = run_snippet("return " .. blocks("lazy.nvim", "lua")[1], {})
    assert.equal("abridge-tools/abridge", lazy[1])
    commands[#commands + 1] = lazy.build
    commands[#commands + 1] = page:match "Plug 'abridge%-tools/abridge', { 'do': '([^']*)' }"
    assert.same({ "make nvim", "make nvim", "make nvim", "make nvim" }, commands)
  end)

  it("has commands for a checkout and for C that do what they say", function()
    local dir = tmpdir.new()
    finally(function()
      dir:remove()
    end)
    for _, name in ipairs { "Makefile", "mk", "csrc", "lua", "examples", "build" } do
      dir:sh(("ln -s %s ."):format(quote(root .. "/" .. name)))
    end
    local clean = "unset MAKEFLAGS MAKELEVEL LUA_PATH LUA_CPATH LUA_INIT; set -e\n"
    local out, err, status = dir:sh(clean .. blocks("A checkout", "sh")[1])
    assert.same({ "two\n", "", 0 }, { out:match "[^\n]*\n$", err, status })
    dir:run(clean .. blocks("C hosts", "sh")[1])
    assert.equal("18\n19\n20\n[3 of 20 lines, 9 of 51 bytes]\n", (dir:sh "seq 20 | ./count_cut"))
  end)
end)

describe("make nvim #few", function()
  if not host.in_nvim then
    pending "is run from Neovim alone: it builds for Neovim"
    return
  end

  local dir, checkout, installed

  --- Run a script where there are these tools, one home, and no more.
  local function sh(script)
    local env =
      "cd home && env -i CFLAGS=-O0 PATH=$OLDPWD/tools HOME=$PWD TMPDIR=$PWD CPATH=$OLDPWD/trap LC_ALL=C sh -c "
    return dir:sh(env .. quote(script))
  end

  --- Run make in the checkout; what it printed.
  local function make(arguments)
    local out, err, status = sh(("cd %s && make %s"):format(checkout, arguments))
    assert.same({ "", 0 }, { err, status })
    return out
  end

  --- What a fresh Neovim prints of a script.
  local function neovim(arguments, script)
    dir:write("probe.lua", script)
    local line = "env -i PATH=/usr/bin:/bin HOME=%s TMPDIR=%s %s --headless -i NONE -n %s -c 'luafile %s' -c qa!"
    return dir:run(line:format(dir:at "home", dir:at "home", tmpdir.program(), arguments, dir:at "probe.lua"))
  end

  local function bare()
    return "-u NONE --cmd 'set runtimepath=" .. checkout .. "'"
  end

  local CUT = [[
    local text, cut = require("abridge").tail("one\ntwo\nthree\n", { max_lines = 2 })
    io.stdout:write(text, cut.omitted_lines, " ", require("abridge.core").lua_version, "\n")
  ]]
  local CUT_SAYS = "two\nthree\n1 5.1\n"

  setup(function()
    dir = tmpdir.new()
    local script = { "set -e; mkdir tools home trap source" }
    for _, tool in ipairs(TOOLS) do
      local wrap = [[printf '#!/bin/sh\nexec %%s "$@"\n' "$(command -v %s)" > tools/%s]]
      script[#script + 1] = wrap:format(tool, tool)
    end
    for _, name in ipairs(HEADERS) do
      script[#script + 1] = ("echo '#error a header of Lua was used' > trap/%s"):format(name)
    end
    script[#script + 1] = ([[
      for item in Makefile csrc lua plugin doc; do
        if [ -e %s/$item ]; then cp -R %s/$item source/; fi
      done
      find source -name '*.so' -exec rm {} +
      mkdir -p home/.local/share/nvim/site/pack/abridge/start
      printf '#!/bin/sh\n[ "$1 $2" = "clone %s" ] && exec %%s -R %%s/source "$3"\n' \
        "$(command -v cp)" "$PWD" > tools/git
      chmod +x tools/*
    ]]):format(quote(root), quote(root), URL)
    local out, err, status = dir:sh(table.concat(script, "\n"))
    assert.same({ "", "", 0 }, { out, err, status })
    checkout = dir:at "home/.local/share/nvim/site/pack/abridge/start/abridge"
    installed = { sh(blocks("By hand", "sh")[1]) }
  end)

  teardown(function()
    dir:remove()
  end)

  it("builds with a C compiler and make alone, and says so in one line", function()
    assert.same({ "abridge: built lua/abridge/core.so\n", "", 0 }, installed)
    assert.is_not_nil(io.open(checkout .. "/lua/abridge/core.so"))
  end)

  it("has its help found, where the tags are made", function()
    local nvim = ('nvim() { env -i HOME=%s %s -u NONE -i NONE "$@"; }; dir=%s\n'):format(
      quote(dir:at "home"),
      quote(tmpdir.program()),
      quote(checkout)
    )
    assert.same({ "", "", 0 }, { dir:sh(nvim .. blocks("By hand", "sh")[2]) })
    assert.equal(
      "abridge.txt",
      neovim(
        "",
        [[
      vim.cmd "help abridge"
      io.stdout:write(vim.fn.expand "%:t")
    ]]
      )
    )
  end)

  it("is named by :Abridge where it was not run", function()
    local source = dir:at "source"
    local wanted = "abridge: its core (abridge/core.so) is missing:\nrun `:Abridge install`, or `make nvim` in %s"
    assert.equal(
      wanted:format(source) .. ' (lazy.nvim: build = ":Abridge install")\n',
      neovim(
        "-u NONE --cmd 'set packpath= runtimepath=" .. source .. "'",
        [[
        vim.notify = function(message) io.stdout:write(message, "\n") end
        vim.cmd "runtime plugin/abridge.lua"
        vim.cmd "Abridge run echo x"
      ]]
      )
    )
  end)

  it("would have met the headers of Lua if it had looked for them", function()
    local _, err, status = sh("cd " .. checkout .. "/csrc && cc -I. -fsyntax-only lua/module.c")
    assert.not_equal(0, status)
    assert.matches("a header of Lua was used", err, 1, true)
  end)

  it("gives Neovim a module by runtimepath alone", function()
    assert.equal(CUT_SAYS, neovim(bare(), CUT))
  end)

  it("gives Neovim a module where packages lie", function()
    assert.equal(CUT_SAYS, neovim("", CUT))
  end)

  it("leaves :checkhealth abridge without an error", function()
    local report = neovim(
      "-u NONE --cmd 'set runtimepath=" .. checkout .. ",$VIMRUNTIME'",
      [[
      vim.cmd "silent checkhealth abridge"
      io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"), "\n")
    ]]
    )
    assert.matches("core: " .. checkout .. "/lua/abridge/core.so", report, 1, true)
    assert.not_matches("ERROR", report)
  end)

  it("exports the entry point and nothing else", function()
    local out = dir:sh(("nm -D --defined-only %s/lua/abridge/core.so | awk '{ print $3 }'"):format(checkout))
    assert.equal("luaopen_abridge_core\n", out)
  end)

  it("does nothing when nothing has changed, and compiles what has", function()
    assert.equal("make: Nothing to be done for 'nvim'.\n", make "nvim")
    for source, objects in pairs {
      ["csrc/text/tokens.c"] = { "text/tokens" },
      ["csrc/lua/lua51.h"] = { "lua/module", "lua/check", "lua/stream" },
      ["csrc/priority/candidates.h"] = { "priority/candidates", "priority/choice", "priority/retain" },
    } do
      local printed = make("-n -W " .. source .. " nvim")
      for _, object in ipairs(objects) do
        assert.matches("-o build/obj/[%w/]+/" .. object .. "%.o csrc/" .. object .. "%.c\n", printed)
      end
      local _, compiled = printed:gsub(" %-c %-o ", "")
      assert.is_true(compiled >= #objects and compiled < 40)
      assert.matches("mv %-f [%w/]+/core%.so lua/abridge/core%.so\n", printed)
    end
  end)

  it("takes CC and CFLAGS", function()
    local printed, count = make "-nB nvim CC=other CFLAGS='-O3 -march=native'", 0
    for line in printed:gmatch "[^\n]+" do
      if line:find " %-c %-o " then
        assert.matches("^other %-std=c11 %-O3 %-march=native ", line)
        count = count + 1
      elseif line:find "core%.so build/" then
        assert.matches("^other %-shared ", line)
        count = count + 1
      end
    end
    assert.is_true(count > 20)
  end)

  it("links as macOS wants it there", function()
    dir:write("tools/uname.real", dir:read "tools/uname")
    dir:write("tools/uname", "#!/bin/sh\necho Darwin\n")
    local printed = make "-nB nvim"
    dir:write("tools/uname", dir:read "tools/uname.real")
    assert.matches(
      "\ncc %-bundle %-undefined dynamic_lookup %-Wl,%-exported_symbol,_luaopen_abridge_core [^\n]*core%.so",
      printed
    )
  end)

  it("leaves the core as it was when it fails, and says where", function()
    local kept = dir:read(checkout:sub(#dir.path + 2) .. "/lua/abridge/core.so")
    local header = checkout:sub(#dir.path + 2) .. "/csrc/lua/lua51.h"
    local declarations = dir:read(header)
    dir:write(header, (declarations:gsub("int lua_gettop[^\n]*\n", "")))
    local _, err, status = sh("cd " .. checkout .. " && make nvim CFLAGS=-O0")
    dir:write(header, declarations)
    assert.not_equal(0, status)
    assert.matches("csrc/lua/[%w_]+%.c:%d+:%d+: error: implicit declaration of function .*lua_gettop", err)
    assert.equal(kept, dir:read(checkout:sub(#dir.path + 2) .. "/lua/abridge/core.so"))
    assert.equal("abridge: built lua/abridge/core.so\n", make "nvim CFLAGS=-O0")
  end)

  it("may be run by a Neovim that has loaded the core", function()
    local script = CUT
      .. ("os.execute(%q)\n"):format(
        ("cd %s && touch csrc/lua/lua51.h && CPATH=%s make nvim CFLAGS=-O0"):format(checkout, dir:at "trap")
      )
      .. CUT
    assert.equal(CUT_SAYS .. "abridge: built lua/abridge/core.so\n" .. CUT_SAYS, neovim(bare(), script))
  end)

  describe("run by a plugin manager", function()
    --- vim.system of Neovim 0.10, as far as the page uses it.
    local function system(command, options)
      local words = {}
      for i, word in ipairs(command) do
        words[i] = quote(word)
      end
      local out, err, status = sh(("cd %s && %s"):format(quote(options.cwd), table.concat(words, " ")))
      return {
        wait = function()
          return { code = status, signal = 0, stdout = out, stderr = err }
        end,
      }
    end

    local function core()
      return io.open(checkout .. "/lua/abridge/core.so")
    end

    before_each(function()
      os.remove(checkout .. "/lua/abridge/core.so")
    end)

    it("works: lazy.nvim, in a shell, in the plugin's folder", function()
      local lazy = run_snippet("return " .. blocks("lazy.nvim", "lua")[1], {})
      local _, err, status = sh(("cd %s && sh -c %s"):format(checkout, quote(lazy.build)))
      assert.same({ "", 0 }, { err, status })
      assert.is_not_nil(core())
    end)

    -- vim.pack of Neovim 0.12: event data {kind =, spec = {src =, name =, version =}, path =}
    it("works: vim.pack, on PackChanged", function()
      local event, changed, told
      local function trigger(kind, name)
        local spec = { src = URL, name = name, version = "main" }
        changed { event = event, data = { kind = kind, spec = spec, path = checkout } }
      end
      run_snippet(blocks("vim.pack (Neovim 0.12)", "lua")[1], {
        vim = {
          api = {
            nvim_create_autocmd = function(name, options)
              event, changed = name, options.callback
            end,
          },
          pack = {
            add = function(specs)
              assert.same({ URL }, specs)
              trigger("install", "abridge")
            end,
          },
          system = system,
          notify = function(message, level)
            told = { message, level }
          end,
          log = vim.log,
        },
      })
      assert.equal("PackChanged", event)
      assert.is_not_nil(core())
      assert.is_nil(told)

      os.remove(checkout .. "/lua/abridge/core.so")
      trigger("update", "another")
      trigger("delete", "abridge")
      assert.is_nil(core())
      trigger("update", "abridge")
      assert.is_not_nil(core())

      os.rename(checkout .. "/Makefile", checkout .. "/Makefile.away")
      trigger("update", "abridge")
      os.rename(checkout .. "/Makefile.away", checkout .. "/Makefile")
      assert.matches("No rule to make target 'nvim'", told[1], 1, true)
      assert.equal(vim.log.levels.ERROR, told[2])
    end)

    -- mini.deps: hooks are called with {path =, source =, name =}; an installation calls post_install alone
    it("works: mini.deps, in its hooks", function()
      local added
      local path = vim.env.PATH
      finally(function()
        vim.fn.setenv("PATH", path)
        vim.fn.setenv("CPATH", vim.NIL)
      end)
      run_snippet(
        blocks("mini.deps", "lua")[1],
        { MiniDeps = {
          add = function(spec)
            added = spec
          end,
        } }
      )
      assert.equal("abridge-tools/abridge", added.source)
      vim.fn.setenv("PATH", dir:at "tools")
      vim.fn.setenv("CPATH", dir:at "trap")
      for _, hook in ipairs { "post_install", "post_checkout" } do
        os.remove(checkout .. "/lua/abridge/core.so")
        added.hooks[hook] { path = checkout, source = URL, name = "abridge" }
        assert.is_not_nil(core())
      end
    end)
  end)

  it("gives a core that is of this version", function()
    make "nvim"
    assert.equal(abridge.version .. "\n", neovim(bare(), [[io.stdout:write(require("abridge").version, "\n")]]))
  end)
end)
