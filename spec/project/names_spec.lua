-- Every public name is in doc/names.txt, so that nobody changes one without seeing it.
package.path = "doc/?.lua;" .. package.path

local docs = require "names.docs"
local names = require "names"
local paths = require "support.paths"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

describe("the public names #once", function()
  local listed = plain.lines(paths.read "doc/names.txt")

  it("are those of the sources", function()
    local told, known = plain.lines(names.text()), {}
    for _, line in ipairs(listed) do
      known[line] = (known[line] or 0) + 1
    end
    local changed = {}
    for _, line in ipairs(told) do
      if (known[line] or 0) == 0 then changed[#changed + 1] = "+ " .. line end
      known[line] = (known[line] or 0) - 1
    end
    for line, count in pairs(known) do
      if count > 0 then changed[#changed + 1] = "- " .. line end
    end
    table.sort(changed)
    local how = "\n`make names` writes doc/names.txt anew; doc/versions.md says what a release may change"
    assert.equal("", table.concat(changed, "\n"), table.concat(changed, "\n") .. how)
    assert.same(listed, told, "the order changed" .. how)
  end)

  it("are of functions, options, results, methods, C functions, structs, enums and macros", function()
    local set = {}
    for _, line in ipairs(listed) do
      set[line] = true
    end
    for _, line in ipairs {
      "abridge.count_chars: fun(text: string): integer, integer",
      "abridge.notice(tool: string, cut: abridge.Cut, data?: abridge.NoticeData): string|nil",
      "abridge.info.parse(json_or_table: string|table): abridge.Info|nil, string|nil",
      "abridge.SessionOptions",
      "    .root?: string",
      "    .truncation: abridge.Block",
      "    :register(definition: abridge.ToolDefinition)",
      'abridge.Reason = "size_cap"|"line_cap"|"row_cap"|"exec_budget"|"item_cap"',
      "void abr_cut_free(abr_cut *cut)",
      "typedef struct abr_error",
      "    const char *message",
      "    ABR_TAIL = 1",
      "#define ABR_SIZE_MAX 16",
    } do
      assert.is_true(set[line], line)
    end
  end)

  it("tell what is deprecated, and of types with blanks in them", function()
    local dir = tmpdir.new()
    dir:write(
      "a.lua",
      [[
--- Old.
---@deprecated by `new`
---@param f? fun(a: string, b: "x y"|nil): integer, string  what it does
---@return table<string, { a: integer|nil }> found and so on
---@return string|nil message
function M.old(f, n, rest) end
]]
    )
    local read = docs.read(dir.path)
    dir:remove()
    local signature = 'f?: fun(a: string, b: "x y"|nil): integer, string, n, rest'
    local returns = "table<string, { a: integer|nil }>, string|nil"
    assert.equal(("(%s): %s deprecated"):format(signature, returns), read.functions[dir.path .. "/a.lua:6"].signature)
  end)

  it("are of no private field or function", function()
    for _, line in ipairs(listed) do
      assert.not_matches("^    [.:]_", line)
      assert.not_matches("table_of_limits", line)
      assert.not_matches("abridge%.health%.sections", line)
    end
  end)
end)
