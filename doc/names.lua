--- Writes doc/names.txt: every public name of Lua and C with its signature, from the sources. `make names` runs it.

local c_api = require "names.c_api"
local lua_api = require "names.lua_api"

local M = {}

local HEAD = [[
Every public name with its signature, so that a change of one shows in review. Written by `make names`; what a release
may change is in doc/versions.md, the meaning of a name in doc/lua.md and csrc/abridge.h.
]]

---@return string text
---@return string[] problems what annotations say of parameters and options that is not so
function M.text()
  local out = { HEAD }
  local lua_lines, problems = lua_api.lines()
  for _, part in ipairs { { "Lua", lua_lines }, { "C", c_api.lines() } } do
    out[#out + 1] = ("== %s ==\n\n%s\n"):format(part[1], table.concat(part[2], "\n"))
  end
  return table.concat(out, "\n"), problems
end

if arg and arg[0] and arg[0]:find "names%.lua$" then
  local text, problems = M.text()
  if #problems > 0 then error("annotations that do not tell the truth:\n" .. table.concat(problems, "\n"), 0) end
  io.write(text)
end

return M
