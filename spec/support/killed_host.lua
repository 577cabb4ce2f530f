--- A host that calls tools in a run until it is killed, for specs that check what is left of it.

local host = require "abridge.base.host"
local process = require "abridge.process"

local M = {}

--- The script of the host, which wants the run's folder as its argument. It prints each event as it hears of it,
--- which is after it was written.
M.script = [[
local abridge = require "abridge"
local opts = { run_dir = arg[1] }
function opts.on_event(event)
  io.stdout:write(("%d %s %s\n"):format(event.seq, event.type, event.call_id))
  io.stdout:flush()
end
local session, message, code
for _ = 1, 2000 do -- a host killed while it forks holds the lock until its child is another program
  session, message, code = abridge.session(opts)
  if session or code ~= "EBUSY" then break end
  require("luv").sleep(5)
end
assert(session, message)
local commands = { "echo short", "seq 3000", "seq 200000", "exit 3" }
local i = 0
while true do
  i = i + 1
  session:cap("tool", ("line %d\n"):rep(i % 3 * 2000))
  if i % 5 == 0 then session:call("run_command", { command = commands[i / 5 % 4 + 1] }) end
end
]]

--- The line that the script prints of an event.
function M.line_of(event)
  return ("%d %s %s"):format(event.seq, event.type, event.call_id)
end

--- Run the script with some command until it has said `wanted` lines, and `ms` more: the lines it said before it was
--- killed; nil and what it said last when it ended by itself.
---@param argv string[]
---@param wanted integer
---@param ms integer
function M.run(argv, wanted, ms)
  local uv = host.uv()
  local said, rest, timer, child, ended = {}, "", nil, nil, nil
  local function kill()
    uv.close(timer)
    uv.kill(child.pid, "sigkill")
  end
  child = assert(process.spawn(argv, { timeout = 60 }, {
    on_output = function(chunk)
      rest = rest .. chunk
      for line in rest:gmatch "([^\n]*)\n" do
        said[#said + 1] = line
      end
      rest = rest:match "[^\n]*$"
      if #said >= wanted and not timer then
        timer = uv.new_timer()
        uv.timer_start(timer, ms, 0, kill)
      end
    end,
    on_exit = function(outcome)
      ended = outcome
    end,
  }))
  host.wait(function()
    return ended ~= nil
  end)
  if ended.signal ~= "KILL" then return nil, table.concat(said, "\n") .. "\n" .. rest end
  return said
end

return M
