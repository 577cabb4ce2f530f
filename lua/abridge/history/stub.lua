--- The line in place of a result that a conversation has no room for: the end of the call above it, the size of its
--- output, and the place of that.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"
local tools = require "abridge.history.tools"

local M = {}

--- Tokens that no stub exceeds, and no result that is replaced is within.
M.MOST = 160

local WORDS = 24 -- tokens, without the margin, of a stub's words: all but lines, size and path
local STUB_BYTES = 16 * M.MOST -- more than any stub of ours has

-- the call ---------------------------------------------------------------------

--- A call's input as a value. Models may write nothing or null for an empty object.
---@param input any
---@return any
function M.decoded(input)
  if type(input) ~= "string" then return type(input) == "table" and input or {} end
  if not input:find "%S" then return {} end
  local json = host.json()
  local ok, value = pcall(json and json.decode or error, input)
  if not ok then return input end
  return check.is_null(value) and {} or value
end

-- shown parts ------------------------------------------------------------------------

--- A text that shows as it reads: no controls but newlines, nothing that hides or turns text.
local function printable(text)
  text = core.clean(text, { invisible = true }):gsub("[\t\r]", " ")
  return (text:gsub("[%z\1-\9\11-\31\127]", ""):gsub("\194[\128-\159]", ""))
end

--- A text on a line, in at most so many bytes: its start, and a little of its end.
---@param text string
---@param most integer
---@return string
function M.on_a_line(text, most)
  if #text <= most and not text:find "[^ -~]" and not text:find("  ", 1, true) then return text end
  local how = { max_bytes = most, head_ratio = 0.75, snap = "char", marker = "inside", marker_text = "..." }
  return (core.head_tail(printable(text):gsub("%s+", " "), how))
end

--- Is this text a stub, made under whichever options?
---@param text string
---@return boolean
function M.is_stub(text)
  local start = sentences.removed_start
  return #text <= STUB_BYTES and text:sub(1, #start) == start and text:find("]", 1, true) ~= nil
end

--- A text with at most one newline at its end. From the end: a pattern would look at a run of newlines once for each.
local function one_newline(text)
  local last = #text
  while last > 1 and text:byte(last) == 10 and text:byte(last - 1) == 10 do
    last = last - 1
  end
  return text:sub(1, last)
end

--- The output of a session's call, without our own words: the notice of a cut, and how it ended.
---@param text string
---@param ending? abridge.CallEnd nil: nobody knows what in it is ours
---@return string text
---@return string|nil exit its exit line
function M.printed(text, ending)
  if not ending then return text end
  local said = text:match "\n(%[Showing [^\n]*%])$"
  if said then text = one_newline(text:sub(1, -#said - 1)) end
  local exit = ending.exit
  local body = text:gsub("\n$", "")
  if not exit or body:sub(-#exit) ~= exit then return text end
  return one_newline(body:sub(1, -#exit - 1)), exit
end

--- The lines of a failure that `priority` keeps, in the rest of a stub's room; the line alone if there is none.
local function with_failure(text, line, weigher)
  if core.is_binary(text, true) then return line end
  text = printable(text)
  local limits = weigher.limits
  local room = M.MOST - weigher:text(line .. "\n")
  while room > 0 do
    local kept = core.cut(text, {
      strategy = "priority",
      max_tokens = room,
      count_tokens = limits.count_tokens,
      token_safety = limits.token_safety,
      utf8 = "replace",
    })
    kept = kept:match "^.*%S"
    local stub = kept and line .. "\n" .. kept
    if stub and weigher:text(stub) <= M.MOST then return stub end
    room = kept and math.floor(room / 2) or 0
  end
  return line
end

-- the stub ----------------------------------------------------------------------

--- How a tool may be called again; nil if it may not be.
local function again(call, opts)
  if not (call and call.name and tools.is_repeatable(call.name, opts)) then return nil end
  local redactor = opts.session and opts.session.redactor
  return M.on_a_line(redactor and redactor:text(call.name) or call.name, 64)
end

--- The lines of a file that a page shows, in words.
local function range(call, text, opts)
  if not (call and call.name) then return nil end
  local first, last = tools.page(tools.own_name(call.name, opts), call.input, text)
  return first and ("lines %.0f-%.0f"):format(first, last)
end

--- Drop the parts of a stub that it has no room for, the least needed first.
local function fitted(output, weigher)
  local words = sentences.removed { ended = output.ended, images = output.images, again = output.again }
  if core.estimate_tokens(words) > WORDS then output.again = nil end
  local line = sentences.removed(output)
  for _, key in ipairs { "path", "again", "images", "lines", "range", "bytes", "ended" } do
    if weigher:text(line) <= M.MOST then return line end
    output[key] = nil
    line = sentences.removed(output)
  end
  return weigher:text(line) <= M.MOST and line or nil
end

--- The stub of a result as it is now; nil if none is small enough.
---@param answer abridge.history.Answer
---@param weigher abridge.history.Weigher
---@param opts table of `history.fit`
---@return string|nil
function M.of(answer, weigher, opts)
  local content, ending, call = answer.content, answer.ending or {}, answer.call and answer.call.made
  local text = content.text
  local line = fitted({
    ended = ending.exit and sentences.ended(ending.exit) or answer.failed and "failed" or nil,
    images = content.media > 0 and content.media or nil,
    lines = text ~= "" and core.count_lines(text) or nil,
    bytes = #text + content.media_bytes,
    range = not answer.failed and range(call, text, opts) or nil,
    path = ending.path,
    again = again(call, opts),
  }, weigher)
  if not (line and answer.failed) then return line end
  text = M.printed(text, answer.ending)
  local redactor = opts.session and opts.session.redactor
  return with_failure(redactor and redactor:document(text) or text, line, weigher)
end

return M
