--- The keys of our windows: one table each, which maps them, and which `g?` lists.

local buffer = require "abridge.nvim.buffer"
local highlight = require "abridge.nvim.highlight"

local M = {}

local SHOW, QUIT = "g?", "q"
local MARGIN = 4 -- rows and columns that a list leaves to the rest of the screen, its border included

---@class (exact) abridge.nvim.Key
---@field [1] string as it is mapped
---@field [2] function
---@field [3] string its effect, in a few words
---@field modes? string[] other than normal mode alone

--- The effect of `q`: while a macro is recorded, it ends that, as everywhere.
local function unless_recording(act)
  return function()
    local register = vim.fn.reg_recording():lower()
    if register == "" then return act() end
    vim.cmd("normal! " .. QUIT)
    vim.fn.setreg(register, (vim.fn.getreg(register):gsub(QUIT .. "$", "")), "c") -- it isn't part of the macro
  end
end

local function map(buf, keys)
  for _, key in ipairs(keys) do
    local act = key[1] == QUIT and unless_recording(key[2]) or key[2]
    vim.keymap.set(key.modes or "n", key[1], act, { buffer = buf, nowait = true, silent = true, desc = key[3] })
  end
end

--- The key that wipes a window's buffer out.
---@return abridge.nvim.Key
function M.closing()
  return {
    QUIT,
    function()
      vim.cmd "bwipeout"
    end,
    "Close",
  }
end

--- The lines of a list, and the cells of its first column.
local function lines_of(keys)
  local column = 0
  for _, key in ipairs(keys) do
    column = math.max(column, #key[1])
  end
  local lines = {}
  for i, key in ipairs(keys) do
    lines[i] = (" %s%s  %s "):format(key[1], (" "):rep(column - #key[1]), key[3])
  end
  return lines
end

--- The place of a float for these lines: over the middle of the current window, on the screen.
local function placed(lines, title)
  local width = #title + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.api.nvim_strwidth(line))
  end
  width = math.max(math.min(width, vim.o.columns - MARGIN), 1)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.ceil(vim.api.nvim_strwidth(line) / width)
  end
  height = math.max(math.min(height, vim.o.lines - MARGIN), 1)
  return {
    relative = "win",
    width = width,
    height = height,
    row = math.max(math.floor((vim.api.nvim_win_get_height(0) - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.api.nvim_win_get_width(0) - width) / 2) - 1, 0),
    style = "minimal",
    border = "rounded",
    title = vim.fn.has "nvim-0.9" == 1 and (" %s "):format(title) or nil,
    title_pos = vim.fn.has "nvim-0.9" == 1 and "center" or nil,
  }
end

--- List keys in a float, which closes when it is left.
local function show(title, keys)
  highlight.define()
  local buf, lines = buffer.scratch "abridge-keys", lines_of(keys)
  buffer.name(buf, "keys", nil, nil, title)
  local function fill()
    assert(buffer.change(buf, function()
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
      for i, key in ipairs(keys) do
        local opts = { end_col = 1 + #key[1], hl_group = "AbridgeKey" }
        vim.api.nvim_buf_set_extmark(buf, highlight.namespace(), i - 1, 1, opts)
      end
    end))
  end
  fill()
  buffer.on_edit(buf, fill)
  local win = vim.api.nvim_open_win(buf, true, placed(lines, title))
  local function close()
    if vim.api.nvim_win_is_valid(win) then vim.api.nvim_win_close(win, true) end
  end
  map(buf, { { "q", close, "Close" }, { "<Esc>", close, "Close" }, { SHOW, close, "Close" } })
  vim.api.nvim_create_autocmd("BufLeave", { buffer = buf, once = true, callback = vim.schedule_wrap(close) })
end

--- Map the keys of a window's buffer, and `g?`, which lists them.
---@param buf integer
---@param title string of the list
---@param keys abridge.nvim.Key[]
function M.map(buf, title, keys)
  local all = vim.list_extend({}, keys)
  all[#all + 1] = {
    SHOW,
    function()
      show(title, all)
    end,
    "List these keys",
  }
  map(buf, all)
end

return M
