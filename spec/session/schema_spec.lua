-- What a model passes in, checked against a tool's schema (SPEC 11).
local abridge = require "abridge"
local json = require("abridge.base.host").json()
local schema = require "abridge.session.schema"

--- The schema of an object with these properties.
local function object(properties, required)
  return { type = "object", properties = properties, required = required }
end

local function checked(properties, input, required)
  local value, message = schema.checked(object(properties, required), input)
  assert.is_nil(message)
  return value
end

local function refused(properties, input, required)
  local value, message = schema.checked(object(properties, required), input)
  assert.is_nil(value)
  return message
end

local function is_integer(value)
  return math.type == nil or math.type(value) == "integer"
end

describe("schema: types", function()
  local right = {
    string = { "", "text", "5", "\0\255" },
    integer = { 0, 5, -3, 2 ^ 53 },
    number = { 0, 1.5, -2, 1e100 },
    boolean = { true, false },
    array = { {}, { 1 }, { "a", "b" } },
    object = { {}, { a = 1 } },
  }
  for kind, values in pairs(right) do
    it("takes a right " .. kind .. " as it is", function()
      for _, value in ipairs(values) do
        assert.same({ x = value }, checked({ x = { type = kind } }, { x = value }))
      end
    end)
  end

  local wrong = {
    { "string", 5, "x must be a string, got 5" },
    { "string", true, "x must be a string, got true" },
    { "string", {}, "x must be a string, got an empty array or object" },
    { "integer", 1.5, "x must be an integer, got 1.5" },
    { "integer", "1.5", 'x must be an integer, got "1.5"' },
    { "integer", "five", 'x must be an integer, got "five"' },
    { "integer", "", 'x must be an integer, got ""' },
    { "integer", "5 ", 'x must be an integer, got "5 "' },
    { "integer", "0x10", 'x must be an integer, got "0x10"' },
    { "integer", true, "x must be an integer, got true" },
    { "number", "much", 'x must be a number, got "much"' },
    { "number", {}, "x must be a number, got an empty array or object" },
    { "boolean", "true", 'x must be true or false, got "true"' },
    { "boolean", 1, "x must be true or false, got 1" },
    { "array", "a", 'x must be an array, got "a"' },
    { "array", { a = 1 }, "x must be an array, got an object" },
    { "object", "a", 'x must be an object, got "a"' },
    { "object", { 1, 2 }, "x must be an object, got an array" },
  }
  it("refuses a wrong one, naming field and value", function()
    for _, case in ipairs(wrong) do
      assert.equal(case[3], refused({ x = { type = case[1] } }, { x = case[2] }))
    end
  end)

  it("refuses what is no number", function()
    for _, value in ipairs { 0 / 0, math.huge, -math.huge } do
      assert.matches("^x must be a number, got ", refused({ x = { type = "number" } }, { x = value }))
      assert.matches("^x must be an integer, got ", refused({ x = { type = "integer" } }, { x = value }))
    end
  end)

  it('takes 5.0 and "5" for the integer 5', function()
    for _, value in ipairs { 5, 5.0, "5", "5.0", json.decode "5.0", json.decode '"5"' } do
      local out = checked({ x = { type = "integer" } }, { x = value }).x
      assert.equal(5, out)
      assert.is_true(is_integer(out))
    end
    assert.equal(-5, checked({ x = { type = "integer" } }, { x = "-5" }).x)
    assert.equal(1.5, checked({ x = { type = "number" } }, { x = "1.5" }).x)
  end)

  it("refuses an integer that no double holds", function()
    for _, value in ipairs { 1e20, -1e20, "99999999999999999999" } do
      assert.matches("^x must be ", refused({ x = { type = "integer" } }, { x = value }) or "nothing said")
    end
  end)

  it("leaves a string that looks like a number a string", function()
    assert.equal("5", checked({ x = { type = "string" } }, { x = "5" }).x)
  end)

  it("takes one of several types", function()
    local property = { type = { "string", "integer" } }
    assert.equal("a", checked({ x = property }, { x = "a" }).x)
    assert.equal(5, checked({ x = property }, { x = 5 }).x)
    assert.equal("x must be a string or an integer, got true", refused({ x = property }, { x = true }))
    assert.equal("007", checked({ x = { type = { "integer", "string" } } }, { x = "007" }).x)
    local list = { type = "array", items = { type = { "string", "null" } } }
    local null = json.null
    assert.same({ "a", null, "b" }, checked({ x = list }, { x = { "a", null, "b" } }).x)
  end)

  it("takes any value where no type is named", function()
    for _, value in ipairs { "a", 5, true, { 1 }, { a = 1 } } do
      assert.same({ x = value }, checked({ x = {} }, { x = value }))
      assert.same({ x = value }, (schema.checked({}, { x = value })))
    end
  end)
end)

describe("schema: required", function()
  it("names the field that is missing", function()
    assert.equal("path is required", refused({ path = { type = "string" } }, {}, { "path" }))
    assert.equal("b is required", refused({}, { a = 1 }, { "a", "b" }))
  end)

  it("is content with any value, false and empty ones too", function()
    assert.same({ a = false, b = "" }, checked({}, { a = false, b = "" }, { "a", "b" }))
  end)

  it("takes null for missing", function()
    assert.equal("path is required", refused({ path = { type = "string" } }, { path = json.null }, { "path" }))
  end)
end)

describe("schema: nulls", function()
  it("are dropped, named in the schema or not", function()
    local input = json.decode '{"offset":null,"path":"f","other":null}'
    assert.same({ path = "f" }, checked({ offset = { type = "integer" }, path = { type = "string" } }, input))
  end)

  it("are dropped from inner objects", function()
    local inner = object { b = { type = "integer" } }
    assert.same({ a = { c = 1 } }, checked({ a = inner }, json.decode '{"a":{"b":null,"c":1}}'))
  end)
end)

