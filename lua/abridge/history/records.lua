--- The facts known of a message: its author, its calls and results, its cost. Remembered by its table for as long as
--- that lives and everything in it is as it was. A record never changes: the fate of a message in a conversation is the
--- fold's to know.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local shorten = require "abridge.history.shorten"
local stub = require "abridge.history.stub"
local tokens = require "abridge.history.tokens"

local M = {}

---@class (exact) abridge.history.MadeCall A call of a reply.
---@field id any
---@field name? string
---@field given any its input as the message has it
---@field input any decoded
---@field custom boolean its input is free text
---@field short? { input: string|table, freed: integer }|false its input made short, once asked for; false: it stays

---@class (exact) abridge.history.Result The result of a call.
---@field id any
---@field is_error boolean
---@field given any its content as the message has it
---@field whole abridge.history.Content the same, weighed
---@field known_stub? table the last stub made of it, and what it was made from
---@field cuts table<integer, table> its text within so many tokens

---@class abridge.history.Record Its list: the settings its counts depend on, its tokens, then the message as it was, by
---  `core.snapshot`.
---@field reply boolean it is the model's
---@field person boolean it has more than results, and is not the model's
---@field stays boolean a part of it has to stay as it is, with its calls
---@field calls abridge.history.MadeCall[]
---@field results abridge.history.Result[]
---@field fixed integer tokens besides the results
---@field made? table the message as it was written last, and from what
---@field bare? integer tokens by the estimate, without a margin

local records = setmetatable({}, { __mode = "k" }) ---@type table<table, abridge.history.Record>

-- settings of counts --------------------------------------------------------------------

local SETUP = { "format", "count_tokens", "token_safety", "image_tokens" }
local MOST_SETUPS = 16 -- of conversations that go on side by side
local setups = {}

--- The values that counts under these options depend on: the same table for the same options.
---@param opts table of `history.fit`
---@return table
function M.setup(opts)
  for i, known in ipairs(setups) do
    local same, left = true, 0
    for _, key in ipairs(SETUP) do
      same = same and rawequal(known[key], opts[key])
      left = left + (known[key] ~= nil and 1 or 0)
    end
    same = same and left == known.count -- none was collected
    if same then
      table.insert(setups, 1, table.remove(setups, i))
      return known
    end
  end
  local setup = setmetatable({}, { __mode = "v" }) -- a host's functions may hold its chat
  setup.count = 0
  for _, key in ipairs(SETUP) do
    setup[key] = opts[key]
    setup.count = setup.count + (opts[key] ~= nil and 1 or 0)
  end
  table.insert(setups, 1, setup)
  setups[MOST_SETUPS + 1] = nil
  return setup
end

-- records ----------------------------------------------------------------------------------

--- The id of a call; nil for anything else, such as a null.
local function id_of(value)
  local is_id = type(value) == "string" or type(value) == "number" and value == value
  return is_id and value or nil
end

local function made_call(call)
  local given = rawget(call, "input")
  local input, name = stub.decoded(given), rawget(call, "name")
  return {
    id = id_of(rawget(call, "id")),
    name = type(name) == "string" and name or nil,
    given = given,
    input = input,
    custom = rawget(call, "custom") == true,
  }
end

local function given_result(result, weigher)
  local content = rawget(result, "content")
  local is_error = rawget(result, "is_error") == true
  local whole = weigher:content(content)
  return { id = id_of(rawget(result, "id")), is_error = is_error, given = content, whole = whole, cuts = {} }
end

--- A list that a host's `read` gave, with a table in each place.
local function tables_in(values)
  local all = {}
  for i, value in ipairs(values) do
    all[i] = type(value) == "table" and value or {}
  end
  return all
end

-- The facts asked of each message at each call stand at the start of its record's list, beside the message as it was:
-- of a long conversation little is in the processor's caches.
local AT_SETUP, AT_TOTAL = 1, 2
local OWN = 2 -- such entries
local FIELDS = 6 -- of a record that was not written

M.AT_TOTAL = AT_TOTAL

--- Make a record of a table: read a message and weigh it.
local function filled(record, view, setup, weigher)
  record.reply, record.calls, record.results, record.fixed = view.reply, {}, {}, 0
  record.person, record.stays = view.person or false, view.fixed or false
  for _, value in ipairs(view.rest) do
    record.fixed = record.fixed + weigher:value(value)
  end
  local total = record.fixed
  for i, call in ipairs(tables_in(view.calls)) do
    record.calls[i] = made_call(call)
  end
  for i, result in ipairs(tables_in(view.results)) do
    record.results[i] = given_result(result, weigher)
    total = total + record.results[i].whole.tokens
  end
  record[AT_SETUP], record[AT_TOTAL] = setup, total
  return record
