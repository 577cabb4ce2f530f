-- What is binary is told by what came, before it is cleaned or redacted: one line shows, and nothing of it.
local abridge = require "abridge"
local core = require "abridge.core"
local opened = require "support.opened"
local paths = require "support.paths"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local ELF = "\127ELF" .. ("\0\1\2abc\255"):rep(3000) -- 21004 bytes
local LINE = "Binary output (ELF, 20.5KB)"
local NAMES = ("./some/path/file.lua\0"):rep(1000)
local SECRET = { { "abc", "[redacted]" } }

local dir

--- Write a text to a stream in chunks of a size, or of random ones; the cut at its end.
local function streamed(text, opts, size)
  local stream = abridge.stream(opts)
  local at = 1
  while at <= #text do
    local n = size or random.between(1, 9000)
    assert.is_true(stream:write(text:sub(at, at + n - 1)))
    at = at + n
  end
  local content, cut = stream:finish()
  stream:close()
  return content, cut
end

describe("what is binary #few", function()
  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    opened.close()
    dir:remove()
  end)

  it("is told before it is cleaned, and shows as one line", function()
    for _, opts in ipairs {
      { clean = true },
      { clean = { invisible = true } },
      { redact = SECRET },
      {},
      { clean = true, redact = SECRET },
    } do
      opts.max_bytes = "8KB"
      for _, cut_by in ipairs { abridge.cut, abridge.auto } do
        local content, cut = cut_by(ELF, opts)
        assert.equal(LINE, content)
        assert.same({ "binary", true, "bytes" }, { cut.kind, cut.truncated, cut.truncated_by })
        assert.same({ 21004, 21004, 0, 0 }, { cut.total_bytes, cut.omitted_bytes, cut.output_bytes, #cut.kept })
        assert.equal(opts.clean and 21004 or nil, cut.raw_bytes)
        assert.is_nil(cut.items)
      end
    end
  end)

  it("shows nothing also where it would fit, and no budget is named then", function()
    local content, cut = abridge.cut(ELF, { max_bytes = "1MB", clean = true })
    assert.equal(LINE, content)
    assert.is_true(cut.truncated)
    assert.is_nil(cut.truncated_by)
    local capped, ledger, block = abridge.cap(ELF)
    assert.equal(LINE, capped)
    assert.is_nil(ledger.truncated_by)
    assert.same({ truncated = true, bytes_returned = #LINE, bytes_total = 21004, reason = "size_cap" }, block)
  end)

  it("is judged by more than one byte", function()
    assert.equal("text", select(2, abridge.cut(NAMES, { max_bytes = 300, clean = true })).kind)
    assert.equal(20000, select(2, streamed(NAMES, { max_bytes = 300, clean = true })).total_bytes)
    assert.equal("Binary output (data, 64B)", (abridge.cap(("\0\255"):rep(32))))
    assert.equal("\239\191\189", (abridge.cap "\0\255"))
  end)

  it("is no text in ISO 8859-1, and no short one", function()
    local latin = {
      "caf\233\n",
      ("Le mod\232le a \233t\233 entra\238n\233 l'\233t\233 dernier : \224 v\233rifier.\n"):rep(300),
      ("Gr\252\223e aus K\246ln: \196pfel, \214l und \220bung f\252r die Stra\223e\r\n"):rep(300),
      ("El ni\241o comi\243 pi\241a; \191qu\233 a\241o? \161Ma\241ana s\237!\n"):rep(300),
      ("\233t\233 "):rep(5000),
      "\0\1\2\3\n",
      ("\1\2\255"):rep(10),
    }
    for _, text in ipairs(latin) do
      for _, size in ipairs { #text, 1000, 1 } do
        local _, cut = streamed(text, { max_bytes = 300, clean = true }, size)
        random.must(cut.kind ~= "binary", "%s is binary", text:sub(1, 40))
      end
      assert.is_nil((abridge.cap(text)):find("Binary output", 1, true))
    end
    assert.equal("caf\239\191\189\n", (abridge.cap "caf\233\n"))
  end)

  it("is what has no known first bytes and is over a tenth no text, in any chunks", function()
    random.start(1)
    local wide = "h\0e\0l\0l\0o\0 \0"
    for _, text in ipairs {
      random.bytes(200),
      random.bytes(20000),
      wide:rep(6),
      wide:rep(4000),
      ("\0a"):rep(32),
      ("a\1bcdefgh"):rep(5000),
    } do
      for _, size in ipairs { #text, 700, 1 } do
        assert.equal("binary", select(2, streamed(text, { max_bytes = 300, clean = true }, size)).kind)
      end
    end
  end)

  it("is the same for any chunks, with its own bytes as the full output", function()
    for i, size in ipairs { 1, 100, 8192, 8193, 1e6 } do
      local full = { dir = dir:at "full", name = tostring(i) }
      local content, cut = streamed(ELF, { max_bytes = "8KB", clean = true, full_output = full }, size)
      assert.equal(LINE, content)
      assert.same({ 21004, 21004, 21004 }, { cut.total_bytes, cut.raw_bytes, cut.full_output_bytes })
      assert.equal(ELF, paths.read(cut.full_output_path))
    end
  end)

  it("shows in snapshots as in the end", function()
    local stream = abridge.stream { max_bytes = "8KB", clean = true, redact = SECRET }
    stream:write(ELF:sub(1, 100))
    assert.equal("Binary output (ELF, 100B)", (stream:snapshot()))
    stream:write(ELF:sub(101))
    assert.equal(LINE, (stream:snapshot()))
    assert.equal(LINE, (stream:finish()))
    assert.equal(LINE, (stream:snapshot()))
    stream:close()
  end)

  it("gets no full output where texts are redacted, and texts are redacted as ever", function()
    local full = { dir = dir:at "full", name = "x" }
    local opts = { max_bytes = 300, clean = true, redact = SECRET, full_output = full }
    local content, cut = streamed(ELF, opts, 1000)
    assert.equal(LINE, content)
    assert.is_nil(cut.full_output_path)
    assert.is_nil(dir:read "full/x")
    content, cut = streamed("abc\n" .. NAMES:rep(2) .. "\nabc\n", opts, 1000)
    assert.equal("text", cut.kind)
    assert.is_nil(content:find("abc", 1, true))
    assert.matches("^%[redacted%]\n%./some", paths.read(cut.full_output_path))
  end)

  it("is the kind that is named, whatever it looks like", function()
    local content, cut = abridge.cut(ELF, { max_bytes = 300, clean = true, kind = "log" })
    assert.equal("log", cut.kind)
    assert.matches("^ELF", (content:gsub("^\127", "")))
    for _, cut_by in ipairs { abridge.cut, streamed } do
      content, cut = cut_by("plain text\27[0m\n", { max_bytes = 300, clean = true, redact = SECRET, kind = "binary" })
      assert.equal("Binary output (data, 15B)", content)
      assert.equal("binary", cut.kind)
    end
  end)

  it("is cut by the strategy that is named", function()
    for _, strategy in ipairs { "head", "tail", "head_tail", "priority" } do
      local content, cut = abridge.cut(ELF, { max_bytes = 300, clean = true, strategy = strategy, long_line = "split" })
      assert.is_nil(cut.kind)
      assert.matches("abc\239\191\189abc", content)
    end
  end)

  it("is told in the notice by its full output alone", function()
    local content, cut = abridge.cap(ELF, "run_command", { save = dir:at "save" })
    assert.equal(("%s\n\n[Full output: %s]"):format(LINE, cut.full_output_path), content)
    assert.equal(ELF, paths.read(cut.full_output_path))
    content, cut = abridge.cap(ELF, { max_bytes = 200 }, { save = dir:at "save" })
    assert.equal(("%s\n\n[Full output: %s]"):format(LINE, cut.full_output_path), content)
    assert.equal("bytes", cut.truncated_by)
    assert.equal(LINE, (abridge.cap(ELF, { max_lines = 3 })))
    assert.equal("", (abridge.cap(ELF, { max_bytes = 20 })))
  end)

  it("that a command prints shows as a line, with its reason", function()
    dir:write("elf", ELF)
    local session = opened.session { run_dir = dir:at "run", cwd = dir.path }
    for _, output in ipairs { false, "concise", "verbose" } do
      local result = session:call("run_command", { command = "cat elf; exit 3", output = output or nil })
      local path = result.details.full_output_path
      local said = "Command exited with code 3\n\n[Full output: " .. path .. "]"
      assert.equal(LINE .. "\n\n" .. said, result.content)
      assert.same(
        { truncated = true, bytes_returned = #LINE, bytes_total = 21004, reason = "size_cap" },
        result.truncation
      )
      assert.equal(ELF, paths.read(path))
      assert.same({ "binary", 21004 }, { result.details.cut.kind, result.details.cut.raw_bytes })
    end
    local events = session:events { tool = "run_command" }
    assert.equal("binary", events[#events].cut.kind)
  end)

  it("that a redacting session gets is neither redacted nor kept", function()
    dir:write("elf", ELF)
    local session = opened.session { run_dir = dir:at "run", cwd = dir.path, redact = SECRET }
    for _, result in ipairs {
      session:call("run_command", { command = "cat elf" }),
      session:cap("other", ELF),
      session:cap("other", { content = { { type = "text", text = ELF } } }),
    } do
      assert.equal(LINE, result.content)
      assert.same({ 21004, 0 }, { result.details.cut.total_bytes, #(result.details.cut.kept or {}) })
      assert.is_nil(result.details.full_output_path)
    end
    assert.equal("", (dir:sh "find run -name '*.log'"))
    local text = session:cap("other", "abc\n").content
    assert.equal("[redacted]\n", text)
  end)

  it("does not show where making its result fails", function()
    local function raises()
      error "no count"
    end
    local limits = { ["*"] = { max_tokens = 50, count_tokens = raises } }
    local session = opened.session { run_dir = false, limits = limits, redact = SECRET }
    local result = session:cap("other", ELF)
    assert.truthy(result.details.inner_error)
    assert.equal("", result.content)
    assert.same({ truncated = true, bytes_returned = 0, bytes_total = 21004, reason = "size_cap" }, result.truncation)
  end)

  it("shows neither end under a ceiling that is too small for its line", function()
    local session = opened.session { run_dir = false, ceiling = { max_bytes = 20 }, profile = "default" }
    assert.equal("", session:cap("other", ELF).content)
    assert.equal("", session:call("run_command", { command = "printf '%048d' 0 | tr 0 '\\001'" }).content)
  end)

  it("is told by what is inside a wrapper", function()
    local text = "```\n" .. ELF .. "\n```"
    local content, cut = abridge.cap(text, nil, { wrapper = true })
    assert.equal("```\n" .. LINE .. "\n```", content)
    assert.equal("binary", cut.kind)
    assert.equal(#text, cut.total_bytes)
  end)

  it("holds for random texts: streams give what one call gives, and all that shows is redacted", function()
    random.each(300, function()
      local text = random.join(
        random.choose { { "\0", "abc", "x\n", "\27[1m" }, { "plain abc\n", "\0" }, { "abc\r\n", "words " } },
        random.below(6000)
      )
      local opts = { max_bytes = random.choose { 60, 400, 9000 }, clean = true, redact = SECRET }
      local content, cut = abridge.cut(text, opts)
      local by_chunks, told = streamed(text, opts)
      random.must(content == by_chunks, "%s in chunks, %s in one", by_chunks, content)
      random.must(cut.kind == told.kind and cut.total_bytes == told.total_bytes, "%s, %s", cut.kind, told.kind)
      random.must(not content:find("abc", 1, true), "%s shows the secret", content)
      random.must((cut.kind == "binary") == core.is_binary(text, true, true), "%s", cut.kind)
      random.must(plain.ledger_error(cut) == nil, "%s", plain.ledger_error(cut))
    end)
  end)
end)

describe("a text in UTF-16 #few", function()
  after_each(opened.close)

  --- ASCII as UTF-16, without a mark.
  local function wide(text, big)
    return (text:gsub(".", big and "\0%0" or "%0\0"))
  end

  local LOG = ("compiling part\r\n"):rep(200) .. "main.c:7: error: no member named x abc\r\nBuild FAILED.\r\n"

  it("shows as its text, cleaned, for any chunks", function()
    for _, opts in ipairs { { max_bytes = 300, clean = true }, { max_bytes = 300, clean = true, redact = SECRET } } do
      local want, as_bytes = abridge.cut(LOG, opts)
      for _, text in ipairs { "\255\254" .. wide(LOG), "\254\255" .. wide(LOG, true) } do
        local content, cut = abridge.cut(text, opts)
        assert.equal(want, content)
        assert.equal(as_bytes.kind, cut.kind)
        assert.equal(as_bytes.total_bytes, cut.total_bytes)
        assert.equal(#text, cut.raw_bytes)
        for _, size in ipairs { 1, 7, 9000 } do
          assert.equal(want, (streamed(text, opts, size)))
        end
      end
    end
    local session = opened.session { run_dir = false, redact = { "member" } }
    local shown = session:cap("run_command", "\255\254" .. wide(LOG)).content
    assert.equal(session:cap("run_command", LOG).content, shown)
    assert.truthy(shown:find("no [redacted] named", 1, true))
  end)

  it("is decoded in front of what another program prints", function()
    local text = "\255\254" .. wide "first\n" .. "second\n"
    assert.equal("first\nsecond\n", (abridge.cap(text)))
  end)

  it("is binary where it is not cleaned", function()
    local _, cut = abridge.auto("\255\254" .. wide(LOG), { max_bytes = 300 })
    assert.equal("binary", cut.kind)
  end)

  it("is told from other bytes behind a mark", function()
    local bytes = {}
    for i = 1, 4000 do
      bytes[i] = string.char(i * i % 251)
    end
    for _, rest in ipairs { ("\0\1\2\3"):rep(100), table.concat(bytes), ("\0"):rep(400) } do
      local _, cut = abridge.cap("\255\254" .. rest)
      assert.equal("binary", cut.kind)
    end
  end)
end)

describe("core.is_binary #few", function()
  it("says nothing until more than 8 KiB or all of a text came", function()
    assert.is_nil(core.is_binary "\127ELF")
    assert.is_nil(core.is_binary(("\0"):rep(8192)))
    assert.is_true(core.is_binary(("\0"):rep(8193)))
    assert.is_true(core.is_binary("\127ELF", true))
    assert.is_false(core.is_binary("", true))
    assert.is_false(core.is_binary(("a"):rep(9000)))
  end)

  it("raises on what is no text", function()
    for _, name in ipairs { "is_binary", "is_utf16", "magic" } do
      local ok, message = pcall(core[name], 5)
      assert.is_false(ok)
      assert.matches("abridge%.core%." .. name .. ": start must be a string, got 5", message)
    end
  end)
end)
