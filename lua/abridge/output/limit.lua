--- Limits: how much of one tool's output a model sees, and the one place where they become options of the core.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local profiles = require "abridge.output.profiles"

local M = {}

local KB = 1024

---@class (exact) abridge.Limits How much of one tool's output is shown. A key that is absent forbids nothing.
--- as for [cuts](#options); with `"pipeline"`, `max_chars`, `max_lines`, `head_ratio`, `indicators` and `clean` are the
--- only keys of a cut. Unless set, `"auto"` for commands and for tools without a row, `"head"` for others
---@field strategy? "auto"|"head"|"tail"|"head_tail"|"priority"|"pipeline"
---@field max_lines? integer as for [cuts](#options)
---@field max_bytes? integer|string
---@field max_chars? integer
---@field count_tokens? fun(text: string): integer
---@field token_safety? number
---@field long_line? "omit"|"split"
---@field head_ratio? number
---@field snap? "line"|"char"
---@field marker? "inside"|"outside"|"none"
---@field marker_text? string
---@field kind? abridge.Kind
---@field hits? table
---@field indicators? boolean
--- as for cuts; in a session also a share of its `window`, such as `"5%"`
---@field max_tokens? integer|string
---@field utf8? "keep"|"replace" as for cuts; `"replace"` in sessions
--- as for a cut; a tool's text or stream is cleaned and [redacted](#redaction). Pages of files are not cleaned. In the
--- profile `default` it is `{ invisible = true }` for commands and for tools without a row
---@field clean? boolean|table<string, boolean>
--- a byte budget by name: `"silent"` 200 bytes, `"concise"` 2KB, `"normal"` 8KB, `"verbose"` 16KB, `"full"` none,
--- `"auto"` 512 bytes for a command that succeeded and whose full output is kept, else 8KB. The smaller of it and
--- `max_bytes` counts. A cut by it has the reason `exec_budget`. A model may ask `run_command` for one of the first
--- four, to see less than the session allows; the tool's definition offers no others
---@field output? "silent"|"concise"|"normal"|"verbose"|"full"|"auto"
--- how many chars of a line show before `abridge.line` cuts it short; `read_file` applies it
---@field max_line_chars? integer
--- limits of items. They are named in the tool's description and in `ctx.limits`; the tool applies them, and `cap`
--- those of `find_files` and `list_directory`, which have an item a line
---@field max_matches? integer
---@field max_results? integer
---@field max_entries? integer
---@field max_rows? integer

--- Keys that the cut functions of the core take; it checks their values.
local CUT_KEYS = {
  max_lines = true,
  max_bytes = true,
  max_chars = true,
  max_tokens = true,
  count_tokens = true,
  token_safety = true,
  long_line = true,
  head_ratio = true,
  snap = true,
  marker = true,
  marker_text = true,
  utf8 = true,
  hits = true,
  kind = true,
  clean = true,
}
local PIPELINE_KEYS = {
  max_chars = true,
  max_lines = true,
  head_ratio = true,
  indicators = true,
  utf8 = true,
  clean = true,
}
--- The keys that are budgets.
M.budgets = { "max_lines", "max_bytes", "max_chars", "max_tokens" }
--- Those of them that "pipeline" does not know.
M.not_for_pipeline = { "max_bytes", "max_tokens" }

local BUDGET_OPTIONS = {
  max_bytes = function(value)
    if not core.parse_size(value) then return 'bytes, or a size such as "30KB"' end
  end,
}
for _, key in ipairs(M.budgets) do
  BUDGET_OPTIONS[key] = BUDGET_OPTIONS[key] or check.count
end

--- Check budgets that narrow limits, and turn sizes into bytes. Raises at the caller's level, or `deeper` levels out.
---@param who string
---@param budgets any
---@param deeper? integer
---@return table<string, integer> budgets a copy
function M.checked_budgets(who, budgets, deeper)
  local checked = {}
  for key, value in pairs(check.options(who, budgets, BUDGET_OPTIONS, (deeper or 0) + 1)) do
    checked[key] = key == "max_bytes" and core.parse_size(value) or value
  end
  return checked
end

--- Keys of limits that only the tools know, with their checks.
local TOOL_KEYS = {
  max_matches = check.count,
  max_results = check.count,
  max_entries = check.count,
  max_rows = check.count,
  max_line_chars = check.count,
  output = function(value)
    if profiles.exec_budgets[value] == nil then return '"silent", "concise", "normal", "verbose", "full" or "auto"' end
  end,
}

--- A copy that the caller may change, with other values for some keys; false takes one away.
---@param base abridge.Limits|nil
---@param over? table
---@return abridge.Limits
function M.copy(base, over)
  local all = check.copied(base or {})
  for key, value in next, over or {} do
    if value == false then
      all[key] = nil -- `max_lines = false` takes a profile's budget away
    else
      all[key] = value
    end
  end
  if type(all.clean) == "table" then all.clean = check.copied(all.clean) end -- never the profile's own table
  return all
end

--- How many bytes the core keeps for a char and for a token, and how many if only lines are limited: see
--- `abr_bytes_to_keep`.
M.bytes_per_char, M.bytes_per_token, M.bytes_of_lines = 4, 16, 1024 * KB

--- The most bytes that these budgets let through; math.huge if none of them bounds bytes.
---@param limits abridge.Limits
---@return number
function M.most_bytes(limits)
  return math.min(
    limits.max_bytes or math.huge,
    (limits.max_chars or math.huge) * M.bytes_per_char,
    (limits.max_tokens or math.huge) * M.bytes_per_token
  )
end

--- Does this table limit text at all?
---@param limits abridge.Limits
---@return boolean
function M.has_budget(limits)
  for _, key in ipairs(M.budgets) do
    if limits[key] then return true end
  end
  return false
end

--- A counter that falls back on the estimate when the host's raises, so that a stream's text is never lost to it. The
--- error shows when the whole content is weighed.
local function sure_counter(limits)
  return function(text)
    local ok, tokens = pcall(limits.count_tokens, text)
    return ok and check.is_count(tokens) and tokens or core.weigh_tokens(text, limits.token_safety)
  end
end

--- These limits as options of the core.
---@param limits abridge.Limits
---@return table
local function options_of(limits)
  local known = limits.strategy == "pipeline" and PIPELINE_KEYS or CUT_KEYS
  local opts = { strategy = limits.strategy or "head" }
  for key, value in pairs(limits) do
    if known[key] then opts[key] = value end
  end
  return opts
end

--- A stream's budget if nothing is limited: as much as a host may want in memory.
local MOST_KEPT = 64 * 1024 * 1024

--- Options of a stream under these limits. If they limit nothing, the last 64 MiB are kept. With `clean`, which a
--- source takes out again.
---@param limits abridge.Limits
---@param full_output table|false
---@return table
function M.stream_options(limits, full_output)
  local opts = { strategy = "tail", max_bytes = MOST_KEPT }
  if M.has_budget(limits) then opts = options_of(M.split_lines(limits)) end
  opts.full_output, opts.utf8, opts.clean = full_output, "replace", limits.clean
  if opts.count_tokens then opts.count_tokens = sure_counter(limits) end
  return opts
end

--- Options of a page under these limits. A page is never cleaned: its lines and bytes are those of the file.
---@param limits abridge.Limits
---@return table
function M.page_options(limits)
  local opts = options_of(limits)
  if not M.has_budget(opts) then opts.max_bytes = 2 ^ 53 end
  opts.utf8, opts.clean = "replace", nil
  return opts
end

--- Is a text binary, as "auto" has it? Judged before it is cleaned or redacted.
local function is_binary(text, limits)
  if limits.strategy ~= "auto" then return false end
  return limits.kind == "binary" or limits.kind == nil and core.is_binary(text, true, limits.clean and true)
end

--- A text, cleaned if its limits ask for it, and these without `clean`. Binary text stays as it came, and its limits
--- have that `kind`.
---@param text string
---@param limits abridge.Limits
---@param redactor? abridge.Redactor hides secrets before parts of them are overwritten
---@param goes_on? boolean more may follow
---@return string text
---@return abridge.Limits limits
---@return integer|nil raw_bytes its size before it was cleaned
function M.cleaned(text, limits, redactor, goes_on)
  local binary = is_binary(text, limits)
  if not limits.clean and not binary then return text, limits, nil end
  local left = M.copy(limits)
  left.clean = nil
  if binary then
    left.kind = "binary"
    return text, left, limits.clean and #text or nil
  end
  local clean = limits.clean ~= true and limits.clean or nil
  if redactor then return redactor:cleaned(text, clean, goes_on), left, #text end
  return (core.clean(text, clean)), left, #text
end

--- These limits for a text of a known kind, unless they name another one themselves or another strategy.
---@param limits abridge.Limits
---@param kind abridge.Kind|nil
---@return abridge.Limits
function M.of_kind(limits, kind)
  if not kind or limits.strategy ~= "auto" or limits.kind then return limits end
  return M.copy(limits, { kind = kind })
end

--- Cut a text by limits: the one place where limits become options of the core. A source has its limits already.
---@param text string|abridge.Source
---@param limits abridge.Limits
---@param extra? table options that override the limits: `reserve`, budgets
---@return string content
---@return abridge.Cut cut
function M.cut(text, limits, extra)
  if type(text) ~= "string" then return text:snapshot(extra) end
  local opts = options_of(limits)
  for key, value in pairs(extra or {}) do
    opts[key] = value
  end
  if M.has_budget(opts) then return core.cut(text, opts) end
  opts.max_lines = 2 ^ 53 -- nothing is limited; invalid bytes may still have to be replaced
  local content, cut = core.cut(text, opts)
  cut.max_lines = nil
  return content, cut
end

M.options = options_of

--- Limits with the strategy of a tool, unless they have one.
---@param tool string|nil its own name
---@param limits abridge.Limits
---@return abridge.Limits limits a new table
function M.with_strategy(tool, limits)
  local row = tool and profiles.all.default[tool] or profiles.all.default["*"]
  local all = M.copy(limits)
  if M.has_budget(all) then all.strategy = all.strategy or row.strategy end
  return all
end

--- Is this the name of a limit?
---@param key any
---@return boolean
function M.is_limit(key)
  return (CUT_KEYS[key] or PIPELINE_KEYS[key] or TOOL_KEYS[key] or key == "strategy") and true or false
end

--- Raise for a key that isn't a limit; `deeper` as in check.fail.
---@param who string
---@param key any
---@param value any
---@param deeper integer
function M.fail_unknown(who, key, value, deeper)
  check.fail(("%s: unknown limit '%s' (value %s)"):format(who, check.name(key), check.show(value)), deeper + 1)
end

--- Check one tool's limits, and turn sizes into bytes. Raises with the key and the value; `deeper` as in check.fail.
---@param who string
---@param limits table
---@param deeper integer
---@return abridge.Limits a new table
function M.checked(who, limits, deeper)
  limits = M.copy(nil, limits)
  local plain, cut = {}, {}
  for key, value in pairs(limits) do
    local for_pipeline = limits.strategy == "pipeline" and PIPELINE_KEYS[key]
    if TOOL_KEYS[key] then
      local expected = TOOL_KEYS[key](value)
      if expected then
        check.fail(("%s: %s must be %s, got %s"):format(who, key, expected, check.show(value)), deeper)
      end
    elseif key == "strategy" and value == "pipeline" then
      plain.strategy = value
    elseif for_pipeline or key == "strategy" or CUT_KEYS[key] then
      cut[key] = value
    elseif PIPELINE_KEYS[key] then
      check.fail(('%s: %s is for "pipeline" alone'):format(who, key), deeper)
    else
      M.fail_unknown(who, key, value, deeper)
    end
    plain[key] = value
  end
  -- a trial cut of an empty text: the core knows which values are right
  cut.strategy = limits.strategy or "head"
  if not M.has_budget(cut) then cut.max_lines = 0 end
  local ok, message = pcall(core.cut, "", cut)
  if not ok then check.fail(who .. tostring(message):gsub("^abridge%.%w+", ""), deeper) end
  if plain.max_bytes then plain.max_bytes = core.parse_size(plain.max_bytes) end
  return plain
end

--- These limits with each of the given budgets that is smaller.
---@param limits abridge.Limits
---@param budgets table<string, integer> by name
---@return abridge.Limits a new table
function M.narrowed(limits, budgets)
  local narrow = M.copy(limits)
  for _, key in ipairs(M.budgets) do
    if budgets[key] then narrow[key] = math.min(narrow[key] or math.huge, budgets[key]) end
  end
  return narrow
end

--- These limits under an exec budget, if that is smaller. A pipeline knows no bytes and stays as it is.
---@param limits abridge.Limits
---@param output string|nil its name
---@param bytes? integer in place of that of the name
---@return abridge.Limits
function M.under_output(limits, output, bytes)
  local budget = bytes or profiles.exec_budgets[output]
  -- a stream limited in chars or tokens alone keeps this many bytes
  local chars = limits.max_chars and limits.max_chars * M.bytes_per_char
  local tokens = limits.max_tokens and limits.max_tokens * M.bytes_per_token
  local most = limits.max_bytes or chars or tokens or math.huge
  if not budget or budget >= most or limits.strategy == "pipeline" then return limits end
  return M.copy(limits, { output = output, max_bytes = budget })
end

local OUTPUTS = { "silent", "concise", "normal", "verbose" }

--- The exec budgets that a model may choose from under these limits, smallest first; none if none is smaller than the
--- budget in force.
---@param limits abridge.Limits
---@return string[]
function M.outputs(limits)
  local names, less = {}, false
  for _, name in ipairs(OUTPUTS) do
    local is_less = M.under_output(limits, name) ~= limits
    less = less or is_less
    if is_less or profiles.exec_budgets[name] == limits.max_bytes then names[#names + 1] = name end
  end
  return less and names or {}
end

--- Is the byte budget of these limits an exec budget?
---@param limits abridge.Limits
---@return boolean
function M.has_exec_budget(limits)
  local name, bytes = limits.output, limits.max_bytes
  if not (name and bytes) then return false end
  return bytes == profiles.exec_budgets[name] or (name == "auto" and bytes == profiles.auto_success)
end

--- These limits, with a line over budget split unless they say otherwise. Only a page of a file, whose notice names
--- such a line, may show nothing because its first line is long.
---@param limits abridge.Limits
---@return abridge.Limits a new table
function M.split_lines(limits)
  local own = M.copy(limits)
  if (own.strategy or "head") == "head" and own.long_line == nil then own.long_line = "split" end
  return own
end

--- A ceiling's strategy, marker and bytes, with the other budgets of these limits.
---@param limits abridge.Limits
---@param ceiling abridge.Limits
---@return abridge.Limits a new table
function M.for_ceiling(limits, ceiling)
  local own = { utf8 = "replace", count_tokens = limits.count_tokens, token_safety = limits.token_safety }
  return M.narrowed(M.copy(ceiling, own), limits)
end

--- May a cut by these limits be over their budgets, by its markers?
---@param limits abridge.Limits
---@return boolean
function M.is_soft(limits)
  return limits.strategy == "pipeline" or limits.marker == "outside"
end

--- May these limits let through more than a ceiling?
---@param limits abridge.Limits
---@param ceiling abridge.Limits
---@return boolean
function M.may_exceed(limits, ceiling)
  return M.is_soft(limits) or M.most_bytes(limits) > ceiling.max_bytes
end

return M
