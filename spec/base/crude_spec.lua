local crude = require "abridge.base.crude"
local lines = require "support.numbered"
local random = require "support.random"

local function valid_utf8(text)
  return require("abridge").head(text, { max_bytes = #text, utf8 = "replace" }) == text
end

describe("a crude cut", function()
  it("gives a text that fits as it is", function()
    assert.equal("abc", crude.cut("abc", 3))
    assert.equal("", crude.cut("", 0))
    assert.equal(("x"):rep(10240), crude.cut(("x"):rep(10240)))
  end)

  it("keeps both ends of one that does not, and never a byte too many", function()
    local text = "start" .. ("x"):rep(100000) .. "end"
    local cut = crude.cut(text)
    assert.equal(10240, #cut)
    assert.equal("start", cut:sub(1, 5))
    assert.equal("end", cut:sub(-3))
    assert.truthy(cut:find("... [100008 bytes, cut to 10240] ...", 1, true))
    for budget = 0, 200 do
      assert.is_true(#crude.cut(text, budget) <= budget)
    end
  end)

  it("keeps no more lines than the budget says, of both ends, and says so", function()
    local cut, by = crude.cut(lines(100), { max_lines = 5 })
    assert.equal("line 1\nline 2\n... [100 lines, cut to 5] ...\nline 98\nline 99\nline 100", cut)
    assert.equal("lines", by)
    assert.equal("... [100 lines, cut to 1] ...\nline 100", (crude.cut(lines(100), { max_lines = 1 })))
    assert.equal("... [100 lines, cut to 0] ...", (crude.cut(lines(100), { max_lines = 0 })))
    assert.equal(lines(5) .. "\n", (crude.cut(lines(5) .. "\n", { max_lines = 5 })))
    cut, by = crude.cut(lines(5000), { max_lines = 2000, max_bytes = 30720 }) -- more would be within the bytes
    assert.matches("^line 1\n.*\nline 600\n%.%.%. %[5000 lines, cut to 2000%] %.%.%.\nline 3601\n.*line 5000$", cut)
    assert.equal("lines", by)
  end)

  it("is within every budget and never silent, whatever the text", function()
    local bits = { "a", "bb", "\n", "\n", "é", "😀", "a long word ", "\255" }
    for case = 1, random.some(2000) do
      random.start(case)
      local text = random.join(bits, random.below(80))
      local bytes, most = random.below(200), random.below(12)
      if random.chance(4) then most = nil end
      local cut, by = crude.cut(text, { max_bytes = bytes, max_lines = most })
      local where = ("seed %d, case %d: %s"):format(random.seed, case, cut)
      assert.is_true(#cut <= bytes, where)
      local marker = by and (cut:match "%.%.%. %[%d+ %a+, cut to %d+%] %.%.%." or cut:match "%[truncated%]")
      if not by then
        assert.equal(text, cut, where)
      elseif bytes >= 11 then
        assert.is_string(marker, where)
      end
      local shown = marker and cut:gsub(marker:gsub("%p", "%%%0") .. "\n?", "", 1) or cut
      if most then assert.is_true(crude.count_lines(shown) <= most, where) end
    end
  end)

  it("counts a char and a token as a byte at least, and tokens where they can be counted", function()
    assert.equal(100, #crude.cut(("x"):rep(500), { max_chars = 100 }))
    assert.equal(100, #crude.cut(("x"):rep(500), { max_tokens = 135 }))
    assert.equal(1600, #crude.cut(("x"):rep(5000), { max_tokens = 100, count_tokens = error }))
    local function count(text)
      return #text / 2
    end
    local cut = crude.cut(("x"):rep(5000), { max_tokens = 100, count_tokens = count })
    assert.is_true(count(cut) <= 100 and count(cut) > 90)
    assert.equal("", (crude.cut("text", { max_tokens = 0, count_tokens = count })))
  end)

  it("splits no char, whatever the budget", function()
    for _, char in ipairs { "é", "€", "😀" } do
      for budget = 0, 150 do
        local cut = crude.cut(char:rep(100), budget)
        assert.is_true(#cut <= budget)
        assert.is_true(valid_utf8(cut))
      end
    end
  end)

  it("ends at once on bytes that are no UTF-8", function()
    local cut = crude.cut(("\128"):rep(1000), 100)
    assert.is_true(#cut <= 100 and #cut > 60)
  end)

  it("takes what is not a string, and budgets that are none", function()
    assert.equal("nil", crude.cut(nil, 10))
    assert.equal("42", crude.cut(42))
    assert.equal(
      "table",
      crude.cut(setmetatable({}, {
        __tostring = function()
          error "no"
        end,
      }))
    )
    assert.equal(10240, #crude.cut(("x"):rep(40000), 0 / 0))
    assert.equal(10240, #crude.cut(("x"):rep(40000), "many"))
    assert.equal("", crude.cut("abc", -5))
    assert.equal("abc", crude.cut("abc", math.huge))
  end)

  it("needs nothing but Lua", function()
    local source = assert(io.open "lua/abridge/base/crude.lua"):read "*a"
    assert.is_nil(source:find "require")
  end)
end)
