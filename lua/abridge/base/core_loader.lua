--- The core, or one error that says what to run. This module is the core; nothing else is added to it.
---
--- The Lua files and the core reach a machine by different ways: the files are copied, the core is compiled there or
--- installed, for one Lua. An update without a new core, a core for another Lua, or none at all, would otherwise show
--- as a list of searched folders, as the name of some symbol, or as a call of nil much later.
---
--- Raises a message of two lines: the fault, and the command to run. Requiring it again after that works.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local system = require "abridge.base.system"
local version = require "abridge.base.version"

local vim = rawget(_G, "vim")

local MAX_REASON = 300 -- bytes; a dynamic linker's message is mostly one path and one symbol

local function lua_version()
  return _VERSION:match "%d+%.%d+"
end

--- The command to run on Windows, where cores are not built.
local function remedy_on_windows(state)
  if not host.in_nvim then
    local archive = "abridge-%s-lua%s-windows-x86_64.zip"
    return ("unpack %s of the release beside the program that runs Lua"):format(archive:format(version, lua_version()))
  end
  return "run `:Abridge install`" .. (state == "loaded" and ", then restart Neovim" or "")
end

--- The command to run.
---@param state "missing"|"unloadable"|"loaded" of the core; a process keeps one that it loaded until it ends
---@return string
local function remedy(state)
  if system.is_windows() then return remedy_on_windows(state) end
  local dir, has_sources = require("abridge.base.own_folder").find()
  local rock = ("`luarocks --lua-version %s install abridge`"):format(lua_version())
  local make = state == "missing" and "make" or "make -B" -- by its date, the core there may be as new as its sources
  if not host.in_nvim then
    local build = "run `%s` in %s and put %s/build/%s/?.so first in LUA_CPATH, or run %s"
    return has_sources and build:format(make, dir, dir, lua_version(), rock) or "run " .. rock
  end
  local run = "run " .. rock .. " (rocks.nvim: `:Rocks install abridge`)"
  if dir then run = "run `:Abridge install`" end
  if has_sources then run = run .. (", or `%s nvim` in %s"):format(make, dir) end
  if dir and state == "missing" then run = run .. ' (lazy.nvim: build = ":Abridge install")' end
  return run .. (state == "loaded" and ", then restart Neovim" or "")
end

--- The file in which this Lua finds the core.
local function path()
  local ok, found = pcall(function()
    local name = "lua/abridge/" .. system.core_name()
    local file = host.in_nvim and vim.api.nvim_get_runtime_file(name, false)[1]
    return file or rawget(package, "searchpath")("abridge.core", package.cpath)
  end)
  return ok and found or "abridge/" .. system.core_name()
end

--- Why a core that is there was not loaded, from the message of `require`.
---@param message string
---@return string
local function reason(message)
  local text = check.reason((message:gsub("^error loading module[^\n]*\n%s*", ""))):sub(1, MAX_REASON)
  return text:find "symbol.*lua" and text .. "; it was built for another Lua than " .. lua_version() or text
end

local MARKS = { userdata = true, number = true } -- the kinds of value that Lua 5.1 and LuaJIT use

--- Lua 5.1 and LuaJIT mark a module whose loading failed, and refuse it from then on, even after a build.
local function forget_marks()
  for name, module in pairs(package.loaded) do
    local ours = type(name) == "string" and (name == "abridge" or name:find "^abridge%.")
    if ours and MARKS[type(module)] then package.loaded[name] = nil end
  end
end

---@param state "missing"|"unloadable"|"loaded"
---@param what string
local function fail(state, what, ...)
  forget_marks()
  error(("abridge: its core %s:\n%s"):format(what:format(...), remedy(state)), 0)
end

local found, core = pcall(require, "abridge.core")
if not found then
  local message = tostring(core)
  if message:find("module 'abridge.core' not found", 1, true) then fail("missing", "(%s) is missing", path()) end
  fail("unloadable", "cannot be loaded (%s)", reason(message))
end

-- Between two releases the version stays the same, but the core gets new functions.
setmetatable(core, {
  __index = function(_, name)
    fail("loaded", "(%s) is older than its Lua files: it has no %s", path(), tostring(name))
  end,
})

if core.version ~= version then
  fail("loaded", "(%s) is of version %s, its Lua files are of %s", path(), core.version, version)
elseif core.lua_version ~= lua_version() then
  fail("loaded", "(%s) was built for Lua %s, this is Lua %s", path(), core.lua_version, lua_version())
end

---@cast core abridge.Core
return core
