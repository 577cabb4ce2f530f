--- A run read back: events of its log, and full outputs. Another process may be writing it.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local fit = require "abridge.output.fit"
local sentences = require "abridge.output.sentences"
local artifact = require "abridge.run.artifact"
local folder = require "abridge.run.folder"
local stats = require "abridge.run.stats"

local M = {}

local LOG, ARTIFACTS = folder.LOG, folder.ARTIFACTS

-- full outputs -----------------------------------------------------------------------

--- The file that holds a call's full output.
---@param self { dir: string }
---@param event table with a `full_output`
---@return string|nil path
---@return string|nil message
---@return string|nil code as of `Run:open_output`
function M.kept_path(self, event)
  local name = tostring(event.full_output.path):match("^" .. ARTIFACTS .. "/(.*)$")
  if not (name and name:find(folder.ARTIFACT)) then return nil, "The log names no file of this run", "EINVAL" end
  local dir = self.dir .. "/" .. ARTIFACTS
  local path = dir .. "/" .. name
  for place, kind in pairs { [dir] = "directory", [path] = "file" } do -- we wrote no links there
    local stat = host.uv().fs_lstat(place)
    if stat and stat.type ~= kind then return nil, "Not of this run: " .. sentences.path(place), "EPERM" end
  end
  return path
end

