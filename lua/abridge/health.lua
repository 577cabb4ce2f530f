--- `:checkhealth abridge`: is everything that abridge needs there, and what does not work without it?
---
--- Nothing here needs the core, which is the first thing to be checked.

local host = require "abridge.base.host"
local system = require "abridge.base.system"
local process = require "abridge.process"
local programs = require "abridge.process.programs"

local M = {}

local vim = rawget(_G, "vim")

local OLDEST = { 0, 7, 0 } -- Neovim
local LITTLE_SPACE = 100 * 1024 * 1024 -- bytes
local PATIENCE = 5 -- seconds for a program to say its version
local PROBE = "health-check" -- no name of a run, so that a session that prunes runs leaves it alone

-- findings ------------------------------------------------------------------------------

---@class (exact) abridge.health.Finding
---@field level "ok"|"info"|"warn"|"error"
---@field text string
---@field advice? string[] what to do

---@class (exact) abridge.health.Section
---@field title string
---@field findings abridge.health.Finding[]

local function finding(level, text, advice)
  return { level = level, text = text, advice = type(advice) == "string" and { advice } or advice }
end

local function numbers(version)
  return ("%d.%d.%d"):format(version[1], version[2], version[3])
end

---@param version integer[] major, minor, patch
---@return abridge.health.Finding[]
---@private
function M.neovim(version)
  local said = "Neovim " .. numbers(version)
  for i = 1, 3 do
    if version[i] > OLDEST[i] then break end
    if version[i] < OLDEST[i] then
      return { finding("error", said .. " is too old", ("use Neovim %s or later"):format(numbers(OLDEST))) }
    end
  end
  return { finding("ok", said) }
end

