--- Tool calls of OpenAI's APIs, made on a session, and the messages that answer them. Shapes as in the types of
--- openai-python 2.x: Chat Completions (`ChatCompletionMessageToolCall`, `ChatCompletionToolMessageParam`) and
--- Responses (`ResponseFunctionToolCall`, `FunctionCallOutput`).

local check = require "abridge.check"
local turn = require "abridge.turn"

local M = {}

local function table_or_empty(value)
  return type(value) == "table" and value or {}
end

--- A custom tool's input is free text; a session's tool gets it as its field `input`.
local function custom_input(text)
  return { input = type(text) == "string" and text or nil }
end

-- Chat Completions -----------------------------------------------------------

local function chat_calls(message)
  local calls = {}
  for _, entry in ipairs(check.list(table_or_empty(message.tool_calls))) do
    if type(entry) == "table" then
      local custom = entry.type == "custom"
      local part = table_or_empty(custom and entry.custom or entry["function"])
      local input = custom and custom_input(part.input) or part.arguments
      calls[#calls + 1] = { entry = entry, key = "id", name = part.name, input = input }
    end
  end
  return calls
end

--- Tool messages are text alone.
local function chat_message(session, call, result)
  local text = turn.text(session, result, result.blocks and #result.blocks)
  return { role = "tool", tool_call_id = call.id, content = text }
end

-- Responses ------------------------------------------------------------------

local OUTPUTS = { function_call = "function_call_output", custom_tool_call = "custom_tool_call_output" }

local function response_calls(response)
  local calls = {}
  for _, entry in ipairs(check.list(response.output)) do
    if type(entry) == "table" and OUTPUTS[entry.type] then
      local input = entry.arguments
      if entry.type == "custom_tool_call" then input = custom_input(entry.input) end
      calls[#calls + 1] = { entry = entry, key = "call_id", name = entry.name, input = input }
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

local function response_item(session, call, result)
  local images, left_out = turn.images(result)
  local output = turn.content(session, result, images, left_out, text_part, image_part)
  return { type = OUTPUTS[call.entry.type], call_id = call.id, output = output }
end

--- The tools of a session as the Responses API takes them; Chat Completions takes `session:definitions "openai"`.
---@param session abridge.Session
---@return table[]
function M.response_tools(session)
  local tools = {}
  for i, definition in ipairs(session:definitions "openai") do
    tools[i] = definition["function"]
    tools[i].type, tools[i].strict = "function", false -- strict schemas have no optional field
  end
  return tools
end

--- Make the calls of a reply and build the messages to append behind it: exactly one a call, in their order, whatever
--- fails; none when the reply calls no tool. A call without an id, or with that of another, gets one, in the reply too.
---@param session abridge.Session
---@param reply table the assistant's message (`choices[1].message`), or a response of the Responses API
---@param opts? abridge.TurnOptions
---@return table[]|abridge.Turn messages with `opts.on_done` a turn: `cancel()`, `wait(seconds)`, `messages`
function M.results(session, reply, opts)
  reply = table_or_empty(reply)
  local responses = type(reply.output) == "table"
  local calls = responses and response_calls(reply) or chat_calls(reply)
  local built = turn.run("openai.results", session, calls, opts, responses and response_item or chat_message)
  return built -- no tail call: the level of an error counts this function
end

return M
