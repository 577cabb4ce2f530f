-- `:checkhealth abridge`: each thing that can be wrong, told with what to do; read from the buffer of headless Neovim.
local contains = require "support.contains"
local health = require "abridge.health"
local host = require "abridge.base.host"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"

local function levels(findings)
  local list = {}
  for i, finding in ipairs(findings) do
    list[i] = finding.level
  end
  return list
end

local function size_of(bytes)
  return bytes .. " bytes"
end

describe("a finding about", function()
  it("Neovim is an error before 0.7 alone", function()
    assert.same({ "ok" }, levels(health.neovim { 0, 7, 0 }))
    assert.same({ "ok" }, levels(health.neovim { 0, 11, 2 }))
    assert.same({ "ok" }, levels(health.neovim { 1, 0, 0 }))
    local finding = health.neovim({ 0, 6, 1 })[1]
    assert.equal("error", finding.level)
    assert.equal("Neovim 0.6.1 is too old", finding.text)
    assert.same({ "use Neovim 0.7.0 or later" }, finding.advice)
  end)

  it("the core has the error's first line, and its others as advice", function()
    local finding = health.core({ error = "abridge: its core is missing:\nrun `make nvim`" })[1]
    assert.same({ level = "error", text = "abridge: its core is missing", advice = { "run `make nvim`" } }, finding)
    assert.equal("error", health.core({ error = "" })[1].level)
  end)

  it("the core tells its file, version and Lua", function()
    local findings = health.core { path = "/x/core.so", version = "1.2.3", lua_version = "5.1" }
    assert.same({ "ok", "ok" }, levels(findings))
    assert.equal("core: /x/core.so", findings[1].text)
    assert.matches("1%.2%.3.* Lua 5%.1$", findings[2].text)
  end)

  it("luv is an error when it is missing or too old", function()
    local json = { name = "vim.json" }
    local good = { name = "vim.uv", version = "1.48.0", has_pipes = true }
    assert.same({ "ok", "ok" }, levels(health.libraries(good, json)))
    assert.equal("luv: vim.uv, libuv 1.48.0", health.libraries(good, json)[1].text)
    local old = health.libraries({ name = "vim.loop", version = "1.30.0", has_pipes = false }, json)[1]
    assert.equal("error", old.level)
    assert.matches("1%.30%.0.*run_command.*do not work", old.text)
    assert.equal("no luv", health.libraries({ error = "no luv" }, json)[1].text)
  end)

  it("JSON is an error when it is missing", function()
    local findings = health.libraries({ name = "vim.uv", version = "1", has_pipes = true }, { error = "no JSON" })
    assert.same({ "ok", "error" }, levels(findings))
    assert.equal("no JSON", findings[2].text)
  end)

  it("programs is an error for sh alone, and names the tools that want them", function()
    local findings = health.programs {}
    assert.same({ "error", "warn", "warn" }, levels(findings))
    assert.matches("^sh .*run_command", findings[1].text)
    assert.matches("^rg .*search_files and find_files", findings[2].text)
    assert.matches("^curl .*web_fetch", findings[3].text)
    assert.matches("install ripgrep", findings[2].advice[1])
    assert.matches("install curl", findings[3].advice[1])
  end)

  it("a program that does not run says why", function()
    local findings = health.programs {
      sh = { path = "/bin/sh" },
      rg = { path = "/usr/bin/rg", error = "exit code 127" },
      curl = { path = "/bin/curl", version = "8.1" },
    }
    assert.same({ "ok", "warn", "ok" }, levels(findings))
    assert.equal("sh: /bin/sh", findings[1].text)
    assert.matches("^/usr/bin/rg does not run %(exit code 127%)", findings[2].text)
    assert.equal("curl: /bin/curl, 8.1", findings[3].text)
  end)

  it("the run folder tells its mode, or that it is not there yet", function()
    local runs = { path = "/state", user = 7, folder = { mode = 16832, owner = 7 }, left = {} } -- 040700
    assert.equal("runs can be written to /state (mode 700)", health.run_folder(runs, size_of)[1].text)
    runs.folder = nil
    assert.same({ "ok" }, levels(health.run_folder(runs, size_of)))
    assert.matches("not there yet$", health.run_folder(runs, size_of)[1].text)
  end)

  it("the run folder is an error when nothing can be written there", function()
    local finding = health.run_folder({ path = "/state", user = 7, left = {}, error = "permission denied" }, size_of)[1]
    assert.equal("error", finding.level)
    assert.equal("no full output can be kept in /state: permission denied", finding.text)
    assert.matches("ABRIDGE_STATE_DIR", finding.advice[1])
  end)

  it("the run folder warns of others who may take runs away", function()
    local function of(mode, owner)
      local runs = { path = "/s", user = 7, left = {}, folder = { mode = mode, owner = owner } }
      return levels(health.run_folder(runs, size_of))
    end
    assert.same({ "ok" }, of(16877, 7)) -- 040755
    assert.same({ "ok" }, of(17407, 7)) -- 041777: sticky
    assert.same({ "ok", "warn" }, of(16893, 7)) -- 040775
    assert.same({ "ok", "warn" }, of(16879, 7)) -- 040757
    assert.same({ "ok", "warn" }, of(16832, 8))
  end)

  it("the run folder warns of little space and of what was left there", function()
    local findings = health.run_folder({ path = "/s", user = 7, left = { "/s/x" }, free = 99 * 1024 * 1024 }, size_of)
    assert.same({ "ok", "warn", "warn" }, levels(findings))
    assert.matches("/s/x$", findings[2].text)
    assert.matches("^103809024 bytes free there, which is little$", findings[3].text)
    findings = health.run_folder({ path = "/s", user = 7, left = {}, free = 100 * 1024 * 1024 }, size_of)
    assert.same({ "ok", "ok" }, levels(findings))
  end)
end)

