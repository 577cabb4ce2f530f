-- Redaction in sessions: what the redactor hides is nowhere the model, the log, the disk or the host's screen sees it.
local abridge = require "abridge"
local host = require "abridge.base.host"
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local random = require "support.random"
local redacting = require "support.redacting"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"

local json = host.json()

local dir

local SECRET = "hunter2-Zq9"
local MARK = redacting.MARK

--- The same redaction in both kinds.
local KINDS = {
  { "a function", redacting.hider(SECRET) },
  { "patterns", { "hunter2%-Zq9" } },
}

--- A session in a new run folder, and all that its host hears.
local function open(opts)
  return redacting.session(dir, opts)
end

--- Where a value shows the secret, or a part of it of `least` bytes; nil when it does not.
local function leak(value, least)
  return redacting.leak(value, redacting.parts_of(SECRET, least))
end

local function leak_on_disk(session, least)
  return redacting.leak_on_disk(session, redacting.parts_of(SECRET, least))
end

--- Checks everything that a call left.
local function assert_hidden(result, session, seen, least)
  local found = leak({ result, seen }, least) or leak_on_disk(session, least)
  assert(not found, found)
  assert(not leak(session:events(), least))
end

local function run(session, command, on_update)
  return session:call("run_command", { command = command }, { on_update = on_update }):wait(60)
end

