--- One budget for several outputs of a call: each leaves less for the next.

local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"

local M = {}

local LEAST = 1 / 50 -- of a budget; less than that is nothing

--- How much of each budget a text takes, and the blank line with which hosts join outputs.
local TAKES = {
  max_lines = function(text)
    return core.count_lines(text) + 1
  end,
  max_bytes = function(text)
    return #text + 2
  end,
  max_chars = function(text)
    return core.count_chars(text) + 2
  end,
  max_tokens = function(text, limits)
    return fit.tokens_of(text, limits) + 1
  end,
}

---@class abridge.Budget
---@field private given table<string, integer> by budget
local Budget = {}
Budget.__index = Budget

---@return abridge.Budget
function M.new()
  return setmetatable({ given = {} }, Budget)
end

--- The rest of the budgets of these limits; nil when one of them is nearly used up.
---@param limits abridge.Limits
---@return table<string, integer>|nil
function Budget:left(limits)
  local left = {}
  for _, key in ipairs(limit.budgets) do
    if limits[key] then
      left[key] = math.max(limits[key] - (self.given[key] or 0), 0)
      if self.given[key] and left[key] < limits[key] * LEAST then return nil end
    end
  end
  return left
end

--- Count a text that was given under these limits.
---@param text string
---@param limits abridge.Limits
function Budget:give(text, limits)
  for _, key in ipairs(limit.budgets) do
    if limits[key] then self.given[key] = (self.given[key] or 0) + TAKES[key](text, limits) end
  end
end

return M
