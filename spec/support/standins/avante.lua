--- Stands in for avante.nvim (yetone/avante.nvim of August 2026): how `llm_tools/init.lua` runs a tool and
--- `llm.lua` turns its results into messages. With `positional = true` as it was before tools took a table of
--- options (yetone/avante.nvim at commit 0113f62).

local json = require("abridge.base.host").json()

local M = {}

--- A module "avante.llm_tools" and the loop of a chat around it.
function M.new(opts)
  opts = opts or {}
  local llm_tools, helpers = {}, { is_cancelled = false, CANCEL_TOKEN = "__CANCELLED__" }
  local later = {} -- what the editor's loop will run
  local chat = { helpers = helpers, logs = {} }

  local function schedule(f)
    later[#later + 1] = f
  end
  chat.schedule = schedule

  --- Its own tools, found by name in the module where they have no `func`.
  llm_tools._tools = {
    setmetatable({
      name = "bash",
      func = function(input, ...)
        local given = ...
        local on_complete = opts.positional and select(2, ...) or given.on_complete
        if not on_complete then return false, "on_complete not provided" end
        schedule(function()
          if input.declined then return on_complete(false, "User declined, reason: " .. input.declined) end
          if input.code == 0 then return on_complete(input.output, nil) end
          on_complete(false, "Error: " .. input.output .. "; Error code: " .. tostring(input.code))
        end)
      end,
    }, {
      __call = function(self, ...)
        return self.func(...)
      end,
    }),
    { name = "read_global_file" },
    {
      name = "ls",
      func = function(input)
        return input.entries, nil -- a table: what runs the tool encodes it
      end,
    },
  }

  function llm_tools.read_global_file(input)
    if not input.content then return "", "file not found: " .. input.abs_path end
    return input.content, nil
  end

  local function run(tools, tool_use, on_log, on_complete, call)
    if helpers.is_cancelled then
      if on_complete then return on_complete(nil, helpers.CANCEL_TOKEN) end
      return nil, helpers.CANCEL_TOKEN
    end
    local tool
    for _, candidate in ipairs(tools) do
      if candidate.name == tool_use.name then tool = tool or candidate end
    end
    if not tool then return nil, ('This tool is not provided: "%s"'):format(tool_use.name) end
    local func = tool.func or llm_tools[tool.name]
    if not func then return nil, "Tool not found: " .. tool_use.name end

    local function handled(result, failure)
      if helpers.is_cancelled then return nil, helpers.CANCEL_TOKEN end
      if on_log then on_log(tool_use.id, tool_use.name, failure ~= nil and "Error: " .. failure or "tool finished") end
      local text
      if type(result) == "string" then
        text = result
      elseif result ~= nil then
        text = json.encode(result)
      end
      return text, failure
    end

    local result, failure = call(func, function(log)
      if on_log then on_log(tool_use.id, tool_use.name, log) end
    end, function(result, failure)
      if helpers.is_cancelled then
        helpers.is_cancelled = false
        if on_complete then on_complete(nil, helpers.CANCEL_TOKEN) end
        return
      end
      result, failure = handled(result, failure)
      if on_complete then on_complete(result, failure) end
    end)
    if result == nil and failure == nil and on_complete then return end -- it goes on by itself
    return handled(result, failure)
  end

  if opts.positional then
    function llm_tools.process_tool_use(tools, tool_use, on_log, on_complete, session_ctx)
      return run(tools, tool_use, on_log, on_complete, function(func, log, complete)
        return func(tool_use.input, log, complete, session_ctx)
      end)
    end
  else
    function llm_tools.process_tool_use(tools, tool_use, given)
      return run(tools, tool_use, given.on_log, given.on_complete, function(func, log, complete)
        return func(tool_use.input, {
          session_ctx = given.session_ctx or {},
          on_log = log,
          on_complete = complete,
          set_store = function() end,
          streaming = given.streaming,
          tool_use_id = given.tool_use_id,
        })
      end)
    end
  end

  --- One tool use by the model: the message its result becomes.
  function chat.use(name, input, custom_tools)
    local tools = {}
    for _, list in ipairs { llm_tools._tools, custom_tools or {} } do
      for _, tool in ipairs(list) do
        tools[#tools + 1] = tool
      end
    end
    local message
    local function handle(result, failure)
      if failure == helpers.CANCEL_TOKEN then
        message = { cancelled = true }
        return
      end
      local declined = failure and failure:match "^User declined" or nil
      message = {
        content = failure ~= nil and failure or result,
        is_error = failure ~= nil,
        is_user_declined = declined ~= nil,
      }
    end
    local function on_log(_, _, text)
      chat.logs[#chat.logs + 1] = text
    end
    local tool_use = { id = "1", name = name, input = input }
    local result, failure
    if opts.positional then
      result, failure = llm_tools.process_tool_use(tools, tool_use, on_log, handle, {})
    else
      local given = { session_ctx = {}, on_log = on_log, on_complete = handle, tool_use_id = "1" }
      result, failure = llm_tools.process_tool_use(tools, tool_use, given)
    end
    if result ~= nil or failure ~= nil then handle(result, failure) end
    while #later > 0 do
      table.remove(later, 1)()
    end
    return message
  end

  chat.llm_tools = llm_tools
  return chat
end

return M
