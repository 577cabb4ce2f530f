--- How much of what a reader needs is left of an output after a cut.
---
--- An entry is `{name=, log=, wanted={text, ...}}`, the texts that are needed. One is kept when all of it, without
--- outer blanks, is in what is shown once ANSI sequences are removed; `entry.read` turns what is shown into text first.

local M = {}

M.BUDGETS = { 512, 1024, 2048, 8192, 30720 }

local HEADING = "| strategy | 512 B | 1 KiB | 2 KiB | 8 KiB | 30 KiB |"

--- Text without ANSI sequences: CSI, OSC, and those of two bytes.
function M.strip_ansi(text)
  if not text:find("\27", 1, true) then return text end
  text = text:gsub("\27%[[0-?]*[ -/]*[@-~]", "")
  text = text:gsub("\27%][^\7\27]*\7", ""):gsub("\27%][^\7\27]*\27\\", "")
  return (text:gsub("\27[@-Z\\-_]", ""))
end

--- The strings of JSON, or of a part of it, as the text they hold: for any cut of it, also one that is no JSON.
function M.unescaped(shown)
  local letters = { n = "\n", t = "\t", r = "\r", b = "\b", f = "\f" }
  shown = shown:gsub("\\u00(%x%x)", function(digits)
    local byte = tonumber(digits, 16)
    return byte < 128 and byte ~= 92 and string.char(byte) or nil
  end)
  return (shown:gsub("\\(.)", function(c)
    return letters[c] or c
  end))
end

--- The share of the wanted texts that `run(entry, budget)` shows, and how many outputs are over the budget. `missed`,
--- where a table is given, gets `{name=, text=}` for each that is lost.
function M.share(run, budget, entries, missed)
  local kept, total, over = 0, 0, 0
  for _, entry in ipairs(entries) do
    local shown = run(entry, budget)
    if #shown > budget then over = over + 1 end
    shown = M.strip_ansi((entry.read or tostring)(shown))
    for _, text in ipairs(entry.wanted) do
      total = total + 1
      if shown:find(text:match "^%s*(.-)%s*$", 1, true) then
        kept = kept + 1
      elseif missed then
        missed[#missed + 1] = { name = entry.name, text = text }
      end
    end
  end
  return total > 0 and kept / total or 0, over
end

--- Of each row, `{name=, run=}`, the shares at every budget, then that of the best of those with `plain`.
function M.rows(strategies, entries)
  local rows, best = {}, { name = "the best of these" }
  for _, strategy in ipairs(strategies) do
    local row = { name = strategy.name }
    for i, budget in ipairs(M.BUDGETS) do
      local over
      row[i], over = M.share(strategy.run, budget, entries)
      assert(over == 0, ("%s: %d outputs are over %d bytes"):format(strategy.name, over, budget))
      if strategy.plain then best[i] = math.max(best[i] or 0, row[i]) end
    end
    if not strategy.plain and best.name and best[1] then
      rows[#rows + 1], best = best, {}
    end
    rows[#rows + 1] = row
  end
  return rows
end

--- A Markdown table of rows.
function M.table(rows)
  local lines = { HEADING, ("|---"):rep(1 + #M.BUDGETS) .. "|" }
  for _, row in ipairs(rows) do
    local cells = {}
    for i in ipairs(M.BUDGETS) do
      cells[i] = ("%.1f"):format(100 * row[i])
    end
    lines[#lines + 1] = ("| %s | %s |"):format(row.name, table.concat(cells, " | "))
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
