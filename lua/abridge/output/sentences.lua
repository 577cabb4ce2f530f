--- Sentences in place of a tool's content or around it: errors, exit lines, hints, descriptions; and how values read in
--- them. The sentences about a cut are in notice.lua; a model reads no others of ours.

local core = require "abridge.base.core_loader"
local exit_line = require "abridge.output.exit_line"
local shell = require "abridge.base.shell"

local M = {}

-- values -----------------------------------------------------------------------

--- A number and its noun.
local function counted(n, one, many)
  return ("%.0f %s"):format(n, n == 1 and one or many or one .. "s")
end

--- Replace each {name} of a template by values[name]; {name|noun} and {name|noun|nouns} by a number and its noun.
---@param template string
---@param values table<string, string|number>
---@return string
function M.fill(template, values)
  return (
    template:gsub("{([%w_]+)|?([%a ]*)|?([%a ]*)}", function(name, one, many)
      local value = values[name]
      if type(value) ~= "number" then return value end
      if one == "" then return ("%.0f"):format(value) end
      return counted(value, one, many ~= "" and many or nil)
    end)
  )
end

local function is_printable(path)
  if not path:find "[^ -~]" then return true end
  local _, invalid = core.count_chars(path)
  return invalid == 0 and not path:find "[%z\1-\31\127]" and not path:find "\194[\128-\159]"
end

--- A path as prose shows it.
---@param path string
---@return string
function M.path(path)
  return is_printable(path) and path or "path in details"
end

--- A JSON pointer as an error shows it, after a word.
---@param pointer string
---@return string
function M.pointer(pointer)
  return pointer ~= "" and is_printable(pointer) and " " .. pointer or ""
end

--- The array or object at a pointer.
---@param pointer string
---@return string
function M.place_in_json(pointer)
  return pointer == "" and "the document" or is_printable(pointer) and pointer or "what it leads to"
end

--- A path as one word of a shell command.
---@param path string
---@return string
function M.quoted(path)
  if not is_printable(path) then return "path in details" end
  return shell.quote(path:sub(1, 1) == "-" and "./" .. path or path)
end

--- The whole that the items of a cut are parts of, after them: " of /items". Nothing at the root, and if it cannot be
--- printed.
---@param pointer string|nil of JSON
---@return string
function M.of_pointer(pointer)
  if not pointer or pointer == "" or not is_printable(pointer) then return "" end
  return " of " .. pointer
end

--- The number before a line, as `cat -n` writes it.
---@param line integer
---@return string
function M.line_number(line)
  return ("%6.0f\t"):format(line)
end

-- listings -----------------------------------------------------------------------

M.empty_directory = "(empty directory)"
--- Between groups of lines that are not adjacent.
M.group_separator = "--"
--- In place of the items of a listing: when there are none, and past the last one.
M.nothing_found = { matches = "No matches found", results = "No files found matching pattern" }
M.no_more = { matches = "No more matches", results = "No more files" }

-- exit lines -----------------------------------------------------------------------

M.no_output, M.part_lost = exit_line.no_output, exit_line.part_lost
M.incomplete, M.exit_line = exit_line.incomplete, exit_line.line

--- How a command ended, within a sentence, from its exit line: "exit 2", "timed out after 5 seconds".
---@param line string
---@return string|nil
function M.ended(line)
  local how = line:match "^Command (.*)"
  return how and (how:gsub("^exited with code", "exit"):gsub("%. Output incomplete: .*", ""))
end

--- The line that says why a search did not finish.
---@param timeout number seconds
---@param finish { timed_out: boolean|nil, problem: string|nil }
---@return string
function M.search_ended(timeout, finish)
  if finish.timed_out then return ("Search timed out after %.14g seconds"):format(timeout) end
  return "Search ended early: " .. finish.problem
end

-- errors and other sentences in place of content ----------------------------------------

