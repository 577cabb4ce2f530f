--- The word that somebody meant who typed another.

local MOST = 2 -- letters that may differ
local LONGEST = 64 -- bytes of a word that is looked at

--- In how many letters two words differ: one left out, one too many, one for another, or two that changed places.
local function distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local last = row
    row = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      local swapped = a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j)
      if i > 1 and j > 1 and swapped then row[j] = math.min(row[j], before[j - 2] + 1) end
    end
    before = last
  end
  return row[#b]
end

--- The nearest of some words, if it is near; of two that are as near the first by name.
---@param word string
---@param words string[]
---@return string|nil
return function(word, words)
  local best, least = nil, math.min(MOST, math.floor(#word / 2)) + 1
  for _, other in ipairs(#word <= LONGEST and words or {}) do
    local far = distance(word, other)
    if far < least or far == least and best and other < best then
      best, least = other, far
    end
  end
  return best
end
