--- What this process holds, and which others live: for specs that check that nothing is left.

local host = require "abridge.base.host"
local proc = require "abridge.base.proc"
local paths = require "support.paths"

local uv = host.uv()

local M = {}

--- Is there a /proc? Without one neither zombies nor memory are known.
M.has_proc = uv.fs_stat "/proc/self/fd" ~= nil

--- Does abridge ask it? A core built with ABR_PORTABLE keeps it from that.
M.asks_proc = proc.pids() ~= nil

--- Does this Lua run under an emulator (.ci/arm64.sh)? Other programs here are of this machine all the same.
M.emulated = os.getenv "ABRIDGE_EMULATED" ~= nil

--- Open descriptors; the one that is open to count them is one of them.
function M.descriptors()
  return #paths.names(M.has_proc and "/proc/self/fd" or "/dev/fd")
end

--- Handles of libuv; 0 inside Neovim, whose own handles luv must not walk.
function M.handles()
  local count = 0
  if host.in_nvim then return count end
  uv.walk(function()
    count = count + 1
  end)
  return count
end

--- Does a process live? A zombie that nobody reaps does not.
function M.alive(pid)
  if uv.kill(pid, 0) ~= 0 then return false end
  local state = (paths.read("/proc/" .. pid .. "/stat") or ""):match "^.*%) (%a)"
  return state ~= "Z"
end

--- Resident memory in bytes; nil without a /proc.
function M.resident()
  local kib = (paths.read "/proc/self/status" or ""):match "VmRSS:%s*(%d+)"
  return kib and tonumber(kib) * 1024
end

return M
