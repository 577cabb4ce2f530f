--- Archives, git, curl, packages: long listings in which one thing goes wrong.

local text = require "score.text"
local each, fill = text.each, text.fill

-- Same commits, so same object names, on every machine.
local GIT = [[
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-01-02T03:04:05Z'
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
git init -q -b main . && git add -A ${files:-.} && git commit -q -m start
]]

local function source(i, size, price)
  return fill(
    'size = $size\nname = "part $i"\nnote = ""\n\n\n\nlimit = $i\nprice = $price\n',
    { i = i, size = size, price = price }
  )
end

--- n small files in a few folders.
local function tree(dir, root, n)
  for i = 1, n do
    dir:write(("%s/module-%02d/page-%04d.html"):format(root, i % 25, i), ("<p>page %d</p>\n"):format(i))
  end
end

local PACKAGE = [[
Package: score-part-$i
Version: 2.$i
Architecture: all
Maintainer: A <a@example.org>
Depends: $depends
Filename: ./score-part-$i.deb
Size: 1000
SHA256: 0000000000000000000000000000000000000000000000000000000000000000
Description: part $i

]]

local APT = [[
mkdir -p state/lists/partial cache/archives/partial etc/preferences.d etc/apt.conf.d etc/sources.list.d
: > status
echo "deb [trusted=yes] file:$PWD/repo ./" > etc/sources.list
options="-q -o Dir=$PWD -o Dir::State=$PWD/state -o Dir::State::status=$PWD/status -o Dir::Cache=$PWD/cache \
  -o Dir::Etc=$PWD/etc -o APT::Architecture=amd64 -o APT::Sandbox::User= -o Debug::NoLocking=1"
apt-get $options update && apt-get $options -o Debug::pkgDepCache::AutoInstall=true --simulate install score-part-1
]]

local PROBE = [[
failed=0
for batch in 1 2 3 4 5 6 7 8; do
  test $batch -ne 5 || mirror=http://127.0.0.1:1/health
  curl -q -sS -v -I --noproxy '*' "file://$PWD/pages/$batch-[1-40].html" $mirror
  code=$?
  echo "batch $batch: 40 pages looked at, curl ended with $code"
  test $code -eq 0 || failed=$((failed + 1))
  mirror=
done
echo "8 batches, $failed failed"
test $failed -eq 0
]]

local BARS = [[
failed=0
for n in $(seq 1 400); do
  for part in 1 2 3 4 5 6 7 8; do
    printf '\rdownload %3d  [%-8.*s] %3d %%' $n $part '########' $((part * 100 / 8))
  done
  if cp mirror/chunk-$n.bin got/ 2>&1; then
    printf '\rdownload %3d  done                \n' $n
  else
    printf 'download %3d  retry later\n' $n
    failed=$((failed + 1))
  fi
done
echo "400 downloads, $failed failed"
test $failed -eq 0
]]

