--- One call of a session: its number and limits, where its full output goes, and what its tool is handed.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"
local source = require "abridge.output.source"
local yielded = require "abridge.output.yielded"
local jobs = require "abridge.session.job"
local updates = require "abridge.session.updates"

local M = {}

local COMMAND_SECONDS, SEARCH_SECONDS = 120, 30 -- where the session says nothing

--- Where a call's full output goes, as a stream wants it; false where nothing is kept.
local function full_output_of(self, call)
  local dir = self.run:planned_dir()
  return dir and { dir = dir, name = self.run:artifact_name(call.number, call.own_name) } or false
end

--- What keeps the full output of a text that was cut; a page of a file has the file.
local function saver(self, call)
  if call.own_name == "read_file" then return nil end
  return function(text)
    local target = full_output_of(self, call)
    if not target then return nil end
    self.run:artifact_dir() -- locked before there is something to prune
    return core.save(target.dir, target.name, text)
  end
end

--- The id of a call that was given none.
---@param number integer
---@return string
function M.id_of(number)
  return ("call-%d"):format(number)
end

--- The name of a tool that the session has not, as it may be shown.
---@param self abridge.Session
---@param name string
---@return string
function M.shown_name(self, name)
  return self.redactor and self.redactor:document(name) or name
end

--- A new call of a session's tool; `entry` is nil for a tool it has not.
---@param self abridge.Session
---@param name string
---@param entry? table
---@param number integer of `begin_call`
---@param id? string
---@return table
function M.new(self, name, entry, number, id)
  local own_name = entry and entry.name or self.table_of_limits.aliases[name] or name
  local shown = entry and name or M.shown_name(self, name)
  local known = self.tools[own_name]
  local call = {
    number = number,
    tool = shown,
    own_name = own_name == name and shown or own_name,
    built_in = entry ~= nil and entry.built_in,
    call_id = id or M.id_of(number),
    limits = self:limits(own_name),
    ceiling = self.table_of_limits:ceiling_limits(own_name),
    ceiling_bound = known and known.built_in and self.table_of_limits:ceiling_bound(own_name) or nil,
    reason = entry and entry.tool.reason,
    redactor = self.redactor,
    started = host.now(),
  }
  call.save = saver(self, call)
  return call
end

local function absolute(self, path)
  local cwd = self.cwd
  if not cwd or cwd == "" or cwd == "." or path:sub(1, 1) == "/" then return path end
  return cwd:gsub("/+$", "") .. "/" .. path
end

--- The path that a tool gets for one it was given. Raises when it lies outside the session's root: what a tool does
--- not look at, it does not get.
local function path_of(self, call, path)
  if not self.root then return absolute(self, path) end
  if type(path) ~= "string" then error("ctx.path: path must be a string, got " .. type(path), 0) end
  local real = self.root:resolve(path, self.cwd, self.run.dir)
  if real then return real end
  call.outside = sentences.message("EOUTSIDE", { path = sentences.path(path) })
  call.outside_path = self.redactor and self.redactor:text(path) or path
  error(call.outside, 0)
end

--- End a job with what its tool raised.
function M.fail(call, job, message)
  call.failed = true
  local text = yielded.encoded(message, call.redactor)
  if text == "" then text = sentences.message("raised", { name = call.tool }) end
  local outside = text == call.outside and { error_code = "EOUTSIDE", path = call.outside_path } or nil
  job:finish { text = text, is_error = true, details = outside }
end

--- What a tool is handed beside its input.
function M.context(self, call, job)
  return {
    call_id = call.call_id,
    tool = call.tool,
    cwd = self.cwd,
    rooted = self.root ~= nil,
    env = self.opts.env,
    timeout = self.opts.timeout or math.min(COMMAND_SECONDS, self.timeout_max),
    search_timeout = self.opts.timeout or math.min(SEARCH_SECONDS, self.timeout_max),
    limits = self:limits(call.own_name),
    ceiling = call.ceiling and call.ceiling.max_bytes,
    databases = self.databases,
    names = self:names(),
    pages = self.pages,
    redactor = self.redactor,
    redacted = function(text)
      return self.redactor and self.redactor:text(text) or text
    end,
    redaction = function()
      return self.redactor and self.redactor:stream()
    end,
    allow_private = function(host_name, bytes)
      return self.allowed:has(host_name, bytes)
    end,
    path = function(path)
      return path_of(self, call, path)
    end,
    spawn = function(argv, opts, done)
      local process = require "abridge.process"
      local chunks = {}
      return process.spawn(argv, opts, {
        on_output = function(chunk)
          chunks[#chunks + 1] = chunk
        end,
        on_exit = function(outcome)
          local ok, message = pcall(done, table.concat(chunks), outcome)
          if not ok then M.fail(call, job, message) end
        end,
      })
    end,
    stream = function()
      local limits, ceiling = self:limits(call.own_name), nil
      local opts = limit.stream_options(limits, full_output_of(self, call))
      if call.ceiling and limit.may_exceed(limits, call.ceiling) then
        ceiling = limit.stream_options(limit.for_ceiling(limits, call.ceiling), false)
      end
      return source.open(opts, self.redactor, function()
        self.run:artifact_dir()
      end, ceiling)
    end,
    update = function(text)
      if call.updates and not job.finishing then call.updates:offer(text) end
    end,
    cancelled = function()
      return job.cancelled
    end,
    at_once = call.at_once,
  }
end

local UPDATE_MS = 100
local UTF8 = { utf8 = "replace" }

--- What may be shown of a text so far: of one that may go on, whole lines, as only these tell what is to be hidden.
local function so_far(redactor, text, goes_on)
  if not redactor then return text end
  if goes_on then return redactor:stream():feed(text) end
  return redactor:text(text)
end

--- Let a call hand the host what the model would see of it so far.
function M.follow(self, call, on_update)
  call.updates = updates.new(UPDATE_MS, function(shown)
    local is_text, limits = type(shown) == "string", self:limits(call.own_name)
    if not source.is_source(shown) then
      shown = yielded.encoded(shown, self.redactor)
    elseif shown.closed then
      return
    end
    if type(shown) == "string" then
      shown, limits = limit.cleaned(shown, limits)
      shown = so_far(self.redactor, shown, is_text)
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
