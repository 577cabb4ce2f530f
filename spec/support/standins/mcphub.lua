--- Stands in for mcphub.nvim 6.2: the hub of `hub.lua`, what `utils/prompt.lua` parses of a response, and the chats
--- that ask it, `extensions/avante/init.lua` and `extensions/codecompanion/core.lua`.

local M = {}

local Hub = {}
Hub.__index = Hub

local function parse_resource(response)
  local texts, images, blobs, audios = {}, {}, {}, {}
  for _, content in ipairs((response.result or {}).contents or {}) do
    local kind = content.mimeType or "application/octet-stream"
    if content.blob and kind:find "^image/" then
      images[#images + 1] = { data = content.blob, mimeType = kind }
    elseif content.blob and kind:find "^audio/" then
      audios[#audios + 1] = { data = content.blob, mimeType = kind }
    elseif content.blob then
      blobs[#blobs + 1] = { data = content.blob, mimeType = kind, uri = content.uri }
      texts[#texts + 1] = ("Resource %s: <Binary data of type %s>"):format(content.uri, kind)
    elseif content.text then
      texts[#texts + 1] = ("Resource %s:\n%s"):format(content.uri, content.text)
    end
  end
  return { text = table.concat(texts, "\n\n"), images = images, blobs = blobs, audios = audios }
end

local function parse_tool(response)
  local output = { text = "", images = {}, blobs = {}, audios = {} }
  if response == nil then return output end
  local result, texts = response.result or {}, {}
  for _, part in ipairs(result.content or {}) do
    if part.type == "text" then
      texts[#texts + 1] = part.text
    elseif part.type == "image" then
      output.images[#output.images + 1] = { data = part.data, mimeType = part.mimeType }
    elseif part.type == "audio" then
      output.audios[#output.audios + 1] = { data = part.data, mimeType = part.mimeType }
    elseif part.type == "resource" then
      local inner = parse_resource { result = { contents = { part.resource } } }
      texts[#texts + 1] = inner.text
      for _, name in ipairs { "images", "blobs", "audios" } do
        for _, item in ipairs(inner[name]) do
          output[name][#output[name] + 1] = item
        end
      end
    end
  end
  output.text = table.concat(texts, "\n")
  if result.isError then
    output.error = output.text
    output.text = "The tool run failed with error.\n" .. output.text
  end
  return output
end

--- One request: handed to the callback, later, or returned.
local function answer(self, opts, response, failure, parse)
  opts = opts or {}
  local function parsed()
    return opts.parse_response == true and parse(response or {}) or response
  end
  if not opts.callback then return parsed(), failure end
  self.later[#self.later + 1] = function()
    opts.callback(parsed(), failure)
  end
end

function Hub:call_tool(server, tool, args, opts)
  local result = self.servers[server] and self.servers[server][tool]
  if not result then return answer(self, opts, nil, "Tool not found: " .. tool, parse_tool) end
  return answer(self, opts, { result = result(args) }, nil, parse_tool)
end

function Hub:access_resource(server, uri, opts)
  return answer(self, opts, { result = self.servers[server].resources(uri) }, nil, parse_resource)
end

--- Let the requests under way come back.
function Hub:pump()
  while #self.later > 0 do
    table.remove(self.later, 1)()
  end
end

--- `require("mcphub").setup`: starts a hub and hands it to `on_ready`.
function M.setup(config)
  local hub = setmetatable({ servers = M.servers, later = {}, port = 37373 }, Hub)
  M.hub = hub
  if config.on_ready then config.on_ready(hub) end
  return hub
end

--- What a chat of avante.nvim gets of a tool: result, error.
function M.avante(server, tool, args)
  local got
  M.hub:call_tool(server, tool, args, {
    parse_response = true,
    caller = { type = "avante" },
    callback = function(result, failure)
      if result.error then
        got = { nil, result.error }
      else
        got = { result.text, failure }
      end
    end,
  })
  M.hub:pump()
  return got[1], got[2]
end

--- What a chat of CodeCompanion gets: the whole parsed result, images too.
function M.codecompanion(server, tool, args)
  local got
  M.hub:call_tool(server, tool, args, {
    parse_response = true,
    caller = { type = "codecompanion" },
    callback = function(result, failure)
      if failure or not result then
        got = { status = "error", data = tostring(failure) }
      elseif result.error then
        got = { status = "error", data = result.error }
      else
        got = { status = "success", data = result }
      end
    end,
  })
  M.hub:pump()
  return got
end

M.parse_tool, M.parse_resource = parse_tool, parse_resource

return M
