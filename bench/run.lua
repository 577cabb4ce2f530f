-- The benchmark, `make bench`: one program, one run. It compares us with rivals that do the same job and with limits
-- that nothing can beat, in medians and ratios of runs that take turns; last come the targets and what was measured.
--   make bench BENCH="cuts pages"    some sections only
--   make bench BENCH=gateway         the one that wants an nginx, .ci/nginx.sh
--   BENCH_SCALE=0.01 make bench      a hundredth of the sizes and times
local host = require "abridge.base.host"
local targets = require "run.targets"
local texts = require "run.texts"

local SECTIONS = { "cuts", "calls", "pages", "streams", "priority", "kinds", "history", "growth", "weight", "start" }

local APART = { gateway = true } -- wants an nginx: only by its name

local function wanted()
  if #arg == 0 then return SECTIONS end
  for _, name in ipairs(arg) do
    local known = APART[name] or false
    for _, section in ipairs(SECTIONS) do
      known = known or section == name
    end
    if not known then
      io.stderr:write(("bench: no section %s: %s\n"):format(name, table.concat(SECTIONS, ", ")))
      os.exit(2)
    end
  end
  return arg
end

local function measure_all(names)
  require "run.machine"()
  for _, name in ipairs(names) do
    collectgarbage()
    require("run." .. name)()
  end
  targets.print()
end

local closed = assert(host.uv(), "the benchmark wants luv").new_signal() -- a reader that goes: the files go too
closed:start("sigpipe", function() end)

local names = wanted()
local ok, message = xpcall(measure_all, debug.traceback, names)
texts.remove()
if not ok then error(message, 0) end
