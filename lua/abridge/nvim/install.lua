--- `:Abridge install`: the core for Neovim where there is no compiler, from the release page or from a file.
---
--- It goes where `make nvim` puts it. The core that was there stays until the new one has been fetched whole, agrees
--- with the release's checksum, and can be loaded by this Neovim. Nothing here needs a core.

local host = require "abridge.base.host"
local repository = require "abridge.base.repository"
local own_folder = require "abridge.base.own_folder"
local process = require "abridge.process"
local version = require "abridge.base.version"

local M = {}

--- The folder of this version's archives and their SHA256SUMS.
---@type string
M.release = repository .. "/releases/download/v" .. version

--- Where releases are instead, each in a folder `vVERSION`: a mirror, or a fork. It goes before ABRIDGE_RELEASES.
---@type string|nil
M.releases = nil

--- Seconds after which a server that sends nothing is given up.
M.silence = 30

local SUMS = "SHA256SUMS"
local MACHINES = { x86_64 = "x86_64", aarch64 = "aarch64", arm64 = "aarch64" }
local PATIENCE, CONNECT = 900, 20 -- seconds for an archive of a MB, and for the server to answer

local function fail(...)
  error(string.format(...), 0)
end

--- The archive for Neovim on this machine; raises if there is none.
---@param system { sysname: string, machine: string } of libuv's `os_uname`
---@param maps string what this process has mapped, of /proc/self/maps
---@return string
function M.archive(system, maps)
  local machine = system.sysname == "Linux" and MACHINES[system.machine]
  if not machine then fail("there is no built core for %s on %s", system.sysname, system.machine) end
  if maps:find "/ld%-musl%-" or maps:find "/libc%.musl%-" then
    fail "there is no built core for musl, which is the C library here: the built ones need glibc 2.17 or later"
  end
  return ("abridge-%s-nvim-linux-%s"):format(version, machine)
end

local function read(path)
  local file, message = io.open(path, "rb")
  if not file then fail("cannot read %s", message) end
  local text = file:read "*a"
  file:close()
  if not text then fail("cannot read %s", path) end -- a folder
  return text
end

--- Run a program to its end, while the editor goes on; what it printed. Raises if it fails.
---@param argv string[]
---@param purpose string
---@return string
local function run(argv, purpose)
  local said = ""
  local child, message, code = process.spawn(argv, { timeout = PATIENCE }, {
    on_output = function(chunk)
      said = said .. chunk
    end,
  })
  if not child then fail("cannot %s: %s", purpose, code == "ENOENT" and argv[1] .. " is not on the PATH" or message) end
  local function is_over()
    return child.outcome ~= nil
  end
  if not host.wait(is_over) then
    child:cancel()
    host.wait(is_over)
    fail("cannot %s: interrupted", purpose)
  end
  if child.outcome.code ~= 0 then
    local why = child.outcome.timed_out and "timed out" or said:gsub("^curl: %(%d+%) ", ""):match "^[^\n]+"
    fail("cannot %s: %s", purpose, why or argv[1] .. " failed")
  end
  return said
end

--- The folder to fetch from.
local function release()
  local releases = M.releases or os.getenv "ABRIDGE_RELEASES" or ""
  return releases ~= "" and releases:gsub("/+$", "") .. "/v" .. version or M.release
end

--- What is wrong with an address of releases, or nil.
---@param value any
---@return string|nil
function M.check_url(value)
  if type(value) ~= "string" or not value:find "^%a+://[^%s]+$" then return "a URL such as https://host/folder" end
end

