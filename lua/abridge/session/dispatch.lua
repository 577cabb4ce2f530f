--- A call of a session on its way to its result: announced, checked, approved and run; then its tool's value becomes
--- the model's result.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local system = require "abridge.base.system"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local results = require "abridge.output.results"
local sentences = require "abridge.output.sentences"
local yielded = require "abridge.output.yielded"
local folder = require "abridge.run.folder"
local calls = require "abridge.session.call"
local context = require "abridge.session.context"
local ends = require "abridge.session.ends"
local jobs = require "abridge.session.job"
local registry = require "abridge.session.registry"
local under = require "abridge.session.under"

local M = {}

local WHO = "abridge.session"
local MOST_NESTED = 10 -- calls that tools and callbacks make inside each other

-- results -----------------------------------------------------------------------

---@class (exact) abridge.Event
--- `"tool_call"`, `"tool_result"`, or `"display"` of [`session:display`](#display)
---@field type "tool_call"|"tool_result"|"display"
---@field seq integer 1, 2, ...; continues when a run is reopened
---@field time number seconds since 1970, with milliseconds; whole seconds without luv
---@field call_id string of the call
---@field tool string
---@field input? any of a `tool_call`: the input as given, redacted; absent for `session:cap`
---@field content? string of a `tool_result`: the result's
---@field is_error? boolean
---@field truncation? abridge.Block
---@field metadata? table
---@field duration_ms? integer
---@field cut? abridge.Cut of a `tool_result`: those of the result's `details`
---@field exit_line? string
---@field notice? string
---@field failure? string
---@field exit_code? integer
---@field signal? string
--- of a `tool_result`, if a full output was to be kept: `path` in the run's folder, `bytes`, `error`
---@field full_output? { path: string|nil, bytes: integer|nil, error: string|nil }
---@field bytes_in? integer size of the tool's text before it was cut
---@field bytes_shown? integer size of the content
---@field display? abridge.Block of a `display`: the block of the screen
--- only in the log: why the event's other fields could not be written, as JSON or within 32 MB
---@field log_error? string

--- Number an event, log it and hand it to the host.
---@param self abridge.Session
---@param event table
---@return string|nil message why it was not logged
function M.emit(self, event)
  local _, message = self.run:event(event)
  self.sums:add(event)
  if self.announce then self.announce(event) end
  if self.opts.on_event then
    host.on_main(function()
      if self.nested >= MOST_NESTED then return end
      self.nested = self.nested + 1
      jobs.guarded(self.errors, self.opts.on_event, event)
      self.nested = self.nested - 1
    end)
  end
  return message
end

--- How a call failed that its tool did not end.
local FAILURES = {
  aborted = "cancelled",
  denied = "denied",
  denied_plain = "denied",
  invalid_input = "invalid_input",
  unknown_tool = "unknown_tool",
}

--- An error in place of content.
local function failed(name, values)
  return { text = sentences.message(name, values), is_error = true, failure = FAILURES[name] }
end

--- The value of a host's tool in our form. Reading a hostile table may raise.
---@param value any
---@param redactor? abridge.Redactor
---@return table
function M.normalized(value, redactor)
  local ok, inner = pcall(yielded.normalized, value, redactor)
  return ok and inner or { text = yielded.encoded(inner, redactor), is_error = true }
end

--- Clean a tool's text if its limits say so. A stream was cleaned while it was written; a page is shown as it is.
local function clean_value(call, value, redactor)
  if type(value.text) ~= "string" or value.stream then return end
  local limits = limit.of_kind(call.limits, value.kind)
  value.text, limits, value.raw_bytes = limit.cleaned(value.text, limits, redactor)
  value.kind = limits.kind
end

--- Redact a tool's value: text, other parts, details, hints. A page of a file was redacted before it was cut, a stream
--- while it was written. Binary text does not show, and is not kept.
local function redact_value(redactor, call, value)
  if value.kind == "binary" and value.text then
    value.unsaved = true
  elseif value.text and not value.redacted then
    value.text = redactor:document(value.text)
  end
  if value.resume_hint then value.resume_hint = redactor:data(value.resume_hint) end
  value.blocks = value.blocks and redactor:data(value.blocks)
  if not call.built_in then value.details = value.details and redactor:data(value.details) end
  if redactor.error then
    value.details = value.details or {}
    value.details.redact_error = true -- the message itself may hold the secret
  end
end

--- Why a session takes no call now: the value to end it with.
---@param self abridge.Session
---@return table|nil
function M.refusal(self)
  if self.closed then return failed "closed" end
  if self.nested > MOST_NESTED then return failed("nested", { count = MOST_NESTED }) end
end

--- Give a foreign result the chars that it asks for, as far as the session lets it.
---@param self abridge.Session
---@param call table of `abridge.session.call`
---@param value table
function M.widen(self, call, value)
  local most = self.opts.max_result_chars
  if not (most and value.chars_asked) then return end
  calls.set_limits(call, under.with_chars(WHO, self, call.own_name, math.min(value.chars_asked, most)))
end

---@class abridge.HeldResult A result that is not final: its share of a turn's budget is not known yet.
---@field call table of `abridge.session.call`
---@field value table the value it was made from, still open
---@field result abridge.Result
---@field exit? string the exit line in its content
---@field problem? string why it is crude

--- Make a result, or a crude one when that fails.
---@param self abridge.Session
---@param call table
---@param value table
---@param problem? string why a proper one failed before
---@param share? abridge.Share
---@return abridge.HeldResult
local function made(self, call, value, problem, share)
  local result, exit
  if not problem then
    local ok
    ok, result, exit = pcall(results.make, call, value, share)
    if not ok then problem = calls.redacted(self, (yielded.encoded(result, self.redactor))) end
  end
  if problem then
    result, exit = results.crude(call, value, problem, share)
  end
  return { call = call, value = value, result = result, exit = exit, problem = problem }
end

--- Close a session's run if nothing will be added to it.
---@param self abridge.Session
function M.close_when_over(self)
  if self.closed and next(self.running) == nil and next(self.held) == nil then self.run:close(self) end
end

--- Release the value of a result and tell of the result.
local function told(self, held)
  local call, result = held.call, held.result
  if held.value.stream then held.value.stream:close() end
  local details = result.details or {}
  local cut = details.cut or {}
  local kept_as = folder.kept_as(cut)
  local event = {
    type = "tool_result",
    call_id = call.call_id,
    tool = call.tool,
    content = result.content,
    is_error = result.is_error,
    truncation = result.truncation,
    metadata = result.metadata,
    cut = details.cut,
    exit_line = details.exit_line,
    notice = details.notice,
    failure = details.failure,
    exit_code = details.exit_code,
    signal = details.signal,
    full_output = (kept_as or cut.full_output_error) and {
      path = kept_as,
      bytes = cut.full_output_bytes,
      error = cut.full_output_error,
    } or nil,
    bytes_in = cut.total_bytes or #result.content,
    bytes_shown = #result.content,
    duration_ms = result.duration_ms,
  }
  local unlogged = M.emit(self, event)
  ends.note(self, event)
  if unlogged then
    result.details = result.details or {}
    result.details.log_error = unlogged
  end
  return result
end

--- The result of a tool's value: any value, or one of the marks of a job. That of a call in a turn with a budget may be
--- held until its share is known.
---@param self abridge.Session
---@param call table of `abridge.session.call`
---@param value any
---@return abridge.Result
function M.result(self, call, value)
  if rawequal(value, jobs.abandoned) then
    value = failed("no_result", { name = call.tool })
  elseif rawequal(value, jobs.aborted) then
    value = failed("aborted", { name = call.tool })
  elseif not (call.built_in or call.failed) then
    value = value == nil and failed("no_result", { name = call.tool }) or M.normalized(value, self.redactor)
    M.widen(self, call, value)
  end
  clean_value(call, value, self.redactor)
  if self.redactor then redact_value(self.redactor, call, value) end
  local held = made(self, call, value)
  held.result.duration_ms = math.floor(host.now() - call.started + 0.5)
  if call.share and call.share.holds(held) then
    self.held[held] = true
    return held.result
  end
  return told(self, held)
end

--- Make a result that was held final: as it is, or cut to its share.
---@param self abridge.Session
---@param held abridge.HeldResult
---@param share? abridge.Share
---@return abridge.Result
function M.settle(self, held, share)
  self.held[held] = nil
  if share then
    share.exit = held.exit
    local duration_ms = held.result.duration_ms
    held = made(self, held.call, held.value, held.problem, share)
    held.result.duration_ms = duration_ms
  end
  local result = told(self, held)
  M.close_when_over(self)
  return result
end

-- calls -------------------------------------------------------------------------

--- The input as a table that fits the schema, or nil and the problem.
local function checked_input(entry, input)
  if type(input) == "string" then
    local json, message = host.json()
    if not json then return nil, message end
    local ok, value = pcall(json.decode, input)
    if not ok then return nil, "not JSON: " .. tostring(value) end
    input = value
  end
  return require("abridge.session.schema").checked(entry.schema or {}, input == nil and {} or input)
end

--- Does the host allow it? It is asked with the tool's own name, and the alias if that was called.
local function approved(self, entry, name, input)
  if not self.opts.approve then return true end
  local alias = name ~= entry.name and name or nil
  self.nested = self.nested + 1
  local ok, answer, why = core.pcall(self.opts.approve, entry.name, input, alias)
  self.nested = self.nested - 1
  if not ok then return false, yielded.encoded(answer, self.redactor) end
  return answer == true, why
end

--- Run a tool under a job; an error of its own becomes the result.
local function execute(self, call, entry, input, job)
  local function done(value)
    job:finish(value)
  end
  self.nested, job.entered = self.nested + 1, true
  local ok, value = core.pcall(entry.tool.execute, input, context.new(self, call, job), done)
  self.nested, job.entered = self.nested - 1, nil
  if not ok then
    calls.fail(call, job, value)
  elseif type(value) == "function" then
    job.cancel_tool = value
  elseif value ~= nil then
    job:finish(value)
  end
end

--- An input as events show it.
---@param self abridge.Session
---@param input any
---@return any
function M.shown_input(self, input)
  if not self.redactor then return input end
  if type(input) ~= "string" then return (self.redactor:data(input)) end
  local json = host.json()
  local ok, value = pcall(json and json.decode or error, input)
  if not ok then return self.redactor:broken_json(input) end
  return (self.redactor:data(value))
end

--- The checked input, or nil and the problem. A message that cuts a value short must not show half a secret.
local function fitting_input(self, entry, input)
  local checked, message = checked_input(entry, input)
  if not checked and self.redactor then
    local fits
    fits, message = checked_input(entry, M.shown_input(self, input))
    if fits then message = "it does not fit the tool's schema" end
  end
  return checked, message
end

--- A reason to stop a call: the value to end it with, or nil and the checked input.
local function obstacle(self, name, entry, input)
  local refused = M.refusal(self)
  if refused then return refused end
  if not entry then return failed("unknown_tool", { name = calls.shown_name(self, name) }) end
  if registry.is_unsupported(entry) then return { text = system.UNSUPPORTED, is_error = true } end
  local ok, checked, message = pcall(fitting_input, self, entry, input)
  if not ok then -- a schema may be built so that reading it raises
    checked, message = nil, yielded.encoded(checked, self.redactor)
  end
  if not checked then return failed("invalid_input", { what = message }) end
  local allowed, why = approved(self, entry, name, checked)
  if not allowed then
    local reason = type(why) == "string" and why ~= "" and why
    return reason and failed("denied", { what = reason }) or failed "denied_plain"
  end
  return nil, checked
end

--- Begin a job whose call was announced.
local function begin(self, job, call, entry, name, input)
  self.running[job], job.begun = true, true
  if job.cancelled then return job:finish(jobs.aborted) end
  local value, checked = obstacle(self, name, entry, input)
  if value then
    call.failed = true
    job:finish(value)
  else
    execute(self, call, entry, checked, job)
  end
end

---@class (exact) abridge.CallShare A call's part of its turn's budget.
---@field budgets table<string, integer> of the whole turn
---@field holds fun(held: abridge.HeldResult): boolean whether a result waits to be settled

--- A new call. Limits that may be exceeded get a ceiling for the turn's budget to lower.
local function new_call(self, name, entry, number, opts)
  local call = calls.new(self, name, entry, number, opts.id)
  call.share = opts.share
  if call.share and limit.is_soft(call.limits) then
    local most = limit.most_bytes(call.share.budgets)
    call.ceiling = limit.narrowed(call.ceiling or limit_table.ceiling(most), { max_bytes = most })
  end
  return call
end

--- Start a call.
---@param self abridge.Session
---@param name string
---@param input any
---@param opts { id: string|nil, on_update: function|nil, on_done: function|nil, share: abridge.CallShare|nil }
---@param at_once boolean the tool must not yield to the loop
---@return abridge.Job
function M.start(self, name, input, opts, at_once)
  local number, call = self.run:begin_call(), nil
  local job = jobs.new(opts.id or calls.id_of(number), function(job, value)
    self.running[job] = nil
    call = call or new_call(self, name, nil, number, opts) -- it ends before it began
    if call.updates then call.updates:stop() end
    local result = M.result(self, call, value)
    M.close_when_over(self)
    return result
  end, self.errors, opts.on_done)
  if host.in_fast_event() then self.running[job] = true end
  host.on_main(function() -- from here on callbacks of the host are called
    local entry = self:find(name)
    call = new_call(self, name, entry, number, opts)
    call.at_once = at_once
    M.emit(self, { type = "tool_call", call_id = call.call_id, tool = call.tool, input = M.shown_input(self, input) })
    if opts.on_update then require("abridge.session.updates").follow(self, call, opts.on_update) end
    begin(self, job, call, entry, name, input)
  end)
  return job
end

return M
