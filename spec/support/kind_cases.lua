--- What the specs of every kind do with the judge: cut random texts under random budgets, one-shot and as streams.
local abridge = require "abridge"
local judge = require "support.kind_judge"
local merge = require "support.merge"
local random = require "support.random"

local M = {}

M.LARGEST = 64 * 1024

--- A budget from 0 to 64 KiB: as often of a few bytes as of many.
function M.budget()
  if random.chance(4) then return random.below(300) end
  return math.floor(2 ^ (random.below(1601) / 100))
end

local function note(message, opts, text)
  return ("%s\n  with %s\n  of %d bytes: %s"):format(
    message,
    random.shown(opts),
    #text,
    ("%q"):format(text:sub(1, 300))
  )
end

--- Cut a source of the judge under these options, and raise what is wrong with the cut.
function M.judge(source, opts)
  local ok, content, cut = pcall(abridge.auto, source.text, opts)
  if not ok then error(note(content, opts, source.text), 0) end
  local fine, message = pcall(judge.check, source, opts, content, cut)
  if not fine then error(note(message, opts, source.text), 0) end
  return content, cut
end

--- Judge cuts of random texts of a maker in `support.documents`, or alike, under drawn budgets.
function M.each(cases, make, budgets)
  random.each(cases, function()
    local source = judge.source(make())
    for _ = 1, budgets or 4 do
      M.judge(source, { max_bytes = M.budget() })
    end
  end)
end

--- Judge every budget from 0 to `most` for small texts.
function M.sweep(cases, make, most)
  random.each(cases, function()
    local source = judge.source(make())
    for budget = 0, most or 300 do
      M.judge(source, { max_bytes = budget })
    end
  end)
end

local KEYS = { "max_bytes", "max_chars", "max_lines", "max_tokens" }

--- Budgets of all sorts, several at once.
function M.any_opts()
  local opts, first = {}, random.choose(KEYS)
  for _, key in ipairs(KEYS) do
    if key == first or random.chance(4) then opts[key] = key == "max_lines" and random.below(60) or M.budget() end
  end
  if random.chance(3) then opts.count_tokens = function(text)
    return math.ceil(#text / 3)
  end end
  if random.chance(4) then opts.reserve = "[a notice, and more of it]" end
  if random.chance(4) then opts.marker = "none" end
  return opts
end

--- Write a text to a stream in chunks of one size or of random ones; `visit` is called in between.
local function write(stream, text, visit)
  local largest = random.choose { 1, 7, 200, 5000, 100000 }
  if largest == 1 and #text > 20000 then largest = 3000 end
  for chunk, last in random.chunks(text, largest) do
    assert(stream:write(chunk))
    if visit then visit(last) end
  end
end

local function must_equal(what, opts, text, content, cut, want, want_cut)
  if content ~= want then
    error(note(("%s: the content is %q, not %q"):format(what, content:sub(1, 500), want:sub(1, 500)), opts, text), 0)
  end
  if not judge.same(cut, want_cut) then
    error(note(("%s: the cut is %s, not %s"):format(what, random.shown(cut), random.shown(want_cut)), opts, text), 0)
  end
end

--- A stream in random chunks ends as the one-shot cut, a snapshot shows what `finish` would, and a budget lowered at
--- `finish` gives what one call with it gives.
function M.stream(text, opts)
  local given = merge({}, opts)
  given.strategy, given.full_output = "auto", false
  local stream = abridge.stream(given)
  local tries = 0
  write(stream, text, function(n)
    if tries < 3 and random.chance(4) then
      tries = tries + 1
      local content, cut = stream:snapshot()
      local other = abridge.stream(given)
      other:write(text:sub(1, n))
      local want, want_cut = other:finish()
      other:close()
      must_equal("a snapshot", opts, text:sub(1, n), content, cut, want, want_cut)
    end
  end)
  local lower = opts.max_bytes and random.chance(2) and random.below(opts.max_bytes + 1)
  local snapshot, snapshot_cut = stream:snapshot()
  local content, cut = stream:finish(lower and { max_bytes = lower } or nil)
  stream:close()
  local budgets = merge({}, opts)
  for _, key in ipairs(KEYS) do
    budgets[key] = cut[key]
  end
  local want, want_cut = abridge.auto(text, budgets)
  must_equal(lower and "a lowered budget" or "the end", budgets, text, content, cut, want, want_cut)
  if not lower then must_equal("a last snapshot", opts, text, snapshot, snapshot_cut, content, cut) end
end

--- The share of needles that stand in the cuts of so many texts.
function M.needles(cases, make, budget)
  local kept, total, lost = 0, 0, nil
  random.each(cases, function()
    local text, expected = make()
    local content = abridge.auto(text, { max_bytes = budget })
    for _, needle in ipairs(expected.needles) do
      total = total + 1
      if content:find(needle, 1, true) then
        kept = kept + 1
      else
        lost = needle
      end
    end
  end)
  return total > 0 and kept / total or 1, lost
end

return M
