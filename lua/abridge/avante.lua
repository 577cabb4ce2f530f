--- avante.nvim (at commit a933431, whose tools are `func(input, opts)`; before that they were `func(input, on_log,
--- on_complete, session_ctx)`, which works too): caps results and errors of tools, returned or handed to `on_complete`.
--- When a tool fails, avante shows the model only the error, and its own tools put whole outputs there.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local encode = require "abridge.base.encode"
local options = require "abridge.hosts.options"
local replace = require "abridge.hosts.replace"
local safe = require "abridge.hosts.safe"

local M = {}

local DECLINED = "^User declined" -- how avante knows an error that ends the turn

local function capped_error(name, failure, opts)
  if failure == nil then return nil end
  local text = type(failure) == "string" and failure or (crude.cut(failure, math.huge))
  local shown = safe.cap(name, text, opts)
  if not text:find(DECLINED) or shown:find(DECLINED) then return shown end
  return (crude.cut(safe.redacted(text, opts), safe.crude_budgets(name, opts)))
end

--- A result. avante encodes anything but a string, so a table over the limits becomes its JSON, cut.
local function capped_result(name, result, opts)
  if type(result) == "string" then return safe.cap(name, result, opts) end
  if type(result) ~= "table" then return result end
  result = safe.redacted(result, opts)
  if type(result) ~= "table" then return result end
  local json = encode.json(result)
  local ok, text = pcall(function()
    return json or (require("abridge.output.yielded").encoded(result))
  end)
  local shown = safe.cap(name, ok and text or crude.cut(result), opts)
  return json and shown == json and result or shown
end

local function capped(name, opts, result, failure)
  opts = options.open(opts)
  return capped_result(name, result, opts), capped_error(name, failure, opts)
end

--- The arguments of a call, with an `on_complete` that caps: a field of the first, if that is a table, or the second.
local function completing(name, opts, first, second, ...)
  local function wrapped(on_complete)
    return function(result, failure)
      return on_complete(capped(name, opts, result, failure))
    end
  end
  if type(first) == "table" and type(first.on_complete) == "function" then
    local own = setmetatable(check.copied(first), getmetatable(first))
    own.on_complete = wrapped(first.on_complete)
    return own, second, ...
  end
  return first, type(second) == "function" and wrapped(second) or second, ...
end

local ours = setmetatable({}, { __mode = "k" }) -- functions of tools that `wrap` made

local function caps_itself(tools, name)
  for _, tool in ipairs(check.list(type(tools) == "table" and tools or {})) do
    if tool.name == name then return ours[tool.func] end
  end
end

--- A custom tool whose output is capped: a copy of it, every other field kept. One without a `func` comes back as it
--- is. If its function raises, that becomes the error that avante shows the model.
---@param tool table an AvanteLLMTool
---@param opts? abridge.SafeOptions
---@return table tool
function M.wrap(tool, opts)
  if type(tool) ~= "table" then check.fail("abridge.avante.wrap: tool must be a table, got " .. check.show(tool)) end
  opts = options.for_plugin("abridge.avante.wrap", opts)
  local func, name = tool.func, tool.name
  if func == nil then return tool end
  local own = setmetatable(check.copied(tool), getmetatable(tool))
  function own.func(input, ...)
    local ok, result, failure = pcall(func, input, completing(name, opts, ...))
    if not ok then return nil, capped_error(name, result == nil and "nil" or result, (options.open(opts))) end
    return capped(name, opts, result, failure)
  end
  ours[own.func] = true
  return own
end

--- Cap the output of every tool that avante runs, its own, those of MCP servers and custom ones. A second call changes
--- nothing. Raises on misuse.
---@param llm_tools table the module "avante.llm_tools"
---@param opts? abridge.SafeOptions
---@return fun() undo
function M.tools(llm_tools, opts)
  if type(llm_tools) ~= "table" or type(llm_tools.process_tool_use) ~= "function" then
    check.fail "abridge.avante.tools: llm_tools must be avante.llm_tools, with process_tool_use"
  end
  opts = options.for_plugin("abridge.avante.tools", opts)
  return replace.replace(llm_tools, "process_tool_use", function(process_tool_use)
    return function(tools, tool_use, ...)
      local name = type(tool_use) == "table" and tool_use.name
      if caps_itself(tools, name) then return process_tool_use(tools, tool_use, ...) end
      return capped(name, opts, process_tool_use(tools, tool_use, completing(name, opts, ...)))
    end
  end)
end

return M
