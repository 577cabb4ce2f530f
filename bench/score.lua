-- How much of what a reader needs is still there after a cut: `make score`.
--
-- Makes labelled logs in build/score/ by running this machine's real tools on small faulty programs of ours
-- (score/cases/), and records sessions in which one output's values are used by the next call (score/runs.lua). Then it
-- cuts them as people do, `abridge.cap` with the limits of commands, and in the usual ways, at five budgets, and prints
-- tables in Markdown; the same of logs for the folder SCORE_CORPUS of NAME.log and NAME.json if that is set. A log that
-- is not as its case says is named, left out of the tables, and makes the run fail.
--
--   lua bench/score.lua [--missed] [--list] [--doc] [NAME...]   these logs only; --missed: each text that our cut lost;
--                                            --list: each log that was made; --doc: put the tables into the documents
--   SCORE_LOGS=FOLDER                        logs that an earlier run made, in place of making them
package.path = "bench/?.lua;" .. package.path

local abridge = require "abridge"
local compose = require "score.compose"
local host = require "abridge.base.host"
local make = require "score.make"
local measure = require "score.measure"
local reports = require "score.reports"
local rivals = require "score.rivals"
local runs = require "score.runs"
local tables = require "score.tables"

local CASES = "bench/score/cases"
local FOLDER = "build/score"
local CORPUS, MADE = os.getenv "SCORE_CORPUS", os.getenv "SCORE_LOGS"
local OURS = "`abridge.cap`"

local json = assert(host.json())

--- What a model is given: the cut of a command's output, with its notice.
local function cap(text, budget)
  return (abridge.cap(text, "run_command", { limits = { max_bytes = budget } }))
end

local function strategies()
  local all = {}
  for _, rival in ipairs(rivals.all) do
    all[#all + 1] = rival
  end
  all[#all + 1] = {
    name = OURS,
    run = function(entry, budget)
      return cap(entry.log, budget)
    end,
  }
  return all
end

--- The promise for a log amid other output: what the log alone keeps in half the room.
local ALONE = {
  name = OURS .. ", the log alone in half the room",
  run = function(entry, budget)
    return cap(entry.alone, math.floor(budget / 2))
  end,
}

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
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

--- Record the sessions; returns their entries, and what this machine has no tool for.
local function record_all()
  local entries, absent, wrong = {}, {}, {}
  for i, run in ipairs(runs.runs) do
    local tool = make.missing(run)
    local ok, recorded = true, {}
    if tool then
      absent[#absent + 1] = ("%s (no %s)"):format(run.name, tool)
    else
      ok, recorded = pcall(runs.record, run, FOLDER .. "/run-" .. i)
    end
    if not ok then wrong[#wrong + 1] = tostring(recorded) end
    for _, entry in ipairs(ok and recorded or {}) do
      entries[#entries + 1] = entry
    end
  end
  return entries, absent, wrong
end

--- The labelled logs of a folder; nil when it is not there.
local function load(folder)
  local entries = {}
  for _, name in ipairs(names(folder, "json")) do
    local entry = assert(json.decode(read(folder .. "/" .. name .. ".json")))
    entry.name, entry.log = name, read(folder .. "/" .. name .. ".log")
    entries[#entries + 1] = entry
  end
  return entries[1] and entries or nil
end

local function describe(entry)
  print(("%-22s %8d bytes %6d lines"):format(entry.name, #entry.log, entry.lines or 0))
  for _, needle in ipairs(entry.needles) do
    print(("    %-10s  %s"):format(needle.why, needle.text:sub(1, 90)))
  end
  for _, block in ipairs(entry.blocks or {}) do
    print(("    lines %d to %d"):format(block[1], block[2]))
  end
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

os.execute(("rm -rf '%s' && mkdir -p '%s'"):format(FOLDER, FOLDER))
local entries, absent, wrong
if MADE then
  entries, absent, wrong = assert(load(MADE), MADE .. ": no logs there"), {}, {}
else
  entries, absent, wrong = make_all(only)
end
for _, entry in ipairs(options.list and entries or {}) do
  describe(entry)
end
local values, runs_absent, runs_wrong = {}, {}, {}
if not only then
  values, runs_absent, runs_wrong = record_all()
end
local sets = tables.sets(entries, values, compose, json.encode, not only and reports.made(json.encode) or nil)
local text = {}
for _, set in ipairs(sets) do
  local all = strategies()
  if set.alone then all[#all + 1] = ALONE end
  local rows = measure.rows(all, set.entries)
  set.rows = rows
  text[#text + 1] = ("**%s**\n\n%s"):format(set.title, measure.table(rows))
  for _, budget in ipairs(options.missed and measure.BUDGETS or {}) do
    local missed = {}
    measure.share(all[#rivals.all + 1].run, budget, set.entries, missed)
    for _, miss in ipairs(missed) do
      io.stderr:write(("%s: %s, %d bytes: %s\n"):format(set.title, miss.name, budget, miss.text:sub(1, 100)))
    end
  end
end
print(table.concat(text, "\n"))
for _, list in ipairs { absent, runs_absent } do
  if #list > 0 then print("left out: " .. table.concat(list, ", ")) end
end
for _, list in ipairs { wrong, runs_wrong } do
  for _, reason in ipairs(list) do
    io.stderr:write("score: ", reason, "\n")
  end
end
if options.doc then
  write("doc/scores.md", tables.in_page(read "doc/scores.md", table.concat(text, "\n")))
  write("README.md", tables.in_readme(read "README.md", sets[1]))
end
if CORPUS and not only then
  local corpus = assert(load(CORPUS), CORPUS .. ": no labelled logs there")
  for _, set in ipairs(tables.sets(corpus, {}, compose, json.encode)) do
    local all = strategies()
    print(("**%s, of %s**\n\n%s"):format(set.title, CORPUS, measure.table(measure.rows(all, set.entries))))
  end
end
os.exit(#wrong + #runs_wrong == 0)
