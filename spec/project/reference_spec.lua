-- The marked regions of doc/lua.md and other pages, and what is made from the annotations.
package.path = "doc/?.lua;" .. package.path

local docs = require "names.docs"
local paths = require "support.paths"
local reference = require "reference"
local tmpdir = require "support.tmpdir"

--- A page with one region, filled from a file of Lua.
local function filled(mark, code)
  local dir = tmpdir.new()
  dir:write("a.lua", code .. "\nreturn {}\n")
  local known = docs.read(dir.path)
  dir:remove()
  local page = reference.filled(("above\n\n<!-- %s -->\n\nold\n\n<!-- end -->\n\nbelow\n"):format(mark), known)
  return page:match("^above\n\n<!%-%- " .. mark:gsub("%p", "%%%0") .. " %-%->\n\n(.*)\n\n<!%-%- end %-%->\n\nbelow\n$")
end

describe("the reference #once", function()
  it("has the tables, signatures and types that are made for it", function()
    for path, text in pairs(reference.files()) do
      assert(text == paths.read(path), path .. " is not as its sources say: run `make doc`")
    end
  end)

  it("has a region for each class of options that a page of its own does not have", function()
    local page = paths.read "doc/lua.md" .. paths.read "doc/history.md" .. paths.read "doc/gateway.md"
    for name in paths.read("doc/names.txt"):gmatch "\n(abridge%.[%w.]*Options)" do
      local shown = page:find("<!%-%- options: [^\n]*" .. name:gsub("%p", "%%%0") .. "%f[^%w]")
      local elsewhere = name == "abridge.OtelOptions"
      local small = name == "abridge.StreamOptions" or name == "abridge.nvim.SetupOptions"
      assert.truthy(shown or elsewhere or small, name)
    end
  end)

  it("has a row for each field: its description, from above it and beside it, and its default", function()
    local made = filled(
      "options: abridge.Toy abridge.More",
      [[
--- About the class.
---@class (exact) abridge.Toy Not of a field.
--- Half of it stands
---@field one? integer|string above (default: `"x"`)
---@field two boolean
---@field three fun(a: string): integer, string with a | in it

---@class abridge.More: abridge.Toy
---@field four? table its own
]]
    )
    assert.equal(
      table.concat({
        "| option | value | default |",
        "|---|---|---|",
        '| `one`, `two` | Half of it stands above | `"x"` |',
        "| `three` | with a \\| in it | |",
        "| `four` | its own | |",
      }, "\n"),
      made
    )
  end)

  it("shows functions among fields with their parameters", function()
    local made = filled(
      "fields: abridge.Toy",
      "---@class abridge.Toy\n---@field run fun(argv: string[], opts?: table, done: fun(a: string, b: any)): any runs\n"
    )
    assert.equal("| field | meaning |\n|---|---|\n| `run(argv, opts?, done)` | runs |", made)
  end)

  it("refuses a class without a description to begin with, and one that is not there", function()
    assert.error_matches(function()
      filled("fields: abridge.Toy", "---@class abridge.Toy\n---@field one integer\n")
    end, "abridge.Toy.one has no description")
    assert.error_matches(function()
      filled("fields: abridge.None", "")
    end, "no class abridge.None")
    assert.error_matches(function()
      filled("tables: abridge.None", "")
    end, "no such region: tables")
  end)

  it("shows calls by the names of parameters and results, and what tells of a failure", function()
    local page = reference.filled(
      "<!-- calls: abridge.auto abridge.page abridge.history.fit nvim.status session:call -->\n<!-- end -->\n\n"
        .. "<!-- commands: all -->\n<!-- end -->",
      reference.known()
    )
    for _, line in ipairs {
      "    content, cut = abridge.auto(text, opts)                            -- by the kind of the text\n",
      "    content, cut = abridge.page(path, opts?)                           -- or nil, message, code\n",
      '    messages, report = require("abridge.history").fit(messages, opts)\n',
      "    text = nvim.status()\n",
      "    abridge clean < TEXT                   turn it into the text a terminal would finally show\n",
      "    result = session:call(name, input)\n    job = session:call(name, input, opts)\n",
    } do
      assert.truthy(page:find(line, 1, true), line .. page)
    end
  end)
end)
