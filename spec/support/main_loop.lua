--- Neovim's main loop, and our callbacks in any loop, watched: how long it stood still, how long each of them ran.

local host = require "abridge.base.host"

local vim = rawget(_G, "vim")

local M = {}

local OURS = "lua/abridge/"
local CALLBACK_AT = { timer_start = 4, idle_start = 2, poll_start = 3, read_start = 2, spawn = 3, close = 2 }

---@class (exact) main_loop.Times
---@field p50 number ms
---@field p99 number
---@field max number
---@field total number
---@field count integer

--- Percentiles, in milliseconds, of times in nanoseconds.
---@param times number[]
---@return main_loop.Times
function M.told(times)
  table.sort(times)
  local total = 0
  for _, time in ipairs(times) do
    total = total + time / 1e6
  end
  local function at(share)
    return (times[math.max(1, math.ceil(share * #times))] or 0) / 1e6
  end
  return { p50 = at(0.5), p99 = at(0.99), max = at(1), total = total, count = #times }
end

--- Ask the main loop for an answer every millisecond, from now on. The function that is returned ends that, and gives
--- the longest time in milliseconds between two answers, and what all of them come to.
---@return fun(): number, main_loop.Times
function M.watch()
  local uv = vim.uv or vim.loop
  local timer, asked = uv.new_timer(), false
  local last, times = uv.hrtime(), {}
  local function answer()
    local now = uv.hrtime()
    times[#times + 1] = now - last
    last, asked = now, false
  end
  uv.timer_start(timer, 0, 1, function()
    if asked then return end
    asked = true
    vim.schedule(answer)
  end)
  return function()
    answer()
    uv.close(timer)
    local told = M.told(times)
    return told.max, told
  end
end

local function is_ours(fn)
  return debug.getinfo(fn, "S").source:find(OURS, 1, true) ~= nil
end

--- Time every callback of ours that the loop or Neovim calls, from now on. The function that is returned ends that, and
--- gives what the times come to.
---@param clock fun(): number nanoseconds
---@return fun(): main_loop.Times
function M.time_callbacks(clock)
  local times, restore = {}, {}
  local function timed(fn)
    return function(...)
      local from = clock()
      fn(...)
      times[#times + 1] = clock() - from
    end
  end
  local function wrap(owner, name, at)
    local plain = owner[name]
    restore[#restore + 1] = function()
      owner[name] = plain
    end
    owner[name] = function(...)
      local args, n = { ... }, select("#", ...)
      if type(args[at]) == "function" and is_ours(args[at]) then args[at] = timed(args[at]) end
      return plain((table.unpack or unpack)(args, 1, n))
    end
  end
  for name, at in pairs(CALLBACK_AT) do
    wrap(host.uv(), name, at)
  end
  if vim then wrap(vim, "schedule", 1) end
  return function()
    for _, put_back in ipairs(restore) do
      put_back()
    end
    return M.told(times)
  end
end

--- Nanoseconds of processor time that this process has used; what other programs take does not count.
---@return number
function M.processor_time()
  local used = host.uv().getrusage()
  return (used.utime.sec + used.stime.sec) * 1e9 + (used.utime.usec + used.stime.usec) * 1e3
end

return M
