-- SPEC 14, json_lines and table: what the judge of spec/support/kind_judge.lua says of cuts of random records.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local documents = require "support.documents"
local judge = require "support.kind_judge"
local random = require "support.random"

local MAKERS = { "json_lines", "json_documents", "delimited", "aligned", "drawn" }

for _, name in ipairs(MAKERS) do
  local function make()
    return documents[name](random.choose { 40, 200, 600 })
  end
  local function small()
    return documents[name](32)
  end

  describe("a cut of " .. name, function()
    it("tell states apart whose words say nothing: the one exit that is unlike the others shows", function()
      local records = {}
      for i = 1, 600 do
        local state = i % 6 == 2 and ("Exited (1) %d hours ago"):format(i % 20 + 2)
          or ("Up %d hours"):format(i % 20 + 2)
        if i == 401 then state = "Exited (137) 3 weeks ago" end
        records[i] = ('{"ID":"c%d","Image":"app%d","Status":"%s"}\n'):format(i * 7919, i % 9, state)
      end
      for _, bytes in ipairs { 1500, 2500 } do
        local content = abridge.auto(table.concat(records), { max_bytes = bytes })
        assert.truthy(content:find("Exited (137)", 1, true), content)
      end
    end)

    it("is right for random records and budgets", function()
      cases.each(200, make)
    end)

    it("is right in every small budget", function()
      cases.sweep(15, small, 400)
    end)

    it("is right under chars, lines, tokens, a reserve, and without markers", function()
      random.each(150, function()
        cases.judge(judge.source(make()), cases.any_opts())
      end)
    end)

    it("shows nine troubled records in ten at 8 KiB #once", function()
      local share, lost = cases.needles(60, function()
        return documents[name](600)
      end, 8192)
      assert.is_true(share >= 0.9, ("%.2f, without %s"):format(share, tostring(lost)))
    end)

    it("comes from a stream as from one call", function()
      random.each(100, function()
        cases.stream((make()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
      end)
    end)
  end)
end

describe("a record in trouble", function()
  it("shows whole before a log where a container restarts after an error", function()
    local row = "%-14s %-28s %-24s %-14s %-27s %-24s %s\n"
    local text = { row:format("CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES") }
    for i, name in ipairs { "api", "worker", "redis", "nginx", "minio", "grafana", "loki", "scheduler" } do
      local status = i == 2 and "Restarting (1) 12 seconds ago" or "Up 3 hours"
      local image, port = "acme/" .. name .. ":1." .. i, ("0.0.0.0:800%d->8080/tcp"):format(i)
      text[#text + 1] =
        row:format("1ce50211670" .. i, image, '"/entrypoint.sh"', "3 hours ago", status, port, "shop-" .. name)
    end
    for i = 1, 90 do
      text[#text + 1] = ("2026-03-02T09:01:%02d.201991Z INFO  worker::queue polled queue=orders depth=%d\n"):format(
        i % 60,
        i
      )
    end
    text[#text + 1] = "2026-03-02T09:02:11.201991Z ERROR worker::mail could not deliver order=88213: relaying denied\n"
    for _, bytes in ipairs { 1024, 1536, 2048 } do
      local content = abridge.auto(table.concat(text), { max_bytes = bytes })
      assert.truthy(content:find("Restarting (1)", 1, true), content)
      assert.truthy(content:find("relaying denied", 1, true), content)
    end
  end)

  -- n records, made by the function, of which the one at `at` is another
  local function cut_of(n, make, at, other, budget)
    local lines = {}
    for i = 1, n do
      lines[i] = i == at and other or make(i)
    end
    return (abridge.auto(table.concat(lines, "\n"), { max_bytes = budget or 2000 }))
  end

  it("shows if one bare word among names says so", function()
    for _, word in ipairs { "error", "failed", "exception", "FATAL", "aborted" } do
      local record = ('{"id":2000,"what":"%s"}'):format(word)
      local content = cut_of(4000, function(i)
        return ('{"id":%d,"what":"w%d"}'):format(i, i)
      end, 2000, record)
      assert.is_truthy(content:find(record, 1, true), word)
    end
  end)

  it("is judged by the text its strings spell: colours, tabs, quotes, a newline at the end", function()
    local function passed(i)
      return ('{"n":%d,"log":"errors of block %d are told apart ... ok\\n"}'):format(i, i)
    end
    local texts = {
      [[\u001b[31merror:\u001b[0m no order]],
      [[\u001b[1;31mFAIL\u001b[0m\n]],
      [[FAIL\tcart\t0.01s]],
      [[\"order\" failed\r\n]],
    }
    for _, text in ipairs(texts) do
      local record = ('{"n":2000,"log":"%s"}'):format(text)
      assert.is_truthy(cut_of(4000, passed, 2000, record):find(record, 1, true), text)
    end
  end)

  it("shows where most of the others mention trouble as well", function()
    local record = '{"log":"ld: cannot find -lfastsum\\n"}'
    local content = cut_of(2000, function(i)
      return ('{"log":"attempt to open /opt/sdk/%d/libm.a %s\\n"}'):format(i, i % 3 == 0 and "succeeded" or "failed")
    end, 800, record)
    assert.is_truthy(content:find(record, 1, true))
  end)

  it("shows the place that says so in a long string with escapes", function()
    local text = " error: disk gone"
    local long = ('{"log":"%s%s","data":"%s"}'):format(("\\u00e9"):rep(2000), text, ("x"):rep(100000))
    local content = cut_of(2000, function(i)
      return ('{"log":"block %d","data":"x"}'):format(i)
    end, 1000, long, 40000)
    assert.is_truthy(content:find(text, 1, true))
  end)

  it("shows where a flood of others came before it #once", function()
    local record = '{"n":90000,"text":"cannot open display"}'
    local content = cut_of(100000, function(i)
      return ('{"n":%d,"text":"%s %d"}'):format(i, i <= 9000 and "failed: job" or "finished job", i)
    end, 90000, record)
    assert.is_truthy(content:find(record, 1, true))
  end)
end)

describe("a log of a record a line", function()
  local function log_of(form, frames, message)
    local lines = {}
    local function add(line)
      lines[#lines + 1] = form:format(#lines, line)
    end
    for i = 1, 900 do
      add(("INFO shop: processed order %d"):format(i))
      if i == 400 then
        add "Traceback (most recent call last):"
        for k = 1, frames do
          add(('  File \\"cart.py\\", line %d, in step_%d'):format(k, k))
          add(("\\treturn step_%d(item)"):format(k + 1))
        end
        add(message)
      end
    end
    return table.concat(lines, "\n")
  end

  it("shows the frames of a traceback with its head and its message", function()
    for _, form in ipairs { '{"n":%d,"log":"%s\\n","stream":"stderr"}', '{"seq":%d,"level":"info","msg":"%s"}' } do
      local content = abridge.auto(log_of(form, 6, "KeyError: 'price'"), { max_bytes = 4096 })
      for k = 1, 6 do
        assert.is_truthy(content:find("in step_" .. k, 1, true), form)
        assert.is_truthy(content:find(("return step_%d(item)"):format(k + 1), 1, true), form)
      end
      assert.is_truthy(content:find("KeyError: 'price'", 1, true))
    end
  end)

  it("shows a traceback's message, whatever its name and however many frames come before it", function()
    local log = log_of('{"n":%d,"log":"%s\\n"}', 40, "RateMissing: no rate for XAF")
    local content = abridge.auto(log, { max_bytes = 2048 })
    assert.is_truthy(content:find("Traceback", 1, true))
    assert.is_truthy(content:find("RateMissing", 1, true))
  end)

  it("shows the lines after one whose text tells of trouble", function()
    local lines = {}
    local function add(form, ...)
      lines[#lines + 1] = ('{"n":%d,"log":"%s"}'):format(#lines + 1, form:format(...))
    end
    for i = 1, 4000 do
      add("module_%d compiled in %d ms", i % 90, i * 7 % 300)
      if i == 2000 then
        add "not ok 340 - report 340 keeps its lines"
        add "#          got: 'utf8'"
        add "#     expected: 'utf-8'"
      end
    end
    local content = abridge.auto(table.concat(lines, "\n"), { max_bytes = 4096 })
    assert.is_truthy(content:find("#          got: 'utf8'", 1, true))
    assert.is_truthy(content:find("#     expected: 'utf-8'", 1, true))
    assert.is_falsy(content:find('{"n":2040,', 1, true))
  end)

  it("shows the line in trouble in 512 bytes, and then the first one", function()
    local lines = {}
    for i = 1, 4000 do
      lines[i] = ('{"time":"2026-01-02T03:04:05Z","stream":"stdout","n":%d,"log":"%s"}'):format(
        i,
        i == 2000 and "make: *** [/home/builder/shop/Makefile:4: build/objects/cart.o] Error 1"
          or "compiled, as the hundreds of modules before it, in no time at all"
      )
    end
    local content = abridge.auto(table.concat(lines, "\n"), { max_bytes = 512 })
    assert.is_truthy(content:find("Makefile:4", 1, true))
    assert.is_truthy(content:find('"n":1,', 1, true))
  end)

  it("shows what fails in a log that comes behind records, amid lines that are none either", function()
    local lines = {}
    for i = 1, 20000 do
      lines[i] = ('{"id":%d,"name":"x%d"}'):format(i, i)
    end
    for i = 1, 1200 do
      lines[#lines + 1] = ("[%d/1200] compiling module_%d.c"):format(i, i)
      if i == 600 then lines[#lines + 1] = "cart.c:12:5: error: expected ';' before 'return'" end
    end
    local content = abridge.auto(table.concat(lines, "\n"), { max_bytes = 2048 })
    assert.is_truthy(content:find("cart.c:12:5: error", 1, true))
  end)

  it("ends a failure at a line without an indent, and after some lines in any case", function()
    local lines = {}
    for i = 1, 2000 do
      lines[i] = ('{"n":%d,"msg":"%s"}'):format(i, i == 300 and "Error: no such order" or "  order done")
    end
    local content = abridge.auto(table.concat(lines, "\n"), { max_bytes = 4096 })
    assert.is_truthy(content:find('{"n":300,', 1, true))
    assert.is_falsy(content:find('{"n":340,', 1, true))
    assert.is_truthy(content:find('{"n":2000,', 1, true))
  end)
end)

describe("compiler messages a line", function()
  -- as `cargo --message-format=json` prints them
  local function message(i, level, text)
    return (
      '{"reason":"compiler-message","package_id":"demo 0.1.0 (path+file:///demo)","target":{"kind":["lib"],'
      .. '"name":"demo","src_path":"/demo/src/lib.rs"},"message":{"rendered":"%s: %s\\n --> src/lib.rs:%d\\n",'
      .. '"$message_type":"diagnostic","children":[],"code":null,"level":"%s","message":"%s","spans":[]}}'
    ):format(level, text, i, level, text)
  end
  local lines = {}
  for i = 1, 60 do
    lines[i] = i == 33 and message(i, "error", "mismatched types") or message(i, "warning", "unused variable " .. i)
  end

  it("show the message of each record that is shown, and the error's first", function()
    for _, budget in ipairs { 500, 1000, 2048 } do
      local content, cut = abridge.auto(table.concat(lines, "\n"), { max_bytes = budget })
      assert.equal("json_lines", cut.kind)
      assert.is_truthy(content:find('"message":"mismatched types"', 1, true), budget)
      local _, messages = content:gsub('"message":"', "")
      if budget > 1000 then assert.equal(cut.items[1].kept, messages) end
    end
  end)

  it("show each of four errors, however much the first ones have to say", function()
    local essay = ("A value was used after it was moved.\\n\\nErroneous code example:\\n\\n"):rep(20)
    local errors = { [11] = "mismatched types", [33] = "use of moved value", [44] = "unknown field", [55] = "no cart" }
    local all = {}
    for i = 1, 60 do
      all[i] = lines[i]
      if errors[i] then
        all[i] = message(i, "error", errors[i]):gsub(
          '"code":null',
          ('"code":{"code":"E03%d","explanation":"%s"}'):format(i, essay)
        )
      end
    end
    for _, budget in ipairs { 2048, 3000, 4096 } do
      local content = abridge.auto(table.concat(all, "\n"), { max_bytes = budget })
      for _, text in pairs(errors) do
        assert.is_truthy(content:find('"message":"' .. text, 1, true), content)
      end
    end
  end)

  it("show where it is before the essay on the code", function()
    local essay = ("A value was used after it was moved.\\n\\nErroneous code example:\\n\\n"):rep(20)
    local with_essay = {}
    for i = 1, 60 do
      with_essay[i] = lines[i]
    end
    with_essay[33] = message(33, "error", "use of moved value: `conn`")
      :gsub('"code":null', ('"code":{"code":"E0382","explanation":"%s"}'):format(essay))
      :gsub("src/lib.rs:33", "src/pool.rs:33:18\\n    |\\n33  |     self.send(conn);\\n    |     ^^^^ used after move")
    for _, budget in ipairs { 1300, 2048, 4096 } do
      local content = abridge.auto(table.concat(with_essay, "\n"), { max_bytes = budget })
      assert.is_truthy(content:find("src/pool.rs:33:18\\n    |\\n33  |     self.send(conn);", 1, true), content)
    end
  end)
end)

describe("a record in trouble", function()
  it("may take a quarter of the room, more than those around it", function()
    local form =
      '{"level":"%s","logger":"http","msg":"request","path":"/carts/%d","status":200,"ms":12,"trace":"%032d"}'
    local records = {}
    for i = 1, 200 do
      records[i] = form:format("info", i, i)
    end
    records[90] = '{"level":"error","logger":"http","msg":"request failed","path":"/carts/90","status":500,'
      .. '"err":{"type":"TimeoutError","message":"no connection within 5000 ms","stack":"TimeoutError: no connection '
      .. 'within 5000 ms\\n    at Pool.acquire (/srv/db/pool.js:88:11)\\n    at async pay (/srv/pay.js:41:18)"},'
      .. '"trace":"00000000000000000000000000000090"}'
    local content = abridge.auto(table.concat(records, "\n") .. "\n", { max_bytes = 2048 })
    assert.is_truthy(content:find(records[90], 1, true), content)
  end)
end)

describe("commas that part no fields", function()
  it("stand in statements: brackets that a name opens close in it", function()
    local lines = {}
    for i = 1, 150 do
      lines[#lines + 1] = "INSERT INTO carts(id,name,count)"
      lines[#lines + 1] = ("    VALUES (%d, 'n%d', %d);"):format(i, i, i)
    end
    lines[#lines + 1] = "Runtime error near line 299: UNIQUE constraint failed: carts.id (19)"
    assert.equal("log", (abridge.kind(table.concat(lines, "\n") .. "\n")))
    local rows = { "name (of a cart),count,price (EUR)" }
    for i = 1, 20 do
      rows[i + 1] = ("cart %d,%d,%d"):format(i, i, i)
    end
    assert.equal("table", (abridge.kind(table.concat(rows, "\n") .. "\n")))
  end)
end)

describe("a record of JSON", function()
  it("that breaks off after the 64 KiB it was judged by is cut as a line", function()
    local text = "[1" .. ("9"):rep(100000)
    for _, marker in ipairs { "none", "inside" } do
      local content, cut = abridge.auto(text, {
        kind = "json_lines",
        marker = marker,
        max_tokens = 50000,
        count_tokens = function(s)
          return #s
        end,
      })
      assert.is_true(#content > 49000 and #content <= 50000, #content)
      assert.equal(text:sub(1, cut.kept[1].last_byte), content:sub(1, cut.kept[1].last_byte))
    end
  end)
end)

describe("a table that a database client draws", function()
  local function cut_of(lines, budget)
    return abridge.auto(table.concat(lines, "\n") .. "\n", { max_bytes = budget })
  end

  it("is none if a name and a bar stand before each line of a log", function()
    for _, first in ipairs { "web-1  | ", "web-1 | " } do
      local lines = {}
      for i = 1, 300 do
        local text = i == 200 and "src/a.c:4:1: error: expected ';'" or ("src/%d.c:1:1: C0114: no docstring"):format(i)
        lines[i] = (i % 5 == 2 and first:gsub("web", "db ") or first) .. text
      end
      local content, cut = cut_of(lines, 1000)
      assert.equal("log", cut.kind)
      assert.is_truthy(content:find("error: expected ';'", 1, true), content)
      assert.equal("log", (abridge.kind((first .. "a request is served\n"):rep(300))))
    end
  end)

  it("ends as the page did, with the count of its rows", function()
    local lines = { " id | state ", "----+-------" }
    for i = 1, 400 do
      lines[#lines + 1] = ("%3d | %s"):format(i, i == 200 and "failed" or "done")
    end
    lines[#lines + 1] = "(400 rows)"
    local content, cut = cut_of(lines, 500)
    assert.equal(1, (content:find(table.concat(lines, "\n", 1, 3), 1, true)))
    assert.is_truthy(content:find("\n200 | failed\n", 1, true))
    assert.equal("\n400 | done\n(400 rows)\n", content:sub(-23))
    assert.same({ "rows", 400 }, { cut.items[1].unit, cut.items[1].total })
  end)

  it("keeps the lines of a row together where psql marks them", function()
    local lines = { " id |   note   ", "----+----------" }
    for i = 1, 200 do
      lines[#lines + 1] = ("%3d | %-8s+"):format(i, "line of")
      lines[#lines + 1] = ("    | row %d"):format(i)
    end
    lines[#lines + 1] = "(200 rows)"
    local content, cut = cut_of(lines, 600)
    assert.equal(200, cut.items[1].total)
    for id in content:gmatch "\n *(%d+) | line" do
      assert.is_truthy(content:find(("%3d | line of +\n    | row %d\n"):format(id, id), 1, true), id)
    end
  end)

  it("does not take a + at the end of a value for such a mark", function()
    local lines = { " id | blood ", "----+-------" }
    for i = 1, 200 do
      lines[#lines + 1] = ("%3d | AB+"):format(i)
    end
    local _, cut = cut_of(lines, 400)
    assert.equal(200, cut.items[1].total)
  end)

  it("keeps the lines of a row together between rulings", function()
    local lines = { "+-----+---------+", "| id  | note    |", "+=====+=========+" }
    for i = 1, 200 do
      lines[#lines + 1] = ("| %3d | line of |"):format(i)
      lines[#lines + 1] = ("|     | row %3d |"):format(i)
      lines[#lines + 1] = "+-----+---------+"
    end
    local content, cut = cut_of(lines, 900)
    assert.equal(200, cut.items[1].total)
    for id in content:gmatch "\n| *(%d+) | line" do
      assert.is_truthy(content:find(("| %3d | line of |\n|     | row %3d |\n+"):format(id, id), 1, true), id)
    end
  end)

  it("shows no rulings between rows of a line each, which would take most of the budget", function()
    local lines = {
      "┌─────┬────────────┬──────────┐",
      "│ id  │    name    │  state   │",
      "├─────┼────────────┼──────────┤",
    }
    for i = 1, 200 do
      lines[#lines + 1] = ("│ %3d │ index_cart │ %-8s │"):format(i, i == 90 and "failed" or "done")
      lines[#lines + 1] = lines[3]
    end
    lines[#lines] = "└─────┴────────────┴──────────┘"
    for _, bytes in ipairs { 500, 1000, 4000 } do
      local content, cut = cut_of(lines, bytes)
      local _, rulings = content:gsub("├", "")
      assert.is_true(rulings <= 1, content)
      assert.is_truthy(content:find("│  90 │ index_cart │ failed   │", 1, true))
      assert.equal(200, cut.items[1].total)
      assert.is_true(#content > bytes * 0.85 and cut.items[1].kept * 60 > bytes * 0.4, content)
    end
  end)

  it("is cut between the lines of a row, with the one that tells the trouble", function()
    local ruling = "+-----+" .. ("-"):rep(92) .. "+"
    local lines = { ruling, ("| id  | %-90s |"):format "note", (ruling:gsub("-", "=")) }
    for i = 1, 60 do
      for k = 1, 7 do
        local note = i == 30 and k == 6 and "connection refused" or ("part %d of the note"):format(k)
        lines[#lines + 1] = ("| %3s | %-90s |"):format(k == 1 and i or "", note)
      end
      lines[#lines + 1] = ruling
    end
    local source = table.concat(lines, "\n") .. "\n"
    for bytes = 1000, 2400, 50 do
      local content = cut_of(lines, bytes)
      assert.is_truthy(content:find("\n|     | connection refused ", 1, true), content)
      for line in content:gmatch "[^\n]+" do
        local marks = line == " ... " or line == " ..." or line:find "rows omitted"
        assert.is_truthy(marks or source:find(line .. "\n", 1, true), line)
      end
    end
  end)

  it("needs no names: a box with rows alone, under a title too", function()
    local boxes = {
      { "+-----+--------+", "| %3d | %-6s |", "+-----+--------+" },
      { "|----:|:-------|", "| %3d | %-6s |" },
      {
        "╭─────┬────────╮",
        "│ %3d │ %-6s │",
        "╰─────┴────────╯",
      },
      {
        "     Orders     \n┏━━━━━┳━━━━━━━━┓",
        "┃ %3d ┃ %-6s ┃",
        "┗━━━━━┻━━━━━━━━┛",
      },
    }
    for _, box in ipairs(boxes) do
      local lines = { box[1] }
      for i = 1, 200 do
        lines[#lines + 1] = box[2]:format(i, i == 100 and "failed" or "done")
      end
      lines[#lines + 1] = box[3]
      local content, cut = cut_of(lines, 700)
      assert.same({ "table", 200 }, { cut.kind, cut.items[1].total })
      assert.equal(1, (content:find(table.concat(lines, "\n", 1, 2), 1, true)))
      assert.is_truthy(content:find(lines[101], 1, true), content)
    end
    local words = { "+--------------+" }
    for i = 1, 60 do
      words[#words + 1] = ("| a message %2d |"):format(i)
    end
    assert.equal("text", select(2, cut_of(words, 400)).kind)
  end)

  it("has the names of its columns below its titles, in a box inside a box", function()
    local lines = {
      "-------------------------",
      "|     ListFunctions     |",
      "+-----------------------+",
      "||      Functions      ||",
      "|+----------+----------+|",
      "||  Name    |  State   ||",
      "|+----------+----------+|",
    }
    for i = 1, 200 do
      lines[#lines + 1] = ("||  fn-%03d  |  %-7s ||"):format(i, i == 100 and "FAILED" or "Active")
    end
    lines[#lines + 1] = "|+----------+----------+|"
    local content, cut = cut_of(lines, 700)
    assert.same({ "table", 200 }, { cut.kind, cut.items[1].total })
    assert.equal(1, (content:find(table.concat(lines, "\n", 1, 8), 1, true)))
    assert.is_truthy(content:find(lines[107], 1, true), content)
  end)

  it("keeps a box inside a box whole, so the row in trouble has its name", function()
    local lines = { "------------------", "| DescribeStacks |", "+----------------+" }
    for i = 1, 60 do
      lines[#lines + 1] = "||    Stacks    ||"
      lines[#lines + 1] = "|+-------+------+|"
      lines[#lines + 1] = ("|| Name  | s-%02d ||"):format(i)
      lines[#lines + 1] = ("|| State | %-4s ||"):format(i == 30 and "FAIL" or "DONE")
      lines[#lines + 1] = "|+-------+------+|"
      lines[#lines + 1] = "|||    Tags    |||"
      lines[#lines + 1] = "||+-----+------+||"
      lines[#lines + 1] = "||| env | prod |||"
      lines[#lines + 1] = "||+-----+------+||"
    end
    local content = cut_of(lines, 800)
    assert.is_truthy(content:find("|| Name  | s-30 ||\n|| State | FAIL ||\n|+-------+------+|", 1, true), content)
  end)

  it("keeps whole lines of an expanded row that shows in part, with the one that tells the trouble", function()
    local lines = {}
    for i = 1, 40 do
      lines[#lines + 1] = ("-[ RECORD %d ]----"):format(i)
      for _, name in ipairs { "id   ", "name ", "mail ", "state", "note ", "city ", "plan ", "seats" } do
        local bad = i == 20 and name == "state"
        lines[#lines + 1] = name .. " | " .. (bad and "could not connect to the host" or "value of some words, fine")
      end
    end
    local shown = "-[ RECORD 20 ]----\nid    | value of some words, fine\n ... \n"
      .. "state | could not connect to the host\nnote  | value of some words, fine\n"
    for budget = 600, 900, 100 do
      local content = cut_of(lines, budget)
      assert.is_truthy(content:find(shown, 1, true), content)
    end
  end)

  it("reads blocks of named lines as rows, as of sqlite3 -line and Format-List, amid other output too", function()
    local forms = {
      { "    id = %d", "  note = %s", " score = 7" },
      { "Name        : svc%d", "Status      : %s", "StartType   : Automatic" },
      { "Finding:     %d", "Secret:      %s", "RuleID:      key" },
    }
    for _, form in ipairs(forms) do
      for _, newline in ipairs { "\n", "\r\n" } do
        local lines = {}
        for i = 1, 90 do
          lines[#lines + 1] = form[1]:format(i)
          lines[#lines + 1] = form[2]:format(i == 45 and "suspended" or "active")
          lines[#lines + 1] = form[3]
          lines[#lines + 1] = ""
        end
        local text = table.concat(lines, newline)
        local whole = table.concat(lines, newline, 177, 179)
        local content, cut = abridge.auto(text, { max_bytes = 1024 })
        assert.same({ "table", 90 }, { cut.kind, cut.items[1].total })
        assert.is_truthy(content:find(whole, 1, true), content)
        assert.is_true(#content > 900)
        local prose = ("A sentence of a text that people wrote.\n"):rep(60)
        content, cut = abridge.auto(prose .. "\n" .. text .. "\n" .. prose, { max_bytes = 2048 })
        assert.equal("mixed", cut.kind)
        assert.is_truthy(content:find(whole, 1, true), content)
        local joined = (prose .. text):gsub("\r?\n", newline)
        cut = select(2, abridge.auto(joined, { max_bytes = 2048 }))
        assert.equal(65, cut.parts[2].first_line) -- no blank line is above the first block
      end
    end
  end)

  it("keeps expanded rows whole, psql's and mysql's", function()
    local forms = {
      { "-[ RECORD %d ]----", "id   | %d", "note | %s" },
      { "*************************** %d. row ***************************", "  id: %d", "note: %s" },
    }
    for _, form in ipairs(forms) do
      local lines = {}
      for i = 1, 300 do
        lines[#lines + 1] = form[1]:format(i)
        lines[#lines + 1] = form[2]:format(i)
        lines[#lines + 1] = form[3]:format(i == 150 and "could not connect" or "fine")
      end
      local content, cut = cut_of(lines, 800)
      assert.same({ "table", 300 }, { cut.kind, cut.items[1].total })
      assert.is_truthy(content:find(table.concat(lines, "\n", 448, 450), 1, true))
    end
  end)
end)

describe("a table that a program aligns", function()
  it("shows the number of an odd size, with its unit too", function()
    for _, unit in ipairs { "", "m", "MiB", "%" } do
      local rows = { "NAME             CPU(cores)   MEMORY(bytes)" }
      for i = 1, 120 do
        local used = (i == 61 and 3911 or 10 + i * 7 % 89) .. unit
        rows[i + 1] = ("cart-%04x-%03d    %-10s   %dMi"):format(i * 611, i, used, 100 + i * 37 % 800)
      end
      local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 1024 })
      assert.equal("table", cut.kind)
      assert.is_truthy(content:find("3911" .. unit, 1, true), content)
    end
  end)

  it("shows its header and first rows amid other output, though the header is in small letters", function()
    local rows = {}
    for i = 1, 200 do
      rows[i] = ("%-4d s%03d  %3d  %.6f      ok\n"):format(i - 1, i - 1, i * 37 % 100, i * 7919 % 1000 / 1000)
    end
    local header = "      sku  qty     price  status\n"
    local log = ("cart 1 was read\n"):rep(20)
    local content, cut = abridge.auto(log .. header .. table.concat(rows) .. log, { max_bytes = 1500 })
    assert.equal("mixed", cut.kind)
    assert.equal("table", cut.parts[2].kind)
    assert.is_truthy(content:find(header .. rows[1] .. rows[2], 1, true), content)
  end)

  it("has columns of shares and times, and a last one without a name", function()
    local rows = { "Duration: 30.1s, Total samples = 41.22s\n", "      flat  flat%   sum%        cum   cum%\n" }
    for i = 1, 120 do
      local form = "%9.2fs %5.2f%% %5.2f%% %9.2fs %5.2f%%  shop.total_%d\n"
      rows[i + 2] = form:format(9 / i, 9 / i, 9, 10 / i, 10 / i, i)
    end
    local content, cut = abridge.auto(table.concat(rows), { max_bytes = 1500 })
    assert.equal("table", cut.kind)
    assert.is_truthy(content:find(table.concat(rows, "", 1, 5), 1, true), content)
  end)

  it("shows no row for a word in its description, nor for a version that looks like a number", function()
    local form = "%-22s%-24s%-14s%s"
    local rows = { form:format("Name", "Version", "Architecture", "Description") }
    local odd = { [80] = "20230311", [160] = "29", [200] = "2022.7.1-4" }
    for i = 1, 240 do
      local about = (i % 60 == 0 and "memory error detector of library %d" or "package manager of library %d"):format(i)
      rows[#rows + 1] = form:format("lib-" .. i, odd[i] or ("1.%d.3+git%d"):format(i, i * 37), "amd64", about)
    end
    local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 1500 })
    assert.equal("table", cut.kind)
    assert.equal(1, select(2, content:gsub("rows omitted", "")), content)
  end)

  it("shows both ends rather than one odd row after the other", function()
    local form = "%-22s%-8s%-12s%-10s%s"
    local rows = { form:format("NAME", "READY", "STATUS", "RESTARTS", "AGE") }
    for i = 1, 320 do
      local restarts = i % 16 == 5 and i or 0
      rows[#rows + 1] = form:format(("worker-%03d-7d72f5"):format(i), "1/1", "Running", restarts, "9d")
    end
    local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 2000 })
    assert.equal("table", cut.kind)
    local _, gaps = content:gsub("rows omitted", "")
    assert.is_true(gaps > 1 and gaps < 7, content)
    assert.is_true(cut.items[1].kept > 22, content)
  end)

  it("shows rows as wide as a terminal whole, under small budgets too", function()
    local form = "%-14s%-46s%-8s%-20s%-20s%s"
    local rows = { form:format("NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE") }
    for i = 1, 60 do
      rows[#rows + 1] = form:format("shop", ("worker-%02d-7d72f537c"):format(i), "1/1", "Running", "0", i .. "d")
    end
    rows[41] = form:format("shop", "checkout-7f9c5d6b4-zx81k", "0/1", "CrashLoopBackOff", "41 (2m ago)", "3h")
    local content, cut = abridge.auto(table.concat(rows, "\n") .. "\n", { max_bytes = 800 })
    assert.equal("table", cut.kind)
    assert.is_truthy(content:find(rows[41], 1, true), content)
    assert.is_truthy(content:find(rows[2], 1, true), content)
  end)

  it("finds no version odd, nor a cell that ends one blank before the next column", function()
    local rows = { "Package                   Version\n------------------------- ---------\n" }
    for i = 1, 90 do
      local version = ({ [20] = "2026.5.20", [41] = "3.13", [62] = "0.19" })[i] or ("%d.%d.%d"):format(i % 5, i, i % 7)
      rows[#rows + 1] = ("%-25s %s\n"):format(i == 33 and "a-name-of-25-chars-in-all" or "package-" .. i, version)
    end
    local content = abridge.auto(table.concat(rows), { max_bytes = 1000 })
    local _, gaps = content:gsub("omitted", "")
    assert.equal(1, gaps, content)
  end)
end)

describe("a log of long JSON records", function()
  local STACK = "\\n    at handle (/srv/app/routes/orders.js:12:5)"
  local ENDINGS = { "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven" }

  --- Records of `count` kinds of trouble amid many that tell of none.
  local function records(count)
    local list = {}
    for i = 1, 400 do
      list[i] = ('{"level":"info","message":"request %d served","service":"shop"}'):format(i)
    end
    for i = 1, count do
      for k = 0, 2 do
        local form = '{"level":"error","message":"cannot load part %s","service":"shop","stack":"Error%s"}'
        list[i * 30 + k] = form:format(ENDINGS[i], STACK:rep(40))
      end
    end
    return table.concat(list, "\n") .. "\n"
  end

  it("shows each kind of trouble before more of one", function()
    local text = records(#ENDINGS)
    local content = abridge.auto(text, { max_bytes = 6000 })
    for _, ending in ipairs(ENDINGS) do
      assert.truthy(content:find("cannot load part " .. ending .. '"', 1, true), ending .. " in " .. content)
    end
    local _, some = abridge.auto(text, { max_bytes = 2048 }):gsub("cannot load part", "")
    assert.is_true(some >= 7, some)
  end)

  it("shows a record in trouble in detail where it is the only one", function()
    local content = abridge.auto(records(1), { max_bytes = 6000 })
    local _, frames = content:gsub("orders.js", "")
    assert.is_true(frames > 20, content)
  end)

  it("shows what went wrong beside the message, before ids", function()
    local list = {}
    for i = 1, 60 do
      local form = '{"error":"quota of key %d used up %s","jobId":"0b9f4c1e-7d52-4a0e-9c3b-%012d",'
      list[i] = form:format(i, ("and so on "):rep(90), i) .. '"level":"error","message":"no profile made"}'
    end
    local content = abridge.auto(table.concat(list, "\n") .. "\n", { max_bytes = 1200 })
    for line in content:gmatch "{[^\n]*" do
      assert.truthy(line:find('"error":"quota of key', 1, true), content)
      assert.truthy(line:find('"message":"no profile made"', 1, true), content)
    end
  end)
end)
