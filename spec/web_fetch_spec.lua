local abridge = require "unsaved"
local environment = require "environment"
local host = require "abridge.host"
local info = require "abridge.info"
local random = require "random"
local tmpdir = require "tmpdir"
local waiting = require "waiting"
local web_server = require "web_server"

local uv = host.uv()
local server

--- What the server does with each request.
local function answer(respond)
  server.answer = respond
end

--- A server that sends this text.
local function serve(text, headers, status)
  answer(function(connection)
    connection:respond(status or "200 OK", headers or { "Content-Type: text/plain" }, text)
  end)
end

local function session_of(opts)
  local own = { allow_private = { "127.0.0.1" } }
  for key, value in pairs(opts or {}) do
    own[key] = value
  end
  return abridge.session(own)
end

--- The result of web_fetch in a session that may reach the server.
local function fetch(input, limits, opts)
  opts = opts or {}
  if limits then opts.limits = { web_fetch = limits } end
  if type(input) == "string" then input = { url = server:url(input) } end
  local session = session_of(opts)
  local result = session:call("web_fetch", input)
  session:close()
  info.assert_conforms("web_fetch", result)
  return result
end

--- What a result shows of the body.
local function body_of(result)
  return result.content:sub(1, result.truncation.bytes_returned)
end

--- All pages of a URL, joined; a final newline that alone did not fit is told in the ledger.
local function pages(path, limits, opts)
  local parts, offset, count = {}, 1, 0
  repeat
    count = count + 1
    assert(count < 2000, "pages without end")
    local result = fetch({ url = server:url(path), offset = offset }, limits, opts)
    assert.is_false(result.is_error, result.content)
    parts[#parts + 1] = body_of(result) .. (result.details.cut.final_newline and "\n" or "")
    assert.is_true(not result.truncation.next_offset or result.truncation.next_offset > offset)
    offset = result.truncation.next_offset
  until not offset
  return table.concat(parts), count
end

--- An error result with this code, and nothing asked of the server unless told otherwise.
local function refused(code, message, input, opts, asked)
  server:forget()
  local result = fetch(input, nil, opts)
  assert.is_true(result.is_error)
  assert.equal(code, result.details.error_code)
  assert.equal(message, result.content)
  assert.equal(asked or 0, server.connections)
  return result
end

local real_lookup = uv.getaddrinfo
--- Look-ups that answer from a table, each name with one list of addresses after the other.
local function fake_lookup(names)
  local asked = {}
  uv.getaddrinfo = function(name, _, _, callback)
    asked[#asked + 1] = name
    local lists = names[name]
    local found = {}
    for i, text in ipairs(lists and (#lists > 1 and table.remove(lists, 1) or lists[1]) or {}) do
      found[i] = { addr = text, family = text:find ":" and "inet6" or "inet", socktype = "stream" }
    end
    local timer = uv.new_timer()
    uv.timer_start(timer, 0, 0, function()
      uv.close(timer)
      if lists then callback(nil, found) else callback("EAI_NONAME") end
    end)
    return timer
  end
  return asked
end

describe("web_fetch", function()
  before_each(function()
    server = web_server.new(function(connection)
      connection:respond("200 OK", {}, "hello\n")
    end)
  end)

  after_each(function()
    uv.getaddrinfo = real_lookup
    server:close()
  end)

  describe("gives", function()
    it("a body that fits as it is", function()
      for _, text in ipairs { "a", "a\n", "a\n\n", "\n", "a\r\nb\r\n", "\195\169\n", "no final\nnewline", "  \t\n" } do
        serve(text)
        local result = fetch "/"
        assert.equal(text, result.content)
        assert.is_false(result.is_error)
        local block = { truncated = false, bytes_returned = #text, bytes_total = #text, reason = "size_cap" }
        assert.same(block, result.truncation)
      end
    end)

    it("status, type, URL and redirects in the details", function()
      serve("<p>", { "Content-Type: text/html; charset=utf-8" }, "203 Fine")
      local result = fetch "/a/../b?q#f"
      assert.is_false(result.is_error)
      assert.equal(203, result.details.status)
      assert.equal("text/html; charset=utf-8", result.details.content_type)
      assert.equal(server:url "/b?q", result.details.url)
      assert.equal(0, result.details.redirects)
      assert.is_nil(result.details.error_code)
      assert.equal("<p>", result.content)
    end)

    it("an empty body in words", function()
      serve ""
      local result = fetch "/"
      assert.equal("(empty body)", result.content)
      assert.is_false(result.is_error)
      assert.equal(0, result.details.cut.total_bytes)
      answer(function(connection)
        connection:respond("204 No Content", {}, "", true)
      end)
      assert.equal("(empty body)", fetch("/").content)
    end)

    it("chunked bodies, and trailers are none of it", function()
      answer(function(connection)
        connection:respond("200 OK", { "Transfer-Encoding: chunked" },
          "3\r\nabc\r\n5\r\n\ndefg\r\n0\r\nX-Trailer: no\r\n\r\n", true)
      end)
      assert.equal("abc\ndefg", fetch("/").content)
    end)

    it("bodies that end with the connection", function()
      answer(function(connection)
        connection:respond("200 OK", {}, "until the end", true)
      end)
      local result = fetch "/"
      assert.equal("until the end", result.content)
      assert.equal(13, result.truncation.bytes_total)
    end)

    it("compressed bodies as they were before", function()
      local dir = tmpdir.new()
      dir:write("plain", ("squeeze me "):rep(50))
      dir:sh "gzip -c plain > packed"
      local packed = dir:read "packed"
      dir:remove()
      answer(function(connection, request)
        assert(request.headers["accept-encoding"]:find "gzip")
        connection:respond("200 OK", { "Content-Encoding: gzip" }, packed)
      end)
      local result = fetch "/"
      assert.equal(("squeeze me "):rep(50), result.content)
      assert.equal(550, result.truncation.bytes_total)
    end)

    it("the same bytes however head and body were split on their way", function()
      local text = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab\r\n\r"
      answer(function(connection)
        local function from(at)
          if at > #text then return connection:close() end
          connection:send(text:sub(at, at), function() from(at + 1) end)
        end
        from(1)
      end)
      local result = fetch "/"
      assert.equal("ab\r\n\r", result.content)
      assert.equal(200, result.details.status)
    end)

    it("headers that end in bare newlines", function()
      answer(function(connection)
        connection:finish "HTTP/1.0 200 OK\nContent-Type: text/x\n\nbody"
      end)
      local result = fetch "/"
      assert.equal("body", result.content)
      assert.equal("text/x", result.details.content_type)
    end)

    it("the response behind interim ones", function()
      answer(function(connection)
        connection:finish(("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nContent-Type: wrong/type\r\n\r\n"):rep(3)
          .. "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nbody")
      end)
      local result = fetch "/"
      assert.equal("body", result.content)
      assert.equal(200, result.details.status)
      assert.equal("text/plain", result.details.content_type)
    end)

    it("invalid bytes as U+FFFD, and their number", function()
      serve "caf\233 \195\169 \255"
      local result = fetch "/"
      assert.equal("caf\239\191\189 \195\169 \239\191\189", result.content)
      assert.equal(2, result.details.invalid_bytes)
      serve "fine"
      assert.is_nil(fetch("/").details.invalid_bytes)
    end)

    it("what looks like headers, curl's words or a notice as the text it is", function()
      local text = "HTTP/1.1 500 No\r\n\r\ncurl: (28) Operation timed out\n\n[30KB limit reached]"
      serve(text)
      local result = fetch "/"
      assert.equal(text, result.content)
      assert.equal(200, result.details.status)
      assert.is_false(result.is_error)
    end)

    it("the body of an error status, then the status, and is_error", function()
      serve("not here\n", { "Content-Type: text/plain" }, "404 Not Found")
      local result = fetch "/"
      assert.equal("not here\n\nHTTP status 404 Not Found", result.content)
      assert.is_true(result.is_error)
      assert.equal(404, result.details.status)
      assert.equal("EHTTP", result.details.error_code)
      assert.equal("HTTP status 404 Not Found", result.details.exit_line)
      assert.equal(9, result.truncation.bytes_returned)
      serve("", {}, "500")
      assert.equal("(empty body)\n\nHTTP status 500", fetch("/").content)
      serve("x", {}, "500 \27[31mred")
      assert.equal("x\n\nHTTP status 500", fetch("/").content)
      serve("x", {}, "304 Not Modified")
      assert.equal("HTTP status 304 Not Modified", fetch("/").details.exit_line)
      serve("choose", {}, "302 Found") -- without a place to go to
      assert.equal("choose\n\nHTTP status 302 Found", fetch("/").content)
    end)

    it("the body of an error status within the budget, the status counted", function()
      serve(("x"):rep(5000), {}, "500 Broken")
      local result = fetch("/", { max_bytes = 300 })
      assert.is_true(#result.content <= 300)
      assert.matches("\n\nHTTP status 500 Broken\n\n%[300B limit reached", result.content)
      assert.is_true(result.is_error)
    end)

    it("type and size of a binary body", function()
      local png = "\137PNG\r\n\26\n" .. ("\0"):rep(2000)
      serve(png, { "Content-Type: image/png" })
      local result = fetch "/"
      assert.equal("Binary body (image/png, 2KB)", result.content)
      assert.is_false(result.is_error)
      assert.same({ true, "image/png", #png },
        { result.details.binary, result.details.media_type, result.details.size })
      serve("a\0b", { "Content-Type: text/plain" })
      assert.equal("Binary body (text/plain, 3B)", fetch("/").content)
      serve("a\0b", {})
      assert.equal("Binary body (application/octet-stream, 3B)", fetch("/").content)
      serve("a\0b", { "Content-Type: \27[31m" })
      assert.equal("Binary body (application/octet-stream, 3B)", fetch("/").content)
      serve("a\0b", {}, "404 Not Found")
      assert.equal("Binary body (application/octet-stream, 3B)\n\nHTTP status 404 Not Found", fetch("/").content)
      serve("%PDF-1.4 text", { "Content-Type: application/pdf" })
      assert.equal("Binary body (application/pdf, 13B)", fetch("/").content)
      serve("<svg/>", { "Content-Type: image/svg+xml" })
      assert.equal("<svg/>", fetch("/").content)
    end)

    it("a binary body without reading it, whatever its size", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9000000000\r\n\r\n"
        connection:pour(("\0"):rep(65536))
      end)
      assert.equal("Binary body (video/mp4, 8.4GB)", fetch("/").content)
      assert.is_true(server.sent < 32 * 1024 * 1024)
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
        connection:pour(("\0"):rep(65536))
      end)
      assert.equal("Binary body (video/mp4, of unknown size)", fetch("/").content)
    end)
  end)

  describe("asks", function()
    it("once, with GET and a name of its own", function()
      fetch "/path?query"
      assert.equal(1, #server.requests)
      local request = server.requests[1]
      assert.equal("GET", request.method)
      assert.equal("/path?query", request.target)
      assert.equal(("127.0.0.1:%d"):format(server.port), request.headers.host)
      assert.equal("abridge/" .. abridge.version, request.headers["user-agent"])
    end)

    it("for what the URL says, never for a pattern of curl's", function()
      fetch "/{a,b}[1-3]"
      assert.equal(1, #server.requests)
      assert.equal("/%7Ba,b%7D[1-3]", server.requests[1].target)
    end)

    it("through no proxy, whatever the environment says", function()
      local proxy = web_server.new(function(connection)
        connection:respond("200 OK", {}, "proxied")
      end)
      local names = { "http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY" }
      local env = {}
      for _, name in ipairs(names) do
        env[name] = proxy:url ""
      end
      local plain, given = environment.with(env, function()
        return fetch "/", fetch("/", nil, { env = env })
      end)
      local asked = proxy.connections
      proxy:close()
      assert.equal("hello\n", plain.content)
      assert.equal("hello\n", given.content)
      assert.equal(0, asked)
    end)

    it("without a .curlrc", function()
      local dir = tmpdir.new()
      local lines = 'user-agent = "configured"\nheader = "X-Configured: yes"\noutput = "%s"\n'
      dir:write(".curlrc", lines:format(dir:at "out"))
      local result = fetch("/", nil, { env = { HOME = dir.path, CURL_HOME = dir.path, XDG_CONFIG_HOME = dir.path } })
      local out = dir:read "out"
      dir:remove()
      assert.equal("hello\n", result.content)
      assert.is_nil(out)
      assert.is_nil(server.requests[1].headers["x-configured"])
    end)
  end)

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
        local text = random.join(random.choose(random.alphabets), random.between(1, 300)):gsub("%z", "0")
        local _, invalid = require("abridge.core").count_chars(text)
        if invalid > 0 then text = text:gsub("[\128-\255]", "y") end
        serve(text)
        local joined = pages("/", { max_bytes = random.between(60, 400) })
        random.must(joined == text, "%s came as %s", text, joined)
      end)
    end)

    it("until the body's end, and behind it says so", function()
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

    it("behind an announced end without reading up to it", function()
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
      assert.equal(("[100KB limit reached (99.9KB of 117.2KB shown). Use offset=%d to continue]"):format(shown + 1),
        result.details.notice)
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

    it("while it arrives: curl is stopped a little behind the budget", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        connection:pour(("endless\n"):rep(8192))
      end)
      local result = fetch "/"
      assert.is_false(result.is_error)
      assert.is_true(server.sent < 32 * 1024 * 1024) -- what the kernel's buffers take
      assert.is_nil(result.truncation.bytes_total)
      local shown = result.truncation.bytes_returned
      assert.equal(("[100KB limit reached (99.9KB shown). Use offset=%d to continue]"):format(shown + 1),
        result.details.notice)
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
        connection:respond("200 OK", { "Transfer-Encoding: chunked" },
          ("%x\r\n%s\r\n0\r\n\r\n"):format(#text, text), true)
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

    it("at both ends, the first of which can be gone on from", function()
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
        { max_bytes = 0 }, { max_bytes = 1 }, { max_bytes = 3 }, { max_bytes = 20 }, { max_bytes = 2 ^ 53 },
        { max_lines = 0 }, { max_lines = 3 }, { max_bytes = false, max_chars = 0 },
        { max_bytes = false, max_chars = 7 }, { max_bytes = false, max_chars = 150 },
        { max_bytes = false, max_tokens = 1 }, { max_bytes = false, max_tokens = 60 },
        { long_line = "omit", max_bytes = 2 },
        { strategy = "tail", max_bytes = 5 }, { strategy = "tail", max_lines = 2 },
        { strategy = "head_tail", max_bytes = 2 }, { strategy = "head_tail", marker_text = "x" }, { output = "silent" },
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
        local session = session_of { run_dir = dir:at(profile), profile = profile, ceiling = false,
          limits = { web_fetch = { max_lines = 100 } } }
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

  describe("refuses", function()
    it("private and loopback addresses unless the session allows them", function()
      local none = { allow_private = false }
      refused("EPRIVATE", "Address 127.0.0.1 is private: not allowed by this session", "/", none)
      for _, name in ipairs { "127.1", "2130706433", "0x7f000001", "0177.0.0.1" } do
        local input = { url = server:url("/", name) }
        refused("EPRIVATE", "Address 127.0.0.1 is private: not allowed by this session", input, none)
        assert.equal("hello\n", fetch(input).content)
      end
      local inside = { url = server:url("/", "[::ffff:127.0.0.1]") }
      refused("EPRIVATE", "Address ::ffff:127.0.0.1 is private: not allowed by this session", inside, none)
      refused("EPRIVATE", "Address 0.0.0.0 is private: not allowed by this session", { url = server:url("/", "0") })
      refused("EPRIVATE", "Address 169.254.169.254 is private: not allowed by this session",
        { url = "http://169.254.169.254/latest/meta-data/" })
      refused("EPRIVATE", "Address ::1 is private: not allowed by this session", { url = server:url("/", "[::1]") })
    end)

    it("names that lead to private addresses, of which one is enough", function()
      fake_lookup {
        ["in.example"] = { { "10.0.0.1" } },
        ["mixed.example"] = { { "127.0.0.1", "93.184.216.34", "192.168.0.9" } },
        ["zone.example"] = { { "fe80::1%lo" } },
      }
      refused("EPRIVATE", "Address 10.0.0.1 of host in.example is private: not allowed by this session",
        { url = server:url("/", "in.example") })
      refused("EPRIVATE", "Address 192.168.0.9 of host mixed.example is private: not allowed by this session",
        { url = server:url("/", "mixed.example") })
      refused("EPRIVATE", "Address fe80::1%lo of host zone.example is private: not allowed by this session",
        { url = server:url("/", "zone.example") }, { allow_private = { "fe80::/10" } })
    end)

    it("everything but http and https", function()
      refused("ESCHEME", "Scheme file is not allowed: only http and https are", { url = "file:///etc/passwd" })
      refused("ESCHEME", "Scheme gopher is not allowed: only http and https are",
        { url = ("gopher://127.0.0.1:%d/_GET"):format(server.port) })
    end)

    it("URLs that are none, and passes none of their secrets on", function()
      refused("EURL", "Invalid URL: it must start with http:// or https://", { url = "example.com" })
      refused("EURL", "Invalid URL: it must start with http:// or https://", { url = "-o/tmp/x" })
      refused("EURL", "Invalid URL: blanks, control characters and backslashes must be percent-encoded",
        { url = server:url "/a\r\nX-Injected: 1" })
      local result = refused("EURL", "Invalid URL: it must not hold a user name or password",
        { url = "http://me:secret@127.0.0.1/" })
      assert.is_nil(result.details.url)
      refused("EURL", "Invalid URL: the host name must be ASCII (xn--...)", { url = "http://b\195\188cher.example/" })
      refused("EURL", "Invalid URL: the host is neither a name nor an address", { url = "http://[::1%25lo]/" })
      refused("EURL", "Invalid URL: the port must be a number from 1 to 65535", { url = "http://127.0.0.1:0/" })
      refused("EURL", "Invalid URL: it is longer than 8192 bytes", { url = "http://h/" .. ("a"):rep(9000) })
    end)

    it("hosts that have no address", function()
      fake_lookup { ["empty.example"] = { {} } }
      refused("EDNS", "Cannot resolve host none.example: EAI_NONAME", { url = "http://none.example/" })
      refused("EDNS", "Cannot resolve host empty.example: ENOENT", { url = "http://empty.example/" })
    end)
  end)

  describe("is allowed", function()
    it("all private addresses, a host, an address or a block", function()
      for _, allowed in ipairs { true, { "127.0.0.1" }, { "127.0.0.0/8" }, { "10.0.0.0/8", "127.0.0.1/32" } } do
        assert.equal("hello\n", fetch("/", nil, { allow_private = allowed }).content)
      end
      fake_lookup { localhost = { { "127.0.0.1" } } }
      for _, name in ipairs { "localhost", "LOCALHOST." } do
        local result = fetch({ url = server:url("/", name) }, nil, { allow_private = { "LocalHost" } })
        assert.equal("hello\n", result.content)
      end
      refused("EPRIVATE", "Address 127.0.0.1 is private: not allowed by this session", "/",
        { allow_private = { "localhost" } })
      refused("EPRIVATE", "Address 127.0.0.1 is private: not allowed by this session", "/",
        { allow_private = { "127.0.0.2", "10.0.0.0/8", "::/0" } })
    end)

    it("IPv6 too", function()
      local other = web_server.new(function(connection)
        connection:respond("200 OK", {}, "six")
      end, "::1")
      if not other then return pending "no IPv6 here" end
      local input = { url = other:url "/" }
      local refused_result = fetch(input)
      local result = fetch(input, nil, { allow_private = { "::1" } })
      fake_lookup { ["six.example"] = { { "::1" } } }
      local named = fetch({ url = other:url("/", "six.example") }, nil, { allow_private = { "six.example" } })
      local asked = other.connections
      other:close()
      assert.equal("EPRIVATE", refused_result.details.error_code)
      assert.equal("six", result.content)
      assert.equal("six", named.content)
      assert.equal(2, asked)
    end)

    it("the host's own resolver for localhost", function()
      local result = fetch({ url = server:url("/", "localhost") }, nil, { allow_private = { "localhost" } })
      assert.equal("hello\n", result.content)
    end)

    it("what the session says when it is made, and a wrong word raises with its key and value", function()
      local function raises(value, ...)
        local ok, message = pcall(abridge.session, { allow_private = value })
        assert.is_false(ok)
        for _, part in ipairs { "abridge.session", "allow_private", ... } do
          assert.is_truthy(message:find(part, 1, true), message)
        end
      end
      raises("localhost", '"localhost"', "true, false or a list")
      raises(5, "5")
      raises({ "localhost", "10.0.0.0/40" }, "allow_private[2]", '"10.0.0.0/40"')
      raises({ "http://x/" }, "allow_private[1]", '"http://x/"')
      raises({ localhost = true }, "allow_private.localhost", "true")
      raises({ 1 }, "allow_private[1]", "1")
      local list = { "127.0.0.1" }
      local session = session_of { allow_private = list }
      list[1] = "10.0.0.1"
      assert.equal("hello\n", session:call("web_fetch", { url = server:url "/" }).content)
      session:close()
    end)
  end)

  describe("pins", function()
    it("the addresses that were checked: no second look-up gets another answer", function()
      local asked = fake_lookup { ["rebind.example"] = { { "127.0.0.1" }, { "10.9.9.9" } } }
      local result = fetch { url = server:url("/", "rebind.example") }
      assert.equal("hello\n", result.content)
      assert.same({ "rebind.example" }, asked)
      assert.equal(("rebind.example:%d"):format(server.port), server.requests[1].headers.host)
    end)

    it("for each hop anew", function()
      local asked = fake_lookup { ["rebind.example"] = { { "127.0.0.1" }, { "10.9.9.9" } } }
      answer(function(connection)
        connection:respond("302 Found", { "Location: /again" }, "")
      end)
      local result = fetch { url = server:url("/", "rebind.example") }
      assert.equal("EPRIVATE", result.details.error_code)
      assert.same({ "rebind.example", "rebind.example" }, asked)
      assert.equal(1, server.connections)
    end)

    it("several addresses, of which the next is tried when one does not answer", function()
      fake_lookup { ["two.example"] = { { "127.0.0.9", "127.0.0.1" } } }
      local result = fetch({ url = server:url("/", "two.example") }, nil, { allow_private = { "127.0.0.0/8" } })
      assert.equal("hello\n", result.content)
    end)
  end)

  describe("follows redirects", function()
    local function redirecting(routes)
      answer(function(connection, request)
        local location = routes[request.target]
        if location then return connection:respond("302 Found", { "Location: " .. location }, "moved") end
        connection:respond("200 OK", {}, "at " .. request.target)
      end)
    end

    it("relative and absolute ones, and tells where it came to", function()
      redirecting { ["/a/b"] = "c?d#e", ["/a/c?d"] = server:url "/f", ["/f"] = "//127.0.0.1:" .. server.port .. "/g" }
      local result = fetch "/a/b"
      assert.equal("at /g", result.content)
      assert.equal(server:url "/g", result.details.url)
      assert.equal(3, result.details.redirects)
      assert.equal(200, result.details.status)
    end)

    it("of every kind, with GET", function()
      for _, status in ipairs { "301 A", "302 B", "303 C", "307 D", "308 E" } do
        answer(function(connection, request)
          if request.target == "/" then return connection:respond(status, { "LOCATION:/x" }, "") end
          connection:respond("200 OK", {}, request.method)
        end)
        assert.equal("GET", fetch("/").content)
      end
    end)

    it("at most five", function()
      local routes = {}
      for i = 1, 9 do
        routes["/" .. i] = "/" .. i + 1
      end
      redirecting(routes)
      assert.equal("at /10", fetch("/5").content)
      refused("EREDIRECTS", "Too many redirects: more than 5", "/4", nil, 6)
      redirecting { ["/loop"] = "/loop" }
      refused("EREDIRECTS", "Too many redirects: more than 5", "/loop", nil, 6)
    end)

    it("not to other schemes, nor to a URL that is none", function()
      redirecting {
        ["/f"] = "file:///etc/passwd",
        ["/u"] = "http://u:secret@127.0.0.1/",
        ["/p"] = "http://127.0.0.1:0/",
      }
      local from = " (redirected from " .. server:url ""
      refused("ESCHEME", "Scheme file is not allowed: only http and https are" .. from .. "/f)", "/f", nil, 1)
      refused("EURL", "Invalid URL: it must not hold a user name or password" .. from .. "/u)", "/u", nil, 1)
      refused("EURL", "Invalid URL: the port must be a number from 1 to 65535" .. from .. "/p)", "/p", nil, 1)
    end)

    it("not to private addresses, though the first host was allowed", function()
      local inner = web_server.new(function(connection)
        connection:respond("200 OK", {}, "secret")
      end)
      redirecting {
        ["/a"] = inner:url("/", "127.0.0.2"),
        ["/b"] = inner:url("/", "0x7f.2"),
        ["/c"] = inner:url("/", "in.example"),
      }
      fake_lookup { ["in.example"] = { { "127.0.0.1" } }, ["out.example"] = { { "127.0.0.1" } } }
      local only = { allow_private = { "out.example" } }
      for path, address in pairs { ["/a"] = "127.0.0.2", ["/b"] = "127.0.0.2" } do
        refused("EPRIVATE", ("Address %s is private: not allowed by this session (redirected from %s)"):format(
          address, server:url(path, "out.example")), { url = server:url(path, "out.example") }, only, 1)
      end
      local result = refused("EPRIVATE", "Address 127.0.0.1 of host in.example is private: not allowed by this session"
        .. " (redirected from " .. server:url("/c", "out.example") .. ")",
        { url = server:url("/c", "out.example") }, only, 1)
      assert.equal(1, result.details.redirects)
      local asked = inner.connections
      inner:close()
      assert.equal(0, asked)
    end)

    it("without reading what stands in their body", function()
      answer(function(connection, request)
        if request.target == "/there" then return connection:respond("200 OK", {}, "there") end
        connection:send "HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n"
        connection:pour(("x"):rep(65536))
      end)
      assert.equal("there", fetch("/").content)
      assert.is_true(server.sent < 32 * 1024 * 1024)
    end)
  end)

  describe("tells what went wrong", function()
    it("when nobody listens", function()
      local taken = uv.new_tcp() -- bound, so that nobody else may, and not listening
      uv.tcp_bind(taken, "127.0.0.1", 0)
      local url = ("http://127.0.0.1:%d/"):format(uv.tcp_getsockname(taken).port)
      local result = fetch { url = url }
      uv.close(taken)
      host.pump()
      assert.is_true(result.is_error)
      assert.equal("ECURL", result.details.error_code)
      assert.matches("^Cannot fetch " .. url:gsub("%p", "%%%0") .. ": Failed to connect", result.content)
    end)

    it("when the answer is no HTTP, or none", function()
      answer(function(connection)
        connection:finish "\0\1\2 220 mail.example ESMTP\r\n"
      end)
      local result = fetch "/"
      assert.equal("ECURL", result.details.error_code)
      assert.matches("^Cannot fetch http://[%d.:]+/: ", result.content)
      assert.is_nil(result.content:find("ESMTP", 1, true))
      answer(function(connection)
        connection:close()
      end)
      assert.matches("Empty reply", fetch("/").content)
    end)

    it("when the connection breaks: what came, then why", function()
      answer(function(connection)
        connection:send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it\n", function()
          connection:close()
        end)
      end)
      local result = fetch "/"
      assert.is_true(result.is_error)
      assert.equal("ECURL", result.details.error_code)
      assert.matches("^half of it\n\nCannot fetch http://[%d.:]+/: .*89 bytes", result.content)
      assert.is_nil(result.truncation.bytes_total)
      assert.equal(200, result.details.status)
      answer(function(connection)
        connection:send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", function()
          connection:reset()
        end)
      end)
      result = fetch "/"
      assert.equal("ECURL", result.details.error_code)
      assert.matches("^Cannot fetch", result.content)
    end)

    it("when the time is over, with what came until then", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n\r\nfirst\n"
      end)
      local time
      local result = waiting.with_time(0.3, function(seconds)
        time = seconds
        local result = fetch("/", nil, { timeout = seconds })
        return result, result.content:find "^first" ~= nil
      end)
      assert.is_true(result.is_error)
      assert.equal(("first\n\nFetch timed out after %s seconds"):format(time), result.content)
      assert.equal("ETIMEDOUT", result.details.error_code)
      assert.is_true(result.details.timed_out)
      answer(function() end)
      assert.equal("Fetch timed out after 0.3 seconds", fetch("/", nil, { timeout = 0.3 }).content)
    end)

    it("when the time is over for all hops together", function()
      local hops = 0
      answer(function(connection)
        hops = hops + 1
        local timer = uv.new_timer()
        uv.timer_start(timer, 200, 0, function()
          uv.close(timer)
          connection:respond("302 Found", { "Location: /" .. hops }, "")
        end)
      end)
      local result = fetch("/", nil, { timeout = 0.5 })
      assert.equal("Fetch timed out after 0.5 seconds", result.content)
      assert.is_true(hops < 5)
      waiting.eventually(function() return server.open == 0 end)
    end)

    it("when the look-up takes too long", function()
      local heard
      uv.getaddrinfo = function(_, _, _, callback)
        heard = callback
        return {}
      end
      local result = fetch({ url = "http://slow.example/" }, nil, { timeout = 0.1 })
      assert.equal("Fetch timed out after 0.1 seconds", result.content)
      heard(nil, { { addr = "127.0.0.1" } }) -- too late: nothing happens
      assert.equal(0, server.connections)
    end)

    it("when the headers have no end", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n"
        local function again()
          connection:send("X-Long: " .. ("y"):rep(50000) .. "\r\n", again)
        end
        again()
      end)
      local result = fetch "/"
      assert.is_true(result.is_error)
      assert.equal("ECURL", result.details.error_code)
      assert.matches("^Cannot fetch http://[%d.:]+/: ", result.content)
      assert.is_true(server.sent < 32 * 1024 * 1024)
      answer(function(connection)
        local function again()
          connection:send(("HTTP/1.1 103 Early\r\nA: b\r\n\r\n"):rep(1000), again)
        end
        again()
      end)
      result = fetch "/"
      assert.equal("ECURL", result.details.error_code)
      assert.is_true(server.sent < 64 * 1024 * 1024)
    end)

    it("when curl is missing", function()
      local result = fetch("/", nil, { env = { PATH = "/nonexistent" } })
      assert.is_true(result.is_error)
      assert.equal("ENOCURL", result.details.error_code)
      assert.matches("^curl is missing; install it", result.content)
    end)
  end)

  describe("runs", function()
    it("while other things do, and ends when it is cancelled, with what came", function()
      answer(function(connection)
        connection:send "HTTP/1.1 200 OK\r\n\r\nfirst\n"
      end)
      local session = session_of()
      local job = session:call("web_fetch", { url = server:url "/" }, {})
      assert.is_false(job:is_done())
      waiting.eventually(function() return #server.requests == 1 end)
      job:cancel()
      local result = job:wait(10)
      assert.is_true(result.is_error)
      assert.is_true(result.details.cancelled)
      assert.matches("Tool web_fetch was aborted$", result.content)
      session:close()
      waiting.eventually(function() return server.open == 0 end)
      assert.equal(0, server.open)
    end)

    it("until it is cancelled in a look-up", function()
      uv.getaddrinfo = function()
        return {}
      end
      local session = session_of()
      local job = session:call("web_fetch", { url = "http://slow.example/" }, {})
      job:cancel()
      local result = job:wait(5)
      assert.equal("Tool web_fetch was aborted", result.content)
      session:close()
    end)

    it("several at once", function()
      answer(function(connection, request)
        connection:respond("200 OK", {}, request.target)
      end)
      local session = session_of()
      local jobs = {}
      for i = 1, 8 do
        jobs[i] = session:call("web_fetch", { url = server:url("/" .. i) }, {})
      end
      session:wait(30)
      for i, job in ipairs(jobs) do
        assert.equal("/" .. i, job.result.content)
      end
      session:close()
    end)
  end)

  describe("with redaction", function()
    local function redacting(opts)
      opts = opts or {}
      opts.redact = { "sk%-%w+" }
      return opts
    end

    it("shows, keeps and logs no secret, of the body or of anything else", function()
      serve("key sk-abc123 end", { "Content-Type: text/sk-type1" }, "404 sk-reason1")
      local events = {}
      local result = fetch("/sk-path1", nil, redacting {
        on_event = function(event) events[#events + 1] = event.content or event.input.url end,
      })
      assert.equal("key [redacted] end\n\nHTTP status 404 [redacted]", result.content)
      assert.equal(server:url "/[redacted]", result.details.url)
      assert.equal("text/[redacted]", result.details.content_type)
      assert.is_nil(table.concat(events):find("sk-", 1, true))
      assert.equal("/sk-path1", server.requests[1].target)
      server:close()
      local closed = fetch("/sk-path1", nil, redacting())
      assert.matches("^Cannot fetch http://[%d.:]+/%[redacted%]: ", closed.content)
      server = web_server.new(function() end)
    end)

    it("counts offsets in the redacted body", function()
      local text = ("line sk-0123456789abcdef more\n"):rep(40)
      serve(text)
      local joined = pages("/", { max_bytes = 200 }, redacting())
      assert.equal((text:gsub("sk%-%w+", "[redacted]")), joined)
      local result = fetch("/", { max_bytes = 200 }, redacting())
      assert.equal(#joined, result.truncation.bytes_total) -- the end came
    end)

    it("knows no total of what did not come to its end", function()
      serve(("line sk-0123456789abcdef more\n"):rep(20000))
      local result = fetch("/", { max_bytes = 2000 }, redacting())
      assert.is_nil(result.truncation.bytes_total)
      assert.is_number(result.truncation.next_offset)
    end)
  end)

  describe("with a curl that is a script", function()
    local dir

    before_each(function()
      dir = tmpdir.new()
    end)

    after_each(function()
      dir:remove()
    end)

    local function run(script, url)
      dir:write("curl", "#!/bin/sh\n" .. script)
      dir:sh "chmod +x curl"
      local env = { PATH = dir.path .. ":" .. uv.os_getenv "PATH" }
      return fetch({ url = url }, nil, { allow_private = true, env = env })
    end

    local HEAD = "printf 'HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\n' >&2; "

    -- What one of them keeps out another may keep out too: each is there, whichever curl it is.
    it("leaves it no choice: no configuration, proxy, scheme, redirect, look-up or option from the URL", function()
      fake_lookup { ["host.example"] = { { "127.0.0.1", "::1" } } }
      local keep = ("printf '%%s\\n' \"$@\" > %s/argv; "):format(tmpdir.quote(dir.path))
      run(keep .. HEAD .. "echo >&2", "http://host.example:81/-x?y")
      local argv, at = {}, {}
      for word in dir:read("argv"):gmatch "[^\n]+" do
        argv[#argv + 1] = word
        at[word] = #argv
      end
      assert.equal("-q", argv[1])
      assert.equal("*", argv[at["--noproxy"] + 1])
      assert.equal("=http,https", argv[at["--proto"] + 1])
      assert.is_number(at["--no-location"])
      assert.is_number(at["--globoff"])
      for _, name in ipairs { "host.example", "*" } do
        local pin = at[name .. ":81:127.0.0.1,[::1]"]
        assert.equal("--resolve", argv[pin - 1])
      end
      assert.same({ "--", "http://host.example:81/-x?y" }, { argv[#argv - 1], argv[#argv] })
    end)

    it("takes no more than 256 KiB of headers from it", function()
      local lines = "line=$(head -c 4000 /dev/zero | tr '\\0' x); for i in $(seq %d); do echo \"X: $line\" >&2; done; "
      local function with_lines(count)
        return run(HEAD .. lines:format(count) .. "echo >&2; echo body", "http://127.0.0.1:9/")
      end
      local result = with_lines(70)
      assert.is_true(result.is_error)
      assert.equal("Cannot fetch http://127.0.0.1:9/: its headers are too big", result.content)
      assert.equal("ECURL", result.details.error_code)
      assert.equal("body\n", with_lines(60).content)
    end)
  end)

  it("says what is missing, and is left out of the definitions then", function()
    local tool = require "abridge.tools.web_fetch"
    assert.is_true(tool.ready())
    local names, ready, message = {}, nil, nil
    environment.with({ PATH = "/nonexistent" }, function()
      ready, message = tool.ready()
      for _, definition in ipairs(abridge.session():definitions "mcp") do
        names[definition.name] = true
      end
    end)
    assert.is_nil(ready)
    assert.matches("install it", message)
    assert.is_nil(names.web_fetch)
    assert.is_true(names.read_file)
  end)
end)
