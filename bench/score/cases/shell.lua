--- Shells and what they run: traces, listings, copies, checksums.

local each = require("score.text").each

local RELEASE = [[
set -x
version=2.14.0
stage=out/release
for arch in amd64 arm64 armhf riscv64; do
  for part in core net store index query auth; do
    mkdir -p "$stage/$arch/$part"
    for n in 1 2 3 4 5 6 7 8 9; do
      cp "in/$arch/$part-$n.bin" "$stage/$arch/$part/lib$part-$n.so.$version"
      test -s "$stage/$arch/$part/lib$part-$n.so.$version" || lost="$lost $arch/$part/$n"
    done
  done
done
echo "release $version staged for 4 architectures"
test -z "$lost" || exit 3
]]

return {
  {
    name = "bash-trace",
    language = "Shell",
    tool = "bash",
    tools = { "bash" },
    family = "ops",
    write = function(dir)
      for _, arch in ipairs { "amd64", "arm64", "armhf", "riscv64" } do
        for _, part in ipairs { "core", "net", "store", "index", "query", "auth" } do
          for n = 1, 9 do
            local name = ("in/%s/%s-%d.bin"):format(arch, part, n)
            if name ~= "in/arm64/store-5.bin" then dir:write(name, "x") end
          end
        end
      end
      dir:write("release.sh", RELEASE)
    end,
    command = "bash release.sh",
    exits = 3,
    block = { { from = "+ cp in/arm64/store-5.bin", to = "cp: cannot stat" } },
    needles = {
      { "root cause", "cp: cannot stat 'in/arm64/store-5.bin'" },
      { "summary", "+ exit 3" },
    },
  },
  {
    name = "sha256sum-check",
    tools = { "sha256sum", "find" },
    family = "ops",
    write = function(dir)
      for i = 1, 1200 do
        dir:write(("data/shard-%02d/block-%04d.dat"):format(i % 30, i), ("row %d\n"):format(i * 7919))
      end
    end,
    command = [[
find data -type f | sort | xargs sha256sum > SUMS
echo tampered >> data/shard-13/block-0433.dat
sha256sum -c SUMS]],
    needles = {
      { "root cause", "data/shard-13/block-0433.dat: FAILED" },
      { "summary", "1 computed checksum did NOT match" },
    },
  },
  {
    name = "shell-suite-ok",
    tools = { "sh" },
    family = "script-test",
    write = function(dir)
      dir:write("check.sh", each(2000, function(i)
        return ("echo 'ok %d - parser reports error %d of a bad header'\n"):format(i, i % 40)
      end) .. "echo '2000 checks passed, 0 failed'\n")
    end,
    command = "sh check.sh",
    succeeds = true,
    needles = { { "summary", "2000 checks passed, 0 failed" } },
  },
  {
    name = "find-missing",
    tools = { "find" },
    family = "ops",
    write = function(dir)
      for i = 1, 1200 do
        dir:write(("store/batch-%02d/report-%04d.txt"):format(i % 30, i), "x")
      end
    end,
    command = "find archive store -type f -printf '%s %m %p\\n'",
    exits = 1,
    needles = { { "root cause", like = "^find: .*archive.*: No such file or directory" } },
  },
  {
    name = "ls-control",
    tools = { "ls" },
    family = "control",
    write = function(dir)
      for i = 1, 700 do
        dir:write(("store/batch-%02d/error-%04d.log"):format(i % 30, i), "x")
      end
    end,
    command = "ls -lR store",
    succeeds = true,
    needles = {},
  },
}
