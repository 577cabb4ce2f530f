--- A model's turn: the tool calls of one reply, made on a session, and exactly one message a call in any case.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local crude = require "abridge.base.crude"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"
local window = require "abridge.output.window"
local dispatch = require "abridge.session.dispatch"
local jobs = require "abridge.session.job"
local messages = require "abridge.session.messages"
local turn_budget = require "abridge.session.turn_budget"
local redacted = require("abridge.session.call").redacted

local M = {}

local EARLY_MS = 20 -- a timer of the loop may fire this much before its time
local FAILURE_BYTES = 4096 -- of the message when something fails in here

---@class (exact) abridge.TurnCall
---@field entry table the part of the reply that makes the call
---@field kind? string the entry's type, if its message depends on it
---@field key string the entry's field with the call's id; written if the model left it out or gave it twice
---@field name any
---@field input any a table, or JSON as the model wrote it
---@field id? string
---@field job? abridge.Job
---@field result? abridge.Result
---@field limits? abridge.Limits those its tokens are counted by; these fields if the turn has a budget:
---@field size? table<string, integer> of the result's text, by budget
---@field least? table<string, integer> the part that must stay
---@field line? table<string, integer> the size of the line on parts left out, if it has one
---@field held? abridge.HeldResult its result while that waits for its part
---@field part? table<string, integer> of each budget
---@field without_line? boolean there is no room for that line

