-- A page of a large file against `wc -l` and a bare pread(2) loop over the same file, and a page deep in it whose index
-- is warm against the first one: the third table of `make bench`. All in one run, the file in the page cache, best of
-- several rounds.
local abridge = require "abridge"
local host = require "abridge.host"
local process = require "abridge.process"

local uv = assert(host.uv())
local MB = 1024 * 1024
local SIZE = (tonumber(os.getenv "BENCH_PAGE_MB" or os.getenv "BENCH_MB") or 1024) * MB
local ROUNDS = 7
local FILE = arg[1] or "build/bench/file"

--- Write log lines, about SIZE bytes; returns how many lines.
local function write_log(path)
  local levels, block = { "INFO", "INFO", "INFO", "DEBUG", "WARN" }, {}
  for i = 1, 5000 do
    local line = "2026-03-%02d 10:%02d:%02d.%03d [%s] worker-%d: request %d took %d ms%s\n"
    local extra = i % 3 == 0 and " key=value retried" or ""
    block[i] = line:format(i % 28 + 1, i % 60, i * 7 % 60, i % 1000, levels[i % 5 + 1], i % 16, i, i * 31 % 900, extra)
  end
  local text = table.concat(block)
  local file = assert(io.open(path, "wb"))
  local times = math.ceil(SIZE / #text)
  for _ = 1, times do
    assert(file:write(text))
  end
  file:close()
  return times * #block, times * #text
end

--- Seconds that a run takes.
local function timed(run)
  collectgarbage()
  local start = uv.hrtime()
  run()
  return (uv.hrtime() - start) / 1e9
end

--- The least of some rounds each; the runs take turns, so that what slows the machine slows all of them.
local function best_of(runs)
  local least = {}
  for _ = 1, ROUNDS do
    for i, run in ipairs(runs) do
      least[i] = math.min(least[i] or math.huge, timed(run))
    end
  end
  return least
end

--- Run a program to its end; what it prints begins with a number.
local function number_from(argv)
  local said = {}
  local child = assert(process.spawn(argv, {}, {
    on_output = function(chunk) said[#said + 1] = chunk end,
  }))
  host.wait(function() return child:is_done() end)
  assert(child.outcome.code == 0, argv[1] .. " failed")
  return tonumber(table.concat(said):match "%d+")
end

local function measure(path)
  local lines, bytes = write_log(path)
  assert(uv.fs_utime(path, os.time() - 60, os.time() - 60)) -- one just written would not be kept in an index
  local index = abridge.index()
  local deep = math.floor(lines * 0.9)
  local function page(opts)
    return function()
      local _, cut = assert(abridge.page(path, opts))
      assert(cut.total_lines == lines and cut.first_line == (opts.offset or 1), "a page is wrong")
    end
  end
  page { index = index }()
  local least = best_of {
    function() assert(number_from { FILE, "pread", path } == bytes) end,
    function() assert(number_from { "wc", "-l", path } == lines) end,
    page {},
    page { max_chars = 20000 },
    page { offset = deep },
    page { offset = deep, index = index },
  }
  return bytes, lines, deep, least, index:bytes()
end

local function print_table(bytes, lines, deep, least, index_bytes)
  local names = {
    "pread(2) in a loop, 256KB each", "wc -l", "abridge.page, first page", "the same, max_chars too",
    ("a page at line %d"):format(deep), "the same, with its index warm",
  }
  print(("\n%.0f MB of log lines in a file (%d lines): pages of 2000 lines / 30KB"):format(bytes / MB, lines))
  print(("%-40s %10s %10s %12s %12s"):format("", "ms", "GB/s", "x wc -l", "% of first"))
  for i, name in ipairs(names) do
    local speed = i < #names and ("%10.2f"):format(bytes / least[i] / 1e9) or ("%10s"):format ""
    local to_wc, to_first = least[i] / least[2], least[i] / least[3] * 100
    print(("%-40s %10.2f %s %12.3f %12.3f"):format(name, least[i] * 1000, speed, to_wc, to_first))
  end
  print(("the index takes %s"):format(abridge.format_size(index_bytes)))
end

local folder = assert(uv.fs_mkdtemp((os.getenv "TMPDIR" or "/tmp"):gsub("/+$", "") .. "/abridge-bench-XXXXXX"))
local results = { pcall(measure, folder .. "/log") }
os.remove(folder .. "/log")
uv.fs_rmdir(folder)
if not results[1] then error(results[2], 0) end
print_table((table.unpack or unpack)(results, 2))
