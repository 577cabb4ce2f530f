--- The top of the page: the sums of a run, when its calls were made and how much they printed, each tool's share, and
--- which tools want more room.

local core = require "abridge.base.core_loader"
local escape = require "abridge.report.escape"
local words = require "abridge.report.words"

local M = {}

local MOST_TOOLS = 40 -- rows
local BINS = 125 -- of the timeline
local UNIT, HEIGHT, GAP, MARK = 8, 100, 5, 10 -- units of the drawing: of a bin, the sums, between them and marks, marks

-- sums ------------------------------------------------------------------------

local function box(name, big, more)
  return ('<div><dt>%s</dt><dd class="big">%s</dd>%s</div>'):format(name, big, more)
end

local function detail(text, class)
  return ("<dd%s>%s</dd>"):format(class and ' class="' .. class .. '"' or "", escape.text(text))
end

--- How many calls there are, and how much of their output the model saw.
---@param all abridge.StatsRow
---@return string html
function M.sums(all)
  local failed = all.errors > 0 and detail(words.count(all.errors) .. " failed", "bad") or detail "none failed"
  if all.unfinished > 0 then failed = failed .. detail(words.count(all.unfinished) .. " without a result", "bad") end
  local share = words.saved(all)
  local plain = all.cut > 0 and detail(words.count(all.tokens_plain) .. " by plain cuts to the same budgets") or ""
  local again = all.saved > all.net and detail(words.count(all.saved - all.net) .. " read again later") or ""
  return table.concat {
    '<dl class="sums">',
    box("calls", words.count(all.calls), failed .. detail(words.count(all.cut) .. " cut")),
    box("tokens printed", words.count(all.tokens_printed), detail(words.size(all.bytes_printed))),
    box("tokens the model saw", words.count(all.tokens_shown), detail(words.size(all.bytes_shown)) .. plain),
    box("tokens saved", words.count(all.net), (share ~= "" and detail(share .. " of what was printed") or "") .. again),
    "</dl>",
  }
end

-- the timeline ----------------------------------------------------------------------

local function ends_of(calls)
  local first, last
  for _, call in ipairs(calls) do
    if call.time then
      first = math.min(first or call.time, call.time)
      last = math.max(last or call.time, call.time + (call.cost and call.cost.duration_ms or 0) / 1000)
    end
  end
  return first, last
end

--- The output of the calls in each part of the run's time, and the last sums.
local function bins_of(calls, first, span)
  local bins = {}
  for _, call in ipairs(calls) do
    if call.time then
      local at = math.max(math.min(math.floor((call.time - first) / span * BINS), BINS - 1), 0)
      local bin = bins[at] or { call = call, count = 0, printed = 0, shown = 0, failed = false }
      local failed = call.failed or not call.ended
      if failed and not bin.failed then bin.call = call end
      bin.count, bin.failed = bin.count + 1, bin.failed or failed
      local cost = call.cost or { tokens_printed = 0, tokens_shown = 0 }
      bin.printed, bin.shown = bin.printed + cost.tokens_printed, bin.shown + cost.tokens_shown
      bins[at] = bin
    end
  end
  return bins
end

