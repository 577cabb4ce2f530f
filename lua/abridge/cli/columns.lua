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
---@param row string[] printable cells; `styles` has those of some cells
---@param widths integer[] each at least that of its cell
function M.print_row(columns, row, widths)
  local cells = {}
  for i, column in ipairs(columns) do
    local padding = (" "):rep(widths[i] - core.cells(row[i]))
    local style = row.styles and row.styles[i]
    local cell = style and terminal.styled(style, row[i]) or row[i]
    cells[i] = column.right and padding .. cell or cell .. padding
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
  local headings, widths = { styles = {} }, {}
  for i, column in ipairs(columns) do
    headings.styles[i] = "heading"
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
