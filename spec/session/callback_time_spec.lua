-- No callback of ours takes over 8 ms on account of output, whatever its lines cost: by a clock that only they move, so
-- that a busy machine changes nothing.
local abridge = require "abridge"
local host = require "abridge.base.host"
local main_loop = require "support.main_loop"
local process = require "abridge.process"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local MB = 1024 * 1024
local MOST_MS = 8

if not host.uv() then return end

describe("a callback #few", function()
  local clock, real_now, stop, dir

  before_each(function()
    clock, real_now, dir = 0, host.now, tmpdir.new()
    host.now = function()
      return clock
    end
    stop = main_loop.time_callbacks(function()
      return clock * 1e6
    end)
  end)

  after_each(function()
    host.now = real_now
    if stop then stop() end
    dir:remove()
  end)

  local function longest()
    local told = stop()
    stop = nil
    assert.is_true(told.count > 0)
    return told.max
  end

  --- A reader that takes so many ms a MB.
  local function reader(cost, seen)
    return function(fd, most)
      local chunk, message, code = host.uv().fs_read(fd, most, -1)
      if not chunk then return nil, message, code end
      seen.bytes = seen.bytes + #chunk
      clock = clock + #chunk * cost / MB
      return #chunk
    end
  end

  local function ended(child)
    assert.is_true(waiting.eventually(function()
      return child:is_done()
    end))
  end

  it("reads a pipe for a few milliseconds, whatever that costs", function()
    for _, cost in ipairs { 0, 2, 30, 100, 400 } do
      local seen = { bytes = 0 }
      local child = assert(process.spawn({ "head", "-c", "3000000", "/dev/zero" }, {}, {
        read_output = reader(cost, seen),
      }))
      ended(child)
      assert.equal(3000000, seen.bytes)
    end
    local most = longest()
    assert.is_true(most <= MOST_MS, most)
  end)

  it("takes a part of a chunk where its handler is slow", function()
    local parts = {}
    local child = assert(process.spawn({ "sh", "-c", "seq 400000" }, {}, {
      on_output = function(chunk)
        parts[#parts + 1] = chunk
        clock = clock + #chunk * 100 / MB
      end,
    }))
    ended(child)
    local numbers = {}
    for i = 1, 400000 do
      numbers[i] = i
    end
    assert.is_true(table.concat(parts) == table.concat(numbers, "\n") .. "\n")
    local most = longest()
    assert.is_true(most <= MOST_MS, most)
  end)

  it("takes as much of what lies in the pipe when a process has ended", function()
    local seen, outcome = { bytes = 0 }, nil
    local child = assert(process.spawn({ "sh", "-c", "head -c 60000 /dev/zero; sleep 5 & sleep 0.2; exit 3" }, {
      linger = 0,
    }, {
      read_output = reader(400, seen),
      on_exit = function(ending)
        outcome = ending
      end,
    }))
    child:hold()
    ended(child)
    assert.equal(60000, seen.bytes)
    assert.equal(3, outcome.code)
    assert.is_true(outcome.background)
    local most = longest()
    assert.is_true(most <= MOST_MS, most)
  end)

  local LINES = {
    ["short lines"] = "seq 200000",
    ["hits"] = "yes 'error: no' | head -c 1500000",
    ["ordinary lines"] = "yes 'a worker: request 17 took 31 ms, key=value retried' | head -c 1500000",
    ["one long line"] = "head -c 1500000 /dev/zero | tr '\\0' x",
    ["lines that turn short"] = "yes 'a worker: request 17 took 31 ms' | head -c 1500000; yes '' | head -c 300000",
    ["escape codes"] = "yes \"$(printf '\\033[31mred\\033[0m x')\" | head -c 1500000",
  }

  for name, command in pairs(LINES) do
    it("redacts " .. name .. " for a few milliseconds", function()
      local session = abridge.session {
        run_dir = dir:at "run",
        redact = function(line)
          clock = clock + 0.0002 + #line * 3 / MB
          return line
        end,
      }
      local result
      session:call("run_command", { command = command }, {
        on_done = function(done)
          result = done
        end,
      })
      assert.is_true(waiting.eventually(function()
        return result ~= nil
      end))
      session:close()
      assert.is_true(result.details.cut.truncated)
      local most = longest()
      assert.is_true(most <= MOST_MS, most)
    end)
  end

  it("hands an update over, or reads, but not both", function()
    local session, updates =
      abridge.session {
        run_dir = false,
        redact = function(line)
          clock = clock + 0.0002
          return line
        end,
      }, 0
    local result
    session:call("run_command", { command = "seq 300000" }, {
      on_update = function()
        updates, clock = updates + 1, clock + 7
      end,
      on_done = function(done)
        result = done
      end,
    })
    assert.is_true(waiting.eventually(function()
      return result ~= nil
    end))
    session:close()
    assert.is_true(updates > 0)
    local most = longest()
    assert.is_true(most <= MOST_MS, most)
  end)
end)
