-- head, tail, head_tail and cut: each rule of the contract as a fact.
local abridge = require "abridge"
local byte_counter = require "support.byte_counter"
local merge = require "support.merge"
local plain = require "support.plain"

local STRATEGIES = { "head", "tail", "head_tail" }

describe("lines", function()
  it("end at a newline or at the end of the text", function()
    for text, want in pairs { [""] = 0, a = 1, ["a\n"] = 1, ["a\n\n"] = 2, ["\n"] = 1, ["a\nb"] = 2 } do
      local _, cut = abridge.head(text, { max_lines = 9 })
      assert.equal(want, cut.total_lines)
      assert.equal(want, cut.output_lines)
      assert.equal(#text, cut.total_bytes)
    end
  end)

  it("keep their carriage return", function()
    assert.equal("a\r", (abridge.head("a\r\nb\r\n", { max_lines = 1 })))
    assert.equal("b\r\n", (abridge.tail("a\r\nb\r\n", { max_lines = 1 })))
    assert.equal("a\r\n- \nc\r\n", (abridge.head_tail("a\r\nb\r\nc\r\n", {
      max_lines = 2,
      head_ratio = 0.5,
      marker_text = "- ",
    })))
  end)

  it("may hold NUL bytes", function()
    assert.equal("a\0b", (abridge.head("a\0b\nc", { max_lines = 1 })))
    assert.equal("\0\0", (abridge.tail("a\n\0\0", { max_bytes = 2 })))
    local content, cut = abridge.tail("\0a\n\0", { max_lines = 5 })
    assert.equal("\0a\n\0", content)
    assert.equal(2, cut.total_lines)
  end)
end)

describe("a text that fits", function()
  it("comes back as it is, in one range", function()
    local text = "one\ntwo\n"
    for _, strategy in ipairs(STRATEGIES) do
      local content, cut = abridge.cut(text, { strategy = strategy, max_lines = 2, max_bytes = 8, max_chars = 8 })
      assert.equal(text, content)
      assert.same({
        strategy = strategy,
        truncated = false,
        total_lines = 2,
        total_bytes = 8,
        total_chars = 8,
        output_lines = 2,
        output_bytes = 8,
        output_chars = 8,
        omitted_lines = 0,
        omitted_bytes = 0,
        last_line_partial = false,
        first_line_exceeds_limit = false,
        max_lines = 2,
        max_bytes = 8,
        max_chars = 8,
        kept = { { first_byte = 1, last_byte = 8, first_line = 1, last_line = 2 } },
      }, cut)
    end
  end)

  it("has no range when it is empty", function()
    for _, strategy in ipairs(STRATEGIES) do
      local content, cut = abridge.cut("", { strategy = strategy, max_bytes = 0, max_lines = 0 })
      assert.equal("", content)
      assert.is_false(cut.truncated)
      assert.same({}, cut.kept)
    end
  end)

  it("is not copied", function()
    -- strings are compared by value, so memory tells: twenty copies would be 160 MB
    local text = ("x"):rep(8 * 1024 * 1024)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 20 do
      abridge.tail(text, { max_bytes = #text })
    end
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown < 1024)
  end)

  it("fits under the largest budgets", function()
    for _, strategy in ipairs(STRATEGIES) do
      local content, cut = abridge.cut("abc\n", {
        strategy = strategy,
        max_lines = 2 ^ 53,
        max_bytes = 2 ^ 53,
        max_chars = 2 ^ 53,
        max_tokens = 2 ^ 53,
      })
      assert.equal("abc\n", content)
      assert.is_false(cut.truncated)
    end
  end)
end)

describe("head", function()
  it("keeps whole lines from the start, without the newline at the cut", function()
    local content, cut = abridge.head("a\nb\nc\n", { max_lines = 2 })
    assert.equal("a\nb", content)
    assert.equal("lines", cut.truncated_by)
    assert.equal(2, cut.output_lines)
    assert.equal(3, cut.output_bytes)
    assert.equal(1, cut.omitted_lines)
    assert.equal(3, cut.omitted_bytes)
    assert.same({ { first_byte = 1, last_byte = 3, first_line = 1, last_line = 2 } }, cut.kept)
  end)

  it("takes no part of the next line", function()
    assert.equal("a\nb", (abridge.head("a\nb\nccc", { max_bytes = 3 })))
    assert.equal("a\nb", (abridge.head("a\nb\nccc", { max_bytes = 6 })))
    assert.equal("a", (abridge.head("a\nb\nccc", { max_bytes = 2 })))
    assert.equal("a\nb\nccc", (abridge.head("a\nb\nccc", { max_bytes = 7 })))
  end)

  it("keeps empty lines, at the edge too", function()
    local content, cut = abridge.head("a\n\n\nb", { max_lines = 3 })
    assert.equal("a\n\n", content)
    assert.equal(3, cut.output_lines)
    assert.equal(3, cut.kept[1].last_line)
    content, cut = abridge.head("\n\nb", { max_lines = 1 })
    assert.equal("", content)
    assert.equal(1, cut.output_lines)
    assert.equal(3, cut.omitted_bytes)
    assert.same({}, cut.kept)
  end)

  it("omits a first line over budget, and says so", function()
    local content, cut = abridge.head("abcdef\ng\n", { max_bytes = 5 })
    assert.equal("", content)
    assert.is_true(cut.first_line_exceeds_limit)
    assert.is_false(cut.last_line_partial)
    assert.equal("bytes", cut.truncated_by)
    assert.equal(0, cut.output_lines)
    assert.same({}, cut.kept)
  end)

  it("splits it between chars where asked to", function()
    local content, cut = abridge.head("abcd\195\169\ng\n", { max_bytes = 5, long_line = "split" })
    assert.equal("abcd", content)
    assert.is_true(cut.last_line_partial)
    assert.is_false(cut.first_line_exceeds_limit)
    assert.equal(1, cut.output_lines)
    assert.same({ { first_byte = 1, last_byte = 4, first_line = 1, last_line = 1 } }, cut.kept)
    assert.equal("abcd\195\169", (abridge.head("abcd\195\169x\ng\n", { max_bytes = 6, long_line = "split" })))
    assert.equal("ab", (abridge.head("abcd\n", { max_chars = 2, long_line = "split" })))
  end)

  it("splits no later line", function()
    assert.equal("a", (abridge.head("a\nbcdef", { max_bytes = 5, long_line = "split" })))
  end)

  it("does not blame the first line for a budget of no lines", function()
    local content, cut = abridge.head("abc", { max_lines = 0 })
    assert.equal("", content)
    assert.equal("lines", cut.truncated_by)
    assert.is_false(cut.first_line_exceeds_limit)
  end)
end)

describe("tail", function()
  it("keeps whole lines from the end, and the final newline", function()
    local content, cut = abridge.tail("a\nb\nc\n", { max_lines = 2 })
    assert.equal("b\nc\n", content)
    assert.equal("lines", cut.truncated_by)
    assert.equal(2, cut.omitted_bytes)
    assert.same({ { first_byte = 3, last_byte = 6, first_line = 2, last_line = 3 } }, cut.kept)
    assert.equal("b\nc", (abridge.tail("a\nb\nc", { max_lines = 2 })))
  end)

  it("starts at a line's start", function()
    assert.equal("b\nc", (abridge.tail("aaa\nb\nc", { max_bytes = 3 })))
    assert.equal("b\nc", (abridge.tail("aaa\nb\nc", { max_bytes = 6 })))
    assert.equal("c", (abridge.tail("aaa\nb\nc", { max_bytes = 2 })))
  end)

  it("keeps empty lines", function()
    local content, cut = abridge.tail("a\n\n\n", { max_lines = 2 })
    assert.equal("\n\n", content)
    assert.equal(2, cut.output_lines)
  end)

  it("splits a last line over budget between chars", function()
    local content, cut = abridge.tail("a\n\195\169bcd", { max_bytes = 4 })
    assert.equal("bcd", content)
    assert.is_true(cut.last_line_partial)
    assert.equal(1, cut.output_lines)
    assert.equal("bytes", cut.truncated_by)
    assert.same({ { first_byte = 5, last_byte = 7, first_line = 2, last_line = 2 } }, cut.kept)
    assert.equal("\195\169bcd", (abridge.tail("a\nx\195\169bcd", { max_bytes = 5 })))
  end)

  it("keeps the end of a line of 60,000 bytes", function()
    local content, cut = abridge.tail(("x"):rep(60000) .. "\n", { max_bytes = "30KB" })
    assert.is_true(#content == 30720 or #content == 30719)
    assert.is_true(cut.last_line_partial)
    assert.equal(30720, #(abridge.tail(("x"):rep(60000), { max_bytes = "30KB" })))
  end)

  it("omits a last line over budget with long_line=omit", function()
    local content, cut = abridge.tail("a\nbcdef", { max_bytes = 4, long_line = "omit" })
    assert.equal("", content)
    assert.equal("bytes", cut.truncated_by)
    assert.is_false(cut.first_line_exceeds_limit)
    assert.is_false(cut.last_line_partial)
    assert.same({}, cut.kept)
  end)
end)

describe("a final newline", function()
  it("that alone does not fit is no truncation", function()
    for _, strategy in ipairs(STRATEGIES) do
      for _, budget in ipairs { { max_bytes = 3 }, { max_chars = 3 } } do
        budget.strategy, budget.reserve = strategy, "a notice"
        local content, cut = abridge.cut("a\nb\n", budget)
        assert.equal("a\nb", content)
        assert.is_false(cut.truncated)
        assert.is_nil(cut.truncated_by)
        assert.is_true(cut.final_newline)
        assert.equal(1, cut.omitted_bytes)
        assert.equal(0, cut.omitted_lines)
        assert.same({ { first_byte = 1, last_byte = 3, first_line = 1, last_line = 2 } }, cut.kept)
      end
    end
  end)

  it("is not told of where all fits, or more is missing", function()
    assert.is_nil(select(2, abridge.head("a\n", { max_bytes = 2 })).final_newline)
    assert.is_nil(select(2, abridge.tail("ab\n", { max_bytes = 1 })).final_newline)
    assert.is_nil(select(2, abridge.tail("a\nb\n", { max_lines = 1, max_bytes = 3 })).final_newline)
  end)
end)

describe("truncated_by", function()
  local text = "aaaa\nbbbb\ncccc"

  it("is the first of lines, bytes, chars, tokens that forbids the next line", function()
    local function by(opts)
      opts.count_tokens = function(s)
        return #s
      end
      return select(2, abridge.head(text, opts)).truncated_by, select(2, abridge.tail(text, opts)).truncated_by
    end
    assert.same({ "lines", "lines" }, { by { max_lines = 1, max_bytes = 5, max_chars = 5, max_tokens = 5 } })
    assert.same({ "bytes", "bytes" }, { by { max_lines = 2, max_bytes = 5, max_chars = 5, max_tokens = 5 } })
    assert.same({ "chars", "chars" }, { by { max_lines = 2, max_bytes = 13, max_chars = 5, max_tokens = 5 } })
    assert.same({ "tokens", "tokens" }, { by { max_lines = 2, max_bytes = 13, max_chars = 13, max_tokens = 5 } })
  end)

  it("looks at the cut edge, not at the whole", function()
    local _, cut = abridge.head("a\n" .. ("b"):rep(50) .. "\nc\nd\ne", { max_lines = 3, max_bytes = 20 })
    assert.equal("bytes", cut.truncated_by)
    _, cut = abridge.tail("a\n" .. ("b"):rep(50) .. "\nc\nd\ne", { max_lines = 3, max_bytes = 20 })
    assert.equal("lines", cut.truncated_by)
  end)

  it("counts the reserve as taken", function()
    -- the reserve takes 12 bytes and 4 chars: the second line would fit the chars alone
    local _, cut = abridge.head(text, { max_bytes = 20, max_chars = 13, reserve = ("\226\130\172"):rep(4) })
    assert.equal("bytes", cut.truncated_by)
  end)

  it("is what forbids the tail's next line, for head_tail", function()
    assert.equal("bytes", select(2, abridge.head_tail(text, { max_lines = 2, max_bytes = 5 })).truncated_by)
    assert.equal("lines", select(2, abridge.head_tail(text, { max_lines = 1, max_bytes = 15 })).truncated_by)
    assert.equal("bytes", select(2, abridge.head_tail(text, { max_lines = 3, max_bytes = 5 })).truncated_by)
    assert.equal("chars", select(2, abridge.head_tail(text, { max_bytes = 14, max_chars = 13 })).truncated_by)
    assert.equal("tokens", select(2, abridge.head_tail(text, { max_bytes = 14, max_tokens = 1 })).truncated_by)
  end)

  it("is bytes where the text as shown is over them, whatever the tokens", function()
    -- 40 invalid bytes show as 120: over both, and bytes come first
    for _, strategy in ipairs(STRATEGIES) do
      local _, cut = abridge.cut(("\255"):rep(40), {
        strategy = strategy,
        max_bytes = 50,
        max_tokens = 2,
        utf8 = "replace",
      })
      assert.equal("bytes", cut.truncated_by)
    end
  end)
end)

describe("utf8", function()
  it("keeps invalid bytes as they are by default", function()
    local content, cut = abridge.head("\255\254\nabc", { max_bytes = 2 })
    assert.equal("\255\254", content)
    assert.equal(2, cut.output_bytes)
  end)

  it("shows each invalid byte as U+FFFD, at 3 bytes and 1 char", function()
    local content, cut = abridge.head("\255\254\nabc", { max_bytes = 6, utf8 = "replace" })
    assert.equal("\239\191\189\239\191\189", content)
    assert.equal(2, cut.output_bytes)
    assert.equal(6, cut.total_bytes)
    assert.equal("", (abridge.head("\255\254\nabc", { max_bytes = 5, utf8 = "replace" })))
    assert.equal("\239\191\189", (abridge.tail("ab\255", { max_chars = 1, utf8 = "replace" })))
  end)

  it("replaces in a text that fits, and says it is not cut", function()
    local content, cut = abridge.tail("a\255\n", { max_bytes = 5, utf8 = "replace" })
    assert.equal("a\239\191\189\n", content)
    assert.is_false(cut.truncated)
    assert.equal(3, cut.output_bytes)
    assert.same({ { first_byte = 1, last_byte = 3, first_line = 1, last_line = 1 } }, cut.kept)
  end)

  it("leaves valid text alone", function()
    local text = "\195\169\226\130\172\240\159\152\128"
    assert.equal(text, (abridge.head(text, { max_bytes = 9, utf8 = "replace" })))
  end)

  it("replaces in markers too", function()
    local content =
      abridge.head_tail("a\nb\nc", { max_lines = 2, head_ratio = 0.5, marker_text = "\255", utf8 = "replace" })
    assert.equal("a\n\239\191\189\nc", content)
  end)

  it("never cuts inside a well-formed sequence", function()
    local text = ("\240\159\152\128"):rep(5)
    for budget = 0, 20 do
      local whole = (budget - budget % 4)
      assert.equal(text:sub(1, whole), (abridge.head(text, { max_bytes = budget, long_line = "split" })))
      assert.equal(text:sub(21 - whole), (abridge.tail(text, { max_bytes = budget })))
    end
  end)
end)

describe("max_chars", function()
  it("counts code points, and says totals", function()
    local content, cut = abridge.tail("\195\169\195\169\n\195\169\195\169", { max_chars = 2 })
    assert.equal("\195\169\195\169", content)
    assert.equal("chars", cut.truncated_by)
    assert.equal(5, cut.total_chars)
    assert.equal(2, cut.max_chars)
    assert.is_nil(select(2, abridge.tail("abc", { max_bytes = 2 })).total_chars)
  end)
end)

describe("reserve", function()
  it("is set aside when the text is cut", function()
    assert.equal("bbb", (abridge.tail("aaa\nbbb", { max_bytes = 6, reserve = "[n]" })))
    assert.equal("bb", (abridge.tail("aaa\nbbb", { max_bytes = 5, reserve = "[n]" })))
    assert.equal("", (abridge.tail("aaa\nbbb", { max_bytes = 3, reserve = "[n]" })))
    assert.equal("", (abridge.tail("aaa\nbbb", { max_bytes = 2, reserve = "[n]" })))
  end)

  it("costs nothing where all fits", function()
    assert.equal("aaa\nbbb", (abridge.tail("aaa\nbbb", { max_bytes = 7, reserve = "a very long notice" })))
  end)

  it("is weighed in chars and tokens too, and is no line", function()
    assert.equal("bb", (abridge.tail("aaa\nbbb", { max_chars = 4, reserve = "\195\169\195\169" })))
    local counter = byte_counter()
    assert.equal("bb", (abridge.tail("aaa\nbbb", { max_tokens = 4, count_tokens = counter, reserve = "[]" })))
    assert.equal("bbb", (abridge.tail("aaa\nbbb", { max_lines = 1, reserve = "\n\n\n" })))
  end)

  it("stays alive while count_tokens runs", function()
    -- taken from the options table and collected, its memory must not be read
    local opts
    local junk = {}
    opts = {
      max_tokens = 50,
      reserve = ("r"):rep(300) .. os.time(),
      count_tokens = function(text)
        opts.reserve = nil
        collectgarbage()
        collectgarbage()
        for i = 1, 50 do
          junk[i] = ("j"):rep(300) .. #text .. i
        end
        local whole_text_alone = #text == 400
        assert(#junk == 50 and (whole_text_alone or text:match "^x*r+%d+$"), "the reserve is gone")
        return 100
      end,
    }
    assert.equal("", (abridge.tail(("x"):rep(400), opts)))
  end)
end)

describe("a budget of 0", function()
  it("cuts any non-empty text to nothing", function()
    for _, strategy in ipairs(STRATEGIES) do
      for _, key in ipairs { "max_bytes", "max_chars", "max_tokens", "max_lines" } do
        for _, long_line in ipairs { "omit", "split" } do
          for _, text in ipairs { "a", "a\nb\n", "\na", "\n\n", "\195\169" } do
            local opts = { strategy = strategy, long_line = long_line, [key] = 0 }
            if strategy == "head_tail" then opts.marker = "none" end
            local content, cut = abridge.cut(text, opts)
            assert.equal("", content)
            assert.is_true(cut.truncated)
            assert.equal(#text, cut.omitted_bytes)
            assert.same({}, cut.kept)
          end
        end
      end
    end
  end)
end)

describe("cut", function()
  it("is the strategy it names", function()
    local opts = { max_lines = 1 }
    for _, strategy in ipairs(STRATEGIES) do
      local content, cut = abridge.cut("a\nb\nc\n", { strategy = strategy, max_lines = 1 })
      local want, want_cut = abridge[strategy]("a\nb\nc\n", opts)
      assert.equal(want, content)
      assert.same(want_cut, cut)
    end
  end)

  it("is auto where none is named", function()
    local text = ("a line\n"):rep(50)
    for _, opts in ipairs { { max_lines = 5 }, { max_bytes = 60, head_ratio = 0.5, marker_text = "...\n" } } do
      local content, cut = abridge.cut(text, opts)
      local want, want_cut = abridge.auto(text, opts)
      assert.equal(want, content)
      assert.same(want_cut, cut)
    end
  end)

  it("is that of head_tail where auto finds text, options and all", function()
    local text = ("local function f(x)\n  return x + 1\nend\n\n"):rep(300)
    for _, opts in ipairs {
      { snap = "char" },
      { snap = "char", marker_text = "<{chars}>" },
      { head_ratio = 0.2 },
      { marker = "outside" },
      { marker = "none" },
      { long_line = "omit" },
    } do
      for _, budget in ipairs { 700, 1395, #text - 3 } do
        opts.max_bytes = budget
        local content, cut = abridge.auto(text, opts)
        assert.equal("text", cut.kind)
        local of_text = merge({ head_ratio = 0.7 }, opts)
        local want, want_cut = abridge.head_tail(text, of_text)
        assert.equal(want, content)
        want_cut.strategy, want_cut.kind = "auto", "text"
        assert.same(want_cut, cut)
      end
    end
  end)

  it("raises on an unknown strategy", function()
    plain.raises({ "strategy", "middle" }, abridge.cut, "a", { max_lines = 1, strategy = "middle" })
    plain.raises({ "strategy", "5" }, abridge.cut, "a", { max_lines = 1, strategy = 5 })
    plain.raises({ "strategy", "tail" }, abridge.head, "a", { max_lines = 1, strategy = "tail" })
  end)
end)

describe("an option", function()
  local function refused(key, value, shown, fn)
    plain.raises({ key, shown }, fn or abridge.head_tail, "a\nb\nc", { max_lines = 1, [key] = value })
  end

  it("that is unknown is named, with its value", function()
    refused("max_line", 7, "7")
    refused("maxLines", "x", "x")
    refused("Max_lines", true, "true")
    refused("", {}, "table")
    plain.raises({ "unknown", "1", "max_lines" }, abridge.head, "a", { "max_lines" })
    plain.raises({ "unknown", "true" }, abridge.head, "a", { max_lines = 1, [true] = 5 })
  end)

  it("that is no count is named, with its value", function()
    for _, key in ipairs { "max_lines", "max_bytes", "max_chars", "max_tokens" } do
      refused(key, -1, "-1")
      refused(key, 1.5, "1.5")
      refused(key, 2 ^ 53 + 2, "9.00")
      refused(key, 1 / 0, "inf")
      refused(key, 0 / 0, "nan")
      refused(key, true, "true")
      refused(key, {}, "table")
      refused(key, "many", "many")
    end
  end)

  it("of the wrong kind is named, with its value", function()
    refused("count_tokens", "words", "words")
    refused("count_tokens", {}, "table")
    refused("token_safety", -1, "-1")
    refused("token_safety", 0, "got 0")
    refused("token_safety", 1001, "1001")
    refused("token_safety", 0 / 0, "nan")
    refused("token_safety", "1", "1")
    refused("reserve", 5, "5")
    refused("reserve", true, "true")
    refused("utf8", "strict", "strict")
    refused("utf8", true, "true")
    refused("long_line", "cut", "cut")
    refused("head_ratio", 1.1, "1.1")
    refused("head_ratio", -0.1, "-0.1")
    refused("head_ratio", 0 / 0, "nan")
    refused("head_ratio", "0.5", "0.5")
    refused("snap", "word", "word")
    refused("marker", "between", "between")
    refused("marker", true, "true")
    refused("marker_text", 5, "5")
  end)

  it("may not be missing where a budget is needed", function()
    for _, strategy in ipairs(STRATEGIES) do
      plain.raises({ "max_lines", "max_bytes", "max_chars", "max_tokens" }, abridge[strategy], "a", {})
      plain.raises({ "opts" }, abridge[strategy], "a")
      plain.raises({ "opts", "30" }, abridge[strategy], "a", 30)
    end
  end)

  it("is not taken for another by what follows a NUL", function()
    plain.raises({ "max_bytes" }, abridge.head, "abc", { max_lines = 1, ["max_bytes\0x"] = 1 })
  end)

  it("that is wrong is blamed on the caller's line", function()
    local _, message = pcall(function()
      abridge.head("a", { max_line = 1 })
    end)
    assert.matches("cut_spec.lua:%d+:", message)
  end)

  it("does not change the options given", function()
    local opts = { strategy = "head", max_bytes = "1KB", reserve = "x" }
    abridge.cut("a", opts)
    assert.same({ strategy = "head", max_bytes = "1KB", reserve = "x" }, opts)
  end)
end)

describe("a text", function()
  it("that is none is refused", function()
    for _, strategy in ipairs(STRATEGIES) do
      for _, value in ipairs { 5, true, {} } do
        plain.raises({ "text" }, abridge[strategy], value, { max_bytes = 1 })
      end
      plain.raises({ "text" }, abridge[strategy], nil, { max_bytes = 1 })
    end
  end)
end)

describe("the markers of a ledger", function()
  local random = require "support.random"

  --- A content without what the ledger says are markers, and these.
  local function without_markers(content, cut)
    local parts, markers, at = {}, {}, 0
    for i, marker in ipairs(cut.markers or {}) do
      parts[i] = content:sub(at + 1, marker.first_byte - 1)
      markers[i] = content:sub(marker.first_byte, marker.last_byte)
      random.must(marker.first_byte > at and marker.last_byte >= marker.first_byte, "marker %s", i)
      at = marker.last_byte
    end
    return table.concat(parts) .. content:sub(at + 1), markers
  end

  it("are all of the content that is not kept text", function()
    random.each(300, function()
      local text = random.text(120)
      local opts = { max_bytes = random.below(100), utf8 = random.choose { "keep", "replace" } }
      opts.strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" }
      if opts.strategy == "head_tail" then opts.snap = random.choose { "line", "char" } end
      local content, cut = abridge.cut(text, opts)
      local kept = {}
      for i, range in ipairs(cut.kept) do
        kept[i] = text:sub(range.first_byte, range.last_byte)
        if opts.utf8 == "replace" then kept[i] = abridge.head(kept[i], { max_bytes = 2 ^ 40, utf8 = "replace" }) end
      end
      local left, markers = without_markers(content, cut)
      random.must(left == table.concat(kept), "%s is left of %s", left, content)
      random.must(#markers == 0 or cut.truncated, "a marker in a whole text")
      random.must(#markers > 0 or cut.markers == nil, "an empty list")
    end)
  end)

  it("are told of pipeline and its headings, and inside a wrapper", function()
    local content, cut = abridge.pipeline(("a line\n"):rep(50), { max_lines = 10, indicators = true })
    local _, markers = without_markers(content, cut)
    assert.truthy(table.concat(markers):find("[40 lines truncated]", 1, true))
    assert.truthy(table.concat(markers):find("[First 3 lines of 50]", 1, true))
    content, cut = abridge.cap("```\n" .. ("a line\n"):rep(50) .. "```\n", {
      strategy = "head_tail",
      max_lines = 12,
    }, { wrapper = true })
    _, markers = without_markers(content, cut)
    assert.same(1, #markers)
    assert.matches("^\n?... %[%d+ lines, %d+ bytes omitted%] ...\n$", markers[1])
  end)

  it("are those of the ceiling alone where that cuts in place of the tool's limits", function()
    local session = abridge.session { tools = {}, run_dir = false, ceiling = { max_bytes = 400 } }
    session:register {
      name = "probe",
      limits = { max_lines = 100, strategy = "head_tail", head_ratio = 0.1, marker_text = "~{lines}~" },
      execute = function()
        return ("0123456789\n"):rep(500)
      end,
    }
    local result = session:call("probe", {})
    local _, markers = without_markers(result.content, result.details.cut)
    assert.matches("bytes truncated; head %+ tail kept", markers[1])
    assert.equal(1, #markers)
    session:close()
  end)
end)
