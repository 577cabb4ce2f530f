-- Attacks on redaction: secrets of any bytes, in data of any shape, on every way to the model, the log and the disk.
-- Neither a secret nor eight bytes of it in a row are anywhere, however often what came out is unescaped.
local abridge = require "abridge"
local anthropic = require "abridge.anthropic"
local avante = require "abridge.avante"
local host = require "abridge.base.host"
local mcp = require "abridge.mcp"
local mcphub = require "abridge.mcphub"
local merge = require "support.merge"
local openai = require "abridge.openai"
local opened = require "support.opened"
local random = require "support.random"
local redacting = require "support.redacting"
local tmpdir = require "support.tmpdir"

local json = host.json()

local PART = 8 -- bytes of a secret that show nowhere
local MARK = redacting.MARK

local leak, leak_on_disk = redacting.leak, redacting.leak_on_disk

local dir

-- secrets and what hides them -----------------------------------------------------------------

--- What JSON spells in another way, beside letters that no filler has. Controls but tabs are gone before redaction.
local CHARS = { "/", '"', "\\", "\t", "\195\169", "\226\128\168", "\240\159\152\128", "<", "&", "'", "%" }
local LETTERS = { "A", "B", "C", "D", "Q", "R", "K", "W", "7", "4", "-", "+", "=" }

local function new_secret()
  local parts = {}
  for i = 1, random.between(12, 40) do
    parts[i] = random.choose(random.chance(3) and CHARS or LETTERS)
  end
  return "AKIA" .. table.concat(parts) .. "Z"
end

local function pattern_of(secret)
  return (secret:gsub("%p", "%%%0"))
end

-- data ------------------------------------------------------------------------------------------

local function text_with(secret)
  return random.choose { "", "x y ", "é ", '{"z": "' } .. secret .. random.choose { "", " y", '"}', "/x" }
end

