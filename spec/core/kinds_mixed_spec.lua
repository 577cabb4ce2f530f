-- SPEC 14, parts: what the judge says of cuts of outputs of several commands, of up to 256 KiB.
local cases = require "support.kind_cases"
local documents = require "support.documents"
local judge = require "support.kind_judge"
local random = require "support.random"

describe("a cut of an output of several kinds", function()
  it("is right for random parts and budgets", function()
    cases.each(200, documents.mixed)
  end)

  it("is right in every small budget", function()
    cases.sweep(10, documents.mixed, 700)
  end)

  it("is right under chars, lines, tokens, a reserve, and without markers", function()
    random.each(150, function()
      cases.judge(judge.source(documents.mixed()), cases.any_opts())
    end)
  end)

  it("shows the failure of each log at 4 KiB #once", function()
    local share, lost = cases.needles(100, documents.mixed, 4096)
    assert.is_true(share == 1, ("%.2f, without %s"):format(share, tostring(lost)))
  end)

  it("comes from a stream as from one call", function()
    random.each(60, function()
      cases.stream((documents.mixed()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
    end)
  end)
end)
