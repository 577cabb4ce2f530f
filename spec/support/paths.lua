--- What lies at a path, for specs to look at.

local host = require "abridge.base.host"

local M = {}

--- What a file holds; nil and why where it cannot be opened.
function M.read(path)
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read "*a"
  file:close()
  return text
end

--- The names in a folder, sorted; none where there is no such folder.
function M.names(path)
  local names = {}
  local uv = host.uv()
  local entries = uv.fs_scandir(path)
  local name = entries and uv.fs_scandir_next(entries)
  while name do
    names[#names + 1] = name
    name = uv.fs_scandir_next(entries)
  end
  table.sort(names)
  return names
end

--- The paths of the files in a folder and in those below it, sorted by folder.
function M.below(folder)
  local found = {}
  for _, name in ipairs(M.names(folder)) do
    local path = folder .. "/" .. name
    if host.uv().fs_stat(path).type == "directory" then
      for _, inner in ipairs(M.below(path)) do
        found[#found + 1] = inner
      end
    else
      found[#found + 1] = path
    end
  end
  return found
end

--- Kind and permissions, as in "file 600"; of a link, its own.
function M.mode(path)
  local stat = assert(host.uv().fs_lstat(path))
  return ("%s %03o"):format(stat.type, stat.mode % 512)
end

return M
