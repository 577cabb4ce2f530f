--- `abridge cut --explain`: each line that the cut of a log keeps, and why, for people who tune it.

local core = require "abridge.base.core_loader"
local limit = require "abridge.output.limit"
local terminal = require "abridge.cli.terminal"

local M = {}

local WIDTH = 160 -- chars that show of a line
local FORMAT = "%8s  %5s  %-28s  %s\n"

--- The word of a line that gave it its score.
local function word_at(line, at)
  return line:match("^[%w_\128-\255]+", at) or line:sub(at, at)
end

--- Why a line is kept: `hit "error" at 9, failure 2`, `after failure 2`, `says "warning" at 4`, `end`.
local function reason(kept, line)
  local failure = kept.failure and ("failure %.0f"):format(kept.failure)
  if kept.why == "before" or kept.why == "after" then return kept.why .. " " .. (failure or "a hit") end
  if kept.why ~= "hit" and kept.why ~= "says" then return kept.why end
  local said = ('%s "%s" at %.0f'):format(kept.why, terminal.visible(word_at(line, kept.at)), kept.at)
  return failure and said .. ", " .. failure or said
end

--- Where the lines of a text are: a function that finds line n, called with growing numbers.
local function lines_of(text)
  local number, first = 1, 1
  return function(n)
    while number < n do
      number, first = number + 1, text:find("\n", first, true) + 1
    end
    return text:sub(first, (text:find("\n", first, true) or #text + 1) - 1)
  end
end

local function print_gap(lines)
  if lines > 0 then terminal.out(("%8s  %.0f %s\n"):format("...", lines, lines == 1 and "line" or "lines")) end
end

local function share(of, unit)
  return ("%.0f of %.0f %s"):format(of.kept, of.found, unit)
end

local function print_lines(text, cut)
  local line_at, last = lines_of(text), 0
  terminal.out(FORMAT:format("line", "score", "why", "text"))
  for _, kept in ipairs(cut.kept_lines) do
    local line = line_at(kept.line)
    print_gap(kept.line - last - 1)
    local shown = core.line(line, WIDTH, { math.min(kept.at, #line + 1), math.min(kept.at - 1, #line) })
    local number, score = ("%.0f"):format(kept.line), ("%.1f"):format(kept.score)
    terminal.out(FORMAT:format(number, score, reason(kept, line), terminal.visible(shown)))
    last = kept.line
  end
  print_gap(cut.total_lines - last)
  local lines, hits, failures = { kept = cut.output_lines, found = cut.total_lines }, cut.hits, cut.failures
  terminal.out(("%s, %s, %s\n"):format(share(lines, "lines"), share(hits, "hits"), share(failures, "failures")))
end

--- Why no line has a reason of its own.
local function untold(cut)
  if not cut.truncated then return "it fits: all of it is kept" end
  local how = cut.kind and "as " .. cut.kind or "by " .. cut.strategy
  if not cut.hits then return "no line is chosen: it is cut " .. how end
  if cut.hits.found == 0 then return "no line is a hit: the start and the end are kept" end
  return "too little room: the end is kept"
end

--- Print why each line is kept. Returns the exit code.
---@param text string
---@param limits abridge.Limits with a budget
---@param as_json boolean|nil
---@return integer
function M.run(text, limits, as_json)
  if limits.clean then text = core.clean(text, type(limits.clean) == "table" and limits.clean or nil) end
  limits.clean = nil
  local _, cut = limit.explain(text, limits)
  if as_json then
    for _, key in ipairs { "kept", "kept_lines" } do -- JSON would have an object
      if cut[key] and #cut[key] == 0 then cut[key] = nil end
    end
    terminal.print_json { cut = cut }
  elseif cut.kept_lines then
    print_lines(text, cut)
  else
    terminal.out(untold(cut), "\n")
  end
  return 0
end

return M
