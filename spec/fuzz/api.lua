--- The fuzzer of the Lua API: random calls with arguments of every kind, under sanitizers where the module was built
--- with them. `lua spec/fuzz/api.lua SECONDS` draws cases from ABRIDGE_SEED for so long, `FIRST-LAST` only those;
--- what it finds is told with the seed and the case that repeat it. With `long` behind it, texts have one thing of 1 to
--- 64 MB, on a heap that is busy.
---
--- A call must not crash, must not yield, and raises only texts that name the function, or what our own callback or
--- metamethod raised; what it returns keeps the rules of the contract.
local abridge = require "abridge"
local core = require "abridge.core"
local conversation = require "support.conversation"
local history = require "abridge.history"
local long = require "long"
local openai = require "abridge.openai"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"
local values = require "values"

local unpack = table.unpack or unpack
local uv = require("abridge.base.host").uv()
local must, chance, choose, one_of = random.must, random.chance, random.choose, values.one_of
local dir

-- what a call may do -----------------------------------------------------------------------------

--- Errors of Lua itself that are the caller's doing: objects of the wrong kind as self, yields, what we raised.
local FINE = {
  "our own error",
  "attempt to yield",
  "for iterator 'for iterator'", -- a __pairs that answers nonsense
  "^bad argument #%d+ to '[^']+' %(abridge%.%a+ expected, got [^)]*%)$",
  "^calling '[%w_]+' on bad self",
}

local function check_error(name, message)
  if rawequal(message, values.OWN) or tostring(message) == "nil" then return end -- callbacks of ours may raise nil
  must(type(message) == "string", "%s raised a %s: %s", name, type(message), tostring(message))
  for _, pattern in ipairs(FINE) do
    if message:find(pattern) then return end
  end
  local said = message:gsub("^[^\n]-:%d+: ", "")
  must(not said:find "attempt to", "%s raised %s", name, message)
  -- who raises is named first; what conforms is a tool, which may have any name
  local who = name == "abridge.assert_conforms" and said:find ": " or said:find "^[%w_.]+: "
  must(who or said:find "^[%w_.]+:[%w_]+: ", "%s raised %s", name, message)
end

--- Call a function in a coroutine, as a caller might whose callbacks yield. Returns true and its results, or false.
local function call(name, fn, args)
  local thread = coroutine.create(function()
    return pcall(fn, unpack(args, 1, args.n))
  end)
  local results = { coroutine.resume(thread) }
  must(results[1], "%s: the coroutine died: %s", name, tostring(results[2]))
  if coroutine.status(thread) ~= "dead" then return false end -- a callback of ours yielded through Lua code
  if not results[2] then
    check_error(name, results[3])
    return false
  end
  return true, unpack(results, 3, 10)
end

-- what a cut must be -----------------------------------------------------------------------------

local function nothing() end

local function is_count(value)
  return type(value) == "number" and value >= 0 and value == math.floor(value)
end

