-- The budget max_tokens: the estimate, counters of the host, and counters that fail.
local abridge = require "abridge"
local byte_counter = require "support.byte_counter"

local STRATEGIES = { "head", "tail", "head_tail" }

describe("max_tokens", function()
  it("weighs the estimate with token_safety", function()
    local text = "abcdefghi"
    local estimate = abridge.estimate_tokens(text)
    local fits = { max_tokens = estimate, token_safety = 1 }
    assert.equal(text, (abridge.head(text, fits)))
    for _, safety in ipairs { 1.01, 1.35, 2, 1000 } do
      local content, cut = abridge.head(text, { max_tokens = estimate, token_safety = safety, long_line = "split" })
      assert.equal("tokens", cut.truncated_by)
      assert.is_true(math.ceil(abridge.estimate_tokens(content) * safety) <= estimate)
    end
    assert.is_true(select(2, abridge.head(text, { max_tokens = estimate })).truncated)
  end)

  it("takes count_tokens at its word", function()
    local counter = byte_counter()
    assert.equal("bbb\n", (abridge.tail("aaa\nbbb\n", { max_tokens = 4, count_tokens = counter, token_safety = 100 })))
    assert.equal("bb\n", (abridge.tail("aaa\nbbb\n", { max_tokens = 3, count_tokens = counter })))
    assert.equal("aaa\nbbb\n", (abridge.tail("aaa\nbbb\n", { max_tokens = 8, count_tokens = counter })))
  end)

  it("bounds every cut to 16 bytes a token", function()
    local content, cut = abridge.tail(("x"):rep(100), {
      max_tokens = 2,
      count_tokens = function()
        return 0
      end,
    })
    assert.equal(32, #content)
    assert.equal("tokens", cut.truncated_by)
  end)

  it("asks count_tokens a logarithm of times", function()
    local text = ("0123456789\n"):rep(100000)
    for _, strategy in ipairs(STRATEGIES) do
      local counter, calls = byte_counter()
      local content = abridge.cut(text, { strategy = strategy, max_tokens = 500000, count_tokens = counter })
      assert.is_true(#content <= 500000 and #content > 499900)
      assert.is_true(calls.count <= 120)
      counter, calls = byte_counter()
      abridge.cut(
        ("x"):rep(1000000),
        { strategy = strategy, max_tokens = 400000, count_tokens = counter, long_line = "split" }
      )
      assert.is_true(calls.count <= 120)
      assert.is_true(calls.longest <= 16 * 400000)
    end
  end)

  it("asks nothing where no tokens are limited", function()
    local counter, calls = byte_counter()
    abridge.tail("a\nb\nc", { max_lines = 1, count_tokens = counter })
    assert.equal(0, calls.count)
  end)

  describe("with a counter that fails", function()
    local function raised_by(counter)
      local ok, value = pcall(abridge.tail, "aaa\nbbb\n", { max_tokens = 4, count_tokens = counter })
      assert.is_false(ok)
      return value
    end

    it("raises what it raised, be it what it may", function()
      local value = {}
      for _, thrown in ipairs { value, 42, true } do
        assert.equal(
          thrown,
          raised_by(function()
            error(thrown, 0)
          end)
        )
      end
      assert.equal(
        "a message",
        raised_by(function()
          error("a message", 0)
        end)
      )
    end)

    it("raises when a later call fails, for each strategy", function()
      for _, strategy in ipairs(STRATEGIES) do
        local fail_at, ok = 0
        repeat
          fail_at = fail_at + 1
          local calls = 0
          local thrown = { fail_at }
          local value
          ok, value = pcall(abridge.cut, "aaaa\nbbbb\ncccc\n", {
            strategy = strategy,
            max_tokens = 9,
            count_tokens = function(text)
              calls = calls + 1
              if calls == fail_at then error(thrown) end
              return #text
            end,
          })
          if not ok then
            assert.equal(thrown, value)
            assert.equal(fail_at, calls)
          end
        until ok or fail_at > 1000
        assert.is_true(ok and fail_at > 2)
      end
    end)

    it("names a result that is no count", function()
      for _, result in ipairs { -1, 1.5, 2 ^ 53 + 2, 0 / 0, 1 / 0, "12", true, {} } do
        assert.matches(
          "count_tokens",
          raised_by(function()
            return result
          end),
          1,
          true
        )
      end
      assert.matches("count_tokens", raised_by(function() end), 1, true)
    end)

    it("of cap says what it got, where only the notice is counted wrong", function()
      for _, answer in ipairs { {}, -1, 0.5, "7", 0 / 0, 2 ^ 54 } do
        local function counter(text)
          return text:find("[Showing", 1, true) and answer or #text
        end
        local ok, message = pcall(abridge.cap, ("a line\n"):rep(100), { max_tokens = 200, count_tokens = counter })
        assert.is_false(ok)
        assert.matches("count_tokens must return an integer from 0 to 2^53, got ", message, 1, true)
        assert.not_matches("attempt to", message)
      end
    end)

    it("does not let it yield", function()
      local thread = coroutine.create(function()
        local ok, message = pcall(abridge.tail, "aaa\nbbb\n", {
          max_tokens = 4,
          count_tokens = function()
            coroutine.yield()
            return 1
          end,
        })
        return "done", ok, message
      end)
      local resumed, where, ok = coroutine.resume(thread)
      assert.is_true(resumed)
      assert.equal("done", where)
      assert.is_false(ok)
    end)
  end)

  it("lets count_tokens cut texts of its own", function()
    local content = abridge.tail("aaa\nbbb\n", {
      max_tokens = 4,
      count_tokens = function(text)
        return #(abridge.head(text, { max_bytes = 100, max_tokens = 100 }))
      end,
    })
    assert.equal("bbb\n", content)
  end)
end)
