--- `:Abridge install`: the core for Neovim without a compiler, from the release page or from a file.
---
--- It takes the place of one built by `make nvim`. The old core stays until the new one has been fetched whole, agrees
--- with the release's checksum, and can be loaded by this Neovim. Nothing here needs a core.

local host = require "abridge.base.host"
local own_folder = require "abridge.base.own_folder"
local repository = require "abridge.base.repository"
local system = require "abridge.base.system"
local version = require "abridge.base.version"

local M = {}

--- The folder of this version's archives and their SHA256SUMS.
---@type string
M.release = repository .. "/releases/download/v" .. version

--- Another place for releases, each in a folder `vVERSION`: a mirror, or a fork. It goes before ABRIDGE_RELEASES.
---@type string|nil
M.releases = nil

--- Seconds after which a server that sends nothing is given up.
M.silence = 30

local SUMS, SHA256_DIGITS = "SHA256SUMS", 64
-- The names of the machines that cores are built for, as libuv has them, and on Windows LuaJIT.
local MACHINES = {
  Linux = { x86_64 = "x86_64", aarch64 = "aarch64", arm64 = "aarch64" },
  Windows = { x64 = "x86_64" },
}
local TIMED_OUT, INTERRUPTED = -1, -2 -- in place of an exit code, from jobwait
local PATIENCE, CONNECT = 900, 20 -- seconds for an archive of a MB, and for the server to answer

local function fail(...)
  error(string.format(...), 0)
end

--- The system and the machine that a core must be for.
---@return { sysname: string, machine: string }
local function this_system()
  if system.is_windows() then return { sysname = "Windows", machine = jit.arch } end
  return host.uv().os_uname()
end

--- The archive for Neovim on a system, without its ending; raises if there is none.
---@param on { sysname: string, machine: string }
---@param maps string this process's /proc/self/maps
---@return string
function M.archive(on, maps)
  local machine = (MACHINES[on.sysname] or {})[on.machine]
  if not machine then fail("there is no built core for %s on %s", on.sysname, on.machine) end
  if maps:find "/ld%-musl%-" or maps:find "/libc%.musl%-" then
    fail "there is no built core for musl, which is the C library here: the built ones need glibc 2.17 or later"
  end
  return ("abridge-%s-nvim-%s-%s"):format(version, on.sysname:lower(), machine)
end

local function read(path)
  local file, message = io.open(path, "rb")
  if not file then fail("cannot read %s", message) end
  local text = file:read "*a"
  file:close()
  if not text then fail("cannot read %s", path) end -- a folder
  return text
end

