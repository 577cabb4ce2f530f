-- Sizes as people write them, and the counts of a text.
local abridge = require "abridge"

describe("format_size", function()
  it("is 1024-based, one decimal, a trailing .0 dropped", function()
    for n, want in pairs {
      [0] = "0B",
      [1] = "1B",
      [512] = "512B",
      [1023] = "1023B",
      [1024] = "1KB",
      [1536] = "1.5KB",
      [30720] = "30KB",
      [2411725] = "2.3MB",
      [2 ^ 30] = "1GB",
      [2 ^ 40] = "1TB",
      [2 ^ 53] = "8PB",
    } do
      assert.equal(want, abridge.format_size(n))
    end
  end)

  it("rounds halves up", function()
    assert.equal("1KB", abridge.format_size(1075)) -- 1.0498
    assert.equal("1.1KB", abridge.format_size(1076)) -- 1.0508
    assert.equal("1.3KB", abridge.format_size(1280)) -- 1.25
    assert.equal("1.8KB", abridge.format_size(1792)) -- 1.75
    assert.equal("58.6KB", abridge.format_size(60000))
  end)

  it("writes 1024 of a unit as 1 of the next", function()
    assert.equal("1023.9KB", abridge.format_size(1048524))
    assert.equal("1MB", abridge.format_size(1048525)) -- 1023.9502
    assert.equal("1MB", abridge.format_size(1048575))
    assert.equal("1GB", abridge.format_size(2 ^ 30 - 1))
    assert.equal("1TB", abridge.format_size(2 ^ 40 - 1))
  end)

  it("refuses what is no size", function()
    for _, n in ipairs { -1, 0.5, 2 ^ 53 + 2, 1 / 0, 0 / 0, "30KB", true, {} } do
      assert.has_error(function()
        abridge.format_size(n)
      end)
    end
    assert.has_error(abridge.format_size)
  end)
end)

describe("parse_size", function()
  it("reads what format_size prints, numbers, and either case", function()
    for text, want in pairs {
      ["512B"] = 512,
      ["512"] = 512,
      ["0"] = 0,
      ["30KB"] = 30720,
      ["30kb"] = 30720,
      ["30 KB"] = 30720,
      ["1.5mb"] = 1572864,
      ["2.3MB"] = 2411724,
      ["1GB"] = 2 ^ 30,
      ["8PB"] = 2 ^ 53,
    } do
      assert.equal(want, abridge.parse_size(text))
    end
    assert.equal(30720, abridge.parse_size(30720))
    assert.equal(2 ^ 53, abridge.parse_size(2 ^ 53))
  end)

  it("answers nil to what is no size", function()
    local wrong = {
      "",
      "KB",
      "-1",
      "1.",
      ".5KB",
      "1.5.5KB",
      "0x10",
      "1e3",
      "1,5",
      " 1",
      "1  KB",
      "30 KB ",
      "9PB",
      "1\0",
      -1,
      0.5,
      2 ^ 53 + 2,
      1 / 0,
      0 / 0,
      true,
      {},
    }
    for _, value in ipairs(wrong) do
      assert.is_nil(abridge.parse_size(value))
    end
    assert.is_nil(abridge.parse_size(nil))
  end)

  it("gives back what was printed", function()
    for n = 0, 60 do
      local text = abridge.format_size(2 ^ n % (2 ^ 53))
      assert.equal(text, abridge.format_size(abridge.parse_size(text)))
    end
  end)
end)

describe("a size as an option", function()
  it("may be a text", function()
    local text = ("x"):rep(40 * 1024)
    local content, cut = abridge.tail(text, { max_bytes = "30KB" })
    assert.equal(30720, #content)
    assert.equal(30720, cut.max_bytes)
    assert.equal(1536, #abridge.tail(text, { max_bytes = "1.5kb" }))
  end)

  it("is for bytes only", function()
    for _, key in ipairs { "max_lines", "max_chars", "max_tokens" } do
      assert.has_error(function()
        abridge.head("a", { [key] = "30KB" })
      end)
      assert.has_error(function()
        abridge.head("a", { [key] = "30" })
      end)
    end
  end)
end)

describe("count_lines", function()
  it("counts as sed, grep and Neovim do", function()
    for text, want in pairs {
      [""] = 0,
      a = 1,
      ["a\n"] = 1,
      ["a\n\n"] = 2,
      ["\n"] = 1,
      ["a\nb"] = 2,
      ["a\r\nb\r\n"] = 2,
      ["a\rb"] = 1,
      ["\0\n\0"] = 2,
    } do
      assert.equal(want, abridge.count_lines(text))
    end
    assert.equal(100000, abridge.count_lines(("x\n"):rep(100000)))
  end)

  it("refuses what is no text", function()
    assert.has_error(function()
      abridge.count_lines(12)
    end)
    assert.has_error(abridge.count_lines)
  end)
end)

describe("count_chars", function()
  local function counts(text)
    return { abridge.count_chars(text) }
  end

  it("counts code points, and bytes outside well-formed sequences", function()
    assert.same({ 0, 0 }, counts "")
    assert.same({ 3, 0 }, counts "a\0b")
    assert.same({ 3, 0 }, counts "\195\169\226\130\172\240\159\152\128")
    assert.same({ 1, 1 }, counts "\255")
    assert.same({ 2, 2 }, counts "\226\130") -- truncated
    assert.same({ 2, 2 }, counts "\192\128") -- overlong
    assert.same({ 3, 3 }, counts "\237\160\128") -- a surrogate
    assert.same({ 4, 4 }, counts "\244\144\128\128") -- over U+10FFFF
    assert.same({ 2, 0 }, counts "e\204\129") -- a combining accent
  end)
end)

describe("estimate_tokens", function()
  it("is an integer that does not fall as text grows", function()
    local before = 0
    for n = 0, 200 do
      local tokens = abridge.estimate_tokens(("ab \195\169"):rep(40):sub(1, n))
      assert.is_true(tokens >= before and tokens <= n and tokens % 1 == 0)
      before = tokens
    end
    assert.equal(0, abridge.estimate_tokens "")
  end)
end)
