--- What is known of a message: who made it, its calls and results, what it costs. Remembered by its table for as long
--- as that lives and everything in it is as it was.

local check = require "abridge.base.check"
local stub = require "abridge.history.stub"

local M = {}

---@class (exact) abridge.history.MadeCall A call of a reply.
---@field id any
---@field name? string
---@field input any decoded
---@field key string equal where the same is asked for
---@field reply? integer number of its reply; this and what follows are of one fit
---@field nth? integer among the calls with its id
---@field answered? boolean
---@field later? abridge.history.MadeCall the next call of its reply with the same id

---@class (exact) abridge.history.Result The result of a call.
---@field id any
---@field is_error boolean
---@field given any its content as the message has it
---@field whole abridge.history.Content the same, weighed
---@field known_stub? table the last stub made of it, and what it was made from
---@field cuts table<integer, table> its text within so many tokens
---@field content abridge.history.Content as it is now; this and what follows are of one fit
---@field call? abridge.history.MadeCall nil where no call is known
---@field at integer its place among all results
---@field ending? abridge.CallEnd what the session knows of it
---@field failed boolean
---@field excluded boolean
---@field stub? { text: string, tokens: integer }|false
---@field is_stub? boolean
---@field cut? string what is left of its text

---@class abridge.history.Record
---@field reply boolean it is the model's
---@field calls abridge.history.MadeCall[]
---@field results abridge.history.Result[]
---@field fixed integer tokens besides the results
---@field total integer tokens
---@field in_use? table what used it last: a walk, or the calls of its tail
---@field made? table the message as it was written last
---@field private setup table what its counts depend on
---@field private print any[] the message as it was

local records = setmetatable({}, { __mode = "k" }) ---@type table<table, abridge.history.Record>

-- is it as it was? -----------------------------------------------------------------------

local MOST_NESTED = 100

--- Everything in a value, in the order in which `next` goes; nil where it is nested too deep.
local function printed(value, print, depth)
  if depth > MOST_NESTED then return nil end
  for key, inner in next, value do
    local is_table = type(inner) == "table"
    print[#print + 1] = key
    print[#print + 1] = is_table and printed or inner
    if is_table and not printed(inner, print, depth + 1) then return nil end
  end
  print[#print + 1] = printed -- the end of a table, which no message has
  return print
end

--- Is a value as it was printed? The place after it, or nil.
local function unchanged(value, print, at)
  for key, inner in next, value do
    if print[at] ~= key then return nil end
    if type(inner) == "table" then
      at = print[at + 1] == printed and unchanged(inner, print, at + 2)
      if not at then return nil end
    else
      if print[at + 1] ~= inner then return nil end
      at = at + 2
    end
  end
  return print[at] == printed and at + 1 or nil
end

-- what counts depend on --------------------------------------------------------------------

local SETUP = { "format", "count_tokens", "token_safety", "image_tokens", "session" }
local last_setup = setmetatable({}, { __mode = "v" })

--- What the counts of these options depend on: the same table for the same options.
---@param opts table of `history.fit`
---@return table
function M.setup(opts)
  local last, same = last_setup[1], true
  for _, key in ipairs(SETUP) do
    same = same and last ~= nil and rawequal(last[key], opts[key])
  end
  if same then return last end
  local setup = {}
  for _, key in ipairs(SETUP) do
    setup[key] = opts[key]
  end
  last_setup[1] = setup
  return setup
end

-- records ----------------------------------------------------------------------------------

--- The id of a call; nil for what is none, such as a null.
local function id_of(value)
  local is_id = type(value) == "string" or type(value) == "number" and value == value
  return is_id and value or nil
end

local function made_call(call)
  local name, input = rawget(call, "name"), stub.decoded(rawget(call, "input"))
  name = type(name) == "string" and name or nil
  return { id = id_of(rawget(call, "id")), name = name, input = input, key = stub.key(name or "", input) }
end

local function given_result(result, weigher)
  local content = rawget(result, "content")
  local is_error = rawget(result, "is_error") == true
  local whole = weigher:content(content)
  return { id = id_of(rawget(result, "id")), is_error = is_error, given = content, whole = whole, cuts = {} }
end

--- The tables in a list that a host's `read` gave.
local function tables_in(values)
  local all = {}
  for _, value in ipairs(values) do
    all[#all + 1] = type(value) == "table" and value or nil
  end
  return all
end

--- Read a message and weigh it.
local function new_record(view, print, setup, weigher)
  local record = { setup = setup, print = print, reply = view.reply, calls = {}, results = {}, fixed = 0 }
  for _, value in ipairs(view.rest) do
    record.fixed = record.fixed + weigher:value(value)
  end
  record.total = record.fixed
  for i, call in ipairs(tables_in(view.calls)) do
    record.calls[i] = made_call(call)
  end
  for i, result in ipairs(view.results) do
    record.results[i] = given_result(type(result) == "table" and result or {}, weigher)
    record.total = record.total + record.results[i].whole.tokens
  end
  return record
end

---@class abridge.history.Reader
---@field who string the public function
---@field shape abridge.history.Shape
---@field setup table
---@field weigher abridge.history.Weigher

--- The record of a message. Raises where it is none, `deeper` levels further out than the caller's caller.
---@param reader abridge.history.Reader
---@param message table
---@param index integer
---@param deeper integer
---@return abridge.history.Record
function M.of(reader, message, index, deeper)
  local record, shape = records[message], reader.shape
  if record and record.setup ~= reader.setup then record = nil end
  local seen = shape.own and shape.read(message) or message
  if record and unchanged(seen, record.print, 1) then return record end
  if not shape.is_message(message) then
    local role = check.show(rawget(message, "role"))
    local said = "%s: messages[%d] must be %s, got one with the role %s"
    check.fail(said:format(reader.who, index, shape.wanted, role), deeper)
  end
  local print = printed(seen, {}, 1)
  if not print then check.fail(("%s: messages[%d] is nested too deep"):format(reader.who, index), deeper) end
  record = new_record(shape.own and shape.view(seen) or shape.read(message), print, reader.setup, reader.weigher)
  records[message] = record
  return record
end

--- Another record of the same message, which is in a conversation twice.
---@param record abridge.history.Record
---@return abridge.history.Record
function M.copied(record)
  local copy = check.copied(record)
  copy.calls, copy.results = {}, {}
  for i, call in ipairs(record.calls) do
    copy.calls[i] = check.copied(call)
  end
  for i, result in ipairs(record.results) do
    copy.results[i] = check.copied(result)
  end
  return copy
end

-- messages that changed ----------------------------------------------------------------------

--- A copy of a message with other contents of its results: the one made before, if it is as it was.
---@param reader abridge.history.Reader
---@param record abridge.history.Record of the message
---@param message table
---@param contents any[] that of the copy made before, where they are the same
---@return table
function M.written(reader, record, message, contents)
  local made, shape = record.made, reader.shape
  if made and made.contents == contents then
    local known = records[made.copy]
    if known and known.setup == reader.setup and unchanged(made.copy, known.print, 1) then return made.copy end
  end
  local copy = shape.write(message, contents)
  if type(copy) ~= "table" then
    error(("%s: format.write must return a table, got %s"):format(reader.who, check.show(copy)), 0)
  end
  if not shape.own then
    M.of(reader, copy, 0, 0) -- a host that gives it back need not wait for it
    record.made = { contents = contents, copy = copy }
  end
  return copy
end

return M
