-- What `require "abridge"` says where the core is missing, or is not the one of these Lua files and of this Lua: each
-- case is a fresh interpreter in a checkout of its own.
local abridge = require "abridge"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local quote = tmpdir.quote
local root = tmpdir.root()
local lua_version = _VERSION:match "%d+%.%d+"
local nvim = host.in_nvim and vim.v.progpath

-- A Lua whose core this Lua would be given by mistake.
local OTHER = { ["5.1"] = "5.4", ["5.2"] = "5.3", ["5.3"] = "5.2", ["5.4"] = "5.1", ["5.5"] = "5.2" }

local tells_path = jit or lua_version ~= "5.1" -- Lua 5.1 cannot say where it found a module

describe("require 'abridge'", function()
  local dir, checkout, core

  local function built_for(version)
    return ("%s/build/%s/abridge/core.so"):format(root, version)
  end

  before_each(function()
    dir = tmpdir.new()
    checkout = dir:at "checkout"
    core = checkout .. (nvim and "/lua/abridge/core.so" or "/build/" .. lua_version .. "/abridge/core.so")
    local copy = "mkdir -p %s && cp -R %s checkout/ && rm -f %s && touch checkout/Makefile"
    dir:run(copy:format(quote(core:match "^(.*)/"), quote(root .. "/lua"), quote(core)))
  end)

  after_each(function()
    dir:remove()
  end)

  local function place(path)
    dir:run(("cp %s %s"):format(quote(path), quote(core)))
  end

  --- What a fresh interpreter prints of a script; `attempt(name)` prints whether `require(name)` works, and of the top
  --- file whether a function of it does.
  local function run(script)
    dir:write("probe.lua", [[
      local function attempt(name)
        local ok, value = pcall(require, name)
        if name == "abridge" then
          assert(ok, value)
          ok, value = pcall(value.head, "", { max_bytes = 1 })
        end
        io.stdout:write(ok and "loaded" or tostring(value), "\n")
      end
    ]] .. script)
    local clean = "unset LUA_INIT LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4; export HOME=/; "
    if nvim then
      return dir:run(clean .. "unset LUA_PATH LUA_CPATH; " .. tmpdir.headless(nvim, "probe.lua", "rtp^=" .. checkout))
    end
    local line = "LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua' LUA_CPATH='%s/build/%s/?.so' %s probe.lua"
    return dir:run(clean .. line:format(checkout, checkout, checkout, lua_version, quote(tmpdir.interpreter())))
  end

  local function attempt(name)
    return run(("attempt %q"):format(name or "abridge"))
  end

  --- The line that says what to run, when the core is "missing", or there but useless, or already loaded.
  local function remedy(state)
    local make = state == "missing" and "make" or "make -B"
    if nvim then
      local line = ("run `:Abridge install`, or `%s nvim` in %s"):format(make, checkout)
      if state == "missing" then line = line .. ' (lazy.nvim: build = ":Abridge install")' end
      return line .. (state == "loaded" and ", then restart Neovim\n" or "\n")
    end
    local line = "run `%s` in %s and put %s/build/%s/?.so first in LUA_CPATH, "
      .. "or run `luarocks --lua-version %s install abridge`\n"
    return line:format(make, checkout, checkout, lua_version, lua_version)
  end

  it("loads where the right core is", function()
    place(built_for(lua_version))
    assert.equal("loaded\n", attempt())
  end)

  it("says that the core is missing, and what to run", function()
    local message = "abridge: its core (abridge/core.so) is missing:\n" .. remedy "missing"
    assert.equal(message, attempt())
    assert.equal(message, attempt "abridge.cli")
    assert.equal(message, attempt "abridge.conformance")
    assert.equal(message, attempt "abridge.tools.read_file")
  end)

  if not nvim then
    it("is what the command says too, without a traceback", function()
      local command = "unset LUA_INIT LUA_PATH LUA_CPATH; %s checkout/lua/abridge/bin/abridge tokens"
      local out, err, status = dir:sh(command:format(quote(tmpdir.interpreter())))
      assert.same({ "", 1 }, { out, status })
      local first, second = err:match "^([^\n]*)\n([^\n]*)\n$"
      assert.equal("abridge: its core (abridge/core.so) is missing:", first)
      assert.matches("^run `make` in .*checkout/.* and put .*/build/" .. lua_version .. "/%?%.so first", second)
    end)
  end

  it("says each time that the core is missing, until it is there", function()
    local said = run(([[
      attempt "abridge"
      attempt "abridge"
      os.execute(%q)
      attempt "abridge"
    ]]):format(("cp %s %s"):format(quote(built_for(lua_version)), quote(core))))
    local message = "abridge: its core (abridge/core.so) is missing:\n" .. remedy "missing"
    assert.equal(message .. message .. "loaded\n", said)
  end)

  it("names the rock where it was installed as one", function()
    dir:run "rm checkout/Makefile"
    local install = "`luarocks --lua-version " .. lua_version .. " install abridge`"
    if nvim then install = install .. " (rocks.nvim: `:Rocks install abridge`)" end
    assert.equal("abridge: its core (abridge/core.so) is missing:\nrun " .. install .. "\n", attempt())
  end)

  if nvim then
    it("names no make where a plugin came without its sources", function()
      dir:run "rm checkout/Makefile; mkdir checkout/plugin; touch checkout/plugin/abridge.lua"
      local wanted = 'run `:Abridge install` (lazy.nvim: build = ":Abridge install")\n'
      assert.equal("abridge: its core (abridge/core.so) is missing:\n" .. wanted, attempt())
    end)
  end

  it("says why a core does not load: one for another machine", function()
    local file = assert(io.open(built_for(lua_version), "rb"))
    local bytes = file:read "*a"
    file:close()
    assert.equal("\127ELF", bytes:sub(1, 4))
    file = assert(io.open(core, "wb"))
    file:write(bytes:sub(1, 18), "\22\0", bytes:sub(21)) -- e_machine: IBM System/390
    file:close()
    local first, second = attempt():match "^([^\n]*)\n(.*)$"
    assert.matches("^abridge: its core cannot be loaded %(.*abridge/core%.so: .*%):$", first)
    assert.not_matches("another Lua", first)
    assert.equal(remedy "unloadable", second)
  end)

  it("says that a core is for another Lua", function()
    place(built_for(OTHER[lua_version]))
    local first, second = attempt():match "^([^\n]*)\n(.*)$"
    local pattern = "^abridge: its core cannot be loaded %(.*core%.so: undefined symbol: luaL?_%w+; "
    assert.matches(pattern .. "it was built for another Lua than " .. lua_version .. "%):$", first)
    assert.equal(remedy "unloadable", second)
  end)

  it("says that a core is for another Lua when it loads all the same", function()
    place(built_for(lua_version))
    local said = run [[
      require("abridge.core").lua_version = "5.0"
      attempt "abridge"
    ]]
    local message = "abridge: its core (%s) was built for Lua 5.0, this is Lua %s:\n%s"
    assert.equal(message:format(tells_path and core or "abridge/core.so", lua_version, remedy "loaded"), said)
  end)

  it("says that core and Lua files are of two versions", function()
    place(built_for(lua_version))
    local file = assert(io.open(checkout .. "/lua/abridge/base/version.lua", "w"))
    file:write 'return "99.0.0"\n'
    file:close()
    local where = tells_path and core or "abridge/core.so"
    local message = "abridge: its core (%s) is of version %s, its Lua files are of 99.0.0:\n%s"
    assert.equal(message:format(where, abridge.version, remedy "loaded"), attempt())
  end)

  it("says what a core of the same version lacks, when it is wanted", function()
    place(built_for(lua_version))
    local where = tells_path and core or "abridge/core.so"
    local message = "abridge: its core (%s) is older than its Lua files: it has no %s:\n%s"
    local said = run [[
      local core = require "abridge.core"
      core.lua_version, core.index, core.save = nil, nil, nil
      attempt "abridge"
      core.lua_version = _VERSION:match "%d+%.%d+"
      attempt "abridge"
      io.stdout:write(select(2, pcall(require("abridge").index)), "\n")
      core.index = io.write
      require("abridge").index "called\n"
      io.stdout:write(select(2, pcall(function() return core.save end)), "\n")
    ]]
    local function lacks(name)
      return message:format(where, name, remedy "loaded")
    end
    assert.equal(lacks "lua_version" .. "loaded\n" .. lacks "index" .. "called\n" .. lacks "save", said)
  end)
end)

describe("the core", function()
  it("comes to every Lua file by way of core_loader, so that each says the same when it is required alone", function()
    local pipe = assert(io.popen [[grep -rlE "require[ (,]*[\"'[]+abridge\.core[]\"']" lua --include='*.lua']])
    local files = pipe:read "*a"
    pipe:close()
    assert.equal("lua/abridge/base/core_loader.lua\n", files)
  end)

  it("says for which Lua it was built", function()
    assert.equal(lua_version, require("abridge.core").lua_version)
  end)
end)
