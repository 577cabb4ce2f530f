--- What a CI prints around the tool that fails: the set-up before it with its hundreds of lines of packages, the steps
--- that pass, the echo of the command, the line that says how it ended, and the clean-up after it. The words are ours,
--- in the form of four families of CI; the same name always makes the same text.

local M = {}

local WORDS = {
  "amber",
  "basalt",
  "cobalt",
  "dune",
  "ember",
  "fjord",
  "garnet",
  "harbor",
  "iris",
  "jasper",
  "kelp",
  "linden",
  "marble",
  "nectar",
  "onyx",
  "pebble",
  "quartz",
  "river",
  "sable",
  "thistle",
  "umber",
  "velvet",
  "willow",
  "zephyr",
}
local PARTS = { "core", "io", "utils", "parser", "client", "types", "error", "log", "http", "config", "retry", "async" }

-- What installing one package prints, by language; `debian` for the others.
local INSTALLS = {
  debian = function(p)
    return {
      ("Selecting previously unselected package lib%s."):format(p.name),
      ("Preparing to unpack .../%d-lib%s_%s_amd64.deb ..."):format(p.number, p.name, p.version),
      ("Unpacking lib%s (%s) ..."):format(p.name, p.version),
      ("Setting up lib%s (%s) ..."):format(p.name, p.version),
    }
  end,
  python = function(p)
    return {
      ("Collecting %s>=%s"):format(p.name, p.version),
      ("  Downloading %s-%s-py3-none-any.whl (%d kB)"):format(p.name, p.version, p.size),
    }
  end,
  java = function(p)
    local where = ("https://packages.example/maven/org/example/%s/%s/%s-%s"):format(
      p.name,
      p.version,
      p.name,
      p.version
    )
    return {
      ("[INFO] Downloading from mirror: %s.pom"):format(where),
      ("[INFO] Downloaded from mirror: %s.pom (%d kB at %d kB/s)"):format(where, p.size % 9, p.size),
      ("[INFO] Downloading from mirror: %s.jar"):format(where),
      ("[INFO] Downloaded from mirror: %s.jar (%d kB at %d kB/s)"):format(where, p.size, p.size * 3),
    }
  end,
  javascript = function(p)
    return {
      ("npm http fetch GET 200 https://packages.example/npm/%s %dms (cache miss)"):format(p.name, p.size),
      p.number % 9 == 0
          and ("npm WARN deprecated %s@%s: this version is no longer supported"):format(p.name, p.version)
        or nil,
    }
  end,
  ruby = function(p)
    return { ("Fetching %s %s"):format(p.name, p.version), ("Installing %s %s"):format(p.name, p.version) }
  end,
  rust = function(p)
    return { ("  Downloaded %s v%s"):format(p.name, p.version) }
  end,
  go = function(p)
    return { ("go: downloading go.example/%s v%s"):format(p.name, p.version) }
  end,
  php = function(p)
    return {
      ("  - Downloading example/%s (%s)"):format(p.name, p.version),
      ("  - Installing example/%s (%s): Extracting archive"):format(p.name, p.version),
    }
  end,
  [".net"] = function(p)
    return {
      ("  GET https://packages.example/nuget/%s/index.json"):format(p.name),
      ("  OK https://packages.example/nuget/%s/index.json %dms"):format(p.name, p.size),
      ("  Installed %s %s from https://packages.example/nuget/index.json."):format(p.name, p.version),
    }
  end,
}
for alias, language in pairs { kotlin = "java", scala = "java", typescript = "javascript" } do
  INSTALLS[alias] = INSTALLS[language]
end

--- Numbers that depend on the name alone.
local function dice(name)
  local state = 7
  for i = 1, #name do
    state = (state * 31 + name:byte(i)) % 2147483647
  end
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

local function hash(roll, digits)
  local parts = {}
  for i = 1, digits do
    parts[i] = ("%x"):format(roll(16) - 1)
  end
  return table.concat(parts)
end

