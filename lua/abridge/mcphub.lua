--- mcphub.nvim (6.2): caps results of its hub's `call_tool` and `access_resource` for a chat, parsed or not, returned
--- or passed to the callback. Its own window for trying out a tool still gets everything.

local check = require "abridge.base.check"
local options = require "abridge.hosts.options"
local replace = require "abridge.hosts.replace"
local safe = require "abridge.hosts.safe"
local mcp = require "abridge.mcp"

local M = {}

local OWN_WINDOW = "hubui" -- the `type` of its caller

--- The name of a call in logs and limits, by method.
local NAMES = {
  call_tool = function(server, tool)
    return ("%s__%s"):format(check.name(server), check.name(tool))
  end,
  access_resource = function(server)
    return ("%s__resource"):format(check.name(server))
  end,
}

--- Which argument of a method is its options.
local OPTIONS_AT = { call_tool = 4, access_resource = 3 }

local function wrapped(kind, original, opts)
  local at = OPTIONS_AT[kind]
  return function(hub, ...)
    local args, n = { ... }, math.max(select("#", ...), at)
    local given = type(args[at]) == "table" and args[at] or {}
    local name = NAMES[kind](...)
    if type(given.caller) == "table" and given.caller.type == OWN_WINDOW then return original(hub, ...) end
    local function cap(response)
      if response == nil then return nil end
      return mcp.cap(name, response, (options.open(opts)))
    end
    if given.callback then
      args[at] = check.copied(given)
      args[at].callback = function(response, failure)
        return given.callback(cap(response), failure and safe.cap(name, check.text(failure), opts))
      end
      return original(hub, (table.unpack or unpack)(args, 1, n))
    end
    local response, failure = original(hub, ...)
    return cap(response), failure and safe.cap(name, check.text(failure), opts)
  end
end

--- Cap a hub's results from now on. A second call for the same hub changes nothing. Raises on misuse.
---@param hub table what `setup{ on_ready = function(hub) ... end }` is handed
---@param opts? abridge.SafeOptions
---@return fun() undo
function M.attach(hub, opts)
  if type(hub) ~= "table" or not (hub.call_tool and hub.access_resource) then
    check.fail("abridge.mcphub.attach: hub must be a hub of mcphub.nvim, got " .. check.show(hub))
  end
  opts = options.for_plugin("abridge.mcphub.attach", opts)
  local undo = {}
  for kind in pairs(NAMES) do
    undo[#undo + 1] = replace.replace(hub, kind, function(original)
      return wrapped(kind, original, opts)
    end)
  end
  return function()
    for _, put_back in ipairs(undo) do
      put_back()
    end
  end
end

return M
