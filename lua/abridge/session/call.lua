--- One call of a session: its number and limits, and the place of its full output.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"
local yielded = require "abridge.output.yielded"
local registry = require "abridge.session.registry"

local M = {}

local NEVER_DROPPED = 160 -- tokens, as in `abridge.history`

--- The place of a call's full output, as a stream wants it; false if nothing is kept.
---@param self abridge.Session
---@param call table
---@return { dir: string, name: string }|false
function M.full_output(self, call)
  local dir = self.run:planned_dir()
  return dir and { dir = dir, name = self.run:artifact_name(call.number, call.own_name) } or false
end

--- A function that saves the full output of a text that was cut. A page of a file needs none: the file is there.
local function saver(self, call)
  if call.own_name == "read_file" then return nil end
  return function(text)
    local target = M.full_output(self, call)
    if not target then return nil end
    self.run:artifact_dir() -- locked before there is something to prune
    return core.save(target.dir, target.name, text)
  end
end

--- Is an output kept even if it is shown whole? One of so few tokens is never dropped from a conversation.
local function keeps(text)
  return core.weigh_tokens(text) > NEVER_DROPPED
end

--- The id of a call that was given none.
---@param number integer
---@return string
function M.id_of(number)
  return ("call-%d"):format(number)
end

--- A text as the session may show it.
---@param self abridge.Session
---@param text string
---@return string
function M.redacted(self, text)
  return self.redactor and self.redactor:text(text) or text
end

--- The name of a tool that the session does not have, as it may be shown.
---@param self abridge.Session
---@param name string
---@return string
function M.shown_name(self, name)
  return self.redactor and self.redactor:document(name) or name
end

--- Put a call under the limits that its tool has in a session.
---@param call table
---@param self abridge.Session its own, or that under other limits
function M.set_limits(call, self)
  local name, known = call.own_name, self.tools[call.own_name]
  call.limits = registry.own_limits(self, name)
  call.ceiling = self.table_of_limits:ceiling_limits(name)
  call.ceiling_bound = known and known.built_in and self.table_of_limits:ceiling_bound(name) or nil
end

--- A new call of a session's tool; `entry` is nil for a tool it does not have.
---@param self abridge.Session
---@param name string
---@param entry? table
---@param number integer of `begin_call`
---@param id? string
---@return table
function M.new(self, name, entry, number, id)
  local own_name = entry and entry.name or self.table_of_limits.aliases[name] or name
  local shown = entry and name or M.shown_name(self, name)
  local call = {
    number = number,
    tool = shown,
    own_name = own_name == name and shown or own_name,
    built_in = entry ~= nil and entry.built_in,
    call_id = id or M.id_of(number),
    reason = entry and entry.tool.reason,
    no_hint = not self.hints or nil,
    redactor = self.redactor,
    started = host.now(),
  }
  M.set_limits(call, self)
  call.save = saver(self, call)
  call.keeps = self.keeps_all and keeps or nil
  function call.name_of(key) -- looks for a program, so only if it is needed
    return registry.name_of(self, key, call.names)
  end
  return call
end

--- End a job with the error that its tool raised.
---@param call table
---@param job abridge.Job
---@param message any
function M.fail(call, job, message)
  call.failed = true
  local text = yielded.encoded(message, call.redactor)
  if text == "" then text = sentences.message("raised", { name = call.tool }) end
  local outside = text == call.outside and { error_code = "EOUTSIDE", path = call.outside_path } or nil
  job:finish { text = text, is_error = true, details = outside }
end

return M
