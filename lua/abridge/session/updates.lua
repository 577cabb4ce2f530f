--- A running call as the host sees it: the model's view so far.

local jobs = require "abridge.session.job"
local limit = require "abridge.output.limit"
local yielded = require "abridge.output.yielded"
local source = require "abridge.output.source"
local throttle = require "abridge.session.throttle"

local M = {}

local UPDATE_MS = 100
local UTF8 = { utf8 = "replace" }

--- The part of a text that may be shown so far. If more may follow, that is whole lines: a secret is known only then.
local function so_far(redactor, text, goes_on)
  if not redactor then return text end
  if goes_on then return redactor:stream():feed(text) end
  return redactor:text(text)
end

--- Let a call hand the host the model's view of it so far.
---@param self abridge.Session
---@param call table
---@param on_update fun(content: string, cut: abridge.Cut)
function M.follow(self, call, on_update)
  call.updates = throttle.new(UPDATE_MS, function(shown)
    local is_text, limits = type(shown) == "string", call.limits
    if not source.is_source(shown) then
      shown = yielded.encoded(shown, self.redactor)
    elseif shown.closed then
      return
    end
    if type(shown) == "string" then
      shown, limits = limit.cleaned(shown, limits, self.redactor, is_text)
      if limits.kind ~= "binary" then shown = so_far(self.redactor, shown, is_text) end
    end
    local is_source = source.is_source(shown)
    local ok, content, cut = pcall(limit.cut, shown, limits, not is_source and UTF8 or nil)
    if ok and call.ceiling and #content > call.ceiling.max_bytes then
      limits = limit.for_ceiling(limits, call.ceiling)
      ok, content, cut = pcall(limit.cut, is_source and shown:for_ceiling(limits) or shown, limits)
    end
    if ok then jobs.guarded(self.errors, on_update, content, cut) end -- a counter that raises ends the call, not this
  end)
end

return M
