--- From a tool's yield to the model's result: text is cut by the tool's limits, then by the ceiling, and the block
--- tells of it.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local plain_data = require "abridge.base.plain_data"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local sentences = require "abridge.output.sentences"
local sources = require "abridge.output.source"

local M = {}

---@class (exact) abridge.Result
---@field tool string the name that was called
---@field call_id string the id of the call
---@field content string the model's part: text, exit line and notice, as valid UTF-8 within the limits
--- the parts of MCP content that are not text, as a list, untouched but for redaction; absent when there are none
---@field blocks? table[]
---@field is_error boolean did the call fail?
---@field truncation abridge.Block the [block](#the-truncation-block)
--- `cut` (the ledger; without `kept` when nothing was kept), `notice` and `exit_line` (the lines after the text; each
--- absent if the content has none), `full_output_path`, `failure`, and whatever the tool reports. `failure` says of a
--- call that failed how, if that is known: `timeout`, `cancelled`, `signal`, `exit`, `denied`, `invalid_input`,
--- `unknown_tool`, or its `error_code`. `inner_error` and no `cut` when making the result failed, for instance in
--- `count_tokens`; the content is then at most 4096 bytes of both ends, and how it ended. `log_error`: why an event is
--- not in the log. `redact_error`: `true` once the `redact` function has failed; its lines then show as `[redacted]`
---@field details? table
--- `truncated_total`: the tool's own count of all its items, if it left any out (for a search that stopped early, of
--- those seen); `truncated_bytes`: the bytes that the tool had to show, of a page from its start on, if the ceiling
--- bound the cut (of a search that stopped early, those it had). Absent when neither applies
---@field metadata? { truncated_total: integer|nil, truncated_bytes: integer|nil }
---@field duration_ms integer without luv in whole seconds
---@field display? abridge.Block the block of a screen, once [`abridge.display`](#display) has set it

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
---@field ceiling? abridge.Limits bounds the whole
--- keeps a full output: its path, bytes and trouble with it
---@field save? fun(text: string): string|nil, integer, string|nil, string|nil
---@field keeps? fun(text: string): boolean is a full output kept that is shown whole?
---@field reason? abridge.Reason
---@field name_of fun(key: "shell"|"read"|"search"): string|nil a tool's name in notices
---@field no_hint? boolean as in abridge.NoticeData

---@class (exact) abridge.Share A result's part of a budget that several have together, under its own limits.
---@field max_bytes? integer
---@field max_tokens? integer
---@field exit? string the line that says how it ended, if its own limits have room for it: it stays

--- A value's text in its result.
---@class (exact) abridge.Shown
---@field content string
---@field cut abridge.Cut
---@field said { exit: string|nil, notice: string|nil }
---@field block abridge.Info
---@field bytes_had? integer size of the tool's whole text, if the ceiling bound it

--- Show nothing of a text but its notice, or as much of that as fits in `most` bytes; nil for an empty text.
local function left_out(text, parts, most)
  local body, cut = limit.cut(text, { max_bytes = 0 })
  if not cut.truncated then return nil end
  parts.adjust(cut)
  for _, said in ipairs { notice.left_out(cut, parts.data), notice.truncated, "" } do
    if #said <= most then return said, cut, body, { notice = said ~= "" and said or nil } end
  end
end

--- Would a cut pass for a tool that gave nothing, as blanks and [] do?
local function shows_nothing(content, cut)
  return cut.truncated and not content:find "[%w\128-\255]"
end

--- Cut a tool's text by limits, and say so.
local function cut_value(value, source, limits, parts, most)
  local content, cut, body, said
  if value.left_out then
    content, cut, body, said = left_out(source, parts, most or math.huge)
  elseif value.wrapper then
    content, cut, body, said = require("abridge.output.wrapper").fit(source, limits, parts, value.wrapper)
  end
  if not content then
    content, cut, body, said = fit.fit(source, limits, parts)
  end
  if parts.shared and limits.strategy ~= "pipeline" and shows_nothing(content, cut) then
    body, cut = limit.cut(source, limits, { max_bytes = 0 })
    for _, name in ipairs(limit.budgets) do
      cut[name] = limits[name]
    end
    parts.adjust(cut)
    content, said = notice.truncated, { notice = notice.truncated }
  end
  return content, cut, body, said
end

--- Cut a tool's text by the ceiling in place of its own limits: both ends, and a marker that says so.
---@return abridge.Shown
local function cut_by_ceiling(value, source, limits, parts, ceiling)
  local adjust = parts.adjust
  local told = setmetatable({ told = true }, { __index = parts.data })
  local own = setmetatable({ data = told }, { __index = parts })
  function own.adjust(cut)
    adjust(cut)
    cut.next_offset, cut.next_column = nil, nil -- the gap is in the middle
  end
  local content, cut, body, said = cut_value(value, source, limits, own, ceiling.max_bytes)
  local unknown = value.notice and value.notice.unknown_total or value.partial
  local block = info.without_resume(#body, not unknown and cut.total_bytes or nil, "size_cap")
  return { content = content, cut = cut, said = said, block = block }
end

--- How many bytes a tool had to show: of a page, from its start on.
local function had(value, cut)
  return cut.total_bytes - (value.bytes_before or 0)
end

--- Did the ceiling cut a tool that has it in its own budget?
local function is_bound(call, limits, cut)
  return call.ceiling_bound and limits.max_bytes == call.ceiling_bound and cut.truncated_by == "bytes"
end

--- The text to cut; its text, if all of it is in memory, as a full output has it: with bytes outside UTF-8; and the
--- ledger of a stream by its own limits.
local function source_of(call, value)
  if not value.stream then return value.text, value.text, {} end
  local all, cut = value.stream:finish()
  if cut.truncated or cut.compact then return value.stream, nil, cut end
  if call.save and #all ~= cut.total_bytes then all = value.stream:snapshot { keep_bytes = true } end
  return value.stream, all, cut
end

--- The options of a text's cut: the data of its notice, how it ended, and a function that adds to its ledger.
local function parts_of(call, value, text, streamed)
  local keep = M.keeper(not value.unsaved and call.save or nil, text)
  local data = value.notice or {}
  data.shell, data.read, data.no_hint = call.name_of "shell", call.name_of "read", call.no_hint
  local parts = { tool = call.own_name, data = data, exit = value.exit, empty = value.empty }
  function parts.adjust(cut)
    cut.raw_bytes = cut.raw_bytes or value.raw_bytes or streamed.raw_bytes
    if value.adjust then value.adjust(cut) end
    if not cut.truncated then
      if call.keeps and text and not cut.compact and call.keeps(text) then keep(cut) end
      return
    end
    if streamed.truncated then
      for _, key in ipairs(FULL_OUTPUT) do
        cut[key] = streamed[key]
      end
    end
    keep(cut)
    data.search = data.search or cut.full_output_path and call.name_of "search"
  end
  return parts
end

--- The source and the options of a value's cut, the same however often it is cut.
local function opened(call, value)
  if not value.opened then
    local source, text, streamed = source_of(call, value)
    local parts = parts_of(call, value, text, streamed)
    value.opened = { source = source, text = text, streamed = streamed, parts = parts }
  end
  return value.opened
end

local MESSAGE_BYTES = 4096 -- an error of at most this is a message, not output

--- The limits of a value.
---@return abridge.Limits a new table
local function limits_of(call, value, share)
  local limits = value.limits and limit.copy(value.limits) or limit.split_lines(call.limits)
  limits.clean = nil -- it was cleaned before it was redacted
  if not value.stream then limits.utf8 = "replace" end
  limits = limit.of_kind(limits, value.kind)
  if not share then return limits end
  limits = limit.narrowed(limits, share)
  local is_error = value.is_error and value.text and not value.exit and value.kind ~= "binary"
  if is_error and (limits.strategy == "tail" or #value.text <= MESSAGE_BYTES) then
    return limit.for_ceiling(limits, { strategy = "head", long_line = "split" }) -- the error comes first
  end
  return limits
end

--- The source of a value and its parts under a share.
local function under_share(one, limits, share)
  local source = one.source
  if type(source) ~= "string" and limits.strategy ~= "pipeline" then
    local budgets = {}
    for _, key in ipairs(limit.budgets) do
      budgets[key] = share[key] and math.min(share[key], one.streamed[key] or math.huge)
    end
    source = sources.lowered(source, budgets)
  end
  local parts = check.copied(one.parts)
  parts.shared, parts.exit, parts.exit_first = true, share.exit, true
  return source, parts
end

--- Is a content over the ceiling, which has a budget of tokens under a share alone?
local function is_over(content, ceiling, limits)
  if not ceiling then return false end
  if #content > ceiling.max_bytes then return true end
  return ceiling.max_tokens ~= nil and fit.tokens_of(content, limits) > ceiling.max_tokens
end

--- Cut a value once: by its tool's limits, or by the ceiling if these let through more.
---@return abridge.Shown
local function shown_of(call, value, share)
  local one, limits, ceiling = opened(call, value), limits_of(call, value, share), call.ceiling
  local source, parts = one.source, one.parts
  if share then
    source, parts = under_share(one, limits, share)
    ceiling = ceiling and limit.narrowed(ceiling, share)
  end
  local content, cut, body, said = cut_value(value, source, limits, parts)
  if cut.kind == "binary" and is_over(content, ceiling, limits) then -- neither end of it may show
    limits = limit.narrowed(limits, ceiling)
    if value.stream then value.stream:lower { max_bytes = limits.max_bytes } end
    content, cut, body, said = cut_value(value, source, limits, parts)
  end
  if not is_over(content, ceiling, limits) then
    local block = block_of(value, cut, body, limits, call)
    local bytes_had = is_bound(call, limits, cut) and had(value, cut) or nil
    return { content = content, cut = cut, said = said, block = block, bytes_had = bytes_had }
  end
  limits = limit.for_ceiling(limits, ceiling)
  local reopened = value.reopen and value.reopen(limits)
  local whole = reopened or one.text or value.stream:for_ceiling(limits)
  local shown = cut_by_ceiling(value, whole, limits, parts, ceiling)
  if reopened then reopened:close() end
  shown.bytes_had = had(value, shown.cut)
  return shown
end

--- How a call failed, in a word; nil if it did not, or nothing is known but that it did.
local function failure_of(value, details)
  if not value.is_error then return nil end
  if details.timed_out then return "timeout" end
  if details.cancelled then return "cancelled" end
  if details.signal then return "signal" end
  if (details.exit_code or 0) ~= 0 then return "exit" end
  return value.failure or details.error_code
end

--- The tool's own details, the ledger, and its notice.
local function details_of(value, cut, said)
  local details = plain_data.copy(value.details) or {}
  details.failure = failure_of(value, details)
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
---  partial (the size of its source is unknown), bytes_before (of its source, before the page), failure (how it failed,
---  if its details do not say so)
---@param share? abridge.Share cut it to that, again if it was cut before: its stream stays open
---@return abridge.Result
---@return string|nil exit the exit line, if it is in the content
function M.make(call, value, share)
  local shown = shown_of(call, value, share)
  local cut, block = shown.cut, shown.block
  local long_lines = cut.lines_truncated or (value.notice or {}).lines_truncated -- said besides the cut
  if block.truncated and (cut.more or not long_lines) then cut.truncated = true end
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
      truncated_bytes = shown.bytes_had,
      truncated_total = check.is_count(value.total) and block.truncated and value.total or nil,
    },
  },
    shown.said.exit
end

local CRUDE_BYTES = 4096

--- How a command ended, and why its last part could not be kept.
local function crude_exit(value)
  local lost = value.stream and value.stream.lost and sentences.incomplete(value.stream.lost)
  if not (value.exit and lost) then return value.exit or lost end
  return value.exit:find(lost, 1, true) and value.exit or value.exit .. ". " .. lost
end

--- The start and the end of a text, within the byte and line budgets of a call and its share, beside an exit line.
local function crude_cut(call, text, share, exit)
  local limits, ceiling = call.limits, call.ceiling or {}
  local budget = math.min(
    CRUDE_BYTES,
    limits.max_bytes or CRUDE_BYTES,
    ceiling.max_bytes or CRUDE_BYTES,
    share.max_bytes or CRUDE_BYTES
  )
  local after = fit.trailer("x", exit)
  if #after > budget / 2 and not share.exit then
    exit, after = nil, ""
  end
  local tokens = share.max_tokens and core.weigh_tokens(after, limits.token_safety)
  local content, cut = core.head_tail(text, {
    max_bytes = math.max(budget - #after, 0),
    max_lines = limits.max_lines,
    max_chars = limits.max_chars and math.max(limits.max_chars - #after, 0),
    max_tokens = tokens and math.max(share.max_tokens - tokens, 0),
    token_safety = limits.token_safety,
    utf8 = "replace",
  })
  return content, cut, exit
end

--- The result when making the proper one failed (a token counter raised, say): a little of both ends and how it ended,
--- within all budgets except the tool's own tokens, with the reason in `details.inner_error`.
---@param call abridge.ResultCall
---@param value table
---@param problem string
---@param share? abridge.Share
---@return abridge.Result
---@return string|nil exit the exit line, if it is in the content
function M.crude(call, value, problem, share)
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
  end
  local exit = crude_exit(value)
  if share then exit = share.exit end
  local content, cut
  content, cut, exit = crude_cut(call, text, share or {}, exit)
  local block = info.not_truncated(#content)
  if cut.truncated or cut_before then block = info.without_resume(#content, total, "size_cap") end
  local details = plain_data.copy(value.details) or {}
  details.inner_error, details.failure = problem, failure_of(value, details)
  content = content .. fit.trailer(content, exit)
  if share and cut.truncated and not content:find "%S" then
    content, details.notice = notice.truncated, notice.truncated
  end
  return {
    tool = call.tool,
    call_id = call.call_id,
    content = content,
    blocks = value.blocks,
    is_error = value.is_error or value.stream and value.stream.lost ~= nil or false,
    truncation = block:to_table(),
    details = details,
  },
    exit
end

return M
