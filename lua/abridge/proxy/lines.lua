--- Chunks of a pipe as whole lines, each with its newline. A long one is held once, and twice while it is joined.

local M = {}

local LARGE = 4 * 1024 * 1024 -- bytes of a part whose own parts are collected at once

---@class abridge.proxy.Lines
---@field private parts string[] of a line whose end is still to come, each longer than the next
local Lines = {}
Lines.__index = Lines

---@return abridge.proxy.Lines
function M.new()
  return setmetatable({ parts = {} }, Lines)
end

--- Join the last two parts; returns the bytes that are no longer wanted.
local function join(parts)
  local count = #parts
  parts[count - 1], parts[count] = parts[count - 1] .. parts[count], nil
  return #parts[count - 1]
end

--- Join parts while `more` is true of them; much that is no longer wanted is collected at once.
local function join_while(parts, more)
  while more(parts) do
    if join(parts) > LARGE then collectgarbage() end
  end
end

local function are_alike(parts)
  local count = #parts
  return count > 1 and #parts[count - 1] <= #parts[count]
end

local function are_several(parts)
  return #parts > 1
end

--- Add to the line under way; parts are joined as they come to be of like sizes.
function Lines:add(part)
  self.parts[#self.parts + 1] = part
  join_while(self.parts, are_alike)
end

--- What there is of the line under way, which then is over; "" if nothing is.
---@return string
function Lines:rest()
  local parts = self.parts
  self.parts = {}
  join_while(parts, are_several)
  return parts[1] or ""
end

--- Add a chunk; calls back with each line that is whole.
---@param chunk string
---@param each fun(line: string)
function Lines:feed(chunk, each)
  local from = 1
  while true do
    local newline = chunk:find("\n", from, true)
    if not newline then break end
    self:add(chunk:sub(from, newline))
    each(self:rest())
    from = newline + 1
  end
  if from <= #chunk then self:add(chunk:sub(from)) end
end

return M
