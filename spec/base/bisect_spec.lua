-- Looking for a number by halving: every answer that there can be, and how often it asks.
local bisect = require "abridge.base.bisect"

describe("the last number that holds", function()
  it("is found whichever it is, without asking for 0 or above the most", function()
    for most = 0, 40 do
      for last = 0, most do
        local asked = 0
        local found = bisect.last(most, function(n)
          assert.is_true(n > 0 and n <= most)
          asked = asked + 1
          return n <= last
        end)
        assert.equal(last, found)
        assert.is_true(2 ^ asked <= 2 * most + 1, asked)
      end
    end
  end)
end)
