--- The gateway as a plugin of APISIX, before `ai-proxy`: `apisix/plugins/abridge.lua` returns this module.

local check = require "abridge.base.check"
local spliced = require "abridge.base.spliced"
local passed = require "abridge.gateway.passed"
local serving = require "abridge.gateway.serving"

local WHO = "abridge.gateway.new: "

local count, share = { type = "integer", minimum = 1 }, { type = "number", minimum = 0 }
local row = { type = "array", items = { anyOf = { { type = "string" }, count } }, minItems = 2, maxItems = 2 }

local SCHEMA = {
  type = "object",
  properties = {
    max_tokens = { anyOf = { count, { type = "array", items = row, minItems = 1 } } },
    limits = { type = "object" },
    profile = { type = "string" },
    max_body = count,
    header = { anyOf = { { type = "string" }, { type = "boolean", enum = { false } } } },
    counters = { type = "string" },
    variable = { type = "string" },
    token_safety = share,
    image_tokens = count,
    trigger = share,
    target = share,
    keep = { type = "integer", minimum = 0 },
    clear_at_least = share,
    exclude_tools = { type = "array", items = { type = "string" } },
    inputs = { type = "boolean" },
    exchanges = { type = "boolean" },
    tools = { type = "object" },
  },
}

local NAMES = {}
for name in pairs(SCHEMA.properties) do
  NAMES[#NAMES + 1] = name
end

local M = {
  version = 0.1,
  priority = 1045, -- after plugins that add prompts (1070), before ai-proxy-multi (1041) and ai-proxy (1040)
  name = "abridge",
  schema = SCHEMA,
}

--- The options in a configuration; APISIX adds its own to them.
local function options_of(conf)
  local opts = {}
  for _, name in ipairs(NAMES) do
    opts[name] = conf[name]
  end
  return opts
end

local open = setmetatable({}, { __mode = "k" }) -- states by their configuration

local function state_of(conf)
  open[conf] = open[conf] or serving.open(options_of(conf))
  return open[conf]
end

--- APISIX calls this before it takes a configuration.
---@param conf table
---@return boolean
---@return string|nil problem
function M.check_schema(conf)
  local fine, problem = require("apisix.core").schema.check(SCHEMA, conf)
  if not fine then return false, problem end
  local state = serving.open(options_of(conf))
  if state.problem then return false, (check.reason(state.problem):gsub("^" .. WHO:gsub("%p", "%%%0"), "")) end
  return true
end

--- The request as JSON: its bytes, unless a plugin before us changed the table they were read into, and only that.
local function request_of(json, body, known)
  local came = json.decode(body)
  if came and spliced.json(body, 1, #body, came, known) == body then return body end
  return assert(json.encode(known))
end

--- Fit the body of a request. A table that it was read into before is changed in place, since others may hold it.
local function fit(gateway, ctx)
  local ngx, json = rawget(_G, "ngx"), require("apisix.core").json
  local body, reason, failed = serving.body_of(ngx, gateway.max_body)
  if reason then return passed(reason, failed or false) end
  if not body or body == "" then return nil end
  local known = type(ctx._request_body_table) == "table" and ctx._request_body_table or nil
  if known and ctx.ai_request_body_changed then body = request_of(json, body, known) end
  local sent, report = gateway:fit(body)
  if sent == body then return report end
  local decoded = known and assert(json.decode(sent))
  ngx.req.set_body_data(sent)
  if known then
    for key in next, check.copied(known) do
      known[key] = nil
    end
    for key, value in next, decoded do
      known[key] = value
    end
  end
  return report
end

--- The phase in which the body is fit. Never rejects a request, and never raises.
---@param conf table
---@param ctx table
function M.access(conf, ctx)
  serving.serve(rawget(_G, "ngx"), state_of(conf), function(gateway)
    return fit(gateway, ctx)
  end)
end

return M
