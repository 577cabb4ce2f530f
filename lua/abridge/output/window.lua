--- Budgets of tokens as shares of a model's window, such as "5%".

local check = require "abridge.base.check"

local M = {}

local ROUNDING = 1e-9 -- so that 29 % of 100 are 29, whatever a float makes of it

--- The percentage of a share, over 0 and at most 100; nil if the value is none.
local function percentage(value)
  local percent = type(value) == "string" and tonumber(value:match "^(%d+%.?%d*)%%$")
  return percent and percent > 0 and percent <= 100 and percent or nil
end

--- A kind for `check.options`: a share, or a value of the other kind.
---@param kind fun(value: any): string|nil
---@return fun(value: any): string|nil
function M.or_share(kind)
  return function(value)
    local expected = kind(value)
    if not expected or percentage(value) then return nil end
    return type(value) == "string" and expected .. ', or a share of the session\'s window such as "5%"' or expected
  end
end

--- Make a number of `max_tokens` if it is a share, at least 1; a value that is no string stays. Raises at the level of
--- the caller's caller, or `deeper` levels out, if the string is no share or there is no window.
---@param who string
---@param budgets table<string, any> a table of the caller's own
---@param window integer|nil tokens
---@param deeper? integer
function M.take_share(who, budgets, window, deeper)
  local share = budgets.max_tokens
  local percent = percentage(share)
  if type(share) ~= "string" then return end
  if not percent then
    local wanted = M.or_share(check.count)(share)
    check.fail(("%s: max_tokens must be %s, got %s"):format(who, wanted, check.show(share)), (deeper or 0) + 1)
  end
  if not window then
    local said = "%s: max_tokens is a share of the window, %s, but the session has no window"
    check.fail(said:format(who, check.show(share)), (deeper or 0) + 1)
  end
  budgets.max_tokens = math.max(math.floor(window * percent / 100 + ROUNDING), 1)
end

return M
