--- Tool calls of Anthropic's Messages API, made on a session, and the message that answers them. Shapes as in the types
--- of anthropic-sdk-python (`ToolUseBlock`, `ToolResultBlockParam`).

local check = require "abridge.check"
local turn = require "abridge.turn"

local M = {}

local function calls_of(reply)
  local calls = {}
  for _, block in ipairs(check.list(type(reply.content) == "table" and reply.content or {})) do
    if type(block) == "table" and block.type == "tool_use" then
      calls[#calls + 1] = { entry = block, key = "id", name = block.name, input = block.input }
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

--- The API refuses an error that has more than text, or none.
local function tool_result(session, call, result)
  local images, left_out = turn.images(result)
  if result.is_error then
    images, left_out = {}, left_out + #images
  end
  return {
    type = "tool_result",
    tool_use_id = call.id,
    content = turn.content(session, result, images, left_out, text_block, image_block),
    is_error = result.is_error == true or nil,
  }
end

--- All results of a reply stand in the one message right behind it.
local function user_message(built)
  return { role = "user", content = built }
end

--- Make the calls of a reply and build the message to append behind it: a list with one user message that has exactly
--- one `tool_result` a call, in their order, whatever fails; an empty list when the reply calls no tool. A call without
--- an id, or with that of another, gets one, in the reply too. Where a reply was streamed, `input` may be the joined
--- `partial_json` of its deltas, broken or not.
---@param session abridge.Session
---@param reply table the response, or the assistant's message: what has `content`
---@param opts? abridge.TurnOptions
---@return table[]|abridge.Turn messages with `opts.on_done` a turn: `cancel()`, `wait(seconds)`, `messages`
function M.results(session, reply, opts)
  local calls = calls_of(type(reply) == "table" and reply or {})
  local built = turn.run("anthropic.results", session, calls, opts, tool_result, user_message)
  return built -- no tail call: the level of an error counts this function
end

return M
