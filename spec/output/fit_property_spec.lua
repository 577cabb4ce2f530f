-- SPEC 3 and 9 for every text and budget: text, markers, exit line and notice together stay within the budgets.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local core = require "abridge.core"
local fit = require "abridge.output.fit"
local limit = require "abridge.output.limit"
local notice = require "abridge.output.notice"
local plain = require "support.plain"
local random = require "support.random"

local must = random.must
local CASES = 3000

--- Counters that never fall as the text grows; false: the estimate.
local COUNTERS = {
  false,
  function(text)
    return math.ceil(#text / 4)
  end,
  function(text)
    return math.floor(#text / 4)
  end,
  function(text)
    return #text
  end,
  function(text)
    local _, words = text:gsub("%S+", "")
    return words
  end,
}
local BUDGETS = { 0, 1, 7, 20, 50, 200, 2 ^ 53 }
local EXITS = { "Command exited with code 1", "Command killed by signal SIGKILL", "Command aborted", "x" }
local TOOLS = { "run_command", "read_file", "find_files", "list_directory", "web_fetch", "github__search" }
local UNITS = { "max_bytes", "max_chars", "max_tokens" }

local function random_budget()
  if random.chance(3) then return random.below(300) end
  if random.chance(3) then return random.below(30) end
  return random.choose(BUDGETS)
end

--- Short texts, and texts of some lines that matter.
local function random_text()
  if random.chance(3) then return random.join(random.alphabets[#random.alphabets], random.below(12)) end
  return random.text(80)
end

--- Budgets near the text's size among them.
local function random_limits(text)
  local limits = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" }, utf8 = "replace" }
  limits[random.choose { "max_lines", "max_bytes", "max_chars", "max_tokens" }] = random_budget()
  if random.chance(2) then
    local unit = random.choose(UNITS)
    limits[unit] = random.chance(2) and random_budget()
      or random.near(unit == "max_tokens" and math.ceil(#text / 4) or #text)
  end
  if random.chance(3) then limits.max_lines = random.below(12) end
  if limits.max_tokens then
    limits.count_tokens = random.choose(COUNTERS) or nil
    if not limits.count_tokens and random.chance(3) then limits.token_safety = 0.5 + random.below(3) end
  end
  if limits.strategy == "head_tail" then
    if random.chance(2) then limits.snap = "char" end
    if random.chance(3) then limits.head_ratio = random.choose { 0, 0.5, 1 } end
  end
  if limits.strategy == "head_tail" or limits.strategy == "priority" or limits.strategy == "auto" then
    if random.chance(4) then limits.marker = "none" end
    if random.chance(4) then
      limits.marker_text = random.choose { "~{lines}~", "<{bytes} of it> ", "\n{chars}\n", "" }
    end
  elseif random.chance(3) then
    limits.long_line = random.choose { "omit", "split" }
  end
  return limits
end

local function random_parts()
  local data = { shell = random.chance(2) and "bash" or nil, path = "some/file" }
  if random.chance(3) then data.background = true end
  if random.chance(4) then data.changed = true end
  if random.chance(4) then data.more_failures = random.below(300) end
  if random.chance(4) then
    data.lines_truncated, data.max_line_chars, data.read = true, 500, "read_file"
  end
  return { tool = random.choose(TOOLS), data = data, exit = random.chance(2) and random.choose(EXITS) or nil }
end

local function tokens_of(text, limits)
  if limits.count_tokens then return limits.count_tokens(text) end
  return core.weigh_tokens(text, limits.token_safety)
end

--- Is a text within a share of the budgets on everything the model is given?
local function within(text, limits, share)
  return #text <= (limits.max_bytes or math.huge) * share
    and (not limits.max_chars or #plain.chars(text) <= limits.max_chars * share)
    and (not limits.max_tokens or tokens_of(text, limits) <= limits.max_tokens * share)
end

--- What follows the content: exit line, then notice, a blank line before each.
local function trailer(body, exit, said)
  local behind = exit and said and exit .. "\n\n" .. said or exit or said
  if not behind then return "" end
  if body == "" then return behind end
  return (body:sub(-1) == "\n" and "\n" or "\n\n") .. behind
end

--- A description of a case, for messages.
local function case_of(text, limits, parts)
  local words = { ("%q"):format(text) }
  for _, t in ipairs { limits, parts, parts.data } do
    for key, value in pairs(t) do
      if type(value) ~= "table" then words[#words + 1] = key .. "=" .. tostring(value) end
    end
  end
  return table.concat(words, " ")
end

--- Run a check on random fits.
local function each(cases, check)
  random.each(cases, function()
    local text = random_text()
    local limits, parts = random_limits(text), random_parts()
    local content, cut, body = fit.fit(text, limits, parts)
    local f = { text = text, limits = limits, parts = parts, content = content, cut = cut, body = body }
    local ok, message = pcall(check, f)
    if not ok then error(tostring(message) .. "\n" .. case_of(text, limits, parts), 0) end
  end)
end

describe("fit, on random texts and budgets #few", function()
  it("keeps the whole within every byte, char and token budget", function()
    each(CASES, function(f)
      local limits = f.limits
      must(#f.content <= (limits.max_bytes or math.huge), "%d bytes: %s", #f.content, f.content)
      if limits.max_chars then
        local chars = #plain.chars(f.content)
        must(chars <= limits.max_chars, "%d chars: %s", chars, f.content)
      end
      if limits.max_tokens then
        local tokens = tokens_of(f.content, limits)
        must(tokens <= limits.max_tokens, "%d tokens: %s", tokens, f.content)
      end
    end)
  end)

  it("keeps it within budgets near the size of the text", function()
    random.each(CASES / 60, function()
      local text, parts = random_text(), random_parts()
      local strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" }
      for budget = math.max(0, #text - 40), #text + 100 do
        for _, unit in ipairs { "max_bytes", "max_chars" } do
          local limits = { strategy = strategy, utf8 = "replace", [unit] = budget }
          local content = fit.fit(text, limits, parts)
          local size = unit == "max_bytes" and #content or #plain.chars(content)
          must(size <= budget, "%d of %d %s, %s: %s", size, budget, unit, case_of(text, limits, parts), content)
        end
      end
    end)
  end)

  it("keeps no more lines than max_lines", function()
    each(CASES, function(f)
      must(f.cut.output_lines <= (f.limits.max_lines or math.huge), "%d lines", f.cut.output_lines)
    end)
  end)

  it("says in the ledger what was kept", function()
    each(CASES, function(f)
      local cut = f.cut
      local wrong = plain.ledger_error(cut)
      must(not wrong, "%s", wrong)
      must(cut.total_bytes == #f.text, "total_bytes %d", cut.total_bytes)
      must(cut.total_lines == plain.count_lines(f.text), "total_lines %d", cut.total_lines)
      local kept = {}
      for i, range in ipairs(cut.kept) do
        kept[i] = plain.replaced(f.text:sub(range.first_byte, range.last_byte))
      end
      local at = 1
      for _, part in ipairs(kept) do
        local first, last = f.body:find(part, at, true)
        must(first, "%s is not in %s", part, f.body)
        at = last + 1
      end
      if not cut.truncated then must(table.concat(kept) == f.body, "content %s is not what was kept", f.body) end
      for _, key in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
        must(cut[key] == f.limits[key], "%s of the ledger is %d", key, cut[key])
      end
    end)
  end)

  it("is valid UTF-8", function()
    each(CASES, function(f)
      must(plain.is_valid_utf8(f.content), "content %s", f.content)
    end)
  end)

  it("is content, exit line, notice, with a blank line between", function()
    each(CASES, function(f)
      local behind = f.content:sub(#f.body + 1)
      must(f.content:sub(1, #f.body) == f.body, "%s does not start with %s", f.content, f.body)
      local full = notice.notice(f.parts.tool, f.cut, f.parts.data)
      local bare = f.cut.truncated and "[truncated]" or nil
      local possible = false
      for _, exit in ipairs { f.parts.exit or false, false } do
        for _, said in ipairs { full or false, bare or false, false } do
          possible = possible or behind == trailer(f.body, exit, said)
        end
      end
      must(possible, "%s stands behind %s", behind, f.body)
    end)
  end)

  it("is the text when nothing was cut and there is nothing to say", function()
    each(CASES, function(f)
      local shown = plain.replaced(f.text)
      if f.parts.exit or notice.notice(f.parts.tool, f.cut, f.parts.data) or f.cut.truncated then return end
      if f.cut.final_newline then shown = shown:sub(1, -2) end
      must(f.content == shown, "content %s", f.content)
    end)
  end)

  it("is never longer than the text when there was nothing to say", function()
    random.each(CASES, function()
      local text = random_text()
      local limits = random_limits(text)
      local content, cut = fit.fit(text, limits, { tool = "run_command" })
      if not cut.truncated then must(#content <= #plain.replaced(text), "%s became %s", text, content) end
    end)
  end)

  it("cuts nothing where text and notice fit together", function()
    each(CASES, function(f)
      local limits, shown = f.limits, plain.replaced(f.text)
      if f.parts.exit then return end
      if plain.count_lines(f.text) > (limits.max_lines or math.huge) then return end
      local uncut = { total_lines = 0, total_bytes = 0, output_lines = 0, output_bytes = 0, kept = {} }
      uncut.truncated, uncut.strategy = false, limits.strategy
      local whole = shown .. trailer(shown, nil, notice.notice(f.parts.tool, uncut, f.parts.data))
      if not within(whole, limits, 1) then return end
      if f.cut.kind == "binary" then -- which never shows
        must(f.body == "" or f.body:find "^Binary output %(%w[^\n]*%)$", "%s shows", f.body)
        return
      end
      -- a token budget also bounds a cut to 16 bytes a token
      if limits.max_tokens and #whole > limits.max_tokens * 16 then return end
      must(f.content == whole, "content %s, not %s", f.content, whole)
    end)
  end)

  it("leaves out no exit line where text, exit line and notice fit together", function()
    random.each(300, function()
      local text, exit = random.text(20), random.choose(EXITS)
      local whole = plain.replaced(text) .. trailer(plain.replaced(text), exit)
      local limits = { max_bytes = #whole, utf8 = "replace" }
      must(fit.fit(text, limits, { tool = "run_command", exit = exit }) == whole, "not %s", whole)
    end)
  end)

  --- The full notice with its numbers at full width, for the cuts that its own size leads to.
  local function full_notices(f)
    local limits, parts = f.limits, f.parts
    local _, trial = limit.cut(f.text, limits)
    if not trial.truncated then return {} end
    local all = { notice.widest(parts.tool, trial, parts.data), notice.widest(parts.tool, f.cut, parts.data) }
    for round = 1, 4 do
      local room = trailer("x", parts.exit, all[round])
      local _, cut = limit.cut(f.text, limits, { reserve = room })
      all[#all + 1] = notice.widest(parts.tool, cut, parts.data)
    end
    return all
  end

  --- Is there room for [truncated] in half the budget, as there is for the exit line in the other half?
  local function may_stand_apart(limits, exit)
    return within("\n\n[truncated]", limits, 0.5) and within(trailer("x", exit, "[truncated]"), limits, 1)
  end

  it("says nothing that takes over half the budget when something was cut", function()
    each(CASES, function(f)
      local behind = f.content:sub(#f.body + 1)
      if behind == "" or not f.cut.truncated then return end
      if within("\n\n" .. behind:gsub("^\n+", ""), f.limits, 0.5) then return end
      -- but for [truncated] beside an exit line, where nothing else would tell
      must(behind == trailer(f.body, f.parts.exit, "[truncated]"), "%s is over half the budget", behind)
      must(may_stand_apart(f.limits, f.parts.exit), "%s is over half the budget", behind)
    end)
  end)

  it("says that something is left out, by a marker or a notice, where the budget holds [truncated] twice", function()
    local silent = 0
    each(CASES * 3, function(f)
      local limits, exit = f.limits, f.parts.exit
      if not f.cut.truncated or limits.marker_text == "" then return end
      if exit and not within("\n\n" .. exit, limits, 0.5) then exit = nil end
      local behind = f.content:sub(#f.body + 1)
      for _, marker in ipairs(f.cut.markers or {}) do
        if f.body:sub(marker.first_byte, marker.last_byte):find "%S" then return end
      end
      if behind:find "%]$" then return end
      silent = silent + 1
      local sure = not limits.count_tokens and may_stand_apart(limits, exit)
      must(not sure or f.body == "", "nothing tells that %s is cut", f.content)
    end)
    assert.is_true(silent > 0)
  end)

  it("says all where all takes at most half the budget, else [truncated] where that does", function()
    each(CASES, function(f)
      local limits, exit = f.limits, f.parts.exit
      if limits.max_tokens or not f.cut.truncated or f.cut.kind == "binary" then return end
      if exit and not within("\n\n" .. exit, limits, 0.5) then exit = nil end
      local full = notice.notice(f.parts.tool, f.cut, f.parts.data)
      local behind = f.content:sub(#f.body + 1)
      local fits, all = 0, full_notices(f)
      for _, said in ipairs(all) do
        if within(trailer("x", exit, said), limits, 0.5) then fits = fits + 1 end
      end
      local room = within(f.body .. trailer(f.body, exit, full), limits, 1) -- the cut made room for no less
      if #all > 0 and fits == #all and room then
        must(behind == trailer(f.body, exit, full), "%s stands behind the content, not %s", behind, full)
      elseif within(trailer("x", exit, "[truncated]"), limits, 0.5) then
        must(behind:find "%]$", "%s stands behind the content, not a notice", behind)
      elseif behind ~= trailer(f.body, exit, "[truncated]") or not may_stand_apart(limits, exit) then
        must(behind == trailer(f.body, exit), "%s stands behind the content", behind)
      end
    end)
  end)

  it("keeps an exit line that takes at most half the budget", function()
    each(CASES, function(f)
      local exit = f.parts.exit
      if not exit or f.limits.max_tokens or not within("\n\n" .. exit, f.limits, 0.5) then return end
      must(f.content:sub(#f.body + 1):find(exit, 1, true), "no exit line in %s", f.content)
    end)
  end)

  it("keeps as much text as the trailer leaves room for", function()
    -- with whole lines of one byte and its newline: the waste is less than a line, what numbers at full width
    -- take, and the blank line
    each(CASES, function(f)
      local limits = f.limits
      if limits.max_tokens or limits.max_lines or limits.max_chars or not f.cut.truncated then return end
      if limits.strategy == "head_tail" or not f.text:find "^[x\n]*$" or f.text:find "\n\n" then return end
      local widest = notice.widest(f.parts.tool, f.cut, f.parts.data)
      local most = trailer("x", f.parts.exit, widest)
      if #f.body > 0 and #most * 2 <= limits.max_bytes then
        must(limits.max_bytes - #f.body - #most <= 2, "%d bytes of %d for %s", #f.body, limits.max_bytes, most)
      end
    end)
  end)
end)

describe("fit #few", function()
  it("does not change limits or parts", function()
    random.each(300, function()
      local text = random_text()
      local limits, parts = random_limits(text), random_parts()
      local before = case_of(text, limits, parts)
      fit.fit(text, limits, parts)
      must(before == case_of(text, limits, parts), "changed: %s", before)
    end)
  end)

  it("shows what stands for an empty output", function()
    local content = fit.fit("", { max_bytes = 100 }, { tool = "run_command", empty = "(no output)" })
    assert.equal("(no output)", content)
    local parts = { tool = "run_command", empty = "(no output)", exit = "Command aborted" }
    content = fit.fit("", { max_bytes = 100 }, parts)
    assert.equal("(no output)\n\nCommand aborted", content)
    assert.equal("", (fit.fit("", { max_bytes = 10 }, { tool = "run_command", empty = "(no output)" })))
  end)

  it("reuses a final newline of the content", function()
    local parts = { tool = "run_command", exit = "Command exited with code 1", data = { background = true } }
    assert.equal(
      "a\n\nCommand exited with code 1\n\n[A background process still holds the output]",
      (fit.fit("a\n", { max_bytes = 1000 }, parts))
    )
    assert.equal(
      "a\n\nCommand exited with code 1\n\n[A background process still holds the output]",
      (fit.fit("a", { max_bytes = 1000 }, parts))
    )
    local content = fit.fit("a\n\n", { max_bytes = 1000 }, { tool = "x", exit = "Command aborted" })
    assert.equal("a\n\n\nCommand aborted", content)
  end)

  it("keeps a token budget also where parts together count more than each alone", function()
    local function one_of_four(text)
      return math.floor(#text / 4)
    end
    local limits = { strategy = "head", max_tokens = 8, count_tokens = one_of_four }
    local content = fit.fit(("x"):rep(19), limits, { tool = "run_command", exit = "Command aborted" })
    assert.is_true(one_of_four(content) <= 8)
  end)

  it("raises what count_tokens raises", function()
    local function broken()
      error("no tokenizer", 0)
    end
    local ok, message = pcall(fit.fit, "text", { max_tokens = 1, count_tokens = broken }, { tool = "x" })
    assert.is_false(ok)
    assert.matches("no tokenizer", tostring(message))
  end)
end)

-- What a cut by kind tells of changes with the room it has: another array may lack the most, with a longer name.
describe("fit, where the items of a cut change with its budget #few", function()
  local TOTAL = 400000

  --- A source that fills its budget, and whose largest item depends on that.
  local function source(limits, items)
    return {
      snapshot = function(_, extra)
        extra = extra or {}
        local size = math.min(limits.max_bytes, extra.max_bytes or limits.max_bytes) - #(extra.reserve or "")
        size = math.max(size, 0)
        return ("x"):rep(size),
          {
            strategy = "auto",
            kind = "json",
            truncated = true,
            truncated_by = "bytes",
            max_bytes = limits.max_bytes,
            total_lines = 1,
            total_bytes = TOTAL,
            output_lines = 1,
            output_bytes = size,
            omitted_lines = 0,
            omitted_bytes = TOTAL - size,
            items = { items[size % #items + 1], items[1] },
            kept = { { first_byte = 1, last_byte = math.max(size, 1), first_line = 1, last_line = 1 } },
          }
      end,
    }
  end

  local function random_items()
    local items = {}
    for i = 1, random.between(1, 5) do
      local total = random.choose { 1, 9, 276, 100000 }
      local of = random.chance(4) and "" or "/" .. ("key"):rep(random.below(20))
      local kept = random.below(total + 1)
      items[i] = { unit = random.choose { "elements", "members" }, of = of, total = total, kept = kept }
    end
    return items
  end

  it("all is within the budget, and the notice is that of the cut that shows", function()
    random.each(600, function()
      local budget = random.choose { 50, 100, 200, 300, 1000, 30720 } + random.below(50)
      local limits = { strategy = "auto", max_bytes = budget }
      local parts = { tool = random.choose { "run_command", "web_fetch", "other" } }
      function parts.adjust(cut)
        cut.full_output_path = "/some/folder/0001-web_fetch.log"
      end
      local content, cut, body, said = fit.fit(source(limits, random_items()), limits, parts)
      must(#content <= limits.max_bytes, "%d bytes of %d: %s", #content, limits.max_bytes, content)
      must(content:sub(1, #body) == body and #body == cut.output_bytes, "the body is not that of the ledger")
      local full = notice.notice(parts.tool, cut)
      if limits.max_bytes >= 1000 then
        must(said.notice == full, "%s is said, not %s", said.notice, full)
        must(#content > limits.max_bytes - 100, "%d bytes of %d", #content, limits.max_bytes)
      else
        local bare = notice.notice(parts.tool, cut, { no_path = true })
        local is_one = said.notice == full or said.notice == bare or said.notice == "[truncated]" or not said.notice
        must(is_one, "%s is said", said.notice)
      end
    end)
  end)
end)
