--- Completions on the command line of `:Abridge`. Names are read from folders, never matched by Vim's own completion,
--- which starts a shell for a backquote. Names with control characters are left out, since a newline ends a command
--- line.

local files = require "abridge.base.files"
local host = require "abridge.base.host"
local command_line = require "abridge.nvim.command_line"

local M = {}

--- The paths in a folder that begin like a path; hidden ones only if its last part begins with a dot.
local function matches(path)
  local folder, start = path:match "^(.*/)([^/]*)$"
  folder, start = folder or "", start or path
  local found = {}
  for _, name in ipairs(files.names_in(M.folder(folder == "" and "." or folder))) do
    local wanted = name:sub(1, #start) == start and (name:sub(1, 1) ~= "." or start ~= "")
    if wanted and not name:find "%c" then
      found[#found + 1] = (folder == "" and name:find "^[~-]" and "./" or folder) .. name
    end
  end
  return found
end

local function kind_of(path)
  local stat = host.uv().fs_stat(M.folder(path))
  return stat and stat.type
end

--- A path as it was typed, with `~` for the user's folder; nothing else is expanded.
---@param path string
---@return string
function M.folder(path)
  local rest = path:match "^~(/.*)$" or path:match "^~()$" and ""
  if not rest then return path end
  return (os.getenv "HOME" or host.uv().os_homedir() or "") .. rest
end

--- The path that was typed: a backslash escapes the next char, as `fnameescape()` writes it.
---@param text string
---@return string
function M.typed_path(text)
  return M.folder((text:gsub("\\([^%w])", "%1")))
end

--- The files and folders that complete a typed path.
---@param lead string as it was typed
---@return string[]
function M.paths(lead)
  local found = {}
  for i, path in ipairs(matches((lead:gsub("\\([^%w])", "%1")))) do
    found[i] = vim.fn.fnameescape(path) .. (kind_of(path) == "directory" and "/" or "")
  end
  return found
end

--- The folders that complete a typed path.
---@param lead string as it was typed
---@return string[]
function M.folders(lead)
  return vim.tbl_filter(function(path)
    return path:sub(-1) == "/"
  end, M.paths(lead))
end

--- The files that complete a word of a command, as words of a command.
local function file_words(lead, wanted)
  local start = command_line.unquoted(lead)
  local found = {}
  for _, path in ipairs(start and matches(start) or {}) do
    local kind = kind_of(path)
    if not wanted or kind == "directory" or wanted(path) then
      found[#found + 1] = command_line.word(path) .. (kind == "directory" and "/" or "")
    end
  end
  return found
end

local function is_program(path)
  return kind_of(path) == "file" and host.uv().fs_access(M.folder(path), "X") == true
end

--- The programs on PATH that begin like this.
local function programs(lead)
  local found, seen = {}, {}
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    for _, path in ipairs(folder:sub(1, 1) == "/" and matches(folder .. "/" .. lead) or {}) do
      local name = path:match "[^/]*$"
      if not seen[name] and is_program(path) then
        seen[name] = true
        found[#found + 1] = command_line.word(name)
      end
    end
  end
  table.sort(found)
  return found
end

--- Names that the editor knows of some kind, each between a prefix and a suffix.
local function known(kind, start, prefix, suffix)
  local found = {}
  for _, name in ipairs(vim.fn.getcompletion(start, kind)) do -- letters alone: nothing to expand
    if name:find "^[%w_-]+$" then found[#found + 1] = prefix .. name .. suffix end
  end
  return found
end

--- Completions of a word of a shell command, as of `:!`.
---@param lead string the word so far, as it was typed
---@param is_first boolean it is the program
---@return string[]
function M.shell_words(lead, is_first)
  local before, variable = lead:match "^(.*%$)([%a_][%w_]*)$"
  if variable then return known("environment", variable, before, "") end
  local user = lead:match "^~([%w_-]+)$"
  if user then return known("user", user, "~", "/") end
  local redirection, path = lead:match "^(%d*[<>]+)([^<>&]*)$"
  if redirection then
    return vim.tbl_map(function(word)
      return redirection .. word
    end, file_words(path))
  end
  if not is_first then return file_words(lead) end
  if lead:find("/", 1, true) then return file_words(lead, is_program) end
  local start = command_line.unquoted(lead)
  return start and programs(start) or {}
end

return M
