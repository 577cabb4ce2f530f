-- read_file and run_command under every profile, beyond what the harness asks of every tool: exact notices, odd
-- input, and pages of any file, which rebuild it (SPEC 5, 8, 11, 12).
local abridge = require "support.unsaved"
local conformance = require "abridge.conformance"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local wide_lines = require "support.wide_lines"

local must = random.must
local uv = assert(host.uv())
local PROFILES = { "default", "pi", "pipeline", "contract", "dispatcher" }

local dir, sessions

local function open(opts)
  local session = abridge.session(opts)
  sessions[#sessions + 1] = session
  return session
end

local function write(name, text)
  local path = dir .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

--- Does the result tell the truth about itself? `behind` is what follows the content: exit line, notice, both.
local function check(result, behind)
  local shown = conformance.check(result)
  local gap = shown == "" and "" or shown:sub(-1) == "\n" and "\n" or "\n\n"
  if behind then assert.equal(shown .. gap .. behind, result.content) end
  return result
end

describe("conformance #few", function()
  before_each(function()
    dir, sessions = assert(uv.fs_mkdtemp((os.getenv "TMPDIR" or "/tmp") .. "/abridge-XXXXXX")), {}
  end)
  after_each(function()
    for _, session in ipairs(sessions) do
      session:close()
    end
    for name in
      (function()
        local scan = assert(uv.fs_scandir(dir))
        return function()
          return (uv.fs_scandir_next(scan))
        end
      end)()
    do
      os.remove(dir .. "/" .. name)
    end
    assert(uv.fs_rmdir(dir))
  end)

  for _, profile in ipairs(PROFILES) do
    describe("in profile " .. profile, function()
      local by_lines = { read_file = { max_lines = 3 }, run_command = { max_lines = 3 } }
      local by_size = { read_file = { max_bytes = 400 }, run_command = { max_bytes = 400 } }
      if profile == "pipeline" then by_size = { read_file = { max_chars = 60 }, run_command = { max_chars = 60 } } end

      it("read_file cut by lines says line_cap and the next line", function()
        local session = open { profile = profile, limits = by_lines }
        local result = session:call("read_file", { path = write("f", wide_lines(10)) })
        assert.is_true(result.truncation.truncated)
        assert.equal("line_cap", result.truncation.reason)
        assert.equal(#wide_lines(10), result.truncation.bytes_total)
        if profile == "pipeline" then
          check(result)
        else
          check(result, "[Showing lines 1-3 of 10. Use offset=4 to continue]")
          assert.equal(5, result.truncation.bytes_returned) -- "1\n2\n3"
          assert.equal(4, result.truncation.next_offset)
          assert.truthy(result.truncation.resume_hint:find("offset=4", 1, true))
        end
      end)

      it("read_file cut by size says size_cap, within the budget", function()
        local session = open { profile = profile, limits = by_size }
        local text = wide_lines(50, 19)
        local result = session:call("read_file", { path = write("f", text) })
        assert.is_true(result.truncation.truncated)
        assert.equal("size_cap", result.truncation.reason)
        assert.equal(1000, result.truncation.bytes_total)
        check(result)
        if profile == "pipeline" then return end
        assert.is_true(#result.content <= 400)
        local shown = result.truncation.bytes_returned
        assert.equal(text:sub(1, shown), result.content:sub(1, shown))
        assert.equal(result.details.cut.last_line + 1, result.truncation.next_offset)
      end)

      it("read_file with a limit says how many lines are left", function()
        local input = { path = write("f", wide_lines(10)), offset = 3, limit = 2 }
        local result = open({ profile = profile }):call("read_file", input)
        assert.is_true(result.truncation.truncated)
        if profile == "pipeline" then
          check(result)
        else
          check(result, "[6 more lines in file. Use offset=5 to continue]")
          assert.equal(5, result.truncation.next_offset)
        end
      end)

      it("read_file says in words what is wrong with a path or an input", function()
        local session = open { profile = profile }
        for path, message in pairs {
          [dir .. "/none"] = "No such file or directory: " .. dir .. "/none",
          [dir] = "Is a directory: " .. dir,
        } do
          local result = check(session:call("read_file", { path = path }))
          assert.is_true(result.is_error)
          assert.equal(message, result.content)
          assert.is_false(result.truncation.truncated)
        end
        local result = check(session:call("read_file", { path = write("f", "a\nb\nc\n"), offset = 100 }))
        assert.is_true(result.is_error)
        assert.equal("Offset 100 is beyond end of file (3 lines total)", result.content)
        for _, input in ipairs { {}, { path = 5 }, "{", '{"path":null}', { path = "f", offset = 0 } } do
          result = check(session:call("read_file", input))
          assert.is_true(result.is_error)
          assert.matches("^Invalid input: ", result.content)
        end
      end)

      it("read_file takes numbers that no file has", function()
        local session = open { profile = profile }
        local path = write("f", "a\nb\nc\n")
        for _, key in ipairs { "offset", "column" } do
          for _, value in ipairs { 2 ^ 53, 1e20, "99999999999999999999" } do
            local result = check(session:call("read_file", { path = path, [key] = value }))
            assert.is_true(result.is_error)
            assert.is_nil(result.content:find("abridge.core", 1, true), result.content)
          end
        end
        local result = check(session:call("read_file", { path = path, limit = 2 ^ 53 }))
        assert.equal("a\nb\nc\n", result.content)
      end)

      it("read_file shows and counts bytes that are no text", function()
        local session = open { profile = profile }
        local result = check(session:call("read_file", { path = write("f", "a\255b\n") }))
        assert.equal("a\239\191\189b\n", result.content)
        assert.equal(1, result.details.invalid_bytes)
        check(session:call("read_file", { path = write("g", "a\0b") }))
      end)

      it("run_command gives output that fits as it is, both streams in order", function()
        local result = check(open({ profile = profile }):call("run_command", { command = "echo out; echo err >&2" }))
        assert.equal("out\nerr\n", result.content)
        assert.same({ truncated = false, bytes_returned = 8, bytes_total = 8, reason = "size_cap" }, result.truncation)
        assert.equal(0, result.details.exit_code)
        assert.is_false(result.is_error)
      end)

      it("run_command says where there is no output", function()
        local session = open { profile = profile }
        local result = check(session:call("run_command", { command = "true" }))
        assert.equal("(no output)", result.content)
        assert.is_false(result.truncation.truncated)
        result = check(session:call("run_command", { command = "exit 3" }), "Command exited with code 3")
        assert.equal("(no output)\n\nCommand exited with code 3", result.content)
        assert.is_true(result.is_error)
        assert.equal(#"(no output)", result.truncation.bytes_returned)
      end)

      it("run_command cut by lines says line_cap, and which lines show", function()
        local session = open { profile = profile, limits = by_lines }
        local command = "i=0; while [ $i -lt 10 ]; do i=$((i+1)); echo $i; done"
        local result = session:call("run_command", { command = command })
        assert.is_true(result.truncation.truncated)
        assert.equal("line_cap", result.truncation.reason)
        assert.equal(21, result.truncation.bytes_total)
        assert.is_nil(result.truncation.next_offset)
        if profile == "default" or profile == "dispatcher" then -- auto: numbers are text, one gap
          check(result, "[Showing 3 of 10 lines (3 line limit)]")
        elseif profile == "pi" or profile == "contract" then
          check(result, "[Showing lines 8-10 of 10]")
          local marker = profile == "pi" and "" or "... [7 lines like the one below omitted] ...\n"
          assert.equal(marker .. "8\n9\n10\n\n[Showing lines 8-10 of 10]", result.content)
          assert.equal(#marker + 7, result.truncation.bytes_returned)
        else
          check(result)
        end
      end)

      it("run_command cut by size keeps the exit line", function()
        local session = open { profile = profile, limits = by_size }
        local command = "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line number $i; done; exit 3"
        local result = session:call("run_command", { command = command })
        assert.is_true(result.truncation.truncated)
        assert.equal("size_cap", result.truncation.reason)
        assert.is_true(result.is_error)
        local exit_line, notice = result.content:match "(Command exited with code 3)\n\n(%[[^\n]*%])$"
        assert.truthy(exit_line, result.content)
        check(result, exit_line .. "\n\n" .. notice)
        if profile ~= "pipeline" then assert.is_true(#result.content <= 400) end
        assert.equal(3, result.details.exit_code)
      end)

      it("run_command cut by a budget with a name says exec_budget", function()
        if profile == "pipeline" then return end
        local session = open { profile = profile, limits = { run_command = { output = "silent", max_lines = false } } }
        local command = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo $i; done"
        local result = check(session:call("run_command", { command = command }))
        assert.equal("exec_budget", result.truncation.reason)
        assert.is_true(#result.content <= 200)
      end)

      it("run_command says in words what is wrong with an input", function()
        local session = open { profile = profile }
        local result = check(session:call("run_command", {}))
        assert.is_true(result.is_error)
        assert.equal("Invalid input: command is required", result.content)
        result = check(session:call("run_command", { command = "echo x", cwd = dir .. "/none" }))
        assert.is_true(result.is_error)
        result = check(session:call("no_such_tool", {}))
        assert.is_true(result.is_error)
        assert.equal("Unknown tool: no_such_tool", result.content)
      end)

      it("run_command shows bytes that are no text as U+FFFD", function()
        local command = [[printf 'a few odd bytes: a\377b\000\n']]
        local result = check(open({ profile = profile }):call("run_command", { command = command }))
        local cleans = abridge.profiles[profile].run_command and abridge.profiles[profile].run_command.clean
        assert.equal("a few odd bytes: a\239\191\189b" .. (cleans and "\n" or "\0\n"), result.content)
      end)

      it("session:cap of any value conforms", function()
        local session = open { profile = profile, limits = { x = { max_lines = 3 } } }
        local mcp = { content = { { type = "text", text = wide_lines(10) } } }
        for _, value in ipairs { "", "a\n", wide_lines(10), { a = 1 }, mcp, 5, true } do
          check(session:cap("x", value))
        end
      end)
    end)
  end

  it("bytes_returned are those of the content before exit line and notice", function()
    local session = open { profile = "pi", limits = { run_command = { max_lines = 2 } } }
    for command, shown in pairs {
      ["printf 'a\\nb'"] = "a\nb",
      ["printf 'a\\nb\\n'"] = "a\nb\n",
      ["printf 'a\\nb\\nc\\n'"] = "b\nc\n",
      ["printf 'a\\nb\\nc\\n'; exit 1"] = "b\nc\n",
      ["exit 1"] = "(no output)",
      ["printf 'a\\n\\n\\n'; exit 1"] = "\n\n",
    } do
      local result = session:call("run_command", { command = command })
      assert.equal(#shown, result.truncation.bytes_returned)
      assert.equal(shown, result.content:sub(1, #shown))
    end
  end)

  it("a final newline that does not fit is no truncation", function()
    local session = open { limits = { read_file = { max_bytes = 5 } } }
    local result = check(session:call("read_file", { path = write("f", "ab\ncd\n") }))
    assert.equal("ab\ncd", result.content)
    assert.is_true(result.details.cut.final_newline)
    assert.is_false(result.truncation.truncated)
  end)

  -- pages --------------------------------------------------------------------

  --- Follow the block and the ledger from page to page.
  local function follow(session, path, limit)
    return conformance.follow(session, "read_file", { path = path, limit = limit }, {
      max_pages = 5000,
      expected = { limits = session:limits "read_file" },
    })
  end

  --- Texts of valid UTF-8, so that what is shown is what the file holds.
  local VALID = {
    { "a", "b", "\n" },
    { "a", "bc def ", "\n", "\n", "\r\n" },
    { "a", "\n", "\195\169", "\226\130\172", "\240\159\152\128" },
    { "word ", "a line of words ", "longer", "\n" },
    { ("long "):rep(12), "\240\159\152\128", "\n", "\r\n" },
  }

  local function random_file()
    return random.join(random.choose(VALID), random.below(120))
  end

  local function rebuilds(opts_of, limit_of)
    random.each(120, function()
      local opts = opts_of()
      local session = abridge.session(opts)
      local text, limit = random_file(), limit_of and limit_of() or nil
      local path = write("f", text)
      local ok, whole = pcall(follow, session, path, limit)
      local budgets = {}
      for key, value in pairs(opts.limits.read_file) do
        budgets[#budgets + 1] = key .. "=" .. tostring(value)
      end
      local case = ("%s, limit %s: %q"):format(table.concat(budgets, " "), tostring(limit), text)
      session:close()
      if not ok then error(tostring(whole) .. "\n" .. case, 0) end
      must(whole == text, "%s\nbecame %s", case, whole)
    end)
  end

  it("pages by lines rebuild the file", function()
    rebuilds(function()
      return { limits = { read_file = { max_lines = random.between(1, 8) } } }
    end)
  end)

  it("pages by the caller's limit rebuild the file", function()
    rebuilds(function()
      return { limits = { read_file = {} } }
    end, function()
      return random.between(1, 8)
    end)
  end)

  for _, key in ipairs { "max_bytes", "max_chars" } do
    it("pages by a tiny " .. key .. " rebuild the file", function()
      rebuilds(function()
        return { limits = { read_file = { [key] = random.between(4, 60) } } }
      end)
    end)

    it("pages by a tiny " .. key .. " rebuild the file, in a session without a shell", function()
      rebuilds(function()
        return { tools = { "read_file" }, limits = { read_file = { [key] = random.between(4, 60) } } }
      end)
    end)

    it("pages by " .. key .. " with notices rebuild the file", function()
      rebuilds(function()
        return {
          tools = random.chance(2) and { "read_file" } or nil,
          limits = { read_file = { [key] = random.between(60, 300), max_lines = random.between(1, 20) } },
        }
      end)
    end)
  end

  it("pages by tokens rebuild the file", function()
    rebuilds(function()
      local limits = { max_tokens = random.between(2, 60) }
      if random.chance(2) then
        limits.count_tokens = function(text)
          return math.ceil(#text / 2)
        end
      else
        limits.max_tokens = limits.max_tokens + 2
      end
      return { tools = random.chance(2) and { "read_file" } or nil, limits = { read_file = limits } }
    end)
  end)

  it("pages of each profile rebuild a file that fits their lines", function()
    local text = wide_lines(9000, 60)
    local path = write("f", text)
    for _, profile in ipairs { "default", "pi", "contract", "dispatcher" } do
      local whole, pages = follow(open { profile = profile }, path)
      assert.equal(text, whole)
      assert.is_true(pages > 3)
    end
  end)

  it("a page says which chars of a line it shows", function()
    local session = open { tools = { "read_file" }, limits = { read_file = { max_bytes = 240 } } }
    local path = write("f", ("\195\169"):rep(300) .. "\nsecond\n")
    local first = session:call("read_file", { path = path })
    local next_column = first.details.cut.next_column
    assert.equal(2 * (next_column - 1), first.truncation.bytes_returned)
    check(
      first,
      ("[Showing chars 1-%d of line 1 (240B limit). Use offset=1 column=%d to continue]"):format(
        next_column - 1,
        next_column
      )
    )
    local second = session:call("read_file", { path = path, column = next_column })
    assert.truthy(second.content:find(("[Showing chars %d-"):format(next_column), 1, true))
    assert.equal(1, second.truncation.next_offset)
    assert.truthy(second.truncation.resume_hint:find("column=" .. second.details.cut.next_column, 1, true))
  end)

  it("with a shell a page names a line over budget, and shows nothing of it", function()
    local session = open { limits = { read_file = { max_bytes = 300 } } }
    local path = write("f", "short\n" .. ("x"):rep(400) .. "\n")
    local result = session:call("read_file", { path = path, offset = 2 })
    assert.equal(
      ("[Line 2 is 400B, exceeds 300B limit. Use run_command: sed -n '2p' %s | head -c 300]"):format(path),
      result.content
    )
    assert.equal(0, result.truncation.bytes_returned)
    assert.equal(2, result.truncation.next_offset)
    assert.equal(1, result.details.cut.next_column)
  end)

  it("the ledger of a page speaks of the whole file", function()
    random.each(200, function()
      local text = random_file()
      local lines = plain.count_lines(text)
      if lines == 0 then return end
      local limits = { max_bytes = random.between(4, 80), max_lines = random.between(1, 5) }
      local session = abridge.session { tools = { "read_file" }, limits = { read_file = limits } }
      local offset = random.between(1, lines)
      local result = session:call("read_file", { path = write("f", text), offset = offset })
      session:close()
      local cut = result.details.cut
      local wrong = plain.ledger_error(cut)
      must(not wrong, "%s: %s", text, wrong)
      must(cut.total_bytes == #text and cut.total_lines == lines, "totals %d %d", cut.total_bytes, cut.total_lines)
      must(cut.first_line == offset, "first_line %d, not %d", cut.first_line, offset)
      local range = cut.kept and cut.kept[1]
      if range then
        local shown = result.content:sub(1, result.truncation.bytes_returned)
        local kept = text:sub(range.first_byte, range.last_byte)
        must(kept == shown, "%s is shown, %s is in the ledger", shown, kept)
        must(range.first_line == offset and range.last_line == cut.last_line, "lines of the range")
      end
    end)
  end)

  it("protocol of a page speaks of the whole file", function()
    local path = write("f", "\195\169a\n\195\169b\n\195\169c\n\195\169d\n")
    local function protocol(limits)
      local session = open { tools = { "read_file" }, limits = { read_file = limits } }
      return abridge.protocol(session:call("read_file", { path = path, offset = 3 }).details.cut)
    end
    assert.same({ truncated = true, limit = 1, total = 4, offset = 2, units = "lines" }, protocol { max_lines = 1 })
    assert.same({ truncated = true, limit = 4, total = 16, offset = 8, units = "bytes" }, protocol { max_bytes = 4 })
    assert.same({ truncated = true, limit = 2, total = 12, offset = 6, units = "chars" }, protocol { max_chars = 2 })
  end)

  it("a line that is shortened and then split loses no char unsaid", function()
    local session = open { tools = { "read_file" }, limits = { read_file = { max_line_chars = 50, max_bytes = 30 } } }
    local result = session:call("read_file", { path = write("f", ("x"):rep(100) .. "\nsecond\n") })
    local cut, block = result.details.cut, result.truncation
    -- what the ledger says is kept is no more than what is there
    assert.is_true(cut.output_bytes <= block.bytes_returned)
    assert.is_true(cut.next_offset == 2 or cut.next_column <= block.bytes_returned + 1)
  end)

  it("a page whose last line is cut names that line, whatever the strategy", function()
    local path = write("f", wide_lines(60, 20))
    for _, limits in ipairs {
      { strategy = "pipeline", max_chars = 333, max_lines = false },
      { strategy = "head_tail", snap = "char", max_bytes = 333 },
      { strategy = "head_tail", snap = "char", max_bytes = 333, head_ratio = 1 },
    } do
      local profile = limits.strategy == "pipeline" and "pipeline" or "default"
      local session = open { profile = profile, limits = { read_file = limits } }
      local result = session:call("read_file", { path = path, offset = 7 })
      local next_offset, next_column = result.truncation.next_offset, result.details.cut.next_column
      assert.is_true(next_offset > 7 and next_column > 1)
      local going_on = (" Use offset=%d column=%d to continue]"):format(next_offset, next_column)
      assert.equal(going_on, result.details.notice:sub(-#going_on))
      assert.is_nil(result.details.notice:find("chars 1-", 1, true))
    end
  end)

  it("pages of any strategy come to an end", function()
    for _, limits in ipairs {
      { strategy = "pipeline", max_chars = 10, max_lines = 5 },
      { strategy = "pipeline", max_lines = 1 },
      { strategy = "head_tail", max_lines = 3 },
      { strategy = "head_tail", max_bytes = 20, snap = "char" },
      { strategy = "head_tail", max_bytes = 20, head_ratio = 0 },
      { strategy = "tail", max_lines = 3 },
    } do
      for name, row in pairs { max_bytes = false, max_lines = false, max_chars = false } do
        if limits[name] == nil then limits[name] = row end
      end
      local profile = limits.strategy == "pipeline" and "pipeline" or "default"
      local session = open { profile = profile, limits = { read_file = limits } }
      local path = write("f", wide_lines(9, 8))
      local offset, column, pages = 1, nil, 0
      while offset do
        pages = pages + 1
        assert.is_true(pages < 200, "no end")
        local result = session:call("read_file", { path = path, offset = offset, column = column })
        assert.is_false(result.is_error, limits.strategy .. ": " .. result.content)
        offset, column = result.truncation.next_offset, result.details.cut.next_column
      end
    end
  end)
end)
