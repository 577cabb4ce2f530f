-- What a model calls a tool with: checked against the schema, converted where that is plain, refused in one sentence.
local abridge = require "abridge"
local assert_plain_data = require "support.plain_data"
local contains = require "support.contains"
local host = require "abridge.base.host"
local one_tool = require "support.one_tool"

describe("input", function()
  local schema = {
    type = "object",
    properties = {
      name = { type = "string" },
      n = { type = "integer", minimum = 1, maximum = 10 },
      x = { type = "number" },
      on = { type = "boolean" },
      mode = { enum = { "a", "b" } },
      list = { type = "array", items = { type = "integer" } },
      deep = { type = "object", properties = { k = { type = "string" } }, required = { "k" } },
      either = { type = { "string", "integer" } },
    },
    required = { "name" },
  }

  ---The result of a call, and the input that the tool saw.
  local function call(input)
    local seen
    local result = one_tool(function(given)
      seen = given
      return "ok"
    end, { input_schema = schema }):call("tool", input)
    return result, seen
  end

  local function refused(input, ...)
    local result, seen = call(input)
    assert.is_nil(seen)
    assert.is_true(result.is_error)
    assert.equal("Invalid input: ", result.content:sub(1, 15))
    contains(result.content, ...)
    assert_plain_data(result)
  end

  local function accepted(input)
    local result, seen = call(input)
    assert.equal("ok", result.content)
    return seen
  end

  it("is a table or a JSON string", function()
    assert.same({ name = "a", n = 3 }, accepted { name = "a", n = 3 })
    assert.same({ name = "a", n = 3 }, accepted '{"name":"a","n":3}')
    assert.same({ name = "\195\169\n" }, accepted '{"name":"\\u00e9\\n"}')
  end)

  it("that is broken JSON is refused", function()
    refused '{"name":'
    refused ""
    refused "name=a"
    refused '{"name":"a"} trailing'
  end)

  it("that is no object is refused", function()
    refused "[1,2]"
    refused "5"
    refused '"name"'
    refused "true"
    refused "null"
    refused { "a", "b" }
    refused(5)
    refused(true)
  end)

  it("that is absent is an empty object", function()
    refused(nil, "name")
    local result = one_tool(function()
      return "ok"
    end):call "tool"
    assert.equal("ok", result.content)
  end)

  it("without a required field is refused, naming it", function()
    refused({}, "name is required")
    refused({ name = "a", deep = {} }, "deep.k is required")
  end)

  it("with a wrong field is refused, naming field and value", function()
    refused({ name = 5 }, "name", "string", "5")
    refused({ name = {} }, "name", "string")
    refused({ name = "a", n = "many" }, "n must be", "integer", '"many"')
    refused({ name = "a", n = 1.5 }, "n must be", "1.5")
    refused({ name = "a", n = "1.5" }, "n must be", "1.5")
    refused({ name = "a", n = "" }, "n must be")
    refused({ name = "a", n = "0x5" }, "n must be")
    refused({ name = "a", n = 0 }, "n must be", "1", "0")
    refused({ name = "a", n = 11 }, "n must be", "10", "11")
    refused({ name = "a", n = 0 / 0 }, "n must be")
    refused({ name = "a", n = math.huge }, "n must be")
    refused({ name = "a", n = true }, "n must be", "true")
    refused({ name = "a", x = "much" }, "x must be", "number")
    refused({ name = "a", on = "true" }, "on must be", "true or false")
    refused({ name = "a", mode = "c" }, "mode must be", '"a"', '"b"', '"c"')
    refused({ name = "a", list = { 1, "x" } }, "list[2]", "integer", '"x"')
    refused({ name = "a", list = 5 }, "list must be", "array")
    refused({ name = "a", deep = "k" }, "deep must be", "object")
    refused({ name = "a", deep = { k = 5 } }, "deep.k must be", "string")
    refused({ name = "a", either = true }, "either must be", "string", "integer")
  end)

  it("takes 5.0 and '5' for the integer 5", function()
    for _, five in ipairs { 5, 5.0, "5", "5.0" } do
      assert.equal("5", ("%s"):format(tostring(accepted({ name = "a", n = five }).n)))
    end
    assert.equal("5", tostring(accepted('{"name":"a","n":5.0}').n))
    assert.equal(-1.5, accepted({ name = "a", x = "-1.5" }).x)
    assert.same({ 1, 2 }, accepted({ name = "a", list = { "1", 2.0 } }).list)
    assert.equal("5", accepted({ name = "5" }).name) -- a string stays one
  end)

  it("takes JSON null for absent", function()
    local null = host.in_nvim and vim.NIL or require("cjson").null
    assert.same({ name = "a" }, accepted '{"name":"a","n":null,"deep":null}')
    assert.same({ name = "a" }, accepted { name = "a", n = null })
    refused('{"name":null}', "name is required")
    assert.same({ name = "a", deep = { k = "v" } }, accepted '{"name":"a","deep":{"k":"v","other":null}}')
  end)

  it("keeps fields that the schema does not name", function()
    assert.same({ name = "a", more = { 1, 2 } }, accepted { name = "a", more = { 1, 2 } })
  end)

  it("may hold empty lists and objects", function()
    assert.same({ name = "a", list = {} }, accepted '{"name":"a","list":[]}')
  end)

  it("is not changed", function()
    local input = { name = "a", n = "5", deep = { k = "v" } }
    local seen = accepted(input)
    seen.deep.k = "changed"
    assert.same({ name = "a", n = "5", deep = { k = "v" } }, input)
  end)

  it("is shown as valid UTF-8 and capped where it is wrong", function()
    refused { name = "a", n = "\255\254" }
    local result = call { name = "a", n = ("x"):rep(100000) }
    assert.is_true(#result.content < 1000)
    local _, invalid = abridge.count_chars(call({ name = "a", n = ("\195\169"):rep(50) }).content)
    assert.equal(0, invalid)
  end)
end)
