--- A model's turn: the tool calls of one reply, made on a session, and one message for each of them, whatever happens.
--- What the message builders of the APIs share.

local check = require "abridge.base.check"
local crude = require "abridge.base.crude"
local host = require "abridge.base.host"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"
local jobs = require "abridge.session.job"

local M = {}

local EARLY_MS = 20 -- by which a timer of the loop may fire before its time
local FAILURE_BYTES = 4096 -- of what is said when something fails in here

---@class (exact) abridge.TurnCall
---@field entry table the part of the reply that makes the call
---@field kind? string the entry's type, where its message depends on it
---@field key string the entry's field with the call's id; written where the model left it out or gave it twice
---@field name any
---@field input any a table, or JSON as the model wrote it
---@field id? string
---@field job? abridge.Job
---@field result? abridge.Result

---@class (exact) abridge.TurnOptions
---@field on_done? fun(messages: table[]) makes the call return at once
---@field parallel? boolean start all calls at once; one after the other unless set

local OPTIONS = { on_done = "function", parallel = "boolean" }

---@class abridge.Turn
---@field messages? table[] nil until every call has its result
---@field private calls abridge.TurnCall[]
---@field private started integer
---@field private left integer calls without a result
local Turn = {}
Turn.__index = Turn
Turn.__name = "abridge.Turn"

-- reading a reply ------------------------------------------------------------

--- What a table of a reply holds itself under a key; nil for what is no table. A reply comes from elsewhere: its
--- metatables are not asked.
---@param value any
---@param key string
---@return any
function M.field(value, key)
  if type(value) ~= "table" then return nil end
  return rawget(value, key)
end

--- The list that a reply has somewhere, as it stands up to its first nil; an empty one for what is no table.
---@param value any
---@return any[]
function M.list(value)
  return type(value) == "table" and check.list(value) or {}
end

local MOST_KEYS = 5 -- that a message shows

