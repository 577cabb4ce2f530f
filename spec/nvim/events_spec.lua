-- What autocommands are told of calls, what a status line shows, and the calls for a picker.
local paths = require "support.paths"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")
if not (vim and vim.api and vim.mpack) then
  describe("inside Neovim, events", function()
    pending "are not there: this host is not Neovim"
  end)
  return
end

local adapter = require "abridge.hosts.adapter"
local nvim = require "abridge.nvim"
local window = require "abridge.nvim.command_window"
local windows = require "support.windows"
local api = vim.api
local eventually = windows.eventually

describe("in Neovim", function()
  local dir, session, told, said
  local notify, select = vim.notify, vim.ui.select

  before_each(function()
    dir = tmpdir.new()
    nvim.setup { session = { run_dir = dir:at "run" } }
    session, told, said = nvim.session(), {}, {}
    function vim.notify(message) -- luacheck: ignore 122
      said[#said + 1] = message
    end
    api.nvim_create_autocmd("User", {
      group = api.nvim_create_augroup("spec of events", { clear = true }),
      pattern = "Abridge*",
      callback = function(event)
        told[#told + 1] = { event.match, vim.fn.has "nvim-0.8" == 1 and event.data or vim.g.abridge_event }
      end,
    })
  end)

  after_each(function()
    vim.notify, vim.ui.select = notify, select -- luacheck: ignore 122
    api.nvim_del_augroup_by_name "spec of events"
    windows.close_all()
    session:close()
    dir:remove()
  end)

  it("a command is told of as it starts and, once, as it ends, its window open or not", function()
    local buf = window.command "seq 3; exit 2"
    assert.same({ { "AbridgeRunStart", { call_id = "call-1", command = "seq 3; exit 2", buf = buf } } }, told)
    vim.cmd "close"
    eventually(function()
      return told[2]
    end)
    local data = { call_id = "call-1", command = "seq 3; exit 2", exit_code = 2, lines = 3, bytes = 6, failures = 0 }
    assert.same({ "AbridgeRunDone", data }, told[2])
    local second = window.command "sleep 60"
    api.nvim_buf_delete(second, { force = true })
    eventually(function()
      return told[4]
    end)
    assert.same({ "AbridgeRunDone", "call-2", "sleep 60" }, { told[4][1], told[4][2].call_id, told[4][2].command })
    vim.wait(50)
    assert.equal(4, #told) -- no AbridgeCall for them
    assert.is_nil(vim.g.abridge_event)
  end)

  it("any other call of the editor's sessions is told of", function()
    session:call("run_command", { command = "echo one; exit 3" })
    local cutter = adapter.new("test", { run_dir = dir:at "other" }, error)
    cutter:cut { tool = "shell", text = "short\n" }
    eventually(function()
      return told[2]
    end)
    local first = { call_id = "call-1", tool = "run_command", exit_code = 3, lines = 1, bytes = 4, failures = 0 }
    assert.same({ "AbridgeCall", first }, told[1])
    assert.same({ "AbridgeCall", "shell", 1 }, { told[2][1], told[2][2].tool, told[2][2].lines })
    cutter.session:close()
  end)

  it("a handler that raises, or that wipes the buffer out, harms nothing", function()
    api.nvim_create_autocmd("User", {
      group = "spec of events",
      pattern = "AbridgeRunStart",
      callback = function()
        vim.cmd "bwipeout!"
        error "theirs"
      end,
    })
    local _, job = window.command "echo fine" -- Neovim itself says what the handler raised
    eventually(function()
      return told[2] and job.result
    end)
    assert.equal("AbridgeRunDone", told[2][1])
  end)

  it("a status line has what runs", function()
    assert.equal("", nvim.status())
    local _, first = window.command "sleep 60"
    assert.matches("^running %d", nvim.status())
    local _, second = window.command "sleep 60"
    assert.equal("2 running", nvim.status())
    first:cancel()
    second:cancel()
    eventually(function()
      return nvim.status() == ""
    end)
  end)

  it("the notifier and the status line of the help do what they are for", function()
    local section = assert(paths.read("doc/neovim.md"):match "\n## Events\n(.-)\n## ")
    local notifier, line = section:match "```lua\n(.-)```.*```lua\n(.-)```"
    if vim.fn.has "nvim-0.8" == 1 then
      local id = assert(loadstring("return " .. notifier))()
      window.command "seq 3; exit 2"
      vim.cmd "close"
      eventually(function()
        return said[1] and said[2]
      end)
      api.nvim_del_autocmd(id)
      assert.is_true(vim.tbl_contains(said, "seq 3; exit 2: exit 2, 3 lines"), vim.inspect(said))
    end
    local shown
    package.preload.lualine = function()
      return {
        setup = function(opts)
          shown = opts.sections.lualine_x[1]()
        end,
      }
    end
    assert(loadstring(line))()
    package.preload.lualine, package.loaded.lualine = nil, nil
    assert.equal("", shown)
  end)

  it(":Abridge pick offers the calls, newest first, and opens the one chosen", function()
    session:call("run_command", { command = "seq 3; exit 2" })
    session:call("run_command", { command = "echo two" })
    local offered, choose, opts
    function vim.ui.select(items, options, on_choice) -- luacheck: ignore 122
      offered, opts, choose =
        vim.tbl_map(options.format_item, items), options, function(i)
          on_choice(items[i])
        end
    end
    vim.cmd "Abridge pick"
    eventually(function()
      return offered
    end)
    assert.equal("Calls", opts.prompt)
    assert.matches("^2  run_command  echo two", offered[1])
    assert.matches("^1  run_command  seq 3; exit 2  Command exited with code 2$", offered[2])
    choose(2)
    assert.equal("abridge-output", vim.bo.filetype)
    assert.same({ "1", "2", "3" }, windows.lines_of())
    vim.cmd "Abridge pick"
    vim.wait(50)
    choose(9) -- nothing was chosen
    local buf = window.command "echo started; sleep 60"
    vim.cmd "close"
    offered = nil
    vim.cmd "Abridge pick"
    eventually(function()
      return offered and offered[1]:find "running$"
    end)
    choose(1)
    assert.equal(buf, api.nvim_get_current_buf())
  end)
end)
