--- The gateway in a real nginx with ngx_lua, before a stub that says what it was sent. No luv is there to load.

local gateway = require "abridge.gateway"
local host = require "abridge.base.host"
local nginx = require "support.nginx"

local json = host.json()
local PATHS = { "/v1/chat/completions", "/v1/responses", "/v1/messages" }

--- A request with so many calls, for each of the three APIs; each result has so many lines.
local function request(api, calls, lines)
  local all = {}
  for i = 1, calls do
    local text = ("a line of text, the %dth\\n"):format(i):rep(lines)
    local shapes = {
      '{"role":"assistant","content":"ID","tool_calls":[{"id":"cID","type":"function","function":'
        .. '{"name":"run","arguments":"{}"}}]} , {"role":"tool","tool_call_id":"cID","content":"TEXT", "x":[]}',
      '{"type":"function_call","call_id":"cID","name":"run","arguments":"{}"} , '
        .. '{"type":"function_call_output","call_id":"cID","output":"TEXT", "x":[]}',
      '{"role":"assistant","content":[{"type":"tool_use","id":"cID","name":"run","input":{}}]} , '
        .. '{"role":"user","content":[{"type":"tool_result","x":[],"tool_use_id":"cID","content":"TEXT"}]}',
    }
    all[i] = shapes[api]:gsub("ID", i):gsub("TEXT", text)
  end
  local first = '{"role":"user","content":"Go on.","n":12345678901234567}, '
  local key = api == 2 and '"input"' or '"messages"'
  return '{"model":"m", ' .. key .. ": [" .. first .. table.concat(all, " , ") .. '],"tools":[], "stream":false}'
end

