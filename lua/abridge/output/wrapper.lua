--- A Markdown fence or a tag pair around a text is kept while the inside is cut.

local core = require "abridge.base.core_loader"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"

local M = {}

local BESIDE = 1024 -- bytes of text allowed on each side of a fence

--- The values that the option `wrapper` takes, or nil when this one is right.
---@param value any
---@return string|nil expected
function M.check(value)
  if type(value) ~= "boolean" and value ~= "beside" then return 'a boolean or "beside"' end
end

-- finding it --------------------------------------------------------------------------

local function last_visible(text, first, last)
  while last >= first and text:find("^%s", last) do
    last = last - 1
  end
  return last
end

--- The part between `from` and a closing word at the end; the newline before the word belongs to the word.
local function up_to(text, from, last, word, own_line)
  local stop = last_visible(text, from, last)
  local to = stop - #word
  if text:sub(to + 1, stop) ~= word then return nil end
  if text:sub(to, to) == "\n" then
    to = to - 1
  elseif own_line then
    return nil
  end
  if to >= from - 1 then return from, to end
end

--- Inside a tag pair that starts and ends the range; each tag on a line of its own unless `inline`.
local function in_tags(text, first, last, inline)
  local name, behind = text:match("^<([%a_][%w_:.-]*)()", first)
  local from = name and text:match("^[^<>\n]*>()", behind) -- one pattern for both would take quadratic time
  if not from then return nil end
  local newline = text:sub(from, from) == "\n"
  if not newline and not inline then return nil end
  return up_to(text, newline and from + 1 or from, last, "</" .. name .. ">", not inline)
end

local function opening(text, at)
  return text:match("^(```+)[^`\n]*\n()", at)
end

--- Inside a fence that starts and ends the range.
local function in_fence(text, first, last)
  local fence, from = opening(text, first)
  if fence then return up_to(text, from, last, fence, true) end
end

