local abridge = require "abridge"
local shell = require "support.shell"
local tmpdir = require "support.tmpdir"

-- Run by a fresh interpreter: libuv and JSON are hidden; says what `require "abridge"` did to the world.
local PROBE = [[
local asked = {}
for _, name in ipairs { "luv", "cjson", "cjson.safe", "dkjson" } do
  package.preload[name] = function() asked[#asked + 1] = name; error(name .. " is hidden") end
end
local globals, loaded = {}, {}
for name in pairs(_G) do globals[name] = true end
for name in pairs(package.loaded) do loaded[name] = true end
local metatable_of_strings, random = getmetatable(""), math.random
local abridge = require "abridge"
local made, new = {}, {}
for name in pairs(_G) do if not globals[name] then made[#made + 1] = name end end
for name in pairs(package.loaded) do if not loaded[name] then new[#new + 1] = name end end
table.sort(new)
print("asked", table.concat(asked, " "))
print("globals", table.concat(made, " "))
print("loaded", table.concat(new, " "))
print("untouched", getmetatable("") == metatable_of_strings and math.random == random)
print("unknown", abridge.no_such_name)
print("cut", (abridge.tail("a\nb\nc\n", { max_lines = 1 })))
print("session", abridge.session({ limits = { t = { max_lines = 1 } } }):cap("t", "a\nb\n").truncation.reason)
print("asked then", table.concat(asked, " ") ~= "")
]]

describe("require 'abridge'", function()
  it("has types of what comes from the core, for language servers", function()
    local file = assert(io.open "lua/abridge/base/types.lua")
    local types = file:read "*a"
    file:close()
    local function fields_of(class)
      local body, fields = assert(types:match("@class[^\n]- " .. class:gsub("%.", "%%.") .. "[ :\n].-\n\n"), class), {}
      for name in body:gmatch "@field ([%w_]+)" do
        fields[name] = true
      end
      return fields
    end
    local core, fields = require "abridge.core", fields_of "abridge.Core"
    for name, value in pairs(core) do
      if abridge[name] == value then assert.is_true(fields[name], name) end
    end
    for name in pairs(fields) do
      assert.is_not_nil(rawget(core, name), name)
    end
    local options = fields_of "abridge.CutOptions"
    for name in pairs(options) do
      local _, said = pcall(abridge.cut, "", { strategy = "head", max_lines = 1, [name] = print })
      assert.not_matches("unknown option", tostring(said))
    end
    fields = fields_of "abridge.Cut"
    local function check(_, cut)
      for name in pairs(cut) do
        assert.is_true(fields[name], name)
      end
    end
    local text = ("error: a line\n"):rep(99) .. "\255"
    for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
      check(abridge[strategy](text, { max_chars = 300, max_tokens = 99, clean = true, utf8 = "replace" }))
      check(abridge[strategy](text, { max_bytes = 5, long_line = "omit", utf8 = "replace" }))
    end
    check(abridge.pipeline(text, { max_chars = 300 }))
    check(abridge.head("a\n", { max_bytes = 1 }))
  end)

  it("has the version of its header", function()
    local header = assert(io.open "csrc/abridge.h")
    local version = header:read("*a"):match '#define ABR_VERSION "([^"]+)"'
    header:close()
    assert.equal(version, abridge.version)
    assert.matches("^%d+%.%d+%.%d+$", abridge.version)
  end)

  it("has the five profiles", function()
    local names = {}
    for name in pairs(abridge.profiles) do
      names[#names + 1] = name
    end
    table.sort(names)
    assert.same({ "contract", "default", "dispatcher", "pi", "pipeline" }, names)
  end)

  it("has sources that every Lua compiles", function()
    local seen = 0
    local list = "find lua plugin spec bench examples doc -name '*.lua' ! -path 'spec/c/*'"
    for path in shell.run(list .. "; echo lua/abridge/bin/abridge"):gmatch "[^\n]+" do
      assert(loadfile(path))
      seen = seen + 1
    end
    assert.is_true(seen > 100)
  end)

  describe("in a fresh interpreter without luv and JSON", function()
    local dir, said

    setup(function()
      local interpreter = tmpdir.interpreter()
      if not interpreter then return end
      dir = tmpdir.new()
      dir:write("probe.lua", PROBE)
      local root = tmpdir.root()
      local line = "LUA_INIT= LUA_PATH=%s LUA_CPATH=%s %s probe.lua"
      local version = _VERSION:match "%d+%.%d+"
      local out, err, code = dir:sh(
        line:format(
          tmpdir.quote(root .. "/lua/?.lua;" .. root .. "/lua/?/init.lua"),
          tmpdir.quote(root .. "/build/" .. version .. "/?.so"),
          tmpdir.quote(interpreter)
        )
      )
      assert.equal("", err)
      assert.equal(0, code)
      said = { all = out }
      for name, value in out:gmatch "([%w ]+)\t([^\n]*)\n" do
        said[name] = value
      end
    end)

    teardown(function()
      if dir then dir:remove() end
    end)

    local function needs_child()
      if not said then pending "Neovim 0.7 is no plain interpreter" end
      return said ~= nil
    end

    it("asks for neither", function()
      if needs_child() then assert.equal("", said.asked) end
    end)

    it("loads the core and what loads that, and no more", function()
      if not needs_child() then return end
      local loaded = "abridge abridge.base.check abridge.base.core_loader abridge.base.crude abridge.base.host"
      assert.equal(loaded .. " abridge.base.system abridge.base.version abridge.core", said.loaded)
    end)

    it("has nothing of a name that is not there", function()
      if needs_child() then assert.equal("nil", said.unknown) end
    end)

    it("makes no globals", function()
      if needs_child() then assert.equal("", said.globals) end
    end)

    it("has no side effects", function()
      if not needs_child() then return end
      assert.equal("true", said.untouched)
      assert.equal("asked\t\n", said.all:match "^[^\n]*\n") -- nothing was printed before
    end)

    it("cuts and caps all the same", function()
      if not needs_child() then return end
      assert.equal("c", said.cut)
      assert.equal("line_cap", said.session)
    end)
  end)
end)
