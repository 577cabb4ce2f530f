--- The CodeCompanion extension: the output of its tools is cut by the limits of a session before a model gets it.
---
--- Follows CodeCompanion from v19 on, where a chat dispatches `on_tool_output` (since March 2026): a callback gets the
--- chat and { tool = name, for_llm = text, for_user = text|nil } and changes that table in place. The chat shows
--- `for_llm` if `for_user` is nil and nothing if it is "", and joins the outputs of one call by a blank line. The table
--- does not name the call: it is that of the running tool, `chat.tool_orchestrator.tool`, in earlier releases
--- `chat.tools.tool`. The first releases with the hook leave `tool` nil.

local adapter = require "abridge.hosts.adapter"
local tell = require "abridge.hosts.tell"
local history = require "codecompanion._extensions.abridge.history"

local M = { exports = {} }

local ALIASES = { cmd_runner = "run_command" } -- the tool's former name

--- The running tool; nil if the chat does not say, or if the output is another tool's.
local function running(chat, name)
  local tool = (chat.tool_orchestrator or chat.tools).tool
  return (name == nil or tool.name == name) and tool or nil
end

--- Which lines of its file a call of read_file shows, and how to read on. Lines count from 0, which the parameters'
--- names said before they were `start_line` and `end_line`.
local function page_of(tool)
  local from, to = "start_line", "end_line"
  if not tool.schema["function"].parameters.properties[from] then
    from, to = "start_line_number_base_zero", "end_line_number_base_zero"
  end
  local first, last = tonumber(tool.args[from]) or 0, tonumber(tool.args[to]) or -1
  local is_part = first > 0 or last >= 0
  return {
    resume = ("Use %s={next0} to continue"):format(from),
    first_line = is_part and math.max(first, 0) + 1 or nil,
  }
end

--- What a function returns, nil if it raises: it reads the host's tables.
local function tried(f, ...)
  local ok, value = pcall(f, ...)
  return ok and value or nil
end

--- Cut one output in place.
local function on_tool_output(cutter, chat, args)
  local tool = tried(running, chat, args.tool)
  local name = args.tool or tool and tool.name
  if type(name) ~= "string" then name = "tool" end
  local how = name == "read_file" and tried(page_of, tool) or {}
  local reads = tried(history.field, chat, "tool_registry", "in_use", "read_file")
  how.tool_names = { read = reads and "read_file" or nil } -- `grep_search` finds no file outside the project
  args.for_llm, args.for_user = cutter:cut {
    tool = name,
    text = args.for_llm,
    shown = args.for_user,
    owner = chat,
    call = tried(history.field, tool, "function_call", "id"),
    how = how,
  }
end

--- Cut the output of a chat's tools, and fit what it sends, from now on.
---@param cutter abridge.Adapter
---@param chat table a chat of CodeCompanion
---@private
function M.attach(cutter, chat)
  chat:add_callback("on_tool_output", function(own_chat, args)
    pcall(on_tool_output, cutter, own_chat, args)
  end)
  for _, event in ipairs { "on_submitted", "on_closed" } do -- no call prints more after these
    chat:add_callback(event, function(own_chat, args)
      cutter:forget(own_chat)
      if args and args.payload then history.fit(cutter, own_chat, args.payload) end
    end)
  end
end

--- Called by CodeCompanion with `extensions.abridge.opts`.
---@param opts? abridge.CodeCompanionOptions
function M.setup(opts)
  local cutter = adapter.new("codecompanion", opts, tell.notify, ALIASES, { history = history.option })
  M.exports.session = cutter.session
  vim.api.nvim_create_autocmd("User", {
    group = vim.api.nvim_create_augroup("abridge.codecompanion", { clear = true }),
    pattern = "CodeCompanionChatCreated",
    callback = function(event)
      local ok, why = pcall(function()
        M.attach(cutter, require("codecompanion").buf_get_chat(event.data.bufnr))
      end)
      if not ok then tell.notify("this chat's tools are not bounded: " .. tostring(why)) end
    end,
  })
end

return M
