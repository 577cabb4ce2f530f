-- Times the Lua rivals, and ours, in the Lua that runs this.
--   rival.lua SECONDS [FILE MAX_LINES MAX_BYTES]...
-- Prints for each file and rival: number of the file, name, seconds a call, lines counted, bytes kept; tabs between.
local abridge = require "abridge"
local measure = require "run.measure"
local rivals = require "run.lua_rivals"

local function ours(text, max_lines, max_bytes)
  local kept, cut = abridge.tail(text, { max_lines = max_lines, max_bytes = max_bytes })
  return kept, cut.total_lines
end

local seconds = tonumber(arg[1])
for i = 2, #arg, 3 do
  local file = assert(io.open(arg[i], "rb"))
  local text = file:read "*a"
  file:close()
  local max_lines, max_bytes = tonumber(arg[i + 1]), tonumber(arg[i + 2])
  for _, rival in ipairs { { "abridge", ours }, { "find", rivals.find }, { "split", rivals.split } } do
    local kept, lines = rival[2](text, max_lines, max_bytes)
    local function run()
      rival[2](text, max_lines, max_bytes)
    end
    local medians = measure.turns({ run }, seconds)
    print(("%d\t%s\t%.12f\t%d\t%d"):format((i + 1) / 3, rival[1], medians[1], lines, #kept))
  end
end
