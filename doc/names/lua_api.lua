--- What a host may require, and the types that its functions name: what is loaded tells the names, the docstrings tell
--- the signatures.

local docs = require "names.docs"

local M = {}

local MODULES = {
  "abridge",
  "abridge.anthropic",
  "abridge.avante",
  "abridge.conformance",
  "abridge.copilotchat",
  "abridge.flemma",
  "abridge.health",
  "abridge.history",
  "abridge.mcp",
  "abridge.mcphub",
  "abridge.nvim",
  "abridge.openai",
  "codecompanion._extensions.abridge",
}

local CORE = "abridge.Core" -- the class whose fields are the functions in C

--- The signature of a value that a module has: what its docstring says, or its class.
local function signature(known, module, name, value)
  local core = known.classes[CORE].fields[name]
  if type(value) ~= "function" then return ": " .. type(value) end
  local info = debug.getinfo(value, "S")
  local own = known.functions[info.source:gsub("^@", "") .. ":" .. info.linedefined]
  if own then return not own.private and own.signature or nil end
  assert(core and info.what == "C", ("%s.%s has no docstring"):format(module, name))
  return ": " .. core.type
end

--- The names of a module: those it has, and those its class tells of, which may not be loaded yet.
local function names_in(known, module)
  local loaded, names = require(module), {}
  for name in pairs(loaded) do
    names[name] = true
  end
  for name in pairs((known.classes[module] or { fields = {} }).fields) do
    names[name] = true
  end
  return loaded, names
end

local function put_module(known, module, out)
  local loaded, names = names_in(known, module)
  for name in pairs(names) do
    local value = assert(loaded[name], module .. " has no " .. name)
    local told = signature(known, module, name, value)
    if told then out[#out + 1] = ("%s.%s%s"):format(module, name, told) end
    for inner, one in pairs(type(value) == "table" and value or {}) do
      local text = type(one) == "function" and signature(known, module, inner, one)
      if text then out[#out + 1] = ("%s.%s.%s%s"):format(module, name, inner, text) end
    end
  end
end

--- The lines of a class: itself, its fields, its methods.
local function class_lines(name, class)
  local list = {}
  for field, about in pairs(class.fields) do
    list[#list + 1] = ("    .%s%s: %s"):format(field, about.optional, about.type)
  end
  for method, about in pairs(class.methods) do
    if not about.private then list[#list + 1] = ("    :%s%s"):format(method, about.signature) end
  end
  table.sort(list)
  table.insert(list, 1, name .. (class.parent and ": " .. class.parent or ""))
  return list
end

--- The types that lines speak of, and those that these speak of.
local function types_of(known, lines)
  local found, queue, at = {}, {}, 1
  for i, line in ipairs(lines) do
    queue[i] = line
  end
  while queue[at] do
    for name in queue[at]:gmatch "abridge%.[%w_.]*%w" do
      local class, alias = known.classes[name], known.aliases[name]
      if (class or alias) and not found[name] then
        found[name] = alias and { name .. " = " .. alias } or class_lines(name, class)
        for _, line in ipairs(found[name]) do
          queue[#queue + 1] = line
        end
      end
    end
    at = at + 1
  end
  return found
end

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

---@return string[]
function M.lines()
  local known, out = docs.read "lua", {}
  for _, module in ipairs(MODULES) do
    put_module(known, module, out)
  end
  table.sort(out)
  local types = types_of(known, out)
  for _, name in ipairs(sorted_keys(types)) do
    out[#out + 1] = ""
    for _, line in ipairs(types[name]) do
      out[#out + 1] = line
    end
  end
  return out
end

return M
