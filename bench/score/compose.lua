--- Outputs as they come: a log behind, before and between what other commands print, and inside JSON.

local M = {}

-- What commands print that people run with a build or a test, in this repository.
local PARTS = {
  "cat csrc/cut/cut.c",
  "ls -lR csrc/kinds",
  "cat lua/abridge/output/cap.lua",
  "grep -rn include csrc/page csrc/stream",
  "find lua spec -name '*.lua'",
  "cat CONTRIBUTING.md",
  "git log --oneline -n 150",
  "git show HEAD~1",
  'git log -n 80 --format=\'{"hash":"%h","author":"%an","subject":"%f"}\'',
  "env -i A=1 HOME=/root LANG=C PATH=/usr/bin:/bin TERM=dumb env; cat bench/score/cases/shell.lua",
}

--- What each of these prints; those that print nothing here are left out.
function M.parts()
  local parts = {}
  for _, command in ipairs(PARTS) do
    local pipe = assert(io.popen("{ " .. command .. "; } 2>/dev/null | head -n 400"))
    local text = pipe:read "*a"
    pipe:close()
    if text ~= "" then parts[#parts + 1] = text end
  end
  return parts
end

--- Those of the texts that no part has.
local function only_in_log(wanted, ...)
  local own = {}
  for _, text in ipairs(wanted) do
    local found = false
    for _, part in ipairs { ... } do
      found = found or part:find(text:match "^%s*(.-)%s*$", 1, true) ~= nil
    end
    if not found then own[#own + 1] = text end
  end
  return own
end

--- Each log behind, before and between parts, which ones is up to its place in the list.
function M.composed(entries, parts)
  local composed = {}
  for i, entry in ipairs(entries) do
    local a, b = parts[(i - 1) % #parts + 1], parts[i % #parts + 1]
    local log = entry.log:gsub("\n?$", "\n")
    local wanted = only_in_log(entry.wanted, a, b)
    for how, text in pairs { behind = a .. log, before = log .. a, between = a .. log .. b } do
      composed[#composed + 1] = { name = entry.name .. " " .. how, log = text, alone = entry.log, wanted = wanted }
    end
  end
  table.sort(composed, function(x, y)
    return x.name < y.name
  end)
  return composed
end

--- Each log as hosts and servers return a command: its exit code, and what it printed as a string.
function M.wrapped(entries, encode, unescaped)
  local wrapped = {}
  for i, entry in ipairs(entries) do
    local text = ('{"exit_code":%d,"stdout":%s,"stderr":""}'):format(entry.exit_code or 1, encode(entry.log))
    wrapped[i] = { name = entry.name, log = text, wanted = entry.wanted, read = unescaped }
  end
  return wrapped
end

return M
