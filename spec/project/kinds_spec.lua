-- The register of kinds, csrc/kinds/kinds.def, and what is made from it.
package.path = "doc/?.lua;" .. package.path

local kinds = require "abridge.base.kinds"
local made = require "kinds"
local paths = require "support.paths"

describe("the register of kinds #once", function()
  local rows = made.rows(paths.read "csrc/kinds/kinds.def")

  it("has a row for each kind of the header, and no other", function()
    local listed = paths.read("csrc/abridge.h"):match "ABR_KIND_TOLD = 0.-ABR_KINDS "
    local names = {}
    for id in listed:gmatch "\n +ABR_KIND_([%u_]+),?" do
      names[#names + 1] = id:lower()
    end
    assert.same(kinds.names, names)
    table.sort(names)
    local registered = {}
    for i, row in ipairs(rows) do
      assert.equal(row.id:lower(), row.name)
      registered[i] = row.name
    end
    table.sort(registered)
    assert.same(names, registered)
  end)

  it("says of each what it is, how it is cut and what that looks like", function()
    for _, row in ipairs(rows) do
      for _, column in ipairs { "is", "cut", "before", "after" } do
        assert.truthy(row[column] ~= "" and not row[column]:find "\n", row.name .. ": " .. column)
      end
    end
  end)

  it("makes tables, and the type of a kind", function()
    local row = { name = "toy", is = "a toy", cut = "whole", items = "", before = "a", after = "b" }
    local head = "| `cut.kind` | what it is | how it is cut | `cut.items` |\n|---|---|---|---|\n"
    assert.equal(head .. "| `toy` | a toy | whole | |\n", made.table({ row }, "kinds"))
    assert.equal("| kind | before | after |\n|---|---|---|\n| `toy` | a | b |\n", made.table({ row }, "examples"))
    assert.equal('---@alias abridge.Kind "toy"\n', made.types('---@alias abridge.Kind "old"|"new"\n', { row }))
  end)

  it("is read with strings that are broken over lines", function()
    local row = made.rows('\nKIND(A, "a", f(1, 2), x, y, z,\n  "is \\"a\\", " "b", "", "",\n "c", "d")')[1]
    assert.equal("f(1, 2)", row.reader)
    assert.equal('is "a", b', row.is)
  end)
end)
