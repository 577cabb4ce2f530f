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
local function described(real, path)
  local start, size = core.read_file(real, 0, magic.probe)
  if not start then return nil end -- opening the page tells why
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
local function value_of(input, ctx, path, real, work)
  local at = { offset = input.offset, column = input.column, limit = input.limit, pointer = input.pointer }
  local how = {
    path = real,
    split = not ctx.shell,
    index = ctx.pages.index,
    version = version_of(ctx, real, at),
    redactor = ctx.redactor,
    line_numbers = input.line_numbers,
    work = work,
  }
  local source, code, detail = page.open(at, ctx.limits, how)
  if not source then return failure(path, code, detail, at) end
  local data, adjust = page.notice_data(at, ctx.limits, { path = path })
  local details = { path = path }
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
  local binary = described(real, path)
  if binary then return binary end
  return time_slices.start(function(work)
    return value_of(input, ctx, path, real, work)
  end, done, ctx.at_once)
end

return M
