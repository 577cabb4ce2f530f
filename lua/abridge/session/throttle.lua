--- A function called at most every so many milliseconds: the first time at once, and always with the newest value.

local host = require "abridge.base.host"
local slices = require "abridge.base.time_slices"

local M = {}

---@class abridge.Throttle
local Throttle = {}
Throttle.__index = Throttle

--- Call `send(value)` with the newest value offered, at most every `ms` milliseconds.
---@param ms number
---@param send fun(value: any)
---@return abridge.Throttle
function M.new(ms, send)
  return setmetatable({ ms = ms, send = send, due = 0 }, Throttle)
end

function Throttle:flush()
  local value = self.value
  self.value = nil
  self.due = host.now() + self.ms
  self.sending = true
  self.send(value)
  self.sending = false
end

function Throttle:flush_waiting()
  self.cancel = nil
  if self.value ~= nil and not self.stopped then self:flush() end
end

--- Hand in a value newer than the one before.
---@param value any
function Throttle:offer(value)
  if self.stopped then return end
  self.value = value
  local left = self.due - host.now()
  local function flush()
    self:flush_waiting()
  end
  if self.cancel then return end
  if left <= 0 and not self.sending then -- `send` may take its time, and offer more
    if not slices.runs() then return host.on_main(flush) end
    self.cancel = host.next_turn(flush) -- this slice is full already
    return
  end
  self.cancel_timer = self.cancel_timer or host.after(left, function()
    self.cancel_timer = nil
    flush()
  end)
end

--- Never call it again.
function Throttle:stop()
  self.stopped = true
  if self.cancel then self.cancel() end
  if self.cancel_timer then self.cancel_timer() end
end

return M
