-- What .ci/run does before it runs the suite.

local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

describe(".ci/path.sh #once", function()
  local dir

  setup(function()
    dir = tmpdir.new()
  end)
  teardown(function()
    dir:remove()
  end)

  it("gives a path with what make setup names, and no program that only make check installs", function()
    if not io.open "/usr/bin/dpkg-query" then return pending "this is no Debian" end
    local script = tmpdir.quote(tmpdir.root() .. "/.ci/path.sh")
    local out, err, code = dir:sh(script .. " there")
    assert.same({ "", "", 0 }, { out, err, code })
    local has = {}
    for _, name in ipairs(paths.names(dir:at "there/bin")) do
      has[name] = true
    end
    for name in ("sh bash awk cc gcc make git lua5.4 luajit busted rg curl apt-get"):gmatch "%S+" do
      assert.is_true(has[name], name)
    end
    for name in ("clang clang-tidy luacheck aarch64-linux-gnu-gcc chromium zsh fish python3"):gmatch "%S+" do
      assert.is_nil(has[name], name)
    end
    out = dir:sh "PATH=$PWD/there/bin; echo 'int main(void) { return 0; }' | cc -x c - -o it && ./it && echo well"
    assert.equal("well\n", out)
  end)
end)
