-- Streams that read a descriptor themselves, and processes whose output is read that way.
local abridge = require "abridge"
local core = require "abridge.core"
local host = require "abridge.base.host"
local numbered = require "support.numbered"
local process = require "abridge.process"
local resources = require "support.resources"
local source = require "abridge.output.source"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local on_linux = resources.has_proc
local TAIL = { strategy = "tail", max_lines = 100, max_bytes = 2000 }

local open -- descriptors to be closed

local function new_pipe()
  local fds = assert(uv.pipe({ nonblock = true }, { nonblock = true }))
  open[fds.read], open[fds.write] = true, true
  return fds
end

local function shut(fd)
  open[fd] = nil
  assert(uv.fs_close(fd))
end

--- Everything that goes through a pipe into a stream, written a piece at a time; `most` as read_fd takes it.
local function pour(stream, text, piece, most)
  local fds = new_pipe()
  for at = 1, #text, piece do
    assert(uv.fs_write(fds.write, text:sub(at, at + piece - 1), -1))
    local n, _, code
    repeat
      n, _, code = stream:read_fd(fds.read, most)
    until not n
    assert.equal("EAGAIN", code)
  end
  shut(fds.write)
  assert.equal(0, stream:read_fd(fds.read, most))
  shut(fds.read)
end

