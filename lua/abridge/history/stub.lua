--- The line in place of a result that a conversation has no room for: what was called, how it ended, how much it
--- printed, and how to see it again.

local check = require "abridge.base.check"
local core = require "abridge.base.core_loader"
local encode = require "abridge.base.encode"
local host = require "abridge.base.host"
local sentences = require "abridge.output.sentences"

local M = {}

--- Tokens that no stub exceeds, and no result that is replaced is within.
M.MOST = 160

--- Bytes of the arguments: as many as fit.
local ARGUMENT_BYTES = { 400, 200, 100, 50, 25 }
local STUB_BYTES = 16 * M.MOST -- more than any stub of ours has
local NOTICE_BYTES = 1000 -- likewise of the notice of a page

-- the call ---------------------------------------------------------------------

--- A call's input as a value. Models may write nothing or null for an empty object.
---@param input any
---@return any
function M.decoded(input)
  if type(input) ~= "string" then return type(input) == "table" and input or {} end
  if not input:find "%S" then return {} end
  local json = host.json()
  local ok, value = pcall(json and json.decode or error, input)
  if not ok then return input end
  return check.is_null(value) and {} or value
end

--- What calls have in common that ask for the same.
---@param name string
---@param input any decoded
---@return string
function M.key(name, input)
  return name .. "\0" .. (encode.json(input) or type(input) == "string" and input or "")
end

-- Arguments that say what a call was about: of commands and searches in quotes, of places as they are.
local QUOTED = { "command", "cmd", "query", "pattern", "sql" }
local BARE = { "path", "file_path", "filepath", "filePath", "filename", "file", "url", "uri" }

--- A text in at most so many bytes: its start, and a little of its end.
local function clipped(text, most)
  local how = { max_bytes = most, head_ratio = 0.75, snap = "char", marker = "inside", marker_text = "..." }
  return (core.head_tail(text, how))
end

--- A text that shows as it reads: no controls but newlines, nothing that hides or turns text.
local function printable(text)
  text = core.clean(text, { invisible = true }):gsub("[\t\r]", " ")
  return (text:gsub("[%z\1-\9\11-\31\127]", ""):gsub("\194[\128-\159]", ""))
end

local function on_a_line(text)
  return (printable(text):gsub("%s+", " "))
end

