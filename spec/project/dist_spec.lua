-- What `make dist` packs: the same bytes in any folder, and a core that works where there is nothing to build one with.
-- Like the release, this is of what is committed. `make check` builds the whole of it.

local paths = require "support.paths"
local shell = require "support.shell"

local run = shell.run
local version = paths.read("csrc/abridge.h"):match '#define ABR_VERSION "([^"]+)"'

--- The first example of the README that says what it prints, as a script, and that.
local function example()
  for code in paths.read("README.md"):gmatch "\n```lua\n(.-)\n```" do
    if code:find("-->", 1, true) then
      local said = {}
      for line in (code .. "\n"):gmatch "([^\n]*)\n" do
        said[#said + 1] = line:match "%-%->%s*(.-)%s*$"
      end
      return code, (table.concat(said, "\n"):gsub("[ \t]+", " "))
    end
  end
end

--- The path of the program of a host; what .ci/hosts.sh makes are scripts that start one.
local function program(name)
  local script = paths.read("build/hosts/bin/" .. name)
  return script and script:match "exec '([^']+)'" or run("command -v " .. name):match "[^\n]+"
end

describe("make dist #once", function()
  local dir, dist, said

  local function at(name) return ("%s/abridge-%s%s"):format(dist, version, name) end

  setup(function()
    dir = run("mktemp -d"):match "[^\n]+"
    dist = dir .. "/dist"
    said = run(("make -s dist DIST='%s' MACHINES=x86_64 LUAS='5.1 5.4'"):format(dist))
  end)

  teardown(function() run("rm -rf '" .. dir .. "'") end)

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
    assert.matches("\n  x86_64 Lua 5.4: %d+ bytes, libc.so.6 of glibc 2.17 or later\n", manifest)
  end)

  it("has a checksum of each file", function()
    run(("cd '%s' && sha256sum --strict --check --quiet SHA256SUMS"):format(dist))
    local listed = select(2, paths.read(dist .. "/SHA256SUMS"):gsub("\n", "\n"))
    assert.equal(#paths.names(dist) - 1, listed)
  end)

  it("gives the same bytes from a clone in another folder, under another mask of modes", function()
    local clone, again = dir .. "/a/clone/elsewhere", dir .. "/again"
    run(("git clone -q . '%s' && cd '%s' && umask 077 && make -s dist DIST='%s' MACHINES=x86_64 LUAS='5.1'"):format(
      clone, clone, again))
    local compared = 0
    for _, name in ipairs(paths.names(again)) do
      if name ~= "MANIFEST" and name ~= "SHA256SUMS" and not name:find "rocks" then
        assert.is_true(paths.read(dist .. "/" .. name) == paths.read(again .. "/" .. name), name)
        compared = compared + 1
      end
    end
    assert.equal(4, compared)
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
    assert.equal(run "git ls-files", table.concat(found, "\n") .. "\n")
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
    run(("luarocks --lua-version 5.4 build --deps-mode=none --tree='%s' '%s' CFLAGS='-O0 -fPIC'"):format(tree,
      at "-1.src.rock"))
    assert.equal("abridge " .. version .. "\n", run(("cd / && '%s/bin/abridge' --version"):format(tree)))
  end)

  it("has binary rocks that luarocks installs without a compiler", function()
    run(("tar -C '%s' -xf '%s'"):format(dir, at "-rocks-linux-x86_64.tar"))
    for _, lua in ipairs { "5.1", "5.4" } do
      local rock = ("%s/abridge-%s-rocks-linux-x86_64/lua%s/abridge-%s-1.linux-x86_64.rock"):format(dir, version, lua,
        version)
      local tree = ("%s/tree %s"):format(dir, lua)
      local install = "luarocks --lua-version %s install --deps-mode=none --tree='%s' '%s' CC=false LD=false"
      run(install:format(lua, tree, rock))
      assert.equal("abridge " .. version .. "\n", run(("cd / && '%s/bin/abridge' --version"):format(tree)))
    end
  end)

  describe("in a root without anything else", function()
    local code, wanted = example()

    --- What a program prints of the example there, with an archive unpacked in a folder.
    local function printed(name, archive, folder, arguments)
      local root, path = ("%s/root of %s"):format(dir, name), program(name)
      run(("spec/support/empty_root.sh '%s' '%s' && mkdir -p '%s%s'"):format(root, path, root, folder))
      run(("tar -C '%s%s' --strip-components=1 -xzf '%s'"):format(root, folder, at(archive)))
      local file = assert(io.open(root .. "/example.lua", "w"))
      file:write("function print(...) io.stdout:write(table.concat({ ... }, ' '), '\\n') end\n", code)
      file:close()
      local chroot = run("id -u") == "0\n" and "chroot" or "unshare -r chroot"
      local command = "PATH=$PATH:/usr/sbin; env -i HOME=/root $(command -v %s) '%s' '%s' %s"
      return (run(command:format(chroot, root, path, arguments)):gsub("\n$", ""))
    end

    for _, name in ipairs { "lua5.4", "lua5.1", "luajit" } do
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
