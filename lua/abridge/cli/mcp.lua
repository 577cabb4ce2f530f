--- `abridge mcp`: a server of MCP as a child, our stdin and stdout as its client's, and the proxy between them.

local check = require "abridge.base.check"
local host = require "abridge.base.host"
local terminal = require "abridge.cli.terminal"
local tools = require "abridge.cli.tools"
local lines = require "abridge.base.lines"
local own_tools = require "abridge.proxy.own_tools"
local proxy = require "abridge.proxy"

local M = {}

local MOST_UNSENT = 1024 * 1024 -- bytes that a side has not taken; then the other one is not read
local CHUNK = 64 * 1024 -- bytes of a file at a time
local NOT_FOUND = 127

-- one direction ---------------------------------------------------------------------------

---@class abridge.cli.McpFlow From one pipe to another, line by line.
---@field over boolean the source is at its end, and all of it was taken
---@field private uv table
---@field private from any a stream of libuv, or a file's descriptor
---@field private to any
---@field private line fun(line: string): string the line to pass on in its place
---@field private ended fun() called once
local Flow = {}
Flow.__index = Flow

local function flow(uv, from, to, line, ended)
  local self =
    { uv = uv, from = from, to = to, line = line, ended = ended, unsent = 0, lines = lines.new(), over = false }
  return setmetatable(self, Flow)
end

function Flow:check_end()
  if self.at_end and self.unsent == 0 and not self.over then
    self.over = true
    self.ended()
  end
end

--- Write all of a text to a file, which takes it at once.
local function put_in_file(uv, fd, text)
  while text ~= "" do
    local written = uv.fs_write(fd, text, -1)
    if not written then return false end
    text = text:sub(written + 1)
  end
  return true
end

function Flow:put(text)
  if text == "" or self.broken then return end
  if type(self.to) == "number" then
    self.broken = not put_in_file(self.uv, self.to, text)
    return
  end
  self.unsent = self.unsent + #text
  local ok = self.uv.write(self.to, text, function(problem)
    self.unsent = self.unsent - #text
    if problem then self.broken = true end
    if self.unsent <= MOST_UNSENT then self:read() end
    self:check_end()
  end)
  if not ok then
    self.broken, self.unsent = true, self.unsent - #text
  end
end

--- A chunk, or nil at the end; torn bytes pass as they are then.
function Flow:took(chunk)
  if self.at_end then return end
  if chunk then
    self.lines:feed(chunk, function(line)
      self:put(self.line(line))
    end)
    if self.unsent > MOST_UNSENT then self:pause() end
  else
    self.at_end = true
    self:pause()
    self:put(self.lines:rest())
    self:check_end()
  end
end

--- Read on, unless it is read already, there is enough, or there is no more.
function Flow:read()
  if self.reading or self.at_end or self.unsent > MOST_UNSENT then return end
  self.reading = true
  if type(self.from) == "number" then
    self.uv.fs_read(self.from, CHUNK, -1, function(_, chunk)
      self.reading = false
      self:took(chunk ~= "" and chunk or nil)
      self:read()
    end)
    return
  end
  self.uv.read_start(self.from, function(_, chunk)
    self:took(chunk)
  end)
end

function Flow:pause()
  if not self.reading or type(self.from) == "number" then return end
  self.uv.read_stop(self.from)
  self.reading = false
end

--- Pass nothing on any more; a read of a file may still be under way.
function Flow:stop()
  self:pause()
  self.at_end, self.over = true, true
end

-- the command -----------------------------------------------------------------------------

--- A stream for one of our own descriptors, or for a file the descriptor itself.
local function stream_of(uv, fd)
  local kind, handle = uv.guess_handle(fd), nil
  if kind == "pipe" then
    handle = uv.new_pipe(false)
    uv.pipe_open(handle, fd)
  elseif kind == "tcp" then
    handle = uv.new_tcp()
    uv.tcp_open(handle, fd)
  elseif kind == "tty" then
    handle = uv.new_tty(fd, fd == 0)
  end
  return handle or fd
