-- abridge for specs that are not about run folders: sessions keep no full output unless they say so.
local abridge = require "abridge"
local merge = require "support.merge"

local M = setmetatable({}, { __index = abridge })

function M.session(opts)
  return abridge.session(merge({ run_dir = false }, opts))
end

return M
