--- What a host may require, and the types that its functions name: what is loaded tells the names, the docstrings tell
--- the signatures.

local docs = require "names.docs"
local options = require "names.options"

local M = {}

local MODULES = {
  "abridge",
  "abridge.anthropic",
  "abridge.avante",
  "abridge.conformance",
  "abridge.copilotchat",
  "abridge.flemma",
  "abridge.gateway",
  "abridge.gateway.apisix",
  "abridge.gateway.nginx",
  "abridge.health",
  "abridge.history",
  "abridge.mcp",
  "abridge.mcphub",
  "abridge.nvim",
  "abridge.openai",
  "abridge.otel",
  "codecompanion._extensions.abridge",
}

local CORE = "abridge.Core" -- the class whose fields are the functions in C

--- A signature without the names of its parameters, which are shorter in a class.
local function types_alone(signature)
  return (signature:gsub("[%w_]+(%??: )", "%1"))
end

--- Note what is wrong with the docstring of a public function, and where the class of its module says otherwise.
local function put_problems(known, module, name, own)
  local place = module .. "." .. name
  for _, problem in ipairs(own.problems) do
    known.problems[#known.problems + 1] = ("%s: %s"):format(place, problem)
  end
  local field = (known.classes[module] or { fields = {} }).fields[name]
  if field and types_alone(field.type) ~= types_alone("fun" .. own.signature) then
    known.problems[#known.problems + 1] = ("%s: its class has `%s`"):format(place, field.type)
  end
end

--- The signatures of a value that a module has: what its docstring says, or its class.
local function signatures(known, module, name, value)
  local core = known.classes[CORE].fields[name]
  if type(value) ~= "function" then return { ": " .. type(value) } end
  local info = debug.getinfo(value, "S")
  local own = known.functions[info.source:gsub("^@", "") .. ":" .. info.linedefined]
  if own and own.private then return {} end
  if own then
    put_problems(known, module, name, own)
    return { own.signature, (table.unpack or unpack)(own.overloads) }
  end
  assert(core and info.what == "C", ("%s.%s has no docstring"):format(module, name))
  return { ": " .. core.type }
end

--- The class with the methods of what a page calls `session`, `run` and so on.
local function class_of(known, word)
  return assert(known.classes["abridge." .. word:gsub("^%l", string.upper)], "no class of a " .. word)
end

--- What a type such as `fun(text: string): kind: string` says, as a docstring would.
---@param type_text string
---@param text? string what is said beside it
---@return { params: string[], results: string[], text: string|nil }
function M.told_of_type(type_text, text)
  local params, results = type_text:match "(%b())(.*)$"
  local about = { params = {}, results = {}, text = text ~= "" and text or nil }
  for name in params:sub(2, -2):gsub("%b()", ""):gmatch "([%w_]+%??): " do
    if name ~= "self" then about.params[#about.params + 1] = name end
  end
  for name in results:gmatch "([%w_]+): " do
    about.results[#about.results + 1] = name
  end
  return about
end

--- The function of a name, and how a page shows that name: `nvim.render` as it is, `abridge.history.fit` with its
--- `require`.
local function function_of(name)
  local module, inner = name:match "^(.*)%.([%w_]+)$"
  if module == "abridge" then return require(module)[inner], name end
  local part = require("abridge")[module:match "^abridge%.(.*)$" or ""]
  if part then return part[inner], name end
  if module:find "^abridge%." then return require(module)[inner], ('require("%s").%s'):format(module, inner) end
  return require("abridge." .. module)[inner], name
end

--- What the docstring of a function or a method says, or the class of the core; and the name that a page shows.
local function about_of(known, name)
  local object, method = name:match "^(%l+):([%l_]+)$"
  if object then return assert(class_of(known, object).methods[method], "no method " .. name), name end
  local value, shown = function_of(name)
  local info = debug.getinfo(assert(value, "no function " .. name), "S")
  local about = known.functions[info.source:gsub("^@", "") .. ":" .. info.linedefined]
  if about then return about, shown end
  local field = assert(known.classes[CORE].fields[name:match "[%w_]+$"], name .. " has no docstring")
  return M.told_of_type(field.type, field.text), shown
end

--- The ways to call a function or a method: by names alone, `params` and `results`, with the `text` beside a function
--- of the core; and by what name it is `shown`.
---@param known table what `docs.read` found
---@param name string `session:call`, `abridge.cap`, `nvim.render`
---@return { params: string[], results: string[], text: string|nil, shown: string }[]
function M.called(known, name)
  local about, shown = about_of(known, name)
  local ways = {}
  for i, overload in ipairs(about.overloads or {}) do
    ways[i] = M.told_of_type(overload)
  end
  ways[#ways + 1] = { params = about.params, results = about.results, text = about.text }
  for _, way in ipairs(ways) do
    way.shown = shown
  end
  return ways
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
    for _, told in ipairs(signatures(known, module, name, value)) do
      out[#out + 1] = ("%s.%s%s"):format(module, name, told)
    end
    for inner, one in pairs(type(value) == "table" and value or {}) do
      for _, told in ipairs(type(one) == "function" and signatures(known, module, inner, one) or {}) do
        out[#out + 1] = ("%s.%s.%s%s"):format(module, name, inner, told)
      end
    end
  end
end

--- The lines of a class: itself, its fields, its methods.
local function class_lines(known, name, class)
  local list = {}
  for field, about in pairs(class.fields) do
    list[#list + 1] = ("    .%s%s: %s"):format(field, about.optional, about.type)
  end
  for method, about in pairs(class.methods) do
    if not about.private then
      put_problems(known, name, method, about)
      for _, told in ipairs { about.signature, (table.unpack or unpack)(about.overloads) } do
        list[#list + 1] = ("    :%s%s"):format(method, told)
      end
    end
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
        found[name] = alias and { name .. " = " .. alias } or class_lines(known, name, class)
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

--- Every public name with its signature, a line each, and what is wrong with the annotations: parameters and options
--- that only they or only the code have.
---@return string[] lines
---@return string[] problems
function M.lines()
  local known, out = docs.read "lua", {}
  known.problems = {}
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
  for _, problem in ipairs(options.problems(known, types)) do
    table.insert(known.problems, problem)
  end
  for place, about in pairs(known.functions) do
    if about.foreign then table.insert(known.problems, ("%s: %s"):format(place, about.foreign)) end
  end
  return out, known.problems
end

return M
