-- The budget that a cut names is the one that bound it: by examples, and for priority on random logs against a plain
-- reading of the words of the contract (the other strategies have theirs in cut_property_spec).
local abridge = require "abridge"
local plain = require "support.plain"
local random = require "support.random"
local wide_lines = require "support.wide_lines"

local must, below, choose, chance = random.must, random.below, random.choose, random.chance

local function by(strategy, text, opts)
  return select(2, abridge[strategy](text, opts)).truncated_by
end

describe("the budget that bound", function()
  it("is never one with room for the next line", function()
    local text = wide_lines(5000, 100)
    for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
      local _, cut = abridge[strategy](text, { max_lines = 2000, max_bytes = 30720 })
      assert.is_true(cut.output_lines < 400)
      assert.equal("bytes", cut.truncated_by)
      assert.equal("lines", by(strategy, text, { max_lines = 20, max_bytes = 30720 }))
      assert.equal("chars", by(strategy, text, { max_lines = 2000, max_bytes = 30720, max_chars = 20000 }))
      assert.equal("tokens", by(strategy, text, { max_lines = 2000, max_bytes = 30720, max_tokens = 500 }))
    end
  end)

  it("is the one of the tail's edge where there are two", function()
    local text = wide_lines(100, 10) .. ("y"):rep(1000) .. "\n" .. wide_lines(3, 10)
    local _, cut = abridge.head_tail(text, { max_lines = 20, max_bytes = 500 })
    assert.same({ 20, "lines" }, { cut.output_lines, cut.truncated_by })
    _, cut = abridge.head_tail(text, { max_lines = 90, max_bytes = 500 })
    assert.same({ 3, "bytes" }, { cut.total_lines - cut.kept[2].first_line + 1, cut.truncated_by })
  end)

  it("is the one that is fuller where no edge is at a line's end", function()
    local text = ("\226\130\172"):rep(300) -- 900 bytes, 300 chars
    assert.equal("bytes", by("head_tail", text, { snap = "char", max_bytes = 300, max_chars = 200 }))
    assert.equal("chars", by("head_tail", text, { snap = "char", max_bytes = 800, max_chars = 200 }))
    assert.equal("bytes", by("head_tail", text, { max_bytes = 300, max_chars = 200 }))
    assert.equal("chars", by("head_tail", text, { max_bytes = 800, max_chars = 200 }))
  end)

  it("is lines where records, parts or hunks end far below the other budgets", function()
    local opts = { max_lines = 1, max_bytes = 262144 }
    assert.equal("lines", by("auto", 'id,name,n\n1,"q,x",2\n' .. ("3,a,4\n"):rep(8), opts))
    opts.max_lines = 32
    local source = ("int f(int a)\n{\n    return a + 1;\n}\n\n"):rep(20)
    local rows = "id,name,n\n" .. ("3,a,4\n"):rep(60)
    local _, cut = abridge.auto(source .. rows, opts)
    assert.same({ "mixed", "lines" }, { cut.kind, cut.truncated_by })
    local hunks = {}
    for i = 1, 4 do
      hunks[i] = ("@@ -%d,10 +%d,11 @@\n"):format(i * 90, i * 90) .. (" a line\n"):rep(10) .. "+one more\n"
    end
    opts.max_lines = 24
    _, cut = abridge.auto("diff --git a/f b/f\n--- a/f\n+++ b/f\n" .. table.concat(hunks), opts)
    assert.same({ "diff", "lines" }, { cut.kind, cut.truncated_by })
  end)

  it("shows a diff in lines as if no other budget were set", function()
    local hunks = {}
    for i = 1, 3 do
      hunks[i] = ("@@ -%d,20 +%d,26 @@\n"):format(i * 90, i * 90) .. (" a line\n"):rep(20) .. ("+one more\n"):rep(6)
    end
    local text = "diff --git a/f b/f\n--- a/f\n+++ b/f\n" .. table.concat(hunks)
    local content, cut = abridge.auto(text, { max_lines = 25 })
    assert.equal(25, cut.output_lines)
    assert.equal(content, (abridge.auto(text, { max_lines = 25, max_bytes = 262144 })))
    local stream = abridge.stream { strategy = "auto", max_lines = 25 }
    stream:write(text)
    assert.equal(content, (stream:finish()))
  end)

  it("is none in lines where a line is cut for its size", function()
    local text = ("x"):rep(1000) .. "\n" .. ("y"):rep(1000) .. "\n" .. ("z"):rep(1000) .. "\n"
    for _, strategy in ipairs { "head", "tail", "head_tail" } do
      local _, cut = abridge[strategy](text, { max_lines = 2, max_bytes = 400, long_line = "split" })
      assert.equal("bytes", cut.truncated_by, strategy)
    end
  end)

  it("is the same in a stream, whatever the chunks", function()
    local text = wide_lines(400, 60) .. "error: it broke\n" .. wide_lines(400, 60)
    for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
      for _, budgets in ipairs {
        { max_lines = 50, max_bytes = 1000 },
        { max_lines = 10, max_bytes = 5000 },
        { max_chars = 700, max_tokens = 5000 },
        { max_chars = 7000, max_tokens = 300 },
      } do
        budgets.strategy = strategy
        local want = select(2, abridge.cut(text, budgets))
        local stream = abridge.stream(budgets)
        for at = 1, #text, 777 do
          stream:write(text:sub(at, at + 776))
        end
        local _, cut = stream:finish()
        stream:close()
        assert.equal(want.truncated_by, cut.truncated_by)
      end
    end
  end)
end)

