-- The two layers of limits: a tool's own view, and the byte ceiling that the dispatcher lays over every result.
-- The scenarios are those of the document "centralize MAX_OUTPUT_BYTES in ToolRegistry::run".
local abridge = require "support.unsaved"
local random = require "support.random"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

---A session of the profile "dispatcher" with a tool `echo` that gives `value`.
local function session_of(value, ceiling, opts)
  opts = opts or {}
  opts.profile = opts.profile or "dispatcher"
  opts.ceiling = ceiling and { max_bytes = ceiling }
  local session = abridge.session(opts)
  session:register {
    name = "echo",
    execute = function()
      if type(value) == "function" then return value() end
      return value
    end,
  }
  return session
end

local function echo(value, ceiling, opts)
  return session_of(value, ceiling, opts):call("echo", {})
end

local function marker(bytes)
  return ("\n... [%d bytes truncated; head + tail kept] ...\n"):format(bytes)
end

---What stands before and after the marker, and the number in it.
local function halves(content)
  local first, bytes, last = content:match "^(.*)\n%.%.%. %[(%d+) bytes truncated; head %+ tail kept%] %.%.%.\n(.*)$"
  return first, last, tonumber(bytes)
end

describe("the ceiling", function()
  it("lets a short result pass as it is", function()
    local result = echo "hello\n"
    assert.equal("hello\n", result.content)
    assert.is_false(result.is_error)
    assert.same({ truncated = false, bytes_returned = 6, bytes_total = 6, reason = "size_cap" }, result.truncation)
    assert.is_nil(result.metadata)
  end)

  it("is 128KB in the profile 'dispatcher'", function()
    local exact = ("x"):rep(128 * 1024)
    assert.equal(exact, echo(exact).content)
    local over = echo(exact .. "x")
    assert.is_true(over.truncation.truncated)
    assert.is_true(#over.content <= 128 * 1024)
  end)

  it("keeps head and tail around the exact marker", function()
    local text = "HEAD" .. ("x"):rep(2000) .. "TAIL"
    local content = echo(text, 200).content
    local first, last, bytes = halves(content)
    assert.equal("HEAD", first:sub(1, 4))
    assert.equal("TAIL", last:sub(-4))
    assert.equal(#text, #first + #last + bytes)
    assert.equal(first .. marker(bytes) .. last, content)
    assert.is_true(math.abs(#first - #last) <= 1) -- half and half
    assert.is_true(#content <= 200 and #content >= 198)
  end)

  it("takes head_ratio for the share of the head", function()
    local text = ("x"):rep(2000)
    local session = abridge.session { profile = "dispatcher", ceiling = { max_bytes = 1000, head_ratio = 0.1 } }
    local first, last = halves(session:cap("any", text).content)
    assert.is_true(#first * 8 < #last)
  end)

  it("does not break a char at the split", function()
    for _, char in ipairs { "\195\169", "\226\130\172", "\240\159\152\128" } do
      local text = char:rep(500)
      for ceiling = 150, 170 do
        local content = echo(text, ceiling).content
        local first, last, bytes = halves(content)
        assert.equal(char:rep(#first / #char), first)
        assert.equal(char:rep(#last / #char), last)
        assert.equal(#text, #first + #last + bytes)
        assert.is_true(#content <= ceiling)
      end
    end
  end)

  it("never makes a text that is barely over longer", function()
    for over = 1, 60 do
      local text = ("abcdefghij"):rep(20) .. ("x"):rep(over)
      local result = echo(text, 200)
      assert.is_true(#result.content <= 200)
      assert.is_true(#result.content < #text)
      assert.is_true(result.truncation.truncated)
    end
  end)

  it("tells of the full output where that takes no more than half of it", function()
    local dir = tmpdir.new()
    local told = 0
    for ceiling = 20, 600, 5 do
      local result = echo(("a line\n"):rep(200), ceiling, { run_dir = dir:at(("run%03d"):format(ceiling)) })
      local path = result.details.full_output_path
      local said = result.content:match "\n%[Full output: [^\n]*%]$"
      assert.is_true(#result.content <= ceiling)
      assert.equal(said and said:sub(2), result.details.notice)
      assert.equal(#("\n\n[Full output: " .. path .. "]") <= ceiling / 2, said ~= nil, ceiling)
      told = told + (said and 1 or 0)
    end
    assert.is_true(told > 10)
    dir:remove()
  end)

  it("is hard for any content and any ceiling", function()
    local alphabet = { "a", "\n", "\195\169", "\226\130\172", "\240\159\152\128", "\255", "\0", "word ", "\r\n" }
    random.each(400, function()
      local text = random.join(alphabet, random.below(120))
      local ceiling = random.chance(3) and random.below(8) or random.below(200)
      local profile = random.choose { "dispatcher", "default", "pipeline", "contract" }
      local result = echo(text, ceiling, { profile = profile })
      local what = ("ceiling %d: %q"):format(ceiling, result.content)
      assert.is_true(#result.content <= ceiling, what)
      local _, invalid = abridge.count_chars(result.content)
      assert.equal(0, invalid, what)
      assert.is_true(result.truncation.bytes_returned <= #result.content, what)
      abridge.assert_conforms("echo", result)
    end)
  end)

  it("tells of the cut even where nothing of the content fits", function()
    for ceiling = 0, 60 do
      local result = echo(("x"):rep(100), ceiling)
      assert.is_true(#result.content <= ceiling)
      assert.is_true(result.truncation.truncated)
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(100, result.metadata.truncated_bytes)
    end
  end)

  it("gives a block without resume, with the reason size_cap", function()
    local text = ("x"):rep(1000)
    local result = echo(text, 300)
    local block = result.truncation
    assert.is_true(block.truncated)
    assert.equal("size_cap", block.reason)
    assert.equal(1000, block.bytes_total)
    assert.equal(#result.content, block.bytes_returned)
    assert.is_nil(block.next_offset)
    assert.is_nil(block.resume_hint)
  end)

  it("takes back a resume hint that no longer fits what is shown", function()
    local result = echo({ content = ("x"):rep(1000), next_offset = 7, resume_hint = "page 7" }, 300)
    assert.is_nil(result.truncation.next_offset)
    assert.is_nil(result.truncation.resume_hint)
    assert.equal("size_cap", result.truncation.reason)
  end)

  it("is off in a profile without one, and with ceiling = false", function()
    local text = ("x"):rep(300000)
    assert.equal(text, echo(text, nil, { profile = "pi" }).content)
    local session = abridge.session { profile = "dispatcher", ceiling = false }
    assert.equal(text, session:cap("any", text).content)
  end)

  it("holds for session:cap", function()
    local session = abridge.session { profile = "dispatcher", ceiling = { max_bytes = 100 } }
    local result = session:cap("any", ("x"):rep(500))
    assert.is_true(#result.content <= 100)
    assert.equal(500, result.metadata.truncated_bytes)
  end)
end)

describe("errors under the ceiling", function()
  it("answers an unknown tool", function()
    local result = abridge.session({ profile = "dispatcher" }):call("nope", {})
    assert.equal("Unknown tool: nope", result.content)
    assert.is_true(result.is_error)
    assert.is_false(result.truncation.truncated)
  end)

  it("caps the name of an unknown tool", function()
    local result = abridge.session({ ceiling = { max_bytes = 100 } }):call(("n"):rep(5000), {})
    assert.is_true(#result.content <= 100)
    assert.matches("^Unknown tool: n", result.content)
    assert.is_true(result.is_error)
    assert.is_true(result.truncation.truncated)
  end)

  it("caps what a tool returns as an error", function()
    local result = echo({ content = ("e"):rep(5000), is_error = true }, 200)
    assert.is_true(#result.content <= 200)
    assert.is_true(result.is_error)
    assert.equal(5000, result.metadata.truncated_bytes)
  end)

  it("caps what a tool raises", function()
    local result = echo(function()
      error(("e"):rep(5000), 0)
    end, 200)
    assert.is_true(#result.content <= 200)
    assert.is_true(result.is_error)
    assert.equal(5000, result.metadata.truncated_bytes)
  end)

  it("caps errors of the tools of this package", function()
    local session = abridge.session { ceiling = { max_bytes = 100 } }
    local result = session:call("read_file", { path = "/" .. ("n"):rep(200) })
    assert.is_true(#result.content <= 100)
    assert.is_true(result.is_error)
    result = session:call("read_file", { path = {}, offset = ("o"):rep(5000) })
    assert.is_true(#result.content <= 100)
    assert.is_true(result.is_error)
  end)
end)

describe("the two layers", function()
  local rows = {}
  for i = 1, 1000 do
    rows[i] = ("row %04d %s"):format(i, ("x"):rep(50))
  end

  it("never share a field when both cut", function()
    local session = abridge.session { profile = "dispatcher", ceiling = { max_bytes = 2000 } }
    session:register {
      name = "glob",
      limits = { max_lines = 250 },
      reason = "item_cap",
      execute = function()
        return { content = table.concat(rows, "\n"), total = 4321 }
      end,
    }
    local result = session:call("glob", {})
    assert.is_true(#result.content <= 2000)
    assert.equal(4321, result.metadata.truncated_total) -- the tool's count of items
    assert.equal(59999, result.metadata.truncated_bytes) -- what it had to show
    assert.equal("size_cap", result.truncation.reason)
    assert.matches("%[%d+ bytes truncated; head %+ tail kept%]", result.content)
  end)

  it("set the count alone when only the tool's view cut", function()
    local session = abridge.session { profile = "dispatcher" }
    session:register {
      name = "glob",
      reason = "item_cap",
      execute = function()
        return { content = "a\nb\n", total = 4321, next_offset = 3 }
      end,
    }
    local result = session:call("glob", {})
    assert.same({ truncated_total = 4321 }, result.metadata)
    assert.equal("item_cap", result.truncation.reason)
  end)

  it("set the bytes alone when only the ceiling cut", function()
    local result = echo(("x"):rep(1000), 300)
    assert.same({ truncated_bytes = 1000 }, result.metadata)
  end)

  it("count the bytes that the tool had to show, from where it began", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    dir:write("f", ("line\n"):rep(2000))
    dir:sh "mkdir d && cd d && seq -f name%03g 500 | xargs touch"
    local session = abridge.session { run_dir = false, cwd = dir.path, ceiling = { max_bytes = 1000 } }
    local function had(tool, input)
      return session:call(tool, input).metadata.truncated_bytes
    end
    assert.equal(10000, had("read_file", { path = "f" }))
    assert.equal(5000, had("read_file", { path = "f", offset = 1001 }))
    assert.equal(5000, had("read_file", { path = "f", offset = 1001, line_numbers = true }))
    assert.equal(500 * 8 - 1, had("list_directory", { path = "d" }))
    assert.equal(300 * 8 - 1, had("list_directory", { path = "d", offset = 201 }))
    assert.equal(300 * 8 - 1, had("list_directory", { path = "d", offset = 201, limit = 250 }))
    assert.equal(10000, had("run_command", { command = "cat f" }))
    assert.equal(10000, session:cap("any", ("line\n"):rep(2000)).metadata.truncated_bytes) -- its limits cut too
    session:close()
    dir:remove()
  end)

  it("count the tool's items also when only the ceiling cut", function()
    local result = echo({ content = ("x"):rep(1000), total = 12 }, 300)
    assert.same({ truncated_total = 12, truncated_bytes = 1000 }, result.metadata)
  end)

  it("set nothing when nothing was cut", function()
    assert.is_nil(echo({ content = "a", total = 1 }).metadata)
  end)
end)

describe("the tools of this package under the ceiling", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  it("have the smaller of both budgets, and are not cut a second time", function()
    local path = dir:write("big.txt", seq(1, 1000, "line %04d"))
    local session = abridge.session { profile = "default", ceiling = { max_bytes = "2KB" } }
    assert.equal(2048, session:limits("read_file").max_bytes)
    assert.equal(2048, session:limits("run_command").max_bytes)

    local result = session:call("read_file", { path = path })
    assert.is_true(#result.content <= 2048)
    assert.is_nil(result.content:find("head + tail kept", 1, true))
    assert.same({ truncated_bytes = 10000 }, result.metadata)
    assert.is_truthy(result.truncation.next_offset)
    assert.matches("%(2KB limit%)%. Use offset=%d+ to continue%]$", result.content)

    result = session:call("run_command", { command = "cat " .. tmpdir.quote(path) })
    assert.is_true(#result.content <= 2048)
    assert.is_nil(result.content:find("head + tail kept", 1, true))
    assert.same({ truncated_bytes = 10000 }, result.metadata)
    assert.matches("of 1000 lines %(2KB limit%)%]$", result.content)
  end)

  it("keep their own budget when it is the smaller", function()
    local session = abridge.session { limits = { read_file = { max_bytes = 500 } }, ceiling = { max_bytes = 4000 } }
    assert.equal(500, session:limits("read_file").max_bytes)
  end)

  it("are bound by the ceiling when it is their only budget", function()
    local path = dir:write("long.txt", ("0123456789\n"):rep(400))
    local session = abridge.session { profile = "dispatcher", ceiling = { max_bytes = 1000 } }
    local result = session:call("read_file", { path = path })
    assert.is_true(#result.content <= 1000)
    assert.is_nil(result.content:find("head + tail kept", 1, true))
    assert.is_truthy(result.truncation.next_offset)
    assert.equal("size_cap", result.truncation.reason)
  end)
end)

describe("the ceiling and tools of this package", function()
  it("binds a pipeline too, which knows no bytes", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local session = abridge.session { profile = "pipeline", ceiling = { max_bytes = 1024 } }
    local result = session:call("run_command", { command = "head -c 15000 /dev/zero | tr '\\0' x" })
    session:close()
    assert.is_true(#result.content <= 1024)
    assert.equal(15000, result.metadata.truncated_bytes)
  end)

  it("keeps both ends of a tool that the profile has no row for", function()
    if not require("abridge.base.host").uv() then return pending "luv is missing" end
    local session = abridge.session { profile = "dispatcher" }
    local result = session:call("run_command", { command = "seq 100000" })
    session:close()
    assert.matches("^1\n2\n", result.content)
    assert.matches("\n100000\n", result.content)
    assert.matches("bytes truncated; head %+ tail kept", result.content)
    assert.is_true(#result.content <= 131072)
  end)
end)
