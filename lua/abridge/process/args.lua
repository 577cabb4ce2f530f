--- The arguments of a process: checked, and as libuv wants them. Only the raw fields of the caller's tables count.

local check = require "abridge.base.check"

local show = check.show

local M = {}

local OPTIONS = {
  cwd = "string",
  env = "table",
  merge_stderr = "boolean",
  timeout = "number",
  stall = "number",
  grace = "number",
  linger = "number",
}

local HANDLERS = {
  on_output = "function",
  read_output = "function",
  on_stderr = "function",
  on_exit = "function",
}

---@param s string
---@return boolean
local function has_nul(s)
  return s:find("\0", 1, true) ~= nil
end

---@param given any
---@param kinds table<string, string>
---@param what string
---@return table copy
local function checked_table(given, kinds, what)
  if given == nil then
    return {}
  elseif type(given) ~= "table" then
    error(("spawn: %s must be a table, got %s"):format(what, show(given)), 4)
  end
  for key, value in next, given do
    if not kinds[key] then
      error(("spawn: unknown key %s in %s"):format(show(key), what), 4)
    elseif type(value) ~= kinds[key] then
      error(("spawn: %s.%s must be a %s, got %s"):format(what, key, kinds[key], show(value)), 4)
    end
  end
  return check.copied(given)
end

---@param argv any
---@return string[] copy
local function checked_argv(argv)
  local words = {}
  if type(argv) == "table" then
    for i, word in ipairs(check.list(argv)) do
      if type(word) ~= "string" then error(("spawn: argv[%d] must be a string, got %s"):format(i, show(word)), 4) end
      words[i] = word
    end
  end
  if #words == 0 then error(("spawn: argv must be an array of at least one string, got %s"):format(show(argv)), 4) end
  return words
end

---@param env table
---@return table copy
local function checked_env(env)
  for name, value in next, env do
    if type(name) ~= "string" or name == "" or name:find("=", 1, true) or has_nul(name) then
      error(("spawn: opts.env has the bad name %s"):format(show(name)), 4)
    elseif value ~= false and (type(value) ~= "string" or has_nul(value)) then
      error(("spawn: opts.env.%s must be a string without NUL, or false, got %s"):format(name, show(value)), 4)
    end
  end
  return check.copied(env)
end

---@param opts abridge.process.Options
local function check_seconds(opts)
  for _, key in ipairs { "timeout", "stall", "grace", "linger" } do
    local value = opts[key]
    local some = key == "timeout" or key == "stall"
    local least = some and "> 0" or ">= 0"
    if value and not (value < math.huge and (value > 0 or (value == 0 and not some))) then
      error(("spawn: opts.%s must be a finite number %s, got %s"):format(key, least, show(value)), 4)
    end
  end
end

--- Copies of the arguments of `spawn`. Raises on misuse, at the level of the caller of `spawn`.
---@param argv any
---@param opts any
---@param handlers any
---@return string[] argv
---@return abridge.process.Options opts
---@return abridge.process.Handlers handlers
function M.checked(argv, opts, handlers)
  local words = checked_argv(argv)
  local own = checked_table(opts, OPTIONS, "opts")
  own.env = own.env and checked_env(own.env)
  check_seconds(own)
  return words, own, checked_table(handlers, HANDLERS, "handlers")
end

--- NUL bytes are the world's fault, not the caller's: arguments and folders may come from a model.
---@param argv string[]
---@param cwd string|nil
---@return string|nil message
function M.find_nul(argv, cwd)
  for i, argument in ipairs(argv) do
    if has_nul(argument) then return ("argument %d contains a NUL byte"):format(i - 1) end
  end
  return cwd and has_nul(cwd) and "the working directory contains a NUL byte" or nil
end

--- The environment of a child.
---@param uv table
---@param changes table<string, string|false>|nil
---@return string[]|nil list nil inherits
function M.environment(uv, changes)
  if not changes then return nil end
  local env = uv.os_environ()
  for name, value in pairs(changes) do
    env[name] = value or nil
  end
  local list = {}
  for name, value in pairs(env) do
    list[#list + 1] = name .. "=" .. value
  end
  table.sort(list) -- the child sees the same order on every host
  return list
end

return M
