--- Tables and types of the kinds, made from their register, csrc/kinds/kinds.def.

local M = {}

local COLUMNS = { "id", "name", "reader", "told", "any", "shows_end", "is", "cut", "items", "before", "after" }

--- The arguments of a macro that stand at `at`, behind its bracket; strings beside each other are one, without quotes.
local function arguments(text, at)
  local list, depth, current = {}, 0, ""
  while true do
    local c = text:sub(at, at)
    if c == '"' then
      local stop = at
      repeat
        stop = text:find('"', stop + 1, true)
      until text:sub(stop - 1, stop - 1) ~= "\\"
      current = current .. text:sub(at + 1, stop - 1):gsub('\\"', '"')
      at = stop
    elseif depth == 0 and (c == "," or c == ")") then
      list[#list + 1] = current:match "^%s*(.*)$"
      current = ""
      if c == ")" then return list end
    else
      depth = depth + (c == "(" and 1 or c == ")" and -1 or 0)
      if not c:find "%s" or not current:find "%s$" then current = current .. c end
    end
    at = at + 1
  end
end

--- The rows of the register. Strings that are broken over lines are joined with the blank they end in.
---@param text string
---@return table<string, string>[]
function M.rows(text)
  local rows = {}
  for at in text:gmatch "\nKIND%(()" do
    local row = {}
    for i, argument in ipairs(arguments(text, at)) do
      row[COLUMNS[i]] = argument
    end
    rows[#rows + 1] = row
  end
  return rows
end

--- Lines of a table, the kinds most often met first: the register asks for them last.
local function table_lines(rows, header, columns)
  local lines = { header, "|" .. ("---|"):rep(#columns + 1) }
  for i = #rows, 1, -1 do
    local cells = { "| `" .. rows[i].name .. "` |" }
    for _, column in ipairs(columns) do
      cells[#cells + 1] = rows[i][column] == "" and " |" or (" %s |"):format(rows[i][column])
    end
    lines[#lines + 1] = table.concat(cells)
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The tables of the kinds: what each is, or a little of each.
---@param rows table<string, string>[]
---@param which "kinds"|"examples"
---@return string
function M.table(rows, which)
  if which == "examples" then return table_lines(rows, "| kind | before | after |", { "before", "after" }) end
  return table_lines(rows, "| `cut.kind` | what it is | how it is cut | `cut.items` |", { "is", "cut", "items" })
end

--- The types with the names of these rows.
---@param text string lua/abridge/base/types.lua
---@return string
function M.types(text, rows)
  local names = {}
  for i = #rows, 1, -1 do
    names[#names + 1] = ("%q"):format(rows[i].name)
  end
  return (text:gsub("(%-%-%-@alias abridge%.Kind )[^\n]*", "%1" .. table.concat(names, "|"), 1))
end

return M
