--- The clock of the benchmark: medians of runs that take turns, so that what slows the machine for a while slows all.
local host = require "abridge.base.host"
local process = require "abridge.process"

local M = {}

local uv = assert(host.uv(), "the benchmark wants luv")
local KB, GB = 1024, 1024 ^ 3

--- Factor on every size and time: 1 is the whole benchmark, 0.0001 a look whether it still runs.
M.scale = tonumber(os.getenv "BENCH_SCALE") or 1
M.seconds = math.max(0.002, 0.3 * math.min(1, M.scale)) -- for each run of a table

local BATCH = math.max(1e-5, 1e-3 * math.min(1, M.scale)) -- quicker calls are timed many at a time
local LEAST, MOST = 3, 101

--- A size of the full benchmark, scaled; never under 1 KB.
function M.size(bytes)
  return math.max(KB, math.floor(bytes * M.scale))
end

--- May a text of so many bytes be held, and what others make of it?
function M.has_room(bytes)
  local free = (uv.get_available_memory or uv.get_free_memory)()
  return bytes < GB / 8 or free == 0 or bytes * 8 < free + M.cached()
end

--- Memory that Linux would give back where it is wanted; 0 elsewhere.
function M.cached()
  local file = io.open "/proc/meminfo"
  local kilobytes = file and file:read("*a"):match "\nCached: *(%d+)" or 0
  if file then file:close() end
  return kilobytes * KB
end

--- Seconds that `times` calls take.
local function timed(run, times)
  local start = uv.hrtime()
  for _ = 1, times do
    run()
  end
  return (uv.hrtime() - start) / 1e9
end
M.timed = timed

function M.median(values)
  local sorted = {}
  for i, value in ipairs(values) do
    sorted[i] = value
  end
  table.sort(sorted)
  return sorted[math.floor(#sorted / 2) + 1]
end

--- Seconds a call of each run, in turns: each has been called before, and one that has taken its seconds drops out.
---@param runs function[]
---@param seconds? number for each run; default M.seconds
---@return number[] medians
---@return number[][] samples of each run, one a round
function M.turns(runs, seconds)
  local times, samples, spent = {}, {}, {}
  seconds = seconds or M.seconds
  for i, run in ipairs(runs) do
    local first = timed(run, 1)
    times[i] = math.max(1, math.floor(BATCH / math.max(first, 1e-9)))
    samples[i], spent[i] = { first }, first > seconds * LEAST and first or 0
  end
  for round = 1, MOST do
    for i, run in ipairs(runs) do
      if spent[i] < seconds or (round <= LEAST and spent[i] < seconds * LEAST) then
        collectgarbage()
        local took = timed(run, times[i])
        samples[i][round], spent[i] = took / times[i], spent[i] + took
      end
    end
  end
  local medians = {}
  for i = 1, #runs do
    medians[i] = M.median(samples[i])
  end
  return medians, samples
end

--- The median of a/b over the rounds.
function M.ratio(a, b)
  local ratios = {}
  for i = 1, math.min(#a, #b) do
    ratios[i] = a[i] / b[i]
  end
  return M.median(ratios)
end

--- Run a program to its end: what it printed.
---@param argv string[]
---@param handlers? abridge.process.Handlers where another than this is to get it
function M.output_of(argv, handlers)
  local said = {}
  local child = assert(process.spawn(argv, {}, handlers or {
    on_output = function(chunk)
      said[#said + 1] = chunk
    end,
  }))
  host.wait(function()
    return child:is_done()
  end)
  local text = table.concat(said)
  if child.outcome.code ~= 0 then error(argv[1] .. " failed: " .. text:sub(-500), 0) end
  return text
end

--- A program of some Lua, which does it once: where it was done before, memory lies elsewhere.
---@param code string
---@return string[] argv
function M.lua(code)
  return { arg[-1], "-e", code }
end

--- Is there such a program?
function M.has(name)
  return os.execute("command -v " .. name .. " >/dev/null 2>&1") == true
end

return M
