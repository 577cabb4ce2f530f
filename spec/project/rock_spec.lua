-- The rock: what the rockspecs list is what there is, and luarocks can build, install and pack it offline.

local paths = require "support.paths"
local shell = require "support.shell"
local tmpdir = require "support.tmpdir"

local run = shell.run

local function load_rockspec(path)
  local spec, text = {}, paths.read(path)
  if setfenv then
    setfenv(assert(loadstring(text, "@" .. path)), spec)()
  else
    assert(load(text, "@" .. path, "t", spec))()
  end
  return spec
end

local function find(args)
  local files = {}
  for path in run("find " .. args .. " | LC_ALL=C sort"):gmatch "[^\n]+" do
    files[#files + 1] = path
  end
  return files
end

local version = paths.read("csrc/abridge.h"):match '#define ABR_VERSION "([^"]+)"'
local release = ("rockspec/abridge-%s-1.rockspec"):format(version)
local scm = "rockspec/abridge-scm-1.rockspec"

describe("a rockspec #once", function()
  for _, path in ipairs { scm, release } do
    it(path .. " lists every C source, every Lua module and the command", function()
      local build = load_rockspec(path).build
      assert.equal("builtin", build.type)

      local sources = {}
      for i, source in ipairs(build.modules["abridge.core"].sources) do
        sources[i] = source
      end
      table.sort(sources)
      assert.same(find "csrc -name '*.c'", sources)

      local expected = { ["abridge.core"] = build.modules["abridge.core"] }
      for _, file in ipairs(find "lua -name '*.lua'") do
        local name = file:match("^lua/(.*)%.lua$"):gsub("/init$", ""):gsub("/", ".")
        expected[name] = file
      end
      assert.same(expected, build.modules)

      paths.read(build.install.bin.abridge)
    end)

    it(path .. " depends on Lua and a JSON library alone", function()
      assert.same({ "lua >= 5.1", "lua-cjson" }, load_rockspec(path).dependencies)
    end)
  end

  it("of the release is that of the next commit but for its version", function()
    local a, b = load_rockspec(scm), load_rockspec(release)
    assert.equal("3.0", a.rockspec_format)
    assert.equal("scm-1", a.version)
    assert.equal(version .. "-1", b.version)
    assert.equal("v" .. version, b.source.tag)
    a.version, b.version, b.source.tag = nil, nil, nil
    assert.same(a, b)
  end)
end)

local QUICKLY = "-O0 -fPIC" -- how a core is compiled that is only loaded

--- The oldest Lua, whose rock Neovim loads, and this one.
local INTERPRETERS = { ["5.1"] = "lua5.1" }
if not jit then INTERPRETERS[_VERSION:match "%d+%.%d+"] = tmpdir.interpreter() end

--- The tests of the rock of a Lua: of the next commit, as rocks.nvim installs it, or of the release.
local function of(lua_version, interpreter)
  local rockspec = lua_version == "5.1" and scm or release
  local rock_version = rockspec == scm and "scm-1" or version .. "-1"
  local dir, tree

  setup(function()
    dir = run("mktemp -d"):match "[^\n]+"
    tree = dir .. "/tree"
    run(("FLAGS='%s' spec/support/rock.sh '%s' %s %s"):format(QUICKLY, dir, lua_version, rockspec))
  end)

  teardown(function()
    run("rm -rf '" .. dir .. "'")
  end)

  it("loads from its own tree, every module of it, and cuts", function()
    local names = {}
    for name in pairs(load_rockspec(scm).build.modules) do
      names[#names + 1] = ("%q"):format(name)
    end
    local script = ([[
      for _, name in ipairs({ %s }) do require(name) end
      io.write((require("abridge").tail("a\nb\nc", { max_lines = 1 })))
    ]]):format(table.concat(names, ", "))
    local file = assert(io.open(dir .. "/check.lua", "w"))
    file:write(script)
    file:close()
    local share, lib = tree .. "/share/lua/" .. lua_version, tree .. "/lib/lua/" .. lua_version
    assert.equal(
      "c",
      run(
        ("cd / && LUA_PATH='%s/?.lua;%s/?/init.lua' LUA_CPATH='%s/?.so' '%s' '%s/check.lua'"):format(
          share,
          share,
          lib,
          interpreter,
          dir
        )
      )
    )
  end)

  it("shows the entry point of its core and nothing else", function()
    local core = ("%s/lib/lua/%s/abridge/core.so"):format(tree, lua_version)
    assert.equal("luaopen_abridge_core\n", run("nm -D --defined-only '" .. core .. "' | awk '{ print $3 }'"))
  end)

  it("has its pages and its label where plugin managers of Neovim look for them", function()
    local spec = load_rockspec(scm)
    assert.matches(" neovim ", " " .. table.concat(spec.description.labels, " ") .. " ", 1, true)
    assert.same(find "doc plugin -maxdepth 0 2> /dev/null", spec.build.copy_directories)
    for _, folder in ipairs(spec.build.copy_directories) do
      local copied = ("%s/lib/luarocks/rocks-%s/abridge/%s/%s"):format(tree, lua_version, rock_version, folder)
      assert.equal("", run(("diff -r '%s' '%s'"):format(folder, copied)))
    end
  end)

  if lua_version == "5.1" then
    it("loads in Neovim from the paths that rocks.nvim sets", function()
      local file = assert(io.open(dir .. "/probe.lua", "w"))
      file:write(([[
        package.path = "%s/share/lua/5.1/?.lua;%s/share/lua/5.1/?/init.lua"
        package.cpath = "%s/lib/lua/5.1/?.so"
        io.stdout:write((require("abridge").tail("a\nb\nc", { max_lines = 1 })))
      ]]):format(tree, tree, tree))
      file:close()
      local nvim = tmpdir.headless("nvim", dir .. "/probe.lua")
      assert.equal("c", run("cd / && env -u LUA_PATH -u LUA_CPATH " .. nvim))
    end)
  end

  it("installs the command, which needs nothing set", function()
    local abridge = "cd / && env -u LUA_PATH -u LUA_CPATH '" .. tree .. "/bin/abridge' "
    assert.equal("abridge " .. version .. "\n", run(abridge .. "--version"))
    local cut = "cut --strategy tail --max-lines 1"
    assert.matches("^3\n?$", run("printf '1\\n2\\n3' | { " .. abridge .. cut .. "; }"))
  end)

  it("brings along what Neovim's plugin managers put on its runtime path", function()
    local rock = tree .. "/lib/luarocks/rocks-" .. lua_version .. "/abridge/" .. rock_version .. "/"
    assert.equal(paths.read "plugin/abridge.lua", paths.read(rock .. "plugin/abridge.lua"))
    assert.equal(paths.read "doc/lua.md", paths.read(rock .. "doc/lua.md"))
  end)

  it("is packed as a binary rock that holds the module and the command", function()
    local rocks = find(("'%s' -maxdepth 1 -name 'abridge-%s.*.rock'"):format(dir, rock_version))
    assert.equal(1, #rocks)
    local listing = run("unzip -l '" .. rocks[1] .. "'")
    local installed = { "lib/abridge/core.so", "lua/abridge/init.lua", "lua/abridge/cli/init.lua", "bin/abridge" }
    for _, name in ipairs(installed) do
      assert.matches(" " .. name .. "\n", listing, 1, true)
    end
  end)
end

for lua_version, interpreter in pairs(INTERPRETERS) do
  describe("the rock of Lua " .. lua_version .. " #once", function()
    of(lua_version, interpreter)
  end)
end
