-- Values of tools as text: the same bytes in every run, and words for what JSON cannot say.
local abridge = require "support.unsaved"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"

local json = host.json()

local function nested(depth, innermost)
  local value = innermost
  for _ = 1, depth do
    value = { value }
  end
  return value
end

describe("JSON of a value", function()
  it("has the keys of a table in order, whatever order they were set in", function()
    local names = {}
    for i = 1, 40 do
      names[i] = ("key%d"):format(i)
    end
    local forth, back = {}, {}
    for i = 1, #names do
      forth[names[i]], back[names[#names + 1 - i]] = i, #names + 1 - i
    end
    local text = encode.json(forth)
    assert.equal(text, encode.json(back))
    table.sort(names)
    local found = {}
    for name in text:gmatch '"(key%d+)"' do
      found[#found + 1] = name
    end
    assert.same(names, found)
    assert.same(forth, json.decode(text))
  end)

  it("is read back by the host's library", function()
    for _, value in ipairs {
      { a = { 1, 2, { b = "c" } }, ["d e"] = true, f = false },
      { '\0\1\31\127"\\/\b\f\n\r\t\195\169' },
      { 0, -1, 1.5, 0.1, 1e300, 1 / 3, 2 ^ 53, -2 ^ 53, 1e-7 },
      { { {} and 1 } },
    } do
      assert.same(value, json.decode((encode.json(value))))
    end
    assert.equal('{"a":null,"b":{}}', encode.json { a = json.null, b = {} })
    assert.equal("[1,null,3]", encode.json { 1, nil, 3 })
    assert.equal('{"1":"a","n":1}', encode.json { "a", n = 1 })
    assert.equal('"a/b"', encode.json "a/b")
    assert.equal("[3,3]", encode.json { 3, 3.0 })
  end)

  it("is refused with the place and the reason", function()
    local cycle = { a = { {} } }
    cycle.a[1].b = cycle.a
    local cases = {
      { cycle, "a[1].b holds itself" },
      { { a = { b = { 1, 0 / 0 } } }, "a.b[2] is nan" },
      { { 1 / 0 }, "[1] is inf" },
      { { x = -1 / 0 }, "x is -inf" },
      { { a = { print } }, "a[1] is a function" },
      { { a = coroutine.create(function() end) }, "a is a thread" },
      { { [true] = 1 }, "it has a key that is a boolean" },
      { { a = { [{}] = 1 } }, "a has a key that is a table" },
      { { [1 / 0] = 1 }, "it has a key that is inf" },
      { { [1] = "a", ["1"] = "b", x = 1 }, "it has the key 1 twice, as a number and as text" },
      { { [1e6] = 1 }, "it is a list with too many holes" },
      { nested(1001, 1), "it is over 1000 tables deep" },
      { print, "it is a function" },
      { 0 / 0, "it is nan" },
    }
    for _, case in ipairs(cases) do
      local text, problem = encode.json(case[1])
      assert.is_nil(text)
      assert.equal(case[2], problem)
    end
    assert.equal(("["):rep(1000) .. "1" .. ("]"):rep(1000), encode.json(nested(1000, 1)))
    local _, problem = encode.json { [("\195\169"):rep(80)] = print }
    assert.equal(("\195\169"):rep(50) .. "... is a function", problem)
  end)

  it("takes what comes again, but not for ever #few", function()
    local shared = { 1 }
    assert.equal("[[1],[1]]", encode.json { shared, shared })
    local bomb = { 1 }
    for _ = 1, 40 do
      bomb = { bomb, bomb }
    end
    local _, problem = encode.json(bomb)
    assert.equal("it has more than 1000000 values", problem)
  end)

  it("asks no metatable", function()
    local function boom()
      error "asked"
    end
    local mt = { __index = boom, __len = boom, __pairs = boom, __ipairs = boom, __tostring = boom, __eq = boom }
    assert.equal('{"a":[1]}', encode.json(setmetatable({ a = setmetatable({ 1 }, mt) }, mt)))
  end)
end)

describe("a tool's value that JSON has no form for", function()
  local function result_of(value, raises)
    local session = abridge.session { tools = {} }
    session:register {
      name = "t",
      execute = function()
        if raises then error(value, 0) end
        return value
      end,
    }
    local result = session:call("t", {})
    session:close()
    return result
  end

  local function odd_values()
    local cycle = {}
    cycle.me = cycle
    return {
      { cycle, "This value cannot be written as JSON: me holds itself" },
      { { x = 0 / 0 }, "This value cannot be written as JSON: x is nan" },
      { { 1, { 1 / 0 } }, "This value cannot be written as JSON: [2][1] is inf" },
      { nested(3000, 1), "This value cannot be written as JSON: it is over 1000 tables deep" },
      { { f = print }, "This value cannot be written as JSON: f is a function" },
      { { f = io.stdout }, "This value cannot be written as JSON: f is a userdata" },
      { { [print] = 1 }, "This value cannot be written as JSON: it has a key that is a function" },
    }
  end

  it("is an error that says what is wrong, returned, as content, raised, or capped", function()
    for _, case in ipairs(odd_values()) do
      local value, said = case[1], case[2]
      local session = abridge.session { tools = {} }
      for _, result in ipairs {
        result_of(value),
        result_of(value[1] == nil and { content = value } or value), -- content that is a list is MCP's
        result_of(value, true),
        session:cap("t", value),
      } do
        assert.is_true(result.is_error)
        assert.equal(said, result.content)
      end
      session:close()
      assert.equal(said, (abridge.cap(value)))
    end
    local told = setmetatable({ print }, {
      __tostring = function()
        return "a handle"
      end,
    })
    assert.equal("a handle", result_of(told).content)
    assert.is_false(result_of(told).is_error)
  end)

  it("never shows where it lies in memory", function()
    local named = setmetatable({ f = print }, { __name = "my.type" })
    local thread = coroutine.create(function() end)
    local values = { thread, { { print } }, named, { content = print }, { content = { a = print } } }
    for _, raises in ipairs { false, true } do
      for _, value in ipairs(values) do
        local result = result_of(value, raises)
        assert.is_true(result.is_error)
        assert.is_nil(result.content:find "0x" or result.content:find "builtin")
        assert.equal(result.content, result_of(value, raises).content)
        assert.is_nil((abridge.cap(value)):find "0x")
      end
    end
    for _, result in ipairs { result_of(print, true), result_of { content = print } } do -- one returned cancels
      assert.equal("function: neither text nor a value that can be written as JSON", result.content)
    end
    local crude = require "abridge.base.crude"
    for _, value in ipairs { {}, print, named, thread } do
      assert.equal(type(value), crude.cut(value))
    end
    assert.equal(
      "a handle",
      crude.cut(setmetatable({}, {
        __tostring = function()
          return "a handle"
        end,
      }))
    )
    assert.equal("table", crude.cut(setmetatable({}, { __tostring = error })))
  end)
end)