-- ---------------------------------------------------------------- priority, on random logs

local function newlines(s)
  return (select(2, s:gsub("\n", "")))
end

local SIZE = { -- what a text takes of each budget but lines
  bytes = function(s)
    return #s
  end,
  chars = function(s)
    return (abridge.count_chars(s))
  end,
  tokens = plain.tokens,
}

---The first budget over which a text of so many lines is, or nil.
local function first_over(s, lines, opts)
  if opts.max_lines and lines > opts.max_lines then return "lines" end
  for _, unit in ipairs { "bytes", "chars", "tokens" } do
    local budget = opts["max_" .. unit]
    if budget and (SIZE[unit](s) > budget or unit == "tokens" and #s > 16 * budget) then return unit end
  end
end

---Of the budgets that the text exceeds, the one that the kept part fills most; lines only where they are full.
local function fullest(text, total_lines, kept, cut, opts)
  local best, most = nil, -1
  for _, unit in ipairs { "lines", "bytes", "chars", "tokens" } do
    local budget = opts["max_" .. unit]
    if budget then
      local size = unit == "lines" and cut.output_lines or SIZE[unit](kept)
      local total = unit == "lines" and total_lines or SIZE[unit](text)
      local counts = total > budget and (unit ~= "lines" or size >= budget)
      if counts and size / budget > most then
        best, most = unit, size / budget
      end
    end
  end
  return best
end

---What the words of the contract give for a cut of priority, by its markers as they are and at their widest; nil where
---they leave it open.
local function reference(text, content, cut, opts)
  local gaps, at, parts = {}, 1, {}
  for i, range in ipairs(cut.kept) do
    parts[i] = text:sub(range.first_byte, range.last_byte)
    if range.first_byte > at then gaps[#gaps + 1] = { at, range.first_byte - 1 } end
    at = range.last_byte + 1
  end
  if at <= #text then gaps[#gaps + 1] = { at, #text } end
  local kept = table.concat(parts)
  if #gaps ~= 1 then return fullest(text, cut.total_lines, kept, cut, opts) end

  local first, last = gaps[1][1], gaps[1][2]
  local head_inside = first > 1 and text:sub(first, first) ~= "\n"
  local tail_inside = last < #text and text:sub(last, last) ~= "\n"
  if head_inside and tail_inside then return nil end
  local from, to = first, last
  local at_tail = last < #text
  local lines = cut.output_lines + ((at_tail and tail_inside or not at_tail and head_inside) and 0 or 1)
  if at_tail then -- the tail's next line
    from = text:sub(1, last - (tail_inside and 0 or 1)):match "^.*\n()" or 1
  else
    to = text:find("\n", first + (head_inside and 0 or 1), true) or #text
  end
  local is_rest = (from <= first or first > 1 and from == first + 1) and to >= last
  if is_rest then return first_over(text, cut.total_lines, opts) end
  if from <= first then return nil end -- a part of that line shows
  -- room for a marker is that of one with the source's totals for its numbers
  local narrow = first_over(content .. text:sub(from, to), lines, opts)
  return narrow, first_over(content .. text:sub(from, to) .. ("0"):rep(#tostring(#text) * 2 - 2), lines, opts)
end

describe("the budget that bound a cut by priority", function()
  local WORDS = {
    "error: no such file",
    "all is well",
    "step",
    "compiling src/a.c",
    "FAILED test_7",
    "\226\130\172 \195\169\195\169",
    "a longer line of ordinary words that says nothing",
    "",
  }

  local function log()
    local lines = {}
    for i = 1, below(80) + 5 do
      local word = choose(WORDS)
      lines[i] = word == "" and "" or word .. " " .. below(1000) .. (chance(15) and (" long"):rep(60) or "")
    end
    return table.concat(lines, "\n") .. (chance(2) and "\n" or "")
  end

  it("is what a plain reading gives, in one call and in a stream", function()
    local seen = {}
    random.each(3000, function()
      local text = log()
      local opts = { strategy = "priority" }
      repeat
        opts.max_lines = chance(2) and below(newlines(text) + 2) or nil
        opts.max_bytes = chance(2) and below(#text + 20) or nil
        opts.max_chars = chance(3) and below(#text + 20) or nil
      until opts.max_lines or opts.max_bytes or opts.max_chars
      local content, cut = abridge.cut(text, opts)
      if not cut.truncated then return end
      seen[cut.truncated_by] = true
      local want, widest = reference(text, content, cut, opts)
      local right = want == nil or want == cut.truncated_by or widest == cut.truncated_by
      must(
        right,
        "%s bound, said is %s: lines %s bytes %s chars %s, text %s",
        want,
        cut.truncated_by,
        opts.max_lines,
        opts.max_bytes,
        opts.max_chars,
        text
      )
      if cut.truncated_by == "lines" then
        must(cut.output_lines >= opts.max_lines, "lines had room: %s of %s, %s", cut.output_lines, opts.max_lines, text)
      end

      local stream = abridge.stream(opts)
      for chunk in random.chunks(text, 60) do
        stream:write(chunk)
      end
      local streamed, of_stream = stream:finish()
      stream:close()
      opts.max_bytes = of_stream.max_bytes
      content, cut = abridge.cut(text, opts)
      must(
        streamed == content and of_stream.truncated_by == cut.truncated_by,
        "a stream says %s, a call %s",
        of_stream.truncated_by,
        cut.truncated_by
      )
    end)
    assert.same({ lines = true, bytes = true, chars = true }, seen)
  end)
end)
