--- A conversation within a budget: old results of tools make room for new ones, each replaced by a line that says what
--- it was and how to see it again.

local check = require "abridge.base.check"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local folds = require "abridge.history.fold"
local shapes = require "abridge.history.shapes"
local stubs = require "abridge.history.stub"
local tokens = require "abridge.history.tokens"
local ends = require "abridge.session.ends"

local M = {}

local WHO = "abridge.history.fit"

-- options ----------------------------------------------------------------------------

---@class (exact) abridge.HistoryOptions
---@field format "openai"|"responses"|"anthropic"|abridge.HistoryFormat of the messages
---@field max_tokens integer what the messages may take; tools and system prompt given elsewhere come on top
---@field count_tokens? fun(text: string): integer the model's own counter; estimated unless set
---@field token_safety? number factor on the estimate, 1.35 unless set
---@field image_tokens? integer|fun(width: integer, height: integer): integer tokens of an image; 1600 unless set, and
---  where the size is not known
---@field trigger? number share of the budget up to which nothing changes, 0.9 unless set
---@field target? number share of the budget to come down to, 0.6 unless set
---@field keep? integer results before the last turn that stay, 3 unless set
---@field clear_at_least? number share of the budget that must be freed for anything to change, 0.1 unless set
---@field exclude_tools? string[] tools whose results never change
---@field session? abridge.Session that made the calls: tells how they ended and where full outputs are, and redacts

