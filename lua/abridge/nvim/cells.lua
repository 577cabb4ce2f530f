--- Texts cut to so many cells of a screen.

local core = require "abridge.base.core_loader"

local M = {}

--- The longest end of a text that takes so many cells.
local function fitting_end(text, cells)
  local from = #text + 1
  for at = #text, 1, -1 do
    local byte = text:byte(at)
    if byte < 128 or byte >= 192 then
      if core.cells(text:sub(at)) > cells then break end
      from = at
    end
  end
  return text:sub(from)
end

--- In place of the part of a text that was cut out.
local function cut_mark(cells)
  local mark = vim.o.ambiwidth == "double" and ".." or "…"
  return cells > core.cells(mark) and mark or ""
end

--- A text cut in its middle, the part of paths and commands that tells least.
---@param text string
---@param cells integer
---@return string
function M.middle(text, cells)
  if #text <= cells or core.cells(text) <= cells then return text end
  local mark = cut_mark(cells)
  cells = cells - core.cells(mark)
  local tail = fitting_end(text, math.floor(cells / 2))
  return text:sub(1, core.fit_cells(text, cells - core.cells(tail))) .. mark .. tail
end

--- The start of a text.
---@param text string
---@param cells integer
---@return string
function M.start_of(text, cells)
  if #text <= cells or core.cells(text) <= cells then return text end
  local mark = cut_mark(cells)
  return text:sub(1, core.fit_cells(text, cells - core.cells(mark))) .. mark
end

return M
