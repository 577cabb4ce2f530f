-- Every public function of the C header is called by a fuzz target, and every target has a corpus.
local uv = require("abridge.host").uv()

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function names_in(folder)
  local names, scan = {}, assert(uv.fs_scandir(folder))
  for name in uv.fs_scandir_next, scan do names[#names + 1] = name end
  table.sort(names)
  return names
end

describe("the fuzz targets", function()
  it("call every public function", function()
    local calls, missing = {}, {}
    for _, name in ipairs(names_in "spec/fuzz") do
      if name:find "%.[ch]$" then
        for called in read("spec/fuzz/" .. name):gmatch "(abr_[%w_]+)%(" do calls[called] = true end
      end
    end
    local public = 0
    for declaration in read("csrc/abridge.h"):gmatch "\nABR_API ([^;]*);" do
      local name = declaration:match "(abr_[%w_]+)%("
      public = public + 1
      if not calls[name] then missing[#missing + 1] = name end
    end
    assert.is_true(public > 40)
    assert.same({}, missing)
  end)

  it("have corpora of small files", function()
    local size = 0
    for _, name in ipairs(names_in "spec/fuzz") do
      local target = name:match "^fuzz_(%w+)%.c$"
      if target then
        local inputs = names_in("spec/fuzz/corpus/" .. target)
        assert.is_true(#inputs >= 10, target)
        for _, input in ipairs(inputs) do size = size + #read(("spec/fuzz/corpus/%s/%s"):format(target, input)) end
      end
    end
    assert.is_true(size < 300 * 1024, size)
  end)
end)
