--- The promises of every result (SPEC 3, 5, 8, 11), checked for one result.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local strings = require "abridge.base.strings"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"

local M = {}

--- Raise "TOOL: what is wrong".
---@param tool string
---@param what string a format
function M.fail(tool, what, ...)
  error(tool .. ": " .. what:format(...), 0)
end

local fail = M.fail

local function same(tool, name, value, expected)
  if value == expected then return end
  fail(tool, "%s is %s, expected %s", name, check.show(value), check.show(expected))
end

-- plain data ---------------------------------------------------------------------

--- The reason that JSON libraries may differ on a string or number, or nil.
local function bad_scalar(value)
  local kind = type(value)
  if kind == "string" then
    local _, invalid = core.count_chars(value)
    return invalid > 0 and "is not valid UTF-8" or nil
  elseif kind == "number" then
    return (value ~= value or value == math.huge or value == -math.huge) and "is not a finite number" or nil
  elseif kind ~= "boolean" then
    return "is a " .. kind
  end
end

--- The reason that a value isn't plain data, with the place, or nil.
local function not_plain(value, place, open)
  if type(value) ~= "table" then
    local why = bad_scalar(value)
    return why and place .. " " .. why
  end
  if open[value] then return place .. " contains itself" end
  if getmetatable(value) ~= nil then return place .. " has a metatable" end
  if next(value) == nil then return place .. " is an empty table, [] or {}" end
  open[value] = true
  local length = #value
  for key, inner in next, value do
    local is_index = type(key) == "number" and key >= 1 and key <= length and key == math.floor(key)
    if length > 0 and not is_index or length == 0 and type(key) ~= "string" then
      return ("%s has the key %s: neither a list nor an object"):format(place, check.show(key))
    end
    local why = not_plain(inner, place .. "." .. tostring(key), open)
    if why then return why end
  end
  open[value] = nil
end

--- Parts that are not text are passed on untouched; everything else must be plain data.
local function check_plain(tool, result)
  for key, value in next, result do
    local why = key ~= "blocks" and not_plain(value, tostring(key), {})
    if why then fail(tool, "%s", why) end
  end
  local json = host.json()
  if not json then return end
  local ok, text = pcall(json.encode, result)
  if not ok then fail(tool, "not encoded as JSON: %s", tostring(text)) end
  if json.decode(text).content ~= result.content then fail(tool, "content differs after JSON") end
end

-- content and block --------------------------------------------------------------

