--- `auto` on a text of each kind: its speed beside what is nearest to it, how long the kind takes to tell, and the
--- memory of a stream of a gigabyte.
local abridge = require "abridge"
local host = require "abridge.base.host"
local kind_texts = require "run.kind_texts"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local KB, MB, GB = 1024, 1024 ^ 2, 1024 ^ 3
local BUDGET = { max_lines = 2000, max_bytes = 30 * KB }

local function auto(text)
  return function()
    abridge.auto(text, BUDGET)
  end
end

local function row(name, size, seconds, beside)
  return {
    name,
    report.time(seconds),
    ("%.0f"):format(size / seconds / 1e6),
    beside and report.digits(beside) or "-",
  }
end

--- 100 MB of source, by both ends as one would ask for them, and by `auto`.
local function measure_text(rows)
  local text = kind_texts.of("text", measure.size(100 * MB))
  assert(abridge.kind(text) == "text")
  local ends = { max_lines = BUDGET.max_lines, max_bytes = BUDGET.max_bytes, head_ratio = 0.7 }
  local medians, samples = measure.turns {
    function()
      abridge.head_tail(text, ends)
    end,
    auto(text),
  }
  local ratio = measure.ratio(samples[2], samples[1])
  rows[#rows + 1] = row("text: head_tail of 100MB", #text, medians[1], 1)
  rows[#rows + 1] = row("text: auto", #text, medians[2], ratio)
  targets.measured("auto_text", ratio)
end

--- JSON beside the library that decodes it.
local function measure_json(rows)
  local text = kind_texts.of("json", measure.size(16 * MB))
  assert(abridge.kind(text) == "json")
  local decode = require("cjson").decode
  local medians, samples = measure.turns({
    function()
      decode(text)
    end,
    auto(text),
  }, measure.seconds * 3)
  local times = measure.ratio(samples[1], samples[2])
  rows[#rows + 1] = row("json: cjson.decode of 16MB", #text, medians[1], 1)
  rows[#rows + 1] = row("json: auto", #text, medians[2], 1 / times)
  targets.measured("auto_json", #text / medians[2] / 1e6)
  targets.measured("auto_json_decode", times)
end

local function measure_others(rows)
  for _, kind in ipairs { "json_lines", "table", "diff", "log" } do
    local text = kind_texts.of(kind, measure.size(100 * MB))
    assert(abridge.kind(text) == kind)
    local seconds = measure.turns({ auto(text) })[1]
    rows[#rows + 1] = row(kind .. ": auto of 100MB", #text, seconds)
    if kind ~= "log" then targets.measured("auto_" .. kind, #text / seconds / 1e6) end
  end
end

-- telling ------------------------------------------------------------------------------

--- Texts that may take long to tell: one of each kind, and what is nearly of one.
local function hard_texts()
  local texts = {}
  for _, kind in ipairs(kind_texts.kinds) do
    texts[kind] = kind_texts.of(kind, 300 * KB)
  end
  for name, piece in pairs {
    ["open brackets"] = "[",
    ["open objects"] = '{"a":',
    ["backslashes"] = '"\\',
    ["quotes"] = '"',
    ["quoted newlines"] = '"\n',
    ["records with a bad end"] = '{"a":1}\n{"b":',
    ["empty lines"] = "\n",
    ["short lines"] = "a b\n",
    ["one long line"] = "word ",
    ["letters"] = "\228\189\160\229\165\189",
    ["numbers"] = "123 ",
    ["times of day"] = "10:11:12 x\n",
    ["commas"] = ",",
    ["semicolons"] = "a;b;c\n",
    ["tabs"] = "a\tb\n",
    ["columns"] = "A  B  C\n",
    ["rulings"] = "---- ----\n",
    ["hunks"] = "@@ -1 +1 @@\n",
  } do
    texts[name] = piece:rep(math.ceil(300 * KB / #piece))
  end
  texts["json, broken at its end"] = kind_texts.of("json", 200 * KB) .. "}"
  return texts
end

local function measure_telling()
  local rows, names, worst = {}, {}, 0
  local texts = hard_texts()
  for name in pairs(texts) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local seconds = measure.turns({
      function()
        abridge.kind(texts[name])
      end,
    }, measure.seconds / 10)[1]
    worst = math.max(worst, seconds)
    rows[#rows + 1] = { name, abridge.kind(texts[name]), report.time(seconds) }
  end
  report.print("abridge.kind of 300KB", { "is", "time" }, rows)
  targets.measured("kind", worst * 1000)
end

-- memory -------------------------------------------------------------------------------

--- A program that streams a text of a kind and prints the most memory it ever had, in KB.
local STREAM = [[
  local abridge, parts = require "abridge", require("run.kind_texts").parts
  local first, block, last = parts %q
  local stream = abridge.stream { strategy = "auto", max_lines = 2000, max_bytes = 30720 }
  stream:write(first)
  for _ = 1, %d do stream:write(block) end
  stream:write(last)
  stream:snapshot()
  local _, cut = stream:finish()
  assert(cut.total_bytes == #first + %d * #block + #last)
  stream:close()
  print(assert(io.open "/proc/self/status":read "*a":match "VmHWM:%%s*(%%d+)"))
]]

local function most_memory(kind, bytes)
  local _, block = kind_texts.parts(kind)
  local count = math.max(1, math.floor(bytes / #block))
  return tonumber((measure.output_of(measure.lua(STREAM:format(kind, count, count))))) * KB
end

local function measure_memory()
  if not io.open "/proc/self/status" then return print "\nmemory: not measured, this system has no /proc" end
  local rows, worst = {}, -math.huge
  local sizes = { measure.size(16 * MB), measure.size(GB) }
  for _, kind in ipairs(kind_texts.kinds) do
    local small, large = most_memory(kind, sizes[1]), most_memory(kind, sizes[2])
    worst = math.max(worst, large - small)
    rows[#rows + 1] = { kind, abridge.format_size(small), abridge.format_size(large) }
  end
  local columns = { abridge.format_size(sizes[1]), abridge.format_size(sizes[2]) }
  report.print("The most memory of a process that streams a text of each kind", columns, rows)
  targets.measured("kind_memory", worst / MB)
end

return function()
  assert(host.json(), "this section wants lua-cjson")
  local rows = {}
  measure_text(rows)
  measure_json(rows)
  measure_others(rows)
  report.print("abridge.auto, cut to 2000 lines / 30KB (x the first of its kind)", { "time", "MB/s", "x" }, rows)
  measure_telling()
  measure_memory()
end
