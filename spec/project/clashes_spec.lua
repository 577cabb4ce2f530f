-- Names that two sources define: `make lint-names` finds each.
package.path = "mk/?.lua;" .. package.path

local clashes = require "clashes"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

--- The names that a source defines, as "kind name", in order.
local function defined(text)
  local names = {}
  local once = clashes.definitions(text, function(name, kind)
    names[#names + 1] = kind .. " " .. name
  end)
  table.sort(names)
  return names, once
end

local PLANTED = {
  "static int planted(void)\n{\n    return 1;\n}\n",
  "static inline int\nplanted(const char *p, size_t (*f)(void))\n{\n    return p[0];\n}\n",
  'static const char *const planted[] = {"a", "{"};\n',
  "static int (*planted)(void) = NULL;\n",
  "static uint64_t planted;\n",
  "enum { OTHER = '{', planted = 2 /* , */ };\n",
  "typedef struct {\n    int field;\n} planted;\n",
  "typedef enum abr_tag { ONE } planted;\n",
  "typedef bool (*planted)(const char *p);\n",
  "typedef uint8_t planted __attribute__((vector_size(16)));\n",
  "#define planted 1\n",
  "#if 1\n#  define planted(x) \\\n    ((x) + 1)\n#endif\n",
  "ABR_PRIVATE_BEGIN\n\nint planted(void)\n{\n}\n",
  "INLINE __attribute__((always_inline)) bool planted(flags f)\n{\n    return f;\n}\n",
}

local NONE = {
  "int other(int planted)\n{\n    enum { planted };\n    static int planted = 1;\n    return planted;\n}\n",
  '/* static int planted; */\n// static int planted;\nstatic const char text[] = "\\"; static int planted;";\n',
  "int planted(void);\nextern const int planted;\nstruct planted;\ntypedef struct planted planted;\n",
  "struct other {\n    int planted;\n};\nstatic struct other one = {.planted = planted};\n",
  "#ifndef planted\n#define planted\nstatic int other;\n#endif\n", -- what guards a header
  '#define planted(x) {x},\n#include "table.def"\n#undef planted\n',
}

describe("names at file scope #once", function()
  it("that two sources define clash, whatever they are", function()
    for i, first in ipairs(PLANTED) do
      for k, second in ipairs(PLANTED) do
        local found = clashes.find { ["a/first.c"] = first, ["b/second.h"] = "#ifndef X\n#define X\n" .. second }
        assert.same({ "a/first.c", "b/second.h" }, found.planted, ("%d and %d"):format(i, k))
      end
    end
  end)

  it("are none in functions, comments, strings, declarations and structures", function()
    for i, text in ipairs(NONE) do
      assert.is_nil(clashes.find({ ["a.c"] = text, ["b.c"] = PLANTED[1] }).planted, i)
    end
  end)

  it("of a tag clash with another of that name alone", function()
    local one = { ["a.c"] = "struct planted { int x; };\n", ["b.c"] = PLANTED[1] }
    assert.same({}, clashes.find(one))
    one["c.c"] = "union planted { int y; };\n"
    assert.same({ "struct planted: a.c c.c" }, clashes.lines(clashes.find(one)))
  end)

  it("of a header that is written for several sources count for each of them", function()
    local found = clashes.find {
      ["text/for_each.h"] = "static int planted;\nstatic int NAME(load)(void)\n{\n}\n",
      ["text/one.c"] = '#define NAME(x) one_##x\n#include "text/for_each.h"\n#undef NAME\n',
      ["text/two.c"] = '\n#include "text/for_each.h"\n',
      ["text/guarded.h"] = "#ifndef G\n#define G\nstatic int once;\n#endif\n",
      ["text/three.c"] = '\n#include "text/guarded.h"\n',
      ["text/four.c"] = '\n#include "text/guarded.h"\n',
    }
    assert.same({ "planted: text/one.c text/two.c" }, clashes.lines(found))
  end)

  it("of macros are not those that such a header undefines: they are its parameters", function()
    local sources = {
      ["text/for_each.h"] = "static int NAME(load)(void)\n{\n}\n#undef NAME\n",
      ["text/one.c"] = '\n#define NAME(x) one_##x\n#define planted\n#include "text/for_each.h"\n',
      ["text/two.c"] = '\n#define NAME(x) two_##x\n#define planted\n#include "text/for_each.h"\n',
    }
    assert.same({ "planted: text/one.c text/two.c" }, clashes.lines(clashes.find(sources)))
    sources["text/for_each.h"] = sources["text/for_each.h"] .. "#undef planted\n"
    assert.same({}, clashes.find(sources))
  end)

  it("are all read: braces that do not match raise, with the path", function()
    local ok, message = pcall(clashes.find, { ["a.c"] = "int x(void)\n{\n" })
    assert.is_false(ok)
    assert.equal("a.c: brackets do not match", message)
    local names, once = defined(paths.read "csrc/line/words.h")
    assert.is_true(once)
    assert.is_true(#names > 2)
    assert.is_false(select(2, defined(paths.read "csrc/text/kernels_vector.h")))
    assert.equal(1, #select(1, defined "enum { A = 1, };\n"))
  end)

  it("fail `make lint-names` when a source defines one that another has", function()
    local dir = tmpdir.new()
    dir:sh "mkdir -p csrc/text mk"
    dir:write("csrc/text/a.c", PLANTED[1])
    dir:write("csrc/text/b.c", "static int other;\n")
    local command = ("%s %s/mk/clashes.lua csrc/text/a.c csrc/text/b.c"):format(tmpdir.program(), tmpdir.root())
    local out, err, code = dir:sh(command)
    assert.same({ "names: none of 2 sources defines one that another has\n", "", 0 }, { out, err, code })
    dir:write("csrc/text/b.c", PLANTED[6])
    out, err, code = dir:sh(command)
    assert.same({ "", 1 }, { out, code })
    assert.equal("planted: text/a.c text/b.c\nThese sources define a name twice: choose another in one of them.\n", err)
    dir:remove()
  end)
end)
