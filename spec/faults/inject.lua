--- Faults in this host, which has the shim preloaded (see shim.c for the rules).

local host = require "abridge.base.host"

local M = {}

local unpack = table.unpack or unpack
local uv = host.uv()

--- A read of a child's output, which asks for 1 KB at least: so little when an earlier step was slow. The loop's own
--- pipes are read in smaller pieces.
M.READ_PIPE = "read>1023@pipe:*"

--- Is the shim there?
M.ready = os.getenv "ABRIDGE_FAULTS_SHIM" ~= nil

--- Take the rules out of force: how often each came to pass.
local function stop()
  uv.os_setenv("ABRIDGE_FAULTS_NOW", "")
  local fired = {}
  for count in uv.os_getenv("ABRIDGE_FAULTS_FIRED"):gmatch "%d+" do
    fired[#fired + 1] = tonumber(count)
  end
  return fired
end

--- Call `fn` under some rules; returns what it returns, and how often each rule came to pass.
local function under(rules, fn)
  uv.os_setenv("ABRIDGE_FAULTS_NOW", rules)
  local got = { pcall(fn) }
  local fired = stop()
  if not got[1] then error(got[2], 0) end
  return got, fired
end

--- Call `fn` under some rules; returns what it returns. Each rule must come to pass.
---@param rules string
---@param fn fun(): any ...
function M.with(rules, fn)
  local got, fired = under(rules, fn)
  for i, count in ipairs(fired) do
    if count == 0 then error(("rule %d of %q never came to pass"):format(i, rules), 2) end
  end
  return unpack(got, 2, 5)
end

--- The same for rules that come to pass in children, between fork and exec, where nobody counts.
function M.forked(rules, fn)
  local got = under(rules, fn)
  return unpack(got, 2, 5)
end

--- Call `fn` while programs that are started have the shim and some rules from their start.
---@param rules string
---@param fn fun(): any ...
function M.in_children(rules, fn)
  uv.os_setenv("ABRIDGE_FAULTS", rules)
  uv.os_setenv("LD_PRELOAD", os.getenv "ABRIDGE_FAULTS_SHIM")
  local got = { pcall(fn) }
  uv.os_unsetenv "LD_PRELOAD"
  uv.os_unsetenv "ABRIDGE_FAULTS"
  if not got[1] then error(got[2], 0) end
  return unpack(got, 2, 5)
end

return M
