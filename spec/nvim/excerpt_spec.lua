-- The part of a text around the row that is looked at, and how much of it the model saw.
local abridge = require "abridge"
local display = require "abridge.output.display"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local ranges = require "abridge.nvim.ranges"
local excerpts = require "abridge.nvim.excerpt"
local source_of = require("support.windows").source_of
local tmpdir = require "support.tmpdir"

--- Small blocks, so that short texts have many of them; gives back what undoes it.
local function small_blocks()
  local saved = {}
  for name, value in pairs { BLOCK = 64, PIECE = 16, MOST_ROWS = 20, MOST_BYTES = 400, MOST_HELD = 40 } do
    saved[name], excerpts[name] = excerpts[name], value
  end
  return function()
    for name, value in pairs(saved) do
      excerpts[name] = value
    end
  end
end

--- The number of the line that a byte (0-based) is on.
local function line_at(text, byte)
  return select(2, text:sub(1, byte):gsub("\n", "")) + 1
end

local ALPHABET = { "a", "bc def", "\n", "\n", "\n\n", "\195\169", "\230\188\162", "\240\159\152\128", "x" }
local ODD = { "a", "\n", "\255", "\0", "\27[1m", "\195", "\128\128\128\128\128", "\t", "\r\n", "\226\128\174" }

