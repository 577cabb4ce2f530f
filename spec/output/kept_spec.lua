local abridge = require "abridge"
local kept = require "abridge.output.kept"
local merge = require "support.merge"

local function range(first_byte, last_byte)
  return { first_byte = first_byte, last_byte = last_byte, first_line = 1, last_line = 1 }
end

--- A ledger of a text of 1000 bytes on 40 lines.
local function ledger(fields)
  return merge({ truncated = true, total_bytes = 1000, total_lines = 40, output_bytes = 100, output_lines = 4 }, fields)
end

describe("what is left of a cut, in words", function()
  local items = { { unit = "elements", of = "/items", total = 276, kept = 164 } }

  it("counts in the unit of the kind", function()
    local ends = { range(1, 50), range(951, 1000) }
    local cases = {
      { "json: 164 of 276 elements of /items", { kind = "json", items = items, kept = ends } },
      { "json: 3 of 9 members", { kind = "json", items = { { unit = "members", of = "", total = 9, kept = 3 } } } },
      { "table: 0 of 1 row", { kind = "table", items = { { unit = "rows", total = 1, kept = 0 } } } },
      {
        "diff: 14 of 227 hunks in 23 of 41 files",
        {
          kind = "diff",
          items = { { unit = "files", total = 41, kept = 23 }, { unit = "hunks", total = 227, kept = 14 } },
        },
      },
      { "log: 4 of 40 lines", { kind = "log", kept = ends } },
      { "4 of 40 lines", { kept = ends } }, -- by a strategy that asks for no kind
      { "text: 100B of 1000B", { kind = "text", kept = ends, output_lines = 40 } }, -- inside lines
      { "binary: 0B of 147.8KB", { kind = "binary", output_bytes = 0, output_lines = 0, total_bytes = 151344 } },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[1], kept.words(ledger(case[2])))
    end
  end)

  it("counts the gaps: before, between and after what is kept", function()
    local cases = {
      { 1, {} },
      { 1, { range(1, 50) } },
      { 1, { range(951, 1000) } },
      { 1, { range(1, 50), range(951, 1000) } },
      { 2, { range(2, 999) } },
      { 3, { range(1, 1), range(3, 3), range(5, 999) } },
      { 2, { range(1, 1), range(2, 3), range(5, 999) } },
      { 0, { range(1, 1000) } },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[1], kept.gaps(ledger { kept = case[2] }))
    end
    local hundred = {}
    for i = 1, 100 do
      hundred[i] = range(10 * i - 9, 10 * i - 5)
    end
    local cut = ledger { kind = "json", items = items, kept = hundred }
    assert.equal("json: 164 of 276 elements of /items, 100 gaps", kept.words(cut))
  end)

  it("is nothing where nothing was cut", function()
    assert.is_nil(kept.words(nil))
    assert.is_nil(kept.words "cut")
    assert.is_nil(kept.words {})
    local _, cut = abridge.auto('{"a": 1}', { max_bytes = 100 })
    assert.is_nil(kept.words(cut))
  end)

  it("is true of real cuts", function()
    local text = ("some words of prose on a line\n"):rep(50)
    local _, cut = abridge.auto(text, { kind = "text", max_lines = 10 })
    assert.equal("text: 10 of 50 lines", kept.words(cut))
    _, cut = abridge.auto("\127ELF\2\1\1" .. ("\0"):rep(505), { max_bytes = 100 })
    assert.equal("binary: 0B of 512B", kept.words(cut))
    _, cut = abridge.tail(text, { max_lines = 1 })
    assert.equal("1 of 50 lines", kept.words(cut))
    _, cut = abridge.head_tail(("x"):rep(500), { max_bytes = 100 })
    assert.matches("^%d+B of 500B$", kept.words(cut))
  end)

  it("leaves out what no cut made", function()
    for _, odd in ipairs {
      { items = { "x", { unit = "rows" }, { unit = 1, total = 1, kept = 1 } } },
      { items = { { unit = "rows", total = -1, kept = 0 } } },
      { items = "x", kept = "x" },
      { kept = { "x" } },
      { kept = { { first_byte = "1", last_byte = 2 } } },
      { kind = {}, kept = { range(0 / 0, 2) } },
    } do
      assert.equal("4 of 40 lines", kept.words(ledger(odd)))
    end
    assert.is_nil(kept.words(ledger { total_bytes = "x" }))
    assert.is_nil(kept.words(ledger { output_bytes = -1 }))
  end)
end)