---@class (exact) abridge.HistoryFormat The shape of a host's own messages.
---@field read fun(message: table): table of `reply` (it is the model's), `text`, `calls` (of `id`, `name`, `input`) and
---  `results` (of `id`, `content`, `is_error`), each where there is such
---@field write fun(message: table, contents: any[]): table a copy with `contents[k]` as the k-th result

---@class (exact) abridge.HistoryReport
---@field tokens_before integer
---@field tokens_after integer
---@field changed integer[] indexes of the messages that changed
---@field first_changed? integer
---@field freed integer tokens
---@field fits boolean whether the messages are within `max_tokens`

local DEFAULTS = { trigger = 0.9, target = 0.6, keep = 3, clear_at_least = 0.1 }

local function ratio(value)
  if type(value) ~= "number" or not (value >= 0 and value <= 1) then return "a number from 0 to 1" end
end

local function any()
  return nil
end

local OPTIONS = {
  format = any, -- checked where it is looked up; the three budgets by the core
  max_tokens = any,
  count_tokens = any,
  token_safety = any,
  trigger = ratio,
  target = ratio,
  clear_at_least = ratio,
  keep = check.count,
  image_tokens = function(value)
    if type(value) ~= "function" and not check.is_count(value) then return "an integer from 0 to 2^53 or a function" end
  end,
  exclude_tools = function(value)
    local wanted = "a list of tool names"
    if type(value) ~= "table" then return wanted end
    for key, name in next, value do
      if type(key) ~= "number" or type(name) ~= "string" then return wanted end
    end
  end,
  session = function(value)
    if type(value) ~= "table" or type(value.cap) ~= "function" then return "a session" end
  end,
}

local function checked_options(opts)
  if opts == nil then check.fail(WHO .. ": opts must be a table, got nil", 1) end
  opts = check.options(WHO, opts, OPTIONS, 2)
  if check.positive(opts.max_tokens) then
    check.fail(("%s: max_tokens must be %s, got %s"):format(WHO, check.positive(), check.show(opts.max_tokens)), 1)
  end
  local counted = { max_tokens = opts.max_tokens, count_tokens = opts.count_tokens, token_safety = opts.token_safety }
  limit.checked(WHO, counted, 1)
  for key, value in pairs(DEFAULTS) do
    if opts[key] == nil then opts[key] = value end
  end
  if opts.target > opts.trigger then
    local said = "%s: target must be at most trigger (%s), got %s"
    check.fail(said:format(WHO, check.show(opts.trigger), check.show(opts.target)), 1)
  end
  local excluded = {}
  for _, name in ipairs(check.list(opts.exclude_tools or {})) do
    excluded[name] = true
  end
  opts.exclude_tools = excluded
  return opts
end

-- what is known of a message ---------------------------------------------------------

---@class abridge.history.Record
---@field setup table what its counts depend on
---@field print any[] the message as it was
---@field reply boolean
---@field calls table[]
---@field results table[]
---@field fixed integer tokens besides the results

local records = setmetatable({}, { __mode = "k" }) ---@type table<table, abridge.history.Record>

local MOST_NESTED = 100

--- Everything in a value, in the order in which `next` goes; nil where it is nested too deep.
local function printed(value, print, depth)
  if depth > MOST_NESTED then return nil end
  for key, inner in next, value do
    local is_table = type(inner) == "table"
    print[#print + 1] = key
    print[#print + 1] = is_table and printed or inner
    if is_table and not printed(inner, print, depth + 1) then return nil end
  end
  print[#print + 1] = printed -- the end of a table, which no message has
  return print
end

--- Is a value as it was printed? The place after it, or nil.
local function unchanged(value, print, at)
  for key, inner in next, value do
    if not rawequal(print[at], key) then return nil end
    if type(inner) == "table" then
      at = rawequal(print[at + 1], printed) and unchanged(inner, print, at + 2)
      if not at then return nil end
    else
      if print[at + 1] ~= inner then return nil end
      at = at + 2
    end
  end
  return rawequal(print[at], printed) and at + 1 or nil
end

local SETUP = { "count_tokens", "token_safety", "image_tokens", "session" }
local last_setup = setmetatable({}, { __mode = "v" })

--- What counts depend on, the same table for the same options.
local function setup_of(opts, format)
  local last = last_setup[1]
  local same = last and last.format == format
  for _, key in ipairs(SETUP) do
    same = same and last[key] == opts[key]
  end
  if same then return last end
  local setup = { format = format }
  for _, key in ipairs(SETUP) do
    setup[key] = opts[key]
  end
  last_setup[1] = setup
  return setup
end

local function call_of(call)
  local input = stubs.decoded(call.input)
  return { id = call.id, name = call.name, input = input, key = stubs.key(call.name, input) }
end

--- A message, read and weighed, or as remembered.
local function record_of(state, message, index)
  local record = records[message]
  local shape = state.shape
  local seen = shape.own and shape.read(message) or message
  if record and record.setup == state.setup and unchanged(seen, record.print, 1) then return record end
  local print = printed(seen, {}, 1)
  if not print then error(("%s: messages[%d] is nested too deep"):format(WHO, index), 0) end
  local view = shape.own and shape.view(seen) or shape.read(message)
  record = { setup = state.setup, print = print, reply = view.reply, calls = {}, results = {}, fixed = 0 }
  for _, value in ipairs(view.rest) do
    record.fixed = record.fixed + state.weigher:value(value)
  end
  for i, call in ipairs(view.calls) do
    record.calls[i] = call_of(call)
  end
  for i, result in ipairs(view.results) do
    local content = state.weigher:content(result.content)
    record.results[i] = { id = result.id, is_error = result.is_error, given = result.content, content = content }
  end
  records[message] = record
  return record
end

-- the calls of a conversation ----------------------------------------------------------

--- A call that waits for its result.
local function open_call(state, call)
  local id, entry = call.id, { call = call, reply = state.replies }
  state.waiting[#state.waiting + 1] = entry
  if id == nil then return end
  local same = state.open[id]
  if not same or same[1].reply ~= state.replies then
    same = {}
    state.open[id] = same -- a call of an earlier reply had this id
  end
  same[#same + 1] = entry
  state.made[id] = (state.made[id] or 0) + 1
  entry.nth = state.made[id]
end

--- The first call in a list that has no result yet.
local function take(entries)
  for _, entry in ipairs(entries or {}) do
    if not entry.answered then
      entry.answered = true
      return entry
    end
  end
end

--- A result and its call, on their way through the fold.
local function result_of(state, record, message, k)
  local given = record.results[k]
  local entry = take(given.id ~= nil and state.open[given.id] or given.id == nil and state.waiting) or {}
  local call, session = entry.call or {}, state.opts.session
  local ending = session and entry.nth and ends.find(session, given.id, entry.nth) or nil
  local failed = given.is_error == true or ending ~= nil and ending.failed
  return {
    message = message,
    k = k,
    given = given,
    key = call.key,
    content = given.content,
    excluded = call.name ~= nil and state.opts.exclude_tools[call.name] or false,
    removed = { name = call.name, input = call.input, failed = failed, ending = ending },
  }
end

--- The stub of a result as it is now.
local function stub_of(state, result)
  local given, removed = result.given, result.removed
  local whole = rawequal(result.content, given.content)
  if whole and given.stub and given.stub_of == result.key and given.ending == removed.ending then return given.stub end
  removed.content = result.content
  local text = stubs.of(removed, state.weigher, state.opts, state.opts.session)
  if whole then
    given.stub, given.stub_of, given.ending = text, result.key, removed.ending
  end
  return text
end

--- A text without its last sentence.
local function without(text, sentence)
  local start = sentence and #text - #sentence
  if not start or start < 0 or text:sub(start + 1) ~= sentence then return text end
  return (text:sub(1, start):gsub("\n+$", "\n"))
end

--- A result's text within so many tokens: how it ended stays, and the notice is that of this cut.
local function cut_of(state, result, most)
  local cuts = result.given.cuts or {}
  result.given.cuts = cuts
  local ending, opts = result.removed.ending or {}, state.opts
  if cuts[most] and cuts[most].ending == ending.path then return cuts[most].text end
  local limits = { strategy = "auto", max_tokens = most, utf8 = "replace" }
  limits.count_tokens, limits.token_safety = opts.count_tokens, opts.token_safety
  local body = without(result.content.text, ending.notice)
  local before = body
  body = without(body, ending.exit)
  local parts = { tool = "run_command", exit = before ~= body and ending.exit or nil }
  function parts.adjust(cut)
    cut.full_output_path = ending.path
  end
  local text = fit.fit(body, limits, parts)
  cuts[most] = { text = text, ending = ending.path }
  return text
end

-- messages that changed ------------------------------------------------------------------

--- A result's content with its texts replaced by one.
local function with_text(given, text)
  if type(given) ~= "table" then return text end
  local parts, put = {}, false
  for _, part in ipairs(check.list(given)) do
    local is_text = tokens.media(part) == nil and (type(part) == "string" or type(rawget(part, "text")) == "string")
    if not is_text then
      parts[#parts + 1] = part
    elseif not put then
      parts[#parts + 1], put = type(part) == "string" and text or check.copied(part), true
      if type(part) == "table" then parts[#parts].text = text end
    end
  end
  return parts
end

--- The contents of a message's results as they are now; nil where none changed.
local function contents_of(results)
  local contents, changed = {}, false
  for k, result in ipairs(results) do
    contents[k] = result.given.given
    if result.is_stub then
      contents[k], changed = result.stub.text, true
    elseif result.cut then
      contents[k], changed = with_text(result.given.given, result.cut), true
    end
  end
  return changed and contents or nil
end

local function same_list(a, b)
  for k = 1, math.max(#a, #b) do
    if a[k] ~= b[k] then return false end
  end
  return true
end

--- A copy of a message with these contents; the same one as before, if it is as it was.
local function written(state, message, index, record, contents)
  local made = record.made
  if made and same_list(made.contents, contents) then
    local known = records[made.copy]
    if known and known.setup == state.setup and unchanged(made.copy, known.print, 1) then return made.copy end
  end
  local copy = state.shape.write(message, contents)
  if type(copy) ~= "table" then
    error(("%s: format.write must return a table, got %s"):format(WHO, check.show(copy)), 0)
  end
  if not state.shape.own then
    record_of(state, copy, index)
    record.made = { contents = contents, copy = copy }
  end
  return copy
end

-- fit ------------------------------------------------------------------------------------

--- The messages as a list. Raises at the level of the public function's caller.
local function checked_messages(messages, shape)
  if type(messages) ~= "table" then
    check.fail(("%s: messages must be a list of messages, got %s"):format(WHO, check.show(messages)), 1)
  end
  local all = check.list(messages)
  for key in next, messages do
    if type(key) ~= "number" or not all[key] then
      check.fail(("%s: messages must be a list of messages, got one with the key %s"):format(WHO, check.show(key)), 1)
    end
  end
  for i, message in ipairs(all) do
    if type(message) ~= "table" or not shape.is_message(message) then
      local got = type(message) == "table" and "one with the role " .. check.show(rawget(message, "role"))
      local said = "%s: messages[%d] must be %s, got %s"
      check.fail(said:format(WHO, i, shape.wanted, got or check.show(message)), 1)
    end
  end
  return all
end

--- Take the messages through the fold.
local function folded(state, all)
  local fold, before, in_reply = state.fold, 0, false
  for i, message in ipairs(all) do
    local record = record_of(state, message, i)
    state.records[i] = record
    if record.reply and not in_reply then
      fold:step()
      fold:begin_reply()
      state.replies, state.waiting = state.replies + 1, {}
    end
    in_reply = record.reply
    fold:add(record.fixed)
    before = before + record.fixed
    for _, call in ipairs(record.calls) do
      open_call(state, call)
    end
    local results = #record.results > 0 and {} or nil
    for k, given in ipairs(record.results) do
      results[k] = result_of(state, record, i, k)
      fold:add_result(results[k])
      before = before + given.content.tokens
    end
    state.results[i] = results or false
  end
  fold:step()
  return before
end

--- Fit a conversation into a budget of tokens: a pure function, to be called before every request.
---
--- Nothing changes while the messages are within `trigger * max_tokens`. Above that, results of tools are replaced by
--- stubs of at most 160 tokens until they are within `target * max_tokens`: results with images or mostly base64 first,
--- then those that were asked for again, then the rest, the oldest first. The last turn and `keep` results before it
--- stay, unless even that is over `max_tokens`. Only contents of tool results change; every call keeps its result, in
--- its place, and the input is not changed. The same messages give the same bytes, whether they are given raw or as
--- the last call returned them, so that a prompt cache breaks only when results go.
---
--- Raises on misuse, naming the option or the message, and what `count_tokens`, `image_tokens` and `format` raise.
--- Cost: linear; a message seen before costs next to nothing while it is as it was.
---@param messages table[] in the order of the conversation
---@param opts abridge.HistoryOptions
---@return table[] messages a new list; what did not change is the same table
---@return abridge.HistoryReport report
function M.fit(messages, opts)
  opts = checked_options(opts)
  local shape = shapes.of(WHO, opts.format)
  local all = checked_messages(messages, shape)
  local state = { opts = opts, shape = shape, setup = setup_of(opts, opts.format), replies = 0 }
  state.records, state.results, state.open, state.made, state.waiting = {}, {}, {}, {}, {}
  state.weigher = tokens.weigher(opts, opts.image_tokens)
  state.fold = folds.new(opts, state.weigher, {
    stub = function(result)
      return stub_of(state, result)
    end,
    cut = function(result, most)
      return cut_of(state, result, most)
    end,
  })
  local before = folded(state, all)
  local changed = {}
  for i, results in ipairs(state.results) do
    local contents = results and contents_of(results)
    if contents then
      all[i] = written(state, all[i], i, state.records[i], contents)
      changed[#changed + 1] = i
    end
  end
  local after = state.fold.total
  return all,
    {
      tokens_before = before,
      tokens_after = after,
      changed = changed,
      first_changed = changed[1],
      freed = before - after,
      fits = after <= opts.max_tokens,
    }
end

return M
