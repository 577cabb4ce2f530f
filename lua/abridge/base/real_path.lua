--- Paths without links and `..`.

local host = require "abridge.base.host"

local M = {}

local MOST_LINKS = 40 -- of one path; as many as Linux follows

--- Errors of readlink for a path that isn't a link, doesn't exist, or can't be looked at: an open with this path would
--- follow no link from there on.
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

--- An absolute path without links, found link by link, as the kernel would. Parts that do not exist are taken for
--- folders; a link to a missing target resolves to that target. Cost: a system call for each part of the path and of
--- its links.
---@param path string absolute
---@return string|nil real nil when that cannot be known: too many links, or an error of the file system
function M.resolved(path)
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

--- The path without links of an existing file, as the kernel tells it.
---@param path string
---@return string|nil real
---@return table|string stat the message when there is none
---@return string|nil code ENOLUV without luv
function M.existing(path)
  local uv, message, code = host.uv()
  if not uv then return nil, message, code end
  if path:find("\0", 1, true) then return nil, "ENOENT: a NUL byte in a path", "ENOENT" end
  local real, stat
  real, message, code = uv.fs_realpath(path)
  if not real then return nil, message, code end
  stat, message, code = uv.fs_stat(real)
  if not stat then return nil, message, code end
  return real, stat
end

return M
