-- What a screen shows of a result: SPEC 11, "cut by the tool and cut for display are two facts".
local abridge = require "abridge"
local core = require "abridge.core"
local fit = require "abridge.output.fit"
local numbered = require("support.reading").numbered
local plain = require "support.plain"
local random = require "support.random"

--- A result as a session makes it. `parts`: tool, strategy, exit_line, notice, is_error, details.
local function result_of(body, parts)
  parts = parts or {}
  local details = parts.details or {}
  details.cut = parts.strategy and { strategy = parts.strategy } or details.cut
  details.exit_line, details.notice = parts.exit_line, parts.notice
  return {
    tool = parts.tool or "read_file",
    call_id = "call-1",
    content = body .. fit.trailer(body, parts.exit_line, parts.notice),
    is_error = parts.is_error or false,
    truncation = abridge.info.not_truncated(#body):to_table(),
    details = next(details) and details or nil,
    duration_ms = 1,
  }
end

local function shown(body, opts, parts)
  local result = result_of(body, parts)
  return abridge.display(result, opts), result.display
end

--- The lines of a text without a newline after the last one.
local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

local function block(returned, total, reason)
  if not total then
    total, reason = returned, "size_cap"
  end
  return { truncated = returned < total, bytes_returned = returned, bytes_total = total, reason = reason }
end

describe("display: lines", function()
  it("shows a result whole when nothing forbids", function()
    local text, said = shown "one\ntwo\n"
    assert.equal("one\ntwo", text)
    assert.same(block(8), said)
    assert.equal("one\n\n\ntwo", (shown("one\n\n\ntwo", { max_lines = 4, width = 3 })))
  end)

  it("shows the start, and how many lines follow", function()
    local text, said = shown(numbered(10), { max_lines = 3 })
    assert.equal("line 1\nline 2\nline 3\n... (7 more lines)", text)
    assert.same(block(20, 71, "line_cap"), said)
  end)

  it("shows the end where the tool kept the end, and how many lines came earlier", function()
    local text, said = shown(numbered(10), { max_lines = 2 }, { tool = "bash", strategy = "tail" })
    assert.equal("... (8 earlier lines)\nline 9\nline 10", text)
    assert.same(block(15, 71, "line_cap"), said)
  end)

  it("shows the end of a command's output that was cut at both ends, whatever its name", function()
    local want = "... (9 earlier lines)\nline 10"
    for _, strategy in ipairs { "auto", "head_tail", "priority", "pipeline" } do
      assert.equal(want, (shown(numbered(10), { max_lines = 1 }, { tool = "run_command", strategy = strategy })))
      local alias = { tool = "bash", strategy = strategy, details = { exit_code = 0 } }
      assert.equal(want, (shown(numbered(10), { max_lines = 1 }, alias)))
    end
    assert.equal(want, (shown(numbered(10), { max_lines = 1 }, { tool = "run_command" })))
    local killed = { tool = "bash", strategy = "head_tail", exit_line = "Command killed by signal KILL" }
    assert.equal(want .. "\n\nCommand killed by signal KILL", (shown(numbered(10), { max_lines = 1 }, killed)))
  end)

  it("shows the start of other tools' results, and of a command's where the tool kept the start", function()
    for _, parts in ipairs {
      { tool = "github__search", strategy = "head_tail" },
      { tool = "find_files" },
      { tool = "run_command", strategy = "head", details = { exit_code = 0 } },
    } do
      assert.equal("line 1\n... (9 more lines)", (shown(numbered(10), { max_lines = 1 }, parts)))
    end
  end)

  it("counts one line as it counts many", function()
    assert.equal("a\n... (1 more line)", (shown("a\nb", { max_lines = 1 })))
    assert.equal("... (1 earlier line)\nb", (shown("a\nb", { max_lines = 1 }, { strategy = "tail" })))
  end)

  it("keeps empty lines at a cut edge", function()
    assert.equal("a\n\n... (1 more line)", (shown("a\n\nb\n", { max_lines = 2 })))
    assert.equal("\n... (2 more lines)", (shown("\n\nb\n", { max_lines = 1 })))
    assert.equal("... (1 earlier line)\n\nb", (shown("a\n\nb\n", { max_lines = 2 }, { strategy = "tail" })))
    assert.equal("... (2 earlier lines)\n", (shown("a\n\n\n", { max_lines = 1 }, { strategy = "tail" })))
  end)

  it("shows nothing of a text when max_lines is 0, but says what there is", function()
    local text, said = shown(numbered(3), { max_lines = 0 }, { notice = "[Note]" })
    assert.equal("... (3 more lines)\n\n[Note]", text)
    assert.same(block(0, 21, "line_cap"), said)
    assert.equal("... (3 earlier lines)", (shown(numbered(3), { max_lines = 0 }, { strategy = "tail" })))
  end)

  it("shows an empty result as nothing", function()
    local text, said = shown("", { max_lines = 0, width = 1, ansi = true })
    assert.equal("", text)
    assert.same(block(0), said)
  end)
end)

describe("display: notice and exit line", function()
  local parts = {
    tool = "run_command",
    strategy = "tail",
    is_error = true,
    exit_line = "Command exited with code 2",
    notice = "[Showing lines 2991-3000 of 3000. Full output: /tmp/out.log]",
  }

  it("are kept below and are not counted", function()
    local below = "\n\nCommand exited with code 2\n\n[Showing lines 2991-3000 of 3000. Full output: /tmp/out.log]"
    assert.equal("... (9 earlier lines)\nline 10" .. below, (shown(numbered(10), { max_lines = 1 }, parts)))
    assert.equal("line 1\nline 2" .. below, (shown(numbered(2), { max_lines = 2 }, parts)))
    assert.equal(below:sub(3), (shown("", { max_lines = 0 }, parts)))
  end)

  it("of a text that looks like them are what the block says, not the text", function()
    local body = "x\n\nCommand exited with code 1\n\n[Showing lines 1-2 of 3]\n"
    assert.equal("x\n... (4 more lines)", (shown(body, { max_lines = 1 })))
    assert.equal("x\n... (4 more lines)\n\n[Note]", (shown(body, { max_lines = 1 }, { notice = "[Note]" })))
  end)

  it("are wrapped, never cut", function()
    local text = shown("abcdefghij", { width = 20 }, parts)
    assert.equal(
      "abcdefghij\n\nCommand exited with\ncode 2\n\n[Showing lines\n2991-3000 of 3000.\nFull output:\n/tmp/out.log]",
      text
    )
    assert.equal("...\n(9\nmore\nline\ns)", (shown(numbered(9), { max_lines = 0, width = 4 })))
    assert.equal("[A\nve\nry\nlo\nng\npa\nth\n]", (shown("", { width = 2 }, { notice = "[A very long path]" })))
    assert.equal("[\n.\ne\nx\n]", (shown("", { width = 1 }, { notice = "[\230\188\162e x]" })))
  end)
end)

describe("display: width", function()
  local function cut(line, width)
    return (shown(line, { width = width }))
  end

  it("cuts lines that are wider, the dots counted", function()
    assert.equal("abcdefgh", cut("abcdefgh", 8))
    assert.equal("abcd...", cut("abcdefgh", 7))
    assert.equal("a...", cut("abcdefgh", 4))
    assert.equal("...", cut("abcdefgh", 3))
    assert.equal("..", cut("abcdefgh", 2))
    assert.equal(".", cut("abcdefgh", 1))
    assert.equal("a", cut("a", 1))
    assert.equal("ab\nc...\nd", (shown("ab\ncdefg\nd", { width = 4 })))
  end)

  it("tells the bytes that show", function()
    assert.same(block(3 + 1 + 4, 3 + 1 + 9, "size_cap"), select(2, shown("abc\nabcdefghi", { width = 7 })))
    local _, said = shown("abc\nabcdefghi\nd", { width = 7, max_lines = 2 })
    assert.same(block(3 + 1 + 4, 3 + 1 + 9 + 2, "line_cap"), said)
    assert.same(block(13), select(2, shown("abc\nabcdefghi", { width = 9 })))
  end)

  it("counts wide chars twice and never halves one", function()
    local han = "\230\188\162\229\173\151\230\188\162\229\173\151" -- 4 chars, 8 cells
    assert.equal(han, cut(han, 8))
    assert.equal("\230\188\162\229\173\151...", cut(han, 7))
    assert.equal("\230\188\162...", cut(han, 6))
    assert.equal("\230\188\162...", cut(han, 5))
    assert.equal("...", cut(han, 4))
    assert.equal(".", cut(han, 1))
    assert.same(block(3, 12, "size_cap"), select(2, shown(han, { width = 6 })))
  end)

  it("keeps combining chars with their letter", function()
    local e = "e\204\129\204\163"
    assert.equal(e:rep(4), cut(e:rep(4), 4))
    assert.equal(e .. "...", cut(e:rep(5), 4))
    assert.equal("\204\129a...", cut("\204\129abcdefg", 4))
  end)

  it("counts emoji twice, joiners and variation selectors not", function()
    local woman, girl, joiner = "\240\159\145\169", "\240\159\145\167", "\226\128\141"
    local family = woman .. joiner .. girl
    assert.equal(family, cut(family, 4))
    assert.equal("...", cut(family, 3))
    assert.equal(woman .. joiner .. "...", cut(family .. woman, 5))
    assert.equal("\226\157\164\239\184\143", cut("\226\157\164\239\184\143", 1))
  end)

  it("expands tabs to every eighth column", function()
    assert.equal("a       b", cut("a\tb", 9))
    assert.equal("a       b", (shown "a\tb"))
    assert.equal("        b", (shown "\tb"))
    assert.equal("12345678        b", (shown "12345678\tb"))
    assert.equal("\230\188\162      b", (shown "\230\188\162\tb"))
    assert.equal("a" .. (" "):rep(15) .. "b", (shown "a\t\tb"))
    assert.equal("a...", cut("a\tb", 8))
    assert.same(block(1, 3, "size_cap"), select(2, shown("a\tb", { width = 8 })))
  end)
end)

describe("display: what would disturb a screen", function()
  it("shows controls in caret form, escape sequences too", function()
    assert.equal("^[[31mred^[[0m", (shown "\27[31mred\27[0m"))
    assert.equal("a^@b^G^?^H", (shown "a\0b\7\127\8"))
    assert.equal("^[]0;title^G", (shown "\27]0;title\7"))
    assert.equal("^[[2J", (shown "\194\1552J"))
    assert.equal("50%^M100%", (shown "50%\r100%\r\n"))
    assert.equal("one\ntwo", (shown "one\r\ntwo\r\n"))
    assert.same(block(10), select(2, shown "one\r\ntwo\r\n"))
  end)

  it("does not halve a form", function()
    assert.equal("abc...", (shown("abc\27[31m", { width = 7 })))
    assert.equal("abc^[...", (shown("abc\27[31m", { width = 8 })))
  end)

  it("shows line separators and turned text by number", function()
    assert.equal("a<U+202E>b<U+2028>c<U+2066>d", (shown "a\226\128\174b\226\128\168c\226\129\166d"))
    local harmless = "\226\128\143\226\128\166\226\128\167\226\129\165\226\130\172\194\163\194\160"
    assert.equal(harmless, (shown(harmless)))
  end)

  it("shows loose bytes as U+FFFD", function()
    assert.equal("a\239\191\189b", (shown "a\255b"))
    assert.equal("a\239\191\189...", (shown("a\155\155\155\155\155", { width = 5 })))
  end)

  it("is not let through by a notice either", function()
    assert.equal("^[[2J[x]", (shown("", nil, { notice = "\27[2J[x]" })))
  end)
end)

describe("display: ansi", function()
  local yellow, red, reset = "\27[33m", "\27[31m", "\27[0m"

  it("colours notice and remark yellow, line by line", function()
    local text = shown("a\nb", { max_lines = 1, ansi = true, width = 8 }, { notice = "[A notice]" })
    assert.equal(
      table.concat({
        "a",
        yellow .. "... (1" .. reset,
        yellow .. "more" .. reset,
        yellow .. "line)" .. reset,
        "",
        yellow .. "[A" .. reset,
        yellow .. "notice]" .. reset,
      }, "\n"),
      text
    )
  end)

  it("colours an error red", function()
    assert.equal(
      red .. "No such file or directory: x" .. reset,
      (shown("No such file or directory: x", { ansi = true }, { is_error = true }))
    )
    assert.equal(
      red .. "a" .. reset .. "\n\n" .. red .. "b" .. reset .. "\n\n" .. yellow .. "[n]" .. reset,
      (shown("a\n\nb", { ansi = true }, { is_error = true, notice = "[n]" }))
    )
  end)

  it("colours what a failed command said of its end, not what it printed", function()
    local parts = {
      tool = "bash",
      is_error = true,
      details = { exit_code = 1 },
      exit_line = "Command exited with code 1",
      notice = "[n]",
    }
    assert.equal(
      "out\n\n" .. red .. "Command exited with code 1" .. reset .. "\n\n" .. yellow .. "[n]" .. reset,
      (shown("out\n", { ansi = true }, parts))
    )
  end)

  it("adds nothing where nothing is a warning, and nothing unless asked", function()
    assert.equal("a\n\nb", (shown("a\n\nb\n", { ansi = true })))
    assert.equal("a\n\n[n]", (shown("a", { ansi = false }, { is_error = true, notice = "[n]" })))
  end)
end)

describe("display: rows", function()
  local display = require "abridge.output.display"

  --- What of each row is ours: its kind, and its spans as text.
  local function ours(result, opts)
    local list = {}
    for i, row in ipairs(display.rows("rows", result, opts)) do
      local parts = { row.kind }
      for _, span in ipairs(row.spans or {}) do
        parts[#parts + 1] = "<" .. row.text:sub(span.first_byte, span.last_byte) .. ">"
      end
      list[i] = table.concat(parts, " ")
    end
    return list
  end

  local function cut_result(body, opts)
    local content, cut = abridge.cut(body, opts)
    return { tool = "other", content = content, details = { cut = cut } }
  end

  it("tell omission markers, by the ledger", function()
    local marker = "... [7 lines, 50 bytes omitted] ..."
    local body = numbered(10):gsub("line 5", marker, 1) -- the tool's own words
    local result = cut_result(body, { strategy = "head_tail", max_lines = 6, head_ratio = 0.9 })
    assert.same({ "", "", "", "", "", "<... [4 lines, 29 bytes omitted] ...>", "" }, ours(result))
    assert.same({ "", "", "", "", "<...>", "<... [4 lines, 29 byt> <...>", "" }, ours(result, { width = 23 }))
    assert.same({ "", "", "marker" }, ours(result, { max_lines = 2 }))
    result.content = "\255" .. result.content -- the ledger is not that of this text
    assert.same({ "", "", "", "", "", "", "" }, ours(result))
  end)

  it("tell markers inside lines, after what shows longer than it is", function()
    local result = cut_result("\1\t" .. ("a"):rep(300), {
      strategy = "head_tail",
      snap = "char",
      max_bytes = 60,
      marker_text = "~{bytes}~",
    })
    assert.same({ "<~247~>" }, ours(result))
  end)

  --- A line with markers among tabs, controls and wide chars, as a JSON document on one line may be cut.
  local function many_gaps(count)
    local pieces, markers, at = {}, {}, 0
    for i = 1, count do
      local value = ('"\t%d\1\195\169\228\184\173",'):format(i)
      local marker = ('"... %d of 9 omitted ...",'):format(i)
      markers[i] = { first_byte = at + #value + 1, last_byte = at + #value + #marker }
      pieces[i], at = value .. marker, markers[i].last_byte
    end
    return { content = table.concat(pieces) .. "\nend", details = { cut = { markers = markers } } }
  end

  it("tell a hundred markers inside one line", function()
    local result, expected = many_gaps(100), {}
    for i = 1, 100 do
      expected[i] = ('<"... %d of 9 omitted ...",>'):format(i)
    end
    assert.same({ table.concat(expected, " "), "" }, ours(result))
    assert.equal('<"... 1 of 9 omitted ..> <...>', ours(result, { width = 41 })[1])
    -- on the second line, and where only the end shows
    result.content = "first\n" .. result.content
    for _, marker in ipairs(result.details.cut.markers) do
      marker.first_byte, marker.last_byte = marker.first_byte + 6, marker.last_byte + 6
    end
    assert.equal(table.concat(expected, " "), ours(result)[2])
    result.tool = "run_command"
    assert.same({ "marker", table.concat(expected, " "), "" }, ours(result, { max_lines = 2 }))
  end)

  it("take work in proportion to the markers of a line #once", function()
    --- Steps of the interpreter, in hundreds, and KiB of what is made, copies of the line among it.
    local function work(count)
      local result, steps = many_gaps(count), 0
      collectgarbage()
      collectgarbage "stop"
      local before = collectgarbage "count"
      debug.sethook(function()
        steps = steps + 1
      end, "", 100)
      display.rows("rows", result)
      debug.sethook()
      local made = collectgarbage "count" - before
      collectgarbage "restart"
      return steps, made
    end
    local few_steps, little = work(250)
    local steps, made = work(4000)
    assert.is_true(few_steps > 10 and little > 10)
    assert.is_true(steps < 20 * few_steps)
    assert.is_true(made < 20 * little)
  end)

  it("tell markers in order alone: what a log says may be anything", function()
    local result = many_gaps(3)
    local markers = result.details.cut.markers
    markers[2], markers[3] = markers[3], markers[2]
    assert.equal(2, select(2, ours(result)[1]:gsub("<", "")))
  end)

  it("show the start of what a command printed, unless it is a log", function()
    local function first_row(kind)
      local result = { tool = "run_command", content = "first\nlast" }
      result.details = { cut = { strategy = "auto", kind = kind } }
      return display.rows("rows", result, { max_lines = 1 })[1].text
    end
    for _, kind in ipairs { "text", "json", "json_lines", "table", "diff", "binary" } do
      assert.equal("first", first_row(kind))
    end
    assert.equal("... (1 earlier line)", first_row "log")
    assert.equal("... (1 earlier line)", first_row(nil))
  end)

  it("tell where a line was cut for the screen", function()
    assert.same({ "<...>" }, ours({ content = ("x"):rep(30) }, { width = 10 }))
  end)

  it("tell notice, exit line and errors by block and details, never by their words", function()
    local parts = { tool = "run_command", exit_line = "Command exited with code 1", notice = "[n]", is_error = true }
    local body = "[Showing lines 1-2 of 3]\nCommand exited with code 1\n"
    assert.same({ "", "", "", "error", "", "notice" }, ours(result_of(body, parts)))
    parts.is_error = false
    assert.same({ "", "", "", "notice", "", "notice" }, ours(result_of(body, parts)))
    assert.same({ "error", "error" }, ours(result_of("a\nb", { is_error = true })))
  end)

  it("tell nothing of markers that are no places", function()
    for _, markers in ipairs { "x", { 3 }, { { first_byte = -1, last_byte = "2" } }, { {} } } do
      assert.same({ "" }, ours { content = "abc", details = { cut = { markers = markers } } })
    end
  end)
end)

describe("display: results of a session", function()
  it("of a command that failed show the error that the model got; of one that did not, the end", function()
    local session = abridge.session { tools = { "run_command" }, run_dir = false }
    local printed = "seq 40; echo 'main.c:3:5: error: boom'; seq 60"
    local failed = session:call("run_command", { command = printed .. "; exit 1" })
    assert.equal("auto", failed.details.cut.strategy)
    local text = abridge.display(failed, { max_lines = 20 })
    assert.matches("\n%.%.%. %(%d+ more lines%)\n[^%z]*\nmain%.c:3:5: error: boom\n", text)
    assert.matches("\n60\n\nCommand exited with code 1$", text)
    local there, missing = 0, 0
    for line in (text:match "^(.*)\n\nCommand" .. "\n"):gmatch "([^\n]*)\n" do
      local more = line:match "^%.%.%. %((%d+) %l+ lines?%)$"
      there, missing = there + (more and 0 or 1), missing + (more or 0)
    end
    assert.same({ 20, 81 }, { there, missing })
    assert.equal("line_cap", failed.display.reason)
    local rows = require("abridge.output.display").rows("test", failed, { max_lines = 0 })
    assert.equal("... (101 more lines)", rows[1].text)

    local done = session:call("run_command", { command = printed })
    assert.matches("^%.%.%. %(81 earlier lines%)\n41\n", abridge.display(done, { max_lines = 20 }))
    local command = "seq -f 'step %.0f' 99; exit 1"
    local silent = session:call("run_command", { command = command, output = "silent" })
    assert.matches("^%.%.%. %(%d+ earlier lines%)\nstep 98\n", abridge.display(silent, { max_lines = 2 }))
    session:close()
  end)

  it("of both kinds, with their notices", function()
    local session = abridge.session {
      tools = { "run_command" },
      limits = { run_command = { strategy = "tail", max_lines = 5 }, list = { strategy = "head", max_lines = 4 } },
      run_dir = false,
    }
    session:register {
      name = "list",
      execute = function()
        return numbered(6)
      end,
    }

    local result = session:call("run_command", { command = "seq 1 9; exit 3" })
    local text = abridge.display(result, { max_lines = 2 })
    assert.equal("... (3 earlier lines)\n8\n9\n\nCommand exited with code 3\n\n" .. result.content:match "%[.*$", text)
    assert.same(block(4, 10, "line_cap"), result.display)

    result = session:call("list", {})
    text = abridge.display(result, { max_lines = 1, width = 60 })
    assert.equal("line 1\n... (3 more lines)\n\n" .. result.content:match "%[.*$", text)
    assert.equal("line_cap", result.display.reason)

    result = session:call("no such tool", {})
    assert.equal("\27[31mUnknown tool: no such tool\27[0m", abridge.display(result, { ansi = true }))
    session:close()
  end)

  it("that were read back, with parts missing", function()
    local result = { content = "a\nb\n", is_error = false }
    assert.equal("a\n... (1 more line)", abridge.display(result, { max_lines = 1 }))
    assert.same(block(2 - 1, 4, "line_cap"), result.display)
    result = { content = "ab", truncation = { bytes_returned = 40 }, details = false }
    assert.equal("ab", abridge.display(result))
  end)
end)

describe("display: the result", function()
  it("is not touched but for its display, which each call sets anew", function()
    local result = result_of(numbered(20) .. ("x"):rep(100), { notice = "[n]", exit_line = "e", is_error = true })
    local before = plain.copy(result)
    local opts = { max_lines = 2, width = 10, ansi = true }
    local text = abridge.display(result, opts)
    local first = result.display
    assert.is_true(first.truncated)
    assert.same({ max_lines = 2, width = 10, ansi = true }, opts)
    assert.equal(text, abridge.display(result, opts))
    assert.same(first, result.display)
    abridge.display(result)
    assert.is_false(result.display.truncated)
    result.display = nil
    assert.same(before, result)
  end)

  it("is asked for by name", function()
    local result = result_of "x"
    local function message(...)
      local args = { n = select("#", ...), ... }
      return plain.misuse(function()
        local text = abridge.display((table.unpack or unpack)(args, 1, args.n))
        return text
      end)
    end
    assert.equal("abridge.display: result must be a result with content, got nil", message())
    assert.equal('abridge.display: result must be a result with content, got "x"', message "x")
    assert.equal("abridge.display: result must be a result with content, got table", message {})
    assert.equal("abridge.display: opts must be a table, got 3", message(result, 3))
    assert.equal("abridge.display: unknown option 'lines' (value 3)", message(result, { lines = 3 }))
    for _, value in ipairs { -1, 1.5, 2 ^ 54, "3", true } do
      assert.matches(
        "^abridge.display: max_lines must be an integer from 0 to 2%^53, got ",
        message(result, { max_lines = value })
      )
      assert.matches(
        "^abridge.display: width must be an integer from 1 to 2%^53, got ",
        message(result, { width = value })
      )
    end
    assert.equal("abridge.display: width must be an integer from 1 to 2^53, got 0", message(result, { width = 0 }))
    assert.equal("abridge.display: ansi must be a boolean, got 1", message(result, { ansi = 1 }))
    assert.is_nil(result.display)
    local session = assert(abridge.session { run_dir = false })
    assert.equal(
      "session:display: max_lines must be an integer from 0 to 2^53, got -1",
      plain.misuse(function()
        local text = session:display(result, { max_lines = -1 })
        return text
      end)
    )
    assert.equal(
      "session:display: result must be a result with content, got nil",
      plain.misuse(function()
        local text = session:display()
        return text
      end)
    )
    assert.equal("x", abridge.display(result, { max_lines = 2 ^ 53, width = 2 ^ 53 }))
  end)
end)

-- Chars that are as wide for Neovim as for the core, and bytes that must not reach a screen.
local ALPHABET = {
  "a",
  "bc def ",
  "\n",
  "\n",
  "\t",
  "\27[1m",
  "\r\n",
  "\0",
  "\127",
  "\194\133",
  "\195\169",
  "e\204\129",
  "\204\163",
  "\216\167",
  "\224\184\129\224\184\180",
  "\226\148\128",
  "\226\130\172",
  "\227\129\130",
  "\230\188\162",
  "\234\176\128",
  "\239\189\177",
  "\239\188\161",
  "\240\159\152\128",
  "\226\128\174",
}

--- Cells of a line: as Neovim has them, elsewhere as the core.
local function cells(line)
  -- in Neovim a combining char at the very start would stand alone
  return vim and vim.fn.strdisplaywidth("|" .. line) - 1 or core.cells(line)
end

describe("display: for all texts", function()
  it("no line is wider than the screen, the block conforms, valid UTF-8 stays valid", function()
    random.each(400, function()
      local body = random.join(ALPHABET, random.below(60))
      local parts = {
        strategy = random.choose { "head", "tail", "head_tail" },
        tool = random.choose { "run_command", "other" },
        is_error = random.chance(3),
        notice = random.chance(2) and "[Showing lines 1-2 of 3. Full output: /a/\230\188\162/b]" or nil,
        exit_line = random.chance(3) and "Command exited with code 1" or nil,
      }
      local opts = {
        width = random.choose { 1, 2, 3, 4, 5, 8, 20, 80 },
        max_lines = not random.chance(4) and random.below(8) or nil,
        ansi = random.chance(2),
      }
      local result = result_of(body, parts)
      local text = abridge.display(result, opts)
      random.must(plain.is_valid_utf8(text), "not UTF-8: %s", text)
      text = text:gsub("\27%[3[13]m([^\n]*)\27%[0m", "%1")
      random.must(not text:find "[%z\1-\9\11-\31\127]", "a control is left in %s", text)
      for _, line in ipairs(lines_of(text)) do
        random.must(cells(line) <= opts.width, "%s is wider than %s", line, opts.width)
      end
      abridge.assert_conforms("display", { truncation = result.display })

      local said = result.display
      local whole = plain.count_lines(body) <= (opts.max_lines or math.huge)
      random.must(whole or said.reason == "line_cap", "%s lines cut, reason %s", opts.max_lines, said.reason)
      random.must(said.bytes_total == #body and said.bytes_returned <= #body, "bytes %s", said.bytes_returned)
      random.must(said.truncated or (whole and said.bytes_returned == #body), "not truncated, yet not whole")
      for _, part in ipairs { parts.notice or "", parts.exit_line or "" } do
        part = opts.width == 1 and part:gsub("\230\188\162", ".") or part
        local squeezed = text:gsub("%s", "")
        random.must(squeezed:find(part:gsub("%s", ""), 1, true), "%s is not in %s", part, text)
      end
    end)
  end)
end)

describe("cells", function()
  it("are summed up, and prefixes end between chars", function()
    assert.equal(0, core.cells "")
    assert.equal(11, core.cells "tab\tand han")
    assert.equal(6, core.cells "e\204\129\230\188\162\240\159\152\128a")
    assert.equal(2, core.cells "\27\0\n\255\195")
    assert.equal(3, core.fit_cells("e\204\129\230\188\162", 2))
    assert.equal(6, core.fit_cells("e\204\129\230\188\162", 3))
    assert.equal(0, core.fit_cells("abc", 0))
  end)

  if vim then
    it("are those of Neovim for ordinary text", function()
      for _, text in ipairs {
        "plain ASCII, with ~!@#$%^&*()",
        "français, Österreich, Łódź, tiếng Việt",
        "Ελληνικά, русский, українська, հայերեն, ქართული",
        "עברית, العربية, فارسی",
        "ไทย, ລາວ, བོད་ཡིག", -- in Indic scripts Neovim gives no cell to spacing vowels, as terminals do
        "漢字かな交じり文、カタカナ、ﾊﾝｶｸ、ＡＢＣ",
        "한국어 문장, 中文（简体）, 「引用」",
        "e\204\129a\204\128n\204\131o\204\136",
        "─│┌┐└┘├┤█▌░▒▓ ←↑→↓ ✓✗ • … “quoted” €£¥",
        "😀🎉🚀✅❌⭐⌛",
        "∀x∈ℝ: ⌈x⌉ ≥ x, ½ ± 10⁻³ ∞",
      } do
        assert.equal(vim.fn.strdisplaywidth(text), core.cells(text), text)
        for width = 0, 40 do
          local shown_part = text:sub(1, core.fit_cells(text, width))
          assert.is_true(vim.fn.strdisplaywidth(shown_part) <= width)
        end
      end
    end)
  end
end)

describe("session:display", function()
  it("tells the block of the screen in the run's log, beside that of the tool", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local dir = require("support.tmpdir").new()
    local session = require("abridge").session { run_dir = dir:at "run" }
    local result = session:cap("tool", ("line\n"):rep(50))
    local text = session:display(result, { max_lines = 3 })
    assert.equal(text, (abridge.display(result, { max_lines = 3 })))
    local events = session:events()
    assert.equal("tool_result", events[2].type)
    assert.is_false(events[2].truncation.truncated)
    assert.equal("display", events[3].type)
    assert.equal(result.call_id, events[3].call_id)
    assert.is_true(events[3].display.truncated)
    session:close()
    dir:remove()
  end)

  it("a duration shows in milliseconds, seconds or minutes, rounded to what has passed", function()
    local display = require "abridge.output.display"
    for ms, text in pairs {
      [0] = "0ms",
      [999] = "999ms",
      [1000] = "1.0s",
      [1990] = "1.9s",
      [59999] = "59.9s",
      [60000] = "1m00s",
      [61999] = "1m01s",
      [3600000] = "60m00s",
    } do
      assert.equal(text, display.duration(ms))
    end
    assert.is_nil(display.duration(-1))
    assert.is_nil(display.duration "1")
  end)
end)
