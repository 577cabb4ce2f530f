-- Every sentence of SPEC 9, made from real cuts. The scenarios named after a tool are those of the pi agent's document.
local abridge = require "abridge"
local json = require("abridge.base.host").json()
local merge = require "support.merge"
local notice = require "abridge.output.notice"
local sentences = require "abridge.output.sentences"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"
local wide_lines = require "support.wide_lines"

local KB = 1024

local function cut_of(strategy, text, opts)
  local _, cut = abridge[strategy](text, opts)
  return cut
end

local function told(tool, strategy, text, opts, data)
  return abridge.notice(tool, cut_of(strategy, text, opts), data)
end

local PI = { max_lines = 2000, max_bytes = "30KB" }
local IN_PI = { shell = "bash", read = "read", path = "path/to/file" }

--- IN_PI and more fields.
local function with(more)
  return merge({}, IN_PI, more)
end

--- A counter of tokens.
local function one_a_byte(text)
  return #text
end

local five_thousand = wide_lines(5000, 4) -- 25,000 bytes
local wide = wide_lines(5000, 60) -- 305,000 bytes
local nothing = cut_of("head", "short\n", { max_lines = 10 })

describe("notice: nothing cut", function()
  it("says nothing, whatever the tool", function()
    for _, tool in ipairs {
      "read_file",
      "run_command",
      "search_files",
      "find_files",
      "list_directory",
      "sql_query",
      "web_fetch",
      "other",
    } do
      assert.is_nil(abridge.notice(tool, nothing, IN_PI))
      assert.is_nil(abridge.notice(tool, nothing))
    end
  end)

  it("says nothing of a final newline that did not fit", function()
    local cut = cut_of("head", "abc\n", { max_bytes = 3 })
    assert.is_true(cut.final_newline)
    assert.is_nil(abridge.notice("read_file", cut, IN_PI))
  end)
end)

describe("notice: read_file", function()
  it("names the shell command that shows line 1 when it is over budget", function()
    assert.equal(
      "[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30720 path/to/file]",
      told("read_file", "head", ("x"):rep(50 * KB) .. "\nsecond\n", PI, IN_PI)
    )
  end)

  it("names the shell command that shows a later line over budget", function()
    assert.equal(
      "[Line 1000 is 50KB, exceeds 30KB limit. Use bash: sed -n '1000p' path/to/file | head -c 30720]",
      told("read_file", "head", ("x"):rep(50 * KB) .. "\n", PI, with { offset = 1000, total_lines = 5000 })
    )
  end)

  it("names the shell as the session does", function()
    assert.equal(
      "[Line 1 is 5B, exceeds 3B limit. Use run_command to read: head -c 3 f]",
      told("read_file", "head", "abcde\n", { max_bytes = 3 }, { shell = "run_command", path = "f" })
    )
  end)

  it("tells the part of a line over budget that is shown, without a shell tool", function()
    local cut = cut_of("head", ("x"):rep(50 * KB) .. "\n", { max_bytes = "30KB", long_line = "split" })
    assert.equal(
      "[Showing chars 1-30720 of line 1 (30KB limit). Use offset=1 column=30721 to continue]",
      abridge.notice("read_file", cut, { offset = 1, column = 1, next_column = 30721 })
    )
    assert.equal(
      "[Showing chars 101-30820 of line 7 (30KB limit). Use offset=7 column=30821 to continue]",
      abridge.notice("read_file", cut, { offset = 7, column = 101, next_column = 30821, next = 7, total_lines = 9 })
    )
  end)

  it("tells the lines that a line budget shows", function()
    assert.equal(
      "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]",
      told("read_file", "head", five_thousand, PI, IN_PI)
    )
  end)

  it("tells the lines that show from an offset on", function()
    local rest = wide_lines(4001, 4) -- what is left of 5000 lines from line 1000 on
    assert.equal(
      "[Showing lines 1000-2999 of 5000. Use offset=3000 to continue]",
      told("read_file", "head", rest, PI, with { offset = 1000, total_lines = 5000 })
    )
  end)

  it("names a byte budget as a size", function()
    assert.equal(
      "[Showing lines 1-503 of 5000 (30KB limit). Use offset=504 to continue]", -- 503 x 61 = 30,683
      told("read_file", "head", wide, PI, IN_PI)
    )
    assert.equal(
      "[Showing lines 1000-1502 of 5999 (30KB limit). Use offset=1503 to continue]",
      told("read_file", "head", wide, PI, with { offset = 1000, total_lines = 5999 })
    )
  end)

  it("names a char budget", function()
    assert.equal(
      "[Showing lines 1-40 of 5000 (200 char limit). Use offset=41 to continue]",
      told("read_file", "head", five_thousand, { max_chars = 200, max_lines = 2000 }, IN_PI)
    )
  end)

  it("names a token budget", function()
    assert.equal(
      "[Showing lines 1-100 of 5000 (500 token limit). Use offset=101 to continue]",
      told("read_file", "head", five_thousand, { max_tokens = 500, count_tokens = one_a_byte }, IN_PI)
    )
  end)

  it("counts the lines after the caller's limit", function()
    assert.equal(
      "[4990 more lines in file. Use offset=11 to continue]",
      told("read_file", "head", five_thousand, { max_lines = 10, max_bytes = "30KB" }, with { limit = 10 })
    )
    assert.equal(
      "[3991 more lines in file. Use offset=1010 to continue]",
      told(
        "read_file",
        "head",
        wide_lines(4001, 4),
        { max_lines = 10 },
        with { limit = 10, offset = 1000, total_lines = 5000 }
      )
    )
  end)

  it("tells the budget that is reached before the caller's limit", function()
    assert.equal(
      "[Showing lines 1-503 of 5000 (30KB limit). Use offset=504 to continue]",
      told("read_file", "head", wide, { max_lines = 1000, max_bytes = "30KB" }, with { limit = 1000 })
    )
    assert.equal(
      "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]",
      told("read_file", "head", five_thousand, PI, with { limit = 3000 })
    )
  end)

  it("tells that the file changed since the page before", function()
    assert.equal("[File changed since the last page]", abridge.notice("read_file", nothing, { changed = true }))
    assert.equal(
      "[Showing lines 1-2000 of 5000. Use offset=2001 to continue. File changed since the last page]",
      told("read_file", "head", five_thousand, PI, with { changed = true })
    )
  end)

  it("takes a resume sentence in place of ours", function()
    local resume = "Call view with start_line={next}"
    assert.equal(
      "[Showing lines 1-2000 of 5000. Call view with start_line=2001]",
      told("read_file", "head", five_thousand, PI, with { resume = resume })
    )
    assert.equal(
      "[Showing lines 1-503 of 5000 (30KB limit). Call view with start_line=504]",
      told("read_file", "head", wide, PI, with { resume = resume })
    )
    assert.equal(
      "[4990 more lines in file. Call view with start_line=11]",
      told("read_file", "head", five_thousand, { max_lines = 10 }, with { resume = resume, limit = 10 })
    )
  end)

  it("leaves an unknown total out", function()
    assert.equal(
      "[Showing lines 1-2000. Use offset=2001 to continue]",
      told("read_file", "head", five_thousand, PI, with { unknown_total = true })
    )
    assert.equal(
      "[Showing lines 1-503 (30KB limit). Use offset=504 to continue]",
      told("read_file", "head", wide, PI, with { unknown_total = true })
    )
  end)
end)

