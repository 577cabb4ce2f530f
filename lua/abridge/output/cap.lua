--- `abridge.cap`: cut a text and say so, for hosts that run their tools themselves.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local files = require "abridge.base.files"
local fit = require "abridge.output.fit"
local info = require "abridge.output.info"
local limit = require "abridge.output.limit"
local limit_table = require "abridge.output.limit_table"
local notice = require "abridge.output.notice"
local items = require "abridge.output.items"
local page = require "abridge.output.page"
local recently_capped = require "abridge.output.recently_capped"
local results = require "abridge.output.results"
local yielded = require "abridge.output.yielded"

local M = {}

local WHO = "abridge.cap"

---@class (exact) abridge.CapOptions
---@field path? string the file the text came from, named in the notice of `read_file`
--- for `read_file`: the number in its file of the text's first line, inside its wrapper. The notice counts from it and
--- gives no total; the block has no `next_offset`
---@field first_line? integer
--- limits that replace those of `tool_or_limits`, key by key; `false` takes a budget away
---@field limits? abridge.Limits
--- a sentence with `{next}` or `{next0}` in it, in place of `Use offset={next} to continue`; `{next0}` is the same line
--- counted from 0
---@field resume? string
--- `true`: an enclosing Markdown fence or tag pair is kept, the cut is made inside it, and the notice follows it. The
--- wrapper counts towards every budget; one that takes more than half of a budget is cut like any text. `"beside"`:
--- also tags that share a line with text, a fence inside a tag pair, and up to 1 KiB of text before and after a fence
--- that nothing closes earlier, such as the heading a host prints
---@field wrapper? boolean|"beside"
--- a folder for the full output of each text that is cut, as `0001-run_command.log` and so on; created private (0700,
--- files 0600), refused if it is not. The cut and the notice tell of any trouble with it
---@field save? string
--- `{ shell =, read =, search = }`: the model's names for its tools; without it the notice names none
---@field tool_names? abridge.ToolNames

--- The options of a host for a text, here and in `session:cap`.
M.options = {
  path = "string",
  first_line = check.positive,
  limits = "table",
  resume = notice.check_resume,
  wrapper = function(value)
    return require("abridge.output.wrapper").check(value)
  end,
  tool_names = notice.check_tool_names,
}

local OPTIONS = {
  save = function(value)
    if type(value) ~= "string" or value == "" or value:find("\0", 1, true) then return "a folder" end
  end,
}
for name, kind in pairs(M.options) do
  OPTIONS[name] = kind
end

--- The data of these options for the notice of a text.
---@param opts table
---@param text string
---@return abridge.NoticeData
function M.notice_data(opts, text)
  local first, names = opts.first_line, opts.tool_names or {}
  return {
    shell = names.shell or nil,
    read = names.read or nil,
    search = names.search or nil,
    path = opts.path,
    resume = opts.resume,
    offset = first,
    unknown_total = first and true,
    total_lines = first and first - 1 + core.count_lines(text),
  }
end

--- Apply these options to a session's value. A text for read_file is the first page of a file, unless it is known to be
--- something else.
---@param call abridge.ResultCall
---@param value table with a text; for read_file also a file with it, for others also one whose stream is opened next
---@param opts abridge.SessionCapOptions|{ at: abridge.PageAt|nil } `at`: another page than the first
---@param redactor? abridge.Redactor
function M.prepare(call, value, opts, redactor)
  value.wrapper, value.left_out, value.notice = opts.wrapper, opts.left_out, M.notice_data(opts, value.text or "")
  local tell
  call.limits, tell = items.of_text(call.own_name, call.limits, value.notice)
  if tell then
    function value.adjust(cut)
      call.reason, value.total = tell(cut), cut.truncated and cut.total_lines or nil
    end
  end
  if call.own_name ~= "read_file" or value.left_out or opts.first_line then return end
  if value.wrapper and require("abridge.output.wrapper").split(value.text, value.wrapper) then return end
  if redactor and value.text then
    value.text, value.redacted = redactor:text(value.text), true
  end
  value.wrapper = nil -- there is none
  local how = { text = value.text, path = value.file, split = true, redactor = value.file and redactor or nil }
  local at = opts.at or {}
  local source, code, detail = page.open(at, call.limits, how)
  value.stream = source
  if not source then
    value.text, value.is_error, value.details = page.message(code, detail, at, "-"), true, { error_code = code }
    return
  end
  function value.reopen(limits)
    return page.open(at, limits, how)
  end
  local adjust
  value.notice, adjust = page.notice_data(at, call.limits, value.notice)
  function value.adjust(cut)
    adjust(cut)
    cut.version = nil -- it is not that of the file which the text is from
  end
  if opts.at then return end -- of stdin, which no further call reads
  function value.block(cut, body)
    return page.block(cut, body, call.tool, opts.resume)
  end
end

