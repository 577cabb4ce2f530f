--- Pages of a full output, by lines, in memory that does not depend on its size.

local check = require "abridge.check"
local core = require "abridge.core"
local files = require "abridge.files"
local host = require "abridge.host"
local limits_of = require "abridge.limits"
local notice = require "abridge.notice"

local M = {}

local PAGE = limits_of.profiles.default.read_file
local SEEN_BEYOND = 8 -- bytes behind the budget that tell whether a line, or a char, fits

---@class (exact) abridge.PageOptions
---@field offset? integer first line, from 1
---@field limit? integer lines wanted; no more than read_file shows by default
---@field column? integer first char of that line, from 1

---@class (exact) abridge.PageInfo
---@field first_line integer
---@field last_line integer
---@field total_lines integer
---@field total_bytes integer
---@field next_offset? integer line where the next page starts; nil at the end
---@field next_column? integer char in that line, where the page ends inside it
---@field final_newline? true only the last newline did not fit
---@field full_output_error? string why the text is not the whole output

local function positive(value)
  if not check.is_count(value) or value == 0 then return "an integer from 1 to 2^53" end
end

local OPTIONS = { offset = positive, limit = positive, column = positive }

--- Check what a public function is given to show a page. Raises at the level of that function's caller.
---@param who string
---@param call_id any
---@param opts any
---@return abridge.PageOptions
function M.check(who, call_id, opts)
  if type(call_id) ~= "string" then
    check.fail(("%s: call_id must be a string, got %s"):format(who, check.show(call_id)), 1)
  end
  local checked = check.options(who, opts, OPTIONS, 2)
  return checked
end

-- sources -----------------------------------------------------------------------------
-- read(at, n) gives up to n bytes behind the first `at`, "" at the end, or nil, message, code

--- Read n bytes, fewer only at the end.
local function read_fully(source, at, n)
  local parts, have = {}, 0
  while have < n do
    local block, message, code = source.read(at + have, n - have)
    if not block then return nil, message, code end
    if block == "" then break end
    parts[#parts + 1], have = block, have + #block
  end
  return table.concat(parts)
end

--- Where the blocks of a source start, how many newlines lie before each, and how many lines and bytes it has.
local function index_of(source)
  local index = { starts = {}, newlines = {}, lines = 0, size = 0 }
  local newlines, ends_line = 0, true
  while true do
    local block, message, code = source.read(index.size, files.BLOCK)
    if not block then return nil, message, code end
    if block == "" then break end
    index.starts[#index.starts + 1], index.newlines[#index.newlines + 1] = index.size, newlines
    ends_line = block:sub(-1) == "\n"
    newlines = newlines + core.count_lines(block) - (ends_line and 0 or 1)
    index.size = index.size + #block
  end
  index.lines = newlines + (ends_line and 0 or 1)
  return index
end

--- Bytes before a line that the source has.
local function start_of_line(source, index, line)
  if line == 1 then return 0 end
  local low, high = 1, #index.starts -- looked for: the last block with fewer than line - 1 newlines before it
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if index.newlines[middle] < line - 1 then
      low = middle
    else
      high = middle - 1
    end
  end
  local block, message, code = read_fully(source, index.starts[low], files.BLOCK)
  if not block then return nil, message, code end
  return index.starts[low] + (core.find_line(block, line - index.newlines[low]) or #block + 1) - 1
end

--- Bytes before a char of the line that starts at a place.
local function start_of_char(source, at, column, line)
  local chars = 0
  while column > 1 do
    local block, message, code = read_fully(source, at, files.BLOCK)
    if not block then return nil, message, code end
    local text = block:match "^[^\n]*"
    local ended = #text < files.BLOCK
    -- a sequence that the end of the block may have cut goes with the next block
    if not ended then text = text:gsub("[\194-\244][\128-\191]?[\128-\191]?$", "") end
    local byte = core.find_char(text, column - chars)
    if byte then return at + byte - 1 end
    at, chars = at + #text, chars + core.count_chars(text)
    if ended then
      return nil, notice.message("ECOLUMN", { column = column, offset = line, total = chars }), "ECOLUMN"
    end
  end
  return at
end

local function page(source, index, opts)
  local offset, column = opts.offset or 1, opts.column or 1
  if offset > math.max(index.lines, 1) then
    return nil, notice.message("EOFFSET", { offset = offset, total = index.lines }), "EOFFSET"
  end
  local at, text, message, code
  at, message, code = start_of_line(source, index, offset)
  if not at then return nil, message, code end
  at, message, code = start_of_char(source, at, column, offset)
  if not at then return nil, message, code end
  text, message, code = read_fully(source, at, PAGE.max_bytes + SEEN_BEYOND)
  if not text then return nil, message, code end

  local max_lines = math.min(opts.limit or PAGE.max_lines, PAGE.max_lines)
  local content, cut = core.head(text, { max_lines = max_lines, max_bytes = PAGE.max_bytes, long_line = "split" })
  local info = { first_line = offset, last_line = offset + math.max(cut.output_lines, 1) - 1 }
  info.total_lines, info.total_bytes = index.lines, index.size
  if cut.last_line_partial then
    info.next_offset, info.next_column = offset, column + core.count_chars(content)
  elseif cut.truncated then
    info.next_offset = offset + cut.output_lines
  end
  info.final_newline = cut.final_newline
  return content, info
end

-- pages ------------------------------------------------------------------------------

--- A page of a text.
---@param text string
---@param opts abridge.PageOptions
---@return string|nil content
---@return abridge.PageInfo|string info the message when there is no content
---@return string|nil code EOFFSET, ECOLUMN
function M.text_page(text, opts)
  local source = {
    read = function(at, n)
      return text:sub(at + 1, at + n)
    end,
  }
  return page(source, assert(index_of(source)), opts)
end

--- A page of a file.
---@param path string
---@param opts abridge.PageOptions
---@param memory { identity: string|nil, index: table|nil } keeps the index of a file for its next page
---@return string|nil content
---@return abridge.PageInfo|string info the message when there is no content
---@return string|nil code EOFFSET, ECOLUMN, or that of the file's error
function M.file_page(path, opts, memory)
  local uv = host.uv()
  local fd, stat, code = files.open(path)
  if not fd then return nil, stat, code end
  local source = {
    read = function(at, n)
      return uv.fs_read(fd, n, at)
    end,
  }
  local modified = stat.mtime
  local identity = ("%.0f %.0f %.0f.%09.0f %s"):format(stat.ino, stat.size, modified.sec, modified.nsec, path)
  local content, info
  if memory.identity ~= identity then
    memory.index, info, code = index_of(source)
    memory.identity = memory.index and identity
  end
  if memory.index then content, info, code = page(source, memory.index, opts) end
  uv.fs_close(fd)
  return content, info, code
end

return M
