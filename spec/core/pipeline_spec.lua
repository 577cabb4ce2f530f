-- The two stages of the pipeline document, against its own formula.
local abridge = require "abridge"
local plain = require "support.plain"

local numbered_lines = require "support.numbered"
local random = require "support.random"

---def truncate(text, max_chars, head_ratio) of the document. Its text[-0:] is a slip where the tail has no room.
local function truncate(text, max_chars, head_ratio)
  local chars = plain.chars(text)
  if #chars <= max_chars then return text end
  local head_size = math.floor(max_chars * head_ratio)
  local omitted = #chars - max_chars
  return table.concat(chars, "", 1, head_size)
    .. ("\n\n... [%d characters truncated] ...\n\n"):format(omitted)
    .. table.concat(chars, "", #chars - (max_chars - head_size) + 1)
end

---The document's second stage: first and last lines. `total` and `omitted` are what its sentences tell.
local function truncate_lines(text, max_lines, head_ratio, indicators, total, omitted)
  local lines = plain.lines(text)
  if #lines <= max_lines then return text end
  local head = math.floor(max_lines * head_ratio)
  local tail = max_lines - head
  local first, last = table.concat(lines, "\n", 1, head), table.concat(lines, "\n", #lines - tail + 1)
  if tail > 0 and text:sub(-1) == "\n" then last = last .. "\n" end
  if indicators then
    return (head > 0 and ("[First %d lines of %d]\n"):format(head, total) or "")
      .. first
      .. ("\n\n... [%d lines truncated] ...\n\n"):format(omitted)
      .. (tail > 0 and ("[Last %d lines of %d]\n"):format(tail, total) or "")
      .. last
  end
  return first .. ("\n\n... [%d lines truncated] ...\n\n"):format(omitted) .. last
end

local PARTS = { "a", "bc", " ", "\n", "\n", "\195\169", "\226\130\172", "\240\159\152\128", "\r\n", "\0" }

local function random_text()
  return random.join(PARTS, random.below(60))
end

local RATIOS = { 0, 0.1, 0.25, 0.3, 0.5, 0.7, 1 }

local function numbered(from, to)
  return numbered_lines(to - from + 1, "line", from)
end

---How many lines of the text none of the ranges touches.
local function untouched_lines(text, kept)
  local count, at = 0, 1
  while at <= #text do
    local stop = text:find("\n", at, true) or #text
    local touched = false
    for _, range in ipairs(kept) do
      touched = touched or (range.first_byte <= stop and range.last_byte >= at)
    end
    count, at = count + (touched and 0 or 1), stop + 1
  end
  return count
end

describe("pipeline", function()
  it("leaves a text within its limits as it is", function()
    local content, cut = abridge.pipeline("a\nb\n", { max_chars = 4, max_lines = 2 })
    assert.equal("a\nb\n", content)
    assert.is_false(cut.truncated)
    assert.is_nil(cut.truncated_by)
    assert.equal("pipeline", cut.strategy)
    assert.same({ { first_byte = 1, last_byte = 4, first_line = 1, last_line = 2 } }, cut.kept)
    assert.same({}, select(2, abridge.pipeline("", { max_chars = 0 })).kept)
  end)

  it("cuts by chars first", function()
    local content, cut = abridge.pipeline(("x"):rep(15), { max_chars = 10 })
    assert.equal("xxx\n\n... [5 characters truncated] ...\n\nxxxxxxx", content)
    assert.equal("chars", cut.truncated_by)
    assert.equal(15, cut.total_chars)
    assert.equal(10, cut.output_bytes)
    assert.is_true(cut.last_line_partial)
  end)

  it("says 400 where 500 lines are cut to 100", function()
    local content, cut = abridge.pipeline(numbered(1, 500), { max_lines = 100 })
    assert.equal(numbered(1, 30) .. "\n\n... [400 lines truncated] ...\n\n" .. numbered(431, 500), content)
    assert.equal("lines", cut.truncated_by)
    assert.equal(400, cut.omitted_lines)
    assert.equal(100, cut.output_lines)
    assert.equal(500, cut.total_lines)
  end)

  it("puts headings where indicators are asked for, and names no place: it keeps nothing", function()
    local content = abridge.pipeline(numbered(1, 500), { max_lines = 100, indicators = true })
    assert.equal(
      "[First 30 lines of 500]\n"
        .. numbered(1, 30)
        .. "\n\n... [400 lines truncated] ...\n\n"
        .. "[Last 70 lines of 500]\n"
        .. numbered(431, 500),
      content
    )
  end)

  it("needs no heading where nothing is cut by lines", function()
    assert.equal("a\nb", (abridge.pipeline("a\nb", { max_lines = 2, indicators = true })))
    local content = abridge.pipeline("abcdef", { max_chars = 3, indicators = true, head_ratio = 0 })
    assert.equal("\n\n... [3 characters truncated] ...\n\ndef", content)
  end)

  it("counts the original's lines when both stages cut", function()
    local text = ("x\n"):rep(1000)
    local content, cut = abridge.pipeline(text, { max_chars = 200, max_lines = 10 })
    assert.equal("x\nx\nx\n\n... [990 lines truncated] ...\n\n" .. ("x\n"):rep(7), content)
    assert.equal(1000, cut.total_lines)
    assert.equal(990, cut.omitted_lines)
    assert.equal(2000, cut.total_chars)
    assert.equal(2000, cut.total_bytes)
    assert.equal("lines", cut.truncated_by)
  end)

  it("keeps the first stage's marker where the second has room for its lines", function()
    local text = numbered(1, 100)
    local content = abridge.pipeline(text, { max_chars = 40, max_lines = 50 })
    assert.equal(truncate(text, 40, 0.3), content)
  end)

  it("rounds the head down and gives the tail the rest", function()
    assert.equal("a\n\n... [2 lines truncated] ...\n\nd\ne", (abridge.pipeline("a\nb\nc\nd\ne", {
      max_lines = 3,
      head_ratio = 0.5,
    })))
    assert.equal("\n\n... [4 lines truncated] ...\n\ne", (abridge.pipeline("a\nb\nc\nd\ne", { max_lines = 1 })))
  end)

  it("keeps nothing under limits of 0", function()
    assert.equal("\n\n... [1 lines truncated] ...\n\n", (abridge.pipeline("abc", { max_lines = 0 })))
    assert.equal("\n\n... [3 characters truncated] ...\n\n", (abridge.pipeline("abc", { max_chars = 0 })))
  end)

  it("is the document's formula to the byte", function()
    random.each(1500, function()
      local text, ratio = random_text(), random.choose(RATIOS)
      local max_chars = random.below(3) > 0 and random.below(60) or nil
      local max_lines = (not max_chars or random.below(3) > 0) and random.below(12) or nil
      local indicators = random.below(2) == 0
      local content, cut = abridge.pipeline(text, {
        max_chars = max_chars,
        max_lines = max_lines,
        head_ratio = ratio,
        indicators = indicators,
      })
      local want = max_chars and truncate(text, max_chars, ratio) or text
      if max_lines then
        want = truncate_lines(want, max_lines, ratio, indicators, abridge.count_lines(text), cut.omitted_lines)
      end
      random.must(
        content == want,
        "max_chars %s, max_lines %s, ratio %s\ntext %s\nwant %s\ngot %s",
        max_chars,
        max_lines,
        ratio,
        text,
        want,
        content
      )
    end)
  end)

  it("counts what is gone", function()
    random.each(1500, function()
      local text = random_text()
      local opts = { max_chars = random.below(60), max_lines = random.below(12), head_ratio = random.choose(RATIOS) }
      local _, cut = abridge.pipeline(text, opts)
      local kept, last = 0, 0
      for _, range in ipairs(cut.kept) do
        assert.is_true(range.first_byte > last and range.last_byte >= range.first_byte and range.last_byte <= #text)
        kept, last = kept + range.last_byte - range.first_byte + 1, range.last_byte
      end
      local gone = untouched_lines(text, cut.kept)
      -- an empty line at the edge of a gap counts as kept, though its newline is dropped with the gap
      local empty_edge = text:sub(1, 1) == "\n"
      for _, range in ipairs(cut.kept) do
        empty_edge = empty_edge or text:sub(range.last_byte, range.last_byte + 1) == "\n\n"
      end
      local right = cut.omitted_lines == gone or (empty_edge and cut.omitted_lines == gone - 1)
      right = right
        and cut.output_bytes == kept
        and cut.omitted_bytes == #text - kept
        and cut.omitted_lines == cut.total_lines - cut.output_lines
      random.must(
        right,
        "%s lines gone, %s said, %s bytes kept, %s said: opts %s, text %s",
        gone,
        cut.omitted_lines,
        kept,
        cut.output_bytes,
        opts,
        text
      )
    end)
  end)

  it("names the option that is wrong, and its value", function()
    local function refuses(opts, ...)
      plain.raises({ ... }, abridge.pipeline, "text", opts)
    end
    refuses(nil, "opts")
    refuses({}, "max_chars", "max_lines")
    refuses({ max_chars = 1.5 }, "max_chars", "1.5")
    refuses({ max_lines = -1 }, "max_lines", "-1")
    refuses({ max_lines = "10" }, "max_lines", "10")
    refuses({ max_lines = 1, head_ratio = 2 }, "head_ratio", "2")
    refuses({ max_lines = 1, indicators = 1 }, "indicators", "1")
    refuses({ max_lines = 1, max_bytes = 5 }, "max_bytes", "5")
    refuses({ max_lines = 1, max_line = 5 }, "max_line", "5")
    assert.has_error(function()
      abridge.pipeline(5, { max_lines = 1 })
    end)
  end)
end)

describe("head_tail with snap=char and marker=outside", function()
  it("is the first stage's formula to the byte", function()
    random.each(1500, function()
      local text, ratio, max_chars = random_text(), random.choose(RATIOS), random.below(60)
      local content, cut = abridge.head_tail(text, {
        max_chars = max_chars,
        head_ratio = ratio,
        snap = "char",
        marker = "outside",
      })
      local want = cut.final_newline and text:sub(1, -2) or truncate(text, max_chars, ratio)
      random.must(
        content == want,
        "max_chars %s, ratio %s\ntext %s\nwant %s\ngot %s",
        max_chars,
        ratio,
        text,
        want,
        content
      )
    end)
  end)
end)
