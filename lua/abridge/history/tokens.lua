--- The cost of messages: the tokens of their text, names and arguments, and of their images. Signatures and encrypted
--- content are not the model's to read, so they cost nothing here; neither do ids and types.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local magic = require "abridge.base.magic"
local fit = require "abridge.output.fit"
local messages = require "abridge.session.messages"

local M = {}

--- Tokens of an image of unknown cost: about those of 1.2 megapixels.
M.IMAGE = 1600

local field = messages.field

local UNCOUNTED = {}
for name in
  ([[cache_control call_id detail encrypted_content encrypted_index encrypted_stdout file_id id index media_type
    mimeType role signature status thoughtSignature thought_signature tool_call_id tool_use_id type]]):gmatch "%S+"
do
  UNCOUNTED[name] = true
end

--- Types of parts that no model reads.
local HIDDEN = { redacted_thinking = true, ["reasoning.encrypted"] = true }

-- images -----------------------------------------------------------------------

local function source_data(part)
  local source = field(part, "source")
  if source == nil then return field(part, "data") end
  local kind = field(source, "type")
  if kind == "base64" then return field(source, "data") end
  return (kind == "url" or kind == "file") and ""
end

--- The place of the data in each type of part: base64, or a URL with it; "" if it is elsewhere. No string: it is text.
local DATA = {
  computer_screenshot = function(part)
    return field(part, "image_url") or ""
  end,
  document = source_data,
  file = function(part)
    return field(field(part, "file"), "file_data") or ""
  end,
  image = source_data,
  image_generation_call = function(part)
    return field(part, "result")
  end,
  image_url = function(part)
    local url = field(part, "image_url")
    return type(url) == "table" and field(url, "url") or url
  end,
  input_audio = function(part)
    return field(field(part, "input_audio"), "data")
  end,
  input_file = function(part)
    return field(part, "file_data") or ""
  end,
  input_image = function(part)
    return field(part, "image_url") or ""
  end,
}

--- The data of a part that is an image or another file; nil for other parts. Parts without text cost as much as an
--- image.
---@param part any
---@return string|nil data base64; "" if the message does not hold it
function M.media(part)
  local find = DATA[field(part, "type")]
  local data = find and find(part)
  if type(data) ~= "string" then return nil end
  if data:find "^data:" then return data:match "^[^,]*;base64,(.*)" or "" end
  return not data:find "^%a[%w+.-]*://" and data or ""
end

