-- The document "centralize MAX_OUTPUT_BYTES", point by point, in the profile "dispatcher". Where the contract overrules
-- it: a tool of this package is cut by itself to the ceiling, so that its notice stays and only foreign results are
-- cut by the dispatcher; and full outputs are kept on disk.
local abridge = require "support.unsaved"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local KB = 1024
local MAX_OUTPUT_BYTES = 128 * KB

describe("seed dispatcher: #few", function()
  local dir, session, output

  --- What the foreign tool of these tests gives next.
  local function give(value)
    output = value
  end

  before_each(function()
    dir = tmpdir.new()
    session = abridge.session { profile = "dispatcher", cwd = dir.path }
    session:register {
      name = "plugin",
      execute = function()
        if type(output) == "function" then return output() end
        return output
      end,
    }
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function call(tool, input)
    local result = session:call(tool, input or {})
    abridge.assert_conforms(tool, result)
    assert.is_true(#result.content <= MAX_OUTPUT_BYTES, tool)
    assert.is_true(plain.is_valid_utf8(result.content))
    return result
  end

  --- Bytes that the ceiling's marker says are gone.
  local function bytes_gone(content)
    return tonumber(content:match "\n%.%.%. %[(%d+) bytes truncated; head %+ tail kept%] %.%.%.\n")
  end

  --- The parts of a content around that marker.
  local function halves(content)
    return content:match "^(.-)\n%.%.%. %[%d+ bytes truncated; head %+ tail kept%] %.%.%.\n(.*)$"
  end

  describe("cap_output:", function()
    it("short: is untouched", function()
      give "short"
      local result = call "plugin"
      assert.equal("short", result.content)
      assert.is_nil(result.metadata)
      assert.is_false(result.truncation.truncated)
    end)

    it("at the limit: is untouched", function()
      give(("x"):rep(MAX_OUTPUT_BYTES))
      assert.equal(output, call("plugin").content)
    end)

    it("keeps head and tail", function()
      give("the setup\n" .. ("x"):rep(200000) .. "\nthe outcome")
      local result = call "plugin"
      local head, tail = halves(result.content)
      assert.equal("the setup\n", head:sub(1, 10))
      assert.equal("\nthe outcome", tail:sub(-12))
      assert.is_true(math.abs(#head - #tail) <= 1)
      assert.equal(#output - #head - #tail, bytes_gone(result.content))
    end)

    it("multibyte at the split: never inside a char", function()
      for shift = 0, 3 do
        give(("x"):rep(shift) .. ("\240\159\152\128"):rep(50000))
        local result = call "plugin"
        local head, tail = halves(result.content)
        assert.equal(output:sub(1, #head), head)
        assert.equal(output:sub(-#tail), tail)
        assert.equal(#output - #head - #tail, bytes_gone(result.content))
      end
    end)

    it("barely over: the result is no longer than the limit, marker and all", function()
      give(("x"):rep(MAX_OUTPUT_BYTES + 1))
      local result = call "plugin"
      assert.is_true(#result.content <= MAX_OUTPUT_BYTES)
      local head, tail = halves(result.content)
      assert.equal(#output - #head - #tail, bytes_gone(result.content))
    end)
  end)

  describe("ToolRegistry::run:", function()
    it("overflow: the dispatcher cuts what a tool did not", function()
      give(("line\n"):rep(40000))
      local result = call "plugin"
      assert.same(
        { truncated = true, bytes_returned = #result.content, bytes_total = 200000, reason = "size_cap" },
        result.truncation
      )
      assert.equal(200000, result.metadata.truncated_bytes)
    end)

    it("within cap: nothing is stamped", function()
      give "fine"
      assert.is_nil(call("plugin").metadata)
    end)

    it("unknown tool: is told by the dispatcher", function()
      local result = call "no_such_tool"
      assert.is_true(result.is_error)
      assert.equal("Unknown tool: no_such_tool", result.content)
    end)

    it("byte cap on read: read_file cuts itself between lines, and its footer stays", function()
      dir:write("f", (("x"):rep(199) .. "\n"):rep(1000)) -- 200,000 bytes, no line and no row cap reached
      local result = call("read_file", { path = "f" })
      local last = result.truncation.next_offset - 1
      local notice = ("[Showing lines 1-%d of 1000 (128KB limit). Use offset=%d to continue]"):format(last, last + 1)
      assert.equal(notice, result.content:sub(-#notice))
      assert.is_nil(bytes_gone(result.content))
      assert.same({ truncated_bytes = 200000 }, result.metadata)
    end)

    it("an error is capped like any content", function()
      give(function()
        error(("it went wrong "):rep(20000), 0)
      end)
      local result = call "plugin"
      assert.is_true(result.is_error)
      assert.truthy(bytes_gone(result.content))
      assert.equal(280000, result.metadata.truncated_bytes)
    end)

    it("a later MCP plug-in needs no cap of its own", function()
      give { content = { { type = "text", text = ("a"):rep(100000) }, { type = "text", text = ("b"):rep(100000) } } }
      local head, tail = halves(call("plugin").content)
      assert.is_nil(head:find "[^a]")
      assert.is_nil(tail:find "[^b]")
    end)

    it("output made elsewhere goes the same way", function()
      local result = session:cap("github__search", ("x"):rep(200000))
      abridge.assert_conforms("github__search", result)
      assert.is_true(#result.content <= MAX_OUTPUT_BYTES)
      assert.equal(200000, result.metadata.truncated_bytes)
    end)
  end)

  describe("Two layers, not one:", function()
    it("view shape: read_file shows 2000 lines of 500 chars", function()
      dir:write("f", ("short\n"):rep(2500))
      local result = call("read_file", { path = "f" })
      assert.equal(2000, result.details.cut.output_lines)
      assert.equal("line_cap", result.truncation.reason)
      dir:write("g", ("x"):rep(700) .. "\nsecond\n")
      result = call("read_file", { path = "g" })
      local shown = result.content:sub(1, result.truncation.bytes_returned)
      assert.equal(("x"):rep(500) .. "... [truncated]\nsecond\n", shown)
    end)

    it("view shape: search_files shows 250 rows", function()
      dir:write("f", ("match\n"):rep(400))
      local result = call("search_files", { pattern = "match", path = "f" })
      assert.equal(250, select(2, result.content:gsub("f:%d+: match", "")))
      assert.equal("[250 matches limit reached. Use limit=500 for more, or refine pattern]", result.details.notice)
    end)

    it("view shape: find_files shows 100", function()
      dir:sh "mkdir d && cd d && seq -f 'f%03g' 150 | xargs touch"
      local result = call("find_files", { pattern = "*", path = "d" })
      assert.equal(100, select(2, result.content:gsub("f%d%d%d", "")))
      assert.equal(100, result.details.result_limit_reached)
    end)

    it("byte budget: a pathological grep response stays below the ceiling", function()
      dir:write("f", (("match " .. ("\226\130\172"):rep(600)) .. "\n"):rep(300)) -- 250 rows x 500 chars of 3 bytes
      local result = call("search_files", { pattern = "match", path = "f" })
      assert.equal("size_cap", result.truncation.reason)
      assert.truthy(result.truncation.next_offset)
      assert.is_nil(bytes_gone(result.content))
    end)

    it("byte budget: long paths do not push find_files past it", function()
      local long = ("d"):rep(250)
      dir:sh(
        ("p=%s/%s/%s/%s/%s/%s; mkdir -p $p && cd $p && seq -f '%s%%03g' 100 | xargs touch"):format(
          long,
          long,
          long,
          long,
          long,
          long,
          ("n"):rep(50)
        )
      )
      local result = call("find_files", { pattern = "n*" })
      assert.is_false(result.is_error)
      assert.equal("size_cap", result.truncation.reason) -- 100 paths of 1.5KB
      assert.equal("[128KB limit reached]", result.details.notice)
      assert.is_nil(bytes_gone(result.content))
    end)

    it("byte budget: bash, which has no view of its own", function()
      local result = call("run_command", { command = "seq 50000" })
      assert.equal("1\n2\n3\n", result.content:sub(1, 6))
      local shown = result.content:sub(1, result.truncation.bytes_returned)
      assert.equal("\n49999\n50000\n", shown:sub(-13))
      assert.truthy(bytes_gone(shown)) -- bytes, whatever the tool
    end)
  end)

  describe("Two distinct metadata fields, not one overloaded signal:", function()
    it("truncated_total is the tool's own count", function()
      give { content = "a\nb\nc", total = 250, next_offset = 4 }
      local result = call "plugin"
      assert.same({ truncated_total = 250 }, result.metadata)
    end)

    it("truncated_bytes is the size before the ceiling", function()
      give(("x"):rep(150000))
      assert.same({ truncated_bytes = 150000 }, call("plugin").metadata)
    end)

    it("both layers at once never share a field", function()
      give { content = ("x"):rep(150000), total = 250, next_offset = 101 }
      local result = call "plugin"
      assert.same({ truncated_total = 250, truncated_bytes = 150000 }, result.metadata)
      assert.is_nil(result.truncation.next_offset) -- what is missing lies in the middle
    end)

    it("read by renderers as a field, not parsed from the footer: a text may imitate one", function()
      give "all of it\n... [5 bytes truncated; head + tail kept] ...\n"
      local result = call "plugin"
      assert.equal(output, result.content)
      assert.is_nil(result.metadata)
      assert.is_false(result.truncation.truncated)
    end)
  end)

  it("MAX_OUTPUT_BYTES is 128 KB, and the host's to change", function()
    assert.equal(MAX_OUTPUT_BYTES, abridge.profiles.dispatcher.ceiling.max_bytes)
    session:close()
    session = abridge.session { profile = "dispatcher", ceiling = { max_bytes = "1KB" } }
    local result = session:cap("x", ("x"):rep(5000))
    assert.is_true(#result.content <= KB)
  end)

  it("Out of scope there, not here: the cut output is on disk", function()
    session:close()
    session = abridge.session { profile = "dispatcher", run_dir = dir:at "run" }
    local text = ("line\n"):rep(40000)
    local result = session:cap("x", text)
    assert.equal(text, dir:read("run/artifacts/" .. result.details.full_output_path:match "[^/]*$"))
    assert.equal(("[Full output: %s]"):format(result.details.full_output_path), result.details.notice)
    assert.is_true(#result.content <= MAX_OUTPUT_BYTES)
  end)
end)
