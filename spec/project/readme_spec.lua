-- What README.md and the pages beside it say with figures, promise, and show of use.
local abridge = require "abridge"
local commands = require "abridge.cli.commands"
local help = require "abridge.cli.help"
local host = require "abridge.base.host"
local paths = require "support.paths"
package.path = "bench/?.lua;" .. package.path
local tables = require "score.tables"
local tmpdir = require "support.tmpdir"

describe("README #once", function()
  local readme = paths.read "README.md"

  it("says in its first 25 lines what seq 100000 becomes", function()
    if not host.uv() then return pending "luv is missing" end
    local dir = tmpdir.new()
    local session = abridge.session { run_dir = dir.path .. "/run" }
    local result = session:call("run_command", { command = "seq 100000" })
    session:close()
    local screen = {}
    for line in readme:gmatch "([^\n]*)\n" do
      if #screen < 25 then screen[#screen + 1] = line end
    end
    screen = table.concat(screen, "\n")
    local cut = result.details.cut
    local before = ("%d lines, %s into"):format(cut.total_lines, abridge.format_size(cut.total_bytes))
    assert.truthy(screen:find(before, 1, true))
    local most, unit = screen:match(cut.output_lines .. " of them from both ends, under (%d+)(KB), and")
    assert.is_true(#result.content < abridge.parse_size(most .. unit))
    local shown = result.content:match "\n(100000\n\n%[Showing [^\n]* lines %([^\n]*%)%. Full output: )/"
    assert.truthy(screen:find(shown, 1, true))
    dir:remove()
  end)

  it("names both commands that do everything", function()
    assert.truthy(readme:find("make setup demo", 1, true))
    assert.truthy(readme:find("make setup test", 1, true))
  end)

  it("shows examples/loop_openai.lua as it is", function()
    assert.equal(paths.read "examples/loop_openai.lua", readme:match "## An agent loop\n\n```lua\n(.-)```")
  end)

  it("is read in one sitting, and has a picture of before and after on its first screen", function()
    local _, lines = readme:gsub("\n", "")
    assert.is_true(lines <= 200, lines)
    assert.truthy(readme:match("^" .. ("[^\n]*\n"):rep(25)):find("](doc/before-after.svg)", 1, true))
  end)

  it("compares with the figures of doc/scores.md", function()
    local causes, shown = paths.read("doc/scores.md"):match "%*%*Root causes: [^\n]+(.-)\n%*%*", 0
    for row, share in readme:match("\n## How it compares\n(.-)\n## "):gmatch "\n| ([^|\n]+) | ([%d.]+) %% |" do
      local strategy = assert(tables.README_ROWS[row], row)
      local at_2_kib = causes:match("\n| " .. strategy:gsub("%p", "%%%0") .. " | [%d.]+ | [%d.]+ | ([%d.]+) |")
      assert.equal(at_2_kib, share, row)
      shown = shown + 1
    end
    assert.equal(5, shown)
  end)

  it("says where each page of doc/ is", function()
    if not host.uv() then return pending "luv is missing" end
    local pages = 0
    for _, folder in ipairs { "doc/", "doc/profiles/" } do
      for _, name in ipairs(paths.names(folder)) do
        if name:find "%.md$" then
          pages = pages + 1
          assert.truthy(readme:find(("](%s%s)"):format(folder, name), 1, true), folder .. name)
        end
      end
    end
    assert.is_true(pages >= 13, pages)
  end)
end)

describe("doc/speed.md #once", function()
  local page = paths.read "doc/speed.md"

  it("shows what make bench-pause prints, and no callback of over 8 ms", function()
    local bench, rows = paths.read "bench/pause.lua", 0
    local fence = page:match "`make bench%-pause` prints.-\n```\n(.-)```"
    assert.truthy(fence:find("our callbacks, ms     main loop, ms\n", 1, true))
    for name, max in fence:gmatch "\n(%l.-)  +[%d.]+ +[%d.]+ +([%d.]+) +[%d.]+ +[%d.]+ +[%d.]+ +%d+" do
      rows = rows + 1
      assert.truthy(bench:find(name:gsub("200", "%%d", 1), 1, true), name)
      assert.is_true(tonumber(max) <= 8, max)
    end
    assert.equal(4, rows)
  end)
end)

describe("doc/history.md #once", function()
  local source = paths.read "lua/abridge/history/fit.lua"
  local knobs = paths.read("doc/history.md"):match "\n## The knobs\n(.-)\n## "

  it("gives the defaults in force", function()
    local count = 0
    for name, value in source:match("\nlocal DEFAULTS = (%b{})"):gmatch "([%w_]+) = ([%d.]+)" do
      count = count + 1
      assert.equal(value, knobs:match("\n| `" .. name .. "` | [^\n]* | ([%d.]+) |\n"), name)
    end
    assert.equal(4, count)
  end)
end)

describe("doc/hosts.md #once", function()
  local page = paths.read "doc/hosts.md"

  it("shows the lines for each host as its example has them", function()
    local shown = 0
    for name, block in page:gmatch "%(%.%./examples/([%w_]+%.lua)%)%):\n\n```lua\n(.-)```" do
      assert.equal(paths.read("examples/" .. name), block)
      shown = shown + 1
    end
    assert.equal(7, shown)
  end)
end)

describe("doc/lua.md #once", function()
  local section = paths.read("doc/lua.md"):match "\n## Profiles and limits\n(.-)\n## "

  it("shows a table of profiles with the numbers in force", function()
    for name, profile in pairs(abridge.profiles) do
      local row = section:match("\n| `" .. name .. "` |([^\n]*)")
      assert.truthy(row, name)
      local lines = profile.read_file.max_lines
      assert.truthy(row:gsub(",", ""):find(tostring(lines), 1, true), name)
      local ceiling = profile.ceiling and abridge.format_size(profile.ceiling.max_bytes) or "none"
      assert.truthy(row:find(ceiling, 1, true), name)
    end
  end)
end)

describe("doc/promises.md #once", function()
  --- The paths of specs by the names that the page gives them; a name may stand for several.
  local function specs_by_name()
    local found = {}
    for _, path in ipairs(paths.below "spec") do
      local name = path:match "([%w_]+_spec)%.lua$" or path:match "/(test_[%w_]+%.c)$"
      if name then
        found[name] = found[name] or {}
        table.insert(found[name], path)
      end
    end
    return found
  end

  it("names for each promise specs that exist and test something", function()
    if not host.uv() then return pending "luv is missing" end
    local specs, count = specs_by_name(), 0
    for promise in (paths.read("doc/promises.md"):gsub("\n%- ", "\0%0") .. "\0"):gmatch "\n%- ([^%z]*)%z" do
      local tests = promise:gsub("\n\n.*", ""):match "%(([^()]*)%)%.?%s*$"
      assert.truthy(tests, "no test is named by: " .. promise)
      for name in tests:gmatch "`([^`]+)`" do
        assert.truthy(specs[name], name .. " is missing")
        local cases = 0
        for _, path in ipairs(specs[name]) do
          cases = cases + select(2, paths.read(path):gsub(path:find "%.c$" and "\n%s*RUN%(" or "\n%s*it%(", ""))
        end
        assert.is_true(cases > 0, name)
      end
      count = count + 1
    end
    assert.is_true(count >= 24, count)
  end)
end)

describe("README and the pages beside it #once", function()
  local PAGES = { "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md" }
  for _, name in ipairs {
    "c",
    "design",
    "embedding",
    "history",
    "hosts",
    "install",
    "lua",
    "otel",
    "promises",
    "reliability",
    "scores",
    "speed",
    "versions",
    "profiles/pi",
    "profiles/pipeline",
    "profiles/contract",
    "profiles/dispatcher",
  } do
    PAGES[#PAGES + 1] = "doc/" .. name .. ".md"
  end

  local uv = host.uv()

  --- What a link to each heading of a page says.
  local function anchors_of(path)
    local anchors = {}
    for heading in ("\n" .. paths.read(path)):gmatch "\n#+ ([^\n]+)" do
      anchors[heading:lower():gsub("[^%w _-]", ""):gsub(" ", "-")] = true
    end
    return anchors
  end

  it("link to files and headings that there are", function()
    local links = 0
    for _, path in ipairs(PAGES) do
      local page = paths.read(path):gsub("\n```.-\n```", "")
      for target in page:gmatch "%]%(([^()%s]+)%)" do
        local file, anchor = target:match "^([^#]*)#?(.*)$"
        local found = file == "" and path or (path:match "^.*/" or "") .. file
        links = links + 1
        if not target:find "^%a+://" then
          assert.truthy(uv.fs_stat(found), path .. ": " .. target)
          assert.truthy(anchor == "" or anchors_of(found)[anchor], path .. ": " .. target)
        end
      end
    end
    assert.is_true(links > 50, links)
  end)

  it("name targets of make, commands and flags that there are", function()
    local makefile, usage = paths.read "Makefile", help.all(commands)
    for _, command in ipairs(commands.all()) do
      usage = usage .. help.of(command, commands.everywhere)
    end
    for _, name in ipairs(paths.names "mk") do
      if name:find "%.mk$" then makefile = makefile .. "\n" .. paths.read("mk/" .. name) end
    end
    local function check(path, kind, word, known)
      assert.truthy(known:find(word, 1, true), ("%s: no %s %q"):format(path, kind, word))
    end
    local named = 0
    for _, path in ipairs(PAGES) do
      local page = paths.read(path)
      for target in page:gmatch "[`\n] *make (%l[%l%d-]*)%f[^%l%d-]" do
        named = named + 1
        assert.truthy(makefile:find("\n" .. target:gsub("%-", "%%-") .. ":[^=]"), path .. ": make " .. target)
      end
      for command, rest in page:gmatch "[`$] ?abridge (%l+)([^`\n]*)" do
        named = named + 1
        check(path, "command", "abridge " .. command .. " ", usage)
        for flag in rest:gsub(" %-%- .*", ""):gmatch "%-%-[%l-]+" do
          check(path, "flag", flag, usage)
        end
      end
    end
    assert.is_true(named > 20, named)
  end)
end)
