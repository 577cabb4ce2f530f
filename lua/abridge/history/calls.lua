--- Which result answers which call.

local M = {}

---@class abridge.history.Calls
---@field private replies integer
---@field private waiting abridge.history.MadeCall[] of the last reply
---@field private count integer of these
---@field private open table<any, abridge.history.MadeCall> the first call of the last reply with an id
---@field private made table<any, integer> calls with an id
---@field private taken? abridge.history.MadeCall[] by a fork
local Calls = {}
Calls.__index = Calls

---@return abridge.history.Calls
function M.new()
  return setmetatable({ replies = 0, waiting = {}, count = 0, open = {}, made = {} }, Calls)
end

--- Calls that go on from here, while these stay as they are.
---@return abridge.history.Calls
function Calls:fork()
  local fork = { replies = self.replies, waiting = {}, count = 0, taken = {} }
  fork.open = setmetatable({}, { __index = self.open })
  fork.made = setmetatable({}, { __index = self.made })
  return setmetatable(fork, Calls)
end

--- Undo what a fork took.
function Calls:take_back()
  for _, call in ipairs(self.taken) do
    call.answered = false
  end
end

--- A reply begins.
function Calls:begin_reply()
  self.replies, self.count = self.replies + 1, 0
end

--- A call waits for its result.
---@param call abridge.history.MadeCall
function Calls:add(call)
  local id = call.id
  call.reply, call.answered, call.later, call.nth = self.replies, false, nil, nil
  self.count = self.count + 1
  self.waiting[self.count] = call
  if id == nil then return end
  call.nth = (self.made[id] or 0) + 1
  self.made[id] = call.nth
  local same = self.open[id]
  if not same or same.reply ~= self.replies then
    self.open[id] = call
    return
  end
  while same.later do
    same = same.later
  end
  same.later = call -- a reply with an id twice
end

--- The call that a result answers: by its id, or the first without a result.
---@param id any
---@return abridge.history.MadeCall|nil
function Calls:take(id)
  local call
  if id == nil then
    for i = 1, self.count do
      call = self.waiting[i]
      if not call.answered then break end
      call = nil
    end
  else
    call = self.open[id]
    while call and call.answered do
      call = call.later
    end
  end
  if call then
    call.answered = true
    if self.taken then self.taken[#self.taken + 1] = call end
  end
  return call
end

return M
