--- The first example of the README that says what it prints.

local M = {}

--- Its Lua, and what it prints, blanks as one.
---@param readme string
---@return string code, string printed
function M.of(readme)
  for code in readme:gmatch "\n```lua\n(.-)\n```" do
    if code:find("-->", 1, true) then
      local printed = {}
      for line in (code .. "\n"):gmatch "([^\n]*)\n" do
        printed[#printed + 1] = line:match "%-%->%s*(.-)%s*$"
      end
      return code, (table.concat(printed, "\n"):gsub("[ \t]+", " "))
    end
  end
  error "the README has no such example"
end

return M
