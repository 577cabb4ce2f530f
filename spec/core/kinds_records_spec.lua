-- SPEC 14, json_lines and table: what the judge of spec/support/kind_judge.lua says of cuts of random records.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local documents = require "support.documents"
local judge = require "support.kind_judge"
local random = require "support.random"

local MAKERS = { "json_lines", "delimited", "aligned" }

for _, name in ipairs(MAKERS) do
  local function make()
    return documents[name](random.choose { 40, 200, 600 })
  end
  local function small()
    return documents[name](32)
  end

  describe("a cut of " .. name, function()
    it("is right for random records and budgets", function()
      cases.each(200, make)
    end)

    it("is right in every small budget", function()
      cases.sweep(15, small, 400)
    end)

    it("is right under chars, lines, tokens, a reserve, and without markers", function()
      random.each(150, function()
        cases.judge(judge.source(make()), cases.any_opts())
      end)
    end)

    it("shows nine troubled records in ten at 8 KiB #once", function()
      local share, lost = cases.needles(60, function()
        return documents[name](600)
      end, 8192)
      assert.is_true(share >= 0.9, ("%.2f, without %s"):format(share, tostring(lost)))
    end)

    it("comes from a stream as from one call", function()
      random.each(100, function()
        cases.stream((make()), random.chance(2) and { max_bytes = cases.budget() } or cases.any_opts())
      end)
    end)
  end)
end

describe("a record in trouble", function()
  -- n records, made by the function, of which the one at `at` is another
  local function cut_of(n, make, at, other)
    local lines = {}
    for i = 1, n do
      lines[i] = i == at and other or make(i)
    end
    return (abridge.auto(table.concat(lines, "\n"), { max_bytes = 2000 }))
  end

  it("shows if one bare word among names says so", function()
    for _, word in ipairs { "error", "failed", "exception", "FATAL", "aborted" } do
      local record = ('{"id":2000,"what":"%s"}'):format(word)
      local content = cut_of(4000, function(i)
        return ('{"id":%d,"what":"w%d"}'):format(i, i)
      end, 2000, record)
      assert.is_truthy(content:find(record, 1, true), word)
    end
  end)

  it("shows where a flood of others came before it #once", function()
    local record = '{"n":90000,"text":"cannot open display"}'
    local content = cut_of(100000, function(i)
      return ('{"n":%d,"text":"%s %d"}'):format(i, i <= 9000 and "failed: job" or "finished job", i)
    end, 90000, record)
    assert.is_truthy(content:find(record, 1, true))
  end)
end)
