--- The results of calls as spans of OpenTelemetry: name, kind and attributes, for any SDK or exporter of a host.

local check = require "abridge.base.check"
local encode = require "abridge.base.encode"
local strings = require "abridge.base.strings"

local M = {}

local WHO = "otel.attributes"

---@class (exact) abridge.OtelOptions
---@field call? table the call's `tool_call` event, or any table with its `input`
---@field content? boolean also what was asked and what the model saw, which may be confidential

---@class (exact) abridge.OtelSpan A span `execute_tool` of the semantic conventions for generative AI.
---@field name string "execute_tool {tool}"
---@field kind "INTERNAL"
---@field status? "ERROR" nil leaves it unset, as is right for what went well
---@field attributes table<string, string|number|boolean>

local OPTIONS = { call = "table", content = "boolean" }

local function text(value)
  return type(value) == "string" and strings.valid(value) or nil
end

local function count(value)
  return check.is_count(value) and value or nil
end

local function as_table(value)
  return type(value) == "table" and value or {}
end

local FAILURES = {
  timeout = true,
  cancelled = true,
  signal = true,
  exit = true,
  denied = true,
  invalid_input = true,
  unknown_tool = true,
}

--- The class of an error: one of these, the name of an errno or of another code, or `_OTHER`.
local function error_type(failure)
  local known = type(failure) == "string" and (FAILURES[failure] or failure:find "^E[A-Z0-9]+$")
  return known and failure or "_OTHER"
end

--- Attributes of our own, under `abridge.`; an event and its result give the same.
local function add_ours(attributes, result)
  local details = result.type == "tool_result" and result or as_table(result.details)
  local block, cut = as_table(result.truncation), as_table(details.cut)
  local shown = type(result.content) == "string" and #result.content or nil
  for name, value in pairs {
    truncated = block.truncated == true,
    reason = block.truncated == true and text(block.reason) or nil,
    bytes_in = count(cut.total_bytes) or shown,
    bytes_shown = shown,
    kind = text(cut.kind),
    strategy = text(cut.strategy),
    truncated_by = text(cut.truncated_by),
    total_lines = count(cut.total_lines),
    output_lines = count(cut.output_lines),
    exit_code = count(details.exit_code),
    signal = text(details.signal),
    full_output_path = text(cut.full_output_path),
  } do
    attributes["abridge." .. name] = value
  end
  return details
end

--- The input, and the result as the model saw it.
local function add_content(attributes, result, call)
  local input = call.input
  if type(input) == "table" then input = encode.json(input) end
  attributes["gen_ai.tool.call.arguments"] = text(input)
  -- the conventions have a result only if the call went well
  local name = result.is_error == true and "abridge.content" or "gen_ai.tool.call.result"
  attributes[name] = text(result.content)
end

--- The span of a call: of its result, or of its event `tool_result`, from `on_event` or a log.
---
--- Names and values are those of the OpenTelemetry semantic conventions for generative AI, v1.41.1; ours are under
--- `abridge.`. `error.type` is `timeout`, `cancelled`, `signal`, `exit`, `denied`, `invalid_input`, `unknown_tool`, an
--- error code such as `ENOENT`, or `_OTHER`. Values are strings, booleans and integers; what a log has of another type
--- is left out. Nothing of input and content is in it unless `opts.content` is set. Raises on misuse, naming the
--- argument. Cost: a look at some fields; with `content` a pass over it.
---@param result abridge.Result|table
---@param opts? abridge.OtelOptions
---@return abridge.OtelSpan
function M.attributes(result, opts)
  if type(result) ~= "table" then check.fail(("%s: result must be a table, got %s"):format(WHO, check.show(result))) end
  opts = check.options(WHO, opts, OPTIONS, 1)
  local tool, failed = text(result.tool) or "unknown", result.is_error == true
  local attributes = {
    ["gen_ai.operation.name"] = "execute_tool",
    ["gen_ai.tool.name"] = tool,
    ["gen_ai.tool.type"] = "function",
    ["gen_ai.tool.call.id"] = text(result.call_id),
  }
  local details = add_ours(attributes, result)
  if failed then attributes["error.type"] = error_type(details.failure) end
  if opts.content then add_content(attributes, result, opts.call or {}) end
  return {
    name = "execute_tool " .. tool,
    kind = "INTERNAL",
    status = failed and "ERROR" or nil,
    attributes = attributes,
  }
end

return M
