--- CodeCompanion as an extension meets it: how it loads one, its chats with their callbacks, its queue of tools and
--- what its tools print. Written to behave like olimorris/codecompanion.nvim of autumn 2026; `release` makes it behave
--- like earlier ones:
---   "first"   the first with `on_tool_output`: the callback is not told the tool, read_file has long parameter names
---   "19"      the tool is told; the running tool is `chat.tools.tool` alone
---   "current" the orchestrator of a chat is `chat.tool_orchestrator` while tools run

local host = require "abridge.base.host"

local M = {}

-- the editor --------------------------------------------------------------------------

--- Does this Neovim hand data to autocommands? CodeCompanion needs one that does; 0.7 does not.
local function hands_data()
  local id = vim.api.nvim_create_autocmd("User", { pattern = "AbridgeStandin", callback = function() end })
  local ok = pcall(vim.api.nvim_exec_autocmds, "User", { pattern = "AbridgeStandin", data = {} })
  vim.api.nvim_del_autocmd(id)
  return ok
end

--- Put what the host needs of an editor in place: nothing but recorded messages where Neovim has the rest.
local function edit(self)
  local real = rawget(_G, "vim")
  local editor = real or { api = {}, log = { levels = { WARN = 3 } } }
  if not real then _G.vim = editor end -- luacheck: ignore
  local before = { notify = editor.notify, schedule = editor.schedule, api = editor.api }
  editor.notify = function(message, level)
    self.notified[#self.notified + 1] = { message = message, level = level }
  end
  editor.schedule = function(f)
    f()
  end
  if not real or not hands_data() then
    local callbacks = {}
    editor.api = setmetatable({
      nvim_create_augroup = function(name, opts)
        if opts.clear then callbacks[name] = {} end
        return name
      end,
      nvim_create_autocmd = function(event, opts)
        assert(event == "User" and type(opts.callback) == "function")
        table.insert(callbacks[opts.group], opts)
      end,
      nvim_exec_autocmds = function(_, opts)
        for _, group in pairs(callbacks) do
          for _, autocmd in ipairs(group) do
            if autocmd.pattern == opts.pattern then autocmd.callback { match = opts.pattern, data = opts.data } end
          end
        end
      end,
    }, { __index = before.api })
  end
  return function()
    if real then pcall(real.api.nvim_del_augroup_by_name, "abridge.codecompanion") end
    for key, value in pairs(before) do
      editor[key] = value
    end
    if not real then _G.vim = nil end -- luacheck: ignore
  end
end

-- what its tools print ------------------------------------------------------------------

--- Texts for the model and for the user of each tool, from its arguments and what it did.
M.prints = {
  read_file = function(args, text)
    local from = args.start_line or args.start_line_number_base_zero
    local to = args.end_line or args.end_line_number_base_zero
    local heading = args.start_line and "Read file `%s` from lines %d - %d:\n````%s\n%s\n````"
      or "Read file `%s` from line %d to %d:\n\n````%s\n%s\n````"
    local extension = args.filepath:match "%.(%w+)$" or ""
    return heading:format(args.filepath, from, to, extension, text), ("Read file `%s`"):format(args.filepath)
  end,
  run_command = function(args, text)
    return ("`%s`\n````\n%s\n````"):format(args.cmd, text)
  end,
  run_command_error = function(args, text)
    local around = "%s\n```txt\n%s\n```"
    return around:format(("There was an error running the `%s` command:"):format(args.cmd), text),
      around:format(("`%s` error"):format(args.cmd), text)
  end,
  grep_search = function(args, text)
    local said = ("Searched text for `%s`, %d results\n```\n%s\n```"):format(args.query, args.results, text)
    local note = "\n\nNOTE:\n- The output format is {filepath}:{line_number}.\n- For example:\n"
      .. "/Users/user/project/lua/codecompanion/interactions/chat/tools/init.lua:335\n"
      .. "Refers to line 335 of the init.lua file"
    return "<grepSearchTool>" .. said .. note .. "</grepSearchTool>", said
  end,
  file_search = function(args, text)
    local said = ("Searched files for `%s`, %d results\n```\n%s\n```"):format(args.query, args.results, text)
    return "<fileSearchTool>" .. said .. "</fileSearchTool>", said
  end,
  fetch_webpage = function(args, text)
    return ('<attachment url="%s">%s</attachment>'):format(args.url, text),
      ("Fetched content from `%s`"):format(args.url)
  end,
  get_changed_files = function(args, text)
    return ('<getChangedFiles type="%s">\n```diff\n%s\n```\n</getChangedFiles>'):format(args.state, text),
      "Reading changed files"
  end,
  mcp = function(args, text)
    return text, ("MCP: %s executed successfully:\n````\n%s\n````"):format(args.name, text)
  end,
}

--- Parameters of its tools, by release.
function M.schema_of(name, release)
  local properties = { filepath = {} }
  if name == "read_file" and release == "current" then
    properties.start_line, properties.end_line = {}, {}
  elseif name == "read_file" then
    properties.start_line_number_base_zero, properties.end_line_number_base_zero = {}, {}
  end
  local parameters = { type = "object", properties = properties }
  return { type = "function", ["function"] = { name = name, parameters = parameters } }
end

-- chats -----------------------------------------------------------------------------------

local Chat = {}
Chat.__index = Chat

function Chat:add_callback(event, callback)
  self.callbacks[event] = self.callbacks[event] or {}
  if type(callback) == "function" then table.insert(self.callbacks[event], callback) end
  return self
end

function Chat:dispatch(event, ...)
  for _, callback in ipairs(self.callbacks[event] or {}) do
    local ok, why = pcall(callback, self, ...)
    if not ok then table.insert(self.host.errors, why) end
  end
  return self
end

function Chat:add_buf_message(message)
  table.insert(self.buffer, message.content)
end

function Chat:add_tool_output(tool, for_llm, for_user)
  local tool_call = tool.function_call
  local args = { tool = tool.name, for_llm = for_llm, for_user = for_user }
  if self.host.release == "first" then args.tool = tool_call.name end -- it is in tool_call["function"]
  self:dispatch("on_tool_output", args)
  for_llm, for_user = args.for_llm, args.for_user
  local existing
  for _, message in ipairs(self.messages) do
    if message.tools and message.tools.call_id == tool_call.id then existing = message end
  end
  if existing then
    existing.content = existing.content ~= "" and existing.content .. "\n\n" .. for_llm or for_llm
  else
    table.insert(self.messages, { role = "tool", tools = { call_id = tool_call.id }, content = for_llm })
  end
  if for_user == "" then return end
  self:add_buf_message { content = for_user or for_llm }
end

--- Run the calls of one response, one tool after the other: { id =, name =, args =, prints = functions that return the
--- texts of its commands, printed one by one }, or `rejected` with the words of the user's refusal.
function Chat:execute(calls)
  local orchestrator = { queue = {} }
  if self.host.release == "current" then self.tool_orchestrator = orchestrator end
  for i, call in ipairs(calls) do
    orchestrator.queue[i] = {
      name = call.name,
      args = call.args or {},
      schema = M.schema_of(call.name, self.host.release),
      function_call = { id = call.id, type = "function", ["function"] = { name = call.name, arguments = "{}" } },
    }
    self.tools.tool = orchestrator.queue[i]
  end
  for i, call in ipairs(calls) do
    orchestrator.tool = orchestrator.queue[i]
    if call.rejected then
      self:add_tool_output(orchestrator.tool, call.rejected)
    else
      for _, print_output in ipairs(call.prints) do
        self.tools.tool = orchestrator.tool
        self:add_tool_output(orchestrator.tool, print_output())
      end
    end
  end
  self.tool_orchestrator = nil
  if self.host.release == "current" then self.tools.tool = nil end
end

--- The call of a single tool whose texts are these.
function Chat:call(name, args, for_llm, for_user, id)
  self.host.last_id = self.host.last_id + 1
  local function prints()
    return for_llm, for_user
  end
  self:execute { { id = id or "call_" .. self.host.last_id, name = name, args = args, prints = { prints } } }
  return self.messages[#self.messages].content, self.buffer[#self.buffer]
end

--- What the user writes.
function Chat:ask(text)
  table.insert(self.messages, { role = "user", content = text, _meta = {} })
end

--- A reply of the model: its text and its calls, which are run.
function Chat:reply(text, calls)
  local asked = {}
  for i, call in ipairs(calls) do
    local arguments = host.json().encode(call.args)
    asked[i] = { id = call.id, type = "function", ["function"] = { name = call.name, arguments = arguments } }
  end
  if text ~= "" then table.insert(self.messages, { role = "llm", content = text, _meta = {} }) end
  if #asked > 0 then table.insert(self.messages, { role = "llm", tools = { calls = asked }, _meta = {} }) end
  self:execute(calls)
end

--- Send all to the model. Callbacks are given copies of the messages, whose roles are those of the API. `sent` is what
--- went: of each message its role, content, number of calls, and the id of the call that it answers.
function Chat:submit()
  local copies = {}
  for i, message in ipairs(self.messages) do
    copies[i] = {}
    for key, value in pairs(message) do
      copies[i][key] = value
    end
    if message.role == "llm" then copies[i].role = "assistant" end
  end
  local payload = { messages = copies, tools = {} }
  self:dispatch("on_submitted", { payload = payload })
  local sent = {}
  for i, message in ipairs(payload.messages) do
    local tools = message.tools or {}
    sent[i] = { role = message.role, content = message.content, calls = #(tools.calls or {}), id = tools.call_id }
  end
  self.sent = sent
end

function Chat:close()
  self:dispatch "on_closed"
  self.host.chats[self.bufnr] = nil
end

-- the plugin ------------------------------------------------------------------------------

local Host = {}
Host.__index = Host

--- Load an extension, as `codecompanion._extensions` does.
local function load_extension(self, name, schema)
  local extension = schema.callback or require("codecompanion._extensions." .. name)
  assert(type(extension) == "table", "extension is not a table")
  assert(type(extension.setup) == "function", "extension does not have a setup function")
  extension.setup(schema.opts or {})
  if extension.exports then self.module.extensions[name] = extension.exports end
end

--- What `require("codecompanion").setup` does with extensions. Nothing that one raises is caught here.
function Host:setup(opts)
  for name, schema in pairs(opts.extensions or {}) do
    if schema.enabled ~= false then load_extension(self, name, schema) end
  end
end

--- Open a chat buffer, with a model of a context window of so many tokens.
function Host:chat(window)
  self.last_bufnr = self.last_bufnr + 1
  local chat = setmetatable({ host = self, bufnr = self.last_bufnr, callbacks = {}, messages = {}, buffer = {} }, Chat)
  chat.tools, chat.tool_registry = { tool = {} }, { in_use = {} }
  chat.adapter = { type = "http", opts = {}, model = { meta = { context_window = window } } }
  self.chats[chat.bufnr] = chat
  vim.api.nvim_exec_autocmds("User", {
    pattern = "CodeCompanionChatCreated",
    data = { bufnr = chat.bufnr, from_prompt_library = false, id = chat.bufnr },
  })
  return chat
end

--- Install the plugin; `remove` takes it away.
---@param release? "first"|"19"|"current"
function M.install(release)
  require "abridge.process" -- what asks for Neovim when it is loaded has to find the real one
  local self = { release = release or "current", chats = {}, errors = {}, notified = {}, last_bufnr = 0, last_id = 0 }
  setmetatable(self, Host)
  self.leave = edit(self)
  self.module = {
    extensions = {},
    setup = function(opts)
      self:setup(opts)
    end,
    buf_get_chat = function(bufnr)
      return self.chats[bufnr]
    end,
  }
  package.loaded.codecompanion = self.module
  return self
end

function Host:remove()
  package.loaded.codecompanion = nil
  package.loaded["codecompanion._extensions.abridge"] = nil
  self.leave()
end

return M
