-- `make soak`: what takes too long for the suite. Gigabytes through streams and commands, a hundred thousand calls, a
-- thousand runs, a million blocks, hosts that are killed: totals exact, memory, descriptors and processes as before.
--
--   SOAK=0.01        a hundredth of everything
--   ABRIDGE_SEED=n   repeats the moments of the kills
--
-- Prints a table of figures; ends with status 1 when one of them is wrong.
local abridge = require "abridge"
local frame = require "soak.frame"
local tmpdir = require "support.tmpdir"

local check, share = frame.check, frame.share

local GB, MB = 1024 ^ 3, 1024 ^ 2
local dir = tmpdir.new()

-- streams -----------------------------------------------------------------------------

--- A line of the log; each has its number, so that the end can be told from any other place.
local function line(i)
  return ("%012d worker-%d \195\169 request took %d ms \255\n"):format(i, i % 10, i % 10)
end

local PER_CHUNK = 1500

--- Write lines of `size` bytes, in chunks that end anywhere; returns how many lines, and their bytes.
local function flow(stream, size)
  local width = #line(0)
  local count = math.floor(size / width)
  local middle = line(0):rep(PER_CHUNK) -- made once: this is about the stream, not about string.format
  local done = PER_CHUNK
  for i = 1, PER_CHUNK do
    assert(stream:write(line(i)))
  end
  while count - done > 2 * PER_CHUNK do
    local split = done % #middle
    assert(stream:write(middle:sub(1, split)))
    assert(stream:write(middle:sub(split + 1)))
    done = done + PER_CHUNK
  end
  for i = done + 1, count do
    assert(stream:write(line(i)))
  end
  return count, count * width
end

