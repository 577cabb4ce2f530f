--- Diffs that git makes of random trees, from the seed of `random`, and patches tried on the trees they belong to.
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local M = {}

local GIT = "export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
  .. "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b LC_ALL=C GIT_AUTHOR_DATE=2024-01-01T00:00:00Z "
  .. 'GIT_COMMITTER_DATE=2024-01-01T00:00:00Z; git() { command git -c core.autocrlf=false "$@"; }; '

local FOLDERS = { "", "src/", "src/deep/er/", "doc/", "vendor/lib/", "dist/" }
local NAMES =
  { "main.lua", "util.c", "read me.md", "caf\195\169.txt", "app.min.js", "data.json", "Makefile", "view.ts" }
local LINES = {
  "local %s = %d",
  "  return %s + %d",
  "",
  "end",
  "-- about %s, %d times",
  "if (%s > %d) {",
  "}",
  "\tcall(%s, %d);",
  "--- %s %d",
  "+++ %s %d",
  "@@ -%s %d @@",
  "\\ %s %d",
  "diff --git a/%s b/%d",
}

local function line()
  return random.choose(LINES):format(random.choose { "alpha", "beta", "gamma", "delta" }, random.below(5000))
end

local function body(n)
  local list = {}
  for i = 1, n do
    list[i] = line()
  end
  return list
end

