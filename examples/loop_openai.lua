-- ask_model(messages, tools) sends both to Chat Completions and returns choices[1].message
local task, ask_model = ...
local openai, session = require "abridge.openai", require("abridge").session()
local messages = { { role = "user", content = task } }
repeat
  local reply = ask_model(messages, session:definitions "openai")
  messages[#messages + 1] = reply
  local results = openai.results(session, reply) -- one message a call, whatever fails
  for _, message in ipairs(results) do messages[#messages + 1] = message end
until #results == 0
session:close()
return messages
