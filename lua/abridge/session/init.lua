--- Sessions: tools under one set of limits, and the calls that a model makes of them.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local cap = require "abridge.output.cap"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local page = require "abridge.output.page"
local window = require "abridge.output.window"
local stats = require "abridge.run.stats"
local writer = require "abridge.run.writer"
local calls = require "abridge.session.call"
local dispatch = require "abridge.session.dispatch"
local jobs = require "abridge.session.job"
local options = require "abridge.session.options"
local registry = require "abridge.session.registry"

local M = {}

local WHO = "abridge.session"

--- How much is kept of runs in the state directory, and beside a run that keeps all its outputs.
M.RETENTION = { max_bytes = "1GB", max_age = "7d" }

--- The longest timeout that a model may ask for, in seconds, unless the host sets another.
M.TIMEOUT_MAX = 3600

---@class abridge.Session
---@field private table_of_limits abridge.LimitTable
---@field private tools table<string, table> by own name
---@field private order string[] own names
---@field private opts abridge.SessionOptions
---@field private window? integer tokens of the model's window
---@field announce? fun(event: table) told of each event beside the host: for windows that show calls as they are made
local Session = {}
Session.__index = Session
Session.__name = "abridge.Session"

-- creation -------------------------------------------------------------------

--- Open a session. Raises on an unknown option, tool, profile or limit, with its name and value.
---@param opts? abridge.SessionOptions
---@return abridge.Session|nil session
---@return string|nil message why there is no run folder, or the library that `root` needs
---@return string|nil code EBUSY when another session writes it, EPERM when it is not private, ENOLUV
function M.new(opts)
  opts = options.checked(opts)
  local self = setmetatable({ opts = opts, tools = {}, order = {}, errors = {}, nested = 0 }, Session)
  self.running, self.held = {}, {} -- jobs, and results that are not final
  self.pages = page.memory()
  self.redactor = opts.redact and require("abridge.redact").compile(WHO, opts.redact, 1) or nil
  if opts.allow_private ~= nil then self.allowed = options.allowed_hosts(opts.allow_private) end
  self.window = opts.window
  local profile = opts.profile or "default"
  self.table_of_limits = limit_table.new(WHO, profile, opts, 1)
  self.hints = profile == "default" -- the notices of other profiles are those of their sources
  if opts.databases then
    self.databases = require("abridge.sql.database").open(WHO .. ": databases", opts.databases, 1)
  end
  self.timeout_max = math.max(opts.timeout_max or M.TIMEOUT_MAX, opts.timeout or 0)
  registry.add_built_in(self, WHO, opts.tools)
  local message, code
  if opts.root then
    self.root, message, code = require("abridge.session.root").new(WHO, opts.root)
    if not self.root then return nil, message, code end
  end
  self.cwd = opts.cwd or (self.root and self.root.dir)
  self.keeps_all = type(opts.run_dir) == "string" and opts.keep_outputs ~= "cut"
  local retention = opts.retention or ((opts.run_dir == nil or self.keeps_all) and M.RETENTION or nil)
  self.run, message, code = writer.create(WHO, opts.run_dir, { retention = retention })
  if not self.run then return nil, message, code end
  self.ends, self.events_before = {}, self.run.seq
  self.sums = stats.new()
  return self
end

--- The problem with the options of a session, or nil. Opens none of the things they name.
---@param opts table
---@return string|nil why
function M.wrong(opts)
  local probe = check.copied(opts)
  if type(probe.databases) == "table" then probe.databases = nil end
  if not writer.check_run_dir(probe.run_dir) then probe.run_dir = false end
  local ok, session = pcall(M.new, probe)
  if not ok then return (check.reason(session):gsub("^" .. WHO:gsub("%.", "%%.") .. ": ", "")) end
  if session then session:close() end
end

--- A session as `new` opens it, but with a log unless its options say otherwise: all such sessions of a process share a
--- folder in the state directory, made with the first call. One with its own `retention` has its own folder.
--- Our own commands and adapters use this.
---@param opts? abridge.SessionOptions
---@return abridge.Session|nil session
---@return string|nil message
---@return string|nil code
function M.logged(opts)
  local session, message, code = M.new(opts)
  if session and session.opts.run_dir == nil then
    if session.opts.retention then
      session.run:keep_log()
    else
      session.run = writer.shared(session, M.RETENTION)
    end
  end
  return session, message, code
