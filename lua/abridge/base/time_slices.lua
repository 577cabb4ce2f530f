--- Long work, done a few milliseconds at a time: the loop turns between slices, so that keys are heard, timers fire and
--- a cancel gets through.

local check = require "abridge.base.check"
local host = require "abridge.base.host"

local M = {}

local SLICE_MS = 3 -- several works may have a slice each in one turn of the loop, and a step may be late
local SHORT_MS, LONG_MS = 1, 2.5 -- how long a step of a slice should take

--- Is a slice that began at `from` over?
---@param from number of `host.now()`
---@return boolean
function M.is_over(from)
  return host.now() - from >= SLICE_MS
end

local slice_from -- when the running slice began; nil if none runs

--- Call `fn(from)` in the slice that is running, or in a new one; `from` is when it began. Everything that a callback
--- of the loop does is one slice, with everything it calls.
---@param fn fun(from: number)
function M.within(fn)
  if slice_from then return fn(slice_from) end
  slice_from = host.now()
  local ok, message = pcall(fn, slice_from)
  slice_from = nil
  if not ok then error(message, 0) end
end

--- Is a slice running?
---@return boolean
function M.runs()
  return slice_from ~= nil
end

---@class abridge.Pace How many bytes a step should take, by how long earlier steps took.
---@field size integer of the next step
---@field private least integer
---@field private most integer
local Pace = {}
Pace.__index = Pace

--- A pace whose steps take from `least` to `most` bytes, `first` of them at first.
---@param least integer
---@param first integer
---@param most integer
---@return abridge.Pace
function M.pace(least, first, most)
  return setmetatable({ least = least, size = first, most = most }, Pace)
end

--- A step of `bytes` took `ms`.
---@param bytes integer
---@param ms number
function Pace:took(bytes, ms)
  if ms > LONG_MS then
    self.size = math.max(self.least, math.floor(math.min(bytes, self.size) * SHORT_MS / ms))
  elseif ms < SHORT_MS and bytes >= self.size then
    self.size = math.min(self.most, self.size * 2)
  end
end

---@class abridge.Work Handed to a piece of work.
---@field private at_once boolean
---@field private from number when this slice began
---@field private held table[]
---@field private waits? boolean for something that is done elsewhere
---@field private go_on fun()
local Work = {}
Work.__index = Work

--- Give way if the slice is over. Call it often, but not inside a pcall, an iterator or a comparison: Lua 5.1 cannot
--- yield there.
function Work:pause()
  if not self.at_once and M.is_over(self.from) then coroutine.yield() end
end

--- Give way before something that takes a slice by itself. For places in which `pause` may be called.
function Work:rest()
  if not self.at_once then coroutine.yield() end
end

--- Wait for something that is done elsewhere, in a thread of libuv's. Not for work that is done in one go.
---@param begin fun(done: fun(...: any)) `done` is called later, once, in any callback of the loop
---@return any ... what `done` was called with
function Work:await(begin)
  local values
  self.waits = true
  begin(function(...)
    values, self.waits = { n = select("#", ...), ... }, false
    host.on_main(self.go_on)
  end)
  while not values do
    coroutine.yield()
  end
  return (table.unpack or unpack)(values, 1, values.n)
end

--- Have something that the work opened closed if it is cancelled or raises.
---@param thing { close: fun(self: any) }
function Work:hold(thing)
  self.held[#self.held + 1] = thing
end

--- Close everything held.
function Work:close_held()
  for i = #self.held, 1, -1 do
    self.held[i]:close()
  end
end

--- Work that is done in one go.
M.at_once = setmetatable({ at_once = true, held = {}, hold = function() end }, Work)

--- Do `work(work)` and hand its result to `done`: before this returns if it is soon over, if `at_once` is set or if
--- there is no luv; otherwise from the loop, at a time when callbacks of the host may be called. If it raises, `done`
--- gets an error result.
---@param work fun(work: abridge.Work): table
---@param done fun(value: table)
---@param at_once? boolean
---@return fun() cancel after it `done` is not called
function M.start(work, done, at_once)
  local self = setmetatable({ at_once = at_once or not host.uv(), held = {} }, Work)
  local thread = coroutine.create(work)
  local next_turn, ended, go_on

  local function slice(from)
    if ended then return end -- cancelled while it waited
    self.from = from
    local ok, value = coroutine.resume(thread, self)
    if coroutine.status(thread) ~= "dead" then
      if not self.waits then next_turn = host.next_turn(go_on) end
      return
    end
    ended = true
    if not ok then
      self:close_held()
      value = { text = check.text(value), is_error = true }
    end
    done(value)
  end
  function go_on()
    next_turn = nil
    M.within(slice)
  end
  self.go_on = go_on
  go_on()
  return function()
    if ended then return end
    ended = true
    if next_turn then next_turn() end
    self:close_held()
  end
end

-- sorting -----------------------------------------------------------------------------------------

-- `table.sort` of 100,000 names takes some 80 ms in one go.

local SORTED = 512 -- items that are sorted in one go

--- Merge two sorted runs of a list, from..middle - 1 and middle..last, into another list.
local function merge(work, list, into, from, middle, last)
  local left, right = from, middle
  for at = from, last do
    if left < middle and (right > last or list[left] <= list[right]) then
      into[at], left = list[left], left + 1
    else
      into[at], right = list[right], right + 1
    end
    if at % SORTED == 0 then work:pause() end
  end
end

--- A list in the order of `table.sort`.
---@param work abridge.Work
---@param list string[] may be changed
---@return string[]
function M.sorted(work, list)
  local n, size = #list, SORTED
  for from = 1, n, size do
    local run = {}
    for i = from, math.min(from + size - 1, n) do
      run[#run + 1] = list[i]
    end
    table.sort(run)
    for i, item in ipairs(run) do
      list[from + i - 1] = item
    end
    work:pause()
  end
  local other = {}
  while size < n do
    for from = 1, n, 2 * size do
      local last = math.min(from + 2 * size - 1, n)
      merge(work, list, other, from, math.min(from + size, last + 1), last)
    end
    list, other, size = other, list, 2 * size
  end
  return list
end

return M
