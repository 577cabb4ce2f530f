local bodies = require "abridge.web.body"
local random = require "support.random"
local redact = require "abridge.redact"

--- What a body keeps of a text that comes in chunks of these sizes, over and over.
local function kept(text, offset, capacity, sizes, redactor)
  local body = bodies.new(offset, capacity, redactor and redactor:stream())
  local at, i, enough = 1, 0, false
  while at <= #text and not enough do
    i = i % #sizes + 1
    enough = body:write(text:sub(at, at + sizes[i] - 1))
    at = at + sizes[i]
  end
  return body:text(), body
end

describe("a body", function()
  it("is kept from its offset on, up to its capacity", function()
    assert.equal("cdef", (kept("abcdef", 3, 10, { 2 })))
    assert.equal("cd", (kept("abcdef", 3, 2, { 1 })))
    assert.equal("", (kept("abcdef", 7, 10, { 4 })))
    assert.equal("", (kept("abcdef", 100, 10, { 4 })))
  end)

  it("has enough with the first byte over its capacity, not before", function()
    local body = bodies.new(1, 4)
    assert.is_false(body:write "abcd")
    assert.is_false(body.over)
    assert.is_true(body:write "e")
    assert.equal("abcd", body:text())
    assert.is_true(body.over)
  end)

  it("counts the bytes and newlines in front of the offset", function()
    local _, body = kept("a\nb\n\nc", 5, 10, { 1 })
    assert.equal(4, body.before)
    assert.equal(2, body.lines)
    _, body = kept("ab", 5, 10, { 1 })
    assert.equal(2, body.before)
  end)

  it("ends with no torn char where its capacity ends inside one", function()
    for size, text in pairs { [2] = "\195\169", [3] = "\226\130\172", [4] = "\240\159\152\128" } do
      for room = 1, size do
        local wanted = room == size and "x" .. text or "x"
        assert.equal(wanted, (kept("x" .. text .. "y", 1, 1 + room, { 100 })))
      end
    end
    assert.equal("x\169\169", (kept("x\169\169y", 1, 3, { 100 })))
    assert.equal("x\226\130", (kept("x\226\130", 1, 100, { 100 }))) -- as it came
  end)

  it("knows a NUL near its start, also in front of the offset", function()
    local _, body = kept(("a"):rep(7999) .. "\0", 9000, 10, { 1000 })
    assert.is_true(body:has_nul())
    _, body = kept(("a"):rep(8000) .. "\0", 1, 10000, { 1000 })
    assert.is_false(body:has_nul())
  end)

  it("is the same whatever the chunks were, redacted or not", function()
    local redactor = redact.compile("spec", { "a+b" })
    random.each(300, function()
      local text = random.text(60)
      local offset, capacity = random.between(1, 40), random.below(60)
      local sizes = { random.between(1, 9), random.between(1, 9), random.between(1, 200) }
      for _, by in ipairs { false, redactor } do
        local wanted, whole = kept(text, offset, capacity, { #text + 1 }, by or nil)
        local got, body = kept(text, offset, capacity, sizes, by or nil)
        random.must(got == wanted, "%s became %s, not %s", text, got, wanted)
        random.must(body.over == whole.over, "over differs for %s", text)
        if body.before == offset - 1 then random.must(body.lines == whole.lines, "lines differ for %s", text) end
        local source = by and by:text(text) or text
        random.must(source:sub(offset):sub(1, #got) == got, "%s is not in %s", got, source)
      end
    end)
  end)
end)

describe("a plan", function()
  it("keeps a little more than the budget", function()
    for _, case in ipairs {
      { { max_bytes = 1000 }, 1000 },
      { { max_bytes = 1000, max_chars = 100 }, 400 },
      { { max_tokens = 10 }, 160 },
      { { max_lines = 5 }, 1024 * 1024 },
      { {}, 1024 * 1024 },
      { { max_bytes = 2 ^ 53 }, 64 * 1024 * 1024 },
    } do
      local own, capacity, from_start = bodies.plan(case[1])
      assert.equal(case[2] + 16 * 1024, capacity)
      assert.is_true(from_start)
      assert.equal("head_tail", own.strategy)
      assert.is_true((own.max_bytes or 0) <= 64 * 1024 * 1024)
    end
  end)

  it("keeps enough of both ends, and bounds what has no bound", function()
    for _, limits in ipairs { { strategy = "tail", max_lines = 3 }, { strategy = "head_tail", max_bytes = 3 } } do
      local own, capacity, from_start = bodies.plan(limits)
      assert.equal(8 * 1024 * 1024, capacity)
      assert.is_false(from_start)
      assert.equal(limits.max_bytes or 1024 * 1024, own.max_bytes)
    end
    local own = bodies.plan { strategy = "pipeline", max_lines = 3 }
    assert.same({ strategy = "pipeline", max_lines = 3 }, own)
  end)

  it("does not change the limits it is given", function()
    local limits = { max_lines = 3, long_line = "omit" }
    bodies.plan(limits)
    assert.same({ max_lines = 3, long_line = "omit" }, limits)
  end)
end)
