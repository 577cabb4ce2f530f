local address = require "abridge.web.address"
local random = require "support.random"

--- Is an address private? Raises on what is none.
local function is_private(text)
  return address.is_private(assert(address.parse(text), text))
end

describe("addresses", function()
  it("are read in their usual notation", function()
    assert.same({ 127, 0, 0, 1 }, address.parse "127.0.0.1")
    assert.same({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 }, address.parse "::1")
    assert.same({ 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 11 }, address.parse "2001:DB8::a:b")
    assert.same({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 9 }, address.parse "::ffff:10.0.0.9")
    assert.same({ 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 }, address.parse "1:2:3:4:5:6:7:8")
    assert.same(address.parse "1:2:3:4:5:6:7:0", address.parse "1:2:3:4:5:6:7::")
  end)

  it("have no other form", function()
    for _, text in ipairs {
      "",
      "1.2.3",
      "1.2.3.4.5",
      "1.2.3.256",
      "01.2.3.4",
      "0x7f.0.0.1",
      "1.2.3.4 ",
      "a.b.c.d",
      "2130706433",
      ":",
      ":::",
      "1:2",
      "1::2::3",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4:5:6:7:8::",
      "12345::",
      "g::",
      "fe80::1%eth0",
      "::1.2.3",
      "::1.2.3.4:5",
      "1.2.3.4::",
      "[::1]",
      "1:2:3:4:5:6:7:1.2.3.4",
    } do
      assert.is_nil(address.parse(text), text)
    end
  end)

  it("of IPv4 are read in every notation that resolvers take", function()
    for _, text in ipairs {
      "127.0.0.1",
      "127.1",
      "127.0.1",
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "0X7F.0.0.0x1",
      "017700000001",
      "0177.1",
      "127.0.0.01",
      "00000000000177.1",
    } do
      assert.same({ 127, 0, 0, 1 }, address.parse_ipv4(text), text)
    end
    assert.same({ 255, 255, 255, 255 }, address.parse_ipv4 "4294967295")
    for _, text in ipairs {
      "",
      ".",
      "1.",
      ".1",
      "1..1",
      "4294967296",
      "256.1",
      "1.16777216",
      "1.2.65536",
      "08",
      "0x1g",
      "1.2.3.4.5",
      "-1",
      "+1",
      "1e3",
      "0x1000000000000",
      "99999999999999999999",
    } do
      assert.is_nil(address.parse_ipv4(text), text)
    end
  end)

  it("that are not public are private, at both ends of their blocks", function()
    for _, text in ipairs {
      "0.0.0.0",
      "0.255.255.255",
      "10.0.0.0",
      "10.255.255.255",
      "100.64.0.0",
      "100.127.255.255",
      "127.0.0.1",
      "127.255.255.255",
      "169.254.0.0",
      "169.254.169.254",
      "172.16.0.0",
      "172.31.255.255",
      "192.0.0.1",
      "192.0.2.9",
      "192.88.99.1",
      "192.168.0.0",
      "192.168.255.255",
      "198.18.0.0",
      "198.19.255.255",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "239.255.255.255",
      "240.0.0.0",
      "255.255.255.255",
      "::",
      "::1",
      "::127.0.0.1",
      "fe80::1",
      "febf::1",
      "fec0::1",
      "fc00::1",
      "fdff::1",
      "ff02::1",
      "100::1",
      "2001::1",
      "2001:db8::1",
      "2001:1ff:ffff::",
      "3fff::1",
      "3fff:fff::1",
      "5f00::1",
      "64:ff9b:1::1",
      "4000::1",
      "::ffff:127.0.0.1",
      "::ffff:a00:1",
      "64:ff9b::10.0.0.1",
      "64:ff9b::a9fe:a9fe",
      "2002:7f00:1::",
      "2002:c0a8:1::5",
      "::ffff:0:127.0.0.1",
    } do
      assert.is_true(is_private(text), text)
    end
  end)

  it("beside those blocks are public", function()
    for _, text in ipairs {
      "1.0.0.0",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.0",
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "192.0.1.0",
      "192.0.3.0",
      "192.167.255.255",
      "192.169.0.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "8.8.8.8",
      "2000::",
      "2001:200::1",
      "2606:4700::1111",
      "2a00:1450:4001::1",
      "3ffe::1",
      "3fff:1000::",
      "::ffff:8.8.8.8",
      "64:ff9b::8.8.8.8",
      "2002:808:808::1",
    } do
      assert.is_false(is_private(text), text)
    end
  end)

  it("of IPv4 are what they are inside IPv6 too", function()
    random.each(300, function()
      local bytes = {}
      for i = 1, 4 do
        bytes[i] = random.chance(3) and random.choose { 0, 10, 100, 127, 169, 172, 192, 198, 254 } or random.below(256)
      end
      local text = address.format_ipv4(bytes)
      for _, prefix in ipairs { "::ffff:", "64:ff9b::" } do
        random.must(is_private(prefix .. text) == is_private(text), "%s and %s differ", prefix .. text, text)
      end
    end)
  end)
end)

