--- `abridge serve`: each method gives what the command of its name prints with --json, whatever a client sends.

local abridge = require "abridge"
local command = require "support.command"
local encode = require "abridge.base.encode"
local history = require "abridge.history"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"

local json = host.json()

describe("abridge serve", function()
  local dir
  local log = ("step\n"):rep(3000) .. "a.c:3: error: no\n" .. ("step\n"):rep(3000)

  --- The answers in what was printed, as a list, and by id where that is a number or a string.
  local function answers(out)
    local list, by_id = {}, {}
    for line in out:gmatch "([^\n]*)\n" do
      local answer = json.decode(line)
      list[#list + 1] = answer
      if type(answer.id) ~= "table" and answer.id ~= json.null then by_id[answer.id] = answer end
    end
    return list, by_id
  end

  --- What is answered to some lines. `--no-save` unless there are flags.
  local function asked(lines, ...)
    local text = type(lines) == "table" and table.concat(lines, "\n") .. "\n" or lines
    local flags = select("#", ...) > 0 and { ... } or { "--no-save" }
    local out, err, code = command.fed(dir, text, "serve", (table.unpack or unpack)(flags))
    assert.same({ "", 0 }, { err, code })
    return answers(out)
  end

  local function request(id, method, params)
    return json.encode { id = id, method = method, params = params }
  end

  local function result_of(method, params, ...)
    local _, by_id = asked({ request(1, method, params) }, ...)
    return by_id[1].result or error(by_id[1].error.message)
  end

  --- What a command prints with --json.
  local function said(text, ...)
    local out, err = command.fed(dir, text, ...)
    assert.equal("", err)
    return json.decode(out)
  end

  setup(function()
    dir = tmpdir.new()
  end)

  teardown(function()
    dir:remove()
  end)

  describe("gives what the command gives", function()
    it("for cap, with limits and how the call ended", function()
      local expected =
        said(log, "cap", "run_command", "--no-save", "--json", "--max-lines", "9", "--exit-code", "2", "--call-id", "c")
      local params = { tool = "run_command", text = log, limits = { max_lines = 9 }, exit_code = 2, call_id = "c" }
      assert.same(expected, result_of("cap", params))
      expected = said(log, "cap", "x", "--no-save", "--json", "--strategy", "pipeline", "--max-lines", "9")
      assert.same(
        expected,
        result_of("cap", { tool = "x", text = log, limits = { strategy = "pipeline", max_lines = 9 } })
      )
      expected = said(log, "cap", "read_file", "--no-save", "--json", "--path", "a b", "--max-bytes", "1KB")
      params = { tool = "read_file", text = log, path = "a b", limits = { max_bytes = "1KB" } }
      assert.same(expected, result_of("cap", params))
      for _, end_of in ipairs { { signal = "TERM" }, { timed_out = true, input = { timeout = 3 } } } do
        local flags = end_of.signal and { "--signal", "TERM" } or { "--timed-out", "--input", '{"timeout":3}' }
        expected = said("x", "cap", "run_command", "--no-save", "--json", (table.unpack or unpack)(flags))
        end_of.tool, end_of.text = "run_command", "x"
        assert.same(expected, result_of("cap", end_of))
      end
    end)

    it("for cut and kind", function()
      local expected = said(log, "cut", "--json", "--max-bytes", "500", "--strategy", "head_tail", "--clean")
      local opts = { max_bytes = 500, strategy = "head_tail", clean = true }
      assert.same(expected, result_of("cut", { text = log, opts = opts }))
      expected = said(log, "cut", "--json", "--profile", "pipeline")
      assert.same(expected, result_of("cut", { text = log, opts = { profile = "pipeline" } }))
      expected = said(log, "kind", "--json")
      assert.same(expected, result_of("kind", { text = log }))
      expected = said(log, "kind", "--json", "--why")
      assert.same(expected, result_of("kind", { text = log, opts = { why = true } }))
    end)

    it("for page and call", function()
      local path = dir:write("a.log", log)
      local expected = said("", "read", path, "--json", "--offset", "5", "--max-lines", "3")
      assert.same(expected, result_of("page", { path = path, opts = { offset = 5, max_lines = 3 } }))
      expected = json.decode((dir:sh(command.line("run", "--no-save", "--json", "--", "echo out; exit 3"))))
      local params = { tool = "run_command", input = { command = "echo out; exit 3" } }
      assert.same(expected, result_of("call", params))
      assert.same("Unknown tool: none", result_of("call", { tool = "none" }).content)
      assert.matches("^Invalid input: ", result_of("call", { tool = "run_command", input = 5 }).content)
      assert.is_true(result_of("page", { path = dir:at "none" }).is_error)
    end)

    it("for fit, with every byte that did not change", function()
      local messages, raw = {}, {}
      for i = 1, 40 do
        local call = ('{"id" : "c%d", "type":"function","function":{"name":"run_command","arguments":"{}"}}'):format(i)
        raw[#raw + 1] = ('{"role":"assistant","content":null,"x":[], "n":1.0,"tool_calls":[ %s ]}'):format(call)
        local content = encode.string(("line %d of an output\n"):format(i):rep(60))
        raw[#raw + 1] = ('{"tool_call_id":"c%d", "y":{},"content":%s,"role" : "tool","u":"\\u00e4"}'):format(i, content)
      end
      for i, text in ipairs(raw) do
        messages[i] = json.decode(text)
      end
      local opts = { format = "openai", max_tokens = 8000 }
      local expected, report = history.fit(messages, opts)
      local line = ('{"params":{"opts":%s, "messages": [%s]},"method":"fit","id":1}'):format(
        json.encode(opts),
        table.concat(raw, " ,\n"):gsub("\n", " ")
      )
      local out = command.fed(dir, line, "serve", "--no-save")
      local given = json.decode(out).result
      assert.same(expected, given.messages)
      assert.is_true(#report.changed > 3)
      for _, key in ipairs { "tokens_before", "tokens_after", "freed", "fits", "first_changed", "changed" } do
        assert.same(report[key], given.report[key], key)
      end
      local went = {}
      for _, i in ipairs(report.changed) do
        went[i] = true
      end
      local at = 1
      for i, text in ipairs(raw) do
        if not went[i] then
          local _, last = out:find(text, at, true)
          assert.is_number(last, text)
          at = last
        end
      end
      assert.matches('"y":{},"content":"%[Removed to save room: [^"]*","role" : "tool","u":"\\u00e4"}', out)
      assert.same({}, result_of("fit", { messages = { { role = "user", content = "a" } }, opts = opts }).report.changed)
    end)

    it("under the options of its session, in its log", function()
      local run = dir:at "run"
      local _, by_id = asked(
        {
          request(1, "cap", { tool = "my_tool", text = log, input = { q = 1 }, exit_code = 4 }),
          request(2, "call", { tool = "run_command", input = { command = "pwd; echo $X; echo secret" } }),
          request(3, "cap", { tool = "my_tool", text = log, limits = { max_lines = 2 } }),
          request(4, "page", { path = "../a" }),
        },
        "--run-dir",
        run,
        "--root",
        dir.path,
        "--session",
        '{"limits":{"my_tool":{"max_lines":5}},"env":{"X":"y"},"redact":["secret"],"approve":null}'
      )
      assert.matches("^%[Showing 5 of 6001 lines", by_id[1].result.notice)
      assert.matches("^%[Showing 2 of 6001 lines", by_id[3].result.notice)
      assert.matches("/abridge%-spec[^\n]*\ny\n%[redacted%]\n$", by_id[2].result.content)
      assert.equal("EOUTSIDE", by_id[4].result.details.error_code)
      local read = abridge.open_run(run)
      local calls = read:events { type = "tool_call" }
      assert.equal(4, #calls)
      assert.equal("exit", read:events({ type = "tool_result" })[1].failure)
      read:close()
    end)
  end)

  describe("answers every line", function()
    it("with its id as it was spelled", function()
      for _, id in ipairs {
        "1.0",
        "12345678901234567890",
        "-0",
        "null",
        "true",
        '"\\u0061\\n"',
        '{"a":[1, 2]}',
        "[ ]",
        '""',
      } do
        local line = '{"id": ' .. id .. ' ,"method":"kind","params":{"text":"x"}}'
        assert.equal('{"id":' .. id .. ',"result":{"kind":"text"}}\n', (command.fed(dir, line, "serve")))
      end
      assert.equal(
        '{"id":null,"result":{"kind":"text"}}\n',
        (command.fed(dir, '{"method":"kind","params":{"text":"x"}}', "serve"))
      )
    end)

    it("with a code and what is wrong, and goes on", function()
      local function cut(opts)
        return request(1, "cut", { text = "x", opts = opts })
      end
      local function cap(params)
        params.tool, params.text = "x", "x"
        return request(1, "cap", params)
      end
      local function fit(messages, opts)
        return request(1, "fit", { messages = messages, opts = opts })
      end
      local openai = { format = "openai", max_tokens = 1 }
      local deep = ("["):rep(100000) .. ("]"):rep(100000)
      local cases, lines =
        {
          { "nonsense", "EJSON", "" },
          { '{"id":1,"id":2,"method":"kind","params":{"text":"x"}}', "EJSON", "a name stands twice" },
          { '{"method":"cap","params":{"tool":"x","text":"a\255b"}}', "EJSON", "" },
          { '{"id":1,"method":"kind"', "EJSON", "" },
          { "[]", "EJSON", "a request is an object" },
          { "5", "EJSON", "a request is an object" },
          { '{"id":1}{"id":2}', "EJSON", "" },
          { deep, "EJSON", "nest" },
          { '{"id":1,"method":"kind","params":{"text":' .. deep .. "}}", "EJSON", "nest" },
          { '{"id":1e999}', "EJSON", "out of range" },
          { "\0{}", "EJSON", "" },
          { "{}", "EINVAL", "method must be a string" },
          { '{"method":5}', "EINVAL", "method must be a string" },
          { '{"method":"kind","params":[]}', "EINVAL", "params must be an object" },
          { '{"method":"kind","params":"x"}', "EINVAL", "params must be an object" },
          { '{"method":"kind","parms":{}}', "EINVAL", 'got "parms"' },
          { '{"method":"kind"}', "EINVAL", "text is missing" },
          { '{"method":"kind","params":{"text":null}}', "EINVAL", "text is missing" },
          { '{"method":"kind","params":{"text":["x"]}}', "EINVAL", "text must be a string" },
          { '{"method":"kind","params":{"text":"x","opts":{"why":1}}}', "EINVAL", "why must be a boolean" },
          { '{"method":"run","params":{}}', "EMETHOD", 'no method "run", only call, cap, cut, fit, kind, page' },
          { '{"method":"' .. ("m"):rep(1e6) .. '"}', "EMETHOD", 'm..."' },
          { cut(nil), "EINVAL", "opts need max_lines" },
          { cut { profile = "none" }, "EINVAL", "unknown profile" },
          { cut { max_lines = "3" }, "EINVAL", "max_lines must be an integer" },
          { cut { max_lines = 1, count_tokens = "os.exit" }, "EINVAL", "count_tokens" },
          { cap { limits = { max_line = 3 } }, "EINVAL", "unknown limit 'max_line'" },
          { cap { exit_code = -1 }, "EINVAL", "exit_code must be an integer" },
          { cap { signal = 9 }, "EINVAL", "signal must be the name of a signal" },
          { cap { call_id = "a\nb" }, "EINVAL", "call_id must be a text of one line" },
          { request(1, "cap", { tool = 5, text = "x" }), "EINVAL", "tool must be a string" },
          { request(1, "call", { input = {} }), "EINVAL", "tool is missing" },
          { request(1, "page", { path = "x", opts = { strategy = "auto" } }), "EINVAL", "strategy must be head, tail" },
          { request(1, "page", { path = 1 }), "EINVAL", "path must be a string" },
          { fit({ "x" }, {}), "EINVAL", "max_tokens" },
          { fit({ "x" }, openai), "EINVAL", "messages%[1%]" },
          { fit({ a = 1 }, openai), "EINVAL", 'key "a"' },
        }, {}
      for i, case in ipairs(cases) do
        lines[i] = case[1] .. "\n\n "
      end
      local list = asked(lines)
      assert.equal(#cases, #list)
      for i, case in ipairs(cases) do
        local answer = list[i].error
        assert.equal(case[2], answer.code, case[1]:sub(1, 80))
        assert.matches(case[3], answer.message)
        assert.is_true(#answer.message < 300)
      end
    end)

    it("in valid UTF-8, whatever bytes were sent", function()
      local list = asked { '{"method":"\255"}', '{"method":"\\u00e4\\ud83d\\ude00"}', '{"id":"\255"}' }
      assert.same({ "EJSON", "EMETHOD", "EJSON" }, { list[1].error.code, list[2].error.code, list[3].error.code })
      assert.matches('"\195\164\240\159\152\128"', list[2].error.message)
    end)

    it("also the last one, without a newline", function()
      local list = asked(request(1, "kind", { text = "x" }) .. "\r\n\n" .. request(2, "kind", { text = "x" }))
      assert.same({ 1, 2 }, { list[1].id, list[2].id })
      assert.equal("", (command.fed(dir, "", "serve")))
    end)

    it("in chunks of any size, over pipes and from files", function()
      local line = request(1, "cap", { tool = "x", text = ("é\n"):rep(3000) })
      dir:write("lines", (line .. "\n"):rep(3))
      local filed = answers(dir:run(command.line("serve", "--no-save") .. " <lines"))
      local piped = answers(dir:run("dd if=lines bs=1 2>/dev/null | " .. command.line("serve", "--no-save")))
      assert.same(filed, piped)
      assert.equal(3, #filed)
    end)
  end)

  it("passes over a line of more than 64 MB", function()
    local last = request(2, "kind", { text = "x" })
    dir:write("last", "\n" .. last .. "\n")
    local script = '{ printf \'{"id":1,"method":"kind","params":{"text":"\'; head -c 70000000 /dev/zero; cat last; } | '
    local list = answers(dir:run(script .. "(ulimit -v 400000; exec " .. command.line "serve" .. ")"))
    assert.same({ "E2BIG", "a line is over 64MB", 2 }, { list[1].error.code, list[1].error.message, list[2].id })
    dir:write("start", '{"id":1,"method":"cut","params":{"opts":{"max_lines":3},"text":"')
    script = "{ cat start; seq 1000000 | tr -d '\\n'; printf '\"}}\\n'; } | " .. command.line "serve"
    assert.matches('^{"id":1,"result', (dir:run(script)))
  end)

  it("answers others while calls run, and waits for all of them in the end", function()
    local lines = {}
    for i = 1, 100 do
      lines[i] =
        request(i, "call", { tool = "run_command", input = { command = "until [ -e go ]; do sleep 0.02; done" } })
    end
    lines[101] = request("touch", "cap", { tool = "x", text = "x" })
    dir:write("lines", table.concat(lines, "\n") .. "\n")
    -- what is answered first lets the calls end
    local script = command.line("serve", "--no-save", "--timeout", "20") .. " <lines | while read -r line; do "
    local list, by_id = answers(dir:run(script .. "touch go; printf '%s\\n' \"$line\"; done"))
    assert.same({ "touch", 101 }, { list[1].id, #list })
    for i = 1, 100 do
      assert.is_false(by_id[i].result.is_error)
    end
  end)

  it("holds no more than it must while nobody takes the answers", function()
    local opts = { strategy = "tail", max_lines = 40000 }
    local line = request(1, "cut", { text = ("a line of text\n"):rep(35000), opts = opts })
    dir:write("lines", (line .. "\n"):rep(120)) -- 67 MB, and as much in answers
    for _, script in ipairs {
      "(ulimit -v 90000; exec %s) <lines | { sleep 0.3; wc -l; }",
      "cat lines | (ulimit -v 90000; exec %s) | { sleep 0.3; wc -l; }",
    } do
      assert.matches("^%s*120\n$", (dir:run(script:format(command.line("serve", "--no-save")))))
    end
  end)

  it("ends as a signal does, with the answers of what it stopped", function()
    local line =
      request(1, "call", { tool = "run_command", input = { command = "echo $$ >pid; echo so far; sleep 60" } })
    dir:write("line", line .. "\n")
    local script = "mkfifo in; { cat line; sleep 5; } >in & %s <in >out & server=$!; "
      .. "until [ -s pid ]; do sleep 0.02; done; sleep 0.2; kill -TERM $server; wait $server; echo $?"
    local out = dir:sh(script:format("exec " .. command.line("serve", "--no-save")))
    assert.equal("143\n", out)
    local _, by_id = answers(dir:read "out")
    assert.equal("so far\n\nCommand aborted", by_id[1].result.content)
    assert.equal(1, (select(3, dir:sh "kill -0 $(cat pid) 2>/dev/null")))
  end)

  it("stops its calls where nobody reads its answers any more", function()
    local lines = { request(1, "call", { tool = "run_command", input = { command = "echo $$ >pid2; sleep 60" } }) }
    for i = 2, 50 do
      lines[i] = request(i, "cap", { tool = "x", text = ("a line\n"):rep(3000) })
    end
    dir:write("lines", table.concat(lines, "\n") .. "\n")
    local script = "{ %s <lines; echo $? >code; } | head -c 9 >/dev/null"
    local _, err = dir:sh(script:format(command.line("serve", "--no-save")))
    assert.matches("^abridge: stdout: ", err)
    assert.equal("1\n", dir:read "code")
    assert.not_equal(0, (select(3, dir:sh "kill -0 $(cat pid2) 2>/dev/null")))
  end)

  it("leaves its pipes as they were", function()
    local script = "{ %s </dev/null; head -c 300000 /dev/zero; } | { sleep 0.3; wc -c; }"
    assert.matches("300000\n$", (dir:run(script:format(command.line "serve"))))
  end)

  it("refuses what is no option, in one line", function()
    for _, case in ipairs {
      { "takes no words", "x" },
      { "%-%-session must be a JSON object", "--session", "[1]" },
      { "unknown option 'foo'", "--session", '{"foo":1}' },
      { "unknown limit", "--session", '{"limits":{"a":{"b":1}}}' },
      { "on_event", "--session", '{"on_event":"x"}' },
      { "takes no %-%-run%-dir", "--no-save", "--run-dir", "x" },
    } do
      local out, err, code = command.fed(dir, "", "serve", (table.unpack or unpack)(case, 2))
      assert.same({ "", 2 }, { out, code })
      assert.matches("^abridge: [^\n]*" .. case[1] .. "[^\n]*\n$", err)
    end
  end)
end)
