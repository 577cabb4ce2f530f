-- `setup`, and the folders in which each Neovim keeps its own log.
local abridge = require "abridge"
local adapter = require "abridge.hosts.adapter"
local files = require "abridge.base.files"
local host = require "abridge.base.host"
local nvim = require "abridge.nvim"
local paths = require "support.paths"
local plain = require "support.plain"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
local in_nvim = vim and vim.api

describe("setup", function()
  it("is one function under two names", function()
    assert.equal(nvim.setup, abridge.setup)
  end)

  if not in_nvim then
    it("raises outside Neovim, where the caller is", function()
      for _, opts in ipairs { false, {}, { session = {} } } do
        assert.equal(
          "abridge.nvim.setup: this host is not Neovim",
          plain.misuse(function()
            abridge.setup(opts or nil)
          end)
        )
      end
    end)
    return
  end

  after_each(function()
    nvim.setup { session = { run_dir = false } }
    nvim.session():close()
  end)

  it("takes nothing, nothing much, or the options of a session; it may be called again", function()
    abridge.setup()
    abridge.setup {}
    abridge.setup { session = {} }
    local opts = { run_dir = false, limits = { run_command = { max_lines = 3 } } }
    nvim.session():close()
    abridge.setup { session = opts }
    opts.limits = nil -- what was handed in is the caller's to change
    assert.equal(3, nvim.session():limits("run_command").max_lines)
    assert.equal(2, vim.fn.exists ":Abridge")
  end)

  it("takes what the help shows", function()
    nvim.session():close()
    local shown = assert(paths.read("doc/neovim.md"):match "\n## Settings\n\n```lua\n(.-)```")
    assert(loadstring(shown))()
    assert.equal(20480, nvim.session():limits("run_command").max_bytes)
  end)

  it("raises what is wrong, by name, where the caller is, and changes nothing then", function()
    for _, case in ipairs {
      { 5, "opts must be a table, got 5" },
      { "x", 'opts must be a table, got "x"' },
      { { sesion = {} }, "unknown option 'sesion' (value table)" },
      { { session = false }, "session must be a table, got false" },
      { { session = { profle = "pi" } }, "session: unknown option 'profle' (value \"pi\")" },
      { { session = { profile = "pie" } }, "session: " },
      { { session = { run_dir = 5 } }, "session: run_dir must be a path or false, got 5" },
      { { session = { limits = { run_command = { max_line = 1 } } } }, "max_line" },
      { { session = { databases = 5 } }, "session: databases must be a table, got 5" },
    } do
      local message = plain.misuse(function()
        abridge.setup(case[1])
      end, case[2])
      assert.equal(1, (message:find "^abridge%.nvim%.setup: "))
    end
  end)

  it("opens nothing that the options name before it is wanted", function()
    local dir = tmpdir.new()
    abridge.setup { session = { run_dir = dir:at "run" } }
    assert.is_nil(host.uv().fs_stat(dir:at "run"))
    dir:remove()
  end)
end)

