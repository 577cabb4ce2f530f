-- A notice names only tools that whoever reads it has, by the names they have there.
local abridge = require "abridge"
local environment = require "support.environment"
local host = require "abridge.base.host"
local opened = require "support.opened"
local tmpdir = require "support.tmpdir"
local numbered = require "support.numbered"

local dir

--- The sentence after the path of a command's full output; nil where the path ends the notice.
local function hint_of(result)
  local path, after = assert(result.details.full_output_path), result.details.notice
  local at = select(2, assert(after:find("Full output: " .. path, 1, true)))
  return after:sub(at + 1)
end

local function session(opts)
  opts.run_dir, opts.cwd = dir:at("run" .. math.random(1e9)), dir.path
  return opened.session(opts)
end

local function big(own)
  return own:call(own:shown_name "run_command", { command = "seq 5000" })
end

describe("a notice names how to look into a full output", function()
  if not (host.uv() and host.json()) then return pending "luv or JSON is missing" end

  before_each(function()
    dir = tmpdir.new()
  end)
  after_each(function()
    opened.close()
    dir:remove()
  end)

  local pi_names = { read = "read_file", bash = "run_command", grep = "search_files" }
  local cases = {
    { "by the names of the session's tools", {}, ". Use read_file or search_files on it]" },
    { "only to read it", { tools = { "run_command", "read_file" } }, ". Use read_file on it]" },
    { "only to search it", { tools = { "run_command", "search_files" } }, ". Use search_files on it]" },
    { "not without such tools", { tools = { "run_command" } }, "]" },
    { "by aliases", { aliases = pi_names }, ". Use read or grep on it]" },
    { "by tool_names", { tool_names = { read = "View", search = "Grep" } }, ". Use View or Grep on it]" },
    {
      "by tool_names without tools of its own",
      { tools = { "run_command" }, tool_names = { read = "View" } },
      ". Use View on it]",
    },
    { "not where tool_names says there is none", { tool_names = { read = false, search = false } }, "]" },
    { "in part where tool_names says so", { tool_names = { read = false } }, ". Use search_files on it]" },
    { "not in another profile", { profile = "pi" }, "]" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      assert.equal(case[3], hint_of(big(session(case[2]))))
    end)
  end

  it("and the tools it names open the file, inside a root too", function()
    for _, opts in ipairs { {}, { root = dir.path } } do
      local own = session(opts)
      local path = big(own).details.full_output_path
      assert.equal("17", own:call("read_file", { path = path, offset = 17, limit = 1 }).content:match "^%d+")
      assert.matches(":4999: 4999", own:call("search_files", { pattern = "^4999$", path = path }).content)
    end
  end)

  it("without a search where rg is missing", function()
    local own = session { limits = { echo = { max_lines = 1 } } }
    own:register {
      name = "echo",
      execute = function()
        return "a\nb\nc"
      end,
    }
    environment.with({ PATH = dir.path }, function()
      assert.equal(". Use read_file on it]", hint_of(own:call("echo", {})))
    end)
  end)

  it("but not where none is kept, nor of a part of it, nor of what is binary", function()
    local cut = select(2, abridge.tail(numbered(100), { max_lines = 1 }))
    local names = { read = "read_file", search = "search_files" }
    local function said()
      return abridge.notice("run_command", cut, names)
    end
    assert.equal("[Showing lines 100-100 of 100]", said())
    cut.full_output_path = "/log"
    assert.equal("[Showing lines 100-100 of 100. Full output: /log. Use read_file or search_files on it]", said())
    cut.full_output_path = "/a\nb"
    assert.equal("[Showing lines 100-100 of 100. Full output: path in details]", said())
    cut.full_output_path, cut.full_output_bytes, cut.full_output_error = "/log", 512, "File too large"
    assert.equal("[Showing lines 100-100 of 100. Full output incomplete: first 512B in /log, File too large]", said())
    local own = session {}
    local result = own:call("run_command", { command = "head -c 2000 /dev/zero; seq 3" })
    assert.equal("binary", result.details.cut.kind)
    assert.equal("]", hint_of(result))
  end)

  it("within the budget", function()
    for most = 300, 700, 7 do
      local own = session { limits = { run_command = { max_bytes = most } } }
      local result = big(own)
      assert.is_true(#result.content <= most)
    end
  end)

  it("in session:cap by the names it is given", function()
    local own = session {}
    assert.equal(". Use read_file or search_files on it]", hint_of(own:cap("mine", numbered(5000))))
    assert.equal("]", hint_of(own:cap("mine", numbered(5000), { tool_names = {} })))
    local named = own:cap("mine", numbered(5000), { tool_names = { read = "View" } })
    assert.equal(". Use View on it]", hint_of(named))
  end)

  it("in abridge.cap only by the names it is given", function()
    local content = abridge.cap(numbered(5000), "mine", { save = dir:at "saved" })
    assert.matches("Full output: [^%]]*%.log%]$", content)
    content = abridge.cap(numbered(5000), "mine", { save = dir:at "saved", tool_names = { search = "Grep" } })
    assert.matches("Full output: [^%]]*%.log%. Use Grep on it%]$", content)
    local ok, why = pcall(abridge.cap, "x", "mine", { tool_names = { grep = "Grep" } })
    assert.is_false(ok)
    assert.matches('tool_names must be names %(or false%) for shell, read and search, not grep = "Grep"', why)
  end)

  it("not through an adapter, whose host has other tools than the session", function()
    local own = session {}
    local mcp, avante = require "abridge.mcp", require "abridge.avante"
    local value = { content = { { type = "text", text = numbered(5000) } } }
    local capped = mcp.cap("server__tool", value, { session = own })
    assert.matches("Full output: [^%]]*%.log%]$", capped.content[1].text)
    local tool = avante.wrap({
      name = "mine",
      func = function()
        return numbered(5000)
      end,
    }, { session = own })
    assert.matches("Full output: [^%]]*%.log%]$", (tool.func {}))
    capped = mcp.cap("server__tool", {
      structuredContent = { text = numbered(5000) },
      content = { { type = "text", text = numbered(4000) } },
    }, { session = own })
    assert.falsy(capped.content[#capped.content].text:find("Use ", 1, true))
  end)

  it("through an adapter by the tool_names of its session", function()
    local own = session { tool_names = { read = "fs__read" } }
    local value = { content = { { type = "text", text = numbered(5000) } } }
    local capped = require("abridge.mcp").cap("server__tool", value, { session = own })
    assert.matches("Full output: [^%]]*%.log%. Use fs__read on it%]$", capped.content[1].text)
  end)
end)

describe("a notice names the tool that shows a line whole", function()
  if not (host.uv() and host.json()) then return pending "luv or JSON is missing" end

  before_each(function()
    dir = tmpdir.new()
    dir:write("f", "needle " .. ("x"):rep(900) .. "\n")
  end)
  after_each(function()
    opened.close()
    dir:remove()
  end)

  local cut = "[Some lines truncated to 500 chars"
  local cases = {
    { "the session's", {}, cut .. ". Use read_file tool to see full lines]" },
    { "its alias", { profile = "pi" }, cut .. ". Use read tool to see full lines]" },
    {
      "the host's",
      { tools = { "search_files" }, tool_names = { read = "View" } },
      cut .. ". Use View tool to see full lines]",
    },
    { "none where there is none", { tools = { "search_files" } }, cut .. "]" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local own = session(case[2])
      assert.equal(case[3], own:call("search_files", { pattern = "needle" }).details.notice)
    end)
  end
end)
