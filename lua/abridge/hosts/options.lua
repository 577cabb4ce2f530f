--- The options of adapters, which come in two ways. Code that calls an adapter gives it a session or limits: a wrong
--- option raises there. A plugin's configuration sets up an adapter that opens a session of its own: a wrong option is
--- reported and left out, as an error would take the whole plugin down. Loads without the core.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local tell = require "abridge.hosts.tell"

local M = {}

-- of a call ----------------------------------------------------------------------------

---@class (exact) abridge.SafeOptions
---@field session? abridge.Session whose limits, log and full outputs are used; not for use with the other options
---@field limits? abridge.Limits in place of the tool's in the default profile
---@field save? string folder for full outputs, as of abridge.cap
---@field resume? string as of abridge.cap; not for use with `limits`

local SAFE_OPTIONS = {
  session = check.session,
  limits = "table",
  save = "string",
  resume = "string",
}

--- Check the options of an adapter. Raises at the level of the caller's caller.
---@param who string the public function
---@param opts any
---@param deeper? integer levels between the caller of this function and the public one
---@return abridge.SafeOptions
function M.checked(who, opts, deeper)
  deeper = deeper or 0
  opts = check.options(who, opts, SAFE_OPTIONS, 2 + deeper)
  if opts.session and (opts.limits or opts.save or opts.resume) then
    check.fail(who .. ": limits, save and resume cannot be used with session", 1 + deeper)
  elseif opts.limits and opts.resume then
    check.fail(who .. ": resume cannot be used with limits", 1 + deeper)
  end
  local ok, limit = pcall(require, "abridge.output.limit")
  if ok and opts.limits then limit.checked(who .. ": limits", limit.with_strategy(nil, opts.limits), 2 + deeper) end
  return opts
end

local for_editor = setmetatable({}, { __mode = "k" }) -- options that leave all to the editor's session

--- Check the options of an adapter to a plugin of Neovim. If there are none, the editor's session is used, so calls are
--- logged. Raises at the level of the caller's caller.
---@param who string the public function
---@param opts any
---@return abridge.SafeOptions
function M.for_plugin(who, opts)
  local checked = M.checked(who, opts, 1)
  for_editor[checked] = host.in_nvim and next(checked) == nil or nil
  return checked
end

--- The editor's session, or nil if there can be none now.
local function editor_session()
  if host.in_fast_event() then return nil end
  local ok, session = pcall(function()
    return require("abridge.nvim.run").session()
  end)
  return ok and session or nil
end

--- The options for a call: with the editor's session if that is to be used.
---@param opts abridge.SafeOptions
---@return abridge.SafeOptions
function M.open(opts)
  return for_editor[opts] and { session = editor_session() } or opts
end

-- of a configuration -------------------------------------------------------------------

---@class (exact) abridge.AdapterOptions
---@field limits? table<string, abridge.Limits> overrides by tool and key, as in abridge.SessionOptions; these too:
---@field aliases? table<string, string>
---@field profile? string
---@field redact? fun(line: string): string|string[]
---@field retention? abridge.Retention
---@field run_dir? string|false a folder of its own in the state directory unless set; false: nothing is written
---@field tool_names? abridge.ToolNames
---@field exclude_tools? string[] tools whose output passes as it is
---@field user? abridge.Limits|false of what the user is shown: 200 lines and 10 KB unless set; false: all

--- A check of an option of `abridge.session`, which raises in a session's own words.
local function session_option(key)
  return function(value)
    local opts = { [key] = value }
    if key ~= "run_dir" then
      opts.run_dir = false
    elseif value == false or type(value) == "string" and value ~= "" then
      return nil -- a folder is made when the session is opened
    end
    local ok, why = pcall(require("abridge.session").new, opts)
    if not ok then error(check.reason(why), 0) end
  end
end

--- Options that go to the session as they are.
M.of_session = { "aliases", "limits", "profile", "redact", "retention", "run_dir", "tool_names" }
local ADAPTER_OPTIONS = {
  exclude_tools = check.tool_names,
  user = function(value)
    if value == false then return nil end
    if type(value) ~= "table" then return "limits or false" end
    local ok, why = pcall(require("abridge.output.cap").cap, "", value)
    if not ok then error("user: " .. check.reason(why), 0) end
  end,
}
for _, key in ipairs(M.of_session) do
  ADAPTER_OPTIONS[key] = session_option(key)
end

local RENAMED = { exempt = "exclude_tools" }

--- The options that are right, each checked on its own; the others are reported.
---@param who string for messages
---@param opts any
---@param on_wrong fun(reason: string)
---@param more? table<string, string|function> options of this adapter alone, as `check.options` takes them
---@return abridge.AdapterOptions
function M.right_ones(who, opts, on_wrong, more)
  local right, kinds = {}, setmetatable(more or {}, { __index = ADAPTER_OPTIONS })
  if opts ~= nil and type(opts) ~= "table" then check.options(who, opts, kinds) end
  for key, value in next, opts or {} do
    local ok, why = pcall(check.options, who, { [key] = value }, kinds)
    if ok then
      right[key] = value
    else
      local new_name = RENAMED[key]
      on_wrong(tell.reason(why) .. (new_name and ": it is called " .. new_name .. " now" or ""))
    end
  end
  return right
end

return M
