-- The judge of cuts by kind (spec/support/kind_judge.lua): right cuts, written by hand, pass, and each rule is seen to
-- fire on a cut that breaks it.
local diffs = require "support.diffs"
local documents = require "support.documents"
local json_judge = require "support.judge.json"
local json_text = require "support.judge.json_text"
local judge = require "support.kind_judge"
local merge = require "support.merge"
local random = require "support.random"
local random_cut = require "support.judge.random_cut"
local seq = require "support.seq"
local written = require "support.judge.written"

local function faults(source, opts, text, fields)
  local content, cut = written.cut(type(source) == "table" and source.text or source, text, fields)
  return judge.faults(source, opts, content, cut)
end

local function passes(...)
  assert.same({}, faults(...))
end

--- The rule fires, as the first one or among others.
local function breaks(rule, ...)
  local found = faults(...)
  for _, fault in ipairs(found) do
    if fault:find(rule, 1, true) == 1 then return end
  end
  error(("%s does not fire: %s"):format(rule, table.concat(found, "\n")), 2)
end

local function elements(total, kept, of)
  return { unit = "elements", of = of or "", total = total, kept = kept }
end
local function members(total, kept, of)
  return { unit = "members", of = of or "", total = total, kept = kept }
end
local function chars(total, kept, of)
  return { unit = "chars", of = of or "", total = total, kept = kept }
end
local function as(kind, ...)
  return { kind = kind, items = { ... } }
end
local function json(...)
  return as("json", ...)
end

local function numbers(n)
  local list = {}
  for i = 1, n do
    list[i] = tostring(10 + i)
  end
  return "[" .. table.concat(list, ",") .. "]"
end