--- The limits of a tool by its name in the default profile, or those given.
local function limits_for(tool_or_limits, over)
  if tool_or_limits == nil then tool_or_limits = "*" end
  if type(tool_or_limits) == "table" then
    return limit.checked(WHO, limit.with_strategy(nil, limit.copy(tool_or_limits, over)), 2), "run_command"
  end
  if type(tool_or_limits) ~= "string" then
    check.fail(("%s: tool_or_limits must be a string or a table, got %s"):format(WHO, check.show(tool_or_limits)), 1)
  end
  local tool = tool_or_limits
  return limit_table.new(WHO, "default", { limits = { [tool] = over }, ceiling = false }, 2):of(tool), tool
end

-- full outputs ------------------------------------------------------------------------

local MOST_NUMBERS = 1e6 -- full outputs in one folder

local numbers = {} -- by folder, the last one used

--- Keep texts in a folder, each under the next free number.
local function saver(dir, tool)
  return function(text)
    local path, size, message, code
    repeat
      numbers[dir] = (numbers[dir] or 0) + 1
      path, size, message, code = core.save(dir, files.output_name(numbers[dir], tool), text)
    until code ~= "EEXIST" or numbers[dir] > MOST_NUMBERS
    return path, size, message, code
  end
end

-- cap ---------------------------------------------------------------------------------

--- Have the full output kept before a notice is made that may name it.
local function keeping(parts, keep)
  local adjust = parts.adjust
  function parts.adjust(cut)
    if adjust then adjust(cut) end
    if cut.truncated then keep(cut) end
  end
  return parts
end

local function block_of(cut, body, limits, tool, opts, reason)
  if not cut.truncated then return info.not_truncated(#body) end
  return page.block(cut, body, tool, opts.resume)
    or info.without_resume(#body, cut.total_bytes, results.reason(cut, limits, reason))
end

--- Is a text the first page of a file? Such a text is never cleaned; one inside a wrapper, or from further on in its
--- file, is a text of its own.
local function is_page(text, tool, opts)
  if tool ~= "read_file" or opts.first_line then return false end
  return not (opts.wrapper and require("abridge.output.wrapper").split(text, opts.wrapper))
end

--- Cut a text and add the notice; `save` keeps its full output, `forgets` does without the memory of texts capped
--- lately.
local function capped(text, limits, tool, opts, save, forgets)
  local _, kind
  text, _, kind = yielded.encoded(text)
  local parts = { tool = tool, data = M.notice_data(opts, text) }

  if not forgets and recently_capped.has(text, limits) then
    local content, cut = limit.cut(text, {}) -- whole
    if limits.strategy == "auto" then cut.kind = limits.kind or kind or core.kind_name(text) end
    return content, cut, info.not_truncated(#content):to_table()
  end
  local given, raw_bytes = limits, nil
  limits = limit.of_kind(limits, kind)
  if not is_page(text, tool, opts) then
    text, limits, raw_bytes = limit.cleaned(text, limits)
  end
  if tool ~= "read_file" then limits = limit.split_lines(limits) end
  local reason, tell
  limits, tell = items.of_text(tool, limits, parts.data)
  if tell then
    function parts.adjust(cut)
      reason = tell(cut)
    end
  end
  local keep = results.keeper(save, text)
  local content, cut, body
  if opts.wrapper then
    content, cut, body = require("abridge.output.wrapper").fit(text, limits, keeping(parts, keep), opts.wrapper)
  end
  if not content then
    if tool == "read_file" and not opts.first_line then
      text = page.open({}, limits, { text = text, split = true })
      parts.data, parts.adjust = page.notice_data({}, limits, parts.data)
    end
    keeping(parts, keep)
    content, cut, body = fit.fit(text, limits, parts)
    if type(text) ~= "string" then text:close() end
  end
  cut.raw_bytes = raw_bytes
  if not forgets then recently_capped.add(content, given) end
  return content, cut, block_of(cut, body, limits, tool, opts, reason):to_table()
end

--- Cut a text by a tool's limits and add the notice.
---
--- Never raises on account of `text`: anything but a string is encoded first. A text that `cap` returned lately passes
--- unchanged under the same limits. Raises on misuse of the other arguments, naming them.
---@param text any
---@param tool_or_limits? string|abridge.Limits a tool of the default profile ("*" unless set), or limits
---@param opts? abridge.CapOptions
---@return string content within the limits, notice and all
---@return abridge.Cut cut
---@return abridge.Block block
function M.cap(text, tool_or_limits, opts)
  opts = check.options(WHO, opts, OPTIONS, 1)
  local limits, tool = limits_for(tool_or_limits, opts.limits)
  return capped(text, limits, tool, opts, opts.save and saver(opts.save, tool))
end

--- `cap` of another view of an output: its notice names the file that has the output whole, if there is one.
---@param text any
---@param limits abridge.Limits
---@param opts abridge.CapOptions
---@param of? abridge.Cut of the output that was kept
---@return string content
function M.cap_view(text, limits, opts, of)
  local own, tool = limits_for(limits)
  local path = of and of.full_output_path
  return (capped(text, own, tool, opts, path and function()
    return path, of.full_output_bytes
  end))
end

--- `cap` of a text without a memory of earlier ones, so that every process gives the same.
---@param text string
---@param limits abridge.Limits
---@return string content
function M.cap_anew(text, limits)
  local own, tool = limits_for(limits)
  return (capped(text, own, tool, {}, nil, true))
end

return M
