--- What commands use of the terminal: stdin, stdout and the signals that end a program.

local host = require "abridge.base.host"

local M = {}

local function is_terminal()
  local uv = host.uv()
  return uv ~= nil and uv.guess_handle(1) == "tty"
end

--- Raise for a failure outside the program; `main` reports it.
---@param message string
function M.fail(message)
  error({ failure = message }, 0)
end

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

--- Write what is still in the buffer of stdout.
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

--- Print the content byte for byte; on a terminal, end it with a newline.
---@param content string
function M.print_content(content)
  M.out(content)
  if content ~= "" and content:sub(-1) ~= "\n" and is_terminal() then M.out "\n" end
end

--- Print a value as a line of JSON.
---@param value any
function M.print_json(value)
  local json, message = host.json()
  if not json then M.fail(message) end
  M.out(json.encode(value), "\n")
end

--- Call `stop` on the signals that end a program; returns a function that stops listening.
---@param stop fun()
---@return fun() off
function M.on_signals(stop)
  local uv = host.uv()
  local handles = {}
  for i, name in ipairs(uv and { "sigint", "sigterm", "sighup" } or {}) do
    handles[i] = uv.new_signal()
    uv.signal_start(handles[i], name, stop)
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