describe("schema: enum, minimum, maximum", function()
  it("enum takes its values alone", function()
    local property = { type = "string", enum = { "silent", "normal" } }
    assert.equal("silent", checked({ output = property }, { output = "silent" }).output)
    assert.equal(
      'output must be one of "silent", "normal", got "loud"',
      refused({ output = property }, { output = "loud" })
    )
    assert.equal(2, checked({ n = { type = "integer", enum = { 1, 2 } } }, { n = "2" }).n)
    assert.equal("n must be one of 1, 2, got 3", refused({ n = { enum = { 1, 2 } } }, { n = 3 }))
  end)

  it("minimum and maximum belong to the range", function()
    local property = { type = "integer", minimum = 1, maximum = 10 }
    for _, n in ipairs { 1, 5, 10, "10" } do
      assert.equal(tonumber(n), checked({ n = property }, { n = n }).n)
    end
    assert.equal("n must be at least 1, got 0", refused({ n = property }, { n = 0 }))
    assert.equal("n must be at most 10, got 11", refused({ n = property }, { n = "11" }))
    assert.equal("x must be at least 0.001, got 0", refused({ x = { type = "number", minimum = 0.001 } }, { x = 0 }))
  end)
end)

describe("schema: inner values", function()
  local sizes = { type = "array", items = { type = "integer", minimum = 0 } }
  local filter = object({ name = { type = "string" }, sizes = sizes }, { "name" })

  it("are checked and converted", function()
    assert.same(
      { filter = { name = "a", sizes = { 1, 2, 3 } } },
      checked({ filter = filter }, { filter = { name = "a", sizes = { 1, "2", 3.0 } } })
    )
  end)

  it("are named by their path", function()
    local properties = { filter = filter, list = { type = "array", items = filter } }
    assert.equal("filter.name is required", refused(properties, { filter = {} }))
    assert.equal("filter.name must be a string, got 5", refused(properties, { filter = { name = 5 } }))
    assert.equal(
      'filter.sizes[2] must be an integer, got "x"',
      refused(properties, { filter = { name = "a", sizes = { 1, "x" } } })
    )
    assert.equal(
      "list[2].sizes[1] must be at least 0, got -1",
      refused(properties, { list = { { name = "a" }, { name = "b", sizes = { -1 } } } })
    )
    assert.equal("list[1] must be an object, got 5", refused(properties, { list = { 5 } }))
  end)

  it("a null in a list is called null", function()
    local properties = { list = { type = "array", items = { type = "integer" } } }
    assert.equal("list[2] must be an integer, got null", refused(properties, json.decode '{"list":[1,null]}'))
  end)
end)

describe("schema: the input itself", function()
  it("is never changed in place", function()
    local inner = object { b = { type = "integer" } }
    local input = json.decode '{"a":{"b":"5","c":null},"n":"7","gone":null,"list":["1"]}'
    local before = json.encode(input)
    local value = checked({ a = inner, n = { type = "integer" }, list = { items = { type = "integer" } } }, input)
    assert.same({ a = { b = 5 }, n = 7, list = { 1 } }, value)
    assert.equal(before, json.encode(input))
    value.a.b = 6
    assert.equal(before, json.encode(input))
  end)

  it("keeps what the schema does not name", function()
    assert.same({ a = 1, b = "x" }, checked({ a = { type = "integer" } }, { a = 1, b = "x" }))
  end)

  it("must be an object", function()
    for _, case in ipairs { { "text", '"text"' }, { 5, "5" }, { true, "true" }, { { 1, 2 }, "an array" } } do
      local value, message = schema.checked({}, case[1])
      assert.is_nil(value)
      assert.equal("input must be an object, got " .. case[2], message)
    end
  end)

  it("may be empty", function()
    assert.same({}, (schema.checked({}, {})))
  end)
end)

describe("schema: in a session", function()
  local function session()
    local s = abridge.session { tools = {} }
    s:register {
      name = "add",
      input_schema = object({ a = { type = "integer" }, b = { type = "integer" } }, { "a" }),
      execute = function(input)
        return tostring(input.a + (input.b or 0))
      end,
    }
    return s
  end

  it("a right input reaches the tool converted", function()
    for _, input in ipairs { { a = 5 }, '{"a":5}', '{"a":5.0,"b":null}', '{"a":"5"}', { a = "5", b = 0.0 } } do
      assert.equal("5", session():call("add", input).content)
    end
  end)

  it("a wrong one gives an error result that names the field", function()
    for _, case in ipairs {
      { {}, "Invalid input: a is required" },
      { '{"a":null}', "Invalid input: a is required" },
      { '{"a":"x"}', 'Invalid input: a must be an integer, got "x"' },
      { { a = 1, b = {} }, "Invalid input: b must be an integer, got an empty array or object" },
      { "[1]", "Invalid input: input must be an object, got an array" },
      { "null", "Invalid input: input must be an object, got null" },
      { '{"a":1,"b":[1,2]}', "Invalid input: b must be an integer, got an array" },
      { '{"a":1,"b":{"c":1}}', "Invalid input: b must be an integer, got an object" },
      { 5, "Invalid input: input must be an object, got 5" },
    } do
      local result = session():call("add", case[1])
      assert.is_true(result.is_error)
      assert.equal(case[2], result.content)
    end
  end)

  it("broken JSON gives an error result too", function()
    for _, input in ipairs { "", "{", '{"a":}', "add 5" } do
      local result = session():call("add", input)
      assert.is_true(result.is_error)
      assert.matches("^Invalid input: not JSON: ", result.content)
    end
  end)
end)
