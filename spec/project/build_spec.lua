-- What the build makes: one version everywhere, a C library that stands alone, a module that exports one symbol,
-- a command that runs from anywhere, and nothing left beside the sources.

local paths = require "support.paths"
local shell = require "support.shell"

local run, sh = shell.run, shell.try

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do
    list[#list + 1] = word
  end
  table.sort(list)
  return list
end

local header = paths.read "csrc/abridge.h"
local version = header:match '#define ABR_VERSION "([^"]+)"'
local root = run("pwd"):match "[^\n]+"
local dir

setup(function()
  dir = run("mktemp -d"):match "[^\n]+"
end)
teardown(function()
  run("rm -rf '" .. dir .. "'")
end)

describe("the version #once", function()
  it("stands in one macro, and once among the Lua files, which may meet a core of another", function()
    assert.matches("^%d+%.%d+%.%d+$", version)
    local places = words(run("grep -rlF '\"" .. version .. "\"' csrc lua --include='*.[ch]' --include='*.lua'"))
    assert.same({ "csrc/abridge.h", "lua/abridge/base/version.lua" }, places)
    local sources = "$(find csrc lua -name '*.[ch]' -o -name '*.lua')"
    assert.equal(2, tonumber(run("cat " .. sources .. " | grep -cF '\"" .. version .. "\"'")))
  end)

  it("is changed in that macro, and written to all other files by make version", function()
    run(("mkdir '%s/tree' && cp -R Makefile LICENSE mk csrc lua doc rockspec '%s/tree/'"):format(dir, dir))
    run(("cd '%s/tree' && make -s version JOINED=1 CFLAGS=-O0"):format(dir))
    for _, folder in ipairs { "lua", "doc", "rockspec" } do -- nothing was left to write
      assert.equal("", run(("diff -r -x core.so %s '%s/tree/%s'"):format(folder, dir, folder)))
    end
    run(("sed -i 's/\"%s\"/\"98.7.6\"/' '%s/tree/csrc/abridge.h'"):format(version, dir))
    run(("cd '%s/tree' && make -s version JOINED=1 CFLAGS=-O0"):format(dir))
    local alone = "(^|[^0-9.])" .. version:gsub("%.", "[.]") .. "([^0-9.]|$)"
    local look = "cd '%s/tree' && grep -rnE '%s' csrc lua doc/lua.md doc/abridge.txt rockspec; ls rockspec"
    assert.equal("abridge-98.7.6-1.rockspec\nabridge-scm-1.rockspec\n", run(look:format(dir, alone)))
    assert.equal('return "98.7.6"', paths.read(dir .. "/tree/lua/abridge/base/version.lua"):match "return [^\n]*")
    local rockspec = paths.read(dir .. "/tree/rockspec/abridge-98.7.6-1.rockspec")
    assert.matches('\nversion = "98.7.6-1"\n', rockspec, 1, true)
    assert.matches('\n  tag = "v98.7.6",\n', rockspec, 1, true)
  end)

  it("is the Lua files', the module's and the command's", function()
    assert.equal(version, require "abridge.base.version")
    assert.equal(version, require("abridge").version)
    assert.equal("abridge " .. version .. "\n", run "build/bin/abridge --version")
  end)
end)

describe("the C library #once", function()
  local cc = "cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Ibuild/include "

  for kind, link in pairs {
    static = "build/libabridge.a",
    shared = "-Lbuild -labridge -Wl,-rpath,'" .. root .. "/build'",
  } do
    it("serves the example, " .. kind, function()
      local program = dir .. "/count_cut_" .. kind
      run(cc .. "examples/count_cut.c " .. link .. " -o " .. program)
      assert.equal("998\n999\n1000\n[3 of 1000 lines, 13 of 3893 bytes]\n", run("seq 1000 | " .. program))
    end)
  end

  it("exports what the header declares and nothing else", function()
    local declared = {}
    for name in header:gmatch "\nABR_API [^(]-(abr_[%w_]+)%(" do
      declared[#declared + 1] = name
    end
    table.sort(declared)
    assert.is_true(#declared > 5)
    assert.same(declared, words(run "nm -D --defined-only build/libabridge.so | awk '$2 == \"T\" { print $3 }'"))
  end)

  it("takes a packager's flags beside its own, and -O2 only without any", function()
    local build = "make -n -B V=1 build/obj/c/csrc/base/size.o"
    local command = run(build .. " CPPFLAGS=-DPLANTED=1 'CFLAGS=-O1 -g'")
    assert.matches(" %-O1 %-g %-DPLANTED=1 %-fPIC .- %-c ", command)
    assert.is_nil(command:find("-O2", 1, true))
    assert.is_nil(command:find("-Werror", 1, true))
    assert.matches(" %-O2 +%-fPIC ", run(build))
  end)

  it("compiles without any flag but where its headers are", function()
    run "cc -Icsrc -fsyntax-only $(ls csrc/*/*.c csrc/*/*/*.c | grep -v csrc/lua/)"
  end)

  for cxx, tag in pairs { ["g++"] = "", ["clang++"] = " #check" } do
    it("has a header for C++, " .. cxx .. tag, function()
      if select(2, sh("command -v " .. cxx)) ~= 0 then return pending("no " .. cxx .. " here") end
      local source, program = dir .. "/use.cpp", dir .. "/use_" .. cxx
      local file = assert(io.open(source, "w"))
      file:write [[
#include <abridge.h>
int main()
{
    abr_opts opts = ABR_OPTS_INIT;
    opts.max.lines = 1;
    abr_cut cut;
    bool ok = abr_cut_text("a\nb\n", 4, &opts, &cut, nullptr) == ABR_OK && cut.truncated && cut.output_bytes == 1;
    abr_cut_free(&cut);
    abr_page_opts page = ABR_PAGE_OPTS_INIT;
    return ok && page.offset == 1 && page.limit == ABR_UNLIMITED && page.cut.max.bytes == ABR_UNLIMITED ? 0 : 1;
}
]]
      file:close()
      for _, std in ipairs { "c++11", "c++20" } do
        run(
          ("%s -std=%s -Wall -Wextra -pedantic -Werror -Ibuild/include %s build/libabridge.a -o %s && %s"):format(
            cxx,
            std,
            source,
            program,
            program
          )
        )
      end
    end)
  end

  it("does not know Lua", function()
    local names = "'lua\\.h|lauxlib|lua_State'"
    assert.equal("", (sh("grep -lE " .. names .. " $(ls csrc/*.h csrc/*/*.[ch] csrc/*/*/*.[ch] | grep -v csrc/lua/)")))
  end)
end)

describe("make amalgamation #once", function()
  it("makes two files; a program compiled with them in one command prints the same as with the library", function()
    run "make -s amalgamation"
    local folder = run("mktemp -d"):match "[^\n]+"
    run(("cp build/amalgamation/abridge.[ch] examples/count_cut.c '%s'"):format(folder))
    run(("cd '%s' && cc -Wall -Wextra -Werror -I. count_cut.c abridge.c -o one"):format(folder))
    run(("cc -Ibuild/include examples/count_cut.c build/libabridge.a -o '%s/two'"):format(folder))
    local input = "seq 100000 | sed 's/7$/7 error: no such file/'"
    local want = run(("%s | '%s/two'"):format(input, folder))
    assert.matches("%[3 of 100000 lines", want)
    assert.equal(want, run(("%s | '%s/one'"):format(input, folder)))
    run(("rm -r '%s'"):format(folder))
  end)

  it("leaves no include of ours in it but abridge.h, and has every source of the core", function()
    run "make -s amalgamation"
    local text = paths.read "build/amalgamation/abridge.c"
    local includes = {}
    for path in text:gmatch '\n%s*#%s*include%s*"([^"]+)"' do
      includes[#includes + 1] = path
    end
    assert.same({ "abridge.h" }, includes)
    for path in run("ls csrc/*/*.c csrc/*/*/*.c | grep -v csrc/lua/"):gmatch "csrc/([^\n]+)" do
      assert.truthy(text:find("\n/* ==== " .. path .. " ==== */\n", 1, true), path)
    end
  end)
end)

describe("make check-systems #once", function()
  it("tries the systems of doc/reliability.md, and no others", function()
    local listed = {}
    local section = paths.read("doc/reliability.md"):match "\n## Systems\n(.*)"
    for names in section:gmatch "\n| ([%w, -]+) |" do
      for name in names:gmatch "[%w-]+" do
        if not names:find "^system" and not names:find "^%-" then listed[#listed + 1] = name end
      end
    end
    local tried = {}
    for name in paths.read("mk/systems.sh"):gmatch "\n([%w-]+)|" do
      tried[#tried + 1] = name
    end
    assert.is_true(#tried > 5)
    assert.same(tried, listed)
  end)

  it("refuses a name that is none", function()
    local said, status = sh "mk/systems.sh i686 vax"
    assert.is_true(status ~= 0)
    assert.matches("^check%-systems: no system vax; there are [%w ,-]*musl", said)
  end)
end)

describe("the module #once", function()
  it("exports its entry point and nothing else, for each Lua", function()
    local seen = 0
    for _, v in ipairs { "5.4", "5.3", "5.2", "5.1" } do
      local path = "build/" .. v .. "/abridge/core.so"
      local file = io.open(path)
      if file then
        file:close()
        seen = seen + 1
        assert.same({ "luaopen_abridge_core" }, words(run("nm -D --defined-only " .. path .. " | awk '{ print $3 }'")))
      end
    end
    assert.is_true(seen > 0)
  end)

  it("leaves nothing beside the sources, unless `make nvim` was run", function()
    assert.equal(
      "",
      run(
        "find . -path ./build -prune -o -path ./.git -prune -o -path ./lua/abridge/core.so -prune -o "
          .. "'(' -name '*.o' -o -name '*.so' -o -name '*.a' -o -name '*.d' ')' -print"
      )
    )
  end)
end)

describe("build/bin/abridge #once", function()
  it("runs from any folder, through a symbolic link, whatever LUA_PATH says", function()
    run(("ln -s '%s/build/bin/abridge' '%s/link'"):format(root, dir))
    assert.equal(
      "abridge " .. version .. "\n",
      run(("cd / && LUA_PATH=/nowhere LUA_CPATH=/nowhere '%s/link' --version"):format(dir))
    )
  end)
end)

describe("make help #once", function()
  it("lists the targets, one line each", function()
    local help = "\n" .. run "make -s help"
    for _, target in
      ipairs(
        words(
          "setup build nvim lib install demo doc test check lint msan tsan fuzz bench "
            .. "bench-check test-arm64 test-arm64-lua test-portable windows test-windows digest names dist score soak "
            .. "rock clean"
        )
      )
    do
      assert.matches("\n" .. target:gsub("%-", "%%-") .. " +%S[^\n]*\n", help)
    end
  end)

  it("reads a Makefile of at most 150 lines", function()
    assert.is_true(select(2, paths.read("Makefile"):gsub("\n", "")) <= 150)
  end)
end)
