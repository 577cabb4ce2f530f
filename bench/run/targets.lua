--- The figures to reach, and the last table of the benchmark: what was measured of each. It fails nothing: what a
--- figure is worth depends on the machine and on what else runs there. Beside some stands a limit that was measured in
--- the same run: what the figure would be if nothing were done but to read the text once, or to make the ledger.
local report = require "run.report"

local M = {}

--- Key, what is measured, how, and the bound; units are those of the value that a section tells.
local FIGURES = {
  { "pass", "cut of 100MB, exact totals: x a pass that only reads", "<=", 1.1, "x" },
  { "pi_100MB", "times quicker than pi, 100MB", ">=", 20, "x" },
  { "pi_10KB", "times quicker than pi, 10KB that fits", ">=", 10, "x" },
  { "pi_10KB_core", "times quicker than pi, 10KB that fits, the core from C", ">=", 10, "x" },
  { "pi_10KB_cut", "times quicker than pi, 10KB that is cut", ">=", 10, "x" },
  { "pi_10KB_cut_core", "times quicker than pi, 10KB that is cut, the core from C", ">=", 10, "x" },
  { "split", "times quicker than split in Lua 5.4, 100MB", ">=", 150, "x" },
  { "find", "times quicker than a find loop in Lua 5.4, 100MB", ">=", 10, "x" },
  { "page_pread", "first page of 1GB: x pread(2) without counting", "<=", 1.15, "x" },
  { "page_wc", "first page of 1GB, in a fresh process: x wc -l", "<=", 0.7, "x" },
  { "page_index", "an indexed page: times quicker than the first", ">=", 1000, "x" },
  { "page_tail", "last 2000 lines, totals known", "<", 50, "us" },
  { "stream", "stream from a pipe: speed of the bare reader", ">=", 0.85, "x" },
  { "json", "to_json of a block: times quicker than table and lua-cjson", ">=", 5, "x" },
  { "clean", "clean, no controls in 100MB: speed of the pass that only reads", ">=", 0.5, "x" },
  { "fits_here", "10KB that fits, from Lua", "<", 1, "us" },
  { "fits", "10KB that fits, from Lua, as if memory were read at 10 GB/s", "<", 1, "us" },
  { "cut_here", "10KB that is cut, from Lua", "<", 2, "us" },
  { "cut", "10KB that is cut, from Lua, as if memory were read at 10 GB/s", "<", 2, "us" },
  { "priority_new", "a priority stream of logs that do not repeat: speed of grep", ">=", 0.4, "x" },
  { "auto_text", "auto of 100MB of source: x head_tail", "<=", 1.25, "x" },
  { "auto_json", "auto of JSON", ">=", 400, "MB/s" },
  { "auto_json_decode", "auto of JSON: times quicker than cjson.decode", ">=", 4, "x" },
  { "auto_json_lines", "auto of JSON lines", ">=", 300, "MB/s" },
  { "auto_table", "auto of CSV", ">=", 300, "MB/s" },
  { "auto_diff", "auto of a diff", ">=", 300, "MB/s" },
  { "kind", "telling the kind of a text, the slowest", "<", 2, "ms" },
  { "kind_memory", "memory of a stream of 1GB over that of 16MB, worst kind", "<=", 1, "MB" },
  { "history_first", "history.fit of 10,000 messages, 100MB", "<", 1, "s" },
  { "history_more", "history.fit with one message more, raw or given back", "<", 20, "ms" },
  { "require", 'require "abridge" in Lua 5.4, 10 % over what 0.1.0 took', "<=", 7.3, "ms" },
  { "require_memory", 'require "abridge" in Lua 5.4, 10 % over what 0.1.0 held', "<=", 583, "KB" },
  { "start", "abridge --version", "<=", 5, "ms" },
  { "start_cap", "abridge cap of 1KB", "<=", 10, "ms" },
  { "growth", "growth of the cost, worst case: power of n over linear", "<=", 0.1, "" },
}

local measured, limits = {}, {}

local function known(key)
  for _, figure in ipairs(FIGURES) do
    if figure[1] == key then return true end
  end
  error("no such figure: " .. key, 3)
end

---@param key string
---@param value? number
---@param limit? number in the same unit
function M.measured(key, value, limit)
  measured[key] = known(key) and value
  limits[key] = limit
end

local function met(figure, value)
  local how, bound = figure[3], figure[4]
  if how == "<=" then return value <= bound end
  if how == "<" then return value < bound end
  return value >= bound
end

local function with_unit(value, figure)
  return (("%s %s"):format(report.digits(value), figure[5]):gsub(" $", ""))
end

function M.print()
  local rows = {}
  for i, figure in ipairs(FIGURES) do
    local value = measured[figure[1]]
    local wanted = ("%s %g %s"):format(figure[3], figure[4], figure[5]):gsub(" $", "")
    local said = value and with_unit(value, figure) or "not measured"
    local limit = limits[figure[1]]
    if limit then said = ("%s (%s)"):format(said, with_unit(limit, figure)) end
    rows[i] = { figure[2], wanted, said, value and (met(figure, value) and "yes" or "no") or "-" }
  end
  report.print("Figures to reach", { "wanted", "measured (limit)", "met" }, rows)
end

return M
