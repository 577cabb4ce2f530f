--- The commands' side of the terminal: stdin, stdout, colours and the signals that end a program.

local core = require "abridge.base.core_loader"
local host = require "abridge.base.host"

local M = {}

--- Is a descriptor a terminal?
---@param fd integer
---@return boolean
function M.is_terminal(fd)
  local uv = host.uv()
  return uv ~= nil and uv.guess_handle(fd) == "tty"
end

--- Is the terminal one that cannot move its cursor?
---@return boolean
function M.is_dumb()
  local term = os.getenv "TERM"
  return term == nil or term == "" or term == "dumb"
end

local MOST_CELLS = 200 -- of a name: a column is as wide as the longest

--- Text that cannot move a terminal's cursor or reverse its lines: a model may have made up the names in a log.
---@param value any
---@return string
function M.visible(value)
  local text = tostring(value == nil and "-" or value):gsub("\194[\128-\159]", "?"):gsub("%c", "?")
  text = text:gsub("\226\128[\168-\174]", "?"):gsub("\226\129[\166-\169]", "?")
  if #text <= MOST_CELLS or core.cells(text) <= MOST_CELLS then return text end
  return text:sub(1, core.fit_cells(text, MOST_CELLS - 3)) .. "..."
end

-- colours -------------------------------------------------------------------------------

local STYLES = { heading = "1", notice = "33", error = "31" } -- SGR

local colours = "auto"

--- Set when to colour.
---@param when "auto"|"always"|"never"
function M.color(when)
  colours = when
end

--- Are colours wanted on a descriptor? See https://no-color.org.
local function is_coloured(fd)
  if colours ~= "auto" then return colours == "always" end
  return (os.getenv "NO_COLOR" or "") == "" and not M.is_dumb() and M.is_terminal(fd)
end

--- A text on one line in a style, if colours are wanted.
---@param style "heading"|"notice"|"error"
---@param text string
---@param fd? integer 1 unless set
---@return string
function M.styled(style, text, fd)
  if text == "" or not is_coloured(fd or 1) then return text end
  return "\27[" .. STYLES[style] .. "m" .. text .. "\27[0m"
end

--- A content whose exit line and notice are in their styles.
local function with_styles(content, details, failed)
  local parts = { { details.notice, "notice" }, { details.exit_line, failed and "error" or "notice" } }
  local shown = ""
  for _, part in ipairs(parts) do
    local text = part[1]
    if type(text) == "string" and text ~= "" and content:sub(-#text) == text then
      content = content:sub(1, -#text - 1)
      local gap = content:match "\n*$"
      content, shown = content:sub(1, -#gap - 1), gap .. M.styled(part[2], text) .. shown
    end
  end
  return content .. shown
end

-- failures ------------------------------------------------------------------------------

--- Raise for bad flags or words; `main` reports it.
---@param message string a format
---@param ... any
function M.bad(message, ...)
  error({ usage = message:format(...) }, 0)
end

--- Raise for a failure outside the program; `main` reports it.
---@param message string
function M.fail(message)
  error({ failure = message }, 0)
end

-- stdin and stdout ----------------------------------------------------------------------

local EPIPE = 32 -- on Linux, macOS and the BSDs

--- Fail unless a write to stdout succeeded; `closed` if its reader has gone.
local function taken(ok, message, code)
  if not ok then error({ failure = "stdout: " .. message, closed = code == EPIPE }, 0) end
end

--- Write to stdout, or fail: the next write may succeed and hide the failure.
---@param ... string
function M.out(...)
  taken(io.stdout:write(...))
end

--- Flush stdout.
function M.flush()
  taken(io.stdout:flush())
end

--- All of stdin, or a number of bytes of it; nil at its end.
---@param how "*a"|integer
---@return string|nil
function M.read(how)
  local content, message = io.stdin:read(how)
  return content or (message and M.fail("stdin: " .. message)) or nil
end

local CHUNK = 64 * 1024 -- bytes of stdin at a time
-- The collector of Lua 5.5 doesn't count the bytes of the strings from io.read (luaL_pushresult makes them external),
-- and would let hundreds of MB stand. So it is called every 16 MB.
local COLLECT = 256 -- chunks

--- All of stdin, chunk by chunk, in bounded memory.
---@return fun(): string|nil
function M.chunks()
  local read = 0
  return function()
    read = read + 1
    if read % COLLECT == 0 then collectgarbage() end
    return M.read(CHUNK)
  end
end

--- Write all of stdin to a stream.
---@param stream { write: fun(self: any, chunk: string): true|nil, string|nil }
function M.feed(stream)
  for chunk in M.chunks() do
    local ok, message = stream:write(chunk)
    if not ok then M.fail(message) end
  end
end

local line_is_open = false -- the last output ends without a newline

--- Print content byte for byte.
---@param ... string
function M.content(...)
  for _, text in ipairs { ... } do
    M.out(text)
    if text ~= "" then line_is_open = text:sub(-1) ~= "\n" end
  end
end

--- After content: on a terminal, end a line that has no newline.
function M.end_line()
  if line_is_open and M.is_terminal(1) then M.content "\n" end
end

local function json_library()
  local json, message = host.json()
  return json or M.fail(message)
end

--- A value as JSON.
---@param value any
---@return string
function M.json(value)
  return json_library().encode(value)
end

--- Print a value as a line of JSON.
---@param value any
function M.print_json(value)
  M.out(M.json(value), "\n")
end

---@class (exact) abridge.cli.Result A result as commands print it.
---@field content string
---@field truncation abridge.Block
---@field call_id? string
---@field is_error? boolean
---@field details? table

--- A result as JSON.
---@param result abridge.cli.Result
---@return string
function M.result_json(result)
  local encode, details = json_library().encode, result.details
  local parts = { '{"content":', encode(result.content) }
  local function put(...)
    for _, part in ipairs { ... } do
      parts[#parts + 1] = part
    end
  end
  if details and details.notice then put(',"notice":', encode(details.notice)) end
  put(',"truncation":', core.info_json(result.truncation)) -- its fields in the contract's order
  if result.call_id then put(',"call_id":', encode(result.call_id)) end
  put(',"is_error":', result.is_error and "true" or "false")
  if details then put(',"details":', encode(details)) end
  put "}"
  return table.concat(parts)
end

--- Print a result, or the same as JSON.
---@param result abridge.cli.Result
---@param as_json boolean|nil
function M.print_result(result, as_json)
  if as_json then return M.out(M.result_json(result), "\n") end
  local content, details = result.content, result.details
  M.content(details and with_styles(content, details, result.is_error) or content)
  M.end_line()
end

-- signals -------------------------------------------------------------------------------

--- Call `stop` on the signals that end a program; returns a function that stops listening.
---@param stop fun(number: integer) the signal's
---@return fun() off
function M.on_signals(stop)
  local uv = host.uv()
  local handles = {}
  for i, name in ipairs(uv and { "sigint", "sigterm", "sighup" } or {}) do
    handles[i] = uv.new_signal()
    uv.signal_start(handles[i], name, function()
      stop(uv.constants[name:upper()])
    end)
    uv.unref(handles[i])
  end
  return function()
    for _, handle in ipairs(handles) do
      uv.close(handle)
    end
    host.pump()
  end
end

return M
