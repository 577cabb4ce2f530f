--- A web server in the test's own event loop: what it was asked, and how much of an answer it could send.

local host = require "abridge.base.host"

local M = {}

local Server = {}
Server.__index = Server

local Connection = {}
Connection.__index = Connection

--- Send bytes; `after` runs when they are gone.
function Connection:send(bytes, after)
  if self.closed then return end
  self.server.sent = self.server.sent + #bytes
  host.uv().write(self.handle, bytes, function(err)
    if not err and after then after() end
  end)
end

--- Send the last bytes and close.
function Connection:finish(bytes)
  self:send(bytes, function()
    self:close()
  end)
end

--- Send a whole response; `headers` are lines. Content-Length is added unless told otherwise.
function Connection:respond(status, headers, body, no_length)
  local lines = { "HTTP/1.1 " .. status, "Connection: close" }
  for _, line in ipairs(headers or {}) do
    lines[#lines + 1] = line
  end
  if not no_length then lines[#lines + 1] = ("Content-Length: %d"):format(#body) end
  self:finish(table.concat(lines, "\r\n") .. "\r\n\r\n" .. body)
end

--- Send a chunk again and again, each when the one before is gone, until the other side has had enough.
function Connection:pour(chunk)
  local function again()
    self:send(chunk, again)
  end
  again()
end

function Connection:close()
  if self.closed then return end
  self.closed = true
  self.server.open = self.server.open - 1
  host.uv().close(self.handle)
end

--- Close so that the other side sees a reset.
function Connection:reset()
  if self.closed then return end
  self.closed = true
  self.server.open = self.server.open - 1
  host.uv().tcp_close_reset(self.handle)
end

--- The request that a text is, once its body is there too.
local function read_request(connection, text)
  local head, body = text:match "^(.-\r\n)\r\n(.*)$"
  if not head then return nil end
  local method, target = head:match "^(%S+) (%S+)"
  local request = { method = method, target = target, headers = {} }
  for name, value in head:gmatch "\n([^:\r\n]+): *([^\r\n]*)" do
    request.headers[name:lower()] = value
  end
  local size = tonumber(request.headers["content-length"]) or 0
  if #body < size then
    if request.headers.expect and not connection.told_to_go_on then
      connection.told_to_go_on = true
      connection:send "HTTP/1.1 100 Continue\r\n\r\n"
    end
    return nil
  end
  request.body = body:sub(1, size)
  local server = connection.server
  server.requests[#server.requests + 1] = request
  return request
end

local function accept(server)
  local uv = host.uv()
  local handle = uv.new_tcp()
  if not uv.accept(server.handle, handle) then return uv.close(handle) end
  local connection = setmetatable({ handle = handle, server = server }, Connection)
  server.connections, server.open = server.connections + 1, server.open + 1
  server.all[#server.all + 1] = connection
  local text, answered = "", false
  uv.read_start(handle, function(err, chunk)
    if err or not chunk then return connection:close() end
    text = text .. chunk
    local request = not answered and read_request(connection, text)
    if not request then return end
    answered = true
    local ok, message = pcall(server.answer, connection, request)
    if not ok then
      server.failed = server.failed or message
      connection:close()
    end
  end)
end

--- Listen on a free port of a loopback address. `answer(connection, request)` may be changed while it listens.
function M.new(answer, address)
  local uv = host.uv()
  local server = setmetatable({
    answer = answer,
    address = address or "127.0.0.1",
    requests = {},
    connections = 0,
    open = 0,
    sent = 0,
    all = {},
  }, Server)
  -- a client that leaves in the middle of an answer must not end us
  server.signal = uv.new_signal()
  uv.signal_start(server.signal, "sigpipe", function() end)
  uv.unref(server.signal)
  server.handle = uv.new_tcp()
  local ok = uv.tcp_bind(server.handle, server.address, 0)
  if not ok then
    uv.close(server.handle)
    uv.close(server.signal)
    host.pump()
    return nil
  end
  assert(uv.listen(server.handle, 16, function()
    accept(server)
  end))
  server.port = uv.tcp_getsockname(server.handle).port
  return server
end

--- The URL of a path, by another host name where one is given.
function Server:url(path, name)
  local address = self.address:find(":", 1, true) and "[" .. self.address .. "]" or self.address
  return ("http://%s:%d%s"):format(name or address, self.port, path)
end

--- Forget what was asked so far.
function Server:forget()
  self.requests, self.connections, self.sent = {}, 0, 0
end

--- Close everything; what went wrong in `answer` is raised here.
function Server:close()
  for _, connection in ipairs(self.all) do
    connection:close()
  end
  local closed = false
  host.uv().close(self.signal)
  host.uv().close(self.handle, function()
    closed = true
  end)
  host.wait(function()
    return closed
  end, 5)
  host.pump()
  if self.failed then error(self.failed, 0) end
end

return M
