--- `ctx`, a tool's second argument.

local check = require "abridge.base.check"
local paths = require "abridge.base.paths"
local calls = require "abridge.session.call"
local limit = require "abridge.output.limit"
local options = require "abridge.session.options"
local sentences = require "abridge.output.sentences"
local source = require "abridge.output.source"

local M = {}

local COMMAND_SECONDS, SEARCH_SECONDS = 120, 30 -- unless the session says otherwise

local function absolute(self, path)
  local cwd = self.cwd
  if not cwd or cwd == "" or cwd == "." then return path end
  return paths.joined(cwd, path)
end

--- The path to open for one that a tool was given. Raises when it lies outside the session's root.
local function path_of(self, call, path)
  if not self.root then return absolute(self, path) end
  if type(path) ~= "string" then error("ctx.path: path must be a string, got " .. type(path), 0) end
  local real = self.root:resolve(path, self.cwd, self.run.dir)
  if real then return real end
  call.outside = sentences.message("EOUTSIDE", { path = sentences.path(path) })
  call.outside_path = calls.redacted(self, path)
  error(call.outside, 0)
end

--- The options of a program: it starts in the session's folder, and a `cwd` is seen from there.
local function spawn_options(self, opts)
  if opts ~= nil and type(opts) ~= "table" then return opts end -- which raises
  local own = check.copied(opts or {})
  if own.cwd == nil then
    own.cwd = self.cwd ~= "" and self.cwd or nil
  elseif type(own.cwd) == "string" then
    own.cwd = absolute(self, own.cwd)
  end
  return own
end

--- Run a program; `done` gets everything it printed and how it ended. An error in `done` ends the call.
local function spawn(self, call, job, argv, opts, done)
  local chunks = {}
  return require("abridge.process").spawn(argv, spawn_options(self, opts), {
    on_output = function(chunk)
      chunks[#chunks + 1] = chunk
    end,
    on_exit = function(outcome)
      local ok, message = pcall(done, table.concat(chunks), outcome)
      if not ok then calls.fail(call, job, message) end
    end,
  })
end

--- A stream under the limits of a call, which keeps its full output.
---@param self abridge.Session
---@param call table
---@return abridge.Source
function M.stream(self, call)
  local limits, ceiled = call.limits, nil
  local opts = limit.stream_options(limits, calls.full_output(self, call))
  if call.ceiling and limit.may_exceed(limits, call.ceiling) then
    ceiled = limit.stream_options(limit.for_ceiling(limits, call.ceiling), false)
  end
  return source.open(opts, self.redactor, function()
    self.run:artifact_dir()
  end, ceiled)
end

--- The context of a call.
---@param self abridge.Session
---@param call table
---@param job abridge.Job
---@return table
function M.new(self, call, job)
  return {
    call_id = call.call_id,
    tool = call.tool,
    cwd = self.cwd,
    rooted = self.root ~= nil,
    env = self.opts.env,
    timeout = self.opts.timeout or math.min(COMMAND_SECONDS, self.timeout_max),
    search_timeout = self.opts.timeout or math.min(SEARCH_SECONDS, self.timeout_max),
    limits = limit.copy(call.limits),
    ceiling = call.ceiling and call.ceiling.max_bytes,
    databases = self.databases,
    shell = call.name_of "shell",
    pages = self.pages,
    redactor = self.redactor,
    at_once = call.at_once,
    redacted = function(text)
      return calls.redacted(self, text)
    end,
    redaction = function()
      return self.redactor and self.redactor:stream()
    end,
    allow_private = function(host_name, bytes)
      self.allowed = self.allowed or options.allowed_hosts()
      return self.allowed:has(host_name, bytes)
    end,
    path = function(path)
      return path_of(self, call, path)
    end,
    spawn = function(argv, opts, done)
      return spawn(self, call, job, argv, opts, done)
    end,
    stream = function()
      return M.stream(self, call)
    end,
    update = function(text)
      if call.updates and not job.finishing then call.updates:offer(text) end
    end,
    cancelled = function()
      return job.cancelled
    end,
  }
end

return M
