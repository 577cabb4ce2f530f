--- An adapter with a session of its own, for a host whose calls print in several parts: all outputs of a call share one
--- budget, and no error in here reaches the host. A wrong option is reported and left out; if anything else fails, the
--- output is cut crudely. Loads without the core.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local options = require "abridge.hosts.options"
local safe = require "abridge.hosts.safe"
local tell = require "abridge.hosts.tell"

local M = {}

local USER = { strategy = "auto", max_lines = 200, max_bytes = "10KB" }
local USER_CRUDELY = { max_lines = 200, max_bytes = 10 * 1024 }
local SHORT, SHORT_LINES = 256, 3 -- passes even if a call is at its limit: a refusal, how a command ended

--- A session with these options; if its run folder cannot be used, with another folder.
local function open(opts, aliases, on_problem)
  local session_opts = { aliases = aliases }
  for _, key in ipairs(options.of_session) do
    if key ~= "aliases" and opts[key] ~= nil then session_opts[key] = opts[key] end
  end
  local logged = require("abridge.session").logged
  local session, why = logged(session_opts)
  if not session then
    on_problem(why)
    session_opts.run_dir = nil
    session = assert(logged(session_opts))
  end
  return require("abridge.base.host").in_nvim and require("abridge.nvim.events").follow(session) or session
end

-- outputs -----------------------------------------------------------------------------

---@class abridge.Adapter
---@field session? abridge.Session nil if it could not be opened: all cuts are crude then
---@field exclude_tools table<string, boolean> tools whose output passes as it is
---@field options table<string, any> those that were right
---@field user abridge.Limits|false
---@field private problem? string the reason that there is no session
---@field private asked abridge.SessionOptions as they were asked for, not checked: for crude cuts
---@field tell fun(message: string, reason: string|nil) reports a message once, or a reason once
---@field ids table<any, table<any, string|false>> the session's ids of calls, by owner and call
---@field private calls table<any, table> output given so far, by owner and call
---@field private redacts boolean whether redaction was asked for: a text that cannot be redacted is withheld
local Adapter = {}
Adapter.__index = Adapter

--- Other names of tools: an adapter's own, and those of its options.
local function all_aliases(aliases, opts)
  local all = check.copied(aliases or {})
  for alias, name in next, type(opts.aliases) == "table" and opts.aliases or {} do
    all[alias] = name
  end
  return all
end

local function by_owner()
  return setmetatable({}, { __mode = "k" })
end

--- Never raises. A wrong option is reported and left out.
---@param who string for messages
---@param opts any abridge.AdapterOptions
---@param on_problem fun(message: string) gets each thing that went wrong, once
---@param aliases? table<string, string> beside those of the options
---@param more? table<string, string|function> options of this adapter alone, as `check.options` takes them
---@return abridge.Adapter
function M.new(who, opts, on_problem, aliases, more)
  local told = {}
  local self = setmetatable({ exclude_tools = {}, user = USER, calls = by_owner(), ids = by_owner() }, Adapter)
  function self.tell(message, reason)
    if told[reason or message] then return end
    told[reason or message] = true
    pcall(on_problem, message)
  end
  local ok, why = pcall(require, "abridge.base.core_loader")
  if not ok then
    self.problem = tell.reason(why)
    self.tell("all outputs are cut crudely: " .. self.problem, self.problem)
  end
  ok, why = pcall(options.right_ones, who, opts, self.tell, more)
  local right = ok and why or {}
  if not ok then self.tell(check.reason(why)) end
  for _, name in ipairs(check.list(right.exclude_tools or {})) do
    self.exclude_tools[name] = true
  end
  if right.user ~= nil then self.user = right.user end
  self.options = right
  self.redacts = type(opts) == "table" and opts.redact and true or false
  local given = type(opts) == "table" and opts or {}
  self.asked = { profile = given.profile, limits = given.limits, aliases = all_aliases(aliases, given) }
  local least = { redact = right.redact } -- options may be right but for each other
  for _, session_opts in ipairs { right, least } do
    ok, why = pcall(open, session_opts, all_aliases(aliases, session_opts), self.tell)
    if ok then
      self.session = why
      break
    end
    self.problem = tell.reason(why)
    self.tell(self.problem)
  end
  return self
end

--- The output given of a call so far.
local function call_of(self, output)
  local call = { bytes = 0, lines = 0 }
  if output.owner == nil or output.call == nil then return call end
  local calls = self.calls[output.owner] or {}
  self.calls[output.owner] = calls
  calls[output.call] = calls[output.call] or call
  return calls[output.call]
