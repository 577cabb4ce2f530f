-- What an MCP proxy makes of lines: everything as it came, but results over their tool's limits.
local abridge = require "abridge"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"
local lines = require "abridge.base.lines"
local own_tools = require "abridge.proxy.own_tools"
local proxy = require "abridge.proxy"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local json = host.json()
local KEY = "io.github.abridge-tools/truncation"
local LONG = ("line of text\n"):rep(5000)

describe("an MCP proxy", function()
  local dir, session, between, warned

  before_each(function()
    dir = tmpdir.new()
    session = abridge.session { run_dir = dir.path .. "/run", tools = {}, tool_names = {} }
    warned = {}
    between = proxy.new(session, {
      warn = function(text)
        warned[#warned + 1] = text
      end,
    })
  end)

  after_each(function()
    session:close()
    dir:remove()
  end)

  local function call(id, name)
    between:from_client(('{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s"}}\n'):format(id, name))
  end

  local function list(tools)
    between:from_client '{"jsonrpc":"2.0","id":"list","method":"tools/list"}\n'
    local line = ('{"jsonrpc":"2.0","id":"list","result":{"tools":%s}}\n'):format(tools)
    assert.equal(line, between:from_server(line))
  end

  local function text_block(text)
    return '{"type":"text","text":' .. encode.string(text) .. "}"
  end

  local function answer(id, content, more)
    return ('{"jsonrpc":"2.0","id":%s,"result":{"content":[%s]%s}}\n'):format(id, content, more or "")
  end

  it("cuts a text over its tool's limits, and leaves every other byte", function()
    call(7, "search")
    local image = '{ "type":"image", "data":"AAAA", "n":[ ], "x":12345678901234567 }'
    local out = between:from_server(answer("7", text_block(LONG) .. ", " .. image, ', "z":1.50'))
    local result = json.decode(out).result
    local full = dir.path .. "/run/artifacts/0001-search.log"
    assert.truthy(
      result.content[1].text:find("[Showing 2000 of 5000 lines (2000 line limit). Full output: " .. full, 1, true)
    )
    assert.equal(LONG, dir:read "run/artifacts/0001-search.log")
    assert.truthy(out:find("}, " .. image .. '], "z":1.50', 1, true))
    assert.is_true(result._meta[KEY].truncated)
    assert.equal(#LONG, result._meta[KEY].bytes_total)
  end)

  it("passes what is within the limits, byte for byte", function()
    call(1, "search")
    local line =
      ' { "id" : 1 , "result":{"content":[{"type":"text","text":"\\u0061 [31m"}],"structuredContent":{}}}\r\n'
    assert.equal(line, between:from_server(line))
  end)

  it("passes what is no result of a call", function()
    call(1, "search")
    for _, line in ipairs {
      "no JSON\n",
      "\n",
      '{"jsonrpc":"2.0","id":9,"result":{"content":[' .. text_block(LONG) .. "]}}\n", -- of no call
      '{"jsonrpc":"2.0","id":"1","result":{"content":[' .. text_block(LONG) .. "]}}\n", -- the text, not the number
      '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"result":' .. text_block(LONG) .. "}}\n",
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":' .. encode.string(LONG) .. "}}\n",
    } do
      assert.equal(line, between:from_server(line))
    end
    assert.is_true(#between:from_server(answer("1", text_block(LONG))) < 40000) -- still awaited
    local twice = answer("1", text_block(LONG))
    assert.equal(twice, between:from_server(twice))
    assert.same({}, warned)
  end)

  it("cuts what a client reads where a name stands twice: the last of each", function()
    local long = '"result":{"content":[' .. text_block(LONG) .. "]}"
    local block = '{"type":"image","text":"short","type":"text","text":' .. encode.string(LONG) .. "}"
    for n, line in ipairs {
      '{"jsonrpc":"2.0","id":9,"id":1,"big":12345678901234567,"result":1,' .. long .. "}\n",
      '{"jsonrpc":"2.0","id":1,"res\\u0075lt":{"content":[]},"big":12345678901234567,' .. long .. "}\n",
      '[{"jsonrpc":"2.0","id":1,"big":12345678901234567,"result":{"content":[' .. block .. "]}}]\n",
    } do
      call(1, "search")
      local out = between:from_server(line)
      assert.is_true(#out < 40000, n)
      assert.truthy(out:find('"big":12345678901234567', 1, true), n)
      assert.equal("\n", out:sub(-1))
      local decoded = json.decode(out)
      local result = (decoded[1] or decoded).result
      assert.truthy(result.content[1].text:find("2000 line limit", 1, true), n)
    end
    local harmless = '{"jsonrpc":"2.0","id":1,"id":1,"result":{"content":[]}}\n'
    call(1, "search")
    assert.equal(harmless, between:from_server(harmless))
    assert.same({}, warned)
  end)

  it("cuts crudely where cutting fails, and warns", function()
    session.cap = function()
      error "no cap today"
    end
    call(1, "search")
    local out = between:from_server(answer("1", text_block(LONG) .. "," .. text_block(LONG)))
    local content = json.decode(out).result.content
    for _, block in ipairs(content) do
      assert.is_true(#block.text <= 15 * 1024)
      assert.truthy(
        block.text:find("line of text\n... [65000 bytes, cut to 15360] ...\nline of text", 1, true)
          or block.text:find("... [5000 lines, cut to 1000] ...", 1, true)
      )
    end
    assert.equal(1, #warned)
    assert.truthy(warned[1]:find "^a result of search was cut crudely: .*no cap today")
    call(2, "search")
    assert.equal(answer("2", text_block "short"), between:from_server(answer("2", text_block "short")))
    function between.learn()
      error "no list today"
    end
    list "[]" -- passes
    assert.truthy(warned[#warned]:find "^an answer to tools/list passed as it came: .*no list today")
  end)

  it("passes a line that is no JSON in its middle, and warns", function()
    call(1, "search")
    local wrong = answer("1", text_block(LONG) .. ",NaN")
    assert.equal(wrong, between:from_server(wrong))
    assert.truthy(warned[1]:find "^a line of the server passed as it came: ")
  end)

  it("knows ids however they are spelled, and cuts late answers after a cancel", function()
    call('"a\\u0062"', "search")
    between:from_client '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ab"}}\n'
    assert.is_true(#between:from_server(answer('"\\u0061b"', text_block(LONG))) < 40000)
    call("3", "search")
    between:from_client '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{}}\n' -- used again
    local line = answer("3", text_block(LONG))
    assert.equal(line, between:from_server(line))
  end)

  it("cuts each answer of a batch", function()
    between:from_client '[{"id":1,"method":"tools/call","params":{"name":"a"}},{"id":2,"method":"ping"}]\n'
    call(3, "b")
    local first = answer("1", text_block(LONG)):sub(1, -2)
    local other = '{"id":2,"result":{}}'
    local out =
      between:from_server("[" .. first .. ", " .. other .. "," .. answer("3", text_block(LONG)):sub(1, -2) .. "]\n")
    local all = json.decode(out)
    assert.truthy(all[1].result._meta[KEY].truncated)
    assert.truthy(all[3].result._meta[KEY].truncated)
    assert.truthy(out:find(", " .. other .. ",", 1, true))
  end)

  it("cuts embedded texts, shares a budget among several, and adds to _meta", function()
    call(1, "search")
    local embedded = '{"type":"resource","resource":{"uri":"file:///a","text":' .. encode.string(LONG) .. "}}"
    local out = between:from_server(answer("1", text_block(LONG) .. "," .. embedded, ',"_meta":{"own":1}'))
    local result = json.decode(out).result
    local texts = { result.content[1].text, result.content[2].resource.text }
    assert.is_true(#texts[1] + #texts[2] <= 30 * 1024)
    assert.is_true(#texts[1] > 10000 and #texts[2] > 10000)
    assert.equal("file:///a", result.content[2].resource.uri)
    assert.equal(1, result._meta.own)
    assert.equal(2 * #LONG, result._meta[KEY].bytes_total)
  end)

  it("gives a tool of one of our names its own row, and no notice of ours", function()
    session:close()
    session =
      abridge.session { run_dir = false, tools = {}, tool_names = {}, limits = { mcp__read_file = { max_lines = 9 } } }
    between = proxy.new(session, { warn = error })
    call(1, "read_file")
    local text = json.decode(between:from_server(answer("1", text_block(LONG)))).result.content[1].text
    assert.truthy(text:find("[Showing 9 of 5000 lines (9 line limit)]", 1, true))
  end)

  it("gives a tool the chars it asks for, up to a bound", function()
    list '[{"name":"search","_meta":{"anthropic/maxResultSizeChars":50000}}]'
    call(1, "search")
    assert.is_true(#between:from_server(answer("1", text_block(LONG))) < 40000) -- nobody said that it may
    between.opts.max_result_chars = 45000
    call(2, "search")
    local text = json.decode(between:from_server(answer("2", text_block(LONG)))).result.content[1].text
    assert.is_true(#text > 44000 and #text <= 45000, #text)
    call(3, "search") -- a result asks for itself
    local meta = ',"_meta":{"anthropic/maxResultSizeChars":20000}'
    text = json.decode(between:from_server(answer("3", text_block(LONG), meta))).result.content[1].text
    assert.is_true(#text > 19000 and #text <= 20000, #text)
  end)

  describe("with structured content", function()
    local repeated = ',"structuredContent":{"content":' .. encode.string(LONG) .. "}"

    it("drops what repeats the text, unless a schema wants it", function()
      list '[{"name":"plain"},{"name":"bound","outputSchema":{"type":"object"}}]'
      call(1, "plain")
      local result = json.decode(between:from_server(answer("1", text_block(LONG), repeated))).result
      assert.is_nil(result.structuredContent)
      assert.is_true(#result.content[1].text > 25000)
      call(2, "bound")
      result = json.decode(between:from_server(answer("2", text_block(LONG), repeated))).result
      local kept = result.structuredContent.content
      assert.is_true(#kept > 5000 and #kept < 20000)
      assert.equal(LONG:sub(1, #kept), kept)
    end)

    it("leaves it whole where no list of tools was seen, or it is to be kept", function()
      call(1, "plain")
      assert.truthy(between:from_server(answer("1", text_block(LONG), repeated)):find(repeated, 1, true))
      list '[{"name":"plain"}]'
      between.opts.keep_structured = true
      call(2, "plain")
      assert.truthy(between:from_server(answer("2", text_block(LONG), repeated)):find(repeated, 1, true))
    end)

    it("shortens arrays and strings where the schema lets them be", function()
      list [=[[{"name":"rows","outputSchema":{"type":"object","properties":{
        "rows":{"type":"array","items":{"$ref":"#/$defs/row"}},
        "bound":{"type":"array","minItems":1},
        "kind":{"type":"string","enum":["x"]}},
        "$defs":{"row":{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}}}}]]=]
      local rows = {}
      for i = 1, 2000 do
        rows[i] = ('{"id":"%08d","n":%d.50}'):format(i, i)
      end
      local bound = ('"bound":[1,[ ],"%s"]'):format(("b"):rep(300))
      local value = ('{"rows":[%s], %s, "kind":"%s"}'):format(table.concat(rows, ", "), bound, ("x"):rep(500))
      call(1, "rows")
      local out = between:from_server(answer("1", text_block "2000 rows", ',"structuredContent":' .. value))
      local kept = json.decode(out).result.structuredContent
      assert.is_true(#kept.rows > 500 and #kept.rows < 2000)
      assert.equal(("x"):rep(500), kept.kind)
      assert.truthy(out:find(table.concat(rows, ", ", 1, #kept.rows) .. "], " .. bound, 1, true))
      assert.equal("2000 rows", json.decode(out).result.content[1].text)
      assert.is_true(#out < 33000)
    end)

    it("counts the comma and the blanks that go with an element", function()
      list '[{"name":"rows"}]'
      local rows = {}
      for i = 1, 9000 do
        rows[i] = ('"%d"'):format(i)
      end
      local value = '{"rows":[' .. table.concat(rows, ",      ") .. "]}"
      call(1, "rows")
      local out = between:from_server(answer("1", text_block "see", ',"structuredContent":' .. value))
      local kept = out:match '"structuredContent":(.*]}),"_meta"'
      assert.equal("see", json.decode(out).result.content[1].text)
      assert.is_true(#kept > 30000 and #kept < 30720)
      assert.equal(#kept + #"see", json.decode(out).result._meta[KEY].bytes_returned)
    end)

    it("leaves it whole where shortening is not enough", function()
      list '[{"name":"bound","outputSchema":{"properties":{"content":{"type":"string","pattern":"^l"}}}}]'
      call(1, "bound")
      local out = between:from_server(answer("1", text_block "see there", repeated))
      assert.truthy(out:find(repeated, 1, true))
    end)

    it("cuts a string between two chars, however they are spelled", function()
      list '[{"name":"plain"}]'
      for _, char in ipairs { "\\n", "\\u00e9", "\\ud83d\\ude00", "\195\169", "\240\159\152\128", "a" } do
        for pad = 0, 12 do
          local spelled = ("x"):rep(pad) .. char:rep(8000)
          call(1, "plain")
          local out =
            between:from_server(answer("1", text_block "other", ',"structuredContent":{"s":"' .. spelled .. '"}'))
          local kept = out:match '"s":"([^"]*)"'
          assert.equal(spelled:sub(1, #kept), kept)
          assert.equal(0, (#kept - pad) % #char)
        end
      end
    end)
  end)

  describe("with tools of its own", function()
    local sent

    before_each(function()
      sent = {}
      between.opts.tools = own_tools.new(session)
      between.opts.send = function(line)
        sent[#sent + 1] = line
      end
    end)

    after_each(function()
      between.opts.tools:close()
    end)

    local function begin(capabilities)
      between:from_client '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'
      between:from_server(('{"jsonrpc":"2.0","id":0,"result":{"capabilities":%s}}\n'):format(capabilities))
    end

    --- What the client is told of a page of tools.
    local function listed(result)
      between:from_client '{"jsonrpc":"2.0","id":5,"method":"tools/list"}\n'
      local line = between:from_server('{"jsonrpc":"2.0","id":5,"result":' .. result .. "}\n")
      local names = {}
      for i, tool in ipairs(json.decode(line).result.tools) do
        names[i] = tool.name
      end
      return names, json.decode(line).result.tools
    end

    --- What comes of a call of one of them.
    local function called(name, input)
      local line = '{"jsonrpc":"2.0","id":"x\\u0041","method":"tools/call","params":{"name":"%s","arguments":%s}}\n'
      assert.equal("", between:from_client(line:format(name, input)))
      host.wait(function()
        return sent[1] ~= nil
      end)
      local answered = json.decode(table.remove(sent, 1))
      assert.equal("xA", answered.id)
      return answered.result.content[1].text, answered.result.isError
    end

    it("adds them to the last page of the server's, under names that are free", function()
      begin '{"tools":{}}'
      assert.same({ "abridge_read" }, (listed '{"tools":[{"name":"abridge_read"}],"nextCursor":"2"}'))
      local names, tools = listed '{"tools":[{"name":"b"}]}'
      assert.same({ "b", "abridge_read_2", "abridge_search" }, names)
      assert.equal("string", tools[2].inputSchema.properties.path.type)
    end)

    it("adds none where the server has no tools", function()
      begin '{"resources":{}}'
      assert.same({}, (listed '{"tools":[]}'))
    end)

    it("has the notice name them, and answers their calls", function()
      begin '{"tools":{}}'
      listed '{"tools":[{"name":"search"}]}'
      assert.same({ "No full output is kept yet", true }, { called("abridge_read", '{"path":"a"}') })
      call(1, "search")
      local text =
        json.decode(between:from_server(answer("1", text_block(LONG .. "the needle\n" .. LONG)))).result.content[1].text
      local path = text:match "Full output: (%S+)%. Use abridge_read or abridge_search on it%]$"
      assert.truthy(path, text:sub(-200))
      local page, failed = called("abridge_read", encode.json { path = path, offset = 5001, limit = 1 })
      assert.truthy(page:find "^the needle\n")
      assert.is_false(failed)
      assert.truthy(called("abridge_search", encode.json { path = path, pattern = "needle" }):find("5001", 1, true))
    end)

    it("reads nothing outside of the run's folder", function()
      begin '{"tools":{}}'
      listed '{"tools":[]}'
      call(1, "search")
      between:from_server(answer("1", text_block(LONG)))
      dir:write("secret", "secret")
      for _, path in ipairs { dir.path .. "/secret", "../../secret", "/etc/passwd", dir.path .. "/run/events.jsonl" } do
        local said, failed = called("abridge_read", encode.json { path = path })
        assert.is_true(failed)
        assert.is_nil(said:find "^secret")
      end
    end)

    it("takes their calls out of a batch", function()
      begin '{"tools":{}}'
      listed '{"tools":[]}'
      local own = '{"id":1,"method":"tools/call","params":{"name":"abridge_read","arguments":{}}}'
      assert.equal('[{"id":2,"method":"ping"}]\n', between:from_client("[" .. own .. ',{"id":2,"method":"ping"}]\n'))
      assert.equal("", between:from_client("[" .. own .. "]\n"))
    end)
  end)

  it("survives any line from either side", function()
    local parts =
      { '{"id":1', ',"method":"tools/call"', ',"params":{"name":"x"}', ',"result":{', '"content":[', "]", "}", "[" }
    for _, part in ipairs {
      '"structuredContent":',
      '{"type":"text","text":"a"}',
      '"tools":[{"name":7}]',
      "null",
      ",",
      "\255",
    } do
      parts[#parts + 1] = part
    end
    random.each(400, function()
      local made = {}
      for i = 1, random.between(1, 12) do
        made[i] = random.choose(parts)
      end
      local line = table.concat(made) .. "\n"
      between:from_client(line)
      assert.equal(line, between:from_server(line))
    end)
  end)
end)

describe("lines of a pipe", function()
  it("are the same in any chunks", function()
    random.each(100, function()
      local text = random.join("ab\n", random.below(200))
      local all, made = {}, lines.new()
      for chunk in random.chunks(text, 9) do
        made:feed(chunk, function(line)
          all[#all + 1] = line
        end)
      end
      for _, line in ipairs(all) do
        assert.truthy(line:find "^[^\n]*\n$")
      end
      assert.equal(text, table.concat(all) .. made:rest())
      assert.equal("", made:rest())
    end)
  end)
end)
