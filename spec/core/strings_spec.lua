-- Strings of JSON that are documents: SPEC 14.
local abridge = require "abridge"
local json = assert(require("abridge.base.host").json())
local random = require "support.random"

--- A log of some bytes with a failure in its middle.
local function log_of(bytes)
  local lines, size = {}, 0
  while size < bytes do
    lines[#lines + 1] = ("2026-11-26T10:00:%02dZ INFO [worker-%d] step %d of the build: \\ "):format(
      #lines % 60,
      #lines % 4,
      #lines
    ) .. random.choose { 'say "done"', "a\tb", "größer", "\27[32mok\27[0m", "x/y" }
    size = size + #lines[#lines] + 1
  end
  table.insert(lines, math.floor(#lines / 2), "src/cart.c:12:5: error: expected ';' before \"return\"")
  return table.concat(lines, "\n") .. "\n"
end

local FAILURE = "src/cart.c:12:5: error: expected ';' before \"return\""

--- The source's bytes that a cut shows, and the whole content with its markers taken out.
local function shown(text, content, cut)
  local kept, rest, at = {}, {}, 1
  for i, range in ipairs(cut.kept) do
    kept[i] = text:sub(range.first_byte, range.last_byte)
  end
  for _, marker in ipairs(cut.markers or {}) do
    rest[#rest + 1] = content:sub(at, marker.first_byte - 1)
    at = marker.last_byte + 1
  end
  rest[#rest + 1] = content:sub(at)
  return table.concat(kept), table.concat(rest)
end

local function in_chunks(text, opts, narrow)
  local stream = abridge.stream(opts)
  local at = 1
  while at <= #text do
    local n = random.choose { random.between(1, 50000), random.between(1, 700) }
    assert(stream:write(text:sub(at, at + n - 1)))
    at = at + n
  end
  return stream:finish(narrow)
end

describe("a string of JSON", function()
  it("that is a log keeps its failure, as it is spelled", function()
    random.each(60, function()
      local log = log_of(random.between(2000, 40000))
      local text = ('{"exit_code":%d,"stdout":%s,"stderr":""}'):format(random.below(3), json.encode(log))
      local opts = { max_bytes = random.between(700, 6000) }
      local content, cut = abridge.auto(text, opts)
      assert.equal("json", cut.kind)
      assert.is_true(#content <= opts.max_bytes)
      local inner = json.decode(content).stdout
      assert.truthy(inner:find(FAILURE, 1, true), inner)
      if cut.truncated then assert.truthy(inner:find "%d+ [%a ]+omitted%] %.%.%.\n", inner) end
      local kept, rest = shown(text, content, cut)
      assert.equal(kept, rest)
      local chunked, cut_chunked = in_chunks(text, opts)
      assert.equal(content, chunked)
      assert.same(cut.kept, cut_chunked.kept)
    end)
  end)

  it("that is a log of any length is read as it goes by", function()
    random.each(12, function()
      local log = log_of(random.between(60000, 600000))
      local first = random.choose { "", log_of(random.between(5000, 9000)) }
      local text = ('{"exit_code":1,"stdout":%s,"stderr":%s,"n":[1,2]}'):format(json.encode(first), json.encode(log))
      if random.below(2) == 0 then text = text:gsub("ö", "\\u00f6"):gsub("\\t", "\\u0009") end
      local opts = { max_bytes = random.between(2000, 12000) }
      local content, cut = abridge.auto(text, opts)
      assert.is_true(#content <= opts.max_bytes)
      local inner = json.decode(content).stderr
      assert.truthy(inner:find(FAILURE, 1, true), inner)
      assert.truthy(inner:find "%d+ [%a ]+omitted%] %.%.%.\n", inner)
      local kept, rest = shown(text, content, cut)
      assert.equal(kept, rest)
      local chunked, cut_chunked = in_chunks(text, opts)
      assert.equal(content, chunked)
      assert.same(cut.kept, cut_chunked.kept)
      -- what was held for a larger budget is read as it would have been for this one
      assert.equal(content, (in_chunks(text, { max_bytes = opts.max_bytes * random.between(2, 40) }, opts)))
      local plain, cut_plain = abridge.auto(text, { max_bytes = opts.max_bytes, marker = "none" })
      assert.is_nil(cut_plain.markers)
      assert.truthy(json.decode(plain).stderr:find(FAILURE, 1, true))
    end)
  end)

  it("with a line of some length is cut between chars", function()
    random.each(20, function()
      local unit = random.choose { "\\\\", '\\"', "\\ud83d\\ude00", "\\u001b", "ö", "\\t", "x" }
      local long = unit:rep(random.between(500, 40000))
      local at = "2026-11-26T10:00:00Z INFO step done\\n"
      local text = ('{"out":"%s%s error: cannot open %s\\n%s"}'):format(at:rep(900), long, long, at:rep(900))
      local opts = { max_bytes = random.between(1200, 9000), marker = random.choose { "inside", "none" } }
      local content = abridge.auto(text, opts)
      assert.is_true(#content <= opts.max_bytes)
      assert.truthy(json.decode(content).out)
      assert.equal(content, (in_chunks(text, opts)))
    end)
  end)

  it("that is a line of a log shows where the log would show it", function()
    random.each(40, function()
      local lines, elements = {}, {}
      for line in log_of(random.between(8000, 60000)):gmatch "(.-)\n" do
        lines[#lines + 1] = line
      end
      local after = random.choose { "", "\n" }
      local wrapped = random.choose { "%s", '{"type":"stdout","data":%s}', '{ "n": 1, "line": %s }' }
      for i, line in ipairs(lines) do
        elements[i] = wrapped:format((json.encode(line .. after):gsub("%%", "%%%%")))
      end
      local list = "[" .. table.concat(elements, random.choose { ",", ",\n  ", ", " }) .. "]"
      local whole = random.below(2) == 0 and list or ('{"lines":%s,"exit_code":1}'):format(list)
      local opts = { max_bytes = random.between(1500, 8000), marker = random.choose { "inside", "none", "outside" } }
      local content, cut = abridge.auto(whole, opts)
      assert.equal("json", cut.kind)
      local kept, rest = shown(whole, content, cut)
      assert.equal((kept:gsub("%s", "")), (rest:gsub("%s", "")))
      assert.is_true(#(opts.marker == "outside" and rest or content) <= opts.max_bytes)
      local doc = json.decode(content)
      local array = doc.lines or doc
      local found, before = false, false
      for i, e in ipairs(array) do
        local text = type(e) == "table" and (e.data or e.line) or e
        if text == FAILURE .. after then
          found, before = true, i > 1
        end
      end
      assert.is_true(found, content)
      assert.is_true(before, content)
      assert.equal(content, (in_chunks(whole, opts)))
      for _, item in ipairs(cut.items) do
        if item.of == (doc.lines and "/lines" or "") and item.unit == "elements" then
          assert.equal(#lines, item.total)
        end
      end
    end)
  end)

  --- An array of about so many bytes of lines, spelled by `spell`, one of them the failure; and their number.
  local function array_of(bytes, spell, between, odd)
    local elements, size, failed = {}, 0, false
    local at = bytes * random.below(100) / 100
    while size < bytes or not failed do
      local i = #elements + 1
      local text = ("2026-11-26T10:00:%02dZ INFO [worker-%d] step %d of the build: \\ "):format(i % 60, i % 4, i)
        .. random.choose { 'say "done"', "a\tb", "größer", "\27[32mok\27[0m", ("x/y"):rep(random.below(80)) }
      if i > 20 and size >= at and not failed then
        text, failed = FAILURE, true
      end
      local element = spell(text)
      if i > 16 and text ~= FAILURE and odd and random.below(50) == 0 then element = random.choose(odd) end
      elements[i] = element
      size = size + #element + #between
    end
    return "[" .. table.concat(elements, between) .. "]", #elements
  end

  local SPELLED = { "%s", '{"type":"stdout","data":%s}', '{\n "t":7,"tags":["a",{"log":"b"}], "log" : %s }' }
  local ODD =
    { "17", '[1,["error: x"]]', '{"a":"b,]"}', '"l1\\nerror: l2\\nl3"', '"[\\"a,"', ('"%s"'):format(("z"):rep(5000)) }

  --- What holds for a cut of a document that has such an array.
  local function check_array(whole, count, opts)
    local content, cut = abridge.auto(whole, opts)
    assert.equal("json", cut.kind)
    local kept, rest = shown(whole, content, cut)
    assert.equal((kept:gsub("%s", "")), (rest:gsub("%s", "")))
    assert.is_true(#(opts.marker == "outside" and rest or content) <= opts.max_bytes)
    assert.truthy(json.decode(content))
    assert.truthy(content:find("src/cart.c:12:5: error: expected ';'", 1, true), content)
    for _, range in ipairs(cut.kept) do
      assert.equal(select(2, whole:sub(1, range.first_byte - 1):gsub("\n", "")) + 1, range.first_line)
    end
    for _, item in ipairs(cut.items) do
      if item.unit == "elements" and item.total > 100 then assert.equal(count, item.total) end
    end
    return content, cut
  end

  it("that is a line of a log shows where the log would, in an array of any length", function()
    random.each(14, function()
      local bytes = random.choose { 127 * 1024, 128 * 1024, 129 * 1024, random.between(60000, 400000) }
      local after = random.choose { "", "\n" }
      local form = random.choose(SPELLED)
      local function spell(text)
        return (form:gsub("%%s", function()
          return json.encode(text .. after)
        end))
      end
      local list, count = array_of(bytes, spell, random.choose { ",", ",\n  ", " , " }, random.below(2) == 0 and ODD)
      local whole =
        random.choose { "%s", '{"lines":%s,"exit_code":1}', '{"exit_code":1,"a":[["b"]],"l":{"lines": %s}}\n' }
      whole = whole:gsub("%%s", function()
        return list
      end)
      local opts =
        { max_bytes = random.between(512, 30 * 1024), marker = random.choose { "inside", "none", "outside" } }
      local content, cut = check_array(whole, count, opts)
      local chunked, cut_chunked = in_chunks(whole, opts)
      assert.equal(content, chunked)
      assert.same(cut.kept, cut_chunked.kept)
      local wide = { max_bytes = opts.max_bytes * random.between(2, 40), marker = opts.marker }
      assert.equal(content, (in_chunks(whole, wide, { max_bytes = opts.max_bytes })))
    end)
  end)

  it("that is a line of a log shows where the log would, beside elements of 1 MB #once", function()
    local long = { json.encode(("long "):rep(200000)), json.encode(("x\nerror: y\n"):rep(90000)) }
    local list, count = array_of(8 * 1024 * 1024, json.encode, ",")
    local at = list:find('","', math.floor(#list / 4), true)
    local whole = ('{"lines":%s,%s%s,"exit_code":1}'):format(list:sub(1, at), table.concat(long, ","), list:sub(at + 1))
    local opts = { max_bytes = 8192, marker = "inside" }
    assert.equal(check_array(whole, count + 2, opts), (in_chunks(whole, opts)))
  end)

  it("of an array that lists no log shows as it did", function()
    local names = {}
    for i = 1, 20000 do
      names[i] = ('"csrc/kinds/a_module_of_some_name_%d.c"'):format(i)
    end
    local log = log_of(300000)
    local whole = ('{"files":[%s],"stdout":%s}'):format(table.concat(names, ","), json.encode(log))
    local content = abridge.auto(whole, { max_bytes = 6000 })
    assert.truthy(json.decode(content).stdout:find(FAILURE, 1, true), content)
    assert.is_true(#json.decode(content).files > 5)
  end)

  it("is one of chars where nothing is inserted", function()
    local log = log_of(20000)
    local text = json.encode { content = { { type = "text", text = log } } }
    local content, cut = abridge.auto(text, { max_bytes = 3000, marker = "none" })
    assert.is_nil(cut.markers)
    local inner = json.decode(content).content[1].text
    assert.truthy(inner:find(FAILURE, 1, true))
    assert.equal("chars", cut.items[1].unit)
    assert.equal("/content/0/text", cut.items[1].of)
  end)

  it("that is JSON, a diff or a table stays one", function()
    local rows, hunks = { "id,name,score" }, { "diff --git a/x b/x\n--- a/x\n+++ b/x" }
    local list = {}
    for i = 1, 300 do
      list[i] = { id = i, name = "item " .. i, state = i == 150 and "failed" or "fine" }
      rows[#rows + 1] = ("%d,item %d,%d"):format(i, i, i * 7 % 100)
      hunks[#hunks + 1] = ("@@ -%d +%d @@\n-old %d\n+new %d"):format(i * 9, i * 9, i, i)
    end
    local function inner_of(text)
      local content = abridge.auto(json.encode { text = text }, { max_bytes = 2500 })
      return json.decode(content).text
    end
    local document = json.decode(inner_of(json.encode(list)))
    assert.is_true(#document > 5)
    assert.truthy(inner_of(table.concat(rows, "\n")):find "^id,name,score\n1,item 1,7\n.*%d rows omitted")
    assert.truthy(inner_of(table.concat(hunks, "\n")):find "^diff %-%-git a/x b/x\n.*%d hunks, %+%d+ %-%d+ omitted")
  end)

  it("is cut at four levels, and no deeper", function()
    local text = log_of(9000)
    for level = 1, 6 do
      text = json.encode { log = text, level = level }
      local content, cut = abridge.auto(text, { max_bytes = 6000 })
      assert.equal("json", cut.kind)
      local inner = content
      for _ = 1, math.min(level, 3) do
        inner = json.decode(inner).log
        assert.equal("string", type(inner))
      end
      if level <= 2 then assert.truthy(inner:find(level == 1 and FAILURE or "cart.c:12:5", 1, true), level) end
    end
  end)

  it("keeps every budget", function()
    random.each(40, function()
      local text = json.encode { out = log_of(random.between(1000, 30000)), err = log_of(random.between(100, 5000)) }
      local opts = random.choose {
        { max_chars = random.between(50, 4000) },
        { max_tokens = random.between(30, 1500) },
        { max_bytes = random.between(20, 5000), max_lines = random.between(1, 5) },
      }
      local content, cut = abridge.auto(text, opts)
      assert.is_true(#content <= (opts.max_bytes or math.huge))
      if opts.max_tokens then assert.is_true(abridge.estimate_tokens(content) <= opts.max_tokens) end
      if content ~= "" then json.decode(content) end
      assert.equal(content, (in_chunks(text, opts)))
      local kept, rest = shown(text, content, cut)
      assert.equal(kept, rest)
    end)
  end)
end)
