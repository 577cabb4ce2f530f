--- A conversation within a budget: old results of tools make room for new ones, each replaced by a line that names it
--- and says how to see it again.

local check = require "abridge.base.check"
local limit = require "abridge.output.limit"
local window = require "abridge.output.window"
local records = require "abridge.history.records"
local shapes = require "abridge.history.shapes"
local tokens = require "abridge.history.tokens"
local tools = require "abridge.history.tools"
local walk = require "abridge.history.walk"

local M = {}

local WHO = "abridge.history.fit"

-- options ----------------------------------------------------------------------------

---@class (exact) abridge.HistoryOptions
--- `"openai"` (Chat Completions), `"responses"`, `"anthropic"` (Messages), or [a shape of your
--- own](#messages-of-another-shape): guessing would fail on the first odd message (default: must be given)
---@field format "openai"|"responses"|"anthropic"|abridge.HistoryFormat
--- room for the messages: the model's window less the definitions of tools, a system prompt that is sent apart, and
--- room for the answer; or a share of the `window` of `session`, such as `"80%"` (default: must be given)
---@field max_tokens integer|string
--- a counter of the model's own, if you have one: it is taken at its word (default: the
--- [estimate](lua.md#counting-and-sizes))
---@field count_tokens? fun(text: string): integer
---@field token_safety? number factor on the estimate (default: 1.35)
--- `{ tokens =, messages =, other = }`: the API's own count of an earlier request, [in place of that factor](#counting)
--- (default: none)
---@field usage? abridge.HistoryUsage
--- tokens of an image: about 1.2 megapixels at 750 pixels a token; a function of width and height if your model counts
--- otherwise (default: 1600, for images of unknown size too)
---@field image_tokens? integer|fun(width: integer, height: integer): number
--- up to this share of the budget nothing changes: late, because each rewrite breaks the prompt cache, but below the
--- limit, so that old content goes before the newest has to (default: 0.9)
---@field trigger? number
--- share to come down to: 30 % of the budget has to come in before the next rewrite. A lower target forgets more than
--- it must, a higher one breaks the cache more often (default: 0.6)
---@field target? number
--- exchanges (the calls of a reply with their results) before the last turn that stay: the model is working with them
--- (default: 5)
---@field keep? integer
--- share of the budget; a rewrite that frees less is not worth a broken cache, so nothing changes (default: 0.1)
---@field clear_at_least? number
---@field inputs? boolean whether long arguments of old calls become short (default: `true`)
--- whether old calls go at all if that isn't enough; with both `false` only results change (default: `true`)
---@field exchanges? boolean
--- tools whose calls and results never change: results that can't be had again, or are small and always needed, such as
--- notes, plans, answers of the user (default: none)
---@field exclude_tools? string[]
--- `{ NAME = { reads =, writes =, repeatable = } }`: effects of your tools, [which we cannot know](#what-tools-do)
--- (default: none)
---@field tools? table<string, abridge.HistoryTool|false>
--- the session that made the calls: a stub then tells how a command ended and where its full output is, and is
--- redacted. With a `run_dir`, every output over 160 tokens has a file (default: none)
---@field session? abridge.Session

---@class (exact) abridge.HistoryUsage
---@field tokens integer all input that the API counted, from its cache too
---@field messages integer so many of the messages were in that request, from the first on
---@field other? integer tokens of what is not in them: tools, a system prompt sent apart; 0 unless set

---@class (exact) abridge.HistoryFormat The shape of a host's own messages.
--- of `reply` (it is the model's), `text`, `calls` (of `id`, `name`, `input`) and `results` (of `id`, `content`,
--- `is_error`), each where the message has it
---@field read fun(message: table): table
---@field write fun(message: table, contents: any[]): table a copy with `contents[k]` as the k-th result
--- a copy with `inputs[k]` as the input of the k-th call, if there is one
---@field shorten? fun(message: table, inputs: table<integer, any>): table
--- the messages in place of exchanges: the texts in them, and `text`, as the user's
---@field merge? fun(messages: table[], text: string): table[]

---@class (exact) abridge.HistoryReport
---@field tokens_before integer tokens, with the margin
---@field tokens_after integer
---@field freed integer
--- indexes of the given messages that changed or went, and the first at which the lists differ; the bytes before it are
--- those of the last request
---@field changed integer[]
---@field first_changed? integer
---@field fits boolean whether the messages are within `max_tokens`; if not, nothing more can go

local DEFAULTS = { trigger = 0.9, target = 0.6, keep = 5, clear_at_least = 0.1, inputs = true, exchanges = true }

local function ratio(value)
  if type(value) ~= "number" or not (value >= 0 and value <= 1) then return "a number from 0 to 1" end
end

local function any()
  return nil
end

local OPTIONS = {
  format = any, -- checked when it is looked up
  max_tokens = window.or_share(check.positive),
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
  inputs = "boolean",
  exchanges = "boolean",
  usage = function(value)
    if type(value) ~= "table" then return "a table" end
  end,
  tools = function(value)
    if type(value) ~= "table" then return "a table" end
  end,
  session = check.session,
}

local USAGE = { tokens = check.count, messages = check.count, other = check.count }

local function checked_usage(usage)
  local checked = check.options(WHO .. ": usage", usage, USAGE, 3)
  for _, key in ipairs { "tokens", "messages" } do
    if checked[key] == nil then check.fail(("%s: usage.%s must be %s, got nil"):format(WHO, key, check.count()), 2) end
  end
  return checked
end

local function checked_options(opts)
  if opts == nil then check.fail(WHO .. ": opts must be a table, got nil", 1) end
  opts = check.options(WHO, opts, OPTIONS, 2)
  if opts.max_tokens == nil then check.fail(("%s: max_tokens must be %s, got nil"):format(WHO, check.positive()), 1) end
  window.take_share(WHO, opts, opts.session and opts.session.window, 1)
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
  opts.tools = tools.checked(WHO, opts.tools, 2)
  opts.usage = opts.usage and checked_usage(opts.usage)
  return opts
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
  local others = -#all
  for _ in next, messages do
    others = others + 1
  end
  for key in next, others > 0 and messages or {} do
    if type(key) ~= "number" or not all[key] then
      check.fail(("%s: messages must be a list of messages, got one with the key %s"):format(WHO, check.show(key)), 1)
    end
  end
  return all
end

-- a measured factor ---------------------------------------------------------------------------

local FEWEST, LEAST, MOST, STEPS = 0.7, 0.8, 3.5, 20 -- of the factor; below the first the count is of something else

--- The factor on the estimate that the API's own count shows; nil if it tells nothing.
local function measured(all, opts, shape)
  local usage = opts.usage
  if not usage or opts.count_tokens or usage.messages > #all then return nil end
  local weigher = tokens.weigher(opts, opts.image_tokens)
  local reader, bare = { who = WHO, shape = shape, setup = records.setup(opts), weigher = weigher }, 0
  for i = 1, usage.messages do
    bare = bare + records.bare(reader, all[i], i, 2)
  end
  local factor = (usage.tokens - (usage.other or 0)) / bare
  if not (factor >= FEWEST and factor < math.huge) then return nil end
  return math.min(math.max(math.ceil(factor * STEPS - 1e-9) / STEPS, LEAST), MOST)
end

--- Fit a conversation into a budget of tokens: a pure function, to be called before every request.
---
--- Nothing changes while the messages are within `trigger * max_tokens`. Above that old content makes room until they
--- are within `target * max_tokens`: results with images or mostly base64 become stubs first, then those that a later
--- one supersedes; then exchanges, the oldest first: their results become stubs and long arguments short, and if that
--- is not enough, they go as a whole. The last turn and `keep` exchanges before it stay, unless even that is over
--- `max_tokens`. Text of people and the model stays, and the input is not changed. The same messages give the same
--- bytes, whether they are given raw or as the last call returned them, so that a prompt cache breaks only when
--- something goes.
---
--- Raises on misuse, naming the option or the message; errors of `count_tokens`, `image_tokens` and `format` pass
--- through. Cost: linear; a message seen before costs next to nothing while it is as it was.
---@param messages table[] in the order of the conversation
---@param opts abridge.HistoryOptions
---@return table[] messages a new list; unchanged messages are the same tables
---@return abridge.HistoryReport report
function M.fit(messages, opts)
  opts = checked_options(opts)
  local shape = shapes.of(WHO, opts.format)
  local all = checked_messages(messages, shape)
  opts.token_safety = measured(all, opts, shape) or opts.token_safety
  local weigher, before, known = tokens.weigher(opts, opts.image_tokens), 0, {}
  local reader = { who = WHO, shape = shape, setup = records.setup(opts), weigher = weigher }
  for i, message in ipairs(all) do
    known[i] = records.of(reader, message, i, 1)
    before = before + known[i][records.AT_TOTAL]
  end
  local after, sent, changed = before, all, {}
  if before > opts.trigger * opts.max_tokens then -- there never was more before
    local fold = walk.to_the_end(all, known, opts, reader)
    after, sent, changed = fold.total, fold:result()
    fold.messages = nil
  end
  return sent,
    {
      tokens_before = before,
      tokens_after = after,
      freed = before - after,
      fits = after <= opts.max_tokens,
      changed = changed,
      first_changed = changed[1],
    }
end

return M
