--- Which results a later one supersedes: one of the same call; a read within a later, wider read of its file; a read
--- before its file was edited or written. A failed call supersedes nothing.

local stub = require "abridge.history.stub"
local tools = require "abridge.history.tools"

local M = {}

---@class abridge.history.Seen
---@field by_key table<string, abridge.history.Answer[]> results of the same call that none supersedes yet
---@field by_file table<string, abridge.history.Answer[]> reads of a file, likewise

---@return abridge.history.Seen
function M.new()
  return { by_key = {}, by_file = {} }
end

--- The lines that a read showed, by a tool; nil if they are not known.
local function lines_of(fold, answer)
  local made = answer.call.made
  local own = tools.own_name(made.name, fold.opts)
  local first, last = tools.lines_read(own, made.input, answer.result.whole.text)
  return first and { tool = own, first = first, last = last } or nil
end

local function is_within(inner, outer)
  return inner and outer and inner.tool == outer.tool and inner.first >= outer.first and inner.last <= outer.last
end

--- Those of the reads that are still there, without those within a later one.
local function reads_left(reads, lines, mark)
  local left = {}
  for _, read in ipairs(reads) do
    if is_within(read.lines, lines) then
      mark(read)
    elseif not (read.is_stub or read.stale) then
      left[#left + 1] = read
    end
  end
  return left
end

--- Mark the results of the same call.
local function mark_same(fold, answer, mark)
  local by_key, key = fold.seen.by_key, answer.call.deed.key
  local same = by_key[key]
  if not answer.failed then
    for _, older in ipairs(same or {}) do
      mark(older)
    end
    same = nil
  end
  if not same then
    fold:put(by_key, key, { answer })
  else
    fold:put(same, #same + 1, answer)
  end
end

--- A result came: mark those that it supersedes.
---@param fold abridge.history.Fold
---@param answer abridge.history.Answer
---@param mark fun(older: abridge.history.Answer)
function M.add(fold, answer, mark)
  if not answer.call then return end
  local deed, by_file = answer.call.deed, fold.seen.by_file
  mark_same(fold, answer, mark)
  if answer.failed then return end
  if deed.reads then
    answer.lines = lines_of(fold, answer)
    local reads = reads_left(by_file[deed.reads] or {}, answer.lines, mark)
    if answer.content.tokens > stub.MOST then reads[#reads + 1] = answer end -- others never go
    fold:put(by_file, deed.reads, reads)
  end
  if deed.writes then
    for _, read in ipairs(by_file[deed.writes] or {}) do
      if read ~= answer then mark(read) end
    end
    fold:put(by_file, deed.writes, nil)
  end
end

return M