end

-- the registry -----------------------------------------------------------------

Session.register = registry.register
Session.find = registry.find
Session.shown_name = registry.shown_name
Session.limits = registry.limits
Session.definitions = registry.definitions

--- The names that notices use.
---@return abridge.NoticeData
function Session:names()
  return registry.names(self)
end

-- calls -------------------------------------------------------------------------

---@class (exact) abridge.CallOptions
---@field id? string in place of `"call-1"`, `"call-2"`, ...
--- `function(content, cut)`, called with the model's view so far, without a notice, at most every 100 ms (the
--- first at once; the last before the end may be skipped)
---@field on_update? fun(content: string, cut: abridge.Cut)
--- `function(result)`. If a tool ends at once, it has been called before `session:call` returns; not so for a call made
--- in a fast event of Neovim, which starts later
---@field on_done? fun(result: abridge.Result)

local CALL_OPTIONS = { id = "string", on_update = "function", on_done = "function" }

--- Wait for a blocking call. Ctrl-C inside Neovim cancels the call; a second one gives up on the rest of its output.
local function waited(job)
  if not job:wait() then
    job:cancel()
    if not job:wait() then job:finish(jobs.aborted) end
  end
  return job.result
end

--- Call a tool. Without `opts` the call blocks and returns the result; with `opts` it returns a job at once.
--- Any failure of the tool or its input is in the result. Raises on misuse of this function, and re-raises
--- an error of a host's callback.
---@overload fun(self: abridge.Session, name: string, input: table|string): result: abridge.Result
---@param name string
---@param input table|string a table or JSON
---@param opts abridge.CallOptions
---@return abridge.Job job
function Session:call(name, input, opts)
  if type(name) ~= "string" then check.fail("session:call: name must be a string, got " .. check.show(name)) end
  local checked = check.options("session:call", opts, CALL_OPTIONS, 1)
  if opts == nil and host.in_fast_event() then error(host.nested, 2) end
  local job = dispatch.start(self, name, input, checked, opts == nil and not host.can_wait())
  if opts ~= nil then return job end
  local ok, result = pcall(waited, job)
  if not ok then
    job:cancel() -- waiting is not possible here: nothing is left running unseen
    error(result, 0)
  end
  jobs.raise(self.errors)
  return result
end