local function check_cut(name, content, cut, opts)
  must(type(content) == "string" and type(cut) == "table", "%s returned a %s and a %s", name, type(content), type(cut))
  for _, key in ipairs { "total_lines", "total_bytes", "output_lines", "output_bytes", "omitted_bytes" } do
    must(is_count(rawget(cut, key)), "%s: %s is %s", name, key, tostring(cut[key]))
  end
  must(not plain.ledger_error(cut), "%s: %s", name, plain.ledger_error(cut))
  opts = type(opts) == "table" and opts or {}
  local bytes = rawget(cut, "max_bytes")
  local outside = rawget(opts, "marker") == "outside" or cut.strategy == "pipeline"
  must(outside or not bytes or #content <= bytes, "%s: %d bytes under a budget of %s", name, #content, tostring(bytes))
  local chars = rawget(cut, "max_chars")
  local shown = chars and not outside and abridge.count_chars(content) or 0
  must(shown <= (chars or 0), "%s: %d chars under a budget of %s", name, shown, tostring(chars))
  if rawget(opts, "utf8") == "replace" then
    must(plain.is_valid_utf8(content), "%s: invalid UTF-8 in %s", name, content)
  end
end

local function check_block(name, block)
  must(type(block) == "table" and type(block.truncated) == "boolean", "%s: no block", name)
  local ok, message = pcall(abridge.assert_conforms, name, { truncation = block })
  must(ok, "%s: %s", name, tostring(message))
end

--- The options that a call was really given.
local function given(args, i)
  return i <= args.n and args[i] or nil
end

-- the cases --------------------------------------------------------------------------------------

local cases = {}

function cases.cut()
  local strategy = choose { "auto", "head", "tail", "head_tail", "priority", "cut" }
  local text = values.text()
  local opts = values.options(values.CUT, "max_bytes")
  if type(opts) == "table" and chance(2) then
    for _, key in ipairs { "marker", "marker_text", "hits", "indicators", "strategy" } do
      rawset(opts, key, nil)
    end
    if strategy == "cut" then rawset(opts, "strategy", choose { "head", "tail", "head_tail" }) end
  end
  local args = values.arguments(2, text, opts)
  local ok, content, cut = call("abridge." .. strategy, abridge[strategy], args)
  if ok then check_cut(strategy, content, cut, given(args, 2)) end
end

--- What explains a cut must be about all of the source, in order.
function cases.explain()
  local args = values.arguments(2, values.text(), values.options(values.CUT, "max_bytes"))
  local ok, told = call("abridge.explain", abridge.explain, args)
  if not ok then return end
  check_cut("explain", told.content, told.cut, given(args, 2))
  local last = 0
  for _, range in ipairs(told.ranges) do
    must(range.first_byte == last + 1 and range.last_byte >= range.first_byte, "explain: a range after byte %d", last)
    last = range.last_byte
  end
  must(last == #told.source, "explain: %d of %d bytes are told of", last, #told.source)
end

function cases.pipeline()
  local opts = values.options({
    max_chars = values.CUT.max_chars,
    max_lines = values.CUT.max_lines,
    head_ratio = values.CUT.head_ratio,
    indicators = values.CUT.indicators,
  }, "max_chars")
  local args = values.arguments(2, values.text(), opts)
  local ok, content, cut = call("abridge.pipeline", abridge.pipeline, args)
  if ok then check_cut("pipeline", content, cut, given(args, 2)) end
end

function cases.small()
  local name = choose {
    "count_lines",
    "count_chars",
    "estimate_tokens",
    "format_size",
    "parse_size",
    "line",
    "clean",
    "kind",
  }
  local first = (name == "format_size" or chance(10)) and values.anything() or values.text()
  local second
  if name == "line" then second = choose { 0, 1, 7, 40 } end
  if name == "clean" and chance(2) then second = values.anything() end
  local third = name == "line" and chance(2) and { random.below(9), random.below(20) } or nil
  local ok, result = call("abridge." .. name, abridge[name], values.arguments(3, first, second, third))
  if ok and name == "clean" and second == nil and type(first) == "string" then
    must(plain.is_valid_utf8(result) and not result:find "[\1-\8\11-\31\127]", "clean left controls")
  end
end

function cases.splice()
  local pointers = { "", "/a", "/0", "/a/b/1", "/-", "/~2" }
  local json = choose { '{"a":{"b":[1,"x\\u00e9",{}]}}', "[1,[2],3]", '"\\ud800', values.text(), values.text() }
  local edit = { pointer = choose(pointers), replace = chance(2) and choose { "1", "[", values.anything() } or nil }
  if chance(2) then edit.remove = choose { true, values.anything() } end
  if chance(3) then edit.insert = choose { "2", values.anything() } end
  local edits = choose { { edit }, { edit, { pointer = choose(pointers), remove = true } }, values.anything() }
  local name = choose { "find", "list", "text", "edit" }
  local second = { find = chance(9) and values.anything() or pointers, list = choose { 0, 3, values.anything() } }
  local place = chance(2) and { random.below(9), random.below(40) } or {}
  if name == "text" then
    second.text, place = place[1] or 1, { place[2] or #json, chance(2) and random.below(9) or nil }
  end
  second.edit = edits
  local ok, made =
    call("abridge.splice." .. name, abridge.splice[name], values.arguments(4, json, second[name], place[1], place[2]))
  if ok and name == "edit" and made then must(abridge.splice.find(made, { "" }), "splice.edit made no JSON") end
end

function cases.stream()
  local opts = values.options(values.CUT, "max_bytes")
  if type(opts) == "table" then
    if chance(3) then rawset(opts, "full_output", choose { false, { dir = dir.path .. "/full", name = "s" } }) end
    if chance(2) then
      rawset(opts, "marker", nil)
      rawset(opts, "marker_text", nil)
      rawset(opts, "hits", nil)
    end
  end
  local made_of = values.arguments(1, opts)
  local ok, stream = call("abridge.stream", abridge.stream, made_of)
  if not ok then return end
  opts = given(made_of, 1)
  values.object = stream
  for _ = 1, random.between(1, 8) do
    local method = choose { "write", "write", "write", "snapshot", "preview", "finish", "close", "__tostring" }
    local arg = chance(4) and values.anything() or (method == "write" or method == "preview") and values.text() or nil
    local fn = method == "__tostring" and tostring or stream[method]
    local args = method == "__tostring" and { n = 1, stream } or values.arguments(2, stream, arg)
    local made, content, cut = call("stream:" .. method, fn or nothing, args)
    if made and (method == "snapshot" or method == "finish") and content ~= nil then
      check_cut(method, content, cut, opts)
    end
  end
  if chance(2) then call("stream:close", stream.close, { n = 1, stream }) end
  os.remove(dir:at "full/s")
end

function cases.page()
  local path = choose { dir:at "text", dir:at "long", dir:at "empty", dir.path, "no/such" }
  if chance(10) then path = values.anything() end
  local keys = {
    offset = function()
      return random.between(1, 40)
    end,
    column = function()
      return random.between(1, 9)
    end,
    limit = function()
      return random.between(1, 9)
    end,
    binary = function()
      return chance(2)
    end,
    version = function()
      return "0-1"
    end,
    index = abridge.index,
  }
  for key, make in pairs(values.CUT) do
    if key ~= "clean" and key ~= "redact" and key ~= "hits" then keys[key] = make end
  end
  local opts = values.options(keys)
  for _ = 1, 2 do
    local args = values.arguments(2, path, opts)
    local ok, content, cut, code = call("abridge.page", abridge.page, args)
    if ok and content == nil then
      must(type(cut) == "string" and type(code) == "string", "page: no message or no code")
    end
    if ok and content ~= nil then check_cut("page", content, cut, given(args, 2)) end
  end
end

function cases.info()
  local count = function()
    return chance(4) and values.anything() or random.below(1000)
  end
  local make = choose { "not_truncated", "with_resume", "without_resume", "parse" }
  local args = make == "parse"
      and values.arguments(1, chance(2) and values.anything() or {
        truncated = chance(2),
        bytes_returned = count(),
        bytes_total = count(),
        next_offset = count(),
        resume_hint = chance(2) and "go on" or values.anything(),
        reason = choose { "size_cap", "item_cap", values.anything() or 1 },
      })
    or values.arguments(
      make == "with_resume" and 5 or 3,
      count(),
      count(),
      make == "with_resume" and count() or choose { "size_cap", "row_cap" },
      random.bytes(20),
      "line_cap"
    )
  local ok, info = call("abridge.info." .. make, abridge.info[make], args)
  if not ok or type(info) ~= "table" then return end
  local block = info:to_table()
  check_block("info", block)
  must(plain.is_valid_utf8(info:to_json()), "to_json: invalid UTF-8")
  call("info:attach", info.attach, values.arguments(2, info, {}))
  call("abridge.assert_conforms", abridge.assert_conforms, values.arguments(2, "tool", { truncation = block }))
end

--- A ledger, whole or broken.
local function ledger()
  local text = values.text()
  local strategy = choose { "auto", "head", "tail", "head_tail", "priority" }
  local _, cut = abridge[strategy](text, { max_bytes = random.below(80) })
  local key = choose { "kept", "total_lines", "strategy", "max_bytes", "truncated_by", "hits", "failures" }
  if chance(4) then cut[key] = values.anything() end
  return cut
end

local TOOLS = {
  "read_file",
  "run_command",
  "search_files",
  "find_files",
  "list_directory",
  "sql_query",
  "web_fetch",
  "other",
}

function cases.notice()
  local data = values.options {
    shell = one_of "sh",
    path = one_of("a b", "-x", "\n"),
    offset = function()
      return 3
    end,
    limit = function()
      return 5
    end,
    next = function()
      return 9
    end,
    reached = one_of("matches", "results", "entries", "rows"),
    count = function()
      return 10
    end,
    shown = function()
      return 3
    end,
    seen = function()
      return 7
    end,
    more_failures = function()
      return 2
    end,
  }
  local ok, notice = call("abridge.notice", abridge.notice, values.arguments(3, choose(TOOLS), ledger(), data))
  if ok then must(notice == nil or type(notice) == "string", "notice is a %s", type(notice)) end
  call("abridge.protocol", abridge.protocol, values.arguments(1, ledger()))
end

function cases.cap()
  local text = chance(3) and values.anything() or values.text()
  local limits = chance(2) and choose(TOOLS) or values.options(values.CUT, "max_bytes")
  local opts = chance(2)
      and values.options {
        path = one_of "f",
        resume = one_of "go to {next}",
        wrapper = function()
          return true
        end,
        save = function()
          return dir.path .. "/full"
        end,
      }
    or nil
  if type(limits) == "string" and opts == nil then
    local ok, content, cut, block = pcall(abridge.cap, text, limits)
    must(ok, "abridge.cap raised on account of its text: %s", tostring(content))
    check_cut("cap", content, cut)
    check_block("cap", block)
    return
  end
  local args = values.arguments(3, text, limits, opts)
  local ok, content, cut, block = call("abridge.cap", abridge.cap, args)
  if ok and content ~= nil then
    check_cut("cap", content, cut, given(args, 2))
    check_block("cap", block)
  end
end

-- sessions ---------------------------------------------------------------------------------------

local function check_result(name, result)
  must(type(result) == "table", "%s returned a %s", name, type(result))
  must(type(result.content) == "string" and plain.is_valid_utf8(result.content), "%s: content is not text", name)
  must(type(result.is_error) == "boolean" and type(result.tool) == "string", "%s: is_error or tool", name)
  check_block(name, result.truncation)
end

local function random_tool()
  return {
    name = "echo",
    description = chance(2) and "Echo." or values.anything(),
    limits = chance(2) and { max_bytes = 100 } or nil,
    input_schema = chance(2) and {
      type = "object",
      properties = { x = { type = choose { "integer", "string", "array" } } },
      required = chance(2) and { "x" } or nil,
    } or nil,
    execute = function(_, ctx, done)
      if chance(3) then pcall(ctx.update, values.anything()) end
      if chance(6) then values.object = ctx end
      if chance(5) then done(values.anything()) end
      if chance(8) then error(values.anything(), 0) end
      return choose { "text", values.text(), { content = values.text() }, values.anything() or "x" }
    end,
  }
end

local SESSION = {
  profile = function()
    return choose { "default", "pi", "pipeline", "contract", "dispatcher" }
  end,
  limits = function()
    return { echo = values.options(values.CUT, "max_bytes"), read_file = { max_bytes = "1KB" } }
  end,
  ceiling = function()
    return choose { false, { max_bytes = 200 }, { max_bytes = "1KB", head_ratio = 0.2 } }
  end,
  aliases = function()
    return choose { { cat = "read_file" }, {} }
  end,
  redact = function()
    return choose {
      { "%d+" },
      function(line)
        return line
      end,
      values.anything() or {},
    }
  end,
  approve = function()
    return choose {
      function()
        return true
      end,
      function()
        return false, "no"
      end,
      values.anything() or 1,
    }
  end,
  on_event = function()
    return choose { function() end, values.anything() or 1 }
  end,
  tool_names = function()
    return { shell = "sh", read = "cat" }
  end,
}

local function session_call(session)
  local name = choose { "echo", "echo", "read_file", "list_directory", "nothing" }
  local input = { path = choose { "text", "long", "." }, x = choose { 1, "5", "a" }, limit = 3 }
  if chance(3) then input = values.anything() end
  local opts
  if chance(3) then
    opts = values.options {
      id = function()
        return "one"
      end,
      on_done = function()
        return function() end
      end,
      on_update = function()
        return function() end
      end,
    }
  end
  local ok, result = call("session:call", session.call, values.arguments(opts and 4 or 3, session, name, input, opts))
  if not ok then return end
  if type(result) == "table" and result.wait then
    values.object = result
    local waited
    waited, result = call("job:wait", result.wait, { n = 2, result, 2 })
    if not waited then return end
  end
  if result ~= nil then check_result("session:call", result) end
  if result ~= nil and chance(2) then
    local opts_of = {
      max_lines = function()
        return random.below(9)
      end,
      width = function()
        return random.between(1, 40)
      end,
      ansi = function()
        return true
      end,
    }
    local made, text = call("abridge.display", abridge.display, values.arguments(2, result, values.options(opts_of)))
    if made then must(plain.is_valid_utf8(text), "display: invalid UTF-8") end
  end
end

local TURN = {
  max_bytes = function()
    return choose { random.between(1, 3000), "1KB" }
  end,
  max_tokens = function()
    return random.between(1, 500)
  end,
  parallel = function()
    return true
  end,
}
local FLOOR = 64 -- bytes that a result may always have

local function turn_results(session)
  local calls = {}
  for i = 1, random.below(5) do
    local arguments = chance(4) and values.anything() or { path = choose { "text", "long" }, x = 1 }
    local name = choose { "echo", "read_file", "nothing" }
    calls[i] = { id = "id" .. i, ["function"] = { name = name, arguments = arguments } }
  end
  local args = values.arguments(3, session, { role = "assistant", tool_calls = calls }, values.options(TURN))
  local ok, messages = call("openai.results", openai.results, args)
  if not ok then return end
  local opts = given(args, 3)
  must(type(messages) == "table", "openai.results returned a %s", type(messages))
  local sum = 0
  for _, message in ipairs(messages) do
    must(plain.is_valid_utf8(message.content) and message.content ~= "", "a message without text")
    sum = sum + #message.content
  end
  local most = type(opts) == "table" and abridge.parse_size(rawget(opts, "max_bytes"))
  must(not most or sum <= math.max(most, FLOOR * #messages), "%d bytes of %d", sum, most)
end

local METHODS = {
  "limits",
  "definitions",
  "events",
  "full_output",
  "names",
  "shown_name",
  "find",
  "wait",
  "cancel",
  "close",
}

function cases.session()
  local opts = values.options(SESSION)
  if type(opts) == "table" then
    rawset(opts, "cwd", dir.path)
    rawset(opts, "run_dir", false)
    rawset(opts, "tools", { "read_file", "list_directory" })
  else
    opts = { run_dir = false }
  end
  local ok, session = call("abridge.session", abridge.session, { n = 1, opts })
  if not ok or session == nil then return end
  values.object = session
  call("session:register", session.register, values.arguments(2, session, random_tool()))
  for _ = 1, random.between(1, 4) do
    if chance(4) then
      local method = choose(METHODS)
      local arg = choose { "echo", "openai", "one", {}, values.anything() or 0 }
      call("session:" .. method, session[method] or nothing, values.arguments(2, session, arg))
    elseif chance(4) then
      turn_results(session)
    elseif chance(3) then
      local made, result = call(
        "session:cap",
        session.cap,
        values.arguments(3, session, choose(TOOLS), chance(2) and values.text() or values.anything())
      )
      if made then check_result("session:cap", result) end
    else
      session_call(session)
    end
  end
  call("session:close", session.close, { n = 1, session })
end

local HISTORY = {
  max_tokens = function()
    return random.between(1, 3000)
  end,
  token_safety = function()
    return choose { 1, 1.35, 3 }
  end,
  count_tokens = values.CUT.count_tokens,
  image_tokens = function()
    return choose {
      85,
      function(width, height)
        return width + height
      end,
      values.anything() or 1,
    }
  end,
  trigger = function()
    return choose { 0, 0.5, 0.9, 1 }
  end,
  target = function()
    return choose { 0, 0.3, 0.5 }
  end,
  keep = function()
    return random.below(5)
  end,
  clear_at_least = function()
    return choose { 0, 0.1, 1 }
  end,
  exclude_tools = function()
    return choose { {}, { "look" } }
  end,
}

--- A conversation in which some things are what no API sends.
local function broken_conversation(format)
  local messages = conversation.new(format, random.between(1, 6), 2000).messages
  for _ = 1, random.below(3) do
    local at = choose(messages)
    for _ = 1, 3 do
      local keys = {}
      for key in next, at do
        keys[#keys + 1] = key
      end
      local key = #keys > 0 and choose(keys)
      if not key or type(at[key]) ~= "table" or chance(3) then
        rawset(at, key or "content", values.anything())
        break
      end
      at = at[key]
    end
  end
  return messages
end

--- A host's shape; of what it cannot read it gives anything.
local OWN_SHAPE = {
  read = function(message)
    local ok, seen = pcall(conversation.own.read, message)
    return ok and seen or values.anything()
  end,
  write = function(message, contents)
    local ok, copy = pcall(conversation.own.write, message, contents)
    return ok and copy or {}
  end,
}

function cases.history()
  local format = choose(conversation.formats)
  local messages = broken_conversation(format)
  local opts = values.options(HISTORY, "max_tokens")
  if type(opts) == "table" then rawset(opts, "format", format == "own" and OWN_SHAPE or format) end
  local ok, sent, report = call("abridge.history.fit", history.fit, values.arguments(2, messages, opts))
  if not ok then return end
  -- the line that stands for a run of calls is a message of its own, also beside texts of the results' message
  must(#sent <= 2 * #messages and is_count(report.tokens_before), "history.fit: no list")
  must(report.fits == (report.tokens_after <= opts.max_tokens), "history.fit: fits is wrong")
  must(report.tokens_after <= report.tokens_before, "history.fit: more than before")
  must(report.freed == report.tokens_before - report.tokens_after, "history.fit: freed is wrong")
end

-- texts with something long in them --------------------------------------------------------------

--- What a busy heap has beside a text: no byte of it may show.
local BESIDE = "another's bytes; "

--- Leave the heap in pieces of many sizes, some of them free.
local function busy_heap()
  local held = {}
  for i = 1, 400 do
    held[i] = BESIDE:rep(long.size(1, 20000)) .. i
    if chance(3) then held[random.between(1, i)] = false end
  end
  return held
end

local function check_long(name, content)
  must(type(content) == "string" and not content:find(BESIDE, 1, true), "%s shows what is beside its text", name)
end

local function long_opts()
  return {
    max_bytes = long.size(200, 300000),
    kind = chance(4) and choose { "json", "diff", "table", "log" } or nil,
    clean = chance(4) or nil,
    utf8 = chance(3) and "replace" or nil,
    max_tokens = chance(6) and long.size(50, 50000) or nil,
    max_lines = chance(6) and long.size(1, 5000) or nil,
    marker = chance(6) and choose { "outside", "none" } or nil,
  }
end

local LONG = {}

--- At once and in chunks, looked at on the way: the same.
function LONG.stream(text)
  local opts = long_opts()
  opts.strategy = chance(3) and choose { "head", "tail", "head_tail", "priority" } or "auto"
  if opts.strategy ~= "auto" then opts.kind = nil end
  if opts.strategy == "head" or opts.strategy == "tail" then opts.marker = nil end
  local chunk = math.max(long.size(1, 4 * 1024 * 1024), math.floor(#text / 4096))
  local stream = abridge.stream(opts)
  for at = 1, #text, chunk do
    must(stream:write(text:sub(at, at + chunk - 1)) == true, "write failed")
    if chance(1000) then
      local content, cut = stream:snapshot()
      check_cut("snapshot", content, cut, opts)
    end
  end
  local content, cut = stream:finish()
  check_cut("finish", content, cut, opts)
  check_long("finish", content)
  local whole, cut_whole = abridge.cut(text, opts)
  check_cut("cut", whole, cut_whole, opts)
  must(whole == content, "a stream in chunks of %d gives something else", chunk)
  stream:close()
end

function LONG.page(text)
  local path = dir:write("big", text)
  local opts = { max_bytes = long.size(200, 300000), long_line = choose { "omit", "split" }, binary = true }
  if chance(2) then opts.pointer = choose { "", "/0", "/1", "/a", "/a/0", "/a/1", "/k" } end
  if chance(2) then opts.index = abridge.index() end
  for _ = 1, random.between(1, 3) do
    local content, cut = abridge.page(path, opts)
    if content == nil then return end
    check_cut("page", content, cut, opts)
    check_long("page", content)
    if not cut.next_offset then return end
    opts.pointer = cut.next_pointer
    if not opts.pointer then
      opts.offset, opts.column = cut.next_offset, cut.next_column
    end
  end
end

function LONG.cap(text)
  local content, cut, block = abridge.cap(text, choose(TOOLS), { wrapper = chance(2) or nil })
  check_cut("cap", content, cut)
  check_block("cap", block)
  check_long("cap", content)
end

function LONG.session(text)
  local path = dir:write("big", text)
  local session = abridge.session {
    cwd = dir.path,
    run_dir = false,
    tools = { "read_file", "run_command" },
    profile = choose { "default", "pi", "pipeline", "contract", "dispatcher" },
  }
  local input = { path = "big", pointer = chance(2) and choose { "", "/0", "/1", "/a", "/a/1" } or nil }
  local tool = chance(2) and "run_command" or "read_file"
  if tool == "run_command" then input = { command = "cat " .. path } end
  local result = session:call(session:shown_name(tool), input)
  if type(result) == "table" and result.wait then result = result:wait(120) end
  check_result("session:call", result)
  check_long("session:call", result.content)
  session:close()
end

function cases.long()
  local text, shape = long.text()
  local way = choose { "stream", "stream", "page", "cap", "session" }
  local held = busy_heap()
  local ok, message = pcall(LONG[way], text)
  os.remove(dir:at "big")
  if not ok then error(("%s, of a text of %d bytes with a long %s"):format(message, #text, shape), 0) end
  return held
end

local MAKE_FILES = { save = true, log = true, private_folder = true } -- anywhere, that is

--- The core's own functions, which the module's Lua half calls: whatever they are given, they raise or return.
function cases.core()
  local names = {}
  for name, fn in pairs(core) do
    if type(fn) == "function" and not MAKE_FILES[name] then names[#names + 1] = name end
  end
  table.sort(names)
  local name = choose(names)
  local args = { n = random.below(5) }
  for i = 1, args.n do
    args[i] = chance(2) and values.text() or chance(2) and values.options(values.CUT, "max_bytes") or values.anything()
  end
  local ok, object = call("abridge." .. name, core[name], args)
  if not ok or type(object) ~= "userdata" then return end
  values.object = object
  for _ = 1, 4 do
    local method = choose { "write", "finish", "pending", "snapshot", "read", "about", "bytes", "close" }
    local found, fn = pcall(function()
      return object[method]
    end)
    if found and fn then
      call(name .. ":" .. method, fn, values.arguments(3, object, values.anything(), values.anything()))
    end
  end
end

-- running ----------------------------------------------------------------------------------------

local KINDS = {
  "cut",
  "cut",
  "cut",
  "explain",
  "pipeline",
  "small",
  "stream",
  "stream",
  "page",
  "info",
  "notice",
  "cap",
  "session",
  "core",
  "history",
}
local target = arg[2] or "api"
if target == "long" then KINDS = { "long" } end

--- Run one case; what is wrong is raised.
local function run(case, note)
  random.start(case)
  local kind = choose(KINDS)
  values.object = nil
  if note then note(case, kind) end
  local ok, message = pcall(cases[kind])
  if not ok then
    local format = "%s\n  in case %d (%s); repeat it: make fuzz-api TARGET=%s SEED=%.0f CASE=%d"
    error(format:format(tostring(message), case, kind, target, random.seed, case), 0)
  end
end

--- Where the number of the case under way is kept, for when the process dies.
local function noter()
  local path = os.getenv "ABRIDGE_FUZZ_NOTE"
  local file = path and assert(io.open(path, "wb"))
  if not file then return nil end
  file:setvbuf "no"
  return function(case, kind)
    file:seek("set", 0)
    file:write(("make fuzz-api TARGET=%s SEED=%.0f CASE=%d    %-20s\n"):format(target, random.seed, case, kind))
  end
end

local function main(limit)
  local first, last = limit:match "^(%d+)-(%d+)$"
  first, last = tonumber(first) or 1, tonumber(last) or math.huge
  local stop = last == math.huge and os.time() + tonumber(limit) or math.huge
  dir = tmpdir.new()
  dir:write("text", "one\ntwo \195\169\n\255three\n" .. ("word "):rep(30) .. "\n")
  dir:write("long", ("long line \226\130\172 "):rep(600))
  dir:write("empty", "")
  local note, case = noter(), first - 1
  assert(uv.chdir(dir.path)) -- what a call makes where it was told to goes with the folder
  local ok, message = pcall(function()
    repeat
      case = case + 1
      run(case, note)
      if case % 500 == 0 or target == "long" then collectgarbage() end
    until case == last or (case % 50 == 0 or target == "long") and os.time() >= stop
  end)
  values.object = nil
  collectgarbage()
  assert(uv.chdir "/")
  dir:remove()
  if not ok then
    io.stderr:write(message, "\n")
    os.exit(1, true)
  end
  print(("%d cases of the Lua API, seed %.0f: no rule broken"):format(case - first + 1, random.seed))
end

main(arg[1] or "20")
