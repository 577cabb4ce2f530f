-- Every public function of the C header is called by a fuzz target, and every target has a corpus.
local paths = require "support.paths"

describe("the fuzz targets #once", function()
  it("call every public function", function()
    local calls, missing = {}, {}
    for _, name in ipairs(paths.names "spec/fuzz") do
      if name:find "%.[ch]$" then
        for called in paths.read("spec/fuzz/" .. name):gmatch "(abr_[%w_]+)%(" do
          calls[called] = true
        end
      end
    end
    local public = 0
    for declaration in paths.read("csrc/abridge.h"):gmatch "\nABR_API ([^;]*);" do
      local name = declaration:match "(abr_[%w_]+)%("
      public = public + 1
      if not calls[name] then missing[#missing + 1] = name end
    end
    assert.is_true(public > 40)
    assert.same({}, missing)
  end)

  it("are all built by make, whatever the order in which its parts are read", function()
    local pipe = assert(io.popen "make -n -B fuzz-targets CC=clang OBJ=build/obj/fuzz 2>&1")
    local steps = pipe:read "*a"
    pipe:close()
    for _, name in ipairs(paths.names "spec/fuzz") do
      local target = name:match "^fuzz_(.*)%.c$"
      if target then assert.truthy(steps:find("build/fuzz/fuzz_" .. target, 1, true), target) end
    end
  end)

  it("have corpora of their own, small enough to keep", function()
    local size = 0
    for _, name in ipairs(paths.names "spec/fuzz") do
      local target = name:match "^fuzz_(%w+)%.c$"
      if target then
        local corpus = assert(paths.read("spec/fuzz/corpus/" .. target .. ".txt"))
        local _, inputs = corpus:gsub("\n[^#\n]", "")
        assert.is_true(inputs >= 10, target)
        size = size + #corpus
      end
    end
    assert.is_true(size < 300 * 1024, size)
  end)
end)
