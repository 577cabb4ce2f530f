--- Shared by the message builders of the APIs: how a model's reply is read, and the content of the messages that
--- answer its calls.

local check = require "abridge.base.check"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local sentences = require "abridge.output.sentences"

local M = {}

-- reading a reply ------------------------------------------------------------

--- A field of a table in a reply; nil if that isn't a table. A reply comes from elsewhere: its metatables are not used.
---@param value any
---@param key string
---@return any
function M.field(value, key)
  if type(value) ~= "table" then return nil end
  return rawget(value, key)
end

--- A list in a reply, up to its first nil; an empty one if it isn't a table.
---@param value any
---@return any[]
function M.list(value)
  return type(value) == "table" and check.list(value) or {}
end

local MOST_KEYS = 5 -- that a message shows

--- A value given in place of a reply, as a message shows it.
local function shown_reply(value)
  if type(value) ~= "table" then return check.show(value) end
  local keys = {}
  for key in next, value do
    keys[#keys + 1] = type(key) == "string" and check.show(key) or nil
  end
  table.sort(keys)
  if #keys == 0 then return next(value) == nil and "an empty table" or "a list" end
  return "a table with " .. table.concat(keys, ", ", 1, math.min(#keys, MOST_KEYS))
end

--- Raise at the level of the public function's caller: this isn't a reply.
---@param who string the public function
---@param wanted string
---@param reply any
function M.refuse(who, wanted, reply)
  check.fail(("%s: reply must be %s, got %s"):format(who, wanted, shown_reply(reply)), 1)
end

-- content of messages ----------------------------------------------------------

local MEDIA_TYPES = { ["image/png"] = true, ["image/jpeg"] = true, ["image/gif"] = true, ["image/webp"] = true }

--- The images among the parts of a result (`{ type = "image", data =, mimeType = }`, in base64) that both APIs take.
---@param result abridge.Result
---@return table[] images
---@return integer left_out other parts
function M.images(result)
  local images, left_out = {}, 0
  for _, part in ipairs(M.list(result.blocks)) do
    local is_image = M.field(part, "type") == "image" and type(M.field(part, "data")) == "string"
    if is_image and MEDIA_TYPES[M.field(part, "mimeType")] then
      images[#images + 1] = part
    else
      left_out = left_out + 1
    end
  end
  return images, left_out
end

--- The line after a text that counts the parts left out.
---@param text string
---@param left_out integer at least 1
---@return string
function M.left_out_line(text, left_out)
  return fit.trailer(text, nil, sentences.parts_left_out(left_out))
end

--- A result's text, which is empty only beside images: the APIs refuse an error without text, and a text part that is
--- empty. A line after it counts the parts that are left out, within the tool's budgets.
---@param session abridge.Session
---@param result abridge.Result
---@param left_out integer
---@param images table[]
---@return string
function M.text(session, result, left_out, images)
  local text = result.content
  if left_out > 0 then
    text = text .. M.left_out_line(text, left_out)
    local limits, ceiling = session:limits(result.tool), session.table_of_limits:ceiling_limits(result.tool)
    local both_ends = { strategy = "head_tail", snap = "char", max_bytes = ceiling and ceiling.max_bytes }
    text = limit.cut(text, limit.for_ceiling(limits, both_ends)) -- options of another strategy do not apply
  end
  return text == "" and #images == 0 and sentences.no_output or text
end

--- The content of a message that may have images: a string if there are none, else a list of parts.
---@param text string
---@param images table[]
---@param as_text fun(text: string): table
---@param as_image fun(image: table): table
---@return string|table[]
function M.content(text, images, as_text, as_image)
  if #images == 0 then return text end
  local parts = {}
  if text ~= "" then parts[1] = as_text(text) end
  for _, image in ipairs(images) do
    parts[#parts + 1] = as_image(image)
  end
  return parts
end

return M
