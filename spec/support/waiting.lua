--- Waiting for something to happen, in specs that get no event for it.

local host = require "abridge.base.host"

local M = {}

local SECONDS = 30 -- until a wait is given up: no measure of anything, a busy machine is slow

--- Turn the loop until `predicate()`, also when nothing else is alive in it: whether it became true.
---@param predicate fun(): boolean
function M.eventually(predicate)
  local uv = host.uv()
  local tick = uv.new_timer()
  uv.timer_start(tick, 1, 1, function() end)
  local done = host.wait(predicate, SECONDS)
  uv.close(tick)
  host.pump()
  return done
end

--- For what a program must have done within its time, however busy the machine is: call `try` with `seconds`, then with
--- four times as many and so on, until its second result says that this was enough. Returns the last first result.
---@param seconds number
---@param try fun(seconds: number): any, boolean
function M.with_time(seconds, try)
  local result, enough
  for _ = 1, 4 do
    result, enough = try(seconds)
    if enough then break end
    seconds = seconds * 4
  end
  return result
end

--- Call `fn` from the event loop, `ms` from now.
function M.later(ms, fn)
  local uv = host.uv()
  local timer = uv.new_timer()
  uv.timer_start(timer, ms, 0, function()
    uv.close(timer)
    fn()
  end)
end

return M