local DIGITS = {}
for i = 1, 64 do
  DIGITS[("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):byte(i)] = i - 1
end

--- Bytes of base64 that has no white space, at a 0-based offset.
local function decoded(data, at, n)
  local first = math.floor(at / 3)
  local bytes = {}
  for group = first, math.floor((at + n - 1) / 3) do
    local a, b, c, d = data:byte(group * 4 + 1, group * 4 + 4)
    a, b, c, d = DIGITS[a], DIGITS[b], DIGITS[c], DIGITS[d]
    if not (a and b) then break end
    bytes[#bytes + 1] = string.char(a * 4 + math.floor(b / 16))
    if c then bytes[#bytes + 1] = string.char(b % 16 * 16 + math.floor(c / 4)) end
    if d then bytes[#bytes + 1] = string.char(c % 4 * 64 + d) end
  end
  local skipped = at - first * 3
  return table.concat(bytes):sub(skipped + 1, skipped + n)
end

local PROBE = 300 -- bytes that tell the kind of a file

--- Width and height of an image in base64; nil if they are not known.
local function dimensions(data)
  if data == "" then return nil end
  local kind = magic.kind(decoded(data, 0, PROBE))
  return magic.dimensions(kind, function(at, n)
    return decoded(data, at, n)
  end)
end

-- weighing ---------------------------------------------------------------------

---@class abridge.history.Weigher
---@field limits abridge.Limits
---@field image_tokens? integer|fun(width: integer, height: integer): number
local Weigher = {}
Weigher.__index = Weigher

---@param limits abridge.Limits `count_tokens`, `token_safety`
---@param image_tokens? integer|fun(width: integer, height: integer): number
---@return abridge.history.Weigher
function M.weigher(limits, image_tokens)
  return setmetatable({ limits = limits, image_tokens = image_tokens }, Weigher)
end

--- Tokens of a text.
---@param text string
---@return integer
function Weigher:text(text)
  return text == "" and 0 or fit.tokens_of(text, self.limits)
end

--- Tokens of an image, or of another file.
---@param data string as of `media`
---@return integer
function Weigher:image(data)
  local cost = self.image_tokens
  if type(cost) == "number" then return cost end
  local width, height
  if cost then
    width, height = dimensions(data)
  end
  if not width then return M.IMAGE end
  local tokens = cost(width, height)
  if type(tokens) == "number" and tokens >= 0 and tokens <= 2 ^ 53 then return math.ceil(tokens) end
  error("abridge: image_tokens must return a number from 0 to 2^53, got " .. check.show(tokens), 0)
end

--- Tokens of the input of a call.
---@param input any
---@return integer
function Weigher:input(input)
  if type(input) == "table" then return self:text(encode.json(input) or "") end
  return type(input) == "string" and self:text(input) or 0
end

--- Tokens of any value of a message: its strings, but those under keys that no model reads.
---@param value any
---@return integer
function Weigher:value(value)
  if type(value) == "string" then return self:text(value) end
  if type(value) ~= "table" then return 0 end
  local kind = rawget(value, "type")
  local data = DATA[kind] and M.media(value)
  if data then return self:image(data) end
  local tokens, hidden = 0, HIDDEN[kind]
  for key, inner in next, value do
    if type(inner) == "table" and (key == "input" or key == "arguments") then
      tokens = tokens + self:input(inner)
    elseif not (UNCOUNTED[key] or hidden) then
      tokens = tokens + self:value(inner)
    end
  end
  return tokens
end

---@class (exact) abridge.history.Content The content of a result.
---@field text string its text parts, joined by newlines
---@field text_tokens integer
---@field media integer parts that are images or other files
---@field media_bytes integer
---@field tokens integer in all
---@field blob? boolean is it mostly data for programs? Nil until first asked

--- The text of a part of a content; nil if it has none.
---@param part any
---@return string|nil
function M.text_of(part)
  if type(part) == "string" then return part end
  if M.media(part) then return nil end
  local kind, source, text = field(part, "type"), field(part, "source"), field(part, "text")
  if kind == "document" and field(source, "type") == "text" then
    text = field(source, "data")
  elseif kind == "search_result" then
    local texts = {}
    for _, block in ipairs(messages.list(field(part, "content"))) do
      texts[#texts + 1] = M.text_of(block)
    end
    text = table.concat(texts, "\n")
  end
  return type(text) == "string" and text or nil
end

local HEADINGS = { "title", "context", "source" } -- of a search result or a document, beside its text

--- The content of a result, weighed.
---@param content any
---@return abridge.history.Content
function Weigher:content(content)
  local texts, media, media_bytes, other = {}, 0, 0, 0
  if type(content) == "string" then texts[1] = content end
  for _, part in ipairs(messages.list(content)) do
    local data, text = M.media(part), M.text_of(part)
    if data then
      media, media_bytes, other = media + 1, media_bytes + math.floor(#data / 4) * 3, other + self:image(data)
    elseif text then
      texts[#texts + 1] = text
      for _, key in ipairs(HEADINGS) do
        local heading = field(part, key)
        if type(heading) == "string" then other = other + self:text(heading) end
      end
    else
      other = other + self:value(part)
    end
  end
  local text = texts[2] and table.concat(texts, "\n") or texts[1] or ""
  local tokens = self:text(text)
  return { text = text, text_tokens = tokens, media = media, media_bytes = media_bytes, tokens = tokens + other }
end

local LONG_RUN = 256 -- chars of base64 that don't make a word

--- Is a content mostly data for programs: an image, or over half base64?
---@param content abridge.history.Content
---@return boolean
function M.is_blob(content)
  if content.blob == nil then
    content.blob = content.media > 0 or 2 * core.base64_bytes(content.text, LONG_RUN) > #content.text
  end
  return content.blob
end

return M
