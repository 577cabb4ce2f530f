-- Every promise of SECURITY.md names the tests that check it.
local host = require "abridge.base.host"
local paths = require "support.paths"

describe("SECURITY.md #once", function()
  local page = assert(paths.read "SECURITY.md")
  local promises = page:match "\n## What is promised\n(.-)\n## "

  it("names for each promise specs that exist and test something", function()
    local count = 0
    for promise in (promises:gsub("\n%- ", "\0%0") .. "\0"):gmatch "\n%- ([^%z]*)%z" do
      count = count + 1
      local tests = promise:match "%(([^()]*)%)%.?%s*$"
      assert.truthy(tests, "no test is named by: " .. promise)
      local named = 0
      for path in tests:gmatch "`(spec/[%w_/]+%.%l+)`" do
        named = named + 1
        local text = assert(paths.read(path), path .. " is missing")
        local _, cases = text:gsub(path:find "^spec/c/test_[%w_]+%.c$" and "\n%s*RUN%(" or "\n%s*it%(", "")
        assert.is_true(cases > 0, path)
      end
      assert.is_true(named > 0, "no test is named by: " .. promise)
    end
    assert.is_true(count >= 10, count)
  end)

  it("is one page that says what is not promised, and how to report", function()
    assert.truthy(page:find("\n## What is not\n", 1, true))
    assert.truthy(page:find("\n## Reporting\n", 1, true))
    local _, lines = page:gsub("\n", "")
    assert.is_true(lines <= 70, lines)
  end)

  it("leaves no spec of abuse unnamed", function()
    if not host.uv() then return pending "luv is missing" end
    local count = 0
    for _, path in ipairs(paths.below "spec") do
      if path:find "/abuse_[%w_]*_spec%.lua$" then
        assert.truthy(promises:find(path, 1, true), path)
        count = count + 1
      end
    end
    assert.is_true(count >= 9, count)
  end)
end)
