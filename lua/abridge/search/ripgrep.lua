--- ripgrep, for the tools that search: its place, its runs and their ends.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local time_slices = require "abridge.base.time_slices"
local sentences = require "abridge.output.sentences"
local places = require "abridge.search.place"
local process = require "abridge.process"
local programs = require "abridge.process.programs"
local ignore_files = require "abridge.search.ignore_files"

local M = {}

local MOST_SAID = 8 * 1024 -- bytes of rg's messages
local MEMORY = 512 * 1024 * 1024 -- bytes of address space for rg
local STALL = 2 -- seconds without any progress

-- place of rg --------------------------------------------------------------------------

--- The whole path of rg.
---@return string|nil path
---@return string|nil message
function M.program()
  local uv, message = host.uv()
  if not uv then return nil, message end
  local path = programs.find "rg"
  return path, not path and sentences.message("no_ripgrep", {}) or nil
end

---@return true|nil ready
---@return string|nil message on the package to install
function M.ready()
  local path, message = M.program()
  if not path then return nil, message end
  local json
  json, message = host.json()
  return json and true, message
end

-- running ------------------------------------------------------------------------------

--- rg's messages, with paths as other tools take them; `./path` is fine already.
local function with_shown_paths(said, place)
  if place.shown == "" then return said end
  return (
    ("\n" .. said)
      :gsub("(\n[rg: ]*)(%./[^\n]-)(: )", function(start, path, colon)
        return start .. places.shown(place, path) .. colon
      end)
      :sub(2)
  )
end

---@class (exact) abridge.RgEnd
---@field ended boolean everything that rg could read has been searched
---@field timed_out? boolean
---@field signal? string that killed it
---@field problem? string the failure, in rg's own words if it has any
---@field code? string for the problem

---@param outcome abridge.process.Outcome
---@param said string rg's messages
---@param stopped boolean|nil nothing more was wanted
---@param fault string|nil the problem with an ignore file that it read
local function how_it_ended(outcome, said, stopped, fault)
  if stopped then return { ended = false } end
  if fault then return { ended = false, problem = fault, code = "ENOTREG" } end
  if outcome.timed_out then return { ended = false, timed_out = true } end
  if outcome.stalled then
    return { ended = false, problem = sentences.message("rg_stalled", { seconds = STALL }), code = "ETIMEDOUT" }
  end
  if outcome.signal and said:find("memory allocation", 1, true) then
    local size = core.format_size(MEMORY)
    return { ended = false, problem = sentences.message("rg_memory", { size = size }), code = "ENOMEM" }
  end
  local finish = { ended = not (outcome.signal or outcome.error), signal = outcome.signal }
  if outcome.signal or (outcome.code or 0) > 1 then
    finish.problem = said ~= "" and said or sentences.message("rg_failed", { what = outcome.signal or outcome.code })
    local denied = said:find("Permission denied", 1, true)
    local system = outcome.signal or said:find("os error", 1, true)
    finish.code = denied and "EACCES" or system and "EIO" or "EINVAL"
  elseif outcome.error then
    finish.problem, finish.code = outcome.error, "EIO"
  end
  return finish
end

--- rg's messages, redacted before they are cut.
local Messages = {}
Messages.__index = Messages

local function messages(redaction)
  return setmetatable({ redaction = redaction, parts = {}, size = 0 }, Messages)
end

