--- The messages of each API as the fold sees them: which are a reply, the calls they make, the results they hold, and
--- the other parts that count. Shapes as in the types of openai-python 2.x and anthropic-sdk-python. Messages are read
--- raw: no metatable is asked.

local check = require "abridge.base.check"
local replies = require "abridge.session.messages"

local M = {}

local field, list = replies.field, replies.list

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
---@field person? boolean it has more than results, and is not the model's
---@field fixed? boolean a part of a reply that has to stay as it is, with its calls

---@class (exact) abridge.history.Shape
---@field wanted string what a message is, for errors
---@field is_message fun(message: table): boolean
---@field own? boolean it is a host's: `read` gives what the host's did, and `view` the view of that
---@field read fun(message: table): abridge.history.View
---@field view? fun(seen: table): abridge.history.View
---@field write fun(message: table, contents: any[]): table a copy with `contents[k]` as the k-th result
---@field shorten? fun(message: table, inputs: any[]): table a copy with `inputs[k]` as the k-th call's input
--- the messages in place of exchanges: the texts in them, and `text` as the user's, after the last of the model's
---@field merge? fun(messages: table[], text: string): table[]

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

--- Is there something to read in a text, or in a list of parts?
local function says_something(content)
  if type(content) == "string" then return content:find "%S" ~= nil end
  return type(content) == "table" and next(content) ~= nil
end

