--- The result of a tool's call, cut inside its own bytes: texts under the tool's limits, embedded ones too, and
--- structured content as the tool's schema allows. Images, audio and links stay.

local crude = require "abridge.base.crude"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"
local splice = require "abridge.base.splice"
local structured = require "abridge.hosts.structured"
local view = require "abridge.hosts.mcp_view"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local share = require "abridge.output.share"
local message = require "abridge.proxy.message"
local shorten = require "abridge.proxy.shorten"
local piped = require "abridge.session.piped"
local under = require "abridge.session.under"

local M = {}

local WHO = "abridge mcp"
local MOST_BLOCKS = 10000 -- of content
local MOST_AT_ONCE = 4 * 1024 * 1024 -- bytes of texts that are decoded together; longer ones flow through a stream
local MOST_MEASURED = 64 * 1024 -- bytes of a text that is decoded amid longer ones
local BYTES_PER_TOKEN = 3 -- of structured content

local META = "io.github.abridge-tools~1truncation"
assert(view.truncation_key:gsub("/", "~1") == META)

---@class abridge.proxy.Text
---@field pointer string
---@field at abridge.Spliced
---@field size integer bytes as it is spelled

--- The texts of a result's content.
---@return abridge.proxy.Text[]
local function texts_of(line, content, pointer)
  local texts = {}
  if not content or content.type ~= "array" then return texts end
  for i, block in ipairs(splice.list(line, MOST_BLOCKS, content.first, content.last) or {}) do
    local found = block.type == "object"
      and message.find(line, { "/type", "/text", "/resource/text" }, block.first, block.last)
    local kind = found and message.text(line, found["/type"])
    local inner = kind == "text" and "/text" or kind == "resource" and "/resource/text"
    local text = inner and found[inner]
    if text and text.type == "string" then
      local place = ("%s/content/%d%s"):format(pointer, i - 1, inner)
      texts[#texts + 1] = { pointer = place, at = text, size = text.last - text.first - 1 }
    end
  end
  return texts
end

--- Do two ranges of a line hold the same bytes?
local function is_same(line, a_first, a_last, b_first, b_last)
  if a_last - a_first ~= b_last - b_first then return false end
  for at = 0, a_last - a_first, MOST_MEASURED do
    local last = math.min(at + MOST_MEASURED - 1, a_last - a_first)
    if line:sub(a_first + at, a_first + last) ~= line:sub(b_first + at, b_first + last) then return false end
  end
  return true
end

--- Do the texts say the same as the structured content?
local function is_repeat(line, value, texts, decoded)
  for _, key in ipairs { "/content", "/result" } do
    local inner = (splice.find(line, { key }, value.first, value.last) or {})[key]
    local count = inner and select(2, splice.list(line, 0, value.first, value.last))
    for _, text in ipairs(count == 1 and texts or {}) do
      if is_same(line, inner.first, inner.last, text.at.first, text.at.last) then return true end
    end
  end
  local json = host.json()
  if not decoded or not json or value.last - value.first > MOST_AT_ONCE then return false end
  local ok, data = pcall(json.decode, line:sub(value.first, value.last))
  local encoded = ok and encode.json(data)
  return encoded and structured.is_repeated(decoded, data, encoded) or false
end

---@class abridge.proxy.Cutting
---@field session abridge.Session
---@field tool string as the session knows it
---@field line string
---@field texts abridge.proxy.Text[]
---@field decoded? string[] the texts, if they are not too long
---@field edits abridge.SpliceEdit[]
---@field blocks any[]

--- The budgets of each text, of structured content after them, and whether all of it is within them.
local function budgets_of(x, extra)
  local limits, whole = x.session:limits(x.tool), true
  if x.decoded then
    local all = { (table.unpack or unpack)(x.decoded) }
    all[#all + 1] = extra and x.line:sub(extra.first, extra.last)
    local budgets, fits = share.out(all, limits)
    for _, one in ipairs(fits) do
      whole = whole and one
    end
    return budgets, whole
  end
  local sizes, budgets = {}, {}
  for i, text in ipairs(x.texts) do
    sizes[i], budgets[i] = text.size, {}
  end
  if extra then
    sizes[#sizes + 1], budgets[#sizes + 1] = extra.last - extra.first + 1, {}
  end
  for _, key in ipairs(limit.budgets) do
    for i, part in ipairs(limits[key] and share.fair(sizes, limits[key]) or {}) do
      budgets[i][key] = part
    end
  end
  return budgets, false
end

--- Cap a text through the session; one that is too long to be held twice flows through.
local function capped(x, i, budgets)
  local text = x.texts[i]
  local known = x.decoded and x.decoded[i] or (text.size <= MOST_MEASURED and message.text(x.line, text.at))
  if known then return x.session:cap(x.tool, known, { limits = budgets }) end
  local session = under.of(WHO, x.session, x.tool, limit.narrowed(x.session:limits(x.tool), budgets))
  return piped.cap(session, x.tool, function(stream)
    local part, at
    repeat
      part, at = splice.text(x.line, text.at.first, text.at.last, at)
      local ok, problem = stream:write(part)
      if not ok then error(problem, 0) end
    until not at
  end, {})
end

local function cap_texts(x, budgets)
  for i, text in ipairs(x.texts) do
    local result = capped(x, i, budgets[i] or {})
    local cut = result.details and result.details.cut
    x.blocks[#x.blocks + 1] = result.truncation
    if result.truncation.truncated or (cut and cut.compact) then
      x.changed = true
      x.edits[#x.edits + 1] = { pointer = text.pointer, replace = encode.string(result.content) }
    end
  end
end

--- How many bytes structured content may have.
local function bytes_of(budgets)
  local most = math.min(budgets.max_bytes or math.huge, budgets.max_chars or math.huge)
  return math.min(most, (budgets.max_tokens or math.huge) * BYTES_PER_TOKEN)
end

--- Structured content of a result that is too long goes, is made shorter, or stays.
---@return boolean gone
local function cut_structured(x, value, pointer, tool, budgets)
  if not tool.output_schema and is_repeat(x.line, value, x.texts, x.decoded) then
    x.edits[#x.edits + 1] = { pointer = pointer, remove = true }
    x.changed = true
    return true
  end
  local budget = bytes_of(budgets)
  if budget == math.huge then return false end
  local edits, size = shorten.edits(x.line, value, pointer, tool.output_schema, budget)
  for _, edit in ipairs(edits or {}) do
    x.edits[#x.edits + 1] = edit
  end
  if edits and #edits > 0 then
    x.changed = true
    x.blocks[#x.blocks + 1] = info.without_resume(size, value.last - value.first + 1, "size_cap")
  end
  return false
end

local function put_meta(x, meta, pointer)
  local block = info.joined(x.blocks):to_json()
  if meta and meta.type ~= "object" then return end
  x.edits[#x.edits + 1] = meta and { pointer = pointer .. "/_meta/" .. META, insert = block }
    or { pointer = pointer .. "/_meta", insert = ('{"%s":%s}'):format(view.truncation_key, block) }
end

local function decoded_texts(line, texts)
  local size, decoded = 0, {}
  for _, text in ipairs(texts) do
    size = size + text.size
  end
  if size > MOST_AT_ONCE then return nil end
  for i, text in ipairs(texts) do
    decoded[i] = message.text(line, text.at)
  end
  return decoded
end

--- The edits that make a result as long as its tool's limits allow; none if it is.
---@param session abridge.Session
---@param line string
---@param answer abridge.proxy.Message
---@param tool abridge.proxy.Tool
---@param keeps_structured boolean
---@return abridge.SpliceEdit[]
function M.edits(session, line, answer, tool, keeps_structured)
  local at, pointer = answer.result, answer.pointer .. "/result"
  if at.type ~= "object" then return {} end
  local found = message.find(line, { "/content", "/structuredContent", "/_meta" }, at.first, at.last)
  local x = { session = session, tool = tool.name, line = line, edits = {}, blocks = {} }
  x.texts = texts_of(line, found["/content"], pointer)
  x.decoded = decoded_texts(line, x.texts)
  local value = not keeps_structured and found["/structuredContent"] or nil
  local budgets, whole = budgets_of(x, value)
  if value and not whole and tool.listed then
    if cut_structured(x, value, pointer .. "/structuredContent", tool, budgets[#x.texts + 1]) then
      budgets = budgets_of(x)
    end
  end
  cap_texts(x, budgets)
  if not x.changed then return {} end
  put_meta(x, found["/_meta"], pointer)
  return x.edits
end

--- Edits that cut a result's texts crudely, for when edits() failed: each has a like share of the tool's limits.
---@param session abridge.Session
---@param line string
---@param answer abridge.proxy.Message
---@param tool string as the session knows it
---@return abridge.SpliceEdit[]
function M.crude_edits(session, line, answer, tool)
  local at, edits = answer.result, {}
  local content = (splice.find(line, { "/content" }, at.first, at.last) or {})["/content"]
  local texts = texts_of(line, content, answer.pointer .. "/result")
  local ok, limits = pcall(session.limits, session, tool)
  local budgets = {
    max_bytes = crude.bytes_of(ok and limits or {}) / #texts,
    max_lines = ok and limits.max_lines and limits.max_lines / #texts or nil,
  }
  for _, text in ipairs(texts) do
    local short, by = crude.cut(message.text(line, text.at), budgets)
    if by then edits[#edits + 1] = { pointer = text.pointer, replace = encode.string(short) } end
  end
  return edits
end

return M
