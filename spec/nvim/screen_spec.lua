-- What is on Neovim's screen: results, a run's log, full outputs. In other hosts there is nothing to test.
local abridge = require "abridge"
local host = require "abridge.base.host"
local plain = require "support.plain"
local random = require "support.random"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api) then
  describe("inside Neovim, results", function()
    pending "are not on its screen: this host is not Neovim"
  end)
  return
end

local nvim = require "abridge.nvim"
local windows = require "support.windows"
local api = vim.api
local lines_of, type_keys, close_all = windows.lines_of, windows.move, windows.close_all

local function scratch(lines)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, true, lines or {})
  return buf
end

--- What is highlighted in a buffer: "GROUP: text" a part, in order.
local function painted(buf, group)
  local list = {}
  local ns = api.nvim_create_namespace "abridge"
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
    local row, column, details = mark[2], mark[3], mark[4]
    if details.hl_group and (not group or details.hl_group == group) then
      local text = api.nvim_buf_get_lines(buf, row, (details.end_row or row) + 1, false)
      text[#text] = text[#text]:sub(1, details.end_col)
      text[1] = text[1]:sub(column + 1)
      list[#list + 1] = details.hl_group .. ": " .. table.concat(text, "\n")
    end
  end
  return list
end

local function failed_command(session)
  return session:call("run_command", { command = "echo '[Showing 1 of 2 lines]'; seq 100; exit 3" })
end

local notified

--- Do something while notifications go into a list.
local function while_notified(act)
  local notify = vim.notify
  notified = {}
  vim.notify = function(message, level)
    notified[#notified + 1] = { message, level }
  end
  local ok, message = pcall(act)
  vim.notify = notify
  if not ok then error(message, 0) end
  return notified
end

describe("render", function()
  local session

  setup(function()
    local limits = { run_command = { strategy = "priority", max_lines = 6 } }
    session = abridge.session { run_dir = false, limits = limits }
  end)

  teardown(function()
    session:close()
  end)

  it("shows a result at a row, ours in its groups, and text that looks like ours in none", function()
    local buf = scratch { "a", "b" }
    local result = failed_command(session)
    assert.same({ 1, 11 }, { nvim.render(buf, result, { row = 1 }) })
    local lines = lines_of(buf)
    assert.same({ "a", "[Showing 1 of 2 lines]", "b" }, { lines[1], lines[2], lines[#lines] })
    assert.same({
      "AbridgeMarker: ... [95 lines like the one below omitted] ...",
      "AbridgeError: Command exited with code 3",
      "AbridgeNotice: [Showing 6 of 101 lines (6 line limit)]",
    }, painted(buf))
    assert.is_table(result.display)
  end)

  it("shows lines that a screen has no room for, and errors", function()
    local buf = scratch()
    local content = ("abcdefghij"):rep(3) .. "\nb\nc\n"
    assert.same({ 0, 3 }, { nvim.render(buf, { content = content }, { max_lines = 2, width = 20 }) })
    assert.same({ "abcdefghijabcdefg...", "b", "... (1 more line)" }, lines_of(buf))
    assert.same({ "AbridgeMarker: ...", "AbridgeMarker: ... (1 more line)" }, painted(buf))
    buf = scratch()
    nvim.render(buf, session:call("no such tool", {}))
    assert.same({ "AbridgeError: Unknown tool: no such tool" }, painted(buf))
  end)

  it("counts lines that were wrapped", function()
    local buf = scratch()
    local row, count = nvim.render(buf, failed_command(session), { width = 10 })
    assert.equal(0, row)
    assert.equal(count, #lines_of(buf))
  end)

  it("puts what is shown again in place of its own lines, wherever they went", function()
    local buf = scratch { "a", "b" }
    local result = { tool = "t", call_id = "call-1", content = "one\ntwo\n" }
    local other = { tool = "t", call_id = "call-2", content = "other\n" }
    nvim.render(buf, result, { row = 1 })
    nvim.render(buf, other, { row = 3 })
    assert.same({ "a", "one", "two", "other", "b" }, lines_of(buf))
    api.nvim_buf_set_lines(buf, 0, 0, true, { "above", "above" })
    api.nvim_buf_set_lines(buf, 3, 3, true, { "right above" })
    api.nvim_buf_set_lines(buf, 6, 6, true, { "right below" })
    result.content = "1\n2\n3\n4\n"
    assert.same({ 4, 4 }, { nvim.render(buf, result, { row = 0 }) })
    assert.same(
      { "above", "above", "a", "right above", "1", "2", "3", "4", "right below", "other", "b" },
      lines_of(buf)
    )
    other.content = "x\ny\n"
    assert.same({ 9, 2 }, { nvim.render(buf, other) })
    result.content = ""
    assert.same({ 4, 1 }, { nvim.render(buf, result) })
    result.content = "end"
    assert.same({ 4, 1 }, { nvim.render(buf, result) })
    assert.same({ "above", "above", "a", "right above", "end", "right below", "x", "y", "b" }, lines_of(buf))
  end)

  it("keeps the user's part of a line that he joined with ours", function()
    local buf = scratch { "a", "b" }
    local result = { call_id = "call-1", content = "one\ntwo\n" }
    nvim.render(buf, result, { row = 1 })
    api.nvim_buf_set_text(buf, 0, 1, 1, 0, { "" }) -- aone
    api.nvim_buf_set_text(buf, 1, 3, 2, 0, { "" }) -- twob
    assert.same({ "aone", "twob" }, lines_of(buf))
    assert.same({ 1, 1 }, { nvim.render(buf, { call_id = "call-1", content = "three" }) })
    assert.same({ "a", "three", "b" }, lines_of(buf))
  end)

  it("replaces lines and highlights, and those alone", function()
    random.each(40, function()
      local buf, model = scratch { "" }, {}
      local want = {}
      for _ = 1, 12 do
        local what = random.below(3)
        local id = "call-" .. random.below(4)
        if what == 0 then -- the user's own line, anywhere but inside ours
          local row = random.below(#want + 1)
          local inside = row > 0 and want[row] and want[row + 1] and want[row].id and want[row].id == want[row + 1].id
          if not inside and #want > 0 then
            api.nvim_buf_set_lines(buf, row, row, true, { "user" })
            table.insert(want, row + 1, { text = "user" })
          end
        else
          local lines = {}
          for i = 1, random.below(4) + 1 do
            lines[i] = ("%s %d"):format(id, random.below(100))
          end
          local first, count = nvim.render(buf, { call_id = id, is_error = true, content = table.concat(lines, "\n") })
          random.must(count == #lines, "%s lines", count)
          local at = model[id] and 1 or #want + 1
          for i = #want, 1, -1 do
            if want[i].id == id then
              table.remove(want, i)
              at = i
            end
          end
          for i, text in ipairs(lines) do
            table.insert(want, at + i - 1, { text = text, id = id })
          end
          model[id] = true
          random.must(first == at - 1, "at %s, not %s", first, at - 1)
        end
        local texts, marks = {}, {}
        for _, line in ipairs(want) do
          texts[#texts + 1] = line.text
          if line.id then marks[#marks + 1] = "AbridgeError: " .. line.text end
        end
        if #want > 0 then
          random.must(
            table.concat(texts, "|") == table.concat(lines_of(buf), "|"),
            "%s, not %s",
            table.concat(lines_of(buf), "|"),
            table.concat(texts, "|")
          )
          random.must(
            table.concat(marks, "|") == table.concat(painted(buf), "|"),
            "painted %s",
            table.concat(painted(buf), "|")
          )
        end
      end
      api.nvim_buf_delete(buf, { force = true })
    end)
  end)

  it("finds its place again after an undo", function()
    local buf = scratch { "a", "b" }
    vim.cmd("sbuffer " .. buf)
    local function undo_step()
      vim.cmd "let &undolevels = &undolevels" -- closes the step
    end
    undo_step()
    nvim.render(buf, { content = "1\n2\n3", call_id = "k" }, { row = 1 })
    undo_step()
    nvim.render(buf, { content = "4\n5", call_id = "k" })
    undo_step()
    vim.cmd "silent undo"
    assert.same({ "a", "1", "2", "3", "b" }, lines_of(buf))
    nvim.render(buf, { content = "6", call_id = "k" })
    assert.same({ "a", "6", "b" }, lines_of(buf))
    undo_step()
    vim.cmd "silent undo"
    vim.cmd "silent undo"
    assert.same({ "a", "b" }, lines_of(buf))
    assert.same({ 1, 1 }, { nvim.render(buf, { content = "7", call_id = "k" }) })
    assert.same({ "a", "7", "b" }, lines_of(buf))
    vim.cmd "close!"
  end)

  it("takes a key in place of the call's id, and without either shows anew", function()
    local buf = scratch()
    nvim.render(buf, { call_id = "call-1", content = "one" }, { key = "first session" })
    nvim.render(buf, { call_id = "call-1", content = "two" }, { key = "second session" })
    nvim.render(buf, { content = "three" })
    nvim.render(buf, { content = "four" })
    nvim.render(buf, { call_id = "call-9", content = "ONE" }, { key = "first session" })
    assert.same({ "ONE", "two", "three", "four" }, lines_of(buf))
  end)

  it("writes hidden buffers and such as may not be modified, which stay so", function()
    local buf = scratch()
    api.nvim_buf_set_option(buf, "modifiable", false)
    assert.equal(0, (nvim.render(buf, { content = "x" })))
    assert.same({ "x" }, lines_of(buf))
    assert.same({ false, false }, { vim.bo[buf].modifiable, vim.bo[buf].modified })
    assert.equal(0, #vim.fn.win_findbuf(buf))
  end)

  it("takes 0 for the current buffer", function()
    local buf = scratch()
    vim.cmd("sbuffer " .. buf)
    nvim.render(0, { content = "x" })
    assert.same({ "x" }, lines_of(buf))
    vim.cmd "close!"
  end)

  it("says what keeps it from writing", function()
    local buf = scratch()
    assert.same(
      { nil, "Row 9 is past the end of the buffer (1 line)" },
      { nvim.render(buf, { content = "x" }, { row = 9 }) }
    )
    api.nvim_buf_delete(buf, { force = true })
    local row, message = nvim.render(buf, { content = "x" })
    assert.is_nil(row)
    assert.equal(("Buffer %d is not there"):format(buf), message)
    buf = scratch()
    local answer
    function _G.abridge_probe() -- luacheck: ignore 112
      answer = { nvim.render(buf, { content = "x" }) }
      return ""
    end
    vim.cmd "nnoremap <expr> X v:lua.abridge_probe()"
    api.nvim_feedkeys("X", "mx", false)
    vim.cmd "nunmap X"
    _G.abridge_probe = nil -- luacheck: ignore 112
    assert.is_nil(answer[1])
    assert.matches("^E%d+: ", answer[2]) -- no text may be changed now
    local timer = host.uv().new_timer()
    answer = nil
    timer:start(0, 0, function()
      answer = { nvim.render(0, { content = "x" }) }
    end)
    vim.wait(5000, function()
      return answer ~= nil
    end)
    timer:close()
    assert.same({ nil, "Buffers cannot be changed in a fast event: use vim.schedule" }, answer)
  end)

  it("raises on misuse, where the caller is", function()
    local function message(...)
      local args = { n = select("#", ...), ... }
      return plain.misuse(function()
        local row = nvim.render(unpack(args, 1, args.n))
        return row
      end)
    end
    assert.equal("abridge.nvim.render: buf must be the number of a buffer, got nil", message())
    assert.equal("abridge.nvim.render: result must be a result with content, got nil", message(0))
    assert.equal("abridge.nvim.render: unknown option 'line' (value 1)", message(0, { content = "" }, { line = 1 }))
    assert.equal(
      "abridge.nvim.render: row must be an integer from 0 to 2^53, got -1",
      message(0, { content = "" }, { row = -1 })
    )
    assert.equal(
      "abridge.nvim.render: width must be an integer from 1 to 2^53, got 0",
      message(0, { content = "" }, { width = 0 })
    )
    assert.equal(
      "abridge.nvim.run: session must be a session, got nil",
      plain.misuse(function()
        local job = nvim.run(nil, "run_command", {})
        return job
      end)
    )
    assert.equal(
      "abridge.nvim.run: tool must be a string, got 5",
      plain.misuse(function()
        local job = nvim.run(abridge.session { run_dir = false }, 5, {})
        return job
      end)
    )
    assert.equal(
      "abridge.nvim.log: run_dir must be a string, got 5",
      plain.misuse(function()
        local buf = nvim.log(5)
        return buf
      end)
    )
  end)

  it("writes any bytes as lines that Neovim can hold", function()
    random.each(60, function()
      local buf = scratch()
      local content = random.bytes(random.below(200))
      local row, message = nvim.render(buf, { content = content }, { width = random.below(40) + 1 })
      random.must(row == 0, "%s", message)
      for _, line in ipairs(lines_of(buf)) do
        random.must(plain.is_valid_utf8(line) and not line:find "%c", "line %s", line)
      end
      api.nvim_buf_delete(buf, { force = true })
    end)
  end)

  it("links its groups, and leaves those alone that the user has set", function()
    nvim.render(scratch(), { content = "x" })
    assert.matches("links to WarningMsg", vim.fn.execute "highlight AbridgeNotice")
    vim.cmd "highlight AbridgeNotice guifg=#123456"
    nvim.render(scratch(), { content = "x" })
    assert.matches("guifg=#123456", vim.fn.execute "highlight AbridgeNotice")
    vim.cmd "highlight clear"
    for group, link in pairs {
      AbridgeNotice = "WarningMsg",
      AbridgeMarker = "NonText",
      AbridgeError = "ErrorMsg",
      AbridgeRunning = "DiagnosticInfo",
      AbridgeKey = "Identifier",
      AbridgeSuccess = vim.fn.hlexists "DiagnosticOk" == 1 and "DiagnosticOk" or "MoreMsg",
    } do
      assert.matches("links to " .. link, vim.fn.execute("highlight " .. group))
    end
  end)
end)

describe("run", function()
  it("shows what has come so far, then the result, in place", function()
    local session = abridge.session { run_dir = false }
    local dir = tmpdir.new()
    local buf = scratch { "before", "after" }
    local gate, ended = dir:at "gate", nil
    local job = nvim.run(session, "run_command", {
      command = ("echo one; while ! test -e %s; do sleep 0.02; done; echo two; exit 1"):format(tmpdir.quote(gate)),
    }, {
      buf = buf,
      row = 1,
      on_done = function(result, message)
        ended = { result, message, vim.in_fast_event() }
      end,
    })
    assert.is_true(vim.wait(10000, function()
      return lines_of(buf)[2] == "one"
    end, 5))
    assert.same({ "before", "one", "after" }, lines_of(buf))
    assert.is_nil(ended)
    api.nvim_buf_set_lines(buf, 0, 0, true, { "typed meanwhile" })
    dir:write("gate", "")
    assert.is_true(vim.wait(10000, function()
      return ended ~= nil
    end, 5))
    assert.same({ "typed meanwhile", "before", "one", "two", "", "Command exited with code 1", "after" }, lines_of(buf))
    assert.same({ "AbridgeError: Command exited with code 1" }, painted(buf))
    assert.same({ job.result, nil, false }, { ended[1], ended[2], ended[3] })
    session:close()
    dir:remove()
  end)

  it("goes on when its buffer is gone, and says so", function()
    local session = abridge.session { run_dir = false }
    local buf, ended = scratch(), nil
    local job = nvim.run(session, "run_command", { command = "sleep 0.05; echo x" }, {
      buf = buf,
      on_done = function(_, message)
        ended = message
      end,
    })
    api.nvim_buf_delete(buf, { force = true })
    assert.equal("x\n", job:wait(10).content)
    assert.is_true(vim.wait(10000, function()
      return ended ~= nil
    end, 5))
    assert.equal(("Buffer %d is not there"):format(buf), ended)
    session:close()
  end)

  it("shows results of calls that have the same id in places of their own", function()
    local buf = scratch()
    for _ = 1, 2 do
      local session = abridge.session { run_dir = false }
      nvim.run(session, "no such tool", {}, { buf = buf })
      session:close()
    end
    assert.same({ "Unknown tool: no such tool", "Unknown tool: no such tool" }, lines_of(buf))
  end)
end)

describe("a log", function()
  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    close_all()
    dir:remove()
  end)

  --- The list of a run, once it has so many calls.
  local function listed(run_dir, count)
    local buf = assert(nvim.log(run_dir))
    assert.is_true(vim.wait(20000, function()
      return #lines_of(buf) == count + 1
    end, 5))
    return buf
  end

  local function run_of_three()
    local limits = { run_command = { strategy = "priority", max_lines = 10 } }
    local session = abridge.session { run_dir = dir:at "run", limits = limits }
    session:call("run_command", { command = "seq 3000; exit 3" })
    session:call("run_command", { command = "printf 'a\\033[1m\\tb\\n'" })
    session:call("list_directory", { path = "no\1such" })
    session:close()
    return listed(dir:at "run", 3)
  end

  it("lists the calls of a run, a line each", function()
    local lines = lines_of(run_of_three())
    assert.equal(4, #lines)
    assert.matches("^ +# TOOL +INPUT +PRINTED +SHOWN SAVED +TOOK$", lines[1])
    assert.matches("^x +1 run_command +seq 3000; exit 3 +13.6KB +%d+B ██████  9%d%% +%d+ms$", lines[2])
    assert.matches("^ +2 run_command +printf 'a\\…3%[1m\\tb\\n' +4B +4B +%d+ms$", lines[3])
    assert.matches("^x +3 list_directory no^Asuch ", lines[4])
    assert.same({ "AbridgeError: x", "LineNr: 1", "AbridgeError: run_command" }, vim.list_slice(painted(0), 2, 4))
    assert.equal("3 calls  2 failed  Command exited with code 3; 10 of 3000 lines", vim.b.abridge_status)
    assert.is_false(vim.bo.modifiable)
  end)

  it("shows what the model saw, with o", function()
    run_of_three()
    type_keys "o"
    local lines = lines_of(0)
    assert.matches("^%[Showing 10 of 3000 lines %(10 line limit%)%. Full output: ", lines[#lines])
    assert.same(
      { "AbridgeMarker", "AbridgeError", "AbridgeNotice" },
      vim.tbl_map(function(part)
        return part:match "^%a+"
      end, painted(0))
    )
    type_keys "q"
    assert.equal("abridge-log", vim.bo.filetype)
  end)

  it("pages a full output, with Enter: what the model saw is plain, what it did not see is dimmed", function()
    run_of_three()
    type_keys "<CR>"
    local function on_line(text)
      assert.is_true(
        vim.wait(10000, function()
          return vim.fn.getline "." == text
        end, 5),
        text
      )
    end
    assert.equal("abridge-output", vim.bo.filetype)
    assert.equal("1", lines_of(0)[1])
    local function omitted()
      local parts = painted(0, "AbridgeOmitted")
      return table.concat(parts, "\n"):gsub("AbridgeOmitted: ", "")
    end
    assert.matches("^4\n5\n6\n", (omitted()))
    windows.says(0, "line 1 of 3000  0%%  shown to the model")
    type_keys "G"
    on_line "3000"
    windows.says(0, "line 3000 of 3000  100%%  shown to the model")
    local dimmed = omitted()
    assert.is_nil(dimmed:find("2994", 1, true))
    assert.truthy(dimmed:find("2993", 1, true))
    type_keys "[o"
    on_line "4"
    windows.says(0, "line 4 of 3000  0%%  not shown to the model")
    type_keys "]k"
    on_line "2994"
    type_keys "[k"
    on_line "1"
    type_keys "1234G"
    on_line "1234"
    windows.says(0, "line 1234 of 3000")
    type_keys "gg"
    on_line "1"
    type_keys "50%"
    windows.says(0, " 50%%  not shown")
    type_keys "9999G"
    on_line "3000"
    type_keys "ggg/77<CR>"
    on_line "77"
    assert.same({ "77", 1 }, { vim.fn.getline ".", vim.fn.col "." })
    type_keys "gn"
    on_line "177"
    assert.same({ "177", 2 }, { vim.fn.getline ".", vim.fn.col "." })
    type_keys "gN"
    on_line "77"
    assert.same(
      { { "abridge: Not found: 77", vim.log.levels.ERROR } },
      while_notified(function()
        type_keys "gN"
        vim.wait(10000, function()
          return #notified > 0
        end, 5)
      end)
    )
    type_keys "q"
    assert.equal("abridge-log", vim.bo.filetype)
  end)

  --- A run with one call, whose output was cut.
  local function run_of_one(text, cut)
    assert(host.uv().fs_mkdir(dir:at "artifacts", 448))
    dir:write("artifacts/0001-t.log", text)
    cut.truncated, cut.total_bytes, cut.total_lines = true, #text, abridge.count_lines(text)
    dir:write("events.jsonl", host.json().encode {
      type = "tool_result",
      seq = 2,
      time = 1,
      call_id = "call-1",
      tool = "t",
      content = "",
      cut = cut,
      truncation = { truncated = true, reason = "size_cap" },
      full_output = { path = "artifacts/0001-t.log", bytes = #text },
      bytes_in = #text,
      bytes_shown = 0,
      duration_ms = 1,
    } .. "\n")
    listed(dir.path, 1)
  end

  it("shows what a cut of JSON kept inside one line: items, a hundred gaps, and a way to each", function()
    local elements, ranges = {}, {}
    for i = 1, 200 do
      elements[i] = ('{"n": %03d, "name": "element"}'):format(i)
    end
    local text, size = "[" .. table.concat(elements, ",") .. "]", #elements[1] + 1
    for i = 1, 100 do -- the second of every two is left out
      local from = 2 * size * (i - 1) + 1
      ranges[i] = { first_byte = from, last_byte = from + size - 1, first_line = 1, last_line = 1 }
    end
    ranges[101] = { first_byte = #text, last_byte = #text, first_line = 1, last_line = 1 }
    run_of_one(text, {
      strategy = "auto",
      kind = "json",
      output_lines = 1,
      output_bytes = 100 * size + 1,
      kept = ranges,
      items = { { unit = "elements", of = "", total = 200, kept = 100 } },
    })
    assert.equal("1 call  json: 100 of 200 elements, 100 gaps", vim.b.abridge_status)
    type_keys "<CR>"
    local seen = {}
    for _, part in ipairs(painted(0, "AbridgeOmitted")) do
      seen[#seen + 1] = part:match "^AbridgeOmitted: (.*)$"
    end
    local dimmed = table.concat(seen)
    for i = 1, 200 do
      assert.equal(i % 2 == 0, dimmed:find(elements[i], 1, true) ~= nil, elements[i])
    end
    assert.matches("line 1 of 1  0%%  shown to the model  json: 100 of 200 elements", vim.b.abridge_status)
    type_keys "]o"
    assert.matches("  not shown to the model %(gap 1 of 100%)  json: ", vim.b.abridge_status)
    type_keys "68]o"
    assert.matches("  not shown to the model %(gap 69 of 100%)", vim.b.abridge_status)
    assert.equal("138,", vim.fn.getline("."):sub(vim.fn.col "."):match '"n": (%d+,)')
    type_keys "]k"
    assert.equal("139,", vim.fn.getline("."):sub(vim.fn.col "."):match '"n": (%d+,)')
    type_keys "50[k"
    assert.matches("  shown to the model", vim.b.abridge_status)
    assert.equal("039,", vim.fn.getline("."):sub(vim.fn.col "."):match '"n": (%d+,)')
    type_keys "99]k"
    assert.equal("]", vim.fn.getline("."):sub(vim.fn.col "."))
  end)

  it("shows all of a binary as not seen: nothing of it was kept", function()
    local text = "\127ELF\2\1\1" .. ("\0\1\n\200"):rep(500)
    run_of_one(text, { strategy = "auto", kind = "binary", output_lines = 0, output_bytes = 0 })
    assert.equal("1 call  binary: 0B of 2KB", vim.b.abridge_status)
    type_keys "<CR>"
    assert.matches("^%^%?ELF", vim.fn.getline(1))
    assert.matches("not shown to the model  binary: 0B of 2KB", vim.b.abridge_status)
    assert.equal(#lines_of(0), #painted(0, "AbridgeOmitted"))
    type_keys "]k[k]o[oG"
    assert.matches("100%%  not shown to the model", vim.b.abridge_status)
  end)

  it("takes a ledger that no cut made for none", function()
    run_of_one("a\nb\n", { kept = "x", output_bytes = 0, items = { 3 }, kind = {} })
    type_keys "<CR>"
    assert.same({}, painted(0, "AbridgeOmitted"))
    assert.same({ "a", "b" }, lines_of(0))
  end)

  it("pages what the log has of a call whose output was whole", function()
    run_of_three()
    type_keys "j<CR>"
    assert.same({ "a\tb" }, lines_of(0))
    assert.same({}, painted(0))
    assert.matches("line 1 of 1  ", vim.b.abridge_status)
  end)

  it("says what it cannot show, without a trace", function()
    run_of_three()
    os.remove(dir:at "run/artifacts/0001-run_command.log")
    local said = while_notified(function()
      type_keys "<CR>"
      type_keys "gg<CR>"
    end)
    assert.equal(2, #said)
    assert.matches("^abridge: The full output of call%-1 is gone: ", said[1][1])
    assert.same({ "abridge: No call here", vim.log.levels.ERROR }, said[2])
  end)

  it("says so where there is no room for a window, and leaves nothing behind", function()
    local function open_files()
      return #vim.fn.glob("/proc/self/fd/*", true, true)
    end
    local buf = run_of_three()
    local buffers, files = #api.nvim_list_bufs(), open_files()
    vim.o.equalalways, vim.o.winminheight = false, 1
    vim.cmd "resize 1"
    local said = while_notified(function()
      type_keys "gg2j<CR>"
      type_keys "o"
    end)
    vim.o.equalalways = true
    assert.equal(2, #said)
    for _, text in ipairs { said[1][1], said[2][1] } do
      assert.matches("^abridge: There is no room for a window$", text)
    end
    assert.equal(buf, api.nvim_get_current_buf())
    assert.same({ buffers, files }, { #api.nvim_list_bufs(), open_files() })
  end)

  it("lists a long log without holding the editor up", function()
    local json = host.json()
    local parts = {}
    for i = 1, 3000 do
      local id = "call-" .. i
      parts[#parts + 1] = json.encode { type = "tool_call", seq = 2 * i - 1, time = i, call_id = id, tool = "t" }
      parts[#parts + 1] = json.encode {
        type = "tool_result",
        seq = 2 * i,
        call_id = id,
        tool = "t",
        content = ("x"):rep(2000),
        bytes_shown = 2000,
      }
    end
    dir:write("events.jsonl", table.concat(parts, "\n") .. "\n")
    local buf = nvim.log(dir.path)
    assert.is_true(vim.wait(20000, function()
      return #lines_of(buf) == 3001
    end, 5))
    assert.matches("^ +3000 .* 2KB", lines_of(buf)[3001])
  end)
end)

describe("a pager", function()
  local pager = require "abridge.nvim.pager"
  local excerpts = require "abridge.nvim.excerpt"

  after_each(close_all)

  local function open(text, cut)
    return pager.open(windows.source_of(text), { cut = cut })
  end

  it("has the text around wherever it goes, and dims exactly what the model did not see", function()
    local piece, block = excerpts.PIECE, excerpts.BLOCK
    excerpts.PIECE, excerpts.BLOCK = 40, 200
    local ok, message = pcall(random.each, 25, function()
      local text = random.join({ "a", "bc ", "\n", "\n", "\195\169", "\230\188\162", ("long "):rep(20), "\1" }, 300)
      local _, cut = abridge.head_tail(text, { max_bytes = random.below(#text) + 1, snap = "char", head_ratio = 0.5 })
      local seen = open(text, cut)
      for _ = 1, 4 do
        local byte = random.below(#text)
        seen:go(byte)
        local rows = seen.excerpt.rows
        local lines = lines_of(seen.buf)
        random.must(#lines == #rows, "%s lines, %s rows", #lines, #rows)
        local dimmed = {}
        for i, row in ipairs(rows) do
          random.must(lines[i] == row.text, "line %s is %s", i, lines[i])
          for b = row.first + 1, row.first + row.bytes do
            local kept = false
            for _, range in ipairs(cut.kept) do
              kept = kept or b >= range.first_byte and b <= range.last_byte
            end
            if not kept then dimmed[#dimmed + 1] = text:sub(b, b) end
          end
        end
        local shown = {}
        for _, part in ipairs(painted(seen.buf, "AbridgeOmitted")) do
          shown[#shown + 1] = part:gsub("^AbridgeOmitted: ", ""):gsub("\n", "")
        end
        local want = table.concat(dimmed):gsub("\1", "^A")
        random.must(table.concat(shown) == want, "dimmed %s, not %s", table.concat(shown), want)
      end
      vim.cmd "bwipeout"
    end)
    excerpts.PIECE, excerpts.BLOCK = piece, block
    if not ok then error(message, 0) end
  end)

  it("loads as the cursor moves, holds little, and loses nothing", function()
    local seen = open(seq(1, 40000, "line %d"))
    local read = 1
    for _ = 1, 400 do
      vim.cmd "normal! L500j"
      vim.cmd "doautocmd <nomodeline> CursorMoved"
      assert.is_true(vim.wait(20000, function()
        return seen.filling == nil
      end, 1))
      local count = #lines_of(seen.buf)
      local line = tonumber(vim.fn.getline("."):match "%d+")
      assert.is_true(line > read or line == 40000)
      assert.is_true(count <= excerpts.MOST_HELD)
      read = line
      if line == 40000 then break end
    end
    assert.equal("line 40000", vim.fn.getline ".")
    assert.matches("line 40000 of ", vim.b.abridge_status)
  end)

  it("opens 5 GB at once, and goes to both ends and to what the model saw", function()
    local GB = 2 ^ 30
    local dir = tmpdir.new()
    assert(host.uv().fs_mkdir(dir:at "artifacts", 448))
    local fd = assert(host.uv().fs_open(dir:at "artifacts/0001-run_command.log", "w", 384))
    host.uv().fs_ftruncate(fd, 5 * GB)
    host.uv().fs_write(fd, "first\nsecond\n", 0)
    host.uv().fs_write(fd, "\nmiddle\n", 2 * GB)
    host.uv().fs_write(fd, "\nlast\n", 5 * GB - 6)
    host.uv().fs_close(fd)
    local cut = {
      total_lines = 6,
      total_bytes = 5 * GB,
      output_lines = 3,
      kept = {
        { first_byte = 1, last_byte = 6, first_line = 1, last_line = 1 },
        { first_byte = 2 * GB + 2, last_byte = 2 * GB + 8, first_line = 4, last_line = 4 },
        { first_byte = 5 * GB - 4, last_byte = 5 * GB, first_line = 6, last_line = 6 },
      },
    }
    local json = host.json()
    dir:write("events.jsonl", json.encode {
      type = "tool_result",
      seq = 2,
      time = 1,
      call_id = "call-1",
      tool = "run_command",
      content = "",
      cut = cut,
      truncation = { truncated = true, reason = "line_cap" },
      full_output = { path = "artifacts/0001-run_command.log", bytes = 5 * GB },
    } .. "\n")
    local list = nvim.log(dir.path)
    assert.is_true(vim.wait(10000, function()
      return #lines_of(list) == 2
    end, 5))
    local reads, fs_read = 0, host.uv().fs_read
    host.uv().fs_read = function(...)
      reads = reads + 1
      return fs_read(...)
    end
    local ok, message = pcall(function()
      type_keys "<CR>"
      assert.equal("first", vim.fn.getline ".")
      type_keys "G"
      assert.equal("last", vim.fn.getline ".")
      assert.matches("line 6 of 6  100%%  shown", vim.b.abridge_status)
      type_keys "[k"
      assert.equal("middle", vim.fn.getline ".")
      assert.matches("line 4 of 6  40%%  shown", vim.b.abridge_status)
      type_keys "]o"
      assert.equal(("^@"):rep(excerpts.PIECE), vim.fn.getline ".")
      type_keys "50%"
      assert.matches("line %? of 6  50%%  not shown", vim.b.abridge_status)
    end)
    host.uv().fs_read = fs_read
    type_keys "q"
    dir:remove()
    if not ok then error(message, 0) end
    assert.is_true(reads < 400, reads .. " blocks read")
  end)

  it("lets go of its file when its buffer goes, and tells what the file does wrong", function()
    local closed = 0
    pager.open({
      size = 3,
      read = function()
        return "a\nb"
      end,
    }, {
      close = function()
        closed = closed + 1
      end,
    })
    type_keys "q"
    assert.equal(1, closed)
    local said = while_notified(function()
      pager.open({
        size = 3,
        read = function()
          return nil, "EIO: i/o error"
        end,
      }, {})
    end)
    assert.same({ { "abridge: EIO: i/o error", vim.log.levels.ERROR } }, said)
  end)

  it("shows an empty text as an empty buffer", function()
    local seen = open ""
    assert.same({ "" }, lines_of(seen.buf))
    type_keys "Ggg]k[o50%"
    assert.same({ "" }, lines_of(seen.buf))
  end)
end)

describe(":Abridge", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    nvim.session():close()
    dir:remove()
  end)

  after_each(close_all)

  it("is made by setup or the plugin file, not by require", function()
    pcall(api.nvim_del_user_command, "Abridge")
    for _, module in ipairs { "abridge.nvim", "abridge.nvim.command", "abridge.nvim.log", "abridge.nvim.pager" } do
      require(module)
    end
    assert.equal(0, vim.fn.exists ":Abridge")
    vim.g.loaded_abridge = true
    vim.cmd "source plugin/abridge.lua"
    assert.equal(0, vim.fn.exists ":Abridge")
    vim.g.loaded_abridge = nil
    vim.cmd "source plugin/abridge.lua"
    assert.equal(2, vim.fn.exists ":Abridge")
    api.nvim_del_user_command "Abridge"
    local limits = { run_command = { strategy = "priority", max_lines = 4 } }
    nvim.setup { session = { run_dir = dir:at "run", limits = limits } }
    assert.equal(2, vim.fn.exists ":Abridge")
    assert.equal(
      "abridge.nvim.setup: unknown option 'sesion' (value table)",
      plain.misuse(function()
        nvim.setup { sesion = {} }
      end)
    )
  end)

  it("run shows the output of a command, then the notice; log lists it", function()
    vim.cmd "Abridge run seq 50 | sed 's/^/n /'"
    local buf = api.nvim_get_current_buf()
    assert.is_true(vim.wait(10000, function()
      return #painted(buf) == 2
    end, 5))
    local lines = lines_of(buf)
    assert.equal("$ seq 50 | sed 's/^/n /'", lines[1])
    assert.same({ "n 1", "n 2" }, { lines[2], (lines[3]:gsub("^%.%.%..*", "n 2")) })
    assert.matches("^AbridgeNotice: %[Showing 4 of 50 lines", painted(buf)[2])
    vim.cmd "Abridge log"
    assert.is_true(vim.wait(10000, function()
      return #lines_of(0) == 2
    end, 5))
    assert.matches("run_command +seq 50", lines_of(0)[2])
    assert.equal("abridge://log/run", vim.fn.bufname())
  end)

  it("run ends the command when its buffer goes", function()
    local _, job = require("abridge.nvim.command_window").command "echo started; sleep 60"
    vim.cmd "bwipeout"
    assert.matches("Command aborted", job:wait(10).content)
  end)

  it("tells what is wrong, without a trace", function()
    local said = while_notified(function()
      vim.cmd "Abridge"
      vim.cmd "Abridge rum x"
      vim.cmd "Abridge run"
      vim.cmd("Abridge log " .. vim.fn.fnameescape(dir:at "nothing"))
    end)
    local usage = "abridge: usage: :Abridge run [COMMAND], :Abridge log [RUN_DIR], :Abridge pick, "
      .. ":Abridge quickfix [CALL] or :Abridge install [FILE]"
    assert.same({ "abridge: No command has been run yet", vim.log.levels.ERROR }, table.remove(said, 3))
    for i = 1, 2 do
      assert.same({ usage, vim.log.levels.ERROR }, said[i])
    end
    assert.matches("^abridge: No run in .*/nothing: it has no events.jsonl$", said[3][1])
    assert.equal(3, #said)
  end)

  it("completes subcommands, folders, programs and files", function()
    assert.same({ "install", "log", "pick", "quickfix", "run" }, windows.completed "")
    assert.same({ "run" }, windows.completed "r")
    assert.same(
      { "lua/abridge/nvim/", "lua/abridge/tools/" },
      vim.tbl_filter(function(name)
        return name:find "^lua/abridge/[nt]" ~= nil
      end, windows.completed "log lua/abridge/")
    )
    assert.truthy(vim.tbl_contains(windows.completed "run ls", "ls"))
    assert.same({ "LICENSE" }, windows.completed "run ls LIC")
    assert.same({}, windows.completed "nothing x")
  end)

  it("log finds the newest run of the state directory, where the editor has none of its own", function()
    local fresh_path = require("abridge.run.folder").fresh_path
    local newest = require("abridge.run.folder").newest
    local saved = os.getenv "ABRIDGE_STATE_DIR"
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    local ok, message = pcall(function()
      assert.is_nil(newest())
      for _, word in ipairs { "older", "newer" } do
        local session = abridge.session { run_dir = fresh_path() }
        session:call("run_command", { command = "echo " .. word })
        session:close()
      end
      host.uv().fs_mkdir(dir:at "state/notes", 448)
      local buf = nvim.log(newest())
      assert.is_true(vim.wait(10000, function()
        return (lines_of(buf)[2] or ""):find "echo newer" ~= nil
      end, 5))
    end)
    vim.env.ABRIDGE_STATE_DIR = saved
    if not ok then error(message, 0) end
  end)
end)
