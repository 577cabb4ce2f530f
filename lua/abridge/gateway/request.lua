--- The body of a request as a gateway reads it: its API, and the places of its messages.

local host = require "abridge.base.host"
local splice = require "abridge.base.splice"
local seen = require "abridge.gateway.seen"

local M = {}

local MOST_MESSAGES = 10000
local MOST_NAME = 256 -- bytes of a model's name as it is spelled

local KEYS = { "/model", "/messages", "/input", "/system", "/previous_response_id", "/conversation" }

---@class abridge.gateway.Request
---@field body string
---@field model string|nil
---@field found table<string, abridge.Spliced>
---@field list abridge.Spliced where the messages stand
---@field partial boolean the API holds the messages before these

--- End with the reason that a request passes as it came.
---@param failed boolean it could not be read
---@param why string
local function pass(failed, why, ...)
  error({ passes = why:format(...), failed = failed }, 0)
end
M.pass = pass

local function is_there(at)
  return at ~= nil and at.type ~= "null"
end

--- Find the parts to fit. Ends by `pass` if there is nothing.
---@param body string
---@return abridge.gateway.Request
function M.open(body)
  local found, problem = splice.find(body, KEYS)
  if not found then pass(true, "the body cannot be read: %s", problem) end
  local messages, input, model = found["/messages"], found["/input"], found["/model"]
  local list = is_there(messages) and messages or input
  if not is_there(list) then pass(true, "the body has no messages") end
  if is_there(messages) and is_there(input) then pass(true, "the body has both messages and input") end
  local key = list == messages and "messages" or "input"
  if list.type == "string" then pass(false, "%s is one text", key) end
  if list.type ~= "array" then pass(true, "%s is no list, but of type %s", key, list.type) end
  local named = model and model.type == "string" and model.last - model.first <= MOST_NAME
  return {
    body = body,
    model = named and splice.text(body, model.first, model.last) or nil,
    found = found,
    list = list,
    partial = key == "input" and (is_there(found["/previous_response_id"]) or is_there(found["/conversation"])),
  }
end

-- which API --------------------------------------------------------------------------

local CHAT_ROLES = { tool = true, developer = true, ["function"] = true }
local BLOCKS = { tool_use = true, tool_result = true, thinking = true, redacted_thinking = true }

--- The API of a message, if it shows; false if not.
local function api_of(message)
  if type(message) ~= "table" then return false end
  if CHAT_ROLES[message.role] or type(message.tool_calls) == "table" then return "openai" end
  for _, block in ipairs(type(message.content) == "table" and message.content or {}) do
    if type(block) == "table" and BLOCKS[block.type] then return "anthropic" end
  end
  return false
end

--- The format of messages. Until one shows it nothing can go from them, so any will do.
local function format_of(request, all)
  if request.list == request.found["/input"] then return "responses" end
  if is_there(request.found["/system"]) then return "anthropic" end
  for _, one in ipairs(all) do
    if one.api == nil then one.api = api_of(one.message) end
    if one.api then return one.api end
  end
  return "openai"
end

--- Read the messages that were not read before.
---@param request abridge.gateway.Request
---@return abridge.gateway.Seen[] all
---@return string format
---@return abridge.Spliced[] places
function M.read(request)
  local body, list = request.body, request.list
  if not host.json() then pass(true, "%s", (select(2, host.json()))) end
  local places, count = splice.list(body, MOST_MESSAGES, list.first, list.last)
  if count > MOST_MESSAGES then pass(false, "the body has %d messages, more than %d", count, MOST_MESSAGES) end
  local all = seen.all(body, places)
  return all, format_of(request, all), places
end

--- The body with other messages; the bytes between two neighbours stay too.
---@param request abridge.gateway.Request
---@param places abridge.Spliced[] of the messages as they came
---@param parts string[] the messages as JSON
---@param of table<integer, integer> which message each was made of
---@return string
function M.written(request, places, parts, of)
  local body, out = request.body, { request.body:sub(1, places[1].first - 1) }
  for k, part in ipairs(parts) do
    local i, before = of[k], of[k - 1]
    if k > 1 then
      local neighbours = i and before and i == before + 1
      out[#out + 1] = neighbours and body:sub(places[before].last + 1, places[i].first - 1) or ","
    end
    out[#out + 1] = part
  end
  out[#out + 1] = body:sub(places[#places].last + 1)
  return table.concat(out)
end

return M
