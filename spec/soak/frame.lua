--- What `make soak` measures with: memory, descriptors and children before and after a piece of work, and the table of
--- figures. SOAK=0.01 does a hundredth of everything.

local host = require "abridge.base.host"
local paths = require "support.paths"
local resources = require "support.resources"

local uv = host.uv()

local M = { wrong = 0 }

M.factor = tonumber(os.getenv "SOAK" or "1") or error "SOAK must be a number, such as 0.01"

local MOST_TOLD = 20 -- of what is wrong

local rows = {}

--- That share of a count which SOAK asks for, at least `least`.
function M.share(count, least)
  return math.max(math.floor(count * M.factor), least or 1)
end

--- Count what is wrong, and say the first of it.
function M.check(condition, format, ...)
  if condition then return end
  M.wrong = M.wrong + 1
  if M.wrong <= MOST_TOLD then print("  WRONG: " .. format:format(...)) end
end

--- Resident memory in KiB; nil where /proc is not there.
function M.resident()
  local bytes = resources.resident()
  return bytes and bytes / 1024
end

--- Processes whose parent this one is, zombies too; none known where /proc is not there.
local function children()
  local scan, count = uv.fs_scandir "/proc", 0
  local own = uv.os_getpid()
  for pid in uv.fs_scandir_next, scan do
    local stat = pid:find "^%d" and paths.read("/proc/" .. pid .. "/stat") or ""
    local parent = stat:match "^.*%) %a (%d+)"
    if tonumber(parent) == own then count = count + 1 end
  end
  return count
end

local function settled()
  host.pump()
  collectgarbage()
  collectgarbage()
  return M.resident() or 0, resources.descriptors(), children()
end

---@class (exact) SoakRow
---@field what string
---@field growth integer KiB that resident memory may grow by
---@field warm fun() brings every buffer to its size
---@field work fun(): string does it, and tells how much
---@field look? fun(): integer the most KiB that were resident meanwhile

--- Do a piece of work and add its row.
---@param row SoakRow
function M.measure(row)
  row.warm()
  local before, open, born = settled()
  local started = host.now()
  local amount = row.work()
  local seconds = (host.now() - started) / 1000
  local after, open_after, left = settled()
  local most = math.max(after, row.look and row.look() or 0)
  local growth = most - before
  M.check(growth <= row.growth, "%s: memory grew by %d KiB, over %d", row.what, growth, row.growth)
  M.check(open_after == open, "%s: %d descriptors before, %d after", row.what, open, open_after)
  M.check(left == born, "%s: %d children before, %d after", row.what, born, left)
  rows[#rows + 1] = { row.what, amount, seconds, before / 1024, growth, row.growth, open, open_after, left - born }
  print(("  %s: %s in %.1f s"):format(row.what, amount, seconds))
end

--- Print the table; true when nothing was wrong.
---@return boolean
function M.finish()
  print(
    ("\n%-34s %26s %8s %9s %15s %11s %9s"):format(
      "",
      "",
      "seconds",
      "MB warm",
      "KiB more (most)",
      "descriptors",
      "processes"
    )
  )
  for _, row in ipairs(rows) do
    print(("%-34s %26s %8.1f %9.1f %7d (%5d) %4d to %-4d %9d"):format((table.unpack or unpack)(row)))
  end
  print(M.wrong == 0 and "soak: all right" or ("soak: %d wrong"):format(M.wrong))
  return M.wrong == 0
end

return M