--- Random data with the secret at its leaves and in its keys.
local function data_with(secret, depth)
  if depth == 0 then return random.chance(2) and text_with(secret) or random.choose { 5, true, 0.5, "x", json.null } end
  local made = {}
  for i = 1, random.between(1, 4) do
    local key = random.choose { i, "k" .. i, text_with(secret) }
    made[key] = data_with(secret, random.below(depth))
  end
  made[#made + 1] = text_with(secret)
  return made
end

--- A session in a new folder, and all that its host hears.
local function open(opts)
  return redacting.session(dir, opts)
end

-- ways out --------------------------------------------------------------------------------------

--- Runs a tool of the host's that gives a value: what the host gets.
local function run_tool(session, execute, input)
  local name = "t" .. #session.order
  session:register { name = name, execute = execute }
  local updates = {}
  local job = session:call(name, input or {}, {
    on_update = function(content, cut)
      updates[#updates + 1] = { content, cut }
    end,
  })
  return { job:wait(20), updates }
end

local WAYS = {
  ["a value of session:cap"] = function(session, value)
    return session:cap("t", value)
  end,
  ["content that is data"] = function(session, value)
    return session:cap("t", { content = { data = value } })
  end,
  ["parts of content"] = function(session, value, secret)
    return session:cap("t", {
      content = {
        { type = "text", text = json.encode "x" .. secret },
        { type = "image", data = "QUJD", mimeType = "image/png", annotations = value },
        { type = "resource", resource = { uri = "a:" .. secret, text = secret, meta = value } },
      },
    })
  end,
  ["what a tool returns"] = function(session, value)
    return run_tool(session, function()
      return value
    end)
  end,
  ["what a tool is done with"] = function(session, value)
    return run_tool(session, function(_, _, done)
      done(value)
    end)
  end,
  ["what a tool raises"] = function(session, value)
    return run_tool(session, function()
      error(value, 0)
    end)
  end,
  ["details and hint"] = function(session, value, secret)
    local hint = "go " .. secret
    return session:cap("t", { content = "x", details = { deep = value }, next_offset = 5, resume_hint = hint })
  end,
  ["updates that are data"] = function(session, value)
    return run_tool(session, function(_, ctx)
      ctx.update(value)
      return "x"
    end)
  end,
  ["inputs"] = function(session, value)
    return run_tool(session, function()
      return "x"
    end, { deep = value })
  end,
  ["inputs as JSON, whole and broken off"] = function(session, value)
    local text = json.encode { deep = value }
    return {
      run_tool(session, function()
        return "x"
      end, text),
      run_tool(session, function()
        return "x"
      end, text .. "}"),
      session:call("nobody", text),
    }
  end,
  ["a full output"] = function(session, value)
    local list = {}
    for i = 1, 3000 do
      list[i] = i % 500 == 0 and value or "x"
    end
    return session:cap("t", list)
  end,
  ["a small budget"] = function(session, value)
    return session:cap("t", value, { limits = { max_bytes = random.between(0, 200) } })
  end,
  ["structured content"] = function(session, value)
    local text = json.encode(value)
    return {
      mcp.cap("t", { structuredContent = { deep = value }, content = {} }, { session = session }),
      mcp.cap("t", { structuredContent = { deep = value }, content = { { type = "text", text = "x" } } }, {
        session = session,
      }),
      mcp.cap("t", { structuredContent = { deep = value, ("x"):rep(60000) } }, { session = session }),
      mcp.cap("t", value, { session = session }),
      text and session:cap("t", value),
    }
  end,
  ["JSON in JSON, and JSON that a tool encoded"] = function(session, value)
    local text = json.encode(value)
    return {
      run_tool(session, function()
        return text
      end, { body = text, deep = { json.encode { text } } }),
      run_tool(session, function()
        return { content = { { type = "text", text = text } } }
      end),
      session:cap("t", text, { limits = { max_bytes = random.between(0, 300) } }),
      mcp.cap("t", { content = { { type = "text", text = text } } }, { session = session }),
    }
  end,
  ["paths and sentences of a notice"] = function(session, _, secret)
    local text = ("x\n"):rep(5000)
    return {
      session:cap("read_file", text, { path = "/x/" .. secret }),
      session:cap("read_file", ("x"):rep(90000), { path = "/x/" .. secret }),
      session:cap("read_file", text, { resume = secret .. " {next}" }),
    }
  end,
  ["avante's tools"] = function(session, value)
    local tools = {
      process_tool_use = function()
        return value, nil
      end,
    }
    avante.tools(tools, { session = session })
    local failing = {
      process_tool_use = function()
        return nil, value
      end,
    }
    avante.tools(failing, { session = session })
    return { (tools.process_tool_use({}, { name = "t" })), select(2, failing.process_tool_use({}, { name = "t" })) }
  end,
  ["mcphub's hub"] = function(session, value, secret)
    local hub = {
      call_tool = function()
        return { content = { { type = "text", text = secret } }, structuredContent = value }
      end,
      access_resource = function()
        return { contents = { { uri = "a:b", text = secret, _meta = value } } }
      end,
    }
    mcphub.attach(hub, { session = session })
    return { (hub:call_tool("s", "t", {}, {})), (hub:access_resource("s", "a:b", {})) }
  end,
  ["a reply's calls"] = function(session, value, secret)
    session:register {
      name = "tool",
      execute = function()
        return value
      end,
    }
    local arguments = json.encode { deep = value }
    local calls = {}
    for i, text in ipairs { arguments, arguments:sub(1, -2), "{}" } do
      calls[i] = { id = "c" .. i, type = "function", ["function"] = { name = "tool", arguments = text } }
    end
    calls[4] = { id = "c4", type = "function", ["function"] = { name = secret, arguments = arguments } }
    local use = { type = "tool_use", id = "a", name = "tool", input = { deep = value } }
    return { openai.results(session, { tool_calls = calls }), anthropic.results(session, { content = { use } }) }
  end,
}

local function sorted_names()
  local names = {}
  for name in pairs(WAYS) do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

describe("a redacted secret of any bytes #few", function()
  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  for _, name in ipairs(sorted_names()) do
    it("is nowhere in " .. name .. " (" .. random.seed .. ")", function()
      random.each(12, function()
        local secret = new_secret()
        local redact = random.chance(2) and { pattern_of(secret) } or redacting.hider(secret)
        local session, seen = open { redact = redact }
        local value, parts = data_with(secret, 3), redacting.parts_of(secret, PART)
        local out = WAYS[name](session, value, secret)
        local found = leak(out, parts) or leak(seen, parts) or leak_on_disk(session, parts)
        random.must(not found, "%s", found)
        session:close()
      end)
    end)
  end
end)

describe("a secret #few", function()
  local SECRET = "hunter2/Zq9Kx"

  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  --- Sessions that hide the secret by a pattern and by a function.
  local function each_kind(opts, check)
    for _, redact in ipairs { { "hunter2/%w+" }, redacting.hider(SECRET) } do
      check(open(merge({ redact = redact }, opts)))
    end
  end

  local function assert_nowhere(session, ...)
    local parts = redacting.parts_of(SECRET, PART)
    local found = leak({ ... }, parts) or leak_on_disk(session, parts)
    assert(not found, found)
  end

  it("in data is hidden with what JSON escapes in it", function()
    local session = open { redact = { "wJalr[%w/+]+" } }
    local result = session:cap("t", { secret = "wJalrXUtnFEMI/K7MDENG/bPx" })
    assert.equal('{"secret":"[redacted]"}', result.content)
  end)

  it("that is a number, or the digits of one, is hidden, in content, input and details", function()
    local session, seen = open { redact = { "48151623%d*" } }
    session:register {
      name = "tool",
      execute = function(input)
        assert(input.pin == 4815162342)
        return { content = { pins = { 4815162342, 5 } }, details = { pin = 4815162342, [4815162342] = 1, n = 7 } }
      end,
    }
    local result = session:call("tool", { pin = 4815162342, limit = 5 })
    assert.same({ pins = { MARK, 5 } }, json.decode(result.content))
    assert.same({ pin = MARK, [MARK] = 1, n = 7 }, {
      pin = result.details.pin,
      [MARK] = result.details[MARK],
      n = result.details.n,
    })
    assert.same({ pin = MARK, limit = 5 }, seen[1].input)
    assert.is_nil(leak({ result, seen }, { "4815162" }) or leak_on_disk(session, { "4815162" }))
  end)

  it("that only its key tells is hidden, in the log too", function()
    local session, seen = open { redact = { '"password": *"[^"]*"' } }
    local value = { password = 'swordfish"and/more', user = "me" }
    session:register {
      name = "tool",
      execute = function()
        return { content = value, details = value }
      end,
    }
    local result = session:call("tool", value)
    assert.is_nil(leak({ result, seen }, { "swordfish", "and/more" }) or leak_on_disk(session, { "swordfish" }))
    assert.equal("me", seen[1].input.user)
    assert.equal("me", result.details.user)
    assert.same({ password = value.password, user = "me" }, value)
  end)

  it("keeps data that hides nothing as it is, lists and objects", function()
    local session = open { redact = { "hunter2/%w+" } }
    local text = '{"a":[],"b":{},"c":[1,2.5,null,true]}'
    local value = json.decode(text)
    local plain = abridge.session({ run_dir = false }):cap("t", value).content
    assert.equal(plain, session:cap("t", value).content)
  end)

  local SPLITS = {
    "\27[0m",
    "\27[1;31m",
    "\27[K",
    "\27]8;;http://x\7",
    "\27]0;title\27\\",
    "\27(B",
    "\27",
    "\194\133",
    "\226\128\139",
    "\226\128\141",
    "\239\187\191",
    "\226\129\160",
    "\243\160\129\161",
    "\226\128\174",
    "\194\173",
    "\227\133\164",
    "\239\190\160",
    "\225\133\159",
    "\225\158\180",
    "\240\157\133\179",
    "\240\155\178\160",
    "\243\160\136\128",
  }

  it("split by what does not show is hidden where nothing cleans", function()
    for _, split in ipairs(SPLITS) do
      local at = random.between(1, #SECRET - 1)
      local text = "one\nkey=" .. SECRET:sub(1, at) .. split .. SECRET:sub(at + 1) .. " end\ntwo\n"
      dir:write("keys", text)
      each_kind({ limits = { ["*"] = { clean = false } } }, function(session, seen)
        local shown = session:call("read_file", { path = "keys" })
        local found = host.uv() and session:call("search_files", { pattern = "end$", path = "keys" })
        local capped = session:cap("t", text)
        local data = session:cap("t", { text = text })
        assert_nowhere(session, shown, found, capped, data, seen)
        assert.equal("one\nkey=[redacted] end\ntwo\n", shown.content)
        assert.equal(shown.content, capped.content)
        if found and not found.is_error then assert.matches("keys:2: key=%[redacted%] end", found.content) end
        for _, result in ipairs { shown, capped, data } do
          for _, half in ipairs { SECRET:sub(1, at), SECRET:sub(at + 1) } do
            assert(#half < 4 or not result.content:find(half, 1, true), result.content)
          end
        end
      end)
    end
  end)

  --- The secret with some chars, or all, as escapes of JSON have them, of C or of `ls -b`.
  local function spelled(how)
    return (
      SECRET:gsub(".", function(char)
        if char == "/" and how == "\\/" then return "\\/" end
        return how ~= "\\/" and random.chance(2) and how:format(char:byte()) or nil
      end)
    )
  end

  it("spelled with escapes is hidden in any line of any text #few", function()
    for _, how in ipairs { "\\/", "\\u%04x", "\\u%04X", "\\x%02x", "\\%03o" } do
      local secret = spelled(how)
      while secret == SECRET do
        secret = spelled(how)
      end
      local object = '{"a":"b\\n\\u00e9","key":"' .. secret .. '"}'
      for _, text in ipairs {
        object .. "\n" .. object .. "\n",
        "```json\n" .. object .. "\n```\n",
        "\239\187\191" .. object,
        "got " .. object .. ".\n",
        json.encode { body = object } .. " and\n" .. json.encode { json.encode { object } },
        '"' .. secret,
        SECRET .. " \\" .. object .. SECRET,
        (object:gsub("key", SECRET)),
      } do
        dir:write("keys", text)
        each_kind({}, function(session, seen)
          local command = host.uv() and session:call("run_command", { command = "cat keys" })
          local found = host.uv() and session:call("search_files", { pattern = "key", path = "keys" })
          session:register {
            name = "tool",
            execute = function()
              return text
            end,
          }
          assert_nowhere(
            session,
            session:call("read_file", { path = "keys" }),
            command,
            found,
            seen,
            session:cap("t", text),
            session:cap("read_file", text),
            session:call("tool", {})
          )
        end)
      end
    end
  end)

  it("that an escape only looks like is not hidden, and its line stays as it is", function()
    for _, text in ipairs {
      "C:\\temp\\u12\\x",
      "100% of %2",
      '"a\\"b\\/c\\\\d\\n"',
      "\\u000ahunter2\\nx",
      "\\",
      "hunter2\\\\/",
    } do
      each_kind({}, function(session)
        assert.equal(text, session:cap("t", text).content)
      end)
    end
  end)

  it("in the URL that is asked is hidden however we encode it", function()
    if not host.uv() then return end
    local secret = "K7{MDENG}\195\169^zQ"
    for _, redact in ipairs { { "K7{MDENG}[^ ]-zQ" }, redacting.hider(secret) } do
      local session, seen = open { redact = redact, allow_private = true }
      local result = session:call("web_fetch", { url = "http://127.0.0.1:1/a?key=K7{MDENG}\195\169^zQ" })
      assert.is_true(result.is_error)
      local leaked = leak({ result, seen }, { "MDENG" }) or leak_on_disk(session, { "MDENG" })
      assert(not leaked, leaked)
      assert.matches("key=[redacted]", result.details.url, 1, true)
    end
  end)

  it("in the name of a file is hidden however the name is spelled", function()
    local name = "tok\\en\t\194\133K7MDENG"
    dir:sh "rm -rf names; mkdir names"
    dir:write("names/" .. name, "needle\n")
    for _, redact in ipairs { { "tok\\en%s.-K7MDENG" }, redacting.hider(name) } do
      local session, seen = open { redact = redact, cwd = dir:at "names" }
      local found = {}
      for _, call in ipairs {
        { "list_directory", {} },
        { "find_files", { pattern = "*" } },
        { "search_files", { pattern = "needle" } },
      } do
        found[#found + 1] = session:call(call[1], call[2])
      end
      local leaked = leak({ found, seen }, { "K7MDENG" }) or leak_on_disk(session, { "K7MDENG" })
      assert(not leaked, leaked)
      if host.uv() then assert.matches(MARK, found[1].content, 1, true) end
    end
  end)

  it("is hidden whole where a pattern takes half of it and its end follows an escape", function()
    local session = open { redact = { "wJalr[%w/+]+" }, limits = { ["*"] = { clean = false } } }
    assert.equal("k=[redacted] x", session:cap("t", "k=wJalrXUt\27[0mnFEMI/K7 x").content)
    local both = session:cap("t", "k=wJalrA b\27[1mc\27[m wJ\27[0malrB x").content
    assert.is_nil(both:find "wJ" or both:find "lrB")
    assert.equal("\27[1mplain\27[m [redacted]", session:cap("t", "\27[1mplain\27[m wJalrA").content)
  end)

  it("is in no update until its line is whole", function()
    each_kind({}, function(session)
      local shown = {}
      session:register {
        name = "tool",
        execute = function(_, ctx, done)
          local text, at = "one\nkey=" .. SECRET .. " end\ntwo", 1
          local timer = host.uv().new_timer()
          host.uv().timer_start(timer, 0, 4, function()
            ctx.update(text:sub(1, at))
            at = at + 1
            if at <= #text + 30 then return end
            host.uv().close(timer)
            done(text)
          end)
        end,
      }
      local function on_update(content)
        shown[#shown + 1] = content
      end
      local result = session:call("tool", {}, { on_update = on_update }):wait(20)
      assert.equal("one\nkey=[redacted] end\ntwo", result.content)
      assert.is_true(#shown >= 2)
      for _, content in ipairs(shown) do
        assert(({ [""] = true, ["one\n"] = true, ["one\nkey=[redacted] end\n"] = true })[content], content)
      end
    end)
  end)

  it("in what rg says is hidden, however rg ends #few", function()
    local event = '{"type":"begin","data":{"path":{"text":"./f"}}}\n'
      .. '{"type":"match","data":{"path":{"text":"./f"},"lines":{"text":"one\\n"},"line_number":1,'
      .. '"absolute_offset":0,"submatches":[{"match":{"text":"one"},"start":0,"end":3}]}}\n'
    dir:write("events", event)
    dir:write("f", "one\n")
    local said = ("printf 'rg: %%s: denied\\n' '%s' >&2; "):format(SECRET)
    local half = ("printf 'rg: %%s' '%s' >&2; "):format(SECRET:sub(1, 9))
    local many = ("i=0; while [ $i -lt 400 ]; do printf 'rg: key=%%s.\\n' '%s' >&2; i=$((i+1)); done; "):format(SECRET)
    for _, words in ipairs { said, half, many, many .. half } do
      for _, start in ipairs { "", ("cat '%s'; "):format(dir:at "events") } do
        for _, ending in ipairs { "kill -9 $$", "kill -15 $$", "exit 2" } do
          if not (ending == "exit 2" and words:find(half, 1, true)) then -- a line that ends there is a line
            each_kind({}, function(session, seen)
              dir:with_program("rg", start .. words .. ending, function()
                for _, name in ipairs { "search_files", "find_files" } do
                  local result = session:call(name, { pattern = "one" })
                  assert_nowhere(session, result, seen)
                  local exit = result.details and result.details.exit_line or ""
                  assert.is_nil((result.content .. exit):find("hunter", 1, true))
                end
              end)
            end)
          end
        end
      end
    end
  end)

  it("is not shown in part where only the match is known", function()
    local filler = ("x"):rep(300 * 1024)
    local line = filler .. "hunter2/Zq9Kx" .. filler .. "\n"
    dir:write("wide", "\255\254" .. line:gsub(".", "%0\0"))
    each_kind({}, function(session, seen)
      local result = session:call("search_files", { pattern = "[h]unter2/.", path = "wide" })
      assert.is_false(result.is_error)
      assert.is_nil(result.content:find("hunter", 1, true))
      assert.matches("%[redacted%]", result.content)
      assert_nowhere(session, result, seen)
    end)
    local plain = abridge.session { run_dir = false, cwd = dir.path }
    assert.matches("hunter2/Z", plain:call("search_files", { pattern = "hunter2/Z", path = "wide" }).content)
  end)
end)

describe("what a foreign tool returns #few", function()
  it("sets no detail that only this package tells", function()
    local details = { mine = 1, rows = 2 }
    for name in
      ([[cut exit_code exit_line notice signal signal_number timed_out cancelled background read_error error_code
        log_error inner_error redact_error full_output_path lines_truncated invalid_bytes match_limit_reached
        result_limit_reached entry_limit_reached row_limit_reached next_pointer]]):gmatch "%S+"
    do
      details[name] = "forged"
    end
    local session = abridge.session { run_dir = false }
    session:register {
      name = "tool",
      execute = function()
        return { content = "x", details = details }
      end,
    }
    session:register {
      name = "done",
      execute = function(_, _, done)
        done { content = "x", details = details }
      end,
    }
    for _, result in ipairs {
      session:call("tool", {}),
      session:call("done", {}),
      session:cap("t", { content = "x", details = details }),
    } do
      assert.equal("table", type(result.details.cut))
      result.details.cut = nil
      assert.same({ mine = 1, rows = 2 }, result.details)
    end
    assert.equal("forged", details.exit_code) -- the tool's own table is its own
    session:close()
  end)
end)
