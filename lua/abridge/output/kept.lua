--- The kept part of a text, in a few words for a list or a status line: `164 of 276 elements of /items, 12 gaps`. A
--- ledger may come from a log, which may be anyone's: fields that no cut makes are left out.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"

local M = {}

local function list_of(value)
  return check.list(type(value) == "table" and value or {})
end

--- The items of a ledger that are as a cut makes them.
local function items_of(cut)
  local items = {}
  for _, item in ipairs(list_of(cut.items)) do
    if type(item) == "table" and type(item.unit) == "string" and check.are_counts(item, "total", "kept") then
      items[#items + 1] = item
    end
  end
  return items
end

local function item_words(item)
  local unit = item.total == 1 and item.unit:gsub("s$", "") or item.unit
  local of = type(item.of) == "string" and item.of ~= "" and " of " .. item.of or ""
  return ("%.0f of %.0f %s%s"):format(item.kept, item.total, unit, of)
end

--- The gaps in a ledger: the parts before, between and after the kept ranges.
---@param cut abridge.Cut
---@return integer
function M.gaps(cut)
  local count, at = 0, 0
  for _, range in ipairs(list_of(cut.kept)) do
    if type(range) ~= "table" or not check.are_counts(range, "first_byte", "last_byte") then return 0 end
    if range.first_byte > at + 1 then count = count + 1 end
    at = range.last_byte
  end
  return count + (check.is_count(cut.total_bytes) and cut.total_bytes > at and 1 or 0)
end

--- The part that shows, in the unit that tells most.
local function part_words(cut)
  local items = items_of(cut)
  if items[1] and items[1].unit == "files" and items[2] then
    return item_words(items[2]) .. " in " .. item_words(items[1])
  end
  if items[1] then return item_words(items[1]) end
  if not check.are_counts(cut, "output_bytes", "total_bytes") then return nil end
  local by_lines = check.are_counts(cut, "output_lines", "total_lines") and cut.output_lines < cut.total_lines
  if cut.kind ~= "binary" and by_lines then return ("%.0f of %.0f lines"):format(cut.output_lines, cut.total_lines) end
  local shown = check.is_count(cut.shown_bytes) and cut.shown_bytes or cut.output_bytes
  return ("%s of %s"):format(core.format_size(shown), core.format_size(cut.total_bytes))
end

--- The kept items, and the number of gaps.
---@param cut any a ledger
---@return string|nil words nil if nothing was cut, or it isn't a ledger
function M.words(cut)
  if type(cut) ~= "table" or cut.truncated ~= true then return nil end
  local part, gaps = part_words(cut), M.gaps(cut)
  if not part then return nil end
  local words = gaps > 1 and ("%s, %d gaps"):format(part, gaps) or part
  return type(cut.kind) == "string" and cut.kind .. ": " .. words or words
end

return M
