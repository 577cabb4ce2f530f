--- The gateway inside nginx, for APISIX too: it reads bodies, reports, and lets no failure out.

local passed = require "abridge.gateway.passed"

local M = {}

local MOST_SAID = 100 -- reasons that a worker remembers

local said, said_count = {}, 0 -- reasons that are in the error log already

local function log_once(ngx, reason)
  if said[reason] or said_count >= MOST_SAID then return end
  said[reason], said_count = true, said_count + 1
  ngx.log(ngx.ERR, "abridge: a request passed as it came: ", reason)
end

--- The options of the gateway, and those of this module.
local function divided(opts)
  if type(opts) ~= "table" then return opts, {} end
  local rest, own = {}, { counters = opts.counters, variable = opts.variable }
  for key, value in next, opts do
    if own[key] == nil then rest[key] = value end
  end
  for key, value in next, own do
    if type(value) ~= "string" then
      error(("abridge.gateway: %s must be a string, got a %s"):format(key, type(value)), 0)
    end
  end
  return rest, own
end

--- The body of this request: nil and a reason if it cannot be read, nil alone if there is none.
---@param ngx table
---@param most integer bytes
---@return string|nil body
---@return string|nil reason
---@return boolean|nil failed it could not be read
function M.body_of(ngx, most)
  local length = tonumber(ngx.var.http_content_length)
  if length and length > most then return nil, ("the body has %d bytes, more than max_body"):format(length) end
  ngx.req.read_body()
  local body = ngx.req.get_body_data()
  local path = not body and ngx.req.get_body_file()
  if not path then return body end
  local file, problem = io.open(path, "rb")
  if not file then return nil, "the body cannot be read: " .. problem, true end
  body, problem = file:read(most + 1)
  file:close()
  if not body then return nil, "the body cannot be read: " .. tostring(problem or "it is empty"), true end
  if #body > most then return nil, "the body has more bytes than max_body" end
  return body
end

--- Count in a shared dictionary; one that is full forgets.
local function count(ngx, name, report)
  local dict = ngx.shared[name]
  if not dict then return log_once(ngx, ("there is no lua_shared_dict %s to count in"):format(name)) end
  local function add(key, n)
    dict:incr(key, n, 0)
  end
  add("requests", 1)
  if report.action == "fit" or report.action == "capped" then add("changed", 1) end
  if report.action == "passed" then add("passed", 1) end
  if report.failed then add("unreadable", 1) end
  if report.tokens_before then
    add("tokens_before", report.tokens_before)
    add("tokens_after", report.tokens_after)
  end
end

---@class abridge.nginx.State
---@field gateway abridge.Gateway|nil
---@field own table
---@field problem string|nil why there is no gateway

local function tell(ngx, state, report)
  local header = "X-Abridge"
  if state.gateway then header = state.gateway.header end
  if header then ngx.header[header] = report.header end
  if state.own.variable then ngx.var[state.own.variable] = report.header end
  if report.failed then log_once(ngx, report.reason) end
  if state.own.counters then count(ngx, state.own.counters, report) end
end

--- Open a gateway. Never raises.
---@param opts table those of `abridge.gateway.new`, and `counters` and `variable`
---@return abridge.nginx.State
function M.open(opts)
  local state = { own = {} }
  local ok, problem = pcall(function()
    local rest, own = divided(opts)
    state.own = own
    state.gateway = require("abridge.gateway").new(rest)
  end)
  if not ok then state.problem = tostring(problem) end
  return state
end

--- Let `fit` do its work on this request, and tell of it: in the header, the variable, the counters and the error log.
--- Never raises.
---@param ngx table
---@param state abridge.nginx.State
---@param fit fun(gateway: abridge.Gateway): abridge.GatewayReport|nil nil if there is no body
function M.serve(ngx, state, fit)
  local ran, report = false, state.problem
  if state.gateway then
    ran, report = pcall(fit, state.gateway)
  end
  if not ran then report = passed(report, true) end
  if not report then return end
  local told, why = pcall(tell, ngx, state, report)
  if not told then log_once(ngx, passed(why, true).reason) end
end

return M
