-- What stand-ins claim about their plugins, asked of both; and what only the plugins show. Those come
-- from the folder of checkouts that ABRIDGE_PLUGINS names; without it the stand-ins are asked what they claim.
local lines = require "support.numbered"
local paths = require "support.paths"
local plugins = require "support.plugins"
local random = require "support.random"
local tmpdir = require "support.tmpdir"

local vim = rawget(_G, "vim")

if not vim or vim.fn.has "nvim-0.11" == 0 then vim = nil end -- the plugins run in no earlier one

--- The keys of a table, sorted.
local function keys(t)
  local names = {}
  for name in pairs(t) do
    names[#names + 1] = tostring(name)
  end
  table.sort(names)
  return names
end

--- Ask each driver of a plugin for the same facts.
local function each(name, ask)
  for who, driver in pairs(plugins.both(name)) do
    it("is so of " .. who, function()
      ask(driver)
    end)
  end
end

describe("CodeCompanion: what an extension sees of tools", function()
  each("codecompanion", function(driver)
    local trace = {}
    local function note(...)
      trace[#trace + 1] = table.concat({ ... }, " ")
    end
    local codecompanion = driver.install "current"
    local probe = { exports = { mark = 1 } }

    function probe.setup(opts)
      note("setup", next(opts) or "{}")
    end

    codecompanion.module.setup { extensions = { probe = { callback = probe } } }
    assert.equal(1, codecompanion.module.extensions.probe.mark)
    local created
    local id = vim
      and vim.api.nvim_create_autocmd("User", {
        pattern = "CodeCompanionChatCreated",
        callback = function(event)
          created = event.data.bufnr
        end,
      })
    local chat = codecompanion:chat()
    if id then
      vim.api.nvim_del_autocmd(id)
      assert.equal(chat.bufnr, created)
    end
    local own = codecompanion.module.buf_get_chat(chat.bufnr)
    assert.equal(chat.real or chat, own)
    own:add_callback("on_tool_output", function(its, args)
      local tool = its.tool_orchestrator.tool
      note("output", args.tool, args.for_llm, tostring(args.for_user), tool.name, tool.function_call.id)
      local properties = tool.schema["function"].parameters.properties
      note("args", tool.args.start_line, next(properties) ~= nil and "schema" or "")
      if args.for_llm == "raise" then error "raised" end
      args.for_llm = args.for_llm:upper()
    end)
    for _, event in ipairs { "on_submitted", "on_closed" } do
      own:add_callback(event, function(its)
        note(event, its == own and "its chat" or "?")
      end)
    end
    local function printed(for_llm, for_user)
      return function()
        return for_llm, for_user
      end
    end
    chat:execute {
      { id = "1", name = "read_file", args = { start_line = 3 }, prints = { printed "a", printed("b", "for b") } },
      { id = "2", name = "other", args = { start_line = 0 }, prints = { printed("c", ""), printed "raise" } },
    }
    assert.is_nil(own.tool_orchestrator)
    assert.same({ "A\n\nB", "C\n\nraise" }, { chat.messages[1].content, chat.messages[2].content })
    assert.same({ "A", "for b", "raise" }, chat.buffer)
    assert.equal(1, #codecompanion.errors)
    chat:submit()
    chat:close()
    codecompanion:remove()
    assert.same({
      "setup {}",
      "output read_file a nil read_file 1",
      "args 3 schema",
      "output read_file b for b read_file 1",
      "args 3 schema",
      "output other c  other 2",
      "args 0 schema",
      "output other raise nil other 2",
      "args 0 schema",
      "on_submitted its chat",
      "on_closed its chat",
    }, trace)
  end)
end)

describe("CodeCompanion: what a request carries", function()
  each("codecompanion", function(driver)
    local codecompanion = driver.install "current"
    codecompanion.module.setup {}
    local chat, given = codecompanion:chat(1000)
    local own = codecompanion.module.buf_get_chat(chat.bufnr)
    assert.equal(1000, own.adapter.model.meta.context_window)
    own:add_callback("on_submitted", function(_, args)
      given = args.payload.messages
      local replaced = {}
      for i, message in ipairs(given) do
        replaced[i] = message
        if message.role == "tool" then
          replaced[i] = {}
          for key, value in pairs(message) do
            replaced[i][key] = value
          end
          replaced[i].content = "replaced"
        end
      end
      args.payload.messages = replaced
    end)
    chat:ask "go"
    local function prints()
      return "printed"
    end
    chat:reply("so", { { id = "a", name = "look", args = { at = 1 }, prints = { prints } } })
    chat:submit()
    assert.same({
      { role = "user", content = "go", calls = 0 },
      { role = "assistant", content = "so", calls = 0 },
      { role = "assistant", calls = 1 },
      { role = "tool", content = "replaced", calls = 0, id = "a" },
    }, chat.sent)
    local call = given[#given - 1].tools.calls[1]
    assert.same({ "a", "look", '{"at":1}' }, { call.id, call["function"].name, call["function"].arguments })
    assert.same({ "a", "printed" }, { given[#given].tools.call_id, given[#given].content })
    assert.equal("printed", own.messages[#own.messages].content)
    assert.equal("llm", own.messages[#own.messages - 1].role)
    codecompanion:remove()
  end)
end)

describe("avante.nvim: how a tool is run", function()
  each("avante", function(driver)
    local chat, seen = driver.new(), {}
    local function tool(name, func)
      return { name = name, func = func }
    end
    local custom = {
      tool("returns", function(input, given)
        seen.given = given
        return input.result, input.failure
      end),
      tool("completes", function(input, given)
        given.on_complete(input.result, input.failure)
      end),
      tool("returns", error), -- the first of a name counts
    }
    assert.equal("text", chat.use("returns", { result = "text" }, custom).content)
    for _, name in ipairs { "on_complete", "on_log" } do
      assert.equal("function", type(seen.given[name]), name)
    end
    assert.equal("1", seen.given.tool_use_id)
    assert.equal("table", type(seen.given.session_ctx))
    assert.equal('["a"]', chat.use("completes", { result = { "a" } }, custom).content)
    assert.equal('["a"]', chat.use("ls", { entries = { "a" } }).content)
    assert.same(
      { content = "why", is_error = true, is_user_declined = false },
      chat.use("completes", { result = "lost", failure = "why" }, custom)
    )
    local failed = chat.use("bash", { output = "printed", code = 2 })
    assert.same({ "Error: printed; Error code: 2", true }, { failed.content, failed.is_error })
    assert.is_true(chat.use("bash", { declined = "no" }).is_user_declined)
    assert.equal("a\nb", chat.use("read_global_file", { content = "a\nb" }).content)
    assert.equal('This tool is not provided: "missing"', chat.use("missing", {}).content)
    assert.is_nil(chat.use("returns", {}, custom)) -- it goes on by itself
    chat.helpers.is_cancelled = true
    assert.same({ cancelled = true }, chat.use("returns", { result = "text" }, custom))
    chat.helpers.is_cancelled = false
  end)
end)

describe("mcphub.nvim: what a hub gives", function()
  each("mcphub", function(driver)
    local before, callers = driver.servers, {}
    driver.servers = {
      s = {
        mixed = function()
          local resource = { uri = "file:///x", text = "inside" }
          return {
            content = {
              { type = "text", text = "one" },
              { type = "image", data = "AA", mimeType = "image/png" },
              { type = "resource", resource = resource },
            },
          }
        end,
        fails = function(args)
          return { content = { { type = "text", text = args.text } }, isError = true }
        end,
        resources = function(uri)
          return { contents = { { uri = uri, text = "read" }, { uri = uri, blob = "QUI=" } } }
        end,
      },
    }
    local hub
    driver.setup {
      on_ready = function(own)
        hub = own
      end,
    }
    local call_tool = hub.call_tool
    function hub.call_tool(self, server, tool, args, opts)
      callers[#callers + 1] = opts.caller and opts.caller.type
      return call_tool(self, server, tool, args, opts)
    end
    local parsed = hub:call_tool("s", "mixed", {}, { parse_response = true })
    assert.equal("one\nResource file:///x:\ninside", parsed.text)
    assert.same({ { data = "AA", mimeType = "image/png" } }, parsed.images)
    assert.is_nil(parsed.error)
    parsed = hub:call_tool("s", "fails", { text = "why" }, { parse_response = true })
    assert.same({ "The tool run failed with error.\nwhy", "why" }, { parsed.text, parsed.error })
    assert.equal("one", hub:call_tool("s", "mixed", {}, {}).result.content[1].text)
    assert.same({ nil, "Tool not found: x" }, { hub:call_tool("s", "x", {}, {}) })
    local got
    hub:access_resource("s", "file:///r", {
      parse_response = true,
      callback = function(...)
        got = { n = select("#", ...), ... }
      end,
    })
    assert.is_nil(got) -- later
    hub:pump()
    local binary = "Resource file:///r: <Binary data of type application/octet-stream>"
    assert.equal("Resource file:///r:\nread\n\n" .. binary, got[1].text)
    assert.equal(1, #got[1].blobs)
    assert.equal("one\nResource file:///x:\ninside", (driver.avante("s", "mixed", {})))
    assert.same({ nil, "why" }, { driver.avante("s", "fails", { text = "why" }) })
    local answer = driver.codecompanion("s", "mixed", {})
    assert.same({ "success", "one\nResource file:///x:\ninside" }, { answer.status, answer.data.text })
    assert.same({ status = "error", data = "why" }, driver.codecompanion("s", "fails", { text = "why" }))
    assert.same({ "avante", "avante", "codecompanion", "codecompanion" }, callers)
    driver.servers = before
  end)
end)

describe("flemma.nvim: how it truncates", function()
  local standin = require "support.standins.flemma"

  each("flemma", function(driver)
    local names = { "MAX_BYTES", "MAX_LINES", "MAX_LINE_CHARS" }
    for _, name in ipairs { "format_size", "truncate_head", "truncate_line", "truncate_tail" } do
      names[#names + 1] = name
    end
    assert.same(names, keys(driver.original))
    for case = 1, random.some(400) do
      random.start(case)
      local text = random.join({ "a", "bc", "é", "😀", "\n", "\n\n", ("x"):rep(30) }, random.below(40))
      local opts = { max_lines = random.between(1, 12), max_bytes = random.between(1, 120) }
      local where = ("seed %d, case %d"):format(random.seed, case)
      for _, name in ipairs { "truncate_head", "truncate_tail" } do
        assert.same(standin.original[name](text, opts), driver.original[name](text, opts), where)
      end
      local most, line = random.between(16, 100), text:gsub("\n", " ")
      assert.same(standin.original.truncate_line(line, most), driver.original.truncate_line(line, most), where)
    end
    for _, size in ipairs { 0, 12, 1023, 1024, 1536, 51200, 5e6 } do
      assert.equal(standin.original.format_size(size), driver.original.format_size(size))
    end
  end)
end)

describe("CopilotChat.nvim: how a function is run", function()
  each("copilotchat", function(driver)
    local seen
    local chat = driver.new {
      functions = {
        returns = {
          resolve = function(input, source)
            seen = source
            return input.output
          end,
        },
        raises = {
          resolve = function(input)
            error(input.why, input.level)
          end,
        },
      },
    }
    assert.equal("out\n", chat.use("bash", { command = "echo out; echo err >&2; exit 3" }))
    assert.equal("text", chat.use("returns", { output = "text" }))
    assert.equal("function", type(seen.cwd))
    assert.equal(
      "a\nfile://b\nc",
      chat.use("returns", { output = { { data = "a" }, { uri = "file://b" }, { data = "c" } } })
    )
    assert.equal("", chat.use("returns", { output = {} }))
    assert.equal("why", chat.use("raises", { why = "why", level = 1 }))
    assert.equal("why", chat.use("raises", { why = "a.lua:1: b.lua:22: why", level = 0 }))
    local config = chat.module.config.functions
    local bash = config.bash.resolve
    assert.equal(require("CopilotChat.config.functions").bash.resolve, bash)
    function config.bash.resolve() -- is what runs from now on
      return "ours"
    end
    assert.equal("ours", chat.use("bash", { command = "echo out" }))
    local ours = config.bash.resolve
    chat.module.setup { functions = { bash = { description = "new" } } }
    local bash_now = chat.module.config.functions.bash
    assert.not_equal(config.bash, bash_now)
    assert.same({ "new", ours }, { bash_now.description, bash_now.resolve })
  end)
end)

if not vim then return end

--- A tool of CodeCompanion that prints a text.
local function printing_tool(name, text)
  local parameters = { type = "object", properties = vim.empty_dict() }
  return {
    name = name,
    cmds = {
      function()
        return { status = "success", data = text }
      end,
    },
    schema = {
      type = "function",
      ["function"] = { name = name, description = "prints", parameters = parameters },
    },
    output = {
      success = function(self, data, meta)
        meta.tools.chat:add_tool_output(self, data[#data])
      end,
    },
  }
end

describe("the plugins themselves", function()
  local folder = plugins.folder()
  if not folder then return pending "ABRIDGE_PLUGINS names no checkouts" end

  it("are what runs", function()
    local function source(f)
      return debug.getinfo(f, "S").source
    end
    plugins.real "codecompanion"
    for _, name in ipairs { "avante", "mcphub", "flemma", "copilotchat" } do
      plugins.real(name)
    end
    for repository, f in pairs {
      ["codecompanion.nvim"] = require("codecompanion").chat,
      ["avante.nvim"] = require("avante.llm_tools").process_tool_use,
      ["mcphub.nvim"] = require("mcphub.hub").call_tool,
      ["flemma.nvim"] = require("support.plugins.flemma").original.truncate_head,
      ["CopilotChat.nvim"] = require("CopilotChat").setup,
    } do
      assert.truthy(source(f):find("@" .. folder .. "/" .. repository .. "/", 1, true), source(f))
    end
  end)

  --- CodeCompanion with a tool that prints a text, and a model on the loopback.
  local function setup_codecompanion(model, text, run_dir)
    local tool = printing_tool("big_output", text)
    local function loopback()
      return require("codecompanion.adapters").extend("openai_compatible", {
        name = "loopback",
        opts = { stream = false },
        env = { url = model.url(""):gsub("/$", ""), api_key = "none" },
        schema = { model = { default = "scripted" } },
      })
    end
    local function given()
      return tool
    end
    local tools = { big_output = { callback = given } }
    tools.opts = { default_tools = { "big_output" }, auto_submit_success = true }
    require("codecompanion").setup {
      adapters = { http = { loopback = loopback } },
      interactions = { chat = { adapter = "loopback", tools = tools } },
      extensions = { abridge = { opts = { run_dir = run_dir } } },
    }
  end

  it("give a model 588 KB of a CodeCompanion tool within its limits, with notice and file", function()
    plugins.real "codecompanion"
    local text, result = lines(60000):sub(1, 588 * 1024), nil
    local model = require("support.model_server").new(function()
      result = coroutine.yield { { name = "big_output", input = {} } }
      return "done"
    end)
    local dir = tmpdir.new()
    setup_codecompanion(model, text, dir:at "run")
    local http, curl = require("codecompanion.http").static.methods, require "plenary.curl"
    local before = { http.post.default, http.get.default }
    http.post.default, http.get.default = curl.post, curl.get
    local codecompanion = require "codecompanion"
    local chat = codecompanion.chat { messages = { { role = "user", content = "go" } }, auto_submit = true }
    assert.is_true(vim.wait(30000, function()
      return #model.requests == 2 and chat.current_request == nil
    end))
    http.post.default, http.get.default = before[1], before[2]
    assert.is_nil(model.failed)
    assert.is_true(#result.content <= 30 * 1024)
    local said = "^line 1\n.*\n\n%[Showing 2000 of %d+ lines %(2000 line limit%)%. Full output: (/.*)%]$"
    assert.equal(text, (paths.read(result.content:match(said))))
    assert.is_true(model.requests[2].bytes < 64 * 1024)
    codecompanion.extensions.abridge.session:close()
    chat:close()
    model.close()
    pcall(vim.api.nvim_del_augroup_by_name, "abridge.codecompanion")
    dir:remove()
  end)

  --- CopilotChat with a model on the loopback, whose calls it makes without asking.
  local function setup_copilotchat(model)
    local chat = require("support.plugins").real("copilotchat").new {}
    local own = require("CopilotChat.config.providers").copilot
    local provider = { prepare_input = own.prepare_input, prepare_output = own.prepare_output }
    function provider.get_headers()
      return { ["Content-Type"] = "application/json" }
    end
    function provider.get_url()
      return model.url "/v1/chat/completions"
    end
    function provider.get_models()
      return { { id = "scripted", name = "scripted", tools = true, streaming = false } }
    end
    chat.module.setup {
      providers = { loopback = provider, copilot = { disabled = true }, github_models = { disabled = true } },
      model = "scripted",
      tools = "bash",
      trusted_tools = true,
    }
    return chat.module
  end

  it(
    "give a model a failing command of CopilotChat's within its limits, with its errors, from the editor's run",
    function()
      local results = {}
      local model = require("support.model_server").new(function()
        local command = "seq -f 'compiling file %g' 60000; echo 'main.c:3:5: error: expected ;' >&2; exit 2"
        results[1] = coroutine.yield { { name = "bash", input = { command = command } } }
        return "done"
      end)
      local dir = tmpdir.new()
      local nvim = require "abridge.nvim"
      nvim.setup { session = { run_dir = dir:at "run" } }
      local module = setup_copilotchat(model)
      local undo = require("abridge.copilotchat").attach(module)
      module.ask "go"
      assert.is_true(vim.wait(30000, function()
        local said = module.chat:get_message "assistant"
        return said ~= nil and said.content:find "done" ~= nil or model.failed ~= nil
      end))
      assert.is_nil(model.failed)
      local content = results[1].content
      assert.is_true(#content <= 30 * 1024 + 2) -- the chat's newlines around it
      assert.truthy(content:find("\nmain.c:3:5: error: expected ;\n\nCommand exited with code 2\n\n[Showing ", 1, true))
      local kept = paths.read(content:match "Full output: (/[^%]]+)%]%s*$")
      assert.matches("^compiling file 1\n.*compiling file 60000\nmain.c:3:5: error: expected ;\n\nCommand exited", kept)
      local calls = nvim.session():events { type = "tool_result" }
      assert.same({ 1, "bash" }, { #calls, calls[1].tool })
      undo()
      module.stop()
      module.close()
      model.close()
      nvim.session():close()
      nvim.setup { session = { run_dir = false } }
      dir:remove()
    end
  )
end)

describe("a picker that takes over vim.ui.select", function()
  local mini_pick = plugins.checkout "mini.pick"
  if not mini_pick then return pending "ABRIDGE_PLUGINS names no checkouts" end

  it("shows :Abridge pick, and opens the call that is chosen there", function()
    local dir = tmpdir.new()
    local ui = require("support.nvim_ui").start { columns = 80, rows = 24, env = { XDG_STATE_HOME = dir:at "state" } }
    ui:lua("vim.opt.runtimepath:append(...)", mini_pick)
    ui:lua "vim.cmd 'runtime plugin/abridge.lua'; require('mini.pick').setup(); vim.ui.select = MiniPick.ui_select"
    for _, command in ipairs { "seq 3; exit 2", "echo two" } do
      ui:input((":Abridge run %s<CR>"):format(command))
      ui:wait_for("$ " .. command)
      ui:wait_for(command:find "exit" and "exit 2" or "exit 0")
    end
    ui:input ":enew<CR>:Abridge pick<CR>"
    ui:wait_for "1  run_command  seq 3; exit 2" -- its list of items, and what was typed
    assert.is_true(ui:lua "return MiniPick.is_picker_active()")
    ui:input "seq"
    ui:wait_without "2  run_command  echo two"
    ui:input "<CR>"
    assert.is_true(vim.wait(20000, function()
      return ui:lua "return vim.bo.filetype" == "abridge-output"
    end, 20))
    assert.same({ "1", "2", "3" }, ui:lua "return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
    ui:stop()
    dir:remove()
  end)
end)

describe("Neovim's list of deprecated functions", function()
  --- What `:checkhealth NAME` says.
  local function health(name)
    vim.cmd("silent checkhealth " .. name)
    local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    vim.cmd "silent! bwipeout!"
    return report
  end

  it("names none of ours when commands and adapters have run", function()
    local dir = tmpdir.new()
    local session = require("abridge").session { run_dir = dir:at "run" }
    local nvim, done = require "abridge.nvim", false
    local buf = vim.api.nvim_create_buf(false, true)
    nvim.run(session, "run_command", { command = "seq 5000" }, {
      buf = buf,
      on_done = function()
        done = true
      end,
    })
    assert.is_true(vim.wait(20000, function()
      return done
    end))
    nvim.render(buf, session:cap("tool", lines(5000)), { row = 0, max_lines = 5 })
    vim.cmd "silent! runtime plugin/abridge.lua"
    vim.api.nvim_buf_delete(nvim.log(dir:at "run"), { force = true })
    session:close()
    local codecompanion = plugins.driver("codecompanion").install "current"
    codecompanion.module.setup { extensions = { abridge = { opts = { run_dir = false } } } }
    codecompanion:chat():call("tool", {}, lines(5000))
    codecompanion:remove()
    local path = vim.o.runtimepath
    vim.opt.runtimepath:prepend(tmpdir.root())
    assert.matches("abridge: Neovim", health "abridge")
    vim.o.runtimepath = path
    local report = health "vim.deprecated"
    assert.matches("vim%.deprecated:", report)
    assert.is_nil(report:find("lua/abridge/", 1, true), report)
    assert.is_nil(report:find("_extensions/abridge", 1, true), report)
    dir:remove()
  end)
end)
