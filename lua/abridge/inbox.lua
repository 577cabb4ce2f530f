--- Events of the loop on their way to who handles them, in order. Inside Neovim they arrive as fast events, where most
--- of its API is forbidden and no key is heard; here they wait for its main loop, which takes them a slice at a time.
--- Elsewhere they are handled at once.

local host = require "abridge.host"
local slices = require "abridge.slices"

local M = {}

---@class abridge.Inbox
---@field private first integer of the events that wait
---@field private last integer
local Inbox = {}
Inbox.__index = Inbox

---@param on_empty? fun() called when events that waited have been handled
---@return abridge.Inbox
function M.new(on_empty)
  return setmetatable({ events = {}, first = 1, last = 0, on_empty = on_empty }, Inbox)
end

--- An event has come.
---@param handle fun() must not raise
function Inbox:put(handle)
  if self.first > self.last and not host.in_fast_event() then return handle() end
  self.last = self.last + 1
  self.events[self.last] = handle
  self:plan(host.on_main)
end

--- See to it that the events are handled.
function Inbox:plan(how)
  if self.planned then return end
  self.planned = true
  how(function()
    self.planned = false
    self:handle_slice()
  end)
end

--- Handle the oldest event; false where none waits. The handler may turn the loop, in which case the next events are
--- handled before it returns.
local function handle_one(self)
  local handle = self.events[self.first]
  if not handle then return false end
  self.events[self.first] = nil
  self.first = self.first + 1
  handle()
  return true
end

function Inbox:handle_slice()
  local from = host.now()
  while not slices.is_over(from) do
    if not handle_one(self) then break end
  end
  if self.first <= self.last then return self:plan(host.next_turn) end
  if self.on_empty then self.on_empty() end
end

--- Handle all that wait.
function Inbox:flush()
  while handle_one(self) do end
end

return M
