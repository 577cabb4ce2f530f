-- What a session refuses on Windows and what it does not, in a Lua that is told it runs there.
local abridge = require "abridge"
local health = require "abridge.health"
local host = require "abridge.base.host"
local process = require "abridge.process"
local system = require "abridge.base.system"
local tmpdir = require "support.tmpdir"

local UNSUPPORTED = "not supported on Windows"

describe("on Windows", function()
  local dir, is_windows

  before_each(function()
    dir, is_windows = tmpdir.new(), system.is_windows
    system.is_windows = function() -- luacheck: ignore
      return true
    end
  end)

  after_each(function()
    system.is_windows = is_windows
    dir:remove()
  end)

  it("a program is not started", function()
    assert.same({ nil, UNSUPPORTED, "ENOTSUP" }, { process.spawn { "true" } })
  end)

  it("a session has no folder and no root, whether luv is there or not", function()
    for _, opts in ipairs { { run_dir = dir:at "run" }, { root = dir.path } } do
      assert.same({ nil, UNSUPPORTED, "ENOTSUP" }, { abridge.session(opts) })
    end
    assert.equal("", dir:run "ls")
  end)

  it("a run is not read either", function()
    assert.same({ nil, UNSUPPORTED, "ENOTSUP" }, { abridge.open_run(dir.path) })
  end)

  if host.in_nvim then
    it("the report of a Neovim's health says what is missing, and asks nothing that Windows does not know", function()
      local uv = host.uv()
      local getuid = uv.getuid
      uv.getuid = nil
      local sections = health.sections()
      uv.getuid = getuid
      local last = sections[#sections]
      assert.same({ "Windows", "info" }, { last.title, last.findings[1].level })
      assert.equal("commands, searches, logs and full outputs are not supported on Windows", last.findings[1].text)
    end)
  end

  it("tools of ours but read_file are neither offered nor run", function()
    local path = dir:write("a.txt", "one\ntwo\n")
    local session = assert(abridge.session { run_dir = false })
    local names = {}
    for _, definition in ipairs(session:definitions "openai") do
      names[#names + 1] = definition["function"].name
    end
    assert.same({ "read_file" }, names)
    for name, input in pairs {
      run_command = { command = "touch " .. dir:at "made" },
      search_files = { pattern = "one", path = dir.path },
      find_files = { pattern = "*", path = dir.path },
      list_directory = { path = dir.path },
      sql_query = { sql = "select 1", database = "x" },
      web_fetch = { url = "http://127.0.0.1:9" },
    } do
      local result = session:call(name, input)
      assert.same({ UNSUPPORTED, true }, { result.content, result.is_error })
    end
    assert.equal("one\ntwo\n", session:call("read_file", { path = path }).content)
    assert.is_nil(dir:read "made")
    session:close()
  end)

  it("tools of a host run, and what they return is cut", function()
    local session = assert(abridge.session { run_dir = false })
    session:register {
      name = "count",
      execute = function()
        return ("a line\n"):rep(9000)
      end,
    }
    local notice = "\n%[Showing 2000 of 9000 lines %(2000 line limit%)%]$"
    assert.matches(notice, session:call("count", {}).content)
    session:close()
  end)

  it("a log that was to be kept in the state directory is told of, and nothing else fails", function()
    local session = assert(require("abridge.session").logged { retention = { max_age = 60 } })
    session:register {
      name = "greet",
      execute = function()
        return "hello\n"
      end,
    }
    local result = session:call("greet", {})
    assert.equal("hello\n", result.content)
    if host.uv() then assert.equal(UNSUPPORTED, result.details.log_error) end
    session:close()
  end)
end)
