--- Failures of tools that few machines have, in the form that their documents and users show: `routine(i)` is a line of
--- what stands around, `failure` all that explains the failure, `ending` what the tool says past it.

local M = {}

local function add(tool, language, routine, failure, ending)
  M[#M + 1] = { tool = tool, language = language, routine = routine, failure = failure, ending = ending }
end

add(
  "Pester 4",
  "PowerShell",
  function(i)
    return ("    [+] keeps the error list of part %d empty %dms"):format(i, i % 90)
  end,
  [[
    [-] writes the name of the shop 93ms
      Expected strings to be the same, but they were different.
      Expected length: 11
      Actual length:   10
      Strings differ at index 7.
      Expected: 'corner shop'
      But was:  'corner hop'
      -----------------^
      27:     Get-ShopName $order | Should -Be 'corner shop'
      at <ScriptBlock>, C:\projects\shop\tests\Name.Tests.ps1: line 27
]],
  "Tests completed in 14.2s\nTests Passed: 1699, Failed: 1, Skipped: 0, Pending: 0, Inconclusive: 0 \n"
)

add(
  "Windows PowerShell",
  "PowerShell",
  function(i)
    local item = ("Item: in\\part-%d.zip Destination: out"):format(i)
    return ('VERBOSE: Performing the operation "Copy File" on target "%s".'):format(item)
  end,
  [[
Copy-Item : Cannot find path 'C:\agent\_work\1\s\in\part-1203.zip' because it does not exist.
At C:\agent\_work\1\s\release.ps1:14 char:3
+   Copy-Item "in\part-$part.zip" -Destination out -Verbose
+   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : ObjectNotFound: (C:\agent\_work\1\s\in\part-1203.zip:String) [Copy-Item], ItemNotFoundException
    + FullyQualifiedErrorId : PathNotFound,Microsoft.PowerShell.Commands.CopyItemCommand
]],
  "##[error]PowerShell exited with code '1'.\n"
)

add(
  "Invoke-Build",
  "PowerShell",
  function(i)
    return ("Task /Build/Part%d"):format(i) .. (" Done 00:00:00.%07d"):format(i * 7919 % 10000000)
  end,
  [[
ERROR: The term 'Write-Reprot' is not recognized as a name of a cmdlet, function, script file, or executable program.
Check the spelling of the name, or if a path was included, verify that the path is correct and try again.
At /builds/shop/shop.build.ps1:31 char:2
+ 	Write-Reprot $out
+ 	~~~~~~~~~~~~
Task /Test FAILED at /builds/shop/shop.build.ps1:27
]],
  "Build FAILED. 1703 tasks, 1 errors, 0 warnings 00:01:12.1187304\n"
)

add(
  "dart analyze",
  "Dart",
  function(i)
    return (
      "   info • lib/src/part_%d.dart:%d:%d • Prefer const with constant constructors. Try adding const. • "
      .. "prefer_const"
    ):format(i, i % 80, i % 9)
  end,
  [[
  error • lib/src/refund.dart:14:10 • The method 'totl' isn't defined for the type 'Refund'. Try correcting the name to the name of an existing method, or defining a method named 'totl'. • undefined_method
]],
  "1702 issues found.\n"
)

add(
  "flutter build",
  "Dart",
  function(i)
    return ("[  +%d ms] executing: gen_snapshot of package part_%d, exit code 0 from it"):format(i % 90, i)
  end,
  [[
lib/main.dart:31:12: Error: The getter 'titel' isn't defined for the class 'Report'.
 - 'Report' is from 'package:shop/report.dart' ('lib/report.dart').
Try correcting the name to the name of an existing getter, or defining a getter or field named 'titel'.
    report.titel,
           ^^^^^
]],
  "Target kernel_snapshot failed: Exception\n\nFAILURE: Build failed with an exception.\n"
)

add(
  "julia test",
  "Julia",
  function(i)
    return ("Precompiling part %d of the reports: error handlers, %d methods"):format(i, i % 70)
  end,
  [[
refunds: Test Failed at /home/runner/work/Shop.jl/Shop.jl/test/runtests.jl:41
  Expression: total(lines) == 23
   Evaluated: 22 == 23

Stacktrace:
 [1] macro expansion
   @ /opt/julia/share/julia/stdlib/v1.10/Test/src/Test.jl:672 [inlined]
 [2] macro expansion
   @ ~/work/Shop.jl/Shop.jl/test/runtests.jl:41 [inlined]
 [3] top-level scope
   @ ~/work/Shop.jl/Shop.jl/test/runtests.jl:38
]],
  "Test Summary: | Pass  Fail  Total  Time\nreports       | 1690     1   1691  8.2s\n"
    .. "ERROR: LoadError: Some tests did not pass: 1690 passed, 1 failed, 0 errored, 0 broken.\n"
)

add(
  "docker build",
  "Docker",
  function(i)
    return ("#14 %d.%03d cc -O2 -Wno-error -c src/error_part_%d.c -o " .. "build/error_part_%d.o"):format(
      math.floor(i / 20),
      i % 1000,
      i,
      i
    )
  end,
  [[
#14 88.31 src/refund.c:27:14: error: use of undeclared identifier 'totl'
#14 88.31    27 |     return totl(lines);
#14 88.31       |            ^~~~
#14 88.31 1 error generated.
#14 88.32 make: *** [Makefile:14: build/refund.o] Error 1
#14 ERROR: process "/bin/sh -c make -j4 all" did not complete successfully: exit code: 2
]],
  [[
------
 > [build 6/8] RUN make -j4 all:
88.31 1 error generated.
88.32 make: *** [Makefile:14: build/refund.o] Error 1
------
Dockerfile:21
--------------------
  19 |     COPY . .
  20 |     
  21 | >>> RUN make -j4 all
  22 |     
--------------------
ERROR: failed to solve: process "/bin/sh -c make -j4 all" did not complete successfully: exit code: 2
]]
)

add(
  "docker build, classic",
  "Docker",
  function(i)
    return i % 3 == 0 and (" ---> Running in %012x"):format(i * 7919)
      or ("Setting up liberror-part-%d-perl " .. "(1.%d-1) ..."):format(i, i % 9)
  end,
  [[
E: Unable to locate package libreport-of-ours-dev
E: Couldn't find any package by glob 'libreport-of-ours-dev'
The command '/bin/sh -c apt-get install -y libreport-of-ours-dev' returned a non-zero code: 100
]],
  ""
)

add(
  "docker compose",
  "Docker",
  function(i)
    return ("web-1    | GET /part/%d 200 %d ms, errors=0"):format(i, i % 80)
  end,
  [[
db-1     | FATAL:  data directory "/var/lib/postgresql/data" has wrong ownership
db-1     | HINT:  The server must be started by the user that owns the data directory.
db-1 exited with code 1
dependency failed to start: container shop-db-1 exited (1)
]],
  ""
)

add(
  "kubectl describe",
  "Kubernetes",
  function(i)
    return (
      '  Normal   Pulled     %dm (x%d over 1h)   kubelet            Container image "shop/part-%d:1.4" already '
      .. "present on machine"
    ):format(i % 60, i % 9 + 1, i)
  end,
  [[
  Warning  Failed     12s (x3 over 55s)   kubelet            Failed to pull image "shop/refund:1.4.2": rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/shop/refund:1.4.2": not found
  Warning  Failed     12s (x3 over 55s)   kubelet            Error: ErrImagePull
  Warning  Failed     1s (x4 over 54s)    kubelet            Error: ImagePullBackOff
]],
  ""
)

add(
  "kubectl rollout",
  "Kubernetes",
  function(i)
    return ('Waiting for deployment "shop-%d" rollout to finish: %d of 3 updated replicas are available...'):format(
      i,
      i % 3
    )
  end,
  [[
error: deployment "refund" exceeded its progress deadline
]],
  ""
)

add(
  "helm",
  "Kubernetes",
  function(i)
    return ("client.go:%d: [debug] creating resource part-%d, error handlers: 0"):format(i % 400, i)
  end,
  [[
Error: INSTALLATION FAILED: template: shop/templates/refund.yaml:14:22: executing "shop/templates/refund.yaml" at <.Values.refund.limits.cpu>: nil pointer evaluating interface {}.cpu
helm.go:84: [debug] template: shop/templates/refund.yaml:14:22: executing "shop/templates/refund.yaml" at <.Values.refund.limits.cpu>: nil pointer evaluating interface {}.cpu
]],
  ""
)

add(
  "journalctl",
  "systemd",
  function(i)
    return ("Jan 12 08:%02d:%02d web1 report[%d]: part %d is reported, 0 errors, on-failure " .. "handler idle"):format(
      math.floor(i / 60) % 60,
      i % 60,
      4000 + i % 9,
      i
    )
  end,
  [[
Jan 12 08:31:07 web1 systemd[1]: Starting refund.service - Pay back what was returned...
Jan 12 08:31:07 web1 refund[7121]: refund: cannot bind 127.0.0.1:8080: Address already in use
Jan 12 08:31:07 web1 systemd[1]: refund.service: Main process exited, code=exited, status=98/n/a
Jan 12 08:31:07 web1 systemd[1]: refund.service: Failed with result 'exit-code'.
Jan 12 08:31:07 web1 systemd[1]: Failed to start refund.service - Pay back what was returned.
]],
  ""
)

add(
  "conda",
  "Python",
  function(i)
    return ("part-%d-1.%d.0      | %d KB    | ########## | 100%%"):format(i, i % 9, i % 900)
  end,
  [[
LibMambaUnsatisfiableError: Encountered problems while solving:
  - package refund-2.1.0-py312h1 requires python >=3.12,<3.13.0a0, but none of the providers can be installed

Could not solve for environment specs
The following packages are incompatible
├─ python 3.10**  is requested and can be installed;
└─ refund 2.1**  is not installable because it requires
   └─ python >=3.12,<3.13.0a0 , which conflicts with any installable versions previously reported.
]],
  ""
)

add(
  "dnf",
  "packages",
  function(i)
    return ("(%d/1800): perl-Error-part-%d-1.%d-1.el9.noarch.rpm      %d kB/s | %d kB    " .. " 00:00"):format(
      i,
      i,
      i % 9,
      i % 900,
      i % 90
    )
  end,
  [[
Error: 
 Problem: package refund-1.4-1.el9.x86_64 requires libreport.so.2()(64bit), but none of the providers can be installed
  - conflicting requests
  - nothing provides libledger >= 2.1 needed by libreport-2.0-1.el9.x86_64
(try to add '--skip-broken' to skip uninstallable packages or '--nobest' to use not only best candidate packages)
]],
  ""
)

add(
  "apt-get update",
  "packages",
  function(i)
    local line = "Get:%d http://deb.example.org/debian bookworm/main amd64 liberror-part-%d-perl all 0.17%d-2 [%d kB]"
    return line:format(i, i, i % 9, i % 90)
  end,
  [[
E: Failed to fetch http://deb.example.org/debian/pool/main/r/refund/refund_1.4-2_amd64.deb  Hash Sum mismatch
   Hashes of expected file:
    - SHA256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef
   Hashes of received file:
    - SHA256:0f4636c67f65747dbec2f3beb3e542cd6d2fb9f16ef4cf6b6a0c9c4ad0cc0f2a
   Last modification reported: Mon, 12 Jan 2026 08:14:02 +0000
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?
]],
  ""
)

add(
  "npm 8",
  "JavaScript",
  function(i)
    return ("npm timing reifyNode:node_modules/error-part-%d Completed in %dms"):format(i, i % 900)
  end,
  [[
npm ERR! code ERESOLVE
npm ERR! ERESOLVE unable to resolve dependency tree
npm ERR! 
npm ERR! While resolving: shop@1.0.0
npm ERR! Found: react@18.2.0
npm ERR! node_modules/react
npm ERR!   react@"^18.2.0" from the root project
npm ERR! 
npm ERR! Could not resolve dependency:
npm ERR! peer react@"^17.0.0" from refund-widget@2.1.0
npm ERR! node_modules/refund-widget
npm ERR!   refund-widget@"^2.1.0" from the root project
npm ERR! 
]],
  [[
npm ERR! Fix the upstream dependency conflict, or retry
npm ERR! this command with --force, or --legacy-peer-deps
npm ERR! A complete log of this run can be found in:
npm ERR!     /home/runner/.npm/_logs/2026-01-12T08_14_02_118Z-debug-0.log
]]
)

add(
  "yarn 4",
  "JavaScript",
  function(i)
    return (
      "➤ YN0013: │ error-part-%d@npm:1.%d.0 can't be found in the cache and will be fetched from the remote "
      .. "registry"
    ):format(i, i % 9)
  end,
  [[
➤ YN0086: │ Some peer dependencies are incorrectly met by your project; run yarn explain peer-requirements <hash> for details
➤ YN0009: │ refund@workspace:. couldn't be built successfully (exit code 1, logs can be found here: /builds/build.log)
]],
  "➤ YN0000: · Failed with errors in 12s 118ms\n"
)

return M
