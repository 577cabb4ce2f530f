-- The document "Tools and Truncation", section by section, in the profile "pipeline". Where the contract overrules it:
-- 500 lines less 30 and 70 are 400 (its 370 is a slip), and a notice follows that says where the full output is.
local abridge = require "abridge"
local called = require "support.called"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

--- The document's algorithm, char by char.
local function truncate(text, max_chars, head_ratio)
  if #text <= max_chars then return text end
  local head_size = math.floor(max_chars * head_ratio)
  local tail_size = max_chars - head_size
  local marker = ("\n\n... [%d characters truncated] ...\n\n"):format(#text - head_size - tail_size)
  return text:sub(1, head_size) .. marker .. text:sub(#text - tail_size + 1)
end

local function numbered(first, last)
  return seq(first, last):sub(1, -2)
end

describe("seed pipeline: #few", function()
  local dir, session

  local function open(limits)
    session = abridge.session { profile = "pipeline", cwd = dir.path, run_dir = dir:at "run", limits = limits }
  end

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function call(tool, input)
    return called(session, tool, input)
  end

  --- The content before the notice.
  local function body_of(result)
    return result.content:sub(1, result.truncation.bytes_returned)
  end

  --- One line of n chars, none like its neighbours.
  local function chars(n)
    local parts = {}
    for i = 1, math.ceil(n / 6) do
      parts[i] = ("%06d"):format(i)
    end
    return table.concat(parts):sub(1, n)
  end

  it("The Problem: the failure at the end of 50,000 characters of passing tests is seen", function()
    open()
    local passing = ("ok - a test that passes\n"):rep(2100)
    dir:write("log", "suite started\n" .. passing .. "not ok - the one that fails\n")
    assert.is_true(#passing > 50000)
    local result = call("run_command", { command = "cat log" })
    assert.equal("suite started\n", result.content:sub(1, 14))
    assert.equal("not ok - the one that fails\n", body_of(result):sub(-28))
    assert.is_true(#result.content < 20000)
  end)

  describe("Stage 1: Character-Based Truncation:", function()
    it("50,000 characters, limit 10,000", function()
      open { run_command = { max_chars = 10000, max_lines = false } }
      local text = chars(50000)
      dir:write("f", text)
      local result = call("run_command", { command = "cat f" })
      local marker = "\n\n... [40000 characters truncated] ...\n\n"
      assert.equal(text:sub(1, 3000) .. marker .. text:sub(-7000), body_of(result))
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(50000, result.truncation.bytes_total)
      assert.equal("chars", result.details.cut.truncated_by)
    end)

    it("counts characters, not bytes", function()
      open { run_command = { max_chars = 10, max_lines = false } }
      dir:write("f", ("\226\130\172"):rep(12))
      local result = call("run_command", { command = "cat f" })
      local euro = "\226\130\172"
      assert.equal(euro:rep(3) .. "\n\n... [2 characters truncated] ...\n\n" .. euro:rep(7), body_of(result))
    end)

    it("output within the limit is untouched", function()
      open { run_command = { max_chars = 10000, max_lines = false } }
      dir:write("f", chars(10000))
      assert.equal(chars(10000), call("run_command", { command = "cat f" }).content)
    end)
  end)

  describe("Stage 2: Line-Based Truncation:", function()
    it("500 lines, limit 100: first 30, 400 truncated (the document's 370 is a slip), last 70", function()
      open { run_command = { max_lines = 100 } }
      local result = call("run_command", { command = "seq 500" })
      local expected = numbered(1, 30) .. "\n\n... [400 lines truncated] ...\n\n" .. numbered(431, 500) .. "\n"
      assert.equal(expected, body_of(result))
      assert.equal("line_cap", result.truncation.reason)
      assert.equal(100, result.details.cut.output_lines)
      assert.equal(500, result.details.cut.total_lines)
    end)

    it("works on what stage 1 left", function()
      open { run_command = { max_chars = 1000, max_lines = 100 } }
      local text = numbered(1, 2000) .. "\n"
      dir:write("f", text)
      local result = call("run_command", { command = "cat f" })
      local first_stage = truncate(text, 1000, 0.3)
      local lines = {}
      for line in first_stage:gmatch "([^\n]*)\n" do
        lines[#lines + 1] = line
      end
      -- 30 and 70 lines of the first stage's text, some of them its own
      assert.equal(table.concat(lines, "\n", 1, 30), body_of(result):sub(1, #table.concat(lines, "\n", 1, 30)))
      local tail = table.concat(lines, "\n", #lines - 69) .. "\n"
      assert.equal(tail, body_of(result):sub(-#tail))
      assert.truthy(body_of(result):find(" lines truncated] ...", 1, true))
      assert.equal(2000, result.details.cut.total_lines) -- of the original, also when both stages cut
      assert.equal(#text, result.details.cut.total_bytes)
    end)
  end)

  describe("Per-Tool Limits:", function()
    local TABLE = {
      { "read_file", 50000, 500 },
      { "run_command", 20000, 200 },
      { "list_directory", 10000, 100 },
      { "search_files", 30000, 300 },
    }

    for _, row in ipairs(TABLE) do
      it(("%s: %d characters, %d lines"):format(row[1], row[2], row[3]), function()
        open()
        local limits = session:limits(row[1])
        assert.equal(row[2], limits.max_chars)
        assert.equal(row[3], limits.max_lines)
        assert.equal(0.3, limits.head_ratio)
      end)
    end

    it("implementations can adjust per session", function()
      open { run_command = { max_lines = 7 } }
      assert.equal(7, session:limits("run_command").max_lines)
      assert.equal(20000, session:limits("run_command").max_chars)
      assert.equal(500, session:limits("read_file").max_lines)
    end)

    it("each tool is cut by its own", function()
      open()
      dir:sh "mkdir d && cd d && seq -f 'f%03g' 150 | xargs touch"
      dir:write("f", numbered(1, 600) .. "\n")
      for tool, case in pairs {
        read_file = { { path = "f" }, numbered(1, 150), 100, numbered(251, 600) .. "\n" },
        run_command = { { command = "cat f" }, numbered(1, 60), 400, numbered(461, 600) .. "\n" },
        list_directory = { { path = "d" }, "f001\n", 50, "\nf150" },
        search_files = { { pattern = "", path = "f" }, "f:1: 1\n", 300, "\nf:600: 600" },
      } do
        local result = call(tool, case[1])
        local body = body_of(result)
        assert.equal(case[2], body:sub(1, #case[2]), tool)
        assert.truthy(body:find(("\n\n... [%d lines truncated] ...\n\n"):format(case[3]), 1, true), tool)
        assert.equal(case[4], body:sub(-#case[4]), tool)
        assert.equal(session:limits(tool).max_lines, result.details.cut.output_lines, tool)
      end
    end)
  end)

  describe("Head/Tail Split Algorithm:", function()
    it("is the document's function to the character, for any ratio", function()
      local text = chars(997)
      dir:write("f", text)
      for _, ratio in ipairs { 0, 0.1, 0.25, 0.3, 1 / 3, 0.5, 0.9, 1 } do
        for _, max_chars in ipairs { 1, 10, 99, 996, 997, 5000 } do
          if session then session:close() end
          open { run_command = { max_chars = max_chars, max_lines = false, head_ratio = ratio } }
          local result = call("run_command", { command = "cat f" })
          assert.equal(truncate(text, max_chars, ratio), body_of(result), ("%g of %d"):format(ratio, max_chars))
        end
      end
    end)

    it("head_ratio defaults to 0.3: 30% head, 70% tail", function()
      open { run_command = { max_chars = 100, max_lines = false } }
      dir:write("f", chars(1000))
      local kept = call("run_command", { command = "cat f" }).details.cut.kept
      assert.same({ 30, 70 }, { kept[1].last_byte, kept[2].last_byte - kept[2].first_byte + 1 })
    end)
  end)

  describe("Full Output in Events:", function()
    local result, text

    before_each(function()
      open()
      text = numbered(1, 5000) .. "\n"
      result = call("run_command", { command = "seq 5000" })
      assert.is_true(#result.content < #text)
    end)

    it("stored in the event log", function()
      local events = session:events { type = "tool_result" }
      assert.equal(1, #events)
      assert.equal(result.content, events[1].content) -- what was sent to the model
      assert.equal(#text, events[1].full_output.bytes) -- what it came from
      assert.equal(#text, events[1].bytes_in)
    end)

    it("available in the run directory artifacts", function()
      local path = session:events({ type = "tool_result" })[1].full_output.path
      assert.matches("^artifacts/", path)
      assert.equal(text, dir:read("run/" .. path))
    end)

    it("accessible via the observability API", function()
      session:close()
      local run = abridge.open_run(dir:at "run")
      local content = run:full_output(result.call_id, { offset = 2500, limit = 2 })
      run:close()
      assert.equal("2500\n2501", content)
    end)

    it("also of the tools that list", function()
      dir:sh "mkdir d && cd d && seq -f 'f%03g' 150 | xargs touch"
      local listed = call("list_directory", { path = "d" })
      local full = dir:read("run/artifacts/" .. listed.details.full_output_path:match "[^/]*$")
      assert.equal(150, select(2, full:gsub("[^\n]+", "")))
    end)
  end)

  describe("Truncation Indicators:", function()
    it("headings around both parts, and a marker between them", function()
      open { run_command = { max_lines = 100, indicators = true } }
      local result = call("run_command", { command = "seq 500" })
      local body = body_of(result)
      local head = "[First 30 lines of 500]\n" .. numbered(1, 30) .. "\n"
      assert.equal(head, body:sub(1, #head))
      local tail = "\n[Last 70 lines of 500]\n" .. numbered(431, 500) .. "\n"
      assert.equal(tail, body:sub(-#tail))
      -- 400, where the document's own example says 370
      local marker = "\n\n... [400 lines truncated \226\128\148 full output available in artifacts] ...\n\n"
      assert.truthy(body:find(marker, 1, true))
      local told = result.details.cut.markers
      assert.equal(marker, result.content:sub(told[2].first_byte, told[2].last_byte):sub(1, #marker))
      assert.truthy(result.content:find("Full output: ", 1, true))
    end)

    it("name no artifacts where there are none", function()
      local limits = { max_lines = 100, indicators = true }
      open { run_command = limits, read_file = limits }
      call("run_command", { command = "seq 500 > many" })
      local results = { call("read_file", { path = "many" }) }
      local without = abridge.session { profile = "pipeline", run_dir = false, limits = { run_command = limits } }
      results[2] = without:call("run_command", { command = "seq 500" })
      without:close()
      local own = { strategy = "pipeline", max_lines = 100, indicators = true }
      results[3] = { content = (abridge.cap(numbered(1, 500), own)) }
      results[4] = { content = (abridge.cap(numbered(1, 500), own, { save = "/dev/null/none" })) }
      for _, result in ipairs(results) do
        assert.truthy(result.content:find("\n\n... [400 lines truncated] ...\n\n[Last 70 lines of 500]\n", 1, true))
        assert.is_nil(result.content:find("artifacts", 1, true))
      end
      local kept = abridge.cap(numbered(1, 500), own, { save = dir:at "kept" })
      assert.truthy(kept:find("full output available in artifacts] ...\n\n[Last 70", 1, true))
    end)

    it("lets the model request the full output, via read_file on the artifact", function()
      open()
      local result = call("run_command", { command = "seq 500" })
      local path = result.content:match "Full output: (%S+)%]$"
      local page = call("read_file", { path = path, offset = 201 })
      assert.equal(numbered(201, 500) .. "\n", page.content)
    end)
  end)
end)
