--- The tables of the benchmark: aligned, ready for doc/speed.md.
local M = {}

local NAME_WIDTH = 42

--- A time as one would say it: three digits and a unit.
function M.time(seconds)
  if not seconds then return "-" end
  local unit, factor = "s", 1
  if seconds < 1e-6 then
    unit, factor = "ns", 1e9
  elseif seconds < 1e-3 then
    unit, factor = "us", 1e6
  elseif seconds < 1 then
    unit, factor = "ms", 1e3
  end
  return M.digits(seconds * factor) .. " " .. unit
end

--- A number with three digits, or all that stand before its point.
function M.digits(value)
  if not value then return "-" end
  return (value < 9.995 and "%.2f" or value < 99.95 and "%.1f" or "%.0f"):format(value)
end

function M.speed(bytes, seconds)
  return ("%.2f"):format(bytes / seconds / 1e9)
end

--- Print a table: a heading, the columns' names, and rows of a name and cells.
---@param title string
---@param columns string[]
---@param rows string[][]
function M.print(title, columns, rows)
  local widths, name_width = {}, NAME_WIDTH
  for c, column in ipairs(columns) do
    widths[c] = math.max(10, #column)
  end
  for _, row in ipairs(rows) do
    name_width = math.max(name_width, #row[1])
    for c = 1, #columns do
      widths[c] = math.max(widths[c], #(row[c + 1] or ""))
    end
  end
  local function line(name, cells, shift)
    local out = { name .. (" "):rep(name_width - #name) }
    for c = 1, #columns do
      local cell = cells[c + shift] or ""
      out[#out + 1] = (" "):rep(widths[c] - #cell + 2) .. cell
    end
    print((table.concat(out):gsub(" +$", "")))
  end
  print("\n" .. title)
  line("", columns, 0)
  for _, row in ipairs(rows) do
    line(row[1], row, 1)
  end
  io.stdout:flush()
end

return M
