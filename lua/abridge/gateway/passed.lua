--- The report of a request that passed as it came; needs no core.

local MOST = 200 -- bytes of a reason

---@param why any
---@param failed boolean
---@return abridge.GatewayReport
return function(why, failed)
  local reason = tostring(why):gsub("^[^\n]-%.lua:%d+: ", ""):match("^[^\n]*"):sub(1, MOST)
  reason = reason:gsub("[^\32-\126]", "?"):gsub('"', "'")
  return { action = "passed", reason = reason, failed = failed, header = ('passed; reason="%s"'):format(reason) }
end
