local random = require "support.random"
local url = require "abridge.web.url"

local function text_of(text)
  local parsed, problem = url.parse(text)
  return parsed and parsed:text() or problem
end

local function refused(expected, ...)
  for _, text in ipairs { ... } do
    local parsed, problem = url.parse(text)
    assert.is_nil(parsed, text)
    assert.equal(expected, problem, text)
  end
end

describe("a URL", function()
  it("has one form", function()
    for given, wanted in pairs {
      ["http://example.com"] = "http://example.com/",
      ["HTTPS://Example.COM.:443/A?b=C#frag"] = "https://example.com/A?b=C",
      ["http://example.com:80/"] = "http://example.com/",
      ["http://example.com:/"] = "http://example.com/",
      ["http://example.com:443/"] = "http://example.com:443/",
      ["http://example.com:0080/"] = "http://example.com/",
      ["http://example.com?q"] = "http://example.com/?q",
      ["http://example.com#a?b/c"] = "http://example.com/",
      ["http://h/a/./b/../c"] = "http://h/a/c",
      ["http://h/../../a/.."] = "http://h/",
      ["http://h/a/b/."] = "http://h/a/b/",
      ["http://h/a//b/"] = "http://h/a//b/",
      ["http://h/?x=/../y"] = "http://h/?x=/../y",
      ['http://h/%7e%2F{a}|"<>^`'] = "http://h/%7e%2F%7Ba%7D%7C%22%3C%3E%5E%60",
      ["http://h/\195\169?\195\169"] = "http://h/%C3%A9?%C3%A9",
      ["http://h/[1-9]@:x"] = "http://h/[1-9]@:x",
      ["http://h//evil.example/"] = "http://h//evil.example/",
      ["http://127.1"] = "http://127.0.0.1/",
      ["http://2130706433/"] = "http://127.0.0.1/",
      ["http://0x7f.0.0.01:8080/"] = "http://127.0.0.1:8080/",
      ["http://[::1]"] = "http://[::1]/",
      ["http://[::FFFF:1.2.3.4]:81/"] = "http://[::ffff:1.2.3.4]:81/",
    } do
      assert.equal(wanted, text_of(given), given)
    end
  end)

  it("knows an address from a name", function()
    assert.same({ 10, 0, 0, 1 }, url.parse("http://10.1/").address)
    assert.equal(16, #url.parse("http://[fe80::1]/").address)
    assert.equal("fe80::1", url.parse("http://[FE80::1]/").host)
    assert.is_nil(url.parse("http://localhost/").address)
  end)

  it("starts with http:// or https://", function()
    refused("url_start", "", "example.com", "example.com:80/x", "//example.com/", "/etc/passwd", "http:example.com")
    refused("url_start", "http:/example.com", "https:", "http")
    refused("ESCHEME", "file:///etc/passwd", "ftp://h/", "gopher://h:70/_x", "javascript:alert(1)", "data:,x")
    refused("ESCHEME", "dict://h/", "httpx://h/", "FILE:/x")
  end)

  it("holds no byte that two programs may read differently", function()
    refused("url_chars", " http://h/", "http://h/ ", "http://h/\n", "http://h/\r\nX: y", "http://h/\0", "http://h\t/")
    refused("url_chars", "http://h\\@evil/", "http://h/a\\b", "http:\\\\h/", "http://h/\127")
  end)

  it("holds no user and no password", function()
    refused("url_user", "http://user@h/", "http://user:pass@h/", "http://@h/", "http://a@b@c/")
    refused("url_user", "http://127.0.0.1:80@h/")
    assert.equal("http://h/a@b", text_of "http://h/a@b")
  end)

  it("has a host", function()
    refused("url_host", "http://", "http:///", "http:///x", "http://:80/", "http://?x", "http://./", "http://a..b/")
    refused("url_host", "http://a%2eb/", "http://%31/", "http://a%20b/", "http://a,b/", "http://*/", "http://a;b/")
    refused("url_host", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://a.1/", "http://x.08/")
    refused("url_host", "http://4294967296/")
    refused("url_host", "http://[]/", "http://[1.2.3.4]/", "http://[::1/", "http://[fe80::1%25eth0]/", "http://[::g]/")
    refused("url_ascii", "http://b\195\188cher.example/", "http://\239\188\145.1/", "http://\255/")
  end)

  it("has a port from 1 to 65535", function()
    refused("url_port", "http://h:0/", "http://h:65536/", "http://h:99999/", "http://h:123456/", "http://h:-1/")
    refused("url_port", "http://h:8a/", "http://h:+80/", "http://h:80:80/", "http://[::1]80/", "http://[::1]:x/")
    refused("url_host", "http://::1/")
    assert.equal("http://h:65535/", text_of "http://h:65535/")
  end)

  it("has at most 8192 bytes", function()
    local text = "http://h/" .. ("a"):rep(8192 - 9)
    assert.equal(text, text_of(text))
    refused("url_long", text .. "a")
  end)

  it("is the same URL when it is read again", function()
    random.each(300, function()
      local text = "http://"
        .. random.join(
          { "h", "1.2", "[::1]", ":80", ".", "/", "..", "?", "#", "%", "a b", "{", "\195\169", "@", "x/y" },
          random.below(8)
        )
      local parsed = url.parse(text)
      if parsed then
        local again = url.parse(parsed:text())
        random.must(again and again:text() == parsed:text(), "%s reads %s", text, parsed:text())
        random.must(again.host == parsed.host and again.port == parsed.port, "%s has another host", text)
        random.must(not parsed:text():find "[%z\1-\32\127-\255\\]", "%s holds bad bytes", parsed:text())
      end
    end)
  end)
end)

describe("a redirect", function()
  local base = url.parse "http://a.example:81/b/c/d?q"

  it("goes where RFC 3986 says", function()
    for reference, wanted in pairs {
      ["https://x.example/y"] = "https://x.example/y",
      ["HTTP://x.example"] = "http://x.example/",
      ["//x.example/y"] = "http://x.example/y",
      ["/y"] = "http://a.example:81/y",
      ["y"] = "http://a.example:81/b/c/y",
      ["./y"] = "http://a.example:81/b/c/y",
      ["../y"] = "http://a.example:81/b/y",
      ["../../../../y"] = "http://a.example:81/y",
      ["?z"] = "http://a.example:81/b/c/d?z",
      ["y?z#f"] = "http://a.example:81/b/c/y?z",
      [""] = "http://a.example:81/b/c/d?q",
      ["#f"] = "http://a.example:81/b/c/d?q",
      ["  /a b\t"] = "http://a.example:81/a%20b",
      ["/\195\169"] = "http://a.example:81/%C3%A9",
      ["/x//../y"] = "http://a.example:81/x/y",
    } do
      assert.equal(wanted, base:follow(reference):text(), reference)
    end
    local blanks = (" "):rep(1e6) -- a pattern that looked at them once for each would not end
    assert.equal("http://a.example:81/b/c/y", base:follow("y" .. blanks):text())
    assert.is_nil(base:follow("y" .. blanks .. "y")) -- too long
  end)

  it("is read as strictly as any URL", function()
    for reference, wanted in pairs {
      ["file:///etc/passwd"] = "ESCHEME",
      ["javascript:x"] = "ESCHEME",
      ["http://u:p@x/"] = "url_user",
      ["//u@x/"] = "url_user",
      ["//x:0/"] = "url_port",
      ["/\\x"] = "url_chars",
      ["\\\\x"] = "url_chars",
      ["/a\1b"] = "url_chars",
      ["http:x"] = "url_start",
      ["//"] = "url_host",
      ["/" .. ("a"):rep(9000)] = "url_long",
    } do
      local followed, problem = base:follow(reference)
      assert.is_nil(followed)
      assert.equal(wanted, problem, reference)
    end
  end)
end)
