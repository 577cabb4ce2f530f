--- Stands in for flemma.nvim 0.13.1: `flemma/utilities/truncate.lua` (at commit 670e671) as `original`, and its
--- users, `flemma/tools/truncate.lua` and the tools "grep" and "read", which take it by name when they are loaded.

local M = {}

local function split(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    lines[#lines + 1] = line
  end
  return lines
end

local function result_of(content, kept, fields)
  local result = {
    content = table.concat(kept, "\n"),
    truncated = true,
    total_lines = #split(content),
    total_bytes = #content,
    output_lines = #kept,
    last_line_partial = false,
    first_line_exceeds_limit = false,
  }
  for key, value in pairs(fields) do
    result[key] = value
  end
  result.output_bytes = #result.content
  return result
end

local original = { MAX_LINES = 2000, MAX_BYTES = 51200, MAX_LINE_CHARS = 500 }

local function limits_of(opts)
  return opts and opts.max_lines or original.MAX_LINES, opts and opts.max_bytes or original.MAX_BYTES
end

local function truncate(content, opts, from_end)
  local max_lines, max_bytes = limits_of(opts)
  local lines = split(content)
  if #lines <= max_lines and #content <= max_bytes then return result_of(content, lines, { truncated = false }) end
  if not from_end and #lines[1] > max_bytes then
    return result_of(content, {}, { truncated_by = "bytes", first_line_exceeds_limit = true })
  end
  local kept, bytes, by, partial = {}, 0, "lines", false
  for n = 1, math.min(#lines, max_lines) do
    local line = lines[from_end and #lines - n + 1 or n]
    local more = #line + (n > 1 and 1 or 0)
    if bytes + more > max_bytes then
      by = "bytes"
      if from_end and n == 1 then
        local first = math.max(#line - max_bytes + 1, 1)
        while first <= #line and line:byte(first) >= 0x80 and line:byte(first) <= 0xBF do
          first = first + 1
        end
        kept[1], partial = line:sub(first), true
      end
      break
    end
    table.insert(kept, from_end and 1 or #kept + 1, line)
    bytes = bytes + more
  end
  if #kept >= max_lines and bytes <= max_bytes then by = "lines" end
  return result_of(content, kept, { truncated_by = by, last_line_partial = partial })
end

function original.truncate_head(content, opts)
  return truncate(content, opts, false)
end

function original.truncate_tail(content, opts)
  return truncate(content, opts, true)
end

function original.truncate_line(line, max_chars)
  max_chars = max_chars or original.MAX_LINE_CHARS
  if #line <= max_chars then return { text = line, truncated = false } end
  local suffix = "... [truncated]"
  local last = math.max(max_chars - #suffix, 1)
  while last > 0 and (line:byte(last + 1) or 0) >= 0x80 and (line:byte(last + 1) or 0) <= 0xBF do
    last = last - 1
  end
  return { text = line:sub(1, last) .. suffix, truncated = true }
end

function original.format_size(bytes)
  local unit = 0
  while bytes >= 1024 and unit < 3 do
    bytes, unit = bytes / 1024, unit + 1
  end
  return unit == 0 and ("%dB"):format(bytes) or ("%.1f" .. ({ "KB", "MB", "GB" })[unit]):format(bytes)
end

M.original = original

--- What `require "flemma"` loads: the modules take the truncate module by its name.
function M.load()
  package.preload["flemma.utilities.truncate"] = package.preload["flemma.utilities.truncate"] -- luacheck: ignore 122
    or function()
      return original
    end
  local base = require "flemma.utilities.truncate"

  --- `flemma.tools.truncate`: cut, keep the full output, tell the model.
  local tools = {}
  for _, name in ipairs {
    "truncate_head",
    "truncate_tail",
    "truncate_line",
    "format_size",
    "MAX_LINES",
    "MAX_BYTES",
    "MAX_LINE_CHARS",
  } do
    tools[name] = base[name]
  end
  function tools.truncate_with_overflow(text, opts)
    local cut = base["truncate_" .. opts.direction](text, { max_lines = opts.max_lines, max_bytes = opts.max_bytes })
    if not cut.truncated then return { content = cut.content, truncated = false } end
    local said
    if cut.first_line_exceeds_limit then
      local sizes = { base.format_size(cut.total_bytes), base.format_size(base.MAX_BYTES) }
      said = ("[Output too large: %s in a single line, exceeds %s limit]"):format((table.unpack or unpack)(sizes))
      return { content = said, truncated = true }
    end
    local first = opts.direction == "tail" and cut.total_lines - cut.output_lines + 1 or 1
    local last = opts.direction == "tail" and cut.total_lines or cut.output_lines
    if cut.last_line_partial then
      said = ("[Showing last %s of line %d]"):format(base.format_size(cut.output_bytes), last)
    elseif cut.truncated_by == "lines" then
      said = ("[Showing lines %d-%d of %d]"):format(first, last, cut.total_lines)
    else
      local limit = base.format_size(base.MAX_BYTES)
      said = ("[Showing lines %d-%d of %d (%s limit)]"):format(first, last, cut.total_lines, limit)
    end
    return { content = cut.content .. "\n\n" .. said, truncated = true }
  end

  --- A page of the tool "read": its head, and where to go on.
  local function read(lines, offset)
    local cut = tools.truncate_head(table.concat(lines, "\n", offset))
    if not cut.truncated then return cut.content end
    local last = offset + cut.output_lines - 1
    return cut.content, last + 1
  end

  --- A line of the tool "grep".
  local function grep(path, number, line)
    return ("%s:%d:%s"):format(path, number, base.truncate_line(line).text)
  end

  return { base = base, tools = tools, read = read, grep = grep }
end

function M.unload()
  package.loaded["flemma.utilities.truncate"] = nil
  package.preload["flemma.utilities.truncate"] = nil -- luacheck: ignore 122
end

return M