describe("notice: paths in commands", function()
  local long = ("x"):rep(50 * KB) .. "\n"
  local function path_in(command, path, offset)
    local said = told("read_file", "head", long, PI, { shell = "bash", path = path, offset = offset, total_lines = 9 })
    local _, last = said:find(command, 1, true)
    assert.truthy(last, said)
    return said:sub(last + 1)
  end

  local shown = {
    { "path/to/file", "path/to/file" },
    { "A-Za_z0.9/+@%=:,", "A-Za_z0.9/+@%=:," },
    { "../up", "../up" },
    { "-rf", "./-rf" },
    { "--help", "./--help" },
    { "with space", "'with space'" },
    { "it's", [['it'\''s']] },
    { "''", [[''\'''\''']] },
    { 'say "hi"', [['say "hi"']] },
    { "$HOME;rm *", "'$HOME;rm *'" },
    { "a\\b", [['a\b']] },
    { "~user", "'~user'" },
    { "\195\169t\195\169", "'\195\169t\195\169'" },
    { "a{b}", "'a{b}'" },
    { "{limit}", "'{limit}'" },
    { "%1", "%1" },
    { "new\nline", "path in details" },
    { "tab\there", "path in details" },
    { "nul\0", "path in details" },
    { "del\127", "path in details" },
    { "esc\27[31m", "path in details" },
    { "bad\255", "path in details" },
    { "cut\226\130", "path in details" },
  }
  it("stand bare, quoted, or in the details", function()
    for _, case in ipairs(shown) do
      assert.equal(case[2] .. "]", path_in("head -c 30720 ", case[1]))
      assert.equal(case[2] .. " | head -c 30720]", path_in("sed -n '5p' ", case[1], 5))
    end
  end)

  it("a leading - with other chars is no option either", function()
    local word = path_in("head -c 30720 ", "- a"):sub(1, -2)
    assert.is_true(word == "'./- a'" or word == "./'- a'", word)
  end)
end)

describe("notice: run_command", function()
  it("tells the lines that a line budget shows", function()
    assert.equal("[Showing lines 48001-50000 of 50000]", told("run_command", "tail", wide_lines(50000, 5), PI))
  end)

  it("names the full output of what a line budget cut", function()
    local cut = cut_of("tail", wide_lines(50000, 5), PI)
    cut.full_output_path = "/tmp/pi-bash-xxx.log"
    assert.equal(
      "[Showing lines 48001-50000 of 50000. Full output: /tmp/pi-bash-xxx.log]",
      abridge.notice("run_command", cut)
    )
  end)

  it("names a byte budget as a size", function()
    local cut = cut_of("tail", wide_lines(50000, 60), PI)
    assert.equal("[Showing lines 49498-50000 of 50000 (30KB limit)]", abridge.notice("run_command", cut))
    cut.full_output_path = "/tmp/pi-bash-xxx.log"
    assert.equal(
      "[Showing lines 49498-50000 of 50000 (30KB limit). Full output: /tmp/pi-bash-xxx.log]",
      abridge.notice("run_command", cut)
    )
  end)

  it("names char and token budgets", function()
    assert.equal(
      "[Showing lines 4981-5000 of 5000 (100 char limit)]",
      told("run_command", "tail", five_thousand, { max_chars = 100 })
    )
    assert.equal(
      "[Showing lines 4981-5000 of 5000 (100 token limit)]",
      told("run_command", "tail", five_thousand, { max_tokens = 100, count_tokens = one_a_byte })
    )
    assert.equal(
      "[Showing lines 4601-5000 of 5000 (20000 char limit)]",
      told("run_command", "tail", wide_lines(5000, 49), { max_chars = 20000 })
    )
  end)

  it("tells how much of a last line over budget shows", function()
    local text = wide_lines(49999, 5) .. ("y"):rep(100 * KB)
    local cut = cut_of("tail", text, PI)
    assert.equal("[Showing last 30KB of line 50000 (line is 100KB)]", abridge.notice("run_command", cut))
    cut.full_output_path = "/tmp/pi-bash-xxx.log"
    assert.equal(
      "[Showing last 30KB of line 50000 (line is 100KB). Full output: /tmp/pi-bash-xxx.log]",
      abridge.notice("run_command", cut)
    )
  end)

  it("tells how many lines show where several ranges are kept", function()
    assert.equal(
      "[Showing 2000 of 5000 lines (2000 line limit)]",
      told("run_command", "head_tail", five_thousand, { max_lines = 2000 })
    )
    local cut = cut_of("head_tail", wide, { max_bytes = "30KB" })
    assert.equal(2, #cut.kept)
    cut.full_output_path = "/log"
    assert.equal(
      ("[Showing %d of 5000 lines (30KB limit). Full output: /log]"):format(cut.output_lines),
      abridge.notice("run_command", cut)
    )
  end)

  it("tells how many failures were left out", function()
    local cut = cut_of("head_tail", wide, { max_bytes = "30KB" })
    local shown = ("[Showing %d of 5000 lines (30KB limit)"):format(cut.output_lines)
    assert.equal(shown .. ". 12 more failures not shown]", abridge.notice("run_command", cut, { more_failures = 12 }))
    assert.equal(shown .. ". 1 more failure not shown]", abridge.notice("run_command", cut, { more_failures = 1 }))
    assert.equal(shown .. "]", abridge.notice("run_command", cut, { more_failures = 0 }))
    cut.full_output_path = "/log"
    assert.equal(
      shown .. ". Full output: /log. 3 more failures not shown]",
      abridge.notice("run_command", cut, { more_failures = 3 })
    )
  end)

  it("tells of a full output that was cut short", function()
    local cut = cut_of("tail", wide_lines(50000, 5), PI)
    cut.full_output_path, cut.full_output_bytes = "/run/0007-run_command.log", 65536
    cut.full_output_error = "No space left on device"
    assert.equal(
      "[Showing lines 48001-50000 of 50000. "
        .. "Full output incomplete: first 64KB in /run/0007-run_command.log, No space left on device]",
      abridge.notice("run_command", cut)
    )
  end)

  it("leaves out a full output that is on no disk, but says why it could not be kept", function()
    local cut = cut_of("tail", wide_lines(50000, 5), PI)
    assert.equal("[Showing lines 48001-50000 of 50000]", abridge.notice("run_command", cut))
    cut.full_output_error = "permission denied"
    local said = "[Showing lines 48001-50000 of 50000. Full output not kept: permission denied]"
    assert.equal(said, abridge.notice("run_command", cut))
  end)

  it("shows the path of a full output as it is, but no control or invalid bytes", function()
    local cut = cut_of("tail", "a\nb\n", { max_lines = 1 })
    for path, shown in pairs {
      ["/with space/it's"] = "/with space/it's",
      ["/new\nline"] = "path in details",
      ["/bad\255"] = "path in details",
    } do
      cut.full_output_path = path
      assert.equal("[Showing lines 2-2 of 2. Full output: " .. shown .. "]", abridge.notice("run_command", cut))
    end
  end)

  it("leaves out the path when asked to", function()
    local cut = cut_of("tail", "a\nb\n", { max_lines = 1 })
    cut.full_output_path = "/log"
    assert.equal("[Showing lines 2-2 of 2]", abridge.notice("run_command", cut, { no_path = true }))
  end)

  it("tells of a child that still holds the pipe", function()
    assert.equal(
      "[A background process still holds the output]",
      abridge.notice("run_command", nothing, { background = true })
    )
    local cut = cut_of("tail", "a\nb\n", { max_lines = 1 })
    cut.full_output_path = "/log"
    assert.equal(
      "[Showing lines 2-2 of 2. Full output: /log. A background process still holds the output]",
      abridge.notice("run_command", cut, { background = true })
    )
  end)

  it("leaves an unknown total out", function()
    local data = { unknown_total = true }
    assert.equal("[Showing lines 1-2000]", told("run_command", "head", five_thousand, PI, data))
    assert.equal("[Showing lines 1-503 (30KB limit)]", told("run_command", "head", wide, PI, data))
  end)

  it("tells of a cut to nothing", function()
    assert.equal("[Showing 0 of 2 lines (0B limit)]", told("run_command", "tail", "a\nb\n", { max_bytes = 0 }))
    assert.equal("[Showing 0 of 2 lines (0 line limit)]", told("run_command", "head", "a\nb\n", { max_lines = 0 }))
  end)
end)

describe("notice: a page of a file", function()
  it("says which lines it has and where to go on, wherever it starts", function()
    local dir = tmpdir.new()
    dir:write("f", five_thousand)
    for _, case in ipairs {
      { { offset = 2001, max_lines = 1000 }, "[Showing lines 2001-3000 of 5000. Use offset=3001 to continue]" },
      {
        { offset = 2001, max_bytes = 500 },
        "[Showing lines 2001-2100 of 5000 (500B limit). Use offset=2101 to continue]",
      },
      { { offset = 4990, limit = 5 }, "[Showing lines 4990-4994 of 5000. Use offset=4995 to continue]" },
      { { offset = 4990 } },
      { { offset = 3, max_lines = 10, strategy = "tail" }, "[Showing lines 4991-5000 of 5000]" },
    } do
      local _, cut = abridge.page(dir:at "f", case[1])
      assert.equal(case[2], abridge.notice("read_file", cut))
    end
    dir:remove()
  end)

  it("says which chars of a line it has, wherever it starts", function()
    local dir = tmpdir.new()
    dir:write("f", "a\n" .. ("x"):rep(5000) .. "\nb\n")
    for _, case in ipairs {
      { { offset = 2, column = 1, max_bytes = 20 }, "chars 1-20 of line 2 (20B limit). Use offset=2 column=21" },
      { { offset = 2, column = 500, max_bytes = 20 }, "chars 500-519 of line 2 (20B limit). Use offset=2 column=520" },
      {
        { offset = 2, column = 500, max_chars = 5 },
        "chars 500-504 of line 2 (5 char limit). Use offset=2 column=505",
      },
    } do
      local _, cut = abridge.page(dir:at "f", case[1])
      assert.equal(("[Showing %s to continue]"):format(case[2]), abridge.notice("read_file", cut))
    end
    local _, cut = abridge.page(dir:at "f", { offset = 2, column = 700, strategy = "tail", max_lines = 1 })
    assert.is_nil(cut.column)
    dir:remove()
  end)

  it("says that the file is not the one of the page before", function()
    local dir = tmpdir.new()
    dir:write("f", "1\n2\n3\n")
    local _, before = abridge.page(dir:at "f", { max_lines = 1 })
    dir:write("f", "1\n2\n3\n4\n")
    local _, cut = abridge.page(dir:at "f", { offset = 2, version = before.version })
    assert.equal("[File changed since the last page]", abridge.notice("read_file", cut))
    dir:remove()
  end)

  it("says which chars of a line it has", function()
    local dir = tmpdir.new()
    dir:write("f", "one\n" .. ("x"):rep(900))
    local _, cut = abridge.page(dir:at "f", { offset = 2, column = 101, max_bytes = 300 })
    assert.equal(
      "[Showing chars 101-400 of line 2 (300B limit). Use offset=2 column=401 to continue]",
      abridge.notice("read_file", cut, { column = 101 })
    )
    dir:remove()
  end)
end)

describe("notice: lists", function()
  local hundred = "[100 matches limit reached. Use limit=200 for more, or refine pattern]"
  local long_lines = "Some lines truncated to 500 chars. Use read tool to see full lines"

  it("search_files at its match limit says how to see more", function()
    assert.equal(hundred, abridge.notice("search_files", nothing, { reached = "matches", count = 100 }))
  end)

  it("search_files over its byte budget tells the matches shown", function()
    assert.equal(
      "[30KB limit reached (50 of 100+ matches shown)]",
      told("search_files", "head", wide, { max_bytes = "30KB" }, { shown = 50, seen = 100 })
    )
  end)

  it("search_files over its byte budget tells no total that nobody counted", function()
    local said = told("search_files", "head", wide, { max_bytes = "30KB" })
    assert.is_nil(said:find "[{}]", said)
  end)

  it("search_files says that long lines were cut", function()
    assert.equal(
      "[" .. long_lines .. "]",
      abridge.notice("search_files", nothing, { lines_truncated = true, max_line_chars = 500, read = "read" })
    )
    assert.equal(
      "[Some lines truncated to 20 chars. Use read_file tool to see full lines]",
      abridge.notice("search_files", nothing, { lines_truncated = true, max_line_chars = 20, read = "read_file" })
    )
  end)

  it("several notices stand in one bracket", function()
    local data = { reached = "matches", count = 100, lines_truncated = true, max_line_chars = 500, read = "read" }
    assert.equal(hundred:sub(1, -2) .. ". " .. long_lines .. "]", abridge.notice("search_files", nothing, data))
    data.shown, data.seen = 50, 100
    assert.equal(
      hundred:sub(1, -2) .. ". 30KB limit reached (50 of 100+ matches shown). " .. long_lines .. "]",
      told("search_files", "head", wide, { max_bytes = "30KB" }, data)
    )
  end)

  it("find_files at its result limit says how to see more", function()
    assert.equal(
      "[1000 results limit reached. Use limit=2000 for more, or refine pattern]",
      abridge.notice("find_files", nothing, { reached = "results", count = 1000 })
    )
  end)

  it("list_directory at its entry limit says how to see more", function()
    assert.equal(
      "[500 entries limit reached. Use limit=1000 for more]",
      abridge.notice("list_directory", nothing, { reached = "entries", count = 500 })
    )
  end)

  it("find_files and list_directory over a budget name it", function()
    for _, tool in ipairs { "find_files", "list_directory" } do
      assert.equal("[30KB limit reached]", told(tool, "head", wide, { max_bytes = "30KB" }))
      assert.equal("[500 token limit reached]", told(tool, "head", wide, { max_tokens = 500 }))
      assert.equal("[20000 char limit reached]", told(tool, "head", wide, { max_chars = 20000 }))
    end
    assert.equal(
      "[1000 results limit reached. Use limit=2000 for more, or refine pattern. 30KB limit reached]",
      told("find_files", "head", wide, { max_bytes = "30KB" }, { reached = "results", count = 1000 })
    )
  end)

  it("sql_query at its row limit says how to see more", function()
    assert.equal(
      "[1000 rows limit reached. Narrow the query with WHERE or LIMIT]",
      abridge.notice("sql_query", nothing, { reached = "rows", count = 1000 })
    )
  end)

  it("web_fetch over its byte budget tells what is shown", function()
    local cut = cut_of("head", ("x"):rep(200 * KB), { max_bytes = "100KB", long_line = "split" })
    assert.equal(
      "[100KB limit reached (100KB of 200KB shown). Use offset=102401 to continue]",
      abridge.notice("web_fetch", cut, { next = 102401 })
    )
    assert.equal(
      "[100KB limit reached (100KB shown). Use offset=102401 to continue]",
      abridge.notice("web_fetch", cut, { next = 102401, unknown_total = true })
    )
    assert.equal(
      "[100KB limit reached (100KB of 200KB shown). Ask for byte 102401]",
      abridge.notice("web_fetch", cut, { next = 102401, resume = "Ask for byte {next}" })
    )
  end)

  it("web_fetch tells the next byte, counted from what is shown, or no way to go on", function()
    local text = ("line\n"):rep(100)
    local _, cut = abridge.head(text, { max_bytes = 52 })
    assert.equal("[52B limit reached (49B of 500B shown). Use offset=50 to continue]", abridge.notice("web_fetch", cut))
    _, cut = abridge.tail(text, { max_bytes = 52 })
    assert.equal("[52B limit reached (50B of 500B shown)]", abridge.notice("web_fetch", cut))
    _, cut = abridge.head(("x"):rep(100), { max_bytes = 52 })
    assert.equal("[52B limit reached (0B of 100B shown)]", abridge.notice("web_fetch", cut))
    assert.equal(
      "[52B limit reached (0B shown)]",
      abridge.notice("web_fetch", cut, { no_resume = true, unknown_total = true })
    )
    assert.equal(
      "[52B limit reached (0B of 100B shown). Only the first 8MB were fetched]",
      abridge.notice("web_fetch", cut, { fetched = 8 * 1024 * 1024 })
    )
  end)

  it("any other tool reads as run_command", function()
    for _, tool in ipairs { "github__search", "", "toString", "*" } do
      assert.equal("[Showing lines 3001-5000 of 5000]", told(tool, "tail", five_thousand, PI))
    end
  end)
end)

describe("notice: the budget that was hit", function()
  it("is named in its unit", function()
    for _, case in ipairs {
      { { max_bytes = 30720 }, "30KB" },
      { { max_bytes = 1536 }, "1.5KB" },
      { { max_bytes = 1 }, "1B" },
      { { max_chars = 20000 }, "20000 char" },
      { { max_chars = 1 }, "1 char" },
      { { max_tokens = 500, count_tokens = one_a_byte }, "500 token" },
    } do
      assert.equal("[" .. case[2] .. " limit reached]", told("find_files", "head", wide, case[1]))
    end
  end)

  it("is the one that forbade the next line", function()
    local both = { max_bytes = 50, max_chars = 30 }
    assert.equal("[Showing lines 1-6 of 5000 (30 char limit)]", told("run_command", "head", five_thousand, both))
    both.max_chars = 60
    assert.equal("[Showing lines 1-10 of 5000 (50B limit)]", told("run_command", "head", five_thousand, both))
  end)
end)

describe("notice: purity", function()
  it("gives the same bytes for the same data, and changes neither", function()
    local data = with { changed = true, background = true, more_failures = 3, limit = 10, offset = 1 }
    local cut = cut_of("head", five_thousand, { max_lines = 10 })
    cut.full_output_path = "/log"
    for _, tool in ipairs { "read_file", "run_command", "search_files", "find_files", "web_fetch" } do
      local before = json.encode { cut, data }
      local first = abridge.notice(tool, cut, data)
      assert.equal(first, abridge.notice(tool, cut, data))
      assert.equal(first, abridge.notice(tool, json.decode(json.encode(cut)), json.decode(json.encode(data))))
      assert.equal(before, json.encode { cut, data })
    end
  end)

  it("takes values for what they are, not for templates", function()
    assert.equal(
      "[Line 1 is 50KB, exceeds 30KB limit. Use {path} to read: head -c 30720 '{shell}']",
      told("read_file", "head", ("x"):rep(50 * KB), PI, { shell = "{path}", path = "{shell}" })
    )
    assert.equal(
      "[Line 1 is 50KB, exceeds 30KB limit. Use %1 to read: head -c 30720 %0]",
      told("read_file", "head", ("x"):rep(50 * KB), PI, { shell = "%1", path = "%0" })
    )
  end)
end)

describe("exit lines", function()
  it("say how a command ended", function()
    assert.equal("Command exited with code 1", sentences.exit_line({ code = 1 }, 120))
    assert.equal("Command exited with code 255", sentences.exit_line({ code = 255 }, 120))
    assert.equal("Command killed by signal SIGKILL", sentences.exit_line({ signal = "SIGKILL" }, 120))
    local killed = { timed_out = true, signal = "SIGTERM" }
    assert.equal("Command timed out after 120 seconds", sentences.exit_line(killed, 120))
    assert.equal("Command timed out after 0.5 seconds", sentences.exit_line({ timed_out = true }, 0.5))
    assert.equal("Command timed out after 5 seconds", sentences.exit_line({ timed_out = true }, 5.0))
    assert.equal("Command aborted", sentences.exit_line({ cancelled = true, signal = "SIGTERM" }, 120))
  end)

  it("say nothing after a success", function()
    assert.is_nil(sentences.exit_line({ code = 0 }, 120))
  end)
end)

describe("the widest notice", function()
  local TOOLS = {
    "read_file",
    "run_command",
    "search_files",
    "find_files",
    "list_directory",
    "sql_query",
    "web_fetch",
    "x",
  }
  local ITEMS = { search_files = "matches", find_files = "results", list_directory = "entries", sql_query = "rows" }

  local function random_opts()
    local opts = {}
    local keys = { "max_lines", "max_bytes", "max_chars", "max_tokens" }
    for _ = 1, random.between(1, 3) do
      opts[random.choose(keys)] = random.below(120)
    end
    if opts.max_tokens then opts.count_tokens = one_a_byte end
    return opts
  end

  local function random_data(tool)
    local data = { read = "read", path = random.choose { "f", "a b", "x\n" } }
    data.shell = random.chance(2) and "bash" or nil
    data.changed = random.chance(3) or nil
    data.background = random.chance(3) or nil
    data.more_failures = random.chance(3) and random.below(1000) or nil
    if random.chance(3) then
      data.lines_truncated, data.max_line_chars = true, random.below(1000)
    end
    if random.chance(3) then data.resume = "Go on at {next}, says {next}" end
    if random.chance(3) then data.limit = random.below(10) end
    if ITEMS[tool] and random.chance(2) then
      data.reached, data.count = ITEMS[tool], random.below(2000)
    end
    if tool == "search_files" then
      data.shown, data.seen = random.below(50), random.between(50, 500)
    end
    return data
  end

  it("is never shorter than the one that is needed", function()
    random.each(4000, function()
      local tool = random.choose(TOOLS)
      local text, opts, data = random.text(60), random_opts(), random_data(tool)
      local strategy = random.choose { "head", "tail", "head_tail" }
      if strategy ~= "head_tail" and random.chance(2) then opts.long_line = "split" end
      local _, cut = abridge[strategy](text, opts)
      if random.chance(3) then
        cut.full_output_path = "/a/log"
        if random.chance(2) then
          cut.full_output_bytes, cut.full_output_error = random.below(5000), "ENOSPC"
        end
      end
      local widest = notice.widest(tool, cut, data) or ""
      local said = abridge.notice(tool, cut, data) or ""
      random.must(#said <= #widest, "%s: %s is longer than %s", tool, said, widest)
    end)
  end)
end)

describe("a notice of what is no cut", function()
  it("raises and names what is wrong", function()
    local cut = cut_of("head", "a\nb\nc\n", { max_lines = 2 })
    local function changed_by(key, value)
      local changed = merge({}, cut)
      changed[key] = value
      return changed
    end
    local wrong = {
      { nil, nil, "cut must be what a cut returned, got nil" },
      { {}, nil, "cut must be what a cut returned, it has no total_lines" },
      { changed_by("output_lines", "2"), nil, 'cut.output_lines must be a number, got "2"' },
      { changed_by("truncated_by", "words"), nil, 'truncated_by is "words"' },
      { changed_by("kept", 7), nil, "cut.kept must be a table, got 7" },
      { changed_by("kept", { {} }), nil, "kept[1] has no " },
      { changed_by("hits", { found = 2 }), nil, "hits are not counted" },
      { changed_by("failures", { kept = 2 }), nil, "failures are not counted" },
      { cut, 7, "data must be a table, got 7" },
      { cut, { offset = "3" }, 'data.offset must be a number, got "3"' },
      { cut, { reached = "pages" }, 'data.reached must be "matches", "results", "entries" or "rows", got "pages"' },
    }
    for _, case in ipairs(wrong) do
      plain.misuse(function()
        local line = abridge.notice("read_file", case[1], case[2])
        return line
      end, "abridge.notice: ", case[3])
    end
    local function protocol_of(value, words)
      plain.misuse(function()
        local flat = abridge.protocol(value)
        return flat
      end, words)
    end
    protocol_of(nil, "abridge.protocol: cut must be what a cut returned, got nil")
    protocol_of({}, "abridge.protocol: cut must be what a cut returned, it has no total_lines")
    protocol_of(changed_by("kept", true), "abridge.protocol: cut.kept must be a table")
    local result = { content = "", truncation = abridge.info.not_truncated(0):to_table(), details = { cut = 5 } }
    protocol_of(result, "abridge.protocol: cut must be what a cut returned, got number")
  end)
end)

describe("notice: what is left out lies inside lines", function()
  it("tells sizes, where numbers of lines would claim that all shows", function()
    local long = ("x"):rep(385000)
    for _, strategy in ipairs { "auto", "head_tail", "priority" } do
      assert.matches("^%[Showing [%d.]+KB of 376KB %(30KB limit%)%]$", told("run_command", strategy, long, PI))
    end
    assert.matches("^%[Showing [%d.]+KB of 376KB %(30KB limit%)%]$", told("read_file", "head_tail", long, PI, IN_PI))
    local two = long .. "\n" .. long
    assert.matches("^%[Showing [%d.]+KB of 752KB %(30KB limit%)%]$", told("run_command", "head_tail", two, PI))
  end)

  it("and the marker tell bytes alone", function()
    local content, cut = abridge.head_tail(("x"):rep(385000), PI)
    assert.equal(("\n... [%d bytes omitted] ...\n"):format(cut.omitted_bytes), content:match "\n.*\n")
    content, cut = abridge.head_tail(("x"):rep(385000) .. "\nmiddle\n" .. ("y"):rep(385000), PI)
    assert.equal(("\n... [1 lines, %d bytes omitted] ...\n"):format(cut.omitted_bytes), content:match "\n.*\n")
  end)

  it("tells lines where a whole one is left out", function()
    local text = ("x"):rep(50000) .. "\nmiddle\n" .. ("y"):rep(50000)
    assert.equal("[Showing 2 of 3 lines (30KB limit)]", told("run_command", "head_tail", text, PI))
  end)

  it("keeps the one line that is cut at one end its sentence", function()
    local last = told("run_command", "tail", ("x"):rep(50000), PI)
    assert.equal("[Showing last 30KB of line 1 (line is 48.8KB)]", last)
  end)
end)

describe("notice: of a cut by no budget", function()
  it("says nothing of one", function()
    local _, cut = abridge.head("a\nb\n", { max_bytes = 100 })
    cut.truncated = true -- by a limit of items
    for _, tool in ipairs { "run_command", "read_file", "find_files", "sql_query" } do
      assert.is_nil(abridge.notice(tool, cut))
    end
    assert.equal(
      "[5 results limit reached. Use limit=10 for more, or refine pattern]",
      abridge.notice("find_files", cut, { reached = "results", count = 5 })
    )
  end)
end)

describe("notice: a line that only the notice pushes out", function()
  local function page(size, opts)
    opts.path = "f.txt"
    return (abridge.cap(("x"):rep(size) .. "\nsecond\n" .. ("y"):rep(40000) .. "\n", "read_file", opts))
  end

  it("is split, and not said to exceed what it does not", function()
    for size = 900, 1000 do
      local content = page(size, { limits = { max_bytes = 1000 } })
      assert.is_nil(content:find("exceeds", 1, true))
      assert.is_true(#content <= 1000)
      assert.matches("%(1000B limit%)%. Use offset=%d", content)
      content = page(size, { limits = { max_bytes = false, max_lines = false, max_chars = 1000 } })
      assert.is_nil(content:find("exceeds", 1, true))
      assert.matches("%(1000 char limit%)%. Use offset=%d", content)
    end
    assert.matches(
      "^x+\n\n%[Showing chars 1%-%d+ of line 1 %(30KB limit%)%. Use offset=1 column=%d+ to continue%]$",
      page(30650 + 60, {})
    )
  end)

  it("is named where it alone is over the limit", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local dir = require("support.tmpdir").new()
    local path = dir:write("f", ("x"):rep(1001) .. "\nsecond\n")
    local fits = dir:write("g", ("x"):rep(999) .. "\nsecond\n")
    local session = abridge.session { limits = { read_file = { max_bytes = 1000 } }, run_dir = false }
    assert.matches("^%[Line 1 is 1001B, exceeds 1000B limit%.", session:call("read_file", { path = path }).content)
    local content = session:call("read_file", { path = fits }).content
    assert.matches("%[Showing chars 1%-%d+ of line 1 %(1000B limit%)%. Use offset=1 column=%d+ to continue%]$", content)
    session:close()
    dir:remove()
  end)
end)

describe("notice: the items of a cut", function()
  --- A ledger as the kinds make them.
  local function by_kind(kind, items, more)
    local cut = {
      strategy = "auto",
      kind = kind,
      items = items,
      truncated = true,
      truncated_by = "bytes",
      max_bytes = 30 * KB,
      total_lines = 9000,
      total_bytes = 377 * KB,
      output_lines = 700,
      output_bytes = 30 * KB,
      omitted_lines = 8300,
      omitted_bytes = 347 * KB,
      last_line_partial = false,
      first_line_exceeds_limit = false,
      kept = {
        { first_byte = 1, last_byte = 20 * KB, first_line = 1, last_line = 350 },
        { first_byte = 367 * KB + 1, last_byte = 377 * KB, first_line = 8651, last_line = 9000 },
      },
    }
    return merge(cut, more)
  end

  local function item(unit, kept, total, of)
    return { unit = unit, kept = kept, total = total, of = of }
  end

  local SIZES = ", 30KB of 377KB (30KB limit)]"

  it("tells of elements, of members and of chars, and where they are", function()
    for said, items in pairs {
      ["164 of 276 elements of /items"] = { item("elements", 164, 276, "/items"), item("members", 1, 9, "") },
      ["164 of 276 elements"] = { item("elements", 164, 276, "") },
      ["3 of 40 members of /a~1b/0"] = { item("members", 3, 40, "/a~1b/0") },
      ["100 of 5000 chars of /log"] = { item("chars", 100, 5000, "/log") },
      ["0 of 1 element of /a b"] = { item("elements", 0, 1, "/a b") },
      ["1 of 2 elements"] = { item("elements", 1, 2, "/line\nbreak") },
    } do
      assert.equal("[Showing " .. said .. SIZES, abridge.notice("run_command", by_kind("json", items)))
    end
  end)

  it("tells of records, rows, files and hunks", function()
    for said, case in pairs {
      ["80 of 900 records"] = { "json_lines", { item("records", 80, 900) } },
      ["80 of 900 rows"] = { "table", { item("rows", 80, 900) } },
      ["14 of 227 hunks in 23 of 41 files"] = { "diff", { item("files", 23, 41), item("hunks", 14, 227) } },
      ["0 of 1 hunk in 1 of 1 file"] = { "diff", { item("files", 1, 1), item("hunks", 0, 1) } },
      ["23 of 41 files"] = { "diff", { item("files", 23, 41) } },
    } do
      assert.equal("[Showing " .. said .. SIZES, abridge.notice("any_tool", by_kind(case[1], case[2])))
    end
  end)

  it("names the limit that was hit, and the full output", function()
    local items = { item("rows", 80, 900) }
    assert.equal(
      "[Showing 80 of 900 rows, 30KB of 377KB (2000 line limit)]",
      abridge.notice("x", by_kind("table", items, { truncated_by = "lines", max_lines = 2000 }))
    )
    assert.equal(
      "[Showing 80 of 900 rows, 30KB of 377KB (500 token limit). Full output: /tmp/x.log]",
      abridge.notice(
        "x",
        by_kind("table", items, {
          truncated_by = "tokens",
          max_tokens = 500,
          full_output_path = "/tmp/x.log",
        })
      )
    )
    local short = { full_output_path = "/tmp/x.log", full_output_bytes = 100, full_output_error = "no space left" }
    assert.equal(
      "[Showing 80 of 900 rows, 30KB of 377KB (30KB limit). "
        .. "Full output incomplete: first 100B in /tmp/x.log, no space left]",
      abridge.notice("x", by_kind("table", items, short))
    )
    assert.equal(
      "[Showing 80 of 900 rows, 30KB (30KB limit)]",
      abridge.notice("x", by_kind("table", items), { unknown_total = true })
    )
  end)

  it("is also what web_fetch says of JSON, which no page of bytes follows", function()
    local cut = by_kind("json", { item("elements", 164, 276, "/items") }, { full_output_path = "/tmp/x.log" })
    assert.equal(
      "[Showing 164 of 276 elements of /items, 30KB of 377KB (30KB limit). Full output: /tmp/x.log]",
      abridge.notice("web_fetch", cut)
    )
  end)

  it("comes before what is said of lines shown in part", function()
    local one_line = {
      total_lines = 1,
      output_lines = 1,
      omitted_lines = 0,
      kept = {
        { first_byte = 1, last_byte = 20 * KB, first_line = 1, last_line = 1 },
        { first_byte = 367 * KB + 1, last_byte = 377 * KB, first_line = 1, last_line = 1 },
      },
    }
    assert.equal("[Showing 30KB of 377KB (30KB limit)]", abridge.notice("x", by_kind("text", nil, one_line)))
    assert.equal(
      "[Showing 2 of 9 elements" .. SIZES,
      abridge.notice("x", by_kind("json", { item("elements", 2, 9, "") }, one_line))
    )
  end)

  it("leaves failures that do not show to logs", function()
    local log = by_kind("log", nil, { hits = { found = 40, kept = 9 }, failures = { found = 9, kept = 6 } })
    assert.equal("[Showing 700 of 9000 lines (30KB limit). 3 more failures not shown]", abridge.notice("x", log))
  end)

  it("is never longer than its widest form, whichever item is the largest", function()
    random.each(300, function()
      local items = {}
      for i = 1, random.between(1, 16) do
        local total = random.choose { 1, 2, 9, 10, 276, 99999 }
        local of = "/" .. ("x"):rep(random.below(60))
        items[i] = item(random.choose { "elements", "members", "chars" }, random.below(total + 1), total, of)
      end
      local widest = notice.widest("x", by_kind("json", items))
      for first = 1, #items do
        local other = { items[first], items[1] }
        local said = abridge.notice("x", by_kind("json", other))
        random.must(#said <= #widest, "%s is longer than %s", said, widest)
      end
    end)
  end)

  it("raises on items that are none", function()
    for said, items in pairs {
      ["cut%.items must be a table, got 5"] = 5,
      ["cut%.items%[1%] must be a table, got 5"] = { 5 },
      ["cut must be what a cut returned, items%[1%] is incomplete"] = { { unit = "rows", total = 4 } },
      ['cut%.items%[1%]%.total must be a number, got "4"'] = { { unit = "rows", total = "4", kept = 1 } },
    } do
      local ok, message = pcall(abridge.notice, "x", by_kind("json", items))
      assert.is_false(ok)
      assert.matches(said, message)
    end
  end)
end)