describe("a redacting session #few", function()
  setup(function()
    dir = tmpdir.new()
  end)

  after_each(opened.close)

  teardown(function()
    dir:remove()
  end)

  for _, kind in ipairs(KINDS) do
    local name, redact = kind[1], kind[2]

    describe("with " .. name, function()
      it("hides a secret that a command prints, wherever it goes, and runs the real command", function()
        local session, seen = open { redact = redact, limits = { run_command = { max_lines = 3, strategy = "tail" } } }
        local result = run(session, ("seq 100; echo 'key=%s.'; printf %%s '%s' >real; echo end"):format(SECRET, SECRET))
        assert_hidden(result, session, seen)
        assert.equal(SECRET, dir:read "real")
        assert.matches("100\nkey=%[redacted%]%.\nend\n\n", result.content)
        assert.matches("key=%[redacted%]%.\nend\n$", paths.read(result.details.full_output_path))
        assert.matches("echo 'key=%[redacted%]%.'", seen[1].input.command)
      end)

      it("speaks of the redacted text in ledger and totals", function()
        local session = open { redact = redact, limits = { run_command = { max_lines = 2, strategy = "tail" } } }
        dir:write("keys", ("a %s b\n"):format(SECRET):rep(1000))
        local result = run(session, "cat keys")
        local text = ("a %s b\n"):format(MARK):rep(1000)
        local cut = result.details.cut
        assert.equal(#text, cut.total_bytes)
        assert.equal(#text, result.truncation.bytes_total)
        assert.equal(#text, cut.full_output_bytes)
        assert.is_true(paths.read(cut.full_output_path) == text)
        assert.is_nil(plain.ledger_error(cut))
        assert.equal(#text - 2 * (#MARK + 5), cut.omitted_bytes)
        assert.equal(#text, session:events({ type = "tool_result" })[1].bytes_in)
        assert.equal(text:sub(cut.kept[1].first_byte, cut.kept[1].last_byte), result.content:sub(1, 2 * (#MARK + 5)))
        local _, info = session:full_output "call-1"
        assert.equal(#text, info.total_bytes)
      end)

      it("hides a secret that comes in pieces, from updates too", function()
        local pieces = {}
        for at = 1, #SECRET, 4 do
          pieces[#pieces + 1] = ("printf %%s '%s'; sleep 0.12"):format(SECRET:sub(at, at + 3))
        end
        local command = ("printf 'one\\nkey='; %s; echo; echo two"):format(table.concat(pieces, "; "))
        local limits = { run_command = { max_lines = 2, strategy = "tail" } }
        local session, seen = open { redact = redact, limits = limits }
        local updates = {}
        local result = run(session, command, function(content, cut)
          updates[#updates + 1] = { content, cut }
        end)
        assert.matches("^key=%[redacted%]\ntwo\n", result.content)
        assert.is_true(#updates >= 2)
        assert.is_nil(leak(updates, 3)) -- not a part of it either
        seen[1].input = nil -- the command has its pieces, which are no secret
        assert.is_nil(leak(result, 5))
        assert.is_nil(leak(seen, 5))
        assert.equal("one\nkey=[redacted]\ntwo\n", paths.read(result.details.full_output_path))
      end)

      it("hides a secret at any place around the border of a piece of a long line (" .. random.seed .. ")", function()
        local session, seen = open { redact = redact }
        local places = {}
        for _, border in ipairs { 65536, 65536 + 256, 131072 } do
          for _ = 1, 6 do
            places[#places + 1] = border - random.below(2 * #SECRET) + #SECRET
          end
        end
        random.each(#places, function(case)
          local at = places[case]
          dir:write("line", ("x"):rep(at - 1) .. SECRET .. ("y"):rep(70000) .. "\nend\n")
          -- read by any pieces
          local blocks = random.choose { 1000, 4093, 65536, 65537 }
          local result = run(session, ("dd if=line bs=%d 2>/dev/null"):format(blocks))
          random.must(leak(result) == nil, "a secret at %d in %s", at, leak(result) or "")
          local text = paths.read(result.details.full_output_path)
          random.must(not leak(text), "a secret at %d on disk", at)
          local expected = ("x"):rep(at - 1) .. MARK .. ("y"):rep(70000) .. "\nend\n"
          random.must(text == expected, "at %d: %d bytes, not %d", at, #text, #expected)
          random.must(result.details.cut.total_bytes == #expected, "at %d", at)
        end)
        assert.is_nil(leak(seen))
      end)

      it("hides a secret from a tool cut short, whatever the budget", function()
        for bytes in random.sweep(0, 120, 3) do
          local session, seen = open { redact = redact, ceiling = { max_bytes = bytes } }
          local text = ("a %s b %s\n"):format(SECRET, SECRET):rep(8)
          assert_hidden(session:cap("tool", text), session, seen, 7)
          dir:write("keys", text)
          assert_hidden(run(session, "cat keys"), session, seen, 7)
        end
      end)

      it("hides a secret in what a tool yields, raises or tells", function()
        local values = {
          SECRET,
          { content = "key " .. SECRET, is_error = true },
          { content = "x", details = { deep = { [SECRET] = { SECRET } } } },
          { content = "x", next_offset = 5, resume_hint = "call tool with key=" .. SECRET },
          { content = { { type = "text", text = SECRET }, { type = "text", text = SECRET } } },
          { SECRET },
          { [SECRET] = 1 },
        }
        for i = 1, #values do
          local session, seen = open { redact = redact }
          session:register {
            name = "gives",
            execute = function()
              return values[i]
            end,
          }
          session:register {
            name = "raises",
            execute = function()
              error(values[i], 0)
            end,
          }
          assert_hidden(session:call("gives", {}), session, seen)
          assert_hidden(session:call("raises", {}), session, seen)
          assert_hidden(session:cap("made_elsewhere", values[i]), session, seen)
        end
      end)

      it("hides a secret in text parts that are no plain text", function()
        local session, seen = open { redact = redact }
        local value = { content = { { type = "resource", resource = { uri = "a:b", text = "key " .. SECRET } } } }
        local result = session:cap("tool", value)
        assert_hidden(result, session, seen)
        assert.equal("a:b", result.blocks[1].resource.uri)
        assert.equal(SECRET, value.content[1].resource.text:sub(-#SECRET)) -- the host's own value is its own
      end)

      it("tells of an input that would fit once it is redacted no more than that it does not fit", function()
        local session = open {
          redact = function(line)
            return (line:gsub("hunter2%-Zq9", "7"))
          end,
        }
        session:register {
          name = "tool",
          input_schema = { type = "object", properties = { n = { type = "integer" } } },
          execute = function()
            error "was called"
          end,
        }
        local result = session:call("tool", { n = SECRET })
        assert.is_true(result.is_error)
        assert.equal("Invalid input: it does not fit the tool's schema", result.content)
      end)

      it("hides a secret in an input, whatever is wrong with it; the tool gets the real one", function()
        local got = {}
        local session, seen = open {
          redact = redact,
          approve = function(_, input)
            got[#got + 1] = input
            if input.deny then return false, "no " .. SECRET end
            return true
          end,
        }
        session:register {
          name = "tool",
          input_schema = { type = "object", properties = { n = { type = "integer" }, s = { enum = { "a" } } } },
          execute = function(input)
            got[#got + 1] = input
            return "done"
          end,
        }
        local inputs = {
          { key = SECRET, deep = { [SECRET] = { "x " .. SECRET } } },
          { deny = true, key = SECRET },
          { n = SECRET },
          { s = SECRET },
          json.encode { key = SECRET },
          '{"key": "' .. SECRET,
          SECRET,
          { path = SECRET },
        }
        for _, input in ipairs(inputs) do
          assert_hidden(session:call("tool", input), session, seen)
        end
        assert.equal(SECRET, got[1].key)
        assert.equal(SECRET, got[2].key)
        assert.equal("x " .. SECRET, got[2].deep[SECRET][1])
        assert.equal(SECRET, inputs[1].key)
        assert.is_true(#got >= 5)
        assert_hidden(session:call("read_file", { path = "/nowhere/" .. SECRET }), session, seen)
        local bad = { { path = { SECRET } }, { path = "x", offset = SECRET }, '{"path": ' .. SECRET, SECRET }
        for _, input in ipairs(bad) do
          assert_hidden(session:call("read_file", input), session, seen)
        end
        assert_hidden(session:call("read_file", { path = "x", deny = true }), session, seen)
        assert_hidden(session:call("run_command", { command = "true", cwd = "/nowhere/" .. SECRET }), session, seen)
        assert_hidden(session:call("run_command", { command = SECRET }), session, seen)
        assert_hidden(session:call("run_command", { command = "echo\0" .. SECRET }), session, seen)
      end)

      it("hides a secret that is escaped in a JSON input", function()
        local session, seen = open { redact = redact }
        local escaped = SECRET:gsub(".", function(c)
          return ("\\u%04x"):format(c:byte())
        end)
        local result = session:call("run_command", ('{"command": "printf %%s %s >real"}'):format(escaped))
        assert.is_false(result.is_error)
        assert.equal(SECRET, dir:read "real")
        local found = leak(json.decode(json.encode(seen[1].input)))
        if type(seen[1].input) == "string" then found = leak(json.decode(seen[1].input)) end
        assert(not found, "the input in the log says the secret in another spelling")
      end)

      it("hides a secret in a name that the model made up", function()
        local session, seen = open { redact = redact }
        local result = session:call(SECRET, {})
        assert.equal("Unknown tool: [redacted]", result.content)
        result.tool = nil -- the caller's own word; the log is another matter
        assert_hidden(result, session, seen)
        session:cap(SECRET, ("x\n"):rep(5000))
        assert.is_nil(leak_on_disk(session))
      end)

      it("hides a secret in a file, before anything is cut", function()
        local line = ("x"):rep(490) .. SECRET .. ("y"):rep(600)
        dir:write("keys", "one\nkey=" .. SECRET .. " end\n" .. line .. "\nfour\n")
        for _, profile in ipairs { "default", "pi", "pipeline", "contract", "dispatcher" } do
          local session, seen = open { redact = redact, profile = profile }
          for _, input in ipairs { {}, { offset = 2 }, { offset = 2, limit = 1 }, { offset = 3 } } do
            input.path = "keys"
            assert_hidden(session:call("read_file", input), session, seen, 7)
          end
        end
        for bytes = 480, 520, 5 do
          local session, seen = open { redact = redact, limits = { read_file = { max_bytes = bytes } } }
          assert_hidden(session:call("read_file", { path = "keys" }), session, seen, 7)
          assert_hidden(session:call("read_file", { path = "keys", offset = 3, column = 1 }), session, seen, 7)
          local said = session:cap("read_file", "one\nkey=" .. SECRET .. " end\n" .. line)
          assert_hidden(said, session, seen, 7)
        end
      end)

      it("hides a secret in what a host's own read_file gives", function()
        local session, seen = open { redact = redact, tools = {} }
        session:register {
          name = "read_file",
          execute = function(_, ctx)
            if ctx.path "x" then return "key " .. SECRET end
          end,
        }
        assert_hidden(session:call("read_file", { path = "x" }), session, seen)
      end)

      it("hides a secret from a page that starts inside it", function()
        dir:write("keys", "key=" .. SECRET .. " end\n")
        for column = 1, 16 do
          local session, seen = open { redact = redact }
          assert_hidden(session:call("read_file", { path = "keys", column = column }), session, seen, 4)
        end
      end)

      it("speaks of the redacted file in ledger and totals", function()
        dir:write("keys", ("a %s b\n"):format(SECRET):rep(3))
        for _, input in ipairs { {}, { limit = 1 }, { offset = 2 }, { offset = 2, limit = 1 } } do
          input.path = "keys"
          local session = open { redact = redact }
          local result = session:call("read_file", input)
          local cut = result.details.cut
          local text = ("a %s b\n"):format(MARK):rep(3)
          assert.equal(#text, cut.total_bytes)
          assert.is_nil(plain.ledger_error(cut))
          local kept = text:sub(cut.kept[1].first_byte, cut.kept[1].last_byte)
          assert.equal(kept, result.content:sub(1, #kept))
        end
      end)

      it("hides a secret in the notice on a file, and in the name of a file", function()
        dir:write(SECRET, ("x"):rep(60000))
        local session, seen = open { redact = redact }
        local result = session:call("read_file", { path = SECRET })
        assert.is_true(result.truncation.truncated)
        assert_hidden(result, session, seen)
      end)

      it("hides a secret where a counter of tokens or a callback raises", function()
        local limits = { run_command = { max_tokens = 50 } }
        limits.run_command.count_tokens = function(text)
          error("cannot count " .. text, 0)
        end
        local session, seen = open { redact = redact, limits = limits }
        local result = run(session, ("echo 'key %s'; seq 100"):format(SECRET))
        assert_hidden(result, session, seen)
        session, seen = open {
          redact = redact,
          approve = function()
            error("no " .. SECRET, 0)
          end,
        }
        assert_hidden(session:call("run_command", { command = "true" }), session, seen)
      end)

      it("leaves texts without a secret as they are", function()
        local session = open { redact = redact }
        local result = run(session, "seq 300000")
        assert.equal(1988895, result.details.cut.total_bytes)
        session = open { redact = redact, limits = { run_command = { max_lines = 1, clean = false } } }
        result = run(session, "printf '\\001 and \\002, \\377 of all these bytes \\r\\n'; echo")
        assert.equal("\1 and \2, \255 of all these bytes \r\n\n", paths.read(result.details.full_output_path))
      end)

      it("keeps what was printed when it is cancelled, timed out or killed, and no secret", function()
        for _, ending in ipairs { "kill -9 $$", "exec sleep 60" } do
          local limits = { run_command = { max_lines = 1, strategy = "tail" } }
          local command = ("seq 10; printf 'key=%%s' '%s'; %s"):format(SECRET, ending)
          local result = waiting.with_time(0.3, function(seconds)
            local session, seen = open { redact = redact, timeout = seconds, limits = limits }
            local result = run(session, command)
            assert.is_true(result.is_error)
            assert_hidden(result, session, seen)
            return result, result.details.cut.total_lines == 11
          end)
          assert.matches("10\nkey=%[redacted%]$", paths.read(result.details.full_output_path))
          assert.matches("^key=%[redacted%]\n", result.content)
        end
      end)

      it("hides a secret that a foreign tool writes to its stream or shows so far", function()
        local session, seen = open { redact = redact, limits = { tool = { max_lines = 2, strategy = "head" } } }
        local updates = {}
        session:register {
          name = "tool",
          execute = function(_, ctx)
            local stream = ctx.stream()
            local text = ("a %s b\n"):format(SECRET):rep(20)
            for at = 1, #text, 5 do
              stream:write(text:sub(at, at + 4))
              ctx.update(stream)
            end
            ctx.update(text)
            return stream
          end,
        }
        local result = session
          :call("tool", {}, {
            on_update = function(content, cut)
              updates[#updates + 1] = { content, cut }
            end,
          })
          :wait(20)
        assert_hidden(result, session, seen)
        assert.is_nil(leak(updates))
        assert.is_true(paths.read(result.details.full_output_path) == ("a %s b\n"):format(MARK):rep(20))
      end)

      it("hides a secret in the pipeline profile and under the ceiling", function()
        for _, profile in ipairs { "pipeline", "dispatcher", "contract" } do
          local session, seen = open { redact = redact, profile = profile }
          dir:write("keys", ("a %s b\n"):format(SECRET):rep(20000))
          assert_hidden(run(session, "cat keys"), session, seen)
          assert_hidden(session:cap("tool", dir:read "keys"), session, seen)
        end
      end)

      it("hides a secret on a screen", function()
        local session = open { redact = redact }
        local result = run(session, ("echo 'key %s'; exit 3"):format(SECRET))
        assert.is_nil(leak(abridge.display(result, { max_lines = 5, width = 10 }), 6))
      end)
    end)
  end

  it("does not rename what this package tells of a command", function()
    for _, redact in ipairs {
      { "e" },
      function(line)
        return "<" .. line .. ">"
      end,
      function()
        error "always"
      end,
    } do
      local session = open { redact = redact, limits = { run_command = { max_lines = 1 } } }
      local result = run(session, "echo one; echo two; exit 3")
      assert.equal(3, result.details.exit_code)
      assert.equal(3, result.details.cut.total_lines + 1)
      assert.equal("table", type(result.details.cut.kept))
      assert.equal("Command exited with code 3", result.details.exit_line)
      abridge.assert_conforms("run_command", result)
    end
  end)

  it("hides each line on which its function raises", function()
    local session, seen = open {
      redact = function(line)
        if line:find(SECRET, 1, true) then error("cannot hide " .. line) end
        return line
      end,
    }
    local result = run(session, ("echo one; echo 'key %s'; echo two"):format(SECRET))
    assert_hidden(result, session, seen)
    assert.equal("one\n[redacted]\ntwo\n", result.content)
  end)

  it("calls its function with whole lines, those that a command wrote in pieces too", function()
    local lines = {}
    local session = open {
      run_dir = false,
      redact = function(line)
        lines[#lines + 1] = line
        return line
      end,
    }
    run(session, "printf ab; sleep 0.02; printf cd; sleep 0.02; printf 'ef\\ngh'; sleep 0.02; printf 'ij\\n'")
    local all = "\n" .. table.concat(lines, "\n") .. "\n"
    assert.is_truthy(all:find("\nabcdef\n", 1, true))
    assert.is_truthy(all:find("\nghij\n", 1, true))
    assert.is_nil(all:find("\nab\n", 1, true))
    assert.is_nil(all:find("\ngh\n", 1, true))
  end)

  it("checks its redactor when it is made", function()
    for _, redact in ipairs { 5, "hunter2", { 5 }, { "(" }, { "" }, { key = "x" }, { { "a", 5 } } } do
      local message = plain.misuse(function()
        local _ = abridge.session { run_dir = false, redact = redact }
      end)
      assert.matches("^abridge%.session: redact", message)
    end
    assert(abridge.session { run_dir = false, redact = {} })
    assert(abridge.session { run_dir = false, redact = false })
  end)
end)
