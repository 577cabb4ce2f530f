--- Structured content made short as its schema allows: strings and arrays keep their starts.

local splice = require "abridge.base.splice"

local M = {}

local MOST_NODES = 20000
local MOST_REFS = 8 -- that lead to one another
local DEEP = 100

--- Keywords that say more of a value than its type, so that a shorter one may not do.
local BINDING = {
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "pattern",
  "format",
  "enum",
  "const",
  "minItems",
  "minLength",
  "uniqueItems",
  "contains",
  "prefixItems",
}

--- The target of a reference within a schema; false if it is not known.
local function resolved(schema, root)
  for _ = 1, MOST_REFS do
    if type(schema) ~= "table" then return schema end
    local reference = schema["$ref"]
    if reference == nil then return schema end
    if type(reference) ~= "string" or reference:sub(1, 1) ~= "#" then return false end
    schema = root
    for escaped in reference:gmatch "/([^/]*)" do
      local step = escaped:gsub("~1", "/"):gsub("~0", "~")
      schema = type(schema) == "table" and (schema[step] or schema[tonumber(step) and tonumber(step) + 1 or step])
    end
  end
  return false
end

--- May a value of this schema be made shorter? nil: no schema.
local function is_free(schema)
  if type(schema) ~= "table" then return schema ~= false end
  for _, key in ipairs(BINDING) do
    if schema[key] ~= nil then return false end
  end
  return true
end

--- The schema of a member or an element.
local function inner_schema(schema, name)
  if type(schema) ~= "table" then return schema end
  if not is_free(schema) then return false end
  if name == nil then return schema.items end
  local own = type(schema.properties) == "table" and schema.properties[name]
  if own then return own end
  if schema.patternProperties ~= nil then return false end
  return schema.additionalProperties
end

---@class abridge.proxy.Node
---@field size integer bytes of the value as it stands
---@field gap integer bytes between the element before and this one: a comma and blanks, which go with it
---@field pointer string
---@field text? abridge.Spliced a string that may be cut
---@field list? boolean its elements may go, from the end
---@field inner? abridge.proxy.Node[]

--- The tree of a value; nil if it is too large.
local function tree(state, value, pointer, schema, depth)
  state.nodes = state.nodes + 1
  if state.nodes > MOST_NODES or depth > DEEP then return nil end
  schema = resolved(schema, state.root)
  local node, free = { size = value.last - value.first + 1, gap = 0, pointer = pointer }, is_free(schema)
  if value.type == "string" then
    if free then node.text = value end
    return node
  elseif (value.type ~= "array" and value.type ~= "object") or schema == false then
    return node
  end
  node.list, node.inner = free and value.type == "array", {}
  local before
  for i, inner in ipairs(splice.list(state.json, MOST_NODES, value.first, value.last) or {}) do
    local step = inner.name and inner.name:gsub("~", "~0"):gsub("/", "~1") or ("%d"):format(i - 1)
    node.inner[i] = tree(state, inner, pointer .. "/" .. step, inner_schema(schema, inner.name), depth + 1)
    if not node.inner[i] then return nil end
    if before then node.inner[i].gap = inner.first - before - 1 end
    before = inner.last
  end
  return node
end

--- Find the elements and members that stay if no string or array may have over so many bytes. Returns their size.
local function kept_of(node, most, each)
  local size, used = node.size, 0
  local gone = false
  for _, inner in ipairs(node.inner or {}) do
    local inner_size = inner.text and math.min(inner.size, most + 2) or kept_of(inner, most)
    gone = gone or (node.list and used + inner_size > most) or false
    if each then each(inner, gone) end
    if gone then
      size = size - inner.size - inner.gap
    else
      used, size = used + inner_size, size - inner.size + inner_size
    end
  end
  return size
end

local function size_within(node, most)
  return node.text and math.min(node.size, most + 2) or kept_of(node, most)
end

--- How many bytes of a string's spelling, at most so many, end between two of its chars.
local function whole_chars(spelled, most)
  local at = spelled:find("\\", 1, true)
  while at and at <= most do
    local size = spelled:byte(at + 1) == 117 and 6 or 2
    if size == 6 and spelled:find("^\\u[dD][89abAB]", at) then size = 12 end -- half of a pair, and the other
    if at + size - 1 > most then return at - 1 end
    at = spelled:find("\\", at + size, true)
  end
  while most > 0 and (spelled:byte(most + 1) or 0) >= 128 and (spelled:byte(most + 1) or 0) < 192 do
    most = most - 1
  end
  return most
end

local function put_edits(state, node, most)
  if node.text then
    if node.size <= most + 2 then return end
    local spelled = state.json:sub(node.text.first + 1, node.text.first + most + 12)
    local kept = spelled:sub(1, whole_chars(spelled, most))
    state.edits[#state.edits + 1] = { pointer = node.pointer, replace = '"' .. kept .. '"' }
    state.size = state.size - node.size + #kept + 2
    return
  end
  kept_of(node, most, function(inner, gone)
    if gone then
      state.edits[#state.edits + 1] = { pointer = inner.pointer, remove = true }
      state.size = state.size - inner.size - inner.gap
    else
      put_edits(state, inner, most)
    end
  end)
end

--- Edits that make a value short enough, or nil: its schema does not let it be, or it is too large.
---@param json string
---@param value abridge.Spliced
---@param pointer string to it
---@param schema any the tool's schema, decoded; nil: none
---@param budget integer bytes
---@return abridge.SpliceEdit[]|nil edits
---@return integer|nil size bytes that stay
function M.edits(json, value, pointer, schema, budget)
  local state = { json = json, root = schema, nodes = 0, edits = {} }
  local top = tree(state, value, pointer, schema, 1)
  if not top or size_within(top, 0) > budget then return nil end
  local low, high = 0, top.size -- the largest that fits, the smallest that does not
  if top.size <= budget then return {}, top.size end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if size_within(top, middle) <= budget then
      low = middle
    else
      high = middle
    end
  end
  state.size = top.size
  put_edits(state, top, low)
  return state.edits, state.size
end

return M
