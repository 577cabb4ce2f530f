--- The input of a call and its end, each on one line, from the events of a log, which may be anyone's.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"
local display = require "abridge.output.display"
local kept = require "abridge.output.kept"

local M = {}

local MOST_CELLS = 200 -- of a name
local INPUT_END = 512 -- bytes at each end of an input that may show

--- Any value as a text for one line of the screen.
---@param value any
---@return string
function M.one_line(value)
  local text = display.visible((tostring(value == nil and "-" or value):sub(1, 4 * MOST_CELLS):gsub("%s", " ")))
  return text:sub(1, core.fit_cells(text, MOST_CELLS))
end

--- Fields of an input that say what a call is about; the first one found is shown, with the path it searches.
local TELLING = { "command", "pattern", "sql", "url", "query", "path" }

--- An input as a value: models write it as JSON.
---@param input any of a `tool_call`
---@return any
function M.decoded(input)
  if type(input) ~= "string" then return input end
  local ok, value = pcall(host.json().decode, input)
  return ok and type(value) == "table" and value or input
end

--- An input on one line; of a long one only both ends.
---@param input any of a `tool_call`
---@return string
function M.input(input)
  input = M.decoded(input)
  local text = input
  if type(input) == "table" then
    for _, name in ipairs(TELLING) do
      if type(input[name]) == "string" then
        text = input[name]
        if name == "pattern" and type(input.path) == "string" then text = text .. " in " .. input.path end
        if check.is_count(input.offset) then text = ("%s from %.0f"):format(text, input.offset) end
        break
      end
    end
    if text == input then text = next(input) and host.json().encode(input) or "" end
  end
  if type(text) ~= "string" then return "" end
  if #text > 2 * INPUT_END then text = text:sub(1, INPUT_END) .. "..." .. text:sub(-INPUT_END) end
  return display.visible((text:gsub("%s+", " ")))
end

--- The command that an input of `run_command` has, or nil.
---@param input any of a `tool_call`
---@return string|nil
function M.command(input)
  input = M.decoded(input)
  local command = type(input) == "table" and input.command
  return type(command) == "string" and command or nil
end

--- How a call ended and how much of it was kept, in words.
---@param event table its `tool_result`
---@return string|nil
function M.note(event)
  local exit = event.is_error == true and type(event.exit_line) == "string" and event.exit_line or nil
  local left = kept.words(event.cut)
  if not left and type(event.truncation) == "table" and event.truncation.truncated then
    left = type(event.truncation.reason) == "string" and event.truncation.reason or nil
  end
  local note = exit and left and exit .. "; " .. left or exit or left
  return note and M.one_line(note)
end

return M
