-- What web_fetch may reach: addresses, names and the redirects that lead there.
local abridge = require "support.unsaved"
local fetching = require "support.fetching"
local plain = require "support.plain"
local web_server = require "support.web_server"

local answer = fetching.answer
local session_of = fetching.session_of
local fetch = fetching.fetch
local fake_lookup = fetching.fake_lookup
local server

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

describe("web_fetch #few", function()
  before_each(function()
    server = fetching.start()
  end)

  after_each(fetching.stop)

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
      refused(
        "EPRIVATE",
        "Address 169.254.169.254 is private: not allowed by this session",
        { url = "http://169.254.169.254/latest/meta-data/" }
      )
      refused("EPRIVATE", "Address ::1 is private: not allowed by this session", { url = server:url("/", "[::1]") })
    end)

    it("names that lead to a private address, even one among several", function()
      fake_lookup {
        ["in.example"] = { { "10.0.0.1" } },
        ["mixed.example"] = { { "127.0.0.1", "93.184.216.34", "192.168.0.9" } },
        ["zone.example"] = { { "fe80::1%lo" } },
      }
      refused(
        "EPRIVATE",
        "Address 10.0.0.1 of host in.example is private: not allowed by this session",
        { url = server:url("/", "in.example") }
      )
      refused(
        "EPRIVATE",
        "Address 192.168.0.9 of host mixed.example is private: not allowed by this session",
        { url = server:url("/", "mixed.example") }
      )
      refused(
        "EPRIVATE",
        "Address fe80::1%lo of host zone.example is private: not allowed by this session",
        { url = server:url("/", "zone.example") },
        { allow_private = { "fe80::/10" } }
      )
    end)

    it("everything but http and https", function()
      refused("ESCHEME", "Scheme file is not allowed: only http and https are", { url = "file:///etc/passwd" })
      refused(
        "ESCHEME",
        "Scheme gopher is not allowed: only http and https are",
        { url = ("gopher://127.0.0.1:%d/_GET"):format(server.port) }
      )
    end)

    it("URLs that are none, and passes none of their secrets on", function()
      refused("EURL", "Invalid URL: it must start with http:// or https://", { url = "example.com" })
      refused("EURL", "Invalid URL: it must start with http:// or https://", { url = "-o/tmp/x" })
      refused(
        "EURL",
        "Invalid URL: blanks, control characters and backslashes must be percent-encoded",
        { url = server:url "/a\r\nX-Injected: 1" }
      )
      local result = refused(
        "EURL",
        "Invalid URL: it must not hold a user name or password",
        { url = "http://me:secret@127.0.0.1/" }
      )
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
      refused(
        "EPRIVATE",
        "Address 127.0.0.1 is private: not allowed by this session",
        "/",
        { allow_private = { "localhost" } }
      )
      refused(
        "EPRIVATE",
        "Address 127.0.0.1 is private: not allowed by this session",
        "/",
        { allow_private = { "127.0.0.2", "10.0.0.0/8", "::/0" } }
      )
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
        plain.raises({ "abridge.session", "allow_private", ... }, abridge.session, { allow_private = value })
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

    it("several addresses, and tries the next when one does not answer", function()
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
        refused(
          "EPRIVATE",
          ("Address %s is private: not allowed by this session (redirected from %s)"):format(
            address,
            server:url(path, "out.example")
          ),
          { url = server:url(path, "out.example") },
          only,
          1
        )
      end
      local result = refused(
        "EPRIVATE",
        "Address 127.0.0.1 of host in.example is private: not allowed by this session"
          .. " (redirected from "
          .. server:url("/c", "out.example")
          .. ")",
        { url = server:url("/c", "out.example") },
        only,
        1
      )
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
end)
