--- avante.nvim itself, driven as its stand-in is: its own tools and the function that runs them. A spec says what a
--- command printed and what a file holds; no shell is started and no question asked. Tools of positional arguments are
--- left to the stand-in.

local merge = require "support.merge"
local standin = require "support.standins.avante"

local M = {}

local vim = rawget(_G, "vim")

--- Run what was deferred to the editor's loop, and what that defers.
local function settle()
  for _ = 1, 5 do
    local done = false
    vim.schedule(function()
      done = true
    end)
    assert(vim.wait(10000, function()
      return done
    end))
  end
end

--- The tools' arguments from what a spec says they find, put where avante looks.
local ARGUMENTS = {}

function ARGUMENTS.bash(input)
  require("avante.utils").shell_run_async = function(_, _, on_complete)
    vim.schedule(function()
      on_complete(input.output, input.code)
    end)
  end
  require("avante.llm_tools.helpers").confirm = function(_, callback)
    vim.schedule(function()
      callback(not input.declined, input.declined)
    end)
  end
  return { path = ".", command = "make" }
end

function ARGUMENTS.read_global_file(input)
  local path = vim.fn.tempname()
  vim.fn.writefile(vim.split(input.content, "\n"), path, "b")
  return { abs_path = path }
end

function ARGUMENTS.ls(input)
  require("avante.utils").scan_directory = function()
    return input.entries
  end
  return { path = "." }
end

--- A module "avante.llm_tools", as a copy that can be changed, and the loop of a chat around it (avante.llm).
function M.new(opts)
  if opts and opts.positional then return standin.new(opts) end
  local real, helpers = require "avante.llm_tools", require "avante.llm_tools.helpers"
  helpers.is_cancelled = false
  local chat = { helpers = helpers, llm_tools = {}, logs = {} }
  merge(chat.llm_tools, real)

  --- One tool use by the model: the message its result becomes.
  function chat.use(name, input, custom_tools)
    local tools = vim.list_extend(vim.list_extend({}, real._tools), custom_tools or {})
    local message
    local function handle(result, failure)
      if failure == helpers.CANCEL_TOKEN then
        message = { cancelled = true }
        return
      end
      message = {
        content = failure ~= nil and failure or result,
        is_error = failure ~= nil,
        is_user_declined = (failure and failure:match "^User declined") ~= nil,
      }
    end
    local arguments = ARGUMENTS[name] and ARGUMENTS[name](input) or input
    local given = { session_ctx = {}, on_complete = handle, tool_use_id = "1" }
    function given.on_log(_, _, text)
      chat.logs[#chat.logs + 1] = text
    end
    local tool_use = { id = "1", name = name, input = arguments }
    local result, failure = chat.llm_tools.process_tool_use(tools, tool_use, given)
    if result ~= nil or failure ~= nil then handle(result, failure) end
    settle()
    return message
  end

  return chat
end

require("avante.config").setup {}
require("avante.llm_tools.helpers").has_permission_to_access = function()
  return true
end

return M
