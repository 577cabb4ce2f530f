-- Logs that someone has made to take all memory, and files that are swapped while they are opened.
local abridge = require "support.unsaved"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local paths = require "support.paths"
local prune = require("abridge.run.retention").prune
local resources = require "support.resources"
local shell = require "support.shell"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local MEGABYTES = 256 -- of the line that is too long: many times what it may cost

describe("a log with a line that never ends #few", function()
  local dir, run

  before_each(function()
    dir = tmpdir.new()
    run = dir:at "run"
    local session = abridge.session { run_dir = run }
    session:call("run_command", { command = "echo first" })
    session:close()
  end)

  after_each(function()
    dir:remove()
  end)

  --- Bytes of NUL without a newline, which take no room on the disk.
  local function swell()
    local size = uv.fs_stat(run .. "/events.jsonl").size
    dir:sh(("truncate -s %.0f run/events.jsonl"):format(size + MEGABYTES * 1024 * 1024))
  end

  --- The same, followed by an event on a line of its own.
  local function go_on()
    swell()
    dir:sh [[sed -n 2p run/events.jsonl > second; echo >> run/events.jsonl
      sed 's/call-1/call-7/g; s/"seq":2/"seq":9/' second >> run/events.jsonl]]
  end

  --- What `use` gives, in bounded memory.
  local function bounded(use)
    collectgarbage()
    local before = uv.getrusage().maxrss
    local got = { use() }
    assert.is_true(uv.getrusage().maxrss - before < 200 * 1024, "over 200 MB")
    return (table.unpack or unpack)(got, 1, 3)
  end

  it("is read past it, and tells of it", function()
    go_on()
    local opened = assert(abridge.open_run(run))
    local events = bounded(function()
      return opened:events()
    end)
    assert.equal(3, #events)
    assert.same({ 1, 0 }, { opened.too_long, opened.broken })
    assert.equal(
      "first\n",
      bounded(function()
        return (opened:full_output "call-1")
      end)
    )
    assert.equal(
      "first\n",
      bounded(function()
        return (opened:full_output "call-7")
      end)
    )
    local _, message, code = bounded(function()
      return opened:full_output "call-8"
    end)
    assert.equal("No result of call call-8 is in the log; lines of over 32MB were passed over", message)
    assert.equal("ENOENT", code)
    opened:close()
  end)

  it("is read up to it where nothing follows", function()
    swell()
    local opened = assert(abridge.open_run(run))
    assert.equal(2, #bounded(function()
      return opened:events()
    end))
    assert.equal(1, opened.too_long)
    local at = bounded(function()
      return opened:each(function() end)
    end)
    assert.equal(uv.fs_stat(run .. "/events.jsonl").size, at) -- a reader that follows does not read it again
    opened:close()
  end)

  it("is left to whoever shows it, block by block", function()
    swell()
    local opened, blocks = assert(abridge.open_run(run)), 0
    opened:each(function() end, 0, function()
      blocks = blocks + 1
      return blocks < 3
    end)
    assert.equal(3, blocks)
    opened:close()
  end)

  it("is listed by abridge log, which tells of it", function()
    go_on()
    local output, status = shell.try(("ulimit -v 1000000; %s log %s"):format("build/bin/abridge", tmpdir.quote(run)))
    assert.equal(0, status, output)
    assert.truthy(output:find("abridge: 1 line of over 32MB left out", 1, true), output)
    assert.truthy(output:find("call-7", 1, true), output)
  end)

  it("is opened again, and goes on with its numbers", function()
    go_on()
    local session = bounded(function()
      return abridge.session { run_dir = run }
    end)
    assert.equal("call-2", session:call("run_command", { command = "echo more" }).call_id)
    local events = bounded(function()
      return session:events()
    end)
    assert.same({ 5, 10 }, { #events, events[4].seq })
    session:close()
  end)

  it("is no run of ours where it is the first, and retention leaves it alone", function()
    dir:sh(("mkdir -m 700 other; truncate -s %dM other/events.jsonl"):format(MEGABYTES))
    bounded(function()
      prune(dir.path, { max_bytes = 0, max_age = 0 })
    end)
    assert.truthy(uv.fs_stat(dir:at "other/events.jsonl"))
    assert.is_nil(uv.fs_stat(run))
  end)

  it("is never written: an event that is too long is told in a short one", function()
    local session = abridge.session { run_dir = run, limits = { ["*"] = { max_bytes = false } } }
    local long = ("x"):rep(files.LINE)
    local result = session:call("run_command", { command = "true #" .. long })
    assert.is_string(result.content)
    local events = session:events()
    assert.equal("tool_call", events[3].type)
    assert.equal("the event is longer than a line of the log may be (32MB)", events[3].log_error)
    assert.equal("tool_result", events[4].type)
    session:close()
    assert.is_true(#paths.read(run .. "/events.jsonl") < 100000)
  end)
end)

describe("files.open #few", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  it("opens what it has looked at, whatever the path stands for by then", function()
    local path = dir:write("file", "looked at")
    dir:write("other", "swapped in")
    local fstat = uv.fs_fstat
    finally(function()
      uv.fs_fstat = fstat
    end)
    uv.fs_fstat = function(...)
      os.rename(dir:at "other", path)
      return fstat(...)
    end
    local fd, stat = files.open(path)
    assert.equal("looked at", uv.fs_read(fd, 100, 0))
    assert.equal(#"looked at", stat.size)
    uv.fs_close(fd)
  end)

  it("leaves nothing open where it refuses or raises", function()
    dir:sh "mkfifo fifo"
    local path, before = dir:write("file", "x"), resources.descriptors()
    local fd, _, code = files.open(dir:at "fifo")
    assert.is_nil(fd)
    assert.equal("ENOTREG", code)
    local fstat = uv.fs_fstat
    finally(function()
      uv.fs_fstat = fstat
    end)
    uv.fs_fstat = function()
      error("not enough memory", 0)
    end
    assert.has_error(function()
      files.open(path)
    end, "not enough memory")
    assert.equal(before, resources.descriptors())
  end)
end)

-- events that anyone may have written -------------------------------------------------------------------

local HOSTILE = {
  '{"type":"tool_call","call_id":"c","seq":"5","time":1e300,"tool":"t"}',
  '{"type":"tool_call","call_id":"c","seq":1e300,"time":-1e300,"tool":{},"input":{"command":{}}}',
  '{"type":"tool_call","call_id":true,"seq":-1.5,"time":1e17,"tool":null,"input":null}',
  '{"type":"tool_result","call_id":"c","seq":2,"duration_ms":1e308,"bytes_in":1e300,"bytes_shown":1e300,'
    .. '"truncation":{"truncated":true,"reason":{}},"cut":{"output_lines":1e300,"total_lines":"5"}}',
  '{"type":"tool_result","call_id":"c","seq":{},"bytes_shown":-1,"bytes_in":"x","cut":[],"truncation":5}',
  '{"type":"tool_result","call_id":"c","content":"x\\n","cut":{"kept":"x","total_lines":-5},"truncation":'
    .. '{"truncated":true},"full_output":{"path":"artifacts/0001-t.log","error":{}}}',
  '{"type":"tool_result","call_id":"c","content":"x\\n","cut":{"kept":[{"first_byte":0.5,"last_byte":1e300,'
    .. '"first_line":-1,"last_line":2}],"total_lines":1,"total_bytes":1,"output_lines":1,"output_bytes":1},'
    .. '"truncation":{"truncated":true},"full_output":{"path":"artifacts/0001-t.log"}}',
  '{"type":"tool_result","call_id":"c","content":{},"truncation":{"truncated":true},"full_output":{"error":{}}}',
  '{"type":"tool_result","call_id":"c","tool":"' .. ("T"):rep(100000) .. '","full_output":{"path":"/etc/passwd"}}',
  '{"type":"tool_result","call_id":"c","content":"x","truncation":{"truncated":true},'
    .. '"full_output":{"error":"\\u001b[2J\\u202e\\nx"}}',
}

describe("a log that anyone may have written #few", function()
  local dir, run

  before_each(function()
    dir = tmpdir.new()
    dir:sh "mkdir -p run/artifacts; echo kept > run/artifacts/0001-t.log"
    run = dir:at "run"
  end)

  after_each(function()
    dir:remove()
  end)

  it("raises nothing where it is read, and tells sentences alone", function()
    for _, line in ipairs(HOSTILE) do
      dir:write("run/events.jsonl", line .. "\n")
      local opened = assert(abridge.open_run(run))
      assert.equal(1, #opened:events())
      assert.is_true(#opened:events { since = 1 } <= 1)
      local content, page = opened:full_output "c"
      assert.is_true(content == nil or type(content) == "string")
      local said = content and page.full_output_error
      assert.is_true(said == nil or type(said) == "string")
    end
  end)

  it("moves no cursor and fills no screen in the list of its calls", function()
    for _, line in ipairs(HOSTILE) do
      dir:write("run/events.jsonl", line .. "\n")
      for _, words in ipairs { "", " c" } do
        local text = shell.try("build/bin/abridge log " .. tmpdir.quote(run) .. words)
        assert.is_nil(text:find "[%z\1-\9\11-\31]", text)
        assert.is_nil(text:find("\226\128\174", 1, true))
        assert.is_nil(text:find "%.lua:%d")
        for row in text:gmatch "[^\n]+" do
          assert.is_true(#row < 500, row)
        end
      end
    end
  end)

  local vim = rawget(_G, "vim")
  if not (vim and vim.api) then return end

  it("opens in the editor, its rows and its outputs too", function()
    local said, notify = {}, vim.notify
    vim.notify = function(message)
      said[#said + 1] = message
    end -- luacheck: ignore
    local ok, message = pcall(function()
      for _, line in ipairs(HOSTILE) do
        dir:write("run/events.jsonl", line .. "\n")
        local buf = assert(require("abridge.nvim.log").open(run))
        assert.is_true(vim.wait(20000, function()
          return vim.api.nvim_buf_line_count(buf) == 2
        end, 5))
        local rows = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        assert.is_true(#rows[2] < 700, rows[2])
        for _, key in ipairs { "o", "\r" } do
          vim.api.nvim_set_current_win(vim.fn.win_findbuf(buf)[1])
          vim.api.nvim_win_set_cursor(0, { 2, 0 })
          vim.api.nvim_feedkeys(key, "xt", false)
        end
        vim.cmd "silent! only! | enew!"
      end
    end)
    vim.notify = notify -- luacheck: ignore
    assert(ok, message)
    for _, words in ipairs(said) do
      assert.is_nil(words:find "bad argument" or words:find "attempt to" or words:find "%.lua:", words)
    end
  end)
end)
