--- Arguments for the fuzzer of the Lua API: sensible ones by name, and anything at all, made to hurt.
local random = require "support.random"

local M = {}

--- What our own callbacks and metamethods raise; any other value that is no string was raised by nobody.
M.OWN = setmetatable({}, {
  __tostring = function()
    return "our own error"
  end,
})

local function raise()
  error(random.chance(2) and M.OWN or "our own error", 0)
end

--- A table whose metamethods raise, or answer what nobody expects.
local function hostile()
  local answer = random.choose { 0, -1, "x", false, 2 ^ 53, {} }
  local answers = {
    raise,
    raise,
    function()
      return answer
    end,
  }
  local meta = {}
  for _, name in ipairs {
    "__index",
    "__newindex",
    "__call",
    "__tostring",
    "__len",
    "__eq",
    "__lt",
    "__le",
    "__concat",
    "__unm",
    "__pairs",
  } do
    if random.chance(2) then meta[name] = random.choose(answers) end
  end
  if random.chance(4) then meta.__name = random.choose { "abridge.stream", "", 7 } end
  if random.chance(6) then meta.__metatable = false end
  return setmetatable(random.chance(2) and {} or { 1, 2, content = "x", max_bytes = 7 }, meta)
end

--- The object under test, which callbacks may call again while it is at work.
M.object = nil

local METHODS = { "write", "snapshot", "finish", "preview", "close", "call", "cap", "definitions", "limits" }

local function reenter()
  local object = M.object
  if object == nil then return 1 end
  local ok, method = pcall(function()
    return object[random.choose(METHODS)]
  end)
  if ok and type(method) == "function" then method(object, random.choose { "text", {} }) end
  return random.choose { 1, "x", true, {} }
end

local function endless()
  local t = {}
  t.t, t[1] = t, t
  return t
end

local NUMBERS = {
  0,
  1,
  -1,
  2,
  7,
  100,
  1.5,
  0.3,
  -0.0,
  255,
  65536,
  2 ^ 31,
  2 ^ 53,
  2 ^ 53 + 2,
  2 ^ 63,
  -2 ^ 63,
  1e300,
  math.huge,
  -math.huge,
  0 / 0,
  tonumber "9223372036854775807",
  tonumber "9007199254740993",
}

local STRINGS = {
  "",
  "a",
  "x\n",
  "30KB",
  "1.5 mb",
  "8PB",
  "99999999999GB",
  "head",
  "tail",
  "priority",
  "omit",
  "inside",
  "char",
  "\0",
  "\255\254",
  "\226\130",
  "a\nb\nc\n",
  "{lines}{bytes}{chars}",
  "{next}",
  "..",
  "/",
  "call-1",
  "%",
  "%d[",
  ("x"):rep(300),
  '{"truncated":false}',
  "[1,2",
  "null",
  "\27[31m\r",
  "max_bytes",
  "echo",
  "raiser",
  "size_cap",
}

local FUNCTIONS = {
  raise,
  reenter,
  function()
    return 1
  end,
  function() end,
  function(...)
    return ...
  end,
  function()
    return "x"
  end,
  function()
    return random.choose(NUMBERS)
  end,
  function()
    return {}
  end,
  function()
    return coroutine.yield "from a callback"
  end,
  function()
    error()
  end,
  function(text)
    return type(text) == "string" and #text or 0
  end,
}

--- Any value.
function M.anything(depth)
  depth = depth or 0
  local kind = random.below(depth > 2 and 6 or 9)
  if kind == 0 then return nil end
  if kind == 1 then return random.choose(NUMBERS) end
  if kind == 2 then return random.choose(STRINGS) end
  if kind == 3 then return random.chance(2) end
  if kind == 4 then return random.choose(FUNCTIONS) end
  if kind == 5 then
    return random.choose { endless(), hostile(), coroutine.create(raise), io.stdout, M.object or {}, {}, hostile() }
  end
  local t = {}
  for i = 1, random.below(4) do
    local key = random.chance(2) and i or random.choose(STRINGS)
    if random.chance(8) then key = random.choose { 1.5, true, M.OWN, raise, math.huge } end
    t[key] = M.anything(depth + 1)
  end
  return t
