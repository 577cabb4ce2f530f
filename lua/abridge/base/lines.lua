--- Chunks of a pipe as whole lines, each with its newline. A long one is held once, and twice while it is joined.

local M = {}

local PART = 1024 * 1024 -- bytes from which a part stays as it is until its line is whole
local STEP = 8 * PART -- bytes of a line from one collection of garbage to the next
local AT_ONCE = 64 -- parts that are joined in one step

---@class abridge.Lines
---@field private parts string[] of a line whose end has not arrived
---@field private size integer bytes of it so far
---@field private most number bytes of a line without its newline
local Lines = {}
Lines.__index = Lines

---@param most? integer bytes of a line, its newline not counted; a longer one is passed over, and told as false
---@return abridge.Lines
function M.new(most)
  return setmetatable({ parts = {}, size = 0, most = most or math.huge }, Lines)
end

--- Join up to AT_ONCE parts from one on with one `..`, so that nothing but their sum is made: table.concat would make
--- it twice, and sums of a few parts leave holes in the heap.
local join_from
do
  local terms = {}
  for n = 1, AT_ONCE do
    terms[n] = ("(parts[at + %d] or '')"):format(n - 1)
  end
  join_from = assert((loadstring or load)("local parts, at = ... return " .. table.concat(terms, " .. ")))
end

local function join(parts)
  local joined = {}
  for at = 1, #parts, AT_ONCE do
    joined[#joined + 1] = join_from(parts, at)
    for one = at, math.min(at + AT_ONCE - 1, #parts) do
      parts[one] = ""
    end
    collectgarbage()
  end
  return joined
end

--- Add to the line under way; small parts are joined as they come to be of like sizes.
function Lines:add(part)
  local size = self.size + #part
  if math.floor(size / STEP) > math.floor(self.size / STEP) then collectgarbage() end
  self.size = size
  if self.size > self.most + 1 then
    self.parts = {}
    return
  end
  local parts = self.parts
  parts[#parts + 1] = part
  while #parts > 1 and #parts[#parts - 1] <= #parts[#parts] and #parts[#parts - 1] < PART do
    parts[#parts - 1] = parts[#parts - 1] .. table.remove(parts)
  end
end

--- The unfinished line so far, which ends here; "" if there is none, false if it was too long.
---@return string|false
function Lines:rest()
  local parts, size = self.parts, self.size
  self.parts, self.size = {}, 0
  if size > self.most + 1 then return false end
  local line
  if size <= 4 * PART then
    line = table.concat(parts)
  else
    collectgarbage()
    while #parts > 1 do
      parts = join(parts)
    end
    line = parts[1]
  end
  return (size <= self.most or line:sub(-1) == "\n") and line
end

--- Add a chunk; calls back with each line that is whole.
---@param chunk string
---@param each fun(line: string|false)
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
