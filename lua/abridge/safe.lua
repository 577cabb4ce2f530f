--- What adapters to other programs share: a way to fail safe, a host's function replaced in place, the options of those
--- that take a session or limits. Loads without the core, so that an adapter still cuts where the core is missing.

local check = require "abridge.check"
local crude = require "abridge.crude"
local host = require "abridge.host"

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
  local ok, limits_of = pcall(require, "abridge.limits")
  if ok and opts.limits then limits_of.checked(who .. ": limits", opts.limits, 2 + deeper) end
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

--- The options for a call: a session that was closed meanwhile would have nothing but that to say. One that redacts
--- does say that.
---@param opts abridge.SafeOptions
---@return abridge.SafeOptions
function M.open(opts)
  if for_editor[opts] then return { session = editor_session() } end
  local session = opts.session
  return session and session.closed and not session.redactor and {} or opts
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

--- Bytes of a crude cut: what the budgets in force let through, where that can be had and is a bound.
---@param tool string
---@param opts { session: abridge.Session|nil, limits: abridge.Limits|nil }
---@return integer|nil
function M.crude_bytes(tool, opts)
  local ok, bytes = pcall(function()
    return require("abridge.limits").most_bytes(require("abridge.share").limits(tool, opts))
  end)
  if not ok then bytes = opts.limits and opts.limits.max_bytes end
  return type(bytes) == "number" and bytes < math.huge and bytes or nil
end

--- Cap one text of a tool. Never raises, and never gives everything: when something inside fails it cuts crudely.
---@param tool any its name
---@param text string
---@param opts abridge.SafeOptions
---@return string content
function M.cap(tool, text, opts)
  tool, opts = check.name(tool), M.open(opts)
  local ok, content = pcall(function()
    local share = require "abridge.share"
    return (share.cap(tool, text, share.limits(tool, opts), {}, opts))
  end)
  return ok and content or crude.cut(M.redacted(text, opts), M.crude_bytes(tool, opts))
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