function Messages:keep(text)
  self.parts[#self.parts + 1] = text:sub(1, MOST_SAID - self.size)
  self.size = math.min(self.size + #text, MOST_SAID)
end

function Messages:add(chunk)
  if self.size < MOST_SAID then self:keep(self.redaction and self.redaction:feed(chunk) or chunk) end
end

--- All of them. If rg was killed in a line, that may have half a secret: with redaction it is left out.
function Messages:words(killed)
  if self.redaction and not killed then self:keep(self.redaction:finish()) end
  return table.concat(self.parts):match "^.*%S" or ""
end

local FLAGS = { "--no-config", "--sort", "path", "--hidden", "--no-ignore-messages" }
--- With a root nothing outside it counts: neither ignore files, nor the excludes of a repository, which a .git file may
--- keep anywhere, nor whether there is a repository.
local ROOTED = { "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude", "--no-require-git" }
--- Without this rg still opens the ignore files above, though it takes nothing from them.
local UNREAD = { "--no-ignore-vcs" }

---@class (exact) abridge.RgRun
---@field place abridge.SearchPlace
---@field arguments string[]
---@field on_chunk fun(chunk: string, work: abridge.Work): boolean|nil true stops rg
---@field on_end fun(finish: abridge.RgEnd, work: abridge.Work): table makes the result

--- Handles chunks one by one, each in slices; meanwhile the next chunks wait, and so does rg.
---@class abridge.RgReader
---@field stopped? boolean enough has been found
---@field raised? string
---@field outcome? abridge.process.Outcome rg has ended
---@field busy? boolean a chunk is being handled
local Reader = {}
Reader.__index = Reader

function Reader:handle(chunk)
  self.busy = true
  local later = false
  self.cancel = time_slices.start(function(work)
    return { enough = self.on_chunk(chunk, work) }
  end, function(value)
    self.busy = false
    self.raised = value.is_error and value.text or nil
    if value.enough or value.is_error then
      self.stopped, self.chunks = true, {}
      self.child:cancel()
    end
    if later then self:go_on() end
  end)
  later = true
end

--- Handle the chunks that wait; after the last one, if rg has ended, finish.
function Reader:go_on()
  while self.chunks[1] and not self.busy do
    self:handle(table.remove(self.chunks, 1))
  end
  if self.busy then return self.child:hold() end
  if self.outcome then return self.on_exit(self.outcome) end
  self.child:release()
end

function Reader:take(chunk)
  if self.stopped then return end
  self.chunks[#self.chunks + 1] = chunk
  if not self.busy then self:go_on() end
end

function Reader:finish(outcome)
  self.outcome = outcome
  if not self.busy then self:go_on() end
end

--- A program under a limit on its memory, if the system has one. The shell parses nothing but our script.
local function limited(program)
  local shell = programs.find "sh"
  if not shell then return { program } end
  local script = '{ ulimit -c 0; ulimit -v %d; } 2>/dev/null; exec "$@"'
  return { shell, "-c", script:format(MEMORY / 1024), "sh", program }
end

--- The message about an ignore file that no search should read.
local function fault_words(fault, ctx)
  local path = ctx.redacted((fault.path:gsub("/%./", "/")))
  return sentences.message("ignore_file", { path = sentences.path(path), what = fault.what })
end

--- The command line of a run.
---@param unread boolean there are ignore files above the folder that nothing may be read from
local function command_line(program, run, ctx, unread)
  local argv = limited(program)
  for _, list in ipairs { FLAGS, ctx.rooted and ROOTED or {}, unread and UNREAD or {}, run.arguments } do
    for _, argument in ipairs(list) do
      argv[#argv + 1] = argument
    end
  end
  return argv
end

--- Make the result once rg has ended. If rg was killed or stalled, an ignore file may be why.
local function on_exit(run, ctx, reader, said, done)
  return function(outcome)
    if reader.raised then return done { text = reader.raised, is_error = true } end
    local words = with_shown_paths(said:words(outcome.signal ~= nil), run.place)
    local function ended(fault)
      local problem = fault and fault_words(fault, ctx)
      reader.cancel = time_slices.start(function(work)
        return run.on_end(how_it_ended(outcome, words, reader.stopped, problem), work)
      end, done)
    end
    local odd = outcome.stalled or outcome.signal or outcome.timed_out
    if not odd or outcome.cancelled then return ended() end
    local cancel = ignore_files.find(run.place.dir, ended)
    reader.cancel = cancel or reader.cancel
  end
end

--- Run rg. An error in a callback becomes the result.
---@param run abridge.RgRun
---@param ctx table
---@param done fun(value: table)
---@return table|fun() value an error at once, or a function that cancels
function M.run(run, ctx, done)
  local program, message = M.program()
  if not program then return { text = message, is_error = true } end
  local fault = ignore_files.inside(run.place.dir)
  local above = ignore_files.above(run.place.dir)
  if above and not ctx.rooted then fault = fault or above end
  if fault then return { text = fault_words(fault, ctx), is_error = true, details = { error_code = "ENOTREG" } } end
  local said = messages(ctx.redaction())
  local reader = setmetatable({ on_chunk = run.on_chunk, chunks = {} }, Reader)
  reader.on_exit = on_exit(run, ctx, reader, said, done)
  local opts = { cwd = run.place.dir, merge_stderr = false, timeout = ctx.search_timeout, stall = STALL }
  local child, why, code = process.spawn(command_line(program, run, ctx, above ~= nil), opts, {
    on_output = function(chunk)
      reader:take(chunk)
    end,
    on_stderr = function(chunk)
      said:add(chunk)
    end,
    on_exit = function(outcome)
      reader:finish(outcome)
    end,
  })
  if not child then
    local name = code == "EACCES" and "EACCES" or "spawn"
    return places.failure(name, { path = sentences.path(ctx.redacted(run.place.dir)), what = why }, nil, code)
  end
  reader.child = child
  return function()
    child:cancel()
    if reader.cancel then reader.cancel() end
  end
end

return M
