--- Fit a text, its exit line and its notice into one budget: the shown text, then our words about it, all within the
--- limits. The notice depends on the cut and the cut on the notice's size, so the notice is first weighed at its
--- widest.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"

local M = {}

--- Ways to say it, from all to nothing; the first that takes at most half the budget is used (SPEC 3).
local LEVELS = { "full", "no_path", "bare", "none" }

---@class (exact) abridge.FitParts
---@field tool string whose notices are used
---@field data? abridge.NoticeData
---@field exit? string a line that says how a command ended, before the notice
---@field exit_first? boolean it goes before all else, and stays while the budgets hold it alone
---@field empty? string shown in place of an empty text
---@field adjust? fun(cut: abridge.Cut) bring the ledger to the coordinates the notice speaks of

local function no_limit(budget)
  return budget or math.huge
end

--- Tokens of a text as its limits weigh them. Raises if the caller's counter answers with anything but a count, as
--- the core does.
---@param text string
---@param limits abridge.Limits
---@return integer
function M.tokens_of(text, limits)
  if not limits.count_tokens then return core.weigh_tokens(text, limits.token_safety) end
  local tokens = limits.count_tokens(text)
  if check.is_count(tokens) then return tokens end
  error("abridge: count_tokens must return an integer from 0 to 2^53, got " .. check.show(tokens), 0)
end

--- Does a whole text stay within a share of the byte, char and token budgets?
---@param text string
---@param limits abridge.Limits
---@param share number
---@return boolean
local function within(text, limits, share)
  if #text > no_limit(limits.max_bytes) * share then return false end
  if limits.max_chars and core.count_chars(text) > limits.max_chars * share then return false end
  return not limits.max_tokens or M.tokens_of(text, limits) <= limits.max_tokens * share
end
M.within = within

