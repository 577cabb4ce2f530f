--- A text for a reader that wants all of it: in memory while it is short, then in a file that has no name any more.
--- If there is no luv, it stays in memory.

local host = require "abridge.base.host"

local M = {}

local IN_MEMORY = 1024 * 1024 -- bytes

---@class abridge.Spool
---@field private uv table|nil
---@field private chunks string[]
---@field private size integer
---@field private fd? integer
local Spool = {}
Spool.__index = Spool

---@return abridge.Spool
function M.new()
  return setmetatable({ uv = host.uv(), chunks = {}, size = 0 }, Spool)
end

--- Open the file; nil if that is not possible.
local function opened(uv)
  local fd, path = uv.fs_mkstemp(uv.os_tmpdir() .. "/abridge-XXXXXX")
  if not fd then return nil end
  uv.fs_unlink(path)
  return fd
end

--- Add a chunk.
---@param chunk string
---@return true|nil
---@return string|nil message
function Spool:write(chunk)
  local uv, chunks = self.uv, self.chunks
  chunks[#chunks + 1], self.size = chunk, self.size + #chunk
  if self.size <= IN_MEMORY or not uv then return true end
  self.fd = self.fd or opened(uv)
  if not self.fd then return true end
  local text = table.concat(chunks)
  self.chunks = {}
  local n, message = uv.fs_write(self.fd, text, -1)
  if n == #text then return true end
  return nil, "a temporary file could not be written: " .. (message or "no space is left")
end

--- The text; nil if it is in a file.
---@return string|nil
function Spool:text()
  return not self.fd and table.concat(self.chunks) or nil
end

--- The path of the file, while it is open; nil if there is none.
---@return string|nil
function Spool:path()
  return self.fd and ("/dev/fd/%d"):format(self.fd) or nil
end

--- Let go of the text.
function Spool:close()
  if self.fd then self.uv.fs_close(self.fd) end
  self.fd, self.chunks = nil, {}
end

return M
