--- Numbers, times and places as the page says them.

local core = require "abridge.base.core_loader"
local display = require "abridge.output.display"
local escape = require "abridge.report.escape"

local M = {}

--- A count, its thousands apart.
---@param number number
---@return string
function M.count(number)
  local text = ("%.0f"):format(number):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^(-?),", "%1"))
end

--- A count and its noun.
---@param number number
---@param noun string
---@return string
function M.counted(number, noun)
  return M.count(number) .. " " .. noun .. (number == 1 and "" or "s")
end

--- A size; "?" if it isn't a size.
---@param bytes any
---@return string
function M.size(bytes)
  local ok, text = pcall(core.format_size, bytes)
  return ok and text or "?"
end

--- A length of time; "" if there is none.
---@param ms any
---@return string
function M.duration(ms)
  return display.duration(ms) or ""
end

--- A time of day in UTC; "" if it isn't a valid time.
---@param seconds any since 1970
---@param form string of `os.date`
---@return string
function M.time(seconds, form)
  if type(seconds) ~= "number" then return "" end
  local ok, text = pcall(os.date, "!" .. form, math.floor(seconds))
  return ok and type(text) == "string" and text or ""
end

--- The share of the calls' output that the model never got, in percent; "" if nothing was printed or saved.
---@param cost { tokens_printed: integer, net: integer }
---@return string
function M.saved(cost)
  local share = cost.tokens_printed > 0 and cost.net / cost.tokens_printed or 0
  return share >= 0.01 and ("%d%%"):format(math.floor(share * 100)) or ""
end

--- The place and size of a segment: `lines 9-3,006, 135.3KB`.
---@param segment abridge.report.Segment
---@return string
function M.place(segment)
  local first, last, size = segment.first_line, segment.last_line, M.size(segment.to - segment.from)
  if not (first and last) then return size end
  if first == last then return ("line %s, %s"):format(M.count(first), size) end
  return ("lines %s–%s, %s"):format(M.count(first), M.count(last), size)
end

--- Text in an element of a class.
---@param class string
---@param text string any bytes
---@param element? string span unless set
---@return string
function M.span(class, text, element)
  element = element or "span"
  return ('<%s class="%s">%s</%s>'):format(element, class, escape.text(text), element)
end

return M
