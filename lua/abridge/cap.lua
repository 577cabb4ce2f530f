--- `abridge.cap`: cut a text and say so, for hosts that run their tools themselves.

local check = require "abridge.check"
local core = require "abridge.core"
local files = require "abridge.files"
local fit = require "abridge.fit"
local info = require "abridge.info"
local limits_of = require "abridge.limits"
local memory = require "abridge.memory"
local page = require "abridge.page"
local results = require "abridge.result"

local M = {}

local WHO = "abridge.cap"

---@class (exact) abridge.CapOptions
---@field path? string the file the text came from, for the notice of "read_file"
---@field resume? string a sentence on how to go on, with {next}, in place of ours
---@field wrapper? boolean keep an enclosing Markdown fence or tag pair and cut inside it
---@field save? string folder for the full output of a text that is cut: made 0700 where it is missing, refused where it
---  is not private

local OPTIONS = {
  path = "string",
  resume = function(value)
    if type(value) ~= "string" or not value:find("{next}", 1, true) then return "a sentence with {next} in it" end
  end,
  wrapper = "boolean",
  save = function(value)
    if type(value) ~= "string" or value == "" or value:find("\0", 1, true) then return "a folder" end
  end,
}

--- The limits of a tool by its name in the default profile, or those given.
local function limits_for(tool_or_limits)
  if tool_or_limits == nil then tool_or_limits = "*" end
  if type(tool_or_limits) == "table" then return limits_of.checked(WHO, tool_or_limits, 2), "run_command" end
  if type(tool_or_limits) ~= "string" then
    check.fail(("%s: tool_or_limits must be a string or a table, got %s"):format(WHO, check.show(tool_or_limits)), 1)
  end
  return limits_of.table(WHO, "default", {}, false, nil, 1):of(tool_or_limits), tool_or_limits
end

-- wrappers --------------------------------------------------------------------------

