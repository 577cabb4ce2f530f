-- One budget for several outputs of a call.
local abridge = require "abridge"
local budget = require "abridge.hosts.call_budget"
local random = require "support.random"

describe("a budget", function()
  it("is whole at first, and lessens by what was given", function()
    local limits = { strategy = "head", max_lines = 100, max_bytes = 1000, max_chars = 900, max_tokens = 800 }
    local mine = budget.new()
    assert.same({ max_lines = 100, max_bytes = 1000, max_chars = 900, max_tokens = 800 }, mine:left(limits))
    mine:give("é\nb", limits)
    assert.same(
      { max_lines = 97, max_bytes = 994, max_chars = 895 },
      (function()
        local left = mine:left(limits)
        assert.is_true(left.max_tokens < 800 and left.max_tokens > 790)
        left.max_tokens = nil
        return left
      end)()
    )
    assert.equal(100, limits.max_lines)
  end)

  it("is over when next to nothing of a limit is left", function()
    local mine, limits = budget.new(), { max_bytes = 1000 }
    mine:give(("x"):rep(978), limits)
    assert.equal(20, mine:left(limits).max_bytes)
    mine:give("", limits)
    assert.is_nil(mine:left(limits))
    assert.is_nil(mine:left { max_bytes = 10 })
    assert.same({ max_lines = 5 }, mine:left { max_lines = 5 })
  end)

  it("asks the limits' own counter for tokens", function()
    local mine, limits =
      budget.new(), {
        max_tokens = 100,
        count_tokens = function(text)
          return #text
        end,
      }
    mine:give("12345", limits)
    assert.equal(94, mine:left(limits).max_tokens)
  end)

  it("keeps the outputs of a call, joined by blank lines, within the limits", function()
    random.each(300, function()
      local limits = { [random.choose { "max_lines", "max_bytes", "max_chars" }] = random.below(2000) + 50 }
      local mine, given = budget.new(), {}
      for _ = 1, random.below(6) do
        local left = mine:left(limits)
        if not left then break end
        given[#given + 1] = abridge.cap(random.text(400), left)
        mine:give(given[#given], limits)
      end
      local all = table.concat(given, "\n\n")
      random.must(#all <= (limits.max_bytes or math.huge), "%d bytes", #all)
      random.must(abridge.count_chars(all) <= (limits.max_chars or math.huge), "chars")
    end)
  end)
end)
