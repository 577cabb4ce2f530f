--- The effects of tools, as far as we know them: which read or write a file, and which may be called again. By whole
--- names alone: words inside a name tell nothing.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local paths = require "abridge.base.paths"
local profiles = require "abridge.output.profiles"
local sentences = require "abridge.output.sentences"

local M = {}

---@class (exact) abridge.HistoryTool The effects of a tool; a host gives them in `tools`.
---@field reads? string the argument with the path of the file it reads
---@field writes? string the argument with the path of the file it writes
---@field repeatable? boolean calling it again does no harm and tells the same; unless set, true if it only reads

local PATHS = { "path", "file_path" } -- arguments of tools by these names

local READER = { reads = PATHS, repeatable = true }
local WRITER = { writes = PATHS }
local REPEATABLE = { repeatable = true }

---@type table<string, { reads: string[]|nil, writes: string[]|nil, repeatable: boolean|nil }>
local KNOWN = {
  -- ours
  read_file = READER,
  search_files = REPEATABLE,
  find_files = REPEATABLE,
  list_directory = REPEATABLE,
  web_fetch = REPEATABLE,
  run_command = {},
  sql_query = {}, -- may write if the host allows it
  -- those of other agents
  Read = READER,
  view = READER,
  grep = REPEATABLE,
  ls = REPEATABLE,
  Edit = WRITER,
  edit = WRITER,
  edit_file = WRITER,
  Write = WRITER,
  write = WRITER,
  write_file = WRITER,
  str_replace = WRITER,
}

for _, profile in pairs(profiles.all) do
  for alias, name in pairs(profile.aliases or {}) do
    KNOWN[alias] = KNOWN[name]
  end
end

-- the host's words --------------------------------------------------------------------

local FIELDS = { reads = "string", writes = "string", repeatable = "boolean" }

local given_last = {} -- rows that a host gave: one table for equal ones

--- The `tools` of a host, checked. Raises `deeper` levels above the caller.
---@param who string
---@param given table<string, abridge.HistoryTool|false>|nil
---@param deeper integer
---@return table<string, table|false>
function M.checked(who, given, deeper)
  local rows = {}
  for name, row in next, given or {} do
    local where = ("%s: tools.%s"):format(who, check.name(name))
    if type(name) ~= "string" then
      check.fail(("%s: tools must have names as keys, got %s"):format(who, check.show(name)), deeper)
    elseif row == false then
      rows[name] = false
    elseif type(row) ~= "table" then
      check.fail(("%s must be a table or false, got %s"):format(where, check.show(row)), deeper)
    else
      row = check.options(where, row, FIELDS, deeper + 1)
      local repeatable = row.repeatable
      if repeatable == nil then repeatable = row.reads ~= nil and row.writes == nil end
      rows[name] =
        { reads = row.reads and { row.reads }, writes = row.writes and { row.writes }, repeatable = repeatable }
    end
  end
  if encode.json(rows) ~= encode.json(given_last) then given_last = rows end
  return given_last
end

--- The name of the tool itself, for one that a session's model may know by another.
---@param name string
---@param opts table of `history.fit`
---@return string
function M.own_name(name, opts)
  return opts.session and opts.session.table_of_limits.aliases[name] or name
end

--- The facts known of a tool.
local function row_of(name, opts)
  local row = opts.tools[name]
  if row == nil then row = KNOWN[M.own_name(name, opts)] end
  return row or nil
end

--- May a tool be called again for its output?
---@param name string
---@param opts table
---@return boolean
function M.is_repeatable(name, opts)
  local row = row_of(name, opts)
  return row ~= nil and row.repeatable or false
end

-- files ---------------------------------------------------------------------------------

local function argument(input, keys)
  for _, key in ipairs(keys or {}) do
    local value = rawget(input, key)
    if type(value) == "string" and value ~= "" then return value, key end
  end
end

--- The files that a call reads or writes.
---@class (exact) abridge.history.Deed
---@field key string equal where the same tool is asked for the same
---@field path? string as the call has it
---@field reads? string the file it reads, made plain
---@field writes? string the file it writes, made plain