--- An enclosing fence or tag pair: what opens, what is inside, what closes; or nil.
local function unwrapped(text)
  local fence = text:match("^(```+)[^`\n]*\n")
  local open, close
  if fence then
    open = text:match("^```+[^`\n]*\n")
    close = text:match("\n" .. fence .. "%s*$")
  else
    local tag = text:match("^<([%a_][%w_:.-]*)[^<>\n]*>\n")
    if tag then
      open = text:match("^<[^<>\n]*>\n")
      close = text:match("\n</" .. tag:gsub("%p", "%%%0") .. ">%s*$")
    end
  end
  if not open or not close or #open + #close > #text then return nil end
  return open, text:sub(#open + 1, #text - #close), close
end

--- Bring a cut of the inside to the coordinates of the whole text, open and close kept.
local function rewrap(cut, open, inside, close)
  local bytes, lines = #open, core.count_lines(open)
  local closing_lines = core.count_lines(open .. inside .. close) - core.count_lines(open .. inside)
  local total = bytes + #inside + #close
  local ranges = { { first_byte = 1, last_byte = bytes, first_line = 1, last_line = lines } }
  for _, range in ipairs(cut.kept) do
    ranges[#ranges + 1] = {
      first_byte = range.first_byte + bytes,
      last_byte = range.last_byte + bytes,
      first_line = range.first_line + lines,
      last_line = range.last_line + lines,
    }
  end
  for _, marker in ipairs(cut.markers or {}) do
    marker.first_byte, marker.last_byte = marker.first_byte + bytes, marker.last_byte + bytes
  end
  cut.total_bytes = total
  cut.total_lines = cut.total_lines + lines + closing_lines
  cut.output_bytes = cut.output_bytes + bytes + #close
  cut.output_lines = cut.output_lines + lines + closing_lines
  ranges[#ranges + 1] = {
    first_byte = total - #close + 1,
    last_byte = total,
    first_line = cut.total_lines - closing_lines + (close:sub(1, 1) == "\n" and 0 or 1),
    last_line = cut.total_lines,
  }
  cut.kept = { ranges[1] }
  for i = 2, #ranges do -- ranges that touch are one
    local last, range = cut.kept[#cut.kept], ranges[i]
    if range.first_byte == last.last_byte + 1 then
      last.last_byte, last.last_line = range.last_byte, range.last_line
    else
      cut.kept[#cut.kept + 1] = range
    end
  end
end

-- full outputs ------------------------------------------------------------------------

local MOST_NUMBERS = 1e6 -- full outputs of one folder

local numbers = {} -- by folder, the last one that was given

--- Keeps a text in a folder, under the next number that is free there.
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

--- Limits less what stands around the text.
local function beside(limits, around)
  local left = limits_of.copy(limits)
  left.max_bytes = limits.max_bytes and limits.max_bytes - #around
  left.max_chars = limits.max_chars and limits.max_chars - core.count_chars(around)
  left.max_tokens = limits.max_tokens and limits.max_tokens - fit.tokens_of(around, limits)
  return left
end

--- Cut the text inside its wrapper, and put the notice behind the wrapper.
local function cap_inside(text, limits, parts)
  local open, inside, close = unwrapped(text)
  if not open then return nil end
  local _, whole = limits_of.cut(text, limits)
  if not whole.truncated then return nil end
  local around = core.count_lines(open .. close)
  local gap = close:sub(-1) == "\n" and "" or "\n" -- before the notice, beside the blank line inside would need
  local left = beside(limits, open .. close .. gap)
  left.max_lines = limits.max_lines and limits.max_lines - around
  for _, budget in ipairs(limits_of.budgets) do
    -- a wrapper that takes most of the budget is no frame for what is left
    if limits[budget] and left[budget] < limits[budget] / 2 then return nil end
  end
  local content, cut, body = fit.fit(inside, left, parts)
  local said = content:sub(#body + 1):gsub("^\n+", "")
  rewrap(cut, open, inside, close)
  for _, budget in ipairs(limits_of.budgets) do
    cut[budget] = limits[budget]
  end
  body = open .. body .. close
  return body .. fit.trailer(body, nil, said ~= "" and said or nil), cut, body
end

--- Let the full output be kept before a notice is made that may name it.
local function keeping(parts, keep)
  local adjust = parts.adjust
  function parts.adjust(cut)
    if adjust then adjust(cut) end
    if cut.truncated then keep(cut) end
  end
  return parts
end

local function block_of(cut, body, limits, tool, opts)
  if not cut.truncated then return info.not_truncated(#body) end
  return page.block(cut, body, tool, opts.resume)
    or info.without_resume(#body, cut.total_bytes, results.reason(cut, limits))
end

--- Cut a text by a tool's limits and add the notice.
---
--- Never raises on account of `text`: what is no string is encoded first (JSON where a library is there). A text
--- that `cap` returned lately passes again unchanged under the same limits. Raises on misuse of the other arguments,
--- naming them.
---@param text any
---@param tool_or_limits? string|abridge.Limits a tool of the default profile ("*" unless set), or limits
---@param opts? abridge.CapOptions
---@return string content within the limits, notice and all
---@return abridge.Cut cut
---@return abridge.Block block
function M.cap(text, tool_or_limits, opts)
  opts = check.options(WHO, opts, OPTIONS, 1)
  local limits, tool = limits_for(tool_or_limits)
  text = results.encoded(text)
  local parts = { tool = tool, data = { path = opts.path, resume = opts.resume } }

  if memory.has(text, limits) then
    local content, cut = limits_of.cut(text, {}) -- whole
    return content, cut, info.not_truncated(#content):to_table()
  end
  local given, raw_bytes = limits, nil
  if tool ~= "read_file" then
    text, limits, raw_bytes = limits_of.cleaned(text, limits)
  end
  if tool ~= "read_file" then limits = limits_of.split_lines(limits) end
  local keep = results.keeper(opts.save and saver(opts.save, tool), text)
  local content, cut, body
  if opts.wrapper then content, cut, body = cap_inside(text, limits, keeping(parts, keep)) end
  if not content then
    if tool == "read_file" then
      text = page.open({}, limits, { text = text, split = true })
      parts.data, parts.adjust = page.notice_data({}, limits, parts.data)
    end
    keeping(parts, keep)
    content, cut, body = fit.fit(text, limits, parts)
    if type(text) ~= "string" then text:close() end
  end
  cut.raw_bytes = raw_bytes
  memory.add(content, given)
  return content, cut, block_of(cut, body, limits, tool, opts):to_table()
end

return M
