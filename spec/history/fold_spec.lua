-- A conversation under a budget: what holds for every conversation, in every format, wherever a host calls.

local abridge = require "abridge"
local conversation = require "support.conversation"
local history = require "abridge.history"
local plain = require "support.plain"
local random = require "support.random"

local same = plain.same

local function format_of(name)
  return name == "own" and conversation.own or name
end

local function first(list, n)
  local some = {}
  for i = 1, n do
    some[i] = list[i]
  end
  return some
end

local function random_options(format)
  local by_bytes = random.chance(2)
  local budget = random.choose { 600, 2000, 6000, 20000 }
  local trigger = random.choose { 0.5, 0.9, 1 }
  return {
    format = format_of(format),
    max_tokens = by_bytes and budget * 4 or budget,
    count_tokens = by_bytes and function(text)
      return #text
    end or nil,
    trigger = trigger,
    target = random.chance(2) and trigger * random.choose { 0, 0.3, 0.9, 1 } or random.choose { 0.4, 0.5 },
    keep = random.choose { 0, 1, 3, 10 },
    clear_at_least = random.choose { 0, 0.1, 0.4 },
    exclude_tools = random.chance(3) and { "look" } or nil,
    image_tokens = random.choose {
      85,
      function(width, height)
        return width * height / 750
      end,
    },
  }
end

--- What a stub may be.
local function check_stub(opts, text)
  assert(plain.tokens(text, opts) <= 160, text)
  local line, rest = text:match "^(%[Output removed to save room[^\n]*%])(.*)$"
  assert(line and (rest == "" or rest:sub(1, 1) == "\n"), text)
  assert(not text:find "[%z\1-\9\11-\31\127]", text)
  assert.equal(0, (select(2, abridge.count_chars(text))))
  assert(not line:find "run_command.* again", line)
end

--- Everything but contents of results is as it was; every changed content is a stub or a cut.
local function check_against_input(format, opts, input, output)
  assert.equal(#input, #output)
  for i, message in ipairs(input) do
    local before, after = conversation.contents(format, message), conversation.contents(format, output[i])
    assert.equal(#before, #after)
    for k, content in ipairs(after) do
      if type(content) == "string" and content ~= before[k] and content:find "^%[Output removed" then
        check_stub(opts, content)
      end
    end
    if format ~= "own" and #before == 1 and output[i] ~= message then
      local restored = plain.copy(output[i])
      local key = format == "responses" and "output" or "content"
      if format == "anthropic" then
        restored.content[1].content = before[1]
      else
        restored[key] = before[1]
      end
      assert(same(message, restored), "something besides a result's content changed")
    end
  end
end

--- What a report says, and that it is true.
local function check_report(opts, before, sent, report)
  assert.equal(report.fits, report.tokens_after <= opts.max_tokens)
  assert.equal(report.freed, report.tokens_before - report.tokens_after)
  assert.equal(report.changed[1], report.first_changed)
  for i = 1, (report.first_changed or #before + 1) - 1 do
    assert.equal(before[i], sent[i])
  end
  for _, i in ipairs(report.changed) do
    assert(not same(before[i], sent[i]))
  end
  if report.tokens_before <= opts.trigger * opts.max_tokens then assert.same({}, report.changed) end
  local again, second = history.fit(sent, opts)
  assert.same({}, second.changed)
  assert(same(sent, again))
end

--- A host that calls at some places, and gives back what it got.
local function replayed(format, opts, made)
  local raw, sent, fed = made.messages, {}, 0
  local rebuilds = random.between(1, 6)
  for _, place in ipairs(made.places) do
    if not random.chance(5) then -- some hosts call now and then
      for i = fed + 1, place do
        sent[i] = raw[i]
      end
      fed = place
      local fitted, report = history.fit(sent, opts)
      check_against_input(format, opts, sent, fitted)
      check_report(opts, sent, fitted, report)
      sent = fitted
      if random.below(rebuilds) == 0 then
        local rebuilt, whole = history.fit(first(raw, place), opts)
        assert(same(sent, rebuilt), "the raw history gives other bytes")
        assert.equal(report.tokens_after, whole.tokens_after)
      end
    end
  end
  for i = fed + 1, #raw do
    sent[i] = raw[i]
  end
  return sent
end

--- A host that rebuilds the raw history, at some places twice or without the last messages.
local function rebuilt_at_places(opts, made)
  for _, place in ipairs(made.places) do
    local raw = first(made.messages, math.max(place - (random.chance(6) and random.below(4) or 0), 1))
    local sent, report = history.fit(raw, opts)
    if random.chance(4) then
      local fresh, same_report = history.fit(plain.copy(raw), opts)
      assert(same(sent, fresh), "what is remembered gives other bytes")
      assert.same(same_report, report)
    end
  end
end

describe("a conversation under a budget #few", function()
  it("is the same wherever it is fitted, and never over while it fits", function()
    random.each(120, function()
      local format = random.choose(conversation.formats)
      local made = conversation.new(format, random.between(1, 40), random.choose { 600, 4000, 12000 })
      local opts, raw = random_options(format), made.messages
      local untouched = plain.copy(raw)
      local sent = replayed(format, opts, made)
      local rebuilt = history.fit(raw, opts)
      assert(same(history.fit(sent, opts), rebuilt), "what was given back gives other bytes")
      assert(same(untouched, raw), "the input was changed")
      assert(same(history.fit(untouched, opts), rebuilt), "what is remembered gives other bytes")
      rebuilt_at_places(opts, made)
    end)
  end)

  it("is read anew after a counter raised half-way", function()
    random.start(1)
    local made, left = conversation.new("openai", 20, 4000).messages, math.huge
    local opts = { format = "openai", max_tokens = 4000, keep = 1 }
    function opts.count_tokens(text)
      left = left - 1
      assert(left >= 0, "the counter is down")
      return #text
    end
    local raised = 0
    for n = 1, #made do
      left = random.below(12)
      local ok, why = pcall(history.fit, first(made, n), opts)
      raised = raised + (ok and 0 or 1)
      assert(ok or tostring(why):find "the counter is down", why)
      left = math.huge
      if random.chance(2) then
        assert(same(history.fit(first(made, n), opts), (history.fit(plain.copy(first(made, n)), opts))))
      end
    end
    assert(raised > 3, raised)
  end)

  it("is forgotten with its messages, and read anew where one changes", function()
    local opts = { format = "openai", max_tokens = 400, keep = 0 }
    local made = conversation.new("openai", 12, 4000).messages
    local sent = history.fit(made, opts)
    made[1].content = "Mend the build."
    local after, report = history.fit(made, opts)
    assert.equal("Mend the build.", after[1].content)
    made[#made + 1] = made[#made - 1] -- twice the same table
    assert(same(history.fit(made, opts), (history.fit(plain.copy(made), opts))))
    assert.is_true(report.tokens_before > 0)
    local held = setmetatable({ made[1], made[2], made[3], sent[3] }, { __mode = "v" })
    made, sent, after, report = nil, nil, nil, nil -- luacheck: ignore 311
    collectgarbage()
    collectgarbage()
    assert.same({}, held)
  end)
end)
