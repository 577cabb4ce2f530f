--- Events of the loop on their way to their handlers, in order, a slice at a time. Inside Neovim they arrive as fast
--- events, in which most of its API is forbidden and no key is heard; there they wait for its main loop. Elsewhere they
--- are handled at once, as many as fit in a slice.

local host = require "abridge.base.host"
local time_slices = require "abridge.base.time_slices"

local M = {}

---@class abridge.Inbox
---@field private first integer of the events that wait
---@field private last integer
---@field private handling integer slices under way: a handler may turn the loop
---@field private planned? boolean
local Inbox = {}
Inbox.__index = Inbox

--- A new inbox.
---@param on_empty? fun() called when events that waited have been handled
---@return abridge.Inbox
function M.new(on_empty)
  return setmetatable({ events = {}, first = 1, last = 0, handling = 0, on_empty = on_empty }, Inbox)
end

--- An event has come, or the rest of one.
---@param handle fun() must not raise or take long: a handler with more to do puts back the rest
function Inbox:put(handle)
  self.last = self.last + 1
  self.events[self.last] = handle
  if host.in_fast_event() then return self:plan(host.on_main) end
  if self.handling == 0 and self.first == self.last then return self:handle_slice() end
  if host.in_nvim then self:plan(host.next_turn) end -- else the running slice gets to it
end

--- Put the rest of the current event before all that wait.
---@param handle fun()
function Inbox:put_back(handle)
  self.first = self.first - 1
  self.events[self.first] = handle
end

--- Make sure that the events are handled.
function Inbox:plan(how)
  if self.planned then return end
  self.planned = true
  how(function()
    self.planned = false
    self:handle_slice()
  end)
end

--- Handle the oldest event; false if none waits. The handler may turn the loop, in which case the next events are
--- handled before it returns.
local function handle_one(self)
  local handle = self.events[self.first]
  if not handle then return false end
  self.events[self.first] = nil
  self.first = self.first + 1
  handle()
  return true
end

--- Handle events until the slice is over; the rest wait for the next turn.
function Inbox:handle_slice()
  self.handling = self.handling + 1
  time_slices.within(function(from)
    repeat
    until not handle_one(self) or time_slices.is_over(from)
  end)
  self.handling = self.handling - 1
  if self.first <= self.last then return self:plan(host.next_turn) end
  if self.on_empty then self.on_empty() end
end

return M
