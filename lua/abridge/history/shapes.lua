--- The messages of each API as the fold sees them: which are a reply, the calls they make, the results they hold, and
--- what else in them counts. Shapes as in the types of openai-python 2.x and anthropic-sdk-python. Messages are read
--- raw: no metatable is asked.

local check = require "abridge.base.check"
local messages = require "abridge.session.messages"

local M = {}

local field, list = messages.field, messages.list

---@class (exact) abridge.history.Call
---@field id any
---@field name any
---@field input any a table, JSON as the model wrote it, or a custom tool's text

---@class (exact) abridge.history.Output The result of a call.
---@field id any nil: of the first call that has none yet
---@field content any a string, or a list of parts
---@field is_error boolean|nil

---@class (exact) abridge.history.View
---@field reply boolean it is the model's
---@field calls abridge.history.Call[]
---@field results abridge.history.Output[]
---@field rest any[] what counts besides the results

---@class (exact) abridge.history.Shape
---@field wanted string what a message is, for errors
---@field is_message fun(message: table): boolean
---@field own? boolean it is a host's: `read` gives what the host's did, and `view` the view of that
---@field read fun(message: table): abridge.history.View
---@field view? fun(seen: table): abridge.history.View
---@field write fun(message: table, contents: any[]): table a copy with `contents[k]` as the k-th result

--- A copy that is of the same kind: an empty list of some JSON libraries is one by its metatable.
local function like(t)
  local copy, mt = check.copied(t), getmetatable(t)
  return type(mt) == "table" and setmetatable(copy, mt) or copy
end

local function with(message, key, value)
  local copy = like(message)
  rawset(copy, key, value)
  return copy
end

-- Chat Completions -------------------------------------------------------------

local CHAT_ROLES = { assistant = true, developer = true, ["function"] = true, system = true, tool = true, user = true }

local openai = { wanted = "a message of Chat Completions" }

function openai.is_message(message)
  return CHAT_ROLES[field(message, "role")] ~= nil
end

function openai.read(message)
  if field(message, "role") == "tool" then
    local result = { id = field(message, "tool_call_id"), content = field(message, "content") }
    return { reply = false, calls = {}, results = { result }, rest = { field(message, "name") or "" } }
  end
  local calls = {}
  for _, entry in ipairs(list(field(message, "tool_calls"))) do
    local part = field(entry, field(entry, "type") == "custom" and "custom" or "function")
    local input = field(part, "arguments") or field(part, "input")
    calls[#calls + 1] = { id = field(entry, "id"), name = field(part, "name"), input = input }
  end
  return { reply = field(message, "role") == "assistant", calls = calls, results = {}, rest = { message } }
end

function openai.write(message, contents)
  return with(message, "content", contents[1])
end

-- Responses --------------------------------------------------------------------

local CALLS = { function_call = true, custom_tool_call = true }
local OUTPUTS = { function_call_output = true, custom_tool_call_output = true }

local responses = { wanted = "an item of Responses" }

function responses.is_message(item)
  return type(field(item, "type")) == "string" or type(field(item, "role")) == "string"
end

--- Is this item the model's? A message is by its role; of the others the host makes outputs of tools and its answers to
--- requests for approval.
local function is_output_item(item)
  local role, kind = field(item, "role"), field(item, "type")
  if type(role) == "string" then return role == "assistant" end
  return not (kind:find "_output$" or kind == "mcp_approval_response")
end

function responses.read(item)
  local kind = field(item, "type")
  if OUTPUTS[kind] then
    local result = { id = field(item, "call_id"), content = field(item, "output") }
    return { reply = false, calls = {}, results = { result }, rest = {} }
  end
  local calls = {}
  if CALLS[kind] then
    local input = field(item, "arguments") or field(item, "input")
    calls[1] = { id = field(item, "call_id"), name = field(item, "name"), input = input }
  end
  return { reply = is_output_item(item), calls = calls, results = {}, rest = { item } }
end

function responses.write(item, contents)
  return with(item, "output", contents[1])
end

-- Messages ---------------------------------------------------------------------

local MESSAGES_ROLES = { assistant = true, system = true, user = true }

local anthropic = { wanted = "a message of the Messages API" }

function anthropic.is_message(message)
  return MESSAGES_ROLES[field(message, "role")] ~= nil
end

function anthropic.read(message)
  local content, calls, results, rest = field(message, "content"), {}, {}, {}
  if type(content) ~= "table" then rest[1] = content end
  for _, block in ipairs(list(content)) do
    local kind = field(block, "type")
    if kind == "tool_result" then
      local is_error = field(block, "is_error") == true
      results[#results + 1] =
        { id = field(block, "tool_use_id"), content = field(block, "content"), is_error = is_error }
    else
      if kind == "tool_use" then
        calls[#calls + 1] = { id = field(block, "id"), name = field(block, "name"), input = field(block, "input") }
      end
      rest[#rest + 1] = block
    end
  end
  return { reply = field(message, "role") == "assistant", calls = calls, results = results, rest = rest }
end

function anthropic.write(message, contents)
  local blocks, k = like(field(message, "content")), 0
  for i, block in ipairs(list(blocks)) do
    if field(block, "type") == "tool_result" then
      k = k + 1
      if not rawequal(contents[k], field(block, "content")) then
        rawset(blocks, i, with(block, "content", contents[k]))
      end
    end
  end
  return with(message, "content", blocks)
end

-- a host's own -------------------------------------------------------------------

local OWN = { read = "function", write = "function" }

local function is_table(message)
  return type(message) == "table"
end

--- What a host's `read` gave, as a view.
local function own_view(seen)
  local calls, rest = list(field(seen, "calls")), { field(seen, "text") or "" }
  for _, call in ipairs(calls) do
    rest[#rest + 1] = { name = field(call, "name"), input = field(call, "input") }
  end
  local reply = field(seen, "reply") and true or false
  return { reply = reply, calls = calls, results = list(field(seen, "results")), rest = rest }
end

local function own_shape(who, format)
  local given = check.options(who .. ": format", format, OWN, 3)
  for _, key in ipairs { "read", "write" } do
    if not given[key] then check.fail(("%s: format.%s must be a function, got nil"):format(who, key), 2) end
  end
  local shape = { own = true, wanted = "a table", is_message = is_table, write = given.write, view = own_view }
  function shape.read(message)
    local seen = given.read(message)
    if type(seen) == "table" then return seen end
    error(("%s: format.read must return a table, got %s"):format(who, check.show(seen)), 0)
  end
  return shape
end

local SHAPES = { openai = openai, responses = responses, anthropic = anthropic }

--- The shape of a format's messages. Raises at the level of the public function's caller.
---@param who string the public function
---@param format any
---@return abridge.history.Shape
function M.of(who, format)
  if type(format) == "table" then return own_shape(who, format) end
  local shape = SHAPES[format]
  if shape then return shape end
  local wanted = '"openai", "responses", "anthropic" or { read =, write = }'
  check.fail(("%s: format must be %s, got %s"):format(who, wanted, check.show(format)), 1)
end

return M
