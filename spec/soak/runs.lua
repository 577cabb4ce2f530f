--- The part of `make soak` with other processes: gigabytes through run_command in bounded memory, with exact totals and
--- the full output complete, and on one line; and a host killed in the middle of a run, again and again.
local abridge = require "abridge"
local frame = require "soak.frame"
local killed_host = require "support.killed_host"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local uv = require("abridge.base.host").uv()
local q = tmpdir.quote
local check = frame.check

local M = {}

local MB, GB = 1024 ^ 2, 1024 ^ 3
local GROWTH = 8 * 1024 -- KiB that resident memory may grow by

local dir

--- Free bytes on the disk of a folder, or nil.
local function free_bytes(path)
  local kib = dir:sh("df -Pk " .. q(path) .. " | awk 'NR == 2 { print $4 }'")
  return tonumber(kib) and tonumber(kib) * 1024
end

--- Calls a command and watches the memory while it runs.
local function watched(session, command)
  local most = 0
  local function look()
    most = math.max(most, frame.resident() or 0)
  end
  local job = session:call("run_command", { command = command, timeout = 3600 }, { on_update = look })
  return job:wait(), most
end

-- gigabytes ---------------------------------------------------------------------------

local LINE = "a line of some command that prints without end, as builds do\n"

local function check_big(session, result, bytes, print_it, run_dir)
  local lines = math.ceil(bytes / #LINE)
  local cut, content = result.details.cut, result.content
  check(not result.is_error, "%s", content:sub(-200))
  check(cut.total_bytes == bytes, "%.0f bytes, not %.0f", cut.total_bytes, bytes)
  check(cut.total_lines == lines, "%.0f lines, not %.0f", cut.total_lines, lines)
  check(#content <= 30720, "the content has %d bytes", #content)
  local last = LINE:rep(2000):sub(1, bytes % #LINE == 0 and -1 or bytes % #LINE - #LINE - 1)
  local body = content:sub(1, result.truncation.bytes_returned)
  local tail = body:match "omitted%] %.%.%.\n(.*)$" or body -- after the gap, where both ends are kept
  check(#tail > #LINE and last:sub(-#tail) == tail, "the content does not end as the output does")

  local path = result.details.full_output_path
  if run_dir then
    check(path ~= nil, "there is no full output: %s", tostring(cut.full_output_error))
    check(cut.full_output_bytes == bytes, "%s bytes on disk, not %.0f", tostring(cut.full_output_bytes), bytes)
    local same = ("%s | cmp -s - %s && echo same"):format(print_it:format(bytes), q(path or ""))
    check(dir:sh(same) == "same\n", "the full output is not what was printed")
    local page, info = session:full_output(result.call_id, { offset = lines - 1, limit = 1 })
    check(page == LINE:sub(1, -2), "line %.0f is %q", lines - 1, tostring(page))
    check(page and info.total_lines == lines, "%.0f lines in the full output", page and info.total_lines or 0)
    dir:sh("rm -f " .. q(path or ""))
  else
    check(path == nil, "something was written: %s", tostring(path))
  end
end

local function big(title, bytes, run_dir, redact)
  local session = assert(abridge.session { run_dir = run_dir, redact = redact, cwd = dir.path })
  local print_it = ("yes %s | head -c %s"):format(q(LINE:sub(1, -2)), "%.0f")
  local most = 0
  frame.measure {
    what = title,
    growth = GROWTH,
    warm = function()
      session:call("run_command", { command = print_it:format(64 * MB) }) -- buffers have their size now
    end,
    work = function()
      local result
      result, most = watched(session, print_it:format(bytes))
      check_big(session, result, bytes, print_it, run_dir)
      return abridge.format_size(bytes)
    end,
    look = function()
      return most
    end,
  }
  session:close()
end

local function check_line(result, bytes)
  local cut, content = result.details.cut, result.content
  check(not result.is_error, "%s", content:sub(-200))
  check(cut.total_bytes == bytes, "%.0f bytes, not %.0f", cut.total_bytes, bytes)
  check(cut.total_lines == 1, "%.0f lines", cut.total_lines)
  check(#content <= 30720, "the content has %d bytes", #content)
  check(content:sub(1, result.truncation.bytes_returned):sub(-4) == "xEND", "the end of the line is not shown")
end

--- One line, whose last part shows.
local function one_line(profile, bytes)
  local session = assert(abridge.session { run_dir = false, profile = profile, cwd = dir.path })
  local print_it = "head -c %.0f /dev/zero | tr '\\0' x; printf END"
  local most = 0
  frame.measure {
    what = "run_command, one line, " .. profile,
    growth = GROWTH,
    warm = function()
      session:call("run_command", { command = print_it:format(64 * MB) }) -- buffers have their size now
    end,
    work = function()
      local result
      result, most = watched(session, print_it:format(bytes))
      check_line(result, bytes + #"END")
      return abridge.format_size(bytes)
    end,
    look = function()
      return most
    end,
  }
  session:close()
end

-- kills -------------------------------------------------------------------------------

local function kill_hosts(kills)
  local script, run_dir = dir:write("talker.lua", killed_host.script), dir:at "killed"
  local before, acknowledged, torn = 0, 0, 0
  random.start(1)
  for turn = 1, kills do
    local argv = { tmpdir.program(), script, run_dir }
    local said, last = killed_host.run(argv, random.between(1, 30), random.below(20))
    check(said ~= nil, "the host ended by itself: %s", last)
    said = said or {}
    local log = io.open(run_dir .. "/events.jsonl", "rb")
    log:seek("end", -1)
    if log:read(1) ~= "\n" then torn = torn + 1 end
    log:close()
    local run = assert(abridge.open_run(run_dir))
    local count, fresh = 0, {} -- what came before this turn was looked at in its own
    assert(run:each(function(event)
      count = count + 1
      check(event.seq == count, "kill %d: event %d has the number %s", turn, count, tostring(event.seq))
      if count > before then fresh[#fresh + 1] = event end
    end))
    check(run.broken == 0, "kill %d: %d broken lines", turn, run.broken)
    for i, line in ipairs(said) do
      local event = fresh[i]
      local there = event and killed_host.line_of(event)
      check(there == line, "kill %d: acknowledged and lost: %s", turn, line)
    end
    for _, event in ipairs(fresh) do
      local kept = event.full_output
      local stat = kept and uv.fs_stat(run_dir .. "/" .. kept.path)
      local whole = not kept or stat and stat.size == kept.bytes
      check(whole, "kill %d: the full output of event %d is not whole", turn, event.seq)
    end
    before, acknowledged = count, acknowledged + #said
  end
  local figures = "%d kills, %d events"
  print(("  %d acknowledged, %d torn lines left out (ABRIDGE_SEED=%.0f)"):format(acknowledged, torn, random.seed))
  return figures:format(kills, before)
end

-- all ---------------------------------------------------------------------------------

--- Run it all in a folder.
---@param in_dir table of tmpdir
function M.run(in_dir)
  dir = in_dir
  local bytes = frame.share(3 * GB, 4 * MB)
  big("run_command, run_dir=false", bytes, false)
  local free = free_bytes(dir.path)
  if free and free >= 2.5 * bytes then
    big("run_command, run_dir", bytes, dir:at "run")
    big("run_command, redacted", bytes, dir:at "redacted", { "hunter%d+", "[Kk]ey=%S+" })
  else
    print(("run_command, run_dir: left out, %s free"):format(free and abridge.format_size(free) or "nothing known"))
  end
  local line_bytes = frame.share(10 * GB, 4 * MB)
  one_line("pi", line_bytes)
  one_line("default", line_bytes)
  frame.measure {
    what = "hosts killed in a run",
    growth = GROWTH,
    warm = function() end,
    work = function()
      return kill_hosts(frame.share(50, 2))
    end,
  }
end

return M