--- The part of its output that a call shows: the content without exit line and notice, which are never part of a full
--- output.
---@param event table the call's `tool_result`
---@return string
function M.shown_text(event)
  local content = type(event.content) == "string" and event.content or ""
  local block, cut = event.truncation, event.cut
  if type(cut) == "table" and cut.total_bytes == 0 then return "" end -- words in place of nothing
  local bytes = type(block) == "table" and check.is_count(block.bytes_returned) and block.bytes_returned or #content
  local body, exit, said = content:sub(1, bytes), event.exit_line, event.notice
  local trailer = fit.trailer(body, type(exit) == "string" and exit or nil, type(said) == "string" and said or nil)
  return content:sub(#body + 1) == trailer and body or content
end

--- What to say of a full output that was pruned.
local function pruned(event, path)
  return ("The full output of %s is gone: %s"):format(event.call_id or "a call", sentences.path(path))
end

--- Why a full output is not whole.
local function problem_of(kept)
  return type(kept.error) == "string" and kept.error or nil
end

--- A page of the file that holds a call's full output.
---@param self { dir: string, index: userdata }
---@param event table with its `call_id` and `full_output`
---@param opts abridge.PageOptions
---@return string|nil content
---@return abridge.PageInfo|string|nil page the message when there is no content
---@return string|nil code
function M.kept_page(self, event, opts)
  local path, message, problem = M.kept_path(self, event)
  if not path then return nil, message, problem end
  local content, info, code = artifact.file_page(path, opts, self.index)
  if content then
    info.full_output_error = problem_of(event.full_output)
  elseif code == "ENOENT" then
    info = pruned(event, path)
  end
  return content, info, code
end

-- events --------------------------------------------------------------------------

--- Does a session still write a run? If not, calls without a result will get none. True if that cannot be told.
---@param dir string
---@return boolean
function M.is_written(dir)
  if not host.uv().fs_lstat(dir .. "/" .. LOG) then return false end
  local log = core.log(dir, LOG)
  if not log then return true end
  log:close()
  return false
end

---@class abridge.Run A run's folder, open to read; another process may be writing it.
---@field dir string
---@field broken integer lines that weren't events, in the last read
---@field too_long integer lines that were skipped, in the last read
---@field on_read? fun(position: integer) called with the start of each line of the log that is read
local Run = {}
Run.__index = Run
Run.__name = "abridge.Run"

--- Open the folder of a run to read it. A writer may be at work in it, or may have been killed.
---@param dir string
---@return abridge.Run|nil run
---@return string|nil message
---@return string|nil code ENOENT when there is no log in that folder
function M.open(dir)
  if type(dir) ~= "string" then check.fail("abridge.open_run: dir must be a string, got " .. check.show(dir)) end
  local uv, json, code = folder.libraries()
  if not uv then return nil, json, code end
  if dir == "" or dir:find("\0", 1, true) then return nil, "No such run: " .. sentences.path(dir), "ENOENT" end
  local self = setmetatable({ dir = files.absolute(dir), json = json, broken = 0, too_long = 0 }, Run)
  self.index = core.index()
  local readable, message
  readable, message, code = files.with_open(self.dir .. "/" .. LOG, function()
    return true
  end)
  if readable then return self end
  if code ~= "ENOENT" and code ~= "ENOTDIR" then return nil, message, code end
  return nil, ("No run in %s: it has no %s"):format(sentences.path(dir), LOG), "ENOENT"
end

--- Call `visit(event, line, start)` with each event from a position on, its line and the start of that; it may return
--- false to stop.
---@param visit fun(event: abridge.Event, line: string, start: integer): boolean|nil
---@param position? integer 0, or what this function returned before
---@param pause? fun(): boolean called with each block of a line that is skipped; false to stop there
---@return integer|nil position where the next event will start
---@return string|nil message
---@return string|nil code
function Run:each(visit, position, pause)
  if self.closed then return nil, "The run is closed", "EBADF" end
  self.broken, self.too_long = 0, 0
  return files.each_line(self.dir .. "/" .. LOG, position or 0, function(line, start)
    if self.on_read then self.on_read(start) end
    local event = folder.decoded(self.json, line)
    if event then return visit(event, line, start) end
    self.broken = self.broken + 1
  end, function(_, first)
    self.too_long = self.too_long + (first and 1 or 0)
    return not pause or pause()
  end)
end

local FILTER = { tool = "string", type = "string", call_id = "string", since = check.count }

--- Check a filter of events; raises at the level of the caller of `who`.
---@param who string
---@param filter any
---@return abridge.EventFilter
function M.check_filter(who, filter)
  local checked = check.options(who, filter, FILTER, 2)
  return checked -- no tail call: the level of an error counts this function
end

---@class (exact) abridge.EventFilter
---@field tool? string events with this name, type or id
---@field type? "tool_call"|"tool_result"|"display"
---@field call_id? string
---@field since? integer events after the one with this `seq`

--- The events of the run, in order. A line that is being written is left out; `run.broken` counts lines that aren't
--- events, `run.too_long` those of over 32 MB, which are skipped.
---@param filter? abridge.EventFilter
---@return abridge.Event[]|nil events
---@return string|nil message
---@return string|nil code
function Run:events(filter)
  filter = M.check_filter("run:events", filter)
  local events = {}
  local position, message, code = self:each(function(event)
    for _, key in ipairs { "tool", "type", "call_id" } do
      if filter[key] and event[key] ~= filter[key] then return end
    end
    if filter.since and not (type(event.seq) == "number" and event.seq > filter.since) then return end
    events[#events + 1] = event
  end)
  if not position then return nil, message, code end
  return events
end

--- The costs of the run's calls, for each tool and in all. Cost: a pass over the log, in memory that depends on the
--- number of tools and of calls without a result.
---@return abridge.RunStats|nil stats
---@return string|nil message
---@return string|nil code
function Run:stats()
  local all = stats.new()
  local position, message, code = self:each(function(event)
    all:add(event)
  end)
  if not position then return nil, message, code end
  return all:sums()
end

--- The last result of a call; nil, message, code when there is none.
local function result_event(self, call_id)
  local plain = call_id:find "^[%w_-]+$" and call_id -- as it is in JSON: other lines need not be decoded
  local known, result, long = false, nil, false
  local position, message, code = files.each_line(self.dir .. "/" .. LOG, 0, function(line, start)
    if self.on_read then self.on_read(start) end
    local event = not (plain and not line:find(plain, 1, true)) and folder.decoded(self.json, line)
    if not event or event.call_id ~= call_id then return end
    known = true
    if event.type == "tool_result" then result = event end
  end, function()
    long = true
  end)
  if not position then return nil, message, code end
  if result then return result end
  if long then
    local values = { id = call_id, size = core.format_size(files.LINE) }
    return nil, sentences.message("log_long", values), known and "EAGAIN" or "ENOENT"
  end
  if known then return nil, ("Call %s has no result yet"):format(call_id), "EAGAIN" end
  return nil, "No such call: " .. call_id, "ENOENT"
end

--- A page of the output of a call as it would show without a budget, by default as much as read_file shows. Follow
--- `next_offset` and `next_column`: pages joined by a newline, or by nothing after a page with a `next_column`, rebuild
--- it.
---@param call_id string
---@param opts? abridge.PageOptions
---@return string|nil content
---@return abridge.PageInfo|string|nil page the message when there is no content
---@return string|nil code ENOENT (no such call, or its file was pruned), EAGAIN (not done yet), EOFFSET, ECOLUMN
function Run:full_output(call_id, opts)
  opts = artifact.check("run:full_output", call_id, opts)
  if self.closed then return nil, "The run is closed", "EBADF" end
  local event, message, code = result_event(self, call_id)
  if not event then return nil, message, code end
  local kept = type(event.full_output) == "table" and event.full_output or {}
  if kept.path then return M.kept_page(self, event, opts) end
  local content, info
  content, info, code = artifact.text_page(M.shown_text(event), opts)
  local block = event.truncation
  if content and type(block) == "table" and block.truncated then
    info.full_output_error = problem_of(kept) or "the full output was not kept"
  end
  return content, info, code
end

--- Open the file that holds the full output of a call, to read it by blocks.
---@param event table the call's `tool_result`, with a `full_output`
---@return integer|nil fd the caller's to close
---@return table|string stat the message when there is no fd
---@return string|nil code ENOENT when the file was pruned, EINVAL when the log names no file of this run, EPERM when
---  it is a link
function Run:open_output(event)
  local path, message, problem = M.kept_path(self, event)
  if not path then return nil, message, problem end
  local fd, stat, code = files.open(path)
  if not fd and code == "ENOENT" then stat = pruned(event, path) end
  return fd, stat, code
end

--- Let go of the run. Idempotent.
function Run:close()
  self.closed = true
end

return M
