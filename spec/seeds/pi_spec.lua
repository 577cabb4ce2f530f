-- The document "Tool Output Truncation", scenario by scenario, in the profile "pi". Where the contract overrules it: a
-- budget bounds the notice too, 30KB is 30720 bytes, and the shell command of a notice says so exactly.
local abridge = require "abridge"
local called = require "support.called"
local plain = require "support.plain"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local KB = 1024

describe("seed pi: #once", function()
  local dir, session

  before_each(function()
    dir = tmpdir.new()
    session = abridge.session { profile = "pi", cwd = dir.path, run_dir = dir:at "run", keep_outputs = "cut" }
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function call(tool, input)
    local result = called(session, tool, input)
    assert.is_true(#result.content <= 30 * KB)
    return result
  end

  --- Lines `first` to `last` of a text in which each line says its number; 60 chars wide.
  local function numbered(first, last, width)
    local all = {}
    for i = first, last do
      all[#all + 1] = tostring(i) .. (" "):rep((width or 0) - #tostring(i))
    end
    return table.concat(all, "\n")
  end

  --- What the model gets of a cut: this content, a blank line, this notice.
  local function sees(content, notice, result)
    assert.equal(content .. (content ~= "" and "\n\n" or "") .. notice, result.content)
    assert.equal(#content, result.truncation.bytes_returned)
    assert.is_true(result.truncation.truncated)
  end

  local function has(wanted, cut)
    for name, value in pairs(wanted) do
      assert.equal(value, cut[name], name)
    end
  end

  describe("Limits", function()
    it("2000 lines, 30KB, 500 chars a match line; 100 matches, 1000 results, 500 entries", function()
      has({ strategy = "head", max_lines = 2000, max_bytes = 30 * KB }, session:limits "read")
      has({ strategy = "tail", max_lines = 2000, max_bytes = 30 * KB }, session:limits "bash")
      has({ max_matches = 100, max_line_chars = 500, max_bytes = 30 * KB }, session:limits "grep")
      has({ max_results = 1000, max_bytes = 30 * KB }, session:limits "find")
      has({ max_entries = 500, max_bytes = 30 * KB }, session:limits "ls")
    end)

    it("whichever limit is hit first wins", function()
      dir:write("many", numbered(1, 2500) .. "\n")
      dir:write("wide", numbered(1, 2500, 100) .. "\n")
      assert.equal("lines", call("read", { path = "many" }).details.cut.truncated_by)
      assert.equal("bytes", call("read", { path = "wide" }).details.cut.truncated_by)
    end)

    it("never return partial lines (except bash edge case)", function()
      dir:write("f", numbered(1, 5000, 97) .. "\n")
      for tool, input in pairs {
        read = { path = "f" },
        bash = { command = "cat f" },
        grep = { pattern = "1", path = "f" },
      } do
        local result = call(tool, input)
        local shown = result.content:sub(1, result.truncation.bytes_returned)
        for _, shown_line in ipairs(plain.lines(shown)) do
          local line = shown_line:gsub("^f:%d+: ", "")
          assert.equal(97, #line, tool)
        end
        assert.is_false(result.details.cut.last_line_partial)
      end
    end)
  end)

  describe("read:", function()
    it("First line > 30KB", function()
      local path = dir:write("f", ("x"):rep(50 * KB) .. "\nsecond\n")
      local result = call("read", { path = path })
      -- the document's head -c 30000 is 30720 here
      sees("", ("[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30720 %s]"):format(path), result)
      has({ truncated = true, truncated_by = "bytes", output_lines = 0 }, result.details.cut)
      assert.is_true(result.details.cut.first_line_exceeds_limit)
      -- the command of the notice does what it says
      local command = result.details.notice:match "Use bash to read: (.*)%]$"
      assert.equal(30 * KB, #dir:sh(command))
    end)

    it("Hit line limit (2000 lines, < 30KB)", function()
      dir:write("f", numbered(1, 5000) .. "\n")
      local result = call("read", { path = "f" })
      sees(numbered(1, 2000), "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]", result)
      has({ truncated = true, truncated_by = "lines", output_lines = 2000, total_lines = 5000 }, result.details.cut)
    end)

    --- A file of 5000 lines in which line `last` is the last one that fits when reading starts 500 lines before.
    local function by_bytes(last)
      local text = numbered(1, last, 60) .. "\n" .. ("y"):rep(300) .. "\n" .. numbered(last + 2, 5000, 60) .. "\n"
      dir:write("f", text)
    end

    it("Hit byte limit (< 2000 lines, 30KB)", function()
      by_bytes(500)
      local result = call("read", { path = "f" })
      sees(numbered(1, 500, 60), "[Showing lines 1-500 of 5000 (30KB limit). Use offset=501 to continue]", result)
      has({ truncated = true, truncated_by = "bytes", output_lines = 500, total_lines = 5000 }, result.details.cut)
    end)

    it("With offset, hit line limit (e.g., offset=1000)", function()
      dir:write("f", numbered(1, 5000) .. "\n")
      local result = call("read", { path = "f", offset = 1000 })
      sees(numbered(1000, 2999), "[Showing lines 1000-2999 of 5000. Use offset=3000 to continue]", result)
      has({ truncated_by = "lines", output_lines = 2000, total_lines = 5000 }, result.details.cut)
    end)

    it("With offset, hit byte limit (e.g., offset=1000, 30KB after 500 lines)", function()
      by_bytes(1499)
      local result = call("read", { path = "f", offset = 1000 })
      local notice = "[Showing lines 1000-1499 of 5000 (30KB limit). Use offset=1500 to continue]"
      sees(numbered(1000, 1499, 60), notice, result)
      has({ truncated_by = "bytes", output_lines = 500, total_lines = 5000 }, result.details.cut)
    end)

    it("With offset, first line at offset > 30KB (e.g., offset=1000, line 1000 is 50KB)", function()
      local text = numbered(1, 999) .. "\n" .. ("x"):rep(50 * KB) .. "\n" .. numbered(1001, 2000) .. "\n"
      local path = dir:write("f", text)
      local result = call("read", { path = path, offset = 1000 })
      local command = ("sed -n '1000p' %s | head -c 30720"):format(path)
      sees("", ("[Line 1000 is 50KB, exceeds 30KB limit. Use bash: %s]"):format(command), result)
      has({ truncated = true, truncated_by = "bytes", output_lines = 0 }, result.details.cut)
      assert.equal(("x"):rep(30 * KB), (dir:sh(command)))
    end)

    it("has offset/limit params for continuation", function()
      dir:write("f", numbered(1, 5000) .. "\n")
      local result = call("read", { path = "f", offset = 11, limit = 10 })
      sees(numbered(11, 20), "[4980 more lines in file. Use offset=21 to continue]", result)
      local first = call("read", { path = "f" })
      local second = call("read", { path = "f", offset = first.truncation.next_offset })
      assert.equal(1, (second.content:find(numbered(2001, 4000), 1, true)))
    end)
  end)

  describe("bash:", function()
    --- The full output of a result that was cut, as the notice names it.
    local function full(result)
      local path = result.details.full_output_path
      assert.equal(path, result.details.notice:match "Full output: (.-)%]$")
      local file = assert(io.open(path, "rb"))
      local text = file:read "*a"
      file:close()
      return text
    end

    it("Hit line limit (2000 lines)", function()
      local result = call("bash", { command = "seq 50000" })
      local notice = ("[Showing lines 48001-50000 of 50000. Full output: %s]"):format(result.details.full_output_path)
      -- the tail keeps its final newline, which serves the blank line before the notice
      assert.equal(numbered(48001, 50000) .. "\n\n" .. notice, result.content)
      has({ truncated = true, truncated_by = "lines", output_lines = 2000, total_lines = 50000 }, result.details.cut)
      assert.equal(numbered(1, 50000) .. "\n", full(result))
    end)

    it("Hit byte limit (< 2000 lines, 30KB)", function()
      local all = numbered(1, 49499, 60) .. "\n" .. ("y"):rep(300) .. "\n" .. numbered(49501, 50000, 60) .. "\n"
      dir:write("f", all)
      local result = call("bash", { command = "cat f" })
      local path = result.details.full_output_path
      local notice = ("[Showing lines 49501-50000 of 50000 (30KB limit). Full output: %s]"):format(path)
      assert.equal(numbered(49501, 50000, 60) .. "\n\n" .. notice, result.content)
      has({ truncated_by = "bytes", output_lines = 500 }, result.details.cut)
      assert.equal(all, full(result))
    end)

    it("Last line alone > 30KB (edge case, partial OK here)", function()
      local all = numbered(1, 49999) .. "\n" .. ("0123456789"):rep(10 * KB)
      dir:write("f", all)
      local result = call("bash", { command = "cat f" })
      local shown = result.content:sub(1, result.truncation.bytes_returned)
      assert.equal(all:sub(-#shown), shown)
      assert.is_true(#shown > 30 * KB - 200) -- the notice takes its share of the 30KB
      local said = "[Showing last %s of line 50000 (line is 100KB). Full output: %s]"
      assert.equal(said:format(abridge.format_size(#shown), result.details.full_output_path), result.details.notice)
      has({ truncated_by = "bytes", last_line_partial = true, output_lines = 1 }, result.details.cut)
      assert.equal(all, full(result))
    end)

    it("writes full output to a temp file if truncated, and only then", function()
      assert.is_nil(call("bash", { command = "seq 2000" }).details.full_output_path)
      assert.is_nil(dir:sh("ls run/artifacts/* 2>/dev/null"):match "%S")
      full(call("bash", { command = "seq 2001" }))
    end)
  end)

  describe("grep:", function()
    it("Hit match limit (100 matches)", function()
      dir:write("file.ts", ("matching content\nother\n"):rep(150))
      local result = call("grep", { pattern = "matching", path = "file.ts" })
      local all = {}
      for i = 1, 100 do
        all[i] = ("file.ts:%d: matching content"):format(2 * i - 1)
      end
      local notice = "[100 matches limit reached. Use limit=200 for more, or refine pattern]"
      sees(table.concat(all, "\n"), notice, result)
      assert.equal(100, result.details.match_limit_reached)
      -- and the limit it offers works
      result = call("grep", { pattern = "matching", path = "file.ts", limit = 200 })
      assert.is_false(result.truncation.truncated)
      assert.equal(150, select(2, result.content:gsub("[^\n]+", "")))
    end)

    it("Hit byte limit (< 100 matches, 30KB)", function()
      local line = "match " .. ("\226\130\172"):rep(200) -- 206 chars, 606 bytes
      dir:write("file.ts", (line .. "\n"):rep(150))
      local result = call("grep", { pattern = "match", path = "file.ts" })
      local shown, seen = result.details.notice:match "^%[30KB limit reached %((%d+) of (%d+)%+ matches shown%)%]$"
      local body = result.content:sub(1, result.truncation.bytes_returned)
      assert.equal(tonumber(shown), select(2, body:gsub("[^\n]+", "")))
      assert.equal(49, tonumber(shown))
      -- as many as the document wants are seen where the search gets to them; it ends when the page is full
      assert.is_true(tonumber(seen) > tonumber(shown))
      assert.equal("bytes", result.details.cut.truncated_by)
      assert.is_nil(result.details.match_limit_reached)
    end)

    it("Match lines truncated (any line > 500 chars)", function()
      dir:write("file.ts", "start " .. ("very long matching content "):rep(40) .. "\nmatching too\n")
      local result = call("grep", { pattern = "matching", path = "file.ts" })
      local first, second, said = result.content:match "^(.-)\n(.-)\n\n(.*)$"
      assert.equal("file.ts:1: ", first:sub(1, 11))
      assert.equal("... [truncated]", first:sub(-15))
      assert.equal(500, #first - 11 - 15)
      assert.equal("file.ts:2: matching too", second)
      assert.equal("[Some lines truncated to 500 chars. Use read tool to see full lines]", said)
      assert.is_true(result.details.lines_truncated)
    end)
  end)

  describe("find:", function()
    it("Hit result limit (1000 results)", function()
      dir:sh "mkdir src && cd src && seq -f 'file%04g.ts' 1200 | xargs touch"
      local result = call("find", { pattern = "*.ts", path = "." })
      local notice = "[1000 results limit reached. Use limit=2000 for more, or refine pattern]"
      sees(seq(1, 1000, "src/file%04d.ts"):sub(1, -2), notice, result)
      assert.equal(1000, result.details.result_limit_reached)
      result = call("find", { pattern = "*.ts", path = ".", limit = 2000 })
      assert.is_false(result.truncation.truncated)
    end)

    it("Hit byte limit (unlikely, < 1000 results, 30KB)", function()
      dir:sh("mkdir src && cd src && seq -f '%04g-" .. ("n"):rep(95) .. "' 500 | xargs touch")
      local result = call("find", { pattern = "*", path = "src" })
      local all = seq(1, result.details.cut.output_lines, "src/%04d-" .. ("n"):rep(95))
      sees(all:sub(1, -2), "[30KB limit reached]", result)
      assert.equal("bytes", result.details.cut.truncated_by)
      assert.equal(292, result.details.cut.output_lines) -- 105 bytes each, and the notice
    end)
  end)

  describe("ls:", function()
    it("Hit entry limit (500 entries)", function()
      dir:sh "mkdir d d/src && touch d/.gitignore d/README.md && cd d && seq -f 'z%03g' 600 | xargs touch"
      local result = call("ls", { path = "d" })
      local all = ".gitignore\nREADME.md\nsrc/\n" .. seq(1, 497, "z%03d")
      sees(all:sub(1, -2), "[500 entries limit reached. Use limit=1000 for more]", result)
      assert.equal(500, result.details.entry_limit_reached)
      result = call("ls", { path = "d", limit = 1000 })
      assert.is_false(result.truncation.truncated)
    end)

    it("Hit byte limit (unlikely)", function()
      dir:sh("mkdir d && cd d && seq -f '%04g-" .. ("n"):rep(95) .. "' 400 | xargs touch")
      local result = call("ls", { path = "d" })
      sees(seq(1, 303, "%04d-" .. ("n"):rep(95)):sub(1, -2), "[30KB limit reached]", result)
      assert.equal("bytes", result.details.cut.truncated_by)
    end)
  end)

  describe("TUI Display:", function()
    local YELLOW, RESET = "\27[33m", "\27[0m"

    it("shows truncation notices in warning color", function()
      for tool, input in pairs {
        read = { path = dir:write("f", numbered(1, 5000) .. "\n") },
        bash = { command = "cat f" },
        grep = { pattern = "1", path = "f" },
      } do
        local result = call(tool, input)
        local screen = session:display(result, { ansi = true })
        assert.equal(YELLOW .. result.details.notice .. RESET, screen:match "([^\n]*)$", tool)
      end
    end)

    it("the LLM text content and TUI display show the same information", function()
      local result = call("bash", { command = "seq 5000" })
      assert.equal(result.content, session:display(result))
      -- a screen that folds the content away still shows what was said of it
      local screen = session:display(result, { max_lines = 1 })
      assert.equal("... (1999 earlier lines)\n5000\n\n" .. result.details.notice, screen)
    end)
  end)
end)