--- Inside a fence with a little text before or after it. It ends by Markdown's rules, so a document of several
--- fences does not count.
local function in_fence_beside(text, first, last)
  local at = first
  local fence, from = opening(text, at)
  while not fence do
    local newline = text:find("\n", at, true)
    if not newline or newline > first + BESIDE then return nil end
    at = newline + 1
    fence, from = opening(text, at)
  end
  local found = from - 2
  repeat
    found = text:find("\n" .. fence, found + 1, true)
    local stop = found and text:match("^[ \t\r]*()", found + 1 + #fence)
    if stop and (stop > last or text:sub(stop, stop) == "\n") then
      if last - stop <= BESIDE and found >= from then return from, found - 1 end
      return nil
    end
  until not found or found > last
end

--- Split a text into its wrapper's opening, the inside, and the closing; nil if there is no wrapper.
---@param text string
---@param how true|"beside" "beside": tags need no lines of their own, a fence may be inside them, with up to 1 KiB of
---  text before and after it
---@return string|nil open
---@return string inside
---@return string close
function M.split(text, how)
  local first, last = 1, #text
  local from, to
  if how == "beside" then
    from, to = in_tags(text, first, last, true)
    if from then
      first, last = from, to
    end
    from, to = in_fence(text, first, last)
    if not from then
      from, to = in_fence_beside(text, first, last)
    end
  else
    from, to = in_fence(text, first, last)
    if not from then
      from, to = in_tags(text, first, last, false)
    end
  end
  first, last = from or first, to or last
  if first == 1 then return nil end
  return text:sub(1, first - 1), text:sub(first, last), text:sub(last + 1)
end

-- cutting inside ----------------------------------------------------------------------

--- Turn a cut of the inside into one of the whole text, which keeps open and close.
local function rewrap(cut, open, inside, close)
  local before = open .. inside
  local lines, lines_before = core.count_lines(open), core.count_lines(before)
  local mid_open, mid_close = open:sub(-1) ~= "\n", before:sub(-1) ~= "\n"
  local shift = mid_open and lines - 1 or lines
  local kept = cut.kept
  local first_kept = kept[1] and kept[1].first_line == 1
  local last_kept = kept[1] and kept[#kept].last_line == cut.total_lines

  cut.total_bytes = #before + #close
  cut.total_lines = core.count_lines(before .. close)
  -- a line that holds a part of the wrapper counts once, whether or not text on it is kept
  local shared = mid_open and first_kept and 1 or 0
  local lost = mid_close and close:sub(1, 1) ~= "\n" and not last_kept and 1 or 0
  cut.output_bytes = cut.output_bytes + #open + #close
  cut.output_lines = cut.output_lines + lines - shared + cut.total_lines - lines_before + lost
  cut.omitted_lines = cut.total_lines - cut.output_lines

  for _, marker in ipairs(cut.markers or {}) do
    marker.first_byte, marker.last_byte = marker.first_byte + #open, marker.last_byte + #open
  end
  cut.chars_before = nil -- the wrapper's first part is kept
  local ranges = { { first_byte = 1, last_byte = #open, first_line = 1, last_line = lines } }
  for _, range in ipairs(kept) do
    ranges[#ranges + 1] = {
      first_byte = range.first_byte + #open,
      last_byte = range.last_byte + #open,
      first_line = range.first_line + shift,
      last_line = range.last_line + shift,
    }
  end
  ranges[#ranges + 1] = {
    first_byte = #before + 1,
    last_byte = cut.total_bytes,
    first_line = mid_close and lines_before or lines_before + 1,
    last_line = cut.total_lines,
  }
  cut.kept = { ranges[1] }
  for i = 2, #ranges do -- ranges that touch are one
    local last, range = cut.kept[#cut.kept], ranges[i]
    if range.first_byte == last.last_byte + 1 then
      last.last_byte, last.last_line = range.last_byte, range.last_line
    else
      cut.kept[#cut.kept + 1] = range
    end
  end
end

--- Limits less the wrapper's share.
local function beside(limits, around)
  local left = limit.copy(limits)
  left.max_bytes = limits.max_bytes and limits.max_bytes - #around
  left.max_chars = limits.max_chars and limits.max_chars - core.count_chars(around)
  left.max_tokens = limits.max_tokens and limits.max_tokens - fit.tokens_of(around, limits)
  return left
end

--- The most lines that a wrapper takes, whichever are kept.
local function lines_around(open, inside, close, total)
  local own = total - core.count_lines(inside)
  if open:sub(-1) ~= "\n" then own = own + 1 end
  if close:sub(1, 1) ~= "\n" and inside:sub(-1) ~= "\n" then own = own + 1 end
  return math.max(own, core.count_lines(open .. close))
end

--- The limits of the inside of a wrapper; nil if the wrapper takes more than half of a budget: it is not worth keeping
--- then.
local function left_inside(limits, around, lines)
  local left = beside(limit.split_lines(limits), around)
  left.max_lines = limits.max_lines and limits.max_lines - lines
  for _, budget in ipairs(limit.budgets) do
    if limits[budget] and left[budget] < limits[budget] / 2 then return nil end
  end
  return left
end

--- Cut the inside by limits of its own, and put the notice after the wrapper.
local function cut_inside(open, inside, close, left, parts)
  local content, cut, body = fit.fit(inside, left, parts)
  local notice = content:sub(#body + 1):gsub("^\n+", "")
  rewrap(cut, open, inside, close)
  body = open .. body .. close
  local said = { notice = notice ~= "" and notice or nil }
  return body .. fit.trailer(body, nil, said.notice), cut, body, said
end

--- Cut a text inside its wrapper and put the notice after the wrapper, as `fit.fit` does with a bare text. A line over
--- budget is split: nothing else could show the rest of it.
---@param text string
---@param limits abridge.Limits
---@param parts abridge.FitParts
---@param how true|"beside"
---@return string|nil content nil if there is no wrapper, or it takes more than half of a budget
---@return abridge.Cut cut
---@return string body
---@return { notice: string|nil } said
function M.fit(text, limits, parts, how)
  local open, inside, close = M.split(text, how)
  if not open then return nil end
  local _, whole = limit.cut(text, limits)
  if not whole.truncated and not (limits.strategy == "auto" and core.is_binary(inside, true)) then
    local content, cut, body, said = fit.fit(text, limits, parts)
    if cut.kind and not cut.truncated then cut.kind = core.kind_name(inside) end -- the inside decides
    return content, cut, body, said
  end
  local gap = close:sub(-1) == "\n" and "" or "\n" -- before the notice, on top of the blank line that the inside needs
  local left = left_inside(limits, open .. close .. gap, lines_around(open, inside, close, whole.total_lines))
  local inner, adjust = setmetatable({}, { __index = parts }), parts.adjust
  function inner.adjust(cut)
    for _, budget in ipairs(limit.budgets) do -- the given ones, in the notice too
      cut[budget] = limits[budget]
    end
    if adjust then adjust(cut) end
  end
  local outside, slack = limits.strategy == "pipeline", 1
  while left do
    local content, cut, body, said = cut_inside(open, inside, close, left, inner)
    if outside or fit.within(content, limits, 1) then return content, cut, body, said end
    -- tokens of parts need not add up
    if not limits.max_tokens or left.max_tokens < slack then return nil end
    left.max_tokens, slack = left.max_tokens - slack, slack * 2
  end
end

return M
