--- The gateway in nginx with ngx_lua, or in OpenResty: for `access_by_lua`.

local passed = require "abridge.gateway.passed"
local serving = require "abridge.gateway.serving"

local M = {}

--- A function for `access_by_lua`, to be made once, in `init_by_lua`. It fits the body of each request, and never
--- rejects one. Never raises: with a wrong option, or without a core to load, each request passes as it came, and the
--- header and the error log say why.
---@param opts table those of `abridge.gateway.new`, and `counters`, the name of a `lua_shared_dict` to count in
---  (requests, changed, passed, unreadable, tokens_before, tokens_after), and `variable`, the name of a variable of
---  nginx that gets what the header says, for `log_format`
---@return fun()
function M.new(opts)
  local ngx, state = rawget(_G, "ngx"), serving.open(opts)
  local function fit(gateway)
    local body, reason, failed = serving.body_of(ngx, gateway.max_body)
    if reason then return passed(reason, failed or false) end
    if not body or body == "" then return nil end
    local sent, report = gateway:fit(body)
    if sent ~= body then ngx.req.set_body_data(sent) end
    return report
  end
  return function()
    serving.serve(ngx, state, fit)
  end
end

return M