describe("the gateway in nginx #check", function()
  local one, OPTIONS = nil, { max_tokens = 12000, limits = { run = { max_lines = 40 } } }
  local INIT =
    [[gateway = require("abridge.gateway.nginx").new { max_tokens = 12000, limits = { run = { max_lines = 40 } },
    counters = "abridge", variable = "abridge" }]]

  setup(function()
    assert(nginx.is_here(), "no nginx in build/nginx: .ci/nginx.sh")
    one = nginx.start(INIT)
  end)

  teardown(function()
    one:stop()
  end)

  it("sends on what the gateway makes of a body, also of one that nginx put in a file, for each API", function()
    for api, path in ipairs(PATHS) do
      for _, lines in ipairs { 10, 39, 400 } do
        local body = request(api, 40, lines)
        local expected, report = gateway.new(OPTIONS):fit(body)
        assert.equal(report.action, lines == 10 and "whole" or "fit")
        assert.equal(expected, (one:post(path, body)))
        assert.equal(report.header, one:header())
      end
    end
    assert.same({}, one:errors())
  end)

  it("holds a conversation of 449 requests to its budget, and another worker sends the same bytes", function()
    local config, before, breaks = {}, nil, 0
    for i = 1, 449 do
      one.dir:write("body" .. i, request(1, i, 10))
      config[i] = ('data-binary = "@body%d"\nurl = "http://x/v1/chat/completions"\noutput = "sent%d"\n'):format(i, i)
        .. ('dump-header = "headers%d"\nheader = "Expect:"\nunix-socket = "gateway.sock"\nsilent\n'):format(i)
    end
    one.dir:write("config", table.concat(config, "next\n"))
    one.dir:run "curl -K config"
    for i = 1, 449 do
      local sent, given = one.dir:read("sent" .. i), one.dir:read("body" .. i)
      local after = one.dir:read("headers" .. i):match "X%-Abridge: [^\r\n]-(%d+)\r"
      assert.is_true(after ~= nil and tonumber(after) <= 12000, one.dir:read("headers" .. i))
      local messages = json.decode(sent).messages
      if before then
        local same = true
        for k, message in ipairs(before) do
          same = same and messages[k] ~= nil and message.content == messages[k].content
        end
        if not same then breaks = breaks + 1 end
      end
      assert.equal(given:match '^.-"n":%d+}, ', sent:match '^.-"n":%d+}, ')
      assert.equal(given:sub(-34), sent:sub(-34))
      before = messages
    end
    assert.is_true(breaks > 5 and breaks < 40, breaks)
    local other = nginx.start(INIT)
    local last = other:post(PATHS[1], one.dir:read "body449")
    other:stop()
    assert.equal(one.dir:read "sent449", last)
    assert.equal((gateway.new(OPTIONS):fit(one.dir:read "body449")), last)
  end)

  it("works by the lines of doc/gateway.md, and both of its workers send the same bytes", function()
    local documented = nginx.start_as_documented()
    local body, first = request(1, 300, 39), nil
    for _ = 1, 12 do
      local sent = documented:post(PATHS[1], body)
      local after = tonumber(documented:header():match "^fit; tokens=%d+%->(%d+)$")
      assert.is_true(after ~= nil and after <= 60000, documented:header())
      first = first or sent
      assert.equal(first, sent)
    end
    assert.same({}, documented:errors())
    assert.truthy(documented.dir:read("access.log"):find "^%S+ [%d.]+ 200 fit; tokens=%d+%->%d+\n")
    documented:stop()
  end)

  it("lets events of an answer through as they come", function()
    one.dir:write("request", request(1, 40, 39))
    local curl = "curl -sSN -m 20 --unix-socket gateway.sock"
    local out = one.dir:run(
      (
        curl
        .. ' --data-binary @request http://x/stream | { read -r first; echo "$first"; '
        .. curl
        .. " http://x/go; cat; }"
      )
    )
    assert.truthy(out:find "^data: %d+\n\ndata: %[DONE%]\n\n$", out)
  end)

  it("lets pass as it came what it cannot read, says so once in the error log, and counts", function()
    local function counters()
      local all = {}
      for key, n in one.dir:run("curl -sS --unix-socket gateway.sock http://x/counters"):gmatch "(%S+) (%d+)" do
        all[key] = tonumber(n)
      end
      return all
    end
    local before = counters()
    local bodies = { "x", '{"messages":{"a":1}}', ("["):rep(5000), '{"messages":[],"messages":[]}', ("\0"):rep(100000) }
    for _, body in ipairs(bodies) do
      for _ = 1, 2 do
        assert.equal(body, (one:post(PATHS[1], body)))
        assert.truthy(one:header():find '^passed; reason="')
      end
    end
    local long = (" "):rep(4 * 1024 * 1024 + 1)
    assert.equal(long, (one:post(PATHS[1], long)))
    assert.truthy(one:header():find "more than max_body")
    assert.equal(long, (one:post(PATHS[1], long, "-H 'Transfer-Encoding: chunked'")))
    assert.truthy(one:header():find "more bytes than max_body")
    one.dir:run "curl -sS --unix-socket gateway.sock http://x/none"
    assert.equal(4, #one:errors()) -- two of them for the same reason
    local after = counters()
    assert.same({ 12, 12, 10 }, {
      after.requests - before.requests,
      after.passed - before.passed,
      after.unreadable - before.unreadable,
    })
    assert.is_true(after.tokens_before > after.tokens_after and after.tokens_after > 0 and after.changed > 300)
    local log = one.dir:read "access.log"
    assert.truthy(log:find "200 fit; tokens=%d+%->%d+\n")
    assert.truthy(log:find "200 passed; reason=")
  end)

  it("lets all pass where an option is wrong, there is no core or no memory", function()
    local body = request(1, 40, 39)
    local low = "gateway = require('abridge.gateway.nginx').new { max_tokens = 12000, count_tokens = function() "
    for reason, how in pairs {
      ["abridge.gateway.new: unknown option 'max_token'"] = {
        "gateway = require('abridge.gateway.nginx').new { max_token = 1 }",
      },
      ["abridge: its core (abridge/core.so) is missing"] = { INIT, nil, false },
      ["not enough memory"] = { low .. " error('not enough memory', 0) end }" },
      ["counters must be a string"] = {
        "gateway = require('abridge.gateway.nginx').new { max_tokens = 1, counters = {} }",
      },
    } do
      local server = nginx.start(how[1], how[2], how[3])
      for _ = 1, 3 do
        assert.equal(body, (server:post(PATHS[1], body)))
        assert.truthy(server:header():find(reason, 1, true), server:header())
      end
      local errors = server:errors()
      server:stop()
      assert.equal(1, #errors)
      assert.truthy(errors[1]:find(reason, 1, true))
    end
  end)
end)
