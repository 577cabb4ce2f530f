local abridge = require "abridge"
local coreless = require "support.standins.coreless"
local host = require "abridge.base.host"
local lines = require "support.numbered"
local mcp = require "abridge.mcp"
local plain = require "support.plain"
local random = require "support.random"
local share = require "abridge.output.share"
local tmpdir = require "support.tmpdir"
local warned = require "support.warned"

local function text(t)
  return { type = "text", text = t }
end

local function block_of(result)
  local block = result._meta[mcp.truncation_key]
  abridge.assert_conforms("mcp", { truncation = block })
  return block
end

local function parts_of(result)
  return result._meta[mcp.parts_key]
end

--- The texts of a result: what a model reads.
local function texts_of(result)
  local all = {}
  for _, field in ipairs { "content", "contents" } do
    for _, part in ipairs(result[field] or {}) do
      local resource = type(part) == "table" and type(part.resource) == "table" and part.resource
      local found = type(part) == "table" and rawget(resource or part, "text") or part
      if type(found) == "string" then all[#all + 1] = found end
    end
  end
  return all
end

describe("a fair share", function()
  it("gives what is small all it wants, and the others the same", function()
    assert.same({ 10, 45, 45 }, share.fair({ 10, 500, 90 }, 100))
    assert.same({ 33, 33, 34 }, share.fair({ 90, 90, 90 }, 100))
    assert.same({ 20, 5, 75 }, share.fair({ 20, 5, 1000 }, 100))
  end)

  it("shares out what is left when all have enough", function()
    assert.same({ 40, 55 }, share.fair({ 5, 20 }, 95))
    assert.same({ 7 }, share.fair({ 3 }, 7))
    assert.same({}, share.fair({}, 7))
    assert.same({ 0, 0 }, share.fair({ 3, 3 }, 0))
  end)

  it("gives each at least what must stay, at the expense of the others, even over the total", function()
    assert.same({ 10, 45, 45 }, share.fair_from({ 10, 500, 90 }, 100, { 5, 45, 0 }))
    assert.same({ 30, 60, 10 }, share.fair_from({ 90, 90, 10 }, 100, { 0, 60, 10 }))
    assert.same({ 60, 50, 0 }, share.fair_from({ 90, 90, 10 }, 100, { 60, 50, 0 }))
    assert.same({ 20, 40, 40 }, share.fair_from({ 100, 100, 40 }, 100, { 0, 40, 40 }))
    assert.same({}, share.fair_from({}, 7, {}))
  end)

  it("is fair and within the total for any sizes", function()
    for case = 1, random.some(300) do
      random.start(case)
      local sizes, sum = {}, 0
      for i = 1, random.between(1, 12) do
        sizes[i] = random.below(random.choose { 3, 50, 1000 })
      end
      local total = random.below(2000)
      local shares, least = share.fair(sizes, total), math.huge
      for i, size in ipairs(sizes) do
        sum = sum + shares[i]
        if shares[i] < size then least = math.min(least, shares[i]) end
      end
      assert.is_true(sum <= total)
      for _, given in ipairs(shares) do -- no share is more than one above a share that is too small
        if least < math.huge then assert.is_true(given <= least + #sizes, ("seed %d"):format(random.seed)) end
      end
    end
  end)
end)

describe("abridge.mcp.cap", function()
  it("gives what fits as it is, with a block", function()
    local image = { type = "image", data = "AAAA", mimeType = "image/png" }
    local structured = { a = { 1, 2 } }
    local value = {
      content = { text "one", image, text "two\n" },
      structuredContent = structured,
      isError = false,
      resultType = "complete",
      extra = { 1 },
      _meta = { ["com.example/x"] = 1 },
    }
    local before = plain.copy(value)
    local result = mcp.cap("tool", value)
    assert.same(before, value)
    assert.equal(structured, result.structuredContent)
    assert.equal(image, result.content[2])
    assert.same(before.content, result.content)
    assert.same({ false, "complete", { 1 } }, { result.isError, result.resultType, result.extra })
    assert.equal(1, result._meta["com.example/x"])
    local json = #host.json().encode(structured)
    assert.same({
      truncated = false,
      bytes_returned = 7 + json,
      bytes_total = 7 + json,
      reason = "size_cap",
    }, block_of(result))
    assert.same({ image = { count = 1, bytes = 4 } }, parts_of(result))
  end)

  it("uses keys of _meta that the specification allows", function()
    for _, key in ipairs { mcp.truncation_key, mcp.parts_key } do
      local prefix, name = key:match "^(.*)/([^/]*)$"
      assert.matches("^%w[%w_.-]*%w$", name)
      local labels = {}
      for label in (prefix .. "."):gmatch "([^.]*)%." do
        labels[#labels + 1] = label
        assert.matches("^%a[%a%d-]*[%a%d]$", label)
      end
      assert.is_true(labels[2] ~= "mcp" and labels[2] ~= "modelcontextprotocol") -- reserved
    end
  end)

  it("shares one budget among texts: small ones whole, the others alike, in their order", function()
    local link = { type = "resource_link", uri = "file:///x", name = "x" }
    local blob = { type = "resource", resource = { uri = "file:///b", blob = "QUJD" } }
    local value = {
      content = {
        text "small",
        text(lines(5000)),
        link,
        { type = "resource", resource = { uri = "file:///r", mimeType = "text/plain", text = lines(5000, "row") } },
        blob,
        { type = "audio", data = "AAAAAAAA" },
      },
      isError = true,
    }
    local before = plain.copy(value)
    local result = mcp.cap("tool", value, { limits = { strategy = "head_tail", max_bytes = 2005 } })
    assert.same(before, value)
    local texts = texts_of(result)
    assert.equal("small", texts[1])
    assert.matches("^line 1\n", texts[2])
    assert.matches("%[Showing %d+ of 5000 lines %(1000B limit%)%]$", texts[2])
    assert.matches("^row 1\n", texts[3])
    assert.matches("row 5000\n\n%[Showing %d+ of 5000 lines %(1000B limit%)%]$", texts[3])
    assert.is_true(#texts[2] > 950 and #texts[2] <= 1000 and #texts[3] > 950 and #texts[3] <= 1000)
    assert.equal(link, result.content[3])
    assert.equal(blob, result.content[5])
    assert.same({ uri = "file:///r", mimeType = "text/plain", text = texts[3] }, result.content[4].resource)
    assert.is_true(result.isError)
    local block = block_of(result)
    assert.is_true(block.truncated)
    assert.equal("size_cap", block.reason)
    assert.equal(5 + #value.content[2].text + #value.content[4].resource.text, block.bytes_total)
    assert.same({
      resource_link = { count = 1, bytes = 0 },
      resource = { count = 1, bytes = 4 },
      audio = { count = 1, bytes = 8 },
    }, parts_of(result))
  end)

  it("keeps both ends under a ceiling alone", function()
    local session = abridge.session { profile = "dispatcher", run_dir = false, ceiling = { max_bytes = 1000 } }
    local result = mcp.cap("tool", { content = { text(lines(5000)) } }, { session = session })
    local shown = texts_of(result)[1]
    assert.is_true(#shown <= 1000)
    assert.matches("^line 1\n.*bytes truncated; head %+ tail kept.*line 5000\n", shown)
  end)

  it("keeps every budget, whatever the blocks", function()
    for case = 1, random.some(150) do
      random.start(case)
      local content = {}
      for i = 1, random.between(1, 6) do
        local words = random.join({ "word ", "é", "😀", "\n", "error: bad\n", ("x"):rep(40) }, random.below(120))
        content[i] = random.chance(3) and { type = "resource", resource = { uri = "u", text = words } } or text(words)
      end
      local limits = { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" } }
      limits[random.choose { "max_bytes", "max_chars", "max_tokens" }] = random.below(900)
      if random.chance(2) then limits.max_bytes = random.below(1500) end
      if random.chance(3) then limits.max_lines = random.below(60) end
      local structured = random.chance(3) and { a = ("y"):rep(random.below(600)) } or nil
      local result = mcp.cap("tool", { content = content, structuredContent = structured }, { limits = limits })
      local bytes, chars, tokens = 0, 0, 0
      local given = texts_of(result)
      if result.structuredContent then given[#given + 1] = host.json().encode(result.structuredContent) end
      for _, part in ipairs(given) do
        bytes, chars = bytes + #part, chars + abridge.count_chars(part)
        tokens = tokens + abridge.estimate_tokens(part)
      end
      local where = ("seed %d, case %d"):format(random.seed, case)
      assert.is_true(bytes <= (limits.max_bytes or math.huge), where)
      assert.is_true(chars <= (limits.max_chars or math.huge), where)
      assert.is_true(math.ceil(tokens * 1.35) <= (limits.max_tokens or math.huge), where)
      block_of(result)
    end
  end)

  it("keeps texts whole that are under the budget together, in each unit of their own", function()
    local content = { text(lines(10)), text(("long "):rep(50)), text "" }
    local limits = { strategy = "head_tail", max_lines = 11, max_bytes = 400 }
    local result = mcp.cap("tool", { content = content }, { limits = limits })
    assert.same(content, result.content)
    assert.is_false(block_of(result).truncated)
    -- bytes outside UTF-8 are counted as they show
    content = { text(("\255"):rep(30)), text(("x"):rep(900)) }
    result = mcp.cap("tool", { content = content }, { limits = { strategy = "head", max_bytes = 200 } })
    assert.equal(("\239\191\189"):rep(30), result.content[1].text)
    -- lines forbid the one, bytes the other
    content = { text(lines(100)), text(("long "):rep(200)) }
    result = mcp.cap("tool", { content = content }, { limits = { strategy = "head", max_lines = 20, max_bytes = 800 } })
    assert.matches("^line 1\n.*line 19\n\n%[Showing lines 1%-19 of 100%]$", result.content[1].text)
    assert.equal("line_cap", block_of(result).reason)
    assert.is_true(#result.content[2].text > 390)
  end)

  --- What a cut left of a value: objects with some of its members, lists with some of its elements, in order.
  local function is_part(part, value)
    if type(part) ~= "table" or type(value) ~= "table" then
      return part == value or type(part) == "string" and type(value) == "string" and #part < #value
    end
    if value[1] == nil then
      for key, inner in pairs(part) do
        if value[key] == nil or not is_part(inner, value[key]) then return false end
      end
      return true
    end
    local at = 0
    for _, inner in ipairs(part) do
      repeat
        at = at + 1
      until value[at] == nil or is_part(inner, value[at])
      if value[at] == nil then return false end
    end
    return true
  end

  it("cuts structured content as JSON, with nothing inserted, and says so in a text", function()
    local items = {}
    for i = 1, 300 do
      items[i] = { id = i, name = "item " .. i, status = i == 170 and "failed" or "ok", tags = { "a", "b" } }
    end
    local value = { content = { text "300 items" }, structuredContent = { items = items, total = 300 } }
    for _, budget in ipairs { 400, 1000, 4000, 12000 } do
      local result = mcp.cap("tool", value, { limits = { max_bytes = budget } })
      local shown = result.structuredContent
      local json = host.json().encode(shown)
      assert.equal("300 items", result.content[1].text)
      local kept = tonumber(result.content[2].text:match "^%[Showing (%d+) of 300 elements of /items, ")
      assert.is_true(kept >= #shown.items)
      assert.is_true(is_part(shown, value.structuredContent))
      assert.falsy(json:find("omitted", 1, true))
      assert.truthy(json:find("failed", 1, true))
      assert.is_true(#table.concat(texts_of(result)) + #json <= budget)
      assert.is_true(#table.concat(texts_of(result)) + #json > budget * 0.8)
      local block = block_of(result)
      assert.same({ true, "size_cap" }, { block.truncated, block.reason })
      assert.equal(9 + #require("abridge.base.encode").json(value.structuredContent), block.bytes_total)
    end
  end)

  it("leaves no list of structured content that has become an object", function()
    local rows = {}
    for i = 1, 40 do
      rows[i] = { id = i, tags = { "first " .. i, "second" }, text = 'a "[]" in \\"a\\" string' }
    end
    for budget = 200, 1500, 20 do
      local result = mcp.cap("tool", { structuredContent = { rows = rows } }, { limits = { max_bytes = budget } })
      local shown = result.structuredContent
      for _, row in ipairs(shown and shown.rows or {}) do
        local as_json = host.json().encode(row)
        assert.falsy(as_json:find('"tags":{}', 1, true), as_json)
        assert.is_true(row.text == nil or rows[1].text:sub(1, #row.text) == row.text or #row.text < #rows[1].text)
      end
    end
  end)

  it("leaves structured content out, with a notice, where its share is too small for any of it", function()
    local structured = { rows = {} }
    for i = 1, 500 do
      structured.rows[i] = i
    end
    local result = mcp.cap("tool", {
      content = { text "a summary" },
      structuredContent = structured,
    }, { limits = { max_bytes = 18 } })
    assert.is_nil(result.structuredContent)
    assert.equal("a summary", result.content[1].text)
    local size = #host.json().encode(structured)
    assert.same({ true, 9, 9 + size, "size_cap" }, {
      block_of(result).truncated,
      block_of(result).bytes_returned,
      block_of(result).bytes_total,
      block_of(result).reason,
    })
    -- a text that says the same keeps the whole budget
    result = mcp.cap("tool", {
      content = { text(host.json().encode(structured)) },
      structuredContent = structured,
    }, { limits = { max_bytes = size + 100 } })
    assert.equal(size, #result.content[1].text)
    assert.is_nil(result.structuredContent)
    -- no room for the notice: the block alone tells
    result = mcp.cap("tool", {
      content = { text "abc" },
      structuredContent = structured,
    }, { limits = { max_bytes = 10 } })
    assert.same({ text "abc" }, result.content)
    assert.is_true(block_of(result).truncated)
  end)

  it("sends once what texts and structured content both say", function()
    local rows = {}
    for i = 1, 50 do
      rows[i] = { id = i, name = "row " .. i }
    end
    local function only_texts(texts, structured)
      local content, bytes = {}, 0
      for i, said in ipairs(texts) do
        content[i], bytes = text(said), bytes + #said
      end
      local result = mcp.cap("tool", { content = content, structuredContent = structured })
      assert.is_nil(result.structuredContent)
      assert.same(texts, texts_of(result))
      local block = block_of(result)
      assert.same({ false, bytes, bytes }, { block.truncated, block.bytes_returned, block.bytes_total })
    end
    local json = host.json().encode(rows)
    only_texts({ json }, rows)
    only_texts({ (json:gsub(",", ",\n  ")) }, rows) -- pretty
    only_texts({ "50 rows", ('{"rows": %s}'):format(json) }, { rows = rows })
    only_texts({ json }, { result = rows }) -- a server had to make an object of it
    only_texts({ "a plain answer" }, { result = "a plain answer" })
    only_texts({ "17" }, { result = 17 })
    only_texts({ '{"id":1}', '{"id": 2}' }, { result = { { id = 1 }, { id = 2 } } })
    -- under a budget, the text has all of it
    local result = mcp.cap("tool", {
      content = { text(json) },
      structuredContent = { result = rows },
    }, { limits = { max_bytes = #json } })
    assert.same({ text(json) }, result.content)
  end)

  it("sends both where they differ", function()
    for _, case in ipairs {
      { "17", { count = 17 } },
      { '{"a":1}', { a = 2 } },
      { '{"a":1}', { a = 1, b = 2 } },
      { "[1,2]", { result = { 1, 2 }, total = 9 } },
      { '{"a":1', { a = 1 } },
      { "done", { result = "Done" } },
      { "null", { result = false } },
    } do
      local result = mcp.cap("tool", { content = { text(case[1]) }, structuredContent = case[2] })
      assert.equal(case[2], result.structuredContent)
      assert.same({ text(case[1]) }, result.content)
      assert.equal(#case[1] + #host.json().encode(case[2]), block_of(result).bytes_returned)
    end
  end)

  it("keeps structured content such where there is no text", function()
    local image = { type = "image", data = "AA" }
    local structured = { text = lines(1000) }
    local result = mcp.cap("tool", {
      content = { image },
      structuredContent = structured,
    }, { limits = { strategy = "head_tail", max_bytes = 600 } })
    assert.equal(image, result.content[1])
    local shown = ("^%%[Showing %%d+ of %d chars of /text, "):format(#structured.text)
    assert.matches(shown, result.content[2].text)
    assert.matches("^line 1\nline 2\n", result.structuredContent.text)
    assert.is_true(#result.content[2].text + #host.json().encode(result.structuredContent) <= 600)
    assert.is_true(block_of(result).truncated)
    result = mcp.cap("tool", { structuredContent = structured })
    assert.equal(structured, result.structuredContent)
    assert.is_nil(result.content)
    result = mcp.cap("tool", { structuredContent = false, content = {} })
    assert.is_false(result.structuredContent)
  end)

  it("leaves structured content out that is no JSON", function()
    for _, structured in ipairs { { f = print }, { [{}] = 1 }, coroutine.create(function() end) } do
      local result = mcp.cap("tool", { content = { text "a" }, structuredContent = structured })
      assert.is_nil(result.structuredContent)
      assert.same({ text "a", text "[Structured content left out]" }, result.content)
      assert.is_true(block_of(result).truncated)
      assert.is_nil(block_of(result).bytes_total)
    end
  end)

  it("keeps a full output of each text that is cut, and of structured content that is left out", function()
    if not host.uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    local value = {
      content = { text "whole", text(lines(1000)), text(lines(900, "row")) },
      structuredContent = { lines(300) },
    }
    local result = mcp.cap("tool", value, { limits = { max_bytes = 1200 } }) -- nowhere
    assert.falsy(result.content[2].text:find "Full output")
    for _, opts in ipairs {
      { limits = { max_bytes = 1200 }, save = dir:at "full" },
      { session = abridge.session { run_dir = dir:at "run", limits = { tool = { max_bytes = 1200 } } } },
    } do
      result = mcp.cap("tool", value, opts)
      local sum = 0
      for i, original in ipairs { "whole", lines(1000), lines(900, "row"), host.json().encode { lines(300) } } do
        local content = result.content[i].text
        sum = sum + #content
        local path = content:match "Full output: ([^%]]+)%]$"
        assert.equal(i > 1, path ~= nil)
        if path then assert.equal(original, dir:read(path:sub(#dir.path + 2))) end
      end
      assert.is_true(sum <= 1200)
      -- what would fit alone, and does not beside the texts
      result = mcp.cap("tool", { content = { text(("x"):rep(900)) }, structuredContent = { ("y"):rep(800) } }, opts)
      local path = result.content[2].text:match "Full output: ([^%]]+)%]$"
      assert.equal('["' .. ("y"):rep(800) .. '"]', dir:read(path:sub(#dir.path + 2)))
      if opts.session then opts.session:close() end
    end
    dir:remove()
  end)

  it("goes by a session: its limits, ceiling, log, redaction and full outputs", function()
    if not host.uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    local session = abridge.session {
      run_dir = dir:at "run",
      redact = { "SECRET%d+" },
      ceiling = { max_bytes = 1000 },
      aliases = { short = "long_name" },
      limits = { long_name = { strategy = "tail", max_bytes = 5000, max_lines = 4 } },
    }
    local secret = { content = { text "1\n2\n3\nSECRET12\n5\n6" }, isError = true }
    local result = mcp.cap("short", secret, { session = session })
    assert.matches("^3\n[^\n]*\n5\n6\n\n%[Showing lines 3%-6 of 6%. Full output: [^%]]*%]$", result.content[1].text)
    assert.falsy(result.content[1].text:find "SECRET")
    assert.equal("line_cap", block_of(result).reason)
    local events = session:events { type = "tool_result" }
    assert.equal(1, #events)
    assert.same({ "short", result.content[1].text }, { events[1].tool, events[1].content })

    result = mcp.cap("other", { content = { text(lines(400)), text(lines(400)), text "x" } }, { session = session })
    local sum = 0
    for _, part in ipairs(result.content) do
      sum = sum + #part.text
    end
    assert.is_true(sum <= 1000 and sum > 800)
    assert.equal("x", result.content[3].text)
    session:close()
    dir:remove()
  end)

  it("works under every profile", function()
    for profile in pairs(abridge.profiles) do
      local session = abridge.session { profile = profile, run_dir = false, ceiling = { max_bytes = 4000 } }
      local result = mcp.cap("tool", {
        content = { text(lines(3000)), text(lines(3000, "row")) },
        structuredContent = { lines(3000) },
      }, { session = session })
      assert.is_true(block_of(result).truncated, profile)
      local sum = 0
      for _, part in ipairs(texts_of(result)) do
        sum = sum + #part
      end
      assert.is_true(sum <= 4000, profile)
      assert.matches("row 1", result.content[2].text)
      session:close()
    end
  end)

  it("takes the limits of the profile's tool, its notice too where resume says how to go on", function()
    local value = { content = { text(lines(3000)) } }
    assert.matches("%[Showing 2000 of 3000 lines %(2000 line limit%)%]$", mcp.cap("any", value).content[1].text)
    local result = mcp.cap("read_file", value)
    assert.matches("line 2000\n\n%[Showing lines 1%-2000 of 3000%]$", result.content[1].text)
    result = mcp.cap("read_file", value, { resume = "Set start_line={next} for more" })
    assert.matches("2000 of 3000%. Set start_line=2001 for more%]$", result.content[1].text)
    assert.equal(2001, block_of(result).next_offset)
  end)

  it("leaves a text that it capped as it is when it comes again", function()
    for _, opts in ipairs {
      { limits = { strategy = "head_tail", max_lines = 10, max_bytes = 2000 } },
      { session = abridge.session { run_dir = false, limits = { tool = { max_lines = 10 } } } },
    } do
      local once = mcp.cap("tool", { content = { text(lines(100)) } }, opts)
      assert.matches("%[Showing 10 of 100 lines", once.content[1].text)
      local twice = mcp.cap("tool", once, opts)
      assert.same(once.content, twice.content)
      assert.is_false(block_of(twice).truncated)
    end
  end)

  it("lets nothing through that a session redacts: parts, structured content, crude cuts", function()
    local value = {
      content = {
        text "key=SECRET1 x",
        { type = "resource_link", uri = "file:///SECRET2" },
        { type = "resource", resource = { uri = "SECRET3", text = "SECRET4 y" } },
      },
      structuredContent = { SECRET5 = { "a SECRET6" } },
    }
    local fails = false
    local session = abridge.session {
      run_dir = false,
      redact = { { "SECRET%d", "<%0>" }, { "SECRET", "hidden" } }, -- what is redacted twice shows it
      on_event = function()
        if fails then error "on_event" end
      end,
    }
    local result = mcp.cap("tool", value, { session = session })
    assert.equal("key=<hidden1> x", result.content[1].text)
    assert.equal("file:///<hidden2>", result.content[2].uri)
    assert.same({ uri = "<hidden3>", text = "<hidden4> y" }, result.content[3].resource)
    assert.same({ ["<hidden5>"] = { "a <hidden6>" } }, result.structuredContent)
    fails = true
    result = mcp.cap("tool", value, { session = session })
    assert.equal("key=<hidden1> x", result.content[1].text)
    assert.equal("file:///<hidden2>", result.content[2].uri)
    assert.is_nil(result.structuredContent)
    assert.equal("SECRET5", (next(value.structuredContent)))
    fails = false
    session:close()
    local told = warned(function()
      result = mcp.cap("tool", value, { session = session })
    end)
    assert.equal("key=<hidden1> x", result.content[1].text)
    assert.same({ ["<hidden5>"] = { "a <hidden6>" } }, result.structuredContent)
    assert.equal("", (told:gsub("^abridge: the output of tool was cut crudely: the session is closed$", "")))
  end)

  it("does not take what another session capped for its own", function()
    local limits = { tool = { strategy = "head", max_lines = 2 } }
    local open = abridge.session { run_dir = false, limits = limits }
    local shut = abridge.session { run_dir = false, limits = limits, redact = { "SECRET" } }
    local once = mcp.cap("tool", { content = { text "SECRET\n2\n3" } }, { session = open })
    assert.matches("^SECRET\n2\n\n%[Showing", once.content[1].text)
    assert.falsy(mcp.cap("tool", once, { session = shut }).content[1].text:find "SECRET")
  end)

  it("takes responses, resources and parsed responses as well", function()
    local opts = { limits = { max_bytes = 400 } }
    local response = { jsonrpc = "2.0", id = 7, result = { content = { text(lines(100)) } } }
    local result = mcp.cap("tool", response, opts)
    assert.same({ "2.0", 7 }, { result.jsonrpc, result.id })
    assert.is_true(#result.result.content[1].text <= 400)
    assert.is_true(block_of(result.result).truncated)

    local blob = { uri = "b", blob = "QUI=" }
    local read = { contents = { { uri = "a", text = lines(100) }, blob, { uri = "c", text = "c" } } }
    result = mcp.cap("tool", read, opts)
    assert.is_true(#result.contents[1].text <= 399)
    assert.equal(blob, result.contents[2])
    assert.same({ uri = "c", text = "c" }, result.contents[3])
    assert.same({ resource = { count = 1, bytes = 4 } }, parts_of(result))

    local image = { data = "AAAA", mimeType = "image/png" }
    local parsed = { text = lines(100), images = { image, image }, blobs = {}, audios = { { data = "AA" } } }
    result = mcp.cap("tool", parsed, opts)
    assert.is_true(#result.text <= 400)
    assert.equal(parsed.images, result.images)
    assert.is_nil(result._meta)
    assert.is_true(result.truncation.truncated)
    assert.same({ image = { count = 2, bytes = 8 }, audio = { count = 1, bytes = 2 } }, result.parts)
    assert.same({ text = "a", error = 5, truncation = result.truncation }, {
      text = mcp.cap("tool", { text = "a", error = 5 }, opts).text,
      error = mcp.cap("tool", { text = "a", error = 5 }, opts).error,
      truncation = result.truncation,
    })
  end)

  it("caps the error of a parsed response with its text", function()
    local failure = "The tool run failed with error.\n"
    for _, strategy in ipairs { "head_tail", "tail" } do
      local parsed = { text = failure .. lines(100), error = lines(100) }
      local result = mcp.cap("tool", parsed, { limits = { strategy = strategy, max_bytes = 400 } })
      assert.is_true(#result.text <= 400 and #result.error <= 400)
      assert.equal(strategy == "tail" and result.text or failure .. result.error, result.text)
      assert.matches("line 100\n\n%[Showing", result.error)
    end
    local result = mcp.cap("tool", { text = failure .. "x", error = "x" })
    assert.same({ failure .. "x", "x" }, { result.text, result.error })
    result = mcp.cap("tool", { text = lines(100), error = lines(100, "other") }, { limits = { max_bytes = 400 } })
    assert.is_true(#result.text + #result.error <= 400)
  end)

  it("never raises on a value", function()
    local unreadable = setmetatable({}, {
      __index = function()
        error "unreadable"
      end,
      __tostring = function()
        return ("x"):rep(1e5)
      end,
    })
    local cyclic = {}
    cyclic.cyclic = cyclic
    for _, value in ipairs {
      ("x"):rep(1e5),
      12,
      true,
      print,
      {},
      { content = {} },
      { content = 5 },
      { content = ("x"):rep(1e5), structuredContent = {} },
      { content = { 1, "two", {}, false, { type = 3 }, { type = "text" }, { type = "text", text = 5 } } },
      { content = { { resource = {} }, { resource = "x" }, { resource = { text = ("x"):rep(1e5) } } } },
      { content = { text "\255\254x" } },
      { content = { text "x" }, structuredContent = cyclic },
      { contents = "x" },
      { text = "x", images = 5, audios = { 3 } },
      { result = {} },
      { _meta = 7, content = {} },
      unreadable,
      { content = { unreadable } },
      { content = { text "x" }, structuredContent = unreadable },
      { result = unreadable },
    } do
      for _, opts in ipairs { {}, { limits = { max_bytes = 100 } } } do
        local ok, result = pcall(mcp.cap, "tool", value, opts)
        assert.is_true(ok, tostring(result))
        local sum = 0
        local inner = type(rawget(result, "result")) == "table" and result.result or result
        for _, part in ipairs(type(inner.content) == "table" and texts_of(inner) or { inner.content, inner.text }) do
          if type(part) == "string" then sum = sum + #part end
        end
        assert.is_true(sum <= (opts.limits and 100 or 30720))
      end
    end
    assert.same({}, mcp.cap("tool", nil).content)
    assert.equal("12", mcp.cap("tool", 12).content[1].text)
    local odd = mcp.cap("tool", { content = { text "one odd byte: \255x" } })
    assert.equal("one odd byte: \239\191\189x", odd.content[1].text)
  end)

  it("cuts crudely when something inside fails, and without the core", function()
    local image = { type = "image", data = "AA" }
    local value = { content = { text(lines(9000)), image, text(lines(9000)) }, structuredContent = {}, isError = true }
    local function check(module, opts, most)
      local result = module.cap("tool", value, opts)
      assert.is_true(#result.content[1].text <= most / 2 and #result.content[3].text <= most / 2)
      assert.is_true(#result.content[1].text > most / 2 - 10)
      assert.matches("^line 1\n.*line 9000$", result.content[3].text)
      assert.equal(image, result.content[2])
      assert.is_nil(result.structuredContent)
      assert.is_true(result.isError)
      assert.is_true(block_of(result).truncated)
      assert.same({ image = { count = 1, bytes = 2 } }, parts_of(result))
    end
    local told = warned(function()
      local limits = {
        max_tokens = 100,
        count_tokens = function()
          error "no count"
        end,
      }
      check(mcp, { limits = limits }, 1600)
      check(mcp, { limits = limits }, 1600)
    end)
    assert.equal("abridge: the output of tool was cut crudely: no count", told)
    coreless("abridge.mcp", function(crude)
      told = warned(function()
        check(crude, { limits = { max_bytes = 1000 } }, 1000)
        check(crude, { limits = { max_bytes = "2KB" } }, 2048)
        check(crude, { limits = { max_bytes = 5000, output = "concise" } }, 2048)
        assert.equal("a", crude.cap("tool", { content = { text "a" } }).content[1].text)
      end)
      assert.matches("^abridge: the output of tool was cut crudely: its core [^\n]* run `[^\n]*$", told)
      local result = crude.cap("tool", value)
      assert.matches("^line 1\n.*\n%.%.%. %[%d+ bytes, cut to 5120%] %.%.%.\n.*line 9000$", result.content[1].text)
    end)
  end)

  it("says in the content that structured content was left out crudely", function()
    coreless("abridge.mcp", function(crude)
      local result = crude.cap("tool", { content = { text "short" }, structuredContent = { 1 } })
      assert.equal("short", result.content[1].text)
      assert.equal("[Structured content left out]", result.content[2].text)
      local limits = { max_bytes = 60 }
      result = crude.cap("tool", { content = { text(("x"):rep(50)) }, structuredContent = { 1 } }, { limits = limits })
      assert.is_true(#result.content[1].text + #result.content[2].text <= 60)
      assert.equal("[Structured content left out]", result.content[2].text)
    end)
  end)

  it("cuts by the limits of a session that was closed, and says so once", function()
    local session = abridge.session { run_dir = false, limits = { shut = { max_lines = 7 } } }
    session:close()
    local text_of
    warned(function()
      for _ = 1, 2 do
        text_of = mcp.cap("shut", { content = { text(lines(50)) } }, { session = session }).content[1].text
      end
    end)
    assert.matches("^line 1\n.*line 50\n\n%[Showing 7 of 50 lines %(7 line limit%)%]$", text_of)
  end)

  it("raises on misuse of its other arguments", function()
    for _, case in ipairs {
      { "tool_name must be a string, got 3", 3, {} },
      { "unknown option 'sesion'", "x", {}, { sesion = 1 } },
      { "session must be a session, options of one or a function that opens one, got 1", "x", {}, { session = 1 } },
      { "cannot be used with session", "x", {}, { session = { cap = print }, limits = {} } },
      { "limits: .*max_bytes", "x", {}, { limits = { max_bytes = "many" } } },
    } do
      local ok, message = pcall(function()
        mcp.cap(case[2], case[3], case[4])
      end)
      assert.is_false(ok)
      assert.matches("^spec/hosts/mcp_spec%.lua:%d+: abridge%.mcp%.cap: .*" .. case[1], message)
    end
  end)
end)

describe("examples/mcp.lua", function()
  it("caps what a client's tools/call gives", function()
    if not host.uv() then return pending "luv is missing" end
    local call = assert(loadfile "examples/mcp.lua")()
    local function call_tool(name, arguments)
      assert.equal("search", name)
      return { content = { text(lines(arguments.n)) }, isError = false }
    end
    assert.equal(lines(5), call(call_tool, "search", { n = 5 }).content[1].text)
    local result = call(call_tool, "search", { n = 9000 })
    assert.is_true(#result.content[1].text <= 20480)
    local path = result.content[1].text:match "Full output: (/[^%]]+)%]$"
    local file = assert(io.open(path))
    assert.equal(lines(9000), (file:read "*a"))
    file:close()
    assert.matches("my_server__search", path)
  end)
end)

describe("lines of a text beside structured content that is cut", function()
  it("are those of the limits but for that: the sentence that tells so is no line", function()
    local result = require("abridge.mcp").cap("tool", {
      content = { { type = "text", text = lines(5000, "n") } },
      structuredContent = { data = ("x"):rep(100000) },
    })
    assert.matches("%[Showing 1999 of 5000 lines %(1999 line limit%)", result.content[1].text)
    assert.matches("^%[Showing %d+ of 100000 chars of /data, ", result.content[2].text)
    assert.matches("^x+$", result.structuredContent.data)
  end)
end)
