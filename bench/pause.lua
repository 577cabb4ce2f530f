-- How long our callbacks run, and how long Neovim's main loop stands still, while each tool does something big: `make
-- bench-pause`. Our callbacks are measured in processor time, so that other programs do not count. A timer fires in the
-- main loop every millisecond; the loop's pauses are the times between two of these, by the clock. For each of the two
-- the round whose longest time is shortest is printed.
local abridge = require "abridge"
local kind_texts = require "run.kind_texts"
local main_loop = require "support.main_loop"
local web_server = require "support.web_server"
local vim = rawget(_G, "vim")

local uv = vim.uv or vim.loop
local MB = 1024 * 1024
local FLOOD = (tonumber(os.getenv "BENCH_MB") or 200) * MB
local ENTRIES = tonumber(os.getenv "BENCH_ENTRIES") or 100000
local ROUNDS = tonumber(os.getenv "BENCH_ROUNDS") or 3

--- The calmer of two rounds.
local function calmer(a, b)
  return a and a.max <= b.max and a or b
end

--- The times of our callbacks, the pauses of the main loop, and how long a call takes.
local function measure(start)
  local ours, pauses, took = nil, nil, math.huge
  for _ = 1, ROUNDS do
    collectgarbage()
    local done = false
    local stop, stop_ours, from = main_loop.watch(), main_loop.time_callbacks(main_loop.processor_time), uv.hrtime()
    start(function(result)
      assert(result == nil or not result.is_error, result and result.content)
      done = true
    end)
    assert(vim.wait(300000, function()
      return done
    end, 1))
    ours, took = calmer(ours, stop_ours()), math.min(took, (uv.hrtime() - from) / 1e6)
    pauses = calmer(pauses, select(2, stop()))
  end
  return ours, pauses, took
end

local folder = assert(uv.fs_mkdtemp((os.getenv "TMPDIR" or "/tmp"):gsub("/+$", "") .. "/abridge-pause-XXXXXX"))

local function shell(command)
  assert(vim.fn.system { "sh", "-c", "cd '" .. folder .. "' && " .. command } and vim.v.shell_error == 0, command)
end

local function called(opts, tool, input, updates)
  opts.run_dir = folder .. "/run"
  return function(done)
    local session = assert(abridge.session(opts))
    session:call(tool, input, {
      on_done = function(result)
        done(result)
        vim.schedule(function()
          session:close()
        end)
      end,
      on_update = (opts.redact or updates) and function() end or nil,
    })
  end
end

--- A command that prints a text of a kind, with updates: each is a snapshot of the stream.
local function printing(kind)
  local first, block, last = kind_texts.parts(kind)
  for part, text in pairs { first = first, block = block } do
    local file = assert(io.open(("%s/%s.%s"):format(folder, kind, part), "wb"))
    assert(file:write(text))
    assert(file:close())
  end
  local command = "cd '%s'; cat %s.first; for i in $(seq %d); do cat %s.block; done; printf %%s %s"
  local limits = { run_command = { strategy = "auto" } }
  return called({ limits = limits }, "run_command", {
    command = command:format(folder, kind, math.ceil(FLOOD / #block), kind, vim.fn.shellescape(last)),
  }, true)
end

local PATTERNS = { "password=%S+", "AKIA[%u%d]+", "token: *%w+" }
local LINE = "2026-03-01 10:11:12.345 [INFO] worker-3: request 17 took 31 ms, key=value retried"

--- A call that is cancelled after a while, with its background child.
local function cancelled(done)
  local session = assert(abridge.session { run_dir = folder .. "/run" })
  local job = session:call("run_command", { command = "sleep 9 & yes | head -c 1000000; wait" }, {
    on_done = function()
      done()
      vim.schedule(function()
        session:close()
      end)
    end,
  })
  vim.defer_fn(function()
    job:cancel()
  end, 100)
end

--- A body of 16 MB from our own server, under limits that keep its end.
local function fetched(done)
  local chunk = (LINE .. "\n"):rep(700)
  local server = assert(web_server.new(function(connection)
    local left = 16 * MB / #chunk
    local function pour()
      left = left - 1
      if left > 0 then
        connection:send(chunk, pour)
      else
        connection:close()
      end
    end
    connection:send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", pour)
  end))
  local limits = { web_fetch = { strategy = "tail", max_bytes = "100KB" } }
  local session = assert(abridge.session { run_dir = false, allow_private = true, limits = limits, redact = PATTERNS })
  session:call("web_fetch", { url = server:url "/" }, {
    on_done = function(result)
      done(result)
      server:close()
      vim.schedule(function()
        session:close()
      end)
    end,
  })
end

local function cases()
  local flood = ("yes '%s' | head -c %d"):format(LINE, FLOOD)
  local function cut(bytes, line)
    return called({}, "run_command", { command = ("%s | head -c %d"):format(line, bytes) })
  end
  local log = folder .. "/log"
  shell(("yes '%s' | head -c %d > log; echo 'at the end' >> log"):format(LINE, 2 * FLOOD))
  shell(("mkdir many && cd many && seq -f 'Some_file_%%06.0f.lua' %d | xargs touch"):format(ENTRIES))
  local many = folder .. "/many"
  return {
    {
      "nothing",
      function(done)
        vim.defer_fn(done, 300)
      end,
    },
    { ("run_command, %d MB of short lines"):format(FLOOD / MB), cut(FLOOD, "seq 99999999") },
    { "the same, hits", cut(FLOOD, "yes 'error: no'") },
    { "the same, ordinary lines", called({}, "run_command", { command = flood }) },
    { "the same, one long line", cut(FLOOD, "yes 'error: no' | tr -d '\\n'") },
    { "the same, empty lines", cut(FLOOD, "yes ''") },
    { "the same, escape codes", cut(FLOOD, "yes \"$(printf '\\033[31mred\\033[0m \\033[1A\\033[2Kx')\"") },
    { "a quarter of it, bytes that are no text", cut(FLOOD / 4, "cat /dev/urandom") },
    { "ordinary lines, redacted, with updates", called({ redact = PATTERNS }, "run_command", { command = flood }) },
    {
      "ordinary lines, redacted by a function",
      called({
        redact = function(line)
          return (line:gsub("key=%S+", "key"))
        end,
      }, "run_command", { command = flood }),
    },
    {
      ("read_file, the last lines of %d MB"):format(2 * FLOOD / MB),
      called({}, "read_file", { path = log, offset = math.floor(2 * FLOOD / (#LINE + 1)) - 5 }),
    },
    { "the same, redacted", called({ redact = PATTERNS }, "read_file", { path = log, offset = 5 }) },
    { "the same, max_chars", called({ limits = { read_file = { max_chars = 5000 } } }, "read_file", { path = log }) },
    { ("list_directory, %d entries"):format(ENTRIES), called({}, "list_directory", { path = many }) },
    { "the same, all of them", called({}, "list_directory", { path = many, limit = ENTRIES }) },
    { "the same, redacted", called({ redact = PATTERNS }, "list_directory", { path = many }) },
    {
      ("find_files, %d files, the last"):format(ENTRIES),
      called({}, "find_files", { path = many, pattern = "*", offset = ENTRIES - 10 }),
    },
    {
      "search_files, the 500,000th match",
      called({}, "search_files", { path = log, pattern = "INFO", offset = 500000 }),
    },
    { "the same, a match at the end", called({}, "search_files", { path = log, pattern = "at the end" }) },
    { "web_fetch, 16 MB, redacted, for their end", fetched },
    { "run_command, cancelled", cancelled },
    { ("run_command, %d MB of JSON, with updates"):format(FLOOD / MB), printing "json" },
    { "the same, JSON lines", printing "json_lines" },
    { "the same, CSV", printing "table" },
    { "the same, a diff", printing "diff" },
    { "the same, source", printing "text" },
    { "the same, a log", printing "log" },
    { "the same, a binary", printing "binary" },
    {
      "session:cap, 20 MB, which blocks",
      function(done)
        local session = abridge.session { run_dir = folder .. "/run" }
        session:cap("some_tool", (LINE .. "\n"):rep(20 * MB / #LINE))
        session:close()
        done()
      end,
    },
  }
end

local function run()
  local only = os.getenv "BENCH_ONLY"
  io.stdout:write(("\n%-45s %-20s  %s\n"):format("", "our callbacks, ms", "main loop, ms"))
  io.stdout:write(
    ("%-45s" .. ("%6s %6s %6s  "):rep(2) .. "%9s\n"):format("", "p50", "p99", "max", "p50", "p99", "max", "call, ms")
  )
  for _, case in ipairs(cases()) do
    if not only or case[1]:find(only, 1, true) then
      local ours, loop, took = measure(case[2])
      io.stdout:write(
        ("%-45s" .. ("%6.2f %6.2f %6.2f  "):rep(2) .. "%9.0f\n"):format(
          case[1],
          ours.p50,
          ours.p99,
          ours.max,
          loop.p50,
          loop.p99,
          loop.max,
          took
        )
      )
      io.stdout:flush()
    end
  end
end

local ok, message = pcall(run)
vim.fn.delete(folder, "rf")
if not ok then io.stdout:write(tostring(message), "\n") end
vim.cmd(ok and "qall!" or "cquit 1")
