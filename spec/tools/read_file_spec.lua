local abridge = require "abridge"
local host = require "abridge.base.host"
local reading = require "support.reading"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local dir

local numbered = reading.numbered

local function read(...)
  return reading.read(dir.path, ...)
end

local ALONE = { "read_file" } -- a session without a shell tool

describe("read_file", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  describe("gives", function()
    it("a file that fits as it is", function()
      for _, text in ipairs { "a", "a\n", "a\n\n", "\n", "a\r\nb\r\n", "\195\169\n", "no final\nnewline", "  \t\n" } do
        dir:write("f", text)
        local result = read "f"
        assert.equal(text, result.content)
        assert.is_false(result.is_error)
        local block = { truncated = false, bytes_returned = #text, bytes_total = #text, reason = "size_cap" }
        assert.same(block, result.truncation)
      end
    end)

    it("an empty file as an empty first page", function()
      dir:write("empty", "")
      local result = read "empty"
      assert.equal("", result.content)
      assert.is_false(result.is_error)
      assert.equal(0, result.details.cut.total_lines)
      assert.equal("", read({ path = "empty", offset = 1 }).content)
      result = read { path = "empty", offset = 2 }
      assert.is_true(result.is_error)
      assert.equal("Offset 2 is beyond end of file (0 lines total)", result.content)
    end)

    it("a file relative to the session's folder, or by its whole path", function()
      dir:write("f", "here\n")
      assert.equal("here\n", read("f").content)
      assert.equal("here\n", read("./f").content)
      assert.equal("here\n", read(dir:at "f", nil, { cwd = "/" }).content)
      assert.equal("here\n", read("f", nil, { cwd = dir.path .. "/" }).content)
    end)

    it("the file behind a symlink", function()
      dir:write("f", "here\n")
      assert(uv.fs_symlink("f", dir:at "link"))
      assert.equal("here\n", read("link").content)
    end)

    it("files of the kernel, whose size is not known", function()
      if not uv.fs_stat "/proc/version" then return pending "no /proc" end
      local file = io.open "/proc/version"
      local text = file:read "*a"
      file:close()
      assert.equal(text, read("/proc/version").content)
    end)

    it("the part from an offset on", function()
      dir:write("f", "a\nb\nc\n")
      assert.equal("a\nb\nc\n", read({ path = "f", offset = 1 }).content)
      assert.equal("b\nc\n", read({ path = "f", offset = 2 }).content)
      local result = read { path = "f", offset = 3 }
      assert.equal("c\n", result.content)
      assert.is_false(result.truncation.truncated)
      assert.same({ { first_byte = 5, last_byte = 6, first_line = 3, last_line = 3 } }, result.details.cut.kept)
      assert.equal(3, result.details.cut.first_line)
      assert.equal(3, result.details.cut.last_line)
    end)

    it("the part from a column on", function()
      dir:write("f", "abc\nd\195\169f\n\nlast\n")
      assert.equal("bc\nd\195\169f\n\nlast\n", read({ path = "f", column = 2 }).content)
      assert.equal("\195\169f\n\nlast\n", read({ path = "f", offset = 2, column = 2 }).content)
      assert.equal("f\n\nlast\n", read({ path = "f", offset = 2, column = 3 }).content)
      assert.equal("d\195\169f\n\nlast\n", read({ path = "f", offset = 2, column = 1 }).content)
    end)

    it("an empty line from its column 1 on", function()
      dir:write("f", "abc\n\nlast\n")
      assert.equal("\nlast\n", read({ path = "f", offset = 2, column = 1 }).content)
    end)

    it("numbers as models write them", function()
      dir:write("f", "a\nb\nc\nd\n")
      assert.matches("^b\nc\n\n%[", read({ path = "f", offset = "2", limit = 2.0 }).content)
      local session = abridge.session { cwd = dir.path }
      local result = session:call("read_file", '{"path":"f","offset":2.0,"limit":"2","column":null}')
      assert.equal("b\nc\n\n[1 more line in file. Use offset=4 to continue]", result.content)
    end)
  end)

  describe("says", function()
    it("how to go on after the line budget", function()
      dir:write("f", numbered(5))
      local result = read("f", { max_lines = 3 })
      assert.equal("line 1\nline 2\nline 3\n\n[Showing lines 1-3 of 5. Use offset=4 to continue]", result.content)
      assert.same({
        truncated = true,
        bytes_returned = 20,
        bytes_total = 35,
        next_offset = 4,
        resume_hint = "call read_file with offset=4",
        reason = "line_cap",
      }, result.truncation)
      local cut = result.details.cut
      assert.equal("lines", cut.truncated_by)
      assert.equal(5, cut.total_lines)
      assert.equal(35, cut.total_bytes)
      assert.equal(4, cut.next_offset)
      assert.is_nil(cut.next_column)
      assert.same({ { first_byte = 1, last_byte = 20, first_line = 1, last_line = 3 } }, cut.kept)
    end)

    it("the same with an offset", function()
      dir:write("f", numbered(5000))
      local result = read { path = "f", offset = 1000 }
      assert.equal("line 1000\n", result.content:sub(1, 10))
      local said = "\n\n%[Showing lines 1000%-2999 of 5000%. Use offset=3000 to continue%]$"
      assert.matches("\nline 2999" .. said, result.content)
      assert.equal(3000, result.truncation.next_offset)
      assert.equal(1000, result.details.cut.kept[1].first_line)
    end)

    it("how to go on after the byte budget", function()
      dir:write("f", numbered(5000, 60))
      local result = read "f"
      assert.is_true(#result.content <= 30720)
      local last = tonumber(
        (result.content:match "\n\n%[Showing lines 1%-(%d+) of 5000 %(30KB limit%)%. Use offset=%d+ to continue%]$")
      )
      assert.equal(last + 1, result.truncation.next_offset)
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(last * 61 - 1, result.truncation.bytes_returned)
      assert.equal("bytes", result.details.cut.truncated_by)
      -- but for the room of the widest notice, one more line would not fit
      assert.is_true(#result.content + 61 > 30720 - 100)

      result = read({ path = "f", offset = 4900 }, { max_bytes = 1000 })
      local said = "%[Showing lines 4900%-%d+ of 5000 %(1000B limit%)%. Use offset=%d+ to continue%]$"
      assert.matches(said, result.content)
    end)

    it("how to go on after the char and the token budget", function()
      dir:write("f", numbered(500))
      local result = read("f", { max_chars = 400 })
      local said = "%[Showing lines 1%-%d+ of 500 %(400 char limit%)%. Use offset=%d+ to continue%]$"
      assert.matches(said, result.content)
      assert.is_true(abridge.count_chars(result.content) <= 400)
      assert.equal("chars", result.details.cut.truncated_by)
      result = read("f", {
        max_tokens = 200,
        count_tokens = function(text)
          return #text
        end,
      })
      said = "%[Showing lines 1%-%d+ of 500 %(200 token limit%)%. Use offset=%d+ to continue%]$"
      assert.matches(said, result.content)
      assert.is_true(#result.content <= 200)
    end)

    it("how many lines are left after the caller's own limit", function()
      dir:write("f", numbered(5))
      local result = read { path = "f", limit = 3 }
      assert.equal("line 1\nline 2\nline 3\n\n[2 more lines in file. Use offset=4 to continue]", result.content)
      assert.equal(4, result.truncation.next_offset)
      assert.equal("line_cap", result.truncation.reason)
      result = read { path = "f", offset = 2, limit = 2 }
      assert.equal("line 2\nline 3\n\n[2 more lines in file. Use offset=4 to continue]", result.content)
    end)

    it("nothing when the caller's limit reaches the end", function()
      dir:write("f", numbered(5))
      assert.equal(numbered(5), read({ path = "f", limit = 5 }).content)
      assert.equal(numbered(5), read({ path = "f", limit = 500 }).content)
      assert.equal("line 4\nline 5\n", read({ path = "f", offset = 4, limit = 2 }).content)
    end)

    it("the budget that was hit when the caller's limit is wider", function()
      dir:write("f", numbered(50, 100))
      local result = read({ path = "f", limit = 10 }, { max_lines = 4 })
      assert.matches("%[Showing lines 1%-4 of 50%. Use offset=5 to continue%]$", result.content)
      result = read({ path = "f", limit = 40 }, { max_bytes = 1000 })
      assert.matches("%[Showing lines 1%-%d+ of 50 %(1000B limit%)%. Use offset=%d+ to continue%]$", result.content)
      assert.equal("size_cap", result.truncation.reason)
    end)

    it("how to read line 1 where it alone is over budget", function()
      dir:write("f", ("x"):rep(50 * 1024) .. "\nb\n")
      local result = read("f", nil, { profile = "pi" })
      local said = "[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30720 f]"
      assert.equal(said, result.content)
      assert.equal(0, result.truncation.bytes_returned)
      assert.is_true(result.details.cut.first_line_exceeds_limit)
      assert.equal(1, result.truncation.next_offset)
      assert.equal("call read_file with offset=1 column=1", result.truncation.resume_hint)
    end)

    it("how to read line n where it alone is over budget", function()
      dir:write("f", "a\n" .. ("x"):rep(50 * 1024) .. "\nb\n")
      local result = read({ path = "f", offset = 2 }, nil, { profile = "pi" })
      local said = "[Line 2 is 50KB, exceeds 30KB limit. Use bash: sed -n '2p' f | head -c 30720]"
      assert.equal(said, result.content)
      assert.equal(2, result.truncation.next_offset)
      -- and the page before it ends at that line
      assert.matches("^a\n\n%[Showing lines 1%-1 of 3 %(30KB limit%)%. Use offset=2 to continue%]$", read("f").content)
    end)

    it("commands that do what they say, for any path", function()
      local text = "first\n" .. ("0123456789"):rep(300) .. "\n"
      for _, name in ipairs { "plain", "two words", "it's", "-n", "$(touch no)", "a\\b", "\195\169", 'q"q', "*" } do
        dir:write(name, text)
        for _, offset in ipairs { 1, 2 } do
          if offset == 1 then dir:write(name, text:sub(7)) end
          local result = read({ path = name, offset = offset }, { max_bytes = 400 })
          local command = result.content:match "Use run_command[^:]*: (.*)%]$"
          assert(command, result.content)
          assert.equal(("0123456789"):rep(40), (dir:sh(command)))
          dir:write(name, text)
        end
      end
      assert.is_nil(dir:read "no")
    end)

    it("'path in details' for a path that cannot be shown", function()
      dir:write("bad\1name", ("x"):rep(3000))
      local result = read("bad\1name", { max_bytes = 400 })
      assert.matches("head %-c 400 path in details%]$", result.content)
      assert.equal("bad\1name", result.details.path)
      result = read "missing\1"
      assert.equal("No such file or directory: path in details", result.content)
      assert.equal("missing\1", result.details.path)
    end)

    it("where to go on inside a line, without a shell", function()
      dir:write("f", ("0123456789"):rep(300) .. "\nb\n")
      local result = read("f", { max_bytes = 400 }, { tools = ALONE })
      local said = "%[Showing chars 1%-(%d+) of line 1 %(400B limit%)%. Use offset=1 column=(%d+) to continue%]$"
      local last, column = result.content:match("^[0-9]+\n\n" .. said)
      assert.equal(tonumber(last) + 1, tonumber(column))
      assert.equal(tonumber(last), result.truncation.bytes_returned)
      assert.equal(1, result.truncation.next_offset)
      assert.equal("call read_file with offset=1 column=" .. column, result.truncation.resume_hint)
      assert.equal(tonumber(column), result.details.cut.next_column)
      assert.is_true(#result.content <= 400)
    end)

    it("where to go on inside a line, with a shell and a column", function()
      dir:write("f", "a\n" .. ("0123456789"):rep(300) .. "\nb\n")
      local result = read({ path = "f", offset = 2, column = 11 }, { max_bytes = 400 })
      local said = "%[Showing chars 11%-(%d+) of line 2 %(400B limit%)%. Use offset=2 column=(%d+) to continue%]$"
      local last, column = result.content:match("^[0-9]+\n\n" .. said)
      assert.equal(tonumber(last) + 1, tonumber(column))
      assert.equal("0123456789", result.content:sub(1, 10))
      assert.equal(12 + result.truncation.bytes_returned, result.details.cut.kept[1].last_byte)
    end)

    it("it whole however long the path is, which it does not name", function()
      local name = ("n"):rep(200)
      dir:write(name, numbered(100))
      local result = read(name, { max_bytes = 300 })
      assert.matches("%[Showing lines 1%-%d+ of 100 %(300B limit%)%. Use offset=%d+ to continue%]$", result.content)
    end)

    it("[truncated] where no notice fits, and the block tells all the same", function()
      dir:write("f", numbered(100))
      local result = read("f", { max_bytes = 40 })
      assert.is_true(#result.content <= 40)
      assert.matches("%[truncated%]$", result.content)
      assert.equal(1 + result.details.cut.output_lines, result.truncation.next_offset)
      for budget = 0, 200 do
        result = read("f", { max_bytes = budget })
        assert.is_true(#result.content <= budget)
        assert.is_true(result.truncation.truncated)
        abridge.assert_conforms("read_file", result)
      end
    end)
  end)

  it("goes on by column to the end of a line of any chars", function()
    local line = ("ab\195\169\226\130\172\240\159\152\128"):rep(200)
    dir:write("f", "first\n" .. line .. "\nlast\n")
    for _, opts in ipairs { { tools = ALONE }, {} } do
      opts.cwd, opts.limits = dir.path, { read_file = { max_bytes = 300 } }
      local session = abridge.session(opts)
      local parts, column, offset = {}, 1, 2
      while offset == 2 and #parts < 100 do
        local result = session:call("read_file", { path = "f", offset = offset, column = column })
        parts[#parts + 1] = result.content:sub(1, result.truncation.bytes_returned)
        offset, column = result.details.cut.next_offset, result.details.cut.next_column
      end
      assert.is_true(#parts > 5)
      assert.equal(line, table.concat(parts):match "^[^\n]*")
    end
  end)

  it("tells of bytes outside UTF-8", function()
    dir:write("f", "a\255b\254\n")
    local result = read "f"
    assert.equal("a\239\191\189b\239\191\189\n", result.content)
    assert.equal(2, result.details.invalid_bytes)
    assert.is_false(result.is_error)
    dir:write("g", "fine \195\169\n")
    assert.is_nil(read("g").details.invalid_bytes)
  end)

  it("counts CR as part of its line", function()
    dir:write("f", "a\r\nb\r\nc\r\n")
    local result = read { path = "f", limit = 2 }
    assert.equal("a\r\nb\r\n\n[1 more line in file. Use offset=3 to continue]", result.content)
  end)

  describe("refuses", function()
    local function fails(input, message, code)
      local result = read(input)
      assert.equal(message, result.content)
      assert.is_true(result.is_error)
      assert.is_false(result.truncation.truncated)
      if code then assert.equal(code, result.details.error_code) end
    end

    it("an offset beyond the end", function()
      dir:write("f", "a\nb\nc")
      fails({ path = "f", offset = 100 }, "Offset 100 is beyond end of file (3 lines total)", "EOFFSET")
      fails({ path = "f", offset = 4 }, "Offset 4 is beyond end of file (3 lines total)", "EOFFSET")
      dir:write("f", "a\nb\nc\n")
      fails({ path = "f", offset = 4 }, "Offset 4 is beyond end of file (3 lines total)", "EOFFSET")
    end)

    it("a column beyond the end of its line", function()
      dir:write("f", "abc\nd\n")
      local result = read { path = "f", column = 10 }
      assert.is_true(result.is_error)
      assert.matches("[Cc]olumn 10 ", result.content)
    end)

    it("numbers that are none", function()
      dir:write("f", "a\n")
      for _, bad in ipairs { 0, -1, 1.5, "x", false } do
        for _, name in ipairs { "offset", "limit", "column" } do
          local result = read { path = "f", [name] = bad }
          assert.is_true(result.is_error)
          assert.matches("^Invalid input: " .. name, result.content)
        end
      end
      for _, huge in ipairs { 2 ^ 53, 2 ^ 53 + 2, 1e300 } do
        local result = read { path = "f", offset = huge }
        assert.is_true(result.is_error)
        assert(
          result.content:find "^Offset %d+ is beyond" or result.content:find "^Invalid input: offset",
          result.content
        )
        assert.is_true(#result.content < 200)
      end
    end)

    it("what is not there", function()
      fails("missing", "No such file or directory: missing", "ENOENT")
      dir:write("f", "a\n")
      fails("f/under", "No such file or directory: f/under", "ENOENT")
      assert(uv.fs_symlink("nowhere", dir:at "broken"))
      fails("broken", "No such file or directory: broken", "ENOENT")
      assert.is_true(read("").is_error)
      assert.is_true(read("a\0b").is_error)
      assert.is_true(read(("n"):rep(300)).is_error)
      assert(uv.fs_symlink("loop", dir:at "loop"))
      assert.is_true(read("loop").is_error)
    end)

    it("a folder", function()
      fails(".", "Is a directory: .", "EISDIR")
      fails("/", "Is a directory: /", "EISDIR")
    end)

    it("a FIFO, without opening it", function()
      assert.equal(0, select(3, dir:sh "mkfifo fifo"))
      local result = read "fifo" -- would wait for a writer
      assert.is_true(result.is_error)
      assert.matches("^Not a regular file: fifo is a fifo$", result.content)
      assert.equal("ENOTREG", result.details.error_code)
    end)

    it("a device", function()
      local result = read "/dev/null"
      assert.is_true(result.is_error)
      assert.matches("^Not a regular file: /dev/null", result.content)
      assert.equal("ENOTREG", result.details.error_code)
      assert.is_true(read("/dev/zero").is_error)
    end)

    it("a file that may not be read", function()
      dir:write("secret", "a\n")
      assert(uv.fs_chmod(dir:at "secret", 0))
      local said = dir:unprivileged [[
        local session = require("abridge").session { cwd = arg[1], run_dir = false }
        local result = session:call("read_file", { path = "secret" })
        io.write(result.details.error_code, " ", result.content)
      ]]
      if not said then return pending "root cannot give up its privileges here" end
      assert.equal("EACCES Permission denied: secret", said)
    end)
  end)

  describe("describes", function()
    local function described(name, bytes, kind, dimensions)
      dir:write(name, bytes)
      local result = read(name)
      local size = abridge.format_size(#bytes)
      local what = dimensions and "Image: %s (%s, " .. dimensions .. ", %s)" or "Binary file: %s (%s, %s)"
      assert.equal(what:format(name, kind, size), result.content)
      assert.is_false(result.is_error)
      assert.is_false(result.truncation.truncated)
      assert.is_true(result.details.binary)
      assert.equal(#bytes, result.details.size)
    end

    it("a file with a NUL", function()
      described("nul", "\0", "application/octet-stream")
      described("text-then-nul", "text\0text\n", "application/octet-stream")
    end)

    it("images by their first bytes", function()
      described("a.png", "\137PNG\r\n\26\n\0\0\0\rIHDR", "image/png")
      described("a.jpg", "\255\216\255\224\0\16JFIF\0", "image/jpeg")
      described("a.gif", "GIF87a\1\0\1\0", "image/gif", "1x1")
      described("b.gif", "GIF89a\2\0\1\1", "image/gif", "2x257")
      described("a.webp", "RIFF\4\0\0\0WEBPVP8 \0", "image/webp")
      described("png-without-nul", "\137PNG\r\n\26\n", "image/png")
    end)

    it("nothing that only looks like one", function()
      dir:write("notes", "PNG and GIF and RIFF\n")
      assert.equal("PNG and GIF and RIFF\n", read("notes").content)
    end)

    it("a NUL in the first 8000 bytes alone", function()
      described("at-8000", ("x"):rep(7999) .. "\0", "application/octet-stream")
      dir:write("at-8001", ("x"):rep(7999) .. "\n\0\n")
      local result = read "at-8001"
      assert.equal(("x"):rep(7999) .. "\n\0\n", result.content)
      assert.is_nil(result.details.binary)
    end)
  end)

  describe("reads UTF-16 with a byte order mark", function()
    local LINES = { "first", "second: \195\169\228\184\150\240\159\152\128", "third" }
    local TEXT = table.concat(LINES, "\r\n") .. "\r\n"

    local function wide(text)
      text = text:gsub("[%z\1-\127]", "%0\0")
      return (text:gsub("\195\169", "\233\0"):gsub("\228\184\150", "\22\78"):gsub("\240.\152.", "\61\216\0\222"))
    end

    it("as its text, by lines of it", function()
      dir:write("f", "\255\254" .. wide(TEXT))
      local result = read "f"
      assert.equal(TEXT, result.content)
      assert.equal("UTF-16", result.details.encoding)
      assert.equal(#TEXT, result.details.cut.total_bytes)
      result = read { path = "f", offset = 2, limit = 1 }
      assert.equal(LINES[2] .. "\r\n\n[1 more line in file. Use offset=3 to continue]", result.content)
      assert.equal("[redacted]\r\n", read({ path = "f", offset = 3 }, nil, { redact = { "third" } }).content)
      assert.equal("     3\tthird\r\n", read({ path = "f", offset = 3, line_numbers = true }).content)
    end)

    it("line by line where one is over budget, as no tool of the shell could", function()
      dir:write("f", "\255\254" .. wide(("x"):rep(300) .. "\n"))
      local result = read("f", { max_bytes = 200 })
      local notice = "%[Showing chars 1%-%d+ of line 1 %(200B limit%)%. Use offset=1 column=%d+ to continue%]$"
      assert.matches("^x+\n\n" .. notice, result.content)
    end)

    it("and its JSON by elements", function()
      dir:write("f", "\255\254" .. wide '{"items":[1,2,3]}')
      assert.equal("[2,3]", read({ path = "f", pointer = "/items/1" }).content)
    end)

    it("but not what only starts as one", function()
      dir:write("f", "\255\254" .. ("\0\1\2\216"):rep(100))
      assert.is_true(read("f").details.binary)
    end)
  end)

  describe("in the profile 'dispatcher'", function()
    it("shows 500 chars a line, and says so", function()
      local long = ("\195\169"):rep(600)
      dir:write("f", "short\n" .. long .. "\n" .. ("x"):rep(500) .. "\n")
      local result = read("f", nil, { profile = "dispatcher" })
      local shown = "short\n" .. ("\195\169"):rep(500) .. "... [truncated]\n" .. ("x"):rep(500) .. "\n"
      local notice = "[Some lines truncated to 500 chars. Use read_file tool to see full lines]"
      assert.equal(shown .. "\n" .. notice, result.content)
      assert.is_true(result.details.lines_truncated)
    end)

    it("says all of it in one bracket", function()
      dir:write("f", (("y"):rep(600) .. "\n"):rep(2100))
      local result = read("f", nil, { profile = "dispatcher", ceiling = { max_bytes = "2MB" } })
      local said = "%[Showing lines 1%-2000 of 2100%. Use offset=2001 to continue%. "
        .. "Some lines truncated to 500 chars%. Use read_file tool to see full lines%]$"
      assert.matches(said, result.content)
      assert.equal(2001, result.truncation.next_offset)
    end)

    it("has no such notice where no line is long", function()
      dir:write("f", "short\n")
      local result = read("f", nil, { profile = "dispatcher" })
      assert.equal("short\n", result.content)
      assert.is_nil(result.details.lines_truncated)
    end)
  end)

  it("cuts in two stages in the profile 'pipeline'", function()
    dir:write("f", numbered(1000))
    local result = read("f", nil, { profile = "pipeline" })
    assert.matches("^line 1\n", result.content)
    assert.matches("\nline 150\n\n%.%.%. %[500 lines truncated%] %.%.%.\n\nline 651\n", result.content)
    assert.matches("\nline 1000\n", result.content)
    assert.is_true(result.truncation.truncated)
    assert.equal(151, result.truncation.next_offset)
  end)

  it("says why a file cannot be opened again for the ceiling", function()
    local instead = {
      ["No such file or directory: f"] = "true",
      ["Is a directory: f"] = "mkdir f",
      ["Cannot read f: too many symbolic links encountered"] = "ln -s f f",
    }
    for message, command in pairs(instead) do
      dir:sh "rm -rf f"
      dir:write("f", ("\226\130\172"):rep(20000) .. "\n")
      local gone = false
      local result = read("f", nil, {
        profile = "pipeline",
        ceiling = { max_bytes = 9000 },
        redact = function(text)
          if not gone then dir:sh("rm f;" .. command) end
          gone = true
          return text
        end,
      })
      assert.equal(message, result.content)
      assert.is_true(result.is_error)
    end
    dir:sh "rm -rf f"
  end)

  it("holds at any small budget, with and without a shell tool, redacted and numbered", function()
    dir:write("long", ("\195\169"):rep(500) .. "\nb\n")
    dir:write("lines", numbered(100))
    dir:write("one", "a\n")
    dir:write("image", "\137PNG\r\n\26\n\0\0\0\rIHDR\0\0\2\128\0\0\1\224")
    for _, budget in ipairs { 0, 1, 2, 3, 5, 8, 20, 45 } do
      for _, unit in ipairs { "max_bytes", "max_chars", "max_tokens" } do
        for _, opts in ipairs { {}, { tools = ALONE }, { redact = { "zzz" } } } do
          for _, input in ipairs {
            { path = "long" },
            { path = "lines", line_numbers = true },
            { path = "one" },
            { path = "long", line_numbers = true, column = 3 },
            { path = "image" },
            { path = "missing" },
            { path = "lines", offset = 999 },
          } do
            local result = read(input, nil, {
              limits = { read_file = { [unit] = budget, max_bytes = unit == "max_bytes" and budget or false } },
              tools = opts.tools,
              redact = opts.redact,
            })
            abridge.assert_conforms("read_file", result)
            local size = unit == "max_bytes" and #result.content or abridge.count_chars(result.content)
            if unit ~= "max_tokens" then assert.is_true(size <= budget) end
            assert.is_nil(result.details.inner_error)
          end
        end
      end
    end
  end)

  it("gives nothing of a number without a char after it", function()
    dir:write("f", "abcdef\n")
    for budget = 0, 7 do
      local result = read({ path = "f", line_numbers = true }, { max_bytes = budget }, { tools = ALONE })
      assert.equal("", result.content)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
    end
    local result = read({ path = "f", line_numbers = true }, { max_bytes = 9 }, { tools = ALONE })
    assert.equal("     1\tab", result.content)
    assert.same({ 1, 3 }, { result.details.cut.next_offset, result.details.cut.next_column })
  end)

  it("pages files of the kernel", function()
    if not uv.fs_stat "/proc/self/status" then return pending "no /proc" end
    local result = read { path = "/proc/self/status", offset = 2, limit = 1, line_numbers = true }
    assert.matches("^     2\tUmask:[^\n]*\n\n%[%d+ more lines in file%. Use offset=3 to continue%]$", result.content)
  end)

  it("leaves no file open", function()
    if not resources.has_proc then return pending "no /proc" end
    dir:write("f", "a\n")
    local before = resources.descriptors()
    for _, path in ipairs { "f", "missing", ".", "/dev/null" } do
      read(path)
    end
    assert.equal(before, resources.descriptors())
  end)

  it("shows the lines wanted under any strategy, and where to go on", function()
    local lines = {}
    for n = 1, 500 do
      lines[n] = tostring(n)
    end
    dir:write("f500", table.concat(lines, "\n") .. "\n")
    for _, redact in ipairs { false, { "secret" } } do
      for _, strategy in ipairs { "head", "tail", "head_tail", "pipeline" } do
        local own = { strategy = strategy, max_bytes = strategy ~= "pipeline" and 1000 or false, max_chars = 1000 }
        local session = abridge.session { cwd = dir.path, redact = redact, limits = { read_file = own } }
        local result = session:call("read_file", { path = "f500", offset = 201, limit = 3 })
        assert.equal("201\n202\n203\n\n[297 more lines in file. Use offset=204 to continue]", result.content, strategy)
        assert.equal(204, result.truncation.next_offset)
        assert.equal("line_cap", result.truncation.reason)
        local kept = { first_byte = 693, last_byte = 703, first_line = 201, last_line = 203 }
        assert.same({ kept }, result.details.cut.kept)
        result = session:call("read_file", { path = "f500", offset = 499, limit = 2 })
        assert.equal("499\n500\n", result.content)
        assert.is_false(result.truncation.truncated)
      end
    end
  end)
end)
