-- TruncationInfo: the block, its JSON, its conformance (SPEC 8). Scenarios without another source are those of the
-- reading-tool contract's own tests.
local abridge = require "abridge"
local json = require("abridge.base.host").json()
local plain = require "support.plain"
local random = require "support.random"

local info = abridge.info

local function with_hint(hint)
  return info.with_resume(1, 2, 3, hint, "size_cap")
end

--- The JSON of a hint, without the fields around it.
local function encoded(hint)
  local front = '{"truncated":true,"bytes_returned":1,"bytes_total":2,"next_offset":3,"resume_hint":"'
  local back = '","reason":"size_cap"}'
  local text = with_hint(hint):to_json()
  assert.equal(front, text:sub(1, #front))
  assert.equal(back, text:sub(-#back))
  return text:sub(#front + 1, -#back - 1)
end

describe("info constructors", function()
  it("not_truncated: all of it was returned", function()
    assert.same(
      { truncated = false, bytes_returned = 128, bytes_total = 128, reason = "size_cap" },
      info.not_truncated(128):to_table()
    )
  end)

  it("with_resume: every field", function()
    local block = info.with_resume(49512, 184221, 49512, "call read_file with offset=49512", "size_cap")
    assert.same({
      truncated = true,
      bytes_returned = 49512,
      bytes_total = 184221,
      next_offset = 49512,
      resume_hint = "call read_file with offset=49512",
      reason = "size_cap",
    }, block:to_table())
  end)

  it("joined: the sums of several blocks, cut where one of them was", function()
    local joined = require("abridge.output.info").joined
    local one = info.with_resume(5, 9, 3, "hint", "row_cap"):to_table()
    assert.same(one, joined({ one }):to_table())
    local whole = info.not_truncated(4):to_table()
    assert.same(info.not_truncated(8):to_table(), joined({ whole, whole }):to_table())
    assert.same(info.not_truncated(0):to_table(), joined({}):to_table())
    local unknown = info.without_resume(1, nil, "line_cap"):to_table()
    assert.same(info.without_resume(9, 13, "row_cap"):to_table(), joined({ whole, one }):to_table())
    assert.same(info.without_resume(10, nil, "line_cap"):to_table(), joined({ whole, unknown, one }):to_table())
  end)

  it("without_resume: neither offset nor hint, and no total when it is unknown", function()
    assert.same(
      { truncated = true, bytes_returned = 1000, reason = "row_cap" },
      info.without_resume(1000, nil, "row_cap"):to_table()
    )
    assert.same(
      { truncated = true, bytes_returned = 5, bytes_total = 9, reason = "exec_budget" },
      info.without_resume(5, 9, "exec_budget"):to_table()
    )
  end)

  it("take every reason of the contract, under its wire name", function()
    for _, reason in ipairs { "size_cap", "line_cap", "row_cap", "exec_budget", "item_cap" } do
      assert.equal(reason, info.without_resume(1, nil, reason).reason)
      assert.equal(
        '{"truncated":true,"bytes_returned":1,"reason":"' .. reason .. '"}',
        info.without_resume(1, nil, reason):to_json()
      )
    end
  end)

  --- Calls that are misuse, with what the message must name.
  local wrong = {
    { info.not_truncated, {}, "abridge.info.not_truncated: bytes_returned ", "nil" },
    { info.not_truncated, { -1 }, "bytes_returned must be an integer from 0 to 2^53", "-1" },
    { info.not_truncated, { 1.5 }, "bytes_returned", "1.5" },
    { info.not_truncated, { "5" }, "bytes_returned", '"5"' },
    { info.not_truncated, { 2 ^ 53 + 2 }, "bytes_returned", "9.007199254741e+15" },
    { info.not_truncated, { 0 / 0 }, "bytes_returned", "nan" },
    { info.not_truncated, { math.huge }, "bytes_returned", "inf" },
    { info.with_resume, { 1, -2, 3, "hint", "size_cap" }, "abridge.info.with_resume: bytes_total", "-2" },
    { info.with_resume, { 1, 2, nil, "hint", "size_cap" }, "next_offset", "nil" },
    { info.with_resume, { 1, 2, 0.5, "hint", "size_cap" }, "next_offset", "0.5" },
    { info.with_resume, { 1, 2, 3, nil, "size_cap" }, "resume_hint must be a string", "nil" },
    { info.with_resume, { 1, 2, 3, 4, "size_cap" }, "resume_hint must be a string", "4" },
    {
      info.with_resume,
      { 1, 2, 3, ("x"):rep(1025), "size_cap" },
      "resume_hint must be a string of at most 1024 bytes",
      "1025 bytes",
    },
    { info.with_resume, { 1, 2, 3, "hint", "sizecap" }, "reason", '"sizecap"' },
    { info.with_resume, { 1, 2, 3, "hint" }, "reason", "nil" },
    { info.without_resume, { true, 2, "size_cap" }, "abridge.info.without_resume: bytes_returned", "true" },
    { info.without_resume, { 1, "2", "size_cap" }, "bytes_total", '"2"' },
    { info.without_resume, { 1, 2, "SIZE_CAP" }, "reason", '"SIZE_CAP"' },
  }
  it("raise on misuse, naming function, argument and value", function()
    for _, case in ipairs(wrong) do
      local ok, message = pcall(case[1], (table.unpack or unpack)(case[2], 1, 5))
      assert.is_false(ok)
      assert.truthy(message:find(case[3], 1, true), message)
      assert.truthy(message:find(", got " .. case[4], 1, true) or message:find(", got -" .. case[4], 1, true), message)
    end
  end)

  it("raise at the caller's level", function()
    for _, call in ipairs {
      function()
        info.not_truncated(-1)
      end,
      function()
        info.with_resume(-1, 2, 3, "hint", "size_cap")
      end,
      function()
        info.with_resume(1, -2, 3, "hint", "size_cap")
      end,
      function()
        info.with_resume(1, 2, 3, nil, "size_cap")
      end,
      function()
        info.with_resume(1, 2, 3, "hint", "none")
      end,
      function()
        info.without_resume(1, -2, "size_cap")
      end,
      function()
        info.without_resume(1, 2, "none")
      end,
    } do
      assert.matches("^abridge%.info%.", plain.misuse(call))
    end
  end)
end)

describe("info JSON", function()
  it("is compact, its fields in the contract's order", function()
    assert.equal(
      '{"truncated":false,"bytes_returned":128,"bytes_total":128,"reason":"size_cap"}',
      info.not_truncated(128):to_json()
    )
    assert.equal(
      '{"truncated":true,"bytes_returned":49512,"bytes_total":184221,"next_offset":49512,'
        .. '"resume_hint":"call read_file with offset=49512","reason":"size_cap"}',
      info.with_resume(49512, 184221, 49512, "call read_file with offset=49512", "size_cap"):to_json()
    )
    assert.equal(
      '{"truncated":true,"bytes_returned":7,"next_offset":0,"resume_hint":"","reason":"line_cap"}',
      info.with_resume(7, nil, 0, "", "line_cap"):to_json()
    )
    assert.equal(
      '{"truncated":true,"bytes_returned":1000,"reason":"row_cap"}',
      info.without_resume(1000, nil, "row_cap"):to_json()
    )
  end)

  it("prints integers exactly, 0 and 2^53 too", function()
    assert.equal(
      '{"truncated":false,"bytes_returned":0,"bytes_total":0,"reason":"size_cap"}',
      info.not_truncated(0):to_json()
    )
    assert.equal(
      '{"truncated":true,"bytes_returned":9007199254740992,"bytes_total":9007199254740991,'
        .. '"next_offset":9007199254740992,"resume_hint":"x","reason":"size_cap"}',
      info.with_resume(2 ^ 53, 2 ^ 53 - 1, 2 ^ 53, "x", "size_cap"):to_json()
    )
  end)

  it("escapes quotes and backslashes, and leaves slashes alone", function()
    assert.equal([[say \"go\" in C:\\dir a/b]], encoded [[say "go" in C:\dir a/b]])
  end)

  it("escapes every control character", function()
    local short = { [8] = "\\b", [9] = "\\t", [10] = "\\n", [12] = "\\f", [13] = "\\r" }
    for byte = 0, 31 do
      assert.equal(short[byte] or ("\\u%04x"):format(byte), encoded(string.char(byte)))
    end
  end)

  it("keeps what follows a NUL", function()
    assert.equal("a\\u0000b", encoded "a\0b")
  end)

  it("leaves DEL, U+2028 and other chars as they are", function()
    for _, text in ipairs { "\127", "\226\128\168", "\195\169", "\240\159\152\128", "\244\143\191\191", " ~" } do
      assert.equal(text, encoded(text))
    end
  end)

  it("shows each byte outside UTF-8 as U+FFFD", function()
    local mark = "\239\191\189"
    assert.equal("a" .. mark .. "b", encoded "a\255b")
    assert.equal(mark .. mark, encoded "\192\128") -- overlong
    assert.equal(mark .. mark .. mark, encoded "\237\160\128") -- a surrogate
    assert.equal(mark .. mark, encoded "\226\130") -- cut short
    assert.equal(mark:rep(4), encoded "\244\144\128\128") -- beyond U+10FFFF
    assert.equal("\195\169" .. mark, encoded "\195\169\169")
  end)

  it("is valid for any bytes in the hint, and decodes to them", function()
    random.each(500, function()
      local hint = random.chance(4) and random.text(40):sub(1, 1024) or random.bytes(random.below(60))
      local ok, block = pcall(json.decode, with_hint(hint):to_json())
      random.must(ok, "hint %s is not JSON: %s", hint, block)
      random.must(block.resume_hint == plain.replaced(hint), "hint %s came back as %s", hint, block.resume_hint)
      random.must(block.truncated == true and block.bytes_returned == 1 and block.next_offset == 3, "fields changed")
    end)
  end)

  it("has no hint of more than 1 KB, whoever puts it there", function()
    assert.equal(1024, #json.decode(with_hint(("x"):rep(1024)):to_json()).resume_hint)
    local block = with_hint "x"
    block.resume_hint = ("x"):rep(1025)
    local ok, message = pcall(block.to_json, block)
    assert.is_false(ok)
    assert.matches("resume_hint must be a string of at most 1024 bytes", message)
  end)

  it("is what tostring shows", function()
    local block = with_hint "go on"
    assert.equal(block:to_json(), tostring(block))
  end)
end)

describe("info as a table", function()
  it("is plain and new each time", function()
    local block = with_hint "go on"
    local t = block:to_table()
    assert.is_nil(getmetatable(t))
    assert.are_not.equal(t, block:to_table())
    t.truncated = false
    assert.is_true(block.truncated)
  end)

  it("is attached under `truncation`, beside what is there", function()
    local response = { content = "abc", total_lines = 3 }
    info.not_truncated(3):attach(response)
    assert.same({
      content = "abc",
      total_lines = 3,
      truncation = { truncated = false, bytes_returned = 3, bytes_total = 3, reason = "size_cap" },
    }, response)
    assert.is_nil(getmetatable(response.truncation))
  end)

  it("is attached to nothing but tables", function()
    for _, response in ipairs { "text", 5, true, print } do
      assert.has_no.errors(function()
        info.not_truncated(1):attach(response)
      end)
    end
    assert.has_no.errors(function()
      info.not_truncated(1):attach(nil)
    end)
  end)

  it("is attached to no array, whatever it holds; to an empty table and to one with a name", function()
    for _, array in ipairs { { 1, 2 }, { {} }, { nil, 2 }, { [3] = "x" }, { false } } do
      local before = {}
      for key, value in pairs(array) do
        before[key] = value
      end
      info.not_truncated(1):attach(array)
      assert.same(before, array)
    end
    for _, object in ipairs { {}, { content = "x" }, { content = { 1 } } } do
      info.not_truncated(1):attach(object)
      assert.is_false(object.truncation.truncated)
      abridge.assert_conforms("t", object)
    end
  end)
end)

describe("info.parse", function()
  it("reads a table, and JSON", function()
    local fields = with_hint("go on"):to_table()
    assert.same(fields, info.parse(fields):to_table())
    assert.same(fields, info.parse(json.encode(fields)):to_table())
  end)

  it("gives an info of its own", function()
    local fields = { truncated = false, bytes_returned = 1, reason = "size_cap" }
    local block = info.parse(fields)
    fields.truncated = true
    assert.equal('{"truncated":false,"bytes_returned":1,"reason":"size_cap"}', block:to_json())
  end)

  it("takes null for an optional field that is absent", function()
    local text = '{"truncated":true,"bytes_returned":1,"bytes_total":null,"next_offset":null,"resume_hint":null,'
      .. '"reason":"row_cap"}'
    assert.same({ truncated = true, bytes_returned = 1, reason = "row_cap" }, info.parse(text):to_table())
  end)

  it("passes over fields it does not know", function()
    assert.same(
      { truncated = false, bytes_returned = 1, reason = "size_cap" },
      info.parse('{"truncated":false,"bytes_returned":1,"reason":"size_cap","extra":[1]}'):to_table()
    )
  end)

  it("takes every reason also when nothing was cut", function()
    assert.equal("item_cap", info.parse('{"truncated":false,"bytes_returned":1,"reason":"item_cap"}').reason)
  end)

  local function but(field, value)
    local block = with_hint("x"):to_table()
    block[field] = value
    return block
  end
  local reasons = "`size_cap`, `line_cap`, `row_cap`, `exec_budget`, `item_cap`"
  local malformed = {
    { but("truncated", nil), "missing field `truncated`" },
    { but("bytes_returned", nil), "missing field `bytes_returned`" },
    { but("reason", nil), "missing field `reason`" },
    { but("truncated", json.null), "missing field `truncated`" },
    { but("reason", json.null), "missing field `reason`" },
    { but("truncated", "yes"), 'invalid type: string "yes", expected a boolean for `truncated`' },
    { but("truncated", 1), "invalid type: integer `1`, expected a boolean for `truncated`" },
    { but("bytes_returned", "1"), 'invalid type: string "1", expected an integer for `bytes_returned`' },
    { but("bytes_returned", true), "invalid type: boolean `true`, expected an integer for `bytes_returned`" },
    { but("bytes_returned", 1.5), "invalid type: floating point `1.5`, expected an integer for `bytes_returned`" },
    {
      but("bytes_returned", -1),
      "invalid value: integer `-1`, expected an integer from 0 to 2^53 for `bytes_returned`",
    },
    { but("bytes_total", {}), "invalid type: map, expected an integer for `bytes_total`" },
    { but("bytes_total", { 1 }), "invalid type: sequence, expected an integer for `bytes_total`" },
    { but("next_offset", -3), "invalid value: integer `-3`, expected an integer from 0 to 2^53 for `next_offset`" },
    { but("resume_hint", 5), "invalid type: integer `5`, expected a string for `resume_hint`" },
    { but("resume_hint", ("x"):rep(1025)), "invalid length 1025, expected at most 1024 bytes for `resume_hint`" },
    { but("reason", 5), "invalid type: integer `5`, expected a string for `reason`" },
    { but("reason", "size"), "unknown variant `size`, expected one of " .. reasons },
    { but("reason", "SizeCap"), "unknown variant `SizeCap`, expected one of " .. reasons },
    { but("resume_hint", nil), "`next_offset` present but `resume_hint` missing" },
    { but("next_offset", nil), "`resume_hint` present but `next_offset` missing" },
    { but("truncated", false), "`next_offset` set on a non-truncated response" },
    {
      { truncated = false, bytes_returned = 1, resume_hint = "x", reason = "size_cap" },
      "`resume_hint` set on a non-truncated response",
    },
    { { 1, 2 }, "invalid type: sequence, expected struct TruncationInfo" },
    { 5, "invalid type: integer `5`, expected struct TruncationInfo" },
    { true, "invalid type: boolean `true`, expected struct TruncationInfo" },
  }
  it("returns nil and what is wrong", function()
    for _, case in ipairs(malformed) do
      local block, message = info.parse(case[1])
      assert.is_nil(block)
      assert.equal(case[2], message)
    end
    local block, message = info.parse(nil)
    assert.is_nil(block)
    assert.equal("string", type(message))
  end)

  it("returns the same for the same in JSON", function()
    for _, case in ipairs(malformed) do
      local block, message = info.parse(json.encode(case[1]))
      assert.is_nil(block)
      assert.equal(case[2], message)
    end
    for _, text in ipairs { '"text"', "[]", "5", "null", "true" } do
      local block, message = info.parse(text)
      assert.is_nil(block)
      assert.equal("string", type(message))
    end
  end)

  it("says when the text is no JSON", function()
    for _, text in ipairs { "", "{", '{"truncated":tru}', "not json", '{"truncated":true} x' } do
      local block, message = info.parse(text)
      assert.is_nil(block)
      assert.matches("^not JSON: ", message)
    end
  end)

  it("calls null null", function()
    local block, message = info.parse "null"
    assert.is_nil(block)
    assert.equal("invalid type: null, expected struct TruncationInfo", message)
  end)

  it("reads back what every constructor writes", function()
    for _, block in ipairs {
      info.not_truncated(0),
      info.not_truncated(2 ^ 53),
      info.with_resume(1, nil, 2 ^ 53, 'a "hint"\n\0\195\169', "row_cap"),
      info.with_resume(0, 0, 0, "", "item_cap"),
      info.without_resume(3, 4, "exec_budget"),
      info.without_resume(3, nil, "line_cap"),
    } do
      assert.same(block:to_table(), info.parse(block:to_json()):to_table())
      assert.equal(block:to_json(), info.parse(block:to_table()):to_json())
    end
  end)
end)

describe("assert_conforms", function()
  local function refuses(response, message)
    local ok, raised = pcall(abridge.assert_conforms, "fake_tool", response)
    assert.is_false(ok)
    assert.equal("fake_tool: " .. message, raised) -- without a position: the message is the tool's
  end

  it("accepts a valid block of each kind", function()
    for _, block in ipairs {
      info.with_resume(100, 500, 100, "resume", "line_cap"),
      info.without_resume(100, nil, "row_cap"),
      info.not_truncated(0),
    } do
      local response = { content = "x" }
      block:attach(response)
      assert.has_no.errors(function()
        abridge.assert_conforms("fake_tool", response)
      end)
    end
  end)

  it("accepts a response that came as JSON, nulls and all", function()
    local block = '{"truncated":true,"bytes_returned":1,"next_offset":null,"reason":"row_cap"}'
    local response = json.decode('{"truncation":' .. block .. "}")
    assert.has_no.errors(function()
      abridge.assert_conforms("fake_tool", response)
    end)
  end)

  it("refuses what is no object", function()
    for _, response in ipairs { "text", 5, true, { 1, 2 } } do
      refuses(response, "response is not a JSON object")
    end
    refuses(nil, "response is not a JSON object")
  end)

  it("refuses a response without a block", function()
    refuses({ content = "hi" }, "response missing required `truncation` block")
  end)

  it("refuses a malformed block", function()
    refuses({ truncation = {} }, "`truncation` block malformed: missing field `truncated`")
    refuses(
      { truncation = { truncated = false, bytes_returned = 1, reason = "none" } },
      "`truncation` block malformed: unknown variant `none`, expected one of "
        .. "`size_cap`, `line_cap`, `row_cap`, `exec_budget`, `item_cap`"
    )
    local wrong_type = "`truncation` block malformed: invalid type: %s, expected struct TruncationInfo"
    refuses({ truncation = "yes" }, wrong_type:format 'string "yes"')
    refuses({ truncation = json.null }, wrong_type:format "null")
  end)

  it("refuses an offset without truncation", function()
    refuses(
      { truncation = { truncated = false, bytes_returned = 10, next_offset = 10, reason = "size_cap" } },
      "`next_offset` set on a non-truncated response"
    )
  end)

  it("refuses a hint without truncation", function()
    refuses(
      { truncation = { truncated = false, bytes_returned = 10, resume_hint = "x", reason = "size_cap" } },
      "`resume_hint` set on a non-truncated response"
    )
  end)

  it("refuses an offset without a hint, and a hint without an offset", function()
    refuses(
      { truncation = { truncated = true, bytes_returned = 10, next_offset = 10, reason = "size_cap" } },
      "`next_offset` present but `resume_hint` missing"
    )
    refuses(
      { truncation = { truncated = true, bytes_returned = 10, resume_hint = "x", reason = "size_cap" } },
      "`resume_hint` present but `next_offset` missing"
    )
  end)

  it("names the tool it was told", function()
    assert.has_error(function()
      abridge.assert_conforms("read_file", {})
    end, "read_file: response missing required `truncation` block")
  end)
end)

describe("protocol", function()
  local ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

  local function protocol(strategy, text, opts)
    local _, cut = abridge[strategy](text, opts)
    return abridge.protocol(cut)
  end

  it("tells a cut by lines in lines", function()
    assert.same(
      { truncated = true, limit = 3, total = 10, offset = 0, units = "lines" },
      protocol("head", ten, { max_lines = 3, max_bytes = 1000 })
    )
    assert.same(
      { truncated = true, limit = 3, total = 10, offset = 7, units = "lines" },
      protocol("tail", ten, { max_lines = 3 })
    )
  end)

  it("tells a cut by bytes in bytes", function()
    assert.same(
      { truncated = true, limit = 5, total = 21, offset = 0, units = "bytes" },
      protocol("head", ten, { max_bytes = 5, max_lines = 100 })
    )
    assert.same(
      { truncated = true, limit = 5, total = 21, offset = 16, units = "bytes" }, -- "9\n10\n" is left
      protocol("tail", ten, { max_bytes = 5 })
    )
  end)

  it("tells a cut by chars in chars", function()
    local text = "\195\169\n\195\169\195\169\n\195\169\n" -- 7 chars in 11 bytes
    assert.same(
      { truncated = true, limit = 2, total = 7, offset = 0, units = "chars" },
      protocol("head", text, { max_chars = 2 })
    )
    assert.same(
      { truncated = true, limit = 2, total = 7, offset = 5, units = "chars" },
      protocol("tail", text, { max_chars = 2 })
    )
  end)

  it("knows no total in tokens", function()
    local function one_a_byte(text)
      return #text
    end
    assert.same(
      { truncated = true, limit = 4, offset = 0, units = "tokens" },
      protocol("head", ten, { max_tokens = 4, count_tokens = one_a_byte })
    )
    local told = protocol("tail", ten, { max_tokens = 5, count_tokens = one_a_byte })
    assert.is_true(told.truncated)
    assert.equal(5, told.limit)
    assert.is_nil(told.total)
    assert.equal("tokens", told.units)
  end)

  it("speaks of bytes when nothing was cut", function()
    assert.same(
      { truncated = false, total = 21, offset = 0, units = "bytes" },
      protocol("head", ten, { max_lines = 100 })
    )
    assert.same(
      { truncated = false, limit = 100, total = 21, offset = 0, units = "bytes" },
      protocol("tail", ten, { max_bytes = 100 })
    )
    assert.same(
      { truncated = false, limit = 0, total = 0, offset = 0, units = "bytes" },
      protocol("head", "", { max_bytes = 0 })
    )
  end)

  it("starts at 0 where the first range starts the text", function()
    assert.equal(0, protocol("head_tail", ten, { max_lines = 4, head_ratio = 0.5 }).offset)
    assert.equal(0, protocol("head", ten, { max_lines = 0 }).offset)
  end)

  it("starts after the gap where the head got nothing", function()
    assert.same(
      { truncated = true, limit = 4, total = 10, offset = 6, units = "lines" },
      protocol("head_tail", ten, { max_lines = 4, head_ratio = 0 })
    )
  end)

  it("tells the start in chars whatever is kept after it", function()
    local lines = {}
    for i = 1, 12 do
      lines[i] = ("\195\169 line %02d"):format(i)
    end
    lines[4] = "error: broken"
    local text = table.concat(lines, "\n") .. "\n"
    for budget = 20, 130 do
      for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
        local _, cut = abridge.cut(text, { strategy = strategy, max_chars = budget })
        local first = cut.kept[1]
        local want = first and abridge.count_chars(text:sub(1, first.first_byte - 1)) or 0
        if cut.truncated_by == "chars" then assert.equal(want, abridge.protocol(cut).offset) end
      end
    end
  end)

  it("agrees with the block of a result", function()
    local session = abridge.session { ceiling = { max_bytes = 300 }, run_dir = false }
    local result = session:cap("other", ("word\n"):rep(200))
    assert.same({ truncated = true, limit = 300, total = 1000, offset = 0, units = "bytes" }, abridge.protocol(result))
    assert.is_true(abridge.protocol(result.details.cut).truncated)
    session:register {
      name = "paged",
      execute = function()
        return { content = "a\nb", total = 9, next_offset = 3 }
      end,
    }
    result = session:call("paged", {})
    assert.same({ truncated = true, limit = 30720, offset = 0, units = "bytes" }, abridge.protocol(result))
    result = session:call("nope", {})
    assert.is_false(abridge.protocol(result).truncated)
    session:close()
  end)

  it("names what is wrong with a result", function()
    assert.has_error(function()
      abridge.protocol { content = "", truncation = { truncated = true } }
    end, "abridge.protocol: the result's truncation: missing field `bytes_returned`")
  end)

  it("does not change the cut", function()
    local _, cut = abridge.tail(ten, { max_lines = 2 })
    local before = json.encode(cut)
    abridge.protocol(cut)
    assert.equal(before, json.encode(cut))
  end)
end)

describe("a block with a metatable", function()
  it("is read without asking it for a length", function()
    local odd = setmetatable({}, {
      __len = function()
        return {}
      end,
    })
    assert.is_nil(abridge.info.parse(odd))
    assert.matches("missing field", select(2, abridge.info.parse(odd)))
    assert.is_nil(abridge.info.parse { truncated = odd, bytes_returned = 1, reason = "size_cap" })
  end)
end)
