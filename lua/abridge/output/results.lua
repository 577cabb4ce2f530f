--- From what a tool yields to what the model gets: a value becomes text, text is cut by the tool's limits, the
--- ceiling is laid over it, and the block says what happened.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local plain_data = require "abridge.base.plain_data"
local encode = require "abridge.base.encode"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local source_of = require "abridge.output.source"
local wrapper = require "abridge.output.wrapper"

local M = {}

---@class (exact) abridge.Result
---@field tool string the name that was called
---@field call_id string
---@field content string valid UTF-8, within the limits
---@field blocks? table[] images and other parts that are no text, untouched
---@field is_error boolean
---@field truncation abridge.Block
---@field details? table what the tool tells beside the content; `details.cut` is the ledger
---@field metadata? { truncated_total: integer|nil, truncated_bytes: integer|nil }
---@field duration_ms integer

-- values ---------------------------------------------------------------------

--- Any value as text: itself, what it says itself, or JSON. The same in every run. Data is redacted before JSON spells
--- it in its own way; the text that comes of it is not.
---@param value any
---@param redactor? abridge.Redactor
---@return string
---@return boolean|nil failed it has no such form, and the text says why
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
  if text then return text end
  if type(value) ~= "table" then
    local told
    text, told = check.text(value)
    if told then return text end
  end
  return notice.message(type(value) == "table" and "no_json" or "no_text", { what = problem, kind = type(value) }), true
end

--- The text and the other parts of MCP content.
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

--- Details that this package alone tells, of its own tools and of every result.
local OURS = {}
for name in
  ([[background cancelled cut entry_limit_reached error_code exit_code exit_line full_output_path inner_error
    invalid_bytes lines_truncated log_error match_limit_reached next_pointer notice read_error redact_error
    result_limit_reached row_limit_reached signal signal_number timed_out]]):gmatch "%S+"
do
  OURS[name] = true
end

--- The details of a foreign tool without those.
local function foreign_details(details)
  local own = {}
  for key, value in next, details do
    if not OURS[key] then own[key] = value end
  end
  return own
end

--- What a foreign tool gave, in the form the tools of this package yield.
---@param value any a string, MCP content, or {content=, is_error=, total=, next_offset=, resume_hint=, details=}
---@param redactor? abridge.Redactor for what is encoded here
---@return table
function M.normalized(value, redactor)
  if source_of.is_source(value) then return { stream = value } end
  if type(value) ~= "table" or value.content == nil then
    local text, failed = M.encoded(value, redactor)
    return { text = text, is_error = failed }
  end
  local text, details, blocks = value.content, value.details, nil
  local stream = source_of.is_source(text) and text or nil
  if stream then text = "" end
  if type(text) == "table" and rawget(text, 1) ~= nil then
    text, blocks = split_content(text)
  elseif type(text) == "table" and next(text) == nil then
    text = ""
  end
  local failed
  if not stream then
    text, failed = M.encoded(text, redactor)
  end
  return {
    text = not stream and text or nil,
    stream = stream,
    blocks = blocks,
    is_error = failed or value.is_error == true or value.isError == true,
    total = value.total,
    next_offset = value.next_offset,
    resume_hint = value.resume_hint,
    details = type(details) == "table" and foreign_details(details) or nil,
  }
end

-- the block ----------------------------------------------------------------------

local function is_offset(value)
  return type(value) == "number" and value >= 0 and value == math.floor(value) and value <= 2 ^ 53
end

--- Why a cut was made, on the wire.
---@param cut abridge.Cut
---@param limits abridge.Limits
---@param reason? abridge.Reason the tool's own
---@return abridge.Reason
function M.reason(cut, limits, reason)
  if reason then return reason end
  if cut.truncated_by == "lines" then return "line_cap" end
  return cut.truncated_by == "bytes" and limit.has_exec_budget(limits) and "exec_budget" or "size_cap"
end

