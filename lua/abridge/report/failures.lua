--- The failures: the line that says why, of each call, and calls that failed alike together.

local core = require "abridge.base.core_loader"
local escape = require "abridge.report.escape"
local words = require "abridge.report.words"

local M = {}

local LOOKED_AT = 64 * 1024 -- bytes of an output
local MOST_LINE = 200 -- bytes that are shown of a line
local MOST_GROUPS = 40
local MOST_LINKS = 2000 -- of all groups

--- The place and the message of the first error that names a place.
local function first_place(text)
  for _, place in ipairs((core.locations(text))) do
    if place.severity == "error" and place.message ~= "" then
      return ("%s:%.0f: %s"):format(place.file, place.lnum, place.message)
    end
  end
end

--- The line that says most clearly that something failed, the first of those.
local function clearest_line(text)
  local best
  for _, line in ipairs(core.judge(text, { max_lines = 1 }, 1, #text, LOOKED_AT).told) do
    if line.hit and (not best or line.score > best.score) then best = line end
  end
  if not best then return nil end
  local at = 1
  for _ = 2, best.line do
    at = text:find("\n", at, true) + 1
  end
  return text:match("^%s*([^\n]*)", at)
end

--- The line of a failed call's output that says why it failed; nil if there is none.
---@param text string
---@return string|nil
function M.line(text)
  text = text:sub(1, LOOKED_AT)
  if text == "" then return nil end
  local line = first_place(text) or clearest_line(text)
  return line and line:sub(1, MOST_LINE) or nil
end

--- Calls that failed alike, those of the most calls first: of one tool, for the same reason but for numbers.
local function groups_of(calls)
  local groups, by_key = {}, {}
  for _, call in ipairs(calls) do
    if call.failed or not call.ended then
      local why = call.why or call.how or ""
      local key = call.tool .. "\0" .. why:gsub("%w*%d%w*", "0")
      if not by_key[key] then
        by_key[key] = { at = #groups }
        groups[#groups + 1] = by_key[key]
      end
      table.insert(by_key[key], call)
    end
  end
  table.sort(groups, function(a, b)
    if #a ~= #b then return #a > #b end
    return a.at < b.at
  end)
  return groups
end

--- Why a call failed, and how it ended.
local function said_of(call)
  if not call.ended then return "no result" end
  if call.why then return call.exit and ("%s · %s"):format(call.why, call.exit) or call.why end
  return call.how ~= "" and call.how or "failed"
end

local function link(call, text)
  return ('<a href="#c%d">%s</a>'):format(call.index, text)
end

--- Links to the calls of a group but the first, while there is room for them.
local function others(group, room)
  local links, shown = {}, math.min(#group, room)
  for i = 2, shown do
    links[#links + 1] = link(group[i], words.count(group[i].index))
  end
  if shown < #group then links[#links + 1] = '<label for="bad">all that failed</label>' end
  return ('<p class="also">%s like this: %s</p>'):format(words.count(#group - 1), table.concat(links, " "))
end

--- The calls that failed, in groups: each a link, with the line that says why and how it ended.
---@param calls abridge.report.Call[]
---@return string html
function M.html(calls)
  local items, room, groups = {}, MOST_LINKS, groups_of(calls)
  for i = 1, math.min(#groups, MOST_GROUPS) do
    local group = groups[i]
    local first = group[1]
    local name = link(first, ("%s %s"):format(words.count(first.index), escape.text(first.tool)))
    local more = group[2] and others(group, room) or ""
    items[i] = ("<li><p>%s %s</p>%s</li>"):format(name, escape.text(said_of(first)), more)
    room = math.max(room - #group, 1)
  end
  if #items == 0 then return "" end
  if #groups > MOST_GROUPS then
    local left = 0
    for i = MOST_GROUPS + 1, #groups do
      left = left + #groups[i]
    end
    items[#items + 1] = ('<li><label for="bad">%s more that failed</label></li>'):format(words.count(left))
  end
  return '<ul class="fails">' .. table.concat(items) .. "</ul>"
end

return M
