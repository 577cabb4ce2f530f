--- Looking for a number by halving.

local M = {}

--- The largest number from 0 to `most` that `holds`: 0 does without being asked, and nothing above one that does not.
---@param most integer
---@param holds fun(n: integer): any
---@return integer
function M.last(most, holds)
  local low, high = 0, most
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if holds(middle) then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

return M
