local abridge = require "support.unsaved"
local core = require "abridge.core"
local environment = require "support.environment"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local dir

---The result of search_files, in the folder `tree` of the spec's.
local function search(input, limits, opts)
  opts = opts or {}
  opts.cwd = opts.cwd or dir:at "tree"
  opts.limits = opts.limits or { search_files = limits }
  if type(input) == "string" then input = { pattern = input } end
  return abridge.session(opts):call("search_files", input)
end

local function hit(result)
  abridge.assert_conforms("search_files", result)
  return result.content
end

local MATCH = '{"type":"match","data":{"path":{"text":"./f"},"lines":{"text":"found\\\\n"},"line_number":%d,'
  .. '"absolute_offset":0,"submatches":[{"match":{"text":"found"},"start":0,"end":5}]}}'
local BEGIN = '{"type":"begin","data":{"path":{"text":"./f"}}}'

---A shell command that prints an event, `n` of a match.
local function prints(event, n)
  return ("printf '%s\\n'\n"):format(event:gsub("%%d", tostring(n or 1)))
end

describe("search_files #few", function()
  before_each(function()
    dir = tmpdir.new()
    dir:sh "mkdir bin tree"
  end)

  after_each(function()
    dir:remove()
  end)

  describe("shows", function()
    it("matches with path and number, in the order of paths", function()
      dir:sh "mkdir -p tree/b tree/a"
      dir:write("tree/b/two.txt", "one\nthe word\nthree\nword\n")
      dir:write("tree/a/one.txt", "word")
      dir:write("tree/c.txt", "none\n")
      local result = search { pattern = "word" }
      assert.equal("a/one.txt:1: word\nb/two.txt:2: the word\nb/two.txt:4: word", hit(result))
      assert.is_false(result.is_error)
      local size = #result.content
      assert.same(
        { truncated = false, bytes_returned = size, bytes_total = size, reason = "size_cap" },
        result.truncation
      )
      assert.is_nil(result.details.match_limit_reached)
      assert.is_nil(result.details.lines_truncated)
    end)

    it("paths as read_file takes them, whatever path was given #few", function()
      dir:sh "mkdir -p tree/-d tree/lua/deep beside && ln -s lua tree/link && ln -s deep/f tree/lua/f"
      for _, path in ipairs { "tree/f", "tree/-f", "tree/-d/f", "tree/lua/deep/f", "beside/f" } do
        dir:write(path, "word\n")
      end
      local tree, lua = dir:at "tree", dir:at "tree/lua"
      local cases = {
        { nil, "-d/f", "-f", "f", "lua/deep/f" },
        { "", "-d/f", "-f", "f", "lua/deep/f" },
        { ".", "-d/f", "-f", "f", "lua/deep/f" },
        { "././/", "-d/f", "-f", "f", "lua/deep/f" },
        { "f", "f" },
        { "-f", "-f" },
        { "./f", "f" },
        { "-d", "-d/f" },
        { "lua", "lua/deep/f" },
        { "./lua/", "lua/deep/f" },
        { "lua//deep/./", "lua/deep/f" },
        { "lua/deep/f", "lua/deep/f" },
        { "lua/f", "lua/f" },
        { "link", "link/deep/f" },
        { "link/f", "link/f" },
        { "lua/..", "lua/../-d/f", "lua/../-f", "lua/../f", "lua/../lua/deep/f" },
        { tree, "-d/f", "-f", "f", "lua/deep/f" },
        { tree .. "/", "-d/f", "-f", "f", "lua/deep/f" },
        { lua, "lua/deep/f" },
        { lua .. "/deep/f", "lua/deep/f" },
        { "../beside", "../beside/f" },
        { "../beside/f", "../beside/f" },
        { dir:at "beside", dir:at "beside/f" },
        { dir:at "beside/f", dir:at "beside/f" },
        { "..", "../beside/f", "../tree/-d/f", "../tree/-f", "../tree/f", "../tree/lua/deep/f" },
      }
      for _, opts in ipairs { { cwd = tree }, { cwd = tree .. "/" }, { cwd = tree, root = dir.path } } do
        opts.run_dir = false
        local session = abridge.session(opts)
        for _, case in ipairs(cases) do
          local result = session:call("search_files", { pattern = "word", path = case[1] })
          local expected = { (table.unpack or unpack)(case, 2, 6) }
          assert.equal(table.concat(expected, ":1: word\n") .. ":1: word", hit(result))
          for _, path in ipairs(expected) do
            assert.equal("word\n", session:call("read_file", { path = path }).content)
          end
          local files = session:call("find_files", { pattern = "*f", path = case[1] })
          local is_file = files.is_error and files.content:find "^Not a directory"
          assert.equal(is_file and files.content or table.concat(expected, "\n"), files.content)
        end
        session:close()
      end
      local relative =
        abridge.session({ run_dir = false }):call("search_files", { pattern = "MIT L", path = "LICENSE" })
      assert.equal("LICENSE:1: MIT License", relative.content)
    end)

    it("lines of context, each once, groups apart", function()
      dir:write("tree/a", "1\n2\nword 3\n4\n5\nword 6\n7\n8\n9\n10\nword 11\n")
      dir:write("tree/b", "word 1\nword 2\n3\n")
      assert.equal(
        table.concat({
          "a-2- 2",
          "a:3: word 3",
          "a-4- 4",
          "a-5- 5",
          "a:6: word 6",
          "a-7- 7",
          "--",
          "a-10- 10",
          "a:11: word 11",
          "--",
          "b:1: word 1",
          "b:2: word 2",
          "b-3- 3",
        }, "\n"),
        hit(search { pattern = "word", context = 1 })
      )
    end)

    it("context that a page before has shown, again", function()
      dir:write("tree/a", "1\nword 2\nword 3\n4\n")
      local result = search { pattern = "word", context = 2, offset = 2 }
      assert.equal("a-1- 1\na-2- word 2\na:3: word 3\na-4- 4", hit(result))
    end)

    it("what the options ask for", function()
      dir:write("tree/a.lua", "Word\na.b\naxb\n")
      dir:write("tree/a.txt", "word\n")
      local function found(input)
        return hit(search(input))
      end
      assert.equal("a.txt:1: word", found { pattern = "word" })
      assert.equal("a.lua:1: Word\na.txt:1: word", found { pattern = "word", ignore_case = true })
      assert.equal("a.lua:1: Word", found { pattern = "word", ignore_case = true, glob = "*.lua" })
      assert.equal("a.txt:1: word", found { pattern = "word", ignore_case = true, glob = "!*.lua" })
      assert.equal("a.lua:2: a.b\na.lua:3: axb", found { pattern = "a.b" })
      assert.equal("a.lua:2: a.b", found { pattern = "a.b", literal = true })
      assert.equal("No matches found", found { pattern = "(", literal = true })
      assert.equal("No matches found", found { pattern = "--files" })
      assert.equal("a.txt:1: word", found { pattern = "word", glob = "./*.txt" })
    end)

    it("hidden files, but not .git nor what .gitignore leaves out", function()
      dir:sh "mkdir -p tree/.git tree/.dir"
      for _, name in ipairs { ".git/config", ".dir/f", ".hidden", "ignored.log", "seen" } do
        dir:write("tree/" .. name, "word\n")
      end
      dir:write("tree/.gitignore", "*.log\n[\n")
      assert.equal(".dir/f:1: word\n.hidden:1: word\nseen:1: word", hit(search { pattern = "word" }))
    end)

    it("names that would break a line as `ls -b` shows them", function()
      dir:write("tree/a\nb\tc\\d\1\127", "word\n")
      assert.equal("a\\nb\\tc\\\\d\\001\\177:1: word", hit(search { pattern = "word" }))
    end)

    it("names and options that begin with a dash, and no shell reads them", function()
      dir:write("tree/-f $(touch x)", "-word\n")
      assert.equal("-f $(touch x):1: -word", hit(search { pattern = "-word" }))
      assert.equal("-f $(touch x):1: -word", hit(search { pattern = "-word", path = "-f $(touch x)" }))
      assert.equal("No matches found", hit(search { pattern = "$(touch x)", literal = true, glob = "--pre=sh" }))
      assert.is_nil(dir:read "tree/x")
    end)

    it("invalid UTF-8 of names and lines as U+FFFD", function()
      dir:write("tree/n\255", "a\255 word \195\n")
      local result = search { pattern = "word" }
      assert.equal("n\239\191\189:1: a\239\191\189 word \239\191\189", hit(result))
    end)

    it("lines without the end that Windows gives them, and $ in front of it", function()
      dir:write("tree/f", "a word\r\n\r\nword\n")
      assert.equal("f:1: a word\nf:3: word", hit(search { pattern = "word$" }))
      assert.equal("f:2: ", hit(search { pattern = "^$" }))
      assert.equal("f:1: a word\nf:2: ", hit(search { pattern = "\\r$" }))
      assert.equal("f:1: a word", hit(search { pattern = "word\r", literal = true }))
    end)

    it("files in UTF-16 as text", function()
      dir:write("tree/f", "\255\254w\0o\0r\0d\0\n\0")
      assert.equal("f:1: word", hit(search { pattern = "word" }))
    end)

    it("that a binary file matches, without its bytes", function()
      dir:write("tree/early", "a\0b\nword\nword\n")
      dir:write("tree/late", "word 1\n" .. ("x"):rep(200000) .. "\nword 3\n\0\nword\nword\n")
      dir:write("tree/same", "word \0\n")
      dir:write("tree/text", "word\n")
      local expected = {
        "early: binary file matches",
        "late:1: word 1",
        "late:3: word 3",
        "late: binary file matches",
        "same: binary file matches",
        "text:1: word",
      }
      assert.equal(table.concat(expected, "\n"), hit(search { pattern = "word" }))
      assert.equal(expected[1], hit(search { pattern = "word", path = "early" }))
      local late = table.concat(expected, "\n", 2, 4)
      assert.equal(late, hit(search { pattern = "word", path = "late" }))
      for i, item in ipairs(expected) do -- matches are numbered alike from any offset
        local result = search { pattern = "word", offset = i, limit = 1 }
        assert.equal(item, hit(result):match "^[^\n]*")
      end
    end)

    it("that nothing was found", function()
      dir:write("tree/f", "a\n")
      local result = search { pattern = "word" }
      assert.equal("No matches found", hit(result))
      assert.is_false(result.is_error)
      assert.is_false(result.truncation.truncated)
      dir:sh "mkdir tree/empty"
      assert.equal("No matches found", hit(search { pattern = "word", path = "empty" }))
    end)
  end)

  describe("cuts a long line around its match:", function()
    local function assert_shows(result, word)
      local shown = 0
      for line in result.content:gmatch "[^\n]+" do
        if line:find "^[^:%[]+:%d+: " then
          shown = shown + 1
          assert.is_truthy(line:find(word, 1, true), line)
        end
      end
      assert.is_true(shown > 0)
    end

    it("a word of a minified bundle shows in every line", function()
      local code = ('var a="\195\169\\"",b=[1,2];'):rep(20000)
      local bundle = { code .. "needle" .. code, "needle" .. code, "short needle", code .. "needle" }
      dir:write("tree/min.js", table.concat(bundle, "\n") .. "\n")
      dir:write("tree/other.js", "function needle() {}\n")
      local result = search { pattern = "needle" }
      hit(result)
      assert_shows(result, "needle")
      assert.is_truthy(result.content:find("\nmin.js:3: short needle\n", 1, true))
      assert.is_truthy(result.content:find("\nother.js:1: function needle() {}\n", 1, true))
      local first = result.content:match "^[^\n]*"
      assert.is_truthy(first:find "^min.js:1: %[truncated%] %.%.%.")
      assert.equal(#"min.js:1: [truncated] ...... [truncated]" + 500, (core.count_chars(first)))
      assert.is_true(result.details.lines_truncated)
      local notice = "\n\n[Some lines truncated to 500 chars. Use read_file tool to see full lines]"
      assert.equal(notice, result.content:sub(-#notice))
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.bytes_total)
    end)

    it("a line that is too long to be kept is read around its match", function()
      local long = ("0123456789"):rep(100000)
      dir:write("tree/f", "first\n" .. long .. "needle" .. long .. "\r\n" .. long .. "needle\r\nlast needle\r\n")
      local result = search({ pattern = "needle" }, { max_line_chars = 40 })
      assert.equal(
        table.concat({
          "f:2: [truncated] ...34567890123456789needle01234567890123456... [truncated]",
          "f:3: [truncated] ...6789012345678901234567890123456789needle",
          "f:4: last needle",
          "",
          "[Some lines truncated to 40 chars. Use read_file tool to see full lines]",
        }, "\n"),
        hit(result)
      )
    end)

    it("the start of a match that is longer than the window", function()
      dir:write("tree/f", ("ab"):rep(500000) .. "\n")
      local result = search({ pattern = "b.*" }, { max_line_chars = 10 })
      assert.equal("f:1: [truncated] ...bababababa... [truncated]", hit(result):match "^[^\n]*")
    end)

    it("a match in UTF-16, whose place in the file is another", function()
      local wide = ("x\0"):rep(400000)
      dir:write("tree/f", "\255\254" .. wide .. "n\0e\0e\0d\0l\0e\0" .. wide .. "\n\0")
      local result = search({ pattern = "needle" }, { max_line_chars = 10 })
      assert.equal("f:1: [truncated] ...needle... [truncated]", hit(result):match "^[^\n]*")
    end)

    it("context from its start", function()
      dir:write("tree/f", ("c"):rep(700000) .. "\nneedle\n" .. ("d"):rep(100) .. "\n")
      local result = search({ pattern = "needle", context = 1 }, { max_line_chars = 5 })
      local expected = "f-1- ccccc... [truncated]\nf:2: [truncated] ...eedle\nf-3- ddddd... [truncated]\n"
      expected = expected:gsub("%[truncated%] %.%.%.eedle", "needl... [truncated]")
      assert.equal(expected, hit(result):sub(1, #expected))
    end)

    it("not below its limit", function()
      dir:write("tree/f", ("x"):rep(10) .. "\n" .. ("x"):rep(11) .. "\n")
      local result = search({ pattern = "x" }, { max_line_chars = 10 })
      assert.equal("f:1: xxxxxxxxxx\nf:2: xxxxxxxxxx... [truncated]\n\n", hit(result):match "^.-\n\n")
      result = search({ pattern = "x", limit = 1 }, { max_line_chars = 10 })
      assert.is_nil(result.details.lines_truncated)
    end)

    it("to 2000 chars where the limits do not say", function()
      dir:write("tree/f", ("x"):rep(5000) .. "needle\n")
      local result = search({ pattern = "needle" }, { max_line_chars = false })
      assert.equal("f:1: [truncated] ..." .. ("x"):rep(1994) .. "needle", hit(result):match "^[^\n]*")
    end)

    it("to a window that the budget has room for #few", function()
      dir:write("tree/f", ("x"):rep(5000) .. "needle" .. ("y"):rep(5000) .. "\n" .. ("x"):rep(5000) .. "needle\n")
      for _, budget in ipairs { 20, 30, 60, 100, 200, 500, 1000 } do
        for _, limits in ipairs {
          { max_bytes = budget },
          { max_bytes = false, max_chars = budget },
          { max_bytes = false, max_tokens = budget },
          { max_bytes = budget, max_line_chars = false },
          {
            max_bytes = false,
            max_tokens = budget,
            count_tokens = function(text)
              return #text
            end,
          },
        } do
          local offset, pages = 1, 0
          repeat
            local result = search({ pattern = "needle", offset = offset }, limits)
            assert_shows(result, "needle")
            assert.is_true(not limits.max_bytes or #result.content <= budget)
            assert.is_true(not limits.max_chars or core.count_chars(result.content) <= budget)
            assert.is_true(not limits.count_tokens or #result.content <= budget)
            offset, pages = result.truncation.next_offset, pages + 1
          until not offset or pages > 3
          assert.is_true(pages <= 3)
        end
      end
    end)

    it("and leaves out context rather than the match", function()
      dir:write("tree/f", seq(1, 50, "context %d") .. "needle\n" .. seq(1, 50, "match %d"))
      local result = search({ pattern = "needle", context = 100 }, { max_bytes = 300 })
      assert.is_truthy(hit(result):find("\nf-50- context 50\nf:51: needle\nf-52- match 1\n", 1, true))
      assert.is_true(#result.content > 250)
      result = search({ pattern = "needle", context = 100 }, { max_lines = 3 })
      assert.is_truthy(hit(result):find("f-49- context 49\nf-50- context 50\nf:51: needle\n", 1, true))
    end)
  end)

  describe("stops", function()
    it("at the limit, and goes on at the offset", function()
      dir:write("tree/f", seq(1, 250, "match %d"))
      local result = search { pattern = "match" }
      assert.equal(
        "f:100: match 100\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]",
        hit(result):match "[^\n]*\n\n.*$"
      )
      assert.same({
        truncated = true,
        bytes_returned = #result.content:match "^(.*)\n\n",
        next_offset = 101,
        resume_hint = "call search_files with offset=101",
        reason = "line_cap",
      }, result.truncation)
      assert.equal(100, result.details.match_limit_reached)
      assert.same({ truncated_total = 101 }, result.metadata) -- the search stopped at the next one
      result = search { pattern = "match", offset = 201 }
      assert.equal("f:201: match 201", hit(result):match "^[^\n]*")
      assert.equal("f:250: match 250", result.content:match "[^\n]*$")
      assert.is_false(result.truncation.truncated)
      assert.is_nil(result.truncation.bytes_total) -- the size of what lies before is not known
    end)

    it("at the model's limit, which goes before the profile's both ways", function()
      dir:write("tree/f", seq(1, 250, "match %d"))
      local result = search { pattern = "match", limit = 200 }
      assert.equal(201, result.truncation.next_offset)
      assert.is_truthy(hit(result):find("[200 matches limit reached. Use limit=400 for more", 1, true))
      result = search { pattern = "match", limit = 1 }
      assert.equal(2, result.truncation.next_offset)
      assert.is_truthy(hit(result):find "^f:1: match 1\n\n%[1 matches limit reached")
    end)

    it("at no limit that just fits", function()
      dir:write("tree/f", seq(1, 100, "match %d"))
      local result = search { pattern = "match" }
      assert.is_false(result.truncation.truncated)
      assert.is_nil(result.details.match_limit_reached)
      assert.is_nil(result.content:find("[", 1, true))
    end)

    it("when more is there than the budget can show", function()
      dir:write("tree/f", seq(1, 1000, "match %d"))
      local result = search({ pattern = "match", limit = 500 }, { max_bytes = 200 })
      assert.is_truthy(hit(result):find "\n\n%[200B limit reached %(%d+ of %d+%+ matches shown%)%]$")
      assert.equal(tonumber(result.details.notice:match "of (%d+)%+"), result.metadata.truncated_total)
      assert.equal("size_cap", result.truncation.reason)
      local shown, seen = result.content:match "%((%d+) of (%d+)%+"
      assert.equal(tonumber(shown) + 1, result.truncation.next_offset)
      assert.is_true(tonumber(seen) > tonumber(shown) and tonumber(seen) < 20)
      assert.is_true(#result.content <= 200)
    end)

    it("rg itself, as soon as the limit is passed", function()
      local forever = prints(BEGIN) .. "while :; do\n" .. prints(MATCH) .. "done\n"
      dir:with_program("rg", "echo $$ >" .. tmpdir.quote(dir:at "pid") .. "\n" .. forever, function()
        local result = search { pattern = "found", limit = 3 }
        assert.equal("f:1: found\nf:1: found\nf:1: found\n\n[3 matches limit reached.", hit(result):match "^.-%.")
        result = search({ pattern = "found", limit = 1000000 }, { max_bytes = 1000 })
        assert.is_true(#hit(result) <= 1000)
        assert.is_not_nil(result.truncation.next_offset)
      end)
      assert.not_equal(0, uv.kill(tonumber(dir:read "pid"), 0))
    end)

    it("when its time is over, and keeps what was found", function()
      dir:with_program("rg", prints(BEGIN) .. prints(MATCH, 7) .. "exec sleep 60\n", function()
        local time
        local result = waiting.with_time(0.1, function(seconds)
          time = seconds
          local result = search("found", nil, { timeout = seconds })
          return result, result.content:find "^f:7" ~= nil
        end)
        assert.equal(("f:7: found\n\nSearch timed out after %s seconds"):format(time), hit(result))
        assert.is_true(result.is_error)
        assert.is_true(result.truncation.truncated)
        assert.equal(2, result.truncation.next_offset)
        assert.equal("size_cap", result.truncation.reason)
      end)
      dir:with_program("rg", "exec sleep 60\n", function()
        local result = search("found", nil, { timeout = 0.1 })
        assert.equal("Search timed out after 0.1 seconds", hit(result))
        assert.is_true(result.truncation.truncated)
      end)
    end)

    it("when it is cancelled", function()
      dir:with_program("rg", "echo $$ >" .. tmpdir.quote(dir:at "pid") .. "\nexec sleep 60\n", function()
        local session = abridge.session { cwd = dir.path }
        local job = session:call("search_files", { pattern = "found" }, {})
        job:cancel()
        assert.equal("Tool search_files was aborted", job:wait(10).content)
        session:close()
        host.wait(function()
          return false
        end, 5) -- until rg is gone: nothing is left in the loop
      end)
      local pid = tonumber(dir:read "pid")
      assert.is_true(host.in_nvim or not pid or uv.kill(pid, 0) ~= 0)
    end)
  end)

  describe("tells what went wrong:", function()
    it("a bad pattern or glob in rg's words", function()
      local result = search "foo("
      assert.is_truthy(hit(result):find "regex parse error:\n +foo%(\n +%^\nerror: unclosed group$")
      assert.is_true(result.is_error)
      assert.equal("EINVAL", result.details.error_code)
      result = search { pattern = "foo", glob = "a[" }
      assert.is_truthy(hit(result):find("error parsing glob 'a[': unclosed character class", 1, true))
      assert.is_true(result.is_error)
    end)

    it("a path that is not there, or no file", function()
      local result = search { pattern = "x", path = "no such" }
      assert.equal("No such file or directory: no such", hit(result))
      assert.is_true(result.is_error)
      assert.equal("ENOENT", result.details.error_code)
      dir:write("tree/file", "")
      assert.equal("ENOENT", search({ pattern = "x", path = "file/sub" }).details.error_code)
      assert.equal("ENOENT", search({ pattern = "x", path = "a\0b" }).details.error_code)
      dir:sh "mkfifo tree/fifo"
      result = search { pattern = "x", path = "fifo" }
      assert.equal("Not a regular file: fifo is a fifo", hit(result))
    end)

    it("an offset past the last match", function()
      dir:write("tree/f", seq(1, 3, "match %d"))
      local result = search { pattern = "match", offset = 5 }
      assert.equal("Offset 5 is beyond the last match (3 matches in all)", hit(result))
      assert.is_true(result.is_error)
      assert.equal("EOFFSET", result.details.error_code)
      result = search { pattern = "match", offset = 4 }
      assert.equal("No more matches", hit(result))
      assert.is_false(result.is_error)
    end)

    it("input that does not fit", function()
      assert.is_truthy(search({}).content:find("Invalid input: pattern is required", 1, true))
      assert.is_truthy(search({ pattern = "x", limit = 0 }).content:find("Invalid input: limit", 1, true))
      assert.is_truthy(search({ pattern = "x", context = -1 }).content:find("Invalid input: context", 1, true))
      local result = search { pattern = "a\0b" }
      assert.equal("Invalid input: pattern has a NUL byte", hit(result))
      assert.is_true(result.is_error)
    end)

    it("rg is missing", function()
      dir:write("tree/rg", "") -- no program, and the folder is a relative one
      local session = abridge.session { tools = { "search_files", "find_files" } }
      local result, found, definitions = environment.with({ PATH = "tree::" .. dir:at "tree" }, function()
        local given = { pattern = "x" }
        return session:call("search_files", given), session:call("find_files", given), session:definitions "mcp"
      end)
      assert.is_truthy(hit(result):find "^ripgrep %(rg%) was not found on the PATH; install it")
      assert.is_true(result.is_error)
      assert.equal(result.content, found.content)
      assert.same({}, definitions)
      assert.equal(2, #session:definitions "mcp")
    end)

    it("files that could not be read, also where others had matches", function()
      local denied = prints(BEGIN) .. prints(MATCH, 7) .. "echo './x: Permission denied (os error 13)' >&2; exit 2\n"
      dir:with_program("rg", denied, function()
        local result = search "found"
        local said = "[Not all could be searched: ./x: Permission denied (os error 13)]"
        assert.equal("f:7: found\n\n" .. said, hit(result))
        assert.is_false(result.is_error)
        assert.is_false(result.truncation.truncated)
        assert.equal("./x: Permission denied (os error 13)", result.details.error)
      end)
      dir:with_program("rg", "echo './x: Permission denied (os error 13)' >&2; exit 2\n", function()
        local result = search "found"
        assert.equal("./x: Permission denied (os error 13)", hit(result))
        assert.is_true(result.is_error)
        assert.equal("EACCES", result.details.error_code)
      end)
    end)

    it("that rg was killed, or printed what is not its own", function()
      dir:with_program("rg", prints(BEGIN) .. prints(MATCH, 7) .. "kill -9 $$\n", function()
        local result = search "found"
        assert.equal("f:7: found\n\nSearch ended early: rg failed (KILL)", hit(result))
        assert.is_true(result.is_error)
      end)
      dir:with_program("rg", "echo '{}'; echo broken\n", function()
        local result = search "found"
        hit(result)
        assert.is_true(result.is_error)
      end)
      dir:with_program("rg", "yes 'a message' | head -c 1000000 >&2; exit 2\n", function()
        local result = search "found"
        assert.is_true(#hit(result) <= 8192)
        assert.is_true(result.is_error)
      end)
    end)
  end)

  it("reads no configuration of rg's", function()
    dir:write("tree/f", "Word\n")
    dir:write("config", "--ignore-case\n")
    local content = environment.with({ RIPGREP_CONFIG_PATH = dir:at "config" }, function()
      return search({ pattern = "word" }).content
    end)
    assert.equal("No matches found", content)
  end)

  it("shows nothing of what is redacted, wherever a line is cut", function()
    local secret = "key-" .. ("s"):rep(60)
    for _, gap in ipairs { 0, 1, 5, 10, 20, 30, 100, 70000, 400000 } do
      for _, order in ipairs { "before", "after", "around" } do
        local filler = (" "):rep(gap)
        local line = order == "after" and "needle" .. filler .. secret or secret .. filler .. "needle"
        if order == "around" then line = ("z"):rep(gap) .. line .. secret end
        dir:write("tree/f", line .. "\n")
        for _, redact in ipairs {
          { "key%-s+" },
          function(l)
            return (l:gsub("key%-s+", "#"))
          end,
        } do
          local result = search({ pattern = "needle" }, { max_line_chars = 30 }, { redact = redact })
          local where = ("gap %d, %s: %s"):format(gap, order, hit(result))
          assert.is_nil(result.content:find("sss", 1, true), where)
          assert.is_truthy(result.content:find("needle", 1, true), where)
        end
      end
    end
  end)

  it("redacts names and messages too", function()
    dir:write("tree/secret1", "word\n")
    local opts = { redact = { "secret%d" } }
    assert.equal("[redacted]:1: word", hit(search({ pattern = "word" }, nil, opts)))
    local result = search({ pattern = "x", path = "secret2" }, nil, { redact = { "secret%d" } })
    assert.equal("No such file or directory: [redacted]", hit(result))
    assert.equal("[redacted]", result.details.path)
    assert.is_nil(search({ pattern = "secret3(" }, nil, { redact = { "secret%d" } }).content:find "secret")
  end)

  it("keeps what two searches at a time find apart", function()
    dir:write("tree/f", seq(1, 5, "match %d") .. "other\n")
    local session = abridge.session { cwd = dir.path }
    local one = session:call("search_files", { pattern = "match 3" }, {})
    local two = session:call("search_files", { pattern = "other" }, {})
    session:wait()
    assert.equal("tree/f:3: match 3", one.result.content)
    assert.equal("tree/f:6: other", two.result.content)
  end)

  describe("under any limits", function()
    local NAMES = { "a", "b b", "-c", "d\n", "\\e", "\255", "f.txt", "sub/a", "sub/g", "sub-h", "z/y/x" }
    local PIECES = { "needle", "x", "\255", "\195\169", " ", "\t", "\r", "\n", "\n", "\n", "\r\n", "[", "needle\n" }

    local function by_parts(a, b)
      return a:gsub("/", "\0") < b:gsub("/", "\0")
    end

    local function shown_name(name)
      return (name:gsub("[%c\\]", { ["\n"] = "\\n", ["\\"] = "\\\\" }))
    end

    ---A tree of files, and what is to be found in it.
    local function random_tree()
      dir:sh "rm -rf tree; mkdir -p tree/sub tree/z/y"
      local items, names = {}, {}
      for _, name in ipairs(NAMES) do
        if random.chance(2) then names[#names + 1] = name end
      end
      table.sort(names, by_parts)
      for _, name in ipairs(names) do
        local text = random.join(PIECES, random.below(40))
        dir:write("tree/" .. name, text)
        local number = 0
        for _, line in ipairs(plain.lines(text)) do
          number = number + 1
          local last = number > select(2, text:gsub("\n", ""))
          if line:find("needle", 1, true) then
            local shown = last and line or line:gsub("\r$", "")
            items[#items + 1] = ("%s:%d: %s"):format(shown_name(name), number, shown)
          end
        end
      end
      return items
    end

    local function valid(text)
      return (core.head(text, { max_lines = 2 ^ 53, utf8 = "replace" }))
    end

    it("pages from offset to offset are the whole listing", function()
      random.each(25, function()
        local items = random_tree()
        local limits = random.choose {
          { max_bytes = random.between(600, 1500) },
          { max_chars = random.between(600, 1500), max_bytes = false },
          { max_tokens = random.between(600, 1500), max_bytes = false },
          { max_lines = random.between(1, 10) },
          { max_matches = random.between(1, 10) },
          { max_matches = false, max_bytes = false },
        }
        local input = { pattern = "needle", literal = random.chance(2), offset = 1 }
        input.limit = random.chance(3) and random.between(1, 8) or nil
        local got = {}
        repeat
          local result = search(input, limits, { ceiling = false, limits = { search_files = limits } })
          hit(result)
          if #items > 0 then got[#got + 1] = result.content:sub(1, result.truncation.bytes_returned) end
          local next_offset = result.truncation.next_offset
          random.must(not next_offset or next_offset > input.offset, "%d goes on at %s", input.offset, next_offset)
          random.must(not result.is_error, "%s", result.content)
          input.offset = next_offset
        until not next_offset
        local whole = valid(table.concat(items, "\n"))
        random.must(table.concat(got, "\n") == whole, "%s is not %s", table.concat(got, "\n"), whole)
      end)
    end)

    it("nothing raises, loops or is over budget", function()
      local counted = function(text)
        return #text
      end
      random.each(25, function()
        random_tree()
        local limits = { max_matches = random.choose { false, 0, 1, 5, 2 ^ 53 } }
        for _, name in ipairs { "max_bytes", "max_chars", "max_tokens", "max_lines", "max_line_chars" } do
          limits[name] = random.choose { false, false, 0, 1, random.below(30), random.below(300), 2 ^ 53 }
        end
        limits.count_tokens = random.chance(3) and counted or nil
        limits.strategy = random.choose { "head", "head", "tail", "head_tail" }
        local opts = { ceiling = random.chance(2) and { max_bytes = random.below(200) } or false }
        opts.limits = { search_files = limits }
        local input = { pattern = "needle|x", context = random.choose { 0, 1, 3 }, offset = 1 }
        for _ = 1, 300 do
          local result = search(input, nil, opts)
          hit(result)
          local content, next_offset = result.content, result.truncation.next_offset
          random.must(result.details.inner_error == nil, "%s", result.details.inner_error)
          random.must(#content <= (limits.max_bytes or math.huge), "%d bytes", #content)
          random.must(core.count_chars(content) <= (limits.max_chars or math.huge), "%d chars", #content)
          random.must(core.count_chars(content) == select(1, core.count_chars(valid(content))), "invalid")
          if limits.count_tokens then
            random.must(#content <= (limits.max_tokens or math.huge), "%d tokens", #content)
          end
          random.must(not next_offset or next_offset > input.offset, "%d goes on at %s", input.offset, next_offset)
          input.offset = next_offset
          if not next_offset then break end
        end
        random.must(input.offset == nil, "it loops")
      end)
    end)

    it("every profile has a page and a block", function()
      dir:write("tree/f", seq(1, 3000, "match %d" .. ("."):rep(60)))
      for profile in pairs(abridge.profiles) do
        local opts = { profile = profile, cwd = dir:at "tree" }
        local result = abridge.session(opts):call("search_files", { pattern = "match" })
        hit(result)
        assert.is_false(result.is_error)
        assert.is_true(result.truncation.truncated)
        local goes_on = profile ~= "pipeline"
        assert.equal(goes_on, result.truncation.next_offset ~= nil)
        if goes_on then
          local offset = result.truncation.next_offset
          result = abridge.session(opts):call("search_files", { pattern = "match", offset = offset })
          assert.equal(("f:%d: match %d"):format(offset, offset), result.content:match "^f:%d+: match %d+")
        end
      end
    end)
  end)
end)
