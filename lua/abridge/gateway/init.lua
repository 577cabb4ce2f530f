--- Between an agent and a model's API: the conversation in a request, fit into a budget of tokens inside the sender's
--- own bytes.

local check = require "abridge.base.check"
local history = require "abridge.history.fit"
local shapes = require "abridge.history.shapes"
local spelled = require "abridge.history.spelled"
local tokens = require "abridge.history.tokens"
local limit_table = require "abridge.output.limit_table"
local capping = require "abridge.gateway.capping"
local passed = require "abridge.gateway.passed"
local requests = require "abridge.gateway.request"

local M = {}

local WHO = "abridge.gateway.new"
local MAX_BODY = 4 * 1024 * 1024
local NO_BUDGET = 2 ^ 53

-- options ----------------------------------------------------------------------------

---@class (exact) abridge.GatewayOptions
--- room for the messages; or a list of `{ pattern, n }`, of which the first counts whose Lua pattern the model's name
--- matches. A request for any other model passes as it came. Tools and a system prompt sent apart come on top (default:
--- nothing is fit)
---@field max_tokens? integer|table[]
--- of results, by the tool's name, over those of the profile; `["*"]` for all others (default: no result is capped)
---@field limits? table<string, abridge.Limits>
---@field profile? string the [profile](profiles) whose limits count (default: `"default"`, if there are `limits`)
---@field max_body? integer bytes; a larger request passes as it came (default: 4 MB)
---@field header? string|false name of the header of answers, or `false` (default: `"X-Abridge"`)
---@field count_tokens? fun(text: string): integer as of [`history.fit`](history.md#the-knobs) (default: as there)
---@field token_safety? number
---@field image_tokens? integer|fun(width: integer, height: integer): number
---@field trigger? number
---@field target? number
---@field keep? integer
---@field clear_at_least? number
---@field exclude_tools? string[]
---@field inputs? boolean
---@field exchanges? boolean
---@field tools? table<string, abridge.HistoryTool|false>

---@class (exact) abridge.GatewayReport
---@field action "fit"|"capped"|"whole"|"passed" `whole`: within its budgets; `passed`: not looked at, see `reason`
---@field reason? string why it passed as it came
---@field failed? boolean it passed because it could not be read, or something of ours failed
---@field header string what the header says
---@field format? "openai"|"responses"|"anthropic"
---@field model? string
---@field tokens_before? integer with the margin
---@field tokens_after? integer
---@field fits? boolean
---@field changed? integer[] indexes of the messages that changed or went in the fit
---@field capped? integer results that were cut by their tools' limits

local HISTORY = {
  "count_tokens",
  "token_safety",
  "image_tokens",
  "trigger",
  "target",
  "keep",
  "clear_at_least",
  "exclude_tools",
  "inputs",
  "exchanges",
  "tools",
}

local function any()
  return nil
end

--- A list of `{ pattern, n }`: the problem with it.
local function list_problem(list)
  for i, row in ipairs(list) do
    local pattern, n = nil, nil
    if type(row) == "table" then
      pattern, n = row[1], row[2]
    end
    if type(pattern) ~= "string" or not pcall(string.find, "", pattern) then
      return ("a list of { pattern, n }, and max_tokens[%d] has no pattern"):format(i)
    end
    if check.positive(n) then return ("a list of { pattern, n }, and max_tokens[%d] has no such n"):format(i) end
  end
  if #list == 0 then return "a number or a list of { pattern, n }" end
end

local OPTIONS = {
  max_tokens = function(value)
    if type(value) == "table" then return list_problem(value) end
    return check.positive(value)
  end,
  limits = "table",
  profile = "string",
  max_body = check.positive,
  header = function(value)
    if value == false or type(value) == "string" and value:find "^[%w_-]+$" then return nil end
    return "a header's name or false"
  end,
}
for _, key in ipairs(HISTORY) do
  OPTIONS[key] = any -- checked by history.fit
end

--- Options of `history.fit`, as it checks them; raises at the level of the public function's caller.
local function history_options(opts)
  local own = { format = "openai", max_tokens = NO_BUDGET }
  for _, key in ipairs(HISTORY) do
    own[key] = opts[key]
  end
  local ok, why = pcall(history.fit, {}, own)
  if not ok then check.fail((check.message(why):gsub("^abridge%.history%.fit", WHO)), 1) end
  return own
end

---@class abridge.Gateway
---@field header string|false
---@field max_body integer
---@field private max_tokens integer|table[]|nil
---@field private fitting table options of history.fit
---@field private capper abridge.gateway.Capper|nil
local Gateway = {}
Gateway.__index = Gateway

--- A gateway with these options. Raises on misuse, naming the option.
---@param opts abridge.GatewayOptions
---@return abridge.Gateway
function M.new(opts)
  opts = check.options(WHO, opts, OPTIONS, 1)
  local caps = opts.limits or opts.profile
  if not opts.max_tokens and not caps then check.fail(WHO .. ": max_tokens, limits or profile must be set") end
  local self = setmetatable({ max_tokens = opts.max_tokens, max_body = opts.max_body or MAX_BODY }, Gateway)
  self.header = opts.header == nil and "X-Abridge" or opts.header
  self.fitting = history_options(opts)
  if caps then
    local limits = limit_table.new(WHO, opts.profile or "default", { limits = opts.limits, ceiling = false }, 1)
    self.capper = { limits = limits, weigher = tokens.weigher(self.fitting, opts.image_tokens) }
  end
  return self
end

-- a request ----------------------------------------------------------------------------

--- The budget for a request.
local function budget_of(self, request)
  local most = self.max_tokens
  if type(most) ~= "table" then return most or NO_BUDGET end
  for _, row in ipairs(most) do
    if request.model and request.model:find(row[1]) then return row[2] end
  end
  requests.pass(false, "max_tokens has no pattern for this model")
end

--- The header's text for a request that was read.
local function header_of(action, before, after, fits)
  if action == "whole" and fits then return ("whole; tokens=%d"):format(after) end
  return ("%s; tokens=%d->%d%s"):format(action, before, after, fits and "" or "; over")
end

--- Fit and cap; ends by `pass` if a request isn't ours.
local function fit(self, body)
  if #body > self.max_body then requests.pass(false, "the body has %d bytes, more than max_body", #body) end
  local request = requests.open(body)
  local most = request.partial and NO_BUDGET or budget_of(self, request)
  local all, format, places = requests.read(request)
  local capped, spared, messages, opts = 0, 0, {}, check.copied(self.fitting)
  if self.capper then
    capped, spared = capping.cap(all, shapes.of(WHO, format), self.capper)
  end
  for i, one in ipairs(all) do
    messages[i] = one.message
  end
  opts.format, opts.max_tokens = format, most
  local sent, report = history.fit(messages, opts)
  if capped > 0 or report.first_changed then body = requests.written(request, places, spelled.all(sent, messages)) end
  local action, before =
    report.first_changed and "fit" or capped > 0 and "capped" or "whole", report.tokens_before + spared
  return body,
    {
      action = action,
      header = header_of(action, before, report.tokens_after, report.fits),
      format = format,
      model = request.model,
      tokens_before = before,
      tokens_after = report.tokens_after,
      fits = report.fits,
      changed = report.changed,
      capped = capped,
    }
end

--- Fit the body of a request, of Chat Completions, Responses or Messages: its tools' results under their limits, then
--- its conversation by `history.fit`. All other bytes stay as they came. The same body gives the same bytes.
---
--- Never raises: a body of another sort, or one that something fails with, is handed back as it came, and the report
--- says why. Cost: linear; a message that was in an earlier request is not read again.
---@param body string
---@return string body
---@return abridge.GatewayReport report
function Gateway:fit(body)
  local ok, fitted, report = pcall(fit, self, body)
  if ok then return fitted, report end
  local passes = type(fitted) == "table" and rawget(fitted, "passes")
  return body, passed(passes or fitted, not passes or fitted.failed)
end

return M
