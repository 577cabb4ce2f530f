--- TruncationInfo: the truncation block every reading tool attaches (SPEC 8, the reading-tool contract). The core
--- serializes it; building, parsing and checking live here.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local ledger = require "abridge.base.ledger"

local M = {}

---@alias abridge.Reason "size_cap"|"line_cap"|"row_cap"|"exec_budget"|"item_cap"

---@class (exact) abridge.Block The block as plain data.
---@field truncated boolean was anything left out?
---@field bytes_returned integer bytes of the content, after the ceiling, before notices
---@field bytes_total? integer bytes of the whole source; absent when unknown
--- offset to pass to the same tool to go on; always comes with `resume_hint`, and only when truncated
---@field next_offset? integer
---@field resume_hint? string a sentence on how to go on, 1024 bytes at most
--- `"size_cap"`, `"line_cap"`, `"row_cap"`, `"exec_budget"` or `"item_cap"`; `"size_cap"` when not truncated
---@field reason abridge.Reason

---@class abridge.Info: abridge.Block
---@field to_json fun(self: abridge.Info): string compact JSON, fields in the contract's order
local Info = {}
Info.__index = Info
Info.__name = "abridge.Info"

--- Fields in the order of the wire.
local FIELDS = { "truncated", "bytes_returned", "bytes_total", "next_offset", "resume_hint", "reason" }
local REASONS = { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" }

M.most_hint = core.resume_hint_most -- bytes of a resume_hint

local function new(fields)
  return setmetatable(fields, Info)
end

Info.to_json = core.info_json

--- The block as a new plain table.
---@return abridge.Block
function Info:to_table()
  local block = {}
  for _, field in ipairs(FIELDS) do
    block[field] = self[field]
  end
  return block
end

--- Does a table stand for a JSON array? An empty one may be an object, and one with a name is one.
local function is_array(t)
  local key = next(t)
  while type(key) == "number" do
    key = next(t, key)
  end
  return key == nil and next(t) ~= nil or rawget(t, 1) ~= nil
end

--- Set `response.truncation`, if the response is a table and not an array.
---@param response any
function Info:attach(response)
  if type(response) == "table" and not is_array(response) then response.truncation = self:to_table() end
end

Info.__tostring = Info.to_json

local function want_count(who, name, value)
  local expected = check.count(value)
  if expected then check.fail(("%s: %s must be %s, got %s"):format(who, name, expected, check.show(value)), 1) end
end

--- The list of all reasons, or nil when this is one.
---@param value any
---@return string|nil expected
function M.check_reason(value)
  for _, reason in ipairs(REASONS) do
    if rawequal(reason, value) then return nil end
  end
  return ('"%s" or "%s"'):format(table.concat(REASONS, '", "', 1, #REASONS - 1), REASONS[#REASONS])
end

local function want_reason(who, value)
  local expected = M.check_reason(value)
  if expected then check.fail(("%s: reason must be %s, got %s"):format(who, expected, check.show(value)), 1) end
end

--- Nothing was left out: the content is the whole source, or all of it from the given offset on.
---@param bytes_returned integer
---@param bytes_total? integer|false of the source, if the content starts inside it; false: unknown
---@return abridge.Info info
function M.not_truncated(bytes_returned, bytes_total)
  local who = "abridge.info.not_truncated"
  want_count(who, "bytes_returned", bytes_returned)
  if bytes_total then want_count(who, "bytes_total", bytes_total) end
  if bytes_total == nil then bytes_total = bytes_returned end
  return new {
    truncated = false,
    bytes_returned = bytes_returned,
    bytes_total = bytes_total or nil,
    reason = "size_cap",
  }
end

--- The content was cut, and the same tool continues at `next_offset`.
---@param bytes_returned integer
---@param bytes_total integer|nil nil: unknown
---@param next_offset integer
---@param resume_hint string at most 1024 bytes
---@param reason abridge.Reason
---@return abridge.Info info
function M.with_resume(bytes_returned, bytes_total, next_offset, resume_hint, reason)
  local who = "abridge.info.with_resume"
  want_count(who, "bytes_returned", bytes_returned)
  if bytes_total ~= nil then want_count(who, "bytes_total", bytes_total) end
  want_count(who, "next_offset", next_offset)
  if type(resume_hint) ~= "string" or #resume_hint > M.most_hint then
    local got = type(resume_hint) == "string" and #resume_hint .. " bytes" or check.show(resume_hint)
    check.fail(("%s: resume_hint must be a string of at most %d bytes, got %s"):format(who, M.most_hint, got))
  end
  want_reason(who, reason)
  return new {
    truncated = true,
    bytes_returned = bytes_returned,
    bytes_total = bytes_total,
    next_offset = next_offset,
    resume_hint = resume_hint,
    reason = reason,
  }
end

--- The content was cut, and the tool cannot continue.
---@param bytes_returned integer
---@param bytes_total integer|nil nil: unknown
---@param reason abridge.Reason
---@return abridge.Info info
function M.without_resume(bytes_returned, bytes_total, reason)
  local who = "abridge.info.without_resume"
  want_count(who, "bytes_returned", bytes_returned)
  if bytes_total ~= nil then want_count(who, "bytes_total", bytes_total) end
  want_reason(who, reason)
  return new { truncated = true, bytes_returned = bytes_returned, bytes_total = bytes_total, reason = reason }
end

--- The block of a result made of several texts. A single text keeps its own; several have no place to continue.
---@param blocks abridge.Block[]
---@return abridge.Info
function M.joined(blocks)
  if #blocks == 1 then return new(blocks[1]) end
  local returned, total, reason = 0, 0, nil
  for _, block in ipairs(blocks) do
    returned = returned + block.bytes_returned
    total = total and block.bytes_total and total + block.bytes_total
    reason = reason or (block.truncated and block.reason) or nil
  end
  if not reason then return M.not_truncated(returned) end
  return M.without_resume(returned, total or nil, reason)
end

-- reading ------------------------------------------------------------------------

--- The type of a value, in the words of the contract's own reader.
local function unexpected(value)
  if type(value) == "string" then return ('string "%s"'):format(value) end
  if type(value) == "boolean" then return ("boolean `%s`"):format(tostring(value)) end
  if type(value) == "number" then
    local kind = value == math.floor(value) and "integer" or "floating point"
    return ("%s `%.14g`"):format(kind, value)
  end
  if type(value) == "table" then return is_array(value) and "sequence" or "map" end
  if type(value) == "userdata" then return "null" end
  return type(value)
end

local function read_count(block, field)
  local value = block[field]
  if type(value) ~= "number" or value ~= math.floor(value) then
    return nil, ("invalid type: %s, expected an integer for `%s`"):format(unexpected(value), field)
  end
  if not check.is_count(value) then
    return nil, ("invalid value: %s, expected an integer from 0 to 2^53 for `%s`"):format(unexpected(value), field)
  end
  return value
end

local READERS = {
  truncated = function(block)
    if type(block.truncated) == "boolean" then return block.truncated end
    return nil, ("invalid type: %s, expected a boolean for `truncated`"):format(unexpected(block.truncated))
  end,
  bytes_returned = read_count,
  bytes_total = read_count,
  next_offset = read_count,
  resume_hint = function(block)
    local hint = block.resume_hint
    if type(hint) == "string" and #hint <= M.most_hint then return hint end
    if type(hint) == "string" then
      local expected = ("invalid length %d, expected at most %d bytes for `resume_hint`"):format(#hint, M.most_hint)
      return nil, expected
    end
    return nil, ("invalid type: %s, expected a string for `resume_hint`"):format(unexpected(block.resume_hint))
  end,
  reason = function(block)
    for _, reason in ipairs(REASONS) do
      if block.reason == reason then return reason end
    end
    if type(block.reason) ~= "string" then
      return nil, ("invalid type: %s, expected a string for `reason`"):format(unexpected(block.reason))
    end
    return nil, ("unknown variant `%s`, expected one of `%s`"):format(block.reason, table.concat(REASONS, "`, `"))
  end,
}
local OPTIONAL = { bytes_total = true, next_offset = true, resume_hint = true }

--- The fields of a block, each of its kind; null counts as absent, unknown fields are ignored.
local function read(block)
  if type(block) ~= "table" or is_array(block) then
    return nil, ("invalid type: %s, expected struct TruncationInfo"):format(unexpected(block))
  end
  local fields = {}
  for _, field in ipairs(FIELDS) do
    if check.is_null(block[field]) then
      if not OPTIONAL[field] then return nil, ("missing field `%s`"):format(field) end
    else
      local value, message = READERS[field](block, field)
      if value == nil then return nil, message end
      fields[field] = value
    end
  end
  return fields
end

--- The problem with a block whose fields are right one by one, or nil.
local function inconsistent(block)
  if not block.truncated then
    if block.next_offset then return "`next_offset` set on a non-truncated response" end
    if block.resume_hint then return "`resume_hint` set on a non-truncated response" end
    return nil
  end
  if block.next_offset and not block.resume_hint then return "`next_offset` present but `resume_hint` missing" end
  if block.resume_hint and not block.next_offset then return "`resume_hint` present but `next_offset` missing" end
end

--- Read a block from JSON or from a table.
---@param json_or_table string|table
---@return abridge.Info|nil info
---@return string|nil message
function M.parse(json_or_table)
  local block = json_or_table
  if type(block) == "string" then
    local json, message = host.json()
    if not json then return nil, message end
    local ok, value = pcall(json.decode, block)
    if not ok then return nil, "not JSON: " .. tostring(value) end
    block = value
  end
  local fields, message = read(block)
  if not fields then return nil, message end
  message = inconsistent(fields)
  if message then return nil, message end
  return new(fields)
end

--- Raise "TOOL: what is wrong" unless the response carries a well-formed truncation block.
---@param tool_name string
---@param response any
function M.assert_conforms(tool_name, response)
  local function fail(what)
    error(("%s: %s"):format(check.name(tool_name), what), 0) -- the contract's own text, without a place in the code
  end
  if type(response) ~= "table" or is_array(response) then fail "response is not a JSON object" end
  if response.truncation == nil then fail "response missing required `truncation` block" end
  local fields, message = read(response.truncation)
  if not fields then fail("`truncation` block malformed: " .. message) end
  message = inconsistent(fields)
  if message then fail(message) end
end

--- The ledger of a cut, or of a result, with its block; nil if a result has none.
local function told_by(who, value)
  local is_result = type(value) == "table" and type(value.truncation) == "table" and value.content ~= nil
  if not is_result then
    ledger.check(who, value, 1)
    return value
  end
  local block, message = M.parse(value.truncation)
  if not block then check.fail(("%s: the result's truncation: %s"):format(who, message), 1) end
  local details = value.details
  local cut = type(details) == "table" and details.cut or nil
  if cut ~= nil then ledger.check(who, cut, 1) end
  return cut, block
end

---@class (exact) abridge.Protocol
---@field truncated boolean
---@field limit? integer
---@field total? integer
---@field offset? integer
---@field units string

--- The flat convention of the metadata document: the cut in one unit. For a result it agrees with the block, whether
--- lines, items or the view were cut, or everything by the ceiling.
---@param cut_or_result abridge.Cut|abridge.Result
---@return abridge.Protocol
function M.protocol(cut_or_result)
  local cut, block = told_by("abridge.protocol", cut_or_result)
  if not cut then return { truncated = block.truncated, total = block.bytes_total, offset = 0, units = "bytes" } end
  local units = cut.truncated_by or "bytes"
  local _, first = ledger.ranges(cut)
  local offset = 0
  if first and first.first_byte > 1 then
    offset = ({ lines = first.first_line - 1, bytes = first.first_byte - 1, chars = cut.chars_before })[units]
  end
  local total = cut["total_" .. units]
  if block and units == "bytes" then total = block.bytes_total end
  if block and block.truncated and not block.bytes_total then total = nil end -- the size of the source is unknown
  return {
    truncated = (block or cut).truncated,
    limit = cut["max_" .. units],
    total = total,
    offset = offset,
    units = units,
  }
end

---@class abridge.InfoFunctions The functions of `abridge.info`.
M.functions = {
  not_truncated = M.not_truncated,
  with_resume = M.with_resume,
  without_resume = M.without_resume,
  parse = M.parse,
}

return M
