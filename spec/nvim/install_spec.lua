-- `:Abridge install`: a fresh Neovim with a plugin folder of its own, and a release served by this process. Whatever
-- else it asked would go to a proxy where nobody listens.
local contains = require "support.contains"
local host = require "abridge.base.host"
local merge = require "support.merge"
local paths = require "support.paths"
local process = require "abridge.process"
local tmpdir = require "support.tmpdir"
local version = require "abridge.base.version"
local web_server = require "support.web_server"

local quote = tmpdir.quote
local root = tmpdir.root()

if not host.in_nvim then
  describe(":Abridge install", function()
    pending "is there inside Neovim"
  end)
  return
end

local NOWHERE = "http://127.0.0.1:9"
local STEM = ("abridge-%s-nvim-linux-%s"):format(version, host.uv().os_uname().machine)
local ARCHIVE = STEM .. ".tar.gz"
local OLD = "the core that was there"

describe(":Abridge install", function()
  local dir, server, files
  local plugin = "plugins/abridge"

  --- Pack a core as a release does; `files` is what the server has then.
  local function pack(core)
    dir:run(("mkdir -p release/%s/lua/abridge && cp %s release/%s/lua/abridge/core.so"):format(STEM, quote(core), STEM))
    dir:run(("cd release && tar -czf %s %s && sha256sum -- %s > SHA256SUMS"):format(ARCHIVE, STEM, ARCHIVE))
    files = { [ARCHIVE] = dir:read("release/" .. ARCHIVE), SHA256SUMS = dir:read "release/SHA256SUMS" }
  end

  local function answer(connection, request)
    local body = files[request.target:match "^/release/(.*)$"]
    connection:respond(body and "200 OK" or "404 Not Found", {}, body or "no such file")
  end

  before_each(function()
    dir = tmpdir.new()
    local copy = "mkdir -p home tmp %s && cp -R %s %s %s"
    dir:run(copy:format(plugin, quote(root .. "/lua"), quote(root .. "/plugin"), plugin))
    dir:write(plugin .. "/lua/abridge/core.so", OLD)
    pack(root .. "/build/5.1/abridge/core.so")
    server = web_server.new(answer)
  end)

  after_each(function()
    server:close()
    dir:remove()
  end)

  --- Run a script in a fresh Neovim while the server answers; what it wrote, messages too. `env` is added to its own.
  local function neovim(script, env)
    dir:write("probe.lua", ([[
      vim.opt.runtimepath:prepend(%q)
      vim.notify = function(message) io.stdout:write(message, "\n") end
      vim.cmd "runtime plugin/abridge.lua"
      local install = require "abridge.nvim.install"
      install.release = %q
    ]]):format(dir:at(plugin), server:url "/release") .. script)
    local argv = { "sh", "-c", "exec " .. tmpdir.headless(tmpdir.program(), dir:at "probe.lua") }
    local changes = { HOME = dir:at "home", TMPDIR = dir:at "tmp", no_proxy = "127.0.0.1", NO_PROXY = "127.0.0.1" }
    for _, name in ipairs { "http_proxy", "https_proxy", "all_proxy" } do
      changes[name], changes[name:upper()] = NOWHERE, NOWHERE
    end
    merge(changes, env)
    local said = {}
    local child = assert(process.spawn(argv, { env = changes, timeout = 60, cwd = dir.path }, {
      on_output = function(chunk)
        said[#said + 1] = chunk
      end,
    }))
    host.wait(function()
      return child.outcome ~= nil
    end)
    assert.equal(0, child.outcome.code, table.concat(said))
    return (table.concat(said):gsub("\r", ""))
  end

  --- The last line of `:Abridge install`.
  local function install(arguments, script, env)
    local command = ("vim.cmd [[Abridge install %s]]\n"):format(arguments or "")
    return neovim((script or "") .. command, env):match "([^\n]*)\n$"
  end

  local function core()
    return dir:read(plugin .. "/lua/abridge/core.so")
  end

  --- The install failed with a message that has these words, and changed nothing.
  local function fails(message, ...)
    assert.matches("^abridge: nothing was installed: ", message)
    contains(message, ...)
    assert.equal(OLD, core())
    local made = dir:run(("diff -r %s/lua %s/lua | grep -v 'core.so$'; ls -A tmp"):format(quote(root), plugin))
    assert.equal("", (made:gsub("nvim%.[%w_.]+\n", ""))) -- which Neovim 0.9 leaves
  end

  local CUT = [[
    local text = require("abridge").tail("one\ntwo\nthree\n", { max_lines = 2 })
    io.stdout:write(text, require("abridge.core").lua_version, "\n")
  ]]

  it("fetches the archive of this version and machine, and a cut works at once", function()
    local said = neovim("vim.cmd 'Abridge install'\n" .. CUT)
    local wanted = "abridge: installing the core of %s\nabridge: installed %s\ntwo\nthree\n5.1\n"
    assert.equal(wanted:format(version, dir:at(plugin) .. "/lua/abridge/core.so"), said)
    assert.is_true(core() == paths.read(root .. "/build/5.1/abridge/core.so"))
    assert.equal(2, #server.requests)
    assert.equal("/release/SHA256SUMS", server.requests[1].target)
    assert.equal("/release/" .. ARCHIVE, server.requests[2].target)
  end)

  it("knows the project's release page, and asks for it over https alone", function()
    assert.equal(
      "https://github.com/abridge-tools/abridge/releases/download/v" .. version,
      require("abridge.nvim.install").release
    )
    local script = [[
      vim.fn.jobstart = function(argv)
        io.stdout:write(table.concat(argv, " "), "\n")
        return 0
      end
      install.release = "https://127.0.0.1/release"
    ]]
    local said = neovim(script .. "vim.cmd 'Abridge install'")
    assert.matches("\ncurl %-q .* %-%-proto =https .* https://127.0.0.1/release/SHA256SUMS\n", said)
  end)

  it("asks a mirror where one is set, by setup or in the environment", function()
    local from = server:url("/mirror/v" .. version .. "/SHA256SUMS")
    local set_up = ("require('abridge').setup { install = { url = %q } }\n"):format(server:url "/mirror/")
    local in_environment = ("vim.env.ABRIDGE_RELEASES = %q\n"):format(server:url "/mirror")
    for _, script in ipairs { set_up, in_environment, "vim.env.ABRIDGE_RELEASES = 'http://none'\n" .. set_up } do
      fails(install(nil, script), "cannot get " .. from, "404")
    end
    local wrong = neovim "print(pcall(require('abridge').setup, { install = { url = 'a b' } }))"
    assert.matches('install: url must be a URL such as https://host/folder, got "a b"', wrong, 1, true)
  end)

  it("follows a redirection, as release pages make them, but not to another protocol", function()
    server.answer = function(connection, request)
      local name = request.target:match "^/release/(.*)$"
      if not name then return connection:respond("200 OK", {}, files[request.target:match "[^/]*$"]) end
      connection:respond("302 Found", { "Location: " .. server:url("/elsewhere/" .. name) }, "")
    end
    assert.matches("^abridge: installed ", install())
    dir:write(plugin .. "/lua/abridge/core.so", OLD)
    server.answer = function(connection, request)
      connection:respond("302 Found", { "Location: ftp://127.0.0.1:9" .. request.target }, "")
    end
    fails(install(), "Protocol", "ftp")
  end)

  it("takes a file, and a typed ~", function()
    assert.matches("^abridge: installed ", install(dir:at("release/" .. ARCHIVE)))
    dir:write(plugin .. "/lua/abridge/core.so", OLD)
    dir:run "mv release home/release"
    assert.matches("^abridge: installed ", install("~/release/" .. ARCHIVE))
    assert.equal(0, server.connections)
  end)

  it("takes a file for a file, whatever its folder is called", function()
    for _, folder in ipairs { "host:a", "-x", "$(touch made)", "a b" } do
      dir:run(("mkdir -p ./%s && cp release/* ./%s 2> /dev/null; :"):format(quote(folder), quote(folder)))
      dir:write(plugin .. "/lua/abridge/core.so", OLD)
      local file = (folder .. "/" .. ARCHIVE):gsub(" ", "\\ ")
      assert.matches("^abridge: installed ", install(file))
    end
    assert.is_nil(dir:read "made")
    assert.equal(0, server.connections)
  end)

  it("says that Neovim must be restarted where a core is loaded", function()
    assert.matches("^abridge: installed [^;]*$", install())
    assert.matches("^abridge: installed .*; restart Neovim to use it$", install(nil, "require 'abridge'\n"))
  end)

  it("leaves all as it was where the checksum is another", function()
    files[ARCHIVE] = files[ARCHIVE]:sub(1, -2) .. "x"
    local says = "SHA256SUMS says " .. files.SHA256SUMS:sub(1, 64)
    fails(install(), ARCHIVE .. " is damaged: its SHA-256 checksum is ", says)
    dir:write("release/" .. ARCHIVE, files[ARCHIVE])
    fails(install(dir:at("release/" .. ARCHIVE)), "is damaged")
  end)

  it("leaves all as it was where the release is not there, or lacks the archive", function()
    local sums = files.SHA256SUMS
    files[ARCHIVE] = nil
    fails(install(), "cannot get " .. server:url("/release/" .. ARCHIVE), "404")
    files.SHA256SUMS = sums:gsub("nvim", "other")
    files[ARCHIVE] = "anything"
    fails(install(), "SHA256SUMS does not list " .. ARCHIVE)
    files = {}
    fails(install(), "cannot get " .. server:url "/release/SHA256SUMS", "404")
  end)

  it("leaves all as it was where a download breaks off", function()
    server.answer = function(connection, request)
      local name = request.target:match "[^/]*$"
      if name ~= ARCHIVE then return answer(connection, request) end
      local head = "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
      connection:finish(head:format(#files[name]) .. files[name]:sub(1, #files[name] / 2))
    end
    fails(install(), "cannot get " .. server:url("/release/" .. ARCHIVE) .. ": ", "bytes remaining")
  end)

  it("gives up on a server that accepts and is silent", function()
    server.answer = function() end
    fails(install(nil, "install.silence = 1\n"), "cannot get " .. server:url "/release/SHA256SUMS" .. ": ", "too slow")
  end)

  it("leaves all as it was without a network", function()
    local unused = web_server.new()
    local url = unused:url "/release"
    unused:close()
    fails(install(nil, ("install.release = %q\n"):format(url)), "cannot get " .. url .. "/SHA256SUMS: ", "connect")
  end)

  it("can be interrupted", function()
    server.answer = function() end -- the answer never comes
    local script = [[
      local wait = vim.fn.jobwait
      vim.fn.jobwait = function(jobs)
        assert(wait(jobs, 300)[1] == -1)
        vim.fn.jobwait = wait
        return { -2 }
      end
    ]]
    fails(install(nil, script), "cannot get ", ": interrupted")
  end)

  it("says what is wrong with a file", function()
    fails(install(dir:at "abridge-9.9.9-nvim-linux-x86_64.tar.gz"), "is not " .. ARCHIVE, "of this version")
    fails(install(dir:at(ARCHIVE)), "cannot read " .. dir:at(ARCHIVE))
    dir:run("cp release/" .. ARCHIVE .. " home/")
    fails(install(dir:at("home/" .. ARCHIVE)), "SHA256SUMS must lie beside ")
    dir:write("home/SHA256SUMS", ("0"):rep(64) .. "  another\n")
    fails(install(dir:at("home/" .. ARCHIVE)), "SHA256SUMS does not list " .. ARCHIVE)
    dir:write("home/" .. ARCHIVE, "no archive")
    dir:run("cd home && sha256sum " .. ARCHIVE .. " > SHA256SUMS")
    fails(install(dir:at("home/" .. ARCHIVE)), "cannot unpack " .. ARCHIVE)
  end)

  it("says for what there is no archive", function()
    for system, machine in pairs { Darwin = "arm64", FreeBSD = "amd64", Linux = "riscv64" } do
      local script = "(vim.uv or vim.loop).os_uname = function() return { sysname = %q, machine = %q } end\n"
      fails(install(nil, script:format(system, machine)), ("no built core for %s on %s"):format(system, machine))
    end
    assert.equal(0, server.connections)
    local archive = require("abridge.nvim.install").archive
    local linux = { sysname = "Linux", machine = "x86_64" }
    local _, message = pcall(archive, linux, "7f00-7f01 r-xp 0 08:01 7 /lib/ld-musl-x86_64.so.1\n")
    local musl = "there is no built core for musl, which is the C library here: the built ones need glibc 2.17 or later"
    assert.equal(musl, message)
    local glibc = "7f00 r-xp 0 08:01 7 /home/musl-fan/ld-linux/libc.so.6\n"
    assert.equal(("abridge-%s-nvim-linux-x86_64"):format(version), archive(linux, glibc))
  end)

  describe("on Windows", function()
    local WINDOWS = ("abridge-%s-nvim-windows-x86_64"):format(version)
    local DLL = plugin .. "/lua/abridge/core.dll"
    local prints = "sum=$(sha256sum < $2) && echo SHA256 hash of $2: && echo $(echo ${sum%%%% *} | %s) && echo Done."

    --- A certutil whose line of digits a command edits; nothing else is there that Windows lacks.
    local function tools(edit)
      dir:run 'mkdir -p tools && for t in sh sed curl tar gzip sha256sum; do ln -sf "$(command -v $t)" tools/; done'
      dir:write("tools/certutil", "#!/bin/sh\n" .. prints:format(edit or "tr a-z A-Z"))
      dir:run 'ln -sf "$(command -v tr)" tools/ && chmod +x tools/certutil'
    end

    --- What makes Neovim believe it. The core in the archive is one for the system that this really is.
    local function windows()
      return ([[
        jit.os, jit.arch = "Windows", "x64"
        vim.fn.setenv("PATH", %q)
        package.cpath = %q .. package.cpath
      ]]):format(dir:at "tools", dir:at(plugin) .. "/lua/?.dll;")
    end

    before_each(function()
      tools()
      dir:run(
        ("mv release/%s release/%s && cd release/%s/lua/abridge && mv core.so core.dll"):format(STEM, WINDOWS, WINDOWS)
      )
      dir:run(("cd release && tar -czf %s.tar.gz %s && sha256sum -- *.gz > SHA256SUMS"):format(WINDOWS, WINDOWS))
      files = { SHA256SUMS = dir:read "release/SHA256SUMS" }
      files[WINDOWS .. ".tar.gz"] = dir:read("release/" .. WINDOWS .. ".tar.gz")
    end)

    local function it_does(what, test)
      it(what, function()
        if not rawget(_G, "jit") then return pending "this Neovim has no LuaJIT" end
        test()
      end)
    end

    it_does("fetches the archive for it, checks that with certutil, and a cut works at once", function()
      dir:run(("rm %s/lua/abridge/core.so"):format(plugin)) -- which this Neovim would load
      local said = neovim(windows() .. "vim.cmd 'Abridge install'\n" .. CUT)
      local wanted = "abridge: installing the core of %s\nabridge: installed %s\ntwo\nthree\n5.1\n"
      assert.equal(wanted:format(version, dir:at(DLL)), said)
      assert.is_true(dir:read(DLL) == paths.read(root .. "/build/5.1/abridge/core.so"))
      assert.is_nil(core())
      tools "sed 's/../& /g'" -- as it prints them before Windows 10
      assert.matches("^abridge: installed ", install(nil, windows()))
    end)

    it_does("takes a file by a path with backslashes", function()
      local backslashed = dir:at("release/" .. WINDOWS .. ".tar.gz"):gsub("/", "\\")
      local call = ("io.stdout:write(install.install(%q), '\\n')"):format(backslashed)
      assert.equal(dir:at(DLL) .. "\n", neovim(windows() .. call))
      assert.equal(0, server.connections)
    end)

    it_does("moves a core aside that may be loaded, and back if the new one cannot be placed", function()
      local unlink_fails = [[
        local uv = vim.uv or vim.loop
        local unlink = uv.fs_unlink
        uv.fs_unlink = function(path) return not path:find "%.old$" and unlink(path) or nil end
      ]]
      dir:write(DLL, "loaded")
      assert.matches("^abridge: installed ", install(nil, windows() .. unlink_fails))
      assert.equal("loaded", dir:read(DLL .. ".old"))
      local rename_fails = [[
        local uv = vim.uv or vim.loop
        local rename = uv.fs_rename
        uv.fs_rename = function(from, to)
          if from:find "%.new$" then return nil, "EPERM: operation not permitted" end
          return rename(from, to)
        end
      ]]
      dir:write(DLL, "loaded too")
      local message = install(nil, windows() .. rename_fails)
      assert.matches("nothing was installed: cannot write .*core%.dll: EPERM", message)
      assert.equal("loaded too", dir:read(DLL))
      assert.is_nil(dir:read(DLL .. ".new"))
      assert.matches("^abridge: installed ", install(nil, windows()))
      assert.is_nil(dir:read(DLL .. ".old"))
    end)

    it_does("leaves all as it was where the checksum is another", function()
      tools "tr 0-9 1"
      fails(install(nil, windows()), "windows-x86_64.tar.gz is damaged: its SHA-256 checksum is ")
    end)

    it_does("says what is missing: a core for the machine, or the tool", function()
      fails(install(nil, windows() .. "jit.arch = 'arm64'\n"), "there is no built core for Windows on arm64")
      dir:run "rm tools/certutil"
      fails(install(nil, windows()), "certutil is not on the PATH")
      dir:write(plugin .. "/Makefile", "") -- is of no use there
      assert.not_matches("make nvim", install(nil, windows()))
    end)

    it_does("is what to run where the core is missing", function()
      dir:run(("rm %s/lua/abridge/core.so"):format(plugin))
      local said = neovim(windows() .. [[
        io.stdout:write(select(2, pcall(require, "abridge.base.core_loader")), "\n")
      ]])
      assert.equal("abridge: its core (abridge/core.dll) is missing:\nrun `:Abridge install`\n", said)
    end)
  end)

  it("names make nvim too where there are sources", function()
    dir:write(plugin .. "/Makefile", "")
    files = {}
    fails(install(), ("; with a C compiler, `make nvim` in %s builds one"):format(dir:at(plugin)))
  end)

  it("leaves all as it was where the core does not load", function()
    local bytes = paths.read(root .. "/build/5.1/abridge/core.so")
    pack(dir:write("other.so", bytes:sub(1, 18) .. "\22\0" .. bytes:sub(21))) -- e_machine: IBM System/390
    fails(install(), "the core of " .. ARCHIVE .. " does not load here: ", "core.so")
  end)

  it("leaves all as it was where the core cannot be written", function()
    dir:run(("cd %s/lua/abridge && rm core.so && mkdir core.so && touch core.so/file"):format(plugin))
    local said = "nothing was installed: cannot write " .. dir:at(plugin) .. "/lua/abridge/core.so: "
    assert.matches(said, install(), 1, true)
    assert.equal("file\n", dir:run(("cd %s/lua/abridge && ls core.so && ls | grep new; :"):format(plugin)))
  end)

  for _, name in ipairs { "curl", "sha256sum", "tar" } do
    it("says that it needs " .. name, function()
      dir:run 'mkdir tools && for t in sh curl sha256sum tar gzip; do ln -s "$(command -v $t)" tools/; done'
      dir:run("rm tools/" .. name)
      local script = ("vim.fn.setenv('PATH', %q)\n"):format(dir:at "tools")
      fails(install(nil, script), name .. " is not on the PATH")
    end)
  end

  it("leaves the core of an installed rock to luarocks", function()
    dir:run(("mkdir -p tree/share/lua && cp -R %s/lua tree/share/lua/5.1"):format(plugin))
    local said = neovim(([[
      for name in pairs(package.loaded) do if name:find "^abridge" then package.loaded[name] = nil end end
      vim.opt.runtimepath:remove(%q)
      package.path = %q
      require("abridge.nvim.install").release = install.release
      vim.cmd "Abridge install"
    ]]):format(dir:at(plugin), dir:at "tree/share/lua/5.1/?.lua;" .. dir:at "tree/share/lua/5.1/?/init.lua"))
    local wanted = "abridge: this is an installed rock, which brings its core along: `:Rocks install abridge`"
    assert.matches(wanted, said, 1, true)
    assert.equal(0, server.connections)
  end)

  it("is completed, and so is its file", function()
    local said = neovim(([[
      io.stdout:write(table.concat(vim.fn.getcompletion("Abridge in", "cmdline"), " "), "\n")
      io.stdout:write(table.concat(vim.fn.getcompletion("Abridge install %s", "cmdline"), " "), "\n")
    ]]):format(dir:at "release/abridge"))
    assert.equal(("install\n%s/ %s\n"):format(dir:at("release/" .. STEM), dir:at("release/" .. ARCHIVE)), said)
  end)
end)
