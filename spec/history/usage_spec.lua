-- history.fit: what the API counted takes the place of the margin.

local abridge = require "abridge"
local history = require "abridge.history"
local lines = require "support.numbered"
local merge = require "support.merge"

local messages = { { role = "user", content = "Go." } }
for i = 1, 20 do
  local part = { name = "look", arguments = "{}" }
  messages[2 * i] =
    { role = "assistant", content = "", tool_calls = { { id = "c" .. i, type = "function", ["function"] = part } } }
  messages[2 * i + 1] = { role = "tool", tool_call_id = "c" .. i, content = lines(100, "some line") }
end

--- The estimate of the first messages, without a margin.
local function bare(n)
  local tokens = 0
  for i = 1, n do
    local calls = messages[i].tool_calls and { "look", "{}" } or {}
    for _, text in ipairs { messages[i].content, (table.unpack or unpack)(calls) } do
      tokens = tokens + abridge.estimate_tokens(text)
    end
  end
  return tokens
end

local function tokens_with(usage, over)
  local opts = merge({ format = "openai", max_tokens = 1e6, usage = usage }, over)
  return select(2, history.fit(messages, opts)).tokens_before
end

local function factor_of(usage)
  local tokens = tokens_with(usage)
  for step = 14, 80 do
    if tokens_with(nil, { token_safety = step / 20 }) == tokens then return step / 20 end
  end
end

describe("usage", function()
  it("gives the factor, rounded up to a twentieth, within bounds", function()
    local n = 21
    local all = bare(n)
    for ratio, factor in pairs {
      [1] = 1,
      [1.01] = 1.05,
      [1.149] = 1.15,
      [2.5] = 2.5,
      [0.71] = 0.8,
      [0.8] = 0.8,
      [9] = 3.5,
      [0.69] = 1.35,
    } do
      assert.equal(factor, factor_of { tokens = math.floor(all * ratio), messages = n }, ratio)
      assert.equal(factor, factor_of { tokens = math.floor(all * ratio) + 700, messages = n, other = 700 }, ratio)
    end
  end)

  it("tells nothing of no messages, of more than there are, and beside a counter", function()
    assert.equal(1.35, factor_of { tokens = 5000, messages = 0 })
    assert.equal(1.35, factor_of { tokens = 5000, messages = 100 })
    assert.equal(1.35, factor_of { tokens = 500, messages = 21, other = 5000 })
    local function count(text)
      return #text
    end
    local counted = tokens_with(nil, { count_tokens = count })
    assert.equal(counted, tokens_with({ tokens = 3 * bare(21), messages = 21 }, { count_tokens = count }))
  end)

  it("counts of a host that gives back what it got leave what was shrunk as it is", function()
    local opts = { format = "openai", max_tokens = 6000, keep = 2 }
    local sent, before, factors = {}, {}, 0
    for i, message in ipairs(messages) do
      if message.role == "assistant" then
        local fitted, report = history.fit(sent, opts)
        assert.is_true(report.fits)
        for k, one in ipairs(fitted) do
          local old = before[k]
          if old and old.content:find "^%[" then assert.equal(old.content, one.content) end
        end
        before, sent = fitted, {}
        local tokens = 0
        for k, one in ipairs(fitted) do
          sent[k] = one
          tokens = tokens + abridge.estimate_tokens(one.content)
        end
        local ratio = i % 4 == 0 and 3.4 or 0.9
        opts.usage = { tokens = math.floor(ratio * tokens), messages = #fitted }
        factors = factors + 1
      end
      sent[#sent + 1] = message
    end
    assert.equal(20, factors)
  end)

  it("must say how many tokens and how many messages", function()
    local function refused(usage)
      local ok, why = pcall(history.fit, {}, { format = "openai", max_tokens = 1, usage = usage })
      assert.is_false(ok)
      return (tostring(why):gsub("^.-abridge.history.fit: ", ""))
    end
    assert.equal("usage must be a table, got 5", refused(5))
    assert.equal("usage.tokens must be an integer from 0 to 2^53, got nil", refused { messages = 1 })
    assert.equal("usage.messages must be an integer from 0 to 2^53, got nil", refused { tokens = 1 })
    assert.matches(
      "other must be an integer from 0 to 2%^53, got %-1",
      refused { tokens = 1, messages = 1, other = -1 }
    )
  end)
end)
