--- read_file: a page of a text file. Reads the file whole; what is no regular file is never opened.

local core = require "abridge.core"
local host = require "abridge.host"
local notice = require "abridge.notice"
local page = require "abridge.page"

local M = {
  name = "read_file",
  description = "Read a text file. Use offset to start at a line and limit to read so many lines.",
  input_schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "Path of the file" },
      offset = { type = "integer", minimum = 1, description = "Number of the first line to read (from 1)" },
      limit = { type = "integer", minimum = 1, description = "Number of lines to read" },
      column = { type = "integer", minimum = 1, description = "First char of that line to read (from 1)" },
    },
    required = { "path" },
  },
}

local BINARY_PROBE = 8000 -- a NUL within so many bytes makes a file binary
local CHUNK = 1024 * 1024

--- What a file is by its first bytes.
local MAGIC = {
  { "\137PNG\r\n\26\n", "image/png" },
  { "\255\216\255", "image/jpeg" },
  { "GIF87a", "image/gif" },
  { "GIF89a", "image/gif" },
  { "%PDF-", "application/pdf" },
  { "\127ELF", "ELF object" },
  { "PK\3\4", "application/zip" },
  { "\31\139", "application/gzip" },
  { "SQLite format 3\0", "SQLite database" },
  { "\253" .. "7zXZ\0", "application/x-xz" },
  { "(\181/\253", "application/zstd" },
}

local function kind_of(bytes)
  for _, magic in ipairs(MAGIC) do
    if bytes:sub(1, #magic[1]) == magic[1] then return magic[2] end
  end
  if bytes:sub(1, 4) == "RIFF" and bytes:sub(9, 12) == "WEBP" then return "image/webp" end
  return bytes:find("\0", 1, true) and "application/octet-stream" or nil
end

local function is_image(kind)
  return kind ~= nil and (kind:find("^image/") ~= nil)
end

---@return true|nil ready
---@return string|nil message what is missing
function M.ready()
  local uv, message = host.uv()
  return uv and true, message
end

--- Read an open file to its end, so that files of unknown size (/proc) come whole too.
local function read_all(uv, fd)
  local chunks = {}
  while true do
    local chunk, message, code = uv.fs_read(fd, CHUNK, -1)
    if not chunk then return nil, message, code end
    if chunk == "" then return table.concat(chunks) end
    chunks[#chunks + 1] = chunk
  end
end

--- The bytes of a regular file, or nil, the code and the values of its message.
local function slurp(uv, path, shown)
  local stat, message, code = uv.fs_stat(path)
  if not stat then
    local known = ({ ENOENT = true, ENOTDIR = true, EACCES = true })[code]
    return nil, known and (code == "ENOTDIR" and "ENOENT" or code) or "EIO", { path = shown, what = message }
  end
  if stat.type == "directory" then return nil, "EISDIR", { path = shown } end
  if stat.type ~= "file" then return nil, "ENOTREG", { path = shown, what = stat.type } end
  local fd
  -- not blocking: the file may have become a FIFO since
  fd, message, code = uv.fs_open(path, uv.constants.O_RDONLY + uv.constants.O_NONBLOCK, 0)
  if not fd then
    return nil, code == "EACCES" and code or "EIO", { path = shown, what = message }
  end
  stat, message = uv.fs_fstat(fd)
  local text
  if stat and stat.type == "file" then
    text, message = read_all(uv, fd)
  elseif stat then
    message = "it is no regular file any more"
  end
  uv.fs_close(fd)
  if not text then return nil, "EIO", { path = shown, what = message } end
  return text
end

local function failure(path, code, values)
  return { text = notice.message(code, values), is_error = true, details = { path = path, error_code = code } }
end

local function describe_binary(path, text, kind)
  return {
    text = notice.message("binary", {
      path = notice.path(path),
      kind = kind or "application/octet-stream",
      size = core.format_size(#text),
    }),
    details = { path = path, binary = true, media_type = kind, size = #text },
  }
end

--- How a page's cut reads as a block.
local function block_of(tool_name)
  return function(cut, body)
    local hint = cut.next_offset and notice.resume_hint(tool_name, cut.next_offset, cut.next_column)
    return page.block(cut, body, hint)
  end
end

function M.execute(input, ctx)
  local uv, message = host.uv()
  if not uv then return { text = message, is_error = true } end
  local path = ctx.redacted(input.path)
  local shown = notice.path(path)
  if input.path:find("\0", 1, true) then return failure(path, "ENOENT", { path = shown }) end
  local text, code, values = slurp(uv, ctx.path(input.path), shown)
  if not text then return failure(path, code, values) end

  text = ctx.redacted(text) -- lines, chars and bytes are those of what may be shown
  local start = text:sub(1, BINARY_PROBE)
  local kind = kind_of(start)
  if start:find("\0", 1, true) or is_image(kind) then return describe_binary(path, text, kind) end

  local at = { offset = input.offset or 1, column = input.column, limit = input.limit }
  local data = { path = path, shell = ctx.names.shell, read = ctx.names.read }
  local plan
  plan, code, values = page.plan(text, at, ctx.limits, data)
  if not plan then return failure(path, code, values) end
  local _, invalid = core.count_chars(text)
  return {
    text = plan.text,
    redacted = true,
    limits = plan.limits,
    adjust = plan.adjust,
    notice = plan.data,
    block = block_of(ctx.tool),
    lines_truncated = plan.data.lines_truncated,
    details = {
      path = path,
      invalid_bytes = invalid > 0 and invalid or nil,
      lines_truncated = plan.data.lines_truncated,
    },
  }
end

return M
