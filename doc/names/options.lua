--- Do the annotations of options say what the code takes? Each class of options is held against the code: functions
--- that check options with `check.options` are asked for the kinds they check by, those of the core by trying.

local check = require "abridge.base.check"
local host = require "abridge.base.host"

local M = {}

local PROBE = "\0probe" -- an option that no function knows

--- What the calls below need: a session, a result, a conversation.
local function world()
  local abridge = require "abridge"
  local session = abridge.session { run_dir = false }
  return { abridge = abridge, session = session, result = session:cap("x", "text") }
end

--- Options over others that a call needs.
local function over(base, opts)
  local all = check.copied(base)
  for key, value in pairs(opts) do
    all[key] = value
  end
  return all
end

local function fit(opts)
  require("abridge.history").fit({}, over({ format = "openai", max_tokens = 1 }, opts))
end

--- Calls of functions that take a text, or a path, and options, by their names.
local function of(names, base)
  local calls = {}
  for i, name in ipairs(names) do
    calls[i] = function(w, opts)
      return w.abridge[name]("text", over(base, opts))
    end
  end
  return calls
end

--- A call under each strategy, as some options are for some strategies.
local function by_strategy(call)
  local calls = {}
  for i, strategy in ipairs { "head", "head_tail", "auto", "pipeline" } do
    calls[i] = function(w, opts)
      return call(w, over({ strategy = strategy, max_lines = 1 }, opts))
    end
  end
  return calls
end

local REPLY = { role = "assistant", content = "text" }

--- By class: a function that hands options of the class to the code, or several; those that not all take count too.
local CALLS = {
  ["abridge.AdapterOptions"] = function(_, opts)
    require("abridge.hosts.options").right_ones("probe", opts, function() end)
  end,
  ["abridge.CallOptions"] = function(w, opts)
    w.session:call("none", {}, opts)
  end,
  ["abridge.CapOptions"] = function(w, opts)
    w.abridge.cap("text", nil, opts)
  end,
  ["abridge.CodeCompanionOptions"] = function(_, opts)
    local more = { history = require("codecompanion._extensions.abridge.history").option }
    require("abridge.hosts.options").right_ones("probe", opts, function() end, more)
  end,
  ["abridge.ConformanceCase"] = function(_, opts)
    require("abridge.conformance").run { tool = "x", session = print, cases = { fits = opts } }
  end,
  ["abridge.ConformanceOptions"] = function(_, opts)
    require("abridge.conformance").run(opts)
  end,
  ["abridge.CutOptions"] = by_strategy(function(w, opts)
    return w.abridge.cut("text", opts)
  end),
  ["abridge.DisplayOptions"] = function(w, opts)
    w.abridge.display(w.result, opts)
  end,
  ["abridge.EventFilter"] = function(w, opts)
    w.session:events(opts)
  end,
  ["abridge.Expectations"] = function(w, opts)
    require("abridge.conformance").check(w.result, opts)
  end,
  ["abridge.FilePageOptions"] = by_strategy(function(w, opts)
    return w.abridge.page("/nowhere", opts)
  end),
  ["abridge.FollowOptions"] = function(w, opts)
    require("abridge.conformance").follow(w.session, "x", {}, opts)
  end,
  ["abridge.GatewayOptions"] = function(_, opts)
    require("abridge.gateway").new(over({ max_tokens = 1 }, opts))
  end,
  ["abridge.HistoryFormat"] = function(_, opts)
    fit { format = opts }
  end,
  ["abridge.HistoryOptions"] = function(_, opts)
    fit(opts)
  end,
  ["abridge.HistoryTool"] = function(_, opts)
    fit { tools = { x = opts } }
  end,
  ["abridge.HistoryUsage"] = function(_, opts)
    fit { usage = opts }
  end,
  ["abridge.Limits"] = by_strategy(function(w, opts)
    w.abridge.session { run_dir = false, window = 100, limits = { x = opts } }
  end),
  ["abridge.LocationsOptions"] = of({ "locations" }, {}),
  ["abridge.OtelOptions"] = function(w, opts)
    require("abridge.otel").attributes(w.result, opts)
  end,
  ["abridge.PageOptions"] = function(w, opts)
    w.session:full_output("call-1", opts)
  end,
  ["abridge.PipelineOptions"] = of({ "pipeline" }, { max_lines = 1 }),
  ["abridge.SafeOptions"] = function(_, opts)
    require("abridge.mcp").cap("x", "text", opts)
  end,
  ["abridge.SessionCapOptions"] = function(w, opts)
    w.session:cap("x", "text", opts)
  end,
  ["abridge.SessionOptions"] = function(w, opts)
    w.abridge.session(opts)
  end,
  ["abridge.StreamOptions"] = by_strategy(function(w, opts)
    w.abridge.stream(opts):close()
  end),
  ["abridge.ToolDefinition"] = function(w, opts)
    w.session:register(opts)
  end,
  ["abridge.TurnOptions"] = function(w, opts)
    require("abridge.openai").results(w.session, REPLY, opts)
  end,
  ["abridge.nvim.RenderOptions"] = function(w, opts)
    require("abridge.nvim").render(0, w.result, opts)
  end,
  ["abridge.nvim.RunOptions"] = function(w, opts)
    require("abridge.nvim").run(w.session, "x", {}, opts)
  end,
  ["abridge.nvim.SetupOptions"] = function(_, opts) -- as if this were Neovim: an unknown option ends it
    host.in_nvim = true
    local ok, why = pcall(require("abridge.nvim").setup, opts)
    host.in_nvim = false
    if not ok then error(why, 0) end
  end,
}

