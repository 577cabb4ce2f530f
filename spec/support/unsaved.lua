-- abridge for specs that are not about run folders: sessions keep no full output unless they say so.
local abridge = require "abridge"

local M = setmetatable({}, { __index = abridge })

function M.session(opts)
  local own = { run_dir = false }
  for key, value in pairs(opts or {}) do
    own[key] = value
  end
  return abridge.session(own)
end

return M
