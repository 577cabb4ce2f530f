--- ripgrep, for the tools that search: where it is, where it looks, how it runs and ends, and the page that its
--- output fills.

local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local time_slices = require "abridge.base.time_slices"
local items = require "abridge.output.items"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"
local process = require "abridge.process"
local programs = require "abridge.process.programs"
local ignore_files = require "abridge.search.ignore_files"

local M = {}

local MOST_GATHERED = 16 * 1024 * 1024 -- bytes, under limits that forbid nothing or that keep the end
local MOST_SAID = 8 * 1024 -- bytes of rg's messages
local MOST_SHOWN = 200 -- chars of them in a notice
local MEMORY = 512 * 1024 * 1024 -- bytes of address space for rg
local STALL = 2 -- seconds without any progress

-- where rg is --------------------------------------------------------------------------

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
---@return string|nil message what to install
function M.ready()
  local path, message = M.program()
  if not path then return nil, message end
  local json
  json, message = host.json()
  return json and true, message
end

-- where it looks -----------------------------------------------------------------------

---@class (exact) abridge.RgPlace
---@field dir string folder to run in: globs are relative to it
---@field target string what to search in it
---@field shown string from the session's folder a file's path, or what goes before the paths in a folder

--- A result that is an error.
---@param name string of the sentence, and the code unless that is given
---@param values table for the sentence
---@param details? table
---@param code? string
---@return table
function M.failure(name, values, details, code)
  details = details or {}
  details.error_code = code or name
  return { text = sentences.message(name, values), is_error = true, details = details }
end

--- A path without what says nothing.
local function plain(path)
  path = path:gsub("/[/.]*/", function(between)
    return not between:find("..", 1, true) and "/" or nil
  end)
  return #path > 1 and path:gsub("/%.?$", "") or path
end

