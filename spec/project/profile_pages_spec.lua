-- doc/profiles/: what the pages say of each profile's source is what the code does.
local abridge = require "abridge"
local host = require "abridge.base.host"
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local NAMES = { "pi", "pipeline", "contract", "dispatcher" }

local function page_of(name)
  return assert(paths.read(("doc/profiles/%s.md"):format(name)))
end

--- The lines that a block is to print.
local function expected(code)
  local lines = {}
  for line in code:gmatch "[^\n]+" do
    lines[#lines + 1] = line:match "%-%->%s?(.*)$"
  end
  return table.concat(lines, "\n")
end

local function printed(code, name)
  local lines = {}
  local env = setmetatable({
    print = function(...)
      local words = {}
      for i = 1, select("#", ...) do
        words[i] = tostring((select(i, ...)))
      end
      lines[#lines + 1] = table.concat(words, "  ")
    end,
  }, { __index = _G })
  local chunk
  if rawget(_G, "setfenv") then
    chunk = assert(loadstring(code, name)) -- luacheck: ignore 113
    setfenv(chunk, env) -- luacheck: ignore 113
  else
    chunk = assert(load(code, name, "t", env))
  end
  chunk()
  return table.concat(lines, "\n")
end

describe("doc/profiles #once", function()
  if not host.uv() then return pending "luv is missing" end

  local dir

  before_each(function()
    dir = tmpdir.new()
  end)

  after_each(function()
    dir:remove()
  end)

  it("has a page for each profile that has a source", function()
    for name in pairs(abridge.profiles) do
      if name ~= "default" then assert.truthy(page_of(name)) end
    end
    for _, name in ipairs(NAMES) do
      for _, heading in ipairs { "What is the same", "What differs, and why", "Field names" } do
        assert.truthy(page_of(name):find("\n## " .. heading .. "\n", 1, true), name .. ": " .. heading)
      end
      assert.truthy(paths.read("doc/lua.md"):find(("(profiles/%s.md)"):format(name), 1, true), name)
    end
  end)

  for _, name in ipairs(NAMES) do
    it(("%s: the examples print what they say"):format(name), function()
      local blocks = 0
      for code in page_of(name):gmatch "\n```lua\n(.-)```\n" do
        blocks = blocks + 1
        if code:find("grep", 1, true) and not require("abridge.process.programs").find "rg" then
          pending "ripgrep is missing"
        else
          assert.equal(expected(code):gsub("/tmp/agent", dir.path), printed(code:gsub("/tmp/agent", dir.path), name))
        end
      end
      assert.equal(2, blocks)
    end)

    it(("%s: each field that is named here exists"):format(name), function()
      dir:sh "seq 5000 > f; head -c 300000 /dev/zero | tr '\\0' x > long"
      dir:sh "mkdir d && cd d && seq -f 'f%g' 1200 | xargs touch"
      dir:sh "seq -f 'needle %0600.0f' 300 > needles"
      local session = abridge.session { profile = name, cwd = dir.path, run_dir = dir:at "run" }
      local results = { { ceiling = session.table_of_limits.ceiling, limits = session:limits "read_file" } }
      for _, call in ipairs {
        { "run_command", { command = "seq 300000" } },
        { "run_command", { command = "cat long" } },
        { "read_file", { path = "f" } },
        { "read_file", { path = "long" } },
        { "list_directory", { path = "d" } },
        { "list_directory", { path = "d", limit = 5 } },
        { "find_files", { pattern = "*" } },
        { "search_files", { pattern = "needle" } },
        { "search_files", { pattern = "needle", limit = 2 } },
      } do
        results[#results + 1] = session:call(call[1], call[2])
      end
      results[#results + 1] = session:cap("foreign", ("x"):rep(3e5))
      for _, event in ipairs(session:events { type = "tool_result" }) do
        results[#results + 1] = { event = event }
      end
      session:close()
      results[#results + 1] = { abridge = abridge, info = abridge.info.not_truncated(1) }
      results[#results + 1] = { info = abridge.info }

      local function exists(path)
        for _, result in ipairs(results) do
          local value = result
          for key in path:gmatch "[%w_]+" do
            if type(value) ~= "table" then return false end
            value = value[key]
            if value == nil then break end
          end
          if value ~= nil then return true end
        end
        return false
      end
      local count = 0
      local rows = page_of(name):match "\n## Field names\n\n|[^\n]*\n|[^\n]*\n(.*)$"
      for line in rows:gmatch "[^\n]+" do
        for path in (line:match "^|.-|(.*)|$" or line):gmatch "`([%a_][%w_.:]*)`" do
          local has_place = path:find "[.:]" or path == "content" or path == "is_error"
          if has_place and not path:find "%.md$" then
            count = count + 1
            assert.is_true(exists(path), path)
          end
        end
      end
      assert.is_true(count >= 4, count)
    end)
  end
end)
