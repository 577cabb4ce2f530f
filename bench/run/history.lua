--- `history.fit` on a conversation of 10,000 messages and 100 MB: all of it new, and with one message more, beside the
--- library that writes it as JSON for the request; and how the cost grows once a conversation no longer fits. Processor
--- time, the best of several: a call makes no other process wait, and the machine may be busy.
local cjson = require "cjson"
local history = require "abridge.history"
local kind_texts = require "run.kind_texts"
local measure = require "run.measure"
local report = require "run.report"
local targets = require "run.targets"

local MESSAGES, MB = 10000, 1024 ^ 2
local MAX_TOKENS = 1e6
local LONGER, ROOM = { 1000, 4000, 16000 }, 32000 -- messages of edits, and tokens for them

--- Chat messages, half of them results, each with a text of its own.
local function conversation(bytes)
  local messages = { { role = "user", content = "Mend the tests." } }
  local turns = math.max(4, math.floor(MESSAGES * math.min(1, measure.scale) / 2))
  local source = kind_texts.of("text", measure.size(2 * MB))
  local size, span = math.floor(bytes / turns), #source / 2
  for i = 1, turns do
    local part = { name = "read_file", arguments = ('{"path":"lib/part%d.lua"}'):format(i) }
    local calls = { { id = "call_" .. i, type = "function", ["function"] = part } }
    local from = math.floor(span * (i / turns))
    local text = ("-- part %d\n%s"):format(i, source:sub(from, from + size))
    messages[#messages + 1] = { role = "assistant", content = "", tool_calls = calls }
    messages[#messages + 1] = { role = "tool", tool_call_id = "call_" .. i, content = text }
  end
  return messages
end

--- Chat messages, half of them short results of calls with long arguments, some said by a person.
local function edits(count)
  local messages = { { role = "user", content = "Mend the tests." } }
  for i = 1, math.huge do
    if #messages >= count then return messages end
    local line = ("local part_%d = take(%d)\\n"):format(i, 7 * i)
    local arguments = ('{"path":"lib/part%d.lua","old":"%s","new":"%s"}'):format(i % 97, line:rep(4), line:rep(9))
    local part = { name = "edit_file", arguments = arguments }
    local calls = { { id = "call_" .. i, type = "function", ["function"] = part } }
    messages[#messages + 1] = { role = "assistant", content = "And the next.", tool_calls = calls }
    messages[#messages + 1] = { role = "tool", tool_call_id = "call_" .. i, content = "Replaced" }
    if i % 20 == 0 then messages[#messages + 1] = { role = "user", content = "Good. Go on." } end
  end
end

--- The same messages in tables of their own, which nobody has seen.
local function anew(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, inner in pairs(value) do
    copy[key] = anew(inner)
  end
  return copy
end

local function fit(messages, max_tokens)
  local most = max_tokens or MAX_TOKENS * math.min(1, measure.scale)
  return (history.fit(messages, { format = "openai", max_tokens = most }))
end

--- Least seconds of a call, each on what `prepare` gives.
local function seconds_of(times, prepare, call)
  local least = math.huge
  for i = 1, times do
    local given = prepare(i)
    collectgarbage()
    local start = os.clock()
    call(given)
    least = math.min(least, os.clock() - start)
  end
  return least
end

--- What a message costs in conversations that do not fit, of these lengths.
local function growth()
  local rows = {}
  for i, full in ipairs(LONGER) do
    local count = math.max(16, math.floor(full * math.min(1, measure.scale)))
    local messages = edits(count)
    local cold = seconds_of(3, function()
      return anew(messages)
    end, function(list)
      fit(list, ROOM)
    end)
    rows[i] = { tostring(#messages), report.time(cold), ("%.0f us"):format(cold / #messages * 1e6) }
  end
  report.print(("Edits, in %d tokens"):format(ROOM), { "time", "a message" }, rows)
end

return function()
  local bytes = measure.size(100 * MB)
  local messages = conversation(bytes)
  local function one_more(list)
    return function(i)
      list[#list + 1] = { role = i % 2 == 1 and "assistant" or "user", content = "Go on." }
      return list
    end
  end
  local encode = seconds_of(3, function()
    return messages
  end, cjson.encode)
  local first = seconds_of(3, function()
    return anew(messages)
  end, fit)
  local given_back = fit(messages)
  local raw = seconds_of(9, one_more(messages), fit)
  local fitted = seconds_of(9, one_more(fit(given_back)), fit)
  local function row(name, seconds)
    return { name, report.time(seconds), ("%.3f"):format(seconds / encode) }
  end
  report.print(
    ("A conversation of %d messages, %d MB"):format(#given_back, math.floor(bytes / MB + 0.5)),
    { "time", "x encode" },
    {
      row("cjson.encode", encode),
      row("history.fit, all of it new", first),
      row("one message more, raw history", raw),
      row("one message more, given back", fitted),
    }
  )
  targets.measured("history_first", first)
  targets.measured("history_more", math.max(raw, fitted) * 1e3)
  growth()
end