describe("host names", function()
  it("have one form", function()
    assert.equal("example.com", address.host_name "Example.COM")
    assert.equal("example.com", address.host_name "example.com.")
    assert.equal("xn--bcher-kva.example", address.host_name "xn--bcher-kva.example")
    assert.equal("a_b", address.host_name "a_b")
    assert.equal("3com.com", address.host_name "3com.com")
    assert.equal(("a"):rep(63) .. ".b", address.host_name(("a"):rep(63) .. ".b"))
  end)

  it("are no addresses and no other texts", function()
    for _, text in ipairs {
      "",
      ".",
      "..",
      "a..b",
      ".a",
      "a..",
      "a b",
      "a/b",
      "a:1",
      "a%41",
      "b\195\188cher.example",
      "a\0b",
      "a@b",
      "1",
      "a.1",
      "0x7f",
      "a.0x1",
      "127.0.0.1",
      "*.example.com",
      ("a"):rep(64),
      ("a."):rep(127) .. "a",
    } do
      assert.is_nil(address.host_name(text), text)
    end
  end)
end)

describe("what a session allows", function()
  local function has(spec, host, text)
    return assert(address.allowed(spec)):has(host, assert(address.parse(text)))
  end

  it("is nothing where it names nothing", function()
    for _, spec in ipairs { false, {} } do
      assert.is_false(has(spec, "127.0.0.1", "127.0.0.1"))
    end
    assert.is_false(has(nil, "localhost", "::1"))
  end)

  it("is everything with true", function()
    assert.is_true(has(true, "localhost", "::1"))
  end)

  it("is an address, and that alone", function()
    assert.is_true(has({ "127.0.0.1" }, "localhost", "127.0.0.1"))
    assert.is_false(has({ "127.0.0.1" }, "localhost", "127.0.0.2"))
    assert.is_false(has({ "127.0.0.1" }, "localhost", "::1"))
    assert.is_true(has({ "::1" }, "localhost", "::1"))
    assert.is_true(has({ "[::1]" }, "localhost", "0:0::1"))
    assert.is_true(has({ "10.0.0.1" }, "x", "::ffff:10.0.0.1"))
    assert.is_false(has({ "10.0.0.1" }, "x", "::ffff:10.0.0.2"))
  end)

  it("is a block, whatever follows its bits", function()
    assert.is_true(has({ "10.0.0.0/8" }, "x", "10.255.3.4"))
    assert.is_true(has({ "10.9.9.9/8" }, "x", "10.255.3.4"))
    assert.is_false(has({ "10.0.0.0/8" }, "x", "11.0.0.0"))
    assert.is_true(has({ "192.168.4.0/22" }, "x", "192.168.7.255"))
    assert.is_false(has({ "192.168.4.0/22" }, "x", "192.168.8.0"))
    assert.is_true(has({ "fd00::/9" }, "x", "fd7f::1"))
    assert.is_false(has({ "fd00::/9" }, "x", "fd80::1"))
    assert.is_true(has({ "0.0.0.0/0" }, "x", "127.0.0.1"))
    assert.is_false(has({ "0.0.0.0/0" }, "x", "::1"))
    assert.is_true(has({ "::/0" }, "x", "::1"))
  end)

  it("is a host by its name, wherever it is, and no other", function()
    assert.is_true(has({ "Intranet.Example." }, "intranet.example", "10.1.2.3"))
    assert.is_false(has({ "intranet.example" }, "www.intranet.example", "10.1.2.3"))
    assert.is_false(has({ "intranet.example" }, "10.1.2.3", "10.1.2.3"))
  end)

  it("has no entry of another form: the wrong one is named", function()
    local function wrong(spec, entry, place)
      local allowed, what, key = address.allowed(spec)
      assert.is_nil(allowed)
      assert.equal(entry, what)
      assert.equal(place, key)
    end
    wrong({ "127.0.0.1", "10.0.0.0/33" }, "10.0.0.0/33", 2)
    wrong({ "::/129" }, "::/129", 1)
    wrong({ "10.0.0.0/" }, "10.0.0.0/", 1)
    wrong({ "10.0.0/8" }, "10.0.0/8", 1)
    wrong({ "fe80::1%lo" }, "fe80::1%lo", 1)
    wrong({ "http://x" }, "http://x", 1)
    wrong({ "*.example" }, "*.example", 1)
    wrong({ "" }, "", 1)
    wrong({ 5 }, 5, 1)
    wrong({ localhost = true }, true, "localhost")
    wrong({ name = "localhost" }, "localhost", "name")
  end)
end)
