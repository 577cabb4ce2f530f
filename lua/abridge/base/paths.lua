--- Paths by their letters alone: nothing is asked of the file system.
---
--- On Windows `/` is as good as `\`, and a path may begin with a drive, `C:\a`, or name a share, `\\server\share\a`.
--- `\a` is the root of the drive in use, `C:a` goes on from the folder in use on that drive.

local system = require "abridge.base.system"

local M = {}

local DRIVE, SHARE = "^%a:[/\\]", "^[/\\][/\\][^/\\]+[/\\][^/\\]+"

--- Is this a path of Windows, whatever the system here?
---@param path string
---@return boolean
function M.is_of_windows(path)
  return path:find(DRIVE) ~= nil or path:find "^\\\\[^\\]" ~= nil
end

--- Is a path the same from every folder?
---@param path string
---@param windows? boolean as on Windows; as on this system unless given
---@return boolean
function M.is_absolute(path, windows)
  if windows == nil then windows = system.is_windows() end
  if not windows then return path:sub(1, 1) == "/" end
  return path:find(DRIVE) ~= nil or path:find "^[/\\][/\\]" ~= nil
end

--- A path of Windows that is seen from a folder. One on another drive stays: only the system knows what folder is in
--- use there.
local function joined_on_windows(folder, path)
  if path:find "^[/\\]" then return (folder:match "^%a:" or folder:match(SHARE) or "") .. path end
  local drive, rest = path:match "^(%a):(.*)$"
  if drive then
    if drive:lower() ~= folder:match("^%a?"):lower() or not folder:find "^%a:" then return path end
    path = rest
  end
  return folder:gsub("[/\\]+$", "") .. "\\" .. path
end

--- A path that is seen from a folder.
---@param folder string
---@param path string
---@param windows? boolean as in `is_absolute`
---@return string
function M.joined(folder, path, windows)
  if windows == nil then windows = system.is_windows() end
  if M.is_absolute(path, windows) then return path end
  if windows then return joined_on_windows(folder, path) end
  return folder:gsub("/+$", "") .. "/" .. path
end

--- A path without `.`, `..` and doubled slashes, from a folder on. One of Windows, or from a folder of Windows on, has
--- slashes and a small letter for its drive.
---@param path string
---@param folder? string
---@return string
function M.plain(path, folder)
  if folder == "" or folder == "." then folder = nil end
  local windows = M.is_of_windows(path) or folder ~= nil and M.is_of_windows(folder)
  if folder then path = M.joined(folder, path, windows) end
  local root = path:match "^/" or ""
  if windows then
    path = path:gsub("\\", "/")
    root = path:match "^//" or path:match "^%a:/" or path:match "^/" or ""
    path = path:sub(#root + 1)
  end
  local parts = {}
  for part in path:gmatch "[^/]+" do
    local last = parts[#parts]
    if part == ".." and last and last ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." and not (part == ".." and root ~= "") then
      parts[#parts + 1] = part
    end
  end
  return root:lower() .. table.concat(parts, "/")
end

--- A path without slashes at its end; a root keeps its own.
---@param path string
---@param windows? boolean as in `is_absolute`
---@return string
function M.without_slashes(path, windows)
  if windows == nil then windows = system.is_windows() end
  if not windows then return #path > 1 and (path:gsub("/+$", "")) or path end
  local root = path:match "^%a:[/\\]" or path:sub(1, 1)
  return root .. path:sub(#root + 1):gsub("[/\\]+$", "")
end

return M
