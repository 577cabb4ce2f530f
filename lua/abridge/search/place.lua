--- The place of a search: the folder and target of a model's path, and how the paths found there are written so that
--- other tools take them.

local files = require "abridge.base.files"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"

local M = {}

---@class (exact) abridge.SearchPlace
---@field dir string folder to run in: globs are relative to it
---@field target string file or folder to search in it
---@field shown string relative to the session's folder: a file's path, or the prefix of the paths in a folder

--- A result that is an error.
---@param name string of the sentence, and the code unless that is given
---@param values table for the sentence
---@param details? table
---@param code? string
---@return table
function M.failure(name, values, details, code)
  details = details or {}
  details.error_code = code or name
  return { text = sentences.message(name, values), is_error = true, details = details }
end

--- A path without parts that change nothing: `.` and empty ones.
local function plain(path)
  path = path:gsub("/[/.]*/", function(between)
    return not between:find("..", 1, true) and "/" or nil
  end)
  return #path > 1 and path:gsub("/%.?$", "") or path
end

--- A path relative to the session's folder. `..` stays, as do paths elsewhere: with links on the way they may lead to
--- another folder than it seems.
local function from_cwd(path, cwd)
  path = plain(path)
  while path:sub(1, 2) == "./" do
    path = path:sub(3)
  end
  if path:sub(1, 1) ~= "/" then return path end
  local base = plain(files.absolute(cwd or ".")) .. "/"
  if path .. "/" == base then return "." end
  return path:sub(1, #base) == base and path:sub(#base + 1) or path
end

--- The place of a search by a model's path, or nil and the result that tells the problem with it.
---@param given string|nil
---@param ctx table
---@param wanted? "directory" a file is refused
---@return abridge.SearchPlace|nil place
---@return table|nil failure
function M.find(given, ctx, wanted)
  if not given or given == "" then given = "." end
  local shown = { path = sentences.path(ctx.redacted(given)) }
  local details = { path = ctx.redacted(given) }
  if given:find("\0", 1, true) then return nil, M.failure("ENOENT", shown, details) end
  local path = ctx.path(given)
  local stat, message, code = host.uv().fs_stat(path)
  if not stat then
    if code == "ENOENT" or code == "ENOTDIR" then return nil, M.failure("ENOENT", shown, details) end
    if code == "EACCES" then return nil, M.failure("EACCES", shown, details) end
    shown.what = tostring(message):match "^%u[%u%d]*: ([^:]*)" or message -- the rest names another path than was given
    return nil, M.failure("EIO", shown, details)
  end
  local from_here = from_cwd(given, ctx.cwd)
  if stat.type == "directory" then
    local before = from_here == "." and "" or from_here:gsub("/$", "") .. "/"
    return { dir = path, target = "./", shown = before }
  end
  if wanted == "directory" then return nil, M.failure("ENOTDIR", shown, details) end
  if stat.type ~= "file" then
    shown.what = stat.type
    return nil, M.failure("ENOTREG", shown, details)
  end
  local dir, base = path:match "^(.*/)([^/]*)$"
  return { dir = dir or ".", target = "./" .. (base or path), shown = from_here }
end

--- A path of rg's output as other tools take it.
---@param place abridge.SearchPlace
---@param path string
---@return string
function M.shown(place, path)
  if place.target ~= "./" then return place.shown end
  return place.shown .. (path:gsub("^%./", ""))
end

--- A glob as an argument, relative to the folder that is searched.
---@param glob string
---@return string
function M.glob(glob)
  return "--glob=" .. glob:gsub("^%./+", "")
end

return M
