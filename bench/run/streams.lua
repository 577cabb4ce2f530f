--- Our reading of a pipe beside a bare read(2) loop on the same pipe, and beside `tail`: one producer for all.
local abridge = require "abridge"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local GB = 1024 ^ 3
local PIPE = "build/bench/pipe"
local budget = { strategy = "tail", max_lines = 2000, max_bytes = 30720 }

local function produce_into(size, reader)
  return function()
    return measure.output_of { "sh", "-c", ("%s produce %.0f | %s"):format(PIPE, size, reader) }
  end
end

local function counted(size, reader)
  local run = produce_into(size, PIPE .. " " .. reader)
  return function()
    assert(tonumber(run()) == size, reader .. " counted wrongly")
  end
end

--- What the event loop reads goes into a stream, or the stream reads the pipe itself.
---@param size integer
---@param handlers_of fun(stream: userdata): abridge.process.Handlers
local function from_lua(size, handlers_of)
  return function()
    local stream = abridge.stream(budget)
    measure.output_of({ PIPE, "produce", ("%.0f"):format(size) }, handlers_of(stream))
    local _, cut = stream:finish()
    stream:close()
    assert(cut.total_bytes == size, "the stream counted wrongly")
  end
end

local function written(stream)
  return {
    on_output = function(chunk)
      assert(stream:write(chunk))
    end,
  }
end

local function read_by_itself(stream)
  return {
    read_output = function(fd, most)
      return stream:read_fd(fd, most)
    end,
  }
end

--- The command line, with the limits of the others.
local function run_once(size)
  local flags = ("--no-save --no-clean --strategy %s --max-lines %d --max-bytes %d"):format(
    budget.strategy,
    budget.max_lines,
    budget.max_bytes
  )
  return function()
    measure.output_of { "sh", "-c", ("build/bin/abridge run %s -- %s produce %.0f"):format(flags, PIPE, size) }
  end
end

--- Is this a core whose streams read descriptors?
local function reads_descriptors()
  local stream = abridge.stream(budget)
  local ok, method = pcall(function()
    return stream.read_fd
  end)
  stream:close()
  return ok and method ~= nil
end

return function()
  local size = measure.size(GB)
  local names = {
    "read(2) in a loop, 64KB each",
    "the same and a stream, in C",
    "process.spawn and a stream, in Lua",
    "tail -n 2000",
    "abridge run, a process that does it once",
  }
  local runs = {
    counted(size, "read"),
    counted(size, "tail"),
    from_lua(size, written),
    produce_into(size, "tail -n 2000 >/dev/null"),
    run_once(size),
  }
  if reads_descriptors() then
    table.insert(names, 4, "process.spawn and stream:read_fd, in Lua")
    table.insert(runs, 4, from_lua(size, read_by_itself))
  end
  local medians, samples = measure.turns(runs, measure.seconds * 8)
  local rows = {}
  for i, name in ipairs(names) do
    local took = medians[i]
    rows[i] = { name, ("%.0f"):format(took * 1000), report.speed(size, took), ("%.2f"):format(took / medians[1]) }
  end
  local title = "%s of log lines through a pipe, cut to the last %d lines / %s"
  report.print(
    title:format(abridge.format_size(size), budget.max_lines, abridge.format_size(budget.max_bytes)),
    { "ms", "GB/s", "x read(2)" },
    rows
  )
  targets.measured("stream", measure.ratio(samples[1], samples[2]))
end