return {
  {
    name = "tar-create",
    tools = { "tar" },
    family = "ops",
    write = function(dir)
      tree(dir, "site", 1000)
      dir:write(
        "list",
        each(1000, function(i)
          local line = ("site/module-%02d/page-%04d.html\n"):format(i % 25, i)
          return i == 404 and line .. "site/module-04/page-0404b.html\n" or line
        end)
      )
    end,
    command = "tar -cvvf site.tar -T list",
    exits = 2,
    needles = {
      { "root cause", "tar: site/module-04/page-0404b.html: Cannot stat: No such file or directory" },
      { "summary", "tar: Exiting with failure status due to previous errors" },
    },
  },
  {
    name = "cp-verbose",
    tools = { "cp" },
    family = "ops",
    write = function(dir)
      tree(dir, "site", 600)
      dir:write("out/site/module-09/page-0334.html/keep", "")
    end,
    command = "cp -rv site out",
    exits = 1,
    needles = {
      { "root cause", "cp: cannot overwrite directory 'out/site/module-09/page-0334.html'" },
    },
  },
  {
    name = "unzip-test",
    tools = { "zip", "unzip" },
    family = "ops",
    write = function(dir)
      tree(dir, "site", 700)
    end,
    -- Stored, not deflated: the text of one page can be changed inside the archive.
    command = "find site -type f | sort | zip -q -0 -X -@ site.zip && LC_ALL=C sed -i 's/page 512</page 215</' site.zip"
      .. " && unzip -t site.zip",
    exits = 2,
    needles = {
      { "root cause", like = "page%-0512%.html +bad CRC" },
      { "summary", "At least one error was detected in site.zip." },
    },
  },
  {
    name = "git-merge",
    language = "Git",
    tool = "git",
    tools = { "git" },
    family = "git",
    write = function(dir)
      local name = "%s/services/warehouse/inventory/reports/error_handler_of_the_monthly_report_%03d.txt"
      for i = 1, 320 do
        dir:write(name:format("src", i), source(i, 10, 5))
        dir:write(name:format("theirs", i), source(i, 10, i == 222 and 8 or 6))
        dir:write(name:format("ours", i), source(i, 11, i == 222 and 9 or 5))
      end
    end,
    command = "files=src\n" .. GIT .. [[
git checkout -q -b prices && cp -r theirs/* src/ && git commit -q -a -m prices
git checkout -q main && cp -r ours/* src/ && git commit -q -a -m sizes
git merge prices]],
    exits = 1,
    block = { { from = "CONFLICT (content): Merge conflict in" } },
    needles = {
      { "root cause", "CONFLICT (content): Merge conflict in src/services/warehouse/inventory/reports/" },
      { "summary", "Automatic merge failed; fix conflicts and then commit the result." },
    },
  },
  {
    name = "git-apply",
    tools = { "git" },
    family = "git",
    write = function(dir)
      for i = 1, 500 do
        dir:write(("src/part_%03d.txt"):format(i), source(i, 10, 5))
        dir:write(("new/part_%03d.txt"):format(i), source(i, 10, 6))
      end
    end,
    command = "git init -q . && git diff --no-index src new > prices.patch\n"
      .. "sed -i 's,b/new/,b/src/,' prices.patch\n"
      .. "sed -i 's/^price = 5/price = 4/' src/part_318.txt\n"
      .. "git -c core.quotePath=false apply --verbose --reject prices.patch",
    exits = 1,
    needles = {
      { "root cause", like = "error: patch failed: src/part_318%.txt:%d" },
      { "detail", "Applying patch src/part_318.txt with 1 reject..." },
    },
  },
  {
    name = "git-fsck",
    tools = { "git" },
    family = "git",
    write = function(dir)
      tree(dir, "site", 900)
    end,
    command = GIT
      .. "blob=$(git rev-parse HEAD:site/module-12/page-0437.html)\n"
      .. "rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)\ngit fsck --verbose",
    needles = {
      { "root cause", "missing blob " },
    },
  },
  {
    name = "curl-probe",
    tools = { "curl" },
    family = "network",
    write = function(dir)
      for i = 1, 8 * 40 do
        dir:write(("pages/%d-%d.html"):format((i - 1) % 8 + 1, math.ceil(i / 8)), ("<p>page %d</p>\n"):format(i))
      end
    end,
    command = PROBE,
    exits = 1,
    needles = {
      { "root cause", "curl: (7) Failed to connect to 127.0.0.1 port 1" },
      { "detail", "batch 5: 40 pages looked at, curl ended with 7" },
      { "summary", "8 batches, 1 failed" },
    },
  },
  {
    name = "progress-bars",
    tools = { "bash", "seq" },
    family = "ops",
    write = function(dir)
      dir:write("got/keep", "")
      for i = 1, 400 do
        if i ~= 291 then dir:write(("mirror/chunk-%d.bin"):format(i), "x") end
      end
      dir:write("fetch.sh", BARS)
    end,
    command = "bash fetch.sh",
    exits = 1,
    needles = {
      { "root cause", "cp: cannot stat 'mirror/chunk-291.bin': No such file or directory" },
      { "detail", "download 291  retry later" },
      { "summary", "400 downloads, 1 failed" },
    },
  },
  {
    name = "apt-unmet",
    language = "packages",
    tool = "apt-get",
    tools = { "apt-get" },
    family = "packages",
    write = function(dir)
      -- A tree of packages, six below each; one wants what nobody has.
      dir:write(
        "repo/Packages",
        each(600, function(i)
          local below = {}
          for child = 6 * i - 4, math.min(6 * i + 1, 600) do
            below[#below + 1] = ("score-part-%d (>= 2)"):format(child)
          end
          local depends = i == 260 and "libscore9 (>= 9.1)" or below[1] and table.concat(below, ", ") or "score-part-1"
          return fill(PACKAGE, { i = i, depends = depends })
        end)
      )
    end,
    command = APT,
    exits = 100,
    block = { { from = "The following packages have unmet dependencies:", to = "E: Unable to correct problems" } },
    needles = {
      { "root cause", "Depends: libscore9 (>= 9.1) but it is not installable" },
      { "summary", "E: Unable to correct problems, you have held broken packages." },
    },
  },
  {
    name = "dpkg-deb-truncated",
    tools = { "dpkg-deb" },
    family = "packages",
    write = function(dir)
      tree(dir, "pkg/usr/share/score-demo", 800)
      dir:write(
        "pkg/DEBIAN/control",
        "Package: score-demo\nVersion: 1.0\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: demo\n"
      )
    end,
    command = "dpkg-deb --root-owner-group -Znone -b pkg demo.deb >/dev/null && truncate -s 700000 demo.deb "
      .. "&& dpkg-deb -X demo.deb out",
    exits = 2,
    needles = {
      { "root cause", "unexpected end of file" },
    },
  },
}
