--- Files through libuv: opened, read, replaced and closed; whole lines from a position on, names in a folder.

local host = require "abridge.base.host"
local paths = require "abridge.base.paths"

local M = {}

M.BLOCK = 128 * 1024 -- bytes of one read; larger blocks are mapped on each read, which takes longer than reading
M.LINE = 32 * 1024 * 1024 -- bytes of a line of a log; longer ones are neither written nor read

local NAME_BYTES = 64
local BATCH = 256 -- entries of one read of a folder

--- The name of a full output: its number and its tool, of letters that are safe in any shell, at most 64 bytes.
---@param number integer
---@param tool string
---@return string
function M.output_name(number, tool)
  local prefix, suffix = ("%04.0f-"):format(number), ".log"
  tool = tool == "" and "_" or tool:sub(1, NAME_BYTES):gsub("[^A-Za-z0-9_-]", "_")
  return prefix .. tool:sub(1, NAME_BYTES - #prefix - #suffix) .. suffix
end

--- A path that does not depend on the working directory, if luv is there to tell that; without slashes at its end.
---@param path string
---@return string
function M.absolute(path)
  local uv = host.uv()
  return paths.without_slashes(uv and paths.joined(uv.cwd(), path) or path)
end

--- Close a file.
---@param fd integer
function M.close(fd)
  local uv = host.uv()
  if not pcall(uv.fs_close, fd) then uv.fs_close(fd) end -- it takes memory; try once more
end

--- Read a block of a file; an interrupted read is repeated.
---@param fd integer
---@param size integer bytes, at most
---@param at integer offset from 0
---@return string|nil bytes "" at the end of the file
---@return string|nil message
---@return string|nil code
function M.read(fd, size, at)
  local uv = host.uv()
  local chunk, message, code
  repeat
    chunk, message, code = uv.fs_read(fd, size, at)
  until code ~= "EINTR"
  return chunk, message, code
end

--- Open a regular file to read it; nothing else is opened, since a FIFO would block. The file that was checked is the
--- one handed to `use`: a path may name another file a moment later. Closes the file, unless `keep` is set and `use`
--- returned something.
local function opened(path, use, keep)
  local uv = host.uv()
  local flags = uv.constants.O_RDONLY + uv.constants.O_NONBLOCK
  local fd
  local ok, first, second, third = pcall(function()
    local message, code
    fd, message, code = uv.fs_open(path, flags, 0)
    if not fd then return nil, message, code end
    local stat
    stat, message, code = uv.fs_fstat(fd)
    if not stat then return nil, message, code end
    if stat.type ~= "file" then return nil, ("ENOTREG: %s is a %s"):format(path, stat.type), "ENOTREG" end
    return use(fd, stat)
  end)
  local kept = keep and ok and first ~= nil
  if fd and not kept then M.close(fd) end
  if not ok then error(first, 0) end
  return first, second, third
end

--- Call `use(fd)` with a regular file open to read it. Returns the results of `use`, passes its errors on, and closes
--- the file.
---@param path string
---@param use fun(fd: integer): any, any, any
---@return any ... nil, message, code when it cannot be opened
function M.with_open(path, use)
  return opened(path, use, false)
end

--- Open a regular file to read it for as long as the caller wants; like `with_open`, it opens nothing else.
---@param path string
---@return integer|nil fd the caller's, who hands it to `close`
---@return table|string stat the message when there is no fd
---@return string|nil code
function M.open(path)
  return opened(path, function(fd, stat)
    return fd, stat
  end, true)
end

--- A line that grows: its pieces until it is too long, then only its length.
local Line = {}
Line.__index = Line

--- Take the next piece.
function Line:add(piece)
  self.bytes = self.bytes + #piece
  if self.bytes > M.LINE then
    self.pieces = {}
  else
    self.pieces[#self.pieces + 1] = piece
  end
end

--- Call `visit(line, start)` with each whole line of a file from a position on (0 is the start), and its start; it may
--- return false to stop. A line of over `LINE` bytes is passed over: `pass_over(start, first)` is called in its place,
--- once as soon as that is known and then with each block that is read of it. A line without a newline at the end is
--- left out.
---@param path string
---@param position integer
---@param visit fun(line: string, start: integer): boolean|nil
---@param pass_over? fun(start: integer, first: boolean): boolean|nil may return false to stop
---@return integer|nil position where the next line starts, or where a line that is passed over was left
---@return string|nil message
---@return string|nil code
function M.each_line(path, position, visit, pass_over)
  return M.with_open(path, function(fd)
    local at, going, problem, code = position, true, nil, nil
    local line = setmetatable({ bytes = 0, pieces = {} }, Line)
    local function add(piece)
      local first = line.bytes <= M.LINE
      line:add(piece)
      if line.bytes > M.LINE and pass_over then going = pass_over(position, first) ~= false end
    end
    while going do
      local chunk
      chunk, problem, code = M.read(fd, M.BLOCK, at)
      if not chunk or chunk == "" then break end
      local start = 1
      while going do
        local newline = chunk:find("\n", start, true)
        if not newline then break end
        add(chunk:sub(start, newline - 1))
        start = newline + 1
        local begun, bytes, text = position, line.bytes, table.concat(line.pieces)
        line.bytes, line.pieces, position = 0, {}, position + bytes + 1
        if bytes <= M.LINE then going = visit(text, begun) ~= false end
      end
      if going then add(start == 1 and chunk or chunk:sub(start)) end
      at = at + #chunk
    end
    if problem then return nil, ("%s: %s"):format(problem, path), code end
    return line.bytes > M.LINE and position + line.bytes or position
  end)
end

local OWNER_ONLY = 384 -- 0600
local NAMES = 1000 -- tried for a file beside another

--- A new file in the same folder as another, for us alone.
local function open_beside(path)
  local uv = host.uv()
  local stem = ("%s.abridge-%d-"):format(path:match "^.*/" or "", uv.os_getpid())
  local fd, message, code
  for i = 1, NAMES do
    local name = stem .. i
    fd, message, code = uv.fs_open(name, "wx", OWNER_ONLY) -- never one that is there, nor through a link
    if fd then return fd, name end
    if code ~= "EEXIST" then break end
  end
  return nil, ("%s: %s"):format(tostring(message):match "^[^:]*: [^:]*" or message, path), code
end

--- Write a file as a whole: `use(write)` writes it beside its place, with mode 0600; then it is moved there, in place
--- of a file or a link of that name. If that fails or `use` raises (its error passes on), the old file stays.
--- A device such as /dev/full is written as it is; no FIFO, folder or anything below /dev is replaced.
---@param path string
---@param use fun(write: fun(text: string): true|nil, string|nil, string|nil) `write` returns nil, message, code
---@return true|nil ok
---@return string|nil message
---@return string|nil code
function M.replace(path, use)
  local uv = host.uv()
  local stat = uv.fs_lstat(path)
  local kind, folder = stat and stat.type or "file", uv.fs_realpath(path:match "^.*/" or ".") or ""
  if kind ~= "char" and (kind ~= "file" and kind ~= "link" or (folder .. "/"):find "^/dev/") then
    return nil, ("ENOTREG: not a regular file: %s"):format(path), "ENOTREG"
  end
  local fd, name, code
  if kind == "char" then
    fd, name, code = uv.fs_open(path, uv.constants.O_WRONLY, 0)
  else
    fd, name, code = open_beside(path)
  end
  if not fd then return nil, name, code end
  local ok, raised = pcall(use, function(text)
    local at = 0
    while at < #text do
      local written, message, problem = uv.fs_write(fd, text:sub(at + 1), -1)
      if not written then return nil, ("%s: %s"):format(message, path), problem end
      at = at + written
    end
    return true
  end)
  local done, message
  done, message, code = uv.fs_close(fd)
  if kind == "char" then
    name = nil
  elseif ok and done then
    done, message, code = uv.fs_rename(name, path)
  end
  if name and not (ok and done) then uv.fs_unlink(name) end
  if not ok then error(raised, 0) end
  if not done then return nil, ("%s: %s"):format(tostring(message):match "^[^:]*: [^:]*" or message, path), code end
  return true
end

--- The names in a folder, sorted; none when it cannot be read. However it ends, the folder is closed.
---@param path string
---@return string[]
function M.names_in(path)
  local uv = host.uv()
  local names, dir = {}, nil
  local function read()
    local entries = uv.fs_readdir(dir)
    while entries do
      for _, entry in ipairs(entries) do
        names[#names + 1] = entry.name
      end
      entries = uv.fs_readdir(dir)
    end
  end
  dir = uv.fs_opendir(path, nil, BATCH) -- luv never frees the results of uv.fs_scandir
  if not dir then return names end
  local ok, raised = pcall(read)
  if not pcall(uv.fs_closedir, dir) then uv.fs_closedir(dir) end -- as in `close`
  if not ok then error(raised, 0) end
  table.sort(names)
  return names
end

return M