--- The core and the Lua files, each of which says what is wrong with the other.
---@param core { error: string|nil, path: string|nil, version: string|nil, lua_version: string|nil }
---@return abridge.health.Finding[]
---@private
function M.core(core)
  if core.error then
    local lines = {}
    for line in core.error:gmatch "[^\n]+" do
      lines[#lines + 1] = line:match "^%s*(.-):?%s*$"
    end
    return { finding("error", table.remove(lines, 1) or "abridge cannot be loaded", lines) }
  end
  return {
    finding("ok", "core: " .. (core.path or "loaded")),
    finding("ok", ("version %s, as its Lua files; built for Lua %s"):format(core.version, core.lua_version or "?")),
  }
end

---@param uv { error: string|nil, name: string|nil, version: string|nil, has_pipes: boolean|nil }
---@param json { error: string|nil, name: string|nil }
---@return abridge.health.Finding[]
---@private
function M.libraries(uv, json)
  local findings = {}
  if uv.error then
    findings[1] = finding("error", uv.error)
  elseif not uv.has_pipes then
    local said = "luv is too old (%s, libuv %s): run_command, search_files, find_files and web_fetch do not work"
    findings[1] = finding("error", said:format(uv.name, uv.version), "luv 1.41 or newer is needed; Neovim 0.7 has it")
  else
    findings[1] = finding("ok", ("luv: %s, libuv %s"):format(uv.name, uv.version))
  end
  findings[2] = json.error and finding("error", json.error) or finding("ok", "JSON: " .. json.name)
  return findings
end

--- The programs that tools start, and what to install.
local PROGRAMS = {
  { name = "sh", level = "error", tools = "run_command does" },
  {
    name = "rg",
    level = "warn",
    tools = "search_files and find_files do",
    advice = "install ripgrep: `apt install ripgrep`, `brew install ripgrep`, or your system's package",
  },
  {
    name = "curl",
    level = "warn",
    tools = "web_fetch does",
    advice = "install curl: `apt install curl`, `brew install curl`, or your system's package",
  },
}

---@param found table<string, { path: string, version: string|nil, error: string|nil }> by name; absent: not on the PATH
---@return abridge.health.Finding[]
---@private
function M.programs(found)
  local findings = {}
  for i, program in ipairs(PROGRAMS) do
    local it = found[program.name]
    if not it then
      local said = ("%s is not on the PATH: %s not work"):format(program.name, program.tools)
      findings[i] = finding(program.level, said, program.advice)
    elseif it.error then
      local said = ("%s does not run (%s): %s not work"):format(it.path, it.error, program.tools)
      findings[i] = finding(program.level, said, program.advice)
    else
      findings[i] = finding("ok", ("%s: %s%s"):format(program.name, it.path, it.version and ", " .. it.version or ""))
    end
  end
  return findings
end

local function has_bit(mode, bit)
  return math.floor(mode / bit) % 2 == 1
end

local GROUP_WRITES, OTHERS_WRITE, STICKY = 16, 2, 512

--- May others than its owner remove files from a folder?
local function is_open(folder)
  local written = has_bit(folder.mode, GROUP_WRITES) or has_bit(folder.mode, OTHERS_WRITE)
  return written and not has_bit(folder.mode, STICKY)
end

---@class (exact) abridge.health.RunFolder
---@field path string the state directory
---@field error? string why nothing can be written there
---@field folder? { mode: integer, owner: integer } the state directory, if it existed before
---@field user integer
---@field left string[] folders made for the test that could not be removed
---@field free? integer bytes

--- The folder in which sessions make their runs.
---@param runs abridge.health.RunFolder
---@param size_of fun(bytes: integer): string
---@return abridge.health.Finding[]
---@private
function M.run_folder(runs, size_of)
  local findings = {}
  local function add(...)
    findings[#findings + 1] = finding(...)
  end
  local own = "give ABRIDGE_STATE_DIR, or the session's run_dir, a folder of your own"
  if runs.error then
    add("error", ("no full output can be kept in %s: %s"):format(runs.path, runs.error), own)
  elseif runs.folder then
    add("ok", ("runs can be written to %s (mode %03o)"):format(runs.path, runs.folder.mode % 512))
  else
    add("ok", ("runs can be written to %s, which is not there yet"):format(runs.path))
  end
  if runs.folder and runs.folder.owner ~= runs.user then
    local said = "%s belongs to the user with id %d: runs in it may be taken away"
    add("warn", said:format(runs.path, runs.folder.owner), own)
  elseif runs.folder and is_open(runs.folder) then
    add("warn", ("others may write to %s: runs in it may be taken away"):format(runs.path), "run `chmod 700` on it")
  end
  for _, path in ipairs(runs.left) do
    add("warn", "made to try it, and not removed: " .. path)
  end
  if runs.free then
    local little = runs.free < LITTLE_SPACE
    add(little and "warn" or "ok", ("%s free there%s"):format(size_of(runs.free), little and ", which is little" or ""))
  end
  return findings
end

-- facts ---------------------------------------------------------------------------------

--- The file that the core was loaded from, as Lua 5.1 and LuaJIT remember it; where it would be found, else.
local function core_path()
  for key in pairs(debug.getregistry()) do
    local path = type(key) == "string" and key:match "^LOADLIB: (.*abridge[/\\]core%.%w+)$"
    if path then return path end
  end
  local search = rawget(package, "searchpath")
  return search and search("abridge.core", package.cpath) or nil
end

local function core_facts()
  local ok, core = pcall(require, "abridge.base.core_loader")
  if not ok then return { error = tostring(core) } end
  return { path = core_path(), version = core.version, lua_version = core.lua_version }
end

local function library_facts()
  local uv, uv_error = host.uv()
  local json, json_error = host.json()
  local works = json and pcall(function()
    assert(json.decode(json.encode { 1 })[1] == 1)
  end)
  if json and not works then json_error = "JSON does not work: what was encoded is not decoded" end
  return {
    error = uv_error,
    name = uv and (uv == rawget(vim, "uv") and "vim.uv" or "vim.loop"),
    version = uv and uv.version_string(),
    has_pipes = uv and uv.pipe ~= nil,
  }, { error = json_error, name = "vim.json" }
end

--- Start programs side by side and wait for their output.
---@param asked table<string, string[]> arguments by name
---@return table<string, { path: string, version: string|nil, error: string|nil }>
local function program_facts(asked)
  local found, waiting = {}, 0
  for name, arguments in pairs(asked) do
    local path = programs.find(name)
    local it, said = { path = path }, ""
    if path then
      found[name], waiting = it, waiting + 1
      local child, why = process.spawn({ path, (table.unpack or unpack)(arguments) }, { timeout = PATIENCE }, {
        on_output = function(chunk)
          said = said .. chunk
        end,
        on_exit = function(outcome)
          it.version = said:match "%d+%.[%w.]+"
          if outcome.timed_out then
            it.error = ("no answer in %d seconds"):format(PATIENCE)
          elseif outcome.code ~= 0 then
            it.error = outcome.signal and "signal " .. outcome.signal or ("exit code %s"):format(outcome.code)
          end
          waiting = waiting - 1
        end,
      })
      if not child then
        it.error, waiting = why, waiting - 1
      end
    end
  end
  host.wait(function()
    return waiting == 0
  end, 2 * PATIENCE)
  return found
end

--- The missing folders on the way to a path, the path first, and the folder that the last of them would be in.
local function missing_folders(uv, path)
  local missing = {}
  while path ~= "/" and not uv.fs_lstat(path) do
    missing[#missing + 1] = path
    path = path:match "^(.+)/[^/]*$" or "/"
  end
  return missing, path
end

--- Write a file in a folder made as sessions make theirs, and remove both.
---@return string|nil message
local function try_folder(uv, dir)
  local made, message = require("abridge.base.core_loader").private_folder(dir)
  if not made then return message end
  local path = dir .. "/file"
  local fd
  fd, message = uv.fs_open(path, "wx", 384) -- 0600
  if fd then
    local written
    written, message = uv.fs_write(fd, "abridge\n", 0)
    uv.fs_close(fd)
    uv.fs_unlink(path)
    if written then message = nil end
  end
  return message
end

--- The facts about the state directory, found by making a folder in it as for a run. Nothing new is left there.
---@return abridge.health.RunFolder
local function run_folder_facts()
  local uv = host.uv()
  local path = require("abridge.run.folder").state_dir()
  local stat = uv.fs_stat(path)
  local probe = ("%s/%s-%d"):format(path, PROBE, uv.os_getpid())
  local missing, nearest = missing_folders(uv, probe)
  local space = uv.fs_statfs and uv.fs_statfs(nearest)
  local runs = { path = path, user = uv.getuid(), left = {} }
  runs.free = space and space.bavail * space.bsize
  runs.folder = stat and { mode = stat.mode, owner = stat.uid }
  runs.error = try_folder(uv, probe)
  for _, dir in ipairs(missing) do
    if not uv.fs_rmdir(dir) and uv.fs_lstat(dir) then runs.left[#runs.left + 1] = dir end
  end
  return runs
end

-- the report ----------------------------------------------------------------------------

--- All findings, in the order of the report. Starts programs and waits for them; needs Neovim.
---@return abridge.health.Section[]
---@private
function M.sections()
  local version = vim.version()
  local core = core_facts()
  local sections = {
    { title = "Neovim", findings = M.neovim { version.major, version.minor, version.patch } },
    { title = "Core", findings = M.core(core) },
    { title = "Libraries", findings = M.libraries(library_facts()) },
  }
  if system.is_windows() then
    local said = "commands, searches, logs and full outputs are " .. system.UNSUPPORTED
    sections[#sections + 1] = { title = "Windows", findings = { finding("info", said) } }
    return sections
  end
  local asked = { sh = { "-c", ":" }, rg = { "--version" }, curl = { "--version" } }
  sections[#sections + 1] = { title = "Programs", findings = M.programs(program_facts(asked)) }
  local runs = { title = "Run folder" }
  if core.error then
    runs.findings = { finding("info", "not looked at: that wants the core") }
  else
    runs.findings = M.run_folder(run_folder_facts(), require("abridge").format_size)
  end
  sections[#sections + 1] = runs
  return sections
end

--- Neovim's functions for reports, by level: those of 0.10, 0.8 and 0.7.
local function reporter()
  local health = vim.health or require "health"
  local by_level = { start = health.start or health.report_start }
  for _, level in ipairs { "ok", "info", "warn", "error" } do
    by_level[level] = health[level] or health["report_" .. level]
  end
  return by_level
end

--- Called by `:checkhealth abridge`.
function M.check()
  local report = reporter()
  for _, section in ipairs(M.sections()) do
    report.start("abridge: " .. section.title)
    for _, it in ipairs(section.findings) do
      if it.advice and #it.advice > 0 then
        report[it.level](it.text, it.advice)
      else
        report[it.level](it.text)
      end
    end
  end
end

return M