local function add(to, lines)
  for _, line in ipairs(lines) do
    to[#to + 1] = line
  end
end

local function installs(out, job)
  local make, roll = INSTALLS[job.language] or INSTALLS.debian, job.roll
  for i = 1, 120 + roll(240) do
    add(
      out,
      make {
        name = WORDS[roll(#WORDS)] .. "-" .. PARTS[roll(#PARTS)],
        number = i,
        size = roll(900),
        version = ("%d.%d.%d"):format(roll(9) - 1, roll(20) - 1, roll(12) - 1),
      }
    )
  end
end

--- A step that passes: files checked, or tests run, many of them with names of trouble.
local function passing(out, job)
  local roll = job.roll
  if roll(2) == 1 then
    for _ = 1, 20 + roll(60) do
      out[#out + 1] = ("checked docs/%s/%s.md: %d links, 0 errors"):format(
        WORDS[roll(#WORDS)],
        PARTS[roll(#PARTS)],
        roll(40)
      )
    end
    out[#out + 1] = "All links are good, 0 errors, 0 warnings"
  else
    for i = 1, 20 + roll(60) do
      out[#out + 1] = ("  %s/%s_%s_%d ... ok (%d ms)"):format(
        PARTS[roll(#PARTS)],
        WORDS[roll(#WORDS)],
        roll(3) == 1 and "fails_when_empty" or "round_trip",
        i,
        roll(80)
      )
    end
    out[#out + 1] = "Smoke test passed: 0 failed"
  end
end

local function uploads(out, job)
  for _ = 1, 3 + job.roll(12) do
    out[#out + 1] = ("build/report/%s-%s.xml: %d bytes"):format(
      WORDS[job.roll(#WORDS)],
      PARTS[job.roll(#PARTS)],
      job.roll(90000)
    )
  end
end

local FAMILIES = {}

function FAMILIES.github(out, job)
  local roll = job.roll
  local commit = hash(roll, 40)
  add(out, {
    "Requested labels: ubuntu-22.04",
    "Waiting for a runner to pick up this job...",
    "Current runner version: '2.311.0'",
    "##[group]Operating System",
    "Ubuntu",
    "22.04.3",
    "LTS",
    "##[endgroup]",
    "##[group]GITHUB_TOKEN Permissions",
    "Contents: read",
    "Metadata: read",
    "##[endgroup]",
    "Prepare workflow directory",
    "Prepare all required actions",
    "Getting action download info",
    "Download action repository 'actions/checkout@v4' (SHA:" .. hash(roll, 40) .. ")",
    "Complete job name: test (ubuntu-22.04)",
    "##[group]Run actions/checkout@v4",
    "with:",
    "  fetch-depth: 1",
    "  persist-credentials: true",
    "##[endgroup]",
    "Syncing repository: example/shop",
    "[command]/usr/bin/git version",
    "git version 2.42.0",
    "##[group]Initializing the repository",
    "[command]/usr/bin/git init /home/runner/work/shop/shop",
    "hint: Using 'master' as the name for the initial branch. This default branch name",
    "hint: is subject to change.",
    "##[endgroup]",
    "##[group]Fetching the repository",
    "From https://git.example/example/shop",
    " * [new ref]         " .. commit .. " -> origin/main",
    "##[endgroup]",
    "HEAD is now at " .. commit:sub(1, 7) .. " Do not swallow the error of a failed retry",
    "##[group]Run ./ci/install",
    "./ci/install",
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
  })
  installs(out, job)
  add(out, { "##[group]Run ./ci/smoke", "./ci/smoke", "shell: /usr/bin/bash -e {0}", "##[endgroup]" })
  passing(out, job)
  add(out, {
    "##[group]Run " .. job.command,
    "\27[36;1m" .. job.command .. "\27[0m",
    "shell: /usr/bin/bash --noprofile --norc -e -o pipefail {0}",
    "env:",
    "  FAIL_FAST: false",
    "##[endgroup]",
  })
  add(out, job.lines)
  add(out, {
    ("##[error]Process completed with exit code %d."):format(job.exit_code),
    "##[group]Run actions/upload-artifact@v4",
    "with:",
    "  name: reports",
    "  if-no-files-found: warn",
    "##[endgroup]",
    "With the provided path, there will be files uploaded",
  })
  uploads(out, job)
  add(out, {
    "Artifact reports has been successfully uploaded! Final size is " .. roll(90000) .. " bytes.",
    "Post job cleanup.",
    "[command]/usr/bin/git version",
    "git version 2.42.0",
    "Temporarily overriding HOME='/home/runner/work/_temp/" .. hash(roll, 8) .. "' before making changes",
    "[command]/usr/bin/git config --local --name-only --get-regexp core\\.sshCommand",
    "Cleaning up orphan processes",
  })
  for i, line in ipairs(out) do -- each line of these logs has the time before it
    local ms = i * 37
    out[i] = ("2024-03-04T05:%02d:%02d.%03d%04dZ %s"):format(
      math.floor(ms / 60000) % 60,
      math.floor(ms / 1000) % 60,
      ms % 1000,
      i * 7919 % 10000,
      line
    )
  end
end

function FAMILIES.gitlab(out, job)
  local roll = job.roll
  local function section(edge, name)
    return ("\27[0Ksection_%s:1709528%03d:%s\r\27[0K"):format(edge, #out % 1000, name)
  end
  local commit = hash(roll, 8)
  add(out, {
    "\27[0KRunning with gitlab-runner 16.9.1 (782c6ecb)\27[0;m",
    "\27[0K  on runner-3 " .. hash(roll, 8) .. ", system ID: s_" .. hash(roll, 12) .. "\27[0;m",
    section("start", "prepare_executor") .. '\27[0K\27[36;1mPreparing the "docker" executor\27[0;m\27[0;m',
    "\27[0KUsing Docker executor with image debian:12 ...\27[0;m",
    "\27[0KPulling docker image debian:12 ...\27[0;m",
    section("end", "prepare_executor"),
    section("start", "get_sources") .. "\27[0K\27[36;1mGetting source from Git repository\27[0;m\27[0;m",
    "\27[32;1mFetching changes with git depth set to 20...\27[0;m",
    "Initialized empty Git repository in /builds/example/shop/.git/",
    "\27[32;1mCreated fresh repository.\27[0;m",
    "\27[32;1mChecking out " .. commit .. " as detached HEAD (ref is main)...\27[0;m",
    "\27[32;1mSkipping Git submodules setup\27[0;m",
    section("end", "get_sources"),
    section("start", "restore_cache") .. "\27[0K\27[36;1mRestoring cache\27[0;m\27[0;m",
    "\27[32;1mChecking cache for main-protected...\27[0;m",
    "\27[0;33mWARNING: file does not exist                      \27[0;m",
    "Failed to extract cache",
    section("end", "restore_cache"),
    section("start", "step_script") .. '\27[0K\27[36;1mExecuting "step_script" stage of the job script\27[0;m\27[0;m',
    "\27[32;1m$ ./ci/install\27[0;m",
  })
  installs(out, job)
  out[#out + 1] = "\27[32;1m$ ./ci/smoke\27[0;m"
  passing(out, job)
  out[#out + 1] = "\27[32;1m$ " .. job.command .. "\27[0;m"
  add(out, job.lines)
  add(out, {
    section("end", "step_script"),
    section("start", "after_script") .. "\27[0K\27[36;1mRunning after_script\27[0;m\27[0;m",
    "\27[32;1mRunning after script...\27[0;m",
    "\27[32;1m$ ls -l build/report || true\27[0;m",
  })
  uploads(out, job)
  add(out, {
    section("end", "after_script"),
    section("start", "upload_artifacts_on_failure")
      .. "\27[0K\27[36;1mUploading artifacts for failed job\27[0;m\27[0;m",
    "\27[32;1mUploading artifacts...\27[0;m",
    "build/report: found 12 matching artifact files and directories\27[0;m ",
    'Uploading artifacts as "archive" to coordinator... 201 Created\27[0;m  id=' .. roll(90000),
    section("end", "upload_artifacts_on_failure"),
    section("start", "cleanup_file_variables")
      .. "\27[0K\27[36;1mCleaning up project directory and file based variables\27[0;m\27[0;m",
    section("end", "cleanup_file_variables"),
    ("\27[31;1mERROR: Job failed: exit code %d\27[0;m"):format(job.exit_code),
  })
end

function FAMILIES.travis(out, job)
  local roll = job.roll
  local function timed(command, body)
    local id = hash(roll, 8)
    out[#out + 1] = ("travis_time:start:%s\r\27[0K$ %s"):format(id, command)
    body()
    out[#out + 1] = ("travis_time:end:%s:start=17095280%09d,finish=17095281%09d,duration=%d\r\27[0K"):format(
      id,
      roll(999999999),
      roll(999999999),
      roll(99999999)
    )
  end
  add(out, {
    "travis_fold:start:worker_info\r\27[0K\27[33;1mWorker information\27[0m",
    "hostname: worker-" .. roll(90),
    "version: 6.2.22",
    "instance: " .. hash(roll, 7) .. " shop:jammy",
    "startup: 6.5s",
    "travis_fold:end:worker_info\r\27[0K",
    "travis_fold:start:git.checkout\r\27[0K",
  })
  timed("git clone --depth=50 --branch=main https://git.example/example/shop.git example/shop", function()
    add(out, {
      "Cloning into 'example/shop'...",
      "remote: Enumerating objects: 4811, done.        ",
      "remote: Counting objects: 100% (4811/4811), done.        ",
      "Resolving deltas: 100% (2911/2911), done.",
    })
  end)
  add(out, {
    "travis_fold:end:git.checkout\r\27[0K",
    "$ cd example/shop",
    "$ git checkout -qf " .. hash(roll, 40),
    "",
    "travis_fold:start:install\r\27[0K",
  })
  timed("./ci/install", function()
    installs(out, job)
  end)
  out[#out + 1] = "travis_fold:end:install\r\27[0K"
  timed("./ci/smoke", function()
    passing(out, job)
  end)
  add(out, { "", '\27[32;1mThe command "./ci/smoke" exited with 0.\27[0m' })
  timed(job.command, function()
    add(out, job.lines)
  end)
  add(out, {
    "",
    ('\27[31;1mThe command "%s" exited with %d.\27[0m'):format(job.command, job.exit_code),
    "travis_fold:start:cache.2\r\27[0Kstore build cache",
  })
  timed("", function()
    add(out, { "\27[32;1mchanges detected (content changed, file is created, or file is deleted):\\n\27[0m" })
    uploads(out, job)
    add(out, { "uploading main/cache--linux-jammy.tgz", "cache uploaded" })
  end)
  add(out, { "travis_fold:end:cache.2\r\27[0K", "travis_fold:start:after_failure\r\27[0K" })
  timed("ls -l build/report", function()
    uploads(out, job)
  end)
  add(out, { "travis_fold:end:after_failure\r\27[0K", "", "Done. Your build exited with 1." })
end

function FAMILIES.jenkins(out, job)
  local roll = job.roll
  local commit = hash(roll, 40)
  add(out, {
    "Started by an SCM change",
    "Running as SYSTEM",
    "Building remotely on agent-" .. roll(9) .. " (linux) in workspace /builds/workspace/shop",
    "The recommended git tool is: NONE",
    "No credentials specified",
    "Cloning the remote Git repository",
    " > git init /builds/workspace/shop # timeout=10",
    " > git --version # timeout=10",
    " > git fetch --tags --force -- https://git.example/shop.git # timeout=10",
    "Checking out Revision " .. commit .. " (origin/main)",
    " > git checkout -f " .. commit .. " # timeout=10",
    'Commit message: "Report the first error, not the last"',
    "[shop] $ /bin/sh -xe /tmp/jenkins" .. roll(900000) .. ".sh",
    "+ ./ci/install",
  })
  installs(out, job)
  out[#out + 1] = "+ ./ci/smoke"
  passing(out, job)
  out[#out + 1] = "+ " .. job.command
  add(out, job.lines)
  add(out, { "Build step 'Execute shell' marked build as failure", "Archiving artifacts" })
  uploads(out, job)
  add(out, {
    "Recording test results",
    "[Checks API] No suitable checks publisher found.",
    "[WS-CLEANUP] Deleting project workspace...",
    "[WS-CLEANUP] Deferred wipeout is used...",
    "[WS-CLEANUP] done",
    "Finished: FAILURE",
  })
end

--- `log` as the CI of `case.ci` would print it: "github", "gitlab", "travis" or "jenkins".
function M.wrap(case, log, exit_code)
  local family = assert(FAMILIES[case.ci], tostring(case.ci) .. ": no such CI")
  local job = {
    roll = dice(case.name),
    language = (case.language or ""):lower(),
    exit_code = exit_code,
    lines = {},
    command = case.command:match "^[^\n]*",
  }
  for line in log:gsub("\n$", ""):gmatch "([^\n]*)\n?" do
    job.lines[#job.lines + 1] = line
  end
  if job.lines[#job.lines] == "" then job.lines[#job.lines] = nil end -- what gmatch adds at the end
  local out = {}
  family(out, job)
  return table.concat(out, "\n") .. "\n"
end

return M
