-- SPEC 5: abridge.page and abridge.index, fact by fact. Pages through sessions are in read_file_spec and
-- page_rebuild_spec.
local abridge = require "abridge"
local core = require "abridge.core"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local reading = require "support.reading"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local must = random.must
local numbered = reading.numbered
local dir

--- Give a file an age, so that an index keeps it; `step` tells states of one size apart.
local function age(path, step)
  local time = 1000000000 + (step or 0)
  assert(uv.fs_utime(path, time, time))
  return path
end

local function file(text, step)
  return age(dir:write("f", text), step)
end

--- A page of a file with this text.
local function page_of(text, opts)
  return abridge.page(file(text), opts)
end

local function fails(path, opts, message, code)
  local content, said, got = abridge.page(path, opts)
  assert.is_nil(content)
  assert.equal(message, said)
  assert.equal(code, got)
end

describe("abridge.page", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  describe("gives", function()
    it("a file that fits as it is, with its ledger", function()
      for _, text in ipairs { "a", "a\n", "a\n\n", "\n", "a\r\nb\r\n", "\195\169\n", "no final\nnewline", "\255\n" } do
        local content, cut = page_of(text)
        local lines = plain.count_lines(text)
        assert.equal(text, content)
        assert.is_false(cut.truncated)
        assert.same({ { first_byte = 1, last_byte = #text, first_line = 1, last_line = lines } }, cut.kept)
        assert.same({ lines, #text, 1, lines }, { cut.total_lines, cut.total_bytes, cut.first_line, cut.last_line })
        assert.is_nil(cut.next_offset)
        assert.is_nil(cut.next_column)
        assert.is_nil(cut.changed)
        assert.equal("head", cut.strategy)
      end
    end)

    it("an empty file as an empty first page", function()
      for _, opts in ipairs { {}, { offset = 1 }, { column = 1 }, { limit = 3 }, { max_bytes = 0 } } do
        local content, cut = page_of("", opts)
        assert.equal("", content)
        assert.is_false(cut.truncated)
        assert.same({}, cut.kept)
        assert.same({ 0, 0, 1, 1 }, { cut.total_lines, cut.total_bytes, cut.first_line, cut.last_line })
        assert.is_string(cut.version)
      end
      fails(dir:at "f", { offset = 2 }, "Offset 2 is beyond end of file (0 lines total)", "EOFFSET")
      fails(dir:at "f", { column = 2 }, "Column 2 is beyond end of line 1 (0 chars)", "ECOLUMN")
    end)

    it("the lines from offset on, told in places of the whole file", function()
      local content, cut = page_of("a\nbc\nd\n", { offset = 2 })
      assert.equal("bc\nd\n", content)
      assert.same({ { first_byte = 3, last_byte = 7, first_line = 2, last_line = 3 } }, cut.kept)
      assert.same({ 3, 7, 2, 5 }, { cut.total_lines, cut.total_bytes, cut.output_lines, cut.output_bytes })
      assert.same({ 1, 2, 2, 3 }, { cut.omitted_lines, cut.omitted_bytes, cut.first_line, cut.last_line })
      assert.is_false(cut.truncated)
    end)

    it("the chars from column on", function()
      local text = "abc\nd\195\169\255f\n\nlast"
      assert.equal("bc\nd\195\169\255f\n\nlast", (page_of(text, { column = 2 })))
      assert.equal("\195\169\255f\n\nlast", (page_of(text, { offset = 2, column = 2 })))
      assert.equal("\255f\n\nlast", (page_of(text, { offset = 2, column = 3 })))
      local content, cut = page_of(text, { offset = 2, column = 5 }) -- after the last char
      assert.equal("\n\nlast", content)
      assert.equal(10, cut.kept[1].first_byte)
      assert.equal("\nlast", (page_of(text, { offset = 3, column = 1 })))
      assert.equal("", (page_of(text, { offset = 4, column = 5 })))
    end)

    it("limit lines, and says where to go on", function()
      local content, cut = page_of("a\nb\nc\nd\n", { offset = 2, limit = 2 })
      assert.equal("b\nc", content)
      assert.is_true(cut.truncated)
      assert.equal("lines", cut.truncated_by)
      assert.equal(2, cut.max_lines)
      assert.same({ 4, 2, 3 }, { cut.next_offset, cut.first_line, cut.last_line })
      assert.is_nil(cut.next_column)
      assert.equal("c\nd\n", (page_of("a\nb\nc\nd\n", { offset = 3, limit = 2 })))
      assert.equal("a", (page_of("a\nb\nc\nd\n", { limit = 3, max_lines = 1 })))
      assert.equal("a", (page_of("a\nb\nc\nd\n", { limit = 1, max_lines = 3 })))
    end)

    it("the first 2000 lines or 30KB, where no budget is given", function()
      local content, cut = page_of(numbered(2500))
      assert.equal(numbered(2000):sub(1, -2), content)
      assert.same({ 2000, 30720, "lines", 2001 }, { cut.max_lines, cut.max_bytes, cut.truncated_by, cut.next_offset })
      content, cut = page_of((("x"):rep(99) .. "\n"):rep(1000))
      assert.equal(307 * 100 - 1, #content)
      assert.same({ "bytes", 308 }, { cut.truncated_by, cut.next_offset })
    end)

    it("what the given budgets allow, and no more than 30KB unless one of size is given", function()
      local text = (("x"):rep(99) .. "\n"):rep(5000)
      assert.equal(30699, #page_of(text, { max_lines = 4000 }))
      assert.equal(399999, #page_of(text, { max_bytes = "400000" }))
      assert.equal(500000, #page_of(text, { max_bytes = "1MB" }))
      assert.equal(500000, #page_of(text, { max_chars = 2 ^ 53 }))
      assert.equal(40959, #page_of(text, { max_bytes = "40KB" }) + 60)
      assert.equal(299, #page_of(text, { max_bytes = "1MB", max_lines = 3 }))
    end)

    it("the last lines of the part with the strategy tail", function()
      local content, cut = page_of(numbered(9), { strategy = "tail", max_lines = 2, offset = 5 })
      assert.equal("line 8\nline 9\n", content)
      assert.same({ { first_byte = 50, last_byte = 63, first_line = 8, last_line = 9 } }, cut.kept)
      assert.same({ 8, 9 }, { cut.first_line, cut.last_line })
      assert.is_true(cut.truncated)
      assert.is_nil(cut.next_offset) -- what is missing lies before
    end)

    it("both ends with the strategy head_tail, and goes on after the first", function()
      local content, cut = page_of(numbered(9), { strategy = "head_tail", max_lines = 4, head_ratio = 0.5, offset = 3 })
      assert.equal("line 3\nline 4\n... [3 lines, 22 bytes omitted] ...\nline 8\nline 9\n", content)
      assert.same({ 3, 9, 5 }, { cut.first_line, cut.last_line, cut.next_offset })
      assert.same({
        { first_byte = 15, last_byte = 27, first_line = 3, last_line = 4 },
        { first_byte = 50, last_byte = 63, first_line = 8, last_line = 9 },
      }, cut.kept)
    end)

    it("the two stages of the strategy pipeline, which knows no bytes", function()
      local content, cut = page_of(numbered(9), { strategy = "pipeline", max_lines = 3 })
      assert.equal("\n\n... [6 lines truncated] ...\n\nline 7\nline 8\nline 9\n", content)
      assert.is_nil(cut.max_bytes)
      assert.is_nil(cut.next_offset)
      assert.equal(numbered(9), (page_of(numbered(9), { strategy = "pipeline" })))
      cut = select(2, page_of(numbered(90), { strategy = "pipeline", max_lines = 10 }))
      assert.equal(4, cut.next_offset)
    end)

    it("chars as they are, or U+FFFD for each invalid byte where that is asked for", function()
      assert.equal("a\255b\n", (page_of "a\255b\n"))
      local content, cut = page_of("a\255b\n", { utf8 = "replace" })
      assert.equal("a\239\191\189b\n", content)
      assert.same({ 4, 1 }, { cut.total_bytes, cut.invalid_bytes })
    end)

    it("less by what is reserved", function()
      local text = numbered(100)
      local content, cut = page_of(text, { max_bytes = 100, reserve = ("r"):rep(50) })
      assert.equal(numbered(7):sub(1, -2), content)
      assert.equal(8, cut.next_offset)
    end)

    it("a final newline that alone did not fit as final_newline", function()
      local content, cut = page_of("abc\n", { max_bytes = 3 })
      assert.equal("abc", content)
      assert.is_false(cut.truncated)
      assert.is_true(cut.final_newline)
      assert.same({ 1, 0 }, { cut.omitted_bytes, cut.omitted_lines })
      assert.is_nil(cut.next_offset)
    end)

    it("the file behind a symlink", function()
      file "here\n"
      assert(uv.fs_symlink("f", dir:at "link"))
      assert.equal("here\n", (abridge.page(dir:at "link")))
    end)

    it("plain data", function()
      local _, cut = page_of(numbered(5), { limit = 2, max_chars = 10 })
      local function check(value)
        if type(value) == "table" then
          assert.is_nil(getmetatable(value))
          for key, inner in pairs(value) do
            check(key)
            check(inner)
          end
        else
          assert.is_truthy(({ string = true, number = true, boolean = true })[type(value)])
        end
      end
      check(cut)
    end)
  end)

  describe("in a line over budget", function()
    local LONG = "one\n" .. ("0123456789"):rep(100) .. "\nthree\n"

    it("names it and shows nothing, unless told otherwise", function()
      for _, opts in ipairs { { offset = 2, max_bytes = 40 }, { offset = 2, max_bytes = 40, long_line = "omit" } } do
        local content, cut = page_of(LONG, opts)
        assert.equal("", content)
        assert.is_true(cut.truncated)
        assert.is_true(cut.first_line_exceeds_limit)
        assert.same({ 1000, "bytes", 0, 0 }, { cut.line_bytes, cut.truncated_by, cut.output_lines, cut.output_bytes })
        assert.same({ 2, 2, 2, 1 }, { cut.first_line, cut.last_line, cut.next_offset, cut.next_column })
        assert.same({}, cut.kept)
      end
    end)

    it("shows the part that fits with split, and goes on after it", function()
      local content, cut = page_of(LONG, { offset = 2, max_bytes = 45, long_line = "split" })
      assert.equal(("0123456789"):rep(4) .. "01234", content)
      assert.same({ 2, 46, 1000 }, { cut.next_offset, cut.next_column, cut.line_bytes })
      assert.is_true(cut.last_line_partial)
      content, cut = page_of(LONG, { offset = cut.next_offset, column = cut.next_column, max_bytes = 45 })
      assert.equal("56789" .. ("0123456789"):rep(4), content)
      assert.same({ 2, 91, 955 }, { cut.next_offset, cut.next_column, cut.line_bytes })
    end)

    it("splits with any column, 1 too", function()
      local content, cut = page_of(LONG, { offset = 2, column = 1, max_bytes = 45 })
      assert.equal(45, #content)
      assert.same({ 2, 46 }, { cut.next_offset, cut.next_column })
      assert.equal(45, #page_of(LONG, { offset = 2, column = 1, max_bytes = 45, long_line = "omit" }))
    end)

    it("counts columns in chars", function()
      local line = ("\195\169\255\240\159\152\128x"):rep(50)
      local content, cut = page_of(line .. "\n", { max_bytes = 20, long_line = "split" })
      assert.equal(line:sub(1, 19), content) -- the next char would need 4 bytes
      assert.equal(#plain.chars(content) + 1, cut.next_column)
      local rest = page_of(line .. "\n", { column = cut.next_column })
      assert.equal(line:sub(20) .. "\n", rest)
    end)

    it("has nowhere to go on when not one char fits", function()
      local content, cut = page_of("\240\159\152\128\n", { max_bytes = 3, long_line = "split" })
      assert.equal("", content)
      assert.is_true(cut.truncated)
      assert.is_nil(cut.next_offset)
      content, cut = page_of("abc\n", { max_bytes = 0 })
      assert.equal("", content)
      assert.is_true(cut.truncated)
    end)

    it("of many megabytes finds any column, with and without an index", function()
      local line = ("\195\169abc\240\159\152\128"):rep(300000) -- 2.7 MB, 1.5 million chars
      file("first\n" .. line .. "\nlast\n")
      local index = abridge.index()
      for _, column in ipairs { 1, 2, 262145, 700001, 1499999, 1500000, 1500001 } do
        local at = (column - 1) % 5 + 1
        local before = math.floor((column - 1) / 5) * 9 + ({ 0, 2, 3, 4, 5 })[at]
        for _, given in ipairs { index, false } do
          local opts = { offset = 2, column = column, max_bytes = 50, index = given or nil }
          local content = abridge.page(dir:at "f", opts)
          local want = abridge.head(line:sub(before + 1) .. "\nlast\n", { max_bytes = 50, long_line = "split" })
          assert.equal(want, content)
        end
      end
      fails(
        dir:at "f",
        { offset = 2, column = 1500002 },
        "Column 1500002 is beyond end of line 2 (1500000 chars)",
        "ECOLUMN"
      )
    end)
  end)

  describe("under max_chars and max_tokens", function()
    it("tells the chars of the whole file, and which is the first of the page", function()
      local text = "\195\169\195\169\n\255b\nccc\n"
      local content, cut = page_of(text, { offset = 2, max_chars = 3 })
      assert.equal("\255b", content)
      assert.same({ 10, 4, 2, 3 }, { cut.total_chars, cut.first_char, cut.output_chars, cut.max_chars })
      cut = select(2, page_of(text, { offset = 2, column = 2, max_chars = 1 }))
      assert.equal(5, cut.first_char)
      cut = select(2, page_of(text, { max_bytes = 3 }))
      assert.is_nil(cut.total_chars)
    end)

    it("finds the first char of any line of a large file, with and without an index", function()
      local lines = {}
      for i = 1, 30000 do
        lines[i] = ("\195\169"):rep(i % 13) .. "\255" .. i
      end
      local text = table.concat(lines, "\n")
      file(text)
      local index = abridge.index()
      local total = abridge.count_chars(text)
      for _, offset in ipairs { 1, 2, 7777, 15000, 29999, 30000 } do
        local before = table.concat(lines, "\n", 1, offset - 1) .. (offset > 1 and "\n" or "")
        for _, given in ipairs { index, false } do
          local _, cut = abridge.page(dir:at "f", { offset = offset, max_chars = 30, index = given or nil })
          assert.same({ total, abridge.count_chars(before) + 1 }, { cut.total_chars, cut.first_char })
        end
      end
    end)

    it("weighs tokens by the estimate or the given counter", function()
      local function words(text)
        local _, n = text:gsub("%S+", "")
        return n
      end
      local content, cut = page_of(numbered(100), { max_tokens = 10, count_tokens = words })
      assert.equal(numbered(5):sub(1, -2), content)
      assert.same({ "tokens", 6 }, { cut.truncated_by, cut.next_offset })
      content = page_of(numbered(100), { max_tokens = 20 })
      local weighed = plain.tokens(content)
      assert.is_true(weighed <= 20 and weighed >= 14, weighed)
    end)

    it("raises what the counter raises, and closes the file", function()
      file(numbered(100))
      local thrown = { "mine" }
      local ok, raised = pcall(abridge.page, dir:at "f", {
        max_tokens = 10,
        count_tokens = function()
          error(thrown)
        end,
      })
      assert.is_false(ok)
      assert.equal(thrown, raised)
      ok, raised = pcall(abridge.page, dir:at "f", {
        max_tokens = 10,
        count_tokens = function()
          return "x"
        end,
      })
      assert.is_false(ok)
      assert.matches('count_tokens must return an integer from 0 to 2^53, got "x"', raised, 1, true)
    end)
  end)

  describe("tells as nil, message, code", function()
    it("an offset beyond the end", function()
      fails(file "a\nb\nc\n", { offset = 100 }, "Offset 100 is beyond end of file (3 lines total)", "EOFFSET")
      fails(dir:at "f", { offset = 4 }, "Offset 4 is beyond end of file (3 lines total)", "EOFFSET")
      fails(dir:at "f", { offset = 2 ^ 53 }, "Offset 9007199254740992 is beyond end of file (3 lines total)", "EOFFSET")
      fails(file "a\nb\nc", { offset = 4, column = 7 }, "Offset 4 is beyond end of file (3 lines total)", "EOFFSET")
    end)

    it("a column beyond the end of its line", function()
      fails(file "abc\n\195\169\n", { column = 5 }, "Column 5 is beyond end of line 1 (3 chars)", "ECOLUMN")
      fails(
        dir:at "f",
        { offset = 2, column = 2 ^ 53 },
        "Column 9007199254740992 is beyond end of line 2 (1 char)",
        "ECOLUMN"
      )
    end)

    it("what is not there", function()
      local missing = dir:at "missing"
      fails(missing, nil, "No such file or directory: " .. missing, "ENOENT")
      fails(file "x" .. "/under", nil, "No such file or directory: " .. dir:at "f/under", "ENOENT")
      fails("", nil, "No such file or directory: ", "ENOENT")
      fails("a\0b", nil, "No such file or directory: path in details", "ENOENT")
      assert(uv.fs_symlink("nowhere", dir:at "broken"))
      fails(dir:at "broken", nil, "No such file or directory: " .. dir:at "broken", "ENOENT")
    end)

    it("a folder", function()
      fails(dir.path, nil, "Is a directory: " .. dir.path, "EISDIR")
      fails("/", { binary = true }, "Is a directory: /", "EISDIR")
    end)

    it("a FIFO, a socket and a device, which are not waited for", function()
      assert.equal(0, select(3, dir:sh "mkfifo fifo"))
      fails(dir:at "fifo", nil, ("Not a regular file: %s is a fifo"):format(dir:at "fifo"), "ENOTREG")
      local socket = uv.new_pipe(false)
      assert(socket:bind(dir:at "socket"))
      fails(dir:at "socket", nil, ("Not a regular file: %s is a socket"):format(dir:at "socket"), "ENOTREG")
      local closed = false
      socket:close(function()
        closed = true
      end)
      host.wait(function()
        return closed
      end)
      fails("/dev/null", nil, "Not a regular file: /dev/null is a device", "ENOTREG")
      fails("/dev/zero", { binary = true }, "Not a regular file: /dev/zero is a device", "ENOTREG")
      fails("/dev/tty", nil, "Not a regular file: /dev/tty is a device", "ENOTREG")
    end)

    it("a file that may not be read", function()
      local path = dir:write("secret", "a\n")
      assert(uv.fs_chmod(path, 0))
      local said = dir:unprivileged [[
        local content, message, code = require("abridge").page(arg[1] .. "/secret")
        io.write(tostring(content), " ", code, " ", message)
      ]]
      if not said then return pending "root cannot give up its privileges here" end
      assert.equal("nil EACCES Permission denied: " .. path, said)
    end)

    it("a file with a NUL in its first 8,000 bytes, unless binary is true", function()
      for _, text in ipairs { "\0", "text\n\0", ("x"):rep(7999) .. "\0" } do
        local message = ("Binary file: %s has a NUL within its first 8,000 bytes"):format(file(text))
        fails(dir:at "f", nil, message, "EBINARY")
        fails(dir:at "f", { binary = false, offset = 100 }, message, "EBINARY")
        assert.equal(text, (abridge.page(dir:at "f", { binary = true })))
      end
      local later = ("x"):rep(8000) .. "\0\n"
      assert.equal(later, (page_of(later)))
    end)

    it("a path that leads nowhere", function()
      assert(uv.fs_symlink("loop", dir:at "loop"))
      local content, message, code = abridge.page(dir:at "loop")
      assert.is_nil(content)
      assert.matches("^Cannot read .*loop: ", message)
      assert.equal("EIO", code)
      content, message, code = abridge.page(dir:at(("n"):rep(300)))
      assert.is_nil(content)
      assert.matches("^Cannot read ", message)
      assert.equal("EIO", code)
    end)
  end)

  describe("raises at the caller", function()
    local function raises(want, opts, path)
      local said = plain.misuse(function()
        local content = abridge.page(path == nil and dir:at "f" or path, opts)
        return content
      end)
      assert.equal(want, said)
    end

    before_each(function()
      file "a\nb\n"
    end)

    it("on a path that is no string", function()
      raises("abridge.page: path must be a string, got 3", nil, 3)
      raises("abridge.page: path must be a string, got table", nil, {})
      raises("abridge.page: path must be a string, got false", nil, false)
      assert.equal(
        "abridge.page: path must be a string, got nil",
        plain.misuse(function()
          local content = abridge.page()
          return content
        end)
      )
    end)

    it("on options that are no table, or unknown", function()
      raises("abridge.page: opts must be a table, got 3", 3)
      raises("abridge.page: unknown option 'ofset' (value 2)", { ofset = 2 })
      raises("abridge.page: unknown option 'line_numbers' (value true)", { line_numbers = true })
      raises("abridge.page: unknown option '1' (value \"x\")", { "x" })
      raises("abridge.page: unknown option 'full_output' (value false)", { full_output = false })
    end)

    it("on numbers that are no places", function()
      for _, key in ipairs { "offset", "column", "limit" } do
        for _, case in ipairs {
          { 0, "0" },
          { -1, "-1" },
          { 1.5, "1.5" },
          { "2", '"2"' },
          { true, "true" },
          { {}, "table" },
          { 2 ^ 53 + 2, "9.007199254741e+15" },
        } do
          local want = ("abridge.page: %s must be an integer from 1 to 2^53, got %s"):format(key, case[2])
          raises(want, { [key] = case[1] })
        end
      end
    end)

    it("on other values of the wrong kind", function()
      raises("abridge.page: binary must be true or false, got 1", { binary = 1 })
      raises("abridge.page: version must be a string, got 7", { version = 7 })
      raises("abridge.page: index must be what abridge.index() returned, got table", { index = {} })
      raises('abridge.page: index must be what abridge.index() returned, got "x"', { index = "x" })
      raises(
        "abridge.page: index must be what abridge.index() returned, got userdata",
        { index = abridge.stream { strategy = "tail", max_lines = 1 } }
      )
      raises("abridge.page: max_lines must be an integer from 0 to 2^53, got -1", { max_lines = -1 })
      raises("abridge.page: max_lines must be an integer from 0 to 2^53, got false", { max_lines = false })
      raises(
        'abridge.page: max_bytes must be an integer from 0 to 2^53 or a size such as "30KB", got false',
        { max_bytes = false }
      )
      raises(
        'abridge.page: max_bytes must be an integer from 0 to 2^53 or a size such as "30KB", got "big"',
        { max_bytes = "big" }
      )
      raises('abridge.page: long_line must be "omit" or "split", got "wrap"', { long_line = "wrap" })
      raises("abridge.page: clean is not for pages: their lines and bytes are those of the file", { clean = true })
      raises('abridge.page: strategy "priority" is for what commands print, not for pages', { strategy = "priority" })
      raises('abridge.page: strategy "auto" is for what tools return, not for pages', { strategy = "auto" })
      local wanted = 'abridge.page: marker and marker_text are for "auto", "head_tail" and "priority", not for "head"'
      raises(wanted, { marker = "none" })
    end)

    it("before it looks at the file", function()
      raises("abridge.page: offset must be an integer from 1 to 2^53, got 0", { offset = 0 }, dir:at "missing")
    end)
  end)

  describe("of files of the kernel, which do not tell their size", function()
    local function text_of(path)
      local handle = io.open(path, "rb")
      local text = handle and handle:read "*a"
      if handle then handle:close() end
      return text
    end

    it("reads them whole", function()
      local text = text_of "/proc/version"
      if not text then return pending "no /proc" end
      local content, cut = abridge.page "/proc/version"
      assert.equal(text, content)
      assert.same({ #text, 1 }, { cut.total_bytes, cut.total_lines })
    end)

    it("pages them, with an index too", function()
      if not uv.fs_stat "/proc/self/status" then return pending "no /proc" end
      for _, index in ipairs { abridge.index(), false } do
        local opts = { index = index or nil, limit = 2 }
        local content, cut = abridge.page("/proc/self/status", opts)
        assert.matches("^Name:[^\n]*\nUmask:[^\n]*$", content)
        opts.offset = cut.next_offset
        content = abridge.page("/proc/self/status", opts)
        assert.matches("^State:[^\n]*\nTgid:", content)
        opts.offset = 1000
        local _, message, code = abridge.page("/proc/self/status", opts)
        assert.equal("EOFFSET", code)
        assert.equal(("Offset 1000 is beyond end of file (%d lines total)"):format(cut.total_lines), message)
      end
    end)

    it("reads those of /sys, which tell a size of a page and hold less", function()
      local path
      for _, candidate in ipairs { "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/online" } do
        path = path or (uv.fs_stat(candidate) and candidate)
      end
      if not path then return pending "no /sys" end
      local text = text_of(path)
      for _, index in ipairs { abridge.index(), false } do
        local content, cut = abridge.page(path, { index = index or nil })
        assert.equal(text, content)
        assert.equal(#text, cut.total_bytes)
        assert.is_nil(cut.changed)
      end
    end)
  end)

  describe("with version", function()
    local function version_of()
      local _, cut = abridge.page(dir:at "f")
      return cut.version
    end

    local function changed(version)
      local _, cut = abridge.page(dir:at "f", { version = version })
      return cut.changed
    end

    it("says nothing of a file that is as it was, and is a short string", function()
      file(numbered(10))
      local version = version_of()
      assert.is_true(#version > 0 and #version < 100)
      assert.matches("^[%w-]+$", version)
      assert.equal(version, version_of())
      assert.is_nil(changed(version))
      local _, cut = abridge.page(dir:at "f", { version = version, offset = 5 })
      assert.is_nil(cut.changed)
      assert.equal(version, cut.version)
    end)

    it("says that a file has grown", function()
      file "a\n"
      local version = version_of()
      file "a\nb\n"
      assert.is_true(changed(version))
      assert.is_nil(changed(version_of()))
    end)

    it("says that it is another one by the same name", function()
      file "a\n"
      local version = version_of()
      age(dir:write("g", "a\n"))
      assert(uv.fs_rename(dir:at "g", dir:at "f"))
      assert.is_true(changed(version))
    end)

    it("says that it was written again, with as many bytes", function()
      file "a\n"
      local version = version_of()
      file("b\n", 1)
      assert.is_true(changed(version))
    end)

    it("takes any other string for another state", function()
      file "a\n"
      assert.is_true(changed "")
      assert.is_true(changed "no version")
      assert.is_true(changed(version_of() .. "0"))
    end)
  end)

  it("does not keep files open", function()
    if not resources.has_proc then return pending "no /proc" end
    file "a\nb\n"
    local index = abridge.index()
    collectgarbage()
    collectgarbage "stop"
    local before = resources.descriptors()
    for _, opts in ipairs { {}, { offset = 9 }, { column = 9 }, { limit = 1 }, { index = index } } do
      abridge.page(dir:at "f", opts)
    end
    abridge.page(dir.path)
    abridge.page "/dev/null"
    local raised = {
      max_tokens = 1,
      count_tokens = function()
        error "no"
      end,
    }
    assert.is_false(pcall(abridge.page, dir:at "f", raised))
    local after = resources.descriptors()
    collectgarbage "restart"
    assert.equal(before, after)
  end)

  it("takes memory in proportion to the page, not to the file or its lines", function()
    local clear = io.open("/proc/self/clear_refs", "w")
    if not clear then return pending "the most memory used cannot be asked for" end
    clear:close()
    local function most_used(run)
      collectgarbage()
      local reset = io.open("/proc/self/clear_refs", "w")
      reset:write "5"
      reset:close()
      run()
      local status = io.open "/proc/self/status"
      local kilobytes = tonumber(status:read("*a"):match "VmHWM:%s*(%d+)")
      status:close()
      return kilobytes
    end
    local path = dir:at "big"
    local big = io.open(path, "wb")
    local block = ("a line of a big file\n"):rep(50000) .. ("long "):rep(200000) .. "\n"
    for _ = 1, 48 do
      big:write(block) -- 97 MB
    end
    big:close()
    block = nil -- luacheck: ignore 311
    file(numbered(3000))
    local small = most_used(function()
      abridge.page(dir:at "f", { max_chars = 1000 })
    end)
    local large = most_used(function()
      local index = abridge.index()
      abridge.page(path, { max_chars = 1000, index = index })
      abridge.page(path, { offset = 2000000, index = index })
      abridge.page(path, { offset = 50001, column = 900000 })
    end)
    os.remove(path)
    assert.is_true(large - small < 2048, ("%d KB more"):format(large - small))
  end)
end)

describe("abridge.index", function()
  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  --- A file large enough to be kept in an index.
  local function large(n, step)
    local lines = {}
    for i = 1, n or 20000 do
      lines[i] = ("%d %s"):format(i, ("\195\169"):rep(i % 11))
    end
    local text = table.concat(lines, "\n") .. "\n"
    file(text, step)
    return text
  end

  it("may be shared by pages of any files", function()
    local index = abridge.index()
    for i = 1, 40 do
      local path = age(dir:write("f" .. i % 20, numbered(10000 + i)))
      local content, cut = abridge.page(path, { offset = 10000, index = index })
      assert.equal(numbered(10000 + i):match "\n(line 10000\n.*)$", content)
      assert.equal(10000 + i, cut.total_lines)
    end
  end)

  it("stays small, and takes no table of lines", function()
    local index = abridge.index()
    for i = 1, 40 do
      abridge.page(age(dir:write("g" .. i, numbered(20000))), { index = index })
    end
    assert.is_true(index:bytes() < 128 * 1024, index:bytes() .. " bytes")
  end)

  it("knows a file by what it is, and is asked anew for one that changed", function()
    local index = abridge.index()
    local text = large(20000)
    local opts = { offset = 19999, index = index }
    assert.equal(text:sub(-#(abridge.page(dir:at "f", opts))), (abridge.page(dir:at "f", opts)))
    file("new\n" .. text, 1)
    local content, cut = abridge.page(dir:at "f", opts)
    assert.equal(text:match "\n(19998 .*)$", content)
    assert.equal(20001, cut.total_lines)
    local other = ("x\n"):rep(#text / 2) .. (#text % 2 == 1 and "\n" or "")
    file(other, 2)
    content, cut = abridge.page(dir:at "f", { offset = 19999, limit = 1, index = index })
    assert.equal("x", content)
    assert.equal(plain.count_lines(other), cut.total_lines)
  end)

  it("does not make a text of a binary file", function()
    local index = abridge.index()
    local binary, text = "\0" .. numbered(20000), numbered(20001)
    for step = 1, 2 do
      file(binary, 2 * step)
      assert.is_string((abridge.page(dir:at "f", { binary = true, index = index })))
      for _ = 1, 2 do
        assert.equal("EBINARY", select(3, abridge.page(dir:at "f", { offset = 20000, index = index })))
      end
      file(text, 2 * step + 1)
      for _ = 1, 2 do
        local content = abridge.page(dir:at "f", { offset = 20001, index = index })
        assert.equal("line 20001\n", content)
      end
    end
  end)

  it("costs a second page time in proportion to the page", function()
    -- what is read shows: the file's bytes are behind a hole, and the kernel counts what was asked of it
    local function read_bytes()
      local io_file = io.open "/proc/self/io"
      local text = io_file and io_file:read "*a"
      if io_file then io_file:close() end
      return text and tonumber(text:match "rchar: (%d+)")
    end
    if not read_bytes() then return pending "no /proc/self/io" end
    local line = ("y"):rep(63) .. "\n"
    local path = age(dir:write("big", line:rep(500000))) -- 32 MB
    local index = abridge.index()
    local function cost(opts)
      opts.index = index
      local before = read_bytes()
      assert(abridge.page(path, opts))
      return read_bytes() - before
    end
    assert.is_true(cost {} > 32000000)
    for _, offset in ipairs { 1, 1000, 250000, 499999, 500000 } do
      assert.is_true(cost { offset = offset } < 300000)
      assert.is_true(cost { offset = offset, column = 10 } < 300000)
    end
    local split = { offset = 7, column = 3, max_bytes = 10 }
    assert.is_true(cost(split) < 300000)
    assert.is_true(cost { max_chars = 100 } > 32000000) -- chars were not counted before
    assert.is_true(cost { max_chars = 100, offset = 400000 } < 600000)
  end)

  it("goes on in a long line from where the page before ended", function()
    local path = age(dir:write("long", ("z"):rep(20000000) .. "\nend\n"))
    local index = abridge.index()
    local opts = { column = 1, max_bytes = 4000000, index = index }
    local _, cut = abridge.page(path, opts)
    assert.equal(4000001, cut.next_column)
    opts.column = cut.next_column
    local before = collectgarbage "count"
    local content
    content, cut = abridge.page(path, opts)
    assert.equal(4000000, #content)
    assert.equal(8000001, cut.next_column)
    assert.is_true(collectgarbage "count" - before < 20000)
  end)

  it("changes no page", function()
    local ages = 10
    random.each(400, function(case)
      local index = random.chance(20) and abridge.index() or nil
      local text = random.text(400):rep(random.choose { 1, 1, 200 })
      ages = ages + 1
      file(text, ages)
      index = index or abridge.index()
      for _ = 1, 6 do
        local opts = { binary = true, offset = random.between(1, abridge.count_lines(text) + 1) }
        if random.chance(3) then opts.column = random.between(1, 40) end
        if random.chance(3) then opts.limit = random.between(1, 30) end
        opts[random.choose { "max_bytes", "max_lines", "max_chars" }] = random.below(300)
        opts.strategy = random.choose { "head", "head", "tail", "head_tail" }
        opts.long_line = random.choose { "omit", "split" }
        local want, want_cut, want_code = abridge.page(dir:at "f", opts)
        opts.index = index
        local got, got_cut, got_code = abridge.page(dir:at "f", opts)
        must(want == got and want_code == got_code, "case %d: want %s, got %s", case, want, got)
        assert.same(want_cut, got_cut)
      end
    end)
  end)

  it("does not outlive its last reference, whoever drops it first", function()
    large()
    for _ = 1, 20 do
      abridge.page(dir:at "f", { index = abridge.index(), offset = 10000 })
    end
    collectgarbage()
    assert.is_true(abridge.page(dir:at "f", { index = abridge.index() }) ~= nil)
  end)
end)

describe("a page whose cut is being made", function()
  it("is not freed by a finalizer that runs meanwhile", function()
    pcall(collectgarbage, "generational")
    for i = 1, 500 do
      local page = core.page_text(("line of text\n"):rep(400), { strategy = "head_tail", max_bytes = 2000 })
      for j = 1, i % 7 do
        assert.equal(5000 + i + j, #("x"):rep(5000 + i + j)) -- litter, so that the collector runs here or there
      end
      setmetatable({}, {
        __gc = function()
          pcall(page.close, page)
        end,
      })
      local ok, content = pcall(page.snapshot, page) -- one that was closed before raises
      assert.is_true(not ok or #content <= 2000)
    end
    pcall(collectgarbage, "incremental")
  end)
end)
