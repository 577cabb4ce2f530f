-- The list of a run's calls: what its rows say in a window of any width, which calls it has and in what order, and that
-- it follows a run that is being written.
local abridge = require "abridge"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local main_loop = require "support.main_loop"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, the list of a run's calls", function()
    pending "is not there: this host is not Neovim"
  end)
  return
end

local cells = require "abridge.nvim.cells"
local nvim = require "abridge.nvim"
local rows = require "abridge.nvim.log_rows"
local windows = require "support.windows"
local api = vim.api
local lines_of, type_keys = windows.lines_of, windows.type_keys
local eventually, close_all = windows.eventually, windows.close_all

local SHARE = 1 / 4 -- of all that is done, that one callback may do; the machine and the collector of garbage vary

--- The numbers in the rows of the list, in order.
local function numbers(buf)
  local list = {}
  for i, line in ipairs(lines_of(buf)) do
    if i > 1 then list[#list + 1] = line:match "^.%s+(%d+)" end
  end
  return table.concat(list, " ")
end

describe("a row of the list", function()
  local WORDS = { "make ", "-j8 ", "src/", "unit_063", "漢字", "é", "\226\152\131", "x", " ", "'", "%" }

  local function any_call(i)
    local printed = random.below(3) > 0 and random.below(10 ^ (random.below(11) + 1)) or nil
    return {
      index = i,
      number = random.below(10000) + 1,
      tool = random.join(WORDS, random.below(12)),
      input = random.join(WORDS, random.below(60)),
      time = random.below(2) > 0 and 1767952800 + random.below(1e6) or nil,
      at = random.below(4) > 0 and 0 or nil,
      is_error = random.below(2) > 0,
      printed = printed,
      shown = printed and random.below(printed + 1),
      took = random.below(10 ^ random.below(7)),
      note = random.join(WORDS, random.below(20)),
    }
  end

  --- The text of a row from one cell on, so many cells of it.
  local function cut_out(text, first, count)
    local from = core.fit_cells(text, first - 1)
    return text:sub(from + 1, from + core.fit_cells(text:sub(from + 1), count))
  end

  it("fits its window, and its columns stand below their headings", function()
    random.each(300, function()
      local layout = rows.layout(random.below(200) + 60)
      local call = any_call(1)
      local text, marks = rows.row(call, layout, random.below(2) > 0)
      random.must(core.cells(text) < layout.width, "%s cells of %s: %s", core.cells(text), layout.width, text)
      random.must(core.cells(rows.headings(layout)) < layout.width, "the headings of %s", layout.width)
      local at = 1
      for _, column in ipairs(layout.columns) do
        local cell = cut_out(text, at, column.cells)
        if column.name == "number" then
          random.must(cell == (" "):rep(column.cells - #tostring(call.number)) .. call.number, "number %s", cell)
        elseif column.name == "input" and core.cells(call.input) <= column.cells then
          random.must(cell:sub(1, #call.input) == call.input, "input %s is %s", call.input, cell)
        elseif column.name == "printed" and call.printed and call.printed < 1e15 then
          random.must(#cell == column.cells and cell:find "%S$", "printed %s", cell)
        end
        at = at + column.cells + #layout.gap
      end
      local last = 0
      for _, mark in ipairs(marks) do
        random.must(mark.from >= last and mark.to <= #text and mark.from < mark.to, "mark %s-%s", mark.from, mark.to)
        last = mark.to
      end
    end)
  end)

  it("has an input that is cut in its middle to exactly its room", function()
    random.each(300, function()
      local text, room = random.join(WORDS, random.below(40) + 1), random.below(30) + 3
      local shown = cells.middle(text, room)
      if core.cells(text) <= room then return random.must(shown == text, "%s is %s", text, shown) end
      local head, tail = shown:match "^(.*)…(.*)$"
      random.must(head ~= nil, "%s is %s", text, shown)
      random.must(text:sub(1, #head) == head and text:sub(#text - #tail + 1) == tail, "%s is %s", text, shown)
      local count = core.cells(shown)
      random.must(count <= room and count >= room - 3, "%s cells of %s: %s", count, room, shown)
    end)
  end)

  it("shows the share that was left out as a bar", function()
    local function bar(printed, shown, width)
      local call = { number = 1, tool = "t", input = "", at = 0, printed = printed, shown = shown, took = 3 }
      return vim.trim(rows.row(call, rows.layout(width), true):match "B ([^B]*)3ms$")
    end
    assert.equal("██████  99%", bar(1000000, 200, 80))
    assert.equal("███░░░  50%", bar(1000, 500, 80))
    assert.equal("░░░░░░   1%", bar(1000, 990, 80))
    assert.equal("███░░", bar(1000, 500, 60))
    assert.equal("", bar(1000, 1000, 80))
    assert.equal("", bar(1000, 1200, 80))
    vim.o.ambiwidth = "double"
    local ascii = bar(1000, 500, 80)
    vim.o.ambiwidth = "single"
    assert.equal("###---  50%", ascii)
  end)
end)

describe("the list of a run's calls", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    close_all()
    vim.o.columns = 80
    dir:remove()
  end)

  --- A log of events; those of calls get a number and a time.
  local function log_of(events)
    local json, parts = host.json(), {}
    for i, event in ipairs(events) do
      event.seq, event.time = i, 1767952800 + i
      parts[i] = json.encode(event)
    end
    return dir:write("events.jsonl", table.concat(parts, "\n") .. "\n")
  end

  local function call_and_result(id, tool, result)
    result.type, result.call_id, result.tool, result.content = "tool_result", id, tool, result.content or ""
    return { type = "tool_call", call_id = id, tool = tool, input = { command = "of " .. id } }, result
  end

  --- Five calls of two tools, one of them failed.
  local function run_of_five()
    local events = {}
    for i, of in ipairs {
      { "a", 100, 90 },
      { "b", 5000, 100 },
      { "a", 900, 100, true },
      { "b", 50, 50 },
      { "a", 90000, 300 },
    } do
      local call, result = call_and_result(
        i == 4 and "toolu_01" or "call-" .. i,
        of[1],
        { bytes_in = of[2], bytes_shown = of[3], is_error = of[4], duration_ms = i }
      )
      events[#events + 1], events[#events + 2] = call, result
    end
    log_of(events)
    local buf = assert(nvim.log(dir.path))
    eventually(function()
      return #lines_of(buf) == 6
    end)
    return buf
  end

  it("is sorted by number, and with s by what was left out, the cursor on the first call", function()
    local buf = run_of_five()
    assert.equal("1 2 3 4 5", numbers(buf))
    type_keys "4G"
    type_keys "s"
    eventually(function()
      return numbers(buf) == "5 2 3 1 4"
    end, numbers(buf))
    eventually(function()
      return api.nvim_win_get_cursor(0)[1] == 2
    end)
    assert.matches("most left out first", vim.b.abridge_status)
    type_keys "4Gs"
    eventually(function()
      return numbers(buf) == "1 2 3 4 5"
    end)
    eventually(function()
      return api.nvim_win_get_cursor(0)[1] == 2
    end)
  end)

  it("is drawn anew by :edit, the cursor on the same call", function()
    local buf = run_of_five()
    type_keys "s"
    eventually(function()
      return numbers(buf) == "5 2 3 1 4"
    end)
    type_keys "4G"
    vim.cmd "doautocmd <nomodeline> CursorMoved"
    vim.cmd "edit"
    eventually(function()
      return numbers(buf) == "5 2 3 1 4" and api.nvim_win_get_cursor(0)[1] == 4
    end)
    assert.same({ "nofile", false, false }, { vim.bo.buftype, vim.bo.modifiable, vim.bo.modified })
    type_keys "o"
    assert.equal("abridge://result/" .. dir.path:match "[^/]*$" .. "/3", vim.fn.bufname())
    local text = lines_of(0)
    vim.cmd "edit"
    assert.same(text, lines_of(0))
    type_keys "g?"
    text = lines_of(0)
    vim.cmd "edit"
    assert.same(text, lines_of(0))
  end)

  it("has with t the calls of a tool, with e those that failed, with both those of both", function()
    local buf = run_of_five()
    type_keys "3Gt"
    eventually(function()
      return numbers(buf) == "2 4"
    end)
    eventually(function()
      return vim.b.abridge_status:find "^2 of 5 calls  only b  1 failed"
    end)
    type_keys "e"
    eventually(function()
      return numbers(buf) == ""
    end)
    type_keys "t" -- there is no tool under the cursor: that of the filter is given up
    eventually(function()
      return numbers(buf) == "3"
    end)
    eventually(function()
      return vim.b.abridge_status:find "^1 of 5 calls  only errors"
    end)
    type_keys "e"
    eventually(function()
      return numbers(buf) == "1 2 3 4 5"
    end)
  end)

  it("shows calls as they are made, running and ended, in the place where they belong", function()
    local session = abridge.session { run_dir = dir:at "run" }
    session:call("run_command", { command = "echo 1" })
    local job = session:call("run_command", { command = "sleep 60" }, {})
    local buf = assert(nvim.log(dir:at "run"))
    eventually(function()
      return #lines_of(buf) == 3
    end)
    assert.matches("^[|/\\-] +2 run_command +sleep 60 +%d+%.?%d*m?s$", lines_of(buf)[3])
    assert.matches("1 running", vim.b.abridge_status)
    local before = lines_of(buf)[3]
    eventually(function()
      return lines_of(buf)[3] ~= before
    end, "the time of a running call stands still")
    type_keys "G"
    job:cancel()
    job:wait(10)
    session:call("run_command", { command = "echo 3" })
    eventually(function()
      return #lines_of(buf) == 4
    end)
    assert.matches("^x +2 run_command +sleep 60 ", lines_of(buf)[3])
    assert.equal(4, api.nvim_win_get_cursor(0)[1]) -- it was on the last row
    type_keys "gg2Gs"
    session:call("run_command", { command = "seq 100000" })
    eventually(function()
      return numbers(buf):match "^4 "
    end, numbers(buf))
    type_keys "e"
    eventually(function()
      return numbers(buf) == "2"
    end)
    session:call("run_command", { command = "exit 5" })
    eventually(function()
      return numbers(buf) == "2 5"
    end, numbers(buf))
    session:close()
  end)

  it("says of a call whose session has ended that it will get no result", function()
    log_of { { type = "tool_call", call_id = "call-1", tool = "t", input = { path = "x" } } }
    assert(host.uv().fs_chmod(dir.path, 448) and host.uv().fs_chmod(dir:at "events.jsonl", 384))
    vim.o.columns = 160
    local buf = assert(nvim.log(dir.path))
    eventually(function()
      return (lines_of(buf)[2] or ""):find("no result: its session has ended", 1, true)
    end)
    assert.matches("^%? +1 ", lines_of(buf)[2])
    assert.is_nil(vim.b.abridge_status:find("running", 1, true))
  end)

  it("says how many lines of a log are no events", function()
    log_of { { type = "tool_call", call_id = "call-1", tool = "t", input = {} } }
    local log = assert(io.open(dir:at "events.jsonl", "a"))
    log:write("garbage\n", "\0\255{\n", "[1, 2]\n")
    log:close()
    assert(host.uv().fs_chmod(dir.path, 448) and host.uv().fs_chmod(dir:at "events.jsonl", 384))
    vim.o.columns = 160
    assert(nvim.log(dir.path))
    eventually(function()
      return vim.b.abridge_status:find("1 call  3 broken lines left out", 1, true)
    end, vim.b.abridge_status)
  end)

  it("takes the width that its window has", function()
    local buf = run_of_five()
    assert.is_nil(lines_of(buf)[1]:find("RESULT", 1, true))
    vim.o.columns = 200
    eventually(function()
      return lines_of(buf)[1]:find("RESULT", 1, true) ~= nil
    end)
    vim.cmd "vertical split | enew"
    eventually(function()
      return lines_of(buf)[1]:find("RESULT", 1, true) == nil
    end)
    assert.equal("1 2 3 4 5", numbers(buf))
  end)

  it("is shorter than its lines: a log of any strings reads as it would be decoded", function()
    local ODD = { ("x"):rep(500), "\\", '"', "\n", "\1", "漢字", "😀", "\\u00e9", "é", "}" }
    random.each(6, function()
      local content, input = random.join(ODD, 4000), random.join(ODD, 1500)
      local call, result = call_and_result("call-1", "t", { content = content, bytes_in = 7, bytes_shown = 3 })
      call.input = { content = content, query = input:sub(1, random.below(3) * 400) }
      local json = host.json().encode(call):gsub("[\194-\244][\128-\191]+", function(char)
        return random.chance(2) and char == "é" and "\\u00e9" or char == "😀" and "\\ud83d\\ude00" or nil
      end)
      dir:write("events.jsonl", json .. "\n" .. host.json().encode(result) .. "\n")
      local calls = require("abridge.nvim.calls").new(assert(abridge.open_run(dir.path)))
      assert(calls:read(require("abridge.base.time_slices").at_once, function() end))
      random.must(#calls.all == 1 and calls.lines.skipped == 0, "%s calls", #calls.all)
      local whole = require("abridge.nvim.calls").new(assert(abridge.open_run(dir.path)))
      dir:write("events.jsonl", host.json().encode {
        type = "tool_call",
        call_id = "call-1",
        tool = "t",
        input = { query = call.input.query },
      } .. "\n")
      assert(whole:read(require("abridge.base.time_slices").at_once, function() end))
      random.must(calls.all[1].printed == 7 and calls.all[1].shown == 3, "sizes")
      random.must(calls.all[1].input == whole.all[1].input, "input %s, not %s", calls.all[1].input, whole.all[1].input)
    end)
  end)

  it("never holds the editor up, with 10,000 calls and lines of 12 MB #few", function()
    local json, parts = host.json(), {}
    for i = 1, 10000 do
      local call, result = call_and_result("call-" .. i, i % 3 == 0 and "a" or "b", {
        content = ('some "line" of output\n'):rep(i % 100),
        is_error = i % 7 == 0,
        bytes_in = i * 7919 % 1000003,
        bytes_shown = i % 100 * 22,
        duration_ms = i,
      })
      parts[#parts + 1] = json.encode(call) .. "\n" .. json.encode(result) .. "\n"
    end
    local call = call_and_result("call-10001", "write", {})
    call.input = { path = "x", content = ('line "of" text\n\\'):rep(700000) }
    parts[#parts + 1] = json.encode(call) .. "\n"
    dir:write("events.jsonl", table.concat(parts))
    collectgarbage()
    local told = main_loop.time_callbacks(main_loop.processor_time)
    local buf = assert(nvim.log(dir.path))
    eventually(function()
      return #lines_of(buf) == 10002
    end, "the log is not read")
    for keys, count in pairs { s = 10002, e = 1429, t = 3334 } do
      for _, lines in ipairs { count, 10002 } do
        type_keys("4G" .. keys)
        eventually(function()
          return api.nvim_buf_line_count(buf) == lines
        end, keys)
      end
    end
    local times = told()
    print(("  callbacks of a list of 10,000 calls: p99 %.1f ms, at most %.1f ms"):format(times.p99, times.max))
    assert.is_true(times.max <= SHARE * times.total, times.max)
  end)
end)
