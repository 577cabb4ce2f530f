-- Failures of tools that few machines have, each amid 100 KB of what the tool prints around it: all of it is kept.
local abridge = require "abridge"
local failures = require "support.documented_failures"

local BUDGET = 8192
local AROUND = 100 * 1024

--- Two thirds of the routine, the failure, the rest and the ending; and the failure's first and last line.
local function log_of(failure)
  local lines, bytes, first, last = {}, 0, nil, nil
  local i = 0
  while bytes < AROUND do
    i = i + 1
    local line = failure.routine(i)
    lines[#lines + 1], bytes = line, bytes + #line + 1
    if not first and bytes > AROUND * 2 / 3 then
      first = #lines + 1
      for text in failure.failure:gmatch "([^\n]*)\n" do
        lines[#lines + 1] = text
      end
      last = #lines
    end
  end
  return table.concat(lines, "\n") .. "\n" .. failure.ending, first, last
end

describe("a failure in the form of its tool's documents", function()
  for _, failure in ipairs(failures) do
    it(("is kept whole: %s, %s"):format(failure.language, failure.tool), function()
      local log, first, last = log_of(failure)
      local content, cut = abridge.priority(log, { max_bytes = BUDGET })
      assert.is_true(#content <= BUDGET)
      local kept = 0
      for _, stretch in ipairs(cut.kept) do
        for line = stretch.first_line, stretch.last_line do
          if line >= first and line <= last then kept = kept + 1 end
        end
      end
      assert.are.equal(last - first + 1, kept)
    end)
  end
end)
