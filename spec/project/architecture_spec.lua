-- The house: rooms in the order of doc/design.md, no circles, one header a source, libuv in few rooms, every file in
-- the rock. Each fault that can be made is made in a copy, and seen.

local architecture = require "support.architecture"
local tmpdir = require "support.tmpdir"

describe("the architecture #once", function()
  it("has no use of a higher room, no circle, no shared header, no file that is not packed", function()
    assert.same({}, architecture.problems ".")
  end)

  describe("in a tree with a fault", function()
    local dir

    before_each(function()
      dir = tmpdir.new()
      dir:sh "mkdir -p csrc/low csrc/high lua/abridge/low lua/abridge/high rockspec doc examples"
      dir:write(
        "doc/design.md",
        [[
## The rooms

```
csrc/          the core
  low/         one
  high/        two
lua/abridge/   the module
  low/         one
  high/        two
```
]]
      )
      dir:write("csrc/abridge.h", "int abr_public(void);\n")
      dir:write("csrc/low/a.h", "\nint abr_a(int x,\n          int y);\n")
      dir:write("csrc/low/a.c", '#include "low/a.h"\n\nint abr_a(int x,\n          int y)\n{\n}\n')
      dir:write("csrc/high/b.c", '#include "low/a.h"\n')
      dir:write("lua/abridge/init.lua", 'return require "abridge.high.b"\n')
      dir:write("lua/abridge/low/a.lua", "return {}\n")
      dir:write("lua/abridge/high/b.lua", 'return function() return require("abridge.low.a") end\n')
      dir:write("examples/one.lua", 'require "abridge"\n')
      dir:write(
        "rockspec/x.rockspec",
        [["csrc/low/a.c" "csrc/high/b.c" "lua/abridge/init.lua" "lua/abridge/low/a.lua"
        "lua/abridge/high/b.lua"]]
      )
    end)

    after_each(function()
      dir:remove()
    end)

    local function problems()
      return architecture.problems(dir.path)
    end

    it("finds nothing before there is one", function()
      assert.same({}, problems())
    end)

    it("sees an include of a higher room", function()
      dir:write("csrc/high/b.h", "")
      dir:write("csrc/low/a.c", '#include "high/b.h"\n\nint abr_a(int x, int y)\n{\n}\n')
      dir:write("csrc/high/b.c", "")
      assert.same({ "low/a uses high/b, which is in a higher room" }, problems())
    end)

    it("sees a circle of sources through their headers", function()
      dir:write("csrc/low/c.h", "")
      dir:write("csrc/low/c.c", '#include "low/a.h"\n')
      dir:write("csrc/low/a.c", '#include "low/c.h"\n\nint abr_a(int x, int y)\n{\n}\n')
      dir:write("rockspec/x.rockspec", dir:read "rockspec/x.rockspec" .. '"csrc/low/c.c"')
      assert.same({ "a circle: low/a -> low/c -> low/a" }, problems())
    end)

    it("sees a header that declares for another source", function()
      dir:write("csrc/low/a.h", "\nint abr_a(int x, int y);\nbool abr_of_b(void);\n")
      assert.same({ "csrc/low/a.h declares abr_of_b, which its source does not define" }, problems())
    end)

    it("sees an include and a require of what is not there", function()
      dir:write("csrc/high/b.c", '#include "low/none.h"\n')
      dir:write("lua/abridge/high/b.lua", 'require "abridge.low.none"\n')
      assert.same({
        "csrc/high/b.c includes low/none.h, which is not there",
        "abridge.high.b requires abridge.low.none, which is not there",
      }, problems())
    end)

    it("sees a require of a higher room inside a function, by pcall too", function()
      dir:write("lua/abridge/low/a.lua", 'return function() return pcall(require, "abridge.high.b") end\n')
      dir:write("lua/abridge/high/b.lua", "")
      assert.same({ "abridge.low.a uses abridge.high.b, which is in a higher room" }, problems())
    end)

    it("sees a private module that requires a public one", function()
      dir:write("lua/abridge/init.lua", "")
      dir:write("lua/abridge/high/b.lua", 'return require "abridge"\n')
      assert.same({ "abridge.high.b uses abridge, which is in a higher room" }, problems())
    end)

    it("sees a room that the page does not list, and one that is not there", function()
      dir:sh "mv lua/abridge/high lua/abridge/other && sed -i 's/high/other/' lua/abridge/init.lua rockspec/x.rockspec"
      assert.same({
        "doc/design.md lists lua/abridge/high, which is not there",
        "doc/design.md does not list lua/abridge/other",
      }, { problems()[1], problems()[2] })
    end)

    it("sees a file that asks for libuv in a room that the page does not name for it, or at the top", function()
      dir:write("lua/abridge/high/b.lua", 'local uv = require("abridge.low.a").uv()\n')
      dir:write("lua/abridge/init.lua", 'return vim.loop or require "luv"\n')
      local of_high, of_top =
        "abridge.high.b asks for libuv, which doc/design.md does not say of high",
        "abridge asks for libuv, which doc/design.md does not say of init.lua"
      assert.same({ of_top, of_high }, problems())
      local page = dir:read "doc/design.md"
      dir:write("doc/design.md", page .. "\n`host.uv` is asked for in\n`high`.\nNot in `init.lua`.\n")
      assert.same({ of_top }, problems())
      dir:write("doc/design.md", page .. "\n`host.uv` is asked for in `high` and in `init.lua`, the start.\n")
      assert.same({}, problems())
    end)

    it("sees a room that the page names for libuv and that does not ask for it", function()
      dir:write("doc/design.md", dir:read "doc/design.md" .. "\n`host.uv` is asked for in `low`.\n")
      dir:write("lua/abridge/low/a.lua", "return {} -- host.uv\n")
      assert.same({ "doc/design.md says that low asks for libuv, which it does not" }, problems())
    end)

    it("sees an example that requires what is private", function()
      dir:write("examples/one.lua", 'require "abridge.low.a"\n')
      assert.same({ "examples/one.lua requires abridge.low.a, which is private" }, problems())
    end)

    it("sees a source and a module that are not packed", function()
      dir:write("rockspec/x.rockspec", '"csrc/low/a.c" "lua/abridge/init.lua" "lua/abridge/low/a.lua"')
      assert.same({
        "x.rockspec does not list csrc/high/b.c",
        "x.rockspec does not list lua/abridge/high/b.lua",
      }, problems())
    end)
  end)
end)
