-- Options, inputs and results of tools that are made to break what reads them.
local abridge = require "support.unsaved"
local real = require "abridge"
local host = require "abridge.base.host"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local uv, json = host.uv(), host.json()

local METAMETHODS = {
  "__index",
  "__newindex",
  "__pairs",
  "__ipairs",
  "__len",
  "__tostring",
  "__eq",
  "__lt",
  "__le",
  "__concat",
  "__call",
  "__unm",
  "__add",
  "__close",
  "__gc",
}

local function boom()
  error("boom", 0)
end

--- A metatable whose metamethod of that name raises, or all of them; two more forms are odd in other ways.
local function metatable_of(name)
  local mt = {}
  for _, known in ipairs(METAMETHODS) do
    if (name == known or name == "all") and known ~= "__gc" then mt[known] = boom end
  end
  if name == "__name" or name == "all" then mt.__name = setmetatable({}, { __tostring = boom }) end
  if name == "__metatable" or name == "all" then
    mt.__metatable = setmetatable({}, { __index = boom, __eq = boom, __tostring = boom })
  end
  if name == "true __eq" then mt.__eq = function()
    return true
  end end
  return mt
end

local FORMS = { "__name", "__metatable", "true __eq", "all" }
for _, name in ipairs(METAMETHODS) do
  if name ~= "__gc" then FORMS[#FORMS + 1] = name end
end

--- A table with those fields and a metatable that does harm.
local function cursed(name, fields)
  return setmetatable(fields or {}, metatable_of(name))
end

local function each_form(visit)
  for _, name in ipairs(FORMS) do
    local ok, message = pcall(visit, name)
    if not ok then error(name .. ": " .. tostring(message), 0) end
  end
end

local function session_with(execute, opts)
  local session = assert(abridge.session(opts))
  session:register { name = "t", execute = execute }
  return session
end

--- The result of a tool that gives a value; it has all fields of a result, as data that JSON takes.
local function result_of(value, opts)
  local result = session_with(function()
    return value
  end, opts):call("t", {})
  assert.is_string(result.content)
  assert.is_true(plain.is_valid_utf8(result.content))
  abridge.assert_conforms("t", result)
  local blocks = result.blocks
  result.blocks = nil -- untouched by contract
  assert.is_string(json.encode(result))
  result.blocks = blocks
  return result
end

--- A table `depth` deep.
local function nested(depth)
  local value = { "the innermost" }
  for _ = 2, depth do
    value = { value }
  end
  return value
end

local function cycle()
  local value = { name = "cycle" }
  value.self = value
  return value
end

describe("a table whose metamethods raise", function()
  it("as options stands for what it holds itself", function()
    each_form(function(name)
      local session = assert(real.session(cursed(name, { run_dir = false, profile = "pi" })))
      assert.equal("head", session:limits("read_file").strategy)
      local job = session:call("no such tool", {}, cursed(name, { id = "mine" }))
      assert.equal("mine", job.call_id)
      assert.equal("Unknown tool: no such tool", job:wait().content)
      session:register(cursed(name, {
        name = "mine",
        execute = function()
          return "made"
        end,
      }))
      assert.equal("made", session:call("mine", {}).content)
      assert.equal("a", (abridge.head("a\nb", cursed(name, { max_lines = 1 }))))
      assert.equal("a", (abridge.cap("a", nil, cursed(name, { wrapper = true }))))
      local stream = abridge.stream(cursed(name, { strategy = "tail", max_lines = 1 }))
      stream:write "a\nb"
      assert.equal("b", (stream:finish(cursed(name, { max_lines = 1 }))))
      stream:close()
    end)
  end)

  it("as a key of options is named by its kind", function()
    each_form(function(name)
      local message = plain.misuse(function()
        local session = real.session { [cursed(name)] = 1 }
        return session
      end)
      assert.equal("abridge.session: unknown option 'table' (value 1)", message)
      message = plain.misuse(function()
        local cut = abridge.head("a", { [cursed(name)] = 1 })
        return cut
      end)
      assert.equal("abridge.head: unknown option 'table' (value 1)", message)
    end)
  end)

  it("as a key inside an option is named by its kind", function()
    each_form(function(name)
      for opts, expected in pairs {
        [{ limits = { [cursed(name)] = 1 } }] = "limits.table must be a table, got 1",
        [{ limits = { t = { [cursed(name)] = 1 } } }] = "limits.t: unknown limit 'table' (value 1)",
        [{ ceiling = { [cursed(name)] = 1 } }] = "unknown key 'ceiling.table' (value 1)",
        [{ retention = { [cursed(name)] = 1 } }] = "a table without the key table (value 1)",
        [{ retention = { max_age = cursed(name) } }] = '"7d" (not table)',
        [{ redact = { { [cursed(name)] = 1 } } }] = "redact[1] must be without a field 'table', got 1",
        [{ redact = { "x", [cursed(name)] = 1 } }] = "got a field 'table' (value 1)",
        [{ env = { [cursed(name)] = "1" } }] = "env has the bad name table",
        [{ databases = { [cursed(name)] = "1" } }] = "a name must be a string that is not empty, got table",
      } do
        local message = plain.misuse(function()
          local session = real.session(opts)
          return session
        end)
        assert.matches("^abridge%.session: ", message)
        assert.truthy(message:find(expected, 1, true), message)
      end
    end)
  end)

  it("raised inside what an adapter calls, or as the name of a tool, ends in a crude cut", function()
    each_form(function(name)
      local said = {}
      local opts = {
        limits = {
          t = {
            max_tokens = 5,
            count_tokens = function()
              error(cursed(name))
            end,
          },
        },
      }
      local adapter = require("abridge.hosts.adapter").new("w", opts, function(what)
        said[#said + 1] = what
      end)
      assert.is_string((adapter:cut { tool = "t", text = ("some text\n"):rep(9) }))
      assert.is_true(#said <= 2)
      assert.equal("text", require("abridge.hosts.safe").cap(cursed(name), "text", {}))
    end)
  end)

  it("as input, or in it, is what it holds itself", function()
    for _, redact in ipairs { false, { "secret" } } do
      each_form(function(name)
        local session = session_with(function(input)
          return "got " .. input.a
        end, { redact = redact })
        assert.equal("got 1", session:call("t", cursed(name, { a = 1 })).content)
        local inner = cursed(name)
        session:register {
          name = "same",
          execute = function(input)
            return tostring(rawequal(input.a, inner))
          end,
        }
        assert.equal("true", session:call("same", { a = inner }).content)
        local result = session:call("t", cursed(name, { 1 }))
        assert.equal("Invalid input: input must be an object, got an array", result.content)
        result = session:call("read_file", { path = inner })
        assert.equal("Invalid input: path must be a string, got an empty array or object", result.content)
      end)
    end
  end)

  it("as a schema ends the call, not the host", function()
    each_form(function(name)
      for _, redact in ipairs { false, { "secret" } } do
        local session = assert(abridge.session { redact = redact or nil })
        local schema = { type = "object", properties = cursed(name), required = cursed(name), enum = cursed(name) }
        session:register {
          name = "t",
          input_schema = schema,
          execute = function()
            return "ran"
          end,
        }
        local result = session:call("t", { a = 1, [1] = 2 })
        assert.is_true(result.content == "ran" or result.content == "Invalid input: boom", result.content)
        assert.equal(result.content ~= "ran", result.is_error)
      end
    end)
  end)

  it("as a value, its content, a part, its details is shown or told", function()
    each_form(function(name)
      for _, redact in ipairs { false, { "secret" } } do
        local opts = { redact = redact }
        assert.is_true(#result_of(cursed(name, { 1 }), opts).content > 0)
        result_of(cursed(name, { content = "text" }), opts)
        result_of({ content = cursed(name, { 1 }) }, opts)
        result_of({ content = { cursed(name, { type = "text", text = "in a part" }) } }, opts)
        local odd = { content = "kept", total = cursed(name), next_offset = cursed(name), resume_hint = cursed(name) }
        odd.details = cursed(name, { a = cursed(name, { 1 }) })
        local result = result_of(odd, opts)
        assert.equal("kept", result.content)
        assert.same({ 1 }, result.details.a)
      end
      assert.equal("string", type((abridge.cap(cursed(name, { 1 })))))
      local session = assert(abridge.session())
      assert.is_string(session:cap("t", cursed(name, { content = "text" })).content)
    end)
  end)

  it("as an error is told in a word", function()
    each_form(function(name)
      local result = session_with(function()
        error(cursed(name, { 1 }))
      end):call("t", {})
      assert.is_true(result.is_error)
      assert.is_true(#result.content > 0 and #result.content < 100)
    end)
  end)

  it("from approve, count_tokens or redact changes nothing", function()
    each_form(function(name)
      local function gives()
        return cursed(name)
      end
      local result = session_with(function()
        return "ran"
      end, { approve = gives }):call("t", {})
      assert.equal("Not approved", result.content)
      result = session_with(function()
        return "line"
      end, { redact = gives }):call("t", {})
      assert.equal("[redacted]", result.content)
      assert.is_true(result.details.redact_error)
      local limits = { t = { max_tokens = 5, count_tokens = gives } }
      result = session_with(function()
        return "some text"
      end, { limits = limits }):call("t", {})
      assert.equal("some text", result.content)
      local message = "count_tokens must return an integer from 0 to 2^53, got table"
      assert.truthy(result.details.inner_error:find(message, 1, true))
    end)
  end)

  it("is parsed as no block, and displayed as nothing", function()
    each_form(function(name)
      local ok, parsed, message = pcall(abridge.info.parse, cursed(name))
      assert.is_true(ok and parsed == nil and type(message) == "string" or parsed == "boom")
    end)
  end)
end)

describe("a table that answers to every key", function()
  --- A table with a value for each key and index, whose own `pairs`, `ipairs` and length lie as well.
  local function always(value, fields)
    local function more(_, key)
      return (key or 0) + 1, value
    end
    return setmetatable(fields or {}, {
      __index = function()
        return value
      end,
      __len = function()
        return 1e6
      end,
      __pairs = function()
        return more
      end,
      __ipairs = function(t)
        return more, t, 0
      end,
    })
  end

  --- Calls a function that must come to its end; an endless loop is broken off, and reported even if that is caught.
  local function ends(fn, ...)
    local instructions, endless = 0, nil
    debug.sethook(function()
      instructions = instructions + 1e5
      if instructions > 3e7 then
        endless = endless or debug.traceback("it has no end", 2)
        error("no end", 0)
      end
    end, "", 1e5)
    local ok, result, second = pcall(fn, ...)
    debug.sethook()
    assert.is_nil(endless)
    if not ok then error(result, 0) end
    return result, second
  end

  local function option_of(key, value)
    return ends(function()
      return assert(abridge.session { [key] = value })
    end)
  end

  it("stands in the options of a session for what it holds itself", function()
    assert.equal(1, #option_of("tools", always("x", { "read_file" })):definitions "mcp")
    assert.equal(0, #option_of("tools", always "x"):definitions "mcp")
    local session = option_of("limits", always({}, { read_file = always("x", { max_lines = 1 }) }))
    assert.equal(1, session:limits("read_file").max_lines)
    assert.is_nil(session:limits("read_file").max_chars)
    assert.equal("read_file", option_of("aliases", always("x", { look = "read_file" })):find("look").name)
    for key, value in pairs { ceiling = false, retention = "1", env = "x", tool_names = "x", allow_private = "::1" } do
      option_of(key, always(value))
    end
    session = option_of("env", always("x", { ABRIDGE_A = "mine" }))
    local command = 'echo "$ABRIDGE_A"; env | grep -c =x$ || true'
    assert.equal("mine\n0\n", session:call("run_command", { command = command }).content)
    assert.equal("sh", option_of("tool_names", always("x", { shell = "sh" })):names().shell)
    session = option_of("redact", always("x", { "secret" }))
    assert.equal("xx [redacted]", session:cap("t", "xx secret").content)
  end)

  it("stands in a definition, its schema and limits for what it holds itself", function()
    local function called(schema, limits)
      local session = assert(abridge.session())
      local definition = { name = "t", input_schema = schema, limits = limits }
      function definition.execute()
        return "a\nb"
      end
      session:register(definition)
      return ends(session.call, session, "t", { a = 1 }).content
    end
    local function of_a(schema)
      return { properties = { a = schema } }
    end
    assert.equal("a\nb", called(always "x"))
    assert.equal("Invalid input: a must be one of 2, got 1", called(of_a { enum = always(2, { 2 }) }))
    assert.equal("Invalid input: a must be a string, got 1", called(of_a { type = always("x", { "string" }) }))
    assert.equal("Invalid input: b is required", called { required = always("a", { "b" }) })
    assert.equal("a\nb", called({ required = always "a" }, always("x", { max_lines = 2 })))
  end)

  it("as a value, its content, a part, its details is shown as what it holds itself", function()
    for _, redact in ipairs { false, { "secret" } } do
      local opts = { redact = redact }
      ends(result_of, always "text", opts)
      ends(result_of, { content = always "text" }, opts)
      assert.equal("a", ends(result_of, { content = always("b", { "a" }) }, opts).content)
      local part = { type = "text", text = "a" }
      assert.equal("a", ends(result_of, { content = always(part, { always("b", part) }) }, opts).content)
      assert.same(
        { a = 1 },
        (function()
          local details = ends(result_of, { content = "a", details = always("b", { a = 1 }) }, opts).details
          details.cut = nil
          return details
        end)()
      )
    end
    local mcp = require "abridge.mcp"
    local part = { type = "text", text = "a" }
    assert.same({ part }, ends(mcp.cap, "t", { content = always(part, { part }) }).content)
    assert.equal("a", ends(mcp.cap, "t", { text = "a", images = always {} }).text)
    for _, api in ipairs { "anthropic", "openai" } do
      local results = require("abridge." .. api).results
      for _, entry in ipairs { { type = "tool_use" }, { type = "function" }, { type = "function_call" } } do
        local list = always(entry)
        assert.is_false(pcall(ends, results, abridge.session(), list))
        assert.same({}, ends(results, abridge.session(), { role = "assistant", content = list, tool_calls = list }))
        local whole = { anthropic = { content = list }, openai = { output = list } }
        assert.same({}, ends(results, abridge.session(), whole[api]))
      end
    end
  end)

  it("stands in other options, cuts and results for what it holds itself", function()
    local content, cut = abridge.head("a\nb", { max_lines = 1 })
    assert.equal("a", content)
    assert.matches("^%.%.%. %[1 line", ends(abridge.cap, "a\nb", always("x", { max_lines = 1 })))
    assert.equal(1, select(2, ends(abridge.page, "README.md", always("x", { max_lines = 1 }))).output_lines)
    cut.kept = always(cut.kept[1], { cut.kept[1] })
    assert.matches("^%[Showing ", ends(abridge.notice, "read_file", cut))
    assert.equal(2, ends(abridge.protocol, cut).total)
    cut.kept = always {}
    assert.matches("^%[Showing ", ends(abridge.notice, "run_command", cut))
    assert.equal(0, ends(abridge.protocol, cut).offset)
    local markers = always { first_byte = 1, last_byte = 1 }
    assert.equal("a", ends(abridge.display, { content = "a\n", details = { cut = { markers = markers } } }))
    local said = {}
    local opts = always("x", { exclude_tools = always("x", { "t" }) })
    local adapter = ends(require("abridge.hosts.adapter").new, "w", opts, function(what)
      said[#said + 1] = what
    end)
    assert.same({ t = true }, adapter.exclude_tools)
    assert.same({}, said)
  end)

  it("in cases of the harness stands for what it holds itself", function()
    local function open(opts)
      return session_with(function()
        return "a\nb\nc"
      end, opts)
    end
    local budgets = always("x", { max_lines = always(0, { 1, 2 }) })
    local cut = always("x", { input = {}, budgets = budgets })
    local run = require("abridge.conformance").run
    assert.equal(2, ends(run, always("x", { tool = "t", session = open, cases = always("x", { cut = cut }) })))
  end)
end)

describe("a deep or cyclic table", function()
  local DEEP, CYCLE = nested(200000), cycle()

  it("is harmless as a value, part, details, input, schema, with and without a log and redaction", function()
    local dir = tmpdir.new()
    for i, value in ipairs { DEEP, CYCLE } do
      for j, redact in ipairs { false, { "secret" } } do
        local opts = { redact = redact, run_dir = dir:at(("run-%d-%d"):format(i, j)) }
        local session = session_with(function(input)
          return { content = { input.give }, details = input.give }
        end, opts)
        local result = session:call("t", { give = value })
        assert.is_false(result.is_error)
        assert.is_nil(result.details.log_error)
        result = session:cap("t", value)
        assert.is_string(result.content)
        session:register { name = "s", input_schema = { properties = value }, execute = boom }
        assert.equal("boom", session:call("s", {}).content)
        assert.is_string(json.encode(session:definitions "mcp"))
        assert.equal(6, #session:events())
        session:close()
      end
      assert.is_string((abridge.cap(value)))
      assert.matches(
        "^Invalid input: path must be a string, got an %l+",
        (function()
          return abridge.session():call("read_file", { path = value }).content
        end)()
      )
    end
    dir:remove()
  end)

  it("of tables that share each other ends, though written out it would have no end #few", function()
    local value = { "one" }
    for _ = 1, 60 do
      value = { value, value }
    end
    assert.is_table(require("abridge.base.plain_data").copy(value, true))
  end)

  it("keeps what lies up to 200 tables deep", function()
    local function depth_of(value)
      local depth = 0
      while type(value) == "table" do
        value, depth = value[1], depth + 1
      end
      return depth
    end
    assert.equal(150, depth_of(result_of({ content = "x", details = { nested(150) } }).details[1]))
    local plain_data = require "abridge.base.plain_data"
    assert.equal(200, depth_of(plain_data.copy(nested(300), true)))
    assert.equal(
      "the innermost",
      (function(value)
        while type(value) == "table" do
          value = value[1]
        end
        return value
      end)(plain_data.copy(nested(200), true))
    )
  end)
end)

describe("a number", function()
  local ODD = { -1, 0.5, 2 ^ 53 + 2, 1e308, -1e308, 0 / 0, math.huge, -math.huge }
  if math.tointeger then
    ODD[#ODD + 1] = math.tointeger(2 ^ 53) + 1
    ODD[#ODD + 1] = math.tointeger(-2 ^ 63)
    ODD[#ODD + 1] = -(math.tointeger(-2 ^ 63) + 1)
  end

  it("that is no count is refused wherever a budget stands, and named", function()
    for _, number in ipairs(ODD) do
      for _, key in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
        local shown = number ~= number and "nan" or ("%.14g"):format(number)
        for _, take in ipairs {
          function(opts)
            local cut = abridge.head("text", opts)
            return cut
          end,
          function(opts)
            local cut = abridge.cap("text", opts)
            return cut
          end,
          function(opts)
            opts.strategy = "tail"
            local stream = abridge.stream(opts)
            return stream
          end,
          function(opts)
            local session = abridge.session { limits = { t = opts } }
            return session
          end,
        } do
          local ok, message = pcall(take, { [key] = number })
          assert.is_false(ok)
          assert.truthy(message:find(key, 1, true) and message:find("got " .. shown, 1, true), message)
        end
      end
    end
  end)

  it("that is no count is refused in an input, and named", function()
    local session = abridge.session()
    for _, number in ipairs(ODD) do
      for _, key in ipairs { "offset", "limit", "column" } do
        local result = session:call("read_file", { path = "README.md", [key] = number })
        local whole = number == math.floor(number) and math.abs(number) <= 2 ^ 53
        local expected = ("Invalid input: %s must be %s, got "):format(key, whole and "at least 1" or "an integer")
        assert.equal(expected, result.content:sub(1, #expected))
      end
      if number < 0 or number ~= number or number == math.huge then
        local result = session:call("run_command", { command = "echo never", timeout = number })
        assert.matches("^Invalid input: timeout must be ", result.content)
      end
    end
  end)

  it("that is none is named alike on every host, whatever its sign", function()
    local session = abridge.session { run_dir = false }
    for _, nan in ipairs { 0 / 0, -(0 / 0) } do
      local ok, message = pcall(session.wait, session, nan)
      assert.is_false(ok)
      assert.matches("seconds must be a number of at least 0, got nan$", message)
    end
  end)

  it("of 2^53 is a count like any other", function()
    local dir = tmpdir.new()
    dir:write("one", "line\n")
    local session = abridge.session { cwd = dir.path, timeout_max = 1e308 }
    local most = 2 ^ 53
    assert.equal("line\n", session:call("read_file", { path = "one", limit = most }).content)
    local result = session:call("read_file", { path = "one", offset = most, limit = most })
    assert.equal("Offset 9007199254740992 is beyond end of file (1 line total)", result.content)
    result = session:call("read_file", { path = "one", column = most })
    assert.equal("Column 9007199254740992 is beyond end of line 1 (4 chars)", result.content)
    result = session:call("list_directory", { offset = most, limit = most })
    assert.equal("Offset 9007199254740992 is beyond end of directory (1 entry total)", result.content)
    assert.equal("ok\n", session:call("run_command", { command = "echo ok", timeout = 1e308 }).content)
    assert.equal("line\n", (abridge.head("line\n", { max_lines = most, max_bytes = most, max_chars = most })))
    dir:remove()
  end)

  it("in what a tool says of itself does no harm", function()
    for _, number in ipairs(ODD) do
      local result = result_of { content = "x", total = number, next_offset = number, resume_hint = "go on" }
      assert.is_false(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
    end
  end)
end)

describe("a string", function()
  it("with a NUL is refused where a path, name or folder is wanted", function()
    for key, value in pairs {
      cwd = "/tmp\0/x",
      root = "/tmp\0",
      run_dir = "/tmp/x\0",
      profile = "pi\0",
      env = { NAME = "a\0b" },
    } do
      local ok, message = pcall(abridge.session, { [key] = value })
      assert.is_false(ok)
      assert.truthy(message:find(key, 1, true), message)
    end
    assert.is_false(pcall(abridge.session, { ["cwd\0"] = "/tmp" }))
    assert.is_false(pcall(abridge.cap, "text", "t", { save = "/tmp\0" }))
    local full_output = { dir = "/tmp\0", name = "x" }
    assert.is_false(pcall(abridge.stream, { strategy = "tail", max_lines = 1, full_output = full_output }))
    assert.is_false(pcall(abridge.head, "text", { max_bytes = "30KB\0" }))
    assert.is_false(pcall(abridge.cut, "text", { strategy = "head\0", max_lines = 1 }))
    assert.equal(
      "3",
      session_with(function(input)
        return tostring(#input.x)
      end):call("t", { x = "a\0b" }).content
    )
  end)

  it("is shown in a message up to the end of a char", function()
    local umlaut = "\195\164"
    local message = plain.misuse(function()
      local session = real.session { profile = "x" .. umlaut:rep(40) }
      return session
    end)
    assert.equal('abridge.session: unknown profile "x' .. umlaut:rep(20) .. '..."', message)
  end)

  it("of digits without end is no number, at once", function()
    local session = abridge.session()
    local started = uv.hrtime()
    for _, digits in ipairs { ("1"):rep(1e6), ("1"):rep(1e6) .. "x", "-" .. ("1"):rep(1e6) .. ".", ("1"):rep(400) } do
      local result = session:call("read_file", { path = "README.md", offset = digits })
      assert.matches("^Invalid input: offset must be an integer, got ", result.content)
      assert.is_true(#result.content < 200)
    end
    assert.is_true(uv.hrtime() - started < 3e10)
  end)

  it("of nested JSON is refused before it nests too deep", function()
    local session = abridge.session()
    local many = 1e6
    for _, bomb in ipairs {
      ("["):rep(many),
      ("["):rep(many) .. ("]"):rep(many),
      ('{"a":'):rep(many) .. "1" .. ("}"):rep(many),
      ('{"path":['):rep(10000),
      '{"path":' .. ("["):rep(5000) .. ("]"):rep(5000) .. "}",
    } do
      local result = session:call("read_file", bomb)
      assert.is_true(result.is_error)
      assert.matches("^Invalid input: not JSON: ", result.content)
      assert.is_true(#result.content < 500)
      local parsed, message = abridge.info.parse(bomb)
      assert.is_nil(parsed)
      assert.matches("^not JSON: ", message)
    end
    local wide = '{"path":1' .. (',"path":1'):rep(1e5) .. "}"
    assert.equal("Invalid input: path must be a string, got 1", session:call("read_file", wide).content)
    assert.matches("^Invalid input: not JSON", session:call("read_file", '{"path":1e999}').content)
  end)

  it("of 100 MB on one line is cut like any other #few", function()
    local huge = ("0123456789abcdef"):rep(100 * 1024 * 1024 / 16)
    local session = abridge.session { profile = "pi" }
    local result = session:cap("bash", huge)
    assert.equal(#huge, result.truncation.bytes_total)
    assert.is_true(#result.content <= 30720)
    assert.matches("%[Showing last %S+ of line 1 %(line is 100MB%)%]$", result.content)
    result = session:call("read", huge)
    assert.matches("^Invalid input: not JSON: ", result.content)
    assert.equal(("Unknown tool: " .. huge):sub(1, 100), session:call(huge, {}).content:sub(1, 100))
    huge = nil -- luacheck: ignore 311
    collectgarbage()
  end)
end)
