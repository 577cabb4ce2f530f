--- The line in place of exchanges that a conversation has no room for: the calls, and the places of their full outputs.

local sentences = require "abridge.output.sentences"
local stub = require "abridge.history.stub"
local tools = require "abridge.history.tools"

local M = {}

local MOST = 160 -- tokens of a line
local NAME_BYTES = 96 -- of a tool and its file

--- The calls that go, by their kind, the most frequent first and then in the order of the conversation.
local function groups_of(exchanges, opts)
  local redactor = opts.session and opts.session.redactor
  local groups, by_words, calls, dir = {}, {}, 0, nil
  for _, exchange in ipairs(exchanges) do
    for _, call in ipairs(exchange.calls) do
      local words = call.made.name and tools.group(call.deed, call.made.name) or "a tool"
      local group = by_words[words]
      if not group then
        local shown = stub.on_a_line(redactor and redactor:text(words) or words, NAME_BYTES)
        group = { words = shown, count = 0, first = #groups + 1 }
        groups[#groups + 1], by_words[words] = group, group
      end
      group.count, calls = group.count + 1, calls + 1
      local ending = call.answer and call.answer.ending
      dir = dir or ending and ending.path and ending.path:match "^(.+)/[^/]*$"
    end
  end
  table.sort(groups, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.first < b.first
  end)
  return groups, calls, dir
end

--- The line for some exchanges, within 160 tokens.
---@param exchanges abridge.history.Exchange[]
---@param weigher abridge.history.Weigher
---@param opts table of `history.fit`
---@return string
function M.of(exchanges, weigher, opts)
  local groups, calls, dir = groups_of(exchanges, opts)
  local named, others = {}, calls
  local line = sentences.calls_removed(calls, named, 0, dir)
  if dir and weigher:text(line) > MOST then
    dir = nil
    line = sentences.calls_removed(calls, named, 0, dir)
  end
  for _, group in ipairs(groups) do
    named[#named + 1] = ("%s (%d)"):format(group.words, group.count)
    others = others - group.count
    local longer = sentences.calls_removed(calls, named, others, dir)
    if weigher:text(longer) > MOST then break end
    line = longer
  end
  return line
end

return M