describe("the judge's JSON parser #once", function()
  it("takes what RFC 8259 takes, and nothing else", function()
    for _, text in ipairs {
      "{}",
      "[]",
      '""',
      " [1, -0, 0.5e+3, 1E9]\r\n",
      '{"a":{"b":[true,false,null]}}',
      '"\\ud800\\"\\/"',
      "\239\187\191[1]",
      '["\127\195\169\240\159\152\128"]',
      '{"a":1,"a":2}',
      ("["):rep(50000) .. ("]"):rep(50000),
    } do
      assert.truthy(json_text.parse(text), text:sub(1, 40))
    end
    for _, text in ipairs {
      "",
      "{",
      "[1,]",
      "[,1]",
      '{"a"}',
      '{"a":}',
      "{a:1}",
      "[01]",
      "[1.]",
      "[.5]",
      "[1e]",
      "[+1]",
      "[1 2]",
      '"\n"',
      '"\\x"',
      '"\\u12g4"',
      "[1]]",
      "[1}",
      "[NaN]",
      '"\255"',
      '"\0"',
      '["\237\160\128"]',
      "{} x",
      "'a'",
      "nul",
    } do
      assert.is_nil(json_text.parse(text), text)
    end
  end)

  it("counts chars as decoded, and points at values", function()
    local text = [[{"a/b":["\ud83d\ude00\ud800x\n\u00e9é"],"~":1}]]
    local root = json_text.parse(text)
    local node = root.items[1].items[1]
    assert.equal(6 + 1, #json_text.char_starts(text, node.from, node.to))
    assert.equal("\240\159\152\128\239\191\189x\n\195\169\195\169", (json_text.decoded(text, node.from, node.to)))
    assert.equal("/a~1b/0", (json_text.pointer(text, node)))
    assert.equal("/~0", (json_text.pointer(text, root.items[2])))
  end)
end)

describe("the judge of every kind #once", function()
  local source = numbers(100)
  local right = '[11,12<<,"... 96 of 100 omitted ...">>,109,110]'

  it("lets a right cut pass", function()
    passes(source, { max_bytes = 70 }, right, json(elements(100, 4)))
  end)

  it("sees a budget exceeded: bytes, chars, tokens, lines, what is reserved", function()
    local item = json(elements(100, 4))
    breaks("budget", source, { max_bytes = #right - 6 }, right, item)
    breaks("budget", source, { max_chars = 30 }, right, item)
    breaks("budget", source, {
      max_tokens = 30,
      count_tokens = function(text)
        return #text
      end,
    }, right, item)
    breaks("budget", source, { max_tokens = 8 }, right, item)
    breaks("budget", source, { max_bytes = 60, reserve = "a notice of 20 bytes" }, right, item)
    breaks(
      "budget",
      "[1,\n2,\n3,\n4]",
      { max_lines = 2 },
      '[1,\n2,\n3<<,"... 1 of 4 omitted ...">>]',
      json(elements(4, 3))
    )
  end)

  it("sees a ledger that is not so", function()
    for key, value in pairs {
      total_bytes = 1,
      total_lines = 2,
      output_bytes = 3,
      omitted_bytes = 3,
      omitted_lines = 7,
      output_lines = 9,
    } do
      local fields = json(elements(100, 4))
      fields[key] = value
      assert.is_true(#faults(source, { max_bytes = 70 }, right, fields) > 0, key)
    end
    local fields = json(elements(100, 4))
    fields.kept = { { first_byte = 1, last_byte = 6, first_line = 1, last_line = 1 } }
    breaks("ledger", source, { max_bytes = 70 }, right, fields)
    fields.kept = nil
    local content, cut = written.cut(source, right, fields)
    cut.markers = {}
    assert.truthy(judge.faults(source, { max_bytes = 70 }, content, cut)[1]:find "^ledger")
    content, cut = written.cut(source, right, fields)
    cut.kept[2].first_line = 4
    assert.truthy(judge.faults(source, { max_bytes = 70 }, content, cut)[1]:find "^ledger")
    content, cut = written.cut(source, right, fields)
    assert.truthy(judge.faults(source, { max_bytes = 70 }, content:gsub("109", "119"), cut)[1]:find "^ledger")
  end)

  it("sees a cut that was not needed, or is not told", function()
    breaks("truncated", source, { max_bytes = 5000 }, right, json(elements(100, 4)))
    local fields = json(elements(100, 4))
    fields.truncated = false
    breaks("truncated", source, { max_bytes = 70 }, right, fields)
    breaks("items", "[1]", { max_bytes = 70 }, "[1]", { kind = "json", truncated = false, items = {} })
    passes("[1]", { max_bytes = 70 }, "[1]", { kind = "json", truncated = false })
  end)

  it("sees another kind", function()
    local expected = judge.source(source, { kind = "json" })
    breaks("kind", expected, { max_bytes = 70 }, right, as "text")
    passes(
      judge.source("[1]", { kind = "text", also = { json = true } }),
      {},
      "[1]",
      { kind = "json", truncated = false }
    )
  end)

  it("sees a text or a log that is not cut by its strategy", function()
    local text = ("some prose that goes on\n"):rep(40)
    breaks("text", text, { max_bytes = 100 }, "some prose that goes on\n<<... [39 lines omitted] ...>>", as "text")
    breaks("log", text, { max_bytes = 100 }, "some prose that goes on\n<<... [39 lines omitted] ...>>", as "log")
    local abridge = require "abridge"
    local content, cut = abridge.head_tail(text, { max_bytes = 100, head_ratio = 0.7 })
    cut.kind = "text"
    assert.same({}, judge.faults(text, { max_bytes = 100 }, content, cut))
    cut.omitted_lines = 1
    assert.is_true(#judge.faults(text, { max_bytes = 100 }, content, cut) > 0)
    content, cut = abridge.priority(text, { max_bytes = 100 })
    cut.kind = "log"
    assert.same({}, judge.faults(text, { max_bytes = 100 }, content, cut))
  end)

  it("sees a binary that is not one line", function()
    local binary = "\127ELF" .. ("\0"):rep(1020)
    local function told(content, fields)
      local cut =
        merge({ kind = "binary", kept = {}, truncated = true, total_bytes = #binary, output_bytes = 0 }, fields)
      return judge.faults(binary, { max_bytes = 4096 }, content, cut)
    end
    assert.same({}, told "Binary output (ELF, 1KB)")
    assert.truthy(told("Binary output (ELF, 2KB)")[1]:find "^binary")
    assert.truthy(told(binary)[1]:find "^binary")
    assert.truthy(told("Binary output (ELF, 1KB)", { truncated = false })[1]:find "^binary")
    assert.truthy(told("Binary output (ELF, 1KB)", { truncated_by = "bytes" })[1]:find "^binary")
    assert.truthy(told("Binary output (ELF, 1KB)", { kept = { {} } })[1]:find "^binary")
  end)
end)

describe("the judge of JSON #once", function()
  local list = numbers(100)
  local object = [[{"name":"x","sizes":[1,2,3],"on":true,"note":"a long note, ]]
    .. [[and of some more words than would be needed to say it"}]]

  it("wants it to parse, and to be the source's values in their place", function()
    breaks("parse", list, { max_bytes = 70 }, '[11,12<<,"... 96 of 100 omitted ...">>,109,110', json(elements(100, 4)))
    breaks("parse", list, { max_bytes = 70 }, '[11,12<<"... 96 of 100 omitted ...">>,109,110]', json(elements(100, 4)))
    breaks(
      "shape",
      "[[1,2],[3,4],[5]]",
      { max_bytes = 70 },
      '[[1,<<"... 1 of 2 omitted ..."],["... 1 of 2 omitted ...",>>4],[5]]',
      json()
    )
    breaks("shape", '[{"a":1},[2]]', { max_bytes = 70 }, '[<<"... 1 of 2 omitted ...",>>2]', json(elements(2, 1)))
    breaks("shape", "[[[1]]]", { max_bytes = 70 }, '[1<<,"x">>]', json())
  end)

  it("wants each gap of an array told where it is, once, by its numbers", function()
    breaks("gap", list, { max_bytes = 70 }, "[11,12<<>>,109,110]", json(elements(100, 4)))
    breaks("gap", list, { max_bytes = 70 }, '[11,12<<,"... 95 of 100 omitted ...">>,109,110]', json(elements(100, 4)))
    breaks("total", list, { max_bytes = 70 }, '[11,12<<,"... 96 of 99 omitted ...">>,109,110]', json(elements(100, 4)))
    breaks(
      "gap",
      list,
      { max_bytes = 70 },
      '[11,12<<>>,109<<,"... 96 of 100 omitted ...">>,110]',
      json(elements(100, 4))
    )
    breaks(
      "gap",
      list,
      { max_bytes = 120 },
      '[11,12<<,"... 90 of 100 omitted ...","... 6 of 100 omitted ...">>' .. ",109,110]",
      json(elements(100, 4))
    )
    breaks("marker", list, { max_bytes = 70 }, '[11,12<<,"... 96 omitted ...">>,109,110]', json(elements(100, 4)))
    breaks("marker", list, { max_bytes = 70 }, '[11,12<<,"96 of 100 omitted">>,109,110]', json(elements(100, 4)))
  end)

  it("wants what an object lacks told by one member, or one a gap", function()
    local all = [[{<<"...":"3 of 4 omitted",>>"on":true<<>>}]]
    passes(object, { max_bytes = 60 }, all, json(members(4, 1)))
    passes(object, { max_bytes = 60 }, [[{<<>>"on":true<<,"...":"3 of 4 omitted">>}]], json(members(4, 1)))
    passes(
      object,
      { max_bytes = 99 },
      [[{<<"...":"2 of 4 omitted",>>"on":true]] .. [[<<,"....":"1 of 4 omitted">>}]],
      json(members(4, 1))
    )
    breaks(
      "gap",
      object,
      { max_bytes = 99 },
      [[{<<"...":"1 of 4 omitted",>>"on":true]] .. [[<<,"....":"2 of 4 omitted">>}]],
      json(members(4, 1))
    )
    breaks("gap", object, { max_bytes = 60 }, [[{<<"...":"2 of 4 omitted",>>"on":true<<>>}]], json(members(4, 1)))
    breaks("gap", object, { max_bytes = 60 }, [[{<<>>"on":true<<>>}]], json(members(4, 1)))
    breaks("marker", object, { max_bytes = 60 }, [[{<<"more":"3 of 4 omitted",>>"on":true<<>>}]], json(members(4, 1)))
    breaks(
      "marker",
      object,
      { max_bytes = 99 },
      [[{<<"...":"2 of 4 omitted",>>"on":true]] .. [[<<,"...":"1 of 4 omitted">>}]],
      json(members(4, 1))
    )
    local dotted = [[{"...":1,"b":2,"c":"a value that is long enough, ]]
      .. [[of many more words than that, or so it seems to those who count them"}]]
    breaks("marker", dotted, { max_bytes = 55 }, [[{"...":1<<,"...":"2 of 3 omitted">>}]], json(members(3, 1)))
    passes(dotted, { max_bytes = 55 }, [[{"...":1<<,"....":"2 of 3 omitted">>}]], json(members(3, 1)))
    breaks("marker", dotted, { max_bytes = 62 }, [[{"...":1<<,".........":"2 of 3 omitted">>}]], json(members(3, 1)))
  end)

  it("wants keys and scalars whole", function()
    breaks("key", [[{"a long key":1,"b":2}]], { max_bytes = 70 }, [[{"a<<">>:1,"b":2}]], json())
    breaks("scalar", "[123456789,2]", { max_bytes = 12 }, "[123<<0>>789,2]", json())
  end)

  local long = '["' .. ("abcdefghij"):rep(100) .. '"]'

  it("wants strings cut between chars, and the gap told", function()
    passes(long, { max_bytes = 70 }, '["abcde<<... [992 of 1000 chars omitted] ...>>hij"]', json(chars(1000, 8, "/0")))
    breaks(
      "gap",
      long,
      { max_bytes = 70 },
      '["abcde<<... [991 of 1000 chars omitted] ...>>hij"]',
      json(chars(1000, 8, "/0"))
    )
    breaks(
      "total",
      long,
      { max_bytes = 70 },
      '["abcde<<... [992 of 100 chars omitted] ...>>hij"]',
      json(chars(1000, 8, "/0"))
    )
    breaks("marker", long, { max_bytes = 70 }, '["abcde<<...>>hij"]', json(chars(1000, 8, "/0")))
    local content, cut = written.cut(long, '["abcde<<x>>hij"]', json(chars(1000, 8, "/0")))
    cut.markers = nil
    assert.truthy(judge.faults(long, { max_bytes = 70 }, content:gsub("x", ""), cut)[1]:find "^gap")
    for _, char in ipairs { "\\n", "\195\169", "\\u00e9", "\\ud83d\\ude00" } do
      local text = '["' .. char:rep(100) .. 'x"]'
      passes(
        text,
        { max_bytes = 60 },
        '["' .. char .. '<<... [99 of 101 chars omitted] ...>>x"]',
        json(chars(101, 2, "/0"))
      )
      for at = 1, #char - 1 do
        breaks(
          at == 6 and "char" or "",
          text,
          { max_bytes = 60 },
          '["' .. char:sub(1, at) .. '<<... [100 of 101 chars omitted] ...>>x"]',
          json(chars(101, 1, "/0"))
        )
      end
    end
  end)

  it("wants little of base64 and nothing deep", function()
    local blob = ("aB3+"):rep(100)
    local text = ('["%s",1]'):format(blob)
    passes(
      text,
      { max_bytes = 90 },
      '["' .. blob:sub(1, 32) .. '<<... [368 of 400 chars omitted] ...>>",1]',
      json(chars(400, 32, "/0"))
    )
    breaks(
      "blob",
      text,
      { max_bytes = 90 },
      '["' .. blob:sub(1, 33) .. '<<... [367 of 400 chars omitted] ...>>",1]',
      json(chars(400, 33, "/0"))
    )
    passes(
      long,
      { max_bytes = 90 },
      '["abcdefghijabcdefghijabcdefghijabcdef<<... [964 of 1000 chars omitted] ...>>"]',
      json(chars(1000, 36, "/0"))
    )
    local many = ('["%s",%s]'):format(blob, ("1111,"):rep(400) .. "2")
    breaks(
      "blob",
      many,
      { max_bytes = 500 },
      ('["%s"<<,"... 400 of 402 omitted ...">>,2]'):format(blob),
      json(elements(402, 2))
    )
    local deep = ("["):rep(300) .. "1" .. ("]"):rep(300)
    local function cut_at(n)
      return ("["):rep(n) .. '<<"... 1 of 1 omitted ...">>' .. ("]"):rep(n), json(elements(1, 0, ("/0"):rep(n - 1)))
    end
    passes(deep, { max_bytes = 500 }, cut_at(200))
    breaks("depth", deep, { max_bytes = 500 }, cut_at(201))
  end)

  it("wants the smallest form in the smallest budget, and no BOM", function()
    for source, smallest in pairs { [list] = "[<<>>]", [object] = "{<<>>}", ['"some words"'] = '"<<>>"' } do
      local kept = smallest == "[<<>>]" and elements(100, 0) or smallest == "{<<>>}" and members(4, 0) or chars(10, 0)
      passes(source, { max_bytes = 2 }, smallest, json(kept))
      passes(source, { max_bytes = 1 }, "", json())
      breaks("smallest", source, { max_bytes = 2 }, "", json())
    end
    breaks("gap", list, { max_bytes = 100 }, "[<<>>]", json(elements(100, 0)))
    breaks(
      "bom",
      "\239\187\191" .. list,
      { max_bytes = 90 },
      '\239\187\191[11,12<<,"... 96 of 100 omitted ...">>,109,110]',
      json(elements(100, 4))
    )
    passes(
      "\239\187\191" .. list,
      { max_bytes = 90 },
      '[11,12<<,"... 96 of 100 omitted ...">>,109,110]',
      json(elements(100, 4))
    )
  end)

  it("wants no marker where there is to be none", function()
    passes(list, { max_bytes = 70, marker = "none" }, "[11,12<<>>,109,110]", json(elements(100, 4)))
    breaks(
      "marker",
      list,
      { max_bytes = 70, marker = "none" },
      '[11,12<<,"... 96 of 100 omitted ...">>,109,110]',
      json(elements(100, 4))
    )
  end)

  it("wants items that say what lacks, the largest first", function()
    local two = "[" .. list .. "," .. numbers(50) .. "]"
    local text = '[[<<"... 99 of 100 omitted ...",>>110],[<<"... 49 of 50 omitted ...",>>60]]'
    local a, b = elements(100, 1, "/0"), elements(50, 1, "/1")
    passes(two, { max_bytes = 120 }, text, json(a, b))
    breaks("items", two, { max_bytes = 120 }, text, json(b, a))
    breaks("items", two, { max_bytes = 120 }, text, json(a))
    breaks("items", two, { max_bytes = 120 }, text, json(a, b, b))
    breaks("items", two, { max_bytes = 120 }, text, json(a, elements(50, 2, "/1")))
    breaks("items", two, { max_bytes = 120 }, text, json(a, elements(51, 1, "/1")))
    breaks("items", two, { max_bytes = 120 }, text, json(a, elements(50, 1, "/2")))
    breaks("items", two, { max_bytes = 120 }, text, json(a, members(50, 1, "/1")))
    breaks("items", two, { max_bytes = 120 }, text, { kind = "json" })
  end)

  it("wants the budget used, and small strings whole", function()
    local many = numbers(4000)
    breaks(
      "use",
      many,
      { max_bytes = 5000 },
      '[11,12<<,"... 3996 of 4000 omitted ...">>,4009,4010]',
      json(elements(4000, 4))
    )
    local words = "[" .. ('"some words here",'):rep(1000) .. '"the last"]'
    breaks(
      "part",
      words,
      { max_bytes = 6000 },
      '["some<<... [11 of 15 chars omitted] ...>>"<<,"... 999 of 1001 omitted' .. ' ...">>,"the last"]',
      json(elements(1001, 2), chars(15, 4, "/0"))
    )
  end)
end)

local function records(total, kept)
  return { kind = "json_lines", items = { { unit = "records", total = total, kept = kept } } }
end
local function rows(total, kept)
  return { kind = "table", items = { { unit = "rows", total = total, kept = kept } } }
end

describe("the judge of records #once", function()
  local source = seq(1, 40, '{"id":%d,"ok":true}')
  local first, last = '{"id":1,"ok":true}', '{"id":40,"ok":true}\n'
  local function between(text)
    return first .. "<<\n" .. text .. "\n>>" .. last
  end

  it("wants whole records, each gap told on a line of its own", function()
    passes(source, { max_bytes = 80 }, between "... [38 records omitted] ...", records(40, 2))
    breaks("gap", source, { max_bytes = 80 }, between "... [37 records omitted] ...", records(40, 2))
    breaks("marker", source, { max_bytes = 80 }, between "... [38 lines omitted] ...", records(40, 2))
    breaks("marker", source, { max_bytes = 80 }, between "... [38 rows omitted] ...", records(40, 2))
    breaks(
      "gap",
      source,
      { max_bytes = 140 },
      between "... [30 records omitted] ...\n>><<... [8 records omitted] ...",
      records(40, 2)
    )
    breaks("gap", source, { max_bytes = 140 }, first .. "\n<<>>" .. last, records(40, 2))
    breaks(
      "gap",
      source,
      { max_bytes = 200 },
      first .. '\n<<... [1 records omitted] ...\n>>{"id":2,"ok":true}\n' .. "<<... [38 records omitted] ...\n>>",
      records(40, 2)
    )
    breaks(
      "part",
      source,
      { max_bytes = 3000, reserve = nil },
      '{"id":1<<,"...":"1 of 2 omitted">>}\n' .. "<<... [38 records omitted] ...\n>>" .. last,
      records(40, 2)
    )
  end)

  it("does not count blank lines", function()
    local blanks = source:gsub("\n", "\n \n\n")
    passes(
      blanks,
      { max_bytes = 80 },
      first .. '\n<<... [38 records omitted] ...\n>>{"id":40,"ok":true}\n \n\n',
      records(40, 2)
    )
    breaks(
      "gap",
      blanks,
      { max_bytes = 80 },
      first .. '\n<<... [158 records omitted] ...\n>>{"id":40,"ok":true}\n \n\n',
      records(40, 2)
    )
  end)

  it("wants a record that is cut to be a right cut of JSON", function()
    local long = source .. '{"long":' .. numbers(100) .. ',"z":1}\n'
    local good = between "... [38 records omitted] ..." .. '{"long":[11<<,"... 99 of 100 omitted ...">>],"z":1}\n'
    passes(long, { max_bytes = 140 }, good, records(41, 3))
    breaks("gap", long, { max_bytes = 140 }, (good:gsub("99 of", "98 of")), records(41, 3))
    breaks("parse", long, { max_bytes = 140 }, (good:gsub('<<,"', '<<"')), records(41, 3))
  end)

  it("wants items that say what lacks", function()
    local right = between "... [38 records omitted] ..."
    breaks("items", source, { max_bytes = 80 }, right, records(40, 3))
    breaks("items", source, { max_bytes = 80 }, right, records(41, 2))
    breaks("items", source, { max_bytes = 80 }, right, { kind = "json_lines" })
    breaks(
      "use",
      seq(1, 4000, '{"id":%d}'),
      { max_bytes = 8192 },
      '{"id":1}<<\n... [3998 records omitted] ...\n>>{"id":4000}\n',
      records(4000, 2)
    )
  end)
end)

describe("the judge of tables #once", function()
  local body = seq(1, 40, '%d,"a\nb, ""c"""')
  local source = "id,note\n" .. body
  local function expected(text)
    return judge.source(text or source, { kind = "table", delimiter = ",", header_lines = 1 })
  end
  local last = '40,"a\nb, ""c"""\n'

  it("wants the header, whole rows and their gaps", function()
    passes(expected(), { max_bytes = 70 }, "id,note<<\n... [39 rows omitted] ...\n>>" .. last, rows(40, 1))
    breaks("gap", expected(), { max_bytes = 70 }, "id,note<<\n... [40 rows omitted] ...\n>>" .. last, rows(40, 1))
    breaks("gap", expected(), { max_bytes = 70 }, "id,note<<\n... [78 rows omitted] ...\n>>" .. last, rows(40, 1))
    breaks("header", expected(), { max_bytes = 70 }, "<<... [39 rows omitted] ...\n>>" .. last, rows(40, 1))
    breaks(
      "header",
      expected(),
      { max_bytes = 70 },
      "id,<<... >>\n<<... [39 rows omitted] ...\n>>" .. last,
      rows(40, 1)
    )
    breaks("part", expected(), { max_bytes = 3000 }, 'id,note<<\n... [39 rows omitted] ...\n>>b, ""c"""\n', rows(40, 1))
    breaks("items", expected(), { max_bytes = 70 }, "id,note<<\n... [39 rows omitted] ...\n>>" .. last, rows(41, 2))
    breaks("items", expected(), { max_bytes = 70 }, "id,note<<\n... [39 rows omitted] ...\n>>" .. last, records(40, 1))
    breaks(
      "use",
      expected("id,n\n" .. ("1,2\n"):rep(3000)),
      { max_bytes = 9000 },
      "id,n\n<<... [2999 rows omitted] ...\n>>1,2\n",
      rows(3000, 1)
    )
  end)

  it("lets a budget that does not hold the header tell of all", function()
    passes(expected(), { max_bytes = 30 }, "<<... [40 rows omitted] ...\n>>", rows(40, 0))
  end)
end)

describe("the judge of diffs #once", function()
  local function hunk(at, n, tag)
    local list = { ("@@ -%d,%d +%d,%d @@"):format(at, n + 2, at, n + 3), " " .. tag .. " before" }
    for i = 1, n do
      list[#list + 1] = ("-%s old %d\n+%s new %d"):format(tag, i, tag, i)
    end
    list[#list + 1] = "+" .. tag .. " more\n " .. tag .. " after\n"
    return table.concat(list, "\n")
  end
  local function header(path)
    return ("diff --git a/%s b/%s\nindex 111..222 100644\n--- a/%s\n+++ b/%s\n"):format(path, path, path, path)
  end
  local a1, a2, b1 = hunk(1, 2, "a1"), hunk(50, 3, "a2"), hunk(9, 8, "b1")
  local rename = "diff --git a/old.md b/new.md\nsimilarity index 100%\nrename from old.md\nrename to new.md\n"
  local source = header "x/a.lua" .. a1 .. a2 .. rename .. header "x/b.lua" .. b1
  local function diff(files, hunks)
    return {
      kind = "diff",
      items = { { unit = "files", total = 3, kept = files }, { unit = "hunks", total = 3, kept = hunks } },
    }
  end
  local named = rename:match "^[^\n]*\n" .. "<<>>"
  local b_line = "diff --git a/x/b.lua b/x/b.lua\n"

  it("takes a diff apart", function()
    local parsed = require("support.judge.diff_text").parse(source)
    assert.equal(3, #parsed.files)
    assert.same({ 2, 0, 1 }, { #parsed.files[1].hunks, #parsed.files[2].hunks, #parsed.files[3].hunks })
    assert.same(
      { "x/a.lua", "new.md", "x/b.lua" },
      { parsed.files[1].path, parsed.files[2].path, parsed.files[3].path }
    )
    assert.same({ 9, 8 }, { parsed.files[3].hunks[1].plus, parsed.files[3].hunks[1].minus })
  end)

  it("takes combined, svn and mailed diffs apart, and names of all forms", function()
    local parse = require("support.judge.diff_text").parse
    local combined = "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n +b\n++c\n -d\n"
    local parsed = parse(combined)
    assert.equal(1, #parsed.files[1].hunks)
    assert.same({ 5, 9 }, { parsed.files[1].hunks[1].first, parsed.files[1].hunks[1].last })
    parsed = parse(
      "Index: f.c\n"
        .. ("="):rep(67)
        .. "\n--- f.c\t(revision 1)\n+++ f.c\t(working copy)\n@@ -1 +1 @@\n-a\n"
        .. "\\ No newline at end of file\n+b\n\\ No newline at end of file\nProperty changes\n"
    )
    assert.same(
      { "f.c", 5, 9 },
      { parsed.files[1].path, parsed.files[1].hunks[1].first, parsed.files[1].hunks[1].last }
    )
    parsed = parse("From 12 Mon\nSubject: x\n---\n f | 2 +-\n\n" .. header "f" .. hunk(1, 1, "m") .. "-- \n2.39\n\n")
    assert.same(
      { "text", "header", "hunk", "text" },
      { parsed.parts[1].kind, parsed.parts[2].kind, parsed.parts[3].kind, parsed.parts[4].kind }
    )
    local gone = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert.equal("gone", parse(gone).files[1].path)
    assert.equal(
      "bin",
      parse("diff --git a/bin b/bin\nindex 1..2\nBinary files a/bin and b/bin differ\n").files[1].path
    )
  end)

  it("wants hunks under their headers, files named, markers that add up", function()
    local right = header "x/a.lua" .. a1 .. a2 .. named .. b_line .. "<<... [1 hunks, +9 -8 omitted] ...\n>>"
    passes(source, { max_bytes = 370 }, right, diff(1, 2))
    passes(
      source,
      { max_bytes = 480 },
      header "x/a.lua" .. a1 .. a2 .. rename .. b_line .. "<<... [1 hunks, +9 -8 omitted] ...\n>>",
      diff(2, 2)
    )
    breaks("gap", source, { max_bytes = 370 }, (right:gsub("%+9", "+8")), diff(1, 2))
    breaks("gap", source, { max_bytes = 370 }, (right:gsub("1 hunks", "2 hunks")), diff(1, 2))
    breaks("marker", source, { max_bytes = 370 }, (right:gsub("hunks", "chunks")), diff(1, 2))
    breaks("gap", source, { max_bytes = 370 }, right .. "<<... [1 files omitted] ...\n>>", diff(1, 2))
    breaks("header", source, { max_bytes = 370 }, (right:gsub("%-%-%- a/x/a.lua\n", "<<>>")), diff(1, 2))
    breaks("header", source, { max_bytes = 400 }, (right:gsub("<<%.", "index 111..222 100644\n%0")), diff(1, 2))
    breaks(
      "header",
      source,
      { max_bytes = 370 },
      (right:gsub(b_line:gsub("%W", "%%%0"), "<<>>index 111..222 100644\n")),
      diff(1, 2)
    )
    breaks(
      "names",
      source,
      { max_bytes = 472 },
      header "x/a.lua" .. a1 .. a2 .. "<<... [1 hunks, +9 -8 omitted] ...\n" .. "... [2 files omitted] ...\n>>",
      diff(1, 2)
    )
    breaks("items", source, { max_bytes = 370 }, right, diff(2, 2))
    breaks("items", source, { max_bytes = 370 }, right, diff(1, 3))
    breaks("items", source, { max_bytes = 370 }, right, { kind = "diff" })
    local small, large = hunk(1, 4, "c1"), hunk(50, 12, "c2")
    local hunks = header "x/c.lua" .. small .. large
    local only_large = header "x/c.lua" .. "<<... [1 hunks, +5 -4 omitted] ...\n>>" .. large
    breaks("order", hunks, { max_bytes = #hunks - 1 }, only_large, {
      kind = "diff",
      items = {
        { unit = "files", total = 1, kept = 1 },
        { unit = "hunks", total = 2, kept = 1 },
      },
    })
  end)

  it("wants a partial hunk cut once, at its middle, told there", function()
    local top, rest = b1:match "^([^\n]*\n[^\n]*\n[^\n]*\n)(.*)$"
    local tail = rest:match "([^\n]*\n[^\n]*\n[^\n]*\n)$"
    local start = header "x/a.lua" .. a1 .. a2 .. named .. header "x/b.lua"
    local function cut(marker)
      return start .. top .. "<<" .. marker .. "\n>>" .. tail
    end
    passes(source, { max_bytes = 560 }, cut "... [14 lines omitted] ...", diff(2, 3))
    breaks("hunk", source, { max_bytes = 560 }, cut "... [13 lines omitted] ...", diff(2, 3))
    breaks("hunk", source, { max_bytes = 560 }, cut "... [1 hunks, +1 -1 omitted] ...", diff(2, 3))
    breaks("hunk", source, { max_bytes = 560 }, start .. top .. "<<>>" .. tail, diff(2, 3))
    breaks("hunk", source, { max_bytes = 560 }, start .. "<<... [17 lines omitted] ...\n>>" .. tail, diff(2, 3))
    breaks(
      "hunk",
      source,
      { max_bytes = 600 },
      start .. top .. "<<... [1 lines omitted] ...\n>>-b1 old 2\n<<... [12 lines omitted] ...\n>>" .. tail,
      diff(2, 3)
    )
    breaks(
      "hunk",
      source,
      { max_bytes = 560 },
      start .. top .. rest:match "^[^\n]*\n[^\n]*\n[^\n]*\n[^\n]*\n" .. "<<... [13 lines omitted] ...\n>>",
      diff(2, 3)
    )
    breaks(
      "part",
      source .. header "y" .. ("-"):rep(9000),
      { max_bytes = 60000 },
      cut "... [14 lines omitted] ...",
      diff(2, 3)
    )
  end)

  it("wants text between files told, and hunks of lock files last", function()
    local mail = "From 12 Mon\nSubject: x\n---\n" .. source
    local body = header "x/a.lua" .. a1 .. a2 .. named .. b_line .. "<<... [1 hunks, +9 -8 omitted] ...\n>>"
    passes(mail, { max_bytes = 400 }, "<<... [3 lines omitted] ...\n>>" .. body, diff(1, 2))
    breaks("gap", mail, { max_bytes = 400 }, "<<... [4 lines omitted] ...\n>>" .. body, diff(1, 2))
    breaks("gap", mail, { max_bytes = 400 }, body, diff(1, 2))
    local lock = header "Cargo.lock" .. hunk(1, 30, "lock") .. header "a.rs" .. hunk(1, 3, "rs")
    breaks(
      "order",
      lock,
      { max_bytes = 950 },
      header "Cargo.lock"
        .. hunk(1, 30, "lock")
        .. "diff --git a/a.rs b/a.rs\n"
        .. "<<... [1 hunks, +4 -3 omitted] ...\n>>",
      { kind = "diff", items = { { unit = "files", total = 2, kept = 1 }, { unit = "hunks", total = 2, kept = 1 } } }
    )
  end)

  it("wants a hunk of a file before many of another", function()
    local list = {}
    for i = 1, 6 do
      list[i] = hunk(i * 50, 4, "many")
    end
    local lopsided = header "a.lua" .. table.concat(list) .. header "b.lua" .. a1
    local function items(files, hunks)
      return {
        kind = "diff",
        items = { { unit = "files", total = 2, kept = files }, { unit = "hunks", total = 7, kept = hunks } },
      }
    end
    local all, last = header "a.lua" .. table.concat(list), "diff --git a/b.lua b/b.lua\n"
    breaks(
      "fair",
      lopsided,
      { max_bytes = #lopsided - 1 },
      all .. last .. "<<... [1 hunks, +3 -2 omitted] ...\n>>",
      items(1, 6)
    )
    passes(
      lopsided,
      { max_bytes = #lopsided - 1 },
      ("%s<<... [1 hunks, +5 -4 omitted] ...\n>>%s"):format(
        header "a.lua" .. table.concat(list, "", 1, 5),
        header "b.lua" .. a1
      ),
      items(2, 6)
    )
  end)

  it("gives the whole hunks as a patch", function()
    local judged = judge.source(source, { kind = "diff" })
    local content, cut = written.cut(
      source,
      header "x/a.lua" .. a1 .. a2 .. named .. b_line .. "<<... [1 hunks, +9 -8 omitted] ...\n>>",
      diff(1, 2)
    )
    assert.same({}, judge.faults(judged, { max_bytes = 370 }, content, cut))
    local patch, n = require("support.judge.diff").whole_hunks(judged.as "diff")
    assert.equal(header "x/a.lua" .. a1 .. a2, patch)
    assert.equal(2, n)
  end)
end)

describe("the judge, on random right cuts", function()
  --- What it finds, but for rules about how a budget is spent.
  local SPENT = { use = true, part = true, order = true, fair = true, names = true }
  local function serious(source, content, cut)
    for _, fault in ipairs(judge.faults(source, { max_bytes = #content }, content, cut)) do
      if not SPENT[fault:match "^%a+"] then return fault end
    end
  end

  --- One byte of a marker's numbers, of the content, of an item, or of a range is changed.
  local function spoil(content, cut)
    local draw = random.below(3)
    if draw == 0 and #cut.markers > 0 then
      local range = random.choose(cut.markers)
      local at = content:find("%d", range.first_byte)
      local digit = (tonumber(content:sub(at, at)) + 1) % 10
      return content:sub(1, at - 1) .. digit .. content:sub(at + 1)
    elseif draw == 1 and #(cut.items or {}) > 0 then
      local item = random.choose(cut.items)
      item.kept = item.kept + 1
      return content
    end
    local range = random.choose(cut.kept)
    range.first_byte = range.first_byte + 1
    return content
  end

  it("lets cuts of JSON pass, and sees one spoilt byte", function()
    random.each(200, function()
      local text = json_judge.compact(json_judge.document((documents.json(random.choose { 4, 20, 60 }))))
      local content, cut = random_cut.json(text)
      if #content >= #text or content == "" then return end
      local source = judge.source(text, { kind = "json" })
      local fault = serious(source, content, cut)
      if fault then error(("%s\n%q\nof %q"):format(fault, content:sub(1, 3000), text:sub(1, 3000)), 0) end
      local spoilt = spoil(content, cut)
      if not serious(source, spoilt, cut) then error(("not seen:\n%q\nof %q"):format(spoilt, text), 0) end
    end)
  end)

  it("lets cuts of diffs pass, and sees one spoilt byte #few", function()
    random.each(20, function()
      local text, dir = diffs.tree()
      dir:remove()
      local source = judge.source(text, { kind = "diff" })
      for _ = 1, text == "" and 0 or 10 do
        local content, cut = random_cut.diff(source.as "diff")
        if #content < #text then
          local fault = serious(source, content, cut)
          if fault then error(("%s\n%s"):format(fault, content), 0) end
          local spoilt = spoil(content, cut)
          if not serious(source, spoilt, cut) then error("not seen:\n" .. spoilt, 0) end
        end
      end
    end)
  end)
end)
