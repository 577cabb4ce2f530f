--- The full output of a call, as the page shows it: its parts, shown to the model or left out. One that is too large
--- for the page is linked, and each part of it sampled at both ends.

local files = require "abridge.base.files"
local escape = require "abridge.report.escape"
local words = require "abridge.report.words"

local M = {}

M.MOST = 1024 * 1024 -- bytes of a full output that is copied

local MOST_PARTS = 60 -- of one that is sampled
local SAMPLE = { [true] = 200, [false] = 800 } -- bytes at each end of a part that was kept, and of one left out
local LABEL = { [true] = "shown", [false] = "left out" }

--- A part's text: all of it, or its two ends.
local function text_of(read, segment, most)
  local from, to = segment.from, segment.to
  local left = to - from - 2 * most
  if left <= 0 then return escape.text(read(from, to)) end
  local head, tail = read(from, from + most), read(to - most, to)
  head = head:match "^.*\n" or head
  tail = tail:match "\n(.*)$" or tail
  local between = ("... %s not copied here ..."):format(words.size(to - from - #head - #tail))
  return escape.text(head) .. words.span("dim", between) .. "\n" .. escape.text(tail)
end

local function part(read, segment, id, most)
  local label = ("%s %s"):format(words.place(segment), LABEL[segment.kept])
  local text = text_of(read, segment, most)
  if segment.kept then return ('<span id="%s">%s</span>'):format(id, text) end
  return ('<del id="%s"><b>%s</b>%s</del>'):format(id, label, (text:gsub("^\n", "", 1)))
end

--- The id of a part on the page.
---@param index integer of the call
---@param i integer of the part
---@return string
function M.id(index, i)
  return ("c%ds%d"):format(index, i)
end

--- Is a part on the page?
---@param i integer
---@param is_copy boolean
---@return boolean
function M.has(i, is_copy)
  return is_copy or i <= MOST_PARTS
end

--- The parts of a full output.
---@param fd integer
---@param size integer of the file, which may end before the ledger does
---@param segments abridge.report.Segment[]
---@param index integer of the call
---@param is_copy boolean all of it
---@return string html
function M.html(fd, size, segments, index, is_copy)
  local function read(from, to)
    to = math.min(to, size)
    return to > from and files.read(fd, to - from, from) or ""
  end
  local parts = {}
  for i, segment in ipairs(segments) do
    if not M.has(i, is_copy) then
      local rest = #segments - i + 1
      parts[#parts + 1] = words.span("dim", ("\n... %s not copied here ..."):format(words.counted(rest, "more part")))
      break
    end
    parts[#parts + 1] = part(read, segment, M.id(index, i), is_copy and math.huge or SAMPLE[segment.kept])
  end
  return '<pre class="full">\n' .. table.concat(parts) .. "</pre>"
end

return M
