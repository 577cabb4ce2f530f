local abridge = require "support.unsaved"
local core = require "abridge.core"
local host = require "abridge.base.host"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local uv = host.uv()
local dir

---The result of find_files, in the spec's folder.
local function find(input, limits, opts)
  opts = opts or {}
  opts.cwd = opts.cwd or dir.path
  opts.limits = opts.limits or { find_files = limits }
  if type(input) == "string" then input = { pattern = input } end
  local result = abridge.session(opts):call("find_files", input)
  abridge.assert_conforms("find_files", result)
  return result
end

local function touch(...)
  for _, name in ipairs { ... } do
    if name:find "/" then os.execute("mkdir -p " .. tmpdir.quote(dir:at(name:match "^(.*)/"))) end
    dir:write(name, "")
  end
end

--- Files in many folders, quickly: a folder's files are one file under many names.
local function plant(folders, files)
  for i = 1, folders do
    local folder = ("d%03d"):format(i)
    assert(uv.fs_mkdir(dir:at(folder), 511)) -- 0777, less the umask
    local first = dir:write(folder .. "/f0001.c", "")
    for k = 2, files do
      assert(uv.fs_link(first, ("%s/%s/f%04d.c"):format(dir.path, folder, k)))
    end
  end
end

describe("find_files #few", function()
  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  it("lists the files that fit a glob, in order, by paths that read_file takes", function()
    touch("b.lua", "a.lua", "sub/c.lua", "sub/d.txt", "sub/deep/test_e.c", "src/x/test_f.c", "src/test_g.c")
    local result = find "*.lua"
    assert.equal("a.lua\nb.lua\nsub/c.lua", result.content)
    assert.is_false(result.is_error)
    local block = { truncated = false, bytes_returned = 21, bytes_total = 21, reason = "size_cap" }
    assert.same(block, result.truncation)
    assert.equal("sub/c.lua", find({ pattern = "*.lua", path = "sub" }).content)
    assert.equal("sub/c.lua", find({ pattern = "*.lua", path = dir:at "sub/" }).content)
    touch "100%1\n/f"
    assert.equal("100%1\\n/f", find({ pattern = "f", path = "100%1\n" }).content)
    assert.equal("src/test_g.c\nsrc/x/test_f.c", find("src/**/test_*.c").content)
    assert.equal("src/test_g.c\nsrc/x/test_f.c", find("./src/**/test_*.c").content)
    assert.equal("sub/c.lua\nsub/d.txt\nsub/deep/test_e.c", find({ pattern = "sub/**", path = "" }).content)
    assert.equal("a.lua\nb.lua", find("/*.{lua,c}").content)
  end)

  it("lists hidden files, but not .git nor what .gitignore leaves out", function()
    touch(".git/config", ".hidden/f", ".f", "out/f", "f")
    dir:write(".gitignore", "out/\n")
    assert.equal(".f\n.hidden/f\nf", find("*f").content)
  end)

  it("shows odd names as `ls -b` does, and what is no UTF-8 as U+FFFD", function()
    touch("x \n\t\\\1", "x\255", "-x", "x$(touch y)")
    assert.equal("-x\nx \\n\\t\\\\\\001\nx$(touch y)\nx\239\191\189", find("*x*").content)
    assert.is_nil(dir:read "y")
  end)

  it("says that nothing was found", function()
    touch "a"
    local result = find "*.zz"
    assert.equal("No files found matching pattern", result.content)
    assert.is_false(result.is_error)
    assert.is_false(result.truncation.truncated)
  end)

  it("tells what went wrong", function()
    touch "a"
    local cases = {
      { { pattern = "a[" }, "error parsing glob 'a[': unclosed character class; missing ']'", "EINVAL" },
      { { pattern = "a", path = "none" }, "No such file or directory: none", "ENOENT" },
      { { pattern = "a", path = "a" }, "Not a directory: a", "ENOTDIR" },
      { { pattern = "a\0" }, "Invalid input: pattern has a NUL byte", "EINVAL" },
      { { pattern = "*", offset = 3 }, "Offset 3 is beyond the last file (1 file in all)", "EOFFSET" },
    }
    for _, case in ipairs(cases) do
      local result = find(case[1])
      assert.equal(case[2], (result.content:gsub("^rg: ", ""))) -- as newer ones begin
      assert.is_true(result.is_error)
      assert.equal(case[3], result.details.error_code)
    end
    assert.equal("No more files", find({ pattern = "*", offset = 2 }).content)
  end)

  it("stops at the limit, and goes on at the offset", function()
    touch("a", "b", "c", "d", "e")
    local result = find({ pattern = "*" }, { max_results = 2 })
    assert.equal("a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]", result.content)
    assert.same({
      truncated = true,
      bytes_returned = 3,
      next_offset = 3,
      resume_hint = "call find_files with offset=3",
      reason = "item_cap",
    }, result.truncation)
    assert.equal(2, result.details.result_limit_reached)
    assert.equal("a\nb\nc\nd\n\n[4 results", find({ pattern = "*", limit = 4 }, { max_results = 2 }).content:sub(1, 19))
    result = find({ pattern = "*", limit = 5 }, { max_results = 2 })
    assert.equal("a\nb\nc\nd\ne", result.content)
    assert.is_nil(result.details.result_limit_reached)
    result = find({ pattern = "*", offset = 4 }, { max_results = 2 })
    assert.equal("d\ne", result.content)
    assert.same({ truncated = false, bytes_returned = 3, bytes_total = 9, reason = "size_cap" }, result.truncation)
  end)

  it("counts the files that it does not list", function()
    dir:sh "mkdir many && cd many && seq 600 | xargs touch"
    local result = find({ pattern = "*", path = "many" }, { max_results = 100 })
    assert.equal("[100 results limit reached. Use limit=200 for more, or refine pattern]", result.details.notice)
    assert.same({ truncated_total = 600 }, result.metadata)
    assert.equal(101, result.truncation.next_offset)
    assert.same({ truncated_total = 600 }, find({ pattern = "*", path = "many", offset = 301, limit = 3 }).metadata)
    assert.same({ truncated_total = 600 }, find({ pattern = "*", path = "many" }, { max_bytes = 100 }).metadata)
  end)

  it("knows the whole size only when rg came to its end", function()
    touch("aaaa", "bbbb", "cccc", "dddd", "eeee")
    local result = find("*", { max_bytes = 20 })
    assert.equal("aaaa\nbbbb\ncccc\ndddd", result.content)
    assert.is_true(result.truncation.truncated)
    assert.equal(24, result.truncation.bytes_total)
    assert.equal(5, result.truncation.next_offset)
    assert.equal(5, result.metadata.truncated_total)
    result = find("*", { max_bytes = 6 })
    assert.equal("aaaa", result.content)
    assert.is_nil(result.truncation.bytes_total)
    assert.same({ truncated_total = 5 }, result.metadata) -- all are counted
    touch(("n"):rep(40))
    assert.equal("[50B limit reached]", find("*", { max_bytes = 50 }).details.notice)
  end)

  it("redacts names", function()
    touch("sub/secret1", "sub/secret2")
    local opts = { redact = { "secret%d" }, limits = { find_files = { max_results = 1 } } }
    assert.equal("sub/[redacted]", find("*", nil, opts).content:match "^[^\n]*")
    local result = find({ pattern = "*", offset = 2 }, nil, opts)
    assert.equal("sub/[redacted]", result.content)
    assert.equal(#"sub/[redacted]" * 2 + 1, result.truncation.bytes_total)
  end)

  it("answers within the budget in a folder of 100,000 files, and goes on without loss or repeat #few", function()
    plant(100, 1000)
    local limits = { max_results = 30000, max_bytes = "256KB" }
    local input, number, pages = { pattern = "*.c" }, 0, 0
    repeat
      local result = find(input, nil, { limits = { find_files = limits }, ceiling = false })
      assert.is_true(#result.content <= 262144)
      local body = result.content:sub(1, result.truncation.bytes_returned)
      for name in body:gmatch "[^\n]+" do
        local expected = ("d%03d/f%04d.c"):format(math.floor(number / 1000) + 1, number % 1000 + 1)
        if name ~= expected then assert.equal(expected, name) end
        number = number + 1
      end
      input.offset, pages = result.truncation.next_offset, pages + 1
      assert.is_true(input.offset == nil or input.offset == number + 1)
    until not input.offset
    assert.equal(100000, number)
    assert.is_true(pages > 4 and pages < 8)
    local result = find "*.c"
    assert.equal(1001, result.truncation.next_offset)
    assert.is_true(#result.content <= 30720)
    assert.is_true(result.duration_ms < 10000)
  end)

  it("pages from offset to offset are the whole listing, under any limits", function()
    local NAMES = { "a", "b", "\n", "\\", "c.c", "-", " ", "\195\169", "xyz" }
    random.each(15, function(case)
      local root = "t" .. case
      local names, seen = {}, {}
      for _ = 1, random.between(1, 25) do
        local name = random.join(NAMES, random.between(1, 4))
        if not seen[name] then names[#names + 1] = name end
        seen[name] = true
      end
      table.sort(names)
      for i, name in ipairs(names) do
        touch(root .. "/" .. name)
        names[i] = root .. "/" .. name:gsub("[\n\\]", { ["\n"] = "\\n", ["\\"] = "\\\\" })
      end
      local limits = {}
      for _, budget in ipairs { "max_bytes", "max_chars", "max_tokens", "max_lines", "max_results" } do
        limits[budget] = random.choose { false, false, random.between(30, 200) }
      end
      local input, got = { pattern = "*", path = root, offset = 1 }, {}
      repeat
        local result = find(input, limits)
        got[#got + 1] = result.content:sub(1, result.truncation.bytes_returned)
        random.must(#result.content <= (limits.max_bytes or math.huge), "%d bytes", #result.content)
        random.must(core.count_chars(result.content) <= (limits.max_chars or math.huge), "%s", result.content)
        input.offset = result.truncation.next_offset
      until not input.offset
      random.must(table.concat(got, "\n") == table.concat(names, "\n"), "%s", table.concat(got, "\n"))
    end)
  end)

  it("holds up under tiny budgets, other strategies and every profile", function()
    touch("a/file", "b/file", "c/file")
    for _, budget in ipairs { 0, 1, 2, 5, 13, 20 } do
      for _, strategy in ipairs { "head", "tail", "head_tail" } do
        for _, name in ipairs { "max_bytes", "max_chars", "max_tokens", "max_lines", "max_results" } do
          local result = find("*", { strategy = strategy, [name] = budget })
          assert.is_nil(result.details.inner_error)
          if name == "max_bytes" then assert.is_true(#result.content <= budget) end
        end
      end
    end
    for profile in pairs(abridge.profiles) do
      assert.equal("a/file\nb/file\nc/file", find("*", nil, { profile = profile }).content)
    end
    for _, limits in ipairs { { strategy = "pipeline", max_lines = 2 }, { strategy = "pipeline", max_chars = 8 } } do
      local result = abridge
        .session({ run_dir = false, profile = "pipeline", cwd = dir.path, limits = {
          find_files = limits,
        } })
        :call("find_files", { pattern = "*" })
      abridge.assert_conforms("find_files", result)
      assert.is_true(result.truncation.truncated)
      assert.is_nil(result.truncation.next_offset)
    end
  end)
end)
