--- A conversation under a budget, as a fold: at every place before a reply, and at the end, old content makes room.
--- An earlier step finds nothing to do after a later one, so a host that passes our messages back gets the same bytes
--- as one that rebuilds the raw history. That holds because no step makes a prefix of the conversation larger, and
--- because a step over the budget lets everything go that may.
---
--- Work after `mark` can be undone, so that the messages behind the last reply are taken through again when more of
--- them have come.

local check = require "abridge.base.check"
local note = require "abridge.history.note"
local records = require "abridge.history.records"
local share = require "abridge.output.share"
local shrink = require "abridge.history.shrink"
local stub = require "abridge.history.stub"
local superseded = require "abridge.history.superseded"
local tokens = require "abridge.history.tokens"

local M = {}

---@class abridge.history.Entry A message in the conversation.
---@field at integer its place
---@field record abridge.history.Record
---@field calls abridge.history.AskedCall[]
---@field answers abridge.history.Answer[]
---@field made? { copy: table, record: abridge.history.Record } the message as it was written last, while that holds

---@class abridge.history.AskedCall A call in the conversation.
---@field made abridge.history.MadeCall
---@field entry abridge.history.Entry
---@field deed abridge.history.Deed
---@field nth? integer among the calls with its id
---@field answer? abridge.history.Answer
---@field short? { input: string|table, freed: integer } its input now

---@class abridge.history.Answer A result in the conversation.
---@field result abridge.history.Result
---@field call? abridge.history.AskedCall nil if no call is known
---@field entry abridge.history.Entry
---@field exchange abridge.history.Exchange
---@field content abridge.history.Content as it is now, unless it is a stub
---@field ending? abridge.CallEnd what the session knows of it
---@field failed boolean
---@field excluded boolean
---@field at integer its place among all results
---@field stale? boolean a later one supersedes it
---@field stub? { text: string, tokens: integer }|false
---@field is_stub? boolean
---@field cut? any its content, cut

---@class abridge.history.Exchange A reply's calls with their results.
---@field entries abridge.history.Entry[]
---@field calls abridge.history.AskedCall[]
---@field answers abridge.history.Answer[]
---@field waiting integer calls without a result
---@field tokens integer as it is now
---@field ends? boolean a person's message follows it
---@field stays? boolean it has a part that may not go
---@field is_old? boolean
---@field least? integer tokens without what may go: its texts and a note; of one that stays, as it is when made short
---@field texts? integer tokens of its texts

---@class abridge.history.Fold
---@field total integer tokens
---@field entries abridge.history.Entry[]
---@field messages table[] as they were given; set by the caller, who lets go of them
---@field private states ("as given"|"changed"|"gone"|"left")[] of each message; one that was left stands in a run
---@field private runs table<integer, table[]> messages in place of exchanges that went at once, by their first
---@field private turn abridge.history.Exchange since the last reply
---@field private kept abridge.history.Exchange[] those before it, of which the last ones stay
---@field private unweighed integer the first of those that became old and were not looked at yet
---@field private old abridge.history.Exchange[] those that may change, oldest first
---@field private frees integer tokens that would free
---@field private journal? any[] what to undo: table, key and value of each change
local Fold = {}
Fold.__index = Fold

local function new_exchange()
  return { entries = {}, calls = {}, answers = {}, waiting = 0, tokens = 0, ids = {} }
end

---@param opts table of `history.fit`
---@param reader abridge.history.Reader
---@return abridge.history.Fold
function M.new(opts, reader)
  return setmetatable({
    opts = opts,
    reader = reader,
    weigher = reader.weigher,
    total = 0,
    entries = {},
    states = {},
    runs = {},
    kept = {},
    first_kept = 1,
    next_kept = 1,
    unweighed = 1,
    old = {},
    next_short = 1,
    next_gone = 1,
    frees = 0,
    blobs = {},
    next_blob = 1,
    stale = {},
    answers = 0,
    made = {},
    seen = superseded.new(),
    turn = new_exchange(),
  }, Fold)
end

-- changes that can be undone ----------------------------------------------------------

