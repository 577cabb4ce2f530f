-- SPEC 14, parts: what fails after `cat README.md` and before more of it shows, however short it is; what documents
-- say of failures makes no log of them.
local abridge = require "abridge"

local pages = {}
for i = 1, 40 do
  pages[i] = ("## Section %d\n\nThis service handles errors and failures of step %d. After an error, the\n"):format(
    i,
    i
  ) .. ("request is retried.\n\n- fails fast on timeouts\n- error codes E%03d\n\n"):format(i)
end
local page = table.concat(pages)

local FAILURES = {
  ["an error below which a caret points at its place"] = {
    'app/Cache.java:12: error: incompatible types: String cannot be made an int\n  int z = "seven";\n          ^\n',
    "Cache.java:12: error",
  },
  ["an error and how many were found"] = {
    "app/a.py:3: error: Incompatible types in assignment  [assignment]\n"
      .. "Found 1 error in 1 file (checked 7 source files)\n",
    "app/a.py:3: error",
  },
  ["an error at a line of a script"] = { "configure:12879: error: no usable zlib\n", "no usable zlib" },
  ["an error of Kotlin"] = {
    "e: file:///app/src/main/java/com/acme/Cart.kt:58:31 Unresolved reference: price\n",
    "Unresolved reference: price",
  },
  ["an error whose level stands in brackets"] = {
    "[ERROR] /src/A.java:[12,5] cannot find symbol\n[INFO] BUILD FAILURE\n",
    "[ERROR] /src/A.java:[12,5]",
  },
  ["a count of errors after such a level"] = { " [ERROR] Found 3 errors\n", "Found 3 errors" },
  ["a row below the name of its file"] = {
    "  Line   src/Cart.php\n ------ --------------\n  9      Parameter $n expects int\n"
      .. "  10     Call to an undefined method Cart::total().\n ------ --------------\n",
    "Call to an undefined method Cart::total().",
  },
  ["a place below which a caret has a remark"] = {
    "In a.sh line 8:\nif [ $a -gt 3 ; then echo hi; fi\n   ^-- SC1073 (error): Couldn't parse this test expression.\n",
    "SC1073 (error)",
  },
  ["a message below the name of a test"] = {
    "  1) test adds (CalcTest)\n     test/calc_test.exs:5\n     Assertion with == failed\n     code:  assert 1 == 2\n",
    "Assertion with == failed",
  },
  ["a panic at a place"] = {
    "thread 'tests::sums' panicked at tests/cart.rs:19:9:\ncalled `Option::unwrap()` on a `None` value\n",
    "called `Option::unwrap()`",
  },
  ["an error at a place, then its message"] = {
    "CMake Error at CMakeLists.txt:4 (find_package):\n  Could NOT find Protobuf (missing: Protobuf_LIBRARIES)\n\n",
    "CMake Error at CMakeLists.txt:4",
  },
  ["a failed test, then its place"] = {
    "#   Failed test 'rounds price 17'\n#   at t/price.t line 2.\n#          got: '1'\n",
    "Failed test 'rounds price 17'",
  },
  ["a failure whose place is named again"] = {
    "Failure -> spec/a_spec.lua @ 46\nvault stores item 44\nspec/a_spec.lua:46: Expected objects to be equal.\n",
    "Failure -> spec/a_spec.lua @ 46",
  },
  ["a title between rulings"] = {
    "══╡ EXCEPTION CAUGHT BY WIDGETS LIBRARY ╞═════\nThe following TestFailure was thrown:\n",
    "EXCEPTION CAUGHT BY",
  },
  ["an error of a script among others"] = {
    "[web] Error: the ledger lost its lock after 40 rows\n[web]     at total (/srv/cart.js:9:52)\n",
    "the ledger lost its lock",
  },
  ["an error in a long sentence"] = {
    "PHP Fatal error:  Uncaught Error: Call to undefined function total() in /srv/shop/cart.php:12\n",
    "cart.php:12",
  },
  ["an error that ends with a full stop"] = {
    "CommandError: Cannot find a migration matching '0009' from app 'cart'.\n",
    "matching '0009'",
  },
  ["a test that Dart marks"] = {
    "00:31 +150 -1: /app/test/cart_test.dart: shows the pay button [E]\n  Test failed. See exception logs above.\n",
    "shows the pay button [E]",
  },
  ["an element of a report that says how bad it is"] = {
    '<error line="8" column="2" severity="error" message="Empty catch block."/>\n',
    "Empty catch block.",
  },
  ["an element of a report that says how it ended"] = {
    '    <UnitTestResult testName="Cart.Adds" duration="00:00:00.01" outcome="Failed">\n',
    "Cart.Adds",
  },
  ["an error of a server with its reason in brackets"] = {
    'Error from server (Forbidden): error when creating "role.yaml": roles.auth.example.org is forbidden: '
      .. 'User "ci" cannot create it\n',
    "Error from server",
  },
  ["how a container ended"] = {
    "    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:  False\n",
    "OOMKilled\n      Exit Code:    137\n",
  },
  ["a weakness with the address of what is known"] = {
    "vm-run  <3.1\nSeverity: critical\nRemote code execution - https://github.com/advisories/GHSA\n",
    "Remote code execution",
  },
  ["a count of weaknesses"] = { "\n34 vulnerabilities (11 low, 23 high)\n\n", "34 vulnerabilities" },
  ["a count of errors"] = { "1 error\n", "\n1 error\n" },
  ["a count of errors in a sentence"] = { "2 errors generated.\n", "2 errors generated." },
  ["a heading that counts failures, and the example above it"] = {
    'File "/app/tax.py", line 156, in tax\nFailed example:\n    f(77)\nExpected:\n    232\nGot:\n    231\n'
      .. "1 items had failures:\n   1 of 120 in tax\n",
    "Failed example:\n    f(77)\nExpected:\n    232\nGot:\n    231\n",
  },
  ["counts in brackets"] = { "[ FAIL 1 | WARN 0 | SKIP 2 | PASS 143 ]\n", "[ FAIL 1 |" },
  ["counts in sentences"] = { "Failed 1 tests. Passed 1180 tests.\n", "Failed 1 tests." },
  ["an exception of Java above its stack"] = {
    'Exception in thread "main" java.lang.IllegalStateException: the cart of user 7 cannot be totalled\n'
      .. "\tat shop.Cart.total(Cart.java:27)\n\tat shop.Main.main(Main.java:9)\n",
    "the cart of user 7 cannot be totalled",
  },
  ["an error at a column, told in a sentence"] = {
    "internal/cart.go:27:9: cannot use sum (variable of type float64) as int value in return statement\n",
    "internal/cart.go:27:9: cannot use sum",
  },
  ["an error in shouted letters at a line without a column"] = {
    'meson.build:62:0: ERROR: Dependency "frob" not found, tried pkgconfig and cmake\n',
    'Dependency "frob" not found',
  },
  ["an error of Perl, which ends with its place"] = {
    "Illegal division by zero at bin/cart.pl line 3.\n",
    "Illegal division by zero",
  },
  ["counts of a run in a row"] = { "98 runs, 172 assertions, 1 failures, 1 errors, 2 skips\n", "1 failures, 1 errors" },
  ["what a program of C++ threw"] = {
    "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check\n",
    "instance of 'std::out_of_range'",
  },
  ["an error of Ruby, with where it was"] = {
    "cart.rb:3:in `total': undefined method `price' for nil:NilClass (NoMethodError)\n\tfrom cart.rb:5:in `<main>'\n",
    "undefined method `price'",
  },
  ["an exception that ends with a full stop"] = { "Exception: Not_found.\n", "Exception: Not_found." },
  ["a crash in few words"] = { "Segmentation fault (core dumped)\n", "Segmentation fault" },
  ["an error of MSBuild without a place"] = {
    "MSBUILD : error MSB1003: Specify a project or solution file.\n",
    "MSB1003",
  },
  ["a build of Gradle"] = {
    "FAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not find org.example:cart:1.2.\n",
    "Could not find org.example:cart:1.2.",
  },
  ["a command that cmd.exe does not find"] = {
    "'shop' is not recognized as an internal or external command,\noperable program or batch file.\n",
    "'shop' is not recognized",
  },
  ["an error of a project in MSBuild"] = {
    "C:\\src\\Cart.csproj : error NU1605: Detected package downgrade: Shop from 3.1.0 to 2.9.4.\r\n",
    "Detected package downgrade",
  },
  ["an error of Microsoft's linker"] = {
    "x64\\cart.exe : fatal error LNK1120: 1 unresolved externals\r\n",
    "1 unresolved externals",
  },
  ["a conflict in French"] = {
    "CONFLIT (contenu) : Conflit de fusion dans src/cart.c\n",
    "CONFLIT (contenu)",
  },
  ["counts of errors and warnings"] = { "60 warnings and 1 error\n", "60 warnings and 1 error" },
  ["an error of one of many processes"] = {
    '[rank5]: Traceback (most recent call last):\n[rank5]:   File "/srv/a.py", line 9, in fit\n'
      .. "[rank5]:     step()\n[rank5]: RuntimeError: out of memory\n",
    "[rank5]: RuntimeError: out of memory",
  },
  ["a program that a signal ended"] = { "Killed\n", "\nKilled\n" },
  ["what is in the way of a merge"] = {
    "error: Your local changes to the following files would be overwritten by merge:\n\tsrc/cart.c\nAborting\n",
    "would be overwritten by merge:\n\tsrc/cart.c",
  },
  ["a package that dpkg cannot unpack"] = {
    "dpkg: error processing archive /tmp/cart_1.0_amd64.deb (--unpack):\n"
      .. " попытка перезаписать «/usr/bin/cart», который уже имеется в пакете shop 0.9\n",
    "«/usr/bin/cart»",
  },
  ["an unhandled exception, told below"] = { "Unhandled exception:\nBad state: No element\n", "Bad state: No element" },
  ["an error of Dart's analyzer"] = {
    "  error - lib/cart.dart:27:12 - A value of type 'double' can't be returned. - return_of_invalid_type\n",
    "lib/cart.dart:27:12",
  },
  ["an error of Flutter's analyzer"] = {
    "  error • A value of type 'double' can't be returned • lib/cart.dart:27:12 • return_of_invalid_type\n",
    "lib/cart.dart:27:12",
  },
  ["an error of Perl with what is near it"] = { 'syntax error at bin/cart.pl line 3, near "my "\n', "syntax error at" },
  ["an error of Perl with the line it had read"] = {
    "Illegal division by zero at bin/cart.pl line 3, <$prices> line 118.\n",
    "Illegal division by zero",
  },
  ["an error whose label ends in brackets"] = {
    'Error from server (NotFound): pods "cart" not found\n',
    'pods "cart" not found',
  },
  ["a failed test of Go"] = {
    "--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: Total() = 3, want 3.01\n",
    "cart_test.go:12: Total() = 3, want 3.01",
  },
  ["an error of a process that is watched"] = {
    "==77== Invalid read of size 4\n==77==    at 0x1091B7: total (cart.c:9)\n",
    "total (cart.c:9)",
  },
  ["a message above an indented line"] = {
    'psql: error: connection to server at "127.0.0.1", port 5432 failed: Connection refused\n'
      .. "\tIs the server running on that host and accepting TCP/IP connections?\n",
    "port 5432 failed",
  },
  ["an error below its place"] = {
    "Failed to compile.\n\n./app/checkout/page.tsx:31:18\nType error: Property 'vat' does not exist on type 'Order'.\n",
    "Property 'vat' does not exist",
  },
  ["an error from which a drawn line leads on"] = {
    "  × No solution found when resolving dependencies:\n"
      .. "  ╰─▶ Because only pandas<=2.2.3 is available and cart depends on pandas>=3.0,\n"
      .. "      we can conclude that your requirements are unsatisfiable.\n",
    "depends on pandas>=3.0",
  },
  ["an error from which a drawn line forks"] = {
    "  × Failed to build cart==1.0\n  ├─▶ The build backend returned an error\n  ╰─▶ Call failed (exit status: 1)\n",
    "The build backend returned an error",
  },
  ["an error of a server of Redis"] = {
    "(error) MISCONF Redis is configured to save RDB snapshots, but it is not able to persist on disk.\n",
    "MISCONF Redis is configured",
  },
  ["tests that Jest counts"] = { "Tests:       1 failed, 1 total\n", "Tests:       1 failed" },
  ["counts of .NET"] = {
    "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 20 ms - Cart.Tests.dll\n",
    "Failed:     1, Passed:     3",
  },
  ["a build of Vite"] = {
    '✗ Build failed in 1.20s\nerror during build:\nsrc/App.tsx (4:9): "foo" is not exported by "src/b.ts".\n',
    '"foo" is not exported',
  },
  ["versions that Poetry cannot solve"] = {
    "Because shop depends on foo (^9) which doesn't match any versions, version solving failed.\n",
    "version solving failed",
  },
  ["a sentence after a label in capitals"] = {
    "ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.\n",
    "Cannot install a==1 and b==2",
  },
  ["one offense"] = {
    "lib/a.rb:3:5: C: Style/StringLiterals: Prefer single-quoted strings\n\n3 files inspected, 1 offense detected\n",
    "1 offense detected",
  },
  ["counts by name"] = { "FAILURES!\nTests: 7, Assertions: 7, Failures: 1.\n", "Failures: 1." },
}