describe("the log that nobody asked for", function()
  local dir, saved

  before_each(function()
    dir = tmpdir.new()
    saved = os.getenv "ABRIDGE_STATE_DIR"
  end)

  after_each(function()
    if in_nvim then vim.env.ABRIDGE_STATE_DIR = saved end
    dir:remove()
  end)

  if not in_nvim then
    pending "is kept in Neovim: the environment of this host cannot be changed"
    return
  end

  local function runs()
    return files.names_in(dir:at "state")
  end

  local function events(name)
    local run = assert(abridge.open_run(dir:at("state/" .. name)))
    local list = run:events()
    run:close()
    return list
  end

  it("is in a folder of the process's own, made with the first call", function()
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    local cutter = adapter.new("test", {}, error)
    nvim.session():close()
    nvim.setup { session = {} }
    local editor = nvim.session()
    assert.same({}, runs())
    assert.same({ nil, "This session keeps no log: it has no run_dir", "ENOENT" }, { editor:events() })
    local long = ("a line of text\n"):rep(5000)
    local shown = cutter:cut { tool = "shell", text = long }
    editor:call("run_command", { command = "echo by hand" })
    assert.equal(1, #runs())
    assert.matches(("%%-%d%%-%%d+$"):format(host.uv().os_getpid()), runs()[1])
    local seen = events(runs()[1])
    assert.same(
      { "call-1", "shell", "call-2", "run_command", "by hand\n" },
      { seen[2].call_id, seen[2].tool, seen[4].call_id, seen[4].tool, seen[4].content }
    )
    local path = shown:match "Full output: (%S+)%]"
    assert.equal(long, (io.open(path):read "*a"))
    assert.equal("a line of text", (cutter.session:full_output("call-1", { limit = 1 })))
    editor:close()
    editor:close() -- the others go on
    cutter:cut { tool = "shell", text = "after" }
    assert.equal("after", events(runs()[1])[6].content)
    cutter.session:close()
    nvim.session():call("run_command", { command = "echo anew" })
    assert.equal(2, #runs())
    nvim.session():close()
  end)

  it("is one list of calls made by hand and by CodeCompanion's, avante's and mcphub's tools", function()
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    nvim.session():close()
    nvim.setup { session = {} }
    local callbacks = {}
    local chat = {
      add_callback = function(_, name, fn)
        callbacks[name] = fn
      end,
    }
    local extension = require "codecompanion._extensions.abridge"
    extension.setup()
    local cutter = adapter.new("codecompanion", nil, error) -- as that made one for all chats
    extension.attach(cutter, chat)
    local tools = {
      process_tool_use = function()
        return "of avante"
      end,
    }
    local hub = {
      call_tool = function()
        return { content = { { type = "text", text = "of mcphub" } } }
      end,
    }
    hub.access_resource = hub.call_tool
    require("abridge.avante").tools(tools)
    require("abridge.mcphub").attach(hub)
    nvim.session():call("run_command", { command = "echo by hand" })
    callbacks.on_tool_output(chat, { tool = "grep_search", for_llm = "of CodeCompanion" })
    tools.process_tool_use({}, { name = "bash" })
    hub:call_tool("server", "tool", {})
    vim.cmd "Abridge log"
    assert.is_true(vim.wait(20000, function()
      return #vim.api.nvim_buf_get_lines(0, 0, -1, true) == 5
    end, 5))
    local lines = vim.api.nvim_buf_get_lines(0, 1, -1, true)
    vim.cmd "bwipeout!"
    for i, tool in ipairs { "run_command", "grep_search", "bash", "server__tool" } do
      assert.matches(("^ *%d .*%s"):format(i, tool), lines[i])
    end
    for _, session in ipairs { extension.exports.session, cutter.session, nvim.session() } do
      session:close()
    end
  end)

  it("has what avante's tools and mcphub's servers gave, in the editor's own run", function()
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    nvim.session():close()
    nvim.setup { session = { limits = { shell = { max_lines = 2 } } } }
    local long = ("a line of text\n"):rep(5000)
    local tools = {
      process_tool_use = function()
        return long
      end,
    }
    local hub = {
      call_tool = function()
        return { content = { { type = "text", text = long } } }
      end,
    }
    hub.access_resource = hub.call_tool
    require("abridge.avante").tools(tools)
    require("abridge.mcphub").attach(hub)
    assert.same({}, runs())
    local shown = tools.process_tool_use({}, { name = "shell" })
    assert.matches("%[Showing lines 4999%-5000 of 5000%. Full output: ", shown)
    local result = hub:call_tool("server", "tool", {})
    assert.matches("Full output: ", result.content[1].text, 1, true)
    assert.equal(1, #runs())
    local seen = events(runs()[1])
    assert.same({ "shell", "server__tool" }, { seen[2].tool, seen[4].tool })
    nvim.session():close()
    nvim.setup { session = { run_dir = false } }
    assert.is_nil((tools.process_tool_use({}, { name = "shell" }):find("Full output", 1, true)))
    assert.equal(1, #runs())
  end)

  it("is another one in another Neovim, at the same time", function()
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    dir:write(
      "one.lua",
      [[
      local cutter = require("abridge.hosts.adapter").new("test", { run_dir = nil }, error)
      cutter:cut { tool = "shell", text = "from " .. vim.fn.getpid() }
      io.open(vim.env.ABRIDGE_STATE_DIR .. "/../" .. vim.fn.getpid(), "w"):close()
      vim.wait(20000, function() return vim.loop.fs_stat(vim.env.ABRIDGE_STATE_DIR .. "/../gate") ~= nil end, 5)
      vim.cmd "qall!"
    ]]
    )
    local jobs = {}
    for i = 1, 2 do
      jobs[i] = vim.fn.jobstart {
        vim.v.progpath,
        "--headless",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        "--cmd",
        "set shada= rtp^=" .. host.uv().cwd(),
        "-c",
        "luafile " .. dir:at "one.lua",
      }
    end
    local pids = { vim.fn.jobpid(jobs[1]), vim.fn.jobpid(jobs[2]) }
    assert.is_true(vim.wait(20000, function()
      return dir:read(tostring(pids[1])) ~= nil and dir:read(tostring(pids[2])) ~= nil
    end, 5))
    assert.equal(2, #runs())
    local contents = {}
    for i, name in ipairs(runs()) do
      contents[i] = events(name)[2].content
    end
    table.sort(contents)
    local wanted = { "from " .. pids[1], "from " .. pids[2] }
    table.sort(wanted)
    assert.same(wanted, contents)
    local own = abridge.session { run_dir = require("abridge.run.folder").fresh_path() }
    own:cap("x", "mine")
    own:close()
    local log = assert(nvim.log(require("abridge.run.folder").newest()))
    assert.is_true(vim.wait(20000, function() -- its own before those of others
      return (vim.api.nvim_buf_get_lines(log, 1, 2, false)[1] or ""):find " x " ~= nil
    end, 5))
    vim.cmd "bwipeout!"
    dir:write("gate", "")
    vim.fn.jobwait(jobs, 20000)
  end)

  it("is pruned as full outputs are, and is not kept with run_dir = false", function()
    vim.env.ABRIDGE_STATE_DIR = dir:at "state"
    local old = dir:at "state/20200101T000000.000000Z-1-1"
    vim.fn.mkdir(dir:at "state", "p", 448)
    local session = abridge.session { run_dir = old }
    session:cap("x", "old")
    session:close()
    assert(host.uv().fs_utime(old .. "/events.jsonl", 1e9, 1e9))
    local off = adapter.new("test", { run_dir = false }, error)
    off:cut { tool = "shell", text = ("long\n"):rep(20000) }
    assert.same({ "20200101T000000.000000Z-1-1" }, runs())
    local cutter = adapter.new("test", {}, error)
    cutter:cut { tool = "shell", text = "short" }
    assert.is_true(vim.wait(20000, function() -- in slices, after the call
      return #runs() == 1
    end, 5))
    assert.equal("short", events(runs()[1])[2].content)
    for _, one in ipairs { off, cutter } do
      one.session:close()
    end
  end)

  it("is done without where its folder cannot be had; results say so", function()
    vim.env.ABRIDGE_STATE_DIR = dir:write("state", "a file")
    local session = require("abridge.session").logged()
    local result = session:call("run_command", { command = "seq 3" })
    assert.equal("1\n2\n3\n", result.content)
    assert.is_string(result.details.log_error)
    assert.is_string(session:cap("x", "y").details.log_error)
    session:close()
  end)
end)
