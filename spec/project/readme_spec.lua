-- What README.md says with figures, and what it shows of use.
local abridge = require "abridge"
local host = require "abridge.base.host"
local paths = require "support.paths"
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

  it("shows what make bench-pause prints, and no callback of over 8 ms", function()
    local bench, rows = paths.read "bench/pause.lua", 0
    local fence = readme:match "`make bench%-pause` prints.-\n```\n(.-)```"
    assert.truthy(fence:find("our callbacks, ms     main loop, ms\n", 1, true))
    for name, max in fence:gmatch "\n(%l.-)  +[%d.]+ +[%d.]+ +([%d.]+) +[%d.]+ +[%d.]+ +[%d.]+ +%d+" do
      rows = rows + 1
      assert.truthy(bench:find(name:gsub("200", "%%d", 1), 1, true), name)
      assert.is_true(tonumber(max) <= 8, max)
    end
    assert.equal(4, rows)
  end)

  it("names both commands that do everything", function()
    assert.truthy(readme:find("make setup demo", 1, true))
    assert.truthy(readme:find("make setup test", 1, true))
  end)

  it("shows examples/loop_openai.lua as it is", function()
    assert.equal(paths.read "examples/loop_openai.lua", readme:match "## An agent loop\n\n```lua\n(.-)```")
  end)

  it("shows the lines for each host as its example has them", function()
    local shown = 0
    for name, block in readme:gmatch "%(examples/([%w_]+%.lua)%)%):\n\n```lua\n(.-)```" do
      assert.equal(paths.read("examples/" .. name), block)
      shown = shown + 1
    end
    assert.equal(5, shown)
  end)

  it("shows a table of profiles with the numbers in force", function()
    for name, profile in pairs(abridge.profiles) do
      local row = readme:match("## Profiles.-\n| `" .. name .. "` |([^\n]*)")
      assert.truthy(row, name)
      local lines = profile.read_file.max_lines
      assert.truthy(row:gsub(",", ""):find(tostring(lines), 1, true), name)
      local ceiling = profile.ceiling and abridge.format_size(profile.ceiling.max_bytes) or "none"
      assert.truthy(row:find(ceiling, 1, true), name)
    end
  end)
end)

describe("README and the pages beside it #once", function()
  local PAGES = { "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md" }
  for _, name in ipairs { "c", "design", "install", "lua", "reliability", "profiles/pi", "profiles/pipeline",
    "profiles/contract", "profiles/dispatcher" } do
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
    local makefile, usage = paths.read "Makefile", paths.read("lua/abridge/cli/init.lua"):match "USAGE = %[%[(.-)%]%]"
    for _, name in ipairs(paths.names "mk") do makefile = makefile .. "\n" .. paths.read("mk/" .. name) end
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
        for flag in rest:gsub(" %-%- .*", ""):gmatch "%-%-[%l-]+" do check(path, "flag", flag, usage) end
      end
    end
    assert.is_true(named > 20, named)
  end)
end)
