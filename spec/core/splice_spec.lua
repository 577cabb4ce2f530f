-- abridge.splice: values of JSON found and changed, and every other byte as it came.
local abridge = require "abridge"
local random = require "support.random"
local splice = abridge.splice

local DOCUMENT = '{"id": 12345678901234567, "r":{"c":[{"t":"a\\n\\u00e9"},[],{}], "e":1.50}}\n'

local function bytes(json, value)
  return json:sub(value.first, value.last)
end

describe("abridge.splice", function()
  it("finds values by pointer, in one pass", function()
    local found = splice.find(DOCUMENT, { "/id", "/r/c/0/t", "/r/c/1", "/missing", "" })
    assert.equal("12345678901234567", bytes(DOCUMENT, found["/id"]))
    assert.equal("number", found["/id"].type)
    assert.equal("array", found["/r/c/1"].type)
    assert.is_nil(found["/missing"])
    assert.equal("object", found[""].type)
    local text = found["/r/c/0/t"]
    assert.equal("a\n\195\169", (splice.text(DOCUMENT, text.first, text.last)))
  end)

  it("finds in a part of a text, with places in all of it", function()
    local inner = splice.find(DOCUMENT, { "/r" })["/r"]
    local found = splice.find(DOCUMENT, { "/e", "/c/2" }, inner.first, inner.last)
    assert.equal("1.50", bytes(DOCUMENT, found["/e"]))
    assert.equal("{}", bytes(DOCUMENT, found["/c/2"]))
  end)

  it("lists elements and members", function()
    local values, count = splice.list(DOCUMENT, 10)
    assert.equal(2, count)
    assert.equal("r", values[2].name)
    values, count = splice.list(DOCUMENT, 1, values[2].first, values[2].last)
    assert.equal(2, count)
    assert.equal(1, #values)
    assert.equal("c", values[1].name)
    values = splice.list('{"\\u0061\\"":1}', 10)
    assert.equal('a"', values[1].name)
    assert.same({}, (splice.list("17", 10)))
  end)

  it("changes only what it is told to", function()
    assert.equal(DOCUMENT, splice.edit(DOCUMENT, {}))
    local edited = splice.edit(DOCUMENT, {
      { pointer = "/r/c/0/t", replace = '"b"' },
      { pointer = "/r/c/1", remove = true },
      { pointer = "/r/n", insert = "[ ]" },
    })
    assert.equal('{"id": 12345678901234567, "r":{"c":[{"t":"b"},{}], "e":1.50,"n":[ ]}}\n', edited)
  end)

  it("decodes a long text in pieces", function()
    local text = ("x\195\169\n"):rep(100000)
    local json = '"' .. text:gsub("\n", "\\n") .. '"'
    local parts, at = {}, nil
    repeat
      parts[#parts + 1], at = splice.text(json, 1, #json, at)
      assert.is_true(#parts[#parts] < 70000)
    until not at
    assert.is_true(#parts > 5)
    assert.equal(text, table.concat(parts))
  end)

  it("tells what is wrong with a document", function()
    local value, message, code = splice.find('{"a":}', { "/a" })
    assert.same({ nil, "no JSON (byte 6)", "EJSON" }, { value, message, code })
    value, message, code = splice.edit("[1]", { { pointer = "/0", replace = "2" }, { pointer = "/4", remove = true } })
    assert.same({ nil, "it leads nowhere (edit 2)", "EPOINTER" }, { value, message, code })
    value, message, code = splice.find('{"a":1,"a":2}', { "/a" })
    assert.same({ nil, "a name stands twice in an object (byte 8)", "EJSON" }, { value, message, code })
  end)

  it("raises what is the caller's fault", function()
    local function raises(message, fn, ...)
      local ok, why = pcall(fn, ...)
      assert.is_false(ok)
      assert.equal(message, (tostring(why):gsub("^%S+:%d+: ", "")))
    end
    raises("abridge.splice.find: json must be a string, got 1", splice.find, 1, {})
    raises("abridge.splice.find: pointers must be a list, got nil", splice.find, "1")
    raises("abridge.splice.find: no such bytes", splice.find, "[1]", {}, 2, 9)
    raises("abridge.splice.edit: edit 1: it is no JSON", splice.edit, "[1]", { { pointer = "/0", replace = "1 2" } })
    raises(
      "abridge.splice.edit: an edit has one of replace, insert and remove = true",
      splice.edit,
      "[1]",
      { { pointer = "/0", replace = "1", remove = true } }
    )
    raises("abridge.splice.text: no string stands there", splice.text, "[1]", 2, 2)
    raises("abridge.splice.list: most must be an integer from 0 to 2^53, got nil", splice.list, "[1]")
  end)

  it("keeps the bytes of elements it does not mean, whichever go", function()
    random.each(400, function()
      local count, parts, edits, kept = random.between(1, 9), {}, {}, {}
      for i = 1, count do
        parts[i] = ("%s%d.50%s"):format((" "):rep(random.below(3)), i, (" "):rep(random.below(3)))
        if random.chance(2) then
          edits[#edits + 1] = { pointer = "/" .. i - 1, remove = true }
        else
          kept[#kept + 1] = ("%d.50"):format(i)
        end
      end
      local json = splice.edit("[" .. table.concat(parts, ",") .. "]", edits)
      local left = {}
      for i, value in ipairs(splice.list(json, 100)) do
        left[i] = bytes(json, value)
      end
      assert.same(kept, left)
    end)
  end)
end)
