--- Several texts of one result under one budget: the share of each, and its cut.

local core = require "abridge.base.core_loader"
local cap = require "abridge.output.cap"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local recently_capped = require "abridge.output.recently_capped"
local yielded = require "abridge.output.yielded"

local M = {}

local WHO = "abridge.share"

--- Share out a total: small ones get all they want, the others get the same (max-min fairness). If something is left
--- when all have enough, it is shared out too.
---@param sizes integer[]
---@param total integer
---@return integer[] shares no more than `total` together
function M.fair(sizes, total)
  local order, shares, left = {}, {}, total
  for i = 1, #sizes do
    order[i] = i
  end
  table.sort(order, function(a, b)
    if sizes[a] ~= sizes[b] then return sizes[a] < sizes[b] end
    return a < b
  end)
  for rank, i in ipairs(order) do
    shares[i] = math.min(sizes[i], math.floor(left / (#sizes - rank + 1)))
    left = left - shares[i]
  end
  for i = 1, #sizes do
    shares[i] = shares[i] + math.floor(left / #sizes)
  end
  return shares
end

--- The same, but each gets at least so much, even if that is over the total.
---@param sizes integer[]
---@param total integer
---@param least integer[] none over its size
---@return integer[] shares
function M.fair_from(sizes, total, least)
  local shares, open, left = {}, {}, total
  for i = 1, #sizes do
    open[i] = i
  end
  repeat -- those that get their least take it from the others
    local wanted, still = {}, {}
    for k, i in ipairs(open) do
      wanted[k] = sizes[i]
    end
    for k, fair in ipairs(M.fair(wanted, math.max(left, 0))) do
      local i = open[k]
      shares[i] = math.max(fair, least[i])
      if fair < least[i] then
        left = left - least[i]
      else
        still[#still + 1] = i
      end
    end
    local settled = #still == #open
    open = still
  until settled
  return shares
end

--- A text's use of each budget; a byte outside UTF-8 counts as the three that replace it.
local function size_of(text, limits)
  local chars, invalid = core.count_chars(text)
  return {
    max_lines = core.count_lines(text),
    max_bytes = #text + 2 * invalid,
    max_chars = chars,
    max_tokens = limits.max_tokens and fit.tokens_of(text, limits),
  }
end

--- The limits of a whole result: those of a tool in a session with its ceiling, those given, or those of the tool in
--- the default profile.
---@param tool string
---@param opts { session: abridge.Session|nil, limits: abridge.Limits|nil }
---@return abridge.Limits
function M.limits(tool, opts)
  if opts.session then
    local ceiling = opts.session.table_of_limits:ceiling_limits(tool)
    return limit.narrowed(opts.session:limits(tool), { max_bytes = ceiling and ceiling.max_bytes })
  end
  local limits = opts.limits and limit.checked(WHO, limit.with_strategy(nil, opts.limits), 1)
  limits = limit.copy(limits or limit_table.new(WHO, "default", { ceiling = false }, 1):of(tool))
  limits.utf8 = limits.utf8 or "replace" -- sent as JSON
  return limits
end

--- Share the budgets of some limits out among texts.
---@param texts string[]
---@param limits abridge.Limits
---@param beside? { text: string, said: string|nil, lines: integer, taken: boolean } text of so many lines, and our own
---  sentence; `taken` if the text was cut already, so that both come first
---@return table<string, integer>[] budgets of each text
---@return boolean[] whole whether each text is within its budgets, and the text beside them
function M.out(texts, limits, beside)
  local sizes, budgets, whole = {}, {}, {}
  for i, text in ipairs(texts) do
    sizes[i], budgets[i], whole[i] = size_of(text, limits), {}, true
  end
  local n = #texts + 1
  if beside then
    sizes[n], budgets[n], whole[n] = size_of(beside.text, limits), {}, true
    for key, size in pairs(beside.said and size_of(beside.said, limits) or {}) do
      sizes[n][key] = sizes[n][key] + size -- tokens are weighed as they are sent: apart
    end
    sizes[n].max_lines = beside.lines
  end
  for _, key in ipairs(limit.budgets) do
    if limits[key] then
      local wanted, total = {}, limits[key]
      for i, size in ipairs(sizes) do
        wanted[i] = size[key]
      end
      if beside and beside.taken then
        local taken = table.remove(wanted)
        whole[n] = whole[n] and taken <= total
        total = math.max(total - taken, 0)
      end
      for i, share in ipairs(M.fair(wanted, total)) do
        budgets[i][key] = share
        whole[i] = whole[i] and wanted[i] <= share
      end
    end
  end
  return budgets, whole
end

--- These limits for structured content: it stays JSON, and as a schema may forbid a marker, there is none.
---@param limits abridge.Limits
---@return abridge.Limits a new table
function M.structured(limits)
  local over = { strategy = "auto", kind = "json", marker = "none", marker_text = false, snap = false, clean = false }
  return limit.copy(limits, over)
end

--- Why the log and the full outputs of a session are not kept.
M.closed = "the session is closed"

--- Cut a text by the limits of a session that is closed by now: as it would, but without log and full output.
---@param text any
---@param limits abridge.Limits
---@param session abridge.Session
---@param how? table as of abridge.cap
---@return string content
---@return abridge.Cut cut
---@return abridge.Block block
function M.cap_closed(text, limits, session, how)
  if session.redactor then
    text, limits = limit.cleaned(yielded.encoded(text), limits, session.redactor)
    if limits.kind ~= "binary" then text = session.redactor:text(text) end
  end
  return cap.cap(text, limits, how or {})
end

--- A host's names for its tools, for the notices of an adapter. Those of a session are not the host's: it names none
--- unless its options do.
---@param opts { session: abridge.Session|nil }
---@return abridge.ToolNames
function M.tool_names(opts)
  return opts.session and opts.session.opts.tool_names or {}
end

--- Cut one text by a tool's limits and its share of their budgets, and say so; through the session, if there is one,
--- with its log and full output. A text that was cut here lately passes as it is.
---@param tool string
---@param text string
---@param limits abridge.Limits of the whole result
---@param budgets table<string, integer> the text's share
---@param opts { session: abridge.Session|nil, save: string|nil, resume: string|nil }
---@param structured? boolean it is the JSON of structured content
---@return string content
---@return abridge.Block block
---@return abridge.Cut|nil cut absent when making it failed
---@return string|nil problem why this is less than it should be
function M.cap(tool, text, limits, budgets, opts, structured)
  local own = limit.narrowed(limits, budgets)
  if structured then own = M.structured(own) end
  if not opts.session then
    local how = { save = opts.save, resume = opts.resume }
    local by_name = opts.resume and not structured -- such a sentence goes with the tool's own notices
    if by_name then how.limits = budgets end
    local content, cut, block = cap.cap(text, by_name and tool or own, how)
    return content, block, cut
  end
  own.session = opts.session -- another one may redact
  if recently_capped.has(text, own) then
    local content, cut, block = cap.cap(text, {})
    return content, block, cut
  end
  if opts.session.closed then
    own.session = nil
    local content, cut, block = M.cap_closed(text, own, opts.session)
    return content, block, cut, M.closed
  end
  local how = { limits = budgets, structured = structured, tool_names = M.tool_names(opts) }
  local result = opts.session:cap(tool, text, how)
  if result.truncation.truncated then recently_capped.add(result.content, own) end
  local details = result.details or {}
  return result.content, result.truncation, details.cut, details.inner_error
end

return M
