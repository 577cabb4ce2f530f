--- How much of what an engineer needs is left of a log after a cut.
---
--- An entry is `{name=, log=, needles={{text=, why=}}, position=}`. A needle is kept when its whole text, without
--- outer blanks, is in the output once ANSI sequences are removed. Output over the budget is counted: no slack.
---
--- An entry whose whole failure is marked has `blocks={{first, last}}`, of lines from 1, `language=` and `tool=`. A log
--- is touched when one line of them is kept, whole when each is; a line kept in part counts.

local M = {}

M.BUDGETS = { 2048, 8192, 10000, 30720 }
M.BLOCK_BUDGETS = { 2048, 8192, 30720 }

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

--- How many lines the blocks of an entry have, and how many of them these stretches keep.
local function lines_kept(entry, stretches)
  local lines, kept_lines = 0, 0
  for _, block in ipairs(entry.blocks) do
    lines = lines + block[2] - block[1] + 1
    for _, stretch in ipairs(stretches) do
      local first, last = math.max(block[1], stretch.first_line), math.min(block[2], stretch.last_line)
      kept_lines = kept_lines + math.max(0, last - first + 1)
    end
  end
  return lines, kept_lines
end

--- Run a strategy, `run(entry, budget) -> stretches kept`, over the entries with blocks.
--- Returns a list of groups, by language and tool in the order of the alphabet, and last all of them as one:
--- `{language=, tool=, logs=, lines=, [budget] = {touched=, whole=, share=}}`, from 0 to 1, the last the mean of the
--- logs' shares of lines kept. `missed`, where given, gets `{name=, budget=, lines=, kept=}` for each log not whole.
function M.blocks(run, entries, missed)
  local all, groups, by_name = { language = "all", tool = "", logs = 0, lines = 0 }, {}, {}
  for _, entry in ipairs(entries) do
    if entry.blocks then
      local key = entry.language .. "\0" .. entry.tool
      if not by_name[key] then
        by_name[key] = { language = entry.language, tool = entry.tool, logs = 0, lines = 0, key = key }
        groups[#groups + 1] = by_name[key]
      end
      for _, group in ipairs { by_name[key], all } do
        group.logs = group.logs + 1
        group.lines = group.lines + lines_kept(entry, {})
      end
      for _, budget in ipairs(M.BLOCK_BUDGETS) do
        local lines, n = lines_kept(entry, run(entry, budget))
        if missed and n < lines then
          missed[#missed + 1] = { name = entry.name, budget = budget, lines = lines, kept = n }
        end
        for _, group in ipairs { by_name[key], all } do
          local sums = group[budget] or { touched = 0, whole = 0, share = 0 }
          group[budget] = sums
          sums.touched = sums.touched + (n > 0 and 1 or 0)
          sums.whole = sums.whole + (n == lines and 1 or 0)
          sums.share = sums.share + n / lines
        end
      end
    end
  end
  table.sort(groups, function(a, b)
    return a.key < b.key
  end)
  groups[#groups + 1] = all
  for _, group in ipairs(groups) do
    for _, budget in ipairs(M.BLOCK_BUDGETS) do
      for name, sum in pairs(group[budget] or {}) do
        group[budget][name] = sum / group.logs
      end
    end
  end
  return groups
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

local function figures(group, name)
  local cells = {}
  for i, budget in ipairs(M.BLOCK_BUDGETS) do
    cells[i] = group[budget] and ("%.0f"):format(100 * group[budget][name]) or "-"
  end
  return cells
end

--- A Markdown table of `measure.blocks`, a row a language and tool, and below it how many logs are touched.
function M.block_table(title, groups)
  local lines = {
    "**" .. title .. "**",
    "",
    "| language | tool | logs | lines | whole %, 2 KiB | 8 KiB | 30 KiB | share %, 2 KiB | 8 KiB | 30 KiB |",
    ("|---"):rep(10) .. "|",
  }
  for _, group in ipairs(groups) do
    local whole, share = table.concat(figures(group, "whole"), " | "), table.concat(figures(group, "share"), " | ")
    lines[#lines + 1] = ("| %s | %s | %d | %d | %s | %s |"):format(
      group.language,
      group.tool,
      group.logs,
      group.lines,
      whole,
      share
    )
  end
  lines[#lines + 1] = ("\nAt least one marked line is kept in %s %% of the logs."):format(
    table.concat(figures(groups[#groups], "touched"), ", ")
  )
  return table.concat(lines, "\n") .. "\n"
end

return M
