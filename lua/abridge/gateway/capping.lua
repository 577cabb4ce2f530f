--- Results of tools, each cut by the limits of its tool before the conversation is fit.

local check = require "abridge.base.check"
local cap = require "abridge.output.cap"
local limit = require "abridge.output.limit"
local share = require "abridge.output.share"
local spelled = require "abridge.history.spelled"
local tokens = require "abridge.history.tokens"
local seen = require "abridge.gateway.seen"

local M = {}

---@class abridge.gateway.Capper The means of a gateway's caps.
---@field limits abridge.LimitTable
---@field weigher abridge.history.Weigher

---@class (exact) abridge.gateway.Capped A message as the limits of some tools make it.
---@field key string the tools of its results
---@field capper abridge.gateway.Capper
---@field seen abridge.gateway.Seen
---@field count integer results that were cut
---@field freed integer tokens

--- The texts of a list of parts, and which parts they are.
local function texts_in(content)
  local texts, places = {}, {}
  for i, part in ipairs(check.list(content)) do
    local text = type(part) == "table" and type(rawget(part, "text")) == "string" and tokens.text_of(part)
    if text then
      texts[#texts + 1], places[#places + 1] = text, i
    end
  end
  return texts, places
end

--- A content within limits: its texts share them, all else stays. Itself if nothing was cut.
local function within(content, limits)
  if type(content) == "string" then return cap.cap_anew(content, limits) end
  if type(content) ~= "table" then return content end
  local texts, places = texts_in(content)
  local budgets, whole = share.out(texts, limits)
  local parts = content
  for k, i in ipairs(places) do
    local text = whole[k] and texts[k] or cap.cap_anew(texts[k], limit.narrowed(limits, budgets[k]))
    if text ~= texts[k] then
      if parts == content then parts = setmetatable(check.copied(content), getmetatable(content)) end
      parts[i] = check.copied(content[i])
      parts[i].text = text
    end
  end
  return parts
end

--- A message under the limits of its results' tools.
local function capped(one, shape, names, capper)
  local contents, count, freed = {}, 0, 0
  for k, result in ipairs(one.view.results) do
    local given = result.content
    local limits = capper.limits:of(names[k])
    limits.utf8 = limits.utf8 or "replace"
    contents[k] = within(given, limits)
    if not rawequal(contents[k], given) then
      count = count + 1
      freed = freed + capper.weigher:content(given).tokens - capper.weigher:content(contents[k]).tokens
    end
  end
  local other = one
  if count > 0 then
    local parts = spelled.all({ shape.write(one.message, contents) }, { one.message })
    other = seen.read(parts[1])
  end
  return { key = table.concat(names, "\0"), capper = capper, seen = other, count = count, freed = freed }
end

--- Read a message, unless it was read as this shape.
local function viewed(one, shape, i)
  if one.shape == shape then return one.view end
  if type(one.message) ~= "table" or not shape.is_message(one.message) then
    error(("message %d is not %s"):format(i, shape.wanted), 0)
  end
  one.view, one.shape, one.capped = shape.read(one.message), shape, nil
  return one.view
end

--- Put messages with capped results in the place of those that are over the limits of their tools. A result whose call
--- is not among them has the limits of "*".
---@param all abridge.gateway.Seen[] changed in place
---@param shape abridge.history.Shape
---@param capper abridge.gateway.Capper
---@return integer count of results that were cut
---@return integer freed tokens
function M.cap(all, shape, capper)
  local tool_of, count, freed = {}, 0, 0
  for i, one in ipairs(all) do
    local view, names = viewed(one, shape, i), {}
    for _, call in ipairs(view.calls) do
      if type(call.id) == "string" then tool_of[call.id] = type(call.name) == "string" and call.name or nil end
    end
    for k, result in ipairs(view.results) do
      local name = tool_of[result.id] or "*"
      names[k] = capper.limits.aliases[name] or name
    end
    local known = one.capped
    if names[1] and not (known and known.capper == capper and known.key == table.concat(names, "\0")) then
      known = capped(one, shape, names, capper)
      one.capped = known
    end
    if names[1] and known.count > 0 then
      all[i], count, freed = known.seen, count + known.count, freed + known.freed
    end
  end
  return count, freed
end

return M