--- The arguments of a call, in short.
local function arguments(input)
  if type(input) == "string" then return '"' .. on_a_line(input) .. '"' end
  if type(input) ~= "table" then return "" end
  local words = {}
  for _, key in ipairs(QUOTED) do
    local value = rawget(input, key)
    if type(value) == "string" and value ~= "" then words[#words + 1] = '"' .. on_a_line(value) .. '"' end
  end
  for _, key in ipairs(BARE) do
    local value = rawget(input, key)
    if type(value) == "string" and value ~= "" then words[#words + 1] = on_a_line(value) end
  end
  if #words == 0 and next(input) ~= nil then words[1] = on_a_line(encode.json(input) or "") end
  return table.concat(words, " ")
end

-- What a tool does, by the words of its name: only one that reads can be called again for what it printed.
local READS, CHANGES = {}, {}
for word in
  ([[cat describe fetch find get glob grep head list lookup ls read search show sql_query status tail tree
    view]]):gmatch "%S+"
do
  READS[word] = true
end
for word in
  ([[add apply bash call command commit create delete do edit eval exec execute insert install move patch post
    push put remove rename replace run send set shell start stop submit terminal update write]]):gmatch "%S+"
do
  CHANGES[word] = true
end

local function only_reads(name)
  local reads = READS[name] or false
  for word in name:gsub("(%l)(%u)", "%1_%2"):lower():gmatch "%a+" do
    if CHANGES[word] then return false end
    reads = reads or READS[word] or false
  end
  return reads
end

local PAGES = { path = true, offset = true, limit = true, column = true } -- arguments of our read_file

--- Is this a call of our read_file, and not of another by that name, which may begin elsewhere and print a heading?
local function is_page(own_name, input)
  if own_name ~= "read_file" or type(input) ~= "table" then return false end
  for key in next, input do
    if not PAGES[key] then return false end
  end
  return true
end

--- The lines of a file that a page has, where it says which or is a file's start.
local function range(own_name, input, text, failed)
  if not is_page(own_name, input) or failed then return nil end
  local last = text:sub(-NOTICE_BYTES)
  local shown = last:match "\n\n%[Showing lines (%d+%-%d+) of [^\n]*%]%s*$"
  if shown then return "lines " .. shown end
  local first = tonumber(rawget(input, "offset") == nil and 1 or rawget(input, "offset"))
  if not (check.is_count(first) and first > 0) then return nil end
  local next_line = tonumber(last:match "\n%[[^\n]*Use offset=(%d+) to continue%]%s*$")
  if not next_line then
    if last:find "\n%[[^\n]*%]%s*$" then return nil end
    next_line = first + core.count_lines(text)
  end
  return next_line > first and ("lines %.0f-%.0f"):format(first, next_line - 1) or nil
end

-- the stub ----------------------------------------------------------------------

--- Is this text a stub, made under whichever options?
---@param text string
---@return boolean
function M.is_stub(text)
  local start = sentences.removed_start
  return #text <= STUB_BYTES and text:sub(1, #start) == start and text:find("]", 1, true) ~= nil
end

--- A text with at most one newline at its end. From the end: a pattern would look at a run of newlines once for each.
local function one_newline(text)
  local last = #text
  while last > 1 and text:byte(last) == 10 and text:byte(last - 1) == 10 do
    last = last - 1
  end
  return text:sub(1, last)
end

--- What a session's call printed, without what we said of it: the notice of a cut, and how it ended.
---@param text string
---@param ending? abridge.CallEnd nil: nobody knows what in it is ours
---@return string text
---@return string|nil exit its exit line
function M.printed(text, ending)
  if not ending then return text end
  local said = text:match "\n(%[Showing [^\n]*%])$"
  if said then text = one_newline(text:sub(1, -#said - 1)) end
  local exit = ending.exit
  local body = text:gsub("\n$", "")
  if not exit or body:sub(-#exit) ~= exit then return text end
  return one_newline(body:sub(1, -#exit - 1)), exit
end

--- What `priority` keeps of a failure, in what the line leaves of a stub; nil where there is no room.
local function failure(text, line, weigher, limits)
  if core.is_binary(text, true) then return nil end
  text = printable(text)
  local room = M.MOST - weigher:text(line .. "\n")
  while room > 0 do
    local kept = core.cut(text, {
      strategy = "priority",
      max_tokens = room,
      count_tokens = limits.count_tokens,
      token_safety = limits.token_safety,
      utf8 = "replace",
    })
    kept = kept:match "^.*%S"
    local stub = kept and line .. "\n" .. kept
    if stub and weigher:text(stub) <= M.MOST then return stub end
    room = kept and math.floor(room / 2) or 0
  end
end

--- The tool's own name, the arguments and the output as they may be shown.
local function shown(result, session)
  local call = result.call or {}
  local name, input, text = call.name, call.input, result.content.text
  if result.failed then text = M.printed(text, result.ending) end
  local own_name = session and name and session.table_of_limits.aliases[name] or name
  local redactor = session and session.redactor
  if redactor then
    name, input = name and redactor:text(name), redactor:data(input)
    if result.failed then text = redactor:document(text) end
  end
  return name and clipped(on_a_line(name), 64), own_name, arguments(input), text
end

--- The stub of a result; nil where none is small enough.
---@param result abridge.history.Result
---@param weigher abridge.history.Weigher
---@param opts table of `history.fit`
---@return string|nil
function M.of(result, weigher, opts)
  local content, ending = result.content, result.ending or {}
  local name, own_name, words, text = shown(result, opts.session)
  local output = {
    ended = ending.exit and sentences.ended(ending.exit) or result.failed and "failed" or nil,
    images = content.media > 0 and content.media or nil,
    lines = content.text ~= "" and core.count_lines(content.text) or nil,
    bytes = #content.text + content.media_bytes,
    range = range(own_name, (result.call or {}).input, content.text, result.failed),
    path = ending.path,
    again = name and only_reads(own_name) and name or nil,
  }
  local function fits(line)
    return weigher:text(line) <= M.MOST
  end
  local line
  for _, most in ipairs(ARGUMENT_BYTES) do
    output.call = name and (words == "" and name or name .. " " .. clipped(words, most)) or nil
    line = sentences.removed(output)
    if fits(line) then break end
  end
  for _, key in ipairs { "call", "again", "path", "images", "lines", "range", "bytes", "ended" } do
    if fits(line) then break end
    output[key] = key == "call" and name or nil
    line = sentences.removed(output)
  end
  if not fits(line) then return nil end
  return result.failed and failure(text, line, weigher, opts) or line
end

return M
