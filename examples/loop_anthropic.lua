-- ask_model(messages, tools) sends both to the Messages API and returns { role = "assistant", content = ... }
local task, ask_model = ...
local history, anthropic = require "abridge.history", require "abridge.anthropic"
local session = require("abridge").session()
local fit = { format = "anthropic", max_tokens = 100000, session = session } -- the window, less tools and answer
local messages = { { role = "user", content = task } }
repeat
  messages = history.fit(messages, fit) -- old results make room for new ones
  local reply = ask_model(messages, session:definitions "anthropic")
  messages[#messages + 1] = reply
  local results = anthropic.results(session, reply) -- one message for all calls, whatever fails
  for _, message in ipairs(results) do
    messages[#messages + 1] = message
  end
until #results == 0
session:close()
return messages
