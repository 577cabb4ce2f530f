--- A conversation within a budget: old results of tools make room for new ones, each replaced by a line that says what
--- it was and how to see it again.

local check = require "abridge.base.check"
local limit = require "abridge.output.limit"
local records = require "abridge.history.records"
local shapes = require "abridge.history.shapes"
local tokens = require "abridge.history.tokens"
local walk = require "abridge.history.walk"

local M = {}

local WHO = "abridge.history.fit"

-- options ----------------------------------------------------------------------------

---@class (exact) abridge.HistoryOptions
---@field format "openai"|"responses"|"anthropic"|abridge.HistoryFormat of the messages
---@field max_tokens integer what the messages may take; tools and system prompt given elsewhere come on top
---@field count_tokens? fun(text: string): integer the model's own counter; estimated unless set
---@field token_safety? number factor on the estimate, 1.35 unless set
---@field image_tokens? integer|fun(width: integer, height: integer): number tokens of an image, rounded up; 1600 unless
---  set, and where the size is not known
---@field trigger? number share of the budget up to which nothing changes, 0.9 unless set
---@field target? number share of the budget to come down to, 0.6 unless set
---@field keep? integer results before the last turn that stay, 3 unless set
---@field clear_at_least? number share of the budget that must be freed for anything to change, 0.1 unless set
---@field exclude_tools? string[] tools whose results never change
---@field session? abridge.Session that made the calls: tells how they ended and where full outputs are, and redacts

---@class (exact) abridge.HistoryFormat The shape of a host's own messages.
---@field read fun(message: table): table of `reply` (it is the model's), `text`, `calls` (of `id`, `name`, `input`) and
---  `results` (of `id`, `content`, `is_error`), each where the message has it
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
  format = any, -- checked where it is looked up
  max_tokens = check.positive,
  count_tokens = any, -- these two as limits
  token_safety = any,
  trigger = ratio,
  target = ratio,
  clear_at_least = ratio,
  keep = check.count,
  image_tokens = function(value)
    if type(value) ~= "function" and not check.is_count(value) then return "an integer from 0 to 2^53 or a function" end
  end,
  exclude_tools = check.tool_names,
  session = check.session,
}

local function checked_options(opts)
  if opts == nil then check.fail(WHO .. ": opts must be a table, got nil", 1) end
  opts = check.options(WHO, opts, OPTIONS, 2)
  if opts.max_tokens == nil then check.fail(("%s: max_tokens must be %s, got nil"):format(WHO, check.positive()), 1) end
  local counted = { max_tokens = opts.max_tokens, count_tokens = opts.count_tokens, token_safety = opts.token_safety }
  limit.checked(WHO, counted, 2)
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

-- messages that changed ------------------------------------------------------------------

--- A result's content with its texts replaced by one.
local function with_text(given, text)
  if type(given) ~= "table" then return text end
  local parts, put = {}, false
  for _, part in ipairs(check.list(given)) do
    if not tokens.text_of(part) then
      parts[#parts + 1] = part
    elseif not put then
      put = true
      if type(part) == "table" then
        part = rawget(part, "text") and check.copied(part) or { type = "text" }
        part.text = text
      else
        part = text
      end
      parts[#parts + 1] = part
    end
  end
  return parts
end

--- What a result holds now.
local function content_now(result)
  if result.is_stub then return result.stub.text end
  return result.cut and with_text(result.given, result.cut) or result.given
end

--- The contents of a message's results as they are now; nil where none changed. `forks`: what became of some.
local function contents_of(record, forks)
  local results, changed = record.results, false
  for k = 1, #results do
    local result = forks[results[k]] or results[k]
    changed = changed or result.is_stub or result.cut
  end
  if not changed then return nil end
  local known, contents = record.made and record.made.contents, nil
  for k = 1, #results do
    local now = content_now(forks[results[k]] or results[k])
    if not contents and not (known and known[k] == now) then
      contents = { (table.unpack or unpack)(known or {}, 1, k - 1) }
    end
    if contents then contents[k] = now end
  end
  return contents or known
end

-- fit ------------------------------------------------------------------------------------

--- The messages as a list. Raises at the level of the public function's caller.
local function checked_messages(messages, shape)
  if type(messages) ~= "table" then
    check.fail(("%s: messages must be a list of messages, got %s"):format(WHO, check.show(messages)), 1)
  end
  local all = {}
  for i = 1, math.huge do
    local message = rawget(messages, i)
    if message == nil then break end
    if type(message) ~= "table" then
      check.fail(("%s: messages[%d] must be %s, got %s"):format(WHO, i, shape.wanted, check.show(message)), 1)
    end
    all[i] = message
  end
  for key in next, messages do
    if type(key) ~= "number" or not all[key] then
      check.fail(("%s: messages must be a list of messages, got one with the key %s"):format(WHO, check.show(key)), 1)
    end
  end
  return all
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
  local weigher, before, changed = tokens.weigher(opts, opts.image_tokens), 0, {}
  local reader = { who = WHO, shape = shape, setup = records.setup(opts), weigher = weigher }
  local known = {}
  for i, message in ipairs(all) do
    known[i] = records.of(reader, message, i, 1)
    before = before + known[i].total
  end
  local after = before
  if before > opts.trigger * opts.max_tokens then -- there never was more before
    local forks
    after, known, forks = walk.to_the_end(all[1], known, opts, reader)
    for i, record in ipairs(known) do
      local contents = contents_of(record, forks)
      if contents then
        all[i] = records.written(reader, record, all[i], contents)
        changed[#changed + 1] = i
      end
    end
  end
  local report =
    { tokens_before = before, tokens_after = after, freed = before - after, fits = after <= opts.max_tokens }
  report.changed, report.first_changed = changed, changed[1]
  return all, report
end

return M
