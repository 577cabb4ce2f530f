-- SPEC 6: what one line says. Two lists of lines, a kind and a tab before each: of those that report no trouble few may
-- be hits, of those that tell of it nearly all.
local abridge = require "support.unsaved"

local PLAIN = ("a line of plain words\n"):rep(20)

-- Is the line a hit amid plain ones?
local function is_hit(line)
  local _, cut = abridge.priority(PLAIN .. line .. "\n" .. PLAIN, { max_bytes = 400 })
  return cut.hits.found > 0
end

-- How many lines of a list there are, and those that are hits or are none.
local function read(path, wanted)
  local count, found = 0, {}
  for row in io.lines(path) do
    local line = row:match "^%w+\t(.+)$"
    assert.is_truthy(line, row)
    count = count + 1
    if is_hit(line) == wanted then found[#found + 1] = row end
  end
  return count, found
end

describe("one line", function()
  it("that reports no trouble is hardly ever a hit", function()
    local count, hits = read("spec/data/harmless_lines.tsv", true)
    assert.is_true(count >= 500)
    assert.is_true(#hits <= 0.04 * count, ("%d of %d are hits:\n%s"):format(#hits, count, table.concat(hits, "\n")))
  end)

  it("that tells of trouble nearly always is one", function()
    local count, missed = read("spec/data/telling_lines.tsv", false)
    assert.is_true(count >= 600)
    local list = table.concat(missed, "\n")
    assert.is_true(#missed <= 0.05 * count, ("%d of %d are none:\n%s"):format(#missed, count, list))
  end)

  it("says nothing by a value that is empty, zero, false or null", function()
    for _, name in ipairs { "error", "errors", "failed", "last_error", "exception", "failures", "lastError" } do
      for _, value in ipairs { "null", "0", "false", '""', "[]", "{}", "none", "<nil>", "(none)", "''", "0.0" } do
        for _, line in ipairs { '  "%s": %s,', "%s=%s", "%s: %s", '{"a":1,"%s":%s}', "a=1 %s=%s b=2" } do
          line = line:format(name, value)
          assert.is_false(is_hit(line), line)
        end
      end
    end
  end)

  it("tells of trouble by the same names with a count, with true or with a message", function()
    for _, name in ipairs { "error", "errors", "last_error", "lastError" } do
      for _, value in ipairs { "3", "true", '"gone"', '["gone"]' } do
        for _, line in ipairs { '  "%s": %s,', '{"a":1,"%s":%s}', "%s=%s" } do
          line = line:format(name, value)
          assert.is_true(is_hit(line), line)
        end
      end
    end
  end)
end)
