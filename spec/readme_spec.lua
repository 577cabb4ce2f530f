-- What README.md says with figures, and what it shows of use.
local abridge = require "abridge"
local host = require "abridge.host"
local paths = require "paths"
local tmpdir = require "tmpdir"

describe("README", function()
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
