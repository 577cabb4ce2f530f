--- How much of what an engineer needs is left of a log after a cut.
---
--- An entry is `{name=, log=, needles={{text=, why=}}, position=}`. A needle is kept when its whole text, without
--- outer blanks, is in the output once ANSI sequences are removed. Output over the budget is counted: no slack.

local M = {}

M.BUDGETS = { 2048, 8192, 10000, 30720 }

local COLUMNS = { "all", "root cause", "head", "middle", "tail", "spread" }
local TITLES = "| strategy | needles % | root causes % | head | middle | tail | spread "
  .. "| logs with all % | over budget |"

--- Text without ANSI sequences: CSI, OSC, and those of two bytes.
function M.strip_ansi(text)
  if not text:find("\27", 1, true) then return text end
  text = text:gsub("\27%[[0-?]*[ -/]*[@-~]", "")
  text = text:gsub("\27%][^\7\27]*\7", ""):gsub("\27%][^\7\27]*\27\\", "")
  return (text:gsub("\27[@-Z\\-_]", ""))
end

local function trim(text)
  return text:match "^%s*(.-)%s*$"
end

--- Is the needle in this output, whose ANSI sequences are gone?
local function kept(needle, output)
  return output:find(trim(needle.text), 1, true) ~= nil
end

local function count(tally, key, hit)
  local cell = tally[key] or { kept = 0, total = 0 }
  tally[key] = cell
  cell.total = cell.total + 1
  if hit then cell.kept = cell.kept + 1 end
end

--- Run a strategy, `run(entry, budget) -> output`, over the entries.
--- Returns shares from 0 to 1 by column ("all", "root cause", the positions, "logs") and `over`, the number of outputs
--- over the budget; `missed`, where a table is given, gets `{name=, needle=}` for each needle lost.
function M.score(run, budget, entries, missed)
  local tally, over = {}, 0
  for _, entry in ipairs(entries) do
    local output = run(entry, budget)
    if #output > budget then over = over + 1 end
    output = M.strip_ansi(output)
    local whole = true
    for _, needle in ipairs(entry.needles) do
      local hit = kept(needle, output)
      count(tally, "all", hit)
      count(tally, entry.position, hit)
      if needle.why == "root cause" then count(tally, "root cause", hit) end
      if not hit and missed then missed[#missed + 1] = { name = entry.name, needle = needle } end
      whole = whole and hit
    end
    if #entry.needles > 0 then count(tally, "logs", whole) end
  end
  local result = { over = over }
  for key, cell in pairs(tally) do
    result[key] = cell.kept / cell.total
  end
  return result
end

local function percent(share)
  return share and ("%.1f"):format(100 * share) or "-"
end

--- A Markdown table; a row is `{name=, result=}`.
function M.table(title, rows)
  local lines = { "**" .. title .. "**", "", TITLES, ("|---"):rep(9) .. "|" }
  for _, row in ipairs(rows) do
    local cells = { row.name }
    for _, column in ipairs(COLUMNS) do
      cells[#cells + 1] = percent(row.result[column])
    end
    cells[#cells + 1] = percent(row.result.logs)
    cells[#cells + 1] = tostring(row.result.over)
    lines[#lines + 1] = "| " .. table.concat(cells, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
