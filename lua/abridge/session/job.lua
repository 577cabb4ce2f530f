--- A job: one call of a tool that may take its time.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"

local M = {}

---@class abridge.Job
---@field call_id string
---@field result? abridge.Result nil until the job is done
---@field cancelled boolean
---@field private value_of fun(value: any, failed: boolean): abridge.Result
---@field private on_done? fun(result: abridge.Result)
---@field private cancel_tool? fun(): boolean|nil
---@field private begun? boolean callbacks of the host may be called
---@field private finishing? boolean its result is being made
---@field private entered? boolean its tool's code is on the stack: waiting here cannot end it
---@field private errors { first: any } errors of the host's callbacks, shared by a session's jobs
local Job = {}
Job.__index = Job
Job.__name = "abridge.Job"

---@param call_id string
---@param value_of fun(job: abridge.Job, value: any): abridge.Result makes the result of the tool's value
---@param errors { first: any }
---@param on_done? fun(result: abridge.Result)
---@return abridge.Job
function M.new(call_id, value_of, errors, on_done)
  local self = { call_id = call_id, value_of = value_of, errors = errors, on_done = on_done, cancelled = false }
  return setmetatable(self, Job)
end

--- Call back into the host, which must not yield. An error is kept, and raised when the host waits, not in the loop.
---@param errors { first: any }
---@param callback function
function M.guarded(errors, callback, ...)
  local ok, message = core.pcall(callback, ...)
  if not ok and errors.first == nil then errors.first = message == nil and "nil" or message end
end

--- Raise the error of a callback, once.
---@param errors { first: any }
function M.raise(errors)
  local message = errors.first
  errors.first = nil
  if message ~= nil then error(message, 0) end
end

--- Is the job done?
---@return boolean
function Job:is_done()
  return self.result ~= nil
end

--- End the job with the tool's value. Only the first call counts, even if callbacks run meanwhile. From a fast event
--- of Neovim the job ends a little later, in the main loop, as the host's callbacks need that.
---@private
---@param value any
function Job:finish(value)
  if self.finishing then return end
  self.finishing = true
  host.on_main(function()
    local ok, result = pcall(self.value_of, self, value)
    self.finishing = ok
    if not ok then error(result, 0) end
    self.result = result
    if self.on_done then M.guarded(self.errors, self.on_done, self.result) end
  end)
end

--- Wait until the job is done. Raises when called from a callback of the event loop; re-raises an error of a host's
--- callback.
---@param seconds? number no limit when nil
---@return abridge.Result|nil result nil when the seconds are over
function Job:wait(seconds)
  check.seconds("job:wait", seconds)
  local done, why = host.wait(function()
    return self.result ~= nil
  end, seconds)
  if not done and why == "idle" then self:finish(M.abandoned) end
  M.raise(self.errors)
  return self.result
end

--- The value of a job that nothing is left to end.
M.abandoned = {}
--- The value of a cancelled job whose tool adds nothing.
M.aborted = {}

--- Ask the tool to stop. A command keeps its output so far; other tools end at once.
function Job:cancel()
  if self.finishing or self.cancelled then return end
  self.cancelled = true
  if not self.begun then return end
  host.on_main(function()
    if self.finishing then return end
    local goes_on = false
    if self.cancel_tool then
      local before = self.entered
      self.entered = true
      local ok, answer = core.pcall(self.cancel_tool)
      self.entered = before
      goes_on = ok and answer == true
    end
    if not goes_on then self:finish(M.aborted) end
  end)
end

return M
