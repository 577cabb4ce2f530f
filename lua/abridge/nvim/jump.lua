--- From a place in an output to its line in a file, in a window that is not ours.

local files = require "abridge.base.files"
local host = require "abridge.base.host"
local listed_name = require "abridge.base.listed_name"
local paths = require "abridge.base.paths"
local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local cells = require "abridge.nvim.cells"
local failures = require "abridge.nvim.failures"

local M = {}

local NAME_CELLS = 50 -- of a file in a message

--- May a file be shown in this window?
local function is_ordinary(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return vim.api.nvim_win_get_config(win).relative == ""
    and vim.bo[buf].buftype == ""
    and not buffer.is_ours(buf)
    and not vim.wo[win].previewwindow
end

--- The window that the user came from, or the ordinary one nearest to this; nil if there is none.
local function nearest()
  local here, best = vim.fn.winnr(), nil
  local before = vim.fn.win_getid(vim.fn.winnr "#")
  if before ~= 0 and is_ordinary(before) then return before end
  for number = 1, vim.fn.winnr "$" do
    local closer = not best or math.abs(number - here) < math.abs(best - here)
    if closer and is_ordinary(vim.fn.win_getid(number)) then best = number end
  end
  return best and vim.fn.win_getid(best)
end

--- The path of a file that an output names.
---@param file string
---@param cwd string folder that the command ran in
---@return string
function M.path(file, cwd)
  if file:find "^~/" then return (host.uv().os_homedir() or "~") .. file:sub(2) end
  return paths.joined(cwd, file)
end

--- Show a buffer in an ordinary window, and go there.
local function show(buf)
  local win = nearest()
  if win then
    vim.api.nvim_set_current_win(win)
    if pcall(vim.api.nvim_win_set_buf, win, buf) then return end -- not if it is tied to its buffer
  end
  vim.cmd "aboveleft new" -- a split of ours would have its options
  vim.bo.bufhidden = "wipe"
  vim.api.nvim_win_set_buf(0, buf)
end

--- Go to a place. If its file is not there, or there is no room for a window, one sentence says so.
---@param place abridge.Location
---@param cwd string folder that the command ran in
function M.go(place, cwd)
  local path = M.path(place.file, cwd)
  local stat = host.uv().fs_stat(path)
  if not (stat and stat.type == "file") then
    return buffer.complain("There is no file " .. cells.middle(listed_name.escape(place.file), NAME_CELLS))
  end
  local ok, why = pcall(function()
    local buf = vim.fn.bufadd(files.absolute(path))
    vim.fn.bufload(buf)
    vim.bo[buf].buflisted = true
    show(buf)
    vim.cmd "normal! m'"
    local line = math.min(place.lnum, vim.api.nvim_buf_line_count(0))
    local text = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1] or ""
    vim.api.nvim_win_set_cursor(0, { line, math.min((place.col or 1) - 1, #text) })
    vim.cmd "normal! zv"
  end)
  if not ok then buffer.complain(buffer.reason(why)) end
end

--- Go to the place that a line of an output names.
---@param source abridge.nvim.Source|nil nil: there is no line
---@param byte integer|nil of its start
---@param cwd string
---@param otherwise fun() called if it names none
function M.from(source, byte, cwd, otherwise)
  if not source then return otherwise() end
  slices.start(function(work)
    return { place = failures.at(work, source, byte) }
  end, function(value)
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    if not value.place then return otherwise() end
    M.go(value.place, cwd)
  end)
end

return M
