--- flemma.nvim with the cuts of abridge: in your init.lua, before flemma is loaded.
package.preload["flemma.utilities.truncate"] = function()
  return require "abridge.flemma"
end
require("flemma").setup {}