end

local function tell_crude(self, tool, why)
  local reason = tell.reason(why)
  self.tell(tell.crude_cut(tool, reason), reason)
end

--- Remember how the session calls a call of the host, if it has one output: several have a file each.
local function note_id(self, output, id)
  if output.owner == nil or output.call == nil then return end
  local ids = self.ids[output.owner] or {}
  self.ids[output.owner] = ids
  ids[output.call] = ids[output.call] == nil and id
end

--- A text capped by the session, which may have been closed meanwhile.
local function capped(self, output, text, how, limits)
  local tool = output.tool
  local session = self.session
  if session.closed then
    local share = require "abridge.output.share"
    if how.left_out then error(share.closed, 0) end
    limits, how.limits, how.left_out = require("abridge.output.limit").narrowed(limits, how.limits), nil, nil
    tell_crude(self, tool, share.closed)
    return (share.cap_closed(text, limits, session, how))
  end
  local result = session:cap(tool, text, how)
  local problem = result.details and result.details.inner_error
  if problem then tell_crude(self, tool, problem) end
  note_id(self, output, result.call_id)
  return result.content, result.details and result.details.cut
end

local function for_model(self, output, call)
  if not self.session then error(self.problem, 0) end
  local text, how = output.text, check.copied(output.how or {})
  if self.redacts and not self.session.redactor then error(crude.withheld) end
  if text == nil then return nil end
  call.budget = call.budget or require("abridge.hosts.call_budget").new()
  local limits = self.session:limits(output.tool)
  how.wrapper, how.limits = "beside", call.budget:left(limits)
  how.tool_names = self.options.tool_names or how.tool_names or {}
  how.left_out = not how.limits and (type(text) ~= "string" or #text > SHORT)
  local content, cut = capped(self, output, text, how, limits)
  call.budget:give(content, limits)
  return content, cut
end

--- The user's view; it names the same file as the model's.
local function for_user(self, output, cut)
  local shown = output.shown
  if shown == nil then shown = output.text end
  if not self.user or type(shown) ~= "string" or shown == "" then return output.shown end
  shown = require("abridge.session.call").redacted(self.session, shown)
  local short = require("abridge.output.cap").cap_view(shown, self.user, { wrapper = "beside" }, cut)
  if output.shown == nil and short == output.text then return nil end
  return short
end

--- The result if something failed. A text that may hold a secret is withheld.
local function crudely(self, text, budgets)
  local withheld = self.redacts and not (self.session and self.session.redactor)
  return (crude.cut(withheld and crude.withheld or safe.redacted(text, self), budgets))
end

--- Budgets of a crude cut for the model: the rest of the call's, or a little if that is next to nothing.
local function budgets_left(self, output, call)
  local budgets = safe.crude_budgets(output.tool, { session = self.session or self.asked })
  budgets.max_bytes = crude.bytes_of(budgets)
  for key, given in pairs { max_bytes = call.bytes, max_chars = call.bytes, max_tokens = call.bytes } do
    local most = budgets[key]
    budgets[key] = most and math.min(math.max(most - given, SHORT), most)
  end
  local lines = budgets.max_lines
  budgets.max_lines = lines and math.min(math.max(lines - call.lines, SHORT_LINES), lines)
  return budgets
end

---@class (exact) abridge.Output
---@field tool string
---@field text any the tool's text for the model
---@field shown? any the text for the user; nil: the same
---@field owner? any the owner of calls, a chat
---@field call? any the call's id; nil: a call of its own
---@field how? abridge.SessionCapOptions facts about the text

--- Cut an output for the model and for the user. Never raises, and never gives everything.
---@param output abridge.Output
---@return any for_model within the rest of the call's budget; nil for nil
---@return any for_user nil if the user may see the same
function Adapter:cut(output)
  if self.exclude_tools[output.tool] then return output.text, output.shown end
  local call = call_of(self, output)
  local ok, text, shown = pcall(function()
    local content, cut = for_model(self, output, call)
    return content, for_user(self, output, cut)
  end)
  if not ok then
    tell_crude(self, output.tool, text)
    text, shown = output.text, output.shown
    if text ~= nil then text = crudely(self, text, budgets_left(self, output, call)) end
    if type(shown) == "string" and self.user then shown = crudely(self, shown, USER_CRUDELY) end
  end
  call.bytes, call.lines = call.bytes + #(text or ""), call.lines + crude.count_lines(text or "")
  return text, shown
end

--- Forget the output of an owner's calls.
---@param owner any
function Adapter:forget(owner)
  self.calls[owner] = nil
end

return M