--- Lines as a stream with utf8 = "replace" shows them.
local function shown_lines(first, last)
  local all = {}
  for i = first, last do
    all[#all + 1] = line(i):gsub("\255", "\239\191\189")
  end
  return table.concat(all)
end

local function check_stream(strategy, content, cut, lines, bytes)
  local kept = cut.kept
  local first, last = kept[1], kept[#kept]
  check(cut.total_bytes == bytes, "%s: total_bytes %.0f, not %.0f", strategy, cut.total_bytes, bytes)
  check(cut.total_lines == lines, "%s: total_lines %.0f, not %.0f", strategy, cut.total_lines, lines)
  check(cut.omitted_bytes + cut.output_bytes == bytes, "%s: omitted_bytes", strategy)
  check(cut.omitted_lines + cut.output_lines == lines, "%s: omitted_lines", strategy)
  check(#content <= 30720 and #content > 29000, "%s: the content has %d bytes", strategy, #content)
  if strategy ~= "tail" then
    check(first.first_byte == 1 and first.first_line == 1, "%s: the start of the ledger", strategy)
    local text = shown_lines(1, first.last_line):sub(1, -2)
    check(content:sub(1, #text) == text, "%s: the start of the content", strategy)
  end
  if strategy ~= "head" then
    check(last.last_byte == bytes and last.last_line == lines, "%s: the end of the ledger", strategy)
    local text = shown_lines(last.first_line + 1, lines)
    check(content:sub(-#text) == text, "%s: the end of the content", strategy)
  end
end

local function streams()
  local size = share(10 * GB, 4 * MB)
  for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
    local opts = { strategy = strategy, max_lines = 2000, max_bytes = "30KB", utf8 = "replace" }
    frame.measure {
      what = "stream, " .. strategy,
      growth = 4 * 1024,
      warm = function()
        local stream = abridge.stream(opts)
        flow(stream, math.min(size, 64 * MB))
        stream:finish()
        stream:close()
      end,
      work = function()
        local stream = abridge.stream(opts)
        local lines, bytes = flow(stream, size)
        local _, snapshot_cut = stream:snapshot()
        local content, cut = stream:finish()
        stream:close()
        check(snapshot_cut.total_bytes == bytes, "%s: the snapshot", strategy)
        check_stream(strategy, content, cut, lines, bytes)
        return ("%s, %.0f lines"):format(abridge.format_size(bytes), lines)
      end,
    }
  end
end

-- blocks ------------------------------------------------------------------------------

local function blocks()
  local info = abridge.info
  local function some(first, last)
    for i = first, last do
      local hint = ('call read_file with offset=%d \255"\n'):format(i)
      local made = info.with_resume(i, 2 ^ 53 - i, i, hint, "line_cap")
      local parsed = info.parse(made:to_json())
      local right = parsed.bytes_returned == i and parsed.bytes_total == 2 ^ 53 - i and parsed.next_offset == i
      check(right and parsed:to_json() == made:to_json(), "block %d: %s", i, made:to_json())
    end
  end
  local count = share(1e6)
  frame.measure {
    what = "blocks built, printed, parsed",
    growth = 2 * 1024,
    warm = function()
      some(1, math.min(count, 20000))
    end,
    work = function()
      some(1, count)
      return ("%d blocks"):format(count)
    end,
  }
end

-- calls -------------------------------------------------------------------------------

local LONG = ("a line of a tool of the host's\n"):rep(2000)
local SHOWN_BYTES = 30720

--- What is called one after the other: a tool, its input, and what its result must be. Every hundredth call starts a
--- process, every hundredth keeps a full output.
local function plan()
  dir:write("page.txt", ("%d\n"):rep(50):gsub("%%d", "line"))
  local cheap = {
    { "read_file", { path = "page.txt", offset = 20, limit = 5 }, "^line\n.*26 more lines in file" },
    { "list_directory", { path = "." }, "page%.txt" },
    { "mine", '{"text":"short"}', "^short$" },
    { "mine", { text = 5 }, "^Invalid input: text must be a string, got 5$" },
    { "read_file", { path = "missing" }, "^No such file or directory: missing$" },
    { "nobody", {}, "^Unknown tool: nobody$" },
    { "raises", {}, "^it raised$" },
    { "later", {}, "^later$" },
  }
  local dear = {
    { "run_command", { command = "echo out; echo err >&2; exit 3" }, "^out\nerr\n\nCommand exited with code 3$" },
    { "mine", { text = LONG }, "^a line .*%[Showing " },
    { "run_command", { command = "seq 20000" }, "\n20000\n\n%[Showing " },
    { "mine", { text = LONG }, "^a line .*%[Showing " },
    { "find_files", { pattern = "*.txt" }, "^page%.txt$" },
    { "search_files", { pattern = "line", limit = 2 }, "^page%.txt:1: line\npage%.txt:2: line\n" },
  }
  return function(i)
    if i % 50 == 0 then return dear[i / 50 % #dear + 1] end
    return cheap[i % #cheap + 1]
  end
end

local function new_session(run_dir)
  local session = assert(abridge.session { run_dir = run_dir, cwd = dir:at "work" })
  session:register {
    name = "mine",
    input_schema = { type = "object", properties = { text = { type = "string" } } },
    execute = function(input)
      return { content = input.text, details = { bytes = #input.text } }
    end,
  }
  session:register {
    name = "raises",
    execute = function()
      error("it raised", 0)
    end,
  }
  session:register {
    name = "later",
    execute = function(_, _, done)
      done "later"
    end,
  }
  return session
end

local function calls(title, run_dir)
  dir:sh "mkdir -p work"
  local call = plan()
  dir:sh "mv page.txt work/"
  local session = new_session(run_dir)
  local made, kept = 0, 0
  local function some(count)
    for _ = 1, count do
      made = made + 1
      local tool, input, expected = (table.unpack or unpack)(call(made))
      local result = session:call(tool, input)
      check(result.content:find(expected) ~= nil, "%s, call %d: %s", tool, made, result.content:sub(1, 200))
      check(#result.content <= SHOWN_BYTES, "%s, call %d: %d bytes", tool, made, #result.content)
      if result.details and result.details.full_output_path then kept = kept + 1 end
      check(not (result.details and result.details.log_error), "call %d was not logged", made)
    end
  end
  local count = share(50000, 600)
  frame.measure {
    what = title,
    growth = 8 * 1024,
    warm = function()
      some(math.max(math.floor(count / 10), 300))
    end,
    work = function()
      some(count)
      return ("%d calls"):format(count)
    end,
  }
  if run_dir then
    local seen, results, outputs = 0, 0, 0
    local run = assert(abridge.open_run(run_dir))
    assert(run:each(function(event)
      seen = seen + 1
      check(event.seq == seen, "event %d has the number %s", seen, tostring(event.seq))
      if event.type == "tool_result" then results = results + 1 end
      if event.full_output then outputs = outputs + 1 end
    end))
    check(run.broken == 0 and seen == 2 * made and results == made, "%d events of %d calls", seen, made)
    check(outputs == kept and kept > 0, "%d full outputs in the log, %d kept", outputs, kept)
    local _, _, files = dir:sh(("test $(ls %s/artifacts | wc -l) -eq %d"):format(tmpdir.quote(run_dir), kept))
    check(files == 0, "not %d files in artifacts", kept)
  end
  session:close()
end

-- runs --------------------------------------------------------------------------------

local function runs()
  local parent = dir:at "runs"
  local most = 4 * MB
  local made = 0
  local function names()
    local out = dir:sh "ls -A runs | wc -l; cat runs/*/events.jsonl runs/*/artifacts/* | wc -c"
    local count, bytes = out:match "(%d+)%s+(%d+)"
    return tonumber(count), tonumber(bytes)
  end
  local function one()
    made = made + 1
    local path = ("%s/run-%06d"):format(parent, made)
    for turn = 1, 2 do
      local session = assert(abridge.session { run_dir = path, retention = { max_bytes = most } })
      local result = session:cap("tool", LONG)
      check(result.call_id == "call-" .. (2 * turn - 1), "run %d: %s", made, result.call_id)
      check(session:full_output(result.call_id, { offset = 2000 }) == LONG:match "[^\n]*\n", "run %d: its page", made)
      session:cap("tool", "short")
      check(#session:events() == 4 * turn, "run %d: its events", made)
      session:close()
    end
  end
  local count = share(1000, 20)
  frame.measure {
    what = "runs, opened twice and pruned",
    growth = 4 * 1024,
    warm = function()
      for _ = 1, math.min(count, 50) do
        one()
      end
    end,
    work = function()
      for _ = 1, count do
        one()
      end
      return ("%d runs"):format(count)
    end,
  }
  local left, bytes = names()
  local of_one = 2 * #LONG
  check(bytes <= most + of_one + 80000, "%d bytes are left, over %d", bytes, most)
  check(left >= math.min(made, 15) and left <= most / of_one + 2, "%d runs are left of %d", left, made)
  local last = assert(abridge.open_run(("%s/run-%06d"):format(parent, made)))
  check(#last:events() == 8, "the last run is whole")
end

-- all ---------------------------------------------------------------------------------

local function main()
  if not frame.resident() then print "there is no /proc here: neither memory nor processes are measured" end
  streams()
  blocks()
  calls("calls, run_dir=false", false)
  calls("calls, run_dir", dir:at "calls")
  runs()
  require("soak.runs").run(dir)
end

local ok, message = xpcall(main, debug.traceback)
dir:remove()
if not ok then print(message) end
os.exit(frame.finish() and ok and 0 or 1)
