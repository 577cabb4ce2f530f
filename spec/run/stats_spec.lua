-- What a run cost: the sums of a session, of its log and of the command, against the blocks themselves.
local abridge = require "abridge"
local host = require "abridge.base.host"
local one_tool = require "support.one_tool"
local random = require "support.random"
local stats = require "abridge.run.stats"
local strings = require "abridge.base.strings"
local tmpdir = require "support.tmpdir"

local PROGRAM = require("support.command").program()
local json = host.json()

---What the fields of all blocks come to, tool by tool, with the plainest code.
local function sums_of(events)
  local tools, all = {}, {}
  local function add(name, key, value)
    tools[name] = tools[name] or {}
    tools[name][key] = (tools[name][key] or 0) + value
    all[key] = (all[key] or 0) + value
  end
  for _, event in ipairs(events) do
    local block, tool = event.truncation, strings.valid(event.tool)
    if event.type == "tool_call" then add(tool, "calls", 1) end
    if event.type == "tool_result" then
      add(tool, "errors", event.is_error and 1 or 0)
      add(tool, "cut", block.truncated and 1 or 0)
      if block.truncated then add(tool, block.reason, 1) end
      add(tool, "bytes_total", block.bytes_total or event.bytes_in)
      add(tool, "bytes_returned", block.bytes_returned)
      add(tool, "bytes_shown", #event.content)
      add(tool, "tokens_shown", abridge.estimate_tokens(event.content))
      add(tool, "duration_ms", event.duration_ms)
    end
  end
  return tools, all
end

local REASONS = { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" }

local function check_row(expected, row, name)
  for key, value in pairs(expected) do
    random.must(
      (row[key] or row.reasons[key]) == value,
      "%s of %s is %s, not %s",
      key,
      name,
      row[key] or row.reasons[key],
      value
    )
  end
  for _, reason in ipairs(REASONS) do
    random.must(row.reasons[reason] == (expected[reason] or 0), "%s of %s", reason, name)
  end
end

local function check_sums(events, sums)
  local tools, all = sums_of(events)
  check_row(all, sums.all, "all")
  for name, expected in pairs(tools) do
    check_row(expected, sums.tools[name], name)
  end
  for name in pairs(sums.tools) do
    random.must(tools[name], "%s was not called", name)
  end
end

---One random call: output of any kind by a random tool, under budgets that cut some of it.
local function random_call(session, dir)
  local text = random.text(400)
  local kind = random.below(8)
  if kind == 0 then
    session:cap(random.choose { "foreign__a", "foreign__b", "\255odd\0" }, text)
  elseif kind == 1 then
    session:call("rows", { total = random.between(1, 40) })
  elseif kind == 2 then
    session:call(random.choose { "no_such_tool", "rows" }, random.choose { "{", { text = 5 } })
  elseif kind == 3 then
    local input = { path = dir:at "file", offset = random.between(1, 60) }
    if random.chance(2) then input.limit = random.between(1, 20) end
    session:call("read_file", random.chance(2) and json.encode(input) or input)
  elseif kind == 4 then
    session:call("fails", { text = text })
  else
    session:call("prints", { text = text })
  end
end

local function random_session(dir, events)
  local session = abridge.session {
    run_dir = dir:at "run",
    limits = {
      prints = { max_bytes = 200, max_lines = 6 },
      read_file = { max_bytes = 300 },
      ["*"] = { max_lines = 3 },
    },
    on_event = function(event)
      events[#events + 1] = event
    end,
  }
  local schema = { type = "object", properties = { text = { type = "string" }, total = { type = "integer" } } }
  local function add(name, execute)
    session:register { name = name, input_schema = schema, execute = execute }
  end
  add("prints", function(input)
    return input.text
  end)
  add("fails", function(input)
    error(input.text, 0)
  end)
  add("rows", function(input)
    return { content = ("row\n"):rep(input.total or 1), total = 100, next_offset = input.total }
  end)
  return session
end

describe("stats", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  it("equal the blocks, to the byte, over 1,000 random calls: of a session and of its log", function()
    if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
    dir:write("file", ("a line of some words\n"):rep(60))
    random.each(1, function()
      local events = {}
      local session = random_session(dir, events)
      for _ = 1, random.some(1000) do
        random_call(session, dir)
      end
      session:close()
      local run = abridge.open_run(dir:at "run")
      local sums = session:stats()
      check_sums(events, sums)
      assert.same(sums, run:stats())
      check_sums(run:events(), run:stats())
      run:close()
    end)
  end)

  it("are those of the session alone where it goes on in a folder; those of the run have all calls", function()
    if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
    for count = 1, 2 do
      local session = abridge.session { run_dir = dir:at "run" }
      session:cap("tool", "text\n")
      assert.equal(1, session:stats().all.calls)
      session:close()
      local run = abridge.open_run(dir:at "run")
      assert.equal(count, run:stats().tools.tool.calls)
      run:close()
      local sums, _, code = run:stats()
      assert.is_nil(sums)
      assert.equal("EBADF", code)
    end
  end)

  it("need no log, and are a copy", function()
    local session = one_tool(function()
      return "one\ntwo\n"
    end, { limits = { max_lines = 1 } })
    session:call("tool", {})
    local sums = session:stats()
    assert.equal(1, sums.tools.tool.cut)
    assert.equal(1, sums.tools.tool.reasons.line_cap)
    assert.equal(8, sums.all.bytes_printed)
    sums.all.calls, sums.tools.tool.reasons.line_cap, sums.tools.other = 9, 9, {}
    assert.equal(1, session:stats().all.calls)
    assert.equal(1, session:stats().tools.tool.reasons.line_cap)
    assert.is_nil(session:stats().tools.other)
  end)

  it("count a call that has not ended", function()
    if not host.uv() then return pending "luv is missing" end
    local session = abridge.session { run_dir = false }
    session:call("run_command", { command = "sleep 60" }, {})
    assert.equal(1, session:stats().all.calls)
    assert.equal(1, session:stats().all.unfinished)
    session:close()
    assert.equal(1, session:stats().all.calls)
    assert.equal(0, session:stats().all.unfinished)
    assert.equal(1, session:stats().all.errors)
  end)

  describe("of pages", function()
    local session
    local LINE = "0123456789abcde\n"

    before_each(function()
      if not host.uv() then return end
      dir:write("file", LINE:rep(100))
      local limits = { read_file = { max_bytes = 20 * #LINE + 100 } }
      session = abridge.session { run_dir = false, cwd = dir.path, limits = limits }
    end)

    local function read(input)
      input.path = "file"
      local result = session:call("read_file", input)
      assert.is_false(result.is_error)
      return result
    end

    local function printed()
      return session:stats().tools.read_file.bytes_printed
    end

    it("count the pages, not the rest of the file, and save nothing", function()
      if not host.uv() then return pending "luv is missing" end
      local offset, pages, shown = nil, 0, 0
      repeat
        local block = read({ offset = offset }).truncation
        offset, pages, shown = block.next_offset, pages + 1, shown + block.bytes_returned
      until not offset
      assert.is_true(pages >= 4)
      assert.equal(shown, printed())
      assert.is_true(shown <= 100 * #LINE and shown > 100 * #LINE - pages)
      assert.equal(pages * 100 * #LINE, session:stats().all.bytes_total)
      assert.is_true(session:stats().all.saved <= 0) -- less the notices
      session:call("read_file", '{"path":"file","offset":51,"limit":2}')
      assert.equal(shown + 2 * #LINE - 1, printed())
    end)

    it("count what a page shows of both ends, and what is between them", function()
      if not host.uv() then return pending "luv is missing" end
      local limits = { read_file = { strategy = "head_tail", max_lines = 10 } }
      session = abridge.session { run_dir = false, cwd = dir.path, limits = limits }
      read {}
      assert.is_true(printed() >= 99 * #LINE and printed() <= 100 * #LINE)
      assert.is_true(session:stats().all.saved > 0)
    end)
  end)

  it("take off what later calls read of full outputs, of the tool that printed them", function()
    if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
    local session = abridge.session { run_dir = dir:at "run" }
    local path = session:call("run_command", { command = "seq 100000" }).details.full_output_path
    local row = session:stats().tools.run_command
    assert.is_true(row.saved > 100000 and row.net == row.saved)
    local again = 0
    for _, call in ipairs {
      { "read_file", { path = path, offset = 50000, limit = 100 } },
      { "run_command", { command = ("sed -n 60000,60100p '%s'"):format(path) } },
      { "read_file", json.encode { path = path } },
    } do
      again = again + abridge.estimate_tokens(session:call(call[1], call[2]).content)
    end
    session:call("run_command", { command = "seq 3" }) -- reads none
    local sums = session:stats()
    assert.is_true(again > 1000)
    assert.equal(sums.tools.run_command.saved - again, sums.tools.run_command.net)
    assert.equal(sums.all.saved - again, sums.all.net)
    assert.equal(sums.tools.read_file.saved, sums.tools.read_file.net)
    session:close()
    local run = abridge.open_run(dir:at "run")
    assert.same(sums, run:stats())
    run:close()
  end)

  it("tell what a plain cut to the same budgets would have shown", function()
    local session = abridge.session {
      run_dir = false,
      limits = { lines = { max_lines = 50 }, bytes = { max_bytes = 1000 }, few = { max_lines = 5, max_bytes = 1000 } },
    }
    for _, name in ipairs { "lines", "bytes", "few", "whole" } do
      session:cap(name, ("0123456789abcde\n"):rep(name == "whole" and 3 or 1000))
    end
    local tools = session:stats().tools
    for name, share in pairs { lines = 50 / 1000, bytes = 1000 / 16000, few = 5 / 1000, whole = 1 } do
      local row = tools[name]
      assert.is_true(math.abs(row.tokens_plain - row.tokens_printed * share) <= 1, name)
    end
  end)

  it("estimate the tokens that were printed by what shows of each call", function()
    local session = abridge.session { run_dir = false, limits = { tool = { max_lines = 10, strategy = "head" } } }
    local text = ("the quick brown fox\n"):rep(500)
    session:cap("tool", text)
    local row, exact = session:stats().all, abridge.estimate_tokens(text)
    assert.is_true(math.abs(row.tokens_printed - exact) < exact / 4, row.tokens_printed .. " of " .. exact)
    session:cap("whole", "some words\n")
    row = session:stats().tools.whole
    assert.equal(row.tokens_shown, row.tokens_printed)
  end)

  it("take up memory for tools, not for calls, and for no more names than a thousand", function()
    local sums = stats.new()
    local function call(name, id)
      local block = { truncated = false, bytes_returned = 2, bytes_total = 2, reason = "size_cap" }
      sums:add { type = "tool_call", tool = name, call_id = id, input = { limit = 3 } }
      sums:add {
        type = "tool_result",
        tool = name,
        call_id = id,
        content = "ab",
        truncation = block,
        bytes_in = 2,
        bytes_shown = 2,
        duration_ms = 1,
      }
    end
    local function after(calls, name_of)
      for i = 1, calls do
        call(name_of(i), "call-" .. i)
      end
      collectgarbage()
      collectgarbage()
      return collectgarbage "count"
    end
    local function one_name()
      return "tool"
    end
    local before = after(100, one_name)
    assert.is_true(after(20000, one_name) - before < 100) -- KB
    after(3000, function(i)
      return "made up " .. i
    end)
    local names, calls = 0, 0
    local result = sums:sums()
    for _, row in pairs(result.tools) do
      names, calls = names + 1, calls + row.calls
    end
    assert.is_true(names <= 1001)
    assert.equal(calls, result.all.calls)
    assert.equal(result.all.calls * 2, result.all.bytes_shown)
  end)

  it("count a result whose start was lost as a call, beside one of its tool that has not ended", function()
    local sums = stats.new()
    sums:add { type = "tool_call", tool = "tool", call_id = "a", input = {} }
    sums:add { type = "tool_result", tool = "tool", call_id = "b", content = "ab" }
    local all = sums:sums().all
    assert.same({ 2, 1 }, { all.calls, all.unfinished })
  end)

  it("bear a log of anyone's", function()
    local sums = stats.new()
    for _, value in ipairs { "text", -1, 1.5, 0 / 0, 1 / 0, {}, true } do
      sums:add {
        type = "tool_result",
        tool = value,
        call_id = value,
        content = value,
        truncation = value,
        cut = value,
        bytes_in = value,
        bytes_shown = value,
        duration_ms = value,
        is_error = value,
      }
      local block = { truncated = true, reason = value, bytes_total = value, bytes_returned = value }
      local cut = { strategy = "head", first_line = value, total_bytes = value, kept = { value } }
      sums:add { type = "tool_result", truncation = block, cut = cut }
      sums:add { type = "tool_call", tool = value, call_id = value, input = { limit = value } }
      sums:add { type = value }
    end
    local all, calls = sums:sums().all, 0
    for _, row in pairs(sums:sums().tools) do
      calls = calls + row.calls
    end
    assert.is_true(all.calls == calls and calls >= 14)
    for key, value in pairs(all) do
      if key ~= "reasons" then assert.is_true(value >= -100 and value <= 100, key) end
    end
  end)

  describe("by abridge log", function()
    local function log(words)
      return dir:sh(PROGRAM .. " log " .. words)
    end

    before_each(function()
      if not (host.uv() and json) then return end
      local session = abridge.session { run_dir = dir:at "run", limits = { ["*"] = { max_lines = 2 } } }
      session:cap("big", ("line\n"):rep(1000))
      session:cap("big", "line\n")
      session:cap("bad\27[2Jname", { content = { { type = "text", text = "no" } }, isError = true })
      session:close()
    end)

    it("are a table, the largest first, with a last row of all", function()
      if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
      local out, err, code = log "run --stats"
      assert.equal("", err)
      assert.equal(0, code)
      local rows = {}
      for line in out:gmatch "[^\n]+" do
        rows[#rows + 1] = line
      end
      assert.equal(4, #rows)
      assert.matches("^TOOL +CALLS +ERRORS +PRINTED +TOKENS +SHOWN +TOKENS +PLAIN +SAVED +NET +TIME +CUT$", rows[1])
      assert.matches("^big +2 +0 +4.9KB +%d+ +%d+B +%d+ +%d+ +9%d%% +9%d%% +%d+ms +1 line_cap$", rows[2])
      assert.matches("^bad%?%[2Jname +1 +1 +2B +1 +2B +1 +1 +0%% +0%% +%d+ms +%-$", rows[3])
      assert.matches("^all +3 +1 +4.9KB ", rows[4])
    end)

    it("are JSON for programs", function()
      if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
      local sums = json.decode((log "run --stats --json"))
      assert.equal(3, sums.all.calls)
      assert.equal(5005, sums.tools.big.bytes_printed)
      assert.equal(1, sums.tools["bad\27[2Jname"].errors)
    end)

    it("go with neither a call nor --follow, and with no other command", function()
      if not (host.uv() and json) then return pending "luv or a JSON library is missing" end
      for _, words in ipairs { "run call-1 --stats", "run --stats --follow", "run --stats=1" } do
        local out, err, code = log(words)
        assert.equal("", out)
        assert.matches("^abridge: .*%-%-stats", err)
        assert.equal(2, code)
      end
    end)
  end)
end)
