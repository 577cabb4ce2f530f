-- csrc/lua/lua51.h, what `make nvim` declares of Lua, against the headers of Lua 5.1 and of LuaJIT: a compiler that
-- sees both finds every type, number, field and prototype the same, and makes the same object of the binding with
-- either.
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local OWN = "csrc/lua/lua51.h"

local sources, listing = {}, io.popen "ls csrc/lua/*.c"
for path in listing:lines() do
  sources[#sources + 1] = path
end
listing:close()

local own = paths.read(OWN)
local code = own:gsub("/%*.-%*/", ""):gsub("\n#define ABR_LUA51_H\n", "\n")

--- What the header declares: functions, constants, and macros with arguments, by name.
local functions, constants, macros = {}, {}, {}
for name in code:gmatch "\n[^#\n(]-([%w_]+)%(lua_State %*L[^\n]*%);" do
  if not code:find("typedef[^\n]*" .. name) then functions[#functions + 1] = name end
end
for name, argument in code:gmatch "\n#define ([%w_]+)(%(?)[^\n]" do
  local list = argument == "" and constants or macros
  list[#list + 1] = name
end

--- A C file that includes lua.h and lauxlib.h of the folder and our header, and compiles when they agree.
local function both(declarations)
  local lines = { "#include <lauxlib.h>", "#include <lua.h>", "typedef luaL_Reg their_Reg;" }
  local function add(line, ...)
    lines[#lines + 1] = line:format(...)
  end
  for _, name in ipairs(functions) do
    add('_Static_assert(sizeof(&%s) > 0, "declared by them");', name)
  end
  for _, name in ipairs(constants) do
    add("enum { their_%s = %s };\n#undef %s", name, name, name)
  end
  for _, name in ipairs(macros) do
    add("#ifndef %s\n#error no macro %s\n#endif\n#undef %s", name, name, name)
  end
  add("#define luaL_Reg own_Reg\n%s\n#undef luaL_Reg", declarations)
  for _, name in ipairs(constants) do
    add('_Static_assert(their_%s == %s, "%s");', name, name, name)
  end
  add '_Static_assert(sizeof(own_Reg) == sizeof(their_Reg), "size of luaL_Reg");'
  for _, field in ipairs { "name", "func" } do
    add('_Static_assert(offsetof(own_Reg, %s) == offsetof(their_Reg, %s), "%s");', field, field, field)
    add(
      '_Static_assert(_Generic(&((own_Reg *)0)->%s, __typeof__(&((their_Reg *)0)->%s): 1, default: 0), "%s");',
      field,
      field,
      field
    )
  end
  return table.concat(lines, "\n") .. "\n"
end

local CC = "cc -std=c11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wpedantic -Werror "

for lua, folder in pairs { ["Lua 5.1"] = "/usr/include/lua5.1", LuaJIT = "/usr/include/luajit-2.1" } do
  describe("csrc/lua/lua51.h and the headers of " .. lua .. " #once", function()
    local there = io.open(folder .. "/lua.h")
    if not there then
      pending("are not compared without " .. folder)
      return
    end
    there:close()
    local dir
    local root = tmpdir.quote(tmpdir.root())

    setup(function()
      dir = tmpdir.new()
    end)
    teardown(function()
      dir:remove()
    end)

    --- What a compiler says of both headers together; "" when they agree.
    local function compare(declarations)
      dir:write("both.c", both(declarations))
      local all = "-fsyntax-only $(cc --version | grep -q clang && echo -ferror-limit=0) -isystem " .. folder
      local _, err, status = dir:sh("export LC_ALL=C; " .. CC .. all .. " both.c")
      assert.equal(status == 0, err == "")
      return err
    end

    it("agree on every type, number, field and prototype", function()
      assert.is_true(#functions > 35 and #constants > 8 and #macros > 8)
      assert.equal("", compare(own))
    end)

    it("would be seen to disagree on any function and any number", function()
      local changed = "struct none;\n" .. own
      local function change(name, pattern, with)
        local count
        changed, count = changed:gsub(pattern, with)
        assert.same({ name, 1 }, { name, count })
      end
      for _, name in ipairs(functions) do
        change(name, "(%f[%w_]" .. name .. "%(lua_State %*L)", "%1, struct none *none")
      end
      for _, name in ipairs(constants) do
        change(name, "(#define " .. name .. " )([^\n]*)", "%1(1 + %2)")
      end
      local err, unseen = compare(changed), {}
      for _, name in ipairs(functions) do
        if not err:find("conflicting types for '" .. name .. "'", 1, true) then unseen[#unseen + 1] = name end
      end
      for _, name in ipairs(constants) do
        if not err:find("assert[^\n]*failed[^\n]*%f[%w_]" .. name .. "%f[^%w_]") then unseen[#unseen + 1] = name end
      end
      assert.same({}, unseen)
    end)

    it("would be seen to disagree on any type and field", function()
      for from, to in pairs {
        ["double lua_Number"] = "float lua_Number",
        ["ptrdiff_t lua_Integer"] = "int lua_Integer",
        ["int %(%*lua_CFunction%)"] = "long (*lua_CFunction)",
        ["const char %*name;"] = "char *name;",
        ["(    const char %*name;[^\n]*)\n(    lua_CFunction func;)"] = "%2\n%1",
        ["(    lua_CFunction func;)"] = "%1\n    int more;",
      } do
        local changed, count = own:gsub(from, to)
        assert.same({ from, 1 }, { from, count })
        assert.not_equal("", compare(changed))
      end
    end)

    it("give the same objects of the binding, byte for byte", function()
      local function compile(source, with)
        local made = tmpdir.quote(dir:at "made.o")
        dir:run("cd " .. root .. " && " .. CC .. "-Icsrc -c " .. source .. " -o " .. made .. with)
        return dir:read "made.o"
      end
      assert.is_true(#sources > 5)
      for _, source in ipairs(sources) do
        local object = compile(source, " -DABR_LUA51")
        assert.is_true(#object > 1000)
        assert.is_true(object == compile(source, " -isystem " .. folder), source)
      end
    end)
  end)
end

describe("csrc/lua/lua51.h #once", function()
  it("holds nothing that the binding does not use", function()
    local used = {}
    for _, name in ipairs(paths.names "csrc/lua") do
      if name:find "%.h$" and name ~= "lua51.h" then used[#used + 1] = paths.read("csrc/lua/" .. name) end
    end
    for _, source in ipairs(sources) do
      used[#used + 1] = paths.read(source)
    end
    used = table.concat(used):gsub("/%*.-%*/", "")
    local body = code:gsub("\n#define [%w_]+%b()([^\n]*)", "\n%1"):gsub("\n#define [%w_]+", "\n")
    local unused = {}
    for _, list in ipairs { functions, constants, macros } do
      for _, name in ipairs(list) do
        local word = "%f[%w_]" .. name .. "%f[^%w_]"
        local elsewhere = body:gsub("\n[^\n(]-" .. name .. "%(lua_State[^\n]*", "\n")
        if not used:find(word) and not elsewhere:find(word) then unused[#unused + 1] = name end
      end
    end
    assert.same({}, unused)
  end)
end)
