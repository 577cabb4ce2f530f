--- A gateway's pure part: the body of a request in, the body that goes on out.

local conversation = require "support.conversation"
local encode = require "abridge.base.encode"
local gateway = require "abridge.gateway"
local history = require "abridge.history"
local host = require "abridge.base.host"
local random = require "support.random"
local splice = require "abridge.base.splice"

local json = host.json()
local LISTS = { openai = "messages", responses = "input", anthropic = "messages" }

--- The messages of a body as they are spelled.
local function spelled(body, key)
  local at = splice.find(body, { "/" .. key })["/" .. key]
  local all = {}
  for i, place in ipairs((splice.list(body, 10000, at.first, at.last))) do
    all[i] = body:sub(place.first, place.last)
  end
  return all, body:sub(1, at.first), body:sub(at.last)
end

local function action_of(opts, body)
  local sent, report = gateway.new(opts):fit(body)
  assert.equal(body, sent)
  return report.header
end

--- A conversation with so many calls, each result of so many lines.
local function chat(calls, lines, head)
  local all = { '{"role":"user","content":"Go on.", "n":12345678901234567,"none":[ ],"o":{}}' }
  for i = 1, calls do
    all[#all + 1] = ('{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",'):format(i)
      .. ('"function":{"name":"run","arguments":"{\\"n\\": %d}"}}]}'):format(i)
    local text = ("a line of text, the %dth\\n"):format(i):rep(lines)
    all[#all + 1] = ('{"role":"tool" , "tool_call_id":"c%d","content":"%s"}'):format(i, text)
  end
  return (head or "{") .. ' "messages": [ ' .. table.concat(all, " ,\n") .. ' ],"temperature":1.0,"tools":[]}\n'
end

--- Do something with modules that have seen nothing yet, as in another worker.
local function in_another_worker(run)
  local kept = {}
  for name, module in pairs(package.loaded) do
    if name:find "^abridge" and name ~= "abridge.core" then kept[name] = module end
  end
  for name in pairs(kept) do
    package.loaded[name] = nil
  end
  local ok, why = pcall(run, require "abridge.gateway")
  for name, module in pairs(kept) do
    package.loaded[name] = module
  end
  assert(ok, why)
end

local function random_it(what, cases, property)
  it(what, function()
    random.each(cases, property)
  end)
end

describe("a gateway", function()
  for _, format in ipairs { "openai", "responses", "anthropic" } do
    random_it("sends what history.fit makes of messages of " .. format .. ", in the sender's bytes", 30, function()
      local made = conversation.new(format, random.between(2, 14), 4000)
      local max_tokens = random.between(300, 6000)
      local one = gateway.new { max_tokens = max_tokens }
      local key = LISTS[format]
      local before, head = {}, (format == "anthropic" and '{"system":"Be brief.", "' or '{ "') .. key .. '" :['
      local places = { made.places[random.between(1, #made.places)], #made.messages }
      for _, n in ipairs(places) do
        local given, texts = {}, {}
        for i = 1, n do
          texts[i] = before[i] or encode.json(made.messages[i]):gsub("[\128-\255]", "?")
          given[i] = json.decode(texts[i])
        end
        before = texts
        local body = head .. table.concat(texts, random.choose { ",", " ,\n " }) .. '] , "stop":[],"n":1.0}'
        local sent, report = one:fit(body)
        assert.equal(nil, report.reason)
        local expected, said = history.fit(given, { format = format, max_tokens = max_tokens })
        local own, first, last = spelled(sent, key)
        assert.same({ head, '] , "stop":[],"n":1.0}' }, { first, last })
        assert.equal(#expected, #own)
        local unchanged = {}
        for i, message in ipairs(given) do
          unchanged[message] = texts[i]
        end
        for i, message in ipairs(expected) do
          if unchanged[message] then
            assert.equal(unchanged[message], own[i])
          else
            assert.same(json.decode(encode.json(message)), json.decode(own[i]))
          end
        end
        for _, name in ipairs { "tokens_before", "tokens_after", "fits", "changed" } do
          assert.same(said[name], report[name])
        end
        if not said.first_changed then assert.equal(body, sent) end
        in_another_worker(function(other)
          assert.equal(sent, (other.new({ max_tokens = max_tokens }):fit(body)))
        end)
      end
    end)
  end

  it("leaves all bytes outside what changed as they came", function()
    local body = chat(12, 60, '{"seed":12345678901234567890, "x":{},"metadata":[]  ,')
    local sent, report = gateway.new({ max_tokens = 3000 }):fit(body)
    assert.equal(("fit; tokens=%d->%d"):format(report.tokens_before, report.tokens_after), report.header)
    assert.is_true(report.fits and report.tokens_before > 3000 and report.tokens_after <= 3000)
    assert.truthy(sent:find '^{"seed":12345678901234567890, "x":{},"metadata":%[%]  , "messages": %[ {"role":"user"')
    assert.truthy(sent:find('"n":12345678901234567,"none":[ ],"o":{}}', 1, true))
    assert.truthy(sent:find(' ],"temperature":1.0,"tools":[]}\n', 1, true))
    assert.truthy(sent:find('"tool_call_id":"c12","content":"a line', 1, true))
  end)

  it("keeps the prefix of a conversation that grows as long as history.fit does", function()
    local one, before, breaks = gateway.new { max_tokens = 4000 }, nil, 0
    for calls = 1, 60 do
      local sent, report = one:fit(chat(calls, 20))
      assert.is_true(report.fits)
      local messages = spelled(sent, "messages")
      local same = true
      for i = 1, before and #before or 0 do
        same = same and before[i] == messages[i]
      end
      if not same then breaks = breaks + 1 end
      before = messages
    end
    assert.is_true(breaks > 0 and breaks < 15, breaks)
  end)

  it("tells messages of the same bytes apart", function()
    local body = chat(12, 60)
    local text = spelled(body, "messages")
    local twice = body:gsub("%]}%s*$", "]}"):gsub(' %],"temp', function()
      return " ," .. text[1] .. " , " .. text[1] .. ' ],"temp'
    end)
    local one = gateway.new { max_tokens = 3000 }
    local sent = one:fit(twice)
    assert.equal(sent, (one:fit(twice)))
    local own = spelled(sent, "messages")
    assert.same({ text[1], text[1], text[1] }, { own[1], own[#own - 1], own[#own] })
  end)

  describe("caps results", function()
    it("by the limits of their tools, before the conversation is fit", function()
      local body = chat(3, 50)
      local sent, report = gateway.new({ limits = { run = { max_lines = 5 } } }):fit(body)
      assert.equal(3, report.capped)
      assert.equal(("capped; tokens=%d->%d"):format(report.tokens_before, report.tokens_after), report.header)
      assert.is_true(report.tokens_after < report.tokens_before / 2)
      local given, own = spelled(body, "messages"), spelled(sent, "messages")
      for i, text in ipairs(own) do
        if i % 2 == 0 or i == 1 then
          assert.equal(given[i], text)
        else
          local content = json.decode(text).content
          assert.truthy(content:find "Showing 5 of 50 lines")
          assert.equal(given[i]:match '^.-"content":', text:match '^.-"content":')
        end
      end
      in_another_worker(function(other)
        assert.equal(sent, (other.new({ limits = { run = { max_lines = 5 } } }):fit(body)))
      end)
      assert.equal(
        "capped",
        select(2, gateway.new({ profile = "default", limits = { run = { max_lines = 9 } } }):fit(body)).action
      )
    end)

    it("which share a limit where one has several texts", function()
      local function part(what)
        return ('{"type":"text","text":"%s"}'):format((what .. "\\n"):rep(40))
      end
      local body = '{"system":"s","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look",'
        .. '"input":{"n":10000000000000001}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'
        .. '"content":['
        .. part "one"
        .. ',{"type":"image","source":{"type":"url","url":"http://a/b"}},'
        .. part "two"
        .. "]}]}]}"
      local sent, report = gateway.new({ limits = { look = { max_lines = 20 } } }):fit(body)
      assert.equal(1, report.capped)
      local content = json.decode(sent).messages[2].content[1].content
      assert.same({ "text", "image", "text" }, { content[1].type, content[2].type, content[3].type })
      assert.truthy(content[1].text:find "Showing 10 of 40")
      assert.truthy(content[3].text:find "Showing 10 of 40")
      assert.truthy(sent:find('"n":10000000000000001', 1, true))
    end)

    it("alone where the API holds the messages before them", function()
      local output = ("a line\\n"):rep(400)
      for _, key in ipairs { "previous_response_id", "conversation" } do
        local body = ('{"%s":"x","input":[{"type":"function_call_output","call_id":"c","output":"%s"}]}'):format(
          key,
          output
        )
        local sent, report = gateway.new({ max_tokens = 200, limits = { ["*"] = { max_lines = 300 } } }):fit(body)
        assert.equal("capped", report.action)
        assert.truthy(json.decode(sent).input[1].output:find "300 of 400")
        assert.truthy(action_of({ max_tokens = 200 }, body):find "^whole; tokens=%d+$")
      end
    end)
  end)

  it("takes the first pattern that the model's name matches", function()
    local opts = { max_tokens = { { "^claude", 100000 }, { "mini", 2000 }, { "^gpt", 50000 } } }
    local function budget(model)
      local _, report = gateway.new(opts):fit(chat(12, 60, '{"model":' .. model .. ","))
      return report.action, report.reason
    end
    assert.equal("fit", (budget '"gpt-5-mini"'))
    assert.equal("whole", (budget '"gpt-5"'))
    for _, model in ipairs { '"o9"', "7", "null", '"' .. ("gpt"):rep(100) .. '"' } do
      assert.same({ "passed", "max_tokens has no pattern for this model" }, { budget(model) })
    end
  end)

  it("lets pass as it came what it cannot read, with a reason", function()
    local opts = { max_tokens = 100, limits = { ["*"] = { max_lines = 1 } }, max_body = 20000 }
    for body, reason in pairs {
      [""] = "the body cannot be read: ",
      ["x=1"] = "the body cannot be read: ",
      ["[]"] = "the body has no messages",
      ["{}"] = "the body has no messages",
      ['{"messages":null}'] = "the body has no messages",
      ['{"messages":{"a":1}}'] = "messages is no list, but of type object",
      ['{"messages":[],"messages":[]}'] = "twice",
      ['{"messages":[1]}'] = "message 1 is not a message of Chat Completions",
      ['{"messages":[[]]}'] = "message 1 is not",
      ['{"input":["a","b"]}'] = "message 1 is not an item of Responses",
      ['{"input":"text"}'] = "input is one text",
      ['{"input":[],"messages":[]}'] = "both",
      ['{"messages":[' .. ("["):rep(3000) .. ("]"):rep(3000) .. "]}"] = "nested",
      ['{"messages":[{"role":"user","content":"\255"}]}'] = "cannot be read",
      [(" "):rep(20001)] = "the body has 20001 bytes, more than max_body",
      ['{"messages":[' .. ("{},"):rep(6000) .. "{}]}"] = "message 1 is not",
    } do
      local header = action_of(opts, body)
      assert.truthy(header:find '^passed; reason="', header)
      assert.truthy(header:find(reason, 1, true), header)
      assert.is_nil(header:find "[^\32-\126]")
    end
    assert.equal("whole; tokens=0", action_of(opts, '{"messages":[]}'))
  end)

  random_it("never raises, whatever the body, and hands on JSON or what came", 200, function()
    local format = random.choose { "openai", "responses", "anthropic" }
    local made = conversation.new(format, 4, 600)
    local body = encode.json { [LISTS[format]] = made.messages, model = "m" }
    local one = gateway.new { max_tokens = 200, limits = { ["*"] = { max_lines = 3 } } }
    for _ = 1, random.between(1, 3) do
      local at = random.between(1, #body)
      local put = random.choose { "", "{}", "[]", "null", "1e999", '"', "0x1", '"content":', "\0", '"role":"tool",' }
      local value = body:match("^[^:]-:()", at)
      if value and random.chance(2) then
        local stop = body:match("^[^,}%]]*()", value)
        body = body:sub(1, value - 1) .. put .. body:sub(stop)
      else
        body = body:sub(1, at) .. put .. body:sub(at + 1)
      end
    end
    local sent, report = one:fit(body)
    if report.action == "passed" or report.action == "whole" then
      assert.equal(body, sent)
    else
      assert.equal("table", type(json.decode(sent)))
    end
  end)

  it("says what is wrong with its options", function()
    for _, case in ipairs {
      { nil, "max_tokens, limits or profile must be set" },
      { { max_token = 1 }, "unknown option 'max_token'" },
      { { max_tokens = 0 }, "max_tokens must be an integer" },
      { { max_tokens = {} }, "max_tokens must be a number or a list of { pattern, n }" },
      { { max_tokens = { { "[", 1 } } }, "max_tokens%[1%] has no pattern" },
      { { max_tokens = { { "a", 1 }, { "a" } } }, "max_tokens%[2%] has no such n" },
      { { max_tokens = 1, trigger = 2 }, "abridge.gateway.new: trigger must be a number from 0 to 1" },
      { { max_tokens = 1, trigger = 0.5 }, "target must be at most trigger" },
      { { max_tokens = 1, header = "a: b" }, "header must be a header's name or false" },
      { { max_tokens = 1, limits = { run = { max_line = 1 } } }, "max_line" },
      { { profile = "none" }, "unknown profile" },
    } do
      local ok, why = pcall(function()
        gateway.new(case[1])
      end)
      assert.is_false(ok)
      assert.truthy(why:find "^[^\n]*fit_spec.lua:%d+: abridge%.gateway%.new: ", why)
      assert.truthy(why:find(case[2]), why)
    end
  end)
end)
