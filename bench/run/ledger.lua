--- What no call can beat that returns a ledger: Lua makes the same table of constants, and the same content where that
--- is not the text itself.
local abridge = require "abridge"

local M = {}

local function source_of(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local fields = {}
  for key, field in pairs(value) do
    fields[#fields + 1] = (type(key) == "number" and "" or key .. " = ") .. source_of(field)
  end
  return "{ " .. table.concat(fields, ", ") .. " }"
end

--- A function that returns what abridge.tail(text, opts) does, and knows it already.
---@param text string
---@param opts table
---@return fun(): string, abridge.Cut
function M.of_tail(text, opts)
  local kept, cut = abridge.tail(text, opts)
  local content = kept == text and "text" or ("text:sub(%d)"):format(#text - #kept + 1)
  local source = ("local text = ... return function() return %s, %s end"):format(content, source_of(cut))
  local made = assert(load(source))(text)
  local shown, ledger = made()
  assert(shown == kept and ledger.total_lines == cut.total_lines and #ledger.kept == #cut.kept, "another ledger")
  return made
end

return M
