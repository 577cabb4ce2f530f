--- What others do with a long output, in a few lines each. A rival gets an entry `{log=}` and a budget in bytes.

local M = {}

local MARKER = "\n[... cut ...]\n"
local LINE_CAP = 500 -- the keyword rules cut longer lines
local CONTEXT = 2 -- lines kept on both sides of a match
local SHARE = 0.6 -- of the budget, for matches and their context
local WORDS = {
  "error",
  "fail",
  "panic",
  "traceback",
  "exception",
  "fatal",
  "assert",
  "undefined",
  "segfault",
  "abort",
}

function M.head(entry, budget)
  return entry.log:sub(1, budget)
end

function M.tail(entry, budget)
  return budget > 0 and entry.log:sub(-budget) or ""
end

--- The first `ratio` of the budget from the start, the rest from the end.
function M.head_tail(ratio)
  return function(entry, budget)
    local log = entry.log
    if #log <= budget then return log end
    local room = budget - #MARKER
    local front = math.floor(room * ratio)
    return log:sub(1, front) .. MARKER .. log:sub(#log - (room - front) + 1)
  end
end

--- The lines of an entry, split once; a last line without newline counts, an empty one after it too.
local function lines_of(entry)
  if not entry.split then
    local lines = {}
    for line in (entry.log .. "\n"):gmatch "([^\n]*)\n" do
      lines[#lines + 1] = line
    end
    entry.split = lines
  end
  return entry.split
end

--- The numbers of the lines that hold one of the words, in any case.
local function matches(entry, words, name)
  entry.matches = entry.matches or {}
  local found = entry.matches[name]
  if found then return found end
  found = {}
  for i, line in ipairs(lines_of(entry)) do
    local lower = line:lower()
    for _, word in ipairs(words) do
      if lower:find(word, 1, true) then
        found[#found + 1] = i
        break
      end
    end
  end
  entry.matches[name] = found
  return found
end

--- Keep the matches with their context, in file order, until `room` bytes are used; returns what they use.
local function keep_matches(lines, hits, room, keep)
  local used = 0
  for _, hit in ipairs(hits) do
    for i = math.max(1, hit - CONTEXT), math.min(#lines, hit + CONTEXT) do
      local cost = math.min(#lines[i], LINE_CAP) + 1
      if not keep[i] then
        if used + cost > room then return used end
        keep[i] = true
        used = used + cost
      end
    end
  end
  return used
end

--- Keep whole lines from line `from` on, in steps of `step`, while they fit; returns the room left.
local function keep_run(lines, from, step, room, keep)
  local i = from
  while lines[i] and #lines[i] + 1 <= room do
    if not keep[i] then
      room = room - #lines[i] - 1
      keep[i] = true
    end
    i = i + step
  end
  return room
end

--- Lines with one of the words and their context, then 30 % of what is left for the start and 70 % for the end.
function M.keywords(words, name)
  return function(entry, budget)
    if #entry.log <= budget then return entry.log end
    local lines, keep = lines_of(entry), {}
    local used = keep_matches(lines, matches(entry, words, name), math.floor(budget * SHARE), keep)
    local rest = budget - used - 80
    local front = math.floor(rest * 0.3)
    local left = keep_run(lines, 1, 1, front, keep)
    keep_run(lines, #lines, -1, rest - front + left, keep)
    local out, previous = {}, 0
    for i = 1, #lines do
      if keep[i] then
        if i ~= previous + 1 then out[#out + 1] = "..." end
        out[#out + 1] = lines[i]:sub(1, LINE_CAP)
        previous = i
      end
    end
    return table.concat(out, "\n"):sub(1, budget)
  end
end

--- All of them, in the order of the tables; the first ones, `plain`, know no words.
M.all = {
  { name = "head", run = M.head, plain = true },
  { name = "tail", run = M.tail, plain = true },
  { name = "head/tail 30/70", run = M.head_tail(0.3), plain = true },
  { name = "keywords", run = M.keywords(WORDS, "words") },
}

return M
