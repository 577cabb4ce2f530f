--- read_file: a page of a text file, by lines or by elements of its JSON; for an image or another binary file its type
--- and size.

local core = require "abridge.base.core_loader"
local magic = require "abridge.base.magic"
local time_slices = require "abridge.base.time_slices"
local page = require "abridge.output.page"
local sentences = require "abridge.output.sentences"

local M = {
  name = "read_file",
  description = "Read a text file. Use offset to start at a line and limit for the number of lines, "
    .. "or pointer to start at an element of a JSON file.",
  input_schema = {
    type = "object",
    properties = {
      path = { type = "string", description = "Path of the file" },
      offset = { type = "integer", minimum = 1, description = "Number of the first line to read (from 1)" },
      limit = { type = "integer", minimum = 1, description = "Number of lines to read" },
      column = { type = "integer", minimum = 1, description = "First char of that line to read (from 1)" },
      pointer = { type = "string", description = "JSON pointer of the first element to read, such as /items/164" },
      line_numbers = { type = "boolean", description = "Number the lines, as cat -n does" },
    },
    required = { "path" },
  },
}

function M.ready()
  return true
end

local function failure(path, code, detail, at)
  return {
    text = page.message(code, detail, at, path),
    is_error = true,
    details = { path = path, error_code = code },
  }
end

--- The description of an image or another binary file, shown in place of its bytes; nil for a text. It is made from the
--- bytes as they are: none that a redactor would change are shown.
---@param start string the first bytes
---@param size integer of the file
local function described(real, path, start, size)
  local kind = magic.kind(start)
  if not (magic.is_image(kind) or start:find("\0", 1, true)) then return nil end
  local width, height = magic.dimensions(kind, function(at, n)
    return core.read_file(real, at, n) or ""
  end)
  local values = { path = sentences.path(path), width = width, height = height, size = core.format_size(size) }
  values.kind = kind or "application/octet-stream"
  return {
    text = sentences.message(width and "image" or "binary", values),
    details = { path = path, binary = true, media_type = kind, size = size, width = width, height = height },
  }
end

--- A redactor for a file in UTF-16: the text comes as UTF-8, and then goes through `redactor`, if there is one.
local function decoder(redactor)
  local function stream()
    local cleaner, redaction = core.decoder(), redactor and redactor:stream()
    local function redacted(text)
      return redaction and redaction:feed(text) or text
    end
    return {
      feed = function(_, block)
        return redacted(cleaner:write(block))
      end,
      finish = function()
        local rest = redacted((cleaner:finish()))
        cleaner:close()
        return redaction and rest .. redaction:finish() or rest
      end,
    }
  end
  return { stream = stream }
end

--- How a page's cut reads as a block.
local function block_of(tool_name)
  return function(cut, body)
    return page.block(cut, body, tool_name)
  end
end

--- The version of the file when the page before this one was shown.
local function version_of(ctx, real, at)
  return page.goes_on(at) and ctx.pages:version(real) or nil
end

local BY_LINES = { "offset", "limit", "column", "line_numbers" }

--- The options that don't go with a pointer; nil: all is fine.
local function beside_pointer(input)
  for _, name in ipairs(input.pointer and BY_LINES or {}) do
    if input[name] then return ("pointer goes without %s"):format(name) end
  end
end

--- The page of a text file.
---@param encoded boolean it is UTF-16, on which the shell's tools don't work
local function value_of(input, ctx, path, real, work, encoded)
  local at = { offset = input.offset, column = input.column, limit = input.limit, pointer = input.pointer }
  local how = {
    path = real,
    split = encoded or not ctx.shell,
    index = ctx.pages.index,
    version = version_of(ctx, real, at),
    redactor = encoded and decoder(ctx.redactor) or ctx.redactor,
    line_numbers = input.line_numbers,
    work = work,
  }
  local source, code, detail = page.open(at, ctx.limits, how)
  if not source then return failure(path, code, detail, at) end
  local data, adjust = page.notice_data(at, ctx.limits, { path = path })
  local details = { path = path, encoding = encoded and "UTF-16" or nil }
  return {
    stream = source,
    bytes_before = source:about().first_byte - 1,
    reopen = function(limits)
      how.work = nil
      local again, why, what = page.open(at, limits, how)
      return again or error(page.message(why, what, at, path), 0)
    end,
    adjust = function(cut)
      adjust(cut)
      details.lines_truncated, details.invalid_bytes = cut.lines_truncated, cut.invalid_bytes
      details.next_pointer = cut.next_pointer
      data.next_most = cut.next_pointer and source:about().next_most
      ctx.pages:shown(real, cut.version)
    end,
    notice = data,
    block = block_of(ctx.tool),
    details = details,
  }
end

function M.execute(input, ctx, done)
  local path = ctx.redacted(input.path)
  local wrong = beside_pointer(input)
  if wrong then
    local details = { path = path, error_code = "EINVAL" }
    return { text = sentences.message("invalid_input", { what = wrong }), is_error = true, details = details }
  end
  local real = ctx.path(input.path)
  local start, size = core.read_file(real, 0, magic.probe)
  local encoded = start ~= nil and core.is_utf16(start)
  local binary = start and not encoded and described(real, path, start, size) -- if it can't be read, the page tells why
  if binary then return binary end
  return time_slices.start(function(work)
    return value_of(input, ctx, path, real, work, encoded)
  end, done, ctx.at_once)
end

return M
