--- Prints two hashes, of generated texts and of what their cuts come to, ledgers and all: the same on every system,
--- processor and Lua.
---   lua spec/support/digest.lua [CASES]       of 3,600 texts unless told otherwise; wants the core alone
local random = require "support.random"
random.seed = 1

local abridge = require "abridge"
local documents = require "support.documents"

local PRIME = 35184372088777 -- the largest below 2^45: a byte's step stays below 2^53, the integers of a double
local STEP = 251

local function hashed(hash, text)
  for i = 1, #text do
    hash = (hash * STEP + text:byte(i)) % PRIME
  end
  return hash
end

local LOG = {
  "[%d/90] Building C object src/part.o\n",
  "ok test_%d\n",
  "src/cart.c:%d:5: error: expected ';' before 'return'\n",
  'Traceback (most recent call last):\n  File "a.py", line %d, in f\n    x()\nValueError: bad\n',
  "warning: deprecated call %d\n",
  "GET /pay 500 %dms\n",
  "fetching %d%%\r",
  "\27[1mdone %d\27[m\n",
  "FAIL: t%d expected 3 got 4\n",
  "  words of prose, %d of them: na\195\175ve \240\159\152\128\n",
}

local function log()
  local lines = {}
  for i = 1, random.between(5, 120) do
    lines[i] = random.choose(LOG):format(random.below(random.chance(3) and 4 or 5000))
  end
  return table.concat(lines)
end

local function hunks()
  local lines = {}
  for file = 1, random.between(1, 4) do
    lines[#lines + 1] = ("diff --git a/f%d.c b/f%d.c\n--- a/f%d.c\n+++ b/f%d.c"):format(file, file, file, file)
    for hunk = 1, random.between(1, 5) do
      lines[#lines + 1] = ("@@ -%d,4 +%d,4 @@"):format(hunk * 40, hunk * 40)
      lines[#lines + 1] = (" total\n-count(%d)\n+count(%d)\n end\n }"):format(random.below(99), random.below(99))
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

local MAKERS = {
  log,
  hunks,
  documents.mixed,
  function()
    return random.text(random.between(10, 900))
  end,
  function()
    return random.bytes(random.below(300))
  end,
  function()
    return (documents.json(random.between(1, 12)))
  end,
  function()
    return (documents.json_lines(60))
  end,
  function()
    return (documents.delimited(60))
  end,
  function()
    return (documents.drawn(60))
  end,
  function()
    return (documents.aligned(60))
  end,
}

local STRATEGIES = { "head", "tail", "head_tail", "priority", "auto", "auto", "auto" }

local function options(text)
  local strategy = random.choose(STRATEGIES)
  local opts = { strategy = strategy }
  local size = math.min(#text, 20000)
  opts.max_bytes = random.chance(4) and random.near(size) or random.below(size + 40)
  if random.chance(4) then opts.max_lines = random.below(80) end
  if random.chance(5) then opts.max_chars = random.below(size + 1) end
  if random.chance(3) then opts.max_tokens = random.below(2000) end
  if random.chance(4) then opts.utf8 = "replace" end
  if random.chance(4) then opts.clean = true end
  if strategy == "head_tail" then
    opts.head_ratio = random.below(101) / 100
    opts.snap = random.choose { "line", "char" }
  end
  return opts
end

local function cut_of(text, opts)
  if random.chance(2) then return abridge.cut(text, opts) end
  local stream = abridge.stream(opts)
  for chunk in random.chunks(text, random.choose { 7, 300, 100000 }) do
    assert(stream:write(chunk))
  end
  return stream:finish()
end

local cases = tonumber((...)) or 3600
local texts, cuts = 0, 0
for case = 1, cases do
  random.start(case)
  local text = MAKERS[case % #MAKERS + 1]()
  texts = hashed(texts, text)
  local content, cut = cut_of(text, options(text))
  cuts = hashed(hashed(cuts, content), random.shown(cut))
end
print(("%.0f cuts %.0f of texts %.0f"):format(cases, cuts, texts))