--- The messages that are left of exchanges, with the note after the last of the model's.
---@param messages table[]
---@param note table
---@param is_reply fun(message: table): boolean
---@param left_of fun(message: table, i: integer): table|nil
local function merged(messages, note, is_reply, left_of)
  local left, last = {}, 1
  for i, message in ipairs(messages) do
    if is_reply(message) then last = i end
  end
  for i, message in ipairs(messages) do
    left[#left + 1] = left_of(message, i)
    if i == last then left[#left + 1] = note end
  end
  return left
end

-- Chat Completions -------------------------------------------------------------

local CHAT_ROLES = { assistant = true, developer = true, ["function"] = true, system = true, tool = true, user = true }
local CHAT_GOES = { "tool_calls", "reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks" }

local openai = { wanted = "a message of Chat Completions" }

function openai.is_message(message)
  return CHAT_ROLES[field(message, "role")] ~= nil
end

--- A call, and the place of its input.
local function chat_call(entry)
  local place = field(entry, "type") == "custom" and "custom" or "function"
  local part = field(entry, place)
  return place, part, field(part, "arguments") ~= nil and "arguments" or "input"
end

function openai.read(message)
  local role = field(message, "role")
  if role == "tool" then
    local result = { id = field(message, "tool_call_id"), content = field(message, "content") }
    return { reply = false, calls = {}, results = { result }, rest = { field(message, "name") or "" } }
  end
  local calls = {}
  for _, entry in ipairs(list(field(message, "tool_calls"))) do
    local place, part, key = chat_call(entry)
    calls[#calls + 1] = {
      id = field(entry, "id"),
      name = field(part, "name"),
      input = field(part, key),
      custom = place == "custom",
    }
  end
  local reply = role == "assistant"
  return {
    reply = reply,
    calls = calls,
    results = {},
    rest = { message },
    person = not reply,
    fixed = type(field(message, "function_call")) == "table",
  }
end

function openai.write(message, contents)
  return with(message, "content", contents[1])
end

function openai.shorten(message, inputs)
  local calls = like(field(message, "tool_calls"))
  for k, entry in ipairs(list(calls)) do
    if inputs[k] ~= nil then
      local place, part, key = chat_call(entry)
      rawset(calls, k, with(entry, place, with(part, key, inputs[k])))
    end
  end
  return with(message, "tool_calls", calls)
end

local function is_assistant(message)
  return field(message, "role") == "assistant"
end

local function chat_left(message)
  local says = says_something(field(message, "content")) or says_something(field(message, "refusal"))
  if not (is_assistant(message) and says) then return nil end
  local left = message
  for _, key in ipairs(CHAT_GOES) do
    if field(left, key) ~= nil then left = with(left, key, nil) end
  end
  return left
end

function openai.merge(messages, text)
  return merged(messages, { role = "user", content = text }, is_assistant, chat_left)
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
    local key = kind == "custom_tool_call" and "input" or "arguments"
    calls[1] = {
      id = field(item, "call_id"),
      name = field(item, "name"),
      input = field(item, key),
      custom = kind == "custom_tool_call",
    }
  end
  local reply = is_output_item(item)
  local known = CALLS[kind] or kind == "reasoning" or type(field(item, "role")) == "string"
  return { reply = reply, calls = calls, results = {}, rest = { item }, person = not reply, fixed = not known }
end

function responses.write(item, contents)
  return with(item, "output", contents[1])
end

function responses.shorten(item, inputs)
  return with(item, "arguments", inputs[1])
end

function responses.merge(items, text)
  local note = { type = "message", role = "user", content = text }
  local reasoned = false -- in this reply
  return merged(items, note, is_output_item, function(item)
    if not is_output_item(item) then
      reasoned = false
      return nil
    end
    if field(item, "type") == "reasoning" then reasoned = true end
    if not is_assistant(item) or not says_something(field(item, "content")) then return nil end
    return reasoned and with(with(item, "id", nil), "status", nil) or item
  end)
end

-- Messages ---------------------------------------------------------------------

local MESSAGES_ROLES = { assistant = true, system = true, user = true }
local MESSAGES_THOUGHTS = { thinking = true, redacted_thinking = true }

local anthropic = { wanted = "a message of the Messages API" }

function anthropic.is_message(message)
  return MESSAGES_ROLES[field(message, "role")] ~= nil
end

function anthropic.read(message)
  local content, calls, results, rest = field(message, "content"), {}, {}, {}
  local reply, fixed = field(message, "role") == "assistant", false
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
      fixed = fixed or not (kind == "text" or kind == "tool_use" or MESSAGES_THOUGHTS[kind])
      rest[#rest + 1] = block
    end
  end
  local person = not reply and rest[1] ~= nil
  return { reply = reply, calls = calls, results = results, rest = rest, person = person, fixed = reply and fixed }
end

--- A copy of a message with other blocks of a kind: `change(block, k)` gives the k-th anew.
local function with_blocks(message, kind, change)
  local blocks, k = like(field(message, "content")), 0
  for i, block in ipairs(list(blocks)) do
    if field(block, "type") == kind then
      k = k + 1
      rawset(blocks, i, change(block, k))
    end
  end
  return with(message, "content", blocks)
end

function anthropic.write(message, contents)
  return with_blocks(message, "tool_result", function(block, k)
    return rawequal(contents[k], field(block, "content")) and block or with(block, "content", contents[k])
  end)
end

function anthropic.shorten(message, inputs)
  return with_blocks(message, "tool_use", function(block, k)
    return inputs[k] ~= nil and with(block, "input", inputs[k]) or block
  end)
end

--- The blocks that stay if a message's calls or results go.
local function messages_left(message)
  local content, left = field(message, "content"), {}
  if type(content) ~= "table" then return says_something(content) and message or nil end
  for _, block in ipairs(list(content)) do
    local kind = field(block, "type")
    local goes = kind == "tool_result" or kind == "tool_use" or MESSAGES_THOUGHTS[kind]
    if not goes and not (kind == "text" and not says_something(field(block, "text"))) then left[#left + 1] = block end
  end
  if #left == 0 then return nil end
  return #left == #content and message or with(message, "content", left)
end

function anthropic.merge(messages, text)
  return merged(messages, { role = "user", content = text }, is_assistant, messages_left)
end

-- a host's own -------------------------------------------------------------------

local OWN = { read = "function", write = "function", shorten = "function", merge = "function" }

local function is_table(message)
  return type(message) == "table"
end

--- The result of a host's `read`, as a view.
local function own_view(seen)
  local calls, results, text = list(field(seen, "calls")), list(field(seen, "results")), field(seen, "text")
  local rest = { text or "" }
  for _, call in ipairs(calls) do
    rest[#rest + 1] = { name = field(call, "name"), input = field(call, "input") }
  end
  local reply = field(seen, "reply") and true or false
  local person = not reply and (#results == 0 or says_something(text))
  return { reply = reply, calls = calls, results = results, rest = rest, person = person }
end

--- Check the result of a host's function.
local function a_table(who, key, value)
  if type(value) == "table" then return value end
  error(("%s: format.%s must return a table, got %s"):format(who, key, check.show(value)), 0)
end

local function own_shape(who, format)
  local given = check.options(who .. ": format", format, OWN, 3)
  for _, key in ipairs { "read", "write" } do
    if not given[key] then check.fail(("%s: format.%s must be a function, got nil"):format(who, key), 2) end
  end
  local shape = { own = true, wanted = "a table", is_message = is_table, view = own_view }
  for key, call in pairs(given) do
    shape[key] = function(...)
      return a_table(who, key, call(...))
    end
  end
  return shape
end

local SHAPES = { openai = openai, responses = responses, anthropic = anthropic }

--- The shape of a format's messages. Raises at the level of the public function's caller.
---@param who string the public function
---@param format any
---@return abridge.history.Shape
function M.of(who, format)
  local shape
  if type(format) == "table" then
    shape = own_shape(who, format)
  else
    shape = SHAPES[format]
  end
  if shape then return shape end -- no tail call: the level of an error counts this function
  local wanted = '"openai", "responses", "anthropic" or { read =, write = }'
  check.fail(("%s: format must be %s, got %s"):format(who, wanted, check.show(format)), 1)
end

return M
