--- Updates at most every so many milliseconds: the first at once, the last never lost while more time goes by.

local host = require "abridge.base.host"
local time_slices = require "abridge.base.time_slices"

local M = {}

---@class abridge.Updates
local Updates = {}
Updates.__index = Updates

--- Call `send(source)` with the newest source, at most every `ms` milliseconds.
---@param ms number
---@param send fun(source: any)
---@return abridge.Updates
function M.new(ms, send)
  return setmetatable({ ms = ms, send = send, due = 0 }, Updates)
end

function Updates:flush()
  local source = self.source
  self.source = nil
  self.due = host.now() + self.ms
  self.sending = true
  self.send(source)
  self.sending = false
end

function Updates:flush_what_waits()
  self.cancel = nil
  if self.source ~= nil and not self.stopped then self:flush() end
end

--- There is something new to show.
---@param source any
function Updates:offer(source)
  if self.stopped then return end
  self.source = source
  local left = self.due - host.now()
  local function flush()
    self:flush_what_waits()
  end
  if self.cancel then return end
  if left <= 0 and not self.sending then -- `send` may take its time, and offer more
    if not time_slices.runs() then return host.on_main(flush) end
    self.cancel = host.next_turn(flush) -- a slice is full of what brought this
    return
  end
  local uv = host.uv()
  if self.timer or not uv then return end
  self.timer = uv.new_timer()
  uv.update_time()
  uv.timer_start(self.timer, math.max(math.ceil(left), 0), 0, function()
    self:close_timer()
    host.on_main(flush)
  end)
end

function Updates:close_timer()
  local timer = self.timer
  self.timer = nil
  if not timer then return end
  host.uv().close(timer)
  host.pump() -- a handle that is closed and never pumped crashes at exit
end

--- No more updates.
function Updates:stop()
  self.stopped = true
  if self.cancel then self.cancel() end
  self:close_timer()
end

return M
