--- A page of a search's matches: the items wanted, the point at which there are enough, and their result.

local core = require "abridge.base.core_loader"
local items = require "abridge.output.items"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"

local M = {}

local MOST_GATHERED = 16 * 1024 * 1024 -- bytes, under limits that forbid nothing or that keep the end
local MOST_SHOWN = 200 -- chars of rg's messages in a notice

--- The limits in force, with a bound on the text in any case.
local function bounded(limits)
  if limits.strategy == "pipeline" then
    limits.max_chars = limits.max_chars or MOST_GATHERED
  elseif not (limits.max_bytes or limits.max_chars or limits.max_tokens) then
    limits.max_bytes = MOST_GATHERED
  end
  return limits
end

--- How much text to gather so that a cut has everything it would show.
local function room_for(limits)
  if (limits.strategy or "head") ~= "head" then return { bytes = MOST_GATHERED, lines = math.huge } end
  local bytes = math.min(
    limits.max_bytes or MOST_GATHERED,
    (limits.max_chars or MOST_GATHERED) * 4, -- bytes of a char, at most
    (limits.max_tokens or MOST_GATHERED) * 16 -- bytes that a cut gives a token, at most
  )
  return { bytes = math.min(bytes, MOST_GATHERED), lines = limits.max_lines or math.huge }
end

---@class abridge.SearchPage Items from an offset on, until a limit is reached or there is more than can be shown.
---@field items string[]
---@field count integer items seen, those before the offset too
---@field offset integer
---@field limit integer|nil
---@field limits abridge.Limits
---@field reached? boolean an item beyond the limit was seen
---@field full? boolean there is more text than can be shown
local Page = {}
Page.__index = Page

--- A new page.
---@param ctx table
---@param input table the tool's: `offset`, `limit`
---@param limit_name "max_matches"|"max_results"
---@return abridge.SearchPage
function M.new(ctx, input, limit_name)
  local limits = bounded(limit.copy(ctx.limits))
  return setmetatable({
    ctx = ctx,
    items = {},
    count = 0,
    offset = input.offset or 1,
    limit = input.limit or limits[limit_name],
    limits = limits,
    room = room_for(limits),
    bytes = -1, -- the first item has no newline before it
    lines = 0,
  }, Page)
end

--- There is one more item: is it wanted? Only now is it known that more follows, so a full page ends here too.
---@return "skip"|"take"|"stop"
function Page:next()
  self.count = self.count + 1
  if self.full then return "stop" end
  if self.count < self.offset then return "skip" end
  if self.limit and self.count - self.offset >= self.limit then
    self.reached = true
    return "stop"
  end
  return "take"
end

--- Would this much more text exceed the budgets?
---@param bytes integer
---@param lines integer
---@return boolean
function Page:exceeds(bytes, lines)
  return self.bytes + 1 + bytes > self.room.bytes or self.lines + lines > self.room.lines
end

--- Add an item that is wanted.
---@param item string
function Page:add(item)
  local shown = self.ctx.redacted(item)
  local lines = math.max(core.count_lines(shown), 1)
  self.full = self.full or self:exceeds(#shown, lines)
  self.bytes, self.lines = self.bytes + 1 + #shown, self.lines + lines
  self.items[#self.items + 1] = item
end

--- Nothing on this page: nothing found at all, or nothing from the offset on.
local function nothing(self, listing)
  local unit, seen = listing.unit, self.count
  local details = listing.details
  if seen == 0 then return { text = sentences.nothing_found[unit], details = details } end
  if self.offset == seen + 1 then return { text = sentences.no_more[unit], details = details } end
  details.error_code = "EOFFSET"
  local text = sentences.message("beyond_" .. unit, { offset = self.offset, total = seen })
  return { text = text, is_error = true, details = details }
end

--- The result of a page.
---@param listing table the tool's facts about it: `unit`, `details` and other fields of abridge.Listing
---@param finish abridge.RgEnd
---@param work abridge.Work
---@return table
function Page:value(listing, finish, work)
  local ctx, details = self.ctx, listing.details
  if finish.problem and self.count == 0 then
    details.error_code = finish.code
    return { text = finish.problem, is_error = true, details = details }
  end
  if finish.ended and #self.items == 0 and not self.reached then return nothing(self, listing) end
  listing.items, listing.offset, listing.limit = self.items, self.offset, self.limit
  listing.reached = self.reached
  if not self.reached then listing.reason = "size_cap" end -- time or room ran out
  listing.more = not finish.ended or self.count - self.offset + 1 > #self.items
  listing.total = self.count
  details.error = finish.problem
  if details.error and finish.ended then
    listing.notice = listing.notice or {}
    listing.notice.unread = core.line(details.error:match "[^\n]*", MOST_SHOWN)
  end
  local value = items.value(listing, setmetatable({ limits = self.limits }, { __index = ctx }), work)
  local is_done = self.reached or self.full -- the rest was only counted
  if not is_done and (finish.timed_out or not finish.ended and finish.problem) then -- not all was found
    value.exit, value.is_error = sentences.search_ended(ctx.search_timeout, finish), true
    details.timed_out, details.error_code = finish.timed_out, finish.code
  end
  return value
end

return M
