--- The session's root: a folder that no path given to a tool may leave.
---
--- A path is followed link by link, as the kernel would, until neither links nor `..` are left. That path is checked
--- and handed out, so that the very path that was checked is opened, and a link in the given path may change meanwhile
--- without harm. Not guaranteed, as nothing short of openat2(2) could: that no part of the resolved path becomes a link
--- between the check and the use. A hard link or a mount inside the root counts as inside. Commands are not confined.

local check = require "abridge.base.check"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local real_path = require "abridge.base.real_path"
local system = require "abridge.base.system"

local M = {}

local MOST_BYTES = 16384 -- of one path; four times Linux's limit

---@class abridge.Root
---@field dir string the folder, without links; "/" alone ends in a slash
local Root = {}
Root.__index = Root
Root.__name = "abridge.Root"

--- Is a path without links the folder or in it?
local function is_inside(path, dir)
  return dir == "/" or path == dir or path:sub(1, #dir + 1) == dir .. "/"
end

--- Check a root at the creation of a session. Raises at the level of the caller's caller when it isn't a folder.
---@param who string
---@param dir string
---@return abridge.Root|nil root
---@return string|nil message luv is missing, or this is Windows
---@return string|nil code
function M.new(who, dir)
  if system.is_windows() then return nil, system.UNSUPPORTED, system.ENOTSUP end
  local real, stat, code = real_path.existing(dir)
  if code == host.codes.ENOLUV then return nil, stat, code end
  if not real then
    check.fail(("%s: root must be a folder that exists, got %s (%s)"):format(who, check.show(dir), code), 1)
  elseif stat.type ~= "directory" then
    check.fail(("%s: root must be a folder, got %s (a %s)"):format(who, check.show(dir), stat.type), 1)
  end
  return setmetatable({ dir = real }, Root)
end

--- A path with neither links nor `..`, if it lies in the root or in the run's folder, whether or not it exists yet.
--- Cost: a system call for each part of the path and of its links.
---@param path string as a tool was given it
---@param cwd string start of relative paths
---@param run_dir? string the session's own run folder, which may not exist yet
---@return string|nil real nil: it is outside
function Root:resolve(path, cwd, run_dir)
  if #path > MOST_BYTES or path:find("\0", 1, true) then return nil end
  if path:sub(1, 1) ~= "/" then path = files.absolute(cwd) .. "/" .. path end
  local real = real_path.resolved(path)
  if not real then return nil end
  if is_inside(real, self.dir) then return real end
  self.run_dir = self.run_dir or run_dir and real_path.resolved(run_dir) -- once: later changes are not its doing
  return self.run_dir and is_inside(real, self.run_dir) and real or nil
end

return M
