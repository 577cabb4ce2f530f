--- A priority stream over many logs beside grep on the same bytes.
---
--- The logs are those of the folder BENCH_LOGS if that is set, else lines like those of a build; they are repeated to
--- 256 MB. Then come those that `make score` made, if it ran, one after the other: most of their lines are new. They
--- too are repeated, since it takes grep longer to start than to read them once; a stream recalls 512 lines, and those
--- came megabytes before. A priority stream reads each line, grep only looks for two words.
local abridge = require "abridge"
local host = require "abridge.base.host"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"
local texts = require "run.texts"

local uv = host.uv()
local MB = 1024 ^ 2
local CHUNK = 64 * 1024
local SCORE_LOGS = "build/score"

local function read_logs(folder)
  local paths, parts = {}, {}
  local entries = folder and uv.fs_scandir(folder)
  while entries do
    local name = uv.fs_scandir_next(entries)
    if not name then break end
    if name:match "%.log$" then paths[#paths + 1] = folder .. "/" .. name end
  end
  table.sort(paths)
  for i, path in ipairs(paths) do
    local file = assert(io.open(path, "rb"))
    parts[i] = file:read "*a"
    file:close()
  end
  return table.concat(parts, "\n"), #parts
end

local function stream_through(text, times, opts)
  local chunks = {}
  for at = 1, #text, CHUNK do
    chunks[#chunks + 1] = text:sub(at, at + CHUNK - 1)
  end
  return function()
    local stream = abridge.stream(opts)
    for _ = 1, times do
      for _, chunk in ipairs(chunks) do
        stream:write(chunk)
      end
    end
    local _, cut = stream:finish()
    assert(cut.total_bytes == #text * times or opts.clean)
    stream:close()
  end
end

local function grep(text, times)
  local path = texts.write("grep", text:rep(times))
  -- into a variable, since grep looks for one match alone where nobody reads
  local command = ("n=$(LC_ALL=C grep -c -i -E 'error|fail' '%s'); test \"$n\" -gt 0"):format(path)
  return function()
    measure.output_of { "sh", "-c", command }
  end, path
end

--- Returns the speed of the stream, in times that of grep.
local function compare(text, what)
  local times = math.max(1, math.ceil(measure.size(256 * MB) / #text))
  local grep_run, path = grep(text, times)
  local names = { "a tail stream", "a priority stream", "a priority stream with clean", "grep -c -i -E 'error|fail'" }
  local medians, samples = measure.turns({
    stream_through(text, times, { strategy = "tail", max_bytes = 30720 }),
    stream_through(text, times, { strategy = "priority", max_bytes = 30720 }),
    stream_through(text, times, { strategy = "priority", max_bytes = 30720, clean = true }),
    grep_run,
  }, measure.seconds * 3)
  os.remove(path)
  local rows = {}
  for i, name in ipairs(names) do
    rows[i] = { name, ("%.0f"):format(medians[i] * 1000), ("%.0f"):format(#text * times / medians[i] / 1e6) }
  end
  report.print(("%s, %s, cut to 30KB"):format(what, abridge.format_size(#text * times)), { "ms", "MB/s" }, rows)
  return measure.ratio(samples[4], samples[2])
end

return function()
  local text, count = read_logs(os.getenv "BENCH_LOGS")
  local what = ("%d logs repeated"):format(count)
  if count == 0 then
    text, what = texts.build_log(1.4 * MB, 20), "made-up build lines repeated"
  end
  compare(text, what)
  local different, logs = read_logs(SCORE_LOGS)
  if logs > 0 then targets.measured("priority_new", compare(different, ("%d different logs"):format(logs))) end
end