local function text_of(list, bare)
  return table.concat(list, "\n") .. ((bare or #list == 0) and "" or "\n")
end

local function lock(n)
  local list = {}
  for i = 1, n do
    list[i] = ('[[package]] name = "crate%d" version = "%d.0.%d"'):format(i, random.below(4), random.below(99))
  end
  return list
end

--- Change some stretches of a file.
local function edited(list, changes)
  local copy = {}
  for i, text in ipairs(list) do
    copy[i] = text
  end
  for _ = 1, changes do
    local at = random.between(1, #copy + 1)
    for _ = 1, random.below(random.choose { 2, 4, 30 }) do
      if copy[at] then table.remove(copy, at) end
    end
    for _ = 1, random.below(random.choose { 3, 5, 40 }) do
      table.insert(copy, math.min(at, #copy + 1), line())
    end
  end
  return copy
end

local function put(dir, path, text)
  local folder = path:match "^(.*)/[^/]*$"
  if folder then dir:sh("mkdir -p " .. tmpdir.quote("tree/" .. folder)) end
  dir:write("tree/" .. path, text)
end

--- A tree of random files, committed; returns what each holds.
local function first_tree(dir, n)
  local files = {}
  dir:sh(GIT .. "mkdir tree && cd tree && git init -q -b main .")
  for i = 1, n do
    local path = random.choose(FOLDERS) .. i .. random.choose(NAMES)
    files[#files + 1] = { path = path, list = body(random.between(0, 200)), bare = random.chance(5) }
  end
  files[#files + 1] = { path = "Cargo.lock", list = lock(random.between(20, 300)) }
  for _, file in ipairs(files) do
    put(dir, file.path, text_of(file.list, file.bare))
  end
  put(dir, "logo.png", "\137PNG\0\0" .. random.bytes(40))
  dir:sh(GIT .. "cd tree && git add -A && git commit -qm first")
  return files
end

--- Edit, rename, remove, add; returns nothing: `git add -A` sees it.
local function change_tree(dir, files)
  for i, file in ipairs(files) do
    local path, draw = tmpdir.quote(file.path), random.below(12)
    if file.path == "Cargo.lock" then
      put(dir, file.path, text_of(lock(#file.list)))
    elseif draw < 6 then
      put(dir, file.path, text_of(edited(file.list, random.between(1, 6)), random.chance(5)))
    elseif draw == 6 then
      dir:sh("cd tree && rm " .. path)
    elseif draw == 7 then
      dir:sh(("cd tree && mkdir -p moved && mv %s moved/%d.txt"):format(path, i))
    elseif draw == 8 then
      dir:sh("cd tree && chmod +x " .. path)
    elseif draw == 9 then
      put(dir, "new/" .. i .. ".lua", text_of(body(random.between(0, 60)), random.chance(4)))
    end
  end
  if random.chance(2) then put(dir, "logo.png", "\137PNG\0\0" .. random.bytes(44)) end
end

--- A diff of a random tree: its text, and the folder of the tree it applies to. Remove the folder when done.
function M.tree(most)
  local dir = tmpdir.new()
  change_tree(dir, first_tree(dir, random.between(1, most or 14)))
  local options = random.choose { "", "", "-U0", "-U1", "-U8", "--no-renames", "--binary", "--no-prefix" }
  local text = dir:sh(GIT .. "cd tree && git add -A -N . && git diff " .. options .. " HEAD")
  return text, dir, options
end

--- What `git log -p`, `git format-patch`, and a merge with conflicts print.
function M.history(most)
  local dir = tmpdir.new()
  local files = first_tree(dir, random.between(2, most or 8))
  for i = 1, random.between(1, 3) do
    change_tree(dir, files)
    dir:sh(GIT .. ("cd tree && git add -A && git commit -q -m 'Change %d' -m 'Because of -this\n+and that'"):format(i))
    for _, file in ipairs(files) do
      file.list = {}
      for text in (dir:read("tree/" .. file.path) or ""):gmatch "([^\n]*)\n" do
        file.list[#file.list + 1] = text
      end
    end
  end
  local text = dir:sh(
    GIT .. "cd tree && git " .. random.choose { "log -p", "format-patch --stdout HEAD~1", "show HEAD", "log -p --stat" }
  )
  dir:remove()
  return text
end

--- A combined diff: `git show` of a merge that took from both sides.
function M.merge()
  local dir, list = tmpdir.new(), body(random.between(20, 80))
  dir:sh(GIT .. "mkdir tree && cd tree && git init -q -b main .")
  local function commit(text)
    put(dir, "f.c", text)
    dir:sh(GIT .. "cd tree && git add -A && git commit -qm x")
  end
  commit(text_of(list))
  dir:sh(GIT .. "cd tree && git checkout -q -b side")
  local function marked(word)
    local copy = {}
    for i, text in ipairs(list) do
      copy[i] = i % 9 == 0 and word .. i or text
    end
    return text_of(copy)
  end
  commit(marked "side")
  dir:sh(GIT .. "cd tree && git checkout -q main")
  commit(marked "ours")
  dir:sh(GIT .. "cd tree && git merge -q side")
  commit(marked "both")
  local text = dir:sh(GIT .. "cd tree && git show HEAD")
  dir:remove()
  return text
end

--- A patch without context whose hunks stand where they come to when those before it are not there. git looks for a
--- line from where the hunk says it will be, and without context takes the nearest that is equal.
local function renumbered(patch)
  local more = 0
  return (
    patch:gsub("[^\n]*\n?", function(row)
      if row:find "^diff " then more = 0 end
      local from, removed, added, heading = row:match "^@@ %-(%d+),?(%d*) %+%d+,?(%d*) @@(.*)$"
      if not from then return nil end
      removed, added = tonumber(removed) or 1, tonumber(added) or 1
      local to = from + more + (removed == 0 and 1 or 0) - (added == 0 and 1 or 0)
      more = more + added - removed
      return ("@@ -%s,%d +%d,%d @@%s"):format(from, removed, to, added, heading)
    end)
  )
end

--- Does a patch apply to the tree of a folder's HEAD? True, or false and what git says.
function M.applies(dir, patch, options)
  local zero = options == "-U0" and "--unidiff-zero" or ""
  dir:write("cut.patch", zero ~= "" and renumbered(patch) or patch)
  local strip = options == "--no-prefix" and "-p0" or ""
  local _, err, code = dir:sh(
    GIT
      .. ("export GIT_INDEX_FILE=%s; cd tree && git read-tree HEAD && git apply --check --cached %s %s %s"):format(
        tmpdir.quote(dir:at "cut.index"),
        zero,
        strip,
        tmpdir.quote(dir:at "cut.patch")
      )
  )
  return code == 0, err
end

return M
