-- Ratios of our cuts against named rivals and a physical limit, measured in one run: `make bench`.
--
-- The limit is reading the bytes once: string.find for a byte that is not there, which is libc's memchr. The rival is
-- what a Lua script would do by itself: split on newlines, keep the last lines. Best of several rounds each.
local abridge = require "abridge"

local MB = 1024 * 1024
local SIZE = (tonumber(os.getenv "BENCH_MB") or 100) * MB
local MAX_LINES, MAX_BYTES = 2000, 30720
local host = rawget(_G, "jit") and jit.version:match "^[^%-]+" or _VERSION

local function log_text(size)
  local levels = { "INFO", "INFO", "INFO", "DEBUG", "WARN" }
  local block = {}
  for i = 1, 5000 do
    local line = "2026-03-%02d 10:%02d:%02d.%03d [%s] worker-%d: request %d took %d ms%s"
    local extra = (" key=%d"):rep(i % 4):gsub("%%d", tostring(i * 7919))
    block[i] = line:format(i % 28 + 1, i % 60, i * 7 % 60, i % 1000, levels[i % 5 + 1], i % 16, i, i * 31 % 900, extra)
  end
  local text = table.concat(block, "\n") .. "\n"
  return text:rep(math.ceil(size / #text))
end

--- Best of `rounds`, in seconds of processor time.
local function best(rounds, run)
  local least = math.huge
  for _ = 1, rounds do
    collectgarbage()
    local start = os.clock()
    run()
    least = math.min(least, os.clock() - start)
  end
  return math.max(least, 1e-6)
end

--- The obvious way: all lines into a table, then whole lines from the end.
local function pure_lua_tail(text)
  local lines, n = {}, 0
  for line in text:gmatch "([^\n]*)\n?" do
    n = n + 1
    lines[n] = line
  end
  if lines[n] == "" then n = n - 1 end
  local first, bytes = n + 1, 0
  while first > 1 and n - first + 1 < MAX_LINES and bytes + #lines[first - 1] + 1 <= MAX_BYTES do
    first = first - 1
    bytes = bytes + #lines[first] + 1
  end
  return table.concat(lines, "\n", first, n) .. "\n", { total_lines = n }
end

local text = log_text(SIZE)
local budget = { max_lines = MAX_LINES, max_bytes = MAX_BYTES }

local ours, cut = abridge.tail(text, budget)
local theirs, rival = pure_lua_tail(text)
assert(ours == theirs and cut.total_lines == rival.total_lines, "the rival keeps the same lines")

local function with(key, value)
  local opts = { [key] = value }
  for k, v in pairs(budget) do
    opts[k] = v
  end
  return opts
end

local chunks = {}
for at = 1, #text, 65536 do
  chunks[#chunks + 1] = text:sub(at, at + 65535)
end

local limit = best(5, function()
  return text:find("\0", 1, true)
end)
local rows = {
  { "read once: string.find (memchr)", limit },
  {
    "abridge.tail",
    best(5, function()
      return abridge.tail(text, budget)
    end),
  },
  {
    "abridge.head",
    best(5, function()
      return abridge.head(text, budget)
    end),
  },
  {
    "abridge.head_tail",
    best(5, function()
      return abridge.head_tail(text, budget)
    end),
  },
  {
    "abridge.tail, max_chars too",
    best(5, function()
      return abridge.tail(text, with("max_chars", 20000))
    end),
  },
  {
    "abridge.tail, max_tokens too",
    best(5, function()
      return abridge.tail(text, with("max_tokens", 4000))
    end),
  },
  {
    "abridge.pipeline",
    best(5, function()
      return abridge.pipeline(text, { max_chars = 20000, max_lines = 200 })
    end),
  },
  {
    "abridge.clean, nothing to change",
    best(5, function()
      return abridge.clean(text)
    end),
  },
  {
    "abridge.tail, cleaned stream in 64 KB",
    best(3, function()
      local stream = abridge.stream { strategy = "tail", max_lines = MAX_LINES, max_bytes = MAX_BYTES, clean = true }
      for _, chunk in ipairs(chunks) do
        stream:write(chunk)
      end
      assert(stream:finish() == ours)
    end),
  },
  {
    "pure Lua: split, keep the last lines",
    best(2, function()
      return pure_lua_tail(text)
    end),
  },
}

local pure = rows[#rows][2]
local title = "%s: %d MB of log lines cut to %d lines / %s"
print(title:format(host, SIZE / MB, MAX_LINES, abridge.format_size(MAX_BYTES)))
print(("%-40s %10s %10s %12s %14s"):format("", "ms", "GB/s", "x read once", "x pure Lua"))
for _, row in ipairs(rows) do
  local seconds = row[2]
  print(
    ("%-40s %10.1f %10.2f %12.2f %14.1f"):format(
      row[1],
      seconds * 1000,
      SIZE / seconds / 1e9,
      seconds / limit,
      pure / seconds
    )
  )
end
