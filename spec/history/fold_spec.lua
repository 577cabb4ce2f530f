-- A conversation under a budget: what holds for every conversation, in every format, wherever a host calls.

local abridge = require "abridge"
local conversation = require "support.conversation"
local history = require "abridge.history"
local plain = require "support.plain"
local random = require "support.random"
local valid = require "support.valid_messages"

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
    max_tokens = budget,
    count_tokens = by_bytes and function(text)
      return math.ceil(#text / 4)
    end or nil,
    trigger = trigger,
    target = random.chance(2) and trigger * random.choose { 0, 0.3, 0.9, 1 } or random.choose { 0.4, 0.5 },
    keep = random.choose { 0, 1, 3, 10 },
    clear_at_least = random.choose { 0, 0.1, 0.4 },
    exclude_tools = random.chance(3) and { "look" } or nil,
    inputs = not random.chance(5),
    exchanges = not random.chance(4),
    tools = random.chance(4) and { look = { repeatable = false }, edit_file = false } or nil,
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
  local line, rest = text:match "^(%[Removed to save room[^\n]*%])(.*)$"
  assert(line and (rest == "" or rest:sub(1, 1) == "\n"), text)
  assert(not text:find "[%z\1-\9\11-\31\127]", text)
  assert.equal(0, (select(2, abridge.count_chars(text))))
  assert(not line:find "again" or line:find "Call read_file again%]$" or line:find "Call search_files again%]$", line)
end

--- An argument, and what is left of it.
local function check_argument(opts, before, after)
  if type(before) ~= "table" then
    if before == after then return end
    assert(plain.tokens(before, opts) > 64 and plain.tokens(after, opts) <= 64, after)
    local start, left =
      after:match "^(.*)\n%[(%d+) more chars were here; removed from this conversation to save room%]$"
    assert(start and not start:find "\n" and before:sub(1, #start) == start, after)
    assert(plain.tokens(start, opts) <= 32, start)
    assert.equal(abridge.count_chars(before), abridge.count_chars(start) + tonumber(left))
    return
  end
  for key, value in pairs(before) do
    check_argument(opts, value, after[key])
  end
  for key in pairs(after) do
    assert(before[key] ~= nil, key)
  end
end

local decode = require("abridge.base.host").json().decode

--- What a message says, thinks, asks and answers, as a list of { kind, value }.
local function parts_of(format, message)
  local parts = {}
  local function add(kind, value)
    if value ~= nil and value ~= "" then parts[#parts + 1] = { kind = kind, value = value } end
  end
  if format == "own" then
    add(message.from, message.says)
    for _, call in ipairs(message.asks or {}) do
      add("call", { id = call.id, input = call.input })
    end
    for _, answer in ipairs(message.answers or {}) do
      add("result", { id = answer.id, content = answer.text })
    end
    return parts
  end
  if message.type == "reasoning" or message.reasoning then add("thought", message.id or message.reasoning) end
  if message.input or message.arguments then
    add("call", { id = message.call_id, input = message.input or decode(message.arguments) })
  end
  if message.role == "tool" or message.output then
    add("result", { id = message.tool_call_id or message.call_id, content = message.output or message.content })
  else
    for _, block in ipairs(type(message.content) == "table" and message.content or { message.content }) do
      local kind = type(block) == "table" and block.type
      if kind == "tool_use" then
        add("call", { id = block.id, input = block.input, mark = block.cache_control })
      elseif kind == "tool_result" then
        add("result", { id = block.tool_use_id, content = block.content })
      elseif kind == "thinking" then
        add("thought", block)
      else
        add(message.role, kind and block.text or block)
      end
    end
  end
  for _, call in ipairs(message.tool_calls or {}) do
    add("call", { id = call.id, input = decode(call["function"].arguments) })
  end
  return parts
end

local function all_parts(format, messages)
  local all = {}
  for i, message in ipairs(messages) do
    for _, part in ipairs(parts_of(format, message)) do
      part.at = i
      all[#all + 1] = part
    end
  end
  return all
end

local IS_NOTE = "^%[%d+ calls? removed to save room.*%]$"

--- Texts are as they were, in their order; a call is there with its result or both are gone; arguments and results are
--- whole or as they may be; thoughts are there where their calls are.
local function check_against_input(format, opts, input, output)
  local was, is, k = all_parts(format, input), all_parts(format, output), 0
  local results, calls = {}, {}
  for _, part in ipairs(is) do
    if part.kind == "result" then results[part.value.id] = part.value.content end
    if part.kind == "call" then calls[part.value.id] = part.value end
  end
  for _, part in ipairs(was) do
    local value, now = part.value, is[k + 1]
    local is_text = part.kind == "user" or part.kind == "assistant" or part.kind == "model"
    while now and now.kind == "user" and now.value:find(IS_NOTE) and now.value ~= value do
      assert(plain.tokens(now.value, opts) <= 160, now.value)
      k = k + 1
      now = is[k + 1]
    end
    if is_text then
      assert(now and now.kind == part.kind and now.value == value, "a text changed or moved")
      k = k + 1
    elseif part.kind == "call" and calls[value.id] then
      check_argument(opts, value.input, calls[value.id].input)
      assert(same(value.mark, calls[value.id].mark))
      k = k + 1
    elseif part.kind == "result" and calls[value.id] then
      local content = results[value.id]
      if type(content) == "string" and content ~= value.content and content:find "^%[Removed" then
        check_stub(opts, content)
      end
      k = k + 1
    elseif part.kind == "call" or part.kind == "result" then
      assert(opts.exchanges ~= false, "a call went")
      assert(results[value.id] == nil, "a result without its call")
    elseif now and same(now.value, value) then
      k = k + 1 -- a thought
    end
  end
  while is[k + 1] do
    k = k + 1
    assert(is[k].kind == "user" and is[k].value:find(IS_NOTE), "something is new")
  end
end

--- Thoughts stay with the calls of their reply, byte for byte.
local function check_thoughts(format, input, output)
  if format == "own" then return end
  local calls, thoughts = {}, {}
  for _, part in ipairs(all_parts(format, output)) do
    if part.kind == "call" then calls[part.value.id] = true end
    if part.kind == "thought" then thoughts[#thoughts + 1] = part.value end
  end
  local wanted, thought, has_call, gone = 0, false, false, false
  local function close()
    if thought and (has_call or not gone) then wanted = wanted + 1 end
    thought, has_call, gone = false, false, false
  end
  for _, part in ipairs(all_parts(format, input)) do
    if part.kind == "thought" then
      close()
      thought = true
    elseif part.kind == "call" then
      has_call, gone = has_call or calls[part.value.id], gone or not calls[part.value.id]
    elseif part.kind ~= "assistant" then
      close()
    end
  end
  close()
  assert.equal(wanted, #thoughts)
end

--- What a report says, and that it is true.
local function check_report(opts, before, sent, report)
  assert.equal(report.fits, report.tokens_after <= opts.max_tokens)
  assert.equal(report.freed, report.tokens_before - report.tokens_after)
  assert.equal(report.changed[1], report.first_changed)
  for i = 1, (report.first_changed or #before + 1) - 1 do
    assert.equal(before[i], sent[i])
  end
  local at = report.first_changed
  assert(not at or not same(before[at], sent[at]))
  local left = {}
  for _, message in ipairs(sent) do
    left[message] = true
  end
  for _, i in ipairs(report.changed) do
    left[before[i]] = left[before[i]] and error "a message that did not change" or false
  end
  for i, message in ipairs(before) do
    assert(left[message] ~= nil, i)
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
        sent[#sent + 1] = raw[i]
      end
      fed = place
      local fitted, report = history.fit(sent, opts)
      check_against_input(format, opts, sent, fitted)
      check_thoughts(format, sent, fitted)
      if valid[format] then valid[format](fitted, raw) end
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
    sent[#sent + 1] = raw[i]
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
      if valid[format] then valid[format](raw) end
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

  it("is read anew where anything in a message changed, at any depth, and in what was returned too", function()
    local function made()
      return conversation.new("openai", 12, 4000).messages
    end
    local opts, changes = { format = "openai", max_tokens = 2000, keep = 0, exchanges = false }, 0
    local function check(change, of_returned)
      random.start(3)
      local messages, given, before = made(), {}, changes
      local sent = history.fit(messages, opts)
      for _, message in ipairs(messages) do
        given[message] = true
      end
      for _, message in ipairs(of_returned and sent or messages) do
        if change(message, given) then changes = changes + 1 end
      end
      assert(changes > before + 2, changes - before)
      assert(same(history.fit(messages, opts), (history.fit(plain.copy(messages), opts))))
    end
    check(function(message)
      local call = (message.tool_calls or {})[1]
      if call then call["function"].arguments = '{"other":"' .. ("x "):rep(300) .. '"}' end
      return call
    end)
    check(function(message)
      if message.tool_calls then message.tool_calls[1] = plain.copy(message.tool_calls[1]) end -- the same again
      message.name = message.role == "tool" and ("n "):rep(200) or nil -- a key more
      return message.name
    end)
    check(function(message)
      local calls = message.tool_calls
      if calls then
        message.tool_calls, message.content = nil, "nothing"
      end -- a key less
      return calls
    end)
    check(function(message)
      if message.role ~= "tool" then return end
      message.content = { { type = "text", text = message.content } } -- a table for a string
      return true
    end)
    check(function(message, given)
      local ours = not given[message] and message.role == "tool"
      if ours then message.content = "written over by the host" end
      return ours
    end, true)
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