-- types ---------------------------------------------------------------------------------

--- The alternatives of a type; what a function returns takes all that follows it.
local function alternatives(type_text)
  local list, depth, first, at = {}, 0, 1, 1
  while at <= #type_text do
    local char = type_text:sub(at, at)
    if char == '"' then
      at = type_text:find('"', at + 1, true) or #type_text
    elseif char:find "[%(%[{<]" then
      depth = depth + 1
    elseif char:find "[%)%]}>]" then
      depth = depth - 1
      if depth == 0 and char == ")" and type_text:find("^:", at + 1) then break end
    elseif char == "|" and depth == 0 then
      list[#list + 1] = type_text:sub(first, at - 1)
      first = at + 1
    end
    at = at + 1
  end
  list[#list + 1] = type_text:sub(first)
  return list
end

--- Values of each type: one of them is right wherever the type is.
local VALUES = {
  string = { "x", "1KB", "7d", "{next}", "default", "5%" },
  number = { 1, 0.5 },
  boolean = { true },
  ["false"] = { false },
  table = { {}, { "x" } },
  ["function"] = {
    function()
      return 1
    end,
  },
}

local BASIC = { integer = "number", ["true"] = "boolean" }
for _, name in ipairs { "number", "string", "boolean", "false", "userdata", "table" } do
  BASIC[name] = name
end

--- The types of Lua that an annotation allows, as a set, and those of them that it allows any value of.
local function lua_types(known, annotation)
  local set, free = {}, {}
  for _, one in ipairs(alternatives(annotation)) do
    if known.aliases[one] then
      for name in pairs((lua_types(known, known.aliases[one]))) do
        set[name] = true
      end
    elseif one:find "^fun%(" or one:find "^%(fun%(" and not one:find "%[%]$" then
      set["function"] = true
    elseif one == "any" then
      for name_of_value in pairs(VALUES) do
        set[name_of_value] = true
      end
    elseif one ~= "nil" then
      local name = BASIC[one] or one:find '^"' and "string" or "table"
      set[name], free[name] = true, free[name] or BASIC[one] ~= nil
    end
  end
  return set, free
end

--- The types for which `takes(value)` is true of a value.
local function types_by(takes)
  local set = {}
  for name, values in pairs(VALUES) do
    for _, value in ipairs(values) do
      set[name] = set[name] or takes(value) or nil
    end
  end
  return set
end

--- The types of Lua that a kind of `check.options` takes.
local function taken_by(kind)
  return types_by(function(value)
    if type(kind) == "string" then return ("|" .. kind .. "|"):find("|" .. type(value) .. "|", 1, true) ~= nil end
    local ok, expected = pcall(kind, value)
    return ok and expected == nil
  end)
end

local function takes_all(types)
  for name in pairs(VALUES) do
    if not types[name] then return false end
  end
  return true
end

-- asking the code -----------------------------------------------------------------------

--- The kinds that a call checks its options by; nil where it does not come to `check.options` with them.
local function kinds_of(w, call)
  local options, found = check.options, nil
  function check.options(who, opts, kinds, deeper) -- luacheck: ignore 122
    if type(opts) == "table" and rawget(opts, PROBE) then found = kinds end
    return options(who, opts, kinds, (deeper or 0) + 1)
  end
  pcall(call, w, { [PROBE] = true })
  check.options = options -- luacheck: ignore 122
  if not found then return nil end
  local all, inherited = {}, (getmetatable(found) or {}).__index
  for _, kinds in ipairs { type(inherited) == "table" and inherited or {}, found } do
    for key, kind in pairs(kinds) do
      all[key] = kind
    end
  end
  return all
end

--- Whether a call takes an option with a value: "unknown" or "wrong" where it does not.
local function refusal(w, call, key, value)
  local ok, why = pcall(call, w, { [key] = value })
  if ok or type(why) ~= "string" then return nil end
  if why:find("unknown %a+ '" .. key .. "'") or why:find(key .. " is not for pages") then return "unknown" end
  if why:find("[%s:%.]" .. key .. " must be ") then return "wrong" end
  if why:find(key .. " %a+ for ") or why:find(key .. " is not for ") then return "wrong" end -- elsewhere
end

--- The types that a call takes an option with; nil where it knows no such option.
local function types_tried(w, call, name)
  local known = true
  local types = types_by(function(value)
    local refused = refusal(w, call, name, value)
    known = known and refused ~= "unknown"
    return not refused
  end)
  return known and types or nil
end

--- Names that the binding has among its literals: whatever it may take as an option.
local function literals()
  local names, pipe = {}, assert(io.popen "cat csrc/lua/*.c")
  for name in pipe:read("*a"):gmatch '"([%a_]+)"' do
    names[name] = true
  end
  pipe:close()
  return names
end

--- The options that calls take of these names, found by trying.
local function tried(w, calls, names)
  local kinds = {}
  for _, call in ipairs(calls) do
    for name in pairs(names) do
      local types = types_tried(w, call, name)
      if types then kinds[name] = over(kinds[name] or {}, types) end
    end
  end
  return kinds
end

--- What the code takes for a class: for each option the set of types.
local function taken(w, calls, fields)
  local kinds, types = type(calls) == "function" and kinds_of(w, calls), {}
  if not kinds then
    local names = over(literals(), fields)
    return tried(w, type(calls) == "function" and { calls } or calls, names)
  end
  for key, kind in pairs(kinds) do
    types[key] = taken_by(kind)
    if takes_all(types[key]) then types[key] = types_tried(w, calls, key) end -- it is checked elsewhere
  end
  return types
end

-- the comparison --------------------------------------------------------------------------

--- The fields of a class and of those it extends.
local function fields_of(known, name)
  local class, all = known.classes[name], {}
  for field, about in pairs(class.parent and fields_of(known, class.parent) or {}) do
    all[field] = about
  end
  for field, about in pairs(class.fields) do
    all[field] = about
  end
  return all
end

--- What is wrong with the annotation of one option.
local function wrong_type(known, about, types)
  local annotated, free = lua_types(known, about.type)
  local first -- of what is wrong, whatever the order of a table
  for name in pairs(VALUES) do
    local said, why = annotated[name] or name == "false", nil -- false may stand for nothing
    if types[name] and not said then why = ("takes a %s, which `%s` is not"):format(name, about.type) end
    if free[name] and not types[name] then why = ("takes no %s as in `%s`"):format(name, about.type) end
    if why and (not first or why < first) then first = why end
  end
  return first
end

--- What is wrong with the annotation of a class.
local function compare(known, w, name, out)
  local fields = fields_of(known, name)
  local types = taken(w, CALLS[name], fields)
  for field, about in pairs(fields) do
    if not types[field] then
      out[#out + 1] = ("%s: the code reads no option %s"):format(name, field)
    else
      local why = wrong_type(known, about, types[field])
      if why then out[#out + 1] = ("%s.%s: it %s"):format(name, field, why) end
    end
  end
  for option in pairs(types) do
    if not fields[option] then out[#out + 1] = ("%s: the annotation lacks %s"):format(name, option) end
  end
end

--- What annotations of options say and the code does not do, and the reverse, in sentences.
---@param known table what `docs.read` found
---@param types table<string, any> by the names of the public ones
---@return string[]
function M.problems(known, types)
  local out, w = {}, world()
  local parents = {}
  for _, class in pairs(known.classes) do
    parents[class.parent or ""] = true
  end
  for name in pairs(types) do
    if name:find "Options$" and not CALLS[name] and not parents[name] then
      out[#out + 1] = ("%s: doc/names/options.lua does not say how it is handed over"):format(name)
    end
  end
  for name in pairs(CALLS) do
    compare(known, w, name, out)
  end
  w.session:close()
  table.sort(out)
  return out
end

return M
