local abridge = require "support.unsaved"
local environment = require "support.environment"
local fetching = require "support.fetching"
local host = require "abridge.base.host"
local tmpdir = require "support.tmpdir"
local waiting = require "support.waiting"
local web_server = require "support.web_server"

local uv = host.uv()
local answer = fetching.answer
local serve = fetching.serve
local session_of = fetching.session_of
local fetch = fetching.fetch
local pages = fetching.pages
local server

describe("web_fetch #few", function()
  before_each(function()
    server = fetching.start()
  end)

  after_each(fetching.stop)

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
        connection:respond(
          "200 OK",
          { "Transfer-Encoding: chunked" },
          "3\r\nabc\r\n5\r\n\ndefg\r\n0\r\nX-Trailer: no\r\n\r\n",
          true
        )
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
          connection:send(text:sub(at, at), function()
            from(at + 1)
          end)
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

    it("the response after interim ones", function()
      answer(function(connection)
        connection:finish(
          ("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nContent-Type: wrong/type\r\n\r\n"):rep(3)
            .. "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nbody"
        )
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
      assert.same(
        { true, "image/png", #png },
        { result.details.binary, result.details.media_type, result.details.size }
      )
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
      waiting.eventually(function()
        return server.open == 0
      end)
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
      waiting.eventually(function()
        return #server.requests == 1
      end)
      job:cancel()
      local result = job:wait(10)
      assert.is_true(result.is_error)
      assert.is_true(result.details.cancelled)
      assert.matches("Tool web_fetch was aborted$", result.content)
      session:close()
      waiting.eventually(function()
        return server.open == 0
      end)
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
      local result = fetch(
        "/sk-path1",
        nil,
        redacting {
          on_event = function(event)
            events[#events + 1] = event.content or event.input.url
          end,
        }
      )
      assert.equal("key [redacted] end\n\nHTTP status 404 [redacted]", result.content)
      assert.equal(server:url "/[redacted]", result.details.url)
      assert.equal("text/[redacted]", result.details.content_type)
      assert.is_nil(table.concat(events):find("sk-", 1, true))
      assert.equal("/sk-path1", server.requests[1].target)
      server:close()
      local closed = fetch("/sk-path1", nil, redacting())
      assert.matches("^Cannot fetch http://[%d.:]+/%[redacted%]: ", closed.content)
      server = fetching.start()
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

    -- One of them may do the work of another: all are there, whichever curl it is.
    it("leaves it no choice: no configuration, proxy, scheme, redirect, look-up or option from the URL", function()
      fetching.fake_lookup { ["host.example"] = { { "127.0.0.1", "::1" } } }
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
