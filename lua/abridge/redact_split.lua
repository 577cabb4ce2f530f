--- Secrets split by what does not show: escape sequences, C1 controls, chars without width. A model, and who reads with
--- it, puts the halves together; so a line is also looked at without them.

local core = require "abridge.core_loader"

local HIDDEN = require("abridge.redact_bounds").hidden

local find, sub = string.find, string.sub

local M = {}

--- How many bytes two texts have in common at their start, and at their end beside that.
local function common(a, b)
  local most = math.min(#a, #b)
  local head = 0
  while head < most and a:byte(head + 1) == b:byte(head + 1) do
    head = head + 1
  end
  local tail = 0
  while tail < most - head and a:byte(#a - tail) == b:byte(#b - tail) do
    tail = tail + 1
  end
  return head, tail
end

--- What is shown of a line: `shown`, as it is redacted; or, where more is hidden of what is seen of it, that. Where
--- each hides something that the other shows, all between is hidden.
local function unsplit(redacted, line, shown, sequences)
  local plain = core.seen(line, sequences)
  local hidden = redacted(plain)
  if hidden == plain or hidden == core.seen(shown, sequences) then return shown end
  if shown == line then return hidden end
  local head, tail = common(line, shown)
  local first = #core.seen(sub(line, 1, head), sequences)
  local last = #core.seen(sub(line, #line - tail + 1), sequences)
  local kept_first, kept_last = common(plain, hidden)
  if kept_first <= first and kept_last <= last then return hidden end
  return sub(plain, 1, math.min(first, kept_first))
    .. HIDDEN
    .. sub(plain, #plain - math.min(last, kept_last) + 1)
end

local function redacted_line(kind, line)
  local function redacted(text)
    return sub(kind:lines("\n" .. text .. "\n"), 2, -2)
  end
  local first = redacted(line)
  local shown = unsplit(redacted, line, first, true)
  if shown ~= first or not find(line, "\27", 1, true) then return shown end
  return unsplit(redacted, line, first, false) -- where the sequence would take a byte of the secret
end

--- Is no more hidden of what is seen of lines than of these?
local function hides_all(kind, lines, shown, sequences)
  local plain = core.seen(lines, sequences)
  return kind:lines(plain) == (shown == lines and plain or core.seen(shown, sequences))
end

--- Redact whole lines, a newline in front of the first and behind each, as `kind` does, split secrets too.
---@param kind table of redact_patterns.lua or redact_function.lua
---@param lines string
---@return string
function M.lines(kind, lines)
  if not core.has_unseen(lines) then return kind:lines(lines) end
  if not kind.calls then -- all at once, where no function of the caller's is called for it
    local shown = kind:lines(lines)
    local escapes = find(lines, "\27", 1, true)
    if hides_all(kind, lines, shown, true) and not (escapes and not hides_all(kind, lines, shown, false)) then
      return shown
    end
  end
  local out, from, at = { "\n" }, 2, 2 -- from..at: lines in which all shows
  local function take_plain()
    if from < at then out[#out + 1] = sub(kind:lines("\n" .. sub(lines, from, at - 1)), 2) end
  end
  while at <= #lines do
    local stop = find(lines, "\n", at, true)
    local line = sub(lines, at, stop - 1)
    if core.has_unseen(line) then
      take_plain()
      out[#out + 1] = redacted_line(kind, line) .. "\n"
      from = stop + 1
    end
    at = stop + 1
  end
  take_plain()
  return table.concat(out)
end

return M