end

local TERMINAL = { "10%\r", "\27[K", "\27[2A", "\b", "\t", "x\n", "\27]8;;u\7" }

local size = 0 -- of the text that was drawn last

local function any_text()
  if random.chance(8) then return random.bytes(random.below(300)) end
  if random.chance(8) then return random.join(TERMINAL, random.below(60)) end
  local text = random.text(random.choose { 6, 60, 300 })
  if random.chance(6) then text = text .. "error: no such file\n" .. text .. "3 passed, 1 failed\n" end
  return text
end

--- A text; budgets drawn after it are often near its size.
function M.text()
  local text = any_text()
  size = #text
  return text
end

--- A budget: a count, or a size.
local function budget()
  if random.chance(3) then return random.near(size) end
  return random.choose { 0, 1, 7, 40, 200, 1000, 2 ^ 53, "1KB", random.below(300) }
end

--- A function that gives one of these.
local function one_of(...)
  local list = { ... }
  return function()
    return random.choose(list)
  end
end

local function counter()
  return random.choose {
    function(s)
      return #s
    end,
    function(s)
      return math.ceil(#s / 4)
    end,
  }
end

M.one_of = one_of

M.CUT = {
  max_bytes = budget,
  max_lines = function()
    return random.choose { 0, 1, 3, 20, 2 ^ 53 }
  end,
  max_chars = function()
    return random.chance(3) and random.near(size) or random.choose { 0, 1, 7, 40, 1000 }
  end,
  max_tokens = function()
    return random.choose { 0, 1, 7, 40, 1000 }
  end,
  count_tokens = counter,
  token_safety = one_of(0.5, 1, 2),
  reserve = one_of("", "[cut]", "\195\169"),
  utf8 = one_of("keep", "replace"),
  long_line = one_of("omit", "split"),
  head_ratio = one_of(0, 0.3, 1),
  snap = one_of("line", "char"),
  marker = one_of("inside", "outside", "none"),
  marker_text = one_of("-", "<{lines}>", ""),
  strategy = one_of("auto", "head", "tail", "head_tail", "priority", "pipeline"),
  clean = function()
    return random.choose { true, false, { color = false } }
  end,
  redact = function()
    return random.choose {
      { "x+" },
      {},
      function(line)
        return (line:gsub("e", "_"))
      end,
    }
  end,
  indicators = one_of(true, false),
  hits = function()
    return random.choose { { "x" }, { { "wor*", weight = 2 } }, { groups = { errors = false } } }
  end,
}

--- Options of some of the keys, now and then one that is wrong in value or name.
function M.options(keys, always)
  if random.chance(20) then return M.anything() end
  local opts, names = {}, {}
  for name in pairs(keys) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    if name == always or random.chance(#names > 8 and 6 or 2) then opts[name] = keys[name]() end
  end
  if random.chance(4) then opts[random.choose(names)] = M.anything() end
  if random.chance(30) then opts[random.choose { "nothing", 1, 0.5, true, M.OWN, raise }] = M.anything() end
  if random.chance(30) then return setmetatable(opts, getmetatable(hostile()) or nil) end
  return opts
end

--- Arguments, one of them at times anything, or one too few or too many. A table as self stays: a method of Lua cannot
--- tell its object from another table.
function M.arguments(n, ...)
  local args = { n = n, ... }
  local from = type(args[1]) == "table" and getmetatable(args[1]) and 1 or 0
  if random.chance(8) then
    local i = random.between(from + 1, n + 1)
    args[i], args.n = M.anything(), math.max(n, i)
  end
  if random.chance(40) then args.n = random.between(from, args.n) end
  return args
end

return M