---@class (exact) abridge.SessionCapOptions
---@field path? string as for [`abridge.cap`](#cap-and-notice)
---@field first_line? integer
---@field resume? string
---@field wrapper? boolean|"beside"
--- in place of the session's own: `{}` if the reader of the result has none of its tools
---@field tool_names? abridge.ToolNames
--- such as `{ max_bytes = 4000 }`: budgets for this value alone; each counts if it is under the session's own
---@field limits? table<string, integer|string>
--- `true`: the value is the JSON of structured content, which is cut as JSON and gets no markers
---@field structured? boolean
--- `true`, for when several outputs share one budget: shows only
--- `[Output of 23.3KB left out: this call is at its limit. Full output: ...]`
---@field left_out? boolean

local CAP_OPTIONS = { left_out = "boolean", structured = "boolean" }
for key, kind in pairs(cap.options) do
  CAP_OPTIONS[key] = kind
end

--- Cap output that was made elsewhere, under this session's limits. Misuse of any argument but `value` raises.
---@param name string the tool it came from
---@param value any a string, MCP content, or any value
---@param opts? abridge.SessionCapOptions
---@return abridge.Result
function Session:cap(name, value, opts)
  if type(name) ~= "string" then check.fail("session:cap: name must be a string, got " .. check.show(name)) end
  opts = check.options("session:cap", opts, CAP_OPTIONS, 1)
  local budgets = opts.limits and check.copied(opts.limits)
  if budgets then
    window.take_share("session:cap: limits", budgets, self.window)
    budgets = limit.checked_budgets("session:cap: limits", budgets, 1)
  end
  local call = calls.new(self, name, nil, self.run:begin_call())
  call.names = opts.tool_names
  dispatch.emit(self, { type = "tool_call", call_id = call.call_id, tool = call.tool })
  call.failed = true -- the value is brought to our form here
  local refused = dispatch.refusal(self)
  if self.redactor then
    opts = self.redactor:data(opts) -- paths and sentences of notices
  end
  value = refused or dispatch.normalized(value == nil and "" or value, self.redactor)
  dispatch.widen(self, call, value)
  if budgets then
    local by_ceiling = call.ceiling and not limit.has_budget(call.limits)
    call.limits = limit.narrowed(by_ceiling and call.ceiling or call.limits, budgets)
    call.ceiling = call.ceiling and limit.narrowed(call.ceiling, { max_bytes = budgets.max_bytes })
  end
  if not refused and value.text then
    cap.prepare(call, value, opts, self.redactor)
    if opts.structured then value.limits = require("abridge.output.share").structured(call.limits) end
  end
  local result = dispatch.result(self, call, value)
  jobs.raise(self.errors)
  return result
end

--- Running jobs, as a list: a job that ends may start another.
local function running(self)
  local all = {}
  for job in pairs(self.running) do
    all[#all + 1] = job
  end
  return all
end

--- Is there a job to wait for? A job whose tool is the one waiting cannot end.
local function has_to_wait(self)
  for job in pairs(self.running) do
    if not job.entered then return true end
  end
  return false
end

local function wait_all(self, seconds)
  local all = running(self)
  local _, why = host.wait(function()
    return not has_to_wait(self)
  end, seconds)
  if why ~= "idle" then return end
  for _, job in ipairs(all) do
    if not job.entered then job:finish(jobs.abandoned) end
  end
end

--- Wait until every job is done; a tool that waits does not wait for its own. Re-raises an error of a host's callback.
---@param seconds? number no limit when nil
---@return boolean done false when the time is up
function Session:wait(seconds)
  check.seconds("session:wait", seconds)
  wait_all(self, seconds)
  jobs.raise(self.errors)
  return next(self.running) == nil
end

--- The events of this run so far, from its log. Nil and a message if the session keeps none.
---@param filter? abridge.EventFilter
---@return abridge.Event[]|nil events
---@return string|nil message
---@return string|nil code
function Session:events(filter)
  filter = require("abridge.run.reader").check_filter("session:events", filter)
  local dir = self.run:log_dir()
  if not dir then return nil, "This session keeps no log: it has no run_dir", "ENOENT" end
  local run, message, code = require("abridge.run.reader").open(dir)
  if not run then return nil, message, code end
  local events
  events, message, code = run:events(filter)
  return events, message, code
end

--- The costs of this session's calls so far, for each tool and in all, whether or not it keeps a log;
--- `abridge.Run:stats` tells of all calls in a folder. Cost: a copy of some numbers.
---@return abridge.RunStats
function Session:stats()
  return self.sums:sums()
end

--- A page of the full output of a call.
---@param call_id string
---@param opts? abridge.PageOptions
---@return string|nil content
---@return table|string page or the message
---@return string|nil code
function Session:full_output(call_id, opts)
  opts = require("abridge.run.artifact").check("session:full_output", call_id, opts)
  local content, page_info, code = self.run:full_output(call_id, opts)
  return content, page_info, code
end

--- The text of a result for a screen (see abridge.display). The run's log records it beside the tool's own block.
---@param result abridge.Result
---@param opts? abridge.DisplayOptions
---@return string
function Session:display(result, opts)
  local text = require("abridge.output.display").text("session:display", result, opts)
  dispatch.emit(self, { type = "display", call_id = result.call_id, tool = result.tool, display = result.display })
  return text
end

--- Close the session: running jobs are cancelled and waited for; later calls get an error result. Idempotent. Inside a
--- callback of the event loop, which cannot wait, the run is closed when the last job ends. Re-raises an error of a
--- host's callback once everything is closed.
function Session:close()
  if not self.closed then
    self.closed = true
    for _, job in ipairs(running(self)) do
      job:cancel()
    end
    if host.can_wait() then wait_all(self) end
  end
  dispatch.close_when_over(self)
  if self.databases then require("abridge.sql.database").close(self.databases) end
  jobs.raise(self.errors)
end

return M
