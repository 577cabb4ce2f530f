-- The option `redact` of cuts and streams: totals, ledger and file speak of the redacted text.
local abridge = require "abridge"
local plain = require "support.plain"
local random = require "support.random"
local redact = require "abridge.redact"
local tmpdir = require "support.tmpdir"

local KEY = { "key=%w+" }

describe("a cut with redact", function()
  it("speaks of the redacted text", function()
    local text = "one\nkey=12345678901234567890 x\nthree\n"
    local want = "one\n[redacted] x\nthree\n"
    local content, cut = abridge.head(text, { max_lines = 2, redact = KEY })
    assert.equal("one\n[redacted] x", content)
    assert.equal(#want, cut.total_bytes)
    assert.same({ { first_byte = 1, last_byte = 16, first_line = 1, last_line = 2 } }, cut.kept)
    assert.is_nil(cut.raw_bytes)
    assert.equal(want, (abridge.head(text, { max_bytes = #want, redact = KEY })))
  end)

  it("cleans first", function()
    local text = "k\27[1mey=1\27[0m\n"
    local content, cut = abridge.tail(text, { max_lines = 5, redact = KEY, clean = true })
    assert.equal("[redacted]\n", content)
    assert.equal(#text, cut.raw_bytes)
    assert.equal(11, cut.total_bytes)
  end)

  it("is the cut of the redacted text, for every strategy", function()
    local by_line = function(line)
      return (line:gsub("%d+", "#"))
    end
    for _ = 1, 200 do
      local lines = {}
      for i = 1, random.between(0, 30) do
        lines[i] = ("x"):rep(random.between(0, 20)) .. (random.chance(2) and " key=a1b2" or " error 77")
      end
      local text = table.concat(lines, "\n")
      local spec = random.choose { KEY, by_line, { { "%d", "<>" } } }
      local opts = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" } }
      opts.max_bytes, opts.max_lines = random.between(0, 300), random.between(0, 30)
      local want, want_cut = abridge.cut(redact.compile("spec", spec):text(text), opts)
      opts.redact = spec
      local got, got_cut = abridge.cut(text, opts)
      assert.equal(want, got)
      assert.same(want_cut, got_cut)
    end
    assert.equal("a [redacted]", (abridge.pipeline("a key=1", { max_chars = 100, redact = KEY })))
  end)

  it("gives back the very string when nothing is hidden, and knows false", function()
    local text = ("nothing to see\n"):rep(100)
    assert.equal(text, (abridge.head(text, { max_bytes = "30KB", redact = KEY })))
    assert.equal("key=1", (abridge.head("key=1", { max_bytes = 10, redact = false })))
  end)

  it("says what is wrong with it, at the caller's place", function()
    for _, case in ipairs {
      { 5, "abridge.head: redact must be a function or a list of Lua patterns, got 5" },
      { { "(" }, "abridge.head: redact%[1%] must be" },
      { { key = 1 }, "abridge.head: redact must be a list of Lua patterns, got a field 'key'" },
    } do
      local message = plain.raised(function()
        abridge.head("a", { max_bytes = 1, redact = case[1] })
      end)
      assert.matches(case[2], message)
      assert.matches("redacted_spec.lua:%d+:", message)
    end
  end)

  it("is not for pages", function()
    local message = plain.raised(abridge.page, "README.md", { redact = KEY })
    assert.matches("abridge.page: redact is not for pages", message)
  end)
end)

describe("a stream with redact", function()
  it("gives what the cut gives, whatever the chunks", function()
    for _ = 1, 100 do
      local parts = {}
      for i = 1, random.between(0, 60) do
        parts[i] = random.choose { "key=", "a1", "\n", " ", "\27[1m", "error: x\n", ("y"):rep(random.between(1, 50)) }
      end
      local text = table.concat(parts)
      local opts = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" }, redact = KEY }
      opts.max_bytes, opts.clean = random.between(0, 400), random.chance(2)
      local stream = abridge.stream(opts)
      for chunk in random.chunks(text, 20) do
        assert.is_true(stream:write(chunk))
      end
      local content, cut = stream:finish()
      stream:close()
      local want, want_cut = abridge.cut(text, opts)
      assert.equal(want, content)
      assert.same(want_cut, cut)
    end
  end)

  it("never writes what it hides to the full output", function()
    local dir = tmpdir.new()
    local stream = abridge.stream {
      strategy = "tail",
      max_lines = 1,
      redact = KEY,
      full_output = { dir = dir.path .. "/out", name = "a.log" },
    }
    stream:write "one key"
    stream:write "=se"
    stream:write "cret\ntwo\n"
    local content, cut = stream:finish()
    stream:close()
    assert.equal("two\n", content)
    local file = assert(io.open(cut.full_output_path))
    assert.equal("one [redacted]\ntwo\n", file:read "*a")
    file:close()
    dir:remove()
  end)

  it("shows in snapshots what is surely redacted", function()
    local stream = abridge.stream { strategy = "tail", max_lines = 5, redact = KEY }
    stream:write "one\nkey=1"
    assert.equal("one\n", (stream:snapshot()))
    stream:preview "2\nkey=3\n"
    assert.equal("one\n[redacted]\n[redacted]\n", (stream:snapshot()))
    stream:write "\n"
    assert.equal("one\n[redacted]\n", (stream:snapshot()))
    assert.equal("[redacted]", (stream:finish { max_lines = 1 }):sub(1, 10))
    stream:close()
  end)

  it("has the errors and the life of a stream", function()
    local stream = abridge.stream { strategy = "tail", max_lines = 5, redact = KEY }
    assert.equal("abridge.stream (open)", tostring(stream))
    assert.matches(
      "redacted_spec.lua:%d+: stream:write: chunk must be a string, got 5",
      plain.raised(function()
        stream:write(5)
      end)
    )
    assert.matches("stream:snapshot: unknown option 'x'", plain.raised(stream.snapshot, stream, { x = 1 }))
    stream:write "a"
    assert.equal("a", (stream:finish()))
    assert.equal("abridge.stream (finished)", tostring(stream))
    assert.equal("a", (stream:snapshot()))
    for _, method in ipairs { "write", "finish", "preview" } do
      assert.matches("stream:" .. method .. ": the stream is finished", plain.raised(stream[method], stream, "x"))
    end
    stream:close()
    stream:close()
    assert.equal("abridge.stream (closed)", tostring(stream))
    for _, method in ipairs { "write", "finish", "preview", "snapshot" } do
      assert.matches("stream:" .. method .. ": the stream is closed", plain.raised(stream[method], stream, "x"))
    end
  end)

  it("is not touched by its own redactor or counter", function()
    local stream
    local seen = {}
    local function meddle()
      for _, method in ipairs { "write", "snapshot", "finish", "close" } do
        seen[#seen + 1] = plain.raised(stream[method], stream, "x")
      end
    end
    stream = abridge.stream {
      strategy = "tail",
      max_tokens = 5,
      redact = function(line)
        meddle()
        return line
      end,
      count_tokens = function(text)
        meddle()
        return #text
      end,
    }
    stream:write "ab\n"
    assert.equal(4, #seen)
    assert.equal("ab\n", (stream:finish()))
    assert.is_true(#seen >= 8)
    for _, message in ipairs(seen) do
      assert.matches("the stream is being cut$", message)
    end
    stream:close()
  end)

  it("goes on after a counter that raised", function()
    local fails = true
    local stream = abridge.stream {
      strategy = "tail",
      max_tokens = 5,
      redact = KEY,
      count_tokens = function(text)
        return fails and error "no" or #text
      end,
    }
    stream:write "abc"
    assert.matches("no", plain.raised(stream.finish, stream))
    fails = false
    stream:close()
  end)

  it("checks options as a stream does", function()
    local typo = { strategy = "tail", max_line = 1, redact = KEY }
    assert.matches("unknown option 'max_line'", plain.raised(abridge.stream, typo))
    assert.matches("no budget", plain.raised(abridge.stream, { strategy = "tail", redact = KEY }))
    local opts = { strategy = "tail", max_lines = 1, redact = KEY, full_output = false }
    abridge.stream(opts):close()
    assert.same({ strategy = "tail", max_lines = 1, redact = KEY, full_output = false }, opts)
  end)
end)

describe("a stream with redact", function()
  it("takes sizes as text beside other budgets", function()
    local stream = abridge.stream { strategy = "tail", max_bytes = "1KB", max_tokens = 100, redact = KEY }
    stream:write "key=1 x\n"
    assert.equal("[redacted] x\n", (stream:finish()))
    stream:close()
  end)
end)
