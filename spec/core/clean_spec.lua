-- Clean-up (SPEC 7): what a terminal would finally show of a text. The rules one by one are in spec/c/test_clean.c.

local abridge = require "abridge"
local core = require "abridge.core"
local plain = require "support.plain"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local ESC = "\27"
local CSI = ESC .. "["

--- The cleaned text of chunks that go through a cleaner.
local function by_cleaner(chunks, opts)
  local cleaner = core.cleaner(opts)
  local out = {}
  for i, chunk in ipairs(chunks) do
    out[i] = cleaner:write(chunk)
  end
  local rest, stats = cleaner:finish()
  return table.concat(out) .. rest, stats
end

local function split(text, most)
  local chunks = {}
  for chunk in random.chunks(text, most) do
    chunks[#chunks + 1] = chunk
  end
  return chunks
end

local NOISE = {
  { "\r", "a", "bc", "\n", "\t", "\b" },
  { "line of text", "\r", "\n", CSI .. "K", CSI .. "1A", CSI .. "2B", CSI .. "J" },
  { CSI .. "1;31m", "error", CSI .. "0m", " in ", "\r\n", ESC .. "]8;;u" .. ESC .. "\\", "\255", "\226\130" },
  { "\228\184\150", "e\204\129", "x", "\r", CSI .. "C", CSI .. "2D", CSI .. "P", CSI .. "2@", "\n", "\127" },
}

local function noise(most)
  return random.join(random.choose(NOISE), random.below(most) + 1)
end

describe("abridge.clean", function()
  it("returns a text without noise as it is", function()
    for _, text in ipairs { "", "a", "a\tb \n\n", "\195\169\240\159\152\128\n" } do
      local cleaned, stats = abridge.clean(text)
      assert.equal(text, cleaned)
      assert.equal(#text, stats.raw_bytes)
      assert.equal(#text, stats.bytes)
    end
  end)

  it("shows what a terminal would", function()
    local text = "\27[1;32mok\27[0m 10%\rok 100%\27[K\r\n\27]0;title\7a\bb\0\255\194\155"
    local cleaned, stats = abridge.clean(text)
    assert.equal("ok 100%\nb\239\191\189", cleaned)
    assert.same({
      raw_bytes = #text,
      bytes = #cleaned,
      carriage_return = 2,
      backspace = 1,
      tab = 0,
      erase = 1,
      cursor = 0,
      color = 2,
      string = 1,
      charset = 0,
      escape = 0,
      control = 1,
      c1 = 1,
      invalid = 1,
    }, stats)
  end)

  it("leaves in the text what is switched off", function()
    assert.equal("\27[1mx\27[m", (abridge.clean("\27[1mx\27[m\27(B", { color = false })))
    assert.equal("a\rb\r\n", (abridge.clean("a\rb\27[m\r\n", { carriage_return = false })))
    assert.equal("a\255", (abridge.clean("a\255\7", { invalid = false, color = true })))
    local text = "a\27[1m\7"
    local cleaned, stats = abridge.clean(text, { color = false, control = false })
    assert.equal(text, cleaned)
    assert.equal(0, stats.color + stats.control)
  end)

  it("raises on misuse, naming argument and value", function()
    local function raises(words, ...)
      local args = { ... }
      plain.misuse(function()
        abridge.clean((table.unpack or unpack)(args))
      end, words)
    end
    raises("abridge.clean: text must be a string, got 5", 5)
    raises("abridge.clean: opts must be a table, got true", "a", true)
    raises("abridge.clean: unknown key 'colour' in clean (value false)", "a", { colour = false })
    raises("abridge.clean: unknown key 'colour' in clean (value 5)", "a", { colour = 5 })
    raises("abridge.clean: unknown key 'colour' in clean (value \"no\")", "a", { colour = "no" })
    raises("abridge.clean: unknown key '1' in clean (value true)", "a", { true })
    raises("abridge.clean: clean.color must be true or false, got 0", "a", { color = 0 })
  end)
end)

describe("what hides text from people", function()
  local HIDDEN = {
    "\243\160\129\129",
    "\226\128\139",
    "\226\128\141",
    "\226\128\174",
    "\226\129\166",
    "\239\187\191",
    "\226\129\160",
    "\205\143",
    "\239\184\143",
    "\243\160\132\128",
    "\216\156",
    "\227\133\164",
    "\239\190\160",
    "\225\133\159",
    "\225\158\180",
    "\240\157\133\179",
    "\240\155\178\160",
    "\243\160\136\128",
    "\239\191\176",
  }
  local WHOLE = {
    family = "👨\226\128\141👩\226\128\141👧",
    ["a heart on fire"] = "❤\239\184\143\226\128\141🔥",
    England = "🏴\243\160\129\167\243\160\129\162\243\160\129\165\243\160\129\174\243\160\129\167\243\160\129\191",
    keycap = "1\239\184\143\226\131\163",
    Persian = "می\226\128\140خواهم",
    Hindi = "क्\226\128\141ष",
    Thai = "ภาษา\226\128\139ไทย",
    Hebrew = "שלום\226\128\143!",
    Korean = "\225\132\128\225\133\160\225\134\168 한글",
  }

  it("goes where it is asked for, and is counted", function()
    for _, char in ipairs(HIDDEN) do
      local text, stats = abridge.clean("pay" .. char .. char .. "load", { invisible = true })
      assert.equal("payload", text)
      assert.equal(2, stats.invisible)
      assert.equal("pay" .. char .. "load", (abridge.clean("pay" .. char .. "load")))
      assert.equal("pay" .. char .. "load", (abridge.clean("pay" .. char .. "load", { invisible = false })))
      assert.equal("payload", (abridge.head("pay" .. char .. "load", { max_lines = 1, clean = { invisible = true } })))
    end
  end)

  it("stays where writing needs it", function()
    for name, text in pairs(WHOLE) do
      text = "x " .. text .. " y"
      local shown, stats = abridge.clean(text, { invisible = true })
      assert.equal(text, shown, name)
      assert.equal(0, stats.invisible)
      assert.equal(text, (abridge.clean("\27[1m" .. text .. "\27[m", { invisible = true })))
    end
  end)

  it("spells nothing in a row after a char that needs one", function()
    for _, text in ipairs { "ا", "क", "ש", "ไ", "😀", "🏴", "1", "葛" } do
      for _ = 1, 50 do
        local row = {}
        for i = 1, 40 do
          row[i] = random.choose(HIDDEN)
        end
        local shown = abridge.clean(text .. table.concat(row) .. text, { invisible = true })
        assert.is_true(#shown <= 2 * #text + 4 + 4, shown)
      end
    end
  end)

  it("is found in any chunks alike, in one pass", function()
    local alphabet =
      { "a", "1", "\n", "\r", "\b", "\27[1m", "\27[2D", "\27[K", "\255", "ا", "ש", "😀", "🏴", "ไ" }
    for _, char in ipairs(HIDDEN) do
      alphabet[#alphabet + 1] = char
    end
    for _, text in pairs(WHOLE) do
      alphabet[#alphabet + 1] = text
    end
    local opts = { invisible = true }
    random.each(600, function()
      local text = random.join(alphabet, random.below(80))
      local want, want_stats = abridge.clean(text, opts)
      local got, stats = by_cleaner(split(text, random.choose { 1, 3, 50 }), opts)
      random.must(got == want, "%s became %s, not %s", text, got, want)
      assert.same(want_stats, stats)
      random.must(abridge.clean(want, opts) == want, "%s is not clean", want)
      local cleaner = core.cleaner(opts)
      local first = cleaner:write(text)
      random.must(first .. cleaner:pending() == abridge.clean(text, opts), "%s is pending otherwise", text)
      cleaner:close()
    end)
  end)

  it("is pending where it might begin a byte order mark", function()
    for _, byte in ipairs { "\255", "\254" } do
      for _, opts in ipairs { { invisible = true }, {} } do
        local cleaner = core.cleaner(opts)
        assert.equal("\239\191\189", cleaner:write(byte) .. cleaner:pending())
        assert.equal("\239\191\189a", cleaner:write "a" .. cleaner:pending())
        cleaner:close()
      end
    end
  end)

  it("raises for what is neither true nor false", function()
    local message = plain.misuse(function()
      abridge.clean("a", { invisible = 1 })
    end)
    assert.matches("clean%.invisible must be true or false, got 1", message)
  end)
end)

describe("a cleaner", function()
  it("gives the same for every chunking, and the stats of the whole", function()
    random.each(300, function()
      local text = noise(200)
      local want, want_stats = abridge.clean(text)
      local got, stats = by_cleaner(split(text, random.choose { 1, 3, 50 }))
      random.must(got == want, "%s became %s, not %s", text, got, want)
      assert.same(want_stats, stats)
      random.must(abridge.clean(got) == got, "%s is not clean", got)
    end)
  end)

  it("tells what may still change", function()
    local cleaner = core.cleaner()
    assert.equal("", cleaner:write "10%")
    assert.equal("10%", cleaner:pending())
    assert.equal("", cleaner:write "\r20%")
    assert.equal("20%", cleaner:pending())
    assert.equal("20%", (cleaner:finish()))
    assert.equal("", cleaner:pending())
    assert.has_error(function()
      cleaner:write "x"
    end)
    cleaner:close()
    cleaner:close()
    assert.has_error(function()
      cleaner:pending()
    end)
  end)

  it("hands over lines that are final", function()
    local cleaner, n = core.cleaner(), 0
    for i = 1, 1000 do
      n = n + #cleaner:write(("line %d\r\n"):format(i))
    end
    assert.is_true(n > 5000)
    assert.is_true(#cleaner:pending() <= 2 * 101 * #"line 1000\n")
    cleaner:close()
  end)
end)

describe("the option clean", function()
  it("of a cut makes the source first", function()
    local text = ("10%\r20%\rdone\27[K\r\n"):rep(50)
    local content, cut = abridge.tail(text, { max_lines = 2, clean = true })
    assert.equal("done\ndone\n", content)
    assert.equal(250, cut.total_bytes)
    assert.equal(#text, cut.raw_bytes)
    assert.is_nil(select(2, abridge.tail(text, { max_lines = 2 })).raw_bytes)
    content, cut = abridge.pipeline("a\rb\n", { max_lines = 5, clean = { carriage_return = false } })
    assert.equal("a\rb\n", content)
    assert.equal(4, cut.raw_bytes)
  end)

  it("is the cut of the cleaned text, in streams of any chunks and in snapshots too", function()
    random.each(300, function()
      local text = noise(150)
      local opts = { strategy = random.choose { "head", "tail", "head_tail" }, max_bytes = random.below(120) }
      local want, want_cut = abridge.cut((abridge.clean(text)), opts)
      opts.clean = true
      local got, cut = abridge.cut(text, opts)
      assert.equal(want, got)
      want_cut.raw_bytes = #text
      assert.same(want_cut, cut)
      local stream = abridge.stream(opts)
      local so_far = 0
      for _, chunk in ipairs(split(text, 40)) do
        assert.is_true(stream:write(chunk))
        so_far = so_far + #chunk
        if random.chance(4) then
          local shown, ledger = stream:snapshot()
          assert.equal(so_far, ledger.raw_bytes)
          if chunk:byte(-1) < 128 then -- no char that the next chunk may end
            local by_then, by_then_cut = abridge.cut(text:sub(1, so_far), opts)
            assert.equal(by_then, shown)
            assert.same(by_then_cut, ledger)
          end
        end
      end
      got, cut = stream:finish()
      assert.equal(want, got)
      assert.same(want_cut, cut)
      assert.equal(want, (stream:snapshot()))
      stream:close()
    end)
  end)

  it("lets a snapshot show what may still change", function()
    local stream = abridge.stream { strategy = "tail", max_bytes = 20, clean = true }
    for percent = 1, 100 do
      stream:write(("\r%d%%"):format(percent))
      assert.equal(percent .. "%", (stream:snapshot()))
    end
    stream:write "\n"
    local content, cut = stream:finish()
    assert.equal("100%\n", content)
    assert.equal(5, cut.total_bytes)
    stream:close()
  end)

  it("of a stream goes before the full output", function()
    local dir = tmpdir.new()
    local stream = abridge.stream {
      strategy = "head",
      max_lines = 1,
      clean = true,
      full_output = { dir = dir.path .. "/full", name = "x.log" },
    }
    stream:write "a\rb\n\27[1mc\27[m\n\0d\n"
    local content, cut = stream:finish()
    stream:close()
    assert.equal("b", content)
    local file = assert(io.open(cut.full_output_path, "rb"))
    assert.equal("b\nc\nd\n", file:read "*a")
    file:close()
    dir:remove()
  end)

  it("is refused by pages, whose lines are those of the file", function()
    local ok, message = pcall(abridge.page, "README.md", { clean = true })
    assert.is_false(ok)
    assert.truthy(message:find("clean is not for pages", 1, true), message)
  end)
end)

describe("a session", function()
  local session

  after_each(function()
    if session then session:close() end
    session = nil
  end)

  local function open(opts)
    opts.run_dir = false
    session = abridge.session(opts)
    return session
  end

  local PROGRESS = [[printf '10%%\r50%%\r100%%\n\033[1;31mfailed\033[0m\n']]

  it("cleans commands by default, and not where told", function()
    local result = open({}):call("run_command", { command = PROGRESS })
    assert.equal("100%\nfailed\n", result.content)
    assert.equal(12, result.details.cut.total_bytes)
    assert.equal(31, result.details.cut.raw_bytes)
    session:close()
    result = open({ limits = { run_command = { clean = false } } }):call("run_command", { command = PROGRESS })
    assert.equal("10%\r50%\r100%\n\27[1;31mfailed\27[0m\n", result.content)
    assert.is_nil(result.details.cut.raw_bytes)
  end)

  it("cleans before it redacts", function()
    open { redact = { "secret" } }
    local command = [[printf 'sec\033[1mret\033[m x\nsexx\b\bcret\n']]
    assert.equal("[redacted] x\n[redacted]\n", session:call("run_command", { command = command }).content)
    assert.equal("[redacted]\n", session:cap("run_command", "sec\27[1mret\r\n").content)
  end)

  it("cleans, then redacts what it shows of a command that runs", function()
    local seen = {}
    open { redact = { "secret" } }
    local command = [[printf 'sec\033[1mret\n10%%\r'; sleep 0.3; printf '20%%\nse'; sleep 0.3; printf 'cret\n']]
    local job = session:call("run_command", { command = command }, {
      on_update = function(content)
        seen[#seen + 1] = content
      end,
    })
    assert.equal("[redacted]\n20%\n[redacted]\n", job:wait().content)
    assert.is_true(#seen > 0)
    for _, content in ipairs(seen) do
      assert.is_nil(content:find("sec", 1, true), content)
    end
    assert.equal("[redacted]\n", seen[1])
  end)

  it("takes out what hides text, of commands and foreign tools in the default profile alone", function()
    local text = "ok\243\160\129\136\243\160\129\169 \226\128\174abc"
    local tools = { "run_command", "github__search", "*" }
    for _, name in ipairs(tools) do
      assert.equal("ok abc", open({}):cap(name, text).content)
      assert.equal("ok abc", (abridge.cap(text, name)))
      session:close()
    end
    local dir = tmpdir.new()
    dir:write("f", text)
    assert.equal(text, open({ cwd = dir.path }):call("read_file", { path = "f" }).content)
    session:close()
    dir:remove()
    assert.equal(text, open({ profile = "pi" }):cap("run_command", text).content)
    session:close()
    assert.equal(text, open({ limits = { ["*"] = { clean = true } } }):cap("x", text).content)
  end)

  it("cleans what any tool gives whose limits say so", function()
    open { limits = { mine = { max_lines = 5, clean = { color = false } } } }
    session:register {
      name = "mine",
      description = "x",
      input_schema = { type = "object" },
      execute = function()
        return "a\rb\27[1mc\7d"
      end,
    }
    local result = session:call("mine", {})
    assert.equal("b\27[1mcd", result.content)
    assert.equal(10, result.details.cut.raw_bytes)
  end)
end)

-- progress ------------------------------------------------------------------------------------

--- Output like that of tools that draw progress, and what remains of it in the end.
local PROGRESSES = {
  ["curl -#"] = function()
    local out = {}
    for i = 0, 72 do
      out[i + 1] = "\r" .. ("#"):rep(i) .. (" "):rep(72 - i) .. ("%5.1f%%"):format(i / 72 * 100)
    end
    return table.concat(out) .. "\n", ("#"):rep(72) .. "100.0%\n"
  end,
  curl = function()
    local head = "  % Total    % Received % Xferd  Average Speed   Time\n"
    local out = { head }
    for i = 0, 100 do
      out[#out + 1] = ("\r %3d  1000 %4d    0     0  %4dk      0  0:00:%02d"):format(i, i, i * 7, math.floor(i / 10))
    end
    return table.concat(out) .. "\n", head .. " 100  1000  100    0     0   700k      0  0:00:10\n"
  end,
  ["git clone --progress"] = function()
    local out = { "Cloning into 'x'...\n", "remote: Enumerating objects: 300, done.\27[K\n" }
    for i = 1, 300 do
      out[#out + 1] = ("remote: Counting objects: %3d%% (%d/300)\27[K\r"):format(math.floor(i / 3), i)
    end
    out[#out + 1] = "remote: Counting objects: 100% (300/300), done.\27[K\n"
    for i = 1, 300 do
      out[#out + 1] = ("Receiving objects: %3d%% (%d/300)\r"):format(math.floor(i / 3), i)
    end
    out[#out + 1] = "Receiving objects: 100% (300/300), 1.2 MiB | 3 MiB/s, done.\n"
    return table.concat(out),
      "Cloning into 'x'...\nremote: Enumerating objects: 300, done.\n"
        .. "remote: Counting objects: 100% (300/300), done.\n"
        .. "Receiving objects: 100% (300/300), 1.2 MiB | 3 MiB/s, done.\n"
  end,
  npm = function()
    local frames, out = { "\226\160\139", "\226\160\153", "\226\160\185" }, { "\27[?25l" }
    for i = 1, 60 do
      out[#out + 1] = "\27[1G\27[0K" .. frames[i % 3 + 1] .. (" idealTree: sill fetch manifest %d"):format(i)
    end
    return table.concat(out) .. "\27[1G\27[0K\27[?25h\nadded 60 packages in 2s\n", "\nadded 60 packages in 2s\n"
  end,
  apt = function()
    local out = {}
    for i = 0, 100, 10 do
      out[#out + 1] = ("\r\27[0mReading package lists... %d%%\27[0m"):format(i)
    end
    out[#out + 1] = "\r\27[0mReading package lists... Done\27[0m\r\n"
    for i = 1, 5 do
      out[#out + 1] = ("\27[33m\r%d%% [Working]\27[0m\r            \rGet:%d http://deb/x\n"):format(i * 20, i)
    end
    local want = "Reading package lists... Done\n"
    for i = 1, 5 do
      want = want .. ("Get:%d http://deb/x\n"):format(i)
    end
    return table.concat(out), want
  end,
  pip = function()
    local out = { "Collecting numpy\n" }
    for i = 0, 40 do
      local bar = ("\226\148\129"):rep(i) .. "\27[90m" .. ("\226\148\129"):rep(40 - i)
      out[#out + 1] = ("\r\27[2K   \27[32m%s\27[0m %d/40 MB"):format(bar, i)
    end
    out[#out + 1] = "\n\27[?25hInstalling collected packages: numpy\n"
    return table.concat(out),
      "Collecting numpy\n   " .. ("\226\148\129"):rep(40) .. " 40/40 MB\nInstalling collected packages: numpy\n"
  end,
  ["docker pull"] = function()
    local out = { "a: Waiting\nb: Waiting\nc: Waiting\n" }
    for i = 1, 30 do
      local up = i % 3 + 1
      out[#out + 1] = ("\27[%dA\27[2K\r%s: Pulling %d\27[%dB\r"):format(up, ("cba"):sub(up, up), i, up)
    end
    for up = 1, 3 do
      out[#out + 1] = ("\27[%dA\27[2K\r%s: Done\27[%dB\r"):format(up, ("cba"):sub(up, up), up)
    end
    return table.concat(out), "a: Done\nb: Done\nc: Done\n"
  end,
}

describe("progress in the style of", function()
  for name, made in pairs(PROGRESSES) do
    it(name .. " leaves its last state", function()
      local text, want = made()
      assert.equal(want, (abridge.clean(text)))
      assert.equal(want, (by_cleaner(split(text, 7))))
    end)
  end
end)

-- a real terminal -----------------------------------------------------------------------------

--- Neovim's terminal is libvterm. What it does otherwise is left out of these mixes:
---   - it wraps lines, so nothing goes beyond its 300 columns; a tab at the end of a line is blanks there
---   - overwritten halves of wide chars leave a cell without a char: only whole wide chars are overwritten
---   - a combining char that does not follow its char at once is dropped there
---   - VT and FF are line feeds, designated charsets translate letters; for us they vanish (SPEC 7)
---   - ESC M at the top and ESC D at the bottom scroll; in a log nothing moves down, and only '\n' makes it longer
---   - this libvterm has no APC, PM and SOS, and takes CSI s for left and right margins
---   - a sequence that never ends swallows everything there, 4 KiB here; its U+FFFD may stand for several bytes
local MIXES = {
  {
    "a",
    "bc",
    "hello",
    " ",
    "  ",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\b",
    "\t",
    CSI .. "K",
    CSI .. "1K",
    CSI .. "2K",
    CSI .. "A",
    CSI .. "3A",
    CSI .. "B",
    CSI .. "2B",
    CSI .. "C",
    CSI .. "4C",
    CSI .. "D",
    CSI .. "5D",
    CSI .. "G",
    CSI .. "9G",
    CSI .. "2E",
    CSI .. "F",
    CSI .. "H",
    CSI .. "3;7H",
    CSI .. "4;2f",
    CSI .. "6d",
  },
  { "line\n", "longer line\n", "\rx", CSI .. "2A", CSI .. "J", CSI .. "1J", CSI .. "B", "y\n", CSI .. "3C" },
  {
    "abcdef",
    "ghi",
    "\r",
    CSI .. "2C",
    CSI .. "@",
    CSI .. "3@",
    CSI .. "P",
    CSI .. "2P",
    CSI .. "X",
    CSI .. "4X",
    "\n",
  },
  { "ab", "\n", "\r", CSI .. "2J", CSI .. "H", CSI .. "J", CSI .. "5;5H", ESC .. "7", ESC .. "8", "xyz", CSI .. "0K" },
  {
    "word ",
    "\n",
    CSI .. "1;31m",
    CSI .. "m",
    ESC .. "]0;t\7",
    ESC .. "]8;;u" .. ESC .. "\\",
    ESC .. "(B",
    "\r",
    "z",
    ESC .. "Pq" .. ESC .. "\\",
    CSI .. "?25l",
    CSI .. "?2004h",
    ESC .. "=",
    "\7",
    "\127",
    "\255",
    "\b",
  },
  { "\228\184\150", "\231\149\140", "xy", "\n", "\r", CSI .. "2C", CSI .. "4D", CSI .. "K", CSI .. "2P", CSI .. "A" },
  { "e\204\129", "o\204\136", "x", "\n", "\r", CSI .. "C", CSI .. "2D", CSI .. "K", CSI .. "P", CSI .. "B" },
  { "a line of the log\n", "another\n\n", "\r\n", "50%\r", CSI .. "A", CSI .. "2K", "x" },
}

--- Lines of a text as both can be compared: tabs as blanks, no blanks at the end.
local function lines_of(text)
  local lines = {}
  for raw in (text .. "\n"):gmatch "([^\n]*)\n" do
    local line = raw
    while line:find("\t", 1, true) do
      line = line:gsub("^([^\t]*)\t", function(before)
        return before .. (" "):rep(8 - core.cells(before) % 8)
      end)
    end
    lines[#lines + 1] = line:gsub(" +$", "")
  end
  return lines
end

local COLUMNS, ROWS = 300, 100
local LAST = CSI .. "100;1H" .. CSI .. "2KEND"

--- What libvterm shows: all lines, those that scrolled off too.
local function libvterm(text)
  local vim = rawget(_G, "vim")
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(0, buffer)
  local channel = vim.api.nvim_open_term(buffer, {})
  vim.api.nvim_chan_send(channel, (text:gsub("\n", "\r\n"))) -- '\n' also returns to column 1, as in a log
  local lines
  local shown = vim.wait(5000, function()
    lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    return #lines >= ROWS and lines[#lines]:sub(1, 3) == "END"
  end, 1)
  vim.api.nvim_win_set_buf(0, vim.api.nvim_create_buf(false, true))
  vim.api.nvim_buf_delete(buffer, { force = true })
  assert(shown, "the terminal did not come to its end")
  return lines_of(table.concat(lines, "\n"))
end

describe("inside Neovim, the terminal", function()
  local vim = rawget(_G, "vim")
  if not vim or not vim.api or not vim.api.nvim_open_term then
    pending "is not there: this host is not Neovim"
    return
  end

  setup(function()
    vim.o.columns, vim.o.laststatus, vim.o.lines = COLUMNS, 0, ROWS + vim.o.cmdheight
    assert.equal(ROWS, vim.api.nvim_win_get_height(0))
  end)

  for i, mix in ipairs(MIXES) do
    it(("shows the same of mix %d"):format(i), function()
      random.each(40, function(case)
        random.start(case * 100 + i)
        local text = random.join(mix, random.below(case % 4 == 0 and 400 or 60)) .. LAST
        local want, got = libvterm(text), lines_of((abridge.clean(text)))
        for row = 1, math.max(#want, #got) do
          random.must(want[row] == got[row], "row %d of %s: libvterm %s, ours %s", row, text, want[row], got[row])
        end
      end)
    end)
  end

  it("shows the same of progress", function()
    for name, made in pairs(PROGRESSES) do
      local text = made() .. LAST
      assert.same(libvterm(text), lines_of((abridge.clean(text))), name)
    end
  end)
end)
