-- What read_file shows of files that change, of images and other shapes, and with line numbers.
local abridge = require "abridge"
local host = require "abridge.base.host"
local reading = require "support.reading"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local dir

local numbered = reading.numbered

local function read(...)
  return reading.read(dir.path, ...)
end

describe("read_file", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  describe("with line_numbers", function()
    it("shows them as cat -n does", function()
      local text = "one\n\n\ttab\r\n\195\169"
      dir:write("f", text)
      local result = read { path = "f", line_numbers = true }
      assert.equal((dir:sh "cat -n f"), result.content)
      assert.is_false(result.truncation.truncated)
      assert.equal(#result.content, result.truncation.bytes_returned)
      local cut = result.details.cut
      assert.same({ { first_byte = 1, last_byte = #text, first_line = 1, last_line = 4 } }, cut.kept)
      assert.same({ 4, #text, #text }, { cut.output_lines, cut.output_bytes, cut.total_bytes })
      assert.equal(text, read({ path = "f", line_numbers = false }).content)
      dir:write("empty", "")
      assert.equal("", read({ path = "empty", line_numbers = true }).content)
    end)

    it("numbers a page as the file's lines", function()
      dir:write("f", numbered(5))
      local result = read { path = "f", line_numbers = true, offset = 2, limit = 2 }
      local want = "     2\tline 2\n     3\tline 3\n\n[2 more lines in file. Use offset=4 to continue]"
      assert.equal(want, result.content)
      assert.equal(4, result.truncation.next_offset)
      assert.equal(27, result.truncation.bytes_returned)
      assert.equal(13, result.details.cut.output_bytes)
    end)

    it("is six wide, and wider where it must be", function()
      dir:write("f", ("\n"):rep(1000000) .. "end")
      local result = read { path = "f", line_numbers = true, offset = 999999 }
      assert.equal("999999\t\n1000000\t\n1000001\tend", result.content)
    end)

    it("counts them in every budget", function()
      dir:write("f", numbered(100))
      local result = read({ path = "f", line_numbers = true }, { max_bytes = 200 })
      assert.is_true(#result.content <= 200)
      assert.matches(
        "\n     9\tline 9\n\n%[Showing lines 1%-9 of 100 %(200B limit%)%. Use offset=10 to continue%]$",
        result.content
      )
      result = read({ path = "f", line_numbers = true }, { max_chars = 200 })
      assert.is_true(abridge.count_chars(result.content) <= 200)
      assert.equal(792, result.details.cut.total_chars)
      assert.equal(1, result.details.cut.first_char)
      assert.equal(result.details.cut.output_bytes, result.details.cut.output_chars)
      -- a file that would fit without them
      dir:write("f", numbered(20))
      result = read({ path = "f", line_numbers = true }, { max_bytes = 151 })
      assert.is_true(result.truncation.truncated)
      assert.is_true(#result.content <= 151)
    end)

    it("numbers the part of a line that a column asks for", function()
      dir:write("f", "a\n" .. ("0123456789"):rep(300) .. "\nb\n")
      local result = read({ path = "f", offset = 2, column = 11, line_numbers = true }, { max_bytes = 400 })
      local body, last, column = result.content:match(
        "^     2\t([0-9]+)\n\n%[Showing chars 11%-(%d+) of line 2 %(400B limit%)%. "
          .. "Use offset=2 column=(%d+) to continue%]$"
      )
      assert.equal(tonumber(last) + 1, tonumber(column))
      assert.equal(tonumber(last) - 10, #body)
      assert.equal(#body, result.details.cut.output_bytes)
      result = read { path = "f", offset = 2, column = 3001, line_numbers = true }
      assert.equal("     2\t\n     3\tb\n", result.content)
    end)

    it("names a long line by its own size, and the command shows it bare", function()
      dir:write("f", ("x"):rep(2048) .. "\n")
      local result = read({ path = "f", line_numbers = true }, { max_bytes = 400 })
      assert.equal("[Line 1 is 2KB, exceeds 400B limit. Use run_command to read: head -c 400 f]", result.content)
    end)

    it("shows them with long lines cut short, and redacted", function()
      dir:write("f", "key secret\n" .. ("y"):rep(600) .. "\n")
      local result = read({ path = "f", line_numbers = true }, nil, { profile = "dispatcher", redact = { "secret" } })
      local want = "     1\tkey [redacted]\n     2\t" .. ("y"):rep(500) .. "... [truncated]\n\n"
      assert.equal(want .. "[Some lines truncated to 500 chars. Use read_file tool to see full lines]", result.content)
      assert.equal(15 + 601, result.details.cut.total_bytes)
    end)

    it("does not number what is shown of both ends, or of the end", function()
      dir:write("f", numbered(10))
      for _, strategy in ipairs { "tail", "head_tail" } do
        local result = read({ path = "f", line_numbers = true }, { strategy = strategy, max_lines = 4 })
        assert.matches("\nline 10\n", result.content)
      end
    end)

    it("wants true or false", function()
      dir:write("f", "a\n")
      local result = read { path = "f", line_numbers = "many" }
      assert.is_true(result.is_error)
      assert.matches("^Invalid input: line_numbers", result.content)
    end)
  end)

  describe("says that the file changed", function()
    local session, ages

    before_each(function()
      session = abridge.session { cwd = dir.path }
      ages = 0
    end)

    local function write(text)
      dir:write("f", text)
      ages = ages + 1
      assert(uv.fs_utime(dir:at "f", 1000000000 + ages, 1000000000 + ages))
    end

    local function page(input, of)
      input.path = "f"
      local result = (of or session):call("read_file", input)
      return result.content, result
    end

    it("when a page goes on in a file that is another one than before", function()
      write(numbered(5))
      local first = page { limit = 2 }
      assert.equal("line 1\nline 2\n\n[3 more lines in file. Use offset=3 to continue]", first)
      write("new first\n" .. numbered(5))
      local content, result = page { offset = 3, limit = 2 }
      local said = "[2 more lines in file. Use offset=5 to continue. File changed since the last page]"
      assert.equal("line 2\nline 3\n\n" .. said, content)
      assert.is_true(result.details.cut.changed)
      assert.equal("line 4\nline 5\n", (page { offset = 5 })) -- told once
    end)

    it("also where nothing was cut", function()
      write(numbered(5))
      page { limit = 3 }
      write(numbered(4))
      assert.equal("line 4\n\n[File changed since the last page]", (page { offset = 4 }))
      write(numbered(5))
      assert.equal("ine 1\n" .. numbered(5):sub(8) .. "\n[File changed since the last page]", (page { column = 2 }))
    end)

    it("in its budget too", function()
      write(numbered(100))
      page { limit = 1 }
      write("x\n" .. numbered(100))
      local small = abridge.session { cwd = dir.path, limits = { read_file = { max_bytes = 250 } } }
      page({ limit = 1 }, small)
      write(numbered(100))
      local content = page({ offset = 2 }, small)
      assert.matches("Use offset=%d+ to continue%. File changed since the last page%]$", content)
      assert.is_true(#content <= 250)
    end)

    it("but not of a first page, nor of a file that is as it was, nor of one never shown", function()
      write(numbered(5))
      page {}
      write(numbered(6))
      assert.equal(numbered(6), (page {}))
      assert.equal(numbered(6), (page { offset = 1 }))
      assert.equal("line 6\n", (page { offset = 6 }))
      write(numbered(5))
      assert.equal("line 5\n", (page({ offset = 5 }, abridge.session { cwd = dir.path })))
    end)

    it("of redacted and numbered pages as well", function()
      for _, opts in ipairs { { redact = { "secret" } }, {} } do
        opts.cwd = dir.path
        local other = abridge.session(opts)
        write(numbered(5))
        page({ limit = 1, line_numbers = true }, other)
        write(numbered(6))
        local content = page({ offset = 6, line_numbers = true }, other)
        assert.equal("     6\tline 6\n\n[File changed since the last page]", content)
      end
    end)

    it("of each of some hundred files", function()
      for i = 1, 200 do
        dir:write("many" .. i, "a\nb\n")
        session:call("read_file", { path = "many" .. i, limit = 1 })
      end
      for i = 1, 200 do
        dir:write("many" .. i, "a\nb\nc\n")
        local result = session:call("read_file", { path = "many" .. i, offset = 3 })
        assert.equal("c\n\n[File changed since the last page]", result.content)
      end
    end)
  end)

  describe("of a log that grows", function()
    it("goes on where it ended", function()
      local session = abridge.session { cwd = dir.path }
      dir:write("log", "one\ntwo\n")
      assert.equal("one\ntwo\n", session:call("read_file", { path = "log" }).content)
      local result = session:call("read_file", { path = "log", offset = 3 })
      assert.equal("Offset 3 is beyond end of file (2 lines total)", result.content)
      local log = assert(io.open(dir:at "log", "ab"))
      log:write "three\n"
      log:close()
      result = session:call("read_file", { path = "log", offset = 3 })
      assert.equal("three\n\n[File changed since the last page]", result.content)
    end)
  end)

  describe("in other shapes", function()
    it("keeps the end under the strategy tail, with nowhere to go on", function()
      dir:write("f", numbered(10))
      local result = read("f", { strategy = "tail", max_lines = 3 })
      assert.equal("line 8\nline 9\nline 10\n\n[Showing lines 8-10 of 10]", result.content)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
      local cut = result.details.cut
      assert.same({ 8, 10 }, { cut.first_line, cut.last_line })
      assert.same({ { first_byte = 50, last_byte = 71, first_line = 8, last_line = 10 } }, cut.kept)
      assert.same(result.truncation, read({ path = "f", offset = 4 }, { strategy = "tail", max_lines = 3 }).truncation)
    end)

    it("keeps both ends under the strategy head_tail, and goes on after the first", function()
      dir:write("f", numbered(10))
      local result = read("f", { strategy = "head_tail", max_lines = 4, head_ratio = 0.5 })
      assert.matches("^line 1\nline 2\n%.%.%. %[6 lines, 43 bytes omitted%] %.%.%.\nline 9\nline 10\n", result.content)
      assert.equal(3, result.truncation.next_offset)
      assert.matches("Use offset=3 to continue%]$", result.content)
    end)

    it("is the same redacted, where there is nothing to hide", function()
      dir:write("f", numbered(200) .. ("x"):rep(3000) .. "\nend\n")
      for _, limits in ipairs {
        { max_bytes = 700 },
        { strategy = "tail", max_bytes = 700 },
        { strategy = "head_tail", max_bytes = 700 },
        { strategy = "head_tail", max_bytes = 700, snap = "char" },
        { strategy = "pipeline", max_chars = 600, max_lines = 30, max_bytes = false },
        { max_chars = 500 },
      } do
        for _, place in ipairs { {}, { offset = 100 }, { offset = 201 }, { offset = 201, column = 500 } } do
          local input = { path = "f", offset = place.offset, column = place.column }
          local want, got = read(input, limits), read(input, limits, { redact = { "no such text" } })
          got.duration_ms, want.duration_ms = nil, nil
          want.details.cut.first_char, got.details.cut.first_char = nil, nil
          assert.same(want, got)
        end
      end
    end)

    it("goes on after a cut of the profile 'pipeline', by lines and by chars", function()
      dir:write("f", numbered(1000))
      local result = read({ path = "f", offset = 151 }, nil, { profile = "pipeline" })
      assert.matches("^line 151\n", result.content)
      assert.matches("\nline 1000\n", result.content)
      assert.equal(301, result.truncation.next_offset)
      assert.equal("call read_file with offset=301", result.truncation.resume_hint)
      dir:write("f", ("\195\169"):rep(60000))
      result = read("f", nil, { profile = "pipeline" })
      assert.matches("\n\n%.%.%. %[10000 characters truncated%] %.%.%.\n\n", result.content)
      assert.same({ 1, 15001 }, { result.details.cut.next_offset, result.details.cut.next_column })
      result = read({ path = "f", column = 15001 }, nil, { profile = "pipeline" })
      assert.is_false(result.truncation.truncated)
      assert.equal(90000, #result.content)
    end)

    it("shows a whole line of the profile 'dispatcher' when a column asks for it", function()
      dir:write("f", ("y"):rep(600) .. "\n" .. ("z"):rep(600) .. "\n")
      local result = read({ path = "f", column = 1 }, nil, { profile = "dispatcher" })
      assert.equal(("y"):rep(600) .. "\n" .. ("z"):rep(600) .. "\n", result.content)
      assert.is_nil(result.details.lines_truncated)
    end)

    it("does not speak of long lines that the page does not show", function()
      dir:write("f", "short\n" .. ("y"):rep(600) .. "\n")
      local result = read({ path = "f", limit = 1 }, nil, { profile = "dispatcher" })
      assert.equal("short\n\n[1 more line in file. Use offset=2 to continue]", result.content)
      assert.is_nil(result.details.lines_truncated)
    end)

    it("has a block without a place to go on where only lines were cut short", function()
      dir:write("f", ("y"):rep(600) .. "\n")
      local result = read("f", nil, { profile = "dispatcher" })
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(601, result.truncation.bytes_total)
    end)
  end)

  describe("of an image", function()
    it("gives its kind, its dimensions and its size", function()
      local png = "\137PNG\r\n\26\n\0\0\0\rIHDR\0\0\2\128\0\0\1\224\8\2\0\0\0" .. ("\7"):rep(2000)
      dir:write("shot.png", png)
      for _, input in ipairs {
        { path = "shot.png" },
        { path = "shot.png", offset = 7, limit = 1 },
        { path = "shot.png", line_numbers = true },
      } do
        local result = read(input)
        assert.equal(("Image: shot.png (image/png, 640x480, %s)"):format(abridge.format_size(#png)), result.content)
        assert.is_false(result.is_error)
        local details = result.details
        assert.same(
          { true, "image/png", 640, 480, #png },
          { details.binary, details.media_type, details.width, details.height, details.size }
        )
      end
    end)

    it("finds those of a JPEG after its metadata, however long", function()
      local segment = "\255\225\255\253" .. ("E"):rep(65531)
      local frame = "\255\192\0\17\8\1\44\1\144\3\1\17\0\2\17\1\3\17\1"
      local jpeg = "\255\216" .. segment:rep(4) .. frame .. "\255\217"
      dir:write("photo", jpeg)
      assert.equal(("Image: photo (image/jpeg, 400x300, %s)"):format(abridge.format_size(#jpeg)), read("photo").content)
    end)

    it("says only what it is where the header is broken", function()
      dir:write("broken.gif", "GIF89a\0")
      assert.equal("Binary file: broken.gif (image/gif, 7B)", read("broken.gif").content)
    end)
  end)
end)
