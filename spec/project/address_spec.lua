-- The project's address stands in lua/abridge/base/repository.lua; whatever else has it agrees.

local repository = require "abridge.base.repository"
local run = require("support.shell").run

describe("the project's address #once", function()
  local slug = repository:match "^https://github%.com/([%w-]+/[%w-]+)$"

  it("is the same wherever it stands", function()
    local found = 0
    for path in run("git ls-files README.md CONTRIBUTING.md SECURITY.md doc lua rockspec .github"):gmatch "[^\n]+" do
      local file = assert(io.open(path, "rb"))
      local text = file:read "*a"
      file:close()
      for _, form in ipairs { "https://github%.com/([%w-]+/abridge)%f[^%w-]", "[\"']([%w-]+/abridge)[\"']" } do
        for address in text:gmatch(form) do
          if not address:find "^%l+/abridge$" then -- a folder of ours
            assert.equal(slug, address, path)
            found = found + 1
          end
        end
      end
    end
    assert.is_true(found >= 18, tostring(found))
  end)
end)