describe("stream:read_fd", function()
  before_each(function()
    open = {}
  end)
  after_each(function()
    for fd in pairs(open) do
      uv.fs_close(fd)
    end
  end)

  it("reads what is there, says when there is nothing now, and tells the end with 0, as often as asked", function()
    local stream, fds = abridge.stream(TAIL), new_pipe()
    assert.same({ nil, "stream:read_fd: resource temporarily unavailable", "EAGAIN" }, { stream:read_fd(fds.read) })
    uv.fs_write(fds.write, "one\ntw", -1)
    assert.equal(6, stream:read_fd(fds.read))
    assert.equal("EAGAIN", select(3, stream:read_fd(fds.read)))
    assert.equal("one\ntw", (stream:snapshot()))
    uv.fs_write(fds.write, "o\n", -1)
    shut(fds.write)
    assert.equal(2, stream:read_fd(fds.read))
    assert.equal(0, stream:read_fd(fds.read))
    assert.equal(0, stream:read_fd(fds.read))
    local content, cut = stream:finish()
    assert.equal("one\ntwo\n", content)
    assert.equal(8, cut.total_bytes)
  end)

  it("reads no more than asked for", function()
    local stream, fds = abridge.stream(TAIL), new_pipe()
    uv.fs_write(fds.write, ("x"):rep(100), -1)
    assert.equal(30, stream:read_fd(fds.read, 30))
    assert.equal(70, stream:read_fd(fds.read, 2 ^ 53))
  end)

  it("mixes with write, in the order of the calls", function()
    local stream, fds = abridge.stream(TAIL), new_pipe()
    uv.fs_write(fds.write, "b\nd\n", -1)
    stream:write "a\n"
    stream:read_fd(fds.read, 2)
    stream:write "c\n"
    stream:read_fd(fds.read)
    assert.equal("a\nb\nc\nd\n", (stream:finish()))
  end)

  it("gives what write gives, for every strategy, cleaned and redacted", function()
    local text = numbered(3000, "a \27[31mred\27[0m secret\rERROR: \195\169\255")
    for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
      for _, redact in ipairs { false, { "secret" } } do
        for _, clean in ipairs { false, true } do
          local opts = { strategy = strategy, max_bytes = 3000, clean = clean, redact = redact }
          local written, read = abridge.stream(opts), abridge.stream(opts)
          written:write(text)
          pour(read, text, 40000, strategy == "tail" and 999 or nil)
          assert.same({ written:finish() }, { read:finish() })
        end
      end
    end
  end)

  it("keeps the full output", function()
    local dir = tmpdir.new()
    local text = numbered(20000)
    local stream = abridge.stream {
      strategy = "tail",
      max_bytes = 500,
      full_output = { dir = dir:at "out", name = "all.log" },
    }
    pour(stream, text, 50000)
    local _, cut = stream:finish()
    assert.equal(#text, cut.full_output_bytes)
    assert.equal(text, dir:read "out/all.log")
    dir:remove()
  end)

  it("goes through a cleaner in front of it, as Source has it", function()
    local text = ("\27[1mbold\27[0m 10%\r99%\n"):rep(5000)
    local raw = source.open { strategy = "tail", max_bytes = 1000, clean = true }
    pour(raw, text, 30000)
    local content, cut = raw:finish()
    assert.equal(#text, cut.raw_bytes)
    cut.raw_bytes = nil
    assert.same({ abridge.tail((abridge.clean(text)), { max_bytes = 1000 }) }, { content, cut })
  end)

  it("prepares for the file before there is one, not earlier", function()
    local prepared = 0
    local dir = tmpdir.new()
    local one = source.open(
      { strategy = "tail", max_bytes = 1000, full_output = { dir = dir:at "out", name = "all.log" } },
      nil,
      function()
        prepared = prepared + 1
      end
    )
    local fds = new_pipe()
    uv.fs_write(fds.write, ("x"):rep(1000), -1)
    assert.equal(1000, one:read_fd(fds.read))
    assert.equal(0, prepared)
    uv.fs_write(fds.write, ("y"):rep(5000), -1)
    assert.equal(5000, one:read_fd(fds.read))
    assert.equal(1, prepared)
    shut(fds.write)
    assert.equal(0, one:read_fd(fds.read))
    one:finish()
    one:close()
    assert.equal(("x"):rep(1000) .. ("y"):rep(5000), dir:read "out/all.log")
    assert.equal(1, prepared)
    dir:remove()
  end)

  it("tells what the system says, and goes on after it", function()
    local plain, redacted = abridge.stream(TAIL), abridge.stream { strategy = "tail", max_bytes = 9, redact = { "x" } }
    local folder = assert(uv.fs_open("/", "r", 0))
    local fds = new_pipe()
    for _, stream in ipairs { plain, redacted } do
      assert.same({ nil, "stream:read_fd: is a directory", "EISDIR" }, { stream:read_fd(folder) })
      assert.same({ nil, "stream:read_fd: not an open file", "EBADF" }, { stream:read_fd(2 ^ 31 - 1) })
      uv.fs_write(fds.write, "ok", -1)
      assert.equal(2, stream:read_fd(fds.read))
      assert.equal("ok", (stream:finish()))
    end
    uv.fs_close(folder)
    if not on_linux then return end
    local nowhere = assert(uv.fs_open("/proc/self/mem", "r", 0)) -- nothing is mapped at its start
    local stream = abridge.stream(TAIL)
    assert.same({ nil, "stream:read_fd: input/output error", "EIO" }, { stream:read_fd(nowhere) })
    uv.fs_close(nowhere)
  end)

  it("names what is misused", function()
    local plain, redacted = abridge.stream(TAIL), abridge.stream { strategy = "tail", max_bytes = 9, redact = { "x" } }
    local fd = "stream:read_fd: fd must be a file descriptor, an integer from 0 to 2^31-1, got "
    local most = "stream:read_fd: most must be an integer from 1 to 2^53, got "
    for _, stream in ipairs { plain, redacted } do
      local function raises(message, ...)
        local ok, raised = pcall(stream.read_fd, stream, ...)
        assert.is_false(ok)
        assert.equal(message, (raised:gsub("^%S+:%d+: ", "")))
      end
      raises(fd .. "-1", -1)
      raises(fd .. "0.5", 0.5)
      raises(fd .. "2147483648", 2 ^ 31)
      raises(fd .. '"0"', "0")
      raises(fd .. "table", {})
      raises(most .. "0", 0, 0)
      raises(most .. "1.5", 0, 1.5)
      raises(most .. '"1"', 0, "1")
      stream:finish()
      raises("stream:read_fd: the stream is finished", 0)
      stream:close()
      raises("stream:read_fd: the stream is closed", 0)
    end
    assert.has_error(function()
      plain:read_fd()
    end)
  end)
end)

describe("a process whose output is read by a reader", function()
  local function run(script, reader, opts)
    local stream = abridge.stream(TAIL)
    local outcome
    local child = assert(process.spawn({ "sh", "-c", script }, opts or {}, {
      read_output = reader or function(...)
        return stream:read_fd(...)
      end,
      on_exit = function(given)
        outcome = given
      end,
    }))
    assert.is_true(host.wait(function()
      return child:is_done()
    end, 30))
    local content, cut = stream:finish()
    stream:close()
    return content, cut, outcome
  end

  it("has all of it in the stream, in order, when it is said to have ended", function()
    local _, cut, outcome = run "head -c 5000000 /dev/zero | tr '\\0' 'a'; echo; echo end >&2"
    assert.equal(0, outcome.code)
    assert.equal(5000000 + 5, cut.total_bytes)
    assert.equal("last\n", (run "seq 1000; echo last >&2"):sub(-5))
  end)

  it("has what was printed before a timeout, and before a cancel of who prints for ever", function()
    local function printed(command)
      return waiting.with_time(0.1, function(seconds)
        local content, _, outcome = run(command, nil, { timeout = seconds })
        assert.is_true(outcome.timed_out)
        return content, content ~= ""
      end)
    end
    assert.equal("before\n", printed "echo before; sleep 60")
    assert.equal("y\n", printed("yes"):sub(-2))
  end)

  it("leaves a background child that holds the output alone", function()
    local content, _, outcome = run("echo here; sleep 20 & echo $!", nil, { linger = 0.1 })
    assert.is_true(outcome.background)
    local said, pid = content:match "^(%w+)\n(%d+)\n$"
    assert.equal("here", said)
    uv.kill(tonumber(pid), "sigkill")
  end)

  it("ends well when the reader raises: the rest is dropped", function()
    local calls = 0
    local _, _, outcome = run("seq 100000", function()
      calls = calls + 1
      error("no reader", 0)
    end)
    assert.equal(1, calls)
    assert.same({ 0, "no reader" }, { outcome.code, outcome.handler_error })
  end)

  it("tells what the reader met, and goes on only without memory", function()
    local calls = 0
    local function fails(code)
      return function(fd, most)
        calls = calls + 1
        local chunk = core.read_fd(fd, most)
        if chunk == "" then return 0 end
        return nil, "what it met", code
      end
    end
    local _, _, outcome = run("echo a; sleep 0.1; echo b", fails "EIO")
    assert.same({ 1, "EIO" }, { calls, outcome.error })
    calls = 0
    _, _, outcome = run("echo a; sleep 0.1; echo b", fails "ENOMEM")
    assert.is_true(calls > 1)
    assert.equal("what it met", outcome.error)
  end)

  it("keeps stderr apart where asked to", function()
    local said, stream = {}, abridge.stream(TAIL)
    local child = assert(process.spawn({ "sh", "-c", "echo out; echo err >&2" }, { merge_stderr = false }, {
      read_output = function(...)
        return stream:read_fd(...)
      end,
      on_stderr = function(chunk)
        said[#said + 1] = chunk
      end,
    }))
    assert.is_true(host.wait(function()
      return child:is_done()
    end, 30))
    assert.equal("out\n", (stream:finish()))
    assert.equal("err\n", table.concat(said))
  end)

  it("leaves no descriptor behind", function()
    if not on_linux then return end
    run "echo one"
    local before = resources.descriptors()
    for _ = 1, 5 do
      run "echo more"
    end
    assert.is_nil((process.spawn({ "/no/such/program" }, {}, {
      read_output = function()
        return 0
      end,
    })))
    assert.equal(before, resources.descriptors())
  end)
end)

describe("widen_pipe", function()
  it("makes a pipe hold 1 MiB where the system lets it", function()
    open = {}
    local fds = new_pipe()
    local wide = core.widen_pipe(fds.write)
    local written = assert(uv.fs_write(fds.write, ("x"):rep(1024 * 1024), -1))
    assert.equal(wide, written == 1024 * 1024)
    local most = not core.portable and io.open "/proc/sys/fs/pipe-max-size"
    if most then
      assert.equal(most:read "*n" >= 1024 * 1024, wide)
      most:close()
    end
    shut(fds.read)
    shut(fds.write)
    assert.is_false(core.widen_pipe(2 ^ 31 - 1))
  end)
end)

describe("has_no_reader", function()
  it("is true once the other end of a pipe is closed, and false of what is no pipe", function()
    open = {}
    local fds = new_pipe()
    assert.is_false(core.has_no_reader(fds.write))
    assert(uv.fs_write(fds.write, ("x"):rep(100), -1))
    assert.is_false(core.has_no_reader(fds.write))
    shut(fds.read)
    assert.is_true(core.has_no_reader(fds.write))
    shut(fds.write)
    local file = assert(uv.fs_open("spec/core/read_fd_spec.lua", "r", 0))
    assert.is_false(core.has_no_reader(file))
    uv.fs_close(file)
    assert.is_false(core.has_no_reader(2 ^ 31 - 1))
    assert.has_error(function()
      core.has_no_reader(-1)
    end)
  end)

  it("is true though a full pipe would make a write wait", function()
    open = {}
    local fds = new_pipe()
    while uv.fs_write(fds.write, ("x"):rep(4096), -1) == 4096 do
    end
    assert.is_false(core.has_no_reader(fds.write))
    shut(fds.read)
    assert.is_true(core.has_no_reader(fds.write))
    shut(fds.write)
  end)
end)
