-- abridge.locations: the places that diagnostics in a text point at.
local abridge = require "abridge"
local random = require "support.random"

--- Each place as one string: line of the text, place, severity, message.
local function places(text, opts)
  local out = {}
  for i, at in ipairs((abridge.locations(text, opts))) do
    local place = at.file .. ":" .. at.lnum .. (at.col and ":" .. at.col or "")
    out[i] = at.line .. " " .. place .. " " .. (at.severity or "-") .. "|" .. at.message
  end
  return out
end

local GCC = [[
In file included from src/shop.c:1:
src/cart.h: In function ‘total’:
src/cart.h:1:22: error: ‘sum’ undeclared (first use in this function)
    1 | int total(void) { return sum; }
      |                          ^~~
src/cart.h:1:22: note: each undeclared identifier is reported only once for each function it appears in
src/shop.c:3:27: warning: implicit declaration of function ‘pay’ [-Wimplicit-function-declaration]
src/shop.c:9:10: fatal error: till.h: No such file or directory
/usr/bin/ld: /tmp/shop.o: in function `main':
/home/me/src/shop.c:1: undefined reference to `ring'
collect2: error: ld returned 1 exit status
]]

local RUST = [[
error[E0308]: mismatched types
 --> src/main.rs:1:26
  |
1 | fn main() { let x: i32 = "a"; let y = 3; }
  |                    ---   ^^^ expected `i32`, found `&str`

warning: unused variable: `y`
 --> src/main.rs:1:35
note: required by a bound in `spawn`
  ::: /lib/thread.rs:7:9

error: aborting due to 1 previous error
]]

local ESLINT = [[

/home/me/web app/src/cart.js
   3:10  error    'total' is defined but never used  no-unused-vars
  12:5   warning  Unexpected console statement       no-console

src/till.js
  7:1  error  Parsing error: Unexpected token

✖ 3 problems (2 errors, 1 warning)
]]

local PYTHON = [[
Traceback (most recent call last):
  File "/srv/my shop/cart.py", line 5, in outer
    inner()
  File "/srv/my shop/cart.py", line 2, in inner
    raise ValueError("bad value: 3\nand more")
    ^^^^^^^^^^^^^^^^^
ValueError: bad value: 3
and more

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/my shop/cart.py", line 8, in <module>
    outer()
  File "/srv/my shop/cart.py", line 7, in outer
    raise KeyError("gone") from e
KeyError: 'gone'
  File "<string>", line 1, in <module>
]]

local NODE = [[
/srv/shop/cart.js:12
  total.sum()
        ^

TypeError: Cannot read properties of undefined (reading 'sum')
    at total (/srv/shop/cart.js:12:9)
    at Object.<anonymous> (/srv/my shop/till.js:2:1)
    at async file:///srv/shop/run.mjs:4:3
    at node:internal/main/run_main_module:28:49
    at Module._load (node:internal/modules/cjs/loader:1091:12)

Node.js v20.20.2
]]

local PYTEST = [[
____________________________ test_total ____________________________

    def test_total():
>       assert total([1]) == 2
E       assert 1 == 2
E        +  where 1 = total([1])

tests/test_cart.py:12: AssertionError
tests/test_cart.py:20: in test_pay
    pay()
shop/till.py:4: KeyError
]]

local JAVA = [[
src/Cart.java:3: error: incompatible types: String cannot be converted to int
Exception in thread "main" java.lang.IllegalStateException: closed
	at shop.Till.ring(Till.java:31)
	at shop.Main.main(Main.java:5)
Caused by: java.io.IOException: no paper
	at shop.Printer.print(Printer.java:8)
	... 2 more
[ERROR] /srv/shop/src/Cart.java:[12,5] cannot find symbol
]]

local ASAN = [[
==20208==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000038
READ of size 4 at 0x602000000038 thread T0
    #0 0x55f330a8ff62 in total /srv/shop/cart.c:2:24
    #1 0x55f330a8ff95 in main /srv/shop/cart.c:9:45
    #2 0x55f3309d2300 in _start (/srv/shop/till+0x20300)

0x602000000038 is located 32 bytes to the right of 8-byte region
allocated by thread T0 here:
    #0 0x55f330a5514e in malloc (/srv/shop/till+0xa314e)
    #1 0x55f330a8ff88 in main /srv/shop/cart.c:7:27
]]

