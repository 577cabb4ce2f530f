-- How much of what an engineer needs is still there after a cut: `make score`.
--
-- Makes labelled logs in build/score/ by running this machine's real tools on small faulty programs of ours
-- (score/cases/), then scores our cut and the usual ones on them at four budgets, in Markdown; the same tables for
-- the folder SCORE_CORPUS of NAME.log and NAME.json if that is set. Last a table of whole failures, by language and
-- tool. A log that is not as its case says is named, left out of the tables, and makes the run fail.
--
--   lua bench/score.lua [--missed] [--list] [NAME...]   these logs only; --missed: each needle that our cut lost, and
--                                                       each failure that is not whole; --list: each log that was made
package.path = "bench/?.lua;" .. package.path

local abridge = require "abridge"
local host = require "abridge.base.host"
local make = require "score.make"
local measure = require "score.measure"
local rivals = require "score.rivals"

local CASES = "bench/score/cases"
local FOLDER = "build/score"
local CORPUS = os.getenv "SCORE_CORPUS"
local OURS = "abridge priority, clean"

local json = assert(host.json())

--- Our cut, through the module.
local function ours(entry, budget)
  return (abridge.cut(entry.log, { strategy = "priority", clean = true, max_bytes = budget }))
end

--- The stretches that our cut keeps of a log.
local function our_stretches(entry, budget)
  local _, cut = abridge.cut(entry.log, { strategy = "priority", clean = true, max_bytes = budget })
  assert(cut.total_lines == entry.lines, entry.name .. ": cleaning has changed the number of lines")
  return cut.kept
end

local function print_blocks(title, entries, show_missed)
  local missed = {}
  print(measure.block_table(title, measure.blocks(our_stretches, entries, missed)))
  for _, miss in ipairs(show_missed and missed or {}) do
    print(("  %s: %d of %d lines kept in %d bytes"):format(miss.name, miss.kept, miss.lines, miss.budget))
  end
end

local function print_tables(title, entries, show_missed)
  for _, budget in ipairs(measure.BUDGETS) do
    local rows, missed = {}, {}
    for _, rival in ipairs(rivals.all) do
      rows[#rows + 1] = { name = rival.name, result = measure.score(rival.run, budget, entries) }
    end
    rows[#rows + 1] = { name = OURS, result = measure.score(ours, budget, entries, missed) }
    print(measure.table(("%d bytes, %s"):format(budget, title), rows))
    for _, miss in ipairs(show_missed and missed or {}) do
      print(
        ("  %s: missed line %d (%s): %s"):format(
          miss.name,
          miss.needle.line,
          miss.needle.why,
          miss.needle.text:sub(1, 100)
        )
      )
    end
  end
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

--- The names of a folder's files with this ending, without it.
local function names(folder, ending)
  local pipe, found = assert(io.popen(("ls '%s' 2>/dev/null"):format(folder))), {}
  for file in pipe:lines() do
    found[#found + 1] = file:match("^(.*)%." .. ending .. "$")
  end
  pipe:close()
  return found
end

--- All cases of all families, or those named.
local function cases(only)
  local list = {}
  for _, family in ipairs(names(CASES, "lua")) do
    for _, case in ipairs(require("score.cases." .. family)) do
      if not only or only[case.name] then list[#list + 1] = case end
    end
  end
  return list
end

--- Make the logs; returns their entries, what this machine has no tool for, and what went wrong.
local function make_all(only)
  local entries, absent, wrong = {}, {}, {}
  for _, case in ipairs(cases(only)) do
    local tool = make.missing(case)
    local ok, entry, log
    if not tool then
      ok, entry, log = pcall(make.make, case, FOLDER)
    end
    if ok then
      write(FOLDER .. "/" .. entry.name .. ".json", json.encode(entry))
      entry.log = log
      entries[#entries + 1] = entry
    elseif tool then
      absent[#absent + 1] = ("%s (no %s)"):format(case.name, tool)
    else
      wrong[#wrong + 1] = tostring(entry)
    end
  end
  return entries, absent, wrong
end

local function describe(entry)
  print(
    ("%-22s %8d bytes %6d lines  exit %-3d %-6s"):format(
      entry.name,
      entry.bytes,
      entry.lines,
      entry.exit_code,
      entry.position
    )
  )
  for _, block in ipairs(entry.blocks or {}) do
    print(("    lines %d to %d"):format(block[1], block[2]))
  end
  for i, needle in ipairs(entry.needles) do
    print(("    %5.3f  %-10s  %s"):format(entry.needle_fractions[i], needle.why, needle.text:sub(1, 90)))
  end
end

--- The labelled logs of a folder; nil when it is not there.
local function load(folder)
  local entries = {}
  for _, name in ipairs(names(folder, "json")) do
    local label = assert(io.open(folder .. "/" .. name .. ".json", "rb"))
    local entry = assert(json.decode(label:read "*a"))
    label:close()
    local log = assert(io.open(folder .. "/" .. name .. ".log", "rb"))
    entry.name, entry.log = name, log:read "*a"
    log:close()
    entries[#entries + 1] = entry
  end
  return entries[1] and entries or nil
end

local options, only = {}, nil
for _, word in ipairs(arg) do
  if word:sub(1, 2) == "--" then
    options[word:sub(3)] = true
  else
    only = only or {}
    only[word] = true
  end
end

local started = os.time()
os.execute(("rm -rf '%s' && mkdir -p '%s'"):format(FOLDER, FOLDER))
local entries, absent, wrong = make_all(only)
local needles, with_needles = 0, {}
for _, entry in ipairs(entries) do
  needles = needles + #entry.needles
  if #entry.needles > 0 or not entry.blocks then with_needles[#with_needles + 1] = entry end
  if options.list then describe(entry) end
end
local line = "%d logs made in %s in %d s, %d lines that an engineer needs (needles)"
print(line:format(#entries, FOLDER, os.difftime(os.time(), started), needles))
if #absent > 0 then print("left out: " .. table.concat(absent, ", ")) end
for _, reason in ipairs(wrong) do
  io.stderr:write("score: ", reason, "\n")
end
print ""
if #with_needles > 0 then print_tables(#with_needles .. " logs made here", with_needles, options.missed) end
print_blocks("whole failures", entries, options.missed)

if CORPUS and not only then
  local corpus = assert(load(CORPUS), CORPUS .. ": no labelled logs there")
  print_tables(("%d logs of %s"):format(#corpus, CORPUS), corpus, options.missed)
end
os.exit(#wrong == 0)
