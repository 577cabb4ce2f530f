--- The yield of a tool or a host, in one form: a value becomes text, MCP content becomes text and other parts.

local check = require "abridge.base.check"
local encode = require "abridge.base.encode"
local sentences = require "abridge.output.sentences"
local source = require "abridge.output.source"

local M = {}

--- Any value as text: itself, its own text, or JSON; the same in every run. Data is redacted before JSON escapes it;
--- the text that results is not.
---@param value any
---@param redactor? abridge.Redactor
---@return string
---@return boolean|nil failed it cannot be text, and the text says why
---@return "json"|nil kind a table was encoded
function M.encoded(value, redactor)
  if type(value) == "string" then return value end
  if value == nil then return "" end
  local mt = type(value) == "table" and getmetatable(value)
  if type(mt) == "table" and rawget(mt, "__tostring") ~= nil then
    local text, told = check.text(value)
    if told then return text end
  end
  local shown, changed = value, false
  if redactor and type(value) == "table" then
    shown, changed = redactor:data(value)
  end
  local text, problem = encode.json(changed and shown or value)
  if text then return text, nil, type(value) == "table" and "json" or nil end
  if type(value) ~= "table" then
    local told
    text, told = check.text(value)
    if told then return text end
  end
  local name = type(value) == "table" and "no_json" or "no_text"
  return sentences.message(name, { what = problem, kind = type(value) }), true
end

--- The text of MCP content, and its other parts.
local function split_content(content)
  local texts, blocks = {}, {}
  for _, part in ipairs(check.list(content)) do
    if type(part) == "table" and part.type == "text" and type(part.text) == "string" then
      texts[#texts + 1] = part.text
    elseif type(part) == "string" then
      texts[#texts + 1] = part
    else
      blocks[#blocks + 1] = part
    end
  end
  return table.concat(texts, "\n"), #blocks > 0 and blocks or nil
end

--- Details that only this package may set, of its own tools and of every result.
local OURS = {}
for name in
  ([[background cancelled cut entry_limit_reached error_code exit_code exit_line failure full_output_path
    inner_error invalid_bytes lines_truncated log_error match_limit_reached next_pointer notice read_error redact_error
    result_limit_reached row_limit_reached signal signal_number timed_out]]):gmatch "%S+"
do
  OURS[name] = true
end

--- The details of a foreign tool, without those.
local function foreign_details(details)
  local own = {}
  for key, value in next, details do
    if not OURS[key] then own[key] = value end
  end
  return own
end

local ASKS = "anthropic/maxResultSizeChars"

--- The chars that a foreign result or tool asks for in its `_meta`; nil if it does not.
---@param meta any
---@return integer|nil
function M.chars_asked(meta)
  local chars = type(meta) == "table" and rawget(meta, ASKS)
  return type(chars) == "number" and chars >= 1 and chars <= 2 ^ 53 and math.floor(chars) or nil
end

--- A foreign tool's value, in the form that the tools of this package yield.
---@param value any a string, MCP content, or {content=, is_error=, total=, next_offset=, resume_hint=, details=}
---@param redactor? abridge.Redactor of data that is encoded here
---@return table
function M.normalized(value, redactor)
  if source.is_source(value) then return { stream = value } end
  if type(value) ~= "table" or value.content == nil then
    local text, failed, kind = M.encoded(value, redactor)
    return { text = text, is_error = failed, kind = kind }
  end
  local text, details, blocks = value.content, value.details, nil
  local stream = source.is_source(text) and text or nil
  if stream then text = "" end
  if type(text) == "table" and rawget(text, 1) ~= nil then
    text, blocks = split_content(text)
  elseif type(text) == "table" and next(text) == nil then
    text = ""
  end
  local failed, kind
  if not stream then
    text, failed, kind = M.encoded(text, redactor)
  end
  return {
    text = not stream and text or nil,
    stream = stream,
    kind = kind,
    blocks = blocks,
    is_error = failed or value.is_error == true or value.isError == true,
    total = value.total,
    next_offset = value.next_offset,
    resume_hint = value.resume_hint,
    chars_asked = not stream and M.chars_asked(value._meta) or nil,
    details = type(details) == "table" and foreign_details(details) or nil,
  }
end

return M
