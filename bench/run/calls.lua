--- What else can be asked of 100 MB; then what a call costs from Lua: the hot path, and a block as JSON.
local abridge = require "abridge"
local host = require "abridge.base.host"
local ledger = require "run.ledger"
local limit = require "limit"
local measure = require "run.measure"
local report = require "run.report"
local rivals = require "run.rivals"
local targets = require "run.targets"
local texts = require "run.texts"

local KB, MB = 1024, 1024 ^ 2
local MAX_LINES, MAX_BYTES = 2000, 30 * KB
local CHUNK = 64 * KB
local CLEAN = "abridge.clean, nothing to change"
local MEMORY = 10e9 -- bytes a second that the figures of the hot path speak of

local function limits(more)
  local opts = { max_lines = MAX_LINES, max_bytes = MAX_BYTES }
  for key, value in pairs(more or {}) do
    opts[key] = value
  end
  return opts
end

local function cleaned_stream(text)
  local stream = abridge.stream(limits { strategy = "tail", clean = true })
  for at = 1, #text, CHUNK do
    stream:write(text:sub(at, at + CHUNK - 1))
  end
  local kept = stream:finish()
  stream:close()
  return kept
end

local function runs_on(text)
  local budget = limits()
  local with_chars, with_tokens = limits { max_chars = 20000 }, limits { max_tokens = 4000 }
  return {
    {
      "a pass that only reads",
      function()
        limit.read(text)
      end,
    },
    {
      "read once: string.find (memchr)",
      function()
        return text:find("\0", 1, true)
      end,
    },
    {
      "abridge.tail",
      function()
        abridge.tail(text, budget)
      end,
    },
    {
      "abridge.head",
      function()
        abridge.head(text, budget)
      end,
    },
    {
      "abridge.head_tail",
      function()
        abridge.head_tail(text, budget)
      end,
    },
    {
      "abridge.tail, max_chars too",
      function()
        abridge.tail(text, with_chars)
      end,
    },
    {
      "abridge.tail, max_tokens too",
      function()
        abridge.tail(text, with_tokens)
      end,
    },
    {
      "abridge.pipeline",
      function()
        abridge.pipeline(text, { max_chars = 20000, max_lines = 200 })
      end,
    },
    {
      "abridge.priority",
      function()
        abridge.priority(text, budget)
      end,
    },
    {
      "abridge.count_chars",
      function()
        abridge.count_chars(text)
      end,
    },
    {
      CLEAN,
      function()
        assert(abridge.clean(text) == text)
      end,
    },
    {
      "abridge.estimate_tokens",
      function()
        abridge.estimate_tokens(text)
      end,
    },
    {
      "abridge.tail, cleaned stream in 64 KB",
      function()
        cleaned_stream(text)
      end,
    },
  }
end

