-- Our reading of a pipe against a bare read(2) loop on the same pipe and against `tail`: the second table of `make
-- bench`. One producer for all, best of several rounds; then what a write costs from Lua.
local abridge = require "abridge"
local host = require "abridge.host"
local process = require "abridge.process"

local uv = assert(host.uv())
local MB = 1024 * 1024
local SIZE = (tonumber(os.getenv "BENCH_STREAM_MB") or 1024) * MB
local ROUNDS = 3
local MAX_LINES, MAX_BYTES = 2000, 30720
local PIPE = arg[1] or "build/bench/pipe"
local budget = { strategy = "tail", max_lines = MAX_LINES, max_bytes = MAX_BYTES }

--- Seconds that a run takes, the least of some rounds.
local function best(rounds, run)
  local least = math.huge
  for _ = 1, rounds do
    collectgarbage()
    local start = uv.hrtime()
    run()
    least = math.min(least, (uv.hrtime() - start) / 1e9)
  end
  return least
end

--- Run a program to its end: what it said.
local function output_of(argv, handlers)
  local said = {}
  local child = assert(process.spawn(argv, {}, handlers or {
    on_output = function(chunk) said[#said + 1] = chunk end,
  }))
  host.wait(function() return child:is_done() end)
  assert(child.outcome.code == 0, argv[#argv] .. " failed")
  return table.concat(said)
end

local function produce_into(reader)
  return function()
    return output_of { "sh", "-c", ("%s produce %.0f | %s"):format(PIPE, SIZE, reader) }
  end
end

local function counted(reader)
  local run = produce_into(PIPE .. " " .. reader)
  return function() assert(tonumber(run()) == SIZE, reader .. " counted wrongly") end
end

--- What a program prints goes into a stream, as `handlers_of` has it.
local function into_stream(handlers_of)
  return function()
    local stream = abridge.stream(budget)
    output_of({ PIPE, "produce", ("%.0f"):format(SIZE) }, handlers_of(stream))
    local _, cut = stream:finish()
    stream:close()
    assert(cut.total_bytes == SIZE, "the stream counted wrongly")
  end
end

--- As run_command does it: the stream reads the pipe.
local read_itself = into_stream(function(stream)
  return { read_output = function(...) return stream:read_fd(...) end }
end)

--- The loop reads strings of Lua, which are written to the stream.
local written = into_stream(function(stream)
  return { on_output = function(chunk) assert(stream:write(chunk)) end }
end)

local function print_pipes()
  local rows = {
    { "read(2) in a loop, 64KB each", best(ROUNDS, counted "read") },
    { "the same and a stream, in C", best(ROUNDS, counted "tail") },
    { "process.spawn and stream:read_fd, in Lua", best(ROUNDS, read_itself) },
    { "process.spawn and stream:write, in Lua", best(ROUNDS, written) },
    { "tail -n 2000", best(ROUNDS, produce_into "tail -n 2000 > /dev/null") },
  }
  local title = "\n%d MB of log lines through a pipe, cut to the last %d lines / %s"
  print(title:format(SIZE / MB, MAX_LINES, abridge.format_size(MAX_BYTES)))
  print(("%-40s %10s %10s %12s"):format("", "ms", "GB/s", "x read(2)"))
  for _, row in ipairs(rows) do
    print(("%-40s %10.0f %10.2f %12.2f"):format(row[1], row[2] * 1000, SIZE / row[2] / 1e9, row[2] / rows[1][2]))
  end
end

local function print_writes()
  local CALLS = 2000000
  local stream = abridge.stream(budget)
  local empty = setmetatable({}, { __index = { write = function() end } })
  local function calls(object)
    return best(ROUNDS, function()
      for _ = 1, CALLS do object:write "x" end
    end) / CALLS
  end
  local nothing, one_byte = calls(empty), calls(stream)
  local snapshot = best(ROUNDS, function()
    for _ = 1, 1000 do stream:snapshot() end
  end) / 1000
  stream:close()
  print(("\n%-40s %10s %12s"):format("from Lua", "ns", "x empty call"))
  print(("%-40s %10.0f %12.2f"):format("an empty method in Lua", nothing * 1e9, 1))
  print(("%-40s %10.0f %12.2f"):format("stream:write of one byte", one_byte * 1e9, one_byte / nothing))
  print(("%-40s %10.0f"):format("stream:snapshot of 30KB", snapshot * 1e9))
end

print_pipes()
print_writes()
