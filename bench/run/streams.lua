--- Our reading of a pipe beside a bare read(2) loop on the same pipe, and beside `tail`: one producer for all.
local abridge = require "abridge"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local GB = 1024 ^ 3
local PIPE = "build/bench/pipe"
local budget = { strategy = "tail", max_lines = 2000, max_bytes = 30720 }

local function produce_into(size, reader)
  return function() return measure.output_of { "sh", "-c", ("%s produce %.0f | %s"):format(PIPE, size, reader) } end
end

local function counted(size, reader)
  local run = produce_into(size, PIPE .. " " .. reader)
  return function() assert(tonumber(run()) == size, reader .. " counted wrongly") end
end

--- As run_command does it: what the loop reads goes into a stream.
local function from_lua(size)
  return function()
    local stream = abridge.stream(budget)
    measure.output_of({ PIPE, "produce", ("%.0f"):format(size) }, function(chunk) assert(stream:write(chunk)) end)
    local _, cut = stream:finish()
    stream:close()
    assert(cut.total_bytes == size, "the stream counted wrongly")
  end
end

return function()
  local size = measure.size(GB)
  local names = {
    "read(2) in a loop, 64KB each", "the same and a stream, in C", "process.spawn and a stream, in Lua", "tail -n 2000",
  }
  local medians, samples = measure.turns({
    counted(size, "read"), counted(size, "tail"), from_lua(size), produce_into(size, "tail -n 2000 >/dev/null"),
  }, measure.seconds * 8)
  local rows = {}
  for i, name in ipairs(names) do
    local took = medians[i]
    rows[i] = { name, ("%.0f"):format(took * 1000), report.speed(size, took), ("%.2f"):format(took / medians[1]) }
  end
  local title = "%s of log lines through a pipe, cut to the last %d lines / %s"
  report.print(title:format(abridge.format_size(size), budget.max_lines, abridge.format_size(budget.max_bytes)),
    { "ms", "GB/s", "x read(2)" }, rows)
  targets.measured("stream", measure.ratio(samples[1], samples[2]))
end
