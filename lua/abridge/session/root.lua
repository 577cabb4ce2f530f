--- The session's root: a folder that no path given to a tool may leave.
---
--- A path is followed here link by link, as the kernel would, until neither links nor `..` are left. That path is
--- checked and handed out, so that what was checked is what is opened, and a link in the given path may change
--- meanwhile without harm. Not guaranteed, as nothing short of openat2(2) could: that no part of the resolved path
--- becomes a link between the check and the use. Hard links and mounts count as being where they are. Commands are not
--- confined.

local check = require "abridge.base.check"
local files = require "abridge.base.files"
local host = require "abridge.base.host"

local M = {}

local MOST_LINKS = 40 -- of one path; what Linux follows
local MOST_BYTES = 16384 -- of one path; four times what Linux takes

---@class abridge.Root
---@field dir string the folder, without links; "/" alone ends in a slash
local Root = {}
Root.__index = Root
Root.__name = "abridge.Root"

--- Errors of readlink for what is no link, does not exist, or cannot be looked at: an open with this path would follow
--- no link from there on.
local NO_LINK = { EINVAL = true, ENOENT = true, ENOTDIR = true, EACCES = true, ENAMETOOLONG = true }

--- Put the parts of a path on a stack, the first on top.
local function push_parts(stack, path)
  local parts = {}
  for part in path:gmatch "[^/]+" do
    parts[#parts + 1] = part
  end
  for i = #parts, 1, -1 do
    stack[#stack + 1] = parts[i]
  end
end

local function parent_of(path)
  return path:match "^(.*)/[^/]*$" or ""
end

--- An absolute path without links. Parts that do not exist are taken for folders; a link to a missing target resolves
--- to that target.
---@param path string
---@return string|nil real nil when that cannot be known: too many links, or an error of the file system
local function resolved(path)
  local uv = host.uv()
  local real, links, stack = "", 0, {}
  push_parts(stack, path)
  while #stack > 0 do
    local part = table.remove(stack)
    if part == ".." then
      real = parent_of(real)
    elseif part ~= "." then
      local target, _, code = uv.fs_readlink(real .. "/" .. part)
      if target then
        links = links + 1
        if links > MOST_LINKS then return nil end
        if target:sub(1, 1) == "/" then real = "" end
        push_parts(stack, target)
      elseif NO_LINK[code] then
        real = real .. "/" .. part
      else
        return nil
      end
    end
  end
  return real == "" and "/" or real
end

--- Is a path without links the folder or in it?
local function is_inside(path, dir)
  return dir == "/" or path == dir or path:sub(1, #dir + 1) == dir .. "/"
end

--- Check a root at the creation of a session. Raises at the level of the caller's caller when it is no folder.
---@param who string
---@param dir string
---@return abridge.Root|nil root
---@return string|nil message luv is missing
---@return string|nil code
function M.new(who, dir)
  local uv, message, code = host.uv()
  if not uv then return nil, message, code end
  local real, why
  if not dir:find("\0", 1, true) then
    real, why = uv.fs_realpath(dir)
  end
  local stat = real and uv.fs_stat(real)
  if not stat then
    local reason = why and tostring(why):match "^(%u+):" or "ENOENT"
    check.fail(("%s: root must be a folder that exists, got %s (%s)"):format(who, check.show(dir), reason), 1)
  elseif stat.type ~= "directory" then
    check.fail(("%s: root must be a folder, got %s (a %s)"):format(who, check.show(dir), stat.type), 1)
  end
  return setmetatable({ dir = real }, Root)
end

--- A path with neither links nor `..`, if it lies in the root or in the run's folder, whether or not it exists yet.
--- Cost: a system call for each part of the path and of its links.
---@param path string as a tool was given it
---@param cwd string where relative paths start
---@param run_dir? string the session's own run folder, which may not exist yet
---@return string|nil real nil: it is outside
function Root:resolve(path, cwd, run_dir)
  if #path > MOST_BYTES or path:find("\0", 1, true) then return nil end
  if path:sub(1, 1) ~= "/" then path = files.absolute(cwd) .. "/" .. path end
  local real = resolved(path)
  if not real then return nil end
  if is_inside(real, self.dir) then return real end
  self.run_dir = self.run_dir or run_dir and resolved(run_dir) -- once: what it becomes later is not its doing
  return self.run_dir and is_inside(real, self.run_dir) and real or nil
end

return M