end

--- The input of a call made short, and the tokens that frees; false if it stays.
---@param call abridge.history.MadeCall
---@param weigher abridge.history.Weigher
---@return { input: string|table, freed: integer }|false
function M.short_input(call, weigher)
  if call.short == nil then
    local input = not call.custom and shorten.input(call.given, call.input, weigher)
    local freed = input and weigher:input(call.given) - weigher:input(input) or 0
    call.short = freed > 0 and { input = input, freed = freed } or false
  end
  return call.short
end

--- Does a message hold what its record says?
---@param message table
---@param record abridge.history.Record
---@return boolean
function M.is_as(message, record)
  return core.is_as(message, record, OWN)
end

---@class abridge.history.Reader
---@field who string the public function
---@field shape abridge.history.Shape
---@field setup table
---@field weigher abridge.history.Weigher

--- The record of a message. Raises if it isn't a message, `deeper` levels further out than the caller's caller.
---@param reader abridge.history.Reader
---@param message table
---@param index integer
---@param deeper integer
---@return abridge.history.Record
function M.of(reader, message, index, deeper)
  local record, shape = records[message], reader.shape
  if record and record[AT_SETUP] ~= reader.setup then record = nil end
  local seen = shape.own and shape.read(message) or message
  if record and core.is_as(seen, record, OWN) then return record end
  if not shape.is_message(message) then
    local role = check.show(rawget(message, "role"))
    local said = "%s: messages[%d] must be %s, got one with the role %s"
    check.fail(said:format(reader.who, index, shape.wanted, role), deeper)
  end
  record = core.snapshot(seen, OWN, FIELDS)
  if not record then check.fail(("%s: messages[%d] is nested too deep"):format(reader.who, index), deeper) end
  filled(record, shape.own and shape.view(seen) or shape.read(message), reader.setup, reader.weigher)
  records[message] = record
  return record
end

--- The tokens of a message that nobody may give back.
---@param reader abridge.history.Reader
---@param message table
---@return integer
function M.tokens(reader, message)
  local shape = reader.shape
  if shape.own or records[message] then return M.of(reader, message, 0, 0)[AT_TOTAL] end
  return filled({}, shape.read(message), reader.setup, reader.weigher)[AT_TOTAL]
end

--- The tokens of a message by the estimate, without a margin.
---@param reader abridge.history.Reader
---@param message table
---@param index integer
---@param deeper integer
---@return integer
function M.bare(reader, message, index, deeper)
  local record = M.of(reader, message, index, deeper + 1)
  if not record.bare then
    local shape, bare = reader.shape, tokens.weigher({ token_safety = 1 }, reader.weigher.image_tokens)
    local view = shape.own and shape.view(shape.read(message)) or shape.read(message)
    record.bare = filled({}, view, record[AT_SETUP], bare)[AT_TOTAL]
  end
  return record.bare
end

-- messages that changed ----------------------------------------------------------------------

--- Do two lists that may have holes hold the same? So many of each.
local function same(a, b, n)
  for k = 1, n do
    if not rawequal(a and a[k], b and b[k]) then return false end
  end
  return true
end

--- A copy of a message with other contents of its results and other inputs of its calls: the one made before, if it is
--- as it was.
---@param reader abridge.history.Reader
---@param record abridge.history.Record of the message
---@param message table
---@param contents? any[] of all its results, if any is another
---@param inputs? table<integer, any> those of its calls that are others
---@return table copy
---@return abridge.history.Record|nil record of the copy, unless it is a host's own
function M.written(reader, record, message, contents, inputs)
  local made, shape = record.made, reader.shape
  if made and same(made.contents, contents, #record.results) and same(made.inputs, inputs, #record.calls) then
    local known = records[made.copy]
    if known and known[AT_SETUP] == reader.setup and M.is_as(made.copy, known) then return made.copy, known end
  end
  local copy = message
  if inputs then copy = shape.shorten(copy, inputs) end
  if contents then copy = shape.write(copy, contents) end
  if shape.own then return copy end
  record.made = { contents = contents, inputs = inputs, copy = copy }
  return copy, M.of(reader, copy, 0, 0) -- a host that gives it back need not wait for it
end

return M
