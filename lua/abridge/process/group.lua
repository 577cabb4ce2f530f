--- The group that a process and its children are in: signals to all of it, and whether any of it lives.

local host = require "abridge.base.host"
local proc = require "abridge.base.proc"

local M = {}

local ALIASES = { SIGIOT = true, SIGPOLL = true, SIGCLD = true, SIGLOST = true }
local UNLISTED = { [7] = "EMT", [29] = "INFO" } -- macOS has these in place of Linux's BUS and IO

--- The name of a signal, without SIG; its number as a string if it has none.
---@param number integer
---@return string
function M.signal_name(number)
  for name, value in pairs(host.uv().constants) do
    if value == number and name:find "^SIG%u" and not ALIASES[name] then return name:sub(4) end
  end
  return UNLISTED[number] or tostring(number)
end

---@class abridge.process.Group
---@field leader integer its pid is the number of the group
---@field leader_gone boolean the leader was reaped
---@field private uv table
---@field private member string|nil pid of a member last seen alive
local Group = {}
Group.__index = Group

--- The group of a process that leads it.
---@param uv table
---@param leader integer
---@return abridge.process.Group
function M.new(uv, leader)
  return setmetatable({ uv = uv, leader = leader, leader_gone = false }, Group)
end

--- Signal the whole group. Safe after the leader was reaped: while the group has members its number is not reused, and
--- without members the call fails and nothing happens.
---@param signal string|integer
---@return boolean sent
---@return string|nil message
function Group:signal(signal)
  local ok, message = self.uv.kill(-self.leader, signal)
  if not ok and not self.leader_gone then
    -- macOS refuses a group in which a zombie is left.
    ok, message = self.uv.kill(self.leader, signal)
  end
  return ok == 0, message
end

--- Is a process a living member of a group, by its entry in /proc?
---@param pid string
---@param group integer
---@return boolean
local function lives_in(pid, group)
  local state, its_group = (proc.read(pid, "stat") or ""):match "^.*%) (%a) %d+ (%d+)"
  return tonumber(its_group) == group and state ~= "Z"
end

--- Numbers that change while the leader works: its faults, its processor time, the bytes it read. Nil if that is not
--- known, or while it waits for a disk.
---@return string|nil
function Group:progress()
  local fields = "^.*%) (%a)" .. (" %S+"):rep(6) .. " (%d+ %d+ %d+ %d+ %d+ %d+)"
  local state, counts = (proc.read(self.leader, "stat") or ""):match(fields)
  if not state or state == "D" then return nil end
  return counts .. (proc.read(self.leader, "io") or ""):match "^[^\n]*"
end

--- Does a member of the group live? A zombie does not: if the first process of a container reaps nothing, zombies stay
--- for good, and every cancelled command would take the whole grace.
---@return boolean
function Group:lives()
  if not self:signal(0) then
    return false
  elseif self.member and lives_in(self.member, self.leader) then
    return true
  end
  local pids = proc.pids()
  for _, pid in ipairs(pids or {}) do
    if lives_in(pid, self.leader) then
      self.member = pid
      return true
    end
  end
  return not pids -- there the signal is all we have; macOS sends none to zombies
end

return M
