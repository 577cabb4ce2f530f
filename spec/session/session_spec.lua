-- Sessions: their options, the registry of tools, approval before one runs, what cannot be called.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local host = require "abridge.base.host"
local merge = require "support.merge"
local one_tool = require "support.one_tool"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local json = host.json()
local raises = plain.misuse

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
  merge(package.loaded, saved.modules)
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
    { "timeout_max", "5", '"5"' },
    { "timeout_max", 0, "0" },
    { "timeout_max", math.huge, "inf" },
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

  it("may switch a feature off", function()
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
    local clean = { invisible = true }
    assert.same({ strategy = "auto", max_bytes = 30720, clean = clean }, session:limits "run_command")
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
    assert.matches("the parts that matter most, ", description_of "run_command")
    local priority = { limits = { run_command = { strategy = "priority" } } }
    assert.matches("the start, the end and lines that tell of trouble", description_of("run_command", priority))
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

  it("of the profile pi are of its five tools, unless others are named", function()
    local function names(opts)
      opts.profile = "pi"
      local all = {}
      for i, definition in ipairs(abridge.session(opts):definitions "mcp") do
        all[i] = definition.name
      end
      return table.concat(all, " ")
    end
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    assert.equal("read bash grep find ls", names {})
    assert.equal("read web_fetch", names { tools = { "read", "web_fetch" } })
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

describe("a timeout that a model asks for", function()
  local function asked(timeout, opts)
    local session = abridge.session(opts)
    local result = session:call("run_command", { command = "echo ran", timeout = timeout })
    local definition = session:definitions("mcp")[2]
    session:close()
    return result, definition.inputSchema.properties.timeout.maximum
  end

  it("has a maximum, which its definition tells", function()
    for _, case in ipairs {
      { {}, 3600 },
      { { timeout = 5 }, 3600 },
      { { timeout = 5000 }, 5000 },
      { { timeout_max = 60 }, 60 },
      { { timeout = 0.5, timeout_max = 1.5 }, 1.5 },
      { { timeout = 90, timeout_max = 60 }, 90 },
      { { aliases = { bash = "run_command" } }, 3600 },
    } do
      local opts, most = case[1], case[2]
      local result, told = asked(most, opts)
      assert.equal("ran\n", result.content)
      assert.equal(most, told)
      local message = ("Invalid input: timeout must be at most %g, got"):format(most)
      for _, over in ipairs { most + 0.001, 1e18 } do
        result = asked(over, opts)
        assert.is_true(result.is_error)
        assert.equal(message, result.content:sub(1, #message))
      end
      for _, wrong in ipairs { math.huge, "1e18" } do
        assert.is_true(asked(wrong, opts).is_error)
      end
    end
  end)

  it("is the session's where it asks for none, within the maximum", function()
    local session = abridge.session { timeout_max = 0.2 }
    local result = session:call("run_command", { command = "sleep 60" })
    assert.is_true(result.details.timed_out)
    session:close()
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

  it("is told the tool's own name, and the alias where one was called", function()
    local seen = {}
    local session = abridge.session {
      aliases = { bash = "run_command", sh = "run_command" },
      approve = function(...)
        seen[#seen + 1] = { (select(1, ...)), (select(3, ...)) or false }
        return false
      end,
    }
    for _, name in ipairs { "bash", "run_command", "sh" } do
      assert.equal("Not approved", session:call(name, { command = "true" }).content)
    end
    assert.same({ { "run_command", "bash" }, { "run_command", false }, { "run_command", "sh" } }, seen)
    session:close()
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

describe("an unknown tool", function()
  it("is an error result", function()
    local result = abridge.session():call("github__search", { q = 1 })
    assert.equal("Unknown tool: github__search", result.content)
    assert.is_true(result.is_error)
    assert.equal("github__search", result.tool)
    abridge.assert_conforms("github__search", result)
    assert_plain_data(result)
  end)

  it("is an error result whatever its name is", function()
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