--- The text after the content: exit line and notice, a blank line before each.
---@param body string
---@param exit string|nil
---@param said string|nil
---@return string
function M.trailer(body, exit, said)
  local parts = {}
  for _, part in ipairs { exit or false, said or false } do
    if part then parts[#parts + 1] = part end
  end
  if #parts == 0 then return "" end
  local gap = body == "" and "" or body:sub(-1) == "\n" and "\n" or "\n\n"
  return gap .. table.concat(parts, "\n\n")
end

local function say(level, cut, parts)
  if level == "none" then return nil end
  local data = parts.data or {}
  if level == "full" then return notice.notice(parts.tool, cut, data) end
  if level == "bare" then return cut.truncated and notice.truncated or nil end
  local bare = setmetatable({ no_path = true }, { __index = data })
  return notice.notice(parts.tool, cut, bare)
end

--- The same with every number at full width.
local function say_widest(level, cut, parts)
  if level == "none" then return nil end
  if level == "bare" then return notice.truncated end
  local data = setmetatable({ no_path = level == "no_path" or nil }, { __index = parts.data or {} })
  return notice.widest(parts.tool, cut, data)
end

--- Cut so that there is room for `extra`, whether or not the text alone would fit.
local function cut_beside(text, limits, extra, slack, long_line)
  local left = {
    long_line = long_line,
    max_bytes = limits.max_bytes and math.max(limits.max_bytes - #extra, 0),
    max_chars = limits.max_chars and math.max(limits.max_chars - core.count_chars(extra), 0),
    max_tokens = limits.max_tokens and math.max(limits.max_tokens - M.tokens_of(extra, limits) - slack, 0),
  }
  local content, cut = limit.cut(text, limits, left)
  for _, name in ipairs(limit.budgets) do
    cut[name] = limits[name]
  end
  return content, cut
end

local ROUNDS = 12 -- cuts tried at a level; the second or third one fits unless a token counter is odd

--- Cut so that there is room for the widest notice. A first line that would fit alone, and that only the notice pushes
--- out, is split: it exceeds nothing.
local function cut_with(widest, text, limits, trial, slack)
  local function cut(long_line)
    if not trial.truncated or slack > 0 then return cut_beside(text, limits, widest, slack, long_line) end
    return limit.cut(text, limits, { reserve = widest, long_line = long_line })
  end
  local body, ledger = cut()
  if ledger.first_line_exceeds_limit and not trial.first_line_exceeds_limit then
    body, ledger = cut "split"
  end
  return body, ledger
end

--- Is there room at this level? The lines after the content take at most half the budget; `apart`: exit line and notice
--- each do, and leave something.
local function may_say(level, exit, said, limits, apart)
  if level == "none" then return true end
  if not apart then return within(M.trailer("x", exit, said), limits, 0.5) end
  return within(M.trailer("x", nil, said), limits, 0.5) and within(M.trailer("x", exit, said), limits, 1)
end

--- Is something left out, and neither a marker nor a notice says so? A newline between two sides does not.
local function is_silent(cut, body, said)
  if not cut.truncated or said.notice then return false end
  for _, marker in ipairs(check.list(cut.markers or {})) do
    if body:sub(marker.first_byte, marker.last_byte):find "%S" then return false end
  end
  return true
end

--- Cut with one wording. The notice depends on the cut: room is made for the notice of the current cut,
--- and again if the next cut needs another. Tokens of parts need not add up, so the result is weighed as a whole.
---@return string|nil content nil when it cannot be within the limits
local function fit_at(level, text, limits, parts, exit, trial, apart)
  local cut, slack = trial, 0
  for _ = 1, ROUNDS do
    -- a text that only its notice pushes out will be cut, so its notice is that of a cut
    local ledger = cut
    if not cut.truncated then ledger = setmetatable({ truncated = true, truncated_by = "bytes" }, { __index = cut }) end
    local words = say_widest(level, ledger, parts)
    local widest = M.trailer("x", exit, words)
    if not may_say(level, exit, words, limits, apart) then return nil end
    local body
    body, cut = cut_with(widest, text, limits, trial, slack)
    if parts.adjust then parts.adjust(cut) end
    local said = { exit = exit, notice = say(level, cut, parts) }
    local content = body .. M.trailer(body, said.exit, said.notice)
    if within(content, limits, 1) then
      if level ~= "none" and is_silent(cut, body, said) then return nil end
      -- this time another unit may have cut, or failures may be left out, which makes the notice longer
      if cut.truncated and not may_say(level, exit, say_widest(level, cut, parts), limits, apart) then return nil end
      return content, cut, body, said
    end
    if #content <= #body + #widest then slack = slack * 2 + 1 end
  end
end

--- The exit line, if there is room for it.
local function exit_within(parts, limits)
  local exit = parts.exit
  if not exit then return nil end
  if parts.exit_first then return within(exit, limits, 1) and exit or nil end
  return within("\n\n" .. exit, limits, 0.5) and exit or nil
end

--- Cut a text by limits and say so.
---
--- The budgets bound the whole result; with the strategy "pipeline" markers and notice come on top, as in
--- its document. Raises only errors of `count_tokens`.
---@param text string|abridge.Source
---@param limits abridge.Limits
---@param parts abridge.FitParts
---@return string content text kept, exit line, notice
---@return abridge.Cut cut
---@return string body the text kept with its markers
---@return { exit: string|nil, notice: string|nil } said lines after the body
function M.fit(text, limits, parts)
  local outside = limits.strategy == "pipeline"
  local body, cut = limit.cut(text, limits)
  if not cut.truncated or outside then
    if parts.adjust then parts.adjust(cut) end
    if limits.indicators then body = notice.indicated(body, cut) end
    if cut.total_bytes == 0 and parts.empty and within(parts.empty, limits, 1) then body = parts.empty end
    local said = { exit = parts.exit, notice = say("full", cut, parts) }
    local content = body .. M.trailer(body, said.exit, said.notice)
    if outside or content == body or within(content, limits, 1) then return content, cut, body, said end
  end

  if parts.adjust and cut.truncated then parts.adjust(cut) end
  local trial = cut
  local exit = exit_within(parts, limits)
  for _, level in ipairs(LEVELS) do
    local content, said
    content, cut, body, said = fit_at(level, text, limits, parts, exit, trial)
    if content and level == "none" and is_silent(cut, body, said) then
      local told, its_cut, its_body, its_words = fit_at("bare", text, limits, parts, exit, trial, true)
      if told then return told, its_cut, its_body, its_words end
      if parts.adjust then parts.adjust(cut) end
    end
    if content then
      -- the notice of this cut may be shorter than the one that was too long for a fuller level
      for _, fuller in ipairs(LEVELS) do
        if fuller == level then return content, cut, body, said end
        local words = say(fuller, cut, parts)
        local whole = body .. M.trailer(body, exit, words)
        if may_say(fuller, exit, words, limits) and within(whole, limits, 1) then
          return whole, cut, body, { exit = exit, notice = words }
        end
      end
    end
  end
  body, cut = limit.cut(text, limits)
  if parts.adjust then parts.adjust(cut) end
  return body, cut, body, {}
end

return M
