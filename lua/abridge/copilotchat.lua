--- CopilotChat.nvim (4.7): caps the results and errors of its functions, by wrapping `resolve` in the configuration
--- that `setup` left. Its own `bash` gives a model neither stderr nor the exit code; in its place the same command is
--- run, with both in the output.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local exit_line = require "abridge.output.exit_line"
local host = require "abridge.base.host"
local mcp = require "abridge.mcp"
local options = require "abridge.hosts.options"
local replace = require "abridge.hosts.replace"
local safe = require "abridge.hosts.safe"

local M = {}

local POSITION = "^[^:\n]+:%d+: " -- what the plugin takes off an error, again and again

--- A function's result, its texts under one budget: a copy, unless it has none.
local function capped(name, output, opts)
  if type(output) == "string" then return safe.cap(name, output, opts) end
  if type(output) ~= "table" then return output end
  local texts, at, own = {}, {}, check.copied(output)
  for i, resource in ipairs(check.list(output)) do
    if type(resource) == "table" and type(resource.data) == "string" then
      texts[#texts + 1], at[#at + 1] = { type = "text", text = resource.data }, i
    end
  end
  if #texts == 0 then return output end
  local shown = mcp.cap(name, { content = texts }, opts).content
  for k, i in ipairs(at) do
    own[i] = check.copied(output[i])
    own[i].data = shown[k].text
  end
  return own
end

--- The message of an error as the model would see it.
local function capped_error(name, why, opts)
  local text = type(why) == "string" and why or (crude.cut(why, math.huge))
  while text:find(POSITION) do
    text = text:gsub(POSITION, "")
  end
  return safe.cap(name, text, opts)
end

--- Go on in the editor's loop. A function that ran a program goes on in a callback, in which our sessions can't work.
local function leave_callback()
  if not host.in_fast_event() then return end
  local ok, utils = pcall(require, "CopilotChat.utils")
  if ok then pcall(utils.schedule_main) end
end

local MERGED = 'exec bash -c "$1" 2>&1' -- both outputs in the order written

--- The plugin's `bash`, with stderr and how the command ended.
local function bash(input, source)
  local out = require("CopilotChat.utils").system({ "bash", "-c", MERGED, "bash", input.command }, source.cwd())
  local text = out.stdout ~= "" and out.stdout or exit_line.no_output
  local signal = (out.signal or 0) ~= 0 and require("abridge.process.group").signal_name(out.signal) or nil
  local line = exit_line.line { code = out.code, signal = signal }
  if line then text = text:gsub("\n$", "") .. "\n\n" .. line end
  return { { data = text } }
end

--- The plugin's own function of a name, if it has one.
local function built_in(name)
  local ok, functions = pcall(require, "CopilotChat.config.functions")
  return ok and functions[name] and functions[name].resolve
end

local ours = setmetatable({}, { __mode = "k" }) -- functions that `wrapped` made

local function wrapped(name, resolve, opts)
  local run = name == "bash" and resolve == built_in(name) and bash or resolve
  local function own(...)
    local ok, output = pcall(run, ...)
    leave_callback()
    local now = options.open(opts)
    if not ok then error(capped_error(name, output, now), 0) end
    return capped(name, output, now)
  end
  ours[own] = true
  return own
end

--- Cap the results of CopilotChat's functions from now on: those of its configuration as it is, so call this after
--- `setup`, and again if functions were added since; one that is wrapped stays as it is. Raises on misuse.
---@param chat table the module "CopilotChat"
---@param opts? abridge.SafeOptions
---@return fun() undo
function M.attach(chat, opts)
  local functions = type(chat) == "table" and type(chat.config) == "table" and chat.config.functions
  if type(functions) ~= "table" then
    check.fail "abridge.copilotchat.attach: chat must be the module CopilotChat, after its setup"
  end
  opts = options.for_plugin("abridge.copilotchat.attach", opts)
  local undo = {}
  for name, tool in pairs(functions) do
    if type(tool) == "table" and type(tool.resolve) == "function" then
      undo[#undo + 1] = replace.replace(tool, "resolve", function(resolve)
        return ours[resolve] and resolve or wrapped(name, resolve, opts) -- `setup` copies tables, not functions
      end)
    end
  end
  return function()
    for _, put_back in ipairs(undo) do
      put_back()
    end
  end
end

return M
