-- SPEC 14, diff: what the judge of spec/support/kind_judge.lua says of cuts of diffs that git makes, and whether git
-- applies the hunks that they show whole.
local abridge = require "abridge"
local cases = require "support.kind_cases"
local diff = require "support.judge.diff"
local diffs = require "support.diffs"
local judge = require "support.kind_judge"
local random = require "support.random"

local BUDGETS = { 300, 1024, 2048, 4096, 8192, 16384, 32768 }

--- The whole hunks of cuts of a diff apply to its tree.
local function apply_all(text, dir, options)
  local source = judge.source(text, { kind = "diff" })
  for _, budget in ipairs(BUDGETS) do
    local _, cut = cases.judge(source, { max_bytes = budget })
    if cut.truncated then
      local patch, n = diff.whole_hunks(source.as "diff")
      local ok, message = n == 0, nil
      if n > 0 then
        ok, message = diffs.applies(dir, patch, options)
      end
      if not ok then error(("%d bytes: %s\n%s"):format(budget, message, patch:sub(1, 2000)), 0) end
    end
  end
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

  it("takes no rest of a line for a change", function()
    local parts = {}
    for file = 1, 6 do
      parts[#parts + 1] = ("diff --git a/f%d b/f%d\nindex 08dcf02..8875220 100644\n--- a/f%d\n+++ b/f%d\n"):format(
        file,
        file,
        file,
        file
      )
      for from = 31, 131, 100 do
        parts[#parts + 1] = ("@@ -%d,17 +%d,20 @@ end\n"):format(from, from)
        for i = 1, 8 do
          parts[#parts + 1] = (" if (gamma > %d) {\n"):format(i * 77)
        end
        parts[#parts + 1] = "-\n+}\n+beta = 1909\n+delta = 3\n+\tcall(delta, 102);\n"
        for i = 1, 8 do
          parts[#parts + 1] = (" --- alpha %d\n"):format(i * 1127)
        end
      end
    end
    local source = judge.source(table.concat(parts), { kind = "diff" })
    for budget = 860, 1100 do
      cases.judge(source, { max_bytes = budget })
    end
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

  it("is right where one line of a hunk is longer than the budget", function()
    local long = "+" .. ("long "):rep(500)
    local text = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,4 @@\n one\n+# short\n" .. long .. "\n two\n"
    local source = judge.source(text, { kind = "diff" })
    for budget = 64, #text, 7 do
      cases.judge(source, { max_bytes = budget })
    end
  end)

  local function commit(n, files)
    local list = {
      ("commit %040x\nAuthor: A U Thor <a@b.example>\nDate:   Thu Jan 1 00:00:00 1970 +0000\n\n"):format(n),
      ("    area %d: this is what commit number %d is about\n\n    More on it.\n\n"):format(n, n),
    }
    for i = 1, files do
      local path = ("src/part%d/file%d.c"):format(n, i)
      list[#list + 1] = ("diff --git a/%s b/%s\nindex 123..456 100644\n--- a/%s\n+++ b/%s\n"):format(
        path,
        path,
        path,
        path
      )
      list[#list + 1] = ("@@ -1,2 +1,2 @@\n-old %d\n+new %d\n same\n"):format(i, i)
    end
    return table.concat(list) .. "\n"
  end

  local function history(commits, files)
    local list = {}
    for n = 1, commits do
      list[n] = commit(n, files)
    end
    return table.concat(list)
  end

  it("has the subject of each commit, and no file under another commit", function()
    local text = history(12, 30)
    local content, cut = abridge.auto(text, { max_bytes = 2600 })
    for n = 1, 12 do
      local from = assert(content:find(("commit %040x\n"):format(n), 1, true), "commit " .. n)
      local to = content:find("commit 0", from + 1, true) or #content
      assert.truthy(content:sub(from, to):find(("    area %d: "):format(n), 1, true), "subject " .. n)
      for part in content:sub(from, to):gmatch "diff %-%-git a/src/part(%d+)" do
        assert.equal(n, tonumber(part))
      end
    end
    assert.same({ unit = "commits", total = 12, kept = 12 }, cut.items[1])
    assert.equal("files", cut.items[2].unit)
    assert.equal("hunks", cut.items[3].unit)
  end)

  it("has the subjects of twelve commits in 2 KiB, where three quarters do not hold them", function()
    local content = abridge.auto(history(12, 30), { max_bytes = 2048 })
    for n = 1, 12 do
      assert.truthy(content:find(("    area %d: "):format(n), 1, true), "subject " .. n)
    end
  end)

  it("has headers as they stand where they take no more than half of it, and names of each commit", function()
    local content = abridge.auto(history(12, 30), { max_bytes = 6000 })
    for n = 1, 12 do
      assert.truthy(content:find(("    area %d: "):format(n), 1, true), "subject " .. n)
      assert.truthy(content:find(("diff --git a/src/part%d/"):format(n), 1, true), "a file of " .. n)
    end
    assert.equal(12, select(2, content:gsub("\nAuthor: ", "")))
  end)

  it("has the hashes of as many commits as fit in half of it, where subjects do not", function()
    local text = history(400, 2)
    local content, cut = abridge.auto(text, { max_bytes = 2048 })
    assert.truthy(content:find "^commit 0+1\n")
    assert.truthy(#content > 0.9 * 2048)
    assert.equal(400, cut.items[1].total)
    assert.truthy(cut.items[1].kept >= 10)
  end)

  it("of one commit keeps its message, though its files take most of it", function()
    local content, cut = abridge.auto(commit(1, 100), { max_bytes = 2048 })
    assert.truthy(content:find("    area 1: ", 1, true))
    assert.equal("files", cut.items[1].unit)
  end)

  it("keeps the total below a list of files that shows in part", function()
    local list, changes = {}, {}
    for i = 1, 40 do
      list[i] = (" src/part_%02d.py | 2 +-"):format(i)
      local header = "diff --git a/src/N.py b/src/N.py\n--- a/src/N.py\n+++ b/src/N.py\n"
      changes[i] = header:gsub("N", ("part_%02d"):format(i))
        .. "@@ -1,2 +1,2 @@\n def sum(prices):\n-    return 1\n+    return 2\n"
    end
    local total = " 40 files changed, 40 insertions(+), 40 deletions(-)\n"
    local text = table.concat(list, "\n") .. "\n" .. total .. "\n" .. table.concat(changes)
    for budget = 1024, 4096, 512 do
      local content, cut = abridge.auto(text, { max_bytes = budget })
      assert.equal("diff", cut.kind)
      assert.is_truthy(content:find(total, 1, true), content)
    end
  end)

  it("knows commits of git log --oneline", function()
    local text = history(5, 12):gsub("commit 0+(%d)\n.-\n\n    (area %d: [^\n]*)\n.-(diff )", "abcdef%1 %2\n%3")
    local content, cut = abridge.auto(text, { max_bytes = 1500 })
    assert.same({ unit = "commits", total = 5, kept = 5 }, cut.items[1])
    assert.truthy(content:find("\nabcdef5 area 5: ", 1, true))
  end)

  it("shows what a hunk changes at its end, or in the second column of a merge", function()
    local far, merged = {}, {}
    for i = 1, 60 do
      far[i], merged[i] = (" context %d of the file\n"):format(i), (" +merged %d of the file\n"):format(i)
    end
    local late = "diff --git a/f.c b/f.c\n--- a/f.c\n+++ b/f.c\n@@ -1,63 +1,63 @@\n"
      .. table.concat(far)
      .. "-old\n+new\n one\n two\n"
    local merge = "diff --cc f.c\nindex 12,34..56\n--- a/f.c\n+++ b/f.c\n@@@ -1,1 -1,2 +1,61 @@@\n  one\n"
      .. table.concat(merged)
    for _, case in ipairs { { late, "\n-old\n+new\n" }, { merge, "\n +merged 1 of" } } do
      for budget = 500, 1200, 50 do
        local content = abridge.auto(case[1], { max_bytes = budget, kind = "diff" })
        assert.truthy(content:find(case[2], 1, true), content)
      end
    end
  end)

  it("shows a conflict that a merge left before all other hunks, and a large one up to it", function()
    local before, files = {}, {}
    for i = 1, 20 do
      before[i] = ("  context %d of the file\n"):format(i)
      local names = "diff --git a/N.c b/N.c\n--- a/N.c\n+++ b/N.c\n@@ -9,2 +9,3 @@\n"
      files[i] = names:gsub("N", ("part_%02d"):format(i)) .. " one\n+more\n two\n"
    end
    local sides = "++<<<<<<< HEAD\n +ours\n++=======\n+ theirs\n++>>>>>>> feature\n"
    local long = table.concat(before)
    for _, case in ipairs { { "", 0 }, { long, 20 } } do
      local range = ("@@@ -1,%d -1,%d +1,%d @@@\n"):format(case[2] + 2, case[2] + 2, case[2] + 6)
      local merge = "diff --cc z.c\nindex 12,34..56\n--- a/z.c\n+++ b/z.c\n" .. range
      local text = table.concat(files) .. merge .. case[1] .. sides .. "  end\n"
      for bytes = 1800, 2400, 50 do
        local content, cut = abridge.auto(text, { max_bytes = bytes })
        assert.equal("diff", cut.kind)
        assert.truthy(content:find("\n++<<<<<<< HEAD\n", 1, true), content)
        assert.truthy(case[2] > 0 or content:find(sides, 1, true), content)
        local stream = abridge.stream { strategy = "auto", max_bytes = bytes + 4096 }
        for at = 1, #text, 100 do
          stream:write(text:sub(at, at + 99))
        end
        assert.equal(content, (stream:finish { max_bytes = bytes }))
      end
    end
  end)

  it("shows a line that is too long for it in part", function()
    local svg = "diff --git a/a.svg b/a.svg\nnew file mode 100644\nindex 000..456\n--- /dev/null\n+++ b/a.svg\n"
      .. "@@ -0,0 +1 @@\n+<svg>"
      .. ("M1 2L3 4\195\169"):rep(600)
      .. "</svg>\n"
    for budget = 900, 1100 do
      local content, cut = abridge.auto(svg, { max_bytes = budget, kind = "diff" })
      assert.truthy(#content >= 0.9 * budget)
      assert.truthy(content:find "\n%.%.%. %[%d+ bytes omitted%] %.%.%.\n")
      assert.same({ unit = "hunks", total = 1, kept = 1 }, cut.items[2])
      for part in content:gmatch "[^\n]+" do
        assert.falsy(part:find "^[\128-\191]" or part:find "\195$")
      end
    end
  end)
end)
