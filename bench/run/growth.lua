--- How the cost grows with the text, the budget, the lines, the chunks and the ranges kept. What "x linear" tells is how much
--- more a step cost than what grew in it: 1 is linear, under 1 is better.
local abridge = require "abridge"
local limit = require "limit"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"
local texts = require "run.texts"

local KB, MB, GB = 1024, 1024 ^ 2, 1024 ^ 3
local TOLERANCE = 1.5 -- over it a step is told in the figures

local over = 0

---@class (exact) bench.Step
---@field name string
---@field seconds number
---@field units number what the seconds are told for: bytes, chunks
---@field grew number what the cost should grow with

--- One table; `per` names the unit.
---@param title string
---@param per string
---@param steps bench.Step[]
local function print_steps(title, per, steps)
  local rows = {}
  local first = steps[1].seconds / steps[1].units
  for i, step in ipairs(steps) do
    local each = step.seconds / step.units
    local before = steps[i - 1]
    local linear = before and (step.seconds / before.seconds) / (step.grew / before.grew)
    if linear and linear > TOLERANCE then over = over + 1 end
    rows[i] = {
      step.name, ("%.3f"):format(step.seconds * 1000), ("%.3f"):format(each * 1e9), ("%.2f"):format(each / first),
      linear and ("%.2f"):format(linear) or "-",
    }
  end
  report.print(title, { "ms", "ns/" .. per, "x first", "x linear" }, rows)
end

local function sizes_from(first, last)
  local sizes = {}
  for power = 0, 9 do
    local size = first * 10 ^ power
    if size > last * 1.1 then break end
    sizes[#sizes + 1] = math.min(size, last)
  end
  return sizes
end

local function bytes(size)
  return abridge.format_size(math.floor(size))
end

--- The cost of a text beside that of only reading it: memory is slower than the caches that small texts are in.
local function grow_text(strategy)
  local steps = {}
  local opts = { max_lines = 2000, max_bytes = 30 * KB }
  for _, full in ipairs { MB, 10 * MB, 100 * MB, GB } do
    local size = measure.size(full)
    if measure.has_room(size) then
      collectgarbage()
      local text = texts.log(size)
      local medians = measure.turns {
        function() limit.read(text) end,
        function() abridge[strategy](text, opts) end,
      }
      steps[#steps + 1] = { name = bytes(#text), seconds = medians[2], units = #text, grew = medians[1] }
    end
  end
  print_steps(("abridge.%s of log lines, by size; linear is what a pass that only reads takes"):format(strategy), "byte", steps)
end

local function grow_budget(strategy, text)
  local steps = {}
  for _, budget in ipairs(sizes_from(KB, 10 * MB)) do
    local most = math.max(16, math.floor(budget * math.min(1, measure.scale * 10)))
    local medians = measure.turns { function() abridge[strategy](text, { max_bytes = most }) end }
    steps[#steps + 1] = { name = bytes(most), seconds = medians[1], units = #text, grew = budget }
  end
  print_steps(("abridge.%s of %s, by budget"):format(strategy, bytes(#text)), "byte", steps)
end

local function grow_lines()
  local size = measure.size(100 * MB)
  for _, strategy in ipairs { "tail", "head_tail" } do
    local steps = {}
    for _, length in ipairs(sizes_from(1, size)) do
      local text = texts.lines_of(math.floor(length), size)
      local opts = { max_lines = 2000, max_bytes = 30 * KB }
      local medians = measure.turns { function() abridge[strategy](text, opts) end }
      steps[#steps + 1] = { name = bytes(length), seconds = medians[1], units = #text, grew = #text }
    end
    print_steps(("abridge.%s of %s, by length of its lines"):format(strategy, bytes(size)), "byte", steps)
  end
end

local function grow_chunks()
  local whole = texts.log(measure.size(10 * MB))
  local steps = {}
  for power = 0, 6 do
    local chunk = math.min(10 ^ power, MB)
    local count = math.max(1, math.min(math.floor(#whole / chunk), 200000))
    local chunks = {}
    for i = 1, math.min(count, 1000) do
      chunks[i] = whole:sub((i - 1) * chunk + 1, i * chunk)
    end
    local medians = measure.turns {
      function()
        local stream = abridge.stream { strategy = "tail", max_lines = 2000, max_bytes = 30 * KB }
        for i = 1, count do
          stream:write(chunks[(i - 1) % #chunks + 1])
        end
        stream:finish()
        stream:close()
      end,
    }
    steps[#steps + 1] = {
      name = ("%s, %d of them"):format(bytes(chunk), count), seconds = medians[1] / count, units = chunk, grew = chunk,
    }
  end
  print_steps("a tail stream, by size of its chunks; ms a chunk", "byte", steps)
end

local function grow_ranges()
  local steps = {}
  local size = measure.size(20 * MB)
  for _, hits in ipairs { 1, 10, 100, 1000, 10000 } do
    local wanted = math.max(1, math.min(hits, math.floor(size / 4096)))
    local text = texts.build_log(size, wanted)
    local opts = { max_bytes = 4 * KB + 500 * wanted }
    local _, cut = abridge.priority(text, opts)
    local medians = measure.turns { function() abridge.priority(text, opts) end }
    steps[#steps + 1] = {
      name = ("%d errors, %d ranges kept"):format(wanted, #cut.kept), seconds = medians[1], units = #text, grew = wanted,
    }
  end
  print_steps(("abridge.priority of %s, by ranges kept"):format(bytes(size)), "byte", steps)
end

return function()
  grow_text "tail"
  grow_text "priority"
  grow_budget("tail", texts.log(measure.size(100 * MB)))
  grow_budget("priority", texts.build_log(measure.size(30 * MB), 100))
  grow_lines()
  grow_chunks()
  grow_ranges()
  targets.measured("growth", over)
end
