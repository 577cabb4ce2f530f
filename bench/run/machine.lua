--- Which machine this is, and what is compared with what.
local abridge = require "abridge"
local core = require "abridge.core"
local simd = rawget(core, "simd")
local host = require "abridge.base.host"
local limit = require "limit"
local measure = require "run.measure"

local uv = host.uv()

local function first_line(command)
  local pipe = io.popen(command .. " 2>&1")
  local line = pipe:read "*l"
  pipe:close()
  return line
end

--- The versions of the programs that rivals run in, of those that are here; pi's is in the path of its module.
local function rivals()
  local found = {}
  for _, command in ipairs { "luajit -v", "python3 --version", "node --version" } do
    local name = command:match "%S+"
    if measure.has(name) then found[#found + 1] = name .. " " .. (first_line(command):match "%d[%w.%-]*" or "?") end
  end
  local file = io.open "build/bench/pi.txt"
  local pi = file and file:read("*a"):match "pi/([%d.]+)/package"
  if file then file:close() end
  if pi then found[#found + 1] = "pi " .. pi end
  return table.concat(found, ", ")
end

local function print_machine()
  local cpus, system = assert(uv.cpu_info()), uv.os_uname()
  local memory = abridge.format_size(uv.get_total_memory())
  local compiler = os.getenv "CC" or "cc"
  local rows = {
    { "machine", ("%s, %d cores, %s of memory"):format(cpus[1].model, #cpus, memory) },
    { "system", ("%s %s %s"):format(system.sysname, system.release, system.machine) },
    { "load before", ("%.2f, of %d cores"):format(uv.loadavg(), #cpus) },
    { "compiler", first_line(compiler .. " --version") },
    { "Lua", rawget(_G, "jit") and rawget(_G, "jit").version or _VERSION },
    { "rivals", rivals() },
    { "kernels", simd and simd() or "the core does not say" },
    { "only reads", "each byte once, with " .. limit.vector },
  }
  if measure.scale ~= 1 then rows[#rows + 1] = { "scale", ("%g of every size and time"):format(measure.scale) } end
  for _, row in ipairs(rows) do
    print(("%-12s %s"):format(row[1], row[2]))
  end
end

return print_machine