local ERRORS = {
  unknown_tool = "Unknown tool: {name}",
  invalid_input = "Invalid input: {what}",
  denied = "Not approved: {what}",
  denied_plain = "Not approved",
  no_result = "Tool {name} ended without a result",
  raised = "Tool {name} failed",
  aborted = "Tool {name} was aborted",
  closed = "The session is closed",
  nested = "Not called: calls are nested more than {count} deep",
  no_json = "This value cannot be written as JSON: {what}",
  no_text = "{kind}: neither text nor a value that can be written as JSON",
  ENOENT = "No such file or directory: {path}",
  EACCES = "Permission denied: {path}",
  EISDIR = "Is a directory: {path}",
  ENOTDIR = "Not a directory: {path}",
  EOUTSIDE = "Path is outside the session root: {path}",
  ENOTREG = "Not a regular file: {path} is a {what}",
  EOFFSET = "Offset {offset} is beyond end of file ({total|line} total)",
  EBINARY = "Binary file: {path} has a NUL within its first 8,000 bytes",
  EOFFSET_entries = "Offset {offset} is beyond end of directory ({total|entry|entries} total)",
  ECOLUMN = "Column {column} is beyond end of line {offset} ({total|char})",
  EIO = "Cannot read {path}: {what}",
  EJSON = "Not JSON: {path} ({what} at byte {at})",
  EPOINTER_syntax = "Invalid pointer{pointer}: {what}",
  EPOINTER_element = "Pointer{pointer} leads nowhere: {where} has {total|element}",
  EPOINTER_member = "Pointer{pointer} leads nowhere: {where} has no such member, of {total}",
  EPOINTER_value = "Pointer{pointer} leads nowhere: {where} is no array or object",
  spawn = "Cannot run the command: {what}",
  binary = "Binary file: {path} ({kind}, {size})",
  image = "Image: {path} ({kind}, {width}x{height}, {size})",
  log_line = "the event is longer than a line of the log may be ({size})",
  log_long = "No result of call {id} is in the log; lines of over {size} were passed over",
  no_database = "No database: give one to abridge.session{ databases = ... }",
  unknown_database = "Unknown database: {name}. There is: {names}",
  which_database = "Which database? Name one of: {names}",
  sql_closed = "The connection to the database is closed",
  sql_copy = "COPY is not available here",
  sql_count = "The statement has {holes|placeholder} (?), params has {count|value}",
  sql_empty = "The statement is empty",
  sql_not_open = "Cannot open the database {path}: {what}",
  sql_not_read_only = "The database could not be made read only: {what}",
  sql_nul = "The statement has a NUL byte in it",
  sql_param = "params[{index}] must be a string, a number, true, false or null",
  sql_params = "The {kind} driver of this session cannot bind params. Write the values into the statement",
  sql_read_only = "{what} is not available: the database is read only",
  sql_several = "One statement a call",
  sql_transaction = "{word} is not available: each statement is a transaction of its own",
  url_start = "Invalid URL: it must start with http:// or https://",
  url_long = "Invalid URL: it is longer than {count} bytes",
  url_chars = "Invalid URL: blanks, control characters and backslashes must be percent-encoded",
  url_user = "Invalid URL: it must not hold a user name or password",
  url_ascii = "Invalid URL: the host name must be ASCII (xn--...)",
  url_host = "Invalid URL: the host is neither a name nor an address",
  url_port = "Invalid URL: the port must be a number from 1 to 65535",
  ESCHEME = "Scheme {scheme} is not allowed: only http and https are",
  private_host = "Address {address} of host {host} is private: not allowed by this session",
  private_address = "Address {address} is private: not allowed by this session",
  EDNS = "Cannot resolve host {host}: {what}",
  EREDIRECTS = "Too many redirects: more than {count}",
  fetch_timed_out = "Fetch timed out after {seconds} seconds",
  ECURL = "Cannot fetch {url}: {what}",
  curl_killed = "Cannot fetch {url}: curl was killed by signal {signal}",
  no_response = "Cannot fetch {url}: no HTTP response (curl exited with code {code})",
  head_too_big = "Cannot fetch {url}: its headers are too big",
  ENOCURL = "curl is missing; install it with your system's package manager (apt install curl, brew install curl)",
  cannot_run_curl = "Cannot run curl: {what}",
  fetch_offset = "Offset {offset} is beyond end of body ({total|byte} total)",
  http_status = "HTTP status {status}",
  http_status_reason = "HTTP status {status} {reason}",
  binary_body = "Binary body ({kind}, {size})",
  binary_body_unknown = "Binary body ({kind}, of unknown size)",
  empty_body = "(empty body)",
  redirected = "{what} (redirected from {url})",
  no_ripgrep = "ripgrep (rg) was not found on the PATH; install it: `apt install ripgrep`, `brew install ripgrep`, "
    .. "or your system's ripgrep package",
  ignore_file = "{path} is {what}: an ignore file must be a regular file of at most 16MB. "
    .. "Remove it, or search elsewhere",
  rg_memory = "The search took more than {size} of memory",
  rg_stalled = "The search made no progress for {seconds} seconds",
  rg_failed = "rg failed ({what})",
  binary_match = "{path}: binary file matches",
  beyond_matches = "Offset {offset} is beyond the last match ({total|match|matches} in all)",
  beyond_results = "Offset {offset} is beyond the last file ({total|file} in all)",
}

--- A sentence in place of a tool's content.
---@param name string
---@param values table<string, string|number>
---@return string
function M.message(name, values)
  return M.fill(ERRORS[name], values)
end

--- In place of parts of a result that a message cannot carry.
---@param count integer
---@return string
function M.parts_left_out(count)
  return M.fill("[{count|part that is|parts that are} not text left out]", { count = count })
end

--- The replacement of a binary value.
---@param bytes integer
---@return string
function M.blob(bytes)
  return M.fill("<blob {bytes|byte}>", { bytes = bytes })
end

-- hints and descriptions ---------------------------------------------------------------

--- The sort of a database, for the description of the tool that queries it.
---@param name string|false if there are several
---@param database abridge.Database
---@return string
function M.database(name, database)
  return M.fill(name and "Database {name}: {kind}{how}." or "The database is {kind}{how}.", {
    name = name or "",
    kind = database.kind,
    how = (database.read_only and ", read only" or "") .. (database:binds() and "" or "; params cannot be bound"),
  })
