--- The options of adapters, which come in two ways. Code that calls an adapter gives it a session or limits: a wrong
--- option raises there. A plugin's configuration sets up an adapter that opens a session of its own: a wrong option is
--- reported and left out, as an error would take the whole plugin down. Loads without the core.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local tell = require "abridge.hosts.tell"
local profiles = require "abridge.output.profiles"

local M = {}

-- of a call ----------------------------------------------------------------------------

---@class (exact) abridge.SafeOptions
--- a session, or a table of its [options](#sessions), or a function that returns one; the last two are opened by the
--- first call, and attach without a core. Its limits for the tool, its ceiling, log, redaction and full outputs are
--- used. If it has been closed meanwhile, limits and redaction still hold, but there is no log and no file; a warning
--- says so once
---@field session? abridge.Session|abridge.SessionOptions|fun(): abridge.Session
--- a table of [limits](#profiles-and-limits) that replace those of the tool in the profile `default`; not with
--- `session`
---@field limits? abridge.Limits
--- a folder for full outputs, as for [`abridge.cap`](#cap-and-notice); not with `session`. With neither, whatever is
--- cut is lost
---@field save? string
--- a sentence with `{next}`, as for `abridge.cap`, for the limits and notices of `read_file` and `web_fetch` under that
--- name; not with `session` or `limits`
---@field resume? string

local function is_session(value)
  return check.session(value) == nil
end

--- The problem with the options of a session, in a session's own words, or nil. Without a core there is none.
local function wrong_session(opts)
  local found, sessions = pcall(require, "abridge.session")
  return found and sessions.wrong(opts) or nil
end

local SAFE_OPTIONS = {
  session = function(value)
    if type(value) == "function" or is_session(value) then return nil end
    return type(value) ~= "table" and "a session, options of one or a function that opens one" or nil
  end,
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
  if M.asked(opts) then
    local why = wrong_session(opts.session)
    if why then check.fail(("%s: session: %s"):format(who, why), 1 + deeper) end
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

local opened = setmetatable({}, { __mode = "k" }) -- sessions by the options or the function that opened them

--- Open a session, by options or by a function.
local function session_by(how)
  local session, why
  if type(how) == "function" then
    session, why = how()
  else
    session, why = require("abridge.session").logged(check.copied(how))
  end
  if not session then error(why or "no session was opened", 0) end
  if not is_session(session) then error("session: a session was wanted, got " .. check.show(session), 0) end
  return session
end

--- The options for a call: the session that they name is open.
---@param opts abridge.SafeOptions
---@return abridge.SafeOptions opts as they were if there is a problem
---@return any|nil problem why no session could be opened: outputs are cut crudely then
function M.open(opts)
  local how = opts.session
  if for_editor[opts] then
    if host.in_fast_event() then return {} end
    how = require("abridge.nvim.run").session
  elseif how == nil or is_session(how) then
    return opts
  end
  if opened[how] and not opened[how].closed then return { session = opened[how] } end
  local ok, session = pcall(session_by, how)
  if not ok then return opts, session end
  opened[how] = session
  return { session = session }
end

--- The options of a session that is not open yet, or nil.
---@param opts { session: any }
---@return abridge.SessionOptions|nil
function M.asked(opts)
  return type(opts.session) == "table" and not is_session(opts.session) and opts.session or nil
end

--- The limits that the options of a session name for a tool, as they are: nothing of them was checked.
---@param asked table abridge.SessionOptions
---@param tool string
---@return abridge.Limits
function M.limits_asked(asked, tool)
  local function table_of(value)
    return type(value) == "table" and value or {}
  end
  local profile = table_of(profiles.all[asked.profile])
  local name = table_of(asked.aliases)[tool] or table_of(profile.aliases)[tool] or tool
  local limits = check.copied(profile[name] or profile["*"] or {})
  for _, key in ipairs { profile[name] and name or "*", name, tool } do
    for limit, value in next, table_of(table_of(asked.limits)[key]) do
      limits[limit] = value
    end
  end
  return limits
end

-- of a configuration -------------------------------------------------------------------

---@class (exact) abridge.AdapterOptions
---@field limits? table<string, abridge.Limits> as for a [session](#sessions)
---@field aliases? table<string, string>
---@field profile? string
---@field redact? (fun(line: string): string)|string[]
---@field retention? abridge.Retention
--- a folder for log and full outputs; unless set, this process's own in the user's state directory, created with the
--- first call, which `:Abridge log` lists; with `retention` a folder apart; `false`: nothing is written
---@field run_dir? string|false
--- as for a session; unless set, a notice names CodeCompanion's `read_file` if the chat has it
---@field tool_names? abridge.ToolNames
---@field exclude_tools? string[] list of tools whose output passes unchanged, and stays in the history
--- limits of the text for the user; unless set, 200 lines and 10 KB, cut by its kind; `false`: as much as the host
--- shows
---@field user? abridge.Limits|false

---@class (exact) abridge.CodeCompanionOptions: abridge.AdapterOptions
--- options of [`history.fit`](#history), but `format` and `session`; `false`: chats are sent whole
---@field history? table|false

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
