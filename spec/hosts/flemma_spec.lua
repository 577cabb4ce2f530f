local ours = require "abridge.flemma"
local coreless = require "support.standins.coreless"
local flemma = require("support.plugins").driver "flemma"
local lines = require "support.numbered"
local random = require "support.random"

local original = flemma.original

--- A result without the fields that the original lacks.
local function plain(result)
  local copy = {}
  for key, value in pairs(result) do
    if key ~= "cut" then copy[key] = value end
  end
  return copy
end

describe("abridge.flemma", function()
  it("has the functions and constants of the original", function()
    local public = {}
    for key, value in pairs(original) do
      assert.equal(type(value), type(ours[key]), key)
      if type(value) ~= "function" then assert.equal(value, ours[key]) end
      public[key] = true
    end
    for key in pairs(ours) do
      assert.is_true(public[key], key)
    end
  end)

  it("gives the original's results for texts that end in no newline", function()
    for case = 1, random.some(400) do
      random.start(case)
      local text = random.join({ "a", "bc", "é", "€", "😀", "\n", "\n\n", " ", ("x"):rep(30) }, random.below(40))
        .. "."
      local opts = { max_lines = random.between(1, 12), max_bytes = random.between(1, 120) }
      if random.chance(4) then opts.max_lines = nil end
      if random.chance(4) then opts.max_bytes = nil end
      for _, name in ipairs { "truncate_head", "truncate_tail" } do
        local where = ("seed %d, case %d, %s"):format(random.seed, case, name)
        local expected = plain(original[name](text, opts))
        -- under a limit of one line the original names lines where it was bytes that split the last one
        if expected.last_line_partial then expected.truncated_by = "bytes" end
        assert.same(expected, plain(ours[name](text, opts)), where)
      end
      local max_chars = random.between(16, 100)
      local line = text:gsub("\n", " ")
      assert.same(original.truncate_line(line, max_chars), ours.truncate_line(line, max_chars))
    end
  end)

  it("takes the original's defaults", function()
    for _, text in ipairs { lines(3000), ("x"):rep(100) .. "\n" .. ("y"):rep(60000), ("z"):rep(60000) } do
      assert.same(plain(original.truncate_head(text)), plain(ours.truncate_head(text)))
      assert.same(plain(original.truncate_tail(text)), plain(ours.truncate_tail(text)))
    end
    assert.equal(500, #ours.truncate_line(("x"):rep(501)).text)
    assert.same({ text = ("x"):rep(500), truncated = false }, ours.truncate_line(("x"):rep(500)))
  end)

  it("counts lines as the rest of abridge does, and that is the difference", function()
    assert.equal(4, original.truncate_tail("1\n2\n3\n", { max_lines = 2 }).total_lines)
    local result = ours.truncate_tail("1\n2\n3\n", { max_lines = 2 })
    assert.equal("2\n3\n", result.content)
    assert.same({ 3, 2, "lines" }, { result.total_lines, result.output_lines, result.truncated_by })
    assert.equal(2, result.cut.kept[1].first_line)
    assert.equal(0, ours.truncate_head("").total_lines)
  end)

  it("never exceeds a byte budget, and splits no char", function()
    for budget = 0, 40 do
      for _, char in ipairs { "x", "é", "😀" } do
        local cut = ours.truncate_line(char:rep(50), budget)
        assert.is_true(cut.truncated)
        assert.is_true(#cut.text <= budget)
        assert.equal("", cut.text:gsub("%.%.%. %[truncated%]$", ""):gsub(char, ""))
        assert.is_true(#ours.truncate_tail(char:rep(50), { max_bytes = budget }).content <= budget)
      end
    end
  end)

  it("cuts a line wherever its bytes end, and leaves a suffix out that would take all of it", function()
    local long = ("abc\n"):rep(300)
    assert.equal(long:sub(1, 85) .. "... [truncated]", ours.truncate_line(long, 100).text)
    assert.equal(long:sub(1, 15), ours.truncate_line(long, 15).text)
    assert.equal("a... [truncated]", ours.truncate_line(long, 16).text)
  end)

  it("prints sizes as abridge does", function()
    assert.equal("50KB", ours.format_size(51200))
    assert.equal("1.5KB", ours.format_size(1536))
    assert.equal("12B", ours.format_size(12))
    assert.equal("12B", original.format_size(12))
  end)

  it("never raises", function()
    assert.equal("nil", ours.truncate_head(nil).content)
    assert.equal("12", ours.truncate_tail(12).content)
    assert.equal("text", ours.truncate_tail("text", true).content)
    assert.equal("true", ours.truncate_line(true).text)
    assert.equal("manyB", ours.format_size "many")
    local result = ours.truncate_head(("x"):rep(60000), { max_lines = "no" })
    assert.equal(51200, #result.content)
    assert.same({ true, "bytes", 1, 60000 }, {
      result.truncated,
      result.truncated_by,
      result.total_lines,
      result.total_bytes,
    })
    assert.is_nil(result.cut)
  end)

  it("cuts crudely without the core", function()
    coreless("abridge.flemma", function(crude)
      local text = lines(20000)
      for _, name in ipairs { "truncate_head", "truncate_tail" } do
        local result = crude[name](text, { max_bytes = 1000 })
        assert.is_true(#result.content <= 1000)
        assert.equal(20000, result.total_lines)
        assert.is_true(result.truncated)
        local few = crude[name](text, { max_lines = 10 })
        assert.same({ "lines", 10 }, { few.truncated_by, few.output_lines })
        local fits = crude[name] "a\nb\n"
        assert.same({ "a\nb\n", false, 2, 2 }, { fits.content, fits.truncated, fits.total_lines, fits.output_lines })
      end
      assert.equal(100, #crude.truncate_line(("x"):rep(1000), 100).text)
      assert.equal("2048B", crude.format_size(2048))
    end)
  end)
end)

describe("examples/flemma.lua", function()
  after_each(flemma.unload)

  it("puts the table where flemma and its tools take it from", function()
    local loaded
    package.preload["flemma"] = function() -- luacheck: ignore 122
      return {
        setup = function()
          loaded = flemma.load()
        end,
      }
    end
    assert(loadfile "examples/flemma.lua")()
    package.preload["flemma"], package.loaded["flemma"] = nil, nil -- luacheck: ignore 122
    assert.equal(ours, loaded.base)

    local tail = loaded.tools.truncate_with_overflow(lines(3000) .. "\n", { direction = "tail" })
    assert.matches("^line 1001\n", tail.content)
    assert.matches("\nline 3000\n\n\n%[Showing lines 1001%-3000 of 3000[^%]]*%]$", tail.content)
    local head = loaded.tools.truncate_with_overflow(("é"):rep(9000), { direction = "head", max_bytes = 100 })
    assert.matches("^%[Output too large: 17%.6KB in a single line, exceeds 50KB limit[^%]]*%]$", head.content)
    assert.equal(500, #loaded.grep("f", 1, ("x"):rep(900)) - #"f:1:")

    -- pages of "read" rebuild the file
    local all, pages, offset = {}, {}, 1
    for i = 1, 9000 do
      all[i] = ("line %d "):format(i) .. ("x"):rep(i % 50)
    end
    repeat
      pages[#pages + 1], offset = loaded.read(all, offset)
    until not offset
    assert.is_true(#pages > 4)
    assert.equal(table.concat(all, "\n"), table.concat(pages, "\n"))
  end)
end)
