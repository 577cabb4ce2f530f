-- ask_model(messages, tools) sends both to the Messages API and returns { role = "assistant", content = ... } and usage
local task, ask_model = ...
local abridge, history, anthropic = require "abridge", require "abridge.history", require "abridge.anthropic"
local session = abridge.session()
local tools = session:definitions "anthropic"
local fit = { format = "anthropic", max_tokens = 100000, session = session } -- the window, less tools and answer
local messages, last, other = { { role = "user", content = task } }, nil, nil

local function anew() -- nothing more may go: what the model says of this conversation begins another
  table.insert(last, { role = "user", content = "Sum up what was asked, done and found, and what is left to do." })
  local said = { task }
  for _, block in ipairs(ask_model(last, tools).content) do
    said[#said + 1] = block.type == "text" and block.text or nil
  end
  return { { role = "user", content = table.concat(said, "\n\n") } }
end

repeat
  local sent, report = history.fit(messages, fit) -- old content makes room for new
  if not report.fits then sent = anew() end
  local reply, usage = ask_model(sent, tools)
  if usage then
    local cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    local tokens = usage.input_tokens + cached
    fit.usage = other and { tokens = tokens, messages = #sent, other = other }
    other = other or tokens - abridge.estimate_tokens(task) -- the tools, mostly
  end
  messages, last = { (table.unpack or unpack)(sent) }, sent
  table.insert(messages, reply)
  local results = anthropic.results(session, reply) -- one message for all calls, whatever fails
  for _, message in ipairs(results) do
    table.insert(messages, message)
  end
until #results == 0
session:close()
return messages
