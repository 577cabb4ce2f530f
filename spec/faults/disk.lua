--- What is written: full outputs, logs, the folders they lie in.

local abridge = require "abridge"
local assert = require "luassert"
local core = require "abridge.core"
local seq = require "support.seq"

--- Write 20,000 lines through a stream that shows 2,000 bytes.
local function streamed(t)
  local s = abridge.stream {
    strategy = "tail",
    max_bytes = 2000,
    full_output = { dir = t.dir:at "full", name = "f.log" },
  }
  local text = seq(1, 20000, "%09d")
  for at = 1, #text, 7777 do
    assert(s:write(text:sub(at, at + 7776)))
  end
  local content, cut = s:finish()
  assert.equal(text:sub(-2000), content)
  assert.equal(20000, cut.total_lines)
  assert.equal(#text, cut.total_bytes)
  return cut, text
end

--- The same under a fault that the full output does not survive.
local function cut_short(t, rules, message, code)
  local cut, text = t.with(rules, function()
    return streamed(t)
  end)
  assert.equal(message, cut.full_output_error)
  assert.equal(code, cut.full_output_code)
  local kept = t.dir:read "full/f.log"
  assert.equal(#(kept or ""), cut.full_output_bytes or 0)
  assert.is_true(text:sub(1, #(kept or "")) == (kept or ""))
  local said = abridge.notice("run_command", cut)
  local sentence = "Full output not kept: " .. message
  if cut.full_output_path then
    local size = abridge.format_size(cut.full_output_bytes)
    sentence = ("Full output incomplete: first %s in %s, %s"):format(size, cut.full_output_path, message)
  end
  assert.equal(sentence .. "]", said:sub(-#sentence - 1))
  return cut
end

local function whole(t, rules)
  local cut, text = t.with(rules, function()
    return streamed(t)
  end)
  assert.is_nil(cut.full_output_error)
  assert.equal(#text, cut.full_output_bytes)
  assert.is_true(text == t.dir:read "full/f.log")
end

--- A session with a log, and what a call of a tool of its host's gives.
local function session_in(t, opts)
  opts = opts or {}
  opts.run_dir = t.dir:at "run"
  return assert(abridge.session(opts))
end

local function events_of(t)
  local run = assert(abridge.open_run(t.dir:at "run"))
  local events = assert(run:events())
  local seqs = {}
  for i, event in ipairs(events) do
    seqs[i] = event.seq
  end
  return table.concat(seqs, " "), run.broken
end

--- No lock is left for the collector to release.
local function opens_at_once(opts)
  collectgarbage "stop"
  local session, message = abridge.session(opts)
  collectgarbage "restart"
  assert(session, message):close()
end

local FULL, LOG = "@*/full/f.log", "@*/events.jsonl"

return {
  {
    "a full output is written a few bytes at a time",
    function(t)
      whole(t, "write" .. FULL .. "=short:5")
    end,
  },
  {
    "a write of the full output is interrupted",
    function(t)
      whole(t, ("write%s#1-3=EINTR;write%s#5=EINTR"):format(FULL, FULL))
    end,
  },
  {
    "a write of the full output fails",
    function(t)
      local cut = cut_short(t, "write" .. FULL .. "#3=EIO", "input/output error", "EIO")
      assert.is_true(cut.full_output_bytes > 0)
    end,
  },
  {
    "a write of the full output would block",
    function(t)
      cut_short(t, "write" .. FULL .. "#3=EAGAIN", "resource temporarily unavailable", "EAGAIN")
    end,
  },
  {
    "the disk fills up in the midst of a write",
    function(t)
      local rules = ("write%s#3=short:100;write%s#4-=ENOSPC"):format(FULL, FULL)
      cut_short(t, rules, "no space left on device", "ENOSPC")
    end,
  },
  {
    "a write of the full output takes nothing, and says no more",
    function(t)
      cut_short(t, "write" .. FULL .. "#3-=short:0", "input/output error", "EIO")
    end,
  },
  {
    "the full disk is told when the file is closed",
    function(t)
      local cut = cut_short(t, "close" .. FULL .. "=EDQUOT", "disk quota exceeded", "EDQUOT")
      assert.equal(200000, cut.full_output_bytes)
    end,
  },
  {
    "closing the full output is interrupted",
    function(t)
      whole(t, "close" .. FULL .. "=EINTR")
    end,
  },
  {
    "too many files are open for the full output",
    function(t)
      local cut = cut_short(t, "open@f.log=EMFILE", "too many open files", "EMFILE")
      assert.is_nil(cut.full_output_path)
    end,
  },
  {
    "opening the full output is interrupted",
    function(t)
      whole(t, "open@f.log#1=EINTR;open@*/full#1=EINTR")
    end,
  },
  {
    "there is no room for the folder of the full output",
    function(t)
      cut_short(t, "mkdir@*/full=ENOSPC", "no space left on device", "ENOSPC")
    end,
  },
  {
    "a folder that is there cannot be made, for its disk is read only",
    function(t)
      t.dir:sh "mkdir -m 700 full"
      whole(t, "mkdir=EROFS")
    end,
  },
  {
    "a command's full output cannot be written to its end",
    function(t)
      local few = session_in(t, { limits = { run_command = { output = "auto" } } })
      local shown = t.with("write@*/artifacts/*#1-=EIO", function()
        return few:call("run_command", { command = "seq 10000" })
      end)
      few:close()
      assert.is_true(#shown.content > 8000) -- no success with its full output: not 512 bytes of it
      t.dir:sh "rm -r run"
      local session = session_in(t)
      local result = t.with("write@*/artifacts/*#4-=EIO", function()
        return session:call("run_command", { command = "seq 100000" })
      end)
      local cut = result.details.cut
      assert.is_false(result.is_error)
      local want = ("Full output incomplete: first %s in %s, input/output error]"):format(
        abridge.format_size(cut.full_output_bytes),
        cut.full_output_path
      )
      assert.equal(want, result.content:sub(-#want))
      assert.equal(100000, cut.total_lines)
      session:close()
      local run = assert(abridge.open_run(t.dir:at "run"))
      local kept = run:events({ type = "tool_result" })[1].full_output
      assert.same({ "input/output error", cut.full_output_bytes }, { kept.error, kept.bytes })
    end,
  },
  {
    "a write of the log comes short",
    function(t)
      local session = session_in(t)
      t.with("write" .. LOG .. "=short:11", function()
        assert.is_nil((session:cap("tool", "text").details or {}).log_error)
      end)
      session:close()
      assert.same({ "1 2", 0 }, { events_of(t) })
    end,
  },
  {
    "a write of the log fails, and the next ones do not",
    function(t)
      local session = session_in(t)
      local result = t.with(("write%s#2=short:11;write%s#3=ENOSPC"):format(LOG, LOG), function()
        return session:cap("tool", "first")
      end)
      assert.equal("first", result.content)
      assert.equal(t.dir:at "run/events.jsonl" .. ": no space left on device", result.details.log_error)
      assert.is_nil((session:cap("tool", "second").details or {}).log_error)
      session:close()
      assert.same({ "1 3 4", 0 }, { events_of(t) })
    end,
  },
  {
    "half an event cannot be taken back from the log",
    function(t)
      local session = session_in(t)
      local rules = ("write%s#2=short:11;write%s#3=EIO;ftruncate%s=EIO"):format(LOG, LOG, LOG)
      local message = t.dir:at "run/events.jsonl" .. ": input/output error"
      t.with(rules, function()
        assert.equal(message, session:cap("tool", "first").details.log_error)
      end)
      assert.is_nil((session:cap("tool", "second").details or {}).log_error)
      assert.same({ "1 3 4", 0 }, { events_of(t) })
      t.with(rules, function()
        assert.equal(message, session:cap("tool", "third").details.log_error)
      end)
      t.with("ftruncate" .. LOG .. "=EIO", function()
        assert.is_nil((session:cap("tool", "fourth").details or {}).log_error)
      end)
      assert.same({ "1 3 4 5 7 8", 1 }, { events_of(t) })
      session:close()
    end,
  },
  {
    "the folder of a run is removed under its session",
    function(t)
      local session = session_in(t)
      session:cap("tool", "first")
      t.dir:sh "rm -rf run"
      local result = session:call("run_command", { command = "seq 5000" })
      assert.equal(5000, result.details.cut.total_lines)
      assert.equal(t.dir:at "run/events.jsonl" .. ": no such file or directory", result.details.log_error)
      assert.is_true(t.dir:read("run/artifacts/0002-run_command.log"):find "\n5000\n$" ~= nil)
      assert.equal(t.dir:at "run/artifacts/0002-run_command.log", result.details.full_output_path)
      session:close()
    end,
  },
  {
    "a log that is reopened is read a few bytes at a time",
    function(t)
      local session = session_in(t)
      for i = 1, 20 do
        session:cap("tool", ("%d\n"):format(i):rep(100))
      end
      session:close()
      t.with("pread" .. LOG .. "=short:100", function()
        session = session_in(t)
      end)
      session:cap("tool", "last")
      session:close()
      local seqs, broken = events_of(t)
      assert.equal(0, broken)
      assert.equal("1 2 3", seqs:sub(1, 5))
      assert.equal("40 41 42", seqs:sub(-8))
    end,
  },
  {
    "reading a log that is reopened is interrupted",
    function(t)
      local session = session_in(t)
      session:cap("tool", "first")
      session:close()
      t.with("pread" .. LOG .. "#1-2=EINTR;ftruncate" .. LOG .. "#1=EINTR", function()
        session = session_in(t)
      end)
      session:cap("tool", "second")
      session:close()
      assert.same({ "1 2 3 4", 0 }, { events_of(t) })
    end,
  },
  {
    "a log that is reopened cannot be read",
    function(t)
      local session = session_in(t)
      session:cap("tool", "first")
      session:close()
      collectgarbage()
      collectgarbage "stop"
      local message, code, _
      _, message, code = t.with("pread>100000" .. LOG .. "=EIO", function()
        return abridge.session { run_dir = t.dir:at "run" }
      end)
      assert.same({ "EIO: i/o error: " .. t.dir:at "run/events.jsonl", "EIO" }, { message, code })
      opens_at_once { run_dir = t.dir:at "run" }
      assert.same({ "1 2", 0 }, { events_of(t) })
    end,
  },
  {
    "a log cannot be opened",
    function(t)
      local session, message, code = t.with("open@events.jsonl=EMFILE", function()
        return abridge.session { run_dir = t.dir:at "run" }
      end)
      assert.is_nil(session)
      assert.same({ "EMFILE", t.dir:at "run" .. ": too many open files" }, { code, message })
    end,
  },
  {
    "a log cannot be locked",
    function(t)
      local session, message, code = t.with("flock" .. LOG .. "=ENOLCK", function()
        return abridge.session { run_dir = t.dir:at "run" }
      end)
      assert.is_nil(session)
      assert.same({ "ENOLCK", t.dir:at "run" .. ": no locks available" }, { code, message })
    end,
  },
  {
    "a log is deleted while it is locked",
    function(t)
      local log, message, code = t.with("flock" .. LOG .. "#1=remove", function()
        return core.log(t.dir:at "run", "events.jsonl")
      end)
      assert.is_nil(log)
      assert.same({ t.dir:at "run" .. ": another process is writing it", "EBUSY" }, { message, code })
      local session = t.with("flock" .. LOG .. "#1=remove", function()
        return session_in(t)
      end)
      session:cap("tool", "text")
      session:close()
      assert.same({ "1 2", 0 }, { events_of(t) })
    end,
  },
  {
    "an event of a log cannot be read",
    function(t)
      local session = session_in(t)
      session:cap("tool", "first")
      session:close()
      local run = assert(abridge.open_run(t.dir:at "run"))
      local events, message, code = t.with(("pread%s=EIO"):format(LOG), function()
        return run:events()
      end)
      assert.is_nil(events)
      assert.same({ "EIO", "EIO: i/o error: " .. t.dir:at "run/events.jsonl" }, { code, message })
    end,
  },
  {
    "reading a log is interrupted, and comes short",
    function(t)
      local session = session_in(t)
      for i = 1, 20 do
        session:cap("tool", ("%d\n"):format(i):rep(100))
      end
      session:close()
      local seqs, broken = t.with(("pread%s#2-3=EINTR;pread%s=short:100"):format(LOG, LOG), function()
        return events_of(t)
      end)
      assert.equal(0, broken)
      assert.equal("38 39 40", seqs:sub(-8))
    end,
  },
  {
    "a full output is gone, or cannot be read",
    function(t)
      local session = session_in(t)
      local result = session:call("run_command", { command = "seq 5000" })
      local path = result.details.full_output_path
      local content, message, code = t.with("pread@*/artifacts/*=EIO", function()
        return session:full_output(result.call_id)
      end)
      assert.same({ "Cannot read " .. path .. ": input/output error", "EIO" }, { message, code })
      assert(os.remove(path))
      assert.is_nil(content)
      content, message, code = session:full_output(result.call_id)
      assert.is_nil(content)
      assert.same({ "The full output of call-1 is gone: " .. path, "ENOENT" }, { message, code })
      session:close()
    end,
  },
  {
    "an old run cannot be deleted",
    function(t)
      for _, name in ipairs { "a", "b" } do
        local session = assert(abridge.session { run_dir = t.dir:at("runs/" .. name) })
        session:cap("tool", ("x"):rep(50000))
        session:close()
      end
      t.dir:sh "touch -d '2 days ago' runs/a/events.jsonl runs/a/artifacts/*"
      local removed = t.with("unlink@*/runs/a/*=EACCES", function()
        return require("abridge.run.retention").prune(t.dir:at "runs", { max_bytes = 1 })
      end)
      assert.equal(1, removed)
      assert.equal("a\n", (t.dir:sh "ls runs"))
      assert.is_string(t.dir:read "runs/a/events.jsonl")
      opens_at_once { run_dir = t.dir:at "runs/a" }
    end,
  },
  {
    "a text cannot be saved to its end",
    function(t)
      local rules = ("write%s#1=short:10;write%s#2-=ENOSPC"):format(FULL, FULL)
      local path, bytes, message, code = t.with(rules, function()
        return core.save(t.dir:at "full", "f.log", ("x"):rep(100000))
      end)
      assert.same({ t.dir:at "full/f.log", 10, "no space left on device", "ENOSPC" }, { path, bytes, message, code })
      assert.equal(("x"):rep(10), t.dir:read "full/f.log")
    end,
  },
}
