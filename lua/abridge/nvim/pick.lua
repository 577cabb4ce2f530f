--- The calls of a run for `vim.ui.select`, which pickers take over.

local slices = require "abridge.base.time_slices"
local buffer = require "abridge.nvim.buffer"
local calls = require "abridge.nvim.calls"
local cells = require "abridge.nvim.cells"
local folder = require "abridge.run.folder"
local reader = require "abridge.run.reader"

local M = {}

local INPUT_CELLS = 60

local function line_of(call)
  local note = call.at and call.note or not call.at and "running" or nil
  local input = cells.middle(call.input, INPUT_CELLS)
  return ("%.0f  %s  %s%s"):format(call.number, call.tool, input, note and "  " .. note or "")
end

--- Open a call: its full output, or its window while it runs.
local function open(run, call)
  if not call.at then
    local command = require("abridge.nvim.command_window").running(run.dir, call.call_id)
    if not command then return buffer.complain "The call has not ended" end
    return command:show()
  end
  local event
  run:each(function(found)
    event = found
    return false
  end, call.at)
  if not event then return buffer.complain "The log has changed" end
  local pager, why = require("abridge.nvim.full_output").open(run, event, call.number)
  if not pager then buffer.complain(why) end
end

--- Offer the calls of the editor's run, or of the newest one, newest first. Raises if there is none.
function M.open()
  local dir = require("abridge.nvim.run").current_dir() or folder.newest()
  if not dir then error("No run has a log yet", 0) end
  local run, message = reader.open(dir)
  if not run then error(message, 0) end
  local list = calls.new(run)
  slices.start(function(work)
    local ok, why = list:read(work, function() end)
    if not ok then error(why, 0) end
    return {}
  end, function(value)
    if value.is_error then return buffer.complain(buffer.reason(value.text)) end
    local newest_first = {}
    for i = #list.all, 1, -1 do
      newest_first[#newest_first + 1] = list.all[i]
    end
    vim.ui.select(newest_first, { prompt = "Calls", kind = "abridge", format_item = line_of }, function(call)
      if not call then return run:close() end
      local opened, why = pcall(open, run, call)
      run:close()
      if not opened then buffer.complain(buffer.reason(why)) end
    end)
  end)
end

return M
