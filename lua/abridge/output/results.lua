--- From what a tool yielded to what the model gets: text is cut by the tool's limits, the ceiling is laid over it, and
--- the block says what happened.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local plain_data = require "abridge.base.plain_data"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local sentences = require "abridge.output.sentences"
local wrapper = require "abridge.output.wrapper"

local M = {}

---@class (exact) abridge.Result
---@field tool string the name that was called
---@field call_id string
---@field content string valid UTF-8, within the limits
---@field blocks? table[] images and other parts that are not text, untouched
---@field is_error boolean
---@field truncation abridge.Block
---@field details? table what the tool says besides its content; `details.cut` is the ledger
---@field metadata? { truncated_total: integer|nil, truncated_bytes: integer|nil }
---@field duration_ms integer

-- the block ----------------------------------------------------------------------

--- Why a cut was made, on the wire.
---@param cut abridge.Cut
---@param limits abridge.Limits
---@param reason? abridge.Reason the tool's own
---@return abridge.Reason
function M.reason(cut, limits, reason)
  if reason then return reason end
  if cut.kind == "binary" then return "size_cap" end
  if cut.truncated_by == "lines" then return "line_cap" end
  return cut.truncated_by == "bytes" and limit.has_exec_budget(limits) and "exec_budget" or "size_cap"
end

