--- The messages of a conversation on their way through the fold. Of a conversation that goes on only new messages go
--- through: the fold is taken back to the last reply, and goes on from there.

local ends = require "abridge.session.ends"
local folds = require "abridge.history.fold"
local tools = require "abridge.history.tools"

local M = {}

---@class abridge.history.Walk
---@field opts table of `history.fit`
---@field setup table
---@field known abridge.history.Record[] of the messages before the last reply
---@field at? integer the message with which the last reply begins
---@field fold abridge.history.Fold

local walks = setmetatable({}, { __mode = "k" }) ---@type table<table, abridge.history.Walk> by the first message

local SAME = { "max_tokens", "trigger", "target", "keep", "clear_at_least", "inputs", "exchanges", "tools", "session" }

local function same_options(a, b)
  for _, key in ipairs(SAME) do
    if a[key] ~= b[key] then return false end
  end
  for name in pairs(a.exclude_tools) do
    if not b.exclude_tools[name] then return false end
  end
  for name in pairs(b.exclude_tools) do
    if not a.exclude_tools[name] then return false end
  end
  return true
end

--- Do these messages begin with those of a walk, under the same options?
local function goes_on(walk, known, opts, setup)
  if not walk or walk.setup ~= setup or not same_options(walk.opts, opts) then return false end
  for i = 1, walk.at - 1 do
    if walk.known[i] ~= known[i] then return false end
  end
  return known[walk.at] ~= nil and known[walk.at].reply
end

--- The place of the last reply; nil if there is none.
local function last_reply(known)
  for i = #known, 1, -1 do
    if known[i].reply and not (i > 1 and known[i - 1].reply) then return i end
  end
end

--- A function that adds a message to a fold.
local function adder(fold, opts)
  local function deed_of(made)
    return tools.deed(made, opts)
  end
  local function ending_of(call)
    return opts.session and call.nth and ends.find(opts.session, call.made.id, call.nth) or nil
  end
  return function(record)
    fold:add(record, deed_of, ending_of)
  end
end

local function begin_reply(fold)
  fold:step()
  fold:begin_reply()
end

--- Take messages through the fold.
---@param messages table[]
---@param known abridge.history.Record[] of all messages
---@param opts table of `history.fit`
---@param reader abridge.history.Reader
---@return abridge.history.Fold with all of them
function M.to_the_end(messages, known, opts, reader)
  local first, last = messages[1], last_reply(known)
  local walk = walks[first]
  walks[first] = nil -- a counter of the caller's may raise half-way
  if goes_on(walk, known, opts, reader.setup) then
    walk.fold:undo()
    walk.fold.reader, walk.fold.weigher = reader, reader.weigher
  else
    walk = { opts = opts, setup = reader.setup, known = {}, fold = folds.new(opts, reader) }
  end
  local fold = walk.fold
  fold.messages = messages
  local add = adder(fold, walk.opts)
  local in_reply = walk.at ~= nil
  for i = walk.at or 1, (last or 1) - 1 do
    walk.known[i] = known[i]
    if known[i].reply and not in_reply then begin_reply(fold) end
    in_reply = known[i].reply
    add(known[i])
  end
  if last and walk.at ~= last then begin_reply(fold) end
  walk.at = last
  fold:mark()
  for i = last or 1, #known do
    add(known[i])
  end
  fold:step()
  if last then walks[first] = walk end
  return fold
end

return M
