--- The budget of a turn: a limit on all results of one reply together. A result of at most an even share is final when
--- its call ends. The others are held until all calls have ended; then the rest is shared out among them, and those
--- over their share are cut again, from their tools' output.

local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local share = require "abridge.output.share"
local dispatch = require "abridge.session.dispatch"
local messages = require "abridge.session.messages"

local M = {}

---@class abridge.TurnBudget
---@field private session abridge.Session
---@field private calls abridge.TurnCall[]
---@field private budgets table<string, integer> max_bytes, max_tokens
---@field private parts fun(result: abridge.Result): table[], integer
local Budget = {}
Budget.__index = Budget

--- A new budget.
---@param session abridge.Session
---@param calls abridge.TurnCall[]
---@param budgets table<string, integer>
---@param parts fun(result: abridge.Result): table[], integer a result's images, and how many parts are left out
---@return abridge.TurnBudget
function M.new(session, calls, budgets, parts)
  return setmetatable({ session = session, calls = calls, budgets = budgets, parts = parts }, Budget)
end

-- sizes ---------------------------------------------------------------------------

--- Tokens as the tool's limits count them; as estimated if its counter fails.
local function tokens_of(text, limits)
  local ok, tokens = pcall(fit.tokens_of, text, limits)
  return ok and tokens or core.weigh_tokens(text, limits.token_safety)
end

--- The size of a text in each budget.
function Budget:size(text, limits)
  return {
    max_bytes = #text,
    max_tokens = self.budgets.max_tokens and tokens_of(text, limits),
  }
end

--- Is a size within a part of each budget?
function Budget:within(size, part)
  for key in pairs(self.budgets) do
    if size[key] > part[key] then return false end
  end
  return true
end

--- The limits by which a call's tokens are counted.
function Budget:limits(call)
  if not call.limits then
    local ok, limits = pcall(self.session.limits, self.session, call.name)
    call.limits = ok and limits or {}
  end
  return call.limits
end

--- The text of a result's message.
function Budget:text(result)
  local images, left_out = self.parts(result)
  local ok, text = pcall(messages.text, self.session, result, left_out, images)
  return ok and text or result.content, left_out -- if not, the message fails too, and says so in its share
end

--- Weigh a result: its text, the part that must stay, and the line on parts left out.
---@return boolean small it is at most an even share
function Budget:weigh(call, result, exit)
  local limits = self:limits(call)
  local text, left_out = self:text(result)
  call.size = self:size(text, limits)
  call.line = left_out > 0 and self:size(messages.left_out_line("x", left_out), limits) or nil
  local even = {}
  for key, budget in pairs(self.budgets) do
    even[key] = math.floor(budget / #self.calls)
  end
  local small = self:within(call.size, even)
  local least = self:size(exit or notice.truncated, limits)
  local no_longer = call.size.max_bytes <= least.max_bytes
  local whole = small or no_longer or result.content == "" -- the last is only a sentence of ours
  call.least = whole and call.size or least
  return small
end

--- A call's share, for its session.
---@param call abridge.TurnCall
---@return abridge.CallShare
function Budget:of(call)
  return {
    budgets = self.budgets,
    holds = function(held)
      if call.result then return false end -- it was answered without it
      call.limits = held.call.limits
      if self:weigh(call, held.result, held.exit) then return false end
      call.held = held
      return true
    end,
  }
end

-- shares --------------------------------------------------------------------------

--- The share of each call in each budget.
function Budget:shares()
  local shares = {}
  for i in ipairs(self.calls) do
    shares[i] = {}
  end
  for key, budget in pairs(self.budgets) do
    local sizes, least = {}, {}
    for i, call in ipairs(self.calls) do
      least[i] = call.least[key]
      sizes[i] = math.max(call.size[key], least[i])
    end
    for i, part in ipairs(share.fair_from(sizes, budget, least)) do
      shares[i][key] = math.min(part, sizes[i])
    end
  end
  return shares
end

local SPARE_TOKENS = 4 -- two texts together may take some more than each alone

--- A call's part less the line on parts left out; nil if that would take text that must stay.
function Budget:beside_line(call)
  local left = {}
  for key in pairs(self.budgets) do
    left[key] = call.part[key] - call.line[key] - (key == "max_tokens" and SPARE_TOKENS or 0)
    if left[key] < call.least[key] then return nil end
  end
  return left
end

--- Cut a result of ours, a sentence that no tool gave, to its call's part.
---@param call abridge.TurnCall
---@param result table
function Budget:cut_sentence(call, result)
  local limits = self:limits(call)
  if self:within(self:size(result.content, limits), call.part) then return end
  local own = { strategy = "head", long_line = "split", utf8 = "replace" }
  own.count_tokens, own.token_safety = limits.count_tokens, limits.token_safety
  local ok, text = pcall(limit.cut, result.content, limit.copy(own, call.part))
  if not ok then
    own.count_tokens = nil
    text = limit.cut(result.content, limit.copy(own, call.part))
  end
  result.content = text:find "%S" and text or notice.truncated
end

--- Make the result of a call final that was held, in its part of the budget.
function Budget:release(call)
  if self:within(call.size, call.part) then
    call.result = dispatch.settle(self.session, call.held)
    return
  end
  local part = call.line and self:beside_line(call) or call.part
  call.result = dispatch.settle(self.session, call.held, limit.copy(part))
  local text = self:text(call.result)
  call.without_line = not self:within(self:size(text, self:limits(call)), call.part)
end

--- Make all results final, when every call has one: their texts are within the budget.
---@param failure fun(call: abridge.TurnCall, problem: any): table the result if that fails
function Budget:settle(failure)
  for _, call in ipairs(self.calls) do
    if not call.size then self:weigh(call, call.result) end
  end
  local shares = self:shares()
  for i, call in ipairs(self.calls) do
    call.part = shares[i]
    local ok, problem = true, nil
    if call.held then
      ok, problem = pcall(self.release, self, call)
    end
    if not ok then call.result = failure(call, problem) end
    local is_ours = not ok or not (call.held or self:within(call.size, call.part))
    if is_ours then self:cut_sentence(call, call.result) end
    call.held = nil
  end
end

return M
