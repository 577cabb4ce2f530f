-- Runs the rows of spec/faults/ in a host of their own, one after the other, and prints a line a row:
--   ok NAME, skipped NAME<tab>REASON, failed NAME<tab>WHY
-- No row may leave a descriptor or a child. spec/faults/faults_spec.lua reads the lines.

local host = require "abridge.base.host"
local inject = require "faults.inject"
local paths = require "support.paths"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local only = os.getenv "ABRIDGE_FAULTS_ONLY" -- a part of the names: for those who look for one
local skipped = {}

--- Processes whose parent this is.
local function children()
  return paths.read(("/proc/self/task/%d/children"):format(uv.os_getpid())) or ""
end

--- What a row is handed.
local function tools(dir)
  return {
    dir = dir,
    eventually = waiting.eventually,
    with = inject.with,
    forked = inject.forked,
    in_children = inject.in_children,
    skip = function(reason)
      skipped.reason = reason
      error(skipped, 0)
    end,
  }
end

local function run(row)
  local dir = tmpdir.new()
  collectgarbage()
  local fds = resources.descriptors()
  local given = tools(dir)
  local ok, why = xpcall(function()
    row(given)
  end, function(problem)
    if problem == skipped then return skipped end
    if type(problem) == "table" then problem = problem.message end
    local where = debug.traceback("", 2):match "spec/faults/[^%s]*: in [^\n]*row" or ""
    return ("%s (%s)"):format(tostring(problem), where)
  end)
  dir:remove()
  if ok then
    collectgarbage()
    collectgarbage()
    local clean = waiting.eventually(function()
      return resources.descriptors() <= fds and children() == ""
    end)
    if not clean then
      ok, why = false, ("%d descriptors, %d before; children: %s"):format(resources.descriptors(), fds, children())
    end
  end
  return ok, why
end

local function say(word, name, why)
  local line = why and ("%s %s\t%s"):format(word, name, (why:gsub("\n", "\\n"))) or word .. " " .. name
  io.stdout:write(line, "\n")
  io.stdout:flush()
end

-- What the loop opens for its own use stays open: it is not to be blamed on the first row.
require("abridge").session({ run_dir = false }):call("run_command", { command = "true" })
uv.close(uv.new_pipe(false))

for _, part in ipairs { "disk", "pages", "processes", "programs", "clock" } do
  for _, entry in ipairs(require("faults." .. part)) do
    local name, row = entry[1], entry[2]
    if not only or name:find(only, 1, true) then
      local ok, why = run(row)
      if ok then
        say("ok", name)
      elseif why == skipped then
        say("skipped", name, skipped.reason)
      else
        say("failed", name, why)
      end
    end
  end
end
say("end", "of rows")
