--- The text of `--help`, from the table of commands.

local core = require "abridge.base.core_loader"
local terminal = require "abridge.cli.terminal"

local M = {}

local WIDTH = 100 -- columns of a paragraph
local FORMS, FLAGS = 33, 23 -- columns of the left side

local function heading(text)
  return terminal.styled("heading", text) .. "\n"
end

--- Two columns; the right one starts on a line of its own if the left one is too wide.
local function row(left, right, width)
  if #left > width then return ("  %s\n  %s  %s\n"):format(left, (" "):rep(width), right) end
  return ("  %s%s  %s\n"):format(left, (" "):rep(width - #left), right)
end

--- A paragraph in lines of at most WIDTH columns.
local function wrapped(text)
  local lines, line = {}, ""
  for word in text:gmatch "%S+" do
    if line ~= "" and #line + 1 + #word > WIDTH then
      lines[#lines + 1], line = line, ""
    end
    line = line == "" and word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n") .. "\n"
end

--- A flag as help shows it: "-h, --help", "--max-lines N".
---@param flag abridge.cli.Flag
---@return string
function M.flag(flag)
  local name = (flag.short and "-" .. flag.short .. ", " or "") .. "--" .. flag.name
  if flag.optional then return ("%s[=%s]"):format(name, flag.shown) end
  return flag.value and name .. " " .. flag.shown or name
end

--- The purpose of a flag, with its possible words.
---@param flag abridge.cli.Flag
---@return string
function M.says(flag)
  local words = flag.value and flag.value.words
  return words and ("%s (%s)"):format(flag.says, table.concat(words, ", ")) or flag.says
end

local function call(command, form)
  return (form.words == "" and command.name) or command.name .. " " .. form.words
end

local function flag_rows(group)
  local parts = { "\n", heading(group.title) }
  for _, flag in ipairs(group) do
    parts[#parts + 1] = row(M.flag(flag), M.says(flag), FLAGS)
  end
  return table.concat(parts)
end

local function example_rows(examples)
  if #examples == 0 then return "" end
  local parts, width = { "\n", heading "Examples" }, 0
  for _, example in ipairs(examples) do
    width = math.max(width, #example[1])
  end
  for _, example in ipairs(examples) do
    parts[#parts + 1] = row(example[1], example[2], width)
  end
  return table.concat(parts)
end

--- Help for one command.
---@param command abridge.cli.Command
---@param everywhere abridge.cli.Flag[]
---@return string
function M.of(command, everywhere)
  local parts = {}
  for _, form in ipairs(command.forms) do
    parts[#parts + 1] = ("abridge %s\n  %s\n"):format(call(command, form), form.says)
  end
  for _, paragraph in ipairs(command.about or {}) do
    parts[#parts + 1] = "\n" .. wrapped(paragraph)
  end
  for _, group in ipairs(command.flags) do
    parts[#parts + 1] = flag_rows(group)
  end
  parts[#parts + 1] = flag_rows(everywhere)
  return table.concat(parts) .. example_rows(command.examples)
end

--- Help for all: the commands by task.
---@param commands table the table of commands
---@return string
function M.all(commands)
  local title = "abridge %s: what a language model sees of a tool's output, within a hard budget\n"
  local parts = { title:format(core.version) }
  for _, task in ipairs(commands.tasks) do
    parts[#parts + 1] = "\n" .. heading(task.title)
    for _, command in ipairs(task) do
      for _, form in ipairs(command.forms) do
        parts[#parts + 1] = row("abridge " .. call(command, form), form.says, FORMS)
      end
    end
  end
  parts[#parts + 1] = flag_rows(commands.everywhere) .. "\n" .. heading "Exit codes"
  for _, code in ipairs(commands.exit_codes) do
    parts[#parts + 1] = row(code[1], code[2], FLAGS)
  end
  parts[#parts + 1] = "\nabridge COMMAND --help lists the flags of a command.\n"
  return table.concat(parts)
end

return M
