--- The messages of JSON-RPC in a line: one, or those of a batch.

local splice = require "abridge.base.splice"

local M = {}

local MOST = 10000 -- messages of a batch that are looked at
local POINTERS = { "/id", "/method", "/params/name", "/params/arguments", "/result" }

---@class (exact) abridge.proxy.Message
---@field pointer string to it in its line: "" or "/0"
---@field id? string what tells it from others: of 1 and "1" it differs
---@field spelled_id? string
---@field method? string
---@field name? string of the tool that is called
---@field arguments? abridge.Spliced of the call
---@field result? abridge.Spliced

--- The text of a string that was found, or nil.
---@param line string
---@param value abridge.Spliced|nil
---@return string|nil
function M.text(line, value)
  if not value or value.type ~= "string" then return nil end
  local parts, at = {}, nil
  repeat
    parts[#parts + 1], at = splice.text(line, value.first, value.last, at)
  until not at
  return table.concat(parts)
end

--- An id, as it may be spelled in several ways.
local function id_of(line, value)
  if not value or value.type == "null" then return nil end
  local text = M.text(line, value)
  if text then return "text " .. text end
  local spelled = line:sub(value.first, value.last)
  if value.type == "number" and not spelled:find "^%-?%d+$" then spelled = ("%.17g"):format(tonumber(spelled)) end
  return spelled
end

--- Find values by pointer. Raises if a name stands twice on the way to one.
---@param line string
---@param pointers string[]
---@param first? integer
---@param last? integer
---@return table<string, abridge.Spliced>
function M.find(line, pointers, first, last)
  local found, problem = splice.find(line, pointers, first, last)
  return found or error(problem, 0)
end

local function read(line, pointer, first, last)
  local found = M.find(line, POINTERS, first, last)
  local id = found["/id"]
  return {
    pointer = pointer,
    id = id_of(line, id),
    spelled_id = id and line:sub(id.first, id.last),
    method = M.text(line, found["/method"]),
    name = M.text(line, found["/params/name"]),
    arguments = found["/params/arguments"],
    result = found["/result"],
  }
end

--- The messages of a line. Raises if it isn't JSON, or a name stands twice in one.
---@param line string
---@return abridge.proxy.Message[]
function M.of(line)
  local start = line:match "^%s*()[%[{]"
  if not start then return {} end
  if line:byte(start) == 123 then return { read(line, "", 1, #line) } end
  local all = {}
  for i, value in ipairs(splice.list(line, MOST) or {}) do
    if value.type == "object" then all[#all + 1] = read(line, "/" .. i - 1, value.first, value.last) end
  end
  return all
end

return M