--- Run a program to its end, while the editor goes on; returns its output. Raises if it fails. It is a job of
--- Neovim's, which knows how on every system.
---@param argv string[]
---@param folder string its working folder, so that no program has to read a path
---@param purpose string
---@return string
local function run(argv, folder, purpose)
  local pieces = {}
  local function on_output(_, lines)
    pieces[#pieces + 1] = table.concat(lines, "\n")
  end
  if vim.fn.executable(argv[1]) == 0 then fail("cannot %s: %s is not on the PATH", purpose, argv[1]) end
  local job = vim.fn.jobstart(argv, { cwd = folder, on_stdout = on_output, on_stderr = on_output })
  local code = job > 0 and vim.fn.jobwait({ job }, PATIENCE * 1000)[1] or job
  if job > 0 and code < 0 then vim.fn.jobstop(job) end
  if code == INTERRUPTED then fail("cannot %s: interrupted", purpose) end
  local said = table.concat(pieces)
  if code ~= 0 then
    local why = code == TIMED_OUT and "timed out" or said:gsub("^curl: %(%d+%) ", ""):match "^[^\r\n]+"
    fail("cannot %s: %s", purpose, why or argv[1] .. " failed")
  end
  return said
end

--- The folder to fetch from.
local function release()
  local releases = M.releases or os.getenv "ABRIDGE_RELEASES" or ""
  return releases ~= "" and releases:gsub("/+$", "") .. "/v" .. version or M.release
end

--- The problem with an address of releases, or nil.
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
  for _, word in ipairs { "--connect-timeout", tostring(CONNECT), "--output", name, "--", url } do
    argv[#argv + 1] = word
  end
  run(argv, folder, "get " .. url)
end

--- The checksum that a tool printed: sha256sum before the name, certutil on a line of its own, once with blanks.
local function sum_in(said)
  for line in said:gmatch "[^\r\n]+" do
    local sum = line:match "^\\?(%x+) [ *]" or line:gsub(" ", ""):match "^%x+$"
    if sum and #sum == SHA256_DIGITS then return sum:lower() end
  end
end

--- Does an archive agree with the list of checksums beside it? Raises if not.
local function check_sum(folder, name)
  local wanted
  for line in read(folder .. "/" .. SUMS):gmatch "[^\r\n]+" do
    local sum, listed = line:match "^(%x+) [ *](.+)$"
    if listed == name then wanted = sum:lower() end
  end
  if not wanted then fail("%s does not list %s", SUMS, name) end
  local tool = system.is_windows() and { "certutil", "-hashfile", name, "SHA256" } or { "sha256sum", "--", name }
  local sum = sum_in(run(tool, folder, "check " .. folder .. "/" .. name))
  if sum ~= wanted then fail("%s is damaged: its SHA-256 checksum is %s, %s says %s", name, sum, SUMS, wanted) end
end

--- The folder with an archive of that name and the checksums of its release.
local function folder_of(file, name)
  if system.is_windows() then file = file:gsub("\\", "/") end
  local folder = file:match "^(.*)/" or "."
  if file:match "[^/]*$" ~= name then fail("%s is not %s, the archive of this version for this machine", file, name) end
  read(file)
  if not host.uv().fs_stat(folder .. "/" .. SUMS) then fail("%s must lie beside %s, to check it", SUMS, file) end
  return folder
end

--- Put a core in its place in one step. Raises if that fails. On Windows a core that is loaded cannot be replaced, but
--- renamed: it stays beside its place until the next time.
local function place(core, target)
  local uv, new, old = host.uv(), target .. ".new", target .. ".old"
  local moved
  local ok, message = uv.fs_copyfile(core, new)
  if ok and system.is_windows() then
    uv.fs_unlink(old)
    moved = uv.fs_rename(target, old)
  end
  if ok then
    ok, message = uv.fs_rename(new, target)
  end
  if ok then
    if moved then uv.fs_unlink(old) end
    return
  end
  uv.fs_unlink(new)
  if moved then uv.fs_rename(old, target) end
  fail("cannot write %s: %s", target, message)
end

--- Install with files of the work in a folder of their own; the path of the core.
local function install(file, home, work)
  local maps = io.open "/proc/self/maps"
  local stem = M.archive(this_system(), maps and maps:read "*a" or "")
  if maps then maps:close() end
  local name, folder = stem .. ".tar.gz", work
  if file then
    folder = folder_of(file, name)
  else
    fetch(SUMS, folder)
    fetch(name, folder)
  end
  check_sum(folder, name)
  local path = "/lua/abridge/" .. system.core_name()
  local member = stem .. path
  run({ "tar", "-xzf", "./" .. name, "-C", work, member }, folder, "unpack " .. name)
  local core = work .. "/" .. member
  local loads, why = package.loadlib(core, "luaopen_abridge_core")
  if not loads then fail("the core of %s does not load here: %s", name, (tostring(why):gsub("%s+", " "))) end
  local target = home .. path
  place(core, target)
  return target
end

--- Install the core of this version. Returns its path; raises if that fails, with everything as it was before.
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
  local can_build = has_sources and not system.is_windows()
  local other = can_build and ("; with a C compiler, `make nvim` in %s builds one"):format(home) or ""
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
