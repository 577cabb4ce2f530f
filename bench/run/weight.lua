--- What abridge weighs: the core by room, and on each host what it takes to load it and to open a session.
local host = require "abridge.base.host"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local uv = host.uv()

local MOST_RUNS = 21
local NEWER = "build/hosts/bin/"
local HOSTS = { "lua5.5", "lua5.4", "lua5.3", "lua5.2", "lua5.1", "luajit", "nvim0.7", "nvim0.10", "nvim0.12" }

--- The rooms, and the bytes that release 0.1.0 had of each, as gcc 12 made them for x86-64.
local ROOMS = {
  { "base", 1782 },
  { "text", 25614 },
  { "budget", 5720 },
  { "line", 0 },
  { "priority", 61280 },
  { "kinds", 0 },
  { "cut", 15595 },
  { "clean", 22181 },
  { "files", 9244 },
  { "stream", 6294 },
  { "page", 9790 },
  { "splice", 0 },
  { "block", 2655 },
  { "lua", 43617 },
}

--- Run by a fresh host: milliseconds, KB and modules of abridge, after `require` and after the first session.
local PROBE = [[
local function kilobytes() collectgarbage() collectgarbage() return collectgarbage "count" end
local function modules()
  local count = 0
  for name in pairs(package.loaded) do if name:find "^abridge" then count = count + 1 end end
  return count
end
local empty, began = kilobytes(), os.clock()
local function tell()
  local seconds = os.clock() - began
  io.write(("%.6f\t%.0f\t%d\t"):format(seconds, kilobytes() - empty, modules()))
end
local abridge = require "abridge"
tell()
empty, began = kilobytes(), os.clock()
abridge.session { run_dir = false }:close()
tell()
io.write "\n"
if vim then vim.cmd "qa!" end
]]

local function command_of(program, path)
  if not program:find "nvim" then return { program, path } end
  return { program, "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set shada=", "-c", "luafile " .. path }
end

--- The program of a host; nil where it is not here.
local function program_of(name)
  if uv.fs_stat(NEWER .. name) then return NEWER .. name end
  if not name:find "^nvim" then return measure.has(name) and name or nil end
  local said = measure.has "nvim" and measure.output_of { "nvim", "--version" } or ""
  return said:find("NVIM v" .. name:match "[%d.]+" .. ".", 1, true) and "nvim" or nil
end

--- The medians of the numbers that a host's probe writes, a process a run.
local function probed(program, version, path)
  local columns = { {}, {}, {}, {}, {}, {} }
  local cpath = os.getenv "LUA_CPATH"
  uv.os_setenv("LUA_CPATH", ("build/%s/?.so;;"):format(version))
  for _ = 1, math.max(3, math.floor(MOST_RUNS * math.min(1, measure.scale))) do
    local at = 0
    for number in measure.output_of(command_of(program, path)):gmatch "[%d.]+" do
      at = at + 1
      table.insert(columns[at], tonumber(number))
    end
  end
  uv.os_setenv("LUA_CPATH", cpath or "")
  for i, values in ipairs(columns) do
    columns[i] = measure.median(values)
  end
  return columns
end

local function print_hosts()
  local path, rows = os.tmpname(), {}
  local file = assert(io.open(path, "w"))
  file:write(PROBE)
  file:close()
  for _, name in ipairs(HOSTS) do
    local program, version = program_of(name), name:match "^lua(5.*)" or "5.1"
    local core = uv.fs_stat(("build/%s/abridge/core.so"):format(version))
    if program and core then
      local told = probed(program, version, path)
      rows[#rows + 1] = { name, report.digits(core.size / 1024) }
      for i, value in ipairs(told) do
        rows[#rows][i + 2] = i % 3 == 1 and report.time(value) or ("%d"):format(value)
      end
      if name == "lua5.4" then
        targets.measured("require", told[1] * 1e3)
        targets.measured("require_memory", told[2])
      end
    else
      rows[#rows + 1] = { name, "not here" }
    end
  end
  os.remove(path)
  local columns = { "core.so, KB", "require", "KB", "modules", "a session", "KB", "modules" }
  report.print('core.so, `require "abridge"`, and the first session after it', columns, rows)
end

--- Bytes of code and data in the objects of a room.
local function bytes_of(room)
  local folder = ("build/obj/%s/csrc/%s"):format(room == "lua" and "5.4" or "c", room)
  local said, sum = measure.output_of { "sh", "-c", "find " .. folder .. " -name '*.o' | xargs size" }, 0
  for text, data, zeros in said:gmatch "\n *(%d+)\t *(%d+)\t *(%d+)" do
    sum = sum + text + data + zeros
  end
  return sum
end

local function print_rooms()
  if not measure.has "size" then return print "\nno `size` here: the core is not told by room" end
  local rows, now, before = {}, 0, 0
  for i, room in ipairs(ROOMS) do
    local bytes = bytes_of(room[1])
    rows[i] = { room[1], ("%d"):format(bytes), ("%d"):format(room[2]), ("%+d"):format(bytes - room[2]) }
    now, before = now + bytes, before + room[2]
  end
  rows[#rows + 1] = { "all", ("%d"):format(now), ("%d"):format(before), ("%+d"):format(now - before) }
  report.print("Bytes of the core by room", { "now", "in 0.1.0", "gained" }, rows)
end

return function()
  print_hosts()
  print_rooms()
end
