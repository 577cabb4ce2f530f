--- Makes the man page, doc/abridge.1, of the table of commands that the command itself is made of. `make doc` runs it:
---
---     lua doc/man.lua > doc/abridge.1

local abridge = require "abridge"
local commands = require "abridge.cli.commands"
local help = require "abridge.cli.help"

local M = {}

--- A text as roff reads it back.
local function escaped(text)
  text = text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("'", "\\(aq"):gsub("~", "\\(ti"):gsub("%^", "\\(ha")
  return (text:gsub("^%.", "\\&."))
end

local function bold(text)
  return "\\fB" .. escaped(text) .. "\\fR"
end

--- A synopsis: what is typed as it stands is bold, names of what it stands for are in italics.
local function synopsis(command, form)
  local words = escaped(form.words):gsub("%f[%w_]%u[%u_]+", "\\fI%0\\fR"):gsub("%f[%w]flags%f[%W]", "\\fI%0\\fR")
  return bold("abridge " .. command.name) .. " " .. words
end

--- A term and what it means.
local function term(name, says)
  return ".TP\n" .. name .. "\n" .. escaped(says) .. "\n"
end

local function flag_term(flag)
  local name = (flag.short and bold("-" .. flag.short) .. ", " or "") .. bold("--" .. flag.name)
  local shown = flag.value and ("\\fI%s\\fR"):format(escaped(flag.shown))
  if flag.optional then
    name = ("%s[=%s]"):format(name, shown)
  elseif shown then
    name = name .. " " .. shown
  end
  return term(name, help.says(flag))
end

--- Groups of flags that many commands have stand in a section of their own.
local function shared_groups()
  local uses, shared = {}, {}
  for _, command in ipairs(commands.all()) do
    for _, group in ipairs(command.flags) do
      uses[group] = (uses[group] or 0) + 1
      if uses[group] == 3 then shared[#shared + 1] = group end
    end
  end
  return shared, uses
end

local function command_section(command, uses)
  local parts = { ".SS " .. escaped(command.name) .. "\n" }
  for _, form in ipairs(command.forms) do
    parts[#parts + 1] = term(synopsis(command, form), form.says:gsub("^%l", string.upper) .. ".")
  end
  for _, paragraph in ipairs(command.about or {}) do
    parts[#parts + 1] = ".PP\n" .. escaped(paragraph) .. "\n"
  end
  for _, group in ipairs(command.flags) do
    if uses[group] > 2 then
      parts[#parts + 1] = (".PP\nAlso the flags under %s.\n"):format(bold(group.title:upper()))
    else
      for _, flag in ipairs(group) do
        parts[#parts + 1] = flag_term(flag)
      end
    end
  end
  return table.concat(parts)
end

local function flag_section(group)
  local parts = { ".SH " .. group.title:upper() .. "\n" }
  for _, flag in ipairs(group) do
    parts[#parts + 1] = flag_term(flag)
  end
  return table.concat(parts)
end

local function terms(heading, list)
  local parts = { ".SH " .. heading .. "\n" }
  for _, item in ipairs(list) do
    parts[#parts + 1] = term(bold(item[1]), item[2]:gsub("^%l", string.upper) .. ".")
  end
  return table.concat(parts)
end

local function examples()
  local parts = {}
  for _, command in ipairs(commands.all()) do
    for _, example in ipairs(command.examples) do
      local says = example[2]:gsub("^%l", string.upper)
      parts[#parts + 1] = ("%s:\n.EX\n    %s\n.EE\n"):format(escaped(says), escaped(example[1]))
    end
  end
  return ".SH EXAMPLES\n" .. table.concat(parts, ".PP\n")
end

local HEADER = [[
.\" Made by `make doc` of lua/abridge/cli/commands.lua.
.TH ABRIDGE 1 "" "abridge %s" "User Commands"
.SH NAME
abridge \- what a language model sees of a tool's output, within a hard budget
.SH SYNOPSIS
]]

local DESCRIPTION = [[
.SH DESCRIPTION
.B abridge
cuts what commands print, files hold and tools return to hard budgets of lines, bytes, chars and tokens, and says in a
notice what was left out and how to get it.
A flag's value follows it, after a blank or an equals sign; after
.B \-\-
all words are words.
.PP
Content is printed byte for byte; on a terminal, a newline is added if it lacks one.
What takes over a second shows on a terminal's stderr how far it is, until it is done.
.SH COMMANDS
]]

--- The man page.
---@return string
function M.page()
  local shared, uses = shared_groups()
  local parts, forms = { HEADER:format(abridge.version) }, {}
  for _, command in ipairs(commands.all()) do
    for _, form in ipairs(command.forms) do
      forms[#forms + 1] = synopsis(command, form)
    end
  end
  parts[2] = table.concat(forms, "\n.br\n") .. "\n" .. DESCRIPTION
  for _, command in ipairs(commands.all()) do
    parts[#parts + 1] = command_section(command, uses)
  end
  for _, group in ipairs(shared) do
    parts[#parts + 1] = flag_section(group)
  end
  parts[#parts + 1] = flag_section(commands.everywhere):gsub("%.SH OTHER", ".SH OTHER FLAGS")
  parts[#parts + 1] = terms("EXIT STATUS", commands.exit_codes)
  parts[#parts + 1] = terms("ENVIRONMENT", commands.environment)
  parts[#parts + 1] = examples()
  parts[#parts + 1] = ".SH SEE ALSO\nhttps://github.com/abridge\\-tools/abridge\n"
  return table.concat(parts)
end

if not ... then io.write(M.page()) end

return M
