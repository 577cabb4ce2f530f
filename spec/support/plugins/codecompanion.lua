--- CodeCompanion itself, driven as its stand-in is: its own chats, orchestrator and callbacks, and tools that print
--- what a spec says. No request leaves: chats ask nobody. Earlier releases are left to the stand-in.

local paths = require "support.paths"
local standin = require "support.standins.codecompanion"

local M = { prints = standin.prints }

local vim = rawget(_G, "vim")

--- Run what was deferred to the editor's loop.
local function settle()
  local done = false
  vim.schedule(function()
    done = true
  end)
  assert(vim.wait(10000, function()
    return done
  end))
end

local last_body, window

--- An answer that never comes: chats that are submitted wait for it.
local function unanswered(request)
  if request.body then last_body = vim.json.decode(assert(paths.read(request.body))) end
  return { args = {}, shutdown = function() end }
end

local function adapter()
  return require("codecompanion.adapters").extend("openai_compatible", {
    name = "nobody",
    opts = { stream = false },
    env = { url = "http://127.0.0.1:9", api_key = "none" },
    schema = { model = { default = "none", choices = { none = { meta = { context_window = window } } } } },
  })
end

--- A tool that does `print` under its name: what it prints goes through the chat's own callbacks.
local function tool_of(call)
  local cmds = {}
  for i, texts in
    ipairs(call.prints or {
      function()
        return call.rejected
      end,
    })
  do
    cmds[i] = function()
      return { status = "success", data = texts }
    end
  end
  return {
    name = call.name,
    cmds = cmds,
    schema = standin.schema_of(call.name, "current"),
    output = {
      success = function(self, data, meta)
        meta.tools.chat:add_tool_output(self, data[#data]())
      end,
    },
  }
end

-- chats -----------------------------------------------------------------------------------

local Chat = {}

local function request_of(call)
  local arguments = vim.json.encode(call.args or vim.empty_dict())
  return { id = call.id, type = "function", ["function"] = { name = call.name, arguments = arguments } }
end

--- Run the calls of one response through the orchestrator.
function Chat:execute(calls)
  local config, requests, tools = require("codecompanion.config").interactions.chat.tools, {}, {}
  for i, call in ipairs(calls) do
    tools[i] = tool_of(call)
    config[call.name] = {
      callback = function()
        return table.remove(tools, 1)
      end,
    } -- asked in the order of the calls
    requests[i] = request_of(call)
  end
  local real, finished = self.real, false
  real.tools:refresh { adapter = real.adapter }
  local id = vim.api.nvim_create_autocmd("User", {
    pattern = "CodeCompanionToolsFinished",
    callback = function()
      finished = true
    end,
  })
  real.tools:execute(real, requests)
  assert(
    vim.wait(10000, function()
      return finished
    end),
    "the tools never end"
  )
  vim.api.nvim_del_autocmd(id)
  settle()
end

--- The call of a single tool whose texts are these.
function Chat:call(name, args, for_llm, for_user, id)
  self.calls = self.calls + 1
  local function prints()
    return for_llm, for_user
  end
  self:execute { { id = id or "own_" .. self.calls, name = name, args = args, prints = { prints } } }
  local messages = self.messages
  return messages[#messages].content, self.buffer[#self.buffer]
end

function Chat:ask(text)
  self.real:add_message { role = "user", content = text }
end

function Chat:reply(text, calls)
  local role, asked = require("codecompanion.config").constants.LLM_ROLE, {}
  for i, call in ipairs(calls) do
    asked[i] = request_of(call)
  end
  if text ~= "" then self.real:add_message { role = role, content = text } end
  if #asked > 0 then self.real:add_message { role = role, tool_calls = asked } end
  self:execute(calls)
end

function Chat:submit()
  self.real:submit { auto_submit = true }
  self.real.current_request = nil -- the answer never comes
  settle()
  local sent = {}
  for _, message in ipairs(last_body.messages) do
    if message.role ~= "system" then
      table.insert(sent, {
        role = message.role,
        content = message.content,
        calls = #(message.tool_calls or {}),
        id = message.tool_call_id,
      })
    end
  end
  rawset(self, "sent", sent)
end

local GET = {}

--- Messages of tools; those of the model alone are not looked at.
function GET.messages(self)
  return vim.tbl_filter(function(message)
    return message.role == "tool"
  end, self.real.messages)
end

--- A chat with the methods above; all else is the chat's own.
local function wrapped(real)
  local own = { real = real, buffer = {}, calls = 0 }
  local add = real.add_buf_message
  function real.add_buf_message(chat, message, opts)
    if opts and opts.type == chat.MESSAGE_TYPES.TOOL_MESSAGE then table.insert(own.buffer, message.content) end
    return add(chat, message, opts)
  end
  return setmetatable(own, {
    __index = function(self, key)
      if GET[key] then return GET[key](self) end
      if Chat[key] then return Chat[key] end
      local value = real[key]
      if type(value) ~= "function" then return value end
      return function(_, ...)
        return value(real, ...)
      end
    end,
    __newindex = function(_, key, value)
      real[key] = value
    end,
  })
end

-- the plugin ------------------------------------------------------------------------------

local Host = {}
Host.__index = Host

function Host:chat(tokens)
  window = tokens
  local real = self.real.chat { auto_submit = false }
  settle()
  return wrapped(real)
end

--- Options beside those of a spec: nothing is asked of a model, nor submitted by itself.
local function options(opts)
  return vim.tbl_deep_extend("force", {
    adapters = { http = { nobody = adapter } },
    interactions = {
      chat = { adapter = "nobody", tools = { opts = { auto_submit_errors = false, auto_submit_success = false } } },
    },
  }, opts)
end

---@param release? "first"|"19"|"current"
function M.install(release)
  if release and release ~= "current" then return standin.install(release) end
  require "abridge.process"
  settle() -- what others still have to say is not heard here
  local self = setmetatable({ release = "current", errors = {}, notified = {} }, Host)
  self.before = { notify = vim.notify, schedule = vim.schedule }
  vim.notify = function(message, level)
    if tostring(message):find "^abridge" then table.insert(self.notified, { message = message, level = level }) end
  end
  local real = require "codecompanion"
  local methods, log = require("codecompanion.http").static.methods, require "codecompanion.utils.log"
  methods.post.default, methods.get.default = unanswered, unanswered
  self.log_error, self.real = log.error, real
  function log.error(_, ...)
    table.insert(self.errors, table.concat(vim.tbl_map(tostring, { ... }), " "))
  end
  self.module = setmetatable({
    setup = function(opts)
      real.setup(options(opts))
      settle()
    end,
  }, {
    __index = real,
    __newindex = function(_, key, value)
      self.replaced = { key = key, value = real[key] }
      real[key] = value
    end,
  })
  package.loaded.codecompanion = self.module
  return self
end

function Host:remove()
  settle()
  if self.replaced then self.real[self.replaced.key] = self.replaced.value end
  require("codecompanion.utils.log").error = self.log_error
  vim.notify, vim.schedule = self.before.notify, self.before.schedule
  pcall(vim.api.nvim_del_augroup_by_name, "abridge.codecompanion")
  require("codecompanion._extensions")._exports.abridge = nil
  package.loaded.codecompanion = self.real
  package.loaded["codecompanion._extensions.abridge"] = nil
  vim.cmd "silent! %bwipeout!"
end

return M
