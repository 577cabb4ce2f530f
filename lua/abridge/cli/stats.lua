--- The table of `abridge log RUN --stats`: the cost of each tool's calls, and the savings by their cuts.

local core = require "abridge.base.core_loader"
local columns = require "abridge.cli.columns"
local display = require "abridge.output.display"
local stats = require "abridge.run.stats"

local M = {}

local COLUMNS = {
  { "TOOL", 14 },
  { "CALLS", 0, right = true },
  { "ERRORS", 0, right = true },
  { "PRINTED", 0, right = true },
  { "TOKENS", 0, right = true },
  { "SHOWN", 0, right = true },
  { "TOKENS", 0, right = true },
  { "PLAIN", 0, right = true },
  { "SAVED", 0, right = true },
  { "NET", 0, right = true },
  { "TIME", 0, right = true },
  { "CUT", 0 },
}

--- Tokens as a share of the printed tokens, in percent; 0 if notices took more than was saved.
---@param tokens integer
---@param printed integer
---@return string
function M.share(tokens, printed)
  if printed == 0 then return "-" end
  return ("%.0f%%"):format(math.max(math.floor(tokens / printed * 100), 0))
end

--- How many calls were cut, by reason.
---@param row abridge.StatsRow
---@return string
function M.cuts(row)
  local words = {}
  for reason, count in pairs(row.reasons) do
    if count > 0 then words[#words + 1] = ("%.0f %s"):format(count, reason) end
  end
  table.sort(words)
  return #words > 0 and table.concat(words, ", ") or row.cut > 0 and ("%.0f"):format(row.cut) or "-"
end

local function cells_of(name, row)
  return {
    name,
    ("%.0f"):format(row.calls),
    ("%.0f"):format(row.errors),
    core.format_size(row.bytes_printed),
    ("%.0f"):format(row.tokens_printed),
    core.format_size(row.bytes_shown),
    ("%.0f"):format(row.tokens_shown),
    ("%.0f"):format(row.tokens_plain),
    M.share(row.saved, row.tokens_printed),
    M.share(row.net, row.tokens_printed),
    display.duration(row.duration_ms) or "-",
    M.cuts(row),
  }
end

--- Print the sums of a run as a table.
---@param sums abridge.RunStats
---@param visible fun(name: string): string
function M.print(sums, visible)
  local rows = {}
  for i, name in ipairs(stats.order(sums)) do
    rows[i] = cells_of(visible(name), sums.tools[name])
  end
  rows[#rows + 1] = cells_of("all", sums.all)
  columns.print(COLUMNS, rows)
end

return M
