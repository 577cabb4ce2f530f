--- Ignore files that no search should read: a FIFO blocks ripgrep, a device or a huge file takes all its memory. Those
--- in a folder and above it are checked before a search, those below it when one has died or stalled.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local process = require "abridge.process"
local programs = require "abridge.process.programs"

local M = {}

local NAMES = { ".ignore", ".rgignore", ".gitignore", ".git/info/exclude" }
local MOST = 16 * 1024 * 1024 -- bytes of one; nobody writes longer ones
local MOST_NAMED = 64 * 1024 -- bytes of names that are looked at
local SECONDS = 2 -- to look for them

local KINDS = { fifo = "a FIFO", char = "a device", block = "a device" }

--- The problem with an ignore file; nil if there is none, or no such file.
local function fault(path)
  local stat = host.uv().fs_stat(path)
  if not stat or stat.type == "directory" then return nil end
  if stat.type ~= "file" then return KINDS[stat.type] or "a " .. stat.type end
  return stat.size > MOST and core.format_size(stat.size) or nil
end

---@class (exact) abridge.IgnoreFault
---@field path string
---@field what string its type, or its size

--- The first of some paths with a fault.
local function first(dir, names)
  for _, name in ipairs(names) do
    local path = dir .. "/" .. name
    local what = fault(path)
    if what then return { path = path, what = what } end
  end
end

--- Check a folder, which ripgrep reads first.
---@param dir string
---@return abridge.IgnoreFault|nil
function M.inside(dir)
  return first(dir, NAMES)
end

--- Check the folders above one: ripgrep opens their ignore files under any flags.
---@param dir string
---@return abridge.IgnoreFault|nil
function M.above(dir)
  local at = host.uv().fs_realpath(dir) or files.absolute(dir)
  local found
  while at ~= "" and not found do
    at = at:match "^(.*)/[^/]*$" or ""
    found = first(at, NAMES)
  end
  return found
end

--- Arguments for `find`: ignore files that are not plain files, or are big.
local function arguments()
  local list = { ".", "(" }
  for i, name in ipairs(NAMES) do
    list[#list + 1] = i > 1 and "-o" or nil
    list[#list + 1] = name:find("/", 1, true) and "-path" or "-name"
    list[#list + 1] = name:find("/", 1, true) and "*/" .. name or name
  end
  for _, word in ipairs { ")", "(", "!", "-type", "f", "-o", "-size", ("+%d"):format(MOST / 512), ")", "-print0" } do
    list[#list + 1] = word
  end
  return list
end

--- Look for such a file below a folder.
---@param dir string
---@param done fun(found: abridge.IgnoreFault|nil)
---@return fun()|nil cancel
function M.find(dir, done)
  local program = programs.find "find"
  if not program then return done(nil) end
  local argv, parts, size = { program }, {}, 0
  for _, argument in ipairs(arguments()) do
    argv[#argv + 1] = argument
  end
  local child = process.spawn(argv, { cwd = dir, timeout = SECONDS, merge_stderr = false }, {
    on_output = function(chunk)
      if size < MOST_NAMED then parts[#parts + 1] = chunk end
      size = size + #chunk
    end,
    on_exit = function()
      local names = {}
      for name in table.concat(parts):gmatch "%./([^%z]*)%z" do
        names[#names + 1] = name
      end
      done(first(dir, names))
    end,
  })
  if not child then return done(nil) end
  return function()
    child:cancel()
  end
end

return M