--- A path as it is from the session's folder. `..` stays, and so does what lies elsewhere: with links on the way they
--- may mean another folder than they seem to.
local function from_cwd(path, cwd)
  path = plain(path)
  while path:sub(1, 2) == "./" do
    path = path:sub(3)
  end
  if path:sub(1, 1) ~= "/" then return path end
  local base = plain(files.absolute(cwd or ".")) .. "/"
  if path .. "/" == base then return "." end
  return path:sub(1, #base) == base and path:sub(#base + 1) or path
end

--- What to search for a path that a model gave, or nil and the result that says what is wrong with it.
---@param given string|nil
---@param ctx table
---@param wanted? "directory" no file will do
---@return abridge.RgPlace|nil place
---@return table|nil failure
function M.place(given, ctx, wanted)
  if not given or given == "" then given = "." end
  local shown = { path = sentences.path(ctx.redacted(given)) }
  local details = { path = ctx.redacted(given) }
  if given:find("\0", 1, true) then return nil, M.failure("ENOENT", shown, details) end
  local path = ctx.path(given)
  local stat, message, code = host.uv().fs_stat(path)
  if not stat then
    if code == "ENOENT" or code == "ENOTDIR" then return nil, M.failure("ENOENT", shown, details) end
    if code == "EACCES" then return nil, M.failure("EACCES", shown, details) end
    shown.what = tostring(message):match "^%u[%u%d]*: ([^:]*)" or message -- the rest names another path than was given
    return nil, M.failure("EIO", shown, details)
  end
  local from_here = from_cwd(given, ctx.cwd)
  if stat.type == "directory" then
    local before = from_here == "." and "" or from_here:gsub("/$", "") .. "/"
    return { dir = path, target = "./", shown = before }
  end
  if wanted == "directory" then return nil, M.failure("ENOTDIR", shown, details) end
  if stat.type ~= "file" then
    shown.what = stat.type
    return nil, M.failure("ENOTREG", shown, details)
  end
  local dir, base = path:match "^(.*/)([^/]*)$"
  return { dir = dir or ".", target = "./" .. (base or path), shown = from_here }
end

--- A path of rg's output as other tools take it.
---@param place abridge.RgPlace
---@param path string
---@return string
function M.shown(place, path)
  if place.target ~= "./" then return place.shown end
  return place.shown .. (path:gsub("^%./", ""))
end

--- A glob as an argument, relative to the folder that is searched.
---@param glob string
---@return string
function M.glob(glob)
  return "--glob=" .. glob:gsub("^%./+", "")
end

--- rg's messages, with paths as other tools take them too; `./path` is one already.
local function with_shown_paths(said, place)
  if place.shown == "" then return said end
  return (("\n" .. said):gsub("(\n[rg: ]*)(%./[^\n]-)(: )", function(start, path, colon)
    return start .. M.shown(place, path) .. colon
  end):sub(2))
end

-- running ------------------------------------------------------------------------------

---@class (exact) abridge.RgEnd
---@field ended boolean all that rg could read has been seen
---@field timed_out? boolean
---@field signal? string what killed it
---@field problem? string what went wrong, in rg's own words where it has any
---@field code? string for the problem

---@param outcome abridge.process.Outcome
---@param said string rg's messages
---@param stopped boolean|nil nothing more was wanted
---@param fault string|nil what is wrong with an ignore file that it read
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

--- What rg says, redacted before it is cut.
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

--- All of it. A line that rg was killed in may have half a secret: it is left out where texts are redacted.
function Messages:words(killed)
  if self.redaction and not killed then self:keep(self.redaction:finish()) end
  return (table.concat(self.parts):gsub("%s+$", ""))
end

local FLAGS = { "--no-config", "--sort", "path", "--hidden", "--no-ignore-messages" }
--- With a root nothing outside it counts: neither ignore files, nor the excludes of a repository, which a file .git may
--- have anywhere, nor whether a repository is there.
local ROOTED = { "--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude", "--no-require-git" }
--- Without this rg opens the ignore files above all the same, to take nothing from them.
local UNREAD = { "--no-ignore-vcs" }

---@class (exact) abridge.RgRun
---@field place abridge.RgPlace
---@field arguments string[]
---@field on_chunk fun(chunk: string, work: abridge.Work): boolean|nil true stops rg
---@field on_end fun(finish: abridge.RgEnd, work: abridge.Work): table makes the result

--- Handles chunks one after the other, each in slices; what comes meanwhile waits, and rg with it.
---@class abridge.RgReader
---@field stopped? boolean nothing more is wanted
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

--- Handle what waits; when that is all and rg has ended, tell.
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

--- A program under a limit on its memory, where the system knows one. The shell sees no word of anyone's.
local function limited(program)
  local shell = programs.find "sh"
  if not shell then return { program } end
  local script = '{ ulimit -c 0; ulimit -v %d; } 2>/dev/null; exec "$@"'
  return { shell, "-c", script:format(MEMORY / 1024), "sh", program }
end

--- What to say of an ignore file that no search should read.
local function fault_words(fault, ctx)
  local path = ctx.redacted((fault.path:gsub("/%./", "/")))
  return sentences.message("ignore_file", { path = sentences.path(path), what = fault.what })
end

--- Run rg. What a callback raises becomes the result.
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
  local argv = limited(program)
  for _, list in ipairs { FLAGS, ctx.rooted and ROOTED or {}, above and UNREAD or {}, run.arguments } do
    for _, argument in ipairs(list) do
      argv[#argv + 1] = argument
    end
  end
  local said = messages(ctx.redaction())
  local reader = setmetatable({ on_chunk = run.on_chunk, chunks = {} }, Reader)
  function reader.on_exit(outcome)
    if reader.raised then return done { text = reader.raised, is_error = true } end
    local words = with_shown_paths(said:words(outcome.signal ~= nil), run.place)
    local function ended(found)
      local said_of_it = found and fault_words(found, ctx)
      reader.cancel = time_slices.start(function(work)
        return run.on_end(how_it_ended(outcome, words, reader.stopped, said_of_it), work)
      end, done)
    end
    local odd = outcome.stalled or outcome.signal or outcome.timed_out
    if not odd or outcome.cancelled then return ended() end
    local cancel = ignore_files.find(run.place.dir, ended)
    reader.cancel = cancel or reader.cancel
  end
  local child, code
  child, message, code = process.spawn(argv, {
    cwd = run.place.dir,
    merge_stderr = false,
    timeout = ctx.search_timeout,
    stall = STALL,
  }, {
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
  if child then
    reader.child = child
    return function()
      child:cancel()
      if reader.cancel then reader.cancel() end
    end
  end
  local what = code == "EACCES" and "EACCES" or "spawn"
  return M.failure(what, { path = sentences.path(ctx.redacted(run.place.dir)), what = message })
end

-- pages --------------------------------------------------------------------------------

--- The limits in force, never without a bound on the text.
local function bounded(limits)
  if limits.strategy == "pipeline" then
    limits.max_chars = limits.max_chars or MOST_GATHERED
  elseif not (limits.max_bytes or limits.max_chars or limits.max_tokens) then
    limits.max_bytes = MOST_GATHERED
  end
  return limits
end

--- How much text to gather so that a cut loses nothing that it would have shown.
local function room_for(limits)
  if (limits.strategy or "head") ~= "head" then return { bytes = MOST_GATHERED, lines = math.huge } end
  local bytes = math.min(
    limits.max_bytes or MOST_GATHERED,
    (limits.max_chars or MOST_GATHERED) * 4, -- bytes of a char, at most
    (limits.max_tokens or MOST_GATHERED) * 16 -- bytes that a cut gives a token, at most
  )
  return { bytes = math.min(bytes, MOST_GATHERED), lines = limits.max_lines or math.huge }
end

---@class abridge.RgPage Items from an offset on, until a limit is reached or more is there than can be shown.
---@field items string[]
---@field count integer items seen, those before the offset too
---@field offset integer
---@field limit integer|nil
---@field limits abridge.Limits
---@field reached? boolean an item beyond the limit was seen
---@field full? boolean more text is there than can be shown
local Page = {}
Page.__index = Page

--- A new page.
---@param ctx table
---@param input table the tool's: `offset`, `limit`
---@param limit_name "max_matches"|"max_results"
---@return abridge.RgPage
function M.page(ctx, input, limit_name)
  local limits = bounded(limit.copy(ctx.limits))
  return setmetatable({
    ctx = ctx,
    items = {},
    count = 0,
    offset = input.offset or 1,
    limit = input.limit or limits[limit_name],
    limits = limits,
    room = room_for(limits),
    bytes = -1, -- the first item has no newline before it
    lines = 0,
  }, Page)
end

--- There is one more item: is it wanted? That more follows is known only here, so a full page ends here too.
---@return "skip"|"take"|"stop"
function Page:next()
  self.count = self.count + 1
  if self.full then return "stop" end
  if self.count < self.offset then return "skip" end
  if self.limit and self.count - self.offset >= self.limit then
    self.reached = true
    return "stop"
  end
  return "take"
end

--- Is this more text, on top of what is gathered, than can be shown?
---@param bytes integer
---@param lines integer
---@return boolean
function Page:exceeds(bytes, lines)
  return self.bytes + 1 + bytes > self.room.bytes or self.lines + lines > self.room.lines
end

--- Add an item that is wanted.
---@param item string
function Page:add(item)
  local shown = self.ctx.redacted(item)
  local lines = math.max(core.count_lines(shown), 1)
  self.full = self.full or self:exceeds(#shown, lines)
  self.bytes, self.lines = self.bytes + 1 + #shown, self.lines + lines
  self.items[#self.items + 1] = item
end

--- Nothing on this page: nothing found at all, or nothing from the offset on.
local function nothing(self, listing)
  local unit, seen = listing.unit, self.count
  local details = listing.details
  if seen == 0 then return { text = sentences.nothing_found[unit], details = details } end
  if self.offset == seen + 1 then return { text = sentences.no_more[unit], details = details } end
  details.error_code = "EOFFSET"
  local text = sentences.message("beyond_" .. unit, { offset = self.offset, total = seen })
  return { text = text, is_error = true, details = details }
end

--- The result of a page.
---@param listing table what the tool knows of it: `unit`, `details`, and more of abridge.Listing
---@param finish abridge.RgEnd
---@param work abridge.Work
---@return table
function Page:value(listing, finish, work)
  local ctx, details = self.ctx, listing.details
  if finish.problem and self.count == 0 then
    details.error_code = finish.code
    return { text = finish.problem, is_error = true, details = details }
  end
  if finish.ended and #self.items == 0 and not self.reached then return nothing(self, listing) end
  listing.items, listing.offset, listing.limit = self.items, self.offset, self.limit
  listing.reached = self.reached
  if not self.reached then listing.reason = "size_cap" end -- of what time or room cut short
  listing.more = not finish.ended
  listing.total = self.count
  details.error = finish.problem
  if details.error and finish.ended then
    listing.notice = listing.notice or {}
    listing.notice.unread = core.line(details.error:match "[^\n]*", MOST_SHOWN)
  end
  local value = items.value(listing, setmetatable({ limits = self.limits }, { __index = ctx }), work)
  if finish.timed_out or not finish.ended and finish.problem then -- what was found is not all there is
    value.exit, value.is_error = sentences.search_ended(ctx.search_timeout, finish), true
  end
  return value
end

return M
