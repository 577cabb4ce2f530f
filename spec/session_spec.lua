local abridge = require "abridge"
local assert_plain_data = require "plain_data"
local host = require "abridge.host"
local plain = require "plain"
local tmpdir = require "tmpdir"
local waiting = require "waiting"

local json = host.json()
local raises = plain.misuse

local function one_tool(execute, definition, opts)
  opts = opts or {}
  if opts.run_dir == nil then opts.run_dir = false end
  local session = abridge.session(opts)
  definition = definition or {}
  definition.name, definition.execute = definition.name or "tool", execute
  session:register(definition)
  return session
end

---What a foreign tool's value becomes.
local function result_of(value, opts)
  local session = one_tool(function()
    return value
  end, nil, opts)
  return session:call("tool", {})
end

---Runs `fn(abridge)` with this package loaded anew while no libuv is to be found.
local function without_luv(fn)
  local saved = { luv = package.loaded.luv, preload = package.preload.luv, modules = {} }
  for name, module in pairs(package.loaded) do
    if name:find "^abridge" and name ~= "abridge.core" then saved.modules[name] = module end
  end
  for name in pairs(saved.modules) do
    package.loaded[name] = nil
  end
  package.loaded.luv = nil
  package.preload.luv = function()
    error("module 'luv' not found:", 0)
  end
  local vim = rawget(_G, "vim")
  local loop, newer = vim and vim.loop, vim and vim.uv
  if vim then
    vim.loop, vim.uv = nil, nil
  end
  local ok, message = pcall(function()
    fn(require "abridge")
  end)
  if vim then
    vim.loop, vim.uv = loop, newer
  end
  for name in pairs(package.loaded) do
    if name:find "^abridge" and name ~= "abridge.core" then package.loaded[name] = nil end
  end
  for name, module in pairs(saved.modules) do
    package.loaded[name] = module
  end
  package.loaded.luv, package.preload.luv = saved.luv, saved.preload
  if not ok then error(message, 0) end
end

describe("session options", function()
  it("are all optional", function()
    local session = abridge.session()
    assert.equal(30720, session:limits("read_file").max_bytes)
    assert.equal(2000, abridge.session({}):limits("run_command").max_lines)
  end)

  it("that are unknown raise with name and value, at the caller's line", function()
    raises(function()
      abridge.session { profle = "pi" }
    end, "abridge.session", "'profle'", '"pi"')
    raises(function()
      abridge.session { 5 }
    end, "'1'", "5")
    raises(function()
      abridge.session "pi"
    end, "opts must be a table", '"pi"')
  end)

  local wrong = {
    { "profile", 5, "5" },
    { "profile", "nope", '"nope"' },
    { "limits", "30KB", '"30KB"' },
    { "ceiling", 5, "5" },
    { "ceiling", true, "true" },
    { "aliases", "bash", '"bash"' },
    { "aliases", { bash = 5 }, "5" },
    { "aliases", { "bash" }, '"bash"' },
    { "cwd", 5, "5" },
    { "on_event", "print", '"print"' },
    { "approve", true, "true" },
    { "env", "A=b", '"A=b"' },
    { "env", { A = 5 }, "5" },
    { "env", { A = true }, "true" },
    { "env", { ["A=B"] = "x" }, "A=B" },
    { "tools", "read_file", '"read_file"' },
    { "tools", { "nope" }, '"nope"' },
    { "tools", { 5 }, "5" },
    { "tools", { "read_file", "read_file" }, '"read_file"' },
    { "tool_names", "bash", '"bash"' },
    { "tool_names", { shell = 5 }, "5" },
    { "tool_names", { shel = "bash" }, "shel" },
    { "timeout", "5", '"5"' },
    { "timeout", 0, "0" },
    { "timeout", -1, "-1" },
    { "timeout", math.huge, "inf" },
    { "timeout", 0 / 0, "nan" },
  }
  for _, case in ipairs(wrong) do
    local shown = type(case[2]) == "table" and json.encode(case[2]) or tostring(case[2])
    it(("%s = %s raise with name and value"):format(case[1], shown), function()
      raises(function()
        abridge.session { [case[1]] = case[2] }
      end, "abridge.session", (case[1]:gsub("s$", "")), case[3])
    end)
  end

  it("of limits raise with tool, key and value", function()
    local cases = {
      { 5, "limits.read_file", "5" },
      { { max_line = 5 }, "limits.read_file", "max_line", "5" },
      { { max_lines = -1 }, "limits.read_file", "max_lines", "-1" },
      { { max_lines = 1.5 }, "limits.read_file", "max_lines", "1.5" },
      { { max_lines = "many" }, "limits.read_file", "max_lines", "many" },
      { { max_bytes = "30XB" }, "limits.read_file", "max_bytes", "30XB" },
      { { max_bytes = 2 ^ 54 }, "limits.read_file", "max_bytes" },
      { { strategy = "middle" }, "limits.read_file", "strategy", "middle" },
      { { strategy = "head_tail", head_ratio = 2 }, "limits.read_file", "head_ratio", "2" },
      { { long_line = "wrap" }, "limits.read_file", "long_line", "wrap" },
      { { max_line_chars = -5 }, "limits.read_file", "max_line_chars", "-5" },
      { { max_matches = "all" }, "limits.read_file", "max_matches", "all" },
      { { output = "loud" }, "limits.read_file", "output", "loud" },
    }
    for _, case in ipairs(cases) do
      raises(function()
        abridge.session { limits = { read_file = case[1] } }
      end, "abridge.session", (table.unpack or unpack)(case, 2))
    end
  end)

  it("of the ceiling raise with key and value", function()
    raises(function()
      abridge.session { ceiling = { max_lines = 5 } }
    end, "ceiling", "max_lines", "5")
    raises(function()
      abridge.session { ceiling = { max_bytes = "big" } }
    end, "ceiling", "max_bytes", "big")
    raises(function()
      abridge.session { ceiling = { max_bytes = 10, head_ratio = 7 } }
    end, "ceiling", "head_ratio", "7")
  end)

  it("may name tools in limits that no one knows", function()
    abridge.session { limits = { my_own_tool = { max_lines = 5 } } }
  end)

  it("may say 'nothing'", function()
    abridge.session { run_dir = false, redact = false, databases = {}, retention = {} }
  end)

  it("take sizes as text wherever a size is an option", function()
    local session = abridge.session {
      limits = { read_file = { max_bytes = "1.5KB" }, other = { max_bytes = "2KB" } },
      ceiling = { max_bytes = "1MB" },
    }
    assert.equal(1536, session:limits("read_file").max_bytes)
    assert.equal(2048, session:limits("other").max_bytes)
  end)

  it("are not changed, nor is a profile", function()
    local before = json.encode(abridge.profiles)
    local opts = { profile = "pi", limits = { read_file = { max_bytes = "1KB" } }, tool_names = { shell = "sh" } }
    local said = json.encode(opts)
    local session = abridge.session(opts)
    session:limits("read_file").max_bytes = 1
    assert.equal(1024, session:limits("read_file").max_bytes)
    session:call("nope", {})
    assert.equal(said, json.encode(opts))
    assert.equal(before, json.encode(abridge.profiles))
  end)

  it("override a profile key by key, and false takes a budget away", function()
    local session = abridge.session { limits = { read_file = { max_lines = 10 }, run_command = { max_lines = false } } }
    assert.same({ strategy = "head", max_lines = 10, max_bytes = 30720 }, session:limits "read_file")
    assert.same({ strategy = "priority", max_bytes = 30720, clean = true }, session:limits "run_command")
  end)

  it("of limits hold under an alias too", function()
    local session = abridge.session { profile = "pi", limits = { bash = { max_lines = 3 } } }
    assert.equal(3, session:limits("run_command").max_lines)
    assert.equal(3, session:limits("bash").max_lines)
  end)

  it("of the row '*' hold for tools without a row", function()
    local session = abridge.session { limits = { ["*"] = { max_lines = 3 } } }
    assert.equal(3, session:limits("github__search").max_lines)
    assert.equal(30720, session:limits("github__search").max_bytes)
    assert.equal(2000, session:limits("read_file").max_lines)
  end)

  it("give a new table of limits each time, and refuse other names than strings", function()
    local session = abridge.session()
    raises(function()
      session:limits(5)
    end, "session:limits", "5")
  end)
end)