--- Fetch a file of the release into a folder. Raises if less than all of it came.
local function fetch(name, folder)
  local url, scheme = release() .. "/" .. name, release():match "^%a+"
  local argv = { "curl", "-q", "--fail", "--location", "--silent", "--show-error", "--proto", "=" .. scheme }
  local silence = { "--speed-limit", "1", "--speed-time", tostring(M.silence) } -- bytes a second
  for _, word in ipairs(silence) do
    argv[#argv + 1] = word
  end
  for _, word in ipairs { "--connect-timeout", tostring(CONNECT), "--output", folder .. "/" .. name, "--", url } do
    argv[#argv + 1] = word
  end
  run(argv, "get " .. url)
end

--- Does an archive agree with the list of checksums beside it? Raises if not.
local function check_sum(folder, name)
  local wanted
  for line in read(folder .. "/" .. SUMS):gmatch "[^\r\n]+" do
    local sum, listed = line:match "^(%x+) [ *](.+)$"
    if listed == name then wanted = sum:lower() end
  end
  if not wanted then fail("%s does not list %s", SUMS, name) end
  local path = folder .. "/" .. name
  local sum = run({ "sha256sum", "--", path }, "check " .. path):match "^\\?(%x+)"
  if sum ~= wanted then fail("%s is damaged: its SHA-256 checksum is %s, %s says %s", name, sum, SUMS, wanted) end
end

--- The folder with an archive of that name and the checksums of its release.
local function folder_of(file, name)
  if file:sub(1, 1) ~= "/" then file = "./" .. file end -- no option, nor a host's name to tar
  local folder = file:match "^(.*)/"
  if file:match "[^/]*$" ~= name then fail("%s is not %s, the archive of this version for this machine", file, name) end
  read(file)
  if not host.uv().fs_stat(folder .. "/" .. SUMS) then fail("%s must lie beside %s, to check it", SUMS, file) end
  return folder
end

--- Put a core in its place in one step. Raises if that fails.
local function place(core, target)
  local new = target .. ".new"
  local ok, message = host.uv().fs_copyfile(core, new)
  if ok then
    ok, message = host.uv().fs_rename(new, target)
  end
  if not ok then
    host.uv().fs_unlink(new)
    fail("cannot write %s: %s", target, message)
  end
end

--- Install with files of the work in a folder of their own; the path of the core.
local function install(file, home, work)
  local maps = io.open "/proc/self/maps"
  local stem = M.archive(host.uv().os_uname(), maps and maps:read "*a" or "")
  if maps then maps:close() end
  local name, folder = stem .. ".tar.gz", work
  if file then
    folder = folder_of(file, name)
  else
    fetch(SUMS, folder)
    fetch(name, folder)
  end
  check_sum(folder, name)
  local member = stem .. "/lua/abridge/core.so"
  run({ "tar", "-xzf", folder .. "/" .. name, "-C", work, member }, "unpack " .. name)
  local core = work .. "/" .. member
  local loads, why = package.loadlib(core, "luaopen_abridge_core")
  if not loads then fail("the core of %s does not load here: %s", name, (tostring(why):gsub("%s+", " "))) end
  local target = home .. "/lua/abridge/core.so"
  place(core, target)
  return target
end

--- Install the core of this version. Returns its path; raises what went wrong, with everything as it was before.
---@param file? string an archive that was fetched by other means, SHA256SUMS beside it; from the release page if nil
---@return string
function M.install(file)
  local home, has_sources = own_folder.find()
  if not home then fail "this is an installed rock, which brings its core along: `:Rocks install abridge`" end
  local work = vim.fn.tempname()
  vim.fn.mkdir(work, "p", 448) -- 0700
  local ok, result = pcall(install, file, home, work)
  vim.fn.delete(work, "rf")
  if ok then return result end
  local other = has_sources and ("; with a C compiler, `make nvim` in %s builds one"):format(home) or ""
  fail("nothing was installed: %s%s", result, other)
end

--- `:Abridge install [FILE]`
---@param file? string
function M.command(file)
  vim.notify(("abridge: installing the core of %s"):format(version))
  vim.cmd "redraw"
  local target = M.install(file)
  local restart = package.loaded["abridge.core"] and "; restart Neovim to use it" or ""
  vim.notify("abridge: installed " .. vim.fn.fnamemodify(target, ":~") .. restart)
end

return M