--- The tool's own part of the content; checks the facts about it.
local function parts_of(tool, result)
  local content, size = result.content, result.truncation.bytes_returned
  if size > #content then fail(tool, "bytes_returned is %d, but content has %d bytes", size, #content) end
  local body, behind = content:sub(1, size), content:sub(size + 1)
  local details = result.details or {}
  local said = {}
  for _, name in ipairs { "exit_line", "notice" } do
    if type(details[name]) == "string" then said[#said + 1] = details[name] end
  end
  said = table.concat(said, "\n\n")
  local gap = said ~= "" and behind:match "^\n*" or ""
  if behind ~= gap .. said then
    fail(tool, "after bytes_returned (%d) comes %s, expected %s", size, check.show(behind), check.show(gap .. said))
  end
  -- one blank line between them, which may use the body's final newline
  local newlines = #gap + (body:match "\n?$" == "\n" and 1 or 0)
  if said ~= "" and (body == "" and gap ~= "" or body ~= "" and (newlines < 2 or #gap > 2)) then
    fail(tool, "no blank line between content and notice")
  end
  return body
end

--- The first budget that a content is over: its name, the content's size, the budget.
local function overflow(content, limits, ceiling)
  local outside = limits.strategy == "pipeline" or limits.marker == "outside" -- notices come on top
  local sizes = {
    { "ceiling", ceiling, #content },
    { "max_bytes", not outside and limits.max_bytes, #content },
    { "max_chars", not outside and limits.max_chars, (core.count_chars(content)) },
  }
  if limits.max_tokens and not outside then
    sizes[#sizes + 1] = { "max_tokens", limits.max_tokens, fit.tokens_of(content, limits) }
  end
  for _, size in ipairs(sizes) do
    if size[2] and size[3] > size[2] then return size[1], size[3], size[2] end
  end
end

local function check_budgets(tool, result, limits, ceiling)
  local name, size, budget = overflow(result.content, limits, ceiling)
  if name then fail(tool, "content has %.0f, over %s=%.0f", size, name, budget) end
  local cut = result.details and result.details.cut or {}
  for unit, name_of in pairs { output_lines = "max_lines", output_chars = "max_chars" } do
    if cut[unit] and limits[name_of] and cut[unit] > limits[name_of] then
      fail(tool, "%s is %.0f, over %s=%.0f", unit, cut[unit], name_of, limits[name_of])
    end
  end
end

--- Ranges and gaps of the ledger must tile the source, and its sums must add up.
local function check_ledger(tool, cut, block, lines_truncated)
  local last, kept = 0, 0
  for i, range in ipairs(cut.kept or {}) do
    if range.first_byte <= last then fail(tool, "ledger: range %d starts before the end of the one before", i) end
    if range.last_byte < range.first_byte or range.last_line < range.first_line then
      fail(tool, "ledger: range %d is empty", i)
    end
    last, kept = range.last_byte, kept + range.last_byte - range.first_byte + 1
  end
  if last > cut.total_bytes then fail(tool, "ledger: its ranges end at %d of %d bytes", last, cut.total_bytes) end
  same(tool, "ledger: output_bytes", cut.output_bytes, kept)
  same(tool, "ledger: omitted_bytes", cut.omitted_bytes, cut.total_bytes - kept)
  same(tool, "ledger: omitted_lines", cut.omitted_lines, cut.total_lines - cut.output_lines)
  if cut.truncated and not block.truncated then
    fail(tool, "the ledger says that something was cut, the block that nothing was")
  end
  if block.truncated and not (cut.truncated or lines_truncated) then
    fail(tool, "the block says that something was cut, the ledger that nothing was")
  end
end

local MOST_ITEMS = 16
local UNITS = { elements = 1, members = 1, chars = 1, records = 1, rows = 1, files = 1, hunks = 1 }

--- Items are counted if something was cut, in units of their kind, and no more are kept than there are.
local function check_items(tool, items)
  for i, item in ipairs(items) do
    if not UNITS[item.unit] then fail(tool, "ledger: items[%d] are %s", i, check.show(item.unit)) end
    if item.kept > item.total then
      fail(tool, "ledger: items[%d]: %.0f %s of %.0f are kept", i, item.kept, item.unit, item.total)
    end
  end
  if #items > MOST_ITEMS then fail(tool, "ledger: %d items, %d at most", #items, MOST_ITEMS) end
end

--- A cut of JSON is JSON.
local function check_json(tool, body)
  local json = host.json()
  local ok, why = pcall(json and json.decode or tostring, body)
  if not ok then fail(tool, "a cut of JSON is no JSON: %s", check.message(why)) end
end

--- The first difference of two texts, in words.
---@param got string
---@param wanted string
---@return string
function M.difference(got, wanted)
  local at = strings.common(got, wanted) + 1
  local form = "%d bytes, expected %d; from byte %d on %s, expected %s"
  return form:format(#got, #wanted, at, check.show(got:sub(at)), check.show(wanted:sub(at)))
end

--- A text as it is compared: without blanks, if those between values are left out.
local function compared(text, cut)
  return cut.compact and (text:gsub("[ \t\r\n]+", "")) or text
end

--- A text that was cut must show the kept ranges of the ledger, in order.
local function check_shown(tool, body, cut, whole)
  local from = 1
  body = compared(body, cut)
  for i, range in ipairs(cut.kept or {}) do
    local kept = compared(whole:sub(range.first_byte, range.last_byte), cut)
    local first, last = body:find(kept, from, true)
    if not first then
      fail(tool, "range %d of the ledger (bytes %d-%d) is not shown", i, range.first_byte, range.last_byte)
    end
    from = math.max(last, first - 1) + 1
  end
end

local function check_whole(tool, result, body, expected)
  local whole, block = expected.whole, result.truncation
  local cut = result.details and result.details.cut or {}
  if not block.truncated then
    local shown, all = compared(body .. (cut.final_newline and "\n" or ""), cut), compared(whole, cut)
    if shown ~= all then fail(tool, "not truncated, but content has %s", M.difference(shown, all)) end
  elseif cut.kept and cut.total_bytes == #whole then
    check_shown(tool, body, cut, whole)
  end
end

local function check_total(tool, block, cut, expected)
  local given, total = block.bytes_total, expected.bytes_total
  if total == false then
    same(tool, "bytes_total", given, nil)
  elseif not block.truncated and cut.final_newline then
    same(tool, "bytes_total", given, block.bytes_returned) -- a final newline that does not fit is not counted
  elseif total then
    same(tool, "bytes_total", given, total)
  elseif given and (expected.whole or not block.truncated) then
    same(tool, "bytes_total", given, expected.whole and #expected.whole or block.bytes_returned)
  end
end

---@class (exact) abridge.Expectations Expectations for a result; only fields that are given are checked.
---@field tool? string name for messages; the result's own unless set
---@field limits? abridge.Limits budgets that the content must be within, as `session:limits(tool)` gives them
---@field ceiling? integer the same, in bytes
---@field whole? string the content without any limit
--- value that the block must have; `false`: none. Unless set, the size of `whole` if the block says anything
---@field bytes_total? integer|false
---@field truncated? boolean values that the block and the result must have
---@field is_error? boolean
---@field reason? abridge.Reason
---@field resumes? boolean whether the block must say where to go on
---@field page? boolean `true`: the result begins inside the whole, which is not compared

--- A kind for `check.options`: a number of bytes, or false.
---@param value any
---@return string|nil expected
function M.bytes_or_none(value)
  if value ~= false and not check.is_count(value) then return "an integer from 0 to 2^53, or false" end
end

local EXPECTATIONS = {
  tool = "string",
  limits = "table",
  ceiling = "number",
  whole = "string",
  bytes_total = M.bytes_or_none,
  truncated = "boolean",
  is_error = "boolean",
  reason = "string",
  resumes = "boolean",
  page = "boolean",
}

--- Check one result. Raises "TOOL: what is wrong" unless
--- - it has a well-formed block (see abridge.assert_conforms) and is plain data that JSON encodes,
--- - content is valid UTF-8, `bytes_returned` bytes of it the tool's own, then exit line and notice as in `details`,
---   a blank line before each,
--- - content is within `limits` and `ceiling`, and the ledger adds up,
--- - it meets the expectations.
---@param result abridge.Result
---@param expected? abridge.Expectations
---@return string body the content before exit line and notice
function M.check(result, expected)
  expected = check.options("conformance.check", expected, EXPECTATIONS, 1)
  local tool = expected.tool or type(result) == "table" and check.name(result.tool) or "?"
  info.assert_conforms(tool, result)
  if type(result.content) ~= "string" then fail(tool, "content is a %s, not a string", type(result.content)) end
  if type(result.is_error) ~= "boolean" then fail(tool, "is_error is %s", check.show(result.is_error)) end
  check_plain(tool, result)
  local body, block = parts_of(tool, result), result.truncation
  local cut = result.details and result.details.cut or {}
  check_budgets(tool, result, expected.limits or {}, expected.ceiling)
  if cut.total_bytes then check_ledger(tool, cut, block, (result.details or {}).lines_truncated) end
  if cut.items then
    check_items(tool, cut.items)
    if cut.kind == "json" and body ~= "" then check_json(tool, body) end
  end
  for _, name in ipairs { "truncated", "reason" } do
    if expected[name] ~= nil then same(tool, name, block[name], expected[name]) end
  end
  if expected.is_error ~= nil and result.is_error ~= expected.is_error then
    fail(tool, "is_error is %s: %s", check.show(result.is_error), check.show(result.content))
  end
  if expected.resumes ~= nil then same(tool, "next_offset given", block.next_offset ~= nil, expected.resumes) end
  if not expected.page then
    if expected.whole then check_whole(tool, result, body, expected) end
    check_total(tool, block, cut, expected)
  end
  return body
end

return M
