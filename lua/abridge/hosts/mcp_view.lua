--- The places of an MCP result's texts, and its other parts. Plain Lua, for when the core is missing.

local check = require "abridge.base.check"
local copied = check.copied
local crude = require "abridge.base.crude"

local M = {}

--- Keys in `_meta`: a prefix in reverse DNS notation, as the specification asks for.
M.truncation_key, M.parts_key = "io.github.abridge-tools/truncation", "io.github.abridge-tools/parts"

local PARSED = { images = "image", audios = "audio", blobs = "blob" } -- lists in results parsed by mcphub.nvim

---@class abridge.McpView
---@field out table a copy of the result; tables that hold a text are copied too, the others shared
---@field texts string[] in their order
---@field parts table<string, { count: integer, bytes: integer }> parts other than text, by kind; bytes in base64
---@field private slots table[] the table and key of each text
---@field private parsed boolean a response that mcphub.nvim parsed
---@field private before? string the text of such a response up to the error
local View = {}
View.__index = View

function View:count(kind, data)
  local part = self.parts[kind] or { count = 0, bytes = 0 }
  part.count, part.bytes = part.count + 1, part.bytes + (type(data) == "string" and #data or 0)
  self.parts[kind] = part
end

function View:add(holder, key)
  self.texts[#self.texts + 1], self.slots[#self.slots + 1] = holder[key], { holder, key }
end

local function add_block(view, list, i)
  local block = list[i]
  if type(block) == "string" then return view:add(list, i) end
  if type(block) ~= "table" then return view:count(type(block)) end
  local inner = type(block.resource) == "table" and block.resource or nil
  if type((inner or block).text) ~= "string" then
    local kind = type(block.type) == "string" and block.type or "resource"
    return view:count(kind, block.data or (inner or block).blob)
  end
  list[i] = copied(block)
  if inner then list[i].resource = copied(inner) end
  view:add(inner and list[i].resource or list[i], "text")
end

local function add_parsed(view, value)
  view:add(view.out, "text")
  local text, failure = value.text, value.error
  if type(failure) == "string" then -- the text again, but for a sentence in front
    if text:sub(-#failure) == failure then
      view.before = text:sub(1, -#failure - 1)
    else
      view:add(view.out, "error")
    end
  end
  for key, kind in pairs(PARSED) do
    for _, part in ipairs(check.list(type(value[key]) == "table" and value[key] or {})) do
      view:count(kind, type(part) == "table" and part.data)
    end
  end
end

--- Look at a result: of tools/call, of resources/read, parsed by mcphub.nvim, or a bare value.
---@param value any
---@return abridge.McpView
function M.open(value)
  if type(value) ~= "table" then
    local text = value ~= nil and crude.cut(value, math.huge)
    value = { content = text and { { type = "text", text = text } } or {} }
  end
  local view = setmetatable({ out = copied(value), texts = {}, slots = {}, parts = {} }, View)
  for _, key in ipairs { "content", "contents" } do
    local list = value[key]
    if type(list) == "string" then
      view:add(view.out, key)
    elseif type(list) == "table" and next(list) ~= nil then -- an empty one may have to stay [] as JSON
      view.out[key] = copied(list)
      for i in ipairs(view.out[key]) do
        add_block(view, view.out[key], i)
      end
    end
  end
  view.parsed = type(value.text) == "string" and value.content == nil and value.contents == nil
  if view.parsed then add_parsed(view, value) end
  return view
end

--- Take the texts of a value of the same shape: the session has yet to redact them, as it already has the rest.
---@param value any
function View:take_texts(value)
  local texts = M.open(value).texts
  if #texts == #self.texts then self.texts = texts end
end

--- Replace each text.
---@param contents string[]
function View:put(contents)
  for i, place in ipairs(self.slots) do
    place[1][place[2]] = contents[i]
  end
  local text, before = self.out.text, self.before
  if before and text ~= self.texts[1] then
    self.out.error = text:sub(1, #before) == before and text:sub(#before + 1) or text
  end
end

--- The sentence for structured content of unknown size that is left out.
local LEFT_OUT = "[Structured content left out]"

local SHARED = { "max_bytes", "max_chars", "max_tokens", "max_lines" }

--- Each text cut to an equal part of the budgets, and the bytes of all.
local function cut_equally(texts, budgets)
  local parts, contents, returned = copied(budgets), {}, 0
  for _, key in ipairs(SHARED) do
    if type(parts[key]) == "number" then parts[key] = math.floor(parts[key] / #texts) end
  end
  for i, text in ipairs(texts) do
    contents[i] = crude.cut(text, parts)
    returned = returned + #contents[i]
  end
  return contents, returned
end

--- Cut each text crudely to an equal part of some budgets, and leave structured content out; the content says so.
---@param budgets table<string, any> as of `abridge.base.crude`
---@return abridge.Block
function View:put_crudely(budgets)
  budgets = copied(budgets)
  budgets.max_bytes = crude.bytes_of(budgets)
  local total, left_out = #table.concat(self.texts), self.out.structuredContent ~= nil
  local contents, returned = cut_equally(self.texts, budgets)
  local room = budgets.max_bytes - #LEFT_OUT
  if left_out and returned == total and returned > room and room > 0 then
    budgets.max_bytes = room
    contents, returned = cut_equally(self.texts, budgets)
  end
  self:put(contents)
  self.out.structuredContent = nil
  if left_out and returned <= room then self:append(LEFT_OUT) end
  local truncated = returned < total or left_out
  return { truncated = truncated, bytes_returned = returned, bytes_total = total, reason = "size_cap" }
end

--- Append a block of text to the content.
---@param text string
function View:append(text)
  local content = self.out.content
  if type(content) == "string" then content = { { type = "text", text = content } } end
  content = copied(content or {})
  content[#content + 1] = { type = "text", text = text }
  self.out.content = content
end

--- Report the cut and the parts that passed: in `_meta`, or beside the text of a parsed response.
---@param block abridge.Block
---@return table out
function View:tell(block)
  local parts = next(self.parts) and self.parts or nil
  if self.parsed then
    self.out.truncation, self.out.parts = block, parts
    return self.out
  end
  local meta = copied(type(self.out._meta) == "table" and self.out._meta or {})
  meta[M.truncation_key], meta[M.parts_key] = block, parts
  self.out._meta = meta
  return self.out
end

return M
