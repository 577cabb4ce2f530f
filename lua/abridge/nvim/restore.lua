--- Buffers of ours that Neovim brings back by their names alone: those of a session (`:mksession`), of `:oldfiles`, of
--- a jump. Their contents are in the log of their run.

local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local calls = require "abridge.nvim.calls"
local folder = require "abridge.run.folder"
local reader = require "abridge.run.reader"
local words = require "abridge.run.call_words"

local M = {}

local GONE = "This run is gone"

--- The log of a folder's name: that of this editor, or one in the state directory.
---@param name string
---@return abridge.Run|nil
local function run_of(name)
  local own = require("abridge.nvim.run").current_dir()
  if own and own:match "[^/]*$" == name then return (reader.open(own)) end
  return name:find(folder.FRESH) and (reader.open(folder.state_dir() .. "/" .. name)) or nil
end

local function show_gone(buf)
  buffer.prepare(buf, "abridge-gone", "hide")
  buffer.change(buf, function()
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, { GONE })
  end)
  buffer.show(buf, nil, false, true)
end

--- Show a call that has ended; false if there is nothing to show.
local function show_call(buf, kind, run, call)
  local event = calls.event_at(run, call.at)
  if not event then return false end
  if kind == "output" then return require("abridge.nvim.full_output").open(run, event, call.number, buf) ~= nil end
  if kind == "result" then
    require("abridge.nvim.log").restore_result(run, event, call.number, buf)
    return true
  end
  local asked = calls.event_at(run, call.from)
  local command = asked and words.command(asked.input)
  if not command then return false end
  require("abridge.nvim.command_window").restore(buf, run.dir, call.number, command, event)
  run:close()
  return true
end

--- Look a call up in turns with the editor, then show it.
local function find_call(buf, kind, run, number)
  local found
  slices.start(function(work)
    calls.new(run):read(work, function(call)
      if call.number == number then found = call end
      return not (found and found.at)
    end)
    return {}
  end, function()
    if not vim.api.nvim_buf_is_loaded(buf) then return run:close() end
    local ok, shown = pcall(show_call, buf, kind, run, found or {})
    if ok and shown then return end
    run:close()
    show_gone(buf)
  end)
end

--- Fill a buffer that has a name of ours and nothing in it, and is not ours yet.
---@param buf integer
function M.load(buf)
  local kind, name, number = buffer.parsed(vim.api.nvim_buf_get_name(buf))
  if not kind then return end
  vim.bo[buf].buflisted = false
  buffer.prepare(buf, "abridge-" .. kind, "hide")
  local run = run_of(name)
  if run and kind == "log" then return require("abridge.nvim.log").restore(run, buf) end
  if run and number and (kind == "run" or kind == "output" or kind == "result") then
    return find_call(buf, kind, run, number)
  end
  if run then run:close() end
  show_gone(buf)
end

return M
