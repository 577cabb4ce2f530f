--- The docstrings of all Lua files (LuaCATS): classes with their fields and methods, aliases, functions by where they
--- are defined.

local M = {}

local CLOSING = { ["("] = ")", ["{"] = "}", ["["] = "]", ["<"] = ">" }

--- Where a type ends in what follows a name: at a blank that is in no brackets and joins nothing.
local function type_in(text)
  local depth, at = 0, 1
  while at <= #text do
    local char = text:sub(at, at)
    if char == '"' then
      at = text:find('"', at + 1, true) or #text
    elseif CLOSING[char] then
      depth = depth + 1
    elseif char:find "[%)%]}>]" then
      depth = depth - 1
    elseif char == " " and depth == 0 then
      local joined = text:sub(1, at - 1):find "[:,|]$" or text:find("^ *|", at)
      if not joined then return text:sub(1, at - 1) end
    end
    at = at + 1
  end
  return text
end

--- What the docstring of a function and its code say: `signature`, its parameters as the code has them, with the types
--- of the docstring; `params`, `results`, their names alone; `overloads`, other ways to call it; `problems`, parameters
--- that the docstring lacks; `foreign`, one that the code lacks.
local function told_of(lines, code)
  local types, params, returns, mark = {}, {}, {}, ""
  local about = { params = {}, results = {}, overloads = {}, problems = {} }
  for _, line in ipairs(lines) do
    if line:find "^@deprecated" then mark = " deprecated" end
    local name, optional, rest = line:match "^@param ([%w_.]+)(%??) (.*)$"
    local result = line:match "^@return (.*)$"
    local other = line:match "^@overload fun(%(.*)$"
    if name then types[name] = ("%s: %s"):format(optional, type_in(rest)) end
    if result then
      returns[#returns + 1] = type_in(result)
      about.results[#returns] = result:sub(#returns[#returns] + 1):match "^ +([%l_]+)" or ""
    end
    if other then about.overloads[#about.overloads + 1] = (other:gsub("^%(self: [%w_.]+,? ?", "(")) end
  end
  for name in code:match("%((.*)%)"):gmatch "[%w_.]+" do
    if name ~= "self" then
      params[#params + 1] = name .. (types[name] or "")
      about.params[#params] = name .. (types[name] or ""):match "^%??"
      if not types[name] then about.problems[#about.problems + 1] = "no @param " .. name end
    end
    types[name] = nil
  end
  for name in pairs(types) do
    about.foreign = "@param " .. name .. ", which is no parameter"
  end
  local text = ("(%s)"):format(table.concat(params, ", "))
  about.signature = (#returns > 0 and text .. ": " .. table.concat(returns, ", ") or text) .. mark
  return about
end

--- Is something meant for this package's own files?
local function is_private(lines)
  for _, line in ipairs(lines) do
    if line:find "^@private" or line:find "^@package" then return true end
  end
  return false
end

--- Note a field: its type, and what is said of it above it and beside its type.
local function put_field(class, line, above)
  local field, optional, rest = line:match "^@field ([%w_]+)(%??) (.*)$"
  if not field or field == "private" then return end
  local type_text = type_in(rest)
  above[#above + 1] = rest:sub(#type_text + 1):match "^ *(.+)$"
  class.fields[field] = { type = type_text, optional = optional, text = table.concat(above, " ") }
  class.order[#class.order + 1] = field
end

--- The class that a docstring declares, noted with its fields; aliases are noted too.
local function put_types(known, lines)
  local name, class
  local above = {} -- lines of text since the last tag
  for _, line in ipairs(lines) do
    local alias, meaning = line:match "^@alias ([%w_.]+) (.*)$"
    if alias then known.aliases[alias] = meaning end
    local rest = line:match "^@class (.*)$"
    if rest then
      rest = rest:gsub("^%(exact%) ", "")
      name = rest:match "^[%w_.]+"
      class = known.classes[name] or { fields = {}, order = {}, methods = {} }
      class.parent = rest:match "^[%w_.]+: ([%w_.]+)"
      known.classes[name] = class
    elseif class then
      put_field(class, line, above)
    end
    if line:find "^@" then
      above = {}
    else
      above[#above + 1] = line:match "^%s*(.+)$"
    end
  end
  return name
end

--- Note a class that a table is, by the name the table has in its file.
local function put_table(file, class, code)
  local name = code:match "^local ([%w_]+) = {" or code:match "^M%.([%w_]+) = {$"
  if class and name then file.classes[name] = class end
end

--- Note what a docstring says of the function below it; of a method, for its class too.
local function put_function(known, file, number, lines, code)
  local of, name = code:match "^function ([%w_]+)[:.]([%w_]+)%("
  if not of then return end
  local about = told_of(lines, code)
  about.private = is_private(lines) or name:find "^_" ~= nil
  known.functions[file.path .. ":" .. number] = about
  known.named[file.path .. ":" .. name] = about
  local owner = known.classes[file.classes[of]]
  if owner then owner.methods[name] = about end
end

--- Note a line of code that makes something of another file known: a module, or a method that is its function.
local function put_line(file, line)
  local name, module = line:match '^local ([%w_]+) = require "([%w_.]+)"$'
  if name then file.modules[name] = "lua/" .. module:gsub("%.", "/") .. ".lua" end
  local of, method, from, taken = line:match "^([%w_]+)%.([%w_]+) = ([%w_]+)%.([%w_]+)$"
  if file.classes[of] and file.modules[from] then
    local place = file.modules[from] .. ":" .. taken
    file.taken[#file.taken + 1] = { class = file.classes[of], method = method, place = place }
  end
end

local function read_file(known, path)
  local number, lines, file = 0, {}, { path = path, classes = {}, modules = {}, taken = known.taken }
  for line in io.lines(path) do
    number = number + 1
    local told = line:match "^%-%-%-(.*)$"
    if told then
      lines[#lines + 1] = told:gsub("^ ", "")
    else
      put_table(file, put_types(known, lines), line)
      put_function(known, file, number, lines, line)
      put_line(file, line)
      lines = {}
    end
  end
end

--- What the docstrings of a folder say.
---@param dir string
---@return { classes: table<string, table>, aliases: table<string, string>, functions: table<string, table> }
function M.read(dir)
  local known = { classes = {}, aliases = {}, functions = {}, named = {}, taken = {} }
  local list = assert(io.popen(("find '%s' -name '*.lua' | LC_ALL=C sort"):format(dir)))
  for path in list:lines() do
    read_file(known, path)
  end
  list:close()
  for _, one in ipairs(known.taken) do
    known.classes[one.class].methods[one.method] = known.named[one.place]
  end
  return known
end

return M
