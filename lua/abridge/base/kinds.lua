--- What a text may be, by the core's register (csrc/kinds/kinds.def).

local core = require "abridge.base.core_loader"

local M = {
  names = {}, ---@type abridge.Kind[]
  shows_end = {}, ---@type table<abridge.Kind, boolean> does a screen with little room show its end?
}

for i, kind in ipairs(core.kinds) do
  M.names[i] = kind.name
  M.shows_end[kind.name] = kind.shows_end
end

return M
