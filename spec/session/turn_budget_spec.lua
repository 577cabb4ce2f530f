-- What the results of one reply share when they have a budget together.
local abridge = require "abridge"
local anthropic = require "abridge.anthropic"
local conformance = require "abridge.conformance"
local core = require "abridge.core"
local host = require "abridge.base.host"
local merge = require "support.merge"
local numbered = require "support.numbered"
local openai = require "abridge.openai"
local random = require "support.random"
local reply = require("support.conversation").reply
local tmpdir = require "support.tmpdir"

local unpack = table.unpack or unpack
local must = random.must
local PNG = { type = "image", data = "aGk=", mimeType = "image/png" }

local function contents(messages)
  local list = {}
  for i, message in ipairs(messages) do
    list[i] = message.content
  end
  return list
end

local function total(texts)
  return #table.concat(texts)
end

--- A session with a tool `give` that yields what `gives` has under its input's key, at once or, where the key is in
--- `later`, when finish[key] is called; and the tool_result events.
local function new_session(gives, opts, later)
  local events, finish = {}, {}
  opts = opts or {}
  opts.tools, opts.run_dir = opts.tools or { "read_file", "run_command" }, opts.run_dir or false
  local heard = opts.on_event
  function opts.on_event(event)
    if event.type == "tool_result" then events[#events + 1] = event end
    if heard then heard(event) end
  end
  local session = assert(abridge.session(opts))
  session:register {
    name = "give",
    execute = function(input, ctx, done)
      local function give()
        local value = gives[input.key]
        if type(value) ~= "function" then return done(value) end
        local ok, made = pcall(value, ctx)
        done(ok and made or { content = made, is_error = true })
      end
      if not (later and later[input.key]) then return give() end
      finish[input.key] = give
    end,
  }
  return session, events, finish
end

local function give(key)
  return { "give", { key = key } }
end

--- The event of a result keeps the promises of results.
local function check_event(event, limits)
  conformance.check({
    tool = event.tool,
    content = event.content,
    is_error = event.is_error,
    truncation = event.truncation,
    metadata = event.metadata,
    details = { cut = event.cut, notice = event.notice, exit_line = event.exit_line },
  }, { limits = limits and limits.marker ~= "outside" and limits or nil })
end

describe("a turn with a budget #few", function()
  local session, dir

  local function open(...)
    local events, finish
    session, events, finish = new_session(...)
    return events, finish
  end

  after_each(function()
    if session then pcall(session.close, session) end
    if dir then dir:remove() end
    session, dir = nil, nil
  end)

  it("leaves small results whole and cuts large ones to what is left", function()
    local small, middle, large = numbered(5), numbered(150), numbered(5000)
    local events = open { small = small, middle = middle, large = large, larger = large .. large }
    local texts = contents(
      openai.results(session, reply(give "large", give "small", give "middle", give "larger"), { max_bytes = 6000 })
    )
    assert.equal(small, texts[2])
    assert.equal(middle, texts[3])
    assert.is_true(total(texts) <= 6000)
    local share = (6000 - #small - #middle) / 2
    for _, i in ipairs { 1, 4 } do
      assert.is_true(#texts[i] <= share and #texts[i] > share - 100, #texts[i])
      assert.matches("%(2%.[23]KB limit%)", texts[i])
    end
    assert.equal(4, #events)
  end)

  it("changes nothing where all fits, or without options", function()
    local given = { a = numbered(3000), b = numbered(10) }
    open(given)
    local calls = reply(give "a", give "b")
    local plain = openai.results(session, calls)
    assert.same(plain, openai.results(session, calls, { max_bytes = "1MB", max_tokens = 1e6 }))
    assert.same(plain, openai.results(session, calls, {}))
  end)

  it("tells of a result once: a small one when it ends, the others in their order when all have ended", function()
    local events, finish = open(
      { a = numbered(4000), b = "small", c = numbered(3000), d = "last" },
      nil,
      { a = true, b = true, c = true, d = true }
    )
    local told
    local opts = { parallel = true, max_bytes = 3000 }
    function opts.on_done(messages)
      told = messages
    end
    openai.results(session, reply(give "a", give "b", give "c", give "d"), opts)
    finish.c()
    assert.equal(0, #events)
    finish.b()
    assert.equal("id2", events[1].call_id)
    finish.a()
    assert.equal(1, #events)
    assert.is_nil(told)
    finish.d()
    local ids = {}
    for i, event in ipairs(events) do
      ids[i] = event.call_id
      assert.equal(told[tonumber(event.call_id:sub(3))].content, event.content)
      assert.equal(#event.content, event.bytes_shown)
    end
    assert.same({ "id2", "id4", "id1", "id3" }, ids)
  end)

  it("tells the duration of the call, not of the turn", function()
    if not host.uv() then return pending "luv is missing" end
    local events = open { a = numbered(3000) }
    openai.results(
      session,
      reply(give "a", { "run_command", { command = "sleep 0.3; seq 3000" } }),
      { max_bytes = 2000 }
    )
    assert.is_true(events[1].duration_ms < 200)
    assert.is_true(events[2].duration_ms >= 250)
  end)

  it("keeps exit lines, however little is left", function()
    if not host.uv() then return pending "luv is missing" end
    local events = open {}
    local calls = {}
    for i = 1, 10 do
      calls[i] = { "run_command", { command = ("seq 3000; exit %d"):format(i) } }
    end
    for _, budget in ipairs { 20000, 1000, 400, 270 } do
      local texts = contents(openai.results(session, reply(unpack(calls)), { max_bytes = budget, parallel = true }))
      for i, text in ipairs(texts) do
        assert.matches(("Command exited with code %d%%f[%%D]"):format(i), text)
        assert.equal("Command exited with code " .. i, events[#events - 10 + i].exit_line)
      end
      assert.is_true(total(texts) <= budget)
    end
    local texts = contents(openai.results(session, reply(unpack(calls)), { max_bytes = 1, parallel = true }))
    assert.equal("Command exited with code 7", texts[7])
  end)

  it("says of each of forty results that it was cut where there is room for none", function()
    local failure = { content = "bad " .. numbered(50), is_error = true }
    local rows = { rows = { { id = 1, name = "one" } } }
    local events, calls = open { a = numbered(3000), b = "  \n", c = "ok", d = "", e = failure, f = rows }, {}
    for i = 1, 40 do
      calls[i] = give(({ "a", "b", "c", "d", "e", "f" })[i % 6 + 1])
    end
    local texts = contents(openai.results(session, reply(unpack(calls)), { max_bytes = 1, max_tokens = 1 }))
    assert.equal(40, #events)
    for i, text in ipairs(texts) do
      check_event(events[i])
      local key = calls[i][2].key
      local wanted = { a = 11, b = 3, c = 2, d = 11, e = 10, f = 11 }
      assert.is_true(#text <= wanted[key], text)
      assert.matches("%S", key == "b" and "blank" or text)
      if key == "e" then assert.equal("bad line 1", text) end
      if key == "c" then assert.equal("ok", text) end
      if key == "f" then assert.equal("[truncated]", text) end
    end
  end)

  it("keeps the beginning of an error that must be cut, whatever the tool's strategy", function()
    local message = "no such table: users. " .. ("Did you mean one of these? "):rep(60)
    for _, strategy in ipairs { "tail", "auto", "head", "head_tail" } do
      open({ a = { content = message, is_error = true }, b = numbered(3000) }, {
        limits = { give = { strategy = strategy, max_bytes = 10000 } },
      })
      local texts = contents(openai.results(session, reply(give "a", give "b"), { max_bytes = 400 }))
      assert.equal("no such table: users.", texts[1]:sub(1, 21))
      assert.is_true(#texts[1] > 100 and total(texts) <= 400)
      session:close()
    end
    open({ a = { content = numbered(2000), is_error = true }, b = "b" }, { limits = { give = { strategy = "tail" } } })
    assert.matches("^line 1\n", contents(openai.results(session, reply(give "a", give "b"), { max_bytes = 400 }))[1])
  end)

  it("gives pages that go on where the cut is, so that following them shows every line once", function()
    dir = tmpdir.new()
    local lines = {}
    for i = 1, 300 do
      lines[i] = ("%d %s"):format(i, ("word "):rep(i % 17))
    end
    lines[40] = ("long "):rep(700)
    dir:write("file", table.concat(lines, "\n") .. "\n")
    for _, names in ipairs { {}, { "run_command" } } do
      local tools = { "read_file", unpack(names) }
      for _, redact in ipairs { false, { "secret" } } do
        local events = open({ a = numbered(3000) }, { cwd = dir.path, tools = tools, redact = redact or nil })
        local input, seen, pages = { path = "file" }, {}, 0
        repeat
          local texts = contents(openai.results(session, reply({ "read_file", input }, give "a"), { max_bytes = 3000 }))
          local event = events[#events - 1].call_id == "id1" and events[#events - 1] or events[#events]
          assert.equal(event.content, texts[1])
          local next_offset, column = event.truncation.next_offset, nil
          if next_offset then column = event.cut.next_column end
          local body = event.content
          if event.notice then body = body:sub(1, #body - #event.notice):gsub("\n+$", "") end
          seen[#seen + 1] = body
          if next_offset and not column then seen[#seen + 1] = "\n" end
          assert.is_true(total(texts) <= 3000)
          if event.cut.first_line_exceeds_limit then -- its notice names the shell
            seen[#seen + 1] = lines[next_offset] .. "\n"
            next_offset = next_offset + 1
          end
          input = next_offset and { path = "file", offset = next_offset, column = column }
          pages = pages + 1
        until not input or pages > 60
        local whole = table.concat(seen):gsub("\n+$", "")
        assert.equal(table.concat(lines, "\n"), whole)
        assert.is_true(pages > 4)
        session:close()
      end
    end
  end)

  it("keeps the full output of what only its share cuts, and names it", function()
    if not host.uv() then return pending "luv is missing" end
    dir = tmpdir.new()
    local text = numbered(500)
    local events = open({ a = text }, { run_dir = dir:at "run" })
    local texts = contents(
      openai.results(session, reply(give "a", { "run_command", { command = "seq 500" } }), { max_bytes = 1500 })
    )
    for i, whole in ipairs { text, numbered(500, ""):gsub(" ", "") .. "\n" } do
      local path = texts[i]:match "Full output: (%S+)%. Use "
      assert.equal(dir:at("run/" .. events[i].full_output.path), path)
      assert.equal(whole, (session:full_output("id" .. i, { limit = 1e6 })))
      local file = assert(io.open(path, "rb"))
      assert.equal(whole, file:read "*a")
      file:close()
    end
  end)

  it("redacts what it shows, and counts what is shown", function()
    local text = ("token sk-12345678\n"):rep(400)
    open({ a = text, b = text }, { redact = { "sk%-%d+" } })
    local texts = contents(openai.results(session, reply(give "a", give "b"), { max_bytes = 1000 }))
    assert.is_nil(table.concat(texts):find "sk%-")
    assert.is_true(total(texts) <= 1000 and total(texts) > 850)
  end)

  it("counts the line on parts left out, and sends images of the other APIs beside the budget", function()
    local big = { content = { { type = "text", text = numbered(1000) }, PNG, { type = "audio" } } }
    open { a = big, b = big, bad = { content = { { type = "text", text = numbered(900) }, PNG }, isError = true } }
    for _, budget in ipairs { { max_bytes = 1000 }, { max_tokens = 400 }, { max_bytes = 150 }, { max_bytes = 40 } } do
      local texts = contents(openai.results(session, reply(give "a", give "b"), budget))
      if budget.max_bytes then assert.is_true(total(texts) <= budget.max_bytes) end
      assert.matches("^line", texts[1])
      local told = texts[1]:find("[2 parts that are not text left out]", 1, true)
      assert.equal((budget.max_bytes or 1000) > 100, told ~= nil)
    end
    local message = anthropic.results(session, {
      role = "assistant",
      content = {
        { type = "tool_use", id = "x", name = "give", input = { key = "a" } },
        { type = "tool_use", id = "y", name = "give", input = { key = "bad" } },
      },
    }, { max_bytes = 1000 })[1]
    local text, image = message.content[1].content[1], message.content[1].content[2]
    assert.equal("image", image.type)
    assert.matches("%[1 part that is not text left out%]$", text.text)
    assert.is_true(message.content[2].is_error)
    assert.is_true(#text.text + #message.content[2].content <= 1000)
    local items = openai.results(session, {
      output = {
        { type = "function_call", call_id = "x", name = "give", arguments = '{"key":"a"}' },
        { type = "function_call", call_id = "y", name = "give", arguments = '{"key":"b"}' },
      },
    }, { max_bytes = 1000 })
    assert.equal("input_image", items[2].output[2].type)
    assert.is_true(#items[1].output[1].text + #items[2].output[1].text <= 1000)
  end)

  it("counts tokens as each tool's limits do", function()
    local function counter(text)
      return 2 * #text
    end
    open({ a = numbered(500) }, { limits = { give = { count_tokens = counter, max_tokens = 1e6 } } })
    local texts = contents(openai.results(session, reply(give "a", give "a", { "nope" }), { max_tokens = 2000 }))
    assert.is_true(counter(texts[1] .. texts[2]) + abridge.estimate_tokens(texts[3]) <= 2000)
    assert.is_true(counter(texts[1]) > 850)
  end)

  it("cuts what a tool gives under soft limits by both ends, as a ceiling does", function()
    for _, limits in ipairs {
      { strategy = "pipeline", max_chars = 20000, max_lines = 300, max_bytes = false },
      { strategy = "head_tail", max_bytes = 5000, marker = "outside" },
    } do
      for _, ceiling in ipairs { false, { max_bytes = 9000 } } do
        local stream = function(ctx)
          local out = ctx.stream()
          for i = 1, 400 do
            assert(out:write(("%d: %s\n"):format(i, ("x"):rep(50))))
          end
          return out
        end
        local text = numbered(280) .. "\n" .. ("y"):rep(3000)
        open({ a = stream, b = text }, { limits = { give = limits }, ceiling = ceiling or nil })
        for _, budget in ipairs { { max_bytes = 3000 }, { max_tokens = 600 } } do
          local texts = contents(openai.results(session, reply(give "a", give "b"), budget))
          local tokens = abridge.estimate_tokens(texts[1]) + abridge.estimate_tokens(texts[2])
          assert.is_true(total(texts) <= (budget.max_bytes or 1e6) and tokens * 1.35 <= (budget.max_tokens or 1e6) + 2)
          assert.matches("^1: x", texts[1])
          assert.matches("bytes [ot]", texts[2])
        end
        session:close()
      end
    end
  end)

  it("answers within its budget when a token counter raises, the first time or later", function()
    for _, good in ipairs { 0, 3, 6, 9, 15 } do
      local count = 0
      local function counter(text)
        count = count + 1
        if count > good then error("cannot count", 0) end
        return #text
      end
      local events = open({
        a = numbered(3000),
        b = function(ctx)
          local out = ctx.stream()
          out:write(numbered(4000))
          return out
        end,
      }, { limits = { give = { count_tokens = counter, max_tokens = 20000 } } })
      local opts = { max_bytes = 3000, max_tokens = 3000 }
      local texts = contents(openai.results(session, reply(give "a", give "b"), opts))
      assert.is_true(total(texts) <= 3000)
      assert.equal(2, #events)
      assert.equal(events[1].content, texts[1])
      assert.same({}, session.held)
      session:close()
    end
  end)

  it("answers every call when it is cancelled or its session closed, and the log has each event", function()
    for _, how in ipairs { "cancel", "close" } do
      dir = tmpdir.new()
      local events, finish = open({ a = numbered(3000), b = numbered(2000) }, { run_dir = dir:at "run" }, { b = true })
      local told
      local going = openai.results(session, reply(give "a", give "b", give "a"), {
        max_bytes = 1000,
        on_done = function(messages)
          told = messages
        end,
      })
      assert.equal(0, #events)
      if how == "cancel" then
        going:cancel()
      else
        session:close()
      end
      local texts = contents(told)
      assert.equal("Tool give was aborted", texts[2])
      assert.equal(how == "cancel" and "Tool give was aborted" or "The session is closed", texts[3])
      assert.is_true(#texts[1] > 800 and total(texts) <= 1000)
      assert.equal(texts[1], events[#events].content)
      finish.b()
      assert.equal(how == "cancel" and 2 or 3, #events)
      assert.same({}, session.held)
      session:close()
      assert.is_true(session.run.closed)
      local log = assert(abridge.open_run(dir:at "run")):events { type = "tool_result" }
      assert.equal(how == "cancel" and 2 or 3, #log)
      dir:remove()
      dir = nil
    end
  end)

  it("goes on when the session is closed by its own events", function()
    dir = tmpdir.new()
    open({ a = numbered(3000), b = numbered(2000), c = "c" }, {
      run_dir = dir:at "run",
      on_event = function(event)
        if event.type == "tool_result" then session:close() end
      end,
    })
    local texts = contents(openai.results(session, reply(give "a", give "b", give "a"), { max_bytes = 1000 }))
    assert.is_true(total(texts) <= 1000 and total(texts) > 900)
    assert.is_true(session.run.closed)
    assert.equal(3, #assert(abridge.open_run(dir:at "run")):events { type = "tool_result" })
  end)

  it("tells of a call that ends after it was given up", function()
    local events, finish = open({ a = numbered(3000), b = numbered(3000) }, nil, { b = true })
    session:register {
      name = "stubborn",
      execute = function(_, _, done)
        finish.stubborn = function()
          done(numbered(2000))
        end
        return function()
          return true
        end
      end,
    }
    local opts = { max_bytes = 1000, on_done = function() end }
    local going = openai.results(session, reply(give "a", { "stubborn" }), opts)
    going.calls[2].job.wait = function() end -- as a job's inside Neovim, after Ctrl-C
    local texts = contents(going:wait())
    assert.equal("Tool stubborn was aborted", texts[2])
    assert.is_true(total(texts) <= 1000 and #texts[1] > 900)
    assert.equal(1, #events)
    finish.stubborn()
    assert.equal(2, #events)
    assert.same({}, session.held)
  end)

  it("closes every stream it held", function()
    local streams = {}
    local function stream(ctx)
      local out = ctx.stream()
      out:write(numbered(3000))
      streams[#streams + 1] = out
      return out
    end
    open { a = stream, b = stream, c = "c" }
    openai.results(session, reply(give "a", give "b", give "c"), { max_bytes = 1000 })
    assert.equal(2, #streams)
    for _, one in ipairs(streams) do
      assert.is_true(one.closed)
    end
  end)

  it("ends calls that nothing can end any more, within its budget", function()
    if host.in_nvim or not host.uv() then return pending "the loop of this host never runs dry" end
    open({ a = numbered(3000), b = "b" }, nil, { b = true })
    local texts = contents(openai.results(session, reply(give "a", give "b"), { max_bytes = 500 }))
    assert.equal("Tool give ended without a result", texts[2])
    assert.is_true(#texts[1] > 400 and total(texts) <= 500)
  end)

  it("cuts sentences of ours as well, where a session fails itself", function()
    local broken = { errors = {} }
    function broken.call()
      error "not called"
    end
    local texts = contents(openai.results(broken, reply({ ("n"):rep(300) }, { ("m"):rep(300) }), { max_bytes = 60 }))
    assert.is_true(total(texts) <= 60)
    assert.equal("Tool n", texts[1]:sub(1, 6))
  end)

  it("passes again unchanged where a host caps it once more", function()
    open { a = numbered(3000), b = numbered(2000) }
    for _, text in ipairs(contents(openai.results(session, reply(give "a", give "b"), { max_bytes = 4000 }))) do
      assert.equal(text, (abridge.cap(text, "give")))
      assert.equal(text, session:cap("give", text).content)
    end
  end)

  it("refuses a budget that is none, with the argument and the value", function()
    open {}
    for _, case in ipairs {
      { { max_bytes = 0 }, 'max_bytes must be an integer from 1 to 2^53, or a size such as "30KB", got 0' },
      { { max_bytes = "much" }, 'max_bytes must be an integer from 1 to 2^53, or a size such as "30KB", got "much"' },
      { { max_tokens = 0 }, "max_tokens must be an integer from 1 to 2^53, got 0" },
      { { max_tokens = 1.5 }, "max_tokens must be an integer from 1 to 2^53, got 1.5" },
      {
        { max_tokens = "1KB" },
        'max_tokens must be an integer from 1 to 2^53, or a share of the session\'s window such as "5%", got "1KB"',
      },
      { { max_chars = 1 }, "unknown option 'max_chars' (value 1)" },
    } do
      local ok, message = pcall(function()
        return (openai.results(session, reply(), case[1]))
      end)
      assert.is_false(ok)
      assert.matches("openai.results: " .. case[2], message, 1, true)
      assert.matches("turn_budget_spec", message, 1, true)
      ok, message = pcall(function()
        return (anthropic.results(session, { content = {} }, case[1]))
      end)
      assert.is_false(ok)
      assert.matches("anthropic.results: " .. case[2], message, 1, true)
    end
  end)
end)

-- any turn ---------------------------------------------------------------------------------

--- Values of every kind that a tool may give.
local KINDS = {
  text = function()
    return random.text(random.choose { 20, 400, 4000 })
  end,
  lines = function()
    return numbered(random.between(1, 1500), "line of text")
  end,
  json = function()
    local rows = {}
    for i = 1, random.between(1, 300) do
      rows[i] = { id = i, name = "item " .. i }
    end
    return { rows = rows }
  end,
  failure = function()
    return { content = random.text(random.choose { 5, 100, 2000 }) .. "!", is_error = true }
  end,
  mcp = function()
    local parts = { { type = "text", text = random.text(2000) }, PNG }
    return { content = parts, isError = random.chance(2) }
  end,
  stream = function()
    local chunks = {}
    for i = 1, random.between(1, 30) do
      chunks[i] = random.text(300)
    end
    return function(ctx)
      local out = ctx.stream()
      for _, chunk in ipairs(chunks) do
        assert(out:write(chunk))
      end
      return out
    end
  end,
  raising = function()
    local message = "it broke: " .. random.text(100)
    return function()
      error(message, 0)
    end
  end,
}
--- Files that a turn may read.
local READS = {
  { path = "lines" },
  { path = "lines", offset = 100, line_numbers = true },
  { path = "json", pointer = "" },
  { path = "json" },
  { path = "wide" },
  { path = "none" },
}
local NAMES = { "text", "lines", "json", "failure", "mcp", "stream", "raising" }

local LIMITS = {
  {},
  { strategy = "head", max_bytes = 3000 },
  { strategy = "tail", max_lines = 50 },
  { strategy = "head_tail", max_bytes = 5000, marker = "outside" },
  { strategy = "auto", max_tokens = 900 },
  { strategy = "pipeline", max_chars = 4000, max_lines = 100, max_bytes = false },
  { strategy = "auto", max_bytes = 20000, token_safety = 2 },
}

--- The largest level at which everything cut to it fits the budget.
local function level_of(sizes, budget)
  local low, high = 0, budget
  while low < high do
    local middle, sum = math.ceil((low + high) / 2), 0
    for _, size in ipairs(sizes) do
      sum = sum + math.min(size, middle)
    end
    if sum <= budget then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

--- Make the calls of a turn, ended in some order; the contents of its messages, the events by call, and each call's
--- limits.
local function play(turn, order, opts)
  local later = {}
  for i in ipairs(turn.calls) do
    later[i] = true
  end
  local session, events, finish = new_session(turn.gives, {
    limits = { give = turn.limits },
    tools = { "read_file" },
    cwd = turn.dir,
    redact = turn.redact,
  }, later)
  local given, told = { parallel = true }, nil
  merge(given, opts)
  function given.on_done(messages)
    told = messages
  end
  local going = openai.results(session, reply(unpack(turn.calls)), given)
  for _, i in ipairs(order) do
    if finish[i] then finish[i]() end
  end
  going:wait() -- a file may be read in steps
  local by_id = {}
  for _, event in ipairs(events) do
    must(not by_id[event.call_id], "two events of %s", event.call_id)
    by_id[event.call_id] = event
  end
  must(next(session.held) == nil, "something is held")
  local limits = {}
  for i, call in ipairs(turn.calls) do
    limits[i] = session:limits(call[1])
  end
  session:close()
  return contents(told), by_id, limits
end

local function shuffled(n)
  local order = {}
  for i = 1, n do
    order[i] = i
  end
  for i = n, 2, -1 do
    local j = random.between(1, i)
    order[i], order[j] = order[j], order[i]
  end
  return order
end

local function draw_turn(dir)
  local turn = { calls = {}, gives = {}, limits = random.choose(LIMITS), dir = dir }
  turn.redact = random.chance(3) and { "line" } or nil
  for i = 1, random.between(1, 10) do
    turn.calls[i] = give(i)
    turn.gives[i] = KINDS[random.choose(NAMES)]()
    if random.chance(5) then turn.calls[i] = { "read_file", random.choose(READS) } end
  end
  return turn
end

--- A message must be what its event tells. Its own limits may cut that to make room for the line on parts left out.
local function check_told(text, told)
  local same = text == told or told == "" and text == "(no output)"
  must(same or text:find "%[1 part that is not text left out%]$", "event %s, message %s", told, text)
end

describe("any turn with a budget #few", function()
  local dir

  setup(function()
    dir = tmpdir.new()
    dir:write("lines", numbered(1500, "line of a file"))
    dir:write("wide", ("wide "):rep(5000) .. "\nsecond\n")
    dir:write("json", "[" .. numbered(400, ""):gsub("%s+", ",\n"):sub(3) .. "]")
  end)

  teardown(function()
    dir:remove()
  end)

  it("is within it, max-min fair, the same in any order of ends, and told as it was", function()
    random.each(400, function()
      local turn = draw_turn(dir.path)
      local n = #turn.calls
      local plain, _, limits = play(turn, shuffled(n))
      local function tokens_of(text, i)
        return core.weigh_tokens(text, limits[i].token_safety)
      end
      local sizes, tokens, sum, token_sum = {}, {}, 0, 0
      for i, text in ipairs(plain) do
        sizes[i], tokens[i] = #text, tokens_of(text, i)
        sum, token_sum = sum + sizes[i], token_sum + tokens[i]
      end
      local opts, which = {}, random.below(3)
      if which ~= 1 then opts.max_bytes = random.between(n * 35, math.max(n * 35, sum + 100)) end
      if which ~= 0 then opts.max_tokens = random.between(n * 20, math.max(n * 20, token_sum + 20)) end
      local texts, events = play(turn, shuffled(n), opts)

      local got, got_tokens = 0, 0
      for i, text in ipairs(texts) do
        got, got_tokens = got + #text, got_tokens + tokens_of(text, i)
        local grew = opts.max_bytes and #text > sizes[i] or opts.max_tokens and tokens_of(text, i) > tokens[i]
        must(not grew, "call %s grew: %s, from %s", i, text, plain[i])
        check_told(text, events["id" .. i].content)
        check_event(events["id" .. i], limits[i])
      end
      must(#texts == n, "%s messages of %s calls", #texts, n)
      must(got <= (opts.max_bytes or got), "%s of %s bytes", got, opts.max_bytes)
      must(got_tokens <= (opts.max_tokens or got_tokens), "%s of %s tokens", got_tokens, opts.max_tokens)

      local level = opts.max_bytes and level_of(sizes, opts.max_bytes) or math.huge
      local token_level = opts.max_tokens and level_of(tokens, opts.max_tokens) or math.huge
      for i, text in ipairs(texts) do
        local fits = sizes[i] <= level and tokens[i] <= token_level
        must(not fits or text == plain[i], "call %s of %s bytes, %s tokens was cut", i, sizes[i], tokens[i])
        must(sizes[i] <= level + 1 or text ~= plain[i], "call %s of %s bytes is whole", i, sizes[i])
        must(tokens[i] <= token_level + 1 or text ~= plain[i], "call %s of %s tokens is whole", i, tokens[i])
      end
      local again = play(turn, shuffled(n), opts)
      for i, text in ipairs(again) do
        must(text == texts[i], "call %s differs by the order of ends: %s, %s", i, text, texts[i])
      end
    end)
  end)
end)
