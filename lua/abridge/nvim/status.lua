--- What a window of ours says about itself: in its winbar; before Neovim 0.8 in its status line, or, where windows may
--- have none of their own, in a virtual line above the first that shows.

local core = require "abridge.base.core_loader"
local highlight = require "abridge.nvim.highlight"

local M = {}

local EXPRESSION = "%{%v:lua.require'abridge.nvim.status'.line()%}"
local CLICK = "%%%d@v:lua.require'abridge.nvim.status'.clicked@%s%%X"
local GAP = "  "
local NAME_CELLS = 20

---@class (exact) abridge.nvim.StatusPart
---@field [1] string one line, without controls; "" is left out
---@field [2] string|nil highlight group

---@class (exact) abridge.nvim.Hint
---@field [1] string a key of the window
---@field [2] string what it does, in a word

---@class (exact) abridge.nvim.Status
---@field left abridge.nvim.StatusPart[]
---@field hints abridge.nvim.Hint[]

---@type table<integer, abridge.nvim.Status> by buffer
local said = {}

local function has_winbar()
  return vim.fn.exists "&winbar" == 1
end

-- a line of it -----------------------------------------------------------------------------------

local function text_of(parts)
  local list = {}
  for i, part in ipairs(parts) do
    list[i] = part[1]
  end
  return table.concat(list, GAP)
end

--- A part as 'statusline' writes it.
local function format_of(text, group)
  text = text:gsub("%%", "%%%%")
  return group and ("%%#%s#%s%%*"):format(group, text) or text
end

--- Hints for which there is room, from the last one on, and how many cells they take. All but the last one leave some
--- to the buffer's name.
local function hints_within(hints, room, name_cells)
  local list, cells = {}, 0
  for i = #hints, 1, -1 do
    local key, word = hints[i][1], hints[i][2]
    local more = #GAP + #key + 1 + #word
    if cells + more > room - (i < #hints and name_cells or 0) then break end
    local text = format_of(key, "AbridgeKey") .. " " .. format_of(word)
    table.insert(list, 1, has_winbar() and CLICK:format(i, text) or text)
    cells = cells + more
  end
  return table.concat(list, GAP), cells
end

--- For Neovim, which draws it: the status of the window that is being drawn. A status line of its own also has the
--- buffer's name, which is cut first.
---@return string
function M.line()
  local status = said[vim.api.nvim_get_current_buf()]
  if not status then return "" end
  local room = vim.api.nvim_win_get_width(0) - core.cells(text_of(status.left)) - 2
  local name = has_winbar() and "" or vim.fn.bufname()
  local hints, cells = hints_within(status.hints, room, #GAP + math.min(core.cells(name), NAME_CELLS))
  name = name:sub(1, core.fit_cells(name, math.max(room - cells - #GAP, 0)))
  local left = {}
  for i, part in ipairs(status.left) do
    left[i] = format_of(part[1], part[2])
  end
  left[#left + 1] = name ~= "" and format_of(name) or nil
  return (" %s%%<%%=%s "):format(table.concat(left, GAP), hints)
end

--- For Neovim: a hint was clicked. Its key is typed.
---@param i integer
function M.clicked(i)
  local win = vim.fn.getmousepos().winid
  local status = vim.api.nvim_win_is_valid(win) and said[vim.api.nvim_win_get_buf(win)]
  if not (status and status.hints[i]) then return end
  vim.api.nvim_set_current_win(win)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(status.hints[i][1], true, false, true), "m", false)
end

-- where it shows -----------------------------------------------------------------------------------

--- Put the virtual line of a buffer above the first line of its window. A window draws it only where it was told to,
--- and a cursor in its last row needs a row more.
local function set_virtual(buf)
  local win = vim.fn.win_findbuf(buf)[1]
  if not (win and said[buf]) then return end
  local chunks = { { " " } }
  for _, part in ipairs(said[buf].left) do
    vim.list_extend(chunks, { { part[1], part[2] }, { GAP } })
  end
  vim.api.nvim_win_call(win, function()
    local first, last = vim.fn.line "w0", vim.fn.line "w$"
    if last - first + 1 >= vim.api.nvim_win_get_height(0) and vim.fn.line "." == last then first = first + 1 end
    local opts = { id = 1, virt_lines = { chunks }, virt_lines_above = true }
    vim.api.nvim_buf_set_extmark(buf, vim.api.nvim_create_namespace "abridge.status", first - 1, 0, opts)
    vim.fn.winrestview { topline = first, topfill = 1 }
  end)
end

--- Show the virtual line, and keep it in sight.
local function show_virtual(buf)
  set_virtual(buf)
  if vim.b[buf].abridge_followed then return end
  vim.b[buf].abridge_followed = true
  vim.api.nvim_create_autocmd({ "WinScrolled", "CursorMoved" }, {
    buffer = buf,
    callback = function()
      set_virtual(buf)
    end,
  })
end

--- Say something in each window that shows a buffer of ours; a window that shows it later says it too. Its text is in
--- `b:abridge_status` as well. Cheap enough for a few times a second.
---@param buf integer
---@param left abridge.nvim.StatusPart[]
---@param hints? abridge.nvim.Hint[] shown where there is room for them, the last one first
function M.set(buf, left, hints)
  for known in pairs(said) do
    if not vim.api.nvim_buf_is_valid(known) then said[known] = nil end
  end
  if not vim.api.nvim_buf_is_loaded(buf) then return end
  highlight.define()
  left = vim.tbl_filter(function(part)
    return part[1] ~= ""
  end, left)
  said[buf] = { left = left, hints = hints or {} }
  vim.b[buf].abridge_status = text_of(left)
  if not has_winbar() and vim.o.laststatus ~= 2 then return show_virtual(buf) end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function() -- setting it also draws it anew
      vim.cmd(("setlocal %s=%s"):format(has_winbar() and "winbar" or "statusline", EXPRESSION))
    end)
  end
end

return M
