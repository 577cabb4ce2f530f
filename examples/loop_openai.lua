-- ask_model(messages, tools) sends both to Chat Completions and returns choices[1].message and usage
local task, ask_model = ...
local abridge, history, openai = require "abridge", require "abridge.history", require "abridge.openai"
local session = abridge.session()
local tools = session:definitions "openai"
local fit = { format = "openai", max_tokens = 100000, session = session } -- the window, less tools and answer
local messages, last, other = { { role = "user", content = task } }, nil, nil

local function anew() -- nothing more may go: what the model says of this conversation begins another
  table.insert(last, { role = "user", content = "Sum up what was asked, done and found, and what is left to do." })
  return { { role = "user", content = task .. "\n\n" .. (ask_model(last, tools).content or "") } }
end

repeat
  local sent, report = history.fit(messages, fit) -- old content makes room for new
  if not report.fits then sent = anew() end
  local reply, usage = ask_model(sent, tools)
  fit.usage = other and usage and { tokens = usage.prompt_tokens, messages = #sent, other = other }
  other = other or usage and usage.prompt_tokens - abridge.estimate_tokens(task) -- the tools, mostly
  messages, last = { (table.unpack or unpack)(sent) }, sent
  table.insert(messages, reply)
  local results = openai.results(session, reply) -- one message a call, whatever fails
  for _, message in ipairs(results) do
    table.insert(messages, message)
  end
until #results == 0
session:close()
return messages
