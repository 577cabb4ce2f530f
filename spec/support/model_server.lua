--- A scripted model, also over HTTP: it speaks Chat Completions and the Messages API, checks each request
--- as those check it, and takes what it says next from a script that reads the tool results it was sent.

local abridge = require "abridge"
local host = require "abridge.base.host"
local web_server = require "support.web_server"

local M = {}

-- the two APIs ---------------------------------------------------------------------

--- What a request must be; a message for the client when it is not.
local function demand(fact, message, ...)
  if not fact then error({ refused = message:format(...) }, 0) end
end

local function check_result(id, content)
  demand(type(content) == "string", "the content of %s must be a string", id)
  demand(content ~= "", "the content of %s must not be empty", id)
  local _, invalid = abridge.count_chars(content)
  demand(invalid == 0, "the content of %s is not UTF-8", id)
end

local function demand_answered(expected)
  demand(not next(expected), "a call without a result right after it: %s", tostring((next(expected))))
end

-- `results(request)` goes through all messages, where each call must have one result right after it, and gives those
-- of the last turn by id.

local CHAT = { path = "/v1/chat/completions" }

function CHAT.results(request)
  local expected, results = {}, {}
  for _, message in ipairs(request.messages) do
    if message.role == "tool" then
      local id = message.tool_call_id
      demand(expected[id], "a tool message that answers no preceding call: %s", tostring(id))
      check_result(id, message.content)
      expected[id], results[id] = nil, { content = message.content }
    else
      demand_answered(expected)
      expected, results = {}, {}
      for _, call in ipairs(message.role == "assistant" and message.tool_calls or {}) do
        demand(type(call.id) == "string" and not expected[call.id], "each of 'tool_calls' must have an id of its own")
        expected[call.id] = true
      end
    end
  end
  demand_answered(expected)
  return results
end

function CHAT.check(request)
  demand(request.tools[1].type == "function" and request.tools[1]["function"].parameters, "tools are missing")
end

function CHAT.response(text, calls)
  local tool_calls = {}
  for i, call in ipairs(calls) do
    local arguments = call.json or host.json().encode(call.input)
    tool_calls[i] = { id = call.id, type = "function", ["function"] = { name = call.name, arguments = arguments } }
  end
  local called = #calls > 0
  local message = { role = "assistant", content = text or host.json().null, tool_calls = called and tool_calls or nil }
  return { choices = { { index = 0, message = message, finish_reason = called and "tool_calls" or "stop" } } }
end

local MESSAGES = { path = "/v1/messages" }

--- The turns of a request: neighbours of one role are one, as the API reads them.
local function turns_of(messages)
  local turns = {}
  for i, message in ipairs(messages) do
    local role, turn = message.role, turns[#turns]
    demand(role == "user" or role == "assistant" and i > 1, "message %d: role", i)
    if not turn or turn.role ~= role then
      turn = { role = role }
      turns[#turns + 1] = turn
    end
    local content = message.content
    for _, block in ipairs(type(content) == "table" and content or { { type = "text", text = content } }) do
      turn[#turn + 1] = block
    end
  end
  return turns
end

function MESSAGES.results(request)
  local expected, results = {}, {}
  for i, turn in ipairs(turns_of(request.messages)) do
    if turn.role == "user" then
      results = {}
      for _, block in ipairs(turn) do
        local id = block.tool_use_id
        local behind = block.type == "text" and not next(expected)
        demand(behind or block.type == "tool_result" and expected[id], "unexpected block in turn %d", i)
        if not behind then
          check_result(id, block.content)
          expected[id], results[id] = nil, block
        end
      end
      demand_answered(expected)
    else
      for _, block in ipairs(turn) do
        if block.type == "tool_use" then
          demand(type(block.id) == "string" and not expected[block.id], "`tool_use` ids must be unique")
          expected[block.id] = true
        end
      end
    end
  end
  demand_answered(expected)
  return results
end

function MESSAGES.check(request)
  demand(request.max_tokens, "max_tokens: Field required")
  demand(request.tools[1].input_schema, "tools are missing")
end

function MESSAGES.response(text, calls)
  local content = { text and { type = "text", text = text } or nil }
  for _, call in ipairs(calls) do
    -- what a client has joined of a stream's fragments
    content[#content + 1] = { type = "tool_use", id = call.id, name = call.name, input = call.json or call.input }
  end
  return { role = "assistant", content = content, stop_reason = #calls > 0 and "tool_use" or "end_turn" }
end

-- the model ---------------------------------------------------------------------------

local function api_of(target)
  for _, api in ipairs { CHAT, MESSAGES } do
    if api.path == target then return api end
  end
end

--- The results of what was said last, in the order of the calls. For a call without an id the client has made one up.
local function in_order(said, results)
  local ordered, made_up = {}, {}
  for id in pairs(results) do
    made_up[id] = true
  end
  for _, call in ipairs(said) do
    if call.id then made_up[call.id] = nil end
  end
  for i, call in ipairs(said) do
    local id = call.id or next(made_up)
    demand(id and results[id], "no result for %s", tostring(id))
    ordered[i], made_up[id] = results[id], nil
  end
  return ordered
end

--- What the script says to a request.
local function answer(model, api, request)
  local results = api.results(request)
  api.check(request)
  local ordered = in_order(model.said, results)
  local ok, said = coroutine.resume(model.script, (table.unpack or unpack)(ordered))
  if not ok then error(said, 0) end
  local text = type(said) == "string" and said or nil
  model.said = text and {} or said
  for i, call in ipairs(model.said) do
    call.id = not call.nameless and ("call_%d_%d"):format(#model.requests, i) or nil
  end
  return api.response(text, model.said)
end

--- A model. Its script is a function that calls tools by `coroutine.yield { { name =, input = or json = } }`, gets back
--- their results as `{ content =, is_error = }`, and returns what it says in the end. A call that is `nameless` has no
--- id; `json` goes out as it is, broken or not.
---@param script fun()
---@return table
function M.model(script)
  return { requests = {}, said = {}, script = coroutine.create(script) }
end

--- What a model says to a request that came to the path of an API. Raises `{ refused = }` where the API would refuse.
function M.ask(model, path, request)
  local api = api_of(path)
  model.requests[#model.requests + 1] = { request = request }
  return answer(model, api, request)
end

-- the server ---------------------------------------------------------------------------

--- Start a model that answers over HTTP.
---@param script fun() as M.model takes it
---@return table model `requests`: of each its size in `bytes` and `tokens`, and its `headers`; `failed`: what the
---  script raised; `url(path)`, `close()`
function M.new(script)
  local model = M.model(script)
  local server = web_server.new(function(connection, request)
    local function respond(status, value)
      connection:respond(status, { "Content-Type: application/json" }, host.json().encode(value))
    end
    if request.method ~= "POST" or not api_of(request.target) then
      return respond("404 Not Found", { error = "no such API" })
    end
    local ok, value = pcall(function()
      return M.ask(model, request.target, host.json().decode(request.body))
    end)
    local noted = model.requests[#model.requests]
    noted.bytes, noted.tokens = #request.body, abridge.estimate_tokens(request.body)
    noted.headers = request.headers
    if ok then return respond("200 OK", value) end
    if type(value) == "table" then return respond("400 Bad Request", { error = { message = value.refused } }) end
    model.failed = model.failed or value
    respond("500 Internal Server Error", { error = { message = tostring(value) } })
  end)
  function model.url(path)
    return server:url(path)
  end
  function model.close()
    server:close()
  end
  return model
end

return M