---@class (exact) abridge.TurnOptions
--- `function(messages)`; makes `results` return at once, with a turn: `turn:cancel()`, `turn:wait(seconds)`, which
--- returns the messages, or nil when the seconds are over, and `turn.messages`, nil until all is done. Anything
--- `on_done` raises is kept, as with [other callbacks](#errors)
---@field on_done? fun(messages: table[])
--- `true`: starts all calls at once. By default each starts when the one before has ended: a model may write a file and
--- run it in one reply
---@field parallel? boolean
--- [one budget](#one-budget-for-a-reply) for all results of the reply: bytes, or a size such as `"60KB"`, and tokens,
--- or a share of the session's `window` such as `"20%"`. None unless set
---@field max_bytes? integer|string
---@field max_tokens? integer|string

local OPTIONS = {
  on_done = "function",
  parallel = "boolean",
  max_tokens = window.or_share(check.positive),
  max_bytes = function(value)
    local bytes = core.parse_size(value)
    if not bytes or bytes == 0 then return 'an integer from 1 to 2^53, or a size such as "30KB"' end
  end,
}

---@class (exact) abridge.TurnShape How an API's messages are built.
---@field parts fun(result: abridge.Result): table[], integer a result's images, and how many other parts are left out
---@field message fun(call: abridge.TurnCall, result: abridge.Result, text: string, images: table[]): table
---@field gather? fun(built: table[]): table all of them in one message

---@class abridge.Turn
---@field messages? table[] nil until every call has its result
---@field private calls abridge.TurnCall[]
---@field private started integer
---@field private left integer calls without a result
local Turn = {}
Turn.__index = Turn
Turn.__name = "abridge.Turn"

-- results -------------------------------------------------------------------------

--- The result of a call if something failed in here.
local function failure(session, call, problem)
  local name = crude.cut(redacted(session, call.name), 64)
  local text = sentences.message("raised", { name = name }) .. ": " .. redacted(session, (check.text(problem)))
  text = crude.cut(text, FAILURE_BYTES):gsub("[\128-\255]", "?") -- may be no UTF-8
  return { content = text, is_error = true }
end

--- The result of a call that was not made, or not waited for.
local function aborted(session, call)
  return { content = sentences.message("aborted", { name = redacted(session, call.name) }), is_error = true }
end

--- Arguments as a session takes them. For an empty object models may write nothing or null, or leave it out.
local function input_of(value)
  if type(value) == "string" then
    local start = value:find "%S" -- a pattern that skips blanks and wants more tries again at each of them
    return start and not value:find("^null%s*$", start) and value or nil
  end
  return type(value) ~= "userdata" and value or nil
end

-- running --------------------------------------------------------------------

---@private
function Turn:start(call)
  function call.done(result)
    if call.result then return end
    call.result = result
    self.left = self.left - 1
    self:advance()
  end
  local id = rawget(call.entry, call.key)
  if type(id) == "string" and id ~= "" and not self.ids[id] then call.id = id end
  if self.cancelled then
    call.id = call.id or ("call-0-%d"):format(self.started)
    return call.done(aborted(self.session, call))
  end
  local opts, start = { id = call.id, on_done = call.done }, self.session.call
  if self.budget then
    opts.share, start = self.budget:of(call), dispatch.start
  end
  local ok, job = pcall(start, self.session, call.name, input_of(call.input), opts)
  call.job = ok and job or nil
  call.id = call.id or (ok and job.call_id) or ("call-0-%d"):format(self.started)
  if not ok then call.done(failure(self.session, call, job)) end
end

--- Start the calls that may start now; finish when all are done.
---@private
function Turn:advance()
  if self.advancing then return end -- a call that ended at once: the loop below goes on
  self.advancing = true
  while self.started < #self.calls and (self.parallel or self.left == #self.calls - self.started) do
    self.started = self.started + 1
    local call = self.calls[self.started]
    self:start(call)
    self.ids[call.id] = true
    rawset(call.entry, call.key, call.id)
  end
  self.advancing = false
  if self.left == 0 and not self.messages then self:finish() end
end

--- The message of a call.
local function message_of(self, call, result)
  local images, left_out = self.shape.parts(result)
  if call.without_line then left_out = 0 end
  return self.shape.message(call, result, messages.text(self.session, result, left_out, images), images)
end

---@private
function Turn:finish()
  if self.budget then
    self.budget:settle(function(call, problem)
      return failure(self.session, call, problem)
    end)
  end
  local built = {}
  for i, call in ipairs(self.calls) do
    local ok, message = pcall(message_of, self, call, call.result)
    if not ok then
      local result = failure(self.session, call, message)
      if self.budget then self.budget:cut_sentence(call, result) end
      message = message_of(self, call, result)
    end
    built[i] = message
  end
  self.messages = self.shape.gather and #built > 0 and { self.shape.gather(built) } or built
  if self.on_done then jobs.guarded(self.session.errors, self.on_done, self.messages) end
end

--- Cancel the calls under way and start no more. Each still gets its message.
function Turn:cancel()
  self.cancelled = true
  for _, call in ipairs(self.calls) do
    if call.job then pcall(call.job.cancel, call.job) end
  end
end

--- Wait until every call has its message. Raises if waiting is impossible; an error of a host's callback is kept for
--- the session's next wait.
---@param seconds? number no limit when nil
---@return table[]|nil messages nil when the time is up
function Turn:wait(seconds)
  check.seconds("turn:wait", seconds)
  local deadline = seconds and host.now() + seconds * 1000
  for _, call in ipairs(self.calls) do
    while not call.result do
      local left = deadline and math.max(deadline - host.now(), 0) / 1000
      local ok, message = pcall(call.job.wait, call.job, left)
      if call.job.result then
        if not ok then jobs.guarded(self.session.errors, error, message, 0) end
        call.done(call.job.result)
      elseif not ok then
        self:cancel() -- nothing is left running unseen
        error(message, 0)
      elseif deadline and host.now() >= deadline - EARLY_MS then
        return nil
      elseif self.cancelled then -- interrupted twice: the tool does not stop
        call.done(aborted(self.session, call))
      else
        self:cancel()
      end
    end
  end
  return self.messages
end

--- Make the calls of a reply. Without `on_done` it blocks and returns the messages; with it, a turn at once.
---@param who string the public function, for messages
---@param session abridge.Session
---@param calls abridge.TurnCall[]
---@param opts? abridge.TurnOptions
---@param shape abridge.TurnShape
---@return table[]|abridge.Turn
function M.run(who, session, calls, opts, shape)
  if type(session) ~= "table" or type(session.call) ~= "function" then
    check.fail(("%s: session must be a session, got %s"):format(who, check.show(session)), 1)
  end
  opts = check.options(who, opts, OPTIONS, 2)
  window.take_share(who, opts, session.window, 1)
  local self = setmetatable({ session = session, calls = calls, shape = shape }, Turn)
  self.on_done, self.parallel = opts.on_done, opts.parallel
  self.ids, self.started, self.left = {}, 0, #calls
  if opts.max_bytes or opts.max_tokens then
    local budgets = { max_bytes = opts.max_bytes and core.parse_size(opts.max_bytes), max_tokens = opts.max_tokens }
    self.budget = turn_budget.new(session, calls, budgets, shape.parts)
  end
  for _, call in ipairs(calls) do
    if type(call.name) ~= "string" then call.name = "" end
  end
  self:advance()
  if self.on_done then return self end
  return self:wait()
end

return M