--- The block of a text cut by its tool's limits.
---@param value table
---@param cut abridge.Cut
---@param body string
---@param limits abridge.Limits
---@param call abridge.ResultCall
---@return abridge.Info
local function block_of(value, cut, body, limits, call)
  local made = value.block and value.block(cut, body)
  if made then return made end
  if cut.truncated then return info.without_resume(#body, cut.total_bytes, M.reason(cut, limits, call.reason)) end
  if value.lines_truncated then return info.without_resume(#body, cut.total_bytes, call.reason or "size_cap") end
  if check.is_count(value.next_offset) then
    local hint = value.resume_hint
    if type(hint) ~= "string" or #hint > info.most_hint then
      hint = sentences.resume_hint(call.tool, value.next_offset)
    end
    return info.with_resume(#body, nil, value.next_offset, hint, call.reason or "item_cap")
  end
  return info.not_truncated(#body)
end

-- full outputs ----------------------------------------------------------------------

local FULL_OUTPUT = { "full_output_path", "full_output_bytes", "full_output_error", "full_output_code" }

--- A function that keeps the full output of a text, once, when it is cut; a stream keeps its own.
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

--- A value's text in its result.
---@class (exact) abridge.Shown
---@field content string
---@field cut abridge.Cut
---@field said { exit: string|nil, notice: string|nil }
---@field block abridge.Info
---@field bytes_before? integer its size before the ceiling cut it

--- Show nothing of a text but its notice, or as much of that as fits in `most` bytes; nil for an empty text.
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

--- Cut what a tool gave by the ceiling in place of its own limits: both ends, and a marker that says so.
---@return abridge.Shown
local function cut_by_ceiling(call, value, source, limits, parts)
  local adjust = parts.adjust
  local told = setmetatable({ told = true }, { __index = parts.data or {} })
  local own = setmetatable({ data = told }, { __index = parts })
  function own.adjust(cut)
    adjust(cut)
    cut.next_offset, cut.next_column = nil, nil -- what is missing is in the middle
  end
  local content, cut, body, said = cut_value(value, source, limits, own, call.ceiling.max_bytes)
  local unknown = value.notice and value.notice.unknown_total or value.partial
  local block = info.without_resume(#body, not unknown and cut.total_bytes or nil, "size_cap")
  return { content = content, cut = cut, said = said, block = block }
end

--- How many bytes there were before the ceiling, if that is what cut a tool that has it in its own budget.
local function before_ceiling(call, limits, cut, block)
  local bound = call.ceiling_bound and limits.max_bytes == call.ceiling_bound
  return bound and cut.truncated_by == "bytes" and (block.bytes_total or cut.total_bytes) or nil
end

--- What is to be cut; its text, if all of it is in memory; and the ledger of a stream by its own limits.
local function source_of(value)
  if not value.stream then return value.text, value.text, {} end
  local all, cut = value.stream:finish()
  return value.stream, not cut.truncated and all or nil, cut
end

--- What a text is cut with: the data of its notice, how it ended, and what to add to its ledger.
local function parts_of(call, value, text, streamed)
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
  return parts
end

--- Cut a value once: by its tool's limits, or by the ceiling where these let through more.
---@return abridge.Shown
local function shown_of(call, value)
  local limits = value.limits and limit.copy(value.limits) or limit.split_lines(call.limits)
  limits.clean = nil -- it was cleaned before it was redacted
  if not value.stream then limits.utf8 = "replace" end
  limits = limit.of_kind(limits, value.kind)
  local source, text, streamed = source_of(value)
  local parts = parts_of(call, value, text, streamed)
  local content, cut, body, said = cut_value(value, source, limits, parts)
  if call.ceiling and #content > call.ceiling.max_bytes and cut.kind == "binary" then -- neither end of it may show
    limits = limit.narrowed(limits, { max_bytes = call.ceiling.max_bytes })
    if value.stream then value.stream:lower { max_bytes = limits.max_bytes } end
    content, cut, body, said = cut_value(value, source, limits, parts)
  end
  if not call.ceiling or #content <= call.ceiling.max_bytes then
    local block = block_of(value, cut, body, limits, call)
    local before = before_ceiling(call, limits, cut, block)
    return { content = content, cut = cut, said = said, block = block, bytes_before = before }
  end
  limits = limit.for_ceiling(limits, call.ceiling)
  local whole = value.reopen and value.reopen(limits) or text or value.stream:for_ceiling(limits)
  local shown = cut_by_ceiling(call, value, whole, limits, parts)
  if type(whole) ~= "string" then whole:close() end
  shown.bytes_before = #content
  return shown
end

--- What the tool tells, the ledger, and what was said of it.
local function details_of(value, cut, said)
  local details = plain_data.copy(value.details) or {}
  details.cut = cut
  details.full_output_path = cut.full_output_path
  details.exit_line, details.notice = said.exit, said.notice
  return filled(details)
end

--- Make the result of a call. A text is cut once: by its tool's limits, or if they let more through, by the ceiling.
---@param call abridge.ResultCall
---@param value table as `yielded.normalized` gives, or as a tool of this package yields: also stream, exit, empty,
---  notice, adjust, block, limits, unsaved (its text is no full output), raw_bytes (size of its text before it was
---  cleaned), kind, wrapper, left_out (show only a notice), reopen (opens its stream again, for a cut by the ceiling),
---  partial (the size of its source is unknown)
---@return abridge.Result
function M.make(call, value)
  local shown = shown_of(call, value)
  local cut, block = shown.cut, shown.block
  local long_lines = cut.lines_truncated or (value.notice or {}).lines_truncated -- said besides the cut
  if block.truncated and (cut.more or not long_lines) then cut.truncated = true end
  if value.stream then value.stream:close() end
  if #cut.kept == 0 then cut.kept = nil end
  return {
    tool = call.tool,
    call_id = call.call_id,
    content = shown.content,
    blocks = value.blocks,
    is_error = value.is_error or false,
    truncation = block:to_table(),
    details = details_of(value, cut, shown.said),
    metadata = filled {
      truncated_bytes = shown.bytes_before,
      truncated_total = check.is_count(value.total) and block.truncated and value.total or nil,
    },
  }
end

local CRUDE_BYTES = 4096

--- How a command ended, and why its last part could not be kept.
local function crude_exit(value)
  local lost = value.stream and value.stream.lost and sentences.incomplete(value.stream.lost)
  if not (value.exit and lost) then return value.exit or lost end
  return value.exit:find(lost, 1, true) and value.exit or value.exit .. ". " .. lost
end

--- The result when making the proper one failed (a token counter raised, say): a little of both ends and how it ended,
--- within all budgets except tokens, with the reason in `details.inner_error`.
---@param call abridge.ResultCall
---@param value table
---@param problem string
---@return abridge.Result
function M.crude(call, value, problem)
  local text = type(value.text) == "string" and value.text or ""
  local total, cut_before = #text, false
  if value.kind == "binary" then -- it was not redacted
    text, cut_before = "", true
  end
  if value.stream then
    local ok, content, shown = pcall(value.stream.finish, value.stream)
    text = ok and content or ""
    if ok then
      total, cut_before = shown.total_bytes, shown.truncated
    end
    value.stream:close()
  end
  local exit = crude_exit(value)
  local ceiling = call.ceiling and call.ceiling.max_bytes
  local budget = math.min(CRUDE_BYTES, call.limits.max_bytes or CRUDE_BYTES, ceiling or CRUDE_BYTES)
  local room = #fit.trailer("x", exit)
  if room > budget / 2 then
    exit, room = nil, 0
  end
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
