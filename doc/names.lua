--- Writes doc/names.txt: every public name of Lua and C with its signature, from the sources. `make names` runs it.

local c_api = require "names.c_api"
local lua_api = require "names.lua_api"

local M = {}

local HEAD = [[
What is public, with its signature, so that a change of it shows when the change is read. Written by `make names`;
doc/versions.md says what a release may change. What a name means is in doc/lua.md and doc/c.md.
]]

---@return string
function M.text()
  local out = { HEAD }
  for _, part in ipairs { { "Lua", lua_api.lines() }, { "C", c_api.lines() } } do
    out[#out + 1] = ("== %s ==\n\n%s\n"):format(part[1], table.concat(part[2], "\n"))
  end
  return table.concat(out, "\n")
end

if arg and arg[0] and arg[0]:find "names%.lua$" then io.write(M.text()) end

return M