describe("the registry", function()
  local function register(definition)
    local session = abridge.session()
    session:register(definition)
  end
  local function noop() end

  it("refuses bad definitions, naming what is wrong", function()
    local session = abridge.session()
    local cases = {
      { nil, "definition must be a table" },
      { 5, "definition must be a table", "5" },
      { { execute = noop }, "name" },
      { { name = "", execute = noop }, "name" },
      { { name = 5, execute = noop }, "name", "5" },
      { { name = "t" }, "execute", '"t"' },
      { { name = "t", execute = "run" }, "execute", '"run"' },
      { { name = "t", execute = noop, run = noop }, "'run'" },
      { { name = "t", execute = noop, description = 5 }, "description", "5" },
      { { name = "t", execute = noop, input_schema = "any" }, "input_schema", '"any"' },
      { { name = "t", execute = noop, reason = "cap" }, "reason", '"cap"' },
      { { name = "t", execute = noop, limits = 5 }, "limits", "5" },
      { { name = "t", execute = noop, limits = { max_line = 5 } }, "limits", "max_line", "5" },
      { { name = "t", execute = noop, limits = { max_bytes = "x" } }, "limits", "max_bytes", "x" },
    }
    for i = 1, #cases do
      local case = cases[i]
      raises(function()
        session:register(case[1])
      end, "session:register", (table.unpack or unpack)(case, 2, 4))
    end
    assert.equal("Unknown tool: t", session:call("t", {}).content)
  end)

  it("refuses names that are taken, aliases too", function()
    local session = abridge.session { profile = "pi" }
    for _, name in ipairs { "read_file", "bash", "read" } do
      raises(function()
        session:register { name = name, execute = noop }
      end, "taken", name)
    end
    session:register { name = "mine", execute = noop }
    raises(function()
      session:register { name = "mine", execute = noop }
    end, "taken", '"mine"')
  end)

  it("takes a name of this package's tools that the session has not", function()
    local session = abridge.session { tools = {} }
    session:register {
      name = "read_file",
      execute = function()
        return "mine"
      end,
    }
    assert.equal("mine", session:call("read_file", {}).content)
  end)

  it("accepts a full definition", function()
    register {
      name = "t",
      description = "d",
      input_schema = { type = "object" },
      limits = { strategy = "tail", max_lines = 5 },
      reason = "row_cap",
      execute = noop,
    }
  end)
end)

