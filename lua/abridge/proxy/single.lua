--- A message with the last of each name alone, as far as the proxy reads it. Nearly every reader of JSON takes the last
--- one, so a server can show a client no more than the proxy saw.

local encode = require "abridge.base.encode"
local splice = require "abridge.base.splice"

local M = {}

local MOST = 10000 -- members or elements that are looked at; of more, all stay

-- The names on the way, and under [1] those of each element.
local MESSAGE = {
  params = { arguments = {} },
  result = {
    content = { { resource = {} } },
    tools = { { _meta = {} } },
    capabilities = {},
    structuredContent = {},
    _meta = {},
  },
}

local single

local function single_object(line, value, way)
  local members = splice.list(line, MOST, value.first, value.last) or {}
  local last, kept, changed = {}, {}, false
  for i, member in ipairs(members) do
    changed = changed or last[member.name] ~= nil
    last[member.name] = i
  end
  for i, member in ipairs(members) do
    if last[member.name] == i then
      local json, own = single(line, member, way[member.name])
      changed = changed or own
      kept[#kept + 1] = encode.string(member.name) .. ":" .. json
    end
  end
  return "{" .. table.concat(kept, ",") .. "}", changed
end

local function single_array(line, value, way)
  local kept, changed = {}, false
  for i, element in ipairs(splice.list(line, MOST, value.first, value.last) or {}) do
    local own
    kept[i], own = single(line, element, way[1])
    changed = changed or own
  end
  return "[" .. table.concat(kept, ",") .. "]", changed
end

local OF = { object = single_object, array = single_array }

--- The JSON of a value, and whether a name went.
function single(line, value, way)
  local of = way and OF[value.type]
  local count = of and select(2, splice.list(line, 0, value.first, value.last))
  if type(count) == "number" and count <= MOST then
    local json, changed = of(line, value, way)
    if changed then return json, true end
  end
  return line:sub(value.first, value.last), false
end

--- The message without the names that went; nil if none did, or it isn't JSON.
---@param line string
---@return string|nil
function M.line(line)
  local found = splice.find(line, { "" })
  local whole = found and found[""]
  if not whole then return nil end
  local json, changed = single(line, whole, whole.type == "array" and { MESSAGE } or MESSAGE)
  return changed and json .. line:sub(whole.last + 1) or nil
end

return M
