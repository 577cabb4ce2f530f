--- A queue: first in, first out.

local M = {}

---@class abridge.Queue
---@field private items table<integer, any>
---@field private first integer
---@field private last integer
local Queue = {}
Queue.__index = Queue

---@return abridge.Queue
function M.new()
  return setmetatable({ items = {}, first = 1, last = 0 }, Queue)
end

---@param item any not nil
function Queue:push(item)
  self.last = self.last + 1
  self.items[self.last] = item
end

--- The first item, which it then lacks; nil of an empty one.
---@return any
function Queue:pop()
  local item = self.items[self.first]
  if item == nil then return nil end
  self.items[self.first] = nil
  self.first = self.first + 1
  return item
end

---@return integer
function Queue:size()
  return self.last - self.first + 1
end

return M
