--- Outputs as they come: a log behind, before and between what other commands print, and inside JSON.

local M = {}

local unpack = table.unpack or unpack

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

local function by_name(x, y)
  return x.name < y.name
end

--- Each log with each part, behind it, before it, or between it and the next one: none meets only parts that suit it.
function M.composed(entries, parts)
  local composed = {}
  for i, entry in ipairs(entries) do
    local log = entry.log:gsub("\n?$", "\n")
    for k, part in ipairs(parts) do
      local places = { { "behind", part, "" }, { "before", "", part }, { "between", part, parts[k % #parts + 1] } }
      local place, before, after = unpack(places[(i + k) % #places + 1])
      composed[#composed + 1] = {
        name = ("%s %s part %d"):format(entry.name, place, k),
        log = before .. log .. after,
        alone = entry.log,
        wanted = only_in_log(entry.wanted, before, after),
      }
    end
  end
  table.sort(composed, by_name)
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

--- Each log as Docker and others keep it: a JSON record a line.
function M.recorded(entries, encode, unescaped)
  local recorded = {}
  for i, entry in ipairs(entries) do
    local records = {}
    for line in entry.log:gmatch "[^\n]+\n?" do
      local n = #records + 1
      records[n] = ('{"log":%s,"stream":"stdout","time":"2026-01-02T03:%02d:%02dZ"}\n'):format(
        encode(line),
        math.floor(n / 60) % 60,
        n % 60
      )
    end
    recorded[i] = { name = entry.name, log = table.concat(records), wanted = entry.wanted, read = unescaped }
  end
  return recorded
end

-- What programs put before each line that they pass on, and what it is in line n.
local BEFORE = {
  compose = function()
    return "web-1  | "
  end,
  turbo = function()
    return "@shop/web:test: "
  end,
  ["cat -n"] = function(n)
    return ("%6d\t"):format(n)
  end,
  terraform = function()
    return "│ "
  end,
  Jenkins = function(n)
    return ("[2026-01-02T03:%02d:%02d.%03dZ] "):format(math.floor(n / 60) % 60, n % 60, n * 37 % 1000)
  end,
  GitLab = function(n)
    return ("2026-01-02T03:%02d:%02d.%06dZ 01O "):format(math.floor(n / 60) % 60, n % 60, n * 37)
  end,
  journalctl = function(n)
    return ("Jan  2 03:%02d:%02d ci runner[812]: "):format(math.floor(n / 60) % 60, n % 60)
  end,
}

--- Each log as each of these programs passes it on.
function M.passed_on(entries)
  local all = {}
  for program, before in pairs(BEFORE) do
    for _, entry in ipairs(entries) do
      local n = 0
      local log = entry.log:gsub("[^\n]*\n?", function(line)
        n = n + 1
        return line ~= "" and before(n) .. line or nil
      end)
      all[#all + 1] = { name = entry.name .. " by " .. program, log = log, wanted = entry.wanted }
    end
  end
  table.sort(all, by_name)
  return all
end

return M
