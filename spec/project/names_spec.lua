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
      "    :call(name: string, input: table|string): result: abridge.Result",
      "    :call(name: string, input: table|string, opts: abridge.CallOptions): abridge.Job",
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

  it("have annotations that tell of the parameters and options that the code has, and no others", function()
    local _, problems = names.text()
    assert.equal("", table.concat(problems, "\n"))
  end)

  it("have classes for ctx and events, with the fields that are there, and no others", function()
    local classes, seen = docs.read("lua").classes, {}
    local function compare(class, value)
      local fields = classes[class].fields
      for key in pairs(value) do
        assert.truthy(fields[key] or key == "redactor", class .. " lacks " .. key)
      end
      for name, about in pairs(fields) do
        assert.truthy(about.optional ~= "" or value[name] ~= nil, ("there is no %s of %s"):format(name, class))
      end
      seen[value.type or class] = true
    end
    local session = require("abridge").session {
      run_dir = false,
      on_event = function(event)
        compare("abridge.Event", event)
      end,
    }
    session:register {
      name = "look",
      execute = function(_, ctx)
        compare("abridge.ToolContext", ctx)
        return "seen"
      end,
    }
    local result = session:call("look", {})
    assert.equal("seen", result.content)
    session:display(result)
    session:close()
    assert.same({ tool_call = true, ["abridge.ToolContext"] = true, tool_result = true, display = true }, seen)
  end)

  it("are seen to be told of wrongly: an option, its type, a parameter", function()
    local known = docs.read "lua"
    local call, pipeline = known.classes["abridge.CallOptions"].fields, known.classes["abridge.PipelineOptions"].fields
    call.id, call.more = nil, { type = "string" } -- the session checks these,
    call.on_done.type, call.on_update.type = "string", "string|fun()"
    pipeline.max_chars, pipeline.more = nil, { type = "string" } -- and the core these
    pipeline.head_ratio.type, pipeline.indicators.type = "string", "boolean|string"
    assert.same({
      "abridge.CallOptions.on_done: it takes a function, which `string` is not",
      "abridge.CallOptions.on_update: it takes no string as in `string|fun()`",
      "abridge.CallOptions: the annotation lacks id",
      "abridge.CallOptions: the code reads no option more",
      "abridge.PipelineOptions.head_ratio: it takes a number, which `string` is not",
      "abridge.PipelineOptions.indicators: it takes no string as in `boolean|string`",
      "abridge.PipelineOptions: the annotation lacks max_chars",
      "abridge.PipelineOptions: the code reads no option more",
    }, require("names.options").problems(known, {}))
    local dir = tmpdir.new()
    dir:write("a.lua", "--- One.\n---@param a string\n---@param c string\nfunction M.one(a, b) end\n")
    local about = docs.read(dir.path).functions[dir.path .. "/a.lua:4"]
    dir:remove()
    assert.same({ "no @param b" }, about.problems)
    assert.equal("@param c, which is no parameter", about.foreign)
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
