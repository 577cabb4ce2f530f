--- The kinds of texts, by the core's register (csrc/kinds/kinds.def).

local core = require "abridge.base.core_loader"

local M = {
  names = {}, ---@type abridge.Kind[]
  options = {}, ---@type abridge.Kind[] that a caller may ask for
  shows_end = {}, ---@type table<abridge.Kind, boolean> does a screen with little room show its end?
}

for i, kind in ipairs(core.kinds) do
  M.names[i] = kind.name
  M.shows_end[kind.name] = kind.shows_end
  if kind.is_option then M.options[#M.options + 1] = kind.name end
end

return M
