-- SPEC 4: a stream gives what the one-shot cut gives, for every chunking of the same bytes.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local abridge = require "abridge"
local merge = require "support.merge"
local random = require "support.random"

local must = random.must
local CASES = 4000
local BUDGETS = { "max_lines", "max_bytes", "max_chars", "max_tokens" }
-- What a priority cut looks for, and what only looks like it.
local LOG = {
  "error: no such file\n",
  "0 errors\n",
  "  at f (a.js:1:2)\n",
  "step\n",
  "a line of words ",
  "\n",
  "FAILED: x\n",
  "Traceback (most recent call last):\n",
  "KeyError: 'x'\n",
  "\195\169",
  "\255",
  "3 passed, 1 failed\n",
  "    ",
}
local LINES_ALONE = 1024 * 1024 -- the max_bytes of a stream that is limited in lines alone
local READ_LINES_ALONE = 256 * 1024 -- the same where lines are read for what they say

-- Counters that never fall as the text grows.
local COUNTERS = {
  function(text)
    return math.ceil(#text / 4)
  end,
  function(text)
    return #text
  end,
  function(text)
    local _, words = text:gsub("%S+", "")
    return words
  end,
}

local function random_budget(size)
  if random.chance(3) then return random.near(size) end
  if random.chance(8) then return random.choose { 0, 1, 7, 2 ^ 53 } end
  return random.below(size + 22)
end

--- Options with one budget or several, of sensible sizes for the text.
local function random_opts(text)
  local opts = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" } }
  local sizes = { max_lines = 12, max_bytes = #text, max_chars = #text, max_tokens = math.floor(#text / 3) }
  local first = random.choose(BUDGETS)
  for _, key in ipairs(BUDGETS) do
    if key == first or random.chance(4) then opts[key] = random_budget(sizes[key]) end
  end
  if random.chance(2) then opts.count_tokens = random.choose(COUNTERS) end
  if random.chance(3) then opts.token_safety = random.choose { 0.5, 1, 2 } end
  if random.chance(3) then opts.reserve = random.choose { "[cut]", "", "\n\n[n]", "\195\169" } end
  if random.chance(2) then opts.utf8 = random.choose { "keep", "replace" } end
  if random.chance(2) then opts.long_line = random.choose { "omit", "split" } end
  if opts.strategy == "head_tail" or opts.strategy == "priority" or opts.strategy == "auto" then
    if random.chance(2) then opts.head_ratio = random.choose { 0, 0.25, 0.5, 1 } end
    if random.chance(2) then opts.snap = random.choose { "line", "char" } end
    if random.chance(2) then opts.marker = random.choose { "inside", "outside", "none" } end
    if random.chance(2) then
      opts.marker_text = random.choose { "-", "<{lines}>", "<{bytes}>", "{chars}", "", "\195\169{lines}", "\255" }
    end
  end
  return opts
end

--- A text of one alphabet; at times with a line longer than any budget.
local function random_text()
  local text = random.text(random.choose { 12, 60, 60, 200 })
  if random.chance(2) then text = text .. random.join(LOG, random.below(60)) end
  if random.chance(8) then text = text .. random.join({ "long", "\195\169", "er " }, 400) .. random.text(6) end
  return text
end

local function is_equal(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not is_equal(value, b[key]) then return false, key end
  end
  for key in pairs(b) do
    if a[key] == nil then return false, key end
  end
  return true
end

--- Compare what a stream gave for a text with the one-shot cut under the budgets that the stream's cut reports.
local function compare(text, opts, content, cut)
  local budgets = {}
  for _, key in ipairs(BUDGETS) do
    budgets[key] = cut[key]
  end
  local want, want_cut = abridge.cut(text, merge({}, opts, budgets))
  must(content == want, "content is %s, not %s; opts %s", content, want, opts)
  local same, key = is_equal(cut, want_cut)
  must(same, "%s of the cut: %s, not %s; opts %s", key, cut, want_cut, opts)
end

--- Write text[first, last] in chunks: of one byte, of random sizes, or whole.
local function write(stream, text, first, last)
  local size = random.choose { 1, 3, 20, math.huge }
  while first <= last do
    local n = size == math.huge and last - first + 1 or 1 + random.below(size)
    must(stream:write(text:sub(first, math.min(first + n - 1, last))) == true, "write")
    first = first + n
  end
end

--- Run a check on random texts and options.
local function each(cases, check)
  random.each(cases, function()
    local text = random_text()
    local opts = random_opts(text)
    local ok, message = pcall(check, text, opts, abridge.stream(opts))
    if not ok then error(tostring(message) .. "\n" .. random.shown { text = text, opts = opts }, 0) end
  end)
end

describe("a stream, on random texts, budgets and chunks", function()
  it("ends with the one-shot cut", function()
    each(CASES, function(text, opts, stream)
      write(stream, text, 1, #text)
      local content, cut = stream:finish()
      compare(text, opts, content, cut)
      stream:close()
    end)
  end)

  it("reports the budgets it was given, and max_bytes where lines stood alone", function()
    each(CASES / 6, function(_, opts, stream)
      local _, cut = stream:finish()
      local alone = not (opts.max_bytes or opts.max_chars or opts.max_tokens)
      for _, key in ipairs(BUDGETS) do
        local want = opts[key]
        if key == "max_bytes" and alone then
          want = (opts.strategy == "auto" or opts.strategy == "priority") and READ_LINES_ALONE or LINES_ALONE
        end
        must(cut[key] == want, "%s is %s, not %s", key, cut[key], want)
      end
    end)
  end)

  it("shows at any time the one-shot cut of what has come, undisturbed", function()
    each(CASES / 2, function(text, opts, stream)
      local at = 0
      for _ = 1, random.between(1, 4) do
        local upto = random.between(at, #text)
        write(stream, text, at + 1, upto)
        at = upto
        for _ = 1, random.between(1, 2) do
          compare(text:sub(1, at), opts, stream:snapshot())
        end
      end
      write(stream, text, at + 1, #text)
      compare(text, opts, stream:finish())
      compare(text, opts, stream:snapshot())
    end)
  end)

  it("is cut as under lower budgets where these are asked for", function()
    each(CASES / 2, function(text, opts, stream)
      local changes = {}
      for _, key in ipairs(BUDGETS) do
        if opts[key] and random.chance(2) then changes[key] = random.below(math.min(opts[key], #text) + 1) end
      end
      if random.chance(3) then changes.max_bytes = random.below(math.min(opts.max_bytes or 1, 100) + 1) end
      -- what was not limited at first is so only as far as the stream keeps text
      if changes.max_bytes and not opts.max_bytes and (opts.max_chars == 0 or opts.max_tokens == 0) then
        changes.max_bytes = 0
      end
      if random.chance(2) then changes.reserve = random.choose { "[lower]", "", "\n\n[\195\169]" } end
      local lower = merge({}, opts, changes)
      write(stream, text, 1, #text)
      compare(text, lower, stream:snapshot(changes))
      compare(text, opts, stream:snapshot())
      compare(text, lower, stream:finish(changes))
      compare(text, opts, stream:snapshot())
    end)
  end)
end)

describe("a stream that is longer than what it keeps", function()
  it("ends with the one-shot cut", function()
    random.each(60, function()
      local text = random.text(40)
      text = text .. ("a line like any other, %d\n"):rep(random.between(50, 4000)) .. random.text(40)
      local opts = random_opts(text:sub(1, 400))
      local stream = abridge.stream(opts)
      local at = 1
      while at <= #text do
        local n = random.choose { 1 + random.below(9), random.between(100, 3000), 65536 }
        stream:write(text:sub(at, at + n - 1))
        at = at + n
        if random.chance(50) then stream:snapshot() end
      end
      compare(text, opts, stream:finish())
    end)
  end)

  it("ends with it one byte at a time", function()
    random.each(10, function()
      local text = random.text(3000)
      local opts = random_opts(text:sub(1, 300))
      local stream = abridge.stream(opts)
      for at = 1, #text do
        stream:write(text:sub(at, at))
      end
      compare(text, opts, stream:finish())
    end)
  end)
end)
