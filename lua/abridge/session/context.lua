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

---@class (exact) abridge.ToolContext
---@field call_id string those of this call; `tool` is the name that was called
---@field tool string
---@field cwd? string the session's options
---@field env? table<string, string|false>
---@field timeout number seconds: 120 unless the session says otherwise, and 30 for a search
---@field search_timeout number
---@field rooted boolean whether the session has a `root`
---@field limits abridge.Limits the limits in force, as a new table
---@field ceiling? integer the session's ceiling in bytes; nil without one
---@field databases? table<string, any> the session's option of that name, for `sql_query`
---@field shell? string the model's name for a shell tool; nil if it has none
---@field pages table the session's notes on the files it has shown, for `read_file`
---@field private redactor? abridge.Redactor
--- the path, with the session's `cwd` in front if it is relative; with a `root`, the path it stands for, without links
--- or `..`. Raises if that is outside
---@field path fun(path: string): string
---@field redacted fun(text: string): string a text as it may be shown
--- the same for a text that arrives in chunks: its `feed(chunk)` and `finish()` return text that is ready; `nil` in a
--- session that redacts nothing
---@field redaction fun(): table|nil
--- whether the session's `allow_private` covers this host name or this address (a list of 4 or 16 bytes)
---@field allow_private fun(host: string|nil, bytes: integer[]|nil): boolean
--- starts a program, without a shell, and calls `done(output, outcome)` once it has ended. Returns a process with
--- `cancel()` and `pid`, or `nil, message, code`. It starts in the session's folder unless `opts.cwd` says otherwise (a
--- relative one is seen from there); its environment is that in `opts`, not the session's
---@field spawn fun(argv: string[], opts?: table, done: fun(output: string, outcome: table)): table|nil, string|nil
--- a [stream](#streams) under the limits in force, with the session's redaction and the call's full output, to be
--- returned as the value. `nil` if only a whole text can be cut: under the strategy `pipeline`, and under limits that
--- forbid nothing
---@field stream fun(): table|nil
--- passes the output so far, a text or such a stream, to the call's `on_update`, cut to the limits, without a notice;
--- of updates that come faster than every 100 ms, the newest counts
---@field update fun(text: any)
---@field cancelled fun(): boolean whether the job was cancelled
--- `true` if the call blocks and nothing can wait (it was made in a callback of the loop): only work done by the time
--- `execute` returns counts
---@field at_once? boolean

--- The context of a call.
---@param self abridge.Session
---@param call table
---@param job abridge.Job
---@return abridge.ToolContext
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