--- A sum that grows from bin to bin, as an area.
local function area(class, bins, key, most)
  local path, sum = { ("M0 %d"):format(HEIGHT) }, 0
  for at = 0, BINS - 1 do
    if bins[at] and bins[at][key] > 0 then
      sum = sum + bins[at][key]
      path[#path + 1] = ("H%dV%.1f"):format(at * UNIT, HEIGHT - sum / most * HEIGHT)
    end
  end
  return ('<path class="%s" d="%sH%dV%dz"/>'):format(class, table.concat(path), BINS * UNIT, HEIGHT)
end

--- The mark of the calls of a bin: a link to the first of them that failed, else to the first.
local function mark(at, bin)
  local x, call = at * UNIT, bin.call
  local what = bin.count == 1 and ("%d %s"):format(call.index, escape.plain(call.tool))
    or words.counted(bin.count, "call")
  local title = ("%s: %s printed, %s seen"):format(what, words.counted(bin.printed, "token"), words.count(bin.shown))
  local form = '<a href="#c%d"><title>%s</title><rect class="%s" x="%d" y="%d" width="%d" height="%d"/>'
    .. '<rect class="hit" x="%d" width="%d" height="%d"/></a>'
  local class = bin.failed and "fail" or "seen"
  return form:format(call.index, title, class, x, HEIGHT + GAP, UNIT - 2, MARK, x, UNIT, HEIGHT + GAP + MARK)
end

--- The times of calls, and the sums printed and shown by then.
---@param calls abridge.report.Call[]
---@param all abridge.StatsRow
---@return string html
function M.timeline(calls, all)
  local first, last = ends_of(calls)
  if not first then return "" end
  local bins = bins_of(calls, first, math.max(last - first, 0.001))
  local most = math.max(all.tokens_printed, all.tokens_shown, 1)
  local parts = { area("gap", bins, "printed", most), area("seen", bins, "shown", most) }
  for at = 0, BINS - 1 do
    if bins[at] then parts[#parts + 1] = mark(at, bins[at]) end
  end
  local svg = '<svg class="time" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">%s</svg>'
  local label = "Tokens printed and seen by the model, summed up over time; below it the calls"
  return table.concat {
    "<h2>Timeline <small>tokens, summed up</small></h2>",
    svg:format(BINS * UNIT, HEIGHT + GAP + MARK, label, table.concat(parts)),
    ('<p class="ends"><span>%s</span><span>%s UTC</span></p>'):format(
      words.time(first, "%H:%M:%S"),
      words.time(last, "%H:%M:%S")
    ),
    '<p class="keys"><span class="gap">tokens printed so far</span><span class="seen">seen by the model</span>',
    '<span class="fail">a call that failed</span></p>',
  }
end

--- When a run was, and how long.
---@param calls abridge.report.Call[]
---@param all abridge.StatsRow
---@return string
function M.period(calls, all)
  local first, last = ends_of(calls)
  if not first then return "no calls" end
  local day = words.time(first, "%Y-%m-%d %H:%M UTC")
  local form = "%s · %s from the first call to the end of the last · %s in tools"
  return form:format(day, words.duration((last - first) * 1000), words.duration(all.duration_ms))
end

-- the tools --------------------------------------------------------------------------

local HEADINGS = { "tool", "calls", "failed", "cut", "printed", "seen", "saved", "bytes", "seen", "time" }

local function cells(name, row)
  return {
    name,
    words.count(row.calls),
    row.errors > 0 and words.count(row.errors) or "",
    row.cut > 0 and words.count(row.cut) or "",
    words.count(row.tokens_printed),
    words.count(row.tokens_shown),
    words.saved(row),
    words.size(row.bytes_printed),
    words.size(row.bytes_shown),
    words.duration(row.duration_ms),
  }
end

local function table_row(element, texts)
  local parts = {}
  for i, text in ipairs(texts) do
    parts[i] = ("<%s>%s</%s>"):format(element, escape.text(text), element)
  end
  return "<tr>" .. table.concat(parts) .. "</tr>"
end

--- Signs that a tool's budget is small: parts left out were read again, or failures were left out.
local function wish(row, hidden)
  local parts, again = {}, row.saved - row.net
  if again > 0 then parts[1] = words.counted(again, "token") .. " of what was left out were read again" end
  if hidden then
    local what = words.counted(hidden.failures, "failure") .. " of " .. words.counted(hidden.calls, "call")
    parts[#parts + 1] = what .. " left out"
  end
  return table.concat(parts, ", ")
end

--- The tools that want more room, and why.
---@param sums abridge.RunStats
---@param names string[]
---@param hidden table<string, { calls: integer, failures: integer }> failures that were left out, by tool
---@return string html
function M.wishes(sums, names, hidden)
  local items = {}
  for i = 1, math.min(#names, MOST_TOOLS) do
    local said = wish(sums.tools[names[i]], hidden[names[i]])
    local name = names[i]:sub(1, core.fit_cells(names[i], 60))
    if said ~= "" then items[#items + 1] = ("<p><b>%s</b> %s</p>"):format(escape.text(name), escape.text(said)) end
  end
  if #items == 0 then return "" end
  return "<h2>Tools that want more room</h2>" .. table.concat(items)
end

--- Each tool's share, those that printed most first.
---@param sums abridge.RunStats
---@param names string[] in that order
---@return string html
function M.tools(sums, names)
  local rows = { table_row("th", HEADINGS) }
  for i, name in ipairs(names) do
    if i > MOST_TOOLS then
      rows[#rows + 1] = table_row("td", { words.count(#names - MOST_TOOLS) .. " more" })
      break
    end
    local shown = name:sub(1, core.fit_cells(name, 60))
    rows[#rows + 1] = table_row("td", cells(shown, sums.tools[name]))
  end
  rows[#rows + 1] = table_row("td", cells("all", sums.all))
  return '<h2>Tools <small>tokens, then bytes</small></h2><div class="wide"><table>'
    .. table.concat(rows, "\n")
    .. "</table></div>"
end

return M
