--- The sentences that tell how a command ended. Plain Lua, for adapters that work without the core.

local M = {}

--- In place of the output of a command that printed nothing.
M.no_output = "(no output)"

local function how_it_ended(outcome, timeout)
  if outcome.timed_out then
    return timeout and ("Command timed out after %.14g seconds"):format(timeout) or "Command timed out"
  end
  if outcome.cancelled then return "Command aborted" end
  if outcome.signal then return "Command killed by signal " .. outcome.signal end
  if outcome.code and outcome.code ~= 0 then return ("Command exited with code %d"):format(outcome.code) end
end

--- Why an output is incomplete, if nothing better is known.
M.part_lost = "a part could not be kept"

--- The line that says that an output was not kept whole.
---@param problem string
---@return string
function M.incomplete(problem)
  return "Output incomplete: " .. problem
end

--- The line that says how a command ended, or nil after a plain success whose output was read to its end.
---@param outcome { code: integer|nil, signal: string|nil, timed_out: boolean|nil, cancelled: boolean|nil,
---  error: string|nil }
---@param timeout? number seconds, if they are known
---@return string|nil
function M.line(outcome, timeout)
  local line = how_it_ended(outcome, timeout)
  local lost = outcome.error and M.incomplete(outcome.error)
  return line and lost and line .. ". " .. lost or line or lost
end

return M