--- What was given in place of a reply, as a message shows it.
local function shown_reply(value)
  if type(value) ~= "table" then return check.show(value) end
  local keys = {}
  for key in next, value do
    keys[#keys + 1] = type(key) == "string" and check.show(key) or nil
  end
  table.sort(keys)
  if #keys == 0 then return next(value) == nil and "an empty table" or "a list" end
  return "a table with " .. table.concat(keys, ", ", 1, math.min(#keys, MOST_KEYS))
end

--- Raise, at the level of whoever called the public function, for what is no reply.
---@param who string the public function
---@param wanted string
---@param reply any
function M.refuse(who, wanted, reply)
  check.fail(("%s: reply must be %s, got %s"):format(who, wanted, shown_reply(reply)), 1)
end

-- results --------------------------------------------------------------------

--- A text as the session may show it.
local function redacted(session, text)
  return session.redactor and session.redactor:text(text) or text
end

--- What stands for a call's result when something failed in here.
local function failure(session, call, problem)
  local name = crude.cut(redacted(session, call.name), 64)
  local text = sentences.message("raised", { name = name }) .. ": " .. redacted(session, (check.text(problem)))
  text = crude.cut(text, FAILURE_BYTES):gsub("[\128-\255]", "?") -- may be no UTF-8
  return { content = text, is_error = true }
end

--- What stands for the result of a call that was not made, or not waited for.
local function aborted(session, call)
  return { content = sentences.message("aborted", { name = redacted(session, call.name) }), is_error = true }
end

--- Arguments as a session takes them: models leave them out, or write nothing or null, for an empty object.
local function input_of(value)
  if type(value) == "string" then
    local text = value:match "^%s*(.-)%s*$"
    return text ~= "" and text ~= "null" and value or nil
  end
  return type(value) ~= "userdata" and value or nil
end

local MEDIA_TYPES = { ["image/png"] = true, ["image/jpeg"] = true, ["image/gif"] = true, ["image/webp"] = true }

--- The images among the parts of a result (`{ type = "image", data =, mimeType = }`, in base64) that both APIs take.
---@param result abridge.Result
---@return table[] images
---@return integer left_out other parts
function M.images(result)
  local images, left_out = {}, 0
  for _, part in ipairs(M.list(result.blocks)) do
    local is_image = M.field(part, "type") == "image" and type(M.field(part, "data")) == "string"
    if is_image and MEDIA_TYPES[M.field(part, "mimeType")] then
      images[#images + 1] = part
    else
      left_out = left_out + 1
    end
  end
  return images, left_out
end

--- A result's text, which is never empty: an error without text is refused. Parts that are left out are counted behind
--- it, within the budgets of the tool.
---@param session abridge.Session
---@param result abridge.Result
---@param left_out? integer
---@return string
function M.text(session, result, left_out)
  local text = result.content
  if left_out and left_out > 0 then
    text = text .. fit.trailer(text, nil, sentences.parts_left_out(left_out))
    local limits, ceiling = session:limits(result.tool), session.table_of_limits:ceiling_limits(result.tool)
    limits.strategy, limits.snap = "head_tail", "char"
    limits.max_bytes = math.min(limits.max_bytes or math.huge, ceiling and ceiling.max_bytes or math.huge)
    if limits.max_bytes == math.huge then limits.max_bytes = nil end
    text = limit.cut(text, limits)
  end
  return text ~= "" and text or sentences.no_output
end

--- The content of a message that takes images beside text: a string where there are none, else a list of parts.
---@param session abridge.Session
---@param result abridge.Result
---@param images table[]
---@param left_out integer
---@param as_text fun(text: string): table
---@param as_image fun(image: table): table
---@return string|table[]
function M.content(session, result, images, left_out, as_text, as_image)
  local text = M.text(session, result, left_out)
  if #images == 0 then return text end
  local parts = {}
  if result.content ~= "" or left_out > 0 then parts[1] = as_text(text) end -- a text part must not be empty
  for _, image in ipairs(images) do
    parts[#parts + 1] = as_image(image)
  end
  return parts
end

-- running --------------------------------------------------------------------

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
  local opts = { id = call.id, on_done = call.done }
  local ok, job = pcall(self.session.call, self.session, call.name, input_of(call.input), opts)
  call.job = ok and job or nil
  call.id = call.id or (ok and job.call_id) or ("call-0-%d"):format(self.started)
  if not ok then call.done(failure(self.session, call, job)) end
end

--- Start what may be started; when all is done, tell.
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

function Turn:finish()
  local built = {}
  for i, call in ipairs(self.calls) do
    local ok, message = pcall(self.build, self.session, call, call.result)
    built[i] = ok and message or self.build(self.session, call, failure(self.session, call, message))
  end
  self.messages = self.gather and #built > 0 and { self.gather(built) } or built
  if self.on_done then jobs.guarded(self.session.errors, self.on_done, self.messages) end
end

--- Cancel the calls under way and start no more. Each still gets its message.
function Turn:cancel()
  self.cancelled = true
  for _, call in ipairs(self.calls) do
    if call.job then pcall(call.job.cancel, call.job) end
  end
end

--- Wait until every call has its message. Raises where waiting is not possible; what a callback of the host raised is
--- kept for the session's next wait.
---@param seconds? number no limit when nil
---@return table[]|nil messages nil when the seconds are over
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
---@param build fun(session: abridge.Session, call: abridge.TurnCall, result: abridge.Result): table a call's message
---@param gather? fun(built: table[]): table all of them in one message
---@return table[]|abridge.Turn
function M.run(who, session, calls, opts, build, gather)
  if type(session) ~= "table" or type(session.call) ~= "function" then
    check.fail(("%s: session must be a session, got %s"):format(who, check.show(session)), 1)
  end
  opts = check.options(who, opts, OPTIONS, 2)
  local self = setmetatable({ session = session, calls = calls, build = build, gather = gather }, Turn)
  self.on_done, self.parallel = opts.on_done, opts.parallel
  self.ids, self.started, self.left = {}, 0, #calls
  for _, call in ipairs(calls) do
    if type(call.name) ~= "string" then call.name = "" end
  end
  self:advance()
  if self.on_done then return self end
  return self:wait()
end

return M
