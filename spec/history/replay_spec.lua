-- What examples/agent.lua says and gets over hundreds of calls on this repository, replayed at several budgets.

local history = require "abridge.history"
local host = require "abridge.base.host"
local model_server = require "support.model_server"
local merge = require "support.merge"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"
local valid = require "support.valid_messages"

local REPLIES = 130
local TARGET, KEEP = 0.6, 5 -- the defaults
local RESULTS_ALONE = { inputs = false, exchanges = false }

-- the conversation -----------------------------------------------------------------------

--- What an agent asks for that finds its way about a repository: some files again and again, some once.
local function new_call(files, known)
  local kind = random.below(20)
  if kind < 9 then
    local path = random.chance(3) and random.choose(files) or random.choose(known)
    known[#known + 1] = path
    return "read_file", { path = path, offset = random.chance(5) and 1 + 50 * random.below(3) or nil }
  elseif kind < 13 then
    return "search_files", { pattern = random.choose { "return", "limit", "local function", "TODO", "abr_cut" } }
  elseif kind < 15 then
    return "list_directory", { path = random.choose { ".", "csrc", "lua/abridge", "spec/support" } }
  elseif kind < 16 then
    return "find_files", { pattern = random.choose { "*.lua", "*.c", "*spec*" } }
  end
  return "run_command",
    {
      command = random.choose {
        "grep -rn 'static' csrc",
        "wc -l csrc/*/*.c",
        "cat Makefile",
        "ls -lR lua",
        "cat no_such_file; exit 3",
        "grep -n abridge README.md; false",
        "head -c 20000 doc/lua.md",
        "echo done",
      },
    }
end

--- The script of a model that looks about and changes nothing.
local function script(files, calls)
  local known = { random.choose(files), random.choose(files), random.choose(files) }
  return function()
    for i = 1, REPLIES do
      local made = {}
      for k = 1, random.chance(4) and random.between(2, 5) or random.chance(2) and 3 or 1 do
        local name, input = new_call(files, known)
        made[k] = { name = name, input = input }
        calls.count = calls.count + 1
      end
      if i == REPLIES then return "Seen enough." end
      coroutine.yield(made)
    end
  end
end

--- The raw messages of an agent at work, and how many there were before each reply.
local function recorded(dir)
  local root, calls, raw, places = tmpdir.root(), { count = 0 }, {}, {}
  local files = {}
  local list = io.popen("cd '" .. root .. "' && find csrc lua spec/support doc -name '*.[ch]' -o -name '*.lua' | sort")
  for path in list:lines() do
    files[#files + 1] = path
  end
  list:close()
  local server = model_server.new(script(files, calls))
  local agent, fit, given = dofile(root .. "/examples/agent.lua"), history.fit, 0
  local session
  function history.fit(messages, opts)
    for i = given + 1, #messages do
      raw[#raw + 1] = messages[i]
    end
    places[#places + 1], session = #raw, opts.session
    local sent, report = fit(messages, opts)
    given = #sent
    assert(report.fits)
    return sent, report
  end
  local opts = { root = root, run_dir = dir:at "run", url = server.url "/v1/chat/completions", budget = 64000 }
  local ok, said = pcall(agent.run, "Look about.", opts)
  history.fit = fit
  server.close()
  if not ok then error(server.failed or said, 0) end
  return { raw = raw, places = places, calls = calls.count, session = session }
end

-- what holds --------------------------------------------------------------------------------

--- What a provider would count, added up here.
local function sum_of(messages)
  local sum = 0
  for _, message in ipairs(messages) do
    if type(message.content) == "string" then sum = sum + plain.tokens(message.content) end
    for _, call in ipairs(message.tool_calls or {}) do
      sum = sum + plain.tokens(call["function"].name) + plain.tokens(call["function"].arguments)
    end
  end
  return sum
end

local function is_stub(content)
  return content:find "^%[Removed to save room" ~= nil
end

--- The results in some messages: where, in which reply, what was asked; which a later one of the same call supersedes,
--- and which a later read of the same file may.
local function results_of(messages, raw)
  local results, asked, latest, last_read, replies = {}, {}, {}, {}, 0
  for i, message in ipairs(messages) do
    if message.role == "assistant" then replies = replies + 1 end
    for _, call in ipairs(message.tool_calls or {}) do
      asked[call.id] = call["function"].name .. call["function"].arguments
    end
    if message.role == "tool" then
      local failed = raw[i].content:gsub("%s+%[Showing [^\n]*%]$", ""):find "\nCommand exited with code %d+$" ~= nil
      local key = asked[message.tool_call_id]
      local file = key:match '^read_file.*"path":"([^"]*)"'
      results[#results + 1] = { at = i, key = key, file = file, reply = replies, content = message.content }
      asked[message.tool_call_id] = nil
      if not failed then latest[key] = i end
      if file then last_read[file] = i end
    end
  end
  assert.is_nil(next(asked), "a call has no result")
  for _, result in ipairs(results) do
    result.superseded = (latest[result.key] or 0) > result.at
    result.may_be = result.file and last_read[result.file] > result.at
  end
  return results, replies
end

--- Where a result went that was not asked again, all went that were.
local function check_order(before, after, raw)
  local results, replies = results_of(after, raw)
  local gone, left = false, false
  for _, result in ipairs(results) do
    if result.reply < replies - KEEP then
      local is_new = is_stub(result.content) and not is_stub(before[result.at].content)
      gone = gone or (is_new and not result.superseded and not result.may_be)
      left = left or (result.superseded and not is_stub(result.content) and plain.tokens(result.content) > 160)
    end
  end
  assert(not (gone and left), "a result went before one that was superseded")
end

--- Replay a conversation as a host that gives back what it got. Returns how often it was rewritten.
local function replay(made, calls, budget, over)
  local opts = merge({ format = "openai", max_tokens = budget, session = made.session }, over)
  local sent, fed, answered, rewrites, last = {}, 0, 0, 0, nil
  for number, place in ipairs(made.places) do
    for i = fed + 1, place do
      sent[#sent + 1] = made.raw[i]
      answered = answered + (made.raw[i].role == "tool" and 1 or 0)
    end
    fed = place
    local fitted, report = history.fit(sent, opts)
    assert.equal(sum_of(fitted), report.tokens_after)
    assert.equal(sum_of(sent), report.tokens_before)
    assert.is_true(report.fits)
    assert.is_true(report.tokens_after <= budget)
    valid.openai(fitted)
    for i = 1, (report.first_changed or #sent + 1) - 1 do
      assert(rawequal(fitted[i], sent[i]))
    end
    if report.first_changed then
      rewrites = rewrites + 1
      if over.exchanges == false then check_order(sent, fitted, made.raw) end
      if last then assert(report.tokens_before - last >= budget / 4, "rewritten twice within a quarter") end
      last = report.tokens_after <= TARGET * budget and report.tokens_after or nil
    end
    assert.same({}, select(2, history.fit(fitted, opts)).changed)
    if number % 10 == 0 then
      local raw = {}
      for i = 1, place do
        raw[i] = made.raw[i]
      end
      assert.same(fitted, (history.fit(raw, opts)))
    end
    sent = fitted
    if answered >= calls then break end
  end
  return rewrites
end

describe("hundreds of calls of an agent on this repository #once", function()
  if not host.uv() then return pending "luv is missing" end

  it("stay within each budget, and are seldom rewritten", function()
    local dir = tmpdir.new()
    random.each(1, function()
      local made = recorded(dir)
      assert.is_true(made.calls >= 250, made.calls .. " calls")
      local all = math.huge
      for _, case in ipairs { { 128000, all, 5 }, { 64000, all, 10 }, { 32000, 100, 8 }, { 24000, 100, 10 } } do
        for _, over in ipairs { {}, RESULTS_ALONE } do
          local rewrites = replay(made, case[2], case[1], over)
          assert.is_true(rewrites >= case[3], rewrites .. " rewrites at " .. case[1])
        end
      end
    end)
    dir:remove()
  end)
end)
