--- Names that two sources of csrc/ define at file scope: functions, data, types, enumerators, macros. The core is
--- also built as one file (`make amalgamation`), where they would clash; `make lint-names` fails if any do.

local M = {}

-- reading C ------------------------------------------------------------------------------

--- A source without comments, strings and chars, with lines that go on joined.
local function bare(text)
  local out, at = {}, 1
  text = text:gsub("\\\r?\n", " ")
  while true do
    local start, _, what = text:find("([/\"'])", at)
    if not start then break end
    local stop
    if what ~= "/" then
      stop = start + 1
      while text:sub(stop, stop) ~= what do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
        if stop > #text then error("a string without end", 0) end
      end
    elseif text:find("^/%*", start) then
      stop = select(2, text:find("*/", start + 2, true)) or error("a comment without end", 0)
    elseif text:find("^//", start) then
      stop = (text:find("\n", start, true) or #text + 1) - 1
    end
    out[#out + 1] = text:sub(at, start - 1)
    out[#out + 1] = stop and (what == "/" and " " or " 0 ") or what
    at = (stop or start) + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local GUARD = "^%s*#%s*ifndef%s+([%w_]+)%s+#%s*define%s+%1%s"

--- Take the directives out of a source; report its macros, but for those that it undefines, and whether it may be read
--- only once.
local function without_directives(text, found)
  local guard = text:match(GUARD)
  return (("\n" .. text)
    :gsub("\n[ \t]*#[ \t]*([^\n]*)", function(line)
      local name = line:match "^define%s+([%a_][%w_]*)"
      local stays = name and not text:find("#undef " .. name .. "%f[^%w_]")
      if stays and name ~= guard and not name:find "^_" then found(name, "macro") end
      return "\n"
    end)
    :gsub("\n[%u_]+%f[\n]", "\n")),
    guard ~= nil -- ABR_PRIVATE_BEGIN too
end

local CLOSES = { ["("] = ")", ["["] = "]", ["{"] = "}" }

--- Tokens up to what closes a group, as a list with groups as lists of their own; `open` says which.
local function group(next_token, open)
  local list = { open = open }
  for token in next_token do
    if token == CLOSES[open] then return list end
    list[#list + 1] = CLOSES[token] and group(next_token, token) or token
  end
  if open then error("brackets do not match", 0) end
  return list
end

local function parsed(text)
  local at = 1
  return group(function()
    local start, stop = text:find("^%s*[%w_.]+", at)
    if not start then
      start, stop = text:find("^%s*%S", at)
    end
    if not start then return nil end
    at = stop + 1
    return text:sub(start, stop):match "%S+"
  end, nil)
end

-- declarations ---------------------------------------------------------------------------

local function is_name(token)
  return type(token) == "string" and token:find "^[%a_]" ~= nil
end

local function is_group(token, open)
  return type(token) == "table" and token.open == open
end

local function enumerators(list, found)
  local first = true
  for _, token in ipairs(list) do
    if first and is_name(token) then found(token, "enumerator") end
    first = token == ","
  end
end

--- The types that a declaration defines inside.
local function inner_types(list, found)
  for i, token in ipairs(list) do
    local kind = (token == "enum" or token == "struct" or token == "union") and token
    local tagged = kind and is_name(list[i + 1])
    local body = kind and list[i + (tagged and 2 or 1)]
    if is_group(body, "{") then
      if tagged then found(list[i + 1], "tag") end
      if kind == "enum" then
        enumerators(body, found)
      else
        inner_types(body, found)
      end
    end
  end
end

--- The last name of a declarator that ends before list[to]; that of a pointer to a function is in its brackets.
local function declared(list, to)
  for i = 1, to - 1 do
    local token = list[i]
    local in_brackets = is_group(token, "(") and token[1] == "*" and is_group(list[i + 1], "(")
    if in_brackets then return declared(token, #token + 1) end
  end
  for i = to - 1, 1, -1 do
    if is_name(list[i]) then return list[i] end
    if not is_group(list[i], "[") then return nil end
  end
end

local function place_of(list, token)
  for i, other in ipairs(list) do
    if other == token then return i end
  end
end

--- What a declaration defines; `body`: it is one of a function.
local function definitions(list, body, found)
  inner_types(list, found)
  while list[#list - 1] == "__attribute__" do
    list[#list], list[#list - 1] = nil, nil
  end
  if list[1] == "typedef" then
    local name = declared(list, #list + 1)
    if name and not (#list == 4 and list[3] == name) then found(name, "type") end -- typedef struct x x, anywhere
  elseif body then
    if is_group(list[#list], "(") and is_name(list[#list - 1]) then found(list[#list - 1], "function") end
  elseif not place_of(list, "extern") then
    local equals = place_of(list, "=")
    local last = list[#list]
    if equals or (#list > 1 and not is_group(last, "(") and not is_group(last, "{") and list[1] ~= "struct") then
      local name = declared(list, equals or #list + 1)
      if name then found(name, "data") end
    end
  end
end

--- Report what a source defines at file scope: found(name, kind).
---@param text string
---@param found fun(name: string, kind: string)
---@return boolean once it is a header that is read only once, however often it is included
function M.definitions(text, found)
  local code, once = without_directives(bare(text), found)
  local list = {}
  for _, token in ipairs(parsed(code)) do
    if token == ";" then
      definitions(list, false, found)
      list = {}
    elseif is_group(token, "{") and is_group(list[#list], "(") then
      definitions(list, true, found)
      list = {}
    else
      list[#list + 1] = token
    end
  end
  return once
end

-- clashes --------------------------------------------------------------------------------

-- What Windows has in place of these: they are never built together.
local OF_WINDOWS, OF_OTHERS = "files/windows.c", { ["files/posix.c"] = true, ["files/private_file.c"] = true }

local function of_one_system(places)
  for _, place in ipairs(places) do
    if place ~= OF_WINDOWS and not OF_OTHERS[place] then return false end
  end
  return #places == 2 and places[2] == OF_WINDOWS
end

--- The lines by which the headers that a source includes undefine its macros, which are their parameters.
local function undefined_by_templates(text, sources)
  local lines = {}
  for header in text:gmatch '\n#include "([^"\n]+)"' do
    local template = sources[header]
    if template and not bare(template):find(GUARD) then
      for line in template:gmatch "\n#undef [^\n]+" do
        lines[#lines + 1] = line
      end
    end
  end
  return table.concat(lines) .. "\n"
end

--- The names that several of these sources define, each with their paths in order. A header without a guard counts for
--- every source that includes it.
---@param sources table<string, string> texts by their paths, as they are included
---@return table<string, string[]>
function M.find(sources)
  local by_path, once, users = {}, {}, {}
  for path, text in pairs(sources) do
    local names = {}
    local ok, message = pcall(M.definitions, text .. undefined_by_templates(text, sources), function(name, kind)
      names[(kind == "tag" and "struct " or "") .. name] = true
    end)
    if not ok then error(path .. ": " .. message, 0) end
    by_path[path], once[path] = names, message
    for header in text:gmatch '\n#include "([^"\n]+)"' do
      users[header] = users[header] or {}
      table.insert(users[header], path)
    end
  end
  local places = {}
  for path, names in pairs(by_path) do
    local counts = path:find "%.h$" and not once[path] and users[path] or { path }
    for name in pairs(names) do
      places[name] = places[name] or {}
      for _, place in ipairs(counts) do
        places[name][place] = true
      end
    end
  end
  local clashes = {}
  for name, set in pairs(places) do
    local list = {}
    for place in pairs(set) do
      list[#list + 1] = place
    end
    table.sort(list)
    if #list > 1 and not of_one_system(list) then clashes[name] = list end
  end
  return clashes
end

--- Clashes as the lines of a list.
---@param clashes table<string, string[]>
---@return string[]
function M.lines(clashes)
  local lines = {}
  for name, places in pairs(clashes) do
    lines[#lines + 1] = name .. ": " .. table.concat(places, " ")
  end
  table.sort(lines)
  return lines
end

-- the command ----------------------------------------------------------------------------

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

if arg and arg[0] and arg[0]:find "clashes%.lua$" then
  local sources = {}
  for i = 1, #arg do
    sources[arg[i]:gsub("^csrc/", "")] = read(arg[i])
  end
  local lines = M.lines(M.find(sources))
  if #lines > 0 then
    io.stderr:write(table.concat(lines, "\n"), "\nThese sources define a name twice: choose another in one of them.\n")
    os.exit(1)
  end
  print(("names: none of %d sources defines one that another has"):format(#arg))
end

return M
