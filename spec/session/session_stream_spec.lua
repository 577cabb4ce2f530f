-- Commands on streams: exact totals, the full output on disk, updates, every ending, nothing left open.
local abridge = require "abridge"
local host = require "abridge.base.host"
local hint = require "support.hint"
local merge = require "support.merge"
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local random = require "support.random"
local resources = require "support.resources"
local seq = require "support.seq"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local uv = host.uv()
local json = host.json()

local dir
local folders = 0

--- A session in a new run folder unless told otherwise.
local function open(opts)
  local own = merge({ cwd = dir.path }, opts)
  if own.run_dir == nil then
    folders = folders + 1
    own.run_dir = dir:at("run" .. folders)
  end
  -- a tail shows best what a stream keeps; the lines that a command's own strategy chooses are tested elsewhere
  local limits = { run_command = { strategy = "tail" } }
  for tool, row in pairs(own.limits or {}) do
    limits[tool] = limits[tool] or {}
    for key, value in pairs(row) do
      limits[tool][key] = value
    end
  end
  own.limits = limits
  return assert(opened.session(own))
end

local function with_tool(opts, execute, limits)
  local session = open(opts)
  session:register { name = "tool", execute = execute, limits = limits }
  return session
end

--- The body, and a check that the content is it and what the details say of the rest, in order.
local function body_of(result)
  local body = result.content:sub(1, result.truncation.bytes_returned)
  local details, parts = result.details or {}, {}
  parts[#parts + 1] = details.exit_line
  parts[#parts + 1] = details.notice
  local gap = ""
  if #parts > 0 and body ~= "" then gap = body:sub(-1) == "\n" and "\n" or "\n\n" end
  assert.equal(result.content, body .. gap .. table.concat(parts, "\n\n"))
  return body
end

--- Checks a result of a command whose whole output is known: totals, ledger, body, the file.
local function check_result(result, text)
  local cut = result.details.cut
  assert.equal(#text, cut.total_bytes)
  assert.equal(plain.count_lines(text), cut.total_lines)
  assert.is_nil(plain.ledger_error(cut))
  abridge.assert_conforms("run_command", result)
  local body = body_of(result)
  if cut.strategy == "tail" then
    local range = cut.kept and cut.kept[1]
    local kept = range and text:sub(range.first_byte, range.last_byte) or ""
    if text ~= "" then assert.equal(plain.replaced(kept), body) end
  end
  assert.equal(result.details.full_output_path, cut.full_output_path)
  if cut.full_output_path then
    assert.is_true(cut.truncated or plain.tokens(text) > 160)
    assert.equal(#text, cut.full_output_bytes)
    assert.is_true(paths.read(cut.full_output_path) == text)
    assert.equal("file 600", paths.mode(cut.full_output_path))
    assert.equal("directory 700", paths.mode((cut.full_output_path:match "^(.*)/")))
  end
end

describe("a command's stream #few", function()
  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  describe("keeps the full output", function()
    it("of seq 300000, every byte, and says where", function()
      local run_dir = dir:at "big"
      local result = open({ run_dir = run_dir }):call("run_command", { command = "seq 300000" })
      local text = seq(1, 300000)
      check_result(result, text)
      local path = run_dir .. "/artifacts/0001-run_command.log"
      assert.equal(path, result.details.full_output_path)
      assert.equal(
        seq(298001, 300000) .. "\n[Showing lines 298001-300000 of 300000. Full output: " .. path .. hint .. "]",
        result.content
      )
      assert.equal(300000, result.details.cut.total_lines)
      assert.equal(1988895, result.truncation.bytes_total)
      assert.equal("line_cap", result.truncation.reason)
      assert.equal("directory 700", paths.mode(run_dir))
      assert.same({ "artifacts", "events.jsonl" }, paths.names(run_dir))
    end)

    it("of a cut by bytes", function()
      local session = open { limits = { run_command = { max_bytes = 1000, max_lines = false } } }
      local result = session:call("run_command", { command = "seq 1000" })
      check_result(result, seq(1, 1000))
      assert.is_true(#result.content <= 1000)
      assert.equal("bytes", result.details.cut.truncated_by)
      local said = "(1000B limit). Full output: " .. result.details.full_output_path .. hint .. "]"
      assert.equal(said, result.content:sub(-#said))
    end)

    it("of a cut by lines alone, though every byte is in memory", function()
      local session = open { limits = { run_command = { max_lines = 2 } } }
      local result = session:call("run_command", { command = "seq 5" })
      check_result(result, "1\n2\n3\n4\n5\n")
      assert.equal("lines", result.details.cut.truncated_by)
      local path = result.details.full_output_path
      assert.equal("4\n5\n\n[Showing lines 4-5 of 5. Full output: " .. path .. hint .. "]", result.content)
    end)

    it("of a last line that alone is over budget", function()
      local session = open { limits = { run_command = { max_bytes = 600 } } }
      local result = session:call("run_command", { command = "echo first; printf '%02000d' 7" })
      check_result(result, "first\n" .. ("0"):rep(1999) .. "7")
      assert.matches("%[Showing last %d+B of line 2 %(line is 2KB%)%. Full output: [^%]]+%]$", result.content)
    end)

    it("when only the exit line does not fit", function()
      local limits = { run_command = { max_bytes = 400 } }
      local command = "printf '%0400d' 7"
      local fits = open({ limits = limits }):call("run_command", { command = command })
      assert.is_false(fits.truncation.truncated)
      local session = open { limits = limits }
      local result = session:call("run_command", { command = command .. "; exit 3" })
      assert.is_true(result.truncation.truncated)
      assert.is_true(#result.content <= 400)
      assert.is_string(result.details.full_output_path)
      check_result(result, ("0"):rep(399) .. "7")
      assert.equal("Command exited with code 3", result.details.exit_line)
    end)

    it("when only the notice does not fit", function()
      -- the sentence about the child is longer than what is left
      local session = open { limits = { run_command = { max_bytes = 400 } } }
      local result = session:call("run_command", { command = "printf '%0380d' 7; sleep 60 & echo $! >child" })
      uv.kill(tonumber((dir:read "child")), "sigkill")
      assert.is_true(result.details.background)
      assert.is_true(result.truncation.truncated)
      assert.is_true(#result.content <= 400)
      check_result(result, ("0"):rep(379) .. "7")
      assert.is_string(result.details.full_output_path)
      assert.matches("A background process still holds the output%]$", result.content)
    end)

    it("also when the output fits, if a conversation may drop it, or not if told", function()
      local session = open { run_dir = dir:at "all" }
      local short, long = session:call("run_command", { command = "seq 50" }), { command = "seq 2000; exit 3" }
      assert.is_nil(short.details.full_output_path)
      local whole = session:call("run_command", long)
      assert.is_false(whole.truncation.truncated)
      check_result(whole, seq(1, 2000))
      assert.is_nil(whole.content:find("Full output", 1, true))
      local written = paths.read(whole.details.full_output_path)
      assert.equal(#written, whole.details.cut.full_output_bytes)
      local capped = session:cap("github", ("a line\n"):rep(500))
      assert.equal(("a line\n"):rep(500), paths.read(capped.details.full_output_path))
      local page = session:call("read_file", { path = whole.details.full_output_path })
      assert.is_nil(page.details.full_output_path)

      local bytes = open { run_dir = dir:at "bytes", limits = { run_command = { clean = false, max_bytes = 1500 } } }
      for _, rest in ipairs { "seq 300", "seq 398; exit 1" } do -- whole, and cut for the exit line
        local shown = bytes:call("run_command", { command = "printf 'a\\377b '; " .. rest })
        local kept = paths.read(shown.details.full_output_path)
        assert.truthy(kept:find("a\255b ", 1, true))
        assert.equal(#kept, shown.details.cut.total_bytes)
      end

      local run_dir = dir:at "fits"
      session = open { run_dir = run_dir, keep_outputs = "cut" }
      local commands = { "true", "seq 2000", "printf x", "echo a; exit 3", "head -c 30720 /dev/zero" }
      for _, command in ipairs(commands) do
        local result = session:call("run_command", { command = command })
        assert.is_false(result.truncation.truncated)
        assert.is_nil(result.details.full_output_path)
        assert.is_nil(result.content:find("Full output", 1, true))
      end
      assert.same({ "events.jsonl" }, paths.names(run_dir))
    end)

    it("of both ends", function()
      local session = open { limits = { run_command = { strategy = "head_tail", max_lines = 10 } } }
      local result = session:call("run_command", { command = "seq 100000" })
      check_result(result, seq(1, 100000))
      local path = result.details.full_output_path
      assert.matches("^1\n2\n3\n", result.content)
      local said = "\n100000\n\n[Showing 10 of 100000 lines (10 line limit). Full output: " .. path .. hint .. "]"
      assert.equal(said, result.content:sub(-#said))
    end)

    it("of the start", function()
      local session = open { limits = { run_command = { strategy = "head", max_lines = 10 } } }
      local result = session:call("run_command", { command = "seq 100000" })
      check_result(result, seq(1, 100000))
      assert.equal(seq(1, 10):sub(1, -2), body_of(result))
    end)

    it("of invalid bytes as they came", function()
      local session = open { limits = { run_command = { max_lines = 1, clean = false } } }
      local result = session:call("run_command", { command = "printf 'a\\377\\nb\\376\\n'" })
      assert.equal("b\239\191\189\n", body_of(result))
      assert.equal("a\255\nb\254\n", paths.read(result.details.full_output_path))
    end)

    it("in the pipeline profile, which is no stream", function()
      local session = open { profile = "pipeline" }
      local result = session:call("run_command", { command = "seq 100000" })
      assert.equal(588895, result.details.cut.total_bytes)
      assert.is_true(paths.read(result.details.full_output_path) == seq(1, 100000))
      local said = "Full output: " .. result.details.full_output_path .. "]"
      assert.equal(said, result.content:sub(-#said))
    end)

    it("of no command of a session that writes nothing", function()
      local session = open { run_dir = false }
      local result = session:call("run_command", { command = "seq 300000" })
      check_result(result, seq(1, 300000))
      assert.is_nil(result.details.full_output_path)
      assert.is_nil(result.details.cut.full_output_error)
      assert.equal(seq(298001, 300000) .. "\n[Showing lines 298001-300000 of 300000]", result.content)
    end)
  end)

  it("splits content into body, exit line and notice, whatever the limits", function()
    local words = { "printf a", "echo a", "seq 9", "seq 300", "printf '%0700d' 0", "printf '\\n\\n\\n'", "true" }
    local endings = { "", "; exit 3", "; kill -9 $$" }
    local strategies = { "head", "tail", "head_tail" }
    random.each(60, function()
      local limits = { strategy = random.choose(strategies) }
      limits.max_bytes = random.chance(2) and random.below(900) or false
      limits.max_lines = random.chance(2) and random.below(20) or 2000
      limits.max_chars = random.chance(4) and random.below(900) or nil
      local command = random.choose(words) .. random.choose(endings)
      local run_dir = random.chance(3) and false or nil
      local session = open { limits = { run_command = limits }, run_dir = run_dir, keep_outputs = "cut" }
      local result = session:call("run_command", { command = command })
      local ok, message = pcall(body_of, result)
      random.must(ok, "%s under %s: %s", command, json.encode(limits), message)
      random.must(#result.content <= (limits.max_bytes or math.huge), "%s: %d bytes", command, #result.content)
      abridge.assert_conforms("run_command", result)
      local cut = result.details.cut
      random.must(plain.ledger_error(cut) == nil, "%s: %s", command, plain.ledger_error(cut))
      local kept = cut.truncated and session.opts.run_dir ~= false
      random.must((result.details.full_output_path ~= nil) == kept, "%s under %s", command, json.encode(limits))
    end)
  end)

  describe("of a foreign tool", function()
    local function yields(value, opts, limits)
      local session = with_tool(opts, function()
        return value
      end, limits)
      return session:call("tool", {}), session
    end

    it("does not change what is cut, whether a string or a stream", function()
      local text = seq(1, 5000)
      local as_string = yields(text)
      local session = with_tool(nil, function(_, ctx, done)
        local stream = ctx.stream()
        for at = 1, #text, 777 do
          stream:write(text:sub(at, at + 776))
        end
        done(stream)
      end)
      local as_stream = session:call("tool", {})
      local function same(result)
        return (result.content:gsub("/run%d+/", "/run/"))
      end
      assert.equal(same(as_string), same(as_stream))
      assert.same(as_string.truncation, as_stream.truncation)
      for _, result in ipairs { as_string, as_stream } do
        assert.matches("/artifacts/0001%-tool%.log$", result.details.full_output_path)
        assert.is_true(paths.read(result.details.full_output_path) == text)
        local said = "Full output: " .. result.details.full_output_path .. hint .. "]"
        assert.equal(said, result.content:sub(-#said))
        body_of(result)
      end
    end)

    it("is saved when its own limits cut it", function()
      local result = yields("one\ntwo\nthree\n", nil, { strategy = "head", max_lines = 1 })
      assert.equal("one\ntwo\nthree\n", paths.read(result.details.full_output_path))
      assert.equal(14, result.details.cut.full_output_bytes)
      assert.equal(
        "one\n\n[Showing lines 1-1 of 3. Full output: " .. result.details.full_output_path .. hint .. "]",
        result.content
      )
    end)

    it("is saved when only the ceiling cuts it", function()
      local text = seq(1, 2000)
      local result = yields(text, { ceiling = { max_bytes = 1000 } }, { max_lines = 100000 })
      assert.is_true(#result.content <= 1000)
      assert.is_true(result.details.cut.truncated)
      assert.is_true(result.truncation.truncated)
      assert.equal("size_cap", result.truncation.reason)
      assert.equal(#text, result.metadata.truncated_bytes)
      local path = result.details.full_output_path
      assert.is_true(paths.read(path) == text)
      local said = "[Full output: " .. path .. hint .. "]"
      assert.equal("2000\n\n" .. said, result.content:sub(-#said - 6))
      assert.equal(#result.content - #said - 1, result.truncation.bytes_returned)
      assert.equal(said, result.details.notice)
      assert.matches("^1\n2\n.*bytes truncated; head %+ tail kept%] %.%.%.\n", result.content)
    end)

    it("is within any ceiling, and the details say what is in the content", function()
      for bytes = 0, 400, 7 do
        local result = yields(seq(1, 500), { ceiling = { max_bytes = bytes } }, { max_lines = 100000 })
        assert.is_true(#result.content <= bytes)
        assert.is_string(result.details.full_output_path)
        abridge.assert_conforms("tool", result)
        local said = result.details.notice
        if said then
          assert(result.content:find(said, 1, true), ("ceiling %d: the notice is not in the content"):format(bytes))
          assert.equal(said, result.content:sub(-#said))
        end
        body_of(result)
      end
    end)

    it("is saved once when its limits and the ceiling both cut it", function()
      local text = seq(1, 100000)
      local result = yields(text, { ceiling = { max_bytes = 5000 } })
      assert.is_true(#result.content <= 5000)
      assert.is_true(paths.read(result.details.full_output_path) == text)
      assert.same({ "0001-tool.log" }, paths.names((result.details.full_output_path:match "^(.*)/")))
    end)

    it("is saved when it is an error or was made elsewhere", function()
      local text = seq(1, 5000)
      local session = with_tool(nil, function()
        error(text, 0)
      end)
      local result = session:call("tool", {})
      assert.is_true(result.is_error)
      assert.is_true(paths.read(result.details.full_output_path) == text)
      result = session:cap("github__search", { content = { { type = "text", text = text } } })
      assert.matches("/artifacts/0002%-github__search%.log$", result.details.full_output_path)
      assert.is_true(paths.read(result.details.full_output_path) == text)
    end)

    it("is saved as it came, not as it is shown", function()
      local result = yields("a\255\nb\n", nil, { strategy = "head", max_lines = 1 })
      assert.equal("a\255\nb\n", paths.read(result.details.full_output_path))
    end)

    it("is not saved when it is whole", function()
      local result = yields "short"
      assert.equal("short", result.content)
      assert.is_nil(result.details.full_output_path)
    end)

    it("may have been finished or closed by the tool", function()
      for _, method in ipairs { "finish", "close" } do
        for _, redact in ipairs { false, { "secret" } } do
          local session = with_tool({ redact = redact }, function(_, ctx)
            local stream = ctx.stream()
            stream:write(seq(1, 5000))
            stream[method](stream)
            return stream
          end)
          local result
          assert.has_no.errors(function()
            result = session:call("tool", {})
          end)
          abridge.assert_conforms("tool", result)
          if method == "finish" then
            assert.is_nil(result.details.inner_error)
            assert.equal(5000, result.details.cut.total_lines)
          end
        end
      end
    end)

    it("is not saved over an output that its tool began", function()
      local session = with_tool(nil, function(_, ctx)
        local stream = ctx.stream()
        stream:write(seq(1, 50000))
        return seq(1, 60000)
      end)
      local result = session:call("tool", {})
      local path = result.details.full_output_path
      if path then
        assert.is_true(paths.read(path) == seq(1, 60000))
      else
        assert.is_string(result.details.cut.full_output_error)
        assert.is_nil(result.content:find("Full output:", 1, true))
      end
    end)

    it("may tell any details", function()
      local odd = { 5, true, "x", { total_bytes = "x" }, { full_output_path = 5 }, { kept = 5, truncated = "no" } }
      odd[#odd + 1] = { full_output_path = "/etc/passwd" }
      for i = 1, #odd do
        local result, session = yields { content = "hi", details = { cut = odd[i] } }
        assert.equal("hi", result.content)
        abridge.assert_conforms("tool", result)
        local event = session:events({ type = "tool_result" })[1]
        assert.is_nil(event.full_output) -- a tool's claim is not ours
      end
    end)
  end)

  it("is not what read_file makes: the file is there", function()
    dir:write("long.txt", seq(1, 5000))
    local session = open()
    local result = session:call("read_file", { path = "long.txt" })
    assert.is_true(result.truncation.truncated)
    assert.is_nil(result.details.full_output_path)
    assert.is_nil(result.content:find("Full output", 1, true))
    assert.same({ "events.jsonl" }, paths.names(session.run.dir))
  end)

  it("survives a counter of tokens that raises", function()
    local limits = { run_command = { max_tokens = 100 } }
    limits.run_command.count_tokens = function(text)
      if #text > 0 then error "no tokens today" end
      return 0
    end
    for _, run_dir in ipairs { false, dir:at "counter" } do
      local session = open { limits = limits, run_dir = run_dir }
      local result = session:call("run_command", { command = "echo printed; exit 3" }, {}):wait(20)
      assert(result, "the job never ends")
      assert.is_true(result.is_error)
      assert.matches("printed", result.content)
      assert.equal(3, result.details.exit_code)
      assert.matches("no tokens today", result.details.inner_error)
      abridge.assert_conforms("run_command", result)
    end
  end)

  it("keeps to its lines and chars where a counter of tokens raises", function()
    local counted = { max_tokens = 100, count_tokens = error }
    for key, most in pairs { max_lines = 5, max_chars = 60 } do
      local limits = { tool = { max_tokens = counted.max_tokens, count_tokens = counted.count_tokens, [key] = most } }
      local session = open { limits = limits, run_dir = false }
      local content = session:cap("tool", ("é\n"):rep(500)).content
      assert.matches("omitted%]", content)
      local kept = content:gsub("[^\n]*omitted[^\n]*\n", "")
      assert.is_true(key == "max_chars" and abridge.count_chars(content) <= 60 or abridge.count_lines(kept) == 5)
    end
  end)

  describe("without memory for the last of it", function()
    local core = require "abridge.base.core_loader"
    local open_stream = core.stream

    --- Streams that keep nothing once `fails` says so; what a cleaner or a redaction held back comes after that.
    local function failing(fails)
      core.stream = function(opts)
        local inner = open_stream(opts)
        local stream = {}
        for _, name in ipairs { "read_fd", "preview", "snapshot", "finish", "close" } do
          stream[name] = function(_, ...)
            return inner[name](inner, ...)
          end
        end
        function stream.write(_, chunk)
          if fails(chunk) then return nil, "out of memory", "ENOMEM" end
          return inner:write(chunk)
        end
        return stream
      end
    end

    after_each(function()
      core.stream = open_stream
    end)

    local cases = {
      { { clean = true }, "exit 0", "Output incomplete: out of memory" },
      { { clean = true }, "exit 3", "Command exited with code 3. Output incomplete: out of memory" },
      { { clean = true, output = "auto" }, "exit 0", "Output incomplete: out of memory" },
    }
    for i, case in ipairs(cases) do
      it("says that output is missing, and how it ended: " .. i, function()
        failing(function()
          return true
        end)
        local session = open { run_dir = false, limits = { run_command = case[1] } }
        local result = assert(session:call("run_command", { command = "echo held back; " .. case[2] }, {}):wait(20))
        assert.is_true(result.is_error)
        assert.equal(case[3], result.content)
        assert.equal(i == 2 and 3 or 0, result.details.exit_code)
        abridge.assert_conforms("run_command", result)
      end)
    end

    it("shows what was kept", function()
      failing(function(chunk)
        return chunk:find("\n2000\n", 1, true) -- the last hundred lines are held back
      end)
      for _, redact in ipairs { false, { "no such thing" } } do
        local session = open { run_dir = false, redact = redact or nil, limits = { run_command = { clean = true } } }
        local result = session:call("run_command", { command = "seq 2000" })
        assert.is_true(result.is_error)
        assert.matches("\n1[89]%d%d\n\nOutput incomplete: out of memory$", result.content)
        assert.equal("out of memory", result.details.inner_error)
      end
    end)
  end)

  describe("updates", function()
    local function updated(command, limits, opts)
      local seen = {}
      local session = open { run_dir = false, limits = { run_command = limits } }
      local job = session:call("run_command", { command = command }, {
        on_update = function(content, cut)
          seen[#seen + 1] = { content = content, cut = cut }
          if opts and opts.on_update then opts.on_update(#seen) end
        end,
      })
      return job:wait(60), seen
    end

    it("come while the command runs", function()
      local command = "echo one; until test -e heard; do sleep 0.01; done; echo two; sleep 0.15"
      local result, seen = updated(command, nil, {
        on_update = function(count)
          if count == 1 then dir:write("heard", "") end
        end,
      })
      assert.equal("one\ntwo\n", result.content)
      assert.equal("one\n", seen[1].content)
      assert.equal("one\ntwo\n", seen[#seen].content)
      assert.equal(1, seen[1].cut.total_lines)
    end)

    it("come at most every 100 ms, and each is the cut of what had come", function()
      local before = host.now()
      local result, seen = updated("seq 1 60 | while read i; do seq $((i * 10 - 9)) $((i * 10)); sleep 0.01; done", {
        strategy = "tail",
        max_lines = 7,
        max_bytes = 300,
      })
      local took = host.now() - before
      assert.equal(600, result.details.cut.total_lines)
      assert.is_true(#seen >= 3)
      assert.is_true(#seen <= took / 100 + 2)
      local text = seq(1, 600)
      local last = 0
      for _, update in ipairs(seen) do
        assert.is_true(update.cut.total_bytes > last)
        last = update.cut.total_bytes
        local opts = { max_lines = 7, max_bytes = 300, utf8 = "replace", clean = true }
        local content, cut = abridge.tail(text:sub(1, last), opts)
        assert.equal(content, update.content)
        assert.same(cut, update.cut)
      end
    end)

    it("never come once the job is done, and leave no timer", function()
      local session = open { run_dir = false }
      local handles = resources.handles()
      local after, done = 0, false
      local job = session:call("run_command", { command = "echo one; echo two; sleep 0.02; echo three" }, {
        on_update = function()
          if done then after = after + 1 end
        end,
        on_done = function()
          done = true
        end,
      })
      job:wait(60)
      assert.equal(handles, resources.handles())
      local finished = host.now()
      waiting.eventually(function()
        return host.now() - finished > 150
      end)
      assert.equal(0, after)
    end)

    it("may cancel their job", function()
      local session = open { run_dir = false }
      local job
      job = session:call("run_command", { command = "echo one; exec sleep 60" }, {
        on_update = function()
          job:cancel()
        end,
      })
      assert.equal("one\n\nCommand aborted", job:wait(20).content)
    end)

    it("that raise are told where the host waits, and lose nothing", function()
      local session = open { run_dir = false }
      local job = session:call("run_command", { command = "echo one; sleep 0.15; echo two" }, {
        on_update = function()
          error("in on_update", 0)
        end,
      })
      local ok, message = pcall(job.wait, job, 20)
      assert.is_false(ok)
      assert.equal("in on_update", message)
      assert.equal("one\ntwo\n", job:wait(20).content)
    end)

    --- Runs `fn(ctx)` in a tool that ends later, when delayed updates are due.
    local function late(fn, opts)
      local session = with_tool(opts or { run_dir = false }, function(_, ctx, done)
        fn(ctx)
        local timer = uv.new_timer()
        uv.timer_start(timer, 200, 0, function()
          uv.close(timer)
          done "end"
        end)
        return function() end
      end)
      local job = session:call("tool", {}, { on_update = function() end })
      local ok, result = pcall(job.wait, job, 20)
      if not ok then result = job:wait(20) end -- what was raised is told once, where the host waits
      return result
    end

    it("of a stream that its tool has closed do not end the host", function()
      local result = late(function(ctx)
        local stream = ctx.stream()
        stream:write "x"
        ctx.update(stream)
        ctx.update(stream)
        stream:close()
      end)
      assert.equal("end", result.content)
    end)

    it("of what is no text do not end the host", function()
      local result = late(function(ctx)
        ctx.update "one"
        ctx.update(5)
      end)
      assert.equal("end", result.content)
    end)

    it("under a counter that raises do not end the host", function()
      local calls = 0
      local limits = { max_tokens = 5 }
      function limits.count_tokens(text)
        calls = calls + 1
        if calls > 1 and #text > 40 then error "no tokens today" end
        return #text
      end
      local result = late(function(ctx)
        ctx.update "one"
        ctx.update(("two "):rep(100))
      end, { run_dir = false, limits = { tool = limits } })
      assert.equal("end", result.content)
    end)
  end)

  describe("keeps what was printed so far", function()
    local function so_far(result, exit_line)
      check_result(result, seq(1, 50000))
      assert.is_true(result.is_error)
      assert.equal(exit_line, result.details.exit_line)
      assert.is_string(result.details.full_output_path)
      assert.matches("\n50000\n\n" .. exit_line, result.content)
    end

    it("when it is cancelled", function()
      local job = open():call("run_command", { command = "seq 50000; touch printed; exec sleep 60" }, {})
      assert.is_true(waiting.eventually(function()
        return dir:read "printed" ~= nil
      end))
      job:cancel()
      so_far(job:wait(20), "Command aborted")
      assert.is_true(job.result.details.cancelled)
    end)

    it("when its time is over", function()
      local time
      local result = waiting.with_time(0.3, function(seconds)
        time = seconds
        local result = open():call("run_command", { command = "seq 50000; exec sleep 60", timeout = seconds })
        return result, result.details.cut.total_lines == 50000
      end)
      so_far(result, ("Command timed out after %s seconds"):format(time))
      assert.is_true(result.details.timed_out)
    end)

    it("when it is killed", function()
      so_far(open():call("run_command", { command = "seq 50000; kill -9 $$" }), "Command killed by signal KILL")
    end)

    it("when the session is closed", function()
      local session = open()
      local job = session:call("run_command", { command = "seq 50000; touch ready; exec sleep 60" }, {})
      assert.is_true(waiting.eventually(function()
        return dir:read "ready" ~= nil
      end))
      session:close()
      so_far(job.result, "Command aborted")
    end)
  end)

  it("of many commands leaves no descriptor and no handle", function()
    local session = open { limits = { run_command = { max_lines = 1 } } }
    local commands = { "true", "echo a", "echo a; echo b", "exit 3" }
    local function turn(i)
      local opts = i % 5 == 0 and { on_update = function() end } or {}
      return session:call("run_command", { command = commands[i % 4 + 1] }, opts):wait(20)
    end
    for i = 1, 8 do
      turn(i)
    end
    collectgarbage()
    local descriptors, handles = resources.descriptors(), resources.handles()
    local many = random.some(200)
    for i = 1, many do
      turn(i)
    end
    -- without a collection: what a call opened it has closed itself
    if descriptors > 0 then assert.equal(descriptors, resources.descriptors()) end
    assert.equal(handles, resources.handles())
    assert.equal(8 + many, session.run.calls)
  end)

  it("that cannot be cut properly is closed all the same", function()
    local limits = { run_command = { max_tokens = 100, max_bytes = 1000 } }
    limits.run_command.count_tokens = function()
      error "no tokens today"
    end
    local session = open { limits = limits }
    local descriptors = resources.descriptors()
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 5 do
      session:call("run_command", { command = "seq 50000" }, {}):wait(20)
    end
    local after = resources.descriptors()
    collectgarbage "restart"
    assert.equal(descriptors, after)
  end)

  it("is shown on a screen without a touch to what the model got", function()
    local session = open { limits = { run_command = { strategy = "tail" } } }
    for _, command in ipairs { "seq 300000", "seq 50; exit 3", "true", "printf '%05000d' 1" } do
      local result = session:call("run_command", { command = command })
      local before = json.encode { result.content, result.truncation, result.details }
      local shown = abridge.display(result, { max_lines = 5, width = 40 })
      assert.equal("table", type(result.display))
      assert.equal(before, json.encode { result.content, result.truncation, result.details })
      abridge.assert_conforms("run_command", result)
      if command == "seq 300000" then
        assert.matches("^%.%.%. %(1995 earlier lines%)\n299996\n", shown)
        assert.equal("line_cap", result.display.reason)
      end
    end
  end)
end)
