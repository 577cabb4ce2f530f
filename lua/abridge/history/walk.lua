--- The messages of a conversation on their way through the fold. Of a conversation that goes on only what is new goes
--- through: the state before the last reply is kept, and what follows that reply is taken through a fork of it.

local calls = require "abridge.history.calls"
local folds = require "abridge.history.fold"
local records = require "abridge.history.records"
local ends = require "abridge.session.ends"

local M = {}

---@class abridge.history.Walk The state before the last reply.
---@field opts table of `history.fit`
---@field setup table
---@field known abridge.history.Record[] of the messages, as they were read
---@field records abridge.history.Record[] as they were used: another one for a message that came before
---@field at? integer the message with which the last reply begins
---@field fold abridge.history.Fold
---@field calls abridge.history.Calls
---@field tail? abridge.history.Calls the fork that the last call went on with

local walks = setmetatable({}, { __mode = "k" }) ---@type table<table, abridge.history.Walk> by the first message

local SAME = { "max_tokens", "trigger", "target", "keep", "clear_at_least" }

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

--- Do these messages begin with those of a walk, under the same options, and has nobody used their records since?
local function goes_on(walk, known, opts, setup)
  if not walk or walk.setup ~= setup or not same_options(walk.opts, opts) then return false end
  for i = 1, walk.at - 1 do
    if walk.known[i] ~= known[i] or walk.records[i].in_use ~= walk then return false end
  end
  return known[walk.at] ~= nil and known[walk.at].reply
end

--- Where the last reply begins; nil where there is none.
local function last_reply(known)
  for i = #known, 1, -1 do
    if known[i].reply and not (i > 1 and known[i - 1].reply) then return i end
  end
end

--- Make a result ready for the fold, with what is known of its call.
local function prepared(result, made_calls, opts)
  local call = made_calls:take(result.id)
  local ending = opts.session and call and call.nth and ends.find(opts.session, result.id, call.nth) or nil
  result.call, result.ending, result.content = call, ending, result.whole
  result.failed = result.is_error or ending ~= nil and ending.failed
  result.excluded = call ~= nil and call.name ~= nil and opts.exclude_tools[call.name] or false
  result.stub, result.is_stub, result.cut = nil, nil, nil
  return result
end

--- Add what a message has.
local function add(record, fold, made_calls, opts)
  fold.total = fold.total + record.fixed
  for k = 1, #record.calls do
    made_calls:add(record.calls[k])
  end
  for k = 1, #record.results do
    fold:add(prepared(record.results[k], made_calls, opts))
  end
end

--- The record to use at a place: another one where the message came before.
local function used(record, walk, user)
  if record.in_use == walk or record.in_use == user then record = records.copied(record) end
  record.in_use = user
  return record
end

local function begin_reply(walk)
  walk.fold:step()
  walk.fold:begin_reply()
  walk.calls:begin_reply()
end

--- Take the messages up to the last reply through the fold.
local function to_last_reply(walk, known, last)
  local in_reply = walk.at ~= nil
  for i = walk.at or 1, last - 1 do
    local record = used(known[i], walk, walk)
    walk.known[i], walk.records[i] = known[i], record
    if record.reply and not in_reply then begin_reply(walk) end
    in_reply = record.reply
    add(record, walk.fold, walk.calls, walk.opts)
  end
  if walk.at ~= last then begin_reply(walk) end
  walk.at = last
end

--- Take messages through the fold.
---@param first table the first message, by which a conversation that goes on is known
---@param known abridge.history.Record[] of all messages
---@param opts table of `history.fit`
---@param reader abridge.history.Reader
---@return integer total tokens
---@return abridge.history.Record[] all as they were used
---@return table<abridge.history.Result, abridge.history.Result> forks what became of results before the last reply
function M.to_the_end(first, known, opts, reader)
  local last, walk = last_reply(known), walks[first]
  walks[first] = nil -- a counter of the caller's may raise half-way
  if not goes_on(walk, known, opts, reader.setup) then
    walk = { opts = opts, setup = reader.setup, known = {}, records = {} }
    walk.fold, walk.calls = folds.new(opts, reader.weigher), calls.new()
  else
    walk.tail:take_back()
  end
  if last then to_last_reply(walk, known, last) end
  local fold, forks = walk.fold:fork()
  local tail, all = walk.calls:fork(), {}
  walk.tail = tail
  for i = 1, (last or 1) - 1 do
    all[i] = walk.records[i]
  end
  for i = last or 1, #known do
    all[i] = used(known[i], walk, tail)
    add(all[i], fold, tail, opts)
  end
  fold:step()
  if last then walks[first] = walk end
  return fold.total, all, forks
end

return M
