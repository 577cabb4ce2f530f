--- Shared by our buffers in the editor: scratch buffers, windows for them, and changes of buffers that are not
--- modifiable.

local check = require "abridge.base.check"

local M = {}

local NAME_BYTES = 40

--- Part of a buffer's name. Other plugins pass names of buffers to a shell, or to Vim's own expansion, so the words of
--- a tool or a command are made harmless here.
local function part_of_name(text)
  text = text:gsub("[^%w_./+@:,= \128-\255-]+", "_")
  if #text <= NAME_BYTES and not text:find "[\128-\255]" then return text end
  local core = require "abridge.base.core_loader" -- not before: if it is missing, this file says so
  local start = core.head(text, { max_bytes = NAME_BYTES, utf8 = "replace", long_line = "split" })
  return #text > NAME_BYTES and start .. "..." or start
end

local SCHEME = "abridge://"
local NO_FOLDER = "-" -- of a run that is written nowhere

local ours = {} -- buffers that we have made, or filled anew
---@type table<integer, { kind: string, dir: string|nil, number: integer|nil }> contents of those with a name
local shown = {}

--- Name a buffer after its content: `abridge://run/FOLDER/3/make test`, `abridge://log/FOLDER`. `restore` finds it
--- again by that. If the name is taken, it ends in " (2)".
---@param buf integer
---@param kind "run"|"log"|"output"|"result"|"keys"
---@param dir string|nil the folder of a run
---@param number integer|nil of a call
---@param what string|nil
function M.name(buf, kind, dir, number, what)
  shown[buf] = { kind = kind, dir = dir, number = number }
  local parts = { SCHEME .. kind, dir and part_of_name(dir:match "([^/]*)/*$") or NO_FOLDER }
  if number then parts[#parts + 1] = ("%.0f"):format(number) end
  if what then parts[#parts + 1] = part_of_name(what) end
  local name = table.concat(parts, "/")
  for count = 1, math.huge do
    local numbered = count == 1 and name or ("%s (%d)"):format(name, count)
    local ok, message = pcall(vim.api.nvim_buf_set_name, buf, numbered)
    if ok then return end
    if not message:find "E95:" then error(message, 0) end
  end
end

--- The content that a name given by `name` stands for; nil for other names.
---@param name string
---@return string|nil kind
---@return string|nil folder a folder's name
---@return integer|nil number
function M.parsed(name)
  local kind, folder, rest = name:match("^" .. SCHEME .. "(%a+)/([^/]+)(.*)$")
  return kind, folder, kind and tonumber(rest:match "^/(%d+)")
end

--- The content of a buffer that `name` has named.
---@param buf integer
---@return string|nil kind
---@return string|nil dir the folder of a run
---@return integer|nil number of a call
function M.shown(buf)
  local what = shown[buf] or {}
  return what.kind, what.dir, what.number
end

--- Has a buffer been made by us, in this editor?
---@param buf integer
---@return boolean
function M.is_ours(buf)
  return ours[buf] or false
end

--- Make a buffer one of ours: no file, no undo, not modifiable. Modelines in it have no effect.
---@param buf integer
---@param filetype string
---@param bufhidden string
function M.prepare(buf, filetype, bufhidden)
  ours[buf] = true
  local options = vim.bo[buf]
  options.buftype, options.bufhidden, options.swapfile, options.undolevels = "nofile", bufhidden, false, -1
  options.modeline, options.modifiable, options.filetype = false, false, filetype
end

--- A buffer without a file that is wiped out when it is no longer shown: a new one, or an existing one.
---@param filetype string
---@param buf? integer
---@return integer buf
function M.scratch(filetype, buf)
  buf = buf or vim.api.nvim_create_buf(false, true)
  M.prepare(buf, filetype, "wipe")
  return buf
end

local MODIFIERS = {
  "aboveleft",
  "belowright",
  "botright",
  "browse",
  "confirm",
  "hide",
  "horizontal",
  "keepalt",
  "keepjumps",
  "keepmarks",
  "keeppatterns",
  "leftabove",
  "lockmarks",
  "noautocmd",
  "noswapfile",
  "rightbelow",
  "sandbox",
  "silent",
  "tab",
  "topleft",
  "unsilent",
  "verbose",
  "vertical",
}

--- The sort of modifiers that a command takes, or nil if these are right: none may be a command itself.
---@param mods any
---@return string|nil expected
function M.check_mods(mods)
  local expected = 'modifiers of a command such as "vertical"'
  if type(mods) ~= "string" then return expected end
  for word in mods:gmatch "%S+" do
    local name, is_known = word:match "^%d*(%a%a%a+)!?$", false
    for _, known in ipairs(name and MODIFIERS or {}) do
      is_known = is_known or known:sub(1, #name) == name
    end
    if not is_known then return expected end
  end
end

--- A window of this tab page that shows such a buffer already.
local function window_of(filetype)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == filetype then return win end
  end
end

-- The user's options for other windows: ours have only our own numbers and signs.
local PLAIN = "setlocal nofoldenable foldcolumn=0 nonumber norelativenumber nospell nolist "

--- Set the options of the windows that show a buffer. Windows opened from there have the user's again.
local function dress(buf, wrap)
  local options = PLAIN .. (wrap and "wrap" or "nowrap")
  if vim.fn.exists "&statuscolumn" == 1 then options = options .. " statuscolumn=" end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      vim.cmd(options)
    end)
  end
end

--- Show a buffer, and go there: in the window of this tab page that shows another of its filetype, else in a new one.
--- `:tab` always opens one. If there is no room for a window, this
--- raises, and a buffer that is not to be hidden is wiped out.
---@param buf integer
---@param mods? string command modifiers such as "vertical"
---@param wrap? boolean whether lines wider than the window are wrapped
---@param restored? boolean it is in its windows already
function M.show(buf, mods, wrap, restored)
  if restored then return dress(buf, wrap) end
  mods = mods or ""
  local win = not mods:find "tab" and window_of(vim.bo[buf].filetype)
  local used = win and pcall(vim.api.nvim_win_set_buf, win, buf) -- not if the user has tied it to its buffer
  if used then
    vim.api.nvim_set_current_win(win)
  else
    local ok, message = pcall(vim.cmd, ("%s sbuffer %d"):format(mods, buf))
    if not ok then
      if vim.bo[buf].bufhidden == "wipe" then vim.api.nvim_buf_delete(buf, { force = true }) end
      error(M.reason(message), 0)
    end
  end
  dress(buf, wrap)
end

--- Change a buffer, even one that is not modifiable; its `modifiable` and `modified` stay as they were.
---@param buf integer
---@param change fun()
---@return boolean ok
---@return string|nil message
function M.change(buf, change)
  local options = vim.bo[buf]
  local locked, modified = not options.modifiable, options.modified
  if locked then options.modifiable = true end
  local ok, message = pcall(change)
  if locked and vim.api.nvim_buf_is_valid(buf) then
    options.modifiable, options.modified = false, modified
  end
  return ok, not ok and M.reason(message) or nil
end

--- Fill a buffer again when `:edit` has emptied it.
---@param buf integer
---@param fill fun()
function M.on_edit(buf, fill)
  vim.api.nvim_create_autocmd("BufReadCmd", {
    buffer = buf,
    callback = function()
      fill()
    end,
  })
end

--- Do something once when a buffer is wiped out.
---@param buf integer
---@param act fun()
function M.on_wipe(buf, act)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = function()
      act()
    end,
  })
end

local NO_ROOM = "There is no room for a window" -- for one, or for the line above its first

--- The text of an error, in one sentence: without the place, the calls that led there and the command of Vim's.
---@param why any the error of pcall
---@return string
function M.reason(why)
  local message = check.message(why):gsub("\nstack traceback:.*$", "")
  message = message:gsub("^.*Vim%b():", ""):gsub("^.*Vim:", "")
  if message:find "^E36:" or message:find "^E1159:" then return NO_ROOM end
  return (message:gsub("^abridge: ", ""))
end

--- Tell the user about an error.
---@param message string
function M.complain(message)
  vim.notify("abridge: " .. message, vim.log.levels.ERROR)
end

return M
