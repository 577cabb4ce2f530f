-- ask_model(messages, tools) sends both to Chat Completions and returns choices[1].message
local task, ask_model = ...
local history, openai = require "abridge.history", require "abridge.openai"
local session = require("abridge").session()
local fit = { format = "openai", max_tokens = 100000, session = session } -- the window, less tools and answer
local messages = { { role = "user", content = task } }
repeat
  messages = history.fit(messages, fit) -- old results make room for new ones
  local reply = ask_model(messages, session:definitions "openai")
  messages[#messages + 1] = reply
  local results = openai.results(session, reply) -- one message a call, whatever fails
  for _, message in ipairs(results) do
    messages[#messages + 1] = message
  end
until #results == 0
session:close()
return messages