--- A text that is equal for equal inputs alone: each string as it is, behind its length.
local function key_of(input)
  local names, parts = {}, {}
  for name in next, input do
    if type(name) ~= "string" then return encode.json(input) or "" end
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = rawget(input, name)
    local text = type(value) == "string" and value or encode.json(value) or ""
    parts[i] = ("%d:%s=%s%d:%s"):format(#name, name, type(value):sub(1, 1), #text, text)
  end
  return table.concat(parts)
end

--- The effect of a call.
---@param call abridge.history.MadeCall
---@param opts table of `history.fit`
---@return abridge.history.Deed
function M.deed(call, opts)
  local name, input = call.name or "", call.input
  local own, row = M.own_name(name, opts), row_of(name, opts)
  if type(input) ~= "table" then return { key = own .. "\0" .. tostring(input) } end
  local reads, reads_key = argument(input, row and row.reads)
  local writes, writes_key = argument(input, row and row.writes)
  local cwd = opts.session and opts.session.cwd
  local deed = { path = reads or writes }
  deed.reads, deed.writes = reads and paths.plain(reads, cwd), writes and paths.plain(writes, cwd)
  local key = reads_key or writes_key
  if key then
    input = check.copied(input)
    input[key] = deed.reads or deed.writes
  end
  deed.key = own .. "\0" .. key_of(input)
  return deed
end

-- lines of files ------------------------------------------------------------------------

local NOTICE_BYTES = 1000 -- more than any notice of a page has

--- The end of a text, if a notice of ours may be in it: one ends in a bracket.
local function ending_of(text)
  local ending = text:sub(-NOTICE_BYTES)
  local at = #ending
  while at > 0 and ending:find("^%s", at) do
    at = at - 1
  end
  return ending:byte(at) == 93 and ending or ""
end

local OURS = { path = true, offset = true, limit = true, column = true } -- arguments of our read_file
local OTHERS = { path = true, file_path = true, offset = true, limit = true }

local function has_only(input, keys)
  for key in next, input do
    if not keys[key] then return false end
  end
  return true
end

--- The first line that a call asks for; nil if it asks for none.
local function first_line(input)
  local first = rawget(input, "offset")
  first = first == nil and 1 or tonumber(first)
  return check.is_count(first) and first > 0 and first or nil
end

--- The lines of a file that a page of our read_file has, if it says which or is a file's start.
---@param own_name string
---@param input any
---@param text string
---@return integer|nil first
---@return integer|nil last
function M.page(own_name, input, text)
  if own_name ~= "read_file" or type(input) ~= "table" or not has_only(input, OURS) then return nil end
  local ending = ending_of(text)
  local shown, last_shown = ending:match "\n\n%[Showing lines (%d+)%-(%d+) of [^\n]*%]%s*$"
  if shown then return tonumber(shown), tonumber(last_shown) end
  local first = first_line(input)
  if not first then return nil end
  local next_line = tonumber(ending:match "\n%[[^\n]*Use offset=(%d+) to continue%]%s*$")
  if not next_line then
    if ending:find "\n%[[^\n]*%]%s*$" then return nil end
    next_line = first + core.count_lines(text)
  end
  if next_line > first then return first, next_line - 1 end
end

--- The lines of a file that a read showed, for comparing reads by the same tool; nil if that is not sure.
---@param own_name string
---@param input any
---@param text string
---@return integer|nil first
---@return integer|nil last
function M.lines_read(own_name, input, text)
  if own_name == "read_file" then return M.page(own_name, input, text) end
  if type(input) ~= "table" or not has_only(input, OTHERS) then return nil end
  local first = first_line(input)
  if not first or text:sub(-NOTICE_BYTES):find "\n%s*[%[(<][^\n]*%s*$" then return nil end -- may end in a notice
  local lines, limit = core.count_lines(text), tonumber(rawget(input, "limit"))
  if lines > 0 then return first, first + math.min(lines, limit or lines) - 1 end
end

-- calls in a sentence -------------------------------------------------------------------

--- The key under which calls that went stand together: a tool, and the file if it writes one.
---@param deed abridge.history.Deed
---@param name string
---@return string
function M.group(deed, name)
  return deed.writes and name .. " " .. sentences.path(deed.path) or name
end

return M
