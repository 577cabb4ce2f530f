--- How the cost grows with the text, the budget, the lines, the chunks and the ranges kept. What "x linear" tells is
--- how much more a step cost than it may: 1 is linear, under 1 is better.
local abridge = require "abridge"
local kind_texts = require "run.kind_texts"
local limit = require "limit"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"
local texts = require "run.texts"

local KB, MB, GB = 1024, 1024 ^ 2, 1024 ^ 3
local NOISE = 0.1 -- a power of n that small is no growth

local LENGTHS = { 1, 10, 100, KB, 10 * KB, 100 * KB, MB, 10 * MB, 100 * MB }

local worst = -math.huge

---@class (exact) bench.Step
---@field name string
---@field n number what grows from step to step
---@field seconds number
---@field bytes number
---@field may number what the cost may grow with

--- By which power of n the last step cost more than it may, beside the first.
local function power_over_linear(steps)
  local first, last = steps[1], steps[#steps]
  if last.n == first.n then return 0 end
  return math.log((last.seconds / first.seconds) / (last.may / first.may)) / math.log(last.n / first.n)
end

---@param title string
---@param steps bench.Step[]
local function print_steps(title, steps)
  local rows = {}
  local first = steps[1].seconds / steps[1].bytes
  for i, step in ipairs(steps) do
    local each = step.seconds / step.bytes
    local before = steps[i - 1]
    local linear = before and (step.seconds / before.seconds) / (step.may / before.may)
    rows[i] = {
      step.name,
      report.time(step.seconds),
      ("%.3f"):format(each * 1e9),
      ("%.2f"):format(each / first),
      linear and ("%.2f"):format(linear) or "-",
    }
  end
  report.print(title, { "time", "ns/byte", "x first", "x linear" }, rows)
  local power = power_over_linear(steps)
  worst = math.max(worst, power)
  print(("from first to last n^%.2f beside linear: %s"):format(power, power <= NOISE and "linear or better" or "worse"))
end

local function bytes(size)
  return abridge.format_size(math.floor(size))
end

--- A run beside a pass that only reads, over the same text: what it took, and the pass.
local function beside_pass(text, run)
  local medians, samples = measure.turns {
    function()
      limit.read(text)
    end,
    run,
  }
  return medians[2], medians[2] / measure.ratio(samples[2], samples[1])
end

--- The cost may grow with the text, or, where that is more, with a pass that only reads: memory is slower than the
--- caches that small texts are in.
local function grow_text(strategy)
  local steps, pass_before = {}, nil
  local opts = { max_lines = 2000, max_bytes = 30 * KB }
  for _, full in ipairs { MB, 10 * MB, 100 * MB, GB } do
    local size = measure.size(full)
    if measure.has_room(size) then
      collectgarbage()
      local text, before = texts.log(size), steps[#steps]
      local took, pass = beside_pass(text, function()
        abridge[strategy](text, opts)
      end)
      local may = before and before.may * math.max(#text / before.bytes, pass / pass_before) or 1
      steps[#steps + 1] = { name = bytes(#text), n = #text, seconds = took, bytes = #text, may = may }
      pass_before = pass
    end
  end
  print_steps(("abridge.%s of log lines, by size"):format(strategy), steps)
end

--- `auto` on a text that grows in one way or another.
---@param title string
---@param cases { name: string, text: string, n: number|nil }[] `n` is what grows, the bytes unless set
local function grow_auto(title, cases)
  local steps = {}
  for _, case in ipairs(cases) do
    collectgarbage()
    local medians = measure.turns {
      function()
        abridge.auto(case.text, { max_bytes = 30 * KB })
      end,
    }
    steps[#steps + 1] = {
      name = case.name,
      n = case.n or #case.text,
      seconds = medians[1],
      bytes = #case.text,
      may = #case.text,
    }
  end
  print_steps(title, steps)
end

local function grow_kinds()
  for _, kind in ipairs { "json", "json_lines", "table", "diff" } do
    local cases = {}
    for _, full in ipairs { MB, 10 * MB, 100 * MB } do
      local text = kind_texts.of(kind, measure.size(full))
      cases[#cases + 1] = { name = bytes(#text), text = text }
    end
    grow_auto(("abridge.auto of %s, by size"):format(kind), cases)
  end
end

local DEEP, WIDE = { 1000, 10000, 100000, 1000000 }, { 1000, 10000, 100000, 1000000 }

--- Documents that are deep, and objects that have many members.
local function grow_json()
  local deep, wide = {}, {}
  for _, full in ipairs(DEEP) do
    local n = math.floor(measure.size(full))
    deep[#deep + 1] = { name = ("%d deep"):format(n), text = ('{"a":['):rep(n / 2) .. ("]}"):rep(n / 2), n = n }
  end
  for _, full in ipairs(WIDE) do
    local n, members = math.floor(measure.size(full)), {}
    for i = 1, n do
      members[i] = ('"key %d":%d'):format(i, i)
    end
    wide[#wide + 1] = { name = ("%d members"):format(n), text = "{" .. table.concat(members, ",") .. "}", n = n }
  end
  grow_auto("abridge.auto of JSON, by depth", deep)
  grow_auto("abridge.auto of JSON, by members of an object", wide)
end

--- The gaps in JSON: elements that stand out are kept among many that do not.
local function grow_gaps()
  local steps, size = {}, measure.size(16 * MB)
  for _, wanted in ipairs { 1, 10, 100, 1000, 10000 } do
    if wanted > 1 and wanted > size / KB / 2 then break end
    local text = kind_texts.failures(size, wanted)
    local opts = { max_bytes = 4 * KB + 300 * wanted }
    local _, cut = abridge.auto(text, opts)
    local medians = measure.turns {
      function()
        abridge.auto(text, opts)
      end,
    }
    steps[#steps + 1] = {
      name = ("%d failures, %d ranges kept"):format(wanted, #cut.kept),
      n = wanted,
      seconds = medians[1],
      bytes = #text,
      may = wanted,
    }
  end
  print_steps(("abridge.auto of %s of JSON, by gaps"):format(bytes(size)), steps)
end

local function grow_budget(strategy, text)
  local steps = {}
  for _, budget in ipairs { KB, 10 * KB, 100 * KB, MB, 10 * MB } do
    local most = math.max(16, math.floor(budget * math.min(1, measure.scale * 10)))
    local medians = measure.turns {
      function()
        abridge[strategy](text, { max_bytes = most })
      end,
    }
    steps[#steps + 1] = { name = bytes(most), n = most, seconds = medians[1], bytes = #text, may = most }
  end
  print_steps(("abridge.%s of %s, by budget"):format(strategy, bytes(#text)), steps)
end

local function grow_lines()
  local size = measure.size(100 * MB)
  for _, strategy in ipairs { "tail", "head_tail" } do
    local steps = {}
    for _, length in ipairs(LENGTHS) do
      if length <= size then
        local text = texts.lines_of(length, size)
        local opts = { max_lines = 2000, max_bytes = 30 * KB }
        local took, pass = beside_pass(text, function()
          abridge[strategy](text, opts)
        end)
        steps[#steps + 1] = { name = bytes(length), n = length, seconds = took, bytes = #text, may = pass }
      end
    end
    print_steps(("abridge.%s of %s, by length of its lines"):format(strategy, bytes(size)), steps)
  end
end

local function grow_chunks()
  local whole = texts.log(measure.size(10 * MB))
  local steps = {}
  for power = 1, 7 do
    local chunk = LENGTHS[power]
    local count = math.min(math.floor(#whole / chunk), 200000)
    if count == 0 then break end
    local chunks = {}
    for c = 1, math.min(count, 1000) do
      chunks[c] = whole:sub((c - 1) * chunk + 1, c * chunk)
    end
    local medians = measure.turns {
      function()
        local stream = abridge.stream { strategy = "tail", max_lines = 2000, max_bytes = 30 * KB }
        for c = 1, count do
          stream:write(chunks[(c - 1) % #chunks + 1])
        end
        stream:finish()
        stream:close()
      end,
    }
    steps[#steps + 1] = {
      name = ("%s, %d of them"):format(bytes(chunk), count),
      n = chunk,
      seconds = medians[1] / count,
      bytes = chunk,
      may = chunk,
    }
  end
  print_steps("a tail stream, by size of its chunks: the time of one", steps)
end

local function grow_ranges()
  local steps = {}
  local size = measure.size(20 * MB)
  for _, wanted in ipairs { 1, 10, 100, 1000, 10000 } do
    if wanted > 1 and wanted > size / KB then break end
    local text = texts.build_log(size, wanted)
    local opts = { max_bytes = 4 * KB + 500 * wanted }
    local _, cut = abridge.priority(text, opts)
    local medians = measure.turns {
      function()
        abridge.priority(text, opts)
      end,
    }
    steps[#steps + 1] = {
      name = ("%d errors, %d ranges kept"):format(wanted, #cut.kept),
      n = #cut.kept,
      seconds = medians[1],
      bytes = #text,
      may = #cut.kept,
    }
  end
  print_steps(("abridge.priority of %s, by ranges kept"):format(bytes(size)), steps)
end

local MOVES = {
  "\27[40000G\27[1G",
  "\b\b\b\b\27[65535G",
  "\r\t\t\t\t",
  "\27[30G\195\169\ba\27[9999C",
  "\27[9G\27[1K",
}

--- Moves of the cursor over a line of `length` bytes, each of which once was a walk along it.
local function moves(length, size)
  local parts = { ("\228\184\150"):rep(math.floor(length / 3)) }
  for _, again in ipairs(MOVES) do
    parts[#parts + 1] = again:rep(math.floor((size - length) / #MOVES / #again))
  end
  return table.concat(parts)
end

local function grow_moves()
  local steps = {}
  local length = math.floor(measure.size(48 * KB))
  for _, times in ipairs { 1, 2, 4 } do
    local text = moves(length, measure.size(MB) * times)
    local medians = measure.turns {
      function()
        abridge.clean(text)
      end,
    }
    steps[#steps + 1] = { name = bytes(#text), n = #text, seconds = medians[1], bytes = #text, may = #text }
  end
  print_steps(("abridge.clean of moves over a line of %s, by size"):format(bytes(length)), steps)
end

return function()
  grow_text "tail"
  grow_text "priority"
  grow_budget("tail", texts.log(measure.size(100 * MB)))
  grow_budget("priority", texts.build_log(measure.size(30 * MB), 100))
  grow_lines()
  grow_chunks()
  grow_ranges()
  grow_moves()
  grow_kinds()
  grow_json()
  grow_gaps()
  targets.measured("growth", worst)
end
