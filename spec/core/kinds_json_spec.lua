-- SPEC 14, json: what the judge of spec/support/kind_judge.lua says of cuts of random documents.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local documents = require "support.documents"
local json = require "support.judge.json"
local json_text = require "support.judge.json_text"
local judge = require "support.kind_judge"
local key_paths = require "support.judge.key_paths"
local random = require "support.random"

local function any()
  return documents.json(random.choose { 4, 20, 60, 200 })
end

--- A document in which half of the strings are longer than what is retained of any.
local function long_strings()
  local pieces =
    { "word ", "error: it failed ", "a line\\n", "caf\195\169 ", "\\u00e9", "\\ud83d\\ude00", '{\\"a\\":1,' }
  local names = { "id", "name", "message", "body", "k" }
  local value
  local function quoted()
    local piece = random.choose(pieces) .. random.choose(pieces)
    local size = random.chance(2) and random.below(60) or 1000 + random.below(random.chance(8) and 40000 or 8000)
    return '"' .. piece:rep(1 + math.floor(size / #piece)) .. '"'
  end
  local function several(depth, form)
    local list = {}
    for i = 1, random.below(#names + 1) do
      list[i] = form:format(names[i]) .. value(depth + 1)
    end
    return table.concat(list, ",")
  end
  function value(depth)
    local draw = depth > 4 and 0 or random.below(10)
    if draw < 5 then return quoted() end
    return draw < 7 and "[" .. several(depth, "") .. "]" or "{" .. several(depth, '"%s":') .. "}"
  end
  local list, size, most = { "[]" }, 0, 2 ^ random.between(13, 20)
  while size < most do
    list[#list + 1] = value(0)
    size = size + #list[#list]
  end
  return "[" .. table.concat(list, ",\n") .. "]", { kind = "json" }
end

--- A list or a map of random documents and of numbers, of some 500 KB; every newline is one of the list's elements.
local function large()
  local is_map, newline = random.chance(2), random.choose { "", "", "\n ", "\n" }
  local list, size = {}, 0
  while size < 5e5 do
    local value
    if random.chance(2) then
      local n = random.below(60000)
      value = (random.choose { "%d", "[]", '"a%d"', '{"id":%d}', "[ %d, { } ]" }):format(n) .. ","
      value = (value .. newline):rep(random.below(2000) + 1):gsub(",%s*$", "")
      value = (is_map or random.chance(2)) and "[" .. value .. "]" or value
    else
      value = any():gsub("^\239\187\191", ""):gsub("\n", "")
    end
    list[#list + 1] = (is_map and ('"k%d":'):format(#list) or "") .. value
    size = size + #value
  end
  local all = table.concat(list, "," .. newline)
  return is_map and "{" .. all .. "}" or "[" .. all .. "]", { kind = "json" }
end

local function small()
  local text, expected
  repeat
    text, expected = documents.json(random.choose { 2, 4, 8 })
  until #text < 1500
  return text, expected
end

describe("a cut of JSON #few", function()
  it("is cut under a budget of bytes that no machine has", function()
    local text = '{"a":"' .. ("x"):rep(3000) .. '","b":[' .. ("1,"):rep(5000) .. "1]}"
    local wanted = abridge.auto(text, { max_bytes = 1e6, max_chars = 900 })
    for _, max_bytes in ipairs { 1e12, 2 ^ 53 } do
      local opts = { max_bytes = max_bytes, max_chars = 900 }
      assert.equal(wanted, (abridge.auto(text, opts)))
      local stream = abridge.stream(opts)
      stream:write(text)
      assert.equal(wanted, (stream:finish()))
    end
  end)

  it("is right for random documents and budgets", function()
    cases.each(700, any)
  end)

  it("is right for arrays of similar records", function()
    cases.each(150, documents.similar)
  end)

  it("is right in every small budget", function()
    cases.sweep(60, small)
  end)

  it("is right under chars, lines, tokens, a reserve, and without markers", function()
    random.each(500, function()
      cases.judge(judge.source(any()), cases.any_opts())
    end)
  end)

  it("shows nine troubled elements in ten at 8 KiB #once", function()
    local share, lost = cases.needles(60, function()
      return documents.similar(500)
    end, 8192)
    assert.is_true(share >= 0.9, ("%.2f, without %s"):format(share, tostring(lost)))
  end)

  it("shows most of the key paths that a greedy pick fits #once", function()
    local shown, oracle = 0, 0 -- of all budgets: few texts are over the largest
    for _, budget in ipairs { 1024, 2048, 8192 } do
      random.each(600, function() -- of few a single one that is all levels would decide
        local text = any()
        local doc = json.document(text)
        local content, cut = abridge.auto(text, { max_bytes = budget })
        if not cut.truncated then return end
        local view = require("support.judge.view").new(text, {}, content, cut)
        view:read_ledger()
        local most = key_paths.oracle(doc, budget)
        oracle = oracle + most
        shown = shown
          + math.min(
            most,
            key_paths.shown(doc, content, function(at)
              return view.origin[at]
            end)
          )
      end)
    end
    assert.is_true(shown >= 0.85 * oracle, ("%d of %d paths"):format(shown, oracle))
  end)

  it("judges a string by the text it spells", function()
    local rows, failed = {}, [[\u001b[1;31mFAIL\u001b[0m]]
    for i = 1, 2000 do
      rows[i] = ('{"n":%d,"text":"%s"}'):format(i, i == 1000 and failed or "done: block " .. i)
    end
    local content = abridge.auto("[" .. table.concat(rows, ",") .. "]", { max_bytes = 2000 })
    assert.is_truthy(content:find(failed, 1, true))
  end)

  it("shows elements whole rather than many names with nothing beside them", function()
    local rows = {}
    for i = 1, 300 do
      rows[i] = ('{"id":%d,"name":"customer %d","city":"Oslo","amount":%d.25,"note":"order %d"}'):format(i, i, i, i)
    end
    local content, cut = abridge.auto("[" .. table.concat(rows, ",\n") .. "]\n", { max_bytes = 2048 })
    assert.truthy(cut.items[1].kept >= 20 and cut.items[1].kept <= 25)
    for _, i in ipairs { 1, 2, 3, 4, 5, 6, 7, 8, 293, 294, 295, 296, 297, 298, 299, 300 } do
      assert.truthy(content:find(rows[i], 1, true), "row " .. i)
    end
  end)

  it("shows what identifies each part before what is told of it", function()
    local item = '{"name":"Bottle","item_id":"95%08d","price":38%d.5,"options":{"capacity":"%dml","color":"blue"}}'
    local variant = '"%s":{"item_id":"%s","options":{"size":"XL","style":"v-neck"},"available":true,"price":4%d.9}'
    local leg = '{"from":"OSL","to":"BGO","date":"2026-11-%02d","departs":"1%d:30","flight":"DY6%d7"}'
    local items, variants, legs = {}, {}, {}
    for i = 1, 9 do
      local id = ("71%08d"):format(i * 7654321)
      items[i] = i <= 4 and item:format(i * 1234567, i, i * 250) or nil
      legs[i] = i <= 6 and leg:format(i, i, i) or nil
      variants[i] = variant:format(id, id, i)
    end
    local address = '{"street":"Storgata 1","suite":"Suite 9","city":"Oslo"}'
    local payments = '[{"type":"payment","amount":1319.4,"payment_method_id":"card_95139"}]'
    local order = ('{"order_id":"#W236","address":%s,"items":[%s],"payments":%s}'):format(
      address,
      table.concat(items, ","),
      payments
    )
    local product = ('{"name":"T-Shirt","product_id":"9523","variants":{%s}}'):format(table.concat(variants, ","))
    local trip = ('{"reservation_id":"J4X9JC","cabin":"economy","legs":[%s]}'):format(table.concat(legs, ","))
    for text, id in pairs {
      [order] = '_id":"([%w_]*95%d+)"',
      [product] = '"(71%d+)":{',
      [trip] = '"flight":"(DY%d+)"',
    } do
      local content = abridge.auto(text, { max_bytes = 440 })
      assert.truthy(#text > 440)
      for code in text:gmatch(id) do
        assert.truthy(content:find(code, 1, true), code .. " in " .. content)
      end
    end
  end)

  it("shows what tells the elements of a list apart before what they have in common", function()
    local flights = {}
    local flight = '{"flight":"DY6%d","from":"OSL","to":"BGO","cabin":"economy","departs":"1%d:%d5"}'
    for i = 1, 9 do
      flights[i] = flight:format(i, i, i % 6)
    end
    local content = abridge.auto('{"flights":[' .. table.concat(flights, ",") .. "]}", { max_bytes = 620 })
    for i = 1, 9 do
      assert.truthy(content:find(("1%d:%d5"):format(i, i % 6), 1, true), content)
    end
  end)

  it("shows a message of trouble whole before what is not in trouble, and what it is about", function()
    local message = [[Error: the cart has another total\n\nExpected: 12\nReceived: 10\n]]
      .. [[    at Object.<anonymous> (/src/shop/cart.test.js:12:9)\n    at run (/src/shop/run.js:4:2)]]
    local files, pods = {}, {}
    for i = 1, 120 do
      files[i] = ('{"file":"/src/page%d.test.js","status":"passed","results":[{"title":"case %d",'):format(i, i)
        .. '"status":"passed","messages":[],"duration":31}]}'
      pods[i] = ('{"metadata":{"labels":{"app":"shop"},"name":"page-%d","uid":"%032x"},'):format(i, i * 7654321)
        .. '"spec":{"containers":[{"name":"c","image":"shop:1"}]},"status":{"containers":[{"name":"c","ready":true,'
        .. '"state":{"running":{"startedAt":"2026-11-22T10:00:00Z"}}}]}}'
    end
    files[77] = (
      '{"file":"/src/cart.test.js","status":"failed","results":[{"title":"adds the tax","status":"failed",'
      .. '"messages":["%s"],"duration":3}]}'
    ):format(message)
    pods[63] =
      pods[63]:gsub('"ready":true,"state":%b{}', '"ready":false,"state":{"waiting":{"reason":"CrashLoopBackOff"}}')
    for text, wanted in pairs {
      ['{"failed":1,"files":[' .. table.concat(files, ",") .. "]}"] = { message, "cart.test.js", "adds the tax" },
      ['{"items":[' .. table.concat(pods, ",\n") .. "]}"] = { "CrashLoopBackOff", '"page-63"' },
    } do
      for _, budget in ipairs { 1024, 2048, 4096 } do
        local content = abridge.auto(text, { max_bytes = budget })
        for _, part in ipairs(wanted) do
          assert.truthy(content:find(part, 1, true), part .. " in " .. content)
        end
      end
    end
  end)

  it("shows the reason beside a failed state whole before it shows more of what is well", function()
    local reason = 'Resource handler returned message: \\"Unzipped size must be smaller than 262144000 bytes\\"'
    local events = {}
    for i = 1, 120 do
      events[i] = ('{"EventId":"9f407987%03d","LogicalResourceId":"Worker%dFn","ResourceStatus":"%s",'):format(
        i,
        i,
        i == 80 and "CREATE_FAILED" or "CREATE_COMPLETE"
      ) .. ('"ResourceStatusReason":"%s"}'):format(i == 80 and reason or "")
    end
    local text = '{"StackEvents":[' .. table.concat(events, ",") .. "]}"
    for _, max_bytes in ipairs { 512, 1024, 2048 } do
      local content = abridge.auto(text, { max_bytes = max_bytes })
      assert.truthy(content:find(reason, 1, true), max_bytes .. content)
    end
  end)

  it("names what is in trouble in a long document by all that is around it, from a stream too", function()
    local jobs = {}
    for i = 1, 40 do
      local steps = {}
      for k = 1, 9 do
        local done = i == 23 and k == 7 and "failure" or "success"
        local at = '{"name":"step %d of it","status":"completed","conclusion":"%s","number":%d,"started":"10:%02d:00"}'
        steps[k] = at:format(k, done, k, i)
      end
      local hash = ("%08x"):format(i * 2654435761 % 4294967296):rep(5)
      jobs[i] = ('{"id":%d,"run":7001,"sha":"%s","address":"/repos/a/b/actions/jobs/%d","from":"%s",'):format(
        i * 7919,
        hash,
        i,
        hash:reverse()
      ) .. ('"name":"build of tree %d","steps":[%s]}'):format(i, table.concat(steps, ","))
    end
    local text = '{"jobs":[' .. table.concat(jobs, ",\n") .. "]}"
    for _, budget in ipairs { 1024, 2048, 8192 } do
      local content = abridge.auto(text, { max_bytes = budget })
      assert.truthy(content:find('"build of tree 23"', 1, true), content)
      local stream = abridge.stream { strategy = "auto", max_bytes = budget }
      for at = 1, #text, 1000 do
        stream:write(text:sub(at, at + 999))
      end
      assert.equal(content, (stream:finish()))
    end
  end)

  it("fills the room where its elements are chosen as lines of a log", function()
    local rows = {}
    for i = 1, 114 do
      local error = i % 9 == 0
      local place = '  {\n    "type": "%s",\n    "module": "tree",\n    "line": %d,\n    "column": %d,\n'
      rows[i] = place:format(error and "error" or "convention", i, i * 7 % 60)
        .. '    "endLine": null,\n'
        .. ('    "path": "tree.py",\n    "symbol": "%s",\n    "message": "%s"\n  }'):format(
          error and "import-error" or "line-too-long",
          error and ("Unable to import 'ring%d'"):format(i) or ("Line too long (%d/100)"):format(100 + i * 37 % 60)
        )
    end
    local text = "[\n" .. table.concat(rows, ",\n") .. "\n]\n"
    for budget = 1000, 4000, 100 do
      local content = abridge.auto(text, { max_bytes = budget })
      assert.is_true(#content > budget * 3 / 4, budget .. ": " .. content)
      assert.truthy(content:find("Unable to import 'ring9'", 1, true), content)
    end
  end)

  local function count(text, pattern)
    return select(2, text:gsub(pattern, ""))
  end

  it("shows the members of the document before many paths deep in one of them", function()
    local paths, schemas = {}, {}
    local operation = '"%s":{"operationId":"%s_%d","summary":"%s","parameters":[{"name":"id","in":"path",'
      .. '"required":true,"schema":{"type":"string"}}],"responses":{"200":{"description":"OK"},'
      .. '"404":{"description":"not found"}}}'
    for i = 1, 30 do
      local of = {}
      for k, method in ipairs { "get", "post", "delete" } do
        of[k] = operation:format(method, method, i, method)
      end
      paths[i] = i <= 20 and ('"/v1/%d":{%s}'):format(i, table.concat(of, ",")) or nil
      schemas[i] = ('"S%d":{"type":"object","properties":{"a":{"type":"string"}}}'):format(i)
    end
    local form = '{"openapi":"3.0.3","info":{"title":"Shop API"},"paths":{%s},"schemas":{%s}}'
    local text = form:format(table.concat(paths, ","), table.concat(schemas, ","))
    for budget = 2048, 8192, 2048 do
      local content = abridge.auto(text, { max_bytes = budget })
      for _, shown in ipairs { "Shop API", '"openapi"', '"schemas"' } do
        assert.is_truthy(content:find(shown, 1, true), budget .. " lacks " .. shown)
      end
    end
  end)

  it("shows the titles of records, not their ids alone", function()
    local rows = {}
    for i = 1, 60 do
      local at = "https://api.example.com/repos/acme/relay/issues/" .. i
      rows[i] = ('{"url":"%s","comments_url":"%s/comments","id":%d,"node_id":"I_%x","number":%d,'):format(
        at,
        at,
        1e9 + i * 7919,
        i * 104729,
        i
      ) .. ('"title":"Route %d is slow on Windows","locked":false,"assignee":null,"labels":[],"score":%d}'):format(
        i,
        i
      )
    end
    for _, budget in ipairs { 600, 1024, 2048 } do
      local content = abridge.auto("[" .. table.concat(rows, ",") .. "]", { max_bytes = budget })
      assert.is_true(count(content, "{") > budget / 250, content)
      assert.equal(count(content, "{"), count(content, '"title"'), content)
    end
  end)

  it("shows a message rather than its id, and where it is", function()
    local files = {}
    for i = 1, 50 do
      local at = '{"ruleId":"no-undef","severity":2,"message":"\'x%d\' is not defined.","line":%d,'
      files[i] = ('{"filePath":"/home/a/web/src/part%d/view.tsx","messages":['):format(i)
        .. at:format(i, i)
        .. ('"column":7,"messageId":"undef"}],"suppressed":[],"errorCount":1,"source":"%s"}'):format(
          ("const a = b;\\n"):rep(100)
        )
    end
    local content = abridge.auto("[" .. table.concat(files, ",") .. "]", { max_bytes = 2048 })
    assert.is_true(count(content, '"filePath"') >= 3, content)
    assert.equal(count(content, '"filePath"'), count(content, '"message":'), content)
    assert.equal(count(content, "{"), count(content, '"filePath"') + count(content, '"message":'), content)
  end)

  it("retains the messages of a list that comes after long records", function()
    local rules, results = {}, {}
    for i = 1, 60 do
      rules[i] = ('{"id":"r%d","help":{"text":"%s"}}'):format(i, ("See the guide of rule %d. "):format(i):rep(60))
      local result = '{"ruleId":"r%d","level":"note","locations":[%s],"message":{"text":"Value %d is read twice."}}'
      results[i] = result:format(i, ('{"uri":"src/a.c","startLine":12,"hash":"0123456789abcdef"},'):rep(40) .. i, i)
    end
    local text = ('{"rules":[%s],"results":[%s]}'):format(table.concat(rules, ","), table.concat(results, ","))
    local content = abridge.auto(text, { max_bytes = 8192 })
    assert.is_true(count(content, "is read twice") >= 10, content)
  end)

  it("does not take the texts of records with a title for the lines of a log", function()
    local rows = {}
    for i = 1, 60 do
      local body = {}
      for k = 1, 4 do
        body[k] = ("The pool hangs on a full disk. %s cache %d."):format(i % 4 == k and "Deadlock" or "Handle", i + k)
      end
      rows[i] = ('{"id":"PR_%d","title":"Keep route %d","author":{"id":"x","login":"a"},"body":"%s"}'):format(
        i * 7919,
        i,
        table.concat(body, "\\r\\n")
      )
    end
    local content = abridge.auto("[" .. table.concat(rows, ",") .. "]", { max_bytes = 2048 })
    assert.is_true(count(content, '"title"') >= 10, content)
  end)

  it("names all that is in trouble before it shows more of one message", function()
    local message, files = ("Error: the cart has another total\\n"):rep(30), {}
    for i = 1, 120 do
      local failed = i % 6 == 0
      local told = failed and { "failed", message } or { "passed", "" }
      files[i] = ('{"file":"/src/page%d.test.js","results":[{"title":"case %d",'):format(i, i)
        .. ('"status":"%s","messages":["%s"]}]}'):format(told[1], told[2])
    end
    local content = abridge.auto('{"files":[' .. table.concat(files, ",") .. "]}", { max_bytes = 8192 })
    for i = 6, 120, 6 do
      assert.truthy(content:find(('"case %d"'):format(i), 1, true), "case " .. i)
    end
  end)

  it("shows the number, the literal or the state that is unlike all others at its place", function()
    local odd = { '"code": 137', '"done": false', '"state": { "phase": "held" }' }
    for i, usual in ipairs { '"code": 7', '"done": true', '"state": { "phase": "open" }' } do
      local elements = {}
      for k = 1, 60 do
        local place = ('"place": "%s"'):format(("%08x"):format(k * 2654435761 % 4294967296):rep(8))
        elements[k] = ('  { %s, %s, "name": "cart %d" }'):format(place, k == 33 and odd[i] or usual, k)
      end
      local content = abridge.auto("[\n" .. table.concat(elements, ",\n") .. "\n]\n", { max_bytes = 1024 })
      assert.truthy(content:find(odd[i]:gsub(" ", ""), 1, true), content)
      assert.truthy(content:find('"name":"cart 33"', 1, true), content)
    end
  end)

  it("shows the one state that is unlike the others amid values that all come equally often", function()
    local elements = {}
    for k = 1, 240 do
      local state = k == 77 and "held" or "open"
      elements[k] = ('{"month":%d,"day":%d,"state":"%s","mount":"%08x"}'):format(
        k % 12 + 1,
        k % 16 + 1,
        state,
        k * 2654435761 % 4294967296
      )
    end
    local content = abridge.auto("[" .. table.concat(elements, ",") .. "]", { max_bytes = 1024 })
    assert.truthy(content:find('"state":"held"', 1, true), content)
  end)

  it("does not take for trouble what all elements of a list say", function()
    local rules, results = {}, {}
    for i = 1, 40 do
      rules[i] = ('{"id": "cart/rule-%d", "text": "A rule of the cart", "level": "error"}'):format(i)
      local place = ('[{"file": "src/a%d.js"}]'):format(i)
      results[i] = ('{"rule": "cart/rule-%d", "level": "note", "text": "Not used", "places": %s}'):format(i, place)
    end
    results[23] = '{"rule": "cart/rule-9", "level": "error", "text": "Joins what a user wrote to a query",'
      .. ' "places": [{"file": "src/orders.js", "line": 117}]}'
    local text = ('{"rules": [%s], "results": [%s]}'):format(table.concat(rules, ",\n"), table.concat(results, ",\n"))
    local content = abridge.auto(text, { max_bytes = 1024 })
    assert.is_truthy(content:find('"Joins what a user wrote to a query"', 1, true), content)
    assert.is_truthy(content:find('"src/orders.js"', 1, true), content)
    assert.is_falsy(content:find('{"id":"cart/rule-5"', 1, true), content)
  end)

  it("shows an error that only some elements have, though it is the same in all of these", function()
    local elements = {}
    for k = 1, 200 do
      local failed = k > 90 and k < 110
      elements[k] = ('{"id":%d,"host":"cart-%d"%s}'):format(
        k,
        k * 7919 % 1000,
        failed and ',"error":"connection refused"' or ""
      )
    end
    local content = abridge.auto("[" .. table.concat(elements, ",") .. "]", { max_bytes = 600 })
    local _, shown = content:gsub("connection refused", "")
    assert.is_true(shown > 1, content) -- the shape takes one
  end)

  it("shows an exit code and a failure's flag though few are there to compare", function()
    local elements = {}
    for k = 1, 3 do
      local rest, failed = {}, k == 2
      for member = 1, 40 do
        rest[member] = ('"mount_%d": { "name": "volume %d of %d" }'):format(member, member, k)
      end
      local state = ('"state": { "phase": "on", "oomKilled": %s, "exitCode": %d }'):format(
        tostring(failed),
        failed and 137 or 0
      )
      elements[k] = ('  { "id": "%064d", %s, %s }'):format(k, table.concat(rest, ", "), state)
    end
    local content = abridge.auto("[\n" .. table.concat(elements, ",\n") .. "\n]\n", { max_bytes = 1024 })
    assert.truthy(content:find('"oomKilled":true', 1, true), content)
    assert.truthy(content:find('"exitCode":137', 1, true), content)
  end)

  it("shows no member whole for a name in it, only elements", function()
    local packages, scripts = {}, {}
    for i = 1, 60 do
      packages[i] = ('"package-%d":"^%d.0.1"'):format(i, i)
    end
    for i = 1, 20 do
      scripts[i] = ('"script-%d":"run tool %d"'):format(i, i)
    end
    local settings = '{"//text":"This file is partially managed by a tool. Edits may be overwritten.",'
      .. '"version":"4.29.0","content":"./scripts/x/root.js","update":false}'
    local content = abridge.auto(
      ('{"name":"cart","files":["bin/","docs/"],"settings":%s,"scripts":{%s},"dependencies":{%s}}'):format(
        settings,
        table.concat(scripts, ","),
        table.concat(packages, ",")
      ),
      { max_bytes = 600 }
    )
    assert.truthy(content:find('"version":"4.29.0"', 1, true))
    assert.falsy(content:find(settings, 1, true), content)
  end)

  it("parses however deep the source is, and is text over 2^20 #once", function()
    for _, pair in ipairs { { "[", "]" }, { '{"a":', "}" } } do
      local text = pair[1]:rep(2 ^ 20 - 2) .. "1" .. pair[2]:rep(2 ^ 20 - 2)
      local content, cut = abridge.auto(text, { max_bytes = 8192 })
      assert.equal("json", cut.kind)
      local root, deepest = assert(json_text.parse(content)), 0
      json_text.each(root, function(node)
        deepest = math.max(deepest, node.items and node.depth or 0)
      end)
      assert.is_true(deepest <= 200)
      local over = pair[1]:rep(2 ^ 20 + 1) .. "1" .. pair[2]:rep(2 ^ 20 + 1)
      content, cut = abridge.auto(over, { max_bytes = 8192 })
      assert.equal("text", cut.kind)
      assert.same({}, judge.faults(over, { max_bytes = 8192 }, content, cut))
    end
    local content, cut = abridge.auto(("["):rep(1e7), { max_bytes = 8192 })
    assert.is_true(#content <= 8192 and cut.kind ~= "json")
  end)

  it("is one of text where the document breaks after 256 KiB #few", function()
    local head = "[" .. ('{"id": 1234567, "name": "item"},'):rep(9000)
    for _, tail in ipairs { "1", "1] x", "1}", "01]", "1]\n{}" } do
      for _, budget in ipairs { 0, 3, 300, 8192, 50000 } do
        local content, cut = abridge.auto(head .. tail, { max_bytes = budget })
        assert.equal("text", cut.kind)
        assert.same({}, judge.faults(head .. tail, { max_bytes = budget }, content, cut))
        cases.stream(head .. tail, { max_bytes = budget })
      end
    end
  end)

  it("is right for many long strings, in one call and from a stream whose budget is lowered", function()
    random.each(40, function()
      local text, expected = long_strings()
      local budget = math.floor(2 ^ (random.below(1401) / 100 + 6))
      cases.judge(judge.source(text, expected), { max_bytes = budget })
      cases.stream(text, { max_bytes = budget })
    end)
  end)

  it("is right under large budgets, where values next to each other are shown together #once", function()
    random.each(3, function()
      local text, expected = large()
      local opts = { max_bytes = random.between(384, 400) * 1024 }
      cases.judge(judge.source(text, expected), opts)
      cases.stream(text, opts)
    end)
  end)

  it("is right under large budgets for the lines of a log beside which others take most of the room #once", function()
    local function words(n)
      local list = {}
      for i = 1, math.ceil(n / 6) do
        list[i] = random.choose { "alpha", "beta", "copying", "file", "module" }
      end
      return table.concat(list, " "):sub(1, n)
    end
    random.each(2, function()
      local logs, groups = {}, {}
      for q = 1, 4 do
        local log = {}
        for i = 1, 400 do
          local is_long = i % 6 == 3
          local message = i == 2 and "ERROR: cannot open file a.c" or words(is_long and 22 or random.between(22, 30))
          log[#log + 1] = ('{"d":"%s","p":[%s]}'):format(
            message,
            ("1234567,"):rep(is_long and 24 or random.between(18, 23)):sub(1, -2)
          )
          if is_long then log[#log + 1] = ('{"d":"%s"}'):format(words(4)) end
        end
        logs[q] = ('"l%d":[%s]'):format(q, table.concat(log, ","))
      end
      groups[1] = '"logs":{' .. table.concat(logs, ",") .. "}"
      for g = 1, 4 do
        local members = {}
        for k = 1, 32 do
          local strings = {}
          for j = 1, 8 do
            strings[j] = '"' .. words(random.between(200, 250)) .. '"'
          end
          members[k] = ('"k%d":[%s]'):format(k, table.concat(strings, ","))
        end
        groups[g + 1] = ('"g%d":{%s}'):format(g, table.concat(members, ","))
      end
      local source = judge.source("{" .. table.concat(groups, ",") .. "}", { kind = "json" })
      cases.judge(source, { max_bytes = 393216 + 300 * random.below(8) })
    end)
  end)

  it("shows under a large budget what is in trouble among values that say nothing", function()
    local rows = {}
    for i = 1, 100000 do
      rows[i] = ('{"id":%d,"state":"%s"}'):format(i, i == 50321 and "failed: disk full" or "done")
    end
    local content, cut = abridge.auto("[" .. table.concat(rows, ",") .. "]", { max_bytes = 2 ^ 19 })
    assert.truthy(content:find(rows[50321], 1, true))
    assert.equal(1, #cut.items)
    local _, shown = content:gsub('"id"', "")
    assert.same({ 100000, shown }, { cut.items[1].total, cut.items[1].kept })
    assert.truthy(shown > 15000 and #content <= 2 ^ 19)
    local pretty = '{"data":[\n  ' .. ("[]"):rep(2 ^ 19, ",\n  ") .. "\n]}"
    assert.truthy(#abridge.auto(pretty, { max_bytes = 2 ^ 19 }) > 2 ^ 19 - 1000) -- rows of a list are no dearer
  end)

  it("has whole chars at the edges of what is retained of long strings", function()
    local strings = {}
    for i = 1, 40 do
      strings[i] = '"' .. ("x"):rep(i) .. ("\\ud83d\\ude00"):rep(700) .. '"'
    end
    local text = "[" .. table.concat(strings, ",") .. "]"
    for _, budget in ipairs { 2000, 9000, 30000, 100000, 300000 } do
      local content, cut = abridge.auto(text, { max_bytes = budget })
      assert.same({}, judge.faults(text, { max_bytes = budget }, content, cut))
    end
  end)

  it("comes from a stream as from one call, with a token that no buffer holds #few", function()
    local start = "[" .. ('{"id": 1234567, "name": "item"},'):rep(8300)
    local digits, opts = ("9"):rep(2 ^ 16), { strategy = "auto", max_bytes = 4096 }
    local tokens = {
      digits,
      "-0." .. digits,
      "1e" .. digits,
      '"' .. digits .. '"',
      '{"' .. digits .. '":[1]}',
      '{"id":' .. digits .. "}",
      "nul" .. ("l"):rep(2 ^ 16),
    }
    for _, token in ipairs(tokens) do
      local text = start .. token .. ("," .. digits):rep(3) .. "]"
      local expected = abridge.cut(text, opts)
      for _, chunk in ipairs { 7, 4096, 65536 } do
        local stream = abridge.stream(opts)
        for i = 1, #text, chunk do
          stream:write(text:sub(i, i + chunk - 1))
        end
        assert.equal(expected, (stream:finish()))
      end
    end
  end)

  it("shows short messages whole before pieces of long ones, and fills its budget", function()
    local said = {}
    for i = 1, 36 do
      local long = {}
      for k = 1, 60 do
        long[k] = ("local part_%d_%d = require 'shop.part_%d' -- cannot be nil\\n"):format(i, k, k)
      end
      said[i] = i % 3 == 0 and ('{"role":"tool","tool_call_id":"call_%d","content":"%s"}'):format(i, table.concat(long))
        or ('{"role":"assistant","content":"Step %d: I will look at the next part."}'):format(i)
    end
    local text = "[\n" .. table.concat(said, ",\n") .. "\n]\n"
    for bytes = 1500, 4000, 100 do
      local content = abridge.auto(text, { max_bytes = bytes })
      local _, short = content:gsub('"Step %d+: I will look at the next part."', "")
      assert.is_true(short >= bytes / 250, content)
      assert.is_true(#content >= 0.85 * bytes, ("%d of %d: %s"):format(#content, bytes, content))
    end
  end)

  it("shows the totals of a document whole, though a long list comes before them", function()
    local files = {}
    for i = 1, 18 do
      local form = '"shop/part_%d.py":{"executed":[1,2,3,%d],"summary":{"covered":60,"statements":64,"percent":93.75,'
        .. '"shown":"94","missing":%d,"excluded":0},"missing":[35,52,%d],"excluded":[]}'
      files[i] = form:format(i, i, i == 7 and 40 or 4, 60 + i)
    end
    local totals = '"totals":{"covered":1080,"statements":1228,"percent":87.948,"shown":"88","missing":148}'
    local text = '{"meta":{"format":2,"branches":false},"files":{' .. table.concat(files, ",") .. "}," .. totals .. "}"
    for bytes = 1000, 2400, 100 do
      local content = abridge.auto(text, { max_bytes = bytes })
      assert.truthy(content:find(totals, 1, true), content)
    end
  end)

  it("shows the keys of an object that lists others, though the first of them could fill the budget", function()
    local paths = {}
    for i = 1, 24 do
      local answers = '"200":{"description":"OK"},"404":{"description":"Not found"},"422":{"description":"It failed"}'
      local call = '{"operationId":"call%d","summary":"Calls part %d","responses":{%s}}'
      paths[i] = ('"/part_%d":{"get":%s,"post":%s}'):format(i, call:format(i, i, answers), call:format(i, i, answers))
    end
    local text = '{"openapi":"3.1.0","paths":{' .. table.concat(paths, ",") .. "}}"
    for bytes = 2100, 4000, 100 do
      local content = abridge.auto(text, { max_bytes = bytes })
      for i = 1, 24 do
        assert.truthy(content:find(('"/part_%d":'):format(i), 1, true), content)
      end
    end
  end)

  it("comes from a stream as from one call, with a log whose lines all end in an earlier chunk", function()
    local opts = { strategy = "auto", max_bytes = 1000 }
    local start =
      '{"exit_code":1,"out":"gcc -c a.c\\na.c:1:2: error: x undeclared\\nmake: *** [a] Error 1\\nfoo\\nbar\\n'
    local rest = ("a"):rep(300000)
    local stream = abridge.stream(opts)
    stream:write(start)
    stream:write(rest)
    stream:write '"}'
    assert.equal(abridge.cut(start .. rest .. '"}', opts), (stream:finish()))
  end)

  it("comes from a stream as from one call", function()
    random.each(250, function()
      cases.stream((any()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
    end)
  end)
end)

describe("a list of long elements", function()
  local function members(prefix, count)
    local list = {}
    for i = 1, count do
      list[i] = ('"%s_%d":"some value of this"'):format(prefix, i)
    end
    return table.concat(list, ",")
  end

  it("names them all before it shows more of one, over 4 KiB too", function()
    local pods = {}
    for i = 1, 8 do
      pods[i] = ('{"managed":{%s},"metadata":{"name":"shop-cart-%dx","labels":{%s}},"spec":{%s}}'):format(
        members("m", 30),
        i,
        members("l", 20),
        members("s", 30)
      )
    end
    local content = abridge.auto('{"items":[' .. table.concat(pods, ",") .. "]}", { max_bytes = 6000 })
    for i = 1, 8 do
      assert.truthy(content:find(('"name":"shop-cart-%dx"'):format(i), 1, true), content)
    end
  end)

  it("takes the words of a name for no trouble", function()
    local tests = {}
    for i = 1, 80 do
      local title = i % 9 == 4 and "the cart: Error: no rate for currency X" .. i or "the cart sums " .. i
      tests[i] = ('{"fullName":"%s","trace":"%s","status":"passed"}'):format(title, ("step "):rep(30))
    end
    local content = abridge.auto('{"tests":[' .. table.concat(tests, ",") .. "]}", { max_bytes = 1500, kind = "json" })
    local _, gaps = content:gsub('"%.%.%. %d+ of 80 omitted', "")
    assert.equal(1, gaps, content)
  end)

  it("shows each path of an element once, not the element again and again, and what the element is called", function()
    local pods = {}
    for i = 1, 120 do
      local state = i % 9 == 4
          and '{"waiting":{"reason":"CrashLoopBackOff","message":"back-off restarting failed container"}}'
        or '{"running":{"startedAt":"2026-01-02T03:04:05Z"}}'
      pods[i] = ('{"metadata":{"name":"shop-cart-%d","namespace":"shop","labels":{"app":"cart","hash":"%x"}},'):format(
        i,
        i * 7919
      ) .. ('"spec":{"nodeName":"node-%d","volumes":[{"name":"token-%d"}]},"status":{"phase":"Running",'):format(
        i % 3,
        i
      ) .. ('"containers":[{"name":"app","ready":%s,"state":%s}]}}'):format(tostring(i % 9 ~= 4), state)
    end
    local text = '{"kind":"List","items":[' .. table.concat(pods, ",") .. "]}"
    for budget, least in pairs { [2048] = 4, [8192] = 13 } do
      local content = abridge.auto(text, { max_bytes = budget })
      assert.truthy(content:find('"running":{"startedAt"', 1, true), content)
      local found = 0
      for i = 4, 120, 9 do
        local pod = content:match(('{"metadata":{"name":"shop%%-cart%%-%d",.*'):format(i))
        local next_pod = pod and (pod:find('{"metadata"', 2, true) or #pod)
        if pod and pod:sub(1, next_pod):find("CrashLoopBackOff", 1, true) then found = found + 1 end
      end
      assert.is_true(found >= least, found .. " of " .. content)
    end
  end)

  it("shows the name of an element that failed, though it stands in much else, long before it", function()
    local pods = {}
    for i = 1, 90 do
      local environment = {}
      for k = 1, 90 do
        environment[k] = ('          {\n            "key": "NAME_%d",\n            "value": "1"\n          }'):format(k)
      end
      pods[i] = ([[
    {
      "metadata": {
        "annotations": {
          "restarted": "2026-01-02T03:04:05Z", "checksum": "%s"
        },
        "name": "shop-%d",
        "owners": [{"kind": "ReplicaSet", "controller": true, "uid": "%s"}],
        "link": "%s"
      },
      "spec": {
        "environment": [
%s
        ]
      },
      "status": {"phase": "%s", "started": "2026-01-02T03:04:05Z"}
    }]]):format(
        ("0123456789abcdef"):rep(16),
        i,
        ("89abcdef01234567"):rep(8),
        ("/api/v1/pods"):rep(30),
        table.concat(environment, ",\n"),
        i == 41 and "Failed" or "Running"
      )
    end
    local text = '{\n  "items": [\n' .. table.concat(pods, ",\n") .. "\n  ]\n}\n"
    for _, budget in ipairs { 8192, 30000 } do
      local content = abridge.auto(text, { max_bytes = budget })
      assert.truthy(content:find('"name":"shop-41"', 1, true), content)
      assert.truthy(content:find('"phase":"Failed"', 1, true), content)
    end
  end)

  it("shows the line that a finding is at, though much of the finding does not fit", function()
    local results = {}
    for i = 1, 60 do
      local at = '"path":"src/part%d.c","range":{"column":4,"line":%d}'
      results[i] = ('{"check":"%s",' .. at .. ',"rows":[%s],"text":"%s"}'):format(
        ("no-dead-code."):rep(5),
        i,
        700 + i,
        ('{"line":9},'):rep(20) .. '{"line":9}',
        i % 12 == 7 and "error: total" .. i .. " is read before it is set" or ("It is never read. "):rep(8)
      )
    end
    local text = '{"results":[' .. table.concat(results, ",") .. "]}"
    for _, budget in ipairs { 1024, 2048, 4000 } do
      local content = abridge.auto(text, { max_bytes = budget })
      local found = 0
      for total in content:gmatch "error: total(%d+)" do
        found = found + 1
        assert.truthy(content:find(('"line":%d'):format(700 + total), 1, true), content)
      end
      assert.is_true(found >= 2, content)
    end
  end)

  describe("findings in a list of each file", function()
    --- A third of 150 files has two, all of which are errors.
    local function found(source, max_bytes)
      local files = {}
      for i = 1, 150 do
        local hint = ("at a row, "):rep(80)
        local at = ('{"severity":"error","rule":"no-total","row":%d,"hint":"%s"}'):format(i, hint)
        files[i] = ('{"path":"src/part %d.js","found":[%s],"source":"%s"}'):format(
          i,
          i % 3 == 0 and at .. "," .. at or "",
          source:rep(230)
        )
      end
      local content = abridge.auto("[" .. table.concat(files, ",\n") .. "]", { max_bytes = max_bytes })
      return select(2, content:gsub('"severity":"error"', ""))
    end

    it("come before files without", function()
      assert.is_true(found("", 2048) >= 8)
    end)

    it("are retained beside long texts", function()
      for _, budget in ipairs { 8192, 30000 } do
        local beside, without = found("let the_total = 1;\\n", budget), found("", budget)
        assert.is_true(beside * 2 >= without, beside .. " of " .. without)
      end
    end)
  end)

  it("shows a count of errors with the name of its element, though much stands between them", function()
    local files = {}
    for i = 1, 120 do
      files[i] = ('{"filePath":"/srv/shop/part %d.js","source":"%s","errorCount":%d}'):format(
        i,
        ("let x = 1;\\n"):rep(300),
        i == 60 and 3 or 0
      )
    end
    local content = abridge.auto("[" .. table.concat(files, ",\n") .. "]", { max_bytes = 2048 })
    assert.truthy(content:find('"filePath":"/srv/shop/part 60.js"', 1, true), content)
    assert.truthy(content:find('"errorCount":3', 1, true), content)
  end)

  it("shows what a list in an element says with the name of the element, before the list or after it", function()
    local function report(name_is_first)
      local files = {}
      for i = 1, 60 do
        local messages = {}
        for k = 1, 40 do
          messages[k] = ('{"rule":"no-total","message":"the total %d of cart %d is never read","place":"%s"}'):format(
            k,
            i,
            ("at a row, "):rep(30)
          )
        end
        local name = ('"filePath":"/srv/shop/part %d.js"'):format(i)
        local list = ('"messages":[%s]'):format(table.concat(messages, ","))
        files[i] = ('{%s,"source":"%s",%s}'):format(
          name_is_first and name or list,
          ("let x = 1;\\n"):rep(300),
          name_is_first and list or name
        )
      end
      return "[" .. table.concat(files, ",\n") .. "]"
    end
    for _, name_is_first in ipairs { true, false } do
      local content = abridge.auto(report(name_is_first), { max_bytes = 8192 })
      local found = 0
      for element in content:gmatch '{[^{}]*"messages":%b[][^{}]*}' do
        found = found + 1
        assert.truthy(element:find('"filePath":', 1, true), content)
      end
      assert.is_true(found >= 2, content)
    end
  end)

  it("fills a large budget though numbers stand in arrays that are called failures", function()
    local list = {}
    for i = 1, 12000 do
      list[i] = ('{"name":"n%d","failures":[%s]}'):format(i, ("3,"):rep(29) .. "3")
    end
    local content = abridge.auto("[" .. table.concat(list, ",") .. "]", { max_bytes = 500000 })
    assert.is_true(#content > 495000, #content)
  end)

  it("shows the start alone of a string of which little fits", function()
    local list = {}
    for i = 1, 50 do
      list[i] = ('{"id":%d,"stack":"TypeError: no total of cart %d %s"}'):format(i, i, ("at line "):rep(60))
    end
    local content = abridge.auto("[" .. table.concat(list, ",") .. "]", { max_bytes = 1000 })
    assert.truthy(content:find 'TypeError: no total of cart %d+[^"]* omitted%] %.%.%."', content)
  end)
end)
