--- The sets of texts that `make score` cuts, and the documents that show its tables.

local measure = require "score.measure"

local M = {}

local LEAST = 8 -- bytes of a line that tells something: "}" is in every log

--- The lines of an entry's blocks that tell something, as a terminal shows them.
local function marked_lines(entry)
  local wanted, number = {}, 0
  for line in (entry.log .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    for _, block in ipairs(entry.blocks) do
      local shown = measure.strip_ansi(line):gsub("\r+$", ""):match "([^\r]*)$"
      local told = number >= block[1] and number <= block[2] and #shown >= LEAST and shown:find "%w"
      if told and not shown:find "[%c\128-\255]" then wanted[#wanted + 1] = shown end
    end
  end
  return wanted
end

--- Entries with what `wanted_of` says of each, without those that want nothing.
local function wanting(entries, wanted_of)
  local found, texts = {}, 0
  for _, entry in ipairs(entries) do
    local wanted = wanted_of(entry)
    texts = texts + #wanted
    if wanted[1] then
      found[#found + 1] =
        { name = entry.name, log = entry.log, exit_code = entry.exit_code, alone = entry.alone, wanted = wanted }
    end
  end
  return found, texts
end

local function needles_of(why)
  return function(entry)
    local texts = {}
    for _, needle in ipairs(entry.needles) do
      if not why or needle.why == why then texts[#texts + 1] = needle.text end
    end
    return texts
  end
end

--- The sets that have something: `{title=, entries=}`, and `alone` where a log can also be cut without the rest.
--- `reports`, if given, are those of score/reports.lua.
function M.sets(logs, values, compose, encode, reports)
  local sets = {}
  local function add(title, entries, texts, alone)
    if entries[1] then sets[#sets + 1] = { title = title:format(texts, #entries), entries = entries, alone = alone } end
  end
  local causes, cause_count = wanting(logs, needles_of "root cause")
  add("Root causes: %d lines that name the fault, in %d logs", causes, cause_count)
  local needles, needle_count = wanting(logs, needles_of(nil))
  add("Needles: %d lines that an engineer needs, in %d logs", needles, needle_count)
  local failures, line_count = wanting(logs, function(entry)
    return entry.blocks and marked_lines(entry) or {}
  end)
  add("Whole failures: %d lines that explain one, in %d logs", failures, line_count)
  local composed = needles[1] and compose.composed(needles, compose.parts()) or {}
  local kept, amid = wanting(composed, function(entry)
    return entry.wanted
  end)
  add(
    "Amid other output: %d needles of logs behind, before and between what commands print, in %d outputs",
    kept,
    amid,
    true
  )
  add(
    "Inside JSON: %d needles of the logs as strings in an object, in %d outputs",
    compose.wrapped(needles, encode, measure.unescaped),
    needle_count
  )
  add(
    "As JSON lines: %d needles of the logs, a record a line, in %d outputs",
    compose.recorded(needles, encode, measure.unescaped),
    needle_count
  )
  local passed, passed_count = wanting(compose.passed_on(needles), function(entry)
    return entry.wanted
  end)
  add(
    "As another program passes them on: %d needles of the logs, each line after a name or a time, in %d outputs",
    passed,
    passed_count
  )
  local reported = 0
  for _, report in ipairs(reports or {}) do
    reported = reported + #report.wanted
  end
  add("Reports: %d findings, each after its name and with its place, in %d reports in JSON", reports or {}, reported)
  local used, value_count = wanting(values, function(entry)
    return entry.wanted
  end)
  add("Values used next: %d that a call took from an output before it, in %d outputs", used, value_count)
  return sets
end

local START, STOP = "<!-- what `make score` prints -->\n", "<!-- to here -->\n"

--- doc/scores.md with these tables in place of those it has.
function M.in_page(page, text)
  local _, first = page:find(START, 1, true)
  local last = assert(page:find(STOP, first or 1, true), "doc/scores.md has no place for the tables")
  return page:sub(1, first) .. "\n" .. text .. "\n" .. page:sub(last)
end

--- Which row of the README's table is which strategy, by how it starts.
M.README_ROWS = {
  ["the first bytes"] = "head",
  ["the last bytes"] = "tail",
  ["both ends, 30 % and 70 %"] = "head/tail 30/70",
  ["lines with words such as `error`, and both ends"] = "keywords",
  ["`abridge.cap`, as `abridge run` cuts"] = "`abridge.cap`",
}

local AT_2_KIB = 3

--- README.md with the shares of root causes at 2 KiB.
function M.in_readme(readme, set)
  for _, row in ipairs(set.rows) do
    for start, strategy in pairs(M.README_ROWS) do
      local from, to = readme:find("\n| " .. start .. " | ", 1, true)
      if strategy == row.name and from then
        local rest = readme:sub(to + 1):gsub("^[%d.]+ %%", ("%.1f %%%%"):format(100 * row[AT_2_KIB]))
        readme = readme:sub(1, to) .. rest
      end
    end
  end
  return (readme:gsub("On %d+ logs of real", ("On %d logs of real"):format(#set.entries)))
end

return M
