-- The calls of a run as OTLP/JSON, a request a line, as the file exporter of a collector writes and its receiver
-- `otlpjsonfile` reads them:
--
--   lua examples/otel.lua RUN_DIR > traces.jsonl
--
-- CONTENT=1 adds input and output; OTEL_SERVICE_NAME names the service. With TRACEPARENT
-- (https://www.w3.org/TR/trace-context) the spans go into that trace, else into one of their own, below a span of the
-- run.
local abridge = require "abridge"
local otel = require "abridge.otel"
local json = vim and vim.json or require "cjson"

local KIND = { INTERNAL = 1 } -- the numbers of opentelemetry/proto/trace/v1/trace.proto
local STATUS = { ERROR = 2 }

local random = assert(io.open("/dev/urandom", "rb"))

--- An id of so many bytes, in hex; never all zeros, which is none.
local function new_id(bytes)
  local id = random:read(bytes):gsub(".", function(byte)
    return ("%02x"):format(byte:byte())
  end)
  return id:find "[^0]" and id or new_id(bytes)
end

--- A number of the protocol's 64 bits is a string.
local function integer(n)
  return ("%.0f"):format(n)
end

--- Milliseconds as nanoseconds, which are more than a number holds.
local function nanoseconds(ms)
  return integer(ms) .. "000000"
end

local function any_value(value)
  if type(value) == "boolean" then return { boolValue = value } end
  if type(value) == "number" then return { intValue = integer(value) } end
  return { stringValue = value }
end

local function key_values(attributes)
  local list = {}
  for key, value in pairs(attributes) do
    list[#list + 1] = { key = key, value = any_value(value) }
  end
  table.sort(list, function(a, b)
    return a.key < b.key
  end)
  return list
end

local function span_of(event, call, trace)
  local span = otel.attributes(event, { call = call, content = os.getenv "CONTENT" == "1" })
  local ended = math.floor(event.time * 1000 + 0.5)
  return {
    traceId = trace.id,
    spanId = new_id(8),
    parentSpanId = trace.parent,
    name = span.name,
    kind = KIND[span.kind],
    startTimeUnixNano = nanoseconds(ended - event.duration_ms),
    endTimeUnixNano = nanoseconds(ended),
    attributes = key_values(span.attributes),
    status = span.status and { code = STATUS[span.status] } or nil,
  }
end

local function request(span)
  local service = { ["service.name"] = os.getenv "OTEL_SERVICE_NAME" or "abridge" }
  return {
    resourceSpans = {
      {
        resource = { attributes = key_values(service) },
        scopeSpans = { { scope = { name = "abridge", version = abridge.version }, spans = { span } } },
      },
    },
  }
end

--- The trace that the spans go into; `own` if it is the run's own, whose span is their parent.
local function trace_of(parent)
  local id, span = (parent or ""):match "^%x%x%-(%x+)%-(%x+)%-%x%x$"
  if id and #id == 32 and #span == 16 then return { id = id, parent = span } end
  return { id = new_id(16), parent = new_id(8), own = true }
end

--- The span of a run, from the start of its first call to the end of its last.
local function span_of_run(dir, trace)
  return {
    traceId = trace.id,
    spanId = trace.parent,
    name = "run",
    kind = KIND.INTERNAL,
    startTimeUnixNano = nanoseconds(trace.started),
    endTimeUnixNano = nanoseconds(trace.ended),
    attributes = key_values { ["abridge.run"] = dir:match "([^/]+)/*$" or dir },
  }
end

local dir = assert(..., "usage: lua examples/otel.lua RUN_DIR")
local run = assert(abridge.open_run(dir))
local trace, calls = trace_of(os.getenv "TRACEPARENT"), {}
for _, event in ipairs(assert(run:events())) do
  if event.type == "tool_call" then
    calls[event.call_id] = event
  elseif event.type == "tool_result" and event.duration_ms then
    local ended = math.floor(event.time * 1000 + 0.5)
    trace.started = math.min(trace.started or ended, ended - event.duration_ms)
    trace.ended = math.max(trace.ended or ended, ended)
    io.write(json.encode(request(span_of(event, calls[event.call_id], trace))), "\n")
  end
end
if trace.own and trace.ended then io.write(json.encode(request(span_of_run(dir, trace))), "\n") end
run:close()
