--- Texts capped lately, so that one that comes back under the same limits passes as it is: a second cut would
--- count markers and notices as lines of a source. The text itself proves nothing: it may imitate a notice.

local M = {}

local GENERATION_BYTES = 512 * 1024 -- two generations are kept: the last 512 KiB to 1 MiB of texts

local young, old, size = {}, {}, 0

local same
function same(a, b)
  for key, value in pairs(a) do
    local other = b[key]
    local tables = key == "clean" and type(value) == "table" and type(other) == "table"
    if other ~= value and not (tables and same(value, other)) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

--- Remember a text that was capped by limits.
---@param text string
---@param limits abridge.Limits must not change afterwards
function M.add(text, limits)
  if size > GENERATION_BYTES then
    young, old, size = {}, young, 0
  end
  if not young[text] then size = size + #text end
  young[text] = limits
end

--- Was this text, as it is, capped by equal limits?
---@param text string
---@param limits abridge.Limits
---@return boolean
function M.has(text, limits)
  local before = young[text] or old[text]
  return before ~= nil and same(before, limits)
end

return M