--- The rival's seconds, in a program of its own.
local function split_seconds(text)
  local path = texts.write("calls", text)
  local said = rivals.lua({ { file = path, max_lines = MAX_LINES, max_bytes = MAX_BYTES } }).split[1]
  os.remove(path)
  local kept, cut = abridge.tail(text, limits())
  assert(said.lines == cut.total_lines and said.kept == #kept, "the rival keeps other lines")
  return said.seconds
end

--- What can be asked of a text. Returns the seconds that the pass which only reads takes a byte, and how quick it is to
--- clean the text beside that pass.
local function print_calls(text, what)
  local split = split_seconds(text)
  local named = runs_on(text)
  local runs = {}
  for i, run in ipairs(named) do
    runs[i] = run[2]
  end
  local medians, samples = measure.turns(runs)
  local rows, clean = {}, nil
  for i, run in ipairs(named) do
    local took = medians[i]
    rows[i] = {
      run[1],
      ("%.1f"):format(took * 1000),
      report.speed(#text, took),
      ("%.2f"):format(measure.ratio(samples[i], samples[1])),
      ("%.1f"):format(split / took),
    }
    if run[1] == CLEAN then clean = measure.ratio(samples[1], samples[i]) end
  end
  rows[#rows + 1] = {
    "pure Lua: split, keep the last lines",
    ("%.1f"):format(split * 1000),
    report.speed(#text, split),
    ("%.2f"):format(split / medians[1]),
    "1.0",
  }
  local title = "%s of %s cut to %d lines / %s"
  report.print(
    title:format(abridge.format_size(#text), what, MAX_LINES, abridge.format_size(MAX_BYTES)),
    { "ms", "GB/s", "x only read", "x pure Lua" },
    rows
  )
  return medians[1] / #text, clean
end

local function print_hot_path(seconds_a_byte)
  local text = texts.log(10 * KB)
  local fits, cut = limits(), { max_lines = MAX_LINES, max_bytes = 2 * KB }
  assert(abridge.tail(text, fits) == text and abridge.tail(text, cut) ~= text)
  local counted = abridge.stream { strategy = "tail", max_bytes = MAX_BYTES }
  local names = {
    "an empty call",
    "abridge.tail, 10KB that fits",
    "abridge.tail, 10KB cut to 2KB",
    "10KB that fits: its results, made by Lua",
    "10KB cut to 2KB: its results, made by Lua",
    "abridge.tail of an empty text",
    "abridge.head_tail, 10KB cut to 2KB",
    "stream:write of one byte",
    "stream:snapshot of 30KB",
  }
  counted:write(texts.log(MB))
  local medians = measure.turns {
    function() end,
    function()
      abridge.tail(text, fits)
    end,
    function()
      abridge.tail(text, cut)
    end,
    ledger.of_tail(text, fits),
    ledger.of_tail(text, cut),
    function()
      abridge.tail("", fits)
    end,
    function()
      abridge.head_tail(text, cut)
    end,
    function()
      counted:write "x"
    end,
    function()
      counted:snapshot()
    end,
  }
  counted:close()
  local factor = 1 / (seconds_a_byte * MEMORY)
  local rows = {}
  for i, name in ipairs(names) do
    rows[i] = { name, ("%.0f"):format(medians[i] * 1e9), ("%.0f"):format(medians[i] * factor * 1e9) }
  end
  report.print(
    ("From Lua, a call; memory is read at %.1f GB/s here"):format(1e-9 / seconds_a_byte),
    { "ns", "ns at 10 GB/s" },
    rows
  )
  for i, name in ipairs { "fits", "cut" } do
    local took, alone = medians[1 + i] * 1e6, medians[3 + i] * 1e6
    targets.measured(name .. "_here", took, alone)
    targets.measured(name, took * factor, alone * factor)
  end
end

--- A block as JSON, beside building the table of it and giving that to lua-cjson.
local function print_json()
  local cjson = host.json()
  local hint = "call read_file with offset 2001"
  local block = abridge.info.with_resume(30720, 575100, 2001, hint, "line_cap")
  local names = { "block:to_json()", "a table, and its JSON by " .. (host.in_nvim and "vim.json" or "lua-cjson") }
  local function table_of(of)
    return {
      truncated = of.truncated,
      bytes_returned = of.bytes_returned,
      bytes_total = of.bytes_total,
      next_offset = of.next_offset,
      resume_hint = of.resume_hint,
      reason = of.reason,
    }
  end
  if not cjson then return print "\nA truncation block as JSON: no lua-cjson here" end
  local medians = measure.turns {
    function()
      return block:to_json()
    end,
    function()
      return cjson.encode(table_of(block))
    end,
  }
  local rows = {}
  for i, name in ipairs(names) do
    rows[i] = { name, ("%.0f"):format(medians[i] * 1e9), ("%.2f"):format(medians[i] / medians[1]) }
  end
  report.print("A truncation block as JSON", { "ns", "x to_json" }, rows)
  targets.measured("json", medians[2] / medians[1])
end

return function()
  local size = measure.size(100 * MB)
  local seconds_a_byte, clean = print_calls(texts.log(size), "log lines")
  targets.measured("clean", clean)
  collectgarbage()
  print_calls(texts.letters(size), "text, a third of it not ASCII,")
  print_hot_path(seconds_a_byte)
  print_json()
end
