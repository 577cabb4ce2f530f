-- The gateway as a plugin of APISIX: what it does to a request, with a stand-in for the parts of APISIX that it calls.
local encode = require "abridge.base.encode"
local gateway = require "abridge.gateway"
local host = require "abridge.base.host"

local json = host.json()
local CONF = { max_tokens = 900, limits = { run = { max_lines = 40 } } }

local function body_of(calls)
  local all = {}
  for i = 1, calls do
    all[#all + 1] = ('{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",'):format(i)
      .. '"function":{"name":"run","arguments":"{}"}}]}'
    all[#all + 1] = ('{"role":"tool","tool_call_id":"c%d","content":%s,"x":[],"n":12345678901234567}'):format(
      i,
      encode.string((i .. " a line of text\n"):rep(100))
    )
  end
  return '{ "model":"m", "tools":[], "messages":[' .. table.concat(all, " , ") .. "] }"
end

describe("the gateway in APISIX", function()
  local apisix, plugin, request, ctx

  before_each(function()
    request, ctx = { headers = {}, errors = {} }, {}
    rawset(_G, "ngx", {
      ERR = 4,
      var = {},
      header = request.headers,
      shared = {},
      log = function(_, ...)
        request.errors[#request.errors + 1] = table.concat { ... }
      end,
      req = {
        read_body = function() end,
        get_body_data = function()
          return request.body
        end,
        get_body_file = function() end,
        set_body_data = function(body)
          request.body = body
        end,
      },
    })
    apisix = {
      json = {
        decode = function(text)
          local ok, value = pcall(json.decode, text)
          return ok and value or nil
        end,
        encode = function(value)
          return (encode.json(value))
        end,
      },
      schema = {
        check = function(schema, conf)
          for key in pairs(conf) do
            if not schema.properties[key] and key ~= "_meta" then return false, "no " .. key end
          end
          return true
        end,
      },
    }
    package.loaded["apisix.core"] = apisix
    package.loaded["abridge.gateway.serving"], package.loaded["abridge.gateway.apisix"] = nil, nil
    plugin = require "abridge.gateway.apisix"
  end)

  after_each(function()
    rawset(_G, "ngx", nil)
    package.loaded["apisix.core"] = nil
  end)

  it("is a plugin before ai-proxy, which takes a right configuration and says what is wrong with others", function()
    assert.equal("abridge", plugin.name)
    assert.is_true(plugin.priority > 1041 and plugin.priority < 1070)
    assert.is_true(plugin.check_schema { max_tokens = { { "^gpt", 1000 } }, _meta = { disable = false } })
    assert.same({ false, "no colour" }, { plugin.check_schema { colour = 1 } })
    assert.same({ false, "max_tokens, limits or profile must be set" }, { plugin.check_schema {} })
    local fine, problem = plugin.check_schema { max_tokens = 1000, limits = { run = { max_lines = -1 } } }
    assert.is_false(fine)
    assert.truthy(problem:find("max_lines", 1, true))
  end)

  it("sends on what the gateway makes of the bytes that came", function()
    request.body = body_of(30)
    local expected, report = gateway.new(CONF):fit(request.body)
    assert.equal("fit", report.action)
    plugin.access(CONF, ctx)
    assert.equal(expected, request.body)
    assert.same({ ["X-Abridge"] = report.header }, request.headers)
    assert.is_nil(ctx.ai_request_body_changed) -- the bytes are the request
  end)

  it("changes a table that was read before it in place", function()
    request.body = body_of(30)
    local expected = gateway.new(CONF):fit(request.body)
    local known = json.decode(request.body)
    ctx._request_body_table = known
    plugin.access(CONF, ctx)
    assert.equal(expected, request.body)
    assert.equal(known, ctx._request_body_table)
    assert.same(json.decode(expected), known)
  end)

  it("fits what another plugin made of the table, not the bytes that came", function()
    request.body = body_of(1)
    local known = json.decode(body_of(30))
    ctx._request_body_table, ctx.ai_request_body_changed = known, true
    plugin.access(CONF, ctx)
    assert.truthy(request.headers["X-Abridge"]:find "^fit; ")
    assert.is_true(#encode.json(known) < #body_of(30) / 2)
    assert.same(json.decode(request.body), known)
  end)

  it("fits the bytes where a plugin says that it changed them, and they were read again", function()
    request.body = body_of(30)
    local expected = gateway.new(CONF):fit(request.body)
    ctx._request_body_table, ctx.ai_request_body_changed = json.decode(request.body), true
    plugin.access(CONF, ctx)
    assert.equal(expected, request.body)
  end)

  it("lets pass as it came what it cannot read or fails with, and tables too", function()
    for _, body in ipairs { "x", '{"messages":{"a":1}}', '{"messages":[],"messages":[]}' } do
      request.body = body
      plugin.access(CONF, ctx)
      assert.equal(body, request.body)
      assert.truthy(request.headers["X-Abridge"]:find '^passed; reason="')
    end
    request.body = body_of(30)
    plugin.access({ max_tokens = 0 }, ctx)
    assert.equal(body_of(30), request.body)
    assert.truthy(request.headers["X-Abridge"]:find "max_tokens")
    local known = json.decode(request.body)
    ctx._request_body_table = known
    function apisix.json.decode()
      return nil
    end
    plugin.access(CONF, ctx)
    assert.equal(body_of(30), request.body)
    assert.same(json.decode(request.body), known)
    assert.equal(5, #request.errors)
    request.body, request.headers["X-Abridge"] = nil, nil
    plugin.access(CONF, {})
    assert.is_nil(request.headers["X-Abridge"])
  end)
end)
