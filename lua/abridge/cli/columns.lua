--- Tables on stdout: rows of cells under headings, aligned.

local core = require "abridge.base.core_loader"
local terminal = require "abridge.cli.terminal"

local M = {}

---@class (exact) abridge.cli.Column
---@field [1] string heading
---@field [2] integer least width in cells
---@field right? boolean aligned there

--- Print a row.
---@param columns abridge.cli.Column[]
---@param row string[] printable cells
---@param widths integer[] each at least that of its cell
function M.print_row(columns, row, widths)
  local cells = {}
  for i, column in ipairs(columns) do
    local padding = (" "):rep(widths[i] - core.cells(row[i]))
    cells[i] = column.right and padding .. row[i] or row[i] .. padding
  end
  terminal.out((table.concat(cells, "  "):gsub(" +$", "")), "\n")
end

--- Widen columns to hold a row.
---@param columns abridge.cli.Column[]
---@param row string[]
---@param widths integer[] changed in place
function M.widen(columns, row, widths)
  for i in ipairs(columns) do
    widths[i] = math.max(widths[i], core.cells(row[i]))
  end
end

--- Print the headings above rows that are known; returns the widths they need.
---@param columns abridge.cli.Column[]
---@param rows string[][]
---@return integer[]
function M.start(columns, rows)
  local headings, widths = {}, {}
  for i, column in ipairs(columns) do
    headings[i], widths[i] = column[1], math.max(column[2], core.cells(column[1]))
  end
  for _, row in ipairs(rows) do
    M.widen(columns, row, widths)
  end
  M.print_row(columns, headings, widths)
  terminal.flush()
  return widths
end

--- Print a table.
---@param columns abridge.cli.Column[]
---@param rows string[][]
function M.print(columns, rows)
  local widths = M.start(columns, rows)
  for _, row in ipairs(rows) do
    M.print_row(columns, row, widths)
  end
end

return M