describe("definitions", function()
  local schema = { type = "object", properties = { q = { type = "string" } }, required = { "q" } }

  local function session_with_search(opts)
    return one_tool(function() end, { name = "search", description = "Search.", input_schema = schema }, opts)
  end

  it("have the shape of each wire", function()
    local session = session_with_search { tools = {} }
    local list = session:definitions "anthropic"
    local description = list[1].description
    assert.matches("^Search%. ", description)
    assert.same({ { name = "search", description = description, input_schema = schema } }, list)
    assert.same(
      { { type = "function", ["function"] = { name = "search", description = description, parameters = schema } } },
      session:definitions "openai"
    )
    assert.same({ { name = "search", description = description, inputSchema = schema } }, session:definitions "mcp")
  end)

  it("state the limits in force", function()
    local function description_of(name, opts)
      for _, definition in ipairs(session_with_search(opts):definitions "mcp") do
        if definition.name == name then return definition.description end
      end
    end
    assert.matches("2000 lines", description_of "read_file")
    assert.matches("30KB", description_of "read_file")
    assert.matches("first", description_of "read_file")
    assert.matches("the start, the end and lines that tell of trouble", description_of "run_command")
    assert.matches("last", description_of("run_command", { limits = { run_command = { strategy = "tail" } } }))
    assert.matches("2000 lines", description_of "search")
    assert.matches("50000 chars", description_of("read_file", { profile = "pipeline" }))
    assert.matches("500 lines", description_of("read_file", { profile = "pipeline" }))
    assert.matches("8KB", description_of("run_command", { profile = "contract" }))
    assert.matches("500 chars a line", description_of("read_file", { profile = "dispatcher" }))
    local limits = { read_file = { max_lines = 7, max_tokens = 900 } }
    assert.matches("7 lines", description_of("read_file", { limits = limits }))
    assert.matches("900 tokens", description_of("read_file", { limits = limits }))
    assert.matches("1KB", description_of("read_file", { ceiling = { max_bytes = 1024 } }))
  end)

  it("leave nothing to add where nothing is limited", function()
    local session = session_with_search { profile = "pi", tools = {}, ceiling = false }
    assert.equal("Search.", session:definitions("mcp")[1].description)
  end)

  it("have a schema for a tool that gave none", function()
    local session = one_tool(function() end, nil, { tools = {} })
    assert.equal("object", session:definitions("anthropic")[1].input_schema.type)
  end)

  it("have no empty table, and no parameters where OpenAI would refuse them", function()
    for _, given in ipairs { false, { type = "object", properties = {}, required = {} }, { type = "object" } } do
      local session = one_tool(function() end, { name = "t", input_schema = given or nil }, { tools = {} })
      assert.same({ type = "object" }, session:definitions("anthropic")[1].input_schema)
      assert.same({ type = "object" }, session:definitions("mcp")[1].inputSchema)
      assert.is_nil(session:definitions("openai")[1]["function"].parameters)
      session:close()
    end
  end)

  it("use the names under which the model knows the tools", function()
    local session = abridge.session { profile = "pi", tools = { "read_file", "run_command" } }
    local names = {}
    for i, definition in ipairs(session:definitions "anthropic") do
      names[i] = definition.name
    end
    assert.same({ "read", "bash" }, names)
  end)

  it("keep the order of registration, after this package's tools", function()
    local session = session_with_search { tools = { "read_file", "run_command" } }
    local names = {}
    for i, definition in ipairs(session:definitions "mcp") do
      names[i] = definition.name
    end
    assert.same({ "read_file", "run_command", "search" }, names)
  end)

  it("are plain data", function()
    assert_plain_data(abridge.session():definitions "openai")
  end)

  it("are the caller's to change", function()
    local session = abridge.session()
    session:definitions("mcp")[1].inputSchema.properties.path = nil
    assert.is_truthy(session:definitions("mcp")[1].inputSchema.properties.path)
    assert.is_truthy(require("abridge.tools.read_file").input_schema.properties.path)
  end)

  it("refuse another format, naming it", function()
    local session = abridge.session()
    raises(function()
      session:definitions "gemini"
    end, "session:definitions", '"gemini"')
    raises(function()
      session:definitions()
    end, "session:definitions", "nil")
  end)

  it("leave out tools whose needs are missing; a call says what to install", function()
    without_luv(function(fresh)
      local session = fresh.session()
      local offered = {}
      for _, definition in ipairs(session:definitions "mcp") do
        offered[#offered + 1] = definition.name
      end
      assert.same({ "read_file" }, offered)
      local result = session:call("run_command", { command = "true" })
      assert.is_true(result.is_error)
      assert.matches("luv", result.content)
      assert.matches("install", result.content)
      assert.matches("luarocks install luv", session:call("list_directory", {}).content)
      assert.is_false(session:call("read_file", { path = "LICENSE" }).is_error)
    end)
  end)
end)

describe("names", function()
  local dir, path

  setup(function()
    dir = tmpdir.new()
    path = dir:write("long.txt", ("x"):rep(40000) .. "\nshort\n")
  end)

  teardown(function()
    dir:remove()
  end)

  local function notice_of(opts)
    opts.limits = { read_file = { max_bytes = 1000 } }
    return abridge.session(opts):call("read_file", { path = path }).content
  end

  it("of an alias call the same tool", function()
    local session = abridge.session { profile = "pi" }
    assert.equal("hi\n", session:call("bash", { command = "echo hi" }).content)
    assert.equal("hi\n", session:call("run_command", { command = "echo hi" }).content)
    assert.equal("bash", session:call("bash", { command = "echo hi" }).tool)
    assert.same(session:limits "run_command", session:limits "bash")
  end)

  it("of aliases given add to those of a profile", function()
    local session = abridge.session { profile = "pi", aliases = { sh = "run_command" } }
    assert.equal("hi\n", session:call("sh", { command = "echo hi" }).content)
    assert.equal("hi\n", session:call("bash", { command = "echo hi" }).content)
  end)

  it("in notices are the session's own", function()
    assert.matches("Use run_command to read: head %-c 1000 ", notice_of {})
    assert.matches("Use bash to read: head %-c 1000 ", notice_of { profile = "pi" })
    assert.matches("Use terminal to read: ", notice_of { aliases = { terminal = "run_command" } })
    assert.matches("Use Shell to read: ", notice_of { profile = "pi", tool_names = { shell = "Shell" } })
    assert.matches("Use Shell to read: ", notice_of { tools = { "read_file" }, tool_names = { shell = "Shell" } })
  end)

  it("in notices leave out a shell that the session has not", function()
    local content = notice_of { tools = { "read_file" } }
    assert.matches("%[Showing chars 1%-%d+ of line 1 %(1000B limit%)%. Use offset=1 column=%d+ to continue%]$", content)
  end)

  it("in the resume hint are those that were called", function()
    local limits = { read_file = { max_lines = 1, max_bytes = 50000 } }
    local result = abridge.session({ profile = "pi", limits = limits }):call("read", { path = path })
    assert.equal("call read with offset=2", result.truncation.resume_hint)
  end)

  it("of tools to read say where to see lines that were cut short", function()
    local session = abridge.session { profile = "dispatcher", aliases = { view = "read_file" } }
    local result = session:call("view", { path = path })
    assert.matches("Use view tool to see full lines", result.content)
  end)
end)

describe("approve", function()
  local function asked(answer, input)
    local ran, seen = false, {}
    local session = one_tool(function()
      ran = true
      return "ran"
    end, { input_schema = { type = "object", properties = { n = { type = "integer" } } } }, {
      approve = function(tool, given)
        seen[#seen + 1] = { tool = tool, input = given }
        return answer()
      end,
    })
    return session:call("tool", input or { n = "5" }), ran, seen
  end

  it("is asked once, with the tool and the input as the tool will see it", function()
    local result, ran, seen = asked(function()
      return true
    end)
    assert.equal("ran", result.content)
    assert.is_true(ran)
    assert.same({ { tool = "tool", input = { n = 5 } } }, seen)
  end)

  it("with false keeps the tool from running, and the result says so", function()
    local result, ran = asked(function()
      return false
    end)
    assert.is_false(ran)
    assert.is_true(result.is_error)
    assert.equal("Not approved", result.content)
  end)

  it("with a reason says the reason", function()
    local result, ran = asked(function()
      return false, "it deletes things"
    end)
    assert.is_false(ran)
    assert.is_true(result.is_error)
    assert.equal("Not approved: it deletes things", result.content)
  end)

  it("approves with true alone", function()
    for _, answer in ipairs { 1, "yes", {} } do
      local _, ran = asked(function()
        return answer
      end)
      assert.is_false(ran)
    end
    local _, ran = asked(function() end)
    assert.is_false(ran)
  end)

  it("that raises approves nothing", function()
    local result, ran = asked(function()
      error("no terminal to ask on", 0)
    end)
    assert.is_false(ran)
    assert.is_true(result.is_error)
    assert.matches("no terminal to ask on", result.content)
  end)

  it("is not asked about calls that cannot be made", function()
    local _, _, seen = asked(function()
      return true
    end, { n = "many" })
    assert.same({}, seen)
  end)
end)

describe("input", function()
  local schema = {
    type = "object",
    properties = {
      name = { type = "string" },
      n = { type = "integer", minimum = 1, maximum = 10 },
      x = { type = "number" },
      on = { type = "boolean" },
      mode = { enum = { "a", "b" } },
      list = { type = "array", items = { type = "integer" } },
      deep = { type = "object", properties = { k = { type = "string" } }, required = { "k" } },
      either = { type = { "string", "integer" } },
    },
    required = { "name" },
  }

  ---The result of a call, and the input that the tool saw.
  local function call(input)
    local seen
    local result = one_tool(function(given)
      seen = given
      return "ok"
    end, { input_schema = schema }):call("tool", input)
    return result, seen
  end

  local function refused(input, ...)
    local result, seen = call(input)
    assert.is_nil(seen)
    assert.is_true(result.is_error)
    assert.equal("Invalid input: ", result.content:sub(1, 15))
    for _, part in ipairs { ... } do
      assert(result.content:find(part, 1, true), ("%q is not in: %s"):format(part, result.content))
    end
    assert_plain_data(result)
  end

  local function accepted(input)
    local result, seen = call(input)
    assert.equal("ok", result.content)
    return seen
  end

  it("is a table or a JSON string", function()
    assert.same({ name = "a", n = 3 }, accepted { name = "a", n = 3 })
    assert.same({ name = "a", n = 3 }, accepted '{"name":"a","n":3}')
    assert.same({ name = "\195\169\n" }, accepted '{"name":"\\u00e9\\n"}')
  end)

  it("that is broken JSON is refused", function()
    refused '{"name":'
    refused ""
    refused "name=a"
    refused '{"name":"a"} trailing'
  end)

  it("that is no object is refused", function()
    refused "[1,2]"
    refused "5"
    refused '"name"'
    refused "true"
    refused "null"
    refused { "a", "b" }
    refused(5)
    refused(true)
  end)

  it("that is absent is an empty object", function()
    refused(nil, "name")
    local result = one_tool(function()
      return "ok"
    end):call "tool"
    assert.equal("ok", result.content)
  end)

  it("without a required field is refused, naming it", function()
    refused({}, "name is required")
    refused({ name = "a", deep = {} }, "deep.k is required")
  end)

  it("with a wrong field is refused, naming field and value", function()
    refused({ name = 5 }, "name", "string", "5")
    refused({ name = {} }, "name", "string")
    refused({ name = "a", n = "many" }, "n must be", "integer", '"many"')
    refused({ name = "a", n = 1.5 }, "n must be", "1.5")
    refused({ name = "a", n = "1.5" }, "n must be", "1.5")
    refused({ name = "a", n = "" }, "n must be")
    refused({ name = "a", n = "0x5" }, "n must be")
    refused({ name = "a", n = 0 }, "n must be", "1", "0")
    refused({ name = "a", n = 11 }, "n must be", "10", "11")
    refused({ name = "a", n = 0 / 0 }, "n must be")
    refused({ name = "a", n = math.huge }, "n must be")
    refused({ name = "a", n = true }, "n must be", "true")
    refused({ name = "a", x = "much" }, "x must be", "number")
    refused({ name = "a", on = "true" }, "on must be", "true or false")
    refused({ name = "a", mode = "c" }, "mode must be", '"a"', '"b"', '"c"')
    refused({ name = "a", list = { 1, "x" } }, "list[2]", "integer", '"x"')
    refused({ name = "a", list = 5 }, "list must be", "array")
    refused({ name = "a", deep = "k" }, "deep must be", "object")
    refused({ name = "a", deep = { k = 5 } }, "deep.k must be", "string")
    refused({ name = "a", either = true }, "either must be", "string", "integer")
  end)

  it("takes 5.0 and '5' for the integer 5", function()
    for _, five in ipairs { 5, 5.0, "5", "5.0" } do
      assert.equal("5", ("%s"):format(tostring(accepted({ name = "a", n = five }).n)))
    end
    assert.equal("5", tostring(accepted('{"name":"a","n":5.0}').n))
    assert.equal(-1.5, accepted({ name = "a", x = "-1.5" }).x)
    assert.same({ 1, 2 }, accepted({ name = "a", list = { "1", 2.0 } }).list)
    assert.equal("5", accepted({ name = "5" }).name) -- a string stays one
  end)

  it("takes JSON null for absent", function()
    local null = host.in_nvim and vim.NIL or require("cjson").null
    assert.same({ name = "a" }, accepted '{"name":"a","n":null,"deep":null}')
    assert.same({ name = "a" }, accepted { name = "a", n = null })
    refused('{"name":null}', "name is required")
    assert.same({ name = "a", deep = { k = "v" } }, accepted '{"name":"a","deep":{"k":"v","other":null}}')
  end)

  it("keeps fields that the schema does not name", function()
    assert.same({ name = "a", more = { 1, 2 } }, accepted { name = "a", more = { 1, 2 } })
  end)

  it("may hold empty lists and objects", function()
    assert.same({ name = "a", list = {} }, accepted '{"name":"a","list":[]}')
  end)

  it("is not changed", function()
    local input = { name = "a", n = "5", deep = { k = "v" } }
    local seen = accepted(input)
    seen.deep.k = "changed"
    assert.same({ name = "a", n = "5", deep = { k = "v" } }, input)
  end)

  it("is shown as valid UTF-8 and capped where it is wrong", function()
    refused({ name = "a", n = "\255\254" })
    local result = call { name = "a", n = ("x"):rep(100000) }
    assert.is_true(#result.content < 1000)
    local _, invalid = abridge.count_chars(call({ name = "a", n = ("\195\169"):rep(50) }).content)
    assert.equal(0, invalid)
  end)
end)

describe("an unknown tool", function()
  it("is an error result", function()
    local result = abridge.session():call("github__search", { q = 1 })
    assert.equal("Unknown tool: github__search", result.content)
    assert.is_true(result.is_error)
    assert.equal("github__search", result.tool)
    abridge.assert_conforms("github__search", result)
    assert_plain_data(result)
  end)

  it("is one with any name", function()
    for _, name in ipairs { "", "a\nb", "\255", "__index", "find", ("n"):rep(200000) } do
      local result = abridge.session():call(name, {})
      assert.is_true(result.is_error)
      assert.matches("^Unknown tool: ", result.content)
      assert.is_true(#result.content <= 30720)
      local _, invalid = abridge.count_chars(result.content)
      assert.equal(0, invalid)
    end
  end)

  it("that is no string is misuse", function()
    local session = abridge.session()
    raises(function()
      session:call(5, {})
    end, "session:call", "5")
    raises(function()
      session:call("read_file", {}, { on_don = print })
    end, "session:call", "'on_don'")
    raises(function()
      session:call("read_file", {}, { id = 5 })
    end, "session:call", "id", "5")
    raises(function()
      session:call("read_file", {}, "now")
    end, "session:call", '"now"')
    raises(function()
      session:cap(nil, "text")
    end, "session:cap", "nil")
  end)

  it("is a tool of this package that the session was not given", function()
    local session = abridge.session { tools = { "read_file" } }
    assert.equal("Unknown tool: run_command", session:call("run_command", { command = "true" }).content)
  end)
end)

describe("a tool that raises", function()
  local function raised(value)
    return one_tool(function()
      error(value, 0)
    end):call("tool", {})
  end

  it("gives its message as an error", function()
    local result = raised "disk on fire"
    assert.equal("disk on fire", result.content)
    assert.is_true(result.is_error)
    assert_plain_data(result)
  end)

  it("may raise anything", function()
    assert.equal('{"code":5}', raised({ code = 5 }).content)
    assert.equal("5", raised(5).content)
    assert.equal("true", raised(true).content)
    local with_message = setmetatable({}, {
      __tostring = function()
        return "told by __tostring"
      end,
    })
    assert.equal("told by __tostring", raised(with_message).content)
    for _, value in ipairs { print, coroutine.create(function() end), {}, { print } } do
      local result = raised(value)
      assert.is_true(result.is_error)
      assert_plain_data(result)
    end
    local result = raised(nil)
    assert.is_true(result.is_error)
    assert.is_true(#result.content > 0)
  end)

  it("is capped like any content, valid UTF-8", function()
    local result = raised(("\195\169\255\n"):rep(100000))
    assert.is_true(#result.content <= 30720)
    assert.is_true(result.is_error)
    local _, invalid = abridge.count_chars(result.content)
    assert.equal(0, invalid)
  end)

  it("does not disturb the session", function()
    local n = 0
    local session = one_tool(function()
      n = n + 1
      if n == 1 then error "first" end
      return "second"
    end)
    assert.is_true(session:call("tool", {}).is_error)
    assert.equal("second", session:call("tool", {}).content)
  end)
end)

describe("what a tool returns", function()
  it("may be a string", function()
    local result = result_of "text\n"
    assert.equal("text\n", result.content)
    assert.is_false(result.is_error)
    assert.equal("tool", result.tool)
    assert.is_nil(result.blocks)
    assert.is_true(result.duration_ms >= 0)
    assert_plain_data(result)
  end)

  it("may be any other value", function()
    assert.equal("5", result_of(5).content)
    assert.equal("0.5", result_of(0.5).content)
    assert.equal("true", result_of(true).content)
    assert.equal("false", result_of(false).content)
    assert.equal('{"a":[1,2]}', result_of({ a = { 1, 2 } }).content)
    assert.equal("[1,2,3]", result_of({ 1, 2, 3 }).content)
    assert.equal("{}", result_of({}).content) -- on every host
    local cycle = {}
    cycle.cycle = cycle
    assert_plain_data(result_of(cycle))
  end)

  it("may be nothing only as an error", function()
    if host.in_nvim then return pending "the loop of Neovim never ends" end
    local result = result_of(nil)
    assert.is_true(result.is_error)
    assert.matches("tool", result.content)
    assert_plain_data(result)
  end)

  it("may be MCP content", function()
    local image = { type = "image", data = "aGk=", mimeType = "image/png" }
    local audio = { type = "audio", data = "aGk=", mimeType = "audio/wav" }
    local result = result_of {
      content = { { type = "text", text = "one" }, image, { type = "text", text = "two" }, audio },
    }
    assert.equal("one\ntwo", result.content)
    assert.equal(2, #result.blocks)
    assert.equal(image, result.blocks[1]) -- untouched: the same table
    assert.equal(audio, result.blocks[2])
    assert.same({ type = "image", data = "aGk=", mimeType = "image/png" }, image)
    assert.is_false(result.is_error)
    assert_plain_data(result)
  end)

  it("keeps images of any size whole while text is cut", function()
    local image = { type = "image", data = ("A"):rep(1000000), mimeType = "image/png" }
    local result = result_of { content = { image, { type = "text", text = ("x\n"):rep(50000) } } }
    assert.is_true(#result.content <= 30720)
    assert.equal(1000000, #result.blocks[1].data)
    assert.is_true(result.truncation.truncated)
  end)

  it("may be MCP content without text, or empty", function()
    local result = result_of { content = { { type = "image", data = "", mimeType = "image/png" } } }
    assert.equal("", result.content)
    assert.equal(1, #result.blocks)
    result = result_of { content = {} }
    assert.equal("", result.content)
    assert.is_nil(result.blocks)
    assert_plain_data(result)
  end)

  it("may be an MCP error", function()
    local result = result_of { content = { { type = "text", text = "boom" } }, isError = true }
    assert.equal("boom", result.content)
    assert.is_true(result.is_error)
    assert.is_true(result_of({ content = "boom", is_error = true }).is_error)
    assert.is_false(result_of({ content = "fine", isError = false }).is_error)
  end)

  it("may say where it goes on", function()
    local result = result_of { content = "a\n", total = 90, next_offset = 2, resume_hint = "ask for page 2" }
    local block = { truncated = true, bytes_returned = 2, next_offset = 2, resume_hint = "ask for page 2" }
    block.reason = "item_cap"
    assert.same(block, result.truncation)
    assert.same({ truncated_total = 90 }, result.metadata)
    assert_plain_data(result)
  end)

  it("has a hint of ours where the tool gave an offset alone", function()
    local result = result_of { content = "a\n", next_offset = 2 }
    assert.equal("call tool with offset=2", result.truncation.resume_hint)
    abridge.assert_conforms("tool", result)
  end)

  it("has the reason that the tool was registered with", function()
    local session = one_tool(function()
      return { content = "a\nb\nc\n", next_offset = 3 }
    end, { reason = "row_cap" })
    assert.equal("row_cap", session:call("tool", {}).truncation.reason)
  end)

  it("may be wrong about itself without harm", function()
    local result = result_of { content = 5, total = "many", next_offset = -1, resume_hint = {}, details = "none" }
    assert.equal("5", result.content)
    assert.is_false(result.truncation.truncated)
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
    result = result_of { content = "a", next_offset = 1.5, total = 0 / 0 }
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
    result = result_of { content = "a", next_offset = 3, resume_hint = "\255\0" }
    abridge.assert_conforms("tool", result)
    assert_plain_data(result)
  end)

  it("may carry details of its own beside the cut", function()
    local result = result_of { content = "a", details = { rows = 7, list = { 1 } } }
    assert.equal(7, result.details.rows)
    assert.same({ 1 }, result.details.list)
    assert.equal(1, result.details.cut.total_bytes)
  end)

  it("keeps a details table of the tool's as it was", function()
    local details, text = { rows = 7 }, "a"
    local session = one_tool(function()
      return { content = text, details = details }
    end)
    session:call("tool", {})
    text = "four"
    assert.equal(4, session:call("tool", {}).details.cut.total_bytes)
    assert.same({ rows = 7 }, details)
  end)

  it("is plain data whatever stands in the details", function()
    assert_plain_data(result_of { content = "a", details = { f = print, empty = {}, nested = { f = print } } })
    assert_plain_data(result_of { content = "a", details = {} })
  end)

  it("is valid UTF-8 whatever it was", function()
    local result = result_of "a\255b\226\130\n"
    assert.equal("a\239\191\189b\239\191\189\239\191\189\n", result.content)
    for _, profile in ipairs { "default", "pi", "pipeline", "contract", "dispatcher" } do
      for _, text in ipairs { ("\195\169\255\n"):rep(100000), ("\255"):rep(300000), "\255" } do
        local capped = result_of(text, { profile = profile })
        local _, invalid = abridge.count_chars(capped.content)
        assert.equal(0, invalid)
        assert_plain_data(capped)
      end
    end
  end)

  it("is cut by the limits of its tool", function()
    local text = ("line\n"):rep(10000)
    local result = result_of(text)
    assert.is_true(#result.content <= 30720)
    assert.equal("line_cap", result.truncation.reason)
    assert.is_true(result.details.cut.output_lines <= 2000)
    assert.equal(50000, result.truncation.bytes_total)

    result = result_of(text, { limits = { tool = { max_lines = 5 } } })
    assert.equal(5, result.details.cut.output_lines)

    local function tool()
      return text
    end
    local definition = { limits = { strategy = "tail", max_bytes = "1KB" } }
    result = one_tool(tool, definition):call("tool", {})
    assert.is_true(#result.content <= 1024)
    assert.matches("^line\n.*%[Showing lines %d+%-10000 of 10000 %(1KB limit%)%]$", result.content)
    assert.equal("size_cap", result.truncation.reason)
    -- the session's word goes before the tool's
    local session = one_tool(tool, { limits = { strategy = "tail", max_bytes = "1KB" } }, {
      limits = { tool = { max_bytes = 200 } },
    })
    assert.equal(200, session:limits("tool").max_bytes)
    assert.equal("tail", session:limits("tool").strategy)
    assert.is_true(#session:call("tool", {}).content <= 200)
  end)

  it("is cut in every profile when it is huge", function()
    local text = ("0123456789abcde\n"):rep(1000000) -- 16 MB
    local most = { default = 30720, contract = 65536, dispatcher = 131072, pipeline = 20000 + 200 }
    for profile, bytes in pairs(most) do
      local result = result_of(text, { profile = profile })
      assert.is_true(#result.content <= bytes, profile)
      assert.is_true(result.truncation.truncated, profile)
      assert.equal(#text, result.truncation.bytes_total, profile)
    end
  end)
end)

describe("done", function()
  it("may be called later", function()
    local result = one_tool(function(input, _, done)
      waiting.later(5, function()
        done("later " .. input.n)
      end)
    end):call("tool", { n = 3 })
    assert.equal("later 3", result.content)
  end)

  it("may be called before execute returns", function()
    local result = one_tool(function(_, _, done)
      done "at once"
    end):call("tool", {})
    assert.equal("at once", result.content)
  end)

  it("counts the first time only", function()
    local finish
    local calls = 0
    local session = one_tool(function(_, _, done)
      finish = done
      done "first"
      done "second"
      return "third"
    end)
    local job = session:call("tool", {}, {
      on_done = function()
        calls = calls + 1
      end,
    })
    assert.equal("first", job:wait().content)
    finish "fourth"
    assert.equal("first", job:wait().content)
    assert.equal(1, calls)
  end)

  it("counts before what the tool raises after it", function()
    local result = one_tool(function(_, _, done)
      done "good"
      error "too late"
    end):call("tool", {})
    assert.equal("good", result.content)
    assert.is_false(result.is_error)
  end)

  it("with nothing is an error", function()
    local result = one_tool(function(_, _, done)
      done(nil)
    end):call("tool", {})
    assert.is_true(result.is_error)
    assert_plain_data(result)
  end)

  it("with the same value again and again gives the same result each time", function()
    local value = { content = ("x\n"):rep(5000), details = { n = 1 } }
    local session = one_tool(function(_, _, done)
      done(value)
    end)
    local first, second = session:call("tool", {}), session:call("tool", {})
    assert.equal(first.content, second.content)
    assert.same(first.truncation, second.truncation)
    assert.same(first.details, second.details)
  end)
end)

describe("session:cap", function()
  it("caps output made elsewhere under the limits of its tool", function()
    local session = abridge.session { limits = { github__search = { max_lines = 2 } } }
    local result = session:cap("github__search", "a\nb\nc\nd\ne\n")
    assert.equal("github__search", result.tool)
    assert.equal(2, result.details.cut.output_lines)
    assert.is_true(result.truncation.truncated)
    assert.equal("line_cap", result.truncation.reason)
    abridge.assert_conforms("github__search", result)
    assert_plain_data(result)
    assert.equal("a\nb\nc\nd\ne\n", session:cap("another", "a\nb\nc\nd\ne\n").content)
  end)

  it("takes the limits that a tool was registered with", function()
    local session = one_tool(function() end, { limits = { max_lines = 1 } })
    assert.equal(1, session:cap("tool", "a\nb\n").details.cut.output_lines)
  end)

  it("takes an alias for its tool", function()
    local session = abridge.session { profile = "pi", limits = { bash = { max_lines = 1 } }, run_dir = false }
    assert.matches("^b\n\n%[Showing lines 2%-2 of 2%]$", session:cap("bash", "a\nb\n").content)
  end)

  it("takes less than the session allows for one value, and never more", function()
    local session = abridge.session { limits = { tool = { max_lines = 4 } }, ceiling = { max_bytes = 300 } }
    local text = ("line\n"):rep(100)
    assert.equal(2, session:cap("tool", text, { limits = { max_lines = 2 } }).details.cut.output_lines)
    assert.equal(4, session:cap("tool", text, { limits = { max_lines = 50 } }).details.cut.output_lines)
    assert.equal(4, session:cap("tool", text).details.cut.output_lines)
    for _, tool in ipairs { "tool", "read_file", "run_command" } do
      for _, bytes in ipairs { 0, 50, 100, 1000 } do
        assert.is_true(#session:cap(tool, text, { limits = { max_bytes = bytes } }).content <= math.min(bytes, 300))
      end
    end
    assert.is_true(#session:cap("tool", ("x"):rep(900), { limits = { max_chars = 40 } }).content <= 40)
    local content = session:cap("tool", ("x "):rep(900), { limits = { max_tokens = 20 } }).content
    assert.is_true(abridge.estimate_tokens(content) <= 20)
    session = abridge.session { profile = "pipeline", ceiling = { max_bytes = 2000 } }
    content = session:cap("tool", (("x"):rep(99) .. "\n"):rep(50), { limits = { max_bytes = 500 } }).content
    assert.is_true(#content <= 500)
    raises(function()
      session:cap("tool", text, { limit = {} })
    end, "session:cap", "'limit'")
    raises(function()
      session:cap("tool", text, { limits = { max_line = 2 } })
    end, "session:cap", "'max_line'")
    raises(function()
      session:cap("tool", text, { limits = { max_lines = "2" } })
    end, "session:cap", "max_lines", '"2"')
  end)

  it("shows a part of a single line that is over the budget", function()
    local session = abridge.session { limits = { read_file = { max_bytes = 200 } } }
    local result = session:cap("read_file", ("x"):rep(1000))
    assert.matches("^xxx", result.content)
    assert.is_true(#result.content <= 200)
  end)

  it("takes any value", function()
    local session = abridge.session()
    assert.equal("", session:cap("t", nil).content)
    assert.equal("5", session:cap("t", 5).content)
    assert.equal("false", session:cap("t", false).content)
    assert.equal('{"a":1}', session:cap("t", { a = 1 }).content)
    local image = { type = "image", data = "x", mimeType = "image/png" }
    local result = session:cap("t", { content = { { type = "text", text = "x" }, image }, isError = true })
    assert.equal("x", result.content)
    assert.equal(image, result.blocks[1])
    assert.is_true(result.is_error)
    for _, value in ipairs { print, coroutine.create(function() end), { print }, "\255" } do
      assert_plain_data(session:cap("t", value))
    end
  end)

  it("numbers its calls with those of the session", function()
    local session = abridge.session()
    local first, second = session:cap("t", "a"), session:cap("t", "b")
    assert.is_true(first.call_id ~= second.call_id)
  end)
end)

describe("on_event", function()
  local function recorded(opts)
    local events = {}
    opts = opts or {}
    opts.on_event = function(event)
      events[#events + 1] = event
    end
    return events, opts
  end

  it("hears of the call and of the result", function()
    local events, opts = recorded()
    local session = one_tool(function()
      return ("x\n"):rep(5000)
    end, nil, opts)
    local result = session:call("tool", { q = "z" })
    assert.equal(2, #events)
    local call, answer = events[1], events[2]
    assert.equal("tool_call", call.type)
    assert.same({ q = "z" }, call.input)
    assert.equal("tool_result", answer.type)
    assert.equal(result.content, answer.content) -- as the model saw it
    assert.same(result.truncation, answer.truncation)
    assert.equal(result.duration_ms, answer.duration_ms)
    for _, event in ipairs(events) do
      assert.equal("tool", event.tool)
      assert.equal(result.call_id, event.call_id)
      assert.is_number(event.time)
    end
    assert_plain_data(events)
  end)

  it("has ascending numbers", function()
    local events, opts = recorded()
    local session = one_tool(function()
      return "a"
    end, nil, opts)
    for _ = 1, 3 do
      session:call("tool", {})
    end
    session:cap("other", "b")
    session:call("nope", {})
    for i, event in ipairs(events) do
      assert.equal(i, event.seq)
    end
    assert.equal(10, #events)
  end)

  it("hears of calls that fail too", function()
    local events, opts = recorded()
    local session = abridge.session(opts)
    session:call("nope", {})
    session:call("read_file", "{")
    session:call("read_file", {})
    local types = {}
    for i, event in ipairs(events) do
      types[i] = event.type
    end
    assert.same({ "tool_call", "tool_result", "tool_call", "tool_result", "tool_call", "tool_result" }, types)
    assert.is_true(events[2].is_error)
    assert.equal("Unknown tool: nope", events[2].content)
  end)

  it("gives numbers at the start of a call, whichever ends first", function()
    local events, opts = recorded()
    local finish = {}
    local session = one_tool(function(input, _, done)
      finish[input.n] = done
    end, nil, opts)
    local first = session:call("tool", { n = 1 }, {})
    local second = session:call("tool", { n = 2 }, {})
    finish[2] "two"
    finish[1] "one"
    assert.equal(first.call_id, events[1].call_id)
    assert.equal(second.call_id, events[2].call_id)
    assert.equal(second.call_id, events[3].call_id)
    assert.equal(first.call_id, events[4].call_id)
    assert.equal("two", second:wait().content)
    assert.equal("one", first:wait().content)
  end)

  it("that raises is the host's to hear, after the call is done", function()
    local ran = false
    local session = one_tool(function()
      ran = true
      return "a"
    end, nil, {
      on_event = function(event)
        if event.type == "tool_result" then error("log is full", 0) end
      end,
    })
    local ok, message = pcall(session.call, session, "tool", {})
    assert.is_false(ok)
    assert.equal("log is full", message)
    assert.is_true(ran)
    ok, message = pcall(session.cap, session, "tool", "text")
    assert.is_false(ok)
    assert.equal("log is full", message)
  end)

  it("that raises in the loop is heard by the wait for that job", function()
    local session = abridge.session {
      on_event = function(event)
        if event.type == "tool_result" then error("log is full", 0) end
      end,
    }
    local job = session:call("run_command", { command = "true" }, {})
    local ok, message = pcall(job.wait, job)
    assert.is_false(ok)
    assert.equal("log is full", message)
    assert.equal("(no output)", job:wait().content) -- once
  end)
end)

describe("session:close", function()
  it("ends running jobs and answers later calls with an error", function()
    local session = abridge.session()
    local job = session:call("run_command", { command = "echo started; exec sleep 60" }, {})
    session:close()
    assert.is_true(job:is_done())
    assert.is_true(job.result.is_error)
    assert.matches("Command aborted$", job.result.content)

    local result = session:call("run_command", { command = "echo hi" })
    assert.is_true(result.is_error)
    assert.matches("closed", result.content)
    assert_plain_data(result)
  end)

  it("may be called again", function()
    local session = abridge.session()
    session:close()
    session:close()
  end)
end)

describe("results", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("are plain data in every case", function()
    dir:write("small.txt", "a\nb\n")
    dir:write("empty.txt", "")
    dir:write("big.txt", ("line\n"):rep(20000))
    dir:write("long.txt", ("x"):rep(200000))
    dir:write("bad.txt", "\255\254\n")
    dir:write("binary", "\0\1\2")
    local calls = {
      { "read_file", { path = "small.txt" } },
      { "read_file", { path = "empty.txt" } },
      { "read_file", { path = "big.txt" } },
      { "read_file", { path = "big.txt", offset = 7, limit = 2 } },
      { "read_file", { path = "long.txt" } },
      { "read_file", { path = "long.txt", column = 5 } },
      { "read_file", { path = "bad.txt" } },
      { "read_file", { path = "binary" } },
      { "read_file", { path = "missing" } },
      { "read_file", { path = "." } },
      { "read_file", { path = "small.txt", offset = 100 } },
      { "read_file", {} },
      { "read_file", "{" },
      { "run_command", { command = "true" } },
      { "run_command", { command = "cat big.txt" } },
      { "run_command", { command = "cat long.txt" } },
      { "run_command", { command = "exit 3" } },
      { "run_command", { command = "kill -9 $$" } },
      { "run_command", { command = "true", cwd = "nowhere" } },
      { "run_command", { command = "sleep 60", timeout = 0.05 } },
      { "nope", {} },
    }
    for _, profile in ipairs { "default", "pi", "pipeline", "contract", "dispatcher" } do
      local session = abridge.session { profile = profile, cwd = dir.path }
      for _, call in ipairs(calls) do
        local result = session:call(call[1], call[2])
        assert_plain_data(result)
        abridge.assert_conforms(call[1], result)
        assert.equal("string", type(result.content))
        assert.equal("boolean", type(result.is_error))
        assert.is_true(result.truncation.bytes_returned <= #result.content)
        local _, invalid = abridge.count_chars(result.content)
        assert.equal(0, invalid)
      end
    end
  end)

  it("are plain data when nothing of the content is kept", function()
    local session = abridge.session { limits = { tool = { max_bytes = 0 } } }
    assert_plain_data(session:cap("tool", "text"))
    assert.equal("", session:cap("tool", "text").content)
  end)
end)

describe("options with a metatable", function()
  it("are what stands in them, checked; the metatable is not asked", function()
    local function answer() return 7 end
    local opts = setmetatable({ run_dir = false, tools = {} }, { __index = answer, __pairs = answer })
    local session = abridge.session(opts)
    local tool = setmetatable({ name = "t", execute = function() return "x" end }, { __index = answer })
    session:register(tool)
    assert.equal("x", session:call("t", {}).content)
    session:close()
  end)
end)

describe("a value whose fields change from look to look", function()
  it("is a result all the same", function()
    local looks = 0
    local value = setmetatable({ content = "text" }, {
      __index = function(_, key)
        looks = looks + 1
        if key == "details" then return looks % 2 == 1 and {} or 7 end
      end,
    })
    local session = abridge.session { run_dir = false, tools = {} }
    for _ = 1, 4 do
      local result = session:cap("other", value)
      assert.equal("text", result.content)
      assert.is_table(result.details)
      looks = looks + 1
    end
    session:close()
  end)
end)