describe("locations", function()
  it("reads what gcc and clang print", function()
    assert.same({
      "1 src/shop.c:1 -|",
      "3 src/cart.h:1:22 error|‘sum’ undeclared (first use in this function)",
      "6 src/cart.h:1:22 note|each undeclared identifier is reported only once for each function it appears in",
      "7 src/shop.c:3:27 warning|implicit declaration of function ‘pay’",
      "8 src/shop.c:9:10 error|till.h: No such file or directory",
      "10 /home/me/src/shop.c:1 -|undefined reference to `ring'",
    }, places(GCC))
  end)

  it("joins rustc's message with the arrow below it", function()
    assert.same({
      "2 src/main.rs:1:26 error|mismatched types",
      "8 src/main.rs:1:35 warning|unused variable: `y`",
      "10 /lib/thread.rs:7:9 note|required by a bound in `spawn`",
    }, places(RUST))
  end)

  it("reads both forms of tsc", function()
    assert.same(
      { "1 src/cart.ts:1:5 error|Type 'string' is not assignable to type 'number'." },
      places "src/cart.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'."
    )
    assert.same(
      { "1 src/cart.ts:1:5 error|Cannot find name 'x'." },
      places(
        "\27[96msrc/cart.ts\27[0m:\27[93m1\27[0m:\27[93m5\27[0m - \27[91merror\27[0m\27[90m TS2304: \27[0m"
          .. "Cannot find name 'x'.\n"
      )
    )
  end)

  it("joins eslint's rows with the file above them", function()
    assert.same({
      "3 /home/me/web app/src/cart.js:3:10 error|'total' is defined but never used",
      "4 /home/me/web app/src/cart.js:12:5 warning|Unexpected console statement",
      "7 src/till.js:7:1 error|Parsing error: Unexpected token",
    }, places(ESLINT))
  end)

  it("puts the last line of a traceback on its innermost frame", function()
    assert.same({
      "2 /srv/my shop/cart.py:5 -|",
      "4 /srv/my shop/cart.py:2 error|ValueError: bad value: 3",
      "13 /srv/my shop/cart.py:8 -|",
      "15 /srv/my shop/cart.py:7 error|KeyError: 'gone'",
    }, places(PYTHON))
    assert.same(
      { "1 cart.py:1 error|SyntaxError: '(' was never closed" },
      places "  File \"cart.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n"
    )
  end)

  it("joins node's heading and first frame with the error, but not the host's own modules", function()
    local thrown = "error|TypeError: Cannot read properties of undefined (reading 'sum')"
    assert.same({
      "1 /srv/shop/cart.js:12 " .. thrown,
      "6 /srv/shop/cart.js:12:9 " .. thrown,
      "7 /srv/my shop/till.js:2:1 -|",
      "8 file:///srv/shop/run.mjs:4:3 -|",
    }, places(NODE))
  end)

  it("joins pytest's place with the first line it marks", function()
    assert.same({
      "8 tests/test_cart.py:12 error|assert 1 == 2",
      "9 tests/test_cart.py:20 -|",
      "11 shop/till.py:4 error|KeyError",
    }, places(PYTEST))
  end)

  it("reads what javac, Java and Maven print", function()
    assert.same({
      "1 src/Cart.java:3 error|incompatible types: String cannot be converted to int",
      "3 Till.java:31 error|java.lang.IllegalStateException: closed",
      "4 Main.java:5 -|",
      "6 Printer.java:8 error|java.io.IOException: no paper",
      "8 /srv/shop/src/Cart.java:12:5 error|cannot find symbol",
    }, places(JAVA))
  end)

  it("puts a sanitizer's message on the first frame below it", function()
    assert.same({
      "3 /srv/shop/cart.c:2:24 error|AddressSanitizer: heap-buffer-overflow on address 0x602000000038",
      "4 /srv/shop/cart.c:9:45 -|",
      "10 /srv/shop/cart.c:7:27 -|",
    }, places(ASAN))
    assert.same(
      { "1 cart.c:2:24 error|runtime error: index 10 out of bounds" },
      places "cart.c:2:24: runtime error: index 10 out of bounds"
    )
    assert.same(
      { "1 cp/call.cc:812 error|internal compiler error: oops" },
      places "cp/call.cc:812: internal compiler error: oops"
    )
  end)

  it("reads what go prints", function()
    local text = "# shop/cart\n./cart.go:3:2: undefined: total\nvet: ./till.go:9:1: missing return\n"
      .. "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3, want 4\n"
      .. "goroutine 1 [running]:\nmain.total(...)\n\t/srv/shop/cart.go:12 +0x1d\n"
    assert.same({
      "2 ./cart.go:3:2 -|undefined: total",
      "3 ./till.go:9:1 -|missing return",
      "5 cart_test.go:12 -|got 3, want 4",
      "8 /srv/shop/cart.go:12 -|",
    }, places(text))
  end)

  it("reads what Lua, busted and luacheck print", function()
    local text = "lua: src/cart.lua:1: no till\nstack traceback:\n\t[C]: in function 'error'\n"
      .. "\tsrc/cart.lua:1: in function 'total'\nFailure -> spec/cart_spec.lua @ 2\ncart adds up\n"
      .. "spec/cart_spec.lua:2: Expected objects to be equal.\nChecking src/cart.lua   1 warning\n\n"
      .. "    src/cart.lua:2:7: (W211) unused variable \27[0m\27[1mx\27[0m\n"
    assert.same({
      "1 src/cart.lua:1 -|no till",
      "4 src/cart.lua:1 -|",
      "5 spec/cart_spec.lua:2 error|",
      "7 spec/cart_spec.lua:2 -|Expected objects to be equal.",
      "10 src/cart.lua:2:7 warning|unused variable x",
    }, places(text))
  end)

  it("reads hits of grep and rg, with the file on each line or above them", function()
    assert.same({
      '1 src/cart.lua:1 -|local function f() error("no till") end',
      "2 Makefile:12 -|build:",
      "3 bin/run:3 -|x",
    }, places 'src/cart.lua:1:local function f() error("no till") end\nMakefile:12:build:\nbin/run:3:x\n')
    assert.same({
      "2 src/cart.lua:1 -|local a",
      "3 src/cart.lua:17 -|5 apples",
      "6 src/till.lua:2:9 -|b",
    }, places "\27[35msrc/cart.lua\27[0m\n\27[32m1\27[0m:local a\n17:5 apples\n\nsrc/till.lua\n2:9:b\n")
  end)

  it("reads what shells, Perl, PHP, Ruby and Rust say amid a sentence", function()
    assert.same({ "1 ./run.sh:3 -|till: command not found" }, places "./run.sh: line 3: till: command not found")
    assert.same({ "1 cart.pl:3 -|No till" }, places "No till at cart.pl line 3.")
    assert.same(
      { "1 /srv/cart.php:12 error|Uncaught Exception: no till" },
      places "Fatal error: Uncaught Exception: no till in /srv/cart.php on line 12"
    )
    assert.same(
      { "1 cart.rb:3 -|no till (RuntimeError)", "2 till.rb:9 -|" },
      places "cart.rb:3:in 'total': no till (RuntimeError)\n\tfrom till.rb:9:in 'main'\n"
    )
    assert.same(
      { "1 src/main.rs:4:5 error|no till" },
      places "thread 'main' panicked at src/main.rs:4:5:\nno till\nnote: run with RUST_BACKTRACE=1"
    )
    assert.same({ "1 /srv/cart.lua:3 error|no till" }, places "Error executing lua /srv/cart.lua:3: no till")
    assert.same({ "1 CMakeLists.txt:12 error|CMake Error" }, places "CMake Error at CMakeLists.txt:12 (message):")
    assert.same({ "1 a.yml:3:5 -|" }, places 'in "a.yml", line 3, column 5')
  end)

  it("reads Windows paths, as they are written", function()
    assert.same({ "1 C:\\shop\\cart.c:12:5 error|no till" }, places "C:\\shop\\cart.c(12,5): error C2065: no till\r\n")
    assert.same({ "1 C:\\shop\\cart.c:12:5 error|no till" }, places "C:\\shop\\cart.c:12:5: error: no till")
    assert.same({ "1 C:/shop/cart.js:12:5 -|" }, places "    at total (C:/shop/cart.js:12:5)")
    assert.same({ "1 ..\\a//b/./c.c:1 -|x" }, places "..\\a//b/./c.c:1: x")
  end)

  it("reads names with blanks where they are quoted", function()
    assert.same({ "1 my cart.c:3 -|no till" }, places '"my cart.c", line 3: no till')
    assert.same({ "1 my cart.c:3:9 error|no till" }, places "'my cart.c':3:9: error: no till")
  end)

  it("starts after times and levels of a logger", function()
    assert.same({ "1 cart.c:3:9 error|no till" }, places "2026-03-01T10:00:00.0000000Z cart.c:3:9: error: no till")
    assert.same({ "1 cart.c:3 warning|no till" }, places "[WARNING] cart.c:3: no till")
  end)

  it("takes no time, address, version or data for a place", function()
    for _, line in ipairs {
      "12:30:05 started",
      "2026-03-01T12:30:05 started",
      "at 12:30:05",
      "10.30:05",
      "http://localhost:8080",
      "listening at http://localhost:8080/x",
      "https://example.com:443/a.js:12:5",
      "ERROR: connect to http://localhost:8080/x failed",
      "localhost:8080: refused",
      "redis:6379",
      "example.com:443: refused",
      "127.0.0.1:8080: refused",
      "[::1]:8080",
      "fe80::1:8080: refused",
      "::1:80",
      "v1.2.3:4",
      "lib-1.2.3:4",
      "docker.io/library/nginx:1.25",
      "git@host.example:22/a",
      '"log.level":30,',
      '{"a.b": 12}',
      "total: 12",
      "line 12",
      "printf(12)",
      "f.g(12",
      "a.c:0: x",
      "a.c:",
      "a.c:1234567890: x",
      "ratio 4:3",
      "key:12",
      "see cart.c:12 for more",
      "<stdin>:3:5: error: x",
      '  File "<string>", line 1, in <module>',
      "caller=main.go:12",
      "a.c:12x",
      "-a.c:12:",
    } do
      assert.same({}, places(line), line)
    end
  end)

  it("gives a column only where there is one", function()
    assert.same(
      { { line = 1, file = "a.py", lnum = 1, severity = nil, message = "C0114: no docstring" } },
      (abridge.locations "a.py:1:0: C0114: no docstring (no-docstring)"),
      ""
    )
  end)

  it("takes a name over 4 KiB for none, and cuts a message there, between chars", function()
    local name = ("a"):rep(4094) .. ".c"
    assert.equal(name, abridge.locations(name .. ":3: x")[1].file)
    assert.same({}, (abridge.locations("a" .. name .. ":3: x")))
    assert.equal(4096, #abridge.locations("a.c:3: " .. ("x"):rep(5000))[1].message)
    assert.equal(4094, #abridge.locations("a.c:3: xx" .. ("\226\130\172"):rep(2000))[1].message)
  end)

  it("finds nothing in an empty text, and takes any bytes", function()
    assert.same({ {} }, { abridge.locations "" })
    assert.same({ {} }, { abridge.locations "\n\n" })
    assert.same({ "1 a.c:3 -|x\0y\255" }, places "a.c:3: x\0y\255")
  end)

  it("says where to go on after max_lines, and nothing at the end", function()
    local list, from = abridge.locations(ESLINT, { max_lines = 3 })
    assert.equal(1, #list)
    assert.same({ line = 4, byte = #ESLINT:match "^\n[^\n]*\n[^\n]*\n" + 1, heading = 30 }, from)
    list, from = abridge.locations(ESLINT, { from = from, max_lines = 1 })
    assert.equal("/home/me/web app/src/cart.js", list[1].file)
    list, from = abridge.locations(ESLINT, { from = from })
    assert.equal(1, #list)
    assert.is_nil(from)
    assert.is_nil((select(2, abridge.locations("a\nb\n", { max_lines = 2 }))))
  end)

  it("gives the same in slices of any lengths #few", function()
    local parts = { GCC, RUST, ESLINT, PYTHON, NODE, PYTEST, JAVA, ASAN, "src/a.lua\n1:x\n2:y\n", "plain\n", "\n" }
    random.each(2000, function()
      local lines = {}
      for _ = 1, random.between(1, 6) do
        for line in random.choose(parts):gmatch "[^\n]*\n" do
          if not random.chance(8) then lines[#lines + 1] = line end
        end
      end
      local text = table.concat(lines)
      local joined, from = {}, nil
      repeat
        local list
        list, from = abridge.locations(text, { from = from, max_lines = random.between(1, 5) })
        for _, at in ipairs(list) do
          joined[#joined + 1] = at
        end
      until not from
      assert.same((abridge.locations(text)), joined)
    end)
  end)

  it("raises on misuse, and names argument and value", function()
    local function raises(message, ...)
      local ok, found = pcall(abridge.locations, ...)
      assert.is_false(ok)
      assert.truthy(found:find(message, 1, true), found)
    end
    raises("abridge.locations: text must be a string, got 5", 5)
    raises("abridge.locations: opts must be a table, got 5", "", 5)
    raises("abridge.locations: unknown option 'x' (value 1)", "", { x = 1 })
    raises("abridge.locations: max_lines must be an integer from 1 to 2^53, got 0", "", { max_lines = 0 })
    raises("abridge.locations: from must be a table, got 3", "", { from = 3 })
    raises("abridge.locations: from.byte must be an integer from 1 to 4, got 5", "abc", { from = { byte = 5 } })
    raises("abridge.locations: from.heading must be an integer from 0 to 1, got 2", "abc", {
      from = { byte = 2, line = 1, heading = 2 },
    })
    raises("abridge.locations: from.line must be an integer from 1 to 2^53, got nil", "abc", { from = { byte = 1 } })
  end)
end)
