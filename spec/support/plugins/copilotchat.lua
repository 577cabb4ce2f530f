--- CopilotChat.nvim itself, driven as its stand-in is: its own functions and what runs them, in a coroutine of plenary.

local M = {}

local vim = rawget(_G, "vim")

--- The module "CopilotChat", loaded anew, after `setup`, and a chat that calls its functions.
---@param config table
function M.new(config)
  for name in pairs(package.loaded) do
    if name == "CopilotChat" or name:find "^CopilotChat%." then package.loaded[name] = nil end
  end
  local module = require "CopilotChat"
  module.setup(config)
  local prompts, async = require "CopilotChat.prompts", require "plenary.async"
  local chat = { module = module }

  --- What a model gets of a call.
  function chat.use(name, input)
    local text
    async.run(function()
      local ok, output = prompts.execute_tool_call(name, input, module.config, { cwd = vim.fn.getcwd })
      text = prompts.format_tool_output(ok, output)
    end)
    assert(vim.wait(20000, function()
      return text ~= nil
    end))
    return text
  end

  return chat
end

return M