-- in Neovim ---------------------------------------------------------------------------

--- Prints the buffer that `:checkhealth abridge` makes.
local REPORT = [[
vim.cmd "checkhealth abridge"
io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"), "\n")
vim.cmd "qall!"
]]

--- Prints what is reported through a stand-in for one of Neovim's two newer interfaces.
local STAND_IN = [[
local function stand_in(prefix)
  local found = {}
  for _, name in ipairs { "start", "ok", "info", "warn", "error" } do
    found[prefix .. name] = function(text, advice)
      io.stdout:write(name, "\t", text, "\t", advice and table.concat(advice, "; ") or "", "\n")
    end
  end
  return found
end
vim.health = stand_in(PREFIX)
require("abridge.health").check()
vim.cmd "qall!"
]]

--- Prints what `require "abridge.health"` loads and makes.
local QUIET = [[
local before, globals = {}, {}
for name in pairs(package.loaded) do before[name] = true end
for name in pairs(_G) do globals[name] = true end
require "abridge.health"
local new = {}
for name in pairs(package.loaded) do if not before[name] then new[#new + 1] = name end end
for name in pairs(_G) do if not globals[name] then new[#new + 1] = "global " .. name end end
table.sort(new)
io.stdout:write(table.concat(new, "\n"), "\n")
vim.cmd "qall!"
]]

describe(":checkhealth abridge", function()
  if resources.emulated then
    pending("the Neovim here takes no core of another processor", function() end)
    return
  end

  local dir
  local root = tmpdir.root()

  before_each(function()
    dir = tmpdir.new()
    -- the files in Lua without a core that a build may have put beside them
    local copy = "mkdir -p rtp home bin && cp -R %s/lua rtp/lua && rm -f rtp/lua/abridge/core.so"
    dir:sh(copy:format(tmpdir.quote(root)))
  end)

  after_each(function()
    dir:remove()
  end)

  --- Run a script in Neovim; `env` are assignments as the shell has them.
  local function nvim(script, env)
    dir:write("script.lua", script)
    local line = "LUA_PATH= LUA_CPATH=%s/build/5.1/?.so HOME=%s %s timeout 60 %s 2>err"
    local program = host.in_nvim and tmpdir.program() or dir:sh("command -v nvim"):match "[^\n]+"
    local runs = tmpdir.headless(program, "script.lua", "rtp^=rtp")
    local out, _, code = dir:sh(line:format(root, dir:at "home", env or "", runs))
    assert.equal(0, code, dir:read "err")
    return out
  end

  --- The report, in the one form of all versions: a title or a finding a line, without marks and margins.
  local function report_of(prelude, env)
    local report = "\n" .. nvim(prelude .. REPORT, env)
    for _, mark in ipairs { "✅ ", "⚠️ ", "❌ " } do
      report = report:gsub(mark, "")
    end
    report = report:gsub("\n%s+", "\n"):gsub("\n## ([^\n]+)", "\n%1"):gsub(" ~\n", "\n")
    return (report:gsub("\n(%- %u+):? ", "\n%1 "):gsub("\n%- INFO ", "\n- "))
  end

  local function count(report, level)
    return select(2, report:gsub("\n%- " .. level .. " ", ""))
  end

  it("finds nothing wrong where all is there, and leaves nothing behind", function()
    local report = report_of ""
    assert.equal(0, count(report, "ERROR"), report)
    assert.equal(0, count(report, "WARNING"), report)
    for _, title in ipairs { "Neovim", "Core", "Libraries", "Programs", "Run folder" } do
      contains(report, "\nabridge: " .. title .. "\n")
    end
    contains(report, ("- OK core: %s/build/5.1/abridge/core.so"):format(root))
    contains(report, "built for Lua 5.1")
    assert.matches("OK luv: vim%.[ul][vo]o?p?, libuv 1%.", report)
    contains(report, "OK JSON: vim.json")
    for _, program in ipairs { "sh", "rg", "curl" } do
      assert.matches("OK " .. program .. ": /%S*/" .. program, report)
    end
    contains(
      report,
      ("runs can be written to %s/.local/state/abridge/runs, which is not there yet"):format(dir:at "home")
    )
    assert.matches("%d free there", (report:gsub("[KMGT]?B free", " free")))
    assert.equal("", (dir:sh "find home -path '*abridge*'"))
    assert.equal("", (dir:sh "test ! -e home/.local/state || find home/.local/state -name runs"))
  end)

  it("leaves a state directory as it was", function()
    dir:sh "mkdir -m 700 state && echo kept > state/file"
    local report = report_of("", "ABRIDGE_STATE_DIR=" .. dir:at "state")
    contains(report, ("runs can be written to %s (mode 700)"):format(dir:at "state"))
    assert.equal("state\nstate/file\n", (dir:sh "find state | sort"))
  end)

  it("warns without rg and curl, and names what does not work then", function()
    dir:sh "ln -s $(command -v sh) bin/sh && ln -s $(command -v timeout) bin/timeout"
    local report = report_of("", "PATH=" .. dir:at "bin")
    assert.equal(0, count(report, "ERROR"), report)
    assert.equal(2, count(report, "WARNING"), report)
    contains(report, "WARNING rg is not on the PATH: search_files and find_files do not work")
    contains(report, "WARNING curl is not on the PATH: web_fetch does not work")
    contains(report, "- ADVICE:\n- install ripgrep")
  end)

  it("tells an rg that does not run", function()
    dir:sh "printf '#!/bin/sh\\nexit 3\\n' > bin/rg && chmod +x bin/rg"
    contains(
      report_of("", "PATH=" .. dir:at "bin:$PATH"),
      ("WARNING %s does not run (exit code 3)"):format(dir:at "bin/rg")
    )
  end)

  it("finds no program in a folder of the PATH that is relative", function()
    dir:sh "ln -s $(command -v timeout) bin/timeout && printf '#!/bin/sh\\ntouch ran\\n' > bin/rg && chmod +x bin/rg"
    contains(report_of("", "PATH=bin"), "WARNING rg is not on the PATH")
    assert.is_nil(dir:read "ran")
  end)

  it("has an error without sh", function()
    dir:sh "ln -s $(command -v timeout) bin/timeout"
    local report = report_of("", "PATH=" .. dir:at "bin")
    assert.equal(1, count(report, "ERROR"), report)
    contains(report, "ERROR sh is not on the PATH: run_command does not work")
  end)

  it("has an error where no run can be written", function()
    dir:write("file", "")
    local report = report_of("", "ABRIDGE_STATE_DIR=" .. dir:at "file/state")
    assert.equal(1, count(report, "ERROR"), report)
    contains(report, ("ERROR no full output can be kept in %s: "):format(dir:at "file/state"))
    contains(report, "give ABRIDGE_STATE_DIR")
  end)

  it("warns of a state directory that others may write to", function()
    dir:sh "mkdir state && chmod 777 state"
    local report = report_of("", "ABRIDGE_STATE_DIR=" .. dir:at "state")
    assert.equal(0, count(report, "ERROR"), report)
    contains(report, ("WARNING others may write to %s"):format(dir:at "state"))
  end)

  it("reports the error of a core that is missing, and looks at the rest", function()
    local hidden = "package.cpath = '/nowhere/?.so'\n"
    local report = report_of(hidden)
    local said =
      nvim(hidden .. "io.stdout:write(select(2, pcall(require, 'abridge.base.core_loader')))\nvim.cmd 'qall!'")
    assert.equal(1, count(report, "ERROR"), report)
    contains(report, "ERROR " .. said:match "^(.-):?\n")
    contains(report, "- ADVICE:\n- ")
    contains(report, "- not looked at: that wants the core")
    contains(report, "OK rg: ")
  end)

  it("reports the error of a core that cannot be loaded", function()
    dir:sh "mkdir -p rtp/lua/abridge && echo 'no library' > rtp/lua/abridge/core.so"
    local report = report_of ""
    assert.equal(1, count(report, "ERROR"), report)
    assert.matches("ERROR [^\n]*core%.so", report)
  end)

  for release, prefix in pairs { ["0.8"] = "report_", ["0.10"] = "" } do
    it("reports through what Neovim " .. release .. " has for it", function()
      dir:sh "ln -s $(command -v sh) bin/sh && ln -s $(command -v timeout) bin/timeout"
      local report = nvim(("local PREFIX = %q\n"):format(prefix) .. STAND_IN, "PATH=" .. dir:at "bin")
      contains(report, "start\tabridge: Core\t\n")
      contains(report, "ok\tJSON: vim.json\t\n")
      assert.matches("\nwarn\trg is not on the PATH[^\t]*\tinstall ripgrep[^\n]*\n", report)
    end)
  end

  it("does nothing when its module is loaded", function()
    local new = nvim(QUIET)
    assert.matches("abridge%.health", new)
    for name in new:gmatch "[^\n]+" do
      assert.matches("^abridge%.", name)
      assert.not_equal("abridge.core", name)
    end
  end)
end)
