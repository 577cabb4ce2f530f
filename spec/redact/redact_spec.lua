-- Redaction (SPEC 11): however a text arrives, no secret gets through, and the rest comes through as it is.
-- ABRIDGE_SEED=n repeats a run; a failure prints it.
local plain = require "support.plain"
local random = require "support.random"
local redact = require "abridge.redact"

local must = random.must

local KB = 1024
local PIECE = 64 * KB
local MARK = "[redacted]"

local function redactor(spec)
  return redact.compile("abridge.session", spec)
end

--- A function redactor that does what gsub does.
local function with_gsub(pattern, replacement)
  return function(line)
    return (line:gsub(pattern, replacement or MARK))
  end
end

--- A text through a stream, split after these bytes.
local function streamed(red, text, cuts)
  local stream, parts, from = red:stream(), {}, 1
  for _, at in ipairs(cuts) do
    parts[#parts + 1] = stream:feed(text:sub(from, at))
    from = at + 1
  end
  parts[#parts + 1] = stream:feed(text:sub(from))
  parts[#parts + 1] = stream:finish()
  return table.concat(parts)
end

--- The same in chunks of one size.
local function in_chunks(red, text, size)
  local cuts = {}
  for at = size, #text - 1, size do
    cuts[#cuts + 1] = at
  end
  return streamed(red, text, cuts)
end

--- Redaction line by line, each line whole: the slow and obvious one.
local function by_lines(text, fn)
  local out, at = {}, 1
  while at <= #text do
    local newline = text:find("\n", at, true)
    out[#out + 1] = fn(text:sub(at, (newline or #text + 1) - 1)) .. (newline and "\n" or "")
    at = (newline or #text) + 1
  end
  return table.concat(out)
end

--- Filler that looks like a log without newlines; no letter of it is upper case.
local function filler(size)
  local words = {}
  for i = 1, size / 8 + 1 do
    words[i] = ("word%03d "):format(i % 1000)
  end
  return table.concat(words):sub(1, size)
end

--- Is no piece of a secret of upper case letters left in what is shown, but for those in the mark itself?
local function nothing_left(shown)
  return not shown:find "%u"
end

describe("redact.compile #few", function()
  local function misuse(spec)
    return plain.misuse(function()
      redact.compile("abridge.session", spec)
      return nil
    end)
  end

  it("names what is wrong and the value", function()
    assert.equals("abridge.session: redact must be a function or a list of Lua patterns, got 5", misuse(5))
    assert.equals('abridge.session: redact must be a function or a list of Lua patterns, got "x"', misuse "x")
    assert.equals(
      "abridge.session: redact[2] must be a Lua pattern or {pattern, replacement}, got 7",
      misuse { "a", 7 }
    )
    assert.equals("abridge.session: redact[1] must be a Lua pattern or {pattern, replacement}, got nil", misuse { {} })
    assert.equals("abridge.session: redact[1] must be with a string as replacement, got true", misuse { { "a", true } })
    assert.equals("abridge.session: redact[1] must be without a field 'by', got \"b\"", misuse { { "a", by = "b" } })
    assert.equals(
      "abridge.session: redact must be a list of Lua patterns, got a field 'pattern' (value \"a\")",
      misuse { pattern = "a" }
    )
    assert.truthy(misuse({ "a", nil, "b" }):find("'3'", 1, true))
  end)

  it("raises as many levels out as it is told", function()
    local function public(spec)
      redact.compile("abridge.session", spec, 1)
      return nil
    end
    assert.truthy(plain.misuse(function()
      public(5)
      return nil
    end))
  end)

  it("refuses malformed patterns, also where only some text would tell", function()
    local wrong = {
      ["a["] = "a pattern for lines: malformed pattern (missing ']')",
      ["a[^]"] = "a pattern for lines: malformed pattern (missing ']')",
      ["a[%]"] = "a pattern for lines: malformed pattern (missing ']')",
      ["abc%"] = "a pattern for lines: malformed pattern (ends with '%')",
      ["a%b("] = "a pattern for lines: malformed pattern (missing arguments to '%b')",
      ["a%fb"] = "a pattern for lines: malformed pattern (missing '[' after '%f')",
      ["a(b"] = "a pattern for lines: unfinished capture",
      ["ab)"] = "a pattern for lines: invalid pattern capture",
      ["(a%1)"] = "a pattern for lines: invalid capture index %1",
      ["a%1"] = "a pattern for lines: invalid capture index %1",
      ["a()b"] = "a pattern for lines: it has a position capture",
      ["a\0b"] = "a pattern for lines: it has a NUL, which ends patterns in some Lua versions: write %z",
      ["a\nb"] = "a pattern for lines: it needs a newline, which no line has",
      ["a[\n]+"] = "a pattern for lines: it needs a newline, which no line has",
      ["%b(\n"] = "a pattern for lines: it needs a newline, which no line has",
    }
    for pattern, expected in pairs(wrong) do
      local message = misuse { "fine", pattern }
      must(message:find("redact[2] must be " .. expected .. ", got ", 1, true), "%s: %s", pattern, message)
    end
    assert.truthy(misuse({ ("(a)"):rep(33) }):find("too many captures", 1, true))
    assert.truthy(misuse({ ("a?"):rep(160) .. "b" }):find("pattern too complex", 1, true))
  end)

  it("refuses patterns that match the empty string", function()
    for _, pattern in ipairs { "", "a*", "a-", "a?", "^", "$", "^$", "x*$", "(a*)", "%f[%w]", "^%s*$", "(a*)%1" } do
      local message = misuse { pattern }
      must(message:find("it matches the empty string, and so everywhere", 1, true), "%s: %s", pattern, message)
    end
  end)

  it("refuses replacements that string.gsub would refuse somewhere", function()
    for replacement, expected in pairs {
      ["100%"] = "invalid use of '%' (write %% for a percent sign)",
      ["%x"] = "invalid use of '%' (write %% for a percent sign)",
      ["%2"] = "invalid capture index %2",
    } do
      local message = misuse { { "(a)", replacement } }
      must(message:find("redact[1] must be with a gsub replacement: " .. expected, 1, true), "%s", message)
    end
  end)

  it("takes a list without patterns, which hides nothing", function()
    local red = redactor {}
    assert.equals("a\nb", red:text "a\nb")
    local long = filler(3 * PIECE)
    assert.equals(long, in_chunks(red, long, 1000))
  end)
end)

describe("redacting lines #few", function()
  it("replaces matches by the mark or by a replacement", function()
    assert.equals("key=[redacted], [redacted]\n", redactor({ "sk%-%w+" }):text "key=sk-123, sk-abc\n")
    assert.equals("key=*\n", redactor({ { "(key=)%w+", "%1*" } }):text "key=123\n")
    assert.equals("<a> 100% <a>", redactor({ { "%u", "<a>" } }):text "X 100% Y")
    assert.equals("<X%> <Y%>", redactor({ { "%u", "<%1%%>" } }):text "X Y")
    assert.equals("<X>", redactor({ { "%u", "<%0>" } }):text "X")
  end)

  it("applies patterns in order, each to what those before left", function()
    local red = redactor { { "token=(%w+)", "T(%1)" }, { "%d%d+", "N" } }
    assert.equals("T(aN) T(N)\n", red:text "token=a11 token=22\n")
  end)

  it("hands over lines without their newline, carriage returns with them", function()
    local seen = {}
    local red = redactor(function(line)
      seen[#seen + 1] = line
      return line
    end)
    assert.equals("a\r\n\n\0\nb", red:text "a\r\n\n\0\nb")
    assert.same({ "a\r", "", "\0", "b" }, seen)
  end)

  it("knows no line in an empty text, and none after a final newline", function()
    local red = redactor(function()
      return "x"
    end)
    assert.equals("", red:text "")
    assert.equals("x\n", red:text "a\n")
    assert.equals("x\nx", red:text "a\nb")
    local stream = red:stream()
    assert.equals("", stream:feed "")
    assert.equals("", stream:finish())
    assert.equals("", stream:finish())
  end)

  it("anchors at the ends of each line", function()
    local text = "secret a\nb secret\nsecret\n\nsecret secret\n"
    assert.equals("* a\nb secret\n*\n\n* secret\n", redactor({ { "^secret", "*" } }):text(text))
    assert.equals("secret a\nb *\n*\n\nsecret *\n", redactor({ { "secret$", "*" } }):text(text))
    assert.equals("secret a\nb secret\n*\n\nsecret secret\n", redactor({ { "^secret$", "*" } }):text(text))
    assert.equals("a secret\r\n", redactor({ { "secret$", "*" } }):text "a secret\r\n")
    assert.equals("a *", redactor({ { "secret$", "*" } }):text "a secret")
    assert.equals("a$^b", redactor({ { "x$^", "*" } }):text "a$^b")
  end)

  it("never matches across lines", function()
    for _, pattern in ipairs { "a[^x]*b", "a.*b", "a.-b", "a%s+b", "a%W+b", "a[%s,]+b", "a[^%w]b", "a%cb", "a%b..b" } do
      assert.equals("a\nb\n", redactor({ pattern }):text "a\nb\n")
    end
    assert.equals("f(\n)\n*\n", redactor({ { "f%b()", "*" } }):text "f(\n)\nf(x)\n")
    assert.equals("*\nb", redactor({ { "a.*", "*" } }):text "axx\nb")
  end)

  it("knows the ends of a line as ends of words", function()
    assert.equals("*\n*\nab\n* *", redactor({ { "%f[%w]a%f[%W]", "*" } }):text "a\na\nab\na a")
    assert.equals("a *\na *", redactor({ { "%f[%S]%w+", "*" } }):text "a b\na b") -- a NUL is no space
  end)

  it("keeps bytes that are no text", function()
    local red = redactor { "%z+x", "\255\254" }
    assert.equals("a\0\n[redacted][redacted]\195\169\n", red:text "a\0\n\0\0x\255\254\195\169\n")
    assert.equals("\0\0\n", redactor({ "secret" }):text "\0\0\n")
  end)

  it("knows graphic characters on every host", function()
    assert.equals("* \1*\n", redactor({ { "%g+", "*" } }):text "ab \1c\n")
    assert.equals("*\n*", redactor({ { "[%g ]+", "*" } }):text "ab c\nd")
    assert.equals("a*b\n", redactor({ { "%G+", "*" } }):text "a\1 b\n")
    assert.equals("*a", redactor({ { "[%%g]+", "*" } }):text "%g%a")
  end)

  it("hands back the very text when there is nothing to hide", function()
    local text = filler(300 * KB):gsub("word999", "\n")
    assert.equals(text, redactor({ "SECRET", "^X", "Y.*$", "%u+%f[%s]" }):text(text))
    assert.equals(
      text,
      redactor(function(line)
        return line
      end):text(text)
    )
  end)

  it("treats a text of many lines as string.gsub treats each of them", function()
    local alphabet = { "a", "b", "ab", "(", ")", " ", "\t", "=", "1", "\0", "\r", "\n", "\n\n", "\195\169", "%", "-" }
    local items = {
      "a",
      "b",
      ".",
      "%s",
      "%w",
      "%S",
      "%W",
      "%D",
      "[^a]",
      "[^%s]",
      "[]ab]",
      "[^]]",
      "[%s=]",
      "[a-]",
      "[^%w%-]",
      "%%",
      "\195\169",
      "%z",
      "%(",
      "\r",
      "[\1-\127]",
      "[%z\1-\9\11-\255]",
      "%c",
      "-",
    }
    local whole = { "%b()", "(a)", "(.-)" }
    for _, set in ipairs { "[%w]", "[%W]", "[%s]", "[%S]", "[^%w]", "[%z%s]", "[\1-\255]", "[%z\n]" } do
      whole[#whole + 1] = "%f" .. set
    end
    local tried = 0
    random.each(2000, function()
      local list = {}
      for i = 1, random.between(1, 2) do
        local pattern = random.chance(5) and "^" or ""
        for _ = 1, random.between(1, 4) do
          if random.chance(4) then
            pattern = pattern .. random.choose(whole)
          else
            pattern = pattern .. random.choose(items) .. random.choose { "", "", "*", "+", "-", "?" }
          end
        end
        if random.chance(5) then pattern = pattern .. "$" end
        list[i] = { pattern, random.choose { "*", "<%1>", "<%0%%>", "" } }
      end
      local ok, red = pcall(redactor, list)
      if not ok then return end
      tried = tried + 1
      local text = random.join(alphabet, random.below(40))
      local expected = by_lines(text, function(line)
        for _, rule in ipairs(list) do
          line = line:gsub(rule[1], rule[2])
        end
        return line
      end)
      local got, second = red:text(text), list[2] and list[2][1]
      must(got == expected, "%s, %s on %s: %s, expected %s", list[1][1], second, text, got, expected)
    end)
    assert.truthy(tried > random.found(500))
  end)

  it("refuses every pattern that string.gsub would refuse on some text", function()
    local bits = { "a", "b", "%", "[", "]", "^", "(", ")", "%b", "%f", "%1", "*", "-", "a", ".", "$", "%w" }
    local texts = { "", "a", "ab", "aabb]", "(ab)", "ba%[^", "bab.a" }
    random.each(2000, function()
      local pattern = random.join(bits, random.between(1, 6))
      if not pcall(redactor, { pattern }) then return end
      for _, text in ipairs(texts) do
        must(pcall(string.gsub, text, pattern, ""), "%s is malformed for %s", pattern, text)
      end
    end)
  end)
end)

describe("a function that fails #few", function()
  it("hides its line and keeps the first message", function()
    local red = redactor(function(line)
      if line:find "bad" then error("no " .. line, 0) end
      return line
    end)
    assert.is_nil(red.error)
    assert.equals("a\n[redacted]\n[redacted]\nb\n", red:text "a\nbad 1\nbad 2\nb\n")
    assert.equals("no bad 1", red.error)
  end)

  it("hides its line when it returns no string", function()
    for _, value in ipairs { 5, true, {} } do
      local red = redactor(function()
        return value
      end)
      assert.equals("[redacted]\n[redacted]", red:text "a\nb")
      assert.truthy(red.error:find "^the redact function returned .+ in place of a string$")
    end
    local red = redactor(function() end)
    assert.equals(MARK, red:text "a")
    assert.equals("the redact function returned nil in place of a string", red.error)
  end)

  it("may raise anything", function()
    local red = redactor(function()
      error(setmetatable({}, {
        __tostring = function()
          error "again"
        end,
      }))
    end)
    assert.equals("[redacted]\n", red:text "a\n")
    assert.equals("the redact function raised", red.error)
  end)

  it("shows nothing of a long line", function()
    local red = redactor(function(line)
      error(#line)
    end)
    local text = "a\n" .. filler(5 * PIECE) .. "\nb\n"
    assert.equals("[redacted]\n[redacted]\n[redacted]\n", red:text(text))
    assert.equals("[redacted]\n[redacted]\n[redacted]\n", in_chunks(red, text, 10007))
  end)

  it("may return several lines, or none", function()
    local red = redactor(function(line)
      return line == "x" and "1\n2" or ""
    end)
    assert.equals("1\n2\n\n1\n2", red:text "x\ny\nx")
  end)
end)

describe("a redacted stream #few", function()
  it("finds a secret however the text is split in two", function()
    local text = "first line\r\nkey=SECRET and SECRET\n\nq\195\169\0SECRET\nthe SECRETSECRET\n"
    text = text .. ("x"):rep(100) .. "SECRET"
    local expected = text:gsub("SECRET", MARK)
    for _, spec in ipairs { { "SECRET" }, with_gsub "SECRET" } do
      local red = redactor(spec)
      assert.equals(expected, red:text(text))
      for at = 0, #text do
        must(streamed(red, text, { at }) == expected, "split after %d", at)
      end
      for size = 1, 20 do
        must(in_chunks(red, text, size) == expected, "chunks of %d", size)
      end
    end
  end)

  it("does not depend on chunks, whatever the text", function()
    local specs = {
      { "a.-b", { "^(%w)", "<%1>" }, "x+$" },
      { { "%s+$", "" }, "bc", "%b()" },
      function(line)
        return (line:gsub("[ab]+", "<%0>"))
      end,
      function(line)
        return line:find "x" and "hidden" or line
      end,
    }
    random.each(400, function()
      local red = redactor(random.choose(specs))
      local text = random.text(300)
      local expected, cuts, at = red:text(text), {}, 0
      while at < #text do
        at = at + random.below(random.choose { 3, 20, 200 })
        if at < #text then cuts[#cuts + 1] = at end
      end
      local got = streamed(red, text, cuts)
      must(got == expected, "%s: %s, expected %s", text, got, expected)
    end)
  end)

  it("does not depend on chunks in long lines", function()
    local specs = {
      { "SECRET%w*", { "word(%d)", "w%1" }, "^w%d+", "%d+ $" },
      { { "%S+", "%0" } },
      { "W.*" },
      with_gsub "SECRET%w*",
      with_gsub("word(%d+)", "w%1"),
      with_gsub("^.", ">%0"),
      function(line)
        return line:find "SECRET" and "hidden" or line
      end,
    }
    random.each(40, function()
      local red = redactor(random.choose(specs))
      local parts = {}
      for i = 1, random.between(1, 4) do
        local size = PIECE + random.choose { -PIECE, 100 - PIECE, -1, 0, 1, 511, 512, 513 }
        if random.chance(2) then size = random.below(3 * PIECE) end
        local line = filler(size)
        local at = math.max(random.choose { PIECE, size } + random.between(-300, 300), 0)
        parts[i] = line:sub(1, at) .. random.choose { "", "SECRET ", "\0\195\169" } .. line:sub(at + 1)
      end
      local text = table.concat(parts, "\n") .. random.choose { "", "\n" }
      local expected, cuts, at = red:text(text), {}, 0
      while at < #text do
        at = at + 1 + random.below(random.choose { 500, 20000, 200000 })
        if at < #text then cuts[#cuts + 1] = at end
      end
      must(streamed(red, text, cuts) == expected, "a text of %d bytes", #text)
    end)
  end)

  it("holds back no more than it says, and hands on what it has", function()
    for spec, most in pairs { [{ "S%w*T", "X.*", "Y$" }] = PIECE + 511 + 3 * 257, [with_gsub "S"] = PIECE + 511 } do
      local red = redactor(spec)
      local stream, came, went = red:stream(), 0, 0
      local line = filler(7 * PIECE)
      for at = 1, #line, 1000 do
        local chunk = line:sub(at, at + 999)
        came, went = came + #chunk, went + #stream:feed(chunk)
        must(stream:held() <= most, "%d bytes held", stream:held())
        must(stream:held() == came - went, "%d bytes held, %d came, %d went", stream:held(), came, went)
      end
      assert.truthy(#stream:feed "\n" > 0)
      assert.equals(0, stream:held())
      assert.equals("short\n", stream:feed "short\n")
    end
  end)

  it("takes a megabyte byte by byte in little time and memory #few", function()
    for _, text in ipairs { filler(1024 * KB), (filler(1024 * KB):gsub("word%d%d9", "\n")) } do
      for _, spec in ipairs { { "SECRET", "^x%d", "%u+$" }, with_gsub "SECRET" } do
        local stream, parts, most = redactor(spec):stream(), {}, 0
        local started = os.clock()
        for at = 1, #text do
          parts[#parts + 1] = stream:feed(text:sub(at, at))
          if at % 1000 == 0 then most = math.max(most, #stream.parts) end
        end
        parts[#parts + 1] = stream:finish()
        must(os.clock() - started < 60, "%.1f s", os.clock() - started)
        must(most < 1000, "%d parts", most)
        must(table.concat(parts) == text, "the text changed")
      end
    end
  end)

  it("starts a new text when it is finished", function()
    local stream = redactor({ "^a", "b$" }):stream()
    assert.equals("", stream:feed "a")
    assert.equals(MARK, stream:finish())
    assert.equals("", stream:feed "ab")
    assert.equals("[redacted][redacted]", stream:finish())
  end)
end)

describe("a line over 64 KiB #few", function()
  local line = filler(PIECE + 2000)

  local function with_secret(secret, at, text)
    text = text or line
    return text:sub(1, at) .. secret .. text:sub(at + #secret + 1)
  end

  for kind, case in pairs {
    patterns = { spec = { "<%u+>" }, step = 1 },
    ["a function"] = { spec = with_gsub "<%u+>", step = 2 },
    ["a greedy function"] = { spec = with_gsub "%u+", step = 7 },
  } do
    local spec, step = case.spec, case.step
    it("hides a secret at every place around a border: " .. kind, function()
      local red = redactor(spec)
      for at in random.sweep(PIECE - 300, PIECE + 600, step) do
        local shown = red:text(with_secret("<TOPSECRETKEY>", at))
        must(nothing_left(shown), "a secret after byte %d shows", at)
        must(#shown >= #line - 20, "%d bytes are left with a secret after byte %d", #shown, at)
      end
      local longer = filler(4 * PIECE)
      for at = 3 * PIECE - 300, 3 * PIECE + 600, 37 do
        must(nothing_left(red:text(with_secret("<TOPSECRETKEY>", at, longer))), "a secret after byte %d shows", at)
      end
    end)

    it("hides secrets of every size up to 256 bytes: " .. kind, function()
      local red = redactor(spec)
      for size in random.sweep(256 - math.floor(253 / step) * step, 256, step) do
        local secret = "<" .. ("S"):rep(size - 2) .. ">"
        for _, back in ipairs { size - 1, math.floor(size / 2), 1, -255 } do
          must(nothing_left(red:text(with_secret(secret, PIECE - back))), "%d bytes, %d before the border", size, back)
        end
      end
    end)

    it("hides secrets side by side: " .. kind, function()
      local red = redactor(spec)
      for at in random.sweep(PIECE - 600, PIECE + 100, 9) do
        must(nothing_left(red:text(with_secret(("<ABCDEFGHIJ>"):rep(40), at))), "secrets from byte %d show", at)
      end
    end)
  end

  it("hides a secret of one byte at every place", function()
    for _, spec in ipairs { { "\1" }, with_gsub "\1" } do
      local red = redactor(spec)
      for at in random.sweep(PIECE - 300, PIECE + 300) do
        local expected = line:sub(1, at) .. MARK .. line:sub(at + 2)
        must(red:text(with_secret("\1", at)) == expected, "after byte %d", at)
      end
    end
  end)

  it("comes through unchanged when it has no secret", function()
    local lines = {
      line,
      ("\128"):rep(3 * PIECE),
      ("\195\169"):rep(2 * PIECE),
      ("\240\159\152\128"):rep(PIECE),
      ("a\0"):rep(2 * PIECE),
      ("\r"):rep(2 * PIECE + 1),
      (" "):rep(PIECE + 300),
    }
    for i, text in ipairs(lines) do
      for _, spec in ipairs { { "SECRET", "^SEC", "SEC$", "%u+%f[%s]" }, with_gsub "SECRET" } do
        local red = redactor(spec)
        must(red:text(text) == text and in_chunks(red, text .. "\n", 9999) == text .. "\n", "text %d changed", i)
      end
    end
  end)

  it("gives what string.gsub gives, as long as matches are short", function()
    local rules = {
      { "secret%d?", "*" },
      { "^word", "W" },
      { "%d+ $", "end" },
      { "(%d)(%d)%f[%D]", "%2%1" },
      { "%f[%w]w", "<%1>" },
      { "%s", "" },
      { "[^w]", "%0%0" },
      { "word(%d%d)1", "word%1secret" },
      { "(%w)%1", "=" },
      { ("."):rep(256), "%0!" },
      { ("%w?"):rep(5) .. "2 ", "2" },
    }
    random.each(12, function()
      local list = {}
      for i = 1, random.between(1, 3) do
        list[i] = random.choose(rules)
      end
      local text = filler(random.between(1, 4) * PIECE + random.below(600))
      local at = PIECE + random.between(-300, 300)
      text = text:sub(1, at) .. random.choose { "secret", "\0", " ", "\195\169" } .. text:sub(at + 1)
      local expected = text
      for _, rule in ipairs(list) do
        expected = expected:gsub(rule[1], rule[2])
      end
      must(in_chunks(redactor(list), text, 30000) == expected, "%s and %d more", list[1][1], #list - 1)
    end)
  end)

  it("hides a match of any size that patterns can follow", function()
    for _, pattern in ipairs { "KEY=%S+", "KEY=%S+%f[%z%s]", "KEY=[^ ]*", "(KEY=)%S-%f[^%w=]" } do
      local red = redactor { pattern }
      for _, size in ipairs { 257, 300, 5000, PIECE, 200000 } do
        for _, before in ipairs { 10, PIECE - 300, PIECE - 258, PIECE - 257, PIECE - 256, PIECE - 1 } do
          local text = line:sub(1, before) .. "KEY=" .. ("S"):rep(size - 4) .. " end\n"
          local expected = line:sub(1, before) .. MARK .. " end\n"
          must(red:text(text) == expected, "%s: %d bytes after byte %d", pattern, size, before)
        end
      end
    end
    assert.equals("a" .. MARK .. "\nb", redactor({ "KEY=.*$" }):text("aKEY=" .. filler(5 * PIECE) .. "\nb"))
    assert.equals("a%KEY=*", redactor({ { "(KEY=).*", "%%%1*" } }):text("aKEY=" .. filler(5 * PIECE)))
  end)

  it("never hands a function more than 64 KiB and two overlaps", function()
    local most, calls = 0, 0
    local red = redactor(function(text)
      most, calls = math.max(most, #text), calls + 1
      return text
    end)
    local text = filler(20 * PIECE)
    assert.equals(text, red:text(text))
    must(most <= PIECE + 512, "%d bytes", most)
    must(calls <= 20 * 6, "%d calls", calls)
  end)

  it("is hidden where a function allows no cut", function()
    local red = redactor(function(text)
      return "> " .. text
    end)
    assert.equals("> a\n[redacted]\n> b", red:text("a\n" .. filler(3 * PIECE) .. "\nb"))
    assert.equals("> " .. filler(PIECE), red:text(filler(PIECE)))
    -- one that hides whole lines hides the pieces with a secret, wherever it is
    red = redactor(function(text)
      return text:find "SECRET" and "hidden" or text
    end)
    local longer = filler(3 * PIECE)
    for _, at in ipairs { 10, PIECE - 3, PIECE, PIECE + 250, PIECE + 600, 2 * PIECE - 1 } do
      local shown = red:text(with_secret("SECRET", at, longer))
      must(nothing_left(shown), "the secret after byte %d shows", at)
      must(shown:sub(-1000) == longer:sub(-1000), "the end is lost with a secret after byte %d", at)
    end
  end)

  it("hides as little as it can around a secret without end", function()
    local red = redactor(with_gsub "%u+")
    local shown = red:text(with_secret(("S"):rep(1500), PIECE - 500))
    must(nothing_left(shown), "the secret shows")
    must(shown:sub(1, PIECE - 600) == line:sub(1, PIECE - 600), "the text in front is lost")
    must(#shown > #line - 8000, "%d bytes are left", #shown)
  end)

  it("takes its time in proportion to the line", function()
    local never = redactor(function(text)
      return "> " .. text
    end)
    local started = os.clock()
    assert.equals(MARK, never:text(filler(4 * 1024 * KB)))
    must(os.clock() - started < 60, "%.1f s", os.clock() - started)
  end)
end)

describe("redacted data #few", function()
  it("is a deep copy with every string redacted, keys too", function()
    local red = redactor { "S%u+" }
    local value = { "a SECRET", n = 5, yes = true, deep = { { SECRET = "x" }, "SAME\nSAME" } }
    local copy = red:data(value)
    assert.same({ "a [redacted]", n = 5, yes = true, deep = { { [MARK] = "x" }, "[redacted]\n[redacted]" } }, copy)
    assert.equals("a SECRET", value[1])
    assert.are_not.equal(value.deep, copy.deep)
    assert.equals("[redacted]", red:data "SECRET")
    assert.equals(7, red:data(7))
    assert.is_nil(red:data(nil))
    assert.is_false(red:data(false))
  end)

  it("keeps what stood under keys that become equal", function()
    local red = redactor { "S%u+" }
    for _ = 1, 5 do
      assert.same({ [MARK] = 1, [MARK .. " 2"] = 2, [MARK .. " 3"] = 3 }, red:data { SA = 1, SB = 2, SC = 3 })
    end
    assert.same({ [MARK] = 0, [MARK .. " 2"] = 1 }, red:data { [MARK] = 0, SA = 1 })
  end)

  it("follows cycles once, and drops metatables", function()
    local value = setmetatable({ "SECRET" }, { __index = { leak = "SECRET" } })
    value.self = value
    local copy = redactor({ "SECRET" }):data(value)
    assert.equals(copy, copy.self)
    assert.equals(MARK, copy[1])
    assert.is_nil(copy.leak)
  end)
end)

describe("a list of patterns whose metatable answers to any number #few", function()
  it("is what stands in it", function()
    local abridge = require "abridge"
    local list = setmetatable({ "key=%w+" }, {
      __index = function()
        return "x"
      end,
    })
    assert.equal("[redacted] x", (abridge.head("key=1 x", { max_bytes = 100, redact = list })))
  end)
end)
