--- Fills the marked regions of doc/lua.md, doc/history.md and doc/gateway.md, from the annotations in lua/, the table
--- of commands and the register of kinds, and writes the type of a kind into lua/abridge/base/types.lua. `make doc`
--- runs it; the core and LUA_PATH as for `make names`.
---
--- A region starts with `<!-- WHAT: NAMES -->` and ends with `<!-- end -->`. WHAT is
---
---   * `options`, `fields`: a row for each field of these classes; among `fields`, functions have their parameters. A
---     field without a description shares the row of the one before it; "(default: X)" at the end of a description goes
---     into a column of its own.
---   * `calls`: a line for each of these functions and methods, with the names that its results have in `@return`.
---   * `commands`: a line for each way to call the commands, "all" of them.
---   * `flags`: a row for each flag of the commands, "all" of them.
---   * `kinds`: the tables of the register, "kinds" or "examples".

local commands = require "abridge.cli.commands"
local docs = require "names.docs"
local help = require "abridge.cli.help"
local kinds = require "kinds"
local lua_api = require "names.lua_api"

local M = {}

local function cell(text)
  return (text:gsub("|", "\\|"))
end

-- options and fields ---------------------------------------------------------------------

--- A field's name in code; that of a function to call has its parameters.
local function shown_name(field, about, is_called)
  if not is_called or not about.type:find "^fun%(" then return "`" .. field .. "`" end
  return ("`%s(%s)`"):format(field, table.concat(lua_api.told_of_type(about.type).params, ", "))
end

--- The rows of a class: { names =, text =, default = }.
local function rows_of(known, name, rows, is_called)
  local class = assert(known.classes[name], "no class " .. name)
  for _, field in ipairs(class.order) do
    local text, shown = class.fields[field].text, shown_name(field, class.fields[field], is_called)
    if text == "" then
      assert(rows[#rows], name .. "." .. field .. " has no description")
      table.insert(rows[#rows].names, shown)
    else
      local value, default = text:match "^(.-) ?%(default: (.*)%)$"
      rows[#rows + 1] = { names = { shown }, text = value or text, default = default }
    end
  end
end

local function field_table(known, names, header, is_called)
  local rows, with_defaults = {}, false
  for name in names:gmatch "%S+" do
    rows_of(known, name, rows, is_called)
  end
  for _, row in ipairs(rows) do
    with_defaults = with_defaults or row.default ~= nil
  end
  local lines = { header .. (with_defaults and " default |" or ""), "|---|---|" .. (with_defaults and "---|" or "") }
  for _, row in ipairs(rows) do
    local line = ("| %s | %s |"):format(table.concat(row.names, ", "), cell(row.text))
    if with_defaults then line = line .. (row.default and " " .. cell(row.default) .. " |" or " |") end
    lines[#lines + 1] = line
  end
  return lines
end

-- calls -----------------------------------------------------------------------------------

--- One way to call a function, and a remark beside it. Results that stand for a failure are told there.
local function call_line(shown, about)
  local results, remark = {}, about.text
  for i, name in ipairs(about.results) do
    if i > 1 and (name == "message" or name == "code") then
      remark = name == "code" and "or nil, message, code" or "or nil, message"
    else
      results[i] = name
    end
  end
  local left = #results > 0 and table.concat(results, ", ") .. " = " or ""
  return { ("    %s%s(%s)"):format(left, shown, table.concat(about.params, ", ")), remark }
end

--- Lines, each with the remark beside it in one column.
local function beside(lines, mark)
  local widest = 0
  for _, line in ipairs(lines) do
    widest = math.max(widest, #line[1])
  end
  for i, line in ipairs(lines) do
    lines[i] = line[1] .. (line[2] and (" "):rep(widest - #line[1]) .. mark .. line[2] or "")
  end
  return lines
end

local function call_lines(known, names)
  local lines = {}
  for name in names:gmatch "%S+" do
    for _, about in ipairs(lua_api.called(known, name)) do
      lines[#lines + 1] = call_line(about.shown, about)
    end
  end
  return beside(lines, "  -- ")
end

local function command_lines()
  local lines = {}
  for _, command in ipairs(commands.all()) do
    for _, form in ipairs(command.forms) do
      lines[#lines + 1] = { ("    abridge %s %s"):format(command.name, form.words), form.says }
    end
  end
  return beside(lines, "  ")
end

--- Flags of one name and text share a row, and name their commands.
local function flag_lines()
  local rows, by_text = {}, {}
  local function add(flag, command)
    local name, text = ("`%s`"):format(help.flag(flag)), cell(help.says(flag))
    local row = by_text[name .. text]
    if not row then
      row = { name = name, text = text, of = {} }
      by_text[name .. text], rows[#rows + 1] = row, row
    end
    row.of[#row.of + 1] = command
  end
  for _, command in ipairs(commands.all()) do
    for _, group in ipairs(command.flags) do
      for _, flag in ipairs(group) do
        add(flag, command.name)
      end
    end
  end
  for _, flag in ipairs(commands.everywhere) do
    add(flag, "all")
  end
  local lines = { "| flag | commands | effect |", "|---|---|---|" }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ("| %s | %s | %s |"):format(row.name, table.concat(row.of, ", "), row.text)
  end
  return lines
end

-- regions ---------------------------------------------------------------------------------

local MAKERS = {
  options = function(known, names)
    return field_table(known, names, "| option | value |")
  end,
  fields = function(known, names)
    return field_table(known, names, "| field | meaning |", true)
  end,
  calls = call_lines,
  commands = command_lines,
  flags = flag_lines,
  kinds = function(known, which)
    return { (kinds.table(known.kinds, which):gsub("\n$", "")) }
  end,
}

--- A page with its regions filled.
---@param page string
---@param known table what `M.known` returns
---@return string
function M.filled(page, known)
  local function fill(mark, what, names)
    local maker = assert(MAKERS[what], "no such region: " .. what)
    return ("%s\n\n%s\n\n<!-- end -->"):format(mark, table.concat(maker(known, names), "\n"))
  end
  return (page:gsub("(<!%-%- (%l+): ([^\n]-) %-%->)\n.-<!%-%- end %-%->", fill))
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

--- What the sources say: annotations and the register of kinds.
function M.known()
  local known = docs.read "lua"
  known.kinds = kinds.rows(read "csrc/kinds/kinds.def")
  return known
end

--- What each generated file should be, by its path.
---@return table<string, string>
function M.files()
  local known, types = M.known(), "lua/abridge/base/types.lua"
  local files = { [types] = kinds.types(read(types), known.kinds) }
  for _, page in ipairs { "doc/lua.md", "doc/history.md", "doc/gateway.md" } do
    files[page] = M.filled(read(page), known)
  end
  return files
end

if arg and (arg[0] or ""):find "reference%.lua$" then
  for path, text in pairs(M.files()) do
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
  end
end

return M
