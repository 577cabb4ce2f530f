--- What adapters to other programs share: a way to fail safe, a host's function replaced in place, the options of those
--- that take a session or limits. Loads without the core, so that an adapter still cuts where the core is missing.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local host = require "abridge.base.host"
local profiles = require "abridge.output.profiles"

local M = {}

---@class (exact) abridge.SafeOptions
---@field session? abridge.Session whose limits, log and full outputs are used; the others are not for use with it
---@field limits? abridge.Limits in place of the tool's in the default profile
---@field save? string folder for full outputs, as of abridge.cap
---@field resume? string as of abridge.cap; not for use with `limits`

local OPTIONS = {
  session = function(value)
    if type(value) ~= "table" or type(value.cap) ~= "function" then return "a session" end
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
function M.options(who, opts, deeper)
  deeper = deeper or 0
  opts = check.options(who, opts, OPTIONS, 2 + deeper)
  if opts.session and (opts.limits or opts.save or opts.resume) then
    check.fail(who .. ": limits, save and resume are not for use with session", 1 + deeper)
  elseif opts.limits and opts.resume then
    check.fail(who .. ": resume is not for use with limits", 1 + deeper)
  end
  local ok, limit = pcall(require, "abridge.output.limit")
  if ok and opts.limits then limit.checked(who .. ": limits", opts.limits, 2 + deeper) end
  return opts
end

local for_editor = setmetatable({}, { __mode = "k" }) -- options that leave all to the editor's session

--- Check the options of an adapter to a plugin of Neovim. Where they say nothing, the editor's session is used, and so
--- calls are logged. Raises at the level of the caller's caller.
---@param who string the public function
---@param opts any
---@return abridge.SafeOptions
function M.plugin_options(who, opts)
  local checked = M.options(who, opts, 1)
  for_editor[checked] = host.in_nvim and next(checked) == nil or nil
  return checked
end

--- The editor's session, or nil where it cannot be had.
local function editor_session()
  if host.in_fast_event() then return nil end
  local ok, session = pcall(function()
    return require("abridge.nvim.run").session()
  end)
  return ok and session or nil
end

--- The options for a call: with the editor's session, where that is to be used.
---@param opts abridge.SafeOptions
---@return abridge.SafeOptions
function M.open(opts)
  return for_editor[opts] and { session = editor_session() } or opts
end

--- A value as the session redacts it, all strings of a table too; the value itself where there is nothing to hide.
---@param value any
---@param opts { session: abridge.Session|nil }
---@return any
function M.redacted(value, opts)
  local redactor = opts.session and opts.session.redactor
  if not redactor or value == nil then return value end
  local ok, shown, changed = pcall(redactor.data, redactor, value)
  if not ok then return crude.withheld end
  return changed and shown or value
end

--- A size as the core reads it, for where there is no core: 30720 or "30KB".
local function bytes_of(size)
  if type(size) ~= "string" then return size end
  local number, unit = size:lower():match "^(%d+%.?%d*) ?([kmgtp]?b?)$"
  local scale = number and ("bkmgtp"):find(unit:sub(1, 1), 1, true) -- 1 for no unit
  return number and math.floor(tonumber(number) * 1024 ^ (math.max(scale, 1) - 1)) or nil
end

--- Budgets of a crude cut: those in force where they can be had, else those that were asked for, else the usual ones.
---@param tool string
---@param opts { session: abridge.Session|nil, limits: abridge.Limits|nil }
---@return table<string, any>
function M.crude_budgets(tool, opts)
  local ok, limits = pcall(function()
    return require("abridge.output.share").limits(tool, opts)
  end)
  if not ok then limits = opts.limits or { max_lines = crude.default_lines } end
  local budgets = M.copied(limits)
  budgets.max_bytes = bytes_of(budgets.max_bytes)
  local named = profiles.exec_budgets[budgets.output]
  if named and named < (budgets.max_bytes or math.huge) then budgets.max_bytes = named end
  return budgets
end

--- Tell the user of something, where messages may be shown: a notification inside Neovim, else a line on stderr. Never
--- raises.
---@param message string
function M.notify(message)
  message = "abridge: " .. message
  local editor = rawget(_G, "vim")
  local ok = editor and pcall(editor.schedule, function()
    editor.notify(message, editor.log.levels.WARN)
  end)
  if not ok then pcall(io.stderr.write, io.stderr, message .. "\n") end
end

--- What is told of a crude cut, with the tool and why.
M.told_crude = "the output of %s was cut crudely: %s"

--- Why something failed, in a line, the same one each time: that of a missing core goes on with what to run.
---@param why any what pcall gave
---@return string
function M.reason(why)
  local first, second = check.message(why):gsub("^abridge: ", ""):match "^([^\n]*)\n?([^\n]*)"
  return first:find ":$" and first .. " " .. second or first
end

local told = {} -- reasons that were told already

--- Tell why an output was cut crudely, each reason once.
---@param tool string
---@param why any
function M.warn(tool, why)
  local reason = M.reason(why)
  if told[reason] then return end
  told[reason] = true
  M.notify(M.told_crude:format(tool, reason))
end

--- A text of a tool cut crudely because something failed, which is told once. Never raises.
---@param tool string
---@param text any
---@param opts { session: abridge.Session|nil, limits: abridge.Limits|nil }
---@param why any what failed
---@return string
function M.cut_crudely(tool, text, opts, why)
  M.warn(tool, why)
  return (crude.cut(M.redacted(text, opts), M.crude_budgets(tool, opts)))
end

--- Cap one text of a tool. Never raises, and never gives everything: when something inside fails it cuts crudely, and
--- tells why.
---@param tool any its name
---@param text string
---@param opts abridge.SafeOptions
---@return string content
function M.cap(tool, text, opts)
  tool, opts = check.name(tool), M.open(opts)
  local ok, content, problem = pcall(function()
    local share = require "abridge.output.share"
    local content, _, _, problem = share.cap(tool, text, share.limits(tool, opts), {}, opts)
    return content, problem
  end)
  if not ok then return M.cut_crudely(tool, text, opts, content) end
  if problem then M.warn(tool, problem) end
  return content
end

local replaced = setmetatable({}, { __mode = "k" }) -- by owner and name: what puts the function back

--- Replace a function of a host's table in place, once: a second call changes nothing.
---@param owner table
---@param name string
---@param make fun(original: function): function
---@return fun() undo puts the host's own back, unless somebody else has replaced it since; idempotent
function M.replace(owner, name, make)
  replaced[owner] = replaced[owner] or {}
  if replaced[owner][name] then return replaced[owner][name] end
  local original, own = owner[name], rawget(owner, name)
  local ours = make(original)
  local function undo()
    if rawget(owner, name) ~= ours then return end
    rawset(owner, name, own)
    replaced[owner][name] = nil
  end
  rawset(owner, name, ours)
  replaced[owner][name] = undo
  return undo
end

--- A copy of a table that may be changed.
M.copied = check.copied

return M
