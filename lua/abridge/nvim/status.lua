--- The status of a window of ours: in its winbar; before Neovim 0.8 in its status line, or, if windows may have none of
--- their own, in a virtual line above the first that shows.

local core = require "abridge.base.core_loader"
local buffer = require "abridge.nvim.buffer"
local cells = require "abridge.nvim.cells"
local highlight = require "abridge.nvim.highlight"

local M = {}

local EXPRESSION = "%{%v:lua.require'abridge.nvim.status'.line()%}"
local CLICK = "%%%d@v:lua.require'abridge.nvim.status'.clicked@%s%%X"
local GAP = "  "
local NAME_CELLS, LEAST_NAME = 20, 10

---@class (exact) abridge.nvim.StatusPart
---@field [1] string one line, without controls; "" is left out
---@field [2] string|nil highlight group
---@field least? integer cells it may be cut to if there is no room; with fewer it is left out; never cut unless set

---@class (exact) abridge.nvim.Hint
---@field [1] string a key of the window
---@field [2] string its effect, in a word

---@class (exact) abridge.nvim.Status
---@field left abridge.nvim.StatusPart[]
---@field hints abridge.nvim.Hint[]

---@type table<integer, abridge.nvim.Status> by buffer
local said = {}
---@type table<integer, true> buffers in a window without a row for it
local cramped = {}

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

local function hint_cells(hint)
  return hint and #GAP + #hint[1] + 1 + #hint[2] or 0
end

--- The parts for which there is room, and how many cells they leave. Once one is left out, so are all later ones that
--- may be cut.
local function parts_within(parts, room)
  for _, part in ipairs(parts) do
    if not part.least then room = room - #GAP - core.cells(part[1]) end
  end
  local fitting, is_full = {}, false
  for _, part in ipairs(parts) do
    local text, free = part[1], room - #GAP
    if part.least then
      is_full = is_full or free < math.min(core.cells(text), part.least)
      text = is_full and "" or cells.start_of(text, free)
      room = room - (is_full and 0 or #GAP + core.cells(text))
    end
    if text ~= "" then fitting[#fitting + 1] = { text, part[2] } end
  end
  return fitting, room
end

--- The hints for which there is room, the last ones first, and how many cells they take.
local function hints_within(hints, room)
  local fitting, taken = {}, 0
  for i = #hints, 1, -1 do
    local more = hint_cells(hints[i])
    if taken + more <= room then
      table.insert(fitting, 1, i)
      taken = taken + more
    end
  end
  return fitting, taken
end

--- The content of a line of so many cells: parts from the left, the numbers of hints at the right, and the blanks
--- between. The last hint goes before parts that may be cut, a name before the other hints.
local function fitted(status, width, name)
  local last = hint_cells(status.hints[#status.hints])
  local parts, room = parts_within(status.left, width - 2 + #GAP - last) -- a blank at each side
  local named = name ~= "" and room >= #GAP + LEAST_NAME
  local for_name = named and math.min(#GAP + math.min(core.cells(name), NAME_CELLS), room) or 0
  local hints, taken = hints_within(status.hints, room + last - for_name)
  room = room + last - taken
  if named then
    name = cells.start_of(name, room - #GAP)
    parts[#parts + 1], room = { name }, room - #GAP - core.cells(name)
  end
  return parts, hints, math.max(room, 0)
end

--- A part as 'statusline' writes it.
local function format_of(text, group)
  text = text:gsub("%%", "%%%%")
  return group and ("%%#%s#%s%%*"):format(group, text) or text
end

--- For Neovim, which draws it: the status of the window that is being drawn. A status line of its own also has the
--- buffer's name.
---@return string
function M.line()
  local status = said[vim.api.nvim_get_current_buf()]
  if not status then return "" end
  local parts, hints = fitted(status, vim.api.nvim_win_get_width(0), has_winbar() and "" or vim.fn.bufname())
  for i, part in ipairs(parts) do
    parts[i] = format_of(part[1], part[2])
  end
  for i, number in ipairs(hints) do
    local hint = status.hints[number]
    local text = format_of(hint[1], "AbridgeKey") .. " " .. format_of(hint[2])
    hints[i] = has_winbar() and CLICK:format(number, text) or text
  end
  return (" %s%%<%%=%s "):format(table.concat(parts, GAP), table.concat(hints, GAP))
end

--- The same as pieces of a virtual line.
local function chunks_of(status, width)
  local chunks = { { " " } }
  local parts, hints, free = fitted(status, width, "")
  for i, part in ipairs(parts) do
    vim.list_extend(chunks, { { i > 1 and GAP or "" }, part })
  end
  chunks[#chunks + 1] = { (" "):rep(free) }
  for _, number in ipairs(hints) do
    local hint = status.hints[number]
    vim.list_extend(chunks, { { GAP }, { hint[1], "AbridgeKey" }, { " " .. hint[2] } })
  end
  return chunks
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

-- its place -----------------------------------------------------------------------------------

--- Put the virtual line of a buffer above the first line of its window. A window draws it only if it was told to,
--- and a cursor in its last row needs a row more.
local function set_virtual(buf)
  local win = vim.fn.win_findbuf(buf)[1]
  if not (win and said[buf]) then return end
  local chunks = chunks_of(said[buf], vim.api.nvim_win_get_width(win))
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

--- Show the status in each window of a buffer.
local function show_in_windows(buf)
  local option = has_winbar() and "winbar" or "statusline"
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local ok, why = pcall(vim.api.nvim_win_call, win, function() -- setting it also draws it anew
      vim.cmd(("setlocal %s=%s"):format(option, EXPRESSION))
    end)
    if not ok and not cramped[buf] then buffer.complain(buffer.reason(why)) end -- a window of one row
    cramped[buf] = not ok or nil
  end
end

local is_defended = false

--- Take the winbar back from plugins that set that of every window: they do so on events like these, or by a timer.
local function defend()
  if is_defended or not has_winbar() then return end
  is_defended = true
  local look = vim.schedule_wrap(function()
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buf = vim.api.nvim_win_get_buf(win)
      if said[buf] and not cramped[buf] and vim.wo[win].winbar ~= EXPRESSION then show_in_windows(buf) end
    end
  end)
  local group = vim.api.nvim_create_augroup("abridge_winbar", { clear = true })
  local events = { "BufEnter", "BufWinEnter", "CursorHold", "CursorMoved", "WinEnter", "WinLeave" }
  vim.api.nvim_create_autocmd(events, { group = group, pattern = "abridge://*", callback = look })
  vim.api.nvim_create_autocmd("OptionSet", { group = group, pattern = "winbar", callback = look })
end

--- Say something in each window that shows a buffer of ours; a window that shows it later says it too. Its text is in
--- `b:abridge_status` as well. Cheap enough for a few times a second.
---@param buf integer
---@param left abridge.nvim.StatusPart[]
---@param hints? abridge.nvim.Hint[] shown if there is room for them, the last one first
function M.set(buf, left, hints)
  for known in pairs(said) do
    if not vim.api.nvim_buf_is_valid(known) then
      said[known], cramped[known] = nil, nil
    end
  end
  if not vim.api.nvim_buf_is_loaded(buf) then return end
  highlight.define()
  left = vim.tbl_filter(function(part)
    return part[1] ~= ""
  end, left)
  said[buf] = { left = left, hints = hints or {} }
  vim.b[buf].abridge_status = text_of(left)
  if not has_winbar() and vim.o.laststatus ~= 2 then return show_virtual(buf) end
  show_in_windows(buf)
  defend()
end

return M
