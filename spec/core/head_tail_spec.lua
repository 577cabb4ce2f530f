-- head_tail: both ends within a budget, and the marker between them.
local abridge = require "abridge"
local byte_counter = require "support.byte_counter"
local plain = require "support.plain"

describe("head_tail", function()
  it("keeps lines at both ends, three tenths at the start", function()
    local content, cut = abridge.head_tail("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", { max_lines = 10 })
    assert.equal("1\n2\n3\n... [2 lines, 5 bytes omitted] ...\n6\n7\n8\n9\n10\n11\n12\n", content)
    assert.equal(10, cut.output_lines)
    assert.equal(2, cut.omitted_lines)
    assert.equal(5, cut.omitted_bytes)
    assert.equal("head_tail", cut.strategy)
    assert.same({
      { first_byte = 1, last_byte = 5, first_line = 1, last_line = 3 },
      { first_byte = 11, last_byte = 27, first_line = 6, last_line = 12 },
    }, cut.kept)
  end)

  it("is all tail at a ratio of 0, all head at 1", function()
    assert.equal("-\n3\n4", (abridge.head_tail("1\n2\n3\n4", { max_lines = 2, head_ratio = 0, marker_text = "-" })))
    assert.equal("1\n2\n-", (abridge.head_tail("1\n2\n3\n4", { max_lines = 2, head_ratio = 1, marker_text = "-" })))
  end)

  it("gives one side what the other cannot use", function()
    -- half of 20 bytes less the newline between: the head has a line of 7, and its next one does not fit
    local content = abridge.head_tail("1234567\n1234567\nab\ncd\nef\ngh\nij\nkl", {
      max_bytes = 20,
      head_ratio = 0.5,
      marker = "none",
    })
    assert.equal("1234567\nef\ngh\nij\nkl", content)
    -- the line before the last is too long for what the tail has left, the head takes that
    content = abridge.head_tail("a\nb\nc\nd\ne\n" .. ("x"):rep(20) .. "\nz", {
      max_bytes = 12,
      head_ratio = 0.3,
      marker = "none",
    })
    assert.equal("a\nb\nc\nd\ne\nz", content)
  end)

  it("splits a nearest line that is over its share", function()
    local content, cut = abridge.head_tail("abcdefghijklmno\nabcdefghijklmno", {
      max_bytes = 13,
      head_ratio = 0.5,
      marker_text = "-",
    })
    assert.equal("abcde\n-\nklmno", content)
    assert.is_true(cut.last_line_partial)
    assert.equal(2, cut.output_lines)
    assert.equal(0, cut.omitted_lines)
  end)

  it("counts a line that both sides cut once", function()
    local content, cut = abridge.head_tail("abcdefghijklmno", { max_bytes = 13, head_ratio = 0.5, marker_text = "-" })
    assert.equal("abcde\n-\nklmno", content)
    assert.equal(1, cut.output_lines)
    assert.equal(1, cut.kept[1].last_line)
    assert.equal(1, cut.kept[2].first_line)
  end)

  it("ignores long_line=omit", function()
    assert.equal("abcde\n-\nklmno", (abridge.head_tail("abcdefghijklmno", {
      max_bytes = 13,
      head_ratio = 0.5,
      marker_text = "-",
      long_line = "omit",
    })))
  end)

  it("cuts anywhere between chars with snap=char", function()
    local content, cut = abridge.head_tail("abcdefghijklmno", { max_chars = 10, snap = "char", marker = "outside" })
    assert.equal("abc\n\n... [5 characters truncated] ...\n\nijklmno", content)
    assert.equal(15, cut.total_chars)
    assert.equal("ab" .. "no", (abridge.head_tail("abcdefghijklmno", {
      max_bytes = 4,
      snap = "char",
      marker = "none",
      head_ratio = 0.5,
    })))
  end)

  describe("marker", function()
    local text = "a\nb\nc\nd\ne\nf"

    it("counts in the budget inside", function()
      local content = abridge.head_tail(text, { max_bytes = 7, head_ratio = 0.5, marker_text = "--" })
      assert.equal("a\n--\nf", content)
    end)

    it("comes on top of the budget when it is outside", function()
      local content =
        abridge.head_tail(text, { max_bytes = 7, head_ratio = 0.5, marker = "outside", marker_text = "--" })
      assert.equal("a\nb\n--\ne\nf", content)
    end)

    it("costs no tokens when it is outside", function()
      local counter = byte_counter()
      local content = abridge.head_tail(text, {
        max_tokens = 7,
        count_tokens = counter,
        head_ratio = 0.5,
        marker = "outside",
        marker_text = "a marker of many tokens",
      })
      assert.equal("a\nb\na marker of many tokens\ne\nf", content)
    end)

    it("is no way past the budget when it is empty and outside", function()
      local _, cut = abridge.head_tail("aaaa\nbbbb", { max_bytes = 8, marker = "outside", marker_text = "" })
      assert.is_true(cut.truncated)
      assert.is_true(cut.output_bytes <= 8)
    end)

    it("is none where asked for, and the sides still stand apart", function()
      local content, cut = abridge.head_tail(text, { max_bytes = 7, head_ratio = 0.5, marker = "none" })
      assert.equal("a\nb\ne\nf", content)
      assert.equal(4, cut.output_lines)
    end)

    it("is left out where it does not fit", function()
      assert.equal(
        "a\ne",
        (abridge.head_tail("a\nb\nc\nd\ne", { max_bytes = 4, head_ratio = 0.5, marker_text = "12345" }))
      )
      assert.equal("", (abridge.head_tail("a\nb\nc\nd\ne", { max_bytes = 0, marker_text = "1" })))
    end)

    it("has room for the source's totals", function()
      -- 5 digits are set aside for {bytes}, though 4 are printed in the end
      local opts = { max_bytes = 4005, head_ratio = 0, snap = "char", marker_text = "{bytes}" }
      local content, cut = abridge.head_tail(("x"):rep(10000), opts)
      assert.equal("6000" .. ("x"):rep(4000), content)
      assert.equal(6000, cut.omitted_bytes)
    end)

    it("prints lines, bytes and chars, and leaves other braces alone", function()
      local content = abridge.head_tail("a\n\195\169\nb\nc", {
        max_lines = 2,
        head_ratio = 0.5,
        marker_text = "{lines}/{bytes}/{chars}/{lines}/{line}/{}{%1",
      })
      assert.equal("a\n2/6/5/2/{line}/{}{%1\nc", content)
    end)

    it("never breaks the budget by the newline beside an empty first line", function()
      for _, ratio in ipairs { 0.3, 1 } do
        for budget = 0, 5 do
          local content = abridge.head_tail("\nabc\nd", { max_bytes = budget, head_ratio = ratio, marker_text = "-" })
          assert.is_true(#content <= budget)
          content = abridge.head_tail("\nabc\nd", { max_chars = budget, head_ratio = ratio, marker_text = "-" })
          assert.is_true(#content <= budget)
        end
      end
    end)

    it("is refused by head and tail", function()
      for _, name in ipairs { "head", "tail" } do
        for _, opts in ipairs { { marker = "inside" }, { marker_text = "-" } } do
          opts.max_bytes = 1
          plain.misuse(function()
            abridge[name]("a", opts)
          end, "marker", name)
          opts.strategy = name
          plain.misuse(function()
            abridge.cut("a", opts)
          end, "marker", name)
        end
      end
    end)
  end)

  it("gives the tail its part where the head's share, weighed with the marker, was too much", function()
    local content = abridge.head_tail("\na\r\nbc def ", {
      max_tokens = 5,
      count_tokens = function(text)
        return math.ceil(#text / 3) * 2
      end,
      head_ratio = 0.75,
      marker_text = "<{lines}>",
    })
    assert.equal("\n<1>\n ", content)
  end)

  it("tries the other side where one has no room for a char", function()
    -- the last char takes 3 bytes, the first one 2
    assert.equal("\195\169", (abridge.head_tail("\195\169\226\130\172", { max_bytes = 2, marker = "none" })))
    assert.equal("\195\169", (abridge.head_tail("\226\130\172\195\169", { max_bytes = 2, marker = "none" })))
  end)
end)
