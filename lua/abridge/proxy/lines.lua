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

--- Join the last two parts; what they were is collected at once where it is much.
local function join(parts)
  parts[#parts - 1], parts[#parts] = parts[#parts - 1] .. parts[#parts], nil
  if #parts[#parts] > LARGE then collectgarbage() end
end

--- Add to the line under way; parts are joined as they come to be of like sizes.
function Lines:add(part)
  local parts = self.parts
  parts[#parts + 1] = part
  while #parts > 1 and #parts[#parts - 1] <= #parts[#parts] do
    join(parts)
  end
end

--- What there is of the line under way, which then is over; "" if nothing is.
---@return string
function Lines:rest()
  local parts = self.parts
  self.parts = {}
  while #parts > 1 do
    join(parts)
  end
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
