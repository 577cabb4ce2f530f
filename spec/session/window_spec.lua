-- Budgets that are a share of the model's window, and results that ask for room.
local abridge = require "abridge"
local history = require "abridge.history"
local mcp = require "abridge.mcp"
local openai = require "abridge.openai"
local plain = require "support.plain"

local LONG = ("word "):rep(200000)

local function tokens(text)
  return math.ceil(abridge.estimate_tokens(text) * 1.35)
end

local function open(opts)
  opts.run_dir = false
  return abridge.session(opts)
end

describe("a budget that is a share of the window", function()
  local session

  before_each(function()
    session = open { window = 200000, limits = { run_command = { max_tokens = "5%" }, mine = { max_tokens = "0.5%" } } }
  end)

  after_each(function()
    session:close()
  end)

  it("is a number in the limits in force, and in definitions", function()
    assert.equal(10000, session:limits("run_command").max_tokens)
    assert.equal(1000, session:limits("mine").max_tokens)
    for _, tool in ipairs(session:definitions "anthropic") do
      if tool.name == "run_command" then assert.truthy(tool.description:find("10000 tokens", 1, true)) end
    end
    for percent = 1, 100 do -- whole, whatever floats make of it
      local own = open { window = 100, limits = { mine = { max_tokens = percent .. "%" } } }
      assert.equal(percent, own:limits("mine").max_tokens)
      own:close()
    end
    local tiny = open { window = 10, limits = { mine = { max_tokens = "1%" } } }
    assert.equal(1, tiny:limits("mine").max_tokens)
    tiny:close()
  end)

  it("bounds a session's, a registered tool's and a value's output", function()
    session:register {
      name = "own",
      limits = { max_tokens = "1%" },
      execute = function()
        return LONG
      end,
    }
    assert.equal(2000, session:limits("own").max_tokens)
    for _, content in ipairs {
      session:call("own", {}).content,
      session:cap("other", LONG, { limits = { max_tokens = "1%" } }).content,
    } do
      assert.is_true(tokens(content) <= 2000 and tokens(content) > 1800)
    end
    assert.is_true(tokens(session:cap("mine", LONG).content) <= 1000)
  end)

  it("bounds a reply and a conversation", function()
    local calls, sum = {}, 0
    session:register {
      name = "long",
      execute = function()
        return LONG
      end,
    }
    for i = 1, 3 do
      calls[i] = { id = "c" .. i, type = "function", ["function"] = { name = "long", arguments = "{}" } }
    end
    local reply = { role = "assistant", tool_calls = calls }
    local messages = openai.results(session, reply, { max_tokens = "1%" })
    for _, message in ipairs(messages) do
      sum = sum + tokens(message.content)
    end
    assert.is_true(sum <= 2000 and sum > 1700)
    table.insert(messages, 1, reply)
    local function fits(share)
      return select(2, history.fit(messages, { format = "openai", max_tokens = share, session = session })).fits
    end
    assert.is_true(fits "5%")
    assert.is_false(fits "0.01%")
  end)

  it("is refused without a window, and where it is no share, at the caller's line", function()
    local without = open {}
    local reply = { role = "assistant", content = "" }
    local no_window = 'max_tokens is a share of the window, "5%", but the session has no window'
    local none = {
      ["abridge.session: limits.mine: "] = function()
        local opened = abridge.session { run_dir = false, limits = { mine = { max_tokens = "5%" } } }
        return opened
      end,
      ["session:register: limits of own: "] = function()
        without:register { name = "own", limits = { max_tokens = "5%" }, execute = print }
      end,
      ["session:cap: limits: "] = function()
        local result = without:cap("mine", "x", { limits = { max_tokens = "5%" } })
        return result
      end,
      ["openai.results: "] = function()
        local messages = openai.results(without, reply, { max_tokens = "5%" })
        return messages
      end,
      ["abridge.history.fit: "] = function()
        local messages = history.fit({}, { format = "openai", max_tokens = "5%" })
        return messages
      end,
    }
    for who, refused in pairs(none) do
      assert.equal(who .. no_window, plain.misuse(refused))
    end
    for _, wrong in ipairs { "5 %", "%", "0%", "101%", "-1%", "5", "1e1%" } do
      local ok, said = pcall(open, { window = 100, limits = { mine = { max_tokens = wrong } } })
      assert.is_false(ok)
      local wanted = 'max_tokens must be an integer from 0 to 2^53, or a share of the session\'s window such as "5%"'
      assert.truthy(said:find(wanted, 1, true), said)
      assert.is_false((pcall(openai.results, session, reply, { max_tokens = wrong })))
      assert.is_false((pcall(history.fit, {}, { format = "openai", max_tokens = wrong, session = session })))
    end
    without:close()
    for _, key in ipairs { "window", "max_result_chars" } do
      local said = plain.misuse(function()
        local opened = abridge.session { [key] = 0 }
        return opened
      end)
      assert.equal(("abridge.session: %s must be an integer from 1 to 2^53, got 0"):format(key), said)
    end
  end)
end)

describe("a foreign result that asks for chars", function()
  local function asking(chars)
    return { content = { { type = "text", text = LONG } }, _meta = { ["anthropic/maxResultSizeChars"] = chars } }
  end

  --- The sizes of that result, however it comes.
  local function sizes(session, chars)
    local hosted = mcp.cap("mine", asking(chars), { session = session }).content[1].text
    local called = session:call("own", { chars = chars }).content
    return { #session:cap("mine", asking(chars)).content, #called, #hosted }
  end

  local function opened(opts)
    local session = open(opts)
    session:register {
      name = "own",
      execute = function(input)
        return asking(input.chars)
      end,
    }
    return session
  end

  local function about(most, all)
    for i, size in ipairs(all) do
      assert.is_true(size <= most and size > most - 100, ("%d: %d of %d"):format(i, size, most))
    end
  end

  it("gets them up to the session's most, also over the profile's ceiling", function()
    local session = opened { max_result_chars = 300000 }
    about(50000, sizes(session, 50000))
    about(1000, sizes(session, 1000))
    about(200000, sizes(session, 200000.5))
    about(300000, sizes(session, 1e9))
    about(2000, { #session:cap("mine", asking(50000), { limits = { max_bytes = 2000 } }).content })
    for _, wrong in ipairs { "x", -1, 0 / 0, false } do
      about(30 * 1024, sizes(session, wrong))
    end
    about(30 * 1024, { #session:cap("mine", LONG).content }) -- no other result has them
    session:close()
  end)

  it("gets all of them if it may ask for as many as there can be", function()
    local session = opened { max_result_chars = 2 ^ 53 }
    assert.same({ #LONG, #LONG, #LONG }, sizes(session, 2 ^ 53))
    session:close()
  end)

  it("has its tool's limits if the session lets none ask", function()
    local session = opened {}
    about(30 * 1024, sizes(session, 50000))
    session:close()
  end)

  it("stays under a ceiling that the host gave", function()
    local session = opened { max_result_chars = 300000, ceiling = { max_bytes = 40000 } }
    about(40000, sizes(session, 200000))
    session:close()
  end)
end)
