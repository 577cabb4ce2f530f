--- The man page, and what `make install` puts where.

local abridge = require "abridge"
local command = require "support.command"
local commands = require "abridge.cli.commands"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

describe("doc/abridge.1 #once", function()
  local page = paths.read "doc/abridge.1"
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("is what `make doc` makes of the table of commands", function()
    local made = assert(loadfile "doc/man.lua") "man"
    assert(made.page() == page, "doc/abridge.1 is not that of lua/abridge/cli/commands.lua: run `make doc`")
  end)

  it("has every command, flag, exit code and variable", function()
    local function has(text)
      assert.is_truthy(page:find(text:gsub("%-", "\\-"), 1, true), text)
    end
    for _, one in ipairs(commands.all()) do
      has("\n.SS " .. one.name .. "\n")
      for _, group in ipairs(one.flags) do
        for _, flag in ipairs(group) do
          has("\\fB--" .. flag.name .. "\\fR")
        end
      end
    end
    for _, list in ipairs { commands.exit_codes, commands.environment } do
      for _, item in ipairs(list) do
        has("\n.TP\n\\fB" .. item[1] .. "\\fR\n")
      end
    end
  end)

  it("is roff without a fault #check", function()
    if not command.has "groff" then return pending "groff is missing" end
    assert.is_true(#dir:run("groff -man -ww -Tascii " .. tmpdir.quote(tmpdir.root() .. "/doc/abridge.1")) > 5000)
  end)
end)

describe("make install #once", function()
  local dir

  setup(function()
    dir = tmpdir.new()
    local line = "make -s -C %s install DESTDIR=%s PREFIX=/usr"
    local out, err, code = dir:sh("unset MAKEFLAGS MAKELEVEL; " .. line:format(tmpdir.quote(tmpdir.root()), dir.path))
    assert.same({ "", "", 0 }, { out, err, code })
  end)

  teardown(function()
    dir:remove()
  end)

  it("puts man page and completions where manuals and shells look", function()
    assert.equal(paths.read "doc/abridge.1", dir:read "usr/share/man/man1/abridge.1")
    for shell, place in pairs {
      bash = "bash-completion/completions/abridge",
      zsh = "zsh/site-functions/_abridge",
      fish = "fish/vendor_completions.d/abridge.fish",
    } do
      assert.equal((dir:sh(command.line("completion", shell))), dir:read("usr/share/" .. place))
    end
  end)

  it("puts a command there that finds its modules, from anywhere", function()
    local line = "cd / && env -u LUA_PATH -u LUA_CPATH " .. tmpdir.quote(dir:at "usr/bin/abridge")
    assert.same({ "abridge " .. abridge.version .. "\n", "", 0 }, { dir:sh(line .. " --version") })
    assert.equal("1\n", (dir:sh(line .. " run --no-save -- echo 1")))
  end)

  it("compiles the modules for the command, which reads no source, but with another Lua than theirs", function()
    local line = "unset MAKEFLAGS MAKELEVEL; make -s -C %s install DESTDIR=%s PREFIX=/usr LUA=lua5.1"
    local script = "share/lua/5.1/abridge/cli/nearest.lua"
    local function prints(lua, words)
      return (dir:sh(("env -u LUA_PATH -u LUA_CPATH %s usr51/usr/bin/abridge %s 2>&1"):format(lua, words)))
    end
    assert.same({ "", "", 0 }, { dir:sh(line:format(tmpdir.quote(tmpdir.root()), dir:at "usr51")) })
    for _, lua in ipairs { "lua5.1", "luajit" } do
      assert.equal("abridge " .. abridge.version .. "\n", prints(lua, "--version"))
    end
    dir:write("usr51/usr/" .. script, "error 'the source was read'\n")
    assert.matches("did you mean read?", prints("lua5.1", "raed"), 1, true)
    assert.matches("nearest.lua:1: the source was read", prints("luajit", "raed"), 1, true)
    dir:write("usr51/usr/lib/lua/5.1/abridge/core.so", "")
    assert.matches("its core cannot be loaded", prints("lua5.1", "--version"), 1, true)
  end)

  it("puts the C library there, and nothing that it should not", function()
    assert.equal(paths.read "csrc/abridge.h", dir:read "usr/include/abridge.h")
    assert.is_truthy(dir:read "usr/lib/libabridge.a")
    local soname = "libabridge.so." .. abridge.version:match "^%d+%.%d+"
    assert.matches("SONAME +" .. soname .. "\n", (dir:sh("objdump -p usr/lib/" .. soname)))
    for _, name in ipairs { "libabridge.so", soname } do
      assert.equal(
        "libabridge.so." .. abridge.version .. "\n",
        (dir:sh(("basename $(readlink -f usr/lib/%s)"):format(name)))
      )
    end
    assert.equal("", (dir:sh "find usr -name '*.so' -path '*/share/*' -o -name '*~'"))
  end)

  it("tells pkg-config where the C library is, and a program that it links runs", function()
    if not command.has "pkg-config" then return pending "pkg-config is missing" end
    local flags = "PKG_CONFIG_SYSROOT_DIR=$PWD PKG_CONFIG_PATH=usr/lib/pkgconfig pkg-config --cflags --libs abridge"
    local source = tmpdir.quote(tmpdir.root() .. "/examples/count_cut.c")
    dir:run(("cc %s $(%s) -I$PWD/usr/include -L$PWD/usr/lib -o count_cut"):format(source, flags))
    assert.matches("%[3 of 9 lines", (dir:sh "seq 9 | LD_LIBRARY_PATH=$PWD/usr/lib ./count_cut"))
    local version = dir:sh "PKG_CONFIG_PATH=usr/lib/pkgconfig pkg-config --modversion abridge"
    assert.equal(abridge.version .. "\n", version)
  end)

  it("takes LIBDIR, and `make uninstall` leaves nothing", function()
    local line = "unset MAKEFLAGS MAKELEVEL; make -s -C %s %s DESTDIR=%s PREFIX=/opt/a LIBDIR=/opt/a/lib64"
    local function make(target)
      return dir:sh(line:format(tmpdir.quote(tmpdir.root()), target, dir:at "other"))
    end
    assert.same({ "", "", 0 }, { make "install" })
    assert.equal("", (dir:sh "find other -path '*/lib/*'"))
    local program = "cd / && env -u LUA_PATH -u LUA_CPATH " .. tmpdir.quote(dir:at "other/opt/a/bin/abridge")
    assert.same({ "abridge " .. abridge.version .. "\n", "", 0 }, { dir:sh(program .. " --version") })
    assert.same({ "", "", 0 }, { make "uninstall" })
    assert.equal("", (dir:sh "find other ! -type d"))
  end)
end)
