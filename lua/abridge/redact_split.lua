--- Secrets split by what does not show: escape sequences, C1 controls, chars without width. A model, and who reads with
--- it, puts the halves together; so a line is also looked at without them.

local HIDDEN = require("abridge.redact_bounds").hidden

local find, gsub, sub = string.find, string.gsub, string.sub

local M = {}

--- C1, soft hyphen, joiners, direction marks, tags, variation selectors.
local UNSEEN = {
  ["\194"] = { "\194[\128-\159\173]" },
  ["\205"] = { "\205\143" },
  ["\216"] = { "\216\156" },
  ["\225"] = { "\225\160[\139-\143]" },
  ["\226"] = { "\226\128[\139-\143\170-\174]", "\226\129[\160-\175]" },
  ["\239"] = { "\239\184[\128-\143]", "\239\187\191", "\239\191[\185-\187]" },
  ["\243"] = { "\243\160[\128-\135][\128-\191]" },
}
local LEADS = "[\194\205\216\225\226\239\243]"

--- Does anything that does not show stand in a text?
local function may_split(text)
  if find(text, "\27", 1, true) then return true end
  if not find(text, LEADS) then return false end
  for _, patterns in pairs(UNSEEN) do
    for _, pattern in ipairs(patterns) do
      if find(text, pattern) then return true end
    end
  end
  return false
end

--- Escape sequences taken out. Of one that never ends only its first two bytes go.
local function without_sequences(text)
  text = gsub(text, "\27[%]PX^_][^\7\27]*\7", "")
  text = gsub(text, "\27[%]PX^_][^\7\27]*\27\\", "")
  text = gsub(text, "\27%[[0-?]*[ -/]*[@-~]", "")
  return (gsub(text, "\27[ -/]*[0-~]?", ""))
end

--- No more than the byte that would begin one.
local function without_escapes(text)
  return (gsub(text, "\27", ""))
end

--- A text without what does not show.
local function joined(text, without)
  if find(text, "\27", 1, true) then text = without(text) end
  for lead, patterns in pairs(UNSEEN) do
    if find(text, lead, 1, true) then
      for _, pattern in ipairs(patterns) do
        text = gsub(text, pattern, "")
      end
    end
  end
  return text
end

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

--- What is shown of a line in which something does not show: the line as it is redacted; or, where more is hidden of it
--- without that, this. Where each hides something that the other shows, all between is hidden.
local function seen_without(without, redacted, line, shown)
  local plain = joined(line, without)
  local hidden = redacted(plain)
  if hidden == plain or hidden == joined(shown, without) then return shown end
  if shown == line then return hidden end
  local head, tail = common(line, shown)
  local first, last = #joined(sub(line, 1, head), without), #joined(sub(line, #line - tail + 1), without)
  local kept_first, kept_last = common(plain, hidden)
  if kept_first <= first and kept_last <= last then return hidden end
  return sub(plain, 1, math.min(first, kept_first))
    .. HIDDEN
    .. sub(plain, #plain - math.min(last, kept_last) + 1)
end

local function unsplit(kind, line)
  local function redacted(text)
    return sub(kind:lines("\n" .. text .. "\n"), 2, -2)
  end
  local first = redacted(line)
  local shown = seen_without(without_sequences, redacted, line, first)
  if shown ~= first or not find(line, "\27", 1, true) then return shown end
  return seen_without(without_escapes, redacted, line, first)
end

--- Redact whole lines, a newline in front of the first and behind each, as `kind` does, split secrets too.
---@param kind table of redact_patterns.lua or redact_function.lua
---@param lines string
---@return string
function M.lines(kind, lines)
  if not may_split(lines) then return kind:lines(lines) end
  local out, from, at = { "\n" }, 2, 2 -- from..at: lines in which all shows
  local function take_plain()
    if from < at then out[#out + 1] = sub(kind:lines("\n" .. sub(lines, from, at - 1)), 2) end
  end
  while at <= #lines do
    local stop = find(lines, "\n", at, true)
    local line = sub(lines, at, stop - 1)
    if may_split(line) then
      take_plain()
      out[#out + 1] = unsplit(kind, line) .. "\n"
      from = stop + 1
    end
    at = stop + 1
  end
  take_plain()
  return table.concat(out)
end

return M
