-- ask_model(messages, tools) sends both to the Messages API and returns { role = "assistant", content = ... }
local task, ask_model = ...
local anthropic, session = require "abridge.anthropic", require("abridge").session()
local messages = { { role = "user", content = task } }
repeat
  local reply = ask_model(messages, session:definitions "anthropic")
  messages[#messages + 1] = reply
  local results = anthropic.results(session, reply) -- one message for all calls, whatever fails
  for _, message in ipairs(results) do messages[#messages + 1] = message end
until #results == 0
session:close()
return messages
