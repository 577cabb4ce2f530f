--- Tool calls of Anthropic's Messages API, made on a session, and the message that answers them. Shapes as in the types
--- of anthropic-sdk-python (`ToolUseBlock`, `ToolResultBlockParam`).

local messages = require "abridge.session.messages"
local turn = require "abridge.session.turn"

local M = {}

local WANTED = "a response of the Messages API, or the assistant's message: what has content"

local field, list = messages.field, messages.list

--- The calls of a reply; nil if it isn't one. Messages of Chat Completions have their calls beside the content.
local function calls_of(reply)
  local role, content = field(reply, "role"), field(reply, "content")
  if type(role) ~= "string" then -- some put it together from a stream without
    if type(content) ~= "table" and type(content) ~= "string" then return nil end
  elseif role ~= "assistant" then
    return nil
  end
  if #list(field(reply, "tool_calls")) > 0 then return nil end
  local calls = {}
  for _, block in ipairs(list(content)) do
    if field(block, "type") == "tool_use" then
      calls[#calls + 1] = { entry = block, key = "id", name = field(block, "name"), input = field(block, "input") }
    end
  end
  return calls
end

local function text_block(text)
  return { type = "text", text = text }
end

local function image_block(image)
  return { type = "image", source = { type = "base64", media_type = image.mimeType, data = image.data } }
end

local shape = {}

--- The API refuses an error that has more than text, or none.
function shape.parts(result)
  local images, left_out = messages.images(result)
  if result.is_error then return {}, left_out + #images end
  return images, left_out
end

function shape.message(call, result, text, images)
  return {
    type = "tool_result",
    tool_use_id = call.id,
    content = messages.content(text, images, text_block, image_block),
    is_error = result.is_error == true or nil,
  }
end

--- All results of a reply go into one message, right after it.
function shape.gather(built)
  return { role = "user", content = built }
end

--- Make the calls of a reply and build the message to append after it: a list with one user message of exactly one
--- `tool_result` a call, in their order, even if some fail; an empty list when the reply calls no tool. A call without
--- an id, or with that of another, gets one, in the reply too. If a reply was streamed, `input` may be the joined
--- `partial_json` of its deltas, broken or not. The reply is read raw: no metatable is used. Raises on anything but a
--- reply. With `max_tokens` or `max_bytes` the texts of all results share that budget.
---@param session abridge.Session
---@param reply table the response, or the assistant's message: the table with `content`
---@param opts? abridge.TurnOptions
---@return table[]|abridge.Turn messages with `opts.on_done` a turn: `cancel()`, `wait(seconds)`, `messages`
function M.results(session, reply, opts)
  local calls = calls_of(reply)
  if not calls then messages.refuse("anthropic.results", WANTED, reply) end
  local built = turn.run("anthropic.results", session, calls, opts, shape)
  return built -- no tail call: the level of an error counts this function
end

return M
