-- SPEC 14, diff: what the judge of spec/support/kind_judge.lua says of cuts of diffs that git makes, and whether git
-- applies the hunks that they show whole.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local diff = require "support.judge.diff"
local diffs = require "support.diffs"
local judge = require "support.kind_judge"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local BUDGETS = { 300, 1024, 2048, 4096, 8192, 16384, 32768 }

--- The whole hunks of cuts of a diff apply to the tree of a folder; how many did.
local function apply_all(text, dir, options, folder)
  local source, applied = judge.source(text, { kind = "diff" }), 0
  for _, budget in ipairs(BUDGETS) do
    local _, cut = cases.judge(source, { max_bytes = budget })
    if cut.truncated then
      local patch, n = diff.whole_hunks(source.as "diff")
      local ok, message = n == 0, nil
      if n > 0 then
        ok, message = diffs.applies(dir, patch, options, folder)
      end
      if not ok then error(("%d bytes: %s\n%s"):format(budget, message, patch:sub(1, 2000)), 0) end
      applied = applied + n
    end
  end
  return applied
end

describe("a cut of a diff #once", function()
  it("is right for random trees and budgets, and its whole hunks apply", function()
    random.each(25, function()
      local text, dir, options = diffs.tree()
      local ok, message = pcall(function()
        if text == "" then return end
        apply_all(text, dir, options)
        local source = judge.source(text, { kind = "diff" })
        for _ = 1, 6 do
          cases.judge(source, { max_bytes = cases.budget() })
        end
        for _ = 1, 3 do
          cases.judge(source, cases.any_opts())
        end
        cases.stream(text, { max_bytes = cases.budget() })
        cases.stream(text, cases.any_opts())
      end)
      dir:remove()
      if not ok then error(message, 0) end
    end)
  end)

  it("is right in every small budget", function()
    random.each(5, function()
      local text, dir = diffs.tree(3)
      dir:remove()
      local source = judge.source(text, { kind = "diff" })
      for budget = 0, text == "" and 0 or 400 do
        cases.judge(source, { max_bytes = budget })
      end
    end)
  end)

  it("is right for histories, patches by mail and merges", function()
    random.each(8, function()
      for _, text in ipairs { diffs.history(), diffs.merge() } do
        local source = judge.source(text, { kind = "diff" })
        for _ = 1, 6 do
          cases.judge(source, { max_bytes = cases.budget() })
        end
        cases.stream(text, { max_bytes = cases.budget() })
      end
    end)
  end)

  it("of this project's own history applies, where the history is here", function()
    local dir = tmpdir.new()
    local root = tmpdir.root()
    local log = dir:sh(("cd %s && git rev-list --first-parent -n 12 HEAD"):format(tmpdir.quote(root)))
    local commits, applied = {}, 0
    for commit in log:gmatch "%x+" do
      commits[#commits + 1] = commit
    end
    if #commits < 5 then
      dir:remove()
      return pending "no history here"
    end
    for _, pair in ipairs { { 1, 2 }, { 1, 5 }, { 3, 12 } } do
      local to, from = commits[pair[1]], commits[math.min(pair[2], #commits)]
      local text = dir:sh(("cd %s && git diff %s %s"):format(tmpdir.quote(root), from, to))
      dir.commit = from
      if text ~= "" and abridge.kind(text) == "diff" then applied = applied + apply_all(text, dir, "", root) end
    end
    dir:remove()
    assert.is_true(applied > 0)
  end)
end)
