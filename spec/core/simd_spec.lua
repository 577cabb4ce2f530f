-- The instructions that texts are scanned with: ABRIDGE_SIMD names them, and no result depends on them.
local core = require "abridge.core"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local NAMES = { avx2 = true, sse2 = true, neon = true, scalar = true }

-- Run by a fresh interpreter: says which instructions are in force, and how a text is cut.
local PROBE = [[
local core = require "abridge.core"
local abridge = require "abridge"
local file = assert(io.open("text", "rb"))
local text = file:read "*a"
file:close()
local function say(...)
  for i = 1, select("#", ...) do io.write(tostring((select(i, ...))), " ") end
end
local function say_cut(content, cut)
  say(content, cut.total_lines, cut.total_chars, cut.output_lines, cut.output_bytes, cut.omitted_bytes)
end
for _, strategy in ipairs { "auto", "head", "tail", "head_tail", "priority" } do
  say_cut(abridge[strategy](text, { max_bytes = 5000, utf8 = "replace" }))
  say_cut(abridge[strategy](text, { max_lines = 40, max_chars = 3000 }))
end
say(abridge.count_lines(text), abridge.count_chars(text))
say((abridge.clean(text)))
local s = abridge.stream { strategy = "head_tail", max_chars = 2000, full_output = false }
for i = 1, #text, 701 do s:write(text:sub(i, i + 700)) end
say_cut(s:finish())
say_cut(abridge.page("text", { offset = 50, limit = 30, binary = true }))
io.stderr:write(core.simd())
]]

local ALPHABET = {
  "plain words of a log line ",
  "error: it failed ",
  "\n",
  "\n",
  "\r\n",
  "\t",
  "\27[31m",
  "\127",
  "\0",
  "[INFO] ",
  "src/main.c:12:3: note ",
  "TypeError",
  "E1101 ",
  "0 failed, ",
  "not ok ",
  "   12 | ",
  "2026-03-01 10:00:07 ",
  "\195\169",
  "\226\130\172",
  "\240\159\152\128",
  "\194\133",
  "\237\160\128",
  "\255",
  "\226\130",
  "\128",
}

describe("core.simd", function()
  it("is one of four names", function()
    assert.is_true(NAMES[core.simd()])
  end)

  describe("in a fresh interpreter", function()
    local dir, interpreter

    --- The instructions in force, and what the cuts of the text are.
    local function probe(wanted)
      local line = "LUA_INIT= %s LUA_PATH=%s LUA_CPATH=%s %s probe.lua"
      local root = tmpdir.root()
      local set = wanted and "ABRIDGE_SIMD=" .. tmpdir.quote(wanted) or "env -u ABRIDGE_SIMD"
      local said, name, code = dir:sh(
        line:format(
          set,
          tmpdir.quote(root .. "/lua/?.lua;" .. root .. "/lua/?/init.lua"),
          tmpdir.quote(root .. "/build/" .. _VERSION:match "%d+%.%d+" .. "/?.so"),
          tmpdir.quote(interpreter)
        )
      )
      assert.equal(0, code, name)
      return name, said
    end

    setup(function()
      interpreter = tmpdir.interpreter()
      if not interpreter then return end
      dir = tmpdir.new()
      dir:write("probe.lua", PROBE)
      random.start(1)
      dir:write("text", random.join(ALPHABET, 4000))
    end)

    teardown(function()
      if dir then dir:remove() end
    end)

    local function needs_child()
      if not interpreter then pending "Neovim 0.7 is no plain interpreter" end
      return interpreter ~= nil
    end

    it("is what ABRIDGE_SIMD names, where the processor has it, and no result depends on it", function()
      if not needs_child() then return end
      local best, expected = probe(nil)
      assert.is_true(#expected > 10000)
      local seen = {}
      for name in pairs(NAMES) do
        local got, said = probe(name)
        assert.is_true(got == name or got == best)
        assert.is_true(said == expected, "another result with " .. name)
        seen[got] = true
      end
      assert.is_true(seen.scalar)
      assert.is_true(seen[best])
    end)

    it("is the best of the processor where ABRIDGE_SIMD names no instructions", function()
      if not needs_child() then return end
      local best = probe(nil)
      assert.equal(best, (probe "avx1024"))
      assert.equal(best, (probe ""))
    end)
  end)
end)
