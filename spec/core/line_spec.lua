-- abridge.line: one long line, shown within a number of chars.
local abridge = require "abridge"
local plain = require "support.plain"

local function line(...)
  return { abridge.line(...) }
end

describe("line", function()
  it("leaves a line within the limit as it is", function()
    assert.same({ "", false }, line("", 0))
    assert.same({ "abc", false }, line("abc", 3))
    assert.same({ "abc", false }, line("abc", 2 ^ 53))
    assert.same({ "abc", false }, line("abc", 3, { 2, 3 }))
  end)

  it("keeps the first chars of a longer one, and says so", function()
    assert.same({ "abc... [truncated]", true }, line("abcd", 3))
    assert.same({ "... [truncated]", true }, line("abcd", 0))
    assert.same({ ("x"):rep(500) .. "... [truncated]", true }, line(("x"):rep(501), 500))
  end)

  it("counts chars, not bytes", function()
    assert.same({ "\195\169\226\130\172", false }, line("\195\169\226\130\172", 2))
    assert.same({ "\195\169\226\130\172... [truncated]", true }, line("\195\169\226\130\172!", 2))
    assert.same({ "\255\195\169... [truncated]", true }, line("\255\195\169\255", 2))
    assert.same({ "a\0... [truncated]", true }, line("a\0b", 2))
  end)

  it("moves the window so that the match shows", function()
    assert.same({ "[truncated] ...89MM01... [truncated]", true }, line("0123456789MM0123456789", 6, { 11, 12 }))
    assert.same({ "[truncated] ...6789MM", true }, line("0123456789MM", 6, { 11, 12 }))
    assert.same({ "MM0123... [truncated]", true }, line("MM0123456789", 6, { 1, 2 }))
  end)

  it("does not move where the match shows anyway", function()
    assert.same({ "0123MM... [truncated]", true }, line("0123MM6789", 6, { 5, 6 }))
  end)

  it("gives the start the room that the end has no use for", function()
    assert.same({ "[truncated] ...789MM0", true }, line("0123456789MM0", 6, { 11, 12 }))
  end)

  it("shows the start of a match longer than the window", function()
    assert.same({ "[truncated] ...MNO... [truncated]", true }, line("0123456789MNOPQR", 3, { 11, 16 }))
  end)

  it("takes an empty match for none", function()
    assert.same({ "0123... [truncated]", true }, line("0123456789", 4, { 8, 7 }))
    assert.same({ "0123... [truncated]", true }, line("0123456789", 4, nil))
  end)

  it("never cuts a char, even where the match does", function()
    local text = ("\195\169"):rep(40)
    for first = 1, #text do
      for last = first, math.min(first + 3, #text) do
        for max = 0, 5 do
          local shown = abridge.line(text, max, { first, last })
          shown = shown:gsub("^%[truncated%] %.%.%.", ""):gsub("%.%.%. %[truncated%]$", "")
          if #shown % 2 ~= 0 or shown ~= ("\195\169"):rep(#shown / 2) or #shown / 2 > max then
            error(("max_chars %d, match %d to %d: %d bytes from the middle of a char"):format(max, first, last, #shown))
          end
        end
      end
    end
  end)

  it("refuses what makes no sense, and names it", function()
    local function refuses(what, ...)
      plain.raises({ what }, abridge.line, ...)
    end
    refuses("s must be a string, got nil", nil, 3)
    refuses("s must be a string, got 5", 5, 3)
    refuses("max_chars must be", "abc")
    refuses("max_chars must be an integer from 0 to 2^53, got 1.5", "abc", 1.5)
    refuses("max_chars must be an integer from 0 to 2^53, got -1", "abc", -1)
    refuses("match must be a table", "abc", 1, "b")
    refuses("match[1]", "abc", 1, {})
    refuses("match[2]", "abc", 1, { 1 })
    refuses("match {0, 1} is not within the 3 bytes", "abc", 1, { 0, 1 })
    refuses("match {1, 4} is not within the 3 bytes", "abc", 1, { 1, 4 })
    refuses("match {3, 1} is not within the 3 bytes", "abc", 1, { 3, 1 })
  end)
end)