describe("between two pages of a document", function()
  for name, failure in pairs(FAILURES) do
    it(name .. " shows", function()
      for _, budget in ipairs { 2048, 8192 } do
        local content, cut = abridge.auto(page .. failure[1] .. page, { max_bytes = budget })
        assert.equal("log", cut.kind)
        assert.is_truthy(content:find(failure[2], 1, true), content)
      end
    end)
  end

  it("a row below the name of its file shows amid many others that say nothing of trouble, wherever it is", function()
    local rule = " ------ " .. ("-"):rep(73) .. "\n"
    local function report(failing)
      local files = {}
      for i = 1, 24 do
        local rows = {}
        for row = 1, 4 do
          local says = i == failing
              and row == 3
              and "Call to an undefined method App\\Repo::findByMail().              "
            or "Parameter #1 $id of method App\\X::get() expects int, string|null given."
          rows[row] = ("  %d     %s     \n         argument.type\n"):format(row * 20 - 10, says)
        end
        files[i] = rule
          .. ("  Line   src/Part%02d/Service.php\n"):format(i)
          .. rule
          .. table.concat(rows)
          .. rule
          .. "\n"
      end
      return table.concat(files) .. " [ERROR] Found 96 errors\n\n"
    end
    for failing = 1, 24 do
      local content = abridge.auto(report(failing), { max_bytes = 2048 })
      assert.is_truthy(content:find("Repo::findByMail", 1, true), failing .. "\n" .. content)
    end
  end)

  it("the failure at the end leaves more room to the start of the document than to its end", function()
    local content = abridge.auto(page .. "make: *** No rule to make target 'cart'.  Stop.\n", { max_bytes = 2048 })
    local start, rest = content:match "^(.-)%.%.%. %[%d+ lines omitted%] %.%.%.\n(.*)$"
    assert.equal(start, page:sub(1, #start))
    assert.is_true(#start > #rest and #rest > 300, content)
    assert.is_truthy(content:find("make: *** No rule", 1, true), content)
  end)

  it("all that a shell says of a program that a signal ended is one", function()
    local signals =
      { "Killed", "Aborted", "Segmentation fault", "Bus error", "Illegal instruction", "Floating point exception" }
    for _, signal in ipairs(signals) do
      for _, line in ipairs { signal, signal .. " (core dumped)" } do
        local content, cut = abridge.auto(page .. line .. "\n" .. page, { max_bytes = 2048 })
        assert.equal("log", cut.kind, line)
        assert.is_truthy(content:find("\n" .. line .. "\n", 1, true), line)
      end
    end
  end)

  it("before one, errors that a document quotes are none", function()
    local quoted = ('```lua\nlocal log = ("make: ok\\n"):rep(9) .. "x.c:7: error: no %s"\n```\n\n'):rep(4)
    local shown = "```\n$ make\n[ 10%] Building C object a.o\n[ 20%] Building C object b.o\n```\n\n"
    local first = "# Cart\n\n" .. shown .. quoted
    local text = first .. page .. "make: *** No rule to make target 'cart'.  Stop.\n"
    local _, cut = abridge.auto(text, { max_bytes = 2048 })
    assert.same({ "text", "log" }, { cut.parts[1].kind, cut.parts[2].kind })
    assert.equal(1, cut.failures.found)
  end)

  it("what a document says is none", function()
    local said = {
      "1. Errors\n\n   An error at src/a.c:12 is reported.\n",
      "  1) the error is shown\n  2) the failure is counted\n",
      "    src/main.c:7:3: error: as an example of what is printed\n",
      "738837 region leak\n",
      "Killed by the kernel\n",
      "- ✘ [ERROR] is printed where a module is not found\n",
      "Msg 547, Level 16 is a failed constraint.\n",
      '<error line="8" severity="warning" message="Longer than 100 chars."/>\n',
      '<li class="error">No error is shown here.</li>\n',
      "    State:          Terminated\n      Reason:       Completed\n      Exit Code:    0\n",
      "          'Invalid state: {}'.format(state)\n",
      "[error]: #error-events\n[fatal error]: docs/errors.md\n",
      "Severity: critical\n\nThe worst that an error can be.\n",
      "Errors: 3 kinds, Failures: some.\n",
      "Found 0 errors in 7 files\n",
      'WORD(FATAL, "panicked", "thread \'main\' panicked at src/a.rs:2:5:")\n',
      "local lines = { \"x.c:7: error: no 'y'\" }\nassert(lines[1] == \"x.c:7: error: no 'y'\")\n",
      "── errors and failures\n",
      "error:\n\techo failed: see the log\n",
      "× wrong\n✓ right\n",
      "Tests: failing ones are told first.\n",
      "alert:\n  labels:\n    severity: critical\n    level: error\n",
      '<Filter level="error" onMatch="ACCEPT"/>\n',
      '<p class="empty" title="没有找到，请求失败">-</p>\n',
      "@echo off\necho ERROR: JAVA_HOME is set to no directory: %JAVA_HOME%\n",
      "  match e {\n    CartError::Missing(id) => (Severity::ERROR, id),\n  }\n",
    }
    for _, text in ipairs(said) do
      assert.equal("text", (abridge.kind(page .. text .. page)), text)
    end
  end)

  --- Records of YAML, or of fields in columns as kubectl describes things; record `at` says `bad`, others `good`.
  local function records(form, key, good, bad, at)
    local all = {}
    for i = 1, 40 do
      all[#all + 1] = form:format("name", "cart-" .. i)
      for _, field in ipairs { "image", "owner", "protocol", "resources", "volume", "created" } do
        all[#all + 1] = form:format(field, field:sub(1, 3) .. i)
      end
      all[#all + 1] = form:format(key, i == at and bad or good)
    end
    return table.concat(all)
  end

  it("is the one record that says so in a field", function()
    for _, form in ipairs { "  %s: %s\n", "%-16s%s\n", "    %s:     %s\n" } do
      local fields = {
        { "phase", "Running", "Failed" },
        { "status", "ok", "error" },
        { "health", "Healthy", "Degraded" },
        { "reason", "Completed", "OOMKilled" },
        { "exit code", "0", "137" },
        { "ok", "true", "false" },
        { "failed", "0", "3" },
        { "stack status", "CREATE_COMPLETE", "CREATE_FAILED" },
      }
      for _, field in ipairs(fields) do
        local key = form:find "-16" and field[1] .. ":" or field[1]
        local whole = form:format(key, field[3])
        for _, at in ipairs { 1, 20, 40 } do
          local text = records(form, key, field[2], field[3], at)
          local content, cut = abridge.auto(text, { max_bytes = 1000 })
          assert.is_truthy(content:find(whole:match "%S.*", 1, true), whole .. at)
          assert.equal("log", cut.kind, whole .. at)
        end
      end
    end
  end)

  it("is named if a line above it names its record", function()
    local pod = "- kind: Pod\n  metadata:\n    labels:\n      app: cart\n    name: cart-%d\n    uid: 3f-%d\n"
      .. "  spec:\n    containers:\n    - image: shop/cart:1.%d\n      name: cart\n    nodeName: node-%d\n"
      .. "    restartPolicy: Always\n  status:\n    hostIP: 10.0.0.%d\n    phase: %s\n    podIP: 10.1.0.%d\n"
    local described = "Name:             cart-%d\nNamespace:        shop\nNode:             node-%d/10.0.0.%d\n"
      .. "Labels:           app=cart\nAnnotations:      <none>\nService Account:  shop-%d\nPriority:         %d\n"
      .. "Status:           %s\nIP:               10.1.0.%d\n\n\n"
    for _, form in ipairs { pod, described } do
      local pods = {}
      for i = 1, 60 do
        pods[i] = form:format(i, i, i % 4, i % 5, i % 5, i == 33 and "Failed" or "Running", i)
      end
      local content = abridge.auto("items:\n" .. table.concat(pods), { max_bytes = 2048 })
      assert.is_truthy(content:find "ame: +cart%-33\n.*: +Failed\n", content)
    end
  end)

  it("is found after hundreds of fields that say the same", function()
    local same = ("- name: cart\n  image: shop\n  status: error\n"):rep(400)
    local message = "error TS18003: No inputs were found in config file 'tsconfig.json'.\n"
    local content = abridge.auto(page .. same .. page .. message .. page, { max_bytes = 1500 })
    assert.is_truthy(content:find(message, 1, true), content)
  end)

  it("is no record if others say the same, or if its words are harmless", function()
    for _, field in ipairs {
      { "status", "error", "error" },
      { "kind", "Service", "Deployment" },
      { "state", "started", "present" },
      { "description", "The price", "Fails if the price is negative # as errors do" },
    } do
      assert.equal("text", (abridge.kind(records("%s: %s\n", field[1], field[2], field[3], 20))), field[1])
    end
    assert.equal("text", (abridge.kind(records("%s: %s\n", "License", "MIT", "GPL-3+ with Bison exception", 20))))
    local apart = {} -- the values of two in three others differ
    for i = 1, 30 do
      local owner = i == 15 and "unknown" or i % 6 < 2 and "Kim Cart" or "Kim Cart " .. i
      apart[i] = ("Files: src/%d.c\nOwner: %s\n of %d years\n"):format(i, owner, i)
    end
    assert.equal("text", (abridge.kind(table.concat(apart))))
    local said = "Passing an invalid callback to the argument"
    local changes = records("    %s: %s\n", "description", "The price", said, 20)
    assert.equal("text", (abridge.kind(changes)))
    local news = ("  - cart:\n    + Add the names of the things in it\n"):rep(4)
    news = news .. "  - cart: Parameter is not allowed\n"
    assert.equal("text", (abridge.kind(page .. news .. page)))
    local few = ("name: cart\nimage: shop\nstatus: ok\n"):rep(3) .. "name: cart\nstatus: error\n"
    assert.equal("text", (abridge.kind(page .. few)))
  end)
end)
