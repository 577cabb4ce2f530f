--- The last lines of texts of 1 KB to 1 GB: ours, the rivals', and the pass that only reads.
local abridge = require "abridge"
local ledger = require "run.ledger"
local limit = require "limit"
local measure = require "run.measure"
local report = require "run.report"
local rivals = require "run.rivals"
local targets = require "run.targets"
local texts = require "run.texts"

local KB, MB, GB = 1024, 1024 ^ 2, 1024 ^ 3
local MAX_LINES, MAX_BYTES = 2000, 30 * KB

-- Of 10 KB one that fits and one that is cut.
local CASES = {
  { name = "1KB", size = KB },
  { name = "10KB", size = 10 * KB },
  { name = "10KB_cut", size = 10 * KB, max_bytes = 2 * KB },
  { name = "100KB", size = 100 * KB },
  { name = "1MB", size = MB },
  { name = "10MB", size = 10 * MB },
  { name = "100MB", size = 100 * MB },
  { name = "1GB", size = GB },
}

local ROWS = {
  { "pi", "pi: truncateTail" },
  { "python", "Python: split" },
  { "find", "Lua 5.4: find loop" },
  { "split", "Lua 5.4: split" },
  { "jit_find", "LuaJIT: find loop" },
  { "jit_split", "LuaJIT: split" },
  { "jit_abridge", "abridge.tail, LuaJIT" },
}

local function programs(case)
  local file = " < '" .. case.file .. "'"
  local from = math.max(1, case.lines - MAX_LINES + 1)
  return {
    { "wc -lc", "wc -lc" .. file },
    { "tail -n 2000, of a pipe", ("cat '%s' | tail -n %d >/dev/null"):format(case.file, MAX_LINES) },
    { "head -n 2000", ("head -n %d%s >/dev/null"):format(MAX_LINES, file) },
    { "sed -n: the last 2000 lines", ("sed -n '%d,$p'%s >/dev/null"):format(from, file) },
  }
end

--- Ours beside the pass that only reads, over the same memory, the core from C, and what Lua does anyway.
local function measure_ours(case)
  local text = texts.log(case.size)
  local opts = { max_lines = case.max_lines, max_bytes = case.max_bytes }
  local kept, cut = abridge.tail(text, opts)
  assert(cut.total_lines == case.lines and #text == case.bytes, "the totals are wrong")
  local times = math.max(1, math.floor(MB / #text))
  local medians, samples = measure.turns {
    function()
      limit.read(text)
    end,
    function()
      abridge.tail(text, opts)
    end,
    function()
      limit.tail(text, case.max_lines, case.max_bytes, times)
    end,
    ledger.of_tail(text, opts),
  }
  case.kept = #kept
  case.read, case.ours, case.to_read = medians[1], medians[2], measure.ratio(samples[2], samples[1])
  case.core, case.ledger = medians[3] / times, medians[4]
end

local function measure_programs(case)
  collectgarbage() -- a program starts slower from a process that holds much memory
  local runs, names = {}, {}
  for i, program in ipairs(programs(case)) do
    names[i] = program[1]
    runs[i] = function()
      measure.output_of { "sh", "-c", program[2] }
    end
  end
  case.programs, case.program_names = measure.turns(runs, measure.seconds / 2), names
end

local function cases_here()
  local cases, left_out = {}, nil
  for _, case in ipairs(CASES) do
    local size = measure.size(case.size)
    if measure.has_room(size) then
      local made = { name = case.name, size = size, max_lines = MAX_LINES, max_bytes = case.max_bytes or MAX_BYTES }
      made.file, made.bytes, made.lines = texts.log_file(size)
      cases[#cases + 1] = made
    else
      left_out = ("%s was left out: it wants %s of free memory"):format(case.name, abridge.format_size(size * 8))
    end
  end
  return cases, left_out
end

--- A time, and how many times ours it is.
local function cell(seconds, case)
  return ("%s (%s)"):format(report.time(seconds), report.digits(seconds / case.ours))
end

local function rival_row(name, said, cases)
  local row = { name }
  for i, case in ipairs(cases) do
    local result = said[i]
    row[i + 1] = result and (result.seconds and cell(result.seconds, case) or result.why) or "-"
  end
  return row
end

local function check_rivals(found, cases)
  for name, said in pairs(found) do
    for i, case in ipairs(cases) do
      local result = said[i]
      if result and result.seconds then
        assert(result.lines == case.lines, name .. " counts other lines")
        assert(name == "pi" or result.kept == case.kept, name .. " keeps other lines")
      end
    end
  end
end

local function rows_of(cases, found)
  local rows = {}
  for r, row in ipairs {
    { "read", "a pass that only reads" },
    { "ours", "abridge.tail" },
    { "core", "the same from C" },
    { "ledger", "its results, made by Lua" },
  } do
    rows[r] = { row[2] }
    for i, case in ipairs(cases) do
      rows[r][i + 1] = cell(case[row[1]], case)
    end
  end
  for _, row in ipairs(ROWS) do
    rows[#rows + 1] = rival_row(row[2], found[row[1]], cases)
  end
  for p, name in ipairs(cases[1].program_names) do
    local row = { name }
    for i, case in ipairs(cases) do
      row[i + 1] = cell(case.programs[p], case)
    end
    rows[#rows + 1] = row
  end
  return rows
end

local function tell_targets(cases, found)
  local function times(key, rival, name, ours, limit_of)
    for i, case in ipairs(cases) do
      local result = found[rival][i]
      if case.name == name and result and result.seconds then
        targets.measured(key, result.seconds / case[ours], limit_of and result.seconds / case[limit_of])
      end
    end
  end
  times("pi_100MB", "pi", "100MB", "ours", "read")
  times("pi_10KB", "pi", "10KB", "ours", "ledger")
  times("pi_10KB_core", "pi", "10KB", "core")
  times("pi_10KB_cut", "pi", "10KB_cut", "ours", "ledger")
  times("pi_10KB_cut_core", "pi", "10KB_cut", "core")
  times("split", "split", "100MB", "ours", "read")
  times("find", "find", "100MB", "ours", "read")
  for _, case in ipairs(cases) do
    if case.name == "100MB" then targets.measured("pass", case.to_read) end
  end
end

return function()
  local cases, left_out = cases_here()
  local columns = {}
  for i, case in ipairs(cases) do
    collectgarbage()
    measure_ours(case)
    measure_programs(case)
    local size = abridge.format_size(case.size)
    columns[i] = case.name == "10KB_cut" and size .. " to " .. abridge.format_size(case.max_bytes) or size
  end
  collectgarbage()
  local found = rivals.run(cases)
  check_rivals(found, cases)
  local title = "The last %d lines / %s of log lines, with exact totals (x abridge.tail; programs with their start)"
  report.print(title:format(MAX_LINES, abridge.format_size(MAX_BYTES)), columns, rows_of(cases, found))
  for _, row in ipairs(ROWS) do
    local why = found[row[1]].why
    if why then print(row[2] .. ": " .. why) end
  end
  if left_out then print(left_out) end
  tell_targets(cases, found)
end
