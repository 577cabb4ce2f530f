--- mcphub.nvim itself, driven as its stand-in is: its own hub, what it parses, and the functions by which chats of
--- avante.nvim and CodeCompanion ask it. In place of its server, a spec's own functions answer.

local standin = require "support.standins.mcphub"

local M = {}

local vim = rawget(_G, "vim")
local State = require "mcphub.state"
local prompt = require "mcphub.utils.prompt"

M.parse_tool, M.parse_resource = prompt.parse_tool_response, prompt.parse_resource_response

--- What the server says to a request.
local function answer(path, body)
  local server = M.servers[body.server_name] or {}
  if path == "servers/resources" then return { result = server.resources(body.uri) } end
  if not server[body.tool] then return nil, "Tool not found: " .. body.tool end
  return { result = server[body.tool](body.arguments) }
end

--- A hub that is ready, as `on_ready` is handed it.
function M.setup(config)
  local hub, later = require("mcphub.hub"):new { port = 9, on_ready = config.on_ready }, {}
  hub.ready = true
  function hub.api_request(_, method, path, opts)
    assert(method == "POST")
    local response, failure = answer(path, opts.body)
    if not opts.callback then return response, failure end
    later[#later + 1] = function()
      opts.callback(response, failure)
    end
  end
  function hub.pump()
    while #later > 0 do
      table.remove(later, 1)()
    end
  end
  State.hub_instance, State.setup_state, State.config.auto_approve = hub, "completed", true
  M.hub = hub
  hub:on_ready()
  return hub
end

--- Let requests come back until `ready()`: chats ask when the editor's loop turns.
local function pump_until(ready)
  assert(vim.wait(10000, function()
    M.hub.pump()
    return ready()
  end))
end

--- What a chat of avante.nvim gets of a tool: result, error.
function M.avante(server, tool, args)
  local extension, got = require "mcphub.extensions.avante", nil
  extension.mcp_tool()
  extension.use_mcp_tool.func({ server_name = server, tool_name = tool, tool_input = args }, {
    on_complete = function(result, failure)
      got = { result, failure }
    end,
  })
  pump_until(function()
    return got
  end)
  return got[1], got[2]
end

--- What a chat of CodeCompanion gets: the whole parsed result, images too.
function M.codecompanion(server, tool, args)
  local core, got = require "mcphub.extensions.codecompanion.core", nil
  local params = { server_name = server, tool_name = tool, tool_input = args }
  core.execute_mcp_tool(params, {}, function(output)
    got = output
  end, { action = "use_mcp_tool" })
  pump_until(function()
    return got
  end)
  return got
end

M.servers = standin.servers

return M
