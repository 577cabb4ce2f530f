-- What web_fetch shows of a body that does not fit, and how reading goes on.
local abridge = require "support.unsaved"
local json = require("abridge.base.host").json()
local fetching = require "support.fetching"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local answer = fetching.answer
local serve = fetching.serve
local session_of = fetching.session_of
local fetch = fetching.fetch
local body_of = fetching.body_of
local pages = fetching.pages
local server

describe("web_fetch #few", function()
  before_each(function()
    server = fetching.start()
  end)

  after_each(fetching.stop)

  describe("goes on at an offset", function()
    it("and pages joined are the body", function()
      local text = ("line of text\n"):rep(30)
      serve(text)
      local joined, count = pages("/", { max_bytes = 200 })
      assert.equal(text, joined)
      assert.is_true(count > 2)
    end)

    it("from any byte, and says what is left", function()
      serve "0123456789"
      local result = fetch { url = server:url "/", offset = 4 }
      assert.equal("3456789", result.content)
      assert.same({ truncated = false, bytes_returned = 7, bytes_total = 10, reason = "size_cap" }, result.truncation)
      assert.equal(4, result.details.cut.kept[1].first_byte)
      assert.equal(10, result.details.cut.kept[1].last_byte)
      assert.equal(3, result.details.cut.omitted_bytes)
      assert.equal("9", fetch({ url = server:url "/", offset = 10 }).content)
      assert.equal("9", fetch({ url = server:url "/", offset = "10" }).content)
    end)

    it("and knows lines from the body's start", function()
      serve "a\nb\nc\nd\n"
      local cut = fetch({ url = server:url "/", offset = 6 }).details.cut
      assert.equal(3, cut.kept[1].first_line)
      assert.equal(4, cut.total_lines)
      assert.equal(2, cut.output_lines)
      assert.equal(2, cut.omitted_lines)
    end)

    it("where a line is longer than the budget, or begins with newlines", function()
      for _, text in ipairs { ("x"):rep(1000), "short\n" .. ("x"):rep(500), ("\n"):rep(300), "\n" .. ("x"):rep(300) } do
        serve(text)
        assert.equal(text, (pages("/", { max_bytes = 150 })))
      end
    end)

    it("never inside a char", function()
      local text = ("\226\130\172\240\159\152\128\195\169a"):rep(40)
      serve(text)
      assert.equal(text, (pages("/", { max_bytes = 150 })))
      assert.equal(text, (pages("/", { max_bytes = 97 })))
    end)

    it("inside a char when it is told to", function()
      serve "\226\130\172x"
      assert.equal("\239\191\189\239\191\189x", fetch({ url = server:url "/", offset = 2 }).content)
    end)

    it("of random bodies under random budgets", function()
      random.each(12, function()
        local text = random.join(random.choose(random.alphabets), random.between(1, 100)):gsub("%z", "0")
        local _, invalid = require("abridge.core").count_chars(text)
        if invalid > 0 then text = text:gsub("[\128-\255]", "y") end
        serve(text)
        local joined = pages("/", { max_bytes = random.between(60, 400) })
        random.must(joined == text, "%s came as %s", text, joined)
      end)
    end)

    it("until the body's end, and past it says that there is no more", function()
      serve "abc"
      local result = fetch { url = server:url "/", offset = 4 }
      assert.is_true(result.is_error)
      assert.equal("Offset 4 is beyond end of body (3 bytes total)", result.content)
      assert.equal("EOFFSET", result.details.error_code)
      serve ""
      result = fetch { url = server:url "/", offset = 2 }
      assert.equal("Offset 2 is beyond end of body (0 bytes total)", result.content)
      assert.equal("(empty body)", fetch({ url = server:url "/", offset = 1 }).content)
      answer(function(connection)
        connection:respond("200 OK", {}, "abc", true)
      end)
      result = fetch { url = server:url "/", offset = 100 }
      assert.equal("Offset 100 is beyond end of body (3 bytes total)", result.content)
    end)

    it("past an announced end without reading up to it", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\nContent-Length: 8000000000\r\n\r\n"
        connection:pour(("x"):rep(65536))
      end)
      local result = fetch { url = server:url "/", offset = 8000000001 }
      assert.equal("Offset 8000000001 is beyond end of body (8000000000 bytes total)", result.content)
      assert.is_true(server.sent < 32 * 1024 * 1024)
    end)

    it("only from 1 on", function()
      local result = fetch { url = server:url "/", offset = 0 }
      assert.equal("Invalid input: offset must be at least 1, got 0", result.content)
      assert.equal("Invalid input: url is required", fetch({ offset = 1 }).content)
      assert.equal(0, server.connections)
    end)
  end)

  describe("is cut", function()
    it("by bytes, with the notice and its numbers", function()
      serve(("x"):rep(120000))
      local result = fetch("/", nil)
      local shown = result.truncation.bytes_returned
      assert.equal(102400, result.details.cut.max_bytes)
      assert.equal(#result.content, shown + 2 + #result.details.notice)
      assert.is_true(#result.content <= 102400 and #result.content > 102300)
      assert.equal(
        ("[100KB limit reached (99.9KB of 117.2KB shown). Use offset=%d to continue]"):format(shown + 1),
        result.details.notice
      )
      assert.same({
        truncated = true,
        bytes_returned = shown,
        bytes_total = 120000,
        next_offset = shown + 1,
        resume_hint = ("call web_fetch with offset=%d"):format(shown + 1),
        reason = "size_cap",
      }, result.truncation)
      assert.is_false(result.is_error)
    end)

    it("exactly at the budget", function()
      serve(("x"):rep(500))
      assert.is_false(fetch("/", { max_bytes = 500 }).truncation.truncated)
      assert.is_true(fetch("/", { max_bytes = 499 }).truncation.truncated)
    end)

    it("while it arrives: curl is stopped a little past the budget", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        connection:pour(("endless\n"):rep(8192))
      end)
      local result = fetch "/"
      assert.is_false(result.is_error)
      assert.is_true(server.sent < 32 * 1024 * 1024) -- what the kernel's buffers take
      assert.is_nil(result.truncation.bytes_total)
      local shown = result.truncation.bytes_returned
      assert.equal(
        ("[100KB limit reached (99.9KB shown). Use offset=%d to continue]"):format(shown + 1),
        result.details.notice
      )
      assert.equal(("endless\n"):rep(20000):sub(1, shown), body_of(result))
      local again = fetch "/"
      assert.equal(result.content, again.content)
      assert.same(result.details.cut, again.details.cut)
      local next_page = fetch { url = server:url "/", offset = shown + 1 }
      assert.equal(("endless\n"):rep(40000):sub(shown + 1, shown + 100), next_page.content:sub(1, 100))
    end)

    it("while it arrives, also of a small file that unpacks to a big one", function()
      local dir = tmpdir.new()
      dir:sh "head -c 50000000 /dev/zero | tr '\\0' x | gzip -c > bomb"
      local bomb = dir:read "bomb"
      dir:remove()
      assert.is_true(#bomb < 100000)
      serve(bomb, { "Content-Encoding: gzip" })
      local result = fetch "/"
      assert.is_true(#result.content <= 102400)
      assert.is_nil(result.truncation.bytes_total)
      assert.is_number(result.truncation.next_offset)
    end)

    it("with the announced size as its total, when it is that of the body", function()
      local text = ("x"):rep(50000)
      serve(text)
      assert.equal(50000, fetch("/", { max_bytes = 1000 }).truncation.bytes_total)
      answer(function(connection)
        connection:respond("200 OK", {}, text, true)
      end)
      assert.is_nil(fetch("/", { max_bytes = 1000 }).truncation.bytes_total)
      answer(function(connection)
        connection:respond(
          "200 OK",
          { "Transfer-Encoding: chunked" },
          ("%x\r\n%s\r\n0\r\n\r\n"):format(#text, text),
          true
        )
      end)
      assert.is_nil(fetch("/", { max_bytes = 1000 }).truncation.bytes_total)
      assert.equal(50000, fetch("/", { max_bytes = 40000 }).truncation.bytes_total) -- its end came
    end)

    it("under every profile, and stays within it", function()
      local text = ("a line of some words\n"):rep(20000)
      serve(text)
      for _, profile in ipairs { "default", "contract", "pi", "dispatcher" } do
        local result = fetch("/", nil, { profile = profile })
        local limits = abridge.session({ profile = profile }):limits "web_fetch"
        assert.is_true(#result.content <= (limits.max_bytes or math.huge), profile)
        assert.is_false(result.is_error)
        assert.equal(420000, result.truncation.bytes_total)
      end
      assert.equal(text, fetch("/", nil, { profile = "pi" }).content)
    end)

    it("by the pipeline in two stages, without a way to go on", function()
      serve(("line\n"):rep(1000) .. ("x"):rep(400000) .. "\n" .. ("line\n"):rep(3200))
      local result = fetch("/", nil, { profile = "pipeline" })
      assert.is_truthy(result.content:find "characters truncated" or result.content:find "lines truncated")
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
      assert.is_nil(result.content:find("offset=", 1, true))
      assert.equal(421001, result.truncation.bytes_total)
      serve(("x"):rep(30000))
      assert.is_truthy(fetch("/", nil, { profile = "pipeline" }).content:find "characters truncated")
    end)

    it("at both ends, and reading can go on after the first", function()
      local text = ("0123456789"):rep(100)
      serve(text)
      local limits = { strategy = "head_tail", snap = "char", head_ratio = 0.5, max_bytes = 400 }
      local result = fetch("/", limits)
      local first = result.details.cut.kept[1]
      assert.equal(2, #result.details.cut.kept)
      assert.equal(first.last_byte + 1, result.truncation.next_offset)
      assert.equal(1000, result.details.cut.kept[2].last_byte)
      result = fetch({ url = server:url "/", offset = 501 }, limits)
      assert.equal(501, result.details.cut.kept[1].first_byte)
      assert.equal(1000, result.details.cut.kept[2].last_byte)
      assert.is_true(result.truncation.next_offset > 501)
    end)

    it("at its start, when the end is wanted", function()
      serve(("0123456789"):rep(100))
      local result = fetch("/", { strategy = "tail", max_bytes = 300 })
      assert.is_true(#result.content <= 300)
      assert.matches("56789\n\n%[300B limit reached %(%d+B of 1000B shown%)%]$", result.content)
      assert.is_nil(result.truncation.next_offset)
      assert.equal(1000, result.details.cut.kept[1].last_byte)
    end)

    it("in memory with bounds also where its end is wanted, and says that this end is not the last", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n\r\n"
        connection:pour(("endless\n"):rep(8192))
      end)
      for _, limits in ipairs { { strategy = "tail", max_bytes = 300 }, { strategy = "head_tail", max_bytes = 300 } } do
        local result = fetch("/", limits)
        assert.matches("300B limit reached %(%d+B shown%).*Only the first 8MB were fetched%]$", result.content)
        assert.is_true(#result.content <= 300)
        assert.is_nil(result.truncation.bytes_total)
      end
      local result = fetch("/", nil, { profile = "pipeline" })
      assert.matches("%[200 line limit reached %(%S+ shown%)%. Only the first 8MB were fetched%]$", result.content)
      result = fetch("/", { max_chars = false, max_lines = 2000000 }, { profile = "pipeline" })
      assert.is_true(result.truncation.truncated)
      assert.matches("%[Only the first 8MB were fetched%]$", result.content)
    end)

    it("to 1MB where nothing else bounds it", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n\r\n"
        connection:pour(("endless\n"):rep(8192))
      end)
      local result = fetch("/", nil, { profile = "pi" })
      assert.is_true(#result.content <= 1024 * 1024)
      assert.matches("%[1MB limit reached %(1023.9KB shown%)", result.details.notice)
      result = fetch("/", { max_bytes = false, max_lines = 10 })
      assert.equal(("endless\n"):rep(10), body_of(result))
      assert.equal("line_cap", result.truncation.reason)
      assert.equal(81, result.truncation.next_offset)
    end)

    it("by tiny and odd budgets, never beyond them", function()
      local text = "\226\130\172" .. ("some text\n"):rep(60)
      serve(text)
      for _, limits in ipairs {
        { max_bytes = 0 },
        { max_bytes = 1 },
        { max_bytes = 3 },
        { max_bytes = 20 },
        { max_bytes = 2 ^ 53 },
        { max_lines = 0 },
        { max_lines = 3 },
        { max_bytes = false, max_chars = 0 },
        { max_bytes = false, max_chars = 7 },
        { max_bytes = false, max_chars = 150 },
        { max_bytes = false, max_tokens = 1 },
        { max_bytes = false, max_tokens = 60 },
        { long_line = "omit", max_bytes = 2 },
        { strategy = "tail", max_bytes = 5 },
        { strategy = "tail", max_lines = 2 },
        { strategy = "head_tail", max_bytes = 2 },
        { strategy = "head_tail", marker_text = "x" },
        { output = "silent" },
        { strategy = "pipeline", max_bytes = false, max_chars = 5 },
      } do
        local result = fetch("/", limits)
        assert.is_false(result.is_error, result.content)
        assert.is_nil(result.details.inner_error)
        if limits.strategy ~= "pipeline" then
          assert.is_true(#result.content <= (limits.max_bytes or math.huge))
          local chars = require("abridge.core").count_chars(result.content)
          assert.is_true(chars <= (limits.max_chars or math.huge))
        end
        if result.truncation.next_offset then assert.is_true(result.truncation.next_offset > 1) end
      end
    end)

    it("by chars, tokens and lines, and can be gone on from", function()
      local text = ("\195\169 some words of text\n"):rep(40)
      serve(text)
      assert.equal(text, (pages("/", { max_bytes = false, max_chars = 300 })))
      assert.equal(text, (pages("/", { max_bytes = false, max_tokens = 100 })))
      assert.equal(text, (pages("/", { max_lines = 15 })))
    end)

    it("without a way to go on where not even a char fits", function()
      serve "\226\130\172uro"
      local result = fetch("/", { max_bytes = 2 })
      assert.equal("", result.content)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
    end)

    it("and keeps a full output only of what came whole and cannot be gone on from", function()
      local dir = tmpdir.new()
      serve(("line\n"):rep(1000))
      local function kept(profile)
        local session = session_of {
          run_dir = dir:at(profile),
          profile = profile,
          ceiling = false,
          limits = { web_fetch = { max_lines = 100 } },
        }
        local result = session:call("web_fetch", { url = server:url "/" })
        local path = result.details.full_output_path
        local text = path and session:full_output(result.call_id, { limit = 5000 })
        session:close()
        return path ~= nil, text
      end
      local in_default = kept "default"
      local in_pipeline, text = kept "pipeline"
      dir:remove()
      assert.is_false(in_default)
      assert.is_true(in_pipeline)
      assert.equal(("line\n"):rep(1000), text)
    end)
  end)

  describe("of JSON", function()
    local function items(n)
      local list = {}
      for i = 1, n do
        list[i] = ('{"id":%d,"name":"item %d"}'):format(i, i)
      end
      return '{"items":[' .. table.concat(list, ",") .. "]}\n"
    end

    local JSON = { "Content-Type: application/json" }

    it("is cut as such, and no page of bytes follows", function()
      for _, headers in ipairs { JSON, { "Content-Type: text/plain" }, {} } do
        for _, count in ipairs { 100, 20000 } do
          local body = items(count)
          serve(body, headers)
          local result = fetch("/", { max_bytes = 1000 })
          local cut = result.details.cut
          assert.same({ "json", "auto", true, #body }, { cut.kind, cut.strategy, cut.truncated, cut.total_bytes })
          assert.same({ true, #body }, { result.truncation.truncated, result.truncation.bytes_total })
          assert.is_nil(result.truncation.next_offset)
          assert.is_nil(cut.next_offset)
          assert.is_nil(result.content:find("offset", 1, true))
          assert.is_true(#result.content <= 1000)
          assert.equal("table", type(json.decode(body_of(result)).items))
        end
      end
    end)

    it("that fits comes as it is", function()
      for _, body in ipairs { items(3), "[]", '"a string"', "\239\187\191 \n{}\n" } do
        serve(body, JSON)
        local result = fetch "/"
        assert.equal(body, result.content)
        assert.equal("json", result.details.cut.kind)
        assert.is_false(result.truncation.truncated)
      end
    end)

    it("is bytes from an offset on", function()
      local body = items(2000)
      serve(body, JSON)
      local result = fetch({ url = server:url "/", offset = 1 }, { max_bytes = 1000 })
      assert.is_nil(result.details.cut.kind)
      assert.equal(body:sub(1, result.truncation.next_offset - 1), body_of(result))
      assert.equal(body, (pages("/", { max_bytes = 20000 })))
    end)

    it("keeps its full output, redacted", function()
      local dir = tmpdir.new()
      serve(items(500), JSON)
      local session = session_of {
        run_dir = dir:at "run",
        redact = { { "item 7%d*", "?" } },
        limits = { web_fetch = { max_bytes = 1000 } },
      }
      local result = session:call("web_fetch", { url = server:url "/" })
      local full = session:full_output(result.call_id)
      session:close()
      dir:remove()
      assert.equal("json", result.details.cut.kind)
      assert.equal((items(500):gsub("item 7%d*", "?")), full)
    end)

    it("is anything else where it is none", function()
      for _, body in ipairs {
        items(200) .. "]",
        items(200):sub(1, -4),
        '"' .. ("x"):rep(5000),
        "{" .. ("y"):rep(400000),
        items(20000):sub(1, -4),
        ('{"id":1}\n'):rep(3000),
      } do
        serve(body, JSON)
        local result = fetch("/", { max_bytes = 1000 })
        assert.is_true(result.truncation.truncated)
        if result.details.cut.kind == nil then
          assert.equal(body:sub(1, result.truncation.next_offset - 1), body_of(result))
        end
        assert.matches("1000B limit", result.content)
      end
    end)

    it("of a budget without end is not waited for where it is no JSON", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n\r\n{"
        connection:pour(("x"):rep(65536))
      end)
      local result = fetch("/", { max_bytes = 1000 })
      assert.equal("{" .. ("x"):rep(20), body_of(result):sub(1, 21))
      assert.is_true(result.truncation.next_offset > 800)
      assert.is_true(server.sent < 32 * 1024 * 1024)
    end)

    it("goes by a strategy that is named", function()
      local body = items(500)
      serve(body, JSON)
      local result = fetch("/", { max_bytes = 1000, strategy = "tail" })
      assert.is_nil(result.details.cut.kind)
      assert.matches('"item 500"}]}\n', result.content)
    end)
  end)
end)
