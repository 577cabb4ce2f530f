--- The names that `%` and `#` mean on a command line of Neovim, with their modifiers (`:help cmdline-special`). Nothing
--- here starts a shell or evaluates anything, which `expandcmd()`, `expand()` and `fnamemodify(':p')` may for some
--- names.

local host = require "abridge.base.host"

local M = {}

--- An absolute path; a text like a URL stays as it is.
local function absolute(name, cwd)
  if name:find "^%a[%w+.-]*://" then return name end
  if name:sub(1, 1) ~= "/" then name = cwd .. "/" .. name end
  return vim.fn.fnamemodify(name, ":p") -- of a whole path nothing is expanded
end

--- A path relative to a folder, nil if it is not in it.
local function inside(path, folder)
  local start = folder .. (folder:sub(-1) == "/" and "" or "/")
  return path:sub(1, #start) == start and path ~= start and path:sub(#start + 1) or nil
end

local function home()
  return (os.getenv "HOME" or host.uv().os_homedir() or "/"):gsub("(.)/+$", "%1")
end

---@class (exact) abridge.nvim.FileName
---@field text string
---@field of_home? boolean it begins with a `~` from `:~`, which the shell is to expand

--- The modifiers of a path, before those of its parts: `:p`, `:8`, `:~`, `:.`.
local function modify_path(name, text, at, cwd)
  if text:find("^:p", at) then
    at = at + 2
    name.text = absolute(name.text, cwd)
  end
  while text:find("^:[8~.]", at) do
    local letter = text:sub(at + 1, at + 1)
    at = at + 2
    local whole = absolute(name.text, cwd)
    if letter == "~" and not name.of_home then
      local rest = inside(whole, home())
      name.of_home = rest ~= nil or whole == home()
      name.text = name.of_home and "~" .. (rest and "/" .. rest or "") or name.text
    elseif letter == "." and not name.of_home then
      name.text = inside(whole, cwd) or name.text
    end
  end
  return at
end

--- `:s?pattern?replacement?` and `:gs`, once. A replacement that is an expression is refused.
local function substitute(name, text, at)
  local flags, start, separator = text:match("^:(g?)s()([^%s])", at)
  if not flags then return at, false end
  local pattern_end = text:find(separator, start + 1, true)
  local stop = pattern_end and text:find(separator, pattern_end + 1, true)
  if not stop then return at, false end
  local replacement = text:sub(pattern_end + 1, stop - 1)
  if replacement:find "^\\=" then error("an expression cannot be evaluated here: " .. text:sub(at, stop), 0) end
  name.text = vim.fn.substitute(name.text, text:sub(start + 1, pattern_end - 1), replacement, flags)
  return stop + 1, true
end

--- Apply the modifiers at an offset, in Vim's order.
---@return integer at the offset after them
local function modified(name, text, at, cwd)
  local again
  repeat
    at = modify_path(name, text, at, cwd)
    local parts = at
    while text:find("^:h", at) do
      at = at + 2
    end
    if text:find("^:t", at) then at = at + 2 end
    while text:find("^:[er]", at) do
      at = at + 2
    end
    if at > parts then -- these look at nothing but the letters of a name
      name.text = vim.fn.fnamemodify(name.text, text:sub(parts, at - 1))
      name.of_home = name.of_home and name.text:find "^~" ~= nil
    end
    at, again = substitute(name, text, at)
  until not again
  return text:find("^:S", at) and at + 2 or at -- a name is always quoted
end

--- The name of a buffer as the editor shows it; its whole path if the command runs in another folder.
local function buffer_name(number, cwd)
  if number < 1 or vim.fn.bufexists(number) == 0 then return "" end
  local name = vim.fn.bufname(number)
  return name ~= "" and cwd ~= host.uv().cwd() and vim.api.nvim_buf_get_name(number) or name
end

--- The files that a `%` or `#` at an offset names, before modifiers.
---@return string[] names one, those of the argument list for `##`
---@return integer at the offset after it
local function named(text, at, cwd)
  if text:sub(at, at) == "%" then return { buffer_name(vim.api.nvim_get_current_buf(), cwd) }, at + 1 end
  if text:find("^##", at) then
    local names = {}
    for i, name in ipairs(vim.fn.argv()) do
      names[i] = cwd ~= host.uv().cwd() and absolute(name, host.uv().cwd()) or name
    end
    return names, at + 2
  end
  local old, old_end = text:match("^#<(%d+)()", at)
  if old then return { vim.v.oldfiles[tonumber(old)] or "" }, old_end end
  local digits, stop = text:match("^#(%d*)()", at)
  local number = tonumber(digits) or 0
  return { buffer_name(number > 0 and number or vim.fn.bufnr "#", cwd) }, stop
end

local function none(text, at, stop)
  error(("no file name for %s (write \\%s for a plain one)"):format(text:sub(at, stop - 1), text:sub(at, at)), 0)
end

--- The names for a `%` or `#` of a command line. Raises if it names nothing.
---@param text string
---@param at integer
---@param cwd string folder that the command runs in
---@return abridge.nvim.FileName[] names
---@return integer at the offset after the modifiers
function M.at(text, at, cwd)
  local names, stop = named(text, at, cwd)
  local files = {}
  for i, name in ipairs(names) do
    files[i] = { text = name }
  end
  if text:find("^##", at) then return #files > 0 and files or none(text, at, stop), stop end
  local file, had_name = files[1], files[1].text ~= ""
  if had_name and text:find("^<", stop) then -- as in Vim, `:r` in short
    file.text, stop = vim.fn.fnamemodify(file.text, ":r"), stop + 1
  elseif had_name then
    stop = modified(file, text, stop, cwd)
  elseif text:find("^:p:h", stop) then -- the folder, if there is no file
    file.text = cwd .. "/"
    stop = modified(file, text, stop + 2, cwd)
  end
  return file.text ~= "" and files or none(text, at, stop), stop
end

return M
