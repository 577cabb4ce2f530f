local crude = require "abridge.crude"

local function valid_utf8(text)
  return require("abridge").head(text, { max_bytes = #text, utf8 = "replace" }) == text
end

describe("a crude cut", function()
  it("gives a text that fits as it is", function()
    assert.equal("abc", crude.cut("abc", 3))
    assert.equal("", crude.cut("", 0))
    assert.equal(("x"):rep(30720), crude.cut(("x"):rep(30720)))
  end)

  it("keeps both ends of one that does not, and never a byte too many", function()
    local text = "start" .. ("x"):rep(100000) .. "end"
    local cut = crude.cut(text)
    assert.equal(30720, #cut)
    assert.equal("start", cut:sub(1, 5))
    assert.equal("end", cut:sub(-3))
    assert.truthy(cut:find("... [100008 bytes, cut to 30720] ...", 1, true))
    for budget = 0, 200 do
      assert.is_true(#crude.cut(text, budget) <= budget)
    end
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
    assert.equal("table", crude.cut(setmetatable({}, { __tostring = function() error "no" end })))
    assert.equal(30720, #crude.cut(("x"):rep(40000), 0 / 0))
    assert.equal(30720, #crude.cut(("x"):rep(40000), "many"))
    assert.equal("", crude.cut("abc", -5))
    assert.equal("abc", crude.cut("abc", math.huge))
  end)

  it("needs nothing but Lua", function()
    local source = assert(io.open("lua/abridge/crude.lua")):read "*a"
    assert.is_nil(source:find "require")
  end)
end)
