-- What `make dist` packs: the same bytes in any folder, and a core that works where there is nothing to build one with.
-- Like the release, this is of what is committed; of all Luas that can be built for here, on this machine.

local paths = require "support.paths"
local readme_example = require "support.readme_example"
local shell = require "support.shell"

local run = shell.run
local version = paths.read("csrc/abridge.h"):match '#define ABR_VERSION "([^"]+)"'

--- The path of the program of a host; what .ci/hosts.sh makes are scripts that start one.
local function program(name)
  local script = paths.read("build/hosts/bin/" .. name)
  return script and script:match "exec '([^']+)'" or run("command -v " .. name):match "[^\n]+"
end

--- Those of some words for which a command succeeds.
local function those(words, command)
  local list = {}
  for word in words:gmatch "%S+" do
    if select(2, shell.try(command:format(word))) == 0 then list[#list + 1] = word end
  end
  return list
end

local LUAS = those("5.1 5.2 5.3 5.4 5.5", "test -e build/%s/abridge/core.so")
-- Cores that are only loaded; the test of both machines has them as they are released.
local MAKE = "DIST_CFLAGS=-O0 make -s dist ONE_SOURCES=$PWD/build/one/src"
-- What the one file is made of, where it can be had.
local HAS_SOURCES = select(2, shell.try "mk/one/sources.sh build/one/src") == 0
if not HAS_SOURCES then MAKE = MAKE .. " ONE_MACHINES=" end
local HAS_MINGW = #those("x86_64-w64-mingw32-gcc", "command -v %s") > 0
local WINE = "$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)"
local ARM64_LUA = "build/arm64-lua/bin/lua5.4"

if select(2, shell.try 'test "$(git rev-parse --show-toplevel)" = "$(pwd -P)"') ~= 0 then
  describe("make dist #once", function()
    pending "packs what is committed, and this is no git checkout"
  end)
  return
end

describe("make dist #once", function()
  local dir, dist, said

  local function at(name)
    return ("%s/abridge-%s%s"):format(dist, version, name)
  end

  setup(function()
    dir = run("mktemp -d"):match "[^\n]+"
    dist = dir .. "/dist"
    said = run((MAKE .. " DIST='%s' MACHINES=x86_64 LUAS='%s'"):format(dist, table.concat(LUAS, " ")))
  end)

  teardown(function()
    run("rm -rf '" .. dir .. "'")
  end)

  it("says what it made: files, cores, and the oldest glibc that these load with", function()
    local manifest = paths.read(dist .. "/MANIFEST")
    assert.equal(said:sub(-#manifest), manifest)
    local commit = run("git rev-parse HEAD"):match "%x+"
    assert.matches(("abridge %s, commit %s, "):format(version, commit), manifest, 1, true)
    for _, name in ipairs(paths.names(dist)) do
      local size = #paths.read(dist .. "/" .. name)
      if name ~= "MANIFEST" and name ~= "SHA256SUMS" then
        assert.matches(("\n *%d  %s\n"):format(size, name:gsub("%p", "%%%0")), manifest)
      end
    end
    for _, lua in ipairs(LUAS) do
      local core = ("\n  x86_64 Lua %s: %%d+ bytes, libc.so.6 of glibc 2.17 or later\n"):format(lua)
      assert.matches(core, manifest)
    end
  end)

  it("has a checksum of each file", function()
    run(("cd '%s' && sha256sum --strict --check --quiet SHA256SUMS"):format(dist))
    local listed = select(2, paths.read(dist .. "/SHA256SUMS"):gsub("\n", "\n"))
    assert.equal(#paths.names(dist) - 1, listed)
  end)

  it("gives the same bytes from a clone in another folder, under another mask of modes", function()
    local clone, again = dir .. "/a/clone/elsewhere", dir .. "/again"
    run(
      ("git clone -q . '%s' && cd '%s' && umask 077 && %s DIST='%s' MACHINES=x86_64 LUAS='5.1'"):format(
        clone,
        clone,
        MAKE:gsub("%$PWD", (run("pwd"):gsub("\n", ""))),
        again
      )
    )
    local compared = 0
    for _, name in ipairs(paths.names(again)) do
      if name ~= "MANIFEST" and name ~= "SHA256SUMS" and not name:find "rocks" then
        assert.is_true(paths.read(dist .. "/" .. name) == paths.read(again .. "/" .. name), name)
        compared = compared + 1
      end
    end
    assert.equal(5 + (HAS_SOURCES and 1 or 0) + (HAS_MINGW and 2 or 0), compared)
  end)

  it("releases no version under the tag of another", function()
    local clone = dir .. "/tagged"
    run(("git clone -q . '%s' && git -C '%s' tag v99.0.0"):format(clone, clone))
    local out, status = shell.try(("make -s -C '%s' dist DIST='%s/none' LUAS=5.1 ONE_MACHINES="):format(clone, dir))
    assert.not_equal(0, status)
    assert.matches("dist: the tag here is v99.0.0, and the version of the files " .. version, out, 1, true)
  end)

  it("archives the files of the commit, sorted, owned by nobody here, of its date", function()
    local listed = run(("tar --numeric-owner --full-time --utc -tvzf '%s'"):format(at ".tar.gz"))
    local date = run("TZ=UTC git log -1 --format=%cd --date=format-local:'%Y-%m-%d %H:%M:%S'"):match "[^\n]+"
    local found = {}
    for line in listed:gmatch "[^\n]+" do
      assert.matches(" 0/0 +%d+ " .. date:gsub("%-", "%%-") .. " abridge%-" .. version:gsub("%p", "%%%0") .. "/", line)
      local name = line:match " abridge%-[^/]*/(.*[^/])$"
      if name then found[#found + 1] = name end
    end
    assert.equal(run "git ls-tree -r --name-only HEAD", table.concat(found, "\n") .. "\n")
  end)

  it("has man page and completions where they are looked for, and none of the scripts that write documents", function()
    local listed = run(("tar -tzf '%s'"):format(at "-lua5.4-linux-x86_64.tar.gz"))
    for _, name in ipairs {
      "man/man1/abridge.1",
      "bash-completion/completions/abridge",
      "zsh/site-functions/_abridge",
      "fish/vendor_completions.d/abridge.fish",
    } do
      assert.matches("/share/" .. name .. "\n", listed, 1, true)
    end
    for _, name in ipairs { "-lua5.4-linux-x86_64.tar.gz", "-nvim-linux-x86_64.tar.gz" } do
      assert.not_matches("/doc/[^\n]*%.l?[us][ah]\n", run(("tar -tzf '%s'"):format(at(name))))
    end
  end)

  it("knows no path of this machine", function()
    for _, name in ipairs { "-lua5.4-linux-x86_64.tar.gz", "-nvim-linux-x86_64.tar.gz" } do
      run(("mkdir '%s/paths' && tar -C '%s/paths' -xzf '%s'"):format(dir, dir, at(name)))
      local grep = "grep -rlF -e '%s' -e \"$PWD\" '%s/paths'; rm -r '%s/paths'"
      assert.equal("", run(grep:format(dir, dir, dir)))
    end
  end)

  it("has a source rock that luarocks builds, without a network", function()
    local tree = dir .. "/source tree"
    run(
      ("luarocks --lua-version 5.4 build --deps-mode=none --tree='%s' '%s' CFLAGS='-O0 -fPIC'"):format(
        tree,
        at "-1.src.rock"
      )
    )
    assert.equal("abridge " .. version .. "\n", run(("cd / && '%s/bin/abridge' --version"):format(tree)))
  end)

  it("has binary rocks that luarocks installs without a compiler", function()
    run(("tar -C '%s' -xf '%s'"):format(dir, at "-rocks-linux-x86_64.tar"))
    for _, lua in ipairs(LUAS) do
      local luarocks = "build/hosts/bin/luarocks" .. lua -- for a Lua that the system's knows nothing of
      local rock = ("%s/abridge-%s-rocks-linux-x86_64/lua%s/abridge-%s-1.linux-x86_64.rock"):format(
        dir,
        version,
        lua,
        version
      )
      local tree = ("%s/tree %s"):format(dir, lua)
      local install = "%s --lua-version %s install --deps-mode=none --tree='%s' '%s' CC=false LD=false"
      run(install:format(paths.read(luarocks) and luarocks or "luarocks", lua, tree, rock))
      assert.equal("abridge " .. version .. "\n", run(("cd / && '%s/bin/abridge' --version"):format(tree)))
    end
  end)

  it("has cores for Windows: for a Lua that they are unpacked beside, and for Neovim #check", function()
    if not HAS_MINGW then return pending "no cross compiler for Windows here" end
    local manifest = paths.read(dist .. "/MANIFEST")
    for lua, number in pairs { ["5.4"] = "54", ["5.1"] = "51" } do
      local needs = "\n  Windows, x86_64 Lua %s: %%d+ bytes, KERNEL32.dll lua%s.dll msvcrt.dll\n"
      assert.matches(needs:format(lua, number), manifest)
      local listed = run(("unzip -l '%s'"):format(at("-lua" .. lua .. "-windows-x86_64.zip")))
      assert.matches(" abridge/core.dll\n", listed, 1, true)
      assert.matches(" lua/abridge/init.lua\n", listed, 1, true)
      assert.not_matches("/bin/", listed, 1, true)
    end
    local listed = run(("tar -tzf '%s'"):format(at "-nvim-windows-x86_64.tar.gz"))
    assert.matches("/lua/abridge/core.dll\n", listed, 1, true)
    assert.matches("/plugin/abridge.lua\n", listed, 1, true)
    assert.not_matches("core.so", listed, 1, true)
  end)

  local code, wanted = readme_example.of(paths.read "README.md")

  --- The one file does what the README shows, caps, runs a shell's command, and serves. `one` starts it.
  local function check_one(one)
    local readme = paths.read "README.md"
    local printed = run(("XDG_STATE_HOME='%s/state' %s run -- seq 100000"):format(dir, one))
    local body, note, path = printed:match "^(.*)\n\n(%[Showing [^\n]*%))%. Full output: (/[^\n]*)%]"
    local most = tonumber(readme:match "after: 2000 of them from both ends, under (%d+)KB")
    assert.equal(2000, select(2, ("\n" .. body):gsub("\n%d+", "")))
    assert.is_true(#body < most * 1024)
    assert.matches("\n100000\n\n" .. note .. ". Full output: ~/.local/state/abridge/runs/", readme, 1, true)
    assert.matches("^" .. dir .. "/state/abridge/runs/[^/]+/.*0001%-run_command%.log$", path)
    assert.equal(run "seq 100000", paths.read(path))
    assert.equal("a\nb", run(("printf 'a\\nb' | %s cap run_command --no-save"):format(one)))
    local command = "run --no-save -- 'echo $((6*7)); exit 3'"
    assert.same({ "42\n\nCommand exited with code 3", 3 }, { shell.try(one .. " " .. command) })
    local call = '{"id":1,"method":"call","params":{"tool":"run_command","input":{"command":"echo $((6*7))"}}}'
    local kind = '{"id":2,"method":"kind","params":{"text":"{}"}}'
    local answers = run(("printf '%%s\\n' '%s' '%s' | %s serve --no-save"):format(call, kind, one))
    assert.matches('{"id":1,"result":{"content":"42\\n"', answers, 1, true)
    assert.matches('{"id":2,"result":{"kind":"json"}}\n', answers, 1, true)
  end

  it("has a core for 64-bit ARM, with which Lua 5.4 runs the README's first example, and one file #check", function()
    if not paths.read(ARM64_LUA) then return pending "no Lua for 64-bit ARM here" end
    local prefix, both = dir .. "/arm64", dir .. "/both"
    local machines = HAS_SOURCES and "aarch64 ONE_SOURCES=$PWD/build/one/src" or ""
    local manifest = run(("make -s dist DIST='%s' LUAS=5.4 ONE_MACHINES=%s"):format(both, machines))
    assert.matches("\n  x86_64 Lua 5.4: %d+ bytes, libc.so.6 of glibc 2.17 or later\n", manifest)
    assert.matches("\n  aarch64 Lua 5.4: %d+ bytes, libc.so.6 of glibc 2.17 or later\n", manifest)
    run(
      ("mkdir '%s' && tar -C '%s' --strip-components=1 -xzf '%s/abridge-%s-lua5.4-linux-aarch64.tar.gz'"):format(
        prefix,
        prefix,
        both,
        version
      )
    )
    local file = assert(io.open(prefix .. "/example.lua", "w"))
    file:write(code)
    file:close()
    local share, lib = prefix .. "/share/lua/5.4/", prefix .. "/lib/lua/5.4/"
    local lua = ("LUA_PATH='%s?.lua;%s?/init.lua' LUA_CPATH='%s?.so' %s"):format(share, share, lib, ARM64_LUA)
    assert.equal(wanted, (run(lua .. " '" .. prefix .. "/example.lua'"):gsub("\t", " "):gsub("\n$", "")))
    if not HAS_SOURCES then return end
    run(
      ("mkdir '%s/one' && tar -C '%s/one' -xzf '%s/abridge-%s-linux-aarch64.tar.gz'"):format(
        prefix,
        prefix,
        both,
        version
      )
    )
    check_one(("qemu-aarch64 '%s/one/abridge-%s-linux-aarch64/abridge'"):format(prefix, version))
  end)

  for lua, number in pairs { ["lua.exe"] = "54", ["luajit.exe"] = "51" } do
    local exe, dll = "build/windows/" .. lua, ("build/windows/lua%s.dll"):format(number)
    if HAS_MINGW and paths.read(exe) then -- which make test-windows builds
      it(lua .. " under wine runs the README's first example with the archive unpacked beside it #check", function()
        local folder = dir .. "/windows " .. number
        run(("mkdir '%s' && cp %s %s '%s'"):format(folder, exe, dll, folder))
        local archive = at(("-lua%s-windows-x86_64.zip"):format(number:gsub("5", "5.")))
        run(("unzip -q '%s' -d '%s'"):format(archive, folder))
        local file = assert(io.open(folder .. "/example.lua", "w"))
        file:write(code)
        file:close()
        local command = "prefix=$PWD/build/windows/wine && wine=%s && cd / && env -u LUA_PATH -u LUA_CPATH "
          .. "TMPDIR='%s' WINEPREFIX=$prefix WINEDEBUG=-all $wine '%s/%s' '%s/example.lua' | tr -d '\\r'"
        local printed = run(command:format(WINE, dir, folder, lua, folder))
        assert.equal(wanted, (printed:gsub("\t", " "):gsub("\n$", "")))
      end)
    end
  end

  for _, name in ipairs(paths.names "build/hosts/bin") do
    if name:find "^nvim" then
      it(name .. " takes its core from there by :Abridge install FILE", function()
        local plugin, archive = ("%s/plugin/%s"):format(dir, name), at "-nvim-linux-x86_64.tar.gz"
        run(("mkdir -p '%s' && tar -C '%s' --strip-components=1 -xzf '%s'"):format(plugin, plugin, archive))
        run(("rm '%s/lua/abridge/core.so'"):format(plugin))
        local command = "env -u LUA_PATH -u LUA_CPATH HOME='%s' build/hosts/bin/%s --headless -u NONE -i NONE -n "
          .. "--cmd 'set rtp^=%s' -c 'runtime plugin/abridge.lua' -c 'Abridge install %s' "
          .. "-c 'lua require \"abridge\"' -c qa!"
        local printed = run(command:format(dir, name, plugin, archive))
        assert.matches(("abridge: installed ~/plugin/%s/lua/abridge/core.so"):format(name), printed, 1, true)
        assert.not_matches("rror", printed)
      end)
    end
  end

  describe("has the command as one file, which", function()
    local one, root, chroot

    setup(function()
      if not HAS_SOURCES then return end
      run(
        ("mkdir '%s/one' && tar -C '%s/one' --strip-components=1 -xzf '%s'"):format(dir, dir, at "-linux-x86_64.tar.gz")
      )
      one, root = dir .. "/one/abridge", dir .. "/one root"
      run(("mkdir '%s' && cp '%s' '%s/'"):format(root, one, root))
      chroot = run "id -u" == "0\n" and "chroot" or "unshare -r chroot"
    end)

    --- What it prints in a root with nothing else, and its exit code.
    local function alone(words, input)
      local line = "printf '%s' '" .. (input or "") .. "' | env -i PATH=$PATH:/usr/sbin " .. chroot
      return shell.try(("%s '%s' /abridge %s"):format(line, root, words))
    end

    local function it_does(what, test)
      it(what, function()
        if not HAS_SOURCES then return pending "Debian's sources cannot be had" end
        test()
      end)
    end

    it_does("needs no library and no Lua", function()
      assert.not_matches("NEEDED", run(("objdump -p '%s'"):format(one)))
      assert.not_matches("interpreter", run(("readelf -lW '%s'"):format(one)))
      assert.equal("abridge " .. version .. "\n", run(("LUA_PATH=x LUA_INIT='error(1)' '%s' --version"):format(one)))
    end)

    it_does("gives what the installed command gives", function()
      local ours = "env -u LUA_PATH -u LUA_CPATH build/bin/abridge"
      for _, words in ipairs {
        "cap run_command --no-save < README.md",
        "cut --max-bytes 2KB < CHANGELOG.md",
        "explain CHANGELOG.md --max-bytes 2KB",
        "kind --why README.md",
        "read README.md --limit 20",
        "run --no-save -- 'seq 5000; echo no: error; exit 3'; echo $?",
        "completion bash",
        "mcp -- cat < /dev/null",
        "--help",
        "cut --max-line 3; echo $?",
      } do
        assert.equal(run(ours .. " " .. words), run(("'%s' %s"):format(one, words)))
      end
    end)

    it_does("does what the README shows, caps, runs commands and serves", function()
      check_one("'" .. one .. "'")
    end)

    it_does("serves without a shell", function()
      local call = '{"id":1,"method":"call","params":{"tool":"run_command","input":{"command":"true"}}}'
      local out = alone("serve", call .. '\n{"id":2,"method":"kind","params":{"text":"{}"}}')
      assert.matches("cannot run sh: there is no such program on the PATH", out, 1, true)
      assert.matches('{"id":2,"result":{"kind":"json"}}\n', out, 1, true)
    end)

    it_does("writes the report of a run that it made", function()
      run(("'%s' run --run-dir '%s/a run' -- 'echo a; exit 3'; test $? = 3"):format(one, dir))
      assert.matches("exited with code 3", run(("'%s' report '%s/a run'"):format(one, dir)), 1, true)
    end)

    it_does("runs in a root with nothing else, and says there that no shell is to be had", function()
      assert.same({ "abridge " .. version .. "\n", 0 }, { alone "--version" })
      assert.same({ "a\nb", 0 }, { alone("cap run_command", "a\nb") })
      assert.same({ "a", 0 }, { alone("cut --max-lines 1 --strategy head", "a\nb") })
      local missing = "Cannot run the command: cannot run sh: there is no "
      assert.same({ missing .. "such program on the PATH", 1 }, { alone "run -- make test" })
      local sh = run('readlink -f "$(command -v sh)"'):match "[^\n]+"
      run(("spec/support/empty_root.sh '%s' '%s' && ln -s '%s' '%s/tmp/sh'"):format(root, sh, sh, root))
      local line = "PATH=/tmp:$PATH:/usr/sbin %s '%s' /abridge run -- 'echo x'"
      assert.equal(missing .. "/dev/null here", (shell.try(line:format(chroot, root))))
    end)

    it_does("has the licences of what is in it beside it", function()
      local licences = paths.read(dir .. "/one/LICENSES")
      for _, words in ipairs { "Lua.org, PUC-Rio", "Joyent", "Apache License", "Mark Pulford", "GNU LESSER GENERAL" } do
        assert.matches(words, licences, 1, true)
      end
      assert.matches(paths.read "LICENSE", licences, 1, true)
    end)
  end)

  describe("in a root without anything else", function()
    --- What a program prints of the example there, with an archive unpacked in a folder.
    local function printed(name, archive, folder, arguments)
      local root, path = ("%s/root of %s"):format(dir, name), program(name)
      run(("spec/support/empty_root.sh '%s' '%s' && mkdir -p '%s%s'"):format(root, path, root, folder))
      run(("tar -C '%s%s' --strip-components=1 -xzf '%s'"):format(root, folder, at(archive)))
      local file = assert(io.open(root .. "/example.lua", "w"))
      file:write("function print(...) io.stdout:write(table.concat({ ... }, ' '), '\\n') end\n", code)
      file:close()
      local chroot = run "id -u" == "0\n" and "chroot" or "unshare -r chroot"
      local command = "PATH=$PATH:/usr/sbin; env -i HOME=/root $(command -v %s) '%s' '%s' %s"
      return (run(command:format(chroot, root, path, arguments)):gsub("\n$", ""))
    end

    for _, name in ipairs { "lua5.5", "lua5.4", "lua5.3", "lua5.2", "lua5.1", "luajit" } do
      it(name .. " runs the README's first example", function()
        local archive = ("-lua%s-linux-x86_64.tar.gz"):format(name:match "5%.%d" or "5.1")
        assert.equal(wanted, printed(name, archive, "/usr/local", "/example.lua"))
      end)
    end

    for _, name in ipairs(paths.names "build/hosts/bin") do
      if name:find "^nvim" then
        it(name .. " runs the README's first example", function()
          local folder = "/root/.local/share/nvim/site/pack/abridge/start/abridge"
          local arguments = "--headless -u NONE -i NONE -n -c 'packadd abridge' -c 'luafile /example.lua' -c qa!"
          assert.equal(wanted, printed(name, "-nvim-linux-x86_64.tar.gz", folder, arguments))
        end)
      end
    end
  end)
end)
