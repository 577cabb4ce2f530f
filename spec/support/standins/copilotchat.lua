--- Stands in for CopilotChat.nvim (4.7.4, commit f0c2a23): the functions of `config/functions.lua`, how `prompts.lua`
--- runs one and makes text of what it gives, and how `setup` merges configurations. It knows no coroutines.

local shell = require "support.shell"

local M = {}

local function quoted(text)
  return "'" .. text:gsub("'", [['\'']]) .. "'"
end

local utils = {}

--- Run a program; a signal is told by its number.
function utils.system(argv, cwd)
  local words = {}
  for i, word in ipairs(argv) do
    words[i] = quoted(word)
  end
  local command = ("cd %s && %s 2>/dev/null"):format(quoted(cwd), table.concat(words, " "))
  local stdout, code = shell.try(command)
  local signal = code > 128 and code - 128 or 0
  return { stdout = stdout, stderr = "", code = signal > 0 and 0 or code, signal = signal }
end

function utils.schedule_main() end

--- The module "CopilotChat.config.functions".
local function own_functions()
  return {
    bash = {
      group = "copilot",
      description = "Executes a bash command and returns its output.",
      resolve = function(input, source)
        return { { data = utils.system({ "bash", "-c", input.command }, source.cwd()).stdout } }
      end,
    },
  }
end

--- Two tables merged into a new one; what only one of them has is shared.
local function merged(into, from)
  local all = {}
  for _, config in ipairs { into, from } do
    for key, value in pairs(config) do
      local both = type(value) == "table" and type(all[key]) == "table"
      all[key] = both and merged(all[key], value) or value
    end
  end
  return all
end

--- What the plugin shows a model of an error.
local function message_of(value)
  local text, found = tostring(value), 1
  while found > 0 do
    text, found = text:gsub("^[^:]+:%d+: ", "")
  end
  return text
end

local function text_of(output)
  if type(output) ~= "table" then return message_of(output) end
  local texts = {}
  for _, content in ipairs(output) do
    texts[#texts + 1] = content.data or content.uri
  end
  return table.concat(texts, "\n")
end

--- A module "CopilotChat" after `setup`, and a chat that calls its functions.
---@param config table
function M.new(config)
  local functions = own_functions()
  package.loaded["CopilotChat.utils"] = utils
  package.loaded["CopilotChat.config.functions"] = functions
  local module = { config = { functions = functions } }
  function module.setup(more)
    for key, value in pairs(merged(module.config, more or {})) do
      module.config[key] = value
    end
  end
  module.setup(config)
  local chat = { module = module }

  --- What a model gets of a call.
  function chat.use(name, input)
    local ok, output = pcall(module.config.functions[name].resolve, input, {
      cwd = function()
        return "."
      end,
    })
    return ok and text_of(output) or message_of(output)
  end

  return chat
end

return M
