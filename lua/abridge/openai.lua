--- Tool calls of OpenAI's APIs, made on a session, and the messages that answer them. Shapes as in the types of
--- openai-python 2.x: Chat Completions (`ChatCompletionMessageToolCall`, `ChatCompletionToolMessageParam`) and
--- Responses (`ResponseFunctionToolCall`, `FunctionCallOutput`).

local messages = require "abridge.session.messages"
local turn = require "abridge.session.turn"

local M = {}

local WANTED = "a response of Chat Completions or of Responses, or the assistant's message (choices[1].message)"

local field, list = messages.field, messages.list

--- A custom tool's input is free text; a session's tool gets it as its field `input`.
local function custom_input(text)
  return { input = type(text) == "string" and text or nil }
end

-- Chat Completions -----------------------------------------------------------

--- The messages of other APIs have a role too. A response of Messages and an item of Responses also have a type, and
--- Messages has its calls in the content.
local function is_message(value)
  local role, content = field(value, "role"), field(value, "content")
  if field(value, "type") == "message" then return false end
  for _, part in ipairs(list(content)) do
    if field(part, "type") == "tool_use" then return false end
  end
  if type(role) == "string" then return role == "assistant" end
  return type(field(value, "tool_calls")) == "table" or type(content) == "string"
end

local function chat_calls(message)
  if not is_message(message) then return nil end
  local calls = {}
  for _, entry in ipairs(list(field(message, "tool_calls"))) do
    if type(entry) == "table" then
      local custom = field(entry, "type") == "custom"
      local part = field(entry, custom and "custom" or "function")
      local input = field(part, "arguments")
      if custom then input = custom_input(field(part, "input")) end
      calls[#calls + 1] = { entry = entry, key = "id", name = field(part, "name"), input = input }
    end
  end
  return calls
end

local chat = {}

--- Tool messages can only be text.
function chat.parts(result)
  return {}, result.blocks and #result.blocks or 0
end

function chat.message(call, _, text)
  return { role = "tool", tool_call_id = call.id, content = text }
end

-- Responses ------------------------------------------------------------------

local OUTPUTS = { function_call = "function_call_output", custom_tool_call = "custom_tool_call_output" }

local function response_calls(output)
  local calls = {}
  for _, entry in ipairs(list(output)) do
    local kind = field(entry, "type")
    if kind == "function_call" or kind == "custom_tool_call" then
      local input = field(entry, "arguments")
      if kind == "custom_tool_call" then input = custom_input(field(entry, "input")) end
      calls[#calls + 1] = { entry = entry, key = "call_id", kind = kind, name = field(entry, "name"), input = input }
    end
  end
  return calls
end

local function text_part(text)
  return { type = "input_text", text = text }
end

local function image_part(image)
  return {
    type = "input_image",
    detail = "auto",
    image_url = ("data:%s;base64,%s"):format(image.mimeType, image.data),
  }
end

local responses = { parts = messages.images }

function responses.message(call, _, text, images)
  local output = messages.content(text, images, text_part, image_part)
  return { type = OUTPUTS[call.kind], call_id = call.id, output = output }
end

--- The calls of a reply, and how its messages are built; nil if it isn't a reply.
local function calls_of(reply)
  local choices, output = field(reply, "choices"), field(reply, "output")
  if type(choices) == "table" then return chat_calls(field(rawget(choices, 1), "message")), chat end
  if type(output) == "table" then return response_calls(output), responses end
  return chat_calls(reply), chat
end

--- Make the calls of a reply and build the messages to append after it: exactly one a call, in their order, even if
--- some fail; none when the reply calls no tool. A call without an id, or with that of another, gets one, in the reply
--- too. The reply is read raw: no metatable is used. Raises on anything but a reply. With `max_tokens` or `max_bytes`
--- the texts of all messages share that budget.
---@param session abridge.Session
---@param reply table a response of Chat Completions (its first choice counts) or of the Responses API, or the
---  assistant's message
---@param opts? abridge.TurnOptions
---@return table[]|abridge.Turn messages with `opts.on_done` a turn: `cancel()`, `wait(seconds)`, `messages`
function M.results(session, reply, opts)
  local calls, shape = calls_of(reply)
  if not calls then messages.refuse("openai.results", WANTED, reply) end
  local built = turn.run("openai.results", session, calls, opts, shape)
  return built -- no tail call: the level of an error counts this function
end

return M