--- The block of a text cut by its tool's limits.
---@param value table
---@param cut abridge.Cut
---@param body string
---@param limits abridge.Limits
---@param tool { name: string, reason: abridge.Reason|nil }
---@return abridge.Info
local function block_of(value, cut, body, limits, tool)
  local made = value.block and value.block(cut, body)
  if made then return made end
  if cut.truncated then return info.without_resume(#body, cut.total_bytes, M.reason(cut, limits, tool.reason)) end
  if value.lines_truncated then return info.without_resume(#body, cut.total_bytes, tool.reason or "size_cap") end
  if is_offset(value.next_offset) then
    local hint = value.resume_hint
    if type(hint) ~= "string" or #hint > info.most_hint then
      hint = notice.resume_hint(tool.name, value.next_offset)
    end
    return info.with_resume(#body, nil, value.next_offset, hint, tool.reason or "item_cap")
  end
  return info.not_truncated(#body)
end

-- full outputs ----------------------------------------------------------------------

local FULL_OUTPUT = { "full_output_path", "full_output_bytes", "full_output_error", "full_output_code" }

--- Keeps the full output of a text, once, when something of it is cut; a stream keeps its own.
---@param save? fun(text: string): string|nil, integer, string|nil, string|nil
---@param text? string
---@return fun(cut: abridge.Cut)
function M.keeper(save, text)
  local kept
  return function(cut)
    if not (save and text) or cut.full_output_path or cut.full_output_error then return end
    kept = kept or { save(text) }
    cut.full_output_path, cut.full_output_bytes = kept[1], kept[1] and kept[2]
    cut.full_output_error, cut.full_output_code = kept[3], kept[4]
  end
end

-- results ------------------------------------------------------------------------------

local function filled(t)
  return next(t) ~= nil and t or nil
end

---@class (exact) abridge.ResultCall
---@field tool string the name that was called
---@field own_name string the tool's own name
---@field call_id string
---@field limits abridge.Limits
---@field ceiling? abridge.Limits laid over the whole
---@field save? fun(text: string): string|nil, integer, string|nil, string|nil keeps a full output: its path, bytes and
---  what went wrong
---@field reason? abridge.Reason

--- Nothing of a text but what is said of it, as much of that as `most` bytes hold; nil for an empty one.
local function left_out(text, parts, most)
  local body, cut = limit.cut(text, { max_bytes = 0 })
  if not cut.truncated then return nil end
  parts.adjust(cut)
  for _, said in ipairs { notice.left_out(cut), notice.truncated, "" } do
    if #said <= most then return said, cut, body, { notice = said ~= "" and said or nil } end
  end
end

--- Cut what a tool gave by limits, and say so.
local function cut_value(value, source, limits, parts, most)
  local content, cut, body, said
  if value.left_out then
    content, cut, body, said = left_out(source, parts, most or math.huge)
  elseif value.wrapper then
    content, cut, body, said = wrapper.fit(source, limits, parts, value.wrapper)
  end
  if not content then
    content, cut, body, said = fit.fit(source, limits, parts)
  end
  return content, cut, body, said
end

--- Cut what a tool gave by the ceiling in place of its own limits: both ends, and a marker that tells of it.
local function cut_by_ceiling(call, value, source, limits, parts)
  local adjust = parts.adjust
  local told = setmetatable({ told = true }, { __index = parts.data or {} })
  local own = setmetatable({ data = told }, { __index = parts })
  function own.adjust(cut)
    adjust(cut)
    cut.next_offset, cut.next_column = nil, nil -- what is missing lies in the middle
  end
  local content, cut, body, said = cut_value(value, source, limits, own, call.ceiling.max_bytes)
  local unknown = value.notice and value.notice.unknown_total or value.partial
  return content, cut, info.without_resume(#body, not unknown and cut.total_bytes or nil, "size_cap"), said
end

--- How many bytes there were before the ceiling, where it is what bound a tool that has it in its own budget.
local function before_ceiling(call, limits, cut, block)
  local bound = call.ceiling_bound and limits.max_bytes == call.ceiling_bound
  return bound and cut.truncated_by == "bytes" and (block.bytes_total or cut.total_bytes) or nil
end

--- Make the result of a call. A text is cut once: by its tool's limits, or where what these let through is over the
--- ceiling, by that.
---@param call abridge.ResultCall
---@param value table as `normalized` gives, or as a tool of this package yields: also stream, exit, empty, notice,
---  adjust, block, limits, unsaved (its text is no full output), raw_bytes (of its text before it was cleaned),
---  wrapper, left_out (nothing of the text is shown, only a notice), ceiled (what makes its stream anew, for a cut by
---  the ceiling), partial (the size of its source is not known)
---@return abridge.Result
function M.make(call, value)
  local limits = value.limits and limit.copy(value.limits) or limit.split_lines(call.limits)
  local source, text = value.text, value.text
  limits.clean = nil -- it was, before it was redacted
  local streamed = {} -- the ledger of a stream by its own limits
  if value.stream then
    local all
    all, streamed = value.stream:finish()
    source, text = value.stream, not streamed.truncated and all or nil
  else
    limits.utf8 = "replace"
  end

  local keep = M.keeper(not value.unsaved and call.save or nil, text)
  local parts = { tool = call.own_name, data = value.notice, exit = value.exit, empty = value.empty }
  function parts.adjust(cut)
    cut.raw_bytes = cut.raw_bytes or value.raw_bytes or streamed.raw_bytes
    if value.adjust then value.adjust(cut) end
    if not cut.truncated then return end
    if streamed.truncated then
      for _, key in ipairs(FULL_OUTPUT) do
        cut[key] = streamed[key]
      end
    end
    keep(cut)
  end
  local metadata = {}
  local block
  local content, cut, body, said = cut_value(value, source, limits, parts)
  if call.ceiling and #content > call.ceiling.max_bytes then
    metadata.truncated_bytes = #content
    limits = limit.ceiled(limits, call.ceiling)
    local whole = value.ceiled and value.ceiled(limits) or text or value.stream:ceiled(limits)
    content, cut, block, said = cut_by_ceiling(call, value, whole, limits, parts)
    if type(whole) ~= "string" then whole:close() end
  else
    block = block_of(value, cut, body, limits, { name = call.tool, reason = call.reason })
    metadata.truncated_bytes = before_ceiling(call, limits, cut, block)
  end
  local long_lines = cut.lines_truncated or (value.notice or {}).lines_truncated -- told beside the cut
  if block.truncated and (cut.more or not long_lines) then cut.truncated = true end
  if is_offset(value.total) and block.truncated then metadata.truncated_total = value.total end
  if value.stream then value.stream:close() end

  if #cut.kept == 0 then cut.kept = nil end
  local details = plain_data.copy(value.details) or {}
  details.cut = cut
  details.full_output_path = cut.full_output_path
  details.exit_line, details.notice = said.exit, said.notice
  return {
    tool = call.tool,
    call_id = call.call_id,
    content = content,
    blocks = value.blocks,
    is_error = value.is_error or false,
    truncation = block:to_table(),
    details = filled(details),
    metadata = filled(metadata),
  }
end

local CRUDE_BYTES = 4096

--- How it ended, and why its last part could not be kept.
local function crude_exit(value)
  local lost = value.stream and value.stream.lost and notice.incomplete(value.stream.lost)
  if not (value.exit and lost) then return value.exit or lost end
  return value.exit:find(lost, 1, true) and value.exit or value.exit .. ". " .. lost
end

--- A result when making the proper one failed (a token counter raised, say): some of both ends and how it ended, no
--- more than the budgets but of tokens, and what went wrong in `details.inner_error`.
---@param call abridge.ResultCall
---@param value table
---@param problem string
---@return abridge.Result
function M.crude(call, value, problem)
  local text = type(value.text) == "string" and value.text or ""
  local total, cut_before = #text, false
  if value.stream then
    local ok, content, shown = pcall(value.stream.finish, value.stream)
    text = ok and content or ""
    if ok then total, cut_before = shown.total_bytes, shown.truncated end
    value.stream:close()
  end
  local exit = crude_exit(value)
  local ceiling = call.ceiling and call.ceiling.max_bytes
  local budget = math.min(CRUDE_BYTES, call.limits.max_bytes or CRUDE_BYTES, ceiling or CRUDE_BYTES)
  local room = #fit.trailer("x", exit)
  if room > budget / 2 then exit, room = nil, 0 end
  local content, cut = core.head_tail(text, {
    max_bytes = budget - room,
    max_lines = call.limits.max_lines,
    max_chars = call.limits.max_chars and math.max(call.limits.max_chars - room, 0),
    utf8 = "replace",
  })
  local block = info.not_truncated(#content)
  if cut.truncated or cut_before then block = info.without_resume(#content, total, "size_cap") end
  local details = plain_data.copy(value.details) or {}
  details.inner_error = problem
  return {
    tool = call.tool,
    call_id = call.call_id,
    content = content .. fit.trailer(content, exit),
    blocks = value.blocks,
    is_error = value.is_error or value.stream and value.stream.lost ~= nil or false,
    truncation = block:to_table(),
    details = details,
  }
end

return M
