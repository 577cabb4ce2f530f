--- What the APIs refuse, written from their documents: may these messages be sent? As the references of Chat
--- Completions, Responses and Messages have it in 2026, and the errors that they answer with.

local host = require "abridge.base.host"

local M = {}

local function must(condition, ...)
  if not condition then error(string.format(...), 0) end
end

local function is_object(json)
  local ok, value = pcall(host.json().decode, json)
  return ok and type(value) == "table" and json:find "^%s*{" ~= nil
end

local function is_said(text)
  return type(text) == "string" and text:find "%S" ~= nil
end

-- Chat Completions ---------------------------------------------------------------------------

local function check_chat_calls(message, i)
  local open, n = {}, 0
  must(type(message.tool_calls) == "table" and #message.tool_calls > 0, "[%d]: tool_calls is empty", i)
  for _, call in ipairs(message.tool_calls) do
    must(type(call.id) == "string" and not open[call.id], "[%d]: a call's id is missing or comes twice", i)
    if call.type == "custom" then
      must(type(call.custom.name) == "string" and type(call.custom.input) == "string", "[%d]: a custom call", i)
    else
      must(call.type == "function" and type(call["function"].name) == "string", "[%d]: a call without a name", i)
      must(is_object(call["function"].arguments), "[%d]: arguments are no JSON object", i)
    end
    open[call.id], n = true, n + 1
  end
  return open, n
end

--- Raises what Chat Completions would refuse. Calls of the last reply may wait.
function M.openai(messages)
  local open, waiting = {}, 0
  for i, message in ipairs(messages) do
    local role = message.role
    if role == "tool" then
      must(open[message.tool_call_id], "[%d]: a result without its call just before", i)
      must(type(message.content) == "string" or type(message.content) == "table", "[%d]: a result without content", i)
      open[message.tool_call_id], waiting = nil, waiting - 1
    else
      must(waiting == 0, "[%d]: calls before it have no result", i)
      must(role == "assistant" or role == "user" or role == "system" or role == "developer", "[%d]: role", i)
      open = {}
      if role == "assistant" and message.tool_calls ~= nil then
        open, waiting = check_chat_calls(message, i)
      else
        local content = message.content
        must(type(content) == "string" or type(content) == "table" and #content > 0, "[%d]: no content", i)
      end
    end
  end
end

-- Responses ------------------------------------------------------------------------------------

local PARTS = {
  assistant = { output_text = true, refusal = true },
  user = { input_text = true, input_image = true, input_file = true },
}
PARTS.system, PARTS.developer = PARTS.user, PARTS.user

local function check_item_message(item, i)
  must(item.type == nil or item.type == "message", "[%d]: type of a message", i)
  must(PARTS[item.role], "[%d]: role", i)
  must(item.content ~= nil and item.content ~= "", "[%d]: no content", i)
  for _, part in ipairs(type(item.content) == "table" and item.content or {}) do
    must(PARTS[item.role][part.type], "[%d]: a part %s of a message of role %s", i, tostring(part.type), item.role)
  end
end

--- Raises what Responses would refuse. `raw`: the items as the API gave them, so that it is known which came with a
--- reasoning item; such an item is refused without it, by its id.
function M.responses(items, raw)
  local calls, outputs, needs, ids, reasoning = {}, {}, {}, {}, nil
  for _, item in ipairs(raw or items) do
    if item.type == "reasoning" then
      reasoning = item.id
    elseif item.role == "assistant" or item.type == "function_call" or item.type == "custom_tool_call" then
      if item.id then needs[item.id] = reasoning end
    else
      reasoning = nil
    end
  end
  for i, item in ipairs(items) do
    local kind = item.type
    if item.id then ids[item.id] = true end
    must(not (item.id and needs[item.id]) or ids[needs[item.id]], "[%d]: an item without its reasoning", i)
    if kind == "function_call" or kind == "custom_tool_call" then
      must(type(item.call_id) == "string" and type(item.name) == "string", "[%d]: a call without id or name", i)
      must(not calls[item.call_id], "[%d]: a call's id comes twice", i)
      must(kind ~= "function_call" or is_object(item.arguments), "[%d]: arguments are no JSON object", i)
      calls[item.call_id] = kind
    elseif kind == "function_call_output" or kind == "custom_tool_call_output" then
      must(calls[item.call_id] and kind == calls[item.call_id] .. "_output", "[%d]: an output without its call", i)
      must(not outputs[item.call_id], "[%d]: an output comes twice", i)
      must(type(item.output) == "string" or type(item.output) == "table", "[%d]: no output", i)
      outputs[item.call_id] = true
    elseif kind == "reasoning" then
      local follows = items[i + 1]
      must(
        follows and (follows.role == "assistant" or follows.arguments or follows.input or follows.summary),
        "[%d]: reasoning without the item that follows it",
        i
      )
    else
      check_item_message(item, i)
    end
  end
  local last = 0
  for i, item in ipairs(items) do
    if item.role and item.role ~= "assistant" or item.output then last = i end
  end
  for i = 1, last do
    local id = items[i].call_id
    must(not id or outputs[id], "[%d]: a call without output", i)
  end
end

-- Messages ---------------------------------------------------------------------------------------

local BLOCKS = {
  assistant = { text = true, thinking = true, redacted_thinking = true, tool_use = true },
  user = { text = true, image = true, document = true, tool_result = true },
}

--- Turns as the API sees them: neighbours of one role are one turn.
local function turns_of(messages)
  local turns = {}
  for i, message in ipairs(messages) do
    must(BLOCKS[message.role], "[%d]: role", i)
    local content = message.content
    if type(content) == "string" then content = { { type = "text", text = content } } end
    must(type(content) == "table" and #content > 0, "[%d]: no content", i)
    local turn = turns[#turns]
    if not turn or turn.role ~= message.role then
      turn = { role = message.role }
      turns[#turns + 1] = turn
    end
    for _, block in ipairs(content) do
      must(BLOCKS[turn.role][block.type], "[%d]: a block %s of role %s", i, tostring(block.type), turn.role)
      must(block.type ~= "text" or is_said(block.text), "[%d]: a text block without text", i)
      turn[#turn + 1] = block
    end
  end
  return turns
end

local function check_results(turn, uses, i)
  local others = false
  for _, block in ipairs(turn) do
    if block.type == "tool_result" then
      must(uses[block.tool_use_id] == true, "turn %d: a result without its call just before, or twice", i)
      must(not others, "turn %d: results must come first", i)
      uses[block.tool_use_id] = "answered"
    else
      others = true
    end
  end
  for id, state in pairs(uses) do
    must(state == "answered", "turn %d: call %s has no result", i, id)
  end
end

--- Raises what the Messages API would refuse. Calls of the last reply may wait.
function M.anthropic(messages)
  local uses, seen, marks = {}, {}, 0
  must(#messages == 0 or messages[1].role == "user", "the first message must be the user's")
  for i, turn in ipairs(turns_of(messages)) do
    if turn.role == "user" then
      check_results(turn, uses, i)
      uses = {}
    end
    for k, block in ipairs(turn) do
      if block.cache_control then marks = marks + 1 end
      if block.type == "tool_use" then
        must(type(block.id) == "string" and not seen[block.id], "turn %d: a call's id is missing or comes twice", i)
        must(
          type(block.name) == "string" and type(block.input) == "table" and block.input[1] == nil,
          "turn %d: call",
          i
        )
        uses[block.id], seen[block.id] = true, true
      elseif block.type == "thinking" then
        must(type(block.signature) == "string" and block.signature ~= "", "turn %d: thinking without signature", i)
        must(turn[k + 1], "turn %d: ends in thinking", i)
      end
    end
  end
  must(marks <= 4, "%d blocks with cache_control", marks)
end

return M
