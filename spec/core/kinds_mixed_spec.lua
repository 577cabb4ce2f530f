-- SPEC 14, parts: what the judge says of cuts of outputs of several commands, of up to 256 KiB.
local cases = require "support.kind_cases"
local documents = require "support.documents"
local abridge = require "abridge"
local judge = require "support.kind_judge"
local random = require "support.random"

describe("a cut of an output of several kinds", function()
  it("is right for random parts and budgets", function()
    cases.each(200, documents.mixed)
  end)

  it("is right in every small budget", function()
    cases.sweep(10, documents.mixed, 700)
  end)

  it("is right under chars, lines, tokens, a reserve, and without markers", function()
    random.each(150, function()
      cases.judge(judge.source(documents.mixed()), cases.any_opts())
    end)
  end)

  it("shows the failure of each log at 4 KiB #once", function()
    local share, lost = cases.needles(100, documents.mixed, 4096)
    assert.is_true(share == 1, ("%.2f, without %s"):format(share, tostring(lost)))
  end)

  it("tells of rows omitted below every header that shows, whatever the room", function()
    local form = " %-19s | %-12s | %-9s | %-8s | %-12s "
    local ruling = ("-"):rep(21) .. "+--------------+-----------+----------+--------------\n"
    local function table_of(name, rows)
      local out = { (" "):rep(24) .. 'Table "' .. name .. '"\n' }
      out[2] = form:format("Column", "Type", "Collation", "Nullable", "Description") .. "\n" .. ruling
      for i = 1, rows do
        out[#out + 1] = form:format(name .. "_" .. i, "integer", "", "not null", "") .. "\n"
      end
      return table.concat(out)
    end
    local notes = {}
    for i = 1, 6 do
      notes[i] = ('    "%s_key_%d" PRIMARY KEY, btree (column_%d)\n'):format("orders", i, i)
    end
    local footer = "Indexes:\n" .. table.concat(notes) .. "\n"
    local text = table_of("orders", 33) .. footer .. table_of("carts", 40) .. footer
    local cuts = 0
    for bytes = 400, 1600 do
      local content, cut = abridge.auto(text, { max_bytes = bytes })
      assert.equal("mixed", cut.kind)
      for name, below in content:gmatch "([^\n]*Column [^\n]*)\n([^\n]*\n?[^\n]*)" do
        below = below:gsub("^%-%-%-[^\n]*\n", "")
        assert.is_truthy(below:find "^[^\n]*omitted" or below:find "^[^\n]*integer", name .. "\n" .. content)
        cuts = cuts + 1
      end
    end
    assert.is_true(cuts > 1000)
  end)

  it("gives a log with one hit less room than a log with many", function()
    local errors = {}
    for i = 1, 12 do
      errors[i] = ("src/part_%d.c:%d:5: error: too few arguments to function 'sum_of_lines_%d'\n"):format(i, i, i)
    end
    local rows = {}
    for i = 1, 200 do
      rows[i] = ('    { "id": %d, "name": "cart %d" }'):format(i, i)
    end
    local steps = ("gcc -O2 -c src/unit.c -o build/unit.o\n"):rep(200)
    local last = "Command exited with code 1\n"
    local json = '{\n  "carts": [\n' .. table.concat(rows, ",\n") .. "\n  ]\n}\n"
    local text = steps .. table.concat(errors) .. steps .. json .. steps .. last
    local content, cut = abridge.auto(text, { max_bytes = 2600 })
    assert.equal("mixed", cut.kind)
    for i = 1, 12 do
      assert.is_truthy(content:find("sum_of_lines_" .. i .. "'", 1, true), content)
    end
    assert.is_truthy(content:find(last, 1, true), content)
  end)

  it("leaves the room of lines that are all alike before a text to what comes after them", function()
    local rows, plan = {}, {}
    for i = 1, 25 do
      rows[i] = ("aws_instance.web[%d]: Refreshing state... [id=i-%010x]\n"):format(i, i * 2654435761)
    end
    for i = 1, 20 do
      plan[i] = ('  # aws_instance.web[%d] will be updated in-place\n  ~ resource "aws_instance" "web" {\n'):format(i)
        .. ('        id = "i-%010x"\n      ~ size = "small" -> "medium"\n        tags = {\n'):format(i * 2654435761)
        .. ('            "Name" = "web-%d"\n        }\n        # (28 unchanged attributes hidden)\n    }\n\n'):format(i)
    end
    local last = "Error: error configuring S3 Backend: no valid credentials.\n"
    local text = table.concat(rows) .. "\nTerraform will perform these actions:\n\n" .. table.concat(plan)
    local content = abridge.auto(text .. "Plan: 0 to add.\n\n" .. last, { max_bytes = 2048 })
    assert.is_true(select(2, content:gsub("Refreshing", "")) <= 12, content)
    assert.is_true(select(2, content:gsub("updated in%-place", "")) >= 4, content)
    assert.is_truthy(content:find(last, 1, true), content)
  end)

  it("comes from a stream as from one call", function()
    random.each(60, function()
      cases.stream((documents.mixed()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
    end)
  end)
end)

describe("a cut of parts past 256 KiB #once", function()
  local FAILURE = [[
=== FAILURES ===
    def test_total():
>       assert total([1, 2, 3]) == 7
E       assert 6 == 7
E        +  where 6 = total([1, 2, 3])

test_cart.py:5: AssertionError
1 failed in 0.03s
]]
  local NEEDLE = "E       assert 6 == 7\n"

  --- Rows until there are so many bytes.
  local function rows(size, form)
    local list, n, i = {}, 0, 0
    while n < size do
      i = i + 1
      list[i] = form:format(i, i % 40)
      n = n + #list[i]
    end
    return table.concat(list)
  end

  local function log(size)
    local half = rows(size / 2, "[%d/900000] compiling module_%d.c\n")
    return half .. FAILURE .. half .. "Build stopped.\n"
  end

  local PARTS = {
    json = function(size)
      return "[\n" .. rows(size, '  {"id": %d, "status": "ok", "n": %d},\n') .. "  null\n]\n"
    end,
    text = function(size)
      return rows(size, "static int value_%d(void)\n{\n    return error(%d);\n}\n\n")
    end,
  }

  --- Parts that a log with a failure follows: at least one, of so many bytes together.
  local function composed(size)
    local texts, n = {}, 0
    for i = 1, random.between(1, 3) do
      local part = i == 1 and random.choose { "json", "text" } or "text"
      texts[i] = PARTS[part](n < 300000 and random.between(300000, 300000 + size) or random.between(1, size))
      n = n + #texts[i]
    end
    texts[#texts + 1] = log(random.choose { 300, 5000, 70000, random.between(1, size) })
    return table.concat(texts)
  end

  --- Whole and in chunks, of 1 to 64 MB if all cases are tried.
  local function judge_composed(size)
    local text, opts = composed(size), { max_bytes = random.choose { 2048, 8192, 60000 }, full_output = false }
    local stream = abridge.stream(opts)
    for chunk in random.chunks(text, random.choose { 3000, 100000, 5e6 }) do
      assert(stream:write(chunk))
    end
    opts.full_output = nil
    local content, cut = abridge.auto(text, opts)
    local content_in_chunks, cut_in_chunks = stream:finish()
    stream:close()
    assert.equal("log", cut.kind)
    assert.is_truthy(content:find(NEEDLE, 1, true))
    assert.is_true(cut.failures.kept >= 1)
    assert.is_true(content == content_in_chunks)
    assert.same(cut.kept, cut_in_chunks.kept)
    assert.same(cut.parts, cut_in_chunks.parts)
  end

  it("shows the failure of a log behind them, however it came", function()
    random.each(60, function()
      judge_composed(1e6)
    end)
  end)

  it("does so in 1 to 64 MB", function()
    random.each(4, function(case)
      judge_composed(({ 1e6, 4e6, 10e6, 20e6 })[case])
    end)
  end)
end)

describe("a table of columns amid other output", function()
  local PODS = "NAMESPACE     NAME            READY   STATUS             RESTARTS   AGE\n"
  local SERVICES = "NAME          TYPE        CLUSTER-IP      PORT(S)   AGE\n"
  local PACKAGES = table.concat({
    "Desired=Unknown/Install/Remove/Purge/Hold",
    "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend",
    "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)",
    "||/ Name             Version          Architecture Description",
    "+++-================-================-============-=================================",
  }, "\n") .. "\n"

  local function rows(n, form, odd, at)
    local lines = {}
    for i = 1, n do
      lines[i] = i == at and odd or form:format(i, i % 10)
    end
    return table.concat(lines, "\n") .. "\n"
  end

  local crashed = "default       web-0091        0/1     CrashLoopBackOff   47         1d"
  local pods = PODS .. rows(140, "default       web-%04d        1/1     Running            0          %dd", crashed, 91)
  local services = SERVICES .. rows(80, "web-%04d      ClusterIP   10.96.0.10%d     80/TCP    3d")
  local packages = PACKAGES
    .. rows(300, "ii  libthing%03d      1.2.%d-1+deb12u1   amd64        shared library of a thing")
  local listing = "total 316\n" .. rows(90, "drwxr-xr-x 2 root root 4096 Jun 24  2025 folder-%03d.d%d")
  local settings = rows(200, "  key_%d:\n    value: %d")

  local function kinds_of(cut)
    local kinds = {}
    for i, part in ipairs(cut.parts or {}) do
      kinds[i] = part.kind
    end
    return kinds
  end

  it("has its header, and its row in trouble, before and behind text", function()
    for _, text in ipairs { pods .. settings, settings .. pods, pods .. listing, listing .. pods .. settings } do
      for _, budget in ipairs { 2048, 8192 } do
        local content, cut = abridge.auto(text, { max_bytes = budget })
        assert.is_truthy(content:find(PODS, 1, true))
        assert.is_truthy(content:find(crashed, 1, true))
        assert.equal("mixed", cut.kind)
      end
    end
  end)

  it("keeps to max_lines where markers come on top", function()
    local text = "id,name,state\n" .. rows(30, '%d,"a, b",paid') .. pods
    for budget = 8, 60 do
      local opts = { max_lines = budget, max_bytes = 3000, marker = "outside", marker_text = "<{lines}>" }
      local _, cut = abridge.auto(text, opts)
      assert.equal("mixed", cut.kind)
      assert.is_true(cut.output_lines <= budget, ("%d lines, not %d"):format(cut.output_lines, budget))
    end
  end)

  it("ends where other rows begin", function()
    local content, cut = abridge.auto(packages .. listing, { max_bytes = 4096 })
    assert.is_truthy(content:find(PACKAGES, 1, true))
    assert.is_truthy(content:find("total 316\ndrwxr-xr-x 2 root root 4096 Jun 24  2025 folder-001.d1\n", 1, true))
    assert.same({ "text", "table", "text" }, kinds_of(cut))
    assert.equal(306, cut.parts[3].first_line)
  end)

  it("ends where another header stands, with a blank line before it or without", function()
    for _, between in ipairs { "", "\n" } do
      local content, cut = abridge.auto(pods .. between .. services, { max_bytes = 3000 })
      assert.is_truthy(content:find(PODS, 1, true))
      assert.is_truthy(content:find(SERVICES, 1, true))
      assert.same({ "table", "table" }, kinds_of(cut))
    end
    local first = "id   status  total\n---  ------  -----\n" .. rows(90, "%3d  paid    1%d.0 ")
    local second = "id   sku     qty\n---  ------  ---\n" .. rows(90, "%3d  ABC-0%d  4  ")
    local _, cut = abridge.auto(first .. second, { max_bytes = 1000 })
    assert.same({ "table", "table" }, kinds_of(cut))
  end)

  it("ends where another one is drawn, right below its last ruling or below a title", function()
    local users = "+-----+--------+\n| id  | name   |\n+-----+--------+\n"
      .. rows(60, "| %3d | user-%d |")
      .. "+-----+--------+\n"
    local orders = "+-------+-----+------+\n| order | qty | paid |\n+-------+-----+------+\n"
      .. rows(60, "| %5d | %3d | yes  |")
      .. "+-------+-----+------+\n"
    local boxed = "┏━━━━━━━┳━━━━━┓\n┃ order ┃ qty ┃\n┡━━━━━━━╇━━━━━┩\n"
      .. rows(60, "│ %5d │ %3d │")
      .. "└───────┴─────┘\n"
    local content, cut = abridge.auto(users .. orders .. "Boxed orders\n" .. boxed, { max_bytes = 1500 })
    assert.same({ "table", "table", "text", "table" }, kinds_of(cut))
    for _, table_of in ipairs { users, orders, boxed } do
      assert.is_truthy(content:find(table_of:match "^.-\n.-\n.-\n", 1, true), content)
    end
  end)

  it("may be of CSV or TSV, below a title and before other output", function()
    for _, sign in ipairs { ",", "\t", ";" } do
      local header = table.concat({ "order_id", "state", "total (EUR)" }, sign) .. "\n"
      local returned = table.concat({ "7031", "returned", "-45.10" }, sign)
      local orders = header .. rows(150, "70%02d" .. sign .. "shipped" .. sign .. "%d1.20", returned, 71)
      for _, text in ipairs { "== orders\n" .. orders, orders .. listing, settings .. orders .. listing } do
        local content, cut = abridge.auto(text, { max_bytes = 2048 })
        assert.equal("mixed", cut.kind)
        assert.is_truthy(content:find(header, 1, true), content)
        assert.is_truthy(content:find(returned .. "\n", 1, true), content)
      end
      local _, cut = abridge.auto(orders .. " 151 orders\n", { max_bytes = 2048 })
      assert.equal("table", cut.kind)
    end
  end)

  it("is one of its own: dpkg -l alone, with its titles", function()
    local _, cut = abridge.auto(packages, { max_bytes = 2048 })
    assert.same({ "table", 300 }, { cut.kind, cut.items[1].total })
    local content = abridge.auto(packages, { max_bytes = 400 })
    assert.truthy(content:find("||/ Name", 1, true) and content:find("\nii  ", 1, true), content)
  end)

  it("is none where rows could be a header: lines in columns without one", function()
    local lines = rows(300, "libthing%03d  bookworm  amd64  shared  library-%d")
    local _, cut = abridge.auto("Listing\n\n" .. lines .. settings, { max_bytes = 2048 })
    for _, kind in ipairs(kinds_of(cut)) do
      assert.not_equal("table", kind)
    end
  end)
end)

describe("texts of files under titles", function()
  local function text_with(titles, of)
    local parts = {}
    for i, title in ipairs(titles) do
      local lines = { title }
      for k = 1, 60 do
        lines[k + 1] = of:format(i, k)
      end
      parts[i] = table.concat(lines, "\n") .. "\n"
    end
    return table.concat(parts, "\n")
  end

  local prose = "def sum_of_cart_%d_%d(prices):\n    return prices[0] * 2\n"

  it("are parts, so that each is seen with its title", function()
    for _, form in ipairs { "==> %s <==", "=== %s ===", "== %s", "--- %s ---", "--- %s", "### %s ###" } do
      local titles = {}
      for i, name in ipairs { "src/cart.py", "order.py", "../doc/mail.md", "user_v2.py" } do
        titles[i] = form:format(name)
      end
      local content, cut = abridge.auto(text_with(titles, prose), { max_bytes = 1500 })
      assert.same({ "mixed", 4 }, { cut.kind, #(cut.parts or {}) }, form)
      for _, title in ipairs(titles) do
        assert.is_truthy(content:find(title .. "\n", 1, true), content)
      end
    end
    local _, cut = abridge.auto(text_with({ "==> Makefile <==", "==> LICENSE <==" }, prose), { max_bytes = 1500 })
    assert.equal(2, #cut.parts)
  end)

  it("are none under headings of documents, nor more of them than there may be parts", function()
    for _, titles in ipairs {
      { "## src/cart.py", "## order.py", "## mail.md" },
      { "*** src/cart.py", "*** order.py", "*** mail.md" }, -- of Org
      { "== Carts", "== Orders", "== Mail" },
      { "--- the cart.", "--- the order.", "--- the mail." },
      { "==> a.py <==", "## b.py", "no title" },
    } do
      assert.equal("text", (abridge.kind(text_with(titles, prose))))
    end
    local many = {}
    for i = 1, 40 do
      many[i] = ("=== src/part_%d.py ==="):format(i)
    end
    assert.equal("text", (abridge.kind(text_with(many, prose))))
  end)

  it("are not told apart where a failure stands in them", function()
    local text = text_with({ "== a.log", "== b.log" }, "src/cart_%d.c:%d:5: error: too few arguments to function 'sum'")
    assert.equal("log", (abridge.kind(text)))
  end)
end)

describe("a document that starts or ends inside a line", function()
  local orders = {}
  for i = 1, 90 do
    local note = ("some words of the order "):rep(4)
    orders[i] = ('{"id": %d, "state": "%s", "note": "%s"}'):format(i, i == 41 and "failed" or "paid", note)
  end
  local document = '{"orders": [' .. table.concat(orders, ", ") .. "]}"
  local FAILED = '{"id":41,"state":"failed"'

  it("is cut as one where a prompt or a log follows at once", function()
    local log = "deploy@web:~$ make\ncc -c cart.c\ncart.c:7:1: error: expected ';'\nmake: *** [all] Error 1\n"
    for _, after in ipairs { "deploy@web:~$ ", "200", log } do
      local content, cut = abridge.auto(document .. after, { max_bytes = 1200 })
      assert.equal("mixed", cut.kind)
      assert.is_truthy(content:find(FAILED, 1, true), content)
      assert.is_truthy(content:find("}\n?" .. after:gsub("%p", "%%%0") .. "$"), content)
      local kind, parts = abridge.kind(document .. after)
      assert.same({ "mixed", "json", 1, 1 }, { kind, parts[1].kind, parts[1].last_line, parts[2].first_line })
    end
  end)

  it("is cut as one behind the words of a logger, if it is most of the output", function()
    local before = "GET /orders\nINFO:root:response = "
    local content, cut = abridge.auto(before .. document .. "\ndone\n", { max_bytes = 1200 })
    assert.equal("mixed", cut.kind)
    assert.equal(before, content:sub(1, #before))
    assert.is_truthy(content:find(FAILED, 1, true), content)
    local log = ("INFO:root:order taken\n"):rep(600)
    assert.equal("log", (abridge.kind(log .. before .. document .. "\n" .. log)))
  end)

  it("is none where source goes on", function()
    for _, after in ipairs { ";\n", ", true)\n", ".map(f)\n", ".map(f)" } do
      assert.not_equal("mixed", (abridge.kind("const orders = " .. document .. after)))
    end
  end)
end)

describe("a page of HTML", function()
  local function lines(n, form)
    local list = {}
    for i = 1, n do
      list[i] = form:format(i, i)
    end
    return table.concat(list, "\n") .. "\n"
  end

  local styles = "  <style>\n" .. lines(90, "    .box-%d { padding: %dpx; color: #444; }") .. "  </style>\n"
  local script = "  <script>\n" .. lines(90, "    function toggle%d(id) { show(id, %d); }") .. "  </script>\n"
  local drawing = '<svg viewBox="0 0 9 9">' .. lines(60, '<path d="M%d 7c1.5 2.25 3 %d"/>') .. "</svg>"
  local head = "<!DOCTYPE html>\n<html>\n<head>\n  <title>NoSuchOrder at /orders/7/</title>\n"
  local message = '<h1>NoSuchOrder</h1>\n<pre class="message">No order has the number 7.</pre>\n'
  local frames = lines(90, "<li>/srv/shop/module_%d.py, line %d</li>")
  local page = head .. styles .. script .. "</head>\n<body>" .. drawing .. message .. frames .. "</body>\n</html>\n"

  it("shows its title and message before its styles, scripts and drawings", function()
    for _, text in ipairs { page, "HTTP/1.1 500 Oops\nserver: x\n\n" .. page, (page:gsub("\n", " ")) } do
      local content, cut = abridge.auto(text, { max_bytes = 2048 })
      assert.equal("mixed", cut.kind)
      for _, seen in ipairs { "NoSuchOrder at /orders", "<h1>NoSuchOrder", "No order has the number 7.", "</html>" } do
        assert.is_truthy(content:find(seen, 1, true), content)
      end
      assert.is_falsy(content:find("toggle45", 1, true), content)
    end
  end)

  it("shows scripts and styles too where the rest is short", function()
    local content = abridge.auto(head .. styles .. script .. "</head>\n<body>\n" .. message .. "</body>\n</html>\n", {
      max_bytes = 4096,
    })
    assert.is_truthy(content:find("box-10 ", 1, true) and content:find("toggle10(", 1, true), content)
  end)

  it("shows its main text, though menus and small scripts come before it", function()
    local menus = lines(40, '<li><a href="/page_%d">Page %d</a></li>\n<script>show();</script>')
    for _, tag in ipairs { "<main>", '    <main class="page">', '<div class="body" role="main">' } do
      local body = menus .. tag .. "\n" .. message .. frames .. menus
      local text = head .. "</head>\n<body>\n" .. body .. "</body>\n</html>\n"
      local content, cut = abridge.auto(text, { max_bytes = 1500 })
      assert.equal("mixed", cut.kind)
      for _, seen in ipairs { "NoSuchOrder at /orders", "<h1>NoSuchOrder", "No order has the number 7.", "</html>" } do
        assert.is_truthy(content:find(seen, 1, true), content)
      end
    end
  end)

  it("is cut as text if it has none of these, or they are not closed", function()
    assert.equal("text", (abridge.kind(head .. "</head>\n" .. frames)))
    assert.equal("text", (abridge.kind(head .. styles:gsub("</style>", "") .. frames)))
    assert.equal("text", (abridge.kind("<template>\n" .. script .. "</template>\n" .. frames)))
  end)
end)