end

--- The server with its pipes; its stderr is ours.
local function start(uv, words, exited)
  local stdin, stdout = uv.new_pipe(false), uv.new_pipe(false)
  local args = { (table.unpack or unpack)(words, 2) }
  local child, pid = uv.spawn(words[1], { args = args, stdio = { stdin, stdout, 2 } }, exited)
  if child then return { handle = child, stdin = stdin, stdout = stdout } end
  uv.close(stdin)
  uv.close(stdout)
  host.pump()
  io.stderr:write(("abridge: %s: %s\n"):format(words[1], tostring(pid)))
  return nil
end

--- End as the server did: by its signal, or with its code.
local function end_alike(uv, ended)
  if ended.signal == 0 then return ended.code end
  io.stdout:flush()
  uv.kill(uv.os_getpid(), ended.signal)
  return 128 + ended.signal
end

local function serve(uv, session, server, state, opts)
  local down
  function opts.send(line)
    down:put(line)
  end
  local client_in, client_out = stream_of(uv, 0), stream_of(uv, 1)
  local between = proxy.new(session, opts)
  local up = flow(uv, client_in, server.stdin, function(line)
    return between:from_client(line)
  end, function()
    uv.close(server.stdin)
  end)
  down = flow(uv, server.stdout, client_out, function(line)
    return between:from_server(line)
  end, function() end)
  local on_sigpipe = uv.new_signal()
  uv.signal_start(on_sigpipe, "sigpipe", function() end) -- a write fails then
  uv.unref(on_sigpipe)
  up:read()
  down:read()
  local off = terminal.on_signals(function(number)
    if not state.ended then server.handle:kill(number) end
  end)
  host.wait(function()
    if down.broken and not state.ended and not state.told then -- nobody is left to answer
      state.told = true
      server.handle:kill "sigterm"
    end
    return state.ended ~= nil and (down.over or down.broken)
  end)
  off()
  uv.close(on_sigpipe)
  up:stop()
  for _, handle in ipairs { server.stdin, server.stdout, client_in, client_out } do
    if type(handle) ~= "number" and not uv.is_closing(handle) then uv.close(handle) end
  end
  host.pump()
end

--- The limits of `--limits` by the names that the session has.
local function rows_of(given)
  local rows = {}
  for name, row in pairs(given or {}) do
    rows[proxy.own_name(name)] = not check.is_null(row) and row or nil
  end
  return rows
end

--- Run `abridge mcp`.
---@param args abridge.cli.Args
---@return integer exit code
function M.run(args)
  if #args.words == 0 then terminal.bad "mcp needs a server: abridge mcp [flags] -- SERVER ARGS..." end
  if args.other.tools and args.switches.no_save then terminal.bad "--no-save keeps nothing for --tools to look into" end
  local uv, message = host.uv()
  if not uv then terminal.fail(message) end
  local most = args.other.max_result_chars
  local session = tools.proxy_session(args, rows_of(args.other.limits))
  local state, warned = {}, {}
  local server = start(uv, args.words, function(code, signal)
    state.ended = { code = code, signal = signal }
  end)
  if not server then
    session:close()
    return NOT_FOUND
  end
  local function warn(text)
    if warned[text] then return end
    warned[text] = true
    io.stderr:write("abridge: ", terminal.visible(text), "\n")
  end
  local opts = { max_result_chars = most, keep_structured = args.other.structured == "keep", warn = warn }
  local prefix = args.other.tools
  if prefix then opts.tools = own_tools.new(session, prefix ~= "" and prefix or nil) end
  serve(uv, session, server, state, opts)
  if opts.tools then opts.tools:close() end
  uv.close(server.handle)
  host.pump()
  session:close()
  return end_alike(uv, state.ended)
end

return M
