--- Listings: items in a row (matches, files, entries), from an offset on, as many as a limit and the budgets allow, and
--- the start of the next page.

local bisect = require "abridge.base.bisect"
local core = require "abridge.base.core_loader"
local ledger = require "abridge.base.ledger"
local time_slices = require "abridge.base.time_slices"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local results = require "abridge.output.results"
local sentences = require "abridge.output.sentences"

local M = {}

---@class (exact) abridge.Listing
---@field items string[] from `offset` on; each of one or more lines, without a newline at its end
---@field unit "matches"|"results"|"entries"|"rows" the sort of items, for the notice
---@field offset integer number of the first item
---@field limit? integer the limit of items in force
---@field reached? boolean that limit was reached, and items follow
---@field more? boolean items follow that were not gathered
---@field reason abridge.Reason on the wire, when the limit was reached
---@field no_resume? boolean the tool cannot continue at an offset
---@field total? integer number of all items; in a listing that stopped early, of those known
---@field bytes_total? integer size of the listing without any limit or offset, if known
---@field bytes_before? integer the part of that before the offset: the ledger is then one of the whole listing
---@field empty? string shown when there are no items
---@field notice? abridge.NoticeData other data of the notice
---@field details? table

--- Tools whose items are a line each, with their limit.
local OF_LINES = {
  find_files = { limit = "max_results", unit = "results" },
  list_directory = { limit = "max_entries", unit = "entries" },
}

--- The limits of a listing that was made elsewhere, and the data of its notice if the limit of items binds.
---@param tool string
---@param limits abridge.Limits
---@param data abridge.NoticeData
---@return abridge.Limits
---@return (fun(cut: abridge.Cut): abridge.Reason|nil)|nil tell
function M.of_text(tool, limits, data)
  local items = OF_LINES[tool]
  local most = items and limits[items.limit]
  if not most or limits.strategy == "pipeline" or most > (limits.max_lines or math.huge) then return limits, nil end
  return limit.copy(limits, { max_lines = most }),
    function(cut)
      local reached = cut.truncated_by == "lines" or nil
      data.reached, data.count, data.told = reached and items.unit, most, reached
      return reached and "item_cap"
    end
end

--- For each item, the lines up to its end.
local function line_ends(items, work)
  local ends, lines = {}, 0
  for i, item in ipairs(items) do
    lines = lines + math.max(core.count_lines(item), 1)
    ends[i] = lines
    work:pause()
  end
  return ends
end

--- How many items a cut from the start shows. One that alone is over the budget counts if a part of it shows: the next
--- page continues after it.
local function shown_items(cut, ends)
  if not cut.truncated then return #ends end
  local whole = cut.output_lines - (cut.last_line_partial and 1 or 0)
  local items = bisect.last(#ends, function(i)
    return ends[i] <= whole
  end)
  return math.max(items, math.min(cut.output_lines, 1))
end

--- Does a cut show the start of the listing, so that one place says where to continue?
local function is_start(cut)
  return not cut.kept or #cut.kept == 0 or (#cut.kept == 1 and cut.kept[1].first_byte == 1)
end

--- Make the ledger of a page one of the whole listing, one line an item, if more follows and the size of all is known:
--- then no full output is kept that the ledger would have to match.
---@return integer|nil bytes_before of the page in that ledger
local function tell_whole(cut, listing)
  if not (listing.more and listing.bytes_total and listing.bytes_before) then
    cut.more = listing.more or nil
    return nil
  end
  ledger.shift(cut, listing.bytes_before, listing.offset - 1)
  cut.total_bytes, cut.total_lines = listing.bytes_total, listing.total
  cut.omitted_bytes, cut.omitted_lines = cut.total_bytes - cut.output_bytes, cut.total_lines - cut.output_lines
  cut.total_chars, cut.chars_before = nil, nil -- of the page alone
  return listing.bytes_before
end

local function block_of(listing, ctx)
  return function(cut, body)
    if not cut.truncated and not listing.more then
      -- a listing that starts in the middle has a size only if it is known
      return info.not_truncated(#body, listing.bytes_total or (listing.offset == 1 and #body) or false)
    end
    local bytes_total = listing.bytes_total
    if not bytes_total and listing.offset == 1 and not listing.more then bytes_total = cut.total_bytes end
    local reason = cut.truncated_by and results.reason(cut, ctx.limits) or listing.reason
    if not cut.next_offset then return info.without_resume(#body, bytes_total, reason) end
    local hint = sentences.resume_hint(ctx.tool, cut.next_offset)
    return info.with_resume(#body, bytes_total, cut.next_offset, hint, reason)
  end
end

--- A tool's yield for a listing: the dispatcher cuts it and asks back.
---@param listing abridge.Listing
---@param ctx table the tool's `ctx`
---@param work? abridge.Work gives way between items
---@return table
function M.value(listing, ctx, work)
  work = work or time_slices.at_once
  local items = {}
  for i, item in ipairs(listing.items) do
    items[i] = ctx.redacted(item) -- before lines are counted
    work:pause()
  end
  local ends = line_ends(items, work)
  local data = listing.notice or {}
  data.reached = listing.reached and listing.unit or nil
  data.count = listing.limit
  local limits = limit.copy(ctx.limits)
  if limits.strategy ~= "pipeline" then limits.long_line = "split" end
  local value
  value = {
    text = table.concat(items, "\n"),
    redacted = true,
    limits = limits,
    adjust = function(cut)
      local shown = shown_items(cut, ends)
      data.shown, data.seen = shown, listing.unit == "matches" and listing.total or nil
      local goes_on = (shown < #items or listing.more) and shown > 0 and is_start(cut) and not listing.no_resume
      cut.next_offset = goes_on and listing.offset + shown or nil
      value.total = (shown < #items or listing.more) and listing.total or nil
      value.bytes_before = tell_whole(cut, listing)
    end,
    notice = data,
    block = block_of(listing, ctx),
    empty = listing.empty,
    unsaved = listing.more, -- then the gathered items are not the full output
    partial = listing.more and not listing.bytes_total,
    details = listing.details,
  }
  return value
end

return M
