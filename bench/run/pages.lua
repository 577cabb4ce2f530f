--- Pages of files, the file in the page cache: beside a loop of pread(2), and beside the programs that one would use.
--- What a command line does once is measured, as they are, in a process that does it once.
local abridge = require "abridge"
local limit = require "limit"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"
local texts = require "run.texts"

local MB, GB = 1024 ^ 2, 1024 ^ 3
local MAX_LINES = 2000
local ONCE = "local _, cut = assert(require 'abridge'.page(%q)); print(('%%d'):format(cut.total_lines))"

local function program(argv, wanted)
  return function()
    local said = measure.output_of(argv)
    assert(not wanted or tonumber(said:match "%d+") == wanted, argv[1] .. " says something else")
  end
end

local function shell(format, ...)
  return program { "sh", "-c", format:format(...) .. " >/dev/null" }
end

local function runs_on(path, bytes, lines, index)
  local deep = math.max(1, math.floor(lines * 0.9))
  local function page(opts)
    return function()
      local _, cut = assert(abridge.page(path, opts))
      assert(cut.total_lines == lines and cut.total_bytes == bytes, "a page is wrong")
    end
  end
  return {
    {
      "pread(2) in a loop, 256KB each",
      function()
        assert(limit.pread(path) == bytes)
      end,
      whole = true,
    },
    { "wc -l", program({ "wc", "-l", path }, lines), whole = true },
    { "abridge.page, first page", page {}, whole = true },
    { "the same, in a fresh process", program(measure.lua(ONCE:format(path)), lines), whole = true },
    { "abridge read", shell("build/bin/abridge read '%s'", path), whole = true },
    { "wc -lc", program({ "wc", "-lc", path }, lines), whole = true },
    { "the same, max_chars too", page { max_chars = 20000 }, whole = true },
    { "a page at line " .. ("%d"):format(deep), page { offset = deep }, whole = true },
    { "sed -n: that page", shell("sed -n '%d,%dp;%dq' '%s'", deep, deep + MAX_LINES - 1, deep + MAX_LINES - 1, path) },
    { "the same, with its index warm", page { offset = deep, index = index } },
    { "the first page, index warm", page { index = index } },
    { "the last 2000 lines, index warm", page { strategy = "tail", index = index } },
    { "head -n 2000, no totals", shell("head -n %d '%s'", MAX_LINES, path) },
    { "tail -n 2000, no totals", shell("tail -n %d '%s'", MAX_LINES, path) },
  }
end

local function print_pages(size, rounds_seconds)
  local path, bytes, lines = texts.log_file(size)
  local index = abridge.index()
  assert(abridge.page(path, { index = index })) -- or the call that warms it is the one that tells how many to time
  local named, runs = runs_on(path, bytes, lines, index), {}
  for i, run in ipairs(named) do
    runs[i] = run[2]
  end
  local medians, samples = measure.turns(runs, rounds_seconds)
  local rows = {}
  for i, run in ipairs(named) do
    local took = medians[i]
    rows[i] = {
      run[1],
      ("%.2f"):format(took * 1000),
      run.whole and report.speed(bytes, took) or "",
      ("%.3f"):format(took / medians[2]),
      ("%.3f"):format(took / medians[3] * 100),
    }
  end
  local title = "%s of log lines in a file (%d lines), pages of 2000 lines / 30KB; the index takes %s"
  report.print(
    title:format(abridge.format_size(size), lines, abridge.format_size(index:bytes())),
    { "ms", "GB/s", "x wc -l", "% of first" },
    rows
  )
  texts.remove_file(size)
  return medians, samples
end

return function()
  print_pages(measure.size(10 * MB), measure.seconds / 2)
  local size = measure.size(GB)
  local medians, samples = print_pages(size, measure.seconds * 4)
  targets.measured("page_pread", measure.ratio(samples[3], samples[1]))
  targets.measured("page_wc", measure.ratio(samples[4], samples[2]))
  targets.measured("page_index", medians[3] / medians[10])
  targets.measured("page_tail", medians[12] * 1e6)
end