end

local MOST_NAME = 512 -- bytes of a name in a hint, which has a bound

--- How to continue in a page of JSON, for the block.
---@param tool string the name under which the session has the tool
---@param next_pointer string
---@return string
function M.pointer_hint(tool, next_pointer)
  if #next_pointer > MOST_NAME then next_pointer = "the next_pointer of the details" end
  return ("call %s with pointer=%s"):format(#tool <= MOST_NAME and tool or "the tool", next_pointer)
end

--- How to continue, for the block.
---@param tool string the name under which the session has the tool
---@param next_offset integer
---@param column? integer
---@return string
function M.resume_hint(tool, next_offset, column)
  local hint = ("call %s with offset=%.0f"):format(#tool <= MOST_NAME and tool or "the tool", next_offset)
  return column and ("%s column=%.0f"):format(hint, column) or hint
end

--- A description of a command's `output`, for its schema.
---@param least integer bytes
---@param most integer
---@return string
function M.outputs(least, most)
  if least == most then return ("How much of its output to show: %s at most"):format(core.format_size(least)) end
  return ("How much of its output to show, from %s to %s"):format(core.format_size(least), core.format_size(most))
end

local ITEM_LIMITS = {
  { "max_matches", "{n|match|matches}" },
  { "max_results", "{n|result}" },
  { "max_entries", "{n|entry|entries}" },
  { "max_rows", "{n|row}" },
  { "max_lines", "{n|line}" },
  { "max_chars", "{n|char}" },
  { "max_tokens", "{n|token}" },
  { "max_line_chars", "{n|char} a line" },
}
local WHICH = {
  head = "the first ",
  tail = "the last ",
  head_tail = "the start and the end, ",
  auto = "the parts that matter most, ",
  priority = "the start, the end and lines that tell of trouble, ",
  pipeline = "the start and the end, ",
}

--- A tool's description with the limits in force.
---@param description string
---@param limits abridge.Limits
---@return string
function M.description(description, limits)
  local parts = {}
  for _, item in ipairs(ITEM_LIMITS) do
    if limits[item[1]] then parts[#parts + 1] = M.fill(item[2], { n = limits[item[1]] }) end
  end
  if limits.max_bytes then parts[#parts + 1] = core.format_size(limits.max_bytes) end
  if #parts == 0 then return description end
  local sentence = ("Output is limited to %s%s"):format(WHICH[limits.strategy or "head"], table.concat(parts, " or "))
  return description .. (description:find "%S" and " " or "") .. sentence .. "; a notice says what was left out."
end

-- on a screen -----------------------------------------------------------------

--- The mark of a line that a screen cuts short.
M.line_cut = "..."

--- Below the start of a text on a screen.
---@param lines integer
---@return string
function M.more_lines(lines)
  return M.fill("... ({lines|more line})", { lines = lines })
end

--- Above the end of a text on a screen.
---@param lines integer
---@return string
function M.earlier_lines(lines)
  return M.fill("... ({lines|earlier line})", { lines = lines })
end

-- removed from a conversation ------------------------------------------------

--- How a line in place of an output begins.
M.removed_start = "[Removed to save room"

--- The line in place of an output that a conversation has no room for.
---@param output { ended: string|nil, range: string|nil, lines: integer|nil, images: integer|nil, bytes: integer|nil,
---  path: string|nil, again: string|nil } `again` can be printed
---@return string
function M.removed(output)
  local told = {}
  local function tell(part)
    told[#told + 1] = part
  end
  tell(output.ended)
  if output.images then tell(counted(output.images, "image")) end
  tell(output.range or output.lines and counted(output.lines, "line"))
  if output.bytes then tell(core.format_size(output.bytes)) end
  local line = M.removed_start .. (#told > 0 and ": " or "") .. table.concat(told, ", ")
  if output.path then
    line = ("%s. Full output: %s"):format(line, M.path(output.path))
  elseif output.again then
    line = ("%s. Call %s again"):format(line, output.again)
  end
  return line .. "]"
end

--- The line that ends an argument which was made short.
---@param left integer chars that are not shown
---@return string
function M.shortened(left)
  local more = M.fill("{left|more char was|more chars were}", { left = left })
  return ("[%s here; removed from this conversation to save room]"):format(more)
end

--- Is a text an argument that was made short?
---@param text string
---@return boolean
function M.is_shortened(text)
  return text:find("\n%[%d+ more chars? w%l+ here; removed from this conversation to save room%]$", -100) ~= nil
end

--- The line in place of calls that a conversation has no room for.
---@param calls integer
---@param named string[] the most frequent, in words
---@param others integer calls that are not named
---@param dir? string of their full outputs
---@return string
function M.calls_removed(calls, named, others, dir)
  local words = table.concat(named, ", ")
  if others > 0 then
    local rest = counted(others, "other")
    words = #named > 0 and words .. " and " .. rest or nil
  end
  local line = "[" .. counted(calls, "call") .. " removed to save room"
  if words then line = line .. ": " .. words end
  if dir then line = ("%s. Full outputs: %s"):format(line, M.path(dir)) end
  return line .. "]"
end

return M