--- Set a field of the fold's, or of a table in it.
function Fold:put(t, key, value)
  local journal = self.journal
  if journal then
    local n = #journal
    journal[n + 1], journal[n + 2], journal[n + 3] = t, key, t[key] == nil and M or t[key]
  end
  t[key] = value
end

--- From here on changes can be undone.
function Fold:mark()
  self.journal = {}
end

--- Undo all changes since `mark`.
function Fold:undo()
  local journal = self.journal or {}
  self.journal = nil
  for i = #journal - 2, 1, -3 do
    local value = journal[i + 2]
    if value == M then value = nil end
    journal[i][journal[i + 1]] = value
  end
end

local function push(self, list, value)
  self:put(list, #list + 1, value)
end

--- A result or an input in a message is another now.
local function set_changed(self, entry)
  self:put(self.states, entry.at, "changed")
  self:put(entry, "made", nil)
end

-- parts that may go ---------------------------------------------------------------------------

--- May this result be replaced, and does that save anything?
local function may_shrink(self, answer)
  if answer.is_stub or answer.excluded or answer.content.tokens <= stub.MOST then return false end
  if answer.stub == nil then
    local is_stub = stub.is_stub(answer.content.text) -- of a fit under other options
    self:put(answer, "stub", not is_stub and shrink.stub(answer, self.opts, self.weigher) or false)
  end
  return answer.stub and answer.stub.tokens < answer.content.tokens
end

--- May this exchange go as a whole?
local function may_go(self, exchange)
  local shape = self.reader.shape
  return self.opts.exchanges
    and shape.merge ~= nil
    and not exchange.stays
    and exchange.waiting == 0
    and #exchange.calls > 0
end

--- The input of a call made short; nil if it stays.
local function short_of(self, call)
  local answer = call.answer
  if not (self.opts.inputs and self.reader.shape.shorten and answer) or answer.excluded or call.short then
    return nil
  end
  return records.short_input(call.made, self.weigher) or nil
end

--- The messages of exchanges: as they are now for a host's own `merge`, as they were given for ours, which take texts
--- alone.
local function messages_of(self, exchanges)
  local messages, own = {}, self.reader.shape.own
  for _, exchange in ipairs(exchanges) do
    for _, entry in ipairs(exchange.entries) do
      messages[#messages + 1] = own and self:message(entry) or self.messages[entry.at]
    end
  end
  return messages
end

--- The replacement of exchanges: messages, and their tokens.
local function merged(self, exchanges, line)
  local messages, total = self.reader.shape.merge(messages_of(self, exchanges), line), 0
  for _, message in ipairs(messages) do
    total = total + records.tokens(self.reader, message)
  end
  return messages, total
end

--- The tokens of the replacement of exchanges.
local function size_of_rest(self, exchanges)
  local line = note.of(exchanges, self.weigher, self.opts)
  if self.reader.shape.own then return (select(2, merged(self, exchanges, line))) end
  local size = self.weigher:text(line)
  for _, exchange in ipairs(exchanges) do
    size = size + exchange.texts
  end
  return size
end

--- The fewest tokens that an exchange can come to.
local function least_of(self, exchange)
  if may_go(self, exchange) then
    local line = note.of({ exchange }, self.weigher, self.opts)
    local _, total = merged(self, { exchange }, line)
    self:put(exchange, "texts", total - self.weigher:text(line))
    return total
  end
  local least = exchange.tokens
  for _, answer in ipairs(exchange.answers) do
    if may_shrink(self, answer) then least = least - answer.content.tokens + answer.stub.tokens end
  end
  for _, call in ipairs(exchange.calls) do
    local short = short_of(self, call)
    least = least - (short and short.freed or 0)
  end
  return least
end

local function can_free(exchange)
  return exchange.is_old and math.max(exchange.tokens - exchange.least, 0) or 0
end

--- Change the cost of an exchange.
local function weigh(self, exchange, by)
  local before = can_free(exchange)
  self:put(exchange, "tokens", exchange.tokens + by)
  self:put(self, "total", self.total + by)
  self:put(self, "frees", self.frees + can_free(exchange) - before)
end

local function to_stub(self, answer)
  if not may_shrink(self, answer) then return end
  self:put(answer, "is_stub", true)
  set_changed(self, answer.entry)
  weigh(self, answer.exchange, answer.stub.tokens - answer.content.tokens)
end

--- Look at the exchanges that became old since the last time.
local function weigh_old(self)
  for i = self.unweighed, self.first_kept - 1 do
    local exchange = self.kept[i]
    self:put(exchange, "least", least_of(self, exchange))
    self:put(exchange, "is_old", true)
    self:put(self, "frees", self.frees + can_free(exchange))
    push(self, self.old, exchange)
    for _, answer in ipairs(exchange.answers) do
      if not answer.is_stub and answer.content.tokens > stub.MOST and not answer.excluded then
        if tokens.is_blob(answer.content) then push(self, self.blobs, answer) end
        if answer.stale then push(self, self.stale, answer) end
      end
    end
  end
  self:put(self, "unweighed", self.first_kept)
end

-- results and arguments -------------------------------------------------------------------

local function remove_blobs(self, target)
  while self.total > target and self.next_blob <= #self.blobs do
    to_stub(self, self.blobs[self.next_blob])
    self:put(self, "next_blob", self.next_blob + 1)
  end
end

local function earlier(a, b)
  return a.at < b.at
end

local function remove_stale(self, target)
  if self.total <= target or #self.stale == 0 then return end
  local stale, left = check.copied(self.stale), {}
  table.sort(stale, earlier)
  for _, answer in ipairs(stale) do
    if self.total > target then
      to_stub(self, answer)
    elseif not answer.is_stub then
      left[#left + 1] = answer
    end
  end
  self:put(self, "stale", left)
end

--- Make an exchange's results stubs, and its arguments short.
local function shorten(self, exchange)
  for _, answer in ipairs(exchange.answers) do
    to_stub(self, answer)
  end
  for _, call in ipairs(exchange.calls) do
    local short = short_of(self, call)
    if short then
      self:put(call, "short", short)
      set_changed(self, call.entry)
      weigh(self, exchange, -short.freed)
    end
  end
end

local function shorten_old(self, target)
  while self.total > target and self.next_short <= #self.old do
    shorten(self, self.old[self.next_short])
    self:put(self, "next_short", self.next_short + 1)
  end
end

-- whole exchanges -----------------------------------------------------------------------------

--- Let exchanges go; false if their replacement costs as much.
local function go(self, exchanges, size)
  local freed = -size
  for _, exchange in ipairs(exchanges) do
    freed = freed + exchange.tokens
  end
  if freed <= 0 then return false end
  local line = note.of(exchanges, self.weigher, self.opts)
  local messages = self.reader.shape.merge(messages_of(self, exchanges), line)
  self:put(self.runs, exchanges[1].entries[1].at, messages)
  local is_left = {}
  for _, message in ipairs(messages) do
    is_left[message] = true
  end
  for _, exchange in ipairs(exchanges) do
    for _, entry in ipairs(exchange.entries) do
      self:put(self.states, entry.at, is_left[self.messages[entry.at]] and "left" or "gone")
    end
    weigh(self, exchange, -exchange.tokens)
    self:put(exchange, "is_old", false)
  end
  self:put(self, "total", self.total + size)
  return true
end

--- The oldest exchanges that may go together: all up to a person's message or one that stays, or as many as it takes.
---@return abridge.history.Exchange[] run
---@return boolean closed more cannot come to it
---@return integer|nil size tokens of the line in its place, if that is known
local function next_run(self, target)
  local run, left = {}, self.total -- the rest, but for the note
  for i = self.next_gone, #self.old do
    local exchange = self.old[i]
    if not may_go(self, exchange) then return run, true end
    run[#run + 1] = exchange
    left = left - exchange.tokens + exchange.texts
    if left <= target then
      local size = size_of_rest(self, run)
      local total = self.total + size
      for _, gone in ipairs(run) do
        total = total - gone.tokens
      end
      if total <= target then return run, true, size end
    end
    if exchange.ends then return run, true end
  end
  return run, false
end

local function remove_exchanges(self, target)
  while self.total > target and self.next_gone <= #self.old do
    if not may_go(self, self.old[self.next_gone]) then
      self:put(self, "next_gone", self.next_gone + 1)
    else
      local run, closed, size = next_run(self, target)
      if not go(self, run, size or size_of_rest(self, run)) and not closed then return end
      self:put(self, "next_gone", self.next_gone + #run)
    end
  end
end

-- parts that go if that is not enough ----------------------------------------------------------

--- Replace the results that stay otherwise, the oldest first. Anything a step passed over stays as it is.
local function remove_kept(self)
  for i = math.max(self.first_kept, self.next_kept), #self.kept do
    for _, answer in ipairs(self.kept[i].answers) do
      if self.total <= self.opts.max_tokens then return end
      to_stub(self, answer)
    end
    self:put(self, "next_kept", i + 1)
  end
end

--- The results of the last turn that may be cut, and how large their texts are.
local function long_ones(self)
  local long, sizes = {}, {}
  for _, answer in ipairs(self.turn.answers) do
    local content = answer.content
    if content.text_tokens > stub.MOST and not answer.excluded and not stub.is_stub(content.text) then
      long[#long + 1], sizes[#sizes + 1] = answer, content.text_tokens
    end
  end
  return long, sizes
end

--- Cut the last turn's results to the room left, the largest to the same size, if that makes all of it fit.
local function cut_turn(self)
  local long, sizes = long_ones(self)
  local left = self.total
  for _, size in ipairs(sizes) do
    left = left - size + stub.MOST
  end
  if #long == 0 or left > self.opts.max_tokens then return end
  local shares = share.fair(sizes, self.opts.max_tokens - left + stub.MOST * #long)
  local cuts, total = {}, self.total
  for i, answer in ipairs(long) do
    local most = math.max(shares[i], stub.MOST)
    if sizes[i] > most then
      local given = shrink.with_text(answer.result.given, shrink.cut(answer, most, self.opts))
      local content = self.weigher:content(given)
      cuts[i] = { given = given, content = content }
      total = total - answer.content.tokens + content.tokens
    end
  end
  if total > self.opts.max_tokens then return end
  for i, answer in ipairs(long) do
    if cuts[i] then
      local by = cuts[i].content.tokens - answer.content.tokens
      self:put(answer, "cut", cuts[i].given)
      set_changed(self, answer.entry)
      self:put(answer, "content", cuts[i].content)
      self:put(answer, "stub", nil)
      weigh(self, answer.exchange, by)
    end
  end
end

-- the fold -----------------------------------------------------------------------------

--- Make room, if there is too much.
function Fold:step()
  local opts = self.opts
  local max, target = opts.max_tokens, opts.target * opts.max_tokens
  if self.total <= opts.trigger * max then return end
  weigh_old(self)
  if self.total > max or self.frees >= opts.clear_at_least * max then
    remove_blobs(self, target)
    remove_stale(self, target)
    shorten_old(self, target)
    remove_exchanges(self, target)
  end
  if self.total > max then remove_kept(self) end
  if self.total > max then cut_turn(self) end
end

local function is_exchange(turn)
  return #turn.calls > 0 or #turn.answers > 0
end

--- The next message is a reply: the results so far are those of an earlier turn.
function Fold:begin_reply()
  local turn = self.turn
  if is_exchange(turn) then
    push(self, self.kept, turn)
    local first = math.max(#self.kept - self.opts.keep + 1, self.first_kept)
    self:put(self, "first_kept", first)
  end
  self:put(self, "turn", new_exchange())
end

--- Add the next call of the last reply.
---@param call abridge.history.AskedCall
local function add_call(self, call)
  local turn, id = self.turn, call.made.id
  push(self, turn.calls, call)
  self:put(turn, "waiting", turn.waiting + 1)
  if id == nil then return end
  self:put(self.made, id, (self.made[id] or 0) + 1)
  call.nth = self.made[id]
  if not turn.ids[id] then self:put(turn.ids, id, {}) end
  push(self, turn.ids[id], call)
end

--- The call that a result answers: by its id, or the first without a result.
local function answered(self, id)
  local turn = self.turn
  for _, call in ipairs(id == nil and turn.calls or turn.ids[id] or {}) do
    if not call.answer then
      self:put(turn, "waiting", turn.waiting - 1)
      return call
    end
  end
end

--- Mark the results that a result supersedes.
local function supersede(self, answer)
  superseded.add(self, answer, function(older)
    if older.stale then return end
    self:put(older, "stale", true)
    local is_candidate = older.exchange.is_old and not older.is_stub and not older.excluded
    if is_candidate and older.content.tokens > stub.MOST then push(self, self.stale, older) end
  end)
end

--- Add the next result.
---@param entry abridge.history.Entry
---@param result abridge.history.Result
---@param ending_of fun(call: abridge.history.AskedCall): abridge.CallEnd|nil
local function add_answer(self, entry, result, ending_of)
  local turn, call = self.turn, answered(self, result.id)
  self:put(self, "answers", self.answers + 1)
  local answer = { result = result, call = call, entry = entry, exchange = turn, content = result.whole }
  answer.at = self.answers
  local name = call and call.made.name
  answer.ending = call and ending_of(call) or nil
  answer.failed = result.is_error or answer.ending ~= nil and answer.ending.failed
  answer.excluded = name ~= nil and self.opts.exclude_tools[name] or false
  if call then self:put(call, "answer", answer) end
  if not call or answer.excluded then self:put(turn, "stays", true) end
  entry.answers[#entry.answers + 1] = answer
  push(self, turn.answers, answer)
  supersede(self, answer)
end

--- A person's message came: no run of exchanges goes on past it.
local function end_run(self)
  local turn = self.turn
  local last = is_exchange(turn) and turn or self.kept[#self.kept]
  if last then self:put(last, "ends", true) end
end

--- Add the next message.
---@param record abridge.history.Record
---@param deed_of fun(call: abridge.history.MadeCall): abridge.history.Deed
---@param ending_of fun(call: abridge.history.AskedCall): abridge.CallEnd|nil
function Fold:add(record, deed_of, ending_of)
  local turn = self.turn
  local entry = { at = #self.entries + 1, record = record, calls = {}, answers = {} }
  push(self, self.entries, entry)
  self:put(self.states, entry.at, "as given")
  self:put(self, "total", self.total + record[records.AT_TOTAL])
  for k, made in ipairs(record.calls) do
    entry.calls[k] = { made = made, deed = deed_of(made), entry = entry }
    add_call(self, entry.calls[k])
  end
  for _, result in ipairs(record.results) do
    add_answer(self, entry, result, ending_of)
  end
  if record.person then end_run(self) end
  if record.reply or #record.results > 0 then
    if record.stays then self:put(turn, "stays", true) end
    push(self, turn.entries, entry)
    self:put(turn, "tokens", turn.tokens + record[records.AT_TOTAL])
  end
end

-- messages as they are now ----------------------------------------------------------------

local function content_now(answer)
  if answer.is_stub then return answer.stub.text end
  return answer.cut or answer.result.given
end

--- A message as it is now, if it did not go.
---@param entry abridge.history.Entry
---@return table
function Fold:message(entry)
  local message, made = self.messages[entry.at], entry.made
  if self.states[entry.at] ~= "changed" then return message end
  if made and records.is_as(made.copy, made.record) then return made.copy end
  local contents, inputs, is_other = {}, {}, false
  for k, answer in ipairs(entry.answers) do
    is_other = is_other or answer.is_stub or answer.cut ~= nil
    contents[k] = content_now(answer)
  end
  for k, call in ipairs(entry.calls) do
    inputs[k] = call.short and call.short.input
  end
  if next(inputs) == nil then inputs = nil end
  local copy, record = records.written(self.reader, entry.record, message, is_other and contents or nil, inputs)
  entry.made = record and { copy = copy, record = record }
  return copy
end

--- All messages as they are now, and which of the given ones are not among them.
---@return table[] messages
---@return integer[] changed
function Fold:result()
  local messages, changed, n = {}, {}, 0
  for i, state in ipairs(self.states) do
    if state == "as given" then
      n = n + 1
      messages[n] = self.messages[i]
    elseif state == "changed" then
      n = n + 1
      messages[n] = self:message(self.entries[i])
      changed[#changed + 1] = i
    else
      for _, message in ipairs(self.runs[i] or {}) do
        n = n + 1
        messages[n] = message
      end
      if state == "gone" then changed[#changed + 1] = i end
    end
  end
  return messages, changed
end

return M
