-- `make soak`: ten gigabytes of log lines through one stream. Totals stay exact, and memory does not grow.
--   lua5.4 spec/soak.lua [GIGABYTES]
local abridge = require "abridge"

local GB, MB = 1024 * 1024 * 1024, 1024 * 1024
local SIZE = (tonumber(arg and arg[1]) or 10) * GB
local MOST_GROWTH = 8 * MB

--- A line of the log; each has its number, so that the end can be told from any other place.
local function line(i)
  return ("%012d worker-%d \195\169 request took %d ms \255\n"):format(i, i % 10, i % 10)
end

--- Memory in use, in bytes.
local function resident()
  local file = assert(io.open("/proc/self/status", "rb"), "this needs /proc")
  local kb = file:read("*a"):match "VmRSS:%s+(%d+) kB"
  file:close()
  return tonumber(kb) * 1024
end

--- Write lines up to SIZE bytes, in chunks that end anywhere; returns how many lines.
local function flow(stream, size)
  local PER_CHUNK = 1500
  local width = #line(0)
  local count = math.floor(size / width)
  local middle = line(0):rep(PER_CHUNK) -- made once: this is about the stream, not about string.format
  local done = 0
  while count - done > 2 * PER_CHUNK do
    local split = done % #middle
    assert(stream:write(middle:sub(1, split)))
    assert(stream:write(middle:sub(split + 1)))
    done = done + PER_CHUNK
  end
  for i = done + 1, count do assert(stream:write(line(i))) end
  return count, count * width
end

local opts = { strategy = "tail", max_lines = 2000, max_bytes = "30KB", utf8 = "replace" }

local warm = abridge.stream(opts)
flow(warm, 64 * MB)
warm:finish()
warm:close()
collectgarbage()

local before, started = resident(), os.time()
local stream = abridge.stream(opts)
local lines, bytes = flow(stream, SIZE)
local _, snapshot_cut = stream:snapshot()
local content, cut = stream:finish()
local growth = resident() - before
local seconds = math.max(os.time() - started, 1)
stream:close()

print(
  ("%s in %d s (%.2f GB/s), %.0f lines; memory grew by %s to %s"):format(
    abridge.format_size(bytes),
    seconds,
    bytes / seconds / 1e9,
    lines,
    abridge.format_size(math.max(growth, 0)),
    abridge.format_size(before + growth)
  )
)

local last = cut.kept[1]
local want = {}
for i = lines - cut.output_lines + 1, lines do want[#want + 1] = line(i):gsub("\255", "\239\191\189") end
assert(cut.total_bytes == bytes, "total_bytes")
assert(cut.total_lines == lines, "total_lines")
assert(cut.omitted_bytes + cut.output_bytes == bytes, "omitted_bytes")
assert(last.last_byte == bytes and last.last_line == lines, "the end of the ledger")
assert(last.first_line == lines - cut.output_lines + 1, "the start of the ledger")
assert(#content <= 30720 and #content > 30720 - #line(0) - 2, "the size of the content")
assert(content == table.concat(want), "the content")
assert(snapshot_cut.total_bytes == bytes, "the snapshot")
assert(growth < MOST_GROWTH, "memory grew by more than " .. abridge.format_size(MOST_GROWTH))
