--- abridge.otel and examples/otel.lua against what OpenTelemetry says. Sources:
---
--- - semantic conventions v1.41.1, the last release with those for generative AI before they moved to a repository of
---   their own: docs/gen-ai/gen-ai-spans.md, "Execute tool span", and docs/general/recording-errors.md
---   https://github.com/open-telemetry/semantic-conventions/blob/v1.41.1/docs/gen-ai/gen-ai-spans.md#execute-tool-span
--- - OTLP 1.11.0, docs/specification.md, "JSON Protobuf Encoding", and opentelemetry/proto/{trace,common}/v1/*.proto
---   https://github.com/open-telemetry/opentelemetry-proto/blob/v1.11.0/docs/specification.md#json-protobuf-encoding
--- - OTLP file exporter: a JSON value a line, UTF-8, "\n" between them
---   https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/

local abridge = require "abridge"
local environment = require "support.environment"
local host = require "abridge.base.host"
local otel = require "abridge.otel"
local tmpdir = require "support.tmpdir"

local json = host.json()

--- The attributes of the span, as the table in that document has them.
local CONVENTIONS = {
  ["gen_ai.operation.name"] = { level = "required", type = "string", value = "execute_tool" },
  ["gen_ai.tool.name"] = { level = "required", type = "string" },
  ["error.type"] = { level = "if the operation ended in an error", type = "string" },
  ["gen_ai.tool.call.id"] = { level = "if available", type = "string" },
  ["gen_ai.tool.description"] = { level = "if available", type = "string" },
  ["gen_ai.tool.type"] = { level = "if available", type = "string", one_of = "function extension datastore" },
  ["gen_ai.tool.call.arguments"] = { level = "opt-in", type = "string" }, -- any; JSON where structure is not supported
  ["gen_ai.tool.call.result"] = { level = "opt-in", type = "string" },
}

--- What SPEC allows in error.type besides the name of an errno.
local ERRORS = " timeout cancelled signal exit denied invalid_input unknown_tool _OTHER "

--- Check a span against all this; returns its attributes.
local function conforming(span, failed)
  assert.equal("execute_tool " .. span.attributes["gen_ai.tool.name"], span.name)
  assert.equal("INTERNAL", span.kind)
  assert.equal(failed and "ERROR" or nil, span.status)
  for name, value in pairs(span.attributes) do
    local known = CONVENTIONS[name]
    assert.is_truthy(known or name:find "^abridge%.[a-z_]+$", name)
    if known then
      assert.equal(known.type, type(value), name)
      if known.value then assert.equal(known.value, value) end
      if known.one_of then assert.is_truthy((" " .. known.one_of .. " "):find(" " .. value .. " ", 1, true)) end
    else
      assert.is_true(type(value) == "string" or type(value) == "boolean" or value == math.floor(value), name)
    end
  end
  for name, known in pairs(CONVENTIONS) do
    if known.level == "required" then assert.is_string(span.attributes[name], name) end
  end
  local error_type = span.attributes["error.type"]
  assert.equal(failed, error_type ~= nil)
  if failed then
    assert.is_truthy(ERRORS:find(" " .. error_type .. " ", 1, true) or error_type:find "^E[A-Z0-9]+$", error_type)
  end
  return span.attributes
end

describe("otel.attributes", function()
  local dir, session, events

  setup(function()
    dir = tmpdir.new()
    dir:write("lines", ("a line\n"):rep(5000))
  end)

  teardown(function()
    dir:remove()
  end)

  before_each(function()
    events = {}
    session = abridge.session {
      cwd = dir.path,
      run_dir = dir:at "run",
      on_event = function(event)
        events[#events + 1] = event
      end,
      approve = function(_, input)
        return input.command ~= "forbidden", "no"
      end,
    }
    session:register {
      name = "raises",
      execute = function()
        error "oh"
      end,
    }
    session:register {
      name = "foreign",
      execute = function()
        return { content = "no", is_error = true, details = { exit_code = 3, failure = "timeout", timed_out = true } }
      end,
    }
  end)

  after_each(function()
    session:close()
    dir:sh "rm -rf run"
  end)

  --- The attributes of a result; its event in memory and in the log must have the same.
  local function checked(result, opts)
    local attributes = conforming(otel.attributes(result, opts), result.is_error)
    assert.same(attributes, otel.attributes(events[#events], opts).attributes)
    local run = assert(abridge.open_run(dir:at "run"))
    local logged = assert(run:events { type = "tool_result" })
    run:close()
    assert.same(attributes, otel.attributes(logged[#logged], opts).attributes)
    return attributes
  end

  local function called(name, input, opts)
    return checked(session:call(name, input), opts)
  end

  it("names the call and what was cut", function()
    assert.same({
      ["gen_ai.operation.name"] = "execute_tool",
      ["gen_ai.tool.name"] = "run_command",
      ["gen_ai.tool.type"] = "function",
      ["gen_ai.tool.call.id"] = "call-1",
      ["abridge.truncated"] = false,
      ["abridge.bytes_in"] = 3,
      ["abridge.bytes_shown"] = 3,
      ["abridge.kind"] = "text",
      ["abridge.strategy"] = "auto",
      ["abridge.total_lines"] = 1,
      ["abridge.output_lines"] = 1,
      ["abridge.exit_code"] = 0,
    }, called("run_command", { command = "echo hi" }))
    local result = session:call("run_command", { command = "seq 9999" }, { id = "toolu_1" }):wait()
    local attributes = checked(result)
    assert.equal("toolu_1", attributes["gen_ai.tool.call.id"])
    assert.equal(true, attributes["abridge.truncated"])
    assert.equal(result.truncation.reason, attributes["abridge.reason"])
    assert.equal(result.details.cut.total_bytes, attributes["abridge.bytes_in"])
    assert.equal(#result.content, attributes["abridge.bytes_shown"])
    assert.equal(result.details.full_output_path, attributes["abridge.full_output_path"])
    checked(session:cap("github__search", "3 results"))
  end)

  describe("says what kind of error it was, from facts", function()
    local function error_of(name, input)
      return called(name, input)["error.type"]
    end

    it("of commands", function()
      assert.equal("exit", error_of("run_command", { command = "exit 3" }))
      assert.equal(3, called("run_command", { command = "exit 3" })["abridge.exit_code"])
      assert.equal("signal", error_of("run_command", { command = "kill -9 $$" }))
      assert.equal("KILL", called("run_command", { command = "kill -9 $$" })["abridge.signal"])
      assert.equal("timeout", error_of("run_command", { command = "sleep 60", timeout = 0.05 }))
      assert.equal("ENOENT", error_of("run_command", { command = "true", cwd = "/no/such" }))
      local job = session:call("run_command", { command = "sleep 60" }, {})
      job:cancel()
      assert.equal("cancelled", checked(job:wait())["error.type"])
      assert.equal("exit", error_of("run_command", { command = "echo Command timed out after 3 seconds; exit 1" }))
    end)

    it("of files, searches and fetches", function()
      assert.equal("ENOENT", error_of("read_file", { path = "not-there" }))
      assert.equal("EISDIR", error_of("read_file", { path = "." }))
      assert.equal("EOFFSET", error_of("read_file", { path = "lines", offset = 9999 }))
      assert.equal("ENOTDIR", error_of("list_directory", { path = "lines" }))
      assert.equal("EINVAL", error_of("search_files", { pattern = "(" }))
      assert.equal("ESCHEME", error_of("web_fetch", { url = "file:///etc/passwd" }))
    end)

    it("of calls that never reached their tool", function()
      assert.equal("unknown_tool", error_of("no_such_tool", {}))
      assert.equal("invalid_input", error_of("read_file", {}))
      assert.equal("invalid_input", error_of("read_file", "{"))
      assert.equal("denied", error_of("run_command", { command = "forbidden" }))
      local job = session:call("raises", {}, {})
      assert.equal("_OTHER", checked(job:wait())["error.type"])
    end)

    it("of tools that are not ours, whatever they claim", function()
      assert.equal("_OTHER", error_of("foreign", {}))
      assert.equal("_OTHER", error_of("raises", {}))
    end)

    it("of a result that could not be made", function()
      local own = abridge.session {
        run_dir = false,
        limits = {
          run_command = {
            max_tokens = 5,
            count_tokens = function()
              error "no"
            end,
          },
        },
      }
      local result = own:call("run_command", { command = "seq 9999; exit 3" })
      own:close()
      assert.is_string(result.details.inner_error)
      assert.equal("exit", conforming(otel.attributes(result), true)["error.type"])
    end)

    it("of an older log, as _OTHER", function()
      local event = { type = "tool_result", tool = "t", is_error = true, content = "Unknown tool: t" }
      assert.equal("_OTHER", conforming(otel.attributes(event), true)["error.type"])
    end)
  end)

  it("has input and content only where they are asked for", function()
    local secret = { path = "lines", limit = 1, offset = 4321 }
    for name, value in pairs(called("read_file", secret)) do
      assert.is_nil(tostring(value):find("4321", 1, true), name)
      assert.is_nil(tostring(value):find("a line", 1, true), name)
    end
    local result = session:call("read_file", secret)
    assert.is_nil(checked(result, { call = { input = secret } })["gen_ai.tool.call.arguments"])
    local attributes = checked(result, { call = { input = secret }, content = true })
    assert.same(secret, json.decode(attributes["gen_ai.tool.call.arguments"]))
    assert.equal(result.content, attributes["gen_ai.tool.call.result"])
    attributes = checked(result, { call = { input = '{"path":"lines"}' }, content = true })
    assert.equal('{"path":"lines"}', attributes["gen_ai.tool.call.arguments"])
    assert.is_nil(checked(result, { content = true })["gen_ai.tool.call.arguments"])
  end)

  it("has no result of a call that failed, as the conventions say, but what the model saw", function()
    local attributes = called("run_command", { command = "echo so far; exit 3" }, { content = true })
    assert.is_nil(attributes["gen_ai.tool.call.result"])
    assert.equal("so far\n\nCommand exited with code 3", attributes["abridge.content"])
  end)

  it("takes any log: what is of another type is left out", function()
    local hostile = {
      type = "tool_result",
      tool = { "t" },
      call_id = 7,
      is_error = true,
      failure = "made up\n",
      content = "\255",
      truncation = "none",
      cut = { total_bytes = -1, total_lines = 0 / 0, kind = {}, strategy = "\255" },
      exit_code = 1.5,
      signal = true,
    }
    assert.same({
      ["gen_ai.operation.name"] = "execute_tool",
      ["gen_ai.tool.name"] = "unknown",
      ["gen_ai.tool.type"] = "function",
      ["error.type"] = "_OTHER",
      ["abridge.truncated"] = false,
      ["abridge.bytes_in"] = 1,
      ["abridge.bytes_shown"] = 1,
      ["abridge.strategy"] = "\239\191\189",
    }, conforming(otel.attributes(hostile), true))
    assert.equal("execute_tool unknown", otel.attributes({}).name)
  end)

  it("raises on misuse, naming the argument", function()
    assert.has_error(function()
      otel.attributes "result"
    end, 'otel.attributes: result must be a table, got "result"')
    assert.error_matches(function()
      otel.attributes({}, { contents = true })
    end, "otel.attributes: unknown option 'contents'")
    assert.error_matches(function()
      otel.attributes({}, { call = "run" })
    end, "call must be a table")
  end)
end)

-- OTLP/JSON --------------------------------------------------------------------------------

local function hex(bytes)
  return function(value, at)
    assert.is_string(value, at)
    assert.equal(2 * bytes, #value, at)
    assert.is_nil(value:find "%X", at)
    assert.is_truthy(value:find "[^0]", at) -- all zeros: invalid
  end
end

local function kind_of(name)
  return function(value, at)
    assert.equal(name, type(value), at)
  end
end

--- A number of 64 bits: a decimal string.
local function integer64(value, at)
  assert.is_string(value, at)
  assert.matches("^%-?%d+$", value, at)
end

--- An enum: its number, never its name.
local function enum(last)
  return function(value, at)
    assert.is_number(value, at)
    assert.is_true(value == math.floor(value) and value >= 0 and value <= last, at)
  end
end

local ANY_VALUE = { oneof = true, stringValue = kind_of "string", boolValue = kind_of "boolean", intValue = integer64 }
local KEY_VALUE = { key = kind_of "string", value = ANY_VALUE }
local SPAN = {
  traceId = hex(16),
  spanId = hex(8),
  parentSpanId = hex(8),
  name = kind_of "string",
  kind = enum(5),
  startTimeUnixNano = integer64,
  endTimeUnixNano = integer64,
  attributes = { list = KEY_VALUE },
  status = { message = kind_of "string", code = enum(2) },
}
local SCOPE = { name = kind_of "string", version = kind_of "string" }
--- The messages of ExportTraceServiceRequest as far as we write them, in lowerCamelCase.
local REQUEST = {
  resourceSpans = {
    list = {
      resource = { attributes = { list = KEY_VALUE } },
      scopeSpans = { list = { scope = SCOPE, spans = { list = SPAN } } },
    },
  },
}

--- Check a decoded message against such a table.
local function check_message(value, message, at)
  if type(message) == "function" then return message(value, at) end
  assert.is_table(value, at)
  if message.list then
    assert.is_true(#value > 0, at)
    for i, item in ipairs(value) do
      check_message(item, message.list, at .. "[" .. i .. "]")
    end
    return
  end
  local fields = 0
  for name, field in pairs(value) do
    fields = fields + 1
    assert.is_truthy(message[name], at .. "." .. tostring(name))
    check_message(field, message[name], at .. "." .. name)
  end
  if message.oneof then assert.equal(1, fields, at) end
end

describe("examples/otel.lua", function()
  local dir

  setup(function()
    dir = tmpdir.new()
    local session = abridge.session { run_dir = dir:at "run", cwd = dir.path }
    session:call("run_command", { command = "seq 9999" })
    session:call("run_command", { command = "printf 'odd \\377'; exit 3" })
    session:call("no_such_tool", { text = 'caf\195\169 "quoted"' })
    session:cap("github__search", "3 results")
    session:close()
  end)

  teardown(function()
    dir:remove()
  end)

  --- The spans of the run, each from a line of its own.
  local function spans(env)
    local script = tmpdir.root() .. "/examples/otel.lua"
    dir:write("start.lua", ("arg = { [0] = 'otel', %q }; assert(loadfile %q)(arg[1])"):format(dir:at "run", script))
    return environment.with(env or {}, function()
      local out = dir:run(dir:lua_command "start.lua")
      assert.matches("\n$", out)
      local _, invalid = abridge.count_chars(out)
      assert.is_true(invalid == nil or invalid == 0)
      local list = {}
      for line in out:gmatch "([^\n]*)\n" do
        local request = json.decode(line)
        check_message(request, REQUEST, "request")
        list[#list + 1] = request.resourceSpans[1].scopeSpans[1].spans[1]
      end
      return list
    end)
  end

  local function attribute(span, name)
    for _, pair in ipairs(span.attributes) do
      if pair.key == name then return pair.value.stringValue or pair.value.intValue or pair.value.boolValue end
    end
  end

  it("writes a request a line, by the rules of OTLP/JSON", function()
    local list = spans { TRACEPARENT = "", CONTENT = "" }
    assert.equal(5, #list)
    local root = table.remove(list) -- that of the run, which all others are in
    assert.same({ "run", 1 }, { root.name, root.kind })
    assert.is_nil(root.parentSpanId)
    assert.equal("run", attribute(root, "abridge.run"))
    local ids, trace = { [root.spanId] = true }, root.traceId
    for _, span in ipairs(list) do
      assert.is_nil(ids[span.spanId])
      ids[span.spanId] = true
      assert.equal(trace, span.traceId)
      assert.equal(root.spanId, span.parentSpanId)
      assert.is_true(root.startTimeUnixNano <= span.startTimeUnixNano)
      assert.is_true(root.endTimeUnixNano >= span.endTimeUnixNano)
      assert.equal(1, span.kind) -- SPAN_KIND_INTERNAL
      assert.is_true(#span.startTimeUnixNano == 19 and span.startTimeUnixNano <= span.endTimeUnixNano)
      assert.is_nil(attribute(span, "gen_ai.tool.call.arguments"))
    end
    assert.equal("execute_tool run_command", list[1].name)
    assert.is_nil(list[1].status) -- unset
    assert.same({ code = 2 }, list[2].status) -- STATUS_CODE_ERROR
    assert.same({ "exit", "3" }, { attribute(list[2], "error.type"), attribute(list[2], "abridge.exit_code") })
    assert.equal("unknown_tool", attribute(list[3], "error.type"))
    assert.equal("48888", attribute(list[1], "abridge.bytes_in"))
  end)

  it("goes into the trace that it is given, with content where that is asked for", function()
    local id, parent = ("ab"):rep(16), ("cd"):rep(8)
    local list = spans { TRACEPARENT = "00-" .. id .. "-" .. parent .. "-01", CONTENT = "1" }
    assert.equal(4, #list)
    for _, span in ipairs(list) do
      assert.same({ id, parent }, { span.traceId, span.parentSpanId })
    end
    assert.equal('{"text":"caf\195\169 \\"quoted\\""}', attribute(list[3], "gen_ai.tool.call.arguments"))
    assert.equal("3 results", attribute(list[4], "gen_ai.tool.call.result"))
  end)
end)