--- All that holds of an excerpt of a text, whatever was loaded.
local function check_excerpt(excerpt, text, valid)
  local at = excerpt.from
  for i, row in ipairs(excerpt.rows) do
    local raw = row.raw or row.text
    random.must(row.first == at, "row %s starts at %s, not at %s", i, row.first, at)
    random.must(raw == text:sub(at + 1, at + row.bytes) and #raw == row.bytes, "row %s is %s", i, raw)
    random.must(row.text == display.visible(raw), "row %s shows %s", i, row.text)
    random.must(not row.text:find "[%z\1-\8\10-\31\127]", "row %s has a control: %s", i, row.text)
    random.must(plain.is_valid_utf8(row.text) and #raw <= excerpts.PIECE, "row %s is %s", i, raw)
    random.must(not valid or plain.is_valid_utf8(raw), "row %s splits a char: %s", i, raw)
    random.must(row.begins == (at == 0 or text:sub(at, at) == "\n"), "row %s begins: %s", i, row.begins)
    at = at + row.bytes
    random.must(row.ends == (at == #text or text:sub(at + 1, at + 1) == "\n"), "row %s ends: %s", i, row.ends)
    if text:sub(at + 1, at + 1) == "\n" then at = at + 1 end
    local line = excerpt:line_of(i)
    random.must(
      not line or line == line_at(text, row.first),
      "row %s is of line %s, says %s",
      i,
      line_at(text, row.first),
      line
    )
  end
  random.must(excerpt.to == at, "the excerpt ends at %s, not at %s", excerpt.to, at)
  local few = #excerpt.rows <= excerpts.MOST_HELD and excerpt.to - excerpt.from <= excerpts.MOST_BYTES
  random.must(#excerpt.rows <= 1 or few, "%s rows are held", #excerpt.rows)
end

describe("an excerpt", function()
  local restore

  before_each(function()
    restore = small_blocks()
  end)

  after_each(function()
    restore()
  end)

  it("is the text, wherever it was jumped to and read on", function()
    random.each(300, function()
      local odd = random.chance(3)
      local text = random.join(odd and ODD or ALPHABET, random.below(200))
      local _, cut = abridge.priority(text, { max_bytes = random.below(200) + 1 })
      local excerpt = excerpts.new(source_of(text), random.chance(2) and ranges.known_lines(cut, #text) or nil)
      for _ = 1, 12 do
        local what = random.below(4)
        if what == 0 and #text > 0 then
          local byte = random.below(#text)
          excerpt:load(byte)
          local row = excerpt.rows[excerpt:row_at(byte)]
          random.must(row.first <= byte and byte <= row.first + row.bytes, "byte %s is not in %s", byte, row.text)
        else
          excerpt[what == 1 and "read_before" or "read_after"](excerpt)
        end
        check_excerpt(excerpt, text, not odd)
      end
    end)
  end)

  it("gives the whole text read from the start, and from the end", function()
    random.each(60, function()
      local text = random.join(ALPHABET, 30 + random.below(200))
      excerpts.MOST_BYTES, excerpts.MOST_HELD = 1e6, 1e6
      for _, way in ipairs { "after", "before" } do
        local excerpt = excerpts.new(source_of(text))
        excerpt:load(way == "after" and 0 or #text - 1)
        while excerpt["has_" .. way](excerpt) do
          local added = excerpt["read_" .. way](excerpt)
          random.must(added > 0, "nothing came %s", way)
        end
        check_excerpt(excerpt, text, true)
        random.must(excerpt.from == 0 and excerpt.to == #text, "%s to %s", excerpt.from, excerpt.to)
      end
    end)
  end)

  it("begins a line where a block before it begins with one", function()
    local text = ("x"):rep(99) .. "\n" .. ("y"):rep(63) .. "\nz\n" -- a line of a block's size
    local excerpt = excerpts.new(source_of(text))
    excerpt:load(#text - 1)
    while excerpt:has_before() do
      excerpt:read_before()
      check_excerpt(excerpt, text, true)
    end
    assert.equal(0, excerpt.from)
  end)

  it("knows its lines once those before it are counted, from any known place", function()
    random.each(200, function()
      local text = random.join(ALPHABET, 20 + random.below(400))
      local _, cut = abridge.head_tail(text, { max_bytes = random.below(100) + 1 })
      local excerpt = excerpts.new(source_of(text), random.chance(2) and ranges.known_lines(cut, #text) or nil)
      excerpt:load(random.below(#text))
      local step = excerpt:count(math.huge)
      random.must((excerpt.first_line == nil) == (step ~= nil), "it is counted: %s", step)
      random.must(not step or not excerpt:count(0), "any place is near enough")
      while step do
        if step(random.below(100) + 1) then step = excerpt:count(math.huge) end
        if step and random.chance(4) then excerpt:read_before() end
      end
      random.must(excerpt:line_of(1) ~= nil, "its lines are not known")
      check_excerpt(excerpt, text, true)
    end)
  end)

  it("finds the start of any line, from any known place", function()
    random.each(100, function()
      local text = random.join(ALPHABET, 20 + random.below(150))
      local _, cut = abridge.head_tail(text, { max_bytes = random.below(100) + 1 })
      local excerpt = excerpts.new(source_of(text), ranges.known_lines(cut, #text))
      local line = random.below(plain.count_lines(text)) + 1
      local step = excerpt:seek(line)
      local over, byte
      repeat
        over, byte = step(random.below(80) + 1)
      until over
      random.must(byte == 0 or text:sub(byte, byte) == "\n", "%s is no start", byte)
      random.must(line_at(text, byte) == line, "line %s is found at %s", line, byte)
    end)
  end)

  it("finds what stands in the text, forwards and backwards", function()
    random.each(100, function()
      local text = random.join({ "ab", "a", "\n", "\0" }, random.below(60) + 1)
      local excerpt = excerpts.new(source_of(text))
      local needle, from = random.choose { "a", "aba", "\na", "\0", "zz", "bab" }, random.below(#text)
      local function found(backwards)
        local step = excerpt:search(needle, from, backwards)
        local over, byte
        repeat
          over, byte = step(random.below(20) + 1)
        until over
        return byte
      end
      local ahead, behind = text:find(needle, from + 1, true), nil
      for at = 1, from do
        if text:sub(at, at + #needle - 1) == needle then behind = at end
      end
      random.must(found() == (ahead and ahead - 1), "%s ahead of %s in %s", needle, from, text)
      random.must(found(true) == (behind and behind - 1), "%s behind %s in %s", needle, from, text)
    end)
  end)

  it("tells where each byte of a row shows", function()
    random.each(200, function()
      local text = random.join(random.chance(2) and ODD or ALPHABET, random.below(30)):gsub("\n", "")
      excerpts.PIECE = 1000
      local excerpt = excerpts.new(source_of(text))
      excerpt:load(0)
      local row = excerpt.rows[1]
      local column = row and excerpts.columns(row)
      for byte = 0, row and row.bytes or -1 do
        local want = row.raw and #display.visible(text:sub(1, byte)) or byte
        random.must(column(byte) == want, "byte %s of %s shows at %s", byte, text, want)
        if random.chance(3) then random.must(column(byte) == want, "byte %s, asked twice", byte) end
      end
    end)
  end)

  it("of an empty text has no rows", function()
    local excerpt = excerpts.new(source_of "")
    excerpt:load(0)
    assert.same({}, excerpt.rows)
    assert.same({ 0, 0 }, { excerpt:read_after() })
    assert.same({ 0, 0 }, { excerpt:read_before() })
    assert.is_nil(excerpt:line_of(1))
  end)

  it("raises what the source cannot read", function()
    local excerpt = excerpts.new {
      size = 10,
      read = function()
        return nil, "EIO: i/o error"
      end,
    }
    assert.has_error(function()
      excerpt:load(0)
    end, "EIO: i/o error")
  end)
end)

describe("an excerpt of a file of 5 GB", function()
  local GB = 2 ^ 30
  local dir, fd, excerpt

  setup(function()
    local uv = host.uv()
    dir = tmpdir.new()
    fd = assert(uv.fs_open(dir:at "sparse", "w+", 384))
    assert(uv.fs_ftruncate(fd, 5 * GB))
    assert(uv.fs_write(fd, "first\nsecond\n", 0))
    assert(uv.fs_write(fd, "\nmiddle\nkept\n", 2 * GB))
    assert(uv.fs_write(fd, "\nlast but one\nlast\n", 5 * GB - 19))
  end)

  teardown(function()
    host.uv().fs_close(fd)
    dir:remove()
  end)

  before_each(function()
    local source = {
      size = 5 * GB,
      read = function(at, bytes)
        return host.uv().fs_read(fd, bytes, at)
      end,
    }
    excerpt = excerpts.new(source, {
      { byte = 2 * GB + 1, line = 4 },
      { byte = 5 * GB - 1, line = 8 },
    })
  end)

  local function row(byte)
    local i = excerpt:row_at(byte)
    return excerpt.rows[i].text, excerpt:line_of(i)
  end

  it("shows both ends and what lies between after two reads each", function()
    excerpt:load(0)
    assert.same({ "first", 1 }, { row(0) })
    assert.same({ "second", 2 }, { row(6) })
    excerpt:load(5 * GB - 1)
    assert.same({ "last", 8 }, { row(5 * GB - 1) })
    excerpt:load(2 * GB + 1)
    assert.same({ "middle", 4 }, { row(2 * GB + 1) })
    excerpt:read_before()
    assert.same({ "middle", 4 }, { row(2 * GB + 1) })
    excerpt:read_after()
    assert.same({ "kept", 5 }, { row(2 * GB + 8) })
    assert.is_true(excerpt.blocks <= 9, excerpt.blocks .. " reads")
  end)

  it("shows a line of gigabytes in pieces", function()
    excerpt:load(3 * GB)
    assert.equal(("^@"):rep(1024), excerpt.rows[1].text)
    assert.is_false(excerpt.rows[2].begins)
    assert.is_nil(excerpt:line_of(1)) -- it is not known, and not counted
    assert.is_true(excerpt.blocks <= 3, excerpt.blocks .. " reads")
  end)

  it("finds a text where blocks of a search meet", function()
    local step = excerpt:search("middle", 2 * GB - 1024 * 1024 + 4)
    assert.same({ true, 2 * GB + 1 }, { step(1024 * 1024) })
    step = excerpt:search("second", 1024 * 1024 + 8, true)
    assert.same({ false, 8 }, { step(1024 * 1024) })
    assert.same({ true, 6 }, { step(1024 * 1024) })
  end)

  it("finds a line next to one that is known by reading a block", function()
    local step = excerpt:seek(5)
    assert.same({ true, 2 * GB + 8 }, { step(1024 * 1024) })
    step = excerpt:seek(7)
    assert.same({ true, 5 * GB - 18 }, { step(1024 * 1024) })
    assert.is_true(excerpt.blocks <= 2, excerpt.blocks .. " reads")
  end)
end)

describe("ranges of a ledger", function()
  local function short(list)
    local parts = {}
    for i, range in ipairs(list) do
      parts[i] = ("%s%d-%d"):format(range.kept and "+" or "-", range.from, range.to)
    end
    return table.concat(parts, " ")
  end

  it("tile the text", function()
    random.each(100, function()
      local text = random.join(ALPHABET, random.below(200))
      local _, cut = abridge.priority(text, { max_bytes = random.below(120) + 1 })
      local list, at, kept = ranges.of(cut, #text), 0, 0
      for i, range in ipairs(list) do
        random.must(range.from == at and range.to > at, "%s: %s", i, short(list))
        at, kept = range.to, kept + (range.kept and range.to - range.from or 0)
        local byte = range.from + random.below(range.to - range.from)
        random.must(ranges.at(list, byte) == i, "byte %s of %s", byte, short(list))
      end
      random.must(at == #text and kept == cut.output_bytes, "%s of %s bytes", short(list), #text)
      for _, place in ipairs(ranges.known_lines(cut, #text)) do
        random.must(line_at(text, place.byte) == place.line, "byte %s is not on line %s", place.byte, place.line)
      end
    end)
  end)

  it("are one where there is no ledger, and end with a file that is short", function()
    assert.equal("+0-10", short(ranges.of(nil, 10)))
    assert.equal("", short(ranges.of(nil, 0)))
    local cut = {
      total_bytes = 100,
      total_lines = 9,
      kept = {
        { first_byte = 1, last_byte = 4, first_line = 1 },
        { first_byte = 90, last_byte = 100, first_line = 8 },
      },
    }
    assert.equal("+0-4 -4-30", short(ranges.of(cut, 30)))
    assert.equal("-0-30", short(ranges.of({ total_bytes = 30 }, 30)))
    assert.equal(2, #ranges.known_lines(cut, 30)) -- nothing tells the line of a short file's end
    assert.equal(3, #ranges.known_lines(cut, 100))
  end)

  it("are gone through by kind", function()
    local list = ranges.of({ kept = { { first_byte = 3, last_byte = 4 }, { first_byte = 8, last_byte = 9 } } }, 12)
    assert.equal("-0-2 +2-4 -4-7 +7-9 -9-12", short(list))
    assert.equal(7, ranges.next(list, 3, true, 1).from)
    assert.equal(4, ranges.next(list, 3, false, 1).from)
    assert.equal(0, ranges.next(list, 3, false, -1).from)
    assert.is_nil(ranges.next(list, 3, true, -1))
    assert.is_nil(ranges.next(list, 8, true, 1))
  end)
end)
