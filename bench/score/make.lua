--- Makes a labelled log: writes the faulty program of a case into a folder, runs the real tool on it, and finds in what
--- it printed the lines that we know an engineer needs, because we made the fault.
---
--- A case is a table:
---   name      of the log
---   tools     programs that it needs, and files by their whole path, or a pattern of the shell for it; a machine
---             without one of them skips the case
---   family    what kind of output it is
---   write     function(dir): writes the files with `dir:write(path, text)`
---   command   for sh, run in that folder, stdout and stderr on one pipe, no stdin
---   needles   list of { why, text }: the one line that holds `text`; { why, like = pattern } for a Lua pattern. Where
---             several lines match, `pick = "first"` or `"last"` says which; without it that is a mistake of the case
---   succeeds  true when the command must exit with 0; it must fail without, unless `exits` names its code
--- and, to be scored by whole failures:
---   language, tool  what it counts for
---   block     all that explains the failure, a list in the order of the log: `from`, a text of its first line; `to`, a
---             text of its last, sought below the first, or `before`, one of the line below its last; without them
---             the block is one line. `like = true` makes them Lua patterns. `pick = "first"` is wanted where several
---             lines below the block before hold `from`
---   ci        the CI whose output stands around the tool's: see ci.lua

local ci = require "score.ci"
local measure = require "score.measure"

local M = {}

M.MIN_BYTES = 30 * 1024 -- every log is longer than the largest budget
M.WHY = { ["root cause"] = true, location = true, detail = true, summary = true }
local SECONDS = 120 -- a tool that takes longer is stopped

-- One language and no settings of the user's, so that the labels hold on every machine.
local ENVIRONMENT = [[
unset LUA_PATH LUA_CPATH LUA_INIT MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CLICOLOR_FORCE FORCE_COLOR NODE_OPTIONS
unset LUA_PATH_5_4 LUA_CPATH_5_4 LUA_INIT_5_4 GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE RUST_BACKTRACE
export LC_ALL=C.UTF-8 LANGUAGE= GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=detect_leaks=0 npm_config_update_notifier=false
]]

local function quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  file:close()
end

local Dir = {}
Dir.__index = Dir

--- A folder to write into, empty; `path` is taken over whole.
function M.dir(path)
  os.execute(("rm -rf %s && mkdir -p %s"):format(quote(path), quote(path)))
  return setmetatable({ path = path, made = {} }, Dir)
end

--- Write a file, and the folders on the way to it.
function Dir:write(name, text)
  local folder = name:match "^(.*)/[^/]*$"
  if folder and not self.made[folder] then
    os.execute("mkdir -p " .. quote(self.path .. "/" .. folder))
    self.made[folder] = true
  end
  write(self.path .. "/" .. name, text)
end

--- The first tool of a case that is not on this machine; nil when all are.
function M.missing(case)
  for _, tool in ipairs(case.tools) do
    local line = tool:find "^/" and "ls " .. tool or "command -v " .. quote(tool)
    local pipe = assert(io.popen(line .. " 2>/dev/null"))
    local found = pipe:read "*a" ~= ""
    pipe:close()
    if not found then return tool end
  end
  return nil
end

--- Run the command of a case in its folder; returns what it printed and its exit code.
local function run(case, path)
  local script = path .. "/../" .. case.name .. ".sh"
  write(script, ENVIRONMENT .. "cd " .. quote(path) .. " || exit 125\n" .. case.command .. "\n")
  local line = "{ $(command -v timeout >/dev/null && echo timeout -k 5 %d) sh %s </dev/null 2>&1; echo $? >%s; }"
    .. " 2>/dev/null | cat >%s"
  local log, code = path .. "/../" .. case.name .. ".log", path .. "/../" .. case.name .. ".code"
  os.execute(line:format(SECONDS, quote(script), quote(code), quote(log)))
  return read(log) or "", tonumber(read(code))
end

--- What a terminal shows of a line: no ANSI sequences, and what stands after the last carriage return.
local function shown(line)
  local text = measure.strip_ansi(line):gsub("\r+$", "")
  return text:match "([^\r]*)$"
end

--- The lines of a log as `{text=, offset=}`.
local function split(log)
  local lines = {}
  for offset, line in log:gmatch "()([^\n]*)\n?" do
    if offset <= #log then lines[#lines + 1] = { text = shown(line), offset = offset - 1 } end
  end
  return lines
end

