--- Conversations as agents have them, in the three formats and in a host's own shape, made at random: replies with
--- calls, results of all sizes, images, thinking, calls without a result.

local encode = require "abridge.base.encode"
local random = require "support.random"

local M = {}

M.formats = { "openai", "responses", "anthropic", "own" }

local TOOLS = { "read_file", "run_command", "search_files", "edit_file", "write_file", "look", "apply" }

--- A PNG of this size, as far as its header goes, in base64.
M.image = { data = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA", width = 640, height = 480 }

-- one message of each shape ---------------------------------------------------------

local SHAPES = {}
local marks, MOST_MARKS = 0, 4 -- blocks with cache_control

SHAPES.openai = {
  text = function(role, text)
    return { { role = role, content = text } }
  end,
  reply = function(text, calls)
    local made = {}
    for i, call in ipairs(calls) do
      local part = { name = call.name, arguments = encode.json(call.input) }
      made[i] = { id = call.id, type = "function", ["function"] = part }
    end
    local thought = "Let us see. " .. text
    if made[1] and random.chance(3) then text = random.chance(2) and "" or nil end
    return { { role = "assistant", content = text, tool_calls = made[1] and made or nil, reasoning = thought } }
  end,
  results = function(results)
    local messages = {}
    for i, result in ipairs(results) do
      messages[i] = { role = "tool", tool_call_id = result.id, content = result.text, extra = { kept = i } }
    end
    return messages
  end,
  contents = function(message)
    return message.role == "tool" and { message.content } or {}
  end,
}

SHAPES.responses = {
  text = function(role, text)
    return { { type = "message", role = role, content = { { type = "input_text", text = text } } } }
  end,
  reply = function(text, calls)
    local function id(kind)
      return kind .. "_" .. text
    end
    local items = { { type = "reasoning", id = id "rs", summary = {}, encrypted_content = ("secret"):rep(100) } }
    if #calls == 0 or random.chance(3) then
      local parts = { { type = "output_text", text = text, annotations = {} } }
      items[2] = { type = "message", id = id "msg", role = "assistant", status = "completed", content = parts }
    end
    for _, call in ipairs(calls) do
      local item = { id = "fc_" .. call.id, call_id = call.id, name = call.name }
      if call.name == "apply" then
        item.type, item.input = "custom_tool_call", call.input.patch
      else
        item.type, item.arguments = "function_call", encode.json(call.input)
      end
      items[#items + 1] = item
    end
    return items
  end,
  results = function(results)
    local items = {}
    for i, result in ipairs(results) do
      local output = result.text
      if result.image then
        local url = "data:image/png;base64," .. M.image.data
        output = { { type = "input_text", text = result.text }, { type = "input_image", image_url = url } }
      end
      local kind = result.name == "apply" and "custom_tool_call_output" or "function_call_output"
      items[i] = { type = kind, call_id = result.id, output = output }
    end
    return items
  end,
  contents = function(item)
    return item.output and { item.output } or {}
  end,
}

SHAPES.anthropic = {
  text = function(role, text)
    return { { role = role, content = text } }
  end,
  reply = function(text, calls)
    local blocks = { { type = "thinking", thinking = "Let us see. " .. text, signature = ("s"):rep(500) } }
    if #calls == 0 or not random.chance(3) then blocks[2] = { type = "text", text = text } end
    for _, call in ipairs(calls) do
      blocks[#blocks + 1] = { type = "tool_use", id = call.id, name = call.name, input = call.input }
    end
    if #blocks > 2 and random.chance(6) and marks < MOST_MARKS then
      marks = marks + 1
      blocks[#blocks].cache_control = { type = "ephemeral" }
    end
    return { { role = "assistant", content = blocks } }
  end,
  results = function(results)
    local blocks = {}
    for i, result in ipairs(results) do
      local content = result.text
      if result.image then
        local source = { type = "base64", media_type = "image/png", data = M.image.data }
        content = { { type = "text", text = result.text }, { type = "image", source = source } }
      end
      blocks[i] = { type = "tool_result", tool_use_id = result.id, content = content, is_error = result.failed or nil }
    end
    if #blocks > 0 and random.chance(3) then blocks[#blocks + 1] = { type = "text", text = "Go on." } end
    return { { role = "user", content = blocks } }
  end,
  contents = function(message)
    local contents = {}
    for _, block in ipairs(message.role == "user" and type(message.content) == "table" and message.content or {}) do
      if block.type == "tool_result" then contents[#contents + 1] = block.content end
    end
    return contents
  end,
}

SHAPES.own = {
  text = function(role, text)
    return { { from = role, says = text } }
  end,
  reply = function(text, calls)
    return { { from = "model", says = text, asks = calls } }
  end,
  results = function(results)
    return { { from = "tools", answers = results } }
  end,
  contents = function(message)
    local contents = {}
    for k, answer in ipairs(message.answers or {}) do
      contents[k] = answer.text
    end
    return contents
  end,
}

--- The `format` of a host's own shape.
M.own = {
  read = function(message)
    local results = {}
    for k, answer in ipairs(message.answers or {}) do
      results[k] = { id = answer.id, content = answer.text, is_error = answer.failed }
    end
    return { reply = message.from == "model", text = message.says, calls = message.asks, results = results }
  end,
  write = function(message, contents)
    local answers = {}
    for k, answer in ipairs(message.answers) do
      answers[k] = { id = answer.id, failed = answer.failed, text = contents[k] }
    end
    return { from = message.from, says = message.says, answers = answers }
  end,
  shorten = function(message, inputs)
    local asks = {}
    for k, call in ipairs(message.asks) do
      asks[k] = { id = call.id, name = call.name, input = inputs[k] or call.input }
    end
    return { from = message.from, says = message.says, asks = asks }
  end,
  merge = function(messages, text)
    local left = {}
    for _, message in ipairs(messages) do
      if message.from == "model" and message.says then left[#left + 1] = { from = "model", says = message.says } end
    end
    left[#left + 1] = { from = "user", says = text }
    return left
  end,
}

--- The contents of a message's results.
---@param format string
---@param message table
---@return any[]
function M.contents(format, message)
  return SHAPES[format].contents(message)
end

-- conversations -----------------------------------------------------------------------

local LINES = {
  "    local total = price * count -- of one line",
  "src/cart.c:%d:5: warning: unused variable 'total'",
  "2026-01-02 10:00:%02d INFO request %d done",
  "test_case_%d ... ok",
  "error: test %d failed: expected 3, got 4",
  '{"id": %d, "state": "ready"}',
  "Zeile %d: größer als 5 \240\159\152\128",
}

local function output(most)
  if random.chance(12) then return ("QUJDRA"):rep(random.between(1, math.floor(most / 6))) end
  if random.chance(15) then return random.bytes(random.between(1, 2000)) end
  local lines, line = {}, random.choose(LINES)
  for i = 1, random.chance(3) and random.between(1, 6) or random.between(1, math.floor(most / 40)) do
    if random.chance(20) then line = random.choose(LINES) end
    lines[i] = line:format(i, i)
  end
  return table.concat(lines, "\n")
end

local function input_of(name)
  local file = ("lib/cart%d.lua"):format(random.below(6))
  if name == "read_file" then return { path = file, offset = random.chance(3) and random.between(1, 300) or nil } end
  if name == "run_command" then
    return { command = random.choose { "make test", "git status", "ls -la\nlib" }, timeout = 5 }
  end
  if name == "search_files" then return { pattern = "total", path = file } end
  if name == "edit_file" then
    return { path = random.chance(4) and "./" .. file or file, old = "a", new = ("b"):rep(random.below(200)) }
  end
  if name == "write_file" then return { path = file, text = output(4000), mode = 0.5, more = { { "x" }, true } } end
  if name == "apply" then return { patch = output(1000) } end
  return {}
end

---@class conversation
---@field messages table[]
---@field places integer[] how many messages there are before each reply

--- A conversation with this many replies.
---@param format string
---@param replies integer
---@param most integer bytes of a result
---@return conversation
function M.new(format, replies, most)
  local shape, messages, places, calls = SHAPES[format], {}, {}, 0
  local function add(some)
    for _, message in ipairs(some) do
      messages[#messages + 1] = message
    end
  end
  marks = 0
  add(shape.text("user", "Mend the tests."))
  for i = 1, replies do
    places[i] = #messages
    local made, results = {}, {}
    for k = 1, random.chance(4) and random.between(2, 4) or random.chance(10) and 0 or 1 do
      calls = calls + 1
      local name = random.choose(TOOLS)
      made[k] = { id = ("call_%d"):format(calls), name = name, input = input_of(name) }
      results[k] = { id = made[k].id, name = name, text = output(most) }
      results[k].failed, results[k].image = random.chance(5), random.chance(8)
    end
    add(shape.reply("Step " .. i, made))
    if i == replies and random.chance(3) then break end -- not answered yet
    if #results > 0 then add(shape.results(results)) end
    if #results == 0 or random.chance(8) then add(shape.text("user", "Go on with step " .. i)) end
  end
  return { messages = messages, places = places }
end

--- A reply of OpenAI's format that calls tools, each given as { name, arguments }; their ids are id1, id2 and so on.
function M.reply(...)
  local calls = {}
  for i, call in ipairs { ... } do
    calls[i] = { id = "id" .. i, type = "function", ["function"] = { name = call[1], arguments = call[2] or "{}" } }
  end
  return { role = "assistant", tool_calls = calls }
end

return M
