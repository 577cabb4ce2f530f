--- The ledger of a cut: which fields it has, and which parts of its text were kept.

local check = require "abridge.base.check"

local M = {}

local CUT = {
  total_lines = "number",
  total_bytes = "number",
  total_chars = "number",
  output_lines = "number",
  output_bytes = "number",
  output_chars = "number",
  chars_before = "number",
  line_bytes = "number",
  max_lines = "number",
  max_bytes = "number",
  max_chars = "number",
  max_tokens = "number",
  full_output_bytes = "number",
  strategy = "string",
  kind = "string",
  compact = "boolean",
  shown_bytes = "number",
  items = "table",
  truncated_by = "string",
  full_output_path = "string",
  full_output_error = "string",
  kept = "table",
  hits = "table",
  failures = "table",
}
local RANGE = { first_byte = "number", last_byte = "number", first_line = "number", last_line = "number" }
local ITEM = { unit = "string", of = "string", total = "number", kept = "number" }
local FOUND = { found = "number", kept = "number" }
local UNITS = { lines = true, bytes = true, chars = true, tokens = true }

--- Check that a table is a ledger, as far as its fields tell.
---@param who string
---@param cut any
---@param deeper? integer levels between the caller of this function and the public one
function M.check(who, cut, deeper)
  deeper = (deeper or 0) + 2
  local function wrong(what)
    check.fail(("%s: cut must be what a cut returned%s"):format(who, what), deeper)
  end
  if type(cut) ~= "table" then wrong(", got " .. type(cut)) end
  check.fields(who, "cut", cut, CUT, deeper)
  for _, key in ipairs { "total_lines", "total_bytes", "output_lines", "output_bytes" } do
    if cut[key] == nil then wrong((", it has no %s"):format(key)) end
  end
  local unit = cut.truncated_by
  if unit and not UNITS[unit] then wrong(", truncated_by is " .. check.show(unit)) end
  for i, range in ipairs(check.list(cut.kept or {})) do
    check.fields(who, ("cut.kept[%d]"):format(i), range, RANGE, deeper)
    for key in next, RANGE do
      if range[key] == nil then wrong((", kept[%d] has no %s"):format(i, key)) end
    end
  end
  for i, item in ipairs(check.list(cut.items or {})) do
    check.fields(who, ("cut.items[%d]"):format(i), item, ITEM, deeper)
    if not (item.unit and item.total and item.kept) then wrong((", items[%d] is incomplete"):format(i)) end
  end
  for _, key in ipairs { "hits", "failures" } do
    local found = cut[key]
    if found then
      check.fields(who, "cut." .. key, found, FOUND, deeper)
      if not (found.found and found.kept) then wrong((", %s are not counted"):format(key)) end
    end
  end
end

--- The ledger of an event; nil if no cut made it. A log has no empty lists: if nothing was kept, there is no `kept`.
---@param event table
---@return abridge.Cut|nil
function M.of(event)
  local cut = event.cut
  if type(cut) ~= "table" or not check.are_counts(cut, "total_lines") then return nil end
  if type(cut.kept) ~= "table" and (cut.kept ~= nil or cut.output_bytes ~= 0) then return nil end
  for _, range in ipairs(cut.kept or {}) do
    local whole = type(range) == "table" and check.are_counts(range, "first_byte", "last_byte", "first_line")
    if not whole then return nil end
  end
  return cut
end

local MOST_PARTS = 16 -- of a cut (SPEC 14); a log may claim any number

--- The parts of the output of several commands, from its ledger, which may be anyone's; nil if there is only one.
---@param cut table
---@return abridge.Part[]|nil
function M.parts(cut)
  local parts = cut.parts
  if type(parts) ~= "table" or #parts < 2 or #parts > MOST_PARTS then return nil end
  for _, part in ipairs(parts) do
    local whole = type(part) == "table" and type(part.kind) == "string"
    if not whole or not check.are_counts(part, "first_line", "last_line") then return nil end
  end
  return parts
end

--- How many ranges of a text a cut kept, and the first of them.
---@param cut abridge.Cut one that was checked
---@return integer count
---@return { first_byte: integer, last_byte: integer, first_line: integer, last_line: integer }|nil first
function M.ranges(cut)
  local kept, count = cut.kept or {}, 0
  while rawget(kept, count + 1) ~= nil do
    count = count + 1
  end
  return count, rawget(kept, 1)
end

--- Move a ledger's ranges past the bytes and lines that come before its text.
---@param cut abridge.Cut
---@param bytes integer
---@param lines integer
function M.shift(cut, bytes, lines)
  for _, range in ipairs(cut.kept) do
    range.first_byte = range.first_byte + bytes
    range.last_byte = range.last_byte + bytes
    range.first_line = range.first_line + lines
    range.last_line = range.last_line + lines
  end
end

return M
