-- Whole-line cuts as another implementation of the same rules makes them, for texts that do not end in a newline.
local abridge = require "abridge"
local json = require("abridge.base.host").json()

---Checks every vector of a file; returns their number.
local function check_vectors(path)
  local count = 0
  for line in io.lines(path) do
    local vector = json.decode(line)
    local content, cut = abridge[vector.fn](vector.input, {
      max_lines = vector.max_lines,
      max_bytes = vector.max_bytes,
    })
    count = count + 1
    for field, want in pairs(vector.want) do
      local got = cut[field]
      if field == "content" then
        got = content
      elseif want == json.null then
        want = nil
      end
      if got ~= want then
        error(("%s:%d: %s: expected %s, got %s"):format(path, count, field, tostring(want), tostring(got)))
      end
    end
  end
  return count
end

describe("the vectors of whole-line cuts", function()
  it("hold", function()
    assert.equal(298, check_vectors "spec/data/whole_lines.jsonl")
  end)
end)
