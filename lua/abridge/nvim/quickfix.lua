--- The places in a call's full output as Neovim's quickfix list.

local host = require "abridge.base.host"
local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local calls = require "abridge.nvim.calls"
local failures = require "abridge.nvim.failures"
local full_output = require "abridge.nvim.full_output"
local jump = require "abridge.nvim.jump"
local display = require "abridge.output.display"
local folder = require "abridge.run.folder"
local reader = require "abridge.run.reader"
local words = require "abridge.run.call_words"

local M = {}

local MOST = 10000 -- items
local CHUNK = 100 -- items that are added in one go
local LINE = 500 -- bytes of a line without a message that are shown
local TYPES = { error = "E", warning = "W", note = "N" }

--- The text of an item: the message, or the whole line if there is none.
local function text_of(place, text, at)
  if place.message ~= "" then return display.visible(place.message) end
  return vim.trim(display.visible(text:sub(at, at + LINE):match "^[^\n]*"))
end

local function item_of(place, cwd, text, at)
  return {
    filename = jump.path(place.file, cwd),
    lnum = place.lnum,
    col = place.col or 0,
    text = text_of(place, text, at),
    type = TYPES[place.severity] or "",
  }
end

--- Fill a new quickfix list with the places in a source. Its window opens with the first of them, since opening it on
--- 10,000 holds the editor.
---@return integer count
local function fill(work, source, cwd, title)
  vim.fn.setqflist({}, " ", { title = title })
  local id = vim.fn.getqflist({ id = 0 }).id
  local items, count, chunks = {}, 0, 0
  local function add()
    if chunks == 1 then work:rest() end -- these are the first that an open window shows
    vim.fn.setqflist({}, "a", { id = id, items = items })
    items, chunks = {}, chunks + 1
    if chunks > 1 or count == 0 then return end
    work:rest()
    if vim.fn.getqflist({ id = 0 }).id == id then vim.cmd "botright copen" end
  end
  failures.each(work, source, 0, math.huge, function(place, _, text, at)
    items[#items + 1], count = item_of(place, cwd, text, at), count + 1
    if #items == CHUNK then add() end
    return count < MOST
  end)
  add()
  return count
end

--- The event of a call's result, and that of the call.
---@return table|nil event
---@return table|string asked its `tool_call`, or the reason that there is none
local function find(work, run, number)
  local found
  calls.new(run):read(work, function(call)
    if call.number == number then found = call end
    return not (found and found.at)
  end)
  if not found then return nil, ("There is no call %.0f"):format(number) end
  if not found.at then return nil, ("Call %.0f has not ended"):format(number) end
  local event = calls.event_at(run, found.at)
  return event, event and calls.event_at(run, found.from) or {}
end

--- The folder that a call of a log ran in.
local function folder_of(asked)
  local input = words.decoded(asked.input)
  local base = require("abridge.nvim.run").session().cwd or host.uv().cwd()
  local own = type(input) == "table" and input.cwd
  return type(own) == "string" and jump.path(own, base) or base
end

---@class (exact) abridge.nvim.Output An output whose places are wanted.
---@field dir? string of its run
---@field event? table its `tool_result`, if it is known
---@field number? integer by which it is found in the log, if it is not
---@field title? string
---@field cwd? string

--- Which output is meant: that of a call by its number, that of the current window, else that of the newest command.
--- Raises if there is none.
---@return abridge.nvim.Output
local function meant(number)
  local buf = vim.api.nvim_get_current_buf()
  local kind, dir, own = buffer.shown(buf)
  if kind == "log" then own = require("abridge.nvim.log").number_here() end
  if not number and (not kind or kind == "run" or kind == "keys") then
    local event, run = require("abridge.nvim.command_window").event(buf)
    if run then return { dir = run.dir, event = event, title = words.input(run), cwd = run.cwd } end
  end
  if kind and kind ~= "keys" and not dir then error("This run keeps no log", 0) end
  dir = dir or require("abridge.nvim.run").current_dir() or folder.newest()
  if not dir then error("No run has a log yet", 0) end
  number = number or own
  if not number then error("No call here", 0) end
  return { dir = dir, number = number }
end

--- Look an output up in its log, unless it is known.
---@param run abridge.Run|nil
local function complete(work, run, output)
  if output.event then return end
  local event, asked = find(work, run, output.number)
  if not event then error(asked, 0) end
  output.event, output.title, output.cwd = event, words.input(asked.input), folder_of(asked)
end

--- Fill the quickfix list with the places in the full output of a call, in turns with the editor, and open it.
---@param number? integer of a call; else that of the current window, or the newest command
function M.open(number)
  local output = meant(number)
  local run, message
  if output.dir then
    run, message = reader.open(output.dir)
    if not run then error(message, 0) end
  end
  slices.start(function(work)
    if run then work:hold(run) end
    complete(work, run, output)
    local source, close = full_output.source(run, output.event)
    if not source then error(close, 0) end
    work:hold { close = close }
    local count = fill(work, source, output.cwd, "abridge: " .. output.title:gsub("^ ", ""))
    work:close_held()
    return { count = count }
  end, function(value)
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    if value.count == 0 then buffer.complain "No line of the output names a place in a file" end
  end)
end

return M
