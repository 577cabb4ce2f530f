--- A command for `sh` as it is typed after `:Abridge run`: `%` and `#` become names of files, quoted as their place in
--- the command needs. Everything else is left to the shell. If a name cannot be quoted (after `<<`, say), it is used
--- bare if it is a plain word to any shell; else this raises.

local host = require "abridge.base.host"
local file_names = require "abridge.nvim.file_names"
local quoted = require("abridge.base.shell").quoted

local M = {}

-- the place of a word ------------------------------------------------------------------

--- How far a shell has read a command: a stack of open things ("(", "'", '"', "#" for a comment).
---@class abridge.nvim.ShellReader
---@field open string[]
---@field last string the char before, "" at the start
---@field dollar boolean a `$` was the last char
---@field lost? boolean in a part that only a shell can read: a here-document, arithmetic, a command in backquotes
local Reader = {}
Reader.__index = Reader

local function push(self, what)
  self.open[#self.open + 1] = what
end

local function pop(self)
  self.open[#self.open] = nil
end

--- Read a command in backquotes, which a shell first reads as a text; returns the offset after it.
local function read_backquotes(self, text, at)
  local stop = at + 1
  while true do
    stop = text:find("[\\`]", stop)
    if not stop then
      self.lost = true
      return #text + 1
    elseif text:sub(stop, stop) == "`" then
      return stop + 1
    end
    stop = stop + 2
  end
end

--- Read on from a `$`; returns the offset after it.
local function read_dollar(self, text, at, inside)
  self.dollar = at == #text
  if text:find("^%$%(", at) and not text:find("^%$%(%(", at) then
    push(self, "(")
    return at + 2
  end
  local simple = text:match("^%${[%w_:#?+=!@*.,/^ -]*}()", at)
  if simple then return simple end
  self.lost = text:find("^%$[({[]", at) ~= nil or inside ~= '"' and text:find("^%$'", at) ~= nil
  return at + 1
end

--- Read on from a char that means something outside quotes.
local function read_plain(self, text, at, inside)
  local char = text:sub(at, at)
  if char == "'" then
    push(self, "'")
  elseif char == "(" then
    if text:find("^%(%(", at) then self.lost = true end
    push(self, "(")
  elseif char == ")" and inside == "(" then
    pop(self)
  elseif text:find("^<<<", at) then
    return at + 3
  elseif text:find("^<<", at) or inside == "(" and text:find("^case%f[^%w_]", at) and not self.last:find "[%w_]" then
    self.lost = true
  elseif char == "#" and self.last:find "^[%s;&|()<>]?$" then
    push(self, "#")
  end
  return at + 1
end

--- Read on from an offset.
---@return integer at the offset after that
local function read_one(self, text, at)
  local inside, char = self.open[#self.open], text:sub(at, at)
  if inside == "'" or inside == "#" then
    if char == (inside == "'" and "'" or "\n") then pop(self) end
    return at + 1
  elseif char == "\\" then
    return at + 2
  elseif char == '"' then
    if inside == '"' then
      pop(self)
    else
      push(self, '"')
    end
    return at + 1
  elseif char == "`" then
    return read_backquotes(self, text, at)
  elseif char == "$" then
    return read_dollar(self, text, at, inside)
  elseif inside == '"' then
    return at + 1
  end
  return read_plain(self, text, at, inside)
end

function Reader:read(text)
  local at = 1
  self.dollar = false
  while at <= #text and not self.lost do
    at = read_one(self, text, at)
    self.last = text:sub(at - 1, at - 1)
  end
end

-- a name there -------------------------------------------------------------------------------

local BARE = "^[%w_./+@:,-]+$" -- a word in every place, also between quotes
local HARMLESS = "^[^%c$`\\;&|<>()'\"!{}]+$" -- no shell that reads it again runs anything

--- A name, quoted for the place that a shell has read up to.
---@param self abridge.nvim.ShellReader
---@param file abridge.nvim.FileName
---@param alone boolean there is nothing else between its quotes
---@return string|nil text nil if that would not be safe
local function placed(self, file, alone)
  local inside, name = self.open[#self.open], file.text
  if name:sub(1, 1) == "-" then name = "./" .. name end -- no option
  if self.dollar then return nil end
  if self.lost or inside == "#" then return name:find(BARE) and name or nil end
  if inside == "'" or inside == '"' then
    if name:find(BARE) and not file.of_home then return name end
    if not alone and not name:find(HARMLESS) then return nil end
    return inside .. quoted(name) .. inside
  end
  local bare, rest = (file.of_home and name or ""):match "^(~/?)(.*)$"
  if not bare then return quoted(name) end
  return bare .. (rest ~= "" and quoted(rest) or "")
end

-- the command ----------------------------------------------------------------------------------

--- The next `%` or `#` without a backslash, and the text before it, with escaped ones freed of their backslash.
local function next_special(text, at)
  local literal = {}
  while true do
    local found = text:find("[%%#]", at)
    if not found then
      literal[#literal + 1] = text:sub(at)
      return nil, table.concat(literal)
    end
    if text:sub(found - 1, found - 1) ~= "\\" or found == at then
      literal[#literal + 1] = text:sub(at, found - 1)
      return found, table.concat(literal)
    end
    literal[#literal + 1] = text:sub(at, found - 2) .. text:sub(found, found)
    at = found + 1
  end
end

local function refuse(special, file)
  local name = require("abridge.base.listed_name").escape(file.text)
  error(("%s cannot be quoted safely there: %s"):format(special, name), 0)
end

--- A command with names of files in place of `%` and `#`. Raises if one names nothing, or cannot be quoted.
---@param command string as it was typed
---@param cwd? string folder that it runs in; the editor's unless set
---@return string
function M.expanded(command, cwd)
  cwd = cwd or host.uv().cwd()
  local reader = setmetatable({ open = {}, last = "" }, Reader)
  local parts, at = {}, 1
  while true do
    local found, literal = next_special(command, at)
    parts[#parts + 1] = literal
    if not found then return table.concat(parts) end
    reader:read(literal)
    local files, stop = file_names.at(command, found, cwd)
    local inside = reader.open[#reader.open]
    local alone = inside == literal:sub(-1) and inside == command:sub(stop, stop) and #files == 1
    for i, file in ipairs(files) do
      local text = placed(reader, file, alone)
      if not text then refuse(command:sub(found, stop - 1), file) end
      parts[#parts + 1] = (i > 1 and " " or "") .. text
    end
    reader.last, at = "x", stop
  end
end

-- words as they are typed ----------------------------------------------------------------------

--- A path as it is typed in a command. It may begin with `~/`; no other char is special to a shell or to us.
---@param path string
---@return string
function M.word(path)
  local home, rest = path:match "^(~/)(.*)$"
  return (home or "")
    .. (rest or path):gsub("[^%w_./+@:,=\128-\255-]", function(char)
      return (char:find "[%%#]" and "\\\\" or "\\") .. char
    end)
end

--- The path of a word that may not be complete yet; nil if only a shell could know it.
---@param word string
---@return string|nil
function M.unquoted(word)
  local special, literal = next_special(word, 1)
  if special or literal:gsub("\\.", ""):find "[\\`$'\"|;&<>(){}*?%[%]!]" then return nil end
  return (literal:gsub("\\(.)", "%1"))
end

return M
