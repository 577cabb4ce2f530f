-- The page of a run: strictly well-formed, without anything that runs or asks, and true of the run.
local abridge = require "abridge"
local escape = require "abridge.report.escape"
local host = require "abridge.base.host"
local hostile_run = require "support.hostile_run"
local html = require "support.html"
local map = require "abridge.report.map"
local paths = require "support.paths"
local random = require "support.random"
local report = require "abridge.report"
local stats = require "abridge.run.stats"
local script = require "abridge.report.script"
local style = require "abridge.report.style"
local tmpdir = require "support.tmpdir"

local PROGRAM = require("support.command").program()
local json = host.json()

describe("the page of a run #few", function()
  if not (host.uv() and json) then return pending "luv or a JSON library is missing" end

  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  local function page_of(run_dir)
    return html.page_of(run_dir or dir:at "run")
  end

  ---The page as elements, after the checks that hold of every page.
  local function elements_of(run_dir)
    local page = page_of(run_dir)
    local elements = html.read(page)
    html.check_links(elements)
    return elements, page
  end

  local function texts(elements, class)
    local found = {}
    for i, element in ipairs(html.of(elements, class)) do
      found[i] = element.text
    end
    return found
  end

  local function has(elements, class, wanted)
    local found = texts(elements, class)
    for _, text in ipairs(found) do
      if text:find(wanted, 1, true) then return true end
    end
    error(("%q is in no %s: %s"):format(wanted, class, table.concat(found, "\n"):sub(1, 2000)), 2)
  end

  local function session_of(limits)
    return assert(abridge.session { run_dir = dir:at "run", cwd = dir.path, limits = limits })
  end

  local function write_log(events)
    dir:sh "mkdir -m 700 -p run"
    local lines = {}
    for i, event in ipairs(events) do
      lines[i] = type(event) == "string" and event or json.encode(event)
    end
    dir:write("run/events.jsonl", table.concat(lines, "\n") .. "\n")
  end

  describe("forbids everything but its own style", function()
    local BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    local function base64_of(hex)
      local bytes = hex:gsub("%x%x", function(pair)
        return string.char(tonumber(pair, 16))
      end)
      return (bytes .. "\0")
        :gsub("...", function(three)
          local a, b, c = three:byte(1, 3)
          local bits, chars = (a * 256 + b) * 256 + c, ""
          for _ = 1, 4 do
            chars, bits = BASE64:sub(bits % 64 + 1, bits % 64 + 1) .. chars, math.floor(bits / 64)
          end
          return chars
        end)
        :sub(1, 43) .. "="
    end

    local function policy_of(elements)
      for _, element in ipairs(html.of(elements, "<meta")) do
        if element.attributes["http-equiv"] == "Content-Security-Policy" then return element.attributes.content end
      end
    end

    local function hash_of(text)
      dir:write("text", text)
      local sum = dir:sh "sha256sum text || shasum -a 256 text"
      return base64_of(sum:match "^%x+")
    end

    it("in its Content-Security-Policy, which knows that by its hash", function()
      write_log {}
      local elements = elements_of()
      local hash = policy_of(elements):match "^default%-src 'none'; style%-src 'sha256%-([%w+/]+=)'; (.*)$"
      assert.matches("; base%-uri 'none'; form%-action 'none'$", policy_of(elements))
      assert.equal(style.sha256, hash)
      assert.equal(style.css, html.of(elements, "<style")[1].text)
      assert.equal(hash_of(style.css), hash)
      assert.falsy(style.css:find("url(", 1, true) or style.css:find("@import", 1, true))
    end)

    it("and its own script, of more than 1,000 calls, of which the later ones come as text", function()
      local calls = {}
      for i = 1, 1101 do
        calls[i] = { type = "tool_call", tool = "tool", call_id = "call " .. i, input = "</noscript><b>" .. i }
        if i == 1000 then
          write_log(calls)
          assert.same({}, html.of(elements_of(), "<script"))
        end
      end
      write_log(calls)
      local elements = elements_of()
      local scripts, later = html.of(elements, "<script"), html.of(elements, "<noscript")
      assert.equal(1, #scripts)
      assert.equal(script.code, scripts[1].text)
      assert.equal(hash_of(script.code), script.sha256)
      local policy = (
        "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; "
        .. "form-action 'none'"
      ):format(script.sha256, style.sha256)
      assert.equal(policy, policy_of(elements))
      assert.equal(23, #html.of(elements, "<section"))
      assert.equal(1101, #html.of(elements, "<details"))
      assert.equal(3, #later)
      assert.equal(3, #html.of(elements, "later"))
      local first, last = later[1].text:match "</noscript><b>(%d+)", later[3].text:match ".*</noscript><b>(%d+)"
      assert.same({ "1001", "1101" }, { first, last })
    end)

    it("which is the first thing after the charset", function()
      write_log {}
      local start = '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Sec'
      assert.equal(start, page_of():sub(1, #start))
    end)
  end)

  it("has under 20 KB of its own, and under 1.2 KB a call", function()
    write_log {}
    local empty = #page_of()
    assert.is_true(empty < 12 * 1024, empty .. " bytes")
    dir:sh "rm -r run"
    local session = session_of()
    for i = 1, 100 do
      session:cap("tool", "text " .. i)
    end
    session:close()
    local own = (#page_of() - empty) / 100
    assert.is_true(own < 1200, own .. " bytes a call")
    assert.is_true(empty + 5 * own < 20 * 1024)
  end)

  it("lists the parts of the output of several commands", function()
    local records, work = {}, {}
    for i = 1, 60 do
      records[i] = ('  {"id": %d, "status": "ok"}'):format(i)
      work[i] = ("[%d/60] compiling module_%d.c"):format(i, i)
    end
    local text = "[\n"
      .. table.concat(records, ",\n")
      .. "\n]\n"
      .. table.concat(work, "\n")
      .. "\nx.c:1:2: error: no\n"
    local session = session_of { run_command = { max_bytes = 1500 } }
    session:cap("run_command", text)
    session:close()
    local _, page = elements_of()
    assert.truthy(
      page:find("of 123 lines, 3.5KB: json 1-62, log 63-123<", 1, true),
      page:match "Kept and left out.-</h3>"
    )
  end)

  it("stays a page whatever the names, inputs, outputs and the log itself are", function()
    hostile_run.make(dir:at "run")
    local elements, page = elements_of()
    assert.falsy(page:find "[%z\1-\8\11-\31\127]")
    assert.is_nil(select(2, abridge.head(page, { max_bytes = #page })).invalid)
    assert.falsy(page:find "\226\128[\168-\174]" or page:find "\226\129[\166-\169]")
    assert.equal(5 * #hostile_run.payloads + 1, #html.of(elements, "<details"))
    for _, payload in ipairs(hostile_run.payloads) do
      if not payload:find "[%z\1-\31\127-\255]" then -- shown as it is
        has(elements, "t", payload:sub(1, 100))
        has(elements, "<pre", payload)
      end
    end
    assert.matches("^%d%d%d%d%-%d%d%-%d%d %d%d:%d%d UTC · ", html.of(elements, "dim")[1].text) -- odd times are left out
    has(elements, "<pre", "U+202Etxt.exeU+202C U+2066isolatedU+2069 U+200F")
    has(elements, "<pre", "^@NUL ^[[31mred^[[0m ^H^? U+0085 ^M")
    has(elements, "<pre", "\239\191\189\239\191\189 <\239\191\189\239\191\189script>")
  end)

  it("shows any bytes as text that reads like them", function()
    local shown = { ["\t"] = "\t", ["\n"] = "\n" }
    random.each(200, function()
      local text = random.chance(2) and random.bytes(random.below(200)) or random.text(100)
      local escaped, plain = escape.text(text), escape.plain(text)
      random.must(not plain:find "[<>\"']", "%s", plain)
      random.must(not escaped:gsub("</?i>", ""):find "[<>\"']", "%s", escaped)
      random.must(not escaped:find "[%z\1-\8\11-\31\127]", "%s", escaped)
      random.must(html.unescaped((escaped:gsub("</?i>", ""))) == html.unescaped(plain), "%s, %s", escaped, plain)
      local ascii = text:gsub("[\128-\255]", ""):gsub("[%z\1-\31\127]", shown)
      random.must(html.unescaped(escape.plain(ascii)) == ascii:gsub("[%z\1-\8\11-\31\127]", function(byte)
        return "^" .. string.char((byte:byte() + 64) % 128)
      end), "%s", ascii)
    end)
  end)

  describe("tells of a run", function()
    local elements, sums, next_page

    before_each(function()
      dir:write("long", ("a line of words\n"):rep(5000))
      local session = session_of { run_command = { max_lines = 20, strategy = "head_tail" } }
      session:call("run_command", { command = "seq 1000; echo 'a <b>bad</b> thing' >&2; exit 3" })
      next_page = session:call("read_file", { path = "long" }).truncation.next_offset
      session:call("read_file", { path = "long", offset = next_page })
      session:call("nothing", {})
      session:cap("foreign", "all of it")
      session:close()
      sums = session:stats()
      elements = elements_of()
    end)

    it("which calls failed, and how, with links to them", function()
      local fails = html.of(elements, "fails")[1].text
      assert.equal("1 run_command Command exited with code 34 nothing Unknown tool: nothing", fails)
      assert.same({ "failed", "failed" }, texts(elements, "o"))
    end)

    it("what it cost and saved", function()
      local big = texts(elements, "big")
      assert.equal("5", big[1])
      for i, number in ipairs { sums.all.tokens_printed, sums.all.tokens_shown } do
        assert.equal(number, tonumber((big[i + 1]:gsub(",", ""))))
      end
      assert.equal(sums.all.net, tonumber((big[4]:gsub(",", ""))))
      has(elements, "<dd", " by plain cuts to the same budgets")
      local rows = texts(elements, "<tr")
      assert.equal(6, #rows)
      assert.matches("^read_file2 ?", rows[2])
      assert.matches("^all52", rows[6])
    end)

    it("what each call asked, how it ended, what the model saw, and the notice", function()
      has(elements, "<pre", "command: seq 1000; echo 'a <b>bad</b> thing' >&2; exit 3")
      has(elements, "<pre", ("offset: %d\npath: long"):format(next_page))
      has(elements, "exit", "Command exited with code 3")
      has(elements, "say", "[Showing 20 of 1001 lines (20 line limit)")
      has(elements, "mark", "... [981 lines, ")
      has(elements, "<pre", "a <b>bad</b> thing\n\nCommand exited with code 3\n\n[Showing 20 of")
      has(elements, "<pre", "all of it")
    end)

    it("what was left out, each part behind a link on the map", function()
      local links = {}
      for _, element in ipairs(elements) do
        local href = element.attributes.href
        if href and href:find "^#c1s" then links[#links + 1] = href end
      end
      assert.same({ "#c1s2", "#c1s1", "#c1s3", "#c1s2" }, links) -- of the map, then of the marker
      local out = {}
      for i = 1, 1000 do
        out[i] = i .. "\n"
      end
      local omitted = html.of(elements, "<del")[1]
      assert.equal("c1s2", omitted.attributes.id)
      local first, last = omitted.text:match "^lines (%d+)–(%d+), [%d.]+KB left out\n?"
      assert.equal(981, last - first + 1)
      local full = html.of(elements, "full")[1].text:gsub("lines %d+–%d+, [%d.]+KB left out", "\n")
      assert.is_true(table.concat(out) .. "a <b>bad</b> thing\n" == full:gsub("^\n", ""))
      has(elements, "<title", "left out")
    end)

    it("that a page printed what it shows", function()
      has(elements, "<p", "printed 29.9KB, ")
      assert.is_true(sums.tools.read_file.bytes_printed < 2 * 30 * 1024)
    end)
  end)

  it("groups failures that are alike, each call linked, with the line that says why", function()
    local session, made = session_of {}, {}
    local function fail(tool, text)
      made[#made + 1] = tool
      session:cap(tool, { content = { { type = "text", text = text } }, isError = true })
    end
    for i = 1, 120 do
      fail("build", ("cc -c a.c\nsrc/a.c:%d:4: error: 'x%d' undeclared\nmake: *** [a.o] Error 1\n"):format(i, i))
    end
    for i = 1, 20 do
      fail("test", ("running\nFAILED: case %d\ndone\n"):format(i))
    end
    fail("build", "some words\n")
    fail("fetch", "")
    session:close()
    local elements = elements_of()
    local groups = html.of(html.of(elements, "fails"), "fails") and texts(elements, "<li")
    assert.equal(4, #groups)
    assert.matches("^1 build src/a%.c:1: 'x1' undeclared119 like this: 2 3 4 .* 120$", groups[1])
    assert.matches("^121 test FAILED: case 119 like this: 122 .* 140$", groups[2])
    assert.same({ "141 build some words", "142 fetch failed" }, { groups[3], groups[4] })
    local linked = {}
    for _, element in ipairs(elements) do
      local index = (element.attributes.href or ""):match "^#c(%d+)$"
      if index then linked[tonumber(index)] = true end
    end
    assert.equal(#made, #linked)
    has(elements, "exit", "src/a.c:7: 'x7' undeclared")
  end)

  it("names every call that failed, however many, or where they are", function()
    local session = session_of {}
    for i = 1, 2300 do
      local word = i < 2200 and "word" or ("abcdefghijklmnopqrstuvwxyz"):sub(i % 26 + 1, i % 26 + 1):rep(1 + i % 3)
      session:cap("tool", { content = { { type = "text", text = "no " .. word .. "\n" } }, isError = true })
    end
    session:close()
    local elements, page = elements_of()
    local first = page:sub(1, page:find("<main>", 1, true))
    local links = select(2, first:gsub('href="#c%d+"', ""))
    assert.is_true(links >= 2000 and links < 2200, links)
    has(elements, "<label", "all that failed")
    has(elements, "<label", "more that failed")
  end)

  it("tells which tools want more room: what was read again, and failures that were left out", function()
    local session = session_of { run_command = { max_bytes = 1500 } }
    local command = "for i in $(seq 400); do echo \"a.c:$i:1: error: 'x' undeclared\"; echo; done; exit 1"
    local path = session:call("run_command", { command = command }).details.full_output_path
    session:call("read_file", { path = path, limit = 50 })
    session:call("run_command", { command = "echo fine" })
    session:close()
    local said, found =
      "^run_command [%d,]+ tokens of what was left out were read again, [%d,]+ failures of 1 call left out$", 0
    for _, text in ipairs(texts(elements_of(), "<p")) do
      if text:find(said) then found = found + 1 end
    end
    assert.equal(1, found)
  end)

  it("shows that a search which stopped has more", function()
    dir:write("found", ("a match\n"):rep(400))
    local session = session_of {}
    session:call("search_files", { pattern = "match", path = dir:at "found" })
    session:call("search_files", { pattern = "match", path = dir:at "found", limit = 400 })
    session:close()
    local page = page_of()
    assert.truthy(
      page:find('<svg class="m" viewBox="0 0 1000 1" preserveAspectRatio="none"><path d="M0 0h800v1h', 1, true)
    )
    assert.equal(1, select(2, page:gsub('class="m w"', "")))
  end)

  it("links a full output of over 1 MB, and shows both ends of each part", function()
    local session = session_of { tool = { max_lines = 20, strategy = "head_tail" } }
    session:cap("tool", (("x"):rep(99) .. "\n"):rep(12000))
    session:close()
    local elements, page = elements_of()
    assert.is_true(#page < 40 * 1024, #page .. " bytes")
    local full = html.of(elements, "full")[1].text
    assert.truthy(full:find "lines %d+–11,9%d%d, 1%.1MB left out")
    assert.truthy(full:find "\n%.%.%. 1%.1MB not copied here %.%.%.\n")
    has(elements, "<h3", "both ends of each part")
    local link
    for _, element in ipairs(elements) do
      link = (element.attributes.href or ""):match "^file://(.*)$" or link
    end
    assert.equal(dir:at "run/artifacts/0001-tool.log", link)
  end)

  it("holds what a browser opens at once, however much there is", function()
    local session = session_of { tool = { max_lines = 900, max_bytes = "120KB", strategy = "head" } }
    local text = (("word "):rep(25) .. "\n"):rep(1500)
    local calls = 90
    for _ = 1, calls do
      session:cap("tool", text)
    end
    session:close()
    local elements, page = elements_of()
    assert.is_true(#page < 20 * 1024 * 1024, #page .. " bytes")
    local whole, sampled = 0, 0
    for _, element in ipairs(html.of(elements, "full")) do
      local is_whole = not element.text:find("not copied here", 1, true)
      whole, sampled = whole + (is_whole and 1 or 0), sampled + (is_whole and 0 or 1)
    end
    assert.is_true(whole >= 30 and sampled >= 30, whole .. " whole")
    has(elements, "dim", "Cut for this page; abridge log has it whole.")
  end)

  it("says why there is no full output", function()
    local session = session_of { tool = { max_lines = 1 } }
    session:cap("tool", "a\nb\n")
    session:close()
    dir:sh "rm run/artifacts/*"
    has(elements_of(), "dim", "The full output of call-1 is gone")
    dir:sh "ln -s /etc/passwd run/artifacts/0001-tool.log"
    has(elements_of(), "dim", "Not of this run: ")
    dir:sh "rm -r run"
    session = session_of { tool = { max_lines = 1 } }
    session:call("read_file", { path = "no" })
    session:close()
    local block = { truncated = true, reason = "size_cap", bytes_returned = 1, bytes_total = 2 }
    write_log {
      { type = "tool_result", tool = "x", call_id = "1", content = "a", truncation = block },
      { type = "tool_result", call_id = "2", content = "a", truncation = block, full_output = { error = "no <room>" } },
    }
    local elements = elements_of()
    has(elements, "dim", "The full output was not kept.")
    has(elements, "dim", "The full output was not kept: no <room>")
  end)

  it("has calls in the order they were made, those without a result too, and says what it could not read", function()
    local function call(id, tool)
      return { type = "tool_call", call_id = id, tool = tool, input = {}, time = 100 }
    end
    local function result(id, tool)
      return { type = "tool_result", call_id = id, tool = tool, content = tool, duration_ms = 5, time = 101 }
    end
    write_log {
      call("a", "first"),
      call("b", "second"),
      "not JSON",
      call("c", "killed"),
      result("lost", "lost start"),
      result("b", "second"),
      call("b", "same id"),
      result("a", "first"),
      result("b", "same id"),
    }
    local elements = elements_of()
    local names = texts(elements, "t")
    assert.same({ "tool", "first", "second", "killed", "lost start", "same id" }, names)
    assert.same({ "no result" }, texts(elements, "o"))
    has(elements, "<li", "3 killed no result")
    has(elements, "bad", "1 line of the log could not be read.")
    local ids = {}
    for _, element in ipairs(elements) do
      local id = (element.attributes.id or ""):match "^c%d+$"
      if id then ids[#ids + 1] = id end
    end
    assert.same({ "c1", "c2", "c3", "c4", "c5" }, ids)
  end)

  it("is the same for a log that is written to meanwhile as for what was there", function()
    local session = session_of()
    session:cap("tool", "one")
    local run, parts = assert(abridge.open_run(dir:at "run")), {}
    assert(report.write(run, function(text)
      if #parts == 3 then session:cap("too_late", "two") end
      parts[#parts + 1] = text
    end))
    session:close()
    local page = table.concat(parts)
    assert.falsy(page:find("too_late", 1, true))
    assert.equal(1, #html.of(html.read(page), "<details"))
  end)

  it("has a map that tiles any text, as the ledger says", function()
    random.each(200, function()
      local text = random.text(400)
      local _, cut = abridge.cut(
        text,
        { strategy = random.choose { "auto", "head", "tail", "head_tail", "priority" }, max_bytes = random.near(#text) }
      )
      local at, bytes, segments = 0, 0, map.segments(cut)
      for i, segment in ipairs(segments) do
        random.must(segment.from == at and segment.to > at, "segment %s of %s", i, cut)
        random.must(i == 1 or segment.kept ~= segments[i - 1].kept or segment.kept, "two gaps in %s", cut)
        at, bytes = segment.to, bytes + (segment.kept and segment.to - segment.from or 0)
      end
      random.must(at == cut.total_bytes, "%s of %s", at, cut)
      random.must(bytes == cut.total_bytes - cut.omitted_bytes, "%s kept of %s", bytes, cut)
    end)
    assert.is_nil(map.segments { total_bytes = 5, kept = { { first_byte = 2, last_byte = 6, first_line = 1 } } })
    assert.is_nil(map.segments { total_bytes = 5, kept = { { first_byte = 0, last_byte = 3, first_line = 1 } } })
  end)

  it("sums up what abridge log --stats does", function()
    local session = session_of { tool = { max_lines = 3 } }
    for _ = 1, random.some(40) do
      session:cap(random.choose { "tool", "other" }, random.text(300))
    end
    session:close()
    local elements, sums = elements_of(), session:stats()
    for _, name in ipairs(stats.order(sums)) do
      local row = sums.tools[name]
      has(elements, "<tr", name .. row.calls)
    end
    assert.equal(sums.all.calls, #html.of(elements, "<details"))
  end)

  describe("by abridge report", function()
    local function command(words)
      return dir:sh(PROGRAM .. " report " .. words)
    end

    before_each(function()
      local session = session_of()
      session:cap("tool", "text")
      session:close()
    end)

    it("goes to a private file, or to stdout", function()
      local out, err, code = command "run -o page.html"
      assert.same({ "", "", 0 }, { out, err, code })
      assert.equal("600", (dir:sh("stat -c %a page.html || stat -f %Lp page.html"):gsub("\n", "")))
      out, err, code = command "run"
      assert.same({ "", 0 }, { err, code })
      assert.equal(dir:read "page.html", out)
      assert.equal(1, #html.of(html.read(out), "<details"))
      assert.equal(out, (command "run -o -"))
      assert.equal(0, select(3, command "run --output=page.html"))
      assert.equal(out, dir:read "page.html")
    end)

    it("links full outputs by paths from the page where they lie below its folder", function()
      local session = session_of { big = { max_lines = 1 } }
      session:cap("big", ("words\n"):rep(10))
      session:close()
      dir:sh "mkdir other; ln -s run alias"
      local absolute = "file://" .. dir:at "run/artifacts/"
      for words, wanted in pairs {
        ["run -o page.html"] = { "page.html", "./run/artifacts/" },
        ["alias -o page.html"] = { "page.html", "./run/artifacts/" },
        ["run -o run/page.html"] = { "run/page.html", "./artifacts/" },
        ["run -o other/page.html"] = { "other/page.html", absolute },
      } do
        assert.same({ "", "", 0 }, { command(words) })
        local href = dir:read(wanted[1]):match 'href="([^"#][^"]*big%.log)"'
        assert.equal(wanted[2], href and href:match "^(.*/)[^/]*$", words)
        local target = href:match "^file://(.*)" or dir:at(wanted[1]:match "^(.*/)" or "") .. "/" .. href
        assert.equal(("words\n"):rep(10), paths.read(target))
      end
    end)

    it("says what is wrong, and leaves no half of a page", function()
      for words, said in pairs {
        ["none -o page.html"] = "^abridge: No run in .*\n$",
        ["run -o no/such/page.html"] = "^abridge: ENOENT.*\n$",
        ["run -o /dev/full"] = "^abridge: ENOSPC.*\n$",
        ["run >/dev/full"] = "^abridge: stdout: .*\n$",
      } do
        if dir:sh "test -e /dev/full && echo y" ~= "" or not words:find("full", 1, true) then
          local _, err, code = command(words)
          assert.matches(said, err)
          assert.equal(1, code)
        end
      end
      assert.is_nil(dir:read "page.html")
      for _, words in ipairs { "", "run run", "run --json", "run -o" } do
        local _, err, code = command(words)
        assert.matches("^abridge: [^\n]*see abridge [^\n]*%-%-help%)\n$", err)
        assert.equal(2, code)
      end
    end)

    it("is moved into its place whole, in place of a link or a file that others may read", function()
      dir:sh "echo theirs > target; ln -s target link; echo old > old.html; chmod 644 old.html"
      for _, name in ipairs { "link", "old.html" } do
        assert.same({ "", "", 0 }, { command("run -o " .. name) })
        assert.equal("600 regular file\n", (dir:sh("stat -c '%a %F' " .. name)))
        assert.truthy(dir:read(name):find("</html>", 1, true))
      end
      assert.equal("theirs\n", dir:read "target")
      assert.equal("", (dir:sh "ls -A | grep '^[.]abridge'"))
    end)

    it("leaves the old page where there will be no new one", function()
      dir:sh "echo old > old.html; cp -r run broken; rm broken/events.jsonl; mkdir broken/events.jsonl; mkdir full"
      for _, words in ipairs { "broken -o old.html", "run -o full", "run -o old.html/x" } do
        assert.equal(1, select(3, command(words)))
      end
      local _, err, code = dir:sh(("ulimit -f 1; trap '' XFSZ; %s report run -o old.html"):format(PROGRAM))
      assert.equal(1, code)
      assert.matches("^abridge: EFBIG", err)
      assert.equal("old\n", dir:read "old.html")
      assert.equal("", (dir:sh "ls -A | grep '^[.]abridge'"))
    end)

    it("does not wait for a reader of a FIFO", function()
      local _, err, code = dir:sh(("mkfifo fifo; timeout 20 %s report run -o fifo"):format(PROGRAM))
      assert.same({ "abridge: ENOTREG: not a regular file: fifo\n", 1 }, { err, code })
    end)

    it("makes no file below /dev, however that is spelled", function()
      if dir:sh "test -w /dev/shm && echo y" == "" then return pending "there is no folder below /dev to write to" end
      local name = "shm/abridge-report-spec.html"
      dir:sh "ln -s /dev devices"
      for _, path in ipairs { "/dev/" .. name, "//dev/" .. name, "/./dev/" .. name, "devices/" .. name } do
        local _, err, code = command("run -o " .. path)
        dir:sh("rm -f /dev/" .. name)
        assert.same({ ("abridge: ENOTREG: not a regular file: %s\n"):format(path), 1 }, { err, code })
      end
    end)

    it("does not overwrite the run", function()
      dir:sh "ln -s run/artifacts/0001-tool.log link; mkdir -p run/artifacts; echo kept > run/artifacts/0001-tool.log"
      local log = dir:read "run/events.jsonl"
      for _, file in ipairs { "run/events.jsonl", "run/../run/events.jsonl", "run/artifacts/0001-tool.log", "link" } do
        local _, err, code = command("run -o " .. file)
        assert.equal(2, code)
        assert.truthy(err:find("abridge: -o must name another file than the run's own, got \"" .. file, 1, true))
      end
      assert.same({ log, "kept\n" }, { dir:read "run/events.jsonl", dir:read "run/artifacts/0001-tool.log" })
      assert.equal(0, select(3, command "run -o=run/page.html"))
    end)
  end)
end)
