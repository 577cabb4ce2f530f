--- What a window of ours says about itself: in its winbar; before Neovim 0.8 in its status line, or, where windows have
--- none of their own, in a virtual line above the first.

local highlight = require "abridge.nvim.highlight"

local M = {}

local EXPRESSION = "%{%get(b:,'abridge_winbar','')%}"

---@class (exact) abridge.nvim.StatusPart
---@field [1] string one line, without controls
---@field [2] string|nil highlight group

--- Parts as 'statusline' writes them.
local function format_of(parts)
  local list = {}
  for i, part in ipairs(parts) do
    local text = part[1]:gsub("%%", "%%%%")
    list[i] = part[2] and ("%%#%s#%s%%*"):format(part[2], text) or text
  end
  return table.concat(list, "  ")
end

local function text_of(parts)
  local list = {}
  for i, part in ipairs(parts) do
    list[i] = part[1]
  end
  return table.concat(list, "  ")
end

--- Each buffer of ours has one such line, so it is replaced by its number. Neovim 0.7 draws a line above the first one
--- only where a window has been told to.
local function set_virtual(buf, parts)
  local chunks = {}
  for i, part in ipairs(parts) do
    chunks[i] = { (i == 1 and " " or "  ") .. part[1], part[2] }
  end
  local ns = vim.api.nvim_create_namespace "abridge.status"
  vim.api.nvim_buf_set_extmark(buf, ns, 0, 0, { id = 1, virt_lines = { chunks }, virt_lines_above = true })
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      if vim.fn.line "w0" == 1 then vim.fn.winrestview { topline = 1, topfill = 1 } end
    end)
  end
end

--- Say something in each window that shows a buffer of ours; a window that shows it later says it too. Its text is in
--- `b:abridge_status` as well. Cheap enough for a few times a second.
---@param buf integer
---@param left abridge.nvim.StatusPart[]
---@param right? abridge.nvim.StatusPart[] what may be left out where there is no room
function M.set(buf, left, right)
  if not vim.api.nvim_buf_is_loaded(buf) then return end
  highlight.define()
  vim.b[buf].abridge_status = text_of(left)
  local has_winbar = vim.fn.exists "&winbar" == 1
  local name = has_winbar and "" or "%f" -- a status line of its own says it otherwise
  vim.b[buf].abridge_winbar = (" %s  %%<%s%%=%s "):format(format_of(left), name, format_of(right or {}))
  if not has_winbar and vim.o.laststatus ~= 2 then return set_virtual(buf, left) end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function() -- setting it also draws it anew
      vim.cmd(("setlocal %s=%s"):format(has_winbar and "winbar" or "statusline", EXPRESSION))
    end)
  end
end

return M
