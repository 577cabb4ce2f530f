-- doc/reliability.md and the tests it names: no row without a test, no test without a row. Those of spec/faults/ run in
-- a host of their own, with the shim preloaded.
local host = require "abridge.base.host"
local paths = require "support.paths"
local resources = require "support.resources"
local tmpdir = require "support.tmpdir"

local on_linux = resources.has_proc and not resources.emulated -- an emulator would be given the faults
local q = tmpdir.quote

--- The rows of the page's tables of faults: where the test is, and its name.
local function rows_of(page)
  local rows = {}
  for line in page:match("^(.-)\n## Systems\n"):gmatch "[^\n]+" do
    local cell = line:match "^|.*| ([^|]*) |$"
    if cell and cell ~= "test" then
      local where, name = cell:match "^([%w_.]+): (.+)$"
      rows[#rows + 1] = { where = where, name = name, line = line }
    end
  end
  return rows
end

local rows = rows_of(assert(paths.read "doc/reliability.md"))

--- What runs the rows in this kind of host.
local function command()
  if host.in_nvim then return tmpdir.headless(host.uv().exepath(), "spec/faults/runner.lua") end
  return q(host.uv().exepath()) .. " spec/faults/runner.lua" -- itself: what starts it would use up the preload
end

--- Words, names and what else the rows said, and why there is no more of it.
local function ran()
  local dir = tmpdir.new()
  local shim = tmpdir.root() .. "/build/test/shim.so"
  local line = "cd %s && make -s build/test/shim.so >&2 && "
    .. "LUA_PATH=%s LUA_CPATH=%s LC_ALL=C ABRIDGE_FAULTS_SHIM=%s timeout 120 env LD_PRELOAD=%s %s < /dev/null"
  local lua_path, lua_cpath = q(package.path), q(package.cpath)
  local out, err, code = dir:sh(line:format(q(tmpdir.root()), lua_path, lua_cpath, q(shim), q(shim), command()))
  dir:remove()
  local said, last = {}, "the first"
  for word, rest in out:gmatch "(%l+) ([^\n]*)\n" do
    local name, why = rest:match "^([^\t]*)\t?(.*)$"
    last = name
    said[name] = { word = word, why = (why:gsub("\\n", "\n")) }
  end
  if said["of rows"] then return said end
  return said, ("no more ran after %q: status %s\n%s"):format(last, tostring(code), err)
end

describe("a fault #few", function()
  local said, ending

  setup(function()
    if on_linux then
      said, ending = ran()
    end
  end)

  it("of any kind leaves the host running", function()
    if not on_linux then return pending "faults are injected by a shim that is preloaded, on Linux alone" end
    assert.is_nil(ending)
  end)

  it("has its row, and no row twice", function()
    if not on_linux then return pending "faults are injected by a shim that is preloaded, on Linux alone" end
    local seen = {}
    for _, row in ipairs(rows) do
      assert.is_string(row.name, "a row names no test: " .. row.line)
      assert.is_nil(seen[row.where .. row.name], "twice: " .. row.name)
      seen[row.where .. row.name] = true
    end
    for name in pairs(said) do
      assert.is_true(name == "of rows" or seen["faults" .. name], "no row in doc/reliability.md: " .. name)
    end
  end)

  for _, row in ipairs(rows) do
    if row.where == "faults" then
      it("where " .. row.name, function()
        if not on_linux then return pending "faults are injected by a shim that is preloaded, on Linux alone" end
        local result = said[row.name]
        assert.is_table(result, ending or "spec/faults/ has no such row")
        if result.word == "skipped" then return pending(result.why) end
        assert.equal("ok", result.word, result.why)
      end)
    elseif row.name then
      it("is shown by " .. row.where .. ": " .. row.name, function()
        local in_c = row.where:find "%.c$"
        local path = in_c and "spec/c/" .. row.where or paths.specs("^" .. row.where .. "%.lua$")[1]
        local text = assert(paths.read(assert(path, "no such spec")))
        local calls = in_c and { ("RUN(%s)"):format(row.name), ("RUN_IN_FOLDER(%s)"):format(row.name) }
          or { 'it("' .. row.name, 'it "' .. row.name }
        assert.is_truthy(text:find(calls[1], 1, true) or text:find(calls[2], 1, true), "no such test")
      end)
    end
  end
end)