--- How often a text is in a log, counted without overlaps.
local function occurrences(log, text)
  local n, from = 0, 1
  while true do
    local first, last = log:find(text, from, true)
    if not first then return n end
    n, from = n + 1, last + 1
  end
end

--- The line of a needle; raises when it is not there, or when there are several and none is asked for.
local function find(case, wanted, lines)
  local what = wanted[2] or wanted.like
  local found = {}
  for i, line in ipairs(lines) do
    if line.text:find(what, 1, wanted.like == nil) then found[#found + 1] = i end
  end
  if #found == 0 then error(("%s: no line holds %q"):format(case.name, what), 0) end
  if #found > 1 and not wanted.pick then error(("%s: %d lines hold %q"):format(case.name, #found, what), 0) end
  return wanted.pick == "last" and found[#found] or found[1]
end

--- The first and last line of a block, sought past line `past`; raises when it is not there, or in more than one place.
local function find_block(case, wanted, lines, past)
  local function seek(text, from)
    for i = from, #lines do
      if lines[i].text:find(text, 1, not wanted.like) then return i end
    end
  end
  local first = seek(wanted.from, past + 1)
  if not first then error(("%s: no line past line %d holds %q"):format(case.name, past, wanted.from), 0) end
  local again = not wanted.pick and seek(wanted.from, first + 1)
  if again then error(("%s: lines %d and %d hold %q"):format(case.name, first, again, wanted.from), 0) end
  local final = wanted.to or wanted.before
  local last = not final and first or seek(final, first + 1)
  if not last then error(("%s: no line past line %d holds %q"):format(case.name, first, final), 0) end
  return { first, wanted.before and last - 1 or last }
end

--- Where the needles stand: all in the first fifth, all in the last, all between, or spread.
local function position(fractions)
  if #fractions == 0 then return "none" end
  local function all(low, high)
    for _, fraction in ipairs(fractions) do
      if fraction < low or fraction > high then return false end
    end
    return true
  end
  return all(0, 0.2) and "head" or all(0.8, 1) and "tail" or all(0.2, 0.8) and "middle" or "spread"
end

--- Label what a case printed; raises when a needle is not where the case says.
function M.label(case, log, exit_code)
  local lines = split(log)
  local plain, entry = measure.strip_ansi(log), { needles = {}, needle_fractions = {} }
  for i, wanted in ipairs(case.needles or {}) do
    assert(M.WHY[wanted[1]], case.name .. ": a needle is a root cause, a location, a detail or a summary")
    local at = find(case, wanted, lines)
    local text = lines[at].text
    entry.needles[i] = { line = at, text = text, why = wanted[1], occurrences = occurrences(plain, text) }
    entry.needle_fractions[i] = math.floor(lines[at].offset / #log * 1000 + 0.5) / 1000
  end
  if case.block then
    entry.blocks = {}
    for i, wanted in ipairs(case.block) do
      entry.blocks[i] = find_block(case, wanted, lines, i > 1 and entry.blocks[i - 1][2] or 0)
    end
  end
  entry.name, entry.language, entry.command = case.name, case.language, case.command
  entry.tool = case.tool or case.tools[1]
  entry.family, entry.fault_group = case.family, case.name
  entry.kind = case.succeeds and "success" or "failure"
  entry.bytes, entry.lines, entry.exit_code = #log, #lines, exit_code
  entry.position = position(entry.needle_fractions)
  entry.ansi = log:find("\27", 1, true) ~= nil
  entry.carriage_returns = select(2, log:gsub("\r", ""))
  return entry
end

--- Make the log of a case under `folder`, in NAME.log, and its entry; raises when it is not what the case says.
function M.make(case, folder)
  local dir = M.dir(folder .. "/" .. case.name)
  case.write(dir)
  local log, exit_code = run(case, dir.path)
  local want = case.succeeds and 0 or case.exits
  if exit_code == nil or (want and exit_code ~= want) or (not want and exit_code == 0) then
    error(("%s: exit code %s; see %s/%s.log"):format(case.name, tostring(exit_code), folder, case.name), 0)
  end
  if case.ci then
    log = ci.wrap(case, log, exit_code)
    write(("%s/%s.log"):format(folder, case.name), log)
  end
  if #log <= M.MIN_BYTES then error(("%s: only %d bytes"):format(case.name, #log), 0) end
  local entry = M.label(case, log, exit_code)
  os.execute("rm -rf " .. quote(dir.path))
  return entry, log
end

return M
