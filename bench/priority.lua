-- A priority stream over many logs against grep on the same bytes: the fourth table of `make bench`.
--
-- The logs are those of the folder BENCH_LOGS where that is set, else lines like those of a build; they are repeated to
-- BENCH_LOG_MB. A priority stream reads each line, grep only looks for two words.
local abridge = require "abridge"
local host = require "abridge.host"

local uv = assert(host.uv())
local MB = 1024 * 1024
local SIZE = (tonumber(os.getenv "BENCH_LOG_MB") or 256) * MB
local ROUNDS = 3
local CHUNK = 64 * 1024

local function log_paths()
  local folder = os.getenv "BENCH_LOGS"
  local paths = {}
  local entries = folder and assert(uv.fs_scandir(folder))
  while entries do
    local name = uv.fs_scandir_next(entries)
    if not name then break end
    if name:match "%.log$" then paths[#paths + 1] = folder .. "/" .. name end
  end
  table.sort(paths)
  return paths
end

local function made_up()
  local lines = {}
  for i = 1, 20000 do
    lines[i] = i % 997 == 0 and ("src/unit_%d.c:%d:3: error: use of undeclared identifier 'x%d'"):format(i, i % 400, i)
      or ("[%d/20000] cc -O2 -Wall -Werror -Iinclude -c src/unit_%d.c -o build/unit_%d.o"):format(i, i, i)
  end
  return table.concat(lines, "\n") .. "\n"
end

local function logs()
  local parts = {}
  for i, path in ipairs(log_paths()) do
    local file = assert(io.open(path, "rb"))
    parts[i] = file:read "*a"
    file:close()
  end
  return #parts > 0 and table.concat(parts, "\n") or made_up(), #parts
end

--- Seconds of processor time, the least of some rounds.
local function best(run)
  local least = math.huge
  for _ = 1, ROUNDS do
    collectgarbage()
    local start = os.clock()
    run()
    least = math.min(least, os.clock() - start)
  end
  return math.max(least, 1e-6)
end

local text, count = logs()
local times = math.max(1, math.ceil(SIZE / #text))
local chunks = {}
for at = 1, #text, CHUNK do
  chunks[#chunks + 1] = text:sub(at, at + CHUNK - 1)
end

local function stream_through(opts)
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

--- What grep takes for itself, as the shell's `times` tells: user and system time of its children.
local function grep()
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  for _ = 1, times do
    file:write(text)
  end
  file:close()
  local least = math.huge
  for _ = 1, ROUNDS do
    local pipe = assert(io.popen(("n=$(LC_ALL=C grep -c -i -E 'error|fail' %s); times"):format(path)))
    local spent = 0
    -- the second line; into a variable, since grep looks for one match alone where nobody reads
    for minutes, seconds in pipe:read("*a"):match("\n(.*)"):gmatch "(%d+)m([%d.]+)s" do
      spent = spent + tonumber(minutes) * 60 + tonumber(seconds)
    end
    pipe:close()
    least = math.min(least, spent)
  end
  os.remove(path)
  return math.max(least, 1e-6)
end

local rows = {
  { "a tail stream", best(stream_through { strategy = "tail", max_bytes = 30720 }) },
  { "a priority stream", best(stream_through { strategy = "priority", max_bytes = 30720 }) },
  { "grep -c -i -E 'error|fail'", grep() },
}
local cleaned = { strategy = "priority", max_bytes = 30720, clean = true }
if pcall(abridge.stream, cleaned) then
  table.insert(rows, 3, { "a priority stream with clean", best(stream_through(cleaned)) })
end

local what = count > 0 and ("%d logs"):format(count) or "made-up build lines"
print(("\n%s repeated to %.0f MB, cut to 30KB"):format(what, #text * times / MB))
print(("%-40s %10s %10s"):format("", "ms", "MB/s"))
for _, row in ipairs(rows) do
  print(("%-40s %10.0f %10.0f"):format(row[1], row[2] * 1000, #text * times / row[2] / 1e6))
end
